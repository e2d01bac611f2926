#include "sightglass/methods/local/local_line/weighted_ridge.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "sightglass/base/each_processor.h"

namespace sightglass {

namespace {

constexpr std::size_t lanes = 8;  // sums side by side: one order of additions whatever the processor
// Of a feature's own products: what is left when others are accounted for, below which it only repeats them.
constexpr double repeats_others = 1e-10;
// Of a mean square: a spread below is rounding, and the feature or output does not move.
constexpr double flat_share = 1e-24;

SIGHTGLASS_FOR_EACH_PROCESSOR
double dot(const double* a, const double* b, std::size_t size) {
  double sums[lanes] = {};
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += a[i + lane] * b[i + lane];
  }
  for (; i < size; ++i) sums[i % lanes] += a[i] * b[i];
  return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
}

// Four numbers at a time: of arrays of sums compilers make memory, not registers.
using Four = double __attribute__((vector_size(32)));

// Four products with one column at a time: each is as dot() has it.
SIGHTGLASS_FOR_EACH_PROCESSOR
void dot_four(const double* a, const double* const* b, std::size_t size, double* out) {
  const double *b0 = b[0], *b1 = b[1], *b2 = b[2], *b3 = b[3];
  Four low[4] = {}, high[4] = {};
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    Four own[2], other[2];
    std::memcpy(own, a + i, sizeof own);
    std::memcpy(other, b0 + i, sizeof other);
    low[0] += own[0] * other[0];
    high[0] += own[1] * other[1];
    std::memcpy(other, b1 + i, sizeof other);
    low[1] += own[0] * other[0];
    high[1] += own[1] * other[1];
    std::memcpy(other, b2 + i, sizeof other);
    low[2] += own[0] * other[0];
    high[2] += own[1] * other[1];
    std::memcpy(other, b3 + i, sizeof other);
    low[3] += own[0] * other[0];
    high[3] += own[1] * other[1];
  }
  for (std::size_t k = 0; k < 4; ++k) {
    double s[lanes];
    std::memcpy(s, &low[k], sizeof low[k]);
    std::memcpy(s + 4, &high[k], sizeof high[k]);
    for (std::size_t rest = i; rest < size; ++rest) s[rest % lanes] += a[rest] * b[k][rest];
    out[k] = ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]));
  }
}

// Solves (A + α I) x = b for each right side, in place, by Cholesky; a pivot that is as good as zero makes its unknown
// 0.
void solve(std::vector<double>& a, std::size_t size, double alpha, std::vector<double>& sides, std::size_t count) {
  std::vector<bool> dead(size, false);
  for (std::size_t j = 0; j < size; ++j) {
    double* row = a.data() + j * size;
    const double own = row[j] + alpha;
    for (std::size_t k = 0; k < j; ++k) {
      const double* other = a.data() + k * size;
      row[k] = dead[k] ? 0 : (row[k] - dot(row, other, k)) / other[k];
    }
    const double left = own - dot(row, row, j);
    dead[j] = !(left > repeats_others * own);
    row[j] = dead[j] ? 1 : std::sqrt(left);
    if (dead[j]) std::fill(row, row + j, 0.0);
  }
  for (std::size_t side = 0; side < count; ++side) {
    double* x = sides.data() + side * size;
    for (std::size_t j = 0; j < size; ++j) {
      const double* row = a.data() + j * size;
      x[j] = dead[j] ? 0 : (x[j] - dot(row, x, j)) / row[j];
    }
    for (std::size_t j = size; j-- > 0;) {
      if (dead[j]) continue;
      double sum = x[j];
      for (std::size_t k = j + 1; k < size; ++k) sum -= a[k * size + j] * x[k];
      x[j] = sum / a[j * size + j];
    }
  }
}

std::vector<double> products_of(const WeightedMoments& moments, const std::vector<std::size_t>& features) {
  std::size_t in_place = 0;
  while (in_place < features.size() && features[in_place] == in_place) ++in_place;
  if (in_place == moments.features) return moments.products;  // all of them, as they are
  std::vector<double> products(features.size() * features.size());
  for (std::size_t i = 0; i < features.size(); ++i) {
    for (std::size_t j = 0; j < features.size(); ++j)
      products[i * features.size() + j] = moments.products[features[i] * moments.features + features[j]];
  }
  return products;
}

std::vector<std::size_t> largest(const std::vector<double>& sizes, std::size_t count) {
  std::vector<std::size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return sizes[a] > sizes[b]; });
  order.resize(std::min(count, order.size()));
  return order;
}

}  // namespace

// What does not move has no rounding errors to move with either.
void settle(WeightedMoments& moments) {
  const std::size_t p = moments.features;
  const auto flat = [&](double square, double mean) { return square <= flat_share * mean * mean * moments.weight; };
  for (std::size_t j = 0; j < p; ++j) {
    if (!flat(moments.products[j * p + j], moments.mean[j])) continue;
    for (std::size_t k = 0; k < p; ++k) moments.products[j * p + k] = moments.products[k * p + j] = 0;
    for (std::size_t output = 0; output < moments.outputs; ++output) moments.with[output * p + j] = 0;
  }
  for (std::size_t output = 0; output < moments.outputs; ++output) {
    if (!flat(moments.squares[output], moments.means[output])) continue;
    moments.squares[output] = 0;
    for (std::size_t j = 0; j < p; ++j) moments.with[output * p + j] = 0;
  }
}

