#include "sightglass/methods/local/shap.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/data/picked_block.h"
#include "sightglass/methods/effects/curves/effect_moments.h"
#include "sightglass/methods/grid/feature_groups.h"
#include "sightglass/methods/local/shapley/coalitions.h"
#include "sightglass/methods/local/shapley/leaf_shapley.h"
#include "sightglass/methods/local/shapley/row_attributor.h"
#include "sightglass/methods/run/named_rows.h"
#include "sightglass/methods/run/row_sample.h"
#include "sightglass/model/trees/tree_rows.h"

namespace sightglass {

namespace {

constexpr std::uint64_t explain_stream = 0x6578'706c'6169;  // "explai"
// Standard errors beyond this share of a row's largest value are worth a caution.
constexpr double unstable_share = 0.1;

// A mean over fewer rows that somebody picked says nothing about the model.
constexpr std::uint64_t fewest_ranked = 10;

// Of rows that are explained together.
constexpr std::size_t numbers_at_once = std::size_t{1} << 24;

bool is_group(const FeatureGroup& player) { return player.columns.size() > 1; }

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

// Each of the model's features that is in no group, then the groups.
std::vector<FeatureGroup> players_of(const MethodInput& input, const std::vector<std::string>& groups) {
  std::vector<FeatureGroup> players;
  if (groups.empty()) {
    for (const std::uint32_t column : input.features)
      players.push_back({input.schema[column].name, {column}, {input.schema[column].name}});
    return players;
  }
  std::vector<bool> taken(input.schema.size(), false);
  for (FeatureGroup& group : chosen_groups(input, {}, groups)) {
    for (const std::uint32_t column : group.columns) {
      if (taken[column])
        throw Error(ErrorKind::usage,
                    option_name("groups") + ": " + printable(input.schema[column].name) + " is in two groups",
                    "values add up only if each feature is in one group at the most");
      taken[column] = true;
    }
    players.push_back(std::move(group));
  }
  return players;
}

struct ShapWork {
  MethodInput input;
  ShapOptions options;
  std::vector<FeatureGroup> players;  // the features, or groups of them
  std::optional<RowIds> named;        // ascending
  std::optional<RowIds> explained;    // ascending; nothing = all
  std::optional<RowIds> written;      // of those explained; nothing = all of them
  std::uint64_t available = 0;        // rows with weight that there were to explain; 0 = all
  std::shared_ptr<const RowAttributor> attributor;

  [[nodiscard]] std::size_t features() const { return players.size(); }
  [[nodiscard]] std::size_t outputs() const { return input.explained.size(); }
  [[nodiscard]] bool explains(std::uint64_t row) const { return holds(named ? named : explained, row); }
  [[nodiscard]] bool writes(std::uint64_t row) const { return holds(written, row); }
  [[nodiscard]] std::uint64_t explained_rows() const {
    const auto& rows = named ? named : explained;
    return rows ? rows->size() : input.rows;
  }
  // Numbers that are kept of a row: its own values, then for each output the prediction and what comes with it.
  [[nodiscard]] std::size_t numbers_per_output() const {
    const std::size_t p = features();
    return 1 + p + (attributor->estimates() ? p : 0) + (options.interactions ? p * p : 0);
  }
  [[nodiscard]] std::size_t numbers_per_row() const { return features() + outputs() * numbers_per_output(); }
  // All outputs of a tree ensemble are computed together, whichever are explained.
  [[nodiscard]] std::size_t numbers_at_work() const {
    return features() + std::max(outputs(), input.outputs.size()) * numbers_per_output();
  }
  // The global view has pairs j ≤ k, the diagonal included.
  [[nodiscard]] std::size_t pairs() const { return options.interactions ? features() * (features() + 1) / 2 : 0; }

