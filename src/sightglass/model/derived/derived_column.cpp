#include "sightglass/model/derived/derived_column.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sightglass/base/error.h"

namespace sightglass {

namespace {

using Kind = Step::Kind;
using Interval = NumberSet::Interval;

constexpr double unbounded = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// (1 + x)^λ as a difference from 1, in units of λ.
double power_of(double x, double lambda) {
  const bool none = std::abs(lambda) < std::numeric_limits<double>::epsilon();
  return none ? std::log1p(x) : (std::pow(1 + x, lambda) - 1) / lambda;
}

double yeo_johnson(double x, double lambda) { return x >= 0 ? power_of(x, lambda) : -power_of(-x, 2 - lambda); }

double computed(const Step& step, double x) {
  const double a = step.a, b = step.b;
  switch (step.kind) {
    case Kind::round:
    case Kind::refuse_missing:
    case Kind::refuse_infinite: return x;
    case Kind::replace: return same(x, a) ? b : x;
    case Kind::equals: return same(x, a) ? 1 : 0;
    default: break;
  }
  if (step.kind == Kind::look_up) {
    if (std::isnan(x)) return a;
    const auto at = std::lower_bound(step.numbers.begin(), step.numbers.end(), x);
    const bool found = at != step.numbers.end() && *at == x;
    return found ? step.values[static_cast<std::size_t>(at - step.numbers.begin())] : b;
  }
  if (std::isnan(x)) return x;
  const auto& numbers = step.numbers;
  switch (step.kind) {
    case Kind::add: return x + a;
    case Kind::subtract: return x - a;
    case Kind::multiply: return x * a;
    case Kind::divide: return x / a;
    case Kind::clip: return std::min(std::max(x, a), b);
    case Kind::count_upto:
      return static_cast<double>(std::upper_bound(numbers.begin(), numbers.end(), x) - numbers.begin());
    case Kind::count_below:
      return static_cast<double>(std::lower_bound(numbers.begin(), numbers.end(), x) - numbers.begin());
    case Kind::truncate: return std::trunc(x);
    case Kind::floor: return std::floor(x);
    case Kind::ceil: return std::ceil(x);
    case Kind::round_even: return std::nearbyint(x);
    case Kind::logarithm: return std::log(x);
    case Kind::log1p: return std::log1p(x);
    case Kind::log2: return std::log2(x);
    case Kind::log10: return std::log10(x);
    case Kind::exponential: return std::exp(x);
    case Kind::expm1: return std::expm1(x);
    case Kind::square_root: return std::sqrt(x);
    case Kind::cube_root: return std::cbrt(x);
    case Kind::square: return x * x;
    case Kind::absolute: return std::abs(x);
    case Kind::sign: return x > 0 ? 1 : x < 0 ? -1 : 0;
    case Kind::sinh: return std::sinh(x);
    case Kind::tanh: return std::tanh(x);
    case Kind::asinh: return std::asinh(x);
    case Kind::logistic: return 1 / (1 + std::exp(-x));
    case Kind::yeo_johnson: return yeo_johnson(x, a);
    case Kind::box_cox: return x > 0 ? (a == 0 ? std::log(x) : (std::pow(x, a) - 1) / a) : not_a_number;
    default: return x;
  }
}

// Intervals on which a step goes up or down all the way and is defined, in ascending order; elsewhere its result is
// missing.
std::vector<Interval> monotone_pieces(const Step& step) {
  const std::int64_t lowest = rank_of(-unbounded), highest = rank_of(unbounded);
  const auto around = [&](const std::vector<double>& points) {
    std::vector<Interval> pieces;
    std::int64_t next = lowest;
    for (const double point : points) {
      const std::int64_t rank = rank_of(point);
      if (rank > next) pieces.push_back({next, rank - 1});
      pieces.push_back({rank, rank});
      next = rank + 1;
    }
    if (next <= highest) pieces.push_back({next, highest});
    return pieces;
  };
  switch (step.kind) {
    case Kind::multiply:
      if (step.a == 0) return {{lowest + 1, highest - 1}};
      break;
    case Kind::replace:
    case Kind::equals:
      if (!std::isnan(step.a)) return around({step.a});
      break;
    case Kind::look_up: return around(step.numbers);
    case Kind::logarithm:
    case Kind::log2:
    case Kind::log10:
    case Kind::square_root: return {{0, highest}};
    case Kind::log1p: return {{rank_of(-1), highest}};
    case Kind::box_cox: return {{1, highest}};
    case Kind::square:
    case Kind::absolute: return {{lowest, -1}, {0, highest}};
    default: break;
  }
  return {{lowest, highest}};
}

// The first rank of the interval for which a condition holds that stays true from there on; one behind it if none.
template <class Holds>
std::int64_t first_that(Interval within, const Holds& holds) {
  std::int64_t low = within.first, high = within.last + 1;
  while (low < high) {
    // Ranks from end to end are further apart than an int64 counts.
    const std::uint64_t distance = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
    const std::int64_t middle = low + static_cast<std::int64_t>(distance / 2);
    if (holds(number_at(middle))) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

// The numbers of a piece whose results are in one of the intervals.
void add_preimages(const Step& step, Interval piece, const std::vector<Interval>& wanted, std::vector<Interval>& into) {
  const auto result = [&](std::int64_t rank) { return rank_of(apply(step, number_at(rank))); };
  const std::int64_t at_first = result(piece.first), at_last = result(piece.last);
  const bool falls = at_first > at_last;
  const std::int64_t low = std::min(at_first, at_last), high = std::max(at_first, at_last);
  for (const Interval& interval : wanted) {
    if (interval.last < low || interval.first > high) continue;
    Interval found = piece;
    const auto reaches = [&](double x) { return rank_of(apply(step, x)) >= interval.first; };
    const auto exceeds = [&](double x) { return rank_of(apply(step, x)) > interval.last; };
    if (falls) {
      if (interval.last < high) found.first = first_that(piece, [&](double x) { return !exceeds(x); });
      if (interval.first > low) found.last = first_that(piece, [&](double x) { return !reaches(x); }) - 1;
    } else {
      if (interval.first > low) found.first = first_that(piece, reaches);
      if (interval.last < high) found.last = first_that(piece, exceeds) - 1;
    }
    if (found.first <= found.last) into.push_back(found);
  }
}

}  // namespace

double apply(const Step& step, double x) {
  const double result = computed(step, x);
  return step.float32 ? static_cast<double>(static_cast<float>(result)) : result;
}

std::optional<double> derive(const DerivedColumn& column, double x) {
  if (column.levels) {
    const LevelTable& table = *column.levels;
    const bool known = x >= 0 && x < static_cast<double>(table.values.size());
    if (std::isnan(x) ? table.refuses_missing : !known && table.refuses_unseen) return std::nullopt;
    x = std::isnan(x) ? table.missing : known ? table.values[static_cast<std::size_t>(x)] : table.unseen;
  }
  for (const Step& step : column.steps) {
    if (step.kind == Kind::refuse_missing && std::isnan(x)) return std::nullopt;
    if (step.kind == Kind::refuse_infinite && std::isinf(x)) return std::nullopt;
    x = apply(step, x);
  }
  return x;
}

NumberSet preimage(const Step& step, const NumberSet& set) {
  std::vector<Interval> found;
  std::int64_t next = rank_of(-unbounded);
  for (const Interval& piece : monotone_pieces(step)) {
    // Where the result is missing.
    if (set.missing && piece.first > next) found.push_back({next, piece.first - 1});
    next = piece.last + 1;
    if (std::isnan(apply(step, number_at(piece.first)))) {
      if (set.missing) found.push_back(piece);
      continue;
    }
    add_preimages(step, piece, set.intervals, found);
  }
  if (set.missing && next <= rank_of(unbounded)) found.push_back({next, rank_of(unbounded)});
  NumberSet before = NumberSet::of(std::move(found), set.contains(apply(step, not_a_number)));
  if (step.kind == Kind::refuse_missing) before.missing = false;
  if (step.kind == Kind::refuse_infinite)
    before = difference(
        before,
        NumberSet::of({{rank_of(-unbounded), rank_of(-unbounded)}, {rank_of(unbounded), rank_of(unbounded)}}, false));
  return before;
}

NumberSet preimage(const DerivedColumn& column, NumberSet set) {
  for (auto step = column.steps.rbegin(); step != column.steps.rend(); ++step) set = preimage(*step, set);
  if (!column.levels) return set;
  const LevelTable& table = *column.levels;
  std::vector<Interval> codes;
  if (!table.refuses_unseen && set.contains(table.unseen)) codes.push_back({-1, -1});
  for (std::size_t code = 0; code < table.values.size(); ++code) {
    const auto rank = static_cast<std::int64_t>(code);
    if (set.contains(table.values[code])) codes.push_back({rank, rank});
  }
  return NumberSet::of(std::move(codes), !table.refuses_missing && set.contains(table.missing));
}

void check(const DerivedColumn& column, const std::string& where) {
  const auto fail = [&](const std::string& what) {
    throw Error(ErrorKind::model, printable(where) + ": a preparation step " + what);
  };
  for (const Step& step : column.steps) {
    switch (step.kind) {
      case Kind::add:
      case Kind::subtract:
      case Kind::multiply:
      case Kind::divide:
      case Kind::yeo_johnson:
      case Kind::box_cox:
        if (!std::isfinite(step.a)) fail("has a constant that is not finite");
        if (step.kind == Kind::divide && step.a == 0) fail("divides by 0");
        break;
      case Kind::clip:
        if (!(step.a <= step.b)) fail("keeps values between bounds that are none");
        break;
      case Kind::count_upto:
      case Kind::count_below:
      case Kind::look_up: {
        const auto& numbers = step.numbers;
        const bool ascend = std::none_of(numbers.begin(), numbers.end(), [](double x) { return std::isnan(x); }) &&
                            std::is_sorted(numbers.begin(), numbers.end());
        const bool distinct = std::adjacent_find(numbers.begin(), numbers.end()) == numbers.end();
        const bool looks_up = step.kind == Kind::look_up;
        if (!ascend || (looks_up && !distinct)) fail("has numbers that do not ascend");
        if (looks_up && step.values.size() != numbers.size()) fail("has another number of values than of numbers");
        break;
      }
      default: break;
    }
  }
}

}  // namespace sightglass
