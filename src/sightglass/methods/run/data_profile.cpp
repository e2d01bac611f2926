#include "sightglass/methods/run/data_profile.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/methods/grid/feature_grid.h"
#include "sightglass/methods/run/weight_units.h"
#include "sightglass/numeric/order_statistics.h"
#include "sightglass/numeric/search.h"

namespace sightglass {

namespace {

constexpr std::uint64_t profile_stream = 0x7072'6f66'696c;  // "profil"
// Rows × pairs of features that are looked at, at the most, and the fewest rows that still make sense.
constexpr std::uint64_t most_work = 200'000'000;
constexpr std::uint64_t fewest_rows = 2'000;
// Pairs of features (each counted from both sides) that are looked at, at the most, and the fewest others of each.
constexpr std::size_t most_pairs = 4'000'000;
constexpr std::size_t fewest_others = 100;
// Whole weights up to this total are their own units, which keeps sums in plain doubles.
constexpr double most_whole_weight = 200'000;

}  // namespace

DataProfile::DataProfile(const MethodInput& input, RowSample sample) : sample_(std::move(sample)) {
  if (sample_.columns.size() > input.features.size()) {
    targets_ = std::move(sample_.values.back());
    sample_.values.pop_back();
    sample_.columns.pop_back();
  }
  const auto& weights = sample_.weights;
  const double total_weight = std::accumulate(weights.begin(), weights.end(), 0.0);
  const bool whole = total_weight <= most_whole_weight &&
                     std::all_of(weights.begin(), weights.end(), [](double w) { return w == std::floor(w); });
  const WeightUnits units(input);
  for (const double weight : weights) {
    units_.push_back(whole ? static_cast<std::uint64_t>(weight) : units.of(weight));
    total_units_ += units_.back();
  }
  const double weight_per_unit = whole ? 1 : units.weight(1);
  rows_per_unit_ = weight_per_unit;
  if (total_units_ > 0) {
    const double rows_each = static_cast<double>(rows()) / static_cast<double>(total_units_);
    rows_per_unit_ = std::max(weight_per_unit, rows_each);
  }
  weight_scale_ = rows_per_unit_ / weight_per_unit;
  weights_.emplace(units_, rows_per_unit_);

  for (std::size_t i = 0; i < sample_.columns.size(); ++i) {
    const ColumnInfo& column = input.schema[sample_.columns[i]];
    const std::vector<double>& values = sample_.values[i];
    Feature feature{.categorical = column.has_levels()};
    if (feature.categorical) {
      std::uint32_t cells = 0;
      for (const double value : values) {
        if (!(value >= 0)) continue;
        const auto code = static_cast<std::size_t>(value);
        if (code >= feature.levels.size()) feature.levels.resize(code + 1, no_cell);
        feature.levels[code] = 0;
      }
      // Cells in the order of the codes, not of the rows.
      for (std::uint32_t& cell : feature.levels) cell = cell == no_cell ? no_cell : cells++;
      feature.missing_cell = cells;
    } else {
      feature.numbers = NumericColumn(values, *weights_);
      feature.below.push_back(0);
      for (const std::uint32_t row : feature.numbers.order()) {
        feature.sorted.push_back(values[row]);
        feature.below.push_back(feature.below.back() + units_[row]);
      }
      for (std::uint64_t k = 1; k < 10 && feature.below.back() > 0; ++k) {
        const std::uint64_t rank = quantile_rank(feature.below.back(), k, 10);
        const auto at = std::upper_bound(feature.below.begin(), feature.below.end(), rank) - feature.below.begin();
        const double edge = feature.sorted[static_cast<std::size_t>(at) - 1];
        // A cell above the largest value would be empty.
        if (edge < feature.sorted.back() && (feature.edges.empty() || feature.edges.back() < edge))
          feature.edges.push_back(edge);
      }
      feature.missing_cell = static_cast<std::uint32_t>(feature.edges.size()) + 1;
    }
    feature.cell_units.resize(feature.missing_cell + 1);
    for (std::size_t row = 0; row < values.size(); ++row) {
      feature.cell.push_back(feature.cell_of(values[row]));
      feature.cell_units[feature.cell.back()] += units_[row];
    }
    index_.emplace(sample_.columns[i], features_.size());
    features_.push_back(std::move(feature));
  }
}

std::uint32_t DataProfile::Feature::cell_of(double value) const {
  if (std::isnan(value)) return missing_cell;
  if (!categorical) return static_cast<std::uint32_t>(count_below(edges, value));
  return value >= 0 && value < static_cast<double>(levels.size()) ? levels[static_cast<std::size_t>(value)] : no_cell;
}

double DataProfile::counted_rows() const {
  if (rows() == 0) return 0;
  return static_cast<double>(total_units_) * rows_per_unit_ *
         (static_cast<double>(available()) / static_cast<double>(rows()));
}

std::size_t DataProfile::index_of(std::uint32_t column) const {
  const auto at = index_.find(column);
  if (at == index_.end()) throw Error(ErrorKind::internal, "the profile of a column that is no feature");
  return at->second;
}

Association DataProfile::associate(std::size_t a, std::size_t b) const {
  const Feature& first = features_[a];
  const Feature& second = features_[b];
  if (first.categorical && second.categorical) return cramers_v(first.cells(), second.cells(), *weights_);
  if (first.categorical) return correlation_ratio(first.cells(), second.numbers, *weights_);
  if (second.categorical) return correlation_ratio(second.cells(), first.numbers, *weights_);
  return spearman(first.numbers, second.numbers, *weights_);
}

std::size_t DataProfile::others_of_each(std::size_t wanted) const {
  const std::size_t all = features_.size();
  return wanted * all <= most_pairs ? all : std::max(fewest_others, most_pairs / wanted);
}

std::vector<std::size_t> DataProfile::others_of(std::size_t feature, std::size_t count) const {
  const std::size_t all = features_.size();
  std::vector<std::size_t> others;
  if (count >= all) {
    for (std::size_t j = 0; j < all; ++j) {
      if (j != feature) others.push_back(j);
    }
    return others;
  }
  const std::size_t near = count / 4, spread = count - 2 * near;
  for (std::size_t k = 1; k <= near; ++k) {
    others.push_back((feature + k) % all);
    others.push_back((feature + all - k) % all);
  }
  for (std::size_t k = 0; k < spread; ++k) others.push_back((feature + k * all / spread) % all);
  std::sort(others.begin(), others.end());
  others.erase(std::unique(others.begin(), others.end()), others.end());
  std::erase(others, feature);
  return others;
}

std::vector<std::vector<DataProfile::Tie>> DataProfile::ties(std::span<const std::uint32_t> wanted, double least,
                                                             const Context& context) const {
  const std::size_t count = others_of_each(wanted.size());
  std::vector<std::size_t> features;
  for (const std::uint32_t column : wanted) features.push_back(index_of(column));
  std::vector<std::size_t> unknown = features;
  std::sort(unknown.begin(), unknown.end());
  unknown.erase(std::unique(unknown.begin(), unknown.end()), unknown.end());
  {
    const std::lock_guard lock(known_mutex_);
    if (known_ties_.least != least || known_ties_.others != count) known_ties_ = {least, count, {}};
    std::erase_if(unknown, [&](std::size_t feature) { return known_ties_.of.contains(feature); });
  }
  // Each pair once, also where both of its features are wanted and each is among the other's.
  std::vector<std::vector<std::size_t>> others(unknown.size());
  std::vector<std::vector<Tie>> fresh(unknown.size());
  const auto holds = [&](std::size_t feature, std::size_t other) {
    const auto at = std::lower_bound(unknown.begin(), unknown.end(), feature);
    if (at == unknown.end() || *at != feature) return false;
    const auto& its = others[static_cast<std::size_t>(at - unknown.begin())];
    return std::binary_search(its.begin(), its.end(), other);
  };
  for (std::size_t i = 0; i < unknown.size() && count < features_.size(); ++i) others[i] = others_of(unknown[i], count);
  context.parallel_for(unknown.size(), [&](std::size_t i) {
    const std::size_t feature = unknown[i];
    const auto hold_against = [&](std::size_t other, bool twice) {
      if (twice && other < feature) return;
      const Association found = associate(std::min(feature, other), std::max(feature, other));
      if (found.lower > least) fresh[i].push_back({other, found});
    };
    if (count < features_.size()) {
      for (const std::size_t other : others[i]) hold_against(other, holds(other, feature));
      return;
    }
    for (std::size_t other = 0; other < features_.size(); ++other) {
      if (other != feature) hold_against(other, std::binary_search(unknown.begin(), unknown.end(), other));
    }
  });
  const std::lock_guard lock(known_mutex_);
  for (const std::size_t feature : unknown) known_ties_.of[feature];
  for (std::size_t i = 0; i < unknown.size(); ++i) {
    for (const Tie& tie : fresh[i]) {
      known_ties_.of[unknown[i]].push_back(tie);
      const bool both = count < features_.size() ? holds(tie.other, unknown[i])
                                                 : std::binary_search(unknown.begin(), unknown.end(), tie.other);
      if (both) known_ties_.of[tie.other].push_back({unknown[i], tie.association});
    }
  }
  for (const std::size_t feature : unknown) {
    auto& found = known_ties_.of[feature];
    std::sort(found.begin(), found.end(), [](const Tie& a, const Tie& b) { return a.other < b.other; });
  }
  std::vector<std::vector<Tie>> all;
  for (const std::size_t feature : features) all.push_back(known_ties_.of.at(feature));
  return all;
}

std::string_view DataProfile::measure(std::uint32_t a, std::uint32_t b) const {
  const int categorical = (is_categorical(a) ? 1 : 0) + (is_categorical(b) ? 1 : 0);
  return categorical == 0 ? "spearman" : categorical == 1 ? "correlation-ratio" : "cramers-v";
}

double DataProfile::expected_rows(std::uint64_t a_units, std::uint64_t b_units) const {
  return static_cast<double>(a_units) * (static_cast<double>(b_units) / static_cast<double>(total_units_)) *
         rows_per_unit_;
}

bool DataProfile::is_outside(std::uint64_t a_units, std::uint64_t b_units, std::uint64_t both) const {
  const double expected = expected_rows(a_units, b_units);
  return expected >= least_expected_rows && static_cast<double>(both) * rows_per_unit_ < least_seen_share * expected;
}

double DataProfile::surprise_of(std::uint64_t a_units, std::uint64_t b_units, std::uint64_t both) const {
  const double expected = expected_rows(a_units, b_units);
  const double seen = static_cast<double>(both) * rows_per_unit_;
  return expected - seen + (seen > 0 ? seen * std::log(seen / expected) : 0);
}

bool DataProfile::may_be_chance(std::size_t outside, std::size_t looked_at, double surprise) const {
  if (outside == 0) return true;
  const auto k = static_cast<double>(outside), features = static_cast<double>(features_.size());
  // There are at most (e m / k)^k ways to choose k of m cells, and any pair of features may be the one that is noticed.
  const double choices = k * (1 + std::log(static_cast<double>(looked_at) / k));
  return surprise < choices + std::log(features * (features - 1) / 2 / most_chance);
}

DataProfile::OutsideShares DataProfile::outside(std::uint32_t column, std::size_t others,
                                                std::span<const std::uint32_t> ignored) const {
  const std::size_t feature = index_of(column);
  if (!ignored.empty()) return find_outside(feature, others, ignored);
  const auto key = std::pair(feature, std::min(others, features_.size()));
  {
    const std::lock_guard lock(known_mutex_);
    if (const auto known = known_outside_.find(key); known != known_outside_.end()) return known->second;
  }
  // Not under the lock: others look at other features meanwhile.
  const OutsideShares found = find_outside(feature, others, {});
  const std::lock_guard lock(known_mutex_);
  return known_outside_.try_emplace(key, found).first->second;
}

DataProfile::OutsideShares DataProfile::find_outside(std::size_t feature, std::size_t others,
                                                     std::span<const std::uint32_t> ignored) const {
  OutsideShares shares;
  shares.profile_ = this;
  shares.feature_ = feature;
  const Feature& own = features_[shares.feature_];
  shares.cells_.resize(own.cell_units.size());
  if (total_units_ == 0) return shares;
  const auto total = static_cast<double>(total_units_);
  for (const std::size_t j : others_of(feature, others)) {
    if (std::find(ignored.begin(), ignored.end(), sample_.columns[j]) != ignored.end()) continue;
    const Feature& other = features_[j];
    const JointCounts counts(own.cells(), other.cells(), units_);
    // Large cells first: where one is too small to expect rows in, so are all that follow.
    std::vector<std::size_t> order(other.cell_units.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return other.cell_units[a] > other.cell_units[b]; });
    std::vector<std::uint64_t> out(own.cell_units.size());
    std::size_t looked_at = 0, outside = 0;
    double surprise = 0;
    for (std::size_t a = 0; a < own.cell_units.size(); ++a) {
      for (const std::size_t b : order) {
        const std::uint64_t units = other.cell_units[b], both = counts.at(a, b);
        if (expected_rows(own.cell_units[a], units) < least_expected_rows) break;
        ++looked_at;
        if (!is_outside(own.cell_units[a], units, both)) continue;
        ++outside;
        out[a] += units;
        surprise += surprise_of(own.cell_units[a], units, both);
      }
    }
    if (may_be_chance(outside, looked_at, surprise)) continue;
    double mean = 0;
    for (std::size_t a = 0; a < own.cell_units.size(); ++a) {
      const double share = static_cast<double>(out[a]) / total;
      if (share > shares.cells_[a].share) shares.cells_[a] = {share, sample_.columns[j]};
      mean += static_cast<double>(own.cell_units[a]) / total * share;
    }
    if (mean > shares.mean_.share) shares.mean_ = {mean, sample_.columns[j]};
  }
  return shares;
}

