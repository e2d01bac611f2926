#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "formats/fixture.h"
#include "sightglass/base/error.h"
#include "sightglass/data/table.h"
#include "sightglass/model/category_hashes.h"
#include "sightglass/model/inspect.h"
#include "sightglass/model/load.h"
#include "sightglass/model/model_categories.h"
#include "sightglass/model/trees/ensemble.h"

namespace sightglass {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace fixtures = ::sightglass::testing;

constexpr double infinity = std::numeric_limits<double>::infinity();

// One symmetric tree of two levels: x > 0.5 is bit 0, colour is red bit 1. Leaves 1, 2, 4, 8; scale 2, bias 10.
std::string catboost_json(const std::string& more_info = R"("params":{"loss_function":{"type":"RMSE","params":{}}})") {
  return R"({"model_info":{)" + more_info + R"(},"features_info":{"float_features":[{"feature_index":0,
    "flat_feature_index":1,"feature_id":"x","has_nans":true,"nan_value_treatment":"AsTrue","borders":[0.5]}],
    "categorical_features":[{"feature_index":0,"flat_feature_index":0,"feature_id":"colour","values":[)" +
         std::to_string(static_cast<std::int32_t>(category_hash("red"))) +
         R"(]}]},"oblivious_trees":[{"splits":[{"split_index":0},{"split_index":1}],"leaf_values":[1,2,4,8],
    "leaf_weights":[3,0,1,2]}],"scale_and_bias":[2,[10]]})";
}

