#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/methods/losses/losses.h"
#include "sightglass/plans/report/example_rows_internal.h"
#include "sightglass/result/highest_output.h"

namespace sightglass {

namespace {

class Chosen {
 public:
  Chosen(const std::vector<std::uint64_t>& rows, std::size_t most) : rows_(rows), most_(most) {}

  // A row that is there for two reasons is there once.
  void add(std::size_t index, const std::string& why) {
    const std::uint64_t row = rows_[index];
    const auto known =
        std::find_if(list_.begin(), list_.end(), [&](const ExampleRow& other) { return other.row == row; });
    if (known != list_.end()) {
      known->why += ", " + why;
    } else if (list_.size() < most_) {
      list_.push_back({row, why});
    }
  }
  [[nodiscard]] std::vector<ExampleRow> list() && { return std::move(list_); }

 private:
  const std::vector<std::uint64_t>& rows_;
  std::size_t most_;
  std::vector<ExampleRow> list_;
};

std::vector<std::size_t> ascending(const std::vector<double>& numbers) {
  std::vector<std::size_t> order(numbers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return numbers[a] < numbers[b]; });
  return order;
}

// How far an output is ahead of the next one: of margins and of probabilities alike the surer, the farther.
double lead(const std::vector<const Attributions*>& outputs, std::size_t output, std::size_t row) {
  double others = -INFINITY;
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    if (k != output) others = std::max(others, outputs[k]->prediction[row]);
  }
  return outputs[output]->prediction[row] - others;
}

// "500 predictions" where not all rows are looked at.
std::string looked_at(const Attributions& rows, const char* things) {
  return rows.rows.size() < rows.total_rows ? fmt::format("{} {}", rows.rows.size(), things) : things;
}

void add_extremes(const Attributions& rows, const RowFacts& facts, Chosen& chosen) {
  auto order = ascending(rows.prediction);
  const auto weight = [&](std::size_t index) { return facts.weight ? facts.weight(rows.rows[index]) : 1.0; };
  std::erase_if(order, [&](std::size_t index) { return !(weight(index) > 0); });
  if (order.empty()) return;
  double total = 0;
  for (const auto index : order) total += weight(index);
  // The first of them up to which so much of the weight lies.
  const auto at = [&](double share) {
    double below = 0;
    for (const auto index : order) {
      below += weight(index);
      if (below >= share * total) return index;
    }
    return order.back();
  };
  const std::string all = looked_at(rows, "predictions");
  const bool some = rows.rows.size() < rows.total_rows;
  const auto of = [&](const std::string& what) { return some ? what + " of " + all : what + " prediction"; };
  chosen.add(order.back(), of("highest"));
  chosen.add(order.front(), of("lowest"));
  chosen.add(at(0.5), of("median"));
  if (facts.truth && facts.classes == 0) {
    std::vector<double> errors(rows.rows.size());
    for (const auto index : order)
      errors[index] = rows.prediction[index] - facts.truth(rows.rows[index]).value_or(rows.prediction[index]);
    const auto [least, most] = std::minmax_element(errors.begin(), errors.end());
    const auto add = [&](std::size_t index, const char* what) {
      chosen.add(index, fmt::format("{}{}, in truth {:.4g}", what, some ? " of " + looked_at(rows, "rows") : "",
                                    *facts.truth(rows.rows[index])));
    };
    if (*most > 0) add(static_cast<std::size_t>(most - errors.begin()), "most overestimated");
    if (*least < 0) add(static_cast<std::size_t>(least - errors.begin()), "most underestimated");
  }
  if (facts.truth && facts.classes == 2) {
    // Of one class, the prediction rises with its probability on either scale.
    const std::string name = rows.output == "prediction" ? "1" : printable(rows.output, 60);
    const std::string truths[] = {rows.output == "prediction" ? "0" : "not " + name, name};
    std::optional<std::size_t> found[2];
    for (const auto index : order) {
      const auto truth = facts.truth(rows.rows[index]);
      if (!truth) continue;
      auto& worst = found[*truth > 0 ? 1 : 0];
      // In the order of the predictions: the first row of the class, and the last that is not of it.
      if (!worst || *truth == 0) worst = index;
    }
    for (const int k : {0, 1}) {
      if (found[k])
        chosen.add(*found[k], fmt::format("{}{} where the truth is {}", k == 0 ? "highest" : "lowest",
                                          some ? " of " + all : " prediction", truths[k]));
    }
  }
  chosen.add(at(0.9), "90 % of " + all + " are lower");
  chosen.add(at(0.1), "90 % of " + all + " are higher");
  chosen.add(at(0.75), "upper quartile of " + all);
  chosen.add(at(0.25), "lower quartile of " + all);
}

