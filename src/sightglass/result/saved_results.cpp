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
#include <set>
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

[[noreturn]] void throw_no_result(const fs::path& path) {
  throw Error(ErrorKind::output, "cannot write " + shown_path(path.string()) + ": what is there is no saved result",
              "choose another folder");
}

// Whether it begins as JSON does: what somebody else has put there is usually whole.
bool is_json(const std::string& path) {
  std::error_code unknown;
  if (!fs::is_regular_file(path, unknown)) return false;
  std::ifstream file(path, std::ios::binary);
  const int first = file.get();
  return first == '{' || first == '[';
}

struct Numbered {
  std::set<std::pair<int, std::string>> ours, others;
  [[nodiscard]] bool has(int number) const {
    return std::any_of(ours.begin(), ours.end(), [&](const auto& file) { return file.first == number; });
  }
};

Numbered numbered_files(const std::string& folder) {
  Numbered files;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    std::error_code unknown;
    const auto number = number_of(entry.path().filename().string());
    if (!number) continue;
    const bool ours = entry.is_regular_file(unknown) && is_ours(entry.path());
    (ours ? files.ours : files.others).emplace(*number, entry.path().string());
  }
  return files;
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
    if (fs::exists(path) && (!fs::is_regular_file(path) || !is_ours(path))) throw_no_result(path);
  }
  const Numbered old = numbered_files(folder);
  if (check) check();
  for (const std::string& name : names) {
    fs::rename(workshop.path() / name, fs::path(folder) / name, failed);
    check_done();
  }
  for (const auto& [number, path] : old.ours) {
    if (std::find(names.begin(), names.end(), fs::path(path).filename().string()) != names.end()) continue;
    fs::remove(path, failed);
    check_done();
  }
}

void check_saved_beside(const std::string& folder, const std::string& page) {
  std::error_code unknown;
  const fs::path results = fs::weakly_canonical(fs::absolute(folder), unknown) / "";
  if (!page.empty()) {
    const fs::path file = fs::weakly_canonical(fs::absolute(page), unknown);
    if (file / "" == results)
      throw Error(ErrorKind::usage, "the page and the folder of the results have the same name: " + shown_path(page),
                  "name another file, or another folder");
    if (file.parent_path() / "" == results && number_of(file.filename().string()))
      throw Error(ErrorKind::usage, "the page would replace a saved result: " + shown_path(page), "name another file");
  }
  const fs::path first = results / "01-report.json";
  if (fs::exists(first, unknown) && (!fs::is_regular_file(first, unknown) || !is_ours(first))) throw_no_result(first);
}

std::vector<std::string> saved_results(const std::string& folder) {
  const Numbered files = numbered_files(folder);
  // Whoever copies a report may lose what is in a file, but not its name.
  const int last = files.ours.empty() ? 0 : files.ours.rbegin()->first;
  for (const auto& [number, path] : files.others) {
    const bool missing = number < last && !files.has(number);
    const bool next = last > 0 && number == last + 1;
    if (missing || (next && !is_json(path)))
      throw Error(ErrorKind::data, shown_path(path) + " is no saved result, though the report in its folder lacks one",
                  "if it was damaged, save the report again; if it is something else, move it");
  }
  std::vector<std::string> paths;
  for (const auto& [number, path] : files.ours) paths.push_back(path);
  return paths;
}

}  // namespace sightglass
