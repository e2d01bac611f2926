#include "sightglass/learn/additive/shown.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sightglass/result/curve_shape.h"
#include "sightglass/result/shapes/curve.h"
#include "sightglass/result/shapes/figure.h"
#include "sightglass/result/shapes/importance.h"
#include "sightglass/result/shapes/surface.h"

namespace sightglass::additive {

namespace {

constexpr std::size_t most_classes = 10;  // that are drawn
constexpr std::size_t most_drawn = 200;   // terms
constexpr std::size_t histogram_bins = 30;

bool says_nothing(const std::vector<double>& table) {
  return std::all_of(table.begin(), table.end(), [](double value) { return value == 0; });
}

// How bins of a structure follow from those of a table: neighbours that say the same become one, levels come apart.
struct Side {
  std::vector<double> edges;
  std::vector<std::size_t> bins;  // of the table; the one for missing values last
};

template <class Same>
Side make_side(const FeatureBins& feature, bool in_pair, const Same& same) {
  Side side;
  const std::size_t missing = in_pair ? feature.pair_bins : feature.bins;
  if (feature.categorical) {
    for (const std::uint8_t bin : feature.bin_of_level) side.bins.push_back(in_pair ? feature.pair_bin[bin] : bin);
  } else {
    const std::vector<double>& edges = in_pair ? feature.pair_edges : feature.edges;
    for (std::size_t bin = 0; bin < missing; ++bin) {
      if (!side.bins.empty() && same(side.bins.back(), bin)) continue;
      if (!side.bins.empty()) side.edges.push_back(edges[bin - 1]);
      side.bins.push_back(bin);
    }
    if (side.bins.empty()) side.bins.push_back(missing);  // no row has a number
  }
  side.bins.push_back(missing);
  return side;
}

StepTerm make_term(const Fitted& fitted, std::size_t term) {
  const std::vector<std::size_t>& numbers = fitted.terms[term].features;
  const std::vector<double>& table = fitted.found.mean.tables[term];
  const std::size_t scores = fitted.outcome.scores, bins = table.size() / scores;
  StepTerm made;
  for (const std::size_t feature : numbers) made.features.push_back(static_cast<std::uint32_t>(feature));
  if (numbers.size() == 1) {
    const Side side = make_side(fitted.features[numbers[0]], false, [&](std::size_t a, std::size_t b) {
      for (std::size_t k = 0; k < scores; ++k) {
        if (table[k * bins + a] != table[k * bins + b]) return false;
      }
      return true;
    });
    made.edges = {side.edges};
    for (const std::size_t bin : side.bins) {
      for (std::size_t k = 0; k < scores; ++k) made.values.push_back(table[k * bins + bin]);
    }
    return made;
  }
  const auto differ = [](std::size_t, std::size_t) { return false; };
  const Side first = make_side(fitted.features[numbers[0]], true, differ);
  const Side second = make_side(fitted.features[numbers[1]], true, differ);
  const std::size_t width = fitted.features[numbers[1]].pair_bins + 1;
  made.edges = {first.edges, second.edges};
  for (const std::size_t a : first.bins) {
    for (const std::size_t b : second.bins) {
      for (std::size_t k = 0; k < scores; ++k) made.values.push_back(table[k * bins + a * width + b]);
    }
  }
  return made;
}

class Display {
 public:
  explicit Display(const Fitted& fitted) : fitted_(fitted), outputs_(fitted.data.outputs()) {}

  void show(Learned& learned) const {
    add_figures(learned.shown);
    const std::vector<std::size_t> scores = drawn_scores();
    for (const std::size_t score : scores) add_terms(score, learned.shown);
    add_caveats(scores.size(), learned.caveats);
  }

 private:
  // Classes with most rows, in the order of all.
  [[nodiscard]] std::vector<std::size_t> drawn_scores() const {
    std::vector<std::size_t> scores(outputs_.size());
    std::iota(scores.begin(), scores.end(), std::size_t{0});
    if (scores.size() <= most_classes) return scores;
    std::vector<double> weights(outputs_.size());
    for (std::size_t row = 0; row < fitted_.data.rows; ++row)
      weights[static_cast<std::size_t>(fitted_.data.outcome[row])] += fitted_.data.weight(row);
    std::stable_sort(scores.begin(), scores.end(), [&](auto a, auto b) { return weights[a] > weights[b]; });
    scores.resize(most_classes);
    std::sort(scores.begin(), scores.end());
    return scores;
  }

