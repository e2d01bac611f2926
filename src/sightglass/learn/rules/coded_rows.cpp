#include "sightglass/learn/rules/coded_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "sightglass/base/each_processor.h"

namespace sightglass {

namespace {

constexpr std::size_t most_codes = rare_code;
constexpr std::size_t code_bits = 8;

struct Weighted {
  double value = 0, weight = 0;
};

// Different values, ascending, each with the weight of its rows.
std::vector<Weighted> distinct_values(const TrainingData& data, std::span<const double> values) {
  std::vector<Weighted> all;
  all.reserve(values.size());
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (!std::isnan(values[row])) all.push_back({values[row], data.weight(row)});
  }
  std::stable_sort(all.begin(), all.end(), [](const Weighted& a, const Weighted& b) { return a.value < b.value; });
  std::size_t count = 0;
  for (const Weighted& next : all) {
    if (count > 0 && all[count - 1].value == next.value) {
      all[count - 1].weight += next.weight;
    } else {
      all[count++] = next;
    }
  }
  all.resize(count);
  return all;
}

// code <= last for 64 rows at a time, from the lowest bit to the highest: the highest that differs decides.
SIGHTGLASS_FOR_EACH_PROCESSOR
void find_up_to(const RowWord* planes, std::size_t words, std::size_t last, RowWord* out) {
  for (std::size_t w = 0; w < words; ++w) out[w] = ~RowWord{0};
  for (std::size_t bit = 0; bit < code_bits; ++bit) {
    const RowWord* plane = planes + bit * words;
    if ((last >> bit & 1) != 0) {
      for (std::size_t w = 0; w < words; ++w) out[w] |= ~plane[w];
    } else {
      for (std::size_t w = 0; w < words; ++w) out[w] &= ~plane[w];
    }
  }
}

SIGHTGLASS_FOR_EACH_PROCESSOR
void add_equal(const RowWord* planes, std::size_t words, std::size_t code, RowWord* out) {
  for (std::size_t w = 0; w < words; ++w) {
    RowWord equal = ~RowWord{0};
    for (std::size_t bit = 0; bit < code_bits; ++bit) {
      const RowWord plane = planes[bit * words + w];
      equal &= (code >> bit & 1) != 0 ? plane : ~plane;
    }
    out[w] |= equal;
  }
}

}  // namespace

std::vector<double> FoldedRows::placed(std::span<const double> values, double filler) const {
  std::vector<double> result(positions(), filler);
  for (std::size_t row = 0; row < values.size(); ++row) result[position_of[row]] = values[row];
  return result;
}

FoldedRows fold_rows(std::span<const std::uint32_t> fold_of, std::size_t folds) {
  std::vector<std::size_t> sizes(folds);
  for (const std::uint32_t fold : fold_of) ++sizes[fold];
  FoldedRows rows;
  rows.first_word = {0};
  for (const std::size_t size : sizes)
    rows.first_word.push_back(rows.first_word.back() + (size + rows_per_word - 1) / rows_per_word);
  rows.row_at.assign(rows.words() * rows_per_word, FoldedRows::no_row);
  rows.position_of.resize(fold_of.size());
  std::vector<std::size_t> next(folds);
  for (std::size_t fold = 0; fold < folds; ++fold) next[fold] = rows.first_word[fold] * rows_per_word;
  for (std::size_t row = 0; row < fold_of.size(); ++row) {
    const std::size_t position = next[fold_of[row]]++;
    rows.position_of[row] = static_cast<std::uint32_t>(position);
    rows.row_at[position] = static_cast<std::uint32_t>(row);
  }
  return rows;
}

double readable_cut(double low, double high) {
  const double gap = high - low;
  if (!std::isfinite(gap)) return low / 2 + high / 2;
  // Whole numbers next to one another: nothing is between them.
  if (gap == 1 && std::floor(low) == low) return low;
  // The roundest number in the middle half.
  const double middle = low + gap / 2, most = gap / 4;
  for (double step = std::pow(10, std::ceil(std::log10(gap))); step > gap * 1e-3; step /= 10) {
    const double round =
        step < 1 ? std::round(middle * std::round(1 / step)) / std::round(1 / step) : std::round(middle / step) * step;
    if (std::abs(round - middle) <= most && round >= low && round < high) return round;
  }
  return middle < high ? middle : low;
}

CodedFeature::CodedFeature(const TrainingData& data, std::size_t feature, const FoldedRows& rows)
    : feature_(static_cast<std::uint32_t>(feature)),
      categorical_(data.features[feature].info.categorical),
      code_at_(rows.positions(), missing_bin) {
  if (categorical_) {
    code_levels(data, rows);
  } else {
    code_numbers(data, rows);
  }
  const auto& values = data.features[feature].values;
  has_missing_ = std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); });
  planes_.resize(code_bits * rows.words());
  for (std::size_t position = 0; position < code_at_.size(); ++position) {
    const std::size_t code = code_at_[position], word = position / rows_per_word, at = position % rows_per_word;
    for (std::size_t bit = 0; bit < code_bits; ++bit)
      planes_[bit * rows.words() + word] |= RowWord{code >> bit & 1} << at;
  }
}

