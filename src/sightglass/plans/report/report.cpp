#include "sightglass/plans/report/report.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "sightglass/base/error.h"
#include "sightglass/base/version.h"
#include "sightglass/plans/explain.h"
#include "sightglass/plans/method_advice.h"
#include "sightglass/plans/report/changing_answers_internal.h"
#include "sightglass/plans/report/report_of_two_internal.h"
#include "sightglass/plans/report/report_outputs_internal.h"
#include "sightglass/plans/report/report_parts_internal.h"
#include "sightglass/plans/report/report_progress_internal.h"
#include "sightglass/plans/report/responses_internal.h"
#include "sightglass/plans/report/telling_levels_internal.h"
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
// Of the time: what a trial of a part, and all trials, may take about, and what is left for the page.
constexpr double trial_share = 0.04, trials_share = 0.15, all_trials_share = 0.3, page_share = 0.03;
// Of the time, what a trial's predictions may take: where they take more, they are nearly all that a part takes, and
// counting them will do.
constexpr double predicted_share = 0.003;
// Rows of the first trial.
constexpr std::uint64_t trial_rows = 64;
// How much faster or slower the parts may turn out to be than planned, all in all; and how far beyond the time they may
// come before some of them are left out.
constexpr double most_pace = 3, tolerance = 1.12;

using Texts = std::vector<std::string>;

