#include "sightglass/methods/performance/error_regions.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/base/random.h"
#include "sightglass/learn/tree/grow.h"
#include "sightglass/learn/tree/show.h"
#include "sightglass/methods/grid/feature_grid.h"
#include "sightglass/methods/losses/losses.h"
#include "sightglass/methods/losses/predicted_rows.h"
#include "sightglass/methods/rows/labelled_rows.h"

namespace sightglass {

namespace {

constexpr std::uint64_t half_stream = 0x6572'726f'7273;  // "errors"
constexpr std::size_t fewest_rows = 20;
constexpr double share_of_leaf = 1.0 / 30;
// Fewer rows cannot be divided and judged.
constexpr std::size_t fewest_to_divide = 4 * fewest_rows;

// Of the judged rows at a node.
struct NodeSums {
  ExactMoments losses;
  ExactSum weight, squares;
  std::uint64_t rows = 0;

  void add(double loss, double w) {
    losses.add(loss, w);
    weight.add(w);
    squares.add_product(w, w);
    ++rows;
  }
  [[nodiscard]] double mean() const { return losses.mean(weight.value()); }
  [[nodiscard]] double variance() const { return std::max(0.0, losses.variance(weight.pair())); }
  [[nodiscard]] double se() const {
    const double total = weight.value(), effective = total * total / squares.value();
    return effective > 1 ? std::sqrt(variance() / (effective - 1)) : 0;
  }
};

class RegionSearch {
 public:
  RegionSearch(const MethodInput& input, const ErrorRegionsOptions& options, const LabelledRows& rows)
      : input_(input), options_(options), rows_(rows), columns_(chosen_features(input, options.features)) {}

  Result run() {
    measure();
    if (judged_.size() + fitted_.size() < fewest_to_divide) {
      result_.caveats.push_back({.id = "too-few-rows",
                                 .severity = Severity::caution,
                                 .message = "only " + std::to_string(judged_.size() + fitted_.size()) +
                                            " rows have a truth: too few to tell regions apart",
                                 .evidence = Value::object({{"rows", judged_.size() + fitted_.size()}}),
                                 .advice = "use more rows"});
      if (judged_.empty()) return std::move(result_);
    }
    grow_tree();
    judge();
    show();
    return std::move(result_);
  }

 private:
  void measure() {
    const std::string name = options_.loss != "auto"           ? options_.loss
                             : input_.task == Task::regression ? "absolute"
                                                               : "log-loss";
    const LossInfo& info = loss_info(name);
    const Outcome outcome(input_, info.of_classes, rows_.truths);
    const Loss loss(info, outcome);
    label_ = info.label;
    output_ = outcome.output_name();
    result_.caveats = outcome.caveats();
    losses_.assign(rows_.rows(), 0);
    std::uint64_t left_out = 0;
    for (std::size_t row = 0; row < rows_.rows(); ++row) {
      const double truth = outcome.truth(rows_.truths[row]);
      if (std::isnan(truth)) {
        ++left_out;
        continue;
      }
      if (!(rows_.weights[row] > 0)) continue;
      loss.terms(rows_.answer(row), truth, {&losses_[row], 1});
      const bool even = random_bits(input_.seed, half_stream, rows_.ids[row]) % 2 == 0;
      (even ? fitted_ : judged_).push_back(row);
    }
    if (left_out > 0) {
      const std::string& target = input_.schema[*input_.target].name;
      result_.caveats.push_back({.id = "missing-target",
                                 .severity = Severity::note,
                                 .message = std::to_string(left_out) + " of " + std::to_string(rows_.rows()) +
                                            " rows have no (finite) " + target + " and were left out",
                                 .evidence = Value::object({{"target", target}, {"rows", left_out}}),
                                 .advice = "check the column"});
    }
    // A single row is judged.
    if (judged_.empty()) std::swap(judged_, fitted_);
  }

