// Files of trees by several exporters and by hand, and what onnxruntime answers (tests/formats/make_onnx.py).
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "formats/fixture.h"
#include "sightglass/model/load.h"
#include "sightglass/model/trees/ensemble.h"

namespace sightglass {
namespace {

namespace fixtures = ::sightglass::testing;

bool same_float(double got, double wanted) {
  const auto a = static_cast<float>(got), b = static_cast<float>(wanted);
  return a == b || (std::isnan(a) && std::isnan(b));
}

class OnnxFixture : public ::testing::TestWithParam<std::string> {};

TEST_P(OnnxFixture, PredictsWhatOnnxruntimePredicts) {
  const auto fixture = fixtures::read_fixture("onnx", GetParam());
  const auto model = load_model((fixtures::formats_folder("onnx") / (GetParam() + ".onnx")).string());
  EXPECT_EQ(model->signature().format, "onnx");
  ASSERT_NE(model->trees(), nullptr);
  // onnxruntime's answers are responses.
  const Matrix response = fixtures::predict_table(*model, fixture.table, Scale::response, Arithmetic::framework);
  const Matrix exact = fixtures::predict_table(*model, fixture.table, Scale::response, Arithmetic::exact);
  ASSERT_EQ(fixture.margin.rows(), response.rows());
  ASSERT_EQ(fixture.margin.columns(), response.columns());
  std::size_t different = 0;
  for (std::size_t row = 0; row < response.rows(); ++row) {
    for (std::size_t k = 0; k < response.columns(); ++k) {
      const double wanted = fixture.margin(row, k), got = response(row, k);
      const bool good = fixture.tolerance == 0
                            ? (fixture.float32 ? same_float(got, wanted) : got == wanted)
                            : std::abs(got - wanted) <= fixture.tolerance * std::max(1.0, std::abs(wanted));
      if (!good && different++ < 5) {
        ADD_FAILURE() << "row " << row << ", output " << k << ": " << got << " instead of " << wanted;
      }
      EXPECT_NEAR(exact(row, k), got, 1e-5 * std::max(1.0, std::abs(got)));
    }
  }
  EXPECT_EQ(different, 0U) << "of " << response.rows() * response.columns();
}

std::vector<std::string> exact_fixtures() {
  auto names = fixtures::fixture_names("onnx");
  std::erase_if(names, [](const auto& name) {
    const auto text = fixtures::read_bytes(fixtures::formats_folder("onnx") / (name + ".expected.json"));
    return !nlohmann::json::parse(text).at("exact").template get<bool>();
  });
  return names;
}

TEST(OnnxFixtures, AreThere) { EXPECT_GE(exact_fixtures().size(), 100U); }

INSTANTIATE_TEST_SUITE_P(Formats, OnnxFixture, ::testing::ValuesIn(exact_fixtures()),
                         [](const auto& fixture) { return fixture.param; });

}  // namespace
}  // namespace sightglass
