// Single rows: why the model predicts what it does for them, and what it would predict if one value were another.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "sightglass/base/error.h"
#include "sightglass/insight/attribution_view.h"
#include "sightglass/insight/groups/attribution_picture.h"
#include "sightglass/insight/groups/importance_entries.h"
#include "sightglass/insight/probabilities.h"
#include "sightglass/insight/readable.h"
#include "sightglass/insight/what_if.h"
#include "sightglass/render/html/draft_internal.h"
#include "sightglass/render/vega/vega_renderer.h"
#include "sightglass/render/what_if_view.h"
#include "sightglass/result/highest_output.h"
#include "sightglass/result/shapes/counterfactuals.h"
#include "sightglass/result/shapes/examples.h"
#include "sightglass/result/shapes/rules.h"
#include "sightglass/result/shapes/terms.h"
#include "sightglass/result/shapes/width_sweep.h"

namespace sightglass::html {

namespace {

constexpr std::size_t most_rows = 30;    // of a result about single rows
constexpr std::size_t charts_open = 12;  // so many of all rows are on the page together, else those of the first row
constexpr std::size_t features_in_table = 5;
constexpr std::size_t additions_in_table = 3;
constexpr std::size_t outputs_per_row = 12;

// A prototype or a criticism.
struct ChosenRow {
  std::size_t place = 0;  // in the order in which they were chosen
  std::string role, stands_for, outcome, special;
};
using ChosenRows = std::map<std::uint64_t, ChosenRow>;

// Some rows that one result explains, for every output.
struct ExplainedRows {
  const Result* result = nullptr;
  std::vector<const Attributions*> outputs;
  ChosenRows chosen = {};  // prototypes and criticisms, where all of the rows are among them

