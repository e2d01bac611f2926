// Support vector machine on points of one or two dimensions, with a weight for each of them.
//
//   minimise ½ |w|² + Σ c_i max(0, 1 - y_i (w·φ(x_i) + b)),   φ by K(x, z) = exp(-γ |x - z|²) or x·z
//
// Solved in its dual, max Σ y_i β_i - ½ βᵀKβ with Σ β_i = 0 and y_i β_i in [0, c_i], by sequential minimal optimisation
// with second-order choice of the pair: R.-E. Fan, P.-H. Chen, C.-J. Lin, Working set selection using second order
// information for training SVM, JMLR 6, 2005. Our own, because libraries weigh classes, not rows, and because in so few
// dimensions a row of the kernel costs less than looking it up: 569 points take a millisecond. Points that stay at a
// bound are left alone until the others are solved (shrinking; Joachims 1998), then looked at again. Cost: a few times
// rows iterations of O(points that are not left alone) each.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sightglass/base/context.h"

namespace sightglass {

struct SvmKernel {
  bool linear = false;
  double gamma = 1;  // of exp(-γ |x - z|²)
};

struct SvmPoints {
  std::vector<std::span<const double>> coordinates;  // one or two, each with a number per point
  std::span<const double> labels;                    // 1 or -1
  std::span<const double> costs;                     // c_i, above 0
};

struct SvmFit {
  std::vector<double> coefficients;  // β per point; 0: no support vector
  double bias = 0;
  // Of the points it was trained on, as precise as the solution is: kernels are kept as floats.
  std::vector<double> decisions;
  double gap = 0;  // by how much the optimality conditions are violated: above the tolerance, steps ran out
};

struct SvmLimits {
  double tolerance = 1e-3;            // for the gap, as libsvm's
  std::size_t cache_bytes = 1 << 26;  // of kernel rows
  std::size_t most_steps = 0;         // 0: 10,000 and 100 for each point
};

[[nodiscard]] SvmFit train_svm(const SvmPoints& points, const SvmKernel& kernel, const SvmLimits& limits,
                               const Context& context);

}  // namespace sightglass
