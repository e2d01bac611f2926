#include <algorithm>

#include "sightglass/base/error.h"
#include "sightglass/model/remote/server_address_internal.h"

namespace sightglass {

namespace {

constexpr std::string_view schemes[] = {"http://", "https://"};

std::string_view scheme_of(std::string_view location) {
  for (const std::string_view scheme : schemes) {
    if (location.starts_with(scheme)) return scheme;
  }
  return {};
}

// 127.example may be anybody's.
bool is_loopback(std::string_view host) {
  const bool numbers = host.find_first_not_of("0123456789.") == std::string_view::npos;
  return host == "localhost" || (host.starts_with("127.") && numbers) || host == "[::1]";
}

}  // namespace

bool is_server_address(std::string_view location) { return !scheme_of(location).empty(); }

std::string shown_server(std::string_view location) {
  const std::string_view scheme = scheme_of(location);
  std::string_view rest = location.substr(scheme.size());
  rest = rest.substr(0, rest.find_first_of("?#"));
  const std::string_view authority = rest.substr(0, rest.find('/'));
  // A password may have a slash in it: what stands before the last @ of all is not shown.
  const std::size_t at = rest.find('@') < authority.size() ? authority.rfind('@') : rest.rfind('@');
  if (at != std::string_view::npos) rest.remove_prefix(at + 1);
  while (rest.ends_with('/')) rest.remove_suffix(1);
  return printable(std::string(scheme).append(rest), 200);
}

ServerAddress parse_server_address(std::string_view location) {
  const auto refuse = [&](const std::string& what, const char* advice) {
    throw Error(ErrorKind::usage, shown_server(location) + ": " + what, advice);
  };
  const std::string_view scheme = scheme_of(location);
  const std::string_view rest = location.substr(scheme.size());
  if (rest.find('@') != std::string_view::npos)
    refuse("user and password do not belong into an address",
           "give a token in the environment variable SIGHTGLASS_TOKEN");
  if (rest.find_first_of("?#") != std::string_view::npos)
    refuse("an address ends with its path", "leave ? and # out; give a token in the environment as SIGHTGLASS_TOKEN");
  const bool plain = std::all_of(rest.begin(), rest.end(), [](char c) { return c > ' ' && c < 127 && c != '\\'; });
  if (!plain) refuse("blanks and letters beyond ASCII have no place in an address", "write them as %20 and the like");
  const std::string_view authority = rest.substr(0, rest.find('/'));
  const std::size_t bracket = authority.rfind(']');
  const std::size_t colon = authority.find(':', bracket == std::string_view::npos ? 0 : bracket);
  const std::string_view host = authority.substr(0, colon);
  const std::string_view port = colon == std::string_view::npos ? "" : authority.substr(colon + 1);
  if (host.empty()) refuse("names no host", "for example http://127.0.0.1:8080/v2/models/bike");
  if (colon != std::string_view::npos &&
      (port.empty() || port.find_first_not_of("0123456789") != std::string_view::npos))
    refuse("the port is no number", "for example http://127.0.0.1:8080/v2/models/bike");
  ServerAddress address{.origin = std::string(scheme).append(authority),
                        .path = std::string(rest.substr(authority.size())),
                        .secure = scheme == "https://",
                        .loopback = is_loopback(host)};
  while (address.path.ends_with('/')) address.path.pop_back();
  return address;
}

}  // namespace sightglass
