#include "sightglass/methods/local/pieces/piece_line.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sightglass {

namespace {

constexpr double clear_errors = 2;    // standard errors from 0
constexpr double clear_share = 0.01;  // of the largest value: the penalty alone spreads it over others
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

// The rows of one half, close together: what they weigh is not zero.
WeightedMoments moments_of_half(const std::vector<double>& columns, std::size_t pieces,
                                const std::vector<double>& weights, MatrixSpan<const double> y,
                                const ForEach& for_each) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] > 0) rows.push_back(i);
  }
  std::vector<double> part(pieces * rows.size()), part_weights(rows.size());
  Matrix part_y(rows.size(), y.columns());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    part_weights[i] = weights[rows[i]];
    for (std::size_t k = 0; k < y.columns(); ++k) part_y.span()(i, k) = y(rows[i], k);
  }
  for (std::size_t j = 0; j < pieces; ++j) {
    for (std::size_t i = 0; i < rows.size(); ++i) part[j * rows.size() + i] = columns[j * weights.size() + rows[i]];
  }
  return weighted_moments(part, pieces, part_weights, part_y.span(), for_each);
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

bool is_clear(const PieceLine& line, std::size_t i) {
  double largest = 0;
  for (const double value : line.values) largest = std::max(largest, std::abs(value));
  return std::abs(line.values[i]) > std::max(clear_errors * line.se[i], clear_share * largest);
}

}  // namespace

double PieceLine::local_prediction() const { return std::accumulate(values.begin(), values.end(), base); }

bool PieceLine::width_decides() const {
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const double size = std::max(std::abs(least[i]), std::abs(greatest[i]));
    const bool turns = std::min(-least[i], greatest[i]) > 0.1 * size;
    if (turns && is_clear(*this, i)) return true;
  }
  return false;
}

std::vector<PieceLine> piece_lines(const PieceSamples& samples, MatrixSpan<const double> predictions,
                                   const PieceLineOptions& options, const ForEach& for_each) {
  const std::size_t rows = samples.rows, pieces = samples.pieces;
  const std::vector<double> columns = samples.columns();
  const auto weights_of = [&](double width, const std::vector<double>& counts) {
    std::vector<double> weights(rows);
    for (std::size_t i = 0; i < rows; ++i) weights[i] = counts[i] * piece_weight(samples.kept[i], pieces, width);
    return weights;
  };
  const std::vector<double> weights = weights_of(options.width, samples.counts);
  WeightedMoments moments, halves[2];
  if (samples.exact) {
    moments = weighted_moments(columns, pieces, weights, predictions, for_each);
  } else {
    std::vector<double> other(rows);
    for (std::size_t i = 0; i < rows; ++i) other[i] = samples.counts[i] - samples.first_half[i];
    halves[0] = moments_of_half(columns, pieces, weights_of(options.width, samples.first_half), predictions, for_each);
    halves[1] = moments_of_half(columns, pieces, weights_of(options.width, other), predictions, for_each);
    moments = merged(halves[0], halves[1]);
  }
  double far = 0;
  for (std::size_t i = 0; i < rows; ++i) far += 2 * samples.kept[i] < pieces ? weights[i] : 0;

  std::vector<PieceLine> lines(predictions.columns());
  for (std::size_t output = 0; output < lines.size(); ++output) {
    PieceLine& line = lines[output];
    const WeightedLine fit = weighted_ridge(moments, output, chosen_pieces(moments, output, options), options.penalty);
    line.base = fit.intercept;
    line.prediction = predictions(0, output);
    line.pieces = fit.features;
    line.values = fit.coefficients;
    line.r2 = fit.r2;
    line.far_share = moments.weight > 0 ? far / moments.weight : 0;
    line.exact = samples.exact;
    line.samples = rows;
    line.se.resize(line.pieces.size());
    if (!samples.exact) {
      std::vector<double> y(rows);
      for (std::size_t i = 0; i < rows; ++i) y[i] = predictions(i, output);
      line.se = standard_errors(moments, fit, columns, weights, samples.counts, y, options.penalty);
    }
    for (std::size_t i = 0; i < line.pieces.size(); ++i) line.clear += is_clear(line, i) ? 1 : 0;
    if (!samples.exact && moments.squares[output] > 0) {
      const std::size_t count = std::max<std::size_t>(1, line.clear);
      std::vector<std::size_t> named[2];
      for (const std::size_t half : {0, 1}) {
        named[half] = largest_pieces(
            weighted_ridge(halves[half], output, chosen_pieces(halves[half], output, options), options.penalty), count);
      }
      line.stability = overlap(named[0], named[1]);
    }
    line.least = line.greatest = line.values;
  }
  // Of the chosen pieces only: other widths are not asked which they would choose.
  for (const double times : tried_widths) {
    if (times == 1) continue;
    const std::vector<double> other = weights_of(times * options.width, samples.counts);
    for (std::size_t output = 0; output < lines.size(); ++output) {
      PieceLine& line = lines[output];
      std::vector<double> part;
      part.reserve(line.pieces.size() * rows);
      for (const std::size_t piece : line.pieces) {
        const auto begin = columns.begin() + static_cast<std::ptrdiff_t>(piece * rows);
        part.insert(part.end(), begin, begin + static_cast<std::ptrdiff_t>(rows));
      }
      Matrix y(rows, 1);
      for (std::size_t i = 0; i < rows; ++i) y.span()(i, 0) = predictions(i, output);
      const WeightedMoments of_width = weighted_moments(part, line.pieces.size(), other, y.span(), for_each);
      std::vector<std::size_t> all(line.pieces.size());
      std::iota(all.begin(), all.end(), std::size_t{0});
      const WeightedLine fit = weighted_ridge(of_width, 0, all, options.penalty);
      for (std::size_t i = 0; i < all.size(); ++i) {
        line.least[i] = std::min(line.least[i], fit.coefficients[i]);
        line.greatest[i] = std::max(line.greatest[i], fit.coefficients[i]);
      }
    }
  }
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
