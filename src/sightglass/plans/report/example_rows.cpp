#include <algorithm>
#include <cmath>
#include <span>

#include "sightglass/base/error.h"
#include "sightglass/methods/losses/losses.h"
#include "sightglass/methods/rows/predicted_class.h"
#include "sightglass/plans/report/example_rows_internal.h"

namespace sightglass {

namespace {

// Of each kind of error, so many rows.
constexpr std::size_t errors_of_a_kind = 2, wrong_classes = 3;

class Chosen {
 public:
  Chosen(const RowPredictions& predictions, const RowFacts& facts, std::size_t most)
      : predictions_(predictions), facts_(facts), most_(most) {
    // Which rows of how many, where not all are looked at.
    if (predictions.rows.size() < predictions.total_rows)
      of_ = " of " + std::to_string(predictions.rows.size()) + " rows";
  }

  // A row that is there for two reasons is there once.
  void add(std::size_t index, const std::string& what) {
    const std::uint64_t row = predictions_.rows[index];
    const auto known =
        std::find_if(list_.begin(), list_.end(), [&](const ExampleRow& other) { return other.row == row; });
    if (known != list_.end()) {
      known->why += ", " + what + of_;
    } else if (list_.size() < most_) {
      list_.push_back({row, what + of_, shown_truth(row)});
    }
  }
  // Those with the largest numbers, largest first, the first of equals: "most overestimated", "2nd most overestimated".
  // Numbers that are not positive count for nothing.
  void add_largest(const std::vector<std::size_t>& among, const std::vector<double>& numbers, std::size_t count,
                   const std::string& what) {
    std::vector<std::size_t> order;
    for (const std::size_t index : among) {
      if (numbers[index] > 0) order.push_back(index);
    }
    const std::size_t kept = std::min(count, order.size());
    std::partial_sort(
        order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept), order.end(),
        [&](std::size_t a, std::size_t b) { return numbers[a] != numbers[b] ? numbers[a] > numbers[b] : a < b; });
    static constexpr const char* ranks[] = {"", "2nd ", "3rd "};
    for (std::size_t i = 0; i < kept; ++i) add(order[i], ranks[i] + what);
  }
  [[nodiscard]] std::vector<ExampleRow> list() && { return std::move(list_); }

 private:
  [[nodiscard]] Value shown_truth(std::uint64_t row) const {
    if (!facts_.truth) return {};
    const auto truth = facts_.truth(row);
    if (!truth) return {};
    if (facts_.classes == 0) return *truth;
    const auto place = static_cast<std::size_t>(*truth);
    return place < facts_.class_names.size() ? Value(facts_.class_names[place]) : Value();
  }

