#include "sightglass/render/marked_picture_view.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sightglass/base/deflate.h"
#include "sightglass/base/error.h"
#include "sightglass/base/picture.h"
#include "sightglass/insight/readable.h"
#include "sightglass/render/text/page_internal.h"
#include "sightglass/render/vega/labelled_bars_internal.h"

namespace sightglass {

namespace {

constexpr std::size_t segments_in_picture = 12;
constexpr double clear_marked_picture_errors = 2;  // below these an estimate cannot be told from 0
constexpr double strongest_tint = 0.62;
constexpr std::size_t longest_shown = 640;  // pixels of a side on a page

const MarkedPicture& marked_picture_of(const ItemGroup& group) { return *group.item<MarkedPicture>(); }

std::string marked_picture_signed_number(double value) { return (value > 0 ? "+" : "") + readable(value); }

// Of what can be told from 0, as a share of the largest; of the rest 0.
std::vector<double> strengths_of(const MarkedPicture& marked) {
  double largest = 0;
  for (const double value : marked.values) largest = std::max(largest, std::abs(value));
  std::vector<double> strengths(marked.values.size());
  for (std::size_t i = 0; i < strengths.size(); ++i) {
    const bool unclear =
        i < marked.se.size() && std::abs(marked.values[i]) < clear_marked_picture_errors * marked.se[i];
    if (!unclear && largest > 0 && std::isfinite(largest)) strengths[i] = marked.values[i] / largest;
  }
  return strengths;
}

std::vector<std::size_t> largest_first(const MarkedPicture& marked) {
  std::vector<std::size_t> order(marked.values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(marked.values[a]) > std::abs(marked.values[b]);
  });
  while (!order.empty() && marked.values[order.back()] == 0) order.pop_back();
  return order;
}

// "top left (80 × 60 pixels)".
std::string place_text(const MarkedPicture& marked, const SegmentBox& box) {
  const auto third = [](std::uint64_t low, std::uint64_t high, std::uint64_t size) {
    return (low + high) * 3 / (2 * size);
  };
  static constexpr const char* down[] = {"top", "middle", "bottom"};
  static constexpr const char* across[] = {"left", "centre", "right"};
  return std::string(down[std::min<std::uint64_t>(2, third(box.top, box.bottom, marked.height))]) + " " +
         across[std::min<std::uint64_t>(2, third(box.left, box.right, marked.width))] + ", x " +
         std::to_string(box.left) + "–" + std::to_string(box.right) + ", y " + std::to_string(box.top) + "–" +
         std::to_string(box.bottom);
}

std::optional<double> detail(const MarkedPicture& marked, const char* name) {
  const Value* value = marked.details.find(name);
  return value != nullptr && value->is_number() ? std::optional(value->as_number()) : std::nullopt;
}

// The picture in grey, its regions tinted, with lines between those that are; smaller where it is large.
std::string marked_png(const MarkedPicture& marked) {
  const std::vector<std::uint32_t> segments = segment_of_pixels(marked);
  if (segments.empty()) return {};
  Picture from;
  if (!marked.picture.empty()) {
    try {
      from = read_picture(bytes_of_base64(marked.picture, "the result"), "the picture of the result");
    } catch (const Error&) {
      // A result may hold anything: regions are shown without it.
    }
  }
  if (from.width != marked.width || from.height != marked.height)
    from = {.width = marked.width,
            .height = marked.height,
            .rgb = std::vector<std::uint8_t>(3 * marked.width * marked.height, 255)};
  const std::vector<double> strengths = strengths_of(marked);
  const std::size_t step = (std::max(from.width, from.height) + longest_shown - 1) / longest_shown;
  Picture shown{.width = std::max<std::size_t>(1, from.width / step),
                .height = std::max<std::size_t>(1, from.height / step)};
  shown.rgb.resize(3 * shown.pixels());
  const auto segment_at = [&](std::size_t x, std::size_t y) { return segments[y * step * from.width + x * step]; };
  for (std::size_t y = 0; y < shown.height; ++y) {
    for (std::size_t x = 0; x < shown.width; ++x) {
      const std::uint8_t* pixel = from.rgb.data() + 3 * (y * step * from.width + x * step);
      const std::uint32_t segment = segment_at(x, y);
      const double strength = segment < strengths.size() ? strengths[segment] : 0;
      const double light = 0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2];
      const bool edge = (x + 1 < shown.width && segment_at(x + 1, y) != segment) ||
                        (y + 1 < shown.height && segment_at(x, y + 1) != segment);
      static constexpr double raises[] = {213, 94, 0}, lowers[] = {0, 114, 178};
      const double* tint = strength > 0 ? raises : lowers;
      const double share = edge && std::abs(strength) > 0.1 ? 0.9 : strongest_tint * std::abs(strength);
      for (std::size_t c = 0; c < 3; ++c) {
        // Colours fade so that tints can be told from what is in the picture.
        const double plain = 0.65 * light + 0.35 * pixel[c];
        shown.rgb[3 * (y * shown.width + x) + c] =
            static_cast<std::uint8_t>(std::clamp((1 - share) * plain + share * tint[c], 0.0, 255.0));
      }
    }
  }
  return "data:image/png;base64," + base64(write_png(shown));
}

