#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "sightglass/model/derived/fold_trees.h"
#include "sightglass/model/readers/onnx/onnx_columns_internal.h"
#include "sightglass/model/readers/onnx/onnx_graph_internal.h"
#include "sightglass/model/readers/onnx/onnx_trees_internal.h"
#include "sightglass/model/readers/readers_internal.h"

namespace sightglass {

namespace {

constexpr std::int64_t most_onnx_columns = 1000000;

Value described(const std::vector<OnnxValue>& values) {
  Value list = Value::array();
  for (const OnnxValue& value : values) {
    Value entry = Value::object({{"name", printable(value.name, 80)}});
    entry.set("type", value.tensor ? onnx_type_name(value.type) : value.maps ? "sequence of maps" : "not a tensor");
    if (value.shaped) {
      Value shape = Value::array();
      for (const std::int64_t dim : value.dims) shape.push_back(dim < 0 ? Value() : Value(dim));
      entry.set("shape", std::move(shape));
    }
    list.push_back(std::move(entry));
  }
  return list;
}

// Names that whoever exported the model left beside it: a JSON list, or names with commas between them.
std::vector<std::string> names_in_metadata(const OnnxFile& file, std::size_t count) {
  const auto found = file.metadata.find("feature_names");
  if (found == file.metadata.end()) return {};
  std::vector<std::string> names;
  const auto json = nlohmann::json::parse(found->second.begin(), found->second.end(), nullptr, false);
  if (json.is_array()) {
    for (const auto& name : json) names.push_back(name.is_string() ? name.get<std::string>() : "");
  } else {
    std::string_view rest = found->second;
    for (bool more = true; more;) {
      const std::size_t comma = rest.find(',');
      more = comma != std::string_view::npos;
      std::string_view name = rest.substr(0, comma);
      while (name.starts_with(' ')) name.remove_prefix(1);
      names.emplace_back(name);
      if (more) rest.remove_prefix(comma + 1);
    }
  }
  const std::unordered_set<std::string_view> different(names.begin(), names.end());
  const bool good = names.size() == count && different.size() == count && !different.contains("");
  return good ? names : std::vector<std::string>{};
}

class GraphReader {
 public:
  GraphReader(const OnnxFile& file, std::string_view where, const LoadOptions& options)
      : file_(file), where_(where), options_(options) {}

  std::unique_ptr<Model> read() {
    find_tree_operator();
    find_inputs();
    OnnxTrees trees = read_onnx_trees(*tree_, input_.type, input_.columns.size(), where_);
    TreeEnsemble::Parts& parts = trees.parts;
    follow_scores(parts);
    parts.signature.outputs.resize(parts.base.size());
    for (std::size_t k = 0; k < parts.base.size(); ++k) parts.signature.outputs[k] = std::to_string(k);
    change_features(parts);
    Signature known = std::move(parts.signature);
    parts.signature = describe_onnx(file_, "onnx");
    Signature& signature = parts.signature;
    signature.objective = tree_->op;
    signature.features = std::move(known.features);
    signature.task = known.task;
    signature.has_margin = parts.link.link != Link::identity;
    signature.float32_predictions = known.float32_predictions;
    signature.detail.set("engine",
                         folded_ ? "exact: the trees are read, with the operators before them folded into their splits"
                                 : "exact: the trees are read");
    signature.detail.set("trees", *known.detail.find("trees"));
    name_outputs(parts, trees.labels);
    return std::make_unique<TreeEnsemble>(std::move(parts), where_);
  }

 private:
  [[noreturn]] static void refuse(const OnnxNode& node, const std::string& why) {
    throw NotExact("its operator " + printable(node.op, 40) + " " + why);
  }

  void find_tree_operator() {
    for (std::size_t i = 0; i < file_.nodes.size(); ++i) {
      if (!is_tree_operator(file_.nodes[i])) continue;
      if (tree_ != nullptr) throw NotExact("it has several tree ensembles");
      tree_ = &file_.nodes[i];
      position_ = i;
    }
    if (tree_ == nullptr) throw NotExact("it has no tree ensemble");
    if (tree_->inputs.size() != 1 || tree_->outputs.empty()) {
      throw Error(ErrorKind::model, printable(where_) + ": " + printable(tree_->op, 40) + " has not one input",
                  "save the model again");
    }
  }

  // From the inputs of the graph forward to that of the trees, along what leads there only.
  void find_inputs() {
    std::unordered_set<std::string_view> needed = {tree_->inputs[0]};
    std::vector<const OnnxNode*> steps;
    for (std::size_t i = position_; i-- > 0;) {
      const OnnxNode& node = file_.nodes[i];
      const bool leads = std::any_of(node.outputs.begin(), node.outputs.end(),
                                     [&](std::string_view output) { return needed.contains(output); });
      if (!leads) continue;
      needed.insert(node.inputs.begin(), node.inputs.end());
      steps.push_back(&node);
    }
    features_ = onnx_features(file_, where_);
    OnnxColumnReader reader(file_, features_, where_);
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) reader.take(**step);
    const OnnxColumns* found = reader.find(tree_->inputs[0]);
    if (found == nullptr) throw NotExact("its trees split what is no column of its inputs");
    input_ = *found;
    const bool known = input_.type == OnnxType::float32 || input_.type == OnnxType::float64 ||
                       input_.type == OnnxType::int64 || input_.type == OnnxType::int32;
    if (!known) throw NotExact("its trees split columns of " + onnx_type_name(input_.type));
  }

