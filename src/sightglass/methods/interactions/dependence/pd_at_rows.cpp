#include "sightglass/methods/interactions/dependence/pd_at_rows.h"

#include <algorithm>
#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/data/picked_block.h"
#include "sightglass/methods/effects/curves/leaf_counts.h"
#include "sightglass/methods/interactions/dependence/pd_tree_means.h"
#include "sightglass/numeric/exact_sum.h"

namespace sightglass {

namespace {

// Some points of a task in one sample: what one pass works on.
struct Range {
  std::size_t task, sample, first, count;
};

// A sum in twice the precision of a double. Always added to in the same order: the points of a task.
struct Sum {
  double high = 0, low = 0;

  void add(double value) {
    const double sum = high + value;
    const double shadow = sum - high;
    low += (high - (sum - shadow)) + (value - shadow);
    high = sum;
  }
  void add_product(double a, double b) {
    const double product = a * b;
    add(product);
    low += std::fma(a, b, -product);
  }
};

struct Work {
  std::shared_ptr<const PdRows> rows;
  std::vector<std::size_t> explained;
  std::vector<Range> ranges;
  std::uint64_t data_rows = 0;
  std::size_t sums_at_once = 0;
  std::vector<PdFunction> functions;
  std::vector<std::vector<std::vector<Sum>>> complements;  // [task][sample][row × outputs + output]
  std::size_t first = 0;                                   // the ranges before are done
};
using WorkPtr = std::shared_ptr<const Work>;

// What is kept of one range.
struct RangeSums {
  std::vector<ExactSum> points;  // [point × outputs + output]
  // Rows of complements, by their place in the sample: a sum per output, high and low.
  RowNumbers complements;
  std::vector<Seen> matters;  // [output]: whether points differ for any row

  static auto members() { return std::tuple(&RangeSums::points, &RangeSums::complements, &RangeSums::matters); }
};
using Sums = std::vector<RangeSums>;

// The rows of a block that belong to one sample.
struct Drawn {
  std::vector<std::uint64_t> local, places;
  std::vector<double> weights;

  [[nodiscard]] Drawn part(std::size_t first, std::size_t count) const {
    const auto cut = [&](const auto& all) {
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
      return std::decay_t<decltype(all)>(begin,
                                         begin + static_cast<std::ptrdiff_t>(std::min(count, all.size() - first)));
    };
    return {.local = cut(local), .places = cut(places), .weights = cut(weights)};
  }
};

class PdPass : public Pass<Sums, WorkPtr> {
 public:
  // Works on ranges [first, last).
  explicit PdPass(WorkPtr work) : work_(std::move(work)), first_(work_->first), last_(first_) {
    std::size_t sums = 0;
    const std::size_t outputs = work_->explained.size();
    while (last_ < work_->ranges.size() &&
           (last_ == first_ || sums + work_->ranges[last_].count * outputs <= work_->sums_at_once)) {
      sums += work_->ranges[last_++].count * outputs;
    }
  }

  [[nodiscard]] std::vector<std::uint32_t> columns() const override { return {}; }
  [[nodiscard]] bool needs_model() const override { return true; }
  [[nodiscard]] std::uint64_t cost_per_row() const override {
    std::uint64_t total = 0;
    for (std::size_t i = first_; i < last_; ++i) {
      total += work_->ranges[i].count * work_->rows->samples()[work_->ranges[i].sample].rows.rows();
    }
    return (total + work_->data_rows - 1) / work_->data_rows;
  }

  [[nodiscard]] Sums empty() const override {
    Sums sums;
    const std::size_t outputs = work_->explained.size();
    for (std::size_t i = first_; i < last_; ++i) {
      sums.push_back({.points = std::vector<ExactSum>(work_->ranges[i].count * outputs),
                      .complements = RowNumbers(2 * outputs),
                      .matters = std::vector<Seen>(outputs)});
    }
    return sums;
  }

  void map(const RowBlock& block, Sums& sums, Evaluator& evaluator) const override {
    std::vector<Drawn> drawn(work_->rows->samples().size());
    for (std::size_t row = 0; row < block.rows; ++row) {
      const PdRows::Place* place = work_->rows->find(block.row_id(row));
      if (place == nullptr) continue;
      Drawn& rows = drawn[place->sample];
      rows.local.push_back(row);
      rows.places.push_back(place->row);
      rows.weights.push_back(work_->rows->samples()[place->sample].rows.weights[place->row]);
    }
    std::size_t most = 1;
    for (std::size_t i = first_; i < last_; ++i) most = std::max(most, work_->ranges[i].count);
    const std::size_t at_once = rows_per_request(std::min(most, variants_at_once));
    for (std::size_t sample = 0; sample < drawn.size(); ++sample) {
      for (std::size_t first = 0; first < drawn[sample].local.size(); first += at_once)
        map_sample(block, sample, drawn[sample].part(first, at_once), sums, evaluator);
    }
  }

