// Which classes does the model take for which?
//   for every true and predicted class the (weighted) number of rows
// A row's predicted class is the one with the highest output, ties to the first; of two classes the second where its
// probability is above ½, or from a threshold on.
// Cost: each row is predicted once.
#pragma once

#include <optional>

#include "sightglass/methods/run/method.h"

namespace sightglass {

struct ConfusionMatrixOptions {
  std::optional<double> threshold;

  static void fields(auto&& field) {
    field("threshold", &ConfusionMatrixOptions::threshold,
          {.help = "of two classes, or of one that was chosen: from this probability on it is predicted; default: as "
                   "the model does, above one half",
           .type = OptionType::share,
           .aliases = {"cutoff"}});
  }
};

[[nodiscard]] MethodEntry confusion_matrix();

}  // namespace sightglass
