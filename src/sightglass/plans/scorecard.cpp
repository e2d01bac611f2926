#include "sightglass/plans/scorecard.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "sightglass/base/error.h"
#include "sightglass/plans/explain.h"
#include "sightglass/plans/method_advice.h"
#include "sightglass/plans/plan_session.h"
#include "sightglass/plans/scorecard/coalition_fidelity.h"
#include "sightglass/plans/scorecard/row_explanation.h"
#include "sightglass/result/shapes/examples.h"
#include "sightglass/result/shapes/scorecard.h"

namespace sightglass {

namespace {

constexpr std::size_t most_scored_rows = 30;
constexpr std::int64_t compared_rows = 200;  // by which it is told how usual a row's distance to others is

using Explanations = std::vector<RowExplanation>;
using RowNumbers = std::vector<std::int64_t>;

// A row and those that are most like it.
struct Nearest {
  std::uint64_t row = 0;
  std::string predicted;  // its class; empty of numbers
  std::vector<Example> rows;

  [[nodiscard]] double distance() const { return rows.empty() ? 0 : rows.back().score.value_or(0); }
};

std::vector<Nearest> nearest_of(const Result& result) {
  std::vector<Nearest> list;
  for (const ResultItem& item : result.results) {
    const auto* near = item.as<Examples>();
    if (near == nullptr || !near->of_row) continue;
    const Value* predicted = near->details.find("own_predicted");
    list.push_back({.row = *near->of_row,
                    .predicted = predicted != nullptr ? predicted->as_string() : std::string(),
                    .rows = near->rows});
  }
  return list;
}

const RowExplanation* find(const Explanations& all, std::uint64_t row, const std::string& output) {
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const RowExplanation& told) { return told.row == row && told.output == output; });
  return found != all.end() ? &*found : nullptr;
}

// What one method says of the rows and of their neighbours.
struct Judged {
  std::string method, title;
  Explanations explained, near;
  Explanations of_other = {};  // of the second model, of all these rows
};

// A number per row, of which the mean is told, with the least and the most.
class Scores {
 public:
  void add(const std::optional<double>& value) {
    if (value && std::isfinite(*value)) values_.push_back(*value);
  }
  void tell(const Judged& judged, const char* quality, std::vector<Score>& scores) const {
    if (values_.empty()) return;
    Score& score = scores.emplace_back(Score{.subject = judged.method, .title = judged.title, .quality = quality});
    for (const double value : values_) score.value += value / static_cast<double>(values_.size());
    if (values_.size() < 2) return;
    score.low = *std::min_element(values_.begin(), values_.end());
    score.high = *std::max_element(values_.begin(), values_.end());
  }

 private:
  std::vector<double> values_;
};

// What two models say of the same rows.
struct TwoModels {
  std::set<std::uint64_t> same;     // rows of the same class; of numbers all
  std::optional<double> agreement;  // share of these, or R² of the second model for the first
};

class Card {
 public:
  Card(std::string output, bool classes, const std::vector<Nearest>& nearest, const std::vector<Nearest>& others,
       const std::vector<Judged>& judged, const TwoModels& models)
      : output_(std::move(output)),
        classes_(classes),
        nearest_(nearest),
        others_(others),
        judged_(judged),
        models_(models) {}

  [[nodiscard]] Scorecard made() const {
    Scorecard card{.name = "Scorecard of explanations", .output = output_, .group = {}, .measure = {}};
    const auto each = [&](const char* quality, const auto& value) {
      for (const Judged& judged : judged_) {
        Scores scores;
        for (const RowExplanation& told : judged.explained) {
          if (told.output == output_) scores.add(value(judged, told));
        }
        scores.tell(judged, quality, card.scores);
      }
    };
    each("fidelity-local", [](const Judged&, const RowExplanation& told) { return told.near; });
    each("fidelity-perturbed", [](const Judged&, const RowExplanation& told) { return told.far; });
    for (const Judged& judged : judged_) accuracy(judged).tell(judged, "accuracy-near", card.scores);
    each("stability-near", [&](const Judged& judged, const RowExplanation& told) { return stability(judged, told); });
    for (const Judged& judged : judged_) consistency(judged).tell(judged, "consistency-models", card.scores);
    for (const Judged& judged : judged_) agreement(judged).tell(judged, "agreement-models", card.scores);
    each("parts", [](const Judged&, const RowExplanation& told) {
      return std::optional(static_cast<double>(told.parts.size()));
    });
    each("doubt", [](const Judged&, const RowExplanation& told) { return told.doubt; });
    each("largest-part", [](const Judged&, const RowExplanation& told) { return largest_part(told); });
    each("novelty", [&](const Judged&, const RowExplanation& told) { return novelty(told.row); });
    each("coverage", [](const Judged&, const RowExplanation& told) { return told.covers; });
    return card;
  }

