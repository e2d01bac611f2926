// Results from JSON. Trusts nothing: every length, type and spelling is checked before a renderer may index
// by it, and a message names the spot.
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "sightglass/base/error.h"
#include "sightglass/result/json.h"

namespace sightglass {

namespace {

constexpr std::string_view schema_name = "sightglass.result/";
constexpr std::string_view schema = "sightglass.result/1";

// A place in the document: a value and how one gets there, for messages ("results[2].grid").
class Node {
 public:
  Node(const Value& value, std::string path) : value_(&value), path_(std::move(path)) {}

  [[nodiscard]] const Value& value() const { return *value_; }

  [[noreturn]] void fail(const std::string& message) const { throw Error(ErrorKind::data, path_ + ": " + message); }

  [[nodiscard]] std::optional<Node> find(std::string_view key) const {
    if (!value_->is_object()) fail("expected an object");
    const Value* member = value_->find(key);
    if (member == nullptr) return std::nullopt;
    return Node(*member, path_ + "." + std::string(key));
  }
  // Like find(), but null counts as absent.
  [[nodiscard]] std::optional<Node> find_set(std::string_view key) const {
    auto node = find(key);
    if (node && node->value().is_null()) return std::nullopt;
    return node;
  }
  [[nodiscard]] Node at(std::string_view key) const {
    auto node = find(key);
    if (!node) fail("the key \"" + std::string(key) + "\" is missing");
    return *node;
  }
  // A member that is known to be there.
  [[nodiscard]] Node member(const Value::Member& member) const { return {member.second, path_ + "." + member.first}; }
  [[nodiscard]] std::vector<Node> items() const {
    if (!value_->is_array()) fail("expected a list");
    std::vector<Node> nodes;
    nodes.reserve(value_->as_array().size());
    for (const auto& item : value_->as_array()) nodes.push_back(item_node(item, nodes.size()));
    return nodes;
  }

  [[nodiscard]] const std::string& text() const {
    if (!value_->is_string()) fail("expected a text");
    return value_->as_string();
  }
  [[nodiscard]] bool boolean() const {
    if (!value_->is_bool()) fail("expected true or false");
    return value_->as_bool();
  }
  [[nodiscard]] double number() const {
    return number(*value_, [this] { fail(not_a_number); });
  }
  [[nodiscard]] std::uint64_t count() const {
    if (!value_->is_integer() || value_->as_integer() < 0) fail("expected a whole number of at least 0");
    return static_cast<std::uint64_t>(value_->as_integer());
  }
  [[nodiscard]] std::vector<double> numbers() const {
    if (!value_->is_array()) fail("expected a list of numbers");
    std::vector<double> result;
    result.reserve(value_->as_array().size());
    for (const auto& item : value_->as_array()) {
      result.push_back(number(item, [&] { item_node(item, result.size()).fail(not_a_number); }));
    }
    return result;
  }
  // Exactly `size` of them, or, where the method did not compute them, none.
  [[nodiscard]] std::vector<double> numbers(std::size_t size, bool may_be_empty = false) const {
    auto result = numbers();
    if (result.size() != size && !(may_be_empty && result.empty())) fail_length(result.size(), size);
    return result;
  }
  [[nodiscard]] std::vector<std::optional<double>> optional_numbers(std::size_t size) const {
    std::vector<std::optional<double>> result;
    for (const auto& node : items()) {
      result.push_back(node.value().is_null() ? std::nullopt : std::optional(node.number()));
    }
    if (result.size() != size && !result.empty()) fail_length(result.size(), size);
    return result;
  }
  [[nodiscard]] std::vector<std::string> texts() const {
    std::vector<std::string> result;
    for (const auto& node : items()) result.push_back(node.text());
    return result;
  }
  [[nodiscard]] std::vector<std::vector<double>> matrix(std::size_t rows, std::size_t columns) const {
    std::vector<std::vector<double>> result;
    for (const auto& node : items()) result.push_back(node.numbers(columns));
    if (result.size() != rows) fail_length(result.size(), rows);
    return result;
  }
  [[noreturn]] void fail_length(std::size_t found, std::size_t wanted) const {
    fail("has " + std::to_string(found) + " entries, " + std::to_string(wanted) + " are needed");
  }

 private:
  static constexpr const char* not_a_number = "expected a number (or \"NaN\", \"Infinity\", \"-Infinity\")";

