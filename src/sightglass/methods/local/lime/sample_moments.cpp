#include "sightglass/methods/local/lime/sample_moments.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "sightglass/base/each_processor.h"
#include "sightglass/learn/linear/cholesky.h"

namespace sightglass {

namespace {

// Sums by how many features changed take memory in the cube of the features: 64 MB of as many.
constexpr std::size_t most_layered = 250;

// Σ over words of common bits.
SIGHTGLASS_FOR_EACH_PROCESSOR
std::uint32_t common_bits(const std::uint64_t* first, const std::uint64_t* second, std::size_t words) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < words; ++i) count += static_cast<std::uint64_t>(std::popcount(first[i] & second[i]));
  return static_cast<std::uint32_t>(count);
}

// Σ a_i b_i, eight sums side by side, so that they fit into the processor's registers.
SIGHTGLASS_FOR_EACH_PROCESSOR
double product_sum(const double* a, const double* b, std::size_t count) {
  double sums[8] = {};
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    for (std::size_t lane = 0; lane < 8; ++lane) sums[lane] += a[i + lane] * b[i + lane];
  }
  for (; i < count; ++i) sums[0] += a[i] * b[i];
  return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
}

}  // namespace

SampleMoments::SampleMoments(const Samples& samples, const std::vector<TiltedFeature>& features,
                             std::vector<std::vector<double>> outputs)
    : samples_(samples),
      features_(features),
      outputs_(std::move(outputs)),
      layered_(features.size() <= most_layered &&
               std::all_of(features.begin(), features.end(),
                           [](const TiltedFeature& feature) { return feature.kind == TermKind::cell; })),
      distances_(samples.count, 0) {
  for (std::size_t j = 0; j < features.size(); ++j) {
    if (features[j].kind == TermKind::cell) {
      for (std::size_t i = 0; i < samples.count; ++i)
        distances_[i] += samples.cells[j][i] == features[j].own_cell ? 0 : 1;
    } else {
      for (std::size_t i = 0; i < samples.count; ++i) {
        const double off = samples.scaled[j][i] - features[j].own;
        distances_[i] += off * off;
      }
    }
  }
  if (layered_) count_layers();
}

double SampleMoments::term(std::size_t j, std::size_t i) const {
  if (features_[j].kind == TermKind::cell) return samples_.cells[j][i] == features_[j].own_cell ? 1 : 0;
  return samples_.scaled[j][i];
}

void SampleMoments::count_layers() {
  const std::size_t p = features_.size(), layers = p + 1, outputs = outputs_.size();
  std::vector<std::uint32_t> sizes(layers, 0), starts(layers, 0);
  for (const double distance : distances_) ++sizes[static_cast<std::size_t>(distance)];
  // Each layer begins at a word of its own.
  std::size_t words = 0;
  for (std::size_t d = 0; d < layers; ++d) {
    starts[d] = static_cast<std::uint32_t>(words);
    words += (sizes[d] + 63) / 64;
  }
  std::vector<std::uint64_t> bits(p * words, 0);
  std::vector<std::uint32_t> next(layers, 0);
  std::vector<std::uint32_t> place(samples_.count);
  for (std::size_t i = 0; i < samples_.count; ++i) {
    const auto d = static_cast<std::size_t>(distances_[i]);
    place[i] = starts[d] * 64 + next[d]++;
  }
  count_.assign(layers, 0);
  y_.assign(layers * outputs, 0);
  yy_.assign(layers * outputs, 0);
  z_.assign(layers * p, 0);
  zy_.assign(layers * outputs * p, 0);
  zz_.assign(layers * p * p, 0);
  for (std::size_t d = 0; d < layers; ++d) count_[d] = sizes[d];
  for (std::size_t i = 0; i < samples_.count; ++i) {
    const auto d = static_cast<std::size_t>(distances_[i]);
    for (std::size_t k = 0; k < outputs; ++k) {
      const double y = prediction(i, k);
      y_[d * outputs + k] += y;
      yy_[d * outputs + k] += y * y;
    }
  }
  std::vector<std::uint32_t> layer(samples_.count);
  for (std::size_t i = 0; i < samples_.count; ++i) layer[i] = static_cast<std::uint32_t>(distances_[i]);
  for (std::size_t j = 0; j < p; ++j) {
    const std::uint32_t* cells = samples_.cells[j].data();
    const std::uint32_t own_cell = features_[j].own_cell;
    std::uint64_t* own_bits = bits.data() + j * words;
    // Whether a sample has the row's own cell cannot be foreseen: nothing branches on it.
    for (std::size_t i = 0; i < samples_.count; ++i)
      own_bits[place[i] / 64] |= static_cast<std::uint64_t>(cells[i] == own_cell) << (place[i] % 64);
  }
  std::vector<double> of_layer(layers);
  for (std::size_t k = 0; k < outputs; ++k) {
    const std::vector<double>& y = outputs_[k];
    for (std::size_t j = 0; j < p; ++j) {
      const std::uint32_t* cells = samples_.cells[j].data();
      const std::uint32_t own_cell = features_[j].own_cell;
      std::fill(of_layer.begin(), of_layer.end(), 0);
      for (std::size_t i = 0; i < samples_.count; ++i) of_layer[layer[i]] += cells[i] == own_cell ? y[i] : 0.0;
      for (std::size_t d = 0; d < layers; ++d) zy_[(d * outputs + k) * p + j] = of_layer[d];
    }
  }
  for (std::size_t j = 0; j < p; ++j) {
    const std::uint64_t* own_bits = bits.data() + j * words;
    for (std::size_t other = 0; other <= j; ++other) {
      for (std::size_t d = 0; d < layers; ++d) {
        if (sizes[d] == 0) continue;
        const std::uint32_t both =
            common_bits(own_bits + starts[d], bits.data() + other * words + starts[d], (sizes[d] + 63) / 64);
        zz_[(d * p + j) * p + other] = both;
        zz_[(d * p + other) * p + j] = both;
      }
    }
    for (std::size_t d = 0; d < layers; ++d) z_[d * p + j] = zz_[(d * p + j) * p + j];
  }
}

