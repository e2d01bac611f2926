#include <algorithm>
#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/methods/local/shapley/leaf_shapley_internal.h"
#include "sightglass/methods/run/weight_units.h"

namespace sightglass {

namespace {

// Counts of deep forests are many: beyond this they are taken range by range.
constexpr std::size_t most_count_bytes = std::size_t{1} << 30;
// Tables are made anew for every call: as many rows share them as threads leave together.
std::size_t rows_per_task(std::size_t rows, const Context& context) {
  const auto threads = static_cast<std::size_t>(std::max(1, context.threads()));
  return (rows / threads + set_rows) / set_rows * set_rows;
}

// What is common to all rows.
struct Leaves {
  const TreeRows& trees;
  ShapleyRanges ranges;

  Leaves(const MethodInput& input, std::uint64_t rows)
      : trees(*input.trees),
        ranges(shapley_ranges(input, TreePatterns::ranges(trees.parts(), trees.codes(), range_bytes, rows))) {}
};

class LeafValues : public RowAttributor {
 public:
  LeafValues(const MethodInput& input, const LeafShapleyOptions& options, std::shared_ptr<const Leaves> leaves,
             std::shared_ptr<const std::vector<SubsetCounts>> counts, std::vector<SeenValue> seen, std::uint64_t rows)
      : input_(input),
        options_(options),
        leaves_(std::move(leaves)),
        counts_(std::move(counts)),
        seen_(std::move(seen)),
        rows_(rows) {
    const TreeRows& trees = leaves_->trees;
    for (std::size_t i = 0; i < leaves_->ranges.size(); ++i) {
      shapley_.push_back(options.cover
                             ? TreeShapley(trees.parts(), trees.codes(), leaves_->ranges[i]->patterns)
                             : TreeShapley(trees.parts(), trees.codes(), leaves_->ranges[i]->patterns, (*counts_)[i]));
    }
    base_.assign(trees.parts().base.size(), 0);
    for (const TreeShapley& range : shapley_) range.add_base(base_.data());
    for (std::size_t k = 0; k < base_.size(); ++k) base_[k] += trees.parts().base[k] / trees.parts().divisor;
    for (const std::uint32_t column : input.features) slots_.push_back(trees.slot(column));
  }

  [[nodiscard]] std::uint64_t cost_per_row() const override { return 1; }
  [[nodiscard]] bool estimates() const override { return false; }
  [[nodiscard]] bool wants_many_rows() const override { return true; }

  void attribute(const RowBlock& rows, Evaluator& evaluator, BlockAttributions& out) const override {
    const std::size_t p = slots_.size(), outputs = input_.explained.size();
    const ShapleyShape shape(leaves_->trees.parts(), leaves_->trees.codes());
    Matrix predictions;
    evaluator.evaluate(rows, predictions);
    out.base.resize(outputs);
    for (std::size_t k = 0; k < outputs; ++k) out.base[k] = base_[input_.explained[k]];
    out.prediction.resize(rows.rows * outputs);
    out.values.assign(rows.rows * outputs * p, 0);
    out.interactions.assign(options_.interactions ? out.values.size() * p : 0, 0);
    const auto codes = encode_sets(leaves_->trees, rows, evaluator.context());
    const std::size_t at_once = rows_per_task(rows.rows, evaluator.context());
    evaluator.context().parallel_for((rows.rows + at_once - 1) / at_once, [&](std::size_t task) {
      const std::size_t first = task * at_once, count = std::min(at_once, rows.rows - first);
      const std::uint16_t* own = codes.data() + first * shape.slots;
      std::vector<double> values(count * shape.row());
      std::vector<double> pairs(options_.interactions ? count * shape.pair_row() : 0);
      std::vector<double> matrix(options_.interactions ? shape.slots * shape.slots : 0);
      TreeShapley::Workspace workspace;
      workspace.context = &evaluator.context();
      for (const TreeShapley& range : shapley_) {
        range.add_values(own, count, values.data(), workspace);
        if (options_.interactions) range.add_pairs(own, count, pairs.data(), workspace);
      }
      for (std::size_t row = 0; row < count; ++row) {
        for (std::size_t k = 0; k < outputs; ++k) {
          const std::size_t output = input_.explained[k], at = (first + row) * outputs + k;
          out.prediction[at] = predictions(first + row, output);
          const double* of_row = values.data() + row * shape.row() + output * shape.width();
          for (std::size_t j = 0; j < p; ++j) {
            if (slots_[j]) out.values[at * p + j] = of_row[*slots_[j]];
          }
          if (!options_.interactions) continue;
          shape.interactions(of_row, pairs.data() + row * shape.pair_row() + output * shape.pair_width(),
                             matrix.data());
          for (std::size_t j = 0; j < p; ++j) {
            for (std::size_t other = 0; other < p; ++other) {
              if (slots_[j] && slots_[other])
                out.interactions[(at * p + j) * p + other] = matrix[*slots_[j] * shape.slots + *slots_[other]];
            }
          }
        }
      }
    });
  }