  // From the scores forward to an output of the graph. Labels are left aside: they follow from the scores.
  void follow_scores(TreeEnsemble::Parts& parts) const {
    const bool classifier = tree_->op == "TreeEnsembleClassifier";
    if (classifier && tree_->outputs.size() < 2) throw NotExact("it answers labels only");
    std::string_view scores = tree_->outputs[classifier ? 1 : 0];
    std::string_view strange;  // the operator by which scores are used otherwise
    std::unordered_set<std::string_view> other = {classifier ? tree_->outputs[0] : std::string_view("")};
    for (std::size_t i = position_ + 1; i < file_.nodes.size(); ++i) {
      const OnnxNode& node = file_.nodes[i];
      const bool uses = std::find(node.inputs.begin(), node.inputs.end(), scores) != node.inputs.end();
      if (!uses) continue;
      if (node.op == "ArgMax") continue;  // a label
      if (is_output(scores)) continue;    // there already, and once more in another form
      if (!node.outputs.empty() && passes_on(node, parts, classifier)) {
        scores = node.outputs[0];
      } else {
        strange = node.op;
      }
    }
    if (is_output(scores)) return;
    throw NotExact(strange.empty() ? std::string("its scores are not among its outputs")
                                   : "its operator " + printable(strange, 40) + " stands behind the trees");
  }

  // Whether a node's only answer is its input, or a link of it.
  bool passes_on(const OnnxNode& node, TreeEnsemble::Parts& parts, bool classifier) const {
    if (node.op == "Identity" || node.op == "ZipMap") return true;
    if (node.op == "Cast") {
      const OnnxAttribute* to = node.find("to");
      return to != nullptr && to->integer && (*to->integer == 1 || *to->integer == 11);
    }
    if (node.op == "Reshape" || node.op == "Flatten" || node.op == "Squeeze")
      return parts.base.size() == 1 && !classifier;
    if (classifier || parts.link.link != Link::identity) return false;
    if (node.op == "Sigmoid") parts.link.link = Link::logistic;
    if (node.op == "Exp") parts.link.link = Link::exponential;
    if (node.op == "Softmax" && parts.base.size() > 1) {
      const OnnxAttribute* axis = node.find("axis");
      if (axis == nullptr || !axis->integer || *axis->integer == 1 || *axis->integer == -1)
        parts.link.link = Link::softmax;
    }
    return parts.link.link != Link::identity;
  }

  [[nodiscard]] bool is_output(std::string_view name) const {
    return std::any_of(file_.outputs.begin(), file_.outputs.end(),
                       [&](const OnnxValue& output) { return output.name == name; });
  }

  // From the columns of the trees' input to the features of the graph.
  void change_features(TreeEnsemble::Parts& parts) {
    std::vector<FeatureInfo> features;
    for (const OnnxFeature& feature : features_) features.push_back(feature.info);
    std::vector<std::size_t> uses(features.size());
    bool as_they_are = true;
    for (OnnxColumn& column : input_.columns) {
      ++uses[column.source];
      // A tensor of whole numbers has no missing values, one of float holds floats: what comes first.
      const OnnxType type = file_.inputs[features_[column.source].input].type;
      // Rounding is what the trees do anyway.
      const bool only_rounded = input_.type == OnnxType::float32 &&
                                std::all_of(column.steps.begin(), column.steps.end(),
                                            [](const Step& step) { return step.kind == Step::Kind::round; });
      if (only_rounded) column.steps.clear();
      as_they_are = as_they_are && !column.changed() && !features[column.source].categorical && !is_whole(type) &&
                    (type == input_.type || input_.type == OnnxType::float32);
      if (is_whole(type)) {
        column.steps.insert(column.steps.begin(), Step{.kind = Step::Kind::refuse_missing});
      } else if (type == OnnxType::float32) {
        column.steps.insert(column.steps.begin(), Step{.kind = Step::Kind::round, .float32 = true});
      }
    }
    as_they_are = as_they_are && std::all_of(uses.begin(), uses.end(), [](std::size_t count) { return count <= 1; });
    if (as_they_are) return rename_features(parts, std::move(features));
    const std::vector<DerivedColumn> derived = derived_columns(input_, features);
    for (std::size_t column = 0; column < derived.size(); ++column) {
      if (features[derived[column].source].categorical && !derived[column].levels) {
        throw NotExact("its trees split a column of text");
      }
    }
    const Value detail = parts.signature.detail;
    try {
      const TreeEnsemble checked(std::move(parts), where_);
      parts = fold(checked.parts(), std::move(features), derived);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::model) throw;
      throw NotExact(error.message());
    }
    parts.signature.detail = detail;
    folded_ = true;
  }

