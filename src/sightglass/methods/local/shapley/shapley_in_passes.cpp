#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/data/picked_block.h"
#include "sightglass/methods/local/shapley/leaf_shapley_internal.h"

namespace sightglass {

namespace {

// Of counts: the ranges of trees that are at work together.
constexpr std::size_t bytes_at_once = std::size_t{1} << 27;
// Rows whose values one thread looks up at a time: tables are made for them anew.
constexpr std::size_t looked_up_at_once = std::size_t{1} << 14;

using RowIds = std::vector<std::uint64_t>;

struct AttributionWork {
  MethodInput input;
  LeafShapleyOptions options;
  std::vector<PatternRange> ranges;
  std::size_t first = 0;  // the ranges before are done
  ShapleyRanges pieces;   // at work
  // Of the rows that are explained, ascending by id: as ShapleyShape has them.
  RowIds ids;
  std::vector<double> values, pairs;
  std::vector<double> base;     // per output
  std::vector<SeenValue> seen;  // per feature, of the rows that are compared with
  std::uint64_t rows = 0;       // that are compared with

  [[nodiscard]] const TreeRows& trees() const { return *input.trees; }
  [[nodiscard]] ShapleyShape shape() const { return {trees().parts(), trees().codes()}; }
};

// Says where the work is, and lets the user stop it.
void report(const AttributionWork& work, const Context& context) {
  context.report({"shap", work.first, work.ranges.size()});
}

using AllCounts = std::shared_ptr<const std::vector<SubsetCounts>>;
using WorkPtr = std::shared_ptr<const AttributionWork>;

// The rows that are compared with, counted in the ranges at work.
struct CountedWork {
  WorkPtr work;
  AllCounts counts;  // none: by covers
};

class BackgroundPass : public Pass<BackgroundCounts, CountedWork> {
 public:
  explicit BackgroundPass(WorkPtr work) : work_(std::move(work)) {}

  [[nodiscard]] std::vector<std::uint32_t> columns() const override { return work_->input.features; }
  // Larger blocks than a model is asked for serve counting better.
  [[nodiscard]] bool needs_model() const override { return false; }
  [[nodiscard]] BackgroundCounts empty() const override { return {work_->pieces, work_->input.features.size()}; }

  void map(const RowBlock& block, BackgroundCounts& counts, Evaluator& evaluator) const override {
    report(*work_, evaluator.context());
    counts.add(work_->input, block, evaluator.context());
  }

  [[nodiscard]] CountedWork find(const BackgroundCounts& sums) const override {
    auto work = std::make_shared<AttributionWork>(*work_);
    work->seen = sums.seen;
    work->rows = sums.rows;
    return {work, sums.counts};
  }

 private:
  WorkPtr work_;
};

// Of the rows that are explained.
struct FoundValues {
  RowNumbers values, pairs;

  static auto members() { return std::tuple(&FoundValues::values, &FoundValues::pairs); }
};

class ValuePass : public Pass<FoundValues, WorkPtr> {
 public:
  explicit ValuePass(CountedWork counted)
      : work_(std::move(counted.work)), counts_(std::move(counted.counts)), shape_(work_->shape()) {
    const TreeRows& trees = work_->trees();
    for (std::size_t i = 0; i < work_->pieces.size(); ++i) {
      const TreePatterns& patterns = work_->pieces[i]->patterns;
      if (counts_ != nullptr) {
        shapley_.emplace_back(trees.parts(), trees.codes(), patterns, (*counts_)[i]);
      } else {
        shapley_.emplace_back(trees.parts(), trees.codes(), patterns);
      }
    }
  }

  [[nodiscard]] std::vector<std::uint32_t> columns() const override { return work_->input.features; }
  [[nodiscard]] std::optional<RowIds> rows() const override { return work_->options.rows; }
  [[nodiscard]] bool needs_model() const override { return false; }
  [[nodiscard]] FoundValues empty() const override { return {RowNumbers(shape_.row()), RowNumbers(pair_width())}; }

