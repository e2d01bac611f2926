#include <algorithm>
#include <cmath>
#include <set>

#include "sightglass/model/readers/onnx/onnx_columns_internal.h"
#include "sightglass/model/readers/onnx/onnx_trees_internal.h"

namespace sightglass {

namespace {

constexpr std::size_t most_made_columns = 1000000;

[[noreturn]] void refuse(const OnnxNode& node, const std::string& why) {
  throw NotExact("its operator " + printable(node.op, 40) + " " + why);
}

double real_of(const OnnxNode& node, std::string_view name, double otherwise) {
  const OnnxAttribute* attribute = node.find(name);
  return attribute == nullptr || !attribute->real ? otherwise : static_cast<double>(*attribute->real);
}
std::int64_t integer_of(const OnnxNode& node, std::string_view name, std::int64_t otherwise) {
  const OnnxAttribute* attribute = node.find(name);
  return attribute == nullptr || !attribute->integer ? otherwise : *attribute->integer;
}
std::vector<double> reals_of(const OnnxNode& node, std::string_view name) {
  const OnnxAttribute* attribute = node.find(name);
  if (attribute == nullptr) return {};
  return {attribute->reals.begin(), attribute->reals.end()};
}

void add_step(OnnxColumn& column, Step step) { column.steps.push_back(std::move(step)); }

void add_round(OnnxColumn& column) { add_step(column, {.kind = Step::Kind::round, .float32 = true}); }

// The i-th of a list that has one for each column, or one for all.
double item_for(const OnnxNode& node, const std::vector<double>& items, std::size_t i, std::size_t columns) {
  if (items.size() != 1 && items.size() != columns) refuse(node, "has not one number for each column");
  return items.size() == 1 ? items[0] : items[i];
}

OnnxColumns scaled(const OnnxNode& node, OnnxColumns columns) {
  // Of other types onnxruntime's own arithmetic is another.
  if (columns.type != OnnxType::float32) refuse(node, "scales " + onnx_type_name(columns.type));
  const std::vector<double> offset = reals_of(node, "offset"), scale = reals_of(node, "scale");
  for (std::size_t i = 0; i < columns.columns.size(); ++i) {
    OnnxColumn& column = columns.columns[i];
    add_step(column,
             {.kind = Step::Kind::subtract, .a = item_for(node, offset, i, columns.columns.size()), .float32 = true});
    add_step(column,
             {.kind = Step::Kind::multiply, .a = item_for(node, scale, i, columns.columns.size()), .float32 = true});
  }
  return columns;
}

OnnxColumns imputed(const OnnxNode& node, OnnxColumns columns) {
  if (columns.type != OnnxType::float32) refuse(node, "fills " + onnx_type_name(columns.type));
  const std::vector<double> values = reals_of(node, "imputed_value_floats");
  const double replaced = real_of(node, "replaced_value_float", 0);
  for (std::size_t i = 0; i < columns.columns.size(); ++i) {
    add_step(columns.columns[i],
             {.kind = Step::Kind::replace, .a = replaced, .b = item_for(node, values, i, columns.columns.size())});
  }
  return columns;
}

OnnxColumns one_hot(const OnnxNode& node, const OnnxColumns& columns) {
  const bool refuses = integer_of(node, "zeros", 1) == 0;
  OnnxColumns result{.columns = {}, .type = OnnxType::float32};
  const OnnxAttribute* texts = node.find("cats_strings");
  const OnnxAttribute* integers = node.find("cats_int64s");
  const bool by_text = texts != nullptr && !texts->texts.empty();
  if (by_text == (integers != nullptr && !integers->integers.empty())) refuse(node, "does not say its categories");
  if (by_text ? columns.type != OnnxType::text : !is_whole(columns.type)) {
    refuse(node, "looks for other categories than its column has");
  }
  const std::size_t count = by_text ? texts->texts.size() : integers->integers.size();
  if (count * columns.columns.size() > most_made_columns) refuse(node, "makes too many columns");
  for (const OnnxColumn& column : columns.columns) {
    if (by_text && column.changed()) refuse(node, "follows another that changes texts");
    for (std::size_t i = 0; i < count; ++i) {
      OnnxColumn made = column;
      if (by_text) {
        made.table.emplace();
        // All categories are known, so that they are the levels.
        for (const std::string_view text : texts->texts) made.table->emplace(std::string(text), 0.0);
        (*made.table)[std::string(texts->texts[i])] = 1;
        made.refuses_others = refuses;
      } else {
        if (refuses) refuse(node, "refuses numbers");
        add_step(made, {.kind = Step::Kind::equals, .a = static_cast<double>(integers->integers[i])});
      }
      result.columns.push_back(std::move(made));
    }
  }
  return result;
}

// Keys and values are lists, or tensors since ai.onnx.ml 4.
OnnxColumns looked_up(const OnnxNode& node, OnnxColumns columns, std::string_view where) {
  const auto list = [&](const std::string& name) -> std::optional<std::vector<double>> {
    for (const char* ending : {"_floats", "_int64s", "_tensor"}) {
      const OnnxAttribute* attribute = node.find(name + ending);
      if (attribute == nullptr) continue;
      if (attribute->tensor) {
        if (attribute->tensor->type == OnnxType::text) return std::nullopt;
        return attribute->tensor->numbers(where);
      }
      std::vector<double> found(attribute->reals.begin(), attribute->reals.end());
      found.insert(found.end(), attribute->integers.begin(), attribute->integers.end());
      return found;
    }
    return std::nullopt;
  };
  const auto values = list("values");
  if (!values) refuse(node, "makes texts");
  const OnnxAttribute* values_tensor = node.find("values_tensor");
  const bool whole = node.find("values_int64s") != nullptr ||
                     (values_tensor != nullptr && values_tensor->tensor && is_whole(values_tensor->tensor->type));
  double otherwise =
      whole ? static_cast<double>(integer_of(node, "default_int64", -1)) : real_of(node, "default_float", 0);
  if (const OnnxAttribute* other = node.find("default_tensor"); other != nullptr && other->tensor) {
    const std::vector<double> found = other->tensor->numbers(where);
    if (found.size() != 1) refuse(node, "has not one number for all others");
    otherwise = found[0];
  }
  const OnnxAttribute* texts = node.find("keys_strings");
  if (texts == nullptr && node.find("keys_tensor") != nullptr && node.find("keys_tensor")->tensor &&
      node.find("keys_tensor")->tensor->type == OnnxType::text) {
    refuse(node, "has its texts in a tensor");
  }
  for (OnnxColumn& column : columns.columns) {
    if (texts != nullptr) {
      if (columns.type != OnnxType::text || column.changed()) refuse(node, "looks for texts among numbers");
      if (texts->texts.size() != values->size()) refuse(node, "has not one value for each key");
      column.table.emplace();
      for (std::size_t i = 0; i < values->size(); ++i) (*column.table)[std::string(texts->texts[i])] = (*values)[i];
      column.otherwise = otherwise;
      continue;
    }
    const auto keys = list("keys");
    if (!keys || columns.type == OnnxType::text) refuse(node, "looks for numbers among texts");
    if (keys->size() != values->size()) refuse(node, "has not one value for each key");
    Step step{.kind = Step::Kind::look_up, .a = otherwise, .b = otherwise};
    std::map<double, double> sorted;
    for (std::size_t i = 0; i < keys->size(); ++i) {
      if (std::isnan((*keys)[i])) {
        step.a = (*values)[i];
      } else {
        sorted[(*keys)[i]] = (*values)[i];
      }
    }
    for (const auto& [key, value] : sorted) {
      step.numbers.push_back(key);
      step.values.push_back(value);
    }
    add_step(column, std::move(step));
  }
  columns.type = whole ? OnnxType::int64 : OnnxType::float32;
  return columns;
}

OnnxColumns cast(const OnnxNode& node, OnnxColumns columns) {
  const auto to = static_cast<OnnxType>(std::clamp<std::int64_t>(integer_of(node, "to", 0), 0, 1000));
  const bool number = columns.type == OnnxType::float32 || columns.type == OnnxType::float64 || is_whole(columns.type);
  if (to == columns.type) return columns;
  if (!number || (to != OnnxType::float32 && to != OnnxType::float64)) {
    refuse(node, "makes " + onnx_type_name(to) + " of " + onnx_type_name(columns.type));
  }
  if (to == OnnxType::float32) {
    for (OnnxColumn& column : columns.columns) add_round(column);
  }
  columns.type = to;
  return columns;
}

OnnxColumns chosen(const OnnxNode& node, const OnnxColumns& from, const std::vector<double>& which) {
  OnnxColumns result{.columns = {}, .type = from.type};
  for (double index : which) {
    if (index < 0) index += static_cast<double>(from.columns.size());
    if (!(index >= 0 && index < static_cast<double>(from.columns.size()))) {
      refuse(node, "takes a column that does not exist");
    }
    result.columns.push_back(from.columns[static_cast<std::size_t>(index)]);
  }
  return result;
}

}  // namespace

bool is_whole(OnnxType type) {
  return type == OnnxType::int64 || type == OnnxType::int32 || type == OnnxType::int16 || type == OnnxType::int8 ||
         type == OnnxType::uint8 || type == OnnxType::uint16 || type == OnnxType::uint32 || type == OnnxType::uint64;
}

OnnxColumnReader::OnnxColumnReader(const OnnxFile& file, const std::vector<OnnxFeature>& features,
                                   std::string_view where)
    : file_(file), where_(where) {
  for (std::uint32_t i = 0; i < features.size(); ++i) {
    const OnnxValue& input = file.inputs[features[i].input];
    OnnxColumns& columns = known_[input.name];
    columns.type = input.type;
    columns.columns.push_back({.source = i});
  }
}

const OnnxColumns* OnnxColumnReader::find(std::string_view name) const {
  const auto found = known_.find(name);
  return found == known_.end() ? nullptr : &found->second;
}

std::vector<double> OnnxColumnReader::constant(const OnnxNode& node, std::string_view name) const {
  const auto found = file_.constants.find(name);
  if (found == file_.constants.end()) refuse(node, "stands before the trees");
  return found->second.numbers(where_);
}

void OnnxColumnReader::take(const OnnxNode& node) {
  if (node.outputs.size() != 1 || node.inputs.empty()) refuse(node, "stands before the trees");
  known_[node.outputs[0]] = made_by(node);
}

OnnxColumns OnnxColumnReader::made_by(const OnnxNode& node) const {
  const bool ml = node.domain == "ai.onnx.ml";
  const auto is = [&](std::string_view op, bool of_ml, std::size_t inputs) {
    return node.op == op && ml == of_ml && node.inputs.size() == inputs;
  };
  if (node.op == "Concat" && !ml) {
    const std::int64_t axis = integer_of(node, "axis", 0);
    if (axis != 1 && axis != -1) refuse(node, "puts rows below one another");
    OnnxColumns joined;
    for (const std::string_view input : node.inputs) {
      const OnnxColumns* columns = find(input);
      if (columns == nullptr) refuse(node, "joins what is no column");
      if (joined.columns.empty()) joined.type = columns->type;
      if (joined.type != columns->type) refuse(node, "joins columns of several types");
      joined.columns.insert(joined.columns.end(), columns->columns.begin(), columns->columns.end());
      if (joined.columns.size() > most_made_columns) refuse(node, "makes too many columns");
    }
    return joined;
  }
  const bool constant_first = find(node.inputs[0]) == nullptr;
  const std::size_t variable = constant_first && node.inputs.size() == 2 ? 1 : 0;
  const OnnxColumns* from = find(node.inputs[variable]);
  if (from == nullptr) refuse(node, "stands before the trees");
  if (is("Identity", false, 1)) return *from;
  if (is("Cast", false, 1)) return cast(node, *from);
  if (is("Scaler", true, 1)) return scaled(node, *from);
  if (is("Imputer", true, 1)) return imputed(node, *from);
  if (is("OneHotEncoder", true, 1)) return one_hot(node, *from);
  if (is("LabelEncoder", true, 1)) return looked_up(node, *from, where_);
  if (is("Binarizer", true, 1)) {
    OnnxColumns result = *from;
    if (result.type != OnnxType::float32) refuse(node, "stands before the trees");
    for (OnnxColumn& column : result.columns) {
      add_step(column, {.kind = Step::Kind::refuse_missing});
      add_step(column, {.kind = Step::Kind::count_below, .numbers = {real_of(node, "threshold", 0)}});
    }
    return result;
  }
  if (variable == 0 &&
      (is("ArrayFeatureExtractor", true, 2) ||
       (is("Gather", false, 2) && (integer_of(node, "axis", 0) == 1 || integer_of(node, "axis", 0) == -1)))) {
    return chosen(node, *from, constant(node, node.inputs[1]));
  }
  if (variable == 0 && is("Reshape", false, 2)) {
    // To rows of as many columns as there are.
    const std::vector<double> shape = constant(node, node.inputs[1]);
    const bool same = shape.size() == 2 && shape[0] == -1 && shape[1] == static_cast<double>(from->columns.size());
    if (!same) refuse(node, "makes other rows");
    return *from;
  }
  if (is("Flatten", false, 1) && integer_of(node, "axis", 1) == 1) return *from;
  const bool sum = is("Add", false, 2), product = is("Mul", false, 2);
  if (sum || product || (variable == 0 && (is("Sub", false, 2) || is("Div", false, 2)))) {
    if (from->type != OnnxType::float32 && from->type != OnnxType::float64) refuse(node, "computes with whole numbers");
    const std::vector<double> numbers = constant(node, node.inputs[1 - variable]);
    OnnxColumns result = *from;
    for (std::size_t i = 0; i < result.columns.size(); ++i) {
      const double number = item_for(node, numbers, i, result.columns.size());
      if (node.op == "Div" && number == 0) refuse(node, "divides by zero");
      add_step(result.columns[i], {.kind = sum                ? Step::Kind::add
                                           : product          ? Step::Kind::multiply
                                           : node.op == "Sub" ? Step::Kind::subtract
                                                              : Step::Kind::divide,
                                   .a = number,
                                   .float32 = from->type == OnnxType::float32});
    }
    return result;
  }
  refuse(node, "stands before the trees");
}

std::vector<DerivedColumn> derived_columns(const OnnxColumns& columns, std::vector<FeatureInfo>& features) {
  std::vector<std::set<std::string>> levels(features.size());
  for (const OnnxColumn& column : columns.columns) {
    if (!column.table) continue;
    for (const auto& [text, value] : *column.table) levels[column.source].insert(text);
  }
  for (std::size_t i = 0; i < features.size(); ++i) {
    levels[i].erase("");  // a missing text
    features[i].levels.assign(levels[i].begin(), levels[i].end());
  }
  std::vector<DerivedColumn> derived;
  for (const OnnxColumn& column : columns.columns) {
    DerivedColumn& made = derived.emplace_back(DerivedColumn{.source = column.source, .steps = column.steps});
    if (!column.table) continue;
    LevelTable& table = made.levels.emplace();
    const auto value_of = [&](const std::string& text) {
      const auto found = column.table->find(text);
      return found == column.table->end() ? column.otherwise : found->second;
    };
    for (const std::string& level : features[column.source].levels) table.values.push_back(value_of(level));
    table.unseen = column.otherwise;
    table.missing = value_of("");
    table.refuses_unseen = column.refuses_others;
    table.refuses_missing = column.refuses_others && !column.table->contains("");
  }
  return derived;
}

}  // namespace sightglass
