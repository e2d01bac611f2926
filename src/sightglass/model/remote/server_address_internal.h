// Where a server is: http:// or https://, a host, perhaps a port and a path, and nothing that could be a secret.
#pragma once

#include <string>
#include <string_view>

namespace sightglass {

struct ServerAddress {
  std::string origin;  // http://127.0.0.1:8080
  std::string path;    // /v2/models/bike; empty, or begins with a slash and does not end with one
  bool secure = false;
  bool loopback = false;  // this machine

  [[nodiscard]] std::string url() const { return origin + path; }
};

[[nodiscard]] bool is_server_address(std::string_view location);

// Throws Error(usage) that says what is wrong, without what may be a password.
[[nodiscard]] ServerAddress parse_server_address(std::string_view location);

// The address without user, password, query and fragment, whatever else it is.
[[nodiscard]] std::string shown_server(std::string_view location);

}  // namespace sightglass
