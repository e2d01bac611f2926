// Of two models: which is nearer to the truth, how far they are apart, and where most.
#include <algorithm>
#include <cmath>

#include "sightglass/insight/compared_models.h"
#include "sightglass/insight/findings/evidence_internal.h"
#include "sightglass/insight/interval.h"
#include "sightglass/insight/readable.h"
#include "sightglass/result/shapes/rules.h"

namespace sightglass::finders {

namespace {

const Figure* figure_called(const Result& result, std::string_view id) {
  for (const ResultItem& item : result.results) {
    const auto* figure = item.as<Figure>();
    if (figure != nullptr && figure->id.text() == id && std::isfinite(figure->value)) return figure;
  }
  return nullptr;
}

// Of two models, by a loss.
struct Scored {
  std::string model;
  double value = 0;
};
std::vector<Scored> scored_by(const Result& result, LossKind loss) {
  std::vector<Scored> list;
  for (const ResultItem& item : result.results) {
    const auto* figure = item.as<Figure>();
    if (figure != nullptr && figure->id == FigureId::loss && figure->loss == loss && std::isfinite(figure->value))
      list.push_back({figure->group, figure->value});
  }
  return list;
}

const Result* comparison_in(const Evidence& evidence) {
  for (const Result* result : evidence.results()) {
    if (compares_models(*result)) return result;
  }
  return nullptr;
}

std::string score_text(const Result& result, LossKind loss, double value, int more) {
  if (loss != LossKind::accuracy) return amount_of(result, value, more);
  return more == 0 && value < 1 ? careful_percent(value) : amount(100 * value, more) + " %";
}

// What two models scored, with as many digits as tell them apart, up to four.
std::vector<std::string> score_texts(const Result& result, LossKind loss, const std::vector<Scored>& scores) {
  const auto texts = [&](int more) {
    return std::vector{score_text(result, loss, scores[0].value, more),
                       score_text(result, loss, scores[1].value, more)};
  };
  for (int more = 0; more < 2; ++more) {
    const auto told = texts(more);
    if (told[0] != told[1]) return told;
  }
  return texts(scores[0].value == scores[1].value ? 0 : 2);
}

std::string which_is_better(const Result& result) {
  const Figure* difference = figure_called(result, "error-difference");
  if (difference == nullptr) return {};
  for (const LossKind loss : {LossKind::accuracy, LossKind::absolute}) {
    const auto scores = scored_by(result, loss);
    if (scores.size() != 2) continue;
    const bool chance = difference->se && std::abs(difference->value) <= interval_width * *difference->se;
    const std::size_t first = difference->value > 0 ? 1 : 0;
    const Scored &better = scores[first], &worse = scores[1 - first];
    const auto texts = score_texts(result, loss, scores);
    const std::string measure = loss == LossKind::accuracy ? " right" : " off on average";
    const std::string numbers =
        texts[0] == texts[1]
            ? std::string(better.value == worse.value ? ": both are " : ": both are about ") + texts[0] + measure
            : ": " + texts[first] + measure + ", against " + texts[1 - first] + measure;
    const std::string rows = rows_of(result);
    if (difference->value == 0 || chance)
      return "Neither " + name_of(scores[0].model) + " nor " + name_of(scores[1].model) +
             " is nearer to the truth by more than chance" + (rows.empty() ? "" : " on " + rows) + numbers;
    return name_of(better.model) + " is nearer to the truth than " + name_of(worse.model) +
           (rows.empty() ? "" : " on " + rows) + numbers;
  }
  return {};
}

// "model.json and gam.json"
std::string both_of(const Result& result) {
  std::vector<std::string> names;
  for (const std::string& name : compared_models(result)) names.push_back(name_of(name));
  return listed(names);
}

std::string how_far_apart(const Result& result) {
  if (const Figure* same = figure_called(result, "class-agreement"))
    return "For " + careful_percent(same->value) + " of rows " + both_of(result) + " predict the same class";
  if (const Figure* apart = figure_called(result, "mean-distance"))
    return "The predictions of " + both_of(result) + " are " + amount_of(result, apart->value) + " apart on average";
  return {};
}

// The region with the largest difference, where there is one.
std::string where_most(const Result& result) {
  for (const ResultItem& item : result.results) {
    const auto* rules = item.as<Rules>();
    if (rules == nullptr || rules->rules.size() < 2 || !rules->rules[0].effect) continue;
    const Rule& most = rules->rules[0];
    return "The predictions of " + both_of(result) + " differ most where " + conditions_text(most.conditions) +
           ": by " + amount_of(result, *most.effect) + " on average, in " + percent(most.support) + " of rows";
  }
  return {};
}

}  // namespace

bool compares_models(const Result& result) { return !compared_models(result).empty(); }

std::vector<Candidate> models(const Evidence& evidence) {
  const Result* result = comparison_in(evidence);
  if (result == nullptr) return {};
  std::vector<Candidate> list;
  const auto tell = [&](const std::string& text, bool headline, int worth) {
    if (!text.empty()) list.push_back({{text + ".", {}, "other", headline}, Place::performance, worth, {}});
  };
  const std::string better = which_is_better(*result);
  tell(better, true, 100);
  tell(how_far_apart(*result), better.empty(), 99);
  tell(where_most(*result), false, 98);
  return list;
}

std::vector<ShownScore> scores_of_models(const Evidence& evidence) {
  const Result* result = comparison_in(evidence);
  std::vector<ShownScore> list;
  if (result == nullptr) return list;
  for (const LossKind loss : {LossKind::accuracy, LossKind::absolute}) {
    const auto scores = scored_by(*result, loss);
    if (scores.size() != 2) continue;
    const auto texts = score_texts(*result, loss, scores);
    const std::string means = loss == LossKind::accuracy ? ": rows it gets right" : ": how far it is off on average";
    for (std::size_t i = 0; i < scores.size(); ++i) {
      list.push_back({texts[i], name_of(scores[i].model) + means, std::string(label_of(loss))});
    }
    break;
  }
  if (const Figure* same = figure_called(*result, "class-agreement")) {
    list.push_back({careful_percent(same->value), "of rows get the same class from both models", "agreement"});
  } else if (const Figure* apart = figure_called(*result, "mean-distance")) {
    list.push_back(
        {amount_of(*result, apart->value), "how far the two predictions are apart on average", "difference"});
  }
  return list;
}

}  // namespace sightglass::finders
