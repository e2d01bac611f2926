#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "sightglass/methods/local/recourse/searched_changes_internal.h"

namespace sightglass {

namespace {

constexpr std::size_t single_values = 40;  // of a feature alone; fewer of many features, of all together so many:
constexpr std::size_t singles_of_all = 12'000;
constexpr std::size_t fewest_values = 5;
constexpr std::size_t pair_values = 9;               // of each of two
constexpr std::size_t most_pairs = 45;               // of features
constexpr std::size_t numbers_at_once = 10'000'000;  // in questions about a row: 80 MB
constexpr std::size_t most_parts = 16;  // so many differences are taken back one by one, more in parts at first
constexpr std::size_t first_parts = 8;
constexpr std::size_t nearest_starts = 24;  // rows with the outcome from which differences are taken back
constexpr std::size_t points_between = 15;  // while a value is drawn back
constexpr std::size_t rounds_back = 3;      // per value, and each is visited twice
constexpr std::size_t sweeps_back = 2;
constexpr double nothing_yet = std::numeric_limits<double>::infinity();

struct Shared {
  MethodInput input;
  std::shared_ptr<const std::vector<FeatureMoves>> features;
  std::shared_ptr<const LabelledRows> data;
  PredictedClass classes;
  SearchLimits limits;
};

// A change by values of all features.
struct Try {
  std::vector<double> values;
  std::size_t parts = 0;  // of its differences, one of which is taken back at a time
};

// The search for one row, in rounds: what it asks, and what it makes of the answers.
class RowSearch {
 public:
  RowSearch(std::shared_ptr<const Shared> shared, SearchedRow row) : shared_(std::move(shared)), row_(std::move(row)) {
    for (std::size_t j = 0; j < features().size(); ++j) {
      if (features()[j].moves(row_.values[j])) movable_.push_back(j);
    }
    helps_.assign(features().size(), -nothing_yet);
    ask_singles();
    if (asked_.empty()) phase_ = Phase::done;
  }

  [[nodiscard]] const std::vector<Try>& questions() const { return asked_; }
  [[nodiscard]] bool done() const { return phase_ == Phase::done; }

  // nearness: of each question, 0 or more where the outcome holds; holds: whether it does.
  void learn(std::span<const double> nearness, const std::vector<bool>& holds) {
    explored_ += asked_.size();
    switch (phase_) {
      case Phase::singles: return learn_singles(nearness, holds);
      case Phase::pairs: return learn_pairs(holds);
      case Phase::starts: return learn_starts(holds);
      case Phase::back: return learn_back(holds);
      case Phase::draw: return learn_draw(holds);
      case Phase::done: return;
    }
  }

  [[nodiscard]] FoundChanges found() const {
    FoundChanges result;
    result.changes = found_;
    keep_smallest(result.changes, shared_->limits.count);
    result.explored = explored_;
    result.status = result.changes.empty() ? RecourseStatus::not_found : RecourseStatus::found;
    const std::size_t smallest =
        result.changes.empty() ? shared_->limits.most_features : result.changes.front().features.size();
    for (std::size_t size = 1; size <= std::min(smallest, std::max<std::size_t>(1, movable_.size())); ++size) {
      const bool reached = !result.changes.empty() && size == smallest;
      result.ladder.push_back({.features = size, .status = reached ? RungStatus::reached : RungStatus::not_found});
    }
    return result;
  }

 private:
  enum class Phase { singles, pairs, starts, back, draw, done };

  [[nodiscard]] const std::vector<FeatureMoves>& features() const { return *shared_->features; }
  [[nodiscard]] double cost_of(const std::vector<double>& values) const {
    double cost = 0;
    for (const std::size_t j : movable_) cost += features()[j].cost(row_.values[j], values[j]);
    return cost;
  }
  [[nodiscard]] std::vector<std::size_t> changed(const std::vector<double>& values) const {
    std::vector<std::size_t> found;
    for (const std::size_t j : movable_) {
      if (values[j] != row_.values[j]) found.push_back(j);
    }
    return found;
  }

  // Values that a feature may take, spread over those of the rows, the row's own excluded.
  [[nodiscard]] std::vector<double> values_of(std::size_t j, std::size_t most) const {
    const FeatureMoves& feature = features()[j];
    std::vector<double> allowed;
    for (const double value : feature.seen) {
      if (value != row_.values[j] && feature.allows(row_.values[j], value)) allowed.push_back(value);
    }
    if (allowed.size() <= most) return allowed;
    std::vector<double> some;
    for (std::size_t i = 0; i < most; ++i) some.push_back(allowed[i * (allowed.size() - 1) / (most - 1)]);
    some.erase(std::unique(some.begin(), some.end()), some.end());
    return some;
  }

