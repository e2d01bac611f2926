// Files that XGBoost wrote, and what XGBoost itself predicts with them (tests/formats/make_xgboost.py).
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>

#include "formats/fixture.h"
#include "sightglass/model/linear_model.h"
#include "sightglass/model/load.h"
#include "sightglass/model/trees/ensemble.h"

namespace sightglass {
namespace {

namespace fixtures = ::sightglass::testing;

bool same_bits(float a, float b) { return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b)); }

// Where the margin is not finite, so is the exact one: a linear model may overflow.
void expect_near(double got, double wanted, double tolerance, std::size_t row) {
  if (got == wanted || (std::isnan(got) && std::isnan(wanted))) return;
  EXPECT_NEAR(got, wanted, tolerance * std::abs(wanted) + 1e-37) << "row " << row;
}

std::string model_file(const std::string& name, const std::string& ending) {
  return (fixtures::formats_folder("xgboost") / (name + ending)).string();
}

class XgboostFixture : public ::testing::TestWithParam<std::string> {};

TEST_P(XgboostFixture, PredictsWhatXgboostPredicts) {
  const auto fixture = fixtures::read_fixture("xgboost", GetParam());
  const auto model = load_model(model_file(GetParam(), ".json"));
  EXPECT_EQ(model->signature().version, fixture.expected["version"].get<std::string>());
  const Matrix margin = fixtures::predict_table(*model, fixture.table, Scale::margin, Arithmetic::framework);
  const Matrix exact = fixtures::predict_table(*model, fixture.table, Scale::margin, Arithmetic::exact);
  ASSERT_EQ(fixture.margin.rows(), margin.rows());
  ASSERT_EQ(fixture.margin.columns(), margin.columns());
  std::size_t different = 0;
  for (std::size_t row = 0; row < margin.rows(); ++row) {
    for (std::size_t k = 0; k < margin.columns(); ++k) {
      const auto wanted = static_cast<float>(fixture.margin(row, k));
      const auto got = static_cast<float>(margin(row, k));
      const bool good = fixture.tolerance == 0
                            ? same_bits(wanted, got)
                            : std::abs(got - wanted) <= fixture.tolerance * std::max(1.0F, std::abs(wanted));
      if (!good && different++ < 5) {
        ADD_FAILURE() << "row " << row << ", output " << k << ": " << got << " instead of " << wanted;
      }
      // Sums of large terms that cancel lose digits in float32, not in double.
      if (std::abs(margin(row, k)) < 1e6) {
        EXPECT_NEAR(exact(row, k), margin(row, k), 1e-5 * std::max(1.0, std::abs(margin(row, k))));
      }
    }
  }
  EXPECT_EQ(different, 0U) << "of " << margin.rows() * margin.columns();
  const Matrix response = fixtures::predict_table(*model, fixture.table, Scale::response, Arithmetic::framework);
  const double tolerance = fixture.expected.value("response_tolerance", 0.0);
  for (std::size_t row = 0; row < fixture.response.rows(); ++row) {
    for (std::size_t k = 0; k < response.columns(); ++k) {
      expect_near(response(row, k), fixture.response(row, k), tolerance, row);
    }
  }
}

bool same_node(const TreeNode& a, const TreeNode& b) {
  return a.left == b.left && a.right == b.right && a.feature == b.feature && a.categories == b.categories &&
         std::memcmp(&a.threshold, &b.threshold, sizeof a.threshold) == 0 && a.missing_left == b.missing_left &&
         a.categories_left == b.categories_left && a.leaf == b.leaf;
}

// XGBoost writes UBJ since 1.6.
std::vector<std::string> fixtures_with_ubj() {
  auto names = fixtures::fixture_names("xgboost");
  std::erase_if(names, [](const auto& name) { return !std::filesystem::exists(model_file(name, ".ubj")); });
  return names;
}

class XgboostUbj : public ::testing::TestWithParam<std::string> {};

TEST_P(XgboostUbj, HoldsTheSameModelAsJson) {
  const auto json_model = load_model(model_file(GetParam(), ".json"));
  const auto ubj_model = load_model(model_file(GetParam(), ".ubj"));
  const Signature& a = json_model->signature();
  const Signature& b = ubj_model->signature();
  EXPECT_EQ(a.format, "xgboost-json");
  EXPECT_EQ(b.format, "xgboost-ubj");
  EXPECT_EQ(a.outputs, b.outputs);
  ASSERT_EQ(a.features.size(), b.features.size());
  for (std::size_t i = 0; i < a.features.size(); ++i) {
    EXPECT_EQ(a.features[i].name, b.features[i].name);
    EXPECT_EQ(a.features[i].categorical, b.features[i].categorical);
    EXPECT_EQ(a.features[i].levels, b.features[i].levels);
  }
  if (const auto* linear = dynamic_cast<const LinearModel*>(json_model.get())) {
    const auto& other = dynamic_cast<const LinearModel&>(*ubj_model).parts();
    EXPECT_EQ(linear->parts().weights, other.weights);
    EXPECT_EQ(linear->parts().bias, other.bias);
    EXPECT_EQ(linear->parts().base, other.base);
    return;
  }
  const auto& x = json_model->trees()->parts();
  const auto& y = ubj_model->trees()->parts();
  EXPECT_EQ(x.base, y.base);
  EXPECT_EQ(x.covers, y.covers);
  EXPECT_EQ(x.leaf_values, y.leaf_values);
  EXPECT_TRUE(std::equal(x.nodes.begin(), x.nodes.end(), y.nodes.begin(), y.nodes.end(), same_node));
  EXPECT_TRUE(std::equal(x.category_sets.begin(), x.category_sets.end(), y.category_sets.begin(), y.category_sets.end(),
                         [](const CategorySet& p, const CategorySet& q) { return p.bits == q.bits; }));
  EXPECT_TRUE(std::equal(x.trees.begin(), x.trees.end(), y.trees.begin(), y.trees.end(),
                         [](const Tree& p, const Tree& q) { return p.root == q.root && p.output == q.output; }));
}

TEST(XgboostFixtures, AreThere) {
  EXPECT_GE(fixtures::fixture_names("xgboost").size(), 140U);
  EXPECT_GE(fixtures_with_ubj().size(), 80U);
}

INSTANTIATE_TEST_SUITE_P(Formats, XgboostFixture, ::testing::ValuesIn(fixtures::fixture_names("xgboost")),
                         [](const auto& fixture) { return fixture.param; });
INSTANTIATE_TEST_SUITE_P(Formats, XgboostUbj, ::testing::ValuesIn(fixtures_with_ubj()),
                         [](const auto& fixture) { return fixture.param; });

}  // namespace
}  // namespace sightglass
