#include "sightglass/methods/grid/feature_grid.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string_view>

#include "sightglass/base/error.h"
#include "sightglass/data/given_name.h"
#include "sightglass/methods/run/weight_units.h"
#include "sightglass/numeric/order_statistics.h"

namespace sightglass {

namespace {

constexpr std::size_t histogram_bins = 30;
// Cells × (outputs and a count) of all surfaces: a sum takes half a kilobyte.
constexpr std::size_t most_cells = 1'000'000;

struct Summary {
  std::uint64_t rows = 0, units = 0, missing = 0, infinite = 0;  // rows and units: finite values only
  ValueRange range;                                              // of finite values
  DistinctValues distinct;
  std::vector<std::uint64_t> levels;

  static auto members() {
    return std::tuple(&Summary::rows, &Summary::units, &Summary::missing, &Summary::infinite, &Summary::range,
                      &Summary::distinct, &Summary::levels);
  }
};

// How many rows lie in each cell of a numeric feature.
using CellCounts = std::vector<std::uint64_t>;

// What all passes share.
struct Work {
  Schema schema;
  WeightUnits units;
  std::vector<GridRequest> requests;
  std::vector<std::vector<std::string>> level_orders;
  std::vector<Summary> summaries;
  std::vector<RankSearch> searches;
  std::vector<FeatureGrid> grids;

  [[nodiscard]] const ColumnInfo& column(std::size_t i) const { return schema[requests[i].column]; }
  // scikit-learn knows no weights; its rule ranks rows.
  [[nodiscard]] bool ranks_rows(std::size_t i) const { return requests[i].rule == "sklearn"; }
  // With few different values the grid is all of them, also instead of bins; scikit-learn wants strictly fewer than the
  // size. Who asks for edges gets edges.
  [[nodiscard]] bool takes_distinct(std::size_t i) const {
    const GridRequest& request = requests[i];
    const Summary& summary = summaries[i];
    if (request.rule == "uniform" || request.rule == "edges" || summary.distinct.overflowed()) return false;
    const std::size_t distinct = summary.distinct.values().size();
    return request.rule == "sklearn" ? distinct < request.size : distinct <= request.size;
  }
};

using WorkPtr = std::shared_ptr<const Work>;

// Keeps something of each requested feature.
template <class OfFeature, class Found>
class ColumnPass : public Pass<std::vector<OfFeature>, Found> {
 public:
  explicit ColumnPass(WorkPtr work) : work_(std::move(work)) {}
  [[nodiscard]] std::vector<std::uint32_t> columns() const override {
    std::vector<std::uint32_t> columns;
    for (const auto& request : work_->requests) columns.push_back(request.column);
    return columns;
  }
  [[nodiscard]] bool needs_model() const override { return false; }

 protected:
  WorkPtr work_;
};

// How rows lie around the grids.
class CellPass : public ColumnPass<CellCounts, std::vector<FeatureGrid>> {
 public:
  using ColumnPass::ColumnPass;
  [[nodiscard]] std::vector<CellCounts> empty() const override {
    std::vector<CellCounts> features;
    for (const FeatureGrid& grid : work_->grids)
      features.emplace_back(grid.axis.is_categorical() ? 0 : grid.cells.size());
    return features;
  }

  void map(const RowBlock& block, std::vector<CellCounts>& features, Evaluator& evaluator) const override {
    evaluator.context().parallel_for(features.size(), [&](std::size_t i) {
      const FeatureGrid& grid = work_->grids[i];
      if (grid.axis.is_categorical()) return;
      std::vector<double> values(block.rows);
      read_numbers(block.columns[grid.column], values);
      for (std::size_t row = 0; row < block.rows; ++row) {
        if (std::isfinite(values[row])) features[i][grid.cells.of(values[row])] += work_->units.of(block, row);
      }
    });
  }

