#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "sightglass/model/readers/onnx/onnx_tree_lists_internal.h"
#include "sightglass/model/readers/onnx/onnx_trees_internal.h"

namespace sightglass {

namespace {

constexpr std::int64_t most_columns = 1000000;
// Larger whole numbers are not all float32 numbers, and nobody's categories.
constexpr double largest_code = 16777216;
constexpr std::size_t most_codes_of_feature = 4096;

class TreeReader {
 public:
  TreeReader(const OnnxNode& node, OnnxType input, std::size_t columns, std::string_view where)
      : node_(node), where_(where), input_(input), columns_(columns) {
    // onnxruntime keeps thresholds and leaves as float, unless the input is double.
    float32_ = input != OnnxType::float64;
  }

  OnnxTrees read() {
    trees_ = read_onnx_tree_lists(node_, input_, where_);
    result_.labels = trees_.labels;
    check_shape();
    find_outputs();
    choose_comparison();
    find_features();
    build();
    add_base();
    return std::move(result_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorKind::model, printable(where_) + ": " + printable(node_.op, 40) + ": " + what,
                "save the model again");
  }

  // ---- checks

  // That trees are trees, and that leaves have weights; thresholds that nothing compares with may be anything.
  void check_shape() {
    std::vector<bool> seen(trees_.nodes.size());
    std::vector<std::int64_t> stack;
    for (std::size_t tree = 0; tree < trees_.roots.size(); ++tree) {
      const auto called = [&] { return "tree " + std::to_string(tree) + ": "; };
      stack.push_back(trees_.roots[tree]);
      while (!stack.empty()) {
        const auto index = static_cast<std::size_t>(stack.back());
        stack.pop_back();
        const OnnxTreeNode& node = trees_.nodes[index];
        // Branches of TreeEnsemble may share a leaf.
        const bool shared = node.mode == OnnxSplit::leaf && node_.op == "TreeEnsemble";
        if (seen[index] && !shared) fail(called() + "node " + std::to_string(index) + " is reached twice: not a tree");
        seen[index] = true;
        order_.push_back(index);
        if (node.mode == OnnxSplit::leaf) {
          check_leaf(node, called());
          continue;
        }
        if (node.feature < 0 || node.feature >= most_columns ||
            (columns_ > 0 && static_cast<std::size_t>(node.feature) >= columns_)) {
          fail(called() + "a split of column " + std::to_string(node.feature) + ", there are " +
               std::to_string(columns_) + " (counted from 0)");
        }
        if (std::isnan(node.value) && node.mode != OnnxSplit::member) fail(called() + "a threshold is not a number");
        stack.push_back(node.when_false);
        stack.push_back(node.when_true);
      }
    }
  }

  void check_leaf(const OnnxTreeNode& leaf, const std::string& tree) const {
    if (leaf.weights == 0) fail(tree + "a leaf has no weight");
    for (std::uint32_t i = 0; i < leaf.weights; ++i) {
      const OnnxWeight& weight = trees_.weight_of(leaf, i);
      if (!std::isfinite(weight.value)) fail(tree + "a weight is not finite");
      for (std::uint32_t j = 0; j < i && leaf.weights < 1000; ++j) {
        if (trees_.weight_of(leaf, j).target == weight.target) throw NotExact("a leaf has two weights for one target");
      }
    }
    if (leaf.weights >= 1000) throw NotExact("its leaves have more than 1,000 weights");
  }

  // ---- what comes out

  void find_outputs() {
    TreeEnsemble::Parts& parts = result_.parts;
    if (trees_.aggregate == "AVERAGE") {
      parts.divisor = static_cast<double>(trees_.roots.size());
    } else if (trees_.aggregate != "SUM") {
      throw NotExact("its trees are not added up: " + std::string(printable(trees_.aggregate, 20)));
    }
    const auto targets = static_cast<std::size_t>(trees_.targets);
    std::vector<double> base = trees_.base;
    for (const double value : base) {
      if (!std::isfinite(value)) fail("base_values has a number that is not finite");
    }
    if (trees_.classifier && targets == 2) {
      find_binary(base);
    } else {
      if (trees_.classifier && targets < 2) throw NotExact("it has only one class");
      if (!base.empty() && base.size() != targets) {
        throw NotExact("it has " + std::to_string(base.size()) + " base values for " + std::to_string(targets) +
                       " outputs");
      }
      outputs_ = targets;
      base_ = base;
      const bool one = targets == 1;
      switch (trees_.transform) {
        case OnnxTransform::none: break;
        // Of a single target onnxruntime leaves these out.
        case OnnxTransform::logistic:
          if (!one) parts.link.link = Link::logistic;
          break;
        case OnnxTransform::softmax:
          if (!one) parts.link.link = Link::softmax;
          break;
        case OnnxTransform::softmax_zero:
          if (!one) throw NotExact("its post_transform is SOFTMAX_ZERO");
          break;
        case OnnxTransform::probit: throw NotExact("its post_transform is PROBIT");
      }
    }
    base_.resize(outputs_, 0.0);
    parts.base.assign(outputs_, 0.0);
    parts.signature.task = !trees_.classifier          ? Task::regression
                           : result_.labels.size() > 2 ? Task::multiclass
                                                       : Task::binary;
    parts.signature.has_margin = parts.link.link != Link::identity;
    parts.float32_sums = float32_;
    parts.signature.float32_predictions = float32_;
  }

