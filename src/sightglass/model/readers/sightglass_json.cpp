// Our own models, as `sightglass fit` writes them (learn/fit.cpp). A file that was cut or changed is refused, whatever
// it says: its digest stands in front.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "sightglass/base/digest.h"
#include "sightglass/base/error.h"
#include "sightglass/model/learned/model_file.h"
#include "sightglass/model/learned/structure.h"
#include "sightglass/model/readers/json_document_internal.h"
#include "sightglass/model/readers/readers_internal.h"

namespace sightglass {

namespace {

constexpr std::int64_t most_nodes = std::int64_t{1} << 30;
constexpr int deepest_fact = 32;
constexpr std::string_view name_of_schema = "\"sightglass.model/";

// Files say where they come from near their beginning, also those that another program has written anew.
std::string_view from_schema(std::string_view content) {
  const std::string_view start = content.substr(0, 200);
  const std::size_t at = start.find(name_of_schema);
  return at == std::string_view::npos ? std::string_view() : start.substr(at + name_of_schema.size());
}

bool is_newer(std::string_view content) {
  const std::string_view number = from_schema(content).substr(0, from_schema(content).find('"'));
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return !number.empty() && std::all_of(number.begin(), number.end(), is_digit) && number != "1";
}

// Throws unless the file is just as it was written.
void check_whole(std::string_view content, const JsonBlame& blame) {
  if (!content.starts_with(model_file_start)) {
    if (is_newer(content)) blame.fail("was written by a newer version");
    blame.fail("is cut off, or was changed after it was written");
  }
  constexpr std::size_t digits = 16;
  const std::string_view rest = content.substr(model_file_start.size());
  const std::string_view members = rest.size() < digits + 2 ? "" : rest.substr(digits + 2);
  const std::size_t end = members.find_last_not_of(" \t\r\n");
  const std::string_view hashed = end == std::string_view::npos ? "" : members.substr(0, end + 1);
  if (hashed.empty() || Digest().bytes(hashed).hex() != rest.substr(0, digits)) {
    blame.fail("is cut off, or was changed after it was written");
  }
}

double bound(const JsonObject& object, std::string_view key, double otherwise) {
  const auto value = object.find(key);
  return value ? value->number() : otherwise;
}

std::uint32_t index(const JsonObject& object, std::string_view key, std::size_t end) {
  return static_cast<std::uint32_t>(object.require(key).integer(0, static_cast<std::int64_t>(end) - 1));
}

std::vector<std::uint32_t> indices(const JsonValue& list, std::size_t end) {
  std::vector<std::uint32_t> numbers;
  list.each([&](const JsonValue& item) {
    numbers.push_back(static_cast<std::uint32_t>(item.integer(0, static_cast<std::int64_t>(end) - 1)));
  });
  return numbers;
}

TreeStructure read_tree(const JsonObject& object, const Signature& signature) {
  TreeStructure tree;
  const JsonValue nodes = object.require("nodes");
  const std::size_t outputs = signature.outputs.size();
  nodes.each([&](const JsonValue& item) {
    const JsonObject entry(item);
    TreeNode& node = tree.nodes.emplace_back();
    if (const auto count = entry.find("count")) tree.covers.push_back(count->number());
    if (const auto values = entry.find("values")) {
      const std::vector<double> numbers = values->numbers();
      if (numbers.size() != outputs) values->fail("does not have a value for each output");
      if (outputs == 1) {
        node.threshold = numbers[0];
      } else {
        node.leaf = static_cast<std::int32_t>(tree.leaf_values.size() / outputs);
        tree.leaf_values.insert(tree.leaf_values.end(), numbers.begin(), numbers.end());
      }
      return;
    }
    node.feature = static_cast<std::int32_t>(index(entry, "feature", signature.features.size()));
    const FeatureInfo& feature = signature.features[static_cast<std::size_t>(node.feature)];
    if (const auto levels = entry.find("levels")) {
      node.categories = static_cast<std::int32_t>(tree.category_sets.size());
      node.categories_left = true;
      CategorySet& set = tree.category_sets.emplace_back();
      for (const std::uint32_t level : indices(*levels, feature.levels.size())) {
        if (set.bits.size() <= level / 64) set.bits.resize(level / 64 + 1);
        set.bits[level / 64] |= std::uint64_t{1} << (level % 64);
      }
    } else {
      node.threshold = bound(entry, "at_most", std::numeric_limits<double>::infinity());
      if (const auto present = entry.find("present"); present && !present->boolean_or_bit()) {
        node.threshold = -std::numeric_limits<double>::infinity();
      }
    }
    node.missing_left = entry.require("missing_left").boolean_or_bit();
    node.left = static_cast<std::int32_t>(entry.require("left").integer(1, most_nodes));
    node.right = static_cast<std::int32_t>(entry.require("right").integer(1, most_nodes));
  });
  if (tree.nodes.empty()) nodes.fail("is empty");
  return tree;
}

TermCondition read_condition(const JsonValue& item, const Signature& signature) {
  const JsonObject entry(item);
  TermCondition condition;
  condition.feature = index(entry, "feature", signature.features.size());
  condition.above = bound(entry, "above", condition.above);
  condition.at_most = bound(entry, "at_most", condition.at_most);
  if (const auto levels = entry.find("levels")) {
    condition.levels = indices(*levels, signature.features[condition.feature].levels.size());
  }
  if (const auto present = entry.find("present"); present && !present->boolean_or_bit()) {
    condition.above = std::numeric_limits<double>::infinity();
  }
  if (const auto missing = entry.find("missing")) condition.missing = missing->boolean_or_bit();
  return condition;
}

TermStructure read_terms(const JsonObject& object, const Signature& signature) {
  TermStructure structure;
  structure.intercept = object.require("intercept").numbers();
  structure.refuses_missing = object.require("refuses_missing").boolean_or_bit();
  object.require("terms").each([&](const JsonValue& item) {
    const JsonObject entry(item);
    Term& term = structure.terms.emplace_back();
    term.weights = entry.require("weights").numbers();
    if (const auto mean = entry.find("mean")) term.moments = {mean->number(), entry.require("sd").number()};
    if (const auto conditions = entry.find("conditions")) {
      conditions->each([&](const JsonValue& one) { term.conditions.push_back(read_condition(one, signature)); });
      if (term.conditions.empty()) conditions->fail("is empty");
      return;
    }
    term.feature = index(entry, "feature", signature.features.size());
    term.low = bound(entry, "low", term.low);
    term.high = bound(entry, "high", term.high);
    term.missing = entry.require("missing").number();
  });
  return structure;
}

StepStructure read_steps(const JsonObject& object, const Signature& signature) {
  StepStructure structure;
  structure.intercept = object.require("intercept").numbers();
  object.require("terms").each([&](const JsonValue& item) {
    const JsonObject entry(item);
    StepTerm& term = structure.terms.emplace_back();
    term.features = indices(entry.require("features"), signature.features.size());
    entry.require("edges").each([&](const JsonValue& edges) { term.edges.push_back(edges.numbers()); });
    term.values = entry.require("values").numbers();
  });
  return structure;
}

std::vector<std::vector<double>> matrix(const JsonValue& list) {
  std::vector<std::vector<double>> rows;
  list.each([&](const JsonValue& row) { rows.push_back(row.numbers()); });
  return rows;
}

Panel read_panel(const JsonObject& entry, const Signature& signature) {
  Panel panel;
  const std::size_t classes = signature.outputs.size() == 1 ? 2 : signature.outputs.size();
  panel.claims = index(entry, "claims", classes);
  panel.threshold = entry.require("threshold").number();
  panel.spread = entry.require("spread").number();
  panel.bias = entry.require("bias").number();
  panel.coefficients = entry.require("coefficients").numbers();
  entry.require("inputs").each([&](const JsonValue& item) {
    const JsonObject of_feature(item);
    Panel::Input& input = panel.inputs.emplace_back();
    input.feature = index(of_feature, "feature", signature.features.size());
    input.center = of_feature.require("center").number();
    input.scale = of_feature.require("scale").number();
    input.low = of_feature.require("low").number();
    input.high = of_feature.require("high").number();
    if (const auto positions = of_feature.find("positions")) {
      positions->each([&](const JsonValue& position) {
        const bool placed = !position.element().is_null();
        input.positions.push_back(placed ? position.number() : std::numeric_limits<double>::quiet_NaN());
      });
    }
  });
  const auto gamma = entry.find("gamma");
  panel.linear = !gamma;
  if (gamma) {
    panel.gamma = gamma->number();
    panel.support = matrix(entry.require("support"));
  }
  return panel;
}

CoveringStructure read_covering(const JsonObject& object, const Signature& signature) {
  CoveringStructure structure;
  structure.order = indices(object.require("order"), std::size_t{1} << 20);
  structure.shares = matrix(object.require("shares"));
  if (const auto one_vs_rest = object.find("one_vs_rest")) structure.one_vs_rest = one_vs_rest->boolean_or_bit();
  object.require("panels").each(
      [&](const JsonValue& item) { structure.panels.push_back(read_panel(JsonObject(item), signature)); });
  return structure;
}

PanelTreeStructure read_panel_tree(const JsonObject& object, const Signature& signature) {
  PanelTreeStructure structure;
  structure.leaves = matrix(object.require("leaves"));
  object.require("panels").each([&](const JsonValue& item) {
    const JsonObject entry(item);
    auto& node = structure.nodes.emplace_back();
    node.panel = read_panel(entry, signature);
    node.below = static_cast<std::int32_t>(entry.require("below").integer(-most_nodes, most_nodes));
    node.above = static_cast<std::int32_t>(entry.require("above").integer(-most_nodes, most_nodes));
    node.missing_above = entry.require("missing_above").boolean_or_bit();
  });
  return structure;
}

NeighborStructure read_neighbors(const JsonObject& object) {
  NeighborStructure structure;
  structure.k = object.require("k").number();
  structure.ranges = object.require("ranges").numbers();
  structure.outcome = object.require("outcome").numbers();
  if (const auto weights = object.find("weights")) structure.weights = weights->numbers();
  if (const auto otherwise = object.find("otherwise")) structure.otherwise = otherwise->numbers();
  if (const auto rows = object.find("rows")) {
    rows->each([&](const JsonValue& item) {
      structure.rows.push_back(static_cast<std::uint64_t>(item.integer(0, std::numeric_limits<std::int64_t>::max())));
    });
  }
  object.require("values").each([&](const JsonValue& column) {
    std::vector<double>& values = structure.values.emplace_back();
    column.each([&](const JsonValue& item) {
      values.push_back(item.element().is_null() ? std::numeric_limits<double>::quiet_NaN() : item.number());
    });
  });
  return structure;
}

Structure read_structure(const JsonValue& value, const Signature& signature) {
  const JsonObject object(value);
  const JsonValue form = object.require("form");
  if (form.text() == "tree") return read_tree(object, signature);
  if (form.text() == "terms") return read_terms(object, signature);
  if (form.text() == "steps") return read_steps(object, signature);
  if (form.text() == "covering") return read_covering(object, signature);
  if (form.text() == "panel_tree") return read_panel_tree(object, signature);
  if (form.text() == "neighbors") return read_neighbors(object);
  form.fail("is not known to this version: " + printable(form.text(), 40));
}

constexpr std::pair<std::string_view, Link> links[] = {
    {"identity", Link::identity}, {"logit", Link::logistic}, {"softmax", Link::softmax}, {"log", Link::exponential}};

LinkFunction read_link(const JsonValue& value) {
  for (const auto& [name, link] : links) {
    if (value.text() == name) return {.link = link};
  }
  value.fail("is not known to this version: " + printable(value.text(), 40));
}

FeatureInfo read_feature(const JsonValue& value) {
  const JsonObject entry(value);
  FeatureInfo feature;
  feature.name = std::string(entry.require("name").text());
  if (const auto levels = entry.find("levels")) {
    feature.categorical = true;
    feature.levels = levels->texts();
  }
  if (const auto dates = entry.find("dates")) {
    for (std::size_t i = 1; i < std::size(date_units); ++i) {
      if (dates->text() == date_units[i]) feature.dates.unit = static_cast<DateUnit>(i);
    }
    if (!feature.dates) dates->fail("is no unit of dates: " + printable(dates->text(), 40));
  }
  return feature;
}

Task read_task(const JsonValue& value) {
  for (const Task task : {Task::regression, Task::binary, Task::multiclass}) {
    if (value.text() == to_string(task)) return task;
  }
  value.fail("is not known to this version: " + printable(value.text(), 40));
}

// How it was fitted: whatever the learner had to say.
Value read_fact(const JsonValue& value, int depth) {
  if (depth > deepest_fact) value.fail("is too deep");
  if (value.is_object()) {
    Value object = Value::object();
    const JsonObject members(value);
    for (const auto& [name, element] : members.members()) object.set(name, read_fact(*members.find(name), depth + 1));
    return object;
  }
  if (value.is_array()) {
    Value list = Value::array();
    value.each([&](const JsonValue& item) { list.push_back(read_fact(item, depth + 1)); });
    return list;
  }
  if (value.is_string()) return {std::string(value.text())};
  std::int64_t whole = 0;
  bool truth = false;
  if (value.element().is_null()) return {};
  if (value.element().get(truth) == simdjson::SUCCESS) return {truth};
  if (value.element().get(whole) == simdjson::SUCCESS) return {whole};
  return {value.number()};
}

}  // namespace

bool is_sightglass_model(std::string_view content) { return from_schema(content).data() != nullptr; }

std::unique_ptr<Model> read_sightglass_json(std::string_view content, std::string_view where,
                                            const LoadOptions& options) {
  const JsonBlame blame{.kind = ErrorKind::model, .where = std::string(where), .advice = "fit the model again"};
  check_whole(content, blame);
  JsonDocument document;
  const JsonValue root(blame, document.parse(content, blame));
  const JsonObject object(root);
  Signature signature;
  signature.format = "sightglass";
  signature.version = std::string(object.require("version").text());
  signature.objective = std::string(object.require("kind").text());
  signature.task = read_task(object.require("task"));
  signature.outputs = object.require("outputs").texts();
  if (signature.outputs.empty()) object.require("outputs").fail("is empty");
  const std::set<std::string> different(signature.outputs.begin(), signature.outputs.end());
  if (different.size() < signature.outputs.size()) object.require("outputs").fail("has the same name twice");
  if (!options.classes.empty()) {
    signature.outputs = output_names(signature, signature.outputs.size(), options, where, signature.outputs);
  }
  check_rounds(options, 0, where);
  object.require("features").each([&](const JsonValue& item) { signature.features.push_back(read_feature(item)); });
  const JsonValue fitted = object.require("fitted");
  if (!fitted.is_object()) fitted.fail("is not an object");
  signature.detail = read_fact(fitted, 0);
  if (const Value* classes = signature.detail.find("classes"); signature.other_class.empty() && classes != nullptr &&
                                                               classes->is_array() && classes->as_array().size() == 2 &&
                                                               classes->as_array()[0].is_string())
    signature.other_class = classes->as_array()[0].as_string();
  const LinkFunction link = read_link(object.require("link"));
  signature.has_margin = link.link != Link::identity;
  Structure structure = read_structure(object.require("structure"), signature);
  return make_model(std::move(signature), link, std::move(structure), where);
}

}  // namespace sightglass
