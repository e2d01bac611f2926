// Which values the features have in the data. In all rows, not only in those that single ones are compared with: what
// is proven of changes within the data must not depend on which rows were drawn.
#pragma once

#include <set>
#include <vector>

#include "sightglass/methods/run/chain.h"
#include "sightglass/methods/run/method.h"
#include "sightglass/methods/run/sums.h"

namespace sightglass {

struct FeatureValues {
  ValueRange range;         // of finite numbers
  std::set<double> levels;  // as ColumnView::number; only of features whose values are categories

  void merge(const FeatureValues& other);
  void save(ByteSink& sink) const;
  void load(ByteSource& source);
};

// Whether the values of a column are categories: its own, or numbers that the model takes for some.
[[nodiscard]] bool counts_as_levels(const MethodInput& input, std::uint32_t column);

// Of every feature of the model, in its order, over all rows with weight.
[[nodiscard]] Chain<std::vector<FeatureValues>> data_values(const MethodInput& input);

}  // namespace sightglass
