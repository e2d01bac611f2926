// Single rows: why the model predicts what it does for them, and what it would predict if one value were another.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "sightglass/base/error.h"
#include "sightglass/insight/attribution_view.h"
#include "sightglass/insight/groups/attribution_picture.h"
#include "sightglass/insight/readable.h"
#include "sightglass/insight/what_if.h"
#include "sightglass/render/html/draft_internal.h"
#include "sightglass/render/vega/vega_renderer.h"

namespace sightglass::html {

namespace {

constexpr std::size_t most_rows = 30;  // of a result about single rows
constexpr std::size_t rows_open = 6;   // so many are all on the page
constexpr std::size_t features_in_table = 5;
constexpr std::size_t outputs_per_row = 12;

// Some rows that one result explains, for every output.
struct ExplainedRows {
  const Result* result = nullptr;
  std::vector<const Attributions*> outputs;

  [[nodiscard]] const std::vector<std::uint64_t>& rows() const { return outputs[0]->rows; }
  // The output with the highest prediction of a row first, then the next.
  [[nodiscard]] std::vector<const Attributions*> highest_first(std::size_t row) const {
    auto order = outputs;
    std::stable_sort(order.begin(), order.end(), [&](const Attributions* a, const Attributions* b) {
      return a->prediction[row] > b->prediction[row];
    });
    return order;
  }
  [[nodiscard]] std::string why(std::size_t row) const {
    const Value* reasons = outputs[0]->details.find("why");
    if (reasons == nullptr || !reasons->is_array() || row >= reasons->as_array().size()) return {};
    const Value& reason = reasons->as_array()[row];
    return reason.is_string() ? printable(reason.as_string(), 120) : std::string();
  }
};

std::vector<ExplainedRows> explained_rows(const Draft& draft) {
  std::vector<ExplainedRows> list;
  for (const auto& result : draft.results()) {
    ExplainedRows rows{&result, {}};
    for (const auto& item : result.results) {
      const auto* found = item.as<Attributions>();
      if (found == nullptr || found->rows.empty() || found->rows.size() > most_rows || !found->group.empty()) continue;
      if (rows.outputs.empty() || rows.rows() == found->rows) rows.outputs.push_back(found);
    }
    if (!rows.outputs.empty()) list.push_back(std::move(rows));
  }
  return list;
}

// By what they add on average, over all outputs.
std::vector<std::size_t> telling_features(const ExplainedRows& rows) {
  std::vector<std::size_t> order(rows.outputs[0]->features.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<double> size(order.size());
  for (const auto* item : rows.outputs) {
    for (std::size_t j = 0; j < order.size() && j < item->features.size(); ++j) size[j] += mean_size(*item, j);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return size[a] > size[b]; });
  return order;
}

// A row's features, those that add or take away most first.
std::vector<std::string> features_of_row(const Attributions& item, std::size_t row) {
  std::vector<std::size_t> order(item.features.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(item.value(row, a)) > std::abs(item.value(row, b));
  });
  std::vector<std::string> names;
  for (const auto j : order) names.push_back(item.features[j].feature);
  return names;
}

ChartParts what_if_parts(const WhatIf& picture, const std::string& subject) {
  ChartParts parts;
  parts.method = "What if";
  parts.result = picture.result;
  parts.output = output_label(*picture.result, picture.output);
  const std::string quantity = prediction_title(*picture.result, Quantity::single, picture.output);
  parts.about = (parts.output.empty() ? quantity + ", " : "") + "one value changed at a time";
  if (!subject.empty()) parts.about += " · " + subject;
  parts.reading =
      "Each panel changes one value of this row and leaves the others as they are: the line is what the model then "
      "predicts. The dashed line and the dot are the row's own value.";
  parts.description = capitalised(quantity) + " of this row when one value is changed.";
  parts.table.columns = {{"feature", false}, {"value", false}, {"prediction", true}};
  for (const auto& line : picture.lines) {
    const Curves& curves = *line.curves;
    const auto& heights = curves.values[line.row];
    const auto [low, high] = std::minmax_element(heights.begin(), heights.end());
    const std::string title = axis_title(curves.axis);
    if (moves(line)) parts.description += " " + title + ": between " + readable(*low) + " and " + readable(*high) + ".";
    const auto numbers = axis_numbers(curves.axis);
    const ColumnFormat format(heights);
    for (std::size_t i = 0; i < heights.size(); ++i) {
      const bool levels = curves.axis.is_categorical();
      parts.table.rows.push_back({title, levels ? printable(curves.axis.levels[i]) : numbers[i], format(heights[i])});
    }
  }
  if (std::none_of(picture.lines.begin(), picture.lines.end(), moves)) parts.description += " None changes it.";
  parts.spec = vega_spec(picture);
  return parts;
}

std::size_t show_row(Draft& draft, const Chapter& chapter, const ExplainedRows& rows, std::size_t row) {
  const std::string title = "Row " + std::to_string(rows.rows()[row]);
  const std::size_t section = draft.section(chapter, SectionKind::row, {}, title);
  auto outputs = rows.highest_first(row);
  outputs.resize(std::min(outputs.size(), outputs_per_row));
  const std::string subject = draft.subject(*rows.result);
  for (const Attributions* output : outputs) {
    ChartParts parts = chart_parts({rows.result, AttributionPicture(*output, AttributionView::row, row), subject});
    if (const std::string why = rows.why(row); !why.empty()) parts.about += (parts.about.empty() ? "" : " · ") + why;
    draft.add_chart(section, parts);
  }
  for (const Attributions* output : outputs) {
    const WhatIf changed = what_if(draft.results(), rows.rows()[row], output->output, features_of_row(*output, row));
    if (!changed.lines.empty()) draft.add_chart(section, what_if_parts(changed, draft.subject(*changed.result)));
  }
  return section;
}

// "12.3"; with several outputs the highest: "Adelie, 0.98".
std::string prediction_text(const ExplainedRows& rows, std::size_t row) {
  const Attributions& highest = *rows.highest_first(row)[0];
  const auto response = response_of(highest, row);
  const std::string value = readable(response ? response->value : highest.prediction[row]);
  return rows.outputs.size() > 1 ? printable(highest.output, 60) + ", " + value : value;
}

Value row_table(const ExplainedRows& rows, const std::vector<std::size_t>& sections) {
  const Attributions& item = *rows.outputs[0];
  const bool several = rows.outputs.size() > 1;
  auto features = telling_features(rows);
  features.resize(std::min(features.size(), features_in_table));
  std::string quantity = prediction_title(*rows.result, Quantity::single, several ? "" : item.output);
  if (const auto response = response_of(item, 0)) {
    const std::string subject = several ? "" : prediction_subject(*rows.result, item.output);
    quantity = response->name + (subject.empty() ? "" : " of " + subject);
  }
  Value columns = Value::array();
  columns.push_back(
      Value::object({{"title", several ? "Highest " + quantity : capitalised(quantity)}, {"numeric", !several}}));
  for (const auto j : features) {
    columns.push_back(
        Value::object({{"title", axis_title(item.features[j], 40)}, {"numeric", !item.features[j].is_categorical()}}));
  }
  Value list = Value::array();
  for (std::size_t row = 0; row < sections.size(); ++row) {
    Value cells = Value::array().push_back(prediction_text(rows, row));
    for (const auto j : features) cells.push_back(own_value(item, row, j));
    list.push_back(Value::object({{"title", "Row " + std::to_string(rows.rows()[row])},
                                  {"why", rows.why(row)},
                                  {"cells", cells},
                                  {"section", Value(static_cast<std::uint64_t>(sections[row]))}}));
  }
  return Value::object({{"columns", columns}, {"rows", list}});
}

bool has_many_rows(const Draft& draft) {
  const auto many = [](const ResultItem& item) {
    const auto* found = item.as<Attributions>();
    return found != nullptr && found->rows.size() > most_rows;
  };
  return std::any_of(draft.results().begin(), draft.results().end(), [&](const Result& result) {
    return std::any_of(result.results.begin(), result.results.end(), many);
  });
}

// Pictures that the rows' own sections replace: waterfalls, what-if curves, and dots that are too few for a swarm.
void take_pictures(Draft& draft, const ExplainedRows& rows) {
  const bool many = has_many_rows(draft);
  const std::set<std::uint64_t> known(rows.rows().begin(), rows.rows().end());
  for (auto& picture : draft.pictures()) {
    if (const auto* shown = picture.group.as<AttributionPicture>()) {
      const bool own = std::find(rows.outputs.begin(), rows.outputs.end(), shown->attributions) != rows.outputs.end();
      const bool lone_swarm = shown->view == AttributionView::rows && !many;
      if (own && !lone_swarm) picture.taken = true;
    }
    const auto* curves = picture.group.item<Curves>();
    if (curves == nullptr || !tells_single_rows(*curves)) continue;
    const auto& of = curves->rows;
    if (std::all_of(of.begin(), of.end(), [&](std::uint64_t row) { return known.contains(row); })) picture.taken = true;
  }
}

}  // namespace

