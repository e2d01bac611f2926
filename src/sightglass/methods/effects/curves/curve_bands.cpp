#include "sightglass/methods/effects/curves/curve_bands.h"

#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "sightglass/numeric/order_statistics.h"

namespace sightglass {

namespace {

constexpr std::size_t equal_bins = 2048;
constexpr int octave_bits = 6;  // 64 bins to each factor of two
constexpr std::uint64_t octaves = 24;
constexpr std::uint64_t sizes = octaves << octave_bits;  // bins of one sign

// A positive double's exponent and leading fraction bits: equal steps of it are bins of equal relative width.
std::uint64_t leading_bits(double size) { return std::bit_cast<std::uint64_t>(size) >> (52 - octave_bits); }
double from_leading_bits(std::uint64_t bits) { return std::bit_cast<double>(bits << (52 - octave_bits)); }

}  // namespace

double band_width(const ValueRange& range) {
  return std::max(range.high - range.low, 1e-9 * std::max(1.0, std::abs(range.high)));
}

BandBins BandBins::equal(const ValueRange& range) {
  BandBins bins;
  bins.range_ = range;
  return bins;
}

BandBins BandBins::relative(double largest) {
  BandBins bins;
  bins.relative_ = true;
  const std::uint64_t first_above = leading_bits(std::max(largest, std::numeric_limits<double>::min())) + 1;
  bins.lowest_ = first_above > sizes ? first_above - sizes : 1;
  bins.range_ = {-largest, largest};
  return bins;
}

std::size_t BandBins::size() const { return relative_ ? 2 * sizes + 1 : equal_bins; }

std::size_t BandBins::bin(double value) const {
  if (relative_) {
    const std::uint64_t bits = leading_bits(std::abs(value));
    if (bits < lowest_) return sizes;
    const std::uint64_t step = std::min(bits - lowest_, sizes - 1) + 1;
    return value > 0 ? sizes + step : sizes - step;
  }
  // Halves, because the range itself may be beyond the largest double.
  const double position =
      (value / 2 - range_.low / 2) / (range_.high / 2 - range_.low / 2) * static_cast<double>(equal_bins);
  return static_cast<std::size_t>(std::clamp(position, 0.0, static_cast<double>(equal_bins - 1)));
}

double BandBins::middle(std::size_t bin) const {
  if (relative_) {
    if (bin == sizes) return 0;
    const std::uint64_t bits = lowest_ + (bin > sizes ? bin - sizes : sizes - bin) - 1;
    const double size = std::midpoint(from_leading_bits(bits), from_leading_bits(bits + 1));
    return bin > sizes ? size : -size;
  }
  const double share = (static_cast<double>(bin) + 0.5) / static_cast<double>(equal_bins);
  return range_.low * (1 - share) + range_.high * share;
}

BandBins BandBins::widened(const ValueRange& values) const {
  if (relative_) return relative(std::max(std::abs(values.low), std::abs(values.high)));
  ValueRange wider{values.low,
                   std::min(values.low + band_width(values) * (1 + 1e-12), std::numeric_limits<double>::max())};
  wider.merge(values);
  return equal(wider);
}

CurveBands::CurveBands(std::size_t points, std::size_t outputs, const std::vector<BandBins>& bins) : outputs_(outputs) {
  if (bins.empty()) return;
  extremes_.resize(points * outputs);
  std::size_t size = 0;
  for (std::size_t at = 0; at < points * outputs; ++at) {
    offsets_.push_back(size);
    size += bins[at % outputs].size();
  }
  counts_.resize(size);
}

ValueRange CurveBands::extremes(std::size_t output) const {
  ValueRange all;
  for (std::size_t at = output; at < extremes_.size(); at += outputs_) all.merge(extremes_[at]);
  return all;
}

double CurveBands::quantile(std::size_t point, std::size_t output, std::uint64_t percent, const BandBins& bins) const {
  const std::size_t at = point * outputs_ + output;
  const std::uint64_t* counts = counts_.data() + offsets_[at];
  const std::uint64_t total = std::accumulate(counts, counts + bins.size(), std::uint64_t{0});
  if (total == 0) return 0;
  const std::uint64_t rank = quantile_rank(total, percent, 100);
  std::uint64_t below = 0;
  std::size_t bin = 0;
  while (bin + 1 < bins.size() && below + counts[bin] <= rank) below += counts[bin++];
  return std::clamp(bins.middle(bin), extremes_[at].low, extremes_[at].high);
}

}  // namespace sightglass
