#include "sightglass/methods/effects/ice.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/data/picked_block.h"
#include "sightglass/methods/effects/curves/curve_bands.h"
#include "sightglass/methods/effects/curves/curve_picks.h"
#include "sightglass/methods/effects/curves/effect_moments.h"
#include "sightglass/methods/run/weight_units.h"
#include "sightglass/numeric/order_statistics.h"

namespace sightglass {

namespace {

constexpr std::uint64_t band_percents[] = {5, 25, 50, 75, 95};

// What the passes share.
struct IceWork {
  MethodInput input;
  IceOptions options;
  WeightUnits units;
  std::vector<FeatureGrid> grids;
  std::vector<std::size_t> anchors;                // per grid: the point at which centred curves are 0
  std::optional<std::vector<std::uint64_t>> kept;  // ascending rows whose curves are kept; nothing = all
  std::size_t ranked_by = 0;                       // the explained output by which they were picked
  // [grid][output]; empty if all curves are kept. They are first guessed from the predictions of the data; where
  // curves leave them, they are counted once more.
  std::vector<std::vector<BandBins>> bins;
  std::vector<Caveat> caveats;

  // Rows that were named are computed alone.
  [[nodiscard]] bool named() const { return !options.rows.empty(); }
  [[nodiscard]] bool keeps(std::uint64_t row) const {
    return !kept || std::binary_search(kept->begin(), kept->end(), row);
  }
  // Slopes have no place where the feature is missing.
  [[nodiscard]] bool has_missing(std::size_t i) const { return grids[i].has_missing() && !options.derivative; }
  // What is drawn: grid points, or the steps between them.
  [[nodiscard]] std::size_t points(std::size_t i) const {
    return grids[i].values.size() - (options.derivative ? 1 : 0);
  }
  // A curve's change over a step as a slope. The step itself may be beyond the largest double.
  [[nodiscard]] double slope(std::size_t i, std::size_t point, double change) const {
    const double low = grids[i].axis.numbers[point], high = grids[i].axis.numbers[point + 1];
    return std::isfinite(high - low) ? change / (high - low) : change / 2 / (high / 2 - low / 2);
  }
  // What bands and means are made of, from predictions at grid points: the curve's height, its height above the
  // anchor, or its change over the step (slopes may overflow, changes do not).
  template <class Prediction>
  [[nodiscard]] double height(std::size_t i, std::size_t point, Prediction&& at) const {
    if (options.derivative) return at(point + 1) - at(point);
    return options.center ? at(point) - at(anchors[i]) : at(point);
  }
  [[nodiscard]] std::vector<Variant> variants(std::size_t i) const {
    std::vector<Variant> variants;
    for (const Scalar& value : grids[i].values) variants.push_back({{grids[i].column, value}});
    if (has_missing(i)) variants.push_back({{grids[i].column, Scalar::missing()}});
    return variants;
  }
};

// One row's curve: [point, then missing][output].
struct RowCurve {
  std::vector<double> values;
  double own = 0;  // the row's own value of the feature
  std::uint64_t units = 0;
};

// By row.
struct RowCurves : std::map<std::uint64_t, RowCurve> {
  void merge(const RowCurves& other) { insert(other.begin(), other.end()); }
  void save(ByteSink& sink) const {
    sink.u64(size());
    for (const auto& [row, curve] : *this) {
      sink.u64(row);
      sink.f64(curve.own);
      sink.u64(curve.units);
      sink.u64(curve.values.size());
      for (const double value : curve.values) sink.f64(value);
    }
  }
  void load(ByteSource& source) {
    clear();
    for (std::size_t left = source.count(32); left > 0; --left) {
      RowCurve& curve = (*this)[source.u64()];
      curve.own = source.f64();
      curve.units = source.u64();
      curve.values.resize(source.count(8));
      for (double& value : curve.values) value = source.f64();
    }
  }
};

struct CurveSums {
  struct Feature {
    EffectMoments moments;
    std::vector<ExactMoments> changes;  // [step][output], of derivatives
    CurveBands bands;
    RowCurves curves;
    static auto members() {
      return std::tuple(&Feature::moments, &Feature::changes, &Feature::bands, &Feature::curves);
    }
  };
  std::uint64_t rows = 0;
  WeightSums weights;
  std::vector<Feature> features;

