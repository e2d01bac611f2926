#include "sightglass/learn/rulefit.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "sightglass/base/error.h"
#include "sightglass/learn/rules/rule_items.h"
#include "sightglass/learn/rules/rule_lasso.h"
#include "sightglass/learn/rules/rule_model.h"
#include "sightglass/learn/rules/rule_terms.h"
#include "sightglass/learn/rules/term_refit.h"

namespace sightglass {

namespace {

constexpr std::size_t fewest_rows = 3;
// On the way to a penalty; where a number of terms is wanted, they must not be passed over.
constexpr std::size_t penalties_on_the_way = 12, penalties_by_terms = 40;

void check(const TrainingData& data, const RulefitOptions& options) {
  if (data.rows < fewest_rows) {
    throw Error(ErrorKind::data, "RuleFit needs at least " + std::to_string(fewest_rows) + " rows, there are " +
                                     std::to_string(data.rows));
  }
  if (!(data.total_weight() > 0)) {
    throw Error(ErrorKind::data, "no row has a weight above 0", "check the column of weights");
  }
  if (options.honest_folds == 1)
    throw Error(ErrorKind::usage, marked("{Option:honest_folds} cannot be 1"), "use 0 for none, or at least 2");
}

std::uint32_t folds_for(const TrainingData& data, std::int64_t wanted) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(static_cast<std::uint64_t>(wanted), data.rows));
}

RuleTreeOptions tree_options(const RulefitOptions& options) {
  return {.max_rules = static_cast<std::uint64_t>(options.max_rules),
          .mean_leaves = options.mean_leaves,
          .learning_rate = options.learning_rate,
          .seed = static_cast<std::uint64_t>(options.seed)};
}

std::size_t most_terms(const RulefitOptions& options) {
  return options.rules == 0 ? SIZE_MAX : static_cast<std::size_t>(options.rules);
}

// The place in the path: as the held-out loss says, among those with few enough terms.
std::size_t choose(const RuleTerms& terms, const std::vector<RulePathPoint>& path, const RulefitOptions& options) {
  const std::size_t best = options.choose == "min" ? path_minimum(path) : path_one_se(path);
  if (options.rules == 0) return best;
  std::size_t chosen = 0;
  for (std::size_t place = 0; place <= best; ++place) {
    const bool few = distinct_terms(terms, path[place].solution).size() <= most_terms(options);
    if (few && (place == best || path[place].cv_mean <= path[chosen].cv_mean)) chosen = place;
  }
  return chosen;
}

// The place whose distinct terms are taken: the next one where it has more than enough, of which the most important
// stay.
std::size_t place_of_few_terms(const RuleTerms& terms, const std::vector<RulePathPoint>& path, std::size_t chosen,
                               std::size_t most) {
  if (chosen + 1 == path.size() || distinct_terms(terms, path[chosen].solution).size() >= most) return chosen;
  return distinct_terms(terms, path[chosen + 1].solution).size() > most ? chosen + 1 : chosen;
}

// The lasso's solution, or that of its few terms without a penalty.
Refit finished(RuleGram& gram, const std::vector<double>& outcome, const TrainingData& data,
               const std::vector<RulePathPoint>& path, std::size_t chosen, const RulefitOptions& options,
               const Context& context) {
  if (options.rules > 0) {
    const std::size_t place = place_of_few_terms(gram.terms(), path, chosen, most_terms(options));
    std::vector<std::uint32_t> kept = distinct_terms(gram.terms(), path[place].solution);
    kept.resize(std::min(kept.size(), most_terms(options)));
    std::sort(kept.begin(), kept.end());
    return refit_terms(gram.terms(), outcome, data.task(), data.classes.size(), kept, context);
  }
  PolishedRules polished = polish(gram, outcome, data.task(), data.classes.size(), path[chosen], context);
  return {std::move(polished.solution), polished.settled};
}

TrainingData other_folds(const TrainingData& data, std::span<const std::uint32_t> folds, std::uint32_t without) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < data.rows; ++row) {
    if (folds[row] != without) rows.push_back(row);
  }
  return rows_of(data, rows);
}

double row_loss(const std::vector<double>& margins, const TrainingData& data, std::size_t row) {
  const double outcome = data.outcome[row];
  if (data.task() == Task::regression) return (outcome - margins[0]) * (outcome - margins[0]);
  if (data.task() == Task::binary) {
    const double margin = outcome > 0.5 ? margins[0] : -margins[0];
    return margin > 0 ? std::log1p(std::exp(-margin)) : std::log1p(std::exp(margin)) - margin;
  }
  const double largest = *std::max_element(margins.begin(), margins.end());
  double sum = 0;
  for (const double margin : margins) sum += std::exp(margin - largest);
  return std::log(sum) + largest - margins[static_cast<std::size_t>(outcome)];
}

// A whole fit without the rows of a fold, at a penalty.
RuleModel fit_without(const TrainingData& part, double penalty, const RulefitOptions& options, const Context& context) {
  const std::vector<std::uint32_t> one_fold(part.rows, 0);
  const RuleTerms terms = find_rule_terms(part, fold_rows(one_fold, 1), options.linear, tree_options(options), context);
  RuleGram gram(terms, context);
  const std::vector<double> outcome = terms.rows.rows.placed(part.outcome);
  const RulePathOptions path_options{.penalties = options.rules > 0 ? penalties_by_terms : penalties_on_the_way,
                                     .down_to = penalty,
                                     .cross_validate = false,
                                     .most_terms = most_terms(options)};
  const auto path = fit_rule_path(gram, outcome, part.task(), part.classes.size(), path_options, context);
  std::size_t last = path.size() - 1;
  while (options.rules > 0 && last > 0 && distinct_terms(terms, path[last].solution).size() > most_terms(options))
    --last;
  return make_rule_model(terms, finished(gram, outcome, part, path, last, options, context).solution);
}

