#include "sightglass/learn/linear/cholesky.h"

#include <cmath>

namespace sightglass {

std::vector<std::uint32_t> cholesky(std::vector<double>& matrix, std::size_t size, double tolerance) {
  std::vector<std::uint32_t> left_out;
  for (std::size_t i = 0; i < size; ++i) {
    double* row = matrix.data() + i * size;
    const double own = row[i];
    for (std::size_t j = 0; j <= i; ++j) {
      const double* other = matrix.data() + j * size;
      double sum = row[j];
      for (std::size_t k = 0; k < j; ++k) sum -= row[k] * other[k];
      if (j < i) {
        row[j] = other[j] > 0 ? sum / other[j] : 0;
      } else {
        row[i] = sum > tolerance * own && sum > 0 ? std::sqrt(sum) : 0;
      }
    }
    if (row[i] == 0) {
      left_out.push_back(static_cast<std::uint32_t>(i));
      for (std::size_t j = 0; j < i; ++j) row[j] = 0;
    }
  }
  return left_out;
}

void cholesky_solve(const std::vector<double>& factor, std::size_t size, std::vector<double>& right) {
  for (std::size_t i = 0; i < size; ++i) {
    const double* row = factor.data() + i * size;
    double sum = right[i];
    for (std::size_t k = 0; k < i; ++k) sum -= row[k] * right[k];
    right[i] = row[i] > 0 ? sum / row[i] : 0;
  }
  for (std::size_t i = size; i-- > 0;) {
    const double* row = factor.data() + i * size;
    right[i] = row[i] > 0 ? right[i] / row[i] : 0;
    for (std::size_t k = 0; k < i; ++k) right[k] -= row[k] * right[i];
  }
}

std::vector<double> cholesky_inverse(const std::vector<double>& factor, std::size_t size) {
  std::vector<double> inverse(size * size), column(size);
  for (std::size_t j = 0; j < size; ++j) {
    if (factor[j * size + j] == 0) continue;
    column.assign(size, 0.0);
    column[j] = 1;
    cholesky_solve(factor, size, column);
    for (std::size_t i = 0; i < size; ++i) inverse[i * size + j] = column[i];
  }
  return inverse;
}

}  // namespace sightglass
