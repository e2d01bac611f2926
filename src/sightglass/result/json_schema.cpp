#include "sightglass/result/json_schema.h"

#include "sightglass/base/error.h"
#include "sightglass/result/fields.h"
#include "sightglass/result/json.h"
#include "sightglass/result/method_info.h"
#include "sightglass/result/shapes/all_shapes.h"

namespace sightglass {

namespace {

Value reference(const std::string& name) { return Value::object({{"$ref", "#/$defs/" + name}}); }

Value of_type(const char* name) { return Value::object({{"type", name}}); }

class FieldSchema final : public Fields {
 public:
  explicit FieldSchema(Value properties = Value::object()) : properties_(std::move(properties)) {}

  [[nodiscard]] static Value of(const std::function<void(Fields&)>& inside) {
    FieldSchema fields;
    inside(fields);
    Value schema = of_type("object");
    const Value described = fields.take();
    for (const auto& [key, value] : described.as_object()) schema.set(key, value);
    return schema;
  }
  [[nodiscard]] Value take() {
    Value schema = Value::object();
    if (!about_.empty()) schema.set("description", about_);
    if (!required_.as_array().empty()) schema.set("required", required_);
    const Value::Array& choices = alternatives_.as_array();
    if (choices.size() == 1) schema.set("oneOf", *choices[0].find("oneOf"));
    if (choices.size() > 1) schema.set("allOf", alternatives_);
    return schema.set("properties", properties_);
  }

  void about(std::string_view text) override { about_ = text; }
  void text(const Key& key, std::string&) override { add(key, of_type("string")); }
  void flag(const Key& key, bool&) override { add(key, of_type("boolean")); }
  void count(const Key& key, std::uint64_t&) override { add(key, of_type("integer").set("minimum", 0)); }
  void number(const Key& key, double&) override { add(key, reference("number")); }
  void optional_number(const Key& key, std::optional<double>&) override { add(key, reference("optional_number")); }
  void numbers(const Key& key, std::vector<double>&, std::size_t) override { add(key, reference("numbers")); }
  void optional_numbers(const Key& key, std::vector<std::optional<double>>&, std::size_t) override {
    add(key, of_type("array").set("items", reference("optional_number")));
  }
  void matrix(const Key& key, std::vector<std::vector<double>>&, std::size_t, std::size_t) override {
    add(key, reference("matrix"));
  }
  void texts(const Key& key, std::vector<std::string>&, std::size_t least) override {
    Value schema = reference("texts");
    if (least > 0) schema.set("minItems", static_cast<std::uint64_t>(least));
    add(key, schema);
  }
  void indices(const Key& key, std::vector<std::uint64_t>&, std::size_t) override { add(key, reference("indices")); }
  void grid(const Key& key, bool, std::vector<double>&, std::vector<std::string>&) override {
    add(key, reference("grid"));
  }
  void object(const Key& key, Value&) override { add(key, of_type("object")); }
  void choice(const Key& key, std::span<const std::string_view> words, std::size_t&) override {
    add(key, Value::object({{"enum", list(words)}}));
  }
  void optional_choice(const Key& key, std::span<const std::string_view> words, std::optional<std::size_t>&) override {
    add(key, Value::object({{"anyOf", Value::array()
                                          .push_back(Value::object({{"enum", list(words).push_back(Value())}}))
                                          .push_back(of_type("string"))}}));
  }
  void open_choice(const Key& key, std::span<const std::string_view> words, std::string&) override {
    add(key, Value::object(
                 {{"anyOf",
                   Value::array().push_back(Value::object({{"enum", list(words)}})).push_back(of_type("string"))}}));
  }
  void group(const Key& key, const std::function<void(Fields&)>& inside) override { add(key, of(inside)); }
  void optional_group(const Key& key, bool&, const std::function<void(Fields&)>& inside) override {
    add(key, Value::object({{"anyOf", Value::array().push_back(of_type("null")).push_back(of(inside))}}));
  }
  void only_if(bool, const std::function<void()>& fields) override { fields(); }
  void records(const Key& key, const Records& list) override {
    list.resize(1);
    add(key, of_type("array").set("items", of([&](Fields& inside) { list.describe(0, inside); })));
  }
  // Exactly one of both has its keys.
  void choose(bool, const std::function<void()>& fields_of_first,
              const std::function<void()>& fields_of_other) override {
    const Value always = std::exchange(required_, Value::array());
    Value either = Value::array();
    bool differ = false;
    for (const auto& fields : {fields_of_other, fields_of_first}) {
      fields();
      differ = differ || !required_.as_array().empty();
      either.push_back(Value::object({{"required", std::exchange(required_, Value::array())}}));
    }
    required_ = always;
    if (differ) alternatives_.push_back(Value::object({{"oneOf", either}}));
  }
  void special(const Key& key, const Special& special) override { add(key, special.schema); }
  void check(const std::function<void(const JsonNode&)>&) override {}

 private:
  void add(const Key& key, Value schema) {
    if (!key.about.empty()) schema.set("description", std::string(key.about));
    if (key.presence == Presence::required) required_.push_back(std::string(key.name));
    properties_.set(std::string(key.name), std::move(schema));
  }
  [[nodiscard]] static Value list(std::span<const std::string_view> words) {
    Value values = Value::array();
    for (const auto word : words) values.push_back(std::string(word));
    return values;
  }

