// Sums of products of columns, Σ w x_i x_j, for many more rows than columns. Numbers by a kernel of tiles, levels by
// counting: two levels of a feature are never there together, and no column of zeros and ones is made. Every sum is
// found by one thread, rows in their order, in blocks: the same bytes on any number of threads, and on any processor.
// Cost: rows × (numbers² / 2 + levels' features × (numbers + levels' features)).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/learn/linear/design.h"

namespace sightglass {

struct Products {
  std::size_t size = 0;
  std::vector<double> sums;  // [i × size + j], symmetric
  [[nodiscard]] double operator()(std::size_t i, std::size_t j) const { return sums[i * size + j]; }
};

struct ProductRequest {
  std::span<const std::uint32_t> columns;              // of the design, ascending
  std::span<const std::span<const double>> more = {};  // columns besides, which come first
  std::span<const double> weights = {};                // per row, of any sign; empty: all 1
  std::span<const std::uint32_t> parts = {};           // the part of each row, such as its fold; empty: one part
  std::uint32_t part_count = 1;
};

// One for each part: first the columns besides, then those of the design.
[[nodiscard]] std::vector<Products> sums_of_products(const Design& design, const ProductRequest& request,
                                                     const Context& context);

}  // namespace sightglass
