#include "sightglass/learn/panels/covering.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "sightglass/base/random.h"

namespace sightglass {

namespace {

constexpr std::uint64_t calibration_stream = 0x63616c6962;  // "calib"
constexpr double infinite = std::numeric_limits<double>::infinity();
// What a class gets that decides although others are more frequent: predicted shares agree with the decision.
constexpr double just_ahead = 0.51;

std::vector<double> weights_of(const TrainingData& data, std::span<const std::uint32_t> rows) {
  std::vector<double> weights;
  for (const std::uint32_t row : rows) weights.push_back(data.weight(row));
  return weights;
}

double sum_of(const std::vector<double>& numbers) { return std::accumulate(numbers.begin(), numbers.end(), 0.0); }

bool claims_point(const Panel& panel, const PanelPoints& points, std::size_t k) {
  const double xs[] = {points.xs[0][k], points.xs.size() > 1 ? points.xs[1][k] : 0};
  return panel_claims(panel, {xs, points.xs.size()}, points.decisions[k]);
}

// Decision values of rows that the panel claims if its threshold is below; -infinity where no threshold would do.
std::vector<double> claimable(const Panel& panel, const TrainingData& data, std::span<const std::uint32_t> rows,
                              const Context& context) {
  PanelPoints points = panel_points(panel, data, rows, context);
  Panel open = panel;
  open.threshold = -infinite;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (!claims_point(open, points, k)) points.decisions[k] = -infinite;
  }
  return std::move(points.decisions);
}

// Of each panel, so that thresholds can move without asking again.
std::vector<std::vector<double>> claimable(std::span<const Panel> panels, const TrainingData& data,
                                           std::span<const std::uint32_t> rows, const Context& context) {
  std::vector<std::vector<double>> values(panels.size());
  context.parallel_for(panels.size(), [&](std::size_t p) { values[p] = claimable(panels[p], data, rows, context); });
  return values;
}

std::vector<char> claimed_rows(const Panel& panel, const TrainingData& data, std::span<const std::uint32_t> rows,
                               const Context& context) {
  std::vector<char> claimed;
  for (const double value : claimable(panel, data, rows, context)) claimed.push_back(value > panel.threshold ? 1 : 0);
  return claimed;
}

std::size_t place_of(const CoveringStructure& structure, std::uint32_t one) {
  return static_cast<std::size_t>(std::find(structure.order.begin(), structure.order.end(), one) -
                                  structure.order.begin());
}

// Bounds around the rows above the threshold.
void set_box(Panel& panel, const TrainingData& data, std::span<const std::uint32_t> rows, const Context& context) {
  const PanelPoints points = panel_points(panel, data, rows, context);
  std::vector<std::uint32_t> claimed;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (points.decisions[k] > panel.threshold) claimed.push_back(rows[k]);
  }
  set_range(panel, data, claimed, context);
}

// One ensemble: rows of a class, and rows that no panel may claim for it.
class ClassCover {
 public:
  ClassCover(const TrainingData& data, std::vector<std::uint32_t> critical, std::vector<std::uint32_t> others,
             std::uint32_t claims, const std::vector<PanelSubset>& subsets, const CoveringLimits& limits,
             const Context& context)
      : data_(data),
        critical_(std::move(critical)),
        others_(std::move(others)),
        claims_(claims),
        subsets_(subsets),
        limits_(limits),
        context_(context),
        budget_(limits.tolerate) {}

  void run() {
    std::vector<std::uint32_t> remaining = others_;
    const double total = sum_of(weights_of(data_, others_));
    while (panels_.size() < limits_.max_models && !remaining.empty() && !critical_.empty()) {
      auto found = best_panel(remaining);
      if (!found || found->gain < limits_.min_gain * total || !(found->gain > 0)) break;
      set_box(found->panel, data_, others_, context_);
      leave_out(found->panel);
      const std::vector<char> claimed = claimed_rows(found->panel, data_, remaining, context_);
      std::vector<std::uint32_t> left;
      for (std::size_t k = 0; k < remaining.size(); ++k) {
        if (claimed[k] == 0) left.push_back(remaining[k]);
      }
      remaining = std::move(left);
      panels_.push_back(std::move(*found));
    }
    drop_redundant();
  }
  std::vector<CoveringPanel>& panels() { return panels_; }
  [[nodiscard]] const std::vector<std::uint32_t>& tolerated() const { return tolerated_; }

