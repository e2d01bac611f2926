#include "sightglass/methods/surrogates/fitting/fitted_surrogate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sightglass/base/random.h"
#include "sightglass/learn/fit.h"
#include "sightglass/learn/training_fit.h"

namespace sightglass {

namespace {

constexpr std::uint64_t split_stream = 0x7370'6c69'74;  // "split"

template <class Shape, class Items>
auto* first_of(Items& items) {
  for (auto& item : items) {
    if (auto* found = item.template as<Shape>()) return found;
  }
  return static_cast<decltype(items[0].template as<Shape>())>(nullptr);
}

}  // namespace

RowDivision divide_rows(const LabelledRows& rows, std::vector<double> weights, double held_out, bool on_grid,
                        std::uint64_t seed) {
  RowDivision division;
  division.on_grid = on_grid;
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    if (!(weights[row] > 0)) continue;
    if (on_grid == (row >= rows.of_data)) {
      order.emplace_back(random_bits(seed, split_stream, rows.ids[row]), row);
    } else {
      division.aside.push_back(row);
    }
  }
  std::sort(order.begin(), order.end());
  const auto held = static_cast<std::size_t>(std::floor(held_out * static_cast<double>(order.size())));
  for (std::size_t i = 0; i < order.size(); ++i) {
    (i < held ? division.held_out : division.fitted).push_back(order[i].second);
  }
  std::sort(division.held_out.begin(), division.held_out.end());
  std::sort(division.fitted.begin(), division.fitted.end());
  division.weights = std::move(weights);
  return division;
}

SurrogateTask surrogate_task(const MethodInput& input, const LabelledRows& rows, const RowDivision& division,
                             const std::vector<std::uint32_t>& columns, const std::vector<double>& outcome,
                             const std::vector<std::string>& classes, const std::string& output) {
  const auto make = [&](const RowList& chosen) {
    TrainingData data = features_of(input, rows, columns, chosen);
    data.target = "the model's predictions";
    data.output = output;
    data.classes = classes;
    bool weighted = false;
    for (const std::size_t row : chosen) {
      data.outcome.push_back(outcome[row]);
      data.weights.push_back(division.weights[row]);
      weighted = weighted || division.weights[row] != 1;
    }
    if (!weighted) data.weights.clear();
    return data;
  };
  RowList every(rows.rows());
  std::iota(every.begin(), every.end(), std::size_t{0});
  return {.all = make(every), .training = make(division.fitted)};
}

SurrogateTask without_features(const SurrogateTask& task, const std::vector<std::string>& names) {
  SurrogateTask left = task;
  for (TrainingData* data : {&left.all, &left.training}) {
    std::erase_if(data->features, [&](const TrainingFeature& feature) {
      return std::find(names.begin(), names.end(), feature.info.name) != names.end();
    });
  }
  return left;
}

std::vector<double> FittedSurrogate::column(std::size_t output) const {
  std::vector<double> values(predicted.rows());
  for (std::size_t row = 0; row < values.size(); ++row) values[row] = predicted(row, output);
  return values;
}

ShownTree* FittedSurrogate::tree() { return first_of<ShownTree>(learned.shown); }
const ShownTree* FittedSurrogate::tree() const { return first_of<ShownTree>(learned.shown); }
const Rules* FittedSurrogate::leaves() const { return tree() != nullptr ? first_of<Rules>(learned.shown) : nullptr; }

FittedSurrogate fit_surrogate(const SurrogateKind& kind, const SurrogateTask& task, std::uint64_t size,
                              std::uint64_t seed, const Context& context) {
  FittedSurrogate made;
  made.kind = &kind;
  made.learned = kind.fit(task.training, size, seed, context);
  made.model = make_model(kind.entry(), task.training, made.learned, "the surrogate");
  made.predicted = predict(*made.model, task.all, context);
  return made;
}

}  // namespace sightglass
