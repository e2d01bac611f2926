// How the columns of a data set become the features of a model: which column is which feature, and how its
// values turn into the model's numbers and category codes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sightglass/data/source.h"
#include "sightglass/model/model.h"

namespace sightglass {

// The code of a category the model has never seen: in no category set, but not missing either.
inline constexpr double unseen_category = -1;

struct FeatureColumn {
  std::uint32_t column = 0;  // index into the schema
  // A categorical column: the model's number for each code of the column's dictionary.
  std::vector<double> by_level;
  // A numeric column for a feature with levels: the model's code for each value, sorted by value.
  std::vector<std::pair<double, double>> by_value;
  // A numeric column for a feature whose levels are known by their hashes.
  std::shared_ptr<const CategoryHashes> hashes;

  double unseen = unseen_category;  // what a level that the model has never seen becomes

  // Turns a column's numbers (ColumnView::number) into the model's, in place.
  void translate(std::span<double> values) const;
  [[nodiscard]] double translate(double value) const;
  // The model's numbers for the rows of a block from `first` on; `override` is the block's own for this column.
  void read(const RowBlock& block, const Override* override, std::size_t first, std::span<double> values) const;
};

struct FeatureColumns {
  std::vector<FeatureColumn> features;  // in the model's order
  std::vector<FitNote> notes;           // what the signature says comes first
};

// How columns and features compare, also where they do not fit.
struct ColumnMatch {
  struct Missing {
    std::string feature;
    std::string nearest;  // a column with a similar name; may be empty
  };
  struct Wrong {
    std::string column;
    std::string problem;  // "holds text (warm) where the model wants a number"
  };
  struct Unknown {
    std::string column;
    std::vector<std::string> levels;
  };
  std::vector<std::optional<std::uint32_t>> columns;  // of each feature
  std::vector<FeatureColumn> features;                // of each feature; meaningless where something is wrong
  std::vector<Missing> missing;
  std::vector<Wrong> wrong;
  std::vector<Unknown> unknown;                         // levels that the model has never seen; no obstacle
  std::vector<std::string> guessed;                     // columns with levels that may be what a file has cut off
  std::unordered_map<std::string, std::string> rivals;  // by feature: a column that only its blanks set apart
  bool nameless = false;   // the model knows its features by position only (f0, f1, …), the data name them
  std::size_t usable = 0;  // of a nameless model: columns besides those excluded
};

// The schema's column of each feature, where there is one; the rules are those of compare_columns.
[[nodiscard]] std::vector<std::optional<std::uint32_t>> find_columns(const std::vector<FeatureInfo>& features,
                                                                     const Schema& schema,
                                                                     std::span<const std::uint32_t> excluded);

// By name; by position where the model has no names of its own and the counts agree. Levels that the model has
// never seen become `unseen`: unseen_category, or NaN if it takes them for missing.
[[nodiscard]] ColumnMatch compare_columns(const std::vector<FeatureInfo>& features, const Schema& schema,
                                          std::span<const std::uint32_t> excluded, double unseen = unseen_category);

// The same; throws Error(data) that names every missing column, or every column of the wrong type.
[[nodiscard]] FeatureColumns match_columns(const Signature& signature, const Schema& schema,
                                           std::span<const std::uint32_t> excluded, double unseen = unseen_category);

}  // namespace sightglass
