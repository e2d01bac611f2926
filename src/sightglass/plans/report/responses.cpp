#include <algorithm>

#include "sightglass/base/error.h"
#include "sightglass/plans/report/report_parts_internal.h"
#include "sightglass/plans/report/responses_internal.h"
#include "sightglass/result/shapes/attributions.h"

namespace sightglass {

namespace {

void predict_responses(Result& examples, const Model& model, const Source& source, const RunOptions& told,
                       Context& context) {
  const GroupRows rows{items_of<Attributions>(examples).front()->rows};
  const RunSession session(model, source, told, context, &rows);
  Evaluator& evaluator = session.evaluator();
  const auto stream = session.rows().open(evaluator.columns(), rows.rows.size());
  const auto block = stream->next();
  if (!block || block->rows != rows.rows.size()) return;
  Matrix predicted;
  evaluator.evaluate(*block, predicted);
  const auto& outputs = evaluator.outputs();
  for (ResultItem& item : examples.results) {
    auto* values = item.as<Attributions>();
    const auto output = values != nullptr ? std::find(outputs.begin(), outputs.end(), values->output) : outputs.end();
    if (output == outputs.end()) continue;
    Value list = Value::array();
    for (std::size_t row = 0; row < block->rows; ++row)
      list.push_back(predicted.span().row(row)[static_cast<std::size_t>(output - outputs.begin())]);
    values->details.set(session.input().task == Task::regression ? "response" : "probability", list);
  }
}

}  // namespace

void add_responses(Result& examples, const Model& model, const Source& source, RunOptions told, Context& context) {
  if (examples.options.find("scale")->as_string() != "margin") return;
  told.scale = "response";
  told.sample = 0;
  try {
    predict_responses(examples, model, source, told, context);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::prediction) throw;
  }
}

}  // namespace sightglass
