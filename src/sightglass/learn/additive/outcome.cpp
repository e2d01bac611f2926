#include "sightglass/learn/additive/outcome.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "sightglass/base/each_processor.h"
#include "sightglass/base/error.h"

namespace sightglass::additive {

namespace {

// Second derivatives are never smaller, so that steps stay finite where rows are all but certain.
constexpr float least_curvature = 1e-6F;

// e^x to float precision. Of our own, because that of the C library depends on the processor, and takes one number at a
// time.
inline float exponential(float x) {
  constexpr float round = 12582912.0F;  // 1.5 · 2^23: adding it rounds to a whole number
  x = std::min(std::max(x, -87.0F), 88.0F);
  const float shifted = x * 1.44269504F + round;
  const float whole = shifted - round;
  const float r = (x - whole * 0.693359375F) + whole * 2.12194440e-4F;  // x − whole · ln 2, in two parts
  float sum = 1.0F / 720;
  for (const float factor : {1.0F / 120, 1.0F / 24, 1.0F / 6, 0.5F, 1.0F, 1.0F}) sum = sum * r + factor;
  const auto power = (std::bit_cast<std::int32_t>(shifted) - std::bit_cast<std::int32_t>(round) + 127) << 23;
  return sum * std::bit_cast<float>(power);
}

SIGHTGLASS_FOR_EACH_PROCESSOR
void exponentials(const float* from, float* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] = exponential(from[i]);
}

SIGHTGLASS_FOR_EACH_PROCESSOR
void expand_logistic(const float* __restrict values, const float* __restrict weights, const float* __restrict scores,
                     float* __restrict z, float* __restrict h, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const float p = 1.0F / (1.0F + exponential(-scores[i]));
    h[i] = weights[i] * std::max(p * (1.0F - p), least_curvature);
    z[i] = h[i] * scores[i] + weights[i] * (values[i] - p);
  }
}

SIGHTGLASS_FOR_EACH_PROCESSOR
void expand_poisson(const float* __restrict values, const float* __restrict weights, const float* __restrict scores,
                    float* __restrict z, float* __restrict h, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const float mean = exponential(scores[i]);
    h[i] = weights[i] * std::max(mean, least_curvature);
    z[i] = h[i] * scores[i] + weights[i] * (values[i] - mean);
  }
}

// The scores of all classes move in the same round: the factor k / (k − 1) makes their parabolas steep enough for that.
void expand_softmax(const Outcome& outcome, const OutcomeRows& rows, std::size_t count, std::size_t stride,
                    const std::vector<float>& scores, Parabolas& parabolas) {
  const std::size_t classes = outcome.scores;
  const float factor = static_cast<float>(classes) / static_cast<float>(classes - 1);
  std::vector<float> largest(scores.begin(), scores.begin() + static_cast<std::ptrdiff_t>(count));
  std::vector<float> total(count);
  for (std::size_t k = 1; k < classes; ++k) {
    for (std::size_t i = 0; i < count; ++i) largest[i] = std::max(largest[i], scores[k * stride + i]);
  }
  for (std::size_t k = 0; k < classes; ++k) {
    float* p = parabolas.h.data() + k * stride;
    for (std::size_t i = 0; i < count; ++i) p[i] = scores[k * stride + i] - largest[i];
    exponentials(p, p, count);
    for (std::size_t i = 0; i < count; ++i) total[i] += p[i];
  }
  for (std::size_t k = 0; k < classes; ++k) {
    float* h = parabolas.h.data() + k * stride;
    for (std::size_t i = 0; i < count; ++i) {
      const float p = h[i] / total[i], weight = rows.weights[i];
      const float hit = rows.values[i] == static_cast<float>(k) ? 1.0F : 0.0F;
      h[i] = weight * std::max(factor * p * (1.0F - p), least_curvature);
      parabolas.z[k * stride + i] = h[i] * scores[k * stride + i] + weight * (hit - p);
    }
  }
}

double log_loss(const Outcome& outcome, float value, const float* scores, std::size_t stride) {
  switch (outcome.loss) {
    case Loss::squared: return (double{value} - double{*scores}) * (double{value} - double{*scores});
    case Loss::logistic: {
      const double margin = value > 0 ? *scores : -*scores;
      return std::max(-margin, 0.0) + std::log1p(std::exp(-std::abs(margin)));
    }
    case Loss::poisson: {
      const double score = *scores, deviation = std::exp(score) - double{value} * score;
      return value > 0 ? 2 * (deviation + double{value} * (std::log(double{value}) - 1)) : 2 * deviation;
    }
    case Loss::softmax: break;
  }
  double largest = scores[0], total = 0;
  for (std::size_t k = 1; k < outcome.scores; ++k) largest = std::max(largest, double{scores[k * stride]});
  for (std::size_t k = 0; k < outcome.scores; ++k) total += std::exp(double{scores[k * stride]} - largest);
  return std::log(total) + largest - double{scores[static_cast<std::size_t>(value) * stride]};
}

