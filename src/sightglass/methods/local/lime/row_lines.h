// The explanation of one row: its line, and how far it can be trusted.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sightglass/methods/local/lime/leaf_lines.h"
#include "sightglass/methods/local/lime/local_fit.h"
#include "sightglass/methods/rows/nearest_rows.h"

namespace sightglass {

struct RowLine {
  std::uint64_t row = 0;
  std::size_t output = 0;        // place among those that are explained
  FittedLine line = {};          // on the terms as they are fitted: cells are 0 or 1, numbers in standard deviations
  std::vector<double> own = {};  // the row's own terms, per term of the line
  std::vector<std::uint32_t> cell = {};  // per term of the line
  std::vector<TermKind> kind = {};
  std::vector<double> sd = {};                   // of the terms, under the weights
  std::vector<double> se = {};                   // of the coefficients; empty: exact
  double prediction = 0;                         // of the model
  double mean = 0;                               // of the model's predictions of samples, by their weights
  double r2 = 0, r2_se = 0;                      // on samples
  std::optional<double> r2_near = std::nullopt;  // on the nearest rows: 1 − mean squared error / variance over all rows
  std::size_t near_rows = 0;
  double stability = 1;        // mean overlap of the largest terms between repeats (Jaccard)
  std::size_t compared = 0;    // how many terms that are
  double locality = 0;         // share of the weight on samples of which at most half of the features changed
  double effective_share = 0;  // (Σ w)² / (n Σ w²)
  // Over widths: coefficients of each term, and R² on samples; NaN where too few samples count.
  std::vector<std::array<double, swept_widths>> sweep = {};
  std::array<double, swept_widths> sweep_r2{}, sweep_locality{};

  // The line at the row itself.
  [[nodiscard]] double value() const;
};

// How lines are found: as the limit of infinitely many samples, from samples with the margin's limit as a control
// variate, or from samples alone.
enum class LineEstimator { exact, controlled, sampling };
[[nodiscard]] std::string_view to_string(LineEstimator estimator);
// What the options ask for; auto: the first of these that can be had. Throws Error(usage) where it cannot.
[[nodiscard]] LineEstimator line_estimator(const MethodInput& input, const LimeOptions& options);

class RowExplainer {
 public:
  // All must outlive it.
  RowExplainer(const MethodInput& input, const LimeOptions& options, const LabelledRows& rows);

  [[nodiscard]] const Perturbation& perturbation() const { return perturbation_; }
  [[nodiscard]] LineEstimator estimator() const { return estimator_; }
  [[nodiscard]] bool exact() const { return estimator_ == LineEstimator::exact; }
  // What controls the fit to these samples, if anything does.
  void add_margins(Samples& samples) const;
  [[nodiscard]] std::size_t most_terms() const { return most_; }
  // How often samples are drawn for an explanation.
  [[nodiscard]] std::size_t repeats() const { return exact() ? 1 : static_cast<std::size_t>(options_.repeats); }
  // Samples for each repeat, the row itself not counted. Exact lines are only measured on them: some suffice.
  [[nodiscard]] std::size_t samples() const {
    const auto wanted = static_cast<std::size_t>(options_.samples);
    return (exact() ? std::min(wanted, std::size_t{1000}) : wanted) - 1;
  }
  [[nodiscard]] const NearestRows& nearest() const { return nearest_; }

  // What is known of a row before any sample is looked at.
  struct Surroundings {
    std::vector<TiltedFeature> features;
    std::vector<ExactLine> limits;  // of the margin, where they are known
  };
  // Of some rows: together they cost less.
  [[nodiscard]] std::vector<Surroundings> surroundings(std::span<const LabelledRow> rows) const;
  // One line per explained output. near: rows of the data.
  [[nodiscard]] std::vector<RowLine> explain(const LabelledRow& row, const Surroundings& around,
                                             const std::vector<const Samples*>& repeats,
                                             const std::vector<NearRow>& near) const;
  // Variance of the model's predictions over the rows, per explained output.
  [[nodiscard]] double variance(std::size_t output) const { return variances_[output]; }

 private:
  void add_exact(const Surroundings& around, const Samples& samples, std::vector<RowLine>& lines) const;
  void add_sampled(const LabelledRow& row, const Surroundings& around, const std::vector<const Samples*>& repeats,
                   std::vector<RowLine>& lines) const;
  void measure_near(const LabelledRow& row, const std::vector<TiltedFeature>& features,
                    const std::vector<NearRow>& near, RowLine& line) const;
  [[nodiscard]] std::vector<double> predictions_of(const LabelledRow& row) const;

  const MethodInput& input_;
  const LimeOptions& options_;
  const LabelledRows& rows_;
  Perturbation perturbation_;
  LineEstimator estimator_;
  std::unique_ptr<const ExactLines> limit_;  // of the margin
  NearestRows nearest_;
  std::size_t most_;
  TermChoice choice_;
  std::vector<double> variances_;
};

}  // namespace sightglass
