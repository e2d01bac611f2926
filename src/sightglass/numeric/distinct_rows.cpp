#include "sightglass/numeric/distinct_rows.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace sightglass {

namespace {

struct Hashed {
  std::uint64_t hash = 0;
  std::uint32_t place = 0;  // among the rows
};

std::uint64_t bits_of(double value) {
  if (std::isnan(value)) return ~std::uint64_t{0};
  return std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : value);
}

std::uint64_t mixed(std::uint64_t hash, std::uint64_t bits) {
  hash = (hash ^ bits) * 0x9e37'79b9'7f4a'7c15U;
  return hash ^ (hash >> 29);
}

}  // namespace

std::vector<std::uint32_t> first_equal_rows(std::span<const std::span<const double>> columns,
                                            std::span<const std::uint32_t> rows, const Context& context) {
  std::vector<Hashed> order(rows.size());
  for (std::uint32_t place = 0; place < rows.size(); ++place) order[place].place = place;
  for (const std::span<const double> column : columns) {
    context.check();
    for (Hashed& each : order) each.hash = mixed(each.hash, bits_of(column[rows[each.place]]));
  }
  std::sort(order.begin(), order.end(),
            [](const Hashed& a, const Hashed& b) { return a.hash != b.hash ? a.hash < b.hash : a.place < b.place; });
  const auto compared = [&](const Hashed& a, const Hashed& b) {
    for (const std::span<const double> column : columns) {
      const std::uint64_t first = bits_of(column[rows[a.place]]), second = bits_of(column[rows[b.place]]);
      if (first != second) return first < second ? -1 : 1;
    }
    return 0;
  };
  std::vector<std::uint32_t> found(rows.size());
  for (auto begin = order.begin(), end = begin; begin != order.end(); begin = end) {
    context.check();
    bool same = true;
    for (end = begin; end != order.end() && end->hash == begin->hash; ++end) same = same && compared(*begin, *end) == 0;
    if (!same) {
      std::stable_sort(begin, end, [&](const Hashed& a, const Hashed& b) { return compared(a, b) < 0; });
    }
    auto first = begin;
    for (auto each = begin; each != end; ++each) {
      if (!same && compared(*first, *each) != 0) first = each;
      found[each->place] = rows[first->place];
    }
  }
  return found;
}

}  // namespace sightglass