  void keep(const std::vector<double>& values) {
    FoundChange change;
    change.features = changed(values);
    if (change.features.empty() || change.features.size() > shared_->limits.most_features) return;
    for (const std::size_t j : change.features) change.values.push_back(values[j]);
    change.cost = cost_of(values);
    // The cheapest of each set of features.
    for (FoundChange& known : found_) {
      if (known.features != change.features) continue;
      if (change.cost < known.cost) known = std::move(change);
      return;
    }
    found_.push_back(std::move(change));
  }

  // Questions that may be kept at a time.
  [[nodiscard]] std::size_t room() const {
    return std::max<std::size_t>(1, numbers_at_once / std::max<std::size_t>(1, row_.values.size()));
  }

  // The next features, as many as there is room for.
  void ask_singles() {
    asked_.clear();
    const std::size_t each =
        std::clamp(singles_of_all / std::max<std::size_t>(1, movable_.size()), fewest_values, single_values);
    while (next_single_ < movable_.size() && (asked_.empty() || asked_.size() + each <= room())) {
      const std::size_t j = movable_[next_single_++];
      for (const double value : values_of(j, each)) {
        asked_.push_back({row_.values});
        asked_.back().values[j] = value;
      }
    }
  }

  void learn_singles(std::span<const double> nearness, const std::vector<bool>& holds) {
    for (std::size_t i = 0; i < asked_.size(); ++i) {
      const std::size_t j = changed(asked_[i].values).front();
      helps_[j] = std::max(helps_[j], nearness[i]);
      if (holds[i]) keep(asked_[i].values);
    }
    ask_singles();
    if (!asked_.empty()) return;
    by_help_ = movable_;
    std::stable_sort(by_help_.begin(), by_help_.end(),
                     [&](std::size_t a, std::size_t b) { return helps_[a] > helps_[b]; });
    ask_pairs();
  }

  void ask_pairs() {
    phase_ = Phase::pairs;
    asked_.clear();
    std::vector<std::size_t> alone;  // features that need no other
    for (const FoundChange& change : found_) alone.push_back(change.features.front());
    if (shared_->limits.most_features < 2 || alone.size() >= shared_->limits.count) return ask_starts();
    const std::size_t most = std::clamp<std::size_t>(room() / (pair_values * pair_values), 1, most_pairs);
    std::size_t pairs = 0;
    for (std::size_t b = 1; b < by_help_.size() && pairs < most; ++b) {
      for (std::size_t a = 0; a < b && pairs < most; ++a) {
        const std::size_t first = by_help_[a], second = by_help_[b];
        if (std::find(alone.begin(), alone.end(), first) != alone.end() ||
            std::find(alone.begin(), alone.end(), second) != alone.end())
          continue;
        ++pairs;
        for (const double one : values_of(first, pair_values)) {
          for (const double two : values_of(second, pair_values)) {
            asked_.push_back({row_.values});
            asked_.back().values[first] = one;
            asked_.back().values[second] = two;
          }
        }
      }
    }
    if (asked_.empty()) ask_starts();
  }

  void learn_pairs(const std::vector<bool>& holds) {
    for (std::size_t i = 0; i < asked_.size(); ++i) {
      if (holds[i]) keep(asked_[i].values);
    }
    ask_starts();
  }

  // Rows with the outcome that cost least to become, in what may change.
  void ask_starts() {
    phase_ = Phase::starts;
    asked_.clear();
    if (found_.size() >= shared_->limits.count) return begin_draw();
    const LabelledRows& data = *shared_->data;
    std::vector<std::pair<double, std::size_t>> near;
    std::vector<double> values;
    for (std::size_t row = 0; row < data.of_data; ++row) {
      if (!row_.wanted.holds(shared_->classes, data.answer(row))) continue;
      values = row_.values;
      for (const std::size_t j : movable_) {
        if (features()[j].allows(row_.values[j], data.values[j][row])) values[j] = data.values[j][row];
      }
      near.emplace_back(cost_of(values), row);
    }
    const std::size_t kept = std::min(near.size(), nearest_starts);
    std::partial_sort(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(kept), near.end());
    for (std::size_t i = 0; i < kept; ++i) {
      asked_.push_back({row_.values});
      for (const std::size_t j : movable_) {
        const double value = data.values[j][near[i].second];
        if (features()[j].allows(row_.values[j], value)) asked_.back().values[j] = value;
      }
    }
    if (asked_.empty()) begin_draw();
  }

  void learn_starts(const std::vector<bool>& holds) {
    starts_.clear();
    for (std::size_t i = 0; i < asked_.size(); ++i) {
      const std::size_t differences = changed(asked_[i].values).size();
      if (!holds[i] || differences == 0) continue;
      starts_.push_back(asked_[i]);
      starts_.back().parts = differences <= most_parts ? differences : first_parts;
    }
    ask_back();
  }

