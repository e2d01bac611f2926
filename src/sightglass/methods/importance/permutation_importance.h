// How much worse do predictions become when a feature's values are shuffled between rows?
//   PFI_j = mean over repeats of [loss(f(x_π(i),j ; x_i,C)) − loss(f(x_i))]; scores: before − after
// Breiman (2001), Random forests; Fisher, Rudin & Dominici (2019). Cost: repeats × features × rows predictions,
// and rows once more. The expected value over all shuffles needs no shuffle: (n − 1)/n · (e_switch − e_orig) of model
// reliance, at its cost. Misleads where features are correlated: rows get values they could not have, and two
// features that say the same share their importance; shuffle them as a group.
#pragma once

#include "sightglass/methods/run/method.h"

namespace sightglass {

struct PermutationImportanceOptions {
  std::vector<std::string> features;
  std::vector<std::string> losses;
  std::string estimator = "shuffled";
  std::int64_t repeats = 10;
  std::vector<std::string> groups;
  std::string kind = "difference";
  std::vector<double> noise;
  std::int64_t predictions = 10'000'000;

  static void fields(auto&& field) {
    using Options = PermutationImportanceOptions;
    field("features", &Options::features,
          {.help = "features to explain; default: all that the model uses", .type = OptionType::features});
    field("losses", &Options::losses,
          {.help = "one or more of squared, absolute, rmse, r2, log-loss, brier, auc, accuracy, f1, poisson; default: "
                   "rmse for numbers, log-loss for classes",
           .aliases = {"scoring"}});
    field("estimator", &Options::estimator,
          {"shuffled: the mean over repeats; expected: over all exchanges of values between rows, without chance and "
           "repeats (not for auc, f1 and noise)",
           {"shuffled", "expected"}});
    field("repeats", &Options::repeats,
          {.help = "shuffles of each feature",
           .type = OptionType::count,
           .range = between(1, 100000),
           .aliases = {"n_repeats"}});
    field("groups", &Options::groups,
          {.help = "features to shuffle together, each group as name=a,b; features in no group stay single, unless "
                   "others are named with {option:features}",
           .type = OptionType::groups});
    field("kind", &Options::kind, {"loss after minus loss before, or their ratio", {"difference", "ratio"}});
    field("noise", &Options::noise,
          {.help = "also the loss with noise of these sizes on a feature: in its standard deviations; categories: the "
                   "share of rows that get a random row's",
           .range = above(0)});
    field("predictions", &Options::predictions,
          {.help = "{option:estimator} expected: predictions per feature, at the most; above that a sample of rows is "
                   "used",
           .type = OptionType::predictions,
           .range = at_least(100, "predictions"),
           .aliases = {"budget"}});
  }
};

[[nodiscard]] MethodEntry permutation_importance();

}  // namespace sightglass
