// The readers of model files, one per format. Each throws Error(model) that names the file and the spot.
#pragma once

#include <memory>
#include <string_view>

#include "sightglass/model/load.h"

namespace sightglass {

[[nodiscard]] std::unique_ptr<Model> read_lightgbm_text(std::string_view content, std::string_view where,
                                                        const LoadOptions& options);
[[nodiscard]] std::unique_ptr<Model> read_xgboost_json(std::string_view content, std::string_view where,
                                                       const LoadOptions& options);
[[nodiscard]] std::unique_ptr<Model> read_xgboost_ubj(std::string_view content, std::string_view where,
                                                      const LoadOptions& options);

}  // namespace sightglass