  [[nodiscard]] Value details() const override {
    Value details = Value::object({{"estimator", "trees"}, {"background", options_.cover ? "cover" : "rows"}});
    if (!options_.cover) details.set("background_rows", rows_).set("background_available", rows_);
    return details;
  }
  void add_caveats(std::vector<Caveat>& caveats) const override {
    if (options_.cover) add_cover_caveat(leaves_->trees.parts(), caveats);
  }
  [[nodiscard]] std::optional<double> only_value(std::size_t feature) const override {
    if (options_.cover || seen_[feature].several) return std::nullopt;
    return seen_[feature].value;
  }

 private:
  MethodInput input_;
  LeafShapleyOptions options_;
  std::shared_ptr<const Leaves> leaves_;
  std::shared_ptr<const std::vector<SubsetCounts>> counts_;  // per range; none: by covers
  std::vector<SeenValue> seen_;                              // per feature
  std::uint64_t rows_;
  std::vector<TreeShapley> shapley_;
  std::vector<double> base_;                       // per output of the model
  std::vector<std::optional<std::size_t>> slots_;  // of the features
};

class SubsetPass : public Pass<BackgroundCounts, AttributorPtr> {
 public:
  SubsetPass(const MethodInput& input, const LeafShapleyOptions& options)
      : input_(input), options_(options), leaves_(std::make_shared<const Leaves>(input, input.rows)) {}

  [[nodiscard]] std::vector<std::uint32_t> columns() const override { return input_.features; }
  // Larger blocks than a model is asked for serve counting better.
  [[nodiscard]] bool needs_model() const override { return false; }
  [[nodiscard]] BackgroundCounts empty() const override { return {leaves_->ranges, input_.features.size()}; }
  void map(const RowBlock& block, BackgroundCounts& counts, Evaluator& evaluator) const override {
    counts.add(input_, block, evaluator.context());
  }
  [[nodiscard]] AttributorPtr find(const BackgroundCounts& counted) const override {
    return std::make_shared<const LeafValues>(input_, options_, leaves_, counted.counts, counted.seen, counted.rows);
  }

