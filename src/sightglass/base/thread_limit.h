// How many threads a Context may be asked for: it throws Error(usage) on more, and on less than 0. Where the system
// does not give that many, there are fewer.
#pragma once

namespace sightglass {

constexpr int most_threads = 1024;

}  // namespace sightglass
