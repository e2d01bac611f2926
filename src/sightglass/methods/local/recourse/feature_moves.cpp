#include "sightglass/methods/local/recourse/feature_moves.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/methods/grid/feature_grid.h"
#include "sightglass/model/trees/rows/feature_codes_internal.h"
#include "sightglass/model/trees/tree_rows.h"

namespace sightglass {

namespace {

constexpr int most_decimals = 6;

bool is_whole(DType type) {
  return type != DType::float64 && type != DType::float32 && type != DType::boolean && type != DType::categorical;
}

struct TypeRange {
  double low, high;
};
TypeRange range_of_type(DType type) {
  const auto of = []<class T>(T) {
    return TypeRange{static_cast<double>(std::numeric_limits<T>::lowest()),
                     static_cast<double>(std::numeric_limits<T>::max())};
  };
  // Beyond 2^53 doubles are no longer all whole numbers.
  constexpr double largest = 9007199254740992.0;
  switch (type) {
    case DType::float64: return of(double{});
    case DType::float32: return of(float{});
    case DType::int64: return {-largest, largest};
    case DType::int32: return of(std::int32_t{});
    case DType::int16: return of(std::int16_t{});
    case DType::int8: return of(std::int8_t{});
    case DType::uint64: return {0, largest};
    case DType::uint32: return of(std::uint32_t{});
    case DType::uint16: return of(std::uint16_t{});
    case DType::uint8: return of(std::uint8_t{});
    case DType::boolean:
    case DType::categorical: break;
  }
  return {0, largest};
}

// The value below or at which half of the weight lies.
double weighted_median(std::vector<std::pair<double, double>> values) {
  std::sort(values.begin(), values.end());
  double all = 0, below = 0;
  for (const auto& [value, weight] : values) all += weight;
  for (const auto& [value, weight] : values) {
    below += weight;
    if (2 * below >= all) return value;
  }
  return 0;
}

// How many decimals all values have; nothing where some have more than data that people wrote down.
std::optional<double> scale_of(const std::vector<double>& seen, bool single) {
  for (int decimals = 0; decimals <= most_decimals; ++decimals) {
    const double scale = std::pow(10.0, decimals);
    const bool all = std::all_of(seen.begin(), seen.end(), [&](double value) {
      if (std::isinf(value)) return true;
      const double rounded = std::round(value * scale) / scale;
      return single ? static_cast<float>(rounded) == static_cast<float>(value) : rounded == value;
    });
    if (all) return scale;
  }
  return std::nullopt;
}

bool has_order(const MethodInput& input, std::uint32_t column) {
  const ColumnInfo& info = input.schema[column];
  if (info.dictionary != nullptr) return info.dictionary->ordered();
  return info.type == DType::boolean || !counts_as_levels(input, column);
}

std::vector<std::uint32_t> named(const MethodInput& input, const std::vector<std::string>& names, const char* option) {
  if (names.empty()) return {};
  return chosen_features(input, names, option_name(option));
}

bool is_among(const std::vector<std::uint32_t>& columns, std::uint32_t column) {
  return std::find(columns.begin(), columns.end(), column) != columns.end();
}

// All of these can be had, also those that no compared row has.
void take_levels(std::vector<double> all, FeatureMoves& moves) {
  std::vector<double> weights(all.size());
  for (std::size_t i = 0; i < moves.seen.size(); ++i) {
    const auto at = std::lower_bound(all.begin(), all.end(), moves.seen[i]);
    if (at != all.end() && *at == moves.seen[i]) weights[static_cast<std::size_t>(at - all.begin())] = moves.weights[i];
  }
  moves.seen = std::move(all);
  moves.weights = std::move(weights);
}

}  // namespace

bool FeatureMoves::moves(double own) const {
  if (fixed || !std::isfinite(own) || (!may_rise && !may_fall)) return false;
  return levels ? seen.size() > 1 || (seen.size() == 1 && seen[0] != own)
                : (may_rise && high > own) || (may_fall && low < own);
}

bool FeatureMoves::allows(double own, double to) const {
  if (fixed || !std::isfinite(own) || !std::isfinite(to)) return false;
  if ((to > own && !may_rise) || (to < own && !may_fall)) return false;
  if (levels) return std::binary_search(seen.begin(), seen.end(), to);
  // A row that lies outside may come nearer.
  return to >= std::min(low, own) && to <= std::max(high, own);
}

double FeatureMoves::cost(double own, double to) const {
  if (own == to) return 0;
  return levels ? 1 : std::abs(to - own) / unit;
}

double FeatureMoves::settled(double own, double to) const {
  if (levels) return to;
  double value = to;
  if (scale) {
    const double steps = to > own ? std::ceil(to * *scale) : std::floor(to * *scale);
    value = steps / *scale;
    // The product may have been rounded across a whole number.
    if (to > own ? value < to : value > to) value = (steps + (to > own ? 1 : -1)) / *scale;
    const double before = (steps - (to > own ? 1 : -1)) / *scale;
    if (to > own ? before >= to : before <= to) value = before;
  }
  if (!single) return value;
  auto rounded = static_cast<float>(value);
  if (to > own ? static_cast<double>(rounded) < to : static_cast<double>(rounded) > to)
    rounded = std::nextafter(
        rounded, to > own ? std::numeric_limits<float>::infinity() : -std::numeric_limits<float>::infinity());
  return static_cast<double>(rounded);
}

void check_allowed(const MethodInput& input, const AllowedMoves& allowed) {
  (void)named(input, allowed.fixed, "fixed");
  for (const auto& [names, option] :
       {std::pair(&allowed.only_rise, "only_rise"), std::pair(&allowed.only_fall, "only_fall")}) {
    for (const std::uint32_t column : named(input, *names, option)) {
      if (has_order(input, column)) continue;
      throw Error(ErrorKind::usage,
                  option_text(option) + ": the levels of " + feature_name(input.schema[column].name) + " have no order",
                  marked("name features with an order, or fix it by {option:fixed}"));
    }
  }
}

std::vector<FeatureMoves> feature_moves(const MethodInput& input, const LabelledRows& rows,
                                        const std::vector<FeatureValues>& data, const AllowedMoves& allowed) {
  const std::vector<std::uint32_t> fixed = named(input, allowed.fixed, "fixed");
  const std::vector<std::uint32_t> rise = named(input, allowed.only_rise, "only_rise");
  const std::vector<std::uint32_t> fall = named(input, allowed.only_fall, "only_fall");
  std::vector<FeatureMoves> found;
  for (std::size_t j = 0; j < input.features.size(); ++j) {
    const std::uint32_t column = input.features[j];
    const ColumnInfo& info = input.schema[column];
    FeatureMoves moves{.column = column, .name = info.name};
    moves.levels = counts_as_levels(input, column);
    moves.fixed = is_among(fixed, column) || input.group_column == column;
    moves.may_rise = !is_among(fall, column);
    moves.may_fall = !is_among(rise, column);
    moves.single = info.type == DType::float32;
    std::vector<std::pair<double, double>> values;
    for (std::size_t row = 0; row < rows.of_data; ++row) {
      if (std::isfinite(rows.values[j][row])) values.emplace_back(rows.values[j][row], rows.weights[row]);
    }
    std::sort(values.begin(), values.end());
    for (const auto& [value, weight] : values) {
      if (moves.seen.empty() || moves.seen.back() != value) {
        moves.seen.push_back(value);
        moves.weights.push_back(0);
      }
      moves.weights.back() += weight;
    }
    if (moves.levels) {
      std::vector<double> all(data[j].levels.begin(), data[j].levels.end());
      if (allowed.anywhere && info.has_levels()) {
        all.resize(info.levels().size());
        std::iota(all.begin(), all.end(), 0.0);
      }
      take_levels(std::move(all), moves);
    }
    if (moves.seen.empty()) {
      moves.fixed = true;  // no row has a value
    } else if (!moves.levels) {
      const TypeRange most = range_of_type(info.type);
      moves.low = allowed.anywhere ? most.low : data[j].range.low;
      moves.high = allowed.anywhere ? most.high : data[j].range.high;
      moves.scale = is_whole(info.type) ? std::optional(1.0) : scale_of(moves.seen, moves.single);
      const double median = weighted_median(values);
      std::vector<std::pair<double, double>> deviations;
      for (const auto& [value, weight] : values) deviations.emplace_back(std::abs(value - median), weight);
      moves.unit = weighted_median(std::move(deviations));
      if (!(moves.unit > 0)) moves.unit = data[j].range.high - data[j].range.low;
      if (!(moves.unit > 0) || !std::isfinite(moves.unit)) moves.unit = 1;
    }
    found.push_back(std::move(moves));
  }
  return found;
}

}  // namespace sightglass