DataProfile::Outside DataProfile::OutsideShares::at(double value) const {
  const std::uint32_t cell = profile_->features_[feature_].cell_of(value);
  return cell < cells_.size() ? cells_[cell] : Outside{};
}

std::function<bool(double, double)> DataProfile::outside_pair(std::uint32_t first, std::uint32_t second) const {
  const Feature& a = feature(first);
  const Feature& b = feature(second);
  return [this, &a, &b, counts = JointCounts(a.cells(), b.cells(), units_)](double x, double y) {
    const std::uint32_t i = a.cell_of(x), j = b.cell_of(y);
    if (total_units_ == 0 || i >= a.cell_units.size() || j >= b.cell_units.size()) return false;
    return is_outside(a.cell_units[i], b.cell_units[j], counts.at(i, j));
  };
}

double DataProfile::rows_near(std::uint32_t column, double value) const {
  const Feature& feature = this->feature(column);
  if (rows() == 0) return 0;
  const double each = rows_per_unit_ * (static_cast<double>(available()) / static_cast<double>(rows()));
  if (feature.categorical || std::isnan(value)) {
    const std::uint32_t cell = feature.cell_of(value);
    return cell < feature.cell_units.size() ? each * static_cast<double>(feature.cell_units[cell]) : 0;
  }
  if (feature.sorted.empty()) return 0;
  const double reach = near_reach(feature.sorted.front(), feature.sorted.back());
  const auto first = std::lower_bound(feature.sorted.begin(), feature.sorted.end(), value - reach);
  const auto last = std::upper_bound(feature.sorted.begin(), feature.sorted.end(), value + reach);
  const auto at = [&](auto place) { return feature.below[static_cast<std::size_t>(place - feature.sorted.begin())]; };
  return each * static_cast<double>(at(last) - at(first));
}

std::uint64_t profile_rows(std::uint64_t wanted, std::size_t features) {
  if (wanted == 0) return 0;
  const std::uint64_t pairs = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(features) * features / 2);
  return std::min(wanted, std::max(fewest_rows, most_work / pairs));
}

Chain<std::shared_ptr<const DataProfile>> profile_data(const MethodInput& input, std::uint64_t rows) {
  std::vector<std::uint32_t> columns = input.features;
  if (input.target) columns.push_back(*input.target);
  return draw_rows(input, std::move(columns), rows, profile_stream)
      .then([input](RowSample sample) -> std::shared_ptr<const DataProfile> {
        return std::make_shared<DataProfile>(input, std::move(sample));
      });
}

}  // namespace sightglass
