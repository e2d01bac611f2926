// The program without its main(), which tests cannot link.
#pragma once

namespace sightglass::cli {

// Does what the words say; complaints go to standard error. The program's exit code.
[[nodiscard]] int run_program(int argc, const char* const* argv);

}  // namespace sightglass::cli
