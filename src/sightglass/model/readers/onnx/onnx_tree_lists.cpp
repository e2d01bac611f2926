#include <cmath>
#include <limits>
#include <set>
#include <unordered_map>

#include "sightglass/model/readers/onnx/onnx_tree_lists_internal.h"
#include "sightglass/model/readers/onnx/onnx_trees_internal.h"

namespace sightglass {

namespace {

constexpr std::int64_t most_targets = 100000;
constexpr std::size_t most_onnx_nodes = std::size_t{1} << 27;

class TreeListReader {
 public:
  TreeListReader(const OnnxNode& node, OnnxType input, std::string_view where)
      : node_(node), where_(where), input_(input), float32_(input != OnnxType::float64) {}

  OnnxTreeLists read() {
    if (node_.op == "TreeEnsemble") {
      read_five();
    } else {
      read_three();
    }
    trees_.targets_used.resize(static_cast<std::size_t>(trees_.targets));
    return std::move(trees_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorKind::model, printable(where_) + ": " + printable(node_.op, 40) + ": " + what,
                "save the model again");
  }

  // ---- attributes

  [[nodiscard]] const std::vector<std::int64_t>& integers(std::string_view name) const {
    static const std::vector<std::int64_t> none;
    const OnnxAttribute* attribute = node_.find(name);
    return attribute == nullptr ? none : attribute->integers;
  }
  [[nodiscard]] std::int64_t integer(std::string_view name, std::int64_t otherwise) const {
    const OnnxAttribute* attribute = node_.find(name);
    return attribute == nullptr || !attribute->integer ? otherwise : *attribute->integer;
  }
  [[nodiscard]] std::string_view text(std::string_view name, std::string_view otherwise) const {
    const OnnxAttribute* attribute = node_.find(name);
    return attribute == nullptr || !attribute->text ? otherwise : *attribute->text;
  }
  // A list of floats, or the same as a tensor, in the type in which onnxruntime keeps it.
  [[nodiscard]] std::vector<double> numbers(const std::string& name, const std::string& as_tensor) const {
    std::vector<double> values;
    if (const OnnxAttribute* attribute = node_.find(name)) {
      if (attribute->tensor) {
        values = tensor_numbers(name, *attribute->tensor);
      } else {
        values.assign(attribute->reals.begin(), attribute->reals.end());
      }
    }
    if (const OnnxAttribute* attribute = as_tensor.empty() ? nullptr : node_.find(as_tensor)) {
      if (!values.empty()) fail(name + " is there twice, as floats and as a tensor");
      if (!attribute->tensor) fail(as_tensor + " is not a tensor");
      values = tensor_numbers(as_tensor, *attribute->tensor);
    }
    return values;
  }
  [[nodiscard]] std::vector<double> tensor_numbers(const std::string& name, const OnnxTensor& tensor) const {
    if (tensor.type != OnnxType::float32 && tensor.type != OnnxType::float64) {
      throw NotExact(name + " is of " + onnx_type_name(tensor.type));
    }
    std::vector<double> values = tensor.numbers(where_);
    if (float32_ && tensor.type == OnnxType::float64) {
      throw NotExact("its thresholds are double, its input is " + onnx_type_name(input_));
    }
    return values;
  }
  void same_length(std::size_t length, std::size_t expected, const std::string& name) const {
    if (length != expected) {
      fail(name + " has " + std::to_string(length) + " items, expected " + std::to_string(expected));
    }
  }

  // ---- ai.onnx.ml 1 and 3

