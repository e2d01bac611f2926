// Rankings and interactions in words.
#include <algorithm>

#include "sightglass/base/error.h"
#include "sightglass/insight/compared_models.h"
#include "sightglass/insight/ranking.h"
#include "sightglass/insight/readable.h"
#include "sightglass/render/description.h"
#include "sightglass/result/importance_measure.h"

namespace sightglass {

namespace {

constexpr std::size_t places_described = 4;

// "Of 324 rows that are to have another outcome, the smallest change is of s5 for 20 %, of bmi & s5 for 18 %."
std::string describe_recourse(const ImportanceEntries& group) {
  const Ranking ranking = ranking_of(group);
  if (ranking.columns.size() > 1) return {};
  const Value* of = group.importance[0]->details.find("of");
  std::string text = of != nullptr && of->is_number()
                         ? "Of " + readable(*of) + " rows that are to have another outcome, the smallest change is of "
                         : "The smallest change is of ";
  for (std::size_t i = 0; i < std::min(ranking.rows.size(), places_described); ++i) {
    const Importance& entry = *ranking.rows[i].cells[0].entry;
    text += (i == 0 ? "" : ", of ") + ranking.rows[i].label + " for " + percent(entry.importance);
  }
  return text + ".";
}

std::string describe_importance(const Result& result, const ImportanceEntries& group) {
  if (group.is_recourse()) {
    if (std::string text = describe_recourse(group); !text.empty()) return text;
  }
  const Ranking ranking = ranking_of(group);
  const bool several = ranking.columns.size() > 1;
  std::string text;
  if (several) {
    static constexpr const char* kinds[] = {"measures", "groups of rows", "outputs"};
    text = std::to_string(ranking.rows.size()) + (ranking.rows.size() == 1 ? " feature" : " features") + " ranked by " +
           std::to_string(ranking.columns.size()) + " " +
           (compared_models(result).empty() ? kinds[static_cast<std::size_t>(ranking.by)] : "models") + ".";
  } else {
    const std::string measure = printable(group.importance[0]->measure.text(), 80);
    // Shares of variance are those of pairs too.
    const bool singles = std::none_of(group.importance.begin(), group.importance.end(), [](const Importance* entry) {
      return entry->features.size() == 2 && entry->measure.kind == MeasureKind::variance;
    });
    text = (measure.empty() ? "importance" : measure) + " of " + std::to_string(ranking.rows.size()) +
           (ranking.rows.size() == 1 ? " feature"
            : singles                ? " features"
                                     : " features, pairs and what is left");
    if (const std::string qualifier = group_qualifier(result, group); !qualifier.empty()) text += ", " + qualifier;
    text += ".";
  }
  for (const auto& members : members_of(group)) text += " " + members + ".";
  if (!several) {
    std::string list;
    for (std::size_t i = 0; i < std::min(ranking.rows.size(), places_described); ++i) {
      list += (i == 0 ? "" : ", then ") + ranking.rows[i].label + " (" +
              readable(ranking.rows[i].cells[0].entry->importance) + ")";
    }
    return text + " First " + list + ".";
  }
  // Who leads each column, and who is judged most differently.
  const auto leads = [](const Ranking::Cell& cell) { return cell.rank == 1; };
  for (const auto& row : ranking.rows) {
    if (std::all_of(row.cells.begin(), row.cells.end(), leads)) {
      text += " All put " + row.label + " first.";
      continue;
    }
    for (std::size_t c = 0; c < ranking.columns.size(); ++c) {
      if (leads(row.cells[c])) text += " First by " + ranking.columns[c] + ": " + row.label + ".";
    }
  }
  const Ranking::Row* most = nullptr;
  std::size_t widest = 0, best = 0, worst = 0;
  for (const auto& row : ranking.rows) {
    std::size_t low = 0, high = 0;
    for (std::size_t c = 0; c < row.cells.size(); ++c) {
      if (row.cells[c].entry == nullptr) continue;
      if (row.cells[low].entry == nullptr || row.cells[c].rank < row.cells[low].rank) low = c;
      if (row.cells[high].entry == nullptr || row.cells[c].rank > row.cells[high].rank) high = c;
    }
    if (row.cells[high].rank <= widest + row.cells[low].rank) continue;
    widest = row.cells[high].rank - row.cells[low].rank;
    most = &row;
    best = low;
    worst = high;
  }
  if (most == nullptr) return text + " All agree on the order.";
  return text + " They disagree most about " + most->label + ": rank " + std::to_string(most->cells[best].rank) +
         " by " + ranking.columns[best] + ", " + std::to_string(most->cells[worst].rank) + " by " +
         ranking.columns[worst] + ".";
}

std::string describe_interaction(const Result& result, const InteractionEntries& group) {
  const auto ranked = ranked_interactions(group);
  const std::string output = printable(group_output(result, group), 60);
  std::string text = "Interaction strength of " + group_qualifier(result, group, false) +
                     (output.empty() ? "" : " for " + output) + ". ";
  if (ranked.size() > 1) text += "Strongest of the " + std::to_string(ranked.size()) + " examined: ";
  for (std::size_t i = 0; i < std::min(ranked.size(), places_described); ++i) {
    text += (i == 0 ? "" : ", then ") + ranked[i].label + " (" + readable(ranked[i].entry->strength);
    if (!ranked[i].faded) text += ", H² " + percent(ranked[i].entry->h2);
    text += ")";
  }
  return text + ".";
}

std::string read_importance(const ImportanceEntries& group) {
  const Ranking ranking = ranking_of(group);
  std::string text =
      group.is_recourse()
          ? "A bar is how many rows can be brought to the outcome most cheaply by these features together"
          : "Longer bars matter more";
  if (ranking.columns.size() > 1) {
    text += ranking.by == RankingBy::measure ? "; each measure has its own scale. Numbers at the right are ranks"
                                             : ". Numbers at the right are ranks";
  }
  text += ".";
  const bool ratios = std::any_of(group.importance.begin(), group.importance.end(),
                                  [](const Importance* entry) { return baseline_of(entry->measure) != 0; });
  if (ratios) text += " Ratios start at 1, where the model does not rely on the feature.";
  const bool negative = std::any_of(group.importance.begin(), group.importance.end(), [](const Importance* entry) {
    const bool loss = entry->measure.kind == MeasureKind::permutation && !entry->measure.is_ratio();
    return loss && entry->importance < 0;
  });
  if (negative) text += " Below 0: no sign that it matters.";
  if (const std::string meaning = interval_meaning(group); !meaning.empty()) text += " Thin lines: " + meaning + ".";
  if (ranking.rows.size() > rows_per_ranking) {
    text += " " + std::to_string(ranking.rows.size() - rows_per_ranking) + " more are in the data table.";
  }
  return text;
}

std::string read_interaction(const InteractionEntries& group) {
  const auto ranked = ranked_interactions(group);
  const std::size_t order = group.interaction[0]->features.size();
  std::string text = order == 1
                         ? "How far the prediction is from the feature's own effect plus that of all others, in units "
                           "of the prediction."
                         : "How far the joint effect is from what fewer features do, in units of the prediction.";
  text += " H² is that as a share of the joint effect's variance.";
  if (!pair_matrix(group).names.empty()) text += " In the matrix, stronger colours are stronger interactions.";
  const auto is_faded = [](const RankedInteraction& entry) { return entry.faded; };
  if (std::any_of(ranked.begin(), ranked.end(), is_faded))
    text += " Faded: too little joint effect for H² to mean much.";
  if (ranked.size() > rows_per_ranking) {
    text += " " + std::to_string(ranked.size() - rows_per_ranking) + " more are in the data table.";
  }
  return text;
}

}  // namespace

const ShapeWords importance_words = words_by<describe_importance, read_importance>();
const ShapeWords interaction_words = words_by<describe_interaction, read_interaction>();

}  // namespace sightglass
