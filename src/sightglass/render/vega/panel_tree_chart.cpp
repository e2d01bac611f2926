// A tree of panels in one picture: each panel small at its node, lines to where its rows go on, leaves as dots of their
// class.
#include <algorithm>
#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/insight/readable.h"
#include "sightglass/render/vega/panel_picture_internal.h"
#include "sightglass/render/vega/parts_internal.h"

namespace sightglass::vega {

namespace {

constexpr int level_height = 118, leaf_level_height = 62;
constexpr double half_height = 0.31, most_half_width = 0.9;  // of a small picture: of a level, of the width of a leaf
constexpr std::size_t most_dots = 60;
constexpr std::size_t leaves_with_counts = 4;  // of more there is room for the share alone
constexpr std::size_t letters_of_a_name = 34;

struct Place {
  double across = 0;  // in widths of a leaf
  std::size_t depth = 0;
};

struct Leaf {
  Place place;
  const PanelSide* side = nullptr;
};

struct Branch {
  Place from, to;
  bool above = false, to_leaf = false;
  std::string claims;
};

struct Layout {
  std::vector<Place> panels;
  std::vector<Leaf> leaves;
  std::vector<Branch> branches;
  std::size_t depth = 0;  // of the deepest leaf
};

Place lay_out(const ShownPanels& item, std::size_t number, std::size_t depth, Layout& layout) {
  const ShownPanel& panel = item.panels[number];
  Place ends[2];
  const PanelSide* const sides[] = {&*panel.above, &*panel.below};
  for (int s = 0; s < 2; ++s) {
    if (sides[s]->panel) {
      ends[s] = lay_out(item, static_cast<std::size_t>(*sides[s]->panel), depth + 1, layout);
    } else {
      ends[s] = {static_cast<double>(layout.leaves.size()) + 0.5, depth + 1};
      layout.leaves.push_back({ends[s], sides[s]});
      layout.depth = std::max(layout.depth, depth + 1);
    }
  }
  const Place own{(ends[0].across + ends[1].across) / 2, depth};
  layout.panels[number] = own;
  for (int s = 0; s < 2; ++s) {
    layout.branches.push_back({own, ends[s], s == 0, !sides[s]->panel, printable(panel.claims, 24)});
  }
  return own;
}

// Where a picture's own coordinates come to lie in the tree.
struct Frame {
  double left, width, bottom, height;
  const PanelEdges &x, &y;

  [[nodiscard]] double across(double value) const { return left + width * share(x, value); }
  [[nodiscard]] double up(double value) const { return bottom + height * share(y, value); }

