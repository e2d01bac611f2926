// What is the smallest change of a row with which the model says something else?
//   min (features changed, Σ_j |x'_j − x_j| / MAD_j + levels changed)  subject to  f(x') as wanted, x' inside the data
// Wachter, Mittelstadt & Russell (2017), Counterfactual explanations without opening the black box; costs by the median
// absolute deviation as there. Tree ensembles: by their structure, proven smallest or with a proven bound (branch and
// bound over boxes of codes, milliseconds to a second per row). Other models: by asking about some thousands of rows
// each; then it is what was found, not the smallest. What is missing stays missing.
#pragma once

#include "sightglass/methods/run/method.h"
#include "sightglass/model/model_option.h"

namespace sightglass {

struct CounterfactualsOptions {
  std::vector<std::int64_t> rows;
  std::int64_t explain = 10;
  std::string want;
  std::optional<double> at_least;
  std::optional<double> at_most;
  std::optional<double> change;
  std::vector<std::string> fixed;
  std::vector<std::string> only_rise;
  std::vector<std::string> only_fall;
  std::string within = "data";
  std::int64_t max_changes = 3;
  std::int64_t count = 3;
  std::string search = "auto";
  std::int64_t boxes = 200'000;
  std::int64_t compare_rows = 10'000;
  ModelOption other_model;

  static void fields(auto&& field) {
    field("rows", &CounterfactualsOptions::rows, {.help = "only these rows, counted from 0", .type = OptionType::rows});
    field("explain", &CounterfactualsOptions::explain,
          {.help = "rows to explain where none are named, drawn at random; 0 = all", .type = OptionType::row_count});
    field("want", &CounterfactualsOptions::want,
          {.help = "the class that is to be predicted; default: the most likely other one"});
    field("at_least", &CounterfactualsOptions::at_least, {.help = "the prediction is to be this or more"});
    field("at_most", &CounterfactualsOptions::at_most, {.help = "the prediction is to be this or less"});
    field("change", &CounterfactualsOptions::change,
          {.help = "the prediction is to rise by this or more; below 0: to fall"});
    field("fixed", &CounterfactualsOptions::fixed,
          {.help = "features that may not change", .type = OptionType::features});
    field("only_rise", &CounterfactualsOptions::only_rise,
          {.help = "features that may only become larger", .type = OptionType::features});
    field("only_fall", &CounterfactualsOptions::only_fall,
          {.help = "features that may only become smaller", .type = OptionType::features});
    field("within", &CounterfactualsOptions::within,
          {"data: values between the least and the greatest of the data, and levels that rows have; anywhere: all that "
           "the column can hold",
           {"data", "anywhere"}});
    field("max_changes", &CounterfactualsOptions::max_changes,
          {.help = "features that may change together", .type = OptionType::count, .range = between(1, 8)});
    field("count", &CounterfactualsOptions::count,
          {.help = "different changes, each of other features", .type = OptionType::count, .range = between(1, 100)});
    field(
        "search", &CounterfactualsOptions::search,
        {"trees: by the structure of trees, with proof; asking: by predictions alone; auto: trees where the model has "
         "them",
         {"auto", "trees", "asking"}});
    field("boxes", &CounterfactualsOptions::boxes,
          {.help = "of trees: boxes of inputs to look at for a row, at the most; then what was proven so far is said",
           .type = OptionType::count,
           .range = at_least_one()});
    field("compare_rows", &CounterfactualsOptions::compare_rows,
          {.help = "rows of the data that say what is usual and near, drawn at random; 0 = all",
           .type = OptionType::row_count});
    field("other_model", &CounterfactualsOptions::other_model,
          {.help = "a second model, a newer version most likely: whether the changes that are found lead there, too",
           .aliases = {"new_model"}});
  }
  static constexpr OptionRange at_least_one() { return {.least = 1, .most = std::nullopt, .unit = {}}; }
};

[[nodiscard]] MethodEntry counterfactuals();

}  // namespace sightglass
