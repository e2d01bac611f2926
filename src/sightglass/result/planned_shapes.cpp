#include "sightglass/result/planned_shapes.h"

#include "sightglass/result/json.h"

namespace sightglass {

namespace {

constexpr const char* definitions = R"({
  "proof": {
    "description": "Planned. What is proven about a value that was searched for; verify checks it again.",
    "required": ["status"],
    "properties": {
      "status": {"enum": ["optimal", "bounded", "sampled", "none"]},
      "bound": {"$ref": "#/$defs/optional_number", "description": "No solution is better than this."},
      "among": {"type": "string", "description": "What was searched: \"trees of depth 3 on these cuts\"."},
      "explored": {"type": "integer", "minimum": 0, "description": "Steps of the search."}
    }
  },
  "own_values": {
    "type": "object",
    "description": "Planned. A row's values by feature: numbers or levels; null = missing."
  },
  "counterfactuals": {
    "description": "Planned. Changes of one row with which the model says something else.",
    "required": ["row", "prediction", "wanted", "changes"],
    "properties": {
      "type": {"const": "counterfactuals"},
      "output": {"type": "string"},
      "group": {"type": "string"},
      "row": {"type": "integer", "minimum": 0},
      "data": {"$ref": "#/$defs/own_values"},
      "prediction": {"$ref": "#/$defs/number"},
      "wanted": {"type": "object", "description": "The outcome that was asked for: class, or at_least and at_most."},
      "changes": {
        "type": "array",
        "description": "Cheapest first.",
        "items": {
          "required": ["values", "prediction", "cost"],
          "properties": {
            "values": {"$ref": "#/$defs/own_values", "description": "Only what changes."},
            "prediction": {"$ref": "#/$defs/number"},
            "cost": {"$ref": "#/$defs/number"},
            "distance_to_data": {"$ref": "#/$defs/optional_number",
                                 "description": "To the nearest row with the wanted outcome."},
            "proof": {"$ref": "#/$defs/proof", "description": "Whether no cheaper change exists."}
          }
        }
      },
      "proof": {"$ref": "#/$defs/proof", "description": "Of the search as a whole, also where it found nothing."},
      "details": {"type": "object"}
    }
  }
})";

}  // namespace

Value planned_shapes() { return value_from_json(definitions, "planned shapes"); }

}  // namespace sightglass
