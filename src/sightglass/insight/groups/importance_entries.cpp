#include "sightglass/insight/groups/importance_entries.h"

#include <map>
#include <set>
#include <tuple>

#include "sightglass/insight/ranking.h"

namespace sightglass {

namespace {

class Grouping {
 public:
  explicit Grouping(const std::vector<const ResultItem*>& items) {
    std::map<std::string, std::string> measure_of;  // the first of each entry
    for (const ResultItem* item : items) {
      const auto& entry = item->get<Importance>();
      const std::string measure = entry.measure.text();
      join_measures(measure, measure_of.try_emplace(entry.feature, measure).first->second);
      row_groups_.insert(entry.group);
      if (!entry.output.empty()) outputs_.insert(entry.output);
    }
    for (const auto& [measure, next] : next_measure_) ++family_size_[family(measure)];
    for (const ResultItem* item : items) {
      const auto& entry = item->get<Importance>();
      column_names_[ranking_key(entry)].insert(column_of(entry));
    }
    for (std::size_t i = 0; i < items.size(); ++i) add(i, items[i]->get<Importance>());
  }
  std::vector<PlacedGroup> take() {
    std::vector<PlacedGroup> groups;
    for (auto& [place, ranking] : rankings_) groups.push_back({place, std::move(ranking)});
    return groups;
  }

 private:
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
  void add(std::size_t place, const Importance& entry) {
    const RankingKey key = ranking_key(entry);
    auto& columns = columns_[key];
    const std::string column = column_of(entry);
    if (const auto known = columns.find(column); known != columns.end()) {
      rankings_[known->second].second.importance.push_back(&entry);
      return;
    }
    // Too many for one picture are divided evenly: a last one alone could not be compared with anything.
    const std::size_t per_picture = evenly(column_names_[key].size(), columns_per_ranking);
    const bool room = !columns.empty() && columns.size() % per_picture != 0;
    const std::size_t at = room ? last_column_[key] : rankings_.size();
    if (!room) rankings_.emplace_back(place, ImportanceEntries());
    columns[column] = last_column_[key] = at;
    rankings_[at].second.importance.push_back(&entry);
  }

  std::vector<std::pair<std::size_t, ImportanceEntries>> rankings_;
  std::set<std::string> row_groups_, outputs_;
  std::map<std::string, std::string> next_measure_;  // of the same family; the last one leads to itself
  std::map<std::string, std::size_t> family_size_;
  std::map<RankingKey, std::set<std::string>> column_names_;
  std::map<RankingKey, std::map<std::string, std::size_t>> columns_;
  std::map<RankingKey, std::size_t> last_column_;
};

}  // namespace

std::string ImportanceEntries::output() const {
  const Ranking ranking = ranking_of(*this);
  return ranking.by == RankingBy::output && ranking.columns.size() > 1 ? std::string() : importance[0]->output;
}

std::string ImportanceEntries::rows() const {
  const Ranking ranking = ranking_of(*this);
  return ranking.by == RankingBy::group && ranking.columns.size() > 1 ? std::string() : importance[0]->group;
}

std::vector<PlacedGroup> group_importances(const std::vector<const ResultItem*>& items) {
  return Grouping(items).take();
}

}  // namespace sightglass
