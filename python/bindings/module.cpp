#include <nanobind/stl/string.h>

#include <string>

#include "bindings.h"
#include "sightglass/base/same_words.h"
#include "sightglass/base/version.h"

NB_MODULE(_core, module) {
  module.doc() = "The native engine of sightglass; use the package, not this module.";
  // Objects may outlive the interpreter's teardown in notebooks; that is no leak worth a warning.
  nanobind::set_leak_warnings(false);
  module.attr("__version__") = std::string(sightglass::version());
  module.def("same_words", [] {
    nanobind::dict words;
    for (const auto& [word, own] : sightglass::same_words())
      words[nanobind::str(word.data(), word.size())] = nanobind::str(own.data(), own.size());
    return words;
  });
  sightglass::bind_errors(module);
  sightglass::bind_table(module);
  sightglass::bind_model(module);
  sightglass::bind_trees(module);
  sightglass::bind_pipelines(module);
  sightglass::bind_run(module);
  sightglass::bind_fit(module);
}
