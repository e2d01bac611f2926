#include "sightglass/insight/compared_models.h"

#include <algorithm>

namespace sightglass {

std::vector<std::string> compared_models(const Result& result) {
  const bool compares = std::any_of(result.results.begin(), result.results.end(), [](const ResultItem& item) {
    const auto* figure = item.as<Figure>();
    return figure != nullptr && figure->id.text() == "mean-distance";
  });
  if (!compares) return {};
  std::vector<std::string> names;
  for (const ResultItem& item : result.results) {
    const auto* entry = item.as<Importance>();
    const auto* curve = item.as<Curve>();
    const std::string name = entry != nullptr ? entry->group : curve != nullptr ? curve->series : "";
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names.size() == 2 ? names : std::vector<std::string>{"the first model", "the second model"};
}

}  // namespace sightglass
