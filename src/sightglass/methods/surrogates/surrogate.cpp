#include "sightglass/methods/surrogates/surrogate.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/base/random.h"
#include "sightglass/learn/fit.h"
#include "sightglass/learn/training_fit.h"
#include "sightglass/methods/caveats/caveat_text_internal.h"
#include "sightglass/methods/grid/feature_grid.h"
#include "sightglass/methods/surrogates/certificate/leaf_certificates.h"
#include "sightglass/methods/surrogates/fidelity/fidelity_caveats.h"
#include "sightglass/methods/surrogates/fidelity/fidelity_parts.h"
#include "sightglass/methods/surrogates/fidelity/knee.h"
#include "sightglass/methods/surrogates/fidelity/labelled_rows.h"
#include "sightglass/methods/surrogates/fidelity/stability.h"
#include "sightglass/methods/surrogates/fidelity/surrogate_kinds.h"
#include "sightglass/model/trees/tree_rows.h"
#include "sightglass/numeric/exact_sum.h"
#include "sightglass/result/shapes/fidelity.h"
#include "sightglass/result/shapes/frontier.h"
#include "sightglass/result/shapes/penalty_path.h"
#include "sightglass/result/shapes/rules.h"
#include "sightglass/result/shapes/terms.h"
#include "sightglass/result/shapes/tree.h"

namespace sightglass {

namespace {

constexpr std::uint64_t split_stream = 0x7370'6c69'74;  // "split"
constexpr std::size_t fewest_rows = 10;
constexpr double fewest_near_rows = 30;
constexpr double least_region = 0.01;  // of the weight of all rows
constexpr std::size_t most_regions_shown = 24;

// What is to be learned: of all rows, and of those that are fitted to.
struct Lesson {
  TrainingData all;
  TrainingData training;
};

// One surrogate with what it says of all rows.
struct Surrogate {
  const SurrogateKind* kind = nullptr;
  Learned learned;
  std::unique_ptr<Model> model;
  Matrix predicted;

  [[nodiscard]] std::vector<double> column(std::size_t output) const {
    std::vector<double> values(predicted.rows());
    for (std::size_t row = 0; row < values.size(); ++row) values[row] = predicted(row, output);
    return values;
  }
};

class SurrogateRun {
 public:
  SurrogateRun(const MethodInput& input, const SurrogateOptions& options, const LabelledRows& rows)
      : input_(input),
        options_(options),
        rows_(rows),
        columns_(chosen_features(input, options.features)),
        kinds_(chosen_kinds(options.learner)) {}

