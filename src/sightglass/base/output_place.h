// Where results are to go, looked at before hours of work are done for nothing.
#pragma once

#include <span>
#include <string>

namespace sightglass {

// Throws Error(output) if no file can be written there, Error(usage) if it is one of the inputs, by whatever name
// (a link, a hard link). Writes nothing that stays.
void check_output_file(const std::string& path, std::span<const std::string> inputs);

// The same for a folder that may still have to be made.
void check_output_folder(const std::string& path);

}  // namespace sightglass
