#include "sightglass/methods/performance/residuals.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "sightglass/base/error.h"
#include "sightglass/base/random.h"
#include "sightglass/methods/grid/feature_grid.h"
#include "sightglass/methods/losses/predicted_rows.h"
#include "sightglass/numeric/normal.h"
#include "sightglass/numeric/weighted_mean.h"
#include "sightglass/result/shapes/diagram.h"

namespace sightglass {

namespace {

constexpr std::uint64_t dot_stream = 0x7265'7369'6475;  // "residu"
constexpr std::size_t most_quantiles = 199;
// A bin's mean has an interval worth drawing from so many rows on.
constexpr double rows_per_bin = 8;

struct ResidualBin {
  WeightedMean across, up;

  void add(double x, double y, double w) {
    across.add(x, w);
    up.add(y, w);
  }
  // Of the mean; nothing of one row.
  [[nodiscard]] double half_interval() const { return z_95 * up.se().value_or(0); }
};

void add_mean(DiagramSeries& series, double x, const ResidualBin& bin) {
  series.x.push_back(x);
  series.y.push_back(bin.up.mean());
  series.low.push_back(bin.up.mean() - bin.half_interval());
  series.high.push_back(bin.up.mean() + bin.half_interval());
  series.count.push_back(bin.up.weight());
}

// The rows of a picture, each with its residual.
class ResidualPictures {
 public:
  ResidualPictures(const MethodInput& input, const PredictedRows& rows, const ResidualsOptions& options)
      : input_(input), rows_(rows), options_(options), target_(input.schema[*input.target]) {
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      truths_.push_back(rows.known->truths[row]);
      predictions_.push_back(rows.prediction(row));
      residuals_.push_back(truths_.back() - predictions_.back());
    }
    choose_dots();
  }

  Result make(const std::vector<std::uint32_t>& features) {
    Result result = rows_.result();
    const auto wants = [&](const char* what) {
      return std::find(options_.against.begin(), options_.against.end(), what) != options_.against.end();
    };
    if (rows_.rows() == 0) return result;
    if (wants("prediction")) {
      result.results.emplace_back(truth_against_prediction());
      result.results.emplace_back(against(predictions_, axis("prediction", target_.unit), "Residuals by prediction",
                                          "dots are single rows, means are of bins of all rows. Means that leave the "
                                          "zero line show where predictions are wrong on average; dots that spread "
                                          "wider on one side, where they are less sure"));
    }
    if (wants("truth")) {
      result.results.emplace_back(against(
          truths_, axis("true " + target_.name, target_.unit), "Residuals by truth",
          "some slope is no fault: predictions of the best possible model, too, are nearer to the mean than the "
          "truth is. Where the truth is extreme, this is how much predictions fall short"));
    }
    for (const std::uint32_t feature : features) result.results.emplace_back(against_feature(feature));
    if (wants("normal")) result.results.emplace_back(against_normal());
    return result;
  }

 private:
  static DiagramAxis axis(const std::string& name, const std::string& unit) { return {.name = name, .unit = unit}; }
  [[nodiscard]] DiagramAxis residual_axis() const { return axis("residual (truth - prediction)", target_.unit); }

  [[nodiscard]] Diagram diagram(const std::string& name, DiagramKind kind) const {
    return {.name = name, .kind = kind, .output = rows_.outcome().output_name(), .group = {}};
  }

  // The rows with the smallest random numbers, in their order.
  void choose_dots() {
    std::vector<std::pair<std::uint64_t, std::size_t>> keys;
    for (std::size_t row = 0; row < rows_.rows(); ++row) {
      if (rows_.known->weights[row] > 0)
        keys.emplace_back(random_bits(input_.seed, dot_stream, rows_.known->ids[row]), row);
    }
    std::sort(keys.begin(), keys.end());
    keys.resize(std::min(keys.size(), static_cast<std::size_t>(options_.points)));
    for (const auto& [key, row] : keys) dots_.push_back(row);
    std::sort(dots_.begin(), dots_.end());
  }