  [[nodiscard]] WorkPtr find(const Sums& sums) const override {
    const std::size_t outputs = work_->explained.size();
    auto work = std::make_shared<Work>(*work_);
    for (std::size_t i = first_; i < last_; ++i) {
      const Range& range = work_->ranges[i];
      const RangeSums& found = sums[i - first_];
      const double weight = work_->rows->samples()[range.sample].weight;
      const std::size_t sample_rows = work_->rows->samples()[range.sample].rows.rows();
      for (const std::uint64_t row : found.complements.rows) {
        if (row >= sample_rows || !work_->functions[range.task].task.complement)
          throw Error(ErrorKind::data, "saved partial result is of other rows");
      }
      auto& values = work->functions[range.task].values[range.sample];
      for (std::size_t at = 0; at < found.points.size(); ++at)
        values[range.first * outputs + at] = found.points[at].value() / weight;
      // A task that is cut into ranges is seen whole in its means.
      auto& matters = work->functions[range.task].matters;
      for (std::size_t k = 0; k < matters.size(); ++k) {
        if (found.matters[k].any || (range.first > 0 && values[range.first * outputs + k] != values[k]))
          matters[k] = true;
      }
      for (std::size_t row = 0; row < found.complements.rows.size(); ++row) {
        for (std::size_t k = 0; k < outputs; ++k) {
          const double* from = found.complements.numbers.data() + 2 * (row * outputs + k);
          Sum& sum = work->complements[range.task][range.sample][found.complements.rows[row] * outputs + k];
          sum.add(from[0]);
          sum.low += from[1];
        }
      }
    }
    work->first = last_;
    return work;
  }

 private:
  void map_sample(const RowBlock& block, std::size_t sample, const Drawn& rows, Sums& sums,
                  Evaluator& evaluator) const {
    const PickedBlock picked(block, rows.local);
    const RowBlock& part = picked.block();
    Matrix predictions;
    for (std::size_t i = first_; i < last_; ++i) {
      const Range& range = work_->ranges[i];
      if (range.sample != sample) continue;
      const bool complement = work_->functions[range.task].task.complement;
      std::vector<Sum> by_row(complement ? part.rows * work_->explained.size() : 0);
      std::vector<double> first;
      for (std::size_t begin = 0; begin < range.count; begin += variants_at_once) {
        const std::size_t count = std::min(variants_at_once, range.count - begin);
        evaluator.evaluate(part, variants(range, begin, count), predictions);
        add_points(predictions, rows, begin, count, sums[i - first_].points, evaluator.context());
        if (!complement) continue;
        add_rows(predictions, range, begin, count, by_row, evaluator.context());
        note_changes(predictions, part.rows, begin == 0, first, sums[i - first_].matters);
      }
      if (!complement) continue;
      RowNumbers& kept = sums[i - first_].complements;
      kept.rows.insert(kept.rows.end(), rows.places.begin(), rows.places.end());
      for (const Sum& sum : by_row) kept.numbers.insert(kept.numbers.end(), {sum.high, sum.low});
    }
  }

  [[nodiscard]] std::vector<Variant> variants(const Range& range, std::size_t begin, std::size_t count) const {
    const PdTask& task = work_->functions[range.task].task;
    const PdSample& sample = work_->rows->samples()[range.sample];
    std::vector<Variant> variants(count);
    for (std::size_t v = 0; v < count; ++v) {
      for (std::size_t part = 0; part < task.subset.size(); ++part) {
        const std::size_t feature = task.subset[part];
        const std::uint32_t point = task.points[range.sample].parts[part][range.first + begin + v];
        variants[v].push_back({work_->rows->features()[feature], Scalar::of(sample.values[feature][point])});
      }
    }
    return variants;
  }

