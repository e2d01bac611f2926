#include "sightglass/learn/fit.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "sightglass/base/error.h"
#include "sightglass/base/input_file.h"
#include "sightglass/base/shown_path.h"
#include "sightglass/base/version.h"
#include "sightglass/data/condition.h"
#include "sightglass/learn/registry.h"
#include "sightglass/learn/training_fit.h"
#include "sightglass/model/learned/model_file.h"
#include "sightglass/model/load.h"
#include "sightglass/result/dates.h"
#include "sightglass/result/json.h"

namespace sightglass {

namespace {

constexpr std::uint64_t largest_file = std::uint64_t{1} << 31;

// Those of every learner and its own, apart; throws Error(usage) on a name that neither knows.
std::pair<Value, Value> split_options(const Value& given, const LearnerEntry& entry) {
  const auto shared = describe_options<FitOptions>();
  std::pair<Value, Value> parts{Value::object(), Value::object()};
  for (const auto& [name, value] : given.as_object()) {
    const bool of_all = find_option(shared, name) != nullptr;
    (of_all ? parts.first : parts.second).set(name, value);
  }
  parts.second = by_own_names(parts.second, entry.options);
  return parts;
}

// The rows that fulfil a condition, and their places in the table that they are from; none: they are all of it.
struct ChosenRows {
  Table table;
  std::vector<std::uint64_t> places = {};
};

ChosenRows chosen_rows(const Table& table, const std::string& where) {
  if (where.empty()) return {table};
  std::vector<std::uint64_t> rows = Condition(where, table.schema()).rows(table);
  if (rows.empty()) {
    throw Error(ErrorKind::data, option_text("where") + ": no row fulfils " + printable(where), "widen the condition");
  }
  const PickedRows picked(std::make_shared<const Table>(table), rows);
  Table chosen = Table::load(picked);
  if (const auto weights = table.weight_column()) chosen = chosen.with_weights(*weights);
  return {std::move(chosen), std::move(rows)};
}

// Places in the table that the chosen rows are from.
void place_rows(std::vector<std::uint64_t> places, TrainingData& data) {
  if (places.empty()) return;
  for (std::uint64_t& row : data.row_ids) row = places[row];
  if (data.row_ids.empty()) data.row_ids = std::move(places);
}

Signature signature_of(const LearnerEntry& entry, const TrainingData& data, const Learned& learned) {
  Signature signature;
  signature.format = "sightglass";
  signature.version = std::string(version());
  signature.objective = entry.name;
  signature.task = data.task();
  for (const TrainingFeature& feature : data.features) signature.features.push_back(feature.info);
  signature.outputs = data.outputs();
  signature.has_margin = learned.link.link != Link::identity;
  return signature;
}

// Stands last in a file. A name cannot look like it: its quotes would be escaped.
constexpr std::string_view result_member = ",\"result\":";

std::string_view link_name(Link link) {
  switch (link) {
    case Link::identity: return "identity";
    case Link::logistic: return "logit";
    case Link::softmax: return "softmax";
    case Link::exponential: return "log";
    default: throw Error(ErrorKind::internal, "a learner has a link that files have no name for");
  }
}

Value described_features(const Signature& signature) {
  Value list = Value::array();
  for (const FeatureInfo& feature : signature.features) {
    Value entry = Value::object({{"name", feature.name}});
    if (feature.categorical) entry.set("levels", feature.levels);
    if (feature.dates) entry.set("dates", date_units[static_cast<std::size_t>(feature.dates.unit)]);
    list.push_back(std::move(entry));
  }
  return list;
}

Value fitted_facts(const LearnerEntry& entry, const TrainingData& data, const Learned& learned,
                   const std::vector<Figure>& figures) {
  Value facts = Value::object({{"target", data.target},
                               {"training_rows", data.rows},
                               {entry.size_unit, static_cast<std::int64_t>(learned.size)}});
  if (!data.classes.empty()) facts.set("classes", data.classes);
  for (const auto& [name, value] : learned.detail.as_object()) facts.set(name, value);
  for (const Figure& figure : figures) facts.set(figure.name, figure.value);
  return facts;
}

std::string file_of(const LearnerEntry& entry, const Signature& signature, const Learned& learned, const Value& facts,
                    const Result& result) {
  const Value members = Value::object({{"kind", entry.name},
                                       {"version", signature.version},
                                       {"task", to_string(signature.task)},
                                       {"outputs", signature.outputs},
                                       {"link", link_name(learned.link.link)},
                                       {"features", described_features(signature)},
                                       {"structure", to_value(learned.structure)},
                                       {"fitted", facts}});
  std::string object = to_json(members);
  object.pop_back();
  return seal_model_file(object + std::string(result_member) + to_json(result) + "}");
}

}  // namespace

std::unique_ptr<Model> make_model(const LearnerEntry& entry, const TrainingData& data, const Learned& learned,
                                  std::string_view where) {
  return make_model(signature_of(entry, data, learned), learned.link, learned.structure, where);
}

FittedModel fit(std::string_view learner, const Table& table, const Value& options, Context& context) {
  const LearnerEntry& entry = find_learner(learner);
  const auto [shared, own] = split_options(options, entry);
  const auto told = read_options<FitOptions>(shared);
  if (told.target.empty()) {
    throw Error(ErrorKind::usage, marked("{Option:target} is missing: the column with the outcome to learn"));
  }
  ChosenRows rows = chosen_rows(table, told.where);
  TrainingData data = training_data(rows.table, {.target = told.target,
                                                 .features = told.features,
                                                 .outcome = told.task == "regression"       ? OutcomeKind::number
                                                            : told.task == "classification" ? OutcomeKind::classes
                                                                                            : OutcomeKind::automatic});
  place_rows(std::move(rows.places), data);
  if (data.classes.empty() && !entry.takes_numbers) {
    throw Error(ErrorKind::usage,
                entry.about.title + " learns classes, and " + printable(data.target, 60) + " is a number",
                marked("name a target of classes, or set {option:task} to classification"));
  }
  Learned learned = entry.fit(data, own, context);

  FittedModel fitted;
  fitted.size = learned.size;
  const auto model = make_model(entry, data, learned, "the fitted model");
  const std::vector<Figure> figures = training_figures(*model, data, context);
  const Value facts = fitted_facts(entry, data, learned, figures);
  Result& result = fitted.result;
  result.method = entry.name;
  result.about = entry.about;
  result.version = version();
  result.model = Value::object({{"format", "sightglass"},
                                {"version", version()},
                                {"objective", entry.name},
                                {"task", to_string(data.task())},
                                {"outputs", model->signature().outputs}});
  result.data =
      Value::object({{"rows", data.rows}, {"rows_available", table.rows()}, {"columns", table.schema().size()}});
  if (const auto weights = table.weight_column()) result.data.set("weights", table.schema()[*weights].name);
  result.data.set("target", data.target);
  if (const Dates dates = table.schema().dates(); !dates.empty()) result.data.set("dates", dates_value(dates));
  if (!data.notes.empty()) result.data.set("notes", data.notes);
  result.options = write_options(told);
  for (const OptionSpec& spec : entry.options) {
    const Value* value = own.find(spec.name);
    result.options.set(spec.name, value != nullptr ? *value : spec.default_value);
  }
  // What a model shows of itself it adds up before the link.
  result.options.set("scale", learned.link.link == Link::identity ? "response" : "margin");
  for (const Figure& figure : figures) result.results.emplace_back(figure);
  for (ResultItem& item : learned.shown) result.results.push_back(std::move(item));
  set_dates(result);
  result.caveats = std::move(learned.caveats);
  fitted.file = file_of(entry, model->signature(), learned, facts, result);
  // What is handed back is what anybody else will read.
  fitted.model = parse_model(fitted.file, "the fitted model");
  return fitted;
}

std::optional<Result> explanation_in(std::string_view content, std::string_view where) {
  if (!content.starts_with(model_file_start)) return std::nullopt;
  const std::size_t at = content.find(std::string(result_member) + "{\n\"schema\":");
  const std::size_t end = content.rfind('}');
  if (at == std::string_view::npos || end == std::string_view::npos) return std::nullopt;
  const std::size_t first = at + result_member.size();
  return result_from_json(content.substr(first, end - first), std::string(where));
}

std::optional<Result> saved_explanation(const std::string& location) {
  if (location.find(':') != std::string::npos && !std::filesystem::exists(location))
    return std::nullopt;  // exec:, python:
  const std::string content = read_input_file(location, largest_file, ErrorKind::model, "give a model file");
  return explanation_in(content, shown_path(location));
}

}  // namespace sightglass
