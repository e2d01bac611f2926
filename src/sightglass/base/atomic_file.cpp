#include "sightglass/base/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "sightglass/base/error.h"
#include "sightglass/base/random.h"
#include "sightglass/base/shown_path.h"

namespace sightglass {

namespace {

constexpr std::size_t buffer_size = std::size_t{1} << 16;

// Read by a signal handler: plain memory that never moves.
char unfinished[PATH_MAX];
std::atomic<bool> has_unfinished{false};

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// A link keeps pointing where it points: what it points to is replaced.
std::string resolve(const std::string& path) {
  char resolved[PATH_MAX];
  return realpath(path.c_str(), resolved) != nullptr ? resolved : path;
}

}  // namespace

AtomicFile::AtomicFile(std::string path) : path_(resolve(path)), shown_(shown_path(path)) {
  struct stat status{};
  const bool exists = ::stat(path_.c_str(), &status) == 0;
  const mode_t mode = status.st_mode;
  struct stat link{};
  if (!exists && ::lstat(path_.c_str(), &link) == 0 && S_ISLNK(link.st_mode)) {
    throw Error(ErrorKind::output, "cannot write " + shown_ + ": it is a link to nothing",
                "remove the link, or name a file");
  }
  if (exists && S_ISDIR(status.st_mode)) {
    throw Error(ErrorKind::output, "cannot write " + shown_ + ": it is a folder", "name a file");
  }
  if (exists && !S_ISREG(status.st_mode)) {
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail("open");
    return;
  }
  const std::string folder = folder_of(path_);
  if (::stat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) {
    throw Error(ErrorKind::output, "cannot write " + shown_ + ": there is no folder " + shown_path(folder_of(path)),
                "create it first");
  }
  // A name of our own rather than the target's: that one may already be as long as names can be. Not mkstemp,
  // which would let only us read the file.
  for (int attempt = 0; descriptor_ < 0; ++attempt) {
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    const std::uint64_t name = random_bits(static_cast<std::uint64_t>(::getpid()), static_cast<std::uint64_t>(now), 0);
    temporary_ = folder + "/.sightglass-" + std::to_string(name);
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && (errno != EEXIST || attempt > 100)) {
      temporary_.clear();
      fail("create a file beside");
    }
  }
  // What replaces a file keeps its permissions.
  if (exists) ::fchmod(descriptor_, mode & 07777);
  if (temporary_.size() < sizeof unfinished) {
    std::memcpy(unfinished, temporary_.c_str(), temporary_.size() + 1);
    has_unfinished = true;
  }
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) {
    ::unlink(temporary_.c_str());
    has_unfinished = false;
  }
}

void AtomicFile::fail(const char* what) {
  throw Error(ErrorKind::output, "cannot " + std::string(what) + " " + shown_ + ": " + std::strerror(errno),
              errno == ENOSPC ? "make room, or write elsewhere" : "choose another place");
}

void AtomicFile::flush() {
  std::string_view left = buffer_;
  while (!left.empty()) {
    const ssize_t written = ::write(descriptor_, left.data(), left.size());
    if (written < 0 && errno != EINTR) fail("write");
    if (written > 0) left.remove_prefix(static_cast<std::size_t>(written));
  }
  buffer_.clear();
}

void AtomicFile::write(std::string_view bytes) {
  buffer_ += bytes;
  if (buffer_.size() >= buffer_size) flush();
}

void AtomicFile::finish() {
  flush();
  if (!temporary_.empty() && ::fsync(descriptor_) != 0) fail("write");
}

void AtomicFile::commit() {
  finish();
  const int closed = ::close(descriptor_);
  descriptor_ = -1;
  if (closed != 0) fail("write");
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail("write");
  temporary_.clear();
  has_unfinished = false;
  // The name is in the folder's own data, which must reach the disk too.
  const int folder = ::open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    ::fsync(folder);
    ::close(folder);
  }
}

void write_file(const std::string& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

void remove_unfinished_file() noexcept {
  if (has_unfinished) ::unlink(unfinished);
}

}  // namespace sightglass
