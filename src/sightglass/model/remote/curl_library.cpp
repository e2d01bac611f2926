#include <dlfcn.h>

#include <cstdlib>
#include <mutex>

#include "sightglass/base/error.h"
#include "sightglass/model/remote/curl_library_internal.h"

namespace sightglass {

namespace {

Curl load_curl() {
  const std::vector<std::string> candidates = curl_candidates();
  void* library = nullptr;
  std::string reasons = "tried:";
  for (const std::string& name : candidates) {
    // Never closed: its threads that look up hosts may still run while the process ends.
    library = dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (library != nullptr) break;
    const char* reason = dlerror();
    reasons += "\n  " + std::string(reason == nullptr ? name.c_str() : reason);
  }
  if (library == nullptr) {
    throw Error(ErrorKind::model, "libcurl, which asks models behind http, was not found on this machine",
                "install it (Debian, Ubuntu: apt install libcurl4; Fedora: dnf install libcurl), or set "
                "SIGHTGLASS_LIBCURL to the path of libcurl.so.4",
                std::move(reasons));
  }
  Curl functions;
  std::string missing;
#define SIGHTGLASS_LOOK_UP(name)                                                                           \
  functions.name = reinterpret_cast<decltype(functions.name)>(dlsym(library, "curl_" #name)); /* NOLINT */ \
  if (functions.name == nullptr && missing.empty()) missing = "curl_" #name;
  SIGHTGLASS_CURL_FUNCTIONS(SIGHTGLASS_LOOK_UP)
#undef SIGHTGLASS_LOOK_UP
  if (!missing.empty())
    throw Error(ErrorKind::model, "the libcurl of this machine lacks " + missing, "libcurl 7.66 or newer is needed");
  if (functions.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
    throw Error(ErrorKind::model, "libcurl cannot be started", "is its TLS library installed?");
  return functions;
}

}  // namespace

std::vector<std::string> curl_candidates() {
  if (const char* wanted = std::getenv("SIGHTGLASS_LIBCURL"); wanted != nullptr && *wanted != '\0') return {wanted};
  // The same interface over OpenSSL, GnuTLS and NSS; which of them is there depends on the distribution.
  return {"libcurl.so.4", "libcurl-gnutls.so.4", "libcurl-nss.so.4"};
}

const Curl& curl() {
  // Not a static initialised by load_curl(): a failed load must be tried again, and say so again.
  static std::mutex mutex;
  static Curl functions;
  static bool loaded = false;
  const std::lock_guard lock(mutex);
  if (!loaded) {
    functions = load_curl();
    loaded = true;
  }
  return functions;
}

}  // namespace sightglass
