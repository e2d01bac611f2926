#include "sightglass/methods/local/anchoring/conditions.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "sightglass/base/random.h"
#include "sightglass/model/trees/tree_rows.h"

namespace sightglass {

namespace {

// Values in ascending order, each once, with how much of the weight is not above it.
struct Ladder {
  std::vector<double> values;
  std::vector<double> until;
};

Ladder ladder_of(const std::vector<double>& values, const std::vector<double>& weights) {
  std::vector<std::size_t> order;
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (!std::isnan(values[row])) order.push_back(row);
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  Ladder ladder;
  double sum = 0;
  for (const std::size_t row : order) {
    sum += weights[row];
    if (ladder.values.empty() || ladder.values.back() != values[row]) {
      ladder.values.push_back(values[row]);
      ladder.until.push_back(sum);
    }
    ladder.until.back() = sum;
  }
  return ladder;
}

// The last value of each cell but the last cell.
std::vector<double> quantile_borders(const Ladder& ladder, std::size_t bins) {
  if (ladder.values.size() <= bins) {
    std::vector<double> borders = ladder.values;
    if (!borders.empty()) borders.pop_back();
    return borders;
  }
  std::vector<double> borders;
  for (std::size_t k = 1; k < bins; ++k) {
    const double wanted = ladder.until.back() * static_cast<double>(k) / static_cast<double>(bins);
    const auto at = static_cast<std::size_t>(std::lower_bound(ladder.until.begin(), ladder.until.end(), wanted) -
                                             ladder.until.begin());
    // A value that more rows have than fit into a cell is one by itself.
    const double border = ladder.values[std::min(at, ladder.values.size() - 2)];
    if (borders.empty() || border > borders.back()) borders.push_back(border);
  }
  return borders;
}

// Of the split points that divide the values those that are nearest to the borders.
std::vector<double> split_borders(const Ladder& ladder, const std::vector<double>& borders,
                                  const std::vector<double>& splits, std::size_t bins) {
  std::vector<double> dividing;
  for (const double split : splits) {
    if (!ladder.values.empty() && split > ladder.values.front() && split <= ladder.values.back())
      dividing.push_back(split);
  }
  if (dividing.size() < bins) return dividing;
  std::vector<double> chosen;
  for (const double border : borders) {
    const auto behind = std::upper_bound(dividing.begin(), dividing.end(), border);
    double nearest = behind == dividing.end() ? dividing.back() : *behind;
    if (behind != dividing.begin() && std::abs(*(behind - 1) - border) < std::abs(nearest - border))
      nearest = *(behind - 1);
    if (chosen.empty() || nearest > chosen.back()) chosen.push_back(nearest);
  }
  return chosen;
}

}  // namespace

FeatureCells::FeatureCells(const ColumnInfo& column, const std::vector<double>& values,
                           const std::vector<double>& weights, std::size_t bins,
                           const std::optional<std::vector<double>>& splits)
    : categorical_(column.has_levels()) {
  if (categorical_) {
    cells_ = static_cast<std::uint32_t>(column.levels().size());
    return;
  }
  const Ladder ladder = ladder_of(values, weights);
  borders_ = quantile_borders(ladder, bins);
  if (splits) {
    border_is_right_ = true;
    borders_ = split_borders(ladder, borders_, *splits, bins);
  }
  cells_ = static_cast<std::uint32_t>(borders_.size() + 1);
}

std::uint32_t FeatureCells::cell(double value) const {
  if (std::isnan(value)) return missing();
  if (categorical_) return value >= 0 && value < cells_ ? static_cast<std::uint32_t>(value) : missing();
  const auto at = border_is_right_ ? std::upper_bound(borders_.begin(), borders_.end(), value)
                                   : std::lower_bound(borders_.begin(), borders_.end(), value);
  return static_cast<std::uint32_t>(at - borders_.begin());
}

std::vector<CellCondition> FeatureCells::conditions(std::uint32_t feature, double value) const {
  const std::uint32_t own = cell(value);
  if (categorical_ || own == missing()) return {{.feature = feature, .first = own, .last = own}};
  std::vector<CellCondition> found;
  for (std::uint32_t first = 0; first <= own; ++first) {
    for (std::uint32_t last = own; last < cells_; ++last) {
      // That there is a value says next to nothing, and each kind of rule more costs certainty.
      if (first > 0 || last + 1 < cells_) found.push_back({feature, first, last});
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const CellCondition& a, const CellCondition& b) { return a.last - a.first > b.last - b.first; });
  return found;
}

ShownCondition FeatureCells::shown(const CellCondition& condition, const ColumnInfo& column) const {
  ShownCondition shown;
  shown.feature = column.name;
  shown.categorical = categorical_;
  shown.dates = column.dates;
  if (condition.first == missing()) {
    shown.missing = true;
    return shown;
  }
  if (categorical_) {
    for (std::uint32_t cell = condition.first; cell <= condition.last; ++cell)
      shown.levels.push_back(column.level(cell));
    return shown;
  }
  if (condition.first > 0) (border_is_right_ ? shown.at_least : shown.above) = borders_[condition.first - 1];
  if (condition.last + 1 < cells_) (border_is_right_ ? shown.below : shown.at_most) = borders_[condition.last];
  return shown;
}

CelledRows::CelledRows(const MethodInput& input, const std::vector<FeatureCells>& features,
                       const std::vector<std::vector<double>>& values)
    : rows_(values.empty() ? 0 : values[0].size()), cells_(features.size()), until_(features.size()) {
  input.for_each("cells", features.size(), [&](std::size_t j) {
    cells_[j].resize(rows_);
    for (std::size_t row = 0; row < rows_; ++row) cells_[j][row] = features[j].cell(values[j][row]);
    if (!features[j].ordered()) return;
    std::vector<RowWord> bits(words());
    until_[j] = RowSetTable(words());
    for (std::uint32_t last = 0; last <= features[j].missing(); ++last) {
      scan({.feature = static_cast<std::uint32_t>(j), .first = 0, .last = last}, bits.data());
      until_[j].push_back(bits.data());
    }
  });
}

void CelledRows::write_bits(const CellCondition& condition, RowWord* bits) const {
  const RowSetTable& until = until_[condition.feature];
  if (until.size() == 0) return scan(condition, bits);
  const RowWord* last = until[condition.last];
  std::copy_n(last, words(), bits);
  if (condition.first == 0) return;
  const RowWord* before = until[condition.first - 1];
  for (std::size_t word = 0; word < words(); ++word) bits[word] &= ~before[word];
}

void CelledRows::scan(const CellCondition& condition, RowWord* bits) const {
  const std::uint32_t* cells = cells_[condition.feature].data();
  const std::uint32_t span = condition.last - condition.first;
  for (std::size_t word = 0; word < words(); ++word) {
    const std::size_t begin = word * rows_per_word, count = std::min(rows_per_word, rows_ - begin);
    RowWord found = 0;
    for (std::size_t i = 0; i < count; ++i)
      found |= static_cast<RowWord>(cells[begin + i] - condition.first <= span) << i;
    bits[word] = found;
  }
}

std::vector<RowWord> CelledRows::bits(const CellRule& rule) const {
  std::vector<RowWord> all(words()), one(words());
  for (std::size_t row = 0; row < rows_; ++row) all[row / rows_per_word] |= RowWord{1} << (row % rows_per_word);
  for (const CellCondition& condition : rule) {
    write_bits(condition, one.data());
    for (std::size_t word = 0; word < all.size(); ++word) all[word] &= one[word];
  }
  return all;
}

PerturbedRows::PerturbedRows(const MethodInput& input, const LabelledRows& rows, const CelledRows& celled,
                             std::size_t most_listed)
    : input_(input), most_listed_(most_listed), features_(input.features.size()) {
  input.for_each("cells", features_.size(), [&](std::size_t j) {
    ByCell& by_cell = features_[j];
    std::vector<std::uint32_t> order(rows.of_data);
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return celled.cell(j, a) < celled.cell(j, b); });
    by_cell.until.push_back(0);
    for (const std::uint32_t row : order) {
      const std::uint32_t cell = celled.cell(j, row);
      while (by_cell.first.size() <= cell) by_cell.first.push_back(by_cell.values.size());
      by_cell.values.push_back(rows.values[j][row]);
      if (input.weighted) by_cell.until.push_back(by_cell.until.back() + rows.weights[row]);
    }
    add_kinds(j, rows, celled);
  });
}

