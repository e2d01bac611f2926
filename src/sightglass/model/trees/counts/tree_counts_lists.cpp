// Counting with lists of rows: at a node each row that matters is in just one list, that of the rows that fail exactly
// certain conditions of the path (none, one, or two of them). A split divides each list. Who would go to the other side
// goes down this one as well, as a row that fails the condition on the split's feature; who fails that anyway goes down
// both. So a node costs what rows are left, and where none are left nothing below is visited.
#include <algorithm>
#include <numeric>
#include <type_traits>

#include "sightglass/model/trees/counts/tree_counts_internal.h"
#include "sightglass/model/trees/rows/row_lists_internal.h"

namespace sightglass {

namespace {

constexpr std::size_t nodes_between_checks = 256;

struct Divided {
  std::size_t left = 0;          // rows
  std::uint64_t left_units = 0;  // what they count
};

// To `left` and `right`, or nowhere if these are null.
template <bool weighted, class GoesRight>
Divided divide(const std::uint16_t* rows, std::size_t size, const ListCodes& codes, const GoesRight& goes_right,
               const std::uint64_t* units, std::uint16_t* left, std::uint16_t* right) {
  if constexpr (!weighted && std::is_same_v<GoesRight, GoesRightByRange>) {
    const std::size_t stayed = left == nullptr
                                   ? count_left(rows, size, codes, goes_right.first, goes_right.size)
                                   : divide_list(rows, size, codes, goes_right.first, goes_right.size, left, right);
    return {stayed, stayed};
  } else {
    Divided divided;
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint16_t row = rows[i];
      // Written to both: what is wrong there is overwritten, and nothing is mispredicted.
      if (left != nullptr) {
        left[divided.left] = row;
        right[i - divided.left] = row;
      }
      const auto stays = std::size_t{1} - static_cast<std::size_t>(goes_right(codes.of(row)));
      divided.left += stays;
      divided.left_units += weighted ? stays * units[row] : stays;
    }
    return divided;
  }
}

}  // namespace

// From rows that fail exactly some conditions to those that meet all the others.
void TreeCounts::add_failing(std::size_t path_conditions, std::uint64_t* failing, std::uint64_t* out) const {
  const std::size_t sets = first_set(path_conditions);
  const std::uint64_t none = failing[0];
  out[0] += none;
  if (order_ == 1) {
    for (std::size_t set = 1; set < sets; ++set) out[set] += none + failing[set];
  } else {
    for (std::size_t q = 0, at = 1; q < path_conditions; ++q) {
      const std::uint64_t with_q = none + failing[at];
      out[at] += with_q;
      ++at;
      for (std::size_t p = 0; p < q; ++p, ++at) out[at] += with_q + failing[at] + failing[first_set(p)];
    }
  }
  std::fill_n(failing, sets, 0);
}

