#include "sightglass/learn/nearest_prototype.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/learn/neighbors/training_rows.h"
#include "sightglass/learn/prototypes/class_prototypes.h"
#include "sightglass/learn/prototypes/example_map.h"
#include "sightglass/learn/prototypes/mmd_critic.h"
#include "sightglass/model/learned/neighbors/neighbor_search.h"
#include "sightglass/result/shapes/examples.h"
#include "sightglass/result/shapes/figure.h"

namespace sightglass {

namespace {

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

// As the model predicts them: of two classes the share of the second.
std::vector<double> class_shares(const TrainingData& data) {
  std::vector<double> shares(data.classes.size(), 0.0);
  for (std::size_t row = 0; row < data.rows; ++row)
    shares[static_cast<std::size_t>(data.outcome[row])] += data.weight(row);
  const double total = data.total_weight();
  for (double& each : shares) each = std::min(each / total, 1.0);
  if (shares.size() == 2) return {shares[1]};
  return shares;
}

struct Found {
  std::uint32_t row = 0;
  double discrepancy = 0;  // with this one and those of its class before it
};

// Of each class its prototypes, in the order in which they were chosen. flat: whether the rows of a class are nearly
// all equally far from one another, by the kernel.
std::vector<std::vector<Found>> find_prototypes(const TrainingData& data, const ScaledRows& all,
                                                std::span<const double> weights, double gamma, std::size_t count,
                                                bool& flat, const Context& context) {
  const std::size_t classes = data.classes.size();
  std::vector<std::vector<std::uint32_t>> of_class(classes);
  std::vector<double> class_weights(classes, 0.0);
  for (std::uint32_t row = 0; row < data.rows; ++row) {
    of_class[static_cast<std::size_t>(data.outcome[row])].push_back(row);
    class_weights[static_cast<std::size_t>(data.outcome[row])] += weights[row];
  }
  std::vector<ScaledRows> points_of;
  std::vector<std::size_t> different;
  for (const auto& rows : of_class) {
    points_of.emplace_back(all.columns(), all.scales(), rows, weights, context);
    different.push_back(points_of.back().size());
  }
  const std::vector<std::size_t> wanted = divided(count, class_weights, different);
  std::vector<std::vector<Found>> found(classes);
  for (std::size_t k = 0; k < classes; ++k) {
    const ScaledRows& points = points_of[k];
    if (of_class[k].empty()) continue;
    KernelMean mean = kernel_mean(points, gamma, context);
    if (points.size() > 2) flat = flat || mean.of_different() < least_kernel || mean.of_different() > most_kernel;
    const Prototypes chosen = choose_prototypes(points, mean, wanted[k], context);
    for (std::size_t i = 0; i < chosen.points.size(); ++i)
      found[k].push_back({points.first_row(chosen.points[i]), chosen.discrepancy[i]});
  }
  return found;
}

// How many rows each prototype speaks for, and how many have their own class with it and those before it. shown: of
// each, its place in the structure, which decides between prototypes that are equally near.
void add_reach(const TrainingData& data, const NeighborStructure& structure, std::span<const std::uint32_t> shown,
               std::vector<Example>& examples, const Context& context) {
  constexpr std::size_t part = 4096;
  const NeighborSearch search(structure, categorical_features(data));
  std::vector<double> shares = structure.otherwise;
  if (shares.size() == 1) shares = {1 - shares[0], shares[0]};
  const auto most_frequent = static_cast<double>(most_probable(shares));  // what rows without any value get
  const std::size_t parts = (data.rows + part - 1) / part;
  std::vector<std::vector<double>> right(parts), speaks(parts);
  context.parallel_for(parts, [&](std::size_t each) {
    const std::size_t first = each * part, rows = std::min(part, data.rows - first);
    std::vector<std::vector<double>> values;
    for (const TrainingFeature& feature : data.features)
      values.emplace_back(feature.values.begin() + static_cast<std::ptrdiff_t>(first),
                          feature.values.begin() + static_cast<std::ptrdiff_t>(first + rows));
    std::vector<std::pair<double, std::uint32_t>> nearest(
        rows, {std::numeric_limits<double>::infinity(), std::numeric_limits<std::uint32_t>::max()});
    std::vector<std::size_t> who(rows);
    speaks[each].assign(shown.size(), 0.0);
    for (std::size_t i = 0; i < shown.size(); ++i) {
      context.check();
      double sum = 0;
      for (std::size_t row = 0; row < rows; ++row) {
        const std::pair<double, std::uint32_t> one{search.distance(values, row, shown[i]), shown[i]};
        if (one < nearest[row]) {
          nearest[row] = one;
          who[row] = i;
        }
        const bool near = std::isfinite(nearest[row].first);
        const double named = near ? structure.outcome[nearest[row].second] : most_frequent;
        if (named == data.outcome[first + row]) sum += data.weight(first + row);
      }
      right[each].push_back(sum);
    }
    for (std::size_t row = 0; row < rows; ++row) {
      if (std::isfinite(nearest[row].first)) speaks[each][who[row]] += data.weight(first + row);
    }
  });
  const double total = data.total_weight();
  for (std::size_t i = 0; i < shown.size(); ++i) {
    double sum = 0, spoken_for = 0;
    for (std::size_t each = 0; each < parts; ++each) {
      sum += right[each][i];
      spoken_for += speaks[each][i];
    }
    examples[i].accuracy = sum / total;
    examples[i].stands_for = spoken_for;
  }
}

Learned fit_nearest_prototype(const TrainingData& data, const Value& given, const Context& context) {
  const auto options = read_options<NearestPrototypeOptions>(given);
  if (data.classes.empty()) throw Error(ErrorKind::usage, "prototypes have classes, and the outcome is a number");
  const std::size_t classes = data.classes.size();
  if (static_cast<std::size_t>(options.prototypes) < classes) {
    throw Error(ErrorKind::usage, option_text("prototypes") + ": there are " + std::to_string(classes) + " classes",
                "each needs one at the least");
  }
  const auto seed = static_cast<std::uint64_t>(options.seed);
  std::vector<double> weights(data.rows);
  for (std::size_t row = 0; row < data.rows; ++row) weights[row] = data.weight(row);
  std::vector<PointColumn> columns;
  for (const TrainingFeature& feature : data.features)
    columns.push_back({.categorical = feature.info.categorical, .values = feature.values});
  std::vector<std::uint32_t> every(data.rows);
  std::iota(every.begin(), every.end(), 0U);
  const ScaledRows all(columns, column_scales(columns, weights), every, weights, context);
  const double gamma = kernel_gamma(all, options.gamma, seed, context);
  bool flat = false;
  const auto found =
      find_prototypes(data, all, weights, gamma, static_cast<std::size_t>(options.prototypes), flat, context);

  // Of prototypes that are equally near, the lower row speaks.
  std::vector<std::uint32_t> rows;
  for (const auto& of_class : found) {
    for (const Found& each : of_class) rows.push_back(each.row);
  }
  std::sort(rows.begin(), rows.end());
  NeighborStructure structure = neighbor_structure(data, rows);
  structure.weights.clear();  // one vote each
  structure.otherwise = class_shares(data);

  std::vector<std::string> names;
  std::vector<std::vector<std::string>> levels;
  for (const TrainingFeature& feature : data.features) {
    names.push_back(feature.info.name);
    levels.push_back(feature.info.levels);
  }
  const MapProjection projection(all, names, levels, seed, context);
  Examples shown{.output = {}, .group = {}, .role = ExampleRole::prototype};
  shown.objective = "mmd2";
  shown.features = names;
  shown.map = ExampleMap{.axes = {projection.axes()[0], projection.axes()[1]}, .shown = projection.shown()};
  add_background(
      all, seed, [&](std::uint32_t row) { return projection.at(row); },
      [&](std::uint32_t row) { return data.classes[static_cast<std::size_t>(data.outcome[row])]; }, *shown.map);
  // Of the classes in turn, so that the first few stand for all.
  std::vector<std::uint32_t> places;
  for (std::size_t i = 0, more = 1; more > 0; ++i) {
    more = 0;
    for (std::size_t k = 0; k < classes; ++k) {
      if (i >= found[k].size()) continue;
      ++more;
      const Found& each = found[k][i];
      Example example{.row = data.row_id(each.row), .data = own_values(data, each.row)};
      example.own_class = data.classes[k];
      example.objective = each.discrepancy;
      const auto [x, y] = projection.at(each.row);
      example.x = x;
      example.y = y;
      shown.rows.push_back(std::move(example));
      places.push_back(static_cast<std::uint32_t>(std::find(rows.begin(), rows.end(), each.row) - rows.begin()));
    }
  }
  add_reach(data, structure, places, shown.rows, context);
  Learned learned;
  learned.size = rows.size();
  learned.detail.set("gamma", gamma);
  learned.structure = std::move(structure);
  learned.shown.emplace_back(std::move(shown));
  learned.shown.emplace_back(Figure{.name = "γ",
                                    .id = "kernel-gamma",
                                    .output = {},
                                    .group = {},
                                    .value = gamma,
                                    .se = std::nullopt,
                                    .meaning = gamma_text(all, options.gamma.has_value())});
  add_constant_caveat(data, learned.caveats);
  if (flat) {
    learned.caveats.push_back(
        {.id = "kernel-decides",
         .severity = Severity::caution,
         .message = "by the kernel nearly all rows of a class are equally far from one another: which of them are "
                    "prototypes says little",
         .evidence = Value::object({{"gamma", gamma}}),
         .advice = marked(options.gamma ? "leave {option:gamma} out" : "choose {option:features}")});
  }
  if (rows.size() < static_cast<std::size_t>(options.prototypes)) {
    learned.caveats.push_back(few_rows_caveat(rows.size(), static_cast<std::size_t>(options.prototypes)));
  }
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
  entry.fit = fit_nearest_prototype;
  return entry;
}

}  // namespace sightglass