 private:
  [[nodiscard]] PanelTask task(const std::vector<std::uint32_t>& remaining) const {
    PanelTask task;
    // Costs are a guide here, what counts is the threshold: critical rows are there to be kept out, however few.
    task.unbiased = false;
    std::vector<std::pair<std::uint32_t, bool>> rows;
    for (const std::uint32_t row : critical_) rows.emplace_back(row, true);
    for (const std::uint32_t row : remaining) rows.emplace_back(row, false);
    std::sort(rows.begin(), rows.end());
    for (const auto& [row, critical] : rows) {
      task.rows.push_back(row);
      task.labels.push_back(critical ? -1 : 1);
      task.costs.push_back(data_.weight(row) * (critical ? limits_.preference : 1));
    }
    return task;
  }

  [[nodiscard]] PanelThreshold threshold(const Panel& panel, std::span<const std::uint32_t> remaining) const {
    return find_threshold(panel_points(panel, data_, critical_, context_).decisions, weights_of(data_, critical_),
                          panel_points(panel, data_, remaining, context_).decisions, weights_of(data_, remaining),
                          budget_);
  }

  std::optional<CoveringPanel> best_panel(const std::vector<std::uint32_t>& remaining) {
    const PanelTask rows = task(remaining);
    const PanelJudge judge = [&](const StratifiedSample& sample, std::span<const double> decisions) {
      const std::vector<std::uint32_t>& places = sample.places;
      std::vector<double> critical, critical_weights, others, other_weights, weights;
      for (std::size_t k = 0; k < places.size(); ++k) {
        const bool other = rows.labels[places[k]] > 0;
        (other ? others : critical).push_back(decisions[k]);
        weights.push_back(data_.weight(rows.rows[places[k]]));
        (other ? other_weights : critical_weights).push_back(weights.back());
      }
      const PanelThreshold found = find_threshold(critical, critical_weights, others, other_weights, budget_);
      return PanelScore{found.score, found.margin / moments_of(decisions, weights).sd};
    };
    std::vector<PanelCandidate> ranked = rank_panels(data_, rows, subsets_, limits_.panels, judge, context_);
    if (ranked.size() > finalists) ranked.resize(finalists);
    // Ranked by a sample, and with kernels of less digits: what counts is found again, of all rows.
    std::vector<Panel> panels(ranked.size());
    std::vector<char> converged(ranked.size());
    std::vector<PanelThreshold> thresholds(ranked.size());
    context_.parallel_for(ranked.size(), [&](std::size_t i) {
      TrainedPanel trained =
          train_panel(data_, rows, subsets_[ranked[i].subset], ranked[i].setting, limits_.panels, context_);
      panels[i] = std::move(trained.panel);
      converged[i] = trained.converged ? 1 : 0;
      thresholds[i] = threshold(panels[i], remaining);
      panels[i].threshold = thresholds[i].threshold;
      panels[i].claims = claims_;
    });
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < ranked.size(); ++i) {
      if (thresholds[i].gain > 0) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      if (thresholds[a].score != thresholds[b].score) return thresholds[a].score > thresholds[b].score;
      if (panels[a].inputs.size() != panels[b].inputs.size()) return panels[a].inputs.size() < panels[b].inputs.size();
      const double margin_a = thresholds[a].margin / panels[a].spread;
      const double margin_b = thresholds[b].margin / panels[b].spread;
      if (margin_a != margin_b) return margin_a > margin_b;
      return ranked[a].subset < ranked[b].subset;
    });
    if (order.empty()) return std::nullopt;
    CoveringPanel best{panels[order[0]], thresholds[order[0]].gain, converged[order[0]] != 0, {}};
    for (std::size_t i = 1; i < order.size() && i <= most_runners_up; ++i) {
      if (thresholds[order[i]].gain < nearly_as_good * best.gain) continue;
      PanelRunnerUp& other = best.runners_up.emplace_back();
      for (const auto& input : panels[order[i]].inputs)
        other.features.push_back(data_.features[input.feature].info.name);
      other.score = thresholds[order[i]].gain / thresholds[order[0]].gain;
    }
    return best;
  }

  // Critical rows that a panel claims are those that it was allowed to leave out: no later panel sees them.
  void leave_out(const Panel& panel) {
    const std::vector<char> claimed = claimed_rows(panel, data_, critical_, context_);
    std::vector<std::uint32_t> kept;
    for (std::size_t k = 0; k < critical_.size(); ++k) {
      (claimed[k] != 0 ? tolerated_ : kept).push_back(critical_[k]);
    }
    budget_ -= critical_.size() - kept.size();
    critical_ = std::move(kept);
  }

  // Panels whose rows others claim go, those with the fewest rows first.
  void drop_redundant() {
    std::vector<std::vector<char>> claimed;
    for (const CoveringPanel& panel : panels_) claimed.push_back(claimed_rows(panel.panel, data_, others_, context_));
    const auto redundant = [&](std::size_t p) {
      for (std::size_t k = 0; k < others_.size(); ++k) {
        if (claimed[p][k] == 0) continue;
        bool elsewhere = false;
        for (std::size_t q = 0; q < panels_.size(); ++q) elsewhere = elsewhere || (q != p && claimed[q][k] != 0);
        if (!elsewhere) return false;
      }
      return true;
    };
    while (true) {
      std::size_t drop = panels_.size();
      double least = infinite;
      for (std::size_t p = 0; p < panels_.size(); ++p) {
        double weight = 0;
        for (std::size_t k = 0; k < others_.size(); ++k) weight += claimed[p][k] != 0 ? data_.weight(others_[k]) : 0;
        if (weight < least && redundant(p)) {
          least = weight;
          drop = p;
        }
      }
      if (drop == panels_.size()) return;
      panels_.erase(panels_.begin() + static_cast<std::ptrdiff_t>(drop));
      claimed.erase(claimed.begin() + static_cast<std::ptrdiff_t>(drop));
    }
  }

  const TrainingData& data_;
  std::vector<std::uint32_t> critical_, others_, tolerated_;
  std::uint32_t claims_;
  const std::vector<PanelSubset>& subsets_;
  const CoveringLimits& limits_;
  const Context& context_;
  std::size_t budget_;
  std::vector<CoveringPanel> panels_;
};

