#include <algorithm>

#include "sightglass/methods/rows/predicted_class.h"
#include "sightglass/plans/report/report_outputs_internal.h"

namespace sightglass {

namespace {

// For how many rows each class is predicted.
std::vector<std::size_t> times_predicted(const RunSession& session) {
  std::vector<std::size_t> times(session.input().outputs.size());
  const PredictedClass classes(session.input());
  Evaluator& evaluator = session.evaluator();
  Matrix predictions;
  const auto stream = session.rows().open(evaluator.columns(), static_cast<std::size_t>(session.options().batch));
  while (const auto block = stream->next()) {
    evaluator.evaluate(*block, predictions);
    for (std::size_t row = 0; row < block->rows; ++row) ++times[classes.of(predictions.span().row(row))];
  }
  return times;
}

}  // namespace

std::vector<std::string> outputs_to_leave_out(const RunSession& session, std::size_t most) {
  std::vector<std::size_t> order = session.input().explained;
  if (order.size() <= most) return {};
  if (session.input().task != Task::regression) {
    const auto times = times_predicted(session);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return times[a] > times[b]; });
  }
  order.erase(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most));
  std::sort(order.begin(), order.end());
  std::vector<std::string> names;
  for (const std::size_t output : order) names.push_back(session.input().outputs[output]);
  return names;
}

void leave_out(Result& result, const std::set<std::string>& outputs) {
  if (outputs.empty()) return;
  std::erase_if(result.results, [&](const ResultItem& item) { return outputs.contains(item.output()); });
  std::erase_if(result.caveats, [&](const Caveat& caveat) {
    const Value* output = caveat.evidence.find("output");
    return output != nullptr && output->is_string() && outputs.contains(output->as_string());
  });
}

}  // namespace sightglass