std::vector<double> SampleMoments::weights_at(double decay) const {
  std::vector<double> weights(samples_.count + 1, 1.0);
  std::vector<double> by_count;
  for (std::size_t d = 0; layered_ && d <= features_.size(); ++d)
    by_count.push_back(std::exp(-decay * static_cast<double>(d)));
  for (std::size_t i = 0; i < samples_.count; ++i)
    weights[i + 1] = layered_ ? by_count[static_cast<std::size_t>(distances_[i])] : std::exp(-decay * distances_[i]);
  return weights;
}

LineMoments SampleMoments::moments(double decay) const { return layered_ ? from_layers(decay) : one_by_one(decay); }

LineMoments SampleMoments::from_layers(double decay) const {
  const std::size_t p = features_.size(), layers = p + 1, outputs = outputs_.size();
  LineMoments found{.terms = p, .outputs = outputs};
  // The row itself: weight 1, all terms 1, y 0.
  found.weight = found.squares = 1;
  found.mean.assign(p, 1);
  found.covariance.assign(p * p, 1);
  found.y_mean.assign(outputs, 0);
  found.y_variance.assign(outputs, 0);
  found.with_y.assign(outputs * p, 0);
  for (std::size_t d = 0; d < layers; ++d) {
    const double weight = std::exp(-decay * static_cast<double>(d));
    if (count_[d] == 0 || weight == 0) continue;
    found.weight += weight * count_[d];
    found.squares += weight * weight * count_[d];
    for (std::size_t k = 0; k < outputs; ++k) {
      found.y_mean[k] += weight * y_[d * outputs + k];
      found.y_variance[k] += weight * yy_[d * outputs + k];
      for (std::size_t j = 0; j < p; ++j) found.with_y[k * p + j] += weight * zy_[(d * outputs + k) * p + j];
    }
    for (std::size_t j = 0; j < p; ++j) found.mean[j] += weight * z_[d * p + j];
    for (std::size_t at = 0; at < p * p; ++at) found.covariance[at] += weight * zz_[d * p * p + at];
  }
  for (double& mean : found.mean) mean /= found.weight;
  for (std::size_t j = 0; j < p; ++j) {
    for (std::size_t k = 0; k < p; ++k)
      found.covariance[j * p + k] = found.covariance[j * p + k] / found.weight - found.mean[j] * found.mean[k];
    // A term that never varies: what is left of it is rounding.
    if (found.covariance[j * p + j] < 1e-14) found.covariance[j * p + j] = 0;
  }
  for (std::size_t k = 0; k < outputs; ++k) {
    found.y_mean[k] /= found.weight;
    found.y_variance[k] = std::max(0.0, found.y_variance[k] / found.weight - found.y_mean[k] * found.y_mean[k]);
    for (std::size_t j = 0; j < p; ++j)
      found.with_y[k * p + j] = found.with_y[k * p + j] / found.weight - found.y_mean[k] * found.mean[j];
  }
  return found;
}

