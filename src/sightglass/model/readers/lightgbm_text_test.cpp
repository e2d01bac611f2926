#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>

#include "formats/fixture.h"
#include "sightglass/base/error.h"
#include "sightglass/model/load.h"
#include "sightglass/model/trees/ensemble.h"

namespace sightglass {
namespace {

using ::testing::ElementsAre;
using testing::fixture_names;
using testing::formats_folder;
using ::testing::HasSubstr;
using testing::predict_table;
using testing::read_bytes;
using testing::read_fixture;

std::string file(const std::string& name) { return (formats_folder("lightgbm") / (name + ".txt")).string(); }

std::size_t differences(const Matrix& got, const Matrix& wanted) {
  std::size_t different = 0;
  for (std::size_t row = 0; row < wanted.rows(); ++row) {
    for (std::size_t k = 0; k < wanted.columns(); ++k) {
      if (std::bit_cast<std::uint64_t>(got(row, k)) == std::bit_cast<std::uint64_t>(wanted(row, k))) continue;
      if (different++ < 5) {
        ADD_FAILURE() << "row " << row << ", output " << k << ": " << got(row, k) << " instead of " << wanted(row, k);
      }
    }
  }
  return different;
}

class LightgbmFixture : public ::testing::TestWithParam<std::string> {};

TEST_P(LightgbmFixture, PredictsWhatLightgbmPredicts) {
  const auto fixture = read_fixture("lightgbm", GetParam());
  const auto model = load_model(file(GetParam()));
  const Matrix margin = predict_table(*model, fixture.table, Scale::margin, Arithmetic::framework);
  ASSERT_EQ(margin.rows(), fixture.margin.rows());
  ASSERT_EQ(margin.columns(), fixture.margin.columns());
  ASSERT_EQ(fixture.tolerance, 0) << "LightGBM adds doubles in the order of the trees";
  EXPECT_EQ(differences(margin, fixture.margin), 0U) << "margins must agree bit for bit";
  // LightGBM computes in double: there is only one arithmetic.
  EXPECT_EQ(differences(predict_table(*model, fixture.table, Scale::margin, Arithmetic::exact), fixture.margin), 0U);
  const Matrix response = predict_table(*model, fixture.table, Scale::response, Arithmetic::framework);
  const auto relative = fixture.expected.at("response_tolerance").get<double>();
  for (std::size_t row = 0; row < fixture.response.rows(); ++row) {
    for (std::size_t k = 0; k < response.columns(); ++k) {
      const double wanted = fixture.response(row, k);
      ASSERT_NEAR(response(row, k), wanted, relative * std::abs(wanted)) << "row " << row;
    }
  }
}

TEST(LightgbmFixtures, AreThere) { EXPECT_GE(fixture_names("lightgbm").size(), 60U); }

INSTANTIATE_TEST_SUITE_P(Formats, LightgbmFixture, ::testing::ValuesIn(fixture_names("lightgbm")),
                         [](const auto& fixture) { return fixture.param; });

// Tree 0: x <= 2 ? 1 : (colour in {1, 34} ? 20 : 10), missing x goes left; tree 1: a bare leaf of 0.5.
const std::string two_trees = R"(tree
version=v4
num_class=1
num_tree_per_iteration=1
label_index=0
max_feature_idx=1
objective=regression
feature_names=x colour
feature_infos=[0:9] 0:1:34
tree_sizes=111 222

Tree=0
num_leaves=3
num_cat=1
split_feature=0 1
split_gain=5 3
threshold=2 0
decision_type=10 1
left_child=-1 -2
right_child=1 -3
leaf_value=1 20 10
leaf_weight=4 2 3
leaf_count=4 2 3
internal_value=1 2
internal_weight=9 5
internal_count=9 5
cat_boundaries=0 2
cat_threshold=2 4
is_linear=0
shrinkage=1


Tree=1
num_leaves=1
num_cat=0
split_feature=
split_gain=
threshold=
decision_type=
left_child=
right_child=
leaf_value=0.5
leaf_weight=
leaf_count=
internal_value=
internal_weight=
internal_count=
is_linear=0
shrinkage=0.1


end of trees

feature_importances:
x=1
colour=1

parameters:
[boosting: gbdt]
[objective: regression]
[categorical_feature: 1]

end of parameters

pandas_categorical:null
)";

std::string changed(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

std::vector<double> predictions(const Model& model, std::vector<double> x, std::vector<double> colour) {
  const Table table(Schema({{.name = "x"}, {.name = "colour"}}),
                    {column_of(std::move(x)), column_of(std::move(colour))});
  const Matrix out = predict_table(model, table, Scale::response, Arithmetic::exact);
  std::vector<double> values;
  for (std::size_t row = 0; row < out.rows(); ++row) values.push_back(out(row, 0));
  return values;
}

TEST(LightgbmText, TwoTreesByHand) {
  const auto model = parse_model(two_trees, "two.txt");
  const Signature& signature = model->signature();
  EXPECT_EQ(signature.format, "lightgbm-text");
  EXPECT_EQ(signature.version, "v4");
  EXPECT_EQ(signature.objective, "regression");
  EXPECT_FALSE(signature.has_margin);
  EXPECT_THAT(signature.outputs, ElementsAre("prediction"));
  EXPECT_FALSE(signature.features[0].categorical);
  EXPECT_TRUE(signature.features[1].categorical);
  EXPECT_EQ(signature.detail.find("rounds")->as_integer(), 2);
  EXPECT_EQ(signature.detail.find("boosting")->as_string(), "gbdt");
  EXPECT_EQ(signature.detail.find("leaves")->as_integer(), 4);
  // Rows that passed: splits, then leaves; a bare leaf of older versions has none.
  EXPECT_THAT(model->trees()->parts().covers, ElementsAre(9, 5, 4, 2, 3, 0));
  EXPECT_THAT(predictions(*model, {2, std::nextafter(2.0, 3.0), NAN, -INFINITY, INFINITY}, {0, 0, 0, 0, 0}),
              ElementsAre(1.5, 10.5, 1.5, 1.5, 10.5));
  const std::vector<double> codes = {1,  34, 1.9, 34.5, 0,   -0.5,         -1,  2,
                                     33, 35, 63,  64,   1e9, 4294967297.0, NAN, INFINITY};
  const std::vector<double> threes(codes.size(), 3);
  EXPECT_THAT(predictions(*model, threes, codes), ElementsAre(20.5, 20.5, 20.5, 20.5, 10.5, 10.5, 10.5, 10.5, 10.5,
                                                              10.5, 10.5, 10.5, 10.5, 10.5, 10.5, 10.5));
}

TEST(LightgbmText, ACodeBetweenMinusOneAndZeroIsCategoryZero) {
  const auto model = parse_model(changed(two_trees, "cat_threshold=2 4", "cat_threshold=1 0"), "m.txt");
  EXPECT_THAT(predictions(*model, {3, 3, 3, 3, 3}, {0, -0.5, -0.999, -1, 1}),
              ElementsAre(20.5, 20.5, 20.5, 10.5, 10.5));
}

TEST(LightgbmText, TheThreeRulesForMissingValues) {
  // decision_type: rule << 2 | default left << 1. The file's threshold is 2; 0 is left of it.
  const auto with = [](const std::string& kind, const std::string& threshold) {
    std::string text = changed(two_trees, "decision_type=10 1", "decision_type=" + kind + " 1");
    return parse_model(changed(text, "threshold=2 0", "threshold=" + threshold + " 0"), "m.txt");
  };
  const std::vector<double> x = {NAN, 0, -0.0, 1e-36, -1e-36, 3};
  const std::vector<double> colour(x.size(), 0);
  // None: NaN counts as 0, whatever the default direction says.
  for (const char* kind : {"0", "2"}) {
    EXPECT_THAT(predictions(*with(kind, "2"), x, colour), ElementsAre(1.5, 1.5, 1.5, 1.5, 1.5, 10.5));
    EXPECT_THAT(predictions(*with(kind, "-2"), x, colour), ElementsAre(10.5, 10.5, 10.5, 10.5, 10.5, 10.5));
  }
  // Zero: all that is nearly zero goes where NaN goes.
  EXPECT_THAT(predictions(*with("4", "2"), x, colour), ElementsAre(10.5, 10.5, 10.5, 10.5, 10.5, 10.5));
  EXPECT_THAT(predictions(*with("6", "-2"), x, colour), ElementsAre(1.5, 1.5, 1.5, 1.5, 1.5, 10.5));
  // NaN: only NaN.
  EXPECT_THAT(predictions(*with("8", "2"), x, colour), ElementsAre(10.5, 1.5, 1.5, 1.5, 1.5, 10.5));
  EXPECT_THAT(predictions(*with("10", "-2"), x, colour), ElementsAre(1.5, 10.5, 10.5, 10.5, 10.5, 10.5));
}

TEST(LightgbmText, NearlyZeroIsZeroToThresholdsInThere) {
  const double tiny = static_cast<double>(1e-35F);
  const std::vector<double> x = {-1,   std::nextafter(-tiny, -1.0), -tiny, -1e-36, 0, 1e-36,
                                 tiny, std::nextafter(tiny, 1.0)};
  const std::vector<double> colour(x.size(), 0);
  for (const char* threshold : {"0", "-0", "1e-36", "1.0000000180025095e-35"}) {
    const auto model =
        parse_model(changed(two_trees, "threshold=2 0", std::string("threshold=") + threshold + " 0"), "m");
    EXPECT_THAT(predictions(*model, x, colour), ElementsAre(1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 10.5)) << threshold;
  }
  for (const char* threshold : {"-1e-36", "-1.0000000180025095e-35"}) {
    const auto model =
        parse_model(changed(two_trees, "threshold=2 0", std::string("threshold=") + threshold + " 0"), "m");
    EXPECT_THAT(predictions(*model, x, colour), ElementsAre(1.5, 1.5, 10.5, 10.5, 10.5, 10.5, 10.5, 10.5)) << threshold;
  }
}

TEST(LightgbmText, ThresholdsMayBeInfinite) {
  const std::vector<double> x = {-INFINITY, -1.7e308, 0, 1.7e308, INFINITY, NAN};
  const std::vector<double> colour(x.size(), 0);
  std::string text = changed(two_trees, "decision_type=10 1", "decision_type=8 1");
  EXPECT_THAT(predictions(*parse_model(changed(text, "threshold=2 0", "threshold=inf 0"), "m.txt"), x, colour),
              ElementsAre(1.5, 1.5, 1.5, 1.5, 1.5, 10.5));
  EXPECT_THAT(predictions(*parse_model(changed(text, "threshold=2 0", "threshold=-inf 0"), "m.txt"), x, colour),
              ElementsAre(1.5, 10.5, 10.5, 10.5, 10.5, 10.5));
}

TEST(LightgbmText, LineEndsOfWindows) {
  std::string text;
  for (const char letter : two_trees) text += letter == '\n' ? std::string("\r\n") : std::string(1, letter);
  EXPECT_THAT(predictions(*parse_model(text, "two.txt"), {2, 3}, {0, 34}), ElementsAre(1.5, 20.5));
}

TEST(LightgbmText, ClassesNameTheOutputs) {
  const std::string binary = changed(two_trees, "objective=regression", "objective=binary sigmoid:2");
  const auto named = parse_model(binary, "b.txt", {.classes = {"no", "yes"}});
  EXPECT_THAT(named->signature().outputs, ElementsAre("yes"));
  EXPECT_EQ(named->signature().task, Task::binary);
  EXPECT_EQ(named->trees()->parts().link.scale, 2);
  EXPECT_THROW((void)parse_model(binary, "b.txt", {.classes = {"a", "b", "c"}}), Error);
  EXPECT_THROW((void)parse_model(two_trees, "r.txt", {.classes = {"a", "b"}}), Error);
  const auto classes = load_model(file("multiclass"), {.classes = {"a", "b", "c"}});
  EXPECT_THAT(classes->signature().outputs, ElementsAre("a", "b", "c"));
  EXPECT_EQ(load_model(file("multiclassova"))->signature().task, Task::multiclass);
  EXPECT_THAT(load_model(file("custom_classes"))->signature().outputs, ElementsAre("0", "1", "2"));
  EXPECT_EQ(load_model(file("custom_classes"))->signature().objective, "custom");
}

TEST(LightgbmText, OnlyTheFirstRounds) {
  // The file with all rounds, cut to the best, predicts what the file with only the best does.
  const auto best = read_fixture("lightgbm", "early_best");
  const auto expected_rounds = load_model(file("early_best"))->signature().detail.find("rounds")->as_integer();
  const auto cut = load_model(file("early_all"), {.rounds = static_cast<std::uint64_t>(expected_rounds)});
  EXPECT_EQ(differences(predict_table(*cut, best.table, Scale::margin, Arithmetic::framework), best.margin), 0U);
  EXPECT_EQ(cut->signature().detail.find("rounds")->as_integer(), expected_rounds);
  EXPECT_GT(cut->signature().detail.find("rounds_in_file")->as_integer(), expected_rounds);
  // A forest's mean is over the rounds that are used.
  EXPECT_EQ(load_model(file("rf"), {.rounds = 2})->trees()->parts().divisor, 2);
  EXPECT_EQ(load_model(file("rf"))->trees()->parts().divisor, 6);
  EXPECT_EQ(load_model(file("multiclass"), {.rounds = 2})->trees()->parts().trees.size(), 6U);
  EXPECT_THROW((void)load_model(file("rf"), {.rounds = 7}), Error);
}

TEST(LightgbmText, CategoriesOfPandasAreMatchedByValue) {
  const auto model = load_model(file("categories"));
  const auto& features = model->signature().features;
  EXPECT_THAT(features[1].levels, ElementsAre("clear", "mist", "rain", "snow", "é \"b,c"));
  EXPECT_THAT(features[2].levels, ElementsAre("-5", "2", "30", "100"));
  EXPECT_THAT(features[3].levels, ElementsAre("one"));  // constant: only the parameters say that it is categorical
  EXPECT_THAT(features[4].levels, ElementsAre("-0.25", "1.5", "2"));
  EXPECT_THAT(features[5].levels, ElementsAre("false", "true"));
  EXPECT_FALSE(features[6].categorical);
  const std::string named = changed(
      two_trees, "pandas_categorical:null", "pandas_categorical:[[" + [] {
        std::string levels;
        for (int i = 0; i < 35; ++i) levels += (i == 0 ? "" : ", ") + std::to_string(i * 10);
        return levels;
      }() + "]]");
  EXPECT_THAT(predictions(*parse_model(named, "m.txt"), {3, 3, 3, 3, 3, 3}, {10, 340, 1, 34, 20, NAN}),
              ElementsAre(20.5, 20.5, 10.5, 10.5, 10.5, 10.5));
}

TEST(LightgbmText, TruthValuesMeetTheirCategories) {
  std::string text = changed(two_trees, "pandas_categorical:null", "pandas_categorical:[[false, true]]");
  text = changed(changed(text, "0:1:34", "0:1"), "cat_threshold=2 4", "cat_threshold=2 0");
  const auto model = parse_model(text, "m.txt");
  const std::uint8_t truth[] = {0, 1};
  const Table table(Schema({{.name = "x"}, {.name = "colour", .type = DType::boolean}}),
                    {column_of({3, 3}), {.view = view_of(std::span<const std::uint8_t>(truth), DType::boolean)}});
  const Matrix out = predict_table(*model, table, Scale::margin, Arithmetic::exact);
  EXPECT_EQ(out(0, 0), 10.5);
  EXPECT_EQ(out(1, 0), 20.5);
}

TEST(LightgbmText, ColumnsWithoutNamesGoByPosition) {
  const std::string text = changed(two_trees, "feature_names=x colour", "feature_names=Column_0 Column_1");
  const auto model = parse_model(text, "m.txt");
  EXPECT_THAT(predictions(*model, {2, 3}, {0, 34}), ElementsAre(1.5, 20.5));
  const Schema three({{.name = "a"}, {.name = "b"}, {.name = "c"}});
  EXPECT_THROW((void)model->bind(three), Error);
}

TEST(LightgbmText, BlanksInNamesAreUnderscoresToLightgbm) {
  const auto model = parse_model(changed(two_trees, "feature_names=x colour", "feature_names=x_1 the_colour"), "m.txt");
  const auto bound = model->bind(Schema({{.name = "the colour"}, {.name = "x_1"}, {.name = "x 1"}}));
  EXPECT_THAT(bound->columns(), ElementsAre(1, 0));
  ASSERT_EQ(bound->notes().size(), 2U);
  EXPECT_THAT(bound->notes()[0].message, HasSubstr("x_1 may have been the column x 1"));
  EXPECT_THAT(bound->notes()[1].message, HasSubstr("the colour"));
  EXPECT_THROW((void)model->bind(Schema({{.name = "the colour"}, {.name = "the_ colour"}, {.name = "x"}})), Error);
}

std::string failure_of(const std::function<void()>& run) {
  try {
    run();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::model) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

std::string refusal(const std::string& from, const std::string& to) {
  return failure_of([&] { (void)parse_model(changed(two_trees, from, to), "m.txt"); });
}

TEST(LightgbmText, RefusesWithAReason) {
  EXPECT_THAT(failure_of([] { (void)load_model(file("refused_linear")); }), HasSubstr("tree 0, the tree is linear"));
  EXPECT_THAT(failure_of([] { (void)load_model(file("refused_ordered")); }),
              HasSubstr("the categories of 1 columns, but 0 features are categorical"));
  EXPECT_THAT(failure_of([] { (void)parse_model(R"({"name":"tree","version":"v4","tree_info":[]})", "m.json"); }),
              HasSubstr("JSON dump of a LightGBM model"));
  EXPECT_THAT(refusal("version=v4", "version=v5"), HasSubstr("line 2: version v5"));
  EXPECT_THAT(refusal("objective=regression", "objective=mystery"), HasSubstr("line 7: unsupported objective mystery"));
  EXPECT_THAT(refusal("shrinkage=1", "shrinkages=1"), HasSubstr("line 30: tree 0, the key shrinkages is not known"));
  EXPECT_THAT(refusal("label_index=0", "labels=0"), HasSubstr("line 5: the key labels is not known"));
}

TEST(LightgbmText, RefusesOldForestsWhoseLeavesMayMeanTwoThings) {
  const std::string old = changed(two_trees, "version=v4", "version=v2");
  const std::string forest = changed(old, "feature_infos", "average_output\nfeature_infos");
  EXPECT_EQ(parse_model(forest, "m.txt")->trees()->parts().divisor, 2);
  const std::string binary = changed(forest, "objective=regression", "objective=binary sigmoid:1");
  EXPECT_THAT(failure_of([&] { (void)parse_model(binary, "m.txt"); }), HasSubstr("whether its leaves are margins"));
}

TEST(LightgbmText, RefusesDamagedHeaders) {
  EXPECT_THAT(refusal("num_class=1\n", ""), HasSubstr("lacks num_class"));
  EXPECT_THAT(refusal("num_class=1", "num_class=0"), HasSubstr("num_class is 0, expected 1"));
  EXPECT_THAT(refusal("num_class=1", "num_class=1000000000"), HasSubstr("num_class is 1000000000"));
  EXPECT_THAT(refusal("num_class=1", "num_class=one"), HasSubstr("line 3: num_class is not a whole number: one"));
  EXPECT_THAT(refusal("num_class=1", "num_class=2"), HasSubstr("which does not fit objective regression"));
  EXPECT_THAT(refusal("num_tree_per_iteration=1", "num_tree_per_iteration=2"), HasSubstr("is not num_class (1)"));
  EXPECT_THAT(refusal("num_class=1", "num_class=1\nnum_class=1"), HasSubstr("line 4: num_class stands there twice"));
  EXPECT_THAT(refusal("feature_infos", "average_output\naverage_output\nfeature_infos"), HasSubstr("line 10: average"));
  EXPECT_THAT(refusal("feature_infos", "averag_output\nfeature_infos"), HasSubstr("not key=value: averag_output"));
  EXPECT_THAT(refusal("max_feature_idx=1", "max_feature_idx=2"), HasSubstr("feature_names has 2 items, expected 3"));
  EXPECT_THAT(refusal("max_feature_idx=1", "max_feature_idx=2097152"), HasSubstr("max_feature_idx is 2097152"));
  EXPECT_THAT(refusal("max_feature_idx=1", "max_feature_idx=0"), HasSubstr("feature_names has 2 items, expected 1"));
  EXPECT_THAT(refusal("feature_infos=[0:9] ", "feature_infos=[0:9] none "), HasSubstr("has 3 items, expected 2"));
  EXPECT_THAT(refusal("max_feature_idx=1", "max_feature_idx=-1"), HasSubstr("max_feature_idx is -1"));
  EXPECT_THAT(refusal("feature_infos=[0:9] ", "feature_infos="), HasSubstr("feature_infos has 1 items, expected 2"));
  EXPECT_THAT(refusal("0:1:34", "0:1:x"), HasSubstr("feature_infos has x for feature 1"));
  EXPECT_THAT(refusal("0:1:34", "0:-2"), HasSubstr("feature_infos has -2 for feature 1"));
  EXPECT_THAT(refusal("feature_names=x colour", "feature_names=x x"), HasSubstr("two features called x"));
  EXPECT_THAT(refusal("objective=regression", "objective=regression log"), HasSubstr("objective has log"));
  EXPECT_THAT(refusal("objective=regression", "objective=poisson sqrt"), HasSubstr("objective has sqrt"));
  EXPECT_THAT(refusal("objective=regression", "objective=binary sigmoid:-1"), HasSubstr("sigmoid that is not above"));
  EXPECT_THAT(refusal("objective=regression", "objective=binary sigmoid:nan"), HasSubstr("has sigmoid:nan"));
  EXPECT_THAT(refusal("objective=regression", "objective=multiclass num_class:3"),
              HasSubstr("another number of classes"));
  EXPECT_THAT(refusal("tree_sizes=111 222", "tree_sizes=111"), HasSubstr("2 trees, but tree_sizes has 1 items"));
  std::string three =
      changed(two_trees, "num_class=1\nnum_tree_per_iteration=1", "num_class=3\nnum_tree_per_iteration=3");
  three = changed(three, "objective=regression", "objective=multiclass num_class:3");
  EXPECT_THAT(failure_of([&] { (void)parse_model(three, "m.txt"); }), HasSubstr("divided into rounds of 3"));
}

TEST(LightgbmText, RefusesDamagedTreesByLineTreeAndKey) {
  EXPECT_THAT(refusal("Tree=1", "Tree=2"), HasSubstr("line 33: expected Tree=1, found Tree=2"));
  EXPECT_THAT(refusal("num_leaves=3\n", ""), HasSubstr("tree 0, lacks num_leaves"));
  EXPECT_THAT(refusal("num_leaves=3", "num_leaves=0"), HasSubstr("line 13: tree 0, num_leaves is 0"));
  EXPECT_THAT(refusal("num_leaves=3", "num_leaves=4"), HasSubstr("tree 0, leaf_value has 3 items, expected 4"));
  EXPECT_THAT(refusal("num_leaves=3", "num_leaves=2147483647"),
              HasSubstr("leaf_value has 3 items, expected 2147483647"));
  EXPECT_THAT(refusal("num_leaves=1", "num_leaves=2"), HasSubstr("tree 1, leaf_value has 1 items"));
  EXPECT_THAT(refusal("leaf_value=1 20 10", "leaf_value=1 20 10 3"), HasSubstr("has 4 items, expected 3"));
  EXPECT_THAT(refusal("leaf_value=1 20 10", "leaf_value=1 nan 10"), HasSubstr("leaf_value has nan at position 1"));
  EXPECT_THAT(refusal("leaf_value=1 20 10", "leaf_value=1 inf 10"), HasSubstr("leaf_value has inf at position 1"));
  EXPECT_THAT(refusal("leaf_value=1 20 10", "leaf_value=1 1e999 10"), HasSubstr("leaf_value has 1e999"));
  EXPECT_THAT(refusal("leaf_value=1 20 10", "leaf_value=1 2,5 10"), HasSubstr("leaf_value has 2,5"));
  EXPECT_THAT(refusal("threshold=2 0", "threshold=nan 0"), HasSubstr("line 17: tree 0, threshold has nan"));
  EXPECT_THAT(refusal("threshold=2 0", "threshold=2"), HasSubstr("threshold has 1 items, expected 2"));
  EXPECT_THAT(refusal("threshold=2 0\n", ""), HasSubstr("tree 0, lacks threshold"));
  EXPECT_THAT(refusal("threshold=2 0", "threshold=2 1"), HasSubstr("names a category set at position 1, num_cat is 1"));
  EXPECT_THAT(refusal("threshold=2 0", "threshold=2 0.5"), HasSubstr("names a category set at position 1"));
  EXPECT_THAT(refusal("threshold=2 0", "threshold=2 -1"), HasSubstr("names a category set at position 1"));
  EXPECT_THAT(refusal("split_feature=0 1", "split_feature=0 2"), HasSubstr("split_feature has 2 at position 1"));
  EXPECT_THAT(refusal("split_feature=0 1", "split_feature=-1 1"), HasSubstr("split_feature has -1 at position 0"));
  EXPECT_THAT(refusal("split_feature=0 1", "split_feature=0 0"), HasSubstr("splits x by categories at position 1"));
  EXPECT_THAT(refusal("split_feature=0 1", "split_feature=1 1"), HasSubstr("splits colour by number at position 0"));
  EXPECT_THAT(refusal("decision_type=10 1", "decision_type=12 1"), HasSubstr("decision_type has 12 at position 0"));
  EXPECT_THAT(refusal("left_child=-1 -2", "left_child=-1 -4"), HasSubstr("left_child has -4 at position 1"));
  EXPECT_THAT(refusal("left_child=-1 -2", "left_child=2 -2"), HasSubstr("left_child has 2 at position 0"));
  EXPECT_THAT(refusal("left_child=-1 -2", "left_child=-1 -1"),
              HasSubstr("split 1 has the child -1, which has a parent"));
  EXPECT_THAT(refusal("left_child=-1 -2", "left_child=-1 0"), HasSubstr("split 1 has the child 0, which has a parent"));
  EXPECT_THAT(refusal("left_child=-1 -2", "left_child=1 -2"), HasSubstr("the child 1, which has a parent"));
  EXPECT_THAT(refusal("left_child=-1 -2\nright_child=1 -3", "left_child=-1 -2\nright_child=-2 1"),
              HasSubstr("leave splits without a parent"));
  EXPECT_THAT(refusal("num_cat=1", "num_cat=2"), HasSubstr("cat_boundaries has 2 items, expected 3"));
  EXPECT_THAT(refusal("num_cat=1", "num_cat=2147483646"), HasSubstr("cat_boundaries has 2 items"));
  EXPECT_THAT(refusal("cat_boundaries=0 2", "cat_boundaries=1 2"), HasSubstr("cat_boundaries does not ascend from 0"));
  EXPECT_THAT(refusal("cat_boundaries=0 2", "cat_boundaries=0 2147483647"), HasSubstr("cat_threshold has 2 items"));
  EXPECT_THAT(refusal("cat_threshold=2 4", "cat_threshold=2 4294967296"), HasSubstr("cat_threshold has 4294967296"));
  EXPECT_THAT(refusal("internal_count=9 5", "internal_count=9 -5"), HasSubstr("internal_count has -5"));
  EXPECT_THAT(refusal("is_linear=0\nshrinkage=1\n", "is_linear=2\nshrinkage=1\n"), HasSubstr("is_linear is 2"));
  EXPECT_THAT(refusal("num_leaves=3", "num_leaves=3\nnum_leaves=3"), HasSubstr("line 14: tree 0, num_leaves stands"));
  EXPECT_THAT(refusal("leaf_count=4 2 3", "leaf_count 4 2 3"), HasSubstr("tree 0, not key=value: leaf_count 4 2 3"));
}

TEST(LightgbmText, RefusesWhatIsWrongBehindTheTrees) {
  EXPECT_THAT(refusal("end of trees", "End of trees"), HasSubstr("tree 1, not key=value: End of trees"));
  EXPECT_THAT(refusal("feature_importances:", "hello"), HasSubstr("not expected behind the trees: hello"));
  EXPECT_THAT(refusal("[boosting: gbdt]", "boosting: gbdt"), HasSubstr("not a parameter: boosting: gbdt"));
  EXPECT_THAT(refusal("end of parameters", "end of parameters\nparameters:"),
              HasSubstr("parameters stand there twice"));
  EXPECT_THAT(refusal("pandas_categorical:null", "pandas_categorical:null\npandas_categorical:null"),
              HasSubstr("twice"));
  EXPECT_THAT(refusal("pandas_categorical:null", "pandas_categorical:[[\"a\"]]"),
              HasSubstr("has 1 categories for colour, but code 34 is used"));
  EXPECT_THAT(refusal("pandas_categorical:null", "pandas_categorical:[[\"a\"],[\"b\"]]"),
              HasSubstr("the categories of 2 columns, but 1 features are categorical"));
  EXPECT_THAT(refusal("pandas_categorical:null", "pandas_categorical:[[\"a\",\"a\"]]"), HasSubstr("category a twice"));
  EXPECT_THAT(refusal("pandas_categorical:null", "pandas_categorical:[[null]]"), HasSubstr("is not text, a number"));
  EXPECT_THAT(refusal("pandas_categorical:null", "pandas_categorical:[5]"), HasSubstr("should be a list"));
  EXPECT_THAT(refusal("pandas_categorical:null", "pandas_categorical:" + std::string(5000, '[')),
              HasSubstr("m.txt: line"));
  EXPECT_THAT(failure_of([] {
                const std::string named = changed(two_trees, "pandas_categorical:null", "pandas_categorical:[[1]]");
                (void)parse_model(changed(named, "[categorical_feature: 1]", "[categorical_feature: 0]"), "m.txt");
              }),
              HasSubstr("categorical_feature has 0, which is a number"));
}

TEST(LightgbmText, SkipsTheParserOfTheCommandLineTool) {
  const std::string parser = "parser:\nclass=Mine\nTree=0\nend of parser\n\npandas_categorical:null";
  EXPECT_NO_THROW((void)parse_model(changed(two_trees, "pandas_categorical:null", parser), "m.txt"));
  EXPECT_THAT(refusal("pandas_categorical:null", "parser:\nclass=Mine"), HasSubstr("ends within parser"));
}

TEST(LightgbmText, OldFilesDoNotMarkTheirEnds) {
  std::string old = changed(two_trees, "version=v4", "version=v2");
  old = changed(old, "end of trees\n\nfeature_importances:", "feature importances:");
  const std::size_t parameters = old.find("parameters:");
  old.erase(parameters, old.find("pandas_categorical:") - parameters);
  EXPECT_THAT(predictions(*parse_model(old, "old.txt"), {2, 3}, {0, 34}), ElementsAre(1.5, 20.5));
  const std::size_t trees = old.find("feature importances:");
  for (std::size_t size = 0; size < trees + 19; ++size) {
    ASSERT_THROW((void)parse_model(std::string_view(old).substr(0, size), "cut.txt"), Error) << size;
  }
  EXPECT_THAT(failure_of([&] { (void)parse_model(changed(old, "version=v2", "version=v3"), "m.txt"); }),
              HasSubstr("expected end of trees, found feature importances:"));
}

TEST(LightgbmText, WithoutCountsThereAreNoCovers) {
  const auto model = parse_model(changed(two_trees, "internal_count=9 5\n", ""), "m.txt");
  EXPECT_TRUE(model->trees()->parts().covers.empty());
  EXPECT_FALSE(model->signature().detail.find("covers")->as_bool());
}

TEST(LightgbmText, EveryTruncationIsAnError) {
  // What LightGBM's command line tool and its R package write ends with the parameters; nothing tells such a file
  // from one of the Python package that was cut right there.
  const std::size_t complete = two_trees.find("end of parameters") + std::string("end of parameters").size();
  const std::size_t levels = two_trees.find("pandas_categorical:");
  const std::size_t whole = two_trees.find_last_not_of('\n') + 1;
  for (std::size_t size = 0; size < two_trees.size(); ++size) {
    const std::string_view cut = std::string_view(two_trees).substr(0, size);
    if ((size >= complete && size <= levels) || size >= whole) {
      EXPECT_NO_THROW((void)parse_model(cut, "cut.txt")) << size;
    } else {
      ASSERT_THROW((void)parse_model(cut, "cut.txt"), Error) << size;
    }
  }
}

TEST(LightgbmText, ADeepChainNeedsNoStack) {
  const int splits = 200000;
  std::string left, right, features, thresholds, kinds, leaves;
  for (int i = 0; i < splits; ++i) {
    left += std::to_string(-i - 1) + " ";
    right += std::to_string(i + 1 < splits ? i + 1 : -splits - 1) + " ";
    features += "0 ", kinds += "2 ", leaves += "1 ";
    thresholds += std::to_string(i) + " ";
  }
  leaves += "7";
  std::string text =
      changed(two_trees, "num_leaves=3\nnum_cat=1", "num_leaves=" + std::to_string(splits + 1) + "\nnum_cat=0");
  text = changed(text, "split_feature=0 1", "split_feature=" + features);
  text = changed(text, "threshold=2 0", "threshold=" + thresholds);
  text = changed(text, "decision_type=10 1", "decision_type=" + kinds);
  text = changed(text, "left_child=-1 -2", "left_child=" + left);
  text = changed(text, "right_child=1 -3", "right_child=" + right);
  text = changed(text, "leaf_value=1 20 10", "leaf_value=" + leaves);
  text = changed(text, "leaf_count=4 2 3\n", "");
  text = changed(text, "internal_count=9 5\n", "");
  const auto model = parse_model(text, "deep.txt");
  EXPECT_EQ(model->signature().detail.find("max_depth")->as_integer(), splits);
  EXPECT_THAT(predictions(*model, {-1, 1e9}, {0, 0}), ElementsAre(1.5, 7.5));
}

}  // namespace
}  // namespace sightglass
