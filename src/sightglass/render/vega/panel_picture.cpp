// What pictures of panels are made of.
#include <algorithm>
#include <cmath>
#include <optional>

#include "sightglass/insight/groups.h"
#include "sightglass/insight/readable.h"
#include "sightglass/render/vega/panel_picture_internal.h"
#include "sightglass/render/vega/parts_internal.h"

namespace sightglass::vega {

namespace {

constexpr int most_label = 84;

int longest_label(const std::vector<std::string>& labels) {
  std::size_t longest = 0;
  for (const std::string& label : labels) longest = std::max(longest, label.size());
  return std::min(most_label, static_cast<int>(6 * longest));
}

struct Run {
  double low, high;
};

// Where values at the second axis' grid points are above the threshold.
std::vector<Run> runs_above(const std::vector<double>& values, double threshold, const PanelEdges& y) {
  std::vector<Run> runs;
  const auto above = [&](std::size_t j) { return values[j] > threshold; };
  std::optional<double> open;
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (y.axis.is_categorical()) {
      if (!above(j)) continue;
      if (!runs.empty() && runs.back().high == y.low(j)) {
        runs.back().high = y.high(j);
      } else {
        runs.push_back({y.low(j), y.high(j)});
      }
      continue;
    }
    if (j == 0) {
      if (above(0)) open = y.axis.numbers[0];
      continue;
    }
    if (above(j) == above(j - 1)) continue;
    const double share = (threshold - values[j - 1]) / (values[j] - values[j - 1]);
    const double crossing = y.axis.numbers[j - 1] + (std::isfinite(share) ? std::clamp(share, 0.0, 1.0) : 0.5) *
                                                        (y.axis.numbers[j] - y.axis.numbers[j - 1]);
    if (above(j)) {
      open = crossing;
    } else if (open) {
      runs.push_back({*open, crossing});
      open.reset();
    }
  }
  if (open) runs.push_back({*open, y.last()});
  return runs;
}

}  // namespace

PanelEdges::PanelEdges(const Axis& of) : axis(of), labels(unique_labels(of.levels)) {}

double PanelEdges::low(std::size_t i) const {
  if (axis.is_categorical()) return static_cast<double>(i) - 0.5;
  return i == 0 ? axis.numbers[0] : (axis.numbers[i - 1] + axis.numbers[i]) / 2;
}

double PanelEdges::high(std::size_t i) const {
  if (axis.is_categorical()) return static_cast<double>(i) + 0.5;
  return i + 1 == axis.size() ? axis.numbers[i] : (axis.numbers[i] + axis.numbers[i + 1]) / 2;
}

Value PanelEdges::encoding(bool across) const {
  Value encoding = field(across ? "x" : "y", "quantitative");
  const Value ends = Value::array().push_back(placed(axis, first())).push_back(placed(axis, last()));
  encoding.set("scale", Value::object({{"domain", ends}, {"nice", false}, {"zero", false}}));
  const bool named = !axis.feature.empty();
  Value guide = Value::object({{"title", named ? Value(ordinary_name(axis_title(axis, 40))) : Value()},
                               {"grid", false},
                               {"tickCount", 4},
                               {"labelOverlap", "greedy"},
                               {"titleLimit", panel_height}});
  if (axis.is_categorical()) {
    guide.set("labels", false).set("ticks", false).set("titlePadding", across ? 24 : 12 + longest_label(labels));
  }
  if (axis.dates) {
    Domain domain;
    domain.add(axis.numbers);
    add_date_ticks(guide, axis, domain, 3);
  }
  return encoding.set("axis", guide);
}

Value PanelEdges::names(bool across) const {
  if (!axis.is_categorical()) return {};
  Value::Array rows;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    rows.push_back(Value::object({{across ? "x" : "y", static_cast<std::int64_t>(i)}, {"label", labels[i]}}));
  }
  Value mark = Value::object({{"type", "text"}, {"limit", most_label}, {"fontSize", 10}, {"tooltip", Value()}});
  if (across) {
    mark.set("baseline", "top").set("dy", 6);
  } else {
    mark.set("align", "right").set("dx", -6);
  }
  Value encoding =
      Value::object({{"text", field("label", "nominal")}, {"color", Value::object({{"value", muted_ink}})}});
  encoding.set(across ? "y" : "x", Value::object({{"value", across ? panel_height : 0}}));
  return Value::object({{"data", inline_data(std::move(rows))}, {"mark", mark}, {"encoding", encoding}});
}

