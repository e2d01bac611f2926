#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "sightglass/methods/caveats/caveat_text_internal.h"
#include "sightglass/methods/caveats/overflow_internal.h"
#include "sightglass/result/fields.h"

namespace sightglass {

namespace {

// Which numbers of an item are infinite or none at all, by the names of their fields.
class OverflowedFields final : public Fields {
 public:
  [[nodiscard]] const std::vector<std::string>& found() const { return found_; }
  // The features that it is about; empty if it says none.
  [[nodiscard]] const std::string& features() const { return features_; }

  void number(const Key& key, double& value) override { look(key, std::span(&value, 1)); }
  void optional_number(const Key& key, std::optional<double>& value) override {
    if (value) look(key, std::span(&*value, 1));
  }
  void numbers(const Key& key, std::vector<double>& values, std::size_t) override {
    // The first threshold of a curve is above everything.
    if (key.name != "threshold") look(key, values);
  }
  void optional_numbers(const Key& key, std::vector<std::optional<double>>& values, std::size_t) override {
    for (auto& value : values) optional_number(key, value);
  }
  void matrix(const Key& key, std::vector<std::vector<double>>& rows, std::size_t, std::size_t) override {
    for (const auto& row : rows) look(key, row);
  }
  void array(const Key& key, const Array& array, const std::vector<std::size_t>&) override {
    const auto* numbers = std::get_if<std::span<const double>>(&array);
    // The rows' own values may be infinite without any overflow.
    if (numbers != nullptr && key.name != "data") look(key, *numbers);
  }
  void group(const Key&, const std::function<void(Fields&)>& inside) override { inside(*this); }
  void optional_group(const Key&, bool& there, const std::function<void(Fields&)>& inside) override {
    if (there) inside(*this);
  }
  void only_if(bool known, const std::function<void()>& fields) override {
    if (known) fields();
  }
  void records(const Key&, const Records& list) override {
    for (std::size_t i = 0; i < list.size; ++i) {
      OverflowedFields record;
      list.describe(i, record);
      for (const std::string& name : record.found_) add(name);
    }
  }
  void choose(bool first, const std::function<void()>& fields_of_first,
              const std::function<void()>& fields_of_other) override {
    (first ? fields_of_first : fields_of_other)();
  }

  void about(std::string_view) override {}
  void text(const Key& key, std::string& value) override {
    if (key.name == "feature") features_ = value;
  }
  void flag(const Key&, bool&) override {}
  void count(const Key&, std::uint64_t&) override {}
  void texts(const Key& key, std::vector<std::string>& values, std::size_t) override {
    if (key.name != "features" || !features_.empty()) return;
    for (const std::string& value : values) features_ += (features_.empty() ? "" : " and ") + value;
  }
  void indices(const Key&, std::vector<std::uint64_t>&, std::size_t) override {}
  void grid(const Key&, bool, std::vector<double>&, std::vector<std::string>&) override {}
  void object(const Key&, Value&) override {}
  void choice(const Key&, std::span<const std::string_view>, std::size_t&) override {}
  void optional_choice(const Key&, std::span<const std::string_view>, std::optional<std::size_t>&) override {}
  void special(const Key&, const Special&) override {}
  void check(const std::function<void(const JsonNode&)>&) override {}

 private:
  void look(const Key& key, std::span<const double> numbers) {
    const bool finite =
        std::all_of(numbers.begin(), numbers.end(), [](double number) { return std::isfinite(number); });
    if (!finite) add(key.name);
  }
  void add(std::string_view name) {
    if (found_.empty() || found_.back() != name) found_.emplace_back(name);
  }

  std::vector<std::string> found_;
  std::string features_;
};

// Methods that know better why a number is not finite say so themselves.
constexpr std::string_view said_by_methods[] = {"overflow", "steep", "zero-loss", "undefined-loss"};

}  // namespace

void add_overflow_caveat(Result& result) {
  for (const Caveat& caveat : result.caveats) {
    if (std::find(std::begin(said_by_methods), std::end(said_by_methods), caveat.id) != std::end(said_by_methods))
      return;
  }
  std::vector<std::string> fields, items;
  std::set<std::string> seen;
  const auto add_once = [&](std::vector<std::string>& names, const std::string& name) {
    if (seen.insert((&names == &fields ? "field " : "item ") + name).second) names.push_back(name);
  };
  for (const ResultItem& item : result.results) {
    OverflowedFields overflowed;
    item.describe(overflowed);
    for (const std::string& name : overflowed.found()) add_once(fields, name);
    if (!overflowed.found().empty())
      add_once(items, overflowed.features().empty() ? std::string(item.type()) : overflowed.features());
  }
  if (fields.empty()) return;
  result.caveats.push_back(
      {.id = "overflow",
       .severity = Severity::warning,
       .message = "predictions are so large that numbers made of them are beyond the largest that a computer holds: " +
                  named(fields) + " of " + named(items) + "; nothing follows from these",
       .evidence = Value::object({{"fields", fields}, {"items", items}}),
       .advice = "rescale the model's output, for example explain it divided by its largest value"});
}

}  // namespace sightglass
