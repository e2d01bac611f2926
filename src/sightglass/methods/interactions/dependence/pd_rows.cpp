#include "sightglass/methods/interactions/dependence/pd_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/base/random.h"
#include "sightglass/data/given_name.h"
#include "sightglass/methods/effects/curves/leaf_counts.h"
#include "sightglass/methods/interactions/dependence/pd_tree_means.h"
#include "sightglass/methods/run/prices.h"
#include "sightglass/numeric/exact_sum.h"

namespace sightglass {

namespace {

constexpr std::uint64_t pd_stream = 0x7064'726f'7773;  // "pdrows"

// What the table of a pair takes, in predictions.
constexpr std::uint64_t counted_pair_cost = 1000;

// Ascending, missing last.
bool less(double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; }

// Numbers as dense ranks.
std::vector<std::uint32_t> dense_ranks(const std::vector<std::uint64_t>& keys, std::uint64_t most,
                                       std::vector<std::uint64_t>& distinct) {
  // Where few keys are possible, a table of them is faster than sorting.
  if (most <= 4 * keys.size() + 1024) {
    std::vector<std::uint32_t> rank(most);
    for (const std::uint64_t key : keys) rank[key] = 1;
    distinct.clear();
    for (std::uint64_t key = 0; key < most; ++key) {
      if (rank[key] == 0) continue;
      rank[key] = static_cast<std::uint32_t>(distinct.size());
      distinct.push_back(key);
    }
    std::vector<std::uint32_t> ranks(keys.size());
    for (std::size_t row = 0; row < keys.size(); ++row) ranks[row] = rank[keys[row]];
    return ranks;
  }
  distinct = keys;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  std::vector<std::uint32_t> ranks(keys.size());
  for (std::size_t row = 0; row < keys.size(); ++row) {
    ranks[row] =
        static_cast<std::uint32_t>(std::lower_bound(distinct.begin(), distinct.end(), keys[row]) - distinct.begin());
  }
  return ranks;
}

// What the rows at each point weigh, and one of them.
void summarize(PdPoints& points, std::size_t size, const std::vector<double>& weights) {
  points.weights.resize(size);
  points.row.assign(size, 0);
  const bool plain = std::all_of(weights.begin(), weights.end(), [](double weight) { return weight == 1; });
  if (plain) {
    for (const std::uint32_t point : points.of_row) points.weights[point] += 1;
  } else {
    std::vector<std::uint32_t> order(points.of_row.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t a, std::uint32_t b) { return points.of_row[a] < points.of_row[b]; });
    for (std::size_t begin = 0; begin < order.size();) {
      const std::uint32_t point = points.of_row[order[begin]];
      ExactSum sum;
      for (; begin < order.size() && points.of_row[order[begin]] == point; ++begin) sum.add(weights[order[begin]]);
      points.weights[point] = sum.value();
    }
  }
  for (std::size_t row = points.of_row.size(); row-- > 0;) {
    points.row[points.of_row[row]] = static_cast<std::uint32_t>(row);
  }
}

// The last value that is not above: where a tree model cannot tell values apart, a point stands for what follows it.
std::uint32_t point_at(const std::vector<double>& values, double number) {
  const auto at = std::upper_bound(values.begin(), values.end(), number + 0.0, less);
  return static_cast<std::uint32_t>(at - values.begin()) - 1;
}

// The points of a single feature; steps: the values behind which a tree model's predictions change.
PdPoints single_points(const std::vector<double>& numbers, const std::vector<double>& weights,
                       const std::optional<std::vector<double>>& steps, const std::vector<double>& extra,
                       std::vector<double>& values) {
  values.clear();
  for (const auto* some : {&numbers, &extra}) {
    for (const double number : *some) values.push_back(number + 0.0);  // −0 is 0
  }
  std::sort(values.begin(), values.end(), less);
  const auto same = [&](double a, double b) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    if (!steps) return a == b;
    return std::upper_bound(steps->begin(), steps->end(), a) == std::upper_bound(steps->begin(), steps->end(), b);
  };
  values.erase(std::unique(values.begin(), values.end(), same), values.end());
  PdPoints points;
  points.of_row.reserve(numbers.size());
  for (const double number : numbers) points.of_row.push_back(point_at(values, number));
  summarize(points, values.size(), weights);
  points.parts.emplace_back(values.size());
  std::iota(points.parts[0].begin(), points.parts[0].end(), 0U);
  return points;
}

