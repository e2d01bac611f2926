#include "sightglass/methods/interactions/interactions.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/methods/grid/feature_grid.h"
#include "sightglass/methods/interactions/dependence/pd_at_rows.h"
#include "sightglass/methods/interactions/dependence/pd_moments.h"
#include "sightglass/numeric/largest_first.h"

namespace sightglass {

namespace {

// A numerator or a denominator below this share of Var f is rounding.
constexpr double least_share = 1e-10;
// A joint effect below this share of sd f has no H² worth telling.
constexpr double least_effect = 0.05;

struct PairAgenda {
  MethodInput input;
  PdRowOptions options;
  std::vector<std::uint32_t> columns;  // the features of all subsets, in the model's order
  std::vector<std::size_t> totals;     // positions in columns
  std::vector<PdSubset> pairs, triples;
  // With too many pairs for the budget: only those among so many features, the strongest; else 0.
  std::size_t strongest = 0;
  std::uint64_t all_pairs = 0;

  [[nodiscard]] bool whole() const { return columns.size() == input.features.size(); }
  // Whether a subset's partial dependence is the complement of at most one feature, hence known already.
  [[nodiscard]] bool known(const PdSubset& subset) const { return whole() && subset.size() + 1 >= columns.size(); }
  [[nodiscard]] bool keeps_complements() const { return columns.size() <= 4; }
};

// A function at the points of each sample, scaled, minus its mean over the rows.
struct Centred {
  std::vector<PdPoints> points;
  std::vector<std::vector<double>> values;  // [sample][point × outputs + output]
};

struct Entry {
  PdSubset subset;
  std::vector<PdRatio> outputs;
};

struct PairState {
  std::vector<int> exponents;                                   // per output: predictions are divided by 2^exponent
  std::vector<std::vector<double>> prediction;                  // [sample][row × outputs + output], centred
  std::vector<PdRatio> variance;                                // per output: Σ w f²
  std::map<PdSubset, std::shared_ptr<const Centred>> centred;   // singles, and the pairs that triples need
  std::map<PdSubset, std::shared_ptr<const PdFunction>> whole;  // with complements, where a pair needs them
  std::vector<Entry> totals, pairs, triples;
};

class PairComputation {
 public:
  PairComputation(std::shared_ptr<const PairAgenda> agenda, std::shared_ptr<const PdRows> rows)
      : agenda_(std::move(agenda)), rows_(std::move(rows)), outputs_(agenda_->input.explained.size()) {}

  // A pass's functions of single features (and of none: the prediction), with complements.
  void add_singles(PairState& state, const std::vector<PdFunction>& functions) const {
    for (const PdFunction& function : functions) {
      if (function.task.subset.empty()) {
        add_prediction(state, function);
      } else {
        state.centred[function.task.subset] = std::make_shared<const Centred>(centre(state, function));
        const std::size_t feature = function.task.subset[0];
        if (std::find(agenda_->totals.begin(), agenda_->totals.end(), feature) != agenda_->totals.end())
          state.totals.push_back(total(state, function));
      }
      if (agenda_->keeps_complements())
        state.whole[function.task.subset] = std::make_shared<const PdFunction>(function);
    }
  }

  void add_joint(PairState& state, const std::vector<PdFunction>& functions) const {
    for (const PdFunction& function : functions) add_joint(state, function);
  }

  // Pairs or triples that need no prediction.
  void add_known(PairState& state, const std::vector<PdSubset>& subsets) const {
    for (const PdSubset& subset : subsets) {
      if (!agenda_->known(subset)) continue;
      PdSubset rest;
      for (std::size_t feature = 0; feature < agenda_->columns.size(); ++feature) {
        if (std::find(subset.begin(), subset.end(), feature) == subset.end()) rest.push_back(feature);
      }
      add_joint(state, pd_from_complement(*rows_, subset, *state.whole.at(rest)));
    }
  }

