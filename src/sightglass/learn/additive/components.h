// From boosted tables to components that mean something by themselves: what a pair says of one feature alone belongs to
// that feature, what a feature says on average belongs to the intercept (Lengerich, Tan, Chang, Hooker, Caruana 2020).
// What is predicted stays the same.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sightglass/learn/additive/bins.h"
#include "sightglass/learn/additive/boosting.h"
#include "sightglass/learn/additive/outcome.h"

namespace sightglass::additive {

// The tables of one bag, or of all: mains first, in the order of the features, then pairs.
struct Components {
  std::vector<double> intercept;            // one per score
  std::vector<std::vector<double>> tables;  // of each term, score after score
};

// Weights of the rows in each bin of each term.
[[nodiscard]] std::vector<std::vector<double>> bin_weights(const std::vector<FeatureBins>& features,
                                                           const std::vector<TermBins>& terms,
                                                           const TrainingData& data);

// Every table has mean 0 over the rows, and each line of a pair's table too; of several classes all scores together
// have mean 0 in each bin. In units of the outcome. Bins without rows are 0 in main effects, and lines without rows in
// pairs.
void purify(const std::vector<FeatureBins>& features, const std::vector<TermBins>& terms,
            const std::vector<std::vector<double>>& weights, const Outcome& outcome, Components& components);

// Takes the weighted means of rows and columns off a table, which add up in the two others.
void purify_pair(std::span<double> table, std::span<const double> weights, std::span<double> rows,
                 std::span<double> columns);

struct Averaged {
  Components mean;
  // Delete-a-group jackknife: bags leave out a share d of the rows, and differ less than fits of independent data by
  // the factor √(d / (1 − d)). Empty with one bag.
  std::vector<std::vector<double>> se;
};
[[nodiscard]] Averaged average(const std::vector<Components>& bags, double held_out);

}  // namespace sightglass::additive