  void add_dots(Diagram& diagram, const std::vector<double>& across, const std::vector<double>& up) const {
    DiagramSeries series{.name = "single rows", .mark = SeriesMark::rows};
    for (const std::size_t row : dots_) {
      if (!std::isfinite(across[row])) continue;
      series.x.push_back(across[row]);
      series.y.push_back(up[row]);
      series.rows.push_back(rows_.known->ids[row]);
    }
    if (!series.x.empty()) diagram.series.push_back(std::move(series));
  }

  // Bins of as many rows each; equal values stay together. Rows without a value have none.
  [[nodiscard]] DiagramSeries means(const std::vector<double>& across, const std::vector<double>& up) const {
    std::vector<std::size_t> order;
    ExactSum weight, squares;
    for (std::size_t row = 0; row < across.size(); ++row) {
      const double w = rows_.known->weights[row];
      if (!(w > 0) || !std::isfinite(across[row])) continue;
      order.push_back(row);
      weight.add(w);
      squares.add_product(w, w);
    }
    DiagramSeries series{.name = "mean, 95 % interval", .mark = SeriesMark::means};
    if (order.empty()) return series;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return across[a] < across[b]; });
    const double total = weight.value(), rows = total * total / squares.value();
    const double bins = std::clamp(std::floor(rows / rows_per_bin), 1.0, static_cast<double>(options_.bins));
    ResidualBin bin;
    double done = 0, filled = 1;
    for (std::size_t i = 0; i < order.size();) {
      const double here = across[order[i]];
      ExactSum tied;
      for (; i < order.size() && across[order[i]] == here; ++i) {
        bin.add(here, up[order[i]], rows_.known->weights[order[i]]);
        tied.add(rows_.known->weights[order[i]]);
      }
      done += tied.value();
      // Rounding of the sums must not move an edge.
      if (done < total * filled / bins * (1 - 1e-12) && i < order.size()) continue;
      add_mean(series, bin.across.mean(), bin);
      bin = ResidualBin();
      while (filled < bins && done >= total * filled / bins * (1 - 1e-12)) ++filled;
    }
    return series;
  }

  [[nodiscard]] DiagramFigure mean_residual() const {
    ResidualBin all;
    for (std::size_t row = 0; row < residuals_.size(); ++row) all.add(0, residuals_[row], rows_.known->weights[row]);
    return {.name = "mean residual",
            .value = all.up.mean(),
            .low = all.up.mean() - all.half_interval(),
            .high = all.up.mean() + all.half_interval()};
  }

  static void add_level(Diagram& diagram, double low, double high, double at) {
    diagram.series.push_back({.name = "no error", .mark = SeriesMark::reference, .x = {low, high}, .y = {at, at}});
  }

  struct Ends {
    double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
    void add(const std::vector<double>& values) {
      for (const double value : values) {
        if (!std::isfinite(value)) continue;
        low = std::min(low, value);
        high = std::max(high, value);
      }
    }
  };
  // What is drawn of it.
  [[nodiscard]] static Ends ends_of(const Diagram& diagram, bool both) {
    Ends ends;
    for (const DiagramSeries& series : diagram.series) {
      ends.add(series.x);
      if (both) ends.add(series.y);
    }
    return ends;
  }

  [[nodiscard]] Diagram truth_against_prediction() const {
    Diagram shown = diagram("Truth against prediction", DiagramKind::prediction_error);
    shown.x = axis("prediction", target_.unit);
    shown.y = axis("true " + target_.name, target_.unit);
    add_dots(shown, predictions_, truths_);
    shown.series.push_back(means(predictions_, truths_));
    const Ends ends = ends_of(shown, true);
    shown.series.insert(
        shown.series.begin(),
        {.name = "no error", .mark = SeriesMark::reference, .x = {ends.low, ends.high}, .y = {ends.low, ends.high}});
    shown.meaning =
        "on the dashed line predictions are right; rows above it were predicted too low, rows below it too high. Where "
        "means lie on the line, predictions are right on average";
    return shown;
  }

  [[nodiscard]] Diagram against(const std::vector<double>& across, DiagramAxis x, const std::string& name,
                                const std::string& meaning) const {
    Diagram shown = diagram(name, DiagramKind::residuals);
    shown.x = std::move(x);
    shown.y = residual_axis();
    add_dots(shown, across, residuals_);
    shown.series.push_back(means(across, residuals_));
    const Ends ends = ends_of(shown, false);
    if (ends.low <= ends.high) {
      shown.series.insert(shown.series.begin(),
                          {.name = "no error", .mark = SeriesMark::reference, .x = {ends.low, ends.high}, .y = {0, 0}});
    }
    shown.figures = {mean_residual()};
    shown.meaning = meaning;
    return shown;
  }

  [[nodiscard]] Diagram against_feature(std::uint32_t feature) const {
    const ColumnInfo& column = input_.schema[feature];
    const std::vector<double> values = rows_.values_of(feature);
    const std::string name = "Residuals by " + column.name;
    if (!column.has_levels()) {
      Diagram shown =
          against(values, axis(column.name, column.unit), name,
                  "means that leave the zero line show what the model has not learned about " + column.name);
      shown.x.dates = column.dates;
      add_missing(values, shown);
      return shown;
    }
    Diagram shown = diagram(name, DiagramKind::residuals);
    shown.x = axis(column.name, column.unit);
    shown.y = residual_axis();
    shown.meaning =
        "an interval that does not reach zero: for such rows predictions are wrong on average, above zero "
        "too low and below it too high";
    shown.figures = {mean_residual()};
    std::map<double, ResidualBin> bins;
    for (std::size_t row = 0; row < values.size(); ++row) {
      if (rows_.known->weights[row] > 0 && std::isfinite(values[row]))
        bins[values[row]].add(0, residuals_[row], rows_.known->weights[row]);
    }
    const std::vector<std::string> levels = column.levels();
    DiagramSeries series{.name = "mean, 95 % interval", .mark = SeriesMark::means};
    for (const auto& [code, bin] : bins) {
      add_mean(series, static_cast<double>(shown.x.levels.size()), bin);
      shown.x.levels.push_back(levels[static_cast<std::size_t>(code)]);
    }
    shown.series.push_back(std::move(series));
    add_missing(values, shown);
    return shown;
  }

  void add_missing(const std::vector<double>& values, Diagram& shown) const {
    ResidualBin missing;
    bool any = false;
    for (std::size_t row = 0; row < values.size(); ++row) {
      if (!std::isnan(values[row]) || !(rows_.known->weights[row] > 0)) continue;
      missing.add(0, residuals_[row], rows_.known->weights[row]);
      any = true;
    }
    if (!any) return;
    shown.figures.push_back({.name = "mean residual where it is missing",
                             .value = missing.up.mean(),
                             .low = missing.up.mean() - missing.half_interval(),
                             .high = missing.up.mean() + missing.half_interval()});
  }

  [[nodiscard]] Diagram against_normal() const {
    Diagram shown = diagram("Quantiles of residuals", DiagramKind::residual_quantiles);
    shown.x = {.name = "quantile of a normal distribution"};
    shown.y = axis("residual", target_.unit);
    std::vector<std::pair<double, double>> sorted;  // residual, weight
    std::vector<std::pair<double, double>> sizes;
    for (std::size_t row = 0; row < residuals_.size(); ++row) {
      if (!(rows_.known->weights[row] > 0)) continue;
      sorted.emplace_back(residuals_[row], rows_.known->weights[row]);
      sizes.emplace_back(std::abs(residuals_[row]), rows_.known->weights[row]);
    }
    std::sort(sorted.begin(), sorted.end());
    std::sort(sizes.begin(), sizes.end());
    DiagramSeries series{.name = "residuals", .mark = SeriesMark::line};
    const std::size_t count = most_quantiles;
    for (std::size_t k = 1; k <= count; ++k) {
      const double share = static_cast<double>(k) / static_cast<double>(count + 1);
      series.x.push_back(normal_quantile(share));
      series.y.push_back(quantile(sorted, share));
    }
    ResidualBin all;
    for (const auto& [residual, weight] : sorted) all.add(0, residual, weight);
    const double sd = std::sqrt(all.up.variance());
    shown.series.push_back({.name = "normal distribution",
                            .mark = SeriesMark::reference,
                            .x = {series.x.front(), series.x.back()},
                            .y = {all.up.mean() + sd * series.x.front(), all.up.mean() + sd * series.x.back()}});
    shown.series.push_back(std::move(series));
    shown.figures = {{.name = "half of the rows are off by at most", .value = quantile(sizes, 0.5)},
                     {.name = "nine in ten by at most", .value = quantile(sizes, 0.9)}};
    shown.meaning =
        "on the dashed line residuals are as a normal distribution of the same mean and spread has them. Ends that "
        "leave it are more very large errors than that, which squared losses and intervals of the form ± 2 sd take "
        "badly";
    return shown;
  }

  // The first value with at least that share of the weight up to it.
  static double quantile(const std::vector<std::pair<double, double>>& sorted, double share) {
    ExactSum total;
    for (const auto& [value, weight] : sorted) total.add(weight);
    const double wanted = total.value() * share * (1 - 1e-12);
    double below = 0;
    for (const auto& [value, weight] : sorted) {
      below += weight;
      if (below >= wanted) return value;
    }
    return sorted.back().first;
  }

  const MethodInput& input_;
  const PredictedRows& rows_;
  const ResidualsOptions& options_;
  const ColumnInfo& target_;
  std::vector<double> truths_, predictions_, residuals_;
  std::vector<std::size_t> dots_;
};

