#include "sightglass/model/fingerprint.h"

#include "sightglass/base/digest.h"
#include "sightglass/model/linear_model.h"
#include "sightglass/model/trees/ensemble.h"

namespace sightglass {

namespace {

void add(Digest& digest, const std::vector<std::string>& texts) {
  digest.u64(texts.size());
  for (const std::string& text : texts) digest.text(text);
}

void add(Digest& digest, const std::vector<double>& numbers) {
  digest.u64(numbers.size());
  for (const double number : numbers) digest.f64(number);
}

void add(Digest& digest, const LinkFunction& link) {
  digest.u64(static_cast<std::uint64_t>(link.link)).f64(link.scale);
}

void add(Digest& digest, const Signature& signature) {
  digest.text(signature.format).text(signature.version).text(signature.objective).text(to_string(signature.task));
  digest.u64(signature.features.size());
  for (const FeatureInfo& feature : signature.features) {
    digest.text(feature.name).u64(feature.categorical ? 1 : 0).u64(feature.numeric_levels ? 1 : 0);
    add(digest, feature.levels);
  }
  add(digest, signature.outputs);
  for (const bool flag : {signature.features_known, signature.opaque, signature.has_margin}) digest.u64(flag ? 1 : 0);
}

void add(Digest& digest, const TreeEnsemble::Parts& parts) {
  digest.u64(static_cast<std::uint64_t>(parts.comparison)).f64(parts.divisor);
  add(digest, parts.link);
  for (const bool flag : {parts.float32_sums, parts.unseen_is_missing, parts.refuses_missing, parts.refuses_infinite})
    digest.u64(flag ? 1 : 0);
  for (const auto* numbers : {&parts.base, &parts.covers, &parts.leaf_values}) add(digest, *numbers);
  digest.u64(parts.nodes.size());
  for (const TreeNode& node : parts.nodes) {
    for (const std::int32_t index : {node.left, node.right, node.feature, node.categories, node.leaf})
      digest.u64(static_cast<std::uint64_t>(index));
    digest.f64(node.threshold);
    digest.u64((node.missing_left ? 1U : 0U) + (node.categories_left ? 2U : 0U) + (node.zero_is_missing ? 4U : 0U));
  }
  digest.u64(parts.category_sets.size());
  for (const CategorySet& set : parts.category_sets) {
    digest.u64(set.bits.size());
    for (const std::uint64_t word : set.bits) digest.u64(word);
  }
  digest.u64(parts.trees.size());
  for (const Tree& tree : parts.trees) digest.u64(tree.root).u64(tree.output);
}

void add(Digest& digest, const LinearModel::Parts& parts) {
  add(digest, parts.link);
  digest.u64(parts.float32_sums ? 1 : 0);
  for (const auto* numbers : {&parts.base, &parts.bias, &parts.weights}) add(digest, *numbers);
}

}  // namespace

std::string fingerprint(const Model& model) {
  Digest digest;
  add(digest, model.signature());
  if (const TreeEnsemble* trees = model.trees()) add(digest, trees->parts());
  if (const auto* linear = dynamic_cast<const LinearModel*>(&model)) add(digest, linear->parts());
  return digest.hex();
}

std::string fingerprint(const Schema& schema) {
  Digest digest;
  digest.u64(schema.size());
  for (const ColumnInfo& column : schema.columns()) {
    digest.text(column.name).text(to_string(column.type)).text(column.unit);
    if (column.dictionary == nullptr) continue;
    digest.u64(column.dictionary->ordered() ? 1 : 0);
    add(digest, column.dictionary->levels());
  }
  return digest.hex();
}

}  // namespace sightglass
