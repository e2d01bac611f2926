// The envelope of our own model files: what comes first in them, and by which they are known to be whole.
//
//   {"schema":"sightglass.model/1","digest":"<of all that follows>","kind":"tree",…}
#pragma once

#include <string>
#include <string_view>

namespace sightglass {

// Everything up to the digest.
inline constexpr std::string_view model_file_start = R"({"schema":"sightglass.model/1","digest":")";

// The whole file of members that are written as a JSON object, "{…}" with at least one.
[[nodiscard]] std::string seal_model_file(std::string_view object);

}  // namespace sightglass
