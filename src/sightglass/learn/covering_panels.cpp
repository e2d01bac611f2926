#include "sightglass/learn/covering_panels.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "sightglass/base/error.h"
#include "sightglass/base/random.h"
#include "sightglass/learn/panels/covering.h"
#include "sightglass/learn/panels/panel_facts.h"
#include "sightglass/learn/panels/show_panel.h"
#include "sightglass/result/shapes/figure.h"

namespace sightglass {

namespace {

constexpr std::uint64_t holdout_stream = 0x686f6c646f7574;  // "holdout"

std::uint32_t class_named(const TrainingData& data, const std::string& name, const char* option) {
  const auto found = std::find(data.classes.begin(), data.classes.end(), name);
  if (found != data.classes.end()) return static_cast<std::uint32_t>(found - data.classes.begin());
  std::string known;
  for (std::size_t c = 0; c < std::min<std::size_t>(data.classes.size(), 8); ++c) {
    known += (c == 0 ? "" : ", ") + printable(data.classes[c], 40);
  }
  throw Error(ErrorKind::usage,
              option_text(option) + ": no row is of class " + (name.empty() ? "\"\"" : printable(name, 60)),
              "classes are: " + known);
}

std::vector<double> class_weights(const TrainingData& data) {
  std::vector<double> weights(data.classes.size(), 0);
  for (std::size_t row = 0; row < data.rows; ++row)
    weights[static_cast<std::size_t>(data.outcome[row])] += data.weight(row);
  return weights;
}

// The most critical class first.
std::vector<std::uint32_t> read_order(const CoveringPanelsOptions& options, const TrainingData& data) {
  std::vector<std::uint32_t> order;
  if (!options.order.empty()) {
    for (const std::string& name : options.order) {
      const std::uint32_t one = class_named(data, name, "order");
      if (std::find(order.begin(), order.end(), one) != order.end()) {
        throw Error(ErrorKind::usage, option_text("order") + ": " + printable(name, 60) + " is there twice",
                    "name each class once");
      }
      order.push_back(one);
    }
    if (order.size() != data.classes.size()) {
      throw Error(ErrorKind::usage,
                  option_text("order") + ": there are " + std::to_string(data.classes.size()) + " classes, and " +
                      std::to_string(order.size()) + " are named",
                  "name each class once");
    }
    if (!options.prefer.empty() && class_named(data, options.prefer, "prefer") != order[0]) {
      throw Error(ErrorKind::usage, marked("{Option:prefer} and {option:order} contradict each other"),
                  marked("leave {option:prefer} out"));
    }
    return order;
  }
  const std::vector<double> weight = class_weights(data);
  order.resize(data.classes.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return weight[a] < weight[b]; });
  if (!options.prefer.empty()) {
    const std::uint32_t first = class_named(data, options.prefer, "prefer");
    order.erase(std::find(order.begin(), order.end(), first));
    order.insert(order.begin(), first);
  }
  return order;
}

// What made the first class of the order the preferred one: an option, that it is the rarest, or that it is named first
// of those that are.
const char* chosen_by(const CoveringPanelsOptions& options, const TrainingData& data,
                      const std::vector<std::uint32_t>& order) {
  if (!options.prefer.empty() || !options.order.empty()) return "option";
  const std::vector<double> weights = class_weights(data);
  return order.size() > 1 && weights[order[1]] == weights[order[0]] ? "first" : "rarest";
}

CoveringLimits read_limits(const CoveringPanelsOptions& options) {
  return {.panels = read_panel_limits(options),
          .max_models = static_cast<std::size_t>(options.max_models),
          .min_gain = options.min_gain,
          .preference = options.preference,
          .tolerate = static_cast<std::size_t>(options.tolerate),
          .calibration = options.safe ? options.calibration_share : 0,
          .allowed_misses = static_cast<std::size_t>(options.allowed_misses),
          .one_vs_rest = options.one_vs_rest};
}

// As many misses allowed as rows are kept apart, and one more, would promise nothing.
void require_promise(const TrainingData& data, const std::vector<std::uint32_t>& order, const CoveringLimits& limits) {
  std::vector<std::size_t> counts(data.classes.size(), 0);
  for (const double outcome : data.outcome) ++counts[static_cast<std::size_t>(outcome)];
  std::size_t kept_apart = 0;
  for (std::size_t place = 0; place + 1 < order.size(); ++place)
    kept_apart += calibration_rows(limits.calibration, counts[order[place]]);
  if (limits.allowed_misses <= kept_apart) return;
  throw Error(
      ErrorKind::usage,
      option_text("allowed_misses") + ": " + std::to_string(limits.allowed_misses) + " misses are allowed, and " +
          (kept_apart == 1 ? std::string("1 critical row is") : std::to_string(kept_apart) + " critical rows are") +
          " kept apart: that promises nothing",
      marked("allow no more misses than rows are kept apart, or raise {option:calibration_share}"));
}

void say_nothing_claimed(const CoveringFit& fit, const TrainingData& data, const CoveringPanelsOptions& options,
                         Learned& learned) {
  learned.caveats.push_back(
      {.id = "nothing-claimed",
       .severity = Severity::caution,
       .message = std::string(fit.panels.empty() ? "there is no panel" : "panels claim no row") +
                  ": every row is predicted as " + printable(data.classes[fit.structure.order[0]], 60),
       .evidence = Value::object(
           {{"panels", std::uint64_t{fit.panels.size()}}, {"kept_apart", std::uint64_t{fit.calibration.size()}}}),
       .advice = marked(options.safe ? "lower {option:calibration_share}, raise {option:allowed_misses}, or leave "
                                       "{option:safe} out"
                                     : "raise {option:tolerate}, lower {option:min_gain}, or use another kind of "
                                       "model: these classes overlap everywhere")});
}

struct HeldOut {
  std::size_t critical = 0, missed = 0;  // rows of all classes but the last of the order; taken for a less critical one
  std::size_t others = 0, left = 0;      // rows of all but the first; taken for a more critical class than their own
  std::size_t rows = 0, contradicted = 0, none = 0;  // claimed for several classes, or for none
};

// Errors of an ensemble like it on rows that it did not see: of each class the same share.
std::optional<HeldOut> measure_held_out(const TrainingData& data, const std::vector<std::uint32_t>& order,
                                        const std::vector<PanelSubset>& subsets, const CoveringPanelsOptions& options,
                                        const Context& context) {
  if (options.holdout_share <= 0) return std::nullopt;
  std::vector<std::uint32_t> held;
  for (std::size_t c = 0; c < data.classes.size(); ++c) {
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < data.rows; ++row) {
      if (static_cast<std::size_t>(data.outcome[row]) == c) rows.push_back(row);
    }
    const auto most = static_cast<std::size_t>(options.holdout_share * static_cast<double>(rows.size()));
    if (most == 0) continue;
    const auto kept =
        sampled_rows(rows, most, random_bits(static_cast<std::uint64_t>(options.seed), holdout_stream, c));
    held.insert(held.end(), kept.begin(), kept.end());
  }
  std::sort(held.begin(), held.end());
  std::vector<std::uint32_t> all(data.rows), rest;
  std::iota(all.begin(), all.end(), 0);
  std::set_difference(all.begin(), all.end(), held.begin(), held.end(), std::back_inserter(rest));
  if (held.empty() || rest.empty()) return std::nullopt;
  const CoveringFit fit = fit_covering(data, rest, order, subsets, read_limits(options), context);
  const std::vector<std::size_t> places = covering_places(fit.structure, data, held, context);
  const std::vector<std::size_t> claims = covering_claims(fit.structure, data, held, context);
  HeldOut found;
  found.rows = held.size();
  for (std::size_t k = 0; k < held.size(); ++k) {
    const auto own = static_cast<std::size_t>(
        std::find(order.begin(), order.end(), static_cast<std::uint32_t>(data.outcome[held[k]])) - order.begin());
    if (claims[k] > 1) ++found.contradicted;
    if (claims[k] == 0) ++found.none;
    if (own + 1 < order.size()) {
      ++found.critical;
      if (places[k] > own) ++found.missed;
    }
    if (own > 0) {
      ++found.others;
      if (places[k] < own) ++found.left;
    }
  }
  return found;
}

