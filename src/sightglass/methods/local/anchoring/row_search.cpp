#include "sightglass/methods/local/anchoring/row_search.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <span>

#include "sightglass/methods/local/anchoring/share_bounds.h"

namespace sightglass {

namespace {

// Perturbed rows below which these say nothing: rules that are left to a sample of their own.
constexpr double fewest_perturbed = 50;

constexpr std::size_t words_at_once = 64;  // of these, before it is asked whether that says enough

// Of sums of weights, which are not exact.
constexpr double rounding_slack = 1e-9;
constexpr double infinite_rows = std::numeric_limits<double>::infinity();

// The data's rows in another order, good ones first and each kind in words of its own: what two sets share is counted
// once, not once more for the good ones, and bad ones alone in half the time.
class PartedRows {
 public:
  explicit PartedRows(const AnchorSets& sets)
      : places_(sets.same.size() * rows_per_word), weighted_(!sets.weights.empty()) {
    const std::uint64_t good = count_shared(sets.every.data(), sets.same.data(), sets.same.size());
    const std::uint64_t all = count_rows(sets.every.data(), sets.every.size());
    good_words_ = (good + rows_per_word - 1) / rows_per_word;
    words_ = good_words_ + (all - good + rows_per_word - 1) / rows_per_word;
    std::size_t next_good = 0, next_bad = good_words_ * rows_per_word;
    for (std::size_t row = 0; row < all; ++row)
      places_[row] = static_cast<std::uint32_t>(has_row(sets.same.data(), row) ? next_good++ : next_bad++);
    if (!weighted_) return;
    weights_.resize(words_ * rows_per_word);
    for (std::size_t row = 0; row < all; ++row) weights_[places_[row]] = sets.weights[row];
  }

  [[nodiscard]] std::vector<RowWord> parted(const RowWord* set) const {
    std::vector<RowWord> found(words_);
    for (std::size_t w = 0; w * rows_per_word < places_.size(); ++w) {
      for (RowWord left = set[w]; left != 0; left &= left - 1) {
        const std::uint32_t place = places_[w * rows_per_word + static_cast<std::size_t>(std::countr_zero(left))];
        found[place / rows_per_word] |= RowWord{1} << (place % rows_per_word);
      }
    }
    return found;
  }
  // Of rows in both sets.
  [[nodiscard]] double good(const RowWord* a, const RowWord* b) const { return count(a, b, 0, good_words_); }
  [[nodiscard]] double bad(const RowWord* a, const RowWord* b) const { return count(a, b, good_words_, words_); }
  [[nodiscard]] RuleCount both(const RowWord* a, const RowWord* b) const {
    const double found = good(a, b);
    return {.covered = found + bad(a, b), .good = found};
  }
  [[nodiscard]] std::size_t words() const { return words_; }

 private:
  [[nodiscard]] double count(const RowWord* a, const RowWord* b, std::size_t first, std::size_t end) const {
    if (!weighted_) return static_cast<double>(count_shared(a + first, b + first, end - first));
    double sum = 0;
    for (std::size_t w = first; w < end; ++w) {
      for (RowWord left = a[w] & b[w]; left != 0; left &= left - 1)
        sum += weights_[w * rows_per_word + static_cast<std::size_t>(std::countr_zero(left))];
    }
    return sum;
  }

  std::vector<std::uint32_t> places_;  // of rows
  bool weighted_ = false;
  std::vector<double> weights_;  // by place
  std::size_t good_words_ = 0, words_ = 0;
};

class RowSearch {
 public:
  RowSearch(const AnchorSets& sets, const AnchorTerms& terms, const Context& context)
      : sets_(sets),
        terms_(terms),
        context_(context),
        rows_(sets),
        bad_per_good_((1 - terms.precision) / terms.precision) {
    const double least = terms.precision - terms.epsilon;
    options_at_.resize(terms.most_conditions + 1);
    for (std::size_t size = 0; size <= terms.most_conditions; ++size) {
      sets_at_.emplace_back(rows_.words());
      levels_.push_back(search_level(sets.conditions, size, terms));
      // So many rows are sure enough if all are good.
      const double rows = least > 0 && least < 1 ? levels_.back() / -std::log(least) : 0;
      needed_.push_back(std::max(terms.fewest_rows, rows * (1 - rounding_slack)));
    }
    for (std::size_t size = terms.most_conditions; size > 0; --size)
      needed_[size - 1] = std::min(needed_[size - 1], needed_[size]);
  }

