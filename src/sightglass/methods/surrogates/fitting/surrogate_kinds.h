// The kinds of surrogates: which learner, told what, for a given size.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/base/value.h"
#include "sightglass/learn/learner.h"

namespace sightglass {

struct SurrogateKind {
  std::string name;                  // as the option has it: "rules"
  std::string title;                 // "Rules"
  std::string learner;               // its name in the list of learners
  std::string unit;                  // what its size counts: "leaves"
  std::uint64_t usual_size = 0;      // 0: it has no size to choose
  std::vector<std::uint64_t> sizes;  // of the frontier
  Value told = Value::object();      // options whatever the size
  std::uint64_t refit_cost = 1;      // refits that it is spared: one of so many; 0: it is not refitted

  [[nodiscard]] const LearnerEntry& entry() const;
  // Throws Error as the learner does.
  [[nodiscard]] Learned fit(const TrainingData& data, std::uint64_t size, std::uint64_t seed,
                            const Context& context) const;
};

// In the order in which they are shown.
[[nodiscard]] const std::vector<SurrogateKind>& surrogate_kinds();
// Those that are named, or the usual ones. Throws Error(usage) on a name that there is not.
[[nodiscard]] std::vector<SurrogateKind> chosen_kinds(const std::vector<std::string>& names);

}  // namespace sightglass
