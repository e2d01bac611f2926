// How the top features act: up, down, turning, in steps; levels by the highest and the lowest.
#include <algorithm>
#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/insight/findings/course_internal.h"
#include "sightglass/insight/findings/evidence_internal.h"
#include "sightglass/insight/interval.h"
#include "sightglass/insight/probabilities.h"
#include "sightglass/insight/readable.h"

namespace sightglass::finders {

namespace {

constexpr std::size_t most_effects = 3;
// What less important features do is not what to know first, even if nothing can be told of those before them.
constexpr std::size_t most_important_features = 5;
constexpr std::size_t most_peaks = 3;
// Rows without a value that a sentence can stand on: as many as a point of a curve needs.
constexpr double least_missing_rows = 10;
constexpr double least_missing_share = 0.005;
// Places are told to about this share of the curve's width.
constexpr double place_share = 0.01;

// Places on a numeric axis, as fine as the axis is wide.
class Places {
 public:
  Places(const Axis& axis, const Course& course)
      : axis_(axis), unit_(axis.unit.empty() ? "" : " " + printable(axis.unit, 30)) {
    const double width = axis.numbers[course.trusted.back()] - axis.numbers[course.trusted.front()];
    step_ = std::pow(10, std::floor(std::log10(place_share * width)));
    if (!std::isfinite(step_) || !(step_ > 0)) step_ = 0;
  }
  [[nodiscard]] std::string number(std::size_t i) const {
    const double value = axis_.numbers[i];
    if (axis_.dates || are_years(axis_.numbers)) return axis_number(axis_, value);
    const double rounded = step_ > 0 ? std::round(value / step_) * step_ : value;
    const std::vector<double> one{std::isfinite(rounded) ? rounded : value};
    return ColumnFormat(one)(one[0]);
  }
  [[nodiscard]] std::string at(std::size_t i) const { return number(i) + unit_; }
  [[nodiscard]] std::string between(std::size_t a, std::size_t b) const {
    return "between " + number(a) + " and " + number(b) + unit_;
  }
  [[nodiscard]] std::string several(const std::vector<std::size_t>& points) const {
    std::vector<std::string> numbers;
    for (const auto i : points) numbers.push_back(number(i));
    return listed(numbers) + unit_;
  }

