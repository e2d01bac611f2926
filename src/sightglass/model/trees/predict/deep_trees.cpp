#include <algorithm>
#include <map>
#include <tuple>

#include "sightglass/model/trees/predict/deep_trees_internal.h"

namespace sightglass {

namespace {

constexpr std::size_t most_columns = std::size_t{1} << 15;
constexpr std::size_t most_leaves = (std::size_t{1} << 16) - 1;
// Codes of a tile, as nodes see them, should leave room beside them in the first cache.
constexpr std::size_t tile_bytes = std::size_t{1} << 16;
constexpr std::size_t most_deep_tile_rows = 2048;
constexpr std::size_t least_deep_tile_rows = set_rows;
// Levels between two looks whether all rows have arrived: seldom, as what is seen cannot be predicted.
constexpr std::uint32_t levels_at_once = 12;
// Levels that sets pass; fewer if there were too many conditions for the cache.
constexpr std::uint32_t most_set_levels = 6;
constexpr std::size_t most_conditions = std::size_t{1} << 15;
// Fewer rows than this are not worth a set.
constexpr std::size_t least_indexed_rows = 128;

// Row lengths for which the walk is compiled; longer ones are not known then.
std::size_t width_of(std::size_t columns) {
  for (const std::size_t width : {8, 16, 32, 64}) {
    if (columns <= width) return width;
  }
  return columns;
}

}  // namespace

bool DeepTrees::suits(const TreeEnsemble::Parts& parts, const FeatureCodes& codes) {
  if (4 * codes.slots() + 1 > most_columns) return false;
  std::vector<std::int32_t> stack;
  for (const Tree& tree : parts.trees) {
    std::size_t leaves = 0;
    stack.assign(1, static_cast<std::int32_t>(tree.root));
    while (!stack.empty()) {
      const TreeNode& node = parts.nodes[static_cast<std::size_t>(stack.back())];
      stack.pop_back();
      if (node.is_leaf()) {
        ++leaves;
      } else {
        stack.insert(stack.end(), {node.left, node.right});
      }
    }
    if (leaves > most_leaves) return false;
  }
  return true;
}

DeepTrees::DeepTrees(const TreeEnsemble::Parts& parts, const FeatureCodes& codes)
    : parts_(parts), codes_(codes), outputs_(parts.base.size()), levels_(most_set_levels) {
  struct Waiting {
    std::int32_t node;
    std::uint32_t depth;
  };
  std::map<std::tuple<std::uint32_t, bool, bool>, std::uint16_t> numbers;
  const auto column_of = [&](const FeatureCodes::Condition& condition) {
    Column column{
        .slot = condition.slot, .missing_right = condition.missing_right, .zero_as_missing = condition.zero_as_missing};
    if (condition.members >= 0) column = {.slot = condition.slot};
    const auto [at, is_new] = numbers.try_emplace({column.slot, column.missing_right, column.zero_as_missing},
                                                  static_cast<std::uint16_t>(columns_.size() + 1));
    if (is_new) columns_.push_back(column);
    return at->second;
  };
  while (levels_ > 0 && parts.trees.size() << levels_ > most_conditions) --levels_;
  std::vector<std::uint32_t> number_of(parts.nodes.size(), 0);  // here
  std::vector<Waiting> queue;
  for (const Tree& tree : parts.trees) {
    DeepTree deep{.root = static_cast<std::uint32_t>(nodes_.size()),
                  .leaves = static_cast<std::uint32_t>(std::max(leaves_.size(), leaf_rows_.size())),
                  .starts = static_cast<std::uint32_t>(starts_.size()),
                  .output = tree.output};
    std::uint16_t leaves = 0;
    // Breadth first: the nodes near the root, which every row visits, lie together.
    queue.assign(1, {static_cast<std::int32_t>(tree.root), 0});
    for (std::size_t at = 0; at < queue.size(); ++at) {
      const Waiting waiting = queue[at];
      const TreeNode& node = parts.nodes[static_cast<std::size_t>(waiting.node)];
      number_of[static_cast<std::size_t>(waiting.node)] = static_cast<std::uint32_t>(nodes_.size());
      deep.depth = std::max(deep.depth, waiting.depth);
      if (node.is_leaf()) {
        nodes_.push_back({0, ++leaves, deep.root + static_cast<std::uint32_t>(at)});
        if (parts.leaf_values.empty()) {
          leaves_.push_back(node.threshold);
        } else {
          leaf_rows_.push_back(static_cast<std::uint32_t>(node.leaf));
        }
        continue;
      }
      const FeatureCodes::Condition& condition =
          codes.conditions()[codes.condition_of(static_cast<std::size_t>(waiting.node))];
      Node packed{column_of(condition), static_cast<std::uint16_t>(condition.first_right),
                  deep.root + static_cast<std::uint32_t>(queue.size())};
      if (condition.members >= 0) {
        packed.column |= categorical;
        deep.has_categories = true;
        members_.resize(nodes_.size() + 1, nullptr);
        members_.back() = codes.members(condition);
      }
      nodes_.push_back(packed);
      queue.insert(queue.end(), {{node.left, waiting.depth + 1}, {node.right, waiting.depth + 1}});
    }
    for (const std::uint32_t node : exits_.add(parts, codes, tree, levels_)) starts_.push_back(number_of[node]);
    trees_.push_back(deep);
  }
  conditions_ = exits_.number_conditions();
  if (!members_.empty()) members_.resize(nodes_.size(), nullptr);
  width_ = width_of(columns_.size() + 1);
  tile_rows_ = most_deep_tile_rows;
  while (tile_rows_ > least_deep_tile_rows && tile_rows_ * width_ * sizeof(std::uint16_t) > tile_bytes) tile_rows_ /= 2;
}

DeepTrees::Workspace::Workspace(const DeepTrees& trees)
    : codes(trees.codes_.slots() * trees.tile_rows_), by_row(trees.tile_rows_ * trees.width_) {
  if (trees.conditions_.empty()) return;
  conditions.emplace(trees.codes_, trees.conditions_, 1);
  reached.resize(trees.exits_.most_sets());
  exits.resize(trees.trees_.size() * trees.tile_rows_);
}

void DeepTrees::find_places(Workspace& workspace, std::size_t rows) const {
  for (std::size_t first = 0; first < rows; first += set_rows) {
    // Rows behind the last have codes of an earlier tile.
    workspace.conditions->find(workspace.codes.data() + first, tile_rows_);
    for (std::size_t tree = 0; tree < trees_.size(); ++tree) {
      exits_.find(tree, workspace.conditions->sets(), workspace.reached.data(),
                  workspace.exits.data() + tree * tile_rows_ + first);
    }
  }
}

// From codes slot by slot to what nodes compare, row by row.
void DeepTrees::turn(Workspace& workspace, std::size_t rows) const {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const Column& column = columns_[i];
    const std::uint16_t* codes = workspace.codes.data() + column.slot * tile_rows_;
    std::uint16_t* out = workspace.by_row.data() + i + 1;
    if (codes_.categorical(column.slot)) {
      for (std::size_t row = 0; row < rows; ++row) out[row * width_] = codes[row];
      continue;
    }
    const std::uint16_t instead = column.missing_right ? 0xFFFF : 0;
    const std::uint32_t missing = codes_.missing(column.slot);
    const auto zeros = codes_.zeros(column.slot);
    const std::uint32_t size = column.zero_as_missing ? zeros.end - zeros.first : 0;
    for (std::size_t row = 0; row < rows; ++row) {
      const std::uint32_t code = codes[row];
      const bool lacks = code == missing || code - zeros.first < size;
      out[row * width_] = lacks ? instead : static_cast<std::uint16_t>(code);
    }
  }
}

