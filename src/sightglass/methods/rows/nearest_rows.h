// Which rows of the data are nearest to one that is explained, by Gower's distance over the model's features, and
// whether the row is farther from them than rows of the data are from one another: then whatever is said of it is
// extrapolation.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "sightglass/methods/rows/labelled_rows.h"
#include "sightglass/model/learned/neighbors/neighbor_search.h"

namespace sightglass {

struct NearRow {
  std::size_t row = 0;  // position among the labelled rows
  double distance = 0;
};

class NearestRows {
 public:
  // Keeps a copy of the features' values. Neither rows that were made (behind of_data) are among them nor rows of which
  // less than half of the values are known, unless there are no others.
  NearestRows(const MethodInput& input, const LabelledRows& rows);

  // Nearest first, at most k, ties in the order of the rows; none where no value is known. without: global index of the
  // row itself, which is no neighbour of its own.
  [[nodiscard]] std::vector<NearRow> nearest(const std::vector<double>& values, std::size_t k,
                                             std::optional<std::uint64_t> without = std::nullopt) const;
  // The same for many rows, by all threads; each is without itself.
  [[nodiscard]] std::vector<std::vector<NearRow>> nearest(const std::vector<LabelledRow>& rows, std::size_t k) const;
  // The same restricted to some of the rows; k is 1. Nothing: none of them shares a value.
  [[nodiscard]] std::optional<NearRow> nearest_that(const std::vector<double>& values,
                                                    const std::function<bool(std::size_t row)>& counts) const;

  // Distance to the k-th neighbour.
  struct Strangeness {
    double distance = 0;
    double usual = 0;  // the 99 % quantile of this distance over rows of the data
    std::size_t k = 0;
    [[nodiscard]] bool unusual() const { return distance > usual; }
  };
  // Nothing where there are too few rows to say, or the row shares no value with any.
  [[nodiscard]] std::optional<Strangeness> strangeness(const LabelledRow& row) const;
  // The same, from its nearest rows, if enough of them are known.
  [[nodiscard]] std::optional<Strangeness> strangeness(const LabelledRow& row, const std::vector<NearRow>& known) const;

 private:
  const Context& context_;
  std::vector<std::uint32_t> candidates_;  // positions among the labelled rows, ascending
  NeighborStructure structure_;            // of these
  NeighborSearch search_;
  std::vector<std::uint64_t> ids_;
  mutable std::optional<double> usual_;
};

// Caveat "out-of-distribution" on explained rows that are farther from others than 99 % of the data's rows. known: the
// nearest rows of each, where somebody has looked for them.
void add_strange_rows(const NearestRows& nearest, const std::vector<LabelledRow>& explained,
                      std::vector<Caveat>& caveats, const std::vector<std::vector<NearRow>>& known = {});

}  // namespace sightglass
