#include "sightglass/learn/knn.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/base/random.h"
#include "sightglass/learn/neighbors/training_rows.h"
#include "sightglass/model/learned/neighbors/neighbor_search.h"
#include "sightglass/result/shapes/figure.h"

namespace sightglass {

namespace {

constexpr std::uint64_t draw_stream = 0x6b6e'6e72'6f77;  // "knnrow"
constexpr std::size_t rows_tried = 2000;
constexpr std::int64_t usual_sizes[] = {1, 2, 3, 4, 5, 7, 10, 14, 20, 30, 50, 70, 100, 150, 200};

struct Choice {
  std::vector<std::int64_t> sizes;
  std::vector<double> errors;
  std::int64_t best = 1;
};

// The mean error of rows that are predicted by the others: squared, or 1 where another class has the most votes.
Choice choose_size(const TrainingData& data, const NeighborStructure& structure, const KnnOptions& options,
                   const Context& context) {
  Choice choice;
  const double all = data.total_weight();
  for (const std::int64_t size : usual_sizes) {
    if (size == 1 || (size <= options.most && static_cast<double>(size) < all)) choice.sizes.push_back(size);
  }
  std::vector<std::pair<std::uint64_t, std::uint32_t>> order;
  for (std::uint32_t row = 0; row < data.rows; ++row)
    order.emplace_back(random_bits(static_cast<std::uint64_t>(options.seed), draw_stream, row), row);
  std::sort(order.begin(), order.end());
  order.resize(std::min(order.size(), rows_tried));
  std::vector<std::uint32_t> tried;
  for (const auto& [key, row] : order) tried.push_back(row);
  std::sort(tried.begin(), tried.end());
  std::vector<std::vector<double>> queries(data.features.size());
  for (std::size_t j = 0; j < queries.size(); ++j) {
    for (const std::uint32_t row : tried) queries[j].push_back(data.features[j].values[row]);
  }
  const NeighborSearch search(structure, categorical_features(data));
  const auto nearest = search.nearest(queries, static_cast<double>(choice.sizes.back()), tried, context);
  choice.errors.assign(choice.sizes.size(), 0.0);
  double total = 0;
  std::vector<double> votes(std::max<std::size_t>(1, data.classes.size()));
  for (std::size_t i = 0; i < tried.size(); ++i) {
    if (nearest[i].empty()) continue;
    const double weight = data.weight(tried[i]), outcome = data.outcome[tried[i]];
    total += weight;
    for (std::size_t s = 0; s < choice.sizes.size(); ++s) {
      std::fill(votes.begin(), votes.end(), 0.0);
      double left = static_cast<double>(choice.sizes[s]), sum = 0, used = 0;
      for (const Neighbor& each : nearest[i]) {
        const double counts = std::min(left, each.weight);
        if (!(counts > 0)) break;
        left -= counts;
        used += counts;
        const double theirs = structure.outcome[each.row];
        sum += counts * theirs;
        if (!data.classes.empty()) votes[static_cast<std::size_t>(theirs)] += counts;
      }
      if (data.classes.empty()) {
        choice.errors[s] += weight * (sum / used - outcome) * (sum / used - outcome);
      } else {
        const auto said = std::max_element(votes.begin(), votes.end()) - votes.begin();
        choice.errors[s] += static_cast<double>(said) == outcome ? 0 : weight;
      }
    }
  }
  for (double& error : choice.errors) error = total > 0 ? error / total : 0;
  // Of equal ones the largest: it is the smoothest.
  std::size_t best = 0;
  for (std::size_t s = 1; s < choice.errors.size(); ++s) {
    if (choice.errors[s] <= choice.errors[best]) best = s;
  }
  choice.best = choice.sizes[best];
  return choice;
}

Figure figure(const char* name, const char* id, double value, const char* meaning) {
  return {.name = name, .id = id, .output = {}, .group = {}, .value = value, .se = std::nullopt, .meaning = meaning};
}

Learned fit(const TrainingData& data, const Value& given, const Context& context) {
  const auto options = read_options<KnnOptions>(given);
  if (static_cast<double>(options.neighbors) > data.total_weight()) {
    throw Error(ErrorKind::usage,
                option_text("neighbors") + ": there are only " + std::to_string(data.rows) + " rows to learn from",
                marked("lower {option:neighbors}"));
  }
  std::vector<std::uint32_t> rows(data.rows);
  std::iota(rows.begin(), rows.end(), 0U);
  NeighborStructure structure = neighbor_structure(data, rows);
  Learned learned;
  std::int64_t size = options.neighbors;
  if (size == 0) {
    const Choice choice = choose_size(data, structure, options, context);
    size = choice.best;
    learned.detail.set("tried", choice.sizes).set("errors", choice.errors);
    learned.shown.emplace_back(
        figure(data.classes.empty() ? "mean squared error of rows left out" : "share of rows left out that are wrong",
               "left-out-error", *std::min_element(choice.errors.begin(), choice.errors.end()),
               "each row predicted by the others, with as many neighbours as are best"));
  }
  learned.shown.emplace_back(
      figure("neighbours", "neighbors", static_cast<double>(size), "rows that speak for each row"));
  structure.k = static_cast<double>(size);
  learned.detail.set("neighbors", size);
  learned.size = static_cast<std::uint64_t>(size);
  learned.structure = std::move(structure);
  return learned;
}

}  // namespace

LearnerEntry knn() {
  LearnerEntry entry;
  entry.name = "knn";
  entry.alias = "nearest-neighbors";
  entry.about = {.title = "Nearest neighbours", .short_name = "kNN", .family = Family::learners};
  entry.question = "Which known rows are most like this one, and what came of them?";
  entry.when = "people think in cases, and a few features say what is alike";
  entry.when_not = "many features, most of which do not matter: all of them count alike in what is near";
  entry.formula = "f(x) = mean outcome of the k rows with the least Gower distance to x";
  entry.paper = "Cover & Hart 1967, Nearest neighbor pattern classification; Gower 1971";
  entry.cost = "rows × features per prediction";
  entry.size_unit = "neighbors_counted";
  entry.size_option = "neighbors";
  entry.results = {"figure"};
  entry.options = describe_options<KnnOptions>();
  entry.fit = fit;
  return entry;
}

}  // namespace sightglass
