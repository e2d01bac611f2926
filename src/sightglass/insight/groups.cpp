#include "sightglass/insight/groups.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "sightglass/base/error.h"
#include "sightglass/insight/attribution_view.h"
#include "sightglass/insight/ranking.h"
#include "sightglass/insight/readable.h"

namespace sightglass {

namespace {

constexpr std::size_t lines_per_chart = 8;

using FeatureKey = std::pair<std::string, bool>;  // name, categorical

FeatureKey feature_key(const Curve& curve) { return {curve.axis.feature, curve.axis.is_categorical()}; }

// Puts the items of a result into their pictures.
class Grouping {
 public:
  explicit Grouping(const Result& result) {
    for (const auto& item : result.results) {
      if (const auto* curve = item.as<Curve>()) {
        if (!curve->series.empty() && curve->measure != Measure::loss) by_series_.insert(feature_key(*curve));
        if (!curve->group.empty()) by_group_.insert(feature_key(*curve));
      } else if (const auto* entry = item.as<Importance>()) {
        const std::string measure = entry->measure.text();
        join_measures(measure, measure_of_.try_emplace(entry->feature, measure).first->second);
        row_groups_.insert(entry->group);
        if (!entry->output.empty()) outputs_.insert(entry->output);
      }
    }
    for (const auto& [measure, next] : next_measure_) ++family_size_[family(measure)];
    for (const auto& item : result.results) {
      if (const auto* entry = item.as<Importance>()) column_names_[ranking_key(*entry)].insert(column_of(*entry));
    }
    for (const auto& item : result.results) {
      add_item<Curve, Curves, Surface, Importance, Interaction, Attributions, Figure>(item);
    }
    // Numbers about the whole are read first.
    if (any_figure_) {
      const auto figures = groups_.begin() + static_cast<std::ptrdiff_t>(figures_);
      std::rotate(groups_.begin(), figures, figures + 1);
    }
  }
  std::vector<ItemGroup> take() { return std::move(groups_); }

