// What two models predict for the same rows, and how far that is apart.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sightglass/methods/run/session.h"

namespace sightglass {

class BothModels {
 public:
  // Throws Error(usage) where one predicts numbers and the other classes, or other classes.
  BothModels(const RunSession& first, const RunSession& second);

  [[nodiscard]] std::size_t rows() const { return ids_.size(); }
  [[nodiscard]] std::uint64_t id(std::size_t row) const { return ids_[row]; }
  [[nodiscard]] double weight(std::size_t row) const { return weights_[row]; }
  // None where they predict numbers.
  [[nodiscard]] const std::vector<std::string>& classes() const { return classes_; }
  // How far they are apart: the size of the difference, of several numbers its mean, of classes half of its sum.
  [[nodiscard]] double distance(std::size_t row) const { return distances_[row]; }
  // Of one number, or of two classes the probability of the second: the second model's less the first's.
  [[nodiscard]] std::optional<double> difference(std::size_t row) const;
  [[nodiscard]] bool same_class(std::size_t row) const { return class_of(0, row) == class_of(1, row); }
  // By how much the first model (0) or the second (1) is off: the size of its error, of classes 0 or 1. Nothing without
  // a truth.
  [[nodiscard]] std::optional<double> error(std::size_t model, std::size_t row) const;
  // Those with weight that are farthest apart, ties by their place in the data.
  [[nodiscard]] std::vector<std::size_t> farthest(std::size_t most) const;

 private:
  void predict(const RunSession& session, std::size_t model);
  void find_truths(const RunSession& session);
  [[nodiscard]] double prediction(std::size_t model, std::size_t row, std::size_t k) const {
    return predictions_[model][row * numbers_ + k];
  }
  [[nodiscard]] std::size_t class_of(std::size_t model, std::size_t row) const;

  std::vector<std::string> classes_;
  std::size_t numbers_ = 1;  // per row: of classes the probabilities of all
  std::vector<std::uint64_t> ids_;
  std::vector<double> weights_, distances_;
  std::vector<double> predictions_[2];
  std::vector<double> truths_;  // numbers, or places among the classes; NaN: unknown. Empty without a target.
};

}  // namespace sightglass