std::string edited(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string refusal(const std::string& content, const LoadOptions& options = {}) {
  try {
    (void)parse_model(content, "m", options);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::model) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

Table table_of(const std::vector<std::string>& colours, const std::vector<double>& x) {
  std::vector<std::string> levels;
  std::vector<std::int32_t> codes;
  for (const std::string& colour : colours) {
    const auto at = std::find(levels.begin(), levels.end(), colour);
    codes.push_back(colour.empty() ? -1 : static_cast<std::int32_t>(at - levels.begin()));
    if (at == levels.end() && !colour.empty()) levels.push_back(colour);
  }
  const auto dictionary = std::make_shared<Dictionary>(levels);
  return Table(Schema({{.name = "x"}, {.name = "colour", .type = DType::categorical, .dictionary = dictionary}}),
               {column_of(x), column_of(codes, dictionary.get())});
}

std::vector<double> predictions(const Model& model, const Table& table, Scale scale = Scale::response) {
  const Matrix out = fixtures::predict_table(model, table, scale, Arithmetic::framework);
  return {out.span().data(), out.span().data() + out.rows() * out.columns()};
}

TEST(CatboostJson, PredictsASymmetricTree) {
  const auto model = parse_model(catboost_json(), "m");
  const Table table = table_of({"blue", "blue", "red", "red", "green", "red", "blue"},
                               {0.5, std::nextafter(0.5, 1), -infinity, infinity, 0.50001, NAN, NAN});
  // The double beside 0.5 is 0.5 as float32; missing values go right (AsTrue).
  EXPECT_THAT(predictions(*model, table), ElementsAre(12, 12, 18, 26, 14, 26, 14));
  const Signature& signature = model->signature();
  EXPECT_EQ(signature.format, "catboost-json");
  EXPECT_EQ(signature.objective, "RMSE");
  EXPECT_EQ(signature.features[0].name, "colour");
  EXPECT_TRUE(signature.features[0].categorical);
  EXPECT_EQ(signature.features[1].name, "x");
  const auto& parts = model->trees()->parts();
  EXPECT_EQ(parts.covers[parts.trees[0].root], 6);
}

TEST(CatboostJson, NamesTheLevelsItHasNeverSeen) {
  const auto model = parse_model(catboost_json(), "m");
  const auto bound = model->bind(table_of({"blue", "red"}, {0, 0}).schema());
  ASSERT_EQ(bound->notes().size(), 1U);
  EXPECT_THAT(bound->notes()[0].levels, ElementsAre("blue"));
  EXPECT_THROW((void)model->bind(table_of({"blue", "pink"}, {0, 0}).schema()), Error);
}

TEST(CatboostJson, RefusesMissingCategoriesAndFractions) {
  const auto model = parse_model(catboost_json(), "m");
  const auto failure = [&](const Table& table) -> std::string {
    try {
      (void)predictions(*model, with_model_categories(table, model->signature(), {}));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::data);
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(failure(table_of({"red", "blue"}, {0, 1})), "");
  EXPECT_THAT(failure(table_of({"red", ""}, {0, 1})), HasSubstr("colour is missing, which this model refuses"));
  const Table fractions(Schema({{.name = "x"}, {.name = "colour"}}), {column_of({0, 1}), column_of({1, 2.5})});
  EXPECT_THAT(failure(fractions), HasSubstr("column colour holds fractions (2.5)"));
}

TEST(CatboostJson, NumbersAreCalledByTheirDigits) {
  const std::string seven = std::to_string(static_cast<std::int32_t>(category_hash("7")));
  const std::string red = std::to_string(static_cast<std::int32_t>(category_hash("red")));
  const auto model = parse_model(edited(catboost_json(), red, seven), "m");
  const Table plain(Schema({{.name = "x"}, {.name = "colour"}}), {column_of({0, 0}), column_of({7, 8})});
  EXPECT_THAT(predictions(*model, plain), ElementsAre(18, 12));
  EXPECT_THAT(predictions(*model, with_model_categories(plain, model->signature(), {})), ElementsAre(18, 12));
}

TEST(CatboostJson, ClassesAndLinks) {
  const std::string loss = R"("params":{"loss_function":{"type":"Logloss"}},"class_params":{"class_names":)";
  const Table table = table_of({"red"}, {0});
  const double margin = 18;
  for (const auto& [names, classes] : std::map<std::string, std::vector<std::string>>{
           {R"(["no","yes"])", {"no", "yes"}}, {"[false,true]", {"False", "True"}}, {"[0,1]", {"0", "1"}}}) {
    const auto model = parse_model(catboost_json(loss + names + "}"), "m");
    EXPECT_EQ(model->signature().task, Task::binary);
    EXPECT_EQ(model->signature().other_class, classes[0]);
    EXPECT_THAT(model->signature().outputs, ElementsAre(classes[1]));
    EXPECT_THAT(predictions(*model, table), ElementsAre(1 / (1 + std::exp(-margin))));
    EXPECT_THAT(predictions(*model, table, Scale::margin), ElementsAre(margin));
  }
  const auto poisson = parse_model(catboost_json(R"("params":{"loss_function":{"type":"Poisson"}})"), "m");
  EXPECT_THAT(predictions(*poisson, table), ElementsAre(std::exp(margin)));
  const auto unnamed = parse_model(catboost_json(R"("train":"none")"), "m");
  EXPECT_THAT(predictions(*unnamed, table), ElementsAre(margin));
  EXPECT_THAT(unnamed->signature().notes, ElementsAre(HasSubstr("does not name its loss")));
}

TEST(CatboostJson, RoundsAreTrees) {
  const std::string two = edited(catboost_json(), R"("oblivious_trees":[)",
                                 R"("oblivious_trees":[{"splits":[],"leaf_values":[0.5],"leaf_weights":[6]},)");
  const Table table = table_of({"red"}, {0});
  EXPECT_THAT(predictions(*parse_model(two, "m"), table), ElementsAre(19));
  EXPECT_THAT(predictions(*parse_model(two, "m", {.rounds = 1}), table), ElementsAre(11));
  EXPECT_THROW((void)parse_model(two, "m", {.rounds = 3}), Error);
}

TEST(CatboostJson, ErrorsNameTheSpot) {
  const std::string good = catboost_json();
  EXPECT_THAT(refusal(edited(good, "\"split_index\":1", "\"split_index\":9")), HasSubstr("tree 0"));
  EXPECT_THAT(refusal(edited(good, "\"split_index\":1", "\"split_index\":-1")), HasSubstr("split_index is -1"));
  EXPECT_THAT(refusal(edited(good, "[1,2,4,8]", "[1,2,4]")), HasSubstr("has 3 items for 4 leaves"));
  EXPECT_THAT(refusal(edited(good, "[1,2,4,8]", "[]")), HasSubstr("has 0 items for 4 leaves"));
  EXPECT_THAT(refusal(edited(good, "[3,0,1,2]", "[3]")), HasSubstr("leaf_weights should have 4 items"));
  EXPECT_THAT(refusal(edited(good, "\"AsTrue\"", "\"AsIfs\"")), HasSubstr("AsIfs, which is not known"));
  EXPECT_THAT(refusal(edited(good, "[0.5]", "[0.5,0.25]")), HasSubstr("not ascending"));
  EXPECT_THAT(refusal(edited(good, "\"flat_feature_index\":1", "\"flat_feature_index\":0")), HasSubstr("same place"));
  EXPECT_THAT(refusal(edited(good, "[2,[10]]", "[2,[10,11]]")), HasSubstr("2 biases for 1 outputs"));
  EXPECT_THAT(refusal(edited(good, "RMSE", "Newest")), HasSubstr("unsupported loss Newest"));
  EXPECT_THAT(refusal(edited(good, "\"split_index\":1", "\"split_type\":\"EstimatedFeature\"")),
              HasSubstr("texts or embeddings"));
  EXPECT_THAT(refusal(edited(good, "\"feature_id\":\"x\"", "\"feature_id\":\"colour\"")),
              HasSubstr("two features called"));
}

TEST(CatboostCbm, TextsAndEmbeddingsAreRefusedByName) {
  for (const char* name : {"refused_text.cbm", "refused_embedding.cbm"}) {
    EXPECT_THAT(refusal(fixtures::read_bytes(fixtures::formats_folder("catboost") / name)),
                HasSubstr("texts or embeddings are not supported"));
  }
}

class DamagedCatboost : public ::testing::TestWithParam<const char*> {
 protected:
  [[nodiscard]] static std::string content() {
    return fixtures::read_bytes(fixtures::formats_folder("catboost") / GetParam());
  }
};

TEST_P(DamagedCatboost, EveryTruncationIsAnError) {
  const std::string whole = content();
  const std::size_t step = std::max<std::size_t>(1, whole.size() / 700);
  for (std::size_t size = 4; size + 1 < whole.size(); size += step) {
    EXPECT_THROW((void)parse_model(whole.substr(0, size), "m"), Error) << size << " bytes";
  }
}

TEST_P(DamagedCatboost, FlippedBytesGiveAModelOrAnError) {
  const std::string whole = content();
  std::uint64_t random = 7;
  std::size_t accepted = 0;
  for (int round = 0; round < 1500; ++round) {
    std::string damaged = whole;
    random = fixtures::splitmix64(random);
    damaged[random % whole.size()] = static_cast<char>(random >> 56);
    try {
      const auto model = parse_model(damaged, "m");
      ++accepted;
      EXPECT_FALSE(model->signature().outputs.empty());
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::model) << error.what();
    }
  }
  EXPECT_GT(accepted, 0U);
}

INSTANTIATE_TEST_SUITE_P(Formats, DamagedCatboost,
                         ::testing::Values("ctrs.cbm", "ctrs.json", "combined_by_node.cbm", "combined_by_node.json",
                                           "multiclass.cbm"),
                         [](const auto& file) {
                           std::string name = file.param;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

}  // namespace
}  // namespace sightglass
