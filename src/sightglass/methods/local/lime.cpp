#include "sightglass/methods/local/lime.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

#include "sightglass/base/error.h"
#include "sightglass/learn/training_fit.h"
#include "sightglass/methods/caveats/caveat_text_internal.h"
#include "sightglass/methods/grid/feature_grid.h"
#include "sightglass/methods/grid/feature_groups.h"
#include "sightglass/methods/local/lime/leaf_lines.h"
#include "sightglass/methods/local/lime/shown_lines.h"
#include "sightglass/methods/local/lime/shown_pick.h"
#include "sightglass/methods/rows/explained_rows.h"

namespace sightglass {

namespace {

// Rows that are drawn where none are named: each has pictures of its own; where they are only counted or picked from,
// more are needed.
constexpr std::int64_t shown_by_default = 3, counted_by_default = 500;
// Items of a result, each with all terms of a row: some hundred megabytes.
constexpr std::uint64_t most_items = 100'000;
// Values of made rows that are asked about at once.
constexpr std::size_t values_at_once = std::size_t{1} << 24;
// Rows that are explained together by one thread, at the most.
constexpr std::size_t most_at_once = 64;
// Of all samples around a row: 12 bytes each.
constexpr std::size_t most_values = std::size_t{1} << 26;
// Rows shown of those that rest on noise.
constexpr std::size_t shown_untrustworthy = 5;

struct LimeWork {
  MethodInput input;
  LimeOptions options;
  ExplainedRows explained;
  LabelledRows rows;
  std::unique_ptr<RowExplainer> explainer;
  std::vector<std::vector<NearRow>> near = {};        // of each explained row
  std::vector<RowLine> lines = {};                    // row by row, of each output
  std::vector<std::optional<OffData>> off_data = {};  // of each output
};

using WorkPtr = std::shared_ptr<LimeWork>;

// Samples of several draws as one question.
Chain<Matrix> ask_about(const MethodInput& input, const std::vector<Samples>& draws) {
  std::vector<std::vector<double>> values(input.features.size());
  for (const Samples& samples : draws) {
    for (std::size_t j = 0; j < values.size(); ++j)
      values[j].insert(values[j].end(), samples.values[j].begin(), samples.values[j].end());
  }
  return ask(MadeRows(input.schema, input.features, values));
}

void take_answers(const LimeWork& work, const Matrix& answers, std::vector<Samples>& draws) {
  std::size_t row = 0;
  for (Samples& samples : draws) {
    for (std::size_t i = 0; i < samples.count; ++i, ++row) {
      for (std::size_t k = 0; k < answers.columns(); ++k) samples.predictions.push_back(answers(row, k));
    }
  }
  work.input.for_each("lime", draws.size(), [&](std::size_t i) { work.explainer->add_margins(draws[i]); });
}

void explain_rows_from(LimeWork& work, std::size_t first, std::size_t count, const std::vector<Samples>& draws,
                       bool shared) {
  const std::size_t repeats = work.explainer->repeats(), outputs = work.input.explained.size();
  const std::size_t threads = static_cast<std::size_t>(work.input.context->threads());
  const std::size_t rows_at_once = std::clamp<std::size_t>(count / (4 * threads), 1, most_at_once);
  work.input.for_each("lime", (count + rows_at_once - 1) / rows_at_once, [&](std::size_t part) {
    const std::size_t begin = part * rows_at_once, end = std::min(begin + rows_at_once, count);
    const auto around = work.explainer->surroundings(std::span(work.rows.named).subspan(first + begin, end - begin));
    for (std::size_t i = begin; i < end; ++i) {
      std::vector<const Samples*> own;
      for (std::size_t r = 0; r < repeats; ++r) own.push_back(&draws[shared ? r : i * repeats + r]);
      std::vector<RowLine> lines =
          work.explainer->explain(work.rows.named[first + i], around[i - begin], own, work.near[first + i]);
      for (std::size_t k = 0; k < outputs; ++k) work.lines[(first + i) * outputs + k] = std::move(lines[k]);
    }
  });
}

// By the samples that come first.
void look_at(LimeWork& work, const Samples& samples) {
  for (const std::size_t output : work.input.explained)
    work.off_data.push_back(look_off_data(work.input, work.rows, samples, output));
}

const std::string& name_of(const LimeWork& work, std::size_t feature) {
  return work.input.schema[work.input.features[feature]].name;
}

void show(const LimeWork& work, std::size_t row, Result& result) {
  const std::size_t outputs = work.input.explained.size();
  for (std::size_t k = 0; k < outputs; ++k) {
    const RowLine& line = work.lines[row * outputs + k];
    result.results.emplace_back(shown_line(work.input, *work.explainer, work.rows.named[row], line));
    result.results.emplace_back(shown_sweep(work.input, *work.explainer, work.rows.named[row], line));
  }
}

// A few rows whose explanations cover the terms that matter.
void show_picked(const LimeWork& work, Result& result) {
  const std::size_t outputs = work.input.explained.size(), rows = work.rows.named.size();
  const auto line_of = [&](std::size_t row, std::size_t output) -> const RowLine& {
    return work.lines[row * outputs + output];
  };
  ShownPick shown{.input = &work.input};
  for (std::size_t j = 0; j < work.input.features.size(); ++j) shown.features.push_back(name_of(work, j));
  shown.term_name = [&](std::size_t row, const PickTerm& term) {
    return term_text(shown_term(work.input, work.explainer->perturbation(), line_of(row, term.output), term.at, 0));
  };
  shown.feature_name = [&](std::size_t, const PickTerm& term) { return name_of(work, term.feature); };
  shown.data = [&](std::size_t row) { return row_values(work.input, work.rows.named[row]); };
  for (std::size_t i = 0; i < rows; ++i) {
    PickRow& row = shown.rows.emplace_back(PickRow{.row = work.rows.named[i].id});
    const auto at = std::lower_bound(work.rows.ids.begin(), work.rows.ids.end(), row.row);
    if (at != work.rows.ids.end() && *at == row.row)
      row.count = work.rows.weights[static_cast<std::size_t>(at - work.rows.ids.begin())];
    row.prediction = line_of(i, 0).prediction;
    for (std::size_t k = 0; k < outputs; ++k) {
      const RowLine& line = line_of(i, k);
      for (std::size_t t = 0; t < line.line.terms.size(); ++t) {
        row.terms.push_back({.output = k,
                             .feature = line.line.terms[t],
                             .cell = line.kind[t] == TermKind::cell ? line.cell[t] : 0,
                             .value = line.line.coefficients[t] * line.own[t],
                             .at = t});
      }
    }
  }
  for (const std::size_t row : add_pick(shown, static_cast<std::size_t>(work.options.pick), result))
    show(work, row, result);
}

// Predictions whose explanation names another class once the terms of noise are dropped.
void show_noisy(const LimeWork& work, Result& result) {
  const std::size_t outputs = work.input.explained.size(), rows = work.rows.named.size();
  const std::vector<std::uint32_t> columns = chosen_features(work.input, work.options.noisy, option_name("noisy"));
  std::set<std::size_t> noisy;
  for (const std::uint32_t column : columns) {
    const auto at = std::find(work.input.features.begin(), work.input.features.end(), column);
    if (at != work.input.features.end()) noisy.insert(static_cast<std::size_t>(at - work.input.features.begin()));
  }
  const double even = work.input.scale == Scale::margin ? 0 : 0.5;
  std::vector<std::size_t> untrustworthy;
  std::vector<double> with(outputs), without(outputs);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < outputs; ++k) {
      const RowLine& line = work.lines[i * outputs + k];
      with[k] = without[k] = line.value();
      for (std::size_t t = 0; t < line.line.terms.size(); ++t) {
        if (noisy.contains(line.line.terms[t])) without[k] -= line.line.coefficients[t] * line.own[t];
      }
    }
    if (most_probable_class(with, even) != most_probable_class(without, even)) untrustworthy.push_back(i);
  }
  const double share = static_cast<double>(untrustworthy.size()) / static_cast<double>(rows);
  result.results.emplace_back(Figure{
      .name = "untrustworthy predictions",
      .id = "untrustworthy-share",
      .output = {},
      .group = {},
      .value = share,
      .se = std::sqrt(share * (1 - share) / static_cast<double>(rows)),
      .meaning = std::to_string(untrustworthy.size()) + " of " + std::to_string(rows) +
                 " explanations name another class without the features that were named as noise: of two models that "
                 "predict equally well, the one with fewer of them is to be preferred"});
  Value ids = Value::array();
  for (const std::size_t i : untrustworthy) {
    if (ids.as_array().size() < 1000) ids.push_back(Value(work.rows.named[i].id));
  }
  if (!untrustworthy.empty()) {
    // A line that follows the model badly says little of what the prediction rests on.
    double r2 = 0;
    for (const std::size_t i : untrustworthy)
      r2 += work.lines[i * outputs].r2 / static_cast<double>(untrustworthy.size());
    const bool follows = r2 >= 0.5;
    result.caveats.push_back(
        {.id = "untrustworthy-predictions",
         .severity = follows ? Severity::warning : Severity::caution,
         .message = "of " + std::to_string(untrustworthy.size()) + " of " + std::to_string(rows) +
                    " rows the line names another class without the features that were named as noise" +
                    (follows ? ""
                             : "; but these lines follow the model badly (R² on made-up rows " + number_text(r2) +
                                   " on average)"),
         .evidence = Value::object(
             {{"count", untrustworthy.size()}, {"explained", rows}, {"r2", r2}, {"rows", std::move(ids)}}),
         .advice =
             follows
                 ? marked("train the model without these features")
                 : marked("ask the method {method:permutation-importance} whether the model uses these features, and "
                          "train it without them")});
  }
  if (work.explained.named) {
    for (std::size_t i = 0; i < rows; ++i) show(work, i, result);
  } else {
    for (std::size_t i = 0; i < std::min(untrustworthy.size(), shown_untrustworthy); ++i)
      show(work, untrustworthy[i], result);
  }
}

