// Does a saved result still hold? Every change that it tells is predicted again by the model, and what it calls proven,
// of changes or of certain rules, is proven again, with the options and limits that it recorded. Cost: that of the
// result itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/data/source.h"
#include "sightglass/model/model.h"
#include "sightglass/result/result.h"

namespace sightglass {

struct Verification {
  std::uint64_t predictions = 0;  // that were checked
  std::uint64_t proofs = 0;       // that were found again
  // Rows that were told a change or a certain rule; those for which a change still does what it was told for, or the
  // rule still holds.
  std::uint64_t rows = 0, kept = 0;
  std::vector<std::string> failures;  // a line each; none: everything holds
};

// The model and the data are to be those that the result was made of. of_new_model: the model is another version, which
// only has to keep what was promised: each change still leads to what is wanted, conditions still settle the outcome.
// Throws Error(data) where the result
// holds nothing that can be checked.
[[nodiscard]] Verification verify(const Result& saved, const Model& model, const Source& data, Context& context,
                                  bool of_new_model = false);

}  // namespace sightglass
