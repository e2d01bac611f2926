#include <algorithm>
#include <charconv>
#include <set>

#include "sightglass/base/error.h"
#include "sightglass/base/utf8.h"
#include "sightglass/data/scan/csv_header_internal.h"

namespace sightglass {

namespace {

constexpr std::string_view delimiters = ",;\t|";
// Enough to tell a delimiter from a comma inside a name or a number.
constexpr std::size_t compared_records = 20;

struct Record {
  std::vector<std::string> fields;
  bool complete = false;  // its line end was seen
};

// Takes one record off the front of `text`.
Record take_record(std::string_view& text, char delimiter) {
  Record record;
  std::string field;
  bool quoted = false;
  bool at_start = true;
  std::size_t at = 0;
  for (; at < text.size() && !record.complete; ++at) {
    const char c = text[at];
    if (quoted) {
      if (c != '"') {
        field += c;
      } else if (at + 1 < text.size() && text[at + 1] == '"') {
        field += '"';
        ++at;
      } else {
        quoted = false;
      }
    } else if (c == '"' && at_start) {
      quoted = true;
      at_start = false;
    } else if (c == delimiter) {
      record.fields.push_back(std::move(field));
      field.clear();
      at_start = true;
    } else if (c == '\n' || c == '\r') {
      if (c == '\r' && at + 1 < text.size() && text[at + 1] == '\n') ++at;
      record.complete = true;
    } else {
      field += c;
      // Spaces may stand before an opening quote.
      if (c != ' ') at_start = false;
      if (c == ' ' && at_start) field.clear();
    }
  }
  record.fields.push_back(std::move(field));
  text.remove_prefix(at);
  return record;
}

struct Guess {
  std::size_t fields = 0;
  std::size_t agreeing = 0;  // records with as many fields as the header
  std::size_t records = 0;
};

Guess try_delimiter(std::string_view text, char delimiter, bool is_whole_file) {
  Guess guess;
  guess.fields = take_record(text, delimiter).fields.size();
  while (!text.empty() && guess.records < compared_records) {
    const Record record = take_record(text, delimiter);
    if (!record.complete && !is_whole_file) break;  // cut off by the size of the head
    if (record.fields.size() == 1 && record.fields[0].empty()) continue;
    ++guess.records;
    guess.agreeing += record.fields.size() == guess.fields ? 1 : 0;
  }
  return guess;
}

char find_delimiter(std::string_view text, bool is_whole_file) {
  char best = ',';
  Guess best_guess{.fields = 1};
  for (const char delimiter : delimiters) {
    const Guess guess = try_delimiter(text, delimiter, is_whole_file);
    if (guess.fields < 2) continue;
    // Cross-multiplied shares of agreeing records; with the same share, more fields are the finer cut.
    const std::size_t mine = guess.agreeing * std::max<std::size_t>(best_guess.records, 1);
    const std::size_t theirs = best_guess.agreeing * std::max<std::size_t>(guess.records, 1);
    if (best_guess.fields < 2 || mine > theirs || (mine == theirs && guess.fields > best_guess.fields)) {
      best = delimiter;
      best_guess = guess;
    }
  }
  return best;
}

bool is_number(std::string_view text) {
  double value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  return !text.empty() && failed == std::errc() && end == text.data() + text.size();
}

// 0, 1, 2, … or 1, 2, 3, …: what is written for a matrix without column names.
bool is_counted(const std::vector<std::string>& names) {
  for (const std::size_t first : {0U, 1U}) {
    bool counted = true;
    for (std::size_t i = 0; i < names.size(); ++i) counted = counted && names[i] == std::to_string(first + i);
    if (counted) return true;
  }
  return false;
}

}  // namespace

CsvHeader read_csv_header(std::string_view head, bool is_whole_file, const std::string& shown) {
  const std::string line = shown + ", line 1: ";
  if (head.substr(0, 3) == "\xEF\xBB\xBF") head.remove_prefix(3);
  if (head.empty()) throw Error(ErrorKind::data, shown + " is empty", "it needs a line of column names and rows");
  if (head[0] == '\n' || head[0] == '\r') {
    throw Error(ErrorKind::data, line + "the line is empty", "the first line must hold the column names");
  }
  CsvHeader header;
  header.delimiter = find_delimiter(head, is_whole_file);
  std::string_view rest = head;
  Record record = take_record(rest, header.delimiter);
  if (!record.complete && !is_whole_file) {
    throw Error(ErrorKind::data, line + "the line of column names is too long", "is this a CSV file?");
  }
  std::set<std::string> seen;
  std::string twice;
  bool all_numbers = true;
  for (std::size_t i = 0; i < record.fields.size(); ++i) {
    std::string& name = record.fields[i];
    header.lines += static_cast<std::size_t>(std::count(name.begin(), name.end(), '\n'));
    if (!is_utf8(name)) {
      throw Error(ErrorKind::data, line + "the column names are not UTF-8", "save the file as UTF-8");
    }
    while (!name.empty() && name.back() == ' ') name.pop_back();
    all_numbers = all_numbers && is_number(name);
    if (name.empty()) {
      // The name that pandas gives, because models were mostly trained on its tables.
      name = "Unnamed: " + std::to_string(i);
      header.notes.push_back("column " + std::to_string(i) + " has no name; it is called " + name);
    }
    if (!seen.insert(name).second) twice += (twice.empty() ? "" : ", ") + printable(name, 40);
  }
  if (!twice.empty()) {
    throw Error(ErrorKind::data, line + "more than one column is called " + printable(twice), "rename all but one");
  }
  if (all_numbers && !is_counted(record.fields)) {
    throw Error(ErrorKind::data, line + "there are numbers where the column names should be",
                "put a line of column names before the rows");
  }
  header.names = std::move(record.fields);
  return header;
}

}  // namespace sightglass