  // Each start with one difference less; of many differences, with a part of them less, those that help alike together
  // (Zeller & Hildebrandt 2002, Simplifying and isolating failure-inducing input).
  void ask_back() {
    phase_ = Phase::back;
    asked_.clear();
    for (Try& start : starts_) {
      std::vector<std::size_t> differences = changed(start.values);
      start.parts = std::min(start.parts, differences.size());
      if (start.parts < differences.size())
        std::stable_sort(differences.begin(), differences.end(),
                         [&](std::size_t a, std::size_t b) { return helps_[a] < helps_[b]; });
      for (std::size_t part = 0; part < start.parts; ++part) {
        asked_.push_back(start);
        for (std::size_t i = part * differences.size() / start.parts; i < (part + 1) * differences.size() / start.parts;
             ++i)
          asked_.back().values[differences[i]] = row_.values[differences[i]];
      }
    }
    if (asked_.empty()) begin_draw();
  }

  void learn_back(const std::vector<bool>& holds) {
    std::size_t at = 0;
    std::vector<Try> left;
    for (Try& start : starts_) {
      double least = nothing_yet;
      const Try* best = nullptr;
      for (std::size_t i = start.parts; i > 0; --i, ++at) {
        const double cost = cost_of(asked_[at].values);
        if (!holds[at] || !(cost < least)) continue;
        least = cost;
        best = &asked_[at];
      }
      const std::size_t differences = changed(start.values).size();
      if (best != nullptr) {
        if (!changed(best->values).empty()) left.push_back(*best);
      } else if (start.parts == differences) {
        keep(start.values);
      } else if (start.parts < most_parts) {
        // Smaller parts may go where larger ones may not. What still has so many differences is no small change.
        left.push_back(std::move(start));
        left.back().parts = std::min(differences, 2 * left.back().parts);
      }
    }
    starts_ = std::move(left);
    ask_back();
  }

  // What is left of a change to be drawn back: one feature after the other, by points between the row's own value and
  // the one that does.
  void begin_draw() {
    phase_ = Phase::draw;
    keep_smallest(found_, shared_->limits.count);
    drawn_ = 0;
    turn_ = 0;
    begin_value();
  }

  void begin_value() {
    asked_.clear();
    while (drawn_ < found_.size()) {
      const std::size_t turns = sweeps_back * found_[drawn_].features.size();
      if (turn_ == turns) {
        ++drawn_;
        turn_ = 0;
        continue;
      }
      const std::size_t place = turn_ % found_[drawn_].features.size();
      const std::size_t j = found_[drawn_].features[place];
      if (!features()[j].levels) {
        from_ = row_.values[j];
        round_ = 0;
        if (ask_between()) return;
      }
      ++turn_;
    }
    phase_ = Phase::done;
  }

  // Points between the last value that does not do and the one that does.
  bool ask_between() {
    asked_.clear();
    const FoundChange& change = found_[drawn_];
    const std::size_t place = turn_ % change.features.size();
    const std::size_t j = change.features[place];
    const double own = row_.values[j], to = change.values[place];
    std::set<double> values;
    for (std::size_t i = 1; i <= points_between; ++i) {
      const double share = static_cast<double>(i) / static_cast<double>(points_between + 1);
      const double value = features()[j].settled(own, from_ + share * (to - from_));
      if (value != own && value != from_ && value != to && (value < to) == (own < to)) values.insert(value);
    }
    for (const double value : values) {
      asked_.push_back({row_.values});
      for (std::size_t i = 0; i < change.features.size(); ++i)
        asked_.back().values[change.features[i]] = change.values[i];
      asked_.back().values[j] = value;
    }
    return !asked_.empty();
  }

  void learn_draw(const std::vector<bool>& holds) {
    FoundChange& change = found_[drawn_];
    const std::size_t place = turn_ % change.features.size();
    const std::size_t j = change.features[place];
    const double own = row_.values[j];
    // The nearest that does, and the farthest before it that does not.
    double best = change.values[place];
    for (std::size_t i = 0; i < asked_.size(); ++i) {
      const double value = asked_[i].values[j];
      if (holds[i] && std::abs(value - own) < std::abs(best - own)) best = value;
    }
    double before = from_;
    for (std::size_t i = 0; i < asked_.size(); ++i) {
      const double value = asked_[i].values[j];
      if (!holds[i] && std::abs(value - own) < std::abs(best - own) && std::abs(value - own) > std::abs(before - own))
        before = value;
    }
    change.values[place] = best;
    change.cost = 0;
    for (std::size_t i = 0; i < change.features.size(); ++i)
      change.cost += features()[change.features[i]].cost(row_.values[change.features[i]], change.values[i]);
    from_ = before;
    if (++round_ < rounds_back && ask_between()) return;
    ++turn_;
    begin_value();
  }

