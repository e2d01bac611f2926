// How much does the model rely on a feature, over all ways to exchange its values between rows?
//   MR = e_switch / e_orig (and e_switch − e_orig)
//   e_switch = Σ_i Σ_{j≠i} L(y_i, f(x_j,S ; x_i,C)) / (n(n − 1))
// Fisher, Rudin & Dominici (2019), All models are wrong, but many are useful. Nothing is shuffled: all pairs of
// rows count, so the result has no noise of its own. Cost: rows × distinct values predictions per feature, up to
// a budget. Misleads where features are correlated, as permutation importance does.
#pragma once

#include "sightglass/methods/run/method.h"

namespace sightglass {

struct ModelRelianceOptions {
  std::vector<std::string> features;
  std::vector<std::string> losses;
  std::vector<std::string> groups;
  std::int64_t predictions = 10'000'000;
  bool divide = true;

  static void fields(auto&& field) {
    using Options = ModelRelianceOptions;
    field("features", &Options::features,
          {.help = "features to explain; default: all that the model uses", .type = OptionType::features});
    field(
        "losses", &Options::losses,
        {.help = "one or more of squared, absolute, poisson, log-loss, brier, accuracy; default: squared for numbers, "
                 "log-loss for classes",
         .aliases = {"scoring"}});
    field("groups", &Options::groups,
          {.help = "features to switch together, each group as name=a,b; features in no group stay single, unless "
                   "others are named with {option:features}",
           .type = OptionType::groups});
    field("predictions", &Options::predictions,
          {.help = "predictions per feature, at the most; above that a sample of rows is used: 10000000 is all pairs "
                   "of 3162 rows",
           .type = OptionType::predictions,
           .range = at_least(100, "predictions"),
           .aliases = {"budget"}});
    field("divide", &Options::divide,
          {"also e_divide: rows of the file's first half exchanged with those of its second"});
  }
};

[[nodiscard]] MethodEntry model_reliance();

}  // namespace sightglass