std::vector<double> thresholds_of(const CoveringStructure& structure) {
  std::vector<double> thresholds;
  for (const Panel& panel : structure.panels) thresholds.push_back(panel.threshold);
  return thresholds;
}

// How far a row is above thresholds of panels that would take it for a less critical class than its own: the largest
// (d - t) / spread; -infinity where no panel can claim it. Of what is claimable of the rows.
std::vector<double> excesses(const CoveringStructure& structure, const std::vector<std::vector<double>>& values,
                             std::span<const double> thresholds, const TrainingData& data,
                             std::span<const std::uint32_t> rows) {
  std::vector<double> excess(rows.size(), -infinite);
  for (std::size_t p = 0; p < structure.panels.size(); ++p) {
    const Panel& panel = structure.panels[p];
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const std::size_t own = place_of(structure, static_cast<std::uint32_t>(data.outcome[rows[k]]));
      if (place_of(structure, panel.claims) <= own) continue;
      excess[k] = std::max(excess[k], (values[p][k] - thresholds[p]) / panel.spread);
    }
  }
  return excess;
}

// Where a row ends once a panel claims it.
std::size_t end_after(const CoveringStructure& structure, std::size_t end, const Panel& panel) {
  return structure.one_vs_rest || end == unclaimed_end(structure) ? place_of(structure, panel.claims) : end;
}

// Share of rows that are not of the most critical class and that no panel claims with these thresholds. Of what is
// claimable of the rows.
double unclaimed_share(const CoveringStructure& structure, const std::vector<std::vector<double>>& values,
                       std::span<const double> thresholds, const TrainingData& data,
                       std::span<const std::uint32_t> rows) {
  double all = 0, left = 0;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (static_cast<std::uint32_t>(data.outcome[rows[k]]) == structure.order[0]) continue;
    all += data.weight(rows[k]);
    bool claimed = false;
    for (std::size_t p = 0; p < thresholds.size() && !claimed; ++p) claimed = values[p][k] > thresholds[p];
    if (!claimed) left += data.weight(rows[k]);
  }
  return all > 0 ? left / all : 0;
}

