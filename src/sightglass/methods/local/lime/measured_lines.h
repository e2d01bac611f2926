// How well does a line that is known follow the model on samples, at each width of the kernel? R² of each width's own
// line, for all widths at once. Cost: samples × terms.
#pragma once

#include <array>
#include <vector>

#include "sightglass/methods/local/lime/leaf_lines.h"
#include "sightglass/methods/local/lime/local_fit.h"

namespace sightglass {

struct MeasuredLines {
  std::array<double, swept_widths> r2{};         // 0 where the model does not vary
  std::array<double, swept_widths> effective{};  // samples that count: (Σ w)² / Σ w²
  double r2_se = 0;                              // at the chosen width
};

// lines: of the same terms at each width. answers: what the model says of the samples, less what it says of the row,
// which is a sample itself; the lines say the same.
[[nodiscard]] MeasuredLines measure_lines(const Samples& samples, const std::vector<TiltedFeature>& features,
                                          const std::vector<double>& answers,
                                          const std::array<FittedLine, swept_widths>& lines,
                                          const std::array<double, swept_widths>& decays);

}  // namespace sightglass
