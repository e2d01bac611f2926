// What a plan knows that asks the model itself, besides what methods find.
#pragma once

#include "sightglass/methods/run/session.h"

namespace sightglass {

// What explain() gives every plan.
struct SessionPlanInput : PlanInput {
  // The data and the model at hand, as the run was told. Methods that are run in it leave no caveats behind.
  const RunSession* session = nullptr;
  // The same about the second model; null: there is none.
  const RunSession* other_session = nullptr;
};

}  // namespace sightglass
