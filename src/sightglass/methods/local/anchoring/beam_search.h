// The rule for a row by sampling: a beam of rules that grow by one condition at a time, the most precise of which are
// found by KL-LUCB (Kaufmann & Kalyanakrishnan, COLT 2013; Ribeiro, Singh & Guestrin, Anchors, AAAI 2018). A rule's
// sample is the perturbed rows that meet it, in the order in which they were drawn; where these run out it wants more,
// drawn with the rule held. The search then stops until it has them, so that many searches ask the model together.
#pragma once

#include <cstdint>
#include <vector>

#include "sightglass/methods/local/anchoring/anchor_rule.h"
#include "sightglass/methods/local/anchoring/row_search.h"

namespace sightglass {

class BeamSearch {
 public:
  // Both must outlive this.
  BeamSearch(const AnchorSets& sets, const AnchorTerms& terms);

  // Rows that are to be drawn with a rule held.
  struct Want {
    CellRule rule;
    std::uint64_t first = 0;  // of its draws
    std::size_t count = 0;
    std::size_t arm = 0;
  };
  // Goes on until it knows the rules, or wants something. What it wanted before must have been answered.
  [[nodiscard]] std::vector<Want> advance();
  void answer(const Want& want, std::size_t good);
  // Once it wants nothing more.
  [[nodiscard]] FoundAnchors found() &&;

 private:
  struct Arm {
    AnchorRule rule;
    std::vector<RowWord> meets;  // perturbed rows
    std::size_t next = 0;        // perturbed row to look at
    std::uint64_t drawn = 0;     // with the rule held
    RuleCount sample;
    bool spent = false;  // as many as a rule may have
  };
  enum class Phase { begin, select, judge, done };

  void add_arm(CellRule conditions, const std::vector<const RowConditions::Condition*>& parts);
  // Takes so many more rows into an arm's sample; what is not there is wanted.
  void sample(std::size_t arm, std::size_t count);
  [[nodiscard]] std::size_t step_of(std::size_t arm) const;
  void grow();
  [[nodiscard]] bool select();  // whether the best arms are known
  [[nodiscard]] bool judge();   // whether each of them is known to be precise or not
  [[nodiscard]] double level() const;

  const AnchorSets& sets_;
  AnchorTerms terms_;
  Phase phase_ = Phase::begin;
  std::size_t size_ = 0;     // conditions of the arms
  std::uint64_t round_ = 1;  // of the comparison
  std::vector<Arm> arms_;
  std::vector<std::size_t> best_;
  std::vector<CellRule> beam_;
  std::vector<Want> wants_;
  double nearest_ = -1;
  FoundAnchors found_;
};

}  // namespace sightglass
