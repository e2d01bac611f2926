#include "sightglass/insight/shown_levels.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "sightglass/insight/readable.h"
#include "sightglass/insight/shading.h"
#include "sightglass/result/shapes/attributions.h"
#include "sightglass/result/shapes/curves.h"
#include "sightglass/result/shapes/surface.h"

namespace sightglass {

namespace {

constexpr double few_rows = 10;

// Which of what is known of a feature is believed first.
enum class Source { curves, curves_of_groups, single_rows, surfaces, attributions, losses };

// What one item says of the levels of a feature, one entry each.
struct Told {
  Source source = Source::curves;
  bool by_likeness = false;  // levels are in the order of accumulated effects, in which similar ones are neighbours
  std::vector<std::string> levels;
  std::vector<double> height, size;  // of the effect: how far it is from the mean
  std::vector<double> rows;          // empty if nothing says so
};

double at(const std::vector<double>& values, std::size_t i) { return i < values.size() ? values[i] : 0; }

double positive(double value) { return std::isfinite(value) && value > 0 ? value : 0; }

// The mean of those that are numbers, by weight; of all alike where no weight is known. NaN if there is none.
double weighted_mean(const std::vector<double>& values, const std::vector<double>& weights) {
  double sum = 0, weight = 0;
  const bool weighted = std::any_of(weights.begin(), weights.end(), [](double each) { return positive(each) > 0; });
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double each = weighted ? positive(at(weights, i)) : 1;
    if (!std::isfinite(values[i]) || each == 0) continue;
    weight += each;
    sum += (values[i] - sum) * (each / weight);  // never beyond the values themselves
  }
  return weight > 0 ? sum : std::nan("");
}

void measure_sizes(Told& told) {
  const double mean = weighted_mean(told.height, told.rows);
  for (const double height : told.height)
    told.size.push_back(std::isfinite(height) && std::isfinite(mean) ? std::abs(height - mean) : 0);
}

Told told_by(const Curve& curve) {
  Told told;
  told.source = curve.measure == Measure::loss ? Source::losses
                : curve.group.empty()          ? Source::curves
                                               : Source::curves_of_groups;
  told.by_likeness = curve.estimand == Estimand::accumulated_local_effect;
  told.levels = curve.axis.levels;
  told.height = curve.mean;
  told.rows = curve.count.empty() ? curve.distribution.counts : curve.count;
  measure_sizes(told);
  return told;
}

Told told_by(const Curves& curves) {
  Told told;
  told.source = Source::single_rows;
  told.levels = curves.axis.levels;
  told.height = curves.mean;
  if (told.height.empty()) {
    for (std::size_t i = 0; i < told.levels.size(); ++i) {
      std::vector<double> values;
      for (const auto& row : curves.values) values.push_back(row[i]);
      told.height.push_back(weighted_mean(values, {}));
    }
  }
  told.rows = curves.distribution.counts;
  measure_sizes(told);
  return told;
}

Told told_by(const Surface& surface, bool of_second) {
  Told told;
  told.source = Source::surfaces;
  told.by_likeness = surface.estimand == Estimand::accumulated_local_effect;
  const Axis &axis = of_second ? surface.second : surface.first, &other = of_second ? surface.first : surface.second;
  told.levels = axis.levels;
  // Rows of effects are counted between levels: they are no level's own.
  const bool counted = !surface.count.empty() && surface.measure != Measure::effect;
  std::vector<std::vector<double>> along(axis.size());
  for (std::size_t i = 0; i < axis.size(); ++i) {
    std::vector<double> weights;
    for (std::size_t j = 0; j < other.size(); ++j) {
      const auto [a, b] = of_second ? std::pair(j, i) : std::pair(i, j);
      along[i].push_back(surface.mean[a][b]);
      if (counted) weights.push_back(positive(surface.count[a][b]));
    }
    told.height.push_back(weighted_mean(along[i], weights));
    if (counted) told.rows.push_back(std::accumulate(weights.begin(), weights.end(), 0.0));
  }
  // A joint effect is far from the mean here and there, not on the whole.
  const double mean = weighted_mean(told.height, told.rows);
  for (auto& line : along) {
    for (double& height : line) height = std::abs(height - mean);
    told.size.push_back(positive(weighted_mean(line, {})));
  }
  return told;
}

Told told_by(const Attributions& item, std::size_t feature) {
  Told told;
  told.source = Source::attributions;
  const std::size_t levels = item.features[feature].levels.size();
  std::vector<double> sum(levels), size(levels), rows(levels);
  for (std::size_t row = 0; row < item.rows.size(); ++row) {
    const double own = item.own(row, feature), value = item.value(row, feature);
    if (!(own >= 0 && own < static_cast<double>(levels)) || !std::isfinite(value)) continue;
    const auto level = static_cast<std::size_t>(own);
    ++rows[level];
    sum[level] += value;
    size[level] += std::abs(value);
  }
  for (std::size_t i = 0; i < levels; ++i) {
    if (rows[i] == 0) continue;
    told.levels.push_back(item.features[feature].levels[i]);
    told.height.push_back(sum[i] / rows[i]);
    told.size.push_back(size[i] / rows[i]);
    told.rows.push_back(rows[i]);
  }
  return told;
}

// 2 before 10, numbers before names.
bool name_before(const std::string& a, const std::string& b) {
  const auto is_number = [](const std::string& name) {
    return !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
  };
  const bool first = is_number(a), second = is_number(b);
  if (first != second) return first;
  if (first && a.size() != b.size()) return a.size() < b.size();
  return a < b;
}

// All that is known of one level.
struct Known {
  std::string name;
  double score = 0, rows = 0;
  double height = std::nan("");
};

// Of the best source; a level that stands twice counts once.
std::vector<Known> known_levels(const std::vector<Told>& all) {
  Source best = Source::losses;
  for (const Told& told : all) best = std::min(best, told.source);
  std::vector<Known> levels;
  std::unordered_map<std::string, std::size_t> place;
  const auto add = [&](const std::string& name) -> Known& {
    const auto [found, added] = place.try_emplace(name, levels.size());
    if (added) levels.push_back({name, 0, 0, std::nan("")});
    return levels[found->second];
  };
  for (const Told& told : all) {
    if (told.source != best) continue;
    std::vector<double> scores;
    for (std::size_t i = 0; i < told.levels.size(); ++i)
      scores.push_back(positive(told.size[i] * (told.rows.empty() ? 1 : positive(at(told.rows, i)))));
    // Shares, so that results in different units (classes, margins) count alike.
    const double total = positive(std::accumulate(scores.begin(), scores.end(), 0.0));
    for (std::size_t i = 0; i < told.levels.size(); ++i) {
      Known& level = add(told.levels[i]);
      if (total > 0) level.score += scores[i] / total;
      level.rows = std::max(level.rows, positive(at(told.rows, i)));
      if (std::isnan(level.height) && std::isfinite(told.height[i])) level.height = told.height[i];
    }
  }
  // What others know besides: they may have levels of their own.
  for (const Told& told : all) {
    if (told.source == best) continue;
    for (const std::string& name : told.levels) add(name);
  }
  return levels;
}

// In the order of the model or the data where any item has it.
std::vector<std::string> levels_in_order(const std::vector<Told>& all) {
  std::vector<const Told*> items;
  for (const Told& told : all) items.push_back(&told);
  std::stable_sort(items.begin(), items.end(), [](const Told* a, const Told* b) {
    if (a->by_likeness != b->by_likeness) return b->by_likeness;
    return a->source < b->source;
  });
  std::vector<std::string> order;
  std::set<std::string_view> seen;
  for (const Told* told : items) {
    for (const std::string& name : told->levels) {
      if (seen.insert(name).second) order.push_back(name);
    }
  }
  return order;
}

std::vector<std::size_t> sorted(std::size_t size, auto before) {
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), before);
  return order;
}

