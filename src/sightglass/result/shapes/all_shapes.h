// The list of all shapes, and what is made by going through it: what was forgotten for a new shape does not compile.
// Few look at it; who wants one shape asks the item for it.
#pragma once

#include "sightglass/result/item.h"
#include "sightglass/result/shapes/attributions.h"
#include "sightglass/result/shapes/confusion.h"
#include "sightglass/result/shapes/counterfactuals.h"
#include "sightglass/result/shapes/curve.h"
#include "sightglass/result/shapes/curves.h"
#include "sightglass/result/shapes/diagram.h"
#include "sightglass/result/shapes/examples.h"
#include "sightglass/result/shapes/fidelity.h"
#include "sightglass/result/shapes/figure.h"
#include "sightglass/result/shapes/frontier.h"
#include "sightglass/result/shapes/importance.h"
#include "sightglass/result/shapes/interaction.h"
#include "sightglass/result/shapes/marked_picture.h"
#include "sightglass/result/shapes/marked_text.h"
#include "sightglass/result/shapes/panels.h"
#include "sightglass/result/shapes/penalty_path.h"
#include "sightglass/result/shapes/rules.h"
#include "sightglass/result/shapes/scorecard.h"
#include "sightglass/result/shapes/surface.h"
#include "sightglass/result/shapes/terms.h"
#include "sightglass/result/shapes/tree.h"
#include "sightglass/result/shapes/unknown_item.h"
#include "sightglass/result/shapes/width_sweep.h"

namespace sightglass {

template <ResultShape... Shapes>
struct ShapeList {};

// Besides these there is UnknownItem: whatever a newer version has.
using AllShapes = ShapeList<Curve, Curves, Surface, Importance, Interaction, Attributions, Figure, ShownTree, Rules,
                            Terms, Fidelity, Frontier, PenaltyPath, Scorecard, ShownPanels, Examples, Counterfactuals,
                            WidthSweep, MarkedText, MarkedPicture, Confusion, Diagram>;

}  // namespace sightglass
