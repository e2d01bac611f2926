// Rows as small whole numbers. Trees ask of a value only on which side of their split points it lies; so along each
// feature a value becomes the number of split points that it has reached, a category its rank among those that
// some split names, and a missing value a code of its own. Whatever the framework's types and rules of comparison,
// from here on everything is exact comparison of integers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "sightglass/model/trees/ensemble.h"
#include "sightglass/numeric/bucket_search.h"

namespace sightglass {

class FeatureCodes {
 public:
  // Codes are 16 bits: nothing if a feature has more split points than that. The parts must stay where they are.
  [[nodiscard]] static std::optional<FeatureCodes> of(const TreeEnsemble::Parts& parts);
  // Of an ensemble that is known to have codes.
  explicit FeatureCodes(const TreeEnsemble::Parts& parts);

  // Features that any split looks at, ascending; elsewhere a `slot` is a position in this list.
  [[nodiscard]] const std::vector<std::uint32_t>& features() const { return features_; }
  [[nodiscard]] std::size_t slots() const { return features_.size(); }
  // Number of codes of a slot. The last one is that of missing values.
  [[nodiscard]] std::uint32_t codes(std::size_t slot) const { return axes_[slot].codes; }
  [[nodiscard]] std::uint32_t missing(std::size_t slot) const { return axes_[slot].codes - 1; }
  // Whether codes stand for categories; else they ascend with the value.
  [[nodiscard]] bool categorical(std::size_t slot) const { return axes_[slot].categorical; }

  // Of a numeric slot: the first value of each code but the first, in the type that is compared.
  [[nodiscard]] const std::vector<double>& cuts(std::size_t slot) const { return axes_[slot].cuts; }

  // Values as the model sees them (categories as the model's codes, missing as NaN).
  [[nodiscard]] std::uint16_t code(std::size_t slot, double value) const;
  void encode(std::size_t slot, std::span<const double> values, std::uint16_t* codes) const;
  // The same of values that are rounded already to the floats that are compared.
  void encode(std::size_t slot, std::span<const float> values, std::uint16_t* codes) const;

  // What a split asks, in codes. Splits that ask the same share a condition.
  struct Condition {
    std::uint32_t slot = 0;
    std::uint32_t first_right = 0;  // this code and those behind it go right, but for that of missing values
    bool missing_right = false;
    bool zero_as_missing = false;  // numbers that count as zero go where missing values go
    std::int32_t members = -1;     // instead of all that: index into the sets of codes that go right; -1 = none
  };
  // By slot; of a numeric slot in the order of their split points.
  [[nodiscard]] const std::vector<Condition>& conditions() const { return conditions_; }
  // Of a node of the ensemble that is no leaf.
  [[nodiscard]] std::uint32_t condition_of(std::size_t node) const { return condition_of_node_[node]; }
  [[nodiscard]] bool goes_right(const Condition& condition, std::uint32_t code) const {
    if (condition.members >= 0) {
      const auto& set = sets_[static_cast<std::size_t>(condition.members)];
      return ((set[code / 64] >> (code % 64)) & 1) != 0;
    }
    if (code == missing(condition.slot) || (condition.zero_as_missing && is_zero(condition.slot, code)))
      return condition.missing_right;
    return code >= condition.first_right;
  }
  // Where an input ends up in a tree, by its codes.
  [[nodiscard]] const TreeNode& leaf(const Tree& tree, std::span<const std::uint32_t> at) const {
    std::size_t index = tree.root;
    while (!parts_.nodes[index].is_leaf()) {
      const Condition& condition = conditions_[condition_of_node_[index]];
      const TreeNode& node = parts_.nodes[index];
      index = static_cast<std::size_t>(goes_right(condition, at[condition.slot]) ? node.right : node.left);
    }
    return parts_.nodes[index];
  }
  // Of a condition that has such: a bit for each code that goes right.
  [[nodiscard]] const std::uint64_t* members(const Condition& condition) const {
    return sets_[static_cast<std::size_t>(condition.members)].data();
  }
  // Whether some split takes zero for missing, and which codes are then those of numbers that count as zero.
  [[nodiscard]] bool asks_for_zero(std::size_t slot) const { return axes_[slot].asks_for_zero; }
  [[nodiscard]] bool is_zero(std::size_t slot, std::uint32_t code) const {
    return code >= axes_[slot].first_zero && code < axes_[slot].end_zero;
  }
  struct Zeros {
    std::uint32_t first, end;
  };
  [[nodiscard]] Zeros zeros(std::size_t slot) const { return {axes_[slot].first_zero, axes_[slot].end_zero}; }

 private:
  struct SplitPoints;
  struct Axis {
    bool categorical = false;
    std::uint32_t codes = 1;
    bool asks_for_zero = false;
    std::uint32_t first_zero = 0, end_zero = 0;
    std::vector<double> cuts;  // numeric: the first value behind each split, ascending
    std::variant<BucketSearch<double>, BucketSearch<float>> search;  // numeric: the cuts, in the type that is compared
    // categorical: those that some split names, ascending; all others share a code
    std::vector<std::int64_t> categories;
  };
  void encode_categories(const Axis& axis, std::span<const double> values, std::uint16_t* codes) const;
  FeatureCodes(const TreeEnsemble::Parts& parts, SplitPoints points);
  void find_axes(SplitPoints points);
  void find_conditions();
  [[nodiscard]] std::vector<std::uint64_t> codes_to_the_right(const TreeNode& node, const Axis& axis) const;

  const TreeEnsemble::Parts& parts_;
  std::vector<std::uint32_t> features_;
  std::vector<std::uint32_t> slot_of_feature_;
  std::vector<Axis> axes_;
  std::vector<Condition> conditions_;
  std::vector<std::vector<std::uint64_t>> sets_;
  std::vector<std::uint32_t> condition_of_node_;
};

}  // namespace sightglass