  // The pairs to compute once totals are known.
  [[nodiscard]] std::vector<PdSubset> chosen_pairs(const PairState& state) const {
    if (agenda_->strongest == 0) return agenda_->pairs;
    // By the largest total over outputs, each relative to its variance.
    std::vector<double> largest;
    for (const Entry& entry : state.totals) {
      double most = 0;
      for (std::size_t k = 0; k < outputs_; ++k)
        most = std::max(most, share(sum(entry.outputs[k].numerator), sum(state.variance[k].numerator)));
      largest.push_back(most);
    }
    std::vector<std::size_t> chosen;
    for (const std::size_t at : largest_first(largest)) {
      if (chosen.size() < agenda_->strongest) chosen.push_back(state.totals[at].subset[0]);
    }
    std::sort(chosen.begin(), chosen.end());
    std::vector<PdSubset> pairs;
    for (std::size_t a = 0; a < chosen.size(); ++a) {
      for (std::size_t b = a + 1; b < chosen.size(); ++b) pairs.push_back({chosen[a], chosen[b]});
    }
    return pairs;
  }

  [[nodiscard]] Result result(const PairState& state) const {
    Result result;
    std::vector<std::string> above, flat, constant;
    for (std::size_t k = 0; k < outputs_; ++k) {
      const std::string& output = agenda_->input.outputs[agenda_->input.explained[k]];
      const double variance = sum(state.variance[k].numerator) / rows_->weight();
      if (!(variance > pd_least_square)) constant.push_back(output);
      if (agenda_->whole()) result.results.push_back(left_by_main_effects(state, k, variance));
      for (const auto* entries : {&state.totals, &state.pairs, &state.triples}) {
        std::vector<Interaction> found;
        std::vector<double> strengths;
        for (const Entry& entry : *entries) {
          found.push_back(interaction(state, entry, k, variance));
          strengths.push_back(found.back().strength);
        }
        std::int64_t rank = 0;
        for (const std::size_t at : largest_first(strengths)) {
          found[at].details.set("rank", ++rank);
          if (found[at].h2 > 1 + 1e-9) above.push_back(joined(found[at].features));
          if (found[at].strength > 0 && found[at].h2 == 0) flat.push_back(joined(found[at].features));
          result.results.emplace_back(std::move(found[at]));
        }
      }
    }
    add_caveats(state, above, flat, constant, result.caveats);
    return result;
  }

 private:
  static double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }
  static double share(double part, double whole) { return part > 0 ? part / whole : 0; }
  static std::string joined(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ":") + name;
    return text;
  }

  [[nodiscard]] std::vector<double> centre(const PairState& state, const std::vector<double>& values,
                                           const std::vector<double>& weights, double total) const {
    auto centred = pd_scaled(values, state.exponents);
    pd_centre(centred, outputs_, weights, total);
    return centred;
  }

  [[nodiscard]] Centred centre(const PairState& state, const PdFunction& function) const {
    Centred centred{.points = function.task.points};
    for (std::size_t sample = 0; sample < rows_->samples().size(); ++sample) {
      centred.values.push_back(centre(state, function.values[sample], function.task.points[sample].weights,
                                      rows_->samples()[sample].weight));
    }
    return centred;
  }

  void add_prediction(PairState& state, const PdFunction& function) const {
    state.exponents = pd_exponents(function, outputs_);
    state.variance.resize(outputs_);
    for (std::size_t sample = 0; sample < rows_->samples().size(); ++sample) {
      const PdSample& rows = rows_->samples()[sample];
      state.prediction.push_back(centre(state, function.complement[sample], rows.rows.weights, rows.weight));
      for (std::size_t k = 0; k < outputs_; ++k) {
        state.variance[k].numerator.push_back(pd_square_sum(
            rows.rows.weights, [&](std::size_t row) { return state.prediction[sample][row * outputs_ + k]; }));
      }
    }
  }

  [[nodiscard]] Entry total(const PairState& state, const PdFunction& function) const {
    Entry entry{.subset = function.task.subset, .outputs = std::vector<PdRatio>(outputs_)};
    const Centred& single = *state.centred.at(function.task.subset);
    for (std::size_t sample = 0; sample < rows_->samples().size(); ++sample) {
      const PdSample& rows = rows_->samples()[sample];
      const auto rest = centre(state, function.complement[sample], rows.rows.weights, rows.weight);
      for (std::size_t k = 0; k < outputs_; ++k) {
        entry.outputs[k].numerator.push_back(pd_square_sum(rows.rows.weights, [&](std::size_t row) {
          const std::size_t point = single.points[sample].of_row[row];
          return state.prediction[sample][row * outputs_ + k] - single.values[sample][point * outputs_ + k] -
                 rest[row * outputs_ + k];
        }));
        entry.outputs[k].denominator.push_back(state.variance[k].numerator[sample]);
      }
    }
    return entry;
  }

