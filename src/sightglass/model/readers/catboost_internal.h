// What both of CatBoost's formats say in the same words.
#pragma once

#include "sightglass/model/catboost/catboost_file_internal.h"
#include "sightglass/model/readers/json_document_internal.h"

namespace sightglass {

// What is asked of a model's file and written in both formats: loss, classes, version.
[[nodiscard]] JsonBlame catboost_blame(std::string_view where);
void read_catboost_parameters(const JsonValue& parameters, CatboostFile& file);
void read_catboost_classes(const JsonValue& class_parameters, CatboostFile& file);
[[nodiscard]] std::string catboost_version(std::string_view version_info);
[[nodiscard]] CatboostCtrType catboost_ctr_type(std::string_view name, const JsonBlame& blame);
[[noreturn]] void refuse_catboost_texts(const JsonBlame& blame, std::string_view what);

}  // namespace sightglass
