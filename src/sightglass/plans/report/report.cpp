#include "sightglass/plans/report/report.h"

#include <algorithm>
#include <set>
#include <utility>

#include "sightglass/base/error.h"
#include "sightglass/base/version.h"
#include "sightglass/plans/explain.h"
#include "sightglass/plans/method_advice.h"
#include "sightglass/plans/report/changing_answers_internal.h"
#include "sightglass/plans/report/report_outputs_internal.h"
#include "sightglass/plans/report/report_parts_internal.h"
#include "sightglass/result/shapes/examples.h"
#include "sightglass/result/shapes/panels.h"

namespace sightglass {

namespace {

// On a page, and in all: what is not shown is computed as well.
constexpr std::size_t shown_outputs = 10, most_outputs = 100;
// From so many rows it is learned which classes are predicted most.
constexpr std::uint64_t rows_for_outputs = 2000;
// That are kept in memory at once, to choose rows by them.
constexpr std::uint64_t most_predictions = 20'000'000;
// Of a budget of time, what methods may use that choose their rows themselves.
constexpr double own_share = 0.15;
constexpr std::int64_t fewest_predictions = 10'000;

using Texts = std::vector<std::string>;

bool has(const Texts& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class Report {
 public:
  Report(const Model& model, const Source& source, const Value& given, Context& context)
      : model_(model), source_(source), context_(context), sessions_(model, source, context) {
    if (is_no_model(model)) {
      throw Error(ErrorKind::usage, "a report explains a model, and there is none",
                  marked("give one as {option:model}"));
    }
    auto [run_values, own] = split_options(given, describe_options<ReportOptions>());
    options() = read_options<ReportOptions>(own);
    run_values_ = std::move(run_values);
    seconds_ = seconds_of(options().budget);
    check_skipped();
  }

  std::vector<Result> run() {
    decide();
    Known known;
    // One more, so that what costs nothing still moves the progress.
    const auto cost = [&](const Part& part) {
      return static_cast<double>(rows_) * part.price.per_row + part.price.fixed + 1;
    };
    double all = 0, before = 0;
    std::size_t count = 0, number = 0;
    for (const Part& part : parts_) {
      if (!why_not(part).empty()) continue;
      all += cost(part);
      ++count;
    }
    for (const Part& part : parts_) {
      // Asked again: what a part needs may have failed in the meantime.
      if (const std::string why = why_not(part); !why.empty()) {
        left_out_.push_back(part.title + ": " + why);
        missing_.insert(part.name);
        continue;
      }
      const Reporting progress(context_, ++number, count, part.title, before / all, cost(part) / all);
      add(part, known);
      before += cost(part);
    }
    results_.insert(results_.begin(), summary());
    return std::move(results_);
  }

 private:
  // Progress of the whole while a part is at work.
  class Reporting {
   public:
    Reporting(Context& context, std::size_t number, std::size_t count, const std::string& title, double before,
              double share)
        : context_(context), outer_(context.on_progress) {
      if (!outer_) return;
      const std::string task = std::to_string(number) + "/" + std::to_string(count) + " " + title;
      context_.on_progress = [this, task, before, share](const Progress& inner) {
        constexpr double steps = 1e6;
        // A part has several passes, each of which begins anew.
        if (inner.total > 0)
          furthest_ = std::max(furthest_, static_cast<double>(inner.done) / static_cast<double>(inner.total));
        const double within = furthest_;
        outer_({.task = task,
                .done = static_cast<std::uint64_t>(steps * std::min(1.0, before + share * within)),
                .total = static_cast<std::uint64_t>(steps)});
      };
    }
    ~Reporting() { context_.on_progress = outer_; }
    Reporting(const Reporting&) = delete;
    Reporting& operator=(const Reporting&) = delete;

   private:
    Context& context_;
    std::function<void(const Progress&)> outer_;
    double furthest_ = 0;
  };

  // Which parts, and how many rows.
  void decide() {
    const RunSession& session = sessions_.with(read_options<RunOptions>(run_values_));
    setup_.has_target = !session.options().target.empty();
    setup_.by_trees = session.input().trees != nullptr;
    setup_.outputs = session.input().outputs.size();
    setup_.has_classes = session.input().task != Task::regression;
    model_features_ = session.input().features.size();
    if (options().no_rows) leave_out_telling(session.input());
    setup_.features = options().features.empty() ? model_features_ : options().features.size();
    changing_ = changing_answers(session);
    if (const Table* table = source_.table()) setup_.facts = row_facts(*table, session.rows(), session.input());
    setup_.predictions = [this] { return predictions(); };
    choose_outputs(session);
    sample_ = static_cast<std::uint64_t>(session.options().sample);
    rows_ = all_rows_ = session.input().rows;
    std::optional<double> measured;
    if (seconds_ > 0) measured = seconds_per_row(session);
    if (measured) limit_predictions(*measured);
    parts_ = parts_of(setup_);
    if (measured) keep_to_time(*measured);
    say_limits();
  }

  // Where hardly two rows have the same level (a name, a number of a customer), levels are rows. Such features are not
  // explained where no row is to be shown.
  void leave_out_telling(const MethodInput& input) {
    const Table* table = source_.table();
    if (table == nullptr) return;
    Texts kept, left;
    Value found = Value::array();
    for (const std::uint32_t column : input.features) {
      const ColumnInfo& info = table->schema()[column];
      const bool wanted = options().features.empty() || has(options().features, info.name);
      const std::size_t levels = info.dictionary ? levels_in(table->column(column), info.dictionary->size()) : 0;
      if (2 * levels <= table->rows()) {
        setup_.split_by.push_back(info.name);
        if (wanted) kept.push_back(info.name);
        continue;
      }
      // Nor where other features are explained.
      telling_columns_.insert(info.name);
      if (!wanted) continue;
      left.push_back(info.name);
      found.push_back(Value::object({{"feature", info.name}, {"levels", levels}, {"rows", table->rows()}}));
    }
    if (telling_columns_.empty()) setup_.split_by.clear();
    if (left.empty()) return;
    if (kept.empty())
      throw Error(ErrorKind::usage, "without rows nothing can be shown: the levels of every feature tell rows apart",
                  "choose other features, or group their levels");
    options().features = kept;
    std::string names;
    for (const std::string& name : left) names += (names.empty() ? "" : ", ") + printable(name, 40);
    left_out_.push_back("levels of " + printable(names, 200) +
                        ": nearly each row has one of its own, which would tell who it is");
    telling_ = Caveat{.id = "telling-levels",
                      .severity = Severity::caution,
                      .message = "nearly each row has a level of its own of " + printable(names, 200) +
                                 ": as rows are not to be shown, nothing is told about these features",
                      .evidence = Value::object({{"features", std::move(found)}}),
                      .advice = "group the levels, or check that the model should know them at all"};
  }

  static std::size_t levels_in(const ColumnView& column, std::size_t levels) {
    std::vector<bool> seen(levels, false);
    for (std::size_t row = 0; row < column.size; ++row) {
      const double code = column.number(row);
      if (code >= 0 && code < static_cast<double>(levels)) seen[static_cast<std::size_t>(code)] = true;
    }
    return static_cast<std::size_t>(std::count(seen.begin(), seen.end(), true));
  }

  // What the model does not know is named by its levels.
  void leave_out_levels(std::vector<Caveat>& caveats) const {
    std::erase_if(caveats, [&](const Caveat& caveat) {
      const Value *kind = caveat.evidence.find("kind"), *column = caveat.evidence.find("column");
      return kind != nullptr && column != nullptr && caveat.id == "data-and-model" &&
             kind->as_string() == to_string(FitNote::Kind::unknown_levels) &&
             telling_columns_.contains(column->as_string());
    });
  }

  void choose_outputs(const RunSession& session) {
    const auto& input = session.input();
    const std::size_t count = input.explained.size();
    if (count <= shown_outputs) return;
    if (count > most_outputs) {
      throw Error(ErrorKind::usage,
                  "a report is about " + std::to_string(most_outputs) + " outputs at the most; the model has " +
                      std::to_string(count),
                  marked("choose one of them with {option:output}"));
    }
    RunOptions some = session.options();
    if (input.rows > rows_for_outputs) some.sample = static_cast<std::int64_t>(rows_for_outputs);
    const Texts names = outputs_to_leave_out(RunSession(session, some), shown_outputs);
    setup_.other_outputs = {names.begin(), names.end()};
    outputs_shown_ = std::to_string(shown_outputs) + " of " + std::to_string(count);
    std::string listed, shown;
    for (const std::size_t output : input.explained) {
      const std::string& name = input.outputs[output];
      if (!setup_.other_outputs.contains(name)) shown += (shown.empty() ? "" : ", ") + printable(name, 40);
    }
    outputs_shown_ += ": " + printable(shown, 200);
    for (const std::string& name : names) listed += (listed.empty() ? "" : ", ") + printable(name, 40);
    const std::string which = input.task == Task::regression ? "first" : "most often predicted";
    left_out_.push_back("outputs " + printable(listed, 200) + ": the " + std::to_string(shown_outputs) + " " + which +
                        " of " + std::to_string(count) + " are shown; any one can be asked for by its name");
  }

  // For methods that choose their rows themselves.
  void limit_predictions(double seconds_each) {
    if (options().predictions > 0) return;
    const double possible = own_share * seconds_ / std::max(seconds_each, 1e-12);
    if (possible >= static_cast<double>(usual_predictions)) return;
    options().predictions = std::max(fewest_predictions, static_cast<std::int64_t>(possible));
    decided_.push_back("predictions");
  }

  // What is left out anyway costs nothing.
  void keep_to_time(double seconds_each) {
    std::vector<const Part*> wanted;
    std::vector<Price> prices;
    for (const Part& part : parts_) {
      if (!why_not(part).empty()) continue;
      Price price = part.price;
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (!part.needs.empty() && wanted[i]->name == part.needs) price.needs = i;
      }
      wanted.push_back(&part);
      prices.push_back(price);
    }
    const Fit fitting = fit(prices, rows_, seconds_each, seconds_);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const bool alone = !prices[i].needs || fitting.keeps[*prices[i].needs];
      if (!fitting.keeps[i] && alone) too_dear_.push_back(wanted[i]->name);
    }
    if (!too_dear_.empty()) decided_.push_back("skip");
    // Rows that were asked for are used, whatever the time.
    if (sample_ > 0 || fitting.rows == rows_) return;
    sample_ = rows_ = fitting.rows;
    run_values_.set("sample", sample_);
    decided_.push_back("sample");
  }

