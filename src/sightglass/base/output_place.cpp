#include "sightglass/base/output_place.h"

#include <sys/stat.h>

#include <filesystem>

#include "sightglass/base/atomic_file.h"
#include "sightglass/base/error.h"
#include "sightglass/base/shown_path.h"

namespace sightglass {

namespace fs = std::filesystem;

void check_output_file(const std::string& path, std::span<const std::string> inputs) {
  struct stat there{};
  const bool exists = ::stat(path.c_str(), &there) == 0;
  for (const std::string& input : inputs) {
    struct stat its{};
    if (exists && ::stat(input.c_str(), &its) == 0 && its.st_dev == there.st_dev && its.st_ino == there.st_ino) {
      throw Error(ErrorKind::usage, "the output would replace an input: " + shown_path(path), "name another file");
    }
  }
  // A pipe is not opened: its reader would take the end of the test for the end of the result.
  if (exists && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode)) return;
  const AtomicFile attempt(path);
}

void check_output_folder(const std::string& path) {
  std::error_code unknown;
  if (fs::exists(path, unknown) && !fs::is_directory(path, unknown)) {
    throw Error(ErrorKind::output, shown_path(path) + " is no folder", "name another");
  }
  // The nearest folder that is there has to take what is made in it.
  fs::path nearest = fs::path(path).lexically_normal();
  if (!nearest.has_filename()) nearest = nearest.parent_path();
  while (!nearest.empty() && !fs::exists(nearest, unknown) && nearest != nearest.parent_path()) {
    nearest = nearest.parent_path();
  }
  if (nearest.empty()) nearest = ".";
  if (!fs::is_directory(nearest, unknown)) {
    throw Error(ErrorKind::output, shown_path(nearest.string()) + " is no folder", "name another");
  }
  try {
    const AtomicFile attempt((nearest / ".sightglass").string());
  } catch (const Error&) {
    throw Error(ErrorKind::output, "cannot write into the folder " + shown_path(path), "choose another place");
  }
}

}  // namespace sightglass
