#include <algorithm>
#include <limits>
#include <optional>

#include "sightglass/base/error.h"
#include "sightglass/base/time_limit.h"
#include "sightglass/methods/run/other_model.h"
#include "sightglass/plans/compare_models.h"
#include "sightglass/plans/explain.h"
#include "sightglass/plans/report/report.h"
#include "sightglass/plans/report/report_budget_internal.h"
#include "sightglass/plans/report/report_of_two_internal.h"
#include "sightglass/plans/report/report_progress_internal.h"

namespace sightglass {

namespace {

// Both models compared, of as many rows as the time suffices for.
class TimedComparison {
 public:
  TimedComparison(const Model& model, const ModelOption& other, const Source& source, Value options, Context& context,
                  double seconds, double spent)
      : model_(model),
        other_(other),
        source_(source),
        options_(std::move(options)),
        context_(context),
        seconds_(seconds),
        start_(context.clock() - spent) {}

  Result made() {
    const RunOptions told = run_options();
    if (seconds_ == 0 || told.sample > 0) return compared(static_cast<std::uint64_t>(told.sample));
    const RunSession session(model_, source_, told, context_);
    all_rows_ = session.input().rows;
    const Price price = tried(counted(session));
    std::uint64_t rows = fit({price}, all_rows_, least_rows, (1 - page_share) * seconds_ - spent()).rows;
    while (true) {
      try {
        const TimeLimit limit(context_, end_of(price.of(rows), rows));
        sample_ = rows < all_rows_ ? rows : 0;
        return compared(sample_);
      } catch (const OutOfTime&) {
        rows = std::max(least_rows, rows / fewer_rows);
      }
    }
  }
  // Rows that the time chose; 0: it did not.
  [[nodiscard]] std::uint64_t sample() const { return sample_; }

 private:
  [[nodiscard]] RunOptions run_options() const {
    return read_options<RunOptions>(split_options(options_, compare_models().options).first);
  }
  [[nodiscard]] double spent() const { return context_.clock() - start_; }

  [[nodiscard]] Result compared(std::uint64_t sample) const {
    Value options = options_;
    if (sample > 0) options.set("sample", sample);
    return explain("compare-models", model_, source_, options, context_, nullptr, other_);
  }

  // What the predictions of both models take, which is nearly all where a model is slow.
  [[nodiscard]] Price counted(const RunSession& session) const {
    const auto options = read_options<CompareModelsOptions>(split_options(options_, compare_models().options).second);
    const RunSession of_other(*other_.model, source_, session.options(), context_);
    Price price;
    for (const RunSession* each : {&session, &of_other}) {
      const auto features = static_cast<double>(each->input().features.size());
      const double drawn = std::min(features, 2 * static_cast<double>(options.top));
      price.per_row += seconds_per_row(*each) * (2 + static_cast<double>(options.repeats) * features + 2 * drawn);
    }
    return price;
  }

  // Of few rows, then of more as long as that is quick.
  [[nodiscard]] Price tried(Price price) const {
    const Silence silence(context_);
    const double begin = context_.clock();
    std::optional<Trial> last;
    for (std::uint64_t rows = trial_rows; step * rows <= all_rows_; rows *= step) {
      const double next = price.of(rows);
      if (next > trial_share * seconds_ || context_.clock() - begin + next > all_trials_share * seconds_) break;
      const double start = context_.clock();
      try {
        const TimeLimit limit(context_, start + all_trials_share * seconds_);
        (void)compared(rows);
      } catch (const OutOfTime&) {
        return timed(price, {rows, 2 * (context_.clock() - start)});  // so much at the least
      }
      const Trial trial{rows, context_.clock() - start};
      price = last ? timed(price, *last, trial) : timed(price, trial);
      if (last && 4 * price.of(all_rows_) < seconds_) break;
      last = trial;
    }
    return price;
  }

  [[nodiscard]] double end_of(double price, std::uint64_t rows) const {
    if (rows <= least_rows) return std::numeric_limits<double>::infinity();
    const double now = context_.clock();
    return now + std::max(1.3 * price, stopped_share * (start_ + tolerance * seconds_ - now));
  }

  // Of the time: what one trial and all of them may take, and what is left for the page.
  static constexpr double trial_share = 0.1, all_trials_share = 0.25, page_share = 0.03;
  // Rows of the first trial, and how many times as many the next one has.
  static constexpr std::uint64_t trial_rows = 64, step = 8;
  // It is stopped where it takes so much of the time that is left, and made again of this part of the rows.
  static constexpr double stopped_share = 0.6, tolerance = 1.12;
  static constexpr std::uint64_t fewer_rows = 4;

  const Model& model_;
  const ModelOption& other_;
  const Source& source_;
  Value options_;
  Context& context_;
  double seconds_ = 0, start_ = 0;
  std::uint64_t all_rows_ = 0, sample_ = 0;
};

}  // namespace

std::vector<Result> report_of_two(const Model& model, const ModelOption& other, const Source& source,
                                  const Value& given, Context& context, double spent) {
  const auto [run_values, own] = split_options(given, describe_options<ReportOptions>());
  const auto told = read_options<ReportOptions>(own);
  if (!told.by.empty()) {
    throw Error(ErrorKind::usage, marked("a report of two models compares no groups: {option:by}"),
                marked("leave it out, or choose a group with {option:where}"));
  }
  Value options = run_values;
  for (const char* name : {"other_model", "names", "features"}) {
    if (const Value* value = own.find(name)) options.set(name, *value);
  }
  if (own.find("top") != nullptr) options.set("top", told.top);
  if (told.no_rows || own.find("examples") != nullptr) options.set("examples", told.no_rows ? 0 : told.examples);
  const double seconds = seconds_of(told.budget);
  if (options.find("other_model") == nullptr) options.set("other_model", other.place);
  ModelOption loaded = other;
  if (loaded.model == nullptr) loaded.model = other_model(compare_models().options, options, other);
  TimedComparison comparison(model, loaded, source, options, context, seconds, spent);
  Result result = comparison.made();
  result.options.set("title", told.title)
      .set("no_rows", told.no_rows)
      .set("budget", told.budget)
      .set("skip", std::vector<std::string>())
      .set("predictions", 0)
      .set("part_rows", std::vector<std::string>())
      .set("left_out", std::vector<std::string>())
      .set("decided_by_time",
           comparison.sample() > 0 ? std::vector<std::string>{"sample"} : std::vector<std::string>());
  return {std::move(result)};
}

}  // namespace sightglass
