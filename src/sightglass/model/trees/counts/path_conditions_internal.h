// What the path to a leaf asks of each feature on it: of each one the codes with which a row can get there.
#pragma once

#include <cstdint>
#include <vector>

#include "sightglass/model/trees/rows/feature_codes_internal.h"

namespace sightglass {

// The codes of one feature with which a row can reach a leaf.
struct PathCondition {
  std::uint32_t slot = 0;
  std::uint32_t first = 0, end = 0;  // of values, without the code of missing ones
  bool missing = false;
  std::int32_t members = -1;  // instead of all that, where codes are no range: index into sets of codes
};

// Makes conditions and keeps the sets of codes of those that are no ranges.
class PathConditions {
 public:
  // The codes must stay where they are.
  explicit PathConditions(const FeatureCodes& codes) : codes_(&codes) {}

  // That any code meets.
  [[nodiscard]] PathCondition any(std::uint32_t slot) const {
    return {.slot = slot, .end = codes_->missing(slot), .missing = true};
  }
  // What is left of a condition behind a split on its feature.
  void narrow(PathCondition& path_condition, const FeatureCodes::Condition& condition, bool right);
  [[nodiscard]] bool meets(const PathCondition& path_condition, std::uint32_t code) const;
  // Of a condition that is no range: a bit for each code that meets it.
  [[nodiscard]] const std::vector<std::uint64_t>& members(const PathCondition& path_condition) const {
    return members_[static_cast<std::size_t>(path_condition.members)];
  }

 private:
  const FeatureCodes* codes_;
  std::vector<std::vector<std::uint64_t>> members_;
};

}  // namespace sightglass