template <bool weighted>
void TreeCounts::divide_lists(const CountedTree& tree, const Rows& rows, std::uint64_t* counts,
                              Workspace& workspace) const {
  using Segment = Workspace::Segment;
  const std::uint64_t total =
      weighted ? std::accumulate(rows.units, rows.units + rows.rows, std::uint64_t{0}) : rows.rows;
  if (tree.splits == tree.end) {
    counts[leaves_[tree.leaves].counts] += total;
    return;
  }
  // A node has no more rows than there are, and each list of them may go either way.
  const auto make_room = [&](std::size_t top, std::size_t lists) {
    const std::size_t needed = top + 2 * (rows.rows + lists * list_margin);
    if (workspace.rows.size() < needed) workspace.rows.resize(2 * needed);
  };
  make_room(rows.rows, 1);
  std::iota(workspace.rows.begin(), workspace.rows.begin() + static_cast<std::ptrdiff_t>(rows.rows), std::uint16_t{0});
  workspace.segments.assign(1, {.set = 0, .size = static_cast<std::uint32_t>(rows.rows), .first = 0, .units = total});
  workspace.waiting.assign(1, {tree.splits, 0, 1, rows.rows + list_margin});
  const auto by_set = [](const Segment& a, const Segment& b) { return a.set < b.set; };

  for (std::size_t visited = 0; !workspace.waiting.empty(); ++visited) {
    if (visited % nodes_between_checks == 0 && workspace.context != nullptr) workspace.context->check();
    const Workspace::Waiting node = workspace.waiting.back();
    workspace.waiting.pop_back();
    workspace.segments.resize(node.end);
    const Split& split = splits_[node.split];
    const CodeTest& test = tests_[split.condition];
    const ListCodes codes{workspace.by_row.data() + test.slot, list_shift_};
    const bool leaf[2] = {split.children[0] < 0, split.children[1] < 0};
    std::size_t top = node.top;
    make_room(top, node.end - node.begin);
    for (auto& each : workspace.own) each.clear();
    for (auto& each : workspace.fresh) each.clear();

    // The set that leaves out what `set` does and the split's feature; nobody if that were too many.
    const auto failing_too = [&](std::uint32_t set) {
      const LeftOut out = left_out_[set];
      const std::size_t q = split.position;
      if (out.p == nobody) return static_cast<std::uint32_t>(first_set(q));
      if (out.q != nobody || order_ == 1) return nobody;
      return static_cast<std::uint32_t>(first_set(std::max<std::size_t>(out.p, q)) + 1 +
                                        std::min<std::size_t>(out.p, q));
    };
    const auto hand_down = [&](std::size_t side, const Segment& segment, std::vector<Segment>& to) {
      if (leaf[side]) {
        workspace.failing[side][segment.set] += segment.units;
      } else if (segment.size > 0) {
        to.push_back(segment);
      }
    };

    with_test(test, [&](const auto& goes_right) {
      for (std::size_t at = node.begin; at < node.end;) {
        const std::uint32_t set = workspace.segments[at].set;
        const LeftOut out = left_out_[set];
        if (out.p == split.position || out.q == split.position) {
          for (std::size_t side = 0; side < 2; ++side) hand_down(side, workspace.segments[at], workspace.own[side]);
          ++at;
          continue;
        }
        // Lists of the same set become one.
        std::size_t end = at, size = 0;
        std::uint64_t units = 0;
        for (; end < node.end && workspace.segments[end].set == set; ++end) {
          size += workspace.segments[end].size;
          units += workspace.segments[end].units;
        }
        const bool alone = end == at + 1;
        Segment halves[2] = {{.set = set}, {.set = set}};
        // Those that stay left first, then room for all, then those that go right.
        std::uint16_t* memory = workspace.rows.data();
        const bool counted_only = leaf[0] && leaf[1];
        std::uint16_t* left = counted_only ? nullptr : memory + top;
        std::uint16_t* right = counted_only ? nullptr : memory + top + size + list_margin;
        Divided sum;
        std::size_t done = 0;
        for (; at < end; ++at) {
          const Segment& segment = workspace.segments[at];
          const Divided divided = divide<weighted>(memory + segment.first, segment.size, codes, goes_right, rows.units,
                                                   counted_only ? nullptr : left + sum.left,
                                                   counted_only ? nullptr : right + (done - sum.left));
          done += segment.size;
          sum.left += divided.left;
          sum.left_units += divided.left_units;
        }
        halves[0].size = static_cast<std::uint32_t>(sum.left);
        halves[1].size = static_cast<std::uint32_t>(size - sum.left);
        halves[0].first = top;
        halves[1].first = top + size + list_margin;
        halves[0].units = sum.left_units;
        if (alone && (halves[0].size == 0 || halves[1].size == 0)) {
          // As before, so where it was: a long chain of splits that part nothing takes no memory.
          halves[0].first = halves[1].first = workspace.segments[at - 1].first;
        } else if (!counted_only) {
          top += 2 * (size + list_margin);
        }
        halves[1].units = units - halves[0].units;
        const std::uint32_t too = failing_too(set);
        for (std::size_t side = 0; side < 2; ++side) {
          hand_down(side, halves[side], workspace.own[side]);
          if (too == nobody) continue;
          Segment other = halves[1 - side];
          other.set = too;
          hand_down(side, other, workspace.fresh[side]);
        }
      }
    });

    for (const std::size_t side : {1, 0}) {  // the left one is taken first
      if (leaf[side]) {
        const Leaf& at = leaves_[static_cast<std::size_t>(~split.children[side])];
        add_failing(at.end - at.path_conditions, workspace.failing[side].data(), counts + at.counts);
        continue;
      }
      const auto& own = workspace.own[side];
      const auto& fresh = workspace.fresh[side];
      if (own.empty() && fresh.empty()) continue;
      const std::size_t begin = workspace.segments.size();
      workspace.segments.resize(begin + own.size() + fresh.size());
      std::merge(own.begin(), own.end(), fresh.begin(), fresh.end(),
                 workspace.segments.begin() + static_cast<std::ptrdiff_t>(begin), by_set);
      workspace.waiting.push_back(
          {static_cast<std::uint32_t>(split.children[side]), begin, workspace.segments.size(), top});
    }
  }
}

void TreeCounts::add_lists(TreeRange trees, const Rows& rows, std::uint64_t* counts, Workspace& workspace) const {
  workspace.by_row.resize((rows.rows << list_shift_) + 1);
  for (std::size_t slot = 0; slot < codes_.slots(); ++slot) {
    const std::uint16_t* codes = rows.codes + slot * rows.stride;
    std::uint16_t* to = workspace.by_row.data() + slot;
    for (std::size_t row = 0; row < rows.rows; ++row) to[row << list_shift_] = codes[row];
  }
  for (std::uint32_t tree = trees.begin; tree < trees.end; ++tree) {
    if (!by_lists(trees_[tree], workspace.weighing)) continue;
    if (workspace.context != nullptr) workspace.context->check();
    if (rows.units != nullptr) {
      divide_lists<true>(trees_[tree], rows, counts, workspace);
    } else {
      divide_lists<false>(trees_[tree], rows, counts, workspace);
    }
  }
}

}  // namespace sightglass