  // Σ over rows, for each point.
  void add_points(const Matrix& predictions, const Drawn& rows, std::size_t begin, std::size_t count,
                  std::vector<ExactSum>& sums, const Context& context) const {
    const std::size_t height = rows.weights.size();
    const std::size_t outputs = work_->explained.size();
    const bool plain = std::all_of(rows.weights.begin(), rows.weights.end(), [](double w) { return w == 1; });
    context.parallel_for(count, [&](std::size_t v) {
      std::vector<double> values(height), low(plain ? 0 : height);
      for (std::size_t k = 0; k < outputs; ++k) {
        for (std::size_t row = 0; row < height; ++row) {
          values[row] = predictions(v * height + row, work_->explained[k]);
          if (plain) continue;
          const double product = values[row] * rows.weights[row];
          low[row] = std::fma(values[row], rows.weights[row], -product);
          values[row] = product;
        }
        ExactSum& sum = sums[(begin + v) * outputs + k];
        sum.add_all(values);
        sum.add_all(low);
      }
    });
  }

  // Σ over points, for each row.
  void add_rows(const Matrix& predictions, const Range& range, std::size_t begin, std::size_t count,
                std::vector<Sum>& sums, const Context& context) const {
    constexpr std::size_t rows_per_task = 256;
    const std::size_t outputs = work_->explained.size();
    const std::size_t height = sums.size() / outputs;
    const auto& points = work_->functions[range.task].task.points[range.sample];
    const bool plain = work_->functions[range.task].task.subset.empty();
    context.parallel_for((height + rows_per_task - 1) / rows_per_task, [&](std::size_t task) {
      const std::size_t end = std::min(height, (task + 1) * rows_per_task);
      for (std::size_t v = 0; v < count; ++v) {
        const double weight = plain ? 1 : points.weights[range.first + begin + v];
        if (weight == 0) continue;
        for (std::size_t row = task * rows_per_task; row < end; ++row) {
          for (std::size_t k = 0; k < outputs; ++k)
            sums[row * outputs + k].add_product(weight, predictions(v * height + row, work_->explained[k]));
        }
      }
    });
  }

  // Whether any row's prediction is not the one at the first point, which `first` remembers.
  void note_changes(const Matrix& predictions, std::size_t height, bool begins, std::vector<double>& first,
                    std::vector<Seen>& matters) const {
    const std::size_t outputs = work_->explained.size();
    for (std::size_t k = 0; k < outputs; ++k) {
      if (begins) {
        first.resize(height * outputs);
        for (std::size_t row = 0; row < height; ++row) first[k * height + row] = predictions(row, work_->explained[k]);
      }
      for (std::size_t at = 0; at < predictions.rows() && !matters[k].any; ++at)
        matters[k].any = predictions(at, work_->explained[k]) != first[k * height + at % height];
    }
  }