  void grow_tree() {
    data_ = features_of(input_, rows_, columns_, fitted_);
    std::vector<double> outcome, weights;
    for (const std::size_t row : fitted_) {
      outcome.push_back(losses_[row]);
      weights.push_back(rows_.weights[row]);
    }
    if (fitted_.size() * 2 < fewest_to_divide || data_.features.empty()) {
      tree_.nodes = {GrownNode{}};
      return;
    }
    GrowOptions options;
    options.max_depth = static_cast<std::size_t>(options_.max_depth);
    options.min_leaf_rows =
        options_.min_leaf_rows > 0
            ? static_cast<std::size_t>(options_.min_leaf_rows)
            : std::max(fewest_rows, static_cast<std::size_t>(share_of_leaf * static_cast<double>(fitted_.size())));
    tree_ =
        grow(SortedFeatures(data_, *input_.context), {.values = outcome, .weights = weights}, options, *input_.context);
  }

  // Numbers of the nodes are those of the other half.
  void judge() {
    const TrainingData others = features_of(input_, rows_, columns_, judged_);
    sums_.assign(tree_.nodes.size(), {});
    std::vector<std::size_t> parent(tree_.nodes.size(), 0);
    for (std::size_t i = 0; i < tree_.nodes.size(); ++i) {
      if (tree_.nodes[i].is_leaf()) continue;
      parent[static_cast<std::size_t>(tree_.nodes[i].left)] = i;
      parent[static_cast<std::size_t>(tree_.nodes[i].right)] = i;
    }
    for (std::size_t k = 0; k < judged_.size(); ++k) {
      for (std::size_t node = leaf_of(tree_, others, k);; node = parent[node]) {
        sums_[node].add(losses_[judged_[k]], rows_.weights[judged_[k]]);
        if (node == 0) break;
      }
    }
    // Where the halves do not agree that two parts differ there is nothing to tell them apart by.
    std::vector<bool> leaf(tree_.nodes.size(), false);
    for (std::size_t i = tree_.nodes.size(); i-- > 0;) {
      const GrownNode& node = tree_.nodes[i];
      if (node.is_leaf()) continue;
      const auto is_leaf = [&](std::int32_t child) {
        const auto at = static_cast<std::size_t>(child);
        return tree_.nodes[at].is_leaf() || leaf[at];
      };
      if (is_leaf(node.left) && is_leaf(node.right)) leaf[i] = !differ(node);
    }
    std::vector<NodeSums> kept;
    std::vector<std::size_t> waiting = {0};  // in the order of cut_back: a node, then all below its left child
    while (!waiting.empty()) {
      const std::size_t at = waiting.back();
      waiting.pop_back();
      kept.push_back(sums_[at]);
      if (tree_.nodes[at].is_leaf() || leaf[at]) continue;
      waiting.push_back(static_cast<std::size_t>(tree_.nodes[at].right));
      waiting.push_back(static_cast<std::size_t>(tree_.nodes[at].left));
    }
    tree_ = cut_back(tree_, leaf);
    sums_ = std::move(kept);
    for (std::size_t i = 0; i < tree_.nodes.size(); ++i) {
      GrownNode& node = tree_.nodes[i];
      node.weight = sums_[i].rows > 0 ? sums_[i].weight.value() : 0;
      node.rows = sums_[i].rows;
      node.value = sums_[i].rows > 0 ? sums_[i].mean() : 0;
      node.impurity = sums_[i].rows > 0 ? sums_[i].variance() : 0;
    }
  }

  // In the direction in which they were told apart, by more than chance.
  [[nodiscard]] bool differ(const GrownNode& node) const {
    const NodeSums &left = sums_[static_cast<std::size_t>(node.left)],
                   &right = sums_[static_cast<std::size_t>(node.right)];
    if (left.rows == 0 || right.rows == 0) return false;
    const double expected = tree_.nodes[static_cast<std::size_t>(node.right)].value -
                            tree_.nodes[static_cast<std::size_t>(node.left)].value;
    const double found = right.mean() - left.mean();
    const double chance = z_95 * std::sqrt(left.se() * left.se() + right.se() * right.se());
    return found * expected > 0 && std::abs(found) > chance;
  }