  const RowPredictions& predictions_;
  const RowFacts& facts_;
  std::size_t most_;
  std::string of_;
  std::vector<ExampleRow> list_;
};

double weight_of(const RowFacts& facts, std::uint64_t row) { return facts.weight ? facts.weight(row) : 1.0; }

// By one number per row: which of the rows (some of all) has it in the middle, by weight. Throws where there are none.
std::size_t middle_of(std::vector<std::size_t> among, const std::vector<double>& numbers, const RowPredictions& all,
                      const RowFacts& facts) {
  std::stable_sort(among.begin(), among.end(), [&](std::size_t a, std::size_t b) { return numbers[a] < numbers[b]; });
  double total = 0, below = 0;
  for (const auto index : among) total += weight_of(facts, all.rows[index]);
  for (const auto index : among) {
    below += weight_of(facts, all.rows[index]);
    if (below >= total / 2) return index;
  }
  return among.back();
}

// Numbers, and two classes of which one is predicted.
void add_extremes(const RowPredictions& all, const std::vector<std::size_t>& among, std::size_t output,
                  const RowFacts& facts, Chosen& chosen) {
  std::vector<double> prediction(all.rows.size()), over(all.rows.size()), under(all.rows.size());
  for (const auto index : among) prediction[index] = all.at(index, output);
  const bool compares = facts.truth && facts.classes == (all.classes ? 2U : 0U);
  for (const auto index : among) {
    const auto truth = compares ? facts.truth(all.rows[index]) : std::nullopt;
    if (!truth) continue;
    if (!all.classes) {
      over[index] = prediction[index] - *truth;
      under[index] = -over[index];
    } else {
      (*truth > 0 ? under : over)[index] = *truth > 0 ? 1 - prediction[index] : prediction[index];
    }
  }
  if (all.classes && compares) {
    const auto truth = [&](std::size_t place) {
      return " where the truth is " + printable(facts.class_names[place], 60);
    };
    chosen.add_largest(among, over, errors_of_a_kind, "highest prediction" + truth(0));
    chosen.add_largest(among, under, errors_of_a_kind, "lowest prediction" + truth(1));
  } else {
    chosen.add_largest(among, over, errors_of_a_kind, "most overestimated");
    chosen.add_largest(among, under, errors_of_a_kind, "most underestimated");
  }
  if (all.classes) {
    const auto away = [&](std::size_t index) { return std::abs(prediction[index] - 0.5); };
    chosen.add(
        *std::min_element(among.begin(), among.end(), [&](std::size_t a, std::size_t b) { return away(a) < away(b); }),
        "closest to 50 %");
  }
  const auto less = [&](std::size_t a, std::size_t b) { return prediction[a] < prediction[b]; };
  chosen.add(*std::max_element(among.begin(), among.end(), less), "highest prediction");
  chosen.add(*std::min_element(among.begin(), among.end(), less), "lowest prediction");
  chosen.add(middle_of(among, prediction, all, facts), "typical (the median prediction)");
}

// Where the true class is farthest behind, where two are closest, and where each is farthest ahead.
void add_classes(const RowPredictions& all, const std::vector<std::size_t>& used, const std::set<std::string>& hidden,
                 const RowFacts& facts, Chosen& chosen) {
  const std::size_t outputs = all.outputs.size();
  // What is predicted to be of a hidden class could only be explained as another one.
  std::vector<std::size_t> among, highest(all.rows.size());
  std::vector<double> lead(all.rows.size()), behind(all.rows.size());
  for (const auto index : used) {
    const auto row = std::span(all.values).subspan(index * outputs, outputs);
    const auto top = static_cast<std::size_t>(std::max_element(row.begin(), row.end()) - row.begin());
    if (hidden.contains(all.outputs[top])) continue;
    among.push_back(index);
    highest[index] = top;
    double next = -INFINITY;
    for (std::size_t k = 0; k < outputs; ++k) {
      if (k != top) next = std::max(next, row[k]);
    }
    lead[index] = row[top] - next;
    const auto truth = facts.truth && facts.classes == outputs ? facts.truth(all.rows[index]) : std::nullopt;
    if (truth) behind[index] = row[top] - row[static_cast<std::size_t>(*truth)];
  }
  if (among.empty()) return;
  chosen.add_largest(among, behind, wrong_classes, "most clearly wrong");
  const auto less = [&](std::size_t a, std::size_t b) { return lead[a] < lead[b]; };
  chosen.add(*std::min_element(among.begin(), among.end(), less), "closest call");
  for (std::size_t k = 0; k < outputs; ++k) {
    std::vector<std::size_t> of_class;
    for (const auto index : among) {
      if (highest[index] == k) of_class.push_back(index);
    }
    if (of_class.empty()) continue;
    chosen.add(*std::max_element(of_class.begin(), of_class.end(), less), "clearest " + printable(all.outputs[k], 60));
  }
  chosen.add(middle_of(among, lead, all, facts), "typical (half of the rows are clearer)");
}

// One text or number of each row's, under a name of the details.
void set_detail(Attributions& item, const char* name, const std::vector<ExampleRow>& examples,
                const std::function<Value(const ExampleRow&, std::size_t place)>& of) {
  Value list = Value::array();
  for (const std::uint64_t row : item.rows) {
    const auto known =
        std::find_if(examples.begin(), examples.end(), [&](const ExampleRow& example) { return example.row == row; });
    list.push_back(known == examples.end() ? Value() : of(*known, static_cast<std::size_t>(known - examples.begin())));
  }
  item.details.set(name, std::move(list));
}

}  // namespace

RowFacts row_facts(const Table& table, const Source& used, const MethodInput& input) {
  RowFacts facts;
  if (const auto weights = table.weight_column()) {
    facts.weight = [&table, weights](std::uint64_t row) {
      return table.column(*weights).number(row - table.first_row());
    };
  }
  if (!input.target) return facts;
  const ColumnView target = table.column(*input.target);
  if (input.task == Task::regression) {
    if (table.schema()[*input.target].is_categorical()) return facts;
    facts.truth = [&table, target](std::uint64_t row) -> std::optional<double> {
      const double truth = target.number(row - table.first_row());
      return std::isfinite(truth) ? std::optional(truth) : std::nullopt;
    };
    return facts;
  }
  // Only rows that are used need a class that the model knows.
  std::vector<double> values;
  const auto stream = used.open(std::vector<std::uint32_t>{*input.target}, 65536);
  while (const auto block = stream->next()) {
    for (std::size_t row = 0; row < block->rows; ++row) values.push_back(block->columns[*input.target].number(row));
  }
  const Outcome outcome(input, true, std::move(values));
  facts.classes = outcome.classes();
  if (facts.classes == input.outputs.size() && facts.classes > 1) {
    facts.class_names = input.outputs;
  } else if (input.outputs.size() == 1) {
    facts.class_names = PredictedClass(input).names();
  } else if (!outcome.output_name().empty()) {
    facts.class_names = {"not " + outcome.output_name(), outcome.output_name()};
  }
  facts.truth = [&table, target, outcome](std::uint64_t row) -> std::optional<double> {
    const double truth = outcome.truth(target.number(row - table.first_row()));
    return std::isfinite(truth) ? std::optional(truth) : std::nullopt;
  };
  return facts;
}