 private:
  static bool holds(const std::optional<RowIds>& rows, std::uint64_t row) {
    return !rows || std::binary_search(rows->begin(), rows->end(), row);
  }
};

// The same wherever a row was explained; NaN where none was.
struct SharedNumber {
  double value = std::numeric_limits<double>::quiet_NaN();

  void merge(const SharedNumber& other) {
    if (std::isnan(value)) value = other.value;
  }
  void save(ByteSink& sink) const { sink.f64(value); }
  void load(ByteSource& source) { value = source.f64(); }
};

struct RowValues {
  explicit RowValues(const ShapWork& work)
      : sizes(work.outputs() * work.features()),
        pair_sizes(work.outputs() * work.pairs()),
        base(work.outputs()),
        written(work.numbers_per_row()) {}

  std::uint64_t rows = 0;
  WeightSums weights;
  std::vector<ExactMoments> sizes;       // [output × features + feature]: |φ|
  std::vector<ExactMoments> pair_sizes;  // [output × pairs + pair]: |φ_jk|, of both sides of the diagonal
  std::vector<SharedNumber> base;        // [output]
  RowNumbers written;

  static auto members() {
    return std::tuple(&RowValues::rows, &RowValues::weights, &RowValues::sizes, &RowValues::pair_sizes,
                      &RowValues::base, &RowValues::written);
  }
};

class ShapPass : public Pass<RowValues, Result> {
 public:
  explicit ShapPass(std::shared_ptr<const ShapWork> work) : work_(std::move(work)) {}

  [[nodiscard]] std::vector<std::uint32_t> columns() const override { return work_->input.features; }
  [[nodiscard]] std::optional<std::vector<std::uint64_t>> rows() const override { return work_->named; }
  // The model's columns are read anyway.
  [[nodiscard]] bool needs_model() const override { return !work_->attributor->wants_many_rows(); }
  [[nodiscard]] std::uint64_t cost_per_row() const override {
    const double cost =
        static_cast<double>(work_->attributor->cost_per_row()) * static_cast<double>(work_->explained_rows());
    return static_cast<std::uint64_t>(std::ceil(cost / static_cast<double>(work_->input.rows)));
  }
  [[nodiscard]] RowValues empty() const override { return RowValues(*work_); }

  void map(const RowBlock& block, RowValues& sums, Evaluator& evaluator) const override {
    std::vector<std::uint64_t> explained;
    for (std::size_t row = 0; row < block.rows; ++row) {
      // A row that was asked for is shown whatever it weighs; else one of weight zero counts as not there.
      if (!work_->explains(block.row_id(row)) || (!work_->named && !(block.weight(row) > 0))) continue;
      explained.push_back(row);
    }
    if (explained.empty()) return;
    const PickedBlock picked(block, explained);
    RowBlock rows = picked.block();
    if (work_->named) rows.weights = {};
    BlockAttributions found;
    for_each_slice(rows, std::max<std::size_t>(1, numbers_at_once / work_->numbers_at_work()),
                   [&](const RowBlock& part) {
                     work_->attributor->attribute(part, evaluator, found);
                     sums.rows += part.rows;
                     sums.weights.add(part);
                     for (std::size_t k = 0; k < sums.base.size(); ++k) sums.base[k].value = found.base[k];
                     add_sizes(part, found, sums, evaluator.context());
                     write_rows(part, found, sums);
                   });
  }

  [[nodiscard]] Result find(const RowValues& sums) const override {
    if (work_->named) check_all_found(work_->input, work_->named->size(), sums.rows);
    Result result;
    std::vector<std::size_t> order(sums.written.rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return sums.written.rows[a] < sums.written.rows[b]; });
    if (sums.rows > 1 && (!work_->named || sums.rows >= fewest_ranked)) {
      for (std::size_t k = 0; k < work_->outputs(); ++k) add_importances(sums, k, result);
    }
    for (std::size_t k = 0; k < work_->outputs(); ++k) result.results.emplace_back(attributions(sums, order, k));
    add_caveats(sums, result);
    return result;
  }

