// The cautions that are raised by the data rather than by a method: which features go together, where a curve has
// no rows to stand on, what its average hides, whether the model knows anything. Measured each time, never
// boilerplate; docs/caveats.md says what each means. Added to every result at one place, MethodRun::finish().
#pragma once

#include <cstdint>
#include <optional>

#include "sightglass/methods/run/data_profile.h"
#include "sightglass/methods/run/method.h"
#include "sightglass/methods/run/model_skill.h"

namespace sightglass {

struct CaveatOptions {
  double correlation_threshold = 0.6;
  double extrapolation_threshold = 0.1;
  std::int64_t sparse_rows = 10;
  double sparse_share = 0.005;
  double heterogeneity_threshold = 0.25;
  double skill_threshold = 0.1;
  std::int64_t caveat_rows = 20000;
  std::int64_t skill_rows = 2000;
  bool training_data = false;

  static void fields(auto&& field) {
    field("correlation_threshold", &CaveatOptions::correlation_threshold,
          {.help = "caution when two features go together more than this (lower 95 % bound, 0 to 1)",
           .type = OptionType::share,
           .range = between(0, 1)});
    field("extrapolation_threshold", &CaveatOptions::extrapolation_threshold,
          {.help = "caution when a larger share of rows becomes combinations that the data do not contain",
           .type = OptionType::share,
           .range = between(0, 1)});
    field(
        "sparse_rows", &CaveatOptions::sparse_rows,
        {.help = "caution where a curve has fewer rows near it", .type = OptionType::row_count, .range = at_least(0)});
    field("sparse_share", &CaveatOptions::sparse_share,
          {.help = "the same as a share of all rows; the larger of both counts",
           .type = OptionType::share,
           .range = between(0, 1)});
    field("heterogeneity_threshold", &CaveatOptions::heterogeneity_threshold,
          {.help = "caution when single rows move differently from the average by more than this share",
           .type = OptionType::share,
           .range = between(0, 1)});
    field("skill_threshold", &CaveatOptions::skill_threshold,
          {.help = "warning when the model predicts the target hardly better than a constant (1 = perfect)",
           .range = at_most(1)});
    field("caveat_rows", &CaveatOptions::caveat_rows,
          {.help = "rows drawn to find out how features go together, fewer if there are hundreds of features; 0 = all",
           .type = OptionType::row_count,
           .range = at_least(0)});
    field("skill_rows", &CaveatOptions::skill_rows,
          {.help = "rows predicted to compare the model with a constant; 0 = all",
           .type = OptionType::row_count,
           .range = at_least(0)});
    field("training_data", &CaveatOptions::training_data, {"the model was trained on these data"});
  }
};

// Marks the grid points of curves that are not to be trusted and adds the caveats.
void attach_caveats(Result& result, const MethodEntry& entry, const MethodInput& input, const CaveatOptions& options,
                    const std::optional<ModelSkill>& skill, const Context& context);

}  // namespace sightglass