  // Of all rows that are used, or of as many as fit into memory.
  RowPredictions predictions() {
    RunOptions told = read_options<RunOptions>(run_values_);
    told.scale = "response";
    const std::uint64_t most = most_predictions / std::max<std::size_t>(1, setup_.outputs);
    const std::uint64_t used = rows_;
    if (used > most) told.sample = static_cast<std::int64_t>(most);
    RowPredictions found = row_predictions(sessions_.with(told));
    found.total_rows = all_rows_;
    return found;
  }

  void check_skipped() {
    for (const std::string& name : options().skip) {
      const bool known = std::any_of(std::begin(skippable_parts), std::end(skippable_parts),
                                     [&](const SkippablePart& part) { return part.name == name; });
      if (!known)
        throw Error(ErrorKind::usage, option_text("skip") + ": there is no part " + printable(name),
                    "it is one of " + skippable_names());
    }
  }

  // Why a part is left out; empty: it is not.
  [[nodiscard]] std::string why_not(const Part& part) const {
    if (has(options().skip, part.name)) return "as was asked for";
    for (const Part& other : parts_) {
      if (part.needs.empty() || other.name != part.needs) continue;
      if (missing_.contains(other.name) || !why_not(other).empty()) return "not without " + other.title;
    }
    return has(too_dear_, part.name) ? "the time did not suffice" : "";
  }

