// Models behind http: asked by one of the protocols of servers (docs/servers.md).
#pragma once

#include <memory>
#include <string>

#include "sightglass/model/load.h"

namespace sightglass {

// The protocols by name, for LoadOptions::protocol.
[[nodiscard]] const std::vector<std::string>& server_protocols();

// Asks the server what it has.
[[nodiscard]] std::unique_ptr<Model> open_server_model(const std::string& location, const LoadOptions& options);

}  // namespace sightglass
