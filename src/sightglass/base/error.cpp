#include "sightglass/base/error.h"

#include <cstdint>
#include <utility>

#include "sightglass/base/utf8.h"

namespace sightglass {

namespace {

std::string one_line(const std::string& message, const std::string& advice) {
  return advice.empty() ? message : message + "; " + advice;
}

// Control characters, also the second set that some terminals obey, line separators, and marks that turn the
// direction of text around.
bool is_control(std::string_view character) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(character[i]); };
  if (character.size() == 1) return byte(0) < 0x20 || byte(0) == 0x7F;
  if (character.size() == 2) return byte(0) == 0xC2 && byte(1) < 0xA0;
  if (character.size() != 3 || byte(0) != 0xE2) return false;
  return (byte(1) == 0x80 && byte(2) >= 0xA8 && byte(2) <= 0xAE) ||
         (byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9);
}

}  // namespace

std::string_view to_string(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage: return "usage";
    case ErrorKind::data: return "data";
    case ErrorKind::model: return "model";
    case ErrorKind::prediction: return "prediction";
    case ErrorKind::output: return "output";
    case ErrorKind::internal: return "internal";
  }
  return "internal";
}

int exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage: return 2;
    case ErrorKind::data: return 3;
    case ErrorKind::model: return 4;
    case ErrorKind::prediction: return 5;
    case ErrorKind::output: return 6;
    case ErrorKind::internal: return 70;
  }
  return 70;
}

Error::Error(ErrorKind kind, std::string message, std::string advice, std::string detail)
    : std::runtime_error(one_line(message, advice)),
      kind_(kind),
      message_(std::move(message)),
      advice_(std::move(advice)),
      detail_(std::move(detail)) {}

std::string printable(std::string_view text, std::size_t limit) {
  std::string clean;
  while (!text.empty() && clean.size() <= 2 * limit) {
    const std::size_t length = utf8_length(text);
    const bool control = is_control(text.substr(0, length));
    if (length == 0 || control) {
      clean += text[0] == '\n' || text[0] == '\t' || text[0] == '\r' ? " " : "\xEF\xBF\xBD";
    } else {
      clean += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  if (clean.size() <= limit && text.empty()) return clean;
  std::size_t cut = limit > 3 ? limit - 3 : 0;
  while (cut > 0 && cut < clean.size() && (static_cast<std::uint8_t>(clean[cut]) & 0xC0) == 0x80) --cut;
  return clean.substr(0, cut) + "…";
}

}  // namespace sightglass