template <class T>
std::vector<T> picked(const std::vector<T>& values, const std::vector<std::size_t>& places) {
  std::vector<T> list;
  if (values.empty()) return list;
  for (const std::size_t place : places) list.push_back(values[place]);
  return list;
}

Axis drawn_axis(const Axis& axis, const ShownLevels& levels) {
  if (!axis.is_categorical()) return axis;
  Axis drawn = axis;
  drawn.levels = picked(axis.levels, levels.shown);
  if (!levels.others.empty()) drawn.levels.push_back(others_label(levels.others.size()));
  return drawn;
}

std::vector<double> row_weights(const Curve& curve) {
  return curve.count.empty() ? curve.distribution.counts : curve.count;
}

// `all_others`: of all lines of the picture, where this one may have fewer.
Curve drawn_curve(const Curve& curve, const ShownLevels& levels, std::size_t all_others) {
  Curve drawn = curve;
  drawn.axis = drawn_axis(curve.axis, levels);
  for (auto* list : {&drawn.mean, &drawn.sd, &drawn.se_level, &drawn.se_shape, &drawn.count, &drawn.outside,
                     &drawn.distribution.counts})
    *list = picked(*list, levels.shown);
  // Between neighbours on the axis as it was.
  drawn.bin_count.clear();
  drawn.slope.clear();
  const auto moved = [&](const std::vector<std::uint64_t>& points) {
    std::vector<std::uint64_t> places;
    for (std::size_t i = 0; i < levels.shown.size(); ++i) {
      if (std::find(points.begin(), points.end(), levels.shown[i]) != points.end()) places.push_back(i);
    }
    return places;
  };
  drawn.sparse = moved(curve.sparse);
  drawn.extrapolated = moved(curve.extrapolated);
  if (levels.others.empty()) return drawn;
  drawn.axis.levels.back() = others_label(all_others);
  drawn.mean.push_back(weighted_mean(picked(curve.mean, levels.others), picked(row_weights(curve), levels.others)));
  // How sure a mean over so many levels is, their errors alone do not say.
  for (auto* list : {&drawn.sd, &drawn.se_level, &drawn.se_shape, &drawn.outside}) {
    if (!list->empty()) list->push_back(std::nan(""));
  }
  const auto add_rows = [&](std::vector<double>& to, const std::vector<double>& from) {
    if (from.empty()) return;
    const auto rows = picked(from, levels.others);
    to.push_back(std::accumulate(rows.begin(), rows.end(), 0.0));
  };
  add_rows(drawn.count, curve.count);
  add_rows(drawn.distribution.counts, curve.distribution.counts);
  return drawn;
}

