#include "sightglass/methods/interactions/dependence/pd_tree_means.h"

#include "sightglass/methods/interactions/dependence/pd_tree_rows_internal.h"

namespace sightglass {

namespace {

struct Counts {
  std::vector<std::vector<std::uint64_t>> leaves;  // [task × samples + sample][leaf]
  std::vector<std::uint64_t> totals;               // [sample]

  static auto members() { return std::tuple(&Counts::leaves, &Counts::totals); }
};

class MeansPass : public Pass<Counts, std::vector<PdFunction>> {
 public:
  MeansPass(const MethodInput& input, std::shared_ptr<const PdRows> rows, std::vector<PdTask> tasks)
      : input_(input), trees_(*input.trees), rows_(std::move(rows)), tasks_(std::move(tasks)) {
    for (const PdTask& task : tasks_) {
      std::vector<std::size_t> slots;
      for (const std::size_t feature : task.subset) {
        if (const auto slot = trees_.slot(rows_->features()[feature])) slots.push_back(*slot);
      }
      means_.emplace_back(trees_.parts(), trees_.codes(), *trees_.edges(), slots, input.explained);
    }
  }

  [[nodiscard]] std::vector<std::uint32_t> columns() const override { return input_.features; }
  [[nodiscard]] bool needs_model() const override { return false; }
  [[nodiscard]] Counts empty() const override {
    const std::vector<std::uint64_t> none(trees_.edges()->leaves().size());
    return {.leaves = std::vector(tasks_.size() * samples(), none), .totals = std::vector<std::uint64_t>(samples())};
  }

  void map(const RowBlock& block, Counts& counts, Evaluator& evaluator) const override {
    const auto sets = pd_row_sets(input_, *rows_, block, false, counts.totals, evaluator.context());
    pd_count(
        input_, means_, sets,
        [&](std::size_t task, std::size_t sample) { return counts.leaves[task * samples() + sample].data(); },
        evaluator.context());
  }

  [[nodiscard]] std::vector<PdFunction> find(const Counts& counts) const override {
    std::vector<PdFunction> functions;
    for (std::size_t task = 0; task < tasks_.size(); ++task) {
      PdFunction function{.task = tasks_[task]};
      for (std::size_t sample = 0; sample < samples(); ++sample) {
        TreeMeans means = means_[task];
        means.finish(counts.leaves[task * samples() + sample], counts.totals[sample]);
        function.values.push_back(pd_at_points(input_, *rows_, means, tasks_[task], sample));
      }
      functions.push_back(std::move(function));
    }
    return functions;
  }

 private:
  [[nodiscard]] std::size_t samples() const { return rows_->samples().size(); }

  MethodInput input_;
  const TreeRows& trees_;
  std::shared_ptr<const PdRows> rows_;
  std::vector<PdTask> tasks_;
  std::vector<TreeMeans> means_;
};

}  // namespace

bool pd_means_by_trees(const MethodInput& input) {
  return input.trees != nullptr && input.trees->adds_up(input.scale) && input.trees->edges() != nullptr &&
         !input.trees->parts().trees.empty();
}

std::size_t pd_means_bytes(const MethodInput& input) {
  if (!pd_means_by_trees(input)) return 0;
  // Counts of leaves, and what is below each edge: there are about two of these for a leaf.
  const std::size_t leaves = input.trees->edges()->leaves().size();
  return leaves * (sizeof(std::uint64_t) + 2 * (1 + input.explained.size() * sizeof(double)));
}

Chain<std::vector<PdFunction>> pd_tree_means(const MethodInput& input, std::shared_ptr<const PdRows> rows,
                                             std::vector<PdTask> tasks) {
  return over_rows<MeansPass>(input, std::move(rows), std::move(tasks));
}

}  // namespace sightglass
