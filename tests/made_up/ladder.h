// A made-up shape, to show what a new one takes: named rungs at heights, each with what stands on it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sightglass {

class Fields;
class TidyRows;

struct Rung {
  std::string name;
  double height = 0;
  bool loose = false;
  std::vector<std::uint64_t> feet;
};

struct Ladder {
  static constexpr std::string_view type = "ladder";

  std::string output;
  std::string group;
  std::vector<Rung> rungs;
};

void describe_fields(Ladder& ladder, Fields& fields);
void tidy_rows(const Ladder& ladder, TidyRows& rows);

}  // namespace sightglass