 private:
  void add_sizes(const RowBlock& rows, const BlockAttributions& found, RowValues& sums, const Context& context) const {
    const std::size_t p = work_->features(), outputs = work_->outputs();
    std::vector<double> weights(rows.rows, 1.0);
    if (rows.weights.size > 0) read_numbers(rows.weights, weights);
    context.parallel_for(outputs * p, [&](std::size_t cell) {
      const std::size_t k = cell / p, j = cell % p;
      for (std::size_t row = 0; row < rows.rows; ++row)
        sums.sizes[cell].add(std::abs(found.values[(row * outputs + k) * p + j]), weights[row]);
      if (!work_->options.interactions) return;
      for (std::size_t other = j; other < p; ++other) {
        ExactMoments& size = sums.pair_sizes[k * work_->pairs() + pair(j, other)];
        const double sides = j == other ? 1 : 2;
        for (std::size_t row = 0; row < rows.rows; ++row) {
          const double value = found.interactions[((row * outputs + k) * p + j) * p + other];
          size.add(sides * std::abs(value), weights[row]);
        }
      }
    });
  }

  void write_rows(const RowBlock& rows, const BlockAttributions& found, RowValues& sums) const {
    const std::size_t p = work_->features(), outputs = work_->outputs();
    const auto append = [&](const std::vector<double>& from, std::size_t first, std::size_t count) {
      const auto begin = from.begin() + static_cast<std::ptrdiff_t>(first);
      sums.written.numbers.insert(sums.written.numbers.end(), begin, begin + static_cast<std::ptrdiff_t>(count));
    };
    for (std::size_t row = 0; row < rows.rows; ++row) {
      if (!work_->writes(rows.row_id(row))) continue;
      sums.written.rows.push_back(rows.row_id(row));
      for (const FeatureGroup& player : work_->players)
        sums.written.numbers.push_back(is_group(player) ? 0 : rows.columns[player.columns[0]].number(row));
      for (std::size_t k = 0; k < outputs; ++k) {
        const std::size_t at = row * outputs + k;
        sums.written.numbers.push_back(found.prediction[at]);
        append(found.values, at * p, p);
        if (work_->attributor->estimates()) append(found.se, at * p, p);
        if (work_->options.interactions) append(found.interactions, at * p * p, p * p);
      }
    }
  }

  // j ≤ k
  [[nodiscard]] std::size_t pair(std::size_t j, std::size_t k) const {
    return j * work_->features() - j * (j + 1) / 2 + k;
  }
  [[nodiscard]] const std::string& name(std::size_t feature) const { return work_->players[feature].name; }
  [[nodiscard]] const std::string& output_name(std::size_t k) const {
    return work_->input.outputs[work_->input.explained[k]];
  }

  void add_importances(const RowValues& sums, std::size_t k, Result& result) const {
    const std::size_t p = work_->features();
    const ExactSum::Pair total = sums.weights.total();
    const auto entry = [&](std::string called, std::vector<std::string> features, MeasureKind measure,
                           const ExactMoments& size) {
      const double sd = std::sqrt(size.variance(total));
      Importance importance{.feature = std::move(called),
                            .features = std::move(features),
                            .output = output_name(k),
                            .measure = {.kind = measure},
                            .importance = size.mean(total.high),
                            .se = sd / std::sqrt(sums.weights.effective_rows()),
                            .sd = sd};
      importance.details.set("rank", 0).set("rows", sums.rows);
      return importance;
    };
    const auto add = [&](std::vector<Importance> entries) {
      add_ranks(entries);
      for (Importance& each : entries) result.results.emplace_back(std::move(each));
    };
    std::vector<Importance> singles, pairs;
    for (std::size_t j = 0; j < p; ++j)
      singles.push_back(entry(name(j), work_->players[j].features, MeasureKind::shapley, sums.sizes[k * p + j]));
    add(std::move(singles));
    if (!work_->options.interactions) return;
    for (std::size_t j = 0; j < p; ++j) {
      for (std::size_t other = j; other < p; ++other) {
        const ExactMoments& size = sums.pair_sizes[k * work_->pairs() + pair(j, other)];
        pairs.push_back(j == other ? entry(name(j) + " alone", {name(j)}, MeasureKind::shapley_pairs, size)
                                   : entry(name(j) + " × " + name(other), {name(j), name(other)},
                                           MeasureKind::shapley_pairs, size));
      }
    }
    add(std::move(pairs));
  }