// The places on an axis that stand behind each that is drawn.
std::vector<std::vector<std::size_t>> behind(const Axis& axis, const ShownLevels& levels) {
  std::vector<std::vector<std::size_t>> places;
  if (!axis.is_categorical()) {
    for (std::size_t i = 0; i < axis.size(); ++i) places.push_back({i});
    return places;
  }
  for (const std::size_t i : levels.shown) places.push_back({i});
  if (!levels.others.empty()) places.push_back(levels.others);
  return places;
}

// How much each level of a side counts where several are one.
std::vector<double> side_weights(const Surface& surface, const Axis& axis, bool of_second, const LevelPlanPtr& plan) {
  std::vector<double> weights(axis.size());
  const bool counted = !surface.count.empty() && surface.measure != Measure::effect;
  for (std::size_t i = 0; i < surface.first.size(); ++i) {
    for (std::size_t j = 0; counted && j < surface.second.size(); ++j)
      weights[of_second ? j : i] += positive(surface.count[i][j]);
  }
  for (std::size_t k = 0; !counted && plan && axis.is_categorical() && k < weights.size(); ++k)
    weights[k] = plan->rows(axis, k);
  return weights;
}

}  // namespace

LevelPlan::LevelPlan(const std::vector<const Result*>& results) {
  std::map<std::string, std::vector<Told>> features;
  for (const Result* result : results) {
    for (const auto& item : result->results) {
      if (const auto* curve = item.as<Curve>(); curve != nullptr && curve->axis.is_categorical())
        features[curve->axis.feature].push_back(told_by(*curve));
      if (const auto* curves = item.as<Curves>(); curves != nullptr && curves->axis.is_categorical())
        features[curves->axis.feature].push_back(told_by(*curves));
      if (const auto* surface = item.as<Surface>()) {
        if (surface->first.is_categorical()) features[surface->first.feature].push_back(told_by(*surface, false));
        if (surface->second.is_categorical()) features[surface->second.feature].push_back(told_by(*surface, true));
      }
      if (const auto* rows = item.as<Attributions>(); rows != nullptr && !rows->data.empty()) {
        for (std::size_t i = 0; i < rows->features.size(); ++i) {
          if (rows->features[i].is_categorical()) features[rows->features[i].feature].push_back(told_by(*rows, i));
        }
      }
    }
  }
  for (const auto& [feature, all] : features) {
    const std::vector<Known> known = known_levels(all);
    Levels& levels = features_[feature];
    double total = 0;
    for (const Known& level : known) total += level.rows;
    const double few = std::min(few_rows, total / static_cast<double>(std::max<std::size_t>(1, known.size())));
    const auto ranked = sorted(known.size(), [&](std::size_t a, std::size_t b) {
      const Known &first = known[a], &second = known[b];
      const bool rare = first.rows < few, other_rare = second.rows < few;
      if (rare != other_rare) return other_rare;
      if (first.score != second.score) return first.score > second.score;
      if (first.rows != second.rows) return first.rows > second.rows;
      return name_before(first.name, second.name);
    });
    const auto by_height = sorted(known.size(), [&](std::size_t a, std::size_t b) {
      const Known &first = known[a], &second = known[b];
      const bool any = !std::isnan(first.height), other_any = !std::isnan(second.height);
      if (any != other_any) return any;
      if (any && first.height != second.height) return first.height > second.height;
      return name_before(first.name, second.name);
    });
    for (std::size_t i = 0; i < known.size(); ++i) {
      levels[known[ranked[i]].name].rank = i;
      levels[known[by_height[i]].name].height = i;
      levels[known[i].name].rows = known[i].rows;
    }
    std::size_t place = 0;
    for (const std::string& name : levels_in_order(all)) levels[name].place = place++;
  }
}

