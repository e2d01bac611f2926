// Weighted moments of the samples around a row, for any width of the kernel. Where all terms are 0 or 1, samples with
// equally many changed features weigh the same: they are sorted by that number, terms become sets of bits, and products
// of terms are counted, layer by layer. Moments for another width are then another sum of the layers.
#pragma once

#include <cstdint>
#include <vector>

#include "sightglass/methods/local/lime/leaf_lines.h"
#include "sightglass/methods/local/lime/local_fit.h"

namespace sightglass {

class SampleMoments {
 public:
  // The samples must outlive it. The row itself is the first sample. outputs: of each what the model says of the
  // samples, less what it says of the row.
  SampleMoments(const Samples& samples, const std::vector<TiltedFeature>& features,
                std::vector<std::vector<double>> outputs);

  [[nodiscard]] LineMoments moments(double decay) const;

  // How a line does on the samples, one by one: R² with its standard error.
  struct Residuals {
    double r2 = 0, r2_se = 0;
    std::vector<double> weights, errors;  // of each sample, the row itself first
  };
  [[nodiscard]] Residuals residuals(double decay, std::size_t output, const FittedLine& line) const;
  // Of the line's coefficients, whatever the errors' spread (White 1980). known: moments at the same width.
  [[nodiscard]] std::vector<double> standard_errors(const Residuals& residuals, const LineMoments& known,
                                                    const FittedLine& line, double ridge) const;

 private:
  [[nodiscard]] double term(std::size_t j, std::size_t i) const;
  [[nodiscard]] double prediction(std::size_t i, std::size_t output) const { return outputs_[output][i]; }
  [[nodiscard]] std::vector<double> weights_at(double decay) const;
  void count_layers();
  [[nodiscard]] LineMoments from_layers(double decay) const;
  [[nodiscard]] LineMoments one_by_one(double decay) const;

  const Samples& samples_;
  const std::vector<TiltedFeature>& features_;
  std::vector<std::vector<double>> outputs_;
  bool layered_;
  std::vector<double> distances_;  // squared, of each sample
  // Per number of changed features: samples, sums of y and y², of each term alone and with y, of pairs of terms.
  std::vector<double> count_, y_, yy_, z_, zy_;
  std::vector<std::uint32_t> zz_;
};

}  // namespace sightglass
