#include "sightglass/model/linear_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/data/table.h"

namespace sightglass {
namespace {

using ::testing::ElementsAre;

LinearModel::Parts two_outputs() {
  LinearModel::Parts parts;
  parts.signature.features = {{.name = "x"}, {.name = "y"}};
  parts.signature.outputs = {"a", "b"};
  parts.base = {10, 20};
  parts.bias = {0.5, -0.5};
  parts.weights = {1, 2, 3, 4};  // of x for a and b, of y for a and b
  return parts;
}

Matrix predict(const LinearModel& model, const Table& table, const PredictOptions& options,
               std::span<const Override> overrides = {}) {
  const auto bound = model.bind(table.schema(), {});
  Matrix out(table.rows(), model.signature().outputs.size());
  Context context(1);
  const auto stream = table.open(bound->columns(), table.rows());
  auto block = stream->next();
  block->overrides = overrides;
  bound->predict(*block, options, out.span(), context);
  return out;
}

std::vector<double> column(const Matrix& matrix, std::size_t k) {
  std::vector<double> values;
  for (std::size_t row = 0; row < matrix.rows(); ++row) values.push_back(matrix(row, k));
  return values;
}

const Schema xy({{.name = "y"}, {.name = "x"}});  // another order than the model's

TEST(LinearModel, AddsWeightedValuesAndSkipsMissingOnes) {
  const LinearModel model(two_outputs(), "m");
  const Table table(xy, {column_of({1, NAN, 0}), column_of({2, 2, NAN})});
  const Matrix out = predict(model, table, {});
  EXPECT_THAT(column(out, 0), ElementsAre(10.5 + 2 + 3, 10.5 + 2, 10.5));
  EXPECT_THAT(column(out, 1), ElementsAre(19.5 + 4 + 4, 19.5 + 4, 19.5));
}

TEST(LinearModel, AppliesOverridesAndLink) {
  auto parts = two_outputs();
  parts.link.link = Link::exponential;
  const LinearModel model(parts, "m");
  const Table table(xy, {column_of({1, 1}), column_of({2, 3})});
  const std::vector<double> other = {0, 5};
  const Override overrides[] = {{0, Scalar::missing()}, {1, view_of(other)}};
  EXPECT_THAT(column(predict(model, table, {.scale = Scale::margin}, overrides), 0), ElementsAre(10.5, 15.5));
  EXPECT_THAT(column(predict(model, table, {}, overrides), 0), ElementsAre(std::exp(10.5), std::exp(15.5)));
}

TEST(LinearModel, Float32InTheFrameworksOrder) {
  LinearModel::Parts parts;
  parts.signature.features = {{.name = "x"}, {.name = "y"}};
  parts.signature.outputs = {"prediction"};
  parts.base = {static_cast<double>(0.1F)};
  parts.bias = {static_cast<double>(0.2F)};
  parts.weights = {static_cast<double>(0.3F), 1e-9};
  parts.float32_sums = true;
  const LinearModel model(parts, "m");
  const Table table(xy, {column_of({1}), column_of({16777217})});
  const float product = 16777216.0F * 0.3F;  // the value is rounded first
  const float first = (0.2F + 0.1F) + product;
  EXPECT_EQ(predict(model, table, {.arithmetic = Arithmetic::framework})(0, 0), static_cast<double>(first + 1e-9F));
  const double exact = static_cast<double>(0.2F) + static_cast<double>(0.1F) + 16777216 * static_cast<double>(0.3F);
  EXPECT_EQ(predict(model, table, {.arithmetic = Arithmetic::exact})(0, 0), exact + 1e-9);
}

TEST(LinearModel, AnyNumberOfRows) {
  const LinearModel model(two_outputs(), "m");
  std::vector<double> x(1000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i);
  const Table table(xy, {column_of(std::vector<double>(1000, 0)), column_of(x)});
  const Matrix out = predict(model, table, {});
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(out(i, 1), 19.5 + 2 * x[i]);
}

TEST(LinearModel, RefusesWhatDoesNotFit) {
  const auto refused = [](auto change) {
    auto parts = two_outputs();
    change(parts);
    EXPECT_THROW((void)LinearModel(parts, "m"), Error);
  };
  refused([](auto& parts) { parts.weights.pop_back(); });
  refused([](auto& parts) { parts.bias.pop_back(); });
  refused([](auto& parts) { parts.weights[2] = NAN; });
  refused([](auto& parts) { parts.base[0] = INFINITY; });
  refused([](auto& parts) { parts.signature.outputs.pop_back(); });
  refused([](auto& parts) { parts.signature.features[1].name = "x"; });
  refused([](auto& parts) { parts.signature.features[1].categorical = true; });
  refused([](auto& parts) {
    parts = {};
    parts.link.link = Link::identity;
  });
}

}  // namespace
}  // namespace sightglass