  std::string about_;
  Value required_ = Value::array(), alternatives_ = Value::array(), properties_;
};

// What is no shape: the file around the items, and what their fields are made of.
constexpr const char* frame = R"({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "sightglass.result/1",
  "title": "A saved result of Sightglass",
  "description": "Compatibility: the number after the slash is the major version. Within one major version keys, item types and words that say what something is are only ever added, never removed, renamed or given another meaning; so a reader must ignore keys that it does not know, take a word that it does not know for another thing than those it knows, and leave items of a type that it does not know as they are: sightglass keeps all of them when it saves the result again, and shows a line for such items. Only kind and measure have all their words. A new major version is a new schema, and sightglass refuses to read it with a message. Numbers that JSON cannot hold are the strings \"NaN\", \"Infinity\" and \"-Infinity\". Lists per grid point have the grid's length, or are empty where the method does not compute them. Item types whose description begins with \"Planned\" have their names and keys settled; no method makes them yet.",
  "type": "object",
  "required": ["schema", "method", "version", "model", "data", "options", "results", "caveats"],
  "properties": {
    "schema": {"const": "sightglass.result/1"},
    "method": {"type": "string", "description": "As on the command line: partial-dependence, ice, …"},
    "about": {},
    "version": {"type": "string", "description": "Of sightglass."},
    "model": {
      "type": "object",
      "description": "What was explained; free-form, empty where a method needs no model. Renderers use task (regression, classification) and source."
    },
    "data": {
      "type": "object",
      "description": "The rows it was explained on; free-form. Renderers use target, target_unit, rows, rows_available, weights and dates (of features whose numbers are dates: unit, days or seconds since 1970-01-01 UTC, and detail: day, minute, second or fraction); of methods that score predictions also scored_rows (those with a weight and a truth, where not all have both) and best_constant (per measure: what the best constant prediction has)."
    },
    "options": {"type": "object", "description": "Every option that was in force; renderers use scale."},
    "results": {"type": "array", "items": {"$ref": "#/$defs/item"}},
    "caveats": {"type": "array", "items": {"$ref": "#/$defs/caveat"}}
  },
  "$defs": {
    "number": {"anyOf": [{"type": "number"}, {"enum": ["NaN", "Infinity", "-Infinity"]}]},
    "optional_number": {"anyOf": [{"$ref": "#/$defs/number"}, {"type": "null"}]},
    "numbers": {"type": "array", "items": {"$ref": "#/$defs/number"}},
    "texts": {"type": "array", "items": {"type": "string"}},
    "matrix": {"type": "array", "items": {"$ref": "#/$defs/numbers"}},
    "indices": {"type": "array", "items": {"type": "integer", "minimum": 0}},
    "kind": {"enum": ["numeric", "categorical"]},
    "grid": {
      "description": "Numbers in ascending order for a numeric feature, levels for a categorical one.",
      "anyOf": [{"$ref": "#/$defs/numbers"}, {"$ref": "#/$defs/texts"}]
    },
    "caveat": {
      "type": "object",
      "required": ["id", "severity", "message", "evidence", "advice"],
      "properties": {
        "id": {"type": "string"},
        "severity": {"anyOf": [{"enum": ["note", "caution", "warning"]}, {"type": "string"}]},
        "message": {"type": "string"},
        "message_markup": {
          "type": "string",
          "description": "The same where it refers to features, as {feature:temp}, or to options and methods as advice_markup does; %7B, %7D, %7C and %25 in the name of a feature are {, }, | and %."
        },
        "evidence": {
          "description": "The measured numbers. A page shows a caveat beside the feature (or pair) that feature (features) names.",
          "type": "object"
        },
        "advice": {"type": "string"},
        "advice_markup": {
          "type": "string",
          "description": "The same where it refers to options and methods: {option:sample}, {Option:sample} (\"option sample\"), {the option:ice.center}, {method:ale}, {option:bins|in these words}, or to features as message_markup does; {{ is a brace. Whoever shows it may spell them its own way."
        }
      }
    }
  }
})";

template <class Shape>
Value schema_of_shape() {
  const std::string type(Shape::type);
  FieldSchema fields(Value::object({{"type", Value::object({{"const", type}})}}));
  Shape shape;
  describe_fields(shape, fields);
  return fields.take();
}

template <class... Shapes>
void add_shapes(Value& definitions, Value& names, ShapeList<Shapes...>) {
  (definitions.set(std::string(Shapes::type), schema_of_shape<Shapes>()), ...);
  (names.push_back(std::string(Shapes::type)), ...);
}

}  // namespace

Value result_schema() {
  Value schema = value_from_json(frame, "schema");
  Value members = *schema.find("properties");
  members.set("about", FieldSchema::of([](Fields& fields) {
                MethodInfo info;
                describe_fields(info, fields);
              }));
  schema.set("properties", members);
  Value definitions = *schema.find("$defs");
  Value names = Value::array();
  add_shapes(definitions, names, AllShapes());
  Value kinds = Value::array();
  for (const auto& name : names.as_array()) kinds.push_back(reference(name.as_string()));
  const Value unknown = Value::object({{"not", Value::object({{"enum", names}})}});
  kinds.push_back(Value::object({{"properties", Value::object({{"type", unknown}})}}));
  definitions.set("item", of_type("object").set("required", Value::array().push_back("type")).set("oneOf", kinds));
  return schema.set("$defs", definitions);
}

}  // namespace sightglass
