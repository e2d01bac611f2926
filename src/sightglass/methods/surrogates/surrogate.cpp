#include "sightglass/methods/surrogates/surrogate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "sightglass/base/error.h"
#include "sightglass/learn/training_fit.h"
#include "sightglass/methods/caveats/caveat_text_internal.h"
#include "sightglass/methods/grid/feature_grid.h"
#include "sightglass/methods/losses/losses.h"
#include "sightglass/methods/rows/predicted_class.h"
#include "sightglass/methods/surrogates/certificate/rule_certificates.h"
#include "sightglass/methods/surrogates/fidelity/fidelity_caveats.h"
#include "sightglass/methods/surrogates/fidelity/fidelity_measures.h"
#include "sightglass/methods/surrogates/fidelity/knee.h"
#include "sightglass/methods/surrogates/fidelity/other_trees.h"
#include "sightglass/methods/surrogates/fidelity/scorecard_of.h"
#include "sightglass/methods/surrogates/fidelity/stability.h"
#include "sightglass/methods/surrogates/fitting/grid_rows.h"
#include "sightglass/result/shapes/frontier.h"
#include "sightglass/result/shapes/penalty_path.h"

namespace sightglass {

namespace {

constexpr std::size_t fewest_rows = 10;
constexpr double fewest_near_rows = 30;

// Classes that the target names, one per row, as indices of the model's outputs (of two classes: 1 is the output); NaN
// where it is not known. Nothing where the target is a number or does not fit the model.
std::vector<double> true_classes(const MethodInput& input, const LabelledRows& rows) {
  if (rows.truths.empty() || input.task == Task::regression) return {};
  try {
    const Outcome outcome(input, true, rows.truths);
    std::vector<double> classes;
    for (const double value : rows.truths) classes.push_back(outcome.truth(value));
    return classes;
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::internal) throw;
    return {};  // nobody asked for a loss; a note says it
  }
}

class SurrogateRun {
 public:
  SurrogateRun(const MethodInput& input, const SurrogateOptions& options, const LabelledRows& rows)
      : input_(input),
        options_(options),
        rows_(rows),
        columns_(chosen_features(input, options.features)),
        kinds_(chosen_kinds(options.learner)),
        answers_(rows.predictions.data(), rows.rows(), rows.outputs),
        even_(input.scale == Scale::margin ? 0 : 0.5),
        true_classes_(true_classes(input, rows)) {}

  Result run() {
    check_predictions();
    std::vector<double> weights = rows_.weights;
    if (options_.near) {
      const std::vector<double> near = proximities(input_, rows_, rows_.named.front(), options_.width);
      for (std::size_t row = 0; row < rows_.rows(); ++row) weights[row] *= near[row];
    }
    // Near one row nothing can be spared.
    division_ = divide_rows(rows_, std::move(weights), options_.near ? 0 : options_.held_out,
                            options_.rows_from == "grid", input_.seed);
    if (options_.near) add_near();
    if (division_.fitted.size() < fewest_rows || division_.judged().size() < fewest_rows) {
      add_too_few();
      return std::move(result_);
    }
    if (options_.votes) {
      explain_classes();
    } else {
      for (const std::size_t output : input_.explained) explain_output(output);
    }
    add_notes();
    return std::move(result_);
  }

 private:
  // Sums of their squares must neither overflow nor vanish.
  void check_predictions() const {
    double largest = 0;
    for (const double prediction : rows_.predictions) largest = std::max(largest, std::abs(prediction));
    if (largest <= 1e100 && (largest == 0 || largest >= 1e-100)) return;
    throw Error(ErrorKind::data, "the model predicts numbers that are too large or too small to be learned",
                "rescale its output");
  }

  [[nodiscard]] FittedSurrogate fit(const SurrogateKind& kind, const SurrogateTask& task, std::uint64_t size) const {
    return fit_surrogate(kind, task, size, input_.seed, *input_.context);
  }
  [[nodiscard]] std::uint64_t size_of(const SurrogateKind& kind) const {
    return options_.size > 0 && kind.usual_size > 0 ? static_cast<std::uint64_t>(options_.size) : kind.usual_size;
  }

