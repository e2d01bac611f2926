// Which conditions of which leaves a row meets, as small numbers. The leaves of a tree are taken in groups of near
// neighbours; a group asks a few questions about a row (does it meet the conditions of the common path,
// where would it go at each of the group's own splits), and the answers are the bits of one number, the row's pattern,
// which says for each of the group's leaves which of its conditions are met (the "decision patterns" of WOODELF).
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "sightglass/model/trees/counts/path_conditions_internal.h"
#include "sightglass/model/trees/rows/row_sets_internal.h"

namespace sightglass {

// Neighbouring trees of an ensemble; or, of one tree that is too large to be taken whole, some of its groups.
struct PatternRange {
  std::uint32_t first = 0, end = 0;
  std::uint32_t first_group = 0, end_group = std::numeric_limits<std::uint32_t>::max();
  std::size_t bytes = 0;  // what its subset counts and paths take, at the most
};

class TreePatterns {
 public:
  // Leaves with more features than this on their path have no tables over all sets of them.
  static constexpr std::size_t most_features = 14;

  // Parts and codes must stay where they are.
  TreePatterns(const TreeEnsemble::Parts& parts, const FeatureCodes& codes, const PatternRange& range);
  // Ranges that cover the ensemble in order, each with so many bytes of subset counts and paths at the most, if so many
  // rows are counted. But groups are not cut, and a long path may have a pattern for every row.
  [[nodiscard]] static std::vector<PatternRange> ranges(const TreeEnsemble::Parts& parts, const FeatureCodes& codes,
                                                        std::size_t bytes, std::uint64_t rows);
  // Leaves with more than most_features on their path.
  [[nodiscard]] static std::size_t count_long_paths(const TreeEnsemble::Parts& parts);

  // A feature on the path of a leaf, in the order of the path. A pattern meets the condition if pattern & mask ==
  // value.
  struct Position {
    std::uint32_t slot = 0;
    std::uint16_t mask = 0, value = 0;
    double share =
        1;  // of the training rows, at the path's splits on this feature: the product of their covers' shares
  };
  struct Leaf {
    std::uint32_t node = 0;
    std::uint32_t first_position = 0, end_position = 0;
    std::size_t subsets = 0;  // where the counts of its 2^positions subsets begin; long paths: which of these it is
    [[nodiscard]] std::size_t size() const { return end_position - first_position; }
  };
  // Questions with up to 16 bits of answer.
  struct Questions {
    std::uint32_t first_range = 0, end_range = 0;
    std::uint32_t first_set = 0, end_set = 0;
    std::uint16_t start = 0;
  };
  // Leaves of one tree. A leaf with a long path is alone, and its pattern takes several numbers of 16 bits each, one
  // bit per position.
  struct Group {
    std::uint32_t tree = 0;
    std::uint32_t first_leaf = 0, end_leaf = 0;
    std::uint32_t first_questions = 0, end_questions = 0;
    std::uint32_t bits = 0;
    [[nodiscard]] bool is_long() const { return bits > most_features; }
  };

  [[nodiscard]] const std::vector<Group>& groups() const { return groups_; }
  [[nodiscard]] std::span<const Leaf> leaves(const Group& group) const {
    return std::span(leaves_).subspan(group.first_leaf, group.end_leaf - group.first_leaf);
  }
  [[nodiscard]] std::span<const Position> positions(const Leaf& leaf) const {
    return std::span(positions_).subspan(leaf.first_position, leaf.size());
  }
  // The set of a short path's positions whose conditions a pattern meets.
  [[nodiscard]] static std::size_t met_by(std::span<const Position> positions, std::size_t pattern) {
    std::size_t met = 0;
    for (std::size_t at = 0; at < positions.size(); ++at)
      met |= std::size_t{(pattern & positions[at].mask) == positions[at].value} << at;
    return met;
  }
  // Of all leaves with short paths, and how many others there are.
  [[nodiscard]] std::size_t subsets() const { return subsets_; }
  [[nodiscard]] std::size_t long_paths() const { return long_paths_; }
  // Whether none was cut in parts.
  [[nodiscard]] bool whole_trees() const { return whole_trees_; }
  [[nodiscard]] std::size_t slots() const { return codes_.slots(); }

  // codes: set_rows of each slot, one slot after the other; patterns: set_rows. Of a group with a short path.
  void find(const Group& group, const std::uint16_t* codes, std::uint16_t* patterns) const {
    answer(questions_[group.first_questions], codes, patterns);
  }
  // Of one with a long path: `words(group)` numbers per row.
  [[nodiscard]] static std::size_t words(const Group& group) { return (group.bits + 63) / 64; }
  void find_long(const Group& group, const std::uint16_t* codes, std::uint64_t* patterns) const;

 private:
  struct Step;
  class Walk;
  // Codes in a range flip a bit.
  struct CodeRange {
    std::uint32_t slot;
    std::uint16_t first, reach;  // first, ..., first + reach
    std::uint16_t bit;
  };
  struct CodeSet {
    PathCondition path_condition;
    std::uint16_t bit;
  };
  void add(const Walk& walk);
  void add_leaf(std::uint32_t node, const std::vector<Step>& path, const std::vector<Position>& positions);
  void ask(Questions& questions, const PathCondition& path_condition, std::uint16_t bit);
  void answer(const Questions& questions, const std::uint16_t* codes, std::uint16_t* patterns) const;

  const TreeEnsemble::Parts& parts_;
  const FeatureCodes& codes_;
  PathConditions path_conditions_;
  std::vector<Group> groups_;
  std::vector<Leaf> leaves_;
  std::vector<Position> positions_;
  std::vector<Questions> questions_;
  std::vector<CodeRange> code_ranges_;
  std::vector<CodeSet> code_sets_;
  bool whole_trees_;
  std::size_t subsets_ = 0, long_paths_ = 0;
};

}  // namespace sightglass
