#include "sightglass/render/description.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "sightglass/base/error.h"
#include "sightglass/insight/attribution_view.h"
#include "sightglass/insight/compared_models.h"
#include "sightglass/insight/groups/attribution_picture.h"
#include "sightglass/insight/groups/figures.h"
#include "sightglass/insight/probabilities.h"
#include "sightglass/insight/ranking.h"
#include "sightglass/insight/readable.h"
#include "sightglass/insight/shading.h"
#include "sightglass/insight/shown_levels.h"
#include "sightglass/render/shape_view.h"

namespace sightglass {

namespace {

constexpr std::size_t lines_described = 3;
constexpr std::size_t entries_described = 4;

std::string point(const Axis& axis, std::size_t i) {
  if (axis.is_categorical()) return "“" + printable(axis.levels[i], 60) + "”";
  return axis_number(axis, axis.numbers[i]);
}

struct Extremes {
  std::size_t low = 0, high = 0;
  bool any = false;
};

Extremes extremes(const std::vector<double>& values) {
  Extremes found;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) continue;
    if (!found.any || values[i] < values[found.low]) found.low = i;
    if (!found.any || values[i] > values[found.high]) found.high = i;
    found.any = true;
  }
  return found;
}

// "starts at 64 (-8.2), is highest at 261 (25.8), ends at 179 (39.4)"
std::string course(const Axis& axis, const std::vector<double>& mean, bool percents = false) {
  const Extremes found = extremes(mean);
  if (!found.any) return "has no values";
  const auto readable = [&](double value) { return percents ? percent(value) : sightglass::readable(value); };
  const auto at = [&](std::size_t i) { return readable(mean[i]) + " at " + point(axis, i); };
  if (axis.is_categorical()) return "is highest, " + at(found.high) + ", and lowest, " + at(found.low);
  const std::size_t last = mean.size() - 1;
  if (mean[found.low] == mean[found.high]) return "stays at " + readable(mean[found.low]);
  std::string text = "starts at " + at(0);
  // A last digit above an end is no peak worth a word.
  const auto stands_out = [&](std::size_t i) {
    return readable(mean[i]) != readable(mean[0]) && readable(mean[i]) != readable(mean[last]);
  };
  if (stands_out(found.high)) text += ", peaks at " + at(found.high);
  if (stands_out(found.low)) text += ", is lowest at " + at(found.low);
  return text + ", ends at " + at(last);
}

// One of several lines: "rises from 0.09 to 0.55".
std::string short_course(const Axis& axis, std::vector<double> heights, double offset, bool percents) {
  for (auto& height : heights) height -= offset;
  const Extremes found = extremes(heights);
  if (!found.any) return "has no values";
  const double low = heights[found.low], high = heights[found.high];
  if (readable(low) == readable(high)) return "stays at " + (percents ? percent(low) : readable(low));
  // As fine as the line's own range: next to 0.9, 0.0003875 is 0.0004.
  const std::vector<double> shown{low, high, heights.front(), heights.back()};
  const ColumnFormat format(shown, percents);
  const std::string span =
      format(low) + " (" + point(axis, found.low) + ") and " + format(high) + " (" + point(axis, found.high) + ")";
  if (!axis.is_categorical() && std::abs(heights.back() - heights.front()) >= 0.9 * (high - low)) {
    return (heights.back() > heights.front() ? "rises from " : "falls from ") + format(heights.front()) + " to " +
           format(heights.back());
  }
  return "moves between " + span;
}

// A sentence that follows another; empty if there is none.
std::string after(const std::string& sentence) { return sentence.empty() ? sentence : " " + sentence; }

std::string of_rows(const std::string& group) { return group.empty() ? "" : ", rows with " + printable(group); }

// As cautions say it: "above 37", "between 12 and 14.5".
std::string range_words(const MarkedRange& range) {
  const std::string low = readable(range.low), high = readable(range.high);
  if (range.from_start && range.to_end) return "at every value";
  if (range.from_start) return "below " + high;
  return range.to_end ? "above " + low : "between " + low + " and " + high;
}