  // The interaction of two or three features at each point of their joint function.
  void add_joint(PairState& state, const PdFunction& function) const {
    const PdSubset& subset = function.task.subset;
    auto joint = std::make_shared<Centred>(centre(state, function));
    Entry entry{.subset = subset, .outputs = std::vector<PdRatio>(outputs_)};
    for (std::size_t sample = 0; sample < rows_->samples().size(); ++sample) {
      const PdPoints& points = joint->points[sample];
      std::vector<double> left = joint->values[sample];
      if (subset.size() == 3) {
        for (std::size_t out = 0; out < 3; ++out) {
          PdSubset two = subset;
          two.erase(two.begin() + static_cast<std::ptrdiff_t>(out));
          const Centred& pair = *state.centred.at(two);
          for (std::size_t point = 0; point < points.size(); ++point) {
            const std::size_t at = pair.points[sample].of_row[points.row[point]];
            for (std::size_t k = 0; k < outputs_; ++k)
              left[point * outputs_ + k] -= pair.values[sample][at * outputs_ + k];
          }
        }
      }
      for (std::size_t part = 0; part < subset.size(); ++part) {
        const Centred& single = *state.centred.at({subset[part]});
        for (std::size_t point = 0; point < points.size(); ++point) {
          const std::size_t at = points.parts[part][point];
          for (std::size_t k = 0; k < outputs_; ++k) {
            const double value = single.values[sample][at * outputs_ + k];
            left[point * outputs_ + k] += subset.size() == 3 ? value : -value;
          }
        }
      }
      for (std::size_t k = 0; k < outputs_; ++k) {
        entry.outputs[k].numerator.push_back(
            pd_square_sum(points.weights, [&](std::size_t point) { return left[point * outputs_ + k]; }));
        entry.outputs[k].denominator.push_back(pd_square_sum(
            points.weights, [&](std::size_t point) { return joint->values[sample][point * outputs_ + k]; }));
      }
    }
    const bool of_triple = std::any_of(agenda_->triples.begin(), agenda_->triples.end(), [&](const PdSubset& triple) {
      return std::includes(triple.begin(), triple.end(), subset.begin(), subset.end());
    });
    if (subset.size() == 2 && of_triple) state.centred[subset] = std::move(joint);
    const bool asked = subset.size() == 3 || agenda_->strongest > 0 ||
                       std::find(agenda_->pairs.begin(), agenda_->pairs.end(), subset) != agenda_->pairs.end();
    if (asked) (subset.size() == 3 ? state.triples : state.pairs).push_back(std::move(entry));
  }

  struct Estimate {
    double numerator = 0, denominator = 0, ratio = 0;  // means of squares
  };
  // From all samples, or from all but one.
  [[nodiscard]] Estimate estimate(const PdRatio& ratio, double variance, std::size_t without) const {
    const auto [numerator, denominator] = ratio.means(*rows_, without);
    Estimate estimate{.numerator = numerator, .denominator = denominator};
    const double least = std::max(least_share * variance, pd_least_square);
    if (numerator < least) estimate.numerator = 0;
    // A ratio to what is nothing but rounding would be anything.
    estimate.ratio = estimate.numerator > 0 && denominator >= least ? estimate.numerator / estimate.denominator : 0;
    return estimate;
  }
  [[nodiscard]] std::optional<double> standard_error(const PdRatio& ratio, double variance) const {
    return pd_standard_error(ratio.numerator.size(),
                             [&](std::size_t without) { return estimate(ratio, variance, without).ratio; });
  }

