// The parts of a report: what each asks a method for, what it costs, and what is learned from it for those that follow.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sightglass/plans/report/example_rows_internal.h"
#include "sightglass/plans/report/report.h"
#include "sightglass/plans/report/report_budget_internal.h"

namespace sightglass {

// What is known once the first parts are there.
struct Known {
  std::vector<std::string> ranked;  // features, the most important first
  std::vector<std::string> pairs;   // the strongest first, as first:second
  std::vector<std::string> uneven;  // features along which single rows move differently, the most important first
  std::vector<ExampleRow> examples;
  std::optional<Result> example_values;
  bool has_example_values = false;    // all examples are among the rows that were drawn
  std::vector<std::uint64_t> chosen;  // prototypes and criticisms
  std::uint64_t rows = 0;             // that are used
  bool trial = false;                 // whether the part is only tried
  std::vector<std::string> left_out;  // what a part could not take up, and why
};

struct Part {
  std::string name;  // one of skippable_parts; empty: it is always there
  std::string method, title;
  std::string needs;      // the part from which it learns what to do
  Price price;            // in predictions
  double trial = 1;       // the share of its time that it takes when it is tried
  bool promised = false;  // the part before it counts on it
  bool teaches = false;   // later parts learn from it
  bool all_rows = false;  // it is about all rows where that takes little time, whatever the others use
  // Its options; null: there is nothing to do.
  std::function<Value(const Known&)> options;
  // What is learned from all outputs of the model, shown or not.
  std::function<void(const Result&, Known&)> look;
  // What is learned from it, or taken out of it; what is about other outputs is gone.
  std::function<void(Result&, Known&)> take;

  // By which its rows are told.
  [[nodiscard]] const std::string& known_as() const { return name.empty() ? method : name; }
};

// What the parts are chosen by.
struct ReportSetup {
  ReportOptions options;
  bool has_target = false, by_trees = false;
  std::size_t features = 0;  // that the report is about
  std::size_t outputs = 1;   // of the model
  RowFacts facts;
  // Of so many of the rows that are used, by which examples are chosen.
  std::function<RowPredictions(std::uint64_t rows)> predictions;
  std::function<bool()> any_row;    // whether the examples are explained wherever they are
  std::vector<std::size_t> values;  // different ones of each feature, about; empty: many
  // How many levels categorical features have.
  std::map<std::string, std::size_t> levels;
  std::set<std::string> other_outputs;  // that are not shown
  std::vector<std::string> split_by;    // features by whose levels regions may be told; empty: all
  bool has_classes = false;             // outputs are classes, of which the highest is predicted
};

// In the order of reading. They refer to the setup, which must outlive them.
[[nodiscard]] std::vector<Part> parts_of(const ReportSetup& setup);

// Single rows that are looked at when a part is tried that is about some.
inline constexpr std::size_t trial_rows_shown = 4;
// With more features than this, pairs are looked for among the most important ones only.
[[nodiscard]] std::size_t most_pair_features(const ReportSetup& setup);
// With more, only single features are told apart by a decomposition.
inline constexpr std::size_t decomposed_features = 20;
// Predictions that methods with a budget of their own may ask for if nothing is said.
inline constexpr std::int64_t usual_predictions = 5'000'000;

template <class Item>
std::vector<const Item*> items_of(const Result& result) {
  std::vector<const Item*> found;
  for (const ResultItem& item : result.results) {
    if (const auto* one = item.as<Item>()) found.push_back(one);
  }
  return found;
}

}  // namespace sightglass