  WorkPtr work_;
  std::size_t first_, last_;
};

// Whether a function needs no prediction.
bool off_counts(const PdRows& rows, const PdTask& task) {
  return !rows.counts().empty() && task.subset.size() == 2 && !task.complement;
}
bool by_means(const PdRows& rows, const PdTask& task) {
  return rows.averaged() && task.subset.size() > 2 && !task.complement;
}
// Of a feature with many values, whose every row would have to be predicted under each of them.
bool by_complement(const PdRows& rows, const PdTask& task) {
  return rows.averaged() && task.subset.size() == 1 && task.complement &&
         std::any_of(rows.samples().begin(), rows.samples().end(), [&](const PdSample& sample) {
           return sample.singles[task.subset[0]].size() > pd_means_least_points;
         });
}
enum Kind : std::uint8_t { counted, averaged, complemented, asked };
Kind kind_of(const PdRows& rows, const PdTask& task) {
  return off_counts(rows, task)      ? counted
         : by_means(rows, task)      ? averaged
         : by_complement(rows, task) ? complemented
                                     : asked;
}

// Cells of all points of two features.
std::size_t table_size(const PdRows& rows, const PdSubset& pair) {
  std::size_t most = 0;
  for (const PdSample& sample : rows.samples())
    most = std::max(most, sample.values[pair[0]].size() * sample.values[pair[1]].size());
  return most;
}

// Beyond so many cells of a pair's table, of all outputs together, it is not made, and points are looked up by
// themselves, output after output.
constexpr std::size_t most_cells = std::size_t{1} << 20;

std::vector<PdFunction> from_counts(const PdRows& rows, std::vector<PdTask> tasks,
                                    const std::vector<std::size_t>& outputs) {
  std::vector<PdFunction> functions;
  for (PdTask& task : tasks) functions.push_back({.task = std::move(task)});
  for (std::size_t s = 0; s < rows.samples().size(); ++s) {
    const auto& values = rows.samples()[s].values;
    std::vector<LeafCounts::Pair> pairs;
    std::vector<LeafCounts::PairPoints> large;
    std::vector<PdFunction*> of_pair, of_large;
    for (PdFunction& function : functions) {
      function.values.emplace_back();
      const std::size_t first = function.task.subset[0], second = function.task.subset[1];
      const LeafCounts::Pair pair{{rows.features()[first], values[first]}, {rows.features()[second], values[second]}};
      if (table_size(rows, function.task.subset) * outputs.size() > most_cells) {
        const PdPoints& points = function.task.points[s];
        large.push_back({pair, points.parts[0], points.parts[1]});
        of_large.push_back(&function);
      } else {
        pairs.push_back(pair);
        of_pair.push_back(&function);
      }
    }
    const auto tables = rows.counts()[s]->pairs(pairs, outputs);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const PdPoints& points = of_pair[i]->task.points[s];
      auto& numbers = of_pair[i]->values.back();
      for (std::size_t point = 0; point < points.size(); ++point) {
        const std::size_t cell = points.parts[0][point] * pairs[i].second.values.size() + points.parts[1][point];
        for (std::size_t k = 0; k < outputs.size(); ++k) numbers.push_back(tables[i][cell * outputs.size() + k]);
      }
    }
    if (large.empty()) continue;
    auto numbers = rows.counts()[s]->at_points(large, outputs);
    for (std::size_t i = 0; i < large.size(); ++i) of_large[i]->values.back() = std::move(numbers[i]);
  }
  return functions;
}

// Range after range.
Chain<WorkPtr> ask_ranges(const WorkPtr& work) {  // NOLINT(misc-no-recursion)
  if (work->first == work->ranges.size()) return work;
  return over_rows<PdPass>(work).then(ask_ranges);
}

std::vector<PdFunction> functions_of(const Work& work) {
  std::vector<PdFunction> functions = work.functions;
  for (std::size_t task = 0; task < functions.size(); ++task) {
    PdFunction& function = functions[task];
    if (!function.task.complement) continue;
    for (std::size_t sample = 0; sample < function.complement.size(); ++sample) {
      // The weights of the points are the weights of the rows.
      const double weight = function.task.subset.empty() ? 1 : work.rows->samples()[sample].weight;
      for (std::size_t at = 0; at < function.complement[sample].size(); ++at) {
        const Sum& sum = work.complements[task][sample][at];
        function.complement[sample][at] = (sum.high + sum.low) / weight;
      }
    }
  }
  return functions;
}

// By predictions.
Chain<std::vector<PdFunction>> ask(const MethodInput& input, std::shared_ptr<const PdRows> rows,
                                   std::vector<PdTask> tasks, std::size_t sums_at_once) {
  auto work = std::make_shared<Work>(Work{
      .rows = std::move(rows), .explained = input.explained, .data_rows = input.rows, .sums_at_once = sums_at_once});
  const std::size_t outputs = input.explained.size();
  const std::size_t most = std::max<std::size_t>(1, sums_at_once / outputs);
  for (std::size_t task = 0; task < tasks.size(); ++task) {
    PdFunction function{.task = std::move(tasks[task])};
    if (function.task.complement) function.matters.resize(outputs);
    auto& complements = work->complements.emplace_back();
    for (std::size_t sample = 0; sample < work->rows->samples().size(); ++sample) {
      const std::size_t points = function.task.points[sample].size();
      function.values.emplace_back(points * outputs);
      if (function.task.complement) {
        const std::size_t size = work->rows->samples()[sample].rows.rows() * outputs;
        function.complement.emplace_back(size);
        complements.emplace_back(size);
      }
      for (std::size_t first = 0; first < points; first += most)
        work->ranges.push_back({task, sample, first, std::min(most, points - first)});
    }
    work->functions.push_back(std::move(function));
  }
  if (work->ranges.empty()) throw Error(ErrorKind::internal, "partial dependence of nothing");
  return ask_ranges(work).then([](const WorkPtr& done) { return functions_of(*done); });
}

// Besides exact sums: counts, tables of doubles and what is known of rows.
constexpr std::size_t bytes_of_sum = 560;
std::size_t other_bytes(const PdRows& rows, const PdTask& task, Kind kind, std::size_t outputs) {
  if (kind == asked) return 0;
  std::size_t numbers = 3 * rows.used();
  if (kind == counted) numbers += std::min(table_size(rows, task.subset) * outputs, most_cells);
  if (kind == complemented) numbers += 2 * rows.used() * outputs;
  const std::size_t leaves = kind == counted ? 0 : rows.samples().size() * rows.averaged_bytes();
  return numbers * sizeof(double) + leaves;
}

// Tasks by their kinds, each kind by the way that suits it.
struct Round {
  MethodInput input;
  std::shared_ptr<const PdRows> rows;
  std::size_t sums_at_once;
  std::vector<Kind> kinds = {};  // of all tasks, in their order
  std::vector<PdTask> of_kind[4] = {};
};
using Found = std::shared_ptr<const std::vector<PdFunction>>;

// The tasks of one kind.
Chain<std::vector<PdFunction>> find(const Round& round, Kind kind) {
  const std::vector<PdTask>& tasks = round.of_kind[kind];
  if (tasks.empty()) return std::vector<PdFunction>();
  switch (kind) {
    case counted: return from_counts(*round.rows, tasks, round.input.explained);
    case averaged: return pd_tree_means(round.input, round.rows, tasks);
    case complemented: return pd_tree_complements(round.input, round.rows, tasks);
    case asked: break;
  }
  return ask(round.input, round.rows, tasks, round.sums_at_once);
}

// What was found of the kinds before, and of this one and those behind it; all in the order of the tasks.
Chain<std::vector<PdFunction>> find_from(const std::shared_ptr<const Round>& round, const std::vector<Found>& found,
                                         Kind kind) {
  return find(*round, kind)
      .then([=](std::vector<PdFunction> functions) -> Chain<std::vector<PdFunction>> {  // NOLINT(misc-no-recursion)
        auto all = found;
        all.push_back(std::make_shared<const std::vector<PdFunction>>(std::move(functions)));
        if (kind < asked) return find_from(round, all, static_cast<Kind>(kind + 1));
        std::vector<PdFunction> in_order;
        std::size_t next[4] = {};
        for (const Kind each : round->kinds) in_order.push_back((*all[each])[next[each]++]);
        return in_order;
      });
}

}  // namespace