  [[nodiscard]] Attributions attributions(const RowValues& sums, const std::vector<std::size_t>& order,
                                          std::size_t k) const {
    const std::size_t p = work_->features();
    Attributions item{.output = output_name(k),
                      .base = sums.base[k].value,
                      .total_rows = work_->available > 0 ? work_->available : work_->input.rows,
                      .details = work_->attributor->details()};
    item.details.set("rows", sums.rows);
    Value groups = Value::object();
    for (const FeatureGroup& player : work_->players) {
      if (is_group(player)) {
        // Its value is that of several: their names stand for it.
        item.features.push_back({.feature = player.name, .levels = {joined(player.features)}, .categorical = true});
        groups.set(player.name, player.features);
        continue;
      }
      const ColumnInfo& info = work_->input.schema[player.columns[0]];
      item.features.push_back({.feature = info.name,
                               .unit = info.unit,
                               .levels = info.levels(),
                               .ordered = info.dictionary != nullptr && info.dictionary->ordered(),
                               .categorical = info.has_levels(),
                               .dates = info.dates});
    }
    if (!groups.as_object().empty()) item.details.set("groups", std::move(groups));
    for (const std::size_t at : order) {
      const double* numbers = sums.written.numbers.data() + at * work_->numbers_per_row();
      item.rows.push_back(sums.written.rows[at]);
      item.data.insert(item.data.end(), numbers, numbers + p);
      numbers += p + k * work_->numbers_per_output();
      item.prediction.push_back(*numbers++);
      item.values.insert(item.values.end(), numbers, numbers + p);
      numbers += p;
      if (work_->attributor->estimates()) {
        item.se.insert(item.se.end(), numbers, numbers + p);
        numbers += p;
      }
      if (work_->options.interactions) item.interactions.insert(item.interactions.end(), numbers, numbers + p * p);
    }
    return item;
  }

  void add_caveats(const RowValues& sums, Result& result) const {
    work_->attributor->add_caveats(result.caveats);
    add_unstable(result);
    add_features_without_choice(sums, result.caveats);
    const std::uint64_t available = work_->available > 0 ? work_->available : sums.rows;
    if (work_->named || (sums.written.rows.size() >= available && sums.rows >= available)) return;
    const bool all = sums.rows >= available;
    const auto wanted = static_cast<std::uint64_t>(work_->options.explain);
    const bool short_of_budget = !all && (wanted == 0 || sums.rows < std::min(wanted, available));
    result.caveats.push_back(
        {.id = "some-rows",
         .severity = Severity::note,
         .message = std::to_string(sums.written.rows.size()) + " of " + std::to_string(available) + " rows are " +
                    (all ? "written out" : "explained") + ", drawn at random" +
                    (short_of_budget ? ", as many as predictions allow" : "") +
                    (all ? "; mean |SHAP| is over all rows" : "; mean |SHAP| is over these"),
         .evidence = Value::object({{"rows", sums.written.rows.size()}, {"available", available}}),
         .advice = marked(short_of_budget ? "raise {option:predictions} (0 = no limit), or name {option:rows|rows}"
                                          : "set {option:explain} to 0 for all rows")});
  }

