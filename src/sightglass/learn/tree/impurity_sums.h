// Sums over rows from which the gain of a split follows: of numbers (or two classes, as the numbers 0 and 1), and of
// several classes. A gain is by how much the split lowers the sum of weight · impurity.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace sightglass {

// w · log2(w / total), which is 0 for nothing.
inline double weight_log_share(double weight, double total) {
  return weight > 0 ? weight * std::log2(weight / total) : 0.0;
}

struct MeanSums {
  double weight = 0, sum = 0;

  void add(const MeanSums& more) {
    weight += more.weight;
    sum += more.sum;
  }
  [[nodiscard]] double mean() const { return sum / weight; }
};

// Rows whose mean is predicted. Impurity is the variance times a factor, or the entropy of two classes.
template <bool entropy>
class MeanMeasure {
 public:
  using Sums = MeanSums;
  static constexpr bool ordered = true;  // means can be compared: monotone constraints, order of levels

  MeanMeasure(std::span<const double> values, std::span<const double> weights, double factor)
      : factor_(factor), rows_(values.size()) {
    for (std::size_t row = 0; row < rows_.size(); ++row) rows_[row] = {weights[row], weights[row] * values[row]};
  }
  [[nodiscard]] Sums none() const { return {}; }
  void add(std::uint32_t row, Sums& sums) const { sums.add(rows_[row]); }

  [[nodiscard]] double gain(const Sums& left, const Sums& total) const {
    const double right_weight = total.weight - left.weight;
    if (!(right_weight > 0)) return 0;
    if constexpr (entropy) {
      return disorder(total.sum, total.weight) - disorder(left.sum, left.weight) -
             disorder(total.sum - left.sum, right_weight);
    } else {
      // s²/w of both sides less that of the whole, without its cancellation.
      const double surplus = left.sum - left.weight * total.mean();
      return factor_ * surplus * surplus * total.weight / (left.weight * right_weight);
    }
  }
  // weight · impurity
  [[nodiscard]] double disorder(std::span<const std::uint32_t> rows, const Sums& total) const {
    if constexpr (entropy) {
      return disorder(total.sum, total.weight);
    } else {
      double squares = 0;
      const double mean = total.mean();
      for (const std::uint32_t row : rows) {
        const double difference = rows_[row].sum - rows_[row].weight * mean;
        squares += difference * difference / rows_[row].weight;
      }
      return factor_ * squares;
    }
  }

 private:
  static double disorder(double second, double weight) {
    return -weight_log_share(second, weight) - weight_log_share(weight - second, weight);
  }

  double factor_;
  std::vector<MeanSums> rows_;
};

struct ClassSums {
  double weight = 0;
  std::vector<double> classes;

  void add(const ClassSums& more) {
    weight += more.weight;
    for (std::size_t k = 0; k < classes.size(); ++k) classes[k] += more.classes[k];
  }
};

// Rows of several classes, by Gini or entropy.
template <bool entropy>
class ClassMeasure {
 public:
  using Sums = ClassSums;
  static constexpr bool ordered = false;

  ClassMeasure(std::span<const double> values, std::span<const double> weights, std::size_t classes)
      : classes_(classes), rows_(values.size()) {
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      rows_[row] = {weights[row], static_cast<std::uint32_t>(values[row])};
    }
  }
  [[nodiscard]] Sums none() const { return {0, std::vector<double>(classes_)}; }
  void add(std::uint32_t row, Sums& sums) const {
    sums.weight += rows_[row].weight;
    sums.classes[rows_[row].index] += rows_[row].weight;
  }

  [[nodiscard]] double gain(const Sums& left, const Sums& total) const {
    const double right_weight = total.weight - left.weight;
    if (!(right_weight > 0)) return 0;
    double gain = 0;
    for (std::size_t k = 0; k < classes_; ++k) {
      if constexpr (entropy) {
        gain += weight_log_share(left.classes[k], left.weight) - weight_log_share(total.classes[k], total.weight) +
                weight_log_share(total.classes[k] - left.classes[k], right_weight);
      } else {
        const double surplus = left.classes[k] - left.weight * (total.classes[k] / total.weight);
        gain += surplus * surplus;
      }
    }
    return entropy ? gain : gain * total.weight / (left.weight * right_weight);
  }
  [[nodiscard]] double disorder(std::span<const std::uint32_t>, const Sums& total) const {
    double sum = 0;
    for (const double weight : total.classes) {
      sum += entropy ? -weight_log_share(weight, total.weight) : weight * (1 - weight / total.weight);
    }
    return sum;
  }

 private:
  struct WeightedClass {
    double weight = 0;
    std::uint32_t index = 0;
  };
  std::size_t classes_;
  std::vector<WeightedClass> rows_;
};

// By what levels are sorted before they are cut: their mean.
inline std::vector<double> level_positions(const std::vector<MeanSums>& levels) {
  std::vector<double> positions;
  for (const MeanSums& level : levels) positions.push_back(level.mean());
  return positions;
}

// Of several classes: the first principal component of the levels' class shares, found by power iteration.
std::vector<double> level_positions(const std::vector<ClassSums>& levels);

}  // namespace sightglass