  void read_three() {
    trees_.classifier = node_.op == "TreeEnsembleClassifier";
    const std::string target = trees_.classifier ? "class" : "target";
    if (trees_.classifier) {
      read_labels();
    } else {
      trees_.targets = integer("n_targets", 0);
    }
    if (trees_.targets < 1 || trees_.targets > most_targets) fail("has " + std::to_string(trees_.targets) + " targets");
    trees_.aggregate = text("aggregate_function", "SUM");
    trees_.transform = transform_called(text("post_transform", "NONE"));
    trees_.base = numbers("base_values", "base_values_as_tensor");

    const auto& tree_ids = integers("nodes_treeids");
    const auto& node_ids = integers("nodes_nodeids");
    const auto& features = integers("nodes_featureids");
    const auto& when_true = integers("nodes_truenodeids");
    const auto& when_false = integers("nodes_falsenodeids");
    const auto& tracks = integers("nodes_missing_value_tracks_true");
    const auto* modes = node_.find("nodes_modes");
    const std::vector<double> values = numbers("nodes_values", "nodes_values_as_tensor");
    const std::size_t count = tree_ids.size();
    if (count == 0) fail("has no nodes");
    if (count > most_onnx_nodes) fail("has too many nodes");
    same_length(node_ids.size(), count, "nodes_nodeids");
    same_length(features.size(), count, "nodes_featureids");
    same_length(when_true.size(), count, "nodes_truenodeids");
    same_length(when_false.size(), count, "nodes_falsenodeids");
    same_length(modes == nullptr ? 0 : modes->texts.size(), count, "nodes_modes");
    same_length(values.size(), count, "nodes_values");
    if (tracks.size() > count) same_length(tracks.size(), count, "nodes_missing_value_tracks_true");

    std::vector<NodeRun> runs = find_runs(tree_ids, node_ids);
    trees_.nodes.resize(count);
    for (const NodeRun& run : runs) {
      trees_.roots.push_back(static_cast<std::int64_t>(run.first));
      for (std::size_t i = run.first; i < run.end; ++i) {
        OnnxTreeNode& node = trees_.nodes[i];
        node.mode = mode_called(modes->texts[i]);
        node.feature = features[i];
        node.value = values[i];
        node.missing_true = i < tracks.size() && tracks[i] == 1;
        if (node.mode == OnnxSplit::leaf) continue;
        node.when_true = run.find(when_true[i]);
        node.when_false = run.find(when_false[i]);
        if (node.when_true < 0 || node.when_false < 0) {
          fail("tree " + std::to_string(tree_ids[i]) + ": node " + std::to_string(node_ids[i]) +
               " has a child that does not exist");
        }
      }
    }
    read_weights(target, runs);
  }

  // The nodes of one tree, which stand together.
  struct NodeRun {
    std::size_t first = 0, end = 0;
    std::int64_t tree = 0, first_id = 0;
    bool counted = true;  // its nodes are called first_id, first_id + 1, …
    std::unordered_map<std::int64_t, std::size_t> by_id = {};

    [[nodiscard]] std::int64_t find(std::int64_t id) const {
      if (counted) {
        const bool inside = id >= first_id && static_cast<std::uint64_t>(id - first_id) < end - first;
        return inside ? static_cast<std::int64_t>(first) + (id - first_id) : -1;
      }
      const auto found = by_id.find(id);
      return found == by_id.end() ? -1 : static_cast<std::int64_t>(found->second);
    }
  };

  std::vector<NodeRun> find_runs(const std::vector<std::int64_t>& tree_ids, const std::vector<std::int64_t>& node_ids) {
    std::vector<NodeRun> runs;
    for (std::size_t i = 0; i < tree_ids.size(); ++i) {
      if (node_ids[i] < 0 || node_ids[i] > std::numeric_limits<std::int32_t>::max() || tree_ids[i] < 0) {
        fail("node " + std::to_string(i) + " has a number that is none of a node");
      }
      if (i == 0 || tree_ids[i] != tree_ids[i - 1]) {
        runs.push_back({.first = i, .end = i, .tree = tree_ids[i], .first_id = node_ids[i]});
      }
      NodeRun& run = runs.back();
      run.counted = run.counted && node_ids[i] == run.first_id + static_cast<std::int64_t>(i - run.first);
      run.end = i + 1;
    }
    for (NodeRun& run : runs) {
      if (!run_of_tree_.emplace(run.tree, static_cast<std::size_t>(&run - runs.data())).second) {
        fail("the nodes of tree " + std::to_string(run.tree) + " do not stand together");
      }
      if (run.counted) continue;
      for (std::size_t i = run.first; i < run.end; ++i) {
        if (!run.by_id.emplace(node_ids[i], i).second) {
          fail("tree " + std::to_string(run.tree) + " has node " + std::to_string(node_ids[i]) + " twice");
        }
      }
    }
    return runs;
  }