const LevelPlan::Level* LevelPlan::find(const Axis& axis, std::size_t place) const {
  const auto feature = features_.find(axis.feature);
  if (feature == features_.end()) return nullptr;
  const auto level = feature->second.find(axis.levels[place]);
  return level != feature->second.end() ? &level->second : nullptr;
}

ShownLevels LevelPlan::of(const Axis& axis, std::size_t most, std::span<const std::size_t> wanted) const {
  std::vector<const Level*> known;
  for (std::size_t i = 0; i < axis.size(); ++i) known.push_back(axis.is_categorical() ? find(axis, i) : nullptr);
  // What is not known comes last, as it came.
  const auto by = [&](std::size_t Level::* order) {
    return [&known, order](std::size_t a, std::size_t b) {
      if (known[a] == nullptr || known[b] == nullptr) return known[a] != nullptr && known[b] == nullptr;
      return known[a]->*order < known[b]->*order;
    };
  };
  ShownLevels levels;
  if (!axis.is_categorical() || axis.size() <= most + 1) {
    levels.shown = axis.ordered || !axis.is_categorical()
                       ? sorted(axis.size(), [](std::size_t, std::size_t) { return false; })
                       : sorted(axis.size(), by(&Level::place));
    return levels;
  }
  std::vector<bool> shown(axis.size());
  for (const std::size_t place : wanted) {
    if (levels.shown.size() == most || place >= axis.size() || shown[place]) continue;
    levels.shown.push_back(place);
    shown[place] = true;
  }
  for (const std::size_t place : sorted(axis.size(), by(&Level::rank))) {
    if (shown[place]) continue;
    (levels.shown.size() < most ? levels.shown : levels.others).push_back(place);
  }
  std::sort(levels.shown.begin(), levels.shown.end());
  if (!axis.ordered) std::stable_sort(levels.shown.begin(), levels.shown.end(), by(&Level::height));
  return levels;
}

double LevelPlan::rows(const Axis& axis, std::size_t place) const {
  const Level* level = find(axis, place);
  return level != nullptr ? level->rows : 0;
}

LevelPlanPtr level_plan(const Result& result) {
  return std::make_shared<const LevelPlan>(std::vector<const Result*>{&result});
}

