// What the findings are made from, gathered over all results: who ranks first by which measure, the curve to go by
// for each feature; and the words they share.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/insight/findings.h"
#include "sightglass/result/importance_measure.h"
#include "sightglass/result/result.h"

namespace sightglass::finders {

// In the order of reading.
enum class Place { performance, importance, effect, together, rows, single };

// A sentence that could be told; the worthiest are.
struct Candidate {
  Finding finding;
  Place place = Place::performance;
  int worth = 0;
  std::string topic;  // of several with the same one only the worthiest is told; empty: its own
};

// "shuffling", "partial dependence", …; empty if it ranks nothing by importance.
[[nodiscard]] std::string_view words_of(MeasureKind kind);

struct RankedFeature {
  std::string name;
  double value = 0;                   // above what is nothing (0, of ratios 1); of several outputs: their sum
  std::optional<double> se;           // of a single output
  const Importance* entry = nullptr;  // of the first output
};

struct FeatureRanking {
  MeasureKind kind = MeasureKind::permutation;
  const Result* result = nullptr;
  bool one_output = true;
  std::vector<RankedFeature> features;  // most important first, ties by name; finite
  std::map<std::string, std::size_t> places;

  [[nodiscard]] const RankedFeature* find(const std::string& name) const;
};

// The curve to go by for one feature: of ALE, else of partial dependence; of the output that moves most.
struct FeatureCurve {
  const Result* result = nullptr;
  const Curve* curve = nullptr;
  double range = 0;         // over what can be trusted
  std::size_t outputs = 1;  // that have such a curve
  std::string by;           // the method, where several tell of the feature
};

class Evidence {
 public:
  explicit Evidence(const std::vector<Result>& results);

  [[nodiscard]] const std::vector<const Result*>& results() const { return results_; }
  [[nodiscard]] const std::vector<FeatureRanking>& rankings() const { return rankings_; }
  [[nodiscard]] const FeatureRanking* ranking(MeasureKind kind) const;
  // Every feature that is ranked or has a curve, most important first: by mean rank, else by range.
  [[nodiscard]] const std::vector<std::string>& order() const { return order_; }
  [[nodiscard]] const FeatureCurve* curve(const std::string& feature) const;
  // The largest range of a curve of the same result.
  [[nodiscard]] double largest_range(const Result& result) const;
  // The first number of that kind about all rows.
  struct Number {
    const Result* result;
    const Figure* figure;
  };
  [[nodiscard]] std::optional<Number> figure(FigureId id, const std::optional<LossKind>& loss = std::nullopt) const;
  [[nodiscard]] const Caveat* caveat(std::string_view id) const;
  // Whether a caveat says that these two go together.
  [[nodiscard]] bool go_together(const std::string& a, const std::string& b) const;

 private:
  void choose_results(const std::vector<Result>& results);
  void rank();
  void choose_curves();
  void find_order();

  std::vector<const Result*> results_;
  std::vector<FeatureRanking> rankings_;
  std::vector<FeatureCurve> curves_;
  std::map<std::string, std::size_t> curve_places_;
  std::vector<std::string> order_;
};

// Two digits, three from 100 on: 0.62 · 41 · 325 · 1,230; or so many more, of at most four.
[[nodiscard]] std::string amount(double value, int more = 0);
// A prediction: "62 %" of a probability, else as amount_of().
[[nodiscard]] std::string level_of(const Result& result, double value);
// A difference of predictions without its unit, beside others that have it.
[[nodiscard]] std::string bare_amount(const Result& result, double value, int more = 0);
// With the unit of predictions: "41 bikes/hour", "0.3 in log-odds", "12 percentage points".
[[nodiscard]] std::string amount_of(const Result& result, double value, int more = 0);
// Shares so near to 1 that rounding would say what is not so.
[[nodiscard]] std::string careful_percent(double share);
// A name in a sentence: quoted if it is not one plain word.
[[nodiscard]] std::string name_of(const std::string& feature);
[[nodiscard]] std::string level_name(const std::string& level);
// "a, b and c"
[[nodiscard]] std::string listed(const std::vector<std::string>& items);
// "the prediction of rentals", "the probability of class Adelie", "the margin (log-odds) of class female".
[[nodiscard]] std::string predicted_quantity(const Result& result, const std::string& output);
// "these 8,645 rows", "2,000 of 17,379 rows"; empty if unknown.
[[nodiscard]] std::string rows_of(const Result& result);
[[nodiscard]] std::optional<double> number_member(const Value& object, std::string_view key);

// One file each.
[[nodiscard]] std::vector<Candidate> performance(const Evidence& evidence);
[[nodiscard]] std::vector<ShownScore> scores(const Evidence& evidence);
// Whether what is told first is that the model knows nothing.
[[nodiscard]] bool knows_nothing(const Evidence& evidence);
// Whether a result compares two models, as its figures tell.
[[nodiscard]] bool compares_models(const Result& result);
// Of such a result; else nothing.
[[nodiscard]] std::vector<Candidate> models(const Evidence& evidence);
[[nodiscard]] std::vector<ShownScore> scores_of_models(const Evidence& evidence);
[[nodiscard]] std::vector<Candidate> importance(const Evidence& evidence);
[[nodiscard]] std::vector<Candidate> effects(const Evidence& evidence);
[[nodiscard]] std::vector<Candidate> together(const Evidence& evidence);
[[nodiscard]] std::vector<Candidate> differences(const Evidence& evidence);
[[nodiscard]] std::vector<Candidate> surrogates(const Evidence& evidence);
[[nodiscard]] std::vector<Candidate> single_rows(const Evidence& evidence);

struct Pair {
  const Result* result = nullptr;
  const Interaction* entry = nullptr;
  bool several_outputs = false;
  std::size_t examined = 0;   // pairs of the same feature, for the same output
  bool is_strongest = false;  // of all of these, trusted or not
};
// The strongest pair with this feature, of those that were examined and can be trusted.
[[nodiscard]] std::optional<Pair> strongest_pair_of(const Evidence& evidence, const std::string& feature,
                                                    const std::string& output);

// How a curve goes, as a clause: "rises with temp up to 24 °C, then falls". Empty: nothing to be said.
struct Clause {
  std::string domain;  // "between -1 and 34 °C", where the rest of the grid says otherwise
  std::string text;
};
[[nodiscard]] Clause clause_of(const Result& result, const Curve& curve);

}  // namespace sightglass::finders
