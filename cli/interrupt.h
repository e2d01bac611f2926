// Ctrl-C: asks the work to stop; if it has not within a second, ends the process. Nothing is ever half
// written: an unfinished output file is removed.
#pragma once

#include "sightglass/base/context.h"

namespace sightglass::cli {

// 128 and the number of the signal that ended the work: 130 for Ctrl-C.
[[nodiscard]] int interrupted_exit_code();

// The one line about it, however often it is called. For signal handlers too.
void say_stopped() noexcept;

// Throws Cancelled if the work of the guard that lives was asked to stop.
void check_interrupted();
[[nodiscard]] bool is_interrupted();

// While this lives, Ctrl-C asks and never ends the process: files are being written that belong together, and whoever
// writes them looks often enough.
class WritingGuard {
 public:
  WritingGuard();
  ~WritingGuard();
  WritingGuard(const WritingGuard&) = delete;
  WritingGuard& operator=(const WritingGuard&) = delete;
};

// The context to cancel on SIGINT and SIGTERM, while this lives.
class InterruptGuard {
 public:
  explicit InterruptGuard(Context& context);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
};

}  // namespace sightglass::cli