  // Two classes are one output, the second class; what onnxruntime makes of the weights is not obvious.
  void find_binary(const std::vector<double>& base) {
    Link& link = result_.parts.link.link;
    if (trees_.transform == OnnxTransform::probit || trees_.transform == OnnxTransform::softmax_zero) {
      throw NotExact("its post_transform is PROBIT or SOFTMAX_ZERO");
    }
    const bool first = trees_.targets_used[0], second = trees_.targets_used[1];
    if (first && !second && base.size() < 2) {
      // All weights are the first class's: scores of the second, whatever they are called.
      target_of_output_ = 0;
      base_ = base;
      outputs_ = 1;
      if (trees_.transform != OnnxTransform::logistic) return;
      if (!trees_.negative_weights) {
        throw NotExact(
            "of its two classes no weight is negative, and versions of onnxruntime differ about LOGISTIC then");
      }
      link = Link::logistic;
      return;
    }
    if (first && second && base.empty()) {
      target_of_output_ = 1;
      outputs_ = 1;
      if (trees_.transform == OnnxTransform::logistic) link = Link::logistic;
      if (trees_.transform == OnnxTransform::softmax) {
        // exp(b) / (exp(a) + exp(b)) is the logistic function of b - a.
        link = Link::logistic;
        minus_first_ = true;
      }
      return;
    }
    throw NotExact("its two classes have base values or weights in a way that onnxruntime has its own idea of");
  }

  // ---- what is compared

  void choose_comparison() {
    bool below = false;
    for (const std::size_t index : order_) {
      const OnnxTreeNode& node = trees_.nodes[index];
      if (node.mode == OnnxSplit::leaf) continue;
      const bool strict = node.mode == OnnxSplit::less || node.mode == OnnxSplit::greater_equal;
      below = below || !strict;
      if (strict && std::isinf(node.value)) throw NotExact("it compares with infinity");
      if (node.value == -std::numeric_limits<double>::infinity()) throw NotExact("it compares with infinity");
    }
    strict_ = float32_ && !below;
    result_.parts.comparison = strict_    ? Comparison::float32_less
                               : float32_ ? Comparison::float32_less_equal
                                          : Comparison::float64_less_equal;
  }

  // The threshold with which our comparison asks what the mode does.
  [[nodiscard]] double threshold_of(const OnnxTreeNode& node) const {
    const bool asks_strictly = node.mode == OnnxSplit::less || node.mode == OnnxSplit::greater_equal;
    return asks_strictly && !strict_ ? number_below(node.value) : node.value;
  }
  [[nodiscard]] double number_below(double value) const {
    if (!float32_) return std::nextafter(value, -std::numeric_limits<double>::infinity());
    return static_cast<double>(std::nextafter(static_cast<float>(value), -std::numeric_limits<float>::infinity()));
  }

  // Columns that are only ever compared for equality with whole numbers are categories.
  void find_features() {
    std::int64_t largest = -1;
    for (const std::size_t index : order_) {
      if (trees_.nodes[index].mode != OnnxSplit::leaf) largest = std::max(largest, trees_.nodes[index].feature);
    }
    const std::size_t count = columns_ > 0 ? columns_ : static_cast<std::size_t>(largest + 1);
    std::vector<bool> by_order(count), by_equality(count);
    std::vector<std::set<double>> values(count);
    for (const std::size_t index : order_) {
      const OnnxTreeNode& node = trees_.nodes[index];
      if (node.mode == OnnxSplit::leaf) continue;
      const auto feature = static_cast<std::size_t>(node.feature);
      if (node.mode < OnnxSplit::equal) {
        by_order[feature] = true;
        continue;
      }
      by_equality[feature] = true;
      if (node.mode == OnnxSplit::member) {
        const auto& set = trees_.sets[static_cast<std::size_t>(node.set)];
        values[feature].insert(set.begin(), set.end());
      } else {
        values[feature].insert(node.value);
      }
      if (values[feature].size() > most_codes_of_feature) throw NotExact("a column is compared with too many values");
    }
    auto& features = result_.parts.signature.features;
    features.resize(count);
    codes_.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      features[i].name = "f" + std::to_string(i);
      if (!by_equality[i]) continue;
      const bool whole = std::all_of(values[i].begin(), values[i].end(), [](double value) {
        return std::abs(value) <= largest_code && value == std::trunc(value);
      });
      if (by_order[i] || !whole) {
        throw NotExact("column " + std::to_string(i) + " is compared for equality, but is no category");
      }
      features[i].categorical = true;
      features[i].numeric_levels = true;
      for (const double value : values[i]) {
        codes_[i].emplace(value, features[i].levels.size());
        features[i].levels.push_back(std::to_string(static_cast<std::int64_t>(value)));
      }
    }
  }