LineMoments SampleMoments::one_by_one(double decay) const {
  const std::size_t p = features_.size(), outputs = outputs_.size(), count = samples_.count;
  const std::vector<double> weights = weights_at(decay);
  LineMoments found{.terms = p, .outputs = outputs};
  for (const double weight : weights) {
    found.weight += weight;
    found.squares += weight * weight;
  }
  // Sample 0 is the row itself. Columns: terms, then outputs; each is centred before products are summed.
  std::vector<std::vector<double>> columns(p + outputs, std::vector<double>(count + 1));
  std::vector<double> means(p + outputs, 0);
  for (std::size_t c = 0; c < p + outputs; ++c) {
    columns[c][0] = c < p ? features_[c].own : 0;
    for (std::size_t i = 0; i < count; ++i) columns[c][i + 1] = c < p ? term(c, i) : prediction(i, c - p);
    for (std::size_t i = 0; i <= count; ++i) means[c] += weights[i] * columns[c][i];
    means[c] /= found.weight;
    for (double& value : columns[c]) value -= means[c];
  }
  std::vector<double> weighted(count + 1);
  found.mean.assign(means.begin(), means.begin() + static_cast<std::ptrdiff_t>(p));
  found.y_mean.assign(means.begin() + static_cast<std::ptrdiff_t>(p), means.end());
  found.covariance.assign(p * p, 0);
  found.y_variance.assign(outputs, 0);
  found.with_y.assign(outputs * p, 0);
  for (std::size_t c = 0; c < p + outputs; ++c) {
    for (std::size_t i = 0; i <= count; ++i) weighted[i] = weights[i] * columns[c][i];
    for (std::size_t other = 0; other <= c; ++other) {
      double sum = product_sum(weighted.data(), columns[other].data(), count + 1);
      sum /= found.weight;
      if (c < p) {
        found.covariance[c * p + other] = found.covariance[other * p + c] = sum;
      } else if (other < p) {
        found.with_y[(c - p) * p + other] = sum;
      } else if (c == other) {
        found.y_variance[c - p] = sum;
      }
    }
  }
  return found;
}

SampleMoments::Residuals SampleMoments::residuals(double decay, std::size_t output, const FittedLine& line) const {
  const std::size_t count = samples_.count;
  const LineMoments known = moments(decay);
  // Of all samples, the row itself first, column by column.
  std::vector<double> weights = weights_at(decay), errors(count + 1), off(count + 1);
  errors[0] = -line.intercept;
  off[0] = -known.y_mean[output];
  for (std::size_t i = 0; i < count; ++i) {
    errors[i + 1] = prediction(i, output) - line.intercept;
    off[i + 1] = prediction(i, output) - known.y_mean[output];
  }
  for (std::size_t t = 0; t < line.terms.size(); ++t) {
    const TiltedFeature& feature = features_[line.terms[t]];
    const double coefficient = line.coefficients[t];
    errors[0] -= coefficient * feature.own;
    if (feature.kind == TermKind::cell) {
      const std::uint32_t* cells = samples_.cells[line.terms[t]].data();
      for (std::size_t i = 0; i < count; ++i) errors[i + 1] -= cells[i] == feature.own_cell ? coefficient : 0.0;
    } else {
      const double* values = samples_.scaled[line.terms[t]].data();
      for (std::size_t i = 0; i < count; ++i) errors[i + 1] -= coefficient * values[i];
    }
  }
  double square = 0, total = 0, spread = 0;
  for (std::size_t i = 0; i <= count; ++i) {
    square += weights[i] * errors[i] * errors[i];
    total += weights[i] * off[i] * off[i];
  }
  Residuals found{.weights = std::move(weights), .errors = std::move(errors)};
  if (!(total > 0)) return found;
  const double share = square / total;
  for (std::size_t i = 0; i <= count; ++i) {
    const double influence = found.weights[i] * (found.errors[i] * found.errors[i] - share * off[i] * off[i]);
    spread += influence * influence;
  }
  found.r2 = 1 - share;
  found.r2_se = std::sqrt(spread) / total;
  return found;
}

// A⁻¹ M A⁻¹ with M = Σ w² e² z zᵀ.
std::vector<double> SampleMoments::standard_errors(const Residuals& residuals, const LineMoments& known,
                                                   const FittedLine& line, double ridge) const {
  const std::size_t size = line.terms.size(), count = samples_.count;
  std::vector<double> matrix(size * size), meat(size * size, 0);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t k = 0; k < size; ++k)
      matrix[i * size + k] = known.weight * known.covariance[line.terms[i] * known.terms + line.terms[k]];
    matrix[i * size + i] += ridge;
  }
  (void)cholesky(matrix, size, collinear);
  const std::vector<double> inverse = cholesky_inverse(matrix, size);
  std::vector<std::vector<double>> scores(size, std::vector<double>(count + 1));
  for (std::size_t t = 0; t < size; ++t) {
    const std::size_t j = line.terms[t];
    scores[t][0] = residuals.weights[0] * residuals.errors[0] * (features_[j].own - known.mean[j]);
    for (std::size_t i = 0; i < count; ++i)
      scores[t][i + 1] = residuals.weights[i + 1] * residuals.errors[i + 1] * (term(j, i) - known.mean[j]);
  }
  for (std::size_t a = 0; a < size; ++a) {
    for (std::size_t b = 0; b <= a; ++b)
      meat[a * size + b] = meat[b * size + a] = product_sum(scores[a].data(), scores[b].data(), count + 1);
  }
  std::vector<double> found(size, 0);
  for (std::size_t t = 0; t < size; ++t) {
    double sum = 0;
    for (std::size_t a = 0; a < size; ++a) {
      for (std::size_t b = 0; b < size; ++b) sum += inverse[t * size + a] * meat[a * size + b] * inverse[t * size + b];
    }
    found[t] = std::sqrt(std::max(0.0, sum));
  }
  return found;
}

}  // namespace sightglass