WeightedMoments part_of(const WeightedMoments& moments, const std::vector<std::size_t>& features) {
  WeightedMoments part{.features = features.size(), .outputs = moments.outputs, .weight = moments.weight};
  part.products = products_of(moments, features);
  part.means = moments.means;
  part.squares = moments.squares;
  for (const std::size_t j : features) part.mean.push_back(moments.mean[j]);
  for (std::size_t output = 0; output < moments.outputs; ++output) {
    for (const std::size_t j : features) part.with.push_back(moments.with[output * moments.features + j]);
  }
  return part;
}

WeightedMoments weighted_moments(std::span<const double> columns, std::size_t features, std::span<const double> weights,
                                 MatrixSpan<const double> y, const ForEach& for_each) {
  const std::size_t rows = weights.size();
  WeightedMoments moments;
  moments.features = features;
  moments.outputs = y.columns();
  for (const double weight : weights) moments.weight += weight;
  moments.mean.resize(features);
  moments.products.resize(features * features);
  moments.with.resize(moments.outputs * features);
  // Centred first, and by the roots of the weights: what is summed up is as large as what is asked for.
  std::vector<double> roots(rows), outputs(moments.outputs * rows), centred(features * rows);
  for (std::size_t i = 0; i < rows; ++i) roots[i] = std::sqrt(weights[i]);
  const double total = moments.weight > 0 ? moments.weight : 1;
  for (std::size_t k = 0; k < moments.outputs; ++k) {
    double* out = outputs.data() + k * rows;
    for (std::size_t i = 0; i < rows; ++i) out[i] = y(i, k);
    const double mean = dot(out, weights.data(), rows) / total;
    for (std::size_t i = 0; i < rows; ++i) out[i] = (out[i] - mean) * roots[i];
    moments.means.push_back(mean);
    moments.squares.push_back(dot(out, out, rows));
  }
  for_each("centring", features, [&](std::size_t j) {
    const double* from = columns.data() + j * rows;
    double* to = centred.data() + j * rows;
    const double mean = dot(from, weights.data(), rows) / total;
    for (std::size_t i = 0; i < rows; ++i) to[i] = (from[i] - mean) * roots[i];
    moments.mean[j] = mean;
  });
  for_each("products", features, [&](std::size_t j) {
    const double* own = centred.data() + j * rows;
    double* to = moments.products.data() + j * features;
    std::size_t k = 0;
    for (; k + 4 <= j + 1; k += 4) {
      const double* const four[] = {centred.data() + k * rows, centred.data() + (k + 1) * rows,
                                    centred.data() + (k + 2) * rows, centred.data() + (k + 3) * rows};
      dot_four(own, four, rows, to + k);
    }
    for (; k <= j; ++k) to[k] = dot(own, centred.data() + k * rows, rows);
    for (std::size_t output = 0; output < moments.outputs; ++output)
      moments.with[output * features + j] = dot(own, outputs.data() + output * rows, rows);
  });
  for (std::size_t j = 0; j < features; ++j) {
    for (std::size_t k = 0; k < j; ++k) moments.products[k * features + j] = moments.products[j * features + k];
  }
  settle(moments);
  return moments;
}

WeightedMoments merged(const WeightedMoments& a, const WeightedMoments& b) {
  if (!(a.weight > 0)) return b;
  if (!(b.weight > 0)) return a;
  WeightedMoments both = a;
  const std::size_t p = a.features;
  both.weight = a.weight + b.weight;
  const double share = a.weight * b.weight / both.weight;
  const auto mean = [&](double of_a, double of_b) { return (a.weight * of_a + b.weight * of_b) / both.weight; };
  for (std::size_t j = 0; j < p; ++j) {
    both.mean[j] = mean(a.mean[j], b.mean[j]);
    const double apart = share * (a.mean[j] - b.mean[j]);
    for (std::size_t k = 0; k < p; ++k)
      both.products[j * p + k] += b.products[j * p + k] + apart * (a.mean[k] - b.mean[k]);
  }
  for (std::size_t output = 0; output < a.outputs; ++output) {
    both.means[output] = mean(a.means[output], b.means[output]);
    const double apart = a.means[output] - b.means[output];
    both.squares[output] += b.squares[output] + share * apart * apart;
    for (std::size_t j = 0; j < p; ++j)
      both.with[output * p + j] += b.with[output * p + j] + share * apart * (a.mean[j] - b.mean[j]);
  }
  settle(both);
  return both;
}