 private:
  // Those that share pictures, or have several; everything else stands alone.
  template <class... Shapes>
  void add_item(const ResultItem& item) {
    const auto offer = [this](const auto* shape) {
      if (shape != nullptr) add(*shape);
      return shape != nullptr;
    };
    if (!(offer(item.as<Shapes>()) || ...)) groups_.emplace_back().item = &item;
  }
  void add(const Curve& curve) {
    const FeatureKey feature = feature_key(curve);
    const LinesBy lines = by_series_.contains(feature)  ? LinesBy::series
                          : by_group_.contains(feature) ? LinesBy::group
                                                        : LinesBy::output;
    // Everything that lines of one chart share. Series may measure different things: that is their point; but
    // losses of different kinds have nothing in common.
    const std::tuple key(feature, lines, lines == LinesBy::output ? "" : curve.output,
                         lines == LinesBy::group ? "" : curve.group, lines == LinesBy::series ? "" : curve.series,
                         lines == LinesBy::series ? Measure::mean : curve.measure);
    const auto found = open_curves_.find(key);
    const bool room = found != open_curves_.end() && groups_[found->second].curve.size() < lines_per_chart;
    ItemGroup& group = room ? groups_[found->second] : start(open_curves_[key]);
    group.lines = lines;
    group.curve.push_back(&curve);
  }
  void add(const Curves& curves) {
    groups_.emplace_back();
    groups_.back().curves = &curves;
  }
  void add(const Surface& surface) {
    groups_.emplace_back();
    groups_.back().surface = &surface;
  }
  // Measures that rank the same entries stand side by side; what has none in common (features, and pairs of them)
  // are rankings of their own.
  [[nodiscard]] const std::string& family(const std::string& measure) const {
    const std::string* at = &measure;
    while (next_measure_.at(*at) != *at) at = &next_measure_.at(*at);
    return *at;
  }
  void join_measures(const std::string& a, const std::string& b) {
    next_measure_.try_emplace(a, a);
    const std::string from = family(a), to = family(b);
    next_measure_[from] = to;
  }
  [[nodiscard]] bool several_measures(const Importance& entry) const {
    return family_size_.at(family(entry.measure.text())) > 1;
  }
  using RankingKey = std::tuple<std::string, std::string, std::string>;  // family of measures, output, group of rows
  [[nodiscard]] RankingKey ranking_key(const Importance& entry) const {
    const bool several = several_measures(entry);
    // With one output, it is the same whether an entry names it or speaks of all.
    const bool outputs_apart = outputs_.size() > 1 && (several || row_groups_.size() > 1);
    return {family(entry.measure.text()), outputs_apart ? entry.output : "", several ? entry.group : ""};
  }
  // What varies stands side by side: measures, else groups of rows, else outputs.
  [[nodiscard]] std::string column_of(const Importance& entry) const {
    return several_measures(entry)  ? entry.measure.text()
           : row_groups_.size() > 1 ? entry.group
           : outputs_.size() > 1    ? entry.output
                                    : std::string();
  }
  void add(const Importance& entry) {
    const RankingKey key = ranking_key(entry);
    auto& columns = columns_[key];
    const std::string column = column_of(entry);
    const auto known = columns.find(column);
    if (known != columns.end()) {
      groups_[known->second].importance.push_back(&entry);
      return;
    }
    // Too many for one picture are divided evenly: a last one alone could not be compared with anything.
    const std::size_t per_picture = evenly(column_names_[key].size(), columns_per_ranking);
    const bool room = !columns.empty() && columns.size() % per_picture != 0;
    const std::size_t place = room ? last_column_[key] : groups_.size();
    if (!room) groups_.emplace_back();
    columns[column] = last_column_[key] = place;
    groups_[place].importance.push_back(&entry);
  }
  void add(const Interaction& entry) {
    const std::tuple key(entry.output, entry.group, entry.features.size());
    const auto found = open_interactions_.find(key);
    ItemGroup& group = found != open_interactions_.end() ? groups_[found->second] : start(open_interactions_[key]);
    group.interaction.push_back(&entry);
  }
  void add(const Attributions& item) {
    const auto show = [&](AttributionView view, std::size_t shown) {
      groups_.emplace_back();
      groups_.back().attributions = &item;
      groups_.back().view = view;
      groups_.back().shown = shown;
    };
    if (item.rows.size() <= rows_one_by_one && !item.rows.empty()) {
      for (std::size_t row = 0; row < item.rows.size(); ++row) show(AttributionView::row, row);
      return;
    }
    show(AttributionView::rows, 0);
    std::size_t pictures = 0;
    for (const std::size_t feature : by_mean_size(item)) {
      if (pictures++ == features_with_scatter || !(mean_size(item, feature) > 0)) break;
      show(AttributionView::feature, feature);
    }
  }
  void add(const Figure& figure) {
    ItemGroup& group = any_figure_ ? groups_[figures_] : start(figures_);
    any_figure_ = true;
    group.figure.push_back(&figure);
  }
  ItemGroup& start(std::size_t& place) {
    place = groups_.size();
    return groups_.emplace_back();
  }

