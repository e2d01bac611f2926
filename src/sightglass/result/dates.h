// Which features of a result have dates: `data.dates` of the result, which every item then has at hand.
#pragma once

#include "sightglass/base/dates.h"
#include "sightglass/base/value.h"
#include "sightglass/result/result.h"

namespace sightglass {

// {"sold_on": {"unit": "seconds", "detail": "day"}}
[[nodiscard]] Value dates_value(const Dates& dates);
// Of a result's data; what cannot be understood is left out.
[[nodiscard]] Dates dates_of(const Value& data);
// Tells all items which of the features that they show have dates.
void set_dates(Result& result);

}  // namespace sightglass
