// How well one surrogate follows the model: on the rows it was fitted to, on others, and region by region.
#pragma once

#include <string>
#include <vector>

#include "sightglass/methods/surrogates/fidelity/agreement.h"
#include "sightglass/methods/surrogates/fidelity/regions.h"
#include "sightglass/methods/surrogates/fitting/fitted_surrogate.h"
#include "sightglass/result/shapes/fidelity.h"

namespace sightglass {

// What is held against what, of all rows.
struct Compared {
  std::span<const double> model, surrogate;  // numbers: R². None: the share of rows with the same class
  // Rows × outputs; none of numbers that are no classes.
  MatrixSpan<const double> model_classes, surrogate_classes;
  bool probabilities = false;     // whether these are probabilities; if so there is a log-loss
  double even = 0.5;              // from which number on one output means the second class
  std::span<const double> truth;  // numbers, or classes if only these are compared; NaN: not known; none: no target
};

// Regions: of the judged rows. Those with a few of the rows are left out; the worst come first.
[[nodiscard]] Fidelity measure_fidelity(const FittedSurrogate& surrogate, const RowDivision& division,
                                        const std::vector<FidelityRegion>& regions, const Compared& compared,
                                        const std::string& output);

// Writes into each node of a surrogate tree how well it stands for the model there, as regions are measured.
void add_node_fidelity(ShownTree& tree, const SurrogateTask& task, const RowDivision& division,
                       const Compared& compared);

}  // namespace sightglass
