#include "sightglass/result/shapes/panels.h"

#include <cmath>
#include <set>

#include "sightglass/base/error.h"
#include "sightglass/result/fields.h"
#include "sightglass/result/json_node_internal.h"
#include "sightglass/result/tidy.h"

namespace sightglass {

namespace {

constexpr std::string_view forms[] = {"hierarchical", "covering"};

void describe_side(std::optional<PanelSide>& side, const Key& key, Fields& fields) {
  PanelSide held = side.value_or(PanelSide{});
  bool there = side.has_value();
  fields.optional_group(key, there, [&](Fields& inside) {
    describe_count(inside, {"panel", "Its place in the list; null: a leaf."}, held.panel);
    inside.text({"class", "The most frequent one there."}, held.predicted_class);
    inside.number({"share", "Of that class."}, held.share);
    inside.number({"count", "(Weighted) training rows."}, held.count);
  });
  if (there) side = std::move(held);
}

}  // namespace

static void describe_fields(PanelRunnerUp& other, Fields& fields) {
  fields.texts({"features", "", Presence::required}, other.features, 1);
  fields.number({"score",
                 "Covering: what they would have claimed, as a share of what the panel did when it was chosen; of a "
                 "tree as of the panel itself."},
                other.score);
}

static void describe_fields(Axis& axis, Fields& fields) {
  describe_feature(axis, fields);
  describe_grid(axis, fields);
}

static void describe_fields(SafetyStep& step, Fields& fields) {
  fields.number({"promised", "A new row of a more critical class is missed at most so often.", Presence::required},
                step.promised);
  fields.number({"unclaimed", "Share of other training rows that are then left unclaimed.", Presence::required},
                step.unclaimed);
  fields.flag({"chosen", "Whether the thresholds are these."}, step.chosen);
}

static void describe_marks(PanelMarks& marks, std::size_t axes, std::size_t classes, Fields& fields) {
  fields.indices({"rows", "Training rows that are drawn."}, marks.rows);
  const std::size_t size = marks.rows.size();
  fields.numbers({"x", "Of each of them, along the first feature; categories by their place."}, marks.x, size);
  fields.only_if(axes > 1, [&] { fields.numbers({"y", "Along the second."}, marks.y, axes > 1 ? size : 0); });
  fields.indices({"row_classes", "Places among the classes."}, marks.classes, classes);
  fields.indices({"row_above", "1: claimed, or on the positive side."}, marks.above, 2);
  fields.check([&](const JsonNode& item) {
    for (const auto& [key, length] : {std::pair("x", marks.x.size()), std::pair("row_classes", marks.classes.size()),
                                      std::pair("row_above", marks.above.size())}) {
      if (length != marks.rows.size()) item.fail(std::string(key) + " does not have a value for each of the rows");
    }
    if (axes > 1 && marks.y.size() != marks.rows.size()) item.fail("y does not have a value for each of the rows");
  });
}

static void describe_panel(ShownPanel& panel, std::size_t classes, Fields& fields) {
  describe_count(fields, {"number", "Its place in the whole tree, where a row's way is shown; null: in this list."},
                 panel.number);
  fields.records({"axes", "One or two features and the values that the region is known at.", Presence::required},
                 {.size = panel.axes.size(),
                  .resize = [&](std::size_t size) { panel.axes.resize(size); },
                  .describe = [&](std::size_t i, Fields& inside) { describe_fields(panel.axes[i], inside); }});
  fields.check([&](const JsonNode& item) {
    if (panel.axes.empty() || panel.axes.size() > 2) item.at("axes").fail("expected one or two");
  });
  const std::size_t rows = panel.axes.empty() ? 0 : panel.axes[0].size();
  const std::size_t columns = panel.axes.size() < 2 ? 1 : panel.axes[1].size();
  fields.matrix({"region", "Decision values per grid point of the first feature, of the second.", Presence::required},
                panel.region, rows, columns);
  fields.number({"threshold", "Above it the panel claims a row.", Presence::required}, panel.threshold);
  fields.only_if(!panel.box.empty(), [&] {
    fields.numbers({"box", "Low and high of each axis; beyond, nothing is claimed."}, panel.box, 2 * panel.axes.size());
  });
  fields.text({"claims", "The class of its positive side.", Presence::required}, panel.claims);
  fields.number({"count", "(Weighted) training rows that came to it."}, panel.count);
  fields.number({"claimed", "Those above the threshold."}, panel.claimed);
  fields.number({"wrong", "Of these, those of other classes."}, panel.wrong);
  fields.number({"score", "Covering: rows that no panel before it claims; tree: share of impurity that it removes."},
                panel.score);
  describe_some(fields, {"decision", "Of the row whose way is shown, unless a value is missing."}, panel.decision);
  describe_side(panel.below, {"below", "Of a tree: where rows go on that are not above the threshold."}, fields);
  describe_side(panel.above, {"above", "And those above."}, fields);
  describe_records(fields, {"runners_up", "Features that were nearly chosen instead."}, panel.runners_up);
  describe_marks(panel.marks, panel.axes.size(), classes, fields);
}

// Whoever draws the tree follows sides without looking.
static void check_tree(const ShownPanels& item, const JsonNode& node) {
  const std::vector<JsonNode> panels = node.at("panels").items();
  std::vector<bool> reached(panels.size(), false);
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const ShownPanel& panel = item.panels[i];
    if (panel.below.has_value() != panel.above.has_value()) panels[i].fail("below and above belong together");
    if (item.form == PanelForm::hierarchical && !item.row && !panel.below)
      panels[i].fail("a panel of a tree has two sides");
    if (item.form == PanelForm::covering && panel.below) panels[i].fail("only panels of a tree have sides");
    if (!panel.below) continue;
    if (i > 0 && !reached[i]) panels[i].fail("no panel before it leads to it");
    for (const auto& side : {panel.below, panel.above}) {
      if (!side->panel) continue;
      if (*side->panel <= i || *side->panel >= panels.size() || reached[*side->panel])
        panels[i].fail("leads to a panel that is not behind it, or has a parent already");
      reached[*side->panel] = true;
    }
  }
}

