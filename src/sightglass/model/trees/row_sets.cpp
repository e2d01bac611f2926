#include <algorithm>

#include "sightglass/model/trees/row_sets_internal.h"

namespace sightglass {

ConditionSets::ConditionSets(const FeatureCodes& codes) : codes_(codes), sets_(codes.conditions().size()) {
  std::uint32_t most = 0;
  const auto& conditions = codes.conditions();
  for (std::size_t slot = 0, at = 0; slot <= codes.slots(); ++slot) {
    while (at < conditions.size() && conditions[at].slot < slot) ++at;
    first_condition_.push_back(static_cast<std::uint32_t>(at));
    if (slot < codes.slots()) most = std::max(most, codes.codes(slot));
  }
  of_code_.resize(most);
  present_.resize(most);
}

SIGHTGLASS_FOR_EACH_PROCESSOR
void ConditionSets::find(const std::uint16_t* codes) {
  for (std::size_t slot = 0; slot < codes_.slots(); ++slot, codes += set_rows) {
    const std::uint32_t missing = codes_.missing(slot);
    std::size_t count = 0;
    for (std::size_t row = 0; row < set_rows; ++row) {
      RowSet& rows = of_code_[codes[row]];
      if (!present_[codes[row]]) {
        present_[codes[row]] = 1;
        rows.words = RowWords{};
        distinct_[count++] = codes[row];
      }
      rows.words[row / 64] |= row_bit(row);
    }
    // From the last code down, a row joins those on the right at its own code.
    RowWords right{}, zero{}, none{};
    for (std::size_t k = 0; k < count; ++k) {
      if (codes_.is_zero(slot, distinct_[k])) zero |= of_code_[distinct_[k]].words;
    }
    const RowWords missing_rows = present_[missing] ? of_code_[missing].words : none;
    std::uint32_t code = missing;
    for (std::uint32_t at = first_condition_[slot + 1]; at-- > first_condition_[slot];) {
      const FeatureCodes::Condition& condition = codes_.conditions()[at];
      if (condition.members >= 0) {
        RowWords members{};
        for (std::size_t k = 0; k < count; ++k) {
          if (codes_.goes_right(condition, distinct_[k])) members |= of_code_[distinct_[k]].words;
        }
        sets_[at].words = members;
        continue;
      }
      while (code > condition.first_right) {
        if (present_[--code]) right |= of_code_[code].words;
      }
      RowWords goes = right;
      if (condition.zero_as_missing) goes = condition.missing_right ? goes | zero : goes & ~zero;
      sets_[at].words = condition.missing_right ? goes | missing_rows : goes;
    }
    for (std::size_t k = 0; k < count; ++k) present_[distinct_[k]] = 0;
  }
}

}  // namespace sightglass
