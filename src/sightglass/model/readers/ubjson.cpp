#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "sightglass/base/utf8.h"
#include "sightglass/model/readers/ubjson_internal.h"

namespace sightglass {

namespace {

// A model of XGBoost has about ten levels.
constexpr int deepest = 100;
// What the JSON parser takes, and some room for the item that goes beyond.
constexpr std::size_t longest = (std::size_t{1} << 32) - (std::size_t{1} << 26);

class Transcoder {
 public:
  Transcoder(std::string_view content, const JsonBlame& blame) : content_(content), blame_(blame) {}

  std::string run() {
    value(marker(), 0);
    while (at_ < content_.size() && content_[at_] == 'N') ++at_;
    if (at_ != content_.size()) fail(at_, "more bytes follow where the document ends");
    return std::move(json_);
  }

 private:
  [[noreturn]] void fail(std::size_t at, const std::string& what) const {
    blame_.fail("not valid UBJ, cut off or damaged: byte " + std::to_string(at) + ": " + what);
  }

  [[nodiscard]] std::size_t left() const { return content_.size() - at_; }

  std::string_view take(std::size_t size) {
    if (size > left()) {
      fail(at_, std::to_string(size) + " bytes should follow, " + std::to_string(left()) + " do");
    }
    const std::string_view bytes = content_.substr(at_, size);
    at_ += size;
    return bytes;
  }

  // The next byte that says what follows; 'N' says nothing and may stand before any other.
  char marker() {
    char type = 'N';
    while (type == 'N') type = take(1).front();
    return type;
  }

  template <class T>
  T number() {
    using Bits =
        std::conditional_t<sizeof(T) == 1, std::uint8_t,
                           std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                              std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;
    Bits bits = 0;
    for (const char byte : take(sizeof(T))) {
      bits = static_cast<Bits>((static_cast<std::uint64_t>(bits) << 8) | static_cast<unsigned char>(byte));
    }
    return std::bit_cast<T>(bits);
  }

  // Of text or of a list.
  std::size_t length(char type) {
    const std::size_t from = at_ - 1;
    std::int64_t count = 0;
    switch (type) {
      case 'i': count = int{number<std::int8_t>()}; break;
      case 'U': count = number<std::uint8_t>(); break;
      case 'I': count = number<std::int16_t>(); break;
      case 'l': count = number<std::int32_t>(); break;
      case 'L': count = number<std::int64_t>(); break;
      default: fail(from, "expected a length");
    }
    if (count < 0) fail(from, "a length of " + std::to_string(count));
    return static_cast<std::size_t>(count);
  }

  template <class T>
  void write(T value) {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(value)) {
        json_ += "NaN";
        return;
      }
      if (std::isinf(value)) {
        json_ += value > 0 ? "Infinity" : "-Infinity";
        return;
      }
    }
    char text[40];
    const std::string_view digits(text, std::to_chars(text, text + sizeof text, value).ptr);
    json_ += digits;
    // To JSON's readers -0 is a whole number, which has no sign, and 2^64 one too large.
    if (std::is_floating_point_v<T> && digits.find_first_of(".e") == std::string_view::npos) json_ += ".0";
  }

  void write_text(std::string_view text, std::size_t from) {
    const std::size_t bad = find_invalid_utf8(text);
    if (bad != text.size()) fail(from + bad, "text that is not UTF-8");
    json_ += '"';
    for (const char letter : text) {
      if (letter == '"' || letter == '\\') {
        json_ += '\\';
        json_ += letter;
      } else if (static_cast<unsigned char>(letter) < 0x20) {
        constexpr char digits[] = "0123456789abcdef";
        json_ += "\\u00";
        json_ += digits[static_cast<unsigned char>(letter) >> 4];
        json_ += digits[static_cast<unsigned char>(letter) & 15];
      } else {
        json_ += letter;
      }
    }
    json_ += '"';
  }

  void text(char length_type) {
    const std::size_t size = length(length_type);
    const std::size_t from = at_;
    write_text(take(size), from);
  }

  void value(char type, int depth) {
    switch (type) {
      case 'Z': json_ += "null"; return;
      case 'T': json_ += "true"; return;
      case 'F': json_ += "false"; return;
      case 'i': write(int{number<std::int8_t>()}); return;
      case 'U': write(int{number<std::uint8_t>()}); return;
      case 'I': write(int{number<std::int16_t>()}); return;
      case 'l': write(number<std::int32_t>()); return;
      case 'L': write(number<std::int64_t>()); return;
      case 'd': write(number<float>()); return;
      case 'D': write(number<double>()); return;
      case 'C': {
        const std::size_t from = at_;
        write_text(take(1), from);
        return;
      }
      case 'S': text(marker()); return;
      case '[': container(']', depth + 1); return;
      case '{': container('}', depth + 1); return;
      case 'H': fail(at_ - 1, "a number of any precision, which XGBoost does not write");
      default: fail(at_ - 1, "no type is called " + printable(std::string_view(&type, 1)));
    }
  }

  // What a list or an object says about itself in front: its items' type, their number, both or neither.
  void container(char end, int depth) {
    if (depth > deepest) fail(at_ - 1, "lists and objects are nested too deeply");
    const std::size_t from = at_ - 1;
    char first = marker();
    char type = 0;
    if (first == '$') {
      type = take(1).front();
      // Items of no bytes would let a short file ask for any amount of text.
      if (type == 'Z' || type == 'T' || type == 'F' || type == 'N') fail(from, "a list of a type without values");
      first = marker();
      if (first != '#') fail(at_ - 1, "a type of items without their number");
    }
    const bool counted = first == '#';
    std::size_t count = 0;
    if (counted) {
      count = length(marker());
      // An item takes a byte at least.
      if (count > left()) fail(from, std::to_string(count) + " items in " + std::to_string(left()) + " bytes");
    }
    json_ += end == ']' ? '[' : '{';
    for (std::size_t i = 0; !counted || i < count; ++i) {
      if (json_.size() > longest) fail(from, "the model is too large: as text it would be over 4 GB");
      // An item that names its type, or a key that starts with its length; a typed list has neither.
      const bool marked = end == '}' || type == 0;
      const char next = !marked ? type : (i == 0 && !counted ? first : marker());
      if (!counted && next == end) break;
      if (i > 0) json_ += ',';
      if (end == ']') {
        value(next, depth);
      } else {
        text(next);
        json_ += ':';
        value(type != 0 ? type : marker(), depth);
      }
    }
    json_ += end;
  }

  std::string_view content_;
  const JsonBlame& blame_;
  std::size_t at_ = 0;
  std::string json_;
};

}  // namespace

bool is_ubjson(std::string_view content) {
  // In JSON a quote, a brace or white space follows the brace; none of these is among the letters here.
  constexpr std::string_view after_brace = "iUIlL$#N";
  return content.size() > 1 && content[0] == '{' && after_brace.find(content[1]) != std::string_view::npos;
}

std::string ubjson_to_json(std::string_view content, const JsonBlame& blame) {
  return Transcoder(content, blame).run();
}

}  // namespace sightglass
