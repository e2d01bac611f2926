// Rows that results name: by their numbers, and by what they are called by whoever the data belong to.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace sightglass {

// Is shown every row that an item names, with its label to read or write; empty: it has none. A shape lets it see its
// rows in show_rows(shape, visit).
using RowVisitor = std::function<void(std::uint64_t& row, std::string& label)>;

// "row 17"; where it has a label, "C-117 (row 17)".
[[nodiscard]] std::string row_name(std::uint64_t row, const std::string& label = {});
// At the beginning of a title: "Row 17".
[[nodiscard]] std::string row_title(std::uint64_t row, const std::string& label = {});
// Of a list beside the rows, which is empty where none has a label.
[[nodiscard]] std::string row_name(const std::vector<std::uint64_t>& rows, const std::vector<std::string>& labels,
                                   std::size_t i);

// Shows rows that are kept in a list, with their labels in another.
void show_rows(std::vector<std::uint64_t>& rows, std::vector<std::string>& labels, const RowVisitor& visit);

}  // namespace sightglass
