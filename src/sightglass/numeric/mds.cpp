#include "sightglass/numeric/mds.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace sightglass {

namespace {

double dot(std::span<const double> a, std::span<const double> b) {
  // Four sums side by side: as fast as the processor can, in an order that is always the same.
  double sums[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= a.size(); i += 4) {
    for (std::size_t lane = 0; lane < 4; ++lane) sums[lane] += a[i + lane] * b[i + lane];
  }
  for (; i < a.size(); ++i) sums[0] += a[i] * b[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

double norm(std::span<const double> a) { return std::sqrt(dot(a, a)); }

// −½ J D² J: inner products of the items around their common centre.
std::vector<double> centred_products(std::span<const double> distances, std::size_t size) {
  std::vector<double> products(size * size);
  std::vector<double> means(size, 0);
  const auto n = static_cast<double>(size);
  double mean = 0;
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t k = 0; k < size; ++k) {
      const double distance = distances[i * size + k];
      products[i * size + k] = distance * distance;
      means[i] += distance * distance / n;
    }
    mean += means[i] / n;
  }
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t k = 0; k < size; ++k) {
      products[i * size + k] = -0.5 * (products[i * size + k] - means[i] - means[k] + mean);
    }
  }
  return products;
}

// A symmetric matrix with nothing but a diagonal and what is beside it.
struct Tridiagonal {
  std::vector<double> diagonal, beside;

  // How many eigenvalues lie below x (Sturm).
  [[nodiscard]] std::size_t below(double x) const {
    std::size_t count = 0;
    double pivot = 1;
    for (std::size_t i = 0; i < diagonal.size(); ++i) {
      const double squared = i == 0 ? 0 : beside[i - 1] * beside[i - 1];
      pivot = diagonal[i] - x - (i == 0 ? 0 : squared / pivot);
      if (pivot == 0) pivot = -1e-300;
      if (pivot < 0) ++count;
    }
    return count;
  }
  [[nodiscard]] double scale() const {
    double most = 0;
    for (std::size_t i = 0; i < diagonal.size(); ++i) {
      const double left = i == 0 ? 0 : std::abs(beside[i - 1]);
      const double right = i + 1 < diagonal.size() ? std::abs(beside[i]) : 0;
      most = std::max(most, std::abs(diagonal[i]) + left + right);
    }
    return most;
  }
  [[nodiscard]] double largest_eigenvalue() const {
    double high = scale();
    double low = -high;
    for (int i = 0; i < 200 && high - low > 1e-15 * scale(); ++i) {
      const double middle = low + (high - low) / 2;
      (below(middle) == diagonal.size() ? high : low) = middle;
    }
    return high;
  }
  // By inverse iteration from just above the eigenvalue, where the shifted matrix is negative definite and
  // elimination needs no pivoting.
  [[nodiscard]] std::vector<double> vector_of(double eigenvalue) const {
    const std::size_t n = diagonal.size();
    const double tiny = 1e-14 * std::max(scale(), 1e-300);
    std::vector<double> vector(n), pivots(n);
    for (std::size_t i = 0; i < n; ++i) vector[i] = 1 + 0.01 * std::sin(static_cast<double>(i));
    for (int round = 0; round < 4; ++round) {
      for (std::size_t i = 0; i < n; ++i) {
        pivots[i] = diagonal[i] - eigenvalue - tiny - (i == 0 ? 0 : beside[i - 1] * beside[i - 1] / pivots[i - 1]);
        if (pivots[i] > -tiny * 1e-3) pivots[i] = -tiny * 1e-3;
        if (i > 0) vector[i] -= beside[i - 1] / pivots[i - 1] * vector[i - 1];
      }
      for (std::size_t i = n; i-- > 0;) {
        vector[i] = (vector[i] - (i + 1 < n ? beside[i] * vector[i + 1] : 0)) / pivots[i];
      }
      const double length = norm(vector);
      for (double& value : vector) value /= length;
    }
    return vector;
  }
};

// Numbers that look like no eigenvector: multiples of the golden ratio, without their whole part.
std::vector<double> fixed_start(std::size_t size) {
  std::vector<double> start(size);
  double mean = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const double turn = 0.6180339887498949 * static_cast<double>(i + 1);
    start[i] = turn - std::floor(turn);
    mean += start[i] / static_cast<double>(size);
  }
  for (double& value : start) value -= mean;
  return start;
}

}  // namespace

std::vector<double> scale_to_line(std::span<const double> distances, std::size_t size) {
  std::vector<double> line(size, 0);
  if (size < 2) return line;
  const std::vector<double> products = centred_products(distances, size);
  double scale = 0;
  for (std::size_t i = 0; i < size; ++i) scale = std::max(scale, norm(std::span(products).subspan(i * size, size)));
  if (!(scale > 0)) return line;

  std::vector<std::vector<double>> basis;
  Tridiagonal small;
  std::vector<double> next = fixed_start(size);
  std::vector<double> weights;  // of the basis in the eigenvector
  double length = norm(next);
  double eigenvalue = 0;
  // Every size of basis up to all of them; most need few.
  while (basis.size() < size && length > 1e-13 * (basis.empty() ? 1 : scale)) {
    if (!basis.empty()) small.beside.push_back(length);
    for (double& value : next) value /= length;
    basis.push_back(next);
    for (std::size_t i = 0; i < size; ++i) next[i] = dot(std::span(products).subspan(i * size, size), basis.back());
    small.diagonal.push_back(dot(next, basis.back()));
    // Against the whole basis, twice: rounding would bring back what was there already.
    for (int round = 0; round < 2; ++round) {
      for (const auto& vector : basis) {
        const double share = dot(next, vector);
        for (std::size_t i = 0; i < size; ++i) next[i] -= share * vector[i];
      }
    }
    length = norm(next);
    const bool last = basis.size() == size || length <= 1e-13 * scale;
    if (!last && basis.size() % 16 != 0) continue;
    eigenvalue = small.largest_eigenvalue();
    weights = small.vector_of(eigenvalue);
    if (length * std::abs(weights.back()) <= 1e-13 * scale) break;
  }
  if (weights.empty()) return line;
  for (std::size_t b = 0; b < weights.size(); ++b) {
    for (std::size_t i = 0; i < size; ++i) line[i] += weights[b] * basis[b][i];
  }
  const double stretch = std::sqrt(std::max(0.0, eigenvalue));
  for (double& position : line) position *= stretch;
  return line;
}

}  // namespace sightglass
