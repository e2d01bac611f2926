// Which features speak for the prediction of this row, and which against it? A line is fitted to what the model says of
// rows made up around the row, near ones weighing more:
//   line = argmin Σ_i π(z_i) (f(z_i) − w₀ − w · z'_i)² + α |w|²,   π(z) = √exp(−D(z, x)² / σ²),   σ = 0.75 √p,
// where z' is 1 if a sample's number lies in the same quarter of the data as the row's (or has the same level), else 0.
// Ribeiro, Singh, Guestrin (2016), "Why should I trust you?": explaining the predictions of any classifier. Tree
// ensembles on the margin scale need no samples: what infinitely many would give is a sum over leaves
// (lime/leaf_lines.h). Every explanation says how well the line follows the model (on samples, and on the nearest real
// rows), whether other samples would give another one, how local it is, and what other widths of the kernel would say.
// Cost: with bins, samples serve all rows, so that samples × repeats predictions suffice for any number of rows;
// without bins as many for each row. Exact: the splits of all trees per row, and samples predictions to
// measure lines.
#pragma once

#include "sightglass/methods/local/lime/lime_options.h"
#include "sightglass/methods/run/method.h"

namespace sightglass {

[[nodiscard]] MethodEntry lime();

}  // namespace sightglass