// The loss of held-out rows where rules are grown anew for each fold.
std::optional<FoldLoss> honest_loss(const TrainingData& data, double penalty, const RulefitOptions& options,
                                    const Context& context) {
  if (options.honest_folds == 0) return std::nullopt;
  const std::uint32_t count = folds_for(data, options.honest_folds);
  const auto folds = folds_of(data.rows, count, static_cast<std::uint64_t>(options.seed) + 1);
  std::vector<double> losses(count), weights(count);
  std::vector<double> row(data.features.size());
  for (std::uint32_t fold = 0; fold < count; ++fold) {
    const RuleModel model = fit_without(other_folds(data, folds, fold), penalty, options, context);
    for (std::size_t r = 0; r < data.rows; ++r) {
      if (folds[r] != fold) continue;
      for (std::size_t f = 0; f < row.size(); ++f) row[f] = data.features[f].values[r];
      losses[fold] += data.weight(r) * row_loss(margins(model.structure, row), data, r);
      weights[fold] += data.weight(r);
    }
    losses[fold] /= weights[fold];
  }
  FoldLoss loss;
  const double total = data.total_weight();
  for (std::uint32_t fold = 0; fold < count; ++fold) loss.mean += weights[fold] / total * losses[fold];
  for (std::uint32_t fold = 0; fold < count; ++fold)
    loss.se += weights[fold] / total * (losses[fold] - loss.mean) * (losses[fold] - loss.mean);
  loss.se = std::sqrt(loss.se / (count - 1));
  return loss;
}

Learned fit_rulefit(const TrainingData& data, const Value& given, const Context& context) {
  const auto options = read_options<RulefitOptions>(given);
  check(data, options);
  const std::uint32_t fold_count = folds_for(data, options.folds);
  const auto folds = folds_of(data.rows, fold_count, static_cast<std::uint64_t>(options.seed));

  const RuleTerms terms =
      find_rule_terms(data, fold_rows(folds, fold_count), options.linear, tree_options(options), context);
  RuleGram gram(terms, context);
  const std::vector<double> outcome = terms.rows.rows.placed(data.outcome);
  const auto path =
      fit_rule_path(gram, outcome, data.task(), data.classes.size(), {.most_terms = most_terms(options)}, context);
  const std::size_t chosen = choose(terms, path, options);
  const Refit found = finished(gram, outcome, data, path, chosen, options, context);
  const RuleModel model = make_rule_model(terms, found.solution);
  const auto honest = honest_loss(data, path[chosen].penalty, options, context);

  Learned learned;
  FittedRules fitted{data, terms, path, chosen, model, options.rules > 0, honest};
  if (fitted.refitted) fitted.chosen_from = place_of_few_terms(terms, path, chosen, most_terms(options));
  learned.shown = rule_items(fitted);
  learned.structure = model.structure;
  learned.link = link_of(data.task());
  learned.size = model.numbers.size();
  learned.detail.set("penalty", path[chosen].penalty)
      .set("trees", std::uint64_t{terms.leaves.size()})
      .set("rules_generated", terms.generated)
      .set("rules_distinct", std::uint64_t{terms.rules.size()})
      .set("rules", std::uint64_t{model.rules})
      .set("linear_terms", std::uint64_t{model.numbers.size() - model.rules});
  if (!found.settled) {
    learned.caveats.push_back({.id = "not-converged",
                               .severity = Severity::caution,
                               .message = "the search for the coefficients ended before they settled",
                               .advice = marked("use fewer {option:rules}, or {option:choose} one-se")});
  }
  if (found.ridge > 0) {
    learned.detail.set("ridge", found.ridge);
    learned.caveats.push_back(
        {.id = "separable",
         .severity = Severity::warning,
         .message = "the rules tell some rows apart without any error, so that their "
                    "coefficients have no limit: a tiny ridge penalty holds them, and their sizes "
                    "mean little",
         .evidence = Value::object({{"ridge", found.ridge}}),
         .advice = marked("use fewer {option:rules}, or look for a feature that gives the outcome "
                          "away")});
  }
  return learned;
}

}  // namespace

LearnerEntry rulefit() {
  LearnerEntry entry;
  entry.name = "rulefit";
  entry.about = {.title = "RuleFit", .short_name = "RuleFit", .family = Family::learners};
  entry.question = "Which rules and straight lines, added up, say most of the outcome?";
  entry.when = "effects are partly straight lines and partly thresholds that depend on one another";
  entry.when_not = "one short list of exclusive cases is wanted: rules overlap, and their effects add up; use a tree";
  entry.formula = "F(x) = a_0 + Σ a_k r_k(x) + Σ b_j l_j(x_j), chosen by mean loss + λ (Σ |a_k| + Σ |b_j|)";
  entry.paper = "Friedman, Popescu 2008, Predictive learning via rule ensembles";
  entry.cost = "trees on 100 + 6√n rows each; rows / 64 per pair of rules looked at; once more for each honest fold";
  entry.size_unit = "rules and terms";
  entry.size_option = "rules";
  entry.results = {"rules", "terms", "importance", "penalty_path", "figure"};
  entry.options = describe_options<RulefitOptions>();
  entry.fit = fit_rulefit;
  return entry;
}

}  // namespace sightglass
