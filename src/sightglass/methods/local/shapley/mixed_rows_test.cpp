// Rows reach a model as columns, as a matrix of ours, or written into a matrix of its own: the numbers are the same.
#include <gtest/gtest.h>

#include <cmath>

#include "sightglass/methods/run/session.h"
#include "support/function_model.h"

namespace sightglass {
namespace {

using testing::FunctionModel;

// Has memory for a matrix, and watches what is behind it.
class MatrixModel : public Model {
 public:
  explicit MatrixModel(const FunctionModel& model) : model_(model) {}
  [[nodiscard]] const Signature& signature() const override { return model_.signature(); }
  [[nodiscard]] Concurrency concurrency() const override { return Concurrency::caller_thread; }
  [[nodiscard]] std::unique_ptr<BoundModel> bind(const Schema& schema,
                                                 std::span<const std::uint32_t> excluded) const override {
    return std::make_unique<Bound>(*this, model_.bind(schema, excluded));
  }
  void add_to(Digest&) const override {}

  mutable std::size_t rows_written = 0;

 private:
  class Bound : public BoundModel {
   public:
    Bound(const MatrixModel& model, std::unique_ptr<BoundModel> bound) : model_(model), bound_(std::move(bound)) {}
    [[nodiscard]] const std::vector<std::uint32_t>& columns() const override { return bound_->columns(); }
    void predict(const RowBlock& block, const PredictOptions& options, MatrixSpan<double> out,
                 Context& context) const override {
      bound_->predict(block, options, out, context);
    }
    bool predict_numbers(const NumberBatch& numbers, const PredictOptions& options, MatrixSpan<double> out,
                         Context& context) const override {
      constexpr double untouched = -12345;
      const std::size_t size = numbers.rows * numbers.columns;
      std::vector<double> matrix(size + 8, untouched);
      numbers.write(matrix.data());
      for (std::size_t i = size; i < matrix.size(); ++i) EXPECT_EQ(matrix[i], untouched);
      model_.rows_written += numbers.rows;
      std::vector<ColumnView> views(columns().size());
      for (std::size_t k = 0; k < numbers.columns; ++k) {
        views[columns()[k]] = {
            .data = matrix.data() + k, .size = numbers.rows, .stride = numbers.columns * sizeof(double)};
      }
      bound_->predict({.rows = numbers.rows, .columns = views}, options, out, context);
      return true;
    }

   private:
    const MatrixModel& model_;
    std::unique_ptr<BoundModel> bound_;
  };

  const FunctionModel& model_;
};

Table waves(std::size_t features, std::size_t rows) {
  std::vector<ColumnInfo> infos;
  std::vector<Column> columns;
  for (std::size_t j = 0; j < features; ++j) {
    infos.push_back({.name = "f" + std::to_string(j)});
    std::vector<double> values(rows);
    // Some values come again, so that rows differ in some features only.
    for (std::size_t i = 0; i < rows; ++i) values[i] = std::round(3 * std::sin(static_cast<double>(i * i + 7 * j)));
    columns.push_back(column_of(std::move(values)));
  }
  return Table(Schema(std::move(infos)), std::move(columns));
}

std::vector<double> values_of(const Model& model, const Table& table, const Value& options) {
  Context context(1);
  std::vector<double> values;
  for (const ResultItem& item : run("shap", model, table, options, context).results) {
    const auto* found = item.as<Attributions>();
    if (found != nullptr) values.insert(values.end(), found->values.begin(), found->values.end());
  }
  return values;
}

TEST(MixedRows, AreTheSameHoweverTheyReachTheModel) {
  const auto bent = [](const std::vector<double>& x) {
    double sum = 1, product = 1;
    for (std::size_t j = 0; j < x.size(); ++j) {
      sum += static_cast<double>(j + 1) * x[j];
      product *= std::cos(x[j] + static_cast<double>(j));
    }
    return std::vector<double>{sum * product};
  };
  // Every rest of a group of numbers; 14 features at once have more coalitions than one call takes.
  for (const std::size_t features : {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 14}) {
    std::vector<std::string> names;
    for (std::size_t j = 0; j < features; ++j) names.push_back("f" + std::to_string(j));
    const FunctionModel columns(names, bent), ours(names, bent, {"prediction"}, Concurrency::one_at_a_time);
    const MatrixModel its_own(ours);
    const Table table = waves(features, 9);
    for (const char* estimator : {"exact", "sampling"}) {
      const Value options = Value::object({{"estimator", estimator},
                                           {"rows", Value::array().push_back(0).push_back(4)},
                                           {"background_rows", 0},
                                           {"permutations", 4},
                                           {"caveat_rows", 1}});
      const std::vector<double> expected = values_of(columns, table, options);
      EXPECT_EQ(values_of(ours, table, options), expected) << features << estimator;
      its_own.rows_written = 0;
      EXPECT_EQ(values_of(its_own, table, options), expected) << features << estimator;
      EXPECT_EQ(its_own.rows_written > 0, features > 1) << features << estimator;
    }
  }
}

}  // namespace
}  // namespace sightglass