  void show() {
    Rules rules = leaf_rules(tree_, data_);
    rules.name = "Where the model errs";
    rules.output = output_;
    rules.unit = label_;
    std::erase_if(rules.rules, [](const Rule& rule) { return !(rule.support > 0); });
    // Share of all that is lost.
    const double mean = tree_.nodes[0].value;
    for (Rule& rule : rules.rules) {
      if (mean > 0 && std::isfinite(mean)) rule.importance = rule.support * *rule.effect / mean;
    }
    std::stable_sort(rules.rules.begin(), rules.rules.end(),
                     [](const Rule& a, const Rule& b) { return *a.effect > *b.effect; });
    rules.details = Value::object({{"loss", label_}, {"mean", mean}, {"fitted_rows", fitted_.size()}});
    rules.details.set("judged_rows", judged_.size());
    Value errors = Value::array();
    for (const Rule& rule : rules.rules) errors.push_back(se_of(rule));
    rules.details.set("se", std::move(errors));
    result_.results.emplace_back(std::move(rules));
    if (tree_.nodes.size() == 1) {
      result_.caveats.push_back({.id = "no-error-region",
                                 .severity = Severity::note,
                                 .message = "no region was found in which the model errs more than elsewhere by more "
                                            "than chance",
                                 .evidence = Value::object({{"rows", judged_.size()}}),
                                 .advice = marked("use more rows, or smaller regions with {option:min_leaf_rows}")});
    }
  }

  // Of the leaf that it is about.
  [[nodiscard]] double se_of(const Rule& rule) const {
    for (std::size_t i = 0; i < tree_.nodes.size(); ++i) {
      if (tree_.nodes[i].is_leaf() && sums_[i].rows > 0 && tree_.nodes[i].value == *rule.effect) return sums_[i].se();
    }
    return 0;
  }

  const MethodInput& input_;
  const ErrorRegionsOptions& options_;
  const LabelledRows& rows_;
  std::vector<std::uint32_t> columns_;
  std::vector<double> losses_;                // per row
  std::vector<std::size_t> fitted_, judged_;  // rows
  TrainingData data_;                         // of the fitted ones
  GrownTree tree_;
  std::vector<NodeSums> sums_;
  std::string label_, output_;
  Result result_;
};

Chain<Result> start_error_regions(const MethodInput& input, const Value& given) {
  const auto options = read_options<ErrorRegionsOptions>(given);
  if (!input.target) {
    throw Error(ErrorKind::usage, "without the true outcomes nobody knows how good predictions are",
                marked("name their column with {option:target}"));
  }
  return label_rows(input, static_cast<std::uint64_t>(std::max<std::int64_t>(0, options.use_rows)))
      .then([=](const LabelledRows& rows) { return RegionSearch(input, options, rows).run(); });
}

}  // namespace

MethodEntry error_regions() {
  return {.name = "error-regions",
          .alias = "",
          .about = {.title = "Where the model errs", .short_name = "", .family = Family::performance},
          .question = "In which regions of the data are the model's errors largest?",
          .when = "the model is good on average: where to collect more data, or not to use it",
          .when_not = "rows that the model was trained on: its errors there are not those to come; few rows",
          .formula = "a regression tree of l(y_i, f(x_i)) on x_i, judged on other rows than those it was grown on",
          .paper = "Chung, Kraska, Polyzotis, Tae and Whang 2019, Slice Finder",
          .results = {"rules"},
          .expresses = "regions in which errors are larger or smaller than elsewhere",
          .cost = "rows predictions",
          .needs = {.target = Need::required},
          .access = Access::columns,
          .change = RowChange::none,
          .random = true,
          .options = describe_options<ErrorRegionsOptions>(),
          .start = start_error_regions};
}

}  // namespace sightglass
