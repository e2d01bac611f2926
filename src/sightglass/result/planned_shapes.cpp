#include "sightglass/result/planned_shapes.h"

#include "sightglass/result/json.h"

namespace sightglass {

namespace {

constexpr const char* definitions = R"({
  "marked_text": {
    "description": "Planned. A text with what its pieces add to the prediction.",
    "required": ["text", "pieces"],
    "properties": {
      "type": {"const": "marked_text"},
      "output": {"type": "string"},
      "group": {"type": "string"},
      "row": {"type": "integer", "minimum": 0},
      "text": {"type": "string"},
      "base": {"$ref": "#/$defs/optional_number"},
      "prediction": {"$ref": "#/$defs/number"},
      "pieces": {
        "type": "array",
        "items": {
          "required": ["start", "end", "value"],
          "properties": {
            "start": {"type": "integer", "minimum": 0, "description": "In Unicode code points."},
            "end": {"type": "integer", "minimum": 0, "description": "Behind the last one."},
            "value": {"$ref": "#/$defs/number"},
            "se": {"$ref": "#/$defs/optional_number"}
          }
        }
      },
      "details": {"type": "object"}
    }
  },
  "marked_picture": {
    "description": "Planned. A picture with what its segments add to the prediction.",
    "required": ["width", "height", "segments", "values"],
    "properties": {
      "type": {"const": "marked_picture"},
      "output": {"type": "string"},
      "group": {"type": "string"},
      "row": {"type": "integer", "minimum": 0},
      "width": {"type": "integer", "minimum": 1},
      "height": {"type": "integer", "minimum": 1},
      "picture": {"type": "string", "description": "PNG in base64; empty where the picture may not leave."},
      "segments": {"type": "string", "description": "A number per pixel, row by row, as runs: \"12x0 5x1 …\"."},
      "values": {"$ref": "#/$defs/numbers", "description": "Per segment."},
      "se": {"$ref": "#/$defs/numbers"},
      "base": {"$ref": "#/$defs/optional_number"},
      "prediction": {"$ref": "#/$defs/number"},
      "details": {"type": "object"}
    }
  }
})";

}  // namespace

Value planned_shapes() { return value_from_json(definitions, "planned shapes"); }

}  // namespace sightglass
