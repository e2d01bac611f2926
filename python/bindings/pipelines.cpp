// Models behind preparation steps: trees folded into trees on the user's columns, linear models as terms on them. The
// package knows which attribute of which step holds what; here arrive numbers and names.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>
#include <vector>

#include "bindings.h"
#include "sightglass/model/derived/fold_trees.h"
#include "sightglass/model/learned/learned_model.h"

namespace sightglass {

namespace {

using Kind = Step::Kind;

const Value& part_of(const Value& object, const char* key) {
  const Value* value = object.find(key);
  if (value == nullptr) throw Error(ErrorKind::internal, std::string("the description of a model lacks ") + key);
  return *value;
}

std::vector<double> numbers_of(const Value& list) {
  std::vector<double> numbers;
  for (const Value& item : list.as_array()) numbers.push_back(item.as_number());
  return numbers;
}

std::vector<std::string> texts_of(const Value& list) {
  std::vector<std::string> texts;
  for (const Value& item : list.as_array()) texts.push_back(item.as_string());
  return texts;
}

template <class T>
T known(const std::string& name, std::initializer_list<std::pair<const char*, T>> names) {
  for (const auto& [spelled, value] : names) {
    if (name == spelled) return value;
  }
  throw Error(ErrorKind::internal, "unknown word in the description of a model: " + printable(name));
}

Kind kind_of_step(const std::string& name) {
  return known<Kind>(name, {{"round", Kind::round},
                            {"add", Kind::add},
                            {"subtract", Kind::subtract},
                            {"multiply", Kind::multiply},
                            {"divide", Kind::divide},
                            {"clip", Kind::clip},
                            {"replace", Kind::replace},
                            {"equals", Kind::equals},
                            {"count_upto", Kind::count_upto},
                            {"count_below", Kind::count_below},
                            {"look_up", Kind::look_up},
                            {"sqrt", Kind::square_root},
                            {"square", Kind::square},
                            {"absolute", Kind::absolute},
                            {"sign", Kind::sign},
                            {"floor", Kind::floor},
                            {"ceil", Kind::ceil},
                            {"trunc", Kind::truncate},
                            {"rint", Kind::round_even},
                            {"refuse_missing", Kind::refuse_missing},
                            {"refuse_infinite", Kind::refuse_infinite}});
}

// [kind, a, b, numbers, float32, values], as far as they are needed.
Step step_of(const Value& given) {
  const auto& parts = given.as_array();
  Step step{.kind = kind_of_step(parts.at(0).as_string())};
  if (parts.size() > 1) step.a = parts[1].as_number();
  if (parts.size() > 2) step.b = parts[2].as_number();
  if (parts.size() > 3) step.numbers = numbers_of(parts[3]);
  if (parts.size() > 4) step.float32 = parts[4].as_bool();
  if (parts.size() > 5) step.values = numbers_of(parts[5]);
  return step;
}

DerivedColumn derived_of(const Value& given) {
  DerivedColumn column{.source = static_cast<std::uint32_t>(part_of(given, "source").as_number())};
  if (const Value& levels = part_of(given, "levels"); !levels.is_null()) {
    column.levels = LevelTable{.values = numbers_of(part_of(levels, "values")),
                               .unseen = part_of(levels, "unseen").as_number(),
                               .missing = part_of(levels, "missing").as_number(),
                               .refuses_unseen = part_of(levels, "refuses_unseen").as_bool(),
                               .refuses_missing = part_of(levels, "refuses_missing").as_bool()};
  }
  for (const Value& step : part_of(given, "steps").as_array()) column.steps.push_back(step_of(step));
  return column;
}

std::vector<FeatureInfo> features_of(const Value& list) {
  std::vector<FeatureInfo> features;
  for (const Value& given : list.as_array()) {
    FeatureInfo feature{.name = part_of(given, "name").as_string()};
    if (const Value& levels = part_of(given, "levels"); !levels.is_null()) {
      feature.categorical = true;
      feature.levels = texts_of(levels);
      feature.numeric_levels = part_of(given, "numbers").as_bool();
    }
    features.push_back(std::move(feature));
  }
  return features;
}

// What the signature says besides.
void describe_in(Signature& signature, const Value& about) {
  signature.format = "scikit-learn";
  signature.version = part_of(about, "version").as_string();
  for (const auto& [key, value] : part_of(about, "detail").as_object()) signature.detail.set(key, value);
}

// The trees of a model, each of whose features is a derived column.
ModelHandle fold_model(const ModelHandle& model, const nb::dict& description) {
  const Value about = value_from_python(description);
  const nb::gil_scoped_release no_gil;
  const TreeEnsemble* trees = model.model->trees();
  if (trees == nullptr) throw Error(ErrorKind::internal, "a model without trees was to be folded");
  std::vector<DerivedColumn> derived;
  for (const Value& column : part_of(about, "derived").as_array()) derived.push_back(derived_of(column));
  TreeEnsemble::Parts parts = fold(trees->parts(), features_of(part_of(about, "sources")), derived);
  describe_in(parts.signature, about);
  return {std::make_shared<TreeEnsemble>(std::move(parts), part_of(about, "where").as_string())};
}

// A weight for a number, or for a level (as many as there are, then one for missing values).
Term term_of(const Value& given) {
  Term term{.feature = static_cast<std::uint32_t>(part_of(given, "feature").as_number()),
            .weights = numbers_of(part_of(given, "weights"))};
  if (const Value* level = given.find("level")) {
    TermCondition condition{.feature = term.feature};
    if (level->is_null()) {
      condition.missing = true;
    } else {
      condition.levels = {static_cast<std::uint32_t>(level->as_number())};
    }
    term.conditions.push_back(std::move(condition));
    return term;
  }
  term.low = part_of(given, "low").as_number();
  term.high = part_of(given, "high").as_number();
  term.missing = part_of(given, "missing").as_number();
  return term;
}

ModelHandle linear_model(const nb::dict& description) {
  const Value about = value_from_python(description);
  const nb::gil_scoped_release no_gil;
  Signature signature;
  signature.features = features_of(part_of(about, "features"));
  signature.objective = part_of(about, "objective").as_string();
  signature.outputs = texts_of(part_of(about, "outputs"));
  signature.task =
      known<Task>(part_of(about, "task").as_string(),
                  {{"regression", Task::regression}, {"binary", Task::binary}, {"multiclass", Task::multiclass}});
  signature.other_class = part_of(about, "other_class").as_string();
  const LinkFunction link{known<Link>(part_of(about, "link").as_string(), {{"identity", Link::identity},
                                                                           {"logistic", Link::logistic},
                                                                           {"softmax", Link::softmax},
                                                                           {"exponential", Link::exponential}})};
  signature.has_margin = link.link != Link::identity;
  describe_in(signature, about);
  TermStructure structure{.intercept = numbers_of(part_of(about, "intercept")),
                          .refuses_missing = part_of(about, "refuses_missing").as_bool()};
  for (const Value& term : part_of(about, "terms").as_array()) structure.terms.push_back(term_of(term));
  return {make_model(std::move(signature), link, Structure(std::move(structure)), part_of(about, "where").as_string())};
}

}  // namespace

void bind_pipelines(nb::module_& module) {
  module.def("fold", &fold_model, nb::arg("model"), nb::arg("description"));
  // Of a model with trees: where its predictions change along a feature, the first number behind each split.
  module.def(
      "breakpoints",
      [](const ModelHandle& model, std::size_t feature) {
        const TreeEnsemble* trees = model.model->trees();
        return trees == nullptr ? std::vector<double>() : trees->breakpoints(feature);
      },
      nb::arg("model"), nb::arg("feature"));
  module.def("linear_model", &linear_model, nb::arg("description"));
}

}  // namespace sightglass
