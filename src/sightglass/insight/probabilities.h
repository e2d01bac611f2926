// Probabilities beside margins: what the model's link makes of them, as docs/conventions.md defines it. They are the
// probabilities of mean margins, which are not the means of probabilities.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sightglass/result/result.h"

namespace sightglass {

struct AttributionStep;

class ProbabilityScale {
 public:
  // Of a result about the margins of a model of classes whose link is known (Result.model.link); else none.
  [[nodiscard]] static std::optional<ProbabilityScale> of(const Result& result);

  // Whether an output's probability follows from its own margin; else (softmax) it takes the margins of all outputs.
  [[nodiscard]] bool alone() const { return alone_; }
  // Of an output whose probability follows from its margin.
  [[nodiscard]] double at(double margin) const;
  // Of one output, by the margins of all.
  [[nodiscard]] double at(const std::vector<double>& margins, std::size_t output) const;
  // at(margin) in the language of charts: margin is an expression of it.
  [[nodiscard]] std::string expression(const std::string& margin) const;

 private:
  ProbabilityScale(bool alone, double scale) : alone_(alone), scale_(scale) {}
  bool alone_;
  double scale_;
};

// "12 %", with a digit more where that would be 0 % or 100 % of what is neither: "0.3 %", "99.96 %".
[[nodiscard]] std::string probability_text(double probability);
// A column of them, all with as many digits as the nearest to 0 % or 100 % needs.
[[nodiscard]] std::vector<std::string> probability_texts(const std::vector<double>& probabilities);

// The margin from which effects go: what is predicted on average, where the result says so (FigureId::mean_prediction).
[[nodiscard]] std::optional<double> average_margin(const Result& result, const std::string& output,
                                                   const std::string& group);

// The probabilities beside the heights of a curve: at margins as they are; at effects, which are around 0, what the
// average margin becomes by them.
class CurveProbabilities {
 public:
  // None where they do not follow from the curve's own output, or the average margin is not known.
  [[nodiscard]] static std::optional<CurveProbabilities> of(const Result& result, const Curve& curve);
  [[nodiscard]] double at(double height) const { return scale_.at(base_ + height); }
  [[nodiscard]] const ProbabilityScale& scale() const { return scale_; }
  // What is added to heights: 0, or the average margin.
  [[nodiscard]] double base() const { return base_; }

 private:
  CurveProbabilities(ProbabilityScale scale, double base) : scale_(scale), base_(base) {}
  ProbabilityScale scale_;
  double base_;
};

// A row's way from base to prediction in probabilities: at the base, and after each of its steps. Empty where they are
// not known.
[[nodiscard]] std::vector<double> running_probabilities(const Result& result, const Attributions& item, std::size_t row,
                                                        const std::vector<AttributionStep>& steps);

}  // namespace sightglass
