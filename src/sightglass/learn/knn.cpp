#include "sightglass/learn/knn.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/base/random.h"
#include "sightglass/learn/neighbors/training_rows.h"
#include "sightglass/model/learned/neighbors/neighbor_search.h"
#include "sightglass/result/shapes/figure.h"
#include "sightglass/result/shapes/frontier.h"

namespace sightglass {

namespace {

constexpr std::uint64_t draw_stream = 0x6b6e'6e72'6f77;  // "knnrow"
constexpr std::size_t rows_tried = 2000;
constexpr std::size_t neighbors_kept = 4'000'000;  // of all rows tried: some hundred megabytes
constexpr std::int64_t small_sizes[] = {1, 2, 3, 4, 5, 7, 10, 14};
constexpr std::int64_t larger_sizes[] = {20, 30, 50, 70, 100, 150};  // and ten times as many, and so on
constexpr std::int64_t largest_times = 1'000'000'000;
// Mean weights between which rows are what is counted.
constexpr double light = 0.5, heavy = 2;

// Rows that are predicted by the others, with each number of neighbours.
struct LeftOut {
  std::vector<std::int64_t> sizes;
  std::vector<double> errors;  // of each: the mean squared error, or the share of rows that another class gets
  std::vector<double> se;

  // The least error; of equal ones the largest number: it is the smoothest.
  [[nodiscard]] std::size_t best() const {
    std::size_t best = 0;
    for (std::size_t s = 1; s < errors.size(); ++s) {
      if (errors[s] <= errors[best]) best = s;
    }
    return best;
  }
};

// In the order of the data.
std::vector<std::uint32_t> drawn_rows(std::size_t rows, std::size_t most, std::int64_t seed) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> order;
  for (std::uint32_t row = 0; row < rows; ++row)
    order.emplace_back(random_bits(static_cast<std::uint64_t>(seed), draw_stream, row), row);
  std::sort(order.begin(), order.end());
  order.resize(std::min(order.size(), most));
  std::vector<std::uint32_t> drawn;
  for (const auto& [key, row] : order) drawn.push_back(row);
  std::sort(drawn.begin(), drawn.end());
  return drawn;
}

// Of one row by the first `size` of its neighbours, without any by all others: squared, or 1 where another class has
// the most votes. votes: room.
double error_of(const TrainingData& data, const NeighborStructure& structure, std::span<const Neighbor> nearest,
                double size, std::size_t row, std::span<double> votes) {
  std::fill(votes.begin(), votes.end(), 0.0);
  const double outcome = data.outcome[row];
  double sum = 0, used = 0;
  for (std::size_t other = 0; nearest.empty() && other < data.rows; ++other) {
    if (other == row) continue;
    used += data.weight(other);
    sum += data.weight(other) * data.outcome[other];
    if (!data.classes.empty()) votes[static_cast<std::size_t>(data.outcome[other])] += data.weight(other);
  }
  for (const Neighbor& each : nearest) {
    const double counts = std::min(size - used, each.weight);
    if (!(counts > 0)) break;
    used += counts;
    const double theirs = structure.outcome[each.row];
    sum += counts * theirs;
    if (!data.classes.empty()) votes[static_cast<std::size_t>(theirs)] += counts;
  }
  if (data.classes.empty()) return (sum / used - outcome) * (sum / used - outcome);
  return static_cast<double>(most_probable(votes)) == outcome ? 0 : 1;
}

// 1 and what is not above `most`, and below `all`.
std::vector<std::int64_t> sizes_to_try(std::int64_t most, double all) {
  std::vector<std::int64_t> sizes{1};
  const auto try_size = [&](std::int64_t size) {
    const bool fits = size > sizes.back() && size <= most && static_cast<double>(size) < all;
    if (fits) sizes.push_back(size);
    return fits;
  };
  for (const std::int64_t size : small_sizes) (void)try_size(size);
  bool more = true;
  for (std::int64_t times = 1; more && times <= largest_times; times *= 10) {
    for (const std::int64_t size : larger_sizes) more = try_size(times * size);
  }
  (void)try_size(most);
  return sizes;
}

LeftOut leave_out(const TrainingData& data, const NeighborStructure& structure, const KnnOptions& options,
                  const Context& context) {
  LeftOut found;
  found.sizes = sizes_to_try(options.most, data.total_weight());
  if (options.neighbors > 0) found.sizes.push_back(options.neighbors);
  std::sort(found.sizes.begin(), found.sizes.end());
  found.sizes.erase(std::unique(found.sizes.begin(), found.sizes.end()), found.sizes.end());
  const auto largest = static_cast<std::size_t>(found.sizes.back());
  const std::vector<std::uint32_t> tried =
      drawn_rows(data.rows, std::clamp(neighbors_kept / largest, std::size_t{20}, rows_tried), options.seed);
  std::vector<std::vector<double>> queries(data.features.size());
  for (std::size_t j = 0; j < queries.size(); ++j) {
    for (const std::uint32_t row : tried) queries[j].push_back(data.features[j].values[row]);
  }
  const NeighborSearch search(structure, categorical_features(data));
  const auto nearest = search.nearest(queries, static_cast<double>(largest), tried, context);
  std::vector<double> votes(std::max<std::size_t>(1, data.classes.size()));
  std::vector<double> errors(tried.size());
  for (const std::int64_t size : found.sizes) {
    double total = 0, sum = 0, squares = 0;
    for (std::size_t i = 0; i < tried.size() && data.rows > 1; ++i) {
      // Without neighbours it is the same for all sizes.
      if (!nearest[i].empty() || size == found.sizes.front())
        errors[i] = error_of(data, structure, nearest[i], static_cast<double>(size), tried[i], votes);
      total += data.weight(tried[i]);
      sum += data.weight(tried[i]) * errors[i];
    }
    const double mean = total > 0 ? sum / total : 0;
    for (std::size_t i = 0; i < tried.size() && data.rows > 1; ++i) {
      const double apart = data.weight(tried[i]) * (errors[i] - mean);
      squares += apart * apart;
    }
    found.errors.push_back(mean);
    found.se.push_back(total > 0 ? std::sqrt(squares) / total : 0);
  }
  return found;
}

// As the root of the mean squared error, or the share of rows that get their own class.
Frontier left_out_curve(const LeftOut& found, bool classes, std::size_t chosen) {
  Frontier curve;
  curve.measure = to_string(classes ? LossKind::accuracy : LossKind::rmse);
  curve.loss = classes ? LossKind::accuracy : LossKind::rmse;
  curve.size_name = "neighbours";
  for (std::size_t s = 0; s < found.sizes.size(); ++s) {
    FrontierPoint point{.learner = "knn", .title = "Nearest neighbours"};
    point.size = static_cast<std::uint64_t>(found.sizes[s]);
    const double root = std::sqrt(found.errors[s]);
    point.value = classes ? 1 - found.errors[s] : root;
    point.se = classes ? found.se[s] : root > 0 ? found.se[s] / (2 * root) : 0;
    point.best = *std::min_element(found.errors.begin(), found.errors.begin() + static_cast<std::ptrdiff_t>(s) + 1) ==
                 found.errors[s];
    point.chosen = s == chosen;
    curve.points.push_back(std::move(point));
  }
  return curve;
}

std::string rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

Figure figure(const char* name, const char* id, std::optional<LossKind> loss, double value, const char* meaning) {
  return {.name = name,
          .id = id,
          .loss = loss,
          .output = {},
          .group = {},
          .value = value,
          .se = std::nullopt,
          .meaning = meaning};
}

// Weights count as so many rows: where they do not, a neighbour is less or more than a row.
void check_weights(const TrainingData& data, const KnnOptions& options) {
  const double all = data.total_weight();
  const std::string together = "the rows to learn from weigh only " + rounded(all) + " together";
  if (!data.weights.empty() && data.rows > 2 && all < 2) {
    throw Error(ErrorKind::data, together + ", so that one neighbour is more than half of them",
                "weights count as so many rows: multiply them, or leave them out");
  }
  if (static_cast<double>(options.neighbors) > all) {
    throw Error(
        ErrorKind::usage,
        option_text("neighbors") + ": " +
            (data.weights.empty() ? "there are only " + std::to_string(data.rows) + " rows to learn from" : together),
        marked("lower {option:neighbors}"));
  }
}

void add_weight_caveat(const TrainingData& data, std::int64_t neighbors, std::vector<Caveat>& caveats) {
  const double mean = data.total_weight() / static_cast<double>(data.rows);
  if (data.weights.empty() || (mean >= light && mean <= heavy)) return;
  const double rows = static_cast<double>(neighbors) / mean;
  caveats.push_back({.id = "neighbor-weights",
                     .severity = Severity::note,
                     .message = "weights count as so many rows, and rows weigh " + rounded(mean) + " on average: " +
                                std::to_string(neighbors) + (neighbors == 1 ? " neighbour is" : " neighbours are") +
                                " about " + (rows < 2 ? "one row" : rounded(rows) + " rows"),
                     .evidence = Value::object({{"mean_weight", mean}, {"neighbors", neighbors}}),
                     .advice = "divide the weights by their mean, unless each stands for so many rows"});
}

Learned fit_knn(const TrainingData& data, const Value& given, const Context& context) {
  const auto options = read_options<KnnOptions>(given);
  check_weights(data, options);
  std::vector<std::uint32_t> rows(data.rows);
  std::iota(rows.begin(), rows.end(), 0U);
  NeighborStructure structure = neighbor_structure(data, rows);
  Learned learned;
  const LeftOut found = leave_out(data, structure, options, context);
  const auto given_size = std::find(found.sizes.begin(), found.sizes.end(), options.neighbors);
  const std::size_t chosen =
      options.neighbors > 0 ? static_cast<std::size_t>(given_size - found.sizes.begin()) : found.best();
  const std::int64_t size = found.sizes[chosen];
  const bool classes = !data.classes.empty();
  Frontier curve = left_out_curve(found, classes, chosen);
  learned.shown.emplace_back(figure(classes ? "accuracy on rows left out" : "root mean squared error on rows left out",
                                    "left-out-error", curve.loss, curve.points[chosen].value,
                                    "each row predicted by the others, with as many neighbours as the model has"));
  learned.shown.emplace_back(
      figure("neighbours", "neighbors", std::nullopt, static_cast<double>(size), "rows that speak for each row"));
  learned.shown.emplace_back(std::move(curve));
  add_weight_caveat(data, size, learned.caveats);
  add_constant_caveat(data, learned.caveats);
  structure.k = static_cast<double>(size);
  learned.detail.set("tried", found.sizes).set("errors", found.errors).set("neighbors", size);
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
  entry.results = {"figure", "frontier"};
  entry.options = describe_options<KnnOptions>();
  entry.fit = fit_knn;
  return entry;
}

}  // namespace sightglass