void show_held_out(const HeldOut& held, const CoveringPanelsOptions& options, bool binary, Learned& learned) {
  const std::string whose = "of an ensemble like this one, fitted to " +
                            std::to_string(std::lround(100 * (1 - options.holdout_share))) + " % of the rows: ";
  const std::string critical = binary ? "rows of the preferred class that it takes for the other"
                                      : "rows that it takes for a less critical class than their own";
  if (held.critical > 0) {
    const double rate = static_cast<double>(held.missed) / static_cast<double>(held.critical);
    learned.shown.emplace_back(
        panel_figure("critical rows missed, held out", "held-out-missed", rate,
                     whose + critical + ", " + std::to_string(held.missed) + " of " + std::to_string(held.critical)));
    learned.shown.emplace_back(panel_figure(
        "upper bound of critical rows missed", "held-out-missed-bound",
        binomial_upper_bound(held.missed, held.critical),
        "with 95 % confidence it misses no more than this share of new rows like these (exact binomial bound)"));
  }
  if (held.others > 0) {
    learned.shown.emplace_back(panel_figure("other rows on the safe side, held out", "held-out-safe-side",
                                            static_cast<double>(held.left) / static_cast<double>(held.others),
                                            whose + "rows that are taken for a more critical class than their own, " +
                                                std::to_string(held.left) + " of " + std::to_string(held.others)));
  }
  if (options.one_vs_rest) {
    const auto of_all = [&](std::size_t count) { return static_cast<double>(count) / static_cast<double>(held.rows); };
    learned.shown.emplace_back(panel_figure("contradictions, held out", "held-out-contradictions",
                                            of_all(held.contradicted),
                                            whose + "rows that panels claim for several classes"));
    learned.shown.emplace_back(panel_figure("rows that none claims, held out", "held-out-none", of_all(held.none),
                                            whose + "rows that no panel claims for any class"));
  }
  learned.detail.set("held_out", Value::object({{"critical", std::uint64_t{held.critical}},
                                                {"missed", std::uint64_t{held.missed}},
                                                {"others", std::uint64_t{held.others}},
                                                {"safe_side", std::uint64_t{held.left}}}));
}