 private:
  const Axis& axis_;
  std::string unit_;
  double step_ = 0;
};

std::string verb(Move move) { return move == Move::up ? "rises" : move == Move::down ? "falls" : "hardly changes"; }

// "rises with temp up to 16 °C, hardly changes up to 29 °C, then falls"
std::string in_pieces(const Course& course, const Places& places, const std::string& name) {
  std::string text;
  for (std::size_t k = 0; k < course.pieces.size(); ++k) {
    const Piece& piece = course.pieces[k];
    const bool last = k + 1 == course.pieces.size();
    text += k == 0 ? "" : last ? ", then " : ", ";
    text += verb(piece.move) + (k == 0 ? " with " + name : "");
    if (k > 1 && piece.move != Move::level && piece.move == course.pieces[k - 2].move) text += " again";
    if (!last) text += " up to " + places.at(piece.to);
  }
  return text;
}

std::string ups_and_downs(const Curve& curve, const Course& course, const Places& places, const std::string& name) {
  std::vector<std::size_t> peaks;
  for (std::size_t k = 1; k + 1 < course.vertices.size(); ++k) {
    if (curve.mean[course.vertices[k]] > curve.mean[course.vertices[k - 1]]) peaks.push_back(course.vertices[k]);
  }
  const bool told = peaks.size() > 1 && peaks.size() <= most_peaks &&
                    std::find(peaks.begin(), peaks.end(), course.high) != peaks.end();
  if (told) {
    return "goes up and down along " + name + ", with peaks at " + places.several(peaks) + ", the highest at " +
           places.at(course.high) + ", and is lowest at " + places.at(course.low);
  }
  return "goes up and down along " + name + ", highest at " + places.at(course.high) + ", lowest at " +
         places.at(course.low);
}

// How far a curve moves: "1.3 in log-odds (12 % to 34 %)"; where it is of effects, these are of the average row.
std::string reach(const Result& result, const Curve& curve, double range, std::size_t low, std::size_t high) {
  const auto known = CurveProbabilities::of(result, curve);
  if (!known) return amount_of(result, range);
  return amount_of(result, range) + " (" + probability_text(known->at(curve.mean[low])) + " to " +
         probability_text(known->at(curve.mean[high])) +
         (curve.measure == Measure::effect ? " at the average row)" : ")");
}

std::string per_unit(const Result& result, const Curve& curve, const Course& course) {
  const double width = curve.axis.numbers[course.trusted.back()] - curve.axis.numbers[course.trusted.front()];
  const double rise = std::abs(curve.mean[course.trusted.back()] - curve.mean[course.trusted.front()]) / width;
  if (!std::isfinite(rise)) return {};
  if (curve.axis.dates) {
    // Steps of a second are none that anybody takes.
    const double per_day = units_per_day(curve.axis.dates.unit), days = width / per_day;
    if (days < 10) return {};
    const bool years = days >= 365;
    return ", by about " + amount_of(result, rise * per_day * (years ? 365.2425 : 1)) +
           (years ? " per year" : " per day");
  }
  if (curve.axis.unit.empty()) return {};
  return ", by about " + amount_of(result, rise) + " per " + printable(curve.axis.unit, 30);
}

std::string along_number(const Result& result, const Curve& curve, const Course& course) {
  const Places places(curve.axis, course);
  const std::string name = name_of(curve.axis.feature);
  const std::string moved = reach(result, curve, course.range, course.low, course.high);
  std::string range = "; range " + moved;
  // Else the whole sentence says so.
  const bool further = course.everywhere && !course.range_everywhere;
  if (further) range += " " + places.between(course.trusted.front(), course.trusted.back());
  if (course.step && !further) {
    const double part = std::abs(curve.mean[course.step->second] - curve.mean[course.step->first]);
    const std::string way = curve.mean[course.step->second] > curve.mean[course.step->first] ? "rises" : "falls";
    return way + " with " + name + " by " + moved + ", most of it (" + bare_amount(result, part) + ") " +
           places.between(course.step->first, course.step->second);
  }
  if (course.even) {
    return (course.vertices[0] == course.low ? "rises" : "falls") + std::string(" evenly with ") + name +
           per_unit(result, curve, course) + range;
  }
  if (course.pieces.size() > most_pieces) return ups_and_downs(curve, course, places, name) + range;
  const std::string small = course.turn > least_turn ? " on the whole, with ups and downs" : "";
  return in_pieces(course, places, name) + small + range;
}

// The levels that can be trusted, highest and lowest.
std::string among_levels(const Result& result, const Curve& curve) {
  const auto trusted = trusted_points(curve);
  if (!trusted_enough(curve, trusted)) return {};
  std::size_t low = trusted.front(), high = low;
  for (const auto i : trusted) {
    if (curve.mean[i] < curve.mean[low]) low = i;
    if (curve.mean[i] > curve.mean[high]) high = i;
  }
  const double range = curve.mean[high] - curve.mean[low];
  const double noise = 1e-9 * std::max(std::abs(curve.mean[high]), std::abs(curve.mean[low]));
  if (!std::isfinite(range) || !(range > noise) || !(range > uncertainty(curve, low, high))) return {};
  const std::string name = name_of(curve.axis.feature);
  const std::string top = level_name(curve.axis.levels[high]), bottom = level_name(curve.axis.levels[low]);
  if (trusted.size() == 2) {
    return "is " + reach(result, curve, range, low, high) + " higher where " + name + " is " + top +
           " than where it is " + bottom;
  }
  return "is highest where " + name + " is " + top + ", lowest where it is " + bottom + ": " +
         reach(result, curve, range, low, high) + " apart";
}

// The first sentence names what is predicted; the others need not.
std::string subject(const FeatureCurve& found, bool first) {
  const Result& result = *found.result;
  const bool one = found.outputs == 1 && !predicts_probabilities(result);
  return one && !first ? "the prediction" : predicted_quantity(result, found.curve->output);
}

// A report leaves some out where a model has many.
bool has_all_outputs(const Result& result) {
  const Value* all = result.model.find("outputs");
  return all == nullptr || !all->is_array() || all->as_array().size() <= outputs_of(result).size();
}

std::optional<std::string> sentence(const FeatureCurve& found, bool first) {
  const Clause clause = clause_of(*found.result, *found.curve);
  if (clause.text.empty()) return std::nullopt;
  std::string text = clause.domain;
  if (!text.empty()) text += " ";
  text += subject(found, first) + " " + clause.text;
  if (found.outputs > 2) {
    text += predicts_probabilities(*found.result) ? "; no other class" : "; no other output";
    text += has_all_outputs(*found.result) ? " moves as far" : " shown moves as far";
  }
  if (!found.by.empty()) text += " (" + found.by + ")";
  return capitalised(text) + ".";
}

// The curve of the average prediction, which may have a point where the feature is missing.
std::optional<FeatureCurve> with_missing(const Evidence& evidence, const FeatureCurve& found) {
  for (const Result* result : evidence.results()) {
    for (const ResultItem& item : result->results) {
      const auto* curve = item.as<Curve>();
      if (curve == nullptr || !curve->missing || !std::isfinite(curve->missing->mean)) continue;
      if (curve->axis.feature != found.curve->axis.feature || curve->output != found.curve->output) continue;
      if (curve->estimand == Estimand::partial_dependence && curve->group.empty() && curve->series.empty())
        return FeatureCurve{.result = result, .curve = curve};
    }
  }
  return std::nullopt;
}

// Counts of weighted rows are sums of weights.
std::string missing_rows(const Result& result, double count, double all) {
  const bool weighted = !text_member(result.data, "weights").empty();
  return weighted ? percent(count / all) + " by weight" : readable(count) + " rows";
}

// Where the feature is missing the model predicts what it predicts at no value.
std::optional<Candidate> missing_apart(const Evidence& evidence, const FeatureCurve& of_feature) {
  const auto found = with_missing(evidence, of_feature);
  if (!found) return std::nullopt;
  const Curve& curve = *found->curve;
  const MissingPoint& missing = *curve.missing;
  double rows = missing.count;
  for (const double count : curve.count) rows += count;
  if (!(missing.count >= std::max(least_missing_rows, least_missing_share * rows))) return std::nullopt;
  const auto trusted = trusted_points(curve);
  if (!trusted_enough(curve, trusted)) return std::nullopt;
  double low = INFINITY, high = -INFINITY;
  for (const auto i : trusted) {
    low = std::min(low, curve.mean[i]);
    high = std::max(high, curve.mean[i]);
  }
  const double beyond = std::max(missing.mean - high, low - missing.mean);
  if (!(beyond > least_range * (high - low)) || !(beyond > interval_width * missing.se_shape)) return std::nullopt;
  return Candidate{
      {"Where " + name_of(curve.axis.feature) + " is missing (" + missing_rows(*found->result, missing.count, rows) +
           "), " + predicted_quantity(*found->result, curve.output) + " is " + amount_of(*found->result, beyond) +
           (missing.mean > high ? " higher" : " lower") + " than at any value.",
       {curve.axis.feature},
       "effects"},
      Place::single,
      47,
      {}};
}

}  // namespace

Clause clause_of(const Result& result, const Curve& curve) {
  if (curve.axis.is_categorical()) return {"", among_levels(result, curve)};
  const auto course = course_of(curve);
  if (!course) return {};
  Clause clause;
  clause.text = along_number(result, curve, *course);
  if (!course->everywhere)
    clause.domain = Places(curve.axis, *course).between(course->trusted.front(), course->trusted.back());
  return clause;
}

std::vector<Candidate> effects(const Evidence& evidence) {
  std::vector<Candidate> list;
  static constexpr int worth[] = {80, 60, 45};
  std::optional<Candidate> missing;
  for (std::size_t place = 0; place < evidence.order().size(); ++place) {
    const std::string& feature = evidence.order()[place];
    const FeatureCurve* found = evidence.curve(feature);
    if (found == nullptr || found->range < least_range * evidence.largest_range(*found->result)) continue;
    if (!missing) missing = missing_apart(evidence, *found);
    if (list.size() == most_effects || place >= most_important_features) continue;
    // Differences added up along features that go together may leave what a probability can be.
    if (predicts_probabilities(*found->result) && found->range > 1) continue;
    const auto text = sentence(*found, list.empty());
    if (!text) continue;
    list.push_back({{*text, {feature}, "effects"}, Place::effect, worth[list.size()]});
  }
  if (missing) list.push_back(std::move(*missing));
  return list;
}

}  // namespace sightglass::finders
