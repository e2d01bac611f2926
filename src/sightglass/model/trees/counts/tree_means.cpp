#include <algorithm>
#include <bit>

#include "sightglass/model/trees/counts/tree_means_internal.h"

namespace sightglass {

namespace {

bool any(const RowWords& words) { return (words[0] | words[1] | words[2] | words[3]) != 0; }

// Calls visit(row) for every row of a set.
template <class Visit>
void for_each_row(const RowSet& rows, const Visit& visit) {
  for (std::size_t word = 0; word < 4; ++word) {
    for (std::uint64_t left = rows.words[word]; left != 0; left &= left - 1)
      visit(word * 64 + static_cast<std::size_t>(std::countr_zero(left)));
  }
}

}  // namespace

TreeMeans::TreeMeans(const TreeEnsemble::Parts& parts, const FeatureCodes& codes, const TreeEdges& edges,
                     const std::vector<std::size_t>& set, const std::vector<std::size_t>& outputs)
    : parts_(parts),
      edges_(edges),
      wanted_(outputs),
      position_of_(parts.base.size(), -1),
      outputs_(outputs.size()),
      vectors_(!parts.leaf_values.empty()),
      is_set_(codes.conditions().size()) {
  for (std::size_t k = 0; k < outputs.size(); ++k) position_of_[outputs[k]] = static_cast<int>(k);
  for (std::size_t tree = 0, leaf = 0; tree < edges.trees(); ++tree) {
    first_leaf_.push_back(leaf);
    // A tree of s splits has 2 s edges and s + 1 leaves.
    leaf += (edges.end(tree) - edges.begin(tree)) / 2 + 1;
  }
  for (std::size_t at = 0; at < is_set_.size(); ++at)
    is_set_[at] = std::find(set.begin(), set.end(), codes.conditions()[at].slot) != set.end() ? 1 : 0;
  asks_below_.resize(edges.end(edges.trees() - 1));
  for (std::size_t tree = 0; tree < edges.trees(); ++tree) {
    for (std::uint32_t at = edges.end(tree); at-- > edges.begin(tree);) {
      // Its children are the next edge and the one behind all that follow from that.
      const std::uint32_t left = at + 1;
      if (edges[at].leaf >= 0) continue;
      asks_below_[at] =
          static_cast<std::uint8_t>(is_set_[edges[left].condition] | asks_below_[left] | asks_below_[edges[left].next]);
    }
  }
}

SIGHTGLASS_FOR_EACH_PROCESSOR
void TreeMeans::count(Trees trees, const RowSet* conditions, const RowSet& rows, const std::uint64_t* units,
                      std::uint64_t* counts, Workspace& workspace) const {
  const auto size_of = [&](const RowSet& here) {
    std::uint64_t count = 0;
    if (units == nullptr) {
      for (std::size_t word = 0; word < 4; ++word)
        count += static_cast<std::uint64_t>(__builtin_popcountll(here.words[word]));
    } else {
      for_each_row(here, [&](std::size_t row) { count += units[row]; });
    }
    return count;
  };
  RowSet* at_depth = workspace.rows.data();
  Workspace::Size* sizes = workspace.sizes.data();
  at_depth[0] = rows;
  sizes[0] = {.depth = 0, .size = size_of(rows), .known = true};
  for (std::size_t tree = trees.begin; tree < trees.end; ++tree) {
    if (!this->counts(tree)) continue;
    const std::uint32_t end = edges_.end(tree);
    if (edges_.begin(tree) == end) counts[first_leaf_[tree]] += sizes[0].size;
    for (std::uint32_t at = edges_.begin(tree); at < end;) {
      const TreeEdge& edge = edges_[at];
      const std::uint32_t depth = edge.depth + 1;
      RowSet& to = at_depth[depth];
      to = at_depth[edge.depth];
      sizes[depth].depth = sizes[edge.depth].depth;
      if (is_set_[edge.condition] == 0) {
        const RowWords right = conditions[edge.condition].words;
        to.words &= edge.right ? right : ~right;
        if (!any(to.words)) {
          at = edge.next;
          continue;
        }
        sizes[depth] = {.depth = depth};
      }
      if (edge.leaf >= 0) {
        // Found once for all leaves that the same rows come to.
        Workspace::Size& size = sizes[sizes[depth].depth];
        if (!size.known) size = {.depth = size.depth, .size = size_of(to), .known = true};
        counts[static_cast<std::size_t>(edge.leaf)] += size.size;
      }
      ++at;
    }
  }
}

void TreeMeans::finish(const std::vector<std::uint64_t>& counts, std::uint64_t total) {
  const auto mean_of = [&](std::size_t leaf, std::size_t tree, double* out) {
    const TreeNode& node = parts_.nodes[edges_.leaves()[leaf]];
    const double share = static_cast<double>(counts[leaf]) / static_cast<double>(total);
    if (!vectors_) {
      out[position_of_[parts_.trees[tree].output]] += node.threshold * share;
      return;
    }
    const double* values = parts_.leaf_values.data() + static_cast<std::size_t>(node.leaf) * parts_.base.size();
    for (std::size_t k = 0; k < outputs_; ++k) out[k] += values[wanted_[k]] * share;
  };
  below_.assign(asks_below_.size() * outputs_, 0.0);
  constant_.clear();
  for (const std::size_t output : wanted_) constant_.push_back(parts_.base[output]);
  for (std::size_t tree = 0; tree < edges_.trees(); ++tree) {
    if (!this->counts(tree)) continue;
    const std::uint32_t begin = edges_.begin(tree), end = edges_.end(tree);
    if (begin == end) mean_of(first_leaf_[tree], tree, constant_.data());
    for (std::uint32_t at = end; at-- > begin;) {
      double* here = below_.data() + std::size_t{at} * outputs_;
      if (edges_[at].leaf >= 0) {
        mean_of(static_cast<std::size_t>(edges_[at].leaf), tree, here);
        continue;
      }
      for (const std::uint32_t child : {at + 1, edges_[at + 1].next}) {
        for (std::size_t k = 0; k < outputs_; ++k) here[k] += below_[std::size_t{child} * outputs_ + k];
      }
    }
  }
}

void TreeMeans::find(const RowSet* conditions, const RowSet& points, double* means, Workspace& workspace) const {
  for_each_row(points, [&](std::size_t row) {
    for (std::size_t k = 0; k < outputs_; ++k) means[row * outputs_ + k] = constant_[k];
  });
  RowSet* at_depth = workspace.rows.data();
  at_depth[0] = points;
  for (std::size_t tree = 0; tree < edges_.trees(); ++tree) {
    if (!this->counts(tree)) continue;
    const auto output = static_cast<std::size_t>(position_of_[parts_.trees[tree].output]);
    for (std::uint32_t at = edges_.begin(tree); at < edges_.end(tree);) {
      const TreeEdge& edge = edges_[at];
      RowSet& to = at_depth[edge.depth + 1];
      to = at_depth[edge.depth];
      if (is_set_[edge.condition] != 0) {
        const RowWords right = conditions[edge.condition].words;
        to.words &= edge.right ? right : ~right;
        if (!any(to.words)) {
          at = edge.next;
          continue;
        }
      }
      if (asks_below_[at] != 0) {
        ++at;
        continue;
      }
      const double* mean = below_.data() + std::size_t{at} * outputs_;
      for_each_row(to, [&](std::size_t row) {
        if (!vectors_) {
          means[row * outputs_ + output] += mean[output];
          return;
        }
        for (std::size_t k = 0; k < outputs_; ++k) means[row * outputs_ + k] += mean[k];
      });
      at = edge.next;
    }
  }
  for_each_row(points, [&](std::size_t row) {
    for (std::size_t k = 0; k < outputs_; ++k) means[row * outputs_ + k] /= parts_.divisor;
  });
}

}  // namespace sightglass
