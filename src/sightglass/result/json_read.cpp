// Results from JSON. Trusts nothing: every length, type and spelling is checked before a renderer may index
// by it, and a message names the spot.
#include <algorithm>

#include "sightglass/base/error.h"
#include "sightglass/result/fields.h"
#include "sightglass/result/json.h"
#include "sightglass/result/json_node_internal.h"
#include "sightglass/result/legacy_internal.h"
#include "sightglass/result/shapes/all_shapes.h"

namespace sightglass {

namespace {

constexpr std::string_view schema_name = "sightglass.result/";
constexpr std::string_view schema = "sightglass.result/1";

std::string text_or_empty(const JsonNode& parent, std::string_view key) {
  const auto node = parent.find_set(key);
  return node ? node->text() : std::string();
}

class FieldReader final : public Fields {
 public:
  explicit FieldReader(const JsonNode& node) : node_(node) {}

  void about(std::string_view) override {}
  void text(const Key& key, std::string& value) override {
    if (const auto node = find(key)) value = node->text();
  }
  void flag(const Key& key, bool& value) override {
    if (const auto node = find(key)) value = node->boolean();
  }
  void count(const Key& key, std::uint64_t& value) override {
    if (const auto node = find(key)) value = node->count();
  }
  void number(const Key& key, double& value) override {
    if (const auto node = find(key)) value = node->number();
  }
  void optional_number(const Key& key, std::optional<double>& value) override {
    if (const auto node = node_.find_set(key.name)) value = node->number();
  }
  void numbers(const Key& key, std::vector<double>& values, std::size_t size) override {
    const auto node = find(key);
    if (!node) return;
    values = size == any_size ? node->numbers() : node->numbers(size, key.presence == Presence::optional);
  }
  void optional_numbers(const Key& key, std::vector<std::optional<double>>& values, std::size_t size) override {
    if (const auto node = find(key)) values = node->optional_numbers(size);
  }
  void matrix(const Key& key, std::vector<std::vector<double>>& rows, std::size_t size, std::size_t columns) override {
    const auto node = find(key);
    if (!node || (key.presence == Presence::optional && node->items().empty())) return;
    rows = node->matrix(size, columns);
  }
  void texts(const Key& key, std::vector<std::string>& values, std::size_t) override {
    if (const auto node = find(key)) values = node->texts();
  }
  void indices(const Key& key, std::vector<std::uint64_t>& values, std::size_t end) override {
    const auto node = find(key);
    if (!node) return;
    for (const auto& index : node->items()) {
      values.push_back(index.count());
      if (values.back() >= end) index.fail("there are only " + std::to_string(end) + " grid points");
    }
  }
  void grid(const Key& key, bool categorical, std::vector<double>& numbers, std::vector<std::string>& levels) override {
    const auto node = find(key);
    if (!node) return;
    if (categorical) {
      levels = node->texts();
    } else {
      numbers = node->numbers();
    }
  }
  void object(const Key& key, Value& value) override {
    const auto node = find(key);
    if (!node) return;
    if (!node->value().is_object()) node->fail("expected an object");
    value = node->value();
  }
  void choice(const Key& key, std::span<const std::string_view> words, std::size_t& chosen) override {
    if (const auto node = find(key)) chosen = place(*node, words);
  }
  void optional_choice(const Key& key, std::span<const std::string_view> words,
                       std::optional<std::size_t>& chosen) override {
    if (const auto node = node_.find_set(key.name)) chosen = place(*node, words);
  }
  void group(const Key& key, const std::function<void(Fields&)>& inside) override {
    const auto node = find(key);
    if (!node) return;
    FieldReader reader(*node);
    inside(reader);
  }
  void optional_group(const Key& key, bool& there, const std::function<void(Fields&)>& inside) override {
    there = node_.find_set(key.name).has_value();
    if (there) group(key, inside);
  }
  void only_if(bool, const std::function<void()>& fields) override { fields(); }
  void records(const Key& key, const Records& list) override {
    const auto node = find(key);
    if (!node) return;
    const std::vector<JsonNode> items = node->items();
    list.resize(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
      FieldReader reader(items[i]);
      list.describe(i, reader);
    }
  }
  void choose(bool first, const std::function<void()>& fields_of_first,
              const std::function<void()>& fields_of_other) override {
    (first ? fields_of_first : fields_of_other)();
  }
  void special(const Key& key, const Special& special) override {
    if (!special.read) return;
    if (const auto node = find(key)) special.read(*node);
  }
  void check(const std::function<void(const JsonNode&)>& look) override { look(node_); }