  static void add_unstable(Result& result) {
    std::size_t unstable = 0, rows = 0;
    double worst = 0;
    std::uint64_t worst_row = 0;
    std::vector<bool> seen;
    for (const ResultItem& each : result.results) {
      const auto* item = each.as<Attributions>();
      if (item == nullptr || item->se.empty()) continue;
      const std::size_t p = item->features.size();
      rows = item->rows.size();
      seen.resize(rows);
      for (std::size_t row = 0; row < rows; ++row) {
        double largest = 0, error = 0;
        for (std::size_t j = 0; j < p; ++j) {
          largest = std::max(largest, std::abs(item->values[row * p + j]));
          error = std::max(error, item->se[row * p + j]);
        }
        if (!(error > unstable_share * largest)) continue;
        seen[row] = true;
        const double share = largest > 0 ? error / largest : std::numeric_limits<double>::max();
        if (share <= worst) continue;
        worst = share;
        worst_row = item->rows[row];
      }
    }
    unstable = static_cast<std::size_t>(std::count(seen.begin(), seen.end(), true));
    if (unstable == 0) return;
    result.caveats.push_back(
        {.id = "unstable-local",
         .severity = Severity::caution,
         .message =
             (rows == 1 ? "the values of the row are"
                        : "the values of " + std::to_string(unstable) + " of " + std::to_string(rows) + " rows are") +
             std::string(" uncertain: standard errors above 10 % of the row's largest value"),
         .evidence = Value::object({{"rows", unstable},
                                    {"of", rows},
                                    {"worst_share", worst},
                                    {"worst_row", worst_row},
                                    {"threshold", unstable_share}}),
         .advice =
             marked("raise {option:permutations} and {option:predictions}, or {option:explain|explain} fewer rows")});
  }

  // Features in which no row differs from what it is compared with.
  void add_features_without_choice(const RowValues& sums, std::vector<Caveat>& caveats) const {
    for (std::size_t j = 0; j < work_->features(); ++j) {
      if (is_group(work_->players[j]) || work_->input.group_column == work_->players[j].columns[0]) continue;
      const auto only = work_->attributor->only_value(j);
      if (!only) continue;
      const bool missing = std::isnan(*only);
      bool same = true;
      for (std::size_t at = 0; at < sums.written.rows.size() && same; ++at) {
        const double own = sums.written.numbers[at * work_->numbers_per_row() + j];
        same = own == *only || (missing && std::isnan(own));
      }
      if (!same) continue;
      const std::string rows = missing ? " in any row" : " in all rows";
      caveats.push_back(
          {.id = missing ? "no-values" : "constant-feature",
           .severity = missing ? Severity::caution : Severity::note,
           .message = name(j) + (missing ? " has no value" : " has one value") + rows +
                      " that was looked at: it adds nothing here",
           .evidence = Value::object({{"feature", name(j)}}),
           .advice = missing ? "leave the feature out, or use data that have it" : "use data in which it varies"});
    }
  }

