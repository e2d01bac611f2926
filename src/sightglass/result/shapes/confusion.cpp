#include "sightglass/result/shapes/confusion.h"

#include "sightglass/result/fields.h"
#include "sightglass/result/shapes/axis.h"
#include "sightglass/result/tidy.h"

namespace sightglass {

std::optional<double> ClassCounts::recall() const { return there > 0 ? std::optional(right / there) : std::nullopt; }

std::optional<double> ClassCounts::precision() const {
  return predicted > 0 ? std::optional(right / predicted) : std::nullopt;
}

std::optional<double> ClassCounts::f1() const {
  return there + predicted > 0 ? std::optional(2 * right / (there + predicted)) : std::nullopt;
}

ClassCounts counts_of(const Confusion& confusion, std::size_t place) {
  ClassCounts counts{.right = confusion.count[place][place]};
  for (std::size_t other = 0; other < confusion.classes.size(); ++other) {
    counts.there += confusion.count[place][other];
    counts.predicted += confusion.count[other][place];
  }
  return counts;
}

double total_of(const Confusion& confusion) {
  double total = 0;
  for (const auto& row : confusion.count) {
    for (const double count : row) total += count;
  }
  return total;
}

std::optional<double> accuracy_of(const Confusion& confusion) {
  double right = 0;
  for (std::size_t k = 0; k < confusion.classes.size(); ++k) right += confusion.count[k][k];
  const double total = total_of(confusion);
  return total > 0 ? std::optional(right / total) : std::nullopt;
}

void describe_fields(Confusion& confusion, Fields& fields) {
  fields.about("Which classes a model takes for which.");
  describe_output(confusion.output, confusion.group, fields);
  fields.texts({"classes", "", Presence::required}, confusion.classes);
  const std::size_t size = confusion.classes.size();
  fields.matrix({"count", "(Weighted) rows, by the true class and then by the predicted one.", Presence::required},
                confusion.count, size, size);
  describe_some(fields, {"threshold", "Of two classes: from this prediction on the second is predicted."},
                confusion.threshold);
}

void tidy_rows(const Confusion& confusion, TidyRows& rows) {
  static const TableKind confusion_table{
      .priority = 23,
      .columns = {"truth", "predicted", "count", "share", "threshold", "output", "group"},
      .always = {"truth", "predicted", "count"}};
  for (std::size_t k = 0; k < confusion.classes.size(); ++k) {
    const double there = counts_of(confusion, k).there;
    for (std::size_t other = 0; other < confusion.classes.size(); ++other) {
      const double count = confusion.count[k][other];
      rows.row(confusion_table, confusion)
          .set("truth", confusion.classes[k])
          .set("predicted", confusion.classes[other])
          .set("count", count);
      if (there > 0) rows.set("share", count / there);
      rows.set("threshold", confusion.threshold);
    }
  }
}

std::string item_title(const Confusion&) { return "Confusion matrix"; }

}  // namespace sightglass
