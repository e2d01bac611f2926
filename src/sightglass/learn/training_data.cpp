#include "sightglass/learn/training_data.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/base/random.h"

namespace sightglass {

namespace {

// Sums of squares must neither overflow nor vanish.
constexpr double largest_number = 1e100, smallest_number = 1e-100;
constexpr double most_weight = 1e12;
constexpr std::uint64_t fold_stream = 0x666f6c6473;  // "folds"

std::vector<std::uint32_t> chosen_columns(const Table& table, const TrainingColumns& columns, std::uint32_t target) {
  const Schema& schema = table.schema();
  const auto weights = table.weight_column();
  std::vector<std::uint32_t> chosen;
  if (columns.features.empty()) {
    for (std::uint32_t column = 0; column < schema.size(); ++column) {
      if (column != target && column != weights) chosen.push_back(column);
    }
    return chosen;
  }
  for (const std::string& name : columns.features) {
    const std::uint32_t column = schema.require(name, option_text("features"));
    if (column == target) {
      throw Error(ErrorKind::usage, option_text("features") + ": " + printable(name, 60) + " is the target",
                  "leave it out");
    }
    if (std::find(chosen.begin(), chosen.end(), column) == chosen.end()) chosen.push_back(column);
  }
  return chosen;
}

// Rows that can be learned from: those with an outcome and some weight.
std::vector<std::size_t> usable_rows(const std::vector<double>& outcome, const std::vector<double>& weights,
                                     std::vector<std::string>& notes) {
  std::vector<std::size_t> rows;
  std::size_t no_outcome = 0, no_weight = 0;
  for (std::size_t row = 0; row < outcome.size(); ++row) {
    if (std::isnan(outcome[row])) {
      ++no_outcome;
    } else if (!weights.empty() && !(weights[row] > 0)) {
      ++no_weight;
    } else {
      rows.push_back(row);
    }
  }
  if (rows.empty() && no_weight > 0) {
    throw Error(ErrorKind::data, "every row with an outcome has a weight of zero", "check the weights");
  }
  const auto note = [&](std::size_t count, const std::string& what) {
    if (count > 0) notes.push_back(std::to_string(count) + (count == 1 ? " row " : " rows ") + what);
  };
  note(no_outcome, "without an outcome left out");
  note(no_weight, "of weight 0 left out");
  return rows;
}

std::vector<double> picked(const std::vector<double>& values, const std::vector<std::size_t>& rows) {
  if (rows.size() == values.size()) return values;
  std::vector<double> chosen(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) chosen[i] = values[rows[i]];
  return chosen;
}

std::vector<double> numbers_of(const Table& table, std::uint32_t column) {
  std::vector<double> values(table.rows());
  read_numbers(table.column(column), values);
  const std::string name = printable(table.schema()[column].name, 60);
  double largest = 0;
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (std::isnan(values[row])) continue;
    largest = std::max(largest, std::abs(values[row]));
    if (largest <= largest_number) continue;
    const bool infinite = std::isinf(values[row]);
    throw Error(ErrorKind::data,
                "row " + std::to_string(table.first_row() + row) + " of " + name +
                    (infinite ? " is infinite, from which nothing can be learned"
                              : " is beyond 1e100, whose squares cannot be added up"),
                infinite ? "leave such rows out, or take them for missing" : "rescale the column");
  }
  if (largest > 0 && largest < smallest_number) {
    throw Error(ErrorKind::data, "all numbers of " + name + " are below 1e-100, whose squares vanish",
                "rescale the column");
  }
  return values;
}

std::vector<double> weights_of(const Table& table) {
  if (!table.weight_column()) return {};
  std::vector<double> weights = numbers_of(table, *table.weight_column());
  double least = std::numeric_limits<double>::infinity(), largest = 0;
  for (const double weight : weights) {
    if (weight > 0) least = std::min(least, weight);
    largest = std::max(largest, weight);
  }
  if (largest > most_weight || (largest > 0 && (largest / least > most_weight || least < 1 / most_weight))) {
    throw Error(ErrorKind::data, "the weights are of too different sizes, or too large or small, to be added up",
                "scale them to about 1, and leave rows of next to no weight out");
  }
  return weights;
}

// Levels that no row has are left out, so that none is fitted to nothing.
void keep_used_levels(TrainingFeature& feature) {
  std::vector<std::uint8_t> used(feature.info.levels.size(), 0);
  for (const double value : feature.values) {
    if (!std::isnan(value)) used[static_cast<std::size_t>(value)] = 1;
  }
  if (std::all_of(used.begin(), used.end(), [](std::uint8_t is) { return is != 0; })) return;
  std::vector<double> code(used.size(), 0);
  std::vector<std::string> levels;
  for (std::size_t level = 0; level < used.size(); ++level) {
    if (used[level] == 0) continue;
    code[level] = static_cast<double>(levels.size());
    levels.push_back(feature.info.levels[level]);
  }
  for (double& value : feature.values) {
    if (!std::isnan(value)) value = code[static_cast<std::size_t>(value)];
  }
  feature.info.levels = std::move(levels);
}

void check_outcome(const TrainingData& data) {
  const std::string target = "the target " + printable(data.target, 60);
  if (data.rows == 0) throw Error(ErrorKind::data, "no row has an outcome in " + target, "check the column");
  constexpr std::size_t most_classes = 100;
  if (data.classes.size() > most_classes) {
    throw Error(ErrorKind::data,
                target + " has " + std::to_string(data.classes.size()) + " classes, more than can be told apart",
                "group them, or choose another target");
  }
  if (data.classes.size() == 1) {
    throw Error(ErrorKind::data, target + " has only one class, " + printable(data.classes[0], 60),
                "there is nothing to tell apart; take rows of at least two classes");
  }
}

}  // namespace

