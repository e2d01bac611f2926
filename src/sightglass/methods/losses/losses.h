// How far a model's predictions are from the truth: ten losses and scores, all from the same predictions.
// Each row leaves a few numbers behind (its terms); sums of them merge exactly and give the value for all
// rows together. For most losses a row's term is its own loss, and the value their weighted mean.
//
//   squared   (y − f)²                          rmse   √ of its mean       r2   1 − SSE/SST
//   absolute  |y − f|                           poisson  2(y ln(y/f) − y + f), the deviance
//   log-loss  −ln of the true class's probability, clipped to [ε, 1 − ε] with ε = 2⁻⁵² as scikit-learn
//   brier     (p − y)² of two classes; Σ_k (p_k − [y = k])² of more
//   accuracy  share of rows whose most probable class is true (ties: the lower class; of two: p > 0.5)
//   auc       area under the ROC curve, ties count half; of more than two classes the mean of one against the rest
//   f1        of the second of two classes; of more the mean over the classes that occur or are predicted
#pragma once

#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "sightglass/base/bytes.h"
#include "sightglass/methods/run/method.h"
#include "sightglass/numeric/exact_sum.h"
#include "sightglass/result/loss_kind.h"

namespace sightglass {

struct LossInfo {
  LossKind kind;
  const char* name;   // of the option
  const char* label;  // in a sentence: "increase of squared error"
  bool score;         // higher is better
  bool row_mean;      // the weighted mean of a number per row
  bool of_classes;    // wants classes and, but for auc of two, their probabilities
};
// By name; throws Error(usage) that lists them all.
[[nodiscard]] const LossInfo& loss_info(std::string_view name);

// What the target's values are to the model: numbers, or classes that its outputs stand for.
class Outcome {
 public:
  // values: the target's different values, as ColumnView::number has them; missing and infinite ones are
  // ignored. Throws Error(usage or data) that lists the model's classes and the target's values if they do not
  // fit, and if there is no target.
  Outcome(const MethodInput& input, bool as_classes, std::vector<double> values);

  // Classes, or 0 if the target is a number.
  [[nodiscard]] std::size_t classes() const { return classes_; }
  // The target's value as losses want it: a finite number, or the index of a class. NaN = the row has none.
  [[nodiscard]] double truth(double value) const;
  // The model's outputs that losses look at: one for a number or two classes, else one per class.
  [[nodiscard]] const std::vector<std::size_t>& outputs() const { return outputs_; }
  [[nodiscard]] std::size_t model_outputs() const { return model_outputs_; }
  // What they are called together: the one output that was asked for, or nothing.
  [[nodiscard]] const std::string& output_name() const { return output_name_; }
  [[nodiscard]] Scale scale() const { return scale_; }
  // What the user should know about how the target met the outputs.
  [[nodiscard]] const std::vector<Caveat>& caveats() const { return caveats_; }

 private:
  void match_two(const MethodInput& input, const std::string& positive, const std::vector<double>& values);
  void match_many(const MethodInput& input, const std::vector<std::string>& names, const std::vector<double>& values);
  void use_codes(const MethodInput& input, const std::string& classes, const std::vector<double>& values);

  std::size_t classes_ = 0;
  std::size_t model_outputs_ = 1;
  std::vector<std::size_t> outputs_;
  std::string output_name_;
  Scale scale_ = Scale::response;
  std::vector<std::pair<double, double>> class_of_;  // by value, ascending
  std::vector<Caveat> caveats_;
};

class Loss {
 public:
  // Throws Error(usage) if the loss does not fit the outcome or its scale.
  Loss(const LossInfo& info, const Outcome& outcome);

  [[nodiscard]] const LossInfo& info() const { return *info_; }
  [[nodiscard]] std::size_t classes() const { return classes_; }
  // Numbers that a row leaves behind.
  [[nodiscard]] std::size_t width() const { return width_; }
  // prediction: all of the model's outputs. Throws Error if the loss has no value for it.
  void terms(std::span<const double> prediction, double truth, std::span<double> out) const;
  // The same for many rows of a loss that leaves one number behind.
  void terms_of_rows(MatrixSpan<const double> predictions, std::span<const double> truths, double* out) const;
  // The predictions, all of the model's outputs, of the constant that fits these rows best.
  [[nodiscard]] std::vector<double> best_constant(std::span<const double> truths,
                                                  std::span<const double> weights) const;
  // How much better `value` is than `constant`: 1 = perfect, 0 = no better. Nothing if the constant is perfect.
  [[nodiscard]] std::optional<double> skill(double value, double constant) const;
  // How much worse `after` is than `before`: positive where the predictions lost something.
  [[nodiscard]] double worsening(double before, double after) const {
    return info_->score ? before - after : after - before;
  }

 private:
  // Probabilities may be this far outside of [0, 1], as those of a float32 softmax are.
  static constexpr double rounding = 1e-6;
  // log-loss takes none for less than this, or for more than 1 − this.
  static constexpr double clip = std::numeric_limits<double>::epsilon();
  [[nodiscard]] double probability(double value) const;

  const LossInfo* info_;
  std::size_t classes_;
  std::size_t width_;
  std::size_t model_outputs_;
  std::vector<std::size_t> outputs_;
};

// The value of a loss over rows that come in any order and from anywhere.
class LossSum {
 public:
  explicit LossSum(const Loss& loss);

  void add(std::span<const double> terms, double truth, double weight);
  // The same for many rows: terms are rows × width. No weights: each row counts once.
  void add_all(std::span<const double> terms, std::span<const double> truths, std::span<const double> weights);
  void merge(const LossSum& other);
  void save(ByteSink& sink) const;
  void load(ByteSource& source);

  // NaN without rows. R² of a constant truth is 1 if every prediction is right, else 0; the auc of a single class
  // is 0.5; f1 without a class to find is 0.
  [[nodiscard]] double value() const;
  // Whether the truth varies as the loss needs it; where not, value() is a convention.
  [[nodiscard]] bool defined() const;
  [[nodiscard]] double total_weight() const { return weight_.value(); }

 private:
  struct Scored {
    double score, weight;
    bool positive;
  };
  struct Hits {
    ExactSum right, predicted, there;
  };
  [[nodiscard]] double area(std::size_t scores) const;
  [[nodiscard]] bool both(std::size_t scores) const;

  LossKind kind_;
  std::size_t classes_;
  std::size_t width_;
  ExactSum weight_;
  ExactSum sum_;         // of the terms
  ExactMoments truths_;  // r2
  double least_truth_ = INFINITY, largest_truth_ = -INFINITY;
  std::vector<Hits> hits_;                   // f1: per class
  std::vector<std::vector<Scored>> scores_;  // auc: per score
};

}  // namespace sightglass
