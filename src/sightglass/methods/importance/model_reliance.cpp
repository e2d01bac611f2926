#include "sightglass/methods/importance/model_reliance.h"

#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/methods/importance/switching/switched_losses.h"

namespace sightglass {

namespace {

void no_value(const Loss& loss, const FeatureGroup& unit, const char* id, const char* why, const char* advice,
              SwitchFindings& findings) {
  findings.caveats.push_back({.id = id,
                              .severity = Severity::caution,
                              .message = unit.name + ", " + loss.info().label + ": " + why,
                              .evidence = Value::object({{"feature", unit.name}, {"loss", loss.info().name}}),
                              .advice = advice});
}

// Rankings by ratio, loss by loss, then by difference.
void take(const SwitchRequest& request, const SwitchedUnit& switched, SwitchFindings& findings) {
  const FeatureGroup& unit = request.units[switched.unit];
  const double total = switched.total;
  // One row has no other to switch with.
  const bool alone = !(total > 1);
  for (std::size_t l = 0; l < switched.losses.size(); ++l) {
    const SwitchedLoss& found = switched.losses[l];
    const Loss& loss = *found.loss;
    const double e_orig = found.original;
    const double increase = alone ? 0 : found.switched / (total * (total - 1));
    const double e_switch = e_orig + increase;
    if (!std::isfinite(e_orig) || !std::isfinite(e_switch)) {
      no_value(loss, unit, "overflow", "the loss is beyond the largest number", "use absolute, or scale the target",
               findings);
      continue;
    }
    const double difference = loss.info().score ? -increase : increase;
    const double above = loss.info().score ? e_orig : e_switch;
    const double below = loss.info().score ? e_switch : e_orig;
    Importance entry;
    entry.feature = unit.name;
    entry.features = unit.features;
    entry.output = request.scored->outcome.output_name();
    entry.measure.kind = MeasureKind::reliance;
    entry.measure.loss = loss.info().kind;
    entry.measure.change = loss.info().score ? LossChange::decrease : LossChange::increase;
    entry.details.set("loss", loss.info().name).set("e_orig", e_orig).set("e_switch", e_switch);
    if (request.divide) entry.details.set("e_divide", found.divided ? Value(*found.divided) : Value());
    entry.details.set("difference", difference)
        .set("ratio", below > 0 ? Value(above / below) : Value())
        .set("expected_permutation_importance", alone ? 0 : difference * (total - 1) / total)
        .set("rows", std::uint64_t{switched.rows.size()})
        .set("values", std::uint64_t{switched.values});
    if (switched.scaled) entry.details.set("weights", "scaled to 1 on average, to count rows");

    // Each row's part in a function of e_switch and e_orig, by its derivatives.
    const auto standard_error = [&](double of_switch, double of_original) -> std::optional<double> {
      if (alone) return std::nullopt;
      std::vector<double> parts(switched.rows.size());
      for (std::size_t k = 0; k < parts.size(); ++k) {
        const double own = found.own[k];
        const double got = own + found.added[k] / (total - 1);
        const double lent = (found.lent[k] - own) / (total - 1);
        parts[k] = of_switch * (got + lent) + of_original * own;
      }
      return switched.standard_error(found, parts);
    };
    entry.importance = difference;
    entry.se = standard_error(1, -1);
    findings.rankings[switched.losses.size() + l].push_back(entry);
    if (!(below > 0)) {
      no_value(loss, unit, "zero-loss", "a loss of 0 has no ratio to it", "read the difference", findings);
      continue;
    }
    entry.measure.change = LossChange::ratio;
    entry.importance = above / below;
    entry.se = loss.info().score ? standard_error(-above / (below * below), 1 / below)
                                 : standard_error(1 / below, -above / (below * below));
    findings.rankings[l].push_back(std::move(entry));
  }
}

Result finish(const ScoredRows& scored, SwitchFindings findings) {
  Result result;
  for (auto& entries : findings.rankings) {
    add_ranks(entries);
    result.results.insert(result.results.end(), entries.begin(), entries.end());
  }
  scored.add_figures(result);
  result.caveats = scored.caveats;
  result.caveats.insert(result.caveats.end(), findings.caveats.begin(), findings.caveats.end());
  return result;
}

Chain<Result> start(const MethodInput& input, const Value& given) {
  const auto options = read_options<ModelRelianceOptions>(given);
  for (const std::string& name : options.losses) {
    if (loss_info(name).row_mean) continue;
    throw Error(ErrorKind::usage, "loss " + name + " is not a mean over rows, so that pairs of rows have none",
                "use squared, absolute, poisson, log-loss, brier or accuracy, or permutation-importance");
  }
  const auto units = chosen_groups(input, options.features, options.groups);
  return score_rows(input, options.losses, "squared").then([=](const std::shared_ptr<const ScoredRows>& scored) {
    const SwitchRequest request{input, units, scored, options.predictions, options.divide};
    SwitchFindings none;
    none.rankings.resize(2 * scored->losses.size());
    return switch_rows(request, std::move(none),
                       [=](const SwitchedUnit& unit, SwitchFindings& findings) { take(request, unit, findings); })
        .then([scored](SwitchFindings findings) { return finish(*scored, std::move(findings)); });
  });
}

}  // namespace

MethodEntry model_reliance() {
  return {.name = "model-reliance",
          .alias = "mr",
          .about = {.title = "Model reliance", .short_name = "", .family = Family::importance},
          .question = "How much does the model rely on a feature, over all ways to exchange its values between rows?",
          .when = "importance without the noise of shuffling, and as a ratio that compares between models",
          .when_not = "strongly correlated features: rows get values they could not have; switch them as a group",
          .formula = "MR = e_switch / e_orig, e_switch = mean over pairs i ≠ j of L(y_i, f(x_j,S ; x_i,C))",
          .paper = "Fisher, Rudin and Dominici 2019, All models are wrong, but many are useful",
          .results = {"importance", "figure"},
          .expresses = "how much performance depends on a feature or group, interactions included, with uncertainty",
          .cost =
              "rows × distinct values predictions per feature, no more than the option predictions; rows once more; of "
              "trees: values "
              "that no "
              "split tells apart are one, and rows are predicted with all of them at a time",
          .needs = {.target = Need::required},
          .access = Access::columns,
          .options = describe_options<ModelRelianceOptions>(),
          .start = start};
}

}  // namespace sightglass