  void add_figures(std::vector<ResultItem>& shown) const {
    double loss = 0, start = 0, rounds = 0, pair_rounds = 0;
    const auto bags = static_cast<double>(fitted_.mains.size());
    for (std::size_t bag = 0; bag < fitted_.mains.size(); ++bag) {
      const bool paired = bag < fitted_.pairs.size();
      start += fitted_.mains[bag].start_loss / bags;
      loss += fitted_.mains[bag].loss / bags;
      rounds += static_cast<double>(fitted_.mains[bag].rounds) / bags;
      if (paired) pair_rounds += static_cast<double>(fitted_.pairs[bag].rounds) / bags;
    }
    if (std::isfinite(loss)) {
      const LossKind kind = fitted_.outcome.kind();
      const Outcome& outcome = fitted_.outcome;
      // Scores of numbers are in standard deviations, those of counts in means.
      const double unit = outcome.loss == Loss::squared   ? outcome.scale * outcome.scale
                          : outcome.loss == Loss::poisson ? std::exp(outcome.center)
                                                          : 1;
      const std::string how =
          " of rows that a bag held out, on average over bags; they decided when to stop, so it is a little too good";
      shown.emplace_back(Figure{.name = "held-out " + std::string(label_of(kind)),
                                .id = FigureId::loss,
                                .loss = kind,
                                .value = loss * unit,
                                .meaning = "mean loss" + how});
      if (start > 0) {
        shown.emplace_back(Figure{.name = "held-out skill",
                                  .id = FigureId::skill,
                                  .loss = kind,
                                  .value = 1 - loss / start,
                                  .meaning = "1 = perfect, 0 = no better than a constant:" + how});
      }
    }
    shown.emplace_back(Figure{.name = "rounds of single features",
                              .id = "rounds",
                              .value = rounds,
                              .meaning = "of boosting, on average over bags"});
    if (!fitted_.pairs.empty()) {
      shown.emplace_back(Figure{.name = "rounds of pairs",
                                .id = "pair-rounds",
                                .value = pair_rounds,
                                .meaning = "of boosting, on average over bags"});
    }
  }

  // One class's part of a table of a term.
  [[nodiscard]] std::span<const double> part(const std::vector<double>& table, std::size_t score) const {
    const std::size_t bins = table.size() / outputs_.size();
    return std::span(table).subspan(score * bins, bins);
  }
  [[nodiscard]] std::span<const double> heights(std::size_t term, std::size_t score) const {
    return part(fitted_.found.mean.tables[term], score);
  }
  [[nodiscard]] std::span<const double> errors(std::size_t term, std::size_t score) const {
    if (fitted_.found.se.empty()) return {};
    return part(fitted_.found.se[term], score);
  }

  void add_terms(std::size_t score, std::vector<ResultItem>& shown) const {
    std::vector<std::size_t> terms;
    std::vector<double> sizes(fitted_.terms.size());
    for (std::size_t term = 0; term < fitted_.terms.size(); ++term) {
      const std::span<const double> table = heights(term, score);
      double sum = 0, total = 0;
      for (std::size_t bin = 0; bin < table.size(); ++bin) {
        sum += fitted_.weights[term][bin] * std::abs(table[bin]);
        total += fitted_.weights[term][bin];
      }
      sizes[term] = sum / total;
      if (!says_nothing(fitted_.found.mean.tables[term])) terms.push_back(term);
    }
    std::stable_sort(terms.begin(), terms.end(), [&](auto a, auto b) { return sizes[a] > sizes[b]; });
    for (const std::size_t term : terms) {
      Importance item{.feature = {},
                      .output = outputs_[score],
                      .measure = {.kind = MeasureKind::other, .other = "mean size of the contribution"},
                      .importance = sizes[term]};
      for (const std::size_t feature : fitted_.terms[term].features) {
        item.features.push_back(name(feature));
        item.feature += (item.feature.empty() ? "" : ":") + name(feature);
      }
      shown.emplace_back(std::move(item));
    }
    terms.resize(std::min(terms.size(), most_drawn));
    for (const std::size_t term : terms) {
      if (fitted_.terms[term].features.size() == 1) shown.emplace_back(curve(term, score));
    }
    for (const std::size_t term : terms) {
      if (fitted_.terms[term].features.size() == 2) shown.emplace_back(surface(term, score));
    }
  }

