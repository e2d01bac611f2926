// The only caller of predict. Methods ask for the predictions of a block under several variants (lists of
// overrides); the evaluator batches them, asks once for variants that are the same, keeps to the model's
// kind of concurrency, checks what comes back, reports progress and honours cancel.
// Called from one thread only, never from inside a parallel loop: a Python model must be called on the
// thread that holds the GIL, and a thread pool that waits for that thread would deadlock.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/base/matrix.h"
#include "sightglass/model/model.h"

namespace sightglass {

struct EvaluatorOptions {
  PredictOptions predict;
  // Model rows (rows × variants) handed to an opaque model in one call, at the most. Larger calls gain nothing
  // once a call takes tens of milliseconds, and their input no longer fits any cache.
  std::size_t call_rows = std::size_t{1} << 16;
  // Whether variants are predicted together where the model knows how. The numbers are the same but for rounding.
  bool together = true;
};

// Throws Error(prediction) about a prediction that is not finite. where: what else is to be said of it.
[[noreturn]] void refuse_prediction(double value, std::uint64_t row, const std::string& where);

class Evaluator {
 public:
  // excluded: as Model::bind. The model and the context must outlive the evaluator.
  // Asks an opaque model for the first row, to learn its outputs.
  Evaluator(const Model& model, const Source& source, std::span<const std::uint32_t> excluded,
            const EvaluatorOptions& options, Context& context);
  ~Evaluator();

  [[nodiscard]] const Model& model() const { return model_; }
  [[nodiscard]] const std::vector<std::uint32_t>& columns() const { return bound_->columns(); }
  // One name per output.
  [[nodiscard]] const std::vector<std::string>& outputs() const { return outputs_; }
  [[nodiscard]] Context& context() const { return context_; }
  // What the user should know about how columns met features.
  [[nodiscard]] const std::vector<FitNote>& notes() const { return bound_->notes(); }

  // See BoundModel.
  [[nodiscard]] const TreeRows* tree_rows() const { return bound_->tree_rows(); }

  // out becomes (variants × block rows) × outputs: variant v's prediction of row r is row v * block.rows + r.
  // Throws Error(prediction) if the model fails or returns NaN or infinity. together: false where the last digit
  // counts, whatever the options say.
  void evaluate(const RowBlock& block, std::span<const Variant> variants, Matrix& out, bool together = true);
  // The plain predictions of a block: block rows × outputs.
  void evaluate(const RowBlock& block, Matrix& out);

  // Rows that a method made up, whose column has these texts, one for each row; where the model wants them as levels,
  // it is bound to them anew. block: the other columns of the schema.
  void evaluate(const Schema& schema, const RowBlock& block, std::uint32_t column,
                const std::shared_ptr<const TextBatch>& texts, Matrix& out);
  // The same of pictures, which are made into texts where the model does not take them as they are.
  void evaluate(const Schema& schema, const RowBlock& block, std::uint32_t column, const PictureBatch& pictures,
                Matrix& out);
  // Rows of plain numbers. block: whose they are, without columns. False: the model takes no such matrix, and nothing
  // is done.
  [[nodiscard]] bool evaluate(const RowBlock& block, const NumberBatch& numbers, Matrix& out);

  // Rows handed to the model so far: what an explanation cost.
  [[nodiscard]] std::uint64_t model_rows() const { return model_rows_; }
  // Sets what progress is reported against.
  void begin(std::string_view task, std::uint64_t total_model_rows);

 private:
  struct Memory;
  [[nodiscard]] bool predict_made(const RowBlock& block, Matrix& out,
                                  const std::function<bool(MatrixSpan<double>)>& predict);
  void evaluate_levels(const Schema& schema, const RowBlock& block, std::uint32_t column, const TextBatch& texts,
                       Matrix& out);
  void predict_parallel(const RowBlock& block, std::span<const Variant> variants, MatrixSpan<double> out,
                        bool together);
  [[nodiscard]] const PreparedVariants* prepared_for(std::span<const Variant> variants);
  void predict_together(const PreparedVariants& prepared, const RowBlock& block, MatrixSpan<double> out);
  [[nodiscard]] std::vector<std::vector<ColumnView>> cut(const RowBlock& block) const;
  void predict_tiled(const RowBlock& block, std::span<const Variant> variants, MatrixSpan<double> out);
  void lay_out(const Tiles& tiles, std::uint32_t column);
  void check_finite(const RowBlock& block, MatrixSpan<const double> out) const;

  const Model& model_;
  std::unique_ptr<BoundModel> bound_;
  std::vector<std::uint32_t> excluded_;
  EvaluatorOptions options_;
  Context& context_;
  std::unique_ptr<Memory> memory_;
  std::vector<std::string> outputs_;
  std::uint64_t model_rows_ = 0;
  std::string task_;
  std::uint64_t done_ = 0;
  std::uint64_t total_ = 0;
};

}  // namespace sightglass
