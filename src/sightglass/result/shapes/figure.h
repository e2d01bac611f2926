// A single number.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sightglass/result/loss_kind.h"
#include "sightglass/result/open_word.h"

namespace sightglass {

class Fields;
class TidyRows;

// What a number is. A method may bring its own: it names it by a word, and says in `name` and `meaning` what it is.
enum class FigureId {
  loss,   // of the predictions as they are
  skill,  // 1 = perfect, 0 = no better than the best constant by a loss
  mean_prediction,
  features_used,
  left_by_main_effects,   // share of variance that partial dependence of single features leaves
  left_by_local_effects,  // the same by accumulated local effects
  main_effect_complexity,
  heterogeneity_before,     // of a feature's curves, with one curve for all rows
  heterogeneity_after,      // with one per region
  heterogeneity_explained,  // by the regions
  other,
};
inline constexpr std::string_view figure_ids[] = {"loss",
                                                  "skill",
                                                  "mean-prediction",
                                                  "features-used",
                                                  "left-by-main-effects",
                                                  "left-by-local-effects",
                                                  "main-effect-complexity",
                                                  "heterogeneity-before",
                                                  "heterogeneity-after",
                                                  "heterogeneity-explained",
                                                  "other"};
template <>
inline constexpr KnownWords<FigureId> known_words<FigureId> = {figure_ids, FigureId::other};

// A number about the model as a whole, or about one feature.
struct Figure {
  static constexpr std::string_view type = "figure";  // its name in JSON

  std::string name;  // in words: "share of variance that main effects leave"
  OpenWord<FigureId> id = FigureId::other;
  std::optional<LossKind> loss = std::nullopt;  // by which it is measured
  std::string feature = {};                     // that it is about; empty: all
  std::string output;
  std::string group;
  double value = 0;
  std::optional<double> se;
  std::string meaning;  // how to read it, in a sentence
};

void describe_fields(Figure& figure, Fields& fields);
void tidy_rows(const Figure& figure, TidyRows& rows);

}  // namespace sightglass
