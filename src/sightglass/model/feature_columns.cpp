#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_map>

#include "sightglass/base/error.h"
#include "sightglass/base/nearest_name.h"
#include "sightglass/model/category_hashes.h"
#include "sightglass/model/damaged_levels.h"
#include "sightglass/model/feature_columns_internal.h"

namespace sightglass {

namespace {

constexpr double missing_number = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t named_at_most = 20;  // an error stays one readable line

// The number that a text spells from its first to its last character.
std::optional<double> number_in(std::string_view text) {
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size() || std::isnan(value)) return std::nullopt;
  return value;
}

// Beyond 2^53 two different whole numbers may be the same double: such numbers are told apart by their spelling.
std::optional<double> exact_number_in(std::string_view text) {
  constexpr double most = 9007199254740992.0;
  const auto number = number_in(text);
  return number && std::abs(*number) < most ? number : std::nullopt;
}

std::optional<double> truth_word(std::string_view text) {
  if (text == "true" || text == "True" || text == "TRUE") return 1;
  if (text == "false" || text == "False" || text == "FALSE") return 0;
  return std::nullopt;
}

std::optional<double> truth_in(std::string_view text) {
  const auto truth = truth_word(text);
  return truth ? truth : number_in(text);
}

class List {
 public:
  void add(std::string item) {
    if (count_++ < named_at_most) text_ += (text_.empty() ? "" : ", ") + std::move(item);
  }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] std::string text() const {
    return count_ > named_at_most ? text_ + ", … (" + std::to_string(count_) + " in all)" : text_;
  }

 private:
  std::string text_;
  std::size_t count_ = 0;
};

std::string listed(const std::vector<std::string>& names) {
  List list;
  for (const std::string& name : names) list.add(printable(name, 40));
  return list.text();
}

// XGBoost calls features that have no name f0, f1, …; LightGBM Column_0, Column_1, …
bool nameless(const std::vector<FeatureInfo>& features) {
  for (const std::string_view prefix : {"f", "Column_"}) {
    std::size_t i = 0;
    while (i < features.size() && features[i].name == std::string(prefix).append(std::to_string(i))) ++i;
    if (i == features.size()) return true;
  }
  return false;
}

// LightGBM writes _ for a blank: columns by the names that they get that way, but nothing where two get the same.
using Respelled = std::unordered_map<std::string, std::optional<std::uint32_t>>;

Respelled names_without_blanks(const Schema& schema, const std::vector<std::uint32_t>& usable) {
  Respelled columns;
  for (const std::uint32_t column : usable) {
    std::string name = schema[column].name;
    if (name.find_first_of(" \t") == std::string::npos) continue;
    std::replace_if(name.begin(), name.end(), [](char letter) { return letter == ' ' || letter == '\t'; }, '_');
    const auto [at, first] = columns.emplace(std::move(name), column);
    if (!first) at->second.reset();
  }
  return columns;
}

// Its letters and digits of ASCII.
std::string letters_of(std::string_view name) {
  std::string letters;
  for (const char c : name) {
    if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) letters += c;
  }
  return letters;
}

