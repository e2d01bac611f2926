#include "sightglass/result/shapes/diagram.h"

#include "sightglass/base/error.h"
#include "sightglass/result/fields.h"
#include "sightglass/result/json_node_internal.h"
#include "sightglass/result/shapes/axis.h"
#include "sightglass/result/tidy.h"

namespace sightglass {

static void describe_fields(DiagramSeries& series, Fields& fields) {
  fields.text({"name", "", Presence::required}, series.name);
  describe_choice(
      fields,
      {"mark",
       "How points are drawn: joined by lines, as steps whose height is that of their right end, as dots of "
       "single rows, as dots with intervals, as a thin line to compare with, or as a ring.",
       Presence::required},
      series_marks, series.mark);
  fields.numbers({"x", "", Presence::required}, series.x);
  const std::size_t size = series.x.size();
  fields.numbers({"y", "", Presence::required}, series.y, size);
  fields.numbers({"low"}, series.low, size);
  fields.numbers({"high", "With low: a 95 % interval of y."}, series.high, size);
  fields.numbers({"threshold", "From this prediction on a row is taken for the class."}, series.threshold, size);
  fields.numbers({"count", "(Weighted) rows."}, series.count, size);
  fields.indices({"rows", "Of the data, where points are rows."}, series.rows);
}

static void describe_fields(DiagramFigure& figure, Fields& fields) {
  fields.text({"name", "", Presence::required}, figure.name);
  fields.number({"value", "", Presence::required}, figure.value);
  describe_some(fields, {"low"}, figure.low);
  describe_some(fields, {"high", "With low: a 95 % interval."}, figure.high);
}

static void describe_axis(Fields& fields, const char* key, DiagramAxis& axis) {
  fields.group({key, "", Presence::required}, [&](Fields& inside) {
    inside.text({"name", "In words.", Presence::required}, axis.name);
    inside.text({"unit"}, axis.unit);
    inside.flag({"share", "Whether numbers are from 0 to 1."}, axis.share);
    inside.texts({"levels", "If there are any, numbers are places among these."}, axis.levels);
  });
}

std::vector<const DiagramSeries*> own_series(const Diagram& diagram) {
  std::vector<const DiagramSeries*> own;
  for (const DiagramSeries& series : diagram.series) {
    if (series.mark != SeriesMark::reference && series.mark != SeriesMark::ring) own.push_back(&series);
  }
  return own;
}

void describe_fields(Diagram& diagram, Fields& fields) {
  fields.about(
      "Numbers against numbers: ROC and precision-recall curves, calibration, costs of thresholds, residuals.");
  fields.text({"name", "Of the picture.", Presence::required}, diagram.name);
  describe_choice(fields, {"kind", "What it shows."}, diagram.kind);
  describe_output(diagram.output, diagram.group, fields);
  describe_axis(fields, "x", diagram.x);
  describe_axis(fields, "y", diagram.y);
  describe_records(fields, {"series", "", Presence::required}, diagram.series);
  describe_records(fields, {"figures", "Numbers that belong to the picture."}, diagram.figures);
  fields.text({"meaning", "How to read it."}, diagram.meaning);
  fields.check([&](const JsonNode& item) {
    for (const DiagramSeries& series : diagram.series) {
      if (!series.rows.empty() && series.rows.size() != series.x.size())
        item.at("series").fail("expected as many rows as points");
    }
  });
}

void tidy_rows(const Diagram& diagram, TidyRows& rows) {
  static const TableKind diagram_table{
      .priority = 24,
      .columns = {"diagram", "series", "x", "y", "low", "high", "threshold", "count", "output", "group", "row"},
      .always = {"diagram", "series", "x", "y"}};
  for (const DiagramSeries& series : diagram.series) {
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      rows.row(diagram_table, diagram).set("diagram", diagram.name).set("series", series.name);
      const auto level = static_cast<std::size_t>(series.x[i]);
      if (series.x[i] >= 0 && level < diagram.x.levels.size()) {
        rows.set("x", diagram.x.levels[level]);
      } else {
        rows.set("x", series.x[i], diagram.x.dates);
      }
      rows.set("y", series.y[i]).set("low", series.low, i).set("high", series.high, i);
      rows.set("threshold", series.threshold, i).set("count", series.count, i);
      if (i < series.rows.size()) rows.set("row", series.rows[i]);
    }
  }
}

// Files say of features alone which of them are dates.
void item_set_dates(Diagram& diagram, const Dates& dates) { diagram.x.dates = date_kind(dates, diagram.x.name); }

std::string item_title(const Diagram& diagram) { return printable(diagram.name, 120); }

std::string item_picture_key(const Diagram& diagram) {
  const bool shared = own_series(diagram).size() == 1 && diagram.x.levels.empty();
  const std::string apart = shared ? std::string() : "\n" + diagram.group;
  return std::string(diagram.kind.text()) + "\n" + diagram.name + "\n" + diagram.output + apart;
}

}  // namespace sightglass