Task TrainingData::task() const {
  if (classes.empty()) return Task::regression;
  return classes.size() == 2 ? Task::binary : Task::multiclass;
}

std::vector<std::string> TrainingData::outputs() const {
  if (classes.empty()) return {output};
  return classes.size() == 2 ? std::vector<std::string>{classes[1]} : classes;
}

double TrainingData::total_weight() const {
  if (weights.empty()) return static_cast<double>(rows);
  return std::accumulate(weights.begin(), weights.end(), 0.0);
}

TrainingData training_data(const Table& given, const TrainingColumns& columns) {
  const std::uint32_t target = given.schema().require(columns.target, option_text("target"));
  const Table table = columns.outcome == OutcomeKind::classes ? given.with_categories(target) : given;
  const Schema& schema = table.schema();
  const std::vector<std::uint32_t> features = chosen_columns(table, columns, target);
  if (features.empty()) {
    throw Error(ErrorKind::data, "the data have no column to learn from besides the target", "add some features");
  }
  TrainingData data;
  data.target = schema[target].name;
  const std::vector<double> outcome = numbers_of(table, target);
  const std::vector<double> weights = weights_of(table);
  const std::vector<std::size_t> rows = usable_rows(outcome, weights, data.notes);
  data.rows = rows.size();
  data.outcome = picked(outcome, rows);
  if (rows.size() < table.rows()) data.row_ids.assign(rows.begin(), rows.end());
  if (!weights.empty()) data.weights = picked(weights, rows);

  const bool has_levels = schema[target].has_levels();
  if (has_levels && columns.outcome == OutcomeKind::number) {
    throw Error(ErrorKind::usage, "the target " + printable(data.target, 60) + " holds text, not numbers",
                marked("leave {option:task} out to learn its classes"));
  }
  if (!has_levels && columns.outcome == OutcomeKind::classes) {
    throw Error(ErrorKind::data,
                "the target " + printable(data.target, 60) + " has too many different numbers for classes",
                marked("leave {option:task} out to predict it as a number"));
  }
  if (has_levels) {
    TrainingFeature classes{.info = {.name = data.target, .categorical = true, .levels = schema[target].levels()},
                            .values = std::move(data.outcome)};
    keep_used_levels(classes);
    data.outcome = std::move(classes.values);
    data.classes = std::move(classes.info.levels);
  }
  check_outcome(data);

  for (const std::uint32_t column : features) {
    TrainingFeature feature{.info = {.name = schema[column].name,
                                     .categorical = schema[column].has_levels(),
                                     .dates = schema[column].dates},
                            .values = picked(numbers_of(table, column), rows)};
    if (std::all_of(feature.values.begin(), feature.values.end(), [](double value) { return std::isnan(value); })) {
      data.notes.push_back("column " + printable(feature.info.name, 60) + " left out: no row has a value of it");
      continue;
    }
    if (feature.info.categorical) {
      feature.info.levels = schema[column].levels();
      keep_used_levels(feature);
    }
    data.features.push_back(std::move(feature));
  }
  if (data.features.empty()) {
    throw Error(ErrorKind::data, "no row has a value of any column to learn from", "check the columns");
  }
  return data;
}

