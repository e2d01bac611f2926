#include "sightglass/methods/local/intrinsic/neighbor_parts.h"

#include <algorithm>
#include <cmath>

namespace sightglass {

namespace {

// A level that was never seen is shown as it is.
Value shown_value(const FeatureInfo& feature, double value, const std::string& unseen = {}) {
  if (!unseen.empty()) return unseen;
  if (std::isnan(value) || (feature.categorical && value < 0)) return {};
  return feature.categorical ? Value(feature.levels[static_cast<std::size_t>(value)]) : Value(value);
}

// Where a neighbour differs from the row, most first. Features with a missing value, or that do not vary, do not count
// in the distance.
std::vector<Oddity> differences(const Signature& signature, const NeighborStructure& structure,
                                const NeighborSearch& search, std::uint32_t neighbor, std::span<const double> own) {
  std::vector<Oddity> found;
  for (std::size_t j = 0; j < own.size(); ++j) {
    const double value = structure.values[j][neighbor];
    if (std::isnan(value) || value == own[j] || !search.counts(j, own[j])) continue;
    Oddity oddity{.feature = signature.features[j].name};
    oddity.difference = signature.features[j].categorical ? 1 : (value - own[j]) / structure.ranges[j];
    found.push_back(std::move(oddity));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Oddity& a, const Oddity& b) { return std::abs(*a.difference) > std::abs(*b.difference); });
  return found;
}

}  // namespace

Examples neighbor_parts(const Signature& signature, const NeighborStructure& structure, const NeighborSearch& search,
                        const ExplainedRow& row) {
  std::vector<std::vector<double>> query;
  for (const double value : row.values) query.push_back({value});
  const std::vector<Neighbor> nearest = search.nearest(query, structure.k, {}, Context(1)).front();
  Examples examples{.output = {}, .group = {}, .role = ExampleRole::neighbor, .of_row = row.row};
  examples.measure = "distance";
  const std::vector<std::string> classes = class_names(signature);
  std::vector<double> votes(classes.size());
  double total = 0;
  Value own = Value::object();
  for (std::size_t j = 0; j < row.values.size(); ++j) {
    examples.features.push_back(signature.features[j].name);
    own.set(signature.features[j].name, shown_value(signature.features[j], row.values[j], row.unseen[j]));
  }
  for (const Neighbor& each : nearest) {
    Example example{.row = structure.row_id(each.row)};
    for (std::size_t j = 0; j < row.values.size(); ++j)
      example.data.set(signature.features[j].name, shown_value(signature.features[j], structure.values[j][each.row]));
    example.special = differences(signature, structure, search, each.row, row.values);
    const double outcome = structure.outcome[each.row];
    if (classes.empty()) {
      example.target = outcome;
    } else {
      example.own_class = classes[static_cast<std::size_t>(outcome)];
      votes[static_cast<std::size_t>(outcome)] += each.weight;
    }
    total += each.weight;
    example.score = each.distance;
    example.stands_for = each.weight;
    examples.rows.push_back(std::move(example));
  }
  Value said = Value::object();
  if (nearest.empty()) {
    const std::span<const double> shares = row.predictions;  // of two classes: of the second alone
    for (std::size_t k = 0; k < classes.size(); ++k)
      said.set(classes[k], shares.size() == 1 ? (k == 1 ? shares[0] : 1 - shares[0]) : shares[k]);
  }
  for (std::size_t k = 0; k < classes.size() && !nearest.empty(); ++k) said.set(classes[k], votes[k] / total);
  if (classes.empty()) said.set(signature.outputs[0], row.predictions[0]);
  examples.details.set("vote", std::move(said)).set("own", std::move(own));
  return examples;
}

}  // namespace sightglass