  std::vector<ItemGroup> groups_;
  std::set<FeatureKey> by_series_, by_group_;
  std::set<std::string> row_groups_, outputs_;       // of importances
  std::map<std::string, std::string> measure_of_;    // the first of each entry
  std::map<std::string, std::string> next_measure_;  // of the same family; the last one leads to itself
  std::map<std::string, std::size_t> family_size_;
  std::map<std::tuple<FeatureKey, LinesBy, std::string, std::string, std::string, Measure>, std::size_t> open_curves_;
  std::map<RankingKey, std::set<std::string>> column_names_;
  std::map<RankingKey, std::map<std::string, std::size_t>> columns_;
  std::map<RankingKey, std::size_t> last_column_;
  std::map<std::tuple<std::string, std::string, std::size_t>, std::size_t> open_interactions_;
  std::size_t figures_ = 0;
  bool any_figure_ = false;
};

// What every object of JavaScript has.
bool is_property_of_objects(std::string_view name) {
  static constexpr std::string_view names[] = {"__proto__",        "constructor",      "hasOwnProperty",
                                               "isPrototypeOf",    "toString",         "toLocaleString",
                                               "valueOf",          "__defineGetter__", "__defineSetter__",
                                               "__lookupGetter__", "__lookupSetter__", "propertyIsEnumerable"};
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

double mean_height(const Curve& curve) {
  double sum = 0, weight = 0;
  const auto add = [&](double height, double count) {
    if (!std::isfinite(height) || !(count > 0) || !std::isfinite(count)) return;
    weight += count;
    sum += (height - sum) * count / weight;  // never larger than the heights themselves
  };
  const bool counted = curve.count.size() == curve.mean.size();
  for (std::size_t i = 0; i < curve.mean.size(); ++i) add(curve.mean[i], counted ? curve.count[i] : 1);
  if (weight > 0) return sum;
  for (const double height : curve.mean) add(height, 1);
  return sum;
}

}  // namespace

std::string_view ItemGroup::type() const {
  if (!curve.empty()) return Curve::type;
  if (curves != nullptr) return Curves::type;
  if (surface != nullptr) return Surface::type;
  if (!importance.empty()) return Importance::type;
  if (!interaction.empty()) return Interaction::type;
  if (attributions != nullptr) return Attributions::type;
  if (!figure.empty()) return Figure::type;
  return item != nullptr ? item->type() : std::string_view();
}

std::vector<const Axis*> ItemGroup::axes() const {
  if (surface != nullptr) return {&surface->first, &surface->second};
  if (attributions != nullptr && view == AttributionView::feature) return {&attributions->features[shown]};
  if (curves != nullptr) return {&curves->axis};
  if (!curve.empty()) return {&curve[0]->axis};
  return {};
}

bool ItemGroup::is_empty() const {
  if (attributions != nullptr) return attributions->rows.empty();
  if (!curve.empty()) {
    return std::all_of(curve.begin(), curve.end(), [](const Curve* line) { return line->axis.size() == 0; });
  }
  const auto all = axes();
  return std::any_of(all.begin(), all.end(), [](const Axis* axis) { return axis->size() == 0; });
}

std::vector<ItemGroup> group_items(const Result& result) { return Grouping(result).take(); }

std::string ordinary_name(std::string name) {
  if (is_property_of_objects(name)) name.insert(0, "\xE2\x81\xA0");
  return name;
}

std::vector<std::string> unique_labels(const std::vector<std::string>& names) {
  std::set<std::string> taken;
  std::vector<std::string> labels;
  for (const auto& name : names) {
    const std::string base = ordinary_name(name.empty() ? "(empty)" : printable(name));
    std::string label = base;
    for (int i = 2; !taken.insert(label).second; ++i) label = base + " (" + std::to_string(i) + ")";
    labels.push_back(label);
  }
  return labels;
}

std::string rows_label(const std::string& group) { return group.empty() ? "all rows" : printable(group); }

std::string joined_names(const std::vector<std::string>& features, std::size_t limit) {
  std::string text;
  for (const auto& name : features) {
    const std::string shown = printable(name, limit);
    text += (text.empty() ? "" : " × ") + (shown.empty() ? "(no name)" : shown);
  }
  return text;
}

std::vector<std::string> line_labels(const ItemGroup& group) {
  std::vector<std::string> names;
  for (const Curve* curve : group.curve) {
    names.push_back(group.lines == LinesBy::output  ? curve->output
                    : group.lines == LinesBy::group ? rows_label(curve->group)
                                                    : curve->series);
  }
  if (group.lines == LinesBy::output && names.size() == 1 && names[0].empty()) names[0] = "prediction";
  return unique_labels(names);
}

std::string group_title(const ItemGroup& group) {
  if (!group.importance.empty()) return "Feature importance";
  if (!group.interaction.empty()) return "Interactions";
  if (!group.figure.empty()) return "Key figures";
  if (group.attributions != nullptr && group.view == AttributionView::rows) return "What features add, row by row";
  if (group.item != nullptr) return group.item->title();
  if (group.attributions != nullptr && group.view == AttributionView::row)
    return "Row " + std::to_string(group.attributions->rows[group.shown]);
  std::string title;
  for (const Axis* axis : group.axes()) title += (title.empty() ? "" : " × ") + axis_title(*axis);
  return title;
}

std::string group_output(const Result& result, const ItemGroup& group) {
  if (outputs_of(result).size() < 2) return {};
  if (!group.curve.empty()) return group.lines == LinesBy::output ? std::string() : group.curve[0]->output;
  if (group.curves != nullptr) return group.curves->output;
  if (group.surface != nullptr) return group.surface->output;
  if (group.attributions != nullptr) return group.attributions->output;
  if (group.item != nullptr) return group.item->output();
  if (!group.interaction.empty()) return group.interaction[0]->output;
  if (group.importance.empty()) return {};
  const Ranking ranking = ranking_of(group);
  return ranking.by == RankingBy::output && ranking.columns.size() > 1 ? std::string() : group.importance[0]->output;
}

std::string group_qualifier(const Result& result, const ItemGroup& group, bool with_output) {
  std::string rows, text;
  const auto of = [&](const auto& item) { rows = item.group; };
  if (!group.curve.empty()) {
    of(*group.curve[0]);
    if (group.lines == LinesBy::group) rows.clear();
  } else if (group.curves != nullptr) {
    of(*group.curves);
    const std::string anchor = anchor_of(*group.curves);
    text = group.curves->derivative ? "slopes" : anchor.empty() ? "" : "centred at " + anchor;
  } else if (group.surface != nullptr) {
    of(*group.surface);
  } else if (group.item != nullptr) {
    rows = group.item->group();
  } else if (group.attributions != nullptr) {
    of(*group.attributions);
    if (group.view == AttributionView::feature) text = "what it adds";
  } else if (!group.interaction.empty()) {
    of(*group.interaction[0]);
    const std::size_t order = group.interaction[0]->features.size();
    text = order == 1   ? "each feature with all others"
           : order == 2 ? "pairs of features"
                        : std::to_string(order) + " features together";
  } else if (!group.importance.empty()) {
    of(*group.importance[0]);
    const Ranking ranking = ranking_of(group);
    if (ranking.by == RankingBy::group && ranking.columns.size() > 1) rows.clear();
  }
  const auto add = [&](const std::string& part) {
    if (!part.empty()) text += (text.empty() ? "" : " · ") + part;
  };
  if (with_output) add(printable(group_output(result, group), 60));
  if (!rows.empty()) add(printable(rows));
  return text;
}

LineHeights line_heights(const ItemGroup& group) {
  LineHeights heights;
  heights.offset.resize(group.curve.size());
  if (group.curve.empty()) return heights;
  heights.measure = group.curve[0]->measure;
  const auto is_effect = [](const Curve* curve) { return curve->measure == Measure::effect; };
  const auto effects = std::count_if(group.curve.begin(), group.curve.end(), is_effect);
  if (effects == 0 || static_cast<std::size_t>(effects) == group.curve.size()) return heights;
  heights.measure = Measure::effect;
  heights.shifted = true;
  for (std::size_t k = 0; k < group.curve.size(); ++k) {
    if (!is_effect(group.curve[k])) heights.offset[k] = mean_height(*group.curve[k]);
  }
  return heights;
}

std::string height_title(const Result& result, const ItemGroup& group, std::string_view output) {
  const Measure measure = line_heights(group).measure;
  const std::string title = prediction_title(result, quantity_of(measure), output);
  if (measure != Measure::loss || group.curve[0]->series.empty()) return title;
  // Lines of one chart have the same loss.
  const auto& loss = group.curve[0]->loss;
  return loss && is_score(*loss) ? loss_noun(loss) : title + " (" + printable(group.curve[0]->series, 40) + ")";
}

SharedLevels shared_levels(const ItemGroup& group) {
  SharedLevels shared;
  for (const Curve* curve : group.curve) {
    // A level that stands twice in one line (in a file from elsewhere) keeps two places.
    std::map<std::string, std::size_t> seen;
    std::map<std::pair<std::string, std::size_t>, std::size_t> known;
    std::map<std::string, std::size_t> counted;
    for (std::size_t i = 0; i < shared.levels.size(); ++i) known[{shared.levels[i], counted[shared.levels[i]]++}] = i;
    auto& places = shared.place.emplace_back();
    for (const auto& level : curve->axis.levels) {
      const auto found = known.find({level, seen[level]++});
      places.push_back(found != known.end() ? found->second : shared.levels.size());
      if (found == known.end()) shared.levels.push_back(level);
    }
  }
  return shared;
}

double range_of(const std::vector<double>& heights) {
  double low = INFINITY, high = -INFINITY;
  for (const double height : heights) {
    if (!std::isfinite(height)) continue;
    low = std::min(low, height);
    high = std::max(high, height);
  }
  return high >= low ? high - low : 0;
}

std::vector<std::size_t> widest_first(const ItemGroup& group) {
  std::vector<std::size_t> order(group.curve.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<double> width;
  for (const Curve* curve : group.curve) width.push_back(range_of(curve->mean));
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return width[a] > width[b]; });
  return order;
}

}  // namespace sightglass