ShownPanels shown_panels(const CoveringFit& fit, const TrainingData& data, const Context& context) {
  ShownPanels shown;
  shown.form = PanelForm::covering;
  shown.classes = data.classes;
  const auto& order = fit.structure.order;
  for (const std::uint32_t one : order) shown.order.push_back(data.classes[one]);
  if (data.classes.size() == 2) shown.output = data.classes[1];
  for (const CoveringPanel& from : fit.panels) {
    const auto place =
        static_cast<std::size_t>(std::find(order.begin(), order.end(), from.panel.claims) - order.begin());
    std::vector<std::uint32_t> rows;  // what the panel was to tell apart
    for (std::uint32_t row = 0; row < data.rows; ++row) {
      const auto own = std::find(order.begin(), order.end(), static_cast<std::uint32_t>(data.outcome[row]));
      if (fit.structure.one_vs_rest || static_cast<std::size_t>(own - order.begin()) <= place) rows.push_back(row);
    }
    ShownPanel panel = shown_panel(from.panel, data, rows, PanelBounds::box, context);
    panel.score = from.gain;
    panel.runners_up = from.runners_up;
    shown.panels.push_back(std::move(panel));
  }
  std::vector<std::uint32_t> all(data.rows);
  std::iota(all.begin(), all.end(), 0);
  const auto ends = covering_ends(fit.structure, data, all, context);
  double others = 0, left = 0;
  for (std::uint32_t row = 0; row < data.rows; ++row) {
    const auto own = static_cast<std::size_t>(
        std::find(order.begin(), order.end(), static_cast<std::uint32_t>(data.outcome[row])) - order.begin());
    if (decided_place(fit.structure, ends[row]) > own) shown.missed += data.weight(row);
    if (own == 0) continue;
    others += data.weight(row);
    if (ends[row] == unclaimed_end(fit.structure)) left += data.weight(row);
  }
  if (fit.structure.one_vs_rest) {
    const auto claims = covering_claims(fit.structure, data, all, context);
    double none = 0, contradicted = 0, weight = 0;
    for (std::uint32_t row = 0; row < data.rows; ++row) {
      weight += data.weight(row);
      if (claims[row] == 0) none += data.weight(row);
      if (claims[row] > 1) contradicted += data.weight(row);
    }
    shown.details.set("one_vs_rest", true).set("none", none / weight).set("contradiction", contradicted / weight);
  }
  shown.unclaimed = others > 0 ? left / others : 0;
  for (const std::uint32_t row : fit.tolerated) shown.tolerated.push_back(data.row_id(row));
  shown.trade_off = fit.trade_off;
  return shown;
}

