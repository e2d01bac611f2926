#include "sightglass/methods/local/lime/row_lines.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sightglass/methods/local/lime/sample_moments.h"

namespace sightglass {

namespace {

// α where features are weighed against one another to choose among them, as the package lime has it.
constexpr double choosing_ridge = 0.01;
// Samples that must count for a line at another width: fewer say nothing.
constexpr double fewest_effective = 100;

// The largest terms of a line, by the size of their coefficients.
std::vector<std::size_t> largest_terms(const FittedLine& line, std::size_t most) {
  std::vector<std::size_t> order(line.terms.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(line.coefficients[a]) > std::abs(line.coefficients[b]);
  });
  order.resize(std::min(order.size(), most));
  std::vector<std::size_t> found;
  for (const std::size_t at : order) found.push_back(line.terms[at]);
  std::sort(found.begin(), found.end());
  return found;
}

double jaccard(const std::vector<std::size_t>& a, const std::vector<std::size_t>& b) {
  std::vector<std::size_t> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  const std::size_t either = a.size() + b.size() - both.size();
  return either == 0 ? 1 : static_cast<double>(both.size()) / static_cast<double>(either);
}

// Share of the weight on samples of which at most half of the features that can change have: features change
// independently of one another.
double locality_share(const std::vector<TiltedFeature>& features, std::size_t lane) {
  std::vector<double> chance{1};  // of so many changes
  for (const TiltedFeature& feature : features) {
    if (!(feature.variance[lane] > 0)) continue;
    chance.push_back(0);
    for (std::size_t changed = chance.size() - 1; changed > 0; --changed) {
      chance[changed] = chance[changed] * feature.unchanged[lane] + chance[changed - 1] * (1 - feature.unchanged[lane]);
    }
    chance[0] *= feature.unchanged[lane];
  }
  double share = 0;
  for (std::size_t changed = 0; 2 * changed < chance.size(); ++changed) share += chance[changed];
  return std::min(1.0, share);
}

double effective_share(const std::vector<TiltedFeature>& features, std::size_t lane) {
  double share = 1;
  for (const TiltedFeature& feature : features) share *= feature.effective[lane];
  return share;
}

std::size_t most_terms_of(const LimeOptions& options, std::size_t features) {
  return options.terms == 0 ? features : std::min(static_cast<std::size_t>(options.terms), features);
}

}  // namespace

double RowLine::value() const {
  double sum = line.intercept;
  for (std::size_t i = 0; i < line.terms.size(); ++i) sum += line.coefficients[i] * own[i];
  return sum;
}

RowExplainer::RowExplainer(const MethodInput& input, const LimeOptions& options, const LabelledRows& rows, bool exact)
    : input_(input),
      options_(options),
      rows_(rows),
      perturbation_(input, options, rows),
      leaves_(exact ? LeafLines::of(input, perturbation_, rows.named) : nullptr),
      nearest_(input, rows),
      most_(most_terms_of(options, input.features.size())),
      choice_(term_choice(options.select, most_)) {
  for (const std::size_t output : input.explained) {
    double total = 0, sum = 0, square = 0;
    const double first = rows.rows() > 0 ? rows.prediction(0, output) : 0;
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      const double off = rows.prediction(row, output) - first;
      total += rows.weights[row];
      sum += rows.weights[row] * off;
      square += rows.weights[row] * off * off;
    }
    variances_.push_back(total > 0 ? std::max(0.0, square / total - sum / total * (sum / total)) : 0);
  }
}

std::vector<double> RowExplainer::predictions_of(const LabelledRow& row) const {
  std::vector<double> own;
  for (const std::size_t output : input_.explained) own.push_back(row.predictions[output]);
  return own;
}