// "above 37": the points of one kind.
std::string doubtful_places(const Curve& curve, bool extrapolated) {
  std::string list;
  const auto add = [&](const std::string& part) {
    if (list.size() < 80) {
      list += (list.empty() ? "" : ", ") + part;
    } else if (!list.ends_with("…")) {
      list += ", …";
    }
  };
  if (curve.axis.is_categorical()) {
    for (const auto i : extrapolated ? curve.extrapolated : curve.sparse) {
      if (i < curve.axis.size()) add(point(curve.axis, i));
    }
  } else {
    for (const auto& span : shaded_spans(curve)) {
      if (span.extrapolated == extrapolated) add(range_words(span.range));
    }
  }
  return list;
}

std::string sparse_places(const Curve& curve) {
  const std::string places = doubtful_places(curve, false);
  return places.empty() ? "" : " Few rows of the data: " + places + ".";
}

std::string extrapolated_places(const Curve& curve) {
  const std::string places = doubtful_places(curve, true);
  return places.empty() ? "" : " " + capitalised(std::string(extrapolated_words)) + ": " + places + ".";
}

std::string describe_curve(const Result& result, const CurveLines& group) {
  const Curve& first = *group.curve[0];
  const LineHeights heights = line_heights(group);
  const bool several = group.curve.size() > 1;
  const bool percents = told_in_percent(&result, first.measure);
  const bool one_output = group.lines != LinesBy::output || !several;
  std::string text = height_title(result, group, one_output ? first.output : "") + " against " + axis_title(first.axis);
  if (!several) {
    const std::string subject = first.measure == Measure::mean     ? "mean"
                                : first.measure == Measure::effect ? "effect"
                                                                   : loss_noun(first.loss);
    text += of_rows(first.group) + ". The " + subject + " " + course(first.axis, first.mean, percents);
    if (first.missing)
      text += "; it is " + (percents ? percent(first.missing->mean) : readable(first.missing->mean)) +
              " where the feature is missing";
    return text + "." + after(others_words(first, group.levels)) + sparse_places(first) + extrapolated_places(first);
  }
  static constexpr const char* kinds[] = {"output", "group of rows", "method"};
  const bool of_models = group.lines == LinesBy::series && !compared_models(result).empty();
  text += (first.axis.is_categorical() ? ", one point per " : ", one line per ") +
          std::string(of_models ? "model" : kinds[static_cast<std::size_t>(group.lines)]);
  if (group.lines != LinesBy::group) text += of_rows(first.group);
  text += ".";
  const auto labels = line_labels(group);
  const auto order = widest_first(group);
  const std::size_t shown = std::min(order.size(), lines_described);
  for (std::size_t k = 0; k < shown; ++k) {
    const Curve& curve = *group.curve[order[k]];
    // Names from the data stay as they are.
    const bool starts = k == 0 && group.lines == LinesBy::series && !of_models;
    const std::string label = starts ? capitalised(labels[order[k]]) : labels[order[k]];
    text +=
        (k == 0 ? " " : "; ") + label + " " + short_course(curve.axis, curve.mean, heights.offset[order[k]], percents);
  }
  text += ".";
  if (const std::size_t rest = order.size() - shown; rest > 0) {
    text += rest == 1 ? " 1 more moves less." : " " + std::to_string(rest) + " more move less.";
  }
  return text;
}

std::string describe_curves(const Result& result, const Curves& curves) {
  std::string text = curves_title(result, curves) + " against " + axis_title(curves.axis) + " for " +
                     std::to_string(curves.rows.size()) + " of " + readable(Value(curves.total_rows)) +
                     " rows, one line each" + of_rows(curves.group) + ".";
  if (const std::string anchor = anchor_of(curves); !anchor.empty()) text += " Every line is 0 at " + anchor + ".";
  if (!curves.mean.empty()) text += " Their mean " + course(curves.axis, curves.mean) + ".";
  if (const Extremes found = extremes(curves.sd); found.any && curves.sd.size() == curves.axis.size()) {
    text += " The lines differ most at " + point(curves.axis, found.high) + " (sd " + readable(curves.sd[found.high]) +
            ").";
  }
  return text;
}

