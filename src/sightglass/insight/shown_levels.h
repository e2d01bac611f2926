// Which levels of a feature pictures show, and in which order: the same in all pictures of a page, so that what stands
// beside one another can be compared.
//
// A feature with thousands of levels is drawn by the levels that matter, the rest together as "others". What matters is
// effect × rows: how far the prediction at a level is from the mean over all rows, times the rows that have the level.
// Levels with fewer than ten rows, and fewer than the mean level has, come after all others: their effects may be wild
// and say little. Ties go to the level with more rows, then by name. Everything is known from the results of the page;
// curves of all rows say it, else those of groups of rows, of single rows, maps, attributions, losses: the first of
// these that is there. The levels shown stand in their own order where they have one, else the highest first; where all
// levels are shown, in the order that the model or the data have.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "sightglass/insight/groups/curve_lines.h"
#include "sightglass/result/result.h"

namespace sightglass {

// In a picture, at the most; one more where "others" would be a single level.
constexpr std::size_t levels_shown = 30;
// Side by side, where their names stand upright.
constexpr std::size_t levels_across = 20;

// Of one axis, by their places on it. A numeric axis shows all its points.
struct ShownLevels {
  std::vector<std::size_t> shown;   // in the order in which they are drawn
  std::vector<std::size_t> others;  // what matters most first; drawn as one level, the last
  [[nodiscard]] std::size_t size() const { return shown.size() + (others.empty() ? 0 : 1); }
};

class LevelPlan {
 public:
  explicit LevelPlan(const std::vector<const Result*>& results);

  // `wanted`: places that are shown whatever their rank (a row's own level).
  [[nodiscard]] ShownLevels of(const Axis& axis, std::size_t most = levels_shown,
                               std::span<const std::size_t> wanted = {}) const;
  // (Weighted) rows that have the level at this place of an axis, 0 if nothing says so.
  [[nodiscard]] double rows(const Axis& axis, std::size_t place) const;

 private:
  struct Level {
    std::size_t rank = 0;    // by what matters
    std::size_t place = 0;   // in the order of the model or the data
    std::size_t height = 0;  // highest first
    double rows = 0;
  };
  using Levels = std::unordered_map<std::string, Level>;

  [[nodiscard]] const Level* find(const Axis& axis, std::size_t place) const;

  std::map<std::string, Levels, std::less<>> features_;
};
using LevelPlanPtr = std::shared_ptr<const LevelPlan>;

[[nodiscard]] LevelPlanPtr level_plan(const Result& result);
[[nodiscard]] LevelPlanPtr level_plan(const std::vector<Result>& results);
// Of a plan or, where there is none, the first levels as they come.
[[nodiscard]] ShownLevels choose_levels(const LevelPlanPtr& plan, const Axis& axis, std::size_t most = levels_shown,
                                        std::span<const std::size_t> wanted = {});

// "others (1,970 levels)".
[[nodiscard]] std::string others_label(std::size_t levels);

// Curves of one picture as they are drawn: the same levels in the same order, others last, which have the mean over
// their rows. Numeric ones are as they were.
struct DrawnLines {
  std::vector<Curve> curves;
  CurveLines group;          // of these
  SharedLevels shared;       // of these; empty where the feature is numeric
  std::size_t left_out = 0;  // levels that are drawn as others
};
[[nodiscard]] DrawnLines drawn_lines(const CurveLines& group, std::size_t most = levels_shown);
// The same of curves of single rows.
[[nodiscard]] Curves drawn_curves(const Curves& curves, const LevelPlanPtr& plan, std::size_t most = levels_shown);

// What is drawn of a surface: its heights at grid points, or their means between them (drawn_heights).
struct DrawnSurface {
  Axis first, second;
  std::vector<std::vector<double>> mean;
  std::vector<std::vector<double>> rows;  // nearby, or inside; empty if they are not known there
  std::vector<std::vector<bool>> empty;   // the data have no rows there
  std::vector<std::vector<bool>> thin;    // they have too few to go by
  bool between = false;
  std::size_t first_left_out = 0, second_left_out = 0;  // levels that are drawn as others
};
// Levels of either side, at the most.
struct SideLevels {
  std::size_t first = levels_across, second = levels_shown;
};
[[nodiscard]] DrawnSurface drawn_surface(const Surface& surface, const LevelPlanPtr& plan, bool between,
                                         const SideLevels& most = {});

// What stands behind "others", a sentence: "The other 1,970 levels have 41 % of the rows; they are at 2.9 on average,
// from -3.1 to 7.9." Empty where all are shown.
[[nodiscard]] std::string others_words(const Curve& curve, const LevelPlanPtr& plan, double offset = 0);
// "30 of 2,000 levels are shown, …": empty where all are.
[[nodiscard]] std::string shown_words(const CurveLines& group);
[[nodiscard]] std::string shown_words(const Axis& axis, const LevelPlanPtr& plan, std::size_t most = levels_shown);

}  // namespace sightglass
