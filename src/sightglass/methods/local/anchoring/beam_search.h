// The rule for a row by sampling: a beam of rules that grow by one condition at a time, the most precise of which are
// found by KL-LUCB (Kaufmann & Kalyanakrishnan, COLT 2013; Ribeiro, Singh & Guestrin, Anchors, AAAI 2018). A rule's
// sample is the perturbed rows that meet it, in the order in which they were drawn; where these run out it wants more,
// drawn with the rule held. The search then stops until it has them, so that many searches ask the model together.
#pragma once

#include <cstdint>
#include <span>
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
  // A rule that is made longer, as sets of rows.
  struct Base {
    CellRule rule;
    std::vector<RowWord> rows, perturbed;
  };
  struct Arm {
    AnchorRule rule;
    std::size_t base = 0;            // what it was made of
    const RowWord* added = nullptr;  // perturbed rows that meet its last condition; null: it has none
    std::size_t next = 0;            // word of perturbed rows to look at
    std::uint64_t drawn = 0;         // with the rule held
    RuleCount sample;
    bool spent = false;  // as many as a rule may have
  };
  enum class Phase { begin, select, judge, done };

  [[nodiscard]] Base base_of(const CellRule& rule) const;
  void add_arm(std::size_t base, const RowConditions::Condition* added);
  // Takes so many more rows into an arm's sample, to the end of a word; what is not there is wanted.
  void sample(std::size_t arm, std::size_t count);
  [[nodiscard]] std::size_t step_of(std::size_t arm) const;
  void grow();
  [[nodiscard]] bool more_precise(std::size_t a, std::size_t b) const;
  void put_in_order();
  [[nodiscard]] bool select();  // whether the best arms are known
  [[nodiscard]] bool judge();   // whether each of them is known to be precise or not
  [[nodiscard]] double level() const;
  [[nodiscard]] std::span<const std::size_t> best() const;

  const AnchorSets& sets_;
  AnchorTerms terms_;
  Phase phase_ = Phase::begin;
  std::size_t size_ = 0;     // conditions of the arms
  std::uint64_t round_ = 1;  // of the comparison
  std::vector<Base> bases_;
  std::vector<Arm> arms_;
  std::vector<std::size_t> order_;  // of the arms, the most precise first
  std::vector<std::size_t> moved_;  // that were sampled since they were put in order
  std::vector<CellRule> beam_;
  std::vector<Want> wants_;
  double nearest_ = -1;
  FoundAnchors found_;
};

}  // namespace sightglass
