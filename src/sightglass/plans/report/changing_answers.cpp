#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sightglass/plans/report/changing_answers_internal.h"

namespace sightglass {

namespace {

constexpr std::size_t asked_rows = 20;
// Beside the largest prediction: what the order of additions on several threads, or a graphics card, may change.
constexpr double rounding = 1e-6;

}  // namespace

std::optional<Caveat> changing_answers(const RunSession& session) {
  if (session.model().trees() != nullptr) return std::nullopt;
  Evaluator& evaluator = session.evaluator();
  const auto stream = session.rows().open(evaluator.columns(), asked_rows);
  const auto block = stream->next();
  if (!block) return std::nullopt;
  Matrix first, second;
  evaluator.evaluate(*block, first);
  evaluator.evaluate(*block, second);
  double largest = 0, size = 0;
  std::size_t changed = 0;
  std::vector<double> apart(block->rows);
  for (std::size_t row = 0; row < block->rows; ++row) {
    const auto one = first.span().row(row), other = second.span().row(row);
    for (std::size_t k = 0; k < one.size(); ++k) {
      size = std::max(size, std::abs(one[k]));
      apart[row] = std::max(apart[row], std::abs(one[k] - other[k]));
    }
  }
  for (const double each : apart) {
    largest = std::max(largest, each);
    if (each > rounding * size) ++changed;
  }
  if (changed == 0) return std::nullopt;
  return Caveat{
      .id = "changing-answers",
      .severity = Severity::warning,
      .message = fmt::format("the model does not answer the same when it is asked again: of {} rows asked about twice, "
                             "{} got another prediction, by up to {:.3g}; every number here is partly chance",
                             block->rows, changed, largest),
      .evidence = Value::object({{"rows", block->rows}, {"changed", changed}, {"largest_change", largest}}),
      .advice = "explain a model that answers the same: fix its seed, switch off dropout and sampling"};
}

}  // namespace sightglass
