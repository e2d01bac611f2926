#include "sightglass/model/trees/ensemble.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/data/table.h"
#include "sightglass/model/trees/predict/bound_trees_internal.h"

namespace sightglass {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// x (< or <=) t ? -1 : 1
TreeEnsemble::Parts stump(Comparison comparison, double threshold) {
  TreeEnsemble::Parts parts;
  parts.signature.features = {{.name = "x", .categorical = false, .levels = {}}};
  parts.signature.outputs = {"prediction"};
  parts.comparison = comparison;
  parts.base = {0};
  parts.nodes.resize(3);
  parts.nodes[0] = {.left = 1, .right = 2, .feature = 0, .threshold = threshold};
  parts.nodes[1].threshold = -1;
  parts.nodes[2].threshold = 1;
  parts.trees = {{0, 0}};
  return parts;
}

std::vector<double> predict(const TreeEnsemble& model, std::vector<double> x, PredictOptions options = {}) {
  const Table table(Schema({{.name = "x"}}), {column_of(std::move(x))});
  const auto bound = model.bind(table.schema(), {});
  const auto stream = table.open(bound->columns(), 1 << 20);
  const auto block = stream->next();
  std::vector<double> out(block->rows * model.signature().outputs.size());
  Context context(1);
  bound->predict(*block, options, {out.data(), block->rows, model.signature().outputs.size()}, context);
  return out;
}

TEST(TreeEnsemble, TiesGoWhereTheFrameworkSendsThem) {
  const double up = std::nextafter(0.3, 1.0);
  const double down = std::nextafter(0.3, 0.0);
  // LightGBM: doubles, <=.
  EXPECT_THAT(predict(TreeEnsemble(stump(Comparison::float64_less_equal, 0.3), "t"), {down, 0.3, up}),
              ElementsAre(-1, -1, 1));
  // XGBoost: the value becomes a float first, then <.
  const auto t = static_cast<double>(0.3F);
  const auto below = static_cast<double>(std::nextafter(0.3F, 0.0F));
  EXPECT_THAT(predict(TreeEnsemble(stump(Comparison::float32_less, t), "t"), {below, t, 0.3, up, down}),
              ElementsAre(-1, 1, 1, 1, 1));
  // scikit-learn: the value becomes a float, the threshold stays a double; 0.3F is above 0.3.
  EXPECT_THAT(predict(TreeEnsemble(stump(Comparison::float32_less_equal, 0.3), "t"), {below, t, 0.3}),
              ElementsAre(-1, 1, 1));
  EXPECT_THAT(predict(TreeEnsemble(stump(Comparison::float32_less_equal, t), "t"), {below, t, 0.3, 0.4}),
              ElementsAre(-1, -1, -1, 1));
}

TEST(TreeEnsemble, BreakpointsAreTheFirstValuesBehindASplit) {
  for (const Comparison comparison :
       {Comparison::float32_less, Comparison::float64_less_equal, Comparison::float32_less_equal}) {
    for (const double threshold : {0.3, static_cast<double>(0.3F), -7.0}) {
      if (comparison == Comparison::float32_less && threshold == 0.3) continue;  // such a file has float thresholds
      const TreeEnsemble model(stump(comparison, threshold), "t");
      const auto points = model.breakpoints(0);
      ASSERT_EQ(points.size(), 1U);
      const double before = std::nextafter(points[0], -INFINITY);
      EXPECT_THAT(predict(model, {before, points[0]}), ElementsAre(-1, 1));
    }
  }
}

TEST(TreeEnsemble, MissingGoesItsOwnWayAndInfinityDoesNot) {
  auto parts = stump(Comparison::float32_less, 0);
  EXPECT_THAT(predict(TreeEnsemble(parts, "t"), {NAN, INFINITY, -INFINITY}), ElementsAre(1, 1, -1));
  parts.nodes[0].missing_left = true;
  EXPECT_THAT(predict(TreeEnsemble(parts, "t"), {NAN, INFINITY, -INFINITY}), ElementsAre(-1, 1, -1));
}

TEST(TreeEnsemble, ASplitAtInfinityTakesMissingValuesApart) {
  for (const Comparison comparison : {Comparison::float32_less_equal, Comparison::float64_less_equal}) {
    const TreeEnsemble model(stump(comparison, INFINITY), "t");
    EXPECT_THAT(predict(model, {NAN, INFINITY, 1e308, -INFINITY}), ElementsAre(1, -1, -1, -1));
    EXPECT_TRUE(model.breakpoints(0).empty());
  }
  auto parts = stump(Comparison::float64_less_equal, INFINITY);
  parts.nodes[0].missing_left = true;
  EXPECT_THAT(predict(TreeEnsemble(parts, "t"), {NAN, INFINITY}), ElementsAre(-1, -1));
  parts.nodes[0].threshold = -INFINITY;
  EXPECT_THAT(predict(TreeEnsemble(parts, "t"), {NAN, INFINITY, -1e308, -INFINITY}), ElementsAre(-1, 1, 1, -1));
  EXPECT_THROW(TreeEnsemble(stump(Comparison::float32_less, INFINITY), "t"), Error);
}

TEST(TreeEnsemble, MoreRowsThanATileAndNotAMultipleOfALane) {
  const TreeEnsemble model(stump(Comparison::float32_less, 500), "t");
  std::vector<double> x(1003);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i);
  const auto out = predict(model, x);
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(out[i], i < 500 ? -1 : 1) << i;
}

