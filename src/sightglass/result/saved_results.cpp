#include "sightglass/result/saved_results.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

#include "sightglass/base/atomic_file.h"
#include "sightglass/base/error.h"
#include "sightglass/base/shown_path.h"
#include "sightglass/result/json.h"

namespace sightglass {

namespace fs = std::filesystem;

namespace {

// The number of "03-ale.json"; none: the file is no saved result.
std::optional<int> number_of(const std::string& name) {
  const std::size_t digits = name.find_first_not_of("0123456789");
  if (digits < 2 || digits > 6 || name[digits == std::string::npos ? 0 : digits] != '-' || !name.ends_with(".json"))
    return std::nullopt;
  return std::stoi(name.substr(0, digits));
}

// By its first words: a file of somebody else may be called 05-notes.json.
bool is_ours(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string start(200, '\0');
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  return start.find("sightglass.result/") != std::string::npos;
}

std::atomic<int> workshops{0};

// A folder that is gone at the end, with all that is still in it.
class Workshop {
 public:
  Workshop(const fs::path& folder, std::error_code& failed)
      : made_folder_(fs::create_directories(folder, failed)),
        folder_(folder),
        path_(folder / (".sightglass-" + std::to_string(::getpid()) + "-" + std::to_string(++workshops))) {
    if (!failed) fs::create_directory(path_, failed);
  }
  ~Workshop() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
    if (made_folder_) fs::remove(folder_, ignored);  // only if nothing is in it
  }
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  bool made_folder_;
  fs::path folder_, path_;
};

// Who puts results into a folder has it alone meanwhile: of two reports at once the later one stays, whole. Where a
// file system knows no locks, they go without.
class FolderLock {
 public:
  // check: called while another has it.
  FolderLock(const fs::path& folder, const std::function<void()>& check)
      : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (descriptor_ < 0) return;
    try {
      while (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && (errno == EWOULDBLOCK || errno == EINTR)) {
        if (check) check();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    } catch (...) {
      ::close(descriptor_);
      throw;
    }
  }
  ~FolderLock() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_;
};

}  // namespace

void save_results(const std::vector<Result>& results, const std::string& folder, const std::function<void()>& check) {
  std::error_code failed;
  const auto check_done = [&] {
    if (!failed) return;
    throw Error(ErrorKind::output, "cannot write into the folder " + shown_path(folder) + ": " + failed.message(),
                "choose another place");
  };
  const Workshop workshop(folder, failed);
  check_done();
  std::vector<std::string> names;
  for (const Result& result : results) {
    if (check) check();
    names.push_back(fmt::format("{:02}-{}.json", names.size() + 1, result.method));
    write_file((workshop.path() / names.back()).string(), to_json(result));
  }
  const FolderLock lock(folder, check);
  // Nothing is touched before all of it can be done.
  for (const std::string& name : names) {
    const fs::path path = fs::path(folder) / name;
    if (fs::exists(path) && (!fs::is_regular_file(path) || !is_ours(path)))
      throw Error(ErrorKind::output, "cannot write " + shown_path(path.string()) + ": what is there is no saved result",
                  "choose another folder");
  }
  const std::vector<std::string> old = saved_results(folder);
  if (check) check();
  for (const std::string& name : names) {
    fs::rename(workshop.path() / name, fs::path(folder) / name, failed);
    check_done();
  }
  for (const std::string& path : old) {
    if (std::find(names.begin(), names.end(), fs::path(path).filename().string()) != names.end()) continue;
    fs::remove(path, failed);
    check_done();
  }
}

std::vector<std::string> saved_results(const std::string& folder) {
  std::vector<std::pair<int, std::string>> files;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    std::error_code unknown;
    const auto number = number_of(entry.path().filename().string());
    if (number && entry.is_regular_file(unknown) && is_ours(entry.path()))
      files.emplace_back(*number, entry.path().string());
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> paths;
  for (auto& [number, path] : files) paths.push_back(std::move(path));
  return paths;
}

}  // namespace sightglass