void describe_fields(ShownPanels& item, Fields& fields) {
  fields.about("Submodels of at most two features each, whose regions can be drawn.");
  describe_output(item.output, item.group, fields);
  describe_choice(fields,
                  {"structure", "A tree of panels, or panels that claim rows one after the other.", Presence::required},
                  forms, item.form);
  fields.texts({"classes", "", Presence::required}, item.classes, 2);
  fields.only_if(!item.order.empty(), [&] {
    fields.texts({"order", "Covering: the most critical class first; of the first no training row is claimed."},
                 item.order);
  });
  describe_count(fields, {"row", "Whose way through the panels is shown; null: panels with all their rows."}, item.row);
  describe_row_label(fields, item.row_label);
  fields.only_if(!item.predicted.empty(),
                 [&] { fields.text({"predicted", "The class of that row."}, item.predicted); });
  fields.records(
      {"panels", "In the order in which they are asked; of a tree the root first.", Presence::required},
      {.size = item.panels.size(),
       .resize = [&](std::size_t size) { item.panels.resize(size); },
       .describe = [&](std::size_t i, Fields& panel) { describe_panel(item.panels[i], item.classes.size(), panel); }});
  fields.number({"unclaimed", "Covering: share of rows of other classes that no panel claims."}, item.unclaimed);
  fields.number(
      {"missed", "Covering: (weighted) training rows that are taken for a less critical class than their own."},
      item.missed);
  fields.indices({"tolerated", "Covering: rows that were left out of what must not be claimed."}, item.tolerated);
  describe_records(fields, {"trade_off", "Of safe mode: what is promised against what it costs."}, item.trade_off);
  fields.object({"details", "Free-form."}, item.details);
  fields.check([&](const JsonNode& node) { check_tree(item, node); });
}

void show_rows(ShownPanels& item, const RowVisitor& visit) {
  if (item.row) visit(*item.row, item.row_label);
}

void tidy_rows(const ShownPanels& item, TidyRows& rows) {
  static const TableKind panel_table{.priority = 24,
                                     .columns = {"panel", "feature", "feature_2", "claims", "threshold", "count",
                                                 "claimed", "wrong", "score", "below", "above", "output", "group"},
                                     .always = {"panel", "feature", "claims", "count", "claimed", "wrong"}};
  for (std::size_t i = 0; i < item.panels.size(); ++i) {
    const ShownPanel& panel = item.panels[i];
    rows.row(panel_table, item).set("panel", std::uint64_t{i});
    if (!panel.axes.empty()) rows.set("feature", panel.axes[0].feature);
    if (panel.axes.size() > 1) rows.set("feature_2", panel.axes[1].feature);
    rows.set("claims", panel.claims).set("threshold", panel.threshold).set("count", panel.count);
    rows.set("claimed", panel.claimed).set("wrong", panel.wrong).set("score", panel.score);
    for (const auto& [column, side] : {std::pair("below", &panel.below), std::pair("above", &panel.above)}) {
      if (!*side) continue;
      rows.set(column, (*side)->panel ? "panel " + std::to_string(*(*side)->panel) : (*side)->predicted_class);
    }
  }
}

std::string item_title(const ShownPanels& item) {
  if (item.row) return row_title(*item.row, item.row_label) + " in the panels";
  return item.form == PanelForm::covering ? "Panels that claim rows" : "Tree of panels";
}

ItemFeatures item_features(const ShownPanels& item) {
  ItemFeatures features{FeatureUse::importance, {}};
  std::set<std::string> known;
  for (const ShownPanel& panel : item.panels) {
    for (const Axis& axis : panel.axes) {
      if (known.insert(axis.feature).second) features.together.push_back({axis.feature});
    }
  }
  return features;
}

void item_set_dates(ShownPanels& item, const Dates& dates) {
  for (ShownPanel& panel : item.panels) {
    for (Axis& axis : panel.axes) axis.dates = date_kind(dates, axis.feature);
  }
}

}  // namespace sightglass
