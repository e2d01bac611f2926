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
