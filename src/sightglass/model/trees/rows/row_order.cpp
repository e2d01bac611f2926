#include <algorithm>
#include <numeric>

#include "sightglass/model/trees/rows/row_order_internal.h"

namespace sightglass {

namespace {

// Rows of one word of a set.
constexpr std::size_t together = 64;

class RowOrder {
 public:
  RowOrder(const FeatureCodes& codes, const TreeEdges& edges, std::span<const std::uint16_t> codes_of_rows)
      : slots_(codes.slots()), codes_(codes_of_rows), splits_(slots_), lowest_(slots_), highest_(slots_) {
    for (std::size_t slot = 0; slot < slots_; ++slot) {
      if (!codes.categorical(slot)) splits_[slot].resize(codes.codes(slot));
    }
    for (std::size_t tree = 0; tree < edges.trees(); ++tree) {
      for (std::uint32_t at = edges.begin(tree); at < edges.end(tree); ++at) {
        const FeatureCodes::Condition& condition = codes.conditions()[edges[at].condition];
        if (condition.members < 0) splits_[condition.slot][condition.first_right] += edges[at].next - at;
      }
    }
    for (auto& splits : splits_) std::partial_sum(splits.begin(), splits.end(), splits.begin());
  }

  // Halves, by the feature whose splits send most ways of the trees apart, and so on.
  void divide(std::span<std::uint32_t> rows) {
    if (rows.size() <= together) return;
    std::fill(lowest_.begin(), lowest_.end(), std::numeric_limits<std::uint16_t>::max());
    std::fill(highest_.begin(), highest_.end(), std::uint16_t{0});
    for (const std::uint32_t row : rows) {
      const std::uint16_t* codes = codes_.data() + row * slots_;
      for (std::size_t slot = 0; slot < slots_; ++slot) {
        lowest_[slot] = std::min(lowest_[slot], codes[slot]);
        highest_[slot] = std::max(highest_[slot], codes[slot]);
      }
    }
    std::size_t best = 0;
    std::uint64_t most = 0;
    for (std::size_t slot = 0; slot < slots_; ++slot) {
      if (splits_[slot].empty()) continue;
      const std::uint64_t between = splits_[slot][highest_[slot]] - splits_[slot][lowest_[slot]];
      if (between > most) most = between, best = slot;
    }
    if (most == 0) return;
    const std::size_t half = (rows.size() + 2 * together - 1) / (2 * together) * together;
    std::nth_element(
        rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(half), rows.end(),
        [&](std::uint32_t a, std::uint32_t b) { return codes_[a * slots_ + best] < codes_[b * slots_ + best]; });
    divide(rows.first(half));
    divide(rows.subspan(half));
  }

 private:
  std::size_t slots_;
  std::span<const std::uint16_t> codes_;
  // Per slot and code: how much of the trees is behind splits at this code or below. Empty for categories.
  std::vector<std::vector<std::uint64_t>> splits_;
  std::vector<std::uint16_t> lowest_, highest_;  // scratch, per slot
};

}  // namespace

std::vector<std::uint32_t> similar_rows(const FeatureCodes& codes, const TreeEdges& edges,
                                        std::span<const std::uint16_t> codes_of_rows) {
  if (codes.slots() == 0) return {};
  std::vector<std::uint32_t> rows(codes_of_rows.size() / codes.slots());
  std::iota(rows.begin(), rows.end(), 0U);
  RowOrder(codes, edges, codes_of_rows).divide(rows);
  return rows;
}

}  // namespace sightglass
