#include "sightglass/methods/effects/regional_effects.h"

#include <algorithm>
#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/methods/effects/regions/region_sums.h"
#include "sightglass/methods/run/data_profile.h"
#include "sightglass/methods/run/weight_units.h"

namespace sightglass {

namespace {

// Sums of candidate splits in memory at once, in bytes: features are worked on in groups that keep to it.
constexpr std::size_t most_sums = std::size_t{64} << 20;
// A single feature's, at the most: what needs more is left out.
constexpr std::size_t most_feature_sums = std::size_t{512} << 20;
// Gains that differ by less than this share of the total are the same: rounding must not choose between features.
constexpr double tie_share = 1e-9;

// One feature's effect on one output, on its way to its regions.
struct Effect {
  std::vector<RowRegion> regions = {RowRegion{}};
  std::int64_t level = 0;  // splits that led to these regions
  double total = 0;        // Σ w c² over all rows and points
  std::optional<double> before;
  std::vector<std::string> splits;  // by what, in words
  bool done = false;
  std::vector<ResultItem> items;
};

// What the passes share.
struct RegionalWork {
  MethodInput input;
  RegionalEffectsOptions options;
  WeightUnits units;
  std::vector<FeatureGrid> grids;                    // of the features to explain
  std::vector<SplitColumn> columns;                  // to split by
  std::vector<std::vector<std::size_t>> candidates;  // per feature: the columns that may split it
  std::vector<std::vector<Effect>> effects;          // [feature][output]
  std::vector<std::string> left_out;                 // features with more levels than there is memory for
  std::size_t first = 0, end = 0;                    // the features that are worked on now
  double weight = 0, min_weight = 0;                 // of all rows; of a region, at the least

  [[nodiscard]] std::size_t points(std::size_t i) const { return grids[i].values.size(); }
  [[nodiscard]] std::size_t variants(std::size_t i) const { return points(i) + (grids[i].has_missing() ? 1 : 0); }
  [[nodiscard]] bool active(std::size_t i) const {
    return std::any_of(effects[i].begin(), effects[i].end(), [](const Effect& effect) { return !effect.done; });
  }
  // Memory for a feature's sums.
  [[nodiscard]] std::size_t bytes_of(const FeatureGrid& grid) const {
    std::size_t bins = 0;
    for (const SplitColumn& column : columns) bins += column.column() == grid.column ? 0 : column.bins();
    const std::size_t regions = options.depth > 1 ? 2 : 1;
    return input.explained.size() * regions * bins * grid.values.size() * sizeof(ExactSum);
  }
  // Takes up the next features, as many as their sums leave room for.
  void advance() {
    first = end;
    std::size_t bytes = 0;
    while (end < grids.size()) {
      bytes += bytes_of(grids[end]);
      if (end > first && bytes > most_sums) return;
      ++end;
    }
  }
};

// Of each feature that is worked on: [output][region]; no regions where it is done.
using RegionalSums = std::vector<std::vector<std::vector<RegionSums>>>;
using RegionalWorkPtr = std::shared_ptr<const RegionalWork>;

// The regions' curves, and the sums of every split that could divide them further.
class RegionPass : public Pass<RegionalSums, RegionalWorkPtr> {
 public:
  explicit RegionPass(RegionalWorkPtr work) : work_(std::move(work)) {}

  [[nodiscard]] std::vector<std::uint32_t> columns() const override {
    std::vector<std::uint32_t> columns;
    for (const SplitColumn& column : work_->columns) columns.push_back(column.column());
    for (std::size_t i = work_->first; i < work_->end; ++i) columns.push_back(work_->grids[i].column);
    return columns;
  }
  [[nodiscard]] bool needs_model() const override { return true; }
  [[nodiscard]] std::uint64_t cost_per_row() const override {
    std::uint64_t cost = 0;
    for (std::size_t i = work_->first; i < work_->end; ++i) cost += work_->active(i) ? work_->variants(i) : 0;
    return cost;
  }