RowPredictions row_predictions(const RunSession& session) {
  const MethodInput& input = session.input();
  RowPredictions found{.classes = input.task != Task::regression};
  for (const std::size_t k : input.explained) found.outputs.push_back(input.outputs[k]);
  Evaluator& evaluator = session.evaluator();
  Matrix predictions;
  const auto stream = session.rows().open(evaluator.columns(), static_cast<std::size_t>(session.options().batch));
  while (const auto block = stream->next()) {
    evaluator.evaluate(*block, predictions);
    for (std::size_t row = 0; row < block->rows; ++row) {
      found.rows.push_back(block->row_id(row));
      for (const std::size_t k : input.explained) found.values.push_back(predictions(row, k));
    }
  }
  found.total_rows = found.rows.size();
  return found;
}

std::vector<ExampleRow> example_rows(const RowPredictions& predictions, std::size_t most, const RowFacts& facts,
                                     const std::set<std::string>& hidden) {
  // Rows without weight are no rows, and predictions that are no numbers cannot be compared.
  std::vector<std::size_t> among;
  const std::size_t outputs = predictions.outputs.size();
  for (std::size_t index = 0; index < predictions.rows.size(); ++index) {
    const auto row = std::span(predictions.values).subspan(index * outputs, outputs);
    const bool numbers = std::none_of(row.begin(), row.end(), [](double value) { return std::isnan(value); });
    if (numbers && weight_of(facts, predictions.rows[index]) > 0) among.push_back(index);
  }
  if (among.empty() || outputs == 0 || most == 0) return {};
  Chosen chosen(predictions, facts, most);
  if (predictions.classes && outputs > 1) {
    add_classes(predictions, among, hidden, facts, chosen);
    return std::move(chosen).list();
  }
  // Numbers that are not shown have nothing to do with the others; of several the first is looked at.
  for (std::size_t k = 0; k < outputs; ++k) {
    if (hidden.contains(predictions.outputs[k])) continue;
    add_extremes(predictions, among, k, facts, chosen);
    break;
  }
  return std::move(chosen).list();
}

void tell_examples(Result& result, const std::vector<ExampleRow>& examples) {
  const bool any_truth =
      std::any_of(examples.begin(), examples.end(), [](const ExampleRow& each) { return !each.truth.is_null(); });
  for (ResultItem& item : result.results) {
    auto* rows = item.as<Attributions>();
    if (rows == nullptr) continue;
    set_detail(*rows, "why", examples, [](const ExampleRow& each, std::size_t) -> Value { return each.why; });
    set_detail(*rows, "place", examples,
               [](const ExampleRow&, std::size_t place) -> Value { return static_cast<std::uint64_t>(place); });
    if (any_truth) set_detail(*rows, "truth", examples, [](const ExampleRow& each, std::size_t) { return each.truth; });
  }
}

std::optional<Result> examples_of(const Result& result, const std::vector<ExampleRow>& examples) {
  if (examples.empty()) return std::nullopt;
  for (const ResultItem& item : result.results) {
    const auto* all = item.as<Attributions>();
    const auto is_there = [&](const ExampleRow& example) {
      return std::binary_search(all->rows.begin(), all->rows.end(), example.row);
    };
    if (all != nullptr && !std::all_of(examples.begin(), examples.end(), is_there)) return std::nullopt;
  }
  Result found = result;
  found.results.clear();
  Value rows = Value::array();
  for (const ExampleRow& example : examples) rows.push_back(Value(example.row));
  found.options.set("rows", rows);
  for (const ResultItem& item : result.results) {
    const auto* all = item.as<Attributions>();
    if (all == nullptr) continue;
    Attributions some = *all;
    some.rows.clear();
    some.prediction.clear();
    some.values.clear();
    some.se.clear();
    some.data.clear();
    some.interactions.clear();
    const std::size_t width = all->features.size();
    const auto copy = [](const std::vector<double>& from, std::size_t row, std::size_t size, std::vector<double>& to) {
      if (from.empty()) return;
      const auto begin = from.begin() + static_cast<std::ptrdiff_t>(row * size);
      to.insert(to.end(), begin, begin + static_cast<std::ptrdiff_t>(size));
    };
    for (std::size_t k = 0; k < all->rows.size(); ++k) {
      const auto known = std::find_if(examples.begin(), examples.end(),
                                      [&](const ExampleRow& example) { return example.row == all->rows[k]; });
      if (known == examples.end()) continue;
      some.rows.push_back(all->rows[k]);
      copy(all->prediction, k, 1, some.prediction);
      copy(all->values, k, width, some.values);
      copy(all->se, k, width, some.se);
      copy(all->data, k, width, some.data);
      copy(all->interactions, k, width * width, some.interactions);
    }
    found.results.emplace_back(std::move(some));
  }
  tell_examples(found, examples);
  return found;
}

}  // namespace sightglass