TrainingData rows_of(const TrainingData& data, std::span<const std::uint32_t> rows) {
  const auto taken = [&](const std::vector<double>& values) {
    std::vector<double> some;
    some.reserve(rows.size());
    for (const std::uint32_t row : rows) some.push_back(values[row]);
    return some;
  };
  TrainingData part;
  part.rows = rows.size();
  part.target = data.target;
  part.output = data.output;
  part.outcome = taken(data.outcome);
  part.classes = data.classes;
  if (!data.weights.empty()) part.weights = taken(data.weights);
  for (const TrainingFeature& feature : data.features) part.features.push_back({feature.info, taken(feature.values)});
  return part;
}

double threshold_between(double lower, double upper) {
  const double middle = lower / 2 + upper / 2;
  return middle >= lower && middle < upper ? middle : lower;
}

std::vector<Monotone> read_monotone(const std::vector<std::string>& given, const TrainingData& data) {
  if (given.empty()) return {};
  const auto fail = [](const Text& what, const Text& advice) {
    throw Error(ErrorKind::usage, option_text("monotone") + ": " + what, advice);
  };
  if (data.classes.size() > 2) {
    fail("there are " + std::to_string(data.classes.size()) + " classes, of which none can rise alone",
         "leave it out, or learn one class against the others");
  }
  std::vector<Monotone> directions(data.features.size(), Monotone::free);
  for (const std::string& entry : given) {
    // Names may hold the sign themselves.
    const std::size_t sign = entry.rfind('=');
    const std::string name = entry.substr(0, sign);
    const std::string word = sign == std::string::npos ? "" : entry.substr(sign + 1);
    const auto feature = std::find_if(data.features.begin(), data.features.end(),
                                      [&](const TrainingFeature& f) { return f.info.name == name; });
    if (word != "increasing" && word != "decreasing") {
      fail("\"" + printable(entry) + "\" says neither increasing nor decreasing", "write temp=increasing");
    }
    if (feature == data.features.end()) fail("there is no feature " + printable(name), "name a column of the data");
    if (feature->info.categorical) {
      fail(feature_name(name) + " is categorical: its levels have no order", "name a numeric feature");
    }
    directions[static_cast<std::size_t>(feature - data.features.begin())] =
        word == "increasing" ? Monotone::increasing : Monotone::decreasing;
  }
  return directions;
}

std::size_t most_probable(std::span<const double> shares) {
  return static_cast<std::size_t>(std::max_element(shares.begin(), shares.end()) - shares.begin());
}

std::vector<std::uint32_t> folds_of(std::size_t rows, std::uint32_t folds, std::uint64_t seed) {
  std::vector<std::pair<std::uint64_t, std::size_t>> order(rows);
  for (std::size_t row = 0; row < rows; ++row) order[row] = {random_bits(seed, fold_stream, row), row};
  std::sort(order.begin(), order.end());
  std::vector<std::uint32_t> fold(rows);
  for (std::size_t place = 0; place < rows; ++place) {
    fold[order[place].second] = static_cast<std::uint32_t>(place % folds);
  }
  return fold;
}

}  // namespace sightglass
