// How strongly pairs of features act together, over all outputs: what a heat map and a ranking of pairs show.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sightglass/result/result.h"

namespace sightglass {

constexpr std::size_t features_in_map = 25;
constexpr std::size_t bars_of_pairs = 15;  // the strongest

struct PairMap {
  struct Cell {
    const Interaction* entry = nullptr;
    std::size_t first = 0, second = 0;   // places among the features
    std::size_t output = 0;              // place among the outputs
    std::size_t rank = 0;                // within its output, from 0
    std::optional<std::size_t> section;  // of a page, that shows the pair
    bool faded = false;                  // too little effect for H² to mean anything
  };
  const Result* result = nullptr;
  std::vector<std::string> outputs;
  std::vector<std::string> features;  // strongest first, by the sum of their pairs
  std::vector<Cell> cells;            // by output, strongest first
  std::size_t left_out = 0;           // features beyond those in a map

  [[nodiscard]] bool is_empty() const { return cells.empty(); }
};

// Without groups of rows.
[[nodiscard]] PairMap pair_map(const Result& result);

}  // namespace sightglass
