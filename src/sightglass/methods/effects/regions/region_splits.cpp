#include "sightglass/methods/effects/regions/region_splits.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "sightglass/base/error.h"

namespace sightglass {

namespace {

std::string number_text(double value) {
  char text[64];
  const double size = std::abs(value);
  const bool plain = size == 0 || (size >= 1e-4 && size < 1e15);
  const auto end = plain ? std::to_chars(text, text + sizeof text, value, std::chars_format::fixed).ptr
                         : std::to_chars(text, text + sizeof text, value).ptr;
  return {text, end};
}

double rounded_to(double value, int digits) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific, digits - 1).ptr;
  double rounded = value;
  std::from_chars(text, end, rounded);
  return rounded;
}

}  // namespace

double short_number(double low, double high) {
  const auto inside = [&](double value) { return value >= low && value < high; };
  if (inside(0)) return 0;
  const double middle = std::midpoint(low, high);
  for (int digits = 1; digits <= 17; ++digits) {
    const double candidate = rounded_to(middle, digits);
    if (inside(candidate)) return candidate;
  }
  return low;
}

SplitColumn::SplitColumn(const FeatureGrid& grid, std::size_t splits)
    : column_(grid.column), name_(grid.axis.feature), dates_(grid.axis.dates), has_missing_(grid.has_missing()) {
  if (grid.axis.is_categorical()) {
    cut_levels(grid, splits);
  } else {
    // Where the grid is all values, thresholds lie in the middle between two. Else it is of quantiles, and thresholds
    // lie just above them.
    const auto& numbers = grid.axis.numbers;
    for (std::size_t k = 0; k + 1 < numbers.size(); ++k) {
      // Quarters are taken apart because the difference may overflow.
      const auto between = [&](double share) { return numbers[k] * (1 - share) + numbers[k + 1] * share; };
      thresholds_.push_back(grid.all_values ? short_number(between(0.25), between(0.75))
                                            : short_number(numbers[k], between(0.25)));
    }
    value_bins_ = thresholds_.size() + 1;
  }
  list_divisions();
}

void SplitColumn::cut_levels(const FeatureGrid& grid, std::size_t splits) {
  const std::size_t levels = grid.values.size();
  // Two levels read best as one against the other.
  kind_ = grid.axis.ordered && levels > 2 ? Kind::ordered : Kind::nominal;
  std::vector<std::size_t> order(levels);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto code = [&](std::size_t level) { return static_cast<std::size_t>(grid.values[level].number); };
  std::size_t codes = 0;
  for (std::size_t level = 0; level < levels; ++level) codes = std::max(codes, code(level) + 1);

  if (kind_ == Kind::ordered) {
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return code(a) < code(b); });
    const double total = std::accumulate(grid.count.begin(), grid.count.end(), 0.0);
    bin_of_code_.resize(codes);
    double below = 0;
    double cut = 1;
    for (std::size_t k = 0; k < levels; ++k) {
      bin_of_code_[code(order[k])] = static_cast<std::uint16_t>(names_.size());
      below += grid.count[order[k]];
      const double rank = below * static_cast<double>(splits + 1) / total;
      if (k + 1 == levels || (levels > splits + 1 && rank < cut)) continue;
      cut = std::floor(rank) + 1;
      names_.push_back(grid.axis.levels[order[k]]);
    }
    value_bins_ = names_.size() + 1;
    return;
  }
  std::vector<std::size_t> common = order;
  if (levels > splits) {
    std::stable_sort(common.begin(), common.end(),
                     [&](std::size_t a, std::size_t b) { return grid.count[a] > grid.count[b]; });
    common.resize(splits);
    std::sort(common.begin(), common.end());
    pooled_ = true;
  }
  bin_of_code_.assign(codes, static_cast<std::uint16_t>(pooled_ ? common.size() : 0));
  for (const std::size_t level : common) {
    bin_of_code_[code(level)] = static_cast<std::uint16_t>(names_.size());
    names_.push_back(grid.axis.levels[level]);
  }
  value_bins_ = std::max<std::size_t>(1, names_.size() + (pooled_ ? 1 : 0));
}

void SplitColumn::list_divisions() {
  const Side none(bins(), false);
  if (kind_ == Kind::nominal) {
    for (std::size_t bin = 0; bin < names_.size() && bins() > 1; ++bin) {
      divisions_.push_back(none);
      divisions_.back()[bin] = true;
      if (bins() == 2) return;  // the other one is the same
    }
  } else {
    for (std::size_t last = 0; last + 1 < value_bins_; ++last) {
      Side near = none;
      std::fill_n(near.begin(), last + 1, true);
      divisions_.push_back(near);
      if (!has_missing_) continue;
      near.back() = true;
      divisions_.push_back(near);
    }
  }
  if (has_missing_) {
    Side present(bins(), true);
    present.back() = false;
    divisions_.push_back(present);
  }
}

void SplitColumn::assign(const ColumnView& values, std::span<std::uint16_t> bins) const {
  std::vector<double> numbers(bins.size());
  read_numbers(values, numbers);
  const auto missing = static_cast<std::uint16_t>(has_missing_ ? value_bins_ : 0);
  for (std::size_t row = 0; row < bins.size(); ++row) {
    const double value = numbers[row];
    if (std::isnan(value)) {
      bins[row] = missing;
    } else if (kind_ == Kind::numeric) {
      bins[row] = static_cast<std::uint16_t>(std::lower_bound(thresholds_.begin(), thresholds_.end(), value) -
                                             thresholds_.begin());
    } else {
      // A level without weight has no bin of its own.
      const auto code = static_cast<std::size_t>(value);
      bins[row] = code < bin_of_code_.size() ? bin_of_code_[code] : 0;
    }
  }
}

