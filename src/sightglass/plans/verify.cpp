#include "sightglass/plans/verify.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "sightglass/base/error.h"
#include "sightglass/methods/local/recourse/wanted_outcome_internal.h"
#include "sightglass/methods/run/made_rows.h"
#include "sightglass/plans/explain.h"
#include "sightglass/plans/verify_internal.h"
#include "sightglass/result/json.h"
#include "sightglass/result/shapes/counterfactuals.h"

namespace sightglass {

namespace {

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max({1.0, std::abs(a), std::abs(b)}); }

std::string row_text(const Counterfactuals& item) {
  return "row " + std::to_string(item.row) + (item.output.empty() ? "" : ", " + printable(item.output, 60)) +
         (item.group.empty() ? "" : ", " + printable(item.group, 60));
}

std::string difference(const Value& a, const Value& b, const std::string& path = "") {
  if (a.is_number() && b.is_number()) return near(a.as_number(), b.as_number()) ? "" : path;
  if (a.is_array() && b.is_array()) {
    const auto &of_a = a.as_array(), &of_b = b.as_array();
    if (of_a.size() != of_b.size()) return path;
    for (std::size_t i = 0; i < of_a.size(); ++i) {
      if (std::string at = difference(of_a[i], of_b[i], path + "[" + std::to_string(i) + "]"); !at.empty()) return at;
    }
    return "";
  }
  if (!a.is_object() || !b.is_object()) return a == b ? "" : path;
  std::set<std::string> names;
  for (const Value* each : {&a, &b}) {
    for (const auto& [name, value] : each->as_object()) names.insert(name);
  }
  for (const char* unclaimed : {"other_model", "explored"}) names.erase(unclaimed);
  for (const std::string& name : names) {
    const Value *of_a = a.find(name), *of_b = b.find(name);
    const std::string at = path + (path.empty() ? "" : ".") + printable(name, 40);
    if (of_a == nullptr || of_b == nullptr) return at;
    if (std::string deeper = difference(*of_a, *of_b, at); !deeper.empty()) return deeper;
  }
  return "";
}

Value as_written(const ResultItem& item) {
  Result alone;
  alone.results.push_back(item);
  const Value written = value_from_json(to_json(alone), "result");
  return written.find("results")->as_array()[0];
}

// A value as columns hold it; nothing where the column cannot.
std::optional<double> number_of(const ColumnInfo& column, const Value& value) {
  if (value.is_null()) return std::nan("");
  if (value.is_number()) return column.has_levels() ? std::nullopt : std::optional(value.as_number());
  if (!value.is_string()) return std::nullopt;
  const std::optional<std::int32_t> code = column.find_level(value.as_string());
  return code ? std::optional<double>(*code) : std::nullopt;
}

bool is_proven(const Counterfactuals& item) {
  return item.proof && item.proof->status != ProofStatus::sampled && item.proof->status != ProofStatus::none;
}

// Rows that the model is to be asked about again.
struct Asked {
  const Counterfactuals* item = nullptr;
  const CounterfactualRow* change = nullptr;  // null: the row as it is
};

class Verifier {
 public:
  Verifier(const VerifyTask& task, Verification& found) : task_(task), found_(found) {
    for (const ResultItem& item : task.saved.results) {
      if (const auto* changes = item.as<Counterfactuals>()) items_.push_back(changes);
    }
  }

  [[nodiscard]] bool anything() const { return !items_.empty(); }

  void check() {
    predict_again();
    if (!task_.of_new_model) prove_again();
    for (const Counterfactuals* item : items_) {
      if (item->changes.empty()) continue;
      ++found_.rows;
      found_.kept += kept_.contains(item) ? 1 : 0;
    }
  }

 private:
  void fail(const Counterfactuals& item, const std::string& why) {
    failed_.insert(&item);
    found_.failures.push_back(row_text(item) + ": " + why);
  }

  void predict_again() {
    const RunSession session(task_.model, task_.data, task_.run_options(), task_.context);
    const MethodInput& input = session.input();
    const PredictedClass classes(input);
    check_outputs(input);
    std::vector<Asked> asked;
    std::vector<std::vector<double>> values(input.features.size());
    for (const Counterfactuals* item : items_) {
      add(input, {item, nullptr}, asked, values);
      for (const CounterfactualRow& change : item->changes) add(input, {item, &change}, asked, values);
    }
    if (asked.empty()) return;
    const MadeRows rows(input.schema, input.features, values);
    Matrix predictions;
    session.predicting_evaluator().evaluate(rows.block(), predictions);
    for (std::size_t i = 0; i < asked.size(); ++i) check_answer(input, classes, asked[i], predictions.span().row(i));
  }

