// Which features act together, so that what one does depends on the other?
//   H²_jk = Σ_i [PD_jk − PD_j − PD_k]² / Σ_i PD_jk²,   H²_j = Σ_i [f − PD_j − PD_−j]² / Σ_i f²
// at the data rows i, every function minus its own mean over them; three features: the numerator takes pairs away
// and gives singles back. Friedman & Popescu (2008), Predictive learning via rule ensembles. Cost: rows × different
// values of each feature, pair and triple. H² explodes where a pair has no effect at all: rank by strength.
#pragma once

#include "sightglass/methods/interactions/dependence/pd_rows.h"
#include "sightglass/methods/run/method.h"

namespace sightglass {

struct InteractionsOptions {
  std::vector<std::string> features;
  std::vector<std::string> pairs;
  std::vector<std::string> triples;
  bool only_totals = false;
  std::int64_t predictions = PdRowOptions().predictions;
  std::int64_t sample_rows = 0;
  std::int64_t samples = PdRowOptions().samples;

  static void fields(auto&& field) {
    field("features", &InteractionsOptions::features,
          {.help = "features to look at; default: all that the model uses", .type = OptionType::features});
    field("pairs", &InteractionsOptions::pairs,
          {.help = "pairs of features, each as first:second; default: all pairs of the features",
           .type = OptionType::pairs});
    field("triples", &InteractionsOptions::triples,
          {.help = "triples of features, each as first:second:third; default: none", .type = OptionType::triples});
    field("only_totals", &InteractionsOptions::only_totals,
          {"each feature with all others together, but no pairs unless they are named"});
    pd_row_fields<InteractionsOptions>(field);
  }
};

[[nodiscard]] MethodEntry interactions();

}  // namespace sightglass