Result finish(const LimeWork& work) {
  Result result;
  if (work.options.pick > 0) {
    show_picked(work, result);
  } else if (!work.options.noisy.empty()) {
    show_noisy(work, result);
  } else {
    for (std::size_t row = 0; row < work.rows.named.size(); ++row) show(work, row, result);
  }
  add_line_caveats(work.input, *work.explainer, work.lines, result.caveats);
  for (std::size_t k = 0; k < work.off_data.size(); ++k) {
    if (work.off_data[k]) add_off_data_caveat(work.input, work.lines, k, *work.off_data[k], result.caveats);
  }
  add_strange_rows(work.explainer->nearest(), work.rows.named, result.caveats, work.near);
  add_some_rows_caveat(work.explained, result.caveats);
  for (std::size_t j = 0; j < work.input.features.size(); ++j)
    add_value_caveats(work.input.schema, work.input.features[j], work.rows.values[j], "it adds nothing here",
                      result.caveats);
  return result;
}

// Samples around some of the rows, then around the next ones.
Chain<Result> explain_rest(const WorkPtr& work, std::size_t first) {
  const std::size_t rows = work->rows.named.size();
  if (first >= rows) return Chain<Result>(finish(*work));
  const std::size_t repeats = work->explainer->repeats(), samples = work->explainer->samples();
  const std::size_t values = repeats * samples * std::max<std::size_t>(1, work->input.features.size());
  const std::size_t count = std::min(rows - first, std::max<std::size_t>(1, values_at_once / values));
  auto draws = std::make_shared<std::vector<Samples>>(count * repeats);
  work->input.for_each("lime", draws->size(), [&](std::size_t i) {
    (*draws)[i] = work->explainer->perturbation().draw(samples, i % repeats, &work->rows.named[first + i / repeats]);
  });
  return ask_about(work->input, *draws).then([work, first, count, draws](const Matrix& answers) {
    take_answers(*work, answers, *draws);
    if (first == 0) look_at(*work, draws->front());
    explain_rows_from(*work, first, count, *draws, false);
    return explain_rest(work, first + count);
  });
}