  // Names of classes may have come from whoever made the result, not from the model's file.
  void check_outputs(const MethodInput& input) const {
    for (const Counterfactuals* item : items_) {
      const Value* of = item->details.find("prediction_of");
      if (of == nullptr || !of->is_string()) continue;
      const std::string& name = of->as_string();
      if (std::find(input.outputs.begin(), input.outputs.end(), name) != input.outputs.end()) continue;
      throw Error(ErrorKind::usage,
                  "the result is about the output " + printable(name, 60) + ", and the model calls its first one " +
                      (input.outputs.empty() ? std::string("nothing") : printable(input.outputs[0], 60)),
                  marked("give {argument:classes} as they were when the result was made"));
    }
  }

  void add(const MethodInput& input, const Asked& row, std::vector<Asked>& asked,
           std::vector<std::vector<double>>& values) {
    std::vector<double> own;
    for (const std::uint32_t column : input.features) {
      const ColumnInfo& info = input.schema[column];
      const Value* value = row.change == nullptr ? nullptr : row.change->values.find(info.name);
      if (value == nullptr) value = row.item->data.find(info.name);
      const auto number = value == nullptr ? std::nullopt : number_of(info, *value);
      if (!number)
        return fail(*row.item, "the result has no value of " + printable(info.name, 60) + " that the data know");
      own.push_back(*number);
    }
    for (std::size_t j = 0; j < own.size(); ++j) values[j].push_back(own[j]);
    asked.push_back(row);
  }

  void check_answer(const MethodInput& input, const PredictedClass& classes, const Asked& row,
                    std::span<const double> answer) {
    ++found_.predictions;
    const Counterfactuals& item = *row.item;
    const Value* of = item.details.find("prediction_of");
    const auto at = of == nullptr || !of->is_string()
                        ? input.outputs.end()
                        : std::find(input.outputs.begin(), input.outputs.end(), of->as_string());
    if (at == input.outputs.end()) return fail(item, "the model has no output of the name that the result has");
    const double prediction = answer[static_cast<std::size_t>(at - input.outputs.begin())];
    const double told = row.change == nullptr ? item.prediction : row.change->prediction;
    const std::string what = row.change == nullptr ? "the row as it is" : changes_text(item, *row.change);
    char numbers[80];
    (void)std::snprintf(numbers, sizeof numbers, "is predicted as %.10g, not %.10g", prediction, told);
    if (!task_.of_new_model && !near(prediction, told)) fail(item, what + " " + numbers);
    if (row.change == nullptr) return;
    const bool reached =
        item.wanted_class.empty()
            ? !(item.at_least && prediction < *item.at_least) && !(item.at_most && prediction > *item.at_most)
            : classes.any() && classes.name(classes.of(answer)) == item.wanted_class;
    if (reached) {
      kept_.insert(&item);
    } else {
      fail(item, what + (task_.of_new_model ? " no longer reaches what was wanted" : " does not reach what is wanted"));
    }
  }

  // The same search once more: what was proven must be proven again.
  void prove_again() {
    const Result again = task_.made_again();
    std::set<const Counterfactuals*> known;
    for (const Counterfactuals* item : items_) {
      const bool proven = is_proven(*item);
      // What was only searched for was predicted again; that nothing need change is no less sure than a proof.
      if (!proven && item->status != RecourseStatus::already) continue;
      const Counterfactuals* same = nullptr;
      for (const ResultItem& each : again.results) {
        const auto* other = each.as<Counterfactuals>();
        if (other != nullptr && other->row == item->row && other->output == item->output && other->group == item->group)
          same = other;
      }
      found_.proofs += proven ? 1 : 0;
      if (same != nullptr) known.insert(same);
      if (same == nullptr) {
        fail(*item, "is not among the rows that are explained now");
      } else {
        compare(*item, *same);
      }
    }
    for (const ResultItem& each : again.results) {
      const auto* missing = each.as<Counterfactuals>();
      if (missing != nullptr && is_proven(*missing) && !known.contains(missing))
        fail(*missing, "is no longer among the rows of the result, or its proof is gone");
    }
  }

