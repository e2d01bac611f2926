// How caveats are worded: numbers, lists of names, ranges of an axis, and many findings in one sentence.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sightglass/base/text.h"
#include "sightglass/result/result.h"

namespace sightglass {

// 3 significant digits, as people write numbers; 0.123 -> "12 %".
[[nodiscard]] std::string number_text(double value);
[[nodiscard]] std::string percent_text(double share);
// "a", "a and b", "a, b and 3 others".
[[nodiscard]] Text named(const std::vector<Text>& items, std::size_t most = 3);
[[nodiscard]] Text named(const std::vector<std::string>& items);

// Runs of grid points that are marked, in words and numbers, as marked_ranges() has them and pictures shade
// them: "windspeed above 43.5", [[43.5, 57]].
struct Region {
  Text text;         // with the numbers
  Text ending = {};  // without: the same of every group of rows
  Value evidence;
};
[[nodiscard]] Region describe_region(const Axis& axis, const std::vector<std::uint64_t>& marked);

// One feature's share in a caveat: what is said of it, the numbers behind it, how bad it is.
struct CaveatPart {
  Text name;         // of the feature, or features
  Text text;         // with the numbers
  Text ending = {};  // without: the same of every group of rows
  Value evidence = Value::object();
  double strength = 0;
};

// What all findings of one kind have in common.
struct CaveatText {
  std::string id;
  Severity severity = Severity::caution;
  Text meaning;  // what follows: the end of the sentence
  Text advice;
  Value shared = Value::object();  // evidence
};

// A caveat for each; of more than three a single one that tells the worst and names the others.
void add_findings(const CaveatText& text, std::vector<CaveatPart> findings, std::vector<Caveat>& caveats);

}  // namespace sightglass
