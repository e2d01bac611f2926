// What a fit costs and how that changes with each column, in one pass over the rows: a block's columns are still in the
// cache when its slopes are multiplied by them. Sums of blocks are added in their order: the same bytes on any number
// of threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/learn/linear/design.h"
#include "sightglass/learn/linear/families.h"

namespace sightglass {

struct Evaluation {
  double loss = 0;                   // Σ w half the deviance
  std::vector<double> eta, slopes;   // [output × rows + row]; slopes: w · derivative of the loss
  std::vector<double> gradient;      // of the loss, [output × columns + column], of the columns that are asked for
  std::vector<double> by_intercept;  // one per output
};

// coefficients: [output × columns + column]. asked: columns, ascending.
[[nodiscard]] Evaluation evaluate(const Design& design, const Outcomes& outcomes, std::span<const double> weights,
                                  std::span<const double> intercepts, std::span<const double> coefficients,
                                  std::span<const std::uint32_t> asked, const Context& context);
// Σ slope · column, of the columns that are asked for; others stay as they are.
void column_sums(const Design& design, std::span<const double> slopes, std::span<const std::uint32_t> asked,
                 std::span<double> sums, const Context& context);

}  // namespace sightglass
