// Which points of a picture of quality against size are worth looking at.
#pragma once

#include "sightglass/result/shapes/frontier.h"

namespace sightglass {

// Marks the points that no smaller one beats, and among them the knee: the one farthest above the line from the first
// to the last of them.
void mark_frontier(Frontier& frontier);

}  // namespace sightglass