  std::shared_ptr<const ShapWork> work_;
};

// Whether the values are read off the model's trees.
bool by_leaves(const MethodInput& input, const ShapOptions& options) {
  return options.estimator != "sampling" && options.groups.empty() && why_not_by_leaves(input).empty();
}

// What the budget pays for.
struct Choice {
  bool by_leaves = false;
  bool ranks_all = false;  // all rows are explained, though not all are written out
  CoalitionOptions coalitions;
  std::uint64_t explain = 0;  // rows that can be afforded; 0 = all
};

// Sums of pairs, half a kilobyte each.
constexpr std::size_t most_pairs = std::size_t{1} << 18;

// Leaves × rows that values are looked up for without being asked: some seconds.
constexpr double most_leaf_rows = 4e9;

Choice choose(const MethodInput& input, const ShapOptions& options, const std::vector<FeatureGroup>& players,
              std::uint64_t named) {
  const std::size_t p = players.size();
  const auto wanted_background = static_cast<std::uint64_t>(options.background_rows);
  const std::uint64_t background = wanted_background == 0 ? input.rows : std::min(wanted_background, input.rows);
  Choice choice{.coalitions = {.background_rows = wanted_background,
                               .interactions = options.interactions,
                               .precision = options.precision,
                               .rounds = static_cast<std::uint64_t>(options.permutations)}};
  for (const FeatureGroup& player : players) {
    std::vector<std::size_t>& places = choice.coalitions.groups.emplace_back();
    for (const std::uint32_t column : player.columns) {
      const auto at = std::find(input.features.begin(), input.features.end(), column);
      places.push_back(static_cast<std::size_t>(at - input.features.begin()));
    }
  }
  const auto wanted = static_cast<std::uint64_t>(options.explain);
  choice.by_leaves = by_leaves(input, options);
  if (choice.by_leaves) {
    const bool cover = options.background == "cover";
    const double work = shapley_work(input, cover) * (options.interactions ? static_cast<double>(p) : 1);
    choice.ranks_all = work <= most_leaf_rows && !shapley_takes_passes(input, cover);
    choice.explain = wanted;
    return choice;
  }
  std::uint64_t rows = named > 0 ? named : wanted == 0 ? input.rows : std::min(wanted, input.rows);
  const double budget =
      options.predictions == 0 ? std::numeric_limits<double>::infinity() : static_cast<double>(options.predictions);
  const auto affordable = [&](double cost_per_row) {
    return static_cast<std::uint64_t>(std::max(1.0, std::min(budget / std::max(1.0, cost_per_row), 1e18)));
  };
  const double exact_cost = coalition_cost(p, background, true);
  const double round_cost = coalition_cost(p, background, false);
  // Few rows that are named could be paid for exactly where all of them are sampled, for less in sum: they are sampled
  // too, so that naming rows never takes longer.
  const std::uint64_t usual = wanted == 0 ? input.rows : std::min(wanted, input.rows);
  const double sampled = round_cost * static_cast<double>(fewest_rounds) * static_cast<double>(usual);
  const bool cheap = affordable(exact_cost) >= std::max(rows, usual) ||
                     (affordable(exact_cost) >= rows && exact_cost * static_cast<double>(rows) <= sampled);
  choice.coalitions.exact = options.estimator == "exact" ||
                            (options.estimator == "auto" && p <= most_enumerated && (options.interactions || cheap));
  if (named == 0) {
    rows = std::min(rows,
                    affordable(choice.coalitions.exact ? exact_cost : round_cost * static_cast<double>(fewest_rounds)));
  }
  if (!choice.coalitions.exact) {
    const std::uint64_t rounds = affordable(round_cost * static_cast<double>(rows));
    choice.coalitions.rounds = std::max(fewest_rounds, std::min(choice.coalitions.rounds, rounds));
  }
  choice.explain = rows >= input.rows ? 0 : rows;
  return choice;
}

void check(const MethodInput& input, const ShapOptions& options, std::size_t p) {
  if (p == 0) throw Error(ErrorKind::data, "the model uses no feature: there is nothing to explain");
  if (options.background == "cover") {
    if (const std::string why = why_not_by_leaves(input); !why.empty()) {
      throw Error(ErrorKind::usage, "background cover: only branches of trees have a cover, and " + why,
                  "leave the option out: features are then compared with rows of the data");
    }
    if (!options.groups.empty())
      throw Error(ErrorKind::usage, "background cover and groups do not go together", "leave out one of them");
    if (options.estimator == "sampling")
      throw Error(ErrorKind::usage, "background cover and estimator sampling do not go together",
                  "leave out one of them");
  }
  if (options.interactions && p * (p + 1) / 2 * input.explained.size() > most_pairs) {
    throw Error(ErrorKind::usage,
                option_name("interactions") + ": " + std::to_string(p) + " features have too many pairs",
                marked("leave the option out; the method {method:interactions} takes pairs that you name"));
  }
  if (by_leaves(input, options)) return;
  const std::string many = std::to_string(p) + (options.groups.empty() ? " features" : " features and groups") +
                           " are more than the " + std::to_string(most_enumerated) +
                           " of which every coalition can be asked for";
  if (options.estimator == "exact" && p > most_enumerated)
    throw Error(ErrorKind::usage, "estimator exact: " + many, "leave the option out, or set it to sampling");
  if (options.interactions && p > most_enumerated)
    throw Error(ErrorKind::usage, option_name("interactions") + ": " + many,
                marked("the method {method:interactions} measures pairs of any model"));
  if (options.interactions && options.estimator == "sampling")
    throw Error(ErrorKind::usage, "interactions and estimator sampling do not go together",
                marked("leave out {option:estimator}: interactions need every coalition"));
}

// A model whose structure is known says itself what features add; all others are asked about coalitions.
Chain<AttributorPtr> choose_attributor(const std::shared_ptr<const ShapWork>& work, const Choice& choice) {
  if (!choice.by_leaves) return draw_coalitions(work->input, choice.coalitions);
  return count_shapley(work->input, {.cover = work->options.background == "cover",
                                     .interactions = work->options.interactions,
                                     .rows = work->named ? work->named : work->explained});
}

// The values of rows, once it is known which.
Chain<Result> attribute(const std::shared_ptr<const ShapWork>& work, const Choice& choice) {
  return choose_attributor(work, choice).then([work](AttributorPtr attributor) {
    auto with = std::make_shared<ShapWork>(*work);
    with->attributor = std::move(attributor);
    return over_rows<ShapPass>(std::move(with));
  });
}

Chain<Result> start(const MethodInput& input, const Value& given) {
  const auto options = read_options<ShapOptions>(given);
  std::vector<FeatureGroup> players = players_of(input, options.groups);
  check(input, options, players.size());
  const auto work = std::make_shared<const ShapWork>(ShapWork{
      .input = input, .options = options, .players = std::move(players), .named = named_rows(input, options.rows)});
  const Choice choice = choose(input, options, work->players, work->named ? work->named->size() : 0);
  if (work->named || choice.explain == 0 || choice.explain >= input.rows) return attribute(work, choice);
  return draw_rows(input, {}, choice.explain, explain_stream).then([work, choice](const RowSample& drawn) {
    auto some = std::make_shared<ShapWork>(*work);
    (choice.ranks_all ? some->written : some->explained) = drawn.ids;
    some->available = drawn.available;
    return attribute(some, choice);
  });
}

}  // namespace

