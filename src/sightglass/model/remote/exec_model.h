// Models that live in another process and speak JSON lines (docs/exec-protocol.md).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sightglass/model/load.h"

namespace sightglass {

// "exec:" and the program that a command starts, without what stands before and behind it: "exec:python3".
[[nodiscard]] std::string shown_command(const std::string& command);

// A command, run by /bin/sh.
[[nodiscard]] std::unique_ptr<Model> open_exec_model(const std::string& command, const LoadOptions& options);
// "module:callable" or "module:object.method", run by python3 with the current directory on its path.
[[nodiscard]] std::unique_ptr<Model> open_python_model(const std::string& target, const LoadOptions& options);

// Whether nobody has said what a program's answers are: numbers, unless they show otherwise (answered_classes()).
[[nodiscard]] bool is_undecided(const Model& model);
// The same process, whose answers are the probabilities of these classes; none: of classes without names.
[[nodiscard]] std::unique_ptr<Model> with_classes(const Model& model, std::vector<std::string> names);

}  // namespace sightglass