WeightedLine weighted_ridge(const WeightedMoments& moments, std::size_t output, std::vector<std::size_t> features,
                            double alpha) {
  std::sort(features.begin(), features.end());
  std::vector<double> products = products_of(moments, features), with;
  for (const std::size_t j : features) with.push_back(moments.with[output * moments.features + j]);
  WeightedLine line{.intercept = moments.means[output], .features = features, .coefficients = with};
  const std::vector<double> known = products;
  solve(products, features.size(), alpha, line.coefficients, 1);
  double explained = 0;  // 2 β·c − β'Aβ
  for (std::size_t i = 0; i < features.size(); ++i) {
    const double beta = line.coefficients[i];
    line.intercept -= beta * moments.mean[features[i]];
    explained +=
        beta * (2 * with[i] - dot(known.data() + i * features.size(), line.coefficients.data(), features.size()));
  }
  line.r2 = moments.squares[output] > 0 ? explained / moments.squares[output] : 1;
  return line;
}

std::vector<std::size_t> forward_selection(const WeightedMoments& moments, std::size_t output, std::size_t count) {
  const std::size_t p = moments.features;
  // What is left of each feature, and of its product with the output, when the chosen ones are accounted for.
  std::vector<double> own(p), with(moments.with.begin() + static_cast<std::ptrdiff_t>(output * p),
                                   moments.with.begin() + static_cast<std::ptrdiff_t>((output + 1) * p));
  for (std::size_t j = 0; j < p; ++j) own[j] = moments.products[j * p + j];
  std::vector<bool> taken(p, false);
  std::vector<std::size_t> chosen;
  std::vector<double> factors;  // [step × p + feature]
  while (chosen.size() < count) {
    std::size_t best = p;
    double gain = 0;
    for (std::size_t j = 0; j < p; ++j) {
      if (taken[j] || !(own[j] > repeats_others * moments.products[j * p + j])) continue;
      const double adds = with[j] * with[j] / own[j];
      if (adds > gain) {
        gain = adds;
        best = j;
      }
    }
    if (best == p) break;
    taken[best] = true;
    const double root = std::sqrt(own[best]), share = with[best] / root;
    factors.resize((chosen.size() + 1) * p);
    double* row = factors.data() + chosen.size() * p;
    for (std::size_t j = 0; j < p; ++j) {
      double left = moments.products[best * p + j];
      for (std::size_t step = 0; step < chosen.size(); ++step) left -= factors[step * p + best] * factors[step * p + j];
      row[j] = left / root;
      own[j] -= row[j] * row[j];
      with[j] -= row[j] * share;
    }
    chosen.push_back(best);
  }
  return chosen;
}

std::vector<std::size_t> highest_weights(const WeightedMoments& moments, std::size_t output, std::size_t count,
                                         std::span<const double> scale) {
  constexpr double slight = 0.01;
  std::vector<std::size_t> all(moments.features);
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::vector<double> sizes = weighted_ridge(moments, output, all, slight).coefficients;
  for (std::size_t j = 0; j < sizes.size(); ++j) sizes[j] = std::abs(sizes[j] * (scale.empty() ? 1.0 : scale[j]));
  return largest(sizes, count);
}

std::vector<double> standard_errors(const WeightedMoments& moments, const WeightedLine& line,
                                    std::span<const double> columns, std::span<const double> weights,
                                    std::span<const double> counts, std::span<const double> y, double alpha) {
  const std::size_t rows = weights.size(), size = line.features.size();
  // w (y − ŷ) (x − mean), of each row.
  std::vector<double> scores(size * rows), residuals(rows);
  for (std::size_t i = 0; i < rows; ++i) residuals[i] = y[i] - line.intercept;
  for (std::size_t k = 0; k < size; ++k) {
    const double* column = columns.data() + line.features[k] * rows;
    for (std::size_t i = 0; i < rows; ++i) residuals[i] -= line.coefficients[k] * column[i];
  }
  // A row that was drawn c times has c times the weight, and its score c times, not c², the spread.
  for (std::size_t i = 0; i < rows; ++i) residuals[i] *= weights[i] / (counts.empty() ? 1.0 : std::sqrt(counts[i]));
  for (std::size_t k = 0; k < size; ++k) {
    const double* column = columns.data() + line.features[k] * rows;
    const double mean = moments.mean[line.features[k]];
    for (std::size_t i = 0; i < rows; ++i) scores[k * rows + i] = residuals[i] * (column[i] - mean);
  }
  std::vector<double> meat(size * size);
  for (std::size_t j = 0; j < size; ++j) {
    for (std::size_t k = 0; k <= j; ++k) {
      meat[j * size + k] = meat[k * size + j] = dot(scores.data() + j * rows, scores.data() + k * rows, rows);
    }
  }
  std::vector<double> inverse(size * size), products = products_of(moments, line.features);
  for (std::size_t k = 0; k < size; ++k) inverse[k * size + k] = 1;
  solve(products, size, alpha, inverse, size);
  std::vector<double> errors(size);
  for (std::size_t k = 0; k < size; ++k) {
    double variance = 0;
    for (std::size_t j = 0; j < size; ++j)
      variance += inverse[k * size + j] * dot(meat.data() + j * size, inverse.data() + k * size, size);
    errors[k] = std::sqrt(std::max(0.0, variance));
  }
  return errors;
}

}  // namespace sightglass
