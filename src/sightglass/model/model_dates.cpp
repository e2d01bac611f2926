#include "sightglass/model/model_dates.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "sightglass/base/error.h"
#include "sightglass/model/feature_columns_internal.h"
#include "sightglass/model/trees/ensemble.h"

namespace sightglass {

namespace {

// What a model may count from 1970-01-01 on. Those that are not in DateUnit are plain numbers to everybody else.
struct Counting {
  const char* name;
  double per_day;
  DateUnit unit = DateUnit::none;
};
constexpr double micros_per_day = 86400e6;
// The finest come last: of two that fit alike, the coarser is meant.
constexpr Counting countings[] = {{"days", 1, DateUnit::days},
                                  {"seconds", 86400, DateUnit::seconds},
                                  {"milliseconds", 86400e3},
                                  {"microseconds", 86400e6},
                                  {"nanoseconds", 86400e9}};
// Splits that are further than this from the data's dates are no dates in that unit.
constexpr double most_days_apart = 20 * 365.25;

// Days since 1970 in one unit; whole numbers stay whole. Doubles hold microseconds, not more.
double counted(const Counting& counting, double per_day, double value) {
  if (!std::isfinite(value)) return value;
  const double micros = std::floor(value * (micros_per_day / per_day) + 0.5);
  return counting.per_day > micros_per_day ? micros * (counting.per_day / micros_per_day)
                                           : micros / (micros_per_day / counting.per_day);
}

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  [[nodiscard]] bool empty() const { return low > high; }
  [[nodiscard]] double distance(double value) const { return std::max({0.0, low - value, value - high}); }
};

// Of each feature the thresholds that its values are compared with.
std::vector<std::vector<double>> thresholds_of(const Model& model) {
  std::vector<std::vector<double>> thresholds(model.signature().features.size());
  if (model.trees() == nullptr) return thresholds;
  for (const TreeNode& node : model.trees()->parts().nodes) {
    if (node.is_leaf() || node.categories >= 0 || !std::isfinite(node.threshold)) continue;
    thresholds[static_cast<std::size_t>(node.feature)].push_back(node.threshold);
  }
  return thresholds;
}

// How many days the thresholds, as dates of the unit, are from those of the data: half of them are not further.
double days_apart(std::vector<double> thresholds, const Counting& counting, const Range& days) {
  for (double& threshold : thresholds) threshold = days.distance(threshold / counting.per_day);
  const auto middle = thresholds.begin() + static_cast<std::ptrdiff_t>(thresholds.size() / 2);
  std::nth_element(thresholds.begin(), middle, thresholds.end());
  return *middle;
}

const Counting* nearest(const std::vector<double>& thresholds, const Range& days) {
  double least = most_days_apart;
  const Counting* found = nullptr;
  for (const Counting& counting : countings) {
    const double apart = days_apart(thresholds, counting, days);
    if (apart >= least) continue;
    least = apart;
    found = &counting;
  }
  return found;
}

const Counting& counting_of(DateUnit unit) {
  return *std::find_if(std::begin(countings), std::end(countings),
                       [&](const Counting& counting) { return counting.unit == unit; });
}

std::string spelled(double number) {
  char buffer[40];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::general, 6).ptr};
}

// The table with other columns of the same rows.
Table with_columns(const Table& table, std::vector<ColumnInfo> infos, std::vector<Column> columns,
                   std::vector<std::string> notes) {
  const Table other = Table(Schema(std::move(infos)), std::move(columns), std::move(notes))
                          .with_first_row(table.first_row())
                          .with_row_labels(table.row_labels());
  return table.weight_column() ? other.with_weights(*table.weight_column()) : other;
}

// A feature with dates, and how the model counts them.
struct DateFeature {
  std::uint32_t column = 0;
  std::vector<double> numbers;  // as the table has them
  const Counting* counting = nullptr;
  const char* because = "";  // "the model splits it so"
  std::string doubt;         // empty: there is none
};

DateFeature date_feature(const Table& table, std::uint32_t column, const FeatureInfo& feature,
                         const std::vector<double>& thresholds, bool is_tree) {
  const ColumnInfo& info = table.schema()[column];
  DateFeature found{.column = column, .numbers = std::vector<double>(table.rows()), .doubt = {}};
  read_numbers(table.column(column), found.numbers);
  found.because = info.dates.detail == DateDetail::day ? "none has a time of day" : "some have a time of day";
  found.counting = &counting_of(info.dates.detail == DateDetail::day ? DateUnit::days : DateUnit::seconds);
  if (feature.dates) {
    found.counting = &counting_of(feature.dates.unit);
    found.because = "the model was fitted to them";
    return found;
  }
  Range days;
  for (const double number : found.numbers) {
    if (!std::isfinite(number)) continue;
    days.low = std::min(days.low, number / units_per_day(info.dates.unit));
    days.high = std::max(days.high, number / units_per_day(info.dates.unit));
  }
  const std::string given = "they are given to it as " + std::string(found.counting->name) + " since 1970-01-01";
  const std::string name = printable(info.name, 60);
  if (!is_tree) {
    found.doubt = "column " + name + " has dates, and the model does not say what it takes them for: " + given;
  } else if (!thresholds.empty() && !days.empty()) {
    if (const Counting* counting = nearest(thresholds, days)) {
      found.counting = counting;
      found.because = "the model splits them there";
    } else {
      const auto [low, high] = std::minmax_element(thresholds.begin(), thresholds.end());
      found.doubt = "column " + name + " has dates, and the model splits it between " + spelled(*low) + " and " +
                    spelled(*high) + ", which are none near these in any unit: " + given;
    }
  }
  return found;
}

