// Importances and interactions in the order in which they are shown: most important first, ties by name. What
// varies besides the feature (the measure, the rows, the output) stands side by side, so that one sees where
// rankings disagree.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sightglass/insight/groups/importance_entries.h"
#include "sightglass/insight/groups/interaction_entries.h"
#include "sightglass/result/result.h"

namespace sightglass {

constexpr std::size_t panels_per_row = 4;     // of a picture's columns: more stand below
constexpr std::size_t rows_per_ranking = 30;  // in a picture; tables have all

enum class RankingBy { measure, group, output };

struct Interval {
  double low, high;
};

struct Ranking {
  struct Cell {
    const Importance* entry = nullptr;  // null: this column says nothing about the feature
    std::size_t rank = 0;               // within the column, from 1
  };
  struct Row {
    std::string label;
    std::vector<Cell> cells;  // one per column
  };
  RankingBy by = RankingBy::measure;
  std::vector<std::string> columns;  // labels, all different
  std::vector<Row> rows;             // by rank; by mean rank where there are several columns
};
[[nodiscard]] Ranking ranking_of(const ImportanceEntries& group);

// How many of `count` stand together if at most `most` may: 5 are divided into 3 and 2, not into 4 and 1.
[[nodiscard]] std::size_t evenly(std::size_t count, std::size_t most);

// What a measure says of a feature that does not matter, where bars start: 1 of ratios, else 0.
[[nodiscard]] double baseline_of(const ImportanceMeasure& measure);

// Entries that stand for other features than their name says: "size = rooms, beds". Without repetition.
[[nodiscard]] std::vector<std::string> members_of(const ImportanceEntries& group);

// What the thin lines on the bars show: 1.96 standard errors, which cover more than the shuffling, else low to
// high; nothing if neither is there.
[[nodiscard]] std::optional<Interval> interval_of(const Importance& entry);
// In words, for all entries of a picture: "95 % intervals from standard errors". Empty if there are none.
[[nodiscard]] std::string interval_meaning(const ImportanceEntries& group);

// Strongest first, ties by name; labels all different.
struct RankedInteraction {
  const Interaction* entry;
  std::string label;
  bool faded;  // the pair has too little effect for its H² to mean anything
};
[[nodiscard]] std::vector<RankedInteraction> ranked_interactions(const InteractionEntries& group);

// Strengths of all pairs of some features, where every pair is there; else without names.
struct PairMatrix {
  std::vector<std::string> names;                      // labels, all different
  std::vector<std::vector<const Interaction*>> entry;  // symmetric; the diagonal is null
};
[[nodiscard]] PairMatrix pair_matrix(const InteractionEntries& group);

}  // namespace sightglass
