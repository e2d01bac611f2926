#include "sightglass/methods/effects/accumulated/local_effects.h"

#include <algorithm>

#include "sightglass/base/error.h"
#include "sightglass/methods/effects/accumulated/tree_differences.h"

namespace sightglass {

double StepEffects::effective_rows(std::size_t step) const {
  const double weight = steps_[step].weight.value();
  return weight > 0 ? weight * weight / steps_[step].squares.value() : 0;
}

double StepEffects::mean(std::size_t step, std::size_t output) const {
  const double weight = steps_[step].weight.value();
  return weight > 0 ? moments_[step * outputs_ + output].mean(weight) : 0;
}

double StepEffects::variance(std::size_t step, std::size_t output) const {
  const ExactSum::Pair weight = steps_[step].weight.pair();
  return weight.high > 0 ? moments_[step * outputs_ + output].variance(weight) : 0;
}

void StepEffects::add_rows(std::span<const std::size_t> begin, std::span<const double> weights) {
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    Step& step = steps_[s];
    const std::size_t count = begin[s + 1] - begin[s];
    if (count == 0) continue;
    step.rows += count;
    if (weights.empty()) {
      step.weight.add(static_cast<double>(count));
      step.squares.add(static_cast<double>(count));
    }
    for (std::size_t i = begin[s]; i < begin[s + 1] && !weights.empty(); ++i) {
      step.weight.add(weights[i]);
      step.squares.add_product(weights[i], weights[i]);
    }
  }
}

void StepEffects::add_differences(std::size_t output, std::span<const std::size_t> begin,
                                  std::span<const double> weights, std::span<const double> differences) {
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    ExactMoments& moments = moments_[s * outputs_ + output];
    if (weights.empty()) {
      moments.add_all(differences.subspan(begin[s], begin[s + 1] - begin[s]));
    } else {
      for (std::size_t i = begin[s]; i < begin[s + 1]; ++i) moments.add(differences[i], weights[i]);
    }
  }
}

void CellEffects::merge(const CellEffects& other) {
  for (const auto& [bin, weight] : other.weights) weights[bin].merge(weight);
  for (const auto& [cell, from] : other.sums) {
    auto& to = sums.try_emplace(cell, from.size()).first->second;
    for (std::size_t k = 0; k < from.size(); ++k) to[k].merge(from[k]);
  }
}

void CellEffects::save(ByteSink& sink) const {
  sink.u64(weights.size());
  for (const auto& [bin, weight] : weights) {
    sink.u64(bin);
    weight.save(sink);
  }
  sink.u64(sums.size());
  for (const auto& [cell, of_outputs] : sums) {
    sink.u64(cell);
    for (const auto& sum : of_outputs) sum.save(sink);
  }
}

void CellEffects::load(ByteSource& source) {
  const auto index = [&](std::size_t end) {
    const std::uint64_t at = source.u64();
    if (at >= end) throw Error(ErrorKind::data, "saved partial result is of another grid");
    return at;
  };
  weights.clear();
  for (std::uint64_t left = source.count(8); left > 0; --left) {
    weights[index(bins[0] * bins[1])].load(source);
  }
  sums.clear();
  for (std::uint64_t left = source.count(8); left > 0; --left) {
    auto& cell = sums.try_emplace(index(steps[0] * steps[1]), outputs).first->second;
    for (auto& sum : cell) sum.load(source);
  }
}

namespace {

// A feature's rows of one block: where they are, and the columns that say where they go.
struct Moved {
  std::vector<std::uint32_t> bin_of_row;
  std::vector<Column> columns;  // one per shift

  Moved() = default;
  Moved(const FeatureBins& bins, const RowBlock& block) : bin_of_row(block.rows) {
    bins.locate(block, bin_of_row);
    for (const int shift : bins.shifts()) columns.push_back(bins.shifted(block, bin_of_row, shift));
  }
  // What to tell the model for one shift. A row at its own level is the row itself: nothing, so that features
  // share that prediction.
  void override(const FeatureBins& bins, std::size_t shift, Variant& variant) const {
    if (!bins.between() && bins.shifts()[shift] == 0) return;
    variant.push_back({bins.column(), columns[shift].view});
  }
};

// Rows in the order of their steps.
struct BySteps {
  std::vector<std::size_t> begin;  // per step and one more
  std::vector<std::uint32_t> rows;

