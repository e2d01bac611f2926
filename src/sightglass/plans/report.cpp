#include "sightglass/plans/report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "sightglass/base/error.h"
#include "sightglass/base/version.h"
#include "sightglass/plans/changing_answers_internal.h"
#include "sightglass/plans/example_rows_internal.h"
#include "sightglass/plans/explain.h"
#include "sightglass/plans/method_advice_internal.h"
#include "sightglass/plans/report_budget_internal.h"
#include "sightglass/result/caveat_subject.h"
#include "sightglass/result/importance_measure.h"

namespace sightglass {

namespace {

constexpr std::size_t most_outputs = 8;
constexpr std::int64_t grid = 32, pair_grid = 16, importance_grid = 20, repeats = 5;
// Regions are looked for along so many features, from this heterogeneity on.
constexpr std::size_t regional_features = 4;
constexpr double least_heterogeneity = 0.25;
constexpr std::int64_t shown_curves = 60, shown_rows = 500;
// With more features than this, pairs are looked for among the most important ones only.
constexpr std::size_t pair_features = 12, pair_features_of_trees = 30, decomposed_features = 20;
// Of a budget of time, what methods may use that choose their rows themselves.
constexpr double own_share = 0.15;
constexpr std::int64_t fewest_predictions = 10'000, usual_predictions = 5'000'000;
// What trees need for a variant of a row, compared with a prediction.
constexpr double variant_of_trees = 0.2;

using Texts = std::vector<std::string>;

// What is known once the first parts are there.
struct Known {
  Texts ranked;  // features, the most important first
  Texts pairs;   // the strongest first, as first:second
  Texts uneven;  // features along which single rows move differently, the most important first
  std::vector<ExampleRow> examples;
  std::optional<Result> example_values;
};

struct Part {
  std::string name, method, title;
  Price price;
  // Its options; null: there is nothing to do.
  std::function<Value(const Known&)> options;
  // What is learned from it, or taken out of it.
  std::function<void(Result&, Known&)> take;
};

template <class Item>
std::vector<const Item*> items_of(const Result& result) {
  std::vector<const Item*> found;
  for (const ResultItem& item : result.results) {
    if (const auto* one = std::get_if<Item>(&item)) found.push_back(one);
  }
  return found;
}

template <class Item>
void take_out(Result& result) {
  std::erase_if(result.results, [](const ResultItem& item) { return std::holds_alternative<Item>(item); });
}

// By the sum over outputs; only one of several measures counts.
void take_ranking(const Result& result, Known& known) {
  const auto entries = items_of<Importance>(result);
  const bool over_rows =
      std::any_of(entries.begin(), entries.end(), [](const Importance* entry) { return is_over_rows(entry->measure); });
  std::vector<std::pair<double, std::string>> sums;
  for (const Importance* entry : entries) {
    if (over_rows && !is_over_rows(entry->measure)) continue;
    const auto at =
        std::find_if(sums.begin(), sums.end(), [&](const auto& sum) { return sum.second == entry->feature; });
    if (at == sums.end()) {
      sums.emplace_back(entry->importance, entry->feature);
    } else {
      at->first += entry->importance;
    }
  }
  std::stable_sort(sums.begin(), sums.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  known.ranked.clear();
  for (const auto& [importance, feature] : sums) known.ranked.push_back(feature);
}

void take_pairs(const Result& result, std::size_t most, Known& known) {
  std::map<Texts, double> strengths;
  for (const Interaction* entry : items_of<Interaction>(result)) {
    if (entry->features.size() == 2) strengths[entry->features] += entry->strength;
  }
  std::vector<std::pair<double, Texts>> sorted;
  for (const auto& [features, strength] : strengths) {
    if (strength > 0) sorted.emplace_back(strength, features);
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& [strength, features] : sorted) {
    if (known.pairs.size() < most) known.pairs.push_back(features[0] + ":" + features[1]);
  }
}

// The few most important features along which rows move so differently that regions may tell more than one curve.
void take_uneven(const Result& result, Known& known) {
  const auto curves = items_of<Curve>(result);
  const auto is_uneven = [&](const std::string& feature) {
    return std::any_of(curves.begin(), curves.end(), [&](const Curve* curve) {
      return curve->axis.feature == feature && curve->heterogeneity.value_or(0) >= least_heterogeneity;
    });
  };
  for (const std::string& feature : known.ranked) {
    if (known.uneven.size() < regional_features && is_uneven(feature)) known.uneven.push_back(feature);
  }
}

// Of regional effects, those of features for which regions were found: the others have their curves already.
void keep_divided(Result& result) {
  std::set<std::string> divided;
  for (const Curve* curve : items_of<Curve>(result)) {
    if (!curve->group.empty()) divided.insert(curve->axis.feature);
  }
  std::erase_if(result.results, [&](const ResultItem& item) {
    if (const auto* curve = std::get_if<Curve>(&item)) return !divided.contains(curve->axis.feature);
    const auto* figure = std::get_if<Figure>(&item);
    return figure != nullptr && std::none_of(divided.begin(), divided.end(), [&](const std::string& feature) {
             return figure->name.starts_with(feature + ": ");
           });
  });
  // The effects of the same features have told what is doubtful about them over all rows, and those that no split
  // divides are left out.
  std::erase_if(result.caveats, [&](const Caveat& caveat) {
    const std::set<std::string> named = features_named(caveat);
    const bool shown =
        std::any_of(named.begin(), named.end(), [&](const auto& name) { return divided.contains(name); });
    const bool of_region = caveat.evidence.find("group") != nullptr || caveat.evidence.find("groups") != nullptr;
    const bool may_be_new = caveat.id == "hidden-heterogeneity" || caveat.id == "sparse-region";
    if (may_be_new) return !(of_region && shown);
    return caveat.id == "no-split" || caveat.id == "correlated-features" || caveat.id == "extrapolation";
  });
}

class Report {
 public:
  Report(const Model& model, const Source& source, const Value& given, Context& context)
      : model_(model), source_(source), context_(context) {
    auto [run_values, own] = split_options(given, describe_options<ReportOptions>());
    options_ = read_options<ReportOptions>(own);
    run_values_ = std::move(run_values);
    seconds_ = seconds_of(options_.budget);
    for (const auto& [name, number] :
         {std::pair("top", options_.top), {"pairs", options_.pairs}, {"examples", options_.examples}}) {
      if (number < 0 || number > 1000)
        throw Error(ErrorKind::usage, std::string("option ") + name + ": between 0 and 1000, please");
    }
  }

  std::vector<Result> run() {
    decide();
    Known known;
    double all = 0;
    // One more, so that what costs nothing still moves the progress.
    const auto cost = [&](const Part& part) {
      return static_cast<double>(rows_) * part.price.per_row + part.price.fixed + 1;
    };
    for (const Part& part : parts_) all += cost(part);
    double before = 0;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const Part& part = parts_[i];
      if (keeps_[i]) {
        const Reporting progress(context_, i + 1, parts_.size(), part.title, before / all, cost(part) / all);
        add(part, known);
      } else {
        const bool by_time = std::find(skipped_.begin(), skipped_.end(), part.name) != skipped_.end();
        left_out_.push_back(part.title + (by_time ? ": the time did not suffice" : ": as was asked for"));
      }
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
        // A part has several stages, each of which begins anew.
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
    const Preparation preparation("m-plot", model_, source_, run_values_, context_);
    has_target_ = !preparation.options.target.empty();
    by_trees_ = preparation.input->trees != nullptr;
    model_features_ = preparation.input->features.size();
    features_ = options_.features.empty() ? model_features_ : options_.features.size();
    if (preparation.input->explained.size() > most_outputs) {
      throw Error(ErrorKind::usage,
                  "a report is about " + std::to_string(most_outputs) + " outputs at the most; the model has " +
                      std::to_string(preparation.input->explained.size()),
                  "choose one of them (--class, in Python output=)");
    }
    changing_ = changing_answers(model_, preparation);
    if (const Table* table = source_.table()) facts_ = row_facts(*table, preparation.rows(), *preparation.input);
    sample_ = static_cast<std::uint64_t>(preparation.options.sample);
    if (sample_ == 0 && seconds_ > 0) measured_ = seconds_per_row(preparation);
    if (measured_ && options_.predictions == 0) {
      const double possible = own_share * seconds_ / std::max(*measured_, 1e-12);
      if (possible < static_cast<double>(usual_predictions))
        options_.predictions = std::max(fewest_predictions, static_cast<std::int64_t>(possible));
    }
    list_parts();
    keeps_.assign(parts_.size(), true);
    rows_ = preparation.input->rows;
    if (measured_) keep_to_time();
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (!keeps_[i]) skipped_.push_back(parts_[i].name);
      keeps_[i] =
          keeps_[i] && std::find(options_.skip.begin(), options_.skip.end(), parts_[i].name) == options_.skip.end();
    }
    check_skipped();
    say_limits();
  }

  void keep_to_time() {
    std::vector<Price> prices;
    for (const Part& part : parts_) prices.push_back(part.price);
    const Fit fitting = fit(prices, rows_, *measured_, seconds_);
    keeps_ = fitting.keeps;
    if (fitting.rows == rows_) return;
    sample_ = rows_ = fitting.rows;
    run_values_.set("sample", sample_);
  }

  void check_skipped() const {
    constexpr std::array<std::string_view, 10> ids = {
        "pd-importance", "shap",          "partial-dependence", "ice",      "regional-effects",
        "interactions",  "decomposition", "ale-pairs",          "pd-pairs", "what-if"};
    for (const std::string& id : options_.skip) {
      if (std::find(ids.begin(), ids.end(), id) != ids.end()) continue;
      std::string all;
      for (const auto& each : ids) all += (all.empty() ? "" : ", ") + std::string(each);
      throw Error(ErrorKind::usage, "option skip: there is no part " + printable(id), "it is one of " + all);
    }
  }

  // What is smaller than one would expect, whatever the time.
  void say_limits() {
    if (features_ > most_pair_features())
      left_out_.push_back("pairs: looked for among the " + std::to_string(most_pair_features()) +
                          " most important features");
    if (!options_.features.empty())
      left_out_.push_back("decomposition: it is about all features, of which some were chosen");
    if (options_.features.empty() && features_ > decomposed_features)
      left_out_.push_back("decomposition: single features only, pairs of " + std::to_string(features_) +
                          " features are too many");
  }

  [[nodiscard]] std::size_t most_pair_features() const { return by_trees_ ? pair_features_of_trees : pair_features; }

  [[nodiscard]] Value with_features(Value own) const {
    if (!options_.features.empty()) own.set("features", options_.features);
    return own;
  }
  // For methods that choose their rows by a number of predictions.
  [[nodiscard]] Value with_budget(Value own) const {
    if (options_.predictions > 0) own.set("budget", options_.predictions);
    return own;
  }
  [[nodiscard]] static Texts first(const Texts& names, std::size_t most) {
    return {names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(most, names.size()))};
  }
  [[nodiscard]] Texts top_features(const Known& known) const {
    return first(known.ranked, static_cast<std::size_t>(options_.top));
  }

