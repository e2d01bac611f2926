#include "sightglass/methods/pd_tree_counts.h"

#include <algorithm>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/methods/pd_at_rows.h"
#include "sightglass/methods/ticks.h"
#include "sightglass/model/trees/tree_dependence_internal.h"
#include "sightglass/model/trees/tree_rows.h"

namespace sightglass {

namespace {

// Counts of deep forests are many: beyond this, samples of rows serve better.
constexpr std::size_t most_count_bytes = std::size_t{1} << 30;
constexpr std::size_t encoded_at_once = 4096;

class LeafCounts : public Partial {
 public:
  std::vector<std::vector<std::uint64_t>> counted;  // per sample
  std::vector<std::uint64_t> totals;

  void merge(const Partial& partial) override {
    const auto& other = dynamic_cast<const LeafCounts&>(partial);
    for (std::size_t s = 0; s < counted.size(); ++s) {
      for (std::size_t i = 0; i < counted[s].size(); ++i) counted[s][i] += other.counted[s][i];
      totals[s] += other.totals[s];
    }
  }
  void save(ByteSink& sink) const override {
    for (std::size_t s = 0; s < counted.size(); ++s) {
      for (const std::uint64_t count : counted[s]) sink.u64(count);
      sink.u64(totals[s]);
    }
  }
  void load(ByteSource& source) override {
    for (std::size_t s = 0; s < counted.size(); ++s) {
      for (std::uint64_t& count : counted[s]) count = source.u64();
      totals[s] = source.u64();
    }
  }
};

class CountStage : public Stage {
 public:
  CountStage(const MethodInput& input, std::shared_ptr<const PdRows> rows,
             std::function<Next(std::shared_ptr<const PdTreeCounts>)> then)
      : input_(input),
        trees_(*input.trees),
        counts_(std::make_shared<const TreeCounts>(trees_.parts(), trees_.codes(), 2)),
        rows_(std::move(rows)),
        ticks_(input),
        then_(std::move(then)) {}

  [[nodiscard]] std::vector<std::uint32_t> columns() const override { return input_.features; }
  [[nodiscard]] bool needs_model() const override { return false; }
  [[nodiscard]] std::unique_ptr<Partial> empty() const override {
    auto partial = std::make_unique<LeafCounts>();
    partial->counted.assign(rows_->samples().size(), std::vector<std::uint64_t>(counts_->size()));
    partial->totals.resize(rows_->samples().size());
    return partial;
  }

  void map(const RowBlock& block, Partial& partial, Evaluator& evaluator) const override {
    auto& counts = dynamic_cast<LeafCounts&>(partial);
    const Context& context = evaluator.context();
    const std::size_t slots = trees_.codes().slots();
    std::vector<std::vector<std::size_t>> drawn(rows_->samples().size());
    for (std::size_t row = 0; row < block.rows; ++row) {
      if (const PdRows::Place* place = rows_->find(block.row_id(row))) drawn[place->sample].push_back(row);
    }
    std::vector<std::uint16_t> codes(slots * block.rows);
    context.parallel_for((block.rows + encoded_at_once - 1) / encoded_at_once, [&](std::size_t task) {
      const std::size_t first = task * encoded_at_once;
      trees_.encode(block, first, std::min(encoded_at_once, block.rows - first), codes.data() + first, block.rows);
    });
    for (std::size_t sample = 0; sample < drawn.size(); ++sample) {
      const auto& used = drawn[sample];
      if (used.empty()) continue;
      std::vector<std::uint16_t> own;
      TreeCounts::Rows rows{.codes = codes.data(), .stride = block.rows, .rows = used.size()};
      if (used.size() < block.rows) {
        own.resize(slots * used.size());
        for (std::size_t slot = 0; slot < slots; ++slot) {
          for (std::size_t i = 0; i < used.size(); ++i)
            own[slot * used.size() + i] = codes[slot * block.rows + used[i]];
        }
        rows.codes = own.data();
        rows.stride = used.size();
      }
      std::vector<std::uint64_t> ticks;
      for (const std::size_t row : used) {
        if (input_.weighted) ticks.push_back(ticks_.of(block, row));
        counts.totals[sample] += input_.weighted ? ticks.back() : 1;
      }
      if (input_.weighted) rows.ticks = ticks.data();
      add(rows, counts.counted[sample].data(), context);
    }
  }

  [[nodiscard]] Next next(const Partial& merged) const override {
    const auto& counts = dynamic_cast<const LeafCounts&>(merged);
    return then_(std::make_shared<const PdTreeCounts>(trees_, counts_, counts.counted, counts.totals));
  }

 private:
  // Threads share the trees.
  void add(const TreeCounts::Rows& rows, std::uint64_t* counts, const Context& context) const {
    const auto trees = static_cast<std::uint32_t>(trees_.parts().trees.size());
    const auto parts = static_cast<std::uint32_t>(std::max(1, context.threads()));
    context.parallel_for(parts, [&](std::size_t part) {
      const auto begin = static_cast<std::uint32_t>(std::uint64_t{trees} * part / parts);
      const auto end = static_cast<std::uint32_t>(std::uint64_t{trees} * (part + 1) / parts);
      if (begin == end) return;
      TreeCounts::Workspace workspace(*counts_);
      counts_->add({begin, end}, rows, counts, workspace);
    });
  }

