// Numbers against numbers: ROC and precision–recall curves, calibration, costs of thresholds, residuals.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/base/dates.h"
#include "sightglass/result/open_word.h"

namespace sightglass {

class Fields;
class TidyRows;

// What a diagram shows. A method may bring its own: it names it by a word, and says in `name`, the names of the axes
// and `meaning` what it is.
enum class DiagramKind {
  roc,
  precision_recall,
  calibration,
  thresholds,  // rates against the threshold
  costs,       // against the threshold
  prediction_error,
  residuals,
  residual_quantiles,
  other,
};
inline constexpr std::string_view diagram_kinds[] = {"roc",   "precision-recall", "calibration", "thresholds",
                                                     "costs", "prediction-error", "residuals",   "residual-quantiles",
                                                     "other"};
template <>
inline constexpr KnownWords<DiagramKind> known_words<DiagramKind> = {diagram_kinds, DiagramKind::other};

// How points are drawn: joined by lines, as steps whose height is that of their right end, as dots of single rows, as
// dots with intervals that thin lines join, as a thin line to compare with, or as a ring with the series' name.
enum class SeriesMark { line, steps, rows, means, reference, ring };
inline constexpr std::string_view series_marks[] = {"line", "steps", "rows", "means", "reference", "ring"};

struct DiagramSeries {
  std::string name;
  SeriesMark mark = SeriesMark::line;
  std::vector<double> x, y;
  // One per point, or none:
  std::vector<double> low, high;         // a 95 % interval of y
  std::vector<double> threshold;         // from this prediction on a row is taken for the class
  std::vector<double> count;             // (weighted) rows
  std::vector<std::uint64_t> rows = {};  // of the data, where points are rows
};

struct DiagramAxis {
  std::string name;                      // in words: "false positive rate"
  std::string unit = {};                 // empty if unknown
  bool share = false;                    // from 0 to 1
  std::vector<std::string> levels = {};  // then numbers are places among these
  DateKind dates = {};                   // what numbers mean, where the axis is a feature whose values are dates
};

// A number that belongs to the picture.
struct DiagramFigure {
  std::string name;  // "AUC"
  double value = 0;
  std::optional<double> low = std::nullopt, high = std::nullopt;  // a 95 % interval
};

struct Diagram {
  static constexpr std::string_view type = "diagram";  // its name in JSON

  std::string name;  // of the picture: "ROC curve"
  OpenWord<DiagramKind> kind = DiagramKind::other;
  std::string output;
  std::string group;  // of rows; empty = all
  DiagramAxis x, y;
  std::vector<DiagramSeries> series;
  std::vector<DiagramFigure> figures;
  std::string meaning;  // how to read it, in a sentence or two
};

// The series that are about the model, not there to compare with.
[[nodiscard]] std::vector<const DiagramSeries*> own_series(const Diagram& diagram);

void describe_fields(Diagram& diagram, Fields& fields);
void tidy_rows(const Diagram& diagram, TidyRows& rows);
void item_set_dates(Diagram& diagram, const Dates& dates);
[[nodiscard]] std::string item_title(const Diagram& diagram);
// Groups of rows share a picture where each has one series of its own.
[[nodiscard]] std::string item_picture_key(const Diagram& diagram);

}  // namespace sightglass
