#include "sightglass/render/example_titles.h"

#include "sightglass/base/error.h"

namespace sightglass {

std::string model_title(const Examples& item, std::size_t model) {
  const Value* names = item.details.find("models");
  const bool told = names != nullptr && names->is_array() && names->as_array().size() == 2;
  if (!told || !names->as_array()[model].is_string()) return model == 0 ? "prediction" : "other model";
  return printable(names->as_array()[model].as_string(), 40);
}

std::string measure_title(const Examples& item, std::size_t limit) {
  const bool two = item.details.find("models") != nullptr && !item.rows.empty() && item.rows[0].other_prediction;
  if (two && item.rows[0].predicted_class.empty()) return model_title(item, 1) + " minus " + model_title(item, 0);
  return item.measure.empty() ? "score" : printable(item.measure, limit);
}

}  // namespace sightglass