// Raises all thresholds so far that the k-th highest calibration row is just not claimed.
void make_safe(CoveringFit& fit, const TrainingData& data, std::span<const std::uint32_t> rows, std::size_t allowed,
               const Context& context) {
  constexpr std::size_t most_steps = 20;
  CoveringStructure& structure = fit.structure;
  const auto kept_apart = claimable(structure.panels, data, fit.calibration, context);
  std::vector<double> excess = excesses(structure, kept_apart, thresholds_of(structure), data, fit.calibration);
  std::sort(excess.begin(), excess.end(), std::greater<>());
  const auto shift = [&](std::size_t k) { return k <= excess.size() ? std::max(0.0, excess[k - 1]) : 0.0; };
  const auto raised = [&](std::size_t k) {
    std::vector<double> thresholds = thresholds_of(structure);
    for (std::size_t p = 0; p < thresholds.size(); ++p) thresholds[p] += structure.panels[p].spread * shift(k);
    // Rounding must not leave a row above the threshold that it has set itself.
    while (shift(k) > 0) {
      const std::vector<double> again = excesses(structure, kept_apart, thresholds, data, fit.calibration);
      if (static_cast<std::size_t>(std::count_if(again.begin(), again.end(), [](double e) { return e > 0; })) < k)
        break;
      for (double& threshold : thresholds) threshold = std::nextafter(threshold, infinite);
    }
    return thresholds;
  };
  fit.trade_off.resize(std::min(std::max(most_steps, allowed), excess.size()));
  const auto values = claimable(structure.panels, data, rows, context);
  context.parallel_for(fit.trade_off.size(), [&](std::size_t i) {
    context.check();
    fit.trade_off[i] = {static_cast<double>(i + 1) / static_cast<double>(excess.size() + 1),
                        unclaimed_share(structure, values, raised(i + 1), data, rows), i + 1 == allowed};
  });
  fit.shift = shift(allowed);
  const std::vector<double> thresholds = raised(allowed);
  for (std::size_t p = 0; p < fit.panels.size(); ++p) {
    structure.panels[p].threshold = thresholds[p];
    fit.panels[p].panel = structure.panels[p];
  }
}

// Of the rows that were left out those that are claimed in the end: the panel may be gone again, or its threshold
// raised.
std::vector<std::uint32_t> claimed_of_left_out(const CoveringFit& fit, const TrainingData& data,
                                               const Context& context) {
  std::vector<char> claimed(fit.tolerated.size(), 0);
  for (const Panel& panel : fit.structure.panels) {
    const std::vector<char> by_panel = claimed_rows(panel, data, fit.tolerated, context);
    const std::size_t place = place_of(fit.structure, panel.claims);
    for (std::size_t k = 0; k < by_panel.size(); ++k) {
      const std::size_t own = place_of(fit.structure, static_cast<std::uint32_t>(data.outcome[fit.tolerated[k]]));
      if (by_panel[k] != 0 && (fit.structure.one_vs_rest ? place != own : place > own)) claimed[k] = 1;
    }
  }
  std::vector<std::uint32_t> rows;
  for (std::size_t k = 0; k < claimed.size(); ++k) {
    if (claimed[k] != 0) rows.push_back(fit.tolerated[k]);
  }
  return rows;
}

// What each panel claims of its class that none before it does, now that thresholds are final and some panels gone.
void set_gains(CoveringFit& fit, const TrainingData& data, std::span<const std::uint32_t> rows,
               const Context& context) {
  std::vector<char> before(rows.size(), 0);
  for (CoveringPanel& from : fit.panels) {
    const std::vector<char> claimed = claimed_rows(from.panel, data, rows, context);
    from.gain = 0;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      if (claimed[k] == 0 || static_cast<std::uint32_t>(data.outcome[rows[k]]) != from.panel.claims) continue;
      if (before[k] == 0) from.gain += data.weight(rows[k]);
      before[k] = 1;
    }
  }
}