PerturbedRows::Places PerturbedRows::places(const ByCell& from, const CellCondition* held) {
  if (held == nullptr) return {.begin = 0, .end = from.values.size()};
  const auto place = [&](std::size_t cell) { return cell < from.first.size() ? from.first[cell] : from.values.size(); };
  return {.begin = place(held->first), .end = place(std::size_t{held->last} + 1)};
}

void PerturbedRows::draw_feature(const ByCell& from, const CellCondition* held, std::uint64_t stream,
                                 std::uint64_t first, std::span<double> drawn) const {
  const auto [begin, end] = places(from, held);
  const double* values = from.values.data() + begin;
  const auto rows = static_cast<double>(end - begin);
  constexpr std::uint64_t at_once = 4;
  std::array<std::uint64_t, at_once> bits{};
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const std::uint64_t index = first + i;
    if (i == 0 || index % at_once == 0) bits = random_block(input_.seed, stream, index / at_once);
    const double share = static_cast<double>(bits[index % at_once] >> 11) * 0x1p-53;
    if (!input_.weighted) {
      drawn[i] = values[static_cast<std::size_t>(share * rows)];
      continue;
    }
    const auto until = from.until.begin() + static_cast<std::ptrdiff_t>(begin) + 1;
    const auto last = from.until.begin() + static_cast<std::ptrdiff_t>(end);
    const double weight = from.until[begin] + share * (from.until[end] - from.until[begin]);
    drawn[i] = values[std::upper_bound(until, last, weight) - until];
  }
}