// The schema's column for each feature, where there is one.
void find_columns(const std::vector<FeatureInfo>& features, const Schema& schema,
                  std::span<const std::uint32_t> excluded, ColumnMatch& match) {
  std::vector<std::uint32_t> usable;
  std::vector<std::string> usable_names;
  for (std::uint32_t column = 0; column < schema.size(); ++column) {
    if (std::find(excluded.begin(), excluded.end(), column) != excluded.end()) continue;
    usable.push_back(column);
    usable_names.push_back(schema[column].name);
  }
  const Respelled respelled = names_without_blanks(schema, usable);
  for (const FeatureInfo& feature : features) {
    match.columns.push_back(schema.find(feature.name));
    if (match.columns.back()) {
      const auto rival = respelled.find(feature.name);
      if (rival != respelled.end() && rival->second) match.rivals[feature.name] = schema[*rival->second].name;
      continue;
    }
    if (const auto found = respelled.find(feature.name); found != respelled.end()) match.columns.back() = found->second;
    if (match.columns.back()) continue;
    // A name for each of a million would take its time.
    const bool named = match.missing.size() < named_at_most;
    std::string nearest = named ? nearest_name(feature.name, usable_names) : "";
    // Whoever renames columns for LightGBM leaves the letters and digits.
    for (std::size_t i = 0; named && nearest.empty() && i < usable_names.size(); ++i) {
      if (letters_of(usable_names[i]) == letters_of(feature.name)) nearest = usable_names[i];
    }
    match.missing.push_back({feature.name, std::move(nearest)});
  }
  // Names of which the data have some are names.
  if (features.empty() || match.missing.size() < features.size() || !nameless(features)) return;
  match.nameless = true;
  match.usable = usable.size();
  if (usable.size() != features.size()) return;
  match.missing.clear();
  match.columns.assign(usable.begin(), usable.end());
}

// Codes for the levels of a text column, or the reason why that cannot be.
struct Matched {
  FeatureColumn column;
  std::string problem;
  std::vector<std::string> unknown;
  bool guessed = false;
};

// Why a level is not what the model takes, behind "holds text (…)".
std::string why_no_number(const FeatureInfo& feature, const std::string& level) {
  if (feature.levels_lost) {
    return ", but XGBoost damaged the names of the categories when it saved the model (it cuts those with letters "
           "beyond "
           "ASCII), and the data do not tell them: give their codes 0, 1, … instead, or explain the model in Python "
           "before "
           "it is saved";
  }
  if (feature.categorical) {
    return ", but the model file does not hold the names of its categories: give their codes 0, 1, … instead";
  }
  if (level.size() >= 10 && read_date(DateUnit::days, level.substr(0, 10)))
    return " where the model wants a number, and not every level is a date: in pandas parse_dates= or to_datetime "
           "reads them";
  std::string with_point = level;
  std::erase(with_point, '.');
  std::replace(with_point.begin(), with_point.end(), ',', '.');
  const bool comma = std::count(level.begin(), level.end(), ',') == 1 && number_in(with_point);
  return " where the model wants a number" + std::string(comma ? ": the decimal commas must be points" : "");
}

Matched match_levels(const FeatureInfo& feature, const Dictionary& dictionary, double unseen) {
  const auto& levels = dictionary.levels();
  if (feature.levels_lost) {
    if (auto mended = mended_levels(feature.levels, levels)) {
      FeatureInfo whole = feature;
      whole.levels = std::move(mended->names);
      whole.levels_lost = false;
      Matched matched = match_levels(whole, dictionary, unseen);
      matched.guessed = mended->guessed;
      return matched;
    }
  }
  Matched matched;
  matched.column.unseen = unseen;
  matched.column.by_level.reserve(levels.size());
  const auto match = [&](const auto& code_of) {
    for (const std::string& level : levels) {
      const std::optional<double> code = code_of(level);
      matched.column.by_level.push_back(code.value_or(unseen));
      if (!code) matched.unknown.push_back(level);
    }
    if (!levels.empty() && matched.unknown.size() == levels.size()) {
      matched.problem = "has no level that the model knows, only " + listed(levels);
    }
  };
  if (feature.hashes) {
    match([&](const std::string& level) { return feature.hashes->code(level); });
    return matched;
  }
  if (feature.categorical && !feature.levels_lost && !feature.levels.empty()) {
    std::unordered_map<std::string_view, double> codes;
    // Numbers and truth values have several spellings: 1 and 1.0, true and True. Text has only one: 01 is not 1.
    std::unordered_map<double, double> codes_of_values;
    const auto value_in = [&](const std::string& level) {
      const auto truth = truth_word(level);
      return feature.numeric_levels && !truth ? exact_number_in(level) : truth;
    };
    for (std::size_t code = 0; code < feature.levels.size(); ++code) {
      codes.emplace(feature.levels[code], static_cast<double>(code));
      if (const auto value = value_in(feature.levels[code])) codes_of_values.emplace(*value, static_cast<double>(code));
    }
    match([&](const std::string& level) -> std::optional<double> {
      if (const auto found = codes.find(level); found != codes.end()) return found->second;
      const auto value = value_in(level);
      if (!value) return std::nullopt;
      const auto found = codes_of_values.find(*value);
      return found == codes_of_values.end() ? std::nullopt : std::optional(found->second);
    });
    return matched;
  }
  for (const std::string& level : levels) {
    const auto number = number_in(level);
    if (!number) {
      matched.problem = "holds text (" + printable(level, 40) + ")" + why_no_number(feature, level);
      return matched;
    }
    matched.column.by_level.push_back(*number);
  }
  return matched;
}

