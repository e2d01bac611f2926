#include "sightglass/base/error.h"

#include <cstdint>
#include <utility>

#include "sightglass/base/utf8.h"

namespace sightglass {

namespace {

std::string one_line(const std::string& message, const std::string& advice) {
  return advice.empty() ? message : message + "; " + advice;
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

Error::Error(ErrorKind kind, Text message, Text advice, std::string detail)
    : std::runtime_error(one_line(message.plain(), advice.plain())),
      kind_(kind),
      message_(std::move(message)),
      advice_(std::move(advice)),
      detail_(std::move(detail)) {}
Error::Error(const Error&) = default;
Error::~Error() = default;

std::string printable(std::string_view text, std::size_t limit) {
  std::string clean;
  while (!text.empty() && clean.size() <= 2 * limit) {
    std::uint32_t code = 0;
    const std::size_t length = utf8_length(text, &code);
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
