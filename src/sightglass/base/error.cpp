#include "sightglass/base/error.h"

#include <cstdint>
#include <utility>

namespace sightglass {

namespace {

std::string one_line(const std::string& message, const std::string& advice) {
  return advice.empty() ? message : message + "; " + advice;
}

// Length of the valid UTF-8 sequence at the start of `text`, or 0; `code` becomes its character.
std::size_t utf8_length(std::string_view text, std::uint32_t& code) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t first = byte(0);
  std::size_t length = 0;
  code = first;
  if (first < 0x80) return 1;
  if ((first & 0xE0) == 0xC0) {
    length = 2;
    code = first & 0x1F;
  } else if ((first & 0xF0) == 0xE0) {
    length = 3;
    code = first & 0x0F;
  } else if ((first & 0xF8) == 0xF0) {
    length = 4;
    code = first & 0x07;
  } else {
    return 0;
  }
  if (text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    code = (code << 6) | (byte(i) & 0x3F);
  }
  const std::uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code < smallest[length] || code > 0x10FFFF || surrogate ? 0 : length;
}

// Would move the cursor, break the line or turn the order of what follows: a terminal obeys these.
bool is_control(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x2028 || code == 0x2029 ||
         (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
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
    std::uint32_t code = 0;
    const std::size_t length = utf8_length(text, code);
    if (length == 0 || is_control(code)) {
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
