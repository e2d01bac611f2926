#include "sightglass/model/trees/ensemble.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_set>
#include <utility>

#include "sightglass/base/digest.h"
#include "sightglass/base/error.h"
#include "sightglass/model/trees/predict/bound_trees_internal.h"

namespace sightglass {

namespace {

constexpr std::size_t most_nodes = std::size_t{1} << 30;
constexpr std::size_t most_features = std::size_t{1} << 21;    // PackedTrees keeps flags beside the offset
constexpr std::size_t most_categories = std::size_t{1} << 31;  // codes are cut to 32 bits

class Checker {
 public:
  Checker(const TreeEnsemble::Parts& parts, std::string_view where) : parts_(parts), where_(where) {}

  struct Counts {
    std::size_t nodes = 0;
    std::size_t leaves = 0;
    std::size_t depth = 0;
  };

  Counts run() {
    whole();
    std::vector<std::uint8_t> seen(parts_.nodes.size(), 0);
    struct Waiting {
      std::uint32_t node;
      std::size_t depth;
    };
    std::vector<Waiting> stack;  // not recursion: a hostile tree may be as deep as it has nodes
    for (tree_ = 0; tree_ < parts_.trees.size(); ++tree_) {
      const Tree& tree = parts_.trees[tree_];
      if (tree.output >= parts_.base.size()) fail_tree("adds to output " + std::to_string(tree.output));
      if (tree.root >= parts_.nodes.size()) fail_tree("has no root");
      stack.push_back({tree.root, 0});
      while (!stack.empty()) {
        const Waiting item = stack.back();
        stack.pop_back();
        if (seen[item.node] != 0) fail_node(item.node, "is reached twice: not a tree");
        seen[item.node] = 1;
        ++counts_.nodes;
        counts_.depth = std::max(counts_.depth, item.depth);
        const TreeNode& node = parts_.nodes[item.node];
        if (!std::isfinite(node.threshold) && !infinite_split(node)) {
          fail_node(item.node, "has a threshold or value that is not finite");
        }
        if (node.is_leaf()) {
          if (!parts_.leaf_values.empty() && (node.leaf < 0 || static_cast<std::size_t>(node.leaf) >= leaf_rows())) {
            fail_node(item.node, "has values that do not exist");
          }
          ++counts_.leaves;
          continue;
        }
        split(item.node, node);
        stack.push_back({static_cast<std::uint32_t>(node.right), item.depth + 1});
        stack.push_back({static_cast<std::uint32_t>(node.left), item.depth + 1});
      }
    }
    return counts_;
  }

