// What learners of panels say alike: what they cannot learn, what was searched and on which rows.
#pragma once

#include <string>

#include "sightglass/learn/learner.h"
#include "sightglass/learn/panels/panel_search.h"
#include "sightglass/result/shapes/figure.h"

namespace sightglass {

// A number about the whole ensemble.
[[nodiscard]] Figure panel_figure(const char* name, const char* id, double value, std::string meaning);

// Adds what was tried and what was not to the details, and to the notes where something was left out.
void describe_search(const PanelSubsets& subsets, const PanelLimits& limits, const TrainingData& data,
                     Learned& learned);
// Says of how many of the panels steps ran out.
void describe_convergence(std::size_t unsolved, Learned& learned);

}  // namespace sightglass
