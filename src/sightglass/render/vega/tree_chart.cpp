// A decision tree as boxes and lines. A small one grows downwards, a larger one to the right, where its conditions have
// more room; in a narrow place it is an outline: a line for each node, indented by its depth. Widths are only known
// where the chart is drawn: boxes have places on a scale, and texts are cut by an expression of fixed words.
#include <algorithm>
#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/insight/readable.h"
#include "sightglass/insight/tree_layout.h"
#include "sightglass/render/vega/parts_internal.h"
#include "sightglass/render/vega/tree_chart_internal.h"

namespace sightglass::vega {

namespace {

constexpr std::size_t most_leaves = 32;
constexpr std::size_t most_levels = 6, most_steps = 8;  // below these it is folded
constexpr std::size_t leaves_side_by_side = 8;          // more of them grow to the right
constexpr std::size_t all_levels = 40;                  // in tooltips
constexpr std::size_t tooltip_letters = 400;

// Downwards.
constexpr double tree_level_height = 104, inner_height = 42, leaf_height = 56;
constexpr double half_inner = 0.94, half_leaf = 0.46;  // widths of a leaf
// To the right.
constexpr double leaf_step = 27, box_height = 22;
constexpr double inner_width = 0.8, leaf_width = 0.97;  // of a level
constexpr double level_width = 168;
constexpr std::size_t letters_of_a_box = 18;
// As an outline.
constexpr double line_step = 26, chip_width = 62, chip_height = 20, indent = 13;
constexpr std::size_t letters_of_a_line = 38, letters_of_a_class = 5;

struct Palette {
  Domain domain;  // of values; the root's is in the middle
  bool classes = false;
  std::vector<std::string> labels = {};  // of the classes, all different
  bool differ = false;                   // the values
};

Palette palette_of(const ShownTree& tree, const TreeLayout& layout) {
  Palette palette;
  palette.classes = !tree.classes.empty();
  palette.labels = unique_labels(tree.classes);
  const double middle = tree.nodes[0].value;
  double largest = 0;
  for (const TreePlace& place : layout.places) {
    const double away = std::abs(tree.nodes[place.node].value - middle);
    if (std::isfinite(away)) largest = std::max(largest, away);
  }
  palette.differ = largest > 0;
  palette.domain.add((std::isfinite(middle) ? middle : 0) - (largest > 0 ? largest : 1));
  palette.domain.add((std::isfinite(middle) ? middle : 0) + (largest > 0 ? largest : 1));
  return palette;
}

std::string quantity_of(const Result& result, const ShownTree& tree) {
  std::string title = prediction_title(result, Quantity::single, tree.output);
  if (!tree.unit.empty() && prediction_unit(result).empty()) title += " (" + printable(tree.unit, 40) + ")";
  return title;
}

std::size_t class_place(const ShownTree& tree, const ShownNode& node) {
  const auto found = std::find(tree.classes.begin(), tree.classes.end(), node.predicted_class);
  return static_cast<std::size_t>(found - tree.classes.begin());
}

double class_share(const ShownTree& tree, const ShownNode& node) {
  const std::size_t at = class_place(tree, node);
  return at < node.shares.size() ? node.shares[at] : std::nan("");
}

// Of classes, the name gives way where there is little room, never the share.
std::string value_text(const ShownTree& tree, const ShownNode& node, std::size_t name_letters = 40) {
  if (tree.classes.empty()) return readable(node.value);
  const double share = class_share(tree, node);
  return printable(node.predicted_class, name_letters) + (std::isnan(share) ? "" : " " + percent(share));
}

std::string share_text(const ShownTree& tree, const ShownNode& node) {
  return tree.nodes[0].count > 0 ? percent(node.count / tree.nodes[0].count) : "";
}

// What is asked, in about so many letters: a long name of the feature gives way before the value that it is compared
// with does.
std::string short_text(ShownCondition split, bool met, std::size_t letters) {
  // A date is known by its beginning, and half of it says nothing.
  const std::size_t least_name = split.dates ? 6 : 7;
  const auto text = [&] { return met ? condition_text(split) : opposite_text(split); };
  if (split.dates && text().size() > letters) split.dates.detail = DateDetail::day;
  const std::size_t whole = text().size(), name = split.feature.size();
  if (whole <= letters || name <= least_name) return text();
  const std::size_t others = whole - std::min(whole, name);
  split.feature = printable(split.feature, std::max(least_name, letters - std::min(letters, others)));
  return text();
}

std::string rows_text(const ShownNode& node) { return readable(node.count) + (node.count == 1 ? " row" : " rows"); }

// What a node's box says besides its text, on every mark of it.
Value node_row(const ShownTree& tree, const TreeLayout& layout, const Palette& palette, std::size_t at) {
  const TreePlace& place = layout.places[at];
  const ShownNode& node = tree.nodes[place.node];
  Value row =
      Value::object({{"rule", printable(rule_text(place, all_levels), tooltip_letters)},
                     {"split", place.is_leaf ? (place.folded > 0 ? "more below" : "none: a leaf")
                                             : printable(condition_text(*node.split, all_levels), tooltip_letters)},
                     {"rows", plotted(node.count)},
                     {"share", share_text(tree, node)},
                     {"value", plotted(node.value)}});
  if (palette.classes) {
    const std::size_t at_class = class_place(tree, node);
    row.set("group", at_class < palette.labels.size() ? palette.labels[at_class] : printable(node.predicted_class));
    row.set("pure", plotted(class_share(tree, node), 3));
  }
  if (node.se) row.set("se", plotted(*node.se, 3));
  if (node.agreement) row.set("agreement", plotted(*node.agreement, 3));
  if (node.stability) row.set("back", percent(*node.stability));
  return row;
}

Value node_tooltip(const ShownTree& tree) {
  std::vector<TooltipField> fields{
      {"rule", "rows where", false}, {"split", "next question", false}, {"rows", "rows"}, {"share", "share", false}};
  if (!tree.classes.empty()) {
    fields.push_back({"group", "class", false});
    fields.push_back({"pure", "share of the class"});
  } else {
    fields.push_back({"value", "prediction"});
  }
  const auto any = [&](auto member) {
    return std::any_of(tree.nodes.begin(), tree.nodes.end(),
                       [&](const ShownNode& node) { return (node.*member).has_value(); });
  };
  if (any(&ShownNode::se)) fields.push_back({"se", "se"});
  if (any(&ShownNode::agreement)) fields.push_back({"agreement", "agreement with the model"});
  if (any(&ShownNode::stability)) fields.push_back({"back", "the question came back in refits", false});
  return tooltip(fields);
}

// Ink that can be read on the node's colour.
const char* ink_of(const ShownNode& node, const Palette& palette) {
  if (palette.classes || !std::isfinite(node.value)) return "middle";
  const double share = (node.value - palette.domain.low) / palette.domain.span();
  return share > 0.15 && share < 0.85 ? "middle" : "ends";
}

void color_nodes(Value& encoding, const Result& result, const ShownTree& tree, const Palette& palette) {
  if (palette.classes) {
    Value color = group_color(palette.labels, "");
    Value legend = Value::object({{"title", Value()}, {"orient", "top"}, {"labelLimit", 150}, {"columns", 4}});
    color.set("legend", legend.set("symbolType", "square").set("symbolStrokeWidth", 0).set("symbolOpacity", 0.6));
    encoding.set("fill", color);
    Value purity = field("pure", "quantitative");
    purity.set("scale", Value::object({{"domain", Value::array().push_back(0).push_back(1)},
                                       {"range", Value::array().push_back(0.05).push_back(0.62)}}));
    encoding.set("fillOpacity", purity.set("legend", Value()));
    return;
  }
  Value color = field("value", "quantitative");
  const Value ends = Value::array().push_back(plotted(palette.domain.low)).push_back(plotted(palette.domain.high));
  color.set("scale",
            Value::object({{"domain", ends}, {"range", "diverging"}, {"interpolate", "rgb"}, {"nice", false}}));
  color.set("legend", Value::object({{"title", quantity_of(result, tree)},
                                     {"orient", "bottom"},
                                     {"direction", "horizontal"},
                                     {"gradientLength", 220},
                                     {"titleLimit", 320},
                                     {"format", ",.4~r"}}));
  if (!palette.differ) color.set("legend", Value());
  encoding.set("fill", color);
}

Value expression(const std::string& text) { return Value::object({{"expr", text}}); }

// Texts in boxes: where, how wide, how.
struct Label {
  double x, y, room;
  const char* align = "center";
  bool bold = false;
};

class Boxes {
 public:
  Boxes(const Result& result, const ShownTree& tree)
      : result_(result),
        tree_(tree),
        layout_(tree_layout(tree, most_leaves, most_levels)),
        palette_(palette_of(tree, layout_)) {
    down_ = layout_.leaves <= leaves_side_by_side;
    levels_ = static_cast<double>(layout_.depth);
    leaves_ = static_cast<double>(layout_.leaves);
  }

