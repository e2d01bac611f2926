// Results to JSON, straight into text. Never fails: what JSON cannot hold has a spelling of its own.
#include <algorithm>

#include "sightglass/result/fields.h"
#include "sightglass/result/json.h"
#include "sightglass/result/json_writer_internal.h"

namespace sightglass {

namespace {

class FieldWriter final : public Fields {
 public:
  // unread: what a file had besides, or null.
  FieldWriter(JsonWriter& out, const Unread* unread) : out_(out), unread_(unread) {}

  // Once all fields are written.
  void add_unread() {
    if (unread_ == nullptr) return;
    for (const auto& [key, value] : unread_->keys.as_object()) out_.key(key).value(value);
  }

  void about(std::string_view) override {}
  void text(const Key& key, std::string& value) override { out_.key(key.name).text(value); }
  void flag(const Key& key, bool& value) override { out_.key(key.name).boolean(value); }
  void count(const Key& key, std::uint64_t& value) override { out_.key(key.name).integer(value); }
  void number(const Key& key, double& value) override { out_.key(key.name).number(value); }
  void optional_number(const Key& key, std::optional<double>& value) override {
    out_.key(key.name).optional_number(value);
  }
  void numbers(const Key& key, std::vector<double>& values, std::size_t) override {
    out_.key(key.name).numbers(values);
  }
  void optional_numbers(const Key& key, std::vector<std::optional<double>>& values, std::size_t) override {
    out_.key(key.name).optional_numbers(values);
  }
  void matrix(const Key& key, std::vector<std::vector<double>>& rows, std::size_t, std::size_t) override {
    out_.key(key.name).matrix(rows);
  }
  void texts(const Key& key, std::vector<std::string>& values, std::size_t) override {
    out_.key(key.name).texts(values);
  }
  void indices(const Key& key, std::vector<std::uint64_t>& values, std::size_t) override {
    out_.key(key.name).integers(values);
  }
  void grid(const Key& key, bool categorical, std::vector<double>& numbers, std::vector<std::string>& levels) override {
    out_.key(key.name);
    if (categorical) {
      out_.texts(levels);
    } else {
      out_.numbers(numbers);
    }
  }
  void object(const Key& key, Value& value) override { out_.key(key.name).value(value); }
  void choice(const Key& key, std::span<const std::string_view> words, std::size_t& chosen) override {
    out_.key(key.name).text(words[chosen]);
  }
  void optional_choice(const Key& key, std::span<const std::string_view> words,
                       std::optional<std::size_t>& chosen) override {
    out_.key(key.name);
    const Value* other = unread_ != nullptr ? unread_->words.find(key.name) : nullptr;
    if (chosen) {
      out_.text(words[*chosen]);
    } else if (other != nullptr) {
      out_.value(*other);
    } else {
      out_.null();
    }
  }
  void group(const Key& key, const std::function<void(Fields&)>& inside) override {
    out_.key(key.name).begin_object();
    FieldWriter fields(out_, group_of(unread_, key.name));
    inside(fields);
    fields.add_unread();
    out_.end_object();
  }
  void optional_group(const Key& key, bool& there, const std::function<void(Fields&)>& inside) override {
    if (there) return group(key, inside);
    out_.key(key.name).null();
  }
  void only_if(bool known, const std::function<void()>& fields) override {
    if (known) fields();
  }
  void records(const Key& key, const Records& list) override {
    out_.key(key.name).begin_array();
    for (std::size_t i = 0; i < list.size; ++i) {
      out_.begin_object();
      FieldWriter fields(out_, group_of(unread_, place_of(key.name, i)));
      list.describe(i, fields);
      fields.add_unread();
      out_.end_object();
    }
    out_.end_array();
  }
  void choose(bool first, const std::function<void()>& fields_of_first,
              const std::function<void()>& fields_of_other) override {
    (first ? fields_of_first : fields_of_other)();
  }
  void special(const Key& key, const Special& special) override {
    if (!special.write) return;
    out_.key(key.name);
    special.write(out_);
  }
  void check(const std::function<void(const JsonNode&)>&) override {}

 private:
  [[nodiscard]] static const Unread* group_of(const Unread* unread, std::string_view name) {
    if (unread == nullptr) return nullptr;
    const auto found = unread->groups.find(name);
    return found == unread->groups.end() ? nullptr : &found->second;
  }

  JsonWriter& out_;
  const Unread* unread_;
};

void write_item(JsonWriter& out, const ResultItem& item) {
  FieldWriter fields(out, item.unread());
  out.begin_object();
  out.key("type").text(item.type());
  item.describe(fields);
  fields.add_unread();
  out.end_object();
}

void write_caveat(JsonWriter& out, const Caveat& caveat) {
  out.begin_object();
  out.key("id").text(caveat.id);
  out.key("severity").text(caveat.severity.text());
  out.key("message").text(caveat.message.plain());
  if (!caveat.message.references().empty()) out.key("message_markup").text(caveat.message.markup());
  out.key("evidence").value(caveat.evidence);
  out.key("advice").text(caveat.advice.plain());
  if (!caveat.advice.references().empty()) out.key("advice_markup").text(caveat.advice.markup());
  out.end_object();
}

}  // namespace

std::string to_json(const Result& result) {
  JsonWriter out;
  out.begin_object();
  out.line().key("schema").text("sightglass.result/1");
  out.line().key("method").text(result.method);
  if (!result.about.title.empty()) {
    FieldWriter fields(out, &result.unread);
    MethodInfo about = result.about;
    out.line();
    fields.group({"about"}, [&](Fields& inside) { describe_fields(about, inside); });
  }
  out.line().key("version").text(result.version);
  out.line().key("model").value(result.model);
  out.line().key("data").value(result.data);
  out.line().key("options").value(result.options);
  out.line().key("results").begin_array();
  for (const auto& item : result.results) {
    out.line();
    write_item(out, item);
  }
  out.line().end_array();
  out.line().key("caveats").begin_array();
  for (const auto& caveat : result.caveats) {
    out.line();
    write_caveat(out, caveat);
  }
  out.line().end_array();
  for (const auto& [key, value] : result.unread.keys.as_object()) out.line().key(key).value(value);
  out.line().end_object();
  return out.take() + "\n";
}

}  // namespace sightglass
