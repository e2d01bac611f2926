// One chart for all outputs, of which it shows the one that the signal `output` names.
#include <algorithm>

#include "sightglass/insight/readable.h"
#include "sightglass/render/vega/parts_internal.h"

namespace sightglass::vega {

namespace {

Value tagged(const Value& data, const std::string& label) {
  Value rows = Value::array();
  for (Value row : data.find("values")->as_array()) rows.push_back(row.set("output", label));
  return Value::object({{"values", rows}});
}

void append(Value& data, const Value& more) {
  Value rows = *data.find("values");
  for (const auto& row : more.find("values")->as_array()) rows.push_back(row);
  data.set("values", rows);
}

// The output to begin with, as charts call it.
std::string shown_label(const Result& result) {
  const auto outputs = outputs_of(result);
  const auto shown = std::find(outputs.begin(), outputs.end(), shown_output(result));
  if (shown == outputs.end()) return {};
  return unique_labels(outputs)[static_cast<std::size_t>(shown - outputs.begin())];
}

Value only_shown() { return Value::array().push_back(shown_if("datum.output == output")); }

}  // namespace

Value output_title(const Result& result) {
  return Value::object({{"text", Value::object({{"expr", predicts_classes(result) ? "'class ' + output" : "output"}})},
                        {"anchor", "start"},
                        {"fontSize", 12},
                        {"fontWeight", "normal"},
                        {"limit", 520}});
}

Value by_output(const Result& result, const std::vector<std::string>& labels, std::vector<Value> charts) {
  if (charts.size() == 1) return std::move(charts[0]);
  Value data;
  Value::Array shared, own;  // layers that draw the chart's data, and those with data of their own
  for (std::size_t i = 0; i < charts.size(); ++i) {
    const Value rows = tagged(*charts[i].find("data"), labels[i]);
    if (i == 0) {
      data = rows;
    } else {
      append(data, rows);
    }
    for (const Value& layer : charts[i].find("layer")->as_array()) {
      const Value* values = layer.find("data");
      if (values == nullptr && i == 0) shared.push_back(layer);
      if (values == nullptr) continue;
      Value alone = layer;
      own.push_back(alone.set("data", tagged(*values, labels[i])).set("transform", only_shown()));
    }
  }
  shared.insert(shared.end(), own.begin(), own.end());
  Value chart = std::move(charts[0]);
  Value transform = only_shown();
  if (const Value* more = chart.find("transform")) {
    for (const auto& step : more->as_array()) transform.push_back(step);
  }
  chart.set("data", data).set("transform", transform).set("layer", Value(std::move(shared)));
  // Labels are those of all outputs, or of some.
  const std::string wanted = shown_label(result);
  const bool known = std::find(labels.begin(), labels.end(), wanted) != labels.end();
  return chart.set("title", output_title(result))
      .set("params", Value::array().push_back(signal("output", known ? wanted : labels[0])));
}

}  // namespace sightglass::vega