bool has(const Texts& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class Report {
 public:
  Report(const Model& model, const Source& source, const Value& given, Context& context, double spent)
      : model_(model),
        source_(source),
        context_(context),
        start_(context.clock() - spent),
        sessions_(model, source, context) {
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
    planned_from_ = context_.clock();
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      keep_up(part);
      // Asked again: what a part needs may have failed in the meantime.
      if (why_not(parts_[part]).empty()) make(part, known);
    }
    // What was left out for want of time, as long as there is some.
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      if (parts_[part].teaches || !has(too_dear_, parts_[part].name)) continue;
      if (spent() + pace() * prices_[part].of(rows_) > seconds_ * (1 - page_share)) continue;
      std::erase(too_dear_, parts_[part].name);
      if (why_not(parts_[part]).empty()) make(part, known);
    }
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      const std::string why = why_not(parts_[part]);
      if (!why.empty()) left_out_.push_back(parts_[part].title + ": " + why);
      if (failed_.contains(part)) left_out_.push_back(parts_[part].title + ": " + failed_[part]);
    }
    std::stable_sort(results_.begin(), results_.end(), [](const Made& a, const Made& b) { return a.part < b.part; });
    std::vector<Result> results;
    results.push_back(summary());
    for (Made& made : results_) results.push_back(std::move(made.result));
    return results;
  }

 private:
  // A result, and the part that made it.
  struct Made {
    std::size_t part = 0;
    Result result;
  };

  void make(std::size_t part, Known& known) {
    std::size_t count = 0, number = 1;
    for (std::size_t other = 0; other < parts_.size(); ++other) {
      if (!why_not(parts_[other]).empty()) continue;
      ++count;
      if (other < part) ++number;
    }
    // A little more, so that what costs nothing still moves the progress.
    const double least = 1e-9 * std::max(1.0, seconds_);
    const double price = prices_[part].of(rows_) + least;
    const double all = done_ + price + still_planned(part + 1) + least * static_cast<double>(count);
    {
      const PartProgress progress(context_, number, count, parts_[part].title, done_ / all, price / all);
      add(part, known);
    }
    done_ += price;
  }

  [[nodiscard]] double spent() const { return context_.clock() - start_; }
  // Of the parts from here on that are kept.
  [[nodiscard]] double still_planned(std::size_t from) const {
    double sum = 0;
    for (std::size_t part = from; part < parts_.size(); ++part)
      sum += why_not(parts_[part]).empty() ? prices_[part].of(rows_) : 0;
    return sum;
  }
  // What the parts took, compared with what was planned for them; the first few tell little.
  [[nodiscard]] double pace() const {
    const double doubt = 0.15 * seconds_;  // as if so much had gone as planned
    const double took = context_.clock() - planned_from_;
    return std::clamp((took + doubt) / (done_ + doubt), 1 / most_pace, most_pace);
  }

  // What was promised holds, whatever the parts turn out to cost: the least wanted of those that come are left out, and
  // the next one is taken back if there is time for it.
  void keep_up(std::size_t from) {
    if (seconds_ == 0) return;
    const auto expected = [&] { return spent() + pace() * still_planned(from); };
    // What comes next may have been promised already, or have been given up for good.
    if (has(too_dear_, parts_[from].name) && !parts_[from].promised) {
      std::erase(too_dear_, parts_[from].name);
      if (expected() > seconds_ * (1 - page_share)) too_dear_.push_back(parts_[from].name);
    }
    while (expected() > seconds_ * tolerance) {
      std::optional<std::size_t> least;
      for (std::size_t part = from; part < parts_.size(); ++part) {
        const bool matters = pace() * prices_[part].of(rows_) > 0.005 * seconds_;
        const bool promised = part == from && parts_[part].promised;
        if (parts_[part].price.rank == 0 || promised || !matters || !why_not(parts_[part]).empty()) continue;
        if (!least || parts_[part].price.rank >= parts_[*least].price.rank) least = part;
      }
      if (!least) return;
      too_dear_.push_back(parts_[*least].name);
    }
  }

  // Which parts, and how many rows.
  void decide() {
    const RunSession& session = sessions_.with(read_options<RunOptions>(run_values_));
    setup_.has_target = !session.options().target.empty();
    setup_.by_trees = session.input().trees != nullptr;
    setup_.outputs = session.input().outputs.size();
    setup_.has_classes = session.input().task != Task::regression;
    model_features_ = session.input().features.size();
    if (options().no_rows) leave_out_telling(session.input());
    if (!options().by.empty()) count_groups(session.options().where);
    setup_.features = options().features.empty() ? model_features_ : options().features.size();
    count_values(session);
    changing_ = changing_answers(session);
    if (const Table* table = source_.table()) setup_.facts = row_facts(*table, session.rows(), session.input());
    setup_.any_row = [this] { return is_kept("example-shap"); };
    setup_.predictions = [this](std::uint64_t rows) { return predictions(rows); };
    choose_outputs(session);
    sample_ = static_cast<std::uint64_t>(session.options().sample);
    rows_ = all_rows_ = session.input().rows;
    std::optional<double> measured;
    if (seconds_ > 0) measured = seconds_per_row(session);
    if (measured) limit_predictions(*measured);
    parts_ = parts_of(setup_);
    seconds_each_ = measured.value_or(1);
    for (std::size_t part = 0; part < parts_.size(); ++part) prices_.push_back(counted(part));
    if (measured) {
      try_parts();
      keep_to_time();
    }
    say_limits();
  }

  // Before any work it is said that there is no such column.
  void count_groups(const std::string& where) {
    const Table* table = source_.table();
    if (table == nullptr) return;
    const RowKey key = row_key(options().by, table->schema());
    const ColumnInfo& info = table->schema()[key.column];
    const bool levels = !key.part && info.dictionary != nullptr;
    if (options().no_rows && levels &&
        2 * levels_in(table->column(key.column), info.dictionary->size()) > table->rows())
      throw Error(ErrorKind::usage,
                  option_text("by") + ": nearly each row has a " + printable(options().by) +
                      " of its own, and no rows are to be shown",
                  "choose a column with fewer levels");
    groups_ = groups_to_explain(*table, key, where).size();
  }

  // A curve has no more points than its feature has values.
  void count_values(const RunSession& session) {
    constexpr std::size_t most_values = 64, looked_at = 2000;
    const auto& input = session.input();
    const auto stream = session.rows().open(input.features, looked_at);
    const auto block = stream->next();
    if (!block) return;
    for (const std::uint32_t column : input.features) {
      if (!options().features.empty() && !has(options().features, input.schema[column].name)) continue;
      std::set<double> values;
      bool missing = false;
      for (std::size_t row = 0; row < block->rows && values.size() < most_values; ++row) {
        const double value = block->columns[column].number(row);
        if (std::isnan(value))
          missing = true;
        else
          values.insert(value);
      }
      setup_.values.push_back(values.size() + (missing ? 1 : 0));
    }
  }

  void leave_out_telling(const MethodInput& input) {
    const Table* table = source_.table();
    if (table == nullptr) return;
    telling_ = telling_levels(*table, input, options().features);
    if (!telling_.columns.empty()) setup_.split_by = telling_.other_columns;
    if (telling_.left_out.empty()) return;
    options().features = telling_.kept;
    left_out_.push_back("levels of " + printable(telling_.left_out, 200) +
                        ": nearly each row has one of its own, which would tell who it is");
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

  // Prices in seconds: the parts are made of few rows, then of more and more as long as that is quick. A part that
  // would take too long already, by what is known of it, stays as it was.
  void try_parts() {
    constexpr std::uint64_t step = 8;
    const double start = context_.clock();
    std::vector<std::vector<Trial>> trials(parts_.size());
    for (std::uint64_t rows = trial_rows; step * rows <= rows_; rows *= step) {
      try_parts(rows, trials);
      double next = 0, all = 0;
      for (std::size_t part = 0; part < parts_.size(); ++part) {
        if (!why_not(parts_[part]).empty()) continue;
        all += prices_[part].of(rows_);
        if (is_tried(part, step * rows)) next += parts_[part].trial * prices_[part].of(step * rows);
      }
      // All rows, and that for certain.
      if (rows > trial_rows && 4 * all < seconds_) return;
      if (next > trials_share * seconds_ || context_.clock() - start + next > all_trials_share * seconds_) return;
    }
  }

  [[nodiscard]] bool is_tried(std::size_t part, std::uint64_t rows) const {
    const double known = parts_[part].trial * prices_[part].of(rows);
    const double predicted = parts_[part].trial * counted(part).of(rows);
    return why_not(parts_[part]).empty() && known <= trial_share * seconds_ && predicted <= predicted_share * seconds_;
  }

  // What the predictions of a part take, in seconds.
  [[nodiscard]] Price counted(std::size_t part) const { return parts_[part].price.times(seconds_each_); }

  void try_parts(std::uint64_t rows, std::vector<std::vector<Trial>>& trials) {
    RunSessions sessions(model_, source_, context_);
    Known known;
    known.rows = rows;
    known.trial = true;
    const Silence silence(context_);
    for (std::size_t number = 0; number < parts_.size(); ++number) {
      const Part& part = parts_[number];
      if (!is_tried(number, rows)) continue;
      try {
        const std::optional<Value> options = told(part, known, rows);
        if (!options) continue;
        // What is found out about all the data, to which single rows belong, is found once, before.
        const bool single_rows = is_of_single_rows(part, *options);
        const auto run = [&] {
          return explain(part.method, model_, source_, *options, context_, single_rows ? &sessions_ : &sessions);
        };
        if (single_rows && trials[number].empty()) (void)run();
        const double start = context_.clock();
        Result result = run();
        const double measured = context_.clock() - start;
        const double took = std::max(measured + (1 - part.trial) * counted(number).of(rows), measured / part.trial);
        if (part.look) part.look(result, known);
        leave_out(result, setup_.other_outputs);
        if (known.ranked.empty()) known.ranked = used_features(result);
        if (part.take) part.take(result, known);
        known.examples.resize(std::min(known.examples.size(), trial_rows_shown / 2));
        known.chosen.resize(std::min(known.chosen.size(), trial_rows_shown / 2));
        auto& list = trials[number];
        list.push_back({rows, took});
        prices_[number] = list.size() < 2 ? timed(prices_[number], list.back())
                                          : timed(prices_[number], list[list.size() - 2], list.back());
      } catch (const Error& error) {
        // Whatever is wrong is said when the part is made.
        if (error.kind() != ErrorKind::usage && error.kind() != ErrorKind::data) throw;
      }
    }
  }

  // What is left out anyway costs nothing.
  void keep_to_time() {
    std::vector<std::size_t> wanted;
    std::vector<Price> prices;
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      if (!why_not(parts_[part]).empty()) continue;
      Price price = prices_[part];
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (!parts_[part].needs.empty() && parts_[wanted[i]].name == parts_[part].needs) price.needs = i;
      }
      wanted.push_back(part);
      prices.push_back(price);
    }
    // Rows that were asked for are used, whatever the time.
    const std::uint64_t fewest = sample_ > 0 ? rows_ : fewest_rows;
    const Fit fitting = fit(prices, rows_, fewest, (1 - page_share) * seconds_ - spent());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const bool alone = !prices[i].needs || fitting.keeps[*prices[i].needs];
      if (!fitting.keeps[i] && alone) too_dear_.push_back(parts_[wanted[i]].name);
    }
    if (sample_ > 0 || fitting.rows == rows_) return;
    sample_ = rows_ = fitting.rows;
    run_values_.set("sample", sample_);
    decided_.push_back("sample");
  }

  // Of all rows that are used, or of as many as fit into memory.
  RowPredictions predictions(std::uint64_t rows) {
    RunOptions told = read_options<RunOptions>(run_values_);
    told.scale = "response";
    const std::uint64_t most = most_predictions / std::max<std::size_t>(1, setup_.outputs);
    if (rows < rows_ || rows > most) told.sample = static_cast<std::int64_t>(std::min(rows, most));
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
      const auto number = static_cast<std::size_t>(&other - parts_.data());
      if (failed_.contains(number) || !why_not(other).empty()) return "not without " + other.title;
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

  [[nodiscard]] static bool is_of_single_rows(const Part& part, const Value& told) {
    return names_rows(find_entry(catalogue(), part.method).options, told);
  }

  // What a part's method is told; nothing: there is nothing to do.
  [[nodiscard]] std::optional<Value> told(const Part& part, const Known& known, std::uint64_t sample) const {
    const Value own = part.options ? part.options(known) : Value::object();
    if (own.is_null()) return std::nullopt;
    Value all = run_values_;
    all.set("sample", sample);
    // Named rows are computed alone, and a loss is that of predictions as they are.
    if (is_of_single_rows(part, own)) all.set("sample", 0);
    const MethodEntry& entry = find_entry(catalogue(), part.method);
    if (entry.needs.target == Need::required) all.set("scale", "response");
    // A sample is drawn of each group: of all together as many rows as of everything else.
    if (own.find("by") != nullptr && sample > 0) all.set("sample", (sample + groups_ - 1) / groups_);
    for (const auto& [name, value] : own.as_object()) all.set(name, value);
    return all;
  }

  void add(std::size_t number, Known& known) {
    const Part& part = parts_[number];
    known.rows = rows_;
    const std::optional<Value> all = told(part, known, sample_);
    if (!all) return;
    const bool single_rows = is_of_single_rows(part, *all);
    try {
      Result result = explain(part.method, model_, source_, *all, context_, &sessions_);
      if (part.look) part.look(result, known);
      leave_out(result, setup_.other_outputs);
      leave_out_levels(telling_, result.caveats);
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
        result.data = results_.front().result.data;
        if (!items_of<Attributions>(result).empty())
          add_responses(result, model_, source_, read_options<RunOptions>(run_values_), context_);
      }
      results_.push_back({number, std::move(result)});
      if (auto examples = std::exchange(known.example_values, std::nullopt)) {
        add_responses(*examples, model_, source_, read_options<RunOptions>(run_values_), context_);
        results_.push_back({number, std::move(*examples)});
      }
    } catch (const Error& error) {
      // A model that fails, and a target that does not fit, are for the user to mend; what a single method cannot do
      // is no reason to be without the others.
      if (part.price.rank == 0 || (error.kind() != ErrorKind::usage && error.kind() != ErrorKind::data)) throw;
      failed_[number] = error.message();
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
      result.model = results_.front().result.model;
      result.data = results_.front().result.data;
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
    for (const Part& part : parts_) {
      if (has(too_dear_, part.name) && !has(skip, part.name)) skip.push_back(part.name);
    }
    Texts decided = decided_;
    if (!too_dear_.empty()) decided.insert(std::find(decided.begin(), decided.end(), "sample"), "skip");
    // How long it took is not told: the same report shall be the same file.
    result.options.set("skip", skip)
        .set("sample", sample_)
        .set("engine", setup_.by_trees ? "trees" : "blackbox")
        .set("left_out", left_out_)
        .set("decided_by_time", decided);
    if (changing_) result.caveats.push_back(*changing_);
    if (telling_.caveat) result.caveats.push_back(*telling_.caveat);
    return result;
  }

  [[nodiscard]] ReportOptions& options() { return setup_.options; }
  [[nodiscard]] const ReportOptions& options() const { return setup_.options; }

  const Model& model_;
  const Source& source_;
  Context& context_;
  double seconds_each_ = 1;  // of a prediction, or 1 where time does not matter
  double start_ = 0;         // when its time began, by the clock
  RunSessions sessions_;     // most parts are about the same rows
  ReportSetup setup_;
  Value run_values_;
  double seconds_ = 0;
  std::size_t model_features_ = 0;
  std::uint64_t all_rows_ = 0;  // that were asked for
  std::uint64_t rows_ = 0;      // that are used
  std::uint64_t sample_ = 0;    // the same, or 0 = all
  std::vector<Part> parts_;
  std::vector<Price> prices_;           // of the parts, in seconds (in predictions where time does not matter)
  std::uint64_t groups_ = 1;            // that rows are compared by
  double planned_from_ = 0, done_ = 0;  // since when parts are made, and what was planned for those that are done
  Texts too_dear_;                      // parts that the time does not suffice for
  std::map<std::size_t, std::string> failed_;  // parts, and why
  std::string outputs_shown_;                  // which ones, if not all
  Texts decided_;                              // options that the time chose
  std::vector<Made> results_;
  Texts left_out_;
  std::optional<Caveat> changing_;
  TellingLevels telling_;
};

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

std::vector<Result> report(const Model& model, const Source& source, const Value& options, Context& context,
                           std::optional<Result> own, const ModelOption& other, double spent) {
  const auto told = read_options<ReportOptions>(split_options(options, describe_options<ReportOptions>()).second);
  if (!told.other_model.place.empty())
    return report_of_two(model, other.place.empty() ? told.other_model : other, source, options, context);
  std::vector<Result> results = Report(model, source, options, context, spent).run();
  if (!own) return results;
  // It is about the same model; what that was fitted to stays its own data.
  own->model = results.front().model;
  if (results.front().options.find("no_rows")->as_bool()) leave_out_rows(*own);
  results.insert(results.begin() + 1, std::move(*own));
  return results;
}

}  // namespace sightglass
