#include "sightglass/learn/nearest_prototype.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/learn/neighbors/training_rows.h"
#include "sightglass/learn/prototypes/mmd_critic.h"
#include "sightglass/result/shapes/examples.h"

namespace sightglass {

namespace {

constexpr std::size_t median_points = 1000;

Value own_values(const TrainingData& data, std::uint32_t row) {
  Value values = Value::object();
  for (const TrainingFeature& feature : data.features) {
    const double value = feature.values[row];
    Value own;
    if (!std::isnan(value))
      own = feature.info.categorical ? Value(feature.info.levels[static_cast<std::size_t>(value)]) : Value(value);
    values.set(feature.info.name, std::move(own));
  }
  return values;
}

// (Weighted) points to which each of them is the nearest; ties go to the one that was chosen first.
std::vector<double> stand_for(const ScaledRows& points, const std::vector<std::size_t>& chosen) {
  std::vector<double> counts(chosen.size(), 0.0);
  for (std::size_t point = 0; point < points.size(); ++point) {
    std::size_t nearest = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const double square = points.squared_distance(points.first_row(point), points.first_row(chosen[i]));
      if (!(square < least)) continue;
      least = square;
      nearest = i;
    }
    counts[nearest] += points.weight(point);
  }
  return counts;
}

Learned fit(const TrainingData& data, const Value& given, const Context& context) {
  const auto options = read_options<NearestPrototypeOptions>(given);
  if (data.classes.empty()) throw Error(ErrorKind::usage, "prototypes have classes, and the outcome is a number");
  const std::size_t classes = data.classes.size();
  if (static_cast<std::size_t>(options.prototypes) < classes) {
    throw Error(ErrorKind::usage, option_text("prototypes") + ": there are " + std::to_string(classes) + " classes",
                "each needs one at the least");
  }
  std::vector<double> weights(data.rows);
  for (std::size_t row = 0; row < data.rows; ++row) weights[row] = data.weight(row);
  std::vector<PointColumn> columns;
  for (const TrainingFeature& feature : data.features)
    columns.push_back({.categorical = feature.info.categorical, .values = feature.values});
  const std::vector<ColumnScale> scales = column_scales(columns, weights);
  std::vector<std::uint32_t> every(data.rows);
  std::iota(every.begin(), every.end(), 0U);
  double gamma = options.gamma.value_or(1);
  if (!options.gamma) {
    const double median = median_distance(ScaledRows(columns, scales, every, weights), median_points,
                                          static_cast<std::uint64_t>(options.seed), context);
    if (median > 0) gamma = 1 / (2 * median * median);
  }
  if (!std::isfinite(gamma)) throw Error(ErrorKind::usage, marked("{Option:gamma}: a number above 0, please"));

  std::vector<std::vector<std::uint32_t>> of_class(classes);
  for (const std::uint32_t row : every) of_class[static_cast<std::size_t>(data.outcome[row])].push_back(row);
  std::vector<std::pair<double, std::uint32_t>> found;  // how many it stands for, negative; its row
  Examples shown{.output = {}, .group = {}, .role = ExampleRole::prototype};
  for (const TrainingFeature& feature : data.features) shown.features.push_back(feature.info.name);
  const auto all = static_cast<std::size_t>(options.prototypes);
  for (std::size_t k = 0; k < classes; ++k) {
    if (of_class[k].empty()) continue;
    const ScaledRows points(columns, scales, of_class[k], weights);
    auto means = kernel_means(points, gamma, context);
    const std::size_t wanted = all / classes + (k < all % classes ? 1 : 0);
    const Prototypes chosen = choose_prototypes(points, means[1], wanted, context);
    const std::vector<double> counts = stand_for(points, chosen.points);
    for (std::size_t i = 0; i < chosen.points.size(); ++i) {
      const std::uint32_t row = points.first_row(chosen.points[i]);
      found.emplace_back(-counts[i], row);
      Example example{.row = row, .data = own_values(data, row)};
      example.stands_for = counts[i];
      example.own_class = data.classes[k];
      example.objective = chosen.discrepancy[i];
      shown.rows.push_back(std::move(example));
    }
  }
  std::vector<std::uint32_t> rows;
  // Of prototypes that are equally near, the one that stands for most speaks.
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [count, row] : found) rows.push_back(row);
  NeighborStructure structure = neighbor_structure(data, rows);
  structure.weights.clear();  // one vote each
  Learned learned;
  learned.size = rows.size();
  learned.detail.set("gamma", gamma);
  learned.structure = std::move(structure);
  shown.objective = "mmd2";
  learned.shown.emplace_back(std::move(shown));
  return learned;
}

}  // namespace

LearnerEntry nearest_prototype() {
  LearnerEntry entry;
  entry.name = "nearest-prototype";
  entry.about = {.title = "Nearest prototype", .short_name = "", .family = Family::learners};
  entry.question = "Which of a few typical rows is this one most like?";
  entry.when = "classes are best explained by examples, and a few of them stand for all";
  entry.when_not = "classes differ in few of many features, or their rows lie among one another";
  entry.formula = "class of argmin_z d(x, z) over prototypes z of each class, chosen to minimise MMD²";
  entry.paper = "Kim, Khanna & Koyejo 2016, Examples are not enough, learn to criticize!";
  entry.cost = "half the pairs of rows of each class";
  entry.size_unit = "prototypes";
  entry.takes_numbers = false;
  entry.size_option = "prototypes";
  entry.results = {"examples", "figure"};
  entry.options = describe_options<NearestPrototypeOptions>();
  entry.fit = fit;
  return entry;
}

}  // namespace sightglass
