#include "sightglass/render/examples_view.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "sightglass/base/error.h"
#include "sightglass/insight/readable.h"
#include "sightglass/render/example_titles.h"
#include "sightglass/render/neighbor_table.h"
#include "sightglass/render/text/page_internal.h"
#include "sightglass/render/vega/labelled_bars_internal.h"
#include "sightglass/render/vega/parts_internal.h"

namespace sightglass {

namespace {

constexpr std::size_t examples_in_text = 60;

// Prototypes before criticisms.
std::vector<const Examples*> examples_of(const ItemGroup& group) {
  std::vector<const Examples*> items;
  if (const auto* plain = group.as<PlainItems>()) {
    for (const ResultItem* item : plain->items) {
      if (const auto* found = item->as<Examples>()) items.push_back(found);
    }
  }
  return items;
}

const ExampleMap* map_of(const std::vector<const Examples*>& items) {
  for (const Examples* item : items) {
    if (item->map) return &*item->map;
  }
  return nullptr;
}

std::string role_text(const Examples& item) { return printable(item.role.text(), 40); }
std::string roles_text(const Examples& item) {
  const std::string role = role_text(item);
  if (item.role == ExampleRole::picked) return "rows";
  return item.role == ExampleRole::criticism ? "criticisms" : role + "s";
}

// "Adelie (0.98)", "female (male 0.13), wrong", "12.3".
std::string prediction_text(const Examples& item, const Example& example) {
  if (!example.prediction) return "";
  const std::string number = readable(*example.prediction);
  if (example.predicted_class.empty()) return number;
  const Value* of = item.details.find("prediction_of");
  const bool other = of != nullptr && of->is_string() && of->as_string() != example.predicted_class;
  std::string text = printable(example.predicted_class, 30) + " (";
  if (other) text += printable(of->as_string(), 30) + " ";
  return text + number + ")" + (example.error && *example.error != 0 ? ", wrong" : "");
}
std::string other_prediction_text(const Example& example) {
  if (!example.other_prediction) return "";
  const std::string number = readable(*example.other_prediction);
  return example.other_class.empty() ? number : printable(example.other_class, 30) + " (" + number + ")";
}
// Of numbers; of classes the prediction says it.
bool has_error(const Example& example) { return example.error && example.predicted_class.empty(); }
std::string error_text(const Example& example) {
  if (!has_error(example)) return "";
  return (*example.error > 0 ? "+" : "") + readable(*example.error);
}

std::string outcome_text(const Example& example) {
  if (!example.own_class.empty()) return printable(example.own_class, 30);
  return example.target ? readable(*example.target) : "";
}

std::string special_text(const Example& example, const std::string& ordinary = "near the middle") {
  std::string text;
  for (const Oddity& oddity : example.special) text += (text.empty() ? "" : ", ") + oddity_text(oddity, example.data);
  return text.empty() ? ordinary : text;
}

std::string attributions_text(const Example& example) {
  std::string text;
  for (const Contribution& each : example.attributions) {
    text +=
        (text.empty() ? "" : ", ") + printable(each.feature, 40) + (each.value > 0 ? " +" : " ") + readable(each.value);
  }
  return text;
}

std::string data_text(const Examples& item, const Example& example, std::size_t most) {
  std::string text;
  std::size_t shown = 0;
  for (const auto& [feature, value] : example.data.as_object()) {
    if (shown++ == most) break;
    text += (text.empty() ? "" : ", ") + printable(feature, 40) + " " +
            (value.is_null() ? "missing" : readable_value(value, date_kind(item.dates, feature)));
  }
  return text;
}

std::string no_rows_text(const std::vector<const Examples*>& items) {
  const bool neighbors = !items.empty() && items[0]->role == ExampleRole::neighbor;
  return neighbors ? no_neighbors_text : "no rows";
}

std::string weight_title(const Examples& item) { return item.role == ExampleRole::neighbor ? "counts" : "stands for"; }
std::string special_title(const Examples& item) {
  return item.role == ExampleRole::neighbor ? "differs in" : "special";
}

bool any(const Examples& item, bool (*has)(const Example&)) {
  return std::any_of(item.rows.begin(), item.rows.end(), has);
}
bool has_outcome(const Example& example) { return !example.own_class.empty() || example.target; }
bool has_prediction(const Example& example) { return example.prediction.has_value(); }
bool has_other_prediction(const Example& example) { return example.other_prediction.has_value(); }
bool has_attributions(const Example& example) { return !example.attributions.empty(); }

std::uint64_t enough_of(const Examples& item) {
  const Value* enough = item.details.find("enough");
  return enough != nullptr && enough->is_integer() && enough->as_integer() > 0
             ? static_cast<std::uint64_t>(enough->as_integer())
             : 0;
}

void table(text::Page& page, const Examples& item) {
  const std::size_t shown = std::min(item.rows.size(), examples_in_text);
  std::vector<text::TableColumn> columns;
  const auto add = [&](std::string title, bool left, const auto& cell) {
    text::TableColumn column{std::move(title), {}, left};
    for (std::size_t i = 0; i < shown; ++i) column.cells.push_back(page.ascii(cell(item.rows[i])));
    columns.push_back(std::move(column));
  };
  const auto number = [](const std::optional<double>& value) { return value ? readable(*value) : std::string(); };
  add(role_text(item), false, [](const Example& example) { return row_name(example.row, example.row_label); });
  if (any(item, has_outcome)) add("outcome", true, outcome_text);
  if (any(item, has_prediction))
    add(model_title(item, 0), true, [&](const Example& example) { return prediction_text(item, example); });
  if (any(item, has_other_prediction)) add(model_title(item, 1), true, other_prediction_text);
  if (any(item, has_error)) add("error", false, error_text);
  if (any(item, [](const Example& example) { return example.stands_for.has_value(); }))
    add(weight_title(item), false, [&](const Example& example) { return number(example.stands_for); });
  if (any(item, [](const Example& example) { return example.score.has_value(); }))
    add(measure_title(item, 20), false, [&](const Example& example) { return number(example.score); });
  int used = 4;
  for (const auto& column : columns) {
    int width = text_width(column.title);
    for (const auto& cell : column.cells) width = std::max(width, text_width(cell));
    used += width + 3;
  }
  const int room = std::max(20, page.width() - used - 2);
  const bool any_special = any(item, [](const Example& example) { return !example.special.empty(); });
  add(any_special ? "special" : "values", true, [&](const Example& example) {
    return page.fitted(any_special ? special_text(example, "-") : data_text(item, example, 8), room);
  });
  page.table(columns);
  if (any(item, has_attributions)) {
    columns.clear();
    add(role_text(item), false, [](const Example& example) { return row_name(example.row, example.row_label); });
    add("adds to the prediction", true,
        [&](const Example& example) { return page.fitted(attributions_text(example), page.width() - 18); });
    page.table(columns);
  }
  if (item.rows.size() > shown)
    page.line(page.dim("  " + std::to_string(item.rows.size() - shown) + " more; csv and json have all"));
}

// How the votes of neighbours went.
std::string vote_text(const Examples& item) {
  const Value* vote = item.details.find("vote");
  if (vote == nullptr || !vote->is_object()) return "";
  const bool classes = vote->as_object().size() > 1;
  std::string text;
  bool agreed = false;
  for (const auto& [name, share] : vote->as_object()) {
    if (!share.is_number() || (classes && share.as_number() == 0)) continue;
    agreed = classes && share.as_number() == 1;
    text += (text.empty() ? "" : ", ") + printable(name, 60);
    if (!agreed) text += " " + (classes ? percent(share.as_number()) : readable(share.as_number()));
  }
  if (text.empty()) return "";
  if (item.rows.empty())
    return "No training row has a value in common with this one, so that none is nearer than others. All training rows "
           "together say: " +
           text + ".";
  if (item.rows.size() == 1) return "It says: " + text + ".";
  return (agreed ? "All of them say: " : "Together they say: ") + text + ".";
}

// How far the prototypes have come, in words.
std::string progress_text(const Examples& item) {
  if (item.role == ExampleRole::neighbor) return vote_text(item);
  if (item.rows.empty() || !item.rows.back().objective || item.role != ExampleRole::prototype) return "";
  std::string text;
  if (const std::uint64_t enough = enough_of(item); enough > 0) {
    const double first = item.rows[0].objective.value_or(0), last = *item.rows.back().objective;
    text = "Squared discrepancy from all rows: " + readable(first) + " with one prototype, " + readable(last) +
           " with " + std::to_string(item.rows.size());
    text += enough < item.rows.size() ? "; from " + std::to_string(enough) + " on, one more hardly lowers it." : ".";
  }
  const auto& accuracy = item.rows.back().accuracy;
  if (accuracy) {
    text += std::string(text.empty() ? "" : " ") + "For " + percent(*accuracy) + " of the rows the nearest of " +
            std::to_string(item.rows.size()) + (item.rows.size() == 1 ? " prototype" : " prototypes") +
            " is of their class.";
  }
  return text;
}

void examples_section(text::Page& page, const ItemGroup& group) {
  const auto items = examples_of(group);
  const std::string qualifier = group_qualifier(page.result(), group);
  page.title(group_title(group) + (qualifier.empty() ? "" : page.dot() + qualifier), "");
  for (const Examples* item : items) {
    if (item->rows.empty() && item->role != ExampleRole::neighbor) continue;
    if (item->role == ExampleRole::neighbor) {
      neighbor_section(page, *item);
    } else {
      table(page, *item);
    }
    if (const std::string text = progress_text(*item); !text.empty()) page.wrapped(text, 2);
    page.line();
  }
}

Value place_encoding(const char* name, const std::string& title, const vega::Domain& domain) {
  Value encoding = vega::field(name, "quantitative");
  const double margin = 0.05 * domain.span();
  encoding.set("scale", Value::object({{"domain", Value::array()
                                                      .push_back(vega::plotted(domain.low - margin))
                                                      .push_back(vega::plotted(domain.high + margin))},
                                       {"nice", false},
                                       {"zero", false}}));
  encoding.set(
      "axis",
      Value::object(
          {{"title", ordinary_name(printable(title, 120))}, {"grid", false}, {"tickCount", 8}, {"titleLimit", 560}}));
  return encoding;
}

bool on_map(const Example& example) {
  return example.x && example.y && std::isfinite(*example.x) && std::isfinite(*example.y);
}

Value map_chart(const std::vector<const Examples*>& items, const ExampleMap& map) {
  std::vector<std::string> names;
  std::set<std::string> known;
  const auto note = [&](const std::string& name) {
    if (!name.empty() && known.insert(name).second) names.push_back(name);
  };
  for (const std::string& name : map.classes) note(name);
  for (const Examples* item : items) {
    for (const Example& example : item->rows) note(example.own_class);
  }
  std::sort(names.begin(), names.end());
  const std::vector<std::string> labels = unique_labels(names);
  const auto label_of = [&](const std::string& name) -> std::string {
    const auto at = std::lower_bound(names.begin(), names.end(), name);
    return at != names.end() && *at == name ? labels[static_cast<std::size_t>(at - names.begin())] : std::string();
  };
  vega::Domain across, up;
  Value::Array background, marks;
  for (std::size_t i = 0; i < map.x.size() && i < map.y.size(); ++i) {
    if (!std::isfinite(map.x[i]) || !std::isfinite(map.y[i])) continue;
    across.add(map.x[i]);
    up.add(map.y[i]);
    Value row = Value::object({{"x", vega::plotted(map.x[i], 4)}, {"y", vega::plotted(map.y[i], 4)}});
    if (!labels.empty()) row.set("group", i < map.classes.size() ? label_of(map.classes[i]) : "");
    background.push_back(std::move(row));
  }
  std::vector<std::string> roles;
  for (const Examples* item : items) {
    if (!item->rows.empty()) roles.push_back(role_text(*item));
    for (const Example& example : item->rows) {
      if (!on_map(example)) continue;
      across.add(*example.x);
      up.add(*example.y);
      Value row = Value::object({{"x", vega::plotted(*example.x, 5)},
                                 {"y", vega::plotted(*example.y, 5)},
                                 {"role", role_text(*item)},
                                 {"row", Value(example.row)},
                                 {"label", std::to_string(example.row)},
                                 {"special", printable(special_text(example), 300)},
                                 {"data", printable(data_text(*item, example, 8), 400)}});
      if (!labels.empty()) row.set("group", label_of(example.own_class));
      if (has_outcome(example)) row.set("outcome", outcome_text(example));
      if (example.prediction) row.set("prediction", prediction_text(*item, example));
      if (has_error(example)) row.set("error", error_text(example));
      if (example.stands_for) row.set("stands", vega::plotted(*example.stands_for));
      if (example.score) row.set("score", vega::plotted(*example.score, 4));
      if (has_attributions(example)) row.set("adds", printable(attributions_text(example), 300));
      marks.push_back(std::move(row));
    }
  }
  const Value x = place_encoding("x", map.axes.empty() ? "" : map.axes[0], across);
  const Value y = place_encoding("y", map.axes.size() < 2 ? "" : map.axes[1], up);
  Value color = Value::object({{"value", vega::muted_ink}});
  if (!labels.empty()) color = vega::group_color(labels, "");
  std::vector<vega::TooltipField> fields{{"row", "row"}, {"role", "is a", false}};
  const auto some = [&](bool (*has)(const Example&)) {
    return std::any_of(items.begin(), items.end(), [&](const Examples* item) { return any(*item, has); });
  };
  if (some(has_outcome)) fields.push_back({"outcome", "outcome", false});
  if (some(has_prediction)) fields.push_back({"prediction", "prediction", false});
  if (some(has_error)) fields.push_back({"error", "error", false});
  if (some([](const Example& each) { return each.stands_for.has_value(); }))
    fields.push_back({"stands", "rows it stands for"});
  if (some([](const Example& each) { return each.score.has_value(); })) fields.push_back({"score", "score"});
  fields.push_back({"special", "special", false});
  if (some(has_attributions)) fields.push_back({"adds", "adds to the prediction", false});
  fields.push_back({"data", "values", false});

  Value layers = Value::array();
  layers.push_back(Value::object(
      {{"data", vega::inline_data(std::move(background))},
       {"mark", Value::object({{"type", "circle"}, {"size", 16}, {"opacity", 0.5}, {"tooltip", Value()}})},
       {"encoding", Value::object({{"x", x}, {"y", y}, {"color", color}})}}));
  const Value data = vega::inline_data(std::move(marks));
  Value shape = vega::field("role", "nominal");
  shape.set("scale",
            Value::object({{"domain", vega::texts(roles)}, {"range", vega::texts({"circle", "diamond", "square"})}}));
  shape.set("legend", roles.size() > 1 ? vega::line_legend("") : Value());
  Value mark_color = color;
  if (labels.empty()) {
    mark_color = vega::field("role", "nominal");
    mark_color.set("scale", Value::object({{"domain", vega::texts(roles)}}));
    mark_color.set("legend", roles.size() > 1 ? vega::line_legend("") : Value());
  }
  const Value condition = Value::object({{"test", "datum.role === 'criticism'"}, {"value", 2.4}});
  layers.push_back(Value::object(
      {{"data", data},
       {"mark", Value::object({{"type", "point"}, {"filled", false}, {"size", 110}, {"opacity", 1}})},
       {"encoding", Value::object({{"x", x},
                                   {"y", y},
                                   {"shape", shape},
                                   {"color", mark_color},
                                   {"strokeWidth", Value::object({{"condition", condition}, {"value", 1.6}})},
                                   {"tooltip", vega::tooltip(fields)}})}}));
  layers.push_back(Value::object(
      {{"data", data},
       {"mark",
        Value::object(
            {{"type", "text"}, {"dx", 8}, {"dy", -7}, {"align", "left"}, {"fontSize", 10}, {"tooltip", Value()}})},
       {"encoding", Value::object({{"x", x},
                                   {"y", y},
                                   {"text", vega::field("label", "nominal")},
                                   {"color", Value::object({{"value", vega::muted_ink}})}})}}));
  return Value::object({{"width", vega::chart_width}, {"height", vega::chart_height + 120}, {"layer", layers}});
}

// A number that each prototype changes, against how many there are.
Value steps_panel(const Examples& item, std::optional<double> Example::* member, const char* title,
                  std::uint64_t enough) {
  Value::Array rows;
  bool any_number = false;
  for (std::size_t i = 0; i < item.rows.size(); ++i) {
    const std::optional<double>& value = item.rows[i].*member;
    if (!value || !std::isfinite(*value)) continue;
    any_number = true;
    rows.push_back(Value::object({{"x", Value(static_cast<std::uint64_t>(i + 1))}, {"y", vega::plotted(*value)}}));
  }
  if (rows.size() < 2) return Value();
  Value x = vega::field("x", "quantitative");
  x.set("scale",
        Value::object(
            {{"domain", Value::array().push_back(1).push_back(Value(static_cast<std::uint64_t>(item.rows.size())))},
             {"nice", false},
             {"zero", false}}));
  x.set("axis", Value::object({{"title", "number of prototypes"},
                               {"tickMinStep", 1},
                               {"tickCount", 10},
                               {"format", "d"},
                               {"grid", false}}));
  const Value y = vega::quantity_encoding("y", title, true, any_number);
  Value layers = Value::array();
  if (enough > 0 && enough < item.rows.size()) {
    layers.push_back(Value::object(
        {{"data", vega::inline_data({Value::object({{"x", Value(enough)}})})},
         {"mark",
          Value::object(
              {{"type", "rule"}, {"strokeDash", Value::array().push_back(3).push_back(3)}, {"tooltip", Value()}})},
         {"encoding", Value::object({{"x", x}, {"color", Value::object({{"value", vega::muted_ink}})}})}}));
  }
  layers.push_back(Value::object(
      {{"data", vega::inline_data(std::move(rows))},
       {"mark", Value::object({{"type", "line"}, {"point", true}, {"strokeWidth", 1.6}})},
       {"encoding",
        Value::object({{"x", x}, {"y", y}, {"tooltip", vega::tooltip({{"x", "prototypes"}, {"y", "value"}})}})}}));
  return Value::object({{"width", vega::chart_width}, {"height", 110}, {"layer", layers}});
}

Value score_bars(const std::vector<const Examples*>& items) {
  vega::LabelledBars examples_chart;
  examples_chart.groups = {"all"};
  examples_chart.title = measure_title(*items[0], 40);
  for (const Examples* item : items) {
    for (const Example& example : item->rows) {
      const std::string outcome = outcome_text(example);
      vega::LabelledBar bar{
          .label = row_name(example.row, example.row_label) + (outcome.empty() ? "" : " · outcome " + outcome),
          .value = example.score.value_or(std::nan("")),
          .group = "all"};
      if (has_other_prediction(example))
        bar.told.set("predictions", model_title(*item, 0) + ": " + prediction_text(*item, example) + "; " +
                                        model_title(*item, 1) + ": " + other_prediction_text(example));
      bar.told.set("data", printable(data_text(*item, example, 8), 400));
      examples_chart.bars.push_back(std::move(bar));
    }
  }
  if (any(*items[0], has_other_prediction)) examples_chart.tooltip.push_back({"predictions", "predictions", false});
  examples_chart.tooltip.push_back({"data", "values", false});
  return labelled_bars(examples_chart, vega::letters_per_line);
}

Value examples_chart(const Result&, const ItemGroup& group, int) {
  const auto items = examples_of(group);
  const bool none = std::all_of(items.begin(), items.end(), [](const Examples* item) { return item->rows.empty(); });
  if (none) return vega::message_chart(no_rows_text(items));
  if (items[0]->role == ExampleRole::neighbor) return neighbor_chart(*items[0], false);
  const ExampleMap* map = map_of(items);
  if (map == nullptr) return score_bars(items);
  Value::Array charts{map_chart(items, *map)};
  const bool steps = items[0]->role == ExampleRole::prototype;
  const std::uint64_t enough = enough_of(*items[0]);
  charts.push_back(steps && enough > 0 ? steps_panel(*items[0], &Example::objective, "MMD²", enough) : Value());
  charts.push_back(steps ? steps_panel(*items[0], &Example::accuracy, "accuracy", 0) : Value());
  Value all = vega::stacked(std::move(charts));
  // Legends stay with the map.
  return all.set("resolve",
                 Value::object({{"legend", Value::object({{"color", "independent"}, {"shape", "independent"}})}}));
}

// Columns of a table do not shrink.
Value examples_narrow_chart(const Result& result, const ItemGroup& group) {
  const auto items = examples_of(group);
  if (!items.empty() && !items[0]->rows.empty() && items[0]->role == ExampleRole::neighbor)
    return neighbor_chart(*items[0], true);
  return examples_chart(result, group, 0);
}

std::vector<std::string> own_cells(const DataTable& table, const Examples& item, const Value& own) {
  std::vector<std::string> cells(table.columns.size());
  cells[0] = "this row";
  cells[1] = std::to_string(*item.of_row);
  const std::size_t first = cells.size() - item.features.size();
  for (std::size_t j = 0; j < item.features.size(); ++j) {
    const Value* value = own.find(item.features[j]);
    if (value != nullptr) cells[first + j] = readable_value(*value, date_kind(item.dates, item.features[j]));
  }
  return cells;
}

DataTable data_table_of(const ItemGroup& group, std::size_t limit) {
  DataTable table;
  const auto items = examples_of(group);
  // A map tells nothing of what the rows are; neighbours are drawn as a table already.
  table.open =
      std::any_of(items.begin(), items.end(), [](const Examples* item) { return item->role != ExampleRole::neighbor; });
  using Cell = std::function<std::string(const Examples&, const Example&)>;
  std::vector<Cell> cells;
  const auto add = [&](std::string title, bool numeric, bool there, Cell cell) {
    if (!there) return;
    table.columns.push_back({std::move(title), numeric});
    cells.push_back(std::move(cell));
  };
  const auto some = [&](bool (*has)(const Example&)) {
    return std::any_of(items.begin(), items.end(), [&](const Examples* item) { return any(*item, has); });
  };
  const auto number = [](std::optional<double> Example::* member) {
    return [member](const Examples&, const Example& example) {
      return example.*member ? readable(*(example.*member)) : std::string();
    };
  };
  const auto was_picked = [](const Examples* item) { return item->role == ExampleRole::picked; };
  add("role", false, !std::all_of(items.begin(), items.end(), was_picked),
      [](const Examples& item, const Example&) { return role_text(item); });
  add("row", true, true, [](const Examples&, const Example& example) { return std::to_string(example.row); });
  add("outcome", false, some(has_outcome), [](const Examples&, const Example& each) { return outcome_text(each); });
  add(items.empty() ? "prediction" : model_title(*items[0], 0), false, some(has_prediction),
      [](const Examples& item, const Example& each) { return prediction_text(item, each); });
  add(items.empty() ? "" : model_title(*items[0], 1), false, some(has_other_prediction),
      [](const Examples&, const Example& each) { return other_prediction_text(each); });
  add("error", true, some(has_error), [](const Examples&, const Example& each) { return error_text(each); });
  add(items.empty() ? "" : weight_title(*items[0]), true,
      some([](const Example& each) { return each.stands_for.has_value(); }), number(&Example::stands_for));
  add(items.empty() ? "score" : measure_title(*items.back(), 40), true,
      some([](const Example& each) { return each.score.has_value(); }), number(&Example::score));
  const bool chosen_otherwise = !items.empty() && items[0]->role == ExampleRole::picked;
  add(items.empty() ? "" : special_title(*items[0]), false,
      !chosen_otherwise || some([](const Example& each) { return !each.special.empty(); }),
      [](const Examples& item, const Example& each) {
        return special_text(each, item.role == ExampleRole::neighbor ? "no difference" : "near the middle");
      });
  add("adds to the prediction", false, some(has_attributions),
      [](const Examples&, const Example& each) { return attributions_text(each); });
  if (!items.empty()) {
    for (const std::string& feature : items[0]->features) {
      add(printable(feature, 60), false, true, [feature](const Examples& item, const Example& each) {
        const Value* value = each.data.find(feature);
        return value == nullptr ? std::string() : readable_value(*value, date_kind(item.dates, feature));
      });
    }
  }
  for (const Examples* item : items) {
    // Whose neighbours they are stands first.
    if (const Value* own = item->details.find("own"); item->of_row && own != nullptr && own->is_object())
      table.rows.push_back(own_cells(table, *item, *own));
    for (const Example& example : item->rows) {
      if (table.rows.size() == limit) {
        ++table.left_out;
        continue;
      }
      std::vector<std::string>& row = table.rows.emplace_back();
      for (const Cell& cell : cells) row.push_back(cell(*item, example));
    }
  }
  return table;
}

std::string examples_description(const Result&, const ItemGroup& group) {
  std::string text;
  const auto items = examples_of(group);
  for (const Examples* item : items) {
    if (item->rows.empty()) {
      if (const std::string progress = progress_text(*item); !progress.empty()) text += progress + " ";
      continue;
    }
    text += std::to_string(item->rows.size()) + " " + (item->rows.size() == 1 ? role_text(*item) : roles_text(*item)) +
            ": row ";
    for (std::size_t i = 0; i < std::min<std::size_t>(item->rows.size(), 5); ++i)
      text += (i == 0 ? "" : ", ") + std::to_string(item->rows[i].row);
    text += item->rows.size() > 5 ? " and others. " : ". ";
    if (item->details.find("models") != nullptr)
      text += "A bar says how far the predictions of " + model_title(*item, 0) + " and " + model_title(*item, 1) +
              " are apart. ";
    if (const std::string progress = progress_text(*item); !progress.empty()) text += progress + " ";
  }
  if (!text.empty()) text.pop_back();
  return text.empty() ? no_rows_text(items) : text;
}

std::string examples_reading(const Result&, const ItemGroup& group) {
  const auto items = examples_of(group);
  const ExampleMap* map = map_of(items);
  std::string text;
  for (const Examples* item : items) {
    if (item->role != ExampleRole::prototype) continue;
    // Where each class has its own, no number of them all is enough.
    text = "Prototypes (circles) are rows that together are spread as ";
    text += enough_of(*item) > 0 ? "all rows are" : "the rows of their class are";
  }
  if (std::any_of(items.begin(), items.end(),
                  [](const Examples* item) { return item->role == ExampleRole::criticism; }))
    text += "; criticisms (diamonds) are rows that they do not stand for";
  if (!text.empty()) text += ".";
  if (std::any_of(items.begin(), items.end(), [](const Examples* item) { return item->role == ExampleRole::neighbor; }))
    text =
        "The row, and beside it the rows that are most like it, nearest first. Coloured values differ from the row's "
        "own: "
        "orange is higher, blue lower, pink another level; the stronger, the larger the part of the feature's range." +
        left_out_features(*items.front());
  if (map != nullptr) {
    text += std::string(text.empty() ? "" : " ") + "Dots in the background are other rows.";
    if (map->shown)
      text += " The two axes show " + percent(*map->shown) +
              " of the variance: rows that are near one another here may differ in the rest.";
  }
  return text;
}

std::vector<std::string> examples_chips(const ItemGroup& group) {
  std::vector<std::string> list;
  for (const Examples* item : examples_of(group)) {
    if (!item->rows.empty())
      list.push_back(std::to_string(item->rows.size()) + " " +
                     (item->rows.size() == 1 ? role_text(*item) : roles_text(*item)));
    if (!item->rows.empty() && item->rows.back().accuracy)
      list.push_back("nearest-prototype accuracy " + percent(*item->rows.back().accuracy));
  }
  return list;
}

}  // namespace

ShapeView ViewOf<Examples>::view() {
  return {
      .text = examples_section,
      .chart = examples_chart,
      .chapter = PageChapter{"examples", "Rows that stand for others", "Rows of the data that show what there is.", 5},
      .words = {.describe = examples_description, .how_to_read = examples_reading, .badges = examples_chips},
      .table = data_table_of,
      .narrow_chart = examples_narrow_chart,
      .wide = true};
}

}  // namespace sightglass
