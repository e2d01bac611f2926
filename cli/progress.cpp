#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace sightglass::cli {

namespace {

using namespace std::chrono_literals;

std::string duration(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  if (seconds < 5400) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

ProgressLine::ProgressLine(Context& context, bool quiet) : context_(context), started_(Clock::now()), shown_(started_) {
  if (quiet || isatty(STDERR_FILENO) == 0) return;
  context_.on_progress = [this](const Progress& progress) { show(progress); };
}

ProgressLine::~ProgressLine() {
  context_.on_progress = nullptr;
  clear();
}

void ProgressLine::show(const Progress& progress) {
  const auto now = Clock::now();
  if (progress.total != total_) {  // another stage
    total_ = progress.total;
    started_ = now;
  }
  // What is over in a moment needs no announcement.
  if (now - started_ < 500ms || now - shown_ < 200ms) return;
  shown_ = now;
  const double elapsed = std::chrono::duration<double>(now - started_).count();
  std::string line = std::string(progress.task);
  if (progress.total > 0) {
    const double share = static_cast<double>(progress.done) / static_cast<double>(progress.total);
    line += fmt::format("  {:3.0f} %", 100 * share);
    if (share > 0) line += "  " + duration(elapsed * (1 - share) / share) + " left";
  } else {
    line += "  " + duration(elapsed);
  }
  (void)std::fputs(("\r\x1b[K" + line).c_str(), stderr);
  std::fflush(stderr);
  visible_ = true;
}

void ProgressLine::clear() {
  if (!visible_) return;
  (void)std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  visible_ = false;
}

}  // namespace sightglass::cli
