#include "sightglass/methods/local/what_if.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/data/new_rows.h"
#include "sightglass/methods/local/changed/changed_values.h"
#include "sightglass/methods/rows/nearest_rows.h"
#include "sightglass/methods/run/row_sample.h"

namespace sightglass {

namespace {

constexpr std::uint64_t neighbour_stream = 0x7768'6174'6966;  // "whatif"
// Rows of the data among which the nearest are looked for: enough to tell a strange row.
constexpr std::uint64_t compared_rows = 5000;
// Curves of a result, and predictions that they are drawn from.
constexpr std::uint64_t most_curves = 100'000;
// Predictions that they are drawn from, each kept three times for a while: half a gigabyte.
constexpr std::uint64_t most_questions = 20'000'000;

// Where swings differ by less than this share of the largest they are the same but for rounding.
constexpr double swing_rounding = 1e-9;

struct WhatIfWork {
  MethodInput input;
  ExplainedRows rows;
  ValueChangesPtr changes;
  RowSample compared;
  std::vector<Caveat> caveats;
};

class RowCurveMaker {
 public:
  RowCurveMaker(const ValueChanges& changes, const std::vector<VariedRow>& rows, const std::vector<ClassStep>& steps)
      : changes_(changes), rows_(rows), steps_(steps) {}

  // By row and output, features by their swing.
  [[nodiscard]] std::vector<ResultItem> items() const {
    std::vector<ResultItem> items;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      for (const std::size_t output : changes_.input.explained) {
        std::vector<Curves> of_row;
        for (std::size_t grid = 0; grid < changes_.grids.size(); ++grid) of_row.push_back(curves(row, grid, output));
        double largest = 0;
        for (const Curves& each : of_row) largest = std::max(largest, each.swing[0]);
        const double unit = largest > 0 ? swing_rounding * largest : 1;
        std::stable_sort(of_row.begin(), of_row.end(), [&](const Curves& a, const Curves& b) {
          return std::round(a.swing[0] / unit) > std::round(b.swing[0] / unit);
        });
        for (Curves& each : of_row) items.emplace_back(std::move(each));
      }
    }
    return items;
  }

 private:
  [[nodiscard]] double own_value(std::size_t row, std::size_t grid) const {
    const auto& features = changes_.input.features;
    const auto at = std::find(features.begin(), features.end(), changes_.grids[grid].column);
    return rows_[row].own[static_cast<std::size_t>(at - features.begin())];
  }
  [[nodiscard]] const std::string& class_name(std::span<const double> outputs) const {
    return changes_.classes.name(changes_.classes.of(outputs));
  }

  [[nodiscard]] Curves curves(std::size_t row, std::size_t grid, std::size_t output) const {
    const VariedRow& of = rows_[row];
    const FeatureGrid& on = changes_.grids[grid];
    Curves curves{.axis = on.axis,
                  .output = changes_.input.outputs[output],
                  .rows = {of.id},
                  .total_rows = changes_.input.rows,
                  .distribution = on.distribution};
    curves.prediction = {of.outputs[output]};
    if (changes_.classes.any()) curves.predicted_class = {class_name(of.outputs)};
    curves.values.emplace_back();
    if (on.axis.is_categorical()) {
      add_levels(row, grid, output, curves);
    } else {
      add_numbers(row, grid, output, curves);
    }
    const VariedRow::Feature& feature = of.features[grid];
    const std::vector<double>& without = std::isnan(own_value(row, grid)) ? of.outputs : feature.missing;
    if (!without.empty()) {
      curves.missing = {without[output]};
      add_flip(of, without, {.row = of.id, .missing = true}, curves);
    }
    double low = of.outputs[output], high = low;
    const auto see = [&](double value) {
      low = std::min(low, value);
      high = std::max(high, value);
    };
    for (const double value : curves.values[0]) see(value);
    if (!curves.missing.empty()) see(*curves.missing[0]);
    curves.swing = {high - low};
    return curves;
  }

  void add_levels(std::size_t row, std::size_t grid, std::size_t output, Curves& curves) const {
    const VariedRow& of = rows_[row];
    const auto& values = changes_.values[grid];
    const double own = own_value(row, grid);
    std::string own_level;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool as_it_is = values[i].number == own;
      const std::span<const double> outputs = as_it_is ? std::span(of.outputs) : of.answer(grid, i);
      curves.values[0].push_back(outputs[output]);
      if (as_it_is) own_level = curves.axis.levels[i];
      add_flip(of, outputs, {.row = of.id, .level = curves.axis.levels[i]}, curves);
    }
    // A level of rows without weight is on no grid.
    if (own_level.empty() && !std::isnan(own)) {
      own_level = changes_.input.schema[changes_.grids[grid].column].level(static_cast<std::size_t>(own));
      curves.axis.levels.push_back(own_level);
      curves.values[0].push_back(of.outputs[output]);
      curves.distribution = {};
    }
    curves.own_level = {own_level};
  }

