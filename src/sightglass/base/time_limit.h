// Work that takes too long is stopped where it would hear a Ctrl-C.
#pragma once

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <utility>

#include "sightglass/base/context.h"

namespace sightglass {

// Thrown by Context::check(). Not an Error: whoever set the limit knows what to do, and nobody else hears of it.
class OutOfTime : public std::runtime_error {
 public:
  OutOfTime() : std::runtime_error("out of time") {}
};

// By which a context sees when its work has to end. Asked from any thread.
struct LimitedClock {
  std::function<double()> clock;
  double end;
  double operator()() const { return clock(); }
};

// While it lives, what a context does is stopped at that time by its clock, or at an earlier limit that it had already.
class TimeLimit {
 public:
  TimeLimit(Context& context, double end) : context_(context), outer_(context.clock) {
    const auto* limited = outer_.target<LimitedClock>();
    context_.clock =
        limited == nullptr ? LimitedClock{outer_, end} : LimitedClock{limited->clock, std::min(limited->end, end)};
  }
  ~TimeLimit() { context_.clock = std::move(outer_); }
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

 private:
  Context& context_;
  std::function<double()> outer_;
};

}  // namespace sightglass
