#include "sightglass/methods/effects/curves/leaf_counts.h"

#include <algorithm>

#include "sightglass/base/error.h"
#include "sightglass/data/picked_block.h"
#include "sightglass/methods/run/weight_units.h"
#include "sightglass/model/trees/counts/tree_dependence_internal.h"
#include "sightglass/model/trees/tree_rows.h"

namespace sightglass {

namespace {

// Counts of deep forests are many: beyond this, samples of rows serve better.
constexpr std::size_t most_count_bytes = std::size_t{1} << 30;
constexpr std::size_t encoded_at_once = 4096;
// Leaves between two looks at whether the work was stopped.
constexpr std::size_t leaves_at_once = std::size_t{1} << 15;

// Of one sample.
struct Counted {
  // Shared, as they are large, with what is made of them.
  std::shared_ptr<std::vector<std::uint64_t>> counts;
  std::uint64_t total = 0;

  void merge(const Counted& other) {
    merge_sums(*counts, *other.counts);
    total += other.total;
  }
  void save(ByteSink& sink) const {
    save_sums(*counts, sink);
    sink.u64(total);
  }
  void load(ByteSource& source) {
    load_sums(*counts, source);
    total = source.u64();
  }
};

class CountPass : public Pass<std::vector<Counted>, std::vector<LeafCountsPtr>> {
 public:
  CountPass(const MethodInput& input, int order, std::size_t samples,
            std::function<std::size_t(std::uint64_t)> sample_of)
      : input_(input),
        trees_(*input.trees),
        counts_(std::make_shared<const TreeCounts>(trees_.parts(), trees_.codes(), order)),
        samples_(samples),
        sample_of_(std::move(sample_of)),
        units_(input) {}

  [[nodiscard]] std::vector<std::uint32_t> columns() const override { return input_.features; }
  // Larger blocks than a model is asked for serve counting better.
  [[nodiscard]] bool needs_model() const override { return false; }
  [[nodiscard]] std::vector<Counted> empty() const override {
    std::vector<Counted> counted(samples_);
    for (Counted& each : counted) each.counts = std::make_shared<std::vector<std::uint64_t>>(counts_->size());
    return counted;
  }

  void map(const RowBlock& block, std::vector<Counted>& counted, Evaluator& evaluator) const override {
    const Context& context = evaluator.context();
    const std::size_t slots = trees_.codes().slots();
    std::vector<std::vector<std::uint64_t>> drawn(samples_);
    for (std::size_t row = 0; row < block.rows; ++row) {
      const std::size_t sample = sample_of_ ? sample_of_(block.row_id(row)) : 0;
      if (sample < samples_) drawn[sample].push_back(row);
    }
    for (std::size_t sample = 0; sample < samples_; ++sample) {
      const auto& used = drawn[sample];
      if (used.empty()) continue;
      // Rows that are not drawn are none of the model's business: it might refuse them.
      const PickedBlock picked(block, used);
      const RowBlock& part = picked.block();
      std::vector<std::uint16_t> codes(slots * part.rows);
      context.parallel_for((part.rows + encoded_at_once - 1) / encoded_at_once, [&](std::size_t task) {
        const std::size_t first = task * encoded_at_once;
        trees_.encode(part, first, std::min(encoded_at_once, part.rows - first), codes.data() + first, part.rows);
      });
      TreeCounts::Rows rows{.codes = codes.data(), .stride = part.rows, .rows = part.rows};
      std::vector<std::uint64_t> units;
      for (const std::uint64_t row : used) {
        if (input_.weighted) units.push_back(units_.of(block, row));
        counted[sample].total += input_.weighted ? units.back() : 1;
      }
      if (input_.weighted) rows.units = units.data();
      add(rows, counted[sample].counts->data(), context);
    }
  }

  [[nodiscard]] std::vector<LeafCountsPtr> find(const std::vector<Counted>& counted) const override {
    std::vector<LeafCountsPtr> samples;
    for (const Counted& each : counted)
      samples.push_back(std::make_shared<const LeafCounts>(input_, counts_, each.counts, each.total));
    return samples;
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
      TreeCounts::Workspace workspace(*counts_, &context);
      counts_->add({begin, end}, rows, counts, workspace);
    });
  }

