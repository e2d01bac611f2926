// Which one or two features, and which support vector machine on them, tell two kinds of rows apart best: every subset
// of the list is tried, in parallel.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/learn/panels/panel_subsets.h"
#include "sightglass/learn/panels/stratified_sample.h"
#include "sightglass/learn/panels/svm.h"
#include "sightglass/learn/training_data.h"
#include "sightglass/model/learned/panels.h"

namespace sightglass {

// A panel that reaches this share of the best one's score was nearly chosen instead.
inline constexpr double nearly_as_good = 0.8;
// Of the best by rank, so many are fitted again to choose among them, and so many of the others are told.
inline constexpr std::size_t finalists = 10;
inline constexpr std::size_t most_runners_up = 3;

// Rows to be told apart.
struct PanelTask {
  std::vector<std::uint32_t> rows;
  std::vector<double> labels;  // 1: to be on the positive side; -1
  std::vector<double> costs;   // of each row on the wrong side, as multiples of the C of the limits
  bool unbiased = true;        // a sample's rows cost as much as those they stand for
};

// A kernel: 0 linear, else the width of a radial one, in median distances of points.
struct PanelSetting {
  bool linear = false;
  double width = 1;
};

// Better is larger; of equal scores the one with fewer features is taken, then the larger margin, then the earlier.
struct PanelScore {
  double score = 0, margin = 0;
};

struct PanelCandidate {
  std::size_t subset = 0;  // place in the list
  PanelSetting setting;
  PanelScore score;
};

// One candidate per subset, with its best setting, the best first; those whose score is not above 0 are left out.
// `judge` gets decision values of a sample of the task's rows: NaN where a value is missing. It is called from several
// threads at once.
using PanelJudge = std::function<PanelScore(const StratifiedSample& sample, std::span<const double> decisions)>;
[[nodiscard]] std::vector<PanelCandidate> rank_panels(const TrainingData& data, const PanelTask& task,
                                                      const std::vector<PanelSubset>& subsets,
                                                      const PanelLimits& limits, const PanelJudge& judge,
                                                      const Context& context);

// Trained on the task's rows, or fit_rows of them. Threshold 0, no bounds.
struct TrainedPanel {
  Panel panel;
  bool converged = true;  // false: steps ran out before the optimum was reached
};
[[nodiscard]] TrainedPanel train_panel(const TrainingData& data, const PanelTask& task, const PanelSubset& subset,
                                       const PanelSetting& setting, const PanelLimits& limits, const Context& context);

// Positions of rows along the panel's axes, per input, and their decision values.
struct PanelPoints {
  std::vector<std::vector<double>> xs;
  std::vector<double> decisions;
};
[[nodiscard]] PanelPoints panel_points(const Panel& panel, const TrainingData& data,
                                       std::span<const std::uint32_t> rows, const Context& context);

// Bounds of the panel's inputs around these rows, those that have all values.
void set_range(Panel& panel, const TrainingData& data, std::span<const std::uint32_t> rows, const Context& context);

// Weighted mean and standard deviation of finite values, however large or small; spread 1 where all are equal. No
// weights: 1 each.
struct Moments {
  double mean = 0, sd = 1;
  bool constant = true;
};
[[nodiscard]] Moments moments_of(std::span<const double> values, std::span<const double> weights = {});

}  // namespace sightglass
