#include "sightglass/model/evaluator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "sightglass/base/error.h"
#include "support/function_model.h"
#include "support/random_data.h"

namespace sightglass {
namespace {

using testing::FunctionModel;
using testing::random_table;

double total(const std::vector<double>& v) {
  double sum = 0;
  for (std::size_t i = 0; i < v.size(); ++i) sum += std::isnan(v[i]) ? 1000.0 * static_cast<double>(i + 1) : v[i];
  return sum;
}

FunctionModel model_of(Concurrency concurrency) {
  return FunctionModel(
      {"a", "b", "c", "d"}, [](const auto& v) { return std::vector<double>{total(v)}; }, {"prediction"}, concurrency);
}

// Every kind of concurrency and call size sees the same rows under the same overrides.
TEST(Evaluator, OverridesReachTheModel) {
  const Table table = random_table(1, 50);
  const std::vector<double> replacement(50, 2.5);
  const std::vector<Variant> variants = {{},
                                         {{3, Scalar::of(0.5)}},
                                         {{2, Scalar::level(1)}, {1, Scalar::missing()}},
                                         {{0, view_of(replacement)}},
                                         {{2, Scalar::missing()}},
                                         {{3, Scalar::of(0.5)}}};
  for (const Concurrency concurrency :
       {Concurrency::parallel, Concurrency::one_at_a_time, Concurrency::caller_thread}) {
    for (const std::size_t call_rows : {std::size_t{1}, std::size_t{120}, std::size_t{1} << 18}) {
      Context context(2);
      const FunctionModel model = model_of(concurrency);
      EvaluatorOptions options;
      options.call_rows = call_rows;
      Evaluator evaluator(model, table, {}, options, context);
      const auto stream = table.open(evaluator.columns(), 50);
      const auto block = stream->next();
      Matrix out;
      evaluator.evaluate(*block, variants, out);
      for (std::size_t v = 0; v < variants.size(); ++v) {
        for (std::size_t row = 0; row < 50; ++row) {
          std::vector<double> x;
          for (std::size_t column = 0; column < 4; ++column) x.push_back(table.column(column).number(row));
          for (const Override& override : variants[v]) {
            const auto* scalar = std::get_if<Scalar>(&override.value);
            x[override.column] = scalar != nullptr ? scalar->number : 2.5;
          }
          ASSERT_EQ(out(v * 50 + row, 0), total(x)) << v << " " << row;
        }
      }
      EXPECT_EQ(evaluator.model_rows(), 5U * 50) << "the variant that was asked for twice is predicted once";
    }
  }
}

TEST(Evaluator, RefusesPredictionsThatAreNotFinite) {
  const Table table = random_table(2, 10);
  for (const double bad : {NAN, INFINITY}) {
    const FunctionModel model({"a"}, [bad](const auto&) { return std::vector<double>{bad}; });
    Context context(1);
    Evaluator evaluator(model, table, {}, {}, context);
    const auto stream = table.open(evaluator.columns(), 10);
    RowBlock block = *stream->next();
    Matrix out;
    for (const bool made_up : {false, true}) {
      block.made_up = made_up;
      try {
        evaluator.evaluate(block, out);
        FAIL();
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::prediction);
        EXPECT_THAT(error.what(), ::testing::HasSubstr(made_up ? "a row that was made up" : "row 0"));
      }
    }
  }
}

TEST(Evaluator, ExceptionsOfAModelCrossThreadsWhole) {
  const Table table = random_table(3, 5000);
  const FunctionModel model({"a"}, [](const auto& v) -> std::vector<double> {
    if (v[0] > 2) throw Error(ErrorKind::prediction, "too large", "make it smaller");
    return {v[0]};
  });
  Context context(4);
  Evaluator evaluator(model, table, {}, {}, context);
  const auto stream = table.open(evaluator.columns(), 5000);
  Matrix out;
  try {
    evaluator.evaluate(*stream->next(), out);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.advice(), "make it smaller");
  }
}

