#include "sightglass/result/shapes/marked_picture.h"

#include <algorithm>
#include <charconv>

#include "sightglass/result/fields.h"
#include "sightglass/result/json_node_internal.h"
#include "sightglass/result/shapes/axis.h"
#include "sightglass/result/tidy.h"

namespace sightglass {

// A picture of a result that is read may be no larger.
static constexpr std::uint64_t most_marked_pixels = std::uint64_t{1} << 24;

void describe_fields(MarkedPicture& marked, Fields& fields) {
  fields.about("A picture with what its segments add to the prediction.");
  describe_output(marked.output, marked.group, fields);
  describe_count(fields, {"row", "Of the data, counted from 0; null: of none."}, marked.row);
  describe_row_label(fields, marked.row_label);
  fields.count({"width", "", Presence::required}, marked.width);
  fields.count({"height", "", Presence::required}, marked.height);
  fields.text({"picture", "PNG in base64; empty where the picture may not leave."}, marked.picture);
  fields.text({"segments", "A number per pixel, row by row, as runs: \"12x0 5x1 …\".", Presence::required},
              marked.segments);
  fields.numbers({"values", "Per segment; 0 of those that the explanation leaves out.", Presence::required},
                 marked.values);
  fields.numbers({"se", "Standard errors; none where nothing was random."}, marked.se);
  fields.optional_number({"base", "What the values are added to."}, marked.base);
  fields.number({"prediction", "Of the model, for the whole picture."}, marked.prediction);
  fields.object({"details", "How they were found; free-form."}, marked.details);
  fields.check([&](const JsonNode& node) {
    if (!marked.se.empty() && marked.se.size() != marked.values.size())
      node.at("se").fail_length(marked.se.size(), marked.values.size());
    const std::vector<std::uint32_t> segments = segment_of_pixels(marked);
    if (segments.empty()) node.at("segments").fail("are no runs of as many pixels as the picture has");
    if (*std::max_element(segments.begin(), segments.end()) >= marked.values.size())
      node.at("segments").fail("has a segment without a value");
  });
}

void show_rows(MarkedPicture& marked, const RowVisitor& visit) {
  if (marked.row) visit(*marked.row, marked.row_label);
}

void tidy_rows(const MarkedPicture& marked, TidyRows& rows) {
  static const TableKind segment_table{.priority = 22,
                                       .columns = {"row", "segment", "value", "se", "left", "top", "right", "bottom",
                                                   "pixels", "prediction", "base", "output", "group"},
                                       .always = {"segment", "value"}};
  const auto boxes = segment_boxes(marked);
  for (std::size_t i = 0; i < marked.values.size(); ++i) {
    rows.row(segment_table, marked);
    if (marked.row) rows.set("row", *marked.row);
    if (!marked.row_label.empty()) rows.set("label", marked.row_label);
    rows.set("segment", std::uint64_t{i}).set("value", marked.values[i]).set("se", marked.se, i);
    if (i < boxes.size())
      rows.set("left", boxes[i].left)
          .set("top", boxes[i].top)
          .set("right", boxes[i].right)
          .set("bottom", boxes[i].bottom)
          .set("pixels", boxes[i].pixels);
    rows.set("prediction", marked.prediction).set("base", marked.base);
  }
}

std::string item_title(const MarkedPicture& marked) {
  return marked.row ? "Picture of " + row_name(*marked.row, marked.row_label) : "Picture";
}

std::vector<std::uint32_t> segment_of_pixels(const MarkedPicture& marked) {
  if (marked.width == 0 || marked.height == 0 || marked.width > most_marked_pixels ||
      marked.height > most_marked_pixels || marked.width * marked.height > most_marked_pixels)
    return {};
  const std::uint64_t pixels = marked.width * marked.height;
  std::vector<std::uint32_t> segments;
  const char* at = marked.segments.data();
  const char* end = at + marked.segments.size();
  while (at < end) {
    std::uint64_t count = 0;
    std::uint32_t segment = 0;
    const auto run = std::from_chars(at, end, count);
    if (run.ec != std::errc() || run.ptr == end || *run.ptr != 'x' || count == 0) return {};
    const auto number = std::from_chars(run.ptr + 1, end, segment);
    if (number.ec != std::errc() || count > pixels - segments.size()) return {};
    segments.insert(segments.end(), count, segment);
    at = number.ptr;
    if (at < end && *at++ != ' ') return {};
  }
  return segments.size() == pixels ? segments : std::vector<std::uint32_t>();
}

std::string segment_runs(const std::vector<std::uint32_t>& segments) {
  std::string runs;
  for (std::size_t i = 0; i < segments.size();) {
    std::size_t end = i;
    while (end < segments.size() && segments[end] == segments[i]) ++end;
    runs += (runs.empty() ? "" : " ") + std::to_string(end - i) + "x" + std::to_string(segments[i]);
    i = end;
  }
  return runs;
}

std::vector<SegmentBox> segment_boxes(const MarkedPicture& marked) {
  const std::vector<std::uint32_t> segments = segment_of_pixels(marked);
  std::vector<SegmentBox> boxes(marked.values.size());
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (segments[i] >= boxes.size()) continue;
    SegmentBox& box = boxes[segments[i]];
    const std::uint64_t x = i % marked.width, y = i / marked.width;
    if (box.pixels++ == 0) {
      box.left = box.right = x;
      box.top = box.bottom = y;
    }
    box.left = std::min(box.left, x);
    box.right = std::max(box.right, x);
    box.bottom = std::max(box.bottom, y);
  }
  return boxes;
}

}  // namespace sightglass