  // Prices are predictions of each row: of a variant of it, an exchange of its values, a step.
  void list_parts() {
    const auto p = static_cast<double>(features_);
    const double variant = by_trees_ ? variant_of_trees : 1;
    if (has_target_) {
      add_part({.method = "performance", .title = "performance", .price = {.per_row = 1}});
      add_part({.method = "permutation-importance",
                .title = "permutation importance",
                .price = {.per_row = repeats * p},
                .options = [this](const Known&) { return with_features(Value::object({{"repeats", repeats}})); },
                .take =
                    [](Result& result, Known& known) {
                      take_out<Figure>(result);  // performance has told them
                      take_ranking(result, known);
                    }});
    }
    add_part({.name = "pd-importance",
              .method = "pd-importance",
              .title = "importance by partial dependence",
              .price = {.per_row = variant * static_cast<double>(importance_grid) * p, .rank = 6},
              .options = [this](const Known&) { return with_features(Value::object({{"grid", importance_grid}})); },
              .take =
                  [](Result& result, Known& known) {
                    if (known.ranked.empty()) take_ranking(result, known);
                  }});
    list_shapley(p);
    add_part({.name = "partial-dependence",
              .method = "partial-dependence",
              .title = "partial dependence",
              .price = {.per_row = variant * static_cast<double>(grid) * p, .rank = 1},
              .options = [this](const Known&) { return with_features(Value::object({{"grid", grid}})); },
              .take = take_uneven});
    add_part({.method = "ale",
              .title = "accumulated local effects",
              .price = {.per_row = 2 * p},
              .options = [this](const Known&) { return with_features(Value::object({{"bins", grid}})); }});
    add_part({.method = "m-plot", .title = "M-plots", .price = {.per_row = 1}, .options = [this](const Known&) {
                return with_features(Value::object({{"bins", grid}}));
              }});
    const auto top = static_cast<double>(std::min<std::size_t>(static_cast<std::size_t>(options_.top), features_));
    if (!options_.no_rows && options_.top > 0) {
      add_part({.name = "ice",
                .method = "ice",
                .title = "curves of single rows",
                .price = {.per_row = variant * static_cast<double>(grid) * top, .rank = 4},
                .options = [this](const Known& known) -> Value {
                  return Value::object(
                      {{"features", top_features(known)}, {"grid", grid}, {"center", true}, {"curves", shown_curves}});
                }});
    }
    add_part({.name = "regional-effects",
              .method = "regional-effects",
              .title = "effects in regions of the data",
              .price = {.per_row = variant * 2 * static_cast<double>(importance_grid * regional_features), .rank = 6},
              .options = [](const Known& known) -> Value {
                if (known.uneven.empty()) return {};
                return Value::object({{"features", known.uneven}, {"grid", importance_grid}, {"depth", 1}});
              },
              .take = [](Result& result, Known&) { keep_divided(result); }});
    list_pairs(p, variant);
    if (options_.no_rows || options_.top == 0) return;
    add_part({.name = "what-if",
              .method = "ice",
              .title = "what if a row were different",
              .price = {.fixed = top * static_cast<double>(grid * options_.examples), .rank = 3},
              .options = [this](const Known& known) -> Value {
                if (known.examples.empty()) return {};
                return Value::object({{"features", top_features(known)}, {"rows", rows_of(known)}, {"grid", grid}});
              }});
  }

