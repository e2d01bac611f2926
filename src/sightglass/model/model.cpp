#include "sightglass/model/model.h"

namespace sightglass {

std::string_view to_string(Scale scale) { return scale == Scale::response ? "response" : "margin"; }

std::string_view to_string(Task task) {
  switch (task) {
    case Task::regression: return "regression";
    case Task::binary: return "binary";
    case Task::multiclass: return "multiclass";
  }
  return "regression";
}

const std::vector<std::string>& BoundModel::notes() const {
  static const std::vector<std::string> none;
  return none;
}

void Model::prepare(const Source& /*source*/, std::span<const std::uint32_t> /*excluded*/, Context& /*context*/) {}

}  // namespace sightglass
