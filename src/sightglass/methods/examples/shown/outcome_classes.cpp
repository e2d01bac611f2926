#include "sightglass/methods/examples/shown/outcome_classes.h"

#include <cmath>
#include <map>
#include <set>

#include "sightglass/base/error.h"
#include "sightglass/data/level_text_internal.h"

namespace sightglass {

namespace {

constexpr std::size_t most_number_classes = 50;

double spelled_number(double value) { return value == 0 ? 0 : value; }

}  // namespace

std::string OutcomeClasses::name_of(std::uint32_t row) const {
  return std::isnan(of_row[row]) ? std::string() : names[static_cast<std::size_t>(of_row[row])];
}

OutcomeClasses outcome_classes(const MethodInput& input, bool wanted, const RowSample& sample) {
  OutcomeClasses classes;
  if (!input.target) {
    if (wanted)
      throw Error(ErrorKind::usage, marked("{Option:per_class}: there is no column of classes"),
                  marked("name it with {option:target}"));
    return classes;
  }
  const ColumnInfo& column = input.schema[*input.target];
  const std::vector<double>& values = sample.of(*input.target);
  if (column.has_levels()) {
    classes.names = column.levels();
    classes.of_row = values;
    return classes;
  }
  if (!wanted && input.task == Task::regression) return classes;
  std::set<double> distinct;
  for (const double value : values) {
    if (std::isfinite(value)) distinct.insert(spelled_number(value));
    if (distinct.size() <= most_number_classes) continue;
    if (!wanted) return classes;
    throw Error(ErrorKind::usage,
                marked("{Option:per_class}: ") + printable(column.name, 60) + " has too many values for classes",
                "leave the option out, or name a column of classes as the target");
  }
  std::map<double, double> place;
  for (const double value : distinct) {
    place[value] = static_cast<double>(classes.names.size());
    char text[number_text_bytes];
    classes.names.emplace_back(print_number(text, value));
  }
  for (const double value : values) {
    const auto found = place.find(spelled_number(value));
    classes.of_row.push_back(found != place.end() ? found->second : std::nan(""));
  }
  return classes;
}

}  // namespace sightglass
