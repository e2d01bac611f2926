#include "sightglass/methods/local/lime/shown_pick.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "sightglass/result/shapes/examples.h"

namespace sightglass {

namespace {

constexpr std::size_t listed_uncovered = 20, listed_attributions = 3;

// One that a row's terms give something to.
struct Component {
  std::string name, output;
};

std::vector<Contribution> largest_terms(const ShownPick& shown, std::size_t row) {
  std::vector<Contribution> list;
  for (const PickTerm& term : shown.rows[row].terms)
    list.push_back({.feature = shown.feature_name(row, term), .value = term.value});
  std::stable_sort(list.begin(), list.end(),
                   [](const Contribution& a, const Contribution& b) { return std::abs(a.value) > std::abs(b.value); });
  if (list.size() > listed_attributions) list.resize(listed_attributions);
  return list;
}

}  // namespace

Value row_values(const MethodInput& input, const LabelledRow& row, std::size_t but) {
  Value data = Value::object();
  for (std::size_t j = 0; j < row.values.size(); ++j) {
    if (j == but) continue;
    const ColumnInfo& info = input.schema[input.features[j]];
    const double value = row.values[j];
    if (std::isnan(value)) {
      data.set(info.name, Value());
    } else if (info.has_levels()) {
      data.set(info.name, info.level(static_cast<std::size_t>(value)));
    } else {
      data.set(info.name, value);
    }
  }
  return data;
}

std::vector<std::size_t> add_pick(const ShownPick& shown, std::size_t budget, Result& result) {
  const std::size_t outputs = shown.input->explained.size(), rows = shown.rows.size();
  const auto output_name = [&](std::size_t k) { return shown.input->outputs[shown.input->explained[k]]; };
  const std::string only_output = outputs == 1 ? output_name(0) : std::string();
  std::map<std::tuple<std::size_t, std::size_t, std::size_t>, std::size_t> known;
  std::vector<Component> components;
  std::vector<std::vector<Covered>> covers(rows);
  std::vector<double> counts;
  for (std::size_t i = 0; i < rows; ++i) {
    counts.push_back(shown.rows[i].count);
    for (const PickTerm& term : shown.rows[i].terms) {
      const auto [place, added] = known.try_emplace({term.output, term.feature, term.cell}, known.size());
      if (added) components.push_back({shown.term_name(i, term), output_name(term.output)});
      covers[i].push_back({place->second, term.value});
    }
  }
  const Pick pick = pick_rows(covers, counts, components.size(), budget);
  Examples picked{.output = only_output, .group = {}};
  picked.role = ExampleRole::picked;
  picked.measure = "coverage gained";
  picked.objective = "coverage";
  picked.features = shown.features;
  double reached = 0;
  for (std::size_t at = 0; at < pick.rows.size(); ++at) {
    const PickRow& row = shown.rows[pick.rows[at]];
    reached += pick.gains[at];
    Example& example = picked.rows.emplace_back();
    example.row = row.row;
    example.data = shown.data(pick.rows[at]);
    example.score = pick.gains[at] / pick.total;
    example.objective = std::min(1.0, reached / pick.total);
    if (outputs > 1) continue;
    example.prediction = row.prediction;
    example.attributions = largest_terms(shown, pick.rows[at]);
  }
  std::vector<std::size_t> uncovered;
  for (std::size_t c = 0; c < pick.importance.size(); ++c) {
    if (!pick.covered[c] && pick.importance[c] > 0) uncovered.push_back(c);
  }
  std::stable_sort(uncovered.begin(), uncovered.end(),
                   [&](std::size_t a, std::size_t b) { return pick.importance[a] > pick.importance[b]; });
  Value left = Value::array();
  for (std::size_t i = 0; i < std::min(uncovered.size(), listed_uncovered); ++i) {
    left.push_back(Value::object({{"term", components[uncovered[i]].name},
                                  {"output", components[uncovered[i]].output},
                                  {"share", pick.importance[uncovered[i]] / pick.total}}));
  }
  const double share = pick.total > 0 ? std::min(1.0, reached / pick.total) : 1;
  picked.details.set("candidates", rows)
      .set("terms", components.size())
      .set("coverage", share)
      .set("uncovered_terms", uncovered.size())
      .set("uncovered", left);
  result.results.emplace_back(std::move(picked));
  std::string meaning = "importance of the terms that the picked rows show, as a share of that of all terms";
  if (!uncovered.empty())
    meaning += "; largest of the " + std::to_string(uncovered.size()) + " terms left: " + components[uncovered[0]].name;
  result.results.emplace_back(Figure{.name = "covered by the picked rows",
                                     .id = "pick-coverage",
                                     .output = only_output,
                                     .group = {},
                                     .value = share,
                                     .se = std::nullopt,
                                     .meaning = std::move(meaning)});
  return pick.rows;
}

}  // namespace sightglass