std::vector<RowLine> RowExplainer::explain(const LabelledRow& row, const std::vector<const Samples*>& repeats,
                                           const std::vector<NearRow>& near) const {
  std::vector<TiltedFeature> features;
  for (std::size_t j = 0; j < row.values.size(); ++j) features.push_back(tilted(perturbation_, j, row.values[j]));
  std::vector<RowLine> lines(input_.explained.size());
  const std::vector<double> own = predictions_of(row);
  for (std::size_t k = 0; k < lines.size(); ++k) {
    lines[k].row = row.id;
    lines[k].output = k;
    lines[k].prediction = own[k];
  }
  if (exact()) {
    add_exact(features, *repeats.front(), lines);
  } else {
    add_sampled(features, repeats, lines);
  }
  for (RowLine& line : lines) {
    for (const std::size_t j : line.line.terms) {
      line.own.push_back(features[j].own);
      line.cell.push_back(features[j].own_cell);
      line.kind.push_back(features[j].kind);
      line.sd.push_back(std::sqrt(features[j].variance[chosen_width]));
    }
    line.locality = locality_share(features, chosen_width);
    line.effective_share = effective_share(features, chosen_width);
    for (std::size_t lane = 0; lane < swept_widths; ++lane) line.sweep_locality[lane] = locality_share(features, lane);
    measure_near(row, features, near, line);
  }
  return lines;
}

void RowExplainer::add_exact(const std::vector<TiltedFeature>& features, const Samples& samples,
                             std::vector<RowLine>& lines) const {
  const std::vector<ExactLine> found = leaves_->lines(features);
  const std::size_t p = features.size();
  std::vector<double> terms, own;
  for (const TiltedFeature& feature : features) terms.push_back(feature.own);
  for (const RowLine& line : lines) own.push_back(line.prediction);
  const SampleMoments sampled(samples, features, input_.explained, input_.outputs.size(), own);
  const auto widths = widths_around(perturbation_.width());
  // Moments of all samples there could be: terms do not go together.
  LineMoments limit{.terms = p, .outputs = lines.size()};
  limit.weight = 1;
  limit.covariance.assign(p * p, 0);
  limit.mean.assign(p, 0);
  limit.with_y.assign(lines.size() * p, 0);
  for (std::size_t j = 0; j < p; ++j) {
    limit.mean[j] = features[j].mean[chosen_width];
    limit.covariance[j * p + j] = features[j].variance[chosen_width];
    for (std::size_t k = 0; k < lines.size(); ++k)
      limit.with_y[k * p + j] = found[k].coefficients[j][chosen_width] * features[j].variance[chosen_width];
  }
  std::vector<LineMoments> by_width;
  for (const double width : widths) by_width.push_back(sampled.moments(perturbation_.decay(width)));
  for (std::size_t k = 0; k < lines.size(); ++k) {
    RowLine& line = lines[k];
    const auto at_width = [&](std::size_t lane) {
      FittedLine fitted{.terms = line.line.terms, .coefficients = {}, .intercept = found[k].mean[lane]};
      for (const std::size_t j : fitted.terms) {
        fitted.coefficients.push_back(found[k].coefficients[j][lane]);
        fitted.intercept -= found[k].coefficients[j][lane] * features[j].mean[lane];
      }
      return fitted;
    };
    line.line.terms = choose_terms(limit, k, choice_, most_, terms, 0);
    line.line = at_width(chosen_width);
    line.mean = found[k].mean[chosen_width];
    for (const std::size_t j : line.line.terms) {
      auto& path = line.sweep.emplace_back();
      for (std::size_t lane = 0; lane < swept_widths; ++lane) path[lane] = found[k].coefficients[j][lane];
    }
    for (std::size_t lane = 0; lane < swept_widths; ++lane) {
      FittedLine fitted = at_width(lane);
      fitted.intercept -= line.prediction;
      line.sweep_r2[lane] = by_width[lane].effective() < fewest_effective ? std::numeric_limits<double>::quiet_NaN()
                                                                          : r_squared(by_width[lane], k, fitted);
    }
    FittedLine fitted = line.line;
    fitted.intercept -= line.prediction;
    const auto residuals = sampled.residuals(perturbation_.decay(perturbation_.width()), k, fitted);
    line.r2 = residuals.r2;
    line.r2_se = residuals.r2_se;
    line.compared = std::min({std::size_t{5}, most_, std::max<std::size_t>(1, p / 2)});
  }
}