  Value chart() {
    for (std::size_t i = 0; i < layout_.places.size(); ++i) add_node(i);
    Value layers = Value::array();
    if (!edges_.empty()) layers.push_back(edge_layer());
    layers.push_back(box_layer());
    for (const char* ink : {"middle", "ends"}) layers.push_back(text_layer(ink));
    if (!answers_.empty()) {
      layers.push_back(answer_layer(true));
      layers.push_back(answer_layer(false));
    }
    const double width = down_ ? std::max<double>(chart_width, 112 * leaves_) : level_width * (levels_ + 1);
    return Value::object({{"width", plotted(width)}, {"height", plotted(height())}, {"layer", layers}});
  }

 private:
  struct Box {
    double x, x2, y, y2;
    [[nodiscard]] double middle_x() const { return (x + x2) / 2; }
    [[nodiscard]] double middle_y() const { return (y + y2) / 2; }
  };

  [[nodiscard]] double height() const {
    return down_ ? levels_ * tree_level_height + leaf_height : leaves_ * leaf_step;
  }
  // The far end of the axis that is as long as the chart is wide.
  [[nodiscard]] double columns() const { return down_ ? leaves_ : levels_ + leaf_width; }
  // Pixels on the other one.
  [[nodiscard]] double up(double pixels) const { return pixels / (down_ ? tree_level_height : leaf_step); }

