// The time that passes, in seconds since some moment; it never goes back.
#pragma once

namespace sightglass {

[[nodiscard]] double steady_seconds();

}  // namespace sightglass
