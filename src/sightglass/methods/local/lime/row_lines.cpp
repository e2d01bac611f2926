#include "sightglass/methods/local/lime/row_lines.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/methods/local/lime/measured_lines.h"
#include "sightglass/methods/local/lime/sample_moments.h"
#include "sightglass/methods/local/lime/term_lines.h"
#include "sightglass/model/learned/learned_model.h"
#include "sightglass/model/trees/tree_rows.h"

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

// Why the limit of the margin's line is not known; empty: it is.
std::string why_no_limit(const MethodInput& input, const LimeOptions& options) {
  const std::string why = why_not_by_leaves(input, options);
  return why.empty() || why_not_by_terms(input).empty() ? "" : why;
}

// Whether predictions are the margin.
bool adds_up(const MethodInput& input) {
  if (input.scale == Scale::margin) return true;
  const LinkFunction& link = input.trees != nullptr ? input.trees->parts().link : input.learned->link();
  return link.link == Link::identity;
}

// Of each output, less what the model says of the row.
std::vector<std::vector<double>> answers_of(const MethodInput& input, const Samples& samples,
                                            const std::vector<double>& own) {
  std::vector<std::vector<double>> found;
  for (std::size_t k = 0; k < input.explained.size(); ++k) {
    std::vector<double>& answers = found.emplace_back(samples.count);
    for (std::size_t i = 0; i < samples.count; ++i)
      answers[i] = samples.predictions[i * input.outputs.size() + input.explained[k]] - own[k];
  }
  return found;
}

// The line of the margin on some of the terms, in the limit. off: what is taken off all margins.
FittedLine limit_line(const ExactLine& limit, const std::vector<TiltedFeature>& features,
                      const std::vector<std::size_t>& terms, std::size_t lane, double off) {
  FittedLine line{.terms = terms, .coefficients = {}, .intercept = limit.mean[lane] - off};
  for (const std::size_t j : terms) {
    line.coefficients.push_back(limit.coefficients[j][lane]);
    line.intercept -= limit.coefficients[j][lane] * features[j].mean[lane];
  }
  return line;
}

// In the limit terms do not go together, and every way to choose some puts them into an order: forward selection by
// what each explains, the path of the lasso by covariance, weights by size.
std::vector<std::size_t> limit_terms(const ExactLine& limit, const std::vector<TiltedFeature>& features,
                                     TermChoice choice, std::size_t most) {
  std::vector<std::size_t> order(features.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (most >= order.size()) return order;
  const auto size = [&](std::size_t j) {
    const double beta = limit.coefficients[j][chosen_width], variance = features[j].variance[chosen_width];
    switch (choice) {
      case TermChoice::forward: return beta * beta * variance;
      case TermChoice::lasso_path: return std::abs(beta) * variance;
      case TermChoice::weights: break;
    }
    return std::abs(beta * features[j].own);
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return size(a) > size(b); });
  order.resize(most);
  std::sort(order.begin(), order.end());
  return order;
}

// What is left of the margin beside its line in the limit has mean 0 and no covariance with terms: what samples say
// otherwise is chance, which the predictions share. Moments of y − share · (margin − line).
LineMoments controlled(LineMoments moments, std::size_t output, std::size_t margin, const FittedLine& line,
                       double share) {
  const std::size_t p = moments.terms;
  double left = moments.y_mean[margin] - line.intercept;
  for (std::size_t i = 0; i < line.terms.size(); ++i) left -= line.coefficients[i] * moments.mean[line.terms[i]];
  moments.y_mean[output] -= share * left;
  for (const std::size_t j : line.terms) {
    double with = moments.with(margin)[j];
    for (std::size_t i = 0; i < line.terms.size(); ++i)
      with -= line.coefficients[i] * moments.covariance[j * p + line.terms[i]];
    moments.with_y[output * p + j] -= share * with;
  }
  return moments;
}

