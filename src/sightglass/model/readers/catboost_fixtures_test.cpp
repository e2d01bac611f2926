// Files that CatBoost wrote, and what CatBoost itself predicts with them (tests/formats/make_catboost.py).
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "formats/fixture.h"
#include "sightglass/model/load.h"
#include "sightglass/model/trees/ensemble.h"

namespace sightglass {
namespace {

namespace fixtures = ::sightglass::testing;

bool same_number(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0 || (a == 0 && b == 0); }

std::string catboost_file(const std::string& name, const std::string& ending) {
  return (fixtures::formats_folder("catboost") / (name + ending)).string();
}

class CatboostFixture : public ::testing::TestWithParam<std::string> {};

TEST_P(CatboostFixture, PredictsWhatCatboostPredicts) {
  const auto fixture = fixtures::read_fixture("catboost", GetParam());
  for (const std::string ending : {".json", ".cbm"}) {
    const auto model = load_model(catboost_file(GetParam(), ending));
    EXPECT_EQ(model->signature().format, "catboost-" + ending.substr(1));
    const std::string version = model->signature().version;  // only newer releases say theirs
    EXPECT_TRUE(version.empty() || version == fixture.expected["version"].get<std::string>()) << version;
    const Matrix margin = fixtures::predict_table(*model, fixture.table, Scale::margin, Arithmetic::framework);
    const Matrix exact = fixtures::predict_table(*model, fixture.table, Scale::margin, Arithmetic::exact);
    ASSERT_EQ(fixture.margin.rows(), margin.rows());
    ASSERT_EQ(fixture.margin.columns(), margin.columns());
    std::size_t different = 0;
    for (std::size_t row = 0; row < margin.rows(); ++row) {
      for (std::size_t k = 0; k < margin.columns(); ++k) {
        const double wanted = fixture.margin(row, k), got = margin(row, k);
        const bool good = fixture.tolerance == 0
                              ? same_number(wanted, got)
                              : std::abs(got - wanted) <= fixture.tolerance * std::max(1.0, std::abs(wanted));
        if (!good && different++ < 5) {
          ADD_FAILURE() << ending << " row " << row << ", output " << k << ": " << got << " instead of " << wanted;
        }
        EXPECT_NEAR(exact(row, k), got, 1e-12 * std::max(1.0, std::abs(got)));
      }
    }
    EXPECT_EQ(different, 0U) << "of " << margin.rows() * margin.columns();
    const Matrix response = fixtures::predict_table(*model, fixture.table, Scale::response, Arithmetic::framework);
    const double tolerance = fixture.expected.value("response_tolerance", 0.0);
    for (std::size_t row = 0; row < fixture.response.rows(); ++row) {
      for (std::size_t k = 0; k < response.columns(); ++k) {
        EXPECT_NEAR(response(row, k), fixture.response(row, k), tolerance * std::max(1.0, fixture.response(row, k)))
            << ending << " row " << row;
      }
    }
  }
}

// Splits about one feature are trees; those about several are not.
TEST_P(CatboostFixture, GoesToTheExactEngineWhereItCan) {
  const auto model = load_model(catboost_file(GetParam(), ".cbm"));
  const bool combined = GetParam().find("combined") != std::string::npos;
  EXPECT_EQ(model->trees() == nullptr, combined);
  const Value* engine = model->signature().detail.find("engine");
  ASSERT_NE(engine, nullptr);
  EXPECT_EQ(engine->as_string().starts_with(combined ? "asked: its splits are about combinations" : "exact"), true)
      << engine->as_string();
}

TEST(CatboostFixtures, AreThere) { EXPECT_GE(fixtures::fixture_names("catboost").size(), 55U); }

INSTANTIATE_TEST_SUITE_P(Formats, CatboostFixture, ::testing::ValuesIn(fixtures::fixture_names("catboost")),
                         [](const auto& fixture) { return fixture.param; });

}  // namespace
}  // namespace sightglass
