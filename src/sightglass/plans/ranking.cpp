#include "sightglass/plans/ranking.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "sightglass/base/error.h"
#include "sightglass/result/importance_measure.h"

namespace sightglass {

namespace {

// Entries of one measure; those of several outputs become their mean, so that each feature has one.
std::vector<Importance> of_all_outputs(const std::vector<Importance>& entries) {
  std::vector<Importance> merged;
  std::vector<double> outputs;
  for (const Importance& entry : entries) {
    const auto at = std::find_if(merged.begin(), merged.end(), [&](const auto& m) {
      return m.feature == entry.feature && m.measure == entry.measure;
    });
    if (at == merged.end()) {
      merged.push_back(entry);
      outputs.push_back(1);
      continue;
    }
    // A mean over outputs has no interval of its own.
    at->importance += entry.importance;
    at->se = at->sd = at->low = at->high = std::nullopt;
    at->output.clear();
    outputs[static_cast<std::size_t>(at - merged.begin())] += 1;
  }
  for (std::size_t i = 0; i < merged.size(); ++i) {
    merged[i].importance /= outputs[i];
    if (outputs[i] > 1) merged[i].details = Value::object({{"outputs", outputs[i]}});
  }
  return merged;
}

std::vector<Importance> importances_of(const Result& result) {
  std::vector<Importance> entries;
  for (const ResultItem& item : result.results) {
    if (const auto* entry = item.as<Importance>()) entries.push_back(*entry);
    // How much of a feature's effect depends on others, in units of the prediction.
    if (const auto* entry = item.as<Interaction>(); entry != nullptr && entry->features.size() == 1) {
      entries.push_back({.feature = entry->features[0],
                         .features = entry->features,
                         .output = entry->output,
                         .measure = interaction_strength(),
                         .importance = entry->strength,
                         .details = Value::object({{"h2", entry->h2}})});
    }
  }
  return of_all_outputs(entries);
}

// By feature, as a share of the largest; nothing is negative.
std::map<std::string, double> shares(const std::vector<Importance>& entries) {
  double largest = 0;
  for (const Importance& entry : entries) largest = std::max(largest, entry.importance);
  std::map<std::string, double> shares;
  for (const Importance& entry : entries) {
    shares[entry.feature] = largest > 0 ? std::max(0.0, entry.importance) / largest : 0;
  }
  return shares;
}

// How large Shapley values are; their method ranks all features at once.
std::vector<Importance> shapley_of(const PlanInput& input, const RankingOptions& options) {
  const Value own = Value::object({{"scale", input.scale}, {"predictions", options.predictions}});
  std::vector<Importance> entries = importances_of(input.run("shap", own));
  if (options.features.empty()) return entries;
  std::erase_if(entries, [&](const Importance& entry) {
    return std::find(options.features.begin(), options.features.end(), entry.feature) == options.features.end();
  });
  return entries;
}

void add_flat_but_important(const std::vector<Importance>& dependence, const std::vector<Importance>& permuted,
                            const std::vector<Importance>& interacting, const RankingOptions& options,
                            std::vector<Caveat>& caveats) {
  const auto flat = shares(dependence);
  for (const auto* measure : {&permuted, &interacting}) {
    const auto high = shares(*measure);
    for (const auto& [feature, share] : high) {
      const auto found = flat.find(feature);
      if (share < options.high_share || found == flat.end() || found->second > options.flat_share) continue;
      const bool known = std::any_of(caveats.begin(), caveats.end(), [&](const Caveat& caveat) {
        const Value* about = caveat.evidence.find("feature");
        return about != nullptr && about->as_string() == feature;
      });
      if (known) continue;
      const std::string by = measure == &permuted ? "permutation importance" : interaction_strength().text();
      caveats.push_back(
          {.id = "flat-but-important",
           .severity = Severity::caution,
           .message = feature_name(feature) + " has an almost flat partial dependence but a high " + by +
                      ": it acts together with other features, and its average curve hides that",
           .evidence = Value::object({{"feature", feature},
                                      {"measure", by},
                                      {"share_of_largest", share},
                                      {"pd_share_of_largest", found->second}}),
           .advice = marked("look at {method:ice} (with {the option:ice.center}), {method:regional-effects} and "
                            "{method:interactions} for ") +
                     feature_name(feature)});
    }
  }
}

Result plan_ranking(const PlanInput& input, const Value& given) {
  const auto options = read_options<RankingOptions>(given);
  const Value features = Value::object({{"features", options.features}});
  std::vector<Importance> permuted;
  Result result;
  if (input.has_target) {
    Value own = features;
    permuted = importances_of(input.run("permutation-importance", own.set("repeats", options.repeats)));
  } else {
    result.caveats.push_back({.id = "no-target",
                              .severity = Severity::note,
                              .message = "without the true outcome there is no permutation importance",
                              .advice = marked("name its column with {option:target}")});
  }
  const std::vector<Importance> dependence = importances_of(input.run("pd-importance", features));
  Value totals = features;
  const std::vector<Importance> interacting = importances_of(
      input.run("interactions",
                totals.set("only_totals", true).set("scale", input.scale).set("predictions", options.predictions)));
  const std::vector<Importance> shapley = shapley_of(input, options);
  for (const std::vector<Importance>* entries : {&std::as_const(permuted), &dependence, &shapley, &interacting}) {
    for (const Importance& entry : *entries) result.results.emplace_back(entry);
  }
  // Data-weighted values do not count rare values as much as common ones.
  std::vector<Importance> weighted;
  for (const Importance& entry : dependence) {
    if (entry.measure.over_rows) weighted.push_back(entry);
  }
  add_flat_but_important(weighted, permuted, interacting, options, result.caveats);
  return result;
}

}  // namespace

MethodEntry ranking() {
  return {.name = "ranking",
          .alias = "",
          .about = {.title = "Rankings compared", .short_name = "", .family = Family::importance},
          .question = "Which features matter, by every measure side by side?",
          .when = "an overview of all features, and a check whether measures agree",
          .when_not = "strongly correlated features: all of these measures evaluate rows that could not exist",
          .formula =
              "permutation importance, PD-based importance, mean |SHAP| and interaction strength H_j of each feature",
          .paper = "Molnar 2022, Interpretable machine learning",
          .results = {"importance"},
          .expresses =
              "what the model needs, what moves its average and its single predictions, and what acts through "
              "interactions",
          .cost = "those of permutation-importance, pd-importance, shap and the totals of interactions",
          .options = describe_options<RankingOptions>(),
          .plan = plan_ranking};
}

}  // namespace sightglass