  // One surrogate of each kind, for one output.
  void explain_output(std::size_t output) {
    const std::string& name = input_.outputs[output];
    std::vector<double> says(rows_.rows());
    for (std::size_t row = 0; row < rows_.rows(); ++row) says[row] = rows_.prediction(row, output);
    const SurrogateTask task = surrogate_task(input_, rows_, division_, columns_, says, {}, name);
    std::vector<FittedSurrogate> made;
    for (const SurrogateKind& kind : kinds_) made.push_back(fit(kind, task, size_of(kind)));
    if (options_.frontier && !options_.near) result_.results.emplace_back(frontier(task, says, made, name));
    const std::vector<double> truth = truth_of(output);
    const bool two_classes = input_.task != Task::regression && rows_.outputs == 1;
    tell(made, task, name, output, [&](const FittedSurrogate& each, const std::vector<double>& follows) {
      Compared compared{.model = says, .surrogate = follows, .even = even_, .truth = truth};
      if (!two_classes) return compared;
      compared.model_classes = answers_;
      compared.surrogate_classes = each.predicted.span();
      compared.probabilities = input_.scale == Scale::response;
      return compared;
    });
    if (input_.task != Task::regression && rows_.outputs > 1) add_classes(made, task, output);
  }

  // One surrogate of each kind for all classes: it learns which one the model predicts.
  void explain_classes() {
    if (input_.task == Task::regression) {
      throw Error(ErrorKind::usage, marked("{Option:votes}: the model predicts a number, not classes"), "leave it out");
    }
    std::vector<std::string> classes = PredictedClass(input_).names();
    std::vector<double> says(rows_.rows());
    for (std::size_t row = 0; row < rows_.rows(); ++row) {
      says[row] = static_cast<double>(most_probable_class(rows_.answer(row), even_));
    }
    std::vector<std::size_t> seen(classes.size(), 0);
    for (const std::size_t row : division_.fitted) ++seen[static_cast<std::size_t>(says[row])];
    if (std::count_if(seen.begin(), seen.end(), [](std::size_t count) { return count > 0; }) < 2) {
      throw Error(ErrorKind::data, "the model predicts one class for all rows", marked("leave {option:votes} out"));
    }
    const SurrogateTask task = surrogate_task(input_, rows_, division_, columns_, says, classes, "");
    std::vector<FittedSurrogate> made;
    for (const SurrogateKind& kind : kinds_) made.push_back(fit(kind, task, size_of(kind)));
    // On the scale of the margin the model's classes are told by another number than those of a surrogate.
    Matrix named(rows_.rows(), rows_.outputs);
    for (std::size_t row = 0; row < rows_.rows(); ++row) {
      for (std::size_t k = 0; k < rows_.outputs; ++k) {
        const bool one = rows_.outputs == 1 ? says[row] == 1 : says[row] == static_cast<double>(k);
        named.span()(row, k) = one ? 1 : 0;
      }
    }
    const bool probabilities = input_.scale == Scale::response;
    const Matrix& of_model = named;
    const MatrixSpan<const double> model_classes = probabilities ? answers_ : of_model.span();
    tell(made, task, "", std::nullopt, [&](const FittedSurrogate& each, const std::vector<double>&) {
      return Compared{.model_classes = model_classes,
                      .surrogate_classes = each.predicted.span(),
                      .probabilities = probabilities,
                      .truth = input_.explained.size() == rows_.outputs ? true_classes_ : no_truth_};
    });
  }

