// Ctrl-C while native code works. Python only notes the signal and acts on it when its own code runs again, which may
// be hours later: the work has to be told.
#pragma once

#include "bindings.h"
#include "sightglass/base/context.h"

namespace sightglass {

// A context for work that Python's user can stop. Made and let go of with the GIL held.
class StoppableContext {
 public:
  explicit StoppableContext(int threads);
  ~StoppableContext();
  StoppableContext(const StoppableContext&) = delete;
  StoppableContext& operator=(const StoppableContext&) = delete;

  [[nodiscard]] Context& operator*() { return context_; }

 private:
  Context context_;
  Context* outer_ = nullptr;  // of the call inside which this one was made
  bool watches_ = false;
};

// Raises what the handlers of signals that came meanwhile raise, KeyboardInterrupt otherwise.
void raise_interrupt() noexcept;

}  // namespace sightglass
