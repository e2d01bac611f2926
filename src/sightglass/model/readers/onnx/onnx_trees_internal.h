// The tree operators of ONNX as canonical ensembles: TreeEnsembleRegressor and TreeEnsembleClassifier (ai.onnx.ml 1 and
// 3) and TreeEnsemble (5). What they compute is what onnxruntime computes, also where the standard is vague.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/model/readers/onnx/onnx_file_internal.h"
#include "sightglass/model/trees/ensemble.h"

namespace sightglass {

// A sound model that the exact engine does not take, and why: onnxruntime does.
class NotExact : public std::runtime_error {
 public:
  explicit NotExact(const std::string& why) : std::runtime_error(why) {}
};

struct OnnxTrees {
  // Its features are the columns of the operator's input, by their position only: f0, f1, …; categorical are those that
  // are compared with whole numbers for equality, and nothing else.
  TreeEnsemble::Parts parts;
  std::vector<std::string> labels;  // of a classifier
};

[[nodiscard]] bool is_tree_operator(const OnnxNode& node);

// columns: of the operator's input, 0 if not known. Throws Error(model) for trees that are none, NotExact otherwise.
[[nodiscard]] OnnxTrees read_onnx_trees(const OnnxNode& node, OnnxType input, std::size_t columns,
                                        std::string_view where);

}  // namespace sightglass
