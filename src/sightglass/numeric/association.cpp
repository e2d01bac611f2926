#include "sightglass/numeric/association.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sightglass/numeric/exact_sum.h"
#include "sightglass/numeric/order_statistics.h"

namespace sightglass {

namespace {

// Up to this total weight the cube of it, which bounds sums of weighted products of ranks, is below 2^53: they are
// whole numbers that doubles add without rounding, in any order.
constexpr std::uint64_t most_exact_units = 200'000;
constexpr std::size_t most_dense_cells = std::size_t{1} << 18;
constexpr double two_sided_95 = 1.96;
// The variance of Fisher's z of a rank correlation is about 1.06/(n − 3): Fieller, Hartley and Pearson (1957).
constexpr double rank_inflation = 1.06;

// (Σw)²/Σw² over the rows that count.
template <class Counts>
double effective_rows(const UnitWeights& weights, const Counts& counts) {
  std::uint64_t rows = 0, total = 0;
  for (std::size_t row = 0; row < weights.units.size(); ++row) {
    if (weights.units[row] == 0 || !counts(row)) continue;
    ++rows;
    total += weights.units[row];
  }
  if (weights.equal || rows == 0) return static_cast<double>(rows);
  ExactSum squares;
  for (std::size_t row = 0; row < weights.units.size(); ++row) {
    const auto weight = static_cast<double>(weights.units[row]);
    if (counts(row)) squares.add(weight * weight);
  }
  return static_cast<double>(total) / squares.value() * static_cast<double>(total);
}

// Σ w a b without any rounding that depends on the order.
double weighted_product(const UnitWeights& weights, const std::vector<double>& a, const std::vector<double>& b) {
  const auto& units = weights.units;
  const std::size_t rows = units.size();
  if (weights.total > most_exact_units) {
    ExactSum sum;
    for (std::size_t row = 0; row < rows; ++row) sum.add(static_cast<double>(units[row]) * (a[row] * b[row]));
    return sum.value();
  }
  // Four sums at a time: one alone would wait for itself.
  double sums[4] = {0, 0, 0, 0};
  std::size_t row = 0;
  if (weights.equal) {
    for (; row + 4 <= rows; row += 4) {
      for (std::size_t k = 0; k < 4; ++k) sums[k] += a[row + k] * b[row + k];
    }
    for (; row < rows; ++row) sums[0] += a[row] * b[row];
    return (rows == 0 ? 0 : static_cast<double>(units[0])) * (sums[0] + sums[1] + sums[2] + sums[3]);
  }
  for (; row + 4 <= rows; row += 4) {
    for (std::size_t k = 0; k < 4; ++k) sums[k] += static_cast<double>(units[row + k]) * a[row + k] * b[row + k];
  }
  for (; row < rows; ++row) sums[0] += static_cast<double>(units[row]) * a[row] * b[row];
  return sums[0] + sums[1] + sums[2] + sums[3];
}

}  // namespace

UnitWeights::UnitWeights(std::span<const std::uint64_t> units_of_rows, double rows_per_one_unit)
    : units(units_of_rows), rows_per_unit(rows_per_one_unit) {
  for (const std::uint64_t unit : units) {
    total += unit;
    equal = equal && unit == units[0];
  }
  effective_rows = sightglass::effective_rows(*this, [](std::size_t) { return true; });
}

double association_lower_bound(double value, double effective_rows, double degrees, double inflation) {
  const double freedom = effective_rows - degrees - 2;
  if (!(freedom > 0)) return 0;
  const double most = 1 - 1 / effective_rows;
  return std::max(0.0, std::tanh(std::atanh(std::min(value, most)) - two_sided_95 * std::sqrt(inflation / freedom)));
}

NumericColumn::NumericColumn(std::span<const double> values, const UnitWeights& weights) : finite_(values.size()) {
  for (std::size_t row = 0; row < values.size(); ++row) finite_[row] = std::isfinite(values[row]) ? 1 : 0;
  order_ = ascending_order(values);
  tie_.resize(order_.size());
  for (std::size_t at = 1; at < order_.size(); ++at) {
    tie_[at] = tie_[at - 1] + (values[order_[at]] != values[order_[at - 1]] ? 1 : 0);
  }
  ranks_ = centred_ranks(*this, weights);
  rank_squares_ = weighted_product(weights, ranks_, ranks_);
  effective_rows_ = effective_rows(weights, [&](std::size_t row) { return finite(row); });

  const auto counts = [&](std::uint32_t row) { return weights.units[row] > 0; };
  const auto lowest = std::find_if(order_.begin(), order_.end(), counts);
  const auto highest = std::find_if(order_.rbegin(), order_.rend(), counts);
  if (lowest == order_.end() || !(values[*highest] > values[*lowest])) return;
  const double low = values[*lowest];
  const double width = values[*highest] / 2 - low / 2;
  weighted_.resize(values.size());
  std::vector<double> weighted_squares(values.size());
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (finite_[row] == 0 || weights.units[row] == 0) continue;
    const double value = (values[row] / 2 - low / 2) / width;
    weighted_[row] = static_cast<double>(weights.units[row]) * value;
    weighted_squares[row] = weighted_[row] * value;
    units_ += weights.units[row];
  }
  ExactSum sum, squares;
  sum.add_all(weighted_);
  squares.add_all(weighted_squares);
  mean_ = sum.value() / static_cast<double>(units_);
  squares_ = squares.value() - sum.value() * mean_;
}

