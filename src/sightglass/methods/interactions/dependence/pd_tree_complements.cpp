#include <algorithm>
#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/methods/effects/curves/leaf_counts.h"
#include "sightglass/methods/interactions/dependence/pd_tree_means.h"
#include "sightglass/methods/interactions/dependence/pd_tree_rows_internal.h"

namespace sightglass {

namespace {

// A feature matters if a prediction and its mean over the feature's values differ by more than rounding: this share of
// the most that all trees could add up to.
constexpr double rounding = 1e-12;

struct ComplementSums {
  std::vector<RowNumbers> samples;                 // of each row, by its place in the sample: [task][output]
  std::vector<Seen> matters;                       // [task × outputs + output]
  std::vector<std::vector<std::uint64_t>> leaves;  // [task × samples + sample][leaf]; empty where counts are known
  std::vector<std::uint64_t> totals;               // [sample]

  static auto members() {
    return std::tuple(&ComplementSums::samples, &ComplementSums::matters, &ComplementSums::leaves,
                      &ComplementSums::totals);
  }
};

class ComplementPass : public Pass<ComplementSums, std::vector<PdFunction>> {
 public:
  ComplementPass(const MethodInput& input, std::shared_ptr<const PdRows> rows, std::vector<PdTask> tasks)
      : input_(input), trees_(*input.trees), rows_(std::move(rows)), tasks_(std::move(tasks)), least_(least_changes()) {
    for (const PdTask& task : tasks_) {
      const auto slot = trees_.slot(rows_->features()[task.subset[0]]);
      std::vector<std::size_t> others;
      for (std::size_t each = 0; each < trees_.codes().slots(); ++each) {
        if (slot != each) others.push_back(each);
      }
      const TreeMeans rest(trees_.parts(), trees_.codes(), *trees_.edges(), others, input.explained);
      for (std::size_t sample = 0; sample < samples(); ++sample) rest_.push_back(rest);
      if (!counted())
        own_.emplace_back(trees_.parts(), trees_.codes(), *trees_.edges(),
                          slot ? std::vector<std::size_t>{*slot} : std::vector<std::size_t>(), input.explained);
    }
    input_.for_each("partial dependence", rest_.size(), [&](std::size_t i) { finish_rest(i); });
  }

  [[nodiscard]] std::vector<std::uint32_t> columns() const override { return input_.features; }
  [[nodiscard]] bool needs_model() const override { return false; }
  [[nodiscard]] ComplementSums empty() const override {
    const std::vector<std::uint64_t> none(trees_.edges()->leaves().size());
    return {.samples = std::vector(samples(), RowNumbers(width())),
            .matters = std::vector<Seen>(width()),
            .leaves = std::vector(own_.size() * samples(), none),
            .totals = std::vector<std::uint64_t>(samples())};
  }

  void map(const RowBlock& block, ComplementSums& found, Evaluator& evaluator) const override {
    Context& context = evaluator.context();
    const auto sets = pd_row_sets(input_, *rows_, block, true, found.totals, context);
    std::vector<std::vector<double>> means(sets.size());
    std::vector<std::vector<Seen>> matters(sets.size());
    context.parallel_for(sets.size(), [&](std::size_t i) {
      means[i].resize(sets[i].places.size() * width());
      matters[i].resize(width());
      look_up(sets[i], means[i], matters[i], context);
    });
    for (std::size_t i = 0; i < sets.size(); ++i) {
      RowNumbers& rows = found.samples[sets[i].sample];
      rows.rows.insert(rows.rows.end(), sets[i].places.begin(), sets[i].places.end());
      rows.numbers.insert(rows.numbers.end(), means[i].begin(), means[i].end());
      merge_sums(found.matters, matters[i]);
    }
    if (own_.empty()) return;
    pd_count(
        input_, own_, sets,
        [&](std::size_t task, std::size_t sample) { return found.leaves[task * samples() + sample].data(); }, context);
  }