 private:
  void whole() const {
    const Signature& signature = parts_.signature;
    if (parts_.nodes.size() > most_nodes) fail("has too many nodes");
    if (signature.features.size() > most_features) fail("has too many features");
    if (parts_.base.empty()) fail("has no outputs");
    if (signature.outputs.size() != parts_.base.size()) fail("names another number of outputs than it has");
    if (parts_.link.link == Link::softmax && parts_.base.size() < 2) fail("has only one class");
    if (!std::all_of(parts_.base.begin(), parts_.base.end(), [](double base) { return std::isfinite(base); })) {
      fail("has a base score that is not finite");
    }
    if (!std::isfinite(parts_.divisor) || parts_.divisor <= 0) fail("divides by a number that is not above zero");
    if (!std::isfinite(parts_.link.scale)) fail("has a link whose scale is not finite");
    if (leaf_rows() * parts_.base.size() != parts_.leaf_values.size())
      fail("has leaves without a value for each output");
    const auto& values = parts_.leaf_values;
    if (!std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); })) {
      fail("has a leaf value that is not finite");
    }
    if (!parts_.covers.empty()) {
      if (parts_.covers.size() != parts_.nodes.size()) fail("has covers for only some of its nodes");
      const auto sane = [](double cover) { return std::isfinite(cover) && cover >= 0; };
      if (!std::all_of(parts_.covers.begin(), parts_.covers.end(), sane)) fail("has a negative or infinite cover");
    }
    if (!parts_.accepted.empty() && parts_.accepted.size() != signature.features.size())
      fail("says only of some features which values it takes");
    for (const AcceptedValues& values : parts_.accepted) {
      if (!(values.lowest <= values.highest)) fail("takes no values of a feature");
    }
    for (const CategorySet& set : parts_.category_sets) {
      if (set.bits.size() > most_categories / 64) fail("has a category code above 2147483647");
    }
    std::unordered_set<std::string_view> names;
    for (const FeatureInfo& feature : signature.features) {
      if (!names.insert(feature.name).second) fail("has two features called " + printable(feature.name, 60));
      std::unordered_set<std::string_view> levels;
      for (const std::string& level : feature.levels) {
        if (!feature.levels_lost && !levels.insert(level).second) {
          fail("has the category " + printable(level, 60) + " twice in feature " + printable(feature.name, 60));
        }
      }
    }
  }

  // value <= infinity: every value that is not missing. scikit-learn splits missing values off that way.
  [[nodiscard]] bool infinite_split(const TreeNode& node) const {
    if (node.is_leaf() || !std::isinf(node.threshold)) return false;
    return parts_.comparison == Comparison::float64_less_equal ||
           (parts_.comparison == Comparison::float32_less_equal && node.threshold > 0);
  }

  [[nodiscard]] std::size_t leaf_rows() const { return parts_.leaf_values.size() / parts_.base.size(); }

  void split(std::uint32_t index, const TreeNode& node) const {
    const auto inside = [&](std::int32_t child) {
      return child >= 0 && static_cast<std::size_t>(child) < parts_.nodes.size();
    };
    if (!inside(node.left) || !inside(node.right)) fail_node(index, "has a child that does not exist");
    const auto& features = parts_.signature.features;
    if (node.feature < 0 || static_cast<std::size_t>(node.feature) >= features.size()) {
      fail_node(index, "splits feature " + std::to_string(node.feature) + ", there are " +
                           std::to_string(features.size()) + " (counted from 0)");
    }
    const FeatureInfo& feature = features[static_cast<std::size_t>(node.feature)];
    if (node.categories >= 0 && static_cast<std::size_t>(node.categories) >= parts_.category_sets.size()) {
      fail_node(index, "has a category set that does not exist");
    }
    if (feature.categorical != (node.categories >= 0)) {
      fail_node(index, "splits feature " + printable(feature.name, 60) +
                           (feature.categorical ? " by a threshold, but it is categorical"
                                                : " by categories, but it is a number"));
    }
    // Only LightGBM has such splits; rounding to float near 1e-35 would need care that nobody asks for.
    if (node.zero_is_missing && (node.categories >= 0 || parts_.comparison != Comparison::float64_less_equal)) {
      fail_node(index, "takes zero for missing, which only numbers compared as double do");
    }
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorKind::model, printable(where_) + ": the model " + what, "save the model again");
  }
  [[noreturn]] void fail_tree(const std::string& what) const {
    throw Error(ErrorKind::model, printable(where_) + ": tree " + std::to_string(tree_) + " " + what,
                "save the model again");
  }
  [[noreturn]] void fail_node(std::uint32_t node, const std::string& what) const {
    // Readers put a tree's root first, so the difference is the node's number within its tree.
    const std::int64_t number = std::int64_t{node} - parts_.trees[tree_].root;
    fail_tree("node " + std::to_string(number) + " " + what);
  }

  const TreeEnsemble::Parts& parts_;
  std::string_view where_;
  std::size_t tree_ = 0;
  Counts counts_;
};

// Nodes of no tree may hold anything: they become leaves that nobody looks at.
void forget_unreached(TreeEnsemble::Parts& parts) {
  std::vector<bool> reached(parts.nodes.size());
  std::vector<std::uint32_t> stack;
  for (const Tree& tree : parts.trees) stack.push_back(tree.root);
  while (!stack.empty()) {
    const std::uint32_t index = stack.back();
    stack.pop_back();
    reached[index] = true;
    const TreeNode& node = parts.nodes[index];
    if (node.is_leaf()) continue;
    stack.insert(stack.end(), {static_cast<std::uint32_t>(node.left), static_cast<std::uint32_t>(node.right)});
  }
  for (std::size_t index = 0; index < reached.size(); ++index) {
    if (!reached[index]) parts.nodes[index] = TreeNode{};
  }
}

}  // namespace

struct TreeEnsemble::Packed {
  std::optional<PackedTrees<float>> compared_as_float;
  std::optional<PackedTrees<double>> compared_as_double;
  std::shared_ptr<const CodedTrees> coded;
};

