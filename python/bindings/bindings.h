// What the files of the Python module share. Every part registers itself with the module through bind_….
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "sightglass/base/error.h"
#include "sightglass/base/value.h"
#include "sightglass/data/table.h"
#include "sightglass/model/model.h"
#include "sightglass/result/result.h"

namespace sightglass {

namespace nb = nanobind;

// Tables and models are shared by explainers and runs, some of which may be under way on other threads.
struct TableHandle {
  std::shared_ptr<const Table> table;
};
struct ModelHandle {
  std::shared_ptr<const Model> model;
};

// An exception of the user's predict function, on its way through native code.
class PythonFailure : public Error {
 public:
  explicit PythonFailure(nb::python_error cause);
  [[nodiscard]] const nb::python_error& cause() const { return cause_; }

 private:
  nb::python_error cause_;
};

// Throws on what Python raised: exceptions of a predict function become PythonFailure; ours and those that
// are not meant to be caught (KeyboardInterrupt, SystemExit) go on as they are.
[[noreturn]] void throw_from_predict(nb::python_error& error);

// None, bool, int, float, str, and sequences or dictionaries of them.
[[nodiscard]] Value value_from_python(nb::handle object);

// An item's type and its fields, for each item.
[[nodiscard]] nb::list items_of(const Result& result);
// By type: what the shape is, and name, type hint and meaning of each of its fields.
[[nodiscard]] nb::dict shape_types();

void bind_errors(nb::module_& module);
void bind_table(nb::module_& module);
void bind_model(nb::module_& module);
void bind_trees(nb::module_& module);
void bind_pipelines(nb::module_& module);
void bind_run(nb::module_& module);
void bind_fit(nb::module_& module);

}  // namespace sightglass
