// ROC, precision-recall, calibration and confusion: by hand and against sums over all rows for each threshold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "sightglass/base/error.h"
#include "sightglass/methods/run/session.h"
#include "sightglass/result/shapes/confusion.h"
#include "sightglass/result/shapes/diagram.h"
#include "support/function_model.h"
#include "support/law_cases.h"

namespace sightglass {
namespace {

using ::testing::ElementsAre;
using testing::FunctionModel;
using ::testing::HasSubstr;

const testing::LawCase roc_laws("roc", {.options = Value::object({{"points", 0}}),
                                        .about_features = false,
                                        .target = testing::LawTarget::classes});
const testing::LawCase thinned_laws("roc:thinned", {.options = Value::object({{"points", 9}}),
                                                    .about_features = false,
                                                    .target = testing::LawTarget::classes});
const testing::LawCase precision_laws("precision-recall", {.options = Value::object({{"points", 0}}),
                                                           .about_features = false,
                                                           .target = testing::LawTarget::classes});
const testing::LawCase calibration_laws("calibration", {.options = Value::object({{"bins", 5}}),
                                                        .about_features = false,
                                                        .target = testing::LawTarget::classes});
const testing::LawCase uniform_laws("calibration:uniform",
                                    {.options = Value::object({{"bins", 5}, {"strategy", "uniform"}}),
                                     .about_features = false,
                                     .target = testing::LawTarget::classes});
const testing::LawCase confusion_laws("confusion-matrix",
                                      {.about_features = false, .target = testing::LawTarget::classes});
const testing::LawCase one_class_laws("confusion-matrix:one",
                                      {.options = Value::object({{"threshold", 0.3}, {"output", "some"}}),
                                       .about_features = false,
                                       .target = testing::LawTarget::classes});

// The probability of the second class is x; w are weights.
class Classifier : public FunctionModel {
 public:
  explicit Classifier(std::vector<std::string> outputs = {"prediction"})
      : FunctionModel(
            {"x"},
            [count = outputs.size()](const auto& x) {
              std::vector<double> all(count, (1 - x[0]) / static_cast<double>(count));
              all[count == 1 ? 0 : 1] = x[0];
              return all;
            },
            outputs) {
    signature_ = FunctionModel::signature();
    signature_.task = outputs.size() > 1 ? Task::multiclass : Task::binary;
  }
  [[nodiscard]] const Signature& signature() const override { return signature_; }