  void map(const RowBlock& block, FoundValues& found, Evaluator& evaluator) const override {
    const Context& context = evaluator.context();
    report(*work_, context);
    std::vector<std::uint64_t> used;
    for (std::size_t row = 0; row < block.rows; ++row) {
      if (explains(block.row_id(row))) used.push_back(row);
    }
    if (used.empty()) return;
    const PickedBlock picked(block, used);
    const auto codes = encode_sets(work_->trees(), picked.block(), context);
    const std::size_t before = found.values.rows.size();
    for (const std::uint64_t row : used) {
      found.values.rows.push_back(block.row_id(row));
      if (pair_width() > 0) found.pairs.rows.push_back(block.row_id(row));
    }
    found.values.numbers.resize(found.values.rows.size() * shape_.row());
    found.pairs.numbers.resize(found.pairs.rows.size() * pair_width());
    const std::size_t threads = static_cast<std::size_t>(std::max(1, context.threads()));
    const std::size_t even = (used.size() / threads + set_rows) / set_rows * set_rows;
    const std::size_t at_once = std::min(looked_up_at_once, even);
    context.parallel_for((used.size() + at_once - 1) / at_once, [&](std::size_t task) {
      const std::size_t first = task * at_once, rows = std::min(at_once, used.size() - first);
      const std::uint16_t* from = codes.data() + first * shape_.slots;
      TreeShapley::Workspace workspace;
      workspace.context = &context;
      for (const TreeShapley& shapley : shapley_) {
        shapley.add_values(from, rows, found.values.numbers.data() + (before + first) * shape_.row(), workspace);
        if (pair_width() > 0)
          shapley.add_pairs(from, rows, found.pairs.numbers.data() + (before + first) * pair_width(), workspace);
      }
    });
  }

  [[nodiscard]] WorkPtr find(const FoundValues& found) const override {
    auto work = std::make_shared<AttributionWork>(*work_);
    for (const TreeShapley& shapley : shapley_) shapley.add_base(work->base.data());
    if (work->first == 0) {
      work->ids = found.values.rows;
      std::sort(work->ids.begin(), work->ids.end());
      work->values.resize(found.values.numbers.size());
      work->pairs.resize(found.pairs.numbers.size());
    }
    add(found.values, *work, work->values);
    if (pair_width() > 0) add(found.pairs, *work, work->pairs);
    work->first += work->pieces.size();
    work->pieces.clear();
    return work;
  }

 private:
  // Where the rows are does not depend on the order in which they came.
  static void add(const RowNumbers& from, const AttributionWork& work, std::vector<double>& to) {
    check_length(from.rows.size(), work.ids.size());
    for (std::size_t i = 0; i < from.rows.size(); ++i) {
      const auto at = std::lower_bound(work.ids.begin(), work.ids.end(), from.rows[i]);
      if (at == work.ids.end() || *at != from.rows[i])
        throw Error(ErrorKind::data, "saved partial result is of other rows");
      const auto place = static_cast<std::size_t>(at - work.ids.begin());
      for (std::size_t k = 0; k < from.width; ++k) to[place * from.width + k] += from.numbers[i * from.width + k];
    }
  }
  [[nodiscard]] bool explains(std::uint64_t row) const {
    const auto& rows = work_->options.rows;
    return !rows || std::binary_search(rows->begin(), rows->end(), row);
  }
  [[nodiscard]] std::size_t pair_width() const { return work_->options.interactions ? shape_.pair_row() : 0; }

  WorkPtr work_;
  AllCounts counts_;
  ShapleyShape shape_;
  std::vector<TreeShapley> shapley_;
};

// All values are known: rows are only looked up.
class TreeAttributor : public RowAttributor {
 public:
  explicit TreeAttributor(WorkPtr work) : work_(std::move(work)) {}

  [[nodiscard]] std::uint64_t cost_per_row() const override { return 1; }
  [[nodiscard]] bool estimates() const override { return false; }