RowSample pick(const RowSample& from, std::vector<std::size_t> rows) {
  std::sort(rows.begin(), rows.end());
  RowSample sample{.columns = from.columns, .available = from.available};
  sample.values.resize(from.values.size());
  for (const std::size_t row : rows) {
    sample.ids.push_back(from.ids[row]);
    sample.weights.push_back(from.weights[row]);
    for (std::size_t column = 0; column < from.values.size(); ++column)
      sample.values[column].push_back(from.values[column][row]);
  }
  return sample;
}

// Rows are dealt out in random order, so that a smaller sample is part of a larger one.
std::vector<RowSample> deal(const RowSample& drawn, std::uint64_t seed, std::uint64_t samples, std::uint64_t rows) {
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  for (std::size_t row = 0; row < drawn.rows(); ++row) {
    order.emplace_back(random_bits(seed, pd_stream, drawn.ids[row]), row);
  }
  std::sort(order.begin(), order.end());
  std::vector<std::vector<std::size_t>> hands(samples);
  for (std::size_t at = 0; at < samples * rows && at < order.size(); ++at) {
    hands[at % samples].push_back(order[at].second);
  }
  std::vector<RowSample> dealt;
  for (auto& hand : hands) dealt.push_back(pick(drawn, std::move(hand)));
  return dealt;
}

// Pairs of a tree ensemble are read off counts.
struct PdPrices : Prices {
  double pair = 0;   // of a row, whatever the points of two features; 0 = as the points
  double means = 0;  // the same of three or more, and of one if it has many; 0 = as the points

  // Counts of several samples take more memory than those of one.
  PdPrices(const MethodInput& input, std::size_t samples) : Prices(input) {
    if (LeafCounts::possible(input, 2, samples)) pair = prediction;
    if (pd_means_by_trees(input)) means = pd_means_price * prediction;
  }
  // Of a row under so many points of a subset.
  [[nodiscard]] double of_subset(const PdSubset& subset, double points) const {
    if (subset.size() > 2 && means > 0) return means;
    if (subset.size() == 1 && means > 0) return std::min(means, of(points));
    return subset.size() == 2 && pair > 0 ? pair : of(points);
  }
};

// Model rows for what is asked for, with the number of points of each subset from `points`.
template <class Points>
double cost(const PdRows& rows, const PdRequest& request, const PdPrices& prices, const Points& points) {
  double total = 0;
  for (const PdSample& sample : rows.samples()) {
    const auto size = static_cast<double>(sample.rows.rows());
    const double later = static_cast<double>(request.later) * (prices.pair > 0 ? prices.pair : prices.point * size);
    double each = prices.prediction + later;
    for (const PdSubset& subset : request.subsets) each += prices.of_subset(subset, points(sample, subset));
    total += size * each;
  }
  return total;
}

double least_cost(const PdRows& rows, const PdRequest& request, const PdPrices& prices) {
  return cost(rows, request, prices, [](const PdSample& sample, const PdSubset& subset) {
    std::size_t most = 1;
    for (const std::size_t feature : subset) most = std::max(most, sample.singles[feature].size());
    return static_cast<double>(most);
  });
}

double largest_cost(const PdRows& rows, const PdRequest& request, const PdPrices& prices) {
  return cost(rows, request, prices, [](const PdSample& sample, const PdSubset& subset) {
    double product = 1;
    for (const std::size_t feature : subset) product *= static_cast<double>(sample.singles[feature].size());
    // Single features also have points that no row has.
    return subset.size() == 1 ? product : std::min(product, static_cast<double>(sample.rows.rows()));
  });
}

double exact_cost(const PdRows& rows, const PdRequest& request, const PdPrices& prices) {
  return cost(rows, request, prices, [](const PdSample& sample, const PdSubset& subset) {
    return static_cast<double>(sample.points(subset).size());
  });
}

