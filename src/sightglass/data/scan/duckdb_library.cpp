#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <mutex>

#include "sightglass/base/error.h"
#include "sightglass/data/scan/duckdb_library_internal.h"

namespace sightglass {

namespace {

namespace fs = std::filesystem;

// The folder of the program or shared object that this code was linked into.
fs::path own_folder() {
  std::error_code failed;
  Dl_info info{};
  static const char anchor = 0;
  fs::path binary;
  // A program found through PATH is known to the loader only by its bare name.
  if (dladdr(&anchor, &info) != 0 && info.dli_fname != nullptr && fs::path(info.dli_fname).has_parent_path()) {
    binary = fs::canonical(info.dli_fname, failed);
  }
  if (binary.empty() || failed) binary = fs::read_symlink("/proc/self/exe", failed);
  return failed ? fs::path() : binary.parent_path();
}

DuckDb load_from(const std::string& path) {
  // Never closed: DuckDB's threads may still run while the process ends. Of its functions few are called, so they are
  // looked up when they are: half of the time of loading it.
  void* library = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = dlerror();
    throw Error(ErrorKind::data, "cannot load DuckDB from " + printable(path),
                "set SIGHTGLASS_DUCKDB to a working libduckdb.so", reason == nullptr ? "" : reason);
  }
  DuckDb functions;
  std::string missing;
#define SIGHTGLASS_LOOK_UP(name)                                                                             \
  functions.name = reinterpret_cast<decltype(functions.name)>(dlsym(library, "duckdb_" #name)); /* NOLINT */ \
  if (functions.name == nullptr && missing.empty()) missing = "duckdb_" #name;
  SIGHTGLASS_DUCKDB_FUNCTIONS(SIGHTGLASS_LOOK_UP)
#undef SIGHTGLASS_LOOK_UP
  if (!missing.empty()) {
    throw Error(ErrorKind::data, "the DuckDB library " + printable(path) + " lacks " + missing,
                "use DuckDB 1.4 or newer");
  }
  return functions;
}

DuckDb load() {
  const std::vector<std::string> candidates = duckdb_candidates();
  for (const std::string& path : candidates) {
    std::error_code ignored;
    if (fs::exists(path, ignored)) return load_from(path);
  }
  std::string detail = "looked for:";
  for (const std::string& path : candidates) detail += "\n  " + path;
  throw Error(ErrorKind::data, "DuckDB's library, which reads data files, was not found",
              "set SIGHTGLASS_DUCKDB to the path of libduckdb.so", std::move(detail));
}

}  // namespace

std::vector<std::string> duckdb_candidates() {
  std::error_code failed;
  if (const char* wanted = std::getenv("SIGHTGLASS_DUCKDB"); wanted != nullptr && *wanted != '\0') {
    // Absolute, because dlopen looks for a bare name in the system's folders.
    const fs::path path = fs::absolute(wanted, failed);
    return {failed ? std::string(wanted) : path.string()};
  }
  std::vector<std::string> candidates;
  const fs::path folder = own_folder();
  if (!folder.empty()) {
    for (const char* place :
         {"libduckdb.so", "_lib/libduckdb.so", "../_lib/libduckdb.so", "../lib/sightglass/libduckdb.so"}) {
      candidates.push_back((folder / place).lexically_normal().string());
    }
  }
#ifdef SIGHTGLASS_DUCKDB_INSTALLED
  // For programs that link the installed library and live elsewhere.
  candidates.emplace_back(SIGHTGLASS_DUCKDB_INSTALLED);
#endif
#ifdef SIGHTGLASS_DUCKDB_PATH
  candidates.emplace_back(SIGHTGLASS_DUCKDB_PATH);
#endif
  return candidates;
}

const DuckDb& duckdb() {
  // Not a static initialised by load(): a failed load must be tried again, and say so again.
  static std::mutex mutex;
  static DuckDb functions;
  static bool loaded = false;
  const std::lock_guard lock(mutex);
  if (!loaded) {
    functions = load();
    loaded = true;
  }
  return functions;
}

}  // namespace sightglass
