// Ctrl-C: asks the work to stop; if it has not within a second, ends the process. Nothing is ever half
// written: an unfinished output file is removed.
#pragma once

#include "sightglass/base/context.h"

namespace sightglass::cli {

inline constexpr int interrupted_exit_code = 130;

// The context to cancel on SIGINT and SIGTERM, while this lives.
class InterruptGuard {
 public:
  explicit InterruptGuard(Context& context);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
};

}  // namespace sightglass::cli
