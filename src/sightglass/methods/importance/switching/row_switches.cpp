#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "sightglass/base/random.h"
#include "sightglass/methods/importance/switching/row_switches_internal.h"
#include "sightglass/methods/run/prices.h"
#include "sightglass/model/trees/rows/feature_codes_internal.h"
#include "sightglass/model/trees/tree_rows.h"

namespace sightglass {

namespace {

constexpr std::uint64_t sample_stream = 0x4D52;

// The place of each row's value among the different ones, ascending, missing last; what trees cannot tell apart is
// one value. count: of the places there are.
std::vector<std::uint64_t> value_places(const TreeRows* trees, std::uint32_t column, const std::vector<double>& values,
                                        const std::vector<std::size_t>& rows, std::uint64_t& count) {
  std::vector<std::uint64_t> places(rows.size(), 0);
  if (trees != nullptr) {
    const auto slot = trees->slot(column);
    count = slot ? trees->codes().codes(*slot) : 1;
    for (std::size_t k = 0; slot && k < rows.size(); ++k) places[k] = trees->code(*slot, values[rows[k]]);
    return places;
  }
  std::vector<double> different;
  for (const std::size_t row : rows) {
    if (!std::isnan(values[row])) different.push_back(values[row]);
  }
  std::sort(different.begin(), different.end());
  different.erase(std::unique(different.begin(), different.end()), different.end());
  count = different.size() + 1;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const double value = values[rows[k]];
    const auto at = std::isnan(value) ? different.end() : std::lower_bound(different.begin(), different.end(), value);
    places[k] = static_cast<std::uint64_t>(at - different.begin());
  }
  return places;
}

// Numbers below `count` become ranks among those that occur; returns how many do.
std::uint64_t rank(std::vector<std::uint64_t>& numbers, std::uint64_t count) {
  if (count <= 4 * numbers.size() + 1024) {
    std::vector<std::uint64_t> ranks(count, 0);
    for (const std::uint64_t number : numbers) ranks[number] = 1;
    std::uint64_t before = 0;
    for (std::uint64_t& each : ranks) before += std::exchange(each, before);
    for (std::uint64_t& number : numbers) number = ranks[number];
    return before;
  }
  std::vector<std::uint64_t> different = numbers;
  std::sort(different.begin(), different.end());
  different.erase(std::unique(different.begin(), different.end()), different.end());
  for (std::uint64_t& number : numbers) {
    const auto at = std::lower_bound(different.begin(), different.end(), number);
    number = static_cast<std::uint64_t>(at - different.begin());
  }
  return different.size();
}

// The different values of a unit among some rows. One that stands for several is that of the first row.
void find_donors(const SwitchRequest& request, const std::map<std::uint32_t, std::vector<double>>& values,
                 RowSwitches& switches) {
  const auto& columns = request.units[switches.unit].columns;
  switches.donor_of.assign(switches.rows.size(), 0);
  std::uint64_t donors = 1;
  for (const std::uint32_t column : columns) {
    std::uint64_t count = 0;
    const auto places = value_places(request.input.trees, column, values.at(column), switches.rows, count);
    for (std::size_t k = 0; k < places.size(); ++k) switches.donor_of[k] = switches.donor_of[k] * count + places[k];
    donors = rank(switches.donor_of, donors * count);
  }
  std::vector<ExactSum> sums(donors);
  switches.donors.assign(donors, {});
  for (std::size_t k = 0; k < switches.rows.size(); ++k) {
    Variant& variant = switches.donors[switches.donor_of[k]];
    sums[switches.donor_of[k]].add(request.scored->weights[switches.rows[k]]);
    if (!variant.empty()) continue;
    for (const std::uint32_t column : columns)
      variant.push_back({column, Scalar::of(values.at(column)[switches.rows[k]] + 0.0)});
  }
  switches.donor_weights.clear();
  for (const ExactSum& sum : sums) switches.donor_weights.push_back(sum.value());
}

}  // namespace

RowSwitches choose_switches(const SwitchRequest& request, std::size_t unit,
                            const std::map<std::uint32_t, std::vector<double>>& values) {
  const ScoredRows& scored = *request.scored;
  RowSwitches switches{.unit = unit};
  switches.rows.resize(scored.rows());
  std::iota(switches.rows.begin(), switches.rows.end(), std::size_t{0});
  find_donors(request, values, switches);
  const auto budget = static_cast<double>(request.budget);
  const Prices prices(request.input);
  const double each = prices.of(static_cast<double>(switches.donors.size()));
  switches.needed = static_cast<std::uint64_t>(std::ceil(each * static_cast<double>(scored.rows())));
  if (static_cast<double>(switches.needed) > budget) {
    // No more values than rows.
    const auto size = std::min<std::size_t>(
        scored.rows(), static_cast<std::size_t>(std::max(std::sqrt(budget / prices.point), budget / each)));
    std::vector<std::pair<std::uint64_t, std::size_t>> keys;
    for (const std::size_t row : switches.rows)
      keys.emplace_back(random_bits(request.input.seed, sample_stream, scored.ids[row]), row);
    std::nth_element(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(size - 1), keys.end());
    switches.rows.clear();
    for (std::size_t k = 0; k < size; ++k) switches.rows.push_back(keys[k].second);
    std::sort(switches.rows.begin(), switches.rows.end());
    find_donors(request, values, switches);
  }
  const std::size_t half = switches.rows.size() / 2;
  switches.partners.assign(switches.rows.size(), RowSwitches::nobody);
  for (std::size_t k = 0; request.divide && k < half; ++k) {
    switches.partners[k] = k + half;
    switches.partners[k + half] = k;
  }
  return switches;
}

}  // namespace sightglass
