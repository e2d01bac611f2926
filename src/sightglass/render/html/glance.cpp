// How far the mean prediction moves along each feature: the first thing one wants to compare.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "sightglass/base/error.h"
#include "sightglass/insight/compared_models.h"
#include "sightglass/insight/effects.h"
#include "sightglass/insight/findings/course_internal.h"
#include "sightglass/insight/findings/evidence_internal.h"
#include "sightglass/insight/groups/curve_lines.h"
#include "sightglass/insight/readable.h"
#include "sightglass/render/html/draft_internal.h"

namespace sightglass::html {

namespace {

constexpr std::size_t spark_points = 48;

// Places on a curve's axis that are shown here, where not all are: of numbers evenly spread ones; of levels the highest
// and the lowest of those that the range is about.
std::vector<std::size_t> places_of(const Curve& curve) {
  const std::size_t size = curve.mean.size();
  std::vector<std::size_t> places;
  if (!curve.axis.is_categorical()) {
    const std::size_t shown = std::min(size, spark_points);
    for (std::size_t i = 0; i < shown; ++i) places.push_back(shown < 2 ? 0 : i * (size - 1) / (shown - 1));
    return places;
  }
  if (finders::trusted_range(curve) > 0) {
    places = finders::trusted_points(curve);
  } else {
    for (std::size_t i = 0; i < size; ++i) {
      if (std::isfinite(curve.mean[i])) places.push_back(i);
    }
  }
  if (places.size() <= spark_points) return places;
  std::stable_sort(places.begin(), places.end(),
                   [&](std::size_t a, std::size_t b) { return curve.mean[a] > curve.mean[b]; });
  constexpr auto half = static_cast<std::ptrdiff_t>(spark_points / 2);
  places.erase(places.begin() + half, places.end() - half);
  std::sort(places.begin(), places.end());
  return places;
}

// Of methods that are compared, effects count: the others mix in what other features do.
std::size_t told_line(const CurveLines& group) {
  if (group.lines == LinesBy::series) {
    for (std::size_t k = 0; k < group.curve.size(); ++k) {
      const Curve& curve = *group.curve[k];
      if (curve.estimand == Estimand::accumulated_local_effect) return k;
    }
    return 0;
  }
  return widest_first(group)[0];
}

// From 0 to 1 between the least and the greatest.
class Shares {
 public:
  void add(double value) {
    if (!std::isfinite(value)) return;
    low_ = std::min(low_, value);
    high_ = std::max(high_, value);
  }
  // Halves, so that the largest numbers there are do not overflow.
  [[nodiscard]] double operator()(double value) const {
    const double span = high_ / 2 - low_ / 2;
    return span > 0 ? std::round(1000 * (value / 2 - low_ / 2) / span) / 1000 : 0.5;
  }

 private:
  double low_ = INFINITY, high_ = -INFINITY;
};

// The lines of one chart, small, numeric features at their values. Only shapes are compared: each line is centred,
// because the lines of classes may lie far apart.
struct Sparks {
  Shares x, y;

