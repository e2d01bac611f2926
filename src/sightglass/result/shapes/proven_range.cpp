#include "sightglass/result/shapes/proven_range.h"

#include "sightglass/base/error.h"
#include "sightglass/result/fields.h"
#include "sightglass/result/shapes/shown_condition.h"

namespace sightglass {

static void describe_fields(ProvenRange& range, Fields& fields) {
  fields.about(
      "Between which values predictions lie wherever the rule holds, for all inputs within the data's ranges.");
  fields.number({"low", "", Presence::required}, range.low);
  fields.number({"high", "With low: no prediction is outside, proven.", Presence::required}, range.high);
  fields.number({"least", "The lowest that was found."}, range.least);
  fields.number({"greatest", "The highest that was found."}, range.greatest);
  fields.object({"at_least", "The input with the lowest, by feature; null = missing."}, range.at_least);
  fields.object({"at_greatest", "The input with the highest."}, range.at_greatest);
  fields.number({"bound", "Of the claim that is made about predictions there."}, range.bound);
  fields.flag({"claims_more", "The claim: at least the bound; else at most."}, range.claims_more);
  describe_choice(fields, {"status", "Of the claim; refuted by the input found."}, claim_statuses, range.status);
}

void describe_range(std::optional<ProvenRange>& range, Fields& fields) {
  bool there = range.has_value();
  ProvenRange held = range.value_or(ProvenRange());
  fields.only_if(there, [&] {
    fields.optional_group({"range", "What is proven about predictions where it holds; none: nothing was."}, there,
                          [&](Fields& inside) { describe_fields(held, inside); });
  });
  if (there && range != held) range = held;
}

static std::string date_or_number(DateKind dates, double value) {
  return dates ? date_text(dates, value) : condition_number(value);
}

std::string input_text(const Value& input, const Dates& dates, std::size_t most) {
  std::string text;
  std::size_t shown = 0;
  if (!input.is_object()) return text;
  const std::size_t all = input.as_object().size();
  for (const auto& [feature, value] : input.as_object()) {
    if (++shown > most) return text + " and " + std::to_string(all - most) + " more, which json has";
    text += (text.empty() ? "" : ", ") + printable(feature, 60) + " = ";
    text += value.is_null()     ? "missing"
            : value.is_string() ? printable(value.as_string(), 60)
            : value.is_number() ? date_or_number(date_kind(dates, feature), value.as_number())
                                : "?";
  }
  return text;
}

}  // namespace sightglass
