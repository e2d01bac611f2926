// What prototypes are told.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sightglass/base/options.h"

namespace sightglass {

struct PrototypesOptions {
  std::int64_t prototypes = 30;
  std::int64_t criticisms = 10;
  bool per_class = false;
  std::vector<std::string> features;
  std::optional<double> gamma = std::nullopt;
  std::vector<std::string> map;
  std::int64_t attributions = 3;
  std::vector<std::string> surrogate;
  std::int64_t size = 0;
  std::int64_t use_rows = 100000;

  static void fields(auto&& field) {
    field("prototypes", &PrototypesOptions::prototypes,
          {.help = "rows that stand for the others", .type = OptionType::count, .range = between(1, 10000)});
    field("criticisms", &PrototypesOptions::criticisms,
          {.help = "rows that these do not stand for", .type = OptionType::count, .range = between(0, 500)});
    field("per_class", &PrototypesOptions::per_class,
          {.help = "divide both among the classes of {option:target|the target}, each of which has its own"});
    field("features", &PrototypesOptions::features,
          {.help = "features by which rows are alike; default: all that the model uses, or all columns",
           .type = OptionType::features});
    field("gamma", &PrototypesOptions::gamma,
          {.help = "γ of the kernel exp(−γ d²): larger ones see only rows that are nearly equal; default: 1 / (2 "
                   "median²) of the distances",
           .range = above(0)});
    field("map", &PrototypesOptions::map,
          {.help = "two features to draw the rows along; default: the first two principal components",
           .type = OptionType::features});
    field("attributions", &PrototypesOptions::attributions,
          {.help = "with a model: features that add most to the prediction of each row; 0 = none",
           .type = OptionType::count});
    field("surrogate", &PrototypesOptions::surrogate,
          {.help = "fit these to what the model predicts for the prototypes, each counting as many rows as it stands "
                   "for: linear, tree, optimal-tree, rules, rulefit, gam",
           .choices = {"linear", "tree", "optimal-tree", "rules", "rulefit", "gam"}});
    field("size", &PrototypesOptions::size,
          {.help = "of {option:surrogate|surrogates}: leaves, rules or terms at most; 0 = as they usually have",
           .type = OptionType::count});
    field("use_rows", &PrototypesOptions::use_rows,
          {.help = "rows to choose from, drawn at random: time grows with their square; 0 = all",
           .type = OptionType::row_count});
  }
};

}  // namespace sightglass
