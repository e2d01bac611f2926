#include "sightglass/methods/local/lime/off_data.h"

#include <algorithm>

#include "sightglass/methods/surrogates/fitting/fitted_surrogate.h"

namespace sightglass {

namespace {

constexpr std::size_t fewest_to_learn = 50;                      // rows
constexpr std::size_t most_to_learn = 5000, most_judged = 2000;  // more rows change little
constexpr std::uint64_t most_leaves = 256;

double r2_on(const std::vector<double>& says, const std::vector<double>& follows, const std::vector<double>& weights,
             const RowList& rows) {
  double total = 0, sum = 0, errors = 0, squares = 0;
  for (const std::size_t row : rows) {
    total += weights[row];
    sum += weights[row] * says[row];
  }
  for (const std::size_t row : rows) {
    errors += weights[row] * (says[row] - follows[row]) * (says[row] - follows[row]);
    squares += weights[row] * (says[row] - sum / total) * (says[row] - sum / total);
  }
  return squares > 0 ? 1 - errors / squares : 0;
}

}  // namespace

std::optional<OffData> look_off_data(const MethodInput& input, const LabelledRows& rows, const Samples& samples,
                                     std::size_t output) {
  LabelledRows both;
  both.outputs = 1;
  both.values.resize(rows.values.size());
  const std::size_t known = std::min(rows.rows(), most_to_learn), made = std::min(samples.count, most_judged);
  double low = 0, high = 0;
  for (std::size_t i = 0; i < known + made; ++i) {
    const bool of_data = i < known;
    // Spread evenly over all of them, which stand in the order of the data.
    const std::size_t at = of_data ? i * rows.rows() / known : i - known;
    both.ids.push_back(of_data ? rows.ids[at] : rows.ids.back() + 1 + at);
    for (std::size_t j = 0; j < rows.values.size(); ++j)
      both.values[j].push_back(of_data ? rows.values[j][at] : samples.values[j][at]);
    both.predictions.push_back(of_data ? rows.prediction(at, output)
                                       : samples.predictions[at * input.outputs.size() + output]);
    both.weights.push_back(of_data ? rows.weights[at] : 1);
    low = i == 0 ? both.predictions[0] : std::min(low, both.predictions.back());
    high = i == 0 ? both.predictions[0] : std::max(high, both.predictions.back());
  }
  both.of_data = known;
  both.available = rows.available;
  if (known < fewest_to_learn || !(high > low) || std::max(-low, high) > 1e100) return std::nullopt;
  const RowDivision division = divide_rows(both, both.weights, 0.3, false, input.seed);
  const SurrogateTask task =
      surrogate_task(input, both, division, input.features, both.predictions, {}, input.outputs[output]);
  const std::vector<SurrogateKind> kinds = chosen_kinds({"tree"});
  const FittedSurrogate tree =
      fit_surrogate(kinds.front(), task, std::min<std::uint64_t>(most_leaves, known / 8), input.seed, *input.context);
  const std::vector<double> follows = tree.column(0);
  return OffData{.on_rows = r2_on(both.predictions, follows, both.weights, division.judged()),
                 .on_samples = r2_on(both.predictions, follows, both.weights, division.aside)};
}

}  // namespace sightglass
