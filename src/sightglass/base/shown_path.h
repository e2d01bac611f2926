// How messages and results call a file, a model, a command. Folders tell where somebody works and what they are called,
// and messages end up in logs: of an absolute path only the file's name is shown.
#pragma once

#include <string>
#include <string_view>

namespace sightglass {

[[nodiscard]] std::string shown_path(std::string_view path);

// Text of another program, with every absolute path in it shown so.
[[nodiscard]] std::string without_folders(std::string_view text);

}  // namespace sightglass
