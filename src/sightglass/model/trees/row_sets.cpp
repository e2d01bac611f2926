#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "sightglass/model/trees/row_sets_internal.h"

namespace sightglass {

RowSet first_rows(std::size_t rows) {
  RowSet set{};
  for (std::size_t row = 0; row < rows; ++row) set.words[row / 64] |= row_bit(row);
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
  std::uint32_t most = 0;
  for (std::size_t slot = 0, at = 0; slot <= codes.slots(); ++slot) {
    while (at < conditions_.size() && codes.conditions()[conditions_[at]].slot < slot) ++at;
    first_condition_.push_back(static_cast<std::uint32_t>(at));
    if (slot < codes.slots()) most = std::max(most, codes.codes(slot));
  }
  of_code_.resize(most);
}

SIGHTGLASS_FOR_EACH_PROCESSOR
void ConditionSets::find(const std::uint16_t* codes, std::size_t stride, std::size_t place) {
  for (std::size_t slot = 0; slot < codes_.slots(); ++slot, codes += stride) {
    if (first_condition_[slot] == first_condition_[slot + 1]) continue;
    if (codes_.categorical(slot)) {
      find_categories(slot, codes, place);
      continue;
    }
    const std::uint32_t missing = codes_.missing(slot);
    std::fill_n(of_code_.begin(), missing + 1, RowSet{});
    for (std::size_t row = 0; row < set_rows; ++row) of_code_[codes[row]].words[row / 64] |= row_bit(row);
    RowWords zero{};
    for (std::uint32_t code = 0; code < missing && codes_.asks_for_zero(slot); ++code) {
      if (codes_.is_zero(slot, code)) zero |= of_code_[code].words;
    }
    // From the last code down, a row joins those on the right at its own code.
    RowWords right{};
    std::uint32_t code = missing;
    for (std::uint32_t at = first_condition_[slot + 1]; at-- > first_condition_[slot];) {
      const FeatureCodes::Condition& condition = codes_.conditions()[conditions_[at]];
      while (code > condition.first_right) right |= of_code_[--code].words;
      RowWords goes = right;
      if (condition.zero_as_missing) goes = condition.missing_right ? goes | zero : goes & ~zero;
      sets_[at * width_ + place].words = condition.missing_right ? goes | of_code_[missing].words : goes;
    }
  }
}

// There may be many categories, of which few are among the rows.
void ConditionSets::find_categories(std::size_t slot, const std::uint16_t* codes, std::size_t place) {
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
    sets_[at * width_ + place].words = members;
  }
}

}  // namespace sightglass