  [[nodiscard]] RegionalSums empty() const override {
    RegionalSums sums;
    for (std::size_t i = work_->first; i < work_->end; ++i) {
      const FeatureGrid& grid = work_->grids[i];
      auto& effects = sums.emplace_back();
      std::vector<std::size_t> bins;
      for (const std::size_t column : work_->candidates[i]) bins.push_back(work_->columns[column].bins());
      for (const Effect& effect : work_->effects[i]) {
        auto& regions = effects.emplace_back();
        if (effect.done) continue;
        for (const RowRegion& region : effect.regions)
          regions.emplace_back(grid, region.open ? bins : std::vector<std::size_t>{});
      }
    }
    return sums;
  }

  void map(const RowBlock& block, RegionalSums& sums, Evaluator& evaluator) const override {
    std::vector<std::vector<std::uint16_t>> bins(work_->columns.size(), std::vector<std::uint16_t>(block.rows));
    evaluator.context().parallel_for(bins.size(), [&](std::size_t column) {
      work_->columns[column].assign(block.columns[work_->columns[column].column()], bins[column]);
    });
    Matrix predictions;
    for (std::size_t i = work_->first; i < work_->end; ++i) {
      if (!work_->active(i)) continue;
      auto& effects = sums[i - work_->first];
      std::vector<Variant> variants;
      for (const Scalar& value : work_->grids[i].values) variants.push_back({{work_->grids[i].column, value}});
      if (work_->grids[i].has_missing()) variants.push_back({{work_->grids[i].column, Scalar::missing()}});
      std::size_t offset = 0;
      for_each_slice(block, rows_per_request(variants.size()), [&](const RowBlock& part) {
        evaluator.evaluate(part, variants, predictions);
        const RegionRows rows = read_rows(i, part, offset, bins);
        for (std::size_t k = 0; k < effects.size(); ++k) {
          const auto chosen = members(work_->effects[i][k], rows);
          for (std::size_t r = 0; r < effects[k].size(); ++r) {
            effects[k][r].add(work_->grids[i], rows, chosen[r], predictions.span(), work_->input.explained[k],
                              work_->candidates[i], work_->input.weighted, evaluator.context());
          }
        }
        offset += part.rows;
      });
    }
  }

  // The regions divided further; the next features where none of these can be.
  [[nodiscard]] RegionalWorkPtr find(const RegionalSums& sums) const override {
    auto work = std::make_shared<RegionalWork>(*work_);
    bool again = false;
    for (std::size_t i = work->first; i < work->end; ++i) {
      const auto& effects = sums[i - work->first];
      for (std::size_t k = 0; k < work->effects[i].size(); ++k) {
        Effect& effect = work->effects[i][k];
        if (effect.done) continue;
        divide(i, effect, effects[k], *work);
        if (effect.done) effect.items = items(i, k, effect, effects[k], *work);
        again = again || !effect.done;
      }
    }
    if (!again) work->advance();
    return work;
  }

 private:
  [[nodiscard]] RegionRows read_rows(std::size_t i, const RowBlock& part, std::size_t offset,
                                     const std::vector<std::vector<std::uint16_t>>& bins) const {
    RegionRows rows{.count = part.rows, .weights = std::vector<double>(part.rows, 1.0)};
    rows.values.resize(part.rows);
    rows.units.resize(part.rows);
    if (part.weights.size > 0) read_numbers(part.weights, rows.weights);
    read_numbers(part.columns[work_->grids[i].column], rows.values);
    for (std::size_t row = 0; row < part.rows; ++row) rows.units[row] = work_->units.of(part, row);
    for (const auto& column : bins) rows.bins.push_back(column.data() + offset);
    return rows;
  }

  // The rows of each region, in their order; rows without weight are in none.
  [[nodiscard]] static std::vector<std::vector<std::uint32_t>> members(const Effect& effect, const RegionRows& rows) {
    std::vector<std::vector<std::uint32_t>> members(effect.regions.size());
    for (std::size_t row = 0; row < rows.count; ++row) {
      if (!(rows.weights[row] > 0)) continue;
      for (std::size_t r = 0; r < effect.regions.size(); ++r) {
        if (!rows.inside(effect.regions[r], row)) continue;
        members[r].push_back(static_cast<std::uint32_t>(row));
        break;
      }
    }
    return members;
  }

