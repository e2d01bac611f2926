// Rows in two dimensions: the first two principal components of the scaled data (numbers in standard deviations,
// categories as unit vectors, missing numbers at the mean with an indicator), or two features.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sightglass/learn/prototypes/scaled_rows.h"
#include "sightglass/result/shapes/examples.h"

namespace sightglass {

class MapProjection {
 public:
  // names: of the columns of `points`. Which way an axis points is settled by its largest loading, which is positive.
  MapProjection(const ScaledRows& points, const std::vector<std::string>& names,
                const std::vector<std::vector<std::string>>& levels, std::uint64_t seed, const Context& context);

  [[nodiscard]] std::array<double, 2> at(std::uint32_t row) const;  // by its position in the columns
  [[nodiscard]] const std::array<std::string, 2>& axes() const { return axes_; }
  [[nodiscard]] double shown() const { return shown_; }  // share of the variance

 private:
  // A coordinate of the scaled data: a number, an indicator of a level, or that a number is missing.
  enum class Kind { number, level, missing };
  struct Coordinate {
    std::size_t column;
    Kind kind;
    double level;
    double mean = 0;
    std::array<double, 2> loading = {};
  };
  [[nodiscard]] double value(const Coordinate& coordinate, std::uint32_t row) const;

  const ScaledRows& points_;
  std::vector<Coordinate> coordinates_;
  std::array<std::string, 2> axes_;
  double shown_ = 0;
};

// To the map some hundred points in the background, drawn at random, from left to right, whatever the order of the
// rows. place and class_of are asked by a row's position in the columns; no class_of: there are no classes.
void add_background(const ScaledRows& points, std::uint64_t seed,
                    const std::function<std::array<double, 2>(std::uint32_t)>& place,
                    const std::function<std::string(std::uint32_t)>& class_of, ExampleMap& map);

}  // namespace sightglass