  // What there is to say of surrogates that learned the same: fidelity, cautions, proofs, how they look, and how they
  // compare. output: that they follow; none: classes.
  void tell(std::vector<FittedSurrogate>& made, const SurrogateTask& task, const std::string& name,
            std::optional<std::size_t> output, const auto& compared_with) {
    const std::vector<FidelityRegion> regions = regions_of(task, made);
    std::vector<Fidelity> fidelities;
    std::vector<std::optional<double>> stabilities;
    for (FittedSurrogate& each : made) {
      const std::vector<double> follows = each.column(0);
      const Compared compared = compared_with(each, follows);
      Fidelity& fidelity = fidelities.emplace_back(measure_fidelity(each, division_, regions, compared, name));
      stabilities.push_back(refit(each, task));
      if (stabilities.back()) fidelity.details.set("stability", *stabilities.back());
      if (ShownTree* tree = each.tree()) add_node_fidelity(*tree, task, division_, compared);
    }
    result_.results.emplace_back(scorecard_of(made, fidelities, division_, rows_.available, name));
    for (std::size_t i = 0; i < made.size(); ++i) {
      for (Caveat& caveat : fidelity_caveats(fidelities[i], stabilities[i], input_.outputs.size() > 1)) {
        result_.caveats.push_back(std::move(caveat));
      }
      result_.results.emplace_back(std::move(fidelities[i]));
      if (output) {
        certify(made[i], *output, name, task);
        add_other_trees(made[i], task);
      }
      show(made[i]);
    }
  }

  // Parts of each feature, and the leaves of a tree if there is one.
  [[nodiscard]] std::vector<FidelityRegion> regions_of(const SurrogateTask& task,
                                                       const std::vector<FittedSurrogate>& made) const {
    const auto parts = static_cast<std::size_t>(std::max<std::int64_t>(0, options_.regions));
    std::vector<FidelityRegion> regions = feature_regions(task.all, division_.judged(), parts);
    if (parts == 0) return regions;
    for (const FittedSurrogate& each : made) {
      const Rules* leaves = each.leaves();
      if (leaves == nullptr) continue;
      std::vector<FidelityRegion> of_leaves = rule_regions(task.all, division_.judged(), *leaves);
      regions.insert(regions.end(), of_leaves.begin(), of_leaves.end());
      break;
    }
    return regions;
  }

  // What an output should be: the number, or 1 where the class is the right one.
  [[nodiscard]] std::vector<double> truth_of(std::size_t output) const {
    if (rows_.truths.empty()) return {};
    if (input_.task == Task::regression) {
      return input_.schema[*input_.target].has_levels() ? std::vector<double>() : rows_.truths;
    }
    std::vector<double> truth = true_classes_;
    // Of one output that was asked for, the class is 1 already.
    const bool one = rows_.outputs == 1 || input_.explained.size() == 1;
    for (double& value : truth) {
      if (!std::isnan(value) && !one) value = value == static_cast<double>(output) ? 1 : 0;
    }
    return truth;
  }

  [[nodiscard]] Frontier frontier(const SurrogateTask& task, const std::vector<double>& says,
                                  const std::vector<FittedSurrogate>& made, const std::string& output) const {
    Frontier shown{.output = output, .group = {}};
    shown.size_name = "leaves, rules or terms";
    const auto add = [&](const FittedSurrogate& each) {
      const Agreement found = agreement(says, each.column(0), division_.weights, division_.judged());
      const auto same = [&](const FrontierPoint& point) {
        return point.learner == each.kind->name && point.size == each.learned.size;
      };
      if (each.learned.size == 0 || std::any_of(shown.points.begin(), shown.points.end(), same)) return;
      FrontierPoint point{.learner = each.kind->name, .title = each.kind->title, .size = each.learned.size};
      point.value = found.r2;
      point.se = found.se;
      point.low = found.low();
      point.high = std::min(1.0, found.high());
      shown.points.push_back(std::move(point));
    };
    for (const FittedSurrogate& each : made) {
      add(each);
      for (const std::uint64_t size : each.kind->sizes) {
        if (size != size_of(*each.kind)) add(fit(*each.kind, task, size));
      }
    }
    mark_frontier(shown);
    return shown;
  }

