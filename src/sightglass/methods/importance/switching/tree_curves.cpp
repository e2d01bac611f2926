#include "sightglass/methods/importance/switching/tree_curves.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sightglass/model/evaluator.h"
#include "sightglass/model/trees/rows/row_order_internal.h"
#include "sightglass/model/trees/rows/row_sums_internal.h"
#include "sightglass/model/trees/tree_rows.h"
#include "sightglass/model/trees/variants/tree_variants_internal.h"

namespace sightglass {

namespace {

static_assert(TreeCurves::tile_rows == set_rows);
// Of one thread: [variant][row][output].
constexpr std::size_t most_sum_bytes = std::size_t{1} << 25;
// And all else that rows of a tile may take.
constexpr std::size_t most_workspace_bytes = std::size_t{1} << 27;
// Of the ways down all trees, for one set of variants.
constexpr std::size_t most_way_bytes = std::size_t{1} << 28;

}  // namespace

struct TreeCurves::Tiles::Work {
  explicit Work(const TreeRows& trees)
      : codes(trees.codes().slots() * set_rows),
        margins(set_rows * trees.parts().base.size()),
        own(margins.size()),
        out(margins.size()) {}
  std::vector<ConditionSets> conditions;  // of the tiles
  std::vector<std::uint16_t> codes;       // [slot][place of a row]
  std::vector<double> margins, own, out;  // [row][output]
  TreeVariants::Workspace sums;
};

bool TreeCurves::last_digit_counts(const MethodInput& input) {
  return input.trees != nullptr && input.task != Task::regression && input.trees->parts().link.link == Link::identity;
}

bool TreeCurves::possible(const MethodInput& input, std::size_t variants) {
  if (input.trees == nullptr || input.trees->amounts() == nullptr || last_digit_counts(input)) return false;
  return variants <= most_sum_bytes / (tile_rows * sizeof(double) * input.trees->parts().base.size());
}

TreeVariants TreeCurves::variants(const MethodInput& input, std::span<const Variant> variants, const Context& context) {
  const TreeRows& trees = *input.trees;
  std::vector<std::size_t> slots;
  for (const Override& override : variants[0]) {
    if (const auto slot = trees.slot(override.column)) slots.push_back(*slot);
  }
  std::vector<std::vector<std::uint16_t>> codes(variants.size());
  for (std::size_t v = 0; v < variants.size(); ++v) {
    for (const Override& override : variants[v]) {
      if (const auto slot = trees.slot(override.column))
        codes[v].push_back(trees.code(*slot, std::get<Scalar>(override.value).number));
    }
  }
  return {trees.parts(),
          trees.codes(),
          *trees.edges(),
          *trees.amounts(),
          slots,
          codes,
          {.bytes = most_way_bytes, .context = &context}};
}

bool TreeCurves::fit(const TreeVariants& variants) {
  return variants.whole() && variants.workspace_bytes() <= most_workspace_bytes;
}

TreeCurves::TreeCurves(const MethodInput& input, const RowBlock& block, Context& context)
    : trees_(*input.trees), block_(block), scale_(input.scale), margins_(block.rows, trees_.parts().base.size()) {
  constexpr std::size_t at_once = 1024;
  const std::size_t slots = trees_.codes().slots();
  codes_.resize(slots * block.rows);
  context.parallel_for((block.rows + at_once - 1) / at_once, [&](std::size_t task) {
    const std::size_t first = task * at_once, count = std::min(at_once, block.rows - first);
    trees_.margins(block, first, margins_.span().rows(first, count), context);
    std::vector<std::uint16_t> by_slot(slots * count);
    trees_.encode(block, first, count, by_slot.data(), count);
    for (std::size_t row = 0; row < count; ++row) {
      for (std::size_t slot = 0; slot < slots; ++slot)
        codes_[(first + row) * slots + slot] = by_slot[slot * count + row];
    }
  });
  order_.resize(block.rows);
  std::iota(order_.begin(), order_.end(), 0U);
  if (slots > 0) order_ = similar_rows(trees_.codes(), *trees_.edges(), codes_);
  conditions_ = std::make_unique<ConditionSets>(trees_.codes());
}

TreeCurves::~TreeCurves() = default;

TreeCurves::Tiles::Tiles(const TreeCurves& curves) : curves_(curves), work_(std::make_unique<Work>(curves.trees_)) {}
TreeCurves::Tiles::~Tiles() = default;

void TreeCurves::Tiles::take(std::size_t first, std::size_t count) {
  const std::size_t slots = curves_.trees_.codes().slots();
  first_ = first;
  while (work_->conditions.size() < count) work_->conditions.push_back(*curves_.conditions_);
  for (std::size_t tile = 0; tile < count; ++tile) {
    const std::size_t begin = (first + tile) * tile_rows, rows = std::min(tile_rows, curves_.order_.size() - begin);
    for (std::size_t row = 0; row < rows; ++row) {
      const std::uint16_t* own = curves_.codes_.data() + std::size_t{curves_.order_[begin + row]} * slots;
      // Each row where its bit is, so that sums come out in the order of the rows.
      for (std::size_t slot = 0; slot < slots; ++slot) work_->codes[slot * set_rows + position_of_row(row)] = own[slot];
    }
    work_->conditions[tile].find(work_->codes.data());
  }
}

void TreeCurves::Tiles::find(std::size_t tile, const TreeVariants& variants, std::span<const std::uint32_t> own) {
  const std::size_t outputs = curves_.margins_.columns();
  tile_ = first_ + tile;
  rows_ = own.size();
  variants_ = &variants;
  variants.find(work_->conditions[tile].sets(), first_bits(rows_), work_->sums);
  for (std::size_t row = 0; row < rows_; ++row) {
    const double* sums = variants.sums(work_->sums, own[row]) + row * outputs;
    const std::size_t at = curves_.order_[tile_ * tile_rows + row];
    for (std::size_t k = 0; k < outputs; ++k) {
      work_->margins[row * outputs + k] = curves_.margins_(at, k);
      work_->own[row * outputs + k] = sums[k];
    }
  }
}

bool TreeCurves::Tiles::changes(std::size_t variant) const {
  return variant == 0 || variants_->sums(work_->sums, variant) != variants_->sums(work_->sums, variant - 1);
}

MatrixSpan<const double> TreeCurves::Tiles::predictions(std::size_t variant) {
  const TreeEnsemble::Parts& parts = curves_.trees_.parts();
  const std::size_t outputs = curves_.margins_.columns();
  const double* sums = variants_->sums(work_->sums, variant);
  add_differences(work_->margins.data(), sums, work_->own.data(), 1 / parts.divisor, rows_ * outputs,
                  work_->out.data());
  if (curves_.scale_ == Scale::response && parts.link.link != Link::identity) {
    parts.link.apply_all(work_->out.data(), rows_, outputs);
    check_finite(outputs);
  }
  return {work_->out.data(), rows_, outputs};
}

void TreeCurves::Tiles::check_finite(std::size_t outputs) const {
  for (std::size_t i = 0; i < rows_ * outputs; ++i) {
    if (std::isfinite(work_->out[i])) continue;
    refuse_prediction(work_->out[i], curves_.block_.row_id(curves_.order_[tile_ * tile_rows + i / outputs]),
                      " with values of other rows");
  }
}

}  // namespace sightglass