  BySteps(const FeatureBins& bins, const FeatureBins::Difference& difference, std::span<const std::uint32_t> bin_of_row)
      : begin(bins.steps() + 2, 0) {
    const auto visit = [&](auto&& use) {
      for (std::size_t row = 0; row < bin_of_row.size(); ++row) {
        if (bin_of_row[row] == FeatureBins::nowhere) continue;
        const std::size_t step = bins.step_of(bin_of_row[row], difference);
        if (step < bins.steps()) use(step, static_cast<std::uint32_t>(row));
      }
    };
    visit([&](std::size_t step, std::uint32_t) { ++begin[step + 2]; });
    for (std::size_t s = 2; s < begin.size(); ++s) begin[s] += begin[s - 1];
    rows.resize(begin.back());
    // begin[step + 1] walks from the step's first bin to the next step's.
    visit([&](std::size_t step, std::uint32_t row) { rows[begin[step + 1]++] = row; });
    begin.pop_back();
  }
};

class LocalPass : public Pass<LocalEffects, LocalEffects> {
 public:
  LocalPass(const MethodInput& input, std::vector<FeatureBins> features,
            std::vector<std::pair<FeatureBins, FeatureBins>> pairs)
      : input_(input),
        explained_(input.explained),
        by_trees_(TreeDifferences::possible(input)),
        features_(std::move(features)),
        pairs_(std::move(pairs)) {}

  [[nodiscard]] std::vector<std::uint32_t> columns() const override {
    std::vector<std::uint32_t> columns;
    for (const auto& feature : features_) columns.push_back(feature.column());
    for (const auto& [first, second] : pairs_) columns.insert(columns.end(), {first.column(), second.column()});
    if (by_trees_) columns.insert(columns.end(), input_.features.begin(), input_.features.end());
    return columns;
  }
  // In larger blocks than a model is asked for, more rows take the same step.
  [[nodiscard]] bool needs_model() const override { return !by_trees_ || !pairs_.empty(); }
  [[nodiscard]] std::uint64_t cost_per_row() const override {
    std::uint64_t cost = 0;
    for (const auto& feature : features_) cost += by_trees_ ? 0 : variants_of(feature);
    for (const auto& pair : pairs_) cost += variants_of(pair);
    return cost;
  }
  [[nodiscard]] LocalEffects empty() const override {
    LocalEffects effects;
    for (const auto& feature : features_) effects.features.emplace_back(feature.steps(), explained_.size());
    for (const auto& [first, second] : pairs_) {
      effects.pairs.push_back({.bins = {first.bins(), second.bins()},
                               .steps = {first.steps(), second.steps()},
                               .outputs = explained_.size(),
                               .weights = {},
                               .sums = {}});
    }
    return effects;
  }

  void map(const RowBlock& block, LocalEffects& effects, Evaluator& evaluator) const override {
    if (by_trees_) add_by_trees(block, effects, evaluator.context());
    constexpr std::size_t most_variants = 9;  // of a pair
    for_each_slice(block, rows_per_request(most_variants), [&](const RowBlock& part) {
      if (!by_trees_) add_features(part, effects, evaluator);
      for (std::size_t i = 0; i < pairs_.size(); ++i) {
        if (variants_of(pairs_[i]) > 0) add_pair(part, pairs_[i], effects.pairs[i], evaluator);
      }
    });
  }

  [[nodiscard]] LocalEffects find(const LocalEffects& effects) const override { return effects; }

 private:
  [[nodiscard]] static std::size_t variants_of(const FeatureBins& bins) {
    return bins.steps() == 0 ? 0 : bins.shifts().size();
  }
  [[nodiscard]] static std::size_t variants_of(const std::pair<FeatureBins, FeatureBins>& pair) {
    return variants_of(pair.first) * variants_of(pair.second);
  }

  // Feature by feature; all rows that take the same step go down the trees together.
  void add_by_trees(const RowBlock& block, LocalEffects& effects, Context& context) const {
    const TreeDifferences trees(input_, block, context);
    std::vector<std::uint32_t> bin_of_row(block.rows);
    for (std::size_t i = 0; i < features_.size(); ++i) {
      const FeatureBins& bins = features_[i];
      if (variants_of(bins) == 0) continue;
      context.check();
      bins.locate(block, bin_of_row);
      for (const FeatureBins::Difference& difference : bins.differences()) {
        const BySteps sorted(bins, difference, bin_of_row);
        const std::size_t count = sorted.rows.size();
        std::vector<double> differences(explained_.size() * count);
        context.parallel_for(bins.steps(), [&](std::size_t step) {
          const std::size_t first = sorted.begin[step], rows = sorted.begin[step + 1] - first;
          if (rows == 0) return;
          trees.find(bins.column(), bins.value(step), bins.value(step + 1), std::span(sorted.rows).subspan(first, rows),
                     differences.data() + first, count);
        });
        add_sorted(block, sorted, differences, effects.features[i]);
      }
    }
  }

  // differences: of each output, row by row in the order of their steps.
  void add_sorted(const RowBlock& block, const BySteps& sorted, std::span<const double> differences,
                  StepEffects& effects) const {
    std::vector<double> weights;
    if (block.weights.size > 0) {
      for (const std::uint32_t row : sorted.rows) weights.push_back(block.weight(row));
    }
    effects.add_rows(sorted.begin, weights);
    const std::size_t count = sorted.rows.size();
    for (std::size_t k = 0; k < explained_.size(); ++k)
      effects.add_differences(k, sorted.begin, weights, differences.subspan(k * count, count));
  }

