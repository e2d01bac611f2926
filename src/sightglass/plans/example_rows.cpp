#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/plans/example_rows_internal.h"

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

void add_errors(const Attributions& rows, const std::function<std::optional<double>(std::uint64_t)>& truth,
                Chosen& chosen) {
  std::vector<double> errors, truths;
  for (std::size_t k = 0; k < rows.rows.size(); ++k) {
    const auto known = truth(rows.rows[k]);
    errors.push_back(known ? rows.prediction[k] - *known : 0);
    truths.push_back(known.value_or(0));
  }
  const auto [least, most] = std::minmax_element(errors.begin(), errors.end());
  const auto add = [&](std::size_t index, const char* what) {
    chosen.add(index, fmt::format("{}, in truth {:.4g}", what, truths[index]));
  };
  if (*most > 0) add(static_cast<std::size_t>(most - errors.begin()), "most overestimated");
  if (*least < 0) add(static_cast<std::size_t>(least - errors.begin()), "most underestimated");
}

// How far an output is ahead of the next one: of margins and of probabilities alike the surer, the farther.
double lead(const std::vector<const Attributions*>& outputs, std::size_t output, std::size_t row) {
  double others = -INFINITY;
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    if (k != output) others = std::max(others, outputs[k]->prediction[row]);
  }
  return outputs[output]->prediction[row] - others;
}

}  // namespace

std::vector<ExampleRow> example_rows(const std::vector<const Attributions*>& outputs, std::size_t most,
                                     const std::function<std::optional<double>(std::uint64_t row)>& truth) {
  if (outputs.empty() || outputs[0]->rows.empty() || most == 0) return {};
  const Attributions& first = *outputs[0];
  Chosen chosen(first.rows, most);
  if (outputs.size() == 1) {
    const auto order = ascending(first.prediction);
    const auto at = [&](double share) {
      return order[static_cast<std::size_t>(std::lround(share * static_cast<double>(order.size() - 1)))];
    };
    const std::string among =
        first.rows.size() < first.total_rows ? fmt::format(" among {} rows", first.rows.size()) : std::string();
    chosen.add(order.back(), "highest prediction" + among);
    chosen.add(order.front(), "lowest prediction" + among);
    chosen.add(at(0.5), "median prediction");
    if (truth) add_errors(first, truth, chosen);
    chosen.add(at(0.9), "90 % of predictions are lower");
    chosen.add(at(0.1), "90 % of predictions are higher");
    chosen.add(at(0.75), "upper quartile of predictions");
    chosen.add(at(0.25), "lower quartile of predictions");
    return std::move(chosen).list();
  }
  // Of classes: where the model is surest of each, and least sure of all.
  std::vector<double> surest(first.rows.size(), -INFINITY);
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    std::vector<double> leads;
    for (std::size_t row = 0; row < first.rows.size(); ++row) {
      leads.push_back(lead(outputs, k, row));
      surest[row] = std::max(surest[row], leads[row]);
    }
    chosen.add(ascending(leads).back(), "surest of " + printable(outputs[k]->output, 60));
  }
  chosen.add(ascending(surest).front(), "least sure of any");
  return std::move(chosen).list();
}

std::optional<Result> examples_of(const Result& result, const std::vector<ExampleRow>& examples) {
  if (examples.empty()) return std::nullopt;
  Result found = result;
  found.results.clear();
  for (const ResultItem& item : result.results) {
    const auto* all = std::get_if<Attributions>(&item);
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
