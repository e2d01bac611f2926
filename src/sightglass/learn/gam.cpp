#include "sightglass/learn/gam.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "sightglass/base/error.h"
#include "sightglass/learn/additive/bins.h"
#include "sightglass/learn/additive/boosting.h"
#include "sightglass/learn/additive/components.h"
#include "sightglass/learn/additive/outcome.h"
#include "sightglass/learn/additive/pairs.h"
#include "sightglass/learn/additive/shown.h"

namespace sightglass {

namespace {

using namespace additive;

// The largest step in a margin that is a logarithm: further off a parabola says little about the loss.
constexpr double largest_log_step = 3;
// From here on pieces have three leaves, which need fewer rounds; of fewer rows two leaves predict better.
constexpr std::size_t many_rows = 10'000;

std::size_t find_feature(const TrainingData& data, std::string_view name) {
  const auto found = std::find_if(data.features.begin(), data.features.end(),
                                  [&](const TrainingFeature& feature) { return feature.info.name == name; });
  return static_cast<std::size_t>(found - data.features.begin());
}

[[noreturn]] void refuse(std::string_view option, const Text& what, const Text& advice) {
  throw Error(ErrorKind::usage, option_text(option) + ": " + what, advice);
}

// One of each feature.
std::vector<Monotone> read_directions(const TrainingData& data, const std::vector<std::string>& given) {
  std::vector<Monotone> directions = read_monotone(given, data);
  directions.resize(data.features.size(), Monotone::free);
  return directions;
}

// "temp:hour" and the like; either name may hold colons.
std::vector<TermBins> read_pairs(const TrainingData& data, const std::vector<Monotone>& directions,
                                 const std::vector<FeatureBins>& features, const std::vector<std::string>& given) {
  std::vector<TermBins> pairs;
  for (const std::string& entry : given) {
    std::size_t first = data.features.size(), second = data.features.size();
    for (std::size_t colon = entry.find(':'); colon != std::string::npos; colon = entry.find(':', colon + 1)) {
      first = find_feature(data, std::string_view(entry).substr(0, colon));
      second = find_feature(data, std::string_view(entry).substr(colon + 1));
      if (std::max(first, second) < data.features.size()) break;
    }
    if (std::max(first, second) == data.features.size() || first == second) {
      refuse("named_pairs", "\"" + printable(entry) + "\" does not name two features of the data",
             "write them as first:second");
    }
    for (const std::size_t feature : {first, second}) {
      if (directions[feature] != Monotone::free) {
        refuse("named_pairs", printable(entry) + " has a monotone feature, which must stand alone",
               marked("leave it out here or in {option:monotone}"));
      }
      if (features[feature].grouped_levels > 0)
        refuse("named_pairs", printable(entry) + " has a feature with too many levels", "leave it out");
    }
    TermBins pair{.features = {std::min(first, second), std::max(first, second)}};
    const auto same = [&](const TermBins& other) { return other.features == pair.features; };
    if (std::none_of(pairs.begin(), pairs.end(), same)) pairs.push_back(std::move(pair));
  }
  return pairs;
}

double min_leaf_rows(const GamOptions& options, const TrainingData& data) {
  const std::size_t enough = std::clamp<std::size_t>(data.rows / 10, 3, 10);
  return static_cast<double>(options.min_leaf_rows.value_or(static_cast<std::int64_t>(enough)));
}

// The pairs that say most beyond what the bags' main effects say, on average over bags.
std::vector<TermBins> find_pairs(const Fitted& fitted, const std::vector<Monotone>& directions,
                                 const GamOptions& options, std::vector<float> scores, const Context& context) {
  std::vector<std::size_t> candidates;
  for (std::size_t i = 0; i < fitted.features.size(); ++i) {
    const FeatureBins& feature = fitted.features[i];
    if (!feature.is_constant() && feature.grouped_levels == 0 && directions[i] == Monotone::free)
      candidates.push_back(i);
  }
  add_tables(fitted.features, fitted.terms, mean_tables(fitted.mains), fitted.outcome.scores, scores);
  const std::vector<PairStrength> ranking =
      rank_pairs(fitted.features, candidates, fitted.outcome, scores, min_leaf_rows(options, fitted.data),
                 static_cast<std::uint64_t>(options.seed), context);
  std::vector<TermBins> pairs;
  for (const PairStrength& pair : ranking) {
    if (pairs.size() == static_cast<std::size_t>(options.pairs)) break;
    if (!pair.by_chance) pairs.push_back({.features = {pair.first, pair.second}});
  }
  return pairs;
}

BoostingRules boosting_rules(const GamOptions& options, const TrainingData& data, const Outcome& outcome) {
  BoostingRules rules{
      .pieces = {.leaves = static_cast<std::size_t>(options.leaves.value_or(data.rows < many_rows ? 2 : 3)),
                 .least_weight = min_leaf_rows(options, data),
                 .learning_rate = options.learning_rate,
                 .seed = static_cast<std::uint64_t>(options.seed)},
      .rounds = outcome.is_constant() ? 0 : static_cast<std::size_t>(options.rounds),
      .smoothing = static_cast<std::size_t>(options.smoothing_rounds),
      .early_stopping = static_cast<std::size_t>(options.early_stopping)};
  if (outcome.loss != Loss::squared) rules.pieces.largest_step = largest_log_step;
  return rules;
}

// What one bag found, main effects and pairs.
Components components_of(const Fitted& fitted, std::size_t bag) {
  Components components{.intercept = fitted.outcome.start, .tables = fitted.mains[bag].tables};
  if (!fitted.pairs.empty()) {
    const auto& pairs = fitted.pairs[bag].tables;
    components.tables.insert(components.tables.end(), pairs.begin(), pairs.end());
  }
  purify(fitted.features, fitted.terms, fitted.weights, fitted.outcome, components);
  return components;
}

Learned fit_gam(const TrainingData& data, const Value& given, const Context& context) {
  const auto options = read_options<GamOptions>(given);
  const std::vector<Monotone> directions = read_directions(data, options.monotone);
  const Outcome outcome = make_outcome(data, options.loss);
  const std::vector<FeatureBins> features =
      bin_features(data, static_cast<std::size_t>(options.bins), static_cast<std::size_t>(options.pair_bins), context);
  std::vector<TermBins> pairs = read_pairs(data, directions, features, options.named_pairs);
  const BoostingRules rules = boosting_rules(options, data, outcome);
  Fitted fitted{.data = data, .features = features, .outcome = outcome};

  const auto draw = [&](std::size_t bag) {
    return draw_bag(data, options.validation, static_cast<std::uint64_t>(options.seed), bag);
  };
  const double held_out = 1 - static_cast<double>(draw(0).fitted) / static_cast<double>(data.rows);
  // Bags that hold nothing out would all be the same.
  const std::size_t bags = held_out > 0 ? static_cast<std::size_t>(options.bags) : 1;
  // Bags are what threads divide: inside one, everything has its order.
  const auto boost_bags = [&](const std::vector<TermBins>& terms, const auto& scores_of_bag) {
    std::vector<Boosted> boosted(bags);
    context.parallel_for(bags, [&](std::size_t bag) {
      boosted[bag] = boost(features, terms, outcome, draw(bag), scores_of_bag(bag), rules, context);
    });
    return boosted;
  };

  std::vector<float> start;
  for (const double score : outcome.start) start.insert(start.end(), data.rows, static_cast<float>(score));
  const auto start_with = [&](const std::vector<TermBins>& terms, const Boosted& boosted) {
    std::vector<float> scores = start;
    add_tables(features, terms, boosted.tables, outcome.scores, scores);
    return scores;
  };
  for (std::size_t i = 0; i < features.size(); ++i) fitted.terms.push_back({{i}, directions[i]});
  fitted.mains = boost_bags(fitted.terms, [&](std::size_t) { return start; });

  if (options.named_pairs.empty() && options.pairs > 0 && rules.rounds > 0)
    pairs = find_pairs(fitted, directions, options, start, context);
  if (!pairs.empty()) {
    fitted.pairs = boost_bags(pairs, [&](std::size_t bag) { return start_with(fitted.terms, fitted.mains[bag]); });
    // Main effects were fitted in the noise of what pairs say: they are fitted again without it.
    auto again = boost_bags(fitted.terms, [&](std::size_t bag) { return start_with(pairs, fitted.pairs[bag]); });
    for (std::size_t bag = 0; bag < bags; ++bag) again[bag].start_loss = fitted.mains[bag].start_loss;
    fitted.mains = std::move(again);
    fitted.terms.insert(fitted.terms.end(), pairs.begin(), pairs.end());
  }

  fitted.weights = bin_weights(features, fitted.terms, data);
  std::vector<Components> found(bags);
  context.parallel_for(bags, [&](std::size_t bag) { found[bag] = components_of(fitted, bag); });
  fitted.found = average(found, held_out);

  StepStructure structure = make_structure(fitted);
  Learned learned{.structure = {}, .link = outcome.link(), .size = structure.terms.size()};
  learned.structure = std::move(structure);
  learned.detail.set("bags", bags);
  show(fitted, learned);
  return learned;
}

}  // namespace

LearnerEntry gam() {
  LearnerEntry entry;
  entry.name = "gam";
  entry.alias = "ebm";
  entry.about = {.title = "Additive model", .short_name = "GAM", .family = Family::learners};
  entry.question = "What does each feature do by itself, and which pairs do more together?";
  entry.when = "effects are curved, mostly add up, and each is to be seen as a picture";
  entry.when_not = "three or more features act together, or one short formula or tree is wanted";
  entry.formula = "margin(x) = intercept + Σ f_j(x_j) + Σ f_jk(x_j, x_k)";
  entry.paper =
      "Lou, Caruana, Gehrke, Hooker 2013, Accurate intelligible models with pairwise interactions; Lengerich et al. "
      "2020, Purifying interaction effects with the functional ANOVA";
  entry.cost = "bags × rounds × features passes over the rows";
  entry.size_unit = "terms";
  entry.results = {"curve", "surface", "importance", "figure"};
  entry.options = describe_options<GamOptions>();
  entry.fit = fit_gam;
  return entry;
}

}  // namespace sightglass
