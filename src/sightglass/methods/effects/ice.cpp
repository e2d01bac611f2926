#include "sightglass/methods/effects/ice.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/methods/effect_moments.h"
#include "sightglass/methods/ticks.h"
#include "sightglass/numeric/order_statistics.h"

namespace sightglass {

namespace {

constexpr std::uint64_t band_percents[] = {5, 25, 50, 75, 95};

// Where not every curve is kept, quantiles over all rows come from counts in equal bins: whole counts, values
// to 1/2048 of the curves' range, in memory that does not depend on the number of rows. The range is first
// guessed from the predictions of the data; where curves leave it, they are counted once more in their own.
constexpr std::size_t band_bins = 2048;

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  void add(const Range& other) {
    low = std::min(low, other.low);
    high = std::max(high, other.high);
  }
  [[nodiscard]] bool holds(const Range& other) const { return low <= other.low && other.high <= high; }
  // Constant curves need some width.
  [[nodiscard]] double width() const { return std::max(high - low, 1e-9 * std::max(1.0, std::abs(high))); }
  [[nodiscard]] std::size_t bin(double value) const {
    const double position = (value - low) / (high - low) * static_cast<double>(band_bins);
    return static_cast<std::size_t>(std::clamp(position, 0.0, static_cast<double>(band_bins - 1)));
  }
  [[nodiscard]] double middle(std::size_t bin) const {
    return low + (static_cast<double>(bin) + 0.5) / static_cast<double>(band_bins) * (high - low);
  }
};

// What the stages share.
struct IceWork {
  MethodInput input;
  IceOptions options;
  Ticks ticks;
  std::vector<FeatureGrid> grids;
  std::vector<std::size_t> anchors;                // per grid: the point at which centred curves are 0
  std::optional<std::vector<std::uint64_t>> kept;  // ascending rows whose curves are kept; nothing = all
  std::vector<std::vector<Range>> ranges;          // [grid][output], of the bands; empty if all curves are kept

  // Rows that were named are computed alone.
  [[nodiscard]] bool named() const { return !options.rows.empty(); }
  [[nodiscard]] bool keeps(std::uint64_t row) const {
    return !kept || std::binary_search(kept->begin(), kept->end(), row);
  }
  [[nodiscard]] std::vector<Variant> variants(std::size_t i) const {
    std::vector<Variant> variants;
    for (const Scalar& value : grids[i].values) variants.push_back({{grids[i].column, value}});
    if (grids[i].has_missing()) variants.push_back({{grids[i].column, Scalar::missing()}});
    return variants;
  }
};

// One row's curve: [point, then missing][output].
struct RowCurve {
  std::vector<double> values;
  double own = 0;  // the row's own value of the feature
  std::uint64_t ticks = 0;
};

class CurveSums : public Partial {
 public:
  struct Feature {
    EffectMoments moments;
    std::vector<std::uint64_t> bands;  // [point][output][bin]
    std::vector<Range> extremes;       // [output], of the curves as the bands see them
    std::map<std::uint64_t, RowCurve> curves;
  };
  std::uint64_t rows = 0;
  WeightSums weights;
  std::vector<Feature> features;

