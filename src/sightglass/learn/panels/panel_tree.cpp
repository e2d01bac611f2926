#include "sightglass/learn/panels/panel_tree.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

namespace sightglass {

namespace {

constexpr double significance = 0.01;

// Weights of the classes on each side of a panel.
struct Sides {
  std::vector<double> below, above;

  explicit Sides(std::size_t classes) : below(classes, 0), above(classes, 0) {}
  [[nodiscard]] double impurity() const { return gini_impurity(below) + gini_impurity(above); }
  // Whether a class is more frequent above.
  [[nodiscard]] bool leans(std::size_t positive) const {
    const double all_below = std::accumulate(below.begin(), below.end(), 0.0);
    const double all_above = std::accumulate(above.begin(), above.end(), 0.0);
    return above[positive] * all_below > below[positive] * all_above;
  }
  // Share of the impurity that the panel removes.
  [[nodiscard]] double gain() const {
    std::vector<double> all(below);
    for (std::size_t c = 0; c < all.size(); ++c) all[c] += above[c];
    const double before = gini_impurity(all);
    return before > 0 ? 1 - impurity() / before : 0;
  }
};

// Chance that a χ² variable with so many degrees of freedom exceeds x, by recursion over them.
double chi_squared_tail(double x, std::size_t degrees) {
  double tail = degrees % 2 == 1 ? std::erfc(std::sqrt(x / 2)) : std::exp(-x / 2);
  for (std::size_t d = degrees % 2 == 1 ? 1 : 2; d < degrees; d += 2) {
    const double half = static_cast<double>(d) / 2;
    tail += std::exp(half * std::log(x / 2) - x / 2 - std::lgamma(half + 1));
  }
  return tail;
}

class Grower {
 public:
  Grower(const TrainingData& data, const std::vector<PanelSubset>& subsets, const PanelTreeLimits& limits,
         const Context& context)
      : data_(data), subsets_(subsets), limits_(limits), context_(context) {}

  PanelTreeFit grow() {
    std::vector<std::uint32_t> all(data_.rows);
    std::iota(all.begin(), all.end(), 0);
    node(all, 0);
    return std::move(fit_);
  }

 private:
  struct Found {
    Panel panel;
    double gain = 0;
    bool missing_above = false, converged = true;
    std::vector<PanelRunnerUp> runners_up = {};
  };

  // Its place, or that of its leaf.
  std::int32_t node(const std::vector<std::uint32_t>& rows, std::size_t depth) {
    std::vector<double> weights(data_.classes.size(), 0);
    for (const std::uint32_t row : rows) weights[class_of(row)] += data_.weight(row);
    const auto present = std::count_if(weights.begin(), weights.end(), [](double weight) { return weight > 0; });
    std::optional<Found> found;
    if (present > 1 && rows.size() >= limits_.min_rows && depth < limits_.max_depth) found = best_panel(rows, weights);
    if (!found) return leaf(weights);
    std::vector<std::uint32_t> below, above;
    const PanelPoints points = panel_points(found->panel, data_, rows, context_);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const bool missing = std::isnan(points.decisions[k]);
      const bool goes_above = missing ? found->missing_above : points.decisions[k] > 0;
      (goes_above ? above : below).push_back(rows[k]);
    }
    if (below.empty() || above.empty()) return leaf(weights);
    const auto place = fit_.structure.nodes.size();
    fit_.structure.nodes.push_back({.panel = std::move(found->panel), .missing_above = found->missing_above});
    fit_.rows.push_back(rows);
    fit_.gains.push_back(found->gain);
    if (!found->converged) ++fit_.unsolved;
    fit_.runners_up.push_back(std::move(found->runners_up));
    const std::int32_t under = node(below, depth + 1);
    const std::int32_t over = node(above, depth + 1);
    fit_.structure.nodes[place].below = under;
    fit_.structure.nodes[place].above = over;
    return static_cast<std::int32_t>(place);
  }

  std::int32_t leaf(const std::vector<double>& weights) {
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    std::vector<double>& shares = fit_.structure.leaves.emplace_back(weights);
    for (double& share : shares) share /= total;
    fit_.leaf_weights.push_back(total);
    return -static_cast<std::int32_t>(fit_.structure.leaves.size());
  }

  [[nodiscard]] std::size_t class_of(std::uint32_t row) const { return static_cast<std::size_t>(data_.outcome[row]); }