 private:
  MethodInput input_;
  LeafShapleyOptions options_;
  std::shared_ptr<const Leaves> leaves_;
};

}  // namespace

void add_cover_caveat(const TreeEnsemble::Parts& parts, std::vector<Caveat>& caveats) {
  std::uint64_t splits = 0, odd = 0;
  for (std::size_t index = 0; index < parts.nodes.size(); ++index) {
    const TreeNode& node = parts.nodes[index];
    if (node.is_leaf()) continue;
    const double all = parts.covers[index];
    const double both =
        parts.covers[static_cast<std::size_t>(node.left)] + parts.covers[static_cast<std::size_t>(node.right)];
    ++splits;
    // Sums of float32 hessians differ in the last digits.
    if (!(all > 0) || std::abs(both - all) > 1e-2 * all) ++odd;
  }
  if (odd == 0) return;
  caveats.push_back({.id = "odd-cover",
                     .severity = Severity::warning,
                     .message = "at " + std::to_string(odd) + " of " + std::to_string(splits) +
                                " splits the model's record of training rows does not add up: base and values by the "
                                "cover mean little",
                     .evidence = Value::object({{"splits", splits}, {"odd", odd}}),
                     .advice = marked("leave out {option:background}: compare with rows of the data")});
}

std::vector<std::uint16_t> encode_sets(const TreeRows& trees, const RowBlock& block, const Context& context) {
  const std::size_t slots = trees.codes().slots(), sets = (block.rows + set_rows - 1) / set_rows;
  std::vector<std::uint16_t> codes(sets * slots * set_rows);
  context.parallel_for(sets, [&](std::size_t set) {
    const std::size_t first = set * set_rows;
    trees.encode(block, first, std::min(set_rows, block.rows - first), codes.data() + set * slots * set_rows, set_rows);
  });
  return codes;
}

void SeenValue::add(double other) {
  if (!any) value = other;
  several = several || (any && !(other == value || (std::isnan(other) && std::isnan(value))));
  any = true;
}

void SeenValue::merge(const SeenValue& other) {
  if (other.any) add(other.value);
  several = several || other.several;
}

void SeenValue::save(ByteSink& sink) const {
  sink.u64((any ? 1U : 0U) + (several ? 2U : 0U));
  sink.f64(value);
}

void SeenValue::load(ByteSource& source) {
  const std::uint64_t flags = source.u64();
  any = (flags & 1) != 0;
  several = (flags & 2) != 0;
  value = source.f64();
}

BackgroundRows::BackgroundRows(const MethodInput& input, const RowBlock& block, std::vector<SeenValue>& seen,
                               const Context& context)
    : codes(encode_sets(*input.trees, block, context)),
      there((block.rows + set_rows - 1) / set_rows, RowSet{}),
      units(there.size() * set_rows) {
  const WeightUnits weights(input);
  for (std::size_t row = 0; row < block.rows; ++row) {
    units[row] = weights.of(block, row);
    if (units[row] == 0) continue;
    there[row / set_rows].words[row % set_rows / 64] |= row_bit(row % set_rows);
    ++rows;
  }
  for (std::size_t j = 0; j < seen.size(); ++j) {
    const ColumnView& column = block.columns[input.features[j]];
    for (std::size_t row = 0; row < block.rows && !seen[j].several; ++row) {
      if (units[row] > 0) seen[j].add(column.number(row));
    }
  }
}

void BackgroundRows::count(const ShapleyRange& range, bool weighted, SubsetCounts& counts,
                           const Context& context) const {
  SubsetCounter::Workspace workspace(range.counter, &context);
  range.counter.add({.codes = codes.data(),
                     .there = there.data(),
                     .weights = weighted ? units.data() : nullptr,
                     .blocks = there.size()},
                    counts, workspace);
}

ShapleyRanges shapley_ranges(const MethodInput& input, std::span<const PatternRange> ranges) {
  ShapleyRanges made(ranges.size());
  input.for_each("shap", ranges.size(),
                 [&](std::size_t i) { made[i] = std::make_shared<const ShapleyRange>(*input.trees, ranges[i]); });
  return made;
}

BackgroundCounts::BackgroundCounts(ShapleyRanges ranges, std::size_t features)
    : seen(features), ranges_(std::move(ranges)) {
  for (const auto& range : ranges_) counts->emplace_back(range->patterns);
}

void BackgroundCounts::merge(const BackgroundCounts& other) {
  rows += other.rows;
  merge_sums(seen, other.seen);
  for (std::size_t i = 0; i < counts->size(); ++i) (*counts)[i].merge((*other.counts)[i], ranges_[i]->patterns);
}

void BackgroundCounts::save(ByteSink& sink) const {
  sink.u64(rows);
  save_sums(seen, sink);
  for (const SubsetCounts& each : *counts) each.save(sink);
}

void BackgroundCounts::load(ByteSource& source) {
  rows = source.u64();
  load_sums(seen, source);
  for (std::size_t i = 0; i < counts->size(); ++i) (*counts)[i].load(source, ranges_[i]->patterns);
}

void BackgroundCounts::add(const MethodInput& input, const RowBlock& block, const Context& context) {
  const BackgroundRows background(input, block, seen, context);
  rows += background.rows;
  context.parallel_for(ranges_.size(),
                       [&](std::size_t i) { background.count(*ranges_[i], input.weighted, (*counts)[i], context); });
}

std::string why_not_by_leaves(const MethodInput& input) {
  if (input.trees == nullptr) return input.breakpoints ? "the engine is not trees" : "the model shows no trees";
  if (!input.trees->adds_up(input.scale)) return "trees add up on the margin scale, not on the response scale";
  return "";
}

bool shapley_takes_passes(const MethodInput& input, bool cover) {
  // By the cover nothing is counted.
  return TreePatterns::ranges(input.trees->parts(), input.trees->codes(), most_count_bytes, cover ? 0 : input.rows)
             .size() > 1;
}

double shapley_work(const MethodInput& input, bool cover) {
  // By the cover a path takes about half its features squared; else each row meets all patterns that there are, which
  // nobody knows before: some thousands.
  constexpr double cover_work = 200, most_patterns = 4096;
  const auto& parts = input.trees->parts();
  const auto rows = static_cast<double>(input.rows);
  const auto long_paths = static_cast<double>(TreePatterns::count_long_paths(parts));
  return rows * (static_cast<double>(parts.nodes.size()) / 2 +
                 long_paths * (cover ? cover_work : std::min(rows, most_patterns)));
}

Chain<AttributorPtr> count_shapley(const MethodInput& input, const LeafShapleyOptions& options) {
  if (shapley_takes_passes(input, options.cover)) return shapley_in_passes(input, options);
  if (!options.cover) return over_rows<SubsetPass>(input, options);
  return {std::make_shared<const LeafValues>(input, options, std::make_shared<const Leaves>(input, 0), nullptr,
                                             std::vector<SeenValue>(), 0)};
}

}  // namespace sightglass
