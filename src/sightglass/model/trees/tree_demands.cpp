#include <algorithm>
#include <utility>

#include "sightglass/model/trees/tree_demands_internal.h"

namespace sightglass {

bool TreeDemands::meets(const TreeDemand& demand, std::uint32_t code) const {
  if (demand.members >= 0) {
    const auto& set = members_[static_cast<std::size_t>(demand.members)];
    return ((set[code / 64] >> (code % 64)) & 1) != 0;
  }
  return code == codes_->missing(demand.slot) ? demand.missing : code >= demand.first && code < demand.end;
}

void TreeDemands::narrow(TreeDemand& demand, const FeatureCodes::Condition& condition, bool right) {
  if (condition.members < 0 && demand.members < 0 && !condition.zero_as_missing) {
    demand.missing = demand.missing && condition.missing_right == right;
    if (right) {
      demand.first = std::max(demand.first, condition.first_right);
    } else {
      demand.end = std::min(demand.end, condition.first_right);
    }
    return;
  }
  std::vector<std::uint64_t> set((codes_->codes(demand.slot) + 63) / 64);
  for (std::uint32_t code = 0; code < codes_->codes(demand.slot); ++code) {
    if (meets(demand, code) && codes_->goes_right(condition, code) == right)
      set[code / 64] |= std::uint64_t{1} << (code % 64);
  }
  demand.members = static_cast<std::int32_t>(members_.size());
  members_.push_back(std::move(set));
}

}  // namespace sightglass
