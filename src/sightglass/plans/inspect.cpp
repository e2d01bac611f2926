#include "sightglass/plans/inspect.h"

#include "sightglass/base/error.h"
#include "sightglass/methods/importance/performance.h"
#include "sightglass/methods/run/session.h"
#include "sightglass/model/inspect.h"
#include "sightglass/result/json.h"

namespace sightglass {

namespace {

// Enough to see whether target and model belong together, soon even of a slow model.
constexpr std::int64_t rows_to_score = 2000;

}  // namespace

Value Inspection::to_value() const {
  Value all = Value::object({{"model", model}, {"data", data}, {"fit", fit}});
  if (performance) all.set("performance", value_from_json(to_json(*performance), "performance"));
  return all;
}

Inspection inspect(const Model& model, const Table& table, const std::string& target, Context& context) {
  Inspection inspection{.model = describe_model(model.signature()),
                        .data = describe_data(table),
                        .fit = describe_fit(model, table.schema(), table.not_features(target, option_name("target"))),
                        .performance = {}};
  if (target.empty() || !inspection.fits()) return inspection;
  try {
    const RunOptions options{.target = target, .sample = rows_to_score};
    inspection.performance = RunSession(model, table, options, context).run(performance(), Value::object(), "");
    // Nobody chose the rows.
    for (Caveat& caveat : inspection.performance->caveats) {
      if (caveat.id == "sampled-rows") caveat.advice = marked("{method:performance} measures all rows");
    }
  } catch (const Error& error) {
    // The model's own failures are another matter.
    if (error.kind() != ErrorKind::data && error.kind() != ErrorKind::usage) throw;
    inspection.fit.set("fits", false);
    inspection.fit.set("why", std::string(error.what()));
  }
  return inspection;
}

}  // namespace sightglass
