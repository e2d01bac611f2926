#include "sightglass/methods/local/pieces/piece_line.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sightglass/methods/local/pieces/piece_moments.h"

namespace sightglass {

namespace {

constexpr double clear_errors = 2;     // standard errors from 0
constexpr double clear_share = 0.01;   // of the largest value: the penalty alone spreads it over others
constexpr double telling_share = 0.1;  // of the largest value, from which on a piece must come back
constexpr double least_stability = 0.7;
constexpr double least_r2 = 0.5;
constexpr std::size_t most_forward = 6;

std::vector<std::size_t> chosen_pieces(const WeightedMoments& moments, std::size_t output,
                                       const PieceLineOptions& options) {
  const std::size_t count = options.terms == 0 ? moments.features : std::min(options.terms, moments.features);
  const bool forward = options.select == "forward" || (options.select == "auto" && count <= most_forward);
  if (count == moments.features) {
    std::vector<std::size_t> all(count);
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
  }
  return forward ? forward_selection(moments, output, count) : highest_weights(moments, output, count);
}

// The pieces with the largest values of a line, ascending.
std::vector<std::size_t> largest_pieces(const WeightedLine& line, std::size_t count) {
  std::vector<std::size_t> order(line.features.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(line.coefficients[a]) > std::abs(line.coefficients[b]);
  });
  order.resize(std::min(count, order.size()));
  std::vector<std::size_t> pieces;
  for (const std::size_t at : order) pieces.push_back(line.features[at]);
  std::sort(pieces.begin(), pieces.end());
  return pieces;
}

double overlap(const std::vector<std::size_t>& a, const std::vector<std::size_t>& b) {
  std::vector<std::size_t> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  const std::size_t either = a.size() + b.size() - both.size();
  return either == 0 ? 1 : static_cast<double>(both.size()) / static_cast<double>(either);
}

}  // namespace

bool PieceLine::is_clear(std::size_t i) const {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return std::abs(values[i]) > std::max(clear_errors * se[i], clear_share * largest);
}

double PieceLine::local_prediction() const { return std::accumulate(values.begin(), values.end(), base); }

bool PieceLine::width_decides() const {
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const double size = std::max(std::abs(least[i]), std::abs(greatest[i]));
    const bool turns = std::min(-least[i], greatest[i]) > 0.1 * size;
    if (turns && is_clear(i)) return true;
  }
  return false;
}

namespace {

std::vector<std::size_t> first_numbers(std::size_t count) {
  std::vector<std::size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  return numbers;
}

// What each sample weighs that was drawn so often; found once for each number of pieces.
std::vector<double> weights_of(const PieceSamples& samples, double width, const std::vector<double>& counts) {
  std::vector<double> by_kept(samples.pieces + 1), weights(samples.rows);
  for (std::size_t kept = 0; kept <= samples.pieces; ++kept) by_kept[kept] = piece_weight(kept, samples.pieces, width);
  for (std::size_t i = 0; i < samples.rows; ++i) weights[i] = counts[i] * by_kept[samples.kept[i]];
  return weights;
}

// All samples, and where they were drawn each half of them.
struct SampleMoments {
  WeightedMoments all, halves[2];
};

SampleMoments moments_of(const PieceSamples& samples, const PieceSets& sets, const std::vector<double>& weights,
                         double width, MatrixSpan<const double> predictions, const ForEach& for_each) {
  const std::vector<std::size_t> pieces = first_numbers(samples.pieces);
  SampleMoments found;
  if (samples.exact) {
    found.all = sets.moments(pieces, weights, predictions, for_each);
    return found;
  }
  std::vector<double> other(samples.rows);
  for (std::size_t i = 0; i < samples.rows; ++i) other[i] = samples.counts[i] - samples.first_half[i];
  found.halves[0] = sets.moments(pieces, weights_of(samples, width, samples.first_half), predictions, for_each);
  found.halves[1] = sets.moments(pieces, weights_of(samples, width, other), predictions, for_each);
  found.all = merged(found.halves[0], found.halves[1]);
  return found;
}

// Of the chosen pieces only: other widths are not asked which they would choose.
void try_widths(const PieceSamples& samples, const PieceSets& sets, MatrixSpan<const double> predictions,
                const PieceLineOptions& options, const ForEach& for_each, std::vector<PieceLine>& lines) {
  for (const double times : tried_widths) {
    if (times == 1) continue;
    const std::vector<double> weights = weights_of(samples, times * options.width, samples.counts);
    for (std::size_t output = 0; output < lines.size(); ++output) {
      PieceLine& line = lines[output];
      Matrix y(samples.rows, 1);
      for (std::size_t i = 0; i < samples.rows; ++i) y.span()(i, 0) = predictions(i, output);
      const WeightedMoments moments = sets.moments(line.pieces, weights, y.span(), for_each);
      const WeightedLine fit = weighted_ridge(moments, 0, first_numbers(line.pieces.size()), options.penalty);
      for (std::size_t i = 0; i < line.pieces.size(); ++i) {
        line.least[i] = std::min(line.least[i], fit.coefficients[i]);
        line.greatest[i] = std::max(line.greatest[i], fit.coefficients[i]);
      }
    }
  }
}

std::vector<double> errors_of(const PieceSamples& samples, const WeightedMoments& moments, const WeightedLine& fit,
                              std::span<const double> weights, MatrixSpan<const double> predictions, std::size_t output,
                              double penalty) {
  std::vector<double> y(samples.rows);
  for (std::size_t i = 0; i < samples.rows; ++i) y[i] = predictions(i, output);
  WeightedLine alone = fit;
  alone.features = first_numbers(fit.features.size());
  return standard_errors(part_of(moments, fit.features), alone, piece_columns(samples, fit.features), weights,
                         samples.counts, y, penalty);
}

// Which of the small ones come next is no matter of stability.
std::size_t telling_pieces(const PieceLine& line) {
  double largest = 0;
  for (const double value : line.values) largest = std::max(largest, std::abs(value));
  std::size_t count = 0;
  for (std::size_t i = 0; i < line.values.size(); ++i)
    count += line.is_clear(i) && std::abs(line.values[i]) >= telling_share * largest ? 1 : 0;
  return count;
}

double stability_of(const WeightedMoments* halves, std::size_t output, std::size_t count,
                    const PieceLineOptions& options) {
  std::vector<std::size_t> named[2];
  for (const std::size_t half : {0, 1}) {
    named[half] = largest_pieces(
        weighted_ridge(halves[half], output, chosen_pieces(halves[half], output, options), options.penalty), count);
  }
  return overlap(named[0], named[1]);
}

}  // namespace

