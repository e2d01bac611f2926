#include "sightglass/learn/prototypes/mmd_critic.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sightglass/base/each_processor.h"
#include "sightglass/learn/prototypes/kernel_tiles.h"

namespace sightglass {

namespace {

constexpr std::size_t in_double = 1024;     // points up to which means are found in double at once
constexpr std::size_t part = 4096;          // points that are taken together
constexpr std::size_t most_settled = 128;   // points that are looked at again in one step
constexpr std::size_t most_measured = 256;  // points by which the error of the mean over all pairs is found
constexpr double tied = 1e-12;              // scores that differ by less are equal: rounding decides nothing
constexpr double least_left = 1e-12;        // of a row's own variance beside the criticisms so far
constexpr double nothing = -std::numeric_limits<double>::infinity();

// Calls body(first, count) for parts of all points, in parallel.
template <class Body>
void for_parts(std::size_t points, const Context& context, Body body) {
  context.parallel_for((points + part - 1) / part,
                       [&](std::size_t i) { body(i * part, std::min(part, points - i * part)); });
}

double mean_of_row(const ScaledRows& rows, std::size_t point, std::size_t first, std::span<double> room, double gamma) {
  rows.squared_distances(rows.first_row(point), first, room);
  double sum = 0;
  for (std::size_t i = 0; i < room.size(); ++i) sum += rows.weight(first + i) * std::exp(-gamma * room[i]);
  return sum;
}

SIGHTGLASS_FOR_EACH_PROCESSOR
void subtract(const double* numbers, double times, std::size_t count, double* from) {
  for (std::size_t i = 0; i < count; ++i) from[i] -= times * numbers[i];
}

// The largest score, of points whose score may be off. settle(points) makes some of them exact; score(point) is minus
// infinity where a point is out of the question.
template <class Score, class Error, class Settle>
std::size_t best_point(std::size_t points, const Context& context, Score score, Error error, Settle settle) {
  std::vector<double> scores(points);
  for_parts(points, context, [&](std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i) scores[i] = score(i);
  });
  double surely = nothing;
  for (std::size_t i = 0; i < points; ++i) surely = std::max(surely, scores[i] - error(i));
  std::vector<std::size_t> near;
  for (std::size_t i = 0; i < points; ++i) {
    if (scores[i] > nothing && scores[i] + error(i) >= surely - tied) near.push_back(i);
  }
  if (near.empty()) return points;
  if (near.size() > most_settled) {
    std::stable_sort(near.begin(), near.end(), [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
    near.resize(most_settled);
    std::sort(near.begin(), near.end());
  }
  settle(near);
  double best = nothing;
  for (const std::size_t i : near) best = std::max(best, scores[i] = score(i));
  return *std::find_if(near.begin(), near.end(), [&](std::size_t i) { return scores[i] >= best - tied; });
}

}  // namespace

std::vector<double> kernel_row(const ScaledRows& rows, std::size_t point, double gamma, const Context& context) {
  std::vector<double> kernel(rows.size());
  for_parts(rows.size(), context, [&](std::size_t first, std::size_t count) {
    const std::span<double> of_part = std::span(kernel).subspan(first, count);
    rows.squared_distances(rows.first_row(point), first, of_part);
    for (double& each : of_part) each = std::exp(-gamma * each);
  });
  return kernel;
}

KernelMean::KernelMean(const ScaledRows& rows, double gamma, std::vector<double> means, std::vector<double> errors)
    : rows_(rows), gamma_(gamma), means_(std::move(means)), errors_(std::move(errors)) {
  double sum = 0, squares = 0;
  const double total = rows.total_weight();
  for (std::size_t i = 0; i < means_.size(); ++i) {
    sum += rows.weight(i) / total * means_[i];
    squares += rows.weight(i) / total * (rows.weight(i) / total);
  }
  pairs_ = sum;
  if (means_.size() > 1) different_ = (sum - squares) / (1 - squares);
}

void KernelMean::settle(const std::vector<std::size_t>& points, const Context& context) {
  if (errors_.empty()) return;
  std::vector<std::size_t> open;
  for (const std::size_t point : points) {
    if (errors_[point] > 0) open.push_back(point);
  }
  const std::size_t parts = (rows_.size() + part - 1) / part;
  std::vector<double> sums(open.size() * parts);
  context.parallel_for(sums.size(), [&](std::size_t cell) {
    const std::size_t first = cell % parts * part;
    std::vector<double> room(std::min(part, rows_.size() - first));
    sums[cell] = mean_of_row(rows_, open[cell / parts], first, room, gamma_);
  });
  for (std::size_t i = 0; i < open.size(); ++i) {
    double sum = 0;
    for (std::size_t each = 0; each < parts; ++each) sum += sums[i * parts + each];
    means_[open[i]] = sum / rows_.total_weight();
    errors_[open[i]] = 0;
  }
}

// Means of a few points, evenly among all, say by how much float is off on average.
void KernelMean::correct_pairs(const Context& context) {
  if (errors_.empty()) return;
  std::vector<std::size_t> some;
  const std::size_t count = std::min(most_measured, means_.size());
  for (std::size_t i = 0; i < count; ++i) some.push_back((2 * i + 1) * means_.size() / (2 * count));
  std::vector<double> before;
  for (const std::size_t point : some) before.push_back(means_[point]);
  settle(some, context);
  double off = 0, weight = 0;
  for (std::size_t i = 0; i < count; ++i) {
    off += rows_.weight(some[i]) * (means_[some[i]] - before[i]);
    weight += rows_.weight(some[i]);
  }
  pairs_ += off / weight;
}

static KernelMean mean_in_double(const ScaledRows& rows, double gamma, const Context& context) {
  std::vector<double> means(rows.size());
  context.parallel_for(rows.size(), [&](std::size_t i) {
    std::vector<double> room(rows.size());
    means[i] = mean_of_row(rows, i, 0, room, gamma) / rows.total_weight();
  });
  return {rows, gamma, std::move(means), {}};
}

KernelMean kernel_mean(const ScaledRows& rows, double gamma, const Context& context) {
  if (rows.size() <= in_double) return mean_in_double(rows, gamma, context);
  return kernel_means(rows, gamma, context)[1];
}

std::vector<KernelMean> kernel_means(const ScaledRows& rows, double gamma, const Context& context) {
  std::vector<KernelMean> made;
  if (rows.size() <= in_double) {
    for (const double times : swept) made.push_back(mean_in_double(rows, gamma * times, context));
    return made;
  }
  TileMeans found = kernel_means_by_tiles(rows, gamma, context);
  for (std::size_t s = 0; s < swept.size(); ++s)
    made.emplace_back(rows, gamma * swept[s], std::move(found.means[s]), std::move(found.errors[s]));
  made[1].correct_pairs(context);
  return made;
}

Prototypes choose_prototypes(const ScaledRows& rows, KernelMean& mean, std::size_t count, const Context& context) {
  Prototypes found;
  found.kernel_sums.assign(rows.size(), 0.0);
  std::vector<bool> taken(rows.size(), false);
  double among = 0, with_rows = 0;  // Σ Σ k(z, z') and Σ c(z)
  for (std::size_t step = 1; step <= std::min(count, rows.size()); ++step) {
    context.check();
    const auto m = static_cast<double>(step);
    const std::size_t best = best_point(
        rows.size(), context,
        [&](std::size_t i) { return taken[i] ? nothing : 2 * mean[i] / m - (2 * found.kernel_sums[i] + 1) / (m * m); },
        [&](std::size_t i) { return 2 * mean.error(i) / m; },
        [&](const std::vector<std::size_t>& near) { mean.settle(near, context); });
    if (best == rows.size()) break;
    among += 2 * found.kernel_sums[best] + 1;
    with_rows += mean[best];
    const std::vector<double> kernel = kernel_row(rows, best, mean.gamma(), context);
    for (std::size_t i = 0; i < kernel.size(); ++i) found.kernel_sums[i] += kernel[i];
    taken[best] = true;
    found.points.push_back(best);
    // Rounding must not make a square negative.
    found.discrepancy.push_back(std::max(0.0, among / (m * m) - 2 * with_rows / m + mean.of_pairs()));
  }
  return found;
}

double discrepancy_of(const ScaledRows& rows, KernelMean& mean, const std::vector<std::size_t>& points,
                      const Context& context) {
  mean.settle(points, context);
  double among = 0, with_rows = 0;
  std::vector<double> with_others(points.size(), 0.0);
  context.parallel_for(points.size(), [&](std::size_t i) {
    for (const std::size_t other : points) {
      const double square = rows.squared_distance(rows.first_row(points[i]), rows.first_row(other));
      with_others[i] += std::exp(-mean.gamma() * square);
    }
  });
  for (std::size_t i = 0; i < points.size(); ++i) {
    among += with_others[i];
    with_rows += mean[points[i]];
  }
  const auto m = static_cast<double>(points.size());
  return std::max(0.0, among / (m * m) - 2 * with_rows / m + mean.of_pairs());
}

Criticisms choose_criticisms(const ScaledRows& rows, KernelMean& mean, const Prototypes& prototypes, std::size_t count,
                             const Context& context) {
  Criticisms found;
  const auto m = static_cast<double>(prototypes.points.size());
  const auto witness = [&](std::size_t i) { return mean[i] - prototypes.kernel_sums[i] / m; };
  std::vector<bool> taken(rows.size(), false);
  for (const std::size_t point : prototypes.points) taken[point] = true;
  // Cholesky's factor of K_CC, with a row for every point: what is left of 1 beside its squares is the factor by which
  // the determinant grows.
  std::vector<std::vector<double>> factor;
  std::vector<double> left(rows.size(), 1.0);
  double objective = 0;
  for (std::size_t step = 0; step < count; ++step) {
    context.check();
    const std::size_t best = best_point(
        rows.size(), context,
        [&](std::size_t i) {
          return taken[i] || left[i] < least_left ? nothing : std::abs(witness(i)) + std::log(left[i]);
        },
        [&](std::size_t i) { return mean.error(i); },
        [&](const std::vector<std::size_t>& near) { mean.settle(near, context); });
    if (best == rows.size()) break;
    objective += std::abs(witness(best)) + std::log(left[best]);
    found.points.push_back(best);
    found.witness.push_back(witness(best));
    found.objective.push_back(objective);
    taken[best] = true;
    std::vector<double> column = kernel_row(rows, best, mean.gamma(), context);
    const double root = std::sqrt(left[best]);
    for_parts(column.size(), context, [&](std::size_t first, std::size_t size) {
      for (const std::vector<double>& before : factor)
        subtract(before.data() + first, before[best], size, column.data() + first);
      for (std::size_t i = first; i < first + size; ++i) {
        column[i] /= root;
        left[i] -= column[i] * column[i];
      }
    });
    factor.push_back(std::move(column));
  }
  return found;
}

}  // namespace sightglass
