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

enum class FidelityRows { fitted, held_out, region };
inline constexpr std::string_view fidelity_rows[] = {"fitted", "held_out", "region"};

struct FidelityPart {
  FidelityRows rows = FidelityRows::fitted;
  std::vector<ShownCondition> conditions = {};  // of a region
  double count = 0;                             // (weighted) rows
  double fidelity = 0;                          // to the model
  std::optional<double> se = std::nullopt;
  std::optional<double> low = std::nullopt, high = std::nullopt;
  std::optional<double> error = std::nullopt;      // root mean squared difference to the model
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

// "held-out rows", "temp > 13 & workingday = yes".
[[nodiscard]] std::string fidelity_part_text(const FidelityPart& part, std::size_t most_levels = shown_levels);

void describe_fields(Fidelity& fidelity, Fields& fields);
void tidy_rows(const Fidelity& fidelity, TidyRows& rows);
[[nodiscard]] std::string item_title(const Fidelity& fidelity);

}  // namespace sightglass