// Counts how often variants are made ready; each is predicted as its own number.
class Preparing : public Model {
 public:
  [[nodiscard]] const Signature& signature() const override { return signature_; }
  [[nodiscard]] Concurrency concurrency() const override { return Concurrency::parallel; }
  [[nodiscard]] std::unique_ptr<BoundModel> bind(const Schema&, std::span<const std::uint32_t>) const override {
    return std::make_unique<Bound>(*this);
  }
  void add_to(Digest&) const override {}
  mutable int prepared = 0;

 private:
  struct Ready : PreparedVariants {
    std::vector<double> numbers;
    void predict(const RowBlock& block, const PredictOptions&, MatrixSpan<double> out, std::size_t stride,
                 Context&) const override {
      for (std::size_t v = 0; v < numbers.size(); ++v) {
        for (std::size_t row = 0; row < block.rows; ++row) out(v * stride + row, 0) = numbers[v];
      }
    }
    [[nodiscard]] std::size_t bytes() const override { return std::size_t{1} << 27; }
  };
  class Bound : public BoundModel {
   public:
    explicit Bound(const Preparing& model) : model_(model) {}
    [[nodiscard]] const std::vector<std::uint32_t>& columns() const override { return columns_; }
    void predict(const RowBlock& block, const PredictOptions&, MatrixSpan<double> out, Context&) const override {
      for (std::size_t row = 0; row < block.rows; ++row) out(row, 0) = -1;
    }
    [[nodiscard]] std::unique_ptr<PreparedVariants> prepare(std::span<const Variant> variants,
                                                            const Context&) const override {
      ++model_.prepared;
      if (variants.size() < 2) return nullptr;
      auto ready = std::make_unique<Ready>();
      for (const Variant& variant : variants) ready->numbers.push_back(std::get<Scalar>(variant[0].value).number);
      return ready;
    }

   private:
    const Preparing& model_;
    std::vector<std::uint32_t> columns_ = {0};
  };
  Signature signature_{.format = "test", .features = {{.name = "a"}}, .outputs = {"prediction"}};
};

TEST(Evaluator, VariantsAreMadeReadyOnceForAllBlocks) {
  const Table table = random_table(5, 90);
  const Preparing model;
  Context context(2);
  Evaluator evaluator(model, table, {}, {}, context);
  const auto ask = [&](const std::vector<double>& numbers, bool together) {
    std::vector<Variant> variants;
    for (const double number : numbers) variants.push_back({{0, Scalar::of(number)}});
    const auto stream = table.open(evaluator.columns(), 30);
    while (const auto block = stream->next()) {
      Matrix out;
      evaluator.evaluate(*block, variants, out, together);
      for (std::size_t v = 0; v < numbers.size(); ++v)
        EXPECT_EQ(out(v * 30 + 7, 0), together && numbers.size() > 1 ? numbers[v] : -1);
    }
  };
  evaluator.begin("test", 0);
  ask({1, 2}, true);
  EXPECT_EQ(model.prepared, 1);
  ask({1, 2}, false);  // where the last digit counts
  EXPECT_EQ(model.prepared, 1);
  ask({5}, true);
  EXPECT_EQ(model.prepared, 2) << "that they do not go together is remembered too";
  ask({1, 3}, true);
  EXPECT_EQ(model.prepared, 5) << "there is room for one of them only";
  ask({1, 2}, true);
  EXPECT_EQ(model.prepared, 5);
  evaluator.begin("another task", 0);
  ask({1, 3}, true);
  EXPECT_EQ(model.prepared, 6);
}

TEST(Evaluator, CancelStopsTheWork) {
  const Table table = random_table(4, 100);
  const FunctionModel model = model_of(Concurrency::parallel);
  Context context(2);
  Evaluator evaluator(model, table, {}, {}, context);
  const auto stream = table.open(evaluator.columns(), 100);
  const auto block = stream->next();
  context.cancel();
  Matrix out;
  EXPECT_THROW(evaluator.evaluate(*block, out), Cancelled);
}

}  // namespace
}  // namespace sightglass
