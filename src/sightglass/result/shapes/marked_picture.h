// A picture with what its segments add to the prediction.
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

struct MarkedPicture {
  static constexpr std::string_view type = "marked_picture";  // its name in JSON

  std::string output;
  std::string group;
  std::optional<std::uint64_t> row = std::nullopt;  // of the data
  std::string row_label = {};                       // what that row is called; empty: by its number
  std::uint64_t width = 1, height = 1;
  std::string picture;         // PNG in base64; empty where it may not leave
  std::string segments;        // a number per pixel, row by row, as runs: "12x0 5x1"
  std::vector<double> values;  // per segment; 0 of those that the explanation leaves out
  std::vector<double> se;      // of these; empty: nothing was random
  std::optional<double> base = std::nullopt;
  double prediction = 0;
  Value details = Value::object();
};

void describe_fields(MarkedPicture& marked, Fields& fields);
void tidy_rows(const MarkedPicture& marked, TidyRows& rows);
void show_rows(MarkedPicture& marked, const RowVisitor& visit);
[[nodiscard]] std::string item_title(const MarkedPicture& marked);

// The segment of each pixel; empty if the runs are no runs, or not of all pixels.
[[nodiscard]] std::vector<std::uint32_t> segment_of_pixels(const MarkedPicture& marked);
[[nodiscard]] std::string segment_runs(const std::vector<std::uint32_t>& segments);

// Where a segment lies.
struct SegmentBox {
  std::uint64_t left = 0, top = 0, right = 0, bottom = 0;  // of its pixels
  std::uint64_t pixels = 0;
};
[[nodiscard]] std::vector<SegmentBox> segment_boxes(const MarkedPicture& marked);

}  // namespace sightglass
