#include "sightglass/model/remote/exec_model.h"

#include "sightglass/base/error.h"

namespace sightglass {

std::unique_ptr<Model> open_exec_model(const std::string& command, const LoadOptions& /*options*/) {
  throw Error(ErrorKind::model, "exec:" + printable(command) + " is not supported yet");
}

std::unique_ptr<Model> open_python_model(const std::string& target, const LoadOptions& /*options*/) {
  throw Error(ErrorKind::model, "python:" + printable(target) + " is not supported yet");
}

}  // namespace sightglass
