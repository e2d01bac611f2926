// The rows whose truth is known, and the model's losses on them as they are: where every method begins that
// asks how much worse predictions become.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sightglass/methods/losses/losses.h"
#include "sightglass/methods/run/method.h"
#include "sightglass/methods/run/row_sample.h"

namespace sightglass {

// What figures tell of each loss: its value and how much better than a constant prediction that is, or its value beside
// that of the constant.
enum class FigureKind { skill, beside_constant };

struct ScoredRows {
  ScoredRows(Outcome what, std::vector<Loss> by) : outcome(std::move(what)), losses(std::move(by)) {}

  Outcome outcome;
  std::vector<Loss> losses;
  std::vector<std::uint64_t> ids;  // global row indices, ascending; a row's position is its index here
  std::vector<double> truths, weights;
  bool weighted = false;
  std::uint64_t left_out = 0;              // rows without a truth
  std::uint64_t rows_used = 0;             // of the run, those without a weight as well
  std::vector<std::vector<double>> terms;  // per loss: rows × its width, of the predictions as they are
  std::vector<double> values;              // per loss
  std::vector<double> constants;           // per loss: of the best constant prediction
  std::vector<Caveat> caveats;

  [[nodiscard]] std::size_t rows() const { return ids.size(); }
  // Numbers that all losses of one prediction leave behind.
  [[nodiscard]] std::size_t width() const;
  // All losses' terms of one prediction; each number goes `stride` behind the one before.
  void add_terms(std::span<const double> prediction, double truth, double* out, std::size_t stride) const;
  // Where the rows of a block are; rows() for those that do not count.
  [[nodiscard]] std::vector<std::size_t> positions(const RowBlock& block) const;
  // A column of drawn rows, at the positions here.
  [[nodiscard]] std::vector<double> values_of(const RowSample& sample, std::uint32_t column) const;
  // The weights as sums want them: none where all count the same.
  [[nodiscard]] std::span<const double> sum_weights() const { return weighted ? weights : std::span<const double>(); }
  [[nodiscard]] double total_weight() const;
  [[nodiscard]] double effective_rows() const;
  // Σ w x / Σ w.
  [[nodiscard]] double mean(std::span<const double> values) const;
  // √(Σ w (x − mean)² / W / effective rows): the standard error of a mean over the rows.
  [[nodiscard]] double standard_error(std::span<const double> values) const;
  // Of a loss as it is; nothing where it is no function of means over rows.
  [[nodiscard]] std::optional<double> standard_error_of(std::size_t loss) const;
  // Beside a constant: what that one has by each loss is in data.best_constant.
  void add_figures(Result& result, FigureKind kind = FigureKind::skill) const;
};

// The rows whose truth is known, and a caveat on others; no losses are known yet. columns of the sample: the target's,
// and any other.
[[nodiscard]] std::shared_ptr<ScoredRows> rows_with_truth(const MethodInput& input, const RowSample& sample,
                                                          Outcome outcome, std::vector<Loss> losses);

// Checks target and losses (none: rmse, or `squared` in its place, for numbers; log-loss for classes), then reads
// the truths, then asks the model once for every row.
[[nodiscard]] Chain<std::shared_ptr<const ScoredRows>> score_rows(const MethodInput& input,
                                                                  const std::vector<std::string>& losses,
                                                                  const std::string& loss_of_numbers);

// Some numbers for each row, which come in any order.
class RowTerms {
 public:
  explicit RowTerms(std::size_t width) : width_(width) {}
  // Room for the numbers of these rows, but for positions from `rows` on, which do not count: of `count` rows
  // number c of row k goes to [c * count + k]. Valid until the next call.
  double* add(std::span<const std::size_t> positions, std::size_t rows);
  void merge(const RowTerms& other);
  void save(ByteSink& sink) const;
  void load(ByteSource& source);
  // Numbers first, first + 1, … of all rows, by position: rows × count. Throws Error(internal) if a row is missing.
  [[nodiscard]] std::vector<double> numbers(std::size_t rows, std::size_t first, std::size_t count = 1) const;

 private:
  // The rows of one block: number by number, because that is how they are made and read.
  struct Part {
    std::vector<std::uint64_t> positions;
    std::vector<double> numbers;
  };
  std::size_t width_;
  std::vector<Part> parts_;
};

}  // namespace sightglass
