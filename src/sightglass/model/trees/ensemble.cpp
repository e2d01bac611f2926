#include "sightglass/model/trees/ensemble.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <unordered_set>
#include <utility>

#include "sightglass/base/error.h"
#include "sightglass/model/feature_columns_internal.h"
#include "sightglass/model/trees/deep_trees_internal.h"
#include "sightglass/model/trees/packed_trees_internal.h"
#include "sightglass/model/trees/set_trees_internal.h"
#include "sightglass/model/trees/tree_rows.h"
#include "sightglass/model/trees/tree_variants_internal.h"

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
    for (const CategorySet& set : parts_.category_sets) {
      if (set.bits.size() > most_categories / 64) fail("has a category code above 2147483647");
    }
    std::unordered_set<std::string_view> names;
    for (const FeatureInfo& feature : signature.features) {
      if (!names.insert(feature.name).second) fail("has two features called " + printable(feature.name, 60));
      std::unordered_set<std::string_view> levels;
      for (const std::string& level : feature.levels) {
        if (!levels.insert(level).second) {
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

// The ensemble in codes, each part made when it is first needed: who only looks at a model does not wait for it.
class CodedTrees {
 public:
  explicit CodedTrees(const TreeEnsemble::Parts& parts) : parts_(parts) {}
  // Null where a feature has too many split points.
  [[nodiscard]] const FeatureCodes* codes() const {
    std::call_once(coding_, [&] {
      if (auto made = FeatureCodes::of(parts_)) codes_.emplace(std::move(*made));
    });
    return codes_ ? &*codes_ : nullptr;
  }
  // Null also where trees have too many leaves.
  [[nodiscard]] const SetTrees* sets() const {
    std::call_once(dividing_, [&] {
      if (SetTrees::suits(parts_) && codes() != nullptr) sets_.emplace(parts_, *codes());
    });
    return sets_ ? &*sets_ : nullptr;
  }
  // Null where sets() does, or where there are too many features or leaves.
  [[nodiscard]] const DeepTrees* deep() const {
    std::call_once(packing_, [&] {
      if (sets() == nullptr && codes() != nullptr && DeepTrees::suits(parts_, *codes()))
        deep_.emplace(parts_, *codes());
    });
    return deep_ ? &*deep_ : nullptr;
  }
  // Both there, or none: null also where leaves are of too different sizes.
  [[nodiscard]] const TreeEdges* edges() const {
    find_edges();
    return amounts_ ? &*edges_ : nullptr;
  }
  [[nodiscard]] const LeafAmounts* amounts() const {
    find_edges();
    return amounts_ ? &*amounts_ : nullptr;
  }

 private:
  void find_edges() const {
    std::call_once(walking_, [&] {
      if (codes() == nullptr) return;
      edges_.emplace(parts_, *codes());
      amounts_ = LeafAmounts::of(parts_, *edges_);
    });
  }
  const TreeEnsemble::Parts& parts_;
  mutable std::once_flag coding_, dividing_, packing_, walking_;
  mutable std::optional<FeatureCodes> codes_;
  mutable std::optional<SetTrees> sets_;
  mutable std::optional<DeepTrees> deep_;
  mutable std::optional<TreeEdges> edges_;
  mutable std::optional<LeafAmounts> amounts_;
};

// Fewer rows than this are not worth a set.
constexpr std::size_t least_set_rows = 64;

// Prediction is called again and again on small blocks: its memory stays with the thread.
template <class T>
struct Scratch {
  std::vector<T> tile;
  std::vector<float> sums32;
  std::vector<double> sums64;
  std::vector<const Override*> overrides;
  std::shared_ptr<const CodedTrees> coded;  // whose workspace it is; holds it, so that no other takes its address
  std::optional<SetTrees::Workspace> sets;
  std::optional<DeepTrees::Workspace> deep;
};

template <class T>
Scratch<T>& scratch() {
  static thread_local Scratch<T> mine;
  return mine;
}

template <class T>
class BoundTrees : public BoundModel, public TreeRows {
 public:
  BoundTrees(const TreeEnsemble::Parts& parts, const PackedTrees<T>& trees, std::shared_ptr<const CodedTrees> coded,
             FeatureColumns columns)
      : parts_(parts),
        trees_(trees),
        coded_(std::move(coded)),
        sets_(coded_->sets()),
        deep_(coded_->deep()),
        features_(std::move(columns.features)),
        notes_(std::move(columns.notes)) {
    for (const FeatureColumn& feature : features_) columns_.push_back(feature.column);
    notes_.insert(notes_.begin(), parts.signature.notes.begin(), parts.signature.notes.end());
  }

  [[nodiscard]] const std::vector<std::uint32_t>& columns() const override { return columns_; }
  [[nodiscard]] const std::vector<std::string>& notes() const override { return notes_; }

  [[nodiscard]] const TreeRows* tree_rows() const override { return coded_->codes() == nullptr ? nullptr : this; }
  [[nodiscard]] const TreeEnsemble::Parts& parts() const override { return parts_; }
  [[nodiscard]] const FeatureCodes& codes() const override { return *coded_->codes(); }
  [[nodiscard]] const TreeEdges* edges() const override { return coded_->edges(); }
  [[nodiscard]] const LeafAmounts* amounts() const override { return coded_->amounts(); }
  [[nodiscard]] std::optional<std::size_t> slot(std::uint32_t column) const override {
    const auto& slots = codes().features();
    const auto at = std::find_if(slots.begin(), slots.end(),
                                 [&](std::uint32_t feature) { return features_[feature].column == column; });
    if (at == slots.end()) return std::nullopt;
    return static_cast<std::size_t>(at - slots.begin());
  }
  [[nodiscard]] std::uint16_t code(std::size_t slot, double number) const override {
    return codes().code(slot, features_[codes().features()[slot]].translate(number));
  }
  void encode(const RowBlock& block, std::size_t first, std::size_t rows, std::uint16_t* out,
              std::size_t stride) const override {
    std::vector<T> values(std::min(rows, most_tile_rows));
    for (std::size_t begin = 0; begin < rows; begin += values.size()) {
      const std::size_t count = std::min(values.size(), rows - begin);
      for (std::size_t slot = 0; slot < codes().slots(); ++slot) {
        const FeatureColumn& feature = features_[codes().features()[slot]];
        fill(block, feature, block.override_of(feature.column), first + begin, count, values.data());
        codes().encode(slot, std::span<const T>(values.data(), count), out + slot * stride + begin);
      }
    }
  }

  [[nodiscard]] std::unique_ptr<PreparedVariants> prepare(std::span<const Variant> variants) const override;

  void predict(const RowBlock& block, const PredictOptions& options, MatrixSpan<double> out,
               Context& context) const override {
    Scratch<T>& memory = scratch<T>();
    if (parts_.float32_sums && options.arithmetic == Arithmetic::framework) {
      run(block, options, out, context, memory, memory.sums32);
    } else {
      run(block, options, out, context, memory, memory.sums64);
    }
  }

 private:
  template <class Sum>
  void run(const RowBlock& block, const PredictOptions& options, MatrixSpan<double> out, Context& context,
           Scratch<T>& memory, std::vector<Sum>& sums) const {
    const std::size_t outputs = parts_.base.size();
    const bool as_sets = sets_ != nullptr && block.rows >= least_set_rows;
    const bool as_deep = deep_ != nullptr && block.rows >= least_set_rows;
    const std::size_t tile_rows = as_sets ? set_rows : as_deep ? deep_->tile_rows() : trees_.tile_rows();
    if ((as_sets || as_deep) && memory.coded != coded_) {
      memory.sets.reset();
      memory.deep.reset();
      memory.coded.reset();
      if (as_sets) memory.sets.emplace(*sets_);
      if (as_deep) memory.deep.emplace(*deep_);
      memory.coded = coded_;
    }
    std::uint16_t* coded = as_sets ? memory.sets->codes.data() : as_deep ? memory.deep->codes.data() : nullptr;
    // Codes know only what trees reach.
    const auto& used = coded != nullptr ? codes().features() : trees_.used_features();
    // One column more than needed: a model of bare leaves still reads column 0.
    memory.tile.resize((used.size() + 1) * tile_rows);
    sums.resize(outputs * tile_rows);
    memory.overrides.clear();
    for (const std::uint32_t feature : used) {
      memory.overrides.push_back(block.override_of(features_[feature].column));
    }
    for (std::size_t first = 0; first < block.rows; first += tile_rows) {
      context.check();
      const std::size_t rows = std::min(tile_rows, block.rows - first);
      for (std::size_t i = 0; i < used.size(); ++i) {
        T* values = memory.tile.data() + i * tile_rows;
        fill(block, features_[used[i]], memory.overrides[i], first, rows, values);
        if (coded != nullptr) codes().encode(i, std::span<const T>(values, rows), coded + i * tile_rows);
      }
      for (std::size_t k = 0; k < outputs; ++k) {
        std::fill_n(sums.data() + k * tile_rows, rows, static_cast<Sum>(parts_.base[k]));
      }
      if (as_sets) {
        sets_->add_leaves(*memory.sets, sums.data());
      } else if (as_deep) {
        deep_->add_leaves(*memory.deep, rows, sums.data());
      } else {
        trees_.add_leaves(memory.tile.data(), rows, sums.data());
      }
      for (std::size_t k = 0; k < outputs && parts_.divisor != 1; ++k) {
        Sum* sum = sums.data() + k * tile_rows;
        for (std::size_t row = 0; row < rows; ++row) sum[row] /= static_cast<Sum>(parts_.divisor);
      }
      for (std::size_t row = 0; row < rows; ++row) {
        if (options.scale == Scale::response) parts_.link.apply(sums.data() + row, outputs, tile_rows);
        for (std::size_t k = 0; k < outputs; ++k) {
          out(first + row, k) = static_cast<double>(sums[k * tile_rows + row]);
        }
      }
    }
  }

  void fill(const RowBlock& block, const FeatureColumn& feature, const Override* override, std::size_t first,
            std::size_t rows, T* out) const {
    double numbers[most_tile_rows];
    for (std::size_t begin = 0; begin < rows; begin += most_tile_rows) {
      const std::size_t count = std::min(most_tile_rows, rows - begin);
      feature.read(block, override, first + begin, {numbers, count});
      for (std::size_t row = 0; row < count; ++row) out[begin + row] = static_cast<T>(numbers[row]);
    }
    check(block, feature, first, out, rows);
  }

  // Throws for values that the framework would not take.
  void check(const RowBlock& block, const FeatureColumn& feature, std::size_t first, const T* values,
             std::size_t rows) const {
    if (!parts_.refuses_missing && !parts_.refuses_infinite) return;
    for (std::size_t row = 0; row < rows; ++row) {
      const bool missing = parts_.refuses_missing && std::isnan(values[row]);
      if (!missing && !(parts_.refuses_infinite && std::isinf(values[row]))) continue;
      const std::size_t index = static_cast<std::size_t>(&feature - features_.data());
      throw Error(ErrorKind::data,
                  "row " + std::to_string(block.row_id(first + row)) + " of " +
                      printable(parts_.signature.features[index].name, 60) +
                      (missing ? " is missing" : " is infinite or beyond float32") + ", which this model refuses",
                  "leave such rows out, or fill them as for training");
    }
  }

  const TreeEnsemble::Parts& parts_;
  const PackedTrees<T>& trees_;
  std::shared_ptr<const CodedTrees> coded_;
  const SetTrees* sets_;   // null where sets do not suit the trees
  const DeepTrees* deep_;  // null where sets do, or codes do not
  std::vector<FeatureColumn> features_;
  std::vector<std::uint32_t> columns_;
  std::vector<std::string> notes_;
};

// The first so many bits.
RowSet first_bits(std::size_t count) {
  RowSet set{};
  for (std::size_t bit = 0; bit < count; ++bit) set.words[bit / 64] |= std::uint64_t{1} << (bit % 64);
  return set;
}

// out = start + (sums − anchor) × unit. The conversion to double is by halves, each of which a double holds: it rounds
// once, as a plain one does.
SIGHTGLASS_FOR_EACH_PROCESSOR
void add_amounts(const double* start, const std::int64_t* sums, const std::int64_t* anchor, double unit,
                 std::size_t count, double* out) {
  constexpr std::uint64_t low_of = 0x4330000000000000;   // 2^52: its last 32 bits are free
  constexpr std::uint64_t high_of = 0x4530000080000000;  // 2^84 + 2^63, and so here
  for (std::size_t i = 0; i < count; ++i) {
    const auto difference = static_cast<std::uint64_t>(sums[i] - anchor[i]);
    const double low = std::bit_cast<double>((difference & 0xFFFFFFFF) | low_of);
    const double high = std::bit_cast<double>((difference >> 32) ^ high_of);
    out[i] = start[i] + ((high - (0x1p84 + 0x1p63 + 0x1p52)) + low) * unit;
  }
}

// Rows × variants by sets of both.
template <class T>
class VariantsOfTrees : public PreparedVariants {
 public:
  VariantsOfTrees(const BoundTrees<T>& bound, const CodedTrees& coded, Variant first, TreeVariants variants,
                  std::size_t count)
      : bound_(bound), coded_(coded), first_(std::move(first)), variants_(std::move(variants)), count_(count) {}

  void predict(const RowBlock& block, const PredictOptions& options, MatrixSpan<double> out, std::size_t stride,
               Context& context) const override {
    const TreeEnsemble::Parts& parts = bound_.parts();
    const std::size_t outputs = parts.base.size();
    RowBlock as_first = block;
    as_first.overrides = first_;
    Matrix margins(block.rows, outputs);
    bound_.predict(as_first, {.scale = Scale::margin, .arithmetic = Arithmetic::exact}, margins.span(), context);
    const double unit = coded_.amounts()->unit() / parts.divisor;
    ConditionSets conditions(bound_.codes());
    TreeVariants::Workspace workspace(variants_);
    const std::size_t slots = bound_.codes().slots();
    std::vector<std::uint16_t> in_order(slots * set_rows), codes(slots * set_rows);
    for (std::size_t first = 0; first < block.rows; first += set_rows) {
      context.check();
      const std::size_t rows = std::min(set_rows, block.rows - first);
      bound_.encode(as_first, first, rows, in_order.data(), set_rows);
      // Each row where its bit is, so that sums come out in the order of the rows.
      for (std::size_t slot = 0; slot < slots; ++slot) {
        for (std::size_t row = 0; row < rows; ++row)
          codes[slot * set_rows + place_of_row(row)] = in_order[slot * set_rows + row];
      }
      conditions.find(codes.data());
      variants_.find(conditions.sets(), first_bits(rows), workspace);
      const std::int64_t* anchor = workspace.sums.data() + variants_.point_of(0) * set_rows * outputs;
      for (std::size_t variant = 0; variant < count_; ++variant) {
        double* to = out.row(variant * stride + first).data();
        const std::int64_t* sums = workspace.sums.data() + variants_.point_of(variant) * set_rows * outputs;
        add_amounts(margins.span().row(first).data(), sums, anchor, unit, rows * outputs, to);
        if (options.scale == Scale::response) parts.link.apply_all(to, rows, outputs);
      }
    }
  }

 private:
  const BoundTrees<T>& bound_;
  const CodedTrees& coded_;
  Variant first_;
  TreeVariants variants_;
  std::size_t count_;
};

// Sums for more points and outputs than this leave the cache.
constexpr std::size_t most_workspace_bytes = std::size_t{1} << 25;
// Fewer variants are as well predicted one by one.
constexpr std::size_t least_variants = 3;

template <class T>
std::unique_ptr<PreparedVariants> BoundTrees<T>::prepare(std::span<const Variant> variants) const {
  if (variants.size() < least_variants || coded_->amounts() == nullptr) return nullptr;
  if (variants.size() > most_workspace_bytes / (set_rows * sizeof(std::int64_t) * parts_.base.size())) return nullptr;
  // All must set the same columns, each to one value for all rows.
  std::vector<std::size_t> slots;
  for (const Override& override : variants[0]) {
    if (const auto at = slot(override.column)) slots.push_back(*at);
  }
  std::vector<std::vector<std::uint16_t>> coded(variants.size());
  for (std::size_t v = 0; v < variants.size(); ++v) {
    if (variants[v].size() != variants[0].size()) return nullptr;
    for (std::size_t i = 0; i < variants[v].size(); ++i) {
      const auto* scalar = std::get_if<Scalar>(&variants[v][i].value);
      if (scalar == nullptr || variants[v][i].column != variants[0][i].column) return nullptr;
      // What the framework refuses is said by the plain way.
      if ((parts_.refuses_missing || parts_.refuses_infinite) && !std::isfinite(static_cast<T>(scalar->number)))
        return nullptr;
      if (const auto at = slot(variants[v][i].column)) coded[v].push_back(code(*at, scalar->number));
    }
  }
  TreeVariants ready(parts_, codes(), *coded_->edges(), *coded_->amounts(), std::move(slots), coded);
  if (ready.workspace_bytes() > most_workspace_bytes) return nullptr;
  return std::make_unique<VariantsOfTrees<T>>(*this, *coded_, variants[0], std::move(ready), variants.size());
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
  parts_.signature.detail.set("trees", static_cast<std::uint64_t>(parts_.trees.size()));
  parts_.signature.detail.set("max_depth", static_cast<std::uint64_t>(counts.depth));
  parts_.signature.detail.set("nodes", static_cast<std::uint64_t>(counts.nodes));
  parts_.signature.detail.set("leaves", static_cast<std::uint64_t>(counts.leaves));
  parts_.signature.detail.set("covers", !parts_.covers.empty());
  if (parts_.signature.detail.find("missing") == nullptr) {
    parts_.signature.detail.set("missing", parts_.refuses_missing ? "refused: rows with missing values are an error"
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
  FeatureColumns columns = match_columns(parts_.signature.features, schema, excluded, unseen);
  if (packed_->compared_as_double) {
    return std::make_unique<BoundTrees<double>>(parts_, *packed_->compared_as_double, packed_->coded,
                                                std::move(columns));
  }
  return std::make_unique<BoundTrees<float>>(parts_, *packed_->compared_as_float, packed_->coded, std::move(columns));
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

}  // namespace sightglass
