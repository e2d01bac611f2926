// The terms of a linear model or of a local line: prediction = link(intercept + Σ coefficient · value).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/base/value.h"
#include "sightglass/result/named_row.h"
#include "sightglass/result/shapes/shown_condition.h"

namespace sightglass {

class Fields;
class TidyRows;
struct ItemFeatures;

struct LinearTerm {
  std::vector<std::string> features;  // more than one: their product
  std::vector<ShownCondition> conditions =
      {};                  // of a term that is 1 where they hold, else 0: a level, a rule, a missing value
  double coefficient = 0;  // per unit of the feature
  std::optional<double> standardized = std::nullopt;  // per standard deviation of the term
  std::optional<double> se = std::nullopt;
  std::optional<double> low = std::nullopt, high = std::nullopt;  // an interval for the coefficient
  std::optional<double> p_value = std::nullopt;
  std::optional<double> stability = std::nullopt;  // share of refits on resampled rows in which it came back
  // Of the row that is explained:
  std::optional<double> value = std::nullopt;  // what the term is there: a number, or 1 where its conditions hold
  std::optional<double> contribution = std::nullopt;  // what it adds there
};

enum class TermLink { identity, logit, softmax, log };
inline constexpr std::string_view term_links[] = {"identity", "logit", "softmax", "log"};

struct Terms {
  static constexpr std::string_view type = "terms";  // its name in JSON

  std::string output;
  std::string group;
  std::string unit = {};                            // of the prediction; empty if unknown
  std::optional<std::uint64_t> row = std::nullopt;  // that they explain; none: they are about all
  std::string row_label = {};                       // what that row is called; empty: by its number
  TermLink link = TermLink::identity;
  double intercept = 0;
  std::optional<double> intercept_se = std::nullopt;
  // Of the row that is explained: base + Σ contribution = what the link makes the prediction of.
  std::optional<double> base = std::nullopt;        // of an average row
  std::optional<double> prediction = std::nullopt;  // of the row
  // Of a local line, whose sum only comes near what the model says: base + Σ contribution.
  std::optional<double> line = std::nullopt;
  bool in_sequence = false;       // terms follow one another, as the splits of a path do
  std::vector<LinearTerm> terms;  // largest standardized coefficient first
  Value details = Value::object();
  Dates dates = {};  // the features whose values are dates
};

// "temp", "temp × hour", "season = winter".
[[nodiscard]] std::string term_text(const LinearTerm& term, std::size_t most_levels = shown_levels);

void describe_fields(Terms& terms, Fields& fields);
void tidy_rows(const Terms& terms, TidyRows& rows);
void item_set_dates(Terms& item, const Dates& dates);
void show_rows(Terms& terms, const RowVisitor& visit);
[[nodiscard]] std::string item_title(const Terms& terms);
[[nodiscard]] ItemFeatures item_features(const Terms& terms);

}  // namespace sightglass
