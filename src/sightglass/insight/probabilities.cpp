#include "sightglass/insight/probabilities.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sightglass/insight/attribution_view.h"
#include "sightglass/insight/readable.h"

namespace sightglass {

std::optional<ProbabilityScale> ProbabilityScale::of(const Result& result) {
  const Value* link = result.model.find("link");
  if (text_member(result.options, "scale") != "margin" || !predicts_classes(result) || link == nullptr ||
      !link->is_object())
    return std::nullopt;
  const std::string inverse = text_member(*link, "inverse");
  if (inverse == "softmax") return ProbabilityScale(false, 1);
  const Value* scale = link->find("scale");
  if (inverse != "logistic" || scale == nullptr || !scale->is_number()) return std::nullopt;
  const double by = scale->as_number();
  return std::isfinite(by) && by > 0 ? std::optional(ProbabilityScale(true, by)) : std::nullopt;
}

double ProbabilityScale::at(double margin) const { return 1 / (1 + std::exp(-scale_ * margin)); }

double ProbabilityScale::at(const std::vector<double>& margins, std::size_t output) const {
  if (alone_) return at(margins[output]);
  // As differences to the one that is asked for, whose share is 1 over the sum.
  double sum = 0;
  for (const double margin : margins) sum += std::exp(margin - margins[output]);
  return 1 / sum;
}

std::string ProbabilityScale::expression(const std::string& margin) const {
  return fmt::format("1 / (1 + exp(-{} * ({})))", scale_, margin);
}

std::string probability_text(double probability) {
  if (!(probability >= 0 && probability <= 1)) return "–";
  const double away = std::min(probability, 1 - probability);
  if (away == 0 || away >= 0.005) return percent(probability);
  if (away < 0.00005) return probability < 0.5 ? "< 0.01 %" : "> 99.99 %";
  return fmt::format("{:.{}f} %", 100 * probability, away < 0.0005 ? 2 : 1);
}

std::vector<std::string> probability_texts(const std::vector<double>& probabilities) {
  double nearest = 0.5;
  for (const double p : probabilities) {
    if (p > 0 && p < 1) nearest = std::min({nearest, p, 1 - p});
  }
  const int decimals = nearest > 0.0995 ? 0 : nearest > 0.00995 ? 1 : 2;
  std::vector<std::string> texts;
  for (const double p : probabilities)
    texts.push_back(p >= 0 && p <= 1 ? fmt::format("{:.{}f} %", 100 * p, decimals) : "–");
  return texts;
}

std::optional<double> average_margin(const Result& result, const std::string& output, const std::string& group) {
  for (const ResultItem& item : result.results) {
    const auto* figure = item.as<Figure>();
    if (figure != nullptr && figure->id == FigureId::mean_prediction && figure->output == output &&
        figure->group == group && std::isfinite(figure->value))
      return figure->value;
  }
  return std::nullopt;
}

std::optional<CurveProbabilities> CurveProbabilities::of(const Result& result, const Curve& curve) {
  const auto scale = ProbabilityScale::of(result);
  if (!scale || !scale->alone() || curve.measure == Measure::loss) return std::nullopt;
  if (curve.measure == Measure::mean) return CurveProbabilities(*scale, 0);
  const auto base = average_margin(result, curve.output, curve.group);
  return base ? std::optional(CurveProbabilities(*scale, *base)) : std::nullopt;
}

std::vector<double> running_probabilities(const Result& result, const Attributions& item, std::size_t row,
                                          const std::vector<AttributionStep>& steps) {
  const auto scale = ProbabilityScale::of(result);
  if (!scale) return {};
  std::vector<double> probabilities;
  if (scale->alone()) {
    probabilities.push_back(scale->at(item.base));
    for (const AttributionStep& step : steps) probabilities.push_back(scale->at(step.to));
    return probabilities;
  }
  // All outputs of the model take the same features in the same order, so they must be there, of the same rows.
  std::vector<const Attributions*> outputs;
  std::size_t own = 0;
  for (const ResultItem& other : result.results) {
    const auto* found = other.as<Attributions>();
    if (found == nullptr || found->group != item.group || found->rows != item.rows ||
        found->features.size() != item.features.size())
      continue;
    if (found == &item) own = outputs.size();
    outputs.push_back(found);
  }
  const Value* names = result.model.find("outputs");
  if (names == nullptr || !names->is_array() || names->as_array().size() != outputs.size()) return {};
  std::vector<double> margins;
  for (const Attributions* output : outputs) margins.push_back(output->base);
  probabilities.push_back(scale->at(margins, own));
  for (const AttributionStep& step : steps) {
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      // The last step may stand for several features: then everything is added.
      margins[k] = step.feature ? margins[k] + outputs[k]->value(row, *step.feature) : outputs[k]->prediction[row];
    }
    probabilities.push_back(scale->at(margins, own));
  }
  return probabilities;
}

}  // namespace sightglass