  void merge(const Partial& partial) override {
    const auto& other = dynamic_cast<const CurveSums&>(partial);
    rows += other.rows;
    weights.merge(other.weights);
    for (std::size_t i = 0; i < features.size(); ++i) {
      features[i].moments.merge(other.features[i].moments);
      for (std::size_t k = 0; k < features[i].bands.size(); ++k) features[i].bands[k] += other.features[i].bands[k];
      for (std::size_t k = 0; k < features[i].extremes.size(); ++k)
        features[i].extremes[k].add(other.features[i].extremes[k]);
      features[i].curves.insert(other.features[i].curves.begin(), other.features[i].curves.end());
    }
  }
  void save(ByteSink& sink) const override {
    sink.u64(rows);
    weights.save(sink);
    for (const Feature& feature : features) {
      feature.moments.save(sink);
      for (const std::uint64_t count : feature.bands) sink.u64(count);
      for (const Range& range : feature.extremes) {
        sink.f64(range.low);
        sink.f64(range.high);
      }
      sink.u64(feature.curves.size());
      for (const auto& [row, curve] : feature.curves) {
        sink.u64(row);
        sink.f64(curve.own);
        sink.u64(curve.ticks);
        sink.u64(curve.values.size());
        for (const double value : curve.values) sink.f64(value);
      }
    }
  }
  void load(ByteSource& source) override {
    rows = source.u64();
    weights.load(source);
    for (Feature& feature : features) {
      feature.moments.load(source);
      for (std::uint64_t& count : feature.bands) count = source.u64();
      for (Range& range : feature.extremes) {
        range.low = source.f64();
        range.high = source.f64();
      }
      feature.curves.clear();
      for (std::size_t left = source.count(32); left > 0; --left) {
        RowCurve& curve = feature.curves[source.u64()];
        curve.own = source.f64();
        curve.ticks = source.u64();
        curve.values.resize(source.count(8));
        for (double& value : curve.values) value = source.f64();
      }
    }
  }
};

class CurveStage : public Stage {
 public:
  explicit CurveStage(std::shared_ptr<const IceWork> work) : work_(std::move(work)) {}

  [[nodiscard]] std::vector<std::uint32_t> columns() const override {
    std::vector<std::uint32_t> columns;
    for (const auto& grid : work_->grids) columns.push_back(grid.column);
    return columns;
  }
  [[nodiscard]] bool needs_model() const override { return true; }
  [[nodiscard]] std::uint64_t cost_per_row() const override {
    if (work_->named()) return 0;
    std::uint64_t cost = 0;
    for (const auto& grid : work_->grids) cost += grid.values.size() + (grid.has_missing() ? 1 : 0);
    return cost;
  }

  [[nodiscard]] std::unique_ptr<Partial> empty() const override {
    auto partial = std::make_unique<CurveSums>();
    const std::size_t outputs = work_->input.explained.size();
    for (const auto& grid : work_->grids) {
      partial->features.push_back(
          {.moments = EffectMoments(grid.values.size(), grid.has_missing(), work_->input.explained),
           .bands = std::vector<std::uint64_t>(banded() ? grid.values.size() * outputs * band_bins : 0),
           .extremes = std::vector<Range>(outputs)});
    }
    return partial;
  }

  void map(const RowBlock& block, Partial& partial, Evaluator& evaluator) const override {
    auto& sums = dynamic_cast<CurveSums&>(partial);
    if (!work_->named()) {
      map_rows(block, sums, evaluator);
      return;
    }
    std::vector<std::uint64_t> local, ids;
    for (std::size_t row = 0; row < block.rows; ++row) {
      if (!work_->keeps(block.row_id(row))) continue;
      local.push_back(row);
      ids.push_back(block.row_id(row));
    }
    if (ids.empty()) return;
    std::vector<Column> memory;
    std::vector<ColumnView> views(block.columns.size());
    for (std::size_t column = 0; column < views.size(); ++column) {
      if (block.columns[column].data == nullptr) continue;
      memory.push_back(gather(block.columns[column], local));
      views[column] = memory.back().view;
    }
    // Without weights: a row that was asked for is shown whatever it weighs.
    map_rows({.first_row = ids.front(), .rows = ids.size(), .columns = views, .row_ids = ids}, sums, evaluator);
  }

