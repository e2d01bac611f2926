// The rows nearest to others by Gower's distance (structure.h has the definition), exactly: rows are looked at in
// float, tile by tile for many queries at a time, and those that rounding cannot exclude are measured again in double.
// Rows of a tile lie near one another (halved again and again along the widest feature), so that tiles whose box is
// farther than what was found are left out: of few numbers nearly all of them. Cost: at the most rows × features per
// query.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/model/learned/structure.h"

namespace sightglass {

struct Neighbor {
  std::uint32_t row = 0;  // of the training rows
  double distance = 0;    // infinite: it shares no feature with the query
  double weight = 0;      // with which it counts; all of them add up to k, or to that of all rows
};

// Which of a model's features have levels.
[[nodiscard]] std::vector<bool> categorical_features(const Signature& signature);

class NeighborSearch {
 public:
  // The structure must outlive it; categorical: of each feature.
  NeighborSearch(const NeighborStructure& structure, std::vector<bool> categorical);

  // queries: [feature][query], as the structure's values; levels that were never seen are negative. k: weight of the
  // neighbours of each; without: the row that each query is, which is left out (none: no row is).
  [[nodiscard]] std::vector<std::vector<Neighbor>> nearest(std::span<const std::vector<double>> queries, double k,
                                                           std::span<const std::uint32_t> without,
                                                           const Context& context) const;
  [[nodiscard]] double distance(std::span<const std::vector<double>> queries, std::size_t query,
                                std::uint32_t row) const;

 private:
  // The least distance that rows of a tile can have; 0 where rows miss values.
  [[nodiscard]] float least_distance(std::size_t tile, std::span<const float> own) const;
  void order_rows();

  // Numbers of a feature as tiles have them; features that do not count have none.
  struct TileFeature {
    std::size_t feature = 0;
    std::size_t column = 0;   // in a tile
    std::size_t present = 0;  // column of who has a value; 0: all have
    bool categorical = false;
    double inverse = 1;  // of the range
  };

  const NeighborStructure& structure_;
  std::vector<bool> categorical_;
  std::vector<TileFeature> features_;
  std::size_t rows_ = 0, columns_ = 1;
  std::vector<float> tiles_;          // [(tile × columns + column) × tile rows + row]; column 0 is not used
  std::vector<std::uint32_t> order_;  // rows as tiles have them
  std::vector<float> low_, high_;     // [tile × features of tiles + feature]: of numbers
  bool any_missing_ = false;
  std::vector<double> largest_;     // by column: the largest number in units of the range
  std::vector<double> light_sums_;  // weight of the first lightest rows together
};

}  // namespace sightglass
