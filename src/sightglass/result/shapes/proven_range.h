// Between which values a model's predictions lie wherever a rule holds: proven for all inputs, not measured on rows.
// And what follows for the claim that the rule makes, with the input that breaks it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "sightglass/base/dates.h"
#include "sightglass/base/value.h"

namespace sightglass {

class Fields;

enum class ClaimStatus { open, proven, refuted };
inline constexpr std::string_view claim_statuses[] = {"open", "proven", "refuted"};

struct ProvenRange {
  double low = 0, high = 0;                                         // no prediction is outside
  double least = 0, greatest = 0;                                   // of the inputs that were found
  Value at_least = Value::object(), at_greatest = Value::object();  // these inputs, by feature
  // The claim "where the rule holds, the prediction is at least (at most) the bound".
  double bound = 0;
  bool claims_more = true;
  ClaimStatus status = ClaimStatus::open;

  friend bool operator==(const ProvenRange&, const ProvenRange&) = default;
};

// As the key "range", only where there is one.
void describe_range(std::optional<ProvenRange>& range, Fields& fields);
// "temp = 31, hour = 17"; of more features how many others there are.
[[nodiscard]] std::string input_text(const Value& input, const Dates& dates, std::size_t most = 12);

}  // namespace sightglass