std::vector<double> NumericColumn::centred_ranks(const NumericColumn& other, const UnitWeights& weights) const {
  const auto& units = weights.units;
  std::uint64_t total = 0;
  for (const std::uint32_t row : order_) total += other.finite(row) ? units[row] : 0;
  std::vector<double> ranks(finite_.size(), 0.0);
  std::uint64_t below = 0;
  for (std::size_t begin = 0, end = 0; begin < order_.size(); begin = end) {
    std::uint64_t tied = 0;
    for (end = begin; end < order_.size() && tie_[end] == tie_[begin]; ++end) {
      tied += other.finite(order_[end]) ? units[order_[end]] : 0;
    }
    const auto rank = static_cast<double>(static_cast<std::int64_t>(2 * below + tied - total));
    for (std::size_t at = begin; at < end; ++at) {
      if (other.finite(order_[at])) ranks[order_[at]] = rank;
    }
    below += tied;
  }
  return ranks;
}

Association spearman(const NumericColumn& a, const NumericColumn& b, const UnitWeights& weights) {
  struct Side {
    std::vector<double> memory;
    const std::vector<double>* ranks;
    double squares;
  };
  // Rows that the other column lacks have no rank here.
  const auto side = [&](const NumericColumn& column, const NumericColumn& other, Side& out) {
    if (other.complete()) {
      out.ranks = &column.ranks_;
      out.squares = column.rank_squares_;
    } else {
      out.memory = column.centred_ranks(other, weights);
      out.ranks = &out.memory;
      out.squares = weighted_product(weights, out.memory, out.memory);
    }
  };
  Side x, y;
  side(a, b, x);
  side(b, a, y);
  Association association;
  association.effective_rows =
      a.complete()   ? b.effective_rows_
      : b.complete() ? a.effective_rows_
                     : effective_rows(weights, [&](std::size_t row) { return a.finite(row) && b.finite(row); });
  if (!(x.squares > 0 && y.squares > 0)) return association;  // one of them is constant
  const double product = weighted_product(weights, *x.ranks, *y.ranks);
  association.value = std::min(1.0, std::abs(product) / std::sqrt(x.squares * y.squares));
  association.lower = association_lower_bound(association.value, association.effective_rows, 1, rank_inflation);
  return association;
}

Association correlation_ratio(const LevelColumn& levels, const NumericColumn& values, const UnitWeights& weights) {
  Association association{.effective_rows = values.effective_rows_};
  if (!(values.squares_ > 0)) return association;
  std::vector<ExactSum> sums(levels.levels);
  std::vector<std::uint64_t> totals(levels.levels, 0);
  for (const std::uint32_t row : values.order_) {
    sums[levels.codes[row]].add(values.weighted_[row]);
    totals[levels.codes[row]] += weights.units[row];
  }
  double between = 0, levels_seen = 0;
  for (std::size_t level = 0; level < levels.levels; ++level) {
    if (totals[level] == 0) continue;
    const auto weight = static_cast<double>(totals[level]);
    const double distance = sums[level].value() / weight - values.mean_;
    between += weight * distance * distance;
    ++levels_seen;
  }
  const double rows = static_cast<double>(values.units_) * weights.rows_per_unit;
  if (!(rows > levels_seen)) return association;
  const double eta2 = std::clamp(between / values.squares_, 0.0, 1.0);
  const double epsilon2 = 1 - (1 - eta2) * (rows - 1) / (rows - levels_seen);
  association.value = std::sqrt(std::max(0.0, epsilon2));
  association.lower = association_lower_bound(association.value, association.effective_rows, levels_seen - 1);
  return association;
}