std::string describe_surface(const Result& result, const Surface& surface) {
  const bool effect = surface.measure == Measure::effect;
  std::string text = (effect ? "joint " : "") + prediction_title(result, quantity_of(surface.measure), surface.output) +
                     " against " + axis_title(surface.first) + " and " + axis_title(surface.second) +
                     of_rows(surface.group) + ".";
  const bool between = lies_between_points(surface);
  std::vector<double> all;
  for (const auto& row : drawn_heights(surface)) all.insert(all.end(), row.begin(), row.end());
  const Extremes found = extremes(all);
  const std::size_t columns = surface.second.size() - (between ? 1 : 0);
  if (!found.any || columns == 0) return text + " There are no values.";
  const auto place = [&](const Axis& axis, std::size_t i) {
    return between ? point(axis, i) + " to " + point(axis, i + 1) : point(axis, i);
  };
  const auto at = [&](std::size_t i) {
    return readable(all[i]) + " at " + place(surface.first, i / columns) + " and " + place(surface.second, i % columns);
  };
  const ThinCells thin(surface);
  const auto doubt = [&](std::size_t i) -> std::string {
    const std::size_t row = i / columns, column = i % columns;
    if (between && !surface.count.empty() && !(surface.count[row][column] > 0)) return " (no rows)";
    if (!between && no_rows_at(surface, row, column)) return " (no rows)";
    return (between ? thin.between(row, column) : thin.at(row, column)) ? " (few rows)" : "";
  };
  text += " Highest " + at(found.high) + doubt(found.high) + ", lowest " + at(found.low) + doubt(found.low) + ".";
  std::size_t empty = 0, cells = 0;
  for (const auto& row : surface.count) {
    cells += row.size();
    for (const double count : row) empty += count > 0 ? 0 : 1;
  }
  if (empty > 0) {
    text += " " + std::to_string(empty) + " of " + std::to_string(cells) + " cells have no rows of the data.";
  }
  return text;
}

std::string adds(const Result& result, const std::string& label, double value) {
  return label + (value < 0 ? " takes away " : " adds ") + readable_prediction(result, std::abs(value));
}

std::string describe_attributions(const Result& result, const AttributionPicture& group) {
  const Attributions& item = *group.attributions;
  const std::string quantity = prediction_title(result, Quantity::single, item.output);
  if (group.view == AttributionView::row) {
    std::string text = quantity + " for " + row_name(item.rows, item.row_labels, group.shown) + of_rows(item.group) +
                       ": " + readable_prediction(result, item.prediction[group.shown]) + ", where the average is " +
                       readable_prediction(result, item.base) + ".";
    const auto steps = attribution_steps(item, group.shown);
    if (const auto so_far = running_probabilities(result, item, group.shown, steps); !so_far.empty()) {
      text += " In probabilities: " + probability_text(so_far.back()) + ", where the average margin is " +
              probability_text(so_far.front()) + ".";
    } else if (const auto response = response_of(item, group.shown)) {
      text += " " + capitalised(response->text()) + ".";
    }
    if (const std::string truth = truth_of(item, group.shown); !truth.empty()) text += " In truth: " + truth + ".";
    for (std::size_t i = 0; i < std::min(steps.size(), entries_described); ++i)
      text += (i == 0 ? " " : "; ") + adds(result, steps[i].label, steps[i].value);
    return text + ".";
  }
  if (item.rows.empty()) return "There are no rows.";
  const std::string rows = std::to_string(item.rows.size()) + " rows" + of_rows(item.group);
  if (group.view == AttributionView::feature) {
    const Axis& axis = item.features[group.shown];
    std::size_t low = 0, high = 0;
    for (std::size_t row = 1; row < item.rows.size(); ++row) {
      if (item.value(row, group.shown) < item.value(low, group.shown)) low = row;
      if (item.value(row, group.shown) > item.value(high, group.shown)) high = row;
    }
    return "What " + axis_title(axis) + " adds to the " + quantity + " of " + rows + ", against its own value. Most " +
           readable_prediction(result, item.value(high, group.shown)) + " (" + own_label(item, high, group.shown) +
           "), least " + readable_prediction(result, item.value(low, group.shown)) + " (" +
           own_label(item, low, group.shown) + ").";
  }
  std::string text = "What each feature adds to the " + quantity + ", " + rows + ", one dot each. The average is " +
                     readable_prediction(result, item.base) + ". Largest on average ";
  const auto order = by_mean_size(item);
  for (std::size_t i = 0; i < std::min(order.size(), entries_described); ++i) {
    text += (i == 0 ? "" : ", then ") + printable(item.features[order[i]].feature, 60) + " (" +
            readable_prediction(result, mean_size(item, order[i])) + ")";
  }
  return text + ".";
}