  static auto members() { return std::tuple(&CurveSums::rows, &CurveSums::weights, &CurveSums::features); }
};

using IceWorkPtr = std::shared_ptr<const IceWork>;

// All curves; or bins for the values that they turned out to have, if they left those that were guessed.
using FoundCurves = std::variant<Result, IceWorkPtr>;

class CurvePass : public Pass<CurveSums, FoundCurves> {
 public:
  explicit CurvePass(IceWorkPtr work) : work_(std::move(work)) {}

  [[nodiscard]] std::vector<std::uint32_t> columns() const override {
    std::vector<std::uint32_t> columns;
    for (const auto& grid : work_->grids) columns.push_back(grid.column);
    return columns;
  }
  [[nodiscard]] std::optional<std::vector<std::uint64_t>> rows() const override {
    return work_->named() ? work_->kept : std::nullopt;
  }
  [[nodiscard]] bool needs_model() const override { return true; }
  [[nodiscard]] std::uint64_t cost_per_row() const override {
    if (work_->named()) return 0;
    std::uint64_t cost = 0;
    for (std::size_t i = 0; i < work_->grids.size(); ++i)
      cost += work_->grids[i].values.size() + (work_->has_missing(i) ? 1 : 0);
    return cost;
  }

  [[nodiscard]] CurveSums empty() const override {
    CurveSums sums;
    const std::size_t outputs = work_->input.explained.size();
    for (std::size_t i = 0; i < work_->grids.size(); ++i) {
      sums.features.push_back(
          {.moments = EffectMoments(work_->grids[i].values.size(), work_->has_missing(i), work_->input.explained),
           .changes = std::vector<ExactMoments>(work_->options.derivative ? work_->points(i) * outputs : 0),
           .bands = CurveBands(work_->points(i), outputs, banded() ? work_->bins[i] : std::vector<BandBins>{}),
           .curves = {}});
    }
    return sums;
  }

  void map(const RowBlock& block, CurveSums& sums, Evaluator& evaluator) const override {
    if (!work_->named()) {
      map_rows(block, sums, evaluator);
      return;
    }
    std::vector<std::uint64_t> kept;
    for (std::size_t row = 0; row < block.rows; ++row) {
      if (work_->keeps(block.row_id(row))) kept.push_back(row);
    }
    if (kept.empty()) return;
    const PickedBlock picked(block, kept);
    RowBlock rows = picked.block();
    rows.weights = {};  // a row that was asked for is shown whatever it weighs
    map_rows(rows, sums, evaluator);
  }

  [[nodiscard]] FoundCurves find(const CurveSums& sums) const override {
    if (work_->named() && sums.rows < work_->kept->size()) {
      throw Error(ErrorKind::usage, option_name("rows") + ": not all of these rows are in the data",
                  "rows are counted from 0; the data have " + std::to_string(work_->input.rows));
    }
    if (auto wider = with_wider_bins(sums)) return wider;
    Result result;
    for (std::size_t i = 0; i < work_->grids.size(); ++i) {
      for (std::size_t k = 0; k < work_->input.explained.size(); ++k) result.results.push_back(curves(i, k, sums));
    }
    result.caveats = work_->caveats;
    if (work_->options.derivative) add_steep_caveat(result);
    if (work_->kept && !work_->named()) {
      const std::string kept = std::to_string(work_->kept->size());
      const std::string& ranked_by = work_->input.outputs[work_->input.explained[work_->ranked_by]];
      result.caveats.push_back(
          {.id = "some-curves",
           .severity = Severity::note,
           .message = kept + " of " + std::to_string(sums.rows) +
                      " curves are kept, picked by quantiles of the prediction" +
                      (work_->input.explained.size() > 1 ? " of " + printable(ranked_by) : "") +
                      "; mean and bands are over all rows",
           .evidence = Value::object({{"kept", work_->kept->size()}, {"rows", sums.rows}, {"picked_by", ranked_by}}),
           .advice = marked("set {option:curves} to 0 to keep every curve")});
    }
    return result;
  }

 private:
  [[nodiscard]] bool banded() const { return !work_->bins.empty(); }

  // Null if the bins that were guessed hold all curves.
  [[nodiscard]] IceWorkPtr with_wider_bins(const CurveSums& sums) const {
    std::shared_ptr<IceWork> wider;
    for (std::size_t i = 0; i < work_->bins.size(); ++i) {
      for (std::size_t k = 0; k < work_->bins[i].size(); ++k) {
        const ValueRange seen = sums.features[i].bands.extremes(k);
        if (seen.empty() || work_->bins[i][k].holds(seen)) continue;
        if (!wider) wider = std::make_shared<IceWork>(*work_);
        wider->bins[i][k] = work_->bins[i][k].widened(seen);
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
        add_changes(i, part, predictions, feature, evaluator.context());
        count_bands(i, part, predictions, feature, evaluator.context());
        keep_curves(i, part, predictions, variants.size(), feature);
      });
    }
  }

