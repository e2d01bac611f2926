// CatBoost's JSON export (model.save_model("model.json", format="json")). The rules were read off CatBoost and are
// checked bit by bit against two of its versions (tests/formats/make_catboost.py); docs/models.md lists what is taken.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

#include "sightglass/model/readers/catboost_internal.h"
#include "sightglass/model/readers/readers_internal.h"

namespace sightglass {

namespace {

constexpr std::int64_t catboost_most_int32 = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t catboost_least_int32 = std::numeric_limits<std::int32_t>::min();

// The list of that name; nothing where CatBoost left an empty one out or wrote null.
std::optional<JsonValue> list_of(const JsonObject& object, std::string_view name) {
  auto value = object.find(name);
  if (value && value->element().type() == simdjson::dom::element_type::NULL_VALUE) return std::nullopt;
  return value;
}

std::vector<float> borders_of(const JsonValue& list) {
  std::vector<float> borders;
  list.each([&](const JsonValue& item) { borders.push_back(item.float32()); });
  return borders;
}

std::int32_t index_of(const JsonObject& object, std::string_view name) {
  return static_cast<std::int32_t>(object.require(name).integer(0, catboost_most_int32));
}

std::uint32_t hash_of(const JsonValue& value) {
  return static_cast<std::uint32_t>(value.integer(catboost_least_int32, std::numeric_limits<std::uint32_t>::max()));
}

class CatboostJson {
 public:
  CatboostJson(std::string_view content, std::string_view where) : blame_(catboost_blame(where)), content_(content) {}

  CatboostFile read() {
    file_.format = "catboost-json";
    const JsonValue root_value(blame_, document_.parse(content_, blame_));
    const JsonObject root(root_value);
    if (const auto info = root.find("model_info")) read_info(*info);
    read_features(root);
    const auto symmetric = root.find("oblivious_trees");
    file_.symmetric = symmetric.has_value();
    const auto scale_and_bias = root.find("scale_and_bias");
    if (scale_and_bias) read_scale_and_bias(*scale_and_bias);
    if (symmetric) {
      if (list_of(root, "oblivious_trees")) symmetric->each([&](const JsonValue& tree) { read_symmetric(tree); });
    } else {
      root.require("trees").each(
          [&](const JsonValue& tree) { file_.trees.push_back({.levels = {}, .root = read_node(tree)}); });
    }
    if (file_.trees.empty()) file_.dimensions = std::max<std::size_t>(1, file_.bias.size());
    if (!weights_known_) file_.leaf_weights.clear();
    return std::move(file_);
  }

 private:
  void read_info(const JsonValue& value) {
    const JsonObject info(value);
    if (const auto version = info.find("catboost_version_info"); version && version->is_string())
      file_.version = catboost_version(version->text());
    if (const auto parameters = info.find("params")) read_catboost_parameters(*parameters, file_);
    for (const std::string_view name : {"multiclass_params", "class_params"}) {
      if (const auto classes = info.find(name)) read_catboost_classes(*classes, file_);
    }
  }

  void read_features(const JsonObject& root) {
    const JsonValue value = root.require("features_info");
    const JsonObject features(value);
    for (const auto& [name, list] : features.members()) {
      if (name.find("text") != std::string_view::npos || name.find("embedding") != std::string_view::npos)
        refuse_catboost_texts(blame_, value.path());
    }
    if (const auto list = list_of(features, "float_features")) {
      list->each([&](const JsonValue& item) { read_number(item); });
    }
    if (const auto list = list_of(features, "categorical_features")) {
      list->each([&](const JsonValue& item) { read_category(item); });
    }
    read_tables(root);
    if (const auto list = list_of(features, "ctrs")) {
      list->each([&](const JsonValue& item) { read_ctr(item); });
    }
  }

  static std::string name_of(const JsonObject& feature) {
    for (const std::string_view key : {"feature_id", "feature_name"}) {
      const auto name = feature.find(key);
      if (name && !name->text().empty()) return std::string(name->text());
    }
    return {};
  }

