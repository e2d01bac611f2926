// How a shape describes its fields: once, in one function, `describe_fields(shape, fields)`, which names each field,
// where it is kept and what it holds. Writing JSON, reading it (with every check) and the JSON Schema are three kinds
// of Fields that go through that function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sightglass/base/value.h"
#include "sightglass/result/open_word.h"

namespace sightglass {

class JsonNode;
class JsonWriter;

// Whether a file must have the key. An optional one may also be null there.
enum class Presence { optional, required };

struct Key {
  Key(const char* key, std::string_view meaning = {}, Presence must = Presence::optional)
      : name(key), about(meaning), presence(must) {}

  std::string_view name;
  std::string_view about;  // for the schema, in a sentence
  Presence presence;
};

// Lists that may have any length.
constexpr std::size_t any_size = std::numeric_limits<std::size_t>::max();

class Fields {
 public:
  Fields() = default;
  Fields(const Fields&) = delete;
  Fields& operator=(const Fields&) = delete;
  virtual ~Fields() = default;

  // What the shape as a whole is.
  virtual void about(std::string_view text) = 0;

  virtual void text(const Key& key, std::string& value) = 0;
  virtual void flag(const Key& key, bool& value) = 0;
  virtual void count(const Key& key, std::uint64_t& value) = 0;
  virtual void number(const Key& key, double& value) = 0;
  virtual void optional_number(const Key& key, std::optional<double>& value) = 0;
  // Exactly so many; where the key is optional, also none.
  virtual void numbers(const Key& key, std::vector<double>& values, std::size_t size = any_size) = 0;
  virtual void optional_numbers(const Key& key, std::vector<std::optional<double>>& values, std::size_t size) = 0;
  virtual void matrix(const Key& key, std::vector<std::vector<double>>& rows, std::size_t size,
                      std::size_t columns) = 0;
  virtual void texts(const Key& key, std::vector<std::string>& values, std::size_t least = 0) = 0;
  // Whole numbers, each below `end`.
  virtual void indices(const Key& key, std::vector<std::uint64_t>& values, std::size_t end = any_size) = 0;
  // The values of a feature at which something was computed: ascending numbers, or levels.
  virtual void grid(const Key& key, bool categorical, std::vector<double>& numbers,
                    std::vector<std::string>& levels) = 0;
  // Free-form.
  virtual void object(const Key& key, Value& value) = 0;
  // One of these words, by its place among them; where there need not be one, a file may have another, which counts as
  // none and is kept.
  virtual void choice(const Key& key, std::span<const std::string_view> words, std::size_t& chosen) = 0;
  virtual void optional_choice(const Key& key, std::span<const std::string_view> words,
                               std::optional<std::size_t>& chosen) = 0;

  // One of these words, or another: a text, to whoever does not care which are known.
  virtual void open_choice(const Key& key, std::span<const std::string_view> /*words*/, std::string& word) {
    text(key, word);
  }

  // An object with fields of its own.
  virtual void group(const Key& key, const std::function<void(Fields&)>& inside) = 0;
  // Null unless `there`, which reading sets.
  virtual void optional_group(const Key& key, bool& there, const std::function<void(Fields&)>& inside) = 0;
  // Keys that are only written where something is known. A reader looks for them anyway, so that they are optional.
  virtual void only_if(bool known, const std::function<void()>& fields) = 0;
  // A list of objects that all have the same fields.
  struct Records {
    std::size_t size = 0;                                // how many there are to write
    std::function<void(std::size_t)> resize;             // makes room for those that are read
    std::function<void(std::size_t, Fields&)> describe;  // one of them
  };
  virtual void records(const Key& key, const Records& list) = 0;

  // The keys that an item has depend on what it is.
  virtual void choose(bool first, const std::function<void()>& fields_of_first,
                      const std::function<void()>& fields_of_other) = 0;

  // What no word above can say; null functions do nothing.
  struct Special {
    Value schema;
    std::function<void(JsonWriter&)> write;
    std::function<void(const JsonNode&)> read;
    bool has_arrays = false;  // array() says the same
  };
  virtual void special(const Key& key, const Special& special) = 0;
  // Rows × columns × … for those who take arrays, where JSON has the numbers otherwise. Not there if there are fewer
  // than the shape has places.
  using Array = std::variant<std::span<const double>, std::span<const std::uint64_t>>;
  virtual void array(const Key&, const Array&, const std::vector<std::size_t>&) {}
  // What must hold between fields, or follows from them, once those above were read.
  virtual void check(const std::function<void(const JsonNode& item)>& look) = 0;
};

// Objects that are kept as a vector, each described by `describe_fields(record, fields)`.
template <class Record>
void describe_records(Fields& fields, const Key& key, std::vector<Record>& records) {
  fields.records(key, {.size = records.size(),
                       .resize = [&](std::size_t size) { records.resize(size); },
                       .describe = [&](std::size_t i, Fields& inside) { describe_fields(records[i], inside); }});
}

// A whole number, or null: a row of the data, a place in a list.
void describe_count(Fields& fields, const Key& key, std::optional<std::uint64_t>& value);
// What a row is called besides its number.
void describe_row_label(Fields& fields, std::string& label);
// Numbers that are only written where there are any.
void describe_some(Fields& fields, const Key& key, std::optional<double>& value);

template <class Enum>
void describe_choice(Fields& fields, const Key& key, OpenWord<Enum>& value) {
  const std::string was(value.text());
  std::string word = was;
  fields.open_choice(key, known_words<Enum>.words, word);
  if (word != was) value = OpenWord<Enum>(word);
}
// A choice that is kept as an enum whose values count from 0 in the order of the words.
template <class Enum>
void describe_choice(Fields& fields, const Key& key, std::span<const std::string_view> words, Enum& value) {
  const auto was = static_cast<std::size_t>(value);
  std::size_t chosen = was;
  fields.choice(key, words, chosen);
  if (chosen != was) value = static_cast<Enum>(chosen);
}
template <class Enum>
void describe_choice(Fields& fields, const Key& key, std::span<const std::string_view> words,
                     std::optional<Enum>& value) {
  const auto was = value ? std::optional(static_cast<std::size_t>(*value)) : std::nullopt;
  auto chosen = was;
  fields.optional_choice(key, words, chosen);
  if (chosen != was) value = chosen ? std::optional(static_cast<Enum>(*chosen)) : std::nullopt;
}

}  // namespace sightglass
