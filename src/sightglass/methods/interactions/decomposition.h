// How much of the prediction do features explain one by one, how much in pairs, and how much is left?
//   f_0 = mean f,   f_S = Σ_{T ⊆ S} (−1)^(|S|−|T|) PD_T,   share of S = Cov(f_S, f) / Var f
// at the data rows; components are not centred again. Shares add up to 1 with the remainder and may be negative.
// Hooker (2004), Discovering additive structure in black box functions; Molnar, Casalicchio, Bischl (2020),
// Quantifying model complexity via functional decomposition. Cost: rows × different values of each feature and pair.
#pragma once

#include "sightglass/methods/grid/feature_grid.h"
#include "sightglass/methods/interactions/dependence/pd_rows.h"
#include "sightglass/methods/run/method.h"

namespace sightglass {

struct DecompositionOptions {
  std::int64_t order = 2;
  std::int64_t grid = 64;
  std::int64_t surfaces = 3;
  std::int64_t pair_grid = 12;
  double complex_interactions = 0.2;
  double complex_effects = 3;
  std::int64_t predictions = PdRowOptions().predictions;
  std::int64_t sample_rows = 0;
  std::int64_t samples = PdRowOptions().samples;

  static void fields(auto&& field) {
    field("order", &DecompositionOptions::order,
          {.help = "features that act together in a component, at the most: 1, 2, or more if the features are few",
           .type = OptionType::count,
           .range = at_least(1)});
    field(
        "grid", &DecompositionOptions::grid,
        {.help = "grid points of a main effect's curve, at the most", .type = OptionType::count, .range = grid_points});
    field("surfaces", &DecompositionOptions::surfaces,
          {.help = "pairs to draw, the strongest", .type = OptionType::count});
    field("pair_grid", &DecompositionOptions::pair_grid,
          {.help = "grid points per numeric feature of a drawn pair, at the most",
           .type = OptionType::count,
           .range = between(2, 100, "points")});
    field("complex_interactions", &DecompositionOptions::complex_interactions,
          {.help = "complex-model is raised above this interaction strength and {option:complex_effects}",
           .range = at_least(0)});
    field("complex_effects", &DecompositionOptions::complex_effects,
          {.help = "complex-model is raised above this main-effect complexity and {option:complex_interactions}",
           .range = at_least(0)});
    pd_row_fields<DecompositionOptions>(field);
  }
};

[[nodiscard]] MethodEntry decomposition();

}  // namespace sightglass
