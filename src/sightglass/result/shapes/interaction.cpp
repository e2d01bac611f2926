#include "sightglass/result/shapes/interaction.h"

#include "sightglass/result/fields.h"
#include "sightglass/result/item.h"
#include "sightglass/result/json_node_internal.h"
#include "sightglass/result/shapes/axis.h"
#include "sightglass/result/tidy.h"

namespace sightglass {

void describe_fields(Interaction& entry, Fields& fields) {
  fields.about(
      "How much of the effect of some features is not the sum of what fewer do; of one feature: with all others "
      "together.");
  fields.texts({"features", "", Presence::required}, entry.features, 1);
  fields.check([&](const JsonNode& item) {
    if (entry.features.empty()) item.at("features").fail("at least one feature, please");
  });
  describe_output(entry.output, entry.group, fields);
  fields.number({"h2", "", Presence::required}, entry.h2);
  fields.number({"h", "", Presence::required}, entry.h);
  fields.number({"strength", "In units of the prediction.", Presence::required}, entry.strength);
  fields.optional_number({"se", "Of h2, over samples."}, entry.se);
  fields.object({"details", "What else was measured; free-form."}, entry.details);
}

void tidy_rows(const Interaction& entry, TidyRows& rows) {
  static constexpr std::string_view columns[] = {"feature", "feature_2", "feature_3"};
  rows.row(ranking_table, entry);
  for (std::size_t i = 0; i < entry.features.size() && i < std::size(columns); ++i)
    rows.set(columns[i], entry.features[i]);
  rows.set("h2", entry.h2).set("h", entry.h).set("strength", entry.strength).set("se", entry.se);
  rows.set("details", entry.details);
}

// What is left of single features, each changed alone.
ItemFeatures item_features(const Interaction& entry) {
  ItemFeatures features{FeatureUse::interaction, {}};
  for (const auto& name : entry.features) features.together.push_back({name});
  return features;
}

}  // namespace sightglass