  [[nodiscard]] const std::string& name(std::size_t feature) const { return fitted_.data.features[feature].info.name; }

  // Names of bins with levels; several of them are "others".
  [[nodiscard]] std::vector<std::string> level_names(std::size_t number, bool in_pair) const {
    const FeatureBins& feature = fitted_.features[number];
    const std::vector<std::string>& levels = fitted_.data.features[number].info.levels;
    std::vector<std::string> names(in_pair ? feature.pair_bins : feature.bins);
    for (std::size_t level = 0; level < feature.bin_of_level.size(); ++level) {
      const std::size_t code = feature.bin_of_level[level];
      if (code == feature.bins) continue;  // no row has it
      std::string& bin = names[in_pair ? feature.pair_bin[code] : code];
      bin = bin.empty() ? (level < levels.size() ? levels[level] : std::to_string(level)) : "other levels";
    }
    return names;
  }

  [[nodiscard]] Distribution distribution(std::size_t number) const {
    const FeatureBins& feature = fitted_.features[number];
    Distribution shown{.rug = feature.deciles, .missing = feature.weights.back()};
    if (feature.categorical || (feature.single_values && feature.bins <= 2 * histogram_bins)) {
      shown.counts.assign(feature.weights.begin(), feature.weights.end() - 1);
      const std::vector<double>& values = feature.centers;
      if (values.size() == 1) shown.edges = {values[0] - 0.5, values[0] + 0.5};
      if (values.size() < 2) return shown;
      shown.edges.push_back(values[0] - (values[1] - values[0]) / 2);
      for (std::size_t i = 1; i < values.size(); ++i) shown.edges.push_back(values[i - 1] / 2 + values[i] / 2);
      shown.edges.push_back(values.back() + (values.back() - values[values.size() - 2]) / 2);
      return shown;
    }
    for (std::size_t i = 0; i <= histogram_bins; ++i) {
      const double share = static_cast<double>(i) / histogram_bins;
      shown.edges.push_back(feature.low * (1 - share) + feature.high * share);
    }
    shown.counts.resize(histogram_bins);
    const std::vector<double>& values = fitted_.data.features[number].values;
    for (std::size_t row = 0; row < values.size(); ++row) {
      if (std::isnan(values[row])) continue;
      const auto above = std::upper_bound(shown.edges.begin(), shown.edges.end(), values[row]) - shown.edges.begin();
      const auto bin = std::clamp<std::ptrdiff_t>(above - 1, 0, histogram_bins - 1);
      shown.counts[static_cast<std::size_t>(bin)] += fitted_.data.weight(row);
    }
    return shown;
  }

  [[nodiscard]] Curve curve(std::size_t term, std::size_t score) const {
    const std::size_t number = fitted_.terms[term].features[0];
    const FeatureBins& feature = fitted_.features[number];
    const std::span<const double> mean = heights(term, score), se = errors(term, score);
    Curve curve{.axis = {.feature = name(number), .categorical = feature.categorical},
                .output = outputs_[score],
                .measure = Measure::effect,
                .estimand = Estimand::component,
                .distribution = distribution(number)};
    if (feature.categorical) curve.axis.levels = level_names(number, false);
    // A point for each bin, so that the picture is what the model says.
    for (std::size_t bin = 0; bin < feature.bins; ++bin) {
      const bool first = bin == 0, last = bin + 1 == feature.bins;
      if (!feature.categorical)
        curve.axis.numbers.push_back(first ? feature.low : last ? feature.high : feature.centers[bin]);
      curve.mean.push_back(mean[bin]);
      if (!se.empty()) curve.se_shape.push_back(se[bin]);
      curve.count.push_back(feature.weights[bin]);
    }
    if (feature.weights.back() > 0) {
      curve.missing = MissingPoint{
          .mean = mean[feature.bins], .se_shape = se.empty() ? 0 : se[feature.bins], .count = feature.weights.back()};
    }
    if (!feature.categorical && curve.axis.size() > 1) curve.shape = shape_of(curve);
    return curve;
  }