  void read_number(const JsonValue& value) {
    const JsonObject feature(value);
    CatboostFile::Number& number = file_.numbers.emplace_back();
    number.index = index_of(feature, "feature_index");
    number.flat = index_of(feature, "flat_feature_index");
    number.name = name_of(feature);
    if (const auto borders = list_of(feature, "borders")) number.borders = borders_of(*borders);
    const std::string_view treatment = feature.require("nan_value_treatment").text();
    const bool seen = feature.require("has_nans").boolean_or_bit();
    if (treatment == "AsTrue") {
      number.missing_right = seen;
    } else if (treatment != "AsFalse" && treatment != "AsIs") {
      value.fail("has the nan_value_treatment " + printable(treatment, 40) + ", which is not known");
    }
  }

  void read_category(const JsonValue& value) {
    const JsonObject feature(value);
    CatboostFile::Category& category = file_.categories.emplace_back();
    category.index = index_of(feature, "feature_index");
    category.flat = index_of(feature, "flat_feature_index");
    category.name = name_of(feature);
    if (const auto values = list_of(feature, "values")) {
      CatboostFile::OneHot& one_hot = file_.one_hots.emplace_back();
      one_hot.feature = category.index;
      values->each([&](const JsonValue& item) { one_hot.values.push_back(hash_of(item)); });
    }
  }

  static CatboostProjection read_projection(const JsonValue& list) {
    CatboostProjection projection;
    list.each([&](const JsonValue& item) {
      const JsonObject element(item);
      const JsonValue kind = element.require("combination_element");
      if (kind.text() == "cat_feature_value") {
        projection.categories.push_back(index_of(element, "cat_feature_index"));
      } else if (kind.text() == "float_feature") {
        projection.numbers.push_back(
            {.feature = index_of(element, "float_feature_index"), .border = element.require("border").float32()});
      } else if (kind.text() == "cat_feature_exact_value") {
        projection.one_hot.push_back(
            {.feature = index_of(element, "cat_feature_index"), .value = hash_of(element.require("value"))});
      } else {
        kind.fail("is " + printable(kind.text(), 40) + ", which is not known");
      }
    });
    return projection;
  }

  void read_tables(const JsonObject& root) {
    const auto value = list_of(root, "ctr_data");
    if (!value) return;
    const JsonObject data(*value);
    for (const auto& [name, element] : data.members()) {
      const auto table_value = data.find(name);
      table_of_.emplace(std::string(name), file_.tables.size());
      file_.tables.emplace_back();
      numbers_.emplace_back();
      read_table(*table_value, file_.tables.back(), numbers_.back());
    }
    types_.resize(file_.tables.size());
  }

  // The kind of a table is said by the CTRs that use it: until then its numbers are kept as they are.
  static void read_table(const JsonValue& value, CatboostTable& table, std::vector<double>& numbers) {
    const JsonObject object(value);
    table.denominator =
        static_cast<std::int32_t>(object.require("counter_denominator").integer(0, catboost_most_int32));
    const auto list = list_of(object, "hash_map");
    if (!list) return;
    const JsonValue stride_value = object.require("hash_stride");
    const auto stride = static_cast<std::size_t>(stride_value.integer(2, catboost_most_int32));
    if (list->size() % stride != 0) stride_value.fail("does not divide the length of hash_map");
    table.width = stride - 1;
    std::size_t at = 0;
    std::uint64_t hash = 0;
    // CatBoost also writes the key of its empty places.
    constexpr std::uint64_t nobody = std::numeric_limits<std::uint64_t>::max();
    list->each([&](const JsonValue& item) {
      if (at++ % stride == 0) {
        hash = big_hash(item);
        if (hash != nobody) table.rows.emplace_back(hash, static_cast<std::uint32_t>(table.rows.size()));
      } else if (hash != nobody) {
        numbers.push_back(item.number());
      }
    });
    std::stable_sort(table.rows.begin(), table.rows.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
  }

  static std::uint64_t big_hash(const JsonValue& item) {
    std::uint64_t hash = 0;
    if (!item.is_string()) {
      if (item.element().get(hash) != simdjson::SUCCESS) item.fail("is not a hash");
      return hash;
    }
    const std::string_view text = item.text();
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), hash);
    if (failure != std::errc() || end != text.data() + text.size()) item.fail("is not a hash");
    return hash;
  }

