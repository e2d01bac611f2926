// Learners: models that explain themselves, from rows and their outcomes.
#include "sightglass/learn/fit.h"

#include <nanobind/stl/string.h>

#include <string>
#include <utility>

#include "bindings.h"
#include "interrupt.h"

namespace sightglass {

namespace {

// The model, the bytes of its file, and how it explains itself.
nb::tuple fit_model(const std::string& learner, const TableHandle& table, const nb::dict& options, int threads) {
  const Value given = value_from_python(options);
  StoppableContext context(threads);
  const auto kept_table = table.table;
  FittedModel fitted;
  {
    const nb::gil_scoped_release no_gil;
    fitted = fit(learner, *kept_table, given, *context);
  }
  return nb::make_tuple(ModelHandle{std::move(fitted.model)}, nb::bytes(fitted.file.data(), fitted.file.size()),
                        std::move(fitted.result));
}

// How the model of a file's bytes explains itself; None if they are none of ours.
nb::object explanation(const nb::bytes& content, const std::string& where) {
  auto result = explanation_in({content.c_str(), content.size()}, where);
  return result ? nb::cast(std::move(*result)) : nb::none();
}

}  // namespace

void bind_fit(nb::module_& module) {
  module.def("fit", &fit_model, nb::arg("learner"), nb::arg("table"), nb::arg("options"), nb::arg("threads"));
  module.def("explanation", &explanation, nb::arg("content"), nb::arg("where"));
}

}  // namespace sightglass