 private:
  static double share(const PanelEdges& edges, double value) {
    const double span = edges.last() - edges.first();
    return span > 0 ? std::clamp((value - edges.first()) / span, 0.0, 1.0) : 0.5;
  }
};

Value at(double x, double y) { return Value::object({{"x", plotted(x)}, {"y", plotted(y)}}); }

Value layer(Value::Array rows, Value mark, Value encoding) {
  return Value::object(
      {{"data", inline_data(std::move(rows))}, {"mark", std::move(mark)}, {"encoding", std::move(encoding)}});
}

Value span_encoding() {
  return Value::object({{"x2", Value::object({{"field", "x2"}})}, {"y2", Value::object({{"field", "y2"}})}});
}

Value text_layer(Value::Array rows, int size, const char* align, int dy, int limit) {
  return layer(std::move(rows),
               Value::object({{"type", "text"},
                              {"fontSize", size},
                              {"align", align},
                              {"baseline", "middle"},
                              {"dy", dy},
                              {"limit", limit},
                              {"tooltip", Value()}}),
               Value::object({{"text", field("label", "nominal")}, {"color", Value::object({{"value", muted_ink}})}}));
}

}  // namespace

Value panel_tree_chart(const ShownPanels& item, const std::vector<std::string>& classes, int width,
                       std::size_t most_leaves) {
  // A tree has a leaf more than panels.
  if (item.panels.empty() || item.panels.size() + 1 > most_leaves) return {};
  Layout layout;
  layout.panels.resize(item.panels.size());
  lay_out(item, 0, 0, layout);
  const auto label_of = [&](const std::string& name) {
    const auto found = std::find(item.classes.begin(), item.classes.end(), name);
    return found == item.classes.end() ? std::string()
                                       : classes[static_cast<std::size_t>(found - item.classes.begin())];
  };

  Value::Array frames, cells, dots, names, lines, answers, leaves, leaf_names, leaf_shares;
  const double half_width = std::min(most_half_width, 0.21 * static_cast<double>(layout.leaves.size()));
  for (std::size_t n = 0; n < item.panels.size(); ++n) {
    const ShownPanel& panel = item.panels[n];
    const Place& place = layout.panels[n];
    const bool two = panel.axes.size() > 1;
    const Axis strips = class_strips(item.classes);
    const PanelEdges x(panel.axes[0]), y(two ? panel.axes[1] : strips);
    const double middle = -static_cast<double>(place.depth);
    const double half = n == 0 ? half_width : std::min(half_width, 0.46);
    const Frame frame{place.across - half, 2 * half, middle - half_height, 2 * half_height, x, y};
    const auto rect = [&](double left, double right, double low, double high) {
      return Value::object({{"x", plotted(left)}, {"x2", plotted(right)}, {"y", plotted(low)}, {"y2", plotted(high)}});
    };
    frames.push_back(rect(frame.left, frame.left + frame.width, frame.bottom, frame.bottom + frame.height));
    for (const RegionRect& one : region_rects(panel, x, y, 1)) {
      cells.push_back(rect(frame.across(one.x), frame.across(one.x2), frame.up(one.y), frame.up(one.y2))
                          .set("group", label_of(panel.claims)));
    }
    const std::size_t step = std::max<std::size_t>(1, (panel.marks.rows.size() + most_dots - 1) / most_dots);
    for (std::size_t k = 0; k < panel.marks.rows.size(); k += step) {
      const double at_x = x.at(panel.marks.x[k], jitter(panel.marks.rows[k], 0));
      const double at_y =
          y.at(two ? panel.marks.y[k] : static_cast<double>(panel.marks.classes[k]), jitter(panel.marks.rows[k], 1));
      dots.push_back(at(frame.across(at_x), frame.up(at_y)).set("group", classes[panel.marks.classes[k]]));
    }
    names.push_back(at(place.across, middle + half_height)
                        .set("label", std::to_string(n + 1) + "  " + printable(panel_name(panel), letters_of_a_name)));
  }
  for (const Branch& branch : layout.branches) {
    const double from = -static_cast<double>(branch.from.depth) - half_height;
    const double to = -static_cast<double>(branch.to.depth) + (branch.to_leaf ? 0.26 : half_height + 0.13);
    lines.push_back(Value::object({{"x", plotted(branch.from.across)},
                                   {"x2", plotted(branch.to.across)},
                                   {"y", plotted(from)},
                                   {"y2", plotted(to)}}));
    answers.push_back(at(branch.from.across + 0.55 * (branch.to.across - branch.from.across), from + 0.55 * (to - from))
                          .set("label", branch.above ? branch.claims : "else"));
  }
  const bool roomy = layout.leaves.size() <= leaves_with_counts;
  for (const Leaf& leaf : layout.leaves) {
    const double middle = -static_cast<double>(leaf.place.depth) + 0.2;
    leaves.push_back(at(leaf.place.across, middle).set("group", label_of(leaf.side->predicted_class)));
    leaf_names.push_back(at(leaf.place.across, middle).set("label", printable(leaf.side->predicted_class, 24)));
    leaf_shares.push_back(
        at(leaf.place.across, middle)
            .set("label", percent(leaf.side->share) + (roomy ? " of " + readable(leaf.side->count) : std::string())));
  }

  const int leaf_room = width / static_cast<int>(layout.leaves.size());
  const Value still = Value::object({{"value", muted_ink}});
  const Value quiet = class_color(classes);
  Value layers = Value::array();
  layers.push_back(layer(std::move(lines),
                         Value::object({{"type", "rule"}, {"strokeWidth", 1}, {"opacity", 0.6}, {"tooltip", Value()}}),
                         span_encoding().set("color", still)));
  layers.push_back(layer(std::move(cells),
                         Value::object({{"type", "rect"}, {"opacity", 0.22}, {"strokeWidth", 0}, {"tooltip", Value()}}),
                         span_encoding().set("color", quiet)));
  layers.push_back(layer(
      std::move(frames),
      Value::object(
          {{"type", "rect"}, {"fillOpacity", 0}, {"strokeWidth", 1}, {"strokeOpacity", 0.6}, {"tooltip", Value()}}),
      span_encoding().set("stroke", still)));
  layers.push_back(layer(std::move(dots),
                         Value::object({{"type", "circle"}, {"size", 7}, {"opacity", 0.8}, {"tooltip", Value()}}),
                         Value::object({{"color", quiet}})));
  layers.push_back(layer(std::move(leaves),
                         Value::object({{"type", "circle"}, {"size", 90}, {"opacity", 1}, {"tooltip", Value()}}),
                         Value::object({{"color", quiet}})));
  layers.push_back(text_layer(std::move(names), 10, "center", -8, std::max(2 * leaf_room, 120)));
  layers.push_back(text_layer(std::move(answers), 10, "center", -6, leaf_room));
  layers.push_back(text_layer(std::move(leaf_names), 10, "center", 15, leaf_room));
  layers.push_back(text_layer(std::move(leaf_shares), 10, "center", 27, leaf_room));

  const auto hidden = [](const char* name, double low, double high) {
    Value encoding = field(name, "quantitative");
    encoding.set("scale", Value::object({{"domain", Value::array().push_back(plotted(low)).push_back(plotted(high))},
                                         {"nice", false},
                                         {"zero", false}}));
    return encoding.set("axis", Value());
  };
  const double lowest = -static_cast<double>(layout.depth) - 0.25;
  const Value title = Value::object({{"text", "The tree"}, {"anchor", "start"}, {"frame", "group"}, {"fontSize", 12}});
  return Value::object({{"title", title},
                        {"width", width},
                        {"height", static_cast<std::int64_t>(level_height) * static_cast<std::int64_t>(layout.depth) +
                                       leaf_level_height},
                        {"view", Value::object({{"stroke", Value()}})},
                        {"encoding", Value::object({{"x", hidden("x", 0, static_cast<double>(layout.leaves.size()))},
                                                    {"y", hidden("y", lowest, 0.5)}})},
                        {"layer", layers}});
}

}  // namespace sightglass::vega
