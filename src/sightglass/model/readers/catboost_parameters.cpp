#include <charconv>

#include "sightglass/model/readers/catboost_internal.h"

namespace sightglass {

JsonBlame catboost_blame(std::string_view where) {
  return {ErrorKind::model, std::string(where),
          "the file is damaged or not CatBoost's own: save it again with model.save_model"};
}

void refuse_catboost_texts(const JsonBlame& blame, std::string_view what) {
  throw Error(ErrorKind::model,
              printable(blame.where) + ": " + std::string(what) +
                  ": CatBoost's features that are texts or embeddings are not supported",
              marked("give {argument:model} as exec:… or python:… meanwhile"));
}

void read_catboost_parameters(const JsonValue& value, CatboostFile& file) {
  if (!value.is_object()) return;
  const JsonObject parameters(value);
  const auto loss_value = parameters.find("loss_function");
  if (!loss_value) return;
  const JsonObject loss(*loss_value);
  file.loss = loss.require("type").text();
  const auto options = loss.find("params");
  if (!options || !options->is_object()) return;
  const JsonObject named(*options);
  if (const auto alphas = named.find("alpha"); alphas && alphas->is_string()) file.alphas = alphas->text();
}

void read_catboost_classes(const JsonValue& value, CatboostFile& file) {
  if (!value.is_object()) return;
  const JsonObject parameters(value);
  const auto names = parameters.find("class_names");
  if (!names || !names->is_array()) return;
  file.classes.clear();
  names->each([&](const JsonValue& item) {
    bool truth = false;
    std::int64_t whole = 0;
    if (item.is_string()) {
      file.classes.emplace_back(item.text());
    } else if (item.element().get(truth) == simdjson::SUCCESS) {
      file.classes.emplace_back(truth ? "True" : "False");
    } else if (item.element().get(whole) == simdjson::SUCCESS) {
      file.classes.push_back(std::to_string(whole));
    } else {
      char text[32];
      file.classes.emplace_back(text, std::to_chars(text, text + sizeof text, item.number()).ptr);
    }
  });
}

std::string catboost_version(std::string_view version_info) {
  // "Branch: tags/v1.2.10"; releases before 1.1 do not say.
  constexpr std::string_view tag = "tags/v";
  const std::size_t at = version_info.find(tag);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = version_info.substr(at + tag.size(), 20);
  return std::string(rest.substr(0, rest.find_first_not_of("0123456789.")));
}

CatboostCtrType catboost_ctr_type(std::string_view name, const JsonBlame& blame) {
  if (name == "Borders") return CatboostCtrType::borders;
  if (name == "Buckets") return CatboostCtrType::buckets;
  if (name == "BinarizedTargetMeanValue") return CatboostCtrType::binarized_mean;
  if (name == "FloatTargetMeanValue") return CatboostCtrType::float_mean;
  if (name == "Counter") return CatboostCtrType::counter;
  if (name == "FeatureFreq") return CatboostCtrType::frequency;
  blame.fail("the CTR type " + printable(name, 40) + " is not known");
}

}  // namespace sightglass