  Result run() {
    check_predictions();
    weights_ = rows_.weights;
    if (options_.near) {
      const std::vector<double> near = proximities(input_, rows_, options_.width);
      for (std::size_t row = 0; row < rows_.rows(); ++row) weights_[row] *= near[row];
    }
    divide_rows();
    if (options_.near) add_near();
    if (fitted_.size() < fewest_rows) {
      add_too_few();
      return std::move(result_);
    }
    if (options_.votes) {
      explain_classes();
    } else {
      for (std::size_t k = 0; k < input_.explained.size(); ++k) explain_output(input_.explained[k]);
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

  // Rows on which nothing is fitted, by chance; near one row nothing can be spared.
  void divide_rows() {
    const double share = options_.near ? 0 : options_.held_out;
    std::vector<std::pair<std::uint64_t, std::size_t>> order;
    for (std::size_t row = 0; row < rows_.rows(); ++row) {
      if (weights_[row] > 0) order.emplace_back(random_bits(input_.seed, split_stream, rows_.ids[row]), row);
    }
    std::sort(order.begin(), order.end());
    const auto held = static_cast<std::size_t>(std::floor(share * static_cast<double>(order.size())));
    for (std::size_t i = 0; i < order.size(); ++i) (i < held ? held_out_ : fitted_).push_back(order[i].second);
    std::sort(held_out_.begin(), held_out_.end());
    std::sort(fitted_.begin(), fitted_.end());
  }

  // The rows that measure: those held out, or, where there are none, those fitted to.
  [[nodiscard]] const RowList& measured() const { return held_out_.empty() ? fitted_ : held_out_; }

  [[nodiscard]] Lesson lesson_of(std::vector<double> outcome, std::vector<std::string> classes,
                                 std::string output) const {
    Lesson lesson;
    RowList every(rows_.rows());
    std::iota(every.begin(), every.end(), std::size_t{0});
    const auto make = [&](const RowList& rows) {
      TrainingData data = features_of(input_, rows_, columns_, rows);
      data.target = "the model's predictions";
      data.output = output;
      data.classes = classes;
      bool weighted = false;
      for (const std::size_t row : rows) {
        data.outcome.push_back(outcome[row]);
        data.weights.push_back(weights_[row]);
        weighted = weighted || weights_[row] != 1;
      }
      if (!weighted) data.weights.clear();
      return data;
    };
    lesson.all = make(every);
    lesson.training = make(fitted_);
    return lesson;
  }

  [[nodiscard]] Surrogate fit(const SurrogateKind& kind, const Lesson& lesson, std::uint64_t size) const {
    Surrogate made;
    made.kind = &kind;
    made.learned = kind.fit(lesson.training, size, input_.seed, *input_.context);
    made.model = make_model(kind.entry(), lesson.training, made.learned, "the surrogate");
    made.predicted = predict(*made.model, lesson.all, *input_.context);
    return made;
  }

  [[nodiscard]] std::uint64_t size_of(const SurrogateKind& kind) const {
    return options_.size > 0 && kind.usual_size > 0 ? static_cast<std::uint64_t>(options_.size) : kind.usual_size;
  }

  void explain_output(std::size_t output) {
    const std::string& name = input_.outputs[output];
    std::vector<double> says(rows_.rows());
    for (std::size_t row = 0; row < rows_.rows(); ++row) says[row] = rows_.prediction(row, output);
    const Lesson lesson = lesson_of(says, {}, name);
    std::vector<Surrogate> made;
    for (const SurrogateKind& kind : kinds_) made.push_back(fit(kind, lesson, size_of(kind)));
    if (options_.frontier && !options_.near) result_.results.emplace_back(frontier(lesson, says, made, name));
    const std::vector<FidelityRegion> regions = regions_of(lesson, made);
    for (Surrogate& each : made) {
      const std::vector<double> follows = each.column(0);
      Fidelity fidelity = fidelity_of(each, says, follows, regions, name);
      const std::optional<double> stability = refit(each, lesson);
      if (stability) fidelity.details.set("stability", *stability);
      for (Caveat& caveat : fidelity_caveats(fidelity, stability, input_.outputs.size() > 1)) {
        result_.caveats.push_back(std::move(caveat));
      }
      result_.results.emplace_back(std::move(fidelity));
      certify(each, output, name, lesson);
      show(each, says, follows, lesson);
    }
    if (input_.task != Task::regression) add_class_agreement(made, output);
  }

  // One surrogate for all classes: it learns which one the model predicts.
  void explain_classes() {
    if (input_.task == Task::regression) {
      throw Error(ErrorKind::usage, marked("{Option:votes}: the model predicts a number, not classes"), "leave it out");
    }
    std::vector<std::string> classes = input_.outputs;
    if (classes.size() == 1) classes.insert(classes.begin(), "not " + classes[0]);
    std::vector<double> says(rows_.rows());
    for (std::size_t row = 0; row < rows_.rows(); ++row) says[row] = static_cast<double>(class_of(row));
    std::vector<std::size_t> seen(classes.size(), 0);
    for (const std::size_t row : fitted_) ++seen[static_cast<std::size_t>(says[row])];
    if (std::count_if(seen.begin(), seen.end(), [](std::size_t count) { return count > 0; }) < 2) {
      throw Error(ErrorKind::data, "the model predicts one class for all rows", marked("leave {option:votes} out"));
    }
    const Lesson lesson = lesson_of(says, classes, "");
    for (const SurrogateKind& kind : kinds_) {
      Surrogate made = fit(kind, lesson, size_of(kind));
      Fidelity fidelity{.output = {}, .group = {}, .surrogate = kind.name, .title = kind.title};
      fidelity.size = made.learned.size;
      fidelity.size_unit = kind.unit;
      fidelity.measure = "agreement";
      const auto part = [&](FidelityRows which, const RowList& rows) {
        double weight = 0, same = 0;
        for (const std::size_t row : rows) {
          weight += weights_[row];
          if (predicted_class(made.predicted, row) == static_cast<std::size_t>(says[row])) same += weights_[row];
        }
        const double share = weight > 0 ? same / weight : 0;
        const double se = std::sqrt(share * (1 - share) / static_cast<double>(std::max<std::size_t>(1, rows.size())));
        FidelityPart found{.rows = which, .count = weight, .fidelity = share, .se = se};
        found.low = std::max(0.0, share - 1.96 * se);
        found.high = std::min(1.0, share + 1.96 * se);
        fidelity.parts.push_back(std::move(found));
      };
      part(FidelityRows::fitted, fitted_);
      if (!held_out_.empty()) part(FidelityRows::held_out, held_out_);
      if (const auto stability = refit(made, lesson)) fidelity.details.set("stability", *stability);
      result_.results.emplace_back(std::move(fidelity));
      show(made, says, {}, lesson);
    }
  }

  [[nodiscard]] std::size_t class_of(std::size_t row) const {
    if (rows_.outputs == 1) return rows_.prediction(row, 0) > 0.5 ? 1 : 0;
    std::size_t best = 0;
    for (std::size_t k = 1; k < rows_.outputs; ++k) {
      if (rows_.prediction(row, k) > rows_.prediction(row, best)) best = k;
    }
    return best;
  }
  [[nodiscard]] static std::size_t predicted_class(const Matrix& predicted, std::size_t row) {
    if (predicted.columns() == 1) return predicted(row, 0) > 0.5 ? 1 : 0;
    std::size_t best = 0;
    for (std::size_t k = 1; k < predicted.columns(); ++k) {
      if (predicted(row, k) > predicted(row, best)) best = k;
    }
    return best;
  }

  // Parts of each feature, and the leaves of a tree if there is one.
  [[nodiscard]] std::vector<FidelityRegion> regions_of(const Lesson& lesson, const std::vector<Surrogate>& made) const {
    std::vector<FidelityRegion> regions =
        feature_regions(lesson.all, measured(), static_cast<std::size_t>(std::max<std::int64_t>(0, options_.regions)));
    if (options_.regions == 0) return regions;
    for (const Surrogate& each : made) {
      const bool tree = std::any_of(each.learned.shown.begin(), each.learned.shown.end(),
                                    [](const ResultItem& item) { return item.is<ShownTree>(); });
      if (!tree) continue;
      for (const ResultItem& item : each.learned.shown) {
        const auto* rules = item.as<Rules>();
        if (rules == nullptr) continue;
        std::vector<FidelityRegion> leaves = rule_regions(lesson.all, measured(), *rules);
        regions.insert(regions.end(), leaves.begin(), leaves.end());
      }
      break;
    }
    return regions;
  }

  [[nodiscard]] Fidelity fidelity_of(const Surrogate& each, const std::vector<double>& says,
                                     const std::vector<double>& follows, const std::vector<FidelityRegion>& regions,
                                     const std::string& output) const {
    Fidelity fidelity{.output = output, .group = {}, .surrogate = each.kind->name, .title = each.kind->title};
    fidelity.size = each.learned.size;
    fidelity.size_unit = each.kind->unit;
    const auto part = [&](FidelityRows which, const RowList& rows) {
      const Agreement found = agreement(says, follows, weights_, rows);
      FidelityPart made{.rows = which, .count = found.weight, .fidelity = found.r2, .se = found.se};
      made.low = found.low();
      made.high = std::min(1.0, found.high());
      made.error = std::sqrt(found.mean_square);
      return made;
    };
    fidelity.parts.push_back(part(FidelityRows::fitted, fitted_));
    if (!held_out_.empty()) fidelity.parts.push_back(part(FidelityRows::held_out, held_out_));
    add_truth(says, follows, fidelity.parts.back());
    std::vector<FidelityPart> worst;
    for (const FidelityRegion& region : regions) {
      FidelityPart found = part(FidelityRows::region, region.rows);
      // Near one row most regions hardly count.
      if (found.count < least_region * fidelity.parts.back().count) continue;
      found.conditions = region.conditions;
      worst.push_back(std::move(found));
    }
    std::stable_sort(worst.begin(), worst.end(),
                     [](const FidelityPart& a, const FidelityPart& b) { return *a.error > *b.error; });
    fidelity.details.set("regions", worst.size());
    if (worst.size() > most_regions_shown) worst.resize(most_regions_shown);
    for (FidelityPart& each_part : worst) fidelity.parts.push_back(std::move(each_part));
    return fidelity;
  }

  // How well both predict the outcome, of a number.
  void add_truth(const std::vector<double>& says, const std::vector<double>& follows, FidelityPart& part) const {
    if (rows_.truths.empty() || input_.task != Task::regression || input_.schema[*input_.target].has_levels()) return;
    RowList known;
    for (const std::size_t row : measured()) {
      if (std::isfinite(rows_.truths[row])) known.push_back(row);
    }
    if (known.size() < 2) return;
    part.model = agreement(rows_.truths, says, weights_, known).r2;
    part.surrogate = agreement(rows_.truths, follows, weights_, known).r2;
  }

  [[nodiscard]] Frontier frontier(const Lesson& lesson, const std::vector<double>& says,
                                  const std::vector<Surrogate>& made, const std::string& output) const {
    Frontier shown{.output = output, .group = {}};
    shown.size_name = "leaves, rules or terms";
    const auto add = [&](const Surrogate& each) {
      const Agreement found = agreement(says, each.column(0), weights_, measured());
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
    for (const Surrogate& each : made) {
      add(each);
      for (const std::uint64_t size : each.kind->sizes) {
        if (size != size_of(*each.kind)) add(fit(*each.kind, lesson, size));
      }
    }
    mark_frontier(shown);
    return shown;
  }

  // Fits it again to resampled rows; costly kinds less often.
  [[nodiscard]] std::optional<double> refit(Surrogate& each, const Lesson& lesson) const {
    if (each.kind->refit_cost == 0) return std::nullopt;
    const auto times = static_cast<std::uint64_t>(options_.refits) / each.kind->refit_cost;
    if (times == 0) return std::nullopt;
    std::vector<Learned> refits;
    for (std::uint64_t draw = 0; draw < times; ++draw) {
      refits.push_back(each.kind->fit(resampled(lesson.training, input_.seed, draw), size_of(*each.kind), input_.seed,
                                      *input_.context));
    }
    return add_stability(each.learned.shown, refits, lesson.training);
  }

  // What the surrogate looks like: its figures and paths belong to a model of its own.
  void show(Surrogate& each, const std::vector<double>& says, const std::vector<double>& follows,
            const Lesson& lesson) {
    const bool is_tree = std::any_of(each.learned.shown.begin(), each.learned.shown.end(),
                                     [](const ResultItem& item) { return item.is<ShownTree>(); });
    for (ResultItem& item : each.learned.shown) {
      if (item.is<Figure>() || item.is<PenaltyPath>() || item.is<Importance>() || (is_tree && item.is<Rules>()))
        continue;
      if (auto* tree = item.as<ShownTree>()) {
        tree->name = each.kind->title + " as surrogate";
        if (!follows.empty()) add_agreement(*tree, says, follows, lesson);
      }
      result_.results.push_back(std::move(item));
    }
  }

  // How far a tree can be off, proven.
  void certify(Surrogate& each, std::size_t output, const std::string& name, const Lesson& lesson) {
    ShownTree* tree = nullptr;
    const Rules* leaves = nullptr;
    for (ResultItem& item : each.learned.shown) {
      if (item.is<ShownTree>()) tree = item.as<ShownTree>();
      if (item.is<Rules>()) leaves = item.as<Rules>();
    }
    if (tree == nullptr || leaves == nullptr) return;
    auto certificates = leaf_certificates(input_, rows_, *leaves, output, static_cast<std::uint64_t>(options_.proof));
    if (certificates.empty()) return;
    for (LeafCertificate& leaf : certificates) add_rows(leaf, output, lesson);
    Value proven = Value::array();
    double most = 0, reached = 0;
    for (const LeafCertificate& leaf : certificates) {
      most = std::max(most, leaf.most());
      reached = std::max(reached, leaf.reached());
      proven.push_back(Value::object({{"leaf", conditions_text(leaf.conditions)},
                                      {"value", leaf.value},
                                      {"low", leaf.low},
                                      {"high", leaf.high},
                                      {"least", leaf.least},
                                      {"greatest", leaf.greatest},
                                      {"at_least", input_at(leaf.at_least)},
                                      {"at_greatest", input_at(leaf.at_greatest)},
                                      {"explored", leaf.explored}}));
    }
    tree->details.set("proven_leaves", std::move(proven));
    result_.results.emplace_back(Figure{
        .name = each.kind->title + ": largest disagreement, proven",
        .id = "largest-disagreement",
        .output = name,
        .group = {},
        .value = most,
        .se = std::nullopt,
        .meaning = "for no input within the ranges of the rows used, whatever the combination, do surrogate and model "
                   "differ by more; an input was found where they differ by " +
                   number_text(reached)});
  }
  // Rows of the data may go further than what the search came across.
  void add_rows(LeafCertificate& leaf, std::size_t output, const Lesson& lesson) const {
    RowList every(rows_.rows());
    std::iota(every.begin(), every.end(), std::size_t{0});
    for (const std::size_t row : rows_meeting(lesson.all, every, leaf.conditions)) {
      const double says = rows_.prediction(row, output);
      const auto values = [&] {
        std::vector<double> of_row;
        for (const auto& column : rows_.values) of_row.push_back(column[row]);
        return of_row;
      };
      if (says < leaf.least && says >= leaf.low) {
        leaf.least = says;
        leaf.at_least = values();
      }
      if (says > leaf.greatest && says <= leaf.high) {
        leaf.greatest = says;
        leaf.at_greatest = values();
      }
    }
  }

  // By feature, without those that do not matter or are not to be spoken of.
  [[nodiscard]] Value input_at(const std::vector<double>& values) const {
    Value at = Value::object();
    for (std::size_t j = 0; j < values.size(); ++j) {
      const ColumnInfo& column = input_.schema[input_.features[j]];
      const bool named = std::find(columns_.begin(), columns_.end(), input_.features[j]) != columns_.end();
      if (!named || !input_.trees->slot(input_.features[j])) continue;
      if (std::isnan(values[j])) {
        at.set(column.name, Value());
      } else if (column.has_levels()) {
        at.set(column.name, column.levels()[static_cast<std::size_t>(values[j])]);
      } else {
        at.set(column.name, values[j]);
      }
    }
    return at;
  }

  // How well each leaf stands for the model: what is left of the variance there, of all of it.
  void add_agreement(ShownTree& tree, const std::vector<double>& says, const std::vector<double>& follows,
                     const Lesson& lesson) const {
    const Agreement whole = agreement(says, follows, weights_, measured());
    if (!(whole.r2 < 1)) return;
    const double variance = whole.mean_square / (1 - whole.r2);
    std::vector<RowList> rows(tree.nodes.size());
    rows[0] = measured();
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      ShownNode& node = tree.nodes[i];
      if (!rows[i].empty()) node.agreement = 1 - agreement(says, follows, weights_, rows[i]).mean_square / variance;
      if (!node.split) continue;
      rows[node.children[0]] = rows_meeting(lesson.all, rows[i], {*node.split});
      std::set_difference(rows[i].begin(), rows[i].end(), rows[node.children[0]].begin(), rows[node.children[0]].end(),
                          std::back_inserter(rows[node.children[1]]));
    }
  }

  // Classes by the surrogates of all outputs together, once the last of them is there.
  void add_class_agreement(const std::vector<Surrogate>& made, std::size_t output) {
    for (std::size_t i = 0; i < made.size(); ++i) {
      if (of_outputs_.size() <= i) of_outputs_.emplace_back(rows_.rows(), rows_.outputs);
      for (std::size_t row = 0; row < rows_.rows(); ++row) {
        of_outputs_[i].span()(row, output) = made[i].predicted(row, 0);
      }
    }
    if (++outputs_done_ < rows_.outputs) return;
    for (std::size_t i = 0; i < made.size(); ++i) {
      ExactSum weight, same;
      for (const std::size_t row : measured()) {
        weight.add(weights_[row]);
        if (predicted_class(of_outputs_[i], row) == class_of(row)) same.add(weights_[row]);
      }
      result_.results.emplace_back(
          Figure{.name = made[i].kind->title + ": same class as the model",
                 .id = "class-agreement",
                 .output = {},
                 .group = {},
                 .value = same.value() / weight.value(),
                 .se = std::nullopt,
                 .meaning = "share of rows for which the class with the highest probability is the same"});
    }
  }

  // Which row, and how many others count.
  void add_near() {
    double sum = 0, squares = 0;
    for (const std::size_t row : fitted_) {
      sum += weights_[row];
      squares += weights_[row] * weights_[row];
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
      add("prediction of " + row, "row-prediction", input_.outputs[output], rows_.near_predictions[output],
          "what the model says of the row whose surroundings are explained");
    }
    add("rows that count near " + row, "near-rows", "", effective,
        "effective number of rows, by their weights: all figures here are about these surroundings");
    if (effective >= fewest_near_rows) return;
    result_.caveats.push_back({.id = "few-near-rows",
                               .severity = Severity::caution,
                               .message = "hardly any row counts near " + row + ": " + number_text(effective) +
                                          " effective rows are too few to learn from",
                               .evidence = Value::object({{"rows", effective}}),
                               .advice = marked("raise {option:width}")});
  }

  void add_too_few() {
    result_.caveats.push_back({.id = "too-few-rows",
                               .severity = Severity::warning,
                               .message = std::to_string(fitted_.size()) + " rows are too few to fit a surrogate to",
                               .evidence = Value::object({{"rows", fitted_.size()}, {"least", fewest_rows}}),
                               .advice = marked("take more rows, or lower {option:held_out}")});
  }

  void add_notes() {
    if (rows_.rows() < rows_.available) {
      result_.caveats.push_back({.id = "some-rows",
                                 .severity = Severity::note,
                                 .message = "surrogates are fitted to " + std::to_string(fitted_.size()) + " of " +
                                            std::to_string(rows_.available) + " rows, drawn at random",
                                 .evidence = Value::object({{"rows", fitted_.size()}, {"available", rows_.available}}),
                                 .advice = marked("set {option:fit_rows} to 0 for all rows")});
    }
    if (held_out_.empty()) {
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
  std::vector<double> weights_;
  RowList fitted_, held_out_;
  std::vector<Matrix> of_outputs_;  // per kind: what its surrogates of all outputs say
  std::size_t outputs_done_ = 0;
  Result result_;
};

Chain<Result> start(const MethodInput& input, const Value& given) {
  const auto options = read_options<SurrogateOptions>(given);
  (void)chosen_kinds(options.learner);
  (void)chosen_features(input, options.features);
  if (!(options.held_out < 1)) {
    throw Error(ErrorKind::usage, marked("{Option:held_out}: some rows must be left to fit to"), "0.25 is usual");
  }
  std::optional<std::uint64_t> near;
  if (options.near) near = static_cast<std::uint64_t>(*options.near);
  return label_rows(input, static_cast<std::uint64_t>(options.fit_rows), near).then([=](const LabelledRows& rows) {
    return SurrogateRun(input, options, rows).run();
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
  entry.results = {"frontier", "fidelity", "tree", "rules", "terms", "curve", "figure"};
  entry.expresses = "a tree, rules or terms; how much of the model they say, and where they do not";
  entry.cost = "one prediction per row used";
  entry.access = Access::columns;
  entry.change = RowChange::none;
  entry.random = true;
  entry.options = describe_options<SurrogateOptions>();
  entry.start = start;
  return entry;
}

}  // namespace sightglass
