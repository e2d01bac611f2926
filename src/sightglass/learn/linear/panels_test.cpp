#include "sightglass/learn/linear/panels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace sightglass {
namespace {

double value(std::size_t column, std::size_t row) {
  return std::sin(1.0 + 3.7 * static_cast<double>(column * 997 + row));
}

TEST(Panels, PackShiftsScalesAndPlaces) {
  const std::size_t rows = 11;  // not all in fours
  std::vector<std::vector<double>> given(panel, std::vector<double>(rows));
  std::vector<std::uint32_t> to(rows);
  PanelColumn columns[panel];
  for (std::size_t c = 0; c < panel; ++c) {
    for (std::size_t r = 0; r < rows; ++r) given[c][r] = value(c, r);
    columns[c] = {given[c].data(), 0.5 * static_cast<double>(c), 1.0 + static_cast<double>(c)};
  }
  for (std::uint32_t r = 0; r < rows; ++r) to[r] = (r * 4 + 3) % 11;
  std::vector<double> out(rows * panel);
  pack_panel(columns, rows, to.data(), out.data());
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < panel; ++c) {
      const auto at = static_cast<double>(c);
      EXPECT_EQ(out[to[r] * panel + c], (value(c, r) - 0.5 * at) * (1 + at)) << r << ' ' << c;
    }
  }
}

// Bit for bit what fused sums of one row after the other are, on any processor, for each number of panels.
TEST(Panels, TilesAreSumsOfProductsRowByRow) {
  const std::size_t rows = 37, stride = rows * panel;
  std::vector<double> a(most_panels * stride), b(stride);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = value(1, i);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = value(2, i);
  for (std::size_t count = 1; count <= most_panels; ++count) {
    std::vector<std::vector<double>> sums(most_panels, std::vector<double>(panel * panel, 2.0));
    double* to[most_panels];
    for (std::size_t i = 0; i < most_panels; ++i) to[i] = sums[i].data();
    add_tiles({a.data(), stride, count}, b.data(), rows, to);
    for (std::size_t i = 0; i < most_panels; ++i) {
      for (std::size_t j = 0; j < panel * panel; ++j) {
        double sum = 0;
        for (std::size_t r = 0; r < rows; ++r) {
          sum = std::fma(a[i * stride + r * panel + j % panel], b[r * panel + j / panel], sum);
        }
        EXPECT_EQ(sums[i][j], i < count ? 2.0 + sum : 2.0) << count << ' ' << i << ' ' << j;
      }
    }
  }
}

}  // namespace
}  // namespace sightglass
