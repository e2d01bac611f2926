// The one way to run methods. A session is a model, or no_model() for methods that look at the data alone, data and
// what a run is told of them: which rows, which output, which scale and engine. Methods are run in it, one after the
// other; what they all need (the rows, the bound model, how the features are related, how good the model is) is found
// when it is first asked for, once.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/data/table.h"
#include "sightglass/methods/registry.h"
#include "sightglass/methods/run/data_profile.h"
#include "sightglass/methods/run/model_skill.h"
#include "sightglass/methods/run/other_model.h"
#include "sightglass/methods/run/run_options.h"
#include "sightglass/model/no_model.h"

namespace sightglass {

// The rows of one group.
struct GroupRows {
  std::vector<std::uint64_t> rows;                     // ascending
  std::optional<std::uint32_t> column = std::nullopt;  // in which they are alike, if any
};

// What must be known of all rows before the first pass, also where some of them are elsewhere.
struct DataFacts {
  std::uint64_t rows = 0;
  double largest_weight = 1;
  std::vector<std::string> notes;  // see Source

  // Reads the source once where it does not know.
  [[nodiscard]] static DataFacts of(const Source& source);
};

// Throws Error(usage) if the method needs a model and this is none.
void require_model(const MethodEntry& entry, const Model& model);

// Not for several threads. Model, source and context must outlive it.
class RunSession {
 public:
  // group: the rows that may be used; null = all. other: a second model, for methods that ask one; null: none.
  RunSession(const Model& model, const Source& source, const RunOptions& options, Context& context,
             const GroupRows* group = nullptr, std::shared_ptr<const Model> other = nullptr);
  // Over a part of the data; the facts are those of all parts together. All rows are used.
  RunSession(const Model& model, const Source& part, const DataFacts& facts, const RunOptions& options,
             Context& context, std::shared_ptr<const Model> other = nullptr);
  // The same model and data, told otherwise: shares what depends on the rows alone, where these are the same.
  RunSession(const RunSession& like, const RunOptions& options, std::shared_ptr<const Model> other = nullptr);

  [[nodiscard]] const Model& model() const { return *model_; }
  [[nodiscard]] bool has_model() const { return !is_no_model(*model_); }
  [[nodiscard]] const RunOptions& options() const { return options_; }
  [[nodiscard]] const std::shared_ptr<const Model>& other_model() const { return other_; }
  [[nodiscard]] Context& context() const { return *context_; }
  // Those that are used: of the group, those that the condition wants, of these a sample.
  [[nodiscard]] const Source& rows() const;
  // On a scale, "response" or "margin"; empty: the one that the session was told, or response.
  [[nodiscard]] Evaluator& evaluator(std::string_view scale = "") const { return *on(scale).evaluator; }
  [[nodiscard]] const MethodInput& input(std::string_view scale = "") const { return on(scale).input; }
  // In the model's own arithmetic, see MethodEntry::as_predicted.
  [[nodiscard]] Evaluator& predicting_evaluator() const { return *on("", Arithmetic::framework).evaluator; }

  // scale: as RunOptions has it.
  [[nodiscard]] Result run(const MethodEntry& entry, const Value& own_options, const std::string& scale) const;
  [[nodiscard]] Result run(const MethodEntry& entry, const Value& own_options = Value::object()) const {
    return run(entry, own_options, options_.scale);
  }

 private:
  friend class MethodRun;

  // What depends on the rows, and not on what is asked about them.
  struct Rows {
    const Source* source = nullptr;
    std::optional<GroupRows> group;
    std::unique_ptr<Source> picked;  // null: all of the source
    DataFacts all;                   // of the data
    std::uint64_t eligible = 0;      // rows of which a sample may be drawn
    DataFacts used;
    bool known = false;                          // all of the above
    std::shared_ptr<const DataProfile> profile;  // null: not yet
  };
  struct OnScale {
    std::unique_ptr<Evaluator> evaluator;
    MethodInput input;
    bool by_trees = false;
    bool uncoded = false;  // trees with too many split points to be explained by their structure
    std::optional<std::optional<ModelSkill>> skill;  // nothing: not measured yet
  };

  [[nodiscard]] Rows& known_rows() const;
  void pick_rows(Rows& rows) const;
  void check_told(std::string_view scale) const;
  [[nodiscard]] OnScale& on(std::string_view scale, Arithmetic arithmetic = Arithmetic::exact) const;
  [[nodiscard]] std::unique_ptr<OnScale> make(const std::string& scale, Arithmetic arithmetic) const;
  // The other model on the same rows. Throws Error that says that it is about the other one.
  [[nodiscard]] OnScale& other_on(std::string_view scale, Arithmetic arithmetic) const;