  void read_ctr(const JsonValue& value) {
    const JsonObject object(value);
    CatboostCtr& ctr = file_.ctrs.emplace_back();
    const CatboostCtrType type = catboost_ctr_type(object.require("ctr_type").text(), blame_);
    CatboostProjection projection = read_projection(object.require("elements"));
    const JsonValue identifier = object.require("identifier");
    const auto at = table_of_.find(std::string(identifier.text()));
    if (at == table_of_.end()) identifier.fail("is no key of ctr_data");
    ctr.table = at->second;
    CatboostTable& table = file_.tables[ctr.table];
    if (!types_[ctr.table]) {
      table.type = type;
      table.projection = std::move(projection);
      finish(table, numbers_[ctr.table], identifier);
      types_[ctr.table] = true;
    } else if (table.type != type || table.projection != projection) {
      value.fail("uses the table of another CTR");
    }
    ctr.target_border = static_cast<std::int32_t>(object.require("target_border_idx").integer(0, catboost_most_int32));
    ctr.prior_numerator = object.require("prior_numerator").float32();
    ctr.prior_denominator = object.require("prior_denomerator").float32();
    ctr.shift = object.require("shift").float32();
    ctr.scale = object.require("scale").float32();
    ctr.borders = borders_of(object.require("borders"));
  }

  // Now that the type is known: counts are whole numbers, means have a sum and a count.
  static void finish(CatboostTable& table, const std::vector<double>& numbers, const JsonValue& spot) {
    const bool means = table.type == CatboostCtrType::binarized_mean || table.type == CatboostCtrType::float_mean;
    if (means && table.width != 2 && !table.rows.empty()) spot.fail("should have a sum and a count for each hash");
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (means && i % 2 == 0) {
        table.sums.push_back(static_cast<float>(numbers[i]));
        continue;
      }
      const bool count = numbers[i] >= 0 && numbers[i] <= catboost_most_int32 && numbers[i] == std::floor(numbers[i]);
      if (!count) spot.fail("has a count that is no count");
      table.counts.push_back(static_cast<std::int32_t>(numbers[i]));
    }
    if (means) table.width = 1;
  }

  void read_scale_and_bias(const JsonValue& value) {
    std::size_t part = 0;
    value.each([&](const JsonValue& item) {
      if (part == 0) file_.scale = item.number();
      if (part == 1 && item.is_array()) file_.bias = item.numbers();
      if (part == 1 && !item.is_array()) file_.bias.assign(1, item.number());
      ++part;
    });
    if (part != 2) value.fail("should be a scale and a bias");
  }

  std::uint32_t read_split(const JsonValue& value) const {
    const JsonObject split(value);
    if (const auto type = split.find("split_type"); type && type->text() == "EstimatedFeature")
      refuse_catboost_texts(blame_, value.path());
    return static_cast<std::uint32_t>(split.require("split_index").integer(0, catboost_most_int32));
  }