void rows_chapter(Draft& draft, Chapter& chapter) {
  const auto add = [&](std::size_t section) {
    if (std::find(chapter.sections.begin(), chapter.sections.end(), section) == chapter.sections.end())
      chapter.sections.push_back(section);
  };
  for (const auto& rows : explained_rows(draft)) {
    std::vector<std::size_t> sections;
    for (std::size_t row = 0; row < rows.rows().size(); ++row) {
      sections.push_back(show_row(draft, chapter, rows, row));
      add(sections.back());
    }
    if (sections.size() > 1 && chapter.rows.is_null()) chapter.rows = row_table(rows, sections);
    take_pictures(draft, rows);
  }
  for (auto& picture : draft.pictures()) {
    const auto* shown = picture.group.as<AttributionPicture>();
    const bool row = shown != nullptr && shown->view == AttributionView::row;
    if (!picture.taken && row) add(draft.show(chapter, picture));
  }
  chapter.open = chapter.sections.size() <= rows_open ? chapter.sections.size() : 1;
  chapter.lead = "What each feature adds to the prediction of single rows, starting from the average prediction.";
}

void other_chapter(Draft& draft, Chapter& chapter) {
  for (auto& picture : draft.pictures()) {
    if (picture.taken) continue;
    const std::size_t section = draft.show(chapter, picture);
    if (std::find(chapter.sections.begin(), chapter.sections.end(), section) == chapter.sections.end())
      chapter.sections.push_back(section);
  }
  chapter.open = open_of(chapter.sections.size());
}

}  // namespace sightglass::html
