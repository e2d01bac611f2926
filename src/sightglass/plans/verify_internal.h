// What checks of saved results share: how they were made, and the checks of one kind of claim each.
#pragma once

#include "sightglass/methods/run/session.h"
#include "sightglass/plans/verify.h"

namespace sightglass {

// What is checked, and by what.
struct VerifyTask {
  const Result& saved;
  const Model& model;
  const Source& data;
  Context& context;
  bool of_new_model = false;

  // What was told, as it was recorded; a text that is empty was not given. Of a second model only the name is known,
  // and no proof is about it.
  [[nodiscard]] Value told_options() const;
  // The result anew.
  [[nodiscard]] Result made_again() const;
  // Of these options, what every run can be told.
  [[nodiscard]] RunOptions run_options() const;
};

// Where two items say different things: the path of the first of these; empty: nowhere. What a second model said, and
// how much was searched, is not claimed.
[[nodiscard]] std::string where_different(const ResultItem& a, const ResultItem& b);

// Whether the result holds rules that are certain.
[[nodiscard]] bool has_certain_rules(const Result& saved);
// That their conditions settle the outcome, that they are as few as they claim to be, and what bounds that; and that
// everything else which is said of the rows is found again.
void verify_certain_rules(const VerifyTask& task, Verification& found);

}  // namespace sightglass
