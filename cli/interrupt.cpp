#include "interrupt.h"

#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <string_view>

#include "sightglass/base/atomic_file.h"
#include "sightglass/model/remote/child_process_internal.h"

namespace sightglass::cli {

namespace {

std::atomic<Context*> current{nullptr};

std::atomic<int> received{SIGINT};

std::atomic<bool> writing{false};

void end_now(int /*signal*/) {
  if (writing) return;
  kill_child_processes();
  remove_unfinished_files();
  say_stopped();
  _exit(interrupted_exit_code());
}

void ask_to_stop(int signal) {
  // Whoever asks twice means now.
  static std::atomic<bool> asked{false};
  if (asked.exchange(true)) end_now(signal);
  received = signal;
  if (Context* context = current.load()) context->cancel();
  // Some work cannot be asked (a scan inside DuckDB): the alarm ends it, so that all is over within a second.
  const itimerval soon{.it_interval = {}, .it_value = {.tv_sec = 0, .tv_usec = 700'000}};
  setitimer(ITIMER_REAL, &soon, nullptr);
}

void install(int signal, void (*handler)(int)) {
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

}  // namespace

void check_interrupted() {
  if (const Context* context = current.load()) context->check();
}

bool is_interrupted() {
  const Context* context = current.load();
  return context != nullptr && context->cancelled();
}

WritingGuard::WritingGuard() { writing = true; }
WritingGuard::~WritingGuard() { writing = false; }

int interrupted_exit_code() { return 128 + received; }

void say_stopped() noexcept {
  static std::atomic<bool> said{false};
  if (said.exchange(true)) return;
  constexpr std::string_view word = "sightglass: stopped; nothing was written\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, word.data(), word.size());
}

InterruptGuard::InterruptGuard(Context& context) {
  current = &context;
  install(SIGALRM, end_now);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) install(signal, ask_to_stop);
}

InterruptGuard::~InterruptGuard() {
  current = nullptr;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) install(signal, SIG_DFL);
}

}  // namespace sightglass::cli
