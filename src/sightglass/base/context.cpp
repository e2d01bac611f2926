#include "sightglass/base/context.h"

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "sightglass/base/error.h"

namespace sightglass {

namespace {

// A forked child inherits the pool's books but none of its threads. The process that used the pool first may
// go on using it; children of that process work alone (whoever forks has divided the work already).
bool lost_pool() {
  static std::atomic<pid_t> owner{0};
  const pid_t self = getpid();
  pid_t nobody = 0;
  return !owner.compare_exchange_strong(nobody, self) && nobody != self;
}

}  // namespace

struct Context::Arena {
  explicit Arena(int threads)
      : allowed(tbb::global_control::max_allowed_parallelism,
                std::max<std::size_t>(static_cast<std::size_t>(threads), tbb::info::default_concurrency())),
        tasks(threads) {}
  // Without it TBB would warn on stderr, and a library never prints.
  tbb::global_control allowed;
  tbb::task_arena tasks;
};

Context::Context(int threads)
    : threads_(threads > 0 ? threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()))) {
  // With one thread there is no pool at all: nothing to lose over a fork, nothing to synchronise.
  if (threads_ > 1) arena_ = std::make_unique<Arena>(threads_);
}

Context::~Context() = default;

void Context::parallel_for(std::size_t count, const std::function<void(std::size_t)>& body) const {
  if (!arena_ || count < 2 || lost_pool()) {
    for (std::size_t i = 0; i < count; ++i) {
      check();
      body(i);
    }
    return;
  }
  arena_->tasks.execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, count, 1),
        [&](const tbb::blocked_range<std::size_t>& range) {
          for (std::size_t i = range.begin(); i < range.end(); ++i) {
            check();
            body(i);
          }
        },
        tbb::simple_partitioner());
  });
}

void Context::check() const {
  if (cancelled()) throw Cancelled();
}

void Context::report(const Progress& progress) const {
  check();
  if (on_poll) on_poll();
  if (on_progress) on_progress(progress);
}

}  // namespace sightglass
