// What is proven about a surrogate tree of a tree ensemble: in each of its leaves, between which values the model's
// predictions lie for all inputs within the ranges of the data, whatever combination of them, and inputs that come
// near.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sightglass/methods/run/method.h"
#include "sightglass/methods/surrogates/fidelity/labelled_rows.h"
#include "sightglass/result/shapes/rules.h"

namespace sightglass {

struct LeafCertificate {
  std::vector<ShownCondition> conditions;
  double value = 0;                           // what the surrogate says
  double low = 0, high = 0;                   // the model says nothing outside, proven
  double least = 0, greatest = 0;             // of the inputs that were found
  std::vector<double> at_least, at_greatest;  // per feature, as ColumnView::number; NaN where it does not matter
  std::uint64_t explored = 0;

  // Of surrogate and model: no input differs by more; one does by so much.
  [[nodiscard]] double most() const;
  [[nodiscard]] double reached() const;
};

// One per leaf that has inputs within the ranges. None where the model is no tree ensemble that is explained by its
// structure, or its outputs depend on one another (several classes behind one link). boxes: effort, per leaf and side.
[[nodiscard]] std::vector<LeafCertificate> leaf_certificates(const MethodInput& input, const LabelledRows& rows,
                                                             const Rules& leaves, std::size_t output,
                                                             std::uint64_t boxes);

}  // namespace sightglass
