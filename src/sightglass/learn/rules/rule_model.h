// A fitted rule model: prediction = intercept + Σ a_k r_k(x) + Σ b_j l_j(x), in units of the outcome (of log-odds for
// classes), and how much each part of it matters, on all rows or for one (Friedman & Popescu 2008, §6–7).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sightglass/learn/rules/rule_lasso.h"
#include "sightglass/learn/rules/rule_terms.h"
#include "sightglass/model/learned/structure.h"

namespace sightglass {

struct RuleModel {
  TermStructure structure;  // rules, then linear terms, each most important first
  std::size_t rules = 0;
  std::vector<std::uint32_t> numbers;  // of each term among those that the lasso chose from
};

[[nodiscard]] RuleModel make_rule_model(const RuleTerms& terms, const RuleSolution& solution);

// From margins to predictions.
[[nodiscard]] LinkFunction link_of(Task task);

// Margins of a row, one per output.
[[nodiscard]] std::vector<double> margins(const TermStructure& structure, std::span<const double> row);

struct RuleImportance {
  std::vector<double> terms;     // |a| √(s(1 − s)), |b| sd
  std::vector<double> features;  // the sum of their terms; a rule's is divided equally among its features
};
[[nodiscard]] RuleImportance rule_importance(const RuleModel& model, std::size_t output, std::size_t features);

// Rules of the model, by their places in it, that hold for nearly the same rows: they share more than 95 % of the rows
// for which either holds. Groups of two and more, each with its most important rule first.
[[nodiscard]] std::vector<std::vector<std::size_t>> similar_rules(const RuleModel& model, const RuleTerms& terms);

}  // namespace sightglass