  // At the grid's points, the row's own value, and both sides of where the class changes.
  void add_numbers(std::size_t row, std::size_t grid, std::size_t output, Curves& curves) const {
    const VariedRow& of = rows_[row];
    const double own = own_value(row, grid);
    std::map<double, double> heights;
    const auto& shown = changes_.grids[grid].axis.numbers;
    for (std::size_t i = 0; i < changes_.values[grid].size(); ++i) {
      const double value = changes_.values[grid][i].number;
      if (std::binary_search(shown.begin(), shown.end(), value)) heights[value] = of.answer(grid, i)[output];
    }
    for (const ClassStep& step : steps_of(steps_, row, grid)) {
      heights[step.below.value] = step.below.outputs[output];
      heights[step.above.value] = step.above.outputs[output];
      curves.flips.push_back({.row = of.id,
                              .value = step.above.value,
                              .within = step.exact ? 0 : step.above.value - step.below.value,
                              .from = class_name(step.below.outputs),
                              .to = class_name(step.above.outputs)});
    }
    if (std::isfinite(own)) heights[own] = of.outputs[output];
    curves.axis.numbers.clear();
    for (const auto& [value, height] : heights) {
      curves.axis.numbers.push_back(value);
      curves.values[0].push_back(height);
    }
    curves.own_value = {std::isnan(own) ? std::nullopt : std::optional(own)};
    if (changes_.classes.any() && std::isfinite(own)) add_slack(own, curves);
  }

  // A flip's value is the first of the class behind it: rising to it flips, falling below it does.
  static void add_slack(double own, Curves& curves) {
    std::optional<double> down, up;
    for (const ClassFlip& flip : curves.flips) {
      std::optional<double>& side = *flip.value > own ? up : down;
      double distance = std::abs(*flip.value - own);
      // Whatever rounding makes of the sum: rising by it flips, falling by it does not yet.
      while (*flip.value > own && own + distance < *flip.value) distance = std::nextafter(distance, INFINITY);
      while (*flip.value <= own && own - distance < *flip.value) distance = std::nextafter(distance, 0);
      if (!side || distance < *side) side = distance;
    }
    curves.slack_down = {down};
    curves.slack_up = {up};
  }

  // Of a level or of no value: where the class is not the row's own.
  void add_flip(const VariedRow& of, std::span<const double> outputs, ClassFlip flip, Curves& curves) const {
    if (!changes_.classes.any() || changes_.classes.of(outputs) == changes_.classes.of(of.outputs)) return;
    flip.from = class_name(of.outputs);
    flip.to = class_name(outputs);
    curves.flips.push_back(std::move(flip));
  }

  const ValueChanges& changes_;
  const std::vector<VariedRow>& rows_;
  const std::vector<ClassStep>& steps_;
};

void add_strange(const WhatIfWork& work, const std::vector<VariedRow>& rows, std::vector<Caveat>& caveats) {
  if (work.compared.rows() == 0) return;
  LabelledRows others;
  others.ids = work.compared.ids;
  others.values = work.compared.values;
  others.of_data = others.ids.size();
  others.available = work.compared.available;
  std::vector<LabelledRow> explained;
  for (const VariedRow& row : rows) explained.push_back({.id = row.id, .values = row.own, .predictions = row.outputs});
  add_strange_rows(NearestRows(work.input, others), explained, caveats);
}

// Where the model predicts classes and no single value changes that of a row.
void add_settled(const ValueChanges& changes, const Result& result, std::vector<Caveat>& caveats) {
  if (!changes.classes.any() || result.results.empty()) return;
  std::map<std::uint64_t, bool> flips;
  for (const ResultItem& item : result.results) {
    const auto& curves = item.get<Curves>();
    flips[curves.rows[0]] = flips[curves.rows[0]] || !curves.flips.empty();
  }
  std::vector<std::uint64_t> settled;
  for (const auto& [row, any] : flips) {
    if (!any) settled.push_back(row);
  }
  if (settled.empty()) return;
  const bool all = settled.size() == flips.size() && flips.size() > 1;
  const std::string who =
      all ? "these rows"
          : row_text(settled[0]) + (settled.size() > 1 ? " and " + std::to_string(settled.size() - 1) + " more" : "");
  caveats.push_back({.id = "no-flip",
                     .severity = Severity::note,
                     .message = "no single value that was tried changes the class of " + who,
                     .evidence = Value::object({{"row", row_number(settled[0])}, {"rows", settled.size()}}),
                     .advice = "two values changed together may: one at a time says nothing about that"});
}