LevelPlanPtr level_plan(const std::vector<Result>& results) {
  std::vector<const Result*> list;
  for (const auto& result : results) list.push_back(&result);
  return std::make_shared<const LevelPlan>(list);
}

ShownLevels choose_levels(const LevelPlanPtr& plan, const Axis& axis, std::size_t most,
                          std::span<const std::size_t> wanted) {
  static const LevelPlan as_they_come({});
  return (plan ? *plan : as_they_come).of(axis, most, wanted);
}

std::string others_label(std::size_t levels) {
  return "others (" + readable(static_cast<double>(levels)) + (levels == 1 ? " level)" : " levels)");
}

DrawnLines drawn_lines(const CurveLines& group, std::size_t most) {
  DrawnLines drawn;
  drawn.group = group;
  if (!group.curve[0]->axis.is_categorical()) return drawn;
  // Lines need not have the same levels: those of all of them are chosen together.
  const SharedLevels shared = shared_levels(group);
  Axis all = group.curve[0]->axis;
  all.levels = shared.levels;
  all.ordered =
      std::all_of(group.curve.begin(), group.curve.end(), [](const Curve* curve) { return curve->axis.ordered; });
  const ShownLevels levels = choose_levels(group.levels, all, most);
  drawn.left_out = levels.others.size();
  drawn.shared.levels = picked(all.levels, levels.shown);
  if (drawn.left_out > 0) drawn.shared.levels.push_back(others_label(drawn.left_out));
  for (std::size_t g = 0; g < group.curve.size(); ++g) {
    std::vector<std::size_t> own(all.size(), SIZE_MAX);  // places on this line's axis
    for (std::size_t i = 0; i < shared.place[g].size(); ++i) own[shared.place[g][i]] = i;
    ShownLevels of_line;
    auto& places = drawn.shared.place.emplace_back();
    for (std::size_t i = 0; i < levels.shown.size(); ++i) {
      if (own[levels.shown[i]] == SIZE_MAX) continue;
      of_line.shown.push_back(own[levels.shown[i]]);
      places.push_back(i);
    }
    for (const std::size_t place : levels.others) {
      if (own[place] != SIZE_MAX) of_line.others.push_back(own[place]);
    }
    if (!of_line.others.empty()) places.push_back(levels.shown.size());
    drawn.curves.push_back(drawn_curve(*group.curve[g], of_line, levels.others.size()));
  }
  for (std::size_t g = 0; g < drawn.curves.size(); ++g) drawn.group.curve[g] = &drawn.curves[g];
  return drawn;
}

Curves drawn_curves(const Curves& curves, const LevelPlanPtr& plan, std::size_t most) {
  if (!curves.axis.is_categorical()) return curves;
  const ShownLevels levels = choose_levels(plan, curves.axis, most);
  Curves drawn = curves;
  drawn.axis = drawn_axis(curves.axis, levels);
  const auto& counts = curves.distribution.counts;
  const auto weights = picked(counts, levels.others);
  const auto draw = [&](std::vector<double>& line, bool mean) {
    if (line.empty()) return;
    const double others = mean ? weighted_mean(picked(line, levels.others), weights) : std::nan("");
    line = picked(line, levels.shown);
    if (!levels.others.empty()) line.push_back(others);
  };
  for (auto& line : drawn.values) draw(line, true);
  draw(drawn.mean, true);
  draw(drawn.sd, false);
  // The quantiles of means are not the means of quantiles.
  for (auto& band : drawn.bands) draw(band, false);
  drawn.distribution.counts = picked(counts, levels.shown);
  if (!counts.empty() && !levels.others.empty())
    drawn.distribution.counts.push_back(std::accumulate(weights.begin(), weights.end(), 0.0));
  return drawn;
}

