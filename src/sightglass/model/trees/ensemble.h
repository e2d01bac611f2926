// The canonical tree ensemble that every tree reader fills and the tree engine explains.
// f(x) = link(base + Σ_trees leaf(x)); a node sends a row left if its condition holds.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/model/model.h"

namespace sightglass {

// How the framework compares a row's value with a threshold; the row's value is first rounded to the type.
enum class Comparison : std::uint8_t { float32_less, float64_less_equal, float32_less_equal };
enum class Link : std::uint8_t { identity, logistic, softmax, exponential };

struct TreeNode {
  std::int32_t left = -1;  // index into the ensemble's nodes; -1 for a leaf
  std::int32_t right = -1;
  std::int32_t feature = -1;     // index into the signature's features
  std::int32_t categories = -1;  // index into category_sets; -1 for a numeric split
  double threshold = 0;          // leaf: its value
  bool missing_left = false;     // where a missing value goes
  bool categories_left = false;  // whether members of the category set go left (others, also unseen, the other way)
  [[nodiscard]] bool is_leaf() const { return left < 0; }
};

// The categories (the model's own codes) of one split, as a bit set.
struct CategorySet {
  std::vector<std::uint64_t> bits;
  [[nodiscard]] bool contains(std::int64_t code) const {
    const auto word = static_cast<std::size_t>(code) / 64;
    return code >= 0 && word < bits.size() && ((bits[word] >> (code % 64)) & 1) != 0;
  }
};

struct Tree {
  std::uint32_t root = 0;    // index into the ensemble's nodes
  std::uint32_t output = 0;  // the output its leaves add to
};

class TreeEnsemble : public Model {
 public:
  struct Parts {
    Signature signature;
    Comparison comparison = Comparison::float32_less;
    Link link = Link::identity;
    std::vector<double> base;  // margin of no trees, one per margin output
    std::vector<TreeNode> nodes;
    std::vector<double> covers;  // per node: training rows (or hessian) that passed; empty if not recorded
    std::vector<CategorySet> category_sets;
    std::vector<Tree> trees;
  };
  // Checks every index, that each tree is a tree, that thresholds, leaves and base are finite, and that
  // categorical features are split by categories and others by thresholds; throws Error(model) with `where`
  // in front otherwise. Nodes that no tree reaches are allowed. Adds the numbers of trees, nodes and
  // leaves and the depth to the signature's detail.
  explicit TreeEnsemble(Parts parts, std::string_view where);
  ~TreeEnsemble() override;

  [[nodiscard]] const Signature& signature() const override { return parts_.signature; }
  [[nodiscard]] Concurrency concurrency() const override { return Concurrency::parallel; }
  [[nodiscard]] std::unique_ptr<BoundModel> bind(const Schema& schema,
                                                 std::span<const std::uint32_t> excluded) const override;
  [[nodiscard]] const TreeEnsemble* trees() const override { return this; }
  // Along one feature, the first value behind each numeric split, ascending: between two of them (and
  // outside) the prediction does not change with the feature.
  [[nodiscard]] std::vector<double> breakpoints(std::size_t feature) const;
  [[nodiscard]] const Parts& parts() const { return parts_; }

  struct Packed;  // the trees as prediction wants them

 private:
  Parts parts_;
  std::unique_ptr<const Packed> packed_;
};

}  // namespace sightglass
