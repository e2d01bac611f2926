// A sparse model along its penalty: the coefficients, and the cross-validated loss.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/base/value.h"

namespace sightglass {

class Fields;
class TidyRows;

struct PathTerm {
  std::string name;                  // "temp", "season = winter"
  std::vector<double> coefficients;  // standardized, one per penalty
};

struct PenaltyPath {
  static constexpr std::string_view type = "penalty_path";  // its name in JSON

  std::string output;
  std::string group;
  std::vector<double> penalties;       // descending
  std::vector<std::uint64_t> nonzero;  // terms in the model at each
  std::vector<PathTerm> terms;         // those that matter most, some tens at most
  std::string loss = {};               // what `cv_mean` is: "mean squared error"; empty: not cross-validated
  std::vector<double> cv_mean, cv_se;  // per penalty, or none
  std::optional<std::uint64_t> chosen = std::nullopt, minimum = std::nullopt,
                               one_se = std::nullopt;  // places in penalties
  Value details = Value::object();
};

void describe_fields(PenaltyPath& path, Fields& fields);
void tidy_rows(const PenaltyPath& path, TidyRows& rows);
[[nodiscard]] std::string item_title(const PenaltyPath& path);

}  // namespace sightglass