  [[nodiscard]] Interaction interaction(const PairState& state, const Entry& entry, std::size_t k,
                                        double variance) const {
    const PdRatio& ratio = entry.outputs[k];
    const Estimate all = estimate(ratio, variance, ratio.numerator.size());
    Interaction interaction{.output = agenda_->input.outputs[agenda_->input.explained[k]],
                            .h2 = all.ratio,
                            .h = std::sqrt(all.ratio),
                            .strength = std::ldexp(std::sqrt(all.numerator), state.exponents[k]),
                            .se = standard_error(ratio, variance)};
    for (const std::size_t feature : entry.subset)
      interaction.features.push_back(agenda_->input.schema[agenda_->columns[feature]].name);
    interaction.details.set("rank", 0);
    if (entry.subset.size() > 1) {
      interaction.details.set("pd_sd", std::ldexp(std::sqrt(all.denominator), state.exponents[k]));
      interaction.details.set("in_findings", variance > pd_least_square &&
                                                 std::sqrt(all.denominator) >= least_effect * std::sqrt(variance));
    } else {
      interaction.details.set("in_findings", variance > pd_least_square);
    }
    return interaction;
  }

  [[nodiscard]] Figure left_by_main_effects(const PairState& state, std::size_t k, double variance) const {
    PdRatio ratio;
    for (std::size_t sample = 0; sample < rows_->samples().size(); ++sample) {
      ratio.numerator.push_back(pd_square_sum(rows_->samples()[sample].rows.weights, [&](std::size_t row) {
        double left = state.prediction[sample][row * outputs_ + k];
        for (std::size_t feature = 0; feature < agenda_->columns.size(); ++feature) {
          const Centred& single = *state.centred.at({feature});
          left -= single.values[sample][single.points[sample].of_row[row] * outputs_ + k];
        }
        return left;
      }));
      ratio.denominator.push_back(state.variance[k].numerator[sample]);
    }
    return {.name = "share of variance that PD main effects leave",
            .id = FigureId::left_by_main_effects,
            .output = agenda_->input.outputs[agenda_->input.explained[k]],
            .value = estimate(ratio, variance, ratio.numerator.size()).ratio,
            .se = standard_error(ratio, variance),
            .meaning =
                "how much of how the predictions vary is not what single features do, each by itself (their partial "
                "dependence added up); 0 = none of it. With correlated features another sum may leave less"};
  }

  static std::string first_of(const std::vector<std::string>& names) {
    return names.front() + (names.size() > 1 ? " and " + std::to_string(names.size() - 1) + " more" : "");
  }
  void add_caveats(const PairState& state, const std::vector<std::string>& above, const std::vector<std::string>& flat,
                   const std::vector<std::string>& constant, std::vector<Caveat>& caveats) const {
    add_pd_row_caveats(agenda_->input, agenda_->options, *rows_, caveats);
    add_constant_caveat(constant, caveats);
    if (!above.empty()) {
      caveats.push_back({.id = "h-above-one",
                         .severity = Severity::note,
                         .message = "H² is above 1 for " + first_of(above) +
                                    ": the effects of single features are larger than the joint one, as happens where "
                                    "features are correlated or the joint effect is nearly flat",
                         .evidence = Value::object({{"features", above}}),
                         .advice = "compare by strength, not by H²"});
    }
    if (!flat.empty()) {
      caveats.push_back({.id = "h-above-one",
                         .severity = Severity::note,
                         .message = "the joint effect is flat for " + first_of(flat) +
                                    ", although the single ones are not: H², which divides by it, is given as 0",
                         .evidence = Value::object({{"features", flat}}),
                         .advice = "compare by strength, not by H²"});
    }
    if (agenda_->columns.size() == 1 && agenda_->whole()) {
      caveats.push_back({.id = "one-feature",
                         .severity = Severity::note,
                         .message = "the model has one feature: there is nothing to interact with",
                         .evidence = Value::object({{"features", 1}}),
                         .advice = "look at its effect instead"});
    }
    if (agenda_->strongest > 0) {
      caveats.push_back(
          {.id = "pairs-left-out",
           .severity = Severity::caution,
           .message = std::to_string(state.pairs.size()) + " of " + std::to_string(agenda_->all_pairs) +
                      " pairs are computed: those among the " + std::to_string(agenda_->strongest) +
                      " features that interact most with all others together",
           .evidence = Value::object({{"pairs", state.pairs.size()}, {"all_pairs", agenda_->all_pairs}}),
           .advice = marked("name the {option:pairs|pairs} that matter to you, or raise {option:predictions}")});
    }
  }