  void add_changes(std::size_t i, const RowBlock& block, const Matrix& predictions, CurveSums::Feature& feature,
                   const Context& context) const {
    if (feature.changes.empty()) return;
    const auto& outputs = work_->input.explained;
    std::vector<double> weights(block.rows, 1.0);
    if (block.weights.size > 0) read_numbers(block.weights, weights);
    context.parallel_for(work_->points(i), [&](std::size_t point) {
      std::vector<double> changes(block.rows);
      for (std::size_t k = 0; k < outputs.size(); ++k) {
        for (std::size_t row = 0; row < block.rows; ++row)
          changes[row] = height_of(i, point, row, outputs[k], block, predictions);
        ExactMoments& sums = feature.changes[point * outputs.size() + k];
        if (block.weights.size == 0) {
          sums.add_all(changes);
          continue;
        }
        for (std::size_t row = 0; row < block.rows; ++row) {
          if (weights[row] > 0) sums.add(changes[row], weights[row]);
        }
      }
    });
  }

  void count_bands(std::size_t i, const RowBlock& block, const Matrix& predictions, CurveSums::Feature& feature,
                   const Context& context) const {
    if (!banded()) return;
    const auto& outputs = work_->input.explained;
    std::vector<std::uint64_t> units(block.rows);
    for (std::size_t row = 0; row < block.rows; ++row) units[row] = work_->units.of(block, row);
    context.parallel_for(work_->points(i), [&](std::size_t point) {
      for (std::size_t row = 0; row < block.rows; ++row) {
        if (units[row] == 0) continue;
        for (std::size_t k = 0; k < outputs.size(); ++k) {
          feature.bands.add(point, k, height_of(i, point, row, outputs[k], block, predictions), units[row],
                            work_->bins[i][k]);
        }
      }
    });
  }

  [[nodiscard]] double height_of(std::size_t i, std::size_t point, std::size_t row, std::size_t output,
                                 const RowBlock& block, const Matrix& predictions) const {
    return work_->height(i, point, [&](std::size_t at) { return predictions(at * block.rows + row, output); });
  }

