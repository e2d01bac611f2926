#include "sightglass/base/time_limit.h"

#include <gtest/gtest.h>

#include <atomic>

namespace sightglass {
namespace {

TEST(TimeLimit, StopsWhatGoesOnAfterIt) {
  Context context(1);
  double now = 10;
  context.clock = [&] { return now; };
  context.check();
  {
    const TimeLimit limit(context, 12);
    now = 12;
    context.check();
    now = 12.5;
    EXPECT_THROW(context.check(), OutOfTime);
    EXPECT_THROW(context.report({}), OutOfTime);
    EXPECT_THROW(context.parallel_for(3, [](std::size_t) {}), OutOfTime);
  }
  context.check();
}

TEST(TimeLimit, WithinAnotherEndsNoLater) {
  Context context(1);
  double now = 5;
  context.clock = [&] { return now; };
  const TimeLimit outer(context, 4);
  {
    const TimeLimit inner(context, 8);
    EXPECT_THROW(context.check(), OutOfTime);
  }
  now = 3;
  context.check();
  const TimeLimit inner(context, 2);
  EXPECT_THROW(context.check(), OutOfTime);
}

// Whichever thread sees it first, the one that started the work hears of it.
TEST(TimeLimit, IsHeardFromAllThreads) {
  Context context(4);
  std::atomic<int> looks = 0;
  context.clock = [&] { return static_cast<double>(++looks); };
  const TimeLimit limit(context, 100);
  EXPECT_THROW(context.parallel_for(1000, [&](std::size_t) { context.check(); }), OutOfTime);
}

}  // namespace
}  // namespace sightglass