// Not inlined: within a larger function compilers run out of registers for the rows.
template <std::size_t width, bool has_categories>
__attribute__((noinline)) void DeepTrees::descend(std::uint32_t depth, const std::uint16_t* by_row,
                                                  std::uint32_t* at) const {
  const Node* nodes = nodes_.data();
  const std::size_t length = width > 0 ? width : width_;
  std::uint32_t here[lane_rows];
  std::copy(at, at + lane_rows, here);
  for (std::uint32_t level = 0; level < depth; level += levels_at_once) {
    for (std::uint32_t step = std::min(levels_at_once, depth - level); step > 0; --step) {
#pragma GCC unroll 8
      for (std::size_t k = 0; k < lane_rows; ++k) {
        const Node node = nodes[here[k]];
        if constexpr (has_categories) {
          const std::uint16_t code = by_row[k * length + (node.column & ~categorical)];
          if ((node.column & categorical) != 0) {
            const std::uint64_t* members = members_[here[k]];
            here[k] = node.left + static_cast<std::uint32_t>((members[code / 64] >> (code % 64)) & 1);
            continue;
          }
          here[k] = node.left + static_cast<std::uint32_t>(code >= node.first);
        } else {
          here[k] = node.left + static_cast<std::uint32_t>(by_row[k * length + node.column] >= node.first);
        }
      }
    }
    // Who has arrived stays.
    std::uint32_t moved = 0;
    for (std::size_t k = 0; k < lane_rows; ++k) {
      moved |= at[k] ^ here[k];
      at[k] = here[k];
    }
    if (moved == 0) return;
  }
}