  void compare(const Counterfactuals& item, const Counterfactuals& again) {
    if (again.status != item.status)
      return fail(item, "the search now ends with " +
                            std::string(recourse_statuses[static_cast<std::size_t>(again.status)]) + ", not " +
                            std::string(recourse_statuses[static_cast<std::size_t>(item.status)]));
    if (again.proof.has_value() != item.proof.has_value() || (item.proof && again.proof->status != item.proof->status))
      return fail(item, "what was proven cannot be proven again");
    if (item.proof && again.proof->bound && item.proof->bound && *item.proof->bound > *again.proof->bound + 1e-9)
      fail(item, "a lower cost is possible than the bound that was proven");
    if (item.changes.empty() != again.changes.empty()) return fail(item, "the changes are not those of the search");
    const CounterfactualRow first = item.changes.empty() ? CounterfactualRow{} : item.changes.front();
    const CounterfactualRow smallest = again.changes.empty() ? CounterfactualRow{} : again.changes.front();
    if (!item.changes.empty() && item.proof && item.proof->status == ProofStatus::optimal &&
        (first.values.as_object().size() != smallest.values.as_object().size() || !near(first.cost, smallest.cost)))
      return fail(item,
                  changes_text(item, first) + " is not the smallest change: " + changes_text(again, smallest) + " is");
    if (failed_.contains(&item)) return;
    if (const std::string where = where_different(item, again); !where.empty())
      fail(item, "the search now says something else of " + where);
  }

  const VerifyTask& task_;
  std::vector<const Counterfactuals*> items_;
  std::set<const Counterfactuals*> failed_;
  std::set<const Counterfactuals*> kept_;  // that have a change that does
  Verification& found_;
};

}  // namespace

std::string where_different(const ResultItem& a, const ResultItem& b) {
  return difference(as_written(a), as_written(b));
}

Value VerifyTask::told_options() const {
  Value told = Value::object();
  const OptionSpec* second = find_option(find_entry(catalogue(), saved.method).options, OptionType::model);
  for (const auto& [name, value] : saved.options.as_object()) {
    if (second != nullptr && second->name == name) continue;
    // How the old model was asked says nothing about the new one.
    if (of_new_model && name == "engine") continue;
    if (!value.is_null() && !(value.is_string() && value.as_string().empty())) told.set(name, value);
  }
  return told;
}

namespace {

// The options are those of the file: whoever calls did not choose them.
template <class Act>
auto by_options_of_file(const Act& act) {
  try {
    return act();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;
    throw Error(ErrorKind::data, "the saved result cannot be made again: " + error.message(),
                "give the file as it was saved, and the model and data that it is about");
  }
}

}  // namespace

Result VerifyTask::made_again() const {
  return by_options_of_file([&] { return explain(saved.method, model, data, told_options(), context); });
}

RunOptions VerifyTask::run_options() const {
  Value told = Value::object();
  const Value all = told_options();
  for (const OptionSpec& spec : describe_options<RunOptions>()) {
    if (const Value* value = all.find(spec.name)) told.set(spec.name, *value);
  }
  return by_options_of_file([&] { return read_options<RunOptions>(told); });
}

Verification verify(const Result& saved, const Model& model, const Source& data, Context& context, bool of_new_model) {
  for (const OptionSpec& other : describe_options<OtherTablesOptions>()) {
    const Value* place = saved.options.find(other.name);
    if (place == nullptr || !place->is_string() || place->as_string().empty()) continue;
    throw Error(ErrorKind::data,
                "the result is about rows of another table (" + option_name(other.name).plain() +
                    "), and only results about the data themselves can be made again",
                "put these rows into the data and name them there");
  }
  const VerifyTask task{saved, model, data, context, of_new_model};
  Verification found;
  Verifier changes(task, found);
  const bool rules = has_certain_rules(saved);
  if (!changes.anything() && !rules)
    throw Error(ErrorKind::data, "the result holds nothing that can be checked again",
                "give a saved result of counterfactuals, or of anchors with certain rules");
  if (changes.anything()) changes.check();
  if (rules) verify_certain_rules(task, found);
  return found;
}

}  // namespace sightglass
