// Results from JSON. Trusts nothing: every length, type and spelling is checked before a renderer may index
// by it, and a message names the spot.
#include <algorithm>

#include "sightglass/base/error.h"
#include "sightglass/result/dates.h"
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

  // What no field has asked for, and words that none has understood.
  [[nodiscard]] Unread unread() {
    for (const auto& [key, value] : node_.value().as_object()) {
      if (key != "type" && std::find(asked_.begin(), asked_.end(), key) == asked_.end()) unread_.keys.set(key, value);
    }
    return std::move(unread_);
  }

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
    if (const auto node = find_set(key)) value = node->number();
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
    const auto node = find_set(key);
    if (!node) return;
    const std::string& word = node->text();
    if (std::find(words.begin(), words.end(), word) != words.end()) {
      chosen = place(*node, words);
    } else {
      chosen.reset();
      unread_.words.set(std::string(key.name), word);
    }
  }
  void group(const Key& key, const std::function<void(Fields&)>& inside) override {
    const auto node = find(key);
    if (!node) return;
    FieldReader reader(*node);
    inside(reader);
    if (Unread unread = reader.unread(); !unread.empty()) unread_.groups.emplace(key.name, std::move(unread));
  }
  void optional_group(const Key& key, bool& there, const std::function<void(Fields&)>& inside) override {
    there = find_set(key).has_value();
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
      if (Unread unread = reader.unread(); !unread.empty())
        unread_.groups.emplace(place_of(key.name, i), std::move(unread));
    }
  }
  void choose(bool first, const std::function<void()>& fields_of_first,
              const std::function<void()>& fields_of_other) override {
    (first ? fields_of_first : fields_of_other)();
  }
  void special(const Key& key, const Special& special) override {
    const auto node = find(key);
    if (node && special.read) special.read(*node);
  }
  void check(const std::function<void(const JsonNode&)>& look) override { look(node_); }

 private:
  [[nodiscard]] std::optional<JsonNode> find(const Key& key) {
    if (key.presence != Presence::required) return find_set(key);
    asked_.push_back(key.name);
    return node_.at(key.name);
  }
  [[nodiscard]] std::optional<JsonNode> find_set(const Key& key) {
    asked_.push_back(key.name);
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
  std::vector<std::string_view> asked_;
  Unread unread_;
};

template <class Shape>
ResultItem read_shape(const JsonNode& item) {
  Shape shape;
  FieldReader fields(item);
  describe_fields(shape, fields);
  ResultItem read(std::move(shape));
  if (Unread unread = fields.unread(); !unread.empty()) read.set_unread(std::move(unread));
  return read;
}

template <class... Shapes>
std::optional<ResultItem> read_known(const JsonNode& item, const std::string& type, ShapeList<Shapes...>) {
  std::optional<ResultItem> found;
  static_cast<void>(((type == Shapes::type && (found = read_shape<Shapes>(item), true)) || ...));
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
  caveat.severity = OpenWord<Severity>(node.at("severity").text());
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
    if (Unread unread = fields.unread(); !unread.empty()) result.unread.groups.emplace("about", std::move(unread));
  }
  result.model = object_or_empty(root, "model");
  result.data = object_or_empty(root, "data");
  result.options = object_or_empty(root, "options");
  for (const auto& item : root.at("results").items()) result.results.push_back(read_item(item));
  if (const auto caveats = root.find_set("caveats")) {
    for (const auto& caveat : caveats->items()) result.caveats.push_back(read_caveat(caveat));
  }
  static constexpr std::string_view known[] = {"schema", "method",  "about",   "version", "model",
                                               "data",   "options", "results", "caveats"};
  for (const auto& [key, value] : document.as_object()) {
    if (std::find(std::begin(known), std::end(known), key) == std::end(known)) result.unread.keys.set(key, value);
  }
  add_missing_meaning(result);
  set_dates(result);
  return result;
}

}  // namespace sightglass