 private:
  [[nodiscard]] const Nearest* around(std::uint64_t row) const {
    const auto found =
        std::find_if(nearest_.begin(), nearest_.end(), [&](const Nearest& near) { return near.row == row; });
    return found != nearest_.end() ? &*found : nullptr;
  }

  // A row of another class is explained as that: it is no similar one.
  [[nodiscard]] std::optional<double> stability(const Judged& judged, const RowExplanation& told) const {
    const Nearest* near = around(told.row);
    double sum = 0, count = 0;
    for (const Example& example : near != nullptr ? near->rows : std::vector<Example>()) {
      if (example.predicted_class != near->predicted) continue;
      const RowExplanation* other = find(judged.near, example.row, output_);
      if (other == nullptr) other = find(judged.explained, example.row, output_);
      if (other == nullptr) continue;
      sum += likeness(told, *other);
      ++count;
    }
    return count > 0 ? std::optional(sum / count) : std::nullopt;
  }

  [[nodiscard]] static std::optional<double> largest_part(const RowExplanation& told) {
    if (!told.weighed || told.parts.empty()) return std::nullopt;
    double largest = 0, sum = 0;
    for (const auto& [name, size] : told.parts) {
      largest = std::max(largest, std::abs(size));
      sum += std::abs(size);
    }
    return largest / sum;
  }

  // Share of rows of the data that are nearer to others than this one.
  [[nodiscard]] std::optional<double> novelty(std::uint64_t row) const {
    const Nearest* near = around(row);
    if (near == nullptr || near->rows.empty() || others_.empty()) return std::nullopt;
    const auto nearer = std::count_if(others_.begin(), others_.end(),
                                      [&](const Nearest& other) { return other.distance() < near->distance(); });
    return static_cast<double>(nearer) / static_cast<double>(others_.size());
  }

  // Of what explanations say of their own rows, over the nearest ones, whose outcome is known: the share of right
  // classes, or R².
  [[nodiscard]] Scores accuracy(const Judged& judged) const {
    Scores scores;
    std::vector<double> said, truth;
    for (const Nearest& near : nearest_) {
      for (const Example& example : near.rows) {
        const RowExplanation* told = find(judged.near, example.row, output_);
        if (told == nullptr || !example.error) continue;
        if (classes_) {
          const bool other_is_right =
              told->said_class.empty() ? *example.error != 0 : told->said_class == example.own_class;
          scores.add(told->same_class ? 1 - *example.error : other_is_right ? 1 : 0);
        } else if (told->said && example.target) {
          said.push_back(*told->said);
          truth.push_back(*example.target);
        }
      }
    }
    if (classes_ || truth.size() < 2) return scores;
    double mean = 0, off = 0, all = 0;
    for (const double value : truth) mean += value / static_cast<double>(truth.size());
    for (std::size_t i = 0; i < truth.size(); ++i) {
      off += (said[i] - truth[i]) * (said[i] - truth[i]);
      all += (truth[i] - mean) * (truth[i] - mean);
    }
    if (all > 0) scores.add(1 - off / all);
    return scores;
  }

  // Models that say different things of a row should be explained differently.
  [[nodiscard]] Scores consistency(const Judged& judged) const {
    Scores scores;
    for (const Explanations* of : {&judged.explained, &judged.near}) {
      for (const RowExplanation& told : *of) {
        if (told.output != output_ || !models_.same.contains(told.row)) continue;
        if (const RowExplanation* other = find(judged.of_other, told.row, output_)) scores.add(likeness(told, *other));
      }
    }
    return scores;
  }
  [[nodiscard]] Scores agreement(const Judged& judged) const {
    Scores scores;
    if (!judged.of_other.empty()) scores.add(models_.agreement);
    return scores;
  }

  std::string output_;
  bool classes_;
  const std::vector<Nearest>& nearest_;
  const std::vector<Nearest>& others_;
  const std::vector<Judged>& judged_;
  const TwoModels& models_;
};