TEST(TreeEnsemble, LinksAndArithmetic) {
  auto parts = stump(Comparison::float32_less, 0);
  parts.link = {Link::logistic};
  EXPECT_DOUBLE_EQ(predict(TreeEnsemble(parts, "t"), {1})[0], 1 / (1 + std::exp(-1.0)));
  EXPECT_EQ(predict(TreeEnsemble(parts, "t"), {1}, {Scale::margin, Arithmetic::exact})[0], 1);
  parts.link = {Link::exponential};
  EXPECT_DOUBLE_EQ(predict(TreeEnsemble(parts, "t"), {1})[0], std::exp(1.0));
  parts.link = {Link::softmax};
  parts.base = {1000, 999};
  parts.signature.outputs = {"a", "b"};
  const auto probabilities = predict(TreeEnsemble(parts, "t"), {1});
  EXPECT_NEAR(probabilities[0], 1 / (1 + std::exp(-2.0)), 1e-15) << "1001 against 999, without overflow";
  EXPECT_NEAR(probabilities[0] + probabilities[1], 1, 1e-15);
  // 2^24 + 1 is no float: the framework's sum loses it, the exact one does not.
  parts = stump(Comparison::float32_less, 0);
  parts.base = {16777216};
  parts.float32_sums = true;
  EXPECT_EQ(predict(TreeEnsemble(parts, "t"), {1}, {Scale::margin, Arithmetic::framework})[0], 16777216);
  EXPECT_EQ(predict(TreeEnsemble(parts, "t"), {1}, {Scale::margin, Arithmetic::exact})[0], 16777217);
}

TEST(TreeEnsemble, EveryLinkHasItsFormula) {
  const auto respond = [](LinkFunction link, double margin) {
    auto parts = stump(Comparison::float64_less_equal, 0);
    parts.link = link;
    parts.base = {margin - 1};
    return predict(TreeEnsemble(parts, "t"), {1})[0];
  };
  EXPECT_EQ(respond({Link::identity}, -3), -3);
  EXPECT_DOUBLE_EQ(respond({Link::logistic, 2}, 0.5), 1 / (1 + std::exp(-1.0)));
  EXPECT_EQ(respond({Link::signed_square}, -3), -9);
  EXPECT_DOUBLE_EQ(respond({Link::softplus}, 1), std::log(1 + std::exp(1.0)));
  EXPECT_EQ(respond({Link::softplus}, 1000), 1000);
  EXPECT_EQ(respond({Link::step}, 0.001), 1);
  EXPECT_EQ(respond({Link::step}, 0), 0);
  EXPECT_EQ(respond({Link::negative_power}, 2), -0.25);
}