  void list_shapley(double p) {
    add_part({.name = "shap",
              .method = "shap",
              .title = "Shapley values",
              .price = {.per_row = by_trees_ ? 4 * p : 0, .fixed = own_predictions(), .rank = 2},
              .options = [this](const Known&) { return with_budget(Value::object({{"explain", shown_rows}})); },
              .take =
                  [this](Result& result, Known& known) {
                    // The method knows no choice of features; the other rankings are about these only.
                    std::erase_if(result.results, [this](const ResultItem& item) {
                      const auto* entry = std::get_if<Importance>(&item);
                      const Texts& wanted = options_.features;
                      return entry != nullptr && !wanted.empty() &&
                             std::find(wanted.begin(), wanted.end(), entry->feature) == wanted.end();
                    });
                    // Without the truth: unlike partial dependence these values see what acts through others.
                    if (!has_target_) take_ranking(result, known);
                    if (options_.no_rows) {
                      take_out<Attributions>(result);
                      return;
                    }
                    known.examples = choose(result);
                    known.example_values = examples_of(result, known.examples);
                  }});
  }

  void list_pairs(double p, double variant) {
    const auto pairs = static_cast<double>(options_.pairs);
    add_part({.name = "interactions",
              .method = "interactions",
              .title = "interactions",
              .price = {.per_row = by_trees_ ? 2 * p : 0, .fixed = own_predictions(), .rank = 3},
              .options =
                  [this](const Known& known) {
                    return with_budget(Value::object({{"features", first(known.ranked, most_pair_features())}}));
                  },
              .take = [this](Result& result,
                             Known& known) { take_pairs(result, static_cast<std::size_t>(options_.pairs), known); }});
    if (options_.features.empty()) {
      add_part({.name = "decomposition",
                .method = "decomposition",
                .title = "decomposition",
                .price = {.per_row = by_trees_ ? 2 * p : 0, .fixed = own_predictions(), .rank = 7},
                .options = [this](const Known&) {
                  return with_budget(
                      Value::object({{"order", features_ <= decomposed_features ? 2 : 1}, {"surfaces", 0}}));
                }});
    }
    const auto pair_options = [](const char* size, std::int64_t points) {
      return [=](const Known& known) -> Value {
        if (known.pairs.empty()) return {};
        return Value::object({{"pairs", known.pairs}, {size, points}});
      };
    };
    // Alone: the single features of these pairs have their curves already.
    add_part({.name = "ale-pairs",
              .method = "ale",
              .title = "pairs by accumulated local effects",
              .price = {.per_row = 6 * pairs, .rank = 5},
              .options = pair_options("pair_bins", pair_grid)});
    add_part({.name = "pd-pairs",
              .method = "partial-dependence",
              .title = "pairs by partial dependence",
              .price = {.per_row = variant * static_cast<double>(pair_grid * pair_grid) * pairs, .rank = 8},
              .options = pair_options("pair_grid", pair_grid),
              .take = [](Result& result, Known&) { take_out<Curve>(result); }});
  }

