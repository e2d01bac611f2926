// Model files of our own, as `fit` writes them, of structures that no learner has found.
#pragma once

#include <memory>
#include <string>

#include "sightglass/model/learned/model_file.h"
#include "sightglass/model/learned/structure.h"
#include "sightglass/model/load.h"
#include "sightglass/result/json.h"

namespace sightglass::testing {

inline Value learned_members(const Signature& signature, Link link, const Structure& structure) {
  const std::string name = link == Link::identity   ? "identity"
                           : link == Link::logistic ? "logit"
                           : link == Link::softmax  ? "softmax"
                                                    : "log";
  Value features = Value::array();
  for (const FeatureInfo& feature : signature.features) {
    Value entry = Value::object({{"name", feature.name}});
    if (feature.categorical) entry.set("levels", feature.levels);
    features.push_back(std::move(entry));
  }
  return Value::object({{"kind", signature.objective},
                        {"version", signature.version},
                        {"task", std::string(to_string(signature.task))},
                        {"outputs", signature.outputs},
                        {"link", name},
                        {"features", std::move(features)},
                        {"structure", to_value(structure)},
                        {"fitted", Value::object({{"target", "y"}, {"training_rows", 10}})}});
}

inline std::string learned_file(const Signature& signature, Link link, const Structure& structure) {
  return seal_model_file(to_json(learned_members(signature, link, structure)));
}

inline std::unique_ptr<Model> read_learned(const std::string& file) { return parse_model(file, "made.json"); }

}  // namespace sightglass::testing
