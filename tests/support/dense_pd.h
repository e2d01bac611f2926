// Partial dependence at the rows by its definition, for tests: every row under every row's values, no sharing.
#pragma once

#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

#include "sightglass/data/table.h"

namespace sightglass::testing {

class DensePd {
 public:
  using Function = std::function<double(const std::vector<double>&)>;

  DensePd(const Table& table, std::size_t features, Function function) : function_(std::move(function)) {
    for (std::size_t row = 0; row < table.rows(); ++row) {
      const double weight = table.weight_column() ? table.column(*table.weight_column()).number(row) : 1.0;
      if (weight == 0) continue;
      std::vector<double> values;
      for (std::size_t column = 0; column < features; ++column) values.push_back(table.column(column).number(row));
      rows_.push_back(values);
      weights_.push_back(weight);
    }
  }

  [[nodiscard]] std::size_t rows() const { return rows_.size(); }
  [[nodiscard]] const std::vector<double>& row(std::size_t i) const { return rows_[i]; }

  // PD of the features in the mask, at each row.
  [[nodiscard]] std::vector<long double> pd(unsigned mask) const {
    std::vector<long double> values;
    for (const auto& at : rows_) {
      long double sum = 0;
      for (std::size_t b = 0; b < rows_.size(); ++b) {
        std::vector<double> mixed = rows_[b];
        for (std::size_t j = 0; j < mixed.size(); ++j) {
          if ((mask >> j & 1U) != 0) mixed[j] = at[j];
        }
        sum += static_cast<long double>(weights_[b]) * static_cast<long double>(function_(mixed));
      }
      values.push_back(sum / total());
    }
    return values;
  }
  [[nodiscard]] std::vector<long double> prediction() const {
    std::vector<long double> values;
    for (const auto& row : rows_) values.push_back(static_cast<long double>(function_(row)));
    return values;
  }
  [[nodiscard]] long double mean(const std::vector<long double>& values) const {
    long double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) sum += static_cast<long double>(weights_[i]) * values[i];
    return sum / total();
  }
  [[nodiscard]] std::vector<long double> centred(std::vector<long double> values) const {
    const long double middle = mean(values);
    for (long double& value : values) value -= middle;
    return values;
  }
  [[nodiscard]] long double covariance(const std::vector<long double>& a, const std::vector<long double>& b) const {
    const auto first = centred(a);
    const auto second = centred(b);
    long double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<long double>(weights_[i]) * first[i] * second[i];
    return sum / total();
  }

 private:
  [[nodiscard]] long double total() const {
    long double sum = 0;
    for (const double weight : weights_) sum += static_cast<long double>(weight);
    return sum;
  }
  Function function_;
  std::vector<std::vector<double>> rows_;
  std::vector<double> weights_;
};

// a − b, element by element.
inline std::vector<long double> minus(std::vector<long double> a, const std::vector<long double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
  return a;
}
inline std::vector<long double> plus(std::vector<long double> a, const std::vector<long double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}

}  // namespace sightglass::testing
