#include "sightglass/result/shapes/proof.h"

#include "sightglass/base/error.h"
#include "sightglass/result/fields.h"

namespace sightglass {

void describe_fields(Proof& proof, Fields& fields) {
  fields.about("What is proven about something that was searched for.");
  describe_choice(fields, {"status", "", Presence::required}, proof_statuses, proof.status);
  fields.optional_number({"bound", "No solution is better than this."}, proof.bound);
  fields.text({"among", "What was searched: \"trees of depth 3 on these cuts\"."}, proof.among);
  fields.count({"explored", "Steps of the search."}, proof.explored);
}

void describe_proof(std::optional<Proof>& proof, Fields& fields) {
  bool there = proof.has_value();
  Proof held = proof.value_or(Proof());
  fields.only_if(there, [&] {
    fields.optional_group({"proof", "What is proven about it; none: nothing was."}, there,
                          [&](Fields& inside) { describe_fields(held, inside); });
  });
  if (there && proof != held) proof = held;
}

std::string proof_text(const Proof& proof) {
  const std::string among = proof.among.empty() ? "" : " among " + printable(proof.among, 200);
  switch (proof.status) {
    case ProofStatus::optimal: return "proven to be the best" + among;
    case ProofStatus::bounded: return "close to the best" + among + ", with a proven bound";
    case ProofStatus::sampled: return "the best of a sample" + among;
    case ProofStatus::none: break;
  }
  return {};
}

}  // namespace sightglass