  Sparks(const CurveLines& group, const std::vector<std::size_t>& lines) {
    for (const auto k : lines) {
      const double centre = centre_of(*group.curve[k]);
      for (const double value : group.curve[k]->axis.numbers) x.add(value);
      const Curve& curve = *group.curve[k];
      if (curve.axis.is_categorical()) {
        for (const std::size_t place : places_of(curve)) y.add(curve.mean[place] - centre);
      } else {
        for (const double height : curve.mean) y.add(height - centre);
      }
    }
  }
  static double centre_of(const Curve& curve) {
    double low = INFINITY, high = -INFINITY;
    for (const double height : curve.mean) {
      if (!std::isfinite(height)) continue;
      low = std::min(low, height);
      high = std::max(high, height);
    }
    return low <= high ? low / 2 + high / 2 : 0;
  }
  // [[x, y], …]; levels have no place of their own.
  [[nodiscard]] Value of(const CurveLines& group, std::size_t k) const {
    const Curve& curve = *group.curve[k];
    const bool levels = curve.axis.is_categorical();
    const double centre = centre_of(curve);
    Value points = Value::array();
    const auto places = places_of(curve);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const double right = levels ? static_cast<double>(i) : x(curve.axis.numbers[places[i]]);
      const double up = y(curve.mean[places[i]] - centre);
      if (std::isfinite(right) && std::isfinite(up)) points.push_back(Value::array().push_back(right).push_back(up));
    }
    return points;
  }
};

// Which of several lines the row is about.
std::string told_of(const CurveLines& group, std::size_t told) {
  if (group.curve.size() < 2) return {};
  const std::string label = line_labels(group)[told], count = std::to_string(group.curve.size());
  switch (group.lines) {
    case LinesBy::output: return "for " + label + ", which moves most of " + count;
    case LinesBy::group: return "where " + label + ", which moves most of " + count + " groups of rows";
    case LinesBy::series:
      return group.result != nullptr && !compared_models(*group.result).empty()
                 ? "in " + label +
                       (group.curve[0]->axis.is_categorical() ? ""
                                                              : "; faint: " + line_labels(group)[told == 0 ? 1 : 0])
                 : "by " + label + ", of " + count + " methods";
  }
  return label;
}

std::string plain_shape(CurveShape shape) {
  static constexpr const char* shapes[] = {"flat", "straight line", "one way", "up and down"};
  return shapes[static_cast<std::size_t>(shape)];
}

// In a word or two, where there is no sentence of its own.
std::string course_of(const Curve& curve, CurveShape shape) {
  const bool up = curve.mean.back() > curve.mean.front();
  switch (shape) {
    case CurveShape::constant: return "hardly changes";
    case CurveShape::linear: return up ? "rises evenly" : "falls evenly";
    case CurveShape::monotone: return up ? "rises" : "falls";
    case CurveShape::complex: return "goes up and down";
  }
  return {};
}

void name_ends(const Curve& curve, Glance& glance) {
  if (glance.categorical) {
    for (const std::size_t place : places_of(curve)) glance.levels.push_back(printable(curve.axis.levels[place], 40));
    glance.all_levels = curve.axis.levels.size();
    return;
  }
  const auto numbers = axis_numbers(curve.axis);
  if (numbers.empty()) return;
  glance.from = numbers.front();
  glance.to = numbers.back();
}

Glance glance_of(const CurveLines& group, std::size_t section) {
  Glance glance;
  glance.section = section;
  glance.title = group.title();
  glance.categorical = group.curve[0]->axis.is_categorical();
  const std::size_t told = told_line(group);
  const Curve& curve = *group.curve[told];
  // As the sentences have it, so that a page has one range of a feature.
  glance.range = finders::trusted_range(curve);
  if (!(glance.range > 0)) glance.range = range_of(curve.mean);
  glance.line = told_of(group, told);
  if (curve.shape) glance.shape = plain_shape(*curve.shape);
  if (curve.shape && !glance.categorical) glance.course = course_of(curve, *curve.shape);
  // Methods that are compared see the same rows: whichever of them knows how much these differ.
  for (const Curve* line : group.curve) {
    const bool counts = line == &curve || group.lines == LinesBy::series;
    if (counts && line->heterogeneity && (glance.differs.empty() || line == &curve)) {
      glance.differs = percent(*line->heterogeneity);
    }
  }
  // Other groups and outputs behind it; what other methods say is for the chart.
  std::vector<std::size_t> lines{told};
  const bool two = group.result != nullptr && !compared_models(*group.result).empty();
  for (std::size_t k = 0; k < group.curve.size(); ++k) {
    if (k != told && !glance.categorical && (group.lines != LinesBy::series || two)) lines.push_back(k);
  }
  const Sparks sparks(group, lines);
  glance.spark = sparks.of(group, told);
  name_ends(curve, glance);
  for (std::size_t i = 1; i < lines.size(); ++i) glance.others.push_back(sparks.of(group, lines[i]));
  return glance;
}

// What is told of a feature that several methods explain: the first of these, then whatever comes first.
std::size_t preference(const Picture& picture) {
  const CurveLines& lines = picture.group;
  if (lines.lines == LinesBy::series) return 0;
  static constexpr Estimand order[] = {Estimand::accumulated_local_effect, Estimand::partial_dependence,
                                       Estimand::conditional_mean};
  const Estimand estimand = lines.curve[0]->estimand;
  const auto* found = std::find(std::begin(order), std::end(order), estimand);
  const auto place = 1 + static_cast<std::size_t>(found - std::begin(order));
  return estimand == Estimand::component ? place + 1 : place;
}

// As charts that several methods share call it.
std::string short_title(const Picture& picture) {
  const CurveLines& lines = picture.group;
  switch (lines.curve[0]->estimand) {
    case Estimand::accumulated_local_effect: return effect_label(EffectMethod::ale);
    case Estimand::partial_dependence: return effect_label(EffectMethod::partial_dependence);
    default: return method_title(*picture.result);
  }
}

std::optional<std::size_t> section_of(const Draft& draft, const Picture& picture) {
  return draft.find({picture.group.axes()[0]->feature});
}

// How much rows differ, by another method that tells of the same lines: ALE does not know it.
std::string difference_among(const std::vector<const Picture*>& pictures, const Picture& of) {
  const CurveLines& lines = of.group;
  const Curve& told = *lines.curve[told_line(lines)];
  for (const Picture* other : pictures) {
    if (other->subject != of.subject) continue;
    for (const Curve* curve : other->group.as<CurveLines>()->curve) {
      const bool same =
          curve->axis.feature == told.axis.feature && curve->output == told.output && curve->group == told.group;
      if (same && curve->heterogeneity) return percent(*curve->heterogeneity);
    }
  }
  return {};
}

}  // namespace