  [[nodiscard]] Next next(const Partial& merged) const override {
    const auto& sums = dynamic_cast<const CurveSums&>(merged);
    if (work_->named() && sums.rows < work_->kept->size()) {
      throw Error(ErrorKind::usage, "rows: not all of these rows are in the data",
                  "rows are counted from 0; the data have " + std::to_string(work_->input.rows));
    }
    if (auto wider = with_wider_ranges(sums)) return std::make_unique<CurveStage>(std::move(wider));
    Result result;
    for (std::size_t i = 0; i < work_->grids.size(); ++i) {
      for (std::size_t k = 0; k < work_->input.explained.size(); ++k) result.results.push_back(curves(i, k, sums));
    }
    add_grid_caveats(work_->grids, result.caveats);
    if (work_->kept && !work_->named()) {
      const std::string kept = std::to_string(work_->kept->size());
      result.caveats.push_back(
          {.id = "some-curves",
           .severity = Severity::note,
           .message = kept + " of " + std::to_string(sums.rows) +
                      " curves are kept, picked by quantiles of the prediction; mean and bands are over all rows",
           .evidence = Value::object({{"kept", work_->kept->size()}, {"rows", sums.rows}}),
           .advice = "set curves to 0 to keep every curve"});
    }
    return result;
  }

 private:
  [[nodiscard]] bool banded() const { return !work_->ranges.empty(); }

  // The same work with the ranges that the curves turned out to have, if they left those that were guessed.
  [[nodiscard]] std::shared_ptr<IceWork> with_wider_ranges(const CurveSums& sums) const {
    std::shared_ptr<IceWork> wider;
    for (std::size_t i = 0; i < work_->ranges.size(); ++i) {
      for (std::size_t k = 0; k < work_->ranges[i].size(); ++k) {
        const Range& seen = sums.features[i].extremes[k];
        if (work_->grids[i].values.empty() || work_->ranges[i][k].holds(seen)) continue;
        if (!wider) wider = std::make_shared<IceWork>(*work_);
        wider->ranges[i][k] = {seen.low, seen.low + seen.width() * (1 + 1e-12)};
        wider->ranges[i][k].add(seen);
      }
    }
    return wider;
  }

  void map_rows(const RowBlock& block, CurveSums& sums, Evaluator& evaluator) const {
    sums.rows += block.rows;
    sums.weights.add(block);
    Matrix predictions;
    for (std::size_t i = 0; i < work_->grids.size(); ++i) {
      const std::vector<Variant> variants = work_->variants(i);
      CurveSums::Feature& feature = sums.features[i];
      for_each_slice(block, rows_per_request(variants.size()), [&](const RowBlock& part) {
        evaluator.evaluate(part, variants, predictions);
        feature.moments.add(part, predictions.span(), evaluator.context());
        count_bands(i, part, predictions, feature, evaluator.context());
        keep_curves(i, part, predictions, variants.size(), feature);
      });
    }
  }

  void count_bands(std::size_t i, const RowBlock& block, const Matrix& predictions, CurveSums::Feature& feature,
                   const Context& context) const {
    if (!banded()) return;
    const auto& outputs = work_->input.explained;
    const std::size_t points = work_->grids[i].values.size();
    std::vector<std::uint64_t> ticks(block.rows);
    for (std::size_t row = 0; row < block.rows; ++row) ticks[row] = work_->ticks.of(block, row);
    std::vector<Range> extremes(points * outputs.size());
    context.parallel_for(points, [&](std::size_t point) {
      for (std::size_t row = 0; row < block.rows; ++row) {
        if (ticks[row] == 0) continue;
        for (std::size_t k = 0; k < outputs.size(); ++k) {
          double value = predictions(point * block.rows + row, outputs[k]);
          if (work_->options.center) value -= predictions(work_->anchors[i] * block.rows + row, outputs[k]);
          extremes[point * outputs.size() + k].add(value);
          feature.bands[(point * outputs.size() + k) * band_bins + work_->ranges[i][k].bin(value)] += ticks[row];
        }
      }
    });
    for (std::size_t at = 0; at < extremes.size(); ++at) feature.extremes[at % outputs.size()].add(extremes[at]);
  }