std::string SplitColumn::condition(const Side& bins) const {
  if (kind_ == Kind::nominal) return nominal_condition(bins);
  const bool missing = has_missing_ && bins.back();
  std::size_t first = 0;
  while (first < value_bins_ && !bins[first]) ++first;
  if (first == value_bins_) return name_ + " missing";
  std::size_t last = value_bins_ - 1;
  while (!bins[last]) --last;
  const auto bound = [&](std::size_t bin) {
    if (kind_ != Kind::numeric) return names_[bin];
    if (dates_) return date_text(dates_, date_bound(dates_, thresholds_[bin]).value);
    return number_text(thresholds_[bin]);
  };
  const std::string otherwise = missing ? " or missing" : "";
  const bool below = last + 1 < value_bins_;
  if (first > 0 && below) return bound(first - 1) + " < " + name_ + " ≤ " + bound(last) + otherwise;
  if (first > 0) return name_ + " > " + bound(first - 1) + otherwise;
  if (below) return name_ + " ≤ " + bound(last) + otherwise;
  return name_ + " not missing";
}

std::string SplitColumn::nominal_condition(const Side& bins) const {
  const auto inside = static_cast<std::size_t>(std::count(bins.begin(), bins.end(), true));
  if (inside == 1) {
    const auto bin = static_cast<std::size_t>(std::find(bins.begin(), bins.end(), true) - bins.begin());
    if (bin < names_.size()) return name_ + " = " + names_[bin];
    if (bin == value_bins_) return name_ + " missing";
  }
  std::string text;
  for (std::size_t bin = 0; bin < bins.size(); ++bin) {
    if (bins[bin]) continue;
    text += text.empty() ? "" : " and ";
    text += bin < names_.size() ? name_ + " ≠ " + names_[bin] : name_ + " not missing";
  }
  return text;
}

RowRegion RowRegion::part(std::size_t column, const SplitColumn::Side& bins, bool may_be_divided) const {
  RowRegion part = *this;
  part.open = may_be_divided;
  const auto known =
      std::find_if(part.limits.begin(), part.limits.end(), [&](const Limit& limit) { return limit.column == column; });
  if (known == part.limits.end()) {
    part.limits.push_back({column, bins});
  } else {
    for (std::size_t bin = 0; bin < bins.size(); ++bin) known->bins[bin] = known->bins[bin] && bins[bin];
  }
  return part;
}

std::string RowRegion::text(const std::vector<SplitColumn>& columns) const {
  std::string text;
  for (const Limit& limit : limits) {
    text += text.empty() ? "" : " and ";
    text += columns[limit.column].condition(limit.bins);
  }
  return text;
}

std::optional<Division> best_division(const SplitColumn& column, const BinSums& sums, std::size_t points,
                                      const WeightUnits& units, double min_weight, double tie) {
  // Each side as the sum of runs of bins: sums from the left and from the right give every run that starts or ends
  // at the edge, exactly, in one walk.
  const std::size_t bins = column.bins();
  std::vector<std::vector<ExactSum>> from_left(bins + 1, std::vector<ExactSum>(points));
  std::vector<std::vector<ExactSum>> from_right = from_left;
  for (std::size_t bin = 0; bin < bins; ++bin) {
    for (std::size_t k = 0; k < points; ++k) {
      from_left[bin + 1][k] = from_left[bin][k];
      from_left[bin + 1][k].merge(sums.sums[bin * points + k]);
    }
  }
  for (std::size_t bin = bins; bin-- > 0;) {
    for (std::size_t k = 0; k < points; ++k) {
      from_right[bin][k] = from_right[bin + 1][k];
      from_right[bin][k].merge(sums.sums[bin * points + k]);
    }
  }
  const auto side_sum = [&](const SplitColumn::Side& side, bool value, std::size_t k) {
    ExactSum sum;
    for (std::size_t first = 0; first < bins;) {
      if (side[first] != value) {
        ++first;
        continue;
      }
      std::size_t end = first;
      while (end < bins && side[end] == value) ++end;
      if (first == 0) {
        sum.merge(from_left[end][k]);
      } else if (end == bins) {
        sum.merge(from_right[first][k]);
      } else {
        for (std::size_t bin = first; bin < end; ++bin) sum.merge(sums.sums[bin * points + k]);
      }
      first = end;
    }
    return sum.value();
  };

  std::optional<Division> best;
  for (std::size_t index = 0; index < column.divisions().size(); ++index) {
    const SplitColumn::Side& near = column.divisions()[index];
    std::uint64_t near_units = 0, far_units = 0;
    for (std::size_t bin = 0; bin < bins; ++bin) (near[bin] ? near_units : far_units) += sums.units[bin];
    Division division{.index = index, .near_weight = units.weight(near_units), .far_weight = units.weight(far_units)};
    if (near_units == 0 || far_units == 0 || division.near_weight < min_weight || division.far_weight < min_weight)
      continue;
    for (std::size_t k = 0; k < points; ++k) {
      const double apart =
          side_sum(near, true, k) / division.near_weight - side_sum(near, false, k) / division.far_weight;
      division.gain += apart * apart;
    }
    division.gain *= division.near_weight / (division.near_weight + division.far_weight) * division.far_weight;
    if (!std::isfinite(division.gain)) continue;
    if (!best || division.gain > best->gain + tie) best = division;
  }
  return best;
}

}  // namespace sightglass