  // What a method with a budget of its own asks for, where it is not read off trees.
  [[nodiscard]] double own_predictions() const {
    if (by_trees_) return 0;
    return static_cast<double>(options_.predictions > 0 ? options_.predictions : usual_predictions);
  }

  void add_part(Part part) {
    const auto& entries = catalogue();
    const bool known =
        std::any_of(entries.begin(), entries.end(), [&](const auto& e) { return e.name == part.method; });
    if (known) parts_.push_back(std::move(part));
  }

  void add(const Part& part, Known& known) {
    Value own = part.options ? part.options(known) : Value::object();
    if (own.is_null()) return;
    Value all = run_values_;
    // Named rows are computed alone, and a loss is that of predictions as they are.
    if (own.find("rows") != nullptr) all.set("sample", 0);
    if (part.method == "performance" || part.method == "permutation-importance") all.set("scale", "response");
    for (const auto& [name, value] : own.as_object()) all.set(name, value);
    try {
      Result result = explain(part.method, model_, source_, all, context_, &memory_);
      for (Caveat& caveat : result.caveats) {
        caveat.advice = advice_within_report(caveat.advice, find_method(part.method));
        // The time may have chosen the sample; who repeats it by its size reads the same.
        if (caveat.id == "sampled-rows") caveat.advice = "a larger budget (0 = no limit) or sample uses more rows";
      }
      const bool found = !result.results.empty();
      if (known.ranked.empty()) known.ranked = used_features(result);
      if (part.take) part.take(result, known);
      if (found && result.results.empty()) return;
      // A few rows of the same data, which the page need not tell of.
      if (own.find("rows") != nullptr) result.data = results_.front().data;
      results_.push_back(std::move(result));
      if (known.example_values) results_.push_back(std::move(*std::exchange(known.example_values, std::nullopt)));
    } catch (const Error& error) {
      // A model that fails, and a target that does not fit, are for the user to mend; what a single method cannot do
      // is no reason to be without the others.
      if (part.price.rank == 0 || (error.kind() != ErrorKind::usage && error.kind() != ErrorKind::data)) throw;
      left_out_.push_back(part.title + ": " + error.message());
    }
  }

