// Rules that hold for certain: features whose values settle the outcome of a tree ensemble whatever the others are, not
// only for rows that there are. Features are set free one after the other, those first that move the prediction least
// by themselves; each time all inputs that are left are bounded by branch and bound (model/trees/bounds). What remains
// is minimal: none of its features can be left out. It need not be the smallest of all. Shih, Choi & Darwiche 2018;
// Ignatiev, Narodytska & Marques-Silva 2019, Abduction-based explanations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sightglass/methods/local/anchoring/outcome.h"
#include "sightglass/methods/rows/labelled_rows.h"
#include "sightglass/methods/run/method.h"
#include "sightglass/result/shapes/shown_condition.h"

namespace sightglass {

struct CertainRule {
  std::vector<std::uint32_t> features;  // positions in MethodInput::features, ascending
  std::size_t open = 0;                 // of these, might be left out: the boxes did not suffice to know
  std::uint64_t explored = 0;           // boxes
};

class CertainRules {
 public:
  // boxes: looked at for each question. All must outlive this.
  CertainRules(const MethodInput& input, const LabelledRows& rows, std::uint64_t boxes);

  // Whether the model can be asked; else nothing else may be.
  [[nodiscard]] bool available(const AnchorOutcome& outcome) const;
  // Nothing where even all values of the row leave the outcome open: it lies on the border, within rounding.
  [[nodiscard]] std::optional<CertainRule> find(const LabelledRow& row, const AnchorOutcome& outcome) const;
  // That each feature is where the row is, as far as the trees can tell.
  [[nodiscard]] std::vector<ShownCondition> conditions(const CertainRule& rule, const LabelledRow& row) const;
  // Share of the data's (weighted) rows that meet these.
  [[nodiscard]] double support(const CertainRule& rule, const LabelledRow& row) const;
  // Features that any split looks at.
  [[nodiscard]] std::size_t features() const;

 private:
  // Σ factor · margin is at most `level` for all inputs.
  struct Claim {
    std::vector<double> factors;
    double level = 0;
  };
  [[nodiscard]] std::vector<Claim> claims(const LabelledRow& row, const AnchorOutcome& outcome) const;
  [[nodiscard]] double margin_of(double prediction) const;

  const MethodInput& input_;
  const LabelledRows& rows_;
  std::uint64_t boxes_;
  std::vector<bool> has_missing_;  // by feature
  double rounding_ = 0;            // of margins
};

}  // namespace sightglass
