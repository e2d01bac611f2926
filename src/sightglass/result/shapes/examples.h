// Rows of the data that say something: prototypes, criticisms, neighbours.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/base/dates.h"
#include "sightglass/base/value.h"
#include "sightglass/result/named_row.h"
#include "sightglass/result/open_word.h"

namespace sightglass {

class Fields;
class TidyRows;

// What the rows are.
enum class ExampleRole { prototype, criticism, neighbor, influential, picked };
inline constexpr std::string_view example_roles[] = {"prototype", "criticism", "neighbor", "influential", "picked"};
template <>
inline constexpr KnownWords<ExampleRole> known_words<ExampleRole> = {example_roles, ExampleRole::picked};

// How far a row's value is from the middle: a number in standard deviations, a level (or none) by how rare it is. Of a
// neighbour: how far it is from the value of the row whose neighbour it is.
struct Oddity {
  std::string feature;
  std::optional<double> deviation = std::nullopt;   // (x − mean) / sd
  std::optional<double> share = std::nullopt;       // of rows with the same level, or without a value as this one
  std::optional<double> difference = std::nullopt;  // as a share of the range; another level: 1
};

// What a feature adds to the row's prediction.
struct Contribution {
  std::string feature;
  double value = 0;
};

struct Example {
  std::uint64_t row = 0;
  std::string row_label = {};                             // what it is called; empty: by its number
  Value data = Value::object();                           // own values by feature: numbers or levels; null = missing
  std::string own_class = {};                             // outcome, where that is a class ("class" in JSON)
  std::optional<double> target = std::nullopt;            // outcome, where that is a number
  std::string predicted_class = {};                       // where the model predicts classes ("predicted" in JSON)
  std::optional<double> prediction = std::nullopt;        // of details.prediction_of or that class, or the number
  std::string other_class = {};                           // what another model predicts ("other_predicted" in JSON)
  std::optional<double> other_prediction = std::nullopt;  // of its own predicted class, or the number
  std::optional<double> error = std::nullopt;             // prediction − target; of classes 1: wrong, 0: right
  std::optional<double> score = std::nullopt;             // what makes it special, see measure
  std::optional<double> objective = std::nullopt;         // reached with this row and those before it
  std::optional<double> stands_for = std::nullopt;  // (weighted) rows to which it is the nearest; a neighbour's votes
  std::optional<double> accuracy = std::nullopt;    // of the class of the nearest of these rows so far
  std::optional<double> x = std::nullopt, y = std::nullopt;  // place on the map
  std::vector<Oddity> special = {};                          // oddest first; of a neighbour: what differs
  std::vector<Contribution> attributions = {};               // largest first
};

// Other rows in two dimensions.
struct ExampleMap {
  std::vector<std::string> axes;     // what x and y are
  std::optional<double> shown;       // share of the variance that they show
  std::vector<double> x, y;          // of rows in the background
  std::vector<std::string> classes;  // of these; empty: there are none
};

struct Examples {
  static constexpr std::string_view type = "examples";  // its name in JSON

  std::string output;
  std::string group;
  OpenWord<ExampleRole> role = ExampleRole::picked;
  std::optional<std::uint64_t> of_row = std::nullopt;  // whose neighbours they are
  std::string of_row_label = {};
  std::string measure = {};           // what score is: "witness", "distance"
  std::string objective = {};         // what objective is: "mmd2"
  std::vector<std::string> features;  // in the order of the data
  std::vector<Example> rows;          // in the order in which they were chosen
  std::optional<ExampleMap> map = std::nullopt;
  Value details = Value::object();
  Dates dates = {};  // the features whose values are dates
};

void describe_fields(Examples& examples, Fields& fields);
void tidy_rows(const Examples& examples, TidyRows& rows);
void item_set_dates(Examples& item, const Dates& dates);
void show_rows(Examples& examples, const RowVisitor& visit);
[[nodiscard]] std::string item_title(const Examples& examples);
// Prototypes and criticisms of the same rows share a map.
[[nodiscard]] std::optional<std::string> item_picture_key(const Examples& examples);

// "bill_depth −2.3 sd", "island = Torgersen (6 % of rows)".
[[nodiscard]] std::string oddity_text(const Oddity& oddity, const Value& data);

}  // namespace sightglass
