#include "sightglass/methods/local/lime/perturbation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "sightglass/base/random.h"

namespace sightglass {

namespace {

constexpr std::uint64_t sample_stream = 0x6c69'6d65'0000;  // "lime"

// NumPy's percentile of rows that are there as often as they weigh: weights that are whole numbers are the same as
// duplicated rows. Others do not count rows, and are scaled so that they add up to their number.
double percentile(const std::vector<std::pair<double, double>>& ascending, double total, double share) {
  const bool whole = std::all_of(ascending.begin(), ascending.end(),
                                 [](const auto& each) { return each.second == std::floor(each.second); });
  const double rows = whole ? total : static_cast<double>(ascending.size());
  const double at = share * (rows - 1), below = std::floor(at);
  auto value_of = [&, sum = 0.0, row = std::size_t{0}](double place) mutable {
    while (row + 1 < ascending.size() && (sum + ascending[row].second) * (rows / total) <= place)
      sum += ascending[row++].second;
    return ascending[row].first;
  };
  const double low = value_of(below), high = value_of(below + 1);
  return low + (at - below) * (high - low);
}

}  // namespace

Perturbation::Perturbation(const MethodInput& input, const LimeOptions& options, const LabelledRows& rows)
    : schema_(input.schema),
      rows_(rows),
      seed_(input.seed),
      parts_(options.bins == "quartiles" ? 4
             : options.bins == "deciles" ? 10
                                         : 0),
      normal_(options.draw == "normal"),
      around_row_(options.around == "row"),
      plain_(options.kernel == "plain"),
      width_(options.width.value_or(0.75 * std::sqrt(static_cast<double>(input.features.size())))) {
  const bool weighted =
      std::any_of(rows.weights.begin(), rows.weights.end(), [](double weight) { return weight != 1; });
  if (weighted) {
    sums_.resize(rows.rows());
    std::partial_sum(rows.weights.begin(), rows.weights.end(), sums_.begin());
  }
  for (std::size_t j = 0; j < input.features.size(); ++j) add_feature(input, j);
}

void Perturbation::add_feature(const MethodInput& input, std::size_t j) {
  PerturbedFeature& feature = features_.emplace_back();
  feature.column = input.features[j];
  const ColumnInfo& info = input.schema[feature.column];
  feature.levels = info.has_levels();
  feature.whole = !feature.levels && info.type != DType::float64 && info.type != DType::float32;
  const std::vector<double>& values = rows_.values[j];
  std::size_t cells = 1;
  if (feature.levels) {
    cells = info.levels().size();
  } else {
    std::vector<std::pair<double, double>> known;
    double total = 0, sum = 0;
    for (std::size_t row = 0; row < values.size(); ++row) {
      if (!std::isfinite(values[row]) || !(rows_.weights[row] > 0)) continue;
      known.emplace_back(values[row], rows_.weights[row]);
      total += rows_.weights[row];
      sum += rows_.weights[row] * values[row];
    }
    std::sort(known.begin(), known.end());
    if (total > 0) {
      feature.mean = sum / total;
      double square = 0;
      for (const auto& [value, weight] : known) square += weight * (value - feature.mean) * (value - feature.mean);
      feature.sd = known.front().first < known.back().first ? std::sqrt(square / total) : 0;
      for (std::size_t part = 1; part < parts_; ++part) {
        const double cut = percentile(known, total, static_cast<double>(part) / static_cast<double>(parts_));
        if (feature.cuts.empty() || cut > feature.cuts.back()) feature.cuts.push_back(cut);
      }
    }
    cells = feature.cuts.size() + 1;
  }
  feature.shares.assign(cells + 1, 0);
  feature.cell_of_row.resize(values.size());
  double total = 0;
  std::vector<double> sums(cells + 1, 0), squares(cells + 1, 0);
  if (parts_ > 0 && !feature.levels)
    feature.bins.assign(
        cells + 1, {.low = std::numeric_limits<double>::infinity(), .high = -std::numeric_limits<double>::infinity()});
  for (std::size_t row = 0; row < values.size(); ++row) {
    const std::uint32_t at = cell(j, values[row]);
    feature.cell_of_row[row] = at;
    feature.shares[at] += rows_.weights[row];
    total += rows_.weights[row];
    if (feature.bins.empty() || std::isnan(values[row])) continue;
    sums[at] += rows_.weights[row] * values[row];
    feature.bins[at].low = std::min(feature.bins[at].low, values[row]);
    feature.bins[at].high = std::max(feature.bins[at].high, values[row]);
  }
  for (std::size_t at = 0; at < feature.bins.size(); ++at)
    feature.bins[at].mean = feature.shares[at] > 0 ? sums[at] / feature.shares[at] : 0;
  for (std::size_t row = 0; row < values.size() && !feature.bins.empty(); ++row) {
    const std::uint32_t at = feature.cell_of_row[row];
    const double off = values[row] - feature.bins[at].mean;
    if (!std::isnan(off)) squares[at] += rows_.weights[row] * off * off;
  }
  for (std::size_t at = 0; at < feature.bins.size(); ++at) {
    PerturbedFeature::Bin& bin = feature.bins[at];
    bin.sd = feature.shares[at] > 0 ? std::sqrt(squares[at] / feature.shares[at]) : 0;
    // The mean of equal numbers is rounded: what is off from it is no spread.
    if (bin.low < bin.high) continue;
    bin.sd = 0;
    if (feature.shares[at] > 0 && std::isfinite(bin.low)) bin.mean = bin.low;
  }
  for (double& share : feature.shares) share = total > 0 ? share / total : 0;
}

std::uint32_t Perturbation::cell(std::size_t j, double value) const {
  const PerturbedFeature& feature = features_[j];
  if (std::isnan(value)) return feature.missing_cell();
  if (feature.levels) {
    // Codes of a column's own dictionary.
    return std::min(static_cast<std::uint32_t>(value), feature.missing_cell());
  }
  const auto at = std::lower_bound(feature.cuts.begin(), feature.cuts.end(), value);
  return static_cast<std::uint32_t>(at - feature.cuts.begin());
}

TermKind Perturbation::kind(std::size_t j, double value) const {
  const PerturbedFeature& feature = features_[j];
  const bool number = parts_ == 0 && !feature.levels && std::isfinite(value) && feature.sd > 0;
  return number ? TermKind::number : TermKind::cell;
}

ShownCondition Perturbation::condition(std::size_t j, std::uint32_t cell) const {
  const PerturbedFeature& feature = features_[j];
  ShownCondition shown{.feature = schema_[feature.column].name, .categorical = feature.levels};
  shown.dates = schema_[feature.column].dates;
  if (cell == feature.missing_cell()) {
    shown.missing = true;
  } else if (feature.levels) {
    shown.levels = {schema_[feature.column].level(cell)};
  } else {
    if (cell > 0) shown.above = feature.cuts[cell - 1];
    if (cell < feature.cuts.size()) shown.at_most = feature.cuts[cell];
  }
  return shown;
}

bool Perturbation::shared(const std::vector<LabelledRow>& explained) const {
  if (parts_ > 0) return true;
  for (std::size_t j = 0; j < features_.size(); ++j) {
    if (features_[j].levels) continue;
    if (around_row_ || features_[j].shares.back() > 0) return false;
    for (const LabelledRow& row : explained) {
      if (!std::isfinite(row.values[j])) return false;
    }
  }
  return true;
}

std::size_t Perturbation::drawn_row(double uniform) const {
  if (sums_.empty()) {
    const auto at = static_cast<std::size_t>(uniform * static_cast<double>(rows_.rows()));
    return std::min(at, rows_.rows() - 1);
  }
  const auto at = std::upper_bound(sums_.begin(), sums_.end(), uniform * sums_.back());
  return std::min(static_cast<std::size_t>(at - sums_.begin()), rows_.rows() - 1);
}

Samples Perturbation::draw(std::size_t count, std::uint64_t stream, const LabelledRow* row) const {
  Samples samples{.count = count};
  samples.values.resize(features_.size());
  samples.cells.resize(features_.size());
  samples.scaled.resize(features_.size());
  // One key per row that is explained and one counter per feature and sample: no draw depends on any other.
  const std::uint64_t key = row == nullptr ? seed_ : random_bits(seed_, sample_stream, row->id + 1);
  for (std::size_t j = 0; j < features_.size(); ++j) {
    const PerturbedFeature& feature = features_[j];
    std::vector<double>& values = samples.values[j];
    std::vector<std::uint32_t>& cells = samples.cells[j];
    values.resize(count);
    cells.resize(count);
    std::vector<double>& scaled_values = samples.scaled[j];
    const bool number =
        row == nullptr ? !feature.levels && parts_ == 0 && feature.sd > 0 : kind(j, row->values[j]) == TermKind::number;
    const bool in_bins = normal_ && !feature.bins.empty();
    if (number) scaled_values.resize(count);
    const double centre = number && around_row_ && row != nullptr ? row->values[j] : feature.mean;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t bits = random_bits(key, sample_stream + 1 + stream, i * features_.size() + j);
      const double first = (static_cast<double>(bits >> 32) + 0.5) * 0x1p-32;
      const double second = (static_cast<double>(bits & 0xffff'ffffU) + 0.5) * 0x1p-32;
      std::size_t from = 0;
      if (!number) {
        from = drawn_row(first);
        values[i] = rows_.values[j][from];
        cells[i] = feature.cell_of_row[from];
      }
      if (number || (feature.bins.empty() && !feature.levels && feature.sd > 0 && !std::isnan(values[i]))) {
        values[i] = centre + feature.sd * normal_quantile(number ? first : second);
        cells[i] = 0;
        if (number) scaled_values[i] = scaled(j, values[i]);
      } else if (in_bins && cells[i] != feature.missing_cell()) {
        const PerturbedFeature::Bin& bin = feature.bins[cells[i]];
        if (!(bin.sd > 0) || !std::isfinite(bin.sd)) continue;
        const double low = normal_share((bin.low - bin.mean) / bin.sd),
                     high = normal_share((bin.high - bin.mean) / bin.sd);
        values[i] = std::clamp(bin.mean + bin.sd * normal_quantile(low + second * (high - low)), bin.low, bin.high);
      }
      if (feature.whole && !std::isnan(values[i])) values[i] = std::round(values[i]);
    }
  }
  return samples;
}

}  // namespace sightglass
