// What a fitted model predicts for the rows that it was fitted to, and how well.
#pragma once

#include <span>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/base/matrix.h"
#include "sightglass/learn/training_data.h"
#include "sightglass/model/model.h"
#include "sightglass/result/shapes/figure.h"

namespace sightglass {

// Of one number, the probability of the second of two classes, or of several, one per class. Ties: the lower class.
[[nodiscard]] std::size_t most_probable_class(std::span<const double> probabilities, double even = 0.5);

// Rows × outputs, on the scale of the response, of a fitted model (one that can be asked in parallel).
[[nodiscard]] Matrix predict(const Model& model, const TrainingData& data, const Context& context);

// The features as a table; it looks into the data, which must outlive it.
[[nodiscard]] Table table_of(const TrainingData& data);

// R² and root mean squared error of numbers; accuracy and log-loss of classes. Weighted.
[[nodiscard]] std::vector<Figure> training_figures(const Model& model, const TrainingData& data,
                                                   const Context& context);

}  // namespace sightglass