  // ---- our nodes

  void build() {
    TreeEnsemble::Parts& parts = result_.parts;
    // A value for each output where a leaf has several.
    vectors_ = outputs_ > 1 && std::any_of(order_.begin(), order_.end(), [&](std::size_t index) {
                 return trees_.nodes[index].mode == OnnxSplit::leaf && trees_.nodes[index].weights > 1;
               });
    if (outputs_ > 1 && !vectors_) vectors_ = !one_target_per_tree();
    if (vectors_) check_leaf_values();
    parts.nodes.reserve(order_.size() + outputs_);
    struct Waiting {
      std::int64_t from;
      std::size_t to;
    };
    std::vector<Waiting> stack;
    for (const std::int64_t root : trees_.roots) {
      parts.trees.push_back({.root = static_cast<std::uint32_t>(parts.nodes.size()), .output = 0});
      parts.nodes.emplace_back();
      stack.push_back({root, parts.nodes.size() - 1});
      while (!stack.empty()) {
        const Waiting item = stack.back();
        stack.pop_back();
        const OnnxTreeNode& read = trees_.nodes[static_cast<std::size_t>(item.from)];
        if (read.mode == OnnxSplit::leaf) {
          set_leaf(read, parts.nodes[item.to]);
          continue;
        }
        const std::size_t left = parts.nodes.size();
        parts.nodes.resize(left + 2);
        TreeNode& node = parts.nodes[item.to];
        node.left = static_cast<std::int32_t>(left);
        node.right = node.left + 1;
        const bool true_left = set_split(read, node);
        stack.push_back({true_left ? read.when_false : read.when_true, left + 1});
        stack.push_back({true_left ? read.when_true : read.when_false, left});
      }
    }
  }

  // Whether what is true is left.
  bool set_split(const OnnxTreeNode& read, TreeNode& node) {
    node.feature = static_cast<std::int32_t>(read.feature);
    switch (read.mode) {
      case OnnxSplit::less_equal:
      case OnnxSplit::less:
        node.threshold = threshold_of(read);
        node.missing_left = read.missing_true;
        return true;
      case OnnxSplit::greater:
      case OnnxSplit::greater_equal:
        // The other way round: what is not above goes left. A missing value is not above anything.
        node.threshold = threshold_of(read);
        node.missing_left = !read.missing_true;
        return false;
      case OnnxSplit::equal:
      case OnnxSplit::not_equal:
      case OnnxSplit::member: break;
      case OnnxSplit::leaf: break;
    }
    const bool equal = read.mode != OnnxSplit::not_equal;
    node.categories = category_set(read);
    node.categories_left = true;
    // A missing value is equal to nothing.
    node.missing_left = equal && read.missing_true;
    return equal;
  }

  std::int32_t category_set(const OnnxTreeNode& read) {
    const auto& codes = codes_[static_cast<std::size_t>(read.feature)];
    CategorySet set;
    const auto add = [&](double value) {
      const std::size_t code = codes.at(value);
      if (set.bits.size() <= code / 64) set.bits.resize(code / 64 + 1);
      set.bits[code / 64] |= std::uint64_t{1} << (code % 64);
    };
    if (read.mode == OnnxSplit::member) {
      for (const double value : trees_.sets[static_cast<std::size_t>(read.set)]) add(value);
    } else {
      const auto [at, fresh] =
          set_of_value_.emplace(std::pair{read.feature, read.value}, result_.parts.category_sets.size());
      if (!fresh) return static_cast<std::int32_t>(at->second);
      add(read.value);
    }
    result_.parts.category_sets.push_back(std::move(set));
    return static_cast<std::int32_t>(result_.parts.category_sets.size() - 1);
  }