// Each cell by what most of it adds.
void write_blocks(text::Page& page, const MarkedPicture& marked) {
  const std::vector<std::uint32_t> segments = segment_of_pixels(marked);
  if (segments.empty()) return;
  const std::vector<double> strengths = strengths_of(marked);
  // A letter is about twice as high as it is wide.
  const std::size_t columns = std::min<std::size_t>(48, marked.width);
  const std::size_t lines = std::clamp<std::size_t>(columns * marked.height / marked.width / 2, 1, 30);
  for (std::size_t line = 0; line < lines; ++line) {
    std::string out = "  ";
    for (std::size_t column = 0; column < columns; ++column) {
      double sum = 0, count = 0;
      for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t j = 0; j < 4; ++j) {
          const std::size_t y = (4 * line + i) * marked.height / (4 * lines);
          const std::size_t x = (4 * column + j) * marked.width / (4 * columns);
          const std::uint32_t segment = segments[y * marked.width + x];
          sum += segment < strengths.size() ? strengths[segment] : 0;
          ++count;
        }
      }
      const double mean = sum / count;
      const int shade = std::abs(mean) < 0.1 ? 0 : std::abs(mean) < 0.4 ? 1 : 2;
      if (page.color()) {
        static constexpr const char* raises[] = {"48;5;236", "48;5;215", "48;5;208"};
        static constexpr const char* lowers[] = {"48;5;236", "48;5;117", "48;5;39"};
        out += page.styled(" ", (mean > 0 ? raises : lowers)[shade]);
      } else {
        static constexpr char raises[] = {'.', '+', '#'}, lowers[] = {'.', '-', '='};
        out += (mean > 0 ? raises : lowers)[shade];
      }
    }
    page.line(out);
  }
  page.line(page.dim(page.color() ? "  orange raises the prediction, blue lowers it"
                                  : "  + and # raise the prediction, - and = lower it"));
}

void marked_picture_section(text::Page& page, const ItemGroup& group) {
  const MarkedPicture& marked = marked_picture_of(group);
  const std::string qualifier = group_qualifier(page.result(), group);
  page.title(group_title(group) + (qualifier.empty() ? "" : page.dot() + qualifier),
             "predicted " + page.number(marked.prediction));
  write_blocks(page, marked);
  page.line();
  const auto order = largest_first(marked);
  if (order.empty()) {
    page.line("  no region adds anything");
    return;
  }
  const auto boxes = segment_boxes(marked);
  std::vector<text::Bar> bars;
  for (std::size_t i = 0; i < std::min(order.size(), segments_in_picture); ++i) {
    const std::size_t segment = order[i];
    text::Bar bar{.name = page.ascii(place_text(marked, boxes[segment])), .value = marked.values[segment]};
    bar.cells.push_back(page.ascii(marked_picture_signed_number(marked.values[segment])));
    if (!marked.se.empty()) bar.cells.push_back(page.plus_minus() + page.number(marked.se[segment]));
    bars.push_back(std::move(bar));
  }
  page.bars(bars, marked.se.empty() ? std::vector<std::string>{"adds"} : std::vector<std::string>{"adds", "se"});
  if (order.size() > bars.size())
    page.line(page.dim("  " + std::to_string(order.size() - bars.size()) + " more; csv and json have all"));
  if (const auto r2 = detail(marked, "r2"))
    page.wrapped(page.ascii(std::string("The line follows the model with ") + (page.unicode() ? "R²" : "R^2") + " " +
                            readable_share(*r2) + "."),
                 2);
}

