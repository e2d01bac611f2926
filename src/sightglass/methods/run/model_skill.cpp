#include "sightglass/methods/run/model_skill.h"

#include <algorithm>
#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/base/random.h"
#include "sightglass/data/picked_block.h"
#include "sightglass/methods/losses/losses.h"

namespace sightglass {

namespace {

constexpr std::uint64_t skill_stream = 0x736b'696c'6c;  // "skill"

// Below this many standard errors of a random order under one half, an area is not chance.
constexpr double surely_reversed = 5;
// A weak model may be a little worse than chance; one whose classes are swapped is far from it.
constexpr double at_most_reversed = 0.4;

struct SkillSums {
  LossSum losses;
  std::vector<LossSum> order;  // of two classes one: the area under the ROC curve
  std::uint64_t unfit = 0;     // predictions for which the loss has no value

  static auto members() { return std::tuple(&SkillSums::losses, &SkillSums::order, &SkillSums::unfit); }
};

class SkillPass : public Pass<SkillSums, std::optional<ModelSkill>> {
 public:
  // order: the loss by which two classes are told apart, if there are two.
  SkillPass(const MethodInput& input, SkillRows rows, Loss loss, std::optional<Loss> order, std::string measure)
      : features_(input.features),
        rows_(std::move(rows)),
        loss_(std::move(loss)),
        order_(std::move(order)),
        measure_(std::move(measure)) {}

  [[nodiscard]] std::vector<std::uint32_t> columns() const override { return features_; }
  // It does, for a few rows of each block; in the large blocks of passes that do not, so that the few are not
  // spread over hundreds of calls.
  [[nodiscard]] bool needs_model() const override { return false; }
  [[nodiscard]] SkillSums empty() const override {
    SkillSums sums{.losses = LossSum(loss_)};
    if (order_) sums.order.emplace_back(*order_);
    return sums;
  }

  void map(const RowBlock& block, SkillSums& sums, Evaluator& evaluator) const override {
    std::vector<std::uint64_t> local;
    std::vector<std::size_t> places;
    for (std::size_t row = 0; row < block.rows; ++row) {
      const auto at = std::lower_bound(rows_.ids.begin(), rows_.ids.end(), block.row_id(row));
      if (at == rows_.ids.end() || *at != block.row_id(row)) continue;
      local.push_back(row);
      places.push_back(static_cast<std::size_t>(at - rows_.ids.begin()));
    }
    if (local.empty()) return;
    const PickedBlock picked(block, local);
    Matrix predictions;
    evaluator.evaluate(picked.block(), predictions);
    for (std::size_t row = 0; row < places.size(); ++row) {
      double term = 0;
      try {
        loss_.terms(predictions.span().row(row), rows_.targets[places[row]], {&term, 1});
      } catch (const Error&) {
        ++sums.unfit;  // no probabilities: nothing can be said, and nobody asked
        continue;
      }
      sums.losses.add({&term, 1}, rows_.targets[places[row]], rows_.weights[places[row]]);
      if (!order_) continue;
      order_->terms(predictions.span().row(row), rows_.targets[places[row]], {&term, 1});
      sums.order[0].add({&term, 1}, rows_.targets[places[row]], rows_.weights[places[row]]);
    }
  }

  [[nodiscard]] std::optional<ModelSkill> find(const SkillSums& sums) const override {
    if (sums.unfit > 0) return std::nullopt;
    LossSum constant(loss_);
    const std::vector<double> best = loss_.best_constant(rows_.targets, rows_.weights);
    for (std::size_t row = 0; row < rows_.ids.size(); ++row) {
      double term = 0;
      loss_.terms(best, rows_.targets[row], {&term, 1});
      constant.add({&term, 1}, rows_.targets[row], rows_.weights[row]);
    }
    const double own = sums.losses.value();
    const auto skill = loss_.skill(own, constant.value());
    // Predictions so far off that their loss is beyond all numbers.
    if (std::isinf(own) && std::isfinite(constant.value()))
      return ModelSkill{.measure = measure_, .skill = -own, .rows = rows_.ids.size()};
    if (!skill || !std::isfinite(*skill)) return std::nullopt;
    ModelSkill found{.measure = measure_, .skill = *skill, .rows = rows_.ids.size()};
    if (order_) found.reversed_auc = reversed(sums.order[0].value());
    return found;
  }

 private:
  // The area, if no order by chance would be so far below one half.
  [[nodiscard]] std::optional<double> reversed(double area) const {
    double positive = 0;
    for (const double target : rows_.targets) positive += target;
    const double negative = static_cast<double>(rows_.targets.size()) - positive;
    if (!(positive > 0 && negative > 0)) return std::nullopt;
    const double by_chance = std::sqrt((positive + negative + 1) / (12 * positive * negative));
    const bool surely = area < at_most_reversed && area < 0.5 - surely_reversed * by_chance;
    return surely ? std::optional(area) : std::nullopt;
  }

  std::vector<std::uint32_t> features_;
  SkillRows rows_;  // targets as the loss wants them
  Loss loss_;
  std::optional<Loss> order_;
  std::string measure_;
};

}  // namespace

SkillRows SkillRows::drawn(std::uint64_t limit, std::uint64_t seed) const {
  if (limit == 0 || ids.size() <= limit) return *this;
  std::vector<std::pair<std::uint64_t, std::size_t>> keys;
  for (std::size_t row = 0; row < ids.size(); ++row) keys.emplace_back(random_bits(seed, skill_stream, ids[row]), row);
  std::nth_element(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(limit), keys.end());
  keys.resize(limit);
  std::sort(keys.begin(), keys.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  SkillRows fewer;
  for (const auto& [key, row] : keys) {
    fewer.ids.push_back(ids[row]);
    fewer.targets.push_back(targets[row]);
    fewer.weights.push_back(weights[row]);
  }
  return fewer;
}

Chain<std::optional<ModelSkill>> measure_skill(const MethodInput& input, const SkillRows& rows) {
  const std::optional<ModelSkill> nothing;
  if (!input.target || input.scale != Scale::response) return nothing;
  const bool classes = input.task != Task::regression;
  try {
    const Outcome outcome(input, classes, rows.targets);
    const Loss loss(loss_info(classes ? "log-loss" : "squared"), outcome);
    SkillRows known;
    for (std::size_t row = 0; row < rows.ids.size(); ++row) {
      const double truth = outcome.truth(rows.targets[row]);
      if (std::isnan(truth)) continue;
      known.ids.push_back(rows.ids[row]);
      known.targets.push_back(truth);
      known.weights.push_back(rows.weights[row]);
    }
    if (known.ids.size() < 2) return nothing;
    std::optional<Loss> order;
    if (classes && loss.classes() == 2) order.emplace(loss_info("auc"), outcome);
    return over_rows<SkillPass>(input, std::move(known), loss, std::move(order), classes ? "log-loss" : "r2");
  } catch (const Error&) {
    // The target does not fit. Methods that need it say so; for others it is no matter.
    return nothing;
  }
}

}  // namespace sightglass