TreeEnsemble::TreeEnsemble(Parts parts, std::string_view where) : parts_(std::move(parts)) {
  const Checker::Counts counts = Checker(parts_, where).run();
  forget_unreached(parts_);
  // A reader may have put a constant into a tree of its own, which nobody takes for one.
  if (parts_.signature.detail.find("trees") == nullptr) {
    parts_.signature.detail.set("trees", static_cast<std::uint64_t>(parts_.trees.size()));
  }
  parts_.signature.detail.set("max_depth", static_cast<std::uint64_t>(counts.depth));
  parts_.signature.detail.set("nodes", static_cast<std::uint64_t>(counts.nodes));
  parts_.signature.detail.set("leaves", static_cast<std::uint64_t>(counts.leaves));
  parts_.signature.detail.set("covers", !parts_.covers.empty());
  if (parts_.signature.detail.find("missing") == nullptr) {
    const bool some = std::any_of(parts_.accepted.begin(), parts_.accepted.end(),
                                  [](const AcceptedValues& values) { return !values.missing; });
    parts_.signature.detail.set("missing", parts_.refuses_missing ? "refused: rows with missing values are an error"
                                           : some                 ? "refused in some of the features: an error"
                                                                  : "each split has a direction for missing values");
  }
  auto packed = std::make_unique<Packed>();
  packed->coded = std::make_shared<const CodedTrees>(parts_);
  if (parts_.comparison == Comparison::float64_less_equal) {
    packed->compared_as_double.emplace(parts_);
  } else {
    packed->compared_as_float.emplace(parts_);
  }
  packed_ = std::move(packed);
}

TreeEnsemble::~TreeEnsemble() = default;

std::unique_ptr<BoundModel> TreeEnsemble::bind(const Schema& schema, std::span<const std::uint32_t> excluded) const {
  const double unseen = parts_.unseen_is_missing ? std::numeric_limits<double>::quiet_NaN() : unseen_category;
  FeatureColumns columns = match_columns(parts_.signature, schema, excluded, unseen);
  if (packed_->compared_as_double) {
    return bind_trees(parts_, *packed_->compared_as_double, packed_->coded, std::move(columns));
  }
  return bind_trees(parts_, *packed_->compared_as_float, packed_->coded, std::move(columns));
}

bool TreeEnsemble::codable() const { return packed_->coded->codes() != nullptr; }

std::vector<double> TreeEnsemble::breakpoints(std::size_t feature) const {
  std::vector<double> points;
  for (const TreeNode& node : parts_.nodes) {
    if (node.is_leaf() || node.categories >= 0 || static_cast<std::size_t>(node.feature) != feature) continue;
    if (splits_off_zero(node)) {
      points.push_back(-zero_threshold);
      points.push_back(std::nextafter(zero_threshold, std::numeric_limits<double>::infinity()));
    }
    if (node.threshold == std::numeric_limits<double>::infinity()) continue;  // no value lies behind it
    if (parts_.comparison == Comparison::float64_less_equal) {
      points.push_back(less_than_threshold<double>(parts_.comparison, node.threshold));
      continue;
    }
    // Rows are rounded to float before the test: the first double behind the split is the first that rounds up
    // to the threshold, half way from the float below.
    const float threshold = less_than_threshold<float>(parts_.comparison, node.threshold);
    const float below = std::nextafter(threshold, -std::numeric_limits<float>::infinity());
    double point = (static_cast<double>(below) + static_cast<double>(threshold)) / 2;
    if (static_cast<float>(point) < threshold) point = std::nextafter(point, std::numeric_limits<double>::infinity());
    points.push_back(point);
  }
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

void TreeEnsemble::add_to(Digest& digest) const {
  digest.u64(static_cast<std::uint64_t>(parts_.comparison)).f64(parts_.divisor);
  digest.u64(static_cast<std::uint64_t>(parts_.link.link)).f64(parts_.link.scale);
  for (const bool flag : {parts_.float32_sums, parts_.base_last, parts_.unseen_is_missing, parts_.refuses_missing,
                          parts_.refuses_infinite})
    digest.u64(flag ? 1 : 0);
  for (const AcceptedValues& values : parts_.accepted)
    digest.u64(values.missing ? 1 : 0).f64(values.lowest).f64(values.highest);
  for (const auto* numbers : {&parts_.base, &parts_.covers, &parts_.leaf_values}) digest.numbers(*numbers);
  digest.u64(parts_.nodes.size());
  for (const TreeNode& node : parts_.nodes) {
    for (const std::int32_t index : {node.left, node.right, node.feature, node.categories, node.leaf})
      digest.u64(static_cast<std::uint64_t>(index));
    digest.f64(node.threshold);
    digest.u64((node.missing_left ? 1U : 0U) + (node.categories_left ? 2U : 0U) + (node.zero_is_missing ? 4U : 0U));
  }
  digest.u64(parts_.category_sets.size());
  for (const CategorySet& set : parts_.category_sets) {
    digest.u64(set.bits.size());
    for (const std::uint64_t word : set.bits) digest.u64(word);
  }
  digest.u64(parts_.trees.size());
  for (const Tree& tree : parts_.trees) digest.u64(tree.root).u64(tree.output);
}

}  // namespace sightglass
