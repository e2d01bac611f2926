// What differs between rows: features whose average curve stands for few of them, and the regions of the data in
// which they act alike.
#include <algorithm>
#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/insight/findings/course_internal.h"
#include "sightglass/insight/findings/evidence_internal.h"
#include "sightglass/insight/readable.h"

namespace sightglass::finders {

namespace {

// Of the most important features.
constexpr std::size_t features_seen = 5;
// What an average hides is told from this heterogeneity on: with regions that explain at least this share of it, and
// without any.
constexpr double hidden = 0.25;
constexpr double least_explained = 0.2;
constexpr double hidden_alone = 0.5;
// Regions differ if one moves at least so many times as far as the other, or is highest somewhere else by this share
// of the axis.
constexpr double times_as_far = 2;
constexpr double elsewhere = 0.15;
// Rows as they are differ at least so many times as far as the feature alone makes them, and by this share of the
// widest effect.
constexpr double mixed_in = 3;
constexpr double least_mixed = 0.2;

struct RegionCurve {
  const Curve* curve = nullptr;
  double rows = 0;
};

struct Split {
  const Result* result = nullptr;
  std::vector<RegionCurve> regions;
  double before = 0, explained = 0;
};

std::optional<double> figure_in(const Result& result, FigureId id, const std::string& feature,
                                const std::string& output) {
  for (const ResultItem& item : result.results) {
    const auto* figure = item.as<Figure>();
    if (figure != nullptr && figure->id == id && figure->feature == feature && figure->output == output &&
        std::isfinite(figure->value))
      return figure->value;
  }
  return std::nullopt;
}

// All that are drawn along a feature, for one output.
std::vector<const Curve*> curves_of(const Result& result, const std::string& feature, const std::string& output) {
  std::vector<const Curve*> curves;
  for (const ResultItem& item : result.results) {
    const auto* curve = item.as<Curve>();
    if (curve != nullptr && curve->axis.feature == feature && curve->output == output) curves.push_back(curve);
  }
  return curves;
}

std::optional<Split> split_of(const Evidence& evidence, const std::string& feature, const std::string& output) {
  for (const Result* result : evidence.results()) {
    Split split{.result = result};
    for (const Curve* curve : curves_of(*result, feature, output)) {
      if (curve->estimand != Estimand::regional_dependence || curve->group.empty()) continue;
      double rows = 0;
      for (const double count : curve->count) rows += std::isfinite(count) ? count : 0;
      split.regions.push_back({curve, rows});
    }
    split.before = figure_in(*result, FigureId::heterogeneity_before, feature, output).value_or(0);
    split.explained = figure_in(*result, FigureId::heterogeneity_explained, feature, output).value_or(0);
    if (split.regions.size() > 1) return split;
  }
  return std::nullopt;
}

std::string where(const Curve& curve) { return "where " + printable(curve.group, 80); }

// Levels that can be trusted in both, by name.
struct SharedLevel {
  std::string name;
  double first = 0, second = 0;
};

std::vector<SharedLevel> shared_of(const Curve& a, const Curve& b) {
  std::vector<SharedLevel> shared;
  const auto of_b = trusted_points(b);
  for (const auto i : trusted_points(a)) {
    const auto same = [&](std::size_t j) { return b.axis.levels[j] == a.axis.levels[i]; };
    const auto found = std::find_if(of_b.begin(), of_b.end(), same);
    if (found != of_b.end()) shared.push_back({a.axis.levels[i], a.mean[i], b.mean[*found]});
  }
  return shared;
}

// Two regions' curves over levels: the level that is highest in one is lowest in the other.
std::string opposite_levels(const Result& result, const Curve& a, const Curve& b) {
  const auto shared = shared_of(a, b);
  if (shared.size() < 2) return {};
  const auto by = [&](auto member, bool most) {
    const auto less = [&](const SharedLevel& x, const SharedLevel& y) { return x.*member < y.*member; };
    return most ? std::max_element(shared.begin(), shared.end(), less)
                : std::min_element(shared.begin(), shared.end(), less);
  };
  const auto top = by(&SharedLevel::first, true), bottom = by(&SharedLevel::first, false);
  const auto other_top = by(&SharedLevel::second, true), other_bottom = by(&SharedLevel::second, false);
  if (top != other_bottom || bottom != other_top) return {};
  return predicted_quantity(result, a.output) + " is higher with " + level_name(top->name) + " than with " +
         level_name(bottom->name) + " " + where(a) + " (by " + amount_of(result, top->first - bottom->first) +
         "), and lower " + where(b) + " (by " + bare_amount(result, bottom->second - top->second) + ")";
}

// A curve without the points at which the other one cannot be trusted.
Curve beside(Curve curve, const Curve& other) {
  std::vector<double> known;
  for (const auto i : trusted_points(other)) known.push_back(other.axis.numbers[i]);
  for (std::size_t i = 0; i < curve.mean.size(); ++i) {
    if (std::find(known.begin(), known.end(), curve.axis.numbers[i]) == known.end()) curve.mean[i] = NAN;
  }
  return curve;
}

std::string differing(const Result& result, const Curve& whole_a, const Curve& whole_b) {
  const std::string name = name_of(whole_a.axis.feature), quantity = predicted_quantity(result, whole_a.output);
  if (whole_a.axis.is_categorical() != whole_b.axis.is_categorical()) return {};
  if (whole_a.axis.is_categorical()) {
    const std::string text = opposite_levels(result, whole_a, whole_b);
    return text.empty() ? text : "Of " + name + ": " + text;
  }
  // How far they go can be compared only over the same values.
  const Curve a = beside(whole_a, whole_b), b = beside(whole_b, whole_a);
  const auto first = course_of(a), second = course_of(b);
  if (!first || !second || first->trusted.empty() || first->trusted.size() != second->trusted.size()) return {};
  const auto one_way = [](const Course& course) { return course.vertices.size() == 2; };
  const auto rises = [](const Course& course) {
    return course.vertices[0] < course.vertices[1] && course.high > course.low;
  };
  if (one_way(*first) && one_way(*second) && rises(*first) != rises(*second)) {
    const bool up = rises(*first);
    return capitalised(quantity) + " " + (up ? "rises" : "falls") + " with " + name + " " + where(a) + " (range " +
           amount_of(result, first->range) + "), but " + (up ? "falls " : "rises ") + where(b) + " (" +
           bare_amount(result, second->range) + ")";
  }
  const double width = a.axis.numbers[first->trusted.back()] - a.axis.numbers[first->trusted.front()];
  const double x = a.axis.numbers[first->high], other = b.axis.numbers[second->high];
  const std::string unit = a.axis.unit.empty() ? "" : " " + printable(a.axis.unit, 30);
  // Each is clearly lower where the other one is highest.
  const auto drops = [](const Curve& curve, const Course& course, double place) {
    for (const auto i : course.trusted) {
      if (curve.axis.numbers[i] != place) continue;
      const double drop = curve.mean[course.high] - curve.mean[i];
      return drop >= least_turn * course.range && drop > uncertainty(curve, course.high, i);
    }
    return false;
  };
  const bool inner = first->vertices.size() > 2 && second->vertices.size() > 2;
  if (inner && std::abs(x - other) >= elsewhere * width && drops(a, *first, other) && drops(b, *second, x)) {
    return "Along " + name + ", " + quantity + " is highest at " + axis_number(a.axis, x) + unit + " " + where(a) +
           ", but at " + axis_number(b.axis, other) + unit + " " + where(b);
  }
  // What lies outside may go farther.
  const std::string span = first->trusted.size() == whole_a.mean.size()
                               ? ""
                               : " between " + axis_number(a.axis, a.axis.numbers[first->trusted.front()]) + " and " +
                                     axis_number(a.axis, a.axis.numbers[first->trusted.back()]) + unit;
  const bool wider = first->range > second->range;
  const double most = wider ? first->range : second->range, least = wider ? second->range : first->range;
  if (!(most >= times_as_far * least)) return {};
  return capitalised(quantity) + " moves by " + amount_of(result, most) + " along " + name + span + " " +
         where(wider ? a : b) + ", by " + bare_amount(result, least) + " " + where(wider ? b : a);
}

// Whether a condition on rows names a feature: "6 < hour ≤ 9 and temp > 13".
bool is_about(const std::string& condition, const std::string& feature) {
  const auto letter = [&](std::size_t i) {
    if (i >= condition.size()) return false;
    const char c = condition[i];
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  for (auto at = condition.find(feature); at != std::string::npos; at = condition.find(feature, at + 1)) {
    if (feature.empty() || ((at == 0 || !letter(at - 1)) && !letter(at + feature.size()))) return !feature.empty();
  }
  return false;
}

std::optional<Candidate> regional(const Evidence& evidence, const std::string& feature, const FeatureCurve& found) {
  const auto split = split_of(evidence, feature, found.curve->output);
  if (!split || split->before < hidden || split->explained < least_explained) return std::nullopt;
  // By a feature that goes together with this one regions differ in rows that do not occur.
  const bool tied = std::any_of(split->regions.begin(), split->regions.end(), [&](const RegionCurve& region) {
    return std::any_of(evidence.order().begin(), evidence.order().end(), [&](const std::string& other) {
      return other != feature && is_about(region.curve->group, other) && evidence.go_together(feature, other);
    });
  });
  if (tied) return std::nullopt;
  // The two that most rows are in.
  auto regions = split->regions;
  std::stable_sort(regions.begin(), regions.end(),
                   [](const RegionCurve& a, const RegionCurve& b) { return a.rows > b.rows; });
  const std::string text = differing(*split->result, *regions[0].curve, *regions[1].curve);
  if (text.empty()) return std::nullopt;
  return Candidate{{text + ".", {feature}, "effects"}, Place::rows, 55, "differs " + feature};
}

// The most that a result says of a feature's rows.
std::optional<double> heterogeneity_of(const Evidence& evidence, const std::string& feature,
                                       const std::string& output) {
  for (const Result* result : evidence.results()) {
    for (const Curve* curve : curves_of(*result, feature, output)) {
      if (!curve->group.empty()) continue;
      if (curve->measure != Measure::loss && curve->heterogeneity && std::isfinite(*curve->heterogeneity))
        return curve->heterogeneity;
    }
  }
  return std::nullopt;
}

// The M-plot of the same prediction.
std::optional<FeatureCurve> rows_along(const Evidence& evidence, const FeatureCurve& alone) {
  const std::string quantity = predicted_quantity(*alone.result, alone.curve->output);
  for (const Result* result : evidence.results()) {
    for (const Curve* curve : curves_of(*result, alone.curve->axis.feature, alone.curve->output)) {
      if (curve->estimand != Estimand::conditional_mean || !curve->series.empty() || !curve->group.empty()) continue;
      if (predicted_quantity(*result, curve->output) == quantity) return FeatureCurve{.result = result, .curve = curve};
    }
  }
  return std::nullopt;
}

// "island and bill_length go together with it"; empty if no caveat says so.
std::string companions(const Evidence& evidence, const std::string& feature) {
  std::vector<std::string> names;
  for (const auto& other : evidence.order()) {
    if (names.size() < 2 && other != feature && evidence.go_together(feature, other)) names.push_back(name_of(other));
  }
  if (names.empty()) return {};
  return listed(names) + (names.size() == 1 ? " goes" : " go") + " together with it";
}

// Rows as they are differ far more along a feature than the feature alone makes them, or the other way.
std::optional<Candidate> mixed(const Evidence& evidence, const std::string& feature) {
  const FeatureCurve& alone = *evidence.curve(feature);
  if (alone.curve->measure != Measure::effect || alone.curve->axis.is_categorical()) return std::nullopt;
  const std::string others = companions(evidence, feature);
  const auto along = rows_along(evidence, alone);
  if (others.empty() || !along) return std::nullopt;
  const auto effect = course_of(*alone.curve), rows = course_of(*along->curve);
  if (!effect || !rows || rows->range < least_mixed * evidence.largest_range(*alone.result)) return std::nullopt;
  // Many turns are the noise of few rows.
  if (rows->vertices.size() > 3) return std::nullopt;
  const std::string name = name_of(feature), quantity = predicted_quantity(*along->result, along->curve->output);
  const auto rises = [](const Course& course) { return course.high > course.low; };
  std::string text;
  if (rows->vertices.size() == 2 && effect->vertices.size() == 2 && rises(*rows) != rises(*effect)) {
    text = "Of rows with higher " + name + ", " + quantity + " is " + (rises(*rows) ? "higher" : "lower") + " (by " +
           amount_of(*along->result, rows->range) + "), although with " + name + " alone it " +
           (rises(*effect) ? "rises" : "falls") + " (by " + bare_amount(*along->result, effect->range) +
           "): " + others + ".";
  } else if (rows->range >= mixed_in * effect->range) {
    text = "Along " + name + ", " + quantity + " differs by " + amount_of(*along->result, rows->range) +
           " between rows as they are, but by only " + bare_amount(*along->result, effect->range) + " with " + name +
           " alone: " + others + ".";
  } else {
    return std::nullopt;
  }
  return Candidate{{text, {feature}, "effects"}, Place::single, 46, {}};
}

// On which other feature it depends most what this one does, of the pairs that were examined: of many features they are
// not all.
std::string depends_on(const Evidence& evidence, const std::string& feature, const std::string& output) {
  const auto pair = strongest_pair_of(evidence, feature, output);
  if (!pair) return {};
  const Interaction& entry = *pair->entry;
  const std::string other = name_of(entry.features[entry.features[0] == feature ? 1 : 0]);
  const std::string size = " (" + amount_of(*pair->result, entry.strength) + ", H² " + percent(entry.h2) + ")";
  if (pair->examined == 1) return "; with " + other + ", the only feature examined, it acts together" + size;
  return "; of its " + std::to_string(pair->examined) + " pairs " +
         (pair->is_strongest ? "examined" : "examined, of those that can be judged") + ", the one with " + other +
         " is strongest" + size;
}

// What the averages of the most important features hide.
std::optional<Candidate> hidden_ways(const Evidence& evidence, const std::vector<std::string>& top) {
  // Of a model that shows only probabilities nobody can tell whether rows differ or the link makes them.
  if (evidence.caveat("response-scale") != nullptr) return std::nullopt;
  // Nor of one that answers as it likes.
  if (evidence.caveat("changing-answers") != nullptr) return std::nullopt;
  for (const auto& feature : top) {
    if (auto told = regional(evidence, feature, *evidence.curve(feature))) return told;
  }
  for (const auto& feature : top) {
    const FeatureCurve& found = *evidence.curve(feature);
    const auto share = heterogeneity_of(evidence, feature, found.curve->output);
    if (!share || *share < hidden_alone || *share > 1) continue;
    if (found.range < least_range * evidence.largest_range(*found.result)) continue;
    // On probabilities the link alone makes rows differ: told only where features act together before it.
    if (predicts_probabilities(*found.result) && !strongest_pair_of(evidence, feature, found.curve->output)) continue;
    return Candidate{
        {"Single rows move differently along " + name_of(feature) + ": " + percent(*share) +
             " of how they move is not in the average curve" + depends_on(evidence, feature, found.curve->output) + ".",
         {feature},
         "effects"},
        Place::rows,
        48,
        "differs " + feature};
  }
  return std::nullopt;
}

}  // namespace

std::vector<Candidate> differences(const Evidence& evidence) {
  std::vector<std::string> top;
  for (const auto& feature : evidence.order()) {
    if (top.size() < features_seen && evidence.curve(feature) != nullptr) top.push_back(feature);
  }
  std::vector<Candidate> list;
  if (auto hidden_way = hidden_ways(evidence, top)) list.push_back(std::move(*hidden_way));
  for (const auto& feature : top) {
    auto told = mixed(evidence, feature);
    if (!told) continue;
    list.push_back(std::move(*told));
    break;
  }
  return list;
}

}  // namespace sightglass::finders
