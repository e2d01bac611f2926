// The trees of XGBoost's JSON and UBJ files, read one by one into the canonical ensemble.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "sightglass/model/readers/json_document_internal.h"
#include "sightglass/model/trees/ensemble.h"

namespace sightglass {

inline constexpr std::int64_t xgboost_most_int32 = std::numeric_limits<std::int32_t>::max();
inline constexpr std::int32_t xgboost_code_limit = 1 << 24;  // XGBoost: codes at or above are nobody's

class XgboostTrees {
 public:
  // The signature's features and the base scores stand in `parts` already. `types_known`: the file says which
  // features are categorical. `old_categories`: before 1.7 codes beyond all that a split lists went with the missing
  // values. `file_size` bounds the memory that a few large category codes could ask for.
  XgboostTrees(TreeEnsemble::Parts& parts, bool types_known, bool old_categories, std::size_t file_size)
      : parts_(parts),
        types_known_(types_known),
        old_categories_(old_categories),
        set_words_left_((std::size_t{1} << 23) + 8 * file_size) {}

  // Adds a tree to the ensemble; its leaves count `weight` times (dart). One that is not used is only checked.
  void read(const JsonValue& tree, std::uint32_t output, float weight, bool used);
  // After the last tree.
  void finish();

 private:
  struct Arrays;

  void read_covers(const JsonObject& tree, Arrays& arrays, std::size_t count);
  void read_leaf_vectors(const JsonObject& tree, Arrays& arrays, std::size_t width) const;
  void read_category_sets(const JsonObject& tree, Arrays& arrays);
  void add(const JsonValue& value, const Arrays& arrays, std::uint32_t output, float weight);
  void append_leaves(std::span<const float> values);
  void set_leaf(const JsonValue& value, const Arrays& arrays, std::size_t node, float weight, TreeNode& leaf) const;
  void set_vector_leaf(const JsonValue& value, const Arrays& arrays, std::size_t node, std::size_t first_row,
                       TreeNode& leaf);
  void set_split(const JsonValue& value, const Arrays& arrays, std::size_t node, TreeNode& split);

  TreeEnsemble::Parts& parts_;
  bool types_known_;
  bool old_categories_;
  bool covers_known_ = true;
  std::size_t set_words_left_;
};

}  // namespace sightglass
