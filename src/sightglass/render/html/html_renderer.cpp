#include "sightglass/render/html/html_renderer.h"

#include "sightglass/base/deflate.h"
#include "sightglass/base/error.h"
#include "sightglass/render/html/payload_internal.h"
#include "sightglass/result/json.h"

// page.html, put into the library by the assembler (cmake/page.S.in).
extern "C" {
extern const char sightglass_page_begin[];
extern const char sightglass_page_end[];
}

namespace sightglass {

namespace {

constexpr std::size_t most_plain = std::size_t{256} * 1024;  // bytes of data that stay readable in the file

// Inside a script element nothing but its end tag is special; without these characters there is none, and no
// comment either. They only occur inside JSON strings, where the escape means the same.
std::string escaped_json(std::string_view json) {
  std::string out;
  out.reserve(json.size() + json.size() / 16);
  for (std::size_t i = 0; i < json.size(); ++i) {
    switch (json[i]) {
      case '<': out += "\\u003c"; break;
      case '>': out += "\\u003e"; break;
      case '&': out += "\\u0026"; break;
      case '\xE2':
        // U+2028 and U+2029 end a line for some readers of scripts.
        if (json.substr(i, 3) == "\xE2\x80\xA8" || json.substr(i, 3) == "\xE2\x80\xA9") {
          out += json[i + 2] == '\xA8' ? "\\u2028" : "\\u2029";
          i += 2;
        } else {
          out += json[i];
        }
        break;
      default: out += json[i];
    }
  }
  return out;
}

std::string escaped_html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

// The page's text before and after a mark.
std::pair<std::string_view, std::string_view> cut(std::string_view page, std::string_view mark) {
  const auto at = page.find(mark);
  if (at == std::string_view::npos) throw Error(ErrorKind::internal, "the embedded page lacks " + std::string(mark));
  return {page.substr(0, at), page.substr(at + mark.size())};
}

// Large reports are mostly numbers and words that come again and again: packed they take a quarter. The page's script
// tells the two apart by the first letter (web/src/read.ts).
std::string page_data(const Value& payload) {
  const std::string json = to_json(payload);
  return json.size() <= most_plain ? escaped_json(json) : base64(deflated(json));
}

}  // namespace

std::string page_of(const Value& payload) {
  const std::string_view page(sightglass_page_begin,
                              static_cast<std::size_t>(sightglass_page_end - sightglass_page_begin));
  const auto [head, rest] = cut(page, "@@sightglass-title@@");
  const auto [middle, tail] = cut(rest, "@@sightglass-data@@");
  std::string out(head);
  out += escaped_html(payload.find("title")->as_string());
  out += middle;
  out += page_data(payload);
  out += tail;
  return out;
}

std::string render_html(const std::vector<Result>& results, std::string_view title) {
  return page_of(page_payload(results, title));
}

}  // namespace sightglass