  // Divides the regions that gain enough by it; done if none does.
  static void divide(std::size_t i, Effect& effect, const std::vector<RegionSums>& sums, RegionalWork& work) {
    if (effect.level == 0) {
      const auto given = static_cast<double>(work.options.min_rows);
      work.weight = sums[0].weight();
      // Weights that are fractions still stand for whole rows.
      const double row = 1 / work.input.profile().weight_scale();
      work.min_weight = given > 0 ? given * row : std::max(30 * row, 0.05 * work.weight);
      const auto shape = sums[0].shape_sums();
      effect.total = shape ? shape->all * work.weight : 0;
      effect.before = sums[0].heterogeneity();
    }
    std::vector<RowRegion> regions;
    bool divided = false;
    for (std::size_t r = 0; r < sums.size(); ++r) {
      const auto found =
          effect.total > 0 && effect.regions[r].open ? best_split(i, effect, sums[r], work) : std::nullopt;
      if (!found) {
        regions.push_back(effect.regions[r]);
        regions.back().open = false;
        continue;
      }
      divided = true;
      const auto& [column, division] = *found;
      const SplitColumn::Side& near = work.columns[column].divisions()[division.index];
      SplitColumn::Side far = near;
      far.flip();
      const bool deeper = effect.level + 1 < work.options.depth;
      for (const bool side : {true, false}) {
        const double weight = side ? division.near_weight : division.far_weight;
        regions.push_back(effect.regions[r].part(column, side ? near : far, deeper && weight >= 2 * work.min_weight));
      }
      const std::string where = effect.regions[r].text(work.columns);
      effect.splits.push_back(work.columns[column].condition(near) + (where.empty() ? "" : " where " + where));
    }
    effect.done = !divided;
    if (!divided) return;
    effect.regions = std::move(regions);
    ++effect.level;
  }

  struct Found {
    std::size_t column;
    Division division;
  };
  static std::optional<Found> best_split(std::size_t i, const Effect& effect, const RegionSums& sums,
                                         const RegionalWork& work) {
    const double tie = tie_share * effect.total;
    std::optional<Found> best;
    for (std::size_t c = 0; c < sums.columns().size(); ++c) {
      const std::size_t column = work.candidates[i][c];
      const auto division =
          best_division(work.columns[column], sums.columns()[c], work.points(i), work.units, work.min_weight, tie);
      if (division && (!best || division->gain > best->division.gain + tie)) best = Found{column, *division};
    }
    // A split that explains exactly the wanted share is good enough, whatever the last bit says.
    if (best && best->division.gain < work.options.min_gain * effect.total - tie) best.reset();
    if (best && !(best->division.gain > tie)) best.reset();
    return best;
  }

  static std::vector<ResultItem> items(std::size_t i, std::size_t k, const Effect& effect,
                                       const std::vector<RegionSums>& sums, const RegionalWork& work) {
    std::vector<ResultItem> items;
    const std::string& output = work.input.outputs[work.input.explained[k]];
    const std::string& name = work.grids[i].axis.feature;
    double after = 0;
    bool finite = effect.before.has_value();
    for (std::size_t r = 0; r < sums.size(); ++r) {
      Curve region = sums[r].curve(work.grids[i], work.units, sums.size() == 1);
      region.output = output;
      region.group = effect.regions[r].text(work.columns);
      items.push_back(std::move(region));
      const auto shape = sums[r].shape_sums();
      finite = finite && shape;
      if (shape && effect.total > 0) after += shape->differing * sums[r].weight() / effect.total;
    }
    if (!finite) return items;
    // One region is what there was before, to the last bit.
    if (sums.size() == 1) after = *effect.before;
    const double before = *effect.before;
    std::string by;
    for (const std::string& split : effect.splits) by += (by.empty() ? "" : "; ") + split;
    items.push_back(Figure{.name = name + ": heterogeneity before",
                           .id = FigureId::heterogeneity_before,
                           .feature = name,
                           .output = output,
                           .value = before,
                           .meaning = "how much single rows differ in shape from one curve for all; 0: not at all"});
    items.push_back(Figure{.name = name + ": heterogeneity after",
                           .id = FigureId::heterogeneity_after,
                           .feature = name,
                           .output = output,
                           .value = after,
                           .meaning = "the same with one curve per region"});
    items.push_back(Figure{.name = name + ": share explained",
                           .id = FigureId::heterogeneity_explained,
                           .feature = name,
                           .output = output,
                           .value = before > 0 ? std::clamp(1 - after / before, 0.0, 1.0) : 0,
                           .meaning = by.empty() ? "no split was worth it" : "of how rows differ, by splits at " + by});
    return items;
  }

