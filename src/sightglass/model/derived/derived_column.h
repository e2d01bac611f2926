// Columns that preparation steps make of the user's columns, before a model sees them. Each is a function of one source
// column: of levels by a table, of numbers by steps of arithmetic, exactly as the framework computes them. So a
// condition on a derived column is a condition on its source, which is found by evaluating the steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "sightglass/model/derived/number_set.h"

namespace sightglass {

// One step, of the number x. NaN is a missing value, which stays one unless the kind says otherwise; so does a number
// become one for which the result is not defined (log(-1)).
struct Step {
  enum class Kind : std::uint8_t {
    round,        // nothing, but see float32
    add,          // x + a
    subtract,     // x - a
    multiply,     // x · a
    divide,       // x / a; a is not 0
    clip,         // between a and b
    replace,      // x where it is not a, else b; either may be NaN
    equals,       // 1 where x is a, else 0; a may be NaN, and NaN is not equal to any other a
    count_upto,   // how many of the numbers are <= x
    count_below,  // how many of the numbers are < x
    look_up,      // values[i] where x is numbers[i], else b; a where x is missing
    truncate,     // towards 0
    floor,
    ceil,
    round_even,  // to the nearest whole number, halves to the even one
    logarithm,   // -infinity of 0
    log1p,
    log2,
    log10,
    exponential,
    expm1,
    square_root,
    cube_root,
    square,
    absolute,
    sign,
    sinh,
    tanh,
    asinh,
    logistic,        // 1 / (1 + exp(-x))
    yeo_johnson,     // with λ = a
    box_cox,         // with λ = a, of numbers above 0
    refuse_missing,  // the framework does not predict rows with such values
    refuse_infinite,
  };
  Kind kind = Kind::round;
  double a = 0, b = 0;
  std::vector<double> numbers = {};  // ascending
  std::vector<double> values = {};
  // The result is rounded to float32. Of sums, products and quotients of float32 numbers this is what arithmetic in
  // float32 gives.
  bool float32 = false;
};

// What each level of a categorical source becomes; NaN is missing.
struct LevelTable {
  std::vector<double> values;  // one per level of the source
  double unseen = std::numeric_limits<double>::quiet_NaN();
  double missing = std::numeric_limits<double>::quiet_NaN();
  bool refuses_unseen = false;
  bool refuses_missing = false;
};

struct DerivedColumn {
  std::uint32_t source = 0;
  std::optional<LevelTable> levels = {};  // of a categorical source
  std::vector<Step> steps = {};           // of its numbers, or of those that the table holds
  // The values are the model's codes of a categorical feature, not numbers by which its levels are called.
  bool codes = false;
};

// x after a step that does not refuse it; of one that does, x.
[[nodiscard]] double apply(const Step& step, double x);
// What becomes of a number of the source, or of a level by its code (-1: unseen); nothing: it is refused.
[[nodiscard]] std::optional<double> derive(const DerivedColumn& column, double x);

// The numbers that a step makes one of the set of, those that it refuses not among them.
[[nodiscard]] NumberSet preimage(const Step& step, const NumberSet& set);
// The same of all steps, and of the table: numbers of the source, or codes of its levels, -1 standing for levels that
// were never seen.
[[nodiscard]] NumberSet preimage(const DerivedColumn& column, NumberSet set);

// Throws Error(model), with `where` in front, for constants that are not finite where they must be, and lists that are
// not ascending or of different lengths.
void check(const DerivedColumn& column, const std::string& where);

}  // namespace sightglass
