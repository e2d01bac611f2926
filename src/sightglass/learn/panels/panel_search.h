// Which one or two features, and which support vector machine on them, tell two kinds of rows apart best: every subset
// of the features is tried, in parallel.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/learn/panels/svm.h"
#include "sightglass/learn/training_data.h"
#include "sightglass/model/learned/panels.h"

namespace sightglass {

struct PanelLimits {
  std::size_t dimensions = 2;
  bool linear = true, radial = true;  // kernels to try
  double cost = 1;                    // C of a row of average weight
  std::size_t search_rows = 1000;     // on which subsets are ranked
  std::size_t fit_rows = 5000;        // on which panels are trained
  std::size_t max_subsets = 5000;
  std::vector<std::string> veto;  // "a:b" or "a"
  std::uint64_t seed = 0;
};

// Features of a panel by their places in the training data: one or two.
using PanelSubset = std::vector<std::uint32_t>;

struct PanelSubsets {
  std::vector<PanelSubset> list;           // single ones first, each by index
  std::uint64_t possible = 0;              // without a cap, without vetoed ones
  std::vector<std::string> left_out = {};  // features that no panel can show, with the reason
};
// What there is to try. Constant features and those with more levels than an axis can show are left out; beyond
// max_subsets, features that say least about the classes by themselves. Throws Error(usage) on a veto of features that
// there are not.
[[nodiscard]] PanelSubsets panel_subsets(const TrainingData& data, const PanelLimits& limits, const Context& context);

// Rows to be told apart.
struct PanelTask {
  std::vector<std::uint32_t> rows;
  std::vector<double> labels;  // 1: to be on the positive side; -1
  std::vector<double> costs;   // of each row on the wrong side, relative to the C of the limits
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
// `judge` gets decision values of the rows at the given places of the task (a sample where there are many): NaN where
// a value is missing. It is called from several threads at once.
using PanelJudge = std::function<PanelScore(std::span<const std::uint32_t> places, std::span<const double> decisions)>;
[[nodiscard]] std::vector<PanelCandidate> rank_panels(const TrainingData& data, const PanelTask& task,
                                                      const std::vector<PanelSubset>& subsets,
                                                      const PanelLimits& limits, const PanelJudge& judge,
                                                      const Context& context);

// Trained on the task's rows, or fit_rows of them. Threshold 0, no bounds.
[[nodiscard]] Panel train_panel(const TrainingData& data, const PanelTask& task, const PanelSubset& subset,
                                const PanelSetting& setting, const PanelLimits& limits, const Context& context);

// Positions of rows along the panel's axes, per input, and their decision values.
struct PanelPoints {
  std::vector<std::vector<double>> xs;
  std::vector<double> decisions;
};
[[nodiscard]] PanelPoints panel_points(const Panel& panel, const TrainingData& data,
                                       std::span<const std::uint32_t> rows);

// At most so many of the rows, chosen by the seed and by their own numbers; ascending.
[[nodiscard]] std::vector<std::uint32_t> sampled_rows(std::span<const std::uint32_t> rows, std::size_t most,
                                                      std::uint64_t seed);

// Mean and standard deviation of finite values; spread 1 where all are equal.
struct Moments {
  double mean = 0, sd = 1;
  bool constant = true;
};
[[nodiscard]] Moments moments_of(std::span<const double> values);

}  // namespace sightglass
