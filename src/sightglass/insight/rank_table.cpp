#include "sightglass/insight/rank_table.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "sightglass/base/error.h"
#include "sightglass/insight/groups/importance_entries.h"
#include "sightglass/insight/ranking.h"
#include "sightglass/insight/readable.h"
#include "sightglass/result/importance_measure.h"

namespace sightglass {

namespace {

struct MeasureWords {
  MeasureKind kind;
  std::string_view hint;
};
// In the order of their columns; what is not here comes after them.
constexpr MeasureWords known[] = {
    {MeasureKind::permutation,
     "How much worse predictions become when the feature's values are shuffled between rows."},
    {MeasureKind::reliance, "How much worse predictions become when the feature's values are exchanged between rows."},
    {MeasureKind::shapley, "How much the feature adds to or takes from the prediction of a row, on average over rows."},
    {MeasureKind::shapley_pairs,
     "How much the feature adds to or takes from the prediction of a row, on average over rows."},
    {MeasureKind::dependence,
     "How much the average prediction moves along the feature; interactions can cancel out in it."},
    {MeasureKind::interaction,
     "How far the prediction is from the feature's own effect plus that of all others, in units of the prediction."},
};

std::size_t place_of(const ImportanceMeasure& measure) {
  const auto* found =
      std::find_if(std::begin(known), std::end(known), [&](const auto& words) { return words.kind == measure.kind; });
  return static_cast<std::size_t>(found - std::begin(known));
}

// What a column is about. Results that differ in any of it have columns of their own.
struct Subject {
  std::string model, target, scale, rows, outputs;
  std::string facts = {};  // all that is known of the model

