#include "sightglass/model/fingerprint.h"

#include "sightglass/base/digest.h"
#include "sightglass/model/category_hashes.h"

namespace sightglass {

namespace {

void add(Digest& digest, const Signature& signature) {
  digest.text(signature.format).text(signature.version).text(signature.objective).text(to_string(signature.task));
  digest.u64(signature.features.size());
  for (const FeatureInfo& feature : signature.features) {
    digest.text(feature.name).u64(feature.categorical ? 1 : 0).u64(feature.numeric_levels ? 1 : 0);
    digest.texts(feature.levels);
    if (feature.hashes) feature.hashes->add_to(digest);
  }
  digest.texts(signature.outputs);
  for (const bool flag : {signature.features_known, signature.opaque, signature.has_margin}) digest.u64(flag ? 1 : 0);
}

}  // namespace

std::string fingerprint(const Model& model) {
  Digest digest;
  add(digest, model.signature());
  model.add_to(digest);
  return digest.hex();
}

std::string fingerprint(const Schema& schema) {
  Digest digest;
  digest.u64(schema.size());
  for (const ColumnInfo& column : schema.columns()) {
    digest.text(column.name).text(to_string(column.type)).text(column.unit);
    // Parts of the rows may tell time less finely than all of them.
    if (column.dates) digest.text(date_units[static_cast<std::size_t>(column.dates.unit)]);
    if (column.dictionary == nullptr) continue;
    digest.u64(column.dictionary->ordered() ? 1 : 0);
    digest.texts(column.dictionary->levels());
  }
  return digest.hex();
}

}  // namespace sightglass
