#include "sightglass/methods/local/lime/measured_lines.h"

#include <algorithm>
#include <cmath>

#include "sightglass/base/each_processor.h"

namespace sightglass {

namespace {

constexpr std::size_t tile = 64;  // samples whose terms stay near the processor
using Widths = std::array<double, swept_widths>;
// The same as one number for the processor.
typedef double AllWidths __attribute__((vector_size(64), aligned(8), may_alias));
static_assert(sizeof(AllWidths) == sizeof(Widths));

// Sums over samples, for each width.
struct WidthSums {
  Widths weight = {}, weight_square = {}, y = {}, yy = {}, ee = {};
};

// Some samples: y of each, its terms [term × tile + sample], and its weights at each width. errors: at the chosen one.
SIGHTGLASS_FOR_EACH_WIDTH
void add_samples(const double* y, const double* terms, const Widths* weights, std::size_t count,
                 const Widths* coefficients, std::size_t size, const Widths* intercept, WidthSums* sums,
                 double* errors) {
  // Not auto, which forgets that they stand anywhere.
  const AllWidths* slopes = reinterpret_cast<const AllWidths*>(coefficients);
  const AllWidths start = *reinterpret_cast<const AllWidths*>(intercept);
  AllWidths* all = reinterpret_cast<AllWidths*>(sums);
  AllWidths weight_sum = all[0], squares = all[1], y_sum = all[2], yy_sum = all[3], ee_sum = all[4];
  for (std::size_t i = 0; i < count; ++i) {
    AllWidths error = y[i] - start;
    for (std::size_t t = 0; t < size; ++t) error -= slopes[t] * terms[t * tile + i];
    const AllWidths weight = reinterpret_cast<const AllWidths*>(weights)[i];
    weight_sum += weight;
    squares += weight * weight;
    y_sum += weight * y[i];
    yy_sum += weight * y[i] * y[i];
    ee_sum += weight * error * error;
    errors[i] = error[chosen_width];
  }
  all[0] = weight_sum;
  all[1] = squares;
  all[2] = y_sum;
  all[3] = yy_sum;
  all[4] = ee_sum;
}

SIGHTGLASS_FOR_EACH_WIDTH
void compare_cells(const std::uint32_t* cells, std::size_t count, std::uint32_t own, double* __restrict z,
                   double* __restrict distances) {
  for (std::size_t i = 0; i < count; ++i) {
    const double same = cells[i] == own ? 1.0 : 0.0;
    z[i] = same;
    distances[i] += 1.0 - same;
  }
}

// z of a feature for some samples, and how far they are from the row in it.
void fill_terms(const Samples& samples, const TiltedFeature& feature, std::size_t j, std::size_t first,
                std::size_t count, double* z, double* distances) {
  if (feature.kind == TermKind::cell) {
    compare_cells(samples.cells[j].data() + first, count, feature.own_cell, z, distances);
    return;
  }
  std::copy_n(samples.scaled[j].data() + first, count, z);
  for (std::size_t i = 0; i < count; ++i) distances[i] += (z[i] - feature.own) * (z[i] - feature.own);
}

// Weights at each width: where all distances are whole, each is found once.
class KernelWeights {
 public:
  KernelWeights(const std::vector<TiltedFeature>& features, const std::array<double, swept_widths>& decays)
      : decays_(decays) {
    whole_ = std::all_of(features.begin(), features.end(),
                         [](const TiltedFeature& feature) { return feature.kind == TermKind::cell; });
    for (std::size_t d = 0; whole_ && d <= features.size(); ++d) known_.push_back(found(static_cast<double>(d)));
  }
  [[nodiscard]] Widths at(double square) const {
    return whole_ ? known_[static_cast<std::size_t>(square)] : found(square);
  }

 private:
  [[nodiscard]] Widths found(double square) const {
    Widths weights = {};
    for (std::size_t lane = 0; lane < swept_widths; ++lane) weights[lane] = std::exp(-decays_[lane] * square);
    return weights;
  }
  const std::array<double, swept_widths>& decays_;
  bool whole_;
  std::vector<Widths> known_;
};

// Σ (w (e² − share · (y − mean)²))², of which the standard error of R² is made.
double influence_spread(const std::vector<double>& y, const std::vector<double>& errors,
                        const std::vector<double>& weights, double mean, double share) {
  double spread = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double influence = weights[i] * (errors[i] * errors[i] - share * (y[i] - mean) * (y[i] - mean));
    spread += influence * influence;
  }
  return spread;
}

}  // namespace

MeasuredLines measure_lines(const Samples& samples, const std::vector<TiltedFeature>& features,
                            const std::vector<double>& answers, const std::array<FittedLine, swept_widths>& lines,
                            const std::array<double, swept_widths>& decays) {
  const std::vector<std::size_t>& chosen = lines[chosen_width].terms;
  const std::size_t size = chosen.size();
  std::vector<Widths> coefficients(size);
  Widths intercept = {};
  for (std::size_t lane = 0; lane < swept_widths; ++lane) {
    intercept[lane] = lines[lane].intercept;
    for (std::size_t t = 0; t < size; ++t) coefficients[t][lane] = lines[lane].coefficients[t];
  }
  const KernelWeights kernel(features, decays);
  std::vector<double> terms(std::max<std::size_t>(1, size) * tile), z(tile), distances(tile);
  std::vector<double> y(samples.count + 1, 0), errors(y.size()), weights(y.size());
  std::copy_n(answers.begin(), samples.count, y.begin() + 1);
  std::vector<Widths> all_weights(tile);
  WidthSums sums;
  // The row itself.
  for (std::size_t t = 0; t < size; ++t) terms[t * tile] = features[chosen[t]].own;
  all_weights[0] = kernel.at(0);
  weights[0] = 1;
  add_samples(y.data(), terms.data(), all_weights.data(), 1, coefficients.data(), size, &intercept, &sums,
              errors.data());
  for (std::size_t first = 0; first < samples.count; first += tile) {
    const std::size_t count = std::min(tile, samples.count - first);
    std::fill(distances.begin(), distances.end(), 0.0);
    for (std::size_t j = 0; j < features.size(); ++j) {
      fill_terms(samples, features[j], j, first, count, z.data(), distances.data());
      const auto at = std::find(chosen.begin(), chosen.end(), j);
      if (at != chosen.end()) std::copy_n(z.data(), count, terms.data() + (at - chosen.begin()) * tile);
    }
    for (std::size_t i = 0; i < count; ++i) {
      all_weights[i] = kernel.at(distances[i]);
      weights[first + i + 1] = all_weights[i][chosen_width];
    }
    add_samples(y.data() + first + 1, terms.data(), all_weights.data(), count, coefficients.data(), size, &intercept,
                &sums, errors.data() + first + 1);
  }
  MeasuredLines found;
  for (std::size_t lane = 0; lane < swept_widths; ++lane) {
    found.effective[lane] = sums.weight[lane] * sums.weight[lane] / sums.weight_square[lane];
    const double mean = sums.y[lane] / sums.weight[lane], total = sums.yy[lane] - mean * sums.y[lane];
    if (!(total > 0)) continue;
    const double share = sums.ee[lane] / total;
    found.r2[lane] = 1 - share;
    if (lane == chosen_width) found.r2_se = std::sqrt(influence_spread(y, errors, weights, mean, share)) / total;
  }
  return found;
}

}  // namespace sightglass
