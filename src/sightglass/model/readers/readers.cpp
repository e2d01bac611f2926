#include <string_view>
#include <unordered_set>
#include <utility>

#include "sightglass/base/error.h"
#include "sightglass/model/readers/readers_internal.h"

namespace sightglass {

std::vector<std::string> output_names(Signature& signature, std::size_t count, const LoadOptions& options,
                                      std::string_view where, std::vector<std::string> known) {
  const auto& classes = options.classes;
  if (!classes.empty() && count == 1 && signature.task == Task::regression) {
    throw Error(ErrorKind::usage,
                "class names were given, but " + printable(where) + " (" + printable(signature.objective, 60) +
                    ") is not a classifier",
                "leave them out");
  }
  const std::size_t expected = count == 1 ? 2 : count;
  if (!classes.empty() && classes.size() != expected) {
    const bool targets = count > 1 && signature.task != Task::multiclass;
    throw Error(ErrorKind::usage,
                std::to_string(classes.size()) + (targets ? " names" : " class names") + " were given, but " +
                    printable(where) + " has " + std::to_string(expected) + (targets ? " outputs" : " classes"),
                "give one name for each, in the order of the model's codes 0, 1, …");
  }
  const std::unordered_set<std::string_view> different(classes.begin(), classes.end());
  if (different.size() != classes.size()) {
    throw Error(ErrorKind::usage, "two of the names of classes are the same", "give each class a name of its own");
  }
  if (count == 1 && !classes.empty()) signature.other_class = classes[0];
  if (count == 1) return {classes.empty() ? std::string("prediction") : classes[1]};
  std::vector<std::string> names = std::move(known);
  if (!classes.empty()) names = classes;
  for (std::size_t k = names.size(); k < count; ++k) names.push_back(std::to_string(k));
  return names;
}

void check_rounds(const LoadOptions& options, std::size_t rounds_in_file, std::string_view where) {
  if (options.rounds <= rounds_in_file) return;
  throw Error(ErrorKind::usage,
              std::to_string(options.rounds) + " rounds were asked for, but " + printable(where) + " has " +
                  std::to_string(rounds_in_file),
              "ask for fewer");
}

}  // namespace sightglass
