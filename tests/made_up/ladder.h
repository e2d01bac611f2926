// A made-up shape, to show what a new one takes: named rungs at heights.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sightglass {

class Fields;
class TidyRows;

struct Ladder {
  static constexpr std::string_view type = "ladder";

  std::string output;
  std::string group;
  std::vector<std::string> rungs;
  std::vector<double> heights;  // one per rung
};

void describe_fields(Ladder& ladder, Fields& fields);
void tidy_rows(const Ladder& ladder, TidyRows& rows);

}  // namespace sightglass
