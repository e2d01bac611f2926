// Items of results as Python has them, by the description that every shape gives of its fields (result/fields.h): a new
// shape needs nothing here. Numbers cross as NumPy arrays, without text in between.
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "bindings.h"
#include "sightglass/result/fields.h"
#include "sightglass/result/json.h"
#include "sightglass/result/json_writer_internal.h"
#include "sightglass/result/shapes/all_shapes.h"

namespace sightglass {

namespace {

template <class Number>
nb::object array_of(std::vector<Number> numbers, const std::vector<std::size_t>& shape) {
  auto kept = std::make_unique<std::vector<Number>>(std::move(numbers));
  Number* data = kept->data();
  const nb::capsule owner(kept.release(),
                          [](void* memory) noexcept { delete static_cast<std::vector<Number>*>(memory); });
  return nb::cast(nb::ndarray<nb::numpy, Number>(data, shape.size(), shape.data(), owner));
}
template <class Number>
nb::object array_of(std::vector<Number> numbers) {
  const std::size_t size = numbers.size();
  return array_of(std::move(numbers), {size});
}

nb::object to_python(const Value& value);

nb::object list_to_python(const Value::Array& values) {
  const auto all = [&](auto is) { return !values.empty() && std::all_of(values.begin(), values.end(), is); };
  if (all([](const Value& value) { return value.is_number(); })) {
    std::vector<double> numbers;
    for (const Value& value : values) numbers.push_back(value.as_number());
    return array_of(std::move(numbers));
  }
  nb::list list;
  for (const Value& value : values) list.append(to_python(value));
  return list;
}

nb::object to_python(const Value& value) {
  if (value.is_null()) return nb::none();
  if (value.is_bool()) return nb::cast(value.as_bool());
  if (value.is_string()) return nb::cast(value.as_string());
  if (value.is_integer()) return nb::cast(value.as_integer());
  if (value.is_number()) return nb::cast(value.as_number());
  if (value.is_array()) return list_to_python(value.as_array());
  nb::dict members;
  for (const auto& [name, member] : value.as_object()) members[nb::cast(name)] = to_python(member);
  return members;
}

// The fields of one item, by name.
class PythonFields final : public Fields {
 public:
  [[nodiscard]] nb::dict take() { return std::move(fields_); }

  void about(std::string_view) override {}
  void text(const Key& key, std::string& value) override { set(key, nb::cast(value)); }
  void flag(const Key& key, bool& value) override { set(key, nb::cast(value)); }
  void count(const Key& key, std::uint64_t& value) override { set(key, nb::cast(value)); }
  void number(const Key& key, double& value) override { set(key, nb::cast(value)); }
  void optional_number(const Key& key, std::optional<double>& value) override {
    set(key, value ? nb::cast(*value) : nb::none());
  }
  void numbers(const Key& key, std::vector<double>& values, std::size_t) override { set(key, array_of(values)); }
  void optional_numbers(const Key& key, std::vector<std::optional<double>>& values, std::size_t) override {
    std::vector<double> numbers;
    for (const auto& value : values) numbers.push_back(value.value_or(std::numeric_limits<double>::quiet_NaN()));
    set(key, array_of(std::move(numbers)));
  }
  void matrix(const Key& key, std::vector<std::vector<double>>& rows, std::size_t, std::size_t columns) override {
    std::vector<double> numbers;
    for (const auto& row : rows) numbers.insert(numbers.end(), row.begin(), row.end());
    const std::size_t width = rows.empty() ? columns : rows[0].size();
    set(key, array_of(std::move(numbers), {rows.size(), width}));
  }
  void texts(const Key& key, std::vector<std::string>& values, std::size_t) override { set(key, nb::cast(values)); }
  void indices(const Key& key, std::vector<std::uint64_t>& values, std::size_t) override {
    set(key, array_of(std::vector<std::int64_t>(values.begin(), values.end())));
  }
  void grid(const Key& key, bool categorical, std::vector<double>& numbers, std::vector<std::string>& levels) override {
    set(key, categorical ? nb::cast(levels) : array_of(numbers));
  }
  void object(const Key& key, Value& value) override { set(key, to_python(value)); }
  void choice(const Key& key, std::span<const std::string_view> words, std::size_t& chosen) override {
    set(key, nb::cast(words[chosen]));
  }
  void optional_choice(const Key& key, std::span<const std::string_view> words,
                       std::optional<std::size_t>& chosen) override {
    set(key, chosen ? nb::cast(words[*chosen]) : nb::none());
  }
  void group(const Key& key, const std::function<void(Fields&)>& inside) override {
    PythonFields fields;
    inside(fields);
    set(key, fields.take());
  }
  void optional_group(const Key& key, bool& there, const std::function<void(Fields&)>& inside) override {
    if (there) return group(key, inside);
    set(key, nb::none());
  }
  void only_if(bool known, const std::function<void()>& fields) override {
    if (known) fields();
  }
  void records(const Key& key, const Records& list) override {
    nb::list described;
    for (std::size_t i = 0; i < list.size; ++i) {
      PythonFields fields;
      list.describe(i, fields);
      described.append(fields.take());
    }
    set(key, described);
  }
  void choose(bool first, const std::function<void()>& fields_of_first,
              const std::function<void()>& fields_of_other) override {
    (first ? fields_of_first : fields_of_other)();
  }
  // Few and short, but for those that are arrays besides.
  void special(const Key& key, const Special& special) override {
    if (!special.write || special.has_arrays) return;
    JsonWriter out;
    special.write(out);
    set(key, to_python(value_from_json(out.take(), "field")));
  }
  void array(const Key& key, const Array& array, const std::vector<std::size_t>& shape) override {
    std::size_t size = 1;
    for (const std::size_t length : shape) size *= length;
    if (const auto* numbers = std::get_if<std::span<const double>>(&array)) {
      set(key, numbers->size() == size ? array_of(std::vector<double>(numbers->begin(), numbers->end()), shape)
                                       : nb::none());
    } else {
      const auto whole = std::get<std::span<const std::uint64_t>>(array);
      set(key, array_of(std::vector<std::int64_t>(whole.begin(), whole.end()), shape));
    }
  }
  void check(const std::function<void(const JsonNode&)>&) override {}

