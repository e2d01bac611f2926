#include "sightglass/methods/interactions/dependence/pd_moments.h"

#include <algorithm>
#include <cmath>

namespace sightglass {

std::vector<int> pd_exponents(const PdFunction& prediction, std::size_t outputs) {
  std::vector<double> largest(outputs, 0.0);
  for (const auto& sample : prediction.complement) {
    for (std::size_t at = 0; at < sample.size(); ++at)
      largest[at % outputs] = std::max(largest[at % outputs], std::abs(sample[at]));
  }
  std::vector<int> exponents(outputs, 0);
  for (std::size_t k = 0; k < outputs; ++k) {
    if (largest[k] > 0) exponents[k] = std::ilogb(largest[k]);
  }
  return exponents;
}

std::vector<double> pd_scaled(std::vector<double> values, const std::vector<int>& exponents) {
  for (std::size_t at = 0; at < values.size(); ++at)
    values[at] = std::ldexp(values[at], -exponents[at % exponents.size()]);
  return values;
}

void pd_centre(std::vector<double>& values, std::size_t outputs, const std::vector<double>& weights, double total) {
  for (std::size_t k = 0; k < outputs; ++k) {
    ExactSum sum;
    for (std::size_t i = 0; i < weights.size(); ++i) sum.add_product(weights[i], values[i * outputs + k]);
    const double mean = sum.value() / total;
    for (std::size_t i = 0; i < weights.size(); ++i) values[i * outputs + k] -= mean;
  }
}

PdRatio::Means PdRatio::means(const PdRows& rows, std::size_t without) const {
  Means means;
  double weight = 0;
  for (std::size_t sample = 0; sample < numerator.size(); ++sample) {
    if (sample == without) continue;
    means.numerator += numerator[sample];
    means.denominator += denominator[sample];
    weight += rows.samples()[sample].weight;
  }
  means.numerator /= weight;
  means.denominator /= weight;
  return means;
}

void add_constant_caveat(const std::vector<std::string>& outputs, std::vector<Caveat>& caveats) {
  if (outputs.empty()) return;
  caveats.push_back({.id = "constant-prediction",
                     .severity = Severity::caution,
                     .message = "the model predicts the same for all rows (output " + outputs.front() +
                                (outputs.size() > 1 ? " and others" : "") + "): there is nothing to explain",
                     .evidence = Value::object({{"outputs", outputs}}),
                     .advice = "use data in which the prediction varies"});
}

}  // namespace sightglass
