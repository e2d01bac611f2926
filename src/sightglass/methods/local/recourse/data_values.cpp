#include "sightglass/methods/local/recourse/data_values.h"

#include <cmath>

#include "sightglass/data/column.h"
#include "sightglass/model/trees/rows/feature_codes_internal.h"
#include "sightglass/model/trees/tree_rows.h"

namespace sightglass {

namespace {

class ValuesPass : public Pass<std::vector<FeatureValues>, std::vector<FeatureValues>> {
 public:
  explicit ValuesPass(const MethodInput& input) : input_(input) {
    for (const std::uint32_t column : input.features) levels_.push_back(counts_as_levels(input, column));
  }

  [[nodiscard]] std::vector<std::uint32_t> columns() const override { return input_.features; }
  [[nodiscard]] bool needs_model() const override { return false; }
  [[nodiscard]] std::vector<FeatureValues> empty() const override {
    return std::vector<FeatureValues>(input_.features.size());
  }

  void map(const RowBlock& block, std::vector<FeatureValues>& found, Evaluator& evaluator) const override {
    evaluator.context().parallel_for(found.size(), [&](std::size_t j) {
      std::vector<double> values(block.rows);
      read_numbers(block.columns[input_.features[j]], values);
      for (std::size_t row = 0; row < block.rows; ++row) {
        if (!std::isfinite(values[row]) || !(block.weight(row) > 0)) continue;
        found[j].range.add(values[row]);
        if (levels_[j]) found[j].levels.insert(values[row]);
      }
    });
  }

  [[nodiscard]] std::vector<FeatureValues> find(const std::vector<FeatureValues>& found) const override {
    return found;
  }

 private:
  MethodInput input_;
  std::vector<char> levels_;  // by feature
};

}  // namespace

void FeatureValues::merge(const FeatureValues& other) {
  range.merge(other.range);
  levels.insert(other.levels.begin(), other.levels.end());
}

void FeatureValues::save(ByteSink& sink) const {
  range.save(sink);
  sink.u64(levels.size());
  for (const double level : levels) sink.f64(level);
}

void FeatureValues::load(ByteSource& source) {
  range.load(source);
  for (std::uint64_t left = source.u64(); left > 0; --left) levels.insert(source.f64());
}

bool counts_as_levels(const MethodInput& input, std::uint32_t column) {
  if (input.schema[column].has_levels()) return true;
  if (input.trees == nullptr) return false;
  const auto slot = input.trees->slot(column);
  return slot && input.trees->codes().categorical(*slot);
}

Chain<std::vector<FeatureValues>> data_values(const MethodInput& input) { return over_rows<ValuesPass>(input); }

}  // namespace sightglass