MethodEntry shap() {
  return {.name = "shap",
          .alias = "shapley",
          .about = {.title = "Shapley values",
                    .short_name = "SHAP",
                    .family = Family::local,
                    .terms = {shapley_values_term()}},
          .question = "What does each feature add to the prediction of a single row, compared with the average?",
          .when =
              "to explain single predictions by numbers that add up, and to see over many rows which features "
              "push where",
          .when_not =
              "as advice what to change: values compare with the average, not with a change of the row; strongly "
              "correlated features share credit through rows that could not be",
          .formula =
              "φ_j = Σ_{S ∌ j} |S|! (p − |S| − 1)! / p! · [v(S ∪ j) − v(S)]; v(S) = mean_b f(x_S, b_−S); "
              "base + Σ φ_j = f(x)",
          .paper =
              "Lundberg, Lee 2017, A unified approach to interpreting model predictions; Štrumbelj, Kononenko "
              "2010",
          .scopes = {Scope::local, Scope::global},
          .results = {"attributions", "importance"},
          .expresses = "one number per row and feature; mean sizes rank features; pairs on request",
          .cost =
              "trees: some tens of predictions per row; others: 2^p × background rows predictions per row up to 15 "
              "features; beyond, or to keep to the budget, "
              "2 (p − 1) × background rows per round of random orders",
          .access = Access::stream,
          .random = true,
          .prefers_margin = true,
          .options = describe_options<ShapOptions>(),
          .start = start};
}

}  // namespace sightglass