  MethodInput input_;
  const TreeRows& trees_;
  std::shared_ptr<const TreeCounts> counts_;
  std::shared_ptr<const PdRows> rows_;
  Ticks ticks_;
  std::function<Next(std::shared_ptr<const PdTreeCounts>)> then_;
};

// The codes of a feature's points, and which of them each point has.
struct PointCodes {
  std::vector<std::uint32_t> codes;  // different ones, ascending
  std::vector<std::uint32_t> of_point;
};

PointCodes point_codes(const TreeRows& trees, std::size_t slot, const std::vector<double>& values) {
  PointCodes points;
  for (const double value : values) points.of_point.push_back(trees.code(slot, value));
  points.codes = points.of_point;
  std::sort(points.codes.begin(), points.codes.end());
  points.codes.erase(std::unique(points.codes.begin(), points.codes.end()), points.codes.end());
  for (std::uint32_t& code : points.of_point) {
    code = static_cast<std::uint32_t>(std::lower_bound(points.codes.begin(), points.codes.end(), code) -
                                      points.codes.begin());
  }
  return points;
}

}  // namespace

bool PdTreeCounts::possible(const MethodInput& input) {
  if (input.trees == nullptr) return false;
  const auto& parts = input.trees->parts();
  if (input.scale == Scale::response && parts.link.link != Link::identity) return false;
  return TreeCounts::ranges(parts, 2, most_count_bytes).size() <= 1;
}

PdTreeCounts::PdTreeCounts(const TreeRows& trees, std::shared_ptr<const TreeCounts> counts,
                           std::vector<std::vector<std::uint64_t>> counted, std::vector<std::uint64_t> totals)
    : trees_(trees), counts_(std::move(counts)), counted_(std::move(counted)), totals_(std::move(totals)) {}

std::size_t PdTreeCounts::table_size(const PdRows& rows, const PdSubset& pair) const {
  std::size_t most = 0;
  for (const PdSample& sample : rows.samples())
    most = std::max(most, sample.values[pair[0]].size() * sample.values[pair[1]].size());
  return most * trees_.parts().base.size();
}

std::vector<std::vector<std::vector<double>>> PdTreeCounts::values(const PdRows& rows, const std::vector<PdTask>& pairs,
                                                                   const std::vector<std::size_t>& outputs) const {
  std::vector<std::vector<std::vector<double>>> values(pairs.size());
  for (std::size_t s = 0; s < rows.samples().size(); ++s) {
    const PdSample& sample = rows.samples()[s];
    const auto slot_of = [&](std::size_t feature) { return trees_.slot(rows.features()[feature]); };
    std::vector<PointCodes> points(rows.features().size());
    for (const PdTask& task : pairs) {
      for (const std::size_t feature : task.subset) {
        if (const auto slot = slot_of(feature); slot && points[feature].codes.empty())
          points[feature] = point_codes(trees_, *slot, sample.values[feature]);
      }
    }
    std::vector<TreeDependence::Pair> wanted;
    std::vector<std::size_t> number(pairs.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const auto first = slot_of(pairs[i].subset[0]), second = slot_of(pairs[i].subset[1]);
      number[i] = wanted.size();
      if (first && second) {
        wanted.push_back({.first = static_cast<std::uint32_t>(*first),
                          .second = static_cast<std::uint32_t>(*second),
                          .first_codes = points[pairs[i].subset[0]].codes,
                          .second_codes = points[pairs[i].subset[1]].codes});
      }
    }
    TreeDependence dependence(trees_.parts(), trees_.codes(), totals_[s], std::move(wanted));
    dependence.add(*counts_, counted_[s]);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const PdPoints& at = pairs[i].points[s];
      const PointCodes &first = points[pairs[i].subset[0]], &second = points[pairs[i].subset[1]];
      auto& numbers = values[i].emplace_back(at.size() * outputs.size());
      for (std::size_t k = 0; k < outputs.size(); ++k) {
        const bool both = !first.codes.empty() && !second.codes.empty();
        std::vector<double> table;
        if (both) {
          table = dependence.pair(number[i], outputs[k]);
        } else if (!first.codes.empty() || !second.codes.empty()) {
          // No split looks at the other one.
          const std::size_t feature = pairs[i].subset[first.codes.empty() ? 1 : 0];
          const auto single = dependence.single(*slot_of(feature), outputs[k]);
          for (const std::uint32_t code : points[feature].codes) table.push_back(single[code]);
        } else {
          table = {dependence.mean(outputs[k])};
        }
        for (std::size_t point = 0; point < at.size(); ++point) {
          std::size_t cell = 0;
          if (!first.codes.empty()) cell = first.of_point[at.parts[0][point]];
          if (!second.codes.empty()) cell = cell * second.codes.size() + second.of_point[at.parts[1][point]];
          numbers[point * outputs.size() + k] = table[cell];
        }
      }
    }
  }
  return values;
}

std::unique_ptr<Stage> count_pd_rows(const MethodInput& input, std::shared_ptr<const PdRows> rows,
                                     std::function<Next(std::shared_ptr<const PdTreeCounts>)> then) {
  return std::make_unique<CountStage>(input, std::move(rows), std::move(then));
}

}  // namespace sightglass
