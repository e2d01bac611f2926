// What the features have to do with one another, from a sample of rows: which go together, and where a feature's
// values meet no rows that have the others' values. Cautions rest on it, and methods may ask it too.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/methods/run/method.h"
#include "sightglass/methods/run/row_sample.h"
#include "sightglass/numeric/association.h"

namespace sightglass {

// Cells of two features in which rows are to be expected if the features had nothing to do with one another, but
// hardly any are: so many expected, and less than this share of them seen.
inline constexpr double least_expected_rows = 5;
inline constexpr double least_seen_share = 0.1;
// Of many pairs of features some have empty cells by chance. A pair counts if independent features would hardly leave
// any of its cells as empty as that: with less than this chance, over all pairs.
inline constexpr double most_chance = 0.01;

class DataProfile {
 public:
  // Whatever order the sample's rows are in, the same numbers follow. The sample may hold the target as a last
  // column behind the features.
  DataProfile(const MethodInput& input, RowSample sample);
  DataProfile(const DataProfile&) = delete;  // parts of it look at others
  DataProfile& operator=(const DataProfile&) = delete;

  // Rows looked at, rows with weight that there are, and what these count for: weights are numbers of rows, but
  // where they are below 1 on average they are scaled up to 1 (weights that sum to 1 are no fractions of one row).
  [[nodiscard]] std::uint64_t rows() const { return sample_.rows(); }
  [[nodiscard]] std::uint64_t available() const { return sample_.available; }
  [[nodiscard]] double weight_scale() const { return weight_scale_; }
  [[nodiscard]] double counted_rows() const;

  // Of the rows looked at; targets are empty if there is none.
  [[nodiscard]] const std::vector<std::uint64_t>& row_ids() const { return sample_.ids; }
  [[nodiscard]] const std::vector<double>& row_weights() const { return sample_.weights; }
  [[nodiscard]] const std::vector<double>& targets() const { return targets_; }
  [[nodiscard]] const std::vector<std::uint32_t>& columns() const { return sample_.columns; }
  [[nodiscard]] bool has(std::uint32_t column) const { return index_.contains(column); }
  [[nodiscard]] bool is_categorical(std::uint32_t column) const { return feature(column).categorical; }

  // How many others each of so many features is held against. All of them, unless that makes too many pairs: time and
  // memory would grow with the square of the features. Then half of them are the nearest columns, the rest are spread
  // over all.
  [[nodiscard]] std::size_t others_of_each(std::size_t wanted) const;

  // Of each of `wanted` (model features) the others that it goes together with, by a lower bound above `least`; in the
  // order of columns(). Numeric: |Spearman|; numeric and categorical: bias-corrected correlation ratio; categorical
  // (also booleans; missing is a level): bias-corrected Cramér's V.
  struct Tie {
    std::size_t other = 0;  // place in columns()
    Association association;
  };
  [[nodiscard]] std::vector<std::vector<Tie>> ties(std::span<const std::uint32_t> wanted, double least,
                                                   const Context& context) const;
  [[nodiscard]] std::string_view measure(std::uint32_t a, std::uint32_t b) const;

  // If every row were given this value of a feature: the share of them that would be where no data are, by the one
  // other feature for which it is largest, of those where that is no chance. Of all values: the same as a mean over the
  // feature's own distribution.
  struct Outside {
    double share = 0;
    std::uint32_t other = 0;
  };
  static constexpr std::size_t all_others = static_cast<std::size_t>(-1);
  class OutsideShares {
   public:
    // A value, a level's code, or NaN for missing.
    [[nodiscard]] Outside at(double value) const;
    [[nodiscard]] Outside mean() const { return mean_; }