  void attribute(const RowBlock& rows, Evaluator& evaluator, BlockAttributions& out) const override {
    const ShapleyShape shape = work_->shape();
    const auto& explained = work_->input.explained;
    const auto& feature_of = work_->trees().codes().features();
    const std::size_t p = work_->input.features.size(), outputs = explained.size();
    Matrix predictions;
    evaluator.evaluate(rows, predictions);
    out.base.clear();
    for (const std::size_t output : explained) out.base.push_back(work_->base[output]);
    out.prediction.assign(rows.rows * outputs, 0.0);
    out.values.assign(rows.rows * outputs * p, 0.0);
    out.interactions.assign(work_->options.interactions ? rows.rows * outputs * p * p : 0, 0.0);
    std::vector<double> matrix(shape.slots * shape.slots);
    for (std::size_t row = 0; row < rows.rows; ++row) {
      for (std::size_t k = 0; k < outputs; ++k) out.prediction[row * outputs + k] = predictions(row, explained[k]);
      if (work_->ranges.empty()) continue;  // no trees, nothing to attribute
      const auto at = std::lower_bound(work_->ids.begin(), work_->ids.end(), rows.row_id(row));
      if (at == work_->ids.end() || *at != rows.row_id(row))
        throw Error(ErrorKind::internal, "a row was not to be explained");
      const auto place = static_cast<std::size_t>(at - work_->ids.begin());
      for (std::size_t k = 0; k < outputs; ++k) {
        const double* values = work_->values.data() + place * shape.row() + explained[k] * shape.width();
        double* to = out.values.data() + (row * outputs + k) * p;
        for (std::size_t slot = 0; slot < shape.slots; ++slot) to[feature_of[slot]] = values[slot];
        if (!work_->options.interactions) continue;
        shape.interactions(values, work_->pairs.data() + place * shape.pair_row() + explained[k] * shape.pair_width(),
                           matrix.data());
        double* pairs = out.interactions.data() + (row * outputs + k) * p * p;
        for (std::size_t a = 0; a < shape.slots; ++a) {
          for (std::size_t b = 0; b < shape.slots; ++b)
            pairs[feature_of[a] * p + feature_of[b]] = matrix[a * shape.slots + b];
        }
      }
    }
  }

  [[nodiscard]] Value details() const override {
    Value details = Value::object({{"estimator", "trees"}, {"background", work_->options.cover ? "cover" : "rows"}});
    if (work_->options.cover) return details;
    return details.set("background_rows", work_->rows).set("background_available", work_->rows);
  }
  void add_caveats(std::vector<Caveat>& caveats) const override {
    if (work_->options.cover) add_cover_caveat(work_->trees().parts(), caveats);
  }
  [[nodiscard]] std::optional<double> only_value(std::size_t feature) const override {
    if (work_->seen.empty() || work_->seen[feature].several) return std::nullopt;
    return work_->seen[feature].value;
  }

 private:
  WorkPtr work_;
};

// Takes up the next ranges, as many as there is memory for.
WorkPtr next_ranges(const AttributionWork& work) {
  auto next = std::make_shared<AttributionWork>(work);
  std::size_t bytes = 0, count = 0;
  for (std::size_t at = next->first; at < next->ranges.size(); ++at, ++count) {
    bytes += next->ranges[at].bytes;
    if (bytes > bytes_at_once && count > 0) break;
  }
  next->pieces = shapley_ranges(next->input, std::span(next->ranges).subspan(next->first, count));
  return next;
}

Chain<CountedWork> count_ranges(const WorkPtr& work) {
  if (work->options.cover) return CountedWork{work, nullptr};
  return over_rows<BackgroundPass>(work);
}

// Range after range: counted, then looked up.
Chain<WorkPtr> take_ranges(const WorkPtr& work) {  // NOLINT(misc-no-recursion)
  if (work->first == work->ranges.size()) return work;
  return count_ranges(next_ranges(*work))
      .then([](CountedWork counted) { return over_rows<ValuePass>(std::move(counted)); })
      .then(take_ranges);
}

}  // namespace

Chain<AttributorPtr> shapley_in_passes(const MethodInput& input, const LeafShapleyOptions& options) {
  const auto& parts = input.trees->parts();
  auto work = std::make_shared<AttributionWork>(AttributionWork{.input = input, .options = options});
  work->ranges = TreePatterns::ranges(parts, input.trees->codes(), range_bytes, options.cover ? 0 : input.rows);
  for (const double base : parts.base) work->base.push_back(base / parts.divisor);
  return take_ranges(work).then(
      [](const WorkPtr& all) -> AttributorPtr { return std::make_shared<const TreeAttributor>(all); });
}

}  // namespace sightglass
