// A report stays small enough to send around: 50 features of 10 classes, 200 features.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "sightglass/render/html/html_renderer.h"
#include "sightglass/render/html/payload_internal.h"
#include "sightglass/result/json.h"
#include "sightglass/result/legacy_internal.h"

namespace sightglass {
namespace {

constexpr std::size_t five_megabytes = 5'000'000;

// Numbers with all their digits, as a model gives them.
class Numbers {
 public:
  double next() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<double>(state_ >> 11) / 9007199254740992.0;
  }
  std::vector<double> list(std::size_t count) {
    std::vector<double> values(count);
    for (double& value : values) value = next();
    return values;
  }

 private:
  std::uint64_t state_ = 1;
};

struct Shape {
  std::size_t features, outputs;
};

// What a report computes, in its amounts.
class MadeUpReport {
 public:
  explicit MadeUpReport(Shape shape) : shape_(shape) {
    for (std::size_t i = 0; i < shape.features; ++i) names_.push_back("feature_" + std::to_string(i));
    for (std::size_t i = 0; i < shape.outputs; ++i) outputs_.push_back("class_" + std::to_string(i));
  }

  std::vector<Result> results() {
    return {rankings(),
            shap(500),
            shap(9),
            effects("partial-dependence", Measure::mean, 20),
            effects("ale", Measure::effect, 32),
            effects("m-plot", Measure::mean, 20),
            single_rows(60, 10, true),
            single_rows(9, 10, false),
            interactions(),
            pairs("ale", Measure::effect),
            pairs("partial-dependence", Measure::mean)};
  }

 private:
  [[nodiscard]] Result result(const char* method, std::vector<ResultItem> items) const {
    Result made;
    made.method = method;
    made.model = Value::object({{"task", shape_.outputs > 1 ? "multiclass" : "regression"}, {"file", "model.json"}});
    made.results = std::move(items);
    add_missing_meaning(made);
    return made;
  }
  Axis axis(std::size_t feature, std::size_t points) {
    Axis made{names_[feature], "", {}, {}, false};
    for (std::size_t i = 0; i < points; ++i) made.numbers.push_back(static_cast<double>(i) + numbers_.next());
    return made;
  }
  Result rankings() {
    std::vector<ResultItem> items;
    for (const auto& output : outputs_) {
      for (const auto& name : names_) {
        Importance entry;
        entry.feature = name;
        entry.features = {name};
        entry.output = output;
        entry.measure = measure_from_text("sd of partial dependence");
        entry.importance = numbers_.next();
        items.emplace_back(entry);
      }
    }
    return result("pd-importance", std::move(items));
  }
  Result effects(const char* method, Measure measure, std::size_t points) {
    std::vector<ResultItem> items;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      Curve curve;
      curve.axis = axis(i, points);
      curve.measure = measure;
      curve.count.assign(points, 100);
      curve.distribution = {numbers_.list(31), std::vector<double>(30, 50), numbers_.list(9), 0};
      for (const auto& output : outputs_) {
        curve.output = output;
        curve.mean = numbers_.list(points);
        curve.se_shape = numbers_.list(points);
        items.emplace_back(curve);
      }
    }
    return result(method, std::move(items));
  }
  Result single_rows(std::size_t rows, std::size_t features, bool centred) {
    std::vector<ResultItem> items;
    for (std::size_t i = 0; i < features; ++i) {
      Curves curves;
      curves.axis = axis(i, 20);
      for (std::size_t row = 0; row < rows; ++row) {
        curves.rows.push_back(row);
        curves.own_value.emplace_back(numbers_.next());
      }
      if (centred) curves.anchor = curves.axis.numbers[0];
      for (const auto& output : outputs_) {
        curves.output = output;
        curves.values.clear();
        for (std::size_t row = 0; row < rows; ++row) curves.values.push_back(numbers_.list(20));
        items.emplace_back(curves);
      }
    }
    return result("ice", std::move(items));
  }
  Result shap(std::size_t rows) {
    std::vector<ResultItem> items;
    for (const auto& output : outputs_) {
      Attributions item;
      item.output = output;
      for (const auto& name : names_) item.features.push_back({name, "", {}, {}, false});
      for (std::size_t row = 0; row < rows; ++row) item.rows.push_back(row);
      item.prediction = numbers_.list(rows);
      item.values = numbers_.list(rows * names_.size());
      item.data = numbers_.list(rows * names_.size());
      items.emplace_back(item);
    }
    return result("shap", std::move(items));
  }
  Result interactions() {
    std::vector<ResultItem> items;
    const std::size_t count = std::min<std::size_t>(30, names_.size());
    for (const auto& output : outputs_) {
      for (std::size_t a = 0; a < count; ++a) {
        for (std::size_t b = a + 1; b < count; ++b) {
          Interaction pair;
          pair.features = {names_[a], names_[b]};
          pair.output = output;
          pair.strength = numbers_.next();
          pair.h2 = numbers_.next();
          items.emplace_back(pair);
        }
      }
    }
    return result("interactions", std::move(items));
  }
  Result pairs(const char* method, Measure measure) {
    std::vector<ResultItem> items;
    for (std::size_t pair = 0; pair < 6; ++pair) {
      Surface surface;
      surface.first = axis(pair, 17);
      surface.second = axis(pair + 1, 17);
      surface.measure = measure;
      surface.count.assign(17, std::vector<double>(17, 5));
      for (const auto& output : outputs_) {
        surface.output = output;
        surface.mean.clear();
        for (std::size_t i = 0; i < 17; ++i) surface.mean.push_back(numbers_.list(17));
        items.emplace_back(surface);
      }
    }
    return result(method, std::move(items));
  }

  Shape shape_;
  std::vector<std::string> names_, outputs_;
  Numbers numbers_;
};

TEST(PageSize, FiftyFeaturesOfTenClasses) {
  const auto results = MadeUpReport({50, 10}).results();
  // What it would be without packing; numbers by chance pack worse than those of models.
  EXPECT_GT(to_json(page_payload(results, "")).size(), five_megabytes);
  EXPECT_LT(render_html(results).size(), five_megabytes);
}

TEST(PageSize, TwoHundredFeatures) { EXPECT_LT(render_html(MadeUpReport({200, 1}).results()).size(), five_megabytes); }

TEST(PageSize, TheSameResultsGiveTheSamePage) {
  const auto results = MadeUpReport({20, 3}).results();
  EXPECT_TRUE(render_html(results) == render_html(results));
}

}  // namespace
}  // namespace sightglass
