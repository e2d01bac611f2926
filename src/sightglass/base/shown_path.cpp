#include "sightglass/base/shown_path.h"

#include <algorithm>

#include "sightglass/base/error.h"

namespace sightglass {

std::string shown_path(std::string_view path) {
  if (path.starts_with('/')) {
    const std::size_t end = path.find_last_not_of('/');
    path = path.substr(0, end == std::string_view::npos ? 1 : end + 1);
    if (path.size() > 1) return "…/" + shown_path(path.substr(path.rfind('/') + 1));
  }
  // The end of a long path tells more than its beginning.
  constexpr std::size_t longest = 120;
  return path.size() <= longest ? printable(path) : "…" + printable(path.substr(path.size() - longest + 3));
}

std::string without_folders(std::string_view text) {
  constexpr std::string_view ends = " \t\r\n\"'`:;,=()[]{}<>|&";
  std::string shown;
  std::size_t at = 0;
  while (at < text.size()) {
    const bool starts = text[at] == '/' && (at == 0 || ends.find(text[at - 1]) != std::string_view::npos);
    const std::size_t end = starts ? std::min(text.find_first_of(ends, at), text.size()) : at + 1;
    const std::string_view word = text.substr(at, end - at);
    // "//" starts what follows "http:".
    const bool path = starts && !word.starts_with("//") && word.find('/', 1) != std::string_view::npos;
    shown += path ? "…/" + std::string(word.substr(word.find_last_of('/') + 1)) : std::string(word);
    at = end;
  }
  return shown;
}

}  // namespace sightglass