// Shares of the classes among rows that end at each place; the class that decides is ahead.
void set_shares(CoveringStructure& structure, const TrainingData& data, std::span<const std::uint32_t> rows,
                const Context& context) {
  const std::size_t classes = structure.order.size();
  structure.shares.assign(std::max(classes, unclaimed_end(structure) + 1), std::vector<double>(classes, 0.0));
  const std::vector<std::size_t> ends = covering_ends(structure, data, rows, context);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    structure.shares[ends[k]][static_cast<std::size_t>(data.outcome[rows[k]])] += data.weight(rows[k]);
  }
  for (std::size_t end = 0; end < structure.shares.size(); ++end) {
    std::vector<double>& shares = structure.shares[end];
    const std::size_t decided = structure.order[decided_place(structure, end)];
    const double total = sum_of(shares), other = total - shares[decided];
    if (!(total > 0)) {
      shares[decided] = 1;
      continue;
    }
    for (double& share : shares) share /= total;
    bool ahead = shares[decided] > 0;
    for (std::size_t c = 0; c < classes; ++c) ahead = ahead && (c == decided || shares[c] < shares[decided]);
    if (classes == 2) ahead = shares[decided] > 0.5;
    if (ahead) continue;
    for (std::size_t c = 0; c < classes; ++c) {
      shares[c] = c == decided ? just_ahead : shares[c] * total / other * (1 - just_ahead);
    }
  }
}

}  // namespace

PanelThreshold find_threshold(std::span<const double> critical, std::span<const double> critical_weights,
                              std::span<const double> others, std::span<const double> other_weights,
                              std::size_t tolerate) {
  std::vector<std::pair<double, double>> above;  // critical rows that a threshold of 0 would claim
  for (std::size_t k = 0; k < critical.size(); ++k) {
    if (critical[k] > 0) above.emplace_back(critical[k], critical_weights[k]);
  }
  const std::size_t most = std::min(tolerate, above.size());
  std::partial_sort(above.begin(), above.begin() + static_cast<std::ptrdiff_t>(std::min(most + 1, above.size())),
                    above.end(), std::greater<>());
  // From the highest down, as thresholds fall while more critical rows are left out.
  std::vector<std::pair<double, double>> claimable;
  for (std::size_t k = 0; k < others.size(); ++k) {
    if (others[k] > 0) claimable.emplace_back(others[k], other_weights[k]);
  }
  std::sort(claimable.begin(), claimable.end(), std::greater<>());
  PanelThreshold best, found;
  std::size_t claimed = 0;
  double lost = 0;
  for (std::size_t left_out = 0; left_out <= most; ++left_out) {
    found.threshold = left_out < above.size() ? above[left_out].first : 0;
    for (; claimed < claimable.size() && claimable[claimed].first > found.threshold; ++claimed)
      found.gain += claimable[claimed].second;
    found.margin = claimed > 0 ? claimable[claimed - 1].first - found.threshold : 0;
    found.score = found.gain - lost;
    if (left_out == 0 || found.score > best.score) best = found;
    if (left_out < above.size()) lost += above[left_out].second;
  }
  return best;
}

std::vector<std::size_t> covering_ends(const CoveringStructure& structure, const TrainingData& data,
                                       std::span<const std::uint32_t> rows, const Context& context) {
  std::vector<std::size_t> ends(rows.size(), unclaimed_end(structure));
  for (const Panel& panel : structure.panels) {
    const std::vector<char> claimed = claimed_rows(panel, data, rows, context);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      if (claimed[k] != 0) ends[k] = end_after(structure, ends[k], panel);
    }
  }
  return ends;
}

std::vector<std::size_t> covering_places(const CoveringStructure& structure, const TrainingData& data,
                                         std::span<const std::uint32_t> rows, const Context& context) {
  std::vector<std::size_t> places = covering_ends(structure, data, rows, context);
  for (std::size_t& place : places) place = decided_place(structure, place);
  return places;
}

std::vector<std::size_t> covering_claims(const CoveringStructure& structure, const TrainingData& data,
                                         std::span<const std::uint32_t> rows, const Context& context) {
  std::vector<std::size_t> claims(rows.size(), 0);
  for (const std::uint32_t one : structure.order) {
    std::vector<char> of_class(rows.size(), 0);
    for (const Panel& panel : structure.panels) {
      if (panel.claims != one) continue;
      const std::vector<char> claimed = claimed_rows(panel, data, rows, context);
      for (std::size_t k = 0; k < rows.size(); ++k) of_class[k] = static_cast<char>(of_class[k] | claimed[k]);
    }
    for (std::size_t k = 0; k < rows.size(); ++k) claims[k] += of_class[k] != 0 ? 1 : 0;
  }
  return claims;
}

