// If-then rules: of a rule model, a surrogate, or a single row.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/base/value.h"
#include "sightglass/result/named_row.h"
#include "sightglass/result/shapes/proof.h"
#include "sightglass/result/shapes/proven_range.h"
#include "sightglass/result/shapes/shown_condition.h"

namespace sightglass {

class Fields;
class TidyRows;
struct ItemFeatures;

// What is made up of rows that keep a rule's conditions: other features are drawn from the data, other words left out.
enum class RulePerturbation { features, words };
inline constexpr std::string_view rule_perturbations[] = {"features", "words"};

// Whether a share is of some that were drawn or of all that there are.
enum class ShareEstimator { sampled, exact };
inline constexpr std::string_view share_estimators[] = {"sampled", "exact"};

struct Rule {
  std::vector<ShownCondition> conditions;          // all of them hold; none: every row
  std::optional<double> effect = std::nullopt;     // what is added where it holds, or what is predicted there
  std::string predicted_class = {};                // what it predicts, where that is a class ("class" in JSON)
  double support = 0;                              // share of (weighted) rows for which it holds
  std::optional<double> precision = std::nullopt;  // share of these that it is right about
  std::optional<double> low = std::nullopt, high = std::nullopt;  // an interval for the precision
  // The same of rows that were made up, with the rule held.
  std::optional<double> perturbed_precision = std::nullopt, perturbed_low = std::nullopt, perturbed_high = std::nullopt;
  std::optional<ShareEstimator> perturbed_estimator = std::nullopt;
  std::optional<double> base_rate = std::nullopt;  // share of all rows that it would be right about
  std::optional<double> tolerance = std::nullopt;  // how far from the effect a number may be for it to be right
  bool certain = false;                            // proven for every input, not counted
  // Of one that is certain: whether none of its conditions can be left out. Whether no fewer features do: its proof.
  bool minimal = false;
  std::optional<double> importance = std::nullopt;
  std::optional<double> stability = std::nullopt;  // share of refits on resampled rows in which it came back
  std::optional<Proof> proof = std::nullopt;
  std::optional<ProvenRange> range = std::nullopt;  // of the predictions of the model that is explained
};

struct Rules {
  static constexpr std::string_view type = "rules";  // its name in JSON

  std::string name = {};  // what a picture of them is called; empty: "Rules"
  std::string output;
  std::string group;
  std::string unit = {};                            // of effects; empty if unknown
  bool effects_add = true;                          // false: an effect is what is predicted where the rule holds
  std::optional<std::uint64_t> row = std::nullopt;  // that they explain; none: they are about all
  std::string row_label = {};                       // what that row is called; empty: by its number
  std::optional<RulePerturbation> perturbation = std::nullopt;  // of a row's rules
  std::optional<double> intercept = std::nullopt;
  std::vector<Rule> rules;  // most important first
  Value details = Value::object();
  Dates dates = {};  // the features whose values are dates
};

void describe_fields(Rules& rules, Fields& fields);
void tidy_rows(const Rules& rules, TidyRows& rows);
void item_set_dates(Rules& item, const Dates& dates);
void show_rows(Rules& rules, const RowVisitor& visit);
[[nodiscard]] std::string item_title(const Rules& rules);
[[nodiscard]] ItemFeatures item_features(const Rules& rules);

}  // namespace sightglass