 private:
  void set(const Key& key, nb::object value) { fields_[nb::cast(key.name)] = std::move(value); }

  nb::dict fields_;
};

// The types of the fields, as Python writes them.
class PythonTypes final : public Fields {
 public:
  [[nodiscard]] nb::dict take() {
    nb::dict described;
    described["about"] = about_;
    described["fields"] = fields_;
    return described;
  }

  void about(std::string_view text) override { about_ = text; }
  void text(const Key& key, std::string&) override { add(key, "str"); }
  void flag(const Key& key, bool&) override { add(key, "bool"); }
  void count(const Key& key, std::uint64_t&) override { add(key, "int"); }
  void number(const Key& key, double&) override { add(key, "float"); }
  void optional_number(const Key& key, std::optional<double>&) override { add(key, "float", true); }
  void numbers(const Key& key, std::vector<double>&, std::size_t) override { add(key, numbers_); }
  void optional_numbers(const Key& key, std::vector<std::optional<double>>&, std::size_t) override {
    add(key, numbers_);
  }
  void matrix(const Key& key, std::vector<std::vector<double>>&, std::size_t, std::size_t) override {
    add(key, numbers_);
  }
  void texts(const Key& key, std::vector<std::string>&, std::size_t) override { add(key, "list[str]"); }
  void indices(const Key& key, std::vector<std::uint64_t>&, std::size_t) override { add(key, whole_); }
  void grid(const Key& key, bool, std::vector<double>&, std::vector<std::string>&) override {
    add(key, std::string(numbers_) + " | list[str]");
  }
  void object(const Key& key, Value&) override { add(key, "dict[str, Any]"); }
  void choice(const Key& key, std::span<const std::string_view> words, std::size_t&) override {
    add(key, one_of(words));
  }
  void optional_choice(const Key& key, std::span<const std::string_view> words, std::optional<std::size_t>&) override {
    add(key, one_of(words), true);
  }
  void group(const Key& key, const std::function<void(Fields&)>& inside) override { add_group(key, inside, false); }
  void optional_group(const Key& key, bool&, const std::function<void(Fields&)>& inside) override {
    add_group(key, inside, true);
  }
  void records(const Key& key, const Records& list) override {
    list.resize(1);
    add_group(key, [&](Fields& inside) { list.describe(0, inside); }, false)["many"] = true;
  }
  void only_if(bool, const std::function<void()>& fields) override {
    const bool outer = std::exchange(may_lack_, true);
    fields();
    may_lack_ = outer;
  }
  void choose(bool, const std::function<void()>& fields_of_first,
              const std::function<void()>& fields_of_other) override {
    only_if(true, fields_of_other);
    only_if(true, fields_of_first);
  }
  void special(const Key& key, const Special& special) override {
    if (special.has_arrays || !special.write) return;
    if (special.schema.is_object() && special.schema.find("anyOf") != nullptr) return add(key, "int", true);
    const Value* reference = special.schema.is_object() ? special.schema.find("$ref") : nullptr;
    add(key, reference != nullptr && reference->as_string() == "#/$defs/numbers" ? numbers_ : "Any");
  }
  void array(const Key& key, const Array& array, const std::vector<std::size_t>&) override {
    add(key, std::holds_alternative<std::span<const double>>(array) ? numbers_ : whole_,
        key.presence == Presence::optional);
  }
  void check(const std::function<void(const JsonNode&)>&) override {}

 private:
  static constexpr const char* numbers_ = "NDArray[np.float64]";
  static constexpr const char* whole_ = "NDArray[np.int64]";

  [[nodiscard]] nb::dict entry(const Key& key, bool optional) {
    nb::dict described;
    described["name"] = key.name;
    described["about"] = key.about;
    described["optional"] = optional || may_lack_;
    return described;
  }
  void add(const Key& key, const std::string& hint, bool optional = false) {
    nb::dict described = entry(key, optional);
    described["hint"] = hint;
    fields_.append(described);
  }
  nb::dict add_group(const Key& key, const std::function<void(Fields&)>& inside, bool optional) {
    PythonTypes types;
    inside(types);
    nb::dict described = entry(key, optional);
    described["fields"] = types.take()["fields"];
    described["many"] = false;
    fields_.append(described);
    return described;
  }
  [[nodiscard]] static std::string one_of(std::span<const std::string_view> words) {
    std::string text = "Literal[";
    for (const auto word : words) {
      if (text.back() != '[') text += ", ";
      text.append("\"").append(word).append("\"");
    }
    return text + "]";
  }

  std::string about_;
  nb::list fields_;
  bool may_lack_ = false;  // which fields there are depends on others
};

template <class... Shapes>
nb::dict types_of(ShapeList<Shapes...>) {
  nb::dict described;
  const auto add = [&]<class Shape>(Shape shape) {
    PythonTypes types;
    describe_fields(shape, types);
    described[nb::cast(Shape::type)] = types.take();
  };
  (add(Shapes()), ...);
  return described;
}

}  // namespace

nb::list items_of(const Result& result) {
  nb::list items;
  for (const ResultItem& item : result.results) {
    PythonFields fields;
    item.describe(fields);
    items.append(nb::make_tuple(item.type(), fields.take()));
  }
  return items;
}

nb::dict shape_types() { return types_of(AllShapes()); }

}  // namespace sightglass
