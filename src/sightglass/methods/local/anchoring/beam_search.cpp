#include "sightglass/methods/local/anchoring/beam_search.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <set>

#include "sightglass/methods/local/anchoring/share_bounds.h"

namespace sightglass {

namespace {

constexpr std::size_t first_sample = 50;  // of each rule before rules are compared
constexpr std::size_t least_step = 100;   // rows more for a rule that is compared
constexpr double step_share = 0.25;       // or so many of those that it has
constexpr std::size_t drawn_at_once = 1000;
constexpr double most_sampled = 20'000;
// A rule's precision is known well enough when its bound is this near to what is wanted.
constexpr double judged_within = 0.05;

}  // namespace

BeamSearch::BeamSearch(const AnchorSets& sets, const AnchorTerms& terms) : sets_(sets), terms_(terms) {}

BeamSearch::Base BeamSearch::base_of(const CellRule& rule) const {
  Base base{.rule = rule, .rows = sets_.every, .perturbed = sets_.every_perturbed};
  const auto keep = [](std::vector<RowWord>& rows, const RowWord* met) {
    for (std::size_t w = 0; w < rows.size(); ++w) rows[w] &= met[w];
  };
  for (const auto& conditions : sets_.conditions.by_feature()) {
    for (const auto& condition : conditions) {
      if (std::find(rule.begin(), rule.end(), condition.cells) == rule.end()) continue;
      keep(base.rows, sets_.conditions.rows(condition));
      keep(base.perturbed, sets_.conditions.perturbed(condition));
    }
  }
  return base;
}

void BeamSearch::add_arm(std::size_t base, const RowConditions::Condition* added) {
  const Base& from = bases_[base];
  Arm arm{.rule = {.conditions = from.rule, .rows = {}, .perturbed = {}}, .base = base};
  const RowWord* rows = from.rows.data();
  if (added != nullptr) {
    arm.rule.conditions.push_back(added->cells);
    std::sort(arm.rule.conditions.begin(), arm.rule.conditions.end());
    arm.added = sets_.conditions.perturbed(*added);
    rows = sets_.conditions.rows(*added);
  }
  arm.rule.rows = sets_.count(from.rows.data(), rows, nullptr);
  // Nobody needs a rule that covers less than what is known.
  if (!found_.rules.empty() && arm.rule.rows.covered <= found_.rules.front().rows.covered) return;
  arms_.push_back(std::move(arm));
  ++found_.explored;
}

std::size_t BeamSearch::step_of(std::size_t arm) const {
  return std::max(least_step, static_cast<std::size_t>(step_share * arms_[arm].sample.covered));
}

void BeamSearch::sample(std::size_t index, std::size_t count) {
  Arm& arm = arms_[index];
  if (arm.sample.covered >= most_sampled) {
    arm.spent = true;
    return;
  }
  moved_.push_back(index);
  const std::vector<RowWord>& base = bases_[arm.base].perturbed;
  std::size_t taken = 0;
  for (; taken < count && arm.next < base.size(); ++arm.next) {
    const RowWord met = arm.added == nullptr ? base[arm.next] : base[arm.next] & arm.added[arm.next];
    const auto good = static_cast<std::size_t>(std::popcount(met & sets_.same_perturbed[arm.next]));
    taken += static_cast<std::size_t>(std::popcount(met));
    arm.sample.good += static_cast<double>(good);
  }
  arm.sample.covered += static_cast<double>(taken);
  if (taken >= count) return;
  count -= taken;
  // Rules that were never compared may not be worth more than that.
  const std::size_t more =
      arm.sample.covered < static_cast<double>(first_sample) ? count : std::max(count, drawn_at_once);
  wants_.push_back({.rule = arm.rule.conditions, .first = arm.drawn, .count = more, .arm = index});
  arm.drawn += more;
}

void BeamSearch::answer(const Want& want, std::size_t good) {
  arms_[want.arm].sample.covered += static_cast<double>(want.count);
  arms_[want.arm].sample.good += static_cast<double>(good);
  moved_.push_back(want.arm);
}

// Rules of one condition more than those of the beam, and first of all the rule without any.
void BeamSearch::grow() {
  arms_.clear();
  bases_.clear();
  moved_.clear();
  order_.clear();
  round_ = 1;
  if (size_ == 0) {
    bases_.push_back(base_of({}));
    add_arm(0, nullptr);
  }
  std::set<CellRule> seen;
  for (const CellRule& rule : beam_) {
    bases_.push_back(base_of(rule));
    for (const auto& conditions : sets_.conditions.by_feature()) {
      const auto used = [&](const CellCondition& cells) { return cells.feature == conditions[0].cells.feature; };
      if (std::any_of(rule.begin(), rule.end(), used)) continue;
      for (const auto& condition : conditions) {
        CellRule longer = rule;
        longer.push_back(condition.cells);
        std::sort(longer.begin(), longer.end());
        if (seen.insert(std::move(longer)).second) add_arm(bases_.size() - 1, &condition);
      }
    }
  }
  for (std::size_t arm = 0; arm < arms_.size(); ++arm) sample(arm, first_sample);
}

// Of rules that are equally precise the one that covers more.
bool BeamSearch::more_precise(std::size_t a, std::size_t b) const {
  const double left = arms_[a].sample.precision(), right = arms_[b].sample.precision();
  return left != right ? left > right : comes_before(arms_[a].rule, arms_[b].rule);
}

void BeamSearch::put_in_order() {
  const auto before = [&](std::size_t a, std::size_t b) { return more_precise(a, b); };
  std::sort(moved_.begin(), moved_.end());
  moved_.erase(std::unique(moved_.begin(), moved_.end()), moved_.end());
  std::erase_if(order_, [&](std::size_t arm) { return std::binary_search(moved_.begin(), moved_.end(), arm); });
  for (const std::size_t arm : moved_) order_.insert(std::upper_bound(order_.begin(), order_.end(), arm, before), arm);
  moved_.clear();
}

std::span<const std::size_t> BeamSearch::best() const {
  return std::span(order_).first(std::min(terms_.beam, order_.size()));
}

// The exploration rate of KL-LUCB: bounds of all arms hold in all rounds with probability 1 − δ.
double BeamSearch::level() const {
  constexpr double k = 405.5, alpha = 1.1;
  const double rate =
      std::log(k * static_cast<double>(arms_.size()) * std::pow(static_cast<double>(round_), alpha) / terms_.delta);
  return rate + std::log(rate);
}

bool BeamSearch::select() {
  put_in_order();
  const std::size_t beam = best().size();
  if (order_.size() == beam) return true;
  const double rate = level();
  std::size_t weakest = order_[0], strongest = order_[beam];
  double low = 2, high = -1;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const RuleCount& seen = arms_[order_[i]].sample;
    // By Pinsker's inequality no bound is farther from the share: most need not be found.
    const double reach = std::sqrt(rate / (2 * seen.covered));
    if (i < beam ? seen.precision() - reach >= low : seen.precision() + reach <= high) continue;
    if (i < beam) {
      const double bound = lower_share(seen.good, seen.covered, rate);
      if (bound < low) {
        low = bound;
        weakest = order_[i];
      }
    } else {
      if (!upper_share_above(seen.good, seen.covered, rate, high)) continue;
      high = upper_share(seen.good, seen.covered, rate);
      strongest = order_[i];
    }
  }
  if (high - low < terms_.epsilon) return true;
  ++round_;
  sample(weakest, step_of(weakest));
  sample(strongest, step_of(strongest));
  return arms_[weakest].spent && arms_[strongest].spent;
}