  [[nodiscard]] bool is_kept(const std::string& name) const {
    return std::any_of(parts_.begin(), parts_.end(),
                       [&](const Part& part) { return part.name == name && why_not(part).empty(); });
  }

  // What is smaller than one would expect, whatever the time.
  void say_limits() {
    const std::string count = std::to_string(setup_.features);
    if (setup_.features > most_pair_features(setup_) && is_kept("interactions"))
      left_out_.push_back("pairs: looked for among the " + std::to_string(most_pair_features(setup_)) +
                          " most important features");
    if (!options().features.empty() && !has(options().skip, "decomposition"))
      left_out_.push_back("decomposition: it is about all features, of which some were chosen");
    if (setup_.features > decomposed_features && is_kept("decomposition"))
      left_out_.push_back("decomposition: single features only, pairs of " + count + " features are too many");
  }

  void add(const Part& part, Known& known) {
    Value own = part.options ? part.options(known) : Value::object();
    if (own.is_null()) return;
    Value all = run_values_;
    // Named rows are computed alone, and a loss is that of predictions as they are.
    const MethodEntry& entry = find_entry(catalogue(), part.method);
    const bool single_rows = names_rows(entry.options, own);
    if (single_rows) all.set("sample", 0);
    if (entry.needs.target == Need::required) all.set("scale", "response");
    for (const auto& [name, value] : own.as_object()) all.set(name, value);
    try {
      Result result = explain(part.method, model_, source_, all, context_, &sessions_);
      if (part.look) part.look(result, known);
      leave_out(result, setup_.other_outputs);
      leave_out_levels(result.caveats);
      for (Caveat& caveat : result.caveats) {
        caveat.advice = advice_within(report_options(), caveat.advice, find_method(part.method));
        // The time may have chosen the sample; who repeats it by its size reads the same.
        if (caveat.id == "sampled-rows")
          caveat.advice =
              marked("a larger {option:budget|budget} (0 = no limit) or {option:sample|sample} uses more rows");
      }
      const bool found = !result.results.empty();
      if (known.ranked.empty()) known.ranked = used_features(result);
      if (part.take) part.take(result, known);
      if (found && result.results.empty()) return;
      // A few rows of the same data, which the page need not tell of.
      if (single_rows) {
        result.data = results_.front().data;
        if (!items_of<Attributions>(result).empty()) add_responses(result);
      }
      results_.push_back(std::move(result));
      if (auto examples = std::exchange(known.example_values, std::nullopt)) {
        add_responses(*examples);
        results_.push_back(std::move(*examples));
      }
    } catch (const Error& error) {
      // A model that fails, and a target that does not fit, are for the user to mend; what a single method cannot do
      // is no reason to be without the others.
      if (part.price.rank == 0 || (error.kind() != ErrorKind::usage && error.kind() != ErrorKind::data)) throw;
      left_out_.push_back(part.title + ": " + error.message());
      missing_.insert(part.name);
    }
  }