  [[nodiscard]] Axis pair_axis(std::size_t number) const {
    const FeatureBins& feature = fitted_.features[number];
    Axis axis{.feature = name(number), .categorical = feature.categorical};
    if (feature.categorical) {
      axis.levels = level_names(number, true);
      return axis;
    }
    std::vector<double> weights(feature.pair_bins);
    axis.numbers.resize(feature.pair_bins);
    for (std::size_t bin = 0; bin < feature.bins; ++bin) {
      const std::size_t at = feature.pair_bin[bin];
      weights[at] += feature.weights[bin];
      axis.numbers[at] += (feature.centers[bin] - axis.numbers[at]) * (feature.weights[bin] / weights[at]);
    }
    return axis;
  }

  [[nodiscard]] Surface surface(std::size_t term, std::size_t score) const {
    const std::size_t first = fitted_.terms[term].features[0], second = fitted_.terms[term].features[1];
    const std::size_t width = fitted_.features[second].pair_bins + 1;
    const std::span<const double> table = heights(term, score);
    Surface surface{.first = pair_axis(first),
                    .second = pair_axis(second),
                    .output = outputs_[score],
                    .measure = Measure::effect,
                    .estimand = Estimand::component};
    for (std::size_t a = 0; a < surface.first.size(); ++a) {
      const std::span<const double> line = table.subspan(a * width, surface.second.size());
      surface.mean.emplace_back(line.begin(), line.end());
    }
    return surface;
  }

  void add_caveats(std::size_t drawn, std::vector<Caveat>& caveats) const {
    const auto& tables = fitted_.found.mean.tables;
    if (std::all_of(tables.begin(), tables.end(), says_nothing)) {
      const bool constant = fitted_.outcome.is_constant();
      caveats.push_back(
          {.id = "nothing-learned",
           .severity = Severity::warning,
           .message = constant ? "the outcome is the same in every row, and so is the prediction"
                               : "no term lowers the loss of rows that were held out: every row is predicted the same",
           .evidence = Value::object({{"rows", fitted_.data.rows}, {"bags", fitted_.mains.size()}}),
           .advice = constant ? Text() : marked("raise {option:bags}, lower {option:min_leaf_rows}, or add rows")});
    }
    for (std::size_t i = 0; i < fitted_.features.size(); ++i) {
      const std::size_t grouped = fitted_.features[i].grouped_levels;
      if (grouped == 0) continue;
      caveats.push_back({.id = "levels-grouped",
                         .severity = Severity::note,
                         .message = feature_name(name(i)) + " has too many levels for a value each: the " +
                                    std::to_string(grouped) + " with the fewest rows share one",
                         .evidence = Value::object({{"feature", name(i)}, {"levels", grouped}}),
                         .advice = "group the levels by what is known about them, or leave the feature out"});
    }
    if (drawn < outputs_.size()) {
      caveats.push_back({.id = "classes-not-drawn",
                         .severity = Severity::note,
                         .message = "of " + std::to_string(outputs_.size()) + " classes the " + std::to_string(drawn) +
                                    " with most rows are drawn; the model has all of them",
                         .evidence = Value::object({{"classes", outputs_.size()}, {"drawn", drawn}})});
    }
  }

  const Fitted& fitted_;
  std::vector<std::string> outputs_;
};

}  // namespace

StepStructure make_structure(const Fitted& fitted) {
  StepStructure structure{.intercept = fitted.found.mean.intercept, .terms = {}};
  for (std::size_t term = 0; term < fitted.terms.size(); ++term) {
    if (!says_nothing(fitted.found.mean.tables[term])) structure.terms.push_back(make_term(fitted, term));
  }
  return structure;
}

void show(const Fitted& fitted, Learned& learned) { Display(fitted).show(learned); }

}  // namespace sightglass::additive
