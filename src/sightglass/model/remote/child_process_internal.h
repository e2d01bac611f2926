// A child process that answers one line for each line it is sent, and whatever it does instead of that: dies,
// hangs, never reads, never stops writing.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/base/context.h"

namespace sightglass {

class ChildProcess {
 public:
  // `name` stands for the process in messages. Nothing is started yet.
  ChildProcess(std::vector<std::string> arguments, std::string name);
  // Lets the process end by itself for a moment, then ends it with all its children.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }

  // Starts the process unless it runs. Throws Error(model) if that fails.
  void start();
  // Sends a line (with its line break) and waits for the answer, which comes without one. Starts the process
  // if it does not run. Throws Error(prediction), with what the process wrote to stderr last, if it ends,
  // takes longer than `seconds` (0 = no limit) by the context's clock, or answers more than `limit` bytes; Cancelled if
  // the context says so. After any of these the process is ended, and a later call starts it anew.
  [[nodiscard]] std::string exchange(std::string_view line, std::size_t limit, double seconds, const Context& context);
  // Ends the process and its children at once.
  void stop();
  // What it wrote to stderr last, at most 4 KB.
  [[nodiscard]] const std::string& last_words() const { return last_words_; }
  // Something that it said, fit for a message: without folders, and without what its command line sets.
  [[nodiscard]] std::string told(std::string_view words) const;

 private:
  using Clock = std::chrono::steady_clock;

  void wait_for_events(bool sending, int milliseconds);
  void send_some(std::string_view& rest);
  void receive_some(std::size_t limit);
  void receive_words();
  [[nodiscard]] bool ended() const;
  [[noreturn]] void fail_ended();
  [[noreturn]] void fail(const std::string& what, const std::string& advice);
  [[nodiscard]] int reap();
  void close_all();

  std::vector<std::string> arguments_;
  std::string name_;
  pid_t pid_ = -1;
  pid_t owner_ = -1;  // after a fork the copy must leave the process alone
  int in_ = -1;       // its stdin
  int out_ = -1;
  int err_ = -1;
  bool answered_ = false;
  std::string inbox_;
  std::string last_words_;
};

// Ends all processes that run now, with their children. For signal handlers that end the program.
void kill_child_processes() noexcept;

}  // namespace sightglass
