// The shape of a method: what it knows when it starts, and its entry in the catalogue. How it works on rows: chain.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/base/options.h"
#include "sightglass/base/value.h"
#include "sightglass/data/source.h"
#include "sightglass/methods/run/chain.h"
#include "sightglass/model/evaluator.h"
#include "sightglass/result/method_info.h"
#include "sightglass/result/result.h"

namespace sightglass {

class DataProfile;

// Model rows (rows × variants) that a method asks for at once: bounds the memory for predictions, whatever
// the grid.
inline constexpr std::size_t rows_at_once = std::size_t{1} << 20;
// Variants of a row that are asked for at once, at the most. Together they may be predicted in another way than apart,
// so that how they are divided must not depend on the rows.
inline constexpr std::size_t variants_at_once = 4096;
// How many rows of a block go together when each is predicted under so many variants.
[[nodiscard]] inline std::size_t rows_per_request(std::size_t variants) {
  return std::max<std::size_t>(1, rows_at_once / std::max<std::size_t>(1, variants));
}

// What a method knows when it starts.
struct MethodInput {
  Schema schema;
  // The model's columns, in the model's order; without a model all columns but target and weights.
  std::vector<std::uint32_t> features;
  std::vector<std::string> outputs;    // names of the model's outputs; none without a model
  std::string other_class;             // as in Signature
  std::vector<std::size_t> explained;  // which of them to explain
  Task task = Task::regression;
  Scale scale = Scale::response;
  std::optional<std::uint32_t> target;  // the column with the truth
  std::uint64_t seed = 0;
  std::uint64_t rows = 0;
  bool sampled = false;                       // whether the data have more rows than these
  std::optional<std::uint32_t> group_column;  // all rows are alike in it: no feature to explain unless it is named
  bool weighted = false;
  double max_weight = 1;
  // The order in which a model knows a column's levels; empty where it knows none.
  std::function<std::vector<std::string>(std::uint32_t column)> level_order;
  // Where a tree model's prediction can change along a column: the first value behind each split. Empty
  // function for other models.
  std::function<std::vector<double>(std::uint32_t column)> breakpoints;
  // The same where nothing but the cell between two of those values matters about a number in the column;
  // nothing for a column whose values may count otherwise (as categories). Empty function for other models.
  std::function<std::optional<std::vector<double>>(std::uint32_t column)> steps;
  // A tree ensemble that is explained by its structure; null: only by its predictions.
  const TreeRows* trees = nullptr;
  // A model that explains itself; null: it does not.
  const LearnedModel* learned = nullptr;
  // The same of a second model on the same rows, where the method has an option for one (OptionType::model) and it was
  // given; null: there is none. ask(…, AskedModel::other) puts questions to it.
  const MethodInput* other = nullptr;
  // The run's threads, and whether it was stopped.
  const Context* context = nullptr;
  // Runs body(i) for i in [0, count) on these threads, some at a time so that it can be stopped: for what happens
  // between passes, where there is no evaluator.
  void for_each(std::string_view work, std::size_t count, const std::function<void(std::size_t)>& body) const;
  // What the features have to do with one another: known when the method's first pass begins, not while its chain is
  // made.
  std::function<const DataProfile&()> profile;
};

// What a method keeps of the data, besides samples whose size does not grow with them.
enum class Access {
  stream,   // nothing that grows with the rows
  columns,  // some numbers of every row, or of as many as it is allowed to use
};

// What a method does to rows to see a feature's effect.
enum class RowChange {
  intervene,  // gives them values that need not go with the rest of them
  nearby,     // moves them a little, inside the data
  none,       // takes them as they are, with all that goes together
};

// What a plan knows when it starts.
struct PlanInput {
  // Runs a method with options of its own on the data and model at hand; what the run was told holds for it too.
  std::function<Result(std::string_view method, const Value& options)> run;
  // The same about the second model; empty: there is none.
  std::function<Result(std::string_view method, const Value& options)> run_other;
  bool has_target = false;
  std::string scale;  // of the predictions
};

// What a method must be given, may be given, or has no use for.
enum class Need { required, optional, none };
[[nodiscard]] std::string_view to_string(Need need);

struct Needs {
  // none: the model is never asked; where one is given, it says no more than which columns are features.
  Need model = Need::required;
  Need target = Need::optional;
  bool learned = false;   // the model must be one that explains itself (Model::learned)
  bool texts = false;     // a column that the model is given must hold texts
  bool pictures = false;  // a column of the data must hold pictures (base/picture.h)
};

// The taxonomy of explanations.
enum class Approach { intrinsic, post_hoc };          // the model is readable by itself, or is explained afterwards
enum class Reach { model_agnostic, model_specific };  // works by predictions alone, or by what is inside
enum class Scope { global, modular, local };          // all rows, groups of them (or parts of the model), single rows
[[nodiscard]] std::string_view to_string(Approach approach);
[[nodiscard]] std::string_view to_string(Reach reach);
[[nodiscard]] std::string_view to_string(Scope scope);

// Another method that is run in place of the one that was asked for: where its option is given, or where it is about
// pictures or texts and these are what the model is given.
struct Lead {
  std::string option, method;
};

struct MethodEntry {
  std::string name, alias;
  MethodInfo about;
  std::string question;  // what it answers, in a user's words
  std::string when, when_not;
  std::string formula;
  std::string paper;
  Approach approach = Approach::post_hoc;
  Reach reach = Reach::model_agnostic;
  std::vector<Scope> scopes = {Scope::global};    // what it is used for most comes first
  OpenWord<Estimand> estimand = Estimand::other;  // of its curves and surfaces that do not say themselves
  std::vector<std::string> results = {};          // the shapes that it can hand back, as JSON calls them
  std::string expresses;                          // what its result can show
  std::string cost;                               // in model evaluations
  Needs needs = {};
  Access access = Access::stream;
  RowChange change = RowChange::intervene;
  bool random = false;  // draws random numbers for rows, so that their order and repetition change the result
  // Asks about sums of effects, which a nonlinear link bends: on the margin scale where the model has one, unless
  // the user says otherwise.
  bool prefers_margin = false;
  // Tells which class is predicted, or whether a number lies within bounds: as the model's own predictions have it, to
  // the last digit, which sums of doubles may turn.
  bool as_predicted = false;
  std::vector<OptionSpec> options;
  std::vector<Lead> leads = {};  // these options are understood besides, see leading_options() in methods/registry.h
  // A method is a chain of passes; a plan combines the results of methods. Each entry has one of the two.
  // start reads and checks the options, and throws Error(usage) where they make no sense; passes come later.
  Chain<Result> (*start)(const MethodInput& input, const Value& options) = nullptr;
  Result (*plan)(const PlanInput& input, const Value& options) = nullptr;
};

}  // namespace sightglass