std::string read_attributions(const AttributionPicture& group) {
  const Attributions& item = *group.attributions;
  if (group.view == AttributionView::row) {
    std::string text =
        "From what is predicted on average, down to what is predicted for this row: each bar is what one feature adds "
        "or takes away, compared with average rows.";
    if (!item.se.empty()) text += " Thin lines: 95 % intervals of the estimate.";
    return text;
  }
  if (group.view == AttributionView::feature) {
    std::string text = "Each dot is one row: what this feature adds to its prediction, against the feature's value.";
    if (const auto other = companion(item, group.shown))
      text += " Colours: " + printable(item.features[*other].feature, 60) +
              ", which best tells apart dots above one another.";
    return text + " Dots that are spread at one value show interactions.";
  }
  std::string text =
      "Each dot is one row: what the feature adds to its prediction. Blue: the row's value of the feature is low, "
      "orange: it is high, grey: missing or without an order.";
  if (item.features.size() > features_in_swarm) {
    text += " " + std::to_string(item.features.size() - features_in_swarm) + " more features are in csv and json.";
  }
  return text;
}

// Where each measure is lowest and where it is highest.
std::string describe_group_scores(const Result& result, const Figures& group) {
  struct Ends {
    std::string title;
    const Figure *low = nullptr, *high = nullptr;
  };
  std::vector<Ends> measures;
  for (const Figure* figure : group.figure) {
    if (!std::isfinite(figure->value)) continue;
    const bool several = outputs_of(result).size() > 1 && !figure->output.empty();
    const std::string title =
        figure_title(result, *figure) + (several ? ", " + printable(figure->output, 40) : std::string());
    auto at = std::find_if(measures.begin(), measures.end(), [&](const Ends& each) { return each.title == title; });
    if (at == measures.end()) at = measures.insert(at, {.title = title, .low = figure, .high = figure});
    if (figure->value < at->low->value) at->low = figure;
    if (figure->value > at->high->value) at->high = figure;
  }
  std::string text;
  const auto end = [](const Figure& figure) {
    return figure_text(figure).value + " (" + printable(figure.group, 60) + ")";
  };
  for (const Ends& each : measures) {
    if (text.size() > 600) break;
    text += (text.empty() ? "" : " ") + capitalised(each.title) + ": from " + end(*each.low) + " to " +
            end(*each.high) + ".";
  }
  return text;
}

std::string describe_figures(const Result& result, const Figures& group) {
  if (group.compares_groups()) return describe_group_scores(result, group);
  std::string text;
  for (const Figure* figure : group.figure) {
    text += (text.empty() ? "" : " ") + figure_title(result, *figure) + ": " + figure_text(*figure).value + ".";
    if (text.size() > 600) break;
  }
  return text;
}

std::string read_surface(const Surface& surface, const LevelPlanPtr& plan) {
  const bool lines = surface.first.is_categorical() != surface.second.is_categorical() &&
                     std::max(surface.first.levels.size(), surface.second.levels.size()) <= 8;
  std::string text =
      surface.measure == Measure::effect
          ? "What both features do together, beyond the sum of what each does alone; 0 is no interaction."
          : "The mean prediction when both features of every row are set to these values.";
  const bool hatched = !surface.first.is_categorical() && !surface.second.is_categorical();
  if (!surface.count.empty() && !lines) {
    text += hatched ? " Hatched cells: the data have no rows there." : " Faded cells: the data have no rows there.";
    if (ThinCells(surface).any()) {
      text += " Faint cells: fewer than 5 rows, or hardly any for their size; the colours are scaled to the others.";
    }
  }
  // Once is enough of what the words mean.
  const std::string first = shown_words(surface.first, plan, levels_across);
  return text + after(first.empty() ? shown_words(surface.second, plan) : first);
}