  // What a leaf adds to an output.
  [[nodiscard]] double value_for(const OnnxTreeNode& leaf, std::size_t output) const {
    double value = 0;
    for (std::uint32_t i = 0; i < leaf.weights; ++i) {
      const OnnxWeight& weight = trees_.weight_of(leaf, i);
      if (outputs_ > 1 || trees_.targets == 1) {
        if (static_cast<std::size_t>(weight.target) == output) value += weight.value;
      } else if (static_cast<std::size_t>(weight.target) == target_of_output_) {
        value += weight.value;
      } else if (minus_first_) {
        value -= weight.value;
      }
    }
    return value;
  }

  void set_leaf(const OnnxTreeNode& read, TreeNode& leaf) {
    TreeEnsemble::Parts& parts = result_.parts;
    if (!vectors_) {
      if (outputs_ > 1) parts.trees.back().output = static_cast<std::uint32_t>(trees_.weight_of(read, 0).target);
      leaf.threshold = value_for(read, outputs_ > 1 ? parts.trees.back().output : 0);
      return;
    }
    leaf.leaf = static_cast<std::int32_t>(parts.leaf_values.size() / outputs_);
    parts.leaf_values.resize(parts.leaf_values.size() + outputs_);
    double* values = parts.leaf_values.data() + static_cast<std::size_t>(leaf.leaf) * outputs_;
    for (std::uint32_t i = 0; i < read.weights; ++i) {
      values[static_cast<std::size_t>(trees_.weight_of(read, i).target)] = trees_.weight_of(read, i).value;
    }
  }

  // Each tree adds to one output only.
  [[nodiscard]] bool one_target_per_tree() const {
    std::vector<std::int64_t> stack;
    for (const std::int64_t root : trees_.roots) {
      std::int64_t target = -1;
      stack.assign(1, root);
      while (!stack.empty()) {
        const OnnxTreeNode& node = trees_.nodes[static_cast<std::size_t>(stack.back())];
        stack.pop_back();
        if (node.mode != OnnxSplit::leaf) {
          stack.insert(stack.end(), {node.when_true, node.when_false});
          continue;
        }
        if (target >= 0 && trees_.weight_of(node, 0).target != target) return false;
        target = trees_.weight_of(node, 0).target;
      }
    }
    return true;
  }

  // A hostile file has many leaves, each for one of many targets.
  void check_leaf_values() const {
    std::size_t leaves = 0;
    for (const std::size_t index : order_) leaves += trees_.nodes[index].mode == OnnxSplit::leaf ? 1 : 0;
    if (leaves > (std::size_t{1} << 27) / outputs_) throw NotExact("its leaves have too many values");
  }

  // onnxruntime adds the base values at the end: a last tree of a single leaf keeps the order, and so the last bit.
  void add_base() {
    TreeEnsemble::Parts& parts = result_.parts;
    parts.signature.detail = Value::object({{"trees", static_cast<std::uint64_t>(trees_.roots.size())}});
    if (std::all_of(base_.begin(), base_.end(), [](double value) { return value == 0; })) return;
    if (vectors_) {
      TreeNode leaf;
      leaf.leaf = static_cast<std::int32_t>(parts.leaf_values.size() / outputs_);
      for (const double value : base_) parts.leaf_values.push_back(value * parts.divisor);
      parts.trees.push_back({.root = static_cast<std::uint32_t>(parts.nodes.size()), .output = 0});
      parts.nodes.push_back(leaf);
      return;
    }
    for (std::size_t output = 0; output < outputs_; ++output) {
      TreeNode leaf;
      leaf.threshold = base_[output] * parts.divisor;
      parts.trees.push_back(
          {.root = static_cast<std::uint32_t>(parts.nodes.size()), .output = static_cast<std::uint32_t>(output)});
      parts.nodes.push_back(leaf);
    }
  }

  const OnnxNode& node_;
  std::string_view where_;
  OnnxType input_;
  std::size_t columns_;
  bool float32_ = true;
  bool strict_ = false;
  OnnxTreeLists trees_;
  std::vector<std::size_t> order_;  // nodes that trees reach
  std::size_t outputs_ = 1;
  std::size_t target_of_output_ = 0;  // of a binary model
  bool minus_first_ = false;
  bool vectors_ = false;
  std::vector<double> base_;
  std::vector<std::map<double, std::size_t>> codes_;
  std::map<std::pair<std::int64_t, double>, std::size_t> set_of_value_;
  OnnxTrees result_;
};

}  // namespace

bool is_tree_operator(const OnnxNode& node) {
  return node.domain == "ai.onnx.ml" &&
         (node.op == "TreeEnsembleRegressor" || node.op == "TreeEnsembleClassifier" || node.op == "TreeEnsemble");
}

OnnxTrees read_onnx_trees(const OnnxNode& node, OnnxType input, std::size_t columns, std::string_view where) {
  return TreeReader(node, input, columns, where).read();
}

}  // namespace sightglass
