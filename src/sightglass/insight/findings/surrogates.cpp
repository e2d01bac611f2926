// How much of the model a small one says, and where it does not.
#include <algorithm>
#include <cmath>

#include "sightglass/insight/findings/evidence_internal.h"
#include "sightglass/insight/readable.h"
#include "sightglass/result/fidelity_measure.h"
#include "sightglass/result/shapes/fidelity.h"

namespace sightglass::finders {

namespace {

struct Follower {
  const Result* result = nullptr;
  const Fidelity* fidelity = nullptr;
  const FidelityPart* overall = nullptr;
};

// The first, unless another says clearly more.
std::optional<Follower> best_follower(const Evidence& evidence) {
  constexpr double clearly_more = 0.1;
  std::optional<Follower> best;
  for (const Result* result : evidence.results()) {
    for (const ResultItem& item : result->results) {
      const auto* fidelity = item.as<Fidelity>();
      if (fidelity == nullptr || !fidelity->group.empty()) continue;
      if (!is_share_of_variance(fidelity->measure) && !is_share_of_rows(fidelity->measure)) continue;
      const FidelityPart* part = overall_part(*fidelity);
      if (part == nullptr || !std::isfinite(part->fidelity)) continue;
      if (!best || part->fidelity > best->overall->fidelity + clearly_more) best = Follower{result, fidelity, part};
    }
  }
  return best;
}

std::string where_it_fails(const Follower& best) {
  const FidelityPart* worst = worst_region(*best.fidelity);
  if (worst == nullptr || !is_uneven(*best.fidelity, *worst)) return "";
  const std::string where = "; it follows worst where " + conditions_text(worst->conditions);
  if (!worst->error || !best.overall->error) return where + ", for " + percent(worst->fidelity) + " of rows";
  return where + ", where it is off by " + amount_of(*best.result, *worst->error) + " against " +
         amount(*best.overall->error) + " over all rows";
}

}  // namespace

std::vector<Candidate> surrogates(const Evidence& evidence) {
  const auto best = best_follower(evidence);
  if (!best) return {};
  const double share = best->overall->fidelity;
  std::string title = best->fidelity->title;
  if (!title.empty()) title[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(title[0])));
  const bool vowel = !title.empty() && std::string_view("aeiou").find(title[0]) != std::string_view::npos;
  const std::string what = std::string(vowel ? "An " : "A ") + title + " with " + std::to_string(best->fidelity->size) +
                           " " + best->fidelity->size_unit;
  std::string text;
  if (is_share_of_rows(best->fidelity->measure)) {
    text = what + " names the same class as the model for " + percent(share) + " of rows" + where_it_fails(*best);
  } else if (share <= 0) {
    text = what + " says nothing of what the model says: no small model found stands for it";
  } else {
    text = what + " says " + percent(share) + " of what the model says" + where_it_fails(*best);
  }
  return {{{text + ".", {}, "surrogates"}, Place::together, 58, "surrogate"}};
}

}  // namespace sightglass::finders
