#include <algorithm>
#include <array>
#include <fstream>
#include <memory>
#include <utility>

#include "sightglass/base/error.h"
#include "sightglass/data/scan/json_bounds_internal.h"
#include "sightglass/data/scan/session_internal.h"

namespace sightglass {

namespace {

// What matters outside of texts. All else (numbers, words, spaces) is passed over.
constexpr auto structure = [] {
  std::array<bool, 256> marks{};
  for (const char c : {'{', '}', '[', ']', '"', ',', '\n'}) marks[static_cast<unsigned char>(c)] = true;
  return marks;
}();

std::uint64_t mixed(std::uint64_t value) {
  value ^= value >> 32;
  value *= 0x9E3779B97F4A7C15ULL;
  value ^= value >> 29;
  return value;
}

constexpr std::uint64_t prime = 0x100000001B3ULL;
constexpr std::uint64_t root = 0xCBF29CE484222325ULL;

}  // namespace

JsonScan::JsonScan(JsonBounds bounds, JsonText text, std::string shown)
    : bounds_(bounds), text_(text), shown_(std::move(shown)), next_path_(root), keys_(1024, 0) {
  open_.reserve(bounds_.depth + 1);
}

void JsonScan::start_record() {
  check_cells();
  state_ = State::outside;
  is_key_ = false;
  open_.clear();
  next_path_ = root;
  ++line_;
}

std::string JsonScan::place() const {
  if (text_ == JsonText::records) return shown_ + ", record " + std::to_string(line_);
  return shown_ + ", line " + std::to_string(line_) + (text_ == JsonText::lines ? "" : ", byte " + std::to_string(at_));
}

void JsonScan::open(bool object) {
  if (open_.size() >= bounds_.depth) {
    throw Error(ErrorKind::data, place() + ": values are nested more than " + std::to_string(bounds_.depth) + " deep",
                "give the columns as fields of one object");
  }
  // A record is an object that stands by itself, or in the file's own array.
  if (object && open_.size() == (text_ == JsonText::array ? 1U : 0U)) ++records_;
  open_.push_back({.path = next_path_, .object = object, .at_key = object});
}

void JsonScan::add_key() {
  // The key as part of its way: "a" inside "b" is another column than "a".
  next_path_ = mixed(open_.back().path * prime ^ mixed(hash_)) | 1;
  const std::size_t mask = keys_.size() - 1;
  std::size_t place = next_path_ & mask;
  while (keys_[place] != 0 && keys_[place] != next_path_) place = (place + 1) & mask;
  if (keys_[place] != 0) return;
  keys_[place] = next_path_;
  ++key_count_;
  if (key_count_ > bounds_.keys) {
    throw Error(ErrorKind::data,
                this->place() + ": key " + printable(key_, 40) +
                    " is one too many: each different key becomes a column, " + std::to_string(bounds_.keys) +
                    " at the most",
                "write keys that differ from row to row as values of one column");
  }
  if (key_count_ * 2 <= keys_.size()) return;
  std::vector<std::uint64_t> larger(keys_.size() * 2, 0);
  for (const std::uint64_t path : keys_) {
    if (path == 0) continue;
    std::size_t at = path & (larger.size() - 1);
    while (larger[at] != 0) at = (at + 1) & (larger.size() - 1);
    larger[at] = path;
  }
  keys_ = std::move(larger);
}

// Rows that each bring keys of their own make a table of holes, far larger than the file.
void JsonScan::check_cells() const {
  const std::uint64_t cells = records_ * key_count_;
  if (cells <= bounds_.cells || cells / bounds_.cells_per_byte <= at_) return;
  throw Error(ErrorKind::data,
              place() + ": " + std::to_string(records_) + " rows have " + std::to_string(key_count_) +
                  " different keys, the last one " + printable(key_, 40) +
                  "; each key becomes a column, and nearly all values would be missing",
              "write keys that differ from row to row as values of one column");
}

void JsonScan::end_line() {
  if (text_ == JsonText::lines) start_record();
  if (text_ == JsonText::array) ++line_;
}

void JsonScan::end_text() {
  state_ = State::outside;
  if (!is_key_) return;
  is_key_ = false;
  open_.back().at_key = false;
  add_key();
}

void JsonScan::feed(std::string_view piece) {
  const char* const begin = piece.data();
  const char* const end = begin + piece.size();
  for (const char* next = begin; next < end; ++next) {
    if (state_ == State::escape) {
      // What is escaped cannot end the text; that it counts for the key's hash is enough to tell keys apart.
      if (is_key_) hash_ = (hash_ ^ static_cast<unsigned char>(*next)) * prime;
      state_ = State::text;
      continue;
    }
    if (state_ == State::text) {
      if (is_key_) {
        for (; next < end && *next != '"' && *next != '\\' && *next != '\n'; ++next) {
          hash_ = (hash_ ^ static_cast<unsigned char>(*next)) * prime;
          if (key_.size() < 64) key_ += *next;
        }
      } else {
        while (next < end && *next != '"' && *next != '\\' && *next != '\n') ++next;
      }
      if (next == end) break;
      at_ = bytes_ + static_cast<std::uint64_t>(next - begin);
      if (*next == '"') end_text();
      if (*next == '\\') state_ = State::escape;
      if (*next == '\n') end_line();  // no text holds one
      continue;
    }
    while (next < end && !structure[static_cast<unsigned char>(*next)]) ++next;
    if (next == end) break;
    at_ = bytes_ + static_cast<std::uint64_t>(next - begin);
    switch (*next) {
      case '{': open(true); break;
      case '[': open(false); break;
      case '}':
      case ']':
        if (!open_.empty()) open_.pop_back();
        // Objects in one array have their keys in common.
        next_path_ = open_.empty() ? root : open_.back().path;
        if (text_ == JsonText::array && open_.size() == 1) check_cells();
        break;
      case ',':
        if (!open_.empty()) {
          open_.back().at_key = open_.back().object;
          next_path_ = open_.back().path;
        }
        break;
      case '"':
        state_ = State::text;
        is_key_ = !open_.empty() && open_.back().at_key;
        if (is_key_) {
          hash_ = root;
          key_.clear();
        }
        break;
      case '\n': end_line(); break;
      default: break;
    }
  }
  bytes_ += piece.size();
}

void check_json_bounds(const DataFile& file, const Context* context) {
  const bool lines = file.format == FileFormat::json_lines;
  const auto look_around = [&] {
    if (context != nullptr) context->check();
  };
  if (file.compression == "none") {
    JsonScan scan({}, lines ? JsonText::lines : JsonText::array, file.shown);
    std::ifstream stream(file.path, std::ios::binary);
    const auto buffer = std::make_unique<char[]>(std::size_t{1} << 20);
    while (stream.read(buffer.get(), std::streamsize{1} << 20) || stream.gcount() > 0) {
      look_around();
      scan.feed({buffer.get(), static_cast<std::size_t>(stream.gcount())});
    }
    if (stream.bad()) throw Error(ErrorKind::data, "cannot read " + file.shown, "check the file");
    return;
  }
  // DuckDB hands out the text of each record without looking into it.
  JsonScan scan({}, JsonText::records, file.shown);
  const auto session = std::make_shared<Session>(SessionOptions{.shown = file.shown, .context = context});
  session->lock(file.readable_paths());
  const Statement statement(session, "SELECT json FROM read_json_objects(" + sql_text(file.pattern()) +
                                         ", format = " + sql_text(lines ? "newline_delimited" : "array") +
                                         ", ignore_errors = false, hive_partitioning = false, compression = " +
                                         sql_text(file.compression) + ")");
  const auto rows = statement.execute();
  while (rows->next()) {
    look_around();
    const std::uint64_t* valid = rows->validity(0);
    for (std::size_t row = 0; row < rows->rows(); ++row) {
      if (is_valid(valid, row)) scan.feed(text_at(rows->data(0), row));
      scan.start_record();
    }
  }
}

}  // namespace sightglass