 private:
  [[nodiscard]] std::optional<JsonNode> find(const Key& key) const {
    if (key.presence == Presence::required) return node_.at(key.name);
    return node_.find_set(key.name);
  }
  [[nodiscard]] static std::size_t place(const JsonNode& node, std::span<const std::string_view> words) {
    const auto found = std::find(words.begin(), words.end(), node.text());
    if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
    std::string expected;
    for (std::size_t i = 0; i < words.size(); ++i)
      expected += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + std::string(words[i]);
    node.fail("expected " + expected);
  }

  const JsonNode& node_;
};

template <class Shape>
ResultItem read_shape(const JsonNode& item) {
  Shape shape;
  FieldReader fields(item);
  describe_fields(shape, fields);
  return shape;
}

template <class... Shapes>
std::optional<ResultItem> read_known(const JsonNode& item, const std::string& type, ShapeList<Shapes...>) {
  std::optional<ResultItem> found;
  ((type == Shapes::type && (found = read_shape<Shapes>(item), true)) || ...);
  return found;
}

ResultItem read_item(const JsonNode& item) {
  const std::string& type = item.at("type").text();
  if (auto known = read_known(item, type, AllShapes())) return *std::move(known);
  // A newer version wrote it: it stays as it is. Output and group mean the same for every shape.
  UnknownItem unknown{.type_in_file = type, .output = {}, .group = {}, .content = item.value()};
  for (const auto& [key, member] : {std::pair("output", &unknown.output), {"group", &unknown.group}}) {
    const Value* value = item.value().find(key);
    if (value != nullptr && value->is_string()) *member = value->as_string();
  }
  return unknown;
}

// As long as the markup says the same.
Text with_references(const std::string& plain, const std::string& markup) {
  Text text = Text::from_markup(markup);
  return text.plain() == plain ? text : Text(plain);
}

Caveat read_caveat(const JsonNode& node) {
  Caveat caveat;
  caveat.id = node.at("id").text();
  const JsonNode severity = node.at("severity");
  bool known = false;
  for (const auto candidate : {Severity::note, Severity::caution, Severity::warning}) {
    if (severity.text() != to_string(candidate)) continue;
    caveat.severity = candidate;
    known = true;
  }
  if (!known) severity.fail("expected note, caution or warning");
  caveat.message = with_references(node.at("message").text(), text_or_empty(node, "message_markup"));
  if (const auto evidence = node.find("evidence")) caveat.evidence = evidence->value();
  caveat.advice = with_references(text_or_empty(node, "advice"), text_or_empty(node, "advice_markup"));
  return caveat;
}

Value object_or_empty(const JsonNode& root, std::string_view key) {
  const auto node = root.find_set(key);
  if (!node) return Value::object();
  if (!node->value().is_object()) node->fail("expected an object");
  return node->value();
}

void check_schema(const JsonNode& root, const std::string& where) {
  if (!root.value().is_object() || root.value().find("schema") == nullptr) {
    throw Error(ErrorKind::data, where + " is not a saved result",
                "expected a JSON object with \"schema\": \"" + std::string(schema) + "\"");
  }
  const std::string& found = root.at("schema").text();
  if (found == schema) return;
  if (found.starts_with(schema_name)) {
    throw Error(ErrorKind::data,
                where + " has the schema " + printable(found, 60) + "; this version reads " + std::string(schema),
                "use the version of sightglass that wrote it");
  }
  throw Error(ErrorKind::data, where + " is not a saved result: its schema is \"" + printable(found, 60) + "\"");
}

}  // namespace

Result result_from_json(std::string_view text, std::string_view where) {
  const std::string name = printable(where, 200);
  Value document;
  try {
    document = value_from_json(text, where);
  } catch (const Error& error) {
    throw Error(ErrorKind::data, error.message());
  }
  check_schema(JsonNode(document, name), name);
  const JsonNode root(document, name + ": result");
  Result result;
  result.method = root.at("method").text();
  result.version = text_or_empty(root, "version");
  if (const auto about = root.find_set("about")) {
    FieldReader fields(*about);
    describe_fields(result.about, fields);
  }
  result.model = object_or_empty(root, "model");
  result.data = object_or_empty(root, "data");
  result.options = object_or_empty(root, "options");
  for (const auto& item : root.at("results").items()) result.results.push_back(read_item(item));
  if (const auto caveats = root.find_set("caveats")) {
    for (const auto& caveat : caveats->items()) result.caveats.push_back(read_caveat(caveat));
  }
  add_missing_meaning(result);
  return result;
}

}  // namespace sightglass