bool affordable(const PdRows& rows, const PdRequest& request, const PdPrices& prices, double budget) {
  if (least_cost(rows, request, prices) > budget) return false;
  return largest_cost(rows, request, prices) <= budget || exact_cost(rows, request, prices) <= budget;
}

PdRows choose_rows(const MethodInput& input, const PdRowOptions& options, const PdRequest& request,
                   const RowSample& drawn) {
  const auto budget = static_cast<double>(options.predictions);
  const auto wanted = static_cast<std::uint64_t>(options.sample_rows);
  if (drawn.complete()) {
    PdRows all(input, request.features, request.extra, {drawn});
    if (wanted >= drawn.available || (wanted == 0 && affordable(all, request, PdPrices(input, 1), budget))) return all;
  }
  const std::uint64_t samples =
      std::min(static_cast<std::uint64_t>(options.samples), std::max<std::uint64_t>(1, drawn.rows() / 2));
  const std::uint64_t most = std::max<std::uint64_t>(1, drawn.rows() / samples);
  const PdPrices prices(input, samples);
  const auto dealt = [&](std::uint64_t rows) {
    return PdRows(input, request.features, request.extra, deal(drawn, input.seed, samples, rows));
  };
  if (wanted > 0) return dealt(std::min(wanted, most));
  // The largest size that the budget allows.
  std::uint64_t low = std::min(pd_least_rows, most), high = most;
  while (low < high) {
    const std::uint64_t middle = low + (high - low + 1) / 2;
    if (largest_cost(dealt(middle), request, prices) <= budget) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  PdRows chosen = dealt(low);
  if (largest_cost(chosen, request, prices) > budget) chosen.set_cost(exact_cost(chosen, request, prices));
  return chosen;
}

}  // namespace

void add_subsets(std::size_t features, std::size_t size, std::vector<PdSubset>& subsets) {
  PdSubset subset(size);
  for (std::size_t i = 0; i < size; ++i) subset[i] = i;
  for (;;) {
    subsets.push_back(subset);
    std::size_t at = size;
    while (at > 0 && subset[at - 1] == features - size + at - 1) --at;
    if (at == 0) return;
    ++subset[at - 1];
    for (std::size_t i = at; i < size; ++i) subset[i] = subset[i - 1] + 1;
  }
}

PdPoints PdSample::points(const PdSubset& subset) const {
  if (subset.size() == 1) return singles[subset[0]];
  PdPoints points;
  std::vector<std::uint64_t> keys(rows.rows(), 0), distinct(1);
  for (const std::size_t feature : subset) {
    const PdPoints& single = singles[feature];
    for (std::size_t row = 0; row < keys.size(); ++row) keys[row] = keys[row] * single.size() + single.of_row[row];
    // Ranks instead of products, so that no number of features overflows.
    points.of_row = dense_ranks(keys, distinct.size() * single.size(), distinct);
    keys.assign(points.of_row.begin(), points.of_row.end());
  }
  if (subset.empty()) points.of_row.assign(keys.size(), 0);
  summarize(points, subset.empty() ? 1 : distinct.size(), rows.weights);
  for (const std::size_t feature : subset) {
    auto& part = points.parts.emplace_back();
    for (const std::uint32_t row : points.row) part.push_back(singles[feature].of_row[row]);
  }
  return points;
}

std::uint32_t PdSample::point_of(std::size_t feature, double value) const { return point_at(values[feature], value); }

PdRows::PdRows(const MethodInput& input, std::vector<std::uint32_t> features,
               const std::vector<std::vector<double>>& extra, std::vector<RowSample> samples)
    : features_(std::move(features)) {
  ExactSum all;
  for (RowSample& rows : samples) {
    available_ = rows.available;
    PdSample sample{.rows = std::move(rows)};
    ExactSum weight;
    for (const double each : sample.rows.weights) weight.add(each);
    sample.weight = weight.value();
    all.merge(weight);
    for (std::size_t i = 0; i < features_.size(); ++i) {
      const auto steps = input.steps ? input.steps(features_[i]) : std::nullopt;
      sample.singles.push_back(single_points(sample.rows.of(features_[i]), sample.rows.weights, steps,
                                             i < extra.size() ? extra[i] : std::vector<double>{},
                                             sample.values.emplace_back()));
    }
    for (std::size_t row = 0; row < sample.rows.rows(); ++row) {
      places_.push_back(
          {sample.rows.ids[row], static_cast<std::uint32_t>(samples_.size()), static_cast<std::uint32_t>(row)});
    }
    samples_.push_back(std::move(sample));
  }
  weight_ = all.value();
  std::sort(places_.begin(), places_.end(), [](const Place& a, const Place& b) { return a.id < b.id; });
}

