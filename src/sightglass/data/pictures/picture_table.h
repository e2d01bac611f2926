// Picture files as data: a table whose column `image` has each picture as text (base/picture.h). A file is one row, a
// folder has a row for each PNG and JPEG file in it, by name; what else is in the folder is left alone.
#pragma once

#include <string>

#include "sightglass/base/context.h"
#include "sightglass/data/table.h"

namespace sightglass {

[[nodiscard]] bool is_picture_place(const std::string& path);

// Throws Error(data) if a file cannot be read as a picture, there is none, or they are too many to be kept.
[[nodiscard]] Table picture_table(const std::string& path, const Context& context);

}  // namespace sightglass