// Of these, what the method understands besides the rows.
Value options_of(const MethodEntry& method, const ScorecardOptions& options, const RowNumbers& rows) {
  Value own = Value::object({{"rows", rows}});
  const Value all = write_options(options);
  for (const auto& [name, value] : all.as_object()) {
    const bool told = !value.is_null() && value != Value(std::string());
    const OptionSpec* spec = find_option(method.options, name);
    if (told && spec != nullptr && spec->type != OptionType::rows && spec->type != OptionType::model)
      own.set(name, value);
  }
  return own;
}

void check(const ScorecardOptions& options) {
  if (options.rows.empty())
    throw Error(ErrorKind::usage, "whose explanations are to be judged?",
                marked("name a row with {the option:rows}, counted from 0"));
  const bool changes_judged =
      options.of.empty() || std::find(options.of.begin(), options.of.end(), "counterfactuals") != options.of.end();
  if (!changes_judged && (!options.want.empty() || options.at_least || options.at_most || options.change))
    throw Error(ErrorKind::usage, "what is wanted of another row is said, and counterfactuals are not judged",
                marked("leave it out, or add counterfactuals to {option:of}"));
  if (options.rows.size() > most_scored_rows)
    throw Error(ErrorKind::usage,
                std::to_string(options.rows.size()) + " rows are too many for a scorecard, which is about " +
                    std::to_string(most_scored_rows) + " at the most",
                marked("name fewer {option:rows|rows}"));
}

RowNumbers rows_near(const std::vector<Nearest>& nearest, const RowNumbers& explained) {
  std::set<std::int64_t> rows;
  for (const Nearest& near : nearest) {
    for (const Example& example : near.rows) rows.insert(static_cast<std::int64_t>(example.row));
  }
  for (const std::int64_t row : explained) rows.erase(row);
  return {rows.begin(), rows.end()};
}

// What a model says of rows: of each its class, or its number.
std::map<std::uint64_t, std::pair<std::string, double>> answers(const Result& neighbors) {
  std::map<std::uint64_t, std::pair<std::string, double>> found;
  for (const ResultItem& item : neighbors.results) {
    const auto* near = item.as<Examples>();
    if (near == nullptr || !near->of_row) continue;
    const Value *predicted = near->details.find("own_predicted"), *number = near->details.find("own_prediction");
    found[*near->of_row] = {predicted != nullptr ? predicted->as_string() : std::string(), number->as_number()};
  }
  return found;
}

// R² of the second model's predictions for the first's; below 0: the mean says more.
double r_squared(const std::vector<std::pair<double, double>>& pairs) {
  double mean = 0, off = 0, all = 0;
  for (const auto& [first, second] : pairs) mean += first / static_cast<double>(pairs.size());
  for (const auto& [first, second] : pairs) {
    off += (first - second) * (first - second);
    all += (first - mean) * (first - mean);
  }
  if (!(all > 0)) return off > 0 ? 0 : 1;
  return 1 - off / all;
}

TwoModels two_models(const SessionPlanInput& input, const RowNumbers& rows, bool classes) {
  TwoModels models;
  if (!input.run_other) return models;
  const Value options = Value::object({{"rows", rows}, {"neighbors", 1}});
  const auto of_first = answers(input.session->run(find_method("neighbors"), options, input.scale));
  const auto of_second = answers(input.run_other("neighbors", options));
  std::vector<std::pair<double, double>> numbers;
  for (const auto& [row, answer] : of_first) {
    const auto other = of_second.find(row);
    if (other == of_second.end()) continue;
    numbers.emplace_back(answer.second, other->second.second);
    if (answer.first == other->second.first) models.same.insert(row);
  }
  if (numbers.empty()) return models;
  models.agreement =
      classes ? static_cast<double>(models.same.size()) / static_cast<double>(numbers.size()) : r_squared(numbers);
  return models;
}

// Shapley values say nothing about other rows, but a lot about what is not known of this one.
void add_coalition_fidelity(const RunSession& session, const Result& values, Explanations& explained) {
  const auto asked = coalition_fidelity(session, values);
  for (RowExplanation& told : explained) {
    const auto found = asked.find({told.row, told.predicted_output});
    if (found == asked.end()) continue;
    told.near = found->second.near;
    told.far = found->second.far;
  }
}