TEST(TreeEnsemble, AveragesAndVectorLeaves) {
  auto parts = stump(Comparison::float32_less_equal, 0);
  parts.signature.outputs = {"a", "b", "c"};
  parts.base = {0, 0, 0};
  parts.leaf_values = {1, 2, 3, 10, 20, 30};
  parts.nodes[1].leaf = 1;
  parts.nodes[2].leaf = 0;
  parts.trees.push_back({3, 0});
  parts.nodes.push_back({.leaf = 0});
  parts.divisor = 2;
  EXPECT_THAT(predict(TreeEnsemble(parts, "t"), {0, 1}), ElementsAre(5.5, 11, 16.5, 1, 2, 3));
}

TEST(TreeEnsemble, RefusesWhatItsFrameworkRefuses) {
  auto parts = stump(Comparison::float32_less_equal, 0);
  parts.refuses_missing = parts.refuses_infinite = true;
  const TreeEnsemble model(parts, "t");
  const auto message = [&](double value) {
    try {
      (void)predict(model, {0, 1, value});
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::data);
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_THAT(message(NAN), HasSubstr("row 2 of x is missing, which this model refuses"));
  EXPECT_THAT(message(INFINITY), HasSubstr("row 2 of x is infinite or beyond float32"));
  EXPECT_THAT(message(1e39), HasSubstr("beyond float32"));
  EXPECT_EQ(message(1e38), "none");
}

TEST(TreeEnsemble, UnseenCategoriesMayCountAsMissing) {
  auto parts = stump(Comparison::float64_less_equal, 0);
  parts.signature.features = {{.name = "x", .categorical = true, .levels = {"red", "blue"}}};
  parts.category_sets = {{{0b01}}};
  parts.nodes[0].categories = 0;
  parts.nodes[0].categories_left = true;
  parts.nodes[0].missing_left = true;
  const auto dictionary = std::make_shared<Dictionary>(std::vector<std::string>{"blue", "pink", "red"});
  const Table table(Schema({{.name = "x", .type = DType::categorical, .dictionary = dictionary}}),
                    {column_of({0, 1, 2, -1}, dictionary.get())});
  for (const bool unseen_is_missing : {false, true}) {
    parts.unseen_is_missing = unseen_is_missing;
    const TreeEnsemble model(parts, "t");
    const auto bound = model.bind(table.schema(), {});
    ASSERT_EQ(bound->notes().size(), 1U);
    EXPECT_THAT(bound->notes()[0].message,
                HasSubstr(unseen_is_missing ? "treats it as missing" : "none of its categories"));
    std::vector<double> out(4);
    Context context(1);
    const auto stream = table.open(bound->columns(), 4);
    bound->predict(*stream->next(), {}, {out.data(), 4, 1}, context);
    EXPECT_THAT(out, ElementsAre(1, unseen_is_missing ? -1 : 1, -1, -1));
  }
}

TEST(TreeEnsemble, CategorySetsMayGoEitherWay) {
  auto parts = stump(Comparison::float64_less_equal, 0);
  parts.signature.features[0].categorical = true;
  parts.category_sets = {{{0b110}}};
  parts.nodes[0].categories = 0;
  EXPECT_THAT(predict(TreeEnsemble(parts, "t"), {0, 1, 2.9, 3, 64, -1, -0.5, NAN}),
              ElementsAre(-1, 1, 1, -1, -1, -1, -1, 1));
  parts.nodes[0].categories_left = true;
  EXPECT_THAT(predict(TreeEnsemble(parts, "t"), {0, 1, 2.9, 3, 64, -1, -0.5, NAN}),
              ElementsAre(1, -1, -1, 1, 1, 1, 1, 1));
}

TEST(TreeEnsemble, WithoutTreesTheBaseIsThePrediction) {
  auto parts = stump(Comparison::float32_less, 0);
  parts.trees.clear();
  parts.nodes.clear();
  parts.base = {4};
  EXPECT_THAT(predict(TreeEnsemble(parts, "t"), {1, 2}), ElementsAre(4, 4));
}

std::string refusal(TreeEnsemble::Parts parts) {
  try {
    const TreeEnsemble model(std::move(parts), "builder");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::model);
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

TEST(TreeEnsemble, ChecksWhatItIsGiven) {
  const auto with = [](auto change) {
    auto parts = stump(Comparison::float32_less, 0);
    change(parts);
    return refusal(std::move(parts));
  };
  EXPECT_THAT(with([](auto& p) { p.nodes[0].right = 3; }),
              HasSubstr("builder: tree 0 node 0 has a child that does not exist"));
  EXPECT_THAT(with([](auto& p) { p.nodes[0].right = -1; }), HasSubstr("a child that does not exist"));
  EXPECT_THAT(with([](auto& p) { p.nodes[0].right = 1; }), HasSubstr("node 1 is reached twice"));
  EXPECT_THAT(with([](auto& p) { p.nodes[0].left = 0; }), HasSubstr("node 0 is reached twice"));
  EXPECT_THAT(with([](auto& p) { p.trees.push_back({1, 0}); }), HasSubstr("tree 1 node 0 is reached twice"));
  EXPECT_THAT(with([](auto& p) { p.trees[0].root = 9; }), HasSubstr("tree 0 has no root"));
  EXPECT_THAT(with([](auto& p) { p.trees[0].output = 1; }), HasSubstr("tree 0 adds to output 1"));
  EXPECT_THAT(with([](auto& p) { p.nodes[0].feature = 1; }), HasSubstr("splits feature 1, there are 1"));
  EXPECT_THAT(with([](auto& p) { p.nodes[0].categories = 0; }), HasSubstr("a category set that does not exist"));
  EXPECT_THAT(with([](auto& p) { p.signature.features[0].categorical = true; }),
              HasSubstr("by a threshold, but it is categorical"));
  EXPECT_THAT(with([](auto& p) { p.nodes[0].threshold = NAN; }), HasSubstr("not finite"));
  EXPECT_THAT(with([](auto& p) { p.nodes[2].threshold = INFINITY; }), HasSubstr("node 2 has a threshold or value"));
  EXPECT_THAT(with([](auto& p) { p.base = {}; }), HasSubstr("has no outputs"));
  EXPECT_THAT(with([](auto& p) { p.base = {NAN}; }), HasSubstr("base score that is not finite"));
  EXPECT_THAT(with([](auto& p) { p.base = {1, 2}; }), HasSubstr("another number of outputs"));
  EXPECT_THAT(with([](auto& p) { p.covers = {1, 2}; }), HasSubstr("covers for only some"));
  EXPECT_THAT(with([](auto& p) { p.covers = {1, -2, 3}; }), HasSubstr("negative or infinite cover"));
  EXPECT_THAT(with([](auto& p) { p.link.link = Link::softmax; }), HasSubstr("only one class"));
}

// Memory of a thread is used again for the next model, but keeps none.
TEST(TreeEnsemble, IsGoneWhenItIsGone) {
  const TreeEnsemble::Parts parts = stump(Comparison::float32_less, 0.5);
  const PackedTrees<float> packed(parts);
  auto coded = std::make_shared<const CodedTrees>(parts);
  const std::weak_ptr<const CodedTrees> left = coded;
  const Table table(Schema({{.name = "x"}}), {column_of(std::vector<double>(100, 0.25))});
  auto bound = bind_trees(parts, packed, std::move(coded), match_columns(parts.signature, table.schema(), {}, -1));
  const auto stream = table.open(bound->columns(), 100);
  const auto block = stream->next();
  std::vector<double> out(100);
  Context context(1);
  bound->predict(*block, {}, {out.data(), 100, 1}, context);
  EXPECT_EQ(out[99], -1);
  bound.reset();
  EXPECT_TRUE(left.expired());
}

}  // namespace
}  // namespace sightglass
