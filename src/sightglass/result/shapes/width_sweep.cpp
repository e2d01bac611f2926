#include "sightglass/result/shapes/width_sweep.h"

#include <algorithm>
#include <cmath>

#include "sightglass/result/fields.h"
#include "sightglass/result/json_node_internal.h"
#include "sightglass/result/shapes/axis.h"
#include "sightglass/result/tidy.h"

namespace sightglass {

namespace {

// Smaller coefficients change their sign for nothing.
constexpr double worth_turning = 0.1;

}  // namespace

bool turns(const WidthSweep& sweep, const SweptTerm& term) {
  if (!sweep.chosen) return false;
  double least = 0;
  for (const SweptTerm& each : sweep.terms) {
    const std::size_t at = *sweep.chosen;
    if (at < each.coefficients.size()) least = std::max(least, std::abs(each.coefficients[at].value_or(0)));
  }
  least *= worth_turning;
  const auto above = [&](const std::optional<double>& coefficient) { return coefficient && *coefficient > least; };
  const auto below = [&](const std::optional<double>& coefficient) { return coefficient && *coefficient < -least; };
  return least > 0 && std::any_of(term.coefficients.begin(), term.coefficients.end(), above) &&
         std::any_of(term.coefficients.begin(), term.coefficients.end(), below);
}

void describe_fields(WidthSweep& sweep, Fields& fields) {
  fields.about("A local line over the widths of its kernel: what it says from very near the row to all of the data.");
  describe_output(sweep.output, sweep.group, fields);
  describe_count(fields, {"row", "The row that is explained, counted from 0."}, sweep.row);
  describe_row_label(fields, sweep.row_label);
  fields.numbers({"widths", "Ascending.", Presence::required}, sweep.widths);
  const std::size_t size = sweep.widths.size();
  describe_count(fields, {"chosen", "The place in widths of the one that the line has."}, sweep.chosen);
  fields.records({"terms", "As the line has them.", Presence::required},
                 {.size = sweep.terms.size(),
                  .resize = [&](std::size_t terms) { sweep.terms.resize(terms); },
                  .describe =
                      [&](std::size_t i, Fields& term) {
                        term.text({"name", "\"temp\", \"season = winter\".", Presence::required}, sweep.terms[i].name);
                        term.optional_numbers(
                            {"coefficients", "One per width; null: too few samples count there.", Presence::required},
                            sweep.terms[i].coefficients, size);
                      }});
  fields.optional_numbers({"r2", "Of the line on made-up rows, per width; null: too few count."}, sweep.r2, size);
  fields.numbers({"locality", "Share of the weight near the row, per width."}, sweep.locality, size);
  fields.object({"details", "Free-form."}, sweep.details);
  fields.check([&](const JsonNode& item) {
    for (std::size_t i = 0; i < size; ++i) {
      const bool ascends = i == 0 || sweep.widths[i] > sweep.widths[i - 1];
      if (!std::isfinite(sweep.widths[i]) || !(sweep.widths[i] > 0) || !ascends)
        item.at("widths").fail("expected numbers above 0 in ascending order");
    }
    if (sweep.chosen && *sweep.chosen >= size)
      item.at("chosen").fail("there are only " + std::to_string(size) + " widths");
  });
}

void show_rows(WidthSweep& sweep, const RowVisitor& visit) {
  if (sweep.row) visit(*sweep.row, sweep.row_label);
}

void tidy_rows(const WidthSweep& sweep, TidyRows& rows) {
  static const TableKind sweep_table{
      .priority = 28,
      .columns = {"width", "term", "coefficient", "r2", "locality", "chosen", "output", "group", "row"},
      .always = {"width", "term", "coefficient"}};
  for (const SweptTerm& term : sweep.terms) {
    for (std::size_t i = 0; i < sweep.widths.size(); ++i) {
      rows.row(sweep_table, sweep)
          .set("width", sweep.widths[i])
          .set("term", term.name)
          .set("coefficient", term.coefficients[i])
          .set("r2", i < sweep.r2.size() ? sweep.r2[i] : std::nullopt)
          .set("locality", sweep.locality, i);
      if (sweep.chosen == i) rows.set("chosen", "yes");
      if (sweep.row) rows.set("row", *sweep.row);
      if (!sweep.row_label.empty()) rows.set("label", sweep.row_label);
    }
  }
}

std::string item_title(const WidthSweep& sweep) {
  return (sweep.row ? row_title(*sweep.row, sweep.row_label) + ", " : std::string()) + "from local to global";
}

}  // namespace sightglass
