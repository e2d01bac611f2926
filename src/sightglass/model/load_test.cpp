#include "sightglass/model/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sightglass/base/error.h"

namespace sightglass {
namespace {

using ::testing::HasSubstr;

template <class Run>
std::string failure_of(const Run& run) {
  try {
    run();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::model) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

std::string refusal(const std::string& content) {
  return failure_of([&] { (void)parse_model(content, "m.json"); });
}

TEST(LoadModel, TellsFormatsApartByContent) {
  using namespace std::string_literals;
  EXPECT_THAT(refusal("\x80\x04\x95\x10"s), HasSubstr("pickle is never opened"));
  EXPECT_THAT(refusal("\x78\x9cxyz"s), HasSubstr("joblib"));
  EXPECT_THAT(refusal("{L\0\0\0\0\0\0\0\7learner"s), HasSubstr("not valid UBJ"));
  EXPECT_THAT(refusal("tree\nversion=v4\n"s), HasSubstr("not LightGBM's own text"));
  EXPECT_THAT(refusal("tree\r\nversion=v4\r\n"s), HasSubstr("not LightGBM's own text"));
  EXPECT_THAT(refusal(" {\"version\":[3,2,0]}"s), HasSubstr("no \"learner\""));
  EXPECT_THAT(refusal("CBM1...."s), HasSubstr("is cut off"));
  EXPECT_THAT(refusal("\x08\x0a\x12\x08skl2onnx"s), HasSubstr("has no graph"));
  EXPECT_THAT(refusal("binf\0\0"s), HasSubstr("old binary format"));
  EXPECT_THAT(refusal("PAR1"s), HasSubstr("data, not a model"));
  EXPECT_THAT(refusal("hello"s), HasSubstr("not a model format"));
  EXPECT_THAT(refusal(""s), HasSubstr("is empty"));
  EXPECT_THAT(refusal("[]"s), HasSubstr("a list, not a model"));
  EXPECT_THAT(refusal("{}"s), HasSubstr("no \"learner\""));
  EXPECT_THAT(refusal(R"({"oblivious_trees":[]})"s), HasSubstr("the document lacks features_info"));
  EXPECT_THAT(refusal(R"({"trees":[],"features_info":{}})"s), HasSubstr("not as CatBoost writes it"));
  EXPECT_THAT(refusal(R"({"name":"tree","tree_info":[]})"s), HasSubstr("LightGBM"));
}

TEST(LoadModel, SaysWhyThereIsNoModel) {
  const auto load = [](const std::string& path) { return failure_of([&] { (void)load_model(path); }); };
  EXPECT_THAT(load("/nowhere/model.json"), HasSubstr("…/model.json: there is no such file"));
  EXPECT_THAT(load("/tmp"), HasSubstr("is a directory"));
  EXPECT_THAT(load("/dev/null"), HasSubstr("is not a regular file"));
}

TEST(LoadModel, RefusesAddressesAndOptionsThatDoNotGoTogether) {
  const auto usage = [](const std::string& place, const LoadOptions& options) {
    try {
      (void)load_model(place, options);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(usage("https://me:hush@example.org/model", {}),
              ::testing::StartsWith("https://example.org/model: user and password"));
  EXPECT_THAT(usage("http://127.0.0.1", {.protocol = "soap"}), HasSubstr("it is one of oip"));
  EXPECT_THAT(usage("http://127.0.0.1", {.rounds = 3}), HasSubstr("no rounds"));
  EXPECT_THAT(usage("model.json", {.max_requests = 3}), HasSubstr("are about a server"));
}

}  // namespace
}  // namespace sightglass