  bool operator==(const Subject&) const = default;
};

std::string scale_of(const Result& result) {
  return predicts_probabilities(result) ? "probability" : prediction_unit(result);
}

Subject subject_of(const Result& result) {
  std::set<std::string> outputs;
  for (const auto& item : result.results) {
    if (const auto* entry = item.as<Importance>()) outputs.insert(entry->output);
    if (const auto* entry = item.as<Interaction>()) outputs.insert(entry->output);
  }
  Subject subject{text_member(result.model, "file"), text_member(result.data, "target"), scale_of(result),
                  rows_condition(result), ""};
  for (const auto& output : outputs) {
    if (!output.empty()) subject.outputs += (subject.outputs.empty() ? "" : ", ") + output;
  }
  for (const auto& [name, value] : facts(result.model)) subject.facts += name + '=' + value + '\n';
  return subject;
}

// All entries of one measure of one method about one subject.
struct Measured {
  std::string method;
  ImportanceMeasure measure;
  const Result* result = nullptr;
  double rows = 0;  // that it stands on, where the entries say so
  std::vector<Importance> entries;
  Subject subject = {};
  std::optional<ImportanceMeasure> also = std::nullopt;  // another measure that it stands for
};

Importance total_strength(const Interaction& item) {
  Importance entry;
  entry.feature = item.features[0];
  entry.features = item.features;
  entry.output = item.output;
  entry.measure = interaction_strength();
  entry.importance = item.strength;
  return entry;
}

double rows_of(const Importance& entry) {
  const Value* rows = entry.details.find("rows");
  return rows != nullptr && rows->is_number() ? rows->as_number() : 0;
}

std::vector<Measured> measured(const std::vector<Result>& results) {
  std::vector<Measured> list;
  for (const auto& result : results) {
    const Subject subject = subject_of(result);
    const auto add = [&](const Importance& entry) {
      // Shares of variance belong to pairs and a remainder as well.
      const bool shared = entry.measure.kind == MeasureKind::variance;
      if (shared || !entry.group.empty() || entry.features.empty()) return;
      const auto same = std::find_if(list.begin(), list.end(), [&](const Measured& other) {
        return other.method == result.method && other.measure == entry.measure && other.subject == subject;
      });
      if (same == list.end()) {
        list.push_back({result.method, entry.measure, &result, rows_of(entry), {entry}, subject});
      } else if (same->result == &result) {
        same->entries.push_back(entry);
      } else if (rows_of(entry) > same->rows) {
        // The same again, from more rows.
        *same = {result.method, entry.measure, &result, rows_of(entry), {entry}, subject};
      }
    };
    for (const auto& item : result.results) {
      if (const auto* entry = item.as<Importance>()) add(*entry);
      const auto* interaction = item.as<Interaction>();
      if (interaction != nullptr && interaction->features.size() == 1 && interaction->group.empty())
        add(total_strength(*interaction));
    }
  }
  // The same twice, on the grid and over the rows: the latter says what moves predictions of these data.
  for (auto& column : list) {
    if (column.measure.over_rows) column.also = column.measure.over_grid();
  }
  const auto told = list;
  std::erase_if(list, [&](const Measured& column) {
    return std::any_of(told.begin(), told.end(), [&](const Measured& other) {
      return other.also == column.measure && other.method == column.method && other.subject == column.subject;
    });
  });
  std::stable_sort(list.begin(), list.end(),
                   [](const Measured& a, const Measured& b) { return place_of(a.measure) < place_of(b.measure); });
  return list;
}

std::string hint_of(const Measured& column, std::size_t outputs) {
  std::string hint;
  if (const std::size_t place = place_of(column.measure); place < std::size(known)) hint = known[place].hint;
  if (column.also) hint += " Over the data: values that many rows have count more.";
  if (!column.subject.scale.empty() && column.measure.in_units_of_prediction()) {
    const std::string& scale = column.subject.scale;
    const bool own_scale = scale == "probability" || scale == "margin" || scale == "log-odds";
    const std::string words = scale == "probability" ? "probabilities" : scale == "margin" ? "the margin" : scale;
    hint += (own_scale ? " On the scale of " : " In ") + words + ".";
  }
  if (outputs > 1) hint += " Here the mean over " + std::to_string(outputs) + " outputs.";
  ImportanceEntries group;
  for (const auto& entry : column.entries) group.importance.push_back(&entry);
  if (const std::string meaning = outputs > 1 ? "" : interval_meaning(group); !meaning.empty())
    hint += " With " + meaning + ".";
  return hint;
}

// What sets a column apart from others: its scale, and of the same measure whatever differs.
std::string apart(const std::vector<Measured>& columns, const Measured& column) {
  std::vector<std::string> words;
  const auto differs = [&](std::string Subject::* part, auto alike) {
    return std::any_of(columns.begin(), columns.end(), [&](const Measured& other) {
      return alike(other) && other.subject.*part != column.subject.*part;
    });
  };
  const auto same_measure = [&](const Measured& other) {
    return other.method == column.method && other.measure == column.measure;
  };
  for (const auto part : {&Subject::model, &Subject::target, &Subject::outputs, &Subject::rows}) {
    if (differs(part, same_measure) && !(column.subject.*part).empty())
      words.push_back(printable(column.subject.*part, 60));
  }
  const auto same_unit = [](const Measured& other) { return other.measure.in_units_of_prediction(); };
  const bool scales = same_unit(column) && differs(&Subject::scale, same_unit);
  if (scales && !column.subject.scale.empty()) words.push_back(column.subject.scale);
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

// The entry's value, or the mean over its outputs.
struct Gathered {
  double sum = 0, count = 0;
  std::optional<Interval> interval;
};

RankTable::Cell cell_of(const Gathered& gathered) {
  RankTable::Cell cell;
  if (gathered.count == 0) return cell;
  cell.value = gathered.sum / gathered.count;
  if (gathered.count == 1 && gathered.interval) {
    cell.low = gathered.interval->low;
    cell.high = gathered.interval->high;
  }
  return cell;
}

void write_texts(RankTable& table) {
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    std::vector<double> values;
    for (const auto& row : table.rows) values.push_back(row.cells[c].value.value_or(std::nan("")));
    const ColumnFormat format(values);
    for (auto& row : table.rows) row.cells[c].text = row.cells[c].value ? format(*row.cells[c].value) : "–";
  }
}

}  // namespace

bool RankTable::has(const std::string& method, const ImportanceMeasure& measure) const {
  return std::any_of(columns.begin(), columns.end(), [&](const Column& column) {
    const auto& told = column.measures;
    return column.outputs == 1 && column.method == method && std::find(told.begin(), told.end(), measure) != told.end();
  });
}

RankTable rank_table(const std::vector<Result>& results) {
  RankTable table;
  const auto columns = measured(results);
  std::map<std::string, std::size_t> places;
  std::vector<std::vector<Gathered>> gathered;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    std::set<std::string> outputs;
    for (const auto& entry : columns[c].entries) outputs.insert(entry.output);
    // Where some speak of all outputs together, those do.
    const bool together = outputs.contains("");
    for (const auto& entry : columns[c].entries) {
      if (together && !entry.output.empty()) continue;
      const auto [place, added] = places.try_emplace(entry.feature, table.rows.size());
      if (added) {
        table.rows.push_back({entry.feature, entry.features, {}});
        gathered.emplace_back(columns.size());
      }
      if (!std::isfinite(entry.importance)) continue;
      Gathered& cell = gathered[place->second][c];
      cell.sum += entry.importance;
      cell.count += 1;
      cell.interval = interval_of(entry);
    }
    const std::size_t shown = together ? 1 : outputs.size();
    const Measured& column = columns[c];
    std::string title = capitalised(printable(column.also.value_or(column.measure).text(), 80));
    if (const std::string words = apart(columns, column); !words.empty()) title += " (" + words + ")";
    const auto known_as =
        std::count_if(table.columns.begin(), table.columns.end(), [&](const RankTable::Column& other) {
          return other.method == column.method && (other.title == title || other.title.starts_with(title + " · "));
        });
    // Models that only their insides tell apart.
    if (known_as > 0) title += " · " + std::to_string(known_as + 1);
    table.columns.push_back({title,
                             column.method,
                             method_title(*column.result),
                             hint_of(column, shown),
                             shown,
                             {column.measure, column.also.value_or(column.measure)},
                             baseline_of(column.measure)});
  }
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    for (const auto& cell : gathered[r]) table.rows[r].cells.push_back(cell_of(cell));
  }
  std::stable_sort(table.rows.begin(), table.rows.end(), [](const RankTable::Row& a, const RankTable::Row& b) {
    for (std::size_t c = 0; c < a.cells.size(); ++c) {
      const auto &left = a.cells[c].value, &right = b.cells[c].value;
      if (left.has_value() != right.has_value()) return left.has_value();
      if (left && *left != *right) return *left > *right;
    }
    return a.name < b.name;
  });
  write_texts(table);
  return table;
}

}  // namespace sightglass
