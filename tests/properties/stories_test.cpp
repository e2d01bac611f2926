// What the shipped examples tell: the effects that anyone who knows bikes or penguins expects, and the cautions
// that come with them.
#include <gtest/gtest.h>

#include <algorithm>

#include "sightglass/data/scan/scan.h"
#include "sightglass/methods/run/session.h"
#include "sightglass/model/load.h"
#include "sightglass/model/model_categories.h"

namespace sightglass {
namespace {

const std::string examples = std::string(SIGHTGLASS_SOURCE_DIR) + "/examples/";

Result explain(const std::string& model_file, const std::string& data_file, const std::string& target,
               const std::vector<std::string>& classes, const std::vector<std::string>& features,
               const std::string& method = "partial-dependence", std::int64_t grid = 64) {
  const auto model = load_model(examples + model_file, {.classes = classes});
  Context context(2);
  Table table = Table::load(*scan({.path = examples + data_file}), &context);
  const auto excluded = table.not_features(target, "target");
  table = with_model_categories(std::move(table), model->signature(), excluded);
  return run(method, *model, table, Value::object({{"features", features}, {"target", target}, {"grid", grid}}),
             context);
}

Result bike(const std::vector<std::string>& features, const std::string& method = "partial-dependence",
            std::int64_t grid = 64) {
  return explain("bike/model.json", "bike/bike.csv", "rentals", {}, features, method, grid);
}

double at(const Curve& curve, double value) {
  const auto& grid = curve.axis.numbers;
  const auto point = std::lower_bound(grid.begin(), grid.end(), value) - grid.begin();
  return curve.mean[static_cast<std::size_t>(point)];
}

std::vector<const Caveat*> caveats_of(const Result& result, std::string_view id) {
  std::vector<const Caveat*> found;
  for (const Caveat& caveat : result.caveats) {
    if (caveat.id == id) found.push_back(&caveat);
  }
  return found;
}

TEST(Stories, WarmDaysBringBikesAndHotOnesDoNotBringMore) {
  const Result result = bike({"temp"});
  const auto& curve = result.results[0].get<Curve>();
  EXPECT_GT(at(curve, 16), at(curve, 2) + 30);
  EXPECT_LT(at(curve, 36), at(curve, 20));
  EXPECT_EQ(curve.shape, CurveShape::complex);
  // Temperature and what it feels like cannot be told apart, and the curve says so.
  ASSERT_EQ(caveats_of(result, "correlated-features").size(), 1U);
  const Caveat& tied = *caveats_of(result, "correlated-features")[0];
  EXPECT_EQ(tied.evidence.find("other")->as_string(), "feels_like");
  EXPECT_GT(tied.evidence.find("lower")->as_number(), 0.98);
  EXPECT_EQ(caveats_of(result, "extrapolation")[0]->evidence.find("other")->as_string(), "feels_like");
  EXPECT_TRUE(caveats_of(result, "weak-model").empty());
}

TEST(Stories, DampAirKeepsPeopleOffBikes) {
  const Result result = bike({"humidity"});
  const auto& curve = result.results[0].get<Curve>();
  EXPECT_LT(at(curve, 80), at(curve, 60) - 10);
  EXPECT_LT(at(curve, 94), at(curve, 80) - 15);
  // The sensor's fault: 22 rows at 0, then nothing up to 20.
  ASSERT_EQ(caveats_of(result, "sparse-region").size(), 1U);
  EXPECT_EQ(curve.sparse, (std::vector<std::uint64_t>{0}));
}

TEST(Stories, StormsAreRare) {
  const Result result = bike({"windspeed"});
  const auto& curve = result.results[0].get<Curve>();
  EXPECT_EQ(curve.shape, CurveShape::monotone);
  EXPECT_GT(at(curve, 10), at(curve, 50) + 20);
  ASSERT_EQ(caveats_of(result, "sparse-region").size(), 1U);
  const Caveat& sparse = *caveats_of(result, "sparse-region")[0];
  EXPECT_TRUE(sparse.message.plain().starts_with("windspeed above 34:")) << sparse.message.plain();
  EXPECT_EQ(sparse.evidence.find("ranges")->as_array()[0], Value(std::vector<double>{34, 57}));
  EXPECT_TRUE(caveats_of(result, "correlated-features").empty());
  EXPECT_TRUE(caveats_of(result, "extrapolation").empty());
  EXPECT_EQ(curve.outside.size(), curve.mean.size());
}

TEST(Stories, RushHoursAreThereOnWorkingDaysOnly) {
  const Result result = bike({"workingday"}, "ice");
  ASSERT_EQ(caveats_of(result, "hidden-heterogeneity").size(), 1U);
  EXPECT_GT(caveats_of(result, "hidden-heterogeneity")[0]->evidence.find("value")->as_number(), 0.9);
}

TEST(Stories, EveryFeatureAtOnceIsStillReadable) {
  const Result result = bike({"season", "month", "hour", "weekday", "holiday", "workingday", "weather", "temp",
                              "feels_like", "humidity", "windspeed"},
                             "partial-dependence", 8);
  EXPECT_LE(result.caveats.size(), 8U);
  for (const Caveat& caveat : result.caveats) {
    EXPECT_LT(caveat.message.plain().size(), 400U) << caveat.message.plain();
    EXPECT_FALSE(caveat.advice.empty());
    EXPECT_FALSE(caveat.evidence.as_object().empty());
  }
}

TEST(Stories, HeavyAndDeepBilledPenguinsAreSeldomFemale) {
  const Result result =
      explain("penguins/sex.json", "penguins/penguins.csv", "sex", {"male", "female"}, {"body_mass", "bill_depth"});
  const auto& mass = result.results[0].get<Curve>();
  const auto& depth = result.results[1].get<Curve>();
  EXPECT_EQ(mass.output, "female");
  EXPECT_GT(at(mass, 3200), at(mass, 5500) + 0.2);
  EXPECT_GT(at(depth, 14.5), at(depth, 20) + 0.3);
  for (const Curve* curve : {&mass, &depth}) EXPECT_EQ(curve->shape, CurveShape::monotone);
  EXPECT_TRUE(caveats_of(result, "weak-model").empty());
}

}  // namespace
}  // namespace sightglass
