#include "sightglass/methods/surrogates/fitting/surrogate_kinds.h"

#include <algorithm>

#include "sightglass/base/error.h"
#include "sightglass/learn/registry.h"

namespace sightglass {

namespace {

// With more levels together, each is a term of its own: as one term they would be thousands of numbers, no simple
// model, and their products take time and room in the square of the levels.
constexpr std::size_t most_grouped_levels = 500;

constexpr std::string_view not_usual = "rulefit";  // its rules are among the usual ones

}  // namespace

const LearnerEntry& SurrogateKind::entry() const { return find_learner(learner); }

Learned SurrogateKind::fit(const TrainingData& data, std::uint64_t size, std::uint64_t seed,
                           const Context& context) const {
  const LearnerEntry& made_by = entry();
  Value options = told;
  std::size_t levels = 0;
  for (const TrainingFeature& feature : data.features) levels += feature.info.levels.size();
  if (levels > most_grouped_levels && told.find("categories") != nullptr) options.set("categories", "one-hot");
  if (size > 0 && !made_by.size_option.empty()) options.set(made_by.size_option, static_cast<std::int64_t>(size));
  if (find_option(made_by.options, "seed") != nullptr) options.set("seed", static_cast<std::int64_t>(seed));
  return made_by.fit(data, options, context);
}

const std::vector<SurrogateKind>& surrogate_kinds() {
  static const std::vector<SurrogateKind> kinds = {
      {.name = "linear",
       .title = "Sparse linear model",
       .learner = "sparse-linear",
       .unit = "terms",
       .usual_size = 8,
       .sizes = {1, 2, 4, 8, 16},
       .told = Value::object({{"categories", "grouped"}})},
      {.name = "tree",
       .title = "Decision tree",
       .learner = "tree",
       .unit = "leaves",
       .usual_size = 8,
       .sizes = {2, 4, 8, 16, 32},
       .told = Value::object({{"max_depth", 6}})},
      {.name = "optimal-tree",
       .title = "Optimal tree",
       .learner = "optimal-tree",
       .unit = "leaves",
       .usual_size = 8,
       .sizes = {2, 4, 8},
       .told = Value::object({{"max_depth", 4}, {"max_cuts", 40}}),
       .refit_cost = 4},
      {.name = "rules",
       .title = "Rules",
       .learner = "rulefit",
       .unit = "rules",
       .usual_size = 10,
       .sizes = {2, 5, 10, 20},
       .told = Value::object({{"linear", false}, {"honest_folds", 0}, {"max_rules", 500}}),
       .refit_cost = 4},
      {.name = "rulefit",
       .title = "RuleFit",
       .learner = "rulefit",
       .unit = "rules and terms",
       .usual_size = 20,
       .sizes = {5, 10, 20, 40},
       .told = Value::object({{"honest_folds", 0}, {"max_rules", 1000}}),
       .refit_cost = 4},
      {.name = "gam",
       .title = "Additive model",
       .learner = "gam",
       .unit = "terms",
       .usual_size = 0,
       .sizes = {},
       .told = Value::object({{"pairs", 0}, {"bags", 1}}),
       .refit_cost = 0}};
  return kinds;
}

std::vector<SurrogateKind> chosen_kinds(const std::vector<std::string>& names) {
  std::vector<SurrogateKind> chosen;
  for (const SurrogateKind& kind : surrogate_kinds()) {
    const bool named = std::find(names.begin(), names.end(), kind.name) != names.end();
    if (named || (names.empty() && kind.name != not_usual)) chosen.push_back(kind);
  }
  for (const std::string& name : names) {
    const auto is_it = [&](const SurrogateKind& kind) { return kind.name == name; };
    if (std::none_of(chosen.begin(), chosen.end(), is_it)) {
      throw Error(ErrorKind::usage, option_text("learner") + ": there is no surrogate " + printable(name, 60),
                  "it is one of linear, tree, optimal-tree, rules, rulefit, gam");
    }
  }
  return chosen;
}

}  // namespace sightglass