  [[nodiscard]] Node item_node(const Value& item, std::size_t index) const {
    return {item, path_ + "[" + std::to_string(index) + "]"};
  }
  template <class Fail>
  [[nodiscard]] static double number(const Value& value, Fail fail) {
    if (value.is_number()) return value.as_number();
    if (value.is_string()) {
      const auto& text = value.as_string();
      if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
      if (text == "Infinity") return std::numeric_limits<double>::infinity();
      if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
    }
    fail();
    return 0;
  }

  const Value* value_;
  std::string path_;
};

std::string text_or_empty(const Node& parent, std::string_view key) {
  const auto node = parent.find_set(key);
  return node ? node->text() : std::string();
}

std::vector<double> numbers_or_empty(const Node& parent, std::string_view key, std::size_t size) {
  const auto node = parent.find_set(key);
  return node ? node->numbers(size, true) : std::vector<double>();
}

std::vector<std::uint64_t> indices_or_empty(const Node& parent, std::string_view key, std::size_t size) {
  std::vector<std::uint64_t> indices;
  const auto node = parent.find_set(key);
  if (!node) return indices;
  for (const auto& index : node->items()) {
    indices.push_back(index.count());
    if (indices.back() >= size) index.fail("there are only " + std::to_string(size) + " grid points");
  }
  return indices;
}

std::optional<double> number_or_none(const Node& parent, std::string_view key) {
  const auto node = parent.find_set(key);
  return node ? std::optional(node->number()) : std::nullopt;
}

void read_grid(const Node& grid, const Node& kind, Axis& axis) {
  if (kind.text() == "categorical") {
    axis.categorical = true;
    axis.levels = grid.texts();
  } else if (kind.text() == "numeric") {
    axis.numbers = grid.numbers();
  } else {
    kind.fail("expected \"numeric\" or \"categorical\"");
  }
}

Axis read_axis(const Node& item) {
  Axis axis;
  axis.feature = item.at("feature").text();
  axis.unit = text_or_empty(item, "unit");
  if (const auto ordered = item.find_set("ordered")) axis.ordered = ordered->boolean();
  read_grid(item.at("grid"), item.at("kind"), axis);
  return axis;
}

Distribution read_distribution(const Node& item, const Axis& axis) {
  Distribution distribution;
  const auto node = item.find_set("distribution");
  if (!node) return distribution;
  if (const auto edges = node->find_set("edges")) distribution.edges = edges->numbers();
  if (const auto counts = node->find_set("counts")) distribution.counts = counts->numbers();
  if (const auto rug = node->find_set("rug")) distribution.rug = rug->numbers();
  if (const auto missing = node->find_set("missing")) distribution.missing = missing->number();
  if (axis.is_categorical()) {
    if (!distribution.edges.empty()) node->fail("a categorical feature has no edges");
    if (!distribution.counts.empty() && distribution.counts.size() != axis.size()) {
      node->at("counts").fail_length(distribution.counts.size(), axis.size());
    }
  } else if (distribution.edges.size() != distribution.counts.size() + (distribution.counts.empty() ? 0 : 1)) {
    node->at("edges").fail_length(distribution.edges.size(), distribution.counts.size() + 1);
  }
  return distribution;
}

Measure read_measure(const Node& item) {
  const auto node = item.find_set("measure");
  if (!node) return Measure::mean;
  for (const auto measure : {Measure::mean, Measure::effect, Measure::loss}) {
    if (node->text() == to_string(measure)) return measure;
  }
  node->fail("expected mean, effect or loss");
}

Curve read_curve(const Node& item) {
  Curve curve;
  curve.axis = read_axis(item);
  const std::size_t size = curve.axis.size();
  curve.output = text_or_empty(item, "output");
  curve.group = text_or_empty(item, "group");
  curve.series = text_or_empty(item, "series");
  curve.measure = read_measure(item);
  if (curve.measure == Measure::effect) {
    const std::size_t bins = size > 0 ? size - 1 : 0;
    curve.mean = item.at("effect").numbers(size);
    curve.se_shape = numbers_or_empty(item, "se", size);
    curve.bin_count = numbers_or_empty(item, "bin_count", bins);
    curve.slope = numbers_or_empty(item, "slope", bins);
  } else {
    curve.mean = item.at("mean").numbers(size);
    curve.sd = numbers_or_empty(item, "sd", size);
    curve.se_level = numbers_or_empty(item, "se_level", size);
    curve.se_shape = numbers_or_empty(item, "se_shape", size);
  }
  curve.count = numbers_or_empty(item, "count", size);
  if (const auto missing = item.find_set("missing")) {
    const auto part = [&](std::string_view key) { return number_or_none(*missing, key).value_or(0); };
    curve.missing =
        MissingPoint{missing->at("mean").number(), part("sd"), part("se_level"), part("se_shape"), part("count")};
  }
  curve.distribution = read_distribution(item, curve.axis);
  if (const auto verdict = item.find_set("verdict")) {
    for (const auto shape : {CurveShape::constant, CurveShape::linear, CurveShape::monotone, CurveShape::complex}) {
      if (verdict->text() == to_string(shape)) curve.shape = shape;
    }
    if (!curve.shape) verdict->fail("expected constant, linear, monotone or complex");
  }
  curve.heterogeneity = number_or_none(item, "heterogeneity");
  curve.sparse = indices_or_empty(item, "sparse", size);
  curve.extrapolated = indices_or_empty(item, "extrapolated", size);
  curve.outside = numbers_or_empty(item, "outside", size);
  return curve;
}

Curves read_curves(const Node& item) {
  Curves curves;
  curves.axis = read_axis(item);
  const std::size_t size = curves.axis.size();
  const bool categorical = curves.axis.is_categorical();
  curves.output = text_or_empty(item, "output");
  curves.group = text_or_empty(item, "group");
  if (const auto derivative = item.find_set("derivative")) curves.derivative = derivative->boolean();
  for (const auto& row : item.at("rows").items()) curves.rows.push_back(row.count());
  const std::size_t rows = curves.rows.size();
  curves.values = item.at("values").matrix(rows, size);
  if (const auto missing = item.find_set("missing")) curves.missing = missing->optional_numbers(rows);
  if (const auto own = item.find_set("own")) {
    if (categorical) {
      curves.own_level = own->texts();
      if (curves.own_level.size() != rows && !curves.own_level.empty()) {
        own->fail_length(curves.own_level.size(), rows);
      }
    } else {
      curves.own_value = own->optional_numbers(rows);
    }
  }
  if (const auto anchor = item.find_set("anchor")) {
    if (categorical && anchor->value().is_string()) {
      curves.anchor_level = anchor->text();
    } else {
      curves.anchor = anchor->number();
    }
  }
  curves.mean = numbers_or_empty(item, "mean", size);
  curves.sd = numbers_or_empty(item, "sd", size);
  if (const auto bands = item.find_set("bands")) {
    for (const auto& band : bands->items()) {
      curves.band_levels.push_back(band.at("level").number());
      curves.bands.push_back(band.at("values").numbers(size));
    }
  }
  curves.total_rows = rows;
  if (const auto total = item.find_set("total_rows")) curves.total_rows = total->count();
  curves.distribution = read_distribution(item, curves.axis);
  curves.heterogeneity = number_or_none(item, "heterogeneity");
  return curves;
}

Surface read_surface(const Node& item) {
  Surface surface;
  const auto pair = [&](std::string_view key) {
    auto nodes = item.at(key).items();
    if (nodes.size() != 2) item.at(key).fail_length(nodes.size(), 2);
    return nodes;
  };
  const auto features = pair("features");
  const auto kinds = pair("kinds");
  const auto grids = pair("grid");
  Axis* axes[] = {&surface.first, &surface.second};
  for (std::size_t i = 0; i < 2; ++i) {
    axes[i]->feature = features[i].text();
    if (item.find_set("units")) axes[i]->unit = pair("units")[i].text();
    if (item.find_set("ordered")) axes[i]->ordered = pair("ordered")[i].boolean();
    read_grid(grids[i], kinds[i], *axes[i]);
  }
  surface.output = text_or_empty(item, "output");
  surface.group = text_or_empty(item, "group");
  surface.measure = read_measure(item);
  std::size_t rows = surface.first.size();
  std::size_t columns = surface.second.size();
  const bool effect = surface.measure == Measure::effect;
  surface.mean = item.at(effect ? "effect" : "mean").matrix(rows, columns);
  if (effect) {  // counted between the grid points
    rows -= rows > 0 ? 1 : 0;
    columns -= columns > 0 ? 1 : 0;
  }
  // "empty" only repeats where the counts are 0, so it is not read.
  if (const auto count = item.find_set("count"); count && !count->items().empty()) {
    surface.count = count->matrix(rows, columns);
  }
  return surface;
}

Value details_of(const Node& item) {
  const auto node = item.find_set("details");
  if (!node) return Value::object();
  if (!node->value().is_object()) node->fail("expected an object");
  return node->value();
}

Importance read_importance(const Node& item) {
  Importance entry;
  entry.feature = item.at("feature").text();
  if (const auto features = item.find_set("features")) entry.features = features->texts();
  entry.output = text_or_empty(item, "output");
  entry.group = text_or_empty(item, "group");
  entry.measure = text_or_empty(item, "measure");
  entry.importance = item.at("importance").number();
  entry.se = number_or_none(item, "se");
  entry.sd = number_or_none(item, "sd");
  entry.low = number_or_none(item, "low");
  entry.high = number_or_none(item, "high");
  entry.details = details_of(item);
  return entry;
}

Interaction read_interaction(const Node& item) {
  Interaction entry;
  entry.features = item.at("features").texts();
  if (entry.features.empty()) item.at("features").fail("at least one feature, please");
  entry.output = text_or_empty(item, "output");
  entry.group = text_or_empty(item, "group");
  entry.h2 = item.at("h2").number();
  entry.h = item.at("h").number();
  entry.strength = item.at("strength").number();
  entry.se = number_or_none(item, "se");
  entry.details = details_of(item);
  return entry;
}

// Looks up the members of an object that has exactly one for each feature, usually in their order.
template <class Read>
void read_by_feature(const Node& node, const std::vector<Axis>& features, Read read) {
  if (!node.value().is_object()) node.fail("expected an object");
  const Value::Object& members = node.value().as_object();
  if (members.size() != features.size()) node.fail_length(members.size(), features.size());
  std::unordered_map<std::string_view, const Value::Member*> by_name;
  for (std::size_t i = 0; i < features.size(); ++i) {
    const std::string& name = features[i].feature;
    const Value::Member* member = &members[i];
    if (member->first != name) {
      if (by_name.empty()) {
        for (const Value::Member& each : members) by_name.emplace(each.first, &each);
      }
      const auto found = by_name.find(name);
      if (found == by_name.end()) node.fail("the key \"" + name + "\" is missing");
      member = found->second;
    }
    read(features[i], node.member(*member));
  }
}

void read_numbers_by_feature(const Node& node, const std::vector<Axis>& features, std::vector<double>& into) {
  read_by_feature(node, features, [&](const Axis&, const Node& number) { into.push_back(number.number()); });
}

Axis read_attributed_feature(const Node& node) {
  Axis axis;
  axis.feature = node.at("feature").text();
  axis.unit = text_or_empty(node, "unit");
  if (const auto ordered = node.find_set("ordered")) axis.ordered = ordered->boolean();
  const Node kind = node.at("kind");
  if (kind.text() == "categorical") {
    axis.categorical = true;
    axis.levels = node.at("levels").texts();
  } else if (kind.text() != "numeric") {
    kind.fail("expected \"numeric\" or \"categorical\"");
  }
  return axis;
}

Attributions read_attributions(const Node& node) {
  Attributions item;
  item.output = text_or_empty(node, "output");
  item.group = text_or_empty(node, "group");
  item.base = node.at("base").number();
  item.details = details_of(node);
  std::vector<std::unordered_map<std::string_view, std::size_t>> levels;
  std::unordered_set<std::string_view> names;
  for (const Node& feature : node.at("features").items()) item.features.push_back(read_attributed_feature(feature));
  for (const Axis& feature : item.features) {
    if (!names.insert(feature.feature).second)
      node.at("features").fail("\"" + printable(feature.feature, 60) + "\" is there twice");
    auto& positions = levels.emplace_back();
    for (std::size_t i = 0; i < feature.levels.size(); ++i) positions.try_emplace(feature.levels[i], i);
  }
  const std::size_t width = item.features.size();
  for (const Node& row : node.at("attributions").items()) {
    const bool first = item.rows.empty();
    item.rows.push_back(row.at("row").count());
    item.prediction.push_back(row.at("prediction").number());
    read_numbers_by_feature(row.at("values"), item.features, item.values);
    const auto se = row.find_set("se");
    const auto interactions = row.find_set("interactions");
    if (!first && (se.has_value() == item.se.empty() || interactions.has_value() == item.interactions.empty()))
      row.fail("all rows have \"se\" and \"interactions\", or none has");
    if (se) read_numbers_by_feature(*se, item.features, item.se);
    read_by_feature(row.at("data"), item.features, [&](const Axis& feature, const Node& own) {
      if (own.value().is_null()) {
        item.data.push_back(std::numeric_limits<double>::quiet_NaN());
      } else if (feature.is_categorical()) {
        const auto& positions = levels[static_cast<std::size_t>(&feature - item.features.data())];
        const auto at = positions.find(own.text());
        if (at == positions.end()) own.fail("not a level of the feature");
        item.data.push_back(static_cast<double>(at->second));
      } else {
        item.data.push_back(own.number());
      }
    });
    if (!interactions) continue;
    for (const auto& numbers : interactions->matrix(width, width))
      item.interactions.insert(item.interactions.end(), numbers.begin(), numbers.end());
  }
  if (width == 0 && !item.rows.empty()) node.at("features").fail("at least one feature, please");
  item.total_rows = item.rows.size();
  if (const auto total = node.find_set("total_rows")) item.total_rows = total->count();
  return item;
}

Figure read_figure(const Node& item) {
  return {.name = item.at("name").text(),
          .output = text_or_empty(item, "output"),
          .group = text_or_empty(item, "group"),
          .value = item.at("value").number(),
          .se = number_or_none(item, "se"),
          .meaning = text_or_empty(item, "meaning")};
}

ResultItem read_item(const Node& item) {
  const Node type = item.at("type");
  if (type.text() == "curve") return read_curve(item);
  if (type.text() == "curves") return read_curves(item);
  if (type.text() == "surface") return read_surface(item);
  if (type.text() == "importance") return read_importance(item);
  if (type.text() == "interaction") return read_interaction(item);
  if (type.text() == "attributions") return read_attributions(item);
  if (type.text() == "figure") return read_figure(item);
  type.fail("\"" + printable(type.text(), 40) +
            "\" is a result that this version does not know; a newer one wrote it?");
}

Caveat read_caveat(const Node& node) {
  Caveat caveat;
  caveat.id = node.at("id").text();
  const Node severity = node.at("severity");
  bool known = false;
  for (const auto candidate : {Severity::note, Severity::caution, Severity::warning}) {
    if (severity.text() != to_string(candidate)) continue;
    caveat.severity = candidate;
    known = true;
  }
  if (!known) severity.fail("expected note, caution or warning");
  caveat.message = node.at("message").text();
  if (const auto evidence = node.find("evidence")) caveat.evidence = evidence->value();
  caveat.advice = text_or_empty(node, "advice");
  return caveat;
}

Value object_or_empty(const Node& root, std::string_view key) {
  const auto node = root.find_set(key);
  if (!node) return Value::object();
  if (!node->value().is_object()) node->fail("expected an object");
  return node->value();
}

void check_schema(const Node& root, const std::string& where) {
  if (!root.value().is_object() || root.value().find("schema") == nullptr) {
    throw Error(ErrorKind::data, where + " is not a saved result",
                "expected a JSON object with \"schema\": \"" + std::string(schema) + "\"");
  }
  const std::string& found = root.at("schema").text();
  if (found == schema) return;
  if (found.starts_with(schema_name)) {
    throw Error(ErrorKind::data,
                where + " has the schema " + printable(found, 60) + "; this version reads " + std::string(schema),
                "use the version of sightglass that wrote it");
  }
  throw Error(ErrorKind::data, where + " is not a saved result: its schema is \"" + printable(found, 60) + "\"");
}

}  // namespace

Result result_from_json(std::string_view text, std::string_view where) {
  const std::string name = printable(where, 200);
  Value document;
  try {
    document = value_from_json(text, where);
  } catch (const Error& error) {
    throw Error(ErrorKind::data, error.message());
  }
  check_schema(Node(document, name), name);
  const Node root(document, name + ": result");
  Result result;
  result.method = root.at("method").text();
  result.version = text_or_empty(root, "version");
  result.model = object_or_empty(root, "model");
  result.data = object_or_empty(root, "data");
  result.options = object_or_empty(root, "options");
  for (const auto& item : root.at("results").items()) result.results.push_back(read_item(item));
  if (const auto caveats = root.find_set("caveats")) {
    for (const auto& caveat : caveats->items()) result.caveats.push_back(read_caveat(caveat));
  }
  return result;
}

}  // namespace sightglass