 private:
  Signature signature_;
};

struct Data {
  std::vector<double> x, y, w;
  [[nodiscard]] Table table() const {
    const Table all(Schema({{.name = "x"}, {.name = "y"}, {.name = "w"}}), {column_of(x), column_of(y), column_of(w)});
    return all.with_weights(2);
  }
};

// Many ties, weights, some of them 0.
Data random_data(std::uint64_t seed, std::size_t rows) {
  std::mt19937_64 random(seed);
  Data data;
  for (std::size_t i = 0; i < rows; ++i) {
    data.x.push_back(static_cast<double>(random() % 21) / 20);
    data.y.push_back(static_cast<double>(random() % 100) < 100 * data.x.back() ? 1 : 0);
    data.w.push_back(static_cast<double>(random() % 5) / 2);
  }
  return data;
}

Result measured(const std::string& method, const Model& model, const Table& table, Value options = Value::object()) {
  Context context(1);
  return run(method, model, table, options.set("target", "y"), context);
}

const DiagramSeries& own(const Diagram& diagram) { return *own_series(diagram).at(0); }

double figure(const Diagram& diagram, const std::string& name) {
  for (const DiagramFigure& each : diagram.figures) {
    if (each.name == name) return each.value;
  }
  return NAN;
}

bool has_caveat(const Result& result, const std::string& id) {
  return std::any_of(result.caveats.begin(), result.caveats.end(),
                     [&](const Caveat& caveat) { return caveat.id == id; });
}

TEST(Roc, ByHand) {
  const Data data{{0.9, 0.6, 0.6, 0.1}, {1, 1, 0, 0}, {1, 1, 1, 1}};
  const Result result = measured("roc", Classifier(), data.table());
  const auto& diagram = result.results.at(0).get<Diagram>();
  EXPECT_THAT(own(diagram).x, ElementsAre(0, 0, 0.5, 1));
  EXPECT_THAT(own(diagram).y, ElementsAre(0, 0.5, 1, 1));
  EXPECT_THAT(own(diagram).threshold, ElementsAre(INFINITY, 0.9, 0.6, 0.1));
  EXPECT_DOUBLE_EQ(figure(diagram, "AUC"), (1 + 1 + 0.5 + 1) / 4);
  // The default threshold takes the first three.
  const DiagramSeries& ring = diagram.series.back();
  EXPECT_EQ(ring.mark, SeriesMark::ring);
  EXPECT_THAT(ring.x, ElementsAre(0.5));
  EXPECT_THAT(ring.y, ElementsAre(1));
}

TEST(Roc, AndPrecisionAreSumsOverAllRows) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Data data = random_data(seed, 120);
    const Value all = Value::object({{"points", 0}});
    const Result roc = measured("roc", Classifier(), data.table(), all);
    const Result precision = measured("precision-recall", Classifier(), data.table(), all);
    const DiagramSeries& rates = own(roc.results.at(0).get<Diagram>());
    const DiagramSeries& precisions = own(precision.results.at(0).get<Diagram>());
    std::set<double> scores;
    for (std::size_t i = 0; i < data.x.size(); ++i) {
      if (data.w[i] > 0) scores.insert(data.x[i]);
    }
    ASSERT_EQ(rates.x.size(), scores.size() + 1);
    double average = 0, before = 0;
    for (std::size_t k = 1; k < rates.x.size(); ++k) {
      double right = 0, wrong = 0, positives = 0, negatives = 0;
      for (std::size_t i = 0; i < data.x.size(); ++i) {
        (data.y[i] == 1 ? positives : negatives) += data.w[i];
        if (data.x[i] >= rates.threshold[k]) (data.y[i] == 1 ? right : wrong) += data.w[i];
      }
      EXPECT_DOUBLE_EQ(rates.x[k], wrong / negatives);
      EXPECT_DOUBLE_EQ(rates.y[k], right / positives);
      EXPECT_DOUBLE_EQ(precisions.x[k], right / positives);
      EXPECT_DOUBLE_EQ(precisions.y[k], right / (right + wrong));
      average += (right / positives - before) * right / (right + wrong);
      before = right / positives;
    }
    EXPECT_NEAR(figure(precision.results.at(0).get<Diagram>(), "average precision"), average, 1e-12);
    // The area by all pairs of rows.
    double above = 0, pairs = 0;
    for (std::size_t i = 0; i < data.x.size(); ++i) {
      for (std::size_t j = 0; j < data.x.size(); ++j) {
        if (data.y[i] != 1 || data.y[j] != 0) continue;
        const double weight = data.w[i] * data.w[j];
        pairs += weight;
        above += weight * (data.x[i] > data.x[j] ? 1 : data.x[i] == data.x[j] ? 0.5 : 0);
      }
    }
    EXPECT_NEAR(figure(roc.results.at(0).get<Diagram>(), "AUC"), above / pairs, 1e-12);
  }
}

// DeLong's standard error with all weights alike: over pairs.
TEST(Roc, IntervalOfTheAreaIsDeLongs) {
  Data data = random_data(7, 80);
  std::fill(data.w.begin(), data.w.end(), 1);
  const Result result = measured("roc", Classifier(), data.table());
  const DiagramFigure area = result.results.at(0).get<Diagram>().figures.at(0);
  std::vector<double> first, second;
  for (std::size_t i = 0; i < data.x.size(); ++i) (data.y[i] == 1 ? first : second).push_back(data.x[i]);
  const auto kernel = [](double a, double b) { return a > b ? 1.0 : a == b ? 0.5 : 0.0; };
  const auto variance = [&](const std::vector<double>& of, const std::vector<double>& against, bool higher) {
    double sum = 0;
    for (const double a : of) {
      double share = 0;
      for (const double b : against) share += higher ? kernel(a, b) : kernel(b, a);
      share /= static_cast<double>(against.size());
      sum += (share - area.value) * (share - area.value);
    }
    const auto rows = static_cast<double>(of.size());
    return sum / (rows - 1) / rows;
  };
  const double half = 1.959963984540054 * std::sqrt(variance(first, second, true) + variance(second, first, false));
  EXPECT_NEAR(area.high.value() - area.value, half, 1e-12);
  EXPECT_NEAR(area.value - area.low.value(), half, 1e-12);
}

