#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "sightglass/base/error.h"
#include "sightglass/insight/findings/course_internal.h"
#include "sightglass/insight/findings/evidence_internal.h"
#include "sightglass/insight/groups.h"
#include "sightglass/insight/ranking.h"
#include "sightglass/insight/readable.h"
#include "sightglass/result/caveat_subject.h"

namespace sightglass::finders {

namespace {

// Results that speak of the same model and the same rows.
std::vector<std::string> subject_of(const Result& result) {
  std::vector<std::string> subject{rows_condition(result), text_member(result.data, "target")};
  for (const char* key : {"file", "source", "format", "objective", "task", "estimator"})
    subject.push_back(text_member(result.model, key));
  return subject;
}

// How far to go by a curve, best first; none: not at all. M-plots mix in what other features do.
std::optional<int> trust_in(const Curve& curve) {
  if (!curve.group.empty()) return std::nullopt;
  switch (curve.estimand) {
    case Estimand::accumulated_local_effect: return 0;
    case Estimand::partial_dependence: return 1;
    case Estimand::regional_dependence: return 2;
    case Estimand::component: return 3;
    default: return std::nullopt;
  }
}

}  // namespace

std::string_view words_of(MeasureKind kind) {
  switch (kind) {
    case MeasureKind::permutation: return "shuffling";
    case MeasureKind::reliance: return "exchanging values";
    case MeasureKind::dependence: return "partial dependence";
    case MeasureKind::shapley: return "Shapley values";
    case MeasureKind::variance: return "shares of variance";
    case MeasureKind::shapley_pairs:
    case MeasureKind::interaction:
    case MeasureKind::recourse:
    case MeasureKind::other: break;
  }
  return "";
}

const RankedFeature* FeatureRanking::find(const std::string& name) const {
  const auto found = places.find(name);
  return found == places.end() ? nullptr : &features[found->second];
}

Evidence::Evidence(const std::vector<Result>& results) {
  choose_results(results);
  rank();
  choose_curves();
  find_order();
}

void Evidence::choose_results(const std::vector<Result>& results) {
  for (const Result& result : results) {
    if (subject_of(result) == subject_of(results.front())) results_.push_back(&result);
  }
}

// One ranking of each kind: of the first result that has it, by its first measure.
void Evidence::rank() {
  for (const Result* result : results_) {
    std::map<MeasureKind, ImportanceMeasure> measures;
    for (const ResultItem& item : result->results) {
      const auto* entry = item.as<Importance>();
      if (entry == nullptr || !entry->group.empty() || entry->features.empty()) continue;
      const MeasureKind kind = entry->measure.kind;
      if (words_of(kind).empty() || ranking(kind) != nullptr) continue;
      // By the rows rather than by the grid, which has most of its points where few rows are.
      const auto [measure, first] = measures.try_emplace(kind, entry->measure);
      if (entry->measure.over_rows) measure->second = entry->measure;
    }
    for (const auto& [kind, measure] : measures) {
      FeatureRanking ranking{.kind = kind, .result = result};
      std::string output;
      for (const ResultItem& item : result->results) {
        const auto* entry = item.as<Importance>();
        if (entry == nullptr || !entry->group.empty() || entry->features.empty() || entry->measure != measure) continue;
        // Of a decomposition only what features do alone.
        if (kind == MeasureKind::variance && entry->features.size() != 1) continue;
        if (!std::isfinite(entry->importance)) continue;
        if (ranking.features.empty()) output = entry->output;
        ranking.one_output = ranking.one_output && entry->output == output;
        const double value = entry->importance - baseline_of(measure);
        const auto [known, first] = ranking.places.try_emplace(entry->feature, ranking.features.size());
        if (first) {
          ranking.features.push_back({entry->feature, value, entry->se, entry});
        } else {
          ranking.features[known->second].value += value;
          ranking.features[known->second].se.reset();
        }
      }
      if (ranking.features.empty()) continue;
      std::stable_sort(ranking.features.begin(), ranking.features.end(), [](const auto& a, const auto& b) {
        return a.value != b.value ? a.value > b.value : a.name < b.name;
      });
      for (std::size_t i = 0; i < ranking.features.size(); ++i) ranking.places[ranking.features[i].name] = i;
      rankings_.push_back(std::move(ranking));
    }
  }
  std::stable_sort(rankings_.begin(), rankings_.end(), [](const auto& a, const auto& b) { return a.kind < b.kind; });
}

void Evidence::choose_curves() {
  struct Choice {
    int trust = 0;
    FeatureCurve found;
  };
  std::map<std::string, Choice> best;
  std::map<std::string, std::set<std::optional<int>>> kinds;  // that a chart of the feature may show
  for (const Result* result : results_) {
    // Of two models there is no one way that the prediction goes.
    if (compares_models(*result)) continue;
    for (const ResultItem& item : result->results) {
      const auto* curve = item.as<Curve>();
      // What a surrogate does is not what the model does.
      if (curve == nullptr || result->about.family == Family::surrogates) continue;
      const auto trust = trust_in(*curve);
      if (curve->measure != Measure::loss && curve->group.empty()) kinds[curve->axis.feature].insert(trust);
      const double range = trust ? trusted_range(*curve) : 0;
      if (!(range > 0)) continue;
      const auto [known, first] = best.try_emplace(curve->axis.feature, Choice{*trust, {.outputs = 0}});
      Choice& choice = known->second;
      if (*trust < choice.trust) choice = {*trust, {.outputs = 0}};
      FeatureCurve& found = choice.found;
      if (*trust > choice.trust || (found.result != nullptr && found.result != result)) continue;
      ++found.outputs;
      // Two classes mirror each other: then the second is meant.
      const bool wider = range > found.range * (1 + 1e-6) || (found.outputs == 2 && range > found.range * (1 - 1e-6));
      if (found.curve != nullptr && !wider) continue;
      found = {result, curve, range, found.outputs, {}};
    }
  }
  static constexpr const char* names[] = {"ALE", "partial dependence", "regional effects", "decomposition"};
  for (auto& [feature, choice] : best) {
    if (kinds[feature].size() > 1) choice.found.by = names[choice.trust];
    curve_places_[feature] = curves_.size();
    curves_.push_back(choice.found);
  }
}

void Evidence::find_order() {
  struct Standing {
    double ranks = 0, range = 0;
  };
  std::map<std::string, Standing> standings;
  for (const FeatureRanking& ranking : rankings_) {
    for (const RankedFeature& feature : ranking.features) standings[feature.name];
  }
  for (const FeatureCurve& curve : curves_) standings[curve.curve->axis.feature].range = curve.range;
  for (auto& [name, standing] : standings) {
    for (const FeatureRanking& ranking : rankings_) {
      const RankedFeature* found = ranking.find(name);
      standing.ranks += found == nullptr ? static_cast<double>(ranking.features.size())
                                         : static_cast<double>(found - ranking.features.data());
    }
    order_.push_back(name);
  }
  std::stable_sort(order_.begin(), order_.end(), [&](const std::string& a, const std::string& b) {
    const Standing &first = standings[a], &second = standings[b];
    return first.ranks != second.ranks ? first.ranks < second.ranks : first.range > second.range;
  });
}

const FeatureRanking* Evidence::ranking(MeasureKind kind) const {
  const auto found =
      std::find_if(rankings_.begin(), rankings_.end(), [&](const auto& ranking) { return ranking.kind == kind; });
  return found == rankings_.end() ? nullptr : &*found;
}

const FeatureCurve* Evidence::curve(const std::string& feature) const {
  const auto found = curve_places_.find(feature);
  return found == curve_places_.end() ? nullptr : &curves_[found->second];
}

double Evidence::largest_range(const Result& result) const {
  double largest = 0;
  for (const FeatureCurve& each : curves_) {
    if (each.result == &result) largest = std::max(largest, each.range);
  }
  return largest;
}

std::optional<Evidence::Number> Evidence::figure(FigureId id, const std::optional<LossKind>& loss) const {
  for (const Result* result : results_) {
    for (const ResultItem& item : result->results) {
      const auto* figure = item.as<Figure>();
      if (figure == nullptr || !figure->group.empty() || figure->id != id || figure->loss != loss ||
          !std::isfinite(figure->value))
        continue;
      return Number{result, figure};
    }
  }
  return std::nullopt;
}

const Caveat* Evidence::caveat(std::string_view id) const {
  for (const Result* result : results_) {
    for (const Caveat& caveat : result->caveats) {
      if (caveat.id == id) return &caveat;
    }
  }
  return nullptr;
}

bool Evidence::go_together(const std::string& a, const std::string& b) const {
  return std::any_of(results_.begin(), results_.end(), [&](const Result* result) {
    return std::any_of(result->caveats.begin(), result->caveats.end(), [&](const Caveat& caveat) {
      return caveat.id == "correlated-features" && ties_together(caveat, a, b);
    });
  });
}

std::string amount(double value, int more) {
  if (!std::isfinite(value) || value == 0) return readable(value);
  const int digits = (std::abs(value) >= 99.5 ? 3 : 2) + more;
  const double scale = std::pow(10, digits - 1 - std::floor(std::log10(std::abs(value))));
  return std::isfinite(scale) && scale > 0 ? readable(std::round(value * scale) / scale) : readable(value);
}

std::string level_of(const Result& result, double value) {
  if (predicts_probabilities(result)) return percent(value);
  // "The margin is 0.86": what it is measured in has been said.
  return prediction_unit(result) == "margin" ? amount(value) : amount_of(result, value);
}

std::string bare_amount(const Result& result, double value, int more) {
  return amount(predicts_probabilities(result) ? 100 * value : value, more);
}

std::string amount_of(const Result& result, double value, int more) {
  if (predicts_probabilities(result)) {
    const std::string points = bare_amount(result, value, more);
    return points + (points == "1" ? " percentage point" : " percentage points");
  }
  const std::string unit = prediction_unit(result);
  if (unit.empty()) return amount(value, more);
  const bool margin = unit == "log-odds" || unit == "margin";
  return amount(value, more) + (margin ? (unit == "margin" ? " in the margin" : " in log-odds") : " " + unit);
}

namespace {

bool is_plain(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
  });
}

}  // namespace

