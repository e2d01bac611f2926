// Structures as files have them; model/readers/sightglass_json.cpp reads them back.
#include <cmath>

#include "sightglass/model/learned/structure.h"

namespace sightglass {

namespace {

Value indices(const std::vector<std::uint32_t>& numbers) {
  Value list = Value::array();
  for (const std::uint32_t number : numbers) list.push_back(static_cast<std::int64_t>(number));
  return list;
}

Value members(const CategorySet& set) {
  Value list = Value::array();
  for (std::size_t code = 0; code < set.bits.size() * 64; ++code) {
    if (set.contains(static_cast<std::int64_t>(code))) list.push_back(static_cast<std::int64_t>(code));
  }
  return list;
}

// A bound that is not there is not written.
void set_bound(Value& object, std::string_view key, double bound) {
  if (std::isfinite(bound)) object.set(key, bound);
}

Value value_of(const TreeStructure& tree) {
  const std::size_t leaves = tree.leaf_values.empty() ? 0 : tree.nodes.size() / 2 + 1;
  const std::size_t outputs = leaves == 0 ? 1 : tree.leaf_values.size() / leaves;
  Value nodes = Value::array();
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const TreeNode& node = tree.nodes[i];
    Value entry = Value::object();
    if (node.is_leaf()) {
      std::vector<double> values = {node.threshold};
      if (node.leaf >= 0) {
        const auto first = tree.leaf_values.begin() + node.leaf * static_cast<std::ptrdiff_t>(outputs);
        values.assign(first, first + static_cast<std::ptrdiff_t>(outputs));
      }
      entry.set("values", values);
    } else {
      entry.set("feature", static_cast<std::int64_t>(node.feature));
      if (node.categories >= 0) {
        // Those that go left.
        entry.set("levels", members(tree.category_sets[static_cast<std::size_t>(node.categories)]));
      } else {
        if (std::isinf(node.threshold) && node.threshold < 0) entry.set("present", false);  // no number goes left
        set_bound(entry, "at_most", node.threshold);
      }
      entry.set("missing_left", node.missing_left);
      entry.set("left", static_cast<std::int64_t>(node.left));
      entry.set("right", static_cast<std::int64_t>(node.right));
    }
    if (!tree.covers.empty()) entry.set("count", tree.covers[i]);
    nodes.push_back(std::move(entry));
  }
  return Value::object({{"form", "tree"}, {"nodes", std::move(nodes)}});
}

Value value_of(const TermStructure& structure) {
  Value terms = Value::array();
  for (const Term& term : structure.terms) {
    Value entry = Value::object();
    if (term.conditions.empty()) {
      entry.set("feature", static_cast<std::int64_t>(term.feature));
      set_bound(entry, "low", term.low);
      set_bound(entry, "high", term.high);
      entry.set("missing", term.missing);
    } else {
      Value conditions = Value::array();
      for (const TermCondition& condition : term.conditions) {
        Value one = Value::object({{"feature", static_cast<std::int64_t>(condition.feature)}});
        if (condition.levels.empty() && std::isinf(condition.above) && condition.above > 0) {
          one.set("present", false);  // no value meets it, only a missing one
        } else {
          set_bound(one, "above", condition.above);
        }
        set_bound(one, "at_most", condition.at_most);
        if (!condition.levels.empty()) one.set("levels", indices(condition.levels));
        if (condition.missing) one.set("missing", true);
        conditions.push_back(std::move(one));
      }
      entry.set("conditions", std::move(conditions));
    }
    entry.set("weights", term.weights);
    if (term.moments) entry.set("mean", term.moments->mean).set("sd", term.moments->sd);
    terms.push_back(std::move(entry));
  }
  return Value::object({{"form", "terms"},
                        {"intercept", structure.intercept},
                        {"refuses_missing", structure.refuses_missing},
                        {"terms", std::move(terms)}});
}

Value value_of(const StepStructure& structure) {
  Value terms = Value::array();
  for (const StepTerm& term : structure.terms) {
    Value edges = Value::array();
    for (const auto& of_feature : term.edges) edges.push_back(Value(of_feature));
    terms.push_back(
        Value::object({{"features", indices(term.features)}, {"edges", std::move(edges)}, {"values", term.values}}));
  }
  return Value::object({{"form", "steps"}, {"intercept", structure.intercept}, {"terms", std::move(terms)}});
}

Value rows_of(const std::vector<std::vector<double>>& matrix) {
  Value list = Value::array();
  for (const auto& row : matrix) list.push_back(Value(row));
  return list;
}

Value value_of(const Panel& panel) {
  Value inputs = Value::array();
  for (const Panel::Input& input : panel.inputs) {
    Value entry = Value::object({{"feature", static_cast<std::int64_t>(input.feature)},
                                 {"center", input.center},
                                 {"scale", input.scale},
                                 {"low", input.low},
                                 {"high", input.high}});
    if (!input.positions.empty()) {
      Value positions = Value::array();  // null: a level without a place
      for (const double position : input.positions) {
        positions.push_back(std::isnan(position) ? Value() : Value(position));
      }
      entry.set("positions", std::move(positions));
    }
    inputs.push_back(std::move(entry));
  }
  Value entry = Value::object({{"claims", static_cast<std::int64_t>(panel.claims)},
                               {"threshold", panel.threshold},
                               {"spread", panel.spread},
                               {"inputs", std::move(inputs)},
                               {"bias", panel.bias},
                               {"coefficients", panel.coefficients}});
  if (!panel.linear) entry.set("gamma", panel.gamma).set("support", rows_of(panel.support));
  return entry;
}

Value value_of(const CoveringStructure& structure) {
  Value panels = Value::array();
  for (const Panel& panel : structure.panels) panels.push_back(value_of(panel));
  Value entry = Value::object({{"form", "covering"}, {"order", indices(structure.order)}});
  if (structure.one_vs_rest) entry.set("one_vs_rest", true);
  entry.set("shares", rows_of(structure.shares)).set("panels", std::move(panels));
  return entry;
}

Value value_of(const PanelTreeStructure& structure) {
  Value panels = Value::array();
  for (const auto& node : structure.nodes) {
    Value entry = value_of(node.panel);
    entry.set("below", static_cast<std::int64_t>(node.below)).set("above", static_cast<std::int64_t>(node.above));
    entry.set("missing_above", node.missing_above);
    panels.push_back(std::move(entry));
  }
  return Value::object({{"form", "panel_tree"}, {"leaves", rows_of(structure.leaves)}, {"panels", std::move(panels)}});
}

// Missing values are null.
Value value_of(const NeighborStructure& structure) {
  Value values = Value::array();
  for (const auto& column : structure.values) {
    Value list = Value::array();
    for (const double value : column) list.push_back(std::isnan(value) ? Value() : Value(value));
    values.push_back(std::move(list));
  }
  Value object = Value::object({{"form", "neighbors"},
                                {"k", structure.k},
                                {"ranges", structure.ranges},
                                {"values", std::move(values)},
                                {"outcome", structure.outcome}});
  if (!structure.weights.empty()) object.set("weights", structure.weights);
  if (!structure.rows.empty()) object.set("rows", structure.rows);
  if (!structure.otherwise.empty()) object.set("otherwise", structure.otherwise);
  return object;
}

}  // namespace

Value to_value(const Structure& structure) {
  return std::visit([](const auto& what) { return value_of(what); }, structure);
}

}  // namespace sightglass
