// Changes of one row with which the model says something else, fewest features first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/base/dates.h"
#include "sightglass/base/value.h"
#include "sightglass/result/named_row.h"
#include "sightglass/result/shapes/proof.h"

namespace sightglass {

class Fields;
class TidyRows;

// What became of the search for one row.
enum class RecourseStatus {
  found,        // there are changes
  already,      // the row has the outcome as it is
  unreachable,  // proven: no change that is allowed reaches it
  not_found,    // none was found, which proves nothing
};
inline constexpr std::string_view recourse_statuses[] = {"found", "already", "unreachable", "not_found"};

// What is known of changes of exactly so many features.
enum class RungStatus { reached, unreachable, not_found };
inline constexpr std::string_view rung_statuses[] = {"reached", "unreachable", "not_found"};

struct LadderRung {
  std::uint64_t features = 0;
  RungStatus status = RungStatus::not_found;   // unreachable: proven
  std::optional<double> bound = std::nullopt;  // proven: none costs less
};

// What a second model says of the same changed row.
struct OtherAnswer {
  double prediction = 0;
  std::string predicted_class = {};  // "predicted" in JSON
  bool kept = false;                 // it is what was wanted
};

// A row like this one with the wanted outcome.
struct CounterfactualRow {
  Value values = Value::object();  // only what changes
  Value costs = Value::object();   // what each adds to the cost
  double prediction = 0;
  std::string predicted_class = {};  // "predicted" in JSON
  double cost = 0;
  std::optional<double> distance_to_data = std::nullopt;    // Gower's, to the nearest row with the wanted outcome
  std::optional<std::uint64_t> nearest_row = std::nullopt;  // that row
  std::optional<OtherAnswer> other = std::nullopt;          // nothing: there is no second model
  std::optional<Proof> proof = std::nullopt;                // whether no cheaper change of as few features exists
};

struct Counterfactuals {
  static constexpr std::string_view type = "counterfactuals";  // its name in JSON

  std::string output;
  std::string group;
  std::uint64_t row = 0;
  std::string row_label = {};    // what that row is called; empty: by its number
  Value data = Value::object();  // own values by feature: numbers or levels; null = missing
  double prediction = 0;
  std::string predicted_class = {};                                       // "predicted" in JSON
  std::string wanted_class = {};                                          // "class" of "wanted" in JSON
  std::optional<double> at_least = std::nullopt, at_most = std::nullopt;  // or these
  RecourseStatus status = RecourseStatus::not_found;
  std::vector<CounterfactualRow> changes = {};  // fewest features first, then cheapest
  std::vector<LadderRung> ladder = {};
  std::optional<Proof> proof = std::nullopt;  // of the search as a whole, also where it found nothing
  Value details = Value::object();
  Dates dates = {};  // the features whose values are dates
};

void describe_fields(Counterfactuals& item, Fields& fields);
void tidy_rows(const Counterfactuals& item, TidyRows& rows);
void item_set_dates(Counterfactuals& item, const Dates& dates);
void show_rows(Counterfactuals& item, const RowVisitor& visit);
[[nodiscard]] std::string item_title(const Counterfactuals& item);
// Rows share a picture.
[[nodiscard]] std::optional<std::string> item_picture_key(const Counterfactuals& item);

// A number for people who want to try it: five digits, but more where these would stand before the threshold that was
// passed on the way from `own`.
[[nodiscard]] std::string past_text(double own, double value);
// "temp from 21.3 up to 24.2", "season from winter to spring".
[[nodiscard]] std::string change_text(const std::string& feature, const Value& own, const Value& value,
                                      DateKind dates = {});
// Whether it is proven, and not only not found, that no change of so few features as were looked at does it.
[[nodiscard]] bool is_proven_unreached(const Counterfactuals& item);
// All of a change: "temp from 21.3 up to 24.2 and season from winter to spring".
[[nodiscard]] std::string changes_text(const Counterfactuals& item, const CounterfactualRow& change);

}  // namespace sightglass
