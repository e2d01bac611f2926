#include "sightglass/result/quality.h"

#include <algorithm>
#include <iterator>

#include "sightglass/base/error.h"

namespace sightglass {

namespace {

struct KnownQuality {
  std::string_view name, title, meaning;
  QualityFormat format;
};
constexpr KnownQuality qualities[] = {
    {"fidelity-near", "fidelity on the data",
     "how well it follows the model on rows of the data that it was not "
     "fitted to, if there are such",
     QualityFormat::share},
    {"fidelity-far", "fidelity off the data",
     "the same on rows made of all combinations of values, many of which no "
     "row of the data has",
     QualityFormat::share},
    {"fidelity-worst", "fidelity in its worst region", "", QualityFormat::share},
    {"class-agreement", "same class", "", QualityFormat::percent},
    {"excess-log-loss", "excess log-loss",
     "cross-entropy to the model's probabilities, less what no surrogate could "
     "do without",
     QualityFormat::share},
    {"accuracy", "accuracy on the outcome", "", QualityFormat::share},
    {"accuracy-model", "the model's own accuracy", "", QualityFormat::share},
    {"stability", "stability", "share of its splits, rules or terms that come back on resampled rows",
     QualityFormat::percent},
    {"size", "size", "", QualityFormat::count},
    {"depth", "conditions to check", "the most that one row is asked about: the depth of a tree, the longest rule",
     QualityFormat::count},
    {"conditions", "conditions in all", "", QualityFormat::count},
    {"features", "features", "", QualityFormat::note},
    {"feature-count", "features", "", QualityFormat::count},
    {"uncertainty", "typical difference", "to the model, in units of the prediction: how far its answers may be off",
     QualityFormat::number},
    {"representativeness", "rows it speaks for", "share of the rows that it was fitted to or judged by",
     QualityFormat::percent},
    {"fidelity-local", "fidelity near the row",
     "how well it follows the model there: a local line on the nearest rows of the data (R²), Shapley values where one "
     "feature is not known (R²), a rule on the rows that meet it (share), a change where the model is asked (share)",
     QualityFormat::share},
    {"fidelity-perturbed", "fidelity on made-up rows",
     "the same for a local line on its samples, Shapley values where any features are not known, a rule where "
     "everything else is made up",
     QualityFormat::share},
    {"accuracy-near", "accuracy on the outcome",
     "of what explanations of the nearest rows come to: share of right classes, or R²", QualityFormat::share},
    {"stability-near", "stability",
     "how much explanations of similar rows have in common: Σ min / Σ max of the shares of their parts",
     QualityFormat::share},
    {"consistency-models", "consistency",
     "how much the explanations of two models have in common, which says something where both predict the same",
     QualityFormat::share},
    {"agreement-models", "agreement of the two models",
     "on the same rows: share of the same classes, or R² of the second model for the first", QualityFormat::share},
    {"parts", "parts", "terms, conditions or changed values that one has to read", QualityFormat::number},
    {"doubt", "uncertainty shown",
     "standard error of its largest part as a share of it, half the interval of a rule's precision, how much cheaper a "
     "change might be; 0: exact or proven; nothing: it shows none",
     QualityFormat::share},
    {"largest-part", "share of its largest part",
     "whether it says what matters most; nothing: its parts are not weighed", QualityFormat::percent},
    {"novelty", "novelty of the row", "share of rows of the data that are nearer to others than this one (Gower)",
     QualityFormat::percent},
    {"coverage", "rows it speaks for",
     "share of the data's rows: those under a rule, or the row itself; nothing: made-up rows", QualityFormat::percent},
    {"consistency", "agreement with the others", "how well the other surrogates say the same, on average",
     QualityFormat::share},
};

const KnownQuality* find(std::string_view quality) {
  const auto* found = std::find_if(std::begin(qualities), std::end(qualities),
                                   [&](const KnownQuality& known) { return known.name == quality; });
  return found != std::end(qualities) ? found : nullptr;
}

}  // namespace

std::string quality_title(std::string_view quality) {
  const auto* known = find(quality);
  return known != nullptr ? std::string(known->title) : printable(quality, 60);
}

std::string quality_meaning(std::string_view quality) {
  const auto* known = find(quality);
  return known != nullptr ? std::string(known->meaning) : std::string();
}

QualityFormat quality_format(std::string_view quality) {
  const auto* known = find(quality);
  return known != nullptr ? known->format : QualityFormat::number;
}

}  // namespace sightglass
