// What a split asks of a code, as a loop over rows wants it: is it within a range? Two ranges are needed where zero
// counts as missing, and a set of codes where categories are split.
#pragma once

#include <cstdint>
#include <vector>

#include "sightglass/model/trees/rows/feature_codes_internal.h"

namespace sightglass {

struct CodeTest {
  std::uint32_t slot = 0;
  std::uint32_t first = 0, size = 0;            // codes that go right
  std::uint32_t flip_first = 0, flip_size = 0;  // among these it is the other way round
  const std::uint64_t* members = nullptr;       // instead of all that: a bit for each code that goes right
};

struct GoesRightByRange {
  std::uint32_t first, size;
  bool operator()(std::uint16_t code) const { return code - first < size; }
};
struct GoesRightByRanges {
  std::uint32_t first, size, flip_first, flip_size;
  bool operator()(std::uint16_t code) const { return (code - first < size) != (code - flip_first < flip_size); }
};
struct GoesRightByMembers {
  const std::uint64_t* members;
  bool operator()(std::uint16_t code) const { return ((members[code / 64] >> (code % 64)) & 1) != 0; }
};

[[nodiscard]] inline bool goes_right(const CodeTest& test, std::uint16_t code) {
  if (test.members != nullptr) return GoesRightByMembers{test.members}(code);
  return GoesRightByRanges{test.first, test.size, test.flip_first, test.flip_size}(code);
}

// Calls act(function of a code), the simplest one that does.
template <class Act>
auto with_test(const CodeTest& test, const Act& act) {
  if (test.members != nullptr) return act(GoesRightByMembers{test.members});
  if (test.flip_size > 0) return act(GoesRightByRanges{test.first, test.size, test.flip_first, test.flip_size});
  return act(GoesRightByRange{test.first, test.size});
}

[[nodiscard]] CodeTest code_test(const FeatureCodes& codes, const FeatureCodes::Condition& condition);
// Of all conditions. The codes must stay where they are.
[[nodiscard]] std::vector<CodeTest> code_tests(const FeatureCodes& codes);

}  // namespace sightglass
