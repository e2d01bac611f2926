#include "sightglass/methods/performance/calibration.h"

#include <algorithm>
#include <cmath>

#include "sightglass/methods/losses/predicted_rows.h"
#include "sightglass/numeric/normal.h"
#include "sightglass/result/shapes/diagram.h"

namespace sightglass {

namespace {

// A bin with fewer rows says little.
constexpr double few_in_bin = 20;

struct CalibrationBin {
  double weight = 0, squares = 0, predicted = 0, positive = 0;

  [[nodiscard]] double share() const { return positive / weight; }
  [[nodiscard]] double mean() const { return predicted / weight; }
  // As many rows as there are for all that weights say.
  [[nodiscard]] double rows() const { return weight * weight / squares; }
};

// Wilson's interval of a share of so many rows.
struct ShareInterval {
  double low, high;
};
ShareInterval wilson(double share, double rows) {
  const double z2 = z_95 * z_95 / rows;
  const double middle = (share + z2 / 2) / (1 + z2);
  const double half = z_95 / (1 + z2) * std::sqrt(share * (1 - share) / rows + z2 / rows / 4);
  // Where all rows are of the class or none is, an end is the share itself but for rounding.
  return {share > 0 ? std::max(0.0, middle - half) : 0, share < 1 ? std::min(1.0, middle + half) : 1};
}

// Inner edges: a probability belongs to the first bin whose edge is not below it.
std::vector<double> edges_of(const ClassScores& scores, std::size_t bins, bool quantile) {
  std::vector<double> edges;
  if (!quantile) {
    for (std::size_t b = 1; b < bins; ++b) edges.push_back(static_cast<double>(b) / static_cast<double>(bins));
    return edges;
  }
  // From the lowest score on; rounding of the sums must not move an edge.
  std::size_t at = scores.rows.size() - 1;
  double below = scores.rows[at].weight;
  for (std::size_t b = 1; b < bins; ++b) {
    const double wanted = scores.total() * static_cast<double>(b) / static_cast<double>(bins) * (1 - 1e-12);
    while (below < wanted && at > 0) below += scores.rows[--at].weight;
    const double edge = scores.rows[at].score;
    if (edges.empty() || edge > edges.back()) edges.push_back(edge);
  }
  return edges;
}

std::vector<CalibrationBin> bins_of(const ClassScores& scores, std::size_t count, bool quantile) {
  const std::vector<double> edges = edges_of(scores, count, quantile);
  std::vector<CalibrationBin> bins(edges.size() + 1);
  for (const auto& row : scores.rows) {
    const auto at = std::lower_bound(edges.begin(), edges.end(), row.score) - edges.begin();
    CalibrationBin& bin = bins[static_cast<std::size_t>(at)];
    bin.weight += row.weight;
    bin.squares += row.weight * row.weight;
    bin.predicted += row.weight * row.score;
    if (row.positive) bin.positive += row.weight;
  }
  std::erase_if(bins, [](const CalibrationBin& bin) { return !(bin.weight > 0); });
  return bins;
}

Diagram diagram_of(const ClassScores& scores, const std::vector<CalibrationBin>& bins) {
  DiagramSeries means{.name = "model", .mark = SeriesMark::means};
  double error = 0, predicted = 0;
  for (const CalibrationBin& bin : bins) {
    means.x.push_back(bin.mean());
    means.y.push_back(bin.share());
    const ShareInterval interval = wilson(bin.share(), bin.rows());
    means.low.push_back(interval.low);
    means.high.push_back(interval.high);
    means.count.push_back(bin.weight);
    error += bin.weight / scores.total() * std::abs(bin.mean() - bin.share());
    predicted += bin.predicted / scores.total();
  }
  return {.name = "Calibration",
          .kind = DiagramKind::calibration,
          .output = scores.output,
          .group = {},
          .x = {.name = "predicted probability of " + scores.name, .share = true},
          .y = {.name = "share of rows that are " + scores.name, .share = true},
          .series = {{.name = "as predicted", .mark = SeriesMark::reference, .x = {0, 1}, .y = {0, 1}}, means},
          .figures = {{.name = "expected calibration error", .value = error},
                      {.name = "mean probability", .value = predicted},
                      {.name = "share of the class", .value = scores.positives / scores.total()}},
          .meaning =
              "each dot is a bin of rows with similar probabilities. On the dashed line things happen as often as "
              "predicted; below it the model promises too much, above it too little. Bars are 95 % intervals"};
}

Result calibration_of(const MethodInput& input, const PredictedRows& rows, const CalibrationOptions& options) {
  Result result = rows.result();
  const auto classes = class_scores(input, rows);
  for (const ClassScores& scores : classes) {
    if (!(scores.total() > 0)) continue;
    const auto bins = bins_of(scores, static_cast<std::size_t>(options.bins), options.strategy == "quantile");
    result.results.emplace_back(diagram_of(scores, bins));
    const auto few = static_cast<std::uint64_t>(
        std::count_if(bins.begin(), bins.end(), [](const CalibrationBin& bin) { return bin.rows() < few_in_bin; }));
    if (few == 0) continue;
    result.caveats.push_back({.id = "few-rows-per-bin",
                              .severity = Severity::note,
                              .message = std::to_string(few) + " of " + std::to_string(bins.size()) +
                                         " bins of probabilities of " + scores.name + " have fewer than " +
                                         std::to_string(static_cast<int>(few_in_bin)) +
                                         " rows: there the share is known roughly only",
                              .evidence = Value::object({{"class", scores.name}, {"bins", bins.size()}, {"few", few}}),
                              .advice = marked("use more rows, or fewer {option:bins}")});
  }
  add_rare_classes(input, classes, result.caveats);
  return result;
}

Chain<Result> start_calibration(const MethodInput& input, const Value& given) {
  const auto options = read_options<CalibrationOptions>(given);
  return predict_rows(input, PredictedAs::probabilities).then([=](const std::shared_ptr<const PredictedRows>& rows) {
    return calibration_of(input, *rows, options);
  });
}

}  // namespace

MethodEntry calibration() {
  return {.name = "calibration",
          .alias = "",
          .about = {.title = "Calibration",
                    .short_name = "",
                    .family = Family::performance,
                    .terms = {{"calibration", "whether what is predicted with 70 % happens in 70 % of cases"}}},
          .question = "Can the model's probabilities be taken at their word?",
          .when = "probabilities are used as such: expected costs, risks that people read",
          .when_not = "only the order of rows matters: see roc; there are few rows: intervals are as wide as the page",
          .formula = "per bin b: mean of f(x_i) against share of y_i = 1; ECE = Σ n_b/n |difference|",
          .paper = "Niculescu-Mizil and Caruana 2005, Predicting good probabilities with supervised learning",
          .results = {"diagram"},
          .expresses = "observed shares against predicted probabilities",
          .cost = "rows predictions",
          .needs = {.target = Need::required},
          .access = Access::columns,
          .change = RowChange::none,
          .as_predicted = true,
          .options = describe_options<CalibrationOptions>(),
          .start = start_calibration};
}

}  // namespace sightglass
