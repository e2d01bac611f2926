#include "sightglass/result/shapes/penalty_path.h"

#include <cmath>

#include "sightglass/result/fields.h"
#include "sightglass/result/json_node_internal.h"
#include "sightglass/result/shapes/axis.h"
#include "sightglass/result/tidy.h"

namespace sightglass {

void describe_fields(PenaltyPath& path, Fields& fields) {
  fields.about("A sparse model along its penalty: the coefficients, and the cross-validated loss.");
  describe_output(path.output, path.group, fields);
  fields.numbers({"penalties", "Descending.", Presence::required}, path.penalties);
  const std::size_t size = path.penalties.size();
  fields.indices({"nonzero", "How many terms the model has at each penalty."}, path.nonzero);
  fields.records({"terms", "Those that matter most.", Presence::required},
                 {.size = path.terms.size(),
                  .resize = [&](std::size_t terms) { path.terms.resize(terms); },
                  .describe =
                      [&](std::size_t i, Fields& term) {
                        term.text({"name", "\"temp\", \"season = winter\".", Presence::required}, path.terms[i].name);
                        term.numbers({"coefficients", "Standardized, one per penalty.", Presence::required},
                                     path.terms[i].coefficients, size);
                      }});
  fields.text({"loss", "What cv_mean is: \"mean squared error\"; empty: not cross-validated."}, path.loss);
  fields.numbers({"cv_mean", "Per penalty, or none."}, path.cv_mean, size);
  fields.numbers({"cv_se"}, path.cv_se, size);
  describe_count(fields, {"chosen", "The place in penalties of the one that the model has."}, path.chosen);
  describe_count(fields, {"minimum", "Where the loss is lowest."}, path.minimum);
  describe_count(fields, {"one_se", "The largest whose loss is within one standard error of the lowest."}, path.one_se);
  fields.object({"details", "Free-form."}, path.details);
  fields.check([&](const JsonNode& item) {
    for (std::size_t i = 0; i < size; ++i) {
      const bool descends = i == 0 || path.penalties[i] < path.penalties[i - 1];
      if (!std::isfinite(path.penalties[i]) || path.penalties[i] < 0 || !descends)
        item.at("penalties").fail("expected numbers of at least 0 in descending order");
    }
    if (path.nonzero.size() != size && !path.nonzero.empty()) item.at("nonzero").fail_length(path.nonzero.size(), size);
    const auto check_place = [&](const char* key, const std::optional<std::uint64_t>& place) {
      if (place && *place >= size) item.at(key).fail("there are only " + std::to_string(size) + " penalties");
    };
    check_place("chosen", path.chosen);
    check_place("minimum", path.minimum);
    check_place("one_se", path.one_se);
  });
}

void tidy_rows(const PenaltyPath& path, TidyRows& rows) {
  static const TableKind path_table{.priority = 26,
                                    .columns = {"penalty", "nonzero", "cv_mean", "cv_se", "chosen", "minimum", "one_se",
                                                "term", "coefficient", "output", "group"},
                                    .always = {"penalty"}};
  static const TableKind coefficient_table{
      .priority = 27, .columns = {"penalty", "term", "coefficient", "output", "group"}, .always = {"penalty", "term"}};
  for (std::size_t i = 0; i < path.penalties.size(); ++i) {
    rows.row(path_table, path).set("penalty", path.penalties[i]);
    if (i < path.nonzero.size()) rows.set("nonzero", path.nonzero[i]);
    rows.set("cv_mean", path.cv_mean, i).set("cv_se", path.cv_se, i);
    std::string place;
    const auto add = [&](const char* word, const std::optional<std::uint64_t>& at) {
      if (at == i) place += (place.empty() ? "" : ", ") + std::string(word);
    };
    add("chosen", path.chosen);
    add("minimum", path.minimum);
    add("one standard error", path.one_se);
    rows.set("place", place);
  }
  for (const PathTerm& term : path.terms) {
    for (std::size_t i = 0; i < path.penalties.size(); ++i)
      rows.row(coefficient_table, path)
          .set("penalty", path.penalties[i])
          .set("term", term.name)
          .set("coefficient", term.coefficients, i);
  }
}

std::string item_title(const PenaltyPath&) { return "Path of the penalty"; }

}  // namespace sightglass
