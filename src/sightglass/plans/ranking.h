// Which features matter, by every measure side by side? Measures that disagree say more than any one of them: a
// feature with a flat partial dependence and a high permutation importance acts through interactions.
#pragma once

#include "sightglass/methods/interactions/dependence/pd_rows.h"
#include "sightglass/methods/run/method.h"

namespace sightglass {

struct RankingOptions {
  std::vector<std::string> features;
  std::int64_t repeats = 10;
  std::int64_t predictions = PdRowOptions().predictions;
  double flat_share = 0.1;
  double high_share = 0.3;

  static void fields(auto&& field) {
    field("features", &RankingOptions::features,
          {.help = "features to rank; default: all that the model uses", .type = OptionType::features});
    field("repeats", &RankingOptions::repeats,
          {.help = "shuffles per feature of the permutation importance",
           .type = OptionType::count,
           .aliases = {"n_repeats"}});
    field("predictions", &RankingOptions::predictions,
          {.help =
               "predictions for the interactions, and for the Shapley values: all rows if that suffices, else samples",
           .type = OptionType::predictions,
           .aliases = {"budget"}});
    field("flat_share", &RankingOptions::flat_share,
          {.help = "flat-but-important: a PD-based importance below this share of the largest is flat",
           .type = OptionType::share});
    field(
        "high_share", &RankingOptions::high_share,
        {.help = "flat-but-important: a permutation importance or interaction above this share of the largest is high",
         .type = OptionType::share});
  }
};

[[nodiscard]] MethodEntry ranking();

}  // namespace sightglass
