#include "sightglass/plans/compare.h"

#include <map>
#include <utility>

#include "sightglass/base/error.h"

namespace sightglass {

namespace {

using Key = std::pair<std::string, std::string>;  // feature, output

Key key_of(const Curve& curve) { return {curve.axis.feature, curve.output}; }

// The M-plot's bins hold every row once, so their means add up to the mean prediction.
double mean_prediction(const Curve& m_plot) {
  double sum = 0, rows = 0;
  for (std::size_t k = 0; k < m_plot.mean.size(); ++k) {
    sum += m_plot.count[k] * m_plot.mean[k];
    rows += m_plot.count[k];
  }
  if (m_plot.missing) {
    sum += m_plot.missing->count * m_plot.missing->mean;
    rows += m_plot.missing->count;
  }
  return rows > 0 ? sum / rows : 0;
}

std::vector<Curve> curves_of(const Result& result, const char* series) {
  std::vector<Curve> curves;
  for (const ResultItem& item : result.results) {
    if (const auto* curve = item.as<Curve>()) {
      curves.push_back(*curve);
      curves.back().series = series;
    }
  }
  return curves;
}

Result plan_compare(const PlanInput& input, const Value& given) {
  const auto options = read_options<CompareOptions>(given);
  const Value binned = Value::object({{"features", options.features}, {"bins", options.bins}});
  const Value gridded = Value::object({{"features", options.features}, {"grid", options.grid}});
  const auto dependence = curves_of(input.run("partial-dependence", gridded), "partial dependence");
  const auto conditional = curves_of(input.run("m-plot", binned), "M-plot");
  auto local = curves_of(input.run("ale", binned), "ALE + mean prediction");

  std::map<Key, double> means;
  for (const Curve& curve : conditional) means[key_of(curve)] = mean_prediction(curve);
  // On the height of the others, so that only shapes differ.
  for (Curve& curve : local) {
    curve.measure = Measure::mean;
    curve.bin_count.clear();
    curve.slope.clear();
    for (double& height : curve.mean) height += means[key_of(curve)];
  }
  Result result;
  for (const Curve& curve : dependence) {
    result.results.emplace_back(curve);
    for (const std::vector<Curve>* others : {&conditional, &std::as_const(local)}) {
      for (const Curve& other : *others) {
        if (key_of(other) == key_of(curve)) result.results.emplace_back(other);
      }
    }
  }
  return result;
}

}  // namespace

MethodEntry compare() {
  return {.name = "compare",
          .alias = "",
          .about = {.title = "Effects compared", .short_name = "", .family = Family::effects},
          .question = "How do partial dependence, M-plot and ALE of a feature differ?",
          .when = "to see whether correlated features bend a curve: where the three agree, any of them can be read",
          .when_not = "a quick look at many features: it costs as much as its three methods together",
          .formula = "PD(v), mean prediction of the rows near v, and ALE(v) plus the mean prediction, in one chart",
          .paper =
              "Apley and Zhu 2020, Visualizing the effects of predictor variables in black box supervised learning "
              "models",
          .results = {"curve"},
          .expresses = "how much of a curve is the feature's own effect and how much comes with correlated features",
          .cost = "those of partial-dependence, ale and m-plot: (grid + 3) × rows predictions per feature",
          .options = describe_options<CompareOptions>(),
          .plan = plan_compare};
}

}  // namespace sightglass
