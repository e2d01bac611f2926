// With which options the laws (tests/properties) and the replay by other processes (tests/replay) try a method. They
// stand beside each method, in its test:
//
//   const testing::LawCase laws("ice", {.options = Value::object({{"grid", 9}, {"curves", 20}})});
//
// A method without a case fails the laws. The data are those of random_table() in random_data.h: a, b and d are
// numbers, b with gaps, c has categories, y is a target.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sightglass/methods/registry.h"

namespace sightglass::testing {

// What a method's target must be, where it matters.
enum class LawTarget { any, classes, numbers };

struct LawOptions {
  Value options = Value::object();   // small, and with every branch of the method in it
  Value required = Value::object();  // the least that the method must be told, whatever the model
  Value engines = Value::object();   // besides, where the structure of trees is compared with predictions alone
  bool draws = true;                 // false: no random numbers belong to rows, though the method can draw some
  bool keeps_row_order = false;      // true: shows single rows in the order of the data
  bool about_features = true;        // false: has nothing to say about constant features
  LawTarget target = LawTarget::any;
};

// By name: "ice", or "ice:derivative" for the same method with other options. Complete once main() runs.
inline std::vector<std::pair<std::string, LawOptions>>& law_cases() {
  static std::vector<std::pair<std::string, LawOptions>> cases;
  return cases;
}

struct LawCase {
  LawCase(std::string name, LawOptions options) { law_cases().emplace_back(std::move(name), std::move(options)); }
};

inline std::string method_of(const std::string& variant) { return variant.substr(0, variant.find(':')); }

inline const LawOptions& law_case(const std::string& variant) {
  for (const auto& [name, options] : law_cases()) {
    if (name == variant) return options;
  }
  throw std::logic_error("no testing::LawCase for '" + variant + "': it belongs into the test beside the method");
}

// Every method of the registry, whether it has a case or not, and the further cases. learned: those that only take
// models that explain themselves (fitted_model.h), else all others.
inline std::vector<std::string> law_variants(bool learned = false) {
  std::vector<std::string> names;
  for (const auto& entry : methods()) {
    if (entry.needs.pictures) continue;  // the table has none
    if (entry.needs.learned == learned) names.push_back(entry.name);
  }
  for (const auto& [name, options] : law_cases()) {
    const bool known = std::find(names.begin(), names.end(), name) != names.end();
    if (!known && find_method(method_of(name)).needs.learned == learned) names.push_back(name);
  }
  return names;
}

}  // namespace sightglass::testing
