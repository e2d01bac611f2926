#include "sightglass/methods/tree_moves.h"

#include <algorithm>

#include "sightglass/model/trees/tree_rows.h"
#include "sightglass/model/trees/tree_variants_internal.h"

namespace sightglass {

struct TreeMoves::Scratch {
  explicit Scratch(const FeatureCodes& codes) : codes_of_rows(codes.slots() * set_rows) {}
  TreeVariants::Workspace sums;
  std::vector<std::uint16_t> codes_of_rows;  // [slot][row]
};

TreeMoves::~TreeMoves() = default;

std::unique_ptr<TreeMoves::Scratch> TreeMoves::take() const {
  const std::lock_guard lock(mutex_);
  if (kept_.empty()) return std::make_unique<Scratch>(trees_.codes());
  auto scratch = std::move(kept_.back());
  kept_.pop_back();
  return scratch;
}

bool TreeMoves::possible(const MethodInput& input) {
  return input.trees != nullptr && input.trees->adds_up(input.scale) && input.trees->amounts() != nullptr;
}

TreeMoves::TreeMoves(const MethodInput& input, const RowBlock& block, const Context& context)
    : context_(context), trees_(*input.trees), explained_(input.explained), rows_(block.rows) {
  constexpr std::size_t at_once = 1024;
  const std::size_t slots = trees_.codes().slots();
  codes_.resize(slots * rows_);
  context.parallel_for((rows_ + at_once - 1) / at_once, [&](std::size_t task) {
    const std::size_t first = task * at_once, count = std::min(at_once, rows_ - first);
    std::vector<std::uint16_t> by_slot(slots * count);
    trees_.encode(block, first, count, by_slot.data(), count);
    // Rows are picked one by one: what belongs to one lies together.
    for (std::size_t row = 0; row < count; ++row) {
      for (std::size_t slot = 0; slot < slots; ++slot)
        codes_[(first + row) * slots + slot] = by_slot[slot * count + row];
    }
  });
}

void TreeMoves::find(std::uint32_t column, double from, double to, std::span<const std::uint32_t> rows,
                     double* differences, std::size_t stride) const {
  const FeatureCodes& codes = trees_.codes();
  const auto slot = trees_.slot(column);
  for (std::size_t k = 0; k < explained_.size(); ++k) std::fill_n(differences + k * stride, rows.size(), 0.0);
  if (!slot) return;
  const std::uint16_t before = trees_.code(*slot, from), after = trees_.code(*slot, to);
  if (before == after) return;
  TreeVariants moves(trees_.parts(), codes, *trees_.edges(), *trees_.amounts(), {*slot}, {{before}, {after}});
  auto scratch = take();
  ConditionSets conditions(codes, moves.take_conditions(), 1);
  auto& set_codes = scratch->codes_of_rows;
  const std::size_t slots = codes.slots(), outputs = trees_.parts().base.size();
  const double factor = 1 / trees_.parts().divisor;
  for (std::size_t first = 0; first < rows.size(); first += set_rows) {
    context_.check();
    const std::size_t count = std::min(set_rows, rows.size() - first);
    const std::uint16_t* own[set_rows];
    for (std::size_t row = 0; row < count; ++row) own[row] = codes_.data() + std::size_t{rows[first + row]} * slots;
    for (std::size_t each = 0; each < slots; ++each) {
      std::uint16_t* of_slot = set_codes.data() + each * set_rows;
      for (std::size_t row = 0; row < count; ++row) of_slot[row] = own[row][each];
    }
    conditions.find(set_codes.data());
    moves.find(conditions.sets(), first_rows(count), scratch->sums);
    const double* at_from = moves.sums(scratch->sums, 0);
    const double* at_to = moves.sums(scratch->sums, 1);
    for (std::size_t row = 0; row < count; ++row) {
      for (std::size_t k = 0; k < explained_.size(); ++k) {
        const std::size_t place = place_of_row(row) * outputs + explained_[k];
        differences[k * stride + first + row] = (at_to[place] - at_from[place]) * factor;
      }
    }
  }
  const std::lock_guard lock(mutex_);
  kept_.push_back(std::move(scratch));
}

}  // namespace sightglass