  FoundAnchors run() {
    sets_at_[0] = rows_.parted(sets_.every.data());
    const RuleCount all = rows_.both(sets_at_[0].data(), sets_at_[0].data());
    ++found_.explored;
    consider(all);
    if (terms_.most_conditions > 0) {
      options_at_[1] = first_options();
      visit(1, all);
    }
    std::sort(found_.rules.begin(), found_.rules.end(), comes_before);
    const double known = found_.rules.empty() ? 0 : found_.rules.front().rows.covered;
    found_.bound = found_.complete ? known : std::max(known, open_);
    return std::move(found_);
  }

 private:
  // A condition that may be added.
  struct Option {
    const RowConditions::Condition* condition = nullptr;
    const RowWord* rows = nullptr;  // that meet it
    std::size_t place = 0;          // of its feature in the order
    RuleCount count;                // of the rule with it; before that is known: no more than these

    [[nodiscard]] double bad() const { return count.covered - count.good; }
  };

  // Features first that make a rule precise, so that a good rule is known early.
  [[nodiscard]] std::vector<Option> first_options() {
    const auto& features = sets_.conditions.by_feature();
    std::vector<double> purity;
    for (const auto& conditions : features) {
      double best = 0;
      for (const auto& condition : conditions) {
        if (condition_sets_.size() <= condition.set) condition_sets_.resize(condition.set + 1);
        condition_sets_[condition.set] = rows_.parted(sets_.conditions.rows(condition));
        const RuleCount count = rows_.both(sets_at_[0].data(), condition_sets_[condition.set].data());
        if (count.covered >= terms_.fewest_rows) best = std::max(best, count.precision());
      }
      purity.push_back(best);
    }
    std::vector<std::size_t> order(features.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return purity[a] > purity[b]; });
    std::vector<Option> options;
    for (std::size_t place = 0; place < order.size(); ++place) {
      for (const auto& condition : features[order[place]])
        options.push_back({.condition = &condition,
                           .rows = condition_sets_[condition.set].data(),
                           .place = place,
                           .count = {.covered = infinite_rows, .good = infinite_rows}});
    }
    return options;
  }

  [[nodiscard]] bool full() const { return found_.rules.size() == kept_rules; }
  // Rows below which a rule of so many conditions, or a longer one, is of no use.
  [[nodiscard]] double least_covered(std::size_t size) const {
    return full() ? std::max(needed_[size], found_.rules.back().rows.covered) : needed_[size];
  }
  [[nodiscard]] bool enough(double covered, double good, std::size_t size) const {
    const double least = least_covered(size) * (1 - rounding_slack);
    return covered >= least && good >= terms_.precision * least;
  }

  // Rules of `size` conditions: the rule so far, whose rows are known, and one of the options at this size.
  void visit(std::size_t size, const RuleCount& parent) {
    std::vector<Option>& options = options_at_[size];
    for (Option& option : options) {
      if (found_.explored >= terms_.most_rules) return stop(parent);
      if (++found_.explored % 256 == 0) context_.check();
      const RowWord* rule = sets_at_[size - 1].data();
      // Of the longest rules, which are the most, too many bad rows are enough to know.
      const double bad = rows_.bad(rule, option.rows);
      if (size == terms_.most_conditions && !found_.rules.empty() &&
          bad > bad_per_good_ * option.count.good + rounding_slack * (1 + parent.covered))
        continue;
      option.count.good = rows_.good(rule, option.rows);
      option.count.covered = option.count.good + bad;
      if (option.count.covered < terms_.fewest_rows) continue;
      chosen_.push_back(option.condition);
      consider(option.count);
      chosen_.pop_back();
    }
    if (size == terms_.most_conditions) return;
    std::vector<double> help = help_behind(size, parent, options);
    // What is too rare by itself is so with any other: it is not looked at again beside each of them.
    std::size_t left = 0;
    for (std::size_t i = 0; i < options.size(); ++i) {
      if (!enough(options[i].count.covered, options[i].count.good, size + 1)) continue;
      options[left] = options[i];
      help[left++] = help[i];
    }
    options.resize(left);
    for (std::size_t i = 0; i < options.size(); ++i) {
      const Option& option = options[i];
      if (!enough(option.count.covered, option.count.good, size + 1)) continue;
      find_worth_adding(size, parent, i, help[i]);
      if (options_at_[size + 1].empty()) continue;
      chosen_.push_back(option.condition);
      for (std::size_t w = 0; w < rows_.words(); ++w) sets_at_[size][w] = sets_at_[size - 1][w] & option.rows[w];
      visit(size + 1, option.count);
      chosen_.pop_back();
      if (!found_.complete) return stop(parent);
    }
  }

