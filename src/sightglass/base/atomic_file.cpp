#include "sightglass/base/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
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

// The temporary files that exist now. Read by a signal handler: plain memory that never moves.
struct UnfinishedFile {
  std::atomic<bool> taken{false}, named{false};
  char path[PATH_MAX];
};

namespace {

constexpr std::size_t buffer_size = std::size_t{1} << 16;

std::array<UnfinishedFile, 8> unfinished_files;

// Null if there are many: such a file is only removed by its destructor.
UnfinishedFile* remember_unfinished(const std::string& path) {
  if (path.size() >= PATH_MAX) return nullptr;
  for (UnfinishedFile& file : unfinished_files) {
    if (file.taken.exchange(true)) continue;
    std::memcpy(file.path, path.c_str(), path.size() + 1);
    file.named = true;
    return &file;
  }
  return nullptr;
}

void forget_unfinished(UnfinishedFile* file) {
  if (file == nullptr) return;
  file->named = false;
  file->taken = false;
}

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
  if (path.find('\0') != std::string::npos)
    throw Error(ErrorKind::output, "cannot write " + shown_ + ": a zero byte ends a file's name", "name another file");
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
  for (int attempt = 0;; ++attempt) {
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    const std::uint64_t name = random_bits(static_cast<std::uint64_t>(::getpid()), static_cast<std::uint64_t>(now), 0);
    temporary_ = folder + "/.sightglass-" + std::to_string(name);
    // Remembered first: a signal may come as soon as the file is there.
    UnfinishedFile* const remembered = remember_unfinished(temporary_);
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ >= 0) {
      unfinished_ = remembered;
      break;
    }
    const int why = errno;
    forget_unfinished(remembered);
    if (why != EEXIST || attempt > 100) {
      temporary_.clear();
      errno = why;
      fail("create a file beside");
    }
  }
  // What replaces a file keeps its permissions.
  if (exists) ::fchmod(descriptor_, mode & 07777);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) {
    ::unlink(temporary_.c_str());
    forget_unfinished(unfinished_);
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
  forget_unfinished(unfinished_);
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

void remove_unfinished_files() noexcept {
  for (const UnfinishedFile& file : unfinished_files) {
    if (file.named) ::unlink(file.path);
  }
}

}  // namespace sightglass