void RowExplainer::add_sampled(const std::vector<TiltedFeature>& features, const std::vector<const Samples*>& repeats,
                               std::vector<RowLine>& lines) const {
  const double decay = perturbation_.decay(perturbation_.width());
  const auto widths = widths_around(perturbation_.width());
  std::vector<double> terms, own;
  for (const TiltedFeature& feature : features) terms.push_back(feature.own);
  for (const RowLine& line : lines) own.push_back(line.prediction);
  const std::size_t compared = std::min({std::size_t{5}, most_, std::max<std::size_t>(1, features.size() / 2)});
  std::vector<std::vector<std::vector<std::size_t>>> largest(lines.size());
  for (std::size_t repeat = 0; repeat < repeats.size(); ++repeat) {
    const SampleMoments sampled(*repeats[repeat], features, input_.explained, input_.outputs.size(), own);
    const LineMoments moments = sampled.moments(decay);
    for (std::size_t k = 0; k < lines.size(); ++k) {
      FittedLine fitted =
          fit_line(moments, k, choose_terms(moments, k, choice_, most_, terms, choosing_ridge), options_.penalty);
      largest[k].push_back(largest_terms(fitted, compared));
      if (repeat > 0) continue;
      RowLine& line = lines[k];
      line.compared = compared;
      line.mean = moments.y_mean[k] + line.prediction;
      const auto residuals = sampled.residuals(decay, k, fitted);
      line.r2 = residuals.r2;
      line.r2_se = residuals.r2_se;
      line.se = sampled.standard_errors(residuals, moments, fitted, options_.penalty);
      line.sweep.assign(fitted.terms.size(), {});
      line.line = std::move(fitted);
    }
    if (repeat > 0) continue;
    for (std::size_t lane = 0; lane < swept_widths; ++lane) {
      const LineMoments other = sampled.moments(perturbation_.decay(widths[lane]));
      const bool enough = other.effective() >= fewest_effective || lane == chosen_width;
      for (std::size_t k = 0; k < lines.size(); ++k) {
        RowLine& line = lines[k];
        FittedLine fitted;
        if (enough) fitted = fit_line(other, k, line.line.terms, options_.penalty);
        line.sweep_r2[lane] = enough ? r_squared(other, k, fitted) : std::numeric_limits<double>::quiet_NaN();
        for (std::size_t i = 0; i < line.sweep.size(); ++i)
          line.sweep[i][lane] = enough ? fitted.coefficients[i] : std::numeric_limits<double>::quiet_NaN();
      }
    }
  }
  for (std::size_t k = 0; k < lines.size(); ++k) {
    lines[k].line.intercept += lines[k].prediction;
    double sum = 0;
    std::size_t pairs = 0;
    for (std::size_t a = 0; a < largest[k].size(); ++a) {
      for (std::size_t b = 0; b < a; ++b, ++pairs) sum += jaccard(largest[k][a], largest[k][b]);
    }
    lines[k].stability = pairs > 0 ? sum / static_cast<double>(pairs) : 1;
  }
}

void RowExplainer::measure_near(const LabelledRow&, const std::vector<TiltedFeature>& features,
                                const std::vector<NearRow>& near, RowLine& line) const {
  line.near_rows = near.size();
  if (near.empty() || !(variances_[line.output] > 0)) return;
  double total = 0, errors = 0;
  for (const NearRow& each : near) {
    double error = rows_.prediction(each.row, input_.explained[line.output]) - line.line.intercept;
    for (std::size_t i = 0; i < line.line.terms.size(); ++i) {
      const std::size_t j = line.line.terms[i];
      const double value = rows_.values[j][each.row];
      double term = perturbation_.cell(j, value) == features[j].own_cell ? 1 : 0;
      // A number that is missing there counts as the mean.
      if (features[j].kind == TermKind::number) term = std::isfinite(value) ? perturbation_.scaled(j, value) : 0;
      error -= line.line.coefficients[i] * term;
    }
    total += rows_.weights[each.row];
    errors += rows_.weights[each.row] * error * error;
  }
  if (total > 0) line.r2_near = 1 - errors / total / variances_[line.output];
}

}  // namespace sightglass
