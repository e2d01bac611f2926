#include "sightglass/base/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "sightglass/base/shown_path.h"

namespace sightglass {

std::string read_input_file(const std::string& path, std::uint64_t largest, ErrorKind kind, const std::string& advice) {
  const auto fail = [&](const std::string& what) { throw Error(kind, shown_path(path) + ": " + what, advice); };
  // Not blocking: a FIFO without a writer would otherwise hang in open.
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    fail(errno == ENOENT ? "there is no such file" : std::string("cannot be opened: ") + std::strerror(errno));
  struct Closer {
    int file;
    ~Closer() { ::close(file); }
  } closer{file};
  struct stat info{};
  if (::fstat(file, &info) != 0) fail(std::string("cannot be read: ") + std::strerror(errno));
  if (S_ISDIR(info.st_mode)) fail("is a directory");
  if (!S_ISREG(info.st_mode)) fail("is not a regular file");
  if (static_cast<std::uint64_t>(info.st_size) > largest)
    fail("is larger than " + std::to_string(largest >> 20) + " MB");
  std::string content;
  content.resize(static_cast<std::size_t>(info.st_size));
  std::size_t filled = 0;
  while (filled < content.size()) {
    const ssize_t got = ::read(file, content.data() + filled, content.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(std::string("cannot be read: ") + std::strerror(errno));
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  content.resize(filled);
  return content;
}

}  // namespace sightglass
