#include "sightglass/base/text.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace sightglass {

namespace {

struct Keyword {
  std::string_view word;
  Reference::Kind kind;
  Reference::Noun noun;
  std::string_view spoken;  // before the name, where nobody spells it otherwise
};
constexpr Keyword keywords[] = {
    {"option", Reference::Kind::option, Reference::Noun::none, ""},
    {"Option", Reference::Kind::option, Reference::Noun::option, "option "},
    {"the option", Reference::Kind::option, Reference::Noun::the_option, "the option "},
    {"argument", Reference::Kind::argument, Reference::Noun::none, ""},
    {"method", Reference::Kind::method, Reference::Noun::none, ""},
    {"feature", Reference::Kind::feature, Reference::Noun::none, ""},
};

const Keyword& keyword_of(const Reference& reference) {
  for (const Keyword& keyword : keywords) {
    if (keyword.kind == reference.kind && keyword.noun == reference.noun) return keyword;
  }
  return keywords[std::size(keywords) - 1];
}

bool is_name(std::string_view text) {
  return !text.empty() && text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") == std::string_view::npos;
}

constexpr std::string_view not_in_names = "{}|%";

// Features may have any name.
std::string encoded(std::string_view name) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string text;
  for (const char c : name) {
    if (not_in_names.find(c) == std::string_view::npos) {
      text += c;
    } else {
      text += {'%', digits[static_cast<unsigned char>(c) / 16], digits[static_cast<unsigned char>(c) % 16]};
    }
  }
  return text;
}

std::optional<std::string> decoded(std::string_view text) {
  std::string name;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      name += text[at];
      continue;
    }
    const auto* const found = std::find_if(not_in_names.begin(), not_in_names.end(), [&](char c) {
      return encoded(std::string_view(&c, 1)) == text.substr(at, 3);
    });
    if (found == not_in_names.end()) return std::nullopt;
    name += *found;
    at += 2;
  }
  return name;
}

// "option:sample", "the option:ice.center", "option:bins|bins": what stands between braces.
std::optional<Reference> read_reference(std::string_view text) {
  for (const Keyword& keyword : keywords) {
    if (!text.starts_with(keyword.word) || text.substr(keyword.word.size(), 1) != ":") continue;
    text.remove_prefix(keyword.word.size() + 1);
    Reference reference{.kind = keyword.kind, .name = {}, .method = {}, .words = {}, .noun = keyword.noun};
    const std::size_t bar = std::min(text.find('|'), text.size());
    if (bar < text.size()) reference.words = text.substr(bar + 1);
    text = text.substr(0, bar);
    if (keyword.kind == Reference::Kind::feature) {
      const auto name = decoded(text);
      if (!name || name->empty()) return std::nullopt;
      reference.name = *name;
      return reference;
    }
    if (const std::size_t point = text.find('.'); point != std::string_view::npos) {
      reference.method = text.substr(0, point);
      text.remove_prefix(point + 1);
      if (!is_name(reference.method)) return std::nullopt;
    }
    if (!is_name(text)) return std::nullopt;
    reference.name = text;
    return reference;
  }
  return std::nullopt;
}

std::string written(const Reference& reference) {
  std::string text = "{" + std::string(keyword_of(reference).word) + ":";
  if (!reference.method.empty()) text += reference.method + ".";
  text += reference.kind == Reference::Kind::feature ? encoded(reference.name) : reference.name;
  if (!reference.words.empty()) text += "|" + reference.words;
  return text + "}";
}

// A piece of plain text, or a reference, at a place of the markup; moves the place behind it.
struct Piece {
  std::string plain;
  std::optional<Reference> reference;
};
Piece next_piece(std::string_view markup, std::size_t& at) {
  if (markup[at] == '{') {
    if (markup.substr(at, 2) == "{{") {
      at += 2;
      return {"{", std::nullopt};
    }
    const std::size_t end = markup.find('}', at);
    if (end != std::string_view::npos) {
      if (auto reference = read_reference(markup.substr(at + 1, end - at - 1))) {
        at = end + 1;
        return {"", std::move(reference)};
      }
    }
    ++at;
    return {"{", std::nullopt};
  }
  const std::size_t end = std::min(markup.find('{', at), markup.size());
  Piece piece{std::string(markup.substr(at, end - at)), std::nullopt};
  at = end;
  return piece;
}

std::string neutral(const Reference& reference) {
  if (!reference.words.empty()) return reference.words;
  return std::string(keyword_of(reference).spoken) + reference.name;
}

}  // namespace

Text::Text(std::string_view plain) {
  for (const char c : plain) markup_.append(c == '{' ? 2 : 1, c);
}

Text Text::from_markup(std::string_view markup) {
  Text text;
  for (std::size_t at = 0; at < markup.size();) {
    const Piece piece = next_piece(markup, at);
    if (piece.reference) {
      text.markup_ += written(*piece.reference);
    } else {
      text += Text(piece.plain);
    }
  }
  return text;
}

std::vector<Reference> Text::references() const {
  std::vector<Reference> found;
  for (std::size_t at = 0; at < markup_.size();) {
    if (auto piece = next_piece(markup_, at); piece.reference) found.push_back(std::move(*piece.reference));
  }
  return found;
}

bool Text::starts_with_reference() const {
  std::size_t at = 0;
  return !markup_.empty() && next_piece(markup_, at).reference.has_value();
}

std::string Text::plain() const {
  std::string words;
  for (std::size_t at = 0; at < markup_.size();) {
    const Piece piece = next_piece(markup_, at);
    words += piece.reference ? neutral(*piece.reference) : piece.plain;
  }
  return words;
}

Text Text::spelled(const Speller& speller) const {
  Text text;
  for (std::size_t at = 0; at < markup_.size();) {
    Piece piece = next_piece(markup_, at);
    if (!piece.reference) {
      text += Text(piece.plain);
      continue;
    }
    if (piece.reference->words.empty() && piece.reference->kind != Reference::Kind::feature)
      piece.reference->words = speller(*piece.reference);
    text.markup_ += written(*piece.reference);
  }
  return text;
}

Text Text::without_end(const Text& end) const {
  Text text;
  text.markup_ = markup_.substr(0, markup_.size() - std::min(end.markup_.size(), markup_.size()));
  return text;
}

Text& Text::operator+=(const Text& more) {
  markup_ += more.markup_;
  return *this;
}

Text option_text(std::string_view name) { return Text::from_markup("{Option:" + std::string(name) + "}"); }

Text option_name(std::string_view name) { return Text::from_markup("{option:" + std::string(name) + "}"); }

Text feature_name(std::string_view name) {
  return name.empty() ? Text() : Text::from_markup("{feature:" + encoded(name) + "}");
}

}  // namespace sightglass