const PdRows::Place* PdRows::find(std::uint64_t id) const {
  const auto at = std::lower_bound(places_.begin(), places_.end(), id,
                                   [](const Place& place, std::uint64_t wanted) { return place.id < wanted; });
  return at != places_.end() && at->id == id ? &*at : nullptr;
}

std::uint64_t pd_subset_cost(const MethodInput& input, const PdRowOptions& options, std::uint64_t rows) {
  const bool all = input.rows <= rows;
  const auto samples = static_cast<std::uint64_t>(std::clamp<std::int64_t>(options.samples, 1, most_samples));
  // Pairs off counts hardly depend on the rows.
  if (LeafCounts::possible(input, 2, all ? 1 : samples)) return counted_pair_cost;
  return all ? input.rows * input.rows : samples * rows * rows;
}

Chain<std::shared_ptr<const PdRows>> draw_pd_rows(const MethodInput& input, const PdRowOptions& options,
                                                  const PdRequest& request) {
  const auto samples = static_cast<std::uint64_t>(options.samples);
  std::uint64_t limit = 0;
  if (options.sample_rows > 0) {
    const auto rows = static_cast<std::uint64_t>(options.sample_rows);
    limit = rows >= input.rows || samples > input.rows / rows ? 0 : rows * samples;
  } else {
    // Every row asks for at least one point of every subset: more rows than this are never affordable.
    const Prices prices(input);
    const double least = prices.prediction * static_cast<double>(1 + request.subsets.size() + request.later);
    limit =
        std::max(static_cast<std::uint64_t>(static_cast<double>(options.predictions) / least), samples * pd_least_rows);
  }
  return draw_rows(input, request.features, limit, pd_stream)
      .then([=](const RowSample& drawn) -> Chain<std::shared_ptr<const PdRows>> {
        const auto rows = std::make_shared<PdRows>(choose_rows(input, options, request, drawn));
        rows->set_averaged(pd_means_bytes(input));
        const bool pairs = request.later > 0 || std::any_of(request.subsets.begin(), request.subsets.end(),
                                                            [](const auto& s) { return s.size() == 2; });
        if (!pairs || !LeafCounts::possible(input, 2, rows->samples().size())) return {rows};
        const auto sample_of = [rows](std::uint64_t id) -> std::size_t {
          const PdRows::Place* place = rows->find(id);
          return place == nullptr ? rows->samples().size() : place->sample;
        };
        return count_leaves(input, 2, rows->samples().size(), sample_of)
            .then([rows](std::vector<LeafCountsPtr> counts) -> std::shared_ptr<const PdRows> {
              rows->set_counts(std::move(counts));
              return rows;
            });
      });
}