TEST(Roc, ThinnedCurvesKeepTheirAreaEndsAndBends) {
  std::mt19937_64 random(3);
  Data data;
  for (int i = 0; i < 3000; ++i) {
    data.x.push_back(static_cast<double>(random() % 100000) / 100000);
    data.y.push_back(static_cast<double>(random() % 100000) / 100000 < data.x.back() ? 1 : 0);
    data.w.push_back(1);
  }
  const Result all = measured("roc", Classifier(), data.table(), Value::object({{"points", 0}}));
  const Result some = measured("roc", Classifier(), data.table(), Value::object({{"points", 100}}));
  const DiagramSeries& curve = own(some.results.at(0).get<Diagram>());
  EXPECT_LE(curve.x.size(), 100U);
  EXPECT_GE(curve.x.size(), 80U);
  EXPECT_EQ(curve.x.back(), 1);
  EXPECT_EQ(curve.y.front(), 0);
  EXPECT_EQ(figure(all.results.at(0).get<Diagram>(), "AUC"), figure(some.results.at(0).get<Diagram>(), "AUC"));
  double area = 0;
  for (std::size_t i = 1; i < curve.x.size(); ++i)
    area += (curve.x[i] - curve.x[i - 1]) * (curve.y[i] + curve.y[i - 1]) / 2;
  EXPECT_NEAR(area, figure(all.results.at(0).get<Diagram>(), "AUC"), 2e-3);
}

TEST(Roc, OfManyClassesIsEachAgainstTheRest) {
  const Data data{{0.9, 0.2, 0.5, 0.1}, {1, 0, 2, NAN}, {1, 1, 1, 1}};
  const Result result = measured("roc", Classifier({"0", "1", "2"}), data.table());
  ASSERT_EQ(result.results.size(), 3U);
  EXPECT_EQ(result.results[1].output(), "1");
  EXPECT_DOUBLE_EQ(figure(result.results[1].get<Diagram>(), "AUC"), 1);
  EXPECT_EQ(result.data.find("scored_rows")->as_integer(), 3) << "a row has no class";
  EXPECT_TRUE(has_caveat(result, "missing-target"));
  const Result one = measured("roc", Classifier({"0", "1", "2"}), data.table(), Value::object({{"output", "1"}}));
  ASSERT_EQ(one.results.size(), 1U);
  EXPECT_EQ(own(one.results[0].get<Diagram>()).y, own(result.results[1].get<Diagram>()).y);
}

TEST(Roc, OfOneClassThereIsNone) {
  const Data data{{0.9, 0.2}, {1, 1}, {1, 1}};
  for (const char* method : {"roc", "precision-recall"}) {
    const Result result = measured(method, Classifier(), data.table());
    EXPECT_TRUE(result.results.empty());
    EXPECT_TRUE(has_caveat(result, "one-class"));
  }
  const Data without{{0.9, 0.2, 0.1}, {0, 1, 1}, {1, 1, 1}};
  const Result two_of_three = measured("roc", Classifier({"0", "1", "2"}), without.table());
  EXPECT_EQ(two_of_three.results.size(), 2U);
  EXPECT_TRUE(has_caveat(two_of_three, "class-without-rows"));
}

TEST(Roc, RareClassesAreSaid) {
  Data data = random_data(2, 400);
  for (std::size_t i = 0; i < data.y.size(); ++i) data.y[i] = i % 40 == 0 ? 1 : 0;
  std::fill(data.w.begin(), data.w.end(), 1);
  EXPECT_TRUE(has_caveat(measured("roc", Classifier(), data.table()), "rare-class"));
}

TEST(Roc, SaysWhatDoesNotFit) {
  const FunctionModel numbers({"x"}, [](const auto& x) { return std::vector<double>{x[0]}; });
  const Data data{{1, 2, 3}, {1, 2, 3}, {1, 1, 1}};
  for (const char* method : {"roc", "precision-recall", "calibration", "confusion-matrix"}) {
    try {
      (void)measured(method, numbers, data.table());
      ADD_FAILURE() << method;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      EXPECT_THAT(error.what(), HasSubstr("there are no classes"));
    }
    Context context(1);
    EXPECT_THROW((void)run(method, numbers, data.table(), Value::object(), context), Error) << "no target";
  }
  // Numbers that are no probabilities do for an order.
  const Data classes{{3, 2, 1}, {1, 0, 0}, {1, 1, 1}};
  EXPECT_DOUBLE_EQ(figure(measured("roc", numbers, classes.table()).results.at(0).get<Diagram>(), "AUC"), 1);
  EXPECT_THROW((void)measured("calibration", numbers, classes.table()), Error);
}

