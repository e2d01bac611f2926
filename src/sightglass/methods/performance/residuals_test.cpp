#include "sightglass/methods/performance/residuals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "sightglass/base/error.h"
#include "sightglass/methods/run/session.h"
#include "sightglass/numeric/normal.h"
#include "sightglass/result/shapes/diagram.h"
#include "support/function_model.h"
#include "support/law_cases.h"

namespace sightglass {
namespace {

using ::testing::ElementsAre;
using testing::FunctionModel;
using ::testing::HasSubstr;
using Texts = std::vector<std::string>;

const testing::LawCase laws("residuals", {.options = Value::object({{"features", Texts{"a", "b", "c"}}, {"bins", 4}}),
                                          .about_features = false,
                                          .target = testing::LawTarget::numbers});
const testing::LawCase mean_laws(
    "residuals:means", {.options = Value::object({{"features", Texts{"a", "b", "c", "d"}}, {"bins", 1}, {"points", 0}}),
                        .draws = false,
                        .about_features = false,
                        .target = testing::LawTarget::numbers});

const FunctionModel& model() {
  static const FunctionModel same({"x"}, [](const auto& x) { return std::vector<double>{x[0]}; });
  return same;
}

Result shown(const Table& table, Value options = Value::object()) {
  Context context(1);
  return run("residuals", model(), table, options.set("target", "y"), context);
}

const Diagram& named(const Result& result, const std::string& name) {
  for (const ResultItem& item : result.results) {
    if (item.get<Diagram>().name == name) return item.get<Diagram>();
  }
  throw std::runtime_error("no " + name);
}

const DiagramSeries& series(const Diagram& diagram, SeriesMark mark) {
  for (const DiagramSeries& each : diagram.series) {
    if (each.mark == mark) return each;
  }
  throw std::runtime_error("no such series");
}

TEST(Residuals, MeansOfBinsAreThoseOfTheirRows) {
  std::mt19937_64 random(4);
  std::vector<double> x, y, w;
  for (int i = 0; i < 400; ++i) {
    x.push_back(static_cast<double>(random() % 1000) / 100);
    y.push_back(x.back() + static_cast<double>(random() % 100) / 100);
    w.push_back(1);
  }
  y[7] = NAN;
  const Table table(Schema({{.name = "x"}, {.name = "y"}}), {column_of(x), column_of(y)});
  const Result result = shown(table, Value::object({{"bins", 5}, {"points", 30}}));
  EXPECT_EQ(result.data.find("scored_rows")->as_integer(), 399);
  const Diagram& diagram = named(result, "Residuals by prediction");
  const DiagramSeries& means = series(diagram, SeriesMark::means);
  ASSERT_EQ(means.x.size(), 5U);
  // By brute force: rows in the order of x, ties together, a fifth of them each.
  std::map<double, std::vector<double>> by_x;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isnan(y[i])) by_x[x[i]].push_back(y[i] - x[i]);
  }
  std::size_t bin = 0, done = 0;
  std::vector<double> inside;
  for (const auto& [value, residuals] : by_x) {
    inside.insert(inside.end(), residuals.begin(), residuals.end());
    done += residuals.size();
    if (static_cast<double>(done) < 399.0 * static_cast<double>(bin + 1) / 5 - 1e-9) continue;
    double sum = 0, squares = 0;
    for (const double residual : inside) sum += residual;
    const auto rows = static_cast<double>(inside.size());
    for (const double residual : inside) squares += (residual - sum / rows) * (residual - sum / rows);
    EXPECT_NEAR(means.y[bin], sum / rows, 1e-12);
    EXPECT_EQ(means.count[bin], rows);
    EXPECT_NEAR(means.high[bin] - means.y[bin], 1.959963984540054 * std::sqrt(squares / (rows - 1) / rows), 1e-12);
    ++bin;
    inside.clear();
  }
  EXPECT_EQ(bin, 5U);
  const DiagramSeries& dots = series(diagram, SeriesMark::rows);
  ASSERT_EQ(dots.rows.size(), 30U);
  for (std::size_t k = 0; k < dots.rows.size(); ++k) {
    EXPECT_EQ(dots.x[k], x[dots.rows[k]]);
    EXPECT_EQ(dots.y[k], y[dots.rows[k]] - x[dots.rows[k]]);
  }
  const Result none = shown(table, Value::object({{"points", 0}}));
  for (const ResultItem& item : none.results) {
    for (const DiagramSeries& each : item.get<Diagram>().series) EXPECT_TRUE(each.rows.empty()) << "of no single row";
  }
}

TEST(Residuals, ByLevelsAndWhereAFeatureIsMissing) {
  const auto dictionary = std::make_shared<Dictionary>(std::vector<std::string>{"red", "blue", "none"});
  const Schema schema(
      {{.name = "x"}, {.name = "c", .type = DType::categorical, .dictionary = dictionary}, {.name = "y"}});
  const FunctionModel two({"x", "c"}, [](const auto& x) { return std::vector<double>{x[0]}; });
  const Table table(schema, {column_of(std::vector<double>{1, 2, 3, 4}),
                             column_of(std::vector<std::int32_t>{0, 0, 1, -1}, dictionary.get()),
                             column_of(std::vector<double>{2, 5, 3, 0})});
  Context context(1);
  const Result result = run("residuals", two, table,
                            Value::object({{"target", "y"}, {"features", Texts{"c"}}, {"against", Texts{}}}), context);
  const Diagram& diagram = named(result, "Residuals by c");
  EXPECT_THAT(diagram.x.levels, ElementsAre("red", "blue"));
  EXPECT_THAT(series(diagram, SeriesMark::means).y, ElementsAre(2, 0));
  EXPECT_EQ(diagram.figures.back().name, "mean residual where it is missing");
  EXPECT_EQ(diagram.figures.back().value, -4);
}

TEST(Residuals, QuantilesOfNormalOnesLieOnTheLine) {
  std::vector<double> x(999, 0), y;
  for (int k = 1; k < 1000; ++k) y.push_back(3 + 2 * normal_quantile(k / 1000.0));
  const Table table(Schema({{.name = "x"}, {.name = "y"}}), {column_of(x), column_of(y)});
  const Result result = shown(table);
  const Diagram& diagram = named(result, "Quantiles of residuals");
  const DiagramSeries& line = series(diagram, SeriesMark::line);
  for (std::size_t i = 0; i < line.x.size(); ++i) EXPECT_NEAR(line.y[i], 3 + 2 * line.x[i], 1e-9);
  EXPECT_NEAR(diagram.figures[0].value, 3.005, 0.01);
}

TEST(Residuals, OfClassesThereAreNone) {
  class Classifier : public FunctionModel {
   public:
    Classifier() : FunctionModel({"x"}, [](const auto& x) { return std::vector<double>{x[0]}; }) {
      signature_ = FunctionModel::signature();
      signature_.task = Task::binary;
    }
    [[nodiscard]] const Signature& signature() const override { return signature_; }

   private:
    Signature signature_;
  };
  const Table table(Schema({{.name = "x"}, {.name = "y"}}),
                    {column_of(std::vector<double>{0.5}), column_of(std::vector<double>{1})});
  Context context(1);
  try {
    (void)run("residuals", Classifier(), table, Value::object({{"target", "y"}}), context);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("the model predicts classes"));
  }
  EXPECT_THROW((void)shown(table, Value::object({{"against", Texts{"moon"}}})), Error);
}

}  // namespace
}  // namespace sightglass
