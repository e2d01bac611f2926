#include "interrupt.h"

#include <unistd.h>

#include <atomic>
#include <csignal>

#include "sightglass/base/atomic_file.h"

namespace sightglass::cli {

namespace {

std::atomic<Context*> current{nullptr};

void end_now(int /*signal*/) {
  remove_unfinished_file();
  _exit(interrupted_exit_code);
}

void ask_to_stop(int /*signal*/) {
  if (Context* context = current.load()) context->cancel();
  // Some work cannot be asked (a scan inside DuckDB): the alarm ends it.
  alarm(1);
}

void install(int signal, void (*handler)(int)) {
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

}  // namespace

InterruptGuard::InterruptGuard(Context& context) {
  current = &context;
  install(SIGALRM, end_now);
  install(SIGINT, ask_to_stop);
  install(SIGTERM, ask_to_stop);
}

InterruptGuard::~InterruptGuard() {
  current = nullptr;
  install(SIGINT, SIG_DFL);
  install(SIGTERM, SIG_DFL);
}

}  // namespace sightglass::cli