TEST(Calibration, ByHand) {
  const Data data{{0.1, 0.1, 0.3, 0.4, 0.8, 0.9}, {0, 1, 0, 0, 1, 1}, {1, 1, 1, 1, 1, 3}};
  const Result result =
      measured("calibration", Classifier(), data.table(), Value::object({{"bins", 2}, {"strategy", "uniform"}}));
  const auto& diagram = result.results.at(0).get<Diagram>();
  EXPECT_THAT(own(diagram).x, ElementsAre(::testing::DoubleEq(0.9 / 4), ::testing::DoubleEq((0.8 + 2.7) / 4)));
  EXPECT_THAT(own(diagram).y, ElementsAre(0.25, 1));
  EXPECT_THAT(own(diagram).count, ElementsAre(4, 4));
  EXPECT_NEAR(figure(diagram, "expected calibration error"), 0.5 * 0.025 + 0.5 * 0.125, 1e-12);
  // Wilson's interval of 1 in 4.
  EXPECT_NEAR(own(diagram).low[0], 0.0455, 1e-3);
  EXPECT_NEAR(own(diagram).high[0], 0.6993, 1e-3);
  EXPECT_EQ(own(diagram).high[1], 1);
  EXPECT_TRUE(has_caveat(result, "few-rows-per-bin"));
}

TEST(Calibration, QuantileBinsHoldAsManyRowsButTiesStayTogether) {
  const Data data{{0.1, 0.2, 0.2, 0.2, 0.5, 0.6}, {0, 0, 0, 1, 1, 1}, {1, 1, 1, 1, 1, 1}};
  const Result result = measured("calibration", Classifier(), data.table(), Value::object({{"bins", 3}}));
  EXPECT_THAT(own(result.results.at(0).get<Diagram>()).count, ElementsAre(4, 2));
}

TEST(ConfusionMatrix, CountsRowsByTruthAndPrediction) {
  const Data data{{0.9, 0.5, 0.6, 0.1, 0.4}, {1, 1, 0, 0, NAN}, {1, 2, 1, 1, 1}};
  const Result result = measured("confusion-matrix", Classifier(), data.table());
  const auto& confusion = result.results.at(0).get<Confusion>();
  EXPECT_THAT(confusion.classes, ElementsAre("0", "1"));
  // One half is not above one half.
  EXPECT_THAT(confusion.count[0], ElementsAre(1, 1));
  EXPECT_THAT(confusion.count[1], ElementsAre(2, 1));
  EXPECT_DOUBLE_EQ(accuracy_of(confusion).value(), 2.0 / 5);
  EXPECT_DOUBLE_EQ(counts_of(confusion, 1).precision().value(), 0.5);
  EXPECT_DOUBLE_EQ(counts_of(confusion, 1).recall().value(), 1.0 / 3);
  EXPECT_DOUBLE_EQ(counts_of(confusion, 1).f1().value(), 2.0 / 5);
  const Result lower = measured("confusion-matrix", Classifier(), data.table(), Value::object({{"threshold", 0.5}}));
  EXPECT_THAT(lower.results.at(0).get<Confusion>().count[1], ElementsAre(0, 3)) << "from the threshold on";
}

TEST(ConfusionMatrix, OfManyClassesTakesTheHighest) {
  const Data data{{0.9, 0.2, 0.5, 0.1}, {1, 0, 2, 2}, {1, 1, 1, 1}};
  const Result result = measured("confusion-matrix", Classifier({"0", "1", "2"}), data.table());
  const auto& confusion = result.results.at(0).get<Confusion>();
  EXPECT_THAT(confusion.count[0], ElementsAre(1, 0, 0));  // ties go to the first
  EXPECT_THAT(confusion.count[1], ElementsAre(0, 1, 0));
  EXPECT_THAT(confusion.count[2], ElementsAre(1, 1, 0));
  EXPECT_THROW((void)measured("confusion-matrix", Classifier({"0", "1", "2"}), data.table(),
                              Value::object({{"threshold", 0.3}})),
               Error);
  const Result one = measured("confusion-matrix", Classifier({"0", "1", "2"}), data.table(),
                              Value::object({{"output", "1"}, {"threshold", 0.2}}));
  EXPECT_THAT(one.results.at(0).get<Confusion>().count[0], ElementsAre(1, 2));
}

}  // namespace
}  // namespace sightglass