  void read_symmetric(const JsonValue& value) {
    const JsonObject object(value);
    CatboostFile::Tree tree;
    if (const auto splits = list_of(object, "splits")) {
      splits->each([&](const JsonValue& split) { tree.levels.push_back(read_split(split)); });
    }
    if (tree.levels.size() > catboost_most_depth) value.fail("is deeper than CatBoost's trees are");
    const std::size_t leaves = std::size_t{1} << tree.levels.size();
    const JsonValue list = object.require("leaf_values");
    const std::vector<double> values = list.numbers();
    if (values.empty() || values.size() % leaves != 0)
      list.fail("has " + std::to_string(values.size()) + " items for " + std::to_string(leaves) + " leaves");
    set_dimensions(list, values.size() / leaves);
    tree.root = static_cast<std::int32_t>(leaves_);
    add_leaves(list, values, leaves);
    const auto weights = list_of(object, "leaf_weights");
    if (weights) {
      const std::vector<double> numbers = weights->numbers();
      if (numbers.size() != leaves) weights->fail("should have " + std::to_string(leaves) + " items");
      file_.leaf_weights.insert(file_.leaf_weights.end(), numbers.begin(), numbers.end());
    } else {
      weights_known_ = false;
    }
    file_.trees.push_back(std::move(tree));
  }

  // The tree below: a node, or -1 - leaf. As deep as the document at most, which is bounded.
  std::int32_t read_node(const JsonValue& value) {
    const JsonObject object(value);
    if (const auto leaf = object.find("value")) {
      std::vector<double> values;
      if (leaf->is_array()) {
        values = leaf->numbers();
      } else {
        values.push_back(leaf->number());
      }
      if (values.empty()) leaf->fail("is empty");
      set_dimensions(*leaf, values.size());
      const auto index = static_cast<std::int32_t>(leaves_);
      add_leaves(*leaf, values, 1);
      if (const auto weight = object.find("weight")) {
        file_.leaf_weights.push_back(weight->number());
      } else {
        weights_known_ = false;
      }
      return -1 - index;
    }
    const std::size_t node = file_.nodes.size();
    file_.nodes.push_back({.split = read_split(object.require("split"))});
    const JsonValue left = object.require("left"), right = object.require("right");
    const std::int32_t on_the_left = read_node(left);
    const std::int32_t on_the_right = read_node(right);
    file_.nodes[node].left = on_the_left;
    file_.nodes[node].right = on_the_right;
    return static_cast<std::int32_t>(node);
  }

  void set_dimensions(const JsonValue& spot, std::size_t count) {
    if (leaves_ != 0 && count != file_.dimensions) {
      spot.fail("has " + std::to_string(count) + " values for each leaf, those before have " +
                std::to_string(file_.dimensions));
    }
    file_.dimensions = count;
  }

  void add_leaves(const JsonValue& spot, const std::vector<double>& values, std::size_t count) {
    file_.leaf_values.insert(file_.leaf_values.end(), values.begin(), values.end());
    leaves_ += count;
    if (leaves_ >= (std::size_t{1} << 30)) spot.fail("is one leaf too many");
  }

  JsonBlame blame_;
  std::string_view content_;
  JsonDocument document_;
  CatboostFile file_;
  std::unordered_map<std::string, std::size_t> table_of_;
  std::vector<bool> types_;                   // of tables: known
  std::vector<std::vector<double>> numbers_;  // of tables
  std::size_t leaves_ = 0;
  bool weights_known_ = true;
};

}  // namespace

bool is_catboost_json(std::string_view content) {
  const std::size_t open = content.find_first_not_of(" \t\r\n");
  if (open == std::string_view::npos || content[open] != '{') return false;
  const std::size_t quote = content.find_first_not_of(" \t\r\n", open + 1);
  if (quote == std::string_view::npos || content[quote] != '"') return false;
  const std::string_view key = content.substr(quote + 1, 32);
  const std::string_view keys[] = {"ctr_data\"", "features_info\"", "model_info\"", "oblivious_trees\"",
                                   "scale_and_bias\""};
  return std::any_of(std::begin(keys), std::end(keys), [&](std::string_view known) { return key.starts_with(known); });
}

std::unique_ptr<Model> read_catboost_json(std::string_view content, std::string_view where,
                                          const LoadOptions& options) {
  return make_catboost_model(CatboostJson(content, where).read(), where, options);
}

}  // namespace sightglass