  // Of rows that are explained before the link, what the model predicts behind it: details.probability, or
  // details.response. A model that cannot say is no reason to be without the rows.
  void add_responses(Result& examples) {
    if (examples.options.find("scale")->as_string() != "margin") return;
    try {
      predict_responses(examples);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::prediction) throw;
    }
  }
  void predict_responses(Result& examples) {
    const GroupRows rows{items_of<Attributions>(examples).front()->rows};
    auto told = read_options<RunOptions>(run_values_);
    told.scale = "response";
    told.sample = 0;
    const RunSession session(model_, source_, told, context_, &rows);
    Evaluator& evaluator = session.evaluator();
    const auto stream = session.rows().open(evaluator.columns(), rows.rows.size());
    const auto block = stream->next();
    if (!block || block->rows != rows.rows.size()) return;
    Matrix predicted;
    evaluator.evaluate(*block, predicted);
    const auto& outputs = evaluator.outputs();
    for (ResultItem& item : examples.results) {
      auto* values = item.as<Attributions>();
      const auto output = values != nullptr ? std::find(outputs.begin(), outputs.end(), values->output) : outputs.end();
      if (output == outputs.end()) continue;
      Value list = Value::array();
      for (std::size_t row = 0; row < block->rows; ++row)
        list.push_back(predicted.span().row(row)[static_cast<std::size_t>(output - outputs.begin())]);
      values->details.set(session.input().task == Task::regression ? "response" : "probability", list);
    }
  }

  [[nodiscard]] static Texts used_features(const Result& result) {
    Texts names;
    for (const Curve* curve : items_of<Curve>(result)) {
      if (!has(names, curve->axis.feature)) names.push_back(curve->axis.feature);
    }
    return names;
  }

  [[nodiscard]] Result summary() const {
    Result result;
    result.method = "report";
    result.about = {.title = "Report", .short_name = "", .family = Family::report};
    result.version = version();
    if (!results_.empty()) {
      result.model = results_.front().model;
      result.data = results_.front().data;
    }
    result.model.set("features", static_cast<std::uint64_t>(model_features_));
    if (!outputs_shown_.empty()) result.model.set("outputs_shown", outputs_shown_);
    for (const char* size : {"trees", "leaves", "max_depth"}) {
      if (const Value* value = model_.signature().detail.find(size)) result.model.set(size, *value);
    }
    result.model.set("explained_by", setup_.by_trees ? "its trees, exactly" : "its predictions");
    result.options = write_options(read_options<RunOptions>(run_values_));
    const Value own = write_options(options());
    for (const auto& [name, value] : own.as_object()) result.options.set(name, value);
    Texts skip = options().skip;
    skip.insert(skip.end(), too_dear_.begin(), too_dear_.end());
    // How long it took is not told: the same report shall be the same file.
    result.options.set("skip", skip)
        .set("sample", sample_)
        .set("engine", setup_.by_trees ? "trees" : "blackbox")
        .set("left_out", left_out_)
        .set("decided_by_time", decided_);
    if (changing_) result.caveats.push_back(*changing_);
    if (telling_) result.caveats.push_back(*telling_);
    return result;
  }

