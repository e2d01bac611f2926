#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "sightglass/model/trees/rows/row_sets_internal.h"
#include "sightglass/numeric/search.h"

namespace sightglass {

RowSet first_rows(std::size_t rows) {
  RowSet set{};
  for (std::size_t row = 0; row < rows; ++row) set.words[row / 64] |= row_bit(row);
  return set;
}

RowSet first_bits(std::size_t count) {
  RowSet set{};
  for (std::size_t bit = 0; bit < count; ++bit) set.words[bit / 64] |= std::uint64_t{1} << (bit % 64);
  return set;
}

namespace {

std::vector<std::uint32_t> all_conditions(const FeatureCodes& codes) {
  std::vector<std::uint32_t> all(codes.conditions().size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace

ConditionSets::ConditionSets(const FeatureCodes& codes) : ConditionSets(codes, all_conditions(codes), 1) {}

ConditionSets::ConditionSets(const FeatureCodes& codes, std::vector<std::uint32_t> conditions, std::size_t width)
    : codes_(codes), conditions_(std::move(conditions)), width_(width), sets_(conditions_.size() * width) {
  std::size_t most = 0;
  for (std::size_t slot = 0, at = 0; slot <= codes.slots(); ++slot) {
    while (at < conditions_.size() && codes.conditions()[conditions_[at]].slot < slot) ++at;
    first_condition_.push_back(static_cast<std::uint32_t>(at));
  }
  for (std::size_t slot = 0; slot < codes.slots(); ++slot) {
    const std::uint32_t missing = codes.missing(slot);
    Axis axis{.missing = missing, .first_zero = codes.zeros(slot).first, .end_zero = codes.zeros(slot).end};
    std::vector<std::uint32_t> points;  // where the next rank begins
    for (std::uint32_t at = first_condition_[slot]; at < first_condition_[slot + 1]; ++at)
      points.push_back(codes.conditions()[conditions_[at]].first_right);
    first_right_.insert(first_right_.end(), points.begin(), points.end());
    if (codes.asks_for_zero(slot)) points.insert(points.end(), {axis.first_zero, axis.end_zero});
    std::sort(points.begin(), points.end());
    points.erase(std::unique(points.begin(), points.end()), points.end());
    if (!codes.categorical(slot) && 2 * points.size() < missing) {
      const auto rank = [&](std::uint32_t code) { return static_cast<std::uint32_t>(count_up_to(points, code)); };
      axis.rank.reserve(missing + std::size_t{1});
      for (std::size_t number = 0; number < points.size(); ++number)
        axis.rank.resize(points[number], static_cast<std::uint16_t>(number));
      axis.rank.resize(missing, static_cast<std::uint16_t>(points.size()));
      axis.missing = static_cast<std::uint32_t>(points.size()) + 1;
      axis.rank.push_back(static_cast<std::uint16_t>(axis.missing));
      axis.first_zero = rank(axis.first_zero);
      axis.end_zero = rank(axis.end_zero);
      for (std::uint32_t at = first_condition_[slot]; at < first_condition_[slot + 1]; ++at)
        first_right_[at] = rank(first_right_[at]);
    }
    most = std::max<std::size_t>(most, axis.missing + std::size_t{1});
    axes_.push_back(std::move(axis));
  }
  of_code_.resize(most);
}

SIGHTGLASS_FOR_EACH_PROCESSOR
void ConditionSets::find(const std::uint16_t* codes, std::size_t stride, std::size_t lane) {
  for (std::size_t slot = 0; slot < codes_.slots(); ++slot, codes += stride) {
    if (first_condition_[slot] == first_condition_[slot + 1]) continue;
    if (codes_.categorical(slot)) {
      find_categories(slot, codes, lane);
      continue;
    }
    const Axis& axis = axes_[slot];
    std::fill_n(of_code_.begin(), axis.missing + 1, RowSet{});
    if (axis.rank.empty()) {
      for (std::size_t row = 0; row < set_rows; ++row) of_code_[codes[row]].words[row / 64] |= row_bit(row);
    } else {
      for (std::size_t row = 0; row < set_rows; ++row) of_code_[axis.rank[codes[row]]].words[row / 64] |= row_bit(row);
    }
    RowWords zero{};
    if (codes_.asks_for_zero(slot)) {
      for (std::uint32_t code = axis.first_zero; code < axis.end_zero; ++code) zero |= of_code_[code].words;
    }
    // From the last code down, a row joins those on the right at its own code.
    RowWords right{};
    std::uint32_t code = axis.missing;
    for (std::uint32_t at = first_condition_[slot + 1]; at-- > first_condition_[slot];) {
      const FeatureCodes::Condition& condition = codes_.conditions()[conditions_[at]];
      while (code > first_right_[at]) right |= of_code_[--code].words;
      RowWords goes = right;
      if (condition.zero_as_missing) goes = condition.missing_right ? goes | zero : goes & ~zero;
      sets_[at * width_ + lane].words = condition.missing_right ? goes | of_code_[axis.missing].words : goes;
    }
  }
}

// There may be many categories, of which few are among the rows.
void ConditionSets::find_categories(std::size_t slot, const std::uint16_t* codes, std::size_t lane) {
  std::array<std::uint16_t, set_rows> distinct;
  std::copy_n(codes, set_rows, distinct.begin());
  std::sort(distinct.begin(), distinct.end());
  const auto end = std::unique(distinct.begin(), distinct.end());
  for (auto code = distinct.begin(); code != end; ++code) of_code_[*code].words = RowWords{};
  for (std::size_t row = 0; row < set_rows; ++row) of_code_[codes[row]].words[row / 64] |= row_bit(row);
  for (std::uint32_t at = first_condition_[slot]; at < first_condition_[slot + 1]; ++at) {
    RowWords members{};
    for (auto code = distinct.begin(); code != end; ++code) {
      if (codes_.goes_right(codes_.conditions()[conditions_[at]], *code)) members |= of_code_[*code].words;
    }
    sets_[at * width_ + lane].words = members;
  }
}

}  // namespace sightglass
