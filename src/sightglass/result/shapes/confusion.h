// Which classes a model takes for which.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sightglass {

class Fields;
class TidyRows;

struct Confusion {
  static constexpr std::string_view type = "confusion";  // its name in JSON

  std::string output;
  std::string group;  // of rows; empty = all
  std::vector<std::string> classes;
  std::vector<std::vector<double>> count;          // [true class][predicted class]: (weighted) rows
  std::optional<double> threshold = std::nullopt;  // of two classes: from this on the second is predicted
};

// Of a class: rows that are of it, rows that are taken for it; shares are nothing where there are none.
struct ClassCounts {
  double there = 0, predicted = 0, right = 0;
  [[nodiscard]] std::optional<double> recall() const;
  [[nodiscard]] std::optional<double> precision() const;
  [[nodiscard]] std::optional<double> f1() const;
};
[[nodiscard]] ClassCounts counts_of(const Confusion& confusion, std::size_t place);
[[nodiscard]] double total_of(const Confusion& confusion);
// The share of rows whose class is predicted; nothing without rows.
[[nodiscard]] std::optional<double> accuracy_of(const Confusion& confusion);

void describe_fields(Confusion& confusion, Fields& fields);
void tidy_rows(const Confusion& confusion, TidyRows& rows);
[[nodiscard]] std::string item_title(const Confusion& confusion);

}  // namespace sightglass
