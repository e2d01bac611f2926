// What is proven about something that was searched for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sightglass {

class Fields;

enum class ProofStatus { none, optimal, bounded, sampled };
inline constexpr std::string_view proof_statuses[] = {"none", "optimal", "bounded", "sampled"};

struct Proof {
  ProofStatus status = ProofStatus::none;
  std::optional<double> bound = std::nullopt;  // no solution is better than this
  std::string among;                           // what was searched: "trees of depth 3 on these cuts"
  std::uint64_t explored = 0;                  // steps of the search

  friend bool operator==(const Proof&, const Proof&) = default;
};

void describe_fields(Proof& proof, Fields& fields);
// As the key "proof", only where there is one.
void describe_proof(std::optional<Proof>& proof, Fields& fields);
// "proven to be the best among trees of depth 3 on these cuts"; empty where nothing is proven.
[[nodiscard]] std::string proof_text(const Proof& proof);

}  // namespace sightglass
