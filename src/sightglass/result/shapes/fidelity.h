// How well a surrogate follows the model, by parts of the data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/base/value.h"
#include "sightglass/result/shapes/shown_condition.h"

namespace sightglass {

class Fields;
class TidyRows;

// What it was fitted to, rows held out of that, a region of the data; of a surrogate that was fitted to rows of the
// data also rows made of their values, and the other way round.
enum class FidelityRows { fitted, held_out, region, made, data };
inline constexpr std::string_view fidelity_rows[] = {"fitted", "held_out", "region", "made", "data"};

struct FidelityPart {
  FidelityRows rows = FidelityRows::fitted;
  std::vector<ShownCondition> conditions = {};  // of a region
  double count = 0;                             // (weighted) rows
  double fidelity = 0;  // to the model; R² of a region: 1 − its mean squared difference / the variance over all rows
  std::optional<double> se = std::nullopt;
  std::optional<double> low = std::nullopt, high = std::nullopt;
  std::optional<double> error = std::nullopt;      // root mean squared difference to the model
  std::optional<double> within = std::nullopt;     // of a region: R² about its own mean
  std::optional<double> agreement = std::nullopt;  // of classes: share of rows for which both name the same
  std::optional<double> log_loss = std::nullopt;   // of classes: cross-entropy to the model's probabilities
  std::optional<double> entropy = std::nullopt;    // of the model's probabilities: no log-loss is lower
  std::optional<double> model = std::nullopt;      // the same measure of the model, to the truth
  std::optional<double> surrogate = std::nullopt;  // of the surrogate, to the truth
};

struct Fidelity {
  static constexpr std::string_view type = "fidelity";  // its name in JSON

  std::string output;
  std::string group;
  std::string surrogate;       // which learner, by its name: "tree"
  std::string title = {};      // of the learner: "Decision tree"
  std::uint64_t size = 0;      // leaves, rules or terms
  std::string size_unit = {};  // "leaves"
  std::string measure = "r2";  // "r2", "agreement", "log-loss"
  std::vector<FidelityPart> parts;
  Value details = Value::object();
};

// The part that speaks for all rows: rows of the data that nothing was fitted to, where there are some.
[[nodiscard]] const FidelityPart* overall_part(const Fidelity& fidelity);
// The region with the lowest fidelity, which is where the difference to the model is largest; none if there are none.
[[nodiscard]] const FidelityPart* worst_region(const Fidelity& fidelity);
// Whether it fails clearly more there than over all rows: twice as much is left, and that is not next to nothing.
[[nodiscard]] bool is_uneven(const Fidelity& fidelity, const FidelityPart& region);

// "held-out rows", "temp > 13 & workingday = yes".
[[nodiscard]] std::string fidelity_part_text(const FidelityPart& part, std::size_t most_levels = shown_levels);

void describe_fields(Fidelity& fidelity, Fields& fields);
void tidy_rows(const Fidelity& fidelity, TidyRows& rows);
void item_set_dates(Fidelity& item, const Dates& dates);
[[nodiscard]] std::string item_title(const Fidelity& fidelity);

}  // namespace sightglass
