// The fewest features whose values settle an outcome, and proof that no fewer do.
//
// First features are set free one after the other, those that move the outcome least by themselves first; what cannot
// be set free is minimal: none of it can be left out. Then by duality: an input with another outcome differs from the
// row in some features, one of which every set that settles the outcome must hold. The smallest set that hits all such
// sets (numeric/hitting_set.h) bounds the size from below; if it settles the outcome, it is the smallest; else another
// input was found, and so on. Ignatiev, Narodytska & Marques-Silva 2019, Abduction-based explanations for machine
// learning models; Ignatiev, Morgado & Marques-Silva 2016, Propositional abduction with implicit hitting sets.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/model/trees/bounds/counterexample_search_internal.h"

namespace sightglass {

struct CertainSlots {
  std::vector<std::uint32_t> slots;  // ascending
  std::size_t open = 0;              // of these, might be left out: the limit was reached before that was known
  std::size_t least = 0;             // proven: no fewer settle the outcome
  std::uint64_t explored = 0;        // parts of the inputs
};

// own, broken: as given to the search. boxes: parts of the inputs to look at, for each question; as many for each slot
// while fewer are searched.
[[nodiscard]] CertainSlots fewest_certain_slots(const CounterexampleSearch& search,
                                                const std::vector<std::uint32_t>& own,
                                                const std::function<bool(std::span<const std::uint32_t>)>& broken,
                                                std::uint64_t boxes, const Context& context);

}  // namespace sightglass
