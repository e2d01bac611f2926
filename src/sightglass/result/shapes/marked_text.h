// A text with what its pieces add to the prediction.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/base/value.h"
#include "sightglass/result/named_row.h"

namespace sightglass {

class Fields;
class TidyRows;

// A word at one place of the text.
struct MarkedPiece {
  std::uint64_t start = 0, end = 0;  // in Unicode characters; end: behind the last one
  double value = 0;
  std::optional<double> se = std::nullopt;
  // Places with the same number were left out together: their value is that of all of them, once.
  std::uint64_t together = 0;
};

struct MarkedText {
  static constexpr std::string_view type = "marked_text";  // its name in JSON

  std::string output;
  std::string group;
  std::optional<std::uint64_t> row = std::nullopt;  // of the data
  std::string row_label = {};                       // what that row is called; empty: by its number
  std::string text;
  std::optional<double> base = std::nullopt;  // what the values are added to
  double prediction = 0;                      // of the model, for the whole text
  std::vector<MarkedPiece> pieces;            // in the order of the text
  Value details = Value::object();
};

void describe_fields(MarkedText& marked, Fields& fields);
void tidy_rows(const MarkedText& marked, TidyRows& rows);
void show_rows(MarkedText& marked, const RowVisitor& visit);
[[nodiscard]] std::string item_title(const MarkedText& marked);

// Where each piece is in the bytes of the text, [begin, end).
[[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> piece_bytes(const MarkedText& marked);

}  // namespace sightglass
