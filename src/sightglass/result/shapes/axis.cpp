#include "sightglass/result/shapes/axis.h"

#include "sightglass/result/fields.h"
#include "sightglass/result/json_node_internal.h"

namespace sightglass {

namespace {
constexpr std::string_view kinds[] = {"numeric", "categorical"};
}

std::string_view kind_word(const Axis& axis) { return kinds[axis.is_categorical() ? 1 : 0]; }

void describe_feature(Axis& axis, Fields& fields) {
  fields.text({"feature", "", Presence::required}, axis.feature);
  bool categorical = axis.is_categorical();
  describe_choice(fields, {"kind", "", Presence::required}, kinds, categorical);
  if (categorical && !axis.is_categorical()) axis.categorical = true;
  fields.text({"unit", "Empty if unknown."}, axis.unit);
  fields.flag({"ordered", "The levels have an order of their own."}, axis.ordered);
}

void describe_grid(Axis& axis, Fields& fields) {
  fields.grid({"grid", "", Presence::required}, axis.is_categorical(), axis.numbers, axis.levels);
}

void describe_distribution(Distribution& distribution, const Axis& axis, Fields& fields) {
  fields.group({"distribution", "How the feature is distributed in the data."}, [&](Fields& inside) {
    inside.numbers({"edges", "Numeric features: edges of a histogram, one more than counts."}, distribution.edges);
    inside.numbers({"counts", "(Weighted) rows per bin or level."}, distribution.counts);
    inside.numbers({"rug", "Numeric features: deciles."}, distribution.rug);
    inside.number({"missing", "(Weighted) rows without a value."}, distribution.missing);
    inside.check([&](const JsonNode& node) {
      const std::size_t counts = distribution.counts.size();
      if (axis.is_categorical()) {
        if (!distribution.edges.empty()) node.fail("a categorical feature has no edges");
        if (counts > 0 && counts != axis.size()) node.at("counts").fail_length(counts, axis.size());
      } else if (distribution.edges.size() != counts + (counts == 0 ? 0 : 1)) {
        node.at("edges").fail_length(distribution.edges.size(), counts + 1);
      }
    });
  });
}

void describe_output(std::string& output, std::string& group, Fields& fields, std::string_view about_output) {
  fields.text({"output", about_output.empty() ? "The model's output or class." : about_output}, output);
  fields.text({"group", "The rows that it was computed from, or empty for all."}, group);
}

}  // namespace sightglass