  void rename_features(TreeEnsemble::Parts& parts, std::vector<FeatureInfo> features) const {
    for (TreeNode& node : parts.nodes) {
      if (!node.is_leaf()) {
        node.feature = static_cast<std::int32_t>(input_.columns.at(static_cast<std::size_t>(node.feature)).source);
      }
    }
    for (std::size_t column = 0; column < parts.signature.features.size(); ++column) {
      const FeatureInfo& split = parts.signature.features[column];
      if (!split.categorical) continue;
      FeatureInfo& feature = features[input_.columns.at(column).source];
      feature.categorical = true;
      feature.levels = split.levels;
      feature.numeric_levels = true;
    }
    parts.signature.features = std::move(features);
  }

  void name_outputs(TreeEnsemble::Parts& parts, const std::vector<std::string>& labels) const {
    Signature& signature = parts.signature;
    const std::size_t count = parts.base.size();
    LoadOptions options = options_;
    if (options.classes.empty() && signature.task == Task::binary) options.classes = labels;
    signature.outputs = output_names(signature, count, options, where_, labels);
  }

  const OnnxFile& file_;
  std::string_view where_;
  const LoadOptions& options_;
  const OnnxNode* tree_ = nullptr;
  std::size_t position_ = 0;
  std::vector<OnnxFeature> features_;
  OnnxColumns input_;  // of the trees
  bool folded_ = false;
};

}  // namespace

Signature describe_onnx(const OnnxFile& file, std::string_view format) {
  Signature signature;
  signature.format = format;
  signature.version = printable(file.producer, 60);
  if (!file.producer_version.empty()) signature.version += " " + printable(file.producer_version, 60);
  Value opsets = Value::object();
  for (const auto& [domain, version] : file.opsets) opsets.set(printable(domain, 60), version);
  Value operators = Value::object();
  std::size_t named = 0;
  for (const auto& [name, count] : file.operators) {
    if (++named <= 100) operators.set(printable(name, 60), count);
  }
  signature.detail.set("ir_version", file.ir_version);
  signature.detail.set("opsets", std::move(opsets));
  signature.detail.set("operators", std::move(operators));
  signature.detail.set("inputs", described(file.inputs));
  signature.detail.set("outputs", described(file.outputs));
  return signature;
}

std::vector<OnnxFeature> onnx_features(const OnnxFile& file, std::string_view where) {
  const auto fail = [&](const OnnxValue& input, const std::string& what) {
    throw Error(ErrorKind::model, printable(where) + ": the input " + printable(input.name, 60) + " " + what,
                marked("give a model whose inputs are a matrix of rows and columns, or one column each, or "
                       "{argument:model} as python:…"));
  };
  if (file.inputs.empty()) {
    throw Error(ErrorKind::model, printable(where) + ": the model has no inputs", "save the model again");
  }
  std::vector<OnnxFeature> features;
  for (std::size_t i = 0; i < file.inputs.size(); ++i) {
    const OnnxValue& input = file.inputs[i];
    if (!input.tensor) fail(input, "is not a tensor");
    const bool text = input.type == OnnxType::text;
    const bool number = is_whole(input.type) || input.type == OnnxType::float32 || input.type == OnnxType::float64 ||
                        input.type == OnnxType::boolean || input.type == OnnxType::float16;
    if (!text && !number) fail(input, "is of " + onnx_type_name(input.type));
    if (input.dims.size() > 2) fail(input, "has " + std::to_string(input.dims.size()) + " dimensions");
    if (input.dims.size() == 2 && input.dims[1] < 0) fail(input, "does not say how many columns it has");
    if (!input.dims.empty() && input.dims[0] > 1)
      fail(input, "takes " + std::to_string(input.dims[0]) + " rows at once");
    const std::int64_t width = input.dims.size() == 2 ? input.dims[1] : 1;
    if (width < 1 || width > most_onnx_columns) fail(input, "has " + std::to_string(width) + " columns");
    const bool alone = file.inputs.size() == 1 && input.dims.size() == 2 && !text;
    if (features.size() + static_cast<std::size_t>(width) > most_onnx_columns) fail(input, "is one column too many");
    for (std::int64_t column = 0; column < width; ++column) {
      OnnxFeature feature{.info = {}, .input = i, .column = static_cast<std::size_t>(column)};
      const std::string number_of = std::to_string(column);
      // A matrix has no names: f0, f1, … says so.
      feature.info.name = alone        ? "f" + number_of
                          : width == 1 ? std::string(input.name)
                                       : std::string(input.name) + "_" + number_of;
      feature.info.categorical = text;
      features.push_back(std::move(feature));
    }
  }
  const std::vector<std::string> names = names_in_metadata(file, features.size());
  for (std::size_t i = 0; i < names.size(); ++i) features[i].info.name = names[i];
  return features;
}

std::unique_ptr<Model> read_onnx_graph(const OnnxFile& file, std::string_view where, const LoadOptions& options) {
  return GraphReader(file, where, options).read();
}

}  // namespace sightglass
