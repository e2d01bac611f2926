#include <algorithm>
#include <utility>

#include "sightglass/model/trees/counts/path_conditions_internal.h"

namespace sightglass {

namespace {

using Words = std::vector<std::uint64_t>;

// Sets or clears the bits [first, end), word by word: categories may be tens of thousands.
void fill(Words& set, std::uint32_t first, std::uint32_t end, bool to) {
  while (first < end) {
    const std::uint32_t bit = first % 64, count = std::min(64 - bit, end - first);
    const std::uint64_t mask = (~std::uint64_t{0} >> (64 - count)) << bit;
    set[first / 64] = to ? set[first / 64] | mask : set[first / 64] & ~mask;
    first += count;
  }
}

// The codes that go right at a condition that is no set.
Words to_the_right(const FeatureCodes& codes, const FeatureCodes::Condition& condition) {
  const std::uint32_t missing = codes.missing(condition.slot);
  Words right((codes.codes(condition.slot) + 63) / 64);
  fill(right, condition.first_right, missing, true);
  fill(right, missing, missing + 1, condition.missing_right);
  if (condition.zero_as_missing) {
    const auto [first, end] = codes.zeros(condition.slot);
    fill(right, first, std::min(end, missing), condition.missing_right);
  }
  return right;
}

}  // namespace

bool PathConditions::meets(const PathCondition& path_condition, std::uint32_t code) const {
  if (path_condition.members >= 0) {
    const auto& set = members_[static_cast<std::size_t>(path_condition.members)];
    return ((set[code / 64] >> (code % 64)) & 1) != 0;
  }
  return code == codes_->missing(path_condition.slot) ? path_condition.missing
                                                      : code >= path_condition.first && code < path_condition.end;
}

void PathConditions::narrow(PathCondition& path_condition, const FeatureCodes::Condition& condition, bool right) {
  if (condition.members < 0 && path_condition.members < 0 && !condition.zero_as_missing) {
    path_condition.missing = path_condition.missing && condition.missing_right == right;
    if (right) {
      path_condition.first = std::max(path_condition.first, condition.first_right);
    } else {
      path_condition.end = std::min(path_condition.end, condition.first_right);
    }
    return;
  }
  Words set;
  if (path_condition.members >= 0) {
    set = members(path_condition);
  } else {
    set.resize((codes_->codes(path_condition.slot) + 63) / 64);
    fill(set, path_condition.first, path_condition.end, true);
    fill(set, codes_->missing(path_condition.slot), codes_->missing(path_condition.slot) + 1, path_condition.missing);
  }
  const Words made = condition.members < 0 ? to_the_right(*codes_, condition) : Words();
  const std::uint64_t* to_right = condition.members < 0 ? made.data() : codes_->members(condition);
  for (std::size_t word = 0; word < set.size(); ++word) set[word] &= right ? to_right[word] : ~to_right[word];
  path_condition.members = static_cast<std::int32_t>(members_.size());
  members_.push_back(std::move(set));
}

}  // namespace sightglass
