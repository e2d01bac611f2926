// Rows and questions that the tests of sparse linear models share.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "sightglass/base/error.h"
#include "sightglass/learn/sparse_linear.h"
#include "sightglass/result/shapes/figure.h"
#include "sightglass/result/shapes/penalty_path.h"
#include "sightglass/result/shapes/terms.h"
#include "support/uniform.h"

namespace sightglass::testing {

inline constexpr double none = std::numeric_limits<double>::quiet_NaN();

inline Learned learn(const TrainingData& data, const Value& options = Value::object(), int threads = 1) {
  const Context context(threads);
  return sparse_linear().fit(data, options, context);
}

inline TrainingFeature number(const std::string& name, std::vector<double> values) {
  return {.info = {.name = name}, .values = std::move(values)};
}
inline TrainingFeature levels(const std::string& name, std::vector<std::string> names, std::vector<double> codes) {
  return {.info = {.name = name, .categorical = true, .levels = std::move(names)}, .values = std::move(codes)};
}
inline TrainingData data_of(std::vector<TrainingFeature> features, std::vector<double> outcome,
                            std::vector<std::string> classes = {}, std::vector<double> weights = {}) {
  TrainingData data;
  data.rows = outcome.size();
  data.features = std::move(features);
  data.target = "y";
  data.outcome = std::move(outcome);
  data.classes = std::move(classes);
  data.weights = std::move(weights);
  return data;
}

inline double bell(std::uint64_t stream, std::uint64_t index) {
  double sum = -6;
  for (std::uint64_t i = 0; i < 12; ++i) sum += uniform(stream, index * 12 + i);
  return sum;
}

// Numbers with ties and gaps, two that go together, and levels.
inline TrainingData mixed(std::size_t rows, const std::string& outcome) {
  std::vector<double> a(rows), b(rows), c(rows), d(rows), season(rows), place(rows), y(rows);
  std::vector<std::string> places;
  for (int i = 0; i < 9; ++i) places.push_back("p" + std::to_string(i));
  for (std::size_t r = 0; r < rows; ++r) {
    a[r] = 50 + std::round(4 * bell(1, r));
    b[r] = bell(2, r);
    c[r] = b[r] + 0.3 * bell(3, r);
    d[r] = uniform(4, r) < 0.2 ? none : 1e3 * uniform(5, r);
    season[r] = std::floor(4 * uniform(6, r) * uniform(7, r));
    place[r] = uniform(8, r) < 0.1 ? none : std::floor(9 * uniform(9, r));
    const double eta = 0.1 * (a[r] - 50) - b[r] + (std::isnan(d[r]) ? 1 : 0.001 * d[r]) + (season[r] == 1 ? 1 : 0);
    const int class_of = uniform(10, r) < 1 / (1 + std::exp(-eta)) ? 1 : uniform(11, r) < 0.5 ? 2 : 0;
    y[r] = outcome == "number"  ? eta + bell(12, r)
           : outcome == "two"   ? class_of % 2
           : outcome == "three" ? class_of
           : outcome == "count" ? std::floor(std::exp(0.4 * eta) * 2 * uniform(13, r))
                                : std::exp(0.4 * eta) * (0.1 + uniform(13, r));
  }
  std::vector<std::string> classes;
  if (outcome == "two") classes = {"no", "yes"};
  if (outcome == "three") classes = {"k0", "k1", "k2"};
  return data_of({number("a", a), number("b", b), number("c", c), number("d", d),
                  levels("season", {"s0", "s1", "s2", "s3"}, season), levels("place", places, place)},
                 y, classes);
}

// By the name of the term; intercept under "".
inline std::map<std::string, double> coefficients_of(const Terms& terms) {
  std::map<std::string, double> found = {{"", terms.intercept}};
  for (const LinearTerm& term : terms.terms) {
    found[term.conditions.empty() ? term.features[0] : conditions_text(term.conditions)] = term.coefficient;
  }
  return found;
}
inline std::vector<const Terms*> tables_of(const Learned& learned) {
  std::vector<const Terms*> tables;
  for (const ResultItem& item : learned.shown) {
    if (const auto* terms = item.as<Terms>()) tables.push_back(terms);
  }
  return tables;
}
inline std::map<std::string, double> coefficients_of(const Learned& learned, std::size_t output = 0) {
  return coefficients_of(*tables_of(learned).at(output));
}
inline const PenaltyPath& path_of(const Learned& learned) {
  for (const ResultItem& item : learned.shown) {
    if (const auto* path = item.as<PenaltyPath>()) return *path;
  }
  throw std::runtime_error("no path");
}
inline double figure_of(const Learned& learned, const std::string& name) {
  for (const ResultItem& item : learned.shown) {
    if (const auto* figure = item.as<Figure>(); figure != nullptr && figure->name == name) return figure->value;
  }
  return none;
}
inline bool warns(const Learned& learned, const std::string& id) {
  return std::any_of(learned.caveats.begin(), learned.caveats.end(), [&](const Caveat& c) { return c.id == id; });
}

// The sum of terms, as the structure says.
inline double margin(const TermStructure& structure, const TrainingData& data, std::size_t row, std::size_t output) {
  double sum = structure.intercept[output];
  for (const Term& term : structure.terms) {
    double value = 1;
    if (term.conditions.empty()) {
      const double x = data.features[term.feature].values[row];
      value = std::isnan(x) ? term.missing : x;
    }
    for (const TermCondition& condition : term.conditions) {
      const double x = data.features[condition.feature].values[row];
      const bool meets = std::isnan(x)              ? condition.missing
                         : condition.levels.empty() ? x > condition.above && x <= condition.at_most
                                                    : condition.levels[0] == static_cast<std::uint32_t>(x);
      value = meets ? value : 0;
    }
    sum += value * term.weights[output];
  }
  return sum;
}

inline std::string error_of(const TrainingData& data, const Value& options) {
  try {
    static_cast<void>(learn(data, options));
  } catch (const Error& error) {
    return std::string(to_string(error.kind())) + ": " + error.message();
  }
  return "no error";
}

}  // namespace sightglass::testing