void add_pd_row_caveats(const MethodInput& input, const PdRowOptions& options, const PdRows& rows,
                        std::vector<Caveat>& caveats) {
  if (!rows.complete()) {
    const std::size_t samples = rows.samples().size();
    const std::uint64_t each = rows.samples()[0].rows.rows();
    caveats.push_back(
        {.id = "sampled-rows",
         .severity = Severity::note,
         .message = (rows.used() == rows.available()
                         ? "all " + std::to_string(rows.used()) + " rows are used, dealt at random: "
                         : "computed on " + std::to_string(rows.used()) + " of " + std::to_string(rows.available()) +
                               " rows, drawn at random: ") +
                    (samples == 1 ? "one sample"
                                  : std::to_string(samples) + " samples of about " + std::to_string(each) +
                                        " rows, each compared with itself alone; standard errors are over the samples"),
         .evidence = Value::object({{"rows", rows.used()}, {"available", rows.available()}, {"samples", samples}}),
         .advice = marked("set {option:sample_rows} to ") + std::to_string(rows.available()) +
                   marked(" to compare each row with all, or raise {option:predictions}")});
  }
  if (rows.cost() > static_cast<double>(options.predictions)) {
    const auto predictions = static_cast<std::uint64_t>(rows.cost());
    caveats.push_back({.id = "over-budget",
                       .severity = Severity::note,
                       .message = "about " + std::to_string(predictions) +
                                  " predictions were asked for, more than the " + std::to_string(options.predictions) +
                                  " of the budget: samples of fewer rows say nothing",
                       .evidence = Value::object({{"predictions", predictions}, {"budget", options.predictions}}),
                       .advice = marked("name fewer {option:features|features}, or fewer {option:samples|samples}")});
  }
  if (rows.available() == 1) {
    caveats.push_back({.id = "one-row",
                       .severity = Severity::caution,
                       .message = "there is only one row (or one with weight): nothing varies",
                       .evidence = Value::object({{"rows", 1}}),
                       .advice = "use more rows"});
  }
  for (std::size_t feature = 0; feature < rows.features().size(); ++feature) {
    const std::string& name = input.schema[rows.features()[feature]].name;
    bool any = false, varies = false;
    std::optional<double> first;
    for (const PdSample& sample : rows.samples()) {
      for (const double value : sample.rows.of(rows.features()[feature])) {
        any = any || !std::isnan(value);
        if (!first) first = value;
        varies = varies || (value != *first && !(std::isnan(value) && std::isnan(*first)));
      }
    }
    if (varies || input.group_column == rows.features()[feature]) continue;
    caveats.push_back(
        {.id = any ? "constant-feature" : "no-values",
         .severity = any ? Severity::note : Severity::caution,
         .message = name + (any ? " has one value" : " has no value") + (any ? " in all rows" : " in any row") +
                    (rows.complete() ? "" : " that was drawn") + ": it has no effect here",
         .evidence = Value::object({{"feature", name}}),
         .advice = any ? "use data in which it varies" : "leave the feature out, or use data that have it"});
  }
}

std::vector<std::uint32_t> parse_features(const MethodInput& input, const std::string& text, std::size_t count,
                                          const Text& option) {
  std::vector<std::string> names;
  // Depth first over every place to cut.
  const std::function<bool(std::size_t)> cut_from = [&](std::size_t begin) -> bool {
    if (names.size() + 1 == count) {
      names.push_back(text.substr(begin));
      if (find_given(input.schema, names.back())) return true;
      names.pop_back();
      return false;
    }
    for (std::size_t cut = text.find(':', begin); cut != std::string::npos; cut = text.find(':', cut + 1)) {
      names.push_back(text.substr(begin, cut - begin));
      if (find_given(input.schema, names.back()) && cut_from(cut + 1)) return true;
      names.pop_back();
    }
    return false;
  };
  const std::string example = count == 2 ? "first:second, for example temp:hour" : "first:second:third";
  if (!cut_from(0)) {
    if (static_cast<std::size_t>(std::count(text.begin(), text.end(), ':')) + 1 == count) {
      for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(':', begin), text.size());
        (void)input.schema.require(text.substr(begin, end - begin), option);
        begin = end + 1;
      }
    }
    throw Error(ErrorKind::usage,
                option + ": " + printable(text) + " is not " + (count == 2 ? "a pair" : "a triple") + " of features",
                "write " + example);
  }
  std::vector<std::uint32_t> columns;
  for (const std::string& name : names) {
    const std::uint32_t column = input.schema.require(name, option);
    if (std::find(input.features.begin(), input.features.end(), column) == input.features.end()) {
      throw Error(ErrorKind::usage, option + ": the model does not use " + printable(name),
                  "its predictions cannot depend on it");
    }
    if (std::find(columns.begin(), columns.end(), column) != columns.end())
      throw Error(ErrorKind::usage, option + ": " + printable(text) + " names one feature twice");
    columns.push_back(column);
  }
  const auto position = [&](std::uint32_t column) {
    return std::find(input.features.begin(), input.features.end(), column);
  };
  std::sort(columns.begin(), columns.end(),
            [&](std::uint32_t a, std::uint32_t b) { return position(a) < position(b); });
  return columns;
}

}  // namespace sightglass
