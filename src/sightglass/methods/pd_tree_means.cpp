#include "sightglass/methods/pd_tree_means.h"

#include <algorithm>

#include "sightglass/methods/ticks.h"
#include "sightglass/model/trees/tree_means_internal.h"
#include "sightglass/model/trees/tree_rows.h"

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
      : input_(input),
        trees_(*input.trees),
        rows_(std::move(rows)),
        ticks_(input),
        tasks_(std::move(tasks)),
        then_(std::move(then)) {
    for (const PdTask& task : tasks_) {
      std::vector<std::size_t> slots;
      for (const std::size_t feature : task.subset) {
        if (const auto slot = trees_.slot(rows_->features()[feature])) slots.push_back(*slot);
      }
      means_.emplace_back(trees_.parts(), trees_.codes(), *trees_.edges(), slots);
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
    const Context& context = evaluator.context();
    const std::size_t slots = trees_.codes().slots();
    // Sets of 256 rows of a sample each.
    struct Set {
      std::size_t sample;
      RowSet rows{};
      std::vector<std::uint16_t> codes;
      std::vector<std::uint64_t> ticks;  // by place
      std::size_t count = 0;
    };
    std::vector<Set> sets;
    std::vector<std::size_t> open(samples(), SIZE_MAX);
    std::vector<std::uint16_t> codes(slots * block.rows);
    trees_.encode(block, 0, block.rows, codes.data(), block.rows);
    for (std::size_t row = 0; row < block.rows; ++row) {
      const PdRows::Place* place = rows_->find(block.row_id(row));
      if (place == nullptr) continue;
      if (open[place->sample] == SIZE_MAX || sets[open[place->sample]].count == set_rows) {
        open[place->sample] = sets.size();
        sets.push_back({.sample = place->sample,
                        .codes = std::vector<std::uint16_t>(slots * set_rows),
                        .ticks = std::vector<std::uint64_t>(input_.weighted ? set_rows : 0)});
      }
      Set& set = sets[open[place->sample]];
      const std::size_t at = set.count++;
      for (std::size_t slot = 0; slot < slots; ++slot) set.codes[slot * set_rows + at] = codes[slot * block.rows + row];
      set.rows.words[at / 64] |= row_bit(at);
      const std::uint64_t ticks = ticks_.of(block, row);
      if (input_.weighted) set.ticks[place_of_row(at)] = ticks;
      counts.totals[place->sample] += ticks;
    }
    context.parallel_for(tasks_.size(), [&](std::size_t task) {
      ConditionSets conditions(trees_.codes());
      TreeMeans::Workspace workspace(means_[task]);
      for (const Set& set : sets) {
        context.check();
        conditions.find(set.codes.data());
        means_[task].count(conditions.sets(), set.rows, input_.weighted ? set.ticks.data() : nullptr,
                           counts.leaves[task * samples() + set.sample].data(), workspace);
      }
    });
  }

  [[nodiscard]] Next next(const Partial& merged) const override {
    const auto& counts = dynamic_cast<const Counts&>(merged);
    std::vector<PdFunction> functions;
    for (std::size_t task = 0; task < tasks_.size(); ++task) {
      PdFunction function{.task = tasks_[task]};
      for (std::size_t sample = 0; sample < samples(); ++sample) {
        TreeMeans means = means_[task];
        means.finish(counts.leaves[task * samples() + sample], counts.totals[sample]);
        function.values.push_back(at_points(means, tasks_[task], sample));
      }
      functions.push_back(std::move(function));
    }
    return then_(std::move(functions));
  }

 private:
  [[nodiscard]] std::size_t samples() const { return rows_->samples().size(); }

  // [point × outputs + output]
  [[nodiscard]] std::vector<double> at_points(const TreeMeans& means, const PdTask& task, std::size_t sample) const {
    const PdPoints& points = task.points[sample];
    const std::size_t outputs = trees_.parts().base.size();
    std::vector<std::vector<std::uint16_t>> codes(task.subset.size());  // [part][single point]
    std::vector<std::optional<std::size_t>> slots;
    for (std::size_t part = 0; part < task.subset.size(); ++part) {
      slots.push_back(trees_.slot(rows_->features()[task.subset[part]]));
      for (const double value : rows_->samples()[sample].values[task.subset[part]])
        codes[part].push_back(slots[part] ? trees_.code(*slots[part], value) : std::uint16_t{0});
    }
    ConditionSets conditions(trees_.codes());
    TreeMeans::Workspace workspace(means);
    std::vector<std::uint16_t> set_codes(trees_.codes().slots() * set_rows);
    std::vector<double> found(set_rows * outputs), values;
    for (std::size_t first = 0; first < points.size(); first += set_rows) {
      const std::size_t count = std::min(set_rows, points.size() - first);
      for (std::size_t part = 0; part < slots.size(); ++part) {
        if (!slots[part]) continue;
        for (std::size_t i = 0; i < count; ++i)
          set_codes[*slots[part] * set_rows + i] = codes[part][points.parts[part][first + i]];
      }
      conditions.find(set_codes.data());
      means.find(conditions.sets(), first_rows(count), found.data(), workspace);
      for (std::size_t i = 0; i < count; ++i) {
        for (const std::size_t output : input_.explained) values.push_back(found[place_of_row(i) * outputs + output]);
      }
    }
    return values;
  }

  MethodInput input_;
  const TreeRows& trees_;
  std::shared_ptr<const PdRows> rows_;
  Ticks ticks_;
  std::vector<PdTask> tasks_;
  std::vector<TreeMeans> means_;
  std::function<Next(std::vector<PdFunction>)> then_;
};

}  // namespace

bool pd_means_by_trees(const MethodInput& input) {
  return input.trees != nullptr && input.trees->adds_up(input.scale) && input.trees->edges() != nullptr &&
         !input.trees->parts().trees.empty();
}

std::unique_ptr<Stage> pd_tree_means(const MethodInput& input, std::shared_ptr<const PdRows> rows,
                                     std::vector<PdTask> tasks, std::function<Next(std::vector<PdFunction>)> then) {
  return std::make_unique<MeansStage>(input, std::move(rows), std::move(tasks), std::move(then));
}

}  // namespace sightglass
