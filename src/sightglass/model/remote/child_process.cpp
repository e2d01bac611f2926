#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <thread>

#include "sightglass/base/error.h"
#include "sightglass/base/shown_path.h"
#include "sightglass/model/remote/child_process_internal.h"

extern char** environ;

namespace sightglass {

namespace {

// Read by a signal handler: plain memory that never moves. More children than places are simply not in it.
std::array<std::atomic<pid_t>, 16> running{};

void remember(pid_t pid) {
  for (auto& place : running) {
    pid_t empty = 0;
    if (place.compare_exchange_strong(empty, pid)) return;
  }
}

void forget(pid_t pid) {
  for (auto& place : running) {
    pid_t found = pid;
    if (place.compare_exchange_strong(found, 0)) return;
  }
}

constexpr std::size_t words_kept = 4096;
constexpr int look_around = 50;  // milliseconds between looks at cancel and at the process
constexpr auto grace = std::chrono::milliseconds(500);

void close_file(int& file) {
  if (file >= 0) ::close(file);
  file = -1;
}

// Writing to a process that is gone raises SIGPIPE; it is held back for this thread and this write only, so
// that the program's own use of the signal stays as it is.
class WithoutSigpipe {
 public:
  WithoutSigpipe() {
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~WithoutSigpipe() {
    const timespec now{};
    if (!was_pending_) {
      while (sigtimedwait(&pipe_, nullptr, &now) == -1 && errno == EINTR) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WithoutSigpipe(const WithoutSigpipe&) = delete;
  WithoutSigpipe& operator=(const WithoutSigpipe&) = delete;

 private:
  sigset_t pipe_;
  sigset_t before_;
  bool was_pending_ = false;
};

// A program without stdin or stdout gets their numbers for its pipes; the dup2 calls of start() would then
// overwrite one another.
int above_standard(int file) {
  if (file > STDERR_FILENO) return file;
  const int moved = ::fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  ::close(file);
  return moved;
}

struct Pipe {
  int read = -1;
  int write = -1;
  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
      throw Error(ErrorKind::model, std::string("cannot make a pipe to the model process: ") + std::strerror(errno));
    }
    read = above_standard(ends[0]);
    write = above_standard(ends[1]);
  }
  ~Pipe() {
    close_file(read);
    close_file(write);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
};

int take(int& file) {
  const int taken = file;
  file = -1;
  ::fcntl(taken, F_SETFL, ::fcntl(taken, F_GETFL) | O_NONBLOCK);
  return taken;
}

std::string short_number(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string last_line(std::string_view words) {
  while (!words.empty() && (words.back() == '\n' || words.back() == '\r' || words.back() == ' '))
    words.remove_suffix(1);
  const std::size_t start = words.find_last_of('\n');
  return printable(start == std::string_view::npos ? words : words.substr(start + 1), 200);
}

}  // namespace

ChildProcess::ChildProcess(std::vector<std::string> arguments, std::string name)
    : arguments_(std::move(arguments)), name_(std::move(name)) {}

ChildProcess::~ChildProcess() {
  if (pid_ > 0 && owner_ == ::getpid()) {
    // End of input is the polite way to end it.
    close_file(in_);
    const auto until = Clock::now() + grace;
    while (!ended() && Clock::now() < until) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    stop();
  }
  close_all();
}

void ChildProcess::start() {
  if (pid_ > 0 && owner_ == ::getpid()) return;
  close_all();
  Pipe in;
  Pipe out;
  Pipe err;
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  // dup2 also clears close-on-exec. All other files of ours are closed by it.
  posix_spawn_file_actions_adddup2(&actions, in.read, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.write, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.write, STDERR_FILENO);
  // A group of its own: Ctrl-C reaches us alone, and we can end the process with all its children.
  sigset_t none;
  sigset_t defaults;
  sigemptyset(&none);
  sigemptyset(&defaults);
  for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGQUIT}) sigaddset(&defaults, signal);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  std::vector<char*> arguments;
  for (std::string& argument : arguments_) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  pid_t pid = -1;
  const int failure = posix_spawnp(&pid, arguments[0], &actions, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (failure != 0) {
    throw Error(ErrorKind::model, name_ + ": cannot start " + arguments_[0] + ": " + std::strerror(failure),
                "is it installed and on the PATH?");
  }
  pid_ = pid;
  owner_ = ::getpid();
  remember(pid);
  in_ = take(in.write);
  out_ = take(out.read);
  err_ = take(err.read);
  inbox_.clear();
  last_words_.clear();
  answered_ = false;
}

std::string ChildProcess::exchange(std::string_view line, std::size_t limit, double seconds, const Context& context) {
  start();
  // Whatever lies here now is no answer to the question that comes.
  receive_some(limit);
  if (inbox_.find_first_not_of(" \r\n") != std::string::npos) {
    fail("wrote to stdout without being asked: " + printable(told(inbox_.substr(0, 200)), 60),
         "stdout is for one answer to each request; print anything else to stderr");
  }
  inbox_.clear();
  const bool limited = seconds > 0;
  const double deadline = context.clock() + seconds;
  std::size_t searched = 0;
  while (true) {
    try {
      context.check();
      if (context.on_poll) context.on_poll();
    } catch (...) {
      stop();
      throw;
    }
    if (!line.empty() && in_ >= 0) send_some(line);
    receive_words();
    receive_some(limit);
    const std::size_t end = inbox_.find('\n', searched);
    if (end != std::string::npos) {
      std::string answer = inbox_.substr(0, end);
      inbox_.erase(0, end + 1);
      answered_ = true;
      return answer;
    }
    searched = inbox_.size();
    if (inbox_.size() > limit) {
      fail("answered more than " + std::to_string(limit) + " bytes without a line break",
           "an answer is one line with one prediction for each row");
    }
    if (out_ < 0) fail_ended();
    // Its own children may keep the pipes open after it is gone: then nothing more will come.
    if (ended()) {
      receive_some(limit);
      if (inbox_.size() == searched) fail_ended();
      continue;
    }
    if (limited && context.clock() >= deadline) {
      fail("gave no answer within " + short_number(seconds) + " seconds",
           "make it faster, ask for fewer rows, or allow it more time");
    }
    wait_for_events(!line.empty(), look_around);
  }
}

void ChildProcess::wait_for_events(bool sending, int milliseconds) {
  pollfd files[3] = {{sending ? in_ : -1, POLLOUT, 0}, {out_, POLLIN, 0}, {err_, POLLIN, 0}};
  (void)::poll(files, 3, milliseconds);  // an interruption is one more look around
}

void ChildProcess::send_some(std::string_view& rest) {
  const WithoutSigpipe guard;
  while (!rest.empty()) {
    const ssize_t sent = ::write(in_, rest.data(), rest.size());
    if (sent > 0) {
      rest.remove_prefix(static_cast<std::size_t>(sent));
      continue;
    }
    if (errno == EINTR) continue;
    // It does not read any more; it may still have something to say.
    if (errno != EAGAIN) close_file(in_);
    return;
  }
}

void ChildProcess::receive_some(std::size_t limit) {
  char buffer[65536];
  while (out_ >= 0 && inbox_.size() <= limit) {
    const ssize_t got = ::read(out_, buffer, sizeof buffer);
    if (got > 0) {
      inbox_.append(buffer, static_cast<std::size_t>(got));
      continue;
    }
    if (got < 0 && errno == EINTR) continue;
    if (got == 0 || errno != EAGAIN) close_file(out_);
    return;
  }
}

void ChildProcess::receive_words() {
  char buffer[16384];
  // Bounded: a process that floods stderr must not keep us from its answer.
  for (int turn = 0; turn < 64 && err_ >= 0; ++turn) {
    const ssize_t got = ::read(err_, buffer, sizeof buffer);
    if (got > 0) {
      last_words_.append(buffer, static_cast<std::size_t>(got));
      if (last_words_.size() > words_kept) last_words_.erase(0, last_words_.size() - words_kept);
      continue;
    }
    if (got < 0 && errno == EINTR) continue;
    if (got == 0 || errno != EAGAIN) close_file(err_);
    return;
  }
}

bool ChildProcess::ended() const {
  siginfo_t info{};
  // WNOWAIT: as long as it is not reaped its number, and its group's, belongs to nobody else.
  return ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == pid_;
}

std::string ChildProcess::told(std::string_view words) const {
  std::string text(words);
  const std::string& command = arguments_.back();
  for (std::size_t equals = command.find('='); equals != std::string::npos; equals = command.find('=', equals + 1)) {
    std::string value = command.substr(equals + 1, command.find_first_of(" \t\n;&|", equals) - equals - 1);
    std::erase_if(value, [](char c) { return c == '"' || c == '\''; });
    // Shorter ones are part of ordinary words, and no secret.
    if (value.size() < 4) continue;
    for (std::size_t at = text.find(value); at != std::string::npos; at = text.find(value, at)) {
      text.replace(at, value.size(), "…");
    }
  }
  return without_folders(text);
}

void ChildProcess::fail_ended() {
  const auto until = Clock::now() + grace;
  while (!ended() && Clock::now() < until) {
    receive_words();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  const bool alive = !ended();
  receive_words();
  const int status = reap();
  std::string what = "closed its stdout before it answered";
  ErrorKind kind = ErrorKind::prediction;
  if (!alive && WIFEXITED(status)) {
    const int code = WEXITSTATUS(status);
    what = "ended with exit code " + std::to_string(code) + " before it answered";
    // The shell's way to say that it could not run the command at all.
    if ((code == 126 || code == 127) && !answered_) kind = ErrorKind::model;
  } else if (!alive && WIFSIGNALED(status)) {
    what = std::string("was ended by signal ") + std::to_string(WTERMSIG(status)) + " (" +
           ::strsignal(WTERMSIG(status)) + ") before it answered";
  }
  const std::string words = last_line(told(last_words_));
  if (!words.empty()) what += ": " + words;
  throw Error(kind, name_ + " " + what, "run the command by itself to see why", told(last_words_));
}

void ChildProcess::fail(const std::string& what, const std::string& advice) {
  receive_words();
  stop();
  throw Error(ErrorKind::prediction, name_ + " " + what, advice, told(last_words_));
}

int ChildProcess::reap() {
  int status = 0;
  if (pid_ > 0) {
    ::kill(-pid_, SIGKILL);
    forget(pid_);
    while (::waitpid(pid_, &status, 0) == -1 && errno == EINTR) {
    }
  }
  pid_ = -1;
  close_all();
  return status;
}

void ChildProcess::stop() {
  if (pid_ > 0 && owner_ == ::getpid()) (void)reap();
}

void ChildProcess::close_all() {
  close_file(in_);
  close_file(out_);
  close_file(err_);
  pid_ = -1;
}

void kill_child_processes() noexcept {
  for (const auto& pid : running) {
    if (const pid_t group = pid.load(); group > 0) ::kill(-group, SIGKILL);
  }
}

}  // namespace sightglass
