// Caveats in plain sentences, for people who read a page: what to type stands apart, as a tip, and those of one kind
// are told once.
#pragma once

#include <string>
#include <vector>

#include "sightglass/insight/caveat_list.h"
#include "sightglass/result/caveat_subject.h"

namespace sightglass {

struct CaveatWords {
  std::string message, advice;  // no options in them
  std::string tip;              // what to ask for by which option, as the front end spells it; may be empty
};
[[nodiscard]] CaveatWords caveat_words(const Caveat& caveat);

// A note that nobody can do anything about is for the saved results alone.
[[nodiscard]] bool is_worth_telling(const Caveat& caveat);

struct CaveatKind {
  std::vector<std::size_t> members;  // places in the list, the worst first
  std::string sentence;              // of all of them together
  std::string topic;                 // kinds with the same one say nearly the same
};
// Worst first, and what is about the whole before what is about features, groups of rows, single rows and simpler
// models.
[[nodiscard]] std::vector<CaveatKind> caveat_kinds(const std::vector<ListedCaveat>& list);

// What a caveat about several features says of one of them; empty where its message is all that there is.
[[nodiscard]] std::string caveat_about(const Caveat& caveat, const CaveatSubject& subject);

}  // namespace sightglass
