// A picture file as data: a table with one row, whose column `image` has the picture as text (base/picture.h).
#pragma once

#include <string>

#include "sightglass/data/table.h"

namespace sightglass {

// Throws Error(data) if the file cannot be read as a picture.
[[nodiscard]] Table picture_table(const std::string& path);

}  // namespace sightglass
