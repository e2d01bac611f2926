#include "sightglass/base/context.h"

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "sightglass/base/error.h"
#include "sightglass/base/thread_limit.h"
#include "sightglass/base/time_limit.h"

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

// How many of these threads the system lets us have (a limit on processes or memory may be low). Tried out, because
// a pool that is refused a thread half-way is of no use any more, and cannot even be let go of.
int available_threads(int wanted) {
  static std::atomic<int> known{1};
  if (wanted <= known) return wanted;
  std::mutex held;
  std::vector<std::thread> tried;
  {
    const std::lock_guard all_at_once(held);
    try {
      for (int i = 1; i < wanted; ++i) tried.emplace_back([&held] { const std::lock_guard wait(held); });
    } catch (const std::system_error&) {
      // A few of those: a thread that works takes about ten times the address space of one that waits (malloc keeps a
      // heap of 64 MB for each), and others need some too.
      wanted = 1 + static_cast<int>(tried.size() / 16);
    }
  }
  for (std::thread& thread : tried) thread.join();
  int before = known;
  while (before < wanted && !known.compare_exchange_weak(before, wanted)) {
  }
  return wanted;
}

int checked_threads(int threads) {
  if (threads < 0 || threads > most_threads) {
    throw Error(ErrorKind::usage, "threads cannot be " + std::to_string(threads),
                "it is a number from 1 to " + std::to_string(most_threads) + ", or 0 for all that the machine has");
  }
  const int machine = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return available_threads(threads > 0 ? threads : std::min(machine, most_threads));
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

Context::Context(int threads) : threads_(checked_threads(threads)) {
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
  if (const auto* limited = clock.target<LimitedClock>(); limited != nullptr && limited->clock() > limited->end)
    throw OutOfTime();
}

void Context::report(const Progress& progress) const {
  check();
  if (on_poll) on_poll();
  if (on_progress) on_progress(progress);
}

}  // namespace sightglass
