// Options with which every method of the registry is tried: small, and with every branch of the method in them.
#pragma once

#include <string>
#include <vector>

#include "sightglass/methods/registry.h"

namespace sightglass::testing {

// "ice:derivative" is the method ice in its variant derivative.
inline std::string method_of(const std::string& variant) { return variant.substr(0, variant.find(':')); }

inline std::vector<std::string> law_variants() {
  std::vector<std::string> names;
  for (const auto& entry : methods()) names.push_back(entry.name);
  names.insert(names.end(),
               {"ice:derivative", "partial-dependence:means", "shap:sampling", "permutation-importance:expected"});
  return names;
}

// Of a table as random_data.h makes them.
inline Value law_options(const std::string& variant) {
  const std::string method = method_of(variant);
  const std::vector<std::string> features = {"a", "b", "c", "d"};
  if (variant == "partial-dependence:means") return Value::object({{"grid", 9}, {"spread", false}});
  if (method == "partial-dependence")
    return Value::object({{"grid", 9}, {"pairs", std::vector<std::string>{"a:c", "b:d"}}, {"features", features}});
  if (method == "interactions") return Value::object({{"triples", std::vector<std::string>{"a:b:c", "b:c:d"}}});
  if (variant == "ice:derivative") return Value::object({{"grid", 9}, {"curves", 20}, {"derivative", true}});
  if (method == "decomposition") return Value::object({{"order", 3}, {"grid", 9}, {"pair_grid", 5}});
  if (method == "ice") return Value::object({{"grid", 9}, {"curves", 20}});
  if (method == "regional-effects")
    return Value::object({{"grid", 5}, {"splits", 4}, {"min_gain", 0.02}, {"min_rows", 20}});
  if (method == "ale") {
    return Value::object({{"bins", 9},
                          {"bins_rule", "adaptive"},
                          {"features", features},
                          {"pairs", std::vector<std::string>{"a:c", "b:d"}},
                          {"pair_bins", 5}});
  }
  if (method == "m-plot") return Value::object({{"bins", 9}, {"smoothing", "kernel"}});
  if (variant == "permutation-importance:expected") {
    return Value::object({{"estimator", "expected"},
                          {"losses", std::vector<std::string>{"rmse", "absolute", "r2"}},
                          {"features", features},
                          {"groups", std::vector<std::string>{"pair=a,c"}}});
  }
  if (method == "permutation-importance") {
    return Value::object({{"repeats", 3},
                          {"losses", std::vector<std::string>{"rmse", "absolute", "r2"}},
                          {"noise", std::vector<double>{0.3, 1}},
                          {"features", features},
                          {"groups", std::vector<std::string>{"pair=a,c"}}});
  }
  if (variant == "shap:sampling") {
    return Value::object(
        {{"estimator", "sampling"}, {"explain", 12}, {"background_rows", 8}, {"permutations", 4}, {"precision", 0.1}});
  }
  if (method == "shap") return Value::object({{"explain", 12}, {"background_rows", 8}, {"interactions", true}});
  if (method == "pd-importance") return Value::object({{"grid", 9}});
  // Without e_divide, which is made of the order of rows.
  if (method == "model-reliance") {
    return Value::object({{"losses", std::vector<std::string>{"squared", "absolute"}},
                          {"features", features},
                          {"groups", std::vector<std::string>{"pair=a,c"}},
                          {"divide", false}});
  }
  return Value::object();
}

}  // namespace sightglass::testing
