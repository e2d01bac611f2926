#include "export_picture.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "interrupt.h"
#include "sightglass/base/error.h"
#include "sightglass/base/shown_path.h"

namespace sightglass::cli {

namespace {

// Python looks into the current folder first: what lies there, a json.py say, must not be run. The rest is the
// package's own way to draw; exit code 3 says that vl-convert is not installed.
constexpr const char* script = R"(
import sys
sys.path[:] = [place for place in sys.path if place not in ("", ".")]
)"
#include "picture_script.inc"
    ;

struct Finished {
  int status = -1;
  std::string output;
};

// Feeds `input` to a program and collects what it prints; poll, because either side may have to wait.
Finished run_program(const char* const* arguments, std::string_view input) {
  int to_child[2], from_child[2];
  if (pipe2(to_child, O_CLOEXEC) != 0 || pipe2(from_child, O_CLOEXEC) != 0) return {};
  const pid_t child = fork();
  if (child < 0) return {};
  if (child == 0) {
    dup2(to_child[0], STDIN_FILENO);
    dup2(from_child[1], STDOUT_FILENO);
    execvp(arguments[0], const_cast<char* const*>(arguments));
    _exit(127);
  }
  close(to_child[0]);
  close(from_child[1]);
  fcntl(to_child[1], F_SETFL, O_NONBLOCK);
  // A child that ends early must not take us along.
  const auto old_handler = std::signal(SIGPIPE, SIG_IGN);
  Finished finished;
  pollfd descriptors[] = {{from_child[0], POLLIN, 0}, {to_child[1], POLLOUT, 0}};
  for (;;) {
    if (poll(descriptors, 2, -1) < 0) {
      if (errno != EINTR) break;
      if (is_interrupted()) kill(child, SIGTERM);
      continue;
    }
    if (descriptors[1].fd >= 0 && descriptors[1].revents != 0) {
      const ssize_t written = write(descriptors[1].fd, input.data(), input.size());
      if (written > 0) input.remove_prefix(static_cast<std::size_t>(written));
      if (input.empty() || (written < 0 && errno != EAGAIN && errno != EINTR)) {
        close(descriptors[1].fd);
        descriptors[1].fd = -1;
      }
    }
    if (descriptors[0].revents != 0) {
      char buffer[65536];
      const ssize_t count = read(descriptors[0].fd, buffer, sizeof buffer);
      if (count == 0 || (count < 0 && errno != EINTR)) break;
      if (count > 0) finished.output.append(buffer, static_cast<std::size_t>(count));
    }
  }
  if (descriptors[1].fd >= 0) close(descriptors[1].fd);
  close(from_child[0]);
  std::signal(SIGPIPE, old_handler);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  finished.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return finished;
}

// The Python package's own command says which Python it lives in.
const char* python_program() {
  const char* python = std::getenv("SIGHTGLASS_PYTHON");
  return python == nullptr || *python == '\0' ? "python3" : python;
}

void check_found(const Finished& finished, const std::string& format) {
  if (finished.status != 3 && finished.status != 127) return;
  throw Error(ErrorKind::usage,
              "format " + format + " needs vl-convert, which " + shown_path(python_program()) + " does not have",
              "pip install vl-convert-python (the extra sightglass[export]), name another Python in "
              "SIGHTGLASS_PYTHON, or write html");
}

}  // namespace

void require_exporter(const std::string& format) {
  const char* const arguments[] = {python_program(), "-c", script, "probe", nullptr};
  check_found(run_program(arguments, ""), format);
}

std::string export_picture(const std::string& vega_lite, const std::string& format) {
  const char* python = python_program();
  const char* const arguments[] = {python, "-c", script, format.c_str(), nullptr};
  Finished finished = run_program(arguments, vega_lite);
  // Ctrl-C ends the program as well, which is then no failure of it.
  check_interrupted();
  if (finished.status == 0 && !finished.output.empty()) return std::move(finished.output);
  check_found(finished, format);
  throw Error(ErrorKind::internal, "vl-convert could not draw the chart", "write html instead, and please report it");
}

}  // namespace sightglass::cli