  void keep_curves(std::size_t i, const RowBlock& block, const Matrix& predictions, std::size_t variants,
                   CurveSums::Feature& feature) const {
    const auto& outputs = work_->input.explained;
    for (std::size_t row = 0; row < block.rows; ++row) {
      const std::uint64_t ticks = work_->ticks.of(block, row);
      // A row of weight zero counts as one that is not there.
      if (ticks == 0 || !work_->keeps(block.row_id(row))) continue;
      RowCurve& curve = feature.curves[block.row_id(row)];
      curve.own = block.columns[work_->grids[i].column].number(row);
      curve.ticks = ticks;
      curve.values.clear();
      for (std::size_t variant = 0; variant < variants; ++variant) {
        for (const std::size_t output : outputs)
          curve.values.push_back(predictions(variant * block.rows + row, output));
      }
    }
  }

  [[nodiscard]] Curves curves(std::size_t i, std::size_t output, const CurveSums& sums) const {
    const FeatureGrid& grid = work_->grids[i];
    const CurveSums::Feature& feature = sums.features[i];
    const std::size_t points = grid.values.size();
    const std::size_t width = work_->input.explained.size();
    const bool center = work_->options.center && points > 0;
    const std::size_t anchor = work_->anchors[i];
    Curves curves{.axis = grid.axis,
                  .output = work_->input.outputs[work_->input.explained[output]],
                  .total_rows = work_->named() ? work_->input.rows : sums.rows,
                  .distribution = grid.distribution};
    if (center) {
      if (grid.axis.is_categorical()) {
        curves.anchor_level = grid.axis.levels[anchor];
      } else {
        curves.anchor = grid.axis.numbers[anchor];
      }
    }
    for (const auto& [row, curve] : feature.curves) {
      const double zero = center ? curve.values[anchor * width + output] : 0;
      curves.rows.push_back(row);
      curves.values.emplace_back();
      for (std::size_t point = 0; point < points; ++point) {
        curves.values.back().push_back(curve.values[point * width + output] - zero);
      }
      if (grid.has_missing()) curves.missing.push_back(curve.values[points * width + output] - zero);
      if (grid.axis.is_categorical()) {
        curves.own_level.push_back(std::isnan(curve.own) ? "" : level_name(grid, curve.own));
      } else {
        curves.own_value.push_back(std::isnan(curve.own) ? std::nullopt : std::optional(curve.own));
      }
    }
    if (work_->named()) return curves;

    const ExactSum::Pair total = sums.weights.total();
    for (std::size_t point = 0; point < points; ++point) {
      curves.mean.push_back(feature.moments.point(point, output, total).mean);
    }
    const double mean_at_anchor = center ? curves.mean[anchor] : 0;
    for (double& mean : curves.mean) mean -= mean_at_anchor;
    curves.heterogeneity = feature.moments.heterogeneity(output, total);
    for (const std::uint64_t percent : band_percents) {
      curves.band_levels.push_back(static_cast<double>(percent) / 100);
      curves.bands.emplace_back();
      for (std::size_t point = 0; point < points; ++point) {
        curves.bands.back().push_back(banded() ? counted_band(i, feature, point, output, percent)
                                               : exact_band(curves, feature, point, percent));
      }
    }
    return curves;
  }

  [[nodiscard]] std::string level_name(const FeatureGrid& grid, double code) const {
    for (std::size_t point = 0; point < grid.values.size(); ++point) {
      if (grid.values[point].number == code) return grid.axis.levels[point];
    }
    return {};
  }

  // The type-1 quantile of the kept curves, which are all.
  [[nodiscard]] static double exact_band(const Curves& curves, const CurveSums::Feature& feature, std::size_t point,
                                         std::uint64_t percent) {
    std::vector<std::pair<double, std::uint64_t>> values;
    std::uint64_t total = 0;
    std::size_t position = 0;
    for (const auto& [row, curve] : feature.curves) {
      values.emplace_back(curves.values[position++][point], curve.ticks);
      total += curve.ticks;
    }
    std::sort(values.begin(), values.end());
    const std::uint64_t rank = quantile_rank(total, percent, 100);
    std::uint64_t below = 0;
    for (const auto& [value, ticks] : values) {
      below += ticks;
      if (below > rank) return value;
    }
    return values.empty() ? 0 : values.back().first;
  }