  // Fits it again to resampled rows; costly kinds less often.
  [[nodiscard]] std::optional<double> refit(FittedSurrogate& each, const SurrogateTask& task) const {
    if (each.kind->refit_cost == 0) return std::nullopt;
    const auto times = static_cast<std::uint64_t>(options_.refits) / each.kind->refit_cost;
    if (times == 0) return std::nullopt;
    std::vector<Learned> refits;
    for (std::uint64_t draw = 0; draw < times; ++draw) {
      refits.push_back(each.kind->fit(resampled(task.training, input_.seed, draw), size_of(*each.kind), input_.seed,
                                      *input_.context));
    }
    return add_stability(each.learned.shown, refits, task.training);
  }

  // What the surrogate looks like: its figures and paths belong to a model of its own.
  void show(FittedSurrogate& each) {
    const bool is_tree = each.tree() != nullptr;
    if (is_tree) each.tree()->name = each.kind->title + " as surrogate";
    for (ResultItem& item : each.learned.shown) {
      if (item.is<Figure>() || item.is<PenaltyPath>() || item.is<Importance>() || (is_tree && item.is<Rules>()))
        continue;
      result_.results.push_back(std::move(item));
    }
  }

  // What is proven about the model wherever a leaf's or a rule's conditions hold.
  void certify(FittedSurrogate& each, std::size_t output, const std::string& name, const SurrogateTask& task) {
    const auto boxes = static_cast<std::uint64_t>(options_.proof);
    if (const Rules* own = each.leaves()) {
      Rules leaves = *own;
      if (!certify_rules(input_, rows_, task.all, columns_, output, boxes, leaves)) return;
      double most = 0, reached = 0;
      for (const Rule& leaf : leaves.rules) {
        if (!leaf.range) continue;
        most = std::max({most, leaf.range->high - *leaf.effect, *leaf.effect - leaf.range->low});
        reached = std::max({reached, leaf.range->greatest - *leaf.effect, *leaf.effect - leaf.range->least});
      }
      leaves.name = each.kind->title + ": what is proven of its leaves";
      result_.results.emplace_back(std::move(leaves));
      result_.results.emplace_back(Figure{
          .name = each.kind->title + ": largest disagreement, proven",
          .id = "largest-disagreement",
          .output = name,
          .group = {},
          .value = most,
          .se = std::nullopt,
          .meaning = "for no input within the ranges of the rows used, whatever the combination, do surrogate and "
                     "model differ by more; an input was found where they differ by " +
                     number_text(reached)});
      return;
    }
    for (ResultItem& item : each.learned.shown) {
      if (auto* rules = item.as<Rules>()) {
        (void)certify_rules(input_, rows_, task.all, columns_, output, boxes, *rules);
      }
    }
  }

  void add_other_trees(const FittedSurrogate& each, const SurrogateTask& task) {
    // Kinds that are costly to fit again have one that is not beside them.
    if (each.tree() == nullptr || each.kind->refit_cost != 1 || !(options_.alternatives > 0)) return;
    auto card = other_trees(each, task, size_of(*each.kind), options_.alternatives, input_.seed, *input_.context,
                            [&](const FittedSurrogate& tree) {
                              const Agreement found =
                                  agreement(task.all.outcome, tree.column(0), division_.weights, division_.judged());
                              return TreeFidelity{found.r2, found.low(), std::min(1.0, found.high())};
                            });
    if (card) result_.results.emplace_back(std::move(*card));
  }

  // Classes by the surrogates of all outputs together, once the last of them is there.
  void add_classes(const std::vector<FittedSurrogate>& made, const SurrogateTask& task, std::size_t output) {
    for (std::size_t i = 0; i < made.size(); ++i) {
      if (of_outputs_.size() <= i) of_outputs_.emplace_back(rows_.rows(), rows_.outputs);
      for (std::size_t row = 0; row < rows_.rows(); ++row) {
        of_outputs_[i].span()(row, output) = made[i].predicted(row, 0);
      }
    }
    if (++outputs_done_ < rows_.outputs) return;
    const auto parts = static_cast<std::size_t>(std::max<std::int64_t>(0, options_.regions));
    const std::vector<FidelityRegion> regions = feature_regions(task.all, division_.judged(), parts);
    for (std::size_t i = 0; i < made.size(); ++i) {
      const Matrix& together = of_outputs_[i];
      Fidelity fidelity = measure_fidelity(made[i], division_, regions,
                                           {.model_classes = answers_,
                                            .surrogate_classes = together.span(),
                                            .probabilities = input_.scale == Scale::response,
                                            .truth = true_classes_},
                                           "");
      fidelity.title += ", one per class";
      for (Caveat& caveat : fidelity_caveats(fidelity, std::nullopt, true)) {
        result_.caveats.push_back(std::move(caveat));
      }
      result_.results.emplace_back(std::move(fidelity));
    }
  }

