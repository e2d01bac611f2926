#include "sightglass/methods/importance/pd_importance.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sightglass/methods/run/session.h"
#include "sightglass/result/json.h"
#include "support/function_model.h"
#include "support/law_cases.h"
#include "support/random_data.h"

namespace sightglass {
namespace {

using testing::FunctionModel;
using testing::random_table;

const testing::LawCase laws("pd-importance", {.options = Value::object({{"grid", 9}})});

const std::string plain = "sd of partial dependence";
const std::string by_data = "sd of partial dependence over the data";

Result pd(const Model& model, const Source& source, const Value& options = Value::object()) {
  Context context(2);
  return run("pd-importance", model, source, options, context);
}

const Importance& entry_of(const Result& result, const std::string& feature, const std::string& measure) {
  for (const auto& item : result.results) {
    const auto* entry = item.as<Importance>();
    if (entry != nullptr && entry->feature == feature && entry->measure.text() == measure) return *entry;
  }
  throw std::runtime_error("no entry " + feature);
}

Table small_table() {
  const auto dictionary = std::make_shared<Dictionary>(std::vector<std::string>{"x", "y", "z"});
  return Table(
      Schema({{.name = "a"}, {.name = "c", .type = DType::categorical, .dictionary = dictionary}, {.name = "w"}}),
      {column_of(std::vector<double>{1, 1, 1, 2, 4, NAN}),
       column_of(std::vector<std::int32_t>{0, 0, 1, 1, 1, 2}, dictionary.get()),
       column_of(std::vector<double>{1, 1, 2, 1, 0, 1})});
}

// f = 3a + level: the grid of a is 1, 2, 4; levels are 0, 1, 2.
FunctionModel small_model() {
  return FunctionModel({"a", "c"},
                       [](const auto& x) { return std::vector<double>{3 * (std::isnan(x[0]) ? 9 : x[0]) + x[1]}; });
}

TEST(PdImportance, LiteralNumbers) {
  const Result result = pd(small_model(), small_table());
  // 1, 2, 4: mean 7/3, squares 16/9 + 1/9 + 25/9 = 42/9.
  EXPECT_NEAR(entry_of(result, "a", plain).importance, 3 * std::sqrt(42.0 / 9 / 2), 1e-12);
  EXPECT_NEAR(entry_of(result, "c", plain).importance, 2.0 / 4, 1e-12);
  // Rows: 1, 1, 1, 2, 4: mean 1.8, squares 3 · 0.64 + 0.04 + 4.84; the missing one is left out.
  EXPECT_NEAR(entry_of(result, "a", by_data).importance, 3 * std::sqrt(6.8 / 5), 1e-12);
  // Levels: two, three and one row of 0, 1, 2: mean 5/6.
  EXPECT_NEAR(entry_of(result, "c", by_data).importance, std::sqrt((2 * 25 + 3 * 1 + 1 * 49) / 36.0 / 6), 1e-12);
  EXPECT_EQ(entry_of(result, "a", plain).details.find("rank")->as_integer(), 1);
  EXPECT_NEAR(entry_of(result, "a", plain).details.find("range")->as_number(), 9, 1e-12);
}

TEST(PdImportance, WeightsCountRows) {
  const Result result = pd(small_model(), small_table().with_weights(2));
  // Rows 1 (four times) and 2: the row at 4 is not there.
  EXPECT_NEAR(entry_of(result, "a", plain).importance, 3 * std::sqrt(0.5), 1e-12);
  EXPECT_NEAR(entry_of(result, "a", by_data).importance, 3 * std::sqrt(4.0 / 25), 1e-12);
}

// The numbers of the curves that partial-dependence draws.
TEST(PdImportance, MeasuresThePartialDependence) {
  const Table table = random_table(1, 300);
  const FunctionModel model({"a", "b", "c", "d"},
                            [](const auto& x) {
                              return std::vector<double>{std::sin(x[0]) * x[3] + (std::isnan(x[1]) ? 4 : x[1] * x[1]),
                                                         std::isnan(x[2]) ? 0.5 : x[2]};
                            },
                            {"first", "second"});
  Context context(1);
  const Value options = Value::object({{"grid", 12}});
  const Result curves = run("pdp", model, table, options, context);
  const Result result = pd(model, table, options);
  std::size_t seen = 0;
  for (const auto& item : curves.results) {
    const auto& curve = item.get<Curve>();
    double mean = 0, squares = 0;
    for (const double value : curve.mean) mean += value / static_cast<double>(curve.mean.size());
    for (const double value : curve.mean) squares += (value - mean) * (value - mean);
    const auto [low, high] = std::minmax_element(curve.mean.begin(), curve.mean.end());
    const double wanted = curve.axis.is_categorical()
                              ? (*high - *low) / 4
                              : std::sqrt(squares / (static_cast<double>(curve.mean.size()) - 1));
    for (const auto& other : result.results) {
      const auto& entry = other.get<Importance>();
      if (entry.feature != curve.axis.feature || entry.output != curve.output || entry.measure.text() != plain)
        continue;
      EXPECT_NEAR(entry.importance, wanted, 1e-12) << entry.feature;
      ++seen;
    }
  }
  EXPECT_EQ(seen, 8U);
}

// x·z with z around zero: no main effect, whatever the interaction.
TEST(PdImportance, DoesNotSeeInteractions) {
  std::vector<double> x, z;
  for (int i = 0; i < 100; ++i) {
    x.push_back(i % 10);
    z.push_back(i / 10 % 2 == 0 ? 1 : -1);
  }
  const Table table(Schema({{.name = "x"}, {.name = "z"}}), {column_of(x), column_of(z)});
  const FunctionModel model({"x", "z"}, [](const auto& v) { return std::vector<double>{v[0] * v[1]}; });
  EXPECT_EQ(entry_of(pd(model, table), "x", plain).importance, 0);
  EXPECT_GT(entry_of(pd(model, table), "z", plain).importance, 0);
}

TEST(PdImportance, OddInputIsLegal) {
  const FunctionModel model({"a", "b"},
                            [](const auto& x) { return std::vector<double>{x[0] + (std::isnan(x[1]) ? 0 : 1)}; });
  for (const std::size_t rows : {std::size_t{1}, std::size_t{20}}) {
    const Table table(Schema({{.name = "a"}, {.name = "b"}}),
                      {column_of(std::vector<double>(rows, 2.5)), column_of(std::vector<double>(rows, NAN))});
    const Result result = pd(model, table);
    EXPECT_EQ(entry_of(result, "a", plain).importance, 0);
    EXPECT_EQ(entry_of(result, "b", by_data).importance, 0);
    EXPECT_EQ(to_json(result).find("NaN"), std::string::npos);
    EXPECT_NE(to_json(result).find("constant-feature"), std::string::npos);
    EXPECT_NE(to_json(result).find("no-values"), std::string::npos);
  }
  std::vector<std::string> levels;
  std::vector<std::int32_t> codes;
  for (int k = 0; k < 1000; ++k) {
    levels.push_back("level " + std::to_string(1000 + k));
    codes.push_back(k);
  }
  const auto dictionary = std::make_shared<Dictionary>(levels);
  const Table many(Schema({{.name = "c", .type = DType::categorical, .dictionary = dictionary}}),
                   {column_of(codes, dictionary.get())});
  const FunctionModel code({"c"}, [](const auto& x) { return x; });
  EXPECT_NEAR(entry_of(pd(code, many), "c", plain).importance, 999.0 / 4, 1e-9);
  EXPECT_NEAR(entry_of(pd(code, many), "c", by_data).importance, std::sqrt((1e6 - 1) / 12), 1e-9);
}

}  // namespace
}  // namespace sightglass
