// Native errors as the exceptions of sightglass._errors, and Python's exceptions through native code.
#include <nanobind/stl/string.h>

#include <string>
#include <typeinfo>

#include "bindings.h"
#include "interrupt.h"
#include "sightglass/base/utf8.h"

namespace sightglass {

namespace {

nb::object error_class(const char* name) { return nb::module_::import_("sightglass._errors").attr(name); }

const char* class_name(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage: return "UsageError";
    case ErrorKind::data: return "DataError";
    case ErrorKind::model: return "ModelError";
    case ErrorKind::prediction: return "PredictionError";
    case ErrorKind::output: return "OutputError";
    case ErrorKind::internal: return "InternalError";
  }
  return "InternalError";
}

// A damaged file may have any bytes where a message quotes it.
std::string unicode_of(std::string text) {
  for (std::size_t bad = find_invalid_utf8(text); bad < text.size(); bad = find_invalid_utf8(text))
    text.replace(bad, 1, "\xef\xbf\xbd");
  return text;
}

// Arguments of Explainer have names of their own.
std::string in_python(const Text& text) {
  return unicode_of(text.spelled([](const Reference& reference) -> std::string {
                          if (reference.kind == Reference::Kind::option && reference.name == "target") return "y";
                          if (reference.kind == Reference::Kind::argument && reference.name == "data") return "X";
                          return "";
                        })
                        .plain());
}

// Sets Python's error state; never throws, because nothing above could catch it.
void raise_in_python(const Error& error, const nb::python_error* cause) noexcept {
  try {
    const nb::object kind = error_class(class_name(error.kind()));
    const nb::object exception =
        kind(in_python(error.message_text()), in_python(error.advice_text()), unicode_of(error.detail()));
    if (cause != nullptr) PyException_SetCause(exception.ptr(), nb::borrow(cause->value()).release().ptr());
    PyErr_SetObject(kind.ptr(), exception.ptr());
  } catch (nb::python_error& failed) {
    failed.restore();
  } catch (const std::exception& failed) {
    PyErr_SetString(PyExc_RuntimeError, failed.what());
  }
}

void translate(const std::exception_ptr& thrown, void* /*payload*/) {
  try {
    std::rethrow_exception(thrown);
  } catch (const PythonFailure& failure) {
    raise_in_python(failure, &failure.cause());
  } catch (const Error& error) {
    raise_in_python(error, nullptr);
  } catch (const Cancelled&) {
    raise_interrupt();
  } catch (const std::bad_cast&) {
    // Everything that comes here is checked in the package, but for what only the conversion notices.
    raise_in_python(
        Error(ErrorKind::data, "text that is no Unicode (a lone surrogate)", "clean names and values of it"), nullptr);
  }
}

// Also of text that no encoding has: a model may say anything when it fails.
std::string text_of(nb::handle object) {
  const nb::object text = nb::steal(PyObject_Str(object.ptr()));
  if (!text.is_valid()) nb::raise_python_error();
  const nb::object bytes = nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "backslashreplace"));
  if (!bytes.is_valid()) nb::raise_python_error();
  return PyBytes_AsString(bytes.ptr());
}

std::string describe(const nb::python_error& error) {
  const std::string type = text_of(error.type().attr("__name__"));
  std::string text;
  try {
    text = text_of(error.value());
  } catch (nb::python_error&) {
    // An exception that cannot say what it is still has a type.
  }
  return type + (text.empty() ? "" : ": " + printable(text, 400));
}

}  // namespace

PythonFailure::PythonFailure(nb::python_error cause)
    : Error(ErrorKind::prediction, "the model failed while predicting: " + describe(cause)), cause_(std::move(cause)) {}

void throw_from_predict(nb::python_error& error) {
  if (!error.matches(PyExc_Exception) || error.matches(error_class("Error"))) throw std::move(error);
  throw PythonFailure(std::move(error));
}

void bind_errors(nb::module_& /*module*/) { nb::register_exception_translator(translate, nullptr); }

}  // namespace sightglass
