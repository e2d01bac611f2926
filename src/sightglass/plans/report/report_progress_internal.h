// What is told while a report is made.
#pragma once

#include <algorithm>
#include <functional>
#include <string>

#include "sightglass/base/context.h"

namespace sightglass {

// Progress of the whole while a part is at work.
class PartProgress {
 public:
  PartProgress(Context& context, std::size_t number, std::size_t count, const std::string& title, double before,
               double share)
      : context_(context), outer_(context.on_progress) {
    if (!outer_) return;
    const std::string task = std::to_string(number) + "/" + std::to_string(count) + " " + title;
    context_.on_progress = [this, task, before, share](const Progress& inner) {
      constexpr double steps = 1e6;
      // A part has several passes, each of which begins anew.
      if (inner.total > 0)
        furthest_ = std::max(furthest_, static_cast<double>(inner.done) / static_cast<double>(inner.total));
      const double within = furthest_;
      outer_({.task = task,
              .done = static_cast<std::uint64_t>(steps * std::min(1.0, before + share * within)),
              .total = static_cast<std::uint64_t>(steps)});
    };
  }
  ~PartProgress() { context_.on_progress = outer_; }
  PartProgress(const PartProgress&) = delete;
  PartProgress& operator=(const PartProgress&) = delete;

 private:
  Context& context_;
  std::function<void(const Progress&)> outer_;
  double furthest_ = 0;
};

// While parts are tried it is told what is done, not how far.
class Silence {
 public:
  explicit Silence(Context& context) : context_(context), outer_(context.on_progress) {
    if (!outer_) return;
    context_.on_progress = [this](const Progress&) { outer_({.task = "finding out how long it takes"}); };
  }
  ~Silence() { context_.on_progress = outer_; }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

 private:
  Context& context_;
  std::function<void(const Progress&)> outer_;
};

}  // namespace sightglass
