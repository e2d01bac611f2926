#include "sightglass/result/shapes/marked_text.h"

#include "sightglass/base/error.h"
#include "sightglass/base/utf8.h"
#include "sightglass/result/fields.h"
#include "sightglass/result/json_node_internal.h"
#include "sightglass/result/shapes/axis.h"
#include "sightglass/result/tidy.h"

namespace sightglass {

static std::uint64_t characters_of(std::string_view text) {
  std::uint64_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
  return count;
}

static void describe_fields(MarkedPiece& piece, Fields& fields) {
  fields.count({"start", "In Unicode code points.", Presence::required}, piece.start);
  fields.count({"end", "Behind the last one.", Presence::required}, piece.end);
  fields.number({"value", "What it adds to the prediction.", Presence::required}, piece.value);
  describe_some(fields, {"se"}, piece.se);
  fields.count({"together", "Places with the same number were left out together: the value is that of all, once."},
               piece.together);
}

void describe_fields(MarkedText& marked, Fields& fields) {
  fields.about("A text with what its pieces add to the prediction.");
  describe_output(marked.output, marked.group, fields);
  describe_count(fields, {"row", "Of the data, counted from 0; null: of none."}, marked.row);
  describe_row_label(fields, marked.row_label);
  fields.text({"text", "", Presence::required}, marked.text);
  fields.optional_number({"base", "What the values are added to."}, marked.base);
  fields.number({"prediction", "Of the model, for the whole text."}, marked.prediction);
  describe_records(fields, {"pieces", "In the order of the text, none within another.", Presence::required},
                   marked.pieces);
  fields.object({"details", "How they were found; free-form."}, marked.details);
  fields.check([&](const JsonNode& node) {
    const std::uint64_t length = characters_of(marked.text);
    std::uint64_t behind = 0;
    for (const MarkedPiece& piece : marked.pieces) {
      if (piece.start < behind || piece.end <= piece.start || piece.end > length)
        node.at("pieces").fail("has pieces that overlap or lie outside of the text");
      behind = piece.end;
    }
  });
}

void show_rows(MarkedText& marked, const RowVisitor& visit) {
  if (marked.row) visit(*marked.row, marked.row_label);
}

void tidy_rows(const MarkedText& marked, TidyRows& rows) {
  static const TableKind piece_table{
      .priority = 22,
      .columns = {"row", "piece", "value", "se", "start", "end", "together", "prediction", "base", "output", "group"},
      .always = {"piece", "value"}};
  const auto bytes = piece_bytes(marked);
  for (std::size_t i = 0; i < marked.pieces.size(); ++i) {
    const MarkedPiece& piece = marked.pieces[i];
    rows.row(piece_table, marked);
    if (marked.row) rows.set("row", *marked.row);
    if (!marked.row_label.empty()) rows.set("label", marked.row_label);
    rows.set("piece", std::string_view(marked.text).substr(bytes[i].first, bytes[i].second - bytes[i].first));
    rows.set("value", piece.value).set("se", piece.se).set("start", piece.start).set("end", piece.end);
    rows.set("together", piece.together).set("prediction", marked.prediction).set("base", marked.base);
  }
}

std::string item_title(const MarkedText& marked) {
  return marked.row ? "Text of " + row_name(*marked.row, marked.row_label) : "Text";
}

std::vector<std::pair<std::size_t, std::size_t>> piece_bytes(const MarkedText& marked) {
  std::vector<std::pair<std::size_t, std::size_t>> places;
  std::size_t at = 0;
  std::uint64_t character = 0;
  const auto go_to = [&](std::uint64_t wanted) {
    while (character < wanted && at < marked.text.size()) {
      const std::size_t length = utf8_length(std::string_view(marked.text).substr(at));
      at += length == 0 ? 1 : length;
      ++character;
    }
    return at;
  };
  for (const MarkedPiece& piece : marked.pieces) {
    const std::size_t begin = go_to(piece.start);
    places.emplace_back(begin, go_to(piece.end));
  }
  return places;
}

}  // namespace sightglass