Learned fit_covering_panels(const TrainingData& data, const Value& given, const Context& context) {
  const auto options = read_options<CoveringPanelsOptions>(given);
  const std::vector<std::uint32_t> order = read_order(options, data);
  const CoveringLimits limits = read_limits(options);
  if (options.safe) require_promise(data, order, limits);
  const PanelSubsets subsets = panel_subsets(data, limits.panels, context);
  std::vector<std::uint32_t> rows(data.rows);
  std::iota(rows.begin(), rows.end(), 0);
  CoveringFit found = fit_covering(data, rows, order, subsets.list, limits, context);

  Learned learned;
  ShownPanels shown = shown_panels(found, data, context);
  const char* const preferred_by = chosen_by(options, data, order);
  shown.details.set("preferred_by", preferred_by);
  learned.size = found.panels.size();
  learned.detail.set("preferred", data.classes[order[0]])
      .set("preferred_chosen_by", preferred_by)
      .set("order", shown.order)
      .set("panels", std::uint64_t{found.panels.size()})
      .set("unclaimed", shown.unclaimed);
  if (!shown.tolerated.empty()) learned.detail.set("tolerated_rows", shown.tolerated);
  if (options.safe) {
    const auto m = found.calibration.size();
    const double promised = static_cast<double>(limits.allowed_misses) / static_cast<double>(m + 1);
    learned.detail.set("safe", Value::object({{"calibration_rows", std::uint64_t{m}},
                                              {"allowed_misses", options.allowed_misses},
                                              {"promised", promised},
                                              {"raised_by", found.shift}}));
    learned.shown.emplace_back(panel_figure("promised chance of missing a critical row", "promised-miss-rate", promised,
                                            "at most, on average over which " + std::to_string(m) +
                                                " rows were kept apart for it, if new rows are like these"));
  }
  describe_search(subsets, limits.panels, data, learned);
  if (shown.unclaimed >= 1) say_nothing_claimed(found, data, options, learned);
  describe_convergence(
      static_cast<std::size_t>(std::count_if(found.panels.begin(), found.panels.end(),
                                             [](const CoveringPanel& panel) { return !panel.converged; })),
      learned);
  learned.shown.emplace_back(
      panel_figure("rows left unclaimed", "unclaimed", shown.unclaimed,
                   "share of the training rows of other classes that no panel claims, so that they "
                   "are predicted as " +
                       printable(data.classes[order[0]], 60)));
  if (const auto held = measure_held_out(data, order, subsets.list, options, context)) {
    show_held_out(*held, options, data.classes.size() == 2, learned);
  }
  learned.shown.emplace_back(std::move(shown));
  learned.structure = std::move(found.structure);
  return learned;
}

}  // namespace

LearnerEntry covering_panels() {
  LearnerEntry entry;
  entry.name = "covering-2d";
  entry.about = {.title = "Covering panels", .short_name = "Covering", .family = Family::learners};
  entry.question =
      "Which few pictures of two features claim the other class, and never the one that must not be missed?";
  entry.when =
      "one class must not be missed, people are to check every decision by eye, and classes part in few features";
  entry.when_not =
      "classes overlap everywhere: most rows of the other class stay unclaimed; use a tree or an additive model";
  entry.formula = "other class where any d_j(x) > t_j, t_j = max(0, max over preferred training rows of d_j)";
  entry.paper =
      "Nusser, Otte, Hauptmann, Kruse 2009, Learning verifiable ensembles for classification problems with high safety "
      "requirements";
  entry.cost =
      "pairs of features × kernels × a support vector machine, for each panel; once more for the rows held out";
  entry.size_unit = "panels";
  entry.size_option = "max_models";
  entry.takes_numbers = false;
  entry.results = {"panels", "figure"};
  entry.options = describe_options<CoveringPanelsOptions>();
  entry.fit = fit_covering_panels;
  return entry;
}

}  // namespace sightglass
