// The rows nearest to others by Gower's distance (structure.h has the definition), exactly: rows are looked at in
// float, tile by tile for many queries at a time, and those that rounding cannot exclude are measured again in double.
// Rows that are equal are one point. Points of a tile lie near one another (halved again and again along the widest
// feature), so that tiles whose box is farther than what was found are left out: of few numbers nearly all of them.
// Cost: at the most rows × features per query.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/model/learned/structure.h"

namespace sightglass {

struct Neighbor {
  std::uint32_t row = 0;  // of the training rows
  double distance = 0;    // to 40 binary digits
  double weight = 0;      // with which it counts; all of them add up to k, or to that of all rows that share a feature
};

// Which of a model's features have levels.
[[nodiscard]] std::vector<bool> categorical_features(const Signature& signature);

class NeighborSearch {
 public:
  // The structure must outlive it, and its ranges hold its values; categorical: of each feature.
  NeighborSearch(const NeighborStructure& structure, std::vector<bool> categorical);

  // queries: [feature][query], as the structure's values; levels that were never seen are negative. k: weight of the
  // neighbours of each; without: the row that each query is, which is left out (none: no row is). A query without any
  // value that is known has none.
  [[nodiscard]] std::vector<std::vector<Neighbor>> nearest(std::span<const std::vector<double>> queries, double k,
                                                           std::span<const std::uint32_t> without,
                                                           const Context& context) const;
  // Infinite: they share no feature.
  [[nodiscard]] double distance(std::span<const std::vector<double>> queries, std::size_t query,
                                std::uint32_t row) const;
  // Whether a query's value counts in distances: the feature varies, and the value is there and not so far away that
  // all rows are equally far from it.
  [[nodiscard]] bool counts(std::size_t feature, double value) const;

 private:
  // The least distance that rows of a tile can have; 0 where rows miss values.
  [[nodiscard]] float least_distance(std::size_t tile, std::span<const float> own) const;
  void find_points();
  void order_points();
  [[nodiscard]] std::uint32_t first_row(std::uint32_t point) const { return rows_of_points_[begin_[point]]; }
  // The first so many rows of points in order of their distances, by distance and row; a few more where many are as
  // far.
  [[nodiscard]] std::vector<Neighbor> first_rows(std::span<const std::pair<double, std::uint32_t>> points,
                                                 std::size_t wanted) const;

  // Numbers of a feature as tiles have them; features that do not count have none.
  struct TileFeature {
    std::size_t feature = 0;
    std::size_t column = 0;   // in a tile
    std::size_t present = 0;  // column of who has a value; 0: all have
    bool categorical = false;
    double middle = 0, range = 1;  // of numbers; codes of levels are as they are

    // What a value is in a tile: what is far from 0 keeps its digits.
    [[nodiscard]] double scaled(double value) const;
    [[nodiscard]] bool counts(double value) const;
  };

  const NeighborStructure& structure_;
  std::vector<bool> categorical_;
  std::vector<TileFeature> features_;
  std::size_t rows_ = 0, columns_ = 1;
  std::vector<float> tiles_;  // [(tile × columns + column) × tile rows + row]; column 0 is not used
  // Points are rows that are equal in all features, in the order of the first of them.
  std::vector<std::uint32_t> begin_, rows_of_points_;  // [begin_[point], begin_[point + 1]): its rows, ascending
  std::vector<std::uint32_t> order_;                   // points as tiles have them
  std::vector<float> low_, high_;                      // [tile × features of tiles + feature]: of numbers
  bool any_missing_ = false;
  std::vector<double> light_sums_;  // weight of the first lightest rows together
};

}  // namespace sightglass
