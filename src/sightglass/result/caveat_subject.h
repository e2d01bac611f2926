// Whom a caveat is about, as its evidence says it: {"feature": "temp", "other": "season"}, {"feature": …, "others":
// […]}, a list of these under "features", or plain names there, which are meant together.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "sightglass/result/result.h"

namespace sightglass {

struct CaveatSubject {
  std::vector<std::string> features;  // one, or several together
  std::vector<std::string> others;    // that go together with it
};

// None if the caveat is about the whole.
[[nodiscard]] std::vector<CaveatSubject> subjects_of(const Caveat& caveat);
// All names in it, the others as well.
[[nodiscard]] std::set<std::string> features_named(const Caveat& caveat);
// Whether it says of these two that they go together.
[[nodiscard]] bool ties_together(const Caveat& caveat, const std::string& a, const std::string& b);
// Whether it is about the model as a whole, so that every method that was run finds it again, with its own numbers.
[[nodiscard]] bool is_about_model(const Caveat& caveat);
// Whether two find the same about the same features, be it in other words or with other numbers.
[[nodiscard]] bool about_the_same(const Caveat& a, const Caveat& b);
// Whether the other finds the same about all of its features, and about more.
[[nodiscard]] bool is_about_part_of(const Caveat& caveat, const Caveat& other);

}  // namespace sightglass
