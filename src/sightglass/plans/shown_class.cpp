#include "sightglass/plans/shown_class.h"

#include <algorithm>
#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/methods/losses/losses.h"
#include "sightglass/numeric/exact_sum.h"

namespace sightglass {

namespace {

constexpr std::size_t block_rows = 65536;

// Rows of each class by the target, weights counted; nothing where the target is not about these classes.
std::vector<double> rows_of_classes(const RunSession& session, const MethodInput& input) {
  std::vector<double> values, weights;
  const std::vector<std::uint32_t> columns{*input.target};
  const auto stream = session.rows().open(columns, block_rows);
  while (const auto block = stream->next()) {
    for (std::size_t row = 0; row < block->rows; ++row) {
      values.push_back(block->columns[*input.target].number(row));
      weights.push_back(block->weight(row));
    }
  }
  try {
    const Outcome outcome(input, true, values);
    if (outcome.classes() != input.outputs.size()) return {};
    std::vector<ExactSum> sums(outcome.classes());
    for (std::size_t row = 0; row < values.size(); ++row) {
      const double truth = outcome.truth(values[row]);
      if (std::isfinite(truth)) sums[static_cast<std::size_t>(truth)].add(weights[row]);
    }
    std::vector<double> rows;
    for (const ExactSum& sum : sums) rows.push_back(sum.value());
    return rows;
  } catch (const Error&) {
    // Methods that need the truth say what is wrong with it.
    return {};
  }
}

}  // namespace

void name_shown_class(Result& result, RunSessions& sessions, const RunOptions& options) {
  if (result.model.find("outputs") == nullptr) return;
  const RunSession& session = sessions.with(options);
  const MethodInput& input = session.input("response");
  if (input.task == Task::regression || input.explained.size() < 2) return;
  const auto say = [&](std::size_t shown, const char* why) {
    result.data.set("shown_class", Value::object({{"name", input.outputs[shown]}, {"why", why}}));
  };
  if (input.outputs.size() == 2) return say(1, "the second of two classes");
  if (!input.target) return;
  const auto rows = rows_of_classes(session, input);
  if (rows.empty()) return;
  say(static_cast<std::size_t>(std::max_element(rows.begin(), rows.end()) - rows.begin()),
      "the most frequent class of the data");
}

}  // namespace sightglass
