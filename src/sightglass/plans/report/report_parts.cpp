#include <algorithm>
#include <map>
#include <set>

#include "sightglass/methods/interactions/dependence/pd_rows.h"
#include "sightglass/methods/local/shapley/coalitions.h"
#include "sightglass/plans/explain.h"
#include "sightglass/plans/report/drawn_pairs_internal.h"
#include "sightglass/plans/report/report_parts_internal.h"
#include "sightglass/result/caveat_subject.h"
#include "sightglass/result/importance_measure.h"
#include "sightglass/result/shapes/confusion.h"
#include "sightglass/result/shapes/examples.h"

namespace sightglass {

namespace {

constexpr std::int64_t grid = 32, importance_grid = 20, repeats = 5;
// Regions are looked for along so many features, from this heterogeneity on.
constexpr std::size_t regional_features = 4;
constexpr double least_heterogeneity = 0.25;
constexpr std::int64_t shown_curves = 60, shown_rows = 500;
// Of the predictions for Shapley values of so many rows, what is asked for those of the few that are read one by one.
constexpr double example_share = 10;
// Of the predictions that Shapley values may ask for, what they do ask for: whole rounds, and nothing twice.
constexpr double explained_share = 0.6;
constexpr std::int64_t surrogate_rows = 10'000, surrogate_refits = 8;
constexpr std::int64_t prototype_rows = 10'000, prototypes_shown = 16, criticisms_shown = 6;
// Of a row: rows that are like it, perturbed rows for all rules and for one (anchors.h), rows that are asked about
// where a change is looked for without trees.
constexpr std::int64_t neighbors_shown = 5;
constexpr double anchor_samples = 65'536, anchor_checks = 6000, changes_asked = 5000;
// Residuals along so many of the most important features.
constexpr std::size_t residual_features = 3;
constexpr std::int64_t residual_dots = 400;
// Rows over which rules are searched for; with fewer the search is another one.
constexpr std::uint64_t anchor_rows = 20'000, fewest_anchor_rows = 256;
constexpr std::size_t pair_features = 12, pair_features_of_trees = 30;
// What trees need for a variant of a row, compared with a prediction.
constexpr double variant_of_trees = 0.2;

using Texts = std::vector<std::string>;

template <class Item>
void take_out(Result& result) {
  std::erase_if(result.results, [](const ResultItem& item) { return item.is<Item>(); });
}

// By the sum over outputs; only one of several measures counts.
void take_ranking(const Result& result, Known& known) {
  const auto entries = items_of<Importance>(result);
  const bool over_rows =
      std::any_of(entries.begin(), entries.end(), [](const Importance* entry) { return entry->measure.over_rows; });
  std::vector<std::pair<double, std::string>> sums;
  for (const Importance* entry : entries) {
    if (over_rows && !entry->measure.over_rows) continue;
    const auto at =
        std::find_if(sums.begin(), sums.end(), [&](const auto& sum) { return sum.second == entry->feature; });
    if (at == sums.end()) {
      sums.emplace_back(entry->importance, entry->feature);
    } else {
      at->first += entry->importance;
    }
  }
  std::stable_sort(sums.begin(), sums.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  known.ranked.clear();
  for (const auto& [importance, feature] : sums) known.ranked.push_back(feature);
}

// The few most important features along which rows move so differently that regions may tell more than one curve.
void take_uneven(const Result& result, Known& known) {
  const auto curves = items_of<Curve>(result);
  const auto is_uneven = [&](const std::string& feature) {
    return std::any_of(curves.begin(), curves.end(), [&](const Curve* curve) {
      return curve->axis.feature == feature && curve->heterogeneity.value_or(0) >= least_heterogeneity;
    });
  };
  for (const std::string& feature : known.ranked) {
    if (known.uneven.size() < regional_features && is_uneven(feature)) known.uneven.push_back(feature);
  }
}

// Of regional effects, those of features for which regions were found: the others have their curves already.
void keep_divided(Result& result) {
  std::set<std::string> divided;
  for (const Curve* curve : items_of<Curve>(result)) {
    if (!curve->group.empty()) divided.insert(curve->axis.feature);
  }
  std::erase_if(result.results, [&](const ResultItem& item) {
    if (const auto* curve = item.as<Curve>()) return !divided.contains(curve->axis.feature);
    const auto* figure = item.as<Figure>();
    return figure != nullptr && !divided.contains(figure->feature);
  });
  // The effects of the same features have told what is doubtful about them over all rows, and those that no split
  // divides are left out.
  std::erase_if(result.caveats, [&](const Caveat& caveat) {
    const std::set<std::string> named = features_named(caveat);
    const bool shown =
        std::any_of(named.begin(), named.end(), [&](const auto& name) { return divided.contains(name); });
    const bool of_region = caveat.evidence.find("group") != nullptr || caveat.evidence.find("groups") != nullptr;
    const bool may_be_new = caveat.id == "hidden-heterogeneity" || caveat.id == "sparse-region";
    if (may_be_new) return !(of_region && shown);
    return caveat.id == "no-split" || caveat.id == "correlated-features" || caveat.id == "extrapolation";
  });
}

// Among the rows that were drawn for Shapley values where there is no time to explain others.
void choose_examples(const ReportSetup& setup, const Result& values, Known& known) {
  RowPredictions all = setup.predictions(known.rows);
  const auto drawn = items_of<Attributions>(values);
  if (!setup.any_row() && !drawn.empty()) {
    const std::set<std::uint64_t> explained(drawn.front()->rows.begin(), drawn.front()->rows.end());
    const std::size_t outputs = all.outputs.size();
    std::size_t kept = 0;
    for (std::size_t row = 0; row < all.rows.size(); ++row) {
      if (!explained.contains(all.rows[row])) continue;
      all.rows[kept] = all.rows[row];
      std::copy_n(all.values.begin() + static_cast<std::ptrdiff_t>(row * outputs), outputs,
                  all.values.begin() + static_cast<std::ptrdiff_t>(kept * outputs));
      ++kept;
    }
    all.rows.resize(kept);
    all.values.resize(kept * outputs);
  }
  known.examples =
      example_rows(all, static_cast<std::size_t>(setup.options.examples), setup.facts, setup.other_outputs);
}

// Of Shapley values.
void take_values(const ReportSetup& setup, Result& result, Known& known) {
  // The method knows no choice of features; the other rankings are about these only.
  std::erase_if(result.results, [&wanted = setup.options.features](const ResultItem& item) {
    const auto* entry = item.as<Importance>();
    return entry != nullptr && !wanted.empty() &&
           std::find(wanted.begin(), wanted.end(), entry->feature) == wanted.end();
  });
  // Without the truth: unlike partial dependence these values see what acts through others.
  if (!setup.has_target) take_ranking(result, known);
  if (setup.options.no_rows) {
    take_out<Attributions>(result);
    return;
  }
  known.example_values = examples_of(result, known.examples);
  known.has_example_values = known.example_values.has_value();
}

// Prices are predictions of each row: of a variant of it, an exchange of its values, a step.
class PartList {
 public:
  explicit PartList(const ReportSetup& setup)
      : setup_(setup), features_(static_cast<double>(setup.features)), variant_(setup.by_trees ? variant_of_trees : 1) {
    list_importance();
    list_shapley();
    list_effects();
    list_regions();
    list_pairs();
    list_surrogates();
    list_prototypes();
    list_rows();
  }
  [[nodiscard]] std::vector<Part> list() && { return std::move(parts_); }

 private:
  void list_importance() {
    if (setup_.has_target) {
      add({.method = "performance", .title = "performance", .price = {.per_row = 1}, .all_rows = true});
      if (setup_.has_classes) list_class_curves();
      add({.method = "permutation-importance",
           .title = "permutation importance",
           .price = {.per_row = repeats * features_},
           .options =
               [&setup = setup_](const Known&) { return with_features(setup, Value::object({{"repeats", repeats}})); },
           .take =
               [](Result& result, Known& known) {
                 take_out<Figure>(result);  // performance has told them
                 take_ranking(result, known);
               }});
      list_errors();
      list_groups();
    }
    add_named("pd-importance", {.title = "importance by partial dependence",
                                .price = {.per_row = variant_ * variants(importance_grid), .rank = 6},
                                .teaches = true,
                                .options =
                                    [&setup = setup_](const Known&) {
                                      return with_features(setup, Value::object({{"grid", importance_grid}}));
                                    },
                                .take =
                                    [](Result& result, Known& known) {
                                      if (known.ranked.empty()) take_ranking(result, known);
                                    }});
  }

  [[nodiscard]] bool by_groups() const { return !setup_.options.by.empty(); }
  [[nodiscard]] static Value in_groups(const ReportSetup& setup, Value own) {
    own.set("by", setup.options.by);
    return own;
  }

  void list_groups() {
    if (!by_groups()) return;
    add_named("performance-by",
              {.title = "performance in groups",
               .price = {.per_row = 1, .rank = 1},
               .all_rows = true,
               .options = [&setup = setup_](const Known&) { return in_groups(setup, Value::object()); }});
    add_named("importance-by", {.title = "permutation importance in groups",
                                .price = {.per_row = repeats * features_, .rank = 1},
                                .options =
                                    [&setup = setup_](const Known&) {
                                      return in_groups(setup,
                                                       with_features(setup, Value::object({{"repeats", repeats}})));
                                    },
                                .take = [](Result& result, Known&) { take_out<Figure>(result); }});
  }

  void list_class_curves() {
    const Price once{.per_row = 1, .rank = 2};
    add_named("confusion-matrix", {.title = "confusion matrix", .price = once});
    add_named("roc", {.title = "ROC curve", .price = once});
    add_named("precision-recall", {.title = "precision and recall", .price = once});
    add_named("calibration", {.title = "calibration", .price = once});
    // Which of many classes to decide for is no question of one threshold.
    if (setup_.outputs > 2) return;
    add_named("threshold", {.title = "choice of a threshold",
                            .price = once,
                            // At one half there is a matrix already.
                            .take = [](Result& result, Known&) { take_out<Confusion>(result); }});
  }

  void list_errors() {
    if (!setup_.has_classes) {
      add_named(
          "residuals",
          {.title = "residuals", .price = {.per_row = 1, .rank = 2}, .options = [&setup = setup_](const Known& known) {
             return Value::object({{"against", Texts{"prediction", "normal"}},
                                   {"features", first(known.ranked, residual_features)},
                                   {"points", setup.options.no_rows ? 0 : residual_dots}});
           }});
    }
    add_named("error-regions",
              {.title = "where the model errs",
               .price = {.per_row = 1, .rank = 3},
               .options = [&setup = setup_](const Known&) { return with_features(setup, Value::object()); }});
  }

  void list_shapley() {
    add_named("shap", {.title = "Shapley values",
                       .price = {.per_row = 1 + (setup_.by_trees ? 4 * features_ : 0),
                                 .fixed = explained_share * own_predictions(),
                                 .rank = 2},
                       .teaches = true,
                       .options =
                           [&setup = setup_](const Known&) {
                             return with_predictions(setup, Value::object({{"explain", shown_rows}}));
                           },
                       .look =
                           [&setup = setup_](const Result& result, Known& known) {
                             if (!setup.options.no_rows) choose_examples(setup, result, known);
                           },
                       .take = [&setup = setup_](Result& result, Known& known) { take_values(setup, result, known); }});
    if (setup_.options.no_rows) return;
    add_named("example-shap", {.title = "Shapley values of the rows worth reading",
                               .needs = "shap",
                               .price = {.per_row = setup_.by_trees ? features_ : 0,
                                         .fixed = least_explained(static_cast<double>(setup_.options.examples)),
                                         .rank = 2},
                               .promised = true,
                               .teaches = true,
                               .options = [&setup = setup_, own = own_predictions()](const Known& known) -> Value {
                                 if (known.examples.empty() || known.has_example_values) return {};
                                 std::vector<std::uint64_t> rows;
                                 for (const ExampleRow& example : known.examples) rows.push_back(example.row);
                                 Value options = Value::object({{"rows", rows_of(rows)}});
                                 if (own > 0)
                                   options.set("predictions", static_cast<std::int64_t>(own / example_share));
                                 return options;
                               },
                               .take =
                                   [](Result& result, Known& known) {
                                     take_out<Importance>(result);
                                     tell_examples(result, known.examples);
                                   }});
  }

  void list_effects() {
    const auto of_features = [&setup = setup_](const char* size) {
      return [&setup, size](const Known&) { return with_features(setup, Value::object({{size, grid}})); };
    };
    add_named("partial-dependence", {.title = "partial dependence",
                                     .price = {.per_row = variant_ * variants(grid), .rank = 1},
                                     .teaches = true,
                                     .options = of_features("grid"),
                                     .take = take_uneven});
    add({.method = "ale",
         .title = "accumulated local effects",
         .price = {.per_row = 2 * features_},
         .options = of_features("bins")});
    add({.method = "m-plot", .title = "M-plots", .price = {.per_row = 1}, .options = of_features("bins")});
    if (by_groups() && setup_.options.top > 0) {
      add_named("effects-by", {.title = "effects in groups",
                               .price = {.per_row = 2 * top(), .rank = 1},
                               .options = [&setup = setup_](const Known& known) -> Value {
                                 // Within a group its own column hardly varies.
                                 Texts features = top_features(setup, known);
                                 std::erase(features, setup.options.by);
                                 if (features.empty()) return {};
                                 return in_groups(setup, Value::object({{"features", features}, {"bins", grid}}));
                               }});
    }
    if (!shows_rows()) return;
    add_named(
        "ice",
        {.title = "curves of single rows",
         .price = {.per_row = variant_ * points(grid) * top(), .rank = 4},
         .options = [&setup = setup_](const Known& known) -> Value {
           return Value::object(
               {{"features", top_features(setup, known)}, {"grid", grid}, {"center", true}, {"curves", shown_curves}});
         }});
  }

  void list_regions() {
    add_named(
        "regional-effects",
        {.title = "effects in regions of the data",
         .needs = "partial-dependence",
         .price = {.per_row = variant_ * 2 * points(importance_grid) * std::min<double>(regional_features, features_),
                   .rank = 6},
         .options = [&setup = setup_](const Known& known) -> Value {
           if (known.uneven.empty()) return {};
           Value own = Value::object({{"features", known.uneven}, {"grid", importance_grid}, {"depth", 1}});
           // A region is described by its levels.
           if (!setup.split_by.empty()) own.set("split_by", setup.split_by);
           return own;
         },
         .take = [](Result& result, Known&) { keep_divided(result); }});
  }

  void list_pairs() {
    const auto pairs = static_cast<double>(setup_.options.pairs);
    const Price own{.per_row = setup_.by_trees ? 2 * features_ : 0, .fixed = own_predictions(), .rank = 3};
    add_named("interactions", {.title = "interactions",
                               .price = own,
                               .teaches = true,
                               .options =
                                   [&setup = setup_](const Known& known) {
                                     return with_predictions(
                                         setup,
                                         Value::object({{"features", first(known.ranked, most_pair_features(setup))}}));
                                   },
                               .take =
                                   [&setup = setup_](Result& result, Known& known) {
                                     take_pairs(setup, result, static_cast<std::size_t>(setup.options.pairs), known);
                                   }});
    if (setup_.options.features.empty()) {
      Price last = own;
      last.rank = 7;
      last.fixed = std::max(last.fixed, least_decomposed());
      add_named("decomposition", {.title = "decomposition", .price = last, .options = [&setup = setup_](const Known&) {
                                    const int order = setup.features <= decomposed_features ? 2 : 1;
                                    return with_predictions(setup, Value::object({{"order", order}, {"surfaces", 0}}));
                                  }});
    }
    const auto pair_options = [](const char* size) {
      return [=](const Known& known) -> Value {
        if (known.pairs.empty()) return {};
        return Value::object({{"pairs", known.pairs}, {size, pair_grid}});
      };
    };
    // Alone: the single features of these pairs have their curves already.
    add_named("ale-pairs", {.title = "pairs by accumulated local effects",
                            .needs = "interactions",
                            .price = {.per_row = 4 * pairs, .rank = 5},
                            .options = pair_options("pair_bins")});
    add_named("pd-pairs", {.title = "pairs by partial dependence",
                           .needs = "interactions",
                           .price = {.per_row = variant_ * points(pair_grid) * points(pair_grid) * pairs, .rank = 8},
                           .options = pair_options("pair_grid"),
                           .take = [](Result& result, Known&) { take_out<Curve>(result); }});
  }

  // Of several outputs only trees are fitted, of classes one that learns which of them is predicted: a page of all
  // kinds for each output would bury the rest.
  void list_surrogates() {
    add_named("surrogates",
              {.title = "simpler models",
               .price = {.per_row = 1, .rank = 5, .most_rows = surrogate_rows},
               .trial = 0.75,
               .options = [&setup = setup_](const Known& known) -> Value {
                 const std::int64_t refits = known.trial ? 1 : surrogate_refits;
                 Value own = with_features(setup, Value::object({{"fit_rows", surrogate_rows}, {"refits", refits}}));
                 if (setup.outputs > 1) {
                   own.set("learner", Texts{"tree"}).set("frontier", false).set("votes", setup.has_classes);
                 }
                 return own;
               }});
  }

  void list_rows() {
    if (!shows_rows()) return;
    const auto rows = static_cast<double>(setup_.options.examples + prototypes_shown + criticisms_shown);
    add_named("what-if",
              {.title = "what if a row were different",
               .needs = "shap",
               .price = {.fixed = top() * points(grid) * rows, .rank = 3},
               .trial = trial_of(rows),
               .options = [&setup = setup_](const Known& known) -> Value {
                 if (known.examples.empty() && known.chosen.empty()) return {};
                 return Value::object(
                     {{"features", top_features(setup, known)}, {"rows", rows_of(all_rows(known))}, {"grid", grid}});
               },
               // Only the most important features were changed.
               .take =
                   [](Result& result, Known&) {
                     std::erase_if(result.caveats, [](const Caveat& caveat) { return caveat.id == "no-flip"; });
                   }});
    const auto of_rows = [](const Known& known) -> Value {
      if (known.examples.empty() && known.chosen.empty()) return {};
      return Value::object({{"rows", rows_of(all_rows(known))}});
    };
    add_named(
        "anchors",
        {.title = "rules that hold the predictions of rows",
         .needs = "shap",
         .price = {.per_row = 1, .fixed = anchor_samples + anchor_checks * rows, .rank = 7, .most_rows = anchor_rows},
         .trial = trial_of(rows),
         .options = [of_rows](const Known& known) -> Value {
           Value own = of_rows(known);
           return own.is_null() ? own : own.set("use_rows", std::clamp(known.rows, fewest_anchor_rows, anchor_rows));
         }});
    // Of numbers nobody can say which other one is wanted.
    if (setup_.has_classes) {
      const double asked = setup_.by_trees ? 2 : changes_asked;
      add_named("counterfactuals", {.title = "smallest changes for another class",
                                    .needs = "shap",
                                    .price = {.fixed = asked * rows, .rank = 7},
                                    .trial = trial_of(rows),
                                    .options = of_rows,
                                    .take = [](Result& result, Known&) { take_out<Importance>(result); }});
    }
    add_named("neighbors", {.title = "the most similar rows",
                            .needs = "shap",
                            .price = {.fixed = static_cast<double>(neighbors_shown) * rows, .rank = 3},
                            .trial = trial_of(rows),
                            .options = [of_rows](const Known& known) -> Value {
                              Value own = of_rows(known);
                              return own.is_null() ? own : own.set("neighbors", neighbors_shown);
                            }});
  }

  void list_prototypes() {
    if (!shows_rows()) return;
    add_named("prototypes", {.title = "prototypes and criticisms",
                             .price = {.fixed = static_cast<double>(prototypes_shown + criticisms_shown),
                                       .rank = 6,
                                       .most_rows = prototype_rows},
                             .teaches = true,
                             .options = [&setup = setup_](const Known&) -> Value {
                               return with_features(setup, Value::object({{"prototypes", prototypes_shown},
                                                                          {"criticisms", criticisms_shown},
                                                                          {"use_rows", prototype_rows},
                                                                          {"attributions", 0}}));
                             },
                             .take =
                                 [](Result& result, Known& known) {
                                   for (const Examples* item : items_of<Examples>(result)) {
                                     for (const Example& example : item->rows) known.chosen.push_back(example.row);
                                   }
                                 }});
    add_named("prototype-shap", {.title = "Shapley values of prototypes and criticisms",
                                 .needs = "shap",
                                 .price = {.per_row = setup_.by_trees ? features_ : 0,
                                           .fixed = least_explained(prototypes_shown + criticisms_shown),
                                           .rank = 7},
                                 .options = [&setup = setup_](const Known& known) -> Value {
                                   if (known.chosen.empty()) return {};
                                   return with_predictions(setup, Value::object({{"rows", rows_of(known.chosen)}}));
                                 },
                                 .take = [](Result& result, Known&) { take_out<Importance>(result); }});
  }

  void add_named(std::string_view name, Part part) {
    const auto* named = std::find_if(std::begin(skippable_parts), std::end(skippable_parts),
                                     [&](const SkippablePart& each) { return each.name == name; });
    part.name = name;
    part.method = named->method;
    add(std::move(part));
  }
  void add(Part part) { parts_.push_back(std::move(part)); }

  [[nodiscard]] bool shows_rows() const { return !setup_.options.no_rows && setup_.options.top > 0; }
  [[nodiscard]] double top() const {
    return static_cast<double>(std::min(static_cast<std::size_t>(setup_.options.top), setup_.features));
  }
  [[nodiscard]] static double trial_of(double rows) {
    // Half of what is done for each, or so, is done once for all of them.
    return std::min(1.0, 2 * static_cast<double>(trial_rows_shown) / std::max(1.0, rows));
  }
  // Points of the curves of all features, and of one.
  [[nodiscard]] double variants(std::int64_t grid_points) const {
    if (setup_.values.empty()) return static_cast<double>(grid_points) * features_;
    double sum = 0;
    for (const std::size_t values : setup_.values)
      sum += static_cast<double>(std::min(static_cast<std::size_t>(grid_points), values));
    return sum;
  }
  [[nodiscard]] double points(std::int64_t grid_points) const {
    return variants(grid_points) / std::max(1.0, features_);
  }
  // What a method with a budget of its own asks for, where it is not read off trees.
  [[nodiscard]] double own_predictions() const {
    if (setup_.by_trees) return 0;
    return static_cast<double>(setup_.options.predictions > 0 ? setup_.options.predictions : usual_predictions);
  }

  // What it asks for at the least, whatever it may.
  [[nodiscard]] double least_decomposed() const {
    if (setup_.by_trees) return 0;
    const PdRowOptions usual;
    const double rows = static_cast<double>(pd_least_rows), pairs = features_ * (features_ - 1) / 2;
    const double order_2 = setup_.features <= decomposed_features ? pairs : 0;
    return static_cast<double>(usual.samples) * rows * points(static_cast<std::int64_t>(pd_least_rows)) *
           (features_ + order_2);
  }
  [[nodiscard]] double least_explained(double rows) const {
    if (setup_.by_trees) return 0;
    const CoalitionOptions usual;
    const bool exact = setup_.features < most_enumerated;
    const double sampled = coalition_cost(setup_.features, usual.background_rows, false) * fewest_rounds;
    const double all = exact ? coalition_cost(setup_.features, usual.background_rows, true) : sampled;
    return rows * std::min(sampled, all);
  }

  [[nodiscard]] static Value with_features(const ReportSetup& setup, Value own) {
    if (!setup.options.features.empty()) own.set("features", setup.options.features);
    return own;
  }
  // For methods that choose their rows by a number of predictions.
  [[nodiscard]] static Value with_predictions(const ReportSetup& setup, Value own) {
    if (setup.options.predictions > 0) own.set("predictions", setup.options.predictions);
    return own;
  }
  [[nodiscard]] static Texts first(const Texts& names, std::size_t most) {
    return {names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(most, names.size()))};
  }
  [[nodiscard]] static Texts top_features(const ReportSetup& setup, const Known& known) {
    return first(known.ranked, static_cast<std::size_t>(setup.options.top));
  }
  [[nodiscard]] static std::vector<std::uint64_t> all_rows(const Known& known) {
    std::vector<std::uint64_t> rows = known.chosen;
    for (const ExampleRow& example : known.examples) rows.push_back(example.row);
    return rows;
  }
  // Each once, in ascending order.
  [[nodiscard]] static std::vector<std::int64_t> rows_of(const std::vector<std::uint64_t>& list) {
    std::vector<std::int64_t> rows(list.begin(), list.end());
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    return rows;
  }

  const ReportSetup& setup_;
  double features_, variant_;
  std::vector<Part> parts_;
};

}  // namespace

std::size_t most_pair_features(const ReportSetup& setup) {
  return setup.by_trees ? pair_features_of_trees : pair_features;
}

std::string skippable_names() {
  std::string names;
  for (const SkippablePart& part : skippable_parts) names += (names.empty() ? "" : ", ") + std::string(part.name);
  return names;
}

std::vector<Part> parts_of(const ReportSetup& setup) { return PartList(setup).list(); }

}  // namespace sightglass