  void read_weights(const std::string& target, const std::vector<NodeRun>& runs) {
    const auto& ids = integers(target + "_ids");
    const auto& tree_ids = integers(target + "_treeids");
    const auto& node_ids = integers(target + "_nodeids");
    const std::vector<double> values = numbers(target + "_weights", target + "_weights_as_tensor");
    const std::size_t count = ids.size();
    same_length(tree_ids.size(), count, target + "_treeids");
    same_length(node_ids.size(), count, target + "_nodeids");
    same_length(values.size(), count, target + "_weights");
    std::vector<std::int64_t> leaf_of(count);
    for (std::size_t i = 0; i < count; ++i) {
      if (ids[i] < 0 || ids[i] >= trees_.targets) {
        fail(target + "_ids has " + std::to_string(ids[i]) + ", there are " + std::to_string(trees_.targets));
      }
      const auto run = run_of_tree_.find(tree_ids[i]);
      leaf_of[i] = run == run_of_tree_.end() ? -1 : runs[run->second].find(node_ids[i]);
      if (leaf_of[i] < 0) {
        fail("a weight is of node " + std::to_string(node_ids[i]) + " of tree " + std::to_string(tree_ids[i]) +
             ", which does not exist");
      }
      if (trees_.targets_used.empty()) trees_.targets_used.resize(static_cast<std::size_t>(trees_.targets));
      trees_.targets_used[static_cast<std::size_t>(ids[i])] = true;
      trees_.negative_weights = trees_.negative_weights || values[i] < 0;
    }
    // Side by side: counted first, then put in place.
    for (const std::int64_t leaf : leaf_of) ++trees_.nodes[static_cast<std::size_t>(leaf)].weights;
    std::int64_t next = 0;
    for (OnnxTreeNode& node : trees_.nodes) {
      node.first_weight = next;
      next += node.weights;
      node.weights = 0;
    }
    trees_.weights.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      OnnxTreeNode& leaf = trees_.nodes[static_cast<std::size_t>(leaf_of[i])];
      trees_.weights[static_cast<std::size_t>(leaf.first_weight + leaf.weights++)] = {ids[i], values[i]};
    }
  }

  void read_labels() {
    if (const auto* attribute = node_.find("classlabels_strings"); attribute != nullptr && !attribute->texts.empty()) {
      for (const std::string_view label : attribute->texts) trees_.labels.emplace_back(label);
    } else {
      for (const std::int64_t label : integers("classlabels_int64s")) trees_.labels.push_back(std::to_string(label));
    }
    trees_.targets = static_cast<std::int64_t>(trees_.labels.size());
    if (std::set<std::string>(trees_.labels.begin(), trees_.labels.end()).size() != trees_.labels.size()) {
      fail("two classes are called the same");
    }
  }

  // ---- ai.onnx.ml 5: nodes and leaves are lists of their own