// The share that leaves least of the chance.
double control_share(const SampleMoments::Residuals& of, const SampleMoments::Residuals& margin) {
  double both = 0, square = 0;
  for (std::size_t i = 0; i < of.errors.size(); ++i) {
    const double weight = of.weights[i] * of.weights[i];
    both += weight * of.errors[i] * margin.errors[i];
    square += weight * margin.errors[i] * margin.errors[i];
  }
  return square > 0 ? both / square : 0;
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

std::string_view to_string(LineEstimator estimator) {
  switch (estimator) {
    case LineEstimator::exact: return "exact";
    case LineEstimator::controlled: return "controlled";
    case LineEstimator::sampling: return "sampling";
  }
  return "";
}

LineEstimator line_estimator(const MethodInput& input, const LimeOptions& options) {
  if (options.estimator == "sampling") return LineEstimator::sampling;
  std::string why = why_no_limit(input, options);
  const bool sums = why.empty() && adds_up(input);
  if (sums && options.estimator != "controlled") return LineEstimator::exact;
  if (why.empty() && !sums && options.estimator != "exact") return LineEstimator::controlled;
  if (options.estimator == "auto") return LineEstimator::sampling;
  if (why.empty())
    why = sums ? "there is no link, and the line is known exactly"
               : "what the model is made of adds up on the margin scale, not on the response scale";
  throw Error(ErrorKind::usage, "estimator " + options.estimator + ": " + why, marked("leave {option:estimator} out"));
}

RowExplainer::RowExplainer(const MethodInput& input, const LimeOptions& options, const LabelledRows& rows)
    : input_(input),
      options_(options),
      rows_(rows),
      perturbation_(input, options, rows),
      estimator_(line_estimator(input, options)),
      limit_(estimator_ == LineEstimator::sampling ? nullptr
             : input.trees != nullptr              ? lines_of_leaves(input, perturbation_, rows.named)
                                                   : lines_of_terms(input, perturbation_)),
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

void RowExplainer::add_margins(Samples& samples) const {
  if (estimator_ == LineEstimator::controlled) samples.margins = limit_->margins(samples.values);
}

std::vector<double> RowExplainer::predictions_of(const LabelledRow& row) const {
  std::vector<double> own;
  for (const std::size_t output : input_.explained) own.push_back(row.predictions[output]);
  return own;
}

std::vector<RowExplainer::Surroundings> RowExplainer::surroundings(std::span<const LabelledRow> rows) const {
  std::vector<std::vector<TiltedFeature>> features(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < rows[i].values.size(); ++j)
      features[i].push_back(tilted(perturbation_, j, rows[i].values[j]));
  }
  std::vector<std::vector<ExactLine>> limits(rows.size());
  if (limit_) limits = limit_->lines(features);
  std::vector<Surroundings> found;
  for (std::size_t i = 0; i < rows.size(); ++i) found.push_back({std::move(features[i]), std::move(limits[i])});
  return found;
}