  // Whatever was not looked at is part of this rule, and of those that it is part of.
  void stop(const RuleCount& rule) {
    found_.complete = false;
    open_ = std::max(open_, rule.covered);
  }

  // For each option, bad rows that those of later features can get rid of at the most, besides the one that is added to
  // it: one condition per feature, as many as there may be.
  [[nodiscard]] std::vector<double> help_behind(std::size_t size, const RuleCount& parent,
                                                const std::vector<Option>& options) const {
    const double bad = parent.covered - parent.good;
    const std::size_t others = terms_.most_conditions - size - 1;
    std::vector<double> help(options.size());
    std::vector<double> most;  // gains of later features, the largest first
    double sum = 0;
    for (std::size_t end = options.size(); end > 0;) {
      std::size_t first = end;
      double gain = 0;
      for (; first > 0 && options[first - 1].place == options[end - 1].place; --first) {
        help[first - 1] = sum;
        gain = std::max(gain, bad - options[first - 1].bad());
      }
      end = first;
      most.insert(std::upper_bound(most.begin(), most.end(), gain, std::greater<>()), gain);
      if (most.size() > others) most.pop_back();
      sum = std::accumulate(most.begin(), most.end(), 0.0);
    }
    return help;
  }

  // At the next size: of the options behind one of them those that can make a good rule with it, and with as many more
  // as there may be.
  void find_worth_adding(std::size_t size, const RuleCount& parent, std::size_t chosen, double help) {
    const std::vector<Option>& options = options_at_[size];
    std::vector<Option>& worth = options_at_[size + 1];
    worth.clear();
    const Option& with = options[chosen];
    const double bad = parent.covered - parent.good;
    const double slack = rounding_slack * (1 + parent.covered);
    const double least = least_covered(size + 1) * (1 - rounding_slack), least_good = terms_.precision * least;
    for (std::size_t i = chosen + 1; i < options.size(); ++i) {
      const Option& other = options[i];
      if (other.place == with.place) continue;
      const double covered = std::min(with.count.covered, other.count.covered);
      const double good = std::min(with.count.good, other.count.good);
      if (covered < least || good < least_good) continue;
      if (with.bad() - (bad - other.bad()) - help > bad_per_good_ * good + slack) continue;
      worth.push_back(other);
      worth.back().count = {.covered = covered, .good = good};
    }
  }