  // Which row, and how many others count.
  void add_near() {
    double sum = 0, squares = 0;
    for (const std::size_t row : division_.fitted) {
      sum += division_.weights[row];
      squares += division_.weights[row] * division_.weights[row];
    }
    const double effective = squares > 0 ? sum * sum / squares : 0;
    const std::string row = "row " + std::to_string(*options_.near);
    const auto add = [&](std::string name, std::string_view id, const std::string& output, double value,
                         std::string meaning) {
      result_.results.emplace_back(Figure{.name = std::move(name),
                                          .id = OpenWord<FigureId>(std::string(id)),
                                          .output = output,
                                          .group = {},
                                          .value = value,
                                          .se = std::nullopt,
                                          .meaning = std::move(meaning)});
    };
    for (const std::size_t output : input_.explained) {
      add("prediction of " + row, "row-prediction", input_.outputs[output], rows_.named.front().predictions[output],
          "what the model says of the row whose surroundings are explained");
    }
    const std::string of = std::to_string(division_.fitted.size()) + " rows used";
    add("rows that count near " + row, "near-rows", "", effective,
        "effective number of the " + of +
            " (Σw)² / Σw², by how near they are: all figures here, also counts of rows, "
            "go by these weights");
    if (effective >= fewest_near_rows) return;
    result_.caveats.push_back({.id = "few-near-rows",
                               .severity = Severity::caution,
                               .message = "hardly any row counts near " + row + ": the " + of +
                                          " are worth as many as " + number_text(effective) + ", too few to learn from",
                               .evidence = Value::object({{"rows", effective}, {"used", division_.fitted.size()}}),
                               .advice = marked("raise {option:width}")});
  }

  void add_too_few() {
    const std::size_t rows = std::min(division_.fitted.size(), division_.judged().size());
    result_.caveats.push_back({.id = "too-few-rows",
                               .severity = Severity::warning,
                               .message = std::to_string(rows) + " rows are too few to fit a surrogate to",
                               .evidence = Value::object({{"rows", rows}, {"least", fewest_rows}}),
                               .advice = marked("take more rows, or lower {option:held_out}")});
  }

  void add_notes() {
    if (!rows_.truths.empty() && input_.task != Task::regression && true_classes_.empty()) {
      result_.caveats.push_back({.id = "target-not-classes",
                                 .severity = Severity::note,
                                 .message =
                                     "the target does not name the model's classes, so that how often it is right "
                                     "is not told",
                                 .advice = marked("name the classes: {option:classes}")});
    }
    const std::string made = std::to_string(rows_.rows() - rows_.of_data);
    if (division_.on_grid) {
      result_.caveats.push_back(
          {.id = "made-rows",
           .severity = Severity::note,
           .message = "surrogates are fitted to " + made +
                      " rows made of a grid of values, many of which may be unlike "
                      "any row of the data",
           .evidence = Value::object({{"made", rows_.rows() - rows_.of_data}, {"fitted", division_.fitted.size()}}),
           .advice = marked("compare fidelity on made rows and on those of the data")});
    } else if (rows_.of_data < rows_.available) {
      result_.caveats.push_back(
          {.id = "some-rows",
           .severity = Severity::note,
           .message = "surrogates are fitted to " + std::to_string(division_.fitted.size()) + " of " +
                      std::to_string(rows_.available) + " rows, drawn at random",
           .evidence = Value::object({{"rows", division_.fitted.size()}, {"available", rows_.available}}),
           .advice = marked("set {option:fit_rows} to 0 for all rows")});
    }
    if (!division_.on_grid && division_.held_out.empty()) {
      result_.caveats.push_back({.id = "fitted-fidelity",
                                 .severity = Severity::note,
                                 .message = "fidelity is measured on the rows that surrogates were fitted to, so it is "
                                            "too good",
                                 .advice = options_.near ? Text() : marked("raise {option:held_out}")});
    }
  }