  [[nodiscard]] Box box_of(const TreePlace& place) const {
    const auto depth = static_cast<double>(place.depth);
    if (!down_) {
      const double half = up(box_height) / 2;
      return {depth, depth + (place.is_leaf ? leaf_width : inner_width), place.across - half, place.across + half};
    }
    // Few of them need not fill the page.
    const double half = place.is_leaf ? std::min(half_leaf, 0.08 * leaves_) : std::min(half_inner, 0.13 * leaves_);
    return {place.across - half, place.across + half, depth, depth + up(place.is_leaf ? leaf_height : inner_height)};
  }

  void add_node(std::size_t at) {
    const TreePlace& place = layout_.places[at];
    const Box box = box_of(place);
    Value row = node_row(tree_, layout_, palette_, at);
    row.set("x", plotted(box.x)).set("x2", plotted(box.x2)).set("y", plotted(box.y)).set("y2", plotted(box.y2));
    boxes_.push_back(std::move(row));
    add_texts(at, box);
    if (at > 0) add_edge(at, box);
  }

  void add_texts(std::size_t at, const Box& box) {
    const TreePlace& place = layout_.places[at];
    const ShownNode& node = tree_.nodes[place.node];
    const std::string share = share_text(tree_, node);
    const std::string value = value_text(tree_, node);
    const double x = box.middle_x(), y = box.middle_y(), room = box.x2 - box.x;
    const std::string rows = place.folded > 0 ? "… " + std::to_string(place.folded) + " leaves" : rows_text(node);
    if (down_ && place.is_leaf) {
      add_text(at, value, {x, y - up(16), room, "center", true});
      add_text(at, rows, {x, y + up(1), room});
      add_text(at, share, {x, y + up(16), room});
    } else if (down_) {
      add_text(at, condition_text(*node.split), {x, y - up(8), room, "center", true});
      add_text(at, value + " · " + share + " of rows", {x, y + up(9), room});
    } else if (place.is_leaf) {
      const std::string count = place.folded > 0 ? rows : readable(node.count);
      if (palette_.classes) {  // names want room, and a second share would be taken for the class's
        add_text(at, value_text(tree_, node, 10), {box.x, y, room * 0.74, "left", true});
        add_text(at, count, {box.x2, y, room * 0.26, "right"});
      } else {
        add_text(at, value, {box.x, y, room * 0.44, "left", true});
        add_text(at, share + " · " + count, {box.x2, y, room * 0.56, "right"});
      }
    } else {
      add_text(at, short_text(*node.split, true, letters_of_a_box), {box.x, y, room, "left"});
    }
  }