  [[nodiscard]] ReportOptions& options() { return setup_.options; }
  [[nodiscard]] const ReportOptions& options() const { return setup_.options; }

  const Model& model_;
  const Source& source_;
  Context& context_;
  RunSessions sessions_;  // most parts are about the same rows
  ReportSetup setup_;
  Value run_values_;
  double seconds_ = 0;
  std::size_t model_features_ = 0;
  std::uint64_t all_rows_ = 0;  // that were asked for
  std::uint64_t rows_ = 0;      // that are used
  std::uint64_t sample_ = 0;    // the same, or 0 = all
  std::vector<Part> parts_;
  Texts too_dear_;                 // parts that the time does not suffice for
  std::set<std::string> missing_;  // parts that are left out or failed
  std::string outputs_shown_;      // which ones, if not all
  Texts decided_;                  // options that the time chose
  std::vector<Result> results_;
  Texts left_out_;
  std::optional<Caveat> changing_;
  std::optional<Caveat> telling_;
  std::set<std::string> telling_columns_;  // whose levels tell single rows apart, where none is to be shown
};

// How two models differ: one result, which says of itself what a report says of its first.
std::vector<Result> report_of_two(const Model& model, const ModelOption& other, const Source& source,
                                  const Value& given, Context& context) {
  const auto [run_values, own] = split_options(given, describe_options<ReportOptions>());
  const auto told = read_options<ReportOptions>(own);
  Value options = run_values;
  for (const char* name : {"other_model", "names", "features"}) {
    if (const Value* value = own.find(name)) options.set(name, *value);
  }
  if (own.find("top") != nullptr) options.set("top", told.top);
  if (told.no_rows || own.find("examples") != nullptr) options.set("examples", told.no_rows ? 0 : told.examples);
  Result result = explain("compare-models", model, source, options, context, nullptr, other);
  result.options.set("title", told.title)
      .set("no_rows", told.no_rows)
      .set("skip", Texts())
      .set("predictions", 0)
      .set("left_out", Texts())
      .set("decided_by_time", Texts());
  return {std::move(result)};
}

// Training rows by which a model explains itself.
void leave_out_rows(Result& own) {
  std::erase_if(own.results, [](const ResultItem& item) { return item.as<Examples>() != nullptr; });
  for (ResultItem& item : own.results) {
    const auto* shown = item.as<ShownPanels>();
    if (shown == nullptr) continue;
    ShownPanels panels = *shown;
    panels.tolerated.clear();
    for (ShownPanel& panel : panels.panels) panel.marks = {};
    item = ResultItem(std::move(panels));
  }
}

}  // namespace

std::vector<OptionSpec> report_options() {
  std::vector<OptionSpec> specs = describe_options<ReportOptions>();
  for (OptionSpec& spec : describe_options<RunOptions>()) specs.push_back(std::move(spec));
  return specs;
}

Repetition repetition(const Value& recorded) {
  Repetition again{.replaced = {"budget", "sample", "skip", "predictions"}};
  again.instead.set("budget", 0);
  const std::int64_t sample = recorded.find("sample")->as_integer();
  if (sample > 0) again.instead.set("sample", sample);
  if (const Value& skip = *recorded.find("skip"); !skip.as_array().empty()) again.instead.set("skip", skip);
  const std::int64_t predictions = recorded.find("predictions")->as_integer();
  if (predictions > 0) again.instead.set("predictions", predictions);
  return again;
}

std::vector<Result> report(const Model& model, const Source& source, const Value& options, Context& context,
                           std::optional<Result> own, const ModelOption& other) {
  const auto told = read_options<ReportOptions>(split_options(options, describe_options<ReportOptions>()).second);
  if (!told.other_model.place.empty())
    return report_of_two(model, other.place.empty() ? told.other_model : other, source, options, context);
  std::vector<Result> results = Report(model, source, options, context).run();
  if (!own) return results;
  // It is about the same model; what that was fitted to stays its own data.
  own->model = results.front().model;
  if (results.front().options.find("no_rows")->as_bool()) leave_out_rows(*own);
  results.insert(results.begin() + 1, std::move(*own));
  return results;
}

}  // namespace sightglass