  MethodInput input_;
  const TreeRows& trees_;
  std::shared_ptr<const TreeCounts> counts_;
  std::size_t samples_;
  std::function<std::size_t(std::uint64_t)> sample_of_;
  WeightUnits units_;
};

// The codes of an axis, and which of them each value has. Without a slot, all values have the same.
struct AxisCodes {
  std::optional<std::uint32_t> slot;
  std::vector<std::uint32_t> codes = {};  // different ones, ascending
  std::vector<std::uint32_t> of_value = {};

  AxisCodes(const TreeRows& trees, const LeafCounts::Axis& axis) : of_value(axis.values.size()) {
    const auto found = trees.slot(axis.column);
    if (!found) return;
    slot = static_cast<std::uint32_t>(*found);
    for (std::size_t i = 0; i < of_value.size(); ++i) of_value[i] = trees.code(*found, axis.values[i]);
    codes = of_value;
    std::sort(codes.begin(), codes.end());
    codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
    for (std::uint32_t& code : of_value)
      code = static_cast<std::uint32_t>(std::lower_bound(codes.begin(), codes.end(), code) - codes.begin());
  }
};

// At the codes of an axis; of one without a slot the mean.
std::vector<double> at_codes(const TreeDependence& dependence, const AxisCodes& axis, std::size_t output) {
  if (!axis.slot) return {dependence.mean(output)};
  const auto all = dependence.single(*axis.slot, output);
  std::vector<double> numbers;
  for (const std::uint32_t code : axis.codes) numbers.push_back(all[code]);
  return numbers;
}

}  // namespace

bool LeafCounts::possible(const MethodInput& input, int order, std::size_t samples) {
  // Beside a leaf that is far larger than all others, sums of doubles would lose these.
  if (input.trees == nullptr || !input.trees->adds_up(input.scale) || input.trees->amounts() == nullptr) return false;
  const auto& parts = input.trees->parts();
  const std::size_t most = most_count_bytes / std::max<std::size_t>(1, samples);
  std::size_t largest = 0;
  return TreeCounts::ranges(parts, order, most, &largest).size() <= 1 && largest <= most;
}

LeafCounts::LeafCounts(const MethodInput& input, std::shared_ptr<const TreeCounts> counts,
                       std::shared_ptr<const std::vector<std::uint64_t>> counted, std::uint64_t total)
    : input_(input), trees_(*input.trees), counts_(std::move(counts)), counted_(std::move(counted)), total_(total) {}

void LeafCounts::add_to(std::vector<TreeDependence>& dependences) const {
  const std::size_t leaves = counts_->leaves().size();
  for (std::size_t first = 0; first < leaves; first += leaves_at_once) {
    const std::size_t end = std::min(leaves, first + leaves_at_once);
    input_.for_each("partial dependence", dependences.size(),
                    [&](std::size_t i) { dependences[i].add(*counts_, *counted_, first, end); });
  }
}

std::vector<std::vector<double>> LeafCounts::singles(const std::vector<Axis>& axes,
                                                     const std::vector<std::size_t>& outputs) const {
  std::vector<TreeDependence> dependence;
  dependence.emplace_back(trees_.parts(), trees_.codes(), total_, std::vector<TreeDependence::Pair>(), outputs);
  add_to(dependence);
  std::vector<std::vector<double>> numbers;
  for (const Axis& axis : axes) {
    const AxisCodes codes(trees_, axis);
    auto& out = numbers.emplace_back(axis.values.size() * outputs.size());
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      const auto at = at_codes(dependence[0], codes, outputs[k]);
      for (std::size_t i = 0; i < axis.values.size(); ++i) out[i * outputs.size() + k] = at[codes.of_value[i]];
    }
  }
  return numbers;
}

