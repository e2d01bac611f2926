// A single number.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sightglass {

class Fields;
class TidyRows;

// A number about the model as a whole.
struct Figure {
  static constexpr std::string_view type = "figure";  // its name in JSON

  std::string name;  // "share of variance that main effects leave"
  std::string output;
  std::string group;
  double value = 0;
  std::optional<double> se;
  std::string meaning;  // how to read it, in a sentence
};

void describe_fields(Figure& figure, Fields& fields);
void tidy_rows(const Figure& figure, TidyRows& rows);

}  // namespace sightglass