  std::shared_ptr<const Shared> shared_;
  SearchedRow row_;
  std::vector<std::size_t> movable_;
  Phase phase_ = Phase::singles;
  std::vector<Try> asked_;
  std::vector<FoundChange> found_;
  std::vector<double> helps_;  // of each feature: how near it comes alone
  std::size_t next_single_ = 0;
  std::vector<std::size_t> by_help_;
  std::vector<Try> starts_;
  std::size_t drawn_ = 0, turn_ = 0, round_ = 0;  // which change, which of its values, which round
  double from_ = 0;
  std::uint64_t explored_ = 0;
};

using Searches = std::vector<RowSearch>;

Chain<std::vector<FoundChanges>> next_round(std::shared_ptr<const Shared> shared,
                                            std::shared_ptr<const std::vector<SearchedRow>> rows,
                                            std::shared_ptr<const Searches> searches) {
  // As many rows as fit into one call.
  std::vector<std::size_t> turn;
  std::size_t total = 0;
  for (std::size_t i = 0; i < searches->size(); ++i) {
    const RowSearch& search = (*searches)[i];
    if (search.done() || (total > 0 && total + search.questions().size() > rows_at_once)) continue;
    turn.push_back(i);
    total += search.questions().size();
  }
  if (turn.empty()) {
    std::vector<FoundChanges> found;
    for (const RowSearch& search : *searches) found.push_back(search.found());
    return found;
  }
  std::vector<std::vector<double>> values(shared->input.features.size());
  for (const std::size_t i : turn) {
    for (const Try& each : (*searches)[i].questions()) {
      for (std::size_t j = 0; j < values.size(); ++j) values[j].push_back(each.values[j]);
    }
  }
  return ask(MadeRows(shared->input.schema, shared->input.features, values))
      .then([shared, rows, searches, turn](const Matrix& predictions) {
        auto next = std::make_shared<Searches>(*searches);
        std::size_t at = 0;
        for (const std::size_t i : turn) {
          const WantedOutcome& wanted = (*rows)[i].wanted;
          std::vector<double> nearness;
          std::vector<bool> holds;
          for (std::size_t q = (*searches)[i].questions().size(); q > 0; --q, ++at) {
            const std::span<const double> answer = predictions.span().row(at);
            nearness.push_back(wanted.nearness(shared->classes, answer));
            holds.push_back(wanted.holds(shared->classes, answer));
          }
          (*next)[i].learn(nearness, holds);
        }
        return next_round(shared, rows, next);
      });
}

// Rows whose questions are kept at a time: some hundred megabytes at the most.
std::size_t rows_together(std::size_t features) {
  const double numbers = static_cast<double>(features) *
                         static_cast<double>(single_values * features + most_pairs * pair_values * pair_values);
  return static_cast<std::size_t>(std::clamp(2e7 / std::min<double>(numbers, numbers_at_once), 1.0, 256.0));
}

Chain<std::vector<FoundChanges>> next_rows(const std::shared_ptr<const Shared>& shared,
                                           const std::shared_ptr<const std::vector<SearchedRow>>& all,
                                           std::vector<FoundChanges> known) {
  const std::size_t first = known.size();
  const std::size_t end = std::min(all->size(), first + rows_together(shared->input.features.size()));
  if (first == end) return known;
  auto rows = std::make_shared<const std::vector<SearchedRow>>(all->begin() + static_cast<std::ptrdiff_t>(first),
                                                               all->begin() + static_cast<std::ptrdiff_t>(end));
  auto searches = std::make_shared<Searches>();
  for (const SearchedRow& row : *rows) searches->emplace_back(shared, row);
  return next_round(shared, rows, searches).then([=](const std::vector<FoundChanges>& found) {
    std::vector<FoundChanges> more = known;
    more.insert(more.end(), found.begin(), found.end());
    return next_rows(shared, all, std::move(more));
  });
}

}  // namespace

Chain<std::vector<FoundChanges>> search_changes(const MethodInput& input,
                                                std::shared_ptr<const std::vector<FeatureMoves>> features,
                                                std::shared_ptr<const LabelledRows> data, const PredictedClass& classes,
                                                std::vector<SearchedRow> rows, SearchLimits limits) {
  const auto shared =
      std::make_shared<const Shared>(Shared{input, std::move(features), std::move(data), classes, limits});
  return next_rows(shared, std::make_shared<const std::vector<SearchedRow>>(std::move(rows)), {});
}

}  // namespace sightglass
