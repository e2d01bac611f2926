// A line of progress with the time that is left, on a terminal's standard error only.
#pragma once

#include <chrono>

#include "sightglass/base/context.h"

namespace sightglass::cli {

class ProgressLine {
 public:
  // Shows nothing if quiet, or if standard error is no terminal.
  ProgressLine(Context& context, bool quiet);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

 private:
  void show(const Progress& progress);
  void clear();

  using Clock = std::chrono::steady_clock;
  Context& context_;
  Clock::time_point started_, shown_;
  std::uint64_t total_ = 0;
  bool visible_ = false;
};

}  // namespace sightglass::cli
