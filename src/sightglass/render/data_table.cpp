#include "sightglass/render/data_table.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "sightglass/base/error.h"
#include "sightglass/insight/attribution_view.h"
#include "sightglass/insight/compared_models.h"
#include "sightglass/insight/interval.h"
#include "sightglass/insight/probabilities.h"
#include "sightglass/insight/ranking.h"
#include "sightglass/insight/readable.h"
#include "sightglass/insight/shading.h"
#include "sightglass/render/shape_view.h"
#include "sightglass/result/importance_measure.h"
#include "sightglass/result/tidy.h"

namespace sightglass {

namespace {

constexpr std::size_t most_details = 24;
constexpr std::size_t most_rows = 2000;

double entry(const std::vector<double>& values, std::size_t i) { return i < values.size() ? values[i] : std::nan(""); }

double or_nan(const std::optional<double>& value) { return value.value_or(std::nan("")); }

// Builds a table column by column, so that each can choose its own number of decimals.
class TableBuilder {
 public:
  explicit TableBuilder(std::size_t limit) : limit_(limit) {}

  void texts(std::string title, const std::vector<std::string>& values, bool numeric = false) {
    add({std::move(title), numeric}, values.size(), [&](std::size_t i) { return values[i]; });
  }
  void numbers(std::string title, const std::vector<double>& values, bool percents = false) {
    const ColumnFormat format(values, percents);
    add({std::move(title), true}, values.size(), [&](std::size_t i) { return format(values[i]); });
  }
  // Only if there is anything to see.
  void some_numbers(std::string title, const std::vector<double>& values, bool percents = false) {
    const auto is_number = [](double value) { return !std::isnan(value); };
    if (std::any_of(values.begin(), values.end(), is_number)) numbers(std::move(title), values, percents);
  }
  void some_texts(std::string title, const std::vector<std::string>& values, bool numeric = false) {
    const auto is_there = [](const std::string& value) { return !value.empty(); };
    if (std::any_of(values.begin(), values.end(), is_there)) texts(std::move(title), values, numeric);
  }
  void axis(const Axis& axis, const std::vector<std::size_t>& indices) {
    if (axis.is_categorical()) {
      std::vector<std::string> values;
      for (const auto i : indices) values.push_back(i < axis.size() ? printable(axis.levels[i]) : "missing");
      texts(axis_title(axis), values);
      return;
    }
    const auto numbers = axis_numbers(axis);
    add({axis_title(axis), true}, indices.size(),
        [&](std::size_t i) { return indices[i] < numbers.size() ? numbers[indices[i]] : std::string("missing"); });
  }
  void details(const std::vector<const Value*>& details) {
    for (const auto& name : detail_names(details)) {
      const bool numeric = std::all_of(details.begin(), details.end(), [&](const Value* value) {
        const Value* member = value->find(name);
        return member == nullptr || member->is_null() || member->is_number();
      });
      if (numeric) {
        std::vector<double> values;
        for (const Value* value : details) {
          const Value* member = value->find(name);
          values.push_back(member != nullptr && member->is_number() ? member->as_number() : std::nan(""));
        }
        numbers(words(name), values);
      } else {
        std::vector<std::string> values;
        for (const Value* value : details) {
          const Value* member = value->find(name);
          values.push_back(member != nullptr ? readable(*member) : "–");
        }
        texts(words(name), values);
      }
    }
  }
  [[nodiscard]] DataTable take() { return std::move(table_); }

 private:
  template <class Cell>
  void add(DataTable::Column column, std::size_t size, Cell cell) {
    table_.columns.push_back(std::move(column));
    table_.rows.resize(std::min(size, limit_));
    table_.left_out = size - table_.rows.size();
    for (std::size_t i = 0; i < table_.rows.size(); ++i) table_.rows[i].push_back(cell(i));
  }

