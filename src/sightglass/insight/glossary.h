// The words that results use, explained in a sentence or two for readers who meet them for the first time.
#pragma once

#include <string>
#include <vector>

#include "sightglass/result/result.h"

namespace sightglass {

struct Term {
  std::string term, meaning;
};

// Only terms that these results use, in alphabetical order.
[[nodiscard]] std::vector<Term> glossary(const std::vector<Result>& results);

}  // namespace sightglass
