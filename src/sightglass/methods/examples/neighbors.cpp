#include "sightglass/methods/examples/neighbors.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sightglass/base/error.h"
#include "sightglass/methods/examples/shown/explained_examples.h"
#include "sightglass/methods/examples/shown/outcome_classes.h"
#include "sightglass/methods/rows/explained_rows.h"
#include "sightglass/methods/rows/nearest_rows.h"
#include "sightglass/methods/rows/predicted_class.h"

namespace sightglass {

namespace {

constexpr std::uint64_t neighbors_stream = 0x6e65'6967'6862;  // "neighb"
constexpr std::uint64_t most_shown = 1'000'000;               // neighbours of all rows together

struct NeighborWork {
  MethodInput input;
  NeighborsOptions options;
  ExplainedRows rows;
  std::vector<LabelledRow> explained;
};

class NeighborFinder {
 public:
  NeighborFinder(NeighborWork work, RowSample sample)
      : work_(std::move(work)),
        sample_(std::move(sample)),
        truths_(work_.input, sample_),
        outcomes_(outcome_classes(work_.input, false, sample_)) {
    for (const std::uint32_t column : work_.input.features) {
      double low = std::numeric_limits<double>::infinity(), high = -low;
      for (const double value : sample_.of(column)) {
        if (!std::isfinite(value)) continue;
        low = std::min(low, value);
        high = std::max(high, value);
      }
      ranges_.push_back(high > low ? high - low : 0);
    }
  }

  // Finds them, and asks the model about them.
  [[nodiscard]] static Chain<Result> result(const std::shared_ptr<NeighborFinder>& finder) {
    finder->find();
    RowIds ids;
    for (const Examples& each : finder->found_) {
      for (const Example& example : each.rows) ids.push_back(example.row);
    }
    if (ids.empty()) return finder->finish({});
    return explain_rows(finder->work_.input, std::move(ids), false)
        .then([finder](const std::vector<AnsweredRow>& answers) { return finder->finish(answers); });
  }

 private:
  void find() {
    LabelledRows rows;
    rows.ids = sample_.ids;
    for (const std::uint32_t column : work_.input.features) rows.values.push_back(sample_.of(column));
    rows.of_data = rows.ids.size();
    rows.available = sample_.available;
    const NearestRows nearest(work_.input, rows);
    add_strange_rows(nearest, work_.explained, caveats_);
    const PredictedClass classes(work_.input);
    for (const LabelledRow& row : work_.explained) {
      work_.input.context->check();
      Examples& examples = found_.emplace_back();
      examples.role = ExampleRole::neighbor;
      examples.of_row = row.id;
      examples.measure = "distance";
      for (const std::uint32_t column : work_.input.features) examples.features.push_back(name(column));
      for (const NearRow& near : nearest.nearest(row.values, static_cast<std::size_t>(work_.options.neighbors), row.id))
        examples.rows.push_back(example(row, near));
      examples.details.set("own", data_of(row.values));
      if (const Value outcome = outcome_of(row.id); !outcome.is_null()) examples.details.set("own_outcome", outcome);
      if (classes.any()) examples.details.set("own_predicted", classes.name(classes.of(row.predictions)));
      const auto& explained = work_.input.explained;
      const bool one = explained.size() == 1 || !classes.any();
      examples.details.set("own_prediction", row.predictions[one ? explained[0] : classes.of(row.predictions)]);
    }
  }

  // Null where it is not known: without a target, or of a row that was not drawn.
  [[nodiscard]] Value outcome_of(std::uint64_t row) const {
    const auto at = std::lower_bound(sample_.ids.begin(), sample_.ids.end(), row);
    if (at == sample_.ids.end() || *at != row) return {};
    if (!outcomes_.names.empty()) return Value(outcomes_.name_of(static_cast<std::uint32_t>(at - sample_.ids.begin())));
    const auto target = truths_.of(row);
    return target ? Value(*target) : Value();
  }

  [[nodiscard]] const std::string& name(std::uint32_t column) const { return work_.input.schema[column].name; }

  [[nodiscard]] Value data_of(const std::vector<double>& values) const {
    Value data = Value::object();
    for (std::size_t j = 0; j < values.size(); ++j) {
      const ColumnInfo& column = work_.input.schema[work_.input.features[j]];
      Value shown;
      if (!std::isnan(values[j]))
        shown = column.has_levels() ? Value(column.level(static_cast<std::size_t>(values[j]))) : Value(values[j]);
      data.set(column.name, std::move(shown));
    }
    return data;
  }

