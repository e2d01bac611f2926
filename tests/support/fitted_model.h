// Models of our own, fitted to the random rows with which methods are tried; for methods that take no others.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sightglass/learn/fit.h"
#include "support/random_data.h"

namespace sightglass::testing {

inline const std::vector<std::string>& fitted_learners() {
  static const std::vector<std::string> names = {"sparse-linear", "tree", "rulefit", "gam", "knn"};
  return names;
}

inline std::unique_ptr<Model> fitted_model(const std::string& learner) {
  Context context(1);
  const Value options =
      Value::object({{"target", "y"}, {"features", std::vector<std::string>{"a", "b", "c", "d"}}, {"seed", 1}});
  return fit(learner, random_table(30, 120), options, context).model;
}

}  // namespace sightglass::testing