  [[nodiscard]] double counted_band(std::size_t i, const CurveSums::Feature& feature, std::size_t point,
                                    std::size_t output, std::uint64_t percent) const {
    const std::uint64_t* bins = feature.bands.data() + (point * work_->input.explained.size() + output) * band_bins;
    const std::uint64_t rank = quantile_rank(std::accumulate(bins, bins + band_bins, std::uint64_t{0}), percent, 100);
    std::uint64_t below = 0;
    std::size_t bin = 0;
    while (bin + 1 < band_bins && below + bins[bin] <= rank) below += bins[bin++];
    if (work_->options.center && point == work_->anchors[i]) return 0;
    const Range& seen = feature.extremes[output];
    return std::clamp(work_->ranges[i][output].middle(bin), seen.low, seen.high);
  }

  std::shared_ptr<const IceWork> work_;
};

// The plain predictions of all rows: which rows stand for the others, and in what range the curves lie.
class PredictionList : public Partial {
 public:
  std::vector<std::pair<double, std::uint64_t>> rows;  // prediction of the first explained output, row
  std::vector<Range> ranges;                           // lowest and highest prediction per explained output

  void merge(const Partial& partial) override {
    const auto& other = dynamic_cast<const PredictionList&>(partial);
    rows.insert(rows.end(), other.rows.begin(), other.rows.end());
    for (std::size_t k = 0; k < ranges.size(); ++k) {
      ranges[k].add(other.ranges[k]);
    }
  }
  void save(ByteSink& sink) const override {
    sink.u64(rows.size());
    for (const auto& [prediction, row] : rows) {
      sink.f64(prediction);
      sink.u64(row);
    }
    for (const Range& range : ranges) {
      sink.f64(range.low);
      sink.f64(range.high);
    }
  }
  void load(ByteSource& source) override {
    rows.resize(source.count(16));
    for (auto& [prediction, row] : rows) {
      prediction = source.f64();
      row = source.u64();
    }
    for (Range& range : ranges) {
      range.low = source.f64();
      range.high = source.f64();
    }
  }
};

class PickStage : public Stage {
 public:
  explicit PickStage(std::shared_ptr<const IceWork> work) : work_(std::move(work)) {}
  [[nodiscard]] std::vector<std::uint32_t> columns() const override { return {}; }
  [[nodiscard]] bool needs_model() const override { return true; }
  [[nodiscard]] std::uint64_t cost_per_row() const override { return 1; }

  [[nodiscard]] std::unique_ptr<Partial> empty() const override {
    auto partial = std::make_unique<PredictionList>();
    partial->ranges.resize(work_->input.explained.size());
    return partial;
  }

  void map(const RowBlock& block, Partial& partial, Evaluator& evaluator) const override {
    auto& list = dynamic_cast<PredictionList&>(partial);
    Matrix predictions;
    evaluator.evaluate(block, predictions);
    const auto& outputs = work_->input.explained;
    for (std::size_t row = 0; row < block.rows; ++row) {
      if (work_->ticks.of(block, row) == 0) continue;
      list.rows.emplace_back(predictions(row, outputs.front()), block.row_id(row));
      for (std::size_t k = 0; k < outputs.size(); ++k) {
        list.ranges[k].add(predictions(row, outputs[k]));
      }
    }
  }