Axis class_strips(const std::vector<std::string>& classes) {
  Axis axis;
  axis.levels = classes;
  axis.categorical = true;
  return axis;
}

std::vector<RegionRect> region_rects(const ShownPanel& panel, const PanelEdges& x, const PanelEdges& y, int slices) {
  const bool two = panel.axes.size() > 1;
  const auto box = [&](std::size_t at, double otherwise) { return panel.box.empty() ? otherwise : panel.box[at]; };
  // Levels are claimed as a whole: half a place to both sides.
  const double x_room = x.axis.is_categorical() ? 0.5 : 0, y_room = two && y.axis.is_categorical() ? 0.5 : 0;
  const double x_low = box(0, x.first()) - x_room, x_high = box(1, x.last()) + x_room;
  const double y_low = two ? box(2, y.first()) - y_room : y.first(),
               y_high = two ? box(3, y.last()) + y_room : y.last();
  std::vector<RegionRect> rects;
  std::vector<RegionRect> before;  // those of the slice before, which may go on
  const auto add = [&](double from, double to, const std::vector<double>& values) {
    from = std::max(from, x_low);
    to = std::min(to, x_high);
    if (!(from < to)) return;
    std::vector<Run> runs;
    if (two) {
      runs = runs_above(values, panel.threshold, y);
    } else if (values[0] > panel.threshold) {
      runs = {{y.first(), y.last()}};
    }
    std::vector<RegionRect> now;
    for (const Run& run : runs) {
      const double low = std::max(run.low, y_low), high = std::min(run.high, y_high);
      if (low < high) now.push_back({from, to, low, high});
    }
    const bool same = now.size() == before.size() &&
                      std::equal(now.begin(), now.end(), before.begin(), [](const RegionRect& a, const RegionRect& b) {
                        return a.y == b.y && a.y2 == b.y2 && a.x == b.x2;
                      });
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (same) {
        rects[rects.size() - now.size() + i].x2 = to;
      } else {
        rects.push_back(now[i]);
      }
    }
    before = now;
  };
  if (x.axis.is_categorical() || x.axis.size() == 1) {
    for (std::size_t i = 0; i < x.axis.size(); ++i) add(x.low(i), x.high(i), panel.region[i]);
    return rects;
  }
  std::vector<double> values(panel.region[0].size());
  for (std::size_t i = 0; i + 1 < x.axis.size(); ++i) {
    const double left = x.axis.numbers[i], width = (x.axis.numbers[i + 1] - left) / slices;
    for (int s = 0; s < slices; ++s) {
      const double share = (s + 0.5) / slices;
      for (std::size_t j = 0; j < values.size(); ++j) {
        values[j] = panel.region[i][j] + share * (panel.region[i + 1][j] - panel.region[i][j]);
      }
      const double to = s + 1 == slices ? x.axis.numbers[i + 1] : left + (s + 1) * width;
      add(s == 0 ? left : left + s * width, to, values);
    }
  }
  return rects;
}

double jitter(std::uint64_t row, std::uint64_t axis) {
  const std::uint64_t mixed = (row + 1) * 0x9e3779b97f4a7c15U + axis * 0xbf58476d1ce4e5b9U;
  return static_cast<double>((mixed ^ mixed >> 31) % 1000) / 500.0 - 1;
}

Value class_color(const std::vector<std::string>& classes) {
  Value color = group_color(classes, "");
  return color.set("legend", Value::object({{"title", Value()},
                                            {"orient", "top"},
                                            {"columns", 4},
                                            {"labelLimit", 150},
                                            {"symbolType", "circle"},
                                            {"symbolOpacity", 1}}));
}

}  // namespace sightglass::vega
