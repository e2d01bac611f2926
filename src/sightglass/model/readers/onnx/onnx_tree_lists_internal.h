// What a tree operator's attributes say, whichever of the three operators it is: nodes that know their children, and
// leaves their weights.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/model/readers/onnx/onnx_file_internal.h"

namespace sightglass {

enum class OnnxSplit : std::uint8_t { less_equal, less, greater_equal, greater, equal, not_equal, member, leaf };
enum class OnnxTransform : std::uint8_t { none, softmax, logistic, softmax_zero, probit };  // as TreeEnsemble counts

// A node before it becomes one of ours.
struct OnnxTreeNode {
  OnnxSplit mode = OnnxSplit::leaf;
  std::int64_t feature = 0;
  double value = 0;
  bool missing_true = false;
  std::int64_t when_true = -1, when_false = -1;  // indices of nodes
  std::int64_t first_weight = -1;                // of a leaf
  std::uint32_t weights = 0;
  std::int32_t set = -1;  // of a test of membership
};

struct OnnxWeight {
  std::int64_t target = 0;
  double value = 0;
};

// All of the trees, whichever operator they come from.
struct OnnxTreeLists {
  std::vector<OnnxTreeNode> nodes;
  std::vector<std::int64_t> roots;
  std::vector<OnnxWeight> weights;  // those of a leaf side by side
  std::vector<std::vector<double>> sets;
  std::vector<double> base;
  std::int64_t targets = 1;
  std::string aggregate = "SUM";
  OnnxTransform transform = OnnxTransform::none;
  bool classifier = false;
  bool negative_weights = false;
  std::vector<bool> targets_used;   // whether any leaf adds to it
  std::vector<std::string> labels;  // of a classifier

  [[nodiscard]] const OnnxWeight& weight_of(const OnnxTreeNode& leaf, std::uint32_t i) const {
    return weights[static_cast<std::size_t>(leaf.first_weight) + i];
  }
};

// float32: onnxruntime keeps thresholds and leaves as float. Throws Error(model) for lists that do not fit together,
// NotExact for what the exact engine does not take.
[[nodiscard]] OnnxTreeLists read_onnx_tree_lists(const OnnxNode& node, OnnxType input, std::string_view where);

}  // namespace sightglass