  [[nodiscard]] std::vector<PdFunction> find(const ComplementSums& found) const override {
    std::vector<PdFunction> functions;
    for (const PdTask& task : tasks_) functions.push_back({.task = task});
    for (std::size_t sample = 0; sample < samples(); ++sample) {
      add_complements(found.samples[sample], sample, functions);
      add_values(found, sample, functions);
    }
    for (std::size_t task = 0; task < tasks_.size(); ++task) {
      for (std::size_t k = 0; k < outputs(); ++k)
        functions[task].matters.push_back(found.matters[task * outputs() + k].any || varies(functions[task], k));
    }
    return functions;
  }

 private:
  [[nodiscard]] std::size_t samples() const { return rows_->samples().size(); }
  [[nodiscard]] std::size_t outputs() const { return input_.explained.size(); }
  [[nodiscard]] std::size_t width() const { return tasks_.size() * outputs(); }
  // Whether the features' own functions are read off counts that are there.
  [[nodiscard]] bool counted() const { return !rows_->counts().empty(); }

  [[nodiscard]] std::vector<double> least_changes() const {
    const TreeEnsemble::Parts& parts = trees_.parts();
    std::vector<double> sizes(parts.base.size()), least;
    for (std::size_t k = 0; k < sizes.size(); ++k) sizes[k] = std::abs(parts.base[k]);
    std::size_t leaf = 0;
    for (std::size_t tree = 0; tree < trees_.edges()->trees(); ++tree) {
      std::vector<double> most(sizes.size());
      const std::size_t end = leaf + (trees_.edges()->end(tree) - trees_.edges()->begin(tree)) / 2 + 1;
      for (; leaf < end; ++leaf) {
        const TreeNode& node = parts.nodes[trees_.edges()->leaves()[leaf]];
        for (std::size_t k = 0; k < sizes.size(); ++k) {
          const bool one = parts.leaf_values.empty();
          if (one && parts.trees[tree].output != k) continue;
          const double value =
              one ? node.threshold : parts.leaf_values[static_cast<std::size_t>(node.leaf) * sizes.size() + k];
          most[k] = std::max(most[k], std::abs(value));
        }
      }
      for (std::size_t k = 0; k < sizes.size(); ++k) sizes[k] += most[k];
    }
    for (const std::size_t output : input_.explained) least.push_back(rounding * sizes[output] / parts.divisor);
    return least;
  }

  // Rows at leaves by the task's feature alone: the values that it has stand for the rows that have them.
  void finish_rest(std::size_t i) {
    const std::size_t sample = i % samples();
    const PdTask& task = tasks_[i / samples()];
    const PdPoints& points = task.points[sample];
    const PdSample& rows = rows_->samples()[sample];
    const WeightUnits units(input_);
    std::vector<std::uint64_t> of_point(points.size());
    for (std::size_t row = 0; row < points.of_row.size(); ++row)
      of_point[points.of_row[row]] += units.of(rows.rows.weights[row]);
    const auto slot = trees_.slot(rows_->features()[task.subset[0]]);
    std::vector<std::uint64_t> counts(trees_.edges()->leaves().size());
    std::uint64_t total = 0;
    ConditionSets conditions(trees_.codes());
    TreeMeans::Workspace workspace(rest_[i]);
    std::vector<std::uint16_t> codes(trees_.codes().slots() * set_rows);
    for (std::size_t first = 0; first < points.size(); first += set_rows) {
      if (input_.context != nullptr) input_.context->check();
      const std::size_t size = std::min(set_rows, points.size() - first);
      std::vector<std::uint64_t> by_place(set_rows);
      for (std::size_t at = 0; at < size; ++at) {
        const double value = rows.values[task.subset[0]][points.parts[0][first + at]];
        if (slot) codes[*slot * set_rows + at] = trees_.code(*slot, value);
        by_place[position_of_row(at)] = of_point[first + at];
        total += of_point[first + at];
      }
      conditions.find(codes.data());
      rest_[i].count(rest_[i].all(), conditions.sets(), first_rows(size), by_place.data(), counts.data(), workspace);
    }
    rest_[i].finish(counts, total);
  }

