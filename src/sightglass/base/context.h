// What every computation needs from its surroundings: threads, progress, and a way to be stopped.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "sightglass/base/clock.h"

namespace sightglass {

struct Progress {
  std::string_view task;    // "partial dependence"
  std::uint64_t done = 0;   // in units of work; 0 <= done <= total
  std::uint64_t total = 0;  // 0 while unknown
};

class Context {
 public:
  // 0 threads = as many as the machine has.
  explicit Context(int threads = 0);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  [[nodiscard]] int threads() const { return threads_; }

  // Runs body(i) for i in [0, count) on the context's threads and waits. The first exception is thrown on,
  // whole, in the calling thread. Must not be called from inside another parallel_for's body.
  void parallel_for(std::size_t count, const std::function<void(std::size_t)>& body) const;

  // Called from the thread that started the work only, at least a few times a second.
  std::function<void(const Progress&)> on_progress;
  // Called beside on_progress; may throw to stop the work (Python's signal handlers need this).
  std::function<void()> on_poll;
  // What fits into a given time is measured by this clock; tests bring one that they turn themselves.
  std::function<double()> clock = steady_seconds;

  // May be set from a signal handler or another thread; the work then stops with Cancelled.
  void cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }

  // Throws Cancelled if cancel() was called. Cheap; any thread.
  void check() const;
  // check(), then lets the surroundings look in. Only from the thread that started the work.
  void report(const Progress& progress) const;

 private:
  struct Arena;
  int threads_;
  std::unique_ptr<Arena> arena_;
  std::atomic<bool> cancelled_{false};
};

}  // namespace sightglass
