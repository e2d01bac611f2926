// What a curve or a surface estimates, whoever drew it and whatever it is called in a chart.
#pragma once

#include <string_view>

#include "sightglass/result/open_word.h"

namespace sightglass {

enum class Estimand {
  partial_dependence,        // the mean prediction with the feature of every row set to a value
  conditional_mean,          // the mean prediction of the rows near a value: M-plots
  accumulated_local_effect,  // local differences added up
  regional_dependence,       // partial dependence, and that of regions of the data where they were found
  component,                 // of a decomposition: what is added to the mean prediction
  loss_under_noise,          // the model's loss with a disturbed feature
  other,
};
inline constexpr std::string_view estimand_names[] = {"partial-dependence",
                                                      "conditional-mean",
                                                      "accumulated-local-effect",
                                                      "regional-dependence",
                                                      "component",
                                                      "loss-under-noise",
                                                      "other"};
template <>
inline constexpr KnownWords<Estimand> known_words<Estimand> = {estimand_names, Estimand::other};

}  // namespace sightglass