  void consider(const RuleCount& rows) {
    // Most rules are told apart by this alone, without a bound on their precision.
    if (full() && rows.covered < found_.rules.back().rows.covered) return;
    const bool wanted =
        rows.covered >= terms_.fewest_rows && rows.precision() >= terms_.precision &&
        lower_share_reaches(rows.good, rows.covered, levels_[chosen_.size()], terms_.precision - terms_.epsilon);
    // A rule over few rows is no better for being right about all of them.
    const double sure = (rows.good + 1) / (rows.covered + 2);
    const bool any = !found_.rules.empty();
    if (!wanted && (any || rows.covered < terms_.fewest_rows || sure <= nearest_)) return;
    const double least = any ? terms_.precision : wanted ? std::min(terms_.precision, nearest_) : nearest_;
    const std::optional<RuleCount> perturbed = count_perturbed(least);
    if (!perturbed) return;
    AnchorRule rule{.rows = rows, .perturbed = *perturbed};
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

  // Of the rule that is looked at; nothing if its precision is known to be below a share. Most rules are left out so,
  // by their bad rows, of which there are too many before all are counted.
  [[nodiscard]] std::optional<RuleCount> count_perturbed(double least) {
    const PerturbedSets& sets = perturbed_before();
    const RowWord* last = chosen_.empty() ? sets_.every_perturbed.data() : sets_.conditions.perturbed(*chosen_.back());
    const std::size_t words = sets.bad.size();
    const double enough = std::max(fewest_perturbed, (1 - least) / least * sets.good_rows * (1 + rounding_slack)) + 1;
    std::uint64_t bad = 0;
    for (std::size_t w = 0; w < words; w += words_at_once) {
      bad += count_shared(sets.bad.data() + w, last + w, std::min(words_at_once, words - w));
      if (least > 0 && static_cast<double>(bad) >= enough) return std::nullopt;
    }
    const auto good = static_cast<double>(count_shared(sets.good.data(), last, words));
    return RuleCount{.covered = good + static_cast<double>(bad), .good = good};
  }

  // Perturbed rows that meet all conditions of the rule that is looked at but the last.
  struct PerturbedSets {
    std::vector<RowWord> good, bad;
    double good_rows = 0;
  };
  // Rules that are looked at one after the other share most conditions.
  [[nodiscard]] const PerturbedSets& perturbed_before() {
    const std::size_t before = chosen_.empty() ? 0 : chosen_.size() - 1;
    if (perturbed_at_.empty()) {
      PerturbedSets& all = perturbed_at_.emplace_back(PerturbedSets{.good = sets_.same_perturbed, .bad = {}});
      for (std::size_t w = 0; w < all.good.size(); ++w)
        all.bad.push_back(sets_.every_perturbed[w] & ~sets_.same_perturbed[w]);
      all.good_rows = static_cast<double>(count_rows(all.good.data(), all.good.size()));
      perturbed_at_.resize(terms_.most_conditions + 1, all);
    }
    std::size_t size = 0;
    while (size < std::min(before, perturbed_of_.size()) && perturbed_of_[size] == chosen_[size]) ++size;
    perturbed_of_.assign(chosen_.begin(), chosen_.begin() + static_cast<std::ptrdiff_t>(before));
    for (; size < before; ++size) {
      const PerturbedSets& from = perturbed_at_[size];
      PerturbedSets& to = perturbed_at_[size + 1];
      const RowWord* met = sets_.conditions.perturbed(*chosen_[size]);
      for (std::size_t w = 0; w < from.good.size(); ++w) {
        to.good[w] = from.good[w] & met[w];
        to.bad[w] = from.bad[w] & met[w];
      }
      to.good_rows = static_cast<double>(count_rows(to.good.data(), to.good.size()));
    }
    return perturbed_at_[before];
  }

  static constexpr double nearest_unknown = 0.5;  // what a rule counts as of which perturbed rows say nothing

  const AnchorSets& sets_;
  const AnchorTerms& terms_;
  const Context& context_;
  PartedRows rows_;
  std::vector<std::vector<RowWord>> condition_sets_;  // by number of the set
  double bad_per_good_;                               // that a rule may have
  std::vector<std::vector<RowWord>> sets_at_;         // [number of conditions]
  std::vector<std::vector<Option>> options_at_;       // the same; kept, as making room for them takes long
  std::vector<double> levels_, needed_;               // the same
  std::vector<const RowConditions::Condition*> chosen_;
  std::vector<const RowConditions::Condition*> perturbed_of_;  // conditions that these meet, one after the other:
  std::vector<PerturbedSets> perturbed_at_;                    // [number of conditions]
  double nearest_ = 0;
  double open_ = 0;
  FoundAnchors found_;
};

}  // namespace

FoundAnchors search_rows(const AnchorSets& sets, const AnchorTerms& terms, const Context& context) {
  return RowSearch(sets, terms, context).run();
}

}  // namespace sightglass
