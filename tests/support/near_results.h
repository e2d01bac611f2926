// Two results side by side.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "sightglass/result/json.h"

namespace sightglass::testing {

inline Value results_of(const std::string& json) { return *value_from_json(json, "result").find("results"); }

// Every number, but for what rounding may turn, and how many different values a model can tell apart.
inline void expect_near(const Value& a, const Value& b, const std::string& path) {
  if (path.ends_with("/details/values")) return;
  if (path.ends_with("/estimator")) return;  // says how it was done
  if (a.is_number() && b.is_number()) {
    EXPECT_NEAR(a.as_number(), b.as_number(), 1e-9 * std::max(1.0, std::abs(a.as_number()))) << path;
  } else if (a.is_array() && b.is_array()) {
    ASSERT_EQ(a.as_array().size(), b.as_array().size()) << path;
    for (std::size_t i = 0; i < a.as_array().size(); ++i) expect_near(a.as_array()[i], b.as_array()[i], path);
  } else if (a.is_object() && b.is_object()) {
    for (const auto& [key, value] : b.as_object()) EXPECT_NE(a.find(key), nullptr) << path << "/" << key;
    for (const auto& [key, value] : a.as_object()) {
      ASSERT_NE(b.find(key), nullptr) << path << "/" << key;
      expect_near(value, *b.find(key), path + "/" + key);
    }
  } else {
    EXPECT_EQ(a, b) << path;
  }
}

}  // namespace sightglass::testing