  void keep_curves(std::size_t i, const RowBlock& block, const Matrix& predictions, std::size_t variants,
                   CurveSums::Feature& feature) const {
    const auto& outputs = work_->input.explained;
    for (std::size_t row = 0; row < block.rows; ++row) {
      const std::uint64_t units = work_->units.of(block, row);
      // A row of weight zero counts as one that is not there.
      if (units == 0 || !work_->keeps(block.row_id(row))) continue;
      RowCurve& curve = feature.curves[block.row_id(row)];
      curve.own = block.columns[work_->grids[i].column].number(row);
      curve.units = units;
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
    const std::size_t points = work_->points(i);
    const std::size_t width = work_->input.explained.size();
    const bool derivative = work_->options.derivative;
    const bool center = work_->options.center && points > 0;
    const std::size_t anchor = work_->anchors[i];
    Curves curves{.axis = grid.axis,
                  .output = work_->input.outputs[work_->input.explained[output]],
                  .derivative = derivative,
                  .total_rows = work_->named() ? work_->input.rows : sums.rows,
                  .distribution = grid.distribution};
    if (derivative) {
      curves.axis.numbers.resize(points);
      for (std::size_t point = 0; point < points; ++point)
        curves.axis.numbers[point] = std::midpoint(grid.axis.numbers[point], grid.axis.numbers[point + 1]);
    }
    if (center) {
      if (grid.axis.is_categorical()) {
        curves.anchor_level = grid.axis.levels[anchor];
      } else {
        curves.anchor = grid.axis.numbers[anchor];
      }
    }
    // Heights as they are drawn: changes over a step become slopes.
    const auto drawn = [&](std::size_t point, double height) {
      return derivative ? work_->slope(i, point, height) : height;
    };
    for (const auto& [row, curve] : feature.curves) {
      const auto at = [&, &values = curve.values](std::size_t point) { return values[point * width + output]; };
      curves.rows.push_back(row);
      curves.values.emplace_back();
      for (std::size_t point = 0; point < points; ++point)
        curves.values.back().push_back(drawn(point, work_->height(i, point, at)));
      if (work_->has_missing(i)) curves.missing.push_back(at(points) - (center ? at(anchor) : 0));
      if (grid.axis.is_categorical()) {
        curves.own_level.push_back(std::isnan(curve.own) ? "" : level_name(grid, curve.own));
      } else {
        curves.own_value.push_back(std::isnan(curve.own) ? std::nullopt : std::optional(curve.own));
      }
    }
    if (work_->named()) return curves;

    const ExactSum::Pair total = sums.weights.total();
    for (std::size_t point = 0; point < points; ++point) {
      if (derivative) {
        const ExactMoments& change = feature.changes[point * width + output];
        curves.mean.push_back(drawn(point, change.mean(total.high)));
        curves.sd.push_back(drawn(point, std::sqrt(change.variance(total))));
      } else {
        curves.mean.push_back(feature.moments.point(point, output, total).mean);
      }
    }
    const double mean_at_anchor = center ? curves.mean[anchor] : 0;
    for (double& mean : curves.mean) mean -= mean_at_anchor;
    curves.heterogeneity = feature.moments.heterogeneity(output, total);
    for (const std::uint64_t percent : band_percents) {
      curves.band_levels.push_back(static_cast<double>(percent) / 100);
      curves.bands.emplace_back();
      for (std::size_t point = 0; point < points; ++point) {
        curves.bands.back().push_back(
            banded() ? drawn(point, feature.bands.quantile(point, output, percent, work_->bins[i][output]))
                     : exact_band(curves, feature, point, percent));
      }
    }
    return curves;
  }

  static void add_steep_caveat(Result& result) {
    const auto beyond = [](const std::vector<double>& values) {
      return std::any_of(values.begin(), values.end(), [](double value) { return !std::isfinite(value); });
    };
    for (const ResultItem& item : result.results) {
      const auto& curves = item.get<Curves>();
      const bool steep =
          beyond(curves.mean) || beyond(curves.sd) || std::any_of(curves.values.begin(), curves.values.end(), beyond);
      if (!steep) continue;
      result.caveats.push_back(
          {.id = "steep",
           .severity = Severity::caution,
           .message = "some slopes of " + feature_name(curves.axis.feature) + " are beyond the largest number",
           .evidence = Value::object({{"feature", curves.axis.feature}, {"output", curves.output}}),
           .advice = marked("use a coarser {option:grid|grid}, or other units")});
    }
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
      values.emplace_back(curves.values[position++][point], curve.units);
      total += curve.units;
    }
    std::sort(values.begin(), values.end());
    const std::uint64_t rank = quantile_rank(total, percent, 100);
    std::uint64_t below = 0;
    for (const auto& [value, units] : values) {
      below += units;
      if (below > rank) return value;
    }
    return values.empty() ? 0 : values.back().first;
  }