// Centre and scale such that neither overflows, whatever the numbers are.
void standardise(const TrainingData& data, Outcome& outcome) {
  double unit = 0, total = 0, sum = 0, squares = 0;
  for (const double value : data.outcome) unit = std::max(unit, std::abs(value));
  if (unit == 0) unit = 1;
  for (std::size_t row = 0; row < data.rows; ++row) {
    total += data.weight(row);
    sum += data.weight(row) * (data.outcome[row] / unit);
  }
  const double mean = sum / total;
  for (std::size_t row = 0; row < data.rows; ++row) {
    const double distance = data.outcome[row] / unit - mean;
    squares += data.weight(row) * distance * distance;
  }
  const double sd = std::sqrt(squares / total);
  outcome.center = mean * unit;
  // What rounding leaves of a constant is no spread.
  outcome.scale = sd > 1e-14 ? sd * unit : 0;
  outcome.start = {0};
  for (std::size_t row = 0; row < data.rows; ++row)
    outcome.values.push_back(outcome.scale > 0 ? static_cast<float>((data.outcome[row] / unit - mean) / sd) : 0.0F);
}

void start_classes(const TrainingData& data, Outcome& outcome) {
  std::vector<double> shares(data.classes.size());
  for (std::size_t row = 0; row < data.rows; ++row)
    shares[static_cast<std::size_t>(data.outcome[row])] += data.weight(row);
  const double total = data.total_weight();
  if (outcome.loss == Loss::logistic) {
    outcome.start = {std::log(shares[1] / shares[0])};
    return;
  }
  double mean = 0;
  for (const double share : shares) {
    outcome.start.push_back(std::log(std::max(share / total, 1e-9)));
    mean += outcome.start.back() / static_cast<double>(shares.size());
  }
  for (double& score : outcome.start) score -= mean;
}

}  // namespace

LinkFunction Outcome::link() const {
  switch (loss) {
    case Loss::squared: return {.link = Link::identity};
    case Loss::logistic: return {.link = Link::logistic};
    case Loss::softmax: return {.link = Link::softmax};
    case Loss::poisson: break;
  }
  return {.link = Link::exponential};
}

LossKind Outcome::kind() const {
  if (loss == Loss::squared) return LossKind::squared;
  return loss == Loss::poisson ? LossKind::poisson : LossKind::log_loss;
}

Outcome make_outcome(const TrainingData& data, const std::string& loss) {
  Outcome outcome;
  if (!data.classes.empty()) {
    if (loss != "auto" && loss != "log-loss") {
      throw Error(ErrorKind::usage, option_text("loss") + ": " + loss + " is for numbers, and the outcome is a class",
                  "leave it out: classes take the log-loss");
    }
    outcome.loss = data.classes.size() == 2 ? Loss::logistic : Loss::softmax;
    outcome.scores = data.classes.size() == 2 ? 1 : data.classes.size();
    outcome.values.assign(data.outcome.begin(), data.outcome.end());
    start_classes(data, outcome);
  } else if (loss == "poisson") {
    outcome.loss = Loss::poisson;
    double sum = 0;
    for (std::size_t row = 0; row < data.rows; ++row) {
      if (data.outcome[row] < 0) {
        throw Error(ErrorKind::data,
                    option_text("loss") + ": poisson is for counts, and " + data.target + " is below 0", "use squared");
      }
      sum += data.weight(row) * data.outcome[row];
    }
    // In units of their mean: scores start at 0, and counts may have any size.
    outcome.start = {0};
    outcome.center = sum > 0 ? std::log(sum / data.total_weight()) : -87;
    outcome.scale = sum > 0 ? 1 : 0;
    for (const double value : data.outcome)
      outcome.values.push_back(static_cast<float>(value / std::exp(outcome.center)));
  } else if (loss == "auto" || loss == "squared") {
    standardise(data, outcome);
  } else {
    throw Error(ErrorKind::usage, option_text("loss") + ": " + loss + " is for classes, and the outcome is a number",
                "use squared or poisson");
  }
  // Weights say how rows compare: they are 1 on average.
  const double mean = data.total_weight() / static_cast<double>(data.rows);
  for (std::size_t row = 0; row < data.rows; ++row) {
    outcome.weights.push_back(static_cast<float>(data.weight(row) / mean));
    outcome.weighted = outcome.weighted || outcome.weights.back() != 1.0F;
  }
  return outcome;
}

void expand(const Outcome& outcome, const OutcomeRows& rows, std::size_t count, std::size_t stride,
            const std::vector<float>& scores, Parabolas& parabolas) {
  const float *values = rows.values.data(), *weights = rows.weights.data();
  float *z = parabolas.z.data(), *h = parabolas.h.data();
  switch (outcome.loss) {
    case Loss::squared:
      for (std::size_t i = 0; i < count; ++i) {
        h[i] = weights[i];
        z[i] = weights[i] * values[i];
      }
      break;
    case Loss::logistic: return expand_logistic(values, weights, scores.data(), z, h, count);
    case Loss::poisson: return expand_poisson(values, weights, scores.data(), z, h, count);
    case Loss::softmax: return expand_softmax(outcome, rows, count, stride, scores, parabolas);
  }
}

double mean_loss(const Outcome& outcome, const OutcomeRows& rows, std::size_t first, std::size_t stride,
                 const std::vector<float>& scores) {
  double sum = 0, total = 0;
  for (std::size_t i = first; i < rows.values.size(); ++i) {
    sum += double{rows.weights[i]} * log_loss(outcome, rows.values[i], scores.data() + i, stride);
    total += double{rows.weights[i]};
  }
  return sum / total;
}

}  // namespace sightglass::additive
