#include "sightglass/learn/sparse_linear.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "sightglass/base/error.h"
#include "sightglass/learn/linear/fitter.h"
#include "sightglass/learn/linear/inference.h"
#include "sightglass/learn/linear/linear_caveats.h"
#include "sightglass/learn/linear/shown_terms.h"
#include "sightglass/result/shapes/figure.h"

namespace sightglass {

namespace {

OutcomeDistribution distribution_of(const TrainingData& data, const std::string& family) {
  const bool classes = !data.classes.empty();
  const auto refuse = [&](const std::string& why, const std::string& advice) {
    throw Error(ErrorKind::usage, option_text("family") + ": " + family + " " + why, advice);
  };
  if (family == "auto" || (classes && family == "multinomial")) {
    if (!classes) return OutcomeDistribution::gaussian;
    return data.classes.size() == 2 ? OutcomeDistribution::binomial : OutcomeDistribution::multinomial;
  }
  if (family == "binomial") {
    if (data.classes.size() > 2) refuse("is for two classes, and there are more", "use multinomial");
    const bool fits = std::all_of(data.outcome.begin(), data.outcome.end(), [](double y) { return y == 0 || y == 1; });
    if (!fits) refuse("is for two classes, or numbers that are 0 or 1", "use gaussian");
    return OutcomeDistribution::binomial;
  }
  if (classes) refuse("is for numbers, and the outcome has classes", "use auto");
  if (family == "multinomial") refuse("is for classes, and the outcome is a number", "use gaussian");
  const double least = *std::min_element(data.outcome.begin(), data.outcome.end());
  if (family == "poisson") {
    if (least < 0) refuse("is for counts, and there are outcomes below 0", "use gaussian");
    if (*std::max_element(data.outcome.begin(), data.outcome.end()) == 0) {
      refuse("has nothing to learn: all outcomes are 0", "check the target");
    }
    return OutcomeDistribution::poisson;
  }
  if (family == "gamma") {
    if (least <= 0) refuse("is for numbers above 0, and there are others", "use gaussian or poisson");
    return OutcomeDistribution::gamma;
  }
  return OutcomeDistribution::gaussian;
}

void refuse_missing(const TrainingData& data) {
  for (const TrainingFeature& feature : data.features) {
    const auto count =
        std::count_if(feature.values.begin(), feature.values.end(), [](double x) { return std::isnan(x); });
    if (count == 0) continue;
    throw Error(ErrorKind::data, feature_name(feature.info.name) + " has " + std::to_string(count) + " missing values",
                marked("leave such rows out, fill them, or use {option:missing} indicator"));
  }
}

// Weights as shares of their sum.
std::vector<double> shares_of(const TrainingData& data) {
  const double total = data.total_weight();
  std::vector<double> shares(data.rows);
  for (std::size_t row = 0; row < data.rows; ++row) shares[row] = data.weight(row) / total;
  return shares;
}

// What half the deviance is called, and how much of it that is.
struct LossName {
  const char* name;
  double factor;
};
LossName loss_name(OutcomeDistribution distribution) {
  switch (distribution) {
    case OutcomeDistribution::gaussian: return {"mean squared error", 2};
    case OutcomeDistribution::poisson: return {"mean Poisson deviance", 2};
    case OutcomeDistribution::gamma: return {"mean gamma deviance", 2};
    case OutcomeDistribution::binomial:
    case OutcomeDistribution::multinomial: break;
  }
  return {"log-loss", 1};
}

// Where on the path the model is, and why.
struct Choice {
  FoundFit found;
  std::optional<double> penalty = std::nullopt;
  LinearPath path = {};
  std::optional<CrossValidation> validation = std::nullopt;
  std::optional<std::size_t> place = std::nullopt;  // on the path
};

// Without a penalty, the classes' coefficients of a term can all be moved together without a change: they are given
// relative to their mean.
void centre_classes(LinearFit& fit) {
  const std::size_t outputs = fit.intercepts.size(), terms = fit.coefficients.size() / outputs;
  for (std::size_t t = 0; t < terms; ++t) {
    double mean = 0;
    for (std::size_t k = 0; k < outputs; ++k) mean += fit.coefficients[k * terms + t] / static_cast<double>(outputs);
    for (std::size_t k = 0; k < outputs; ++k) fit.coefficients[k * terms + t] -= mean;
  }
}

std::vector<double> penalties_of(const LinearFitter& fitter, const SparseLinearOptions& options) {
  return penalty_sequence(fitter.largest_lambda(options.l1_ratio), options.path_ratio,
                          static_cast<std::size_t>(options.path_length));
}

LinearPath with_points(LinearPath path) {
  if (!path.fits.empty()) return path;
  throw Error(ErrorKind::data, "one feature alone makes more terms than a model can have",
              marked("leave out features with very many levels, or use {option:categories} one-hot"));
}

// All terms are in a model without a penalty, and their products in memory.
void check_size(const Design& design, std::size_t outputs) {
  constexpr std::size_t most = 4000;
  if (outputs * (design.size() + 1) <= most) return;
  throw Error(ErrorKind::usage,
              option_text("penalty") + ": a model without a penalty would have " +
                  std::to_string(outputs * (design.size() + 1)) + " coefficients, and " + std::to_string(most) +
                  " is the limit",
              "use a penalty, or leave out features with very many levels");
}

Choice by_cross_validation(const LinearFitter& fitter, const SparseLinearOptions& options) {
  ValidatedPath validated = fitter.validated_path(penalties_of(fitter, options), options.l1_ratio);
  Choice choice{.found = {}, .path = with_points(std::move(validated.path))};
  choice.validation = cross_validation(validated.held_out);
  choice.place = options.choose == "min" ? choice.validation->minimum : choice.validation->one_se;
  choice.penalty = choice.path.penalties[*choice.place];
  choice.found = fitter.polished({*choice.penalty, options.l1_ratio}, choice.path.fits[*choice.place]);
  return choice;
}

Choice by_count(const LinearFitter& fitter, const LinearProblem& problem, const SparseLinearOptions& options,
                const Context& context) {
  Choice choice{.found = {}, .path = with_points(fitter.path(penalties_of(fitter, options), options.l1_ratio))};
  choice.found = fitter.refitted(
      best_units(fitter, problem, choice.path, static_cast<std::size_t>(*options.terms), context), true);
  return choice;
}

Choice at_penalty(const LinearFitter& fitter, const LinearProblem& problem, const SparseLinearOptions& options) {
  if (*options.penalty == 0) {
    return {.found = fitter.refitted(problem.basis.all_units(), true), .penalty = 0.0};
  }
  return {.found = fitter.polished({*options.penalty, options.l1_ratio}, fitter.refitted({}).fit),
          .penalty = options.penalty};
}

void show_path(const LinearProblem& problem, const Choice& choice, const std::vector<std::string>& outputs,
               std::vector<ResultItem>& shown) {
  if (choice.path.fits.empty()) return;
  const LossName loss = loss_name(problem.outcomes.distribution);
  for (PenaltyPath& path : penalty_paths(problem, choice.path, outputs)) {
    if (choice.validation) {
      path.loss = loss.name;
      for (const double mean : choice.validation->mean) path.cv_mean.push_back(loss.factor * mean);
      for (const double se : choice.validation->se) path.cv_se.push_back(loss.factor * se);
      path.minimum = choice.validation->minimum;
      path.one_se = choice.validation->one_se;
      path.chosen = choice.place;
    }
    shown.emplace_back(std::move(path));
  }
}

void show_figures(const LinearProblem& problem, const Choice& choice, std::size_t terms, double null_loss,
                  std::vector<ResultItem>& shown) {
  const auto add = [&](const char* id, const std::string& name, double value, std::optional<double> se,
                       const char* meaning) {
    shown.emplace_back(
        Figure{.name = name, .id = id, .output = {}, .group = {}, .value = value, .se = se, .meaning = meaning});
  };
  add("terms", "terms in the model", static_cast<double>(terms), std::nullopt,
      "How many terms have a coefficient that is not 0; a feature that is one grouped term counts once.");
  if (choice.penalty) {
    add("penalty", "penalty", *choice.penalty, std::nullopt, "The larger, the fewer terms, and the smaller these are.");
  }
  if (null_loss > 0) {
    add("deviance-explained", "share of deviance explained", 1 - choice.found.loss / null_loss, std::nullopt,
        "By the model on the rows that it was fitted to, compared with a constant: 1 is everything, 0 nothing.");
  }
  if (!choice.validation) return;
  const LossName loss = loss_name(problem.outcomes.distribution);
  add("cross-validated-loss", std::string("cross-validated ") + loss.name,
      loss.factor * choice.validation->mean[*choice.place], loss.factor * choice.validation->se[*choice.place],
      "On rows that the model was not fitted to; a little optimistic, as the penalty was chosen by it.");
}

// Columns that say the same, as both levels of two do, may share a coefficient in any way; what rounding gives to the
// second one is no term.
void drop_rounding(LinearFit& fit) {
  double largest = 0;
  for (const double coefficient : fit.coefficients) largest = std::max(largest, std::abs(coefficient));
  for (double& coefficient : fit.coefficients) {
    if (std::abs(coefficient) < 1e-8 * largest) coefficient = 0;
  }
}

Learned fit_sparse_linear(const TrainingData& data, const Value& given, const Context& context) {
  const auto options = read_options<SparseLinearOptions>(given);
  if (options.terms && options.penalty) {
    throw Error(ErrorKind::usage, marked("{Option:terms} and {option:penalty} exclude each other"), "give one of them");
  }
  if (options.missing == "refuse") refuse_missing(data);
  const OutcomeDistribution distribution = distribution_of(data, options.family);
  const std::vector<std::string> outputs = data.outputs();

  // Without a penalty one level must be what the others are compared with.
  const bool plain = options.penalty == 0.0, grouped = options.categories == "grouped" && !plain;
  const Design design(data, {.standardize = options.standardize, .first_level = !plain, .grouped = grouped}, context);
  if (plain) check_size(design, outputs.size());
  const Basis basis(design, grouped);
  const LinearProblem problem{design, basis, {distribution, data.outcome, outputs.size()}, shares_of(data)};

  const bool validated = !options.terms && !options.penalty;
  const auto fold_count =
      static_cast<std::uint32_t>(std::min<std::size_t>(static_cast<std::size_t>(options.folds), data.rows));
  Folds folds;
  if (validated) folds = {folds_of(data.rows, fold_count, static_cast<std::uint64_t>(options.seed)), fold_count};
  const auto fitter = make_fitter(problem, std::move(folds), context);

  const bool nothing = is_constant(problem) || design.size() == 0;
  Choice choice = nothing           ? Choice{.found = fitter->refitted({})}
                  : options.penalty ? at_penalty(*fitter, problem, options)
                  : options.terms   ? by_count(*fitter, problem, options, context)
                                    : by_cross_validation(*fitter, options);
  if (outputs.size() > 1 && (plain || options.terms)) centre_classes(choice.found.fit);
  if (!plain) drop_rounding(choice.found.fit);
  const LinearFit& found = choice.found.fit;

  std::optional<Inference> inference;
  if (plain && !nothing) inference = infer(problem, found, data.total_weight(), context);
  const bool errors_known = inference && inference->degrees_of_freedom > 0;

  Learned learned{.structure = structure_of(problem, found), .link = link_of(distribution)};
  std::get<TermStructure>(learned.structure).refuses_missing = options.missing == "refuse";
  learned.size = units_in(found, basis).size();
  for (Terms& terms : terms_of(problem, found, errors_known ? inference : std::nullopt, outputs)) {
    learned.shown.emplace_back(std::move(terms));
  }
  show_path(problem, choice, outputs, learned.shown);
  show_figures(problem, choice, learned.size, fitter->null_loss(), learned.shown);
  learned.caveats =
      linear_caveats({.problem = problem,
                      .found = choice.found,
                      .path = choice.path,
                      .path_length = validated || options.terms ? static_cast<std::size_t>(options.path_length) : 0,
                      .inference = inference,
                      .selected = !plain && !nothing},
                     context);
  static constexpr const char* names[] = {"gaussian", "binomial", "multinomial", "poisson", "gamma"};
  learned.detail.set("family", names[static_cast<std::size_t>(distribution)]);
  if (!options.terms) learned.detail.set("l1_ratio", options.l1_ratio);
  if (choice.penalty) learned.detail.set("penalty", *choice.penalty);
  if (inference) learned.detail.set("dispersion", inference->dispersion);
  return learned;
}

}  // namespace

LearnerEntry sparse_linear() {
  return {
      .name = "sparse-linear",
      .alias = "lasso",
      .about = {.title = "Sparse linear model",
                .short_name = "",
                .family = Family::learners,
                .terms = {{"Penalty λ", "What a coefficient costs. The larger it is, the more terms are left out."},
                          {"Standardised coefficient",
                           "The change for one standard deviation of the feature, so that terms can be compared."}}},
      .question = "Which few features does the outcome depend on, and by how much per unit of each?",
      .when = "effects that are about straight lines; few terms that a person can check and add up by hand",
      .when_not = "bends, thresholds and interactions: a tree, rules or an additive model show these",
      .formula =
          "minimise (1 / 2n) ‖y − a − Xβ‖² + λ (α ‖β‖₁ + ½ (1 − α) ‖β‖²), or half the mean deviance in its place",
      .paper = "Friedman, Hastie and Tibshirani 2010, Regularization paths for generalized linear models",
      .cost =
          "rows × terms² / 2 once for numbers, whatever the folds; for classes and counts some tens of times as much",
      .size_unit = "terms",
      .size_option = "terms",
      .results = {"terms", "penalty_path", "figure"},
      .options = describe_options<SparseLinearOptions>(),
      .fit = fit_sparse_linear};
}

}  // namespace sightglass