std::vector<std::vector<double>> LeafCounts::pairs(const std::vector<Pair>& pairs,
                                                   const std::vector<std::size_t>& outputs) const {
  // Threads share the pairs. What a pair adds up to does not depend on who does it.
  const auto threads = static_cast<std::size_t>(input_.context == nullptr ? 1 : input_.context->threads());
  const std::size_t groups = std::clamp<std::size_t>(pairs.size(), 1, threads);
  struct Location {
    std::size_t group, number;  // number: among the tables of the group
  };
  std::vector<std::pair<AxisCodes, AxisCodes>> codes;
  std::vector<std::vector<TreeDependence::Pair>> wanted(groups);
  std::vector<Location> locations;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    codes.emplace_back(AxisCodes(trees_, pairs[i].first), AxisCodes(trees_, pairs[i].second));
    const auto& [a, b] = codes.back();
    locations.push_back({i % groups, wanted[i % groups].size()});
    if (a.slot && b.slot)
      wanted[i % groups].push_back(
          {.first = *a.slot, .second = *b.slot, .first_codes = a.codes, .second_codes = b.codes});
  }
  std::vector<TreeDependence> dependences;
  for (auto& each : wanted) dependences.emplace_back(trees_.parts(), trees_.codes(), total_, std::move(each), outputs);
  add_to(dependences);
  std::vector<std::vector<double>> numbers(pairs.size());
  input_.for_each("partial dependence", pairs.size(), [&](std::size_t i) {
    const auto& [a, b] = codes[i];
    const TreeDependence& dependence = dependences[locations[i].group];
    numbers[i].resize(a.of_value.size() * b.of_value.size() * outputs.size());
    const std::size_t width = b.slot ? b.codes.size() : 1;
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      const auto table = a.slot && b.slot ? dependence.pair(locations[i].number, outputs[k])
                                          : at_codes(dependence, a.slot ? a : b, outputs[k]);
      double* to = numbers[i].data() + k;
      for (const std::uint32_t row : a.of_value) {
        for (const std::uint32_t column : b.of_value) {
          *to = table[row * width + column];
          to += outputs.size();
        }
      }
    }
  });
  return numbers;
}

std::vector<std::vector<double>> LeafCounts::at_points(const std::vector<PairPoints>& pairs,
                                                       const std::vector<std::size_t>& outputs) const {
  std::vector<TreeDependence> dependence;
  dependence.emplace_back(trees_.parts(), trees_.codes(), total_, std::vector<TreeDependence::Pair>(), outputs);
  add_to(dependence);
  std::vector<std::vector<double>> numbers(pairs.size());
  input_.for_each("partial dependence", pairs.size(), [&](std::size_t i) {
    const AxisCodes a(trees_, pairs[i].axes.first), b(trees_, pairs[i].axes.second);
    const std::size_t count = pairs[i].first.size();
    const auto locations = [count](const AxisCodes& axis, std::span<const std::uint32_t> values) {
      std::vector<std::uint32_t> of_points(count);
      for (std::size_t point = 0; point < count; ++point) of_points[point] = axis.of_value[values[point]];
      return of_points;
    };
    const std::vector<std::uint32_t> first = locations(a, pairs[i].first), second = locations(b, pairs[i].second);
    std::vector<std::uint32_t> first_codes, second_codes;
    for (std::size_t point = 0; point < count && a.slot && b.slot; ++point) {
      first_codes.push_back(a.codes[first[point]]);
      second_codes.push_back(b.codes[second[point]]);
    }
    numbers[i].resize(count * outputs.size());
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      const auto of_first = at_codes(dependence[0], a, outputs[k]), of_second = at_codes(dependence[0], b, outputs[k]);
      const double mean = dependence[0].mean(outputs[k]);
      std::vector<double> together(count, 0.0);
      if (a.slot && b.slot) {
        together = dependence[0].interaction_at(
            *counts_, *counted_,
            {.first = *a.slot, .second = *b.slot, .first_codes = first_codes, .second_codes = second_codes},
            outputs[k]);
      }
      for (std::size_t point = 0; point < count; ++point)
        numbers[i][point * outputs.size() + k] =
            together[point] + (of_first[first[point]] + of_second[second[point]] - mean);
    }
  });
  return numbers;
}

Chain<std::vector<LeafCountsPtr>> count_leaves(const MethodInput& input, int order, std::size_t samples,
                                               std::function<std::size_t(std::uint64_t)> sample_of) {
  return over_rows<CountPass>(input, order, samples, std::move(sample_of));
}

Chain<LeafCountsPtr> count_leaves(const MethodInput& input, int order) {
  return count_leaves(input, order, 1, nullptr).then([](const std::vector<LeafCountsPtr>& samples) {
    return samples[0];
  });
}

}  // namespace sightglass