// Each value has its code if there are few, else codes have about the same weight each.
void CodedFeature::code_numbers(const TrainingData& data, const FoldedRows& rows) {
  const auto& values = data.features[feature_].values;
  const std::vector<Weighted> distinct = distinct_values(data, values);
  if (distinct.empty()) return;
  double total = 0;
  for (const Weighted& next : distinct) total += next.weight;
  double below = 0;
  for (std::size_t i = 0; i + 1 < distinct.size(); ++i) {
    below += distinct[i].weight;
    const double share = below / total * static_cast<double>(most_codes);
    if (distinct.size() > most_codes && share < static_cast<double>(edges_.size() + 1)) continue;
    if (edges_.size() + 1 == most_codes) break;
    edges_.push_back(readable_cut(distinct[i].value, distinct[i + 1].value));
  }
  codes_ = edges_.size() + 1;
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (std::isnan(values[row])) continue;
    const auto edge = std::lower_bound(edges_.begin(), edges_.end(), values[row]);
    code_at_[rows.position_of[row]] = static_cast<std::uint8_t>(edge - edges_.begin());
  }
}

void CodedFeature::code_levels(const TrainingData& data, const FoldedRows& rows) {
  const auto& values = data.features[feature_].values;
  std::vector<Weighted> frequent = distinct_values(data, values);
  if (frequent.size() > most_codes) {
    std::stable_sort(frequent.begin(), frequent.end(),
                     [](const Weighted& a, const Weighted& b) { return a.weight > b.weight; });
    frequent.resize(most_codes);
  }
  for (const Weighted& level : frequent) levels_.push_back(static_cast<std::uint32_t>(level.value));
  std::sort(levels_.begin(), levels_.end());
  codes_ = levels_.size();
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (std::isnan(values[row])) continue;
    const auto level = static_cast<std::uint32_t>(values[row]);
    const auto place = std::lower_bound(levels_.begin(), levels_.end(), level);
    code_at_[rows.position_of[row]] =
        place != levels_.end() && *place == level ? static_cast<std::uint8_t>(place - levels_.begin()) : rare_code;
  }
}

void CodedFeature::find_rows(const CodeSet& set, RowWord* out) const {
  const std::size_t words = planes_.size() / code_bits;
  std::fill_n(out, words, RowWord{0});
  if (categorical_) {
    for (std::size_t code = 0; code < codes_; ++code) {
      if (set.has(code)) add_equal(planes_.data(), words, code, out);
    }
  } else {
    std::size_t first = 0;
    while (first < codes_ && !set.has(first)) ++first;
    std::size_t end = first;
    while (end < codes_ && set.has(end)) ++end;
    if (end > first) find_up_to(planes_.data(), words, end - 1, out);
    if (end > first && first > 0) {
      std::vector<RowWord> below(words);
      find_up_to(planes_.data(), words, first - 1, below.data());
      for (std::size_t w = 0; w < words; ++w) out[w] &= ~below[w];
    }
  }
  if (set.has(missing_bin)) add_equal(planes_.data(), words, missing_bin, out);
}

TermCondition CodedFeature::condition(const CodeSet& set) const {
  // Where nothing was missing, nothing is said about it.
  TermCondition condition{.feature = feature_, .missing = has_missing_ && set.has(missing_bin)};
  if (categorical_) {
    for (std::size_t code = 0; code < codes_; ++code) {
      if (set.has(code)) condition.levels.push_back(levels_[code]);
    }
    // Missing values alone: no level is above infinity.
    if (condition.levels.empty()) condition.above = std::numeric_limits<double>::infinity();
    return condition;
  }
  std::size_t first = 0;
  while (first < codes_ && !set.has(first)) ++first;
  std::size_t end = first;
  while (end < codes_ && set.has(end)) ++end;
  // Missing values alone: no number is above infinity.
  if (first == end) condition.above = std::numeric_limits<double>::infinity();
  if (first < end && first > 0) condition.above = edges_[first - 1];
  if (first < end && end < codes_) condition.at_most = edges_[end - 1];
  return condition;
}

CodedRows code_rows(const TrainingData& data, FoldedRows rows, const Context& context) {
  CodedRows coded;
  coded.rows = std::move(rows);
  coded.present.resize(coded.rows.words());
  coded.weights.resize(coded.rows.positions());
  for (std::size_t row = 0; row < data.rows; ++row) {
    const std::size_t position = coded.rows.position_of[row];
    coded.present[position / rows_per_word] |= RowWord{1} << (position % rows_per_word);
    coded.weights[position] = data.weight(row);
  }
  std::vector<std::optional<CodedFeature>> features(data.features.size());
  context.parallel_for(features.size(), [&](std::size_t f) {
    context.check();
    features[f].emplace(data, f, coded.rows);
  });
  for (auto& feature : features) coded.features.push_back(std::move(*feature));
  return coded;
}

}  // namespace sightglass
