#include "sightglass/base/options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "sightglass/base/nearest_name.h"

namespace sightglass {

namespace {

std::string number_text(double number) {
  if (number == std::floor(number) && std::abs(number) < 1e15) return std::to_string(static_cast<std::int64_t>(number));
  std::array<char, 32> text;
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), number).ptr};
}

bool is_in(const OptionRange& range, double number) {
  if (std::isinf(number) && (range.least || range.most)) return false;
  if (range.least && !(range.above ? number > *range.least : number >= *range.least)) return false;
  return !range.most || number <= *range.most;
}

// "between 1 and 1000 bins"
std::string words(const OptionRange& range) {
  const std::string unit = range.unit.empty() ? "" : " " + std::string(range.unit);
  if (range.least && range.most)
    return (range.above ? "above " + number_text(*range.least) + " and up to "
                        : "between " + number_text(*range.least) + " and ") +
           number_text(*range.most) + unit;
  if (!range.least) return "at most " + number_text(*range.most) + unit;
  if (range.above) return "a number above " + number_text(*range.least) + unit;
  return *range.least == 0 ? "0 or more" + unit : "at least " + number_text(*range.least) + unit;
}

void check_range(const OptionSpec& spec, double number) {
  if (is_in(spec.range, number)) return;
  throw Error(ErrorKind::usage, option_text(spec.name) + ": " +
                                    (spec.many ? "each must be " + words(spec.range) : words(spec.range) + ", please"));
}

void check_choice(const OptionSpec& spec, const std::string& text) {
  if (spec.choices.empty() || std::find(spec.choices.begin(), spec.choices.end(), text) != spec.choices.end()) return;
  std::string list;
  for (const auto& choice : spec.choices) {
    if (!choice.empty()) list += (list.empty() ? "" : ", ") + choice;
  }
  const std::string nearest = nearest_name(text, spec.choices);
  throw Error(ErrorKind::usage, option_text(spec.name) + " cannot be " + printable(text),
              (nearest.empty() ? "" : "did you mean " + nearest + "? ") + "it is one of " + list);
}

}  // namespace

std::string_view to_string(OptionType type) {
  switch (type) {
    case OptionType::flag: return "flag";
    case OptionType::integer: return "integer";
    case OptionType::number: return "number";
    case OptionType::numbers: return "numbers";
    case OptionType::text: return "text";
    case OptionType::choice: return "choice";
    case OptionType::several: return "several";
    case OptionType::count: return "count";
    case OptionType::share: return "share";
    case OptionType::seed: return "seed";
    case OptionType::features: return "features";
    case OptionType::pairs: return "pairs";
    case OptionType::triples: return "triples";
    case OptionType::groups: return "groups";
    case OptionType::rows: return "rows";
    case OptionType::row_count: return "row-count";
    case OptionType::predictions: return "predictions";
    case OptionType::duration: return "duration";
    case OptionType::output: return "output";
    case OptionType::column: return "column";
    case OptionType::grouping: return "grouping";
    case OptionType::condition: return "condition";
    case OptionType::data: return "data";
    case OptionType::model: return "model";
    case OptionType::model_names: return "model-names";
  }
  return "text";
}

OptionRange range_of(OptionType type) {
  switch (type) {
    case OptionType::share: return between(0, 1);
    case OptionType::count:
    case OptionType::row_count:
    case OptionType::predictions: return at_least(0);
    default: return {};
  }
}

const OptionSpec* find_option(const std::vector<OptionSpec>& specs, std::string_view name) {
  const auto found = std::find_if(specs.begin(), specs.end(), [&](const OptionSpec& each) {
    return each.name == name || std::find(each.aliases.begin(), each.aliases.end(), name) != each.aliases.end();
  });
  return found == specs.end() ? nullptr : &*found;
}

const OptionSpec* find_option(const std::vector<OptionSpec>& specs, OptionType type) {
  const auto found =
      std::find_if(specs.begin(), specs.end(), [&](const OptionSpec& each) { return each.type == type; });
  return found == specs.end() ? nullptr : &*found;
}

bool names_rows(const std::vector<OptionSpec>& specs, const Value& given) {
  return std::any_of(specs.begin(), specs.end(), [&](const OptionSpec& spec) {
    const Value* rows = spec.type == OptionType::rows ? given.find(spec.name) : nullptr;
    return rows != nullptr && !rows->is_null() && !(rows->is_array() && rows->as_array().empty());
  });
}

Value by_own_names(const Value& given, const std::vector<OptionSpec>& specs) {
  Value named = Value::object();
  if (given.is_null()) return named;
  for (const auto& [name, value] : given.as_object()) {
    const OptionSpec* spec = find_option(specs, name);
    if (spec == nullptr) {
      std::vector<std::string> names;
      for (const OptionSpec& each : specs) names.push_back(each.name);
      const std::string nearest = nearest_name(name, names);
      throw Error(ErrorKind::usage, "there is no option " + printable(name),
                  nearest.empty() ? Text("see sightglass methods") : "did you mean " + option_name(nearest) + "?");
    }
    if (value.is_null()) continue;
    if (named.find(spec->name) != nullptr)
      throw Error(ErrorKind::usage, option_text(spec->name) + " is given twice",
                  "leave out its other name, " + printable(name));
    named.set(spec->name, value);
  }
  return named;
}

void check_option(const OptionSpec& spec, const Value& value) {
  if (value.is_array()) {
    for (const Value& item : value.as_array()) check_option(spec, item);
  } else if (value.is_string()) {
    check_choice(spec, value.as_string());
  } else if (value.is_number()) {
    check_range(spec, value.as_number());
  }
}

Value describe(const std::vector<OptionSpec>& options) {
  Value list = Value::array();
  static constexpr const char* values[] = {"bool", "integer", "number", "text"};
  const auto limit = [](const std::optional<double>& number) { return number ? Value(*number) : Value(); };
  for (const OptionSpec& option : options) {
    list.push_back(Value::object({{"name", option.name},
                                  {"aliases", option.aliases},
                                  {"type", to_string(option.type)},
                                  {"value", values[static_cast<std::size_t>(option.value)]},
                                  {"many", option.many},
                                  {"default", option.default_value},
                                  {"choices", option.choices},
                                  {"least", limit(option.range.least)},
                                  {"most", limit(option.range.most)},
                                  {"help", option.help.plain()}}));
  }
  return list;
}

}  // namespace sightglass
