// Runs a method: gets the model and the data together, then takes the method's stages one after the other.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <mutex>
#include <numeric>
#include <utility>

#include "sightglass/base/error.h"
#include "sightglass/base/version.h"
#include "sightglass/data/condition.h"
#include "sightglass/methods/registry.h"
#include "sightglass/model/trees/ensemble.h"
#include "sightglass/model/trees/tree_rows.h"
#include "sightglass/result/json.h"

namespace sightglass {

namespace {

// Blocks of passes that do not ask the model: their size changes nothing but speed.
constexpr std::size_t column_block_rows = 65536;
constexpr std::uint64_t sample_stream = 1;

struct WeightSummary {
  std::uint64_t rows = 0;
  double largest = 1;
};

// The number of rows, and the largest weight: known from the source, or found by reading it once.
WeightSummary summarize_weights(const Source& source) {
  WeightSummary summary;
  const auto weights = source.weight_column();
  if (!weights && source.row_count()) return {*source.row_count(), 1};
  std::vector<std::uint32_t> columns;
  if (weights) columns.push_back(*weights);
  summary.largest = weights ? 0 : 1;
  const auto stream = source.open(columns, column_block_rows);
  while (const auto block = stream->next()) {
    summary.rows += block->rows;
    for (std::size_t row = 0; weights && row < block->rows; ++row)
      summary.largest = std::max(summary.largest, block->weight(row));
  }
  return summary;
}

std::vector<std::size_t> explained_outputs(const std::vector<std::string>& outputs, const std::string& wanted) {
  std::vector<std::size_t> explained;
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    if (wanted.empty() || outputs[k] == wanted) explained.push_back(k);
  }
  if (!explained.empty()) return explained;
  std::string list;
  for (std::size_t k = 0; k < outputs.size() && k < 20; ++k) list += (k > 0 ? ", " : "") + printable(outputs[k], 40);
  const bool one = outputs.size() == 1;
  throw Error(ErrorKind::usage, "the model has no output " + printable(wanted),
              one ? "its only output is " + list + (outputs[0] == "prediction" ? "" : ", the probability of that class")
                  : "its outputs are " + list + "; classes can be given names when the model is loaded");
}

Value describe_model(const Model& model, const std::vector<std::string>& outputs) {
  const Signature& signature = model.signature();
  return Value::object({{"format", signature.format},
                        {"version", signature.version},
                        {"objective", signature.objective},
                        {"task", std::string(to_string(signature.task))},
                        {"outputs", outputs}});
}

Value describe_data(const Source& source, const RunOptions& options, std::uint64_t used, std::uint64_t available) {
  Value data = Value::object({{"rows", used}, {"rows_available", available}, {"columns", source.schema().size()}});
  if (const auto weights = source.weight_column()) data.set("weights", source.schema()[*weights].name);
  if (!options.target.empty()) {
    data.set("target", options.target);
    const auto column = source.schema().find(options.target);
    if (column && !source.schema()[*column].unit.empty()) data.set("target_unit", source.schema()[*column].unit);
  }
  if (!source.notes().empty()) data.set("notes", source.notes());
  return data;
}

std::vector<std::uint32_t> columns_to_read(const Stage& stage, const Evaluator& evaluator) {
  std::vector<std::uint32_t> columns = stage.columns();
  if (stage.needs_model()) columns.insert(columns.end(), evaluator.columns().begin(), evaluator.columns().end());
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

// Throws Error(usage) that says why a model cannot be explained by its trees.
void require_trees(const Model& model, const Evaluator& evaluator) {
  if (evaluator.tree_rows() != nullptr) return;
  if (model.trees() == nullptr) {
    throw Error(
        ErrorKind::usage,
        "engine trees: of this model (" + model.signature().format + ") only the predictions are known, no trees",
        "leave the option out, or give the model as a file or object of XGBoost, LightGBM or scikit-learn");
  }
  throw Error(ErrorKind::usage, "engine trees: a feature of this model has more than 65534 different split points",
              "leave the option out; the black-box engine gives the same numbers");
}

// The source as a table, without a copy where it is one. The source must outlive it.
std::shared_ptr<const Table> in_memory(const Source& source, const Context& context) {
  if (const Table* table = source.table()) return {std::shared_ptr<const void>(), table};
  return std::make_shared<Table>(Table::load(source, &context));
}

}  // namespace

std::pair<Value, Value> split_options(const Value& given, const std::vector<OptionSpec>& own_specs) {
  const auto run_specs = describe_options<RunOptions>();
  std::vector<OptionSpec> all = run_specs;
  all.insert(all.end(), own_specs.begin(), own_specs.end());
  const Value named = by_own_names(given, all);
  Value run = Value::object(), own = Value::object();
  for (const auto& [name, value] : named.as_object()) {
    const bool of_run = std::any_of(run_specs.begin(), run_specs.end(), [&](const auto& s) { return s.name == name; });
    (of_run ? run : own).set(name, value);
  }
  return {run, own};
}

std::string RunMemory::profile_key(const RunOptions& options) {
  std::string key = to_json(Value(std::vector<std::string>{options.target, options.where}));
  for (const auto number : {options.sample, options.seed, options.caveat_rows}) key += " " + std::to_string(number);
  return key;
}

std::string RunMemory::skill_key(const RunOptions& options) {
  return profile_key(options) +
         to_json(Value(std::vector<std::string>{options.output, options.scale, options.engine})) +
         std::to_string(options.skill_rows);
}

Preparation::Preparation(std::string_view method, const Model& model, const Source& source, const Value& given,
                         Context& context, const GroupRows* group, RunMemory* memory)
    : entry(find_method(method)), source_(&source), memory_(memory) {
  auto [run_values, own_values] = split_options(given, entry.options);
  options = read_options<RunOptions>(run_values);
  available_rows = summarize_weights(source).rows;
  if (available_rows == 0) throw Error(ErrorKind::data, "the data have no rows");
  pick_rows(group, context);

  margin_by_default_ = entry.prefers_margin && model.signature().has_margin && options.scale.empty();
  if (options.scale.empty()) options.scale = margin_by_default_ ? "margin" : "response";
  no_margin_ = entry.prefers_margin && !model.signature().has_margin;
  const auto excluded = source.not_features(options.target, option_name("target"));
  const EvaluatorOptions evaluation{.predict = {.scale = options.scale == "margin" ? Scale::margin : Scale::response},
                                    .together = options.engine != "blackbox"};
  evaluator = std::make_unique<Evaluator>(model, rows(), excluded, evaluation, context);
  if (options.engine == "trees") require_trees(model, *evaluator);
  const bool by_trees = options.engine != "blackbox" && evaluator->tree_rows() != nullptr;
  uncoded_ = !by_trees && options.engine != "blackbox" && model.trees() != nullptr;
  options.engine = by_trees ? "trees" : "blackbox";

  const WeightSummary used = summarize_weights(rows());
  if (used.largest == 0) {
    throw Error(ErrorKind::data, "every row that is used has weight 0", "use a larger sample, or other weights");
  }
  if (used.largest > 1e100 || used.largest < 1e-100) {
    throw Error(ErrorKind::data, "the weights are too large or too small: their squares cannot be added up",
                "scale them so that they are near 1; only their ratios matter");
  }
  input =
      std::make_unique<MethodInput>(MethodInput{.schema = source.schema(),
                                                .features = evaluator->columns(),
                                                .outputs = evaluator->outputs(),
                                                .explained = explained_outputs(evaluator->outputs(), options.output),
                                                .task = model.signature().task,
                                                .scale = evaluation.predict.scale,
                                                .seed = static_cast<std::uint64_t>(options.seed),
                                                .rows = used.rows,
                                                .sampled = used.rows < eligible_rows,
                                                .weighted = source.weight_column().has_value(),
                                                .max_weight = used.largest,
                                                .context = &context});
  if (!options.target.empty()) input->target = source.schema().require(options.target, option_name("target"));
  if (group != nullptr) input->group_column = group->column;
  input->level_order = [&model, columns = evaluator->columns()](std::uint32_t column) {
    const auto at = static_cast<std::size_t>(std::find(columns.begin(), columns.end(), column) - columns.begin());
    const auto& features = model.signature().features;
    return at < features.size() ? features[at].levels : std::vector<std::string>{};
  };
  if (by_trees) input->trees = evaluator->tree_rows();
  if (const TreeEnsemble* trees = model.trees()) {
    input->breakpoints = [trees, columns = evaluator->columns()](std::uint32_t column) {
      const auto at = std::find(columns.begin(), columns.end(), column);
      return trees->breakpoints(static_cast<std::size_t>(at - columns.begin()));
    };
    if (by_trees) {
      // Found once for each column: large ensembles have millions of nodes.
      struct Known {
        std::mutex mutex;
        std::map<std::uint32_t, std::optional<std::vector<double>>> steps;
      };
      input->steps = [trees, schema = source.schema(), columns = evaluator->columns(),
                      known = std::make_shared<Known>()](std::uint32_t column) -> std::optional<std::vector<double>> {
        const std::lock_guard lock(known->mutex);
        const auto [found, fresh] = known->steps.try_emplace(column);
        if (!fresh) return found->second;
        const auto at = std::find(columns.begin(), columns.end(), column) - columns.begin();
        const auto& nodes = trees->parts().nodes;
        const bool categories = std::any_of(nodes.begin(), nodes.end(), [&](const TreeNode& node) {
          return !node.is_leaf() && node.categories >= 0 && static_cast<std::ptrdiff_t>(node.feature) == at;
        });
        if (!categories && !schema[column].is_categorical())
          found->second = trees->breakpoints(static_cast<std::size_t>(at));
        return found->second;
      };
    }
  }
  method_options = own_values;
}

// Those that may be used, of these those that the condition wants, of these a sample.
void Preparation::pick_rows(const GroupRows* group, Context& context) {
  eligible_rows = group == nullptr ? available_rows : group->rows.size();
  const auto size = static_cast<std::uint64_t>(options.sample);
  if (group == nullptr && options.where.empty() && (size == 0 || size >= available_rows)) return;
  const auto table = in_memory(*source_, context);
  std::vector<std::uint64_t> rows;
  if (group != nullptr) {
    rows = group->rows;
  } else {
    rows.resize(table->rows());
    std::iota(rows.begin(), rows.end(), table->first_row());
  }
  if (!options.where.empty()) {
    const std::vector<std::uint64_t> wanted = Condition(options.where, table->schema()).rows(*table);
    std::vector<std::uint64_t> both;
    std::set_intersection(rows.begin(), rows.end(), wanted.begin(), wanted.end(), std::back_inserter(both));
    if (both.empty()) {
      throw Error(ErrorKind::data, option_name("where") + ": no row fulfils " + printable(options.where),
                  "loosen the condition");
    }
    rows = std::move(both);
  }
  eligible_rows = rows.size();
  if (size > 0 && size < rows.size()) {
    rows = sample_rows(std::move(rows), size, static_cast<std::uint64_t>(options.seed), sample_stream);
  }
  picked_ = std::make_unique<PickedRows>(table, std::move(rows));
}

std::unique_ptr<Stage> Preparation::start() const {
  // Wrong options are said before the first pass over the data.
  (void)entry.start(*input, method_options);
  if (memory_ != nullptr) {
    if (const auto known = memory_->profiles.find(RunMemory::profile_key(options)); known != memory_->profiles.end()) {
      input->profile = known->second;
      return after_profile();
    }
  }
  const std::uint64_t rows = profile_rows(static_cast<std::uint64_t>(options.caveat_rows), input->features.size());
  return profile_data(*input, rows, [this](std::shared_ptr<const DataProfile> profile) -> Next {
    input->profile = std::move(profile);
    if (memory_ != nullptr) memory_->profiles[RunMemory::profile_key(options)] = input->profile;
    return after_profile();
  });
}

std::unique_ptr<Stage> Preparation::after_profile() const {
  // Who asks for single rows does not wait for others.
  const Value* single = method_options.find("rows");
  const bool few = single != nullptr && !(single->is_array() && single->as_array().empty());
  const SkillRows known{input->profile->row_ids(), input->profile->targets(), input->profile->row_weights()};
  if (few || known.targets.empty()) return entry.start(*input, method_options);
  if (memory_ != nullptr) {
    if (const auto found = memory_->skills.find(RunMemory::skill_key(options)); found != memory_->skills.end()) {
      skill_ = found->second;
      return entry.start(*input, method_options);
    }
  }
  const auto limit = static_cast<std::uint64_t>(options.skill_rows);
  auto stage = measure_skill(*input, known.drawn(limit, input->seed), [this](std::optional<ModelSkill> skill) -> Next {
    if (memory_ != nullptr) memory_->skills[RunMemory::skill_key(options)] = skill;
    skill_ = std::move(skill);
    return entry.start(*input, method_options);
  });
  return stage != nullptr ? std::move(stage) : entry.start(*input, method_options);
}

void Preparation::map(const Stage& stage, const Source& part, Partial& partial) const {
  const std::size_t block_rows = stage.needs_model() ? static_cast<std::size_t>(options.batch) : column_block_rows;
  const auto stream = part.open(columns_to_read(stage, *evaluator), block_rows);
  while (const auto block = stream->next()) {
    evaluator->context().check();
    stage.map(*block, partial, *evaluator);
  }
}

void Preparation::finish(Result& result) const {
  result.method = entry.name;
  result.about = entry.about;
  result.version = version();
  for (ResultItem& item : result.results) {
    if (auto* curve = item.as<Curve>()) curve->estimand = entry.estimand;
    if (auto* surface = item.as<Surface>()) surface->estimand = entry.estimand;
  }
  result.model = describe_model(evaluator->model(), evaluator->outputs());
  const Value found = std::exchange(result.data, describe_data(rows(), options, input->rows, available_rows));
  // What the method itself found out about the data.
  for (const auto& [name, value] : found.as_object()) result.data.set(name, value);
  result.options = write_options(options);
  for (const auto& spec : entry.options) {
    const Value* value = method_options.find(spec.name);
    result.options.set(spec.name, value != nullptr ? *value : spec.default_value);
  }
  for (const std::string& note : evaluator->notes()) {
    result.caveats.push_back({.id = "data-and-model",
                              .severity = Severity::caution,
                              .message = note,
                              .advice = "check that the data were prepared as for training"});
  }
  if (uncoded_) {
    result.caveats.push_back(
        {.id = "trees-by-predictions",
         .severity = Severity::note,
         .message = "the trees are only asked for predictions, which takes longer and may take samples of rows: a "
                    "feature has more than 65534 different split points",
         .evidence = Value::object({{"threshold", 65534}}),
         .advice = "train on rounded values, in bins, or with fewer leaves"});
  }
  if (margin_by_default_) {
    result.caveats.push_back(
        {.id = "margin-scale",
         .severity = Severity::note,
         .message = "computed on the margin scale (before the link): on the response scale the link alone makes "
                    "features interact",
         .evidence = Value::object({{"scale", "margin"}}),
         .advice = marked("set {option:scale} to response to explain the predictions as they are")});
  }
  // Forests average probabilities: there is no link that would squeeze them.
  const TreeRows* trees = evaluator->tree_rows();
  const bool adds_up = trees != nullptr && trees->adds_up(Scale::response);
  if (no_margin_ && !adds_up && input->task != Task::regression) {
    result.caveats.push_back(
        {.id = "response-scale",
         .severity = Severity::caution,
         .message =
             "computed on probabilities, because the model shows nothing else: squeezing sums of effects between "
             "0 and 1 alone makes features interact",
         .evidence = Value::object({{"scale", "response"}}),
         .advice = "explain a function that returns log-odds"});
  }
  if (input->rows < eligible_rows) {
    result.caveats.push_back({.id = "sampled-rows",
                              .severity = Severity::note,
                              .message = "computed on " + std::to_string(input->rows) + " of " +
                                         std::to_string(eligible_rows) + " rows, drawn at random",
                              .evidence = Value::object({{"rows", input->rows}, {"available", eligible_rows}}),
                              .advice = marked("leave out {option:sample} to use all rows")});
  }
  attach_caveats(result, entry, *input, options, skill_, evaluator->context());
}

Result run(std::string_view method, const Model& model, const Source& source, const Value& options, Context& context,
           const GroupRows* group, RunMemory* memory) {
  const Preparation preparation(method, model, source, options, context, group, memory);
  std::unique_ptr<Stage> stage = preparation.start();
  for (;;) {
    preparation.evaluator->begin(preparation.entry.name, stage->cost_per_row() * preparation.input->rows);
    const auto partial = stage->empty();
    preparation.map(*stage, preparation.rows(), *partial);
    Next next = stage->next(*partial);
    if (auto* result = std::get_if<Result>(&next)) {
      preparation.finish(*result);
      return std::move(*result);
    }
    stage = std::move(std::get<std::unique_ptr<Stage>>(next));
  }
}

}  // namespace sightglass