Chain<Result> explain_all(const WorkPtr& work) {
  work->explainer = std::make_unique<RowExplainer>(work->input, work->options, work->rows);
  work->lines.resize(work->rows.named.size() * work->input.explained.size());
  work->near = work->explainer->nearest().nearest(work->rows.named, static_cast<std::size_t>(work->options.near_rows));
  if (!work->explainer->perturbation().shared(work->rows.named)) return explain_rest(work, 0);
  // What the model says of samples does not depend on the row that they are compared with.
  auto draws = std::make_shared<std::vector<Samples>>(work->explainer->repeats());
  work->input.for_each("lime", draws->size(), [&](std::size_t i) {
    (*draws)[i] = work->explainer->perturbation().draw(work->explainer->samples(), i, nullptr);
  });
  return ask_about(work->input, *draws).then([work, draws](const Matrix& answers) {
    take_answers(*work, answers, *draws);
    look_at(*work, draws->front());
    explain_rows_from(*work, 0, work->rows.named.size(), *draws, true);
    return finish(*work);
  });
}

void check(const MethodInput& input, const LimeOptions& options) {
  if (input.features.empty()) throw Error(ErrorKind::data, "the model uses no feature: there is nothing to explain");
  const double values = static_cast<double>(options.samples) * static_cast<double>(options.repeats) *
                        static_cast<double>(input.features.size());
  if (values > static_cast<double>(most_values))
    throw Error(ErrorKind::usage,
                std::to_string(options.samples) + " samples of " + std::to_string(input.features.size()) +
                    " features, drawn " + std::to_string(options.repeats) + " times, do not fit into memory",
                marked("lower {option:samples} or {option:repeats}"));
  (void)line_estimator(input, options);
  if (options.around == "row" && options.bins != "none")
    throw Error(ErrorKind::usage, "around row: bins are those of the data, wherever the row is",
                marked("set {option:bins} to none"));
  if (options.draw == "normal" && options.bins == "none")
    throw Error(ErrorKind::usage, "draw normal says how values within bins are drawn",
                marked("leave out one of {option:draw} and {option:bins}"));
  if (options.pick > 0 && !options.noisy.empty())
    throw Error(ErrorKind::usage, "pick and noisy do not go together", "ask for one after the other");
  if (!options.noisy.empty()) {
    (void)chosen_features(input, options.noisy, option_name("noisy"));
    if (input.task == Task::regression)
      throw Error(ErrorKind::usage, option_name("noisy") + ": the model predicts a number, and no class can change",
                  "ask about a model that predicts classes");
    if (input.explained.size() != input.outputs.size())
      throw Error(ErrorKind::usage, option_name("noisy") + ": classes are compared with one another",
                  marked("leave out {option:output}"));
  }
}

