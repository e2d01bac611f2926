// libcurl's C functions, loaded when the first model behind http is opened, from the system: it brings the system's
// certificates and its updates, and programs that ask no server need neither.
#pragma once

// Options of old versions serve all of them.
#define CURL_DISABLE_DEPRECATION
#include <curl/curl.h>

#include <string>
#include <vector>

namespace sightglass {

// Every function that is called, without its prefix.
#define SIGHTGLASS_CURL_FUNCTIONS(X) \
  X(global_init)                     \
  X(easy_init)                       \
  X(easy_setopt)                     \
  X(easy_getinfo)                    \
  X(easy_cleanup)                    \
  X(easy_strerror)                   \
  X(slist_append)                    \
  X(slist_free_all)                  \
  X(multi_init)                      \
  X(multi_setopt)                    \
  X(multi_add_handle)                \
  X(multi_remove_handle)             \
  X(multi_perform)                   \
  X(multi_poll)                      \
  X(multi_info_read)                 \
  X(multi_cleanup)

struct Curl {
#define SIGHTGLASS_DECLARE(name) decltype(&::curl_##name) name = nullptr;
  SIGHTGLASS_CURL_FUNCTIONS(SIGHTGLASS_DECLARE)
#undef SIGHTGLASS_DECLARE
};

// Loads the library on first use; any thread. Throws Error(model) that says what was looked for.
[[nodiscard]] const Curl& curl();

// Names and paths to try, best first: the environment variable SIGHTGLASS_LIBCURL alone if it is set.
[[nodiscard]] std::vector<std::string> curl_candidates();

}  // namespace sightglass