Association cramers_v(const LevelColumn& a, const LevelColumn& b, const UnitWeights& weights) {
  std::vector<double> rows_of(a.levels, 0.0), columns_of(b.levels, 0.0);
  const JointCounts counts(a, b, weights.units);
  counts.for_each([&](std::size_t i, std::size_t j, std::uint64_t units) {
    rows_of[i] += static_cast<double>(units);
    columns_of[j] += static_cast<double>(units);
  });
  const auto seen = [](const std::vector<double>& totals) {
    return static_cast<double>(std::count_if(totals.begin(), totals.end(), [](double total) { return total > 0; }));
  };
  const double r = seen(rows_of), c = seen(columns_of);
  const double n = static_cast<double>(weights.total) * weights.rows_per_unit;
  Association association{.effective_rows = weights.effective_rows};
  if (!(n > 1) || r < 2 || c < 2) return association;
  // χ²/n = Σ O²/(R C) − 1, summed in the order of the codes.
  double phi2 = -1, of_few_rows = 0;
  counts.for_each([&](std::size_t i, std::size_t j, std::uint64_t units) {
    const auto observed = static_cast<double>(units);
    const double part = observed / rows_of[i] * (observed / columns_of[j]);
    phi2 += part;
    if (observed / static_cast<double>(weights.total) * weights.effective_rows < 5)
      of_few_rows = std::max(of_few_rows, part);
  });
  const double least = std::min(r - (r - 1) * (r - 1) / (n - 1), c - (c - 1) * (c - 1) / (n - 1)) - 1;
  if (!(least > 0)) return association;
  const auto v = [&](double of_phi2) {
    const double corrected = std::max(0.0, of_phi2 - (r - 1) * (c - 1) / (n - 1));
    return std::min(1.0, std::sqrt(corrected / least));
  };
  association.value = v(phi2);
  // χ² trusts no cell in which fewer than five rows are expected: one row in which both are missing, and no other is,
  // would make V 0.7. What rests on a single cell like that is not sure.
  association.lower = association_lower_bound(v(phi2 - of_few_rows), association.effective_rows, (r - 1) * (c - 1));
  return association;
}

JointCounts::JointCounts(const LevelColumn& a, const LevelColumn& b, std::span<const std::uint64_t> units)
    : width_(std::max<std::size_t>(1, b.levels)) {
  if (a.levels * width_ <= most_dense_cells) {
    dense_.resize(a.levels * width_);
    for (std::size_t row = 0; row < units.size(); ++row) dense_[a.codes[row] * width_ + b.codes[row]] += units[row];
    return;
  }
  sparse_.reserve(units.size());
  for (std::size_t row = 0; row < units.size(); ++row) {
    if (units[row] > 0) sparse_.push_back({std::uint64_t{a.codes[row]} * width_ + b.codes[row], units[row]});
  }
  std::sort(sparse_.begin(), sparse_.end(), [](const Cell& x, const Cell& y) { return x.key < y.key; });
  std::size_t kept = 0;
  for (std::size_t at = 0; at < sparse_.size(); ++at) {
    if (kept > 0 && sparse_[kept - 1].key == sparse_[at].key) {
      sparse_[kept - 1].units += sparse_[at].units;
    } else {
      sparse_[kept++] = sparse_[at];
    }
  }
  sparse_.resize(kept);
}

std::uint64_t JointCounts::at(std::size_t a, std::size_t b) const {
  if (!dense_.empty()) return dense_[a * width_ + b];
  const std::uint64_t key = std::uint64_t{a} * width_ + b;
  const auto cell = std::lower_bound(sparse_.begin(), sparse_.end(), key,
                                     [](const Cell& x, std::uint64_t wanted) { return x.key < wanted; });
  return cell != sparse_.end() && cell->key == key ? cell->units : 0;
}

}  // namespace sightglass