std::string read_curves(const Curves& curves, const LevelPlanPtr& plan) {
  const bool centred = !anchor_of(curves).empty();
  std::string text = curves.derivative ? "Each thin line is one row: how steeply its prediction changes with this "
                                         "feature."
                     : centred ? "Each thin line is one row: how its prediction changes from where all lines meet."
                               : "Each thin line is one row: its prediction when only this feature changes.";
  if (!curves.mean.empty()) text += " The thick line is the mean of all rows.";
  if (curves.bands.size() > 1) {
    text += " Between the two dark lines are " + percent(curves.band_levels.back() - curves.band_levels.front()) +
            " of all rows.";
  }
  if (curves.derivative && !curves.sd.empty()) {
    return text + " Below: how much the slopes differ (sd). Where they do, there are interactions.";
  }
  text +=
      curves.derivative ? " Lines that differ mean interactions." : " Lines that are not parallel mean interactions.";
  const auto has_value = [](const std::optional<double>& value) { return value.has_value(); };
  if (std::any_of(curves.missing.begin(), curves.missing.end(), has_value)) {
    text += " Diamonds: the same rows with the value missing.";
  }
  return text + after(shown_words(curves.axis, plan, levels_across));
}

constexpr const char* compared =
    "Partial dependence sets every row to the value, an M-plot averages the rows that have it, ALE adds up local "
    "differences: where they part, other features are mixed in.";

std::string read_curve(const CurveLines& group) {
  const Curve& curve = *group.curve[0];
  const bool levels = curve.axis.is_categorical();
  const LineHeights heights = line_heights(group);
  const std::string value = levels ? "the level" : "the value on the axis";
  const bool groups = group.lines == LinesBy::group && group.curve.size() > 1;
  bool any_band = false;
  Doubt any;
  for (const Curve* line : group.curve) {
    any_band = any_band || !line->se_shape.empty();
    any.sparse = any.sparse || (levels && !line->sparse.empty());
    any.extrapolated = any.extrapolated || (levels && !line->extrapolated.empty());
  }
  for (const auto& span : shaded_spans(group)) (span.extrapolated ? any.extrapolated : any.sparse) = true;
  std::string text;
  if (heights.shifted) {
    text = "Differences to each line's own mean over the rows, so that they share an axis.";
    if (group.lines == LinesBy::series) text += std::string(" ") + compared;
  } else if (heights.measure == Measure::effect) {
    const std::string ticks = groups ? "" : " (ticks at the bottom)";
    text = curve.bin_count.empty() ? "What this feature adds to the mean prediction; 0 is nothing."
           : levels ? "How the prediction moves from level to level, from rows that have those levels: 0 is the "
                      "average effect."
                    : "How this feature moves the prediction, from differences within small steps" + ticks +
                          " added up: 0 is the average effect.";
  } else if (heights.measure == Measure::loss) {
    text = "The model's " + loss_noun(curve.loss) + (curve.loss && is_score(*curve.loss) ? " (higher is better)" : "") +
           " when this feature is disturbed: the steeper, the more the model relies on it.";
  } else if (curve.estimand == Estimand::conditional_mean && group.lines != LinesBy::series) {
    text = "The mean prediction of the rows near " + value + ": what other features do there is mixed in.";
  } else if (group.lines == LinesBy::series) {
    text = compared;
  } else {
    text = "The mean prediction when this feature of every row is set to " + value + ".";
  }
  if (any_band) {
    text += levels                             ? " The thin lines are 95 % intervals for differences between levels."
            : heights.measure == Measure::mean ? " The band is a 95 % interval for the shape of the curve."
                                               : " The band is a 95 % interval.";
  }
  if (any.any()) text += " " + marks_explained(any, levels);
  text += after(shown_words(group));
  const bool histogram = !curve.distribution.counts.empty() && !levels && !groups;
  if (histogram) text += " Below: how many rows of the data have such values, with deciles.";
  return text;
}

}  // namespace

std::string describe(const Result& result, const ItemGroup& group) {
  const auto words = view_of(group).words.describe;
  return words != nullptr ? capitalised(words(result, group)) : std::string();
}

std::string describe_frame(const Result& result, const CurveLines& group) {
  const Curve& first = *group.curve[0];
  return capitalised(height_title(result, group, first.output)) + " against " + axis_title(first.axis) + "." +
         sparse_places(first);
}