  std::size_t limit_;
  DataTable table_;
};

std::string listed_names(const std::vector<std::string>& features) {
  std::string text;
  for (const auto& name : features) text += (text.empty() ? "" : ", ") + printable(name, 40);
  return text;
}

std::string caution(const Doubt& doubt) {
  std::string text;
  if (doubt.sparse) text = "few rows";
  if (doubt.extrapolated) text += (text.empty() ? "" : ", ") + std::string(extrapolated_words);
  return text;
}

}  // namespace

namespace {

// Levels in the order in which they are drawn, then those behind "others", what matters most first; numbers as they
// are.
std::vector<std::size_t> table_order(const Axis& axis, const LevelPlanPtr& plan) {
  ShownLevels levels = choose_levels(plan, axis);
  std::vector<std::size_t> order = std::move(levels.shown);
  order.insert(order.end(), levels.others.begin(), levels.others.end());
  return order;
}

bool any_left_out(const Axis& axis, const LevelPlanPtr& plan, std::size_t most = levels_shown) {
  return axis.is_categorical() && !choose_levels(plan, axis, most).others.empty();
}

}  // namespace

DataTable curve_table(const CurveLines& group, std::size_t limit) {
  const auto labels = line_labels(group);
  const LineHeights heights = line_heights(group);
  std::vector<std::string> lines, values, cautions;
  std::vector<double> mean, drawn, band, sd, count, bin_count, slope, outside;
  std::vector<double> probabilities;
  std::size_t cut = 0;
  bool find = false;
  for (std::size_t g = 0; g < group.curve.size(); ++g) {
    const Curve& curve = *group.curve[g];
    const auto numbers = axis_numbers(curve.axis);
    const auto doubts = doubts_of(curve);
    find = find || any_left_out(curve.axis, group.levels);
    // Each line keeps its part of the table.
    auto order = table_order(curve.axis, group.levels);
    // What lies between neighbours is known for the order in which they were computed.
    const bool neighbours = std::is_sorted(order.begin(), order.end());
    const std::size_t lasts = curve.missing ? 1 : 0, each = limit / group.curve.size();
    const std::size_t room = each > lasts ? each - lasts : 0;
    if (order.size() > room) {
      cut += order.size() - room;
      order.resize(room);
    }
    for (const std::size_t i : order) {
      lines.push_back(labels[g]);
      values.push_back(curve.axis.is_categorical() ? printable(curve.axis.levels[i]) : numbers[i]);
      mean.push_back(curve.mean[i]);
      band.push_back(interval_width * entry(curve.se_shape, i));
      sd.push_back(entry(curve.sd, i));
      count.push_back(entry(curve.count, i));
      bin_count.push_back(neighbours ? entry(curve.bin_count, i) : std::nan(""));
      slope.push_back(neighbours ? entry(curve.slope, i) : std::nan(""));
      outside.push_back(entry(curve.outside, i));
      cautions.push_back(caution(doubts[i]));
    }
    if (curve.missing) {
      lines.push_back(labels[g]);
      values.emplace_back("missing");
      mean.push_back(curve.missing->mean);
      band.push_back(interval_width * curve.missing->se_shape);
      sd.push_back(curve.missing->sd);
      count.push_back(curve.missing->count);
      for (auto* list : {&bin_count, &slope, &outside}) list->push_back(std::nan(""));
      cautions.emplace_back();
    }
    while (drawn.size() < mean.size()) drawn.push_back(mean[drawn.size()] - heights.offset[g]);
    const auto known = group.result == nullptr ? std::nullopt : CurveProbabilities::of(*group.result, curve);
    while (probabilities.size() < mean.size())
      probabilities.push_back(known ? known->at(mean[probabilities.size()]) : std::nan(""));
  }
  TableBuilder table(limit);
  static constexpr const char* titles[] = {"output", "rows", "method"};
  const bool of_models =
      group.lines == LinesBy::series && group.result != nullptr && !compared_models(*group.result).empty();
  if (group.curve.size() > 1) table.texts(of_models ? "model" : titles[static_cast<std::size_t>(group.lines)], lines);
  const Axis& axis = group.curve[0]->axis;
  table.texts(axis_title(axis), values);
  const bool percents = told_in_percent(group.result, group.curve[0]->measure);
  table.numbers(heights.shifted ? "height" : height_name(*group.curve[0]), mean, percents);
  if (heights.shifted) table.numbers("as drawn", drawn, percents);
  const auto is_known = [](double probability) { return !std::isnan(probability); };
  if (std::any_of(probabilities.begin(), probabilities.end(), is_known))
    table.texts("probability", probability_texts(probabilities), true);
  // What only the missing level has is no column.
  const auto any = [&](std::vector<double> Curve::* list) {
    return std::any_of(group.curve.begin(), group.curve.end(),
                       [&](const Curve* line) { return !(line->*list).empty(); });
  };
  if (any(&Curve::se_shape))
    table.numbers(heights.measure == Measure::mean ? "± 95 % (shape)" : "± 95 %", band, percents);
  if (any(&Curve::sd)) table.numbers("sd over rows", sd, percents);
  if (any(&Curve::count)) table.numbers("rows nearby", count);
  table.some_numbers(axis.is_categorical() ? "rows of this and the next" : "rows up to the next", bin_count);
  table.some_numbers("slope to the next", slope);
  table.some_numbers(std::string(extrapolated_words), outside, true);
  table.some_texts("caution", cautions);
  DataTable done = table.take();
  const std::size_t column = group.curve.size() > 1 ? 1 : 0;
  done.columns[column].numeric = !axis.is_categorical();
  done.left_out += cut;
  if (find) done.find = column;
  return done;
}

// Quantiles rather than single rows: the curves themselves are in the csv and json.
DataTable curves_table(const Curves& given, const LevelPlanPtr& plan, std::size_t limit) {
  TableBuilder table(limit);
  const auto indices = table_order(given.axis, plan);
  Curves curves = given;
  const auto in_order = [&](std::vector<double>& list) {
    const std::vector<double> from = list;
    for (std::size_t i = 0; i < list.size() && i < indices.size(); ++i) list[i] = from[indices[i]];
  };
  for (auto* list : {&curves.mean, &curves.sd}) in_order(*list);
  for (auto* lists : {&curves.values, &curves.bands}) {
    for (auto& list : *lists) in_order(list);
  }
  table.axis(curves.axis, indices);
  if (!curves.mean.empty()) table.numbers(curves.derivative ? "mean slope" : "mean", curves.mean);
  if (!curves.sd.empty()) table.numbers("sd over rows", curves.sd);
  for (std::size_t i = 0; i < curves.bands.size(); ++i) {
    table.numbers(percent(curves.band_levels[i]) + " quantile", curves.bands[i]);
  }
  if (curves.bands.empty()) {
    std::vector<double> low, high;
    for (std::size_t i = 0; i < indices.size(); ++i) {
      double lowest = std::nan(""), highest = std::nan("");
      for (const auto& values : curves.values) {
        if (!std::isfinite(values[i])) continue;
        lowest = std::isnan(lowest) ? values[i] : std::min(lowest, values[i]);
        highest = std::isnan(highest) ? values[i] : std::max(highest, values[i]);
      }
      low.push_back(lowest);
      high.push_back(highest);
    }
    table.numbers("lowest curve", low);
    table.numbers("highest curve", high);
  }
  DataTable done = table.take();
  if (any_left_out(given.axis, plan, levels_across)) done.find = 0;
  return done;
}

DataTable surface_table(const Surface& surface, const LevelPlanPtr& plan, std::size_t limit) {
  std::vector<std::size_t> first, second;
  std::vector<double> mean, count;
  const auto order = table_order(surface.second, plan);
  for (const std::size_t i : table_order(surface.first, plan)) {
    for (const std::size_t j : order) {
      first.push_back(i);
      second.push_back(j);
      mean.push_back(surface.mean[i][j]);
      count.push_back(i < surface.count.size() ? entry(surface.count[i], j) : std::nan(""));
    }
  }
  TableBuilder table(limit);
  table.axis(surface.first, first);
  table.axis(surface.second, second);
  table.numbers(std::string(to_string(surface.measure)), mean);
  table.some_numbers(surface.measure == Measure::effect ? "rows up to the next of both" : "rows nearby", count);
  return table.take();
}

DataTable importance_table(const ImportanceEntries& group, std::size_t limit) {
  const Ranking ranking = ranking_of(group);
  std::vector<std::string> names, columns, stands_for, measures;
  std::vector<double> rank, importance, se, sd, low, high;
  std::vector<const Value*> details;
  for (const auto& row : ranking.rows) {
    for (std::size_t c = 0; c < row.cells.size(); ++c) {
      const auto& cell = row.cells[c];
      if (cell.entry == nullptr) continue;
      const Importance& item = *cell.entry;
      names.push_back(row.label);
      columns.push_back(ranking.columns[c]);
      measures.push_back(printable(item.measure.text(), 80));
      const bool itself = item.features.size() == 1 && item.features[0] == item.feature;
      stands_for.push_back(itself ? "" : listed_names(item.features));
      rank.push_back(static_cast<double>(cell.rank));
      importance.push_back(item.importance);
      se.push_back(or_nan(item.se));
      sd.push_back(or_nan(item.sd));
      low.push_back(or_nan(item.low));
      high.push_back(or_nan(item.high));
      details.push_back(&item.details);
    }
  }
  TableBuilder table(limit);
  table.texts("feature", names);
  table.some_texts("stands for", stands_for);
  static constexpr const char* titles[] = {"measure", "rows", "output"};
  if (ranking.columns.size() > 1) table.texts(titles[static_cast<std::size_t>(ranking.by)], columns);
  if (ranking.by != RankingBy::measure || ranking.columns.size() < 2) table.some_texts("measure", measures);
  const bool shares = std::all_of(group.importance.begin(), group.importance.end(),
                                  [](const Importance* entry) { return is_share(entry->measure); });
  table.numbers("rank", rank);
  table.numbers("importance", importance, shares);
  table.some_numbers("se", se, shares);
  table.some_numbers("sd", sd, shares);
  table.some_numbers("low", low, shares);
  table.some_numbers("high", high, shares);
  table.details(details);
  return table.take();
}

DataTable interaction_table(const InteractionEntries& group, std::size_t limit) {
  std::vector<std::string> names;
  std::vector<double> strength, h2, h, se;
  std::vector<const Value*> details;
  for (const auto& ranked : ranked_interactions(group)) {
    names.push_back(ranked.label);
    strength.push_back(ranked.entry->strength);
    h2.push_back(ranked.entry->h2);
    h.push_back(ranked.entry->h);
    se.push_back(or_nan(ranked.entry->se));
    details.push_back(&ranked.entry->details);
  }
  TableBuilder table(limit);
  table.texts(group.interaction[0]->features.size() == 1 ? "feature" : "features", names);
  table.numbers("strength", strength);
  table.numbers("H²", h2, true);
  table.numbers("H", h);
  table.some_numbers("se of H²", se, true);
  table.details(details);
  return table.take();
}

namespace {

// In the order of a picture's steps, each of one feature.
std::vector<AttributionStep> all_steps(const Attributions& item, std::size_t row,
                                       const std::vector<std::size_t>& order) {
  std::vector<AttributionStep> steps;
  double at = item.base;
  for (const std::size_t j : order) {
    const double value = item.value(row, j);
    steps.push_back({.feature = j, .from = at, .to = at + value, .value = value});
    at += value;
  }
  return steps;
}

DataTable row_table(const Result& result, const Attributions& item, std::size_t row, std::size_t limit) {
  const bool percents = told_in_percent(&result);
  const std::size_t width = item.features.size();
  std::vector<std::string> names, values;
  std::vector<double> adds, errors;
  std::vector<std::size_t> order(width);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(item.value(row, a)) > std::abs(item.value(row, b));
  });
  for (const std::size_t j : order) {
    names.push_back(axis_title(item.features[j]));
    values.push_back(own_value(item, row, j));
    adds.push_back(item.value(row, j));
    errors.push_back(entry(item.se, row * width + j));
  }
  TableBuilder table(limit);
  table.texts("feature", names);
  table.texts("value", values);
  table.numbers("adds", adds, percents);
  table.some_numbers("se", errors, percents);
  auto so_far = probability_texts(running_probabilities(result, item, row, all_steps(item, row, order)));
  if (!so_far.empty()) so_far.erase(so_far.begin());  // of the base
  table.some_texts("probability so far", so_far, true);
  return table.take();
}

