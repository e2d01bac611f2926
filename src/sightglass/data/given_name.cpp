#include "sightglass/data/given_name.h"

namespace sightglass {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::optional<std::uint32_t> find_given(const Schema& schema, std::string_view name) {
  const auto column = schema.find(name);
  return column ? column : schema.find(trimmed(name));
}

namespace {

constexpr std::string_view blanks = " \t";
constexpr std::string_view escaped = ",\"'\\";

// Where quotes that begin here end; npos where what follows is no end of a name, so that they are letters of it.
std::size_t end_of_quotes(std::string_view text, std::size_t begin) {
  for (std::size_t at = begin + 1; at < text.size(); ++at) {
    if (text[at] == '\\' && at + 1 < text.size() && escaped.find(text[at + 1]) != std::string_view::npos) {
      ++at;
    } else if (text[at] == text[begin]) {
      const std::size_t next = text.find_first_not_of(blanks, at + 1);
      const bool ends =
          next == std::string_view::npos || std::string_view(",:=").find(text[next]) != std::string_view::npos;
      if (ends) return at;
    }
  }
  return std::string_view::npos;
}

}  // namespace

std::vector<std::string> split_list(std::string_view text, Quotes quotes) {
  std::vector<std::string> entries(1);
  bool begins = true;  // an entry, or a part of it
  std::size_t quoted_until = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char letter = text[at];
    if (letter == '\\' && at + 1 < text.size() && escaped.find(text[at + 1]) != std::string_view::npos) {
      entries.back() += text[++at];
      begins = false;
      continue;
    }
    if (at < quoted_until) {
      entries.back() += letter;
      continue;
    }
    if (at == quoted_until && quoted_until > 0) {
      quoted_until = 0;  // the closing one
      if (quotes == Quotes::kept) entries.back() += letter;
      continue;
    }
    if (letter == ',') {
      entries.emplace_back();
      begins = true;
      continue;
    }
    if (begins && (letter == '"' || letter == '\'')) {
      const std::size_t end = end_of_quotes(text, at);
      if (end != std::string_view::npos) {
        quoted_until = end;
        begins = false;
        if (quotes == Quotes::kept) entries.back() += letter;
        continue;
      }
    }
    entries.back() += letter;
    begins = letter == ':' || letter == '=' || (begins && blanks.find(letter) != std::string_view::npos);
  }
  return entries;
}

std::vector<std::string> joined_to_names(std::vector<std::string> entries,
                                         const std::function<bool(std::string_view)>& is_name) {
  std::vector<std::string> joined;
  for (std::size_t first = 0; first < entries.size(); ++first) {
    std::string whole = entries[first];
    for (std::size_t last = first + 1; last < entries.size() && !is_name(entries[first]); ++last) {
      whole += "," + entries[last];
      if (!is_name(whole)) continue;
      entries[first] = std::move(whole);
      entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(first) + 1,
                    entries.begin() + static_cast<std::ptrdiff_t>(last) + 1);
      break;
    }
    joined.push_back(std::move(entries[first]));
  }
  return joined;
}

}  // namespace sightglass