Matched match_numbers(const FeatureInfo& feature, const ColumnInfo& column, double unseen) {
  Matched matched;
  matched.column.unseen = unseen;
  matched.column.hashes = feature.hashes;
  if (!feature.categorical || feature.levels_lost || feature.levels.empty()) return matched;
  List names;
  for (std::size_t code = 0; code < feature.levels.size(); ++code) {
    const std::string& level = feature.levels[code];
    names.add(printable(level, 40));
    const auto value = column.type == DType::boolean ? truth_in(level) : exact_number_in(level);
    if (value) matched.column.by_value.emplace_back(*value, static_cast<double>(code));
  }
  std::sort(matched.column.by_value.begin(), matched.column.by_value.end());
  if (matched.column.by_value.empty()) {
    matched.problem = "holds " + std::string(column.type == DType::boolean ? "truth values" : "numbers") +
                      " where the model knows the categories " + names.text();
  }
  return matched;
}

}  // namespace

double FeatureColumn::translate(double value) const {
  if (std::isnan(value)) return missing_number;
  if (!by_level.empty()) {
    const bool known = value >= 0 && value < static_cast<double>(by_level.size());
    return known ? by_level[static_cast<std::size_t>(value)] : unseen;
  }
  if (!by_value.empty()) {
    const auto at = std::lower_bound(by_value.begin(), by_value.end(), value,
                                     [](const auto& entry, double wanted) { return entry.first < wanted; });
    return at != by_value.end() && at->first == value ? at->second : unseen;
  }
  if (hashes) return hashes->code(value).value_or(unseen);
  return value;
}

void FeatureColumn::translate(std::span<double> values) const {
  if (by_level.empty() && by_value.empty() && !hashes) return;
  for (double& value : values) value = translate(value);
}

void FeatureColumn::read(const RowBlock& block, const Override* override, std::size_t first,
                         std::span<double> values) const {
  if (override != nullptr) {
    if (const auto* scalar = std::get_if<Scalar>(&override->value)) {
      std::fill(values.begin(), values.end(), translate(scalar->number));
      return;
    }
  }
  const ColumnView& from = override != nullptr ? std::get<ColumnView>(override->value) : block.columns[column];
  read_numbers(from.slice(first, values.size()), values);
  translate(values);
}

std::vector<std::optional<std::uint32_t>> find_columns(const std::vector<FeatureInfo>& features, const Schema& schema,
                                                       std::span<const std::uint32_t> excluded) {
  ColumnMatch match;
  find_columns(features, schema, excluded, match);
  return std::move(match.columns);
}