  void add_text(std::size_t at, const std::string& text, const Label& label) {
    if (text.empty()) return;
    Value row = node_row(tree_, layout_, palette_, at);
    row.set("x", plotted(label.x)).set("y", plotted(label.y)).set("room", plotted(label.room / columns()));
    row.set("text", text).set("align", label.align).set("bold", label.bold);
    row.set("ink", ink_of(tree_.nodes[layout_.places[at].node], palette_));
    texts_.push_back(std::move(row));
  }

  void add_edge(std::size_t at, const Box& box) {
    const TreePlace& place = layout_.places[at];
    const Box parent = box_of(layout_.places[place.parent]);
    const double whole = tree_.nodes[0].count;
    const double share = whole > 0 ? tree_.nodes[place.node].count / whole : 0;
    const double from_x = down_ ? parent.middle_x() : parent.x2, from_y = down_ ? parent.y2 : parent.middle_y();
    const double to_x = down_ ? box.middle_x() : box.x, to_y = down_ ? box.y : box.middle_y();
    std::uint64_t order = 0;
    const auto point = [&](double x, double y) {
      edges_.push_back(Value::object({{"x", plotted(x)},
                                      {"y", plotted(y)},
                                      {"edge", Value(static_cast<std::uint64_t>(at))},
                                      {"order", Value(order++)},
                                      {"share", plotted(std::min(share, 1.0), 3)}}));
    };
    // A bend in the middle.
    point(from_x, from_y);
    point(down_ ? from_x : (from_x + to_x) / 2, down_ ? (from_y + to_y) / 2 : from_y);
    point(down_ ? to_x : (from_x + to_x) / 2, down_ ? (from_y + to_y) / 2 : to_y);
    point(to_x, to_y);
    const ShownCondition& split = *tree_.nodes[layout_.places[place.parent].node].split;
    const char* no = split.missing_otherwise ? "no or missing" : "no";
    answers_.push_back(Value::object(
        {{"x", plotted(to_x)}, {"y", plotted(to_y)}, {"yes", Value(place.first)}, {"text", place.first ? "yes" : no}}));
  }

  [[nodiscard]] Value x(const char* name = "x") const {
    Value encoding = field(name, "quantitative");
    encoding.set("scale", Value::object({{"domain", Value::array().push_back(0).push_back(plotted(columns()))},
                                         {"nice", false},
                                         {"zero", false}}));
    return encoding.set("axis", Value());
  }
  [[nodiscard]] Value y(const char* name = "y") const {
    const double end = down_ ? height() / tree_level_height : leaves_;
    Value encoding = field(name, "quantitative");
    encoding.set("scale", Value::object({{"domain", Value::array().push_back(0).push_back(plotted(end))},
                                         {"nice", false},
                                         {"zero", false},
                                         {"reverse", true}}));
    return encoding.set("axis", Value());
  }

  Value edge_layer() {
    Value width = field("share", "quantitative");
    width.set("scale", Value::object({{"domain", Value::array().push_back(0).push_back(1)},
                                      {"range", Value::array().push_back(1).push_back(9)}}));
    Value color = Value::object({{"value", muted_ink}});
    return Value::object(
        {{"data", inline_data(std::move(edges_))},
         {"mark", Value::object({{"type", "line"}, {"interpolate", "basis"}, {"opacity", 0.45}, {"tooltip", Value()}})},
         {"encoding", Value::object({{"x", x()},
                                     {"y", y()},
                                     {"detail", field("edge", "nominal")},
                                     {"order", field("order", "quantitative")},
                                     {"color", color},
                                     {"strokeWidth", width.set("legend", Value())}})}});
  }

  Value box_layer() {
    Value encoding = Value::object({{"x", x()},
                                    {"x2", Value::object({{"field", "x2"}})},
                                    {"y", y()},
                                    {"y2", Value::object({{"field", "y2"}})},
                                    {"tooltip", node_tooltip(tree_)}});
    color_nodes(encoding, result_, tree_, palette_);
    // A rim of its own, because the colour of what is near the average is that of the paper.
    return Value::object({{"data", inline_data(std::move(boxes_))},
                          {"mark", Value::object({{"type", "rect"},
                                                  {"cornerRadius", 6},
                                                  {"stroke", muted_ink},
                                                  {"strokeOpacity", 0.55},
                                                  {"strokeWidth", 1}})},
                          {"encoding", encoding}});
  }