std::vector<RowLine> RowExplainer::explain(const LabelledRow& row, const Surroundings& around,
                                           const std::vector<const Samples*>& repeats,
                                           const std::vector<NearRow>& near) const {
  const std::vector<TiltedFeature>& features = around.features;
  std::vector<RowLine> lines(input_.explained.size());
  const std::vector<double> own = predictions_of(row);
  for (std::size_t k = 0; k < lines.size(); ++k) {
    lines[k].row = row.id;
    lines[k].output = k;
    lines[k].prediction = own[k];
  }
  if (exact()) {
    add_exact(around, *repeats.front(), lines);
  } else {
    add_sampled(row, around, repeats, lines);
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

void RowExplainer::add_exact(const Surroundings& around, const Samples& samples, std::vector<RowLine>& lines) const {
  const std::vector<TiltedFeature>& features = around.features;
  const std::vector<ExactLine>& limits = around.limits;
  std::array<double, swept_widths> decays{};
  const auto widths = widths_around(perturbation_.width());
  for (std::size_t lane = 0; lane < swept_widths; ++lane) decays[lane] = perturbation_.decay(widths[lane]);
  std::vector<double> own;
  for (const RowLine& line : lines) own.push_back(line.prediction);
  const std::vector<std::vector<double>> answers = answers_of(input_, samples, own);
  for (std::size_t k = 0; k < lines.size(); ++k) {
    RowLine& line = lines[k];
    const std::vector<std::size_t> terms = limit_terms(limits[k], features, choice_, most_);
    line.line = limit_line(limits[k], features, terms, chosen_width, 0);
    line.mean = limits[k].mean[chosen_width];
    for (const std::size_t j : terms) line.sweep.push_back(limits[k].coefficients[j]);
    std::array<FittedLine, swept_widths> by_width;
    for (std::size_t lane = 0; lane < swept_widths; ++lane)
      by_width[lane] = limit_line(limits[k], features, terms, lane, line.prediction);
    const MeasuredLines measured = measure_lines(samples, features, answers[k], by_width, decays);
    line.r2 = measured.r2[chosen_width];
    line.r2_se = measured.r2_se;
    for (std::size_t lane = 0; lane < swept_widths; ++lane)
      line.sweep_r2[lane] =
          measured.effective[lane] < fewest_effective ? std::numeric_limits<double>::quiet_NaN() : measured.r2[lane];
    line.compared = std::min({std::size_t{5}, most_, std::max<std::size_t>(1, features.size() / 2)});
  }
}

void RowExplainer::add_sampled(const LabelledRow& row, const Surroundings& around,
                               const std::vector<const Samples*>& repeats, std::vector<RowLine>& lines) const {
  const std::vector<TiltedFeature>& features = around.features;
  const std::vector<ExactLine>& limits = around.limits;
  const double decay = perturbation_.decay(perturbation_.width());
  const auto widths = widths_around(perturbation_.width());
  std::vector<double> terms, own, own_margins;
  for (const TiltedFeature& feature : features) terms.push_back(feature.own);
  for (const RowLine& line : lines) own.push_back(line.prediction);
  std::vector<std::size_t> all(features.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const bool control = estimator_ == LineEstimator::controlled;
  if (control) {
    std::vector<std::vector<double>> alone;
    for (const double value : row.values) alone.push_back({value});
    own_margins = limit_->margins(alone);
  }
  const std::size_t compared = std::min({std::size_t{5}, most_, std::max<std::size_t>(1, features.size() / 2)});
  std::vector<std::vector<std::vector<std::size_t>>> largest(lines.size());
  for (std::size_t repeat = 0; repeat < repeats.size(); ++repeat) {
    std::vector<std::vector<double>> outputs = answers_of(input_, *repeats[repeat], own);
    // Margins stand behind the outputs.
    for (std::size_t k = 0; control && k < lines.size(); ++k) {
      std::vector<double>& margins = outputs.emplace_back();
      for (std::size_t i = 0; i < repeats[repeat]->count; ++i)
        margins.push_back(repeats[repeat]->margins[i * lines.size() + k] - own_margins[k]);
    }
    const SampleMoments sampled(*repeats[repeat], features, std::move(outputs));
    const LineMoments moments = sampled.moments(decay);
    std::vector<LineMoments> others;  // for each width
    for (std::size_t lane = 0; repeat == 0 && lane < swept_widths; ++lane)
      others.push_back(sampled.moments(perturbation_.decay(widths[lane])));
    for (std::size_t k = 0; k < lines.size(); ++k) {
      const std::size_t margin = lines.size() + k;
      double share = 0;
      // Fits to what is left of the predictions when chance is taken off.
      const auto less_chance = [&](const LineMoments& from, const std::vector<std::size_t>& on, std::size_t lane) {
        return control ? controlled(from, k, margin, limit_line(limits[k], features, on, lane, own_margins[k]), share)
                       : from;
      };
      const auto find_share = [&](const std::vector<std::size_t>& on) {
        if (!control) return;
        const FittedLine limit = limit_line(limits[k], features, on, chosen_width, own_margins[k]);
        share = control_share(sampled.residuals(decay, k, fit_line(moments, k, on, options_.penalty)),
                              sampled.residuals(decay, margin, limit));
      };
      find_share(all);
      const std::vector<std::size_t> chosen =
          choose_terms(less_chance(moments, all, chosen_width), k, choice_, most_, terms, choosing_ridge);
      find_share(chosen);
      const LineMoments left = less_chance(moments, chosen, chosen_width);
      FittedLine fitted = fit_line(left, k, chosen, options_.penalty);
      largest[k].push_back(largest_terms(fitted, compared));
      if (repeat > 0) continue;
      RowLine& line = lines[k];
      line.compared = compared;
      line.mean = left.y_mean[k] + line.prediction;
      auto residuals = sampled.residuals(decay, k, fitted);
      line.r2 = residuals.r2;
      line.r2_se = residuals.r2_se;
      if (control) {
        const auto of_margin =
            sampled.residuals(decay, margin, limit_line(limits[k], features, chosen, chosen_width, own_margins[k]));
        for (std::size_t i = 0; i < residuals.errors.size(); ++i) residuals.errors[i] -= share * of_margin.errors[i];
      }
      line.se = sampled.standard_errors(residuals, moments, fitted, options_.penalty);
      line.sweep.assign(fitted.terms.size(), {});
      line.line = std::move(fitted);
      for (std::size_t lane = 0; lane < swept_widths; ++lane) {
        const bool enough = others[lane].effective() >= fewest_effective || lane == chosen_width;
        FittedLine other;
        if (enough) other = fit_line(less_chance(others[lane], chosen, lane), k, chosen, options_.penalty);
        line.sweep_r2[lane] = enough ? r_squared(others[lane], k, other) : std::numeric_limits<double>::quiet_NaN();
        for (std::size_t i = 0; i < line.sweep.size(); ++i)
          line.sweep[i][lane] = enough ? other.coefficients[i] : std::numeric_limits<double>::quiet_NaN();
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
      double term = perturbation_.feature(j).cell_of_row[each.row] == features[j].own_cell ? 1 : 0;
      if (features[j].kind == TermKind::number) {
        const double value = rows_.values[j][each.row];
        // A number that is missing there counts as the mean.
        term = std::isfinite(value) ? perturbation_.scaled(j, value) : 0;
      }
      error -= line.line.coefficients[i] * term;
    }
    total += rows_.weights[each.row];
    errors += rows_.weights[each.row] * error * error;
  }
  if (total > 0) line.r2_near = 1 - errors / total / variances_[line.output];
}

}  // namespace sightglass