  [[nodiscard]] Next next(const Partial& merged) const override {
    const auto& list = dynamic_cast<const PredictionList&>(merged);
    auto rows = list.rows;
    std::sort(rows.begin(), rows.end());
    const auto wanted = std::min(static_cast<std::size_t>(work_->options.curves), rows.size());
    auto work = std::make_shared<IceWork>(*work_);
    work->kept.emplace();
    for (std::size_t k = 0; k < wanted; ++k)
      work->kept->push_back(rows[(2 * k + 1) * rows.size() / (2 * wanted)].second);
    std::sort(work->kept->begin(), work->kept->end());
    std::vector<Range> guesses;
    for (const Range& range : list.ranges) {
      // Changing a feature takes predictions beyond what the data show.
      const double low = work->options.center ? -1.5 * range.width() : range.low - range.width();
      guesses.push_back({low, low + 3 * range.width()});
    }
    work->ranges.assign(work->grids.size(), guesses);
    return std::make_unique<CurveStage>(std::move(work));
  }

 private:
  std::shared_ptr<const IceWork> work_;
};

std::size_t anchor_point(const FeatureGrid& grid, const IceOptions& options) {
  if (!options.anchor || grid.axis.is_categorical() || grid.values.empty()) return 0;
  std::size_t best = 0;
  for (std::size_t point = 0; point < grid.axis.numbers.size(); ++point) {
    if (std::abs(grid.axis.numbers[point] - *options.anchor) < std::abs(grid.axis.numbers[best] - *options.anchor)) {
      best = point;
    }
  }
  return best;
}

std::unique_ptr<Stage> start(const MethodInput& input, const Value& given) {
  const auto options = read_options<IceOptions>(given);
  if (options.curves < 0) throw Error(ErrorKind::usage, "option curves: 0 or more, please");
  if (options.anchor && !options.center) throw Error(ErrorKind::usage, "option anchor: only with center");
  std::vector<GridRequest> requests;
  for (const std::uint32_t column : chosen_features(input, options.features)) {
    requests.push_back(grid_request(input, options, column, options.grid));
  }
  auto work = std::make_shared<IceWork>(IceWork{.input = input, .options = options, .ticks = Ticks(input)});
  if (work->named()) {
    work->kept.emplace();
    for (const std::int64_t row : options.rows) {
      if (row < 0)
        throw Error(ErrorKind::usage, "rows: " + std::to_string(row) + " is not a row", "rows are counted from 0");
      work->kept->push_back(static_cast<std::uint64_t>(row));
    }
    if (input.sampled) {
      throw Error(ErrorKind::usage, "rows and sample do not go together",
                  "named rows are computed alone: leave out sample");
    }
    std::sort(work->kept->begin(), work->kept->end());
    work->kept->erase(std::unique(work->kept->begin(), work->kept->end()), work->kept->end());
  }
  return find_grids(input, std::move(requests), [work](std::vector<FeatureGrid> grids) -> Next {
    auto ready = std::make_shared<IceWork>(*work);
    for (const FeatureGrid& grid : grids) ready->anchors.push_back(anchor_point(grid, ready->options));
    ready->grids = std::move(grids);
    const auto wanted = static_cast<std::uint64_t>(ready->options.curves);
    const bool keep_all = ready->named() || wanted == 0 || ready->input.rows <= wanted;
    if (keep_all) return std::make_unique<CurveStage>(std::move(ready));
    return std::make_unique<PickStage>(std::move(ready));
  });
}

}  // namespace

MethodEntry ice() {
  return {.name = "ice",
          .alias = "",
          .question = "How does the prediction of each single row change when one feature is set to a value?",
          .when = "to see whether the average curve hides rows that react differently",
          .when_not = "strongly correlated features: parts of each curve are at values the row could not have",
          .formula = "ICE_i(v) = f(v, x_C^(i)); centred: minus its value at the anchor",
          .paper = "Goldstein, Kapelner, Bleich, Pitkin 2015, Peeking inside the black box",
          .kind = "post hoc, model-agnostic",
          .scope = "global and single rows",
          .expresses = "one curve per row and feature; their spread shows interactions",
          .cost = "grid × rows predictions per feature",
          .access = Access::stream,
          .options = describe_options<IceOptions>(),
          .start = start};
}

}  // namespace sightglass