  const MethodInput& input_;
  const SurrogateOptions& options_;
  const LabelledRows& rows_;
  std::vector<std::uint32_t> columns_;  // that surrogates may use
  std::vector<SurrogateKind> kinds_;
  MatrixSpan<const double> answers_;  // of the model: rows × outputs
  double even_;                       // from which number on one output means the second class
  std::vector<double> true_classes_, no_truth_;
  RowDivision division_;
  std::vector<Matrix> of_outputs_;  // per kind: what its surrogates of all outputs say
  std::size_t outputs_done_ = 0;
  Result result_;
};

Chain<Result> start(const MethodInput& input, const Value& given) {
  const auto options = read_options<SurrogateOptions>(given);
  (void)chosen_kinds(options.learner);
  const std::vector<std::uint32_t> columns = chosen_features(input, options.features);
  if (!(options.held_out < 1)) {
    throw Error(ErrorKind::usage, marked("{Option:held_out}: some rows must be left to fit to"), "0.25 is usual");
  }
  const bool on_grid = options.rows_from == "grid";
  if (on_grid && options.near) {
    throw Error(ErrorKind::usage, marked("{Option:near}: rows near one are rows of the data, not of a grid"),
                marked("leave {option:rows_from} or {option:near} out"));
  }
  RowIds near;
  if (options.near) near.push_back(static_cast<std::uint64_t>(*options.near));
  constexpr std::int64_t most_made = 20000;
  std::int64_t made = options.near ? 0 : options.far_rows;
  if (on_grid) made = options.fit_rows > 0 ? options.fit_rows : most_made;
  const auto about = std::make_shared<const MethodInput>(input);  // made rows look into its schema
  return label_rows(input, static_cast<std::uint64_t>(options.fit_rows), near, "near")
      .then([=](const LabelledRows& rows) -> Chain<Result> {
        if (made == 0 || rows.of_data == 0) return SurrogateRun(*about, options, rows).run();
        const auto values =
            grid_rows(*about, rows, columns, static_cast<std::size_t>(options.grid), static_cast<std::size_t>(made));
        return ask(MadeRows(about->schema, about->features, values)).then([=](const Matrix& predictions) {
          LabelledRows all = rows;
          add_made_rows(all, values, predictions);
          return SurrogateRun(*about, options, all).run();
        });
      });
}

}  // namespace

MethodEntry surrogate() {
  MethodEntry entry;
  entry.name = "surrogate";
  entry.alias = "";
  entry.about = {.title = "Surrogate models", .short_name = "Surrogates", .family = Family::surrogates};
  entry.question = "Which simple model says nearly the same as this one, and where does it not?";
  entry.when = "people are to see the gist of a model at a glance, as a tree, a few rules or terms";
  entry.when_not =
      "the surrogate follows the model badly, or single predictions matter: it explains itself, not the model";
  entry.formula = "g = argmin Σ w (f(x) − g(x))² + size; R² = 1 − Σ w (f − g)² / Σ w (f − mean f)²";
  entry.paper = "Craven & Shavlik 1995, Extracting tree-structured representations of trained networks";
  entry.scopes = {Scope::global, Scope::modular, Scope::local};
  entry.results = {"frontier", "scorecard", "fidelity", "tree", "rules", "terms", "curve", "figure"};
  entry.expresses = "a tree, rules or terms; how much of the model they say, and where they do not";
  entry.cost = "one prediction per row used or made";
  entry.access = Access::columns;
  entry.change = RowChange::none;
  entry.random = true;
  entry.options = describe_options<SurrogateOptions>();
  entry.start = start;
  return entry;
}

}  // namespace sightglass
