#include "sightglass/result/shapes/shown_condition.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <unordered_set>

#include "sightglass/base/error.h"
#include "sightglass/result/fields.h"

namespace sightglass {

namespace {

constexpr std::string_view condition_kinds[] = {"numeric", "categorical"};
constexpr std::size_t name_limit = 60, level_limit = 40;

std::string feature_text(const std::string& name) {
  std::string text = printable(name, name_limit);
  return text.empty() ? "(no name)" : text;
}

std::string levels_text(const std::vector<std::string>& levels, std::size_t most) {
  if (levels.empty()) return "no level";
  // "1 more" takes as much room as the level itself.
  const std::size_t shown = levels.size() <= most + 1 ? levels.size() : std::max<std::size_t>(most, 1);
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    const bool last = i + 1 == levels.size();
    const std::string level = printable(levels[i], level_limit);
    text += (i == 0 ? "" : last ? " or " : ", ") + (level.empty() ? "(empty)" : level);
  }
  if (shown < levels.size()) text += " or " + std::to_string(levels.size() - shown) + " more";
  return text;
}

struct Bound {
  double value = 0;
  bool itself = false;  // counts too
};

// Of dates the bound is one of those that may be: nobody asks for noon of a day.
std::string shown_bound(const ShownCondition& condition, Bound& bound, bool upper) {
  if (!condition.dates) return condition_number(bound.value);
  const DateBound nearest = date_bound(condition.dates, bound.value);
  if (nearest.moved) bound.itself = upper;
  return date_text(condition.dates, nearest.value);
}

std::optional<Bound> lower_bound_of(const ShownCondition& condition) {
  if (condition.above && (!condition.at_least || *condition.above >= *condition.at_least))
    return Bound{*condition.above, false};
  if (condition.at_least) return Bound{*condition.at_least, true};
  return std::nullopt;
}

std::optional<Bound> upper_bound_of(const ShownCondition& condition) {
  if (condition.below && (!condition.at_most || *condition.below <= *condition.at_most))
    return Bound{*condition.below, false};
  if (condition.at_most) return Bound{*condition.at_most, true};
  return std::nullopt;
}

std::string bounds_text(const ShownCondition& condition) {
  const std::string name = feature_text(condition.feature);
  auto low = lower_bound_of(condition), high = upper_bound_of(condition);
  const std::string least = low ? shown_bound(condition, *low, false) : "";
  const std::string most = high ? shown_bound(condition, *high, true) : "";
  if (low && high) {
    if (low->itself && high->itself && low->value == high->value) return name + " = " + least;
    return least + (low->itself ? " <= " : " < ") + name + (high->itself ? " <= " : " < ") + most;
  }
  if (low) return name + (low->itself ? " >= " : " > ") + least;
  if (high) return name + (high->itself ? " <= " : " < ") + most;
  return name + (condition.missing ? " is missing" : " is not missing");
}

bool says_only_missing(const ShownCondition& condition) {
  return condition.missing && condition.levels.empty() && !lower_bound_of(condition) && !upper_bound_of(condition);
}

}  // namespace

void set_dates(std::vector<ShownCondition>& conditions, const Dates& dates) {
  for (ShownCondition& condition : conditions) condition.dates = date_kind(dates, condition.feature);
}

std::string condition_number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "infinity" : "-infinity";
  char buffer[40];
  const bool whole = value == std::floor(value) && std::abs(value) < 1e15;
  const bool large = std::abs(value) >= 1e6 && std::abs(value) < 1e15;
  const auto end = whole || large
                       ? std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, 0).ptr
                       : std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, 6).ptr;
  return {buffer, end};
}