  Value text_layer(const char* ink) {
    Value::Array rows;
    for (const Value& row : texts_) {
      if (row.find("ink")->as_string() == ink) rows.push_back(row);
    }
    return Value::object(
        {{"data", inline_data(std::move(rows))},
         {"mark", Value::object({{"type", "text"},
                                 {"style", std::string("on-") + ink},
                                 {"baseline", "middle"},
                                 {"fontSize", 11},
                                 {"fontWeight", expression("datum.bold ? 600 : 400")},
                                 {"align", expression("datum.align")},
                                 {"dx", expression("datum.align == 'left' ? 7 : datum.align == 'right' ? -7 : 0")},
                                 {"limit", expression("max(datum.room * item.mark.group.width - 12, 12)")}})},
         {"encoding",
          Value::object(
              {{"x", x()}, {"y", y()}, {"text", field("text", "nominal")}, {"tooltip", node_tooltip(tree_)}})}});
  }

  // Beside the end of each line.
  Value answer_layer(bool yes) {
    Value::Array rows;
    for (const Value& row : answers_) {
      if (row.find("yes")->as_bool() == yes) rows.push_back(row);
    }
    Value mark = Value::object({{"type", "text"}, {"fontSize", 10}, {"tooltip", Value()}});
    if (down_) {
      mark.set("align", yes ? "right" : "left").set("dx", yes ? -7 : 7).set("dy", -9);
    } else {
      mark.set("align", "right").set("dx", -4).set("dy", yes ? -7 : 8).set("baseline", "middle");
    }
    return Value::object({{"data", inline_data(std::move(rows))},
                          {"mark", mark},
                          {"encoding", Value::object({{"x", x()},
                                                      {"y", y()},
                                                      {"text", field("text", "nominal")},
                                                      {"color", Value::object({{"value", muted_ink}})}})}});
  }

  const Result& result_;
  const ShownTree& tree_;
  TreeLayout layout_;
  Palette palette_;
  bool down_ = true;
  double levels_ = 0, leaves_ = 0;
  Value::Array boxes_, texts_, edges_, answers_;
};

// A line per node: how rows get there, their share, and a box with the value at the right edge.
class Outline {
 public:
  Outline(const Result& result, const ShownTree& tree)
      : result_(result),
        tree_(tree),
        layout_(tree_layout(tree, most_leaves, most_steps)),
        palette_(palette_of(tree, layout_)) {}

  Value chart() {
    std::vector<std::size_t> last(layout_.places.size(), 0);
    for (std::size_t i = 1; i < layout_.places.size(); ++i) last[layout_.places[i].parent] = i;
    Value::Array nodes, stems, twigs;
    for (std::size_t i = 0; i < layout_.places.size(); ++i) {
      const TreePlace& place = layout_.places[i];
      const ShownNode& node = tree_.nodes[place.node];
      Value row = node_row(tree_, layout_, palette_, i);
      const double line = static_cast<double>(i) + 0.5, left = indent * static_cast<double>(place.depth);
      const double half = chip_height / line_step / 2;
      row.set("y", plotted(line)).set("top", plotted(line - half)).set("bottom", plotted(line + half));
      row.set("left", plotted(left)).set("leaf", place.is_leaf);
      row.set("text", words_of(i) + (place.folded > 0 ? " …" : ""));
      row.set("label", value_text(tree_, node, letters_of_a_class)).set("ink", ink_of(node, palette_));
      nodes.push_back(std::move(row));
      const double stem = left - indent + 4;
      if (i > 0)
        twigs.push_back(Value::object({{"y", plotted(line)}, {"left", plotted(stem)}, {"right", plotted(left)}}));
      if (last[i] > 0)
        stems.push_back(Value::object({{"left", plotted(stem + indent)},
                                       {"y", plotted(line + half * 0.7)},
                                       {"y2", plotted(static_cast<double>(last[i]) + 0.5)}}));
    }
    Value layers = Value::array();
    if (!stems.empty()) {
      layers.push_back(line_layer(std::move(stems), true));
      layers.push_back(line_layer(std::move(twigs), false));
    }
    layers.push_back(chip_layer(nodes));
    layers.push_back(words_layer(nodes));
    layers.push_back(share_layer(nodes));
    for (const char* ink : {"middle", "ends"}) layers.push_back(value_layer(nodes, ink));
    return Value::object({{"width", 340},
                          {"height", plotted(line_step * static_cast<double>(layout_.places.size()))},
                          {"layer", layers}});
  }

