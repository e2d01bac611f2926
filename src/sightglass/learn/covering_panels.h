// Covering ensemble of panels: which few pictures of two features claim the other class, and never the one that must
// not be missed?
//
// P are the rows of the preferred class, which must not be taken for another one; O all others. Again and again, for
// every one or two features and every kernel a support vector machine d(x) is trained, positive towards O; its
// threshold
//
//   t = max(0, max over P of d)
//
// leaves no row of P above it, and the panel that newly claims most rows of O is kept. Predicted is the other class
// where any d_j > t_j between the rows it claimed, else the preferred one: on the training rows the preferred class is
// never missed. How often it is missed in new rows is measured on held-out ones, with an exact bound. More classes have
// an order of misclassification costs: for each class, panels claim it against all more critical ones; the first claim
// wins, and who is claimed by none is of the most critical class. On request panels claim each class against the rest;
// explanations then say where claims contradict each other, and where there is none.
//
// Safe mode keeps m rows of P apart, scores them with all panels at once, s(x) = max_j (d_j - t_j) / spread_j over
// panels within whose claimed rows x lies, and raises every threshold by spread_j · max(0, k-th largest s): a new row
// of P is then missed with a chance of at most k / (m+1), on average over the draw of the rows kept apart, if it is
// like them.
//
// S. Nusser, C. Otte, W. Hauptmann, R. Kruse, Learning verifiable ensembles for classification problems with high
// safety requirements, in: Intelligent Soft Computation and Evolving Data Mining, 2009. Cost: subsets of features ×
// kernels × one support vector machine on search_rows, for each panel.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sightglass/learn/learner.h"
#include "sightglass/learn/panels/panel_options.h"

namespace sightglass {

struct CoveringPanelsOptions {
  std::string prefer;
  std::vector<std::string> order;
  std::int64_t max_models = 8;
  double min_gain = 0.02;
  std::int64_t tolerate = 0;
  bool one_vs_rest = false;
  bool safe = false;
  std::int64_t allowed_misses = 1;
  double calibration_share = 0.3;
  double holdout_share = 0.3;
  double preference = 10;
  std::int64_t dimensions = 2;
  std::string kernel = "both";
  double cost = 1;
  std::vector<std::string> veto;
  std::int64_t max_subsets = 3000;
  std::int64_t search_rows = 1000;
  std::int64_t fit_rows = 5000;
  std::int64_t seed = 0;

  static void fields(auto&& field) {
    using Self = CoveringPanelsOptions;
    field("prefer", &Self::prefer,
          {.help = "the class of which no training row is taken for another; default: the rarest",
           .type = OptionType::output});
    field("order", &Self::order,
          {.help = "classes by what it costs to miss them, the costliest first; default: the preferred one, then by "
                   "frequency, the rarest first",
           .type = OptionType::output});
    field("one_vs_rest", &Self::one_vs_rest,
          {.help = "panels of each class against all others, which may contradict each other: of several claims that "
                   "for the most critical class wins, and who is claimed by none is of the most critical class"});
    field("max_models", &Self::max_models,
          {.help = "the most panels for each class", .type = OptionType::count, .range = between(1, 100)});
    field("min_gain", &Self::min_gain,
          {.help = "share of a class that a panel must newly claim", .type = OptionType::share});
    field(
        "tolerate", &Self::tolerate,
        {.help = "rows of more critical classes that may be left out per class where that gains more than it costs, as "
                 "if wrongly labelled; they are listed",
         .type = OptionType::count,
         .range = at_least(0)});
    field("safe", &Self::safe,
          {.help = "keep rows of critical classes apart and raise thresholds until new ones are missed as rarely as "
                   "{option:allowed_misses} says"});
    field("allowed_misses", &Self::allowed_misses,
          {.help = "of {option:safe}: k, by which a new critical row is missed with a chance of at most k / (rows kept "
                   "apart + 1)",
           .type = OptionType::count,
           .range = at_least(1)});
    field("calibration_share", &Self::calibration_share,
          {.help = "of {option:safe}: share of the critical rows that are kept apart", .range = between(0.01, 0.9)});
    field("holdout_share", &Self::holdout_share,
          {.help = "share of rows held out from a second ensemble, by which errors on new rows are measured; 0 = none",
           .range = between(0, 0.9)});
    field("preference", &Self::preference,
          {.help = "what a critical row costs on the wrong side while a panel is trained, against another one",
           .range = above(0)});
    panel_fields<Self>(field);
  }
};

[[nodiscard]] LearnerEntry covering_panels();

}  // namespace sightglass
