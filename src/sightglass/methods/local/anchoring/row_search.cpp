#include "sightglass/methods/local/anchoring/row_search.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sightglass/methods/local/anchoring/share_bounds.h"

namespace sightglass {

namespace {

// Perturbed rows below which these say nothing: rules that are left to a sample of their own.
constexpr double fewest_perturbed = 50;

class RowSearch {
 public:
  RowSearch(const AnchorSets& sets, const AnchorTerms& terms, const Context& context)
      : sets_(sets), terms_(terms), context_(context), features_(sets.conditions.by_feature()) {
    for (std::size_t depth = 0; depth <= terms.most_conditions; ++depth) {
      sets_at_.emplace_back(sets.same.size());
      levels_.push_back(search_level(sets.conditions, depth, terms));
    }
  }

  FoundAnchors run() {
    const RuleCount all = sets_.count(sets_.every.data(), sets_.every.data(), sets_at_[0].data());
    ++found_.explored;
    consider(all);
    order_features();
    if (terms_.most_conditions > 0) visit(1, 0);
    std::sort(found_.rules.begin(), found_.rules.end(), comes_before);
    const double known = found_.rules.empty() ? 0 : found_.rules.front().rows.covered;
    found_.bound = found_.complete ? known : std::max(known, open_);
    return std::move(found_);
  }

 private:
  // Those first that make a rule precise, so that a good rule is known early.
  void order_features() {
    std::vector<RowWord> both(sets_.same.size());
    std::vector<double> purity;
    for (const auto& conditions : features_) {
      double best = 0;
      for (const auto& condition : conditions) {
        const RuleCount count = sets_.count(sets_.every.data(), sets_.conditions.rows(condition), both.data());
        if (count.covered >= terms_.fewest_rows) best = std::max(best, count.precision());
      }
      purity.push_back(best);
    }
    order_.resize(features_.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) { return purity[a] > purity[b]; });
  }

  [[nodiscard]] bool full() const { return found_.rules.size() == kept_rules; }
  // Rows below which a rule is of no use.
  [[nodiscard]] double least_covered() const {
    return full() ? std::max(terms_.fewest_rows, found_.rules.back().rows.covered) : terms_.fewest_rows;
  }

  void visit(std::size_t depth, std::size_t next) {
    for (std::size_t i = next; i < order_.size(); ++i) {
      for (const auto& condition : features_[order_[i]]) {
        if (found_.explored >= terms_.most_rules) {
          found_.complete = false;
          // Whatever was not looked at lies below here or beside it.
          open_ = std::max(open_, counted_[depth - 1]);
          return;
        }
        if (++found_.explored % 256 == 0) context_.check();
        const RuleCount count =
            sets_.count(sets_at_[depth - 1].data(), sets_.conditions.rows(condition), sets_at_[depth].data());
        const double least = least_covered();
        if (count.covered < least || count.good < terms_.precision * least) continue;
        chosen_.push_back(&condition);
        consider(count);
        counted_.resize(depth + 1);
        counted_[depth] = count.covered;
        if (depth < terms_.most_conditions && !(full() && count.covered <= found_.rules.back().rows.covered))
          visit(depth + 1, i + 1);
        chosen_.pop_back();
        if (!found_.complete) {
          open_ = std::max(open_, counted_[depth - 1]);
          return;
        }
      }
    }
  }

  void consider(const RuleCount& rows) {
    if (chosen_.empty()) counted_.assign(1, rows.covered);
    const bool wanted =
        rows.covered >= terms_.fewest_rows && rows.precision() >= terms_.precision &&
        lower_share(rows.good, rows.covered, levels_[chosen_.size()]) >= terms_.precision - terms_.epsilon;
    // A rule over few rows is no better for being right about all of them.
    const double sure = (rows.good + 1) / (rows.covered + 2);
    if (!wanted && (!found_.rules.empty() || rows.covered < terms_.fewest_rows || sure <= nearest_)) return;
    AnchorRule rule{.rows = rows, .perturbed = count_perturbed()};
    for (const auto* condition : chosen_) rule.conditions.push_back(condition->cells);
    std::sort(rule.conditions.begin(), rule.conditions.end());
    const bool known = rule.perturbed.covered >= fewest_perturbed;
    const double both = known ? std::min(sure, rule.perturbed.precision()) : std::min(sure, nearest_unknown);
    if (both > nearest_) {
      nearest_ = both;
      found_.nearest = rule;
    }
    if (!wanted || (known && rule.perturbed.precision() < terms_.precision)) return;
    if (full() && !comes_before(rule, found_.rules.back())) return;
    if (full()) found_.rules.pop_back();
    found_.rules.insert(std::upper_bound(found_.rules.begin(), found_.rules.end(), rule, comes_before),
                        std::move(rule));
  }

  [[nodiscard]] RuleCount count_perturbed() {
    perturbed_ = sets_.every_perturbed;
    RuleCount count = sets_.count_perturbed(perturbed_.data(), perturbed_.data(), perturbed_.data());
    for (const auto* condition : chosen_)
      count = sets_.count_perturbed(perturbed_.data(), sets_.conditions.perturbed(*condition), perturbed_.data());
    return count;
  }

  static constexpr double nearest_unknown = 0.5;  // what a rule counts as of which perturbed rows say nothing

  const AnchorSets& sets_;
  const AnchorTerms& terms_;
  const Context& context_;
  const std::vector<std::vector<RowConditions::Condition>>& features_;
  std::vector<std::size_t> order_;
  std::vector<std::vector<RowWord>> sets_at_;  // [number of conditions]
  std::vector<double> levels_;
  std::vector<const RowConditions::Condition*> chosen_;
  std::vector<double> counted_;  // rows that the rule and its beginnings cover
  std::vector<RowWord> perturbed_;
  double nearest_ = 0;
  double open_ = 0;
  FoundAnchors found_;
};

}  // namespace

FoundAnchors search_rows(const AnchorSets& sets, const AnchorTerms& terms, const Context& context) {
  return RowSearch(sets, terms, context).run();
}

}  // namespace sightglass