std::size_t calibration_rows(double share, std::size_t rows) {
  // A share as it was written: 0.29 of 100 rows are 29, though 0.29 is a little less than that.
  const double wanted = share * static_cast<double>(rows);
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::floor(wanted * (1 + 1e-12))));
}

CoveringFit fit_covering(const TrainingData& data, std::span<const std::uint32_t> rows,
                         const std::vector<std::uint32_t>& order, const std::vector<PanelSubset>& subsets,
                         const CoveringLimits& limits, const Context& context) {
  CoveringFit fit;
  fit.structure.order = order;
  fit.structure.one_vs_rest = limits.one_vs_rest;
  std::vector<std::size_t> place_of_class(order.size());
  for (std::size_t place = 0; place < order.size(); ++place) place_of_class[order[place]] = place;
  std::vector<std::vector<std::uint32_t>> by_place(order.size());
  for (const std::uint32_t row : rows)
    by_place[place_of_class[static_cast<std::size_t>(data.outcome[row])]].push_back(row);
  if (limits.calibration > 0) {
    for (std::size_t place = 0; place + 1 < order.size(); ++place) {
      const std::vector<std::uint32_t> kept =
          sampled_rows(by_place[place], calibration_rows(limits.calibration, by_place[place].size()),
                       random_bits(limits.panels.seed, calibration_stream, place));
      std::vector<std::uint32_t> rest;
      std::set_difference(by_place[place].begin(), by_place[place].end(), kept.begin(), kept.end(),
                          std::back_inserter(rest));
      by_place[place] = rest;
      fit.calibration.insert(fit.calibration.end(), kept.begin(), kept.end());
    }
    std::sort(fit.calibration.begin(), fit.calibration.end());
  }
  for (std::size_t place = order.size(); place-- > (limits.one_vs_rest ? 0 : 1);) {
    std::vector<std::uint32_t> critical;
    for (std::size_t other = 0; other < (limits.one_vs_rest ? order.size() : place); ++other) {
      if (other != place) critical.insert(critical.end(), by_place[other].begin(), by_place[other].end());
    }
    std::sort(critical.begin(), critical.end());
    ClassCover cover(data, std::move(critical), by_place[place], order[place], subsets, limits, context);
    cover.run();
    for (CoveringPanel& panel : cover.panels()) {
      fit.structure.panels.push_back(panel.panel);
      fit.panels.push_back(std::move(panel));
    }
    fit.tolerated.insert(fit.tolerated.end(), cover.tolerated().begin(), cover.tolerated().end());
  }
  std::sort(fit.tolerated.begin(), fit.tolerated.end());
  fit.tolerated.erase(std::unique(fit.tolerated.begin(), fit.tolerated.end()), fit.tolerated.end());
  if (limits.calibration > 0) make_safe(fit, data, rows, limits.allowed_misses, context);
  fit.tolerated = claimed_of_left_out(fit, data, context);
  set_shares(fit.structure, data, rows, context);
  set_gains(fit, data, rows, context);
  return fit;
}

double binomial_upper_bound(std::size_t misses, std::size_t rows) {
  constexpr double level = 0.05;
  if (rows == 0 || misses >= rows) return 1;
  const auto n = static_cast<double>(rows);
  const auto at_most = [&](double rate) {  // chance of so few misses
    double sum = 0;
    for (std::size_t k = 0; k <= misses; ++k) {
      const auto m = static_cast<double>(k);
      sum += std::exp(std::lgamma(n + 1) - std::lgamma(m + 1) - std::lgamma(n - m + 1) + m * std::log(rate) +
                      (n - m) * std::log1p(-rate));
    }
    return sum;
  };
  double low = static_cast<double>(misses) / n, high = 1;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (at_most(middle) > level ? low : high) = middle;
  }
  return high;
}

}  // namespace sightglass
