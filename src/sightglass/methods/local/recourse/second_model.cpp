#include "sightglass/methods/local/recourse/second_model.h"

#include <algorithm>

#include "sightglass/base/error.h"

namespace sightglass {

namespace {

constexpr std::size_t rows_in_words = 5;

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorKind::usage, "the other model " + what,
              "the two must be versions of one model: same features, same outcomes");
}

bool holds(const CounterfactualRow& change) { return change.other && change.other->kept; }

}  // namespace

SecondModel::SecondModel(const MethodInput& first, const MethodInput& second)
    : second_(second), first_classes_(first), classes_(second) {
  for (const std::uint32_t column : second.features) {
    if (std::find(first.features.begin(), first.features.end(), column) == first.features.end())
      refuse("uses the feature " + printable(second.schema[column].name, 60) + ", which the first does not");
  }
  if (first_classes_.any() != classes_.any())
    refuse(std::string("predicts ") + (classes_.any() ? "classes" : "numbers") + ", the first does not");
  for (const std::string& name : first_classes_.names()) {
    if (!contains(classes_.names(), name)) refuse("knows no class " + printable(name, 60));
  }
  // Two classes may have one output or two.
  if (classes_.any()) return;
  if (first.outputs.size() != second.outputs.size())
    refuse("has " + std::to_string(second.outputs.size()) + " outputs, the first " +
           std::to_string(first.outputs.size()));
  for (const std::string& name : first.outputs) {
    if (first.outputs.size() > 1 && !contains(second.outputs, name)) refuse("has no output " + printable(name, 60));
  }
}

double SecondModel::answer_to(const Counterfactuals& item, std::span<const double> outputs) const {
  const Value* of = item.details.find("prediction_of");
  const std::string name = first_classes_.one_output() ? first_classes_.name(1) : of != nullptr ? of->as_string() : "";
  const auto& names = classes_.any() ? classes_.names() : second_.outputs;
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end()) return outputs[0];
  const auto place = static_cast<std::size_t>(at - names.begin());
  if (!classes_.one_output()) return outputs[place];
  return place == 1 ? outputs[0] : 2 * classes_.middle() - outputs[0];
}

OtherAnswer SecondModel::answer(const Counterfactuals& item, std::span<const double> outputs) const {
  OtherAnswer answer{.prediction = answer_to(item, outputs)};
  if (classes_.any()) answer.predicted_class = classes_.name(classes_.of(outputs));
  answer.kept = item.wanted_class.empty() ? !(item.at_least && answer.prediction < *item.at_least) &&
                                                !(item.at_most && answer.prediction > *item.at_most)
                                          : answer.predicted_class == item.wanted_class;
  return answer;
}

void add_kept_recourse(const std::vector<Counterfactuals>& items, Result& result) {
  std::size_t promised = 0, kept = 0, none = 0;
  std::vector<std::uint64_t> broken;
  for (const Counterfactuals& item : items) {
    if (item.changes.empty() || !item.changes.front().other) continue;
    ++promised;
    if (holds(item.changes.front())) {
      ++kept;
      continue;
    }
    broken.push_back(item.row);
    none += std::none_of(item.changes.begin(), item.changes.end(), holds) ? 1 : 0;
  }
  if (promised == 0) return;
  Figure share{.name = "rows whose smallest change also leads to what is wanted under the other model",
               .id = "recourse-kept",
               .value = static_cast<double>(kept) / static_cast<double>(promised),
               .meaning = "1: every promise holds under both models; 0: none does"};
  result.results.emplace_back(std::move(share));
  if (broken.empty()) return;
  std::string rows;
  for (std::size_t i = 0; i < std::min(broken.size(), rows_in_words); ++i)
    rows += (i == 0 ? "" : ", ") + std::to_string(broken[i]);
  if (broken.size() > rows_in_words) rows += " and " + std::to_string(broken.size() - rows_in_words) + " more";
  result.caveats.push_back(
      {.id = "recourse-breaks",
       .severity = Severity::caution,
       .message = "of " + std::to_string(promised) + (promised == 1 ? " row" : " rows") + " with a change " +
                  std::to_string(broken.size()) + " would not get what is wanted by the smallest one under the other " +
                  "model, " + std::to_string(none) +
                  " by none that is shown: " + (broken.size() == 1 ? "row " : "rows ") + rows,
       .evidence = Value::object({{"rows", promised}, {"broken", broken.size()}, {"without", none}, {"which", broken}}),
       .advice = "promise only changes that lead there under both models"});
}

}  // namespace sightglass