static const CellCondition* condition_on(std::size_t feature, const CellRule& rule) {
  const auto found =
      std::find_if(rule.begin(), rule.end(), [&](const CellCondition& each) { return each.feature == feature; });
  return found == rule.end() ? nullptr : &*found;
}

std::vector<std::vector<double>> PerturbedRows::draw(const CellRule& held, std::uint64_t stream, std::uint64_t first,
                                                     std::size_t count) const {
  std::vector<std::vector<double>> values(features_.size(), std::vector<double>(count));
  for (std::size_t j = 0; j < values.size(); ++j)
    draw_feature(features_[j], condition_on(j, held), stream + j, first, values[j]);
  return values;
}

void PerturbedRows::add_kinds(std::size_t feature, const LabelledRows& rows, const CelledRows& celled) {
  const auto slot = input_.trees != nullptr ? input_.trees->slot(input_.features[feature]) : std::nullopt;
  const auto kind_of = [&](double value) -> std::uint64_t {
    if (input_.trees == nullptr) return std::bit_cast<std::uint64_t>(value);
    return slot ? input_.trees->code(*slot, value) : 0;
  };
  auto& kinds = features_[feature].kinds;
  if (most_listed_ == 0) return;
  for (std::size_t row = 0; row < rows.of_data; ++row) {
    const double value = rows.values[feature][row];
    const std::pair key(celled.cell(feature, row), kind_of(value));
    kinds.try_emplace(key, value, 0.0).first->second.second += input_.weighted ? rows.weights[row] : 1;
    if (kinds.size() > most_listed_) return kinds.clear();
  }
}

std::optional<PerturbedRows::All> PerturbedRows::all(const CellRule& held) const {
  std::vector<std::vector<std::pair<double, double>>> kinds;  // of each feature: a value and its weight
  std::size_t rows = 1;
  for (std::size_t j = 0; j < features_.size(); ++j) {
    const auto* condition = condition_on(j, held);
    std::map<std::uint64_t, std::pair<double, double>> met;
    for (const auto& [key, kind] : features_[j].kinds) {
      const auto& [cell, what] = key;
      if (condition != nullptr && (cell < condition->first || cell > condition->last)) continue;
      met.try_emplace(what, kind.first, 0.0).first->second.second += kind.second;
    }
    if (met.empty() || met.size() > most_listed_ / rows) return std::nullopt;
    rows *= met.size();
    kinds.emplace_back();
    for (const auto& [what, kind] : met) kinds.back().push_back(kind);
  }
  All all{.values = std::vector<std::vector<double>>(kinds.size()), .chances = std::vector<double>(rows, 1.0)};
  std::size_t repeated = 1;  // rows in which a value stands one after the other
  for (std::size_t j = 0; j < kinds.size(); ++j) {
    double sum = 0;
    for (const auto& [value, weight] : kinds[j]) sum += weight;
    for (std::size_t row = 0; row < rows; ++row) {
      const auto& [value, weight] = kinds[j][row / repeated % kinds[j].size()];
      all.values[j].push_back(value);
      all.chances[row] *= weight / sum;
    }
    repeated *= kinds[j].size();
  }
  return all;
}

RowConditions::RowConditions(const std::vector<FeatureCells>& features, const std::vector<double>& values,
                             const CelledRows& rows, const CelledRows& perturbed)
    : rows_(rows.words()), perturbed_(perturbed.words()) {
  std::vector<RowWord> bits(rows.words()), other(perturbed.words());
  for (std::size_t j = 0; j < features.size(); ++j) {
    std::vector<Condition> found;
    for (const CellCondition& cells : features[j].conditions(static_cast<std::uint32_t>(j), values[j])) {
      rows.write_bits(cells, bits.data());
      const std::uint64_t count = count_rows(bits.data(), bits.size());
      if (count == 0 || count == rows.rows()) continue;
      perturbed.write_bits(cells, other.data());
      found.push_back({.cells = cells, .set = rows_.size()});
      rows_.push_back(bits.data());
      perturbed_.push_back(other.data());
    }
    if (!found.empty()) by_feature_.push_back(std::move(found));
  }
}

double RowConditions::rules(std::size_t size) const {
  std::vector<double> sums(size + 1);
  sums[0] = 1;
  for (const auto& conditions : by_feature_) {
    for (std::size_t k = size; k > 0; --k) sums[k] += sums[k - 1] * static_cast<double>(conditions.size());
  }
  return sums[size];
}

}  // namespace sightglass
