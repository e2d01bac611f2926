// The rows as rule trees see them: features as codes of a byte, rows fold after fold, each fold from a new word of 64
// rows on, so that sums over a fold are sums over a range of words.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/learn/rules/row_bits.h"
#include "sightglass/learn/training_data.h"
#include "sightglass/model/learned/structure.h"

namespace sightglass {

// Where each row stands among the words.
struct FoldedRows {
  std::vector<std::uint32_t> position_of;  // per row
  std::vector<std::uint32_t> row_at;       // per position, `no_row` where a fold does not fill its last word
  std::vector<std::size_t> first_word;     // per fold, and the end of all
  static constexpr std::uint32_t no_row = UINT32_MAX;

  [[nodiscard]] std::size_t folds() const { return first_word.size() - 1; }
  [[nodiscard]] std::size_t words() const { return first_word.back(); }
  [[nodiscard]] std::size_t positions() const { return row_at.size(); }
  // Values of rows at their positions; `filler` where there is no row.
  [[nodiscard]] std::vector<double> placed(std::span<const double> values, double filler = 0) const;
};
[[nodiscard]] FoldedRows fold_rows(std::span<const std::uint32_t> fold_of, std::size_t folds);

// Numbers have at most 254 codes, in ascending order; so have the most frequent levels of a category.
inline constexpr std::uint8_t rare_code =
    254;  // a level that is not among the frequent ones: no condition holds for it
inline constexpr std::uint8_t missing_bin = 255;

// Which codes meet a condition.
struct CodeSet {
  std::array<std::uint64_t, 4> words{};
  [[nodiscard]] bool has(std::size_t code) const { return (words[code / 64] >> (code % 64) & 1) != 0; }
  void add(std::size_t code) { words[code / 64] |= std::uint64_t{1} << (code % 64); }
  friend CodeSet operator&(CodeSet a, const CodeSet& b) {
    for (std::size_t w = 0; w < 4; ++w) a.words[w] &= b.words[w];
    return a;
  }
};

class CodedFeature {
 public:
  CodedFeature(const TrainingData& data, std::size_t feature, const FoldedRows& rows);

  [[nodiscard]] bool categorical() const { return categorical_; }
  [[nodiscard]] std::size_t codes() const { return codes_; }  // without those of rare and missing
  [[nodiscard]] bool has_missing() const { return has_missing_; }
  [[nodiscard]] std::uint8_t code_at(std::size_t position) const { return code_at_[position]; }

  // The positions whose code is in the set.
  void find_rows(const CodeSet& set, RowWord* out) const;
  // The same condition in the feature's own values.
  [[nodiscard]] TermCondition condition(const CodeSet& set) const;

 private:
  void code_numbers(const TrainingData& data, const FoldedRows& rows);
  void code_levels(const TrainingData& data, const FoldedRows& rows);

  std::uint32_t feature_;
  bool categorical_, has_missing_ = false;
  std::size_t codes_ = 0;
  std::vector<double> edges_;          // of numbers: code c is up to edges_[c]; the last code has none
  std::vector<std::uint32_t> levels_;  // of a category: the level of each code, ascending
  std::vector<std::uint8_t> code_at_;  // per position
  std::vector<RowWord> planes_;        // bit b of all codes, b after b
};

struct CodedRows {
  FoldedRows rows;
  std::vector<RowWord> present;  // positions that have a row
  std::vector<double> weights;   // per position; 0 where there is no row
  std::vector<CodedFeature> features;
};
[[nodiscard]] CodedRows code_rows(const TrainingData& data, FoldedRows rows, const Context& context);

// A short number to cut between two neighbouring values: at least `low`, less than `high`.
[[nodiscard]] double readable_cut(double low, double high);

}  // namespace sightglass