Value marked_picture_chart(const Result& result, const ItemGroup& group, std::size_t letters) {
  const MarkedPicture& marked = marked_picture_of(group);
  const auto order = largest_first(marked);
  if (order.empty()) return vega::message_chart("no region adds anything");
  const auto boxes = segment_boxes(marked);
  vega::LabelledBars bars;
  bars.groups = {"raises", "lowers"};
  bars.colors = {vega::raises_color, vega::lowers_color};
  bars.title = "added to the " + prediction_title(result, Quantity::single, marked.output);
  const std::size_t shown = std::min(order.size(), segments_in_picture);
  bars.left_out = order.size() - shown;
  for (std::size_t i = 0; i < shown; ++i) {
    const std::size_t segment = order[i];
    const double value = marked.values[segment];
    vega::LabelledBar bar{.label = place_text(marked, boxes[segment]) + ": " + marked_picture_signed_number(value),
                          .value = value};
    bar.group = value < 0 ? "lowers" : "raises";
    if (segment < marked.se.size()) {
      bar.low = value - 1.96 * marked.se[segment];
      bar.high = value + 1.96 * marked.se[segment];
    }
    bar.told.set("place", place_text(marked, boxes[segment])).set("adds", marked_picture_signed_number(value));
    bars.bars.push_back(std::move(bar));
  }
  bars.tooltip = {{"place", "region", false}, {"adds", "adds", false}};
  return labelled_bars(bars, letters);
}

Value marked_picture_chart_alone(const Result& result, const ItemGroup& group, int) {
  const MarkedPicture& marked = marked_picture_of(group);
  const std::string png = marked_png(marked);
  Value bars = marked_picture_chart(result, group, vega::letters_per_line);
  if (png.empty()) return bars;
  const double width =
      std::min<double>(vega::chart_width, static_cast<double>(marked.width) < 200 ? 300 : vega::chart_width);
  const double height = std::round(width * static_cast<double>(marked.height) / static_cast<double>(marked.width));
  Value picture = Value::object({{"width", width},
                                 {"height", height},
                                 {"view", Value::object({{"stroke", Value()}})},
                                 {"data", vega::inline_data({Value::object({{"src", png}})})},
                                 {"mark", Value::object({{"type", "image"}, {"width", width}, {"height", height}})}});
  picture.set("encoding", Value::object({{"url", vega::field("src", "nominal")},
                                         {"x", Value::object({{"value", width / 2}})},
                                         {"y", Value::object({{"value", height / 2}})}}));
  const Value independent = Value::object({{"color", "independent"}, {"x", "independent"}, {"y", "independent"}});
  return Value::object({{"vconcat", Value::array().push_back(picture).push_back(bars)},
                        {"spacing", 20},
                        {"resolve", Value::object({{"scale", independent}})}});
}

std::string marked_picture_description(const Result&, const ItemGroup& group) {
  const MarkedPicture& marked = marked_picture_of(group);
  std::string text = "The prediction is " + readable(marked.prediction);
  if (marked.base) text += ", the line starts at " + readable(*marked.base);
  const auto order = largest_first(marked);
  const auto boxes = segment_boxes(marked);
  for (std::size_t i = 0; i < std::min<std::size_t>(order.size(), 3); ++i)
    text += (i == 0 ? ". Regions that count most: " : "; ") + place_text(marked, boxes[order[i]]) + ": " +
            marked_picture_signed_number(marked.values[order[i]]);
  return text + ".";
}

// For a page.
Value above_marked_picture(const ItemGroup& group) {
  const MarkedPicture& marked = marked_picture_of(group);
  const std::string png = marked_png(marked);
  if (png.empty()) return {};
  return Value::object({{"picture", png}, {"alt", marked_picture_description({}, group)}});
}

std::string marked_picture_reading(const Result&, const ItemGroup&) {
  return "Orange regions raise the prediction, blue ones lower it, stronger colours more: each by what a weighted line "
         "through the model's answers to the picture with some regions hidden gives it; regions that cannot be told "
         "from 0 "
         "have no colour. Thin lines are 95 % intervals.";
}

std::vector<std::string> marked_picture_chips(const ItemGroup& group) {
  const MarkedPicture& marked = marked_picture_of(group);
  std::vector<std::string> list{
      "predicted " + readable(marked.prediction),
      std::to_string(marked.values.size()) + (marked.values.size() == 1 ? " region" : " regions")};
  if (const auto r2 = detail(marked, "r2")) list.push_back("local R² " + readable_share(*r2));
  if (const auto stability = detail(marked, "stability")) list.push_back("stability " + readable_share(*stability));
  return list;
}

}  // namespace

ShapeView ViewOf<MarkedPicture>::view() {
  return {.text = marked_picture_section,
          .chart = [](const Result& result, const ItemGroup& group,
                      int) { return marked_picture_chart(result, group, vega::letters_per_line); },
          .chapter = PageChapter{"pictures", "Single pictures", "Which regions speak for a prediction.", 20},
          .words = {.describe = marked_picture_description,
                    .how_to_read = marked_picture_reading,
                    .badges = marked_picture_chips},
          .narrow_chart =
              [](const Result& result, const ItemGroup& group) {
                return marked_picture_chart(result, group, vega::letters_per_narrow_line);
              },
          .above = above_marked_picture,
          .chart_alone = marked_picture_chart_alone};
}

}  // namespace sightglass
