#include "sightglass/render/groups.h"

#include <cmath>
#include <map>
#include <set>

#include "sightglass/base/error.h"
#include "sightglass/render/readable.h"

namespace sightglass {

namespace {

constexpr std::size_t outputs_per_group = 8;

std::string point(const Axis& axis, std::size_t i) {
  return axis.is_categorical() ? "“" + printable(axis.levels[i], 60) + "”" : readable(axis.numbers[i]);
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
std::string course(const Axis& axis, const std::vector<double>& mean) {
  const Extremes found = extremes(mean);
  if (!found.any) return "has no values";
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

std::string describe_curves(const Result& result, const Curves& curves) {
  const bool centred = curves.anchor.has_value() || !curves.anchor_level.empty();
  std::string text = prediction_title(result, centred ? Quantity::change : Quantity::single, curves.output) +
                     " against " + axis_title(curves.axis) + " for " + std::to_string(curves.rows.size()) + " of " +
                     readable(Value(curves.total_rows)) + " rows, one line each.";
  if (centred) {
    const std::string anchor = curves.anchor ? readable(*curves.anchor) : printable(curves.anchor_level, 60);
    text += " Every line is 0 at " + anchor + ".";
  }
  if (!curves.mean.empty()) text += " Their mean " + course(curves.axis, curves.mean) + ".";
  return text;
}

std::string describe_surface(const Result& result, const Surface& surface) {
  std::string text = prediction_title(result, Quantity::mean, surface.output) + " against " +
                     axis_title(surface.first) + " and " + axis_title(surface.second) + ".";
  std::vector<double> all;
  for (const auto& row : surface.mean) all.insert(all.end(), row.begin(), row.end());
  const Extremes found = extremes(all);
  const std::size_t columns = surface.second.size();
  if (!found.any || columns == 0) return text + " There are no values.";
  const auto at = [&](std::size_t i) {
    return readable(all[i]) + " at " + point(surface.first, i / columns) + " and " + point(surface.second, i % columns);
  };
  text += " Highest " + at(found.high) + ", lowest " + at(found.low) + ".";
  std::size_t empty = 0;
  for (const auto& row : surface.count) {
    for (const double count : row) empty += count > 0 ? 0 : 1;
  }
  if (empty > 0) {
    text += " " + std::to_string(empty) + " of " + std::to_string(all.size()) + " cells have no rows of the data.";
  }
  return text;
}

// Builds a table column by column, so that each can choose its own number of decimals.
class TableBuilder {
 public:
  explicit TableBuilder(std::size_t limit) : limit_(limit) {}

  void texts(std::string title, const std::vector<std::string>& values) {
    add({std::move(title), false}, values.size(), [&](std::size_t i) { return values[i]; });
  }
  void numbers(std::string title, const std::vector<double>& values) {
    const ColumnFormat format(values);
    add({std::move(title), true}, values.size(), [&](std::size_t i) { return format(values[i]); });
  }
  void axis(const Axis& axis, const std::vector<std::size_t>& indices) {
    if (axis.is_categorical()) {
      std::vector<std::string> values;
      for (const auto i : indices) values.push_back(i < axis.size() ? printable(axis.levels[i]) : "missing");
      texts(axis_title(axis), values);
      return;
    }
    const ColumnFormat format(axis.numbers);
    add({axis_title(axis), true}, indices.size(), [&](std::size_t i) {
      return indices[i] < axis.size() ? format(axis.numbers[indices[i]]) : std::string("missing");
    });
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

DataTable curve_table(const ItemGroup& group, std::size_t limit) {
  std::vector<std::string> outputs;
  std::vector<std::size_t> indices;
  std::vector<double> mean, band, sd, count;
  const auto labels = output_labels(group);
  const auto value = [](const std::vector<double>& values, std::size_t i) {
    return i < values.size() ? values[i] : std::nan("");
  };
  bool any_band = false, any_sd = false, any_count = false;
  for (std::size_t g = 0; g < group.curve.size(); ++g) {
    const Curve& curve = *group.curve[g];
    any_band = any_band || !curve.se_shape.empty();
    any_sd = any_sd || !curve.sd.empty();
    any_count = any_count || !curve.count.empty();
    const std::size_t size = curve.axis.size();
    for (std::size_t i = 0; i < size + (curve.missing ? 1 : 0); ++i) {
      const bool missing = i == size;
      outputs.push_back(labels[g]);
      indices.push_back(i);
      mean.push_back(missing ? curve.missing->mean : curve.mean[i]);
      band.push_back(1.96 * (missing ? curve.missing->se_shape : value(curve.se_shape, i)));
      sd.push_back(missing ? curve.missing->sd : value(curve.sd, i));
      count.push_back(missing ? curve.missing->count : value(curve.count, i));
    }
  }
  TableBuilder table(limit);
  if (group.curve.size() > 1) table.texts("output", outputs);
  table.axis(group.curve[0]->axis, indices);
  table.numbers("mean", mean);
  if (any_band) table.numbers("± 95 % (shape)", band);
  if (any_sd) table.numbers("sd over rows", sd);
  if (any_count) table.numbers("rows nearby", count);
  return table.take();
}

// Quantiles rather than single rows: the curves themselves are in the csv and json.
DataTable curves_table(const Curves& curves, std::size_t limit) {
  TableBuilder table(limit);
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < curves.axis.size(); ++i) indices.push_back(i);
  table.axis(curves.axis, indices);
  if (!curves.mean.empty()) table.numbers("mean", curves.mean);
  for (std::size_t i = 0; i < curves.bands.size(); ++i) {
    table.numbers(percent(curves.band_levels[i]) + " quantile", curves.bands[i]);
  }
  if (curves.bands.empty()) {
    std::vector<double> low, high;
    for (const auto i : indices) {
      std::vector<double> column;
      for (const auto& values : curves.values) column.push_back(values[i]);
      const Extremes found = extremes(column);
      low.push_back(found.any ? column[found.low] : std::nan(""));
      high.push_back(found.any ? column[found.high] : std::nan(""));
    }
    table.numbers("lowest curve", low);
    table.numbers("highest curve", high);
  }
  return table.take();
}

DataTable surface_table(const Surface& surface, std::size_t limit) {
  std::vector<std::size_t> first, second;
  std::vector<double> mean, count;
  for (std::size_t i = 0; i < surface.first.size(); ++i) {
    for (std::size_t j = 0; j < surface.second.size(); ++j) {
      first.push_back(i);
      second.push_back(j);
      mean.push_back(surface.mean[i][j]);
      if (!surface.count.empty()) count.push_back(surface.count[i][j]);
    }
  }
  TableBuilder table(limit);
  table.axis(surface.first, first);
  table.axis(surface.second, second);
  table.numbers("mean", mean);
  if (!surface.count.empty()) table.numbers("rows nearby", count);
  return table.take();
}

}  // namespace

std::vector<const Axis*> ItemGroup::axes() const {
  if (surface != nullptr) return {&surface->first, &surface->second};
  if (curves != nullptr) return {&curves->axis};
  return {&curve.at(0)->axis};
}

std::vector<ItemGroup> group_items(const Result& result) {
  std::vector<ItemGroup> groups;
  std::map<std::pair<std::string, bool>, std::size_t> open;  // feature and kind -> its group that has room
  for (const auto& item : result.results) {
    if (const auto* curve = std::get_if<Curve>(&item)) {
      const std::pair key(curve->axis.feature, curve->axis.is_categorical());
      const auto found = open.find(key);
      // Only the same levels can share an axis of levels.
      const bool fits = found != open.end() && groups[found->second].curve.size() < outputs_per_group &&
                        groups[found->second].curve[0]->axis.levels == curve->axis.levels;
      if (!fits) {
        open[key] = groups.size();
        groups.emplace_back();
      }
      groups[open[key]].curve.push_back(curve);
      continue;
    }
    ItemGroup group;
    group.curves = std::get_if<Curves>(&item);
    group.surface = std::get_if<Surface>(&item);
    if (group.curves == nullptr && group.surface == nullptr) continue;
    groups.push_back(std::move(group));
  }
  return groups;
}

std::vector<std::string> unique_labels(const std::vector<std::string>& names) {
  std::set<std::string> taken;
  std::vector<std::string> labels;
  for (const auto& name : names) {
    std::string base = name.empty() ? "(empty)" : printable(name);
    // Vega keeps the labels of an axis as properties of a plain object, where this one means something else:
    // an invisible word joiner makes it an ordinary name.
    if (base == "__proto__") base.insert(0, "\xE2\x81\xA0");
    std::string label = base;
    for (int i = 2; !taken.insert(label).second; ++i) label = base + " (" + std::to_string(i) + ")";
    labels.push_back(label);
  }
  return labels;
}

std::vector<std::string> output_labels(const ItemGroup& group) {
  std::vector<std::string> names;
  for (const Curve* curve : group.curve) names.push_back(curve->output);
  if (names.size() == 1 && names[0].empty()) names[0] = "prediction";
  return unique_labels(names);
}

std::string group_title(const ItemGroup& group) {
  std::string title;
  for (const Axis* axis : group.axes()) title += (title.empty() ? "" : " × ") + axis_title(*axis);
  return title;
}

std::string describe(const Result& result, const ItemGroup& group) {
  std::string text;
  if (group.curves != nullptr) {
    text = describe_curves(result, *group.curves);
  } else if (group.surface != nullptr) {
    text = describe_surface(result, *group.surface);
  } else {
    const bool several = group.curve.size() > 1;
    const auto labels = output_labels(group);
    text = prediction_title(result, Quantity::mean, several ? "" : group.curve[0]->output) + " against " +
           axis_title(group.curve[0]->axis) + ".";
    for (std::size_t i = 0; i < group.curve.size(); ++i) {
      const Curve& curve = *group.curve[i];
      text += " " + (several ? labels[i] : std::string("The mean")) + " " + course(curve.axis, curve.mean);
      if (curve.missing) text += "; it is " + readable(curve.missing->mean) + " where the feature is missing";
      text += ".";
    }
  }
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

DataTable data_table(const ItemGroup& group, std::size_t limit) {
  if (group.curves != nullptr) return curves_table(*group.curves, limit);
  if (group.surface != nullptr) return surface_table(*group.surface, limit);
  return curve_table(group, limit);
}

}  // namespace sightglass
