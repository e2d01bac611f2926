// What acts together: the strongest pairs, and how much of the model is single features adding up.
#include <algorithm>
#include <cmath>

#include "sightglass/insight/findings/evidence_internal.h"
#include "sightglass/insight/groups.h"
#include "sightglass/insight/interval.h"
#include "sightglass/insight/readable.h"

namespace sightglass::finders {

namespace {

// A pair is told if its interaction is at least this share of the largest joint effect of a pair (both as sd).
constexpr double least_strength = 0.1;
// And this share of its own joint effect's variance.
constexpr double least_h2 = 0.05;
// A second pair beside the first.
constexpr double second_share = 0.5;
constexpr double nearly_additive = 0.95;
constexpr double all_of_it = 0.9999;
// The two measures of what single features add up to differ by no more than this.
constexpr double shares_agree = 0.1;
// Shares of variance below this mean that features go together too much for shares to be read.
constexpr double least_share = -0.05;

// Two features each, of all rows.
std::vector<const Interaction*> pairs_of(const Result& result) {
  std::vector<const Interaction*> pairs;
  for (const ResultItem& item : result.results) {
    const auto* entry = item.as<Interaction>();
    if (entry != nullptr && entry->features.size() == 2 && entry->group.empty()) pairs.push_back(entry);
  }
  return pairs;
}

// The largest joint effect of a pair for that output.
double largest_joint(const Result& result, const std::string& output) {
  double largest = 0;
  for (const Interaction* entry : pairs_of(result)) {
    if (entry->output == output) largest = std::max(largest, number_member(entry->details, "pd_sd").value_or(0));
  }
  return largest;
}

bool is_trusted(const Evidence& evidence, const Interaction& entry) {
  const Value* told = entry.details.find("in_findings");
  if (told != nullptr && told->is_bool() && !told->as_bool()) return false;
  if (!std::isfinite(entry.strength) || !(entry.strength > 0) || !(entry.h2 > 0 && entry.h2 <= 1)) return false;
  if (entry.se && !(entry.h2 > interval_width * *entry.se)) return false;
  if (entry.h2 < least_h2) return false;
  // Changing one alone makes rows that do not occur, and what the model says of them looks like interaction.
  return !evidence.go_together(entry.features[0], entry.features[1]);
}

bool counts(const Evidence& evidence, const Result& result, const Interaction& entry) {
  return is_trusted(evidence, entry) && entry.strength >= least_strength * largest_joint(result, entry.output);
}

std::vector<Pair> strongest(const Evidence& evidence) {
  for (const Result* result : evidence.results()) {
    std::vector<Pair> pairs;
    const bool several = outputs_of(*result).size() > 1;
    for (const Interaction* entry : pairs_of(*result)) {
      if (counts(evidence, *result, *entry)) pairs.push_back({result, entry, several});
    }
    std::stable_sort(pairs.begin(), pairs.end(),
                     [](const Pair& a, const Pair& b) { return a.entry->strength > b.entry->strength; });
    // Of several outputs the one in which the pair acts most.
    std::vector<Pair> distinct;
    for (const Pair& pair : pairs) {
      const auto same = [&](const Pair& other) { return other.entry->features == pair.entry->features; };
      if (std::none_of(distinct.begin(), distinct.end(), same)) distinct.push_back(pair);
    }
    if (!distinct.empty()) return distinct;
  }
  return {};
}

// On probabilities of a model that shows nothing else, the link alone makes features interact.
bool link_interferes(const Result& result) {
  return std::any_of(result.caveats.begin(), result.caveats.end(),
                     [](const Caveat& caveat) { return caveat.id == "response-scale"; });
}

std::string strength_of(const Pair& pair) {
  return pair.several_outputs ? amount(pair.entry->strength) : amount_of(*pair.result, pair.entry->strength);
}

Candidate told(const Pair& pair, int worth) {
  const Interaction& entry = *pair.entry;
  std::string text = name_of(entry.features[0]) + " × " + name_of(entry.features[1]) + ": their joint effect";
  if (pair.several_outputs) text += " on " + predicted_quantity(*pair.result, entry.output);
  const std::string size = strength_of(pair);
  text += " differs from the sum of the two, typically by " + size + " (H² " + percent(entry.h2) + ")";
  text += link_interferes(*pair.result)
              ? ", on probabilities, where squeezing sums between 0 and 1 alone makes features interact."
              : ".";
  return {{std::move(text), entry.features, "interactions"}, Place::together, worth, {}};
}

// What single features, and pairs of them, add up to.
struct Shares {
  double single = 0, pairs = 0, least = 0;
  bool any = false, any_pairs = false;
};

Shares shares_of(const Result& result) {
  Shares shares;
  std::string output;
  for (const ResultItem& item : result.results) {
    const auto* entry = item.as<Importance>();
    if (entry == nullptr || entry->measure.kind != MeasureKind::variance || !entry->group.empty()) continue;
    if (!shares.any) output = entry->output;
    if (entry->output != output) return {};  // of several outputs there is not one number
    shares.any = true;
    if (!std::isfinite(entry->importance)) return {};
    shares.least = std::min(shares.least, entry->importance);
    if (entry->features.size() == 1) shares.single += entry->importance;
    if (entry->features.size() == 2) {
      shares.pairs += entry->importance;
      shares.any_pairs = true;
    }
  }
  return shares;
}

std::string predictions_of(const Result& result) {
  const std::string unit = prediction_unit(result);
  return unit == "log-odds" || unit == "margin" ? "the predicted " + unit + (unit == "margin" ? "s" : "")
                                                : "the predictions";
}

// What the sum of single features' effects leaves of the variance, if that is known for one output.
std::optional<double> left_by_singles(const Evidence& evidence, const Result*& result) {
  const auto left = evidence.figure(FigureId::left_by_main_effects);
  if (!left || outputs_of(*left->result).size() > 1) return std::nullopt;
  result = left->result;
  return left->figure->value;
}

// Told only if both ways to measure it agree: where features go together, they need not.
std::optional<Candidate> additive(const Evidence& evidence) {
  const Result* result = nullptr;
  const auto left = left_by_singles(evidence, result);
  std::optional<double> single = left ? std::optional(1 - *left) : std::nullopt;
  std::string pairs;
  for (const Result* each : evidence.results()) {
    const Shares shares = shares_of(*each);
    if (!shares.any) continue;
    if (shares.least < least_share || (left && std::abs(shares.single + *left - 1) > shares_agree)) return std::nullopt;
    // The less of the two: what they differ by is not explained by single features alone.
    single = single ? std::min(*single, shares.single) : shares.single;
    result = each;
    const bool more = shares.any_pairs && shares.pairs >= 0.01 && shares.single + shares.pairs <= 1.005;
    if (more) pairs = "; pairs of them another " + percent(shares.pairs);
    break;
  }
  if (!single || !(*single >= 0 && *single <= 1) || link_interferes(*result)) return std::nullopt;
  const std::string share = *single >= all_of_it ? "all" : percent(std::min(*single, 0.99));
  const std::string sum = " alone explain " + share + " of how " + predictions_of(*result) + " vary";
  const std::string text =
      *single >= nearly_additive
          ? std::string("The model is ") + (*single >= all_of_it ? "" : "nearly ") + "additive: single features" + sum
          : "Single features" + sum + pairs;
  return Candidate{{text + ".", {}, "interactions"}, Place::together, 50, {}};
}

}  // namespace

std::optional<Pair> strongest_pair_of(const Evidence& evidence, const std::string& feature, const std::string& output) {
  for (const Result* result : evidence.results()) {
    std::optional<Pair> best;
    std::size_t examined = 0;
    double largest = 0;
    for (const Interaction* entry : pairs_of(*result)) {
      if (entry->output != output || (entry->features[0] != feature && entry->features[1] != feature)) continue;
      ++examined;
      largest = std::max(largest, entry->strength);
      if (is_trusted(evidence, *entry) && (!best || entry->strength > best->entry->strength))
        best = Pair{result, entry, outputs_of(*result).size() > 1};
    }
    if (best) {
      best->examined = examined;
      best->is_strongest = best->entry->strength >= largest;
    }
    if (best) return best;
  }
  return std::nullopt;
}

std::vector<Candidate> together(const Evidence& evidence) {
  std::vector<Candidate> list;
  const auto pairs = strongest(evidence);
  if (!pairs.empty()) list.push_back(told(pairs[0], 70));
  if (pairs.size() > 1 && pairs[1].entry->strength >= second_share * pairs[0].entry->strength)
    list.push_back(told(pairs[1], 42));
  if (auto share = additive(evidence)) list.push_back(std::move(*share));
  return list;
}

}  // namespace sightglass::finders