// A line per row: its prediction and what each feature adds to it.
DataTable rows_table(const Result& result, const Attributions& item, std::size_t limit) {
  const bool percents = told_in_percent(&result);
  std::vector<std::string> rows;
  for (const std::uint64_t row : item.rows) rows.push_back(std::to_string(row));
  TableBuilder table(limit);
  table.texts("row", rows);
  table.numbers("prediction", item.prediction, percents);
  const auto order = by_mean_size(item);
  for (std::size_t i = 0; i < std::min(order.size(), features_in_swarm); ++i) {
    std::vector<double> adds;
    for (std::size_t row = 0; row < item.rows.size(); ++row) adds.push_back(item.value(row, order[i]));
    table.numbers(printable(item.features[order[i]].feature, 60), adds, percents);
  }
  return table.take();
}

// The rows in the order of the feature's values.
DataTable scatter_table(const Result& result, const Attributions& item, std::size_t feature, std::size_t limit) {
  std::vector<std::size_t> order(item.rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t row) {
    const double own = item.own(row, feature);
    return std::isnan(own) ? INFINITY : own;
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  const auto other = companion(item, feature);
  std::vector<std::string> rows, values, others;
  std::vector<double> adds;
  for (const std::size_t row : order) {
    rows.push_back(std::to_string(item.rows[row]));
    values.push_back(own_value(item, row, feature));
    if (other) others.push_back(own_value(item, row, *other));
    adds.push_back(item.value(row, feature));
  }
  TableBuilder table(limit);
  table.texts(axis_title(item.features[feature]), values);
  table.numbers("adds", adds, told_in_percent(&result));
  if (other) table.texts(axis_title(item.features[*other]), others);
  table.texts("row", rows);
  return table.take();
}

}  // namespace