std::string name_of(const std::string& feature) {
  const std::string name = printable(feature, 60);
  if (name.empty()) return "(no name)";
  return is_plain(name) ? name : "“" + name + "”";
}

std::string level_name(const std::string& level) { return "“" + printable(level, 60) + "”"; }

std::string listed(const std::vector<std::string>& items) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i)
    text += (i == 0 ? "" : i + 1 == items.size() ? " and " : ", ") + items[i];
  return text;
}

std::string predicted_quantity(const Result& result, const std::string& output) {
  const bool classes = predicts_classes(result);
  const std::string unit = prediction_unit(result);
  const std::string subject = prediction_subject(result, output);
  const bool margin = text_member(result.options, "scale") == "margin";
  if (classes) {
    const std::string quantity =
        margin ? (unit == "log-odds" ? "the margin (log-odds) of " : "the margin of ") : "the probability of ";
    if (subject.empty()) return quantity + "the class";
    // "sex = 1" and "class 1" name themselves.
    return quantity + (output == "prediction" ? subject : "class " + name_of(output));
  }
  const std::string quantity = margin ? "the margin" : "the prediction";
  return subject.empty() ? quantity : quantity + " of " + name_of(subject);
}

std::string rows_of(const Result& result) {
  const auto rows = number_member(result.data, "rows"), available = number_member(result.data, "rows_available");
  if (!rows || !(*rows > 0)) return {};
  if (available && *available > *rows) return readable(*rows) + " of " + readable(*available) + " rows";
  return *rows == 1 ? "this one row" : "these " + readable(*rows) + " rows";
}

std::optional<double> number_member(const Value& object, std::string_view key) {
  const Value* member = object.find(key);
  if (member == nullptr || !member->is_number() || !std::isfinite(member->as_number())) return std::nullopt;
  return member->as_number();
}

}  // namespace sightglass::finders
