// Does a model that says nothing of itself predict the probabilities of classes?
//
// A function's or a program's answers and the true outcomes tell: rows of answers that add up to 1, or single ones
// between 0 and 1 where the outcome has two values. The columns of answers stand for the outcome's values in their
// order, as in scikit-learn, or in the order that its categories have, if the answers fit that one clearly better;
// columns that are called like the values stand for these. Where the outcome has another number of values than the
// answers have columns, only the user can name the classes. Asked is about at most 512 rows.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/base/text.h"
#include "sightglass/data/table.h"
#include "sightglass/model/model.h"

namespace sightglass {

struct AnsweredClasses {
  std::vector<std::string> names;  // in the order of the answers; of two classes both, of unknown ones none
  Text said;                       // what was taken for what, and how to say otherwise
};

// target: the column with the true outcomes. batch: rows of one call, at the most. Nothing: mere numbers. Throws what
// the model does.
[[nodiscard]] std::optional<AnsweredClasses> answered_classes(const Model& model, const Table& table,
                                                              const std::string& target, std::size_t batch,
                                                              Context& context);

}  // namespace sightglass