// The date that each level spells, counted in the unit; nothing where one spells none. A year or a month alone may be
// meant as anything.
std::optional<std::vector<double>> dates_in(const std::vector<std::string>& levels, DateUnit unit) {
  constexpr std::size_t whole_date = 10;  // 2021-05-03
  std::vector<double> dates;
  for (const std::string& level : levels) {
    const auto date = level.size() < whole_date ? std::nullopt : read_date(unit, level);
    if (!date) return std::nullopt;
    dates.push_back(*date);
  }
  return dates.empty() ? std::nullopt : std::optional(std::move(dates));
}

// Dates that were read as text, as pandas.read_csv does, where the model wants numbers.
Table with_texts_as_dates(const Table& table, const Signature& signature, std::span<const std::uint32_t> excluded) {
  std::vector<ColumnInfo> infos = table.schema().columns();
  std::vector<Column> columns = table.columns();
  std::vector<std::string> notes = table.notes();
  const auto found = find_columns(signature.features, table.schema(), excluded);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!found[i] || signature.features[i].categorical || !infos[*found[i]].is_categorical()) continue;
    ColumnInfo& info = infos[*found[i]];
    const auto dates = dates_in(info.dictionary->levels(), DateUnit::seconds);
    if (!dates) continue;
    std::vector<double> numbers(table.rows());
    read_numbers(columns[*found[i]].view, numbers);
    for (double& number : numbers) {
      if (!std::isnan(number)) number = (*dates)[static_cast<std::size_t>(number)];
    }
    columns[*found[i]] = column_of(std::move(numbers));
    info.type = DType::float64;
    info.dictionary = nullptr;
    info.dates = {.unit = DateUnit::seconds};
    notes.push_back("column " + printable(info.name) + " became a number: its texts are dates");
  }
  if (notes.size() == table.notes().size()) return table;
  return with_columns(table, std::move(infos), std::move(columns), std::move(notes));
}

// Python functions are given the container's own dates, servers what their protocol has for them.
bool wants_numbers(const Signature& signature) {
  return signature.features_known && !signature.opaque && signature.format != "python";
}

std::vector<DateFeature> date_features(const Table& table, const Model& model,
                                       std::span<const std::uint32_t> excluded) {
  std::vector<DateFeature> found;
  const Signature& signature = model.signature();
  if (table.schema().dates().empty() || !wants_numbers(signature)) return found;
  const auto columns = find_columns(signature.features, table.schema(), excluded);
  const auto thresholds = thresholds_of(model);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!columns[i] || !table.schema()[*columns[i]].dates) continue;
    found.push_back(date_feature(table, *columns[i], signature.features[i], thresholds[i], model.trees() != nullptr));
  }
  return found;
}

}  // namespace

Table with_model_dates(const Table& given, const Model& model, std::span<const std::uint32_t> excluded) {
  const Signature& signature = model.signature();
  if (!wants_numbers(signature)) return given;
  const Table table = with_texts_as_dates(given, signature, excluded);
  std::vector<ColumnInfo> infos = table.schema().columns();
  std::vector<Column> columns = table.columns();
  std::vector<std::string> notes = table.notes();
  bool changed = false;
  for (DateFeature& feature : date_features(table, model, excluded)) {
    ColumnInfo& info = infos[feature.column];
    if (feature.counting->unit == info.dates.unit) continue;
    changed = true;
    for (double& number : feature.numbers) number = counted(*feature.counting, units_per_day(info.dates.unit), number);
    columns[feature.column] = column_of(std::move(feature.numbers));
    info.type = DType::float64;
    info.dates.unit = feature.counting->unit;
    // What was said when the data were read no longer holds.
    const std::string name = "column " + printable(info.name);
    std::erase_if(notes, [&](const std::string& note) { return note.starts_with(name + " became a number: "); });
    notes.push_back(name + " became a number: " + feature.counting->name + " since 1970-01-01, because " +
                    feature.because);
  }
  if (!changed) return table;
  return with_columns(table, std::move(infos), std::move(columns), std::move(notes));
}

std::vector<FitNote> doubtful_dates(const Table& table, const Model& model, std::span<const std::uint32_t> excluded) {
  std::vector<FitNote> doubts;
  for (DateFeature& feature : date_features(table, model, excluded)) {
    if (feature.doubt.empty()) continue;
    doubts.push_back({.kind = FitNote::Kind::ambiguous,
                      .column = table.schema()[feature.column].name,
                      .levels = {},
                      .message = std::move(feature.doubt)});
  }
  return doubts;
}

}  // namespace sightglass