std::vector<PdTask> next_pd_tasks(const PdRows& rows, const std::vector<PdSubset>& subsets, std::size_t begin,
                                  bool complements, std::size_t outputs) {
  std::vector<PdTask> tasks;
  std::size_t sums = 0;
  for (std::size_t i = begin; i < subsets.size(); ++i) {
    PdTask task{.subset = subsets[i], .complement = complements};
    const Kind kind = kind_of(rows, task);
    for (const PdSample& sample : rows.samples()) {
      task.points.push_back(sample.points(subsets[i]));
      if (kind == asked) sums += task.points.back().size() * outputs;
    }
    sums += other_bytes(rows, task, kind, outputs) / bytes_of_sum;
    if (i > begin && sums > pd_sums_at_once) break;
    tasks.push_back(std::move(task));
  }
  return tasks;
}

PdFunction pd_from_complement(const PdRows& rows, PdSubset subset, const PdFunction& rest) {
  PdFunction function{.task = {.subset = std::move(subset)}};
  for (std::size_t sample = 0; sample < rows.samples().size(); ++sample) {
    const PdPoints points = rows.samples()[sample].points(function.task.subset);
    const std::size_t outputs = rest.complement[sample].size() / points.of_row.size();
    auto& values = function.values.emplace_back();
    for (const std::uint32_t row : points.row) {
      const auto first = rest.complement[sample].begin() + static_cast<std::ptrdiff_t>(row * outputs);
      values.insert(values.end(), first, first + static_cast<std::ptrdiff_t>(outputs));
    }
    function.task.points.push_back(points);
  }
  return function;
}

Chain<std::vector<PdFunction>> pd_at_rows(const MethodInput& input, const std::shared_ptr<const PdRows>& rows,
                                          std::vector<PdTask> tasks, std::size_t sums_at_once) {
  if (tasks.empty()) throw Error(ErrorKind::internal, "partial dependence of nothing");
  auto round = std::make_shared<Round>(Round{.input = input, .rows = rows, .sums_at_once = sums_at_once});
  for (PdTask& task : tasks) {
    round->kinds.push_back(kind_of(*rows, task));
    round->of_kind[round->kinds.back()].push_back(std::move(task));
  }
  // Most often all are of one kind.
  const Kind first = round->kinds.front();
  if (round->of_kind[first].size() == round->kinds.size()) return find(*round, first);
  return find_from(round, {}, counted);
}

}  // namespace sightglass
