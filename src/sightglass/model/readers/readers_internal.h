// The readers of model files, one per format. Each throws Error(model) that names the file and the spot.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/model/load.h"

namespace sightglass {

// Names of `count` outputs: the user's class names if there are any, else `known` where the file has names, else
// 0, 1, …; a single output is called prediction, or after the second of two classes. Throws Error(usage) if the
// user's names do not fit.
[[nodiscard]] std::vector<std::string> output_names(Signature& signature, std::size_t count, const LoadOptions& options,
                                                    std::string_view where, std::vector<std::string> known = {});

// Throws Error(usage) if the user asks for more rounds than the model has.
void check_rounds(const LoadOptions& options, std::size_t rounds_in_file, std::string_view where);

// Whether it begins as our own files do, whole or not.
[[nodiscard]] bool is_sightglass_model(std::string_view content);
[[nodiscard]] std::unique_ptr<Model> read_sightglass_json(std::string_view content, std::string_view where,
                                                          const LoadOptions& options);
// Whether its first key is one of CatBoost's.
[[nodiscard]] bool is_catboost_json(std::string_view content);
[[nodiscard]] std::unique_ptr<Model> read_catboost_json(std::string_view content, std::string_view where,
                                                        const LoadOptions& options);
[[nodiscard]] std::unique_ptr<Model> read_catboost_cbm(std::string_view content, std::string_view where,
                                                       const LoadOptions& options);
[[nodiscard]] std::unique_ptr<Model> read_lightgbm_text(std::string_view content, std::string_view where,
                                                        const LoadOptions& options);
// Whether it begins as an ONNX file does.
[[nodiscard]] bool is_onnx_model(std::string_view content);
[[nodiscard]] std::unique_ptr<Model> read_onnx(std::string_view content, std::string_view where,
                                               const LoadOptions& options);
[[nodiscard]] std::unique_ptr<Model> read_xgboost_json(std::string_view content, std::string_view where,
                                                       const LoadOptions& options);
[[nodiscard]] std::unique_ptr<Model> read_xgboost_ubj(std::string_view content, std::string_view where,
                                                      const LoadOptions& options);

}  // namespace sightglass
