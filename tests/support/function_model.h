// A model made of a C++ function, for tests: f(features of one row) -> one value per output.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sightglass/model/model.h"

namespace sightglass::testing {

using RowFunction = std::function<std::vector<double>(const std::vector<double>&)>;

class FunctionModel : public Model {
 public:
  FunctionModel(std::vector<std::string> features, RowFunction function,
                std::vector<std::string> outputs = {"prediction"}, Concurrency concurrency = Concurrency::parallel,
                Task task = Task::regression)
      : function_(std::move(function)), concurrency_(concurrency) {
    signature_.format = "function";
    for (auto& name : features) signature_.features.push_back({.name = std::move(name)});
    signature_.outputs = std::move(outputs);
    signature_.task = task;
  }
  [[nodiscard]] const Signature& signature() const override { return signature_; }
  [[nodiscard]] Concurrency concurrency() const override { return concurrency_; }
  [[nodiscard]] std::unique_ptr<BoundModel> bind(const Schema& schema, std::span<const std::uint32_t>) const override {
    std::vector<std::uint32_t> columns;
    for (const auto& feature : signature_.features) columns.push_back(schema.require(feature.name, "model"));
    return std::make_unique<Bound>(*this, std::move(columns));
  }
  void add_to(Digest&) const override {}  // opaque: its signature is all that is known

 private:
  class Bound : public BoundModel {
   public:
    Bound(const FunctionModel& model, std::vector<std::uint32_t> columns)
        : model_(model), columns_(std::move(columns)) {}
    [[nodiscard]] const std::vector<std::uint32_t>& columns() const override { return columns_; }
    void predict(const RowBlock& block, const PredictOptions&, MatrixSpan<double> out, Context&) const override {
      std::vector<double> values(columns_.size());
      for (std::size_t row = 0; row < block.rows; ++row) {
        for (std::size_t i = 0; i < columns_.size(); ++i) {
          const Override* override = block.override_of(columns_[i]);
          if (override == nullptr) {
            values[i] = block.columns[columns_[i]].number(row);
          } else if (const auto* scalar = std::get_if<Scalar>(&override->value)) {
            values[i] = scalar->number;
          } else {
            values[i] = std::get<ColumnView>(override->value).number(row);
          }
        }
        const std::vector<double> predicted = model_.function_(values);
        for (std::size_t k = 0; k < predicted.size(); ++k) out(row, k) = predicted[k];
      }
    }

   private:
    const FunctionModel& model_;
    std::vector<std::uint32_t> columns_;
  };

  Signature signature_;
  RowFunction function_;
  Concurrency concurrency_;
};

}  // namespace sightglass::testing
