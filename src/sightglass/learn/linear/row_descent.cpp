#include "sightglass/learn/linear/row_descent.h"

#include <algorithm>
#include <cmath>

namespace sightglass {

namespace {

constexpr std::size_t descent_block_rows = 4096, most_passes = 1000;

struct Sums {
  double slope = 0, own = 0;
};

}  // namespace

RowDescent::RowDescent(const Design& design)
    : design_(design), begin_(design.size()), end_(design.size()), list_(design.size()) {
  for (const Design::Levels& levels : design.levels()) {
    std::vector<std::uint32_t> rows;
    for (std::size_t row = 0; row < design.rows(); ++row) {
      const std::int32_t c = levels.column[design.code(levels, row)];
      if (c >= 0) ++end_[static_cast<std::size_t>(c)];
    }
    std::size_t at = 0;
    for (const std::int32_t c : levels.column) {
      if (c < 0) continue;
      const auto column = static_cast<std::size_t>(c);
      begin_[column] = at;
      at += end_[column];
      end_[column] = begin_[column];
      list_[column] = static_cast<std::uint32_t>(rows_.size());
    }
    rows.resize(at);
    for (std::size_t row = 0; row < design.rows(); ++row) {
      const std::int32_t c = levels.column[design.code(levels, row)];
      if (c >= 0) rows[end_[static_cast<std::size_t>(c)]++] = static_cast<std::uint32_t>(row);
    }
    rows_.push_back(std::move(rows));
  }
}

RowDescent::Found RowDescent::settle(const Start& start, const Penalty& penalty, double change,
                                     const Context& context) const {
  Found found{start.intercept, {start.coefficients.begin(), start.coefficients.end()}};
  // The slope of the quadratic at each row.
  std::vector<double> now(start.slopes.begin(), start.slopes.end());
  const std::span<const double> h = start.curvature;
  double values[descent_block_rows];
  // body(row, value of the column there)
  const auto for_rows = [&](std::uint32_t c, const auto& body) {
    const double factor = 1 / design_.columns()[c].scale;
    if (design_.columns()[c].kind == DesignColumn::Kind::level) {
      const std::vector<std::uint32_t>& rows = rows_[list_[c]];
      for (std::size_t i = begin_[c]; i < end_[c]; ++i) body(rows[i], factor);
      return;
    }
    for (std::size_t begin = 0; begin < now.size(); begin += descent_block_rows) {
      const std::size_t count = std::min(descent_block_rows, now.size() - begin);
      design_.fill(c, begin, count, values);
      for (std::size_t r = 0; r < count; ++r) body(begin + r, values[r]);
    }
  };
  double all = 0;
  for (const double each : h) all += each;
  double largest = change + 1;
  for (std::size_t pass = 0; largest > change && pass < most_passes; ++pass) {
    context.check();
    largest = 0;
    for (const std::uint32_t c : start.columns) {
      Sums sums;
      for_rows(c, [&](std::size_t row, double x) {
        sums.slope += now[row] * x;
        sums.own += h[row] * x * x;
      });
      if (sums.own <= 0) continue;
      const double p = start.column_penalty[c], before = found.coefficients[c];
      const double l1 = penalty.lambda * penalty.l1_ratio * p, l2 = penalty.lambda * (1 - penalty.l1_ratio) * p;
      const double aim = sums.own * before - sums.slope;
      const double after = std::abs(aim) > l1 ? (aim - std::copysign(l1, aim)) / (sums.own + l2) : 0;
      if (after == before) continue;
      const double step = after - before;
      found.coefficients[c] = after;
      for_rows(c, [&](std::size_t row, double x) { now[row] += h[row] * x * step; });
      largest = std::max(largest, sums.own * step * step);
    }
    double slope = 0;
    for (const double each : now) slope += each;
    if (!(all > 0)) break;
    const double step = -slope / all;
    found.intercept += step;
    for (std::size_t row = 0; row < now.size(); ++row) now[row] += h[row] * step;
    largest = std::max(largest, all * step * step);
  }
  for (std::size_t row = 0; row < now.size(); ++row) {
    if (!(h[row] > 0)) continue;
    const double d = (now[row] - start.slopes[row]) / h[row];
    found.change += start.slopes[row] * d + h[row] * d * d / 2;
  }
  return found;
}

}  // namespace sightglass