Result result_of(const WhatIfWork& work, const std::vector<VariedRow>& rows, const std::vector<ClassStep>& steps) {
  Result result;
  result.caveats = work.caveats;
  result.results = RowCurveMaker(*work.changes, rows, steps).items();
  add_some_rows_caveat(work.rows, result.caveats);
  add_strange(work, rows, result.caveats);
  add_settled(*work.changes, result, result.caveats);
  return result;
}

void check_size(const ValueChanges& changes) {
  std::uint64_t questions = 0;
  for (std::size_t i = 0; i < changes.grids.size(); ++i) questions += changes.questions(i);
  const std::uint64_t rows = changes.rows.size(), outputs = std::max<std::size_t>(1, changes.input.outputs.size());
  const std::uint64_t most =
      std::min(most_curves / std::max<std::uint64_t>(1, changes.grids.size() * changes.input.explained.size()),
               most_questions / std::max<std::uint64_t>(1, questions * outputs));
  if (rows <= std::max<std::uint64_t>(1, most)) return;
  throw Error(ErrorKind::usage,
              std::to_string(rows) + " rows are too many to be drawn one by one: of this model " +
                  std::to_string(std::max<std::uint64_t>(1, most)) + " at once can be",
              marked("name fewer {option:rows|rows} or {option:features|features}; the method {method:ice} draws many "
                     "rows of one feature"));
}

Chain<Result> start(const MethodInput& input, const Value& given) {
  const auto options = read_options<WhatIfOptions>(given);
  std::vector<GridRequest> requests;
  for (const std::uint32_t column : chosen_features(input, options.features))
    requests.push_back(grid_request(input, options.grid_rule, options.values, column, options.grid));
  if (requests.empty()) throw Error(ErrorKind::data, "the model uses no feature: there is nothing to change");
  return rows_to_explain(input, options.rows, options.explain)
      .then([input, requests](const ExplainedRows& rows) {
        return find_grids(input, requests).then([input, rows](std::vector<FeatureGrid> grids) {
          WhatIfWork work{.input = input, .rows = rows};
          add_grid_caveats(grids, work.caveats);
          std::erase_if(grids, [](const FeatureGrid& grid) { return grid.values.empty() && !grid.has_missing(); });
          work.changes = std::make_shared<const ValueChanges>(input, rows.ids, std::move(grids));
          check_size(*work.changes);
          return draw_rows(input, input.features, compared_rows, neighbour_stream).then([work](RowSample compared) {
            auto with = std::make_shared<WhatIfWork>(work);
            with->compared = std::move(compared);
            return with;
          });
        });
      })
      .then([](const std::shared_ptr<WhatIfWork>& work) {
        return ask_changes(work->changes).then([work](const VariedRows& rows) {
          return find_class_steps(work->changes, *rows).then([work, rows](const std::vector<ClassStep>& steps) {
            return result_of(*work, *rows, steps);
          });
        });
      });
}

}  // namespace

MethodEntry what_if() {
  return {.name = "what-if",
          .alias = "ceteris-paribus",
          .about = {.title = "What if one value were another", .short_name = "What if", .family = Family::local},
          .question = "What would the model predict for this row if one of its values were another?",
          .when = "to see what a single prediction hangs on, how far each value is from changing the predicted class",
          .when_not =
              "values that go together: changing one alone makes a row that does not occur; as advice what to do in "
              "the world: the model knows no causes",
          .formula = "WI_j(v) = f(v, x_−j); swing_j = max_v WI_j(v) − min_v WI_j(v)",
          .paper =
              "Biecek, Burzykowski 2021, Explanatory model analysis, ch. 10; Goldstein, Kapelner, Bleich, Pitkin 2015, "
              "Peeking inside the black box",
          .scopes = {Scope::local},
          .results = {"curves"},
          .expresses = "one curve per row and feature, and the values at which the predicted class changes",
          .cost = "features × grid predictions per row, and 30 for each change of class; trees: their splits besides",
          .access = Access::stream,
          .random = true,
          .as_predicted = true,
          .options = describe_options<WhatIfOptions>(),
          .start = start};
}

}  // namespace sightglass
