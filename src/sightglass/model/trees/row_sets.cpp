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
}

SIGHTGLASS_FOR_EACH_PROCESSOR
void ConditionSets::find(const std::uint16_t* codes) {
  for (std::size_t slot = 0; slot < codes_.slots(); ++slot, codes += set_rows) {
    const std::uint32_t missing = codes_.missing(slot);
    std::fill_n(of_code_.begin(), missing + 1, RowSet{});
    for (std::size_t row = 0; row < set_rows; ++row) of_code_[codes[row]].words[row / 64] |= row_bit(row);
    // From the last code down, a row joins those on the right at its own code.
    RowWords right{};
    std::uint32_t code = missing;
    for (std::uint32_t at = first_condition_[slot + 1]; at-- > first_condition_[slot];) {
      const FeatureCodes::Condition& condition = codes_.conditions()[at];
      if (condition.members >= 0) {
        RowWords members{};
        for (std::uint32_t each = 0; each <= missing; ++each) {
          if (codes_.goes_right(condition, each)) members |= of_code_[each].words;
        }
        sets_[at].words = members;
        continue;
      }
      while (code > condition.first_right) right |= of_code_[--code].words;
      sets_[at].words = condition.missing_right ? right | of_code_[missing].words : right;
    }
  }
}

}  // namespace sightglass