  [[nodiscard]] Example example(const LabelledRow& of, const NearRow& near) const {
    Example example{.row = sample_.ids[near.row]};
    std::vector<double> values;
    for (const std::uint32_t column : work_.input.features) values.push_back(sample_.of(column)[near.row]);
    example.data = data_of(values);
    example.score = near.distance;
    for (std::size_t j = 0; j < values.size(); ++j) {
      if (std::isnan(values[j]) || std::isnan(of.values[j]) || values[j] == of.values[j]) continue;
      const std::uint32_t column = work_.input.features[j];
      const bool levels = work_.input.schema[column].has_levels();
      const double difference = levels ? 1 : (values[j] - of.values[j]) / ranges_[j];
      if (std::isfinite(difference)) example.special.push_back({.feature = name(column), .difference = difference});
    }
    std::stable_sort(example.special.begin(), example.special.end(), [](const Oddity& a, const Oddity& b) {
      return std::abs(*a.difference) > std::abs(*b.difference);
    });
    if (outcomes_.names.empty()) {
      example.target = truths_.of(example.row);
    } else {
      example.own_class = outcomes_.name_of(static_cast<std::uint32_t>(near.row));
    }
    return example;
  }

  [[nodiscard]] Result finish(const std::vector<AnsweredRow>& answers) {
    Result result;
    for (Examples& each : found_) {
      add_explanations(work_.input, answers, truths_, 0, each);
      // An output alone is a class that was asked for; neighbours are those of the row, whichever it is.
      each.output.clear();
      result.results.emplace_back(std::move(each));
    }
    result.caveats = std::move(caveats_);
    add_some_rows_caveat(work_.rows, result.caveats);
    if (!sample_.complete()) {
      result.caveats.push_back({.id = "sampled-neighbors",
                                .severity = Severity::note,
                                .message = "neighbours are looked for among " + std::to_string(sample_.rows()) +
                                           " of " + std::to_string(sample_.available) + " rows, drawn at random",
                                .evidence = Value::object({{"rows", sample_.rows()}, {"available", sample_.available}}),
                                .advice = marked("raise {option:use_rows}; 0 looks at all rows")});
    }
    return result;
  }

  NeighborWork work_;
  RowSample sample_;
  TrueOutcomes truths_;
  OutcomeClasses outcomes_;
  std::vector<double> ranges_;  // per feature; 0: it does not vary
  std::vector<Examples> found_;
  std::vector<Caveat> caveats_;
};

Chain<Result> start(const MethodInput& input, const Value& given) {
  const auto options = read_options<NeighborsOptions>(given);
  if (input.features.empty()) throw Error(ErrorKind::data, "the model uses no feature by which rows could be alike");
  return rows_to_explain(input, options.rows, options.explain).then([input, options](const ExplainedRows& rows) {
    if (rows.ids.size() * static_cast<std::uint64_t>(options.neighbors) > most_shown) {
      throw Error(ErrorKind::usage, std::to_string(rows.ids.size()) + " rows have too many neighbours to be shown",
                  marked("name fewer {option:rows|rows}, or lower {option:neighbors}"));
    }
    // One row more costs nothing; those that are explained come with their values and predictions.
    return label_rows(input, 1, rows.ids).then([input, options, rows](const LabelledRows& found) {
      std::vector<std::uint32_t> columns = input.features;
      if (input.target && std::find(columns.begin(), columns.end(), *input.target) == columns.end())
        columns.push_back(*input.target);
      const NeighborWork work{.input = input, .options = options, .rows = rows, .explained = found.named};
      return draw_rows(input, columns, static_cast<std::uint64_t>(options.use_rows), neighbors_stream)
          .then([work](RowSample sample) {
            return NeighborFinder::result(std::make_shared<NeighborFinder>(work, std::move(sample)));
          });
    });
  });
}

}  // namespace

MethodEntry neighbors() {
  MethodEntry entry;
  entry.name = "neighbors";
  entry.alias = "nearest";
  entry.about = {.title = "Nearest rows", .short_name = "Neighbours", .family = Family::examples};
  entry.question = "Which rows of the data are most like this one, and what does the model say of them?";
  entry.when = "to see whether a prediction is that of similar rows, and how these turned out";
  entry.when_not = "distance has no meaning for the features as they are: what counts as alike decides everything";
  entry.formula = "d(x, z) = mean_j |x_j − z_j| / range_j, or 1 where levels differ; the k rows with the smallest d";
  entry.paper = "Gower 1971, A general coefficient of similarity and some of its properties";
  entry.scopes = {Scope::local};
  entry.results = {"examples"};
  entry.expresses = "rows of the data, how far they are, in what they differ, and what is predicted for them";
  entry.cost = "one prediction per neighbour; at the most rows × features distances per row";
  entry.access = Access::columns;
  entry.change = RowChange::none;
  entry.random = true;
  entry.options = describe_options<NeighborsOptions>();
  entry.start = start;
  return entry;
}

}  // namespace sightglass
