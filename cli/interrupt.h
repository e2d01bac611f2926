// Ctrl-C: asks the work to stop; if it has not within a second, ends the process. Nothing is ever half
// written: an unfinished output file is removed.
#pragma once

#include "sightglass/base/context.h"

namespace sightglass::cli {

// 128 and the number of the signal that ended the work: 130 for Ctrl-C.
[[nodiscard]] int interrupted_exit_code();

// The context to cancel on SIGINT and SIGTERM, while this lives.
class InterruptGuard {
 public:
  explicit InterruptGuard(Context& context);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
};

}  // namespace sightglass::cli