  [[nodiscard]] static Texts used_features(const Result& result) {
    Texts names;
    for (const Curve* curve : items_of<Curve>(result)) {
      if (std::find(names.begin(), names.end(), curve->axis.feature) == names.end())
        names.push_back(curve->axis.feature);
    }
    return names;
  }
  [[nodiscard]] static std::vector<std::int64_t> rows_of(const Known& known) {
    std::vector<std::int64_t> rows;
    for (const ExampleRow& example : known.examples) rows.push_back(static_cast<std::int64_t>(example.row));
    std::sort(rows.begin(), rows.end());
    return rows;
  }
  [[nodiscard]] std::vector<ExampleRow> choose(const Result& result) const {
    const Value* scale = result.options.find("scale");
    RowFacts facts = facts_;
    // Numbers can be compared with the truth only as they are.
    if (facts.classes == 0 && (scale == nullptr || scale->as_string() != "response")) facts.truth = {};
    return example_rows(items_of<Attributions>(result), static_cast<std::size_t>(options_.examples), facts);
  }

  [[nodiscard]] Result summary() const {
    Result result;
    result.method = "report";
    result.version = version();
    if (!results_.empty()) {
      result.model = results_.front().model;
      result.data = results_.front().data;
    }
    result.model.set("features", static_cast<std::uint64_t>(model_features_));
    for (const char* size : {"trees", "leaves", "max_depth"}) {
      if (const Value* value = model_.signature().detail.find(size)) result.model.set(size, *value);
    }
    result.model.set("explained_by", by_trees_ ? "its trees, exactly" : "its predictions");
    result.options = write_options(read_options<RunOptions>(run_values_));
    const Value own = write_options(options_);
    for (const auto& [name, value] : own.as_object()) result.options.set(name, value);
    Texts skip = options_.skip;
    skip.insert(skip.end(), skipped_.begin(), skipped_.end());
    result.options.set("skip", skip)
        .set("sample", sample_)
        .set("engine", by_trees_ ? "trees" : "blackbox")
        .set("left_out", left_out_);
    if (measured_) result.options.set("measured_seconds_per_row", *measured_);
    if (changing_) result.caveats.push_back(*changing_);
    return result;
  }

  const Model& model_;
  const Source& source_;
  Context& context_;
  RunMemory memory_;  // all parts are about the same rows
  ReportOptions options_;
  Value run_values_;
  double seconds_ = 0;
  bool has_target_ = false, by_trees_ = false;
  std::size_t model_features_ = 0;
  std::size_t features_ = 0;  // that the report is about
  std::uint64_t rows_ = 0;    // that are used
  std::uint64_t sample_ = 0;  // the same, or 0 = all
  RowFacts facts_;
  std::optional<double> measured_;
  std::vector<Part> parts_;
  std::vector<bool> keeps_;
  Texts skipped_;  // for want of time
  std::vector<Result> results_;
  Texts left_out_;
  std::optional<Caveat> changing_;
};

}  // namespace

std::vector<OptionSpec> report_options() {
  std::vector<OptionSpec> specs = describe_options<ReportOptions>();
  for (OptionSpec& spec : describe_options<RunOptions>()) specs.push_back(std::move(spec));
  return specs;
}

std::vector<Result> report(const Model& model, const Source& source, const Value& options, Context& context) {
  return Report(model, source, options, context).run();
}

}  // namespace sightglass
