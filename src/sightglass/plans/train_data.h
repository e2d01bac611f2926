// What is measured against the truth, measured twice: on the data that a model is judged by, and on those that it was
// fitted to. Where the second looks much better, the model has learnt what does not hold elsewhere.
#pragma once

#include <memory>
#include <string>

#include "sightglass/base/context.h"
#include "sightglass/data/new_rows.h"
#include "sightglass/model/model.h"
#include "sightglass/result/result.h"

namespace sightglass {

// What the two are called: groups of rows, side by side.
inline constexpr const char* judged_on = "test data";
inline constexpr const char* fitted_to = "training data";

// Both as the model sees one of them: the same columns, the same codes of levels.
class TrainingTables {
 public:
  // place: where the training data are read from if `table` is null. Throws Error(data) where they do not go together.
  TrainingTables(const Source& source, const std::string& place, std::shared_ptr<const Table> table,
                 const Value& options, const Context& context);

  [[nodiscard]] const Table& data() const { return *both_.data; }
  [[nodiscard]] const Table& training() const { return training_; }
  [[nodiscard]] const std::shared_ptr<const NewRows>& met() const { return both_.rows; }
  // Where more of the data's rows are among the training rows, with all that the model sees and the target, than rows
  // are alike by chance.
  void add_seen_rows(const Model& model, const std::string& target, Result& both) const;

 private:
  DataAndNewRows both_;
  Table training_;
};

// Figures and importances that are better, or larger, on the training data, by more than chance and clearly: one caveat
// about the model, one about features. Items of both are in the groups of these names.
void add_overfitting(Result& both);

}  // namespace sightglass
