#include "sightglass/learn/linear/basis.h"

#include <cmath>
#include <numeric>

namespace sightglass {

Basis::Basis(const Design& design, bool grouped) : contrasts_(design.size()) {
  const auto& columns = design.columns();
  for (std::uint32_t c = 0; c < columns.size();) {
    const auto term = static_cast<std::uint32_t>(penalty_.size());
    if (!grouped || columns[c].kind != DesignColumn::Kind::level) {
      penalty_.push_back(1);
      units_.push_back({term, 1, c, 1});
      ++c;
      continue;
    }
    std::uint32_t end = c;
    while (end < columns.size() && columns[end].kind == DesignColumn::Kind::level &&
           columns[end].feature == columns[c].feature) {
      ++end;
    }
    const std::uint32_t size = end - c;
    double before = columns[c].mean;
    for (std::uint32_t i = c + 1; i < end; ++i) {
      const double own = columns[i].mean, length = std::sqrt(1 / own + 1 / before);
      contrasts_[i] = {1 / (own * length), -1 / (before * length)};
      before += own;
    }
    penalty_.resize(penalty_.size() + size - 1, std::sqrt(static_cast<double>(size - 1)));
    units_.push_back({term, size - 1, c, size});
    c = end;
  }
}

std::vector<double> Basis::to_columns(std::span<const double> coefficients) const {
  std::vector<double> columns(contrasts_.size());
  for (const Unit& unit : units_) {
    if (!unit.grouped()) {
      columns[unit.first_column] = coefficients[unit.first_term];
      continue;
    }
    // A level has its own contrast, and is before those of all levels behind it.
    double behind = 0;
    for (std::uint32_t i = unit.columns; i-- > 0;) {
      const Contrast& contrast = contrasts_[unit.first_column + i];
      const double amount = i > 0 ? coefficients[unit.first_term + i - 1] : 0;
      columns[unit.first_column + i] = behind + contrast.own * amount;
      behind += contrast.before * amount;
    }
  }
  return columns;
}

std::vector<double> Basis::from_columns(std::span<const double> sums, std::span<const std::uint32_t> units,
                                        std::size_t besides) const {
  std::vector<double> terms(sums.begin(), sums.begin() + static_cast<std::ptrdiff_t>(besides));
  std::size_t at = besides;
  for (const std::uint32_t u : units) {
    const Unit& unit = units_[u];
    if (!unit.grouped()) {
      terms.push_back(sums[at++]);
      continue;
    }
    double before = sums[at];
    for (std::uint32_t i = 1; i < unit.columns; ++i) {
      const Contrast& contrast = contrasts_[unit.first_column + i];
      terms.push_back(contrast.own * sums[at + i] + contrast.before * before);
      before += sums[at + i];
    }
    at += unit.columns;
  }
  return terms;
}

Products Basis::from_columns(const Products& products, std::span<const std::uint32_t> units,
                             std::size_t besides) const {
  bool any = false;
  for (const std::uint32_t u : units) any = any || units_[u].grouped();
  if (!any) return products;
  // Rows, then columns.
  std::vector<std::vector<double>> rows;
  for (std::size_t i = 0; i < products.size; ++i) {
    rows.push_back(from_columns(std::span(products.sums).subspan(i * products.size, products.size), units, besides));
  }
  const std::size_t size = rows.empty() ? 0 : rows[0].size();
  Products made{size, std::vector<double>(size * size)};
  std::vector<double> column(products.size);
  for (std::size_t j = 0; j < size; ++j) {
    for (std::size_t i = 0; i < products.size; ++i) column[i] = rows[i][j];
    const std::vector<double> terms = from_columns(column, units, besides);
    for (std::size_t i = 0; i < size; ++i) made.sums[i * size + j] = terms[i];
  }
  return made;
}

std::vector<std::uint32_t> Basis::columns_of(std::span<const std::uint32_t> units) const {
  std::vector<std::uint32_t> columns;
  for (const std::uint32_t u : units) {
    for (std::uint32_t i = 0; i < units_[u].columns; ++i) columns.push_back(units_[u].first_column + i);
  }
  return columns;
}

std::vector<std::uint32_t> Basis::all_units() const {
  std::vector<std::uint32_t> units(units_.size());
  std::iota(units.begin(), units.end(), 0U);
  return units;
}

}  // namespace sightglass
