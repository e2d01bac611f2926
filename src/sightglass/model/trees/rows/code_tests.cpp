#include <algorithm>

#include "sightglass/model/trees/rows/code_tests_internal.h"

namespace sightglass {

CodeTest code_test(const FeatureCodes& codes, const FeatureCodes::Condition& condition) {
  CodeTest test{.slot = condition.slot};
  if (condition.members >= 0) {
    test.members = codes.members(condition);
    return test;
  }
  // The code of missing values is the last one.
  test.first = condition.first_right;
  test.size = codes.missing(condition.slot) - condition.first_right + (condition.missing_right ? 1 : 0);
  if (!condition.zero_as_missing) return test;
  const auto [first_zero, end_zero] = codes.zeros(condition.slot);
  // Those of them that would go the other way.
  test.flip_first = condition.missing_right ? first_zero : std::max(first_zero, condition.first_right);
  const std::uint32_t flip_end = condition.missing_right ? std::min(end_zero, condition.first_right) : end_zero;
  test.flip_size = flip_end > test.flip_first ? flip_end - test.flip_first : 0;
  return test;
}

std::vector<CodeTest> code_tests(const FeatureCodes& codes) {
  std::vector<CodeTest> tests;
  for (const FeatureCodes::Condition& condition : codes.conditions()) tests.push_back(code_test(codes, condition));
  return tests;
}

}  // namespace sightglass