  IceWorkPtr work_;
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

// Slopes need two grid points, and numbers to divide by: other features have none, and the result says so.
void keep_differentiable(std::vector<FeatureGrid>& grids, std::vector<Caveat>& caveats) {
  for (const FeatureGrid& grid : grids) {
    const bool categorical = grid.axis.is_categorical();
    // Of a feature without values more was said already.
    if (grid.values.empty() || (!categorical && grid.values.size() > 1)) continue;
    const std::string& name = grid.axis.feature;
    caveats.push_back(
        {.id = "no-derivative",
         .severity = Severity::note,
         .message = feature_name(name) + (categorical ? " is categorical: its curves have no slopes"
                                                      : " has one grid point: there is no step to take a slope over"),
         .evidence = Value::object({{"feature", name}}),
         .advice = marked(categorical ? "leave out {option:derivative} to see its curves"
                                      : "use a finer {option:grid|grid}")});
  }
  std::erase_if(grids, [](const FeatureGrid& g) { return g.axis.is_categorical() || g.values.size() < 2; });
}

// Once more where the curves left their bins.
Chain<Result> draw_curves(const IceWorkPtr& work) {                                // NOLINT(misc-no-recursion)
  return over_rows<CurvePass>(work).then([](FoundCurves found) -> Chain<Result> {  // NOLINT(misc-no-recursion)
    if (auto* result = std::get_if<Result>(&found)) return std::move(*result);
    return draw_curves(std::get<IceWorkPtr>(found));
  });
}

// Where not every curve is kept: which, and bins for the others, guessed from the predictions of the data.
Chain<IceWorkPtr> choose_curves(const IceWorkPtr& work) {
  const auto wanted = static_cast<std::uint64_t>(work->options.curves);
  if (work->named() || wanted == 0 || work->input.rows <= wanted) return work;
  return pick_curves(work->input, wanted).then([work](CurvePicks picks) -> IceWorkPtr {
    auto picked = std::make_shared<IceWork>(*work);
    picked->kept = std::move(picks.rows);
    picked->ranked_by = picks.output;
    std::vector<BandBins> guesses;
    for (const ValueRange& range : picks.predictions) {
      // Changing a feature takes predictions beyond what the data show.
      const double width = band_width(range);
      const double low = work->options.center ? -1.5 * width : range.low - width;
      guesses.push_back(work->options.derivative ? BandBins::relative(4 * width)
                                                 : BandBins::equal({low, low + 3 * width}));
    }
    picked->bins.assign(picked->grids.size(), guesses);
    return picked;
  });
}

Chain<Result> start(const MethodInput& input, const Value& given) {
  const auto options = read_options<IceOptions>(given);
  if (options.anchor && !std::isfinite(*options.anchor))
    throw Error(ErrorKind::usage, marked("{Option:anchor}: a finite number, please"));
  if (options.anchor && !options.center)
    throw Error(ErrorKind::usage, marked("{Option:anchor}: only with {option:center|center}"));
  if (options.derivative && options.center) {
    throw Error(ErrorKind::usage, "derivative and center do not go together",
                marked("a slope is the same wherever the curve starts: leave out {option:center}"));
  }
  std::vector<GridRequest> requests;
  for (const std::uint32_t column : chosen_features(input, options.features)) {
    requests.push_back(grid_request(input, options.grid_rule, options.values, column, options.grid));
  }
  if (options.rows.empty()) check_width(input, requests.size(), options.grid);
  auto work = std::make_shared<IceWork>(IceWork{.input = input, .options = options, .units = WeightUnits(input)});
  if (work->named()) {
    work->kept.emplace();
    for (const std::int64_t row : options.rows) {
      if (row < 0)
        throw Error(ErrorKind::usage, option_name("rows") + ": " + std::to_string(row) + " is not a row",
                    "rows are counted from 0");
      work->kept->push_back(static_cast<std::uint64_t>(row));
    }
    if (input.sampled) {
      throw Error(ErrorKind::usage, "rows and sample do not go together",
                  marked("named rows are computed alone: leave out {option:sample}"));
    }
    std::sort(work->kept->begin(), work->kept->end());
    work->kept->erase(std::unique(work->kept->begin(), work->kept->end()), work->kept->end());
  }
  return find_grids(input, std::move(requests)).then([work](std::vector<FeatureGrid> grids) -> Chain<Result> {
    auto ready = std::make_shared<IceWork>(*work);
    add_grid_caveats(grids, ready->caveats);
    if (ready->options.derivative) keep_differentiable(grids, ready->caveats);
    for (const FeatureGrid& grid : grids) ready->anchors.push_back(anchor_point(grid, ready->options));
    ready->grids = std::move(grids);
    if (!ready->grids.empty()) return choose_curves(ready).then(draw_curves);
    Result result;
    result.caveats = ready->caveats;
    return result;
  });
}

}  // namespace

MethodEntry ice() {
  return {.name = "ice",
          .alias = "",
          .about = {.title = "Individual conditional expectation", .short_name = "ICE", .family = Family::effects},
          .question = "How does the prediction of each single row change when one feature is set to a value?",
          .when = "to see whether the average curve hides rows that react differently",
          .when_not = "strongly correlated features: parts of each curve are at values the row could not have",
          .formula =
              "ICE_i(v) = f(v, x_C^(i)); centred: minus its value at the anchor; derivative: "
              "(ICE_i(v_k+1) − ICE_i(v_k)) / (v_k+1 − v_k)",
          .paper = "Goldstein, Kapelner, Bleich, Pitkin 2015, Peeking inside the black box",
          .scopes = {Scope::global, Scope::local},
          .results = {"curves"},
          .expresses = "one curve per row and feature; their spread shows interactions",
          .cost = "grid × rows predictions per feature",
          .access = Access::columns,
          .options = describe_options<IceOptions>(),
          .start = start};
}

}  // namespace sightglass