  // What is left of each row's prediction when the task's feature is averaged out, and whether that changes it.
  void look_up(const PdRowSet& set, std::vector<double>& means, std::vector<Seen>& matters,
               const Context& context) const {
    ConditionSets conditions(trees_.codes());
    TreeMeans::Workspace workspace(rest_[0]);
    std::vector<double> found(set_rows * outputs());
    const std::size_t all = trees_.parts().base.size();
    conditions.find(set.codes.data());
    for (std::size_t task = 0; task < tasks_.size(); ++task) {
      context.check();
      rest_[task * samples() + set.sample].find(conditions.sets(), set.rows, found.data(), workspace);
      for (std::size_t row = 0; row < set.places.size(); ++row) {
        for (std::size_t k = 0; k < outputs(); ++k) {
          const double mean = found[position_of_row(row) * outputs() + k];
          means[row * width() + task * outputs() + k] = mean;
          if (std::abs(set.margins[row * all + input_.explained[k]] - mean) > least_[k])
            matters[task * outputs() + k].any = true;
        }
      }
    }
  }

  void add_complements(const RowNumbers& rows, std::size_t sample, std::vector<PdFunction>& functions) const {
    const std::size_t size = rows_->samples()[sample].rows.rows();
    for (PdFunction& function : functions) function.complement.emplace_back(size * outputs());
    for (std::size_t row = 0; row < rows.rows.size(); ++row) {
      if (rows.rows[row] >= size) throw Error(ErrorKind::data, "saved partial result is of other rows");
      for (std::size_t at = 0; at < width(); ++at)
        functions[at / outputs()].complement[sample][rows.rows[row] * outputs() + at % outputs()] =
            rows.numbers[row * width() + at];
    }
  }

  void add_values(const ComplementSums& found, std::size_t sample, std::vector<PdFunction>& functions) const {
    if (counted()) {
      std::vector<LeafCounts::Axis> axes;
      for (const PdTask& task : tasks_)
        axes.push_back({rows_->features()[task.subset[0]], rows_->samples()[sample].values[task.subset[0]]});
      auto singles = rows_->counts()[sample]->singles(axes, input_.explained);
      for (std::size_t task = 0; task < tasks_.size(); ++task)
        functions[task].values.push_back(std::move(singles[task]));
      return;
    }
    for (std::size_t task = 0; task < tasks_.size(); ++task) {
      TreeMeans means = own_[task];
      means.finish(found.leaves[task * samples() + sample], found.totals[sample]);
      functions[task].values.push_back(pd_at_points(input_, *rows_, means, tasks_[task], sample));
    }
  }

  [[nodiscard]] bool varies(const PdFunction& function, std::size_t k) const {
    for (const auto& values : function.values) {
      for (std::size_t at = k; at < values.size(); at += outputs()) {
        if (std::abs(values[at] - values[k]) > least_[k]) return true;
      }
    }
    return false;
  }

  MethodInput input_;
  const TreeRows& trees_;
  std::shared_ptr<const PdRows> rows_;
  std::vector<PdTask> tasks_;
  std::vector<double> least_;    // [output]: changes that are more than rounding
  std::vector<TreeMeans> rest_;  // [task × samples + sample]
  std::vector<TreeMeans> own_;   // [task]
};

}  // namespace

Chain<std::vector<PdFunction>> pd_tree_complements(const MethodInput& input, std::shared_ptr<const PdRows> rows,
                                                   std::vector<PdTask> tasks) {
  return over_rows<ComplementPass>(input, std::move(rows), std::move(tasks));
}

}  // namespace sightglass