  // One class against the others.
  [[nodiscard]] PanelTask task(std::span<const std::uint32_t> rows, std::size_t positive) const {
    PanelTask task;
    for (const std::uint32_t row : rows) {
      task.rows.push_back(row);
      task.labels.push_back(class_of(row) == positive ? 1 : -1);
      task.costs.push_back(data_.weight(row));
    }
    return task;
  }

  // Rows without a value go where more of the others are.
  [[nodiscard]] bool missing_above(std::span<const std::uint32_t> rows, std::span<const double> decisions) const {
    double balance = 0;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      if (!std::isnan(decisions[k])) balance += decisions[k] > 0 ? data_.weight(rows[k]) : -data_.weight(rows[k]);
    }
    return balance > 0;
  }

  void add(Sides& sides, std::uint32_t row, bool above, double factor) const {
    (above ? sides.above : sides.below)[class_of(row)] += data_.weight(row) * factor;
  }

  struct Finalist {
    std::size_t positive = 0;
    PanelCandidate candidate;
  };

  std::optional<Found> best_panel(const std::vector<std::uint32_t>& rows, const std::vector<double>& weights) {
    std::vector<Finalist> all;
    for (std::size_t positive = data_.classes.size() == 2 ? 1 : 0; positive < data_.classes.size(); ++positive) {
      if (!(weights[positive] > 0)) continue;
      const PanelTask rows_task = task(rows, positive);
      const PanelJudge judge = [&](const StratifiedSample& sample, std::span<const double> decisions) {
        std::vector<std::uint32_t> at;
        for (const std::uint32_t place : sample.places) at.push_back(rows_task.rows[place]);
        const bool otherwise = missing_above(at, decisions);
        Sides sides(data_.classes.size());
        double lowest = std::numeric_limits<double>::infinity();
        for (std::size_t k = 0; k < at.size(); ++k) {
          add(sides, at[k], std::isnan(decisions[k]) ? otherwise : decisions[k] > 0, sample.factors[k]);
          if (!std::isnan(decisions[k])) lowest = std::min(lowest, std::abs(decisions[k]));
        }
        return PanelScore{sides.gain(), lowest};
      };
      for (const PanelCandidate& candidate : rank_panels(data_, rows_task, subsets_, limits_.panels, judge, context_)) {
        all.push_back({positive, candidate});
      }
    }
    std::stable_sort(all.begin(), all.end(), [](const Finalist& a, const Finalist& b) {
      return a.candidate.score.score > b.candidate.score.score;
    });
    if (all.size() > finalists) all.resize(finalists);
    const Validated validated = cross_validated(rows, all);
    const std::vector<double>& gains = validated.gains;
    std::vector<std::size_t> order(all.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      if (gains[a] != gains[b]) return gains[a] > gains[b];
      return subsets_[all[a].candidate.subset].size() < subsets_[all[b].candidate.subset].size();
    });
    if (order.empty() || !(gains[order[0]] >= limits_.min_gain)) return std::nullopt;
    if (chance_of_gain(gains[order[0]], validated.rows, weights) * static_cast<double>(all.size()) > significance)
      return std::nullopt;
    const Finalist& best = all[order[0]];
    Found found;
    found.gain = gains[order[0]];
    TrainedPanel trained = train_panel(data_, task(rows, best.positive), subsets_[best.candidate.subset],
                                       best.candidate.setting, limits_.panels, context_);
    found.panel = std::move(trained.panel);
    found.converged = trained.converged;
    found.panel.claims = static_cast<std::uint32_t>(best.positive);
    const std::vector<double> decisions = panel_points(found.panel, data_, rows, context_).decisions;
    std::vector<double> row_weights;
    for (const std::uint32_t row : rows) row_weights.push_back(data_.weight(row));
    found.panel.spread = moments_of(decisions, row_weights).sd;
    set_range(found.panel, data_, rows, context_);
    found.missing_above = missing_above(rows, decisions);
    std::vector<std::size_t> seen = {best.candidate.subset};
    for (std::size_t i = 1; i < order.size() && found.runners_up.size() < most_runners_up; ++i) {
      const std::size_t subset = all[order[i]].candidate.subset;
      if (std::find(seen.begin(), seen.end(), subset) != seen.end()) continue;
      seen.push_back(subset);
      if (gains[order[i]] < nearly_as_good * found.gain) break;
      PanelRunnerUp& other = found.runners_up.emplace_back();
      for (const std::uint32_t feature : subsets_[subset]) other.features.push_back(data_.features[feature].info.name);
      other.score = gains[order[i]];
    }
    return found;
  }

  struct Validated {
    std::vector<double> gains;
    double rows = 0;  // as many of equal weight would say as much
  };

  // Share of impurity removed in rows that a panel was not trained on: training rows always prefer narrow kernels.
  Validated cross_validated(const std::vector<std::uint32_t>& rows, const std::vector<Finalist>& all) const {
    std::vector<std::uint32_t> classes;
    for (const std::uint32_t row : rows) classes.push_back(static_cast<std::uint32_t>(class_of(row)));
    const StratifiedSample some =
        stratified_sample(classes, data_.classes.size(), limits_.panels.fit_rows, limits_.panels.seed);
    const std::size_t size = some.places.size();
    const auto folds = std::min<std::uint32_t>(limits_.folds, static_cast<std::uint32_t>(size));
    const auto fold = folds_of(size, folds, limits_.panels.seed);
    std::vector<Sides> sides(all.size() * folds, Sides(data_.classes.size()));
    context_.parallel_for(sides.size(), [&](std::size_t number) {
      context_.check();
      const Finalist& one = all[number / folds];
      std::vector<std::uint32_t> train, test;
      std::vector<double> train_factors, test_factors;
      for (std::size_t k = 0; k < size; ++k) {
        const bool tests = fold[k] == number % folds;
        (tests ? test : train).push_back(rows[some.places[k]]);
        (tests ? test_factors : train_factors).push_back(some.factors[k]);
      }
      PanelTask train_task = task(train, one.positive);
      for (std::size_t k = 0; k < train.size(); ++k) train_task.costs[k] *= train_factors[k];
      const Panel panel = train_panel(data_, train_task, subsets_[one.candidate.subset], one.candidate.setting,
                                      limits_.panels, context_)
                              .panel;
      const bool otherwise = missing_above(train, panel_points(panel, data_, train, context_).decisions);
      const std::vector<double> decisions = panel_points(panel, data_, test, context_).decisions;
      for (std::size_t k = 0; k < test.size(); ++k) {
        add(sides[number], test[k], std::isnan(decisions[k]) ? otherwise : decisions[k] > 0, test_factors[k]);
      }
    });
    Validated found;
    double sum_of_weights = 0, squares = 0;
    for (std::size_t k = 0; k < size; ++k) {
      const double weight = data_.weight(rows[some.places[k]]) * some.factors[k];
      sum_of_weights += weight;
      squares += weight * weight;
    }
    found.rows = sum_of_weights * sum_of_weights / squares;
    for (std::size_t i = 0; i < all.size(); ++i) {
      Sides sum(data_.classes.size());
      for (std::size_t f = 0; f < folds; ++f) {
        for (std::size_t c = 0; c < data_.classes.size(); ++c) {
          sum.below[c] += sides[i * folds + f].below[c];
          sum.above[c] += sides[i * folds + f].above[c];
        }
      }
      // What new rows contradict is no separation, however pure it makes the sides.
      found.gains.push_back(sum.leans(all[i].positive) ? sum.gain() : 0);
    }
    return found;
  }

  // That classes which go to both sides alike gain as much: (rows - 1) (classes - 1) · gain is then χ² with classes - 1
  // degrees of freedom (Light, Margolin, An analysis of variance for categorical data, JASA 66, 1971).
  [[nodiscard]] static double chance_of_gain(double gain, double rows, const std::vector<double>& weights) {
    const auto present = static_cast<std::size_t>(
        std::count_if(weights.begin(), weights.end(), [](double weight) { return weight > 0; }));
    return chi_squared_tail(std::max(0.0, rows - 1) * static_cast<double>(present - 1) * gain, present - 1);
  }

  const TrainingData& data_;
  const std::vector<PanelSubset>& subsets_;
  const PanelTreeLimits& limits_;
  const Context& context_;
  PanelTreeFit fit_;
};

}  // namespace

PanelTreeFit grow_panel_tree(const TrainingData& data, const std::vector<PanelSubset>& subsets,
                             const PanelTreeLimits& limits, const Context& context) {
  return Grower(data, subsets, limits, context).grow();
}

}  // namespace sightglass
