// Rows for the tests of rules: numbers, levels, gaps.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "sightglass/learn/training_data.h"
#include "support/uniform.h"

namespace sightglass::testing {

// y = 3 [a > 0.4 and b <= 0.7] + 2 a + (c = high) + noise; b misses some values, c has levels.
inline TrainingData rule_data(std::size_t rows, double noise = 0.3) {
  TrainingData data;
  data.rows = rows;
  data.target = "y";
  data.features = {{{.name = "a"}, {}},
                   {{.name = "b"}, {}},
                   {{.name = "c", .categorical = true, .levels = {"low", "mid", "high"}}, {}},
                   {{.name = "d"}, {}}};
  for (std::size_t i = 0; i < rows; ++i) {
    const double a = uniform(1, i), b = uniform(2, i), c = std::floor(3 * uniform(3, i)),
                 d = std::floor(6 * uniform(4, i));
    const bool missing = i % 13 == 5;
    data.features[0].values.push_back(a);
    data.features[1].values.push_back(missing ? std::numeric_limits<double>::quiet_NaN() : b);
    data.features[2].values.push_back(i % 29 == 3 ? std::numeric_limits<double>::quiet_NaN() : c);
    data.features[3].values.push_back(d);
    const double rule = a > 0.4 && (missing || b <= 0.7) ? 3 : 0;
    data.outcome.push_back(rule + 2 * a + (c == 2 ? 1 : 0) + noise * (uniform(5, i) + uniform(6, i) - 1));
  }
  return data;
}

// Its outcome in classes of about the same size.
inline TrainingData rule_classes(std::size_t rows, std::size_t classes) {
  TrainingData data = rule_data(rows);
  for (double& y : data.outcome) y = classes == 2 ? (y > 3 ? 1 : 0) : y > 4.5 ? 2 : y > 1.5 ? 1 : 0;
  for (std::size_t k = 0; k < classes; ++k) data.classes.push_back("class " + std::to_string(k));
  return data;
}

inline std::vector<double> row_of(const TrainingData& data, std::size_t row) {
  std::vector<double> values;
  for (const TrainingFeature& feature : data.features) values.push_back(feature.values[row]);
  return values;
}

}  // namespace sightglass::testing