// Where one class is farthest ahead, where two are closest, and where the true one is farthest behind.
void add_classes(const std::vector<const Attributions*>& outputs, const std::set<std::string>& hidden,
                 const RowFacts& facts, Chosen& chosen) {
  const Attributions& first = *outputs[0];
  const std::string of = first.rows.size() < first.total_rows ? " of " + looked_at(first, "rows") : std::string();
  // Rows without weight are no rows, and what is predicted to be of a hidden class could only be explained as
  // another one.
  std::vector<std::size_t> counted;
  for (std::size_t row = 0; row < first.rows.size(); ++row) {
    const bool has_weight = !facts.weight || facts.weight(first.rows[row]) > 0;
    if (has_weight && !hidden.contains(outputs[highest_output(outputs, row)]->output)) counted.push_back(row);
  }
  if (counted.empty()) return;
  // The last of equals, as a sorted list has it.
  const auto most = [&](const std::vector<double>& numbers) {
    return *std::max_element(counted.begin(), counted.end(), [&](std::size_t a, std::size_t b) {
      return numbers[a] != numbers[b] ? numbers[a] < numbers[b] : a < b;
    });
  };
  std::vector<double> closeness(first.rows.size(), INFINITY), behind(first.rows.size(), -INFINITY);
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    std::vector<double> leads(first.rows.size());
    for (const std::size_t row : counted) {
      leads[row] = lead(outputs, k, row);
      closeness[row] = std::min(closeness[row], -leads[row]);
      if (facts.truth && facts.classes == outputs.size() && facts.truth(first.rows[row]) == static_cast<double>(k))
        behind[row] = -leads[row];
    }
    // A class that is predicted nowhere is clear nowhere.
    const std::size_t clearest = most(leads);
    if (leads[clearest] >= 0 && !hidden.contains(outputs[k]->output))
      chosen.add(clearest, "clearest " + printable(outputs[k]->output, 60) + of);
  }
  const auto closest = std::max_element(counted.begin(), counted.end(),
                                        [&](std::size_t a, std::size_t b) { return closeness[a] < closeness[b]; });
  chosen.add(*closest, "closest call" + of);
  const std::size_t wrong = most(behind);
  if (!(behind[wrong] > 0)) return;
  const auto truth = static_cast<std::size_t>(*facts.truth(first.rows[wrong]));
  chosen.add(wrong, fmt::format("most clearly wrong{}, in truth {}", of, printable(outputs[truth]->output, 60)));
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
  facts.truth = [&table, target, outcome](std::uint64_t row) -> std::optional<double> {
    const double truth = outcome.truth(target.number(row - table.first_row()));
    return std::isfinite(truth) ? std::optional(truth) : std::nullopt;
  };
  return facts;
}

std::vector<ExampleRow> example_rows(const std::vector<const Attributions*>& outputs, std::size_t most,
                                     const RowFacts& facts, const std::set<std::string>& hidden) {
  if (outputs.empty() || outputs[0]->rows.empty() || most == 0) return {};
  Chosen chosen(outputs[0]->rows, most);
  if (outputs.size() == 1) {
    add_extremes(*outputs[0], facts, chosen);
  } else {
    add_classes(outputs, hidden, facts, chosen);
  }
  return std::move(chosen).list();
}

std::optional<Result> examples_of(const Result& result, const std::vector<ExampleRow>& examples) {
  if (examples.empty()) return std::nullopt;
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
    std::vector<std::string> why;
    for (std::size_t k = 0; k < all->rows.size(); ++k) {
      const auto known = std::find_if(examples.begin(), examples.end(),
                                      [&](const ExampleRow& example) { return example.row == all->rows[k]; });
      if (known == examples.end()) continue;
      some.rows.push_back(all->rows[k]);
      why.push_back(known->why);
      copy(all->prediction, k, 1, some.prediction);
      copy(all->values, k, width, some.values);
      copy(all->se, k, width, some.se);
      copy(all->data, k, width, some.data);
      copy(all->interactions, k, width * width, some.interactions);
    }
    some.details.set("why", why);
    found.results.emplace_back(std::move(some));
  }
  return found;
}

}  // namespace sightglass
