// What tests of LIME share: data, lines, and the bins that they speak of.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "sightglass/methods/run/session.h"
#include "sightglass/result/shapes/terms.h"
#include "support/number_tables.h"

namespace sightglass::testing {

// Independent standard normals.
inline Table normals(std::size_t features, std::size_t rows, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<std::vector<double>> values(features, std::vector<double>(rows));
  for (std::vector<double>& column : values) {
    for (double& value : column) value = normal(random);
  }
  return numbers_table(numbered_names(features), values);
}

inline Result lime_result(const Model& model, const Table& table, const Value& options, int threads = 1) {
  Context context(threads);
  return run("lime", model, table, options, context);
}

inline const Terms& terms_of(const Result& result, std::size_t place = 0) {
  for (const ResultItem& item : result.results) {
    const auto* found = item.as<Terms>();
    if (found != nullptr && place-- == 0) return *found;
  }
  throw std::runtime_error("no terms");
}

// 0 where the line has no such term.
inline double coefficient(const Terms& terms, const std::string& feature) {
  for (const LinearTerm& term : terms.terms) {
    if (term.features.front() == feature) return term.coefficient;
  }
  return 0;
}

inline std::vector<double> column_values(const Table& table, std::size_t column) {
  std::vector<double> values;
  for (std::size_t row = 0; row < table.rows(); ++row) values.push_back(table.column(column).number(row));
  return values;
}

// The quartile in which a value lies, of the values of a column; missing ones have a bin of their own.
inline int quartile(const std::vector<double>& column, double value) {
  if (std::isnan(value)) return 9;
  std::vector<double> known;
  for (const double each : column) {
    if (!std::isnan(each)) known.push_back(each);
  }
  std::sort(known.begin(), known.end());
  int bin = 0;
  for (const double share : {0.25, 0.5, 0.75}) {
    const double at = share * static_cast<double>(known.size() - 1);
    const auto low = static_cast<std::size_t>(at);
    const double cut =
        known[low] + (at - static_cast<double>(low)) * (known[std::min(low + 1, known.size() - 1)] - known[low]);
    bin += value > cut ? 1 : 0;
  }
  return bin;
}

}  // namespace sightglass::testing