  RegionalWorkPtr work_;
};

void add_caveats(const RegionalWork& work, std::vector<Caveat>& caveats) {
  std::string names;
  Value whole = Value::array();
  Value overflowed = Value::array();
  for (std::size_t i = 0; i < work.grids.size(); ++i) {
    const std::string& name = work.grids[i].axis.feature;
    bool any = false;
    for (std::size_t k = 0; k < work.effects[i].size(); ++k) {
      const Effect& effect = work.effects[i][k];
      if (!effect.before) overflowed.push_back(name);
      if (effect.level > 0 || !effect.before) continue;
      any = true;
      whole.push_back(Value::object({{"feature", name},
                                     {"output", work.input.outputs[work.input.explained[k]]},
                                     {"heterogeneity", *effect.before}}));
    }
    if (any) names += (names.empty() ? "" : ", ") + name;
  }
  if (!whole.as_array().empty()) {
    caveats.push_back({.id = "no-split",
                       .severity = Severity::note,
                       .message = names + ": no split parts rows that differ, one curve stands for all rows",
                       .evidence = Value::object(
                           {{"min_gain", work.options.min_gain}, {"min_rows", work.min_weight}, {"effects", whole}}),
                       .advice = marked("lower {option:min_gain} or {option:min_rows} to see weaker splits")});
  }
  if (!work.left_out.empty()) {
    std::string left_out;
    for (const std::string& name : work.left_out) left_out += (left_out.empty() ? "" : ", ") + name;
    caveats.push_back(
        {.id = "features-left-out",
         .severity = Severity::caution,
         .message = left_out + ": too many points or levels to look for regions; left out",
         .evidence = Value::object({{"features", work.left_out}}),
         .advice = marked("use a smaller {option:grid|grid}, name fewer columns with {option:split_by}, or lower "
                          "{option:splits}")});
  }
  if (work.weight < 2 * work.min_weight) {
    const std::string all = std::to_string(std::llround(work.weight));
    caveats.push_back(
        {.id = "too-few-rows",
         .severity = Severity::caution,
         .message = (work.input.weighted ? "the weights sum to " + all + ", too little" : all + " rows are too few") +
                    " for two regions of " + std::to_string(std::llround(work.min_weight)),
         .evidence = Value::object({{"rows", work.weight}, {"min_rows", work.min_weight}}),
         .advice = marked("use more rows, or set {option:min_rows}; weights should count rows")});
  }
  if (std::all_of(work.candidates.begin(), work.candidates.end(), [](const auto& c) { return c.empty(); })) {
    caveats.push_back({.id = "nothing-to-split-by",
                       .severity = Severity::note,
                       .message = "there is no other feature with two values to split by",
                       .advice = marked("name others with {option:split_by}")});
  }
  if (!overflowed.as_array().empty()) {
    caveats.push_back({.id = "too-large",
                       .severity = Severity::caution,
                       .message = "predictions are so large that their squares overflow: no splits were tried",
                       .evidence = Value::object({{"features", overflowed}}),
                       .advice = "scale the model's output"});
  }
}

Result result_of(const RegionalWork& work) {
  Result result;
  for (const auto& feature : work.effects) {
    for (const Effect& effect : feature)
      result.results.insert(result.results.end(), effect.items.begin(), effect.items.end());
  }
  add_grid_caveats(work.grids, result.caveats);
  add_caveats(work, result.caveats);
  return result;
}

// As many passes as there are features to work on and regions to divide.
Chain<RegionalWorkPtr> find_regions(const RegionalWorkPtr& work) {  // NOLINT(misc-no-recursion)
  if (work->first == work->grids.size()) return work;
  return over_rows<RegionPass>(work).then(find_regions);
}

RegionalEffectsOptions checked(const Value& given) {
  auto options = read_options<RegionalEffectsOptions>(given);
  return options;
}

// What the passes need to know, from the grids of the features and of the columns to split by.
RegionalWorkPtr prepare(const MethodInput& input, const RegionalEffectsOptions& options, std::size_t features,
                        std::vector<FeatureGrid> grids) {
  auto work =
      std::make_shared<RegionalWork>(RegionalWork{.input = input, .options = options, .units = WeightUnits(input)});
  for (std::size_t c = features; c < grids.size(); ++c) {
    SplitColumn column(grids[c], static_cast<std::size_t>(options.splits));
    if (!column.divisions().empty()) work->columns.push_back(std::move(column));
  }
  grids.resize(features);
  for (FeatureGrid& grid : grids) {
    if (work->bytes_of(grid) > most_feature_sums) {
      work->left_out.push_back(grid.axis.feature);
    } else {
      work->grids.push_back(std::move(grid));
    }
  }
  if (work->grids.empty() && !work->left_out.empty()) {
    throw Error(
        ErrorKind::usage, "regional effects of " + work->left_out[0] + ": its points or levels are too many",
        marked(
            "use a smaller {option:grid|grid}, name fewer columns with {option:split_by}, or lower {option:splits}"));
  }
  for (const FeatureGrid& grid : work->grids) {
    auto& candidates = work->candidates.emplace_back();
    for (std::size_t c = 0; c < work->columns.size(); ++c) {
      if (work->columns[c].column() != grid.column) candidates.push_back(c);
    }
  }
  work->effects.assign(work->grids.size(), std::vector<Effect>(input.explained.size()));
  work->advance();
  return work;
}

Chain<Result> start(const MethodInput& input, const Value& given) {
  const RegionalEffectsOptions options = checked(given);
  std::vector<GridRequest> requests;
  for (const std::uint32_t column : chosen_features(input, options.features))
    requests.push_back(grid_request(input, options.grid_rule, options.values, column, options.grid));
  const std::size_t features = requests.size();
  for (const std::uint32_t column : chosen_features(input, options.split_by, option_name("split_by")))
    requests.push_back({.column = column, .size = static_cast<std::size_t>(options.splits) + 1});
  return find_grids(input, std::move(requests))
      .then([=](std::vector<FeatureGrid> grids) { return prepare(input, options, features, std::move(grids)); })
      .then(find_regions)
      .then([](const RegionalWorkPtr& work) { return result_of(*work); });
}

}  // namespace

MethodEntry regional_effects() {
  return {
      .name = "regional-effects",
      .alias = "regional",
      .about = {.title = "Regional effects", .short_name = "", .family = Family::effects},
      .question = "In which parts of the data does a feature act alike, and how does it act in each?",
      .when = "the average curve hides different ones (heterogeneity above 25 %): who reacts how?",
      .when_not = "strongly correlated features, as with partial dependence; regions need rows enough to trust",
      .formula =
          "splits of other features that lower Σ [c_i(v_k) − mean c of i's region (v_k)]² / Σ c_i(v_k)² most, "
          "c_i = ICE_i minus its own mean",
      .paper = "Herbinger, Bischl, Casalicchio 2022, REPID: regional effect plots with implicit interaction detection",
      .scopes = {Scope::modular},
      .estimand = Estimand::regional_dependence,
      .results = {"curve", "figure"},
      .expresses = "one curve per region, with the condition that makes the region and what it explains",
      .cost = "at most (depth + 1) × grid × rows predictions per feature",
      .access = Access::stream,
      .options = describe_options<RegionalEffectsOptions>(),
      .start = start};
}

}  // namespace sightglass