  std::shared_ptr<const PairAgenda> agenda_;
  std::shared_ptr<const PdRows> rows_;
  std::size_t outputs_;
};

using PairStatePtr = std::shared_ptr<const PairState>;

using RowsPtr = std::shared_ptr<const PdRows>;

// Of those that are not known from others.
std::shared_ptr<const std::vector<PdSubset>> asked(const PairAgenda& agenda, const std::vector<PdSubset>& wanted) {
  auto asked = std::make_shared<std::vector<PdSubset>>();
  for (const PdSubset& subset : wanted) {
    if (!agenda.known(subset)) asked->push_back(subset);
  }
  return asked;
}

Chain<PairStatePtr> add_singles(const PairAgenda& agenda, const RowsPtr& rows, const PairComputation& computation) {
  auto subsets = std::make_shared<std::vector<PdSubset>>(1);
  for (std::size_t feature = 0; feature < agenda.columns.size(); ++feature) subsets->push_back({feature});
  return pd_in_rounds<PairState>(
      agenda.input, rows, subsets, true, std::make_shared<const PairState>(),
      [computation](PairState& folded, const auto& functions) { computation.add_singles(folded, functions); });
}

Chain<PairStatePtr> add_joint(const PairAgenda& agenda, const RowsPtr& rows, const PairComputation& computation,
                              const PairStatePtr& state, const std::vector<PdSubset>& wanted) {
  auto known = std::make_shared<PairState>(*state);
  computation.add_known(*known, wanted);
  return pd_in_rounds<PairState>(
      agenda.input, rows, asked(agenda, wanted), false, std::move(known),
      [computation](PairState& folded, const auto& functions) { computation.add_joint(folded, functions); });
}

// Those that were asked for, and those inside triples.
std::vector<PdSubset> wanted_pairs(const PairAgenda& agenda, const PairComputation& computation,
                                   const PairState& state) {
  std::vector<PdSubset> wanted = computation.chosen_pairs(state);
  for (const PdSubset& triple : agenda.triples) {
    for (const PdSubset& pair :
         {PdSubset{triple[0], triple[1]}, PdSubset{triple[0], triple[2]}, PdSubset{triple[1], triple[2]}}) {
      if (std::find(wanted.begin(), wanted.end(), pair) == wanted.end()) wanted.push_back(pair);
    }
  }
  return wanted;
}

// Partial dependence of single features, then of pairs, which may be chosen by what was found of these, then of
// triples.
Chain<Result> measure(const std::shared_ptr<const PairAgenda>& agenda, const RowsPtr& rows) {
  const PairComputation computation(agenda, rows);
  return add_singles(*agenda, rows, computation)
      .then([=](const PairStatePtr& state) {
        return add_joint(*agenda, rows, computation, state, wanted_pairs(*agenda, computation, *state));
      })
      .then([=](const PairStatePtr& state) { return add_joint(*agenda, rows, computation, state, agenda->triples); })
      .then([=](const PairStatePtr& state) { return computation.result(*state); });
}

// Named subsets as columns, each once.
std::vector<std::vector<std::uint32_t>> named_subsets(const MethodInput& input, const std::vector<std::string>& texts,
                                                      std::size_t count, const Text& option) {
  std::vector<std::vector<std::uint32_t>> subsets;
  for (const std::string& text : texts) {
    auto columns = parse_features(input, text, count, option);
    if (std::find(subsets.begin(), subsets.end(), columns) == subsets.end()) subsets.push_back(std::move(columns));
  }
  return subsets;
}

