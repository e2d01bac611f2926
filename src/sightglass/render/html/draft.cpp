#include <algorithm>

#include "sightglass/base/error.h"
#include "sightglass/insight/groups/attribution_picture.h"
#include "sightglass/insight/groups/figures.h"
#include "sightglass/insight/groups/row_curves.h"
#include "sightglass/insight/ranking.h"
#include "sightglass/insight/readable.h"
#include "sightglass/render/description.h"
#include "sightglass/render/html/draft_internal.h"
#include "sightglass/render/shape_view.h"
#include "sightglass/render/vega/vega_renderer.h"
#include "sightglass/result/shapes/marked_picture.h"
#include "sightglass/result/shapes/marked_text.h"

namespace sightglass::html {

namespace {

constexpr std::size_t dots_in_table = 200;
constexpr std::size_t canvas_cells = 4500;  // more marks than this are drawn on canvas, not as SVG elements

Value table_value(const DataTable& table) {
  Value columns = Value::array(), rows = Value::array();
  for (const auto& column : table.columns) {
    columns.push_back(Value::object({{"title", column.title}, {"numeric", column.numeric}}));
  }
  for (const auto& row : table.rows) rows.push_back(Value(row));
  Value value = Value::object(
      {{"columns", columns}, {"rows", rows}, {"left_out", Value(static_cast<std::uint64_t>(table.left_out))}});
  if (table.open) value.set("open", true);
  if (table.find) value.set("find", Value(static_cast<std::uint64_t>(*table.find)));
  return value;
}

std::string rows_words(const Result& result) {
  const std::string condition = rows_condition(result);
  return condition.empty() ? "all rows" : "rows where " + condition;
}

std::vector<std::string> features_of(const ItemGroup& group) {
  std::vector<std::string> features;
  for (const Axis* axis : group.axes()) features.push_back(axis->feature);
  return features;
}

// The file says which model it is; without one, all that is known.
std::string model_key(const Result& result) {
  std::string key = text_member(result.model, "file");
  if (!key.empty()) return key;
  for (const char* name : {"estimator", "format", "task"}) key += text_member(result.model, name) + ' ';
  return key;
}

// What to call the models of a page, where there is more than one: by the names of their files, with the path if two
// are the same.
std::map<std::string, std::string> model_names(const std::vector<Result>& results) {
  std::map<std::string, std::string> names;
  std::map<std::string, std::size_t> taken;
  for (const auto& result : results) {
    const std::string file = text_member(result.model, "file");
    std::string name = file.substr(file.find_last_of("/\\") + 1);
    for (const char* fact : {"estimator", "format"}) {
      if (name.empty()) name = text_member(result.model, fact);
    }
    if (names.try_emplace(model_key(result), name).second) ++taken[name];
  }
  if (names.size() < 2) return {};
  for (auto& [key, name] : names) name = printable(taken[name] > 1 ? key : name, 60);
  return names;
}

SectionKind kind_of(const ItemGroup& group) {
  const auto* attributions = group.as<AttributionPicture>();
  if (attributions != nullptr && attributions->view == AttributionView::row) return SectionKind::row;
  const std::size_t axes = group.axes().size();
  return axes == 1 ? SectionKind::feature : axes == 2 ? SectionKind::pair : SectionKind::overview;
}

}  // namespace

Value pairs_value(const std::vector<std::pair<std::string, std::string>>& list) {
  Value rows = Value::array();
  for (const auto& [name, value] : list) rows.push_back(Value::array().push_back(name).push_back(value));
  return rows;
}

Value toggle(const char* signal, const std::string& label, bool on, const std::string& hint) {
  return Value::object({{"signal", signal}, {"label", label}, {"on", on}, {"hint", hint}});
}

Value output_choice(const Result& result, const std::vector<std::string>& outputs) {
  const std::string shown = output_label(result, shown_output(result));
  const bool known = std::find(outputs.begin(), outputs.end(), shown) != outputs.end();
  const bool classes = predicts_probabilities(result) || text_member(result.model, "task") == "multiclass";
  return Value::object({{"signal", "output"},
                        {"label", classes ? "Class" : "Output"},
                        {"options", Value(outputs)},
                        {"value", known             ? shown
                                  : outputs.empty() ? ""
                                                    : outputs[0]}});
}

std::string output_label(const Result& result, const std::string& output) {
  const auto outputs = outputs_of(result);
  const auto found = std::find(outputs.begin(), outputs.end(), output);
  if (outputs.size() < 2 || found == outputs.end()) return {};
  return unique_labels(outputs)[static_cast<std::size_t>(found - outputs.begin())];
}

void ChartParts::choose_output(const Result& of, std::vector<OutputWords> outputs) {
  std::vector<std::string> labels;
  for (const OutputWords& one : outputs) labels.push_back(one.output);
  choices.push_back(output_choice(of, labels));
  const std::string& value = choices.as_array().back().find("value")->as_string();
  const auto shown = std::find(labels.begin(), labels.end(), value) - labels.begin();
  chips = outputs[static_cast<std::size_t>(shown)].chips;
  description = outputs[static_cast<std::size_t>(shown)].description;
  words = std::move(outputs);
}

Value chart_value(const ChartParts& parts) {
  Value words = Value::array();
  for (const OutputWords& one : parts.words) {
    Value lines = Value::array();
    for (const auto& [signal, line] : one.lines)
      lines.push_back(Value::object({{"signal", signal}, {"chip", line.chip}, {"text", line.text}}));
    words.push_back(Value::object(
        {{"output", one.output}, {"chips", Value(one.chips)}, {"description", one.description}, {"lines", lines}}));
  }
  Value value = Value::object({{"method", parts.method},
                               {"about", parts.about},
                               {"output", parts.output},
                               {"chips", Value(parts.chips)},
                               {"reading", parts.reading},
                               {"description", parts.description},
                               {"wide", parts.wide},
                               {"canvas", parts.canvas},
                               {"table", table_value(parts.table)},
                               {"spec", parts.spec},
                               {"toggles", parts.toggles},
                               {"choices", parts.choices},
                               {"words", words}});
  if (!parts.above.is_null()) value.set("above", parts.above);
  return value;
}

Value versions_value(const Versions& versions) {
  Value chart = versions.charts[0];
  // Without a choice beside it a class that is a number would not be known for one.
  if (versions.charts.size() < 2) {
    if (!versions.outputs.empty()) chart.set("output", prediction_subject(*versions.result, versions.outputs[0]));
    return chart;
  }
  // In the order of the model, whichever comes first here.
  std::vector<std::string> outputs;
  for (const auto& label : unique_labels(outputs_of(*versions.result))) {
    if (std::find(versions.outputs.begin(), versions.outputs.end(), label) != versions.outputs.end())
      outputs.push_back(label);
  }
  Value choice = output_choice(*versions.result, outputs);
  chart.set("choices", Value::array().push_back(choice.set("value", versions.outputs[0])));
  return chart.set("versions", Value(Value::Array(versions.charts.begin() + 1, versions.charts.end())));
}

ChartParts chart_parts(const Picture& picture) {
  const Result& result = *picture.result;
  const ItemGroup& group = picture.group;
  ChartParts parts;
  parts.method = method_title(result);
  parts.about = group_qualifier(result, group, false);
  if (!picture.subject.empty()) parts.about += (parts.about.empty() ? "" : " · ") + picture.subject;
  parts.output = output_label(result, group_output(result, group));
  parts.result = &result;
  // What is about a single row begins with what is predicted for it.
  const auto* values = group.as<AttributionPicture>();
  const bool of_row = (values != nullptr && values->view == AttributionView::row) || group.as<RowPanels>() != nullptr ||
                      group.item<MarkedText>() != nullptr || group.item<MarkedPicture>() != nullptr;
  parts.by_shown_class = !of_row;
  parts.chips = badges(group);
  parts.reading = how_to_read(result, group);
  parts.description = describe(result, group);
  // Rankings side by side need the whole page.
  const auto* rankings = group.as<ImportanceEntries>();
  parts.wide = view_of(group).wide || (rankings != nullptr && ranking_of(*rankings).columns.size() > 2);
  const auto* surface = group.item<Surface>();
  const auto* attributions = group.as<AttributionPicture>();
  const bool many_marks = surface != nullptr && surface->first.size() * surface->second.size() > canvas_cells;
  const bool many_dots = attributions != nullptr && attributions->view != AttributionView::row;
  parts.canvas = group.item<Curves>() != nullptr || many_marks || many_dots;
  // Of dots in a cloud a part is enough to see what they are; csv and json have all.
  parts.table = many_dots ? data_table(group, dots_in_table) : data_table(group);
  parts.spec = vega_spec(result, group);
  if (const auto above = view_of(group).above) parts.above = above(group);
  return parts;
}

Draft::Draft(const std::vector<Result>& results) : results_(results), levels_(level_plan(results)) {
  different_rows_ = std::any_of(results.begin(), results.end(), [&](const Result& result) {
    return rows_condition(result) != rows_condition(results[0]);
  });
  models_ = model_names(results);
  for (const auto& result : results) {
    for (auto& group : group_items(result, levels_)) {
      // Figures have a place of their own, but for those of groups of rows.
      const auto* figures = group.as<Figures>();
      if (figures == nullptr || figures->compares_groups())
        pictures_.push_back({&result, std::move(group), subject(result)});
    }
  }
  std::set<const Result*> ranked;
  for (const auto& picture : pictures_) {
    const ItemGroup& group = picture.group;
    if (group.as<ImportanceEntries>() != nullptr || group.as<InteractionEntries>() != nullptr)
      ranked.insert(picture.result);
  }
  if (ranked.size() > 1 && !different_rows_) ranking_ = rank_table(results);
}

std::string Draft::subject(const Result& result) const {
  // What holds for the whole page stands at its top.
  const auto model = models_.find(model_key(result));
  std::string words = model != models_.end() ? model->second : std::string();
  if (different_rows_) words += (words.empty() ? "" : " · ") + rows_words(result);
  return words;
}

std::size_t Draft::section(const Chapter& chapter, SectionKind kind, const std::vector<std::string>& features,
                           const std::string& title) {
  const auto same = [&](const Section& section) {
    return section.chapter == chapter.id && section.features == features &&
           (!features.empty() || section.title == title);
  };
  const auto found = std::find_if(sections_.begin(), sections_.end(), same);
  if (found != sections_.end()) return static_cast<std::size_t>(found - sections_.begin());
  sections_.push_back({chapter.id, kind, features, title, {}});
  return sections_.size() - 1;
}

std::optional<std::size_t> Draft::find(const std::vector<std::string>& features) const {
  std::optional<std::size_t> found;
  // A pair may be named the other way round.
  const std::vector<std::string> turned(features.rbegin(), features.rend());
  for (std::size_t i = 0; i < sections_.size() && !features.empty(); ++i) {
    if (sections_[i].features != features && sections_[i].features != turned) continue;
    if (!found || sections_[i].chapter == "effects") found = i;
  }
  return found;
}

bool Draft::add_chart(std::size_t section, const ChartParts& parts) {
  Value chart = chart_value(parts);
  // The same curve may come with two results (alone, and beside a pair): once is enough.
  auto& charts = sections_[section].charts;
  for (const auto& versions : charts) {
    if (std::find(versions.charts.begin(), versions.charts.end(), chart) != versions.charts.end()) return false;
  }
  const auto same = std::find_if(charts.begin(), charts.end(), [&](const Versions& versions) {
    return !parts.output.empty() && versions.result == parts.result && versions.method == parts.method &&
           versions.about == parts.about && !versions.outputs.empty() &&
           std::find(versions.outputs.begin(), versions.outputs.end(), parts.output) == versions.outputs.end();
  });
  Versions& place =
      same != charts.end() ? *same : charts.emplace_back(Versions{parts.result, parts.method, parts.about, {}, {}});
  // The first version is shown until another is chosen. Of a row it is what is predicted.
  const bool first = parts.by_shown_class && !parts.output.empty() &&
                     parts.output == output_label(*parts.result, shown_output(*parts.result));
  if (!parts.output.empty()) place.outputs.insert(first ? place.outputs.begin() : place.outputs.end(), parts.output);
  place.charts.insert(first ? place.charts.begin() : place.charts.end(), std::move(chart));
  return true;
}

void Draft::add_picture(std::size_t section, const Picture& picture) {
  const auto* all = picture.group.as<ImportanceEntries>();
  const Ranking ranking = all == nullptr ? Ranking() : ranking_of(*all);
  if (ranking.by != RankingBy::output || ranking.columns.size() <= panels_per_row) {
    add_chart(section, chart_parts(picture));
    return;
  }
  for (const auto& output : outputs_of(*picture.result)) {
    ImportanceEntries of_output;
    for (const Importance* entry : all->importance) {
      if (entry->output == output) of_output.importance.push_back(entry);
    }
    if (!of_output.importance.empty())
      add_chart(section, chart_parts({picture.result, std::move(of_output), picture.subject}));
  }
}

std::size_t Draft::show(const Chapter& chapter, Picture& picture) {
  picture.taken = true;
  const std::size_t place =
      section(chapter, kind_of(picture.group), features_of(picture.group), group_title(picture.group));
  add_picture(place, picture);
  return place;
}

}  // namespace sightglass::html
