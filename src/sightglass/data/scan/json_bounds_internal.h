// What JSON data may ask of the reader, checked in one pass before DuckDB sees the file: its reader recurses into
// nested values until the stack ends, and holds a place for every key in every row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/data/scan/data_file_internal.h"

namespace sightglass {

struct JsonBounds {
  std::size_t depth = 128;            // arrays and objects inside one another
  std::size_t keys = 20'000;          // different ones, those of objects inside objects included
  std::uint64_t cells = 1 << 25;      // rows × keys; more only where the file itself is large
  std::uint64_t cells_per_byte = 25;  // of the file
};

enum class JsonText {
  lines,    // a record on each line: a line break ends whatever is open
  array,    // of records
  records,  // one by one, told apart by start_record()
};

// Fed with the text of a file in pieces of any size. Malformed text is left to DuckDB, which says what is wrong with
// it.
class JsonScan {
 public:
  JsonScan(JsonBounds bounds, JsonText text, std::string shown);

  // Throws Error(data) that names the file, the place and the bound that is passed.
  void feed(std::string_view piece);
  // What was fed so far was a record; the next one begins.
  void start_record();

 private:
  struct Open {
    std::uint64_t path = 0;  // a hash of the keys on the way here
    bool object = false;
    bool at_key = false;  // the next text is a key
  };
  enum class State { outside, text, escape };

  void open(bool object);
  void end_text();
  void end_line();
  void add_key();
  void check_cells() const;
  [[nodiscard]] std::string place() const;

  JsonBounds bounds_;
  JsonText text_;
  std::string shown_;
  State state_ = State::outside;
  bool is_key_ = false;     // the text that is being read
  std::uint64_t hash_ = 0;  // of it
  std::string key_;         // its beginning, for messages
  std::vector<Open> open_;
  std::uint64_t next_path_ = 0;      // of the value behind the last key
  std::vector<std::uint64_t> keys_;  // a hash table; 0 = empty
  std::size_t key_count_ = 0;
  std::uint64_t records_ = 0;
  std::uint64_t line_ = 1;   // or record
  std::uint64_t bytes_ = 0;  // before the present piece
  std::uint64_t at_ = 0;     // of the byte that is being looked at
};

// Reads a JSON file from beginning to end, unpacked by DuckDB if it is compressed; the context may stop it.
void check_json_bounds(const DataFile& file, const Context* context);

}  // namespace sightglass
