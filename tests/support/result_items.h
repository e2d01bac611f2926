// Results made by hand: for tests of what is drawn and said of them. What they mean follows from their words, as it
// does in old files.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sightglass/result/legacy_internal.h"
#include "sightglass/result/result.h"

namespace sightglass::testing {

inline Result result_of(const std::string& method, std::vector<ResultItem> items = {}) {
  Result result;
  result.method = method;
  result.results = std::move(items);
  add_missing_meaning(result);
  return result;
}

inline Figure figure_of(const std::string& name, double value) {
  Figure figure;
  figure.name = name;
  figure.value = value;
  return result_of("", {figure}).results[0].get<Figure>();
}

inline Importance importance_of(const std::string& feature, double value, const std::string& measure,
                                const std::string& output = "") {
  Importance entry;
  entry.feature = feature;
  entry.features = {feature};
  entry.output = output;
  entry.measure = measure_from_text(measure);
  entry.importance = value;
  return entry;
}

// At 0, 1, 2, …, with as many rows at each.
inline Curve curve_of(const std::string& feature, std::vector<double> heights, Measure measure = Measure::mean,
                      const std::string& output = "prediction") {
  Curve curve;
  curve.axis.feature = feature;
  for (std::size_t i = 0; i < heights.size(); ++i) curve.axis.numbers.push_back(static_cast<double>(i));
  curve.output = output;
  curve.measure = measure;
  curve.count.assign(heights.size(), 100);
  curve.mean = std::move(heights);
  return curve;
}

}  // namespace sightglass::testing