Chain<Result> start_residuals(const MethodInput& input, const Value& given) {
  const auto options = read_options<ResidualsOptions>(given);
  for (const std::string& what : options.against) {
    if (what != "prediction" && what != "truth" && what != "normal") {
      throw Error(ErrorKind::usage, "residuals are not shown against " + printable(what),
                  marked("{option:against} is one or more of prediction, truth, normal"));
    }
  }
  // None are meant where none are named.
  std::vector<std::uint32_t> features;
  if (!options.features.empty()) features = chosen_features(input, options.features);
  return predict_rows(input, PredictedAs::numbers, features)
      .then([=](const std::shared_ptr<const PredictedRows>& rows) {
        return ResidualPictures(input, *rows, options).make(features);
      });
}

}  // namespace

MethodEntry residuals() {
  return {.name = "residuals",
          .alias = "",
          .about = {.title = "Residuals",
                    .short_name = "",
                    .family = Family::performance,
                    .terms = {{"residual", "truth minus prediction: above 0 where the model predicts too little"}}},
          .question = "How far are predictions from the truth, and does that depend on anything?",
          .when = "after performance: whether errors are chance, or something that the model could have known",
          .when_not =
              "classes: see calibration; residuals on rows that the model was trained on look smaller than they "
              "will be",
          .formula = "r_i = y_i − f(x_i)",
          .paper = "Anscombe and Tukey 1963, The examination and analysis of residuals",
          .results = {"diagram"},
          .expresses = "errors with their sign against predictions, truths and features",
          .cost = "rows predictions",
          .needs = {.target = Need::required},
          .access = Access::columns,
          .change = RowChange::none,
          .random = true,
          .as_predicted = true,
          .options = describe_options<ResidualsOptions>(),
          .start = start_residuals};
}

}  // namespace sightglass
