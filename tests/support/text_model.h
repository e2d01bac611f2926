// A model that reads texts, for tests: f(text of one row) -> one value per output.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sightglass/base/error.h"
#include "sightglass/data/table.h"
#include "sightglass/model/model.h"

namespace sightglass::testing {

using TextFunction = std::function<std::vector<double>(const std::string&)>;

class TextModel : public Model {
 public:
  TextModel(std::string column, TextFunction function, std::vector<std::string> outputs = {"prediction"})
      : column_(std::move(column)), function_(std::move(function)) {
    signature_.format = "function";
    signature_.features.push_back({.name = column_});
    signature_.outputs = std::move(outputs);
  }
  [[nodiscard]] const Signature& signature() const override { return signature_; }
  [[nodiscard]] Concurrency concurrency() const override { return Concurrency::one_at_a_time; }
  [[nodiscard]] std::unique_ptr<BoundModel> bind(const Schema& schema, std::span<const std::uint32_t>) const override {
    const std::uint32_t column = schema.require(column_, "model");
    return std::make_unique<Bound>(*this, column, schema[column].dictionary);
  }
  void add_to(Digest&) const override {}  // opaque: its signature is all that is known

  mutable std::size_t asked = 0;  // texts so far

 private:
  class Bound : public BoundModel {
   public:
    Bound(const TextModel& model, std::uint32_t column, std::shared_ptr<const Dictionary> texts)
        : model_(model), columns_{column}, texts_(std::move(texts)) {}
    [[nodiscard]] const std::vector<std::uint32_t>& columns() const override { return columns_; }
    void predict(const RowBlock& block, const PredictOptions&, MatrixSpan<double> out, Context&) const override {
      for (std::size_t row = 0; row < block.rows; ++row) {
        const double code = block.columns[columns_[0]].number(row);
        const auto said = model_.function_(code >= 0 ? texts_->level(static_cast<std::int32_t>(code)) : std::string());
        for (std::size_t k = 0; k < said.size(); ++k) out(row, k) = said[k];
        ++model_.asked;
      }
    }

   private:
    const TextModel& model_;
    std::vector<std::uint32_t> columns_;
    std::shared_ptr<const Dictionary> texts_;
  };

  Signature signature_;
  std::string column_;
  TextFunction function_;
};

// A table with one column of texts, called text.
inline Table text_table(const std::vector<std::string>& texts) {
  std::vector<std::string> levels = texts;
  std::sort(levels.begin(), levels.end());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  const auto dictionary = std::make_shared<Dictionary>(levels);
  std::vector<std::int32_t> codes;
  for (const std::string& text : texts) codes.push_back(*dictionary->find(text));
  Schema schema({{.name = "text", .type = DType::categorical, .dictionary = dictionary}});
  return Table(std::move(schema), {column_of(std::move(codes), dictionary.get())});
}

}  // namespace sightglass::testing
