// Kernels of sums of products. Eight columns that stand side by side, row by row, are a panel: one load takes a row of
// them. Products are fused with their sums, also where no instruction does it, so that all processors find the same.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sightglass {

inline constexpr std::size_t panel = 8;
// That are multiplied by one other at once: as many as there are registers for.
inline constexpr std::size_t most_panels = 3;

// (value − centre) · factor, row after row.
struct PanelColumn {
  const double* values;
  double centre, factor;
};

// out[to[row] × panel + column]
void pack_panel(const PanelColumn (&columns)[panel], std::size_t rows, const std::uint32_t* to, double* out);

struct Panels {
  const double* first;
  std::size_t stride;  // from one to the next
  std::size_t count;   // up to most_panels
};

// sums[i][column of b × panel + column of panel i] += Σ over rows.
void add_tiles(const Panels& panels, const double* b, std::size_t rows, double* const* sums);

}  // namespace sightglass
