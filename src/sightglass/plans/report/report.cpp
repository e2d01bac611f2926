#include "sightglass/plans/report/report.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "sightglass/base/error.h"
#include "sightglass/base/time_limit.h"
#include "sightglass/base/version.h"
#include "sightglass/plans/explain.h"
#include "sightglass/plans/method_advice.h"
#include "sightglass/plans/report/changing_answers_internal.h"
#include "sightglass/plans/report/part_rows_internal.h"
#include "sightglass/plans/report/report_of_two_internal.h"
#include "sightglass/plans/report/report_outputs_internal.h"
#include "sightglass/plans/report/report_parts_internal.h"
#include "sightglass/plans/report/report_progress_internal.h"
#include "sightglass/plans/report/report_setup_internal.h"
#include "sightglass/plans/report/responses_internal.h"
#include "sightglass/plans/report/telling_levels_internal.h"

namespace sightglass {

namespace {

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
// come before some of them are left out, or stopped.
constexpr double most_pace = 3, tolerance = 1.12;
// Of the time, after which a trial of a part is stopped; what a part may take that has little left; and what it may
// take to measure the predictions of all rows, whatever the others use.
constexpr double stopped_trial_share = 0.1, least_share = 0.01, scored_share = 0.15;
// A part may be so many times as dear as it was thought to be, or take this share of the time.
constexpr double most_mistaken = 4, wrong_share = 0.2;
// What must be there and is stopped is made of this share of its rows.
constexpr std::uint64_t fewer_rows = 8;

using Texts = std::vector<std::string>;

bool has(const Texts& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Texts used_features(const Result& result) {
  Texts names;
  for (const Curve* curve : items_of<Curve>(result)) {
    if (!has(names, curve->axis.feature)) names.push_back(curve->axis.feature);
  }
  return names;
}

class Report {
 public:
  Report(const Model& model, const Source& source, const Value& given, Context& context, double spent)
      : model_(model),
        source_(source),
        context_(context),
        start_(context.clock() - spent),
        sessions_(model, source, context) {
    if (is_no_model(model))
      throw Error(ErrorKind::usage, "a report explains a model, and there is none",
                  marked("give one as {option:model}"));
    auto [run_values, own] = split_options(given, describe_options<ReportOptions>());
    options() = read_options<ReportOptions>(own);
    run_values_ = std::move(run_values);
    seconds_ = seconds_of(options().budget);
    check_skipped(options().skip);
    part_rows_ = read_part_rows(options().part_rows);
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
      if (stopped_.contains(parts_[part].known_as()))
        left_out_.push_back(parts_[part].title + ": rows beyond " + std::to_string(rows_of(parts_[part])) +
                            ", the time did not suffice");
    }
    left_out_.insert(left_out_.end(), known.left_out.begin(), known.left_out.end());
    std::stable_sort(results_.begin(), results_.end(), [](const Made& a, const Made& b) { return a.part < b.part; });
    std::vector<Result> results{summary()};
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
    const double start = context_.clock();
    bool stopped = false;
    {
      const PartProgress progress(context_, number, count, parts_[part].title, done_ / all, price / all);
      while (true) {
        try {
          add(part, known);
          break;
        } catch (const OutOfTime&) {
          stopped = true;
          if (!has_fewer_rows(part)) break;
        }
      }
    }
    if (!stopped) {
      done_ += price;
      return;
    }
    // Says nothing of how long the others take, and is taken back where there is twice that time.
    const double took = context_.clock() - start;
    planned_from_ += took;
    prices_[part] = {.fixed = 2 * took, .rank = parts_[part].price.rank};
  }

  // Of a part that was stopped; or it is left out.
  bool has_fewer_rows(std::size_t number) {
    const Part& part = parts_[number];
    if (part.price.rank > 0) {
      too_dear_.push_back(part.name);
      return false;
    }
    // Scores of all rows give way to scores of those that the others use.
    const bool has_more = rows_of(part) > rows_;
    part_rows_[part.known_as()] = has_more ? rows_ : std::max(least_rows, rows_of(part) / fewer_rows);
    if (!has_more) stopped_.insert(part.known_as());
    return true;
  }

  // When it is stopped, by the clock. Those that come and are wanted more keep their time; what must be there, so much
  // that it can be made of fewer rows.
  [[nodiscard]] double end_of(std::size_t number) const {
    constexpr double never = std::numeric_limits<double>::infinity();
    const Part& part = parts_[number];
    if (seconds_ == 0 || part.promised) return never;
    const double now = context_.clock(), price = pace() * prices_[number].of(rows_);
    double end = start_ + tolerance * seconds_;
    if (part.price.rank == 0) {
      if (rows_asked_for_ || rows_of(part) <= least_rows) return never;
      end = now + (end - now) / 2;
    }
    for (std::size_t other = number + 1; other < parts_.size() && part.price.rank > 0; ++other) {
      if (parts_[other].price.rank < part.price.rank && why_not(parts_[other]).empty())
        end -= pace() * prices_[other].of(rows_);
    }
    // A price that is so wrong tells nothing: the others shall have their time.
    end = std::min(end, now + std::max(most_mistaken * price, wrong_share * seconds_));
    return std::max(end, now + std::max(1.5 * price, least_share * seconds_));
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
    if (!options().by.empty() && source_.table() != nullptr)
      groups_ = groups_compared(*source_.table(), options(), session.options().where);
    setup_.features = options().features.empty() ? model_features_ : options().features.size();
    count_values(session, setup_);
    changing_ = changing_answers(session);
    if (const Table* table = source_.table()) setup_.facts = row_facts(*table, session.rows(), session.input());
    setup_.any_row = [this] { return is_kept("example-shap"); };
    setup_.predictions = [this](std::uint64_t rows) { return predictions(rows); };
    const ShownOutputs shown = shown_outputs(session);
    setup_.other_outputs = {shown.others.begin(), shown.others.end()};
    outputs_shown_ = shown.told;
    if (!shown.left_out.empty()) left_out_.push_back(shown.left_out);
    sample_ = static_cast<std::uint64_t>(session.options().sample);
    rows_asked_for_ = sample_ > 0;
    rows_ = all_rows_ = session.input().rows;
    std::optional<double> measured;
    if (seconds_ > 0) measured = seconds_per_row(session);
    if (measured) limit_predictions(*measured);
    parts_ = parts_of(setup_);
    seconds_each_ = measured.value_or(1);
    for (std::size_t part = 0; part < parts_.size(); ++part) prices_.push_back(counted(part));
    if (measured) {
      try_parts();
      choose_scored_rows();
      keep_to_time();
    }
    for (const std::string& limit : limits_of(setup_, [this](const std::string& name) { return is_kept(name); }))
      left_out_.push_back(limit);
  }

  // A score is that of all rows where one pass over them costs little, and its price then does not go with the rows.
  void choose_scored_rows() {
    double left = scored_share * seconds_;
    for (std::size_t number = 0; number < parts_.size() && !rows_asked_for_; ++number) {
      const Part& part = parts_[number];
      const double price = prices_[number].of(all_rows_);
      if (!part.all_rows || !why_not(part).empty() || part_rows_.contains(part.known_as()) || price > left) continue;
      left -= price;
      part_rows_[part.known_as()] = 0;
      prices_[number].per_row = 0;
      prices_[number].fixed = price;
    }
  }

  // 0: all.
  [[nodiscard]] std::uint64_t sample_of(const Part& part) const {
    const auto own = part_rows_.find(part.known_as());
    return own != part_rows_.end() ? own->second : sample_;
  }
  [[nodiscard]] std::uint64_t rows_of(const Part& part) const {
    const std::uint64_t sample = sample_of(part);
    return sample > 0 ? sample : all_rows_;
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
        const TimedRun timed_run =
            run_in_time(context_, stopped_trial_share * seconds_, single_rows && trials[number].empty(), run);
        if (!timed_run.result) {
          // So much at the least.
          prices_[number] = timed(prices_[number], {rows, 2 * timed_run.seconds / part.trial});
          continue;
        }
        Result result = *timed_run.result;
        const double measured = timed_run.seconds;
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
    const std::uint64_t fewest = rows_asked_for_ ? rows_ : fewest_rows;
    const Fit fitting = fit(prices, rows_, fewest, (1 - page_share) * seconds_ - spent());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const bool alone = !prices[i].needs || fitting.keeps[*prices[i].needs];
      if (!fitting.keeps[i] && alone) too_dear_.push_back(parts_[wanted[i]].name);
    }
    if (rows_asked_for_ || fitting.rows == rows_) return;
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
    const std::optional<Value> all = told(part, known, sample_of(part));
    if (!all) return;
    const bool single_rows = is_of_single_rows(part, *all);
    try {
      // Nothing is learned from what is stopped.
      std::optional<TimeLimit> limit(std::in_place, context_, end_of(number));
      Result result = explain(part.method, model_, source_, *all, context_, &sessions_);
      if (part.look) part.look(result, known);
      limit.reset();
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
        result.data = usual_data();
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

  // Of the rows that most parts use.
  [[nodiscard]] const Value& usual_data() const {
    const auto usual = std::find_if(results_.begin(), results_.end(),
                                    [&](const Made& made) { return sample_of(parts_[made.part]) == sample_; });
    return (usual != results_.end() ? *usual : results_.front()).result.data;
  }

  [[nodiscard]] Result summary() const {
    Result result;
    result.method = "report";
    result.about = {.title = "Report", .short_name = "", .family = Family::report};
    result.version = version();
    if (!results_.empty()) {
      result.model = results_.front().result.model;
      result.data = usual_data();
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
    // What they have anyway need not be told.
    PartRows part_rows = part_rows_;
    std::erase_if(part_rows, [&](const auto& part) { return part.second == sample_; });
    if (part_rows != read_part_rows(options().part_rows)) decided.emplace_back("part_rows");
    // How long it took is not told: the same report shall be the same file.
    result.options.set("skip", skip)
        .set("sample", sample_)
        .set("part_rows", write_part_rows(part_rows))
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
  bool rows_asked_for_ = false;
  PartRows part_rows_;             // of parts that do not use these rows
  std::set<std::string> stopped_;  // parts that had to be made of fewer rows
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

}  // namespace

std::vector<Result> report(const Model& model, const Source& source, const Value& options, Context& context,
                           std::optional<Result> own, const ModelOption& other, double spent) {
  const auto told = read_options<ReportOptions>(split_options(options, describe_options<ReportOptions>()).second);
  if (!told.other_model.place.empty())
    return report_of_two(model, other.place.empty() ? told.other_model : other, source, options, context, spent);
  std::vector<Result> results = Report(model, source, options, context, spent).run();
  if (!own) return results;
  // It is about the same model; what that was fitted to stays its own data.
  own->model = results.front().model;
  if (results.front().options.find("no_rows")->as_bool()) leave_out_rows(*own);
  results.insert(results.begin() + 1, std::move(*own));
  return results;
}

}  // namespace sightglass