  const Model* model_;
  RunOptions options_;
  Context* context_;
  std::shared_ptr<Rows> rows_;  // found when first needed, as are the others
  std::shared_ptr<const Model> other_;
  mutable std::unique_ptr<RunSession> of_other_;
  mutable std::map<std::pair<std::string, Arithmetic>, std::unique_ptr<OnScale>> scales_;
};

// Adds all rows of a part of the data to a partial, or those that the stage looks at; says how many the part has.
// batch: rows in a block that the model is asked about.
std::uint64_t map_rows(const Stage& stage, const Source& part, std::int64_t batch, Evaluator& evaluator,
                       Partial& partial);

// A method in a session, for whoever takes its stages himself: threads, parts of the data, other processes.
class MethodRun {
 public:
  // Checks that the session has what the method needs, and the method's own options. The session must outlive it.
  MethodRun(const RunSession& session, const MethodEntry& entry, Value own_options, const std::string& scale);

  // The first stage, or the result of a method that needs none. How the features are related and how good the model is
  // comes before the method's own passes, unless the session knows it. The stages refer to this run, which must outlive
  // them.
  [[nodiscard]] Next start();
  // The new rows that a stage names, which are in no part of the data (RunOptions::new_rows).
  void map_new_rows(const Stage& stage, Partial& partial) const;
  // What progress is reported against.
  void begin(const Stage& stage) const;
  // Adds all rows of a part of the data to a partial, or those that the stage looks at; says how many the part has.
  std::uint64_t map(const Stage& stage, const Source& part, Partial& partial) const;
  // Asks the model. How many more questions follow nobody knows, so that progress has no end.
  [[nodiscard]] Matrix answer(const Question& question) const;
  // Of the model that a question is put to.
  [[nodiscard]] std::size_t outputs(const Question& question) const;
  // Writes down what was computed from what, and what to beware of.
  void finish(Result& result) const;

  [[nodiscard]] const RunSession& session() const { return session_; }
  [[nodiscard]] const MethodEntry& entry() const { return entry_; }

 private:
  [[nodiscard]] Chain<std::shared_ptr<const DataProfile>> profile() const;
  [[nodiscard]] Chain<std::optional<ModelSkill>> skill() const;

  const RunSession& session_;
  const MethodEntry& entry_;
  Value own_options_;
  RunOptions options_;  // scale and engine as they were chosen
  bool margin_by_default_ = false;
  bool no_margin_ = false;  // though the method would be better off with one
  RunSession::OnScale& on_;
  Chain<Result> chain_;
  std::optional<ModelSkill> skill_;
};

// RunSessions about one model and the same data: runs that are told the same share one. Not for several threads.
class RunSessions {
 public:
  RunSessions(const Model& model, const Source& source, Context& context, const GroupRows* group = nullptr)
      : model_(model), source_(source), context_(context), group_(group) {}

  // Which scale the options say does not matter: a session serves all.
  [[nodiscard]] const RunSession& with(const RunOptions& options, const std::shared_ptr<const Model>& other = nullptr);
  // The same data, about another model, which must outlive them.
  [[nodiscard]] RunSessions about(const Model& model) const {
    RunSessions others(model, source_, context_, group_);
    others.new_rows_ = new_rows_;
    return others;
  }
  // Rows of another table that may be named besides, whatever the options say.
  void take_new_rows(std::shared_ptr<const NewRows> rows) { new_rows_ = std::move(rows); }
  [[nodiscard]] std::size_t size() const { return sessions_.size(); }

 private:
  const Model& model_;
  const Source& source_;
  Context& context_;
  const GroupRows* group_;
  std::shared_ptr<const NewRows> new_rows_;
  std::vector<std::unique_ptr<RunSession>> sessions_;
};

// Runs a method over a source, in a session of its own. `options` holds RunOptions and the method's own options side by
// side; a second model is loaded from the place that they name. Groups of rows and plans: plans/explain.h.
[[nodiscard]] Result run(std::string_view method, const Model& model, const Source& source, const Value& options,
                         Context& context);

// The caller's context, by which a run can be stopped and its threads limited, or one of its own.
class CallContext {
 public:
  CallContext() : own_(std::make_unique<Context>()), context_(own_.get()) {}
  CallContext(Context& context) : context_(&context) {}  // NOLINT(google-explicit-constructor): either is a context
  [[nodiscard]] Context& get() const { return *context_; }

 private:
  std::unique_ptr<Context> own_;
  Context* context_;
};

// With options as the method's own struct has them.
template <class Options>
[[nodiscard]] Result run(const MethodEntry& entry, const Model& model, const Source& source, const Options& options,
                         const RunOptions& told, const CallContext& context = {}) {
  const Value own = write_options(options);
  return RunSession(model, source, told, context.get(), nullptr, other_model(entry.options, own, model_option(options)))
      .run(entry, own);
}

}  // namespace sightglass