bool BeamSearch::judge() {
  const double rate = std::log(static_cast<double>(best().size()) / terms_.delta);
  bool known = true;
  for (const std::size_t arm : best()) {
    const RuleCount seen = arms_[arm].sample;
    const bool above = seen.precision() >= terms_.precision;
    const bool open = above ? lower_share(seen.good, seen.covered, rate) < terms_.precision - judged_within
                            : upper_share(seen.good, seen.covered, rate) >= terms_.precision + judged_within;
    if (!open || arms_[arm].spent) continue;
    sample(arm, step_of(arm));
    known = known && arms_[arm].spent;
  }
  return known;
}

std::vector<BeamSearch::Want> BeamSearch::advance() {
  while (phase_ != Phase::done) {
    wants_.clear();
    switch (phase_) {
      case Phase::begin:
        grow();
        phase_ = arms_.empty() ? Phase::done : Phase::select;
        break;
      case Phase::select:
        if (select()) phase_ = Phase::judge;
        break;
      case Phase::judge: {
        if (!judge()) break;
        beam_.clear();
        for (const std::size_t arm : best()) {
          AnchorRule rule = arms_[arm].rule;
          rule.perturbed = arms_[arm].sample;
          beam_.push_back(rule.conditions);
          const double precision = rule.perturbed.precision();
          if (precision > nearest_) {
            nearest_ = precision;
            found_.nearest = rule;
          }
          if (precision < terms_.precision || rule.rows.covered <= 0) continue;
          found_.rules.insert(std::upper_bound(found_.rules.begin(), found_.rules.end(), rule, comes_before), rule);
          if (found_.rules.size() > kept_rules) found_.rules.pop_back();
        }
        ++size_;
        phase_ = size_ > terms_.most_conditions ? Phase::done : Phase::begin;
        break;
      }
      case Phase::done: break;
    }
    if (!wants_.empty()) return wants_;
  }
  return {};
}

FoundAnchors BeamSearch::found() && {
  found_.complete = false;
  return std::move(found_);
}

}  // namespace sightglass
