// What differs between rows: features whose average curve stands for few of them, and the regions of the data in
// which they act alike.
#include <algorithm>
#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/render/findings/course_internal.h"
#include "sightglass/render/findings/evidence_internal.h"
#include "sightglass/render/readable.h"

namespace sightglass::telling {

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
// Curves over rows as they are move at least so many times as far as the feature does alone.
constexpr double mixed_in = 3;

struct RegionCurve {
  const Curve* curve = nullptr;
  double rows = 0;
};

struct Split {
  const Result* result = nullptr;
  std::vector<RegionCurve> regions;
  double before = 0, explained = 0;
};

std::optional<double> figure_in(const Result& result, const std::string& name, const std::string& output) {
  for (const ResultItem& item : result.results) {
    const auto* figure = std::get_if<Figure>(&item);
    if (figure != nullptr && figure->name == name && figure->output == output && std::isfinite(figure->value))
      return figure->value;
  }
  return std::nullopt;
}

std::optional<Split> split_of(const Evidence& evidence, const std::string& feature, const std::string& output) {
  for (const Result* result : evidence.results()) {
    if (result->method != "regional-effects") continue;
    Split split{.result = result};
    for (const ResultItem& item : result->results) {
      const auto* curve = std::get_if<Curve>(&item);
      if (curve == nullptr || curve->axis.feature != feature || curve->output != output || curve->group.empty())
        continue;
      double rows = 0;
      for (const double count : curve->count) rows += count;
      split.regions.push_back({curve, rows});
    }
    split.before = figure_in(*result, feature + ": heterogeneity before", output).value_or(0);
    split.explained = figure_in(*result, feature + ": share explained", output).value_or(0);
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
         "), and lower " + where(b) + " (by " + amount(bottom->second - top->second) + ")";
}

std::string differing(const Result& result, const Curve& a, const Curve& b) {
  const std::string name = name_of(a.axis.feature), quantity = predicted_quantity(result, a.output);
  if (a.axis.is_categorical()) {
    const std::string text = opposite_levels(result, a, b);
    return text.empty() ? text : "Of " + name + ": " + text;
  }
  const auto first = course_of(a), second = course_of(b);
  if (!first || !second) return {};
  const auto one_way = [](const Course& course) { return course.vertices.size() == 2; };
  const auto rises = [](const Course& course) {
    return course.vertices[0] < course.vertices[1] && course.high > course.low;
  };
  if (one_way(*first) && one_way(*second) && rises(*first) != rises(*second)) {
    const bool up = rises(*first);
    return capitalised(quantity) + " " + (up ? "rises" : "falls") + " with " + name + " " + where(a) + " (range " +
           amount_of(result, first->range) + "), but " + (up ? "falls " : "rises ") + where(b) + " (" +
           amount(second->range) + ")";
  }
  const double width = a.axis.numbers[first->trusted.back()] - a.axis.numbers[first->trusted.front()];
  const double x = a.axis.numbers[first->high], other = b.axis.numbers[second->high];
  const std::string unit = a.axis.unit.empty() ? "" : " " + printable(a.axis.unit, 30);
  const bool inner = first->vertices.size() > 2 && second->vertices.size() > 2;
  if (inner && std::abs(x - other) >= elsewhere * width) {
    return "Along " + name + ", " + quantity + " is highest at " + readable(x) + unit + " " + where(a) + ", but at " +
           readable(other) + unit + " " + where(b);
  }
  const bool wider = first->range > second->range;
  const double most = wider ? first->range : second->range, least = wider ? second->range : first->range;
  if (!(most >= times_as_far * least)) return {};
  return capitalised(quantity) + " moves by " + amount_of(result, most) + " along " + name + " " +
         where(wider ? a : b) + ", by " + amount(least) + " " + where(wider ? b : a);
}

std::optional<Candidate> regional(const Evidence& evidence, const std::string& feature, const FeatureCurve& found) {
  const auto split = split_of(evidence, feature, found.curve->output);
  if (!split || split->before < hidden || split->explained < least_explained) return std::nullopt;
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
    for (const ResultItem& item : result->results) {
      const auto* curve = std::get_if<Curve>(&item);
      if (curve == nullptr || curve->axis.feature != feature || curve->output != output || !curve->group.empty())
        continue;
      if (curve->measure != Measure::loss && curve->heterogeneity && std::isfinite(*curve->heterogeneity))
        return curve->heterogeneity;
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<Candidate> differences(const Evidence& evidence) {
  std::vector<std::string> top;
  for (const auto& feature : evidence.order()) {
    if (top.size() < features_seen && evidence.curve(feature) != nullptr) top.push_back(feature);
  }
  for (const auto& feature : top) {
    if (auto told = regional(evidence, feature, *evidence.curve(feature))) return {*told};
  }
  for (const auto& feature : top) {
    const FeatureCurve& found = *evidence.curve(feature);
    const auto share = heterogeneity_of(evidence, feature, found.curve->output);
    if (!share || *share < hidden_alone || *share > 1) continue;
    if (found.range < 0.1 * evidence.largest_range(*found.result)) continue;
    return {{{"The average curve of " + name_of(feature) + " stands for few rows: " + percent(*share) +
                  " of how single rows move along it is not in it.",
              {feature},
              "effects"},
             Place::rows,
             48,
             "differs " + feature}};
  }
  return {};
}

}  // namespace sightglass::telling