DataTable attribution_table(const AttributionPicture& group, std::size_t limit) {
  switch (group.view) {
    case AttributionView::row: return row_table(*group.result, *group.attributions, group.shown, limit);
    case AttributionView::feature: return scatter_table(*group.result, *group.attributions, group.shown, limit);
    case AttributionView::rows: break;
  }
  return rows_table(*group.result, *group.attributions, limit);
}

DataTable figure_table(const Figures& group, std::size_t limit) {
  std::vector<std::string> names, values, errors, outputs, rows, meanings;
  for (const Figure* figure : group.figure) {
    names.push_back(printable(figure->name));
    const bool share = figure_is_share(*figure);
    values.push_back(share ? percent(figure->value) : readable(figure->value));
    errors.push_back(!figure->se ? "" : share ? readable_error(100 * *figure->se) + " %" : readable(*figure->se));
    outputs.push_back(printable(figure->output));
    rows.push_back(printable(figure->group));
    meanings.push_back(printable(figure->meaning, 300));
  }
  TableBuilder table(limit);
  table.texts("figure", names);
  table.texts("value", values);
  table.some_texts("se", errors);
  table.some_texts("output", outputs);
  table.some_texts("rows", rows);
  table.some_texts("meaning", meanings);
  return table.take();
}

std::vector<std::string> detail_names(const std::vector<const Value*>& details) {
  std::vector<std::string> names;
  for (const Value* value : details) {
    if (!value->is_object()) continue;
    for (const auto& [name, member] : value->as_object()) {
      if (names.size() == most_details) return names;
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

void append(DataTable& table, DataTable more, const std::string& output) {
  if (!output.empty()) {
    more.columns.insert(more.columns.begin(), {"output", false});
    if (more.find) ++*more.find;
    for (auto& row : more.rows) row.insert(row.begin(), output);
  }
  if (table.columns.empty()) {
    table = std::move(more);
    return;
  }
  table.left_out += more.left_out;
  // By title: one output may have a column (cautions) that another lacks.
  for (const auto& column : more.columns) {
    const auto known = [&](const DataTable::Column& other) { return other.title == column.title; };
    if (std::any_of(table.columns.begin(), table.columns.end(), known)) continue;
    table.columns.push_back(column);
    for (auto& row : table.rows) row.emplace_back();
  }
  for (const auto& from : more.rows) {
    std::vector<std::string> row(table.columns.size());
    for (std::size_t c = 0; c < row.size(); ++c) {
      for (std::size_t m = 0; m < from.size(); ++m) {
        if (more.columns[m].title == table.columns[c].title) row[c] = from[m];
      }
    }
    table.rows.push_back(std::move(row));
  }
}

void drop_column(DataTable& table, std::string_view title) {
  const auto found = std::find_if(table.columns.begin(), table.columns.end(),
                                  [&](const DataTable::Column& column) { return column.title == title; });
  if (found == table.columns.end()) return;
  const auto at = found - table.columns.begin();
  if (table.find && static_cast<std::ptrdiff_t>(*table.find) > at) --*table.find;
  table.columns.erase(found);
  for (auto& row : table.rows) row.erase(row.begin() + at);
}

DataTable data_table(const ItemGroup& group) {
  const auto axes = group.axes();
  const bool find = axes.size() == 1 && std::any_of(axes.begin(), axes.end(), [&](const Axis* axis) {
                      return any_left_out(*axis, group->levels);
                    });
  return data_table(group, find ? rows_with_levels : most_rows);
}

DataTable data_table(const ItemGroup& group, std::size_t limit) { return view_of(group).table(group, limit); }

DataTable tidy_table(const ItemGroup& group, std::size_t limit) {
  TableBuilder table(limit);
  const auto* plain = group.as<PlainItems>();
  if (plain == nullptr) return table.take();
  for (const auto& column : tidy_frame(plain->items).columns) {
    std::vector<double> numbers;
    std::vector<std::string> texts;
    bool numeric = true;
    for (const TidyFrame::Cell& cell : column.cells) {
      const auto* text = std::get_if<std::string>(&cell);
      const auto* flag = std::get_if<bool>(&cell);
      const auto* number = std::get_if<double>(&cell);
      const auto* whole = std::get_if<std::int64_t>(&cell);
      const auto* date = std::get_if<TidyDate>(&cell);
      numeric = numeric && text == nullptr && flag == nullptr && date == nullptr;
      numbers.push_back(number != nullptr ? *number : whole != nullptr ? static_cast<double>(*whole) : std::nan(""));
      texts.push_back(text != nullptr   ? printable(*text)
                      : flag != nullptr ? (*flag ? "yes" : "no")
                      : date != nullptr ? tidy_text(*date)
                                        : readable(numbers.back()));
    }
    if (numeric) {
      table.some_numbers(words(column.name), numbers);
    } else {
      table.some_texts(words(column.name), texts);
    }
  }
  return table.take();
}

}  // namespace sightglass