 private:
  [[nodiscard]] std::string words_of(std::size_t at) const {
    if (at == 0) return step_text(tree_, layout_, at);
    const TreePlace& place = layout_.places[at];
    const std::size_t letters = letters_of_a_line - 2 * std::min<std::size_t>(place.depth, most_steps);
    return short_text(*tree_.nodes[layout_.places[place.parent].node].split, place.first, letters);
  }

  [[nodiscard]] Value y(const char* name) const {
    Value encoding = field(name, "quantitative");
    const auto end = static_cast<double>(layout_.places.size());
    encoding.set("scale", Value::object({{"domain", Value::array().push_back(0).push_back(plotted(end))},
                                         {"nice", false},
                                         {"zero", false},
                                         {"reverse", true}}));
    return encoding.set("axis", Value());
  }

  Value line_layer(Value::Array rows, bool stems) const {
    Value mark = Value::object({{"type", "rule"}, {"strokeWidth", 1}, {"opacity", 0.5}, {"tooltip", Value()}});
    mark.set("x", expression("datum.left"));
    if (!stems) mark.set("x2", expression("datum.right"));
    Value encoding = Value::object({{"y", y("y")}, {"color", Value::object({{"value", muted_ink}})}});
    if (stems) encoding.set("y2", Value::object({{"field", "y2"}}));
    return Value::object({{"data", inline_data(std::move(rows))}, {"mark", mark}, {"encoding", encoding}});
  }

  Value chip_layer(const Value::Array& nodes) const {
    Value encoding = Value::object(
        {{"y", y("top")}, {"y2", Value::object({{"field", "bottom"}})}, {"tooltip", node_tooltip(tree_)}});
    color_nodes(encoding, result_, tree_, palette_);
    Value mark = Value::object({{"type", "rect"}, {"cornerRadius", 5}, {"stroke", muted_ink}, {"strokeOpacity", 0.55}});
    mark.set("x", expression("item.mark.group.width - 62")).set("x2", expression("item.mark.group.width"));
    mark.set("strokeWidth", expression("datum.leaf ? 1.2 : 0.4"));
    return Value::object({{"data", inline_data(nodes)}, {"mark", mark}, {"encoding", encoding}});
  }

  Value text_layer(const Value::Array& nodes, Value mark, const char* text, const char* color) const {
    Value encoding = Value::object({{"y", y("y")}, {"text", field(text, "nominal")}, {"tooltip", node_tooltip(tree_)}});
    if (color != nullptr) encoding.set("color", Value::object({{"value", color}}));
    mark.set("type", "text").set("baseline", "middle").set("fontSize", 11);
    return Value::object({{"data", inline_data(nodes)}, {"mark", mark}, {"encoding", encoding}});
  }
  Value words_layer(const Value::Array& nodes) const {
    return text_layer(nodes,
                      Value::object({{"style", "on-middle"},
                                     {"align", "left"},
                                     {"x", expression("datum.left + 3")},
                                     {"fontWeight", expression("datum.leaf ? 600 : 400")},
                                     {"limit", expression("max(item.mark.group.width - datum.left - 108, 20)")}}),
                      "text", nullptr);
  }
  Value share_layer(const Value::Array& nodes) const {
    return text_layer(nodes, Value::object({{"align", "right"}, {"x", expression("item.mark.group.width - 68")}}),
                      "share", muted_ink);
  }
  Value value_layer(const Value::Array& nodes, const char* ink) const {
    Value::Array rows;
    for (const Value& row : nodes) {
      if (row.find("ink")->as_string() == ink) rows.push_back(row);
    }
    return text_layer(rows,
                      Value::object({{"style", std::string("on-") + ink},
                                     {"align", "center"},
                                     {"x", expression("item.mark.group.width - 31")},
                                     {"fontWeight", expression("datum.leaf ? 600 : 400")},
                                     {"limit", chip_width - 6}}),
                      "label", nullptr);
  }

  const Result& result_;
  const ShownTree& tree_;
  TreeLayout layout_;
  Palette palette_;
};

}  // namespace

Value tree_chart(const Result& result, const ShownTree& tree) { return Boxes(result, tree).chart(); }

Value tree_outline(const Result& result, const ShownTree& tree) { return Outline(result, tree).chart(); }

}  // namespace sightglass::vega
