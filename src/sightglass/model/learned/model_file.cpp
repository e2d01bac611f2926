#include "sightglass/model/learned/model_file.h"

#include "sightglass/base/digest.h"

namespace sightglass {

std::string seal_model_file(std::string_view object) {
  const std::string_view members = object.substr(1);  // behind the brace
  return std::string(model_file_start) + Digest().bytes(members).hex() + "\"," + std::string(members) + "\n";
}

}  // namespace sightglass
