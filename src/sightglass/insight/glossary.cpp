#include "sightglass/insight/glossary.h"

#include <algorithm>

#include "sightglass/insight/readable.h"

namespace sightglass {

namespace {

using Used = bool (*)(const Result& result);

template <class Test>
bool any_item(const Result& result, Test test) {
  return std::any_of(result.results.begin(), result.results.end(), test);
}

template <class Shape>
bool holds(const Result& result) {
  return any_item(result, [](const ResultItem& item) { return item.is<Shape>(); });
}

bool has_caveat(const Result& result, std::string_view id) {
  return std::any_of(result.caveats.begin(), result.caveats.end(),
                     [&](const Caveat& caveat) { return caveat.id == id; });
}

bool has_heterogeneity(const Result& result) {
  return any_item(result, [](const ResultItem& item) {
    const auto* curve = item.as<Curve>();
    const auto* curves = item.as<Curves>();
    return (curve != nullptr && curve->heterogeneity) || (curves != nullptr && curves->heterogeneity);
  });
}

bool has_curve_with_band(const Result& result) {
  return any_item(result, [](const ResultItem& item) {
    const auto* curve = item.as<Curve>();
    return curve != nullptr && !curve->se_shape.empty();
  });
}

bool has_extrapolated(const Result& result) {
  return has_caveat(result, "extrapolation") || any_item(result, [](const ResultItem& item) {
           const auto* curve = item.as<Curve>();
           return curve != nullptr && !curve->extrapolated.empty();
         });
}

bool told_on_margin(const Result& result) { return text_member(result.options, "scale") == "margin"; }

bool estimates(const Result& result, Estimand estimand) {
  return any_item(result, [&](const ResultItem& item) {
    const auto* curve = item.as<Curve>();
    const auto* surface = item.as<Surface>();
    return (curve != nullptr && curve->estimand == estimand) || (surface != nullptr && surface->estimand == estimand);
  });
}

bool measures(const Result& result, MeasureKind kind) {
  return any_item(result, [&](const ResultItem& item) {
    const auto* entry = item.as<Importance>();
    return entry != nullptr && entry->measure.kind == kind;
  });
}

struct Entry {
  const char *term, *meaning;
  Used used;
};

const Entry entries[] = {
    {"ALE (accumulated local effects)",
     "How the prediction changes along a feature, added up from small steps within which rows are compared with "
     "themselves. It only uses rows that have such values, so it stays inside the data when features go together.",
     [](const Result& result) { return estimates(result, Estimand::accumulated_local_effect); }},
    {"Band, 95 % interval",
     "How far the curve could lie elsewhere if other rows had been drawn. It says nothing about whether the model is "
     "right.",
     has_curve_with_band},
    {"Correlated features",
     "Features that go together in the data. Changing one of them alone makes rows that hardly occur, and what one "
     "does "
     "can be credited to the other.",
     [](const Result& result) { return has_caveat(result, "correlated-features"); }},
    {"Decomposition",
     "The prediction as a sum of what features do one by one, in pairs, and what is left. Shares of variance say how "
     "much each part moves the prediction.",
     [](const Result& result) { return measures(result, MeasureKind::variance); }},
    {"Differs from row to row",
     "How differently single rows move along a feature (heterogeneity): 0 % means that all move like the average, 100 "
     "% "
     "that the average says nothing about single rows.",
     has_heterogeneity},
    {"Extrapolation, unusual combinations",
     "A prediction for a combination of values of which the data have no example, though each value alone is there. "
     "The model answers, but nobody has checked such answers.",
     has_extrapolated},
    {"H and H²",
     "How much of the joint effect of features is not the sum of what each does alone: 0 is nothing, 1 is all of it. "
     "The strength is the same in units of the prediction.",
     [](const Result& result) { return holds<Interaction>(result); }},
    {"ICE (individual conditional expectation)",
     "What the model predicts for one row when only one of its values changes: one line per row. Centred lines show "
     "only the change.",
     [](const Result& result) { return holds<Curves>(result); }},
    {"Interaction",
     "What one feature does depends on the value of another, so their joint effect is not the sum of the two.",
     [](const Result& result) { return holds<Interaction>(result) || holds<Surface>(result); }},
    {"M-plot",
     "The mean prediction of the rows that have a value. Whatever goes together with the feature shows as if it were "
     "its own effect.",
     [](const Result& result) { return estimates(result, Estimand::conditional_mean); }},
    {"Margin, log-odds",
     "What a classifier adds up before it is turned into probabilities: a number without a lowest or highest value, "
     "larger where the class is more likely.",
     told_on_margin},
    {"Model reliance",
     "How much larger the model's loss becomes when the feature's values are exchanged between rows, as a ratio (1: "
     "the "
     "model does not rely on it) or as a difference.",
     [](const Result& result) { return measures(result, MeasureKind::reliance); }},
    {"Partial dependence",
     "The mean prediction when a feature of every row is set to one value, all else left as it is. It also asks about "
     "rows that do not occur.",
     [](const Result& result) {
       return estimates(result, Estimand::partial_dependence) || measures(result, MeasureKind::dependence);
     }},
    {"Permutation importance",
     "How much worse predictions become when the feature's values are shuffled between rows: what the model loses "
     "without knowing it.",
     [](const Result& result) {
       return measures(result, MeasureKind::permutation) || estimates(result, Estimand::loss_under_noise);
     }},
};

}  // namespace

std::vector<GlossaryTerm> glossary(const std::vector<Result>& results) {
  std::vector<GlossaryTerm> terms;
  for (const Entry& entry : entries) {
    if (std::any_of(results.begin(), results.end(), entry.used)) terms.push_back({entry.term, entry.meaning});
  }
  const auto add = [&](const GlossaryTerm& more) {
    const auto place = std::lower_bound(terms.begin(), terms.end(), more,
                                        [](const auto& a, const auto& b) { return a.term < b.term; });
    if (place == terms.end() || place->term != more.term) terms.insert(place, more);
  };
  for (const Result& result : results) {
    if (measures(result, MeasureKind::shapley)) add(shapley_values_term());
    for (const GlossaryTerm& term : result.about.terms) add(term);
  }
  return terms;
}

}  // namespace sightglass