  [[nodiscard]] std::vector<FeatureGrid> find(const std::vector<CellCounts>& features) const override {
    std::vector<FeatureGrid> grids = work_->grids;
    for (std::size_t i = 0; i < grids.size(); ++i) {
      if (grids[i].axis.is_categorical()) continue;
      grids[i].count = work_->units.weights(grids[i].cells.near_points(features[i]));
      grids[i].distribution.counts = work_->units.weights(grids[i].cells.in_bins(features[i]));
    }
    return grids;
  }
};

// Equal bins, or one bin around each value where there are few.
std::vector<double> histogram_edges(const Summary& summary) {
  std::vector<double> edges;
  if (summary.rows == 0) return edges;
  const auto& distinct = summary.distinct.values();
  if (!summary.distinct.overflowed() && distinct.size() <= 2 * histogram_bins) {
    if (distinct.size() == 1) return {distinct[0] - 0.5, distinct[0] + 0.5};
    edges.push_back(distinct[0] - (distinct[1] - distinct[0]) / 2);
    for (std::size_t k = 1; k < distinct.size(); ++k)
      edges.push_back(distinct[k - 1] + (distinct[k] - distinct[k - 1]) / 2);
    edges.push_back(distinct.back() + (distinct.back() - distinct[distinct.size() - 2]) / 2);
    return edges;
  }
  for (std::size_t k = 0; k <= histogram_bins; ++k) {
    const double share = static_cast<double>(k) / histogram_bins;
    edges.push_back(summary.range.low * (1 - share) + summary.range.high * share);
  }
  return edges;
}

// `size` points from low to high; both ends exact.
std::vector<double> evenly(double low, double high, std::size_t size) {
  if (size < 2 || !(high > low)) return {low};
  std::vector<double> points(size);
  const double step = (high - low) / static_cast<double>(size - 1);
  for (std::size_t k = 0; k < size; ++k) {
    const double share = static_cast<double>(k) / static_cast<double>(size - 1);
    // As NumPy's linspace, unless the range itself is beyond the largest double.
    points[k] = std::isfinite(step) ? low + static_cast<double>(k) * step : low * (1 - share) + high * share;
  }
  points.back() = high;
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

// Where SciPy's mquantiles(alphap=betap=0.4) looks: between order statistics `below` and below + 1.
struct Between {
  std::uint64_t below;
  double share;
};
Between mquantile(std::uint64_t rows, double p) {
  const double aleph = static_cast<double>(rows) * p + (0.4 + p * (1 - 0.4 - 0.4));
  const double order = std::floor(std::clamp(aleph, 1.0, std::max(1.0, static_cast<double>(rows) - 1)));
  return {static_cast<std::uint64_t>(order) - 1, std::clamp(aleph - order, 0.0, 1.0)};
}

constexpr std::uint64_t deciles = 9;

// The ranks to look up for one feature: nine deciles for the rug, then what the grid needs.
std::vector<std::uint64_t> wanted_ranks(const Work& work, std::size_t i) {
  const GridRequest& request = work.requests[i];
  const Summary& summary = work.summaries[i];
  std::vector<std::uint64_t> ranks;
  if (summary.rows == 0 || summary.units == 0) return ranks;
  const std::uint64_t total = work.ranks_rows(i) ? summary.rows : summary.units;
  for (std::uint64_t k = 1; k <= deciles; ++k) ranks.push_back(quantile_rank(total, k, 10));
  if (work.takes_distinct(i)) return ranks;
  if (request.rule == "quantiles") {
    for (std::size_t k = 0; k < request.size; ++k) {
      ranks.push_back(quantile_rank(total, k, std::max<std::size_t>(1, request.size - 1)));
    }
  } else if (request.rule == "edges" || request.rule == "bins") {
    for (std::size_t k = 0; k <= request.size; ++k) ranks.push_back(quantile_rank(total, k, request.size));
  } else if (request.rule == "sklearn") {
    for (const double p : {request.low, request.high}) {
      const Between between = mquantile(total, p);
      ranks.push_back(between.below);
      ranks.push_back(std::min(between.below + 1, total - 1));
    }
  }
  return ranks;
}

std::vector<double> numeric_grid(const Work& work, std::size_t i, const std::vector<double>& ranked) {
  const GridRequest& request = work.requests[i];
  const Summary& summary = work.summaries[i];
  std::vector<double> points;
  if (request.rule == "values" || request.rule == "breakpoints") {
    points = request.values;
    if (request.rule == "breakpoints" && summary.rows > 0) {
      points.insert(points.end(), {summary.range.low, summary.range.high});
    }
  } else if (summary.rows == 0 || summary.units == 0) {
    return {};
  } else if (work.takes_distinct(i)) {
    return summary.distinct.values();
  } else if (request.rule == "uniform") {
    return evenly(summary.range.low, summary.range.high, request.size);
  } else if (request.rule == "sklearn") {
    double ends[2];
    for (std::size_t end = 0; end < 2; ++end) {
      const double share = mquantile(summary.rows, end == 0 ? request.low : request.high).share;
      const double below = ranked[deciles + 2 * end];
      const double above = ranked[deciles + 2 * end + 1];
      ends[end] = (1 - share) * below + share * above;
    }
    return evenly(ends[0], ends[1], request.size);
  } else {
    points.assign(ranked.begin() + deciles, ranked.end());
  }
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

// Codes in the order in which the model knows their levels (Monday before Tuesday); unknown ones follow.
std::vector<std::size_t> drawing_order(const std::vector<std::string>& levels, const std::vector<std::string>& known) {
  std::map<std::string_view, std::size_t> position;
  for (std::size_t k = 0; k < known.size(); ++k) position.emplace(known[k], k);
  std::vector<std::size_t> codes(levels.size());
  std::iota(codes.begin(), codes.end(), std::size_t{0});
  const auto rank = [&](std::size_t code) {
    const auto found = position.find(levels[code]);
    return found == position.end() ? known.size() : found->second;
  };
  std::stable_sort(codes.begin(), codes.end(), [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
  return codes;
}

FeatureGrid make_grid(const Work& work, std::size_t i) {
  const ColumnInfo& column = work.column(i);
  const Summary& summary = work.summaries[i];
  FeatureGrid grid{.column = work.requests[i].column, .infinite = summary.infinite};
  grid.axis.feature = column.name;
  grid.axis.unit = column.unit;
  grid.axis.dates = column.dates;
  grid.distribution.missing = work.units.weight(summary.missing);
  if (column.has_levels()) {
    const std::vector<std::string> levels = column.levels();
    grid.axis.categorical = true;
    for (const std::size_t code : drawing_order(levels, work.level_orders[i])) {
      // A level that no row has is pure extrapolation; a pandas column may carry thousands.
      if (summary.levels[code] == 0) continue;
      grid.axis.levels.push_back(levels[code]);
      grid.values.push_back(Scalar::level(static_cast<std::int32_t>(code)));
      grid.count.push_back(work.units.weight(summary.levels[code]));
    }
    grid.axis.ordered = column.type == DType::boolean || column.dictionary->ordered();
    grid.distribution.counts = grid.count;
    return grid;
  }
  const std::vector<double> ranked = work.searches[i].values();
  grid.axis.numbers = numeric_grid(work, i, ranked);
  grid.all_values = work.takes_distinct(i);
  for (const double point : grid.axis.numbers) grid.values.push_back(Scalar::of(point));
  grid.distribution.edges = histogram_edges(summary);
  grid.cells = ValueCells(grid.axis.numbers, summary.range.low, summary.range.high, grid.distribution.edges);
  // scikit-learn's rule ranks rows without their weights: no deciles to show then.
  const bool weighted_ranks = !work.ranks_rows(i) || summary.rows == summary.units;
  if (!ranked.empty() && weighted_ranks) grid.distribution.rug.assign(ranked.begin(), ranked.begin() + deciles);
  return grid;
}

// Another digit of the values at the wanted ranks.
class RankPass : public ColumnPass<RankSearch::Counts, WorkPtr> {
 public:
  using ColumnPass::ColumnPass;
  [[nodiscard]] std::vector<std::uint32_t> columns() const override {
    std::vector<std::uint32_t> columns;
    for (std::size_t i = 0; i < work_->requests.size(); ++i) {
      if (!work_->searches[i].done()) columns.push_back(work_->requests[i].column);
    }
    return columns;
  }
  [[nodiscard]] std::vector<RankSearch::Counts> empty() const override {
    std::vector<RankSearch::Counts> features;
    for (const auto& search : work_->searches) features.push_back(search.empty_counts());
    return features;
  }

  void map(const RowBlock& block, std::vector<RankSearch::Counts>& features, Evaluator& evaluator) const override {
    evaluator.context().parallel_for(features.size(), [&](std::size_t i) {
      const RankSearch& search = work_->searches[i];
      if (search.done()) return;
      std::vector<double> values(block.rows);
      read_numbers(block.columns[work_->requests[i].column], values);
      std::vector<std::uint64_t> weights;
      std::size_t kept = 0;
      for (std::size_t row = 0; row < block.rows; ++row) {
        // A row of weight zero counts as one that is not there.
        const std::uint64_t units = work_->units.of(block, row);
        if (!std::isfinite(values[row]) || units == 0) continue;
        values[kept++] = values[row];
        if (work_->units.weighted() && !work_->ranks_rows(i)) weights.push_back(units);
      }
      search.count(std::span(values).first(kept), weights, features[i]);
    });
  }

  [[nodiscard]] WorkPtr find(const std::vector<RankSearch::Counts>& features) const override {
    auto work = std::make_shared<Work>(*work_);
    for (std::size_t i = 0; i < features.size(); ++i) {
      if (!work->searches[i].done()) work->searches[i].advance(features[i]);
    }
    return work;
  }
};

// How many rows there are, of which values, and from where to where they reach.
class SummaryPass : public ColumnPass<Summary, WorkPtr> {
 public:
  using ColumnPass::ColumnPass;
  [[nodiscard]] std::vector<Summary> empty() const override {
    std::vector<Summary> features;
    for (std::size_t i = 0; i < work_->requests.size(); ++i) {
      Summary summary{.distinct = DistinctValues(std::max(work_->requests[i].size, 2 * histogram_bins))};
      if (work_->column(i).has_levels()) summary.levels.resize(work_->column(i).levels().size());
      features.push_back(std::move(summary));
    }
    return features;
  }

  void map(const RowBlock& block, std::vector<Summary>& features, Evaluator& evaluator) const override {
    evaluator.context().parallel_for(features.size(), [&](std::size_t i) {
      std::vector<double> values(block.rows);
      read_numbers(block.columns[work_->requests[i].column], values);
      const bool levels = work_->column(i).has_levels();
      Summary& summary = features[i];
      for (std::size_t row = 0; row < block.rows; ++row) {
        const double value = values[row];
        const std::uint64_t units = work_->units.of(block, row);
        if (std::isnan(value)) {
          summary.missing += units;
        } else if (levels) {
          summary.levels[static_cast<std::size_t>(value)] += units;
        } else if (std::isinf(value)) {
          summary.infinite += units > 0 ? 1 : 0;
        } else if (units > 0) {
          ++summary.rows;
          summary.units += units;
          summary.range.add(value + 0.0);
          summary.distinct.add(value);
        }
      }
    });
  }

  [[nodiscard]] WorkPtr find(const std::vector<Summary>& features) const override {
    auto work = std::make_shared<Work>(*work_);
    work->summaries = features;
    for (std::size_t i = 0; i < work->requests.size(); ++i) {
      // The distinct values were counted further than the grid may have them, for the histogram's sake.
      const bool numeric = !work->column(i).has_levels();
      const Summary& summary = work->summaries[i];
      work->searches.emplace_back(numeric ? wanted_ranks(*work, i) : std::vector<std::uint64_t>{}, summary.rows,
                                  summary.range.low, summary.range.high);
    }
    return work;
  }
};

// As many passes as the values at the wanted ranks take.
Chain<WorkPtr> search_ranks(const WorkPtr& work) {  // NOLINT(misc-no-recursion)
  if (std::all_of(work->searches.begin(), work->searches.end(), [](const auto& search) { return search.done(); }))
    return work;
  return over_rows<RankPass>(work).then(search_ranks);
}

}  // namespace

Chain<std::vector<FeatureGrid>> find_grids(const MethodInput& input, std::vector<GridRequest> requests) {
  auto work = std::make_shared<Work>(
      Work{.schema = input.schema, .units = WeightUnits(input), .requests = std::move(requests)});
  for (const GridRequest& request : work->requests) {
    work->level_orders.push_back(input.level_order ? input.level_order(request.column) : std::vector<std::string>{});
  }
  return over_rows<SummaryPass>(work).then(search_ranks).then([](const WorkPtr& found) {
    auto ready = std::make_shared<Work>(*found);
    for (std::size_t i = 0; i < ready->requests.size(); ++i) ready->grids.push_back(make_grid(*ready, i));
    return over_rows<CellPass>(ready);
  });
}

void check_width(const MethodInput& input, std::size_t features, std::int64_t points) {
  constexpr std::size_t always = 2'000;
  constexpr double most_values = 6e10;  // given to the model: minutes for one that is fast
  if (features <= always) return;
  const double values = static_cast<double>(features) * static_cast<double>(points) * static_cast<double>(input.rows) *
                        static_cast<double>(input.features.size());
  if (values <= most_values) return;
  throw Error(
      ErrorKind::usage,
      std::to_string(features) + " features at once would take the model " + std::to_string(points) +
          " predictions of each row for each of them",
      marked("choose up to " + std::to_string(always) + " with {option:features}, or fewer rows with {option:sample}"));
}

std::vector<std::uint32_t> chosen_features(const MethodInput& input, const std::vector<std::string>& names,
                                           const Text& option) {
  std::vector<std::uint32_t> columns;
  if (names.empty()) {
    columns = input.features;
    if (input.group_column && columns.size() > 1) std::erase(columns, *input.group_column);
    return columns;
  }
  for (const auto& name : names) {
    const std::uint32_t column = input.schema.require(name, option);
    if (std::find(input.features.begin(), input.features.end(), column) == input.features.end()) {
      if (input.outputs.empty())
        throw Error(ErrorKind::usage, option + ": " + printable(name) + " is the target, or has the weights",
                    "name columns of the data besides these");
      throw Error(ErrorKind::usage, option + ": the model does not use " + printable(name),
                  "its predictions cannot depend on it");
    }
    if (std::find(columns.begin(), columns.end(), column) == columns.end()) columns.push_back(column);
  }
  return columns;
}

std::pair<std::uint32_t, std::uint32_t> chosen_pair(const MethodInput& input, const std::string& pair) {
  // A name may itself hold a colon, so every place to cut is tried.
  for (std::size_t cut = pair.find(':'); cut != std::string::npos; cut = pair.find(':', cut + 1)) {
    const std::string first = pair.substr(0, cut);
    const std::string second = pair.substr(cut + 1);
    if (!find_given(input.schema, first) || !find_given(input.schema, second)) continue;
    const auto columns = chosen_features(input, {first, second}, option_name("pairs"));
    if (columns.size() == 1)
      throw Error(ErrorKind::usage, option_name("pairs") + ": " + printable(pair) + " names one feature twice");
    return {columns[0], columns[1]};
  }
  const std::size_t cut = pair.find(':');
  if (cut == std::string::npos) {
    throw Error(ErrorKind::usage, option_name("pairs") + ": " + printable(pair) + " is not a pair",
                "write first:second, for example temp:hour");
  }
  for (const std::string& name : {pair.substr(0, cut), pair.substr(cut + 1)})
    (void)input.schema.require(name, option_name("pairs"));
  throw Error(ErrorKind::usage, option_name("pairs") + ": cannot read " + printable(pair));
}

void check_cells(const FeatureGrid& first, const FeatureGrid& second, std::size_t outputs, std::size_t& cells) {
  cells += first.values.size() * second.values.size() * (outputs + 1);
  if (cells <= most_cells) return;
  throw Error(ErrorKind::usage,
              option_name("pairs") + ": " + first.axis.feature + ":" + second.axis.feature + " has " +
                  std::to_string(first.values.size()) + " × " + std::to_string(second.values.size()) +
                  " cells: with those of other pairs and outputs too many to compute or to look at",
              "group the levels, take fewer points or pairs, or explain one output");
}

GridRequest grid_request(const MethodInput& input, const std::string& grid_rule, const std::vector<double>& values,
                         std::uint32_t column, std::int64_t size) {
  GridRequest request{.column = column, .size = static_cast<std::size_t>(size), .rule = grid_rule};
  if (grid_rule == "values") {
    request.values = values;
    if (request.values.empty())
      throw Error(ErrorKind::usage, marked("{option:grid_rule} values: no values were given"),
                  marked("list them with {the option:values}"));
    for (const double value : request.values) {
      if (!std::isfinite(value)) throw Error(ErrorKind::usage, marked("{Option:values}: each must be a finite number"));
    }
  } else if (!values.empty()) {
    throw Error(ErrorKind::usage, marked("{Option:values}: only with {option:grid_rule|grid_rule} values"));
  }
  if (grid_rule == "breakpoints") {
    if (!input.breakpoints) {
      throw Error(ErrorKind::usage, marked("{option:grid_rule} breakpoints: this model shows no splits"),
                  "only tree models read from their file do");
    }
    request.values = input.breakpoints(column);
  }
  return request;
}

void add_grid_caveats(const std::vector<FeatureGrid>& grids, std::vector<Caveat>& caveats) {
  for (const FeatureGrid& grid : grids) {
    const std::string& name = grid.axis.feature;
    if (grid.axis.size() == 0) {
      caveats.push_back({.id = "no-values",
                         .severity = Severity::caution,
                         .message = feature_name(name) + " has no value in any row: there is no curve to draw",
                         .evidence = Value::object({{"feature", name}}),
                         .advice = "leave the feature out, or use data that have it"});
    } else if (grid.axis.size() == 1) {
      caveats.push_back({.id = "constant-feature",
                         .severity = Severity::note,
                         .message = feature_name(name) + " has one value in all rows: its curve is a single point",
                         .evidence = Value::object({{"feature", name}}),
                         .advice = marked("use data in which it varies, or give {option:values}")});
    }
    if (grid.infinite > 0) {
      caveats.push_back({.id = "infinite-values",
                         .severity = Severity::note,
                         .message = std::to_string(grid.infinite) +
                                    (grid.infinite == 1 ? " row has an infinite " : " rows have an infinite ") +
                                    feature_name(name) + ": they count as rows but have no place on the axis",
                         .evidence = Value::object({{"feature", name}, {"rows", grid.infinite}}),
                         .advice = "check the column"});
    }
  }
}

}  // namespace sightglass
