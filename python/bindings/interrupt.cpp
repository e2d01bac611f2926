#include "interrupt.h"

#include <signal.h>

#include <atomic>
#include <chrono>

namespace sightglass {

namespace {

// Often enough for Ctrl-C to feel immediate, seldom enough that taking the GIL costs nothing.
constexpr auto poll_interval = std::chrono::milliseconds(50);

std::atomic<Context*> working{nullptr};
struct sigaction handler_before{};

// Stops the work and lets the handler before, Python's own or that of a library in front of it (polars has one), take
// note.
void stop_work(int signal, siginfo_t* info, void* state) {
  if (Context* context = working.load()) context->cancel();
  if ((handler_before.sa_flags & SA_SIGINFO) != 0) {
    handler_before.sa_sigaction(signal, info, state);
  } else {
    handler_before.sa_handler(signal);
  }
}

bool is_ours(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == stop_work;
}

bool hands_on(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 || (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

// Signals reach the main thread only. Whoever has a handler of their own decides what Ctrl-C means, so that one is
// asked while the work goes on (on_poll) and may let it.
bool ctrl_c_means_stop() {
  const nb::module_ threading = nb::module_::import_("threading");
  if (!threading.attr("current_thread")().is(threading.attr("main_thread")())) return false;
  const nb::module_ signals = nb::module_::import_("signal");
  return signals.attr("getsignal")(signals.attr("SIGINT")).is(signals.attr("default_int_handler"));
}

}  // namespace

StoppableContext::StoppableContext(int threads) : context_(threads) {
  context_.on_poll = [last = std::chrono::steady_clock::now()]() mutable {
    const auto now = std::chrono::steady_clock::now();
    if (now - last < poll_interval) return;
    last = now;
    const nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  };
  if (!ctrl_c_means_stop()) return;
  outer_ = working.exchange(&context_);
  watches_ = true;
  if (outer_ != nullptr) return;
  struct sigaction action{};
  if (sigaction(SIGINT, nullptr, &action) != 0 || !hands_on(action)) {
    working = nullptr;
    watches_ = false;
    return;
  }
  handler_before = action;
  action.sa_flags |= SA_SIGINFO;
  action.sa_sigaction = stop_work;
  sigaction(SIGINT, &action, nullptr);
}

StoppableContext::~StoppableContext() {
  if (!watches_) return;
  if (outer_ == nullptr) {
    struct sigaction action{};
    // Unless Python code that ran meanwhile has set another one.
    if (sigaction(SIGINT, nullptr, &action) == 0 && is_ours(action)) {
      sigaction(SIGINT, &handler_before, nullptr);
    }
  }
  working = outer_;
}

void raise_interrupt() noexcept {
  // Takes the signal off Python's list; it would raise once more otherwise, in whatever comes next.
  if (PyErr_CheckSignals() == 0) PyErr_SetNone(PyExc_KeyboardInterrupt);
}

}  // namespace sightglass
