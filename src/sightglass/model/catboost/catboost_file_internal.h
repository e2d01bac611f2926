// A CatBoost model as its files hold it, JSON or binary alike, and what is made of it.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sightglass/model/link.h"
#include "sightglass/model/load.h"

namespace sightglass {

struct CatboostFloatSplit {
  std::int32_t feature = 0;
  float border = 0;
  auto operator<=>(const CatboostFloatSplit&) const = default;
};

struct CatboostOneHotSplit {
  std::int32_t feature = 0;  // CatBoost counts numbers and categories each from 0
  std::uint32_t value = 0;   // the category's hash
  auto operator<=>(const CatboostOneHotSplit&) const = default;
};

// What a CTR is about: categories together with answers to splits.
struct CatboostProjection {
  std::vector<std::int32_t> categories;
  std::vector<CatboostFloatSplit> numbers;
  std::vector<CatboostOneHotSplit> one_hot;
  auto operator<=>(const CatboostProjection&) const = default;
};

enum class CatboostCtrType : std::uint8_t { borders, buckets, binarized_mean, float_mean, counter, frequency };

// What training counted for each category (or combination) of a projection.
struct CatboostTable {
  CatboostProjection projection;
  CatboostCtrType type = CatboostCtrType::borders;
  // From the hash of a category or combination to its row below; sorted.
  std::vector<std::pair<std::uint64_t, std::uint32_t>> rows;
  std::size_t width = 1;             // counts of a row
  std::vector<std::int32_t> counts;  // row after row: of classes, of rows, or behind each sum
  std::vector<float> sums;           // of means: one for each row
  std::int32_t denominator = 0;      // of counters
  [[nodiscard]] std::optional<std::size_t> row(std::uint64_t hash) const;
};

// "Click-through rate": a number for each category, made of what training counted.
struct CatboostCtr {
  std::size_t table = 0;
  std::int32_t target_border = 0;
  float prior_numerator = 0, prior_denominator = 1, shift = 0, scale = 1;
  std::vector<float> borders;
  // Of a row of its table; none: a category that training has never seen.
  [[nodiscard]] float value(const CatboostTable& counted, std::optional<std::size_t> row) const;
};

struct CatboostFile {
  std::string format;   // "catboost-json", "catboost-cbm"
  std::string version;  // of CatBoost, where its release says
  std::string loss;     // empty: the file does not say
  std::string alphas;   // of MultiQuantile
  std::vector<std::string> classes;

  struct Number {
    std::int32_t index = 0, flat = 0;
    std::string name;
    std::vector<float> borders;
    bool missing_right = false;  // else left, as any comparison with NaN
  };
  struct Category {
    std::int32_t index = 0, flat = 0;
    std::string name;
  };
  struct OneHot {
    std::int32_t feature = 0;
    std::vector<std::uint32_t> values;
  };
  std::vector<Number> numbers;
  std::vector<Category> categories;
  std::vector<OneHot> one_hots;
  std::vector<CatboostCtr> ctrs;
  std::vector<CatboostTable> tables;

  // Trees name splits by their position in one list: borders of numbers, values of one-hots, borders of CTRs.
  struct Node {
    std::uint32_t split = 0;
    std::int32_t left = 0, right = 0;  // a node, or -1 - leaf
  };
  struct Tree {
    std::vector<std::uint32_t> levels;  // of a symmetric tree: its splits; leaf bit k says that split k holds
    std::int32_t root = 0;              // symmetric: its first leaf; else a node, or -1 - leaf
  };
  bool symmetric = true;
  std::vector<Tree> trees;
  std::vector<Node> nodes;
  std::size_t dimensions = 1;
  std::vector<double> leaf_values;   // leaf after leaf, a value for each dimension
  std::vector<double> leaf_weights;  // one for each leaf; empty: not recorded
  double scale = 1;
  std::vector<double> bias;  // one for each dimension; empty: none
};

// The depth that CatBoost itself allows.
inline constexpr std::size_t catboost_most_depth = 16;

// What one position in that list asks.
struct CatboostSplit {
  enum class Kind : std::uint8_t { number, one_hot, ctr };
  Kind kind = Kind::number;
  std::uint32_t owner = 0;     // index into the file's numbers, one_hots or ctrs
  std::uint32_t position = 0;  // among its borders or values
};
[[nodiscard]] std::vector<CatboostSplit> catboost_splits(const CatboostFile& file);

// The hash of a combination, part by part, from 0 on.
[[nodiscard]] constexpr std::uint64_t catboost_joined(std::uint64_t hash, std::uint64_t part) {
  constexpr std::uint64_t factor = 0x4906ba494954cb65;
  return factor * (hash + factor * part);
}
// A category's hash as a part of such: CatBoost's are signed.
[[nodiscard]] constexpr std::uint64_t catboost_part(std::uint32_t category) {
  return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(category)});
}

// A TreeEnsemble where each split asks about one feature; else a model that is asked.
[[nodiscard]] std::unique_ptr<Model> make_catboost_model(CatboostFile file, std::string_view where,
                                                         const LoadOptions& options);
// Of a file that make_catboost_model has checked: its features stand in `signature`.
[[nodiscard]] std::unique_ptr<Model> make_combined_catboost(CatboostFile file, Signature signature, LinkFunction link);

}  // namespace sightglass
