// Features that are taken together: what importance methods shuffle or switch at once.
#pragma once

#include <string>
#include <vector>

#include "sightglass/methods/run/method.h"

namespace sightglass {

struct FeatureGroup {
  std::string name;                    // of the one feature, or of the group
  std::vector<std::uint32_t> columns;  // of the schema
  std::vector<std::string> features;   // their names
};

// Each feature alone, then the groups: the named features, or all that are in no group, so that a group has
// something to be compared with. A group is "name=a,b" or "a,b". Throws Error(usage) on a name that is not a
// feature, a feature that is twice in a group, and a single name.
[[nodiscard]] std::vector<FeatureGroup> chosen_groups(const MethodInput& input,
                                                      const std::vector<std::string>& features,
                                                      const std::vector<std::string>& groups);

// Says so where all rows have the same value of a feature (missing ones count as one more), or none has any.
// `effect` tells what that means: "shuffling it changes nothing".
void add_value_caveats(const Schema& schema, std::uint32_t column, std::span<const double> values,
                       const std::string& effect, std::vector<Caveat>& caveats);

// Writes the rank of each entry of one measure into its details: 1 is the most important, ties go in the
// order of the entries.
void add_ranks(std::vector<Importance>& entries);

}  // namespace sightglass