LineWords describe_line(const CurveLines& group, std::size_t line) {
  const Curve& curve = *group.curve[line];
  const std::string label = line_labels(group)[line];
  std::string verdict;
  if (curve.shape) verdict = std::string(to_string(*curve.shape));
  if (curve.heterogeneity) {
    verdict += (verdict.empty() ? "" : ", ") + difference_words(*curve.heterogeneity);
  }
  return {verdict.empty() ? verdict : label + ": " + verdict,
          capitalised(label) + " " +
              short_course(curve.axis, curve.mean, 0, told_in_percent(group.result, curve.measure)) + "." +
              extrapolated_places(curve)};
}

std::string how_to_read(const Result& result, const ItemGroup& group) {
  const auto words = view_of(group).words.how_to_read;
  return words != nullptr ? capitalised(words(result, group)) : std::string();
}

std::vector<std::string> badges(const ItemGroup& group) {
  const auto words = view_of(group).words.badges;
  return words != nullptr ? words(group) : std::vector<std::string>();
}

namespace {

std::vector<std::string> curve_badges(const CurveLines& group) {
  std::vector<std::string> list;
  if (group.curve.size() == 1) {
    const Curve& curve = *group.curve[0];
    if (curve.shape) list.push_back(std::string(to_string(*curve.shape)) + " shape");
    if (curve.heterogeneity) list.push_back(difference_words(*curve.heterogeneity));
    return list;
  }
  const auto labels = line_labels(group);
  const auto order = widest_first(group);
  std::set<CurveShape> shapes;
  std::optional<double> most;
  for (const Curve* curve : group.curve) {
    if (curve->shape) shapes.insert(*curve->shape);
    if (curve->heterogeneity) most = std::max(most.value_or(0), *curve->heterogeneity);
  }
  if (shapes.size() == 1) {
    list.push_back(std::string(to_string(*shapes.begin())) + " shapes");
  } else {
    for (const auto k : order) {
      if (list.size() == lines_described) break;
      const Curve& curve = *group.curve[k];
      if (curve.shape) list.push_back(labels[k] + ": " + std::string(to_string(*curve.shape)));
    }
  }
  if (most) list.push_back("differs from row to row (up to " + percent(*most) + ")");
  return list;
}

std::vector<std::string> curves_badges(const Curves& curves) {
  if (!curves.heterogeneity) return {};
  return {difference_words(*curves.heterogeneity)};
}

std::vector<std::string> attribution_badges(const AttributionPicture& group) {
  if (group.view != AttributionView::row) return {};
  const Attributions& item = *group.attributions;
  std::vector<std::string> list{"average " + readable_prediction(*group.result, item.base),
                                "this row " + readable_prediction(*group.result, item.prediction[group.shown])};
  const auto steps = attribution_steps(item, group.shown);
  const auto so_far = running_probabilities(*group.result, item, group.shown, steps);
  if (!so_far.empty()) {
    list[0] += " (" + probability_text(so_far.front()) + ")";
    list[1] += " (" + probability_text(so_far.back()) + ")";
  } else if (const auto response = response_of(item, group.shown)) {
    list.push_back(response->text());
  }
  if (const std::string truth = truth_of(item, group.shown); !truth.empty()) list.push_back("in truth " + truth);
  return list;
}

}  // namespace

const ShapeWords curve_words = words_by<describe_curve, read_curve, curve_badges>();
const ShapeWords curves_words{
    [](const Result& result, const ItemGroup& group) { return describe_curves(result, *group.item<Curves>()); },
    [](const Result&, const ItemGroup& group) { return read_curves(*group.item<Curves>(), group->levels); },
    [](const ItemGroup& group) { return curves_badges(*group.item<Curves>()); }};
const ShapeWords surface_words{
    [](const Result& result, const ItemGroup& group) { return describe_surface(result, *group.item<Surface>()); },
    [](const Result&, const ItemGroup& group) { return read_surface(*group.item<Surface>(), group->levels); }};
const ShapeWords attribution_words = words_by<describe_attributions, read_attributions, attribution_badges>();
const ShapeWords figure_words{
    [](const Result& result, const ItemGroup& group) { return describe_figures(result, group); },
    [](const Result&, const ItemGroup& group) {
      const bool groups = group.as<Figures>() != nullptr && group.as<Figures>()->compares_groups();
      return std::string(groups
                             ? "How good the predictions are in each group of rows, with 95 % intervals. Groups with "
                               "more varied outcomes have larger errors and, often, a higher R²."
                             : "Numbers about the model as a whole.");
    }};

}  // namespace sightglass
