// Is there a counterexample to what is said of a tree ensemble: an input, some of whose features are those of a row, of
// which it does not hold?
//
// It is violated where several sums of margins are all above their levels: those by which one class is above each
// other one, say. With the row's own features set, each tree can only end in some of its leaves; where the greatest of
// these leave one sum at its level, there is no counterexample. Otherwise the inputs are divided where the trees leave
// most open, the most promising part first (branch and bound), until an input was found, every part is settled or so
// many parts were looked at. A part whose inputs all end in the same leaves is settled by asking about one of them.
// Cost: some microseconds for each part and a hundred trees.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/model/trees/rows/feature_codes_internal.h"

namespace sightglass {

// Every one of its sums Σ_k factors[k] · margin_k is above its level.
struct Violation {
  struct Sum {
    std::vector<double> factors;  // per output
    double level = 0;             // as low as rounding could make it
  };
  std::vector<Sum> sums;
};

struct CounterexampleAnswer {
  enum class Kind { none, found, open };
  Kind kind = Kind::none;
  std::vector<std::uint32_t> at;  // found: a code per slot
  std::uint64_t explored = 0;     // parts of the inputs
};

class CounterexampleSearch {
 public:
  // Where inputs start from: the row's codes, and per slot whether a value may be missing that is not so in the row.
  struct Row {
    std::vector<std::uint32_t> own;
    std::vector<bool> may_miss;
  };
  // broken: decides for one input, as the model computes. Parts and codes must stay where they are.
  CounterexampleSearch(const TreeEnsemble::Parts& parts, const FeatureCodes& codes, std::vector<Violation> violations,
                       Row row, std::function<bool(std::span<const std::uint32_t>)> broken);

  // Any of the violations, by inputs with the row's codes where `fixed`. Safe for concurrent calls.
  [[nodiscard]] CounterexampleAnswer find(const std::vector<bool>& fixed, std::uint64_t limit,
                                          const Context& context) const;
  // The same by inputs with one of the codes that are allowed, per slot and code; a slot without any may have all. The
  // row's own are among them, and numbers are allowed from one to another one.
  [[nodiscard]] CounterexampleAnswer find_among(const std::vector<std::vector<bool>>& allowed, std::uint64_t limit,
                                                const Context& context) const;
  // How far above its level the greatest leaves take a violation at the most.
  [[nodiscard]] double reach(const std::vector<bool>& fixed) const;

 private:
  class Region;
  class Trees;
  // How a slot's codes are kept: in order, as a range; else as bits.
  struct Axis {
    bool in_order = false;
    std::uint32_t codes = 0, first_word = 0;
  };
  [[nodiscard]] Region region(const std::vector<bool>& fixed) const;
  [[nodiscard]] std::vector<std::uint32_t> pick(const Region& region) const;
  [[nodiscard]] CounterexampleAnswer find_in(const Region& whole, std::uint64_t limit, const Context& context) const;

  const TreeEnsemble::Parts& parts_;
  const FeatureCodes& codes_;
  std::vector<Violation> violations_;
  Row row_;
  std::function<bool(std::span<const std::uint32_t>)> broken_;
  std::vector<Axis> axes_;                 // per slot
  std::uint32_t words_ = 0;                // of bits, of all slots
  std::vector<std::uint32_t> first_mask_;  // per condition of such a slot
  std::vector<std::uint64_t> masks_;       // of these: codes that go right
};

}  // namespace sightglass