std::vector<Glance> glances_of(Draft& draft) {
  std::vector<const Picture*> pictures;
  for (const auto& picture : draft.pictures()) {
    const auto* lines = picture.group.as<CurveLines>();
    if (picture.result->about.family == Family::surrogates) continue;  // not what the model does
    if (lines != nullptr && !lines->is_empty() && lines->curve[0]->measure != Measure::loss)
      pictures.push_back(&picture);
  }
  std::stable_sort(pictures.begin(), pictures.end(),
                   [](const Picture* a, const Picture* b) { return preference(*a) < preference(*b); });
  std::map<std::size_t, std::set<std::string>> methods;  // per section
  for (const Picture* picture : pictures) {
    if (const auto section = section_of(draft, *picture)) methods[*section].insert(picture->result->method);
  }
  std::map<std::size_t, const Result*> told;  // which result is at a glance, per section
  std::vector<Glance> glances;
  for (const Picture* picture : pictures) {
    const auto section = section_of(draft, *picture);
    // One method per feature: a second one would say nearly the same again.
    if (!section || told.try_emplace(*section, picture->result).first->second != picture->result) continue;
    glances.push_back(glance_of(picture->group, *section));
    if (glances.back().differs.empty()) glances.back().differs = difference_among(pictures, *picture);
    // Whose range it is, where there are others.
    if (methods[*section].size() > 1 && picture->group.as<CurveLines>()->lines != LinesBy::series)
      glances.back().by = short_title(*picture);
    if (std::string& line = glances.back().line; !picture->subject.empty())
      line += (line.empty() ? "" : " · ") + picture->subject;
    glances.back().unit = prediction_unit(*picture->result);
    glances.back().shown_range = predicts_probabilities(*picture->result) ? percent(glances.back().range)
                                                                          : finders::amount(glances.back().range);
    glances.back().sized = finders::amount_of(*picture->result, glances.back().range);
    glances.back().quantity = prediction_title(*picture->result, Quantity::mean, "");
  }
  std::map<std::string, double> largest;
  for (const auto& glance : glances) largest[glance.quantity] = std::max(largest[glance.quantity], glance.range);
  for (auto& glance : glances) glance.share = glance.range > 0 ? glance.range / largest[glance.quantity] : 0;
  std::stable_sort(glances.begin(), glances.end(), [](const Glance& a, const Glance& b) { return a.share > b.share; });
  return glances;
}

Value glances_value(const std::vector<Glance>& glances) {
  Value list = Value::array();
  for (const auto& glance : glances) {
    list.push_back(Value::object({{"section", Value(static_cast<std::uint64_t>(glance.section))},
                                  {"title", glance.title},
                                  {"line", glance.line},
                                  {"by", glance.by},
                                  {"range", glance.shown_range},
                                  {"unit", glance.unit},
                                  {"share", glance.share},
                                  {"shape", glance.shape},
                                  {"differs", glance.differs},
                                  {"from", glance.from},
                                  {"to", glance.to},
                                  {"levels", Value(glance.levels)},
                                  {"all_levels", Value(static_cast<std::uint64_t>(glance.all_levels))},
                                  {"categorical", glance.categorical},
                                  {"spark", glance.spark},
                                  {"others", glance.others}}));
  }
  return list;
}

}  // namespace sightglass::html
