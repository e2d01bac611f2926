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

}  // namespace sightglass