Chain<Result> start(const MethodInput& input, const Value& given) {
  const auto options = read_options<InteractionsOptions>(given);
  const auto features = chosen_features(input, options.features);
  const auto pairs = named_subsets(input, options.pairs, 2, option_name("pairs"));
  const auto triples = named_subsets(input, options.triples, 3, option_name("triples"));
  auto agenda = std::make_shared<PairAgenda>(PairAgenda{.input = input, .options = pd_row_options(options)});
  const auto used = [&](std::uint32_t column) {
    const auto has = [&](const std::vector<std::uint32_t>& columns) {
      return std::find(columns.begin(), columns.end(), column) != columns.end();
    };
    return has(features) || std::any_of(pairs.begin(), pairs.end(), has) ||
           std::any_of(triples.begin(), triples.end(), has);
  };
  for (const std::uint32_t column : input.features) {
    if (used(column)) agenda->columns.push_back(column);
  }
  const auto position = [&](std::uint32_t column) {
    return static_cast<std::size_t>(std::find(agenda->columns.begin(), agenda->columns.end(), column) -
                                    agenda->columns.begin());
  };
  const auto subset_of = [&](const std::vector<std::uint32_t>& columns) {
    PdSubset subset;
    for (const std::uint32_t column : columns) subset.push_back(position(column));
    return subset;
  };
  agenda->totals = subset_of(features);
  std::sort(agenda->totals.begin(), agenda->totals.end());
  for (const auto& pair : pairs) agenda->pairs.push_back(subset_of(pair));
  for (const auto& triple : triples) agenda->triples.push_back(subset_of(triple));

  PdRequest request{.features = agenda->columns};
  for (std::size_t feature = 0; feature < agenda->columns.size(); ++feature) request.subsets.push_back({feature});
  if (options.pairs.empty() && !options.only_totals) {
    const std::uint64_t count = agenda->totals.size();
    agenda->all_pairs = count * (count - 1) / 2;
    const std::uint64_t affordable = static_cast<std::uint64_t>(std::max<std::int64_t>(1, options.predictions)) /
                                     pd_subset_cost(input, agenda->options, pd_fewest_rows);
    if (agenda->all_pairs > std::max<std::uint64_t>(affordable, 1)) {
      agenda->strongest = 2;
      while ((agenda->strongest + 1) * agenda->strongest / 2 <= affordable) ++agenda->strongest;
      request.later = agenda->strongest * (agenda->strongest - 1) / 2;
    } else {
      for (std::size_t a = 0; a < agenda->totals.size(); ++a) {
        for (std::size_t b = a + 1; b < agenda->totals.size(); ++b)
          agenda->pairs.push_back({agenda->totals[a], agenda->totals[b]});
      }
    }
  }
  const auto need = [&](const PdSubset& subset) {
    const auto at = std::find(request.subsets.begin(), request.subsets.end(), subset);
    if (!agenda->known(subset) && at == request.subsets.end()) request.subsets.push_back(subset);
  };
  if (agenda->strongest == 0) {
    for (const PdSubset& pair : agenda->pairs) {
      if (!agenda->known(pair)) request.subsets.push_back(pair);
    }
  }
  for (const PdSubset& triple : agenda->triples) {
    for (const PdSubset& subset :
         {PdSubset{triple[0], triple[1]}, PdSubset{triple[0], triple[2]}, PdSubset{triple[1], triple[2]}, triple}) {
      need(subset);
    }
  }
  return draw_pd_rows(input, agenda->options, request).then([agenda](const RowsPtr& rows) {
    return measure(agenda, rows);
  });
}

}  // namespace

MethodEntry interactions() {
  return {.name = "interactions",
          .alias = "h",
          .about = {.title = "Interactions", .short_name = "", .family = Family::interactions},
          .question = "Which features act together, so that what one does depends on the other?",
          .when = "to find the pairs worth a two-dimensional picture, and the features that no single curve describes",
          .when_not =
              "strongly correlated features: partial dependence evaluates rows that could not be, and H² can "
              "show interactions that the data never see",
          .formula =
              "H²_jk = Σ_i [PD_jk − PD_j − PD_k]² / Σ_i PD_jk²; H²_j = Σ_i [f − PD_j − PD_−j]² / Σ_i f²; "
              "strength = √(mean numerator)",
          .paper = "Friedman, Popescu 2008, Predictive learning via rule ensembles",
          .results = {"interaction", "figure"},
          .expresses = "how much of a joint effect is not the sum of the single ones: pairs, triples, one against all",
          .cost = "rows × different values of each feature, pair and triple; no more than the option predictions",
          .access = Access::columns,
          .prefers_margin = true,
          .options = describe_options<InteractionsOptions>(),
          .start = start};
}

}  // namespace sightglass