std::vector<PieceLine> piece_lines(const PieceSamples& samples, MatrixSpan<const double> predictions,
                                   const PieceLineOptions& options, const ForEach& for_each) {
  const PieceSets sets(samples);
  const std::vector<double> weights = weights_of(samples, options.width, samples.counts);
  const SampleMoments moments = moments_of(samples, sets, weights, options.width, predictions, for_each);
  double far = 0;
  for (std::size_t i = 0; i < samples.rows; ++i)
    far += 2 * std::size_t{samples.kept[i]} < samples.pieces ? weights[i] : 0;

  std::vector<PieceLine> lines(predictions.columns());
  for (std::size_t output = 0; output < lines.size(); ++output) {
    PieceLine& line = lines[output];
    const WeightedLine fit =
        weighted_ridge(moments.all, output, chosen_pieces(moments.all, output, options), options.penalty);
    line.base = fit.intercept;
    line.prediction = predictions(0, output);
    line.pieces = fit.features;
    line.values = fit.coefficients;
    line.r2 = fit.r2;
    line.far_share = moments.all.weight > 0 ? far / moments.all.weight : 0;
    line.exact = samples.exact;
    line.samples = samples.rows;
    line.se.resize(line.pieces.size());
    if (!samples.exact) line.se = errors_of(samples, moments.all, fit, weights, predictions, output, options.penalty);
    for (std::size_t i = 0; i < line.pieces.size(); ++i) line.clear += line.is_clear(i) ? 1 : 0;
    if (!samples.exact && moments.all.squares[output] > 0)
      line.stability = stability_of(moments.halves, output, std::max<std::size_t>(1, telling_pieces(line)), options);
    line.least = line.greatest = line.values;
  }
  try_widths(samples, sets, predictions, options, for_each, lines);
  return lines;
}

void add_line_caveats(const std::vector<PieceLine>& lines, const std::vector<std::string>& where, const char* piece,
                      std::vector<Caveat>& caveats) {
  const auto add = [&](const char* id, Severity severity, const std::string& message, const Text& advice,
                       const char* measure, const auto& doubtful, const auto& value) {
    std::string names;
    std::size_t count = 0;
    double worst = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (!doubtful(lines[i])) continue;
      worst = count == 0 ? value(lines[i]) : std::min(worst, value(lines[i]));
      if (count++ < 5) names += (names.empty() ? "" : ", ") + where[i];
    }
    if (count == 0) return;
    if (count > 5) names += " and " + std::to_string(count - 5) + " more";
    caveats.push_back({.id = id,
                       .severity = severity,
                       .message = names + ": " + message,
                       .evidence = Value::object({{measure, worst}, {"explanations", count}}),
                       .advice = advice});
  };
  add(
      "unstable-local", Severity::caution,
      std::string("half of the samples name other ") + piece + "s than the other half",
      marked("raise {option:samples}; believe the values with small standard errors"), "stability",
      [](const PieceLine& line) { return line.stability < least_stability; },
      [](const PieceLine& line) { return line.stability; });
  add(
      "local-line-off", Severity::caution,
      std::string("the line follows the model badly: what ") + piece + "s do together is more than their sum",
      marked("raise {option:terms}, or read the values as tendencies"), "r2",
      [](const PieceLine& line) { return line.r2 < least_r2; }, [](const PieceLine& line) { return line.r2; });
  add(
      "width-decides", Severity::caution,
      std::string("a ") + piece + " speaks for the prediction under one kernel width and against it under another",
      marked("compare several values of {option:width}"), "clear",
      [](const PieceLine& line) { return line.width_decides(); },
      [](const PieceLine& line) { return static_cast<double>(line.clear); });
}

}  // namespace sightglass
