#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <mutex>

#include "sightglass/base/error.h"
#include "sightglass/model/readers/onnx/onnxruntime_library_internal.h"

namespace sightglass {

namespace {

namespace fs = std::filesystem;

// What is called has been there since this version of the interface (onnxruntime 1.16).
constexpr std::uint32_t interface_version = 16;
constexpr const char* how_to_install =
    "install it: pip install onnxruntime (or 'sightglass[onnx]'), or set SIGHTGLASS_ONNXRUNTIME to libonnxruntime.so";

fs::path folder_of_this_code() {
  std::error_code failed;
  Dl_info info{};
  static const char anchor = 0;
  fs::path binary;
  if (dladdr(&anchor, &info) != 0 && info.dli_fname != nullptr && fs::path(info.dli_fname).has_parent_path()) {
    binary = fs::canonical(info.dli_fname, failed);
  }
  if (binary.empty() || failed) binary = fs::read_symlink("/proc/self/exe", failed);
  return failed ? fs::path() : binary.parent_path();
}

// libonnxruntime.so and libonnxruntime.so.1.31.1 of the Python package in a folder of packages.
void add_package(const fs::path& packages, std::vector<std::string>& candidates) {
  std::error_code failed;
  std::vector<std::string> found;
  for (fs::directory_iterator at(packages / "onnxruntime" / "capi", failed), end; !failed && at != end;
       at.increment(failed)) {
    if (at->path().filename().string().starts_with("libonnxruntime.so")) found.push_back(at->path().string());
  }
  std::sort(found.begin(), found.end());
  candidates.insert(candidates.end(), found.begin(), found.end());
}

// Of a Python whose files are below this folder.
void add_packages_below(const fs::path& prefix, std::vector<std::string>& candidates) {
  std::error_code failed;
  std::vector<fs::path> folders;
  for (fs::directory_iterator at(prefix / "lib", failed), end; !failed && at != end; at.increment(failed)) {
    if (at->path().filename().string().starts_with("python3")) folders.push_back(at->path());
  }
  std::sort(folders.begin(), folders.end());
  for (const fs::path& folder : folders) {
    for (const char* packages : {"site-packages", "dist-packages"}) add_package(folder / packages, candidates);
  }
}

OnnxRuntime load_from(const std::string& path) {
  // Never closed: its threads and allocators may outlive whoever asked.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = dlerror();
    throw Error(ErrorKind::model, "cannot load onnxruntime from " + printable(path), how_to_install,
                reason == nullptr ? "" : reason);
  }
  using GetApiBase = const OrtApiBase* (*)();
  const auto base = reinterpret_cast<GetApiBase>(dlsym(library, "OrtGetApiBase"));  // NOLINT
  if (base == nullptr || base() == nullptr) {
    throw Error(ErrorKind::model, printable(path) + " is not onnxruntime: it lacks OrtGetApiBase", how_to_install);
  }
  OnnxRuntime runtime{.api = base()->GetApi(interface_version), .version = base()->GetVersionString()};
  if (runtime.api == nullptr) {
    throw Error(ErrorKind::model, "onnxruntime " + printable(runtime.version, 40) + " is too old",
                "install onnxruntime 1.16 or newer");
  }
  return runtime;
}

OnnxRuntime load_onnxruntime() {
  const std::vector<std::string> candidates = onnxruntime_candidates();
  for (const std::string& path : candidates) {
    std::error_code ignored;
    if (fs::exists(path, ignored)) return load_from(path);
  }
  std::string detail = "looked for:";
  for (const std::string& path : candidates) detail += "\n  " + path;
  throw Error(ErrorKind::model, "onnxruntime, which runs ONNX models that are no trees, was not found", how_to_install,
              std::move(detail));
}

}  // namespace

std::vector<std::string> onnxruntime_candidates() {
  std::error_code failed;
  if (const char* wanted = std::getenv("SIGHTGLASS_ONNXRUNTIME"); wanted != nullptr && *wanted != '\0') {
    const fs::path path = fs::absolute(wanted, failed);
    return {failed ? std::string(wanted) : path.string()};
  }
  std::vector<std::string> candidates;
  const fs::path folder = folder_of_this_code();
  if (!folder.empty()) {
    // Our module lies in packages/sightglass, our program in packages/sightglass/_bin.
    for (const fs::path& packages : {folder.parent_path(), folder.parent_path().parent_path()}) {
      add_package(packages, candidates);
    }
  }
  if (const char* active = std::getenv("VIRTUAL_ENV"); active != nullptr && *active != '\0') {
    add_packages_below(active, candidates);
  }
  if (const char* search = std::getenv("PATH"); search != nullptr) {
    std::string_view rest = search;
    for (bool more = true; more;) {
      const std::size_t colon = rest.find(':');
      more = colon != std::string_view::npos;
      const fs::path bin = rest.substr(0, colon);
      if (more) rest.remove_prefix(colon + 1);
      if (!bin.is_absolute() || !fs::exists(bin / "python3", failed)) continue;
      add_packages_below(bin.parent_path(), candidates);
      break;
    }
  }
#ifdef SIGHTGLASS_ONNXRUNTIME_PATH
  candidates.emplace_back(SIGHTGLASS_ONNXRUNTIME_PATH);
#endif
  return candidates;
}

const OnnxRuntime& onnxruntime() {
  // Not a static initialised by load_onnxruntime(): a failed load must be tried again, and say so again.
  static std::mutex mutex;
  static OnnxRuntime runtime;
  const std::lock_guard lock(mutex);
  if (runtime.api == nullptr) runtime = load_onnxruntime();
  return runtime;
}

}  // namespace sightglass