Chain<Result> start(const MethodInput& input, const Value& given) {
  const auto options = read_options<LimeOptions>(given);
  check(input, options);
  const bool many = options.pick > 0 || !options.noisy.empty();
  const std::int64_t explain = options.explain.value_or(many ? counted_by_default : shown_by_default);
  return rows_to_explain(input, options.rows, explain).then([input, options](const ExplainedRows& explained) {
    const std::uint64_t items = explained.ids.size() * input.explained.size();
    if (items > most_items)
      throw Error(ErrorKind::usage,
                  std::to_string(explained.ids.size()) + " rows are too many to be explained at once: " +
                      std::to_string(most_items / input.explained.size()) + " can be",
                  marked("name fewer {option:rows|rows}, or lower {option:explain}"));
    return label_rows(input, static_cast<std::uint64_t>(options.use_rows), explained.ids)
        .then([input, options, explained](LabelledRows rows) {
          const auto work = std::make_shared<LimeWork>();
          work->input = input;
          work->options = options;
          work->explained = explained;
          work->rows = std::move(rows);
          return explain_all(work);
        });
  });
}

}  // namespace

MethodEntry lime() {
  return {
      .name = "lime",
      .alias = "local-line",
      .about = {.title = "Local line (LIME)", .short_name = "LIME", .family = Family::local},
      .question = "Which features speak for the prediction of this row, and which against it?",
      .when =
          "to explain single predictions of any model by a few terms that people can read, and to pick a few rows "
          "that show what a model does",
      .when_not =
          "where numbers must add up to the prediction (ask shap), or features go together so closely that made-up "
          "rows say nothing about real ones",
      .formula =
          "argmin_w Σ_i π(z_i) (f(z_i) − w₀ − w · z'_i)² + α |w|²; π(z) = √exp(−D(z, x)² / σ²); σ = 0.75 √p; z' = 1 "
          "where a sample lies in the row's own bin",
      .paper =
          "Ribeiro, Singh, Guestrin 2016, \"Why should I trust you?\": explaining the predictions of any classifier",
      .scopes = {Scope::local, Scope::global},
      .results = {"terms", "width_sweep", "examples", "figure"},
      .expresses = "one coefficient per row and term, with how well the line follows the model and how stable it is",
      .cost =
          "samples × repeats predictions for all rows together (without bins: for each row); trees on the margin "
          "scale: samples predictions for all rows together",
      .access = Access::columns,
      .random = true,
      .prefers_margin = true,
      .options = describe_options<LimeOptions>(),
      .leads = {{"text_column", "lime-text"}, {"image_column", "lime-image"}},
      .start = start};
}

}  // namespace sightglass
