#include "sightglass/methods/effects/accumulated/tree_differences.h"

#include <algorithm>
#include <cmath>

#include "sightglass/model/evaluator.h"
#include "sightglass/model/trees/rows/row_sums_internal.h"
#include "sightglass/model/trees/tree_rows.h"
#include "sightglass/model/trees/variants/tree_variants_internal.h"

namespace sightglass {

namespace {

// Margins of a block's rows are kept for so many outputs.
constexpr std::size_t most_outputs = 64;

}  // namespace

struct TreeDifferences::Scratch {
  explicit Scratch(const FeatureCodes& codes) : codes_of_rows(codes.slots() * set_rows) {}
  TreeVariants::Workspace sums;
  std::vector<std::uint16_t> codes_of_rows;  // [slot][row]
  std::vector<double> before, after;         // [row][output]: margins, then predictions
};

TreeDifferences::~TreeDifferences() = default;

std::unique_ptr<TreeDifferences::Scratch> TreeDifferences::take() const {
  const std::lock_guard lock(mutex_);
  if (kept_.empty()) return std::make_unique<Scratch>(trees_.codes());
  auto scratch = std::move(kept_.back());
  kept_.pop_back();
  return scratch;
}

bool TreeDifferences::possible(const MethodInput& input) {
  if (input.trees == nullptr || input.trees->amounts() == nullptr) return false;
  return input.trees->adds_up(input.scale) || input.trees->parts().base.size() <= most_outputs;
}

TreeDifferences::TreeDifferences(const MethodInput& input, const RowBlock& block, Context& context,
                                 std::size_t most_bytes)
    : context_(context),
      trees_(*input.trees),
      block_(block),
      explained_(input.explained),
      slots_(trees_.codes().slots()),
      most_bytes_(most_bytes),
      linked_(!trees_.adds_up(input.scale)),
      codes_(slots_ * block.rows) {
  constexpr std::size_t at_once = 1024;
  if (linked_) margins_ = Matrix(block.rows, trees_.parts().base.size());
  context.parallel_for((block.rows + at_once - 1) / at_once, [&](std::size_t task) {
    const std::size_t first = task * at_once, count = std::min(at_once, block.rows - first);
    if (linked_) trees_.margins(block, first, margins_.span().rows(first, count), context);
    std::vector<std::uint16_t> by_slot(slots_ * count);
    trees_.encode(block, first, count, by_slot.data(), count);
    // Rows are picked one by one: what belongs to one lies together.
    for (std::size_t row = 0; row < count; ++row) {
      for (std::size_t slot = 0; slot < slots_; ++slot)
        codes_[(first + row) * slots_ + slot] = by_slot[slot * count + row];
    }
  });
}

void TreeDifferences::find(std::uint32_t column, double from, double to, std::span<const std::uint32_t> rows,
                           double* differences, std::size_t stride) const {
  const FeatureCodes& codes = trees_.codes();
  const auto slot = trees_.slot(column);
  for (std::size_t k = 0; k < explained_.size(); ++k) std::fill_n(differences + k * stride, rows.size(), 0.0);
  if (!slot) return;
  const std::uint16_t before = trees_.code(*slot, from), after = trees_.code(*slot, to);
  if (before == after) return;
  // The two ends, and behind a link where the rows are.
  std::vector<std::vector<std::uint16_t>> points = {{before}, {after}};
  std::vector<std::uint16_t> own;
  if (linked_) {
    for (const std::uint32_t row : rows) own.push_back(code_of(row, *slot));
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
    // Rows at so many bins that memory would not do for all: one half of the bins after the other.
    if ((own.size() + 2) * set_rows * sizeof(double) * trees_.parts().base.size() > most_bytes_ && own.size() > 1)
      return find_in_halves({column, *slot, from, to}, own[own.size() / 2], rows, differences, stride);
    for (const std::uint16_t code : own) points.push_back({code});
  }
  TreeVariants variants(trees_.parts(), codes, *trees_.edges(), *trees_.amounts(), {*slot}, points);
  auto scratch = take();
  ConditionSets conditions(codes, variants.take_conditions(), 1);
  auto& set_codes = scratch->codes_of_rows;
  const std::size_t outputs = trees_.parts().base.size();
  const double factor = 1 / trees_.parts().divisor;
  for (std::size_t first = 0; first < rows.size(); first += set_rows) {
    context_.check();
    const auto here = rows.subspan(first, std::min(set_rows, rows.size() - first));
    const std::uint16_t* own_codes[set_rows];
    for (std::size_t row = 0; row < here.size(); ++row)
      own_codes[row] = codes_.data() + std::size_t{here[row]} * slots_;
    for (std::size_t each = 0; each < slots_; ++each) {
      std::uint16_t* of_slot = set_codes.data() + each * set_rows;
      for (std::size_t row = 0; row < here.size(); ++row) of_slot[row] = own_codes[row][each];
    }
    conditions.find(set_codes.data());
    variants.find(conditions.sets(), first_rows(here.size()), scratch->sums);
    const double* at_from = variants.sums(scratch->sums, 0);
    const double* at_to = variants.sums(scratch->sums, 1);
    if (linked_) {
      scratch->before.resize(here.size() * outputs);
      scratch->after.resize(here.size() * outputs);
      for (std::size_t row = 0; row < here.size(); ++row) {
        const auto point = std::lower_bound(own.begin(), own.end(), code_of(here[row], *slot)) - own.begin();
        const std::size_t bin = position_of_row(row) * outputs;
        const double* start = margins_.span().row(here[row]).data();
        const double* here_sums = variants.sums(scratch->sums, 2 + static_cast<std::size_t>(point)) + bin;
        add_differences(start, at_from + bin, here_sums, factor, outputs, scratch->before.data() + row * outputs);
        add_differences(start, at_to + bin, here_sums, factor, outputs, scratch->after.data() + row * outputs);
      }
      respond(here, scratch->before);
      respond(here, scratch->after);
    }
    for (std::size_t row = 0; row < here.size(); ++row) {
      for (std::size_t k = 0; k < explained_.size(); ++k) {
        const std::size_t at = row * outputs + explained_[k], bin = position_of_row(row) * outputs + explained_[k];
        differences[k * stride + first + row] =
            linked_ ? scratch->after[at] - scratch->before[at] : (at_to[bin] - at_from[bin]) * factor;
      }
    }
  }
  const std::lock_guard lock(mutex_);
  kept_.push_back(std::move(scratch));
}

void TreeDifferences::find_in_halves(const Step& step, std::uint16_t middle, std::span<const std::uint32_t> rows,
                                     double* differences, std::size_t stride) const {
  for (const bool upper : {false, true}) {
    std::vector<std::uint32_t> half;
    std::vector<std::size_t> bins;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if ((code_of(rows[i], step.slot) >= middle) != upper) continue;
      half.push_back(rows[i]);
      bins.push_back(i);
    }
    std::vector<double> found(explained_.size() * half.size());
    find(step.column, step.from, step.to, half, found.data(), half.size());
    for (std::size_t k = 0; k < explained_.size(); ++k) {
      for (std::size_t i = 0; i < half.size(); ++i) differences[k * stride + bins[i]] = found[k * half.size() + i];
    }
  }
}

// From margins to predictions.
void TreeDifferences::respond(std::span<const std::uint32_t> rows, std::vector<double>& margins) const {
  const std::size_t outputs = margins_.columns();
  trees_.parts().link.apply_all(margins.data(), rows.size(), outputs);
  const auto odd = std::find_if(margins.begin(), margins.end(), [](double value) { return !std::isfinite(value); });
  if (odd == margins.end()) return;
  const auto row = static_cast<std::size_t>(odd - margins.begin()) / outputs;
  refuse_prediction(*odd, block_.row_id(rows[row]), " at another value of a feature");
}

}  // namespace sightglass
