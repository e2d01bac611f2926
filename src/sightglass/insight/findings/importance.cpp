// What matters: where the measures agree, where they do not, and what does not matter at all.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "sightglass/base/error.h"
#include "sightglass/insight/findings/evidence_internal.h"
#include "sightglass/insight/interval.h"
#include "sightglass/insight/ranking.h"
#include "sightglass/insight/readable.h"

namespace sightglass::finders {

namespace {

// Beside the largest of its ranking, a feature is important from the first share on by shuffling, and flat up to the
// second by partial dependence.
constexpr double important_share = 0.2;
constexpr double flat_share = 0.1;
// Losses that become at least so many times as large are told as a multiple, others as a growth in percent.
constexpr double told_as_multiple = 1.95;
constexpr double most_told = 1000;
// Features that change the loss by less than this share of what the first one does, and of the loss itself.
constexpr double negligible_share = 0.01;
constexpr std::size_t least_negligible = 2;
constexpr std::size_t names_listed = 3, negligible_listed = 4;
// Features within these shares of the first one's importance matter as much as it, about or exactly.
constexpr double about_equal = 0.05;
constexpr double equal = 1e-6;

std::string names_in_words(const std::vector<std::string>& names) {
  std::vector<std::string> shown;
  for (const auto& name : names) shown.push_back(name_of(name));
  return listed(shown);
}

// Chance alone may have made it.
bool is_uncertain(const RankedFeature& feature) { return feature.se && feature.value < interval_width * *feature.se; }

std::string loss_of(const Importance& entry) {
  return entry.measure.loss ? std::string(label_of(*entry.measure.loss)) : printable(entry.measure.other, 40);
}

bool is_shuffled(MeasureKind kind) { return kind == MeasureKind::permutation || kind == MeasureKind::reliance; }

// The loss with the feature and without it, as the methods call them.
struct Losses {
  double before = 0, after = 0;
};
std::optional<Losses> losses_of(const Importance& entry) {
  for (const auto& [with, without] : {std::pair("baseline", "after"), {"e_orig", "e_switch"}}) {
    const auto before = number_member(entry.details, with), after = number_member(entry.details, without);
    if (before && after) return Losses{*before, *after};
  }
  return std::nullopt;
}

// Of a loss: how many times as large it is without the feature.
std::optional<double> growth_of(const Importance& entry) {
  const auto losses = losses_of(entry);
  const bool score = entry.measure.loss && is_score(*entry.measure.loss);
  if (score || !losses || !(losses->before > 0)) return std::nullopt;
  return losses->after / losses->before;
}

// One decimal, so that twice and a little more are told apart.
std::string multiple(double growth) {
  if (growth > most_told) return "more than " + readable(most_told);
  return growth < 9.95 ? fmt::format("{:.1f}", growth) : amount(growth);
}
std::string times(double growth) { return multiple(growth) + " times as large"; }

// "makes the rmse 5.2 times as large"
std::string grown(const std::string& loss, double growth) {
  return "makes the " + loss + " " + (growth >= told_as_multiple ? times(growth) : percent(growth - 1) + " larger");
}

// "shuffling it makes the rmse 5.2 times as large"
std::string shuffled(const RankedFeature& feature, std::string_view it) {
  const Importance& entry = *feature.entry;
  const std::string loss = loss_of(entry), start = "shuffling " + std::string(it);
  if (const auto growth = growth_of(entry)) return start + " " + grown(loss, *growth);
  if (const auto losses = losses_of(entry)) {
    const bool down = losses->after < losses->before;
    return start + (down ? " lowers the " : " raises the ") + loss + " from " + amount(losses->before) + " to " +
           amount(losses->after);
  }
  return start + " changes the " + loss + " by " + amount(entry.importance);
}

// "3.1 and 3", or "3.1" where all are the same.
std::string told_once(const std::vector<std::string>& numbers) {
  const bool same =
      std::all_of(numbers.begin(), numbers.end(), [&](const std::string& each) { return each == numbers.front(); });
  return same ? numbers.front() : listed(numbers);
}

// What a ranking says of one feature.
std::string detail(const FeatureRanking& ranking, const RankedFeature& feature, std::string_view it) {
  const Result& result = *ranking.result;
  switch (ranking.kind) {
    case MeasureKind::permutation: return shuffled(feature, it);
    case MeasureKind::reliance: {
      const auto growth = growth_of(*feature.entry);
      if (!growth) return {};
      return "exchanging its values between rows " + grown(loss_of(*feature.entry), *growth);
    }
    case MeasureKind::dependence:
      if (!ranking.one_output) return {};
      return "along it the average prediction varies, typically by " + amount_of(result, feature.value) +
             " (standard deviation)";
    case MeasureKind::shapley:
      if (!ranking.one_output) return {};
      return "it moves a prediction by " + amount_of(result, feature.value) + " on average (mean |SHAP|)";
    case MeasureKind::variance:
      if (!ranking.one_output || !(feature.value > 0 && feature.value <= 1)) return {};
      return percent(feature.value) + " of the predictions' variance is due to it alone";
    case MeasureKind::shapley_pairs:
    case MeasureKind::interaction:
    case MeasureKind::recourse:
    case MeasureKind::other: break;
  }
  return {};
}

// Rankings in which some feature matters at all.
std::vector<const FeatureRanking*> telling_rankings(const Evidence& evidence) {
  std::vector<const FeatureRanking*> list;
  for (const FeatureRanking& ranking : evidence.rankings()) {
    const RankedFeature& first = ranking.features.front();
    if (ranking.features.size() < 2 || !(first.value > 0)) continue;
    if (is_shuffled(ranking.kind) && is_uncertain(first)) continue;
    list.push_back(&ranking);
  }
  return list;
}

std::string count_word(std::size_t count) {
  static constexpr const char* small[] = {"no", "one", "both", "all three", "all four", "all five"};
  return count < 6 ? small[count] : "all " + std::to_string(count);
}

// Which measures are meant, because tables beside the sentence may have more.
std::string by_measures(const std::vector<const FeatureRanking*>& rankings) {
  if (rankings.size() < 2) return {};
  std::string names;
  for (const auto* ranking : rankings) names += (names.empty() ? "" : ", ") + std::string(words_of(ranking->kind));
  return " by " + count_word(rankings.size()) + " measures (" + names + ")";
}

// Those that come first or are so near to it that no order should be made of them.
std::set<std::string> leaders(const FeatureRanking& ranking, double within) {
  const RankedFeature& first = ranking.features.front();
  std::set<std::string> names;
  for (const RankedFeature& feature : ranking.features) {
    if (feature.value >= (1 - within) * first.value) names.insert(feature.name);
  }
  return names;
}

// Several that lead in every ranking, the same in each; none if there is one, or rankings differ.
std::set<std::string> equal_leaders(const std::vector<const FeatureRanking*>& rankings, double within) {
  const auto names = leaders(*rankings.front(), within);
  const bool same = std::all_of(rankings.begin(), rankings.end(),
                                [&](const auto* ranking) { return leaders(*ranking, within) == names; });
  return same && names.size() > 1 ? names : std::set<std::string>();
}

// "shuffling them makes the rmse 3.1 and 3.0 times as large"; empty if that cannot be said of all.
std::string shuffled_each(const FeatureRanking& ranking, const std::vector<std::string>& names) {
  if (ranking.kind != MeasureKind::permutation) return {};
  std::vector<std::string> multiples, growths;
  for (const auto& name : names) {
    const auto growth = growth_of(*ranking.find(name)->entry);
    if (!growth || *growth <= 1) return {};
    if (*growth >= told_as_multiple) multiples.push_back(multiple(*growth));
    growths.push_back(percent(*growth - 1));
  }
  const std::string start = "shuffling them, each alone, makes the " + loss_of(*ranking.features.front().entry) + " ";
  if (multiples.size() == names.size()) return start + told_once(multiples) + " times as large";
  return start + told_once(growths) + " larger";
}

// Several that matter as much as each other.
std::string equally_important(const std::vector<const FeatureRanking*>& rankings, const std::set<std::string>& equals) {
  const FeatureRanking& first = *rankings.front();
  const std::vector<std::string> names(equals.begin(), equals.end());
  const bool all = names.size() == first.features.size();
  std::string text;
  if (names.size() <= names_listed) {
    text = names_in_words(names);
  } else {
    const std::string count = std::to_string(names.size());
    text =
        all ? "All " + count + " features" : count + " of the " + std::to_string(first.features.size()) + " features";
  }
  const bool exactly = equal_leaders(rankings, equal) == equals;
  text += exactly ? " matter equally" : " matter about equally";
  if (!all) text += ", and more than all others,";
  text += by_measures(rankings);
  if (text.ends_with(",")) text.pop_back();
  const std::string each = names.size() <= names_listed ? shuffled_each(first, names) : "";
  return each.empty() ? text : text + ": " + each;
}

// The next one, by the same measure.
std::string next_of(const FeatureRanking& ranking) {
  if (ranking.kind != MeasureKind::permutation) return {};
  const RankedFeature& next = ranking.features[1];
  if (is_uncertain(next)) return {};
  const auto growth = growth_of(*next.entry);
  const auto first = growth_of(*ranking.features[0].entry);
  if (!growth || !first || *growth <= 1 || *growth > most_told) return {};
  const bool as_multiple = *first >= told_as_multiple && *growth >= 1.05;
  const std::string text = as_multiple ? multiple(*growth) + " times" : percent(*growth - 1);
  return "; next is " + name_of(next.name) + " (" + text + ")";
}

std::vector<std::string> section_of(const RankedFeature& feature) {
  return feature.entry->features.size() == 1 ? feature.entry->features : std::vector<std::string>();
}

std::string most_important(const std::vector<const FeatureRanking*>& rankings, std::vector<std::string>& features) {
  std::vector<std::string> tops;
  for (const auto* ranking : rankings) {
    const std::string& top = ranking->features.front().name;
    if (std::find(tops.begin(), tops.end(), top) == tops.end()) tops.push_back(top);
  }
  const FeatureRanking& first = *rankings.front();
  const std::string by_all = by_measures(rankings);
  if (const auto equals = equal_leaders(rankings, about_equal); !equals.empty())
    return equally_important(rankings, equals);
  if (tops.size() == 1) {
    features = section_of(first.features.front());
    std::string why = detail(first, first.features.front(), "it");
    if (!why.empty()) why = ": " + why + next_of(first);
    return name_of(tops[0]) + " matters most" + by_all + why;
  }
  const auto among_two = [&](const FeatureRanking* ranking) {
    const auto known = [&](std::size_t i) {
      return std::find(tops.begin(), tops.end(), ranking->features[i].name) != tops.end();
    };
    return known(0) && known(1);
  };
  if (tops.size() == 2 && std::all_of(rankings.begin(), rankings.end(), among_two)) {
    std::string text =
        name_of(tops[0]) + " and " + name_of(tops[1]) + " matter most" + by_all + ", which do not agree on the order";
    const std::string each = shuffled_each(first, tops);
    return each.empty() ? text : text + ": " + each;
  }
  std::vector<std::string> parts;
  for (const auto& top : tops) {
    std::vector<std::string> by;
    for (const auto* ranking : rankings) {
      if (ranking->features.front().name == top) by.emplace_back(words_of(ranking->kind));
    }
    parts.push_back(name_of(top) + " by " + listed(by));
  }
  std::string text;
  for (const auto& part : parts) text += (text.empty() ? "" : "; ") + part;
  return "What matters most depends on the measure: " + text;
}

std::optional<Candidate> flat_but_important(const Evidence& evidence) {
  const FeatureRanking* shuffling = evidence.ranking(MeasureKind::permutation);
  const FeatureRanking* flat = evidence.ranking(MeasureKind::dependence);
  if (shuffling == nullptr || flat == nullptr || !flat->one_output) return std::nullopt;
  const double most = shuffling->features.front().value, widest = flat->features.front().value;
  if (!(most > 0) || !(widest > 0)) return std::nullopt;
  for (const RankedFeature& feature : shuffling->features) {
    if (feature.value < important_share * most) break;
    if (is_uncertain(feature)) continue;
    const RankedFeature* found = flat->find(feature.name);
    if (found == nullptr || found->value > flat_share * widest) continue;
    // By the curve to go by, where there is one.
    const FeatureCurve* curve = evidence.curve(feature.name);
    if (curve != nullptr && curve->range > flat_share * evidence.largest_range(*curve->result)) continue;
    const auto range = curve != nullptr ? curve->range : number_member(found->entry->details, "range");
    const Result& measured = curve != nullptr ? *curve->result : *flat->result;
    const std::string moved = range ? " (by " + amount_of(measured, *range) + " at the most)" : "";
    // Of probabilities the link alone can be the reason.
    const bool by_link = evidence.caveat("response-scale") != nullptr;
    return Candidate{{name_of(feature.name) + " hardly moves the average prediction" + moved + ", yet " +
                          shuffled(feature, "it") + (by_link ? "." : ": what it does depends on other features."),
                      section_of(feature), "importance"},
                     Place::importance,
                     65,
                     "differs " + feature.name};
  }
  return std::nullopt;
}

// Beside a first feature that is everything, a loss that grows by a tenth looks small too.
bool is_negligible(const RankedFeature& feature, double first) {
  if (std::abs(feature.value) > negligible_share * first) return false;
  const auto losses = losses_of(*feature.entry);
  return !losses || std::abs(losses->after - losses->before) <= negligible_share * std::abs(losses->before);
}

// Features without which the model predicts as well, each alone.
std::optional<Candidate> negligible(const Evidence& evidence) {
  const FeatureRanking* ranking = evidence.ranking(MeasureKind::permutation);
  if (ranking == nullptr || !(ranking->features.front().value > 0)) return std::nullopt;
  std::vector<std::string> names;
  for (const RankedFeature& feature : ranking->features) {
    if (is_negligible(feature, ranking->features.front().value)) names.push_back(feature.name);
  }
  if (names.size() < least_negligible || names.size() == ranking->features.size()) return std::nullopt;
  const std::string loss = loss_of(*ranking->features.front().entry);
  std::string which;
  if (names.size() <= negligible_listed) {
    which = "Shuffling " + names_in_words(names) + ", each alone, changes the " + loss;
  } else {
    which = "Shuffling any one of " + std::to_string(names.size()) + " of the " +
            std::to_string(ranking->features.size()) + " features changes the " + loss;
  }
  return Candidate{{which + " by next to nothing.", {}, "importance"}, Place::importance, 30};
}

}  // namespace

std::vector<Candidate> importance(const Evidence& evidence) {
  std::vector<Candidate> list;
  const auto rankings = telling_rankings(evidence);
  if (rankings.empty()) return list;
  std::vector<std::string> features;
  const std::string text = most_important(rankings, features);
  list.push_back({{text + ".", features, "importance"}, Place::importance, 90});
  if (auto flat = flat_but_important(evidence)) list.push_back(std::move(*flat));
  if (auto none = negligible(evidence)) list.push_back(std::move(*none));
  return list;
}

}  // namespace sightglass::finders
