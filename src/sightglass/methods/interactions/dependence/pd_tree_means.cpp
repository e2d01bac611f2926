#include "sightglass/methods/interactions/dependence/pd_tree_means.h"

#include "sightglass/methods/interactions/dependence/pd_tree_rows_internal.h"

namespace sightglass {

namespace {

struct Counts : Partial {
  std::vector<std::vector<std::uint64_t>> leaves;  // [task × samples + sample][leaf]
  std::vector<std::uint64_t> totals;               // [sample]

  void merge(const Partial& partial) override {
    const auto& other = dynamic_cast<const Counts&>(partial);
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      for (std::size_t leaf = 0; leaf < leaves[i].size(); ++leaf) leaves[i][leaf] += other.leaves[i][leaf];
    }
    for (std::size_t sample = 0; sample < totals.size(); ++sample) totals[sample] += other.totals[sample];
  }
  void save(ByteSink& sink) const override {
    for (const auto& each : leaves) {
      for (const std::uint64_t count : each) sink.u64(count);
    }
    for (const std::uint64_t total : totals) sink.u64(total);
  }
  void load(ByteSource& source) override {
    for (auto& each : leaves) {
      for (std::uint64_t& count : each) count = source.u64();
    }
    for (std::uint64_t& total : totals) total = source.u64();
  }
};

class MeansStage : public Stage {
 public:
  MeansStage(const MethodInput& input, std::shared_ptr<const PdRows> rows, std::vector<PdTask> tasks,
             std::function<Next(std::vector<PdFunction>)> then)
      : input_(input), trees_(*input.trees), rows_(std::move(rows)), tasks_(std::move(tasks)), then_(std::move(then)) {
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
  [[nodiscard]] std::unique_ptr<Partial> empty() const override {
    auto counts = std::make_unique<Counts>();
    counts->leaves.assign(tasks_.size() * samples(), std::vector<std::uint64_t>(trees_.edges()->leaves().size()));
    counts->totals.resize(samples());
    return counts;
  }

  void map(const RowBlock& block, Partial& partial, Evaluator& evaluator) const override {
    auto& counts = dynamic_cast<Counts&>(partial);
    const auto sets = pd_row_sets(input_, *rows_, block, false, counts.totals, evaluator.context());
    pd_count(
        input_, means_, sets,
        [&](std::size_t task, std::size_t sample) { return counts.leaves[task * samples() + sample].data(); },
        evaluator.context());
  }

  [[nodiscard]] Next next(const Partial& merged) const override {
    const auto& counts = dynamic_cast<const Counts&>(merged);
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
    return then_(std::move(functions));
  }

 private:
  [[nodiscard]] std::size_t samples() const { return rows_->samples().size(); }

  MethodInput input_;
  const TreeRows& trees_;
  std::shared_ptr<const PdRows> rows_;
  std::vector<PdTask> tasks_;
  std::vector<TreeMeans> means_;
  std::function<Next(std::vector<PdFunction>)> then_;
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

std::unique_ptr<Stage> pd_tree_means(const MethodInput& input, std::shared_ptr<const PdRows> rows,
                                     std::vector<PdTask> tasks, std::function<Next(std::vector<PdFunction>)> then) {
  return std::make_unique<MeansStage>(input, std::move(rows), std::move(tasks), std::move(then));
}

}  // namespace sightglass