  void read_five() {
    constexpr std::string_view aggregates[] = {"AVERAGE", "SUM", "MIN", "MAX"};
    const std::int64_t aggregate = integer("aggregate_function", 1);
    if (aggregate < 0 || aggregate > 3) fail("aggregate_function is " + std::to_string(aggregate));
    trees_.aggregate = aggregates[aggregate];
    const std::int64_t transform = integer("post_transform", 0);
    if (transform < 0 || transform > 4) fail("post_transform is " + std::to_string(transform));
    trees_.transform = static_cast<OnnxTransform>(transform);
    if (transform == 1 || transform == 2) {
      throw NotExact("by its post_transform ONNX means SOFTMAX where onnxruntime computes LOGISTIC, or the reverse");
    }
    trees_.targets = integer("n_targets", 0);
    if (trees_.targets < 1 || trees_.targets > most_targets) fail("has " + std::to_string(trees_.targets) + " targets");

    const auto& roots = integers("tree_roots");
    const auto& features = integers("nodes_featureids");
    const auto& when_true = integers("nodes_truenodeids");
    const auto& when_false = integers("nodes_falsenodeids");
    const auto& true_leaf = integers("nodes_trueleafs");
    const auto& false_leaf = integers("nodes_falseleafs");
    const auto& tracks = integers("nodes_missing_value_tracks_true");
    const auto& targets = integers("leaf_targetids");
    const std::vector<double> splits = numbers("nodes_splits", "");
    const std::vector<double> weights = numbers("leaf_weights", "");
    const std::vector<double> members = numbers("membership_values", "");
    const auto* mode_attribute = node_.find("nodes_modes");
    if (mode_attribute == nullptr || !mode_attribute->tensor) fail("nodes_modes is not a tensor");
    const std::vector<double> modes = mode_attribute->tensor->numbers(where_);
    const std::size_t count = features.size(), leaves = targets.size();
    if (count > most_onnx_nodes || leaves > most_onnx_nodes) fail("has too many nodes");
    same_length(when_true.size(), count, "nodes_truenodeids");
    same_length(when_false.size(), count, "nodes_falsenodeids");
    same_length(true_leaf.size(), count, "nodes_trueleafs");
    same_length(false_leaf.size(), count, "nodes_falseleafs");
    same_length(splits.size(), count, "nodes_splits");
    same_length(modes.size(), count, "nodes_modes");
    if (!tracks.empty()) same_length(tracks.size(), count, "nodes_missing_value_tracks_true");
    same_length(weights.size(), leaves, "leaf_weights");

    trees_.nodes.resize(count + leaves);
    trees_.targets_used.resize(static_cast<std::size_t>(trees_.targets));
    for (std::size_t i = 0; i < leaves; ++i) {
      if (targets[i] < 0 || targets[i] >= trees_.targets)
        fail("leaf " + std::to_string(i) + " has a target beyond all");
      OnnxTreeNode& leaf = trees_.nodes[count + i];
      leaf.first_weight = static_cast<std::int64_t>(trees_.weights.size());
      leaf.weights = 1;
      trees_.weights.push_back({targets[i], weights[i]});
      trees_.targets_used[static_cast<std::size_t>(targets[i])] = true;
    }
    const auto child = [&](std::int64_t index, bool leaf) {
      const std::size_t limit = leaf ? leaves : count;
      if (index < 0 || static_cast<std::uint64_t>(index) >= limit) fail("a node has a child that does not exist");
      return index + (leaf ? static_cast<std::int64_t>(count) : 0);
    };
    std::size_t member = 0;
    for (std::size_t i = 0; i < count; ++i) {
      OnnxTreeNode& node = trees_.nodes[i];
      if (!(modes[i] >= 0 && modes[i] <= 6)) fail("node " + std::to_string(i) + " has an unknown mode");
      node.mode = static_cast<OnnxSplit>(static_cast<int>(modes[i]));
      node.feature = features[i];
      node.value = splits[i];
      node.missing_true = i < tracks.size() && tracks[i] != 0;
      node.when_true = child(when_true[i], true_leaf[i] != 0);
      node.when_false = child(when_false[i], false_leaf[i] != 0);
      if (node.mode != OnnxSplit::member) continue;
      // The sets of all nodes one after the other, each ended by NaN.
      std::vector<double> set;
      while (member < members.size() && !std::isnan(members[member])) set.push_back(members[member++]);
      if (member++ >= members.size() && set.empty()) fail("membership_values ends before node " + std::to_string(i));
      node.set = static_cast<std::int32_t>(trees_.sets.size());
      trees_.sets.push_back(std::move(set));
    }
    for (const std::int64_t root : roots) {
      if (root < 0 || static_cast<std::uint64_t>(root) >= count) fail("a tree has no root");
      const OnnxTreeNode& node = trees_.nodes[static_cast<std::size_t>(root)];
      // A tree of a single leaf is a node with the same leaf on both sides.
      const bool single = node.when_true == node.when_false && node.when_true >= static_cast<std::int64_t>(count);
      trees_.roots.push_back(single ? node.when_true : root);
    }
    if (trees_.roots.empty()) fail("has no trees");
  }

  OnnxTransform transform_called(std::string_view name) const {
    if (name == "NONE") return OnnxTransform::none;
    if (name == "SOFTMAX") return OnnxTransform::softmax;
    if (name == "LOGISTIC") return OnnxTransform::logistic;
    if (name == "SOFTMAX_ZERO") return OnnxTransform::softmax_zero;
    if (name == "PROBIT") return OnnxTransform::probit;
    fail("has an unknown post_transform, " + printable(name, 40));
  }
  OnnxSplit mode_called(std::string_view name) const {
    if (name == "LEAF") return OnnxSplit::leaf;
    if (name == "BRANCH_LEQ") return OnnxSplit::less_equal;
    if (name == "BRANCH_LT") return OnnxSplit::less;
    if (name == "BRANCH_GTE") return OnnxSplit::greater_equal;
    if (name == "BRANCH_GT") return OnnxSplit::greater;
    if (name == "BRANCH_EQ") return OnnxSplit::equal;
    if (name == "BRANCH_NEQ") return OnnxSplit::not_equal;
    fail("has an unknown mode, " + printable(name, 40));
  }

  const OnnxNode& node_;
  std::string_view where_;
  OnnxType input_;
  bool float32_;
  OnnxTreeLists trees_;
  std::unordered_map<std::int64_t, std::size_t> run_of_tree_;
};

}  // namespace

OnnxTreeLists read_onnx_tree_lists(const OnnxNode& node, OnnxType input, std::string_view where) {
  return TreeListReader(node, input, where).read();
}

}  // namespace sightglass