ColumnMatch compare_columns(const std::vector<FeatureInfo>& features, const Schema& schema,
                            std::span<const std::uint32_t> excluded, double unseen) {
  ColumnMatch match;
  find_columns(features, schema, excluded, match);
  for (std::size_t i = 0; i < features.size(); ++i) {
    FeatureColumn& feature = match.features.emplace_back();
    if (!match.columns[i]) continue;
    const ColumnInfo& info = schema[*match.columns[i]];
    Matched matched = info.is_categorical() && info.dictionary ? match_levels(features[i], *info.dictionary, unseen)
                                                               : match_numbers(features[i], info, unseen);
    if (!matched.problem.empty()) match.wrong.push_back({info.name, std::move(matched.problem)});
    if (!matched.unknown.empty()) match.unknown.push_back({info.name, std::move(matched.unknown)});
    if (matched.guessed) match.guessed.push_back(info.name);
    feature = std::move(matched.column);
    feature.column = *match.columns[i];
  }
  return match;
}

FeatureColumns match_columns(const Signature& signature, const Schema& schema, std::span<const std::uint32_t> excluded,
                             double unseen) {
  using Kind = FitNote::Kind;
  const std::vector<FeatureInfo>& features = signature.features;
  ColumnMatch match = compare_columns(features, schema, excluded, unseen);
  if (!match.missing.empty() && match.nameless) {
    throw Error(ErrorKind::data,
                "the model names its features by position only (" + features[0].name + ", …) and wants " +
                    std::to_string(features.size()) + " columns, the data have " + std::to_string(match.usable) +
                    " besides target and weights",
                "give exactly the model's columns in the model's order, or call them " + features[0].name + ", …");
  }
  if (!match.missing.empty()) {
    const bool one = match.missing.size() == 1;
    List names;
    for (const auto& [feature, nearest] : match.missing) {
      names.add(printable(feature, 60) + (nearest.empty() ? "" : " (nearest: " + printable(nearest, 60) + ")"));
    }
    throw Error(ErrorKind::data,
                (one ? "the data lack a column that the model wants: "
                     : "the data lack " + std::to_string(names.size()) + " columns that the model wants: ") +
                    names.text(),
                "rename or add " + std::string(one ? "it" : "them"));
  }
  if (!match.wrong.empty()) {
    List problems;
    for (const auto& [column, problem] : match.wrong) problems.add("column " + printable(column, 60) + " " + problem);
    throw Error(ErrorKind::data, problems.text(), "prepare the data as they were when the model was trained");
  }
  FeatureColumns result{std::move(match.features), {}};
  const auto note = [&](Kind kind, const std::string& column, std::string message) {
    result.notes.push_back({.kind = kind, .column = column, .levels = {}, .message = std::move(message)});
  };
  for (const std::string& about_model : signature.notes) note(Kind::about_model, "", about_model);
  if (match.nameless) {
    List pairs;
    for (std::size_t i = 0; i < features.size(); ++i) {
      pairs.add(features[i].name + " is " + printable(schema[*match.columns[i]].name, 60));
    }
    note(Kind::by_position, "", "the model's features have no names, columns are taken by position: " + pairs.text());
  }
  for (std::size_t i = 0; i < features.size() && !match.nameless; ++i) {
    const std::string& column = schema[*match.columns[i]].name;
    if (column != features[i].name) {
      note(Kind::renamed, column,
           "column " + printable(column, 60) + " is taken for the feature " + printable(features[i].name, 60));
    } else if (const auto rival = match.rivals.find(features[i].name); rival != match.rivals.end()) {
      note(Kind::ambiguous, column,
           "feature " + printable(column, 60) + " may have been the column " + printable(rival->second, 60) +
               ", which LightGBM calls the same; the column " + printable(column, 60) + " is taken");
    }
  }
  for (const std::string& column : match.guessed) {
    note(Kind::ambiguous, column,
         "column " + printable(column, 60) +
             ": XGBoost cut off names of its categories when it saved the model; the levels of the data that are as "
             "long "
             "are taken for them");
  }
  for (auto& [column, levels] : match.unknown) {
    note(Kind::unknown_levels, column,
         "column " + printable(column, 60) + ": the model does not know " + listed(levels) + " and treats it as " +
             (std::isnan(unseen) ? "missing" : "none of its categories"));
    result.notes.back().levels = std::move(levels);
  }
  return result;
}

}  // namespace sightglass