DrawnSurface drawn_surface(const Surface& surface, const LevelPlanPtr& plan, bool between, const SideLevels& most) {
  DrawnSurface drawn;
  drawn.between = between;
  const ShownLevels first = choose_levels(plan, surface.first, most.first);
  const ShownLevels second = choose_levels(plan, surface.second, most.second);
  drawn.first = drawn_axis(surface.first, first);
  drawn.second = drawn_axis(surface.second, second);
  drawn.first_left_out = first.others.size();
  drawn.second_left_out = second.others.size();
  const auto heights = between ? drawn_heights(surface) : surface.mean;
  const ThinCells thin(surface);
  const bool counted = !surface.count.empty() && (surface.measure != Measure::effect || drawn.between);
  const auto rows = behind(surface.first, first), columns = behind(surface.second, second);
  const auto of_first = side_weights(surface, surface.first, false, plan);
  const auto of_second = side_weights(surface, surface.second, true, plan);
  for (std::size_t i = 0; i < rows.size() && i < heights.size(); ++i) {
    auto& mean = drawn.mean.emplace_back();
    auto& empty = drawn.empty.emplace_back();
    auto& few = drawn.thin.emplace_back();
    if (counted) drawn.rows.emplace_back();
    for (std::size_t j = 0; j < columns.size() && j < heights[i].size(); ++j) {
      std::vector<double> values, weights, anywhere, alike;
      double inside = 0;
      bool nothing = true, all_thin = true;
      for (const std::size_t a : rows[i]) {
        for (const std::size_t b : columns[j]) {
          const bool none =
              drawn.between ? !surface.count.empty() && !(surface.count[a][b] > 0) : no_rows_at(surface, a, b);
          nothing = nothing && none;
          all_thin = all_thin && (drawn.between ? thin.between(a, b) : thin.at(a, b));
          if (counted) inside += surface.count[a][b];
          const double weight = (rows[i].size() > 1 ? of_first[a] : 1) * (columns[j].size() > 1 ? of_second[b] : 1);
          anywhere.push_back(heights[a][b]);
          alike.push_back(weight);
          if (none) continue;
          values.push_back(heights[a][b]);
          weights.push_back(weight);
        }
      }
      mean.push_back(nothing ? weighted_mean(anywhere, alike) : weighted_mean(values, weights));
      empty.push_back(nothing);
      few.push_back(all_thin);
      if (counted) drawn.rows.back().push_back(inside);
    }
  }
  return drawn;
}

std::string others_words(const Curve& curve, const LevelPlanPtr& plan, double offset) {
  if (!curve.axis.is_categorical()) return {};
  const ShownLevels levels = choose_levels(plan, curve.axis);
  if (levels.others.empty()) return {};
  const auto heights = picked(curve.mean, levels.others), rows = picked(row_weights(curve), levels.others);
  double low = INFINITY, high = -INFINITY;
  for (const double height : heights) {
    if (!std::isfinite(height)) continue;
    low = std::min(low, height);
    high = std::max(high, height);
  }
  std::string text = "The other " + readable(static_cast<double>(levels.others.size())) + " levels";
  const auto& all = row_weights(curve);
  const double total = std::accumulate(all.begin(), all.end(), 0.0) + (curve.missing ? curve.missing->count : 0);
  const double share = std::accumulate(rows.begin(), rows.end(), 0.0) / total;
  if (std::isfinite(share)) text += " have " + percent(share) + " of the rows; they";
  if (!(low <= high)) return text + (std::isfinite(share) ? " have no effect that is known." : " are not known.");
  return text + " are at " + readable(weighted_mean(heights, rows) - offset) + " on average, from " +
         readable(low - offset) + " to " + readable(high - offset) + ".";
}

namespace {

std::string words_of_choice(std::size_t shown, std::size_t all) {
  if (shown >= all) return {};
  return readable(static_cast<double>(shown)) + " of " + readable(static_cast<double>(all)) +
         " levels are shown, those with most effect × rows; “others” is the mean over the rows of all the rest.";
}

}  // namespace

std::string shown_words(const CurveLines& group) {
  if (!group.curve[0]->axis.is_categorical()) return {};
  Axis all = group.curve[0]->axis;
  all.levels = shared_levels(group).levels;
  return shown_words(all, group.levels);
}

std::string shown_words(const Axis& axis, const LevelPlanPtr& plan, std::size_t most) {
  return axis.is_categorical() ? words_of_choice(choose_levels(plan, axis, most).shown.size(), axis.size())
                               : std::string();
}

}  // namespace sightglass
