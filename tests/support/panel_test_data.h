// Rows for learners of panels.
#pragma once

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "sightglass/learn/learner.h"
#include "sightglass/result/shapes/panels.h"

namespace sightglass::testing {

// 100 rows of "safe" around the origin and 100 of "other" around each unit vector, all with a standard deviation of
// 0.12.
inline TrainingData cubes(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0, 0.12);
  TrainingData data;
  data.rows = 400;
  data.target = "y";
  data.classes = {"safe", "other"};
  for (const char* name : {"a", "b", "c"}) data.features.push_back({.info = {.name = name}, .values = {}});
  for (std::size_t row = 0; row < data.rows; ++row) {
    data.outcome.push_back(row < 100 ? 0 : 1);
    for (std::size_t f = 0; f < 3; ++f)
      data.features[f].values.push_back(normal(random) + (row / 100 == f + 1 ? 1 : 0));
  }
  return data;
}

// Overlapping classes in numbers with missing values, a few distinct numbers, and levels; every other time with
// weights.
inline TrainingData random_classes(std::uint64_t seed, std::size_t rows, std::size_t classes, bool odd = true) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  TrainingData data;
  data.rows = rows;
  data.target = "y";
  for (std::size_t c = 0; c < classes; ++c) data.classes.push_back("class " + std::to_string(c));
  data.features = {{.info = {.name = "u"}, .values = {}},
                   {.info = {.name = "v"}, .values = {}},
                   {.info = {.name = "few"}, .values = {}},
                   {.info = {.name = "level", .categorical = true, .levels = {"p", "q", "r", "s"}}, .values = {}}};
  for (std::size_t row = 0; row < rows; ++row) {
    const auto own = static_cast<double>(row < classes ? row : random() % classes);
    data.outcome.push_back(own);
    data.features[0].values.push_back(1.5 * normal(random) + 2 * own);
    data.features[1].values.push_back(normal(random) * (1 + own));
    data.features[2].values.push_back(static_cast<double>(random() % 4) + own);
    data.features[3].values.push_back(static_cast<double>((random() % 3 + static_cast<std::size_t>(own)) % 4));
    if (odd && random() % 8 == 0) {
      data.features[random() % 4].values.back() = std::numeric_limits<double>::quiet_NaN();
    }
    if (odd && seed % 2 == 1) data.weights.push_back(0.5 + static_cast<double>(random() % 5));
  }
  return data;
}

inline std::vector<double> row_values(const TrainingData& data, std::size_t row) {
  std::vector<double> values;
  for (const TrainingFeature& feature : data.features) values.push_back(feature.values[row]);
  return values;
}

inline ShownPanels panel_item(const Learned& learned) {
  for (const ResultItem& item : learned.shown) {
    if (const auto* panels = item.as<ShownPanels>()) return *panels;
  }
  return {};
}

}  // namespace sightglass::testing