void describe_fields(ShownCondition& condition, Fields& fields) {
  fields.about("What a row must meet in one feature: bounds of a number, or one of some levels.");
  fields.text({"feature", "", Presence::required}, condition.feature);
  std::size_t kind = condition.categorical ? 1 : 0;
  fields.choice({"kind", "", Presence::required}, condition_kinds, kind);
  if (condition.categorical != (kind == 1)) condition.categorical = kind == 1;
  describe_some(fields, {"above", "A bound that itself does not count."}, condition.above);
  describe_some(fields, {"at_least"}, condition.at_least);
  describe_some(fields, {"below", "A bound that itself does not count."}, condition.below);
  describe_some(fields, {"at_most"}, condition.at_most);
  fields.only_if(condition.categorical,
                 [&] { fields.texts({"levels", "Of a categorical feature: one of these."}, condition.levels); });
  fields.flag({"missing", "Whether a row without a value meets it."}, condition.missing);
  fields.only_if(condition.missing_otherwise, [&] {
    fields.flag({"missing_otherwise",
                 "Of a split: whether rows without a value go where it is not met. False: there were "
                 "none, or they meet it."},
                condition.missing_otherwise);
  });
}

std::string condition_text(const ShownCondition& condition, std::size_t most_levels) {
  if (says_only_missing(condition)) return feature_text(condition.feature) + " is missing";
  if (!condition.categorical) {
    const std::string text = bounds_text(condition);
    return condition.missing ? text + " or missing" : text;
  }
  return feature_text(condition.feature) + " = " + levels_text(condition.levels, most_levels) +
         (condition.missing ? " or missing" : "");
}

std::string opposite_text(const ShownCondition& condition, std::size_t most_levels) {
  const std::string name = feature_text(condition.feature);
  const std::string missing = condition.missing_otherwise ? " or missing" : "";
  if (says_only_missing(condition)) return name + " is not missing";
  if (condition.categorical) return name + " is not " + levels_text(condition.levels, most_levels) + missing;
  if (const auto other = opposite(condition)) return condition_text(*other, most_levels);
  if (!lower_bound_of(condition) && !upper_bound_of(condition)) return name + " is missing";
  return "not " + bounds_text(condition) + missing;
}

std::optional<ShownCondition> opposite(const ShownCondition& condition) {
  const auto low = lower_bound_of(condition), high = upper_bound_of(condition);
  if (condition.categorical || low.has_value() == high.has_value()) return std::nullopt;
  ShownCondition other;
  other.feature = condition.feature;
  other.dates = condition.dates;
  other.missing = condition.missing_otherwise;
  if (low) (low->itself ? other.below : other.at_most) = low->value;
  if (high) (high->itself ? other.above : other.at_least) = high->value;
  return other;
}

std::optional<ShownCondition> both(const ShownCondition& first, const ShownCondition& second) {
  if (first.feature != second.feature || first.categorical != second.categorical) return std::nullopt;
  ShownCondition joint = first;
  joint.missing = first.missing && second.missing;
  if (first.categorical) {
    const std::unordered_set<std::string_view> allowed(second.levels.begin(), second.levels.end());
    std::erase_if(joint.levels, [&](const std::string& level) { return !allowed.contains(level); });
    return joint;
  }
  // A condition that only asks for a missing value has no bounds to join.
  if (says_only_missing(first) || says_only_missing(second)) return std::nullopt;
  const auto tighter = [](std::optional<double>& bound, const std::optional<double>& other, bool larger) {
    if (other && (!bound || (larger ? *other > *bound : *other < *bound))) bound = other;
  };
  tighter(joint.above, second.above, true);
  tighter(joint.at_least, second.at_least, true);
  tighter(joint.below, second.below, false);
  tighter(joint.at_most, second.at_most, false);
  return joint;
}

std::string conditions_text(const std::vector<ShownCondition>& conditions, std::size_t most_levels) {
  if (conditions.empty()) return "all rows";
  std::string text;
  for (const ShownCondition& condition : conditions) {
    std::string one = condition_text(condition, most_levels);
    if (conditions.size() > 1 && condition.missing && !says_only_missing(condition)) one = "(" + one + ")";
    text += (text.empty() ? "" : " & ") + one;
  }
  return text;
}

}  // namespace sightglass
