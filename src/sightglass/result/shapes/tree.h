// A decision tree: a model of its own, or a surrogate.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/base/value.h"
#include "sightglass/result/shapes/proof.h"
#include "sightglass/result/shapes/shown_condition.h"

namespace sightglass {

class Fields;
class TidyRows;
struct ItemFeatures;

struct ShownNode {
  std::optional<ShownCondition> split = std::nullopt;  // rows that meet it go to the first child; none: a leaf
  std::vector<std::uint64_t> children = {};            // two, or none
  double count = 0;                                    // (weighted) rows
  double value = 0;                                    // what is predicted there, of the tree's output
  std::string predicted_class = {};                    // of a tree of classes: the most frequent one ("class" in JSON)
  std::vector<double> shares = {};  // of a tree of classes: that of each class, in the order of `classes`
  std::optional<double> se = std::nullopt;
  std::optional<double> impurity = std::nullopt;
  std::optional<double> agreement = std::nullopt;  // of a surrogate: R² (or share of equal classes) of the rows there
  std::optional<double> stability =
      std::nullopt;  // of a split: share of refits on resampled rows in which it came back
};

struct ShownTree {
  static constexpr std::string_view type = "tree";  // its name in JSON

  std::string name = {};  // what a picture of it is called; empty: "Decision tree"
  std::string output;
  std::string group;
  std::string unit = {};                  // of values; empty if unknown
  std::vector<std::string> classes = {};  // of a tree of classes
  std::vector<ShownNode> nodes;           // the root first; a child stands behind its parent
  std::optional<Proof> proof = std::nullopt;
  Value details = Value::object();
};

void describe_fields(ShownTree& tree, Fields& fields);
void tidy_rows(const ShownTree& tree, TidyRows& rows);
void item_set_dates(ShownTree& item, const Dates& dates);
[[nodiscard]] std::string item_title(const ShownTree& tree);
[[nodiscard]] ItemFeatures item_features(const ShownTree& tree);

}  // namespace sightglass
