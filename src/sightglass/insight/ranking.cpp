#include "sightglass/insight/ranking.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "sightglass/base/error.h"
#include "sightglass/insight/groups.h"
#include "sightglass/insight/interval.h"
#include "sightglass/insight/readable.h"
#include "sightglass/result/importance_measure.h"

namespace sightglass {

namespace {

constexpr std::size_t least_matrix = 3;  // features
constexpr std::size_t most_matrix = 30;

template <class Get>
std::vector<std::string> distinct(const ImportanceEntries& group, Get get) {
  std::vector<std::string> found;
  for (const Importance* entry : group.importance) {
    const std::string value = get(*entry);
    if (std::find(found.begin(), found.end(), value) == found.end()) found.push_back(value);
  }
  return found;
}

// What is no number comes last, equal numbers by name.
bool before(double a, const std::string& name_a, double b, const std::string& name_b) {
  if (std::isnan(a) != std::isnan(b)) return std::isnan(b);
  if (!std::isnan(a) && a != b) return a > b;
  return name_a < name_b;
}

std::string text_detail(const Importance& entry) { return printable(text_member(entry.details, "interval"), 80); }

bool has_error(const Importance& entry) { return entry.se && std::isfinite(*entry.se); }

}  // namespace

Ranking ranking_of(const ImportanceEntries& group) {
  Ranking ranking;
  const auto measure = [](const Importance& entry) { return entry.measure.text(); };
  const auto rows = [](const Importance& entry) -> const std::string& { return entry.group; };
  const auto output = [](const Importance& entry) -> const std::string& { return entry.output; };
  std::vector<std::string> columns = distinct(group, measure);
  if (columns.size() < 2) {
    ranking.by = RankingBy::group;
    columns = distinct(group, rows);
  }
  if (columns.size() < 2) {
    ranking.by = RankingBy::output;
    columns = distinct(group, output);
    // One output, whether an entry names it or speaks of all.
    if (columns.size() == 2) std::erase(columns, std::string());
  }
  const auto column_of = [&](const Importance& entry) {
    const std::string value = ranking.by == RankingBy::measure ? measure(entry)
                              : ranking.by == RankingBy::group ? rows(entry)
                                                               : output(entry);
    const auto found = std::find(columns.begin(), columns.end(), value);
    return found == columns.end() ? 0 : static_cast<std::size_t>(found - columns.begin());
  };
  // A feature that stands twice in one column (in a file from elsewhere) gets two rows.
  std::map<std::pair<std::string, std::size_t>, std::size_t> row_of;
  std::map<std::pair<std::size_t, std::string>, std::size_t> seen;
  std::vector<std::string> names;
  for (const Importance* entry : group.importance) {
    const std::size_t column = column_of(*entry);
    const auto [place, added] =
        row_of.try_emplace({entry->feature, seen[{column, entry->feature}]++}, ranking.rows.size());
    if (added) {
      ranking.rows.push_back({{}, std::vector<Ranking::Cell>(columns.size())});
      names.push_back(entry->feature);
    }
    ranking.rows[place->second].cells[column].entry = entry;
  }
  const auto labels = unique_labels(names);
  for (std::size_t r = 0; r < labels.size(); ++r) ranking.rows[r].label = labels[r];

  for (std::size_t c = 0; c < columns.size(); ++c) {
    std::vector<Ranking::Row*> order;
    for (auto& row : ranking.rows) {
      if (row.cells[c].entry != nullptr) order.push_back(&row);
    }
    std::sort(order.begin(), order.end(), [c](const Ranking::Row* a, const Ranking::Row* b) {
      return before(a->cells[c].entry->importance, a->label, b->cells[c].entry->importance, b->label);
    });
    for (std::size_t i = 0; i < order.size(); ++i) order[i]->cells[c].rank = i + 1;
  }
  const auto mean_rank = [](const Ranking::Row& row) {
    double sum = 0, count = 0;
    for (const auto& cell : row.cells) {
      sum += static_cast<double>(cell.rank);
      count += cell.entry != nullptr ? 1 : 0;
    }
    return count > 0 ? sum / count : INFINITY;
  };
  std::stable_sort(ranking.rows.begin(), ranking.rows.end(), [&](const Ranking::Row& a, const Ranking::Row& b) {
    const double rank_a = mean_rank(a), rank_b = mean_rank(b);
    return rank_a != rank_b ? rank_a < rank_b : a.label < b.label;
  });
  if (ranking.by == RankingBy::group) {
    for (auto& column : columns) column = rows_label(column);
  }
  ranking.columns = unique_labels(columns);
  return ranking;
}

std::size_t evenly(std::size_t count, std::size_t most) {
  const std::size_t parts = std::max<std::size_t>((count + most - 1) / most, 1);
  return std::max<std::size_t>((count + parts - 1) / parts, 1);
}

double baseline_of(const ImportanceMeasure& measure) { return measure.is_ratio() ? 1 : 0; }

std::vector<std::string> members_of(const ImportanceEntries& group) {
  std::vector<std::string> list;
  for (const Importance* entry : group.importance) {
    // What is left over stands for none, and "temp:hour" says itself whom it stands for.
    if (entry->features.empty() || entry->features[0] == entry->feature) continue;
    std::string joined, names;
    for (const auto& name : entry->features) {
      joined += (joined.empty() ? "" : ":") + name;
      names += (names.empty() ? "" : ", ") + printable(name, 60);
    }
    const std::string text = printable(entry->feature, 60) + " = " + names;
    if (joined != entry->feature && std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
  }
  return list;
}

std::optional<Interval> interval_of(const Importance& entry) {
  const auto finite = [](double low, double high) {
    return std::isfinite(low) && std::isfinite(high) ? std::optional(Interval{low, high}) : std::nullopt;
  };
  if (has_error(entry)) {
    return finite(entry.importance - interval_width * *entry.se, entry.importance + interval_width * *entry.se);
  }
  return entry.low && entry.high ? finite(*entry.low, *entry.high) : std::nullopt;
}

std::string interval_meaning(const ImportanceEntries& group) {
  std::set<std::string> covers;
  bool given = false, from_se = false;
  for (const Importance* entry : group.importance) {
    if (!interval_of(*entry)) continue;
    if (has_error(*entry)) {
      from_se = true;
    } else {
      given = true;
      if (const std::string text = text_detail(*entry); !text.empty()) covers.insert(text);
    }
  }
  std::string text;
  if (from_se) text = "95 % intervals (± 1.96 standard errors)";
  if (given) {
    text += (text.empty() ? "" : "; elsewhere ") + std::string("intervals from low to high");
    std::string listed;
    for (const auto& cover : covers) listed += (listed.empty() ? "" : "; ") + cover;
    if (!listed.empty()) text += " (" + listed + ")";
  }
  return text;
}

std::vector<RankedInteraction> ranked_interactions(const InteractionEntries& group) {
  std::vector<std::string> names;
  for (const Interaction* entry : group.interaction) names.push_back(joined_names(entry->features, 40));
  const auto labels = unique_labels(names);
  std::vector<RankedInteraction> ranked;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const Value* findings = group.interaction[i]->details.find("in_findings");
    const bool faded = findings != nullptr && findings->is_bool() && !findings->as_bool();
    ranked.push_back({group.interaction[i], labels[i], faded});
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const RankedInteraction& a, const RankedInteraction& b) {
    return before(a.entry->strength, a.label, b.entry->strength, b.label);
  });
  return ranked;
}

PairMatrix pair_matrix(const InteractionEntries& group) {
  if (group.interaction.empty() || group.interaction[0]->features.size() != 2) return {};
  std::vector<std::string> features;
  for (const Interaction* entry : group.interaction) {
    for (const auto& name : entry->features) {
      if (std::find(features.begin(), features.end(), name) == features.end()) features.push_back(name);
    }
    if (features.size() > most_matrix) return {};
  }
  const std::size_t size = features.size();
  if (size < least_matrix || group.interaction.size() != size * (size - 1) / 2) return {};
  PairMatrix matrix;
  matrix.entry.assign(size, std::vector<const Interaction*>(size));
  for (const Interaction* entry : group.interaction) {
    const auto index = [&](const std::string& name) {
      return static_cast<std::size_t>(std::find(features.begin(), features.end(), name) - features.begin());
    };
    const std::size_t a = index(entry->features[0]), b = index(entry->features[1]);
    if (a == b || matrix.entry[a][b] != nullptr) return {};
    matrix.entry[a][b] = matrix.entry[b][a] = entry;
  }
  matrix.names = unique_labels(features);
  return matrix;
}

}  // namespace sightglass
