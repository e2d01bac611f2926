// Neighbours beside the row whose they are: a column each, a line per feature, differences marked.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sightglass/base/value.h"
#include "sightglass/result/shapes/examples.h"

namespace sightglass {

namespace text {
class Page;
}

// Of a row to which no distance is known, such as one without any value.
constexpr const char* no_neighbors_text = "no rows can be compared with this one";

struct NeighborTable {
  struct Cell {
    std::string text;
    double difference = 0;  // from the row's own value, as a share of the range
    bool other_level = false;
  };
  struct Line {
    std::string title;
    std::vector<Cell> cells;  // of the row itself, then of each neighbour
  };
  std::vector<std::string> columns;
  std::vector<Line> lines;  // outcome, what each counts where that differs, distance, features
  std::size_t features_left_out = 0, neighbors_left_out = 0;
};

// Of more features those that differ most, in the order of the data.
[[nodiscard]] NeighborTable neighbor_table(const Examples& neighbors, std::size_t most_neighbors,
                                           std::size_t most_features);

// " 6 features that differ less are left out.": of tables and charts; empty: none.
[[nodiscard]] std::string left_out_features(const Examples& neighbors);

// As many neighbours as there is room for.
void neighbor_section(text::Page& page, const Examples& neighbors);

// How the vote went, where classes disagree, above the table.
[[nodiscard]] Value neighbor_chart(const Examples& neighbors, bool narrow);

}  // namespace sightglass