   private:
    friend class DataProfile;
    const DataProfile* profile_ = nullptr;
    std::size_t feature_ = 0;
    std::vector<Outside> cells_;
    Outside mean_;
  };
  // `others`: how many features it is held against (others_of_each), all if not given. `ignored`: those that do not
  // count (set or shuffled together with this one).
  [[nodiscard]] OutsideShares outside(std::uint32_t column, std::size_t others = all_others,
                                      std::span<const std::uint32_t> ignored = {}) const;
  // Whether two features' values together are where no data are.
  [[nodiscard]] std::function<bool(double first, double second)> outside_pair(std::uint32_t first,
                                                                              std::uint32_t second) const;

  // About how many of all rows have a value within 2.5 % of the feature's range around this one, or this level.
  [[nodiscard]] double rows_near(std::uint32_t column, double value) const;

 private:
  // Deciles of a numeric feature, levels of a categorical one; rows without a value are a cell of their own.
  struct Feature {
    bool categorical = false;
    std::vector<double> edges;          // numeric: deciles (type 1), without duplicates; cell k ends with edge k
    std::vector<std::uint32_t> levels;  // categorical: the cell of each code, no_cell if no row has it
    std::vector<std::uint32_t> cell;    // of each row
    std::vector<std::uint64_t> cell_units;
    std::uint32_t missing_cell = 0;
    NumericColumn numbers;             // numeric
    std::vector<double> sorted;        // numeric: finite values, ascending
    std::vector<std::uint64_t> below;  // and the weight of those before each, with the total at the end

    [[nodiscard]] LevelColumn cells() const { return {cell, cell_units.size()}; }
    [[nodiscard]] std::uint32_t cell_of(double value) const;
  };
  static constexpr std::uint32_t no_cell = 0xFFFFFFFF;

  [[nodiscard]] std::size_t index_of(std::uint32_t column) const;
  [[nodiscard]] const Feature& feature(std::uint32_t column) const { return features_[index_of(column)]; }
  [[nodiscard]] Association associate(std::size_t a, std::size_t b) const;
  // The features that this one is held against, ascending.
  [[nodiscard]] std::vector<std::size_t> others_of(std::size_t feature, std::size_t count) const;
  [[nodiscard]] OutsideShares find_outside(std::size_t feature, std::size_t others,
                                           std::span<const std::uint32_t> ignored) const;
  [[nodiscard]] double expected_rows(std::uint64_t a_units, std::uint64_t b_units) const;
  [[nodiscard]] bool is_outside(std::uint64_t a_units, std::uint64_t b_units, std::uint64_t both) const;
  // Independent features leave a cell as empty as that with a chance of at most e to minus this (Chernoff's bound).
  [[nodiscard]] double surprise_of(std::uint64_t a_units, std::uint64_t b_units, std::uint64_t both) const;
  // Whether so many outside cells of those looked at, with so much surprise together, are to be found in some pair.
  [[nodiscard]] bool may_be_chance(std::size_t outside, std::size_t looked_at, double surprise) const;

  RowSample sample_;  // of the features
  std::vector<double> targets_;
  std::vector<std::uint64_t> units_;
  std::optional<UnitWeights> weights_;  // of units_
  std::uint64_t total_units_ = 0;
  double rows_per_unit_ = 1;
  double weight_scale_ = 1;
  std::vector<Feature> features_;
  std::unordered_map<std::uint32_t, std::size_t> index_;  // of each column in features_
  // What was found once: several results may ask about the same.
  mutable std::mutex known_mutex_;
  struct KnownTies {
    double least = 0;
    std::size_t others = 0;
    std::map<std::size_t, std::vector<Tie>> of;
  };
  mutable KnownTies known_ties_;
  mutable std::map<std::pair<std::size_t, std::size_t>, OutsideShares> known_outside_;  // of a feature, with so many
};

// How many rows a profile takes: `wanted` (0 = all), but fewer where many pairs of features would make it slow.
[[nodiscard]] std::uint64_t profile_rows(std::uint64_t wanted, std::size_t features);

// Draws rows and makes the profile of the model's features; the target is drawn with them.
[[nodiscard]] Chain<std::shared_ptr<const DataProfile>> profile_data(const MethodInput& input, std::uint64_t rows);

}  // namespace sightglass