  [[nodiscard]] const std::vector<std::uint64_t>& rows() const { return outputs[0]->rows; }
  [[nodiscard]] std::string title(std::size_t row) const {
    const auto& labels = outputs[0]->row_labels;
    return row_title(rows()[row], labels.empty() ? "" : labels[row]);
  }
  [[nodiscard]] const Attributions& highest(std::size_t row) const { return *outputs[highest_output(outputs, row)]; }
  // The output with the highest prediction of a row first, then the next.
  [[nodiscard]] std::vector<const Attributions*> highest_first(std::size_t row) const {
    auto order = outputs;
    std::stable_sort(order.begin(), order.end(), [&](const Attributions* a, const Attributions* b) {
      return a->prediction[row] > b->prediction[row];
    });
    return order;
  }
  // As they are worth reading, where a report says so (details.place); else as they came.
  [[nodiscard]] std::vector<std::size_t> order() const {
    std::vector<std::size_t> order(rows().size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const Value* places = outputs[0]->details.find("place");
    if (places == nullptr || !places->is_array() || places->as_array().size() != order.size()) return order;
    const auto place = [&](std::size_t row) {
      const Value& given = places->as_array()[row];
      return given.is_number() ? given.as_number() : INFINITY;
    };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return place(a) < place(b); });
    return order;
  }
  [[nodiscard]] std::string why(std::size_t row) const {
    if (const auto known = chosen.find(rows()[row]); known != chosen.end()) return known->second.role;
    const Value* reasons = outputs[0]->details.find("why");
    if (reasons == nullptr || !reasons->is_array() || row >= reasons->as_array().size()) return {};
    const Value& reason = reasons->as_array()[row];
    return reason.is_string() ? printable(reason.as_string(), 120) : std::string();
  }
};

ChosenRows chosen_rows(const Draft& draft) {
  ChosenRows chosen;
  for (const Result& result : draft.results()) {
    for (const ResultItem& item : result.results) {
      const auto* examples = item.as<Examples>();
      if (examples == nullptr || !examples->group.empty()) continue;
      if (examples->role != ExampleRole::prototype && examples->role != ExampleRole::criticism) continue;
      for (const Example& example : examples->rows) {
        ChosenRow row{.place = chosen.size(), .role = printable(examples->role.text(), 40)};
        if (example.stands_for) row.stands_for = readable(*example.stands_for);
        for (const Oddity& oddity : example.special)
          row.special += (row.special.empty() ? "" : ", ") + oddity_text(oddity, example.data);
        if (example.target) row.outcome = readable(*example.target);
        if (!example.own_class.empty()) row.outcome = printable(example.own_class, 40);
        if (!example.predicted_class.empty() && example.error.value_or(0) != 0)
          row.outcome += ", not " + printable(example.predicted_class, 40);
        chosen.emplace(example.row, std::move(row));
      }
    }
  }
  return chosen;
}

std::vector<ExplainedRows> explained_rows(const Draft& draft) {
  std::vector<ExplainedRows> list;
  const ChosenRows chosen = chosen_rows(draft);
  for (const auto& result : draft.results()) {
    ExplainedRows rows{&result, {}};
    for (const auto& item : result.results) {
      const auto* found = item.as<Attributions>();
      if (found == nullptr || found->rows.empty() || found->rows.size() > most_rows || !found->group.empty()) continue;
      if (rows.outputs.empty() || rows.rows() == found->rows) rows.outputs.push_back(found);
    }
    if (rows.outputs.empty()) continue;
    const bool all =
        std::all_of(rows.rows().begin(), rows.rows().end(), [&](std::uint64_t row) { return chosen.contains(row); });
    if (all) rows.chosen = chosen;
    list.push_back(std::move(rows));
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
  parts.chips = what_if_badges(picture);
  parts.reading = read_what_if(picture);
  parts.description = describe_what_if(picture);
  parts.table = what_if_table(picture);
  parts.wide = picture.lines.size() > 1;  // panels stand side by side
  parts.spec = vega_spec(picture);
  return parts;
}

// The same for all outputs: it is about the class that is predicted.
void add_slack(Draft& draft, std::size_t section, const WhatIf& picture) {
  ChartParts parts;
  parts.spec = vega_slack(picture);
  if (parts.spec.is_null()) return;
  parts.method = "How far each value can move";
  parts.about = "before the class changes";
  parts.result = picture.result;
  parts.reading =
      "A bar is the range of values that was tried, all others as they are, and its mark the row's own value. Of "
      "levels each is a part of the bar.";
  parts.description = describe_slack(picture);
  parts.table = slack_table(picture);
  draft.add_chart(section, parts);
}

// The row that an item is about, besides attributions and what-if curves: rules that hold it, changes of it, rows like
// it.
std::optional<std::uint64_t> row_of(const ResultItem& item) {
  if (const auto* rules = item.as<Rules>()) return rules->row;
  if (const auto* changes = item.as<Counterfactuals>()) return changes->row;
  if (const auto* terms = item.as<Terms>()) return terms->row;
  if (const auto* sweep = item.as<WidthSweep>()) return sweep->row;
  if (const auto* similar = item.as<Examples>()) return similar->of_row;
  return std::nullopt;
}

// What of a picture is about a row: several rows may share one, as changes of them do.
std::optional<ItemGroup> part_about(const ItemGroup& group, std::uint64_t row) {
  const auto* all = group.as<PlainItems>();
  if (all == nullptr) return std::nullopt;
  PlainItems own;
  for (const ResultItem* item : all->items) {
    if (row_of(*item) == row) own.items.push_back(item);
  }
  if (own.items.empty()) return std::nullopt;
  return own;
}

bool is_about_rows(const ItemGroup& group, const std::set<std::uint64_t>& rows) {
  const auto* all = group.as<PlainItems>();
  return all != nullptr && std::all_of(all->items.begin(), all->items.end(), [&](const ResultItem* item) {
           const auto row = row_of(*item);
           return row && rows.contains(*row);
         });
}

// Besides attributions, and what they amount to.
bool tells_more(const Result& result) {
  return std::any_of(result.results.begin(), result.results.end(),
                     [](const ResultItem& item) { return !item.is<Attributions>() && !item.is<Importance>(); });
}

std::size_t show_row(Draft& draft, const Chapter& chapter, const ExplainedRows& rows, std::size_t row) {
  const std::string title = rows.title(row);
  const std::size_t section = draft.section(chapter, SectionKind::row, {}, title);
  auto outputs = rows.highest_first(row);
  outputs.resize(std::min(outputs.size(), outputs_per_row));
  const std::string subject = draft.subject(*rows.result);
  for (const Attributions* output : outputs) {
    ChartParts parts =
        chart_parts({rows.result, AttributionPicture(*rows.result, *output, AttributionView::row, row), subject});
    if (tells_more(*rows.result)) parts.method = "What each feature adds";
    if (const std::string why = rows.why(row); !why.empty()) parts.about += (parts.about.empty() ? "" : " · ") + why;
    draft.add_chart(section, parts);
  }
  std::optional<WhatIf> slack;
  for (const Attributions* output : outputs) {
    WhatIf changed = what_if(draft.results(), rows.rows()[row], output->output, features_of_row(*output, row));
    changed.levels = draft.levels();
    if (changed.lines.empty()) continue;
    draft.add_chart(section, what_if_parts(changed, draft.subject(*changed.result)));
    if (output == outputs.front()) slack = changed;
  }
  if (slack) add_slack(draft, section, *slack);
  // A prototype may be an example, too: then it is shown in both chapters.
  for (const auto& picture : draft.pictures()) {
    const auto own = part_about(picture.group, rows.rows()[row]);
    if (!own) continue;
    ChartParts parts = chart_parts({picture.result, *own, picture.subject});
    parts.by_shown_class = false;
    parts.method = group_title(*own);  // a plan has one name for all that it asks about a row
    draft.add_chart(section, parts);
  }
  return section;
}

// "temp +12, humidity -3.4"
std::string additions_text(const ExplainedRows& rows, std::size_t row) {
  const Attributions& item = rows.highest(row);
  std::string text;
  std::size_t shown = 0;
  for (const std::string& feature : features_of_row(item, row)) {
    const auto at = std::find_if(item.features.begin(), item.features.end(),
                                 [&](const Axis& axis) { return axis.feature == feature; });
    const double value = item.value(row, static_cast<std::size_t>(at - item.features.begin()));
    if (shown++ == additions_in_table || value == 0) break;
    text += (text.empty() ? "" : ", ") + axis_title(*at, 40) + (value > 0 ? " +" : " ") + readable(value);
  }
  return text;
}

Value listed_row(const ExplainedRows& rows, std::size_t row, std::size_t section, Value cells) {
  return Value::object({{"title", rows.title(row)},
                        {"why", rows.why(row)},
                        {"cells", std::move(cells)},
                        {"section", Value(static_cast<std::uint64_t>(section))}});
}

Value column(const std::string& title, bool numeric) { return Value::object({{"title", title}, {"numeric", numeric}}); }

// A column of a table of rows.
struct RowColumn {
  Value head;
  std::vector<std::string> cells;  // per row
};

// Numbers with as many decimals each, probabilities as percentages.
std::vector<std::string> number_cells(const std::vector<double>& numbers, bool probabilities) {
  if (probabilities) return probability_texts(numbers);
  const ColumnFormat format(numbers);
  std::vector<std::string> cells;
  for (const double number : numbers) cells.push_back(format(number));
  return cells;
}

// What is predicted: of several classes which one, and its probability.
std::vector<RowColumn> prediction_columns(const ExplainedRows& rows) {
  const Attributions& item = *rows.outputs[0];
  const bool several = rows.outputs.size() > 1;
  std::vector<RowColumn> columns;
  const auto response = response_of(item, 0);
  const bool probabilities = response ? response->name == "probability" : predicts_probabilities(*rows.result);
  std::string quantity = prediction_title(*rows.result, Quantity::single, several ? "" : item.output);
  if (response) {
    const std::string subject = several ? "" : prediction_subject(*rows.result, item.output);
    quantity = response->name + (subject.empty() ? "" : " of " + subject);
  }
  if (several) {
    columns.push_back({column(predicts_classes(*rows.result) ? "Predicted" : "Highest", false), {}});
    for (std::size_t row = 0; row < rows.rows().size(); ++row)
      columns.back().cells.push_back(printable(rows.highest(row).output, 60));
  }
  std::vector<double> numbers;
  for (std::size_t row = 0; row < rows.rows().size(); ++row) {
    const Attributions& highest = rows.highest(row);
    const auto own = response_of(highest, row);
    numbers.push_back(own ? own->value : highest.prediction[row]);
  }
  columns.push_back({column(capitalised(quantity), true), number_cells(numbers, probabilities)});
  return columns;
}

// What is true, where the report says it; numbers as the predictions are written.
std::optional<RowColumn> truth_column(const ExplainedRows& rows) {
  const Attributions& item = *rows.outputs[0];
  RowColumn truth{column("Truth", false), {}};
  const Value* list = item.details.find("truth");
  if (list == nullptr || !list->is_array() || list->as_array().size() != rows.rows().size()) return std::nullopt;
  std::vector<double> numbers;
  for (const Value& each : list->as_array()) numbers.push_back(each.is_number() ? each.as_number() : std::nan(""));
  const auto is_number = [](double number) { return std::isfinite(number); };
  if (std::any_of(numbers.begin(), numbers.end(), is_number))
    return RowColumn{column("Truth", true), number_cells(numbers, false)};
  for (std::size_t row = 0; row < numbers.size(); ++row) {
    truth.cells.push_back(truth_of(item, row));
    if (truth.cells.back().empty()) truth.cells.back() = "–";
  }
  return truth;
}

// order: of the rows in the table.
Value table_value(const ExplainedRows& rows, const std::vector<RowColumn>& columns,
                  const std::vector<std::size_t>& order, const std::vector<std::size_t>& sections) {
  Value heads = Value::array(), list = Value::array();
  for (const RowColumn& each : columns) heads.push_back(each.head);
  for (const std::size_t row : order) {
    Value cells = Value::array();
    for (const RowColumn& each : columns) cells.push_back(each.cells[row]);
    list.push_back(listed_row(rows, row, sections[row], std::move(cells)));
  }
  return Value::object({{"columns", std::move(heads)}, {"rows", std::move(list)}});
}

// Prototypes and criticisms, in the order in which they were chosen.
Value chosen_table(const ExplainedRows& rows, const std::vector<std::size_t>& sections) {
  std::vector<std::size_t> order(sections.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto chosen = [&](std::size_t row) -> const ChosenRow& { return rows.chosen.at(rows.rows()[row]); };
  RowColumn stands_for{column("Stands for", true), {}}, outcome{column("Outcome", rows.outputs.size() == 1), {}},
      special{column("Special", false).set("long", true), {}},
      adds{column("Adds most to the prediction", false).set("long", true), {}};
  for (const std::size_t row : order) {
    stands_for.cells.push_back(chosen(row).stands_for);
    outcome.cells.push_back(chosen(row).outcome);
    special.cells.push_back(chosen(row).special);
    adds.cells.push_back(additions_text(rows, row));
  }
  std::vector<RowColumn> columns{std::move(stands_for)};
  for (RowColumn& each : prediction_columns(rows)) columns.push_back(std::move(each));
  if (std::any_of(order.begin(), order.end(), [&](std::size_t row) { return !chosen(row).outcome.empty(); }))
    columns.push_back(std::move(outcome));
  columns.push_back(std::move(special));
  columns.push_back(std::move(adds));
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return chosen(a).place < chosen(b).place; });
  return table_value(rows, columns, order, sections);
}

Value row_table(const ExplainedRows& rows, const std::vector<std::size_t>& sections) {
  const Attributions& item = *rows.outputs[0];
  auto features = telling_features(rows);
  features.resize(std::min(features.size(), features_in_table));
  std::vector<RowColumn> columns = prediction_columns(rows);
  if (auto truth = truth_column(rows)) columns.push_back(std::move(*truth));
  for (const auto j : features) {
    columns.push_back(
        {column(axis_title(item.features[j], 40), !item.features[j].is_categorical()), own_values(item, j)});
  }
  return table_value(rows, columns, rows.order(), sections);
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

// Pictures that the rows' own sections replace: waterfalls, what-if curves, all that is about a single row, and dots
// that are too few for a swarm.
void take_pictures(Draft& draft, const ExplainedRows& rows) {
  const bool many = has_many_rows(draft);
  std::set<std::uint64_t> known;
  for (const ExplainedRows& each : explained_rows(draft)) known.insert(each.rows().begin(), each.rows().end());
  for (auto& picture : draft.pictures()) {
    if (const auto* shown = picture.group.as<AttributionPicture>()) {
      const bool own = std::find(rows.outputs.begin(), rows.outputs.end(), shown->attributions) != rows.outputs.end();
      const bool lone_swarm = shown->view == AttributionView::rows && !many;
      if (own && !lone_swarm) picture.taken = true;
    }
    if (is_about_rows(picture.group, known)) picture.taken = true;
    const auto* curves = picture.group.item<Curves>();
    if (curves == nullptr || !tells_single_rows(*curves)) continue;
    const auto& of = curves->rows;
    if (std::all_of(of.begin(), of.end(), [&](std::uint64_t row) { return known.contains(row); })) picture.taken = true;
  }
}

bool has_attributions(const Draft& draft) {
  return std::any_of(draft.results().begin(), draft.results().end(), [](const Result& result) {
    return std::any_of(result.results.begin(), result.results.end(),
                       [](const ResultItem& item) { return item.is<Attributions>(); });
  });
}

// Rows of which no attributions are known; the class that is predicted for them comes first. Whether there are any.
template <class Add>
bool show_changed_rows(Draft& draft, const Chapter& chapter, const Add& add) {
  std::vector<std::pair<Picture*, WhatIf>> rows;
  for (auto& picture : draft.pictures()) {
    const auto* panels = picture.group.as<RowPanels>();
    if (!picture.taken && panels != nullptr) rows.emplace_back(&picture, what_if(*picture.result, *panels));
  }
  std::stable_partition(rows.begin(), rows.end(), [](const auto& row) {
    return row.second.predicted_class.empty() || row.second.output == row.second.predicted_class;
  });
  std::map<std::size_t, const WhatIf*> first;  // of each section
  for (auto& [picture, changed] : rows) {
    const std::size_t section = draft.section(chapter, SectionKind::row, {}, group_title(picture->group));
    draft.add_chart(section, what_if_parts(changed, picture->subject));
    first.try_emplace(section, &changed);
    picture->taken = true;
    add(section);
  }
  for (const auto& [section, changed] : first) add_slack(draft, section, *changed);
  return !rows.empty();
}

// The same specification, in which marks of rows lead to their sections.
Value leading_to_rows(const Value& spec, const std::map<std::uint64_t, std::size_t>& sections) {
  if (spec.is_array()) {
    Value list = Value::array();
    for (const Value& each : spec.as_array()) list.push_back(leading_to_rows(each, sections));
    return list;
  }
  if (!spec.is_object()) return spec;
  Value object = Value::object();
  for (const auto& [key, value] : spec.as_object()) object.set(key, leading_to_rows(value, sections));
  const Value* row = spec.find("row");
  if (row == nullptr || !row->is_integer() || spec.find("role") == nullptr) return object;
  const auto known = sections.find(static_cast<std::uint64_t>(row->as_integer()));
  if (known != sections.end()) object.set("section", Value(static_cast<std::uint64_t>(known->second)));
  return object;
}

}  // namespace

// Where prototypes and criticisms are explained row by row: their map, the table of them, and each.
void examples_chapter(Draft& draft, Chapter& chapter) {
  for (const auto& rows : explained_rows(draft)) {
    if (rows.chosen.empty() || !chapter.rows.is_null()) continue;
    std::vector<std::size_t> sections;
    std::map<std::uint64_t, std::size_t> section_of;
    for (std::size_t row = 0; row < rows.rows().size(); ++row) {
      sections.push_back(show_row(draft, chapter, rows, row));
      section_of[rows.rows()[row]] = sections.back();
    }
    for (auto& picture : draft.pictures()) {
      const auto* plain = picture.group.as<PlainItems>();
      if (picture.taken || plain == nullptr || plain->items.empty() || !plain->items[0]->is<Examples>()) continue;
      if (row_of(*plain->items[0])) continue;  // rows like one row belong to that one
      ChartParts parts = chart_parts(picture);
      parts.spec = leading_to_rows(parts.spec, section_of);
      parts.table.open = false;  // the chapter has a table of them
      chapter.sections.push_back(draft.section(chapter, SectionKind::overview, {}, group_title(picture.group)));
      draft.add_chart(chapter.sections.back(), parts);
      picture.taken = true;
    }
    chapter.open = chapter.sections.size();
    chapter.sections.insert(chapter.sections.end(), sections.begin(), sections.end());
    chapter.rows = chosen_table(rows, sections);
    take_pictures(draft, rows);
  }
}

void rows_chapter(Draft& draft, Chapter& chapter) {
  const auto add = [&](std::size_t section) {
    if (std::find(chapter.sections.begin(), chapter.sections.end(), section) == chapter.sections.end())
      chapter.sections.push_back(section);
  };
  for (const auto& rows : explained_rows(draft)) {
    if (!rows.chosen.empty()) continue;
    std::vector<std::size_t> sections(rows.rows().size());
    for (const std::size_t row : rows.order()) {
      sections[row] = show_row(draft, chapter, rows, row);
      add(sections[row]);
    }
    if (sections.size() > 1 && chapter.rows.is_null()) chapter.rows = row_table(rows, sections);
    take_pictures(draft, rows);
  }
  for (auto& picture : draft.pictures()) {
    const auto* shown = picture.group.as<AttributionPicture>();
    const bool row = shown != nullptr && shown->view == AttributionView::row;
    if (!picture.taken && row) add(draft.show(chapter, picture));
  }
  const bool has_changed_rows = show_changed_rows(draft, chapter, add);
  // Sets of features that change the answer, before the rows whose answer they change.
  for (auto& picture : draft.pictures()) {
    const auto* entries = picture.group.as<ImportanceEntries>();
    if (!picture.taken && entries != nullptr && entries->is_recourse()) add(draft.show(chapter, picture));
  }
  std::size_t charts = 0;
  for (const std::size_t section : chapter.sections) charts += draft.sections()[section].charts.size();
  chapter.open = charts <= charts_open ? chapter.sections.size() : 1;
  // Else shapes say it.
  if (has_attributions(draft)) {
    chapter.lead = "What each feature adds to the prediction of single rows, starting from the average prediction.";
  } else if (has_changed_rows) {
    chapter.lead = "What the model would predict for single rows if one of their values were another.";
  }
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
