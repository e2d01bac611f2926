// The canonical tree ensemble that every tree reader fills and the tree engine explains.
// f(x) = link((base + Σ_trees leaf(x)) / divisor); a node sends a row left if its condition holds.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/model/link.h"
#include "sightglass/model/model.h"

namespace sightglass {

// How the framework compares a row's value with a threshold; the row's value is first rounded to the type.
enum class Comparison : std::uint8_t { float32_less, float64_less_equal, float32_less_equal };

// What LightGBM takes for zero: its float constant 1e-35f, as a double.
inline constexpr double zero_threshold = static_cast<double>(1e-35F);

struct TreeNode {
  std::int32_t left = -1;  // index into the ensemble's nodes; -1 for a leaf
  std::int32_t right = -1;
  std::int32_t feature = -1;     // index into the signature's features
  std::int32_t categories = -1;  // index into category_sets; -1 for a numeric split
  double threshold = 0;          // leaf: its value
  bool missing_left = false;     // where a missing value goes
  bool categories_left = false;  // whether members of the category set go left (others, also unseen, the other way)
  bool zero_is_missing = false;  // a number within ±zero_threshold goes where a missing value goes
  std::int32_t leaf = -1;        // of a leaf in an ensemble with leaf_values: its row there
  [[nodiscard]] bool is_leaf() const { return left < 0; }
};

// Whether zero goes another way than its neighbours would by the threshold alone.
[[nodiscard]] inline bool splits_off_zero(const TreeNode& node) {
  if (!node.zero_is_missing) return false;
  return (-zero_threshold <= node.threshold) != node.missing_left ||
         (zero_threshold <= node.threshold) != node.missing_left;
}

// The categories (the model's own codes) of one split, as a bit set.
struct CategorySet {
  std::vector<std::uint64_t> bits;
  [[nodiscard]] bool contains(std::int64_t code) const {
    const auto word = static_cast<std::size_t>(code) / 64;
    return code >= 0 && word < bits.size() && ((bits[word] >> (code % 64)) & 1) != 0;
  }
};

// The values of a feature that the framework predicts, or the codes of its levels (-1: one never seen).
struct AcceptedValues {
  bool missing = true;
  double lowest = -std::numeric_limits<double>::infinity(), highest = std::numeric_limits<double>::infinity();
  [[nodiscard]] bool takes_all() const { return missing && std::isinf(lowest) && std::isinf(highest); }
  [[nodiscard]] bool take(double value) const {
    return std::isnan(value) ? missing : value >= lowest && value <= highest;
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
    LinkFunction link;
    bool float32_sums = false;  // the framework adds in float32 (XGBoost), not in double
    std::vector<double> base;   // one per output, where the sum starts
    bool base_last = false;     // the framework adds the base to the sum of the leaves (CatBoost)
    double divisor = 1;         // of the sum: the number of trees, where the framework averages them
    std::vector<TreeNode> nodes;
    std::vector<double> covers;  // per node: training rows (or hessian) that passed; empty if not recorded
    std::vector<CategorySet> category_sets;
    std::vector<Tree> trees;
    // Leaves that hold a value for every output, row after row; empty if a leaf holds one value (its threshold)
    // for its tree's output.
    std::vector<double> leaf_values;
    bool unseen_is_missing = false;  // a category the model has never seen counts as missing
    bool refuses_missing = false;    // the framework refuses to predict rows with missing values, and so do we
    bool refuses_infinite = false;   // likewise; also values that become infinite as float32
    // The same by feature, where they differ: one for each, or empty.
    std::vector<AcceptedValues> accepted;
  };
  // Checks every index, that each tree is a tree, that thresholds, leaves, base and divisor are finite (but a
  // threshold compared with <= may be infinite: value <= infinity splits off missing values), and that
  // categorical features are split by categories and others by thresholds; throws Error(model) with `where`
  // in front otherwise. Nodes that no tree reaches are allowed. Adds the numbers of trees, nodes and leaves, the depth
  // and, unless the reader has, what becomes of missing values to the signature's detail.
  explicit TreeEnsemble(Parts parts, std::string_view where);
  ~TreeEnsemble() override;

  [[nodiscard]] const Signature& signature() const override { return parts_.signature; }
  [[nodiscard]] Concurrency concurrency() const override { return Concurrency::parallel; }
  [[nodiscard]] std::unique_ptr<BoundModel> bind(const Schema& schema,
                                                 std::span<const std::uint32_t> excluded) const override;
  void add_to(Digest& digest) const override;
  [[nodiscard]] const TreeEnsemble* trees() const override { return this; }
  // Along one feature, the first value behind each numeric split, ascending: between two of them (and
  // outside) the prediction does not change with the feature.
  [[nodiscard]] std::vector<double> breakpoints(std::size_t feature) const;
  [[nodiscard]] const Parts& parts() const { return parts_; }
  // Whether rows can be coded, so that the exact engine applies: no feature has more split points than 16 bits count.
  [[nodiscard]] bool codable() const;

  struct Packed;  // the trees as prediction wants them

 private:
  Parts parts_;
  std::unique_ptr<const Packed> packed_;
};

}  // namespace sightglass
