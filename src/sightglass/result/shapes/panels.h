// Submodels of at most two features each, whose regions can be drawn: an ensemble that claims rows one panel after the
// other, or a tree of panels.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/base/value.h"
#include "sightglass/result/item.h"
#include "sightglass/result/named_row.h"
#include "sightglass/result/shapes/axis.h"

namespace sightglass {

// What comes behind a panel of a tree: another one, or a leaf.
struct PanelSide {
  std::optional<std::uint64_t> panel = std::nullopt;
  std::string predicted_class;  // the most frequent one there
  double share = 0;             // of that class
  double count = 0;             // (weighted) training rows
};

// Features that were nearly chosen instead.
struct PanelRunnerUp {
  std::vector<std::string> features;
  double score = 0;  // covering: what it would have claimed, as a share of what the chosen one did; tree: as of a panel
};

// Rows that are drawn; categories by their place on the axis. A row without a value of the panel's features is not
// among them.
struct PanelMarks {
  std::vector<std::uint64_t> rows;
  std::vector<double> x, y;            // y: of panels with two features
  std::vector<std::uint64_t> classes;  // places among the item's classes
  std::vector<std::uint64_t> above;    // 1: claimed, or on the panel's positive side
};

struct ShownPanel {
  // Its place in the whole tree, where only a row's way is shown; else its place in the list.
  std::optional<std::uint64_t> number = std::nullopt;
  std::vector<Axis> axes;                   // one or two
  std::vector<std::vector<double>> region;  // decision values per grid point of the first feature, of the second
  double threshold = 0;                     // above it the panel claims a row
  std::vector<double> box;                  // covering: low and high of each axis, beyond which nothing is claimed
  std::string claims;                       // the class of its positive side
  double count = 0;                         // (weighted) training rows that came to it
  double claimed = 0, wrong = 0;            // those above the threshold, and of these those of other classes
  std::optional<double> decision = std::nullopt;  // of the row whose way is shown; none: a value is missing
  double score = 0;  // covering: what it claimed first; tree: share of impurity that it removes
  std::optional<PanelSide> below = std::nullopt, above = std::nullopt;  // of a tree
  std::vector<PanelRunnerUp> runners_up = {};
  PanelMarks marks = {};
};

enum class PanelForm { hierarchical, covering };

// The k-th safest threshold: what is promised of it, and what it costs.
struct SafetyStep {
  double promised = 0;   // a new critical row is missed at most so often
  double unclaimed = 0;  // share of other training rows that are then left unclaimed
  bool chosen = false;
};

struct ShownPanels {
  static constexpr std::string_view type = "panels";  // its name in JSON

  std::string output;
  std::string group;
  PanelForm form = PanelForm::covering;
  std::vector<std::string> classes;
  std::vector<std::string> order = {};  // covering: the most critical class first
  std::vector<ShownPanel> panels;
  std::optional<std::uint64_t> row = std::nullopt;  // whose way through them is shown; none: all training rows
  std::string row_label = {};                       // what that row is called; empty: by its number
  std::string predicted = {};                       // class of that row
  double unclaimed = 0;                             // covering: share of rows of other classes that no panel claims
  double missed = 0;                                // covering: (weighted) rows taken for a less critical class
  std::vector<std::uint64_t> tolerated = {};        // covering: rows that were left out of what must not be claimed
  std::vector<SafetyStep> trade_off = {};           // of safe mode
  Value details = Value::object();
};

void describe_fields(ShownPanels& panels, Fields& fields);
void tidy_rows(const ShownPanels& panels, TidyRows& rows);
void item_set_dates(ShownPanels& item, const Dates& dates);
void show_rows(ShownPanels& item, const RowVisitor& visit);
[[nodiscard]] std::string item_title(const ShownPanels& panels);
[[nodiscard]] ItemFeatures item_features(const ShownPanels& panels);

}  // namespace sightglass
