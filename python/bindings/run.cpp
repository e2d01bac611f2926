// Running methods, and what can be done with their results.
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <set>
#include <string>

#include "bindings.h"
#include "interrupt.h"
#include "sightglass/base/atomic_file.h"
#include "sightglass/base/output_place.h"
#include "sightglass/base/thread_limit.h"
#include "sightglass/insight/caveat_list.h"
#include "sightglass/insight/findings.h"
#include "sightglass/learn/registry.h"
#include "sightglass/model/evaluator.h"
#include "sightglass/plans/explain.h"
#include "sightglass/plans/report/report.h"
#include "sightglass/plans/verify.h"
#include "sightglass/render/csv/csv_renderer.h"
#include "sightglass/render/html/html_renderer.h"
#include "sightglass/render/html/page_charts.h"
#include "sightglass/render/text/text_renderer.h"
#include "sightglass/render/vega/vega_renderer.h"
#include "sightglass/result/json.h"
#include "sightglass/result/saved_results.h"
#include "sightglass/result/tidy.h"

namespace sightglass {

namespace {

// Calls work(model, table, options, context) without the GIL.
template <class Work>
auto run_work(const ModelHandle& model, const TableHandle& table, const nb::dict& options, int threads, Work&& work) {
  const Value given = value_from_python(options);
  StoppableContext context(threads);
  // Other threads of the interpreter may drop their explainer meanwhile; these stay.
  const auto kept_model = model.model;
  const auto kept_table = table.table;
  const nb::gil_scoped_release no_gil;
  return work(*kept_model, *kept_table, given, *context);
}

// other: a second model, which the options name; rows_from and so on: other tables; null: none.
Result run_method(const std::string& method, const ModelHandle& model, const TableHandle& table,
                  const nb::dict& options, int threads, const ModelHandle* other, const TableHandle* rows_from,
                  const TableHandle* background_data, const TableHandle* train_data) {
  ModelOption second;
  if (other != nullptr) second = ModelOption(other->model);
  OtherTables tables;
  if (rows_from != nullptr) tables.rows_from = rows_from->table;
  if (background_data != nullptr) tables.background_data = background_data->table;
  if (train_data != nullptr) tables.train_data = train_data->table;
  return run_work(model, table, options, threads,
                  [&](const Model& its_model, const Table& its_table, const Value& given, Context& context) {
                    return explain(method, its_model, its_table, given, context, nullptr, second, tables);
                  });
}

// What does not hold of a result, a line each.
std::vector<std::string> verify_result(const Result& result, const ModelHandle& model, const TableHandle& table,
                                       int threads, bool of_new_model) {
  const Result kept = result;
  return run_work(model, table, nb::dict(), threads,
                  [&](const Model& its_model, const Table& its_table, const Value&, Context& context) {
                    return verify(kept, its_model, its_table, context, of_new_model).failures;
                  });
}

std::vector<Result> run_report(const ModelHandle& model, const TableHandle& table, const nb::dict& options, int threads,
                               const Result* given_own, const ModelHandle* other) {
  ModelOption second;
  if (other != nullptr) second = ModelOption(other->model);
  std::optional<Result> own;
  if (given_own != nullptr) own = *given_own;
  return run_work(model, table, options, threads,
                  [&](const Model& its_model, const Table& its_table, const Value& given, Context& context) {
                    return report(its_model, its_table, given, context, std::move(own), second);
                  });
}

// The names of the outputs, and rows × outputs predictions.
nb::tuple predict(const ModelHandle& model, const TableHandle& table, const std::string& target,
                  const std::string& scale, const std::string& arithmetic, std::size_t batch, int threads) {
  const auto chosen = [](const std::string& given, const char* what, const char* no, const char* yes) {
    if (given == yes) return true;
    if (given == no) return false;
    throw Error(ErrorKind::usage, std::string(what) + " cannot be " + printable(given),
                std::string("it is one of ") + no + ", " + yes);
  };
  const PredictOptions options{
      .scale = chosen(scale, "scale", "response", "margin") ? Scale::margin : Scale::response,
      .arithmetic = chosen(arithmetic, "arithmetic", "framework", "exact") ? Arithmetic::exact : Arithmetic::framework};
  StoppableContext context(threads);
  const auto kept_model = model.model;
  const auto kept_table = table.table;
  std::vector<std::string> names;
  auto predictions = std::make_unique<std::vector<double>>();
  {
    const nb::gil_scoped_release no_gil;
    Evaluator evaluator(*kept_model, *kept_table, kept_table->not_features(target, "target"), {.predict = options},
                        *context);
    evaluator.begin("predict", kept_table->rows());
    names = evaluator.outputs();
    predictions->reserve(kept_table->rows() * names.size());
    Matrix block_predictions;
    const auto stream = kept_table->open(evaluator.columns(), batch);
    while (const auto block = stream->next()) {
      evaluator.evaluate(*block, block_predictions);
      for (std::size_t row = 0; row < block->rows; ++row) {
        for (std::size_t k = 0; k < names.size(); ++k) predictions->push_back(block_predictions(row, k));
      }
    }
  }
  const std::size_t rows = names.empty() ? 0 : predictions->size() / names.size();
  double* data = predictions->data();
  const nb::capsule owner(predictions.release(),
                          [](void* memory) noexcept { delete static_cast<std::vector<double>*>(memory); });
  return nb::make_tuple(names, nb::ndarray<nb::numpy, double, nb::ndim<2>>(data, {rows, names.size()}, owner));
}

std::vector<std::string> chart_names(const std::vector<Result>& results) {
  std::vector<std::string> names;
  for (const auto& chart : page_charts(results)) names.push_back(chart.name);
  return names;
}

std::string chart_json(const std::vector<Result>& results, const std::string& name, const std::string& output,
                       const std::vector<std::string>& show) {
  const auto charts = page_charts(results);
  return to_json(chart_alone(find_chart(charts, name), output, show)) + "\n";
}

// What Python's calendar does not have stays a number.
nb::object to_python(const TidyDate& date) {
  constexpr double first = -62135596800, last = 253402300800;  // years 1 to 9999
  const double seconds = date.number / units_per_day(date.kind.unit) * 86400;
  if (std::isnan(seconds)) return nb::none();
  if (!(seconds >= first && seconds < last)) return nb::cast(date.number);
  const nb::module_ datetime = nb::module_::import_("datetime");
  return datetime.attr("datetime")(1970, 1, 1) + datetime.attr("timedelta")(nb::arg("seconds") = seconds);
}

nb::object to_python(const TidyFrame::Cell& cell) {
  if (const auto* date = std::get_if<TidyDate>(&cell)) return to_python(*date);
  if (const auto* text = std::get_if<std::string>(&cell)) return nb::cast(*text);
  if (const auto* number = std::get_if<double>(&cell)) return nb::cast(*number);
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return nb::cast(*whole);
  if (const auto* flag = std::get_if<bool>(&cell)) return nb::cast(*flag);
  return nb::none();
}

// The tidy table of the items of one type, or of those that come first: a list per column.
nb::dict columns(const Result& result, const std::string& type) {
  nb::dict table;
  for (const auto& column : tidy_frame(result, type).columns) {
    nb::list cells;
    for (const auto& cell : column.cells) cells.append(to_python(cell));
    table[nb::cast(column.name)] = cells;
  }
  return table;
}

std::vector<std::string> types(const Result& result) {
  std::set<std::string> names;
  for (const ResultItem& item : result.results) names.emplace(item.type());
  return {names.begin(), names.end()};
}

struct CaveatThresholds : RunOptions {
  static void fields(auto&& field) { caveat_fields(field); }
};

Result without_items(const Result& result) {
  Result copy;
  copy.method = result.method;
  copy.about = result.about;
  copy.version = result.version;
  copy.model = result.model;
  copy.data = result.data;
  copy.options = result.options;
  copy.caveats = result.caveats;
  return copy;
}

// The result but for its items, as JSON.
std::string about_json(const Result& result) { return to_json(without_items(result)); }

// Some of the items.
Result pick(const Result& result, const std::vector<std::size_t>& places) {
  Result some = without_items(result);
  for (const std::size_t place : places) some.results.push_back(result.results.at(place));
  return some;
}

// Everything the registry knows, as JSON.
std::string catalogue_json() {
  Value list = Value::array();
  for (const MethodEntry& entry : sightglass::catalogue()) list.push_back(describe(entry));
  Value learned = Value::array();
  for (const LearnerEntry& entry : learners()) learned.push_back(describe(entry));
  return to_json(Value::object({{"run_options", describe(shared_options())},
                                {"report_options", describe(report_options())},
                                {"caveat_options", describe(describe_options<CaveatThresholds>())},
                                {"methods", list},
                                {"learners", learned}}));
}

}  // namespace

Value value_from_python(nb::handle object) {
  PyObject* pointer = object.ptr();
  if (object.is_none()) return {};
  if (PyBool_Check(pointer)) return {pointer == Py_True};
  if (PyUnicode_Check(pointer)) return {nb::cast<std::string>(object)};
  if (PyFloat_Check(pointer)) return {PyFloat_AsDouble(pointer)};
  if (nb::isinstance<nb::dict>(object)) {
    Value value = Value::object();
    for (const auto [key, item] : nb::borrow<nb::dict>(object)) {
      value.set(nb::cast<std::string>(nb::str(key)), value_from_python(item));
    }
    return value;
  }
  // NumPy's scalars are integers and floats by protocol, not by type.
  if (PyIndex_Check(pointer)) {
    if (const nb::object index = nb::steal(PyNumber_Index(pointer)); index.is_valid()) {
      const long long number = PyLong_AsLongLong(index.ptr());
      if (number == -1 && PyErr_Occurred() != nullptr) {
        PyErr_Clear();
        throw Error(ErrorKind::usage, "an option's integer is out of range");
      }
      return {static_cast<std::int64_t>(number)};
    }
    PyErr_Clear();  // an array of more than one element
  }
  if (PySequence_Check(pointer) || PyIter_Check(pointer)) {
    Value value = Value::array();
    for (const nb::handle item : nb::borrow<nb::iterable>(object)) value.push_back(value_from_python(item));
    return value;
  }
  if (const double number = PyFloat_AsDouble(pointer); PyErr_Occurred() == nullptr) return {number};
  PyErr_Clear();
  throw Error(ErrorKind::usage, "an option cannot be of type " + nb::cast<std::string>(object.type().attr("__name__")));
}

void bind_run(nb::module_& module) {
  nb::class_<Result>(module, "Result")
      .def_static("from_json", &result_from_json, nb::arg("text"), nb::arg("where"))
      .def("to_json", [](const Result& self) { return to_json(self); })
      .def(
          "set_option",
          [](Result& self, const std::string& name, const std::string& text) { self.options.set(name, text); },
          nb::arg("name"), nb::arg("text"))
      .def_prop_ro("method", [](const Result& self) { return self.method; })
      .def("about", &about_json)
      .def("items", &items_of)
      .def("pick", &pick, nb::arg("places"))
      .def("to_csv", &render_csv)
      .def("columns", &columns, nb::arg("type") = "")
      .def("types", &types)
      .def("to_vega", &render_vega)
      .def(
          "to_html", [](const Result& self, const std::string& title) { return render_html({self}, title); },
          nb::arg("title"))
      .def(
          "to_text",
          [](const Result& self, int width, bool color) { return render_text(self, {.width = width, .color = color}); },
          nb::arg("width") = 80, nb::arg("color") = false);
  module.def("run", &run_method, nb::arg("method"), nb::arg("model"), nb::arg("table"), nb::arg("options"),
             nb::arg("threads"), nb::arg("other").none() = nullptr, nb::arg("rows_from").none() = nullptr,
             nb::arg("background_data").none() = nullptr, nb::arg("train_data").none() = nullptr);
  module.def("verify", &verify_result, nb::arg("result"), nb::arg("model"), nb::arg("table"), nb::arg("threads"),
             nb::arg("of_new_model"));
  module.def("report", &run_report, nb::arg("model"), nb::arg("table"), nb::arg("options"), nb::arg("threads"),
             nb::arg("own").none(), nb::arg("other").none() = nullptr);
  module.def(
      "render_html",
      [](const std::vector<Result>& results, const std::string& title) { return render_html(results, title); },
      nb::arg("results"), nb::arg("title"));
  module.def(
      "findings",
      [](const std::vector<Result>& results) {
        std::vector<std::string> sentences;
        for (const auto& finding : findings(results)) sentences.push_back(finding.text);
        return sentences;
      },
      nb::arg("results"));
  // Places of results, and of caveats in each.
  module.def(
      "caveats_once",
      [](const std::vector<Result>& results) {
        std::vector<std::pair<std::size_t, std::size_t>> places;
        for (const ListedCaveat& one : caveats_once(results)) {
          places.emplace_back(static_cast<std::size_t>(one.result - results.data()),
                              static_cast<std::size_t>(one.caveat - one.result->caveats.data()));
        }
        return places;
      },
      nb::arg("results"));
  module.def(
      "save_results",
      [](const std::vector<Result>& results, const std::string& folder) {
        save_results(results, folder, [] {
          if (PyErr_CheckSignals() != 0) throw nb::python_error();
        });
      },
      nb::arg("results"), nb::arg("folder"));
  module.def("saved_results", &saved_results, nb::arg("folder"));
  module.def("page_charts", &chart_names, nb::arg("results"));
  module.def("page_chart", &chart_json, nb::arg("results"), nb::arg("name"), nb::arg("output"), nb::arg("show"));
  module.def("predict", &predict, nb::arg("model"), nb::arg("table"), nb::arg("target"), nb::arg("scale"),
             nb::arg("arithmetic"), nb::arg("batch"), nb::arg("threads"));
  module.def(
      "repetition",
      [](const Result& first) {
        const Repetition again = repetition(first.options);
        return to_json(Value::object({{"replaced", again.replaced}, {"instead", again.instead}}));
      },
      nb::arg("first"));
  module.attr("most_threads") = most_threads;
  module.def(
      "check_output_file",
      [](const std::string& path, const std::vector<std::string>& inputs) { check_output_file(path, inputs); },
      nb::arg("path"), nb::arg("inputs"));
  module.def("check_output_folder", &check_output_folder, nb::arg("path"));
  module.def("catalogue", &catalogue_json);
  module.def("shape_types", &shape_types);
  module.def(
      "write_file",
      [](const std::string& path, const nb::bytes& content) {
        write_file(path, std::string_view(content.c_str(), content.size()));
      },
      nb::arg("path"), nb::arg("content"));
}

}  // namespace sightglass
