#include "sightglass/result/named_row.h"

#include <algorithm>

#include "sightglass/base/error.h"

namespace sightglass {

std::string row_name(std::uint64_t row, const std::string& label) {
  const std::string number = "row " + std::to_string(row);
  return label.empty() ? number : printable(label, 60) + " (" + number + ")";
}

std::string row_title(std::uint64_t row, const std::string& label) {
  return label.empty() ? "Row " + std::to_string(row) : row_name(row, label);
}

std::string row_name(const std::vector<std::uint64_t>& rows, const std::vector<std::string>& labels, std::size_t i) {
  return row_name(rows[i], i < labels.size() ? labels[i] : std::string());
}

void show_rows(std::vector<std::uint64_t>& rows, std::vector<std::string>& labels, const RowVisitor& visit) {
  labels.resize(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) visit(rows[i], labels[i]);
  if (std::all_of(labels.begin(), labels.end(), [](const std::string& label) { return label.empty(); })) labels.clear();
}

}  // namespace sightglass