template <std::size_t width, class Sum>
void DeepTrees::walk(const Workspace& workspace, bool indexed, std::size_t rows, Sum* sums) const {
  const std::uint16_t* by_row = workspace.by_row.data();
  const std::size_t lanes = (rows + lane_rows - 1) / lane_rows * lane_rows;
  const std::size_t length = width > 0 ? width : width_;
  const Node* nodes = nodes_.data();
  for (std::size_t number = 0; number < trees_.size(); ++number) {
    const DeepTree& tree = trees_[number];
    const std::uint8_t* exits = indexed ? workspace.exits.data() + number * tile_rows_ : nullptr;
    const std::uint32_t* starts = starts_.data() + tree.starts;
    const std::uint32_t depth = indexed ? tree.depth - std::min(tree.depth, levels_) : tree.depth;
    for (std::size_t row = 0; row < lanes; row += lane_rows) {
      std::uint32_t at[lane_rows];
      for (std::size_t k = 0; k < lane_rows; ++k) at[k] = indexed ? starts[exits[row + k]] : tree.root;
      if (tree.has_categories) {
        descend<width, true>(depth, by_row + row * length, at);
      } else {
        descend<width, false>(depth, by_row + row * length, at);
      }
      if (leaf_rows_.empty()) {
        const double* leaves = leaves_.data() + tree.leaves;
        Sum* out = sums + tree.output * tile_rows_ + row;
        for (std::size_t k = 0; k < lane_rows; ++k) out[k] += static_cast<Sum>(leaves[nodes[at[k]].first - 1]);
        continue;
      }
      for (std::size_t k = 0; k < lane_rows; ++k) {
        const std::uint32_t leaf = leaf_rows_[tree.leaves + nodes[at[k]].first - 1];
        const double* values = parts_.leaf_values.data() + std::size_t{leaf} * outputs_;
        Sum* out = sums + row + k;
        for (std::size_t output = 0; output < outputs_; ++output, out += tile_rows_)
          *out += static_cast<Sum>(values[output]);
      }
    }
  }
}

template <class Sum>
void DeepTrees::add(Workspace& workspace, std::size_t rows, Sum* sums) const {
  turn(workspace, rows);
  const bool indexed = !conditions_.empty() && rows >= least_indexed_rows;
  if (indexed) find_places(workspace, rows);
  switch (width_) {
    case 8: return walk<8>(workspace, indexed, rows, sums);
    case 16: return walk<16>(workspace, indexed, rows, sums);
    case 32: return walk<32>(workspace, indexed, rows, sums);
    case 64: return walk<64>(workspace, indexed, rows, sums);
    default: return walk<0>(workspace, indexed, rows, sums);
  }
}

template void DeepTrees::add(Workspace&, std::size_t, float*) const;
template void DeepTrees::add(Workspace&, std::size_t, double*) const;

}  // namespace sightglass
