// The class of the nearest prototype. Question: which of a few typical rows is this one most like?
// Each class has prototypes of its own, found by maximum mean discrepancy (prototypes/mmd_critic.h); a row has the
// class of the nearest of them by Gower's distance. Kim, Khanna & Koyejo, Examples are not enough, learn to criticize!,
// NIPS 2016; Bien & Tibshirani, Prototype selection for interpretable classification, Annals of Applied Statistics
// 2011. Cost: half the pairs of rows of each class; of a prediction prototypes × features.
#pragma once

#include <cstdint>
#include <optional>

#include "sightglass/learn/learner.h"

namespace sightglass {

struct NearestPrototypeOptions {
  std::int64_t prototypes = 30;
  std::optional<double> gamma = std::nullopt;
  std::int64_t seed = 0;

  static void fields(auto&& field) {
    field("prototypes", &NearestPrototypeOptions::prototypes,
          {.help = "of all classes together, divided among them as equally as can be",
           .type = OptionType::count,
           .range = between(1, 10000)});
    field("gamma", &NearestPrototypeOptions::gamma,
          {.help = "γ of the kernel exp(−γ d²) by which they are found; default: 1 / (2 median²) of the distances",
           .range = above(0)});
    field("seed", &NearestPrototypeOptions::seed,
          {.help = "of the rows whose distances are looked at", .type = OptionType::seed});
  }
};

[[nodiscard]] LearnerEntry nearest_prototype();

}  // namespace sightglass
