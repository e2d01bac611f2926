#include "sightglass/methods/surrogates/fidelity/scorecard_of.h"

#include <algorithm>
#include <cmath>

#include "sightglass/learn/training_fit.h"
#include "sightglass/methods/surrogates/fidelity/agreement.h"
#include "sightglass/result/fidelity_measure.h"
#include "sightglass/result/shapes/curve.h"
#include "sightglass/result/shapes/terms.h"

namespace sightglass {

namespace {

void add_feature(Complexity& complexity, const std::string& name) {
  auto& names = complexity.features;
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

// The weighted squared correlation of two surrogates' answers, or the share of rows with the same class.
double consistency_of(const FittedSurrogate& a, const FittedSurrogate& b, const RowDivision& division, bool classes) {
  const RowList& rows = division.judged();
  if (classes) return class_agreement(a.predicted.span(), b.predicted.span(), division.weights, rows).share;
  double weight = 0, mean_a = 0, mean_b = 0;
  for (const std::size_t row : rows) {
    const double w = division.weights[row];
    weight += w;
    mean_a += w * a.predicted(row, 0);
    mean_b += w * b.predicted(row, 0);
  }
  mean_a /= weight;
  mean_b /= weight;
  double both = 0, of_a = 0, of_b = 0;
  for (const std::size_t row : rows) {
    const double w = division.weights[row], off_a = a.predicted(row, 0) - mean_a, off_b = b.predicted(row, 0) - mean_b;
    both += w * off_a * off_b;
    of_a += w * off_a * off_a;
    of_b += w * off_b * off_b;
  }
  if (!(of_a > 0) || !(of_b > 0)) return of_a == of_b ? 1 : 0;
  return both * both / (of_a * of_b);
}

}  // namespace

Complexity complexity_of(const FittedSurrogate& surrogate) {
  Complexity found;
  if (const ShownTree* tree = surrogate.tree()) {
    std::vector<std::uint64_t> depth(tree->nodes.size(), 0);
    for (std::size_t i = 0; i < tree->nodes.size(); ++i) {
      for (const std::uint64_t child : tree->nodes[i].children) depth[child] = depth[i] + 1;
      found.deepest = std::max(found.deepest, depth[i]);
      if (!tree->nodes[i].split) continue;
      ++found.conditions;
      add_feature(found, tree->nodes[i].split->feature);
    }
    return found;
  }
  const auto add_conditions = [&](const std::vector<ShownCondition>& conditions) {
    found.conditions += conditions.size();
    found.deepest = std::max<std::uint64_t>(found.deepest, conditions.size());
    for (const ShownCondition& condition : conditions) add_feature(found, condition.feature);
  };
  for (const ResultItem& item : surrogate.learned.shown) {
    if (const auto* rules = item.as<Rules>()) {
      for (const Rule& rule : rules->rules) add_conditions(rule.conditions);
    } else if (const auto* terms = item.as<Terms>()) {
      for (const LinearTerm& term : terms->terms) {
        for (const std::string& name : term.features) add_feature(found, name);
        add_conditions(term.conditions);
      }
    } else if (const auto* curve = item.as<Curve>()) {
      add_feature(found, curve->axis.feature);
    }
  }
  return found;
}

Scorecard scorecard_of(const std::vector<FittedSurrogate>& surrogates, const std::vector<Fidelity>& fidelities,
                       const RowDivision& division, std::uint64_t available, const std::string& output) {
  Scorecard card{.name = "Scorecard of the surrogates", .output = output, .group = {}};
  card.measure = fidelities.front().measure;
  const bool classes = is_share_of_rows(card.measure);
  // One quality of all surrogates after the other.
  const auto add = [&](const char* quality, const auto& score_of) {
    for (std::size_t i = 0; i < surrogates.size(); ++i) {
      Score score{.subject = surrogates[i].kind->name, .title = surrogates[i].kind->title, .quality = quality};
      if (score_of(i, score)) card.scores.push_back(std::move(score));
    }
  };
  const auto take = [](Score& score, const std::optional<double>& value) {
    if (value) score.value = *value;
    return value.has_value();
  };
  const auto take_part = [](Score& score, const FidelityPart* part) {
    if (part == nullptr) return false;
    score.value = part->fidelity;
    score.low = part->low;
    score.high = part->high;
    return true;
  };
  const auto overall = [&](std::size_t i) { return overall_part(fidelities[i]); };
  add("fidelity-near", [&](std::size_t i, Score& score) { return take_part(score, overall(i)); });
  add("fidelity-far", [&](std::size_t i, Score& score) {
    // Made rows: beside those of the data, or, where it was fitted to such, those that were held out.
    const FidelityPart* far = nullptr;
    for (const FidelityPart& part : fidelities[i].parts) {
      const bool made = division.on_grid ? part.rows == FidelityRows::held_out : part.rows == FidelityRows::made;
      if (made) far = &part;
    }
    return take_part(score, far);
  });
  add("fidelity-worst", [&](std::size_t i, Score& score) {
    const FidelityPart* worst = worst_region(fidelities[i]);
    if (worst != nullptr) score.note = conditions_text(worst->conditions);
    return take_part(score, worst);
  });
  if (!classes) {
    add("class-agreement", [&](std::size_t i, Score& score) { return take(score, overall(i)->agreement); });
  }
  add("excess-log-loss", [&](std::size_t i, Score& score) {
    if (!overall(i)->log_loss) return false;
    return take(score, *overall(i)->log_loss - *overall(i)->entropy);
  });
  add("accuracy", [&](std::size_t i, Score& score) { return take(score, overall(i)->surrogate); });
  add("accuracy-model", [&](std::size_t i, Score& score) { return take(score, overall(i)->model); });
  add("stability", [&](std::size_t i, Score& score) {
    const Value* stability = fidelities[i].details.find("stability");
    if (stability != nullptr) score.value = stability->as_number();
    return stability != nullptr;
  });
  std::vector<Complexity> complexities;
  for (const FittedSurrogate& each : surrogates) complexities.push_back(complexity_of(each));
  add("size", [&](std::size_t i, Score& score) {
    score.note = fidelities[i].size_unit;
    return take(score, static_cast<double>(fidelities[i].size));
  });
  add("depth", [&](std::size_t i, Score& score) {
    if (complexities[i].deepest == 0) return false;
    return take(score, static_cast<double>(complexities[i].deepest));
  });
  add("conditions", [&](std::size_t i, Score& score) {
    if (complexities[i].conditions == 0) return false;
    return take(score, static_cast<double>(complexities[i].conditions));
  });
  add("feature-count",
      [&](std::size_t i, Score& score) { return take(score, static_cast<double>(complexities[i].features.size())); });
  add("uncertainty", [&](std::size_t i, Score& score) { return take(score, overall(i)->error); });
  // Fitted to or judged by; made rows are none of the data.
  const double used =
      static_cast<double>(division.on_grid ? division.aside.size() : division.fitted.size() + division.held_out.size());
  if (available > 0) {
    add("representativeness",
        [&](std::size_t, Score& score) { return take(score, used / static_cast<double>(available)); });
  }
  if (surrogates.size() > 1) {
    add("consistency", [&](std::size_t i, Score& score) {
      double sum = 0;
      for (std::size_t j = 0; j < surrogates.size(); ++j) {
        if (j != i) sum += consistency_of(surrogates[i], surrogates[j], division, classes);
      }
      return take(score, sum / static_cast<double>(surrogates.size() - 1));
    });
  }
  return card;
}

}  // namespace sightglass
