#include "sightglass/methods/run/session.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <mutex>
#include <numeric>
#include <utility>

#include "sightglass/base/error.h"
#include "sightglass/base/text.h"
#include "sightglass/base/version.h"
#include "sightglass/data/condition.h"
#include "sightglass/data/new_rows.h"
#include "sightglass/methods/caveats/caveats.h"
#include "sightglass/methods/run/named_rows.h"
#include "sightglass/model/learned/learned_model.h"
#include "sightglass/model/model_dates.h"
#include "sightglass/model/trees/ensemble.h"
#include "sightglass/model/trees/tree_rows.h"
#include "sightglass/result/dates.h"

namespace sightglass {

namespace {

// Blocks of passes that do not ask the model: their size changes nothing but speed.
constexpr std::size_t column_block_rows = 65536;
constexpr std::uint64_t sample_stream = 1;

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

// How margins become probabilities, by which whoever reads a saved result can say one beside the other. Null where
// there are none, or nobody knows.
Value describe_link(const Model& model) {
  if (!model.signature().has_margin || model.signature().task == Task::regression) return {};
  const LearnedModel* learned = model.learned();
  if (model.trees() == nullptr && learned == nullptr) return {};
  const LinkFunction link = model.trees() != nullptr ? model.trees()->parts().link : learned->link();
  if (link.link == Link::softmax) return Value::object({{"inverse", "softmax"}});
  if (link.link != Link::logistic) return {};
  return Value::object({{"inverse", "logistic"}, {"scale", link.scale}});
}

Value describe_model(const Model& model, const std::vector<std::string>& outputs) {
  const Signature& signature = model.signature();
  Value described = Value::object({{"format", signature.format},
                                   {"version", signature.version},
                                   {"objective", signature.objective},
                                   {"task", std::string(to_string(signature.task))},
                                   {"outputs", outputs}});
  if (Value link = describe_link(model); !link.is_null()) described.set("link", std::move(link));
  return described;
}

Value describe_data(const Source& source, const RunOptions& options, std::uint64_t used, const DataFacts& all) {
  Value data = Value::object({{"rows", used}, {"rows_available", all.rows}, {"columns", source.schema().size()}});
  if (const auto weights = source.weight_column()) data.set("weights", source.schema()[*weights].name);
  if (!options.target.empty()) {
    data.set("target", options.target);
    const auto column = source.schema().find(options.target);
    if (column && !source.schema()[*column].unit.empty()) data.set("target_unit", source.schema()[*column].unit);
  }
  if (const Dates dates = source.schema().dates(); !dates.empty()) data.set("dates", dates_value(dates));
  if (!all.notes.empty()) data.set("notes", all.notes);
  return data;
}

std::vector<std::uint32_t> columns_to_read(const Stage& stage, const Evaluator& evaluator) {
  std::vector<std::uint32_t> columns = stage.columns();
  if (stage.needs_model()) columns.insert(columns.end(), evaluator.columns().begin(), evaluator.columns().end());
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

// A plan has no chain of its own: explain() runs it.
Chain<Result> chain_of(const MethodEntry& entry, const MethodInput& input, const Value& options) {
  if (entry.start == nullptr) throw Error(ErrorKind::internal, entry.name + " is not a method that a session can run");
  return entry.start(input, options);
}

// The estimand of a method's curves and surfaces, where they do not say their own.
template <class Shape>
void set_estimand(ResultItem& item, const OpenWord<Estimand>& usual) {
  auto* shape = item.as<Shape>();
  if (shape != nullptr && shape->estimand == Estimand::other && !shape->estimand.is_new()) shape->estimand = usual;
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

// Those of the rows that a table has.
std::vector<std::uint64_t> rows_in(const Table& table, const std::vector<std::uint64_t>& wanted) {
  const auto first = std::lower_bound(wanted.begin(), wanted.end(), table.first_row());
  return {first, std::lower_bound(first, wanted.end(), table.first_row() + table.rows())};
}

// Whether the same rows are used, and the same is asked about them.
bool same_rows(const RunOptions& a, const RunOptions& b) {
  return a.target == b.target && a.where == b.where && a.sample == b.sample && a.seed == b.seed &&
         a.caveat_rows == b.caveat_rows;
}

bool same_but_for_scale(RunOptions a, const RunOptions& b) {
  a.scale = b.scale;
  return a.new_rows == b.new_rows && write_options(a) == write_options(b);
}

}  // namespace

void require_model(const MethodEntry& entry, const Model& model) {
  if (entry.needs.model == Need::required && is_no_model(model)) {
    throw Error(ErrorKind::usage, entry.name + " explains a model, and there is none",
                marked("give one as {option:model}"));
  }
  if (entry.needs.learned && model.learned() == nullptr) {
    throw Error(ErrorKind::usage, entry.name + " explains models that explain themselves, and this one does not",
                marked("use {method:shap}, or fit a {method:surrogate} of the model"));
  }
}

DataFacts DataFacts::of(const Source& source) {
  DataFacts facts{.notes = source.notes()};
  const auto weights = source.weight_column();
  if (!weights && source.row_count()) {
    facts.rows = *source.row_count();
    return facts;
  }
  std::vector<std::uint32_t> columns;
  if (weights) columns.push_back(*weights);
  facts.largest_weight = weights ? 0 : 1;
  const auto stream = source.open(columns, column_block_rows);
  while (const auto block = stream->next()) {
    facts.rows += block->rows;
    for (std::size_t row = 0; weights && row < block->rows; ++row)
      facts.largest_weight = std::max(facts.largest_weight, block->weight(row));
  }
  return facts;
}

RunSession::RunSession(const Model& model, const Source& source, const RunOptions& options, Context& context,
                       const GroupRows* group, std::shared_ptr<const Model> other)
    : model_(&model), options_(options), context_(&context), rows_(std::make_shared<Rows>()), other_(std::move(other)) {
  rows_->source = &source;
  if (group != nullptr) rows_->group = *group;
}

RunSession::RunSession(const Model& model, const Source& part, const DataFacts& facts, const RunOptions& options,
                       Context& context, std::shared_ptr<const Model> other)
    : RunSession(model, part, options, context, nullptr, std::move(other)) {
  if (!options.where.empty() || options.sample > 0) {
    throw Error(ErrorKind::usage, marked("{option:where} and {option:sample} are for data in one place"),
                "choose the rows before the data are divided");
  }
  if (facts.rows == 0) throw Error(ErrorKind::data, "the data have no rows");
  rows_->all = rows_->used = facts;
  rows_->eligible = facts.rows;
  rows_->known = true;
}

RunSession::RunSession(const RunSession& like, const RunOptions& options, std::shared_ptr<const Model> other)
    : model_(like.model_), options_(options), context_(like.context_), rows_(like.rows_), other_(std::move(other)) {
  if (same_rows(options, like.options_)) return;
  rows_ = std::make_shared<Rows>();
  rows_->source = like.rows_->source;
  rows_->group = like.rows_->group;
}

const Source& RunSession::rows() const {
  const Rows& rows = known_rows();
  return rows.picked ? *rows.picked : *rows.source;
}

RunSession::Rows& RunSession::known_rows() const {
  Rows& rows = *rows_;
  if (rows.known) return rows;
  rows.all = DataFacts::of(*rows.source);
  if (rows.all.rows == 0) throw Error(ErrorKind::data, "the data have no rows");
  pick_rows(rows);
  rows.used = rows.picked ? DataFacts::of(*rows.picked) : rows.all;
  rows.known = true;
  return rows;
}

void RunSession::pick_rows(Rows& rows) const {
  rows.eligible = rows.group ? rows.group->rows.size() : rows.all.rows;
  const auto size = static_cast<std::uint64_t>(options_.sample);
  if (!rows.group && options_.where.empty() && (size == 0 || size >= rows.all.rows)) return;
  const auto table = in_memory(*rows.source, *context_);
  std::vector<std::uint64_t> picked;
  if (rows.group) {
    picked = rows.group->rows;
  } else {
    picked.resize(table->rows());
    std::iota(picked.begin(), picked.end(), table->first_row());
  }
  if (!options_.where.empty()) {
    const std::vector<std::uint64_t> wanted = Condition(options_.where, table->schema()).rows(*table);
    std::vector<std::uint64_t> both;
    std::set_intersection(picked.begin(), picked.end(), wanted.begin(), wanted.end(), std::back_inserter(both));
    if (both.empty()) {
      throw Error(ErrorKind::data, option_name("where") + ": no row fulfils " + printable(options_.where),
                  "loosen the condition");
    }
    picked = std::move(both);
  }
  rows.eligible = picked.size();
  if (size > 0 && size < picked.size()) {
    picked = sample_rows(std::move(picked), size, static_cast<std::uint64_t>(options_.seed), sample_stream);
  }
  rows.picked = std::make_unique<PickedRows>(table, std::move(picked));
}

RunSession::OnScale& RunSession::on(std::string_view scale, Arithmetic arithmetic) const {
  if (scale.empty()) scale = options_.scale.empty() ? "response" : std::string_view(options_.scale);
  const std::pair key{std::string(scale), arithmetic};
  const auto known = scales_.find(key);
  if (known != scales_.end()) return *known->second;
  return *scales_.emplace(key, make(key.first, arithmetic)).first->second;
}

RunSession::OnScale& RunSession::other_on(std::string_view scale, Arithmetic arithmetic) const {
  try {
    if (of_other_ == nullptr) {
      // What is explained, and how, is said of the first model.
      RunOptions options = options_;
      options.output = options.engine = "";
      of_other_ = std::make_unique<RunSession>(*this, options);
      of_other_->model_ = other_.get();
    }
    return of_other_->on(scale, arithmetic);
  } catch (const Error& error) {
    throw Error(error.kind(), "the other model: " + error.message_text(), error.advice_text());
  }
}

// What is about a model makes no sense without one.
void RunSession::check_told(std::string_view scale) const {
  if (has_model()) return;
  const auto refuse = [](bool told, const char* option) {
    if (!told) return;
    throw Error(ErrorKind::usage, option_text(option) + " is about a model, and there is none",
                marked("leave it out, or give a model as {option:model}"));
  };
  refuse(!options_.output.empty(), "output");
  refuse(scale == "margin", "scale");
  refuse(!options_.engine.empty(), "engine");
}

std::unique_ptr<RunSession::OnScale> RunSession::make(const std::string& scale, Arithmetic arithmetic) const {
  check_told(scale);
  const Rows& known = known_rows();
  const Model& model = *model_;
  const Source& source = *known.source;
  auto made = std::make_unique<OnScale>();
  const auto excluded = source.not_features(options_.target, option_name("target"));
  const EvaluatorOptions evaluation{
      .predict = {.scale = scale == "margin" ? Scale::margin : Scale::response, .arithmetic = arithmetic},
      .together = options_.engine != "blackbox"};
  made->evaluator = std::make_unique<Evaluator>(model, rows(), excluded, evaluation, *context_);
  const Evaluator& evaluator = *made->evaluator;
  if (options_.engine == "trees") require_trees(model, evaluator);
  if (options_.new_rows) require_columns(*options_.new_rows, evaluator.columns());
  made->by_trees = options_.engine != "blackbox" && evaluator.tree_rows() != nullptr;
  made->uncoded = !made->by_trees && options_.engine != "blackbox" && model.trees() != nullptr;
  const DataFacts& used = known.used;
  if (used.largest_weight == 0) {
    throw Error(ErrorKind::data, "every row that is used has weight 0", "use a larger sample, or other weights");
  }
  if (used.largest_weight > 1e100 || used.largest_weight < 1e-100) {
    throw Error(ErrorKind::data, "the weights are too large or too small: their squares cannot be added up",
                "scale them so that they are near 1; only their ratios matter");
  }
  made->input = MethodInput{
      .schema = source.schema(),
      .features = evaluator.columns(),
      .outputs = evaluator.outputs(),
      .other_class = model.signature().other_class,
      .explained = has_model() ? explained_outputs(evaluator.outputs(), options_.output) : std::vector<std::size_t>{},
      .task = model.signature().task,
      .scale = evaluation.predict.scale,
      .seed = static_cast<std::uint64_t>(options_.seed),
      .rows = used.rows,
      .sampled = used.rows < known.eligible,
      .weighted = source.weight_column().has_value(),
      .max_weight = used.largest_weight,
      .context = context_,
      .profile = [rows = rows_.get()]() -> const DataProfile& { return *rows->profile; }};
  MethodInput& input = made->input;
  if (!options_.target.empty()) input.target = source.schema().require(options_.target, option_name("target"));
  if (known.group) input.group_column = known.group->column;
  input.level_order = [&model, columns = evaluator.columns()](std::uint32_t column) {
    const auto at = static_cast<std::size_t>(std::find(columns.begin(), columns.end(), column) - columns.begin());
    const auto& features = model.signature().features;
    return at < features.size() ? features[at].levels : std::vector<std::string>{};
  };
  if (other_ != nullptr) input.other = &other_on(scale, arithmetic).input;
  if (made->by_trees) input.trees = evaluator.tree_rows();
  input.learned = model.learned();
  if (const TreeEnsemble* trees = model.trees()) {
    input.breakpoints = [trees, columns = evaluator.columns()](std::uint32_t column) {
      const auto at = std::find(columns.begin(), columns.end(), column);
      return trees->breakpoints(static_cast<std::size_t>(at - columns.begin()));
    };
    if (made->by_trees) {
      // Found once for each column: large ensembles have millions of nodes.
      struct KnownSteps {
        std::mutex mutex;
        std::map<std::uint32_t, std::optional<std::vector<double>>> of_column;
      };
      input.steps = [trees, schema = source.schema(), columns = evaluator.columns(),
                     steps =
                         std::make_shared<KnownSteps>()](std::uint32_t column) -> std::optional<std::vector<double>> {
        const std::lock_guard lock(steps->mutex);
        const auto [found, fresh] = steps->of_column.try_emplace(column);
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
  return made;
}

Result RunSession::run(const MethodEntry& entry, const Value& own_options, const std::string& scale) const {
  MethodRun method(*this, entry, own_options, scale);
  Next next = method.start();
  while (!std::holds_alternative<Result>(next)) {
    if (const auto* question = std::get_if<std::unique_ptr<Question>>(&next)) {
      next = (*question)->next(method.answer(**question));
      continue;
    }
    const Stage& stage = *std::get<std::unique_ptr<Stage>>(next);
    method.begin(stage);
    const auto partial = stage.empty();
    method.map(stage, rows(), *partial);
    method.map_new_rows(stage, *partial);
    next = stage.next(*partial);
  }
  Result result = std::get<Result>(std::move(next));
  method.finish(result);
  return result;
}

namespace {

Arithmetic arithmetic_of(const MethodEntry& entry) {
  return entry.as_predicted ? Arithmetic::framework : Arithmetic::exact;
}

// Who asks about sums of effects is better off before a link, unless the user says otherwise.
RunOptions chosen_options(const RunSession& session, const MethodEntry& entry, const std::string& scale) {
  require_model(entry, session.model());
  RunOptions options = session.options();
  options.scale = scale;
  if (!session.has_model()) return options;
  if (scale.empty())
    options.scale = entry.prefers_margin && session.model().signature().has_margin ? "margin" : "response";
  return options;
}

}  // namespace

MethodRun::MethodRun(const RunSession& session, const MethodEntry& entry, Value own_options, const std::string& scale)
    : session_(session),
      entry_(entry),
      own_options_(std::move(own_options)),
      options_(chosen_options(session, entry, scale)),
      margin_by_default_(scale.empty() && options_.scale == "margin"),
      no_margin_(entry.prefers_margin && !session.model().signature().has_margin),
      on_(session.on(options_.scale, arithmetic_of(entry))),
      // Wrong options are said before the first pass over the data.
      chain_(chain_of(entry, on_.input, own_options_)) {
  if (session.has_model()) options_.engine = on_.by_trees ? "trees" : "blackbox";
}

Next MethodRun::start() {
  return sightglass::begin(profile()
                               .then([this](std::shared_ptr<const DataProfile> profile) {
                                 session_.rows_->profile = std::move(profile);
                                 return skill();
                               })
                               .then([this](std::optional<ModelSkill> skill) {
                                 skill_ = std::move(skill);
                                 return chain_;
                               }));
}

Chain<std::shared_ptr<const DataProfile>> MethodRun::profile() const {
  if (session_.rows_->profile != nullptr) return session_.rows_->profile;
  const auto wanted = static_cast<std::uint64_t>(options_.caveat_rows);
  return profile_data(on_.input, profile_rows(wanted, on_.input.features.size()));
}

Chain<std::optional<ModelSkill>> MethodRun::skill() const {
  if (!session_.has_model() || entry_.needs.model == Need::none) return std::optional<ModelSkill>();
  // Who asks for single rows does not wait for others.
  const bool few = names_rows(entry_.options, own_options_);
  const DataProfile& profile = on_.input.profile();
  const SkillRows known{profile.row_ids(), profile.targets(), profile.row_weights()};
  if (few || known.targets.empty()) return std::optional<ModelSkill>();
  if (on_.skill) return *on_.skill;
  const auto limit = static_cast<std::uint64_t>(options_.skill_rows);
  return measure_skill(on_.input, known.drawn(limit, on_.input.seed)).then([this](std::optional<ModelSkill> skill) {
    on_.skill = skill;
    return skill;
  });
}

void MethodRun::begin(const Stage& stage) const {
  on_.evaluator->begin(entry_.name, stage.cost_per_row() * on_.input.rows);
}

std::uint64_t map_rows(const Stage& stage, const Source& part, std::int64_t batch, Evaluator& evaluator,
                       Partial& partial) {
  const std::size_t block_rows = stage.needs_model() ? static_cast<std::size_t>(batch) : column_block_rows;
  const auto columns = columns_to_read(stage, evaluator);
  const auto wanted = stage.rows();
  if (const Table* table = part.table(); wanted && table != nullptr) {
    const PickedRows picked({std::shared_ptr<const void>(), table}, rows_in(*table, *wanted));
    const auto stream = picked.open(columns, block_rows);
    while (const auto block = stream->next()) {
      evaluator.context().check();
      stage.map(*block, partial, evaluator);
    }
    return table->rows();
  }
  const auto stream = part.open(columns, block_rows);
  std::uint64_t rows = 0;
  while (const auto block = stream->next()) {
    evaluator.context().check();
    stage.map(*block, partial, evaluator);
    rows += block->rows;
  }
  return rows;
}

std::size_t MethodRun::outputs(const Question& question) const {
  return (question.asked() == AskedModel::other ? *on_.input.other : on_.input).outputs.size();
}

Matrix MethodRun::answer(const Question& question) const {
  Evaluator& evaluator = question.asked() == AskedModel::other
                             ? *session_.other_on(options_.scale, arithmetic_of(entry_)).evaluator
                             : *on_.evaluator;
  evaluator.begin(entry_.name, 0);
  Matrix predictions = question.ask(evaluator);
  if (predictions.rows() != question.rows() || predictions.columns() != outputs(question))
    throw Error(ErrorKind::internal, "not every row that was asked about has an answer");
  return predictions;
}

std::uint64_t MethodRun::map(const Stage& stage, const Source& part, Partial& partial) const {
  return map_rows(stage, part, options_.batch, *on_.evaluator, partial);
}

void MethodRun::map_new_rows(const Stage& stage, Partial& partial) const {
  const auto& rows = session_.options().new_rows;
  const auto wanted = stage.rows();
  if (rows == nullptr || !wanted || wanted->empty() || !is_new_row(wanted->back())) return;
  (void)map_rows(stage, rows->table, options_.batch, *on_.evaluator, partial);
}

void MethodRun::finish(Result& result) const {
  const RunSession::Rows& rows = session_.known_rows();
  const Evaluator& evaluator = *on_.evaluator;
  const MethodInput& input = on_.input;
  result.method = entry_.name;
  result.about = entry_.about;
  result.version = version();
  for (ResultItem& item : result.results) {
    set_estimand<Curve>(item, entry_.estimand);
    set_estimand<Surface>(item, entry_.estimand);
  }
  if (session_.has_model()) result.model = describe_model(evaluator.model(), evaluator.outputs());
  const Value found = std::exchange(result.data, describe_data(session_.rows(), options_, input.rows, rows.all));
  // What the method itself found out about the data.
  for (const auto& [name, value] : found.as_object()) result.data.set(name, value);
  set_dates(result);
  result.options = write_options(options_);
  for (const auto& spec : entry_.options) {
    const Value* value = own_options_.find(spec.name);
    result.options.set(spec.name, recorded(spec, value != nullptr ? *value : spec.default_value));
  }
  std::vector<FitNote> notes = evaluator.notes();
  if (const Table* table = rows.source->table()) {
    const auto excluded = table->not_features(options_.target, option_name("target"));
    for (FitNote& doubt : doubtful_dates(*table, evaluator.model(), excluded)) notes.push_back(std::move(doubt));
  }
  for (const FitNote& note : notes) {
    Value evidence = Value::object({{"kind", std::string(to_string(note.kind))}});
    if (!note.column.empty()) evidence.set("column", note.column);
    if (!note.levels.empty()) evidence.set("levels", note.levels.size());
    result.caveats.push_back({.id = "data-and-model",
                              .severity = Severity::caution,
                              .message = note.message,
                              .evidence = std::move(evidence),
                              .advice = "check that the data were prepared as for training"});
  }
  if (on_.uncoded) {
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
  const TreeRows* trees = evaluator.tree_rows();
  const bool adds_up = trees != nullptr && trees->adds_up(Scale::response);
  if (no_margin_ && !adds_up && input.task != Task::regression) {
    result.caveats.push_back(
        {.id = "response-scale",
         .severity = Severity::caution,
         .message =
             "computed on probabilities, because the model shows nothing else: squeezing sums of effects between "
             "0 and 1 alone makes features interact",
         .evidence = Value::object({{"scale", "response"}}),
         .advice = "explain a function that returns log-odds"});
  }
  if (input.rows < rows.eligible) {
    result.caveats.push_back({.id = "sampled-rows",
                              .severity = Severity::note,
                              .message = "computed on " + std::to_string(input.rows) + " of " +
                                         std::to_string(rows.eligible) + " rows, drawn at random",
                              .evidence = Value::object({{"rows", input.rows}, {"available", rows.eligible}}),
                              .advice = marked("leave out {option:sample} to use all rows")});
  }
  attach_caveats(result, entry_, input, options_, skill_, session_.context());
}

const RunSession& RunSessions::with(const RunOptions& told, const std::shared_ptr<const Model>& other) {
  RunOptions options = told;
  if (options.new_rows == nullptr) options.new_rows = new_rows_;
  for (const auto& session : sessions_) {
    if (session->other_model() == other && same_but_for_scale(options, session->options())) return *session;
  }
  for (const auto& session : sessions_) {
    if (same_rows(options, session->options()))
      return *sessions_.emplace_back(std::make_unique<RunSession>(*session, options, other));
  }
  return *sessions_.emplace_back(std::make_unique<RunSession>(model_, source_, options, context_, group_, other));
}

Result run(std::string_view method, const Model& model, const Source& source, const Value& options, Context& context) {
  const MethodEntry& entry = find_method(method);
  const auto [told, own] = split_options(options, entry.options);
  return RunSession(model, source, read_options<RunOptions>(told), context, nullptr, other_model(entry.options, own))
      .run(entry, own);
}

}  // namespace sightglass
