#include "sightglass/methods/examples/shown/prototype_surrogate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/learn/fit.h"
#include "sightglass/learn/training_fit.h"
#include "sightglass/methods/surrogates/fidelity/agreement.h"
#include "sightglass/methods/surrogates/fidelity/fidelity_caveats.h"
#include "sightglass/methods/surrogates/fitting/surrogate_kinds.h"
#include "sightglass/result/shapes/importance.h"
#include "sightglass/result/shapes/penalty_path.h"
#include "sightglass/result/shapes/rules.h"
#include "sightglass/result/shapes/tree.h"

namespace sightglass {

namespace {

FidelityPart part_of(FidelityRows which, const Agreement& found) {
  FidelityPart part{.rows = which, .count = found.weight, .fidelity = found.r2, .se = found.se};
  part.low = found.low();
  part.high = std::min(1.0, found.high());
  part.error = std::sqrt(found.mean_square);
  return part;
}

}  // namespace

void add_surrogates(const MethodInput& input, const PrototypesOptions& options, const LabelledRows& rows,
                    const Examples& prototypes, Result& result) {
  RowList fitted;
  std::vector<double> stands_for(rows.rows(), 0.0);
  for (const Example& example : prototypes.rows) {
    const auto at = std::lower_bound(rows.ids.begin(), rows.ids.end(), example.row);
    if (at == rows.ids.end() || *at != example.row || !(example.stands_for.value_or(0) > 0)) continue;
    fitted.push_back(static_cast<std::size_t>(at - rows.ids.begin()));
    stands_for[fitted.back()] = *example.stands_for;
  }
  std::sort(fitted.begin(), fitted.end());
  RowList every(rows.rows());
  std::iota(every.begin(), every.end(), std::size_t{0});
  const TrainingData all = features_of(input, rows, input.features, every);
  TrainingData training = features_of(input, rows, input.features, fitted);
  training.target = "the model's predictions";
  for (const std::size_t row : fitted) training.weights.push_back(stands_for[row]);
  for (const std::size_t output : input.explained) {
    training.output = input.outputs[output];
    training.outcome.clear();
    for (const std::size_t row : fitted) training.outcome.push_back(rows.prediction(row, output));
    std::vector<double> says(rows.rows());
    for (std::size_t row = 0; row < says.size(); ++row) says[row] = rows.prediction(row, output);
    for (const SurrogateKind& kind : chosen_kinds(options.surrogate)) {
      const std::uint64_t size =
          options.size > 0 && kind.usual_size > 0 ? static_cast<std::uint64_t>(options.size) : kind.usual_size;
      Learned learned = kind.fit(training, size, input.seed, *input.context);
      const auto model = make_model(kind.entry(), training, learned, "the surrogate");
      const Matrix predicted = predict(*model, all, *input.context);
      std::vector<double> follows(rows.rows());
      for (std::size_t row = 0; row < follows.size(); ++row) follows[row] = predicted(row, 0);
      Fidelity fidelity{.output = input.outputs[output], .group = {}, .surrogate = kind.name, .title = kind.title};
      fidelity.size = learned.size;
      fidelity.size_unit = kind.unit;
      fidelity.parts.push_back(part_of(FidelityRows::fitted, agreement(says, follows, stands_for, fitted)));
      fidelity.parts.push_back(part_of(FidelityRows::data, agreement(says, follows, rows.weights, every)));
      fidelity.parts[0].count = static_cast<double>(fitted.size());  // not the rows for which they stand
      fidelity.details.set("fitted_to", "prototypes");
      const auto [least, most] = std::minmax_element(follows.begin(), follows.end());
      if (least != follows.end() && *least == *most) {
        result.caveats.push_back(
            {.id = "few-prototypes",
             .severity = Severity::caution,
             .message = kind.title + " says the same of all rows: " + std::to_string(fitted.size()) +
                        (fitted.size() == 1 ? " prototype is" : " prototypes are") + " too few to fit it to",
             .evidence = Value::object({{"surrogate", kind.name}, {"prototypes", fitted.size()}}),
             .advice = marked("raise {option:prototypes}")});
      }
      for (Caveat& caveat : fidelity_caveats(fidelity, std::nullopt, input.outputs.size() > 1))
        result.caveats.push_back(std::move(caveat));
      result.results.emplace_back(std::move(fidelity));
      const bool is_tree = std::any_of(learned.shown.begin(), learned.shown.end(),
                                       [](const ResultItem& item) { return item.is<ShownTree>(); });
      for (ResultItem& item : learned.shown) {
        const bool of_model = item.is<Figure>() || item.is<PenaltyPath>() || item.is<Importance>();
        if (of_model || (is_tree && item.is<Rules>())) continue;
        if (auto* tree = item.as<ShownTree>()) tree->name = kind.title + " of the prototypes";
        result.results.push_back(std::move(item));
      }
    }
  }
}

}  // namespace sightglass
