#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/model/trees/shapley/shapley_leaf_internal.h"
#include "sightglass/model/trees/shapley/tree_shapley_internal.h"

namespace sightglass {

namespace {

// Tables that are looked up together should stay in a processor's second cache.
constexpr std::size_t batch_bytes = std::size_t{1} << 19;
// A leaf alone makes no larger table than this.
constexpr std::size_t leaf_bytes = std::size_t{1} << 20;
// With so few columns all of them are added at once, whether a group has them or not, and sums stay in registers.
constexpr std::size_t dense_lines = 4;

using Four = TreeShapley::Workspace::Four;
using Tile = TreeShapley::Workspace::Tile;
using Numbers = double __attribute__((vector_size(32)));

void find_numbers(const TreePatterns::Leaf& leaf, bool pairs, std::size_t met, const std::vector<double>& sums,
                  double* numbers) {
  if (pairs) {
    shapley_pairs(leaf.size(), sums, met, numbers);
  } else {
    shapley_values(leaf.size(), sums, met, numbers);
  }
}

// Adds lines of tables to rows of sums.
struct LookUp {
  std::span<const Tile> tiles;
  const std::uint16_t* patterns;  // of each tile, set_rows
  const Four* const* tables;      // of each tile
  double* sums;
  std::size_t stride, rows;
};

// For each pattern, the set of a leaf's positions whose conditions it meets.
SIGHTGLASS_FOR_EACH_PROCESSOR
void find_met(std::span<const TreePatterns::Position> positions, std::span<std::uint16_t> met) {
  std::fill(met.begin(), met.end(), std::uint16_t{0});
  for (std::size_t at = 0; at < positions.size(); ++at) {
    const std::uint16_t mask = positions[at].mask, value = positions[at].value;
    const auto bit = static_cast<std::uint16_t>(1U << at);
    for (std::size_t pattern = 0; pattern < met.size(); ++pattern) {
      const auto asked = static_cast<std::uint16_t>(static_cast<std::uint16_t>(pattern) & mask);
      met[pattern] = static_cast<std::uint16_t>(met[pattern] | (asked == value ? bit : 0));
    }
  }
}

// Adds a leaf's numbers by what is met of it, times its value, to the line of each pattern.
SIGHTGLASS_FOR_EACH_PROCESSOR
void add_leaf(std::span<const std::uint16_t> met, const Four* numbers, std::size_t lines, double value, Four* table) {
  for (std::size_t pattern = 0; pattern < met.size(); ++pattern) {
    const Four* here = numbers + met[pattern] * lines;
    for (std::size_t line = 0; line < lines; ++line)
      table[pattern * lines + line].numbers += value * here[line].numbers;
  }
}

// Several rows at a time, so that a processor has something to do while it waits for tables.
template <std::size_t lines, std::size_t together>
__attribute__((always_inline)) inline void add_rows(const LookUp& look, std::size_t row) {
  Numbers here[together][lines];
  for (std::size_t r = 0; r < together; ++r) std::memcpy(here[r], look.sums + (row + r) * look.stride, sizeof here[r]);
  const std::uint16_t* patterns = look.patterns + row;
  for (std::size_t at = 0; at < look.tiles.size(); ++at, patterns += set_rows) {
    const Four* table = look.tables[at];
    for (std::size_t r = 0; r < together; ++r) {
      const Four* line = table + patterns[r] * lines;
      for (std::size_t l = 0; l < lines; ++l) here[r][l] += line[l].numbers;
    }
  }
  for (std::size_t r = 0; r < together; ++r) std::memcpy(look.sums + (row + r) * look.stride, here[r], sizeof here[r]);
}

template <std::size_t lines>
__attribute__((always_inline)) inline void add_all_columns(const LookUp& look) {
  constexpr std::size_t together = 2;
  std::size_t row = 0;
  for (; row + together <= look.rows; row += together) add_rows<lines, together>(look, row);
  for (; row < look.rows; ++row) add_rows<lines, 1>(look, row);
}

SIGHTGLASS_FOR_EACH_PROCESSOR
void add_dense(const LookUp& look, std::size_t lines) {
  switch (lines) {
    case 1: return add_all_columns<1>(look);
    case 2: return add_all_columns<2>(look);
    case 3: return add_all_columns<3>(look);
    default: return add_all_columns<4>(look);
  }
}

SIGHTGLASS_FOR_EACH_PROCESSOR
void add_some(const LookUp& look, const std::uint32_t* lines) {
  for (std::size_t at = 0; at < look.tiles.size(); ++at) {
    const Tile& tile = look.tiles[at];
    const std::uint32_t* targets = lines + tile.first_line;
    for (std::size_t row = 0; row < look.rows; ++row) {
      const Four* line = look.tables[at] + std::size_t{look.patterns[at * set_rows + row]} * tile.lines;
      double* sums = look.sums + row * look.stride;
      for (std::size_t l = 0; l < tile.lines; ++l) {
        Numbers here;
        std::memcpy(&here, sums + std::size_t{4} * targets[l], sizeof here);
        here += line[l].numbers;
        std::memcpy(sums + std::size_t{4} * targets[l], &here, sizeof here);
      }
    }
  }
}

}  // namespace

void ShapleyShape::interactions(const double* values, const double* pairs, double* matrix) const {
  for (std::size_t a = 0; a < slots; ++a) {
    double rest = values[a];
    for (std::size_t b = 0; b < slots; ++b) {
      if (a == b) continue;
      matrix[a * slots + b] = pairs[pair(a, b)];
      rest -= pairs[pair(a, b)];
    }
    matrix[a * slots + a] = rest;
  }
}

TreeShapley::TreeShapley(const TreeEnsemble::Parts& parts, const FeatureCodes& codes, const TreePatterns& patterns,
                         const SubsetCounts& counts)
    : parts_(parts), patterns_(patterns), counts_(&counts), shape_(parts, codes) {
  if (counts.subsets.size() != patterns.subsets() || counts.long_paths.size() != patterns.long_paths() ||
      counts.total == 0)
    throw Error(ErrorKind::internal, "counts of other trees, or of no rows");
}

TreeShapley::TreeShapley(const TreeEnsemble::Parts& parts, const FeatureCodes& codes, const TreePatterns& patterns)
    : parts_(parts), patterns_(patterns), counts_(nullptr), shape_(parts, codes) {
  if (parts.covers.empty()) {
    throw Error(ErrorKind::usage,
                "path-dependent Shapley values need the number of training rows at each node, which this model's file "
                "does not have",
                "compare with rows of the data instead (interventional)");
  }
}

std::pair<std::size_t, std::size_t> TreeShapley::outputs(const TreePatterns::Group& group) const {
  if (!parts_.leaf_values.empty()) return {0, shape_.outputs};
  const std::size_t output = parts_.trees[group.tree].output;
  return {output, output + 1};
}

double TreeShapley::value(const TreePatterns::Leaf& leaf, std::size_t output) const {
  const TreeNode& node = parts_.nodes[leaf.node];
  if (parts_.leaf_values.empty()) return node.threshold / parts_.divisor;
  return parts_.leaf_values[static_cast<std::size_t>(node.leaf) * shape_.outputs + output] / parts_.divisor;
}

// By set of positions: the share of the background that meets their conditions.
void TreeShapley::find_background(const TreePatterns::Leaf& leaf, std::vector<double>& background) const {
  const std::size_t size = std::size_t{1} << leaf.size();
  background.resize(size);
  if (counts_ != nullptr) {
    const auto total = static_cast<double>(counts_->total);
    const std::uint64_t* counts = counts_->subsets.data() + leaf.subsets;
    for (std::size_t set = 0; set < size; ++set) background[set] = static_cast<double>(counts[set]) / total;
    return;
  }
  background[0] = 1;
  std::size_t known = 1;
  for (const TreePatterns::Position& position : patterns_.positions(leaf)) {
    for (std::size_t set = 0; set < known; ++set) background[known + set] = background[set] * position.share;
    known *= 2;
  }
}

void TreeShapley::sum_leaf(const TreePatterns::Leaf& leaf, bool pairs, Workspace& workspace) const {
  find_background(leaf, workspace.background);
  (pairs ? sum_shapley_pairs : sum_shapley_values)(leaf.size(), workspace.background, workspace.sums);
}

void TreeShapley::add_base(double* base) const {
  for (const TreePatterns::Group& group : patterns_.groups()) {
    for (const TreePatterns::Leaf& leaf : patterns_.leaves(group)) {
      double share = 1;
      if (counts_ == nullptr) {
        for (const TreePatterns::Position& position : patterns_.positions(leaf)) share *= position.share;
      } else if (group.is_long()) {
        // Rows that meet all conditions have the greatest pattern of all.
        const auto& entries = counts_->long_paths[leaf.subsets];
        const std::size_t words = TreePatterns::words(group);
        std::size_t met = 0;
        for (std::size_t w = 0; w < words && !entries.empty(); ++w)
          met += static_cast<std::size_t>(std::popcount(entries[entries.size() - words - 1 + w]));
        share = met == leaf.size() ? static_cast<double>(entries.back()) / static_cast<double>(counts_->total) : 0;
      } else {
        const std::size_t all = (std::size_t{1} << leaf.size()) - 1;
        share = static_cast<double>(counts_->subsets[leaf.subsets + all]) / static_cast<double>(counts_->total);
      }
      const auto [first, end] = outputs(group);
      for (std::size_t output = first; output < end; ++output) base[output] += value(leaf, output) * share;
    }
  }
}

// Where the leaf's numbers, in their own order, stand among those of a row.
void TreeShapley::find_columns(const TreePatterns::Leaf& leaf, bool pairs, std::vector<std::uint32_t>& columns) const {
  const auto positions = patterns_.positions(leaf);
  for (std::size_t a = 0; a < positions.size(); ++a) {
    if (!pairs) columns.push_back(positions[a].slot);
    for (std::size_t b = a + 1; b < positions.size() && pairs; ++b)
      columns.push_back(static_cast<std::uint32_t>(ShapleyShape::pair(positions[a].slot, positions[b].slot)));
  }
}

void TreeShapley::make_tile(std::uint32_t index, const Target& target, Workspace& workspace) const {
  const TreePatterns::Group& group = patterns_.groups()[index];
  const auto all_lines = static_cast<std::uint32_t>(target.width / 4);
  Tile tile{.table = workspace.tables.size(),
            .rows = std::size_t{1} << group.bits,
            .group = index,
            .first_line = static_cast<std::uint32_t>(workspace.lines.size())};
  workspace.line_of.resize(all_lines);
  workspace.columns.clear();
  for (const TreePatterns::Leaf& leaf : patterns_.leaves(group)) find_columns(leaf, target.pairs, workspace.columns);
  if (workspace.columns.empty()) return;
  for (const std::uint32_t column : workspace.columns) workspace.lines.push_back(column / 4);
  if (all_lines <= dense_lines) {
    workspace.lines.resize(tile.first_line + all_lines);
    std::iota(workspace.lines.begin() + tile.first_line, workspace.lines.end(), 0U);
  }
  const auto begin = workspace.lines.begin() + tile.first_line;
  std::sort(begin, workspace.lines.end());
  workspace.lines.erase(std::unique(begin, workspace.lines.end()), workspace.lines.end());
  tile.lines = static_cast<std::uint32_t>(workspace.lines.size()) - tile.first_line;
  for (std::uint32_t line = 0; line < tile.lines; ++line)
    workspace.line_of[workspace.lines[tile.first_line + line]] = line;

  const auto [first, end] = outputs(group);
  const std::size_t size = tile.rows * tile.lines;
  workspace.tables.resize(tile.table + (end - first) * size, Four{});
  std::size_t column_at = 0;
  for (const TreePatterns::Leaf& leaf : patterns_.leaves(group)) {
    sum_leaf(leaf, target.pairs, workspace);
    const auto positions = patterns_.positions(leaf);
    const std::size_t columns = target.pairs ? leaf.size() * (leaf.size() - 1) / 2 : leaf.size();
    std::uint32_t* targets = workspace.columns.data() + column_at;
    for (std::size_t c = 0; c < columns; ++c) targets[c] = 4 * workspace.line_of[targets[c] / 4] + targets[c] % 4;
    column_at += columns;
    // Patterns are many, and what they meet of one leaf is little.
    const std::size_t sets = std::size_t{1} << positions.size();
    workspace.leaf.resize(columns);
    workspace.leaf_lines.assign(sets * tile.lines, Four{});
    for (std::size_t met = 0; met < sets; ++met) {
      find_numbers(leaf, target.pairs, met, workspace.sums, workspace.leaf.data());
      Four* line = workspace.leaf_lines.data() + met * tile.lines;
      for (std::size_t c = 0; c < columns; ++c) line[targets[c] / 4].numbers[targets[c] % 4] = workspace.leaf[c];
    }
    workspace.met.resize(tile.rows);
    find_met(positions, workspace.met);
    for (std::size_t output = first; output < end; ++output) {
      add_leaf(workspace.met, workspace.leaf_lines.data(), tile.lines, value(leaf, output),
               workspace.tables.data() + tile.table + (output - first) * size);
    }
  }
  workspace.tiles.push_back(tile);
}

void TreeShapley::add(const std::uint16_t* codes, std::size_t rows, const Target& target, Workspace& workspace) const {
  const auto& groups = patterns_.groups();
  for (std::uint32_t at = 0; at < groups.size();) {
    if (workspace.context != nullptr) workspace.context->check();
    if (groups[at].is_long()) {
      add_long(groups[at++], codes, rows, target, workspace);
      continue;
    }
    if (is_alone(groups[at], rows, target)) {
      add_alone(groups[at++], codes, rows, target, workspace);
      continue;
    }
    workspace.tiles.clear();
    workspace.tables.clear();
    workspace.lines.clear();
    const auto outputs_here = outputs(groups[at]);
    while (at < groups.size() && !groups[at].is_long() && !is_alone(groups[at], rows, target) &&
           outputs(groups[at]) == outputs_here && workspace.tables.size() * sizeof(Four) < batch_bytes)
      make_tile(at++, target, workspace);
    look_up(codes, rows, target, workspace);
  }
}

void TreeShapley::look_up(const std::uint16_t* codes, std::size_t rows, const Target& target,
                          Workspace& workspace) const {
  if (workspace.tiles.empty()) return;
  const auto [first, end] = outputs(patterns_.groups()[workspace.tiles[0].group]);
  const std::size_t stride = shape_.outputs * target.width;
  workspace.patterns.resize(workspace.tiles.size() * set_rows);
  workspace.tile_tables.resize(workspace.tiles.size());
  for (std::size_t row = 0; row < rows; row += set_rows, codes += shape_.slots * set_rows) {
    if (workspace.context != nullptr) workspace.context->check();
    for (std::size_t at = 0; at < workspace.tiles.size(); ++at)
      patterns_.find(patterns_.groups()[workspace.tiles[at].group], codes, workspace.patterns.data() + at * set_rows);
    for (std::size_t output = first; output < end; ++output) {
      for (std::size_t at = 0; at < workspace.tiles.size(); ++at) {
        const Tile& tile = workspace.tiles[at];
        workspace.tile_tables[at] = workspace.tables.data() + tile.table + (output - first) * tile.rows * tile.lines;
      }
      const LookUp look{.tiles = workspace.tiles,
                        .patterns = workspace.patterns.data(),
                        .tables = workspace.tile_tables.data(),
                        .sums = target.numbers + row * stride + output * target.width,
                        .stride = stride,
                        .rows = std::min(set_rows, rows - row)};
      if (target.width / 4 <= dense_lines) {
        add_dense(look, target.width / 4);
      } else {
        add_some(look, workspace.lines.data());
      }
    }
  }
}

// A leaf alone in its group has the same numbers with and without a table: what is less work decides.
bool TreeShapley::is_alone(const TreePatterns::Group& group, std::size_t rows, const Target& target) const {
  if (group.end_leaf - group.first_leaf > 1) return false;
  const std::size_t size = patterns_.leaves(group)[0].size();
  const std::size_t columns = target.pairs ? size * (size - 1) / 2 : size;
  const auto [first, end] = outputs(group);
  return (std::size_t{1} << group.bits) > rows || (columns * (end - first) * sizeof(Four) << group.bits) > leaf_bytes;
}

void TreeShapley::add_alone(const TreePatterns::Group& group, const std::uint16_t* codes, std::size_t rows,
                            const Target& target, Workspace& workspace) const {
  const TreePatterns::Leaf& leaf = patterns_.leaves(group)[0];
  const std::size_t stride = shape_.outputs * target.width;
  workspace.columns.clear();
  find_columns(leaf, target.pairs, workspace.columns);
  if (workspace.columns.empty()) return;
  sum_leaf(leaf, target.pairs, workspace);
  workspace.leaf.resize(workspace.columns.size());
  workspace.patterns.resize(set_rows);
  const auto positions = patterns_.positions(leaf);
  const auto [first, end] = outputs(group);
  for (std::size_t row = 0; row < rows; ++row) {
    if (row % set_rows == 0) patterns_.find(group, codes + row * shape_.slots, workspace.patterns.data());
    find_numbers(leaf, target.pairs, TreePatterns::met_by(positions, workspace.patterns[row % set_rows]),
                 workspace.sums, workspace.leaf.data());
    for (std::size_t output = first; output < end; ++output) {
      const double factor = value(leaf, output);
      double* sums = target.numbers + row * stride + output * target.width;
      for (std::size_t c = 0; c < workspace.columns.size(); ++c)
        sums[workspace.columns[c]] += factor * workspace.leaf[c];
    }
  }
}

void TreeShapley::long_leaf(const TreePatterns::Leaf& leaf, const std::uint64_t* met, bool pairs,
                            Workspace& workspace) const {
  if (counts_ != nullptr) {
    const auto& entries = counts_->long_paths[leaf.subsets];
    const auto total = static_cast<double>(counts_->total);
    if (pairs) return shapley_path_pairs(leaf.size(), met, entries, total, workspace.leaf);
    return shapley_path_values(leaf.size(), met, entries, total, workspace.leaf);
  }
  if (pairs) return shapley_path_pairs(workspace.points, met, workspace.background, workspace.leaf);
  shapley_path_values(workspace.points, met, workspace.background, workspace.leaf);
}

void TreeShapley::add_long(const TreePatterns::Group& group, const std::uint16_t* codes, std::size_t rows,
                           const Target& target, Workspace& workspace) const {
  const TreePatterns::Leaf& leaf = patterns_.leaves(group)[0];
  const std::size_t words = TreePatterns::words(group), stride = shape_.outputs * target.width;
  const std::size_t blocks = (rows + set_rows - 1) / set_rows;
  workspace.long_patterns.resize(blocks * set_rows * words);
  for (std::size_t block = 0; block < blocks; ++block)
    patterns_.find_long(group, codes + block * shape_.slots * set_rows,
                        workspace.long_patterns.data() + block * set_rows * words);
  // Rows with the same pattern have the same numbers: group after group.
  workspace.order.resize(rows);
  std::iota(workspace.order.begin(), workspace.order.end(), 0U);
  PatternGroups& groups = workspace.groups;
  groups.find(workspace.long_patterns.data(), words, workspace.order);
  workspace.next.assign(groups.size() + 1, 0);
  for (const std::uint32_t of : groups.of()) ++workspace.next[of + 1];
  std::partial_sum(workspace.next.begin(), workspace.next.end(), workspace.next.begin());
  for (std::uint32_t row = 0; row < rows; ++row) workspace.order[workspace.next[groups.of()[row]]++] = row;
  workspace.columns.clear();
  find_columns(leaf, target.pairs, workspace.columns);
  if (counts_ == nullptr) {
    workspace.points = gauss_points(leaf.size());
    workspace.background.clear();
    for (const TreePatterns::Position& position : patterns_.positions(leaf))
      workspace.background.push_back(position.share);
  }
  const auto [first, end] = outputs(group);
  for (std::size_t at = 0; at < rows; ++at) {
    const std::uint32_t row = workspace.order[at];
    if (at == 0 || groups.of()[row] != groups.of()[workspace.order[at - 1]]) {
      if (workspace.context != nullptr) workspace.context->check();
      long_leaf(leaf, workspace.long_patterns.data() + row * words, target.pairs, workspace);
    }
    for (std::size_t output = first; output < end; ++output) {
      const double factor = value(leaf, output);
      double* sums = target.numbers + row * stride + output * target.width;
      for (std::size_t c = 0; c < workspace.columns.size(); ++c)
        sums[workspace.columns[c]] += factor * workspace.leaf[c];
    }
  }
}

}  // namespace sightglass