// What a method says of the rows, told to people; of their neighbours it is only counted.
Judged judge(const SessionPlanInput& input, const std::string& method, const ScorecardOptions& options,
             const RowNumbers& near, bool classes) {
  const MethodEntry& entry = find_method(method);
  const RunSession& session = *input.session;
  Judged judged{.method = method, .title = entry.about.short_name.empty() ? entry.about.title : entry.about.short_name};
  const Result own = input.run(method, options_of(entry, options, options.rows));
  judged.explained = row_explanations(own, classes);
  add_coalition_fidelity(session, own, judged.explained);
  if (!near.empty()) {
    const Result others = session.run(entry, options_of(entry, options, near), session.options().scale);
    judged.near = row_explanations(others, classes);
  }
  if (input.run_other) {
    RowNumbers all = options.rows;
    all.insert(all.end(), near.begin(), near.end());
    judged.of_other = row_explanations(input.run_other(method, options_of(entry, options, all)), classes);
  }
  // Before a link, numbers are no outcomes.
  const Value* scale = own.options.find("scale");
  if (!classes && scale != nullptr && scale->is_string() && scale->as_string() == "margin") {
    for (RowExplanation& told : judged.near) told.said.reset();
  }
  return judged;
}

Caveat left_out(const std::string& method, const Error& error) {
  std::vector<OptionSpec> at_hand = shared_options();
  for (OptionSpec& spec : describe_options<ScorecardOptions>()) at_hand.push_back(std::move(spec));
  return {.id = "part-left-out",
          .severity = Severity::note,
          .message = find_method(method).about.title + " is left out: " + error.message_text(),
          .evidence = Value::object({{"method", method}}),
          .advice = advice_within(at_hand, error.advice_text(), find_method(method))};
}

Result plan_scorecard(const PlanInput& plain, const Value& given) {
  const auto& input = static_cast<const SessionPlanInput&>(plain);
  const auto options = read_options<ScorecardOptions>(given);
  check(options);
  const RunSession& session = *input.session;
  const bool classes = session.input().task != Task::regression;
  const std::vector<Nearest> nearest =
      nearest_of(input.run("neighbors", Value::object({{"rows", options.rows}, {"neighbors", options.neighbors}})));
  const std::vector<Nearest> others = nearest_of(
      session.run(find_method("neighbors"),
                  Value::object({{"explain", compared_rows}, {"neighbors", options.neighbors}}), input.scale));
  const RowNumbers near = rows_near(nearest, options.rows);

  Result result;
  std::vector<Judged> all;
  const std::vector<std::string> every = {"lime", "shap", "anchors", "counterfactuals"};
  for (const std::string& method : options.of.empty() ? every : options.of) {
    try {
      all.push_back(judge(input, method, options, near, classes));
    } catch (const Error& error) {
      const bool of_the_method = error.kind() == ErrorKind::usage || error.kind() == ErrorKind::data;
      const bool asked_for = options_of(find_method(method), options, {}).as_object().size() > 1;
      if (!options.of.empty() || asked_for || !of_the_method) throw;
      result.caveats.push_back(left_out(method, error));
    }
  }
  RowNumbers rows = options.rows;
  rows.insert(rows.end(), near.begin(), near.end());
  const TwoModels models = two_models(input, rows, classes);
  std::vector<std::string> outputs;
  for (const Judged& judged : all) {
    for (const RowExplanation& told : judged.explained) {
      if (std::find(outputs.begin(), outputs.end(), told.output) == outputs.end()) outputs.push_back(told.output);
    }
  }
  for (const std::string& output : outputs)
    result.results.emplace_back(Card(output, classes, nearest, others, all, models).made());
  return result;
}

}  // namespace

MethodEntry scorecard() {
  return {
      .name = "scorecard",
      .alias = "",
      .about = {.title = "Scorecard of explanations", .short_name = "", .family = Family::local},
      .question = "How good are the explanations of these rows?",
      .when = "before an explanation of a single prediction is believed, shown to somebody, or preferred to another",
      .when_not = "to explain anything: it judges explanations and does not show them",
      .formula =
          "likeness of two explanations: Σ min / Σ max of the shares of their parts; docs/scorecard.md has the others",
      .paper = "Robnik-Šikonja & Bohanec 2018, Perturbation-based explanations of prediction models",
      .scopes = {Scope::local},
      .results = {"scorecard"},
      .expresses =
          "fidelity, accuracy, stability, consistency, size, certainty, importance, novelty and coverage, a number "
          "each",
      .cost = "those of its methods, for the rows and those that are most like them",
      .random = true,
      .options = describe_options<ScorecardOptions>(),
      .plan = plan_scorecard};
}

}  // namespace sightglass