  // As many features at once as the memory for predictions allows.
  void add_features(const RowBlock& block, LocalEffects& effects, Evaluator& evaluator) const {
    const std::size_t most = std::max<std::size_t>(3, rows_at_once / block.rows);
    Matrix predictions;
    for (std::size_t begin = 0; begin < features_.size();) {
      std::size_t end = begin;
      std::size_t count = 0;
      while (end < features_.size() && count + variants_of(features_[end]) <= most)
        count += variants_of(features_[end++]);
      std::vector<Moved> moved;
      std::vector<std::size_t> first_variant;
      std::vector<Variant> variants;
      for (std::size_t i = begin; i < end; ++i) {
        first_variant.push_back(variants.size());
        // A feature that does not vary has no step to take.
        if (variants_of(features_[i]) == 0) {
          moved.emplace_back();
          continue;
        }
        const Moved& rows = moved.emplace_back(features_[i], block);
        for (std::size_t shift = 0; shift < rows.columns.size(); ++shift) {
          rows.override(features_[i], shift, variants.emplace_back());
        }
      }
      if (!variants.empty()) evaluator.evaluate(block, variants, predictions);
      evaluator.context().parallel_for(end - begin, [&](std::size_t i) {
        if (variants_of(features_[begin + i]) == 0) return;
        add_feature(block, features_[begin + i], moved[i].bin_of_row, predictions.span(), first_variant[i],
                    effects.features[begin + i]);
      });
      begin = end;
    }
  }

  void add_feature(const RowBlock& block, const FeatureBins& bins, std::span<const std::uint32_t> bin_of_row,
                   MatrixSpan<const double> predictions, std::size_t first_variant, StepEffects& effects) const {
    for (const FeatureBins::Difference& difference : bins.differences()) {
      const BySteps sorted(bins, difference, bin_of_row);
      const std::size_t from = (first_variant + difference.from) * block.rows;
      const std::size_t to = (first_variant + difference.to) * block.rows;
      const std::size_t count = sorted.rows.size();
      std::vector<double> differences(explained_.size() * count);
      for (std::size_t k = 0; k < explained_.size(); ++k) {
        for (std::size_t i = 0; i < count; ++i) {
          const std::uint32_t row = sorted.rows[i];
          differences[k * count + i] = predictions(to + row, explained_[k]) - predictions(from + row, explained_[k]);
        }
      }
      add_sorted(block, sorted, differences, effects);
    }
  }

  void add_pair(const RowBlock& block, const std::pair<FeatureBins, FeatureBins>& pair, CellEffects& effects,
                Evaluator& evaluator) const {
    const auto& [first, second] = pair;
    const Moved one(first, block);
    const Moved two(second, block);
    const std::size_t width = second.shifts().size();
    std::vector<Variant> variants(variants_of(pair));
    for (std::size_t v = 0; v < variants.size(); ++v) {
      one.override(first, v / width, variants[v]);
      two.override(second, v % width, variants[v]);
    }
    Matrix predictions;
    evaluator.evaluate(block, variants, predictions);
    for (std::size_t row = 0; row < block.rows; ++row) {
      if (one.bin_of_row[row] == FeatureBins::nowhere || two.bin_of_row[row] == FeatureBins::nowhere) continue;
      const double weight = block.weight(row);
      effects.weights[one.bin_of_row[row] * second.bins() + two.bin_of_row[row]].add(weight);
      for (const FeatureBins::Difference& a : first.differences()) {
        const std::size_t step = first.step_of(one.bin_of_row[row], a);
        for (const FeatureBins::Difference& b : second.differences()) {
          const std::size_t other = second.step_of(two.bin_of_row[row], b);
          if (step == first.steps() || other == second.steps()) continue;
          auto& sums = effects.sums.try_emplace(step * second.steps() + other, explained_.size()).first->second;
          const auto at = [&](std::size_t i, std::size_t k, std::size_t output) {
            return predictions((i * width + k) * block.rows + row, explained_[output]);
          };
          for (std::size_t k = 0; k < sums.size(); ++k) {
            const double low = at(a.to, b.from, k) - at(a.from, b.from, k);
            const double high = at(a.to, b.to, k) - at(a.from, b.to, k);
            sums[k].add_product(weight, high - low);
          }
        }
      }
    }
  }

  MethodInput input_;
  std::vector<std::size_t> explained_;
  bool by_trees_;
  std::vector<FeatureBins> features_;
  std::vector<std::pair<FeatureBins, FeatureBins>> pairs_;
};

}  // namespace

Chain<LocalEffects> measure_local_effects(const MethodInput& input, std::vector<FeatureBins> features,
                                          std::vector<std::pair<FeatureBins, FeatureBins>> pairs) {
  return over_rows<LocalPass>(input, std::move(features), std::move(pairs));
}

}  // namespace sightglass
