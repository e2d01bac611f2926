// The lines of LightGBM's text format, read with every step checked: each error names the file, the line, the tree
// and the key, as in "model.txt: line 17: tree 3, threshold has 4 items, expected 5".
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "sightglass/base/error.h"
#include "sightglass/base/utf8.h"

namespace sightglass {

// Cuts the next word off the text; empty at its end.
inline std::string_view next_word(std::string_view& text, char separator = ' ') {
  const std::size_t first = std::min(text.find_first_not_of(separator), text.size());
  const std::size_t end = std::min(text.find(separator, first), text.size());
  const std::string_view word = text.substr(first, end - first);
  text.remove_prefix(end);
  return word;
}

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number value{};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

class LightgbmLines {
 protected:
  struct Entry {
    std::string_view key;
    std::string_view text;
    std::size_t line = 0;
  };
  static constexpr std::size_t shown = 40;  // characters of the file in an error

  LightgbmLines(std::string_view content, std::string_view where) : where_(where), rest_(content) {}

  [[noreturn]] void fail(std::size_t line, const std::string& what,
                         const Text& advice =
                             "the file is damaged or not LightGBM's own text: save it again "
                             "with booster.save_model('model.txt')") const {
    throw Error(ErrorKind::model, printable(where_) + ": line " + std::to_string(line) + ": " + what, advice);
  }
  // "line 17: tree 3, threshold what".
  [[noreturn]] void fail(const Entry& entry, const std::string& what) const {
    fail(entry.line, spot(printable(entry.key, shown)) + " " + what);
  }
  [[nodiscard]] std::string spot(const std::string& what) const {
    return tree_ ? "tree " + std::to_string(*tree_) + ", " + what : what;
  }

  // The next line that is not empty, without its end; false at the end of the file. line_ is its number.
  bool next_line() {
    while (!rest_.empty()) {
      const std::size_t end = std::min(rest_.find('\n'), rest_.size());
      text_ = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      ++line_;
      if (text_.ends_with('\r')) text_.remove_suffix(1);
      if (!is_utf8(text_)) fail(line_, "text that is not UTF-8");
      if (!text_.empty()) return true;
    }
    return false;
  }

  // A block of entries begins; until leave_tree() errors name the tree.
  void enter_tree(std::size_t number) {
    entries_.clear();
    tree_ = number;
  }
  void leave_tree() { tree_.reset(); }

  // Adds the line key=value to the entries: known keys only, and each once.
  void keep(std::span<const std::string_view> known) {
    const std::size_t equals = text_.find('=');
    if (equals == std::string_view::npos) fail(line_, spot("not key=value: " + printable(text_, shown)));
    const Entry entry{text_.substr(0, equals), text_.substr(equals + 1), line_};
    if (std::find(known.begin(), known.end(), entry.key) == known.end()) {
      fail(
          line_, spot("the key " + printable(entry.key, shown) + " is not known"),
          marked("the file is damaged or of a LightGBM that is newer than this reader; give {argument:model} as exec:… "
                 "or python:… meanwhile"));
    }
    if (find(entry.key) != nullptr) fail(entry, "stands there twice");
    entries_.push_back(entry);
  }
  [[nodiscard]] const Entry* find(std::string_view key) const {
    const auto at =
        std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.key == key; });
    return at == entries_.end() ? nullptr : &*at;
  }
  [[nodiscard]] const Entry& require(std::string_view key) const {
    const Entry* entry = find(key);
    if (entry == nullptr) fail(line_, spot("lacks " + std::string(key)));
    return *entry;
  }

  [[nodiscard]] std::int64_t integer(const Entry& entry, std::int64_t least, std::int64_t most) const {
    const auto value = number_in<std::int64_t>(entry.text);
    if (!value) fail(entry, "is not a whole number: " + printable(entry.text, shown));
    if (*value < least || *value > most) {
      fail(entry,
           "is " + std::to_string(*value) + ", expected " + std::to_string(least) + " to " + std::to_string(most));
    }
    return *value;
  }
  // Exactly `count` numbers.
  [[nodiscard]] std::vector<double> doubles(const Entry& entry, std::size_t count, bool infinite = false) const {
    using Limits = std::numeric_limits<double>;
    const double largest = infinite ? Limits::infinity() : Limits::max();
    return numbers<double>(entry, count, -largest, largest, infinite ? "a number" : "a finite number");
  }
  [[nodiscard]] std::vector<std::int64_t> integers(const Entry& entry, std::size_t count, std::int64_t least,
                                                   std::int64_t most) const {
    return numbers<std::int64_t>(entry, count, least, most,
                                 "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  [[noreturn]] void wrong_count(const Entry& entry, std::size_t count) const {
    fail(entry, "has " + std::to_string(words(entry)) + " items, expected " + std::to_string(count));
  }
  [[nodiscard]] static std::size_t words(const Entry& entry) {
    std::size_t count = 0;
    std::string_view text = entry.text;
    while (!next_word(text).empty()) ++count;
    return count;
  }

  std::string where_;
  std::string_view text_;  // the line
  std::size_t line_ = 0;   // its number

 private:
  template <class Number>
  [[nodiscard]] std::vector<Number> numbers(const Entry& entry, std::size_t count, Number least, Number most,
                                            const std::string& expected) const {
    // A number takes a digit and a blank, so a hostile count costs no more memory than the file.
    if (count > entry.text.size() / 2 + 1) wrong_count(entry, count);
    std::vector<Number> values;
    values.reserve(count);
    std::string_view text = entry.text;
    for (std::string_view word = next_word(text); !word.empty(); word = next_word(text)) {
      if (values.size() == count) wrong_count(entry, count);
      const auto value = number_in<Number>(word);
      // A NaN is within no limits.
      if (!value || !(*value >= least && *value <= most)) {
        fail(entry, "has " + printable(word, shown) + " at position " + std::to_string(values.size()) + ", expected " +
                        expected);
      }
      values.push_back(*value);
    }
    if (values.size() != count) wrong_count(entry, count);
    return values;
  }

  std::string_view rest_;       // of the file, behind text_
  std::vector<Entry> entries_;  // of the header, or of the tree
  std::optional<std::size_t> tree_;
};

}  // namespace sightglass
