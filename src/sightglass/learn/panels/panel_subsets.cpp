#include "sightglass/learn/panels/panel_subsets.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "sightglass/base/error.h"
#include "sightglass/learn/panels/panel_search.h"
#include "sightglass/learn/panels/stratified_sample.h"

namespace sightglass {

namespace {

constexpr std::size_t most_axis_levels = 64;
constexpr std::size_t most_tried = 1'000'000;   // subsets
constexpr std::size_t most_screened = 200'000;  // pairs
constexpr std::size_t groups_alone = 16, groups_of_a_pair = 5;

// Rows on which features are compared before any panel is trained.
struct ScreenRows {
  std::vector<std::uint32_t> rows;
  std::vector<std::uint32_t> classes;
  std::vector<double> weights;
  std::size_t number_of_classes = 0;
};

ScreenRows screen_rows(const TrainingData& data, const PanelLimits& limits) {
  ScreenRows screen;
  std::vector<std::uint32_t> classes;
  for (const double outcome : data.outcome) classes.push_back(static_cast<std::uint32_t>(outcome));
  const StratifiedSample sample = stratified_sample(classes, data.classes.size(), limits.search_rows, limits.seed);
  screen.rows = sample.places;
  screen.number_of_classes = data.classes.size();
  for (std::size_t k = 0; k < sample.places.size(); ++k) {
    screen.classes.push_back(classes[sample.places[k]]);
    screen.weights.push_back(data.weight(sample.places[k]) * sample.factors[k]);
  }
  return screen;
}

// Which of so many groups of equally many rows each row is in; equal values are in one group, missing ones in the last,
// which comes on top. Levels stand in the order of their mean class number: some order in which like ones are near.
std::vector<std::uint8_t> group_codes(const TrainingFeature& feature, const ScreenRows& screen, std::size_t groups) {
  std::vector<double> values;
  for (const std::uint32_t row : screen.rows) values.push_back(feature.values[row]);
  if (feature.info.categorical) {
    std::vector<double> sum(feature.info.levels.size(), 0), weight(sum);
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (std::isnan(values[k])) continue;
      sum[static_cast<std::size_t>(values[k])] += screen.weights[k] * screen.classes[k];
      weight[static_cast<std::size_t>(values[k])] += screen.weights[k];
    }
    for (double& value : values) {
      if (!std::isnan(value)) value = sum[static_cast<std::size_t>(value)] / weight[static_cast<std::size_t>(value)];
    }
  }
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!std::isnan(values[k])) order.emplace_back(values[k], k);
  }
  std::sort(order.begin(), order.end());
  std::vector<std::uint8_t> codes(values.size(), static_cast<std::uint8_t>(groups));
  std::size_t group = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && order[i].first != order[i - 1].first) group = i * groups / order.size();
    codes[order[i].second] = static_cast<std::uint8_t>(group);
  }
  return codes;
}

// Share of Gini impurity that cells remove, less what as many cells would remove by chance.
class CellScore {
 public:
  explicit CellScore(const ScreenRows& screen) : screen_(screen), all_(screen.number_of_classes, 0) {
    for (std::size_t k = 0; k < screen.rows.size(); ++k) all_[screen.classes[k]] += screen.weights[k];
    before_ = gini_impurity(all_);
  }
  // The cell of row k is first[k] · width + second[k].
  [[nodiscard]] double of(std::span<const std::uint8_t> first, std::span<const std::uint8_t> second, std::size_t width,
                          std::size_t cells) const {
    const std::size_t classes = screen_.number_of_classes;
    std::vector<double> weights(cells * classes, 0);
    for (std::size_t k = 0; k < first.size(); ++k) {
      const std::size_t cell = first[k] * width + (second.empty() ? 0 : second[k]);
      weights[cell * classes + screen_.classes[k]] += screen_.weights[k];
    }
    double left = 0;
    std::size_t used = 0;
    for (std::size_t cell = 0; cell < cells; ++cell) {
      const std::span<const double> of_cell(weights.data() + cell * classes, classes);
      left += gini_impurity(of_cell);
      used += std::any_of(of_cell.begin(), of_cell.end(), [](double weight) { return weight > 0; }) ? 1 : 0;
    }
    if (!(before_ > 0) || used >= first.size()) return 0;
    const auto rows = static_cast<double>(first.size());
    return 1 - left / before_ * (rows - 1) / (rows - static_cast<double>(used));
  }

 private:
  const ScreenRows& screen_;
  std::vector<double> all_;
  double before_ = 0;
};

// The places of the largest numbers, at most so many; of equal ones the first.
std::vector<std::size_t> largest(const std::vector<double>& numbers, std::size_t most) {
  std::vector<std::size_t> order(numbers.size());
  std::iota(order.begin(), order.end(), 0);
  const std::size_t kept = std::min(most, order.size());
  std::partial_sort(
      order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept), order.end(),
      [&](std::size_t a, std::size_t b) { return numbers[a] != numbers[b] ? numbers[a] > numbers[b] : a < b; });
  order.resize(kept);
  return order;
}

std::uint64_t pairs_of(std::uint64_t features) { return features * (features - (features > 0 ? 1 : 0)) / 2; }

std::set<PanelSubset> read_veto(const std::vector<std::string>& veto, const TrainingData& data) {
  const auto find = [&](std::string_view name) -> std::optional<std::uint32_t> {
    for (std::uint32_t f = 0; f < data.features.size(); ++f) {
      if (data.features[f].info.name == name) return f;
    }
    return std::nullopt;
  };
  std::set<PanelSubset> vetoed;
  for (const std::string& entry : veto) {
    if (const auto feature = find(entry)) {
      vetoed.insert({*feature});
      continue;
    }
    bool known = false;
    for (std::size_t at = entry.find(':'); at != std::string::npos && !known; at = entry.find(':', at + 1)) {
      const auto first = find(std::string_view(entry).substr(0, at)),
                 second = find(std::string_view(entry).substr(at + 1));
      known = first && second && *first != *second;
      if (known) vetoed.insert({std::min(*first, *second), std::max(*first, *second)});
    }
    if (!known) {
      throw Error(ErrorKind::usage,
                  option_text("veto") + ": " + printable(entry, 80) + " names no features of the data",
                  "write first:second for a pair, or one name for a feature by itself");
    }
  }
  return vetoed;
}

// Of too many subsets those that promise most.
void screen_subsets(const TrainingData& data, const PanelLimits& limits, const std::vector<std::uint32_t>& usable,
                    const std::set<PanelSubset>& vetoed, PanelSubsets& subsets, const Context& context) {
  const ScreenRows screen = screen_rows(data, limits);
  const CellScore score(screen);
  std::vector<double> alone(usable.size()), allowed;
  context.parallel_for(usable.size(), [&](std::size_t i) {
    context.check();
    alone[i] = score.of(group_codes(data.features[usable[i]], screen, groups_alone), {}, 1, groups_alone + 1);
  });
  const bool pairs = limits.dimensions > 1;
  const std::size_t singles = pairs ? (limits.max_subsets + 9) / 10 : limits.max_subsets;
  std::vector<std::uint32_t> by_themselves;
  for (std::size_t i = 0; i < usable.size(); ++i) {
    if (vetoed.contains({usable[i]})) continue;
    by_themselves.push_back(usable[i]);
    allowed.push_back(alone[i]);
  }
  for (const std::size_t i : largest(allowed, singles)) subsets.list.push_back({by_themselves[i]});
  if (pairs) {
    std::size_t features = 2;
    while (features < usable.size() && pairs_of(features + 1) <= most_screened) ++features;
    std::vector<std::uint32_t> strongest;
    for (const std::size_t i : largest(alone, features)) strongest.push_back(usable[i]);
    std::sort(strongest.begin(), strongest.end());
    std::vector<std::vector<std::uint8_t>> codes(strongest.size());
    context.parallel_for(strongest.size(), [&](std::size_t i) {
      context.check();
      codes[i] = group_codes(data.features[strongest[i]], screen, groups_of_a_pair);
    });
    std::vector<PanelSubset> found;
    for (std::size_t a = 0; a < strongest.size(); ++a) {
      for (std::size_t b = a + 1; b < strongest.size(); ++b) {
        const PanelSubset places = {static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)};
        if (!vetoed.contains({strongest[a], strongest[b]})) found.push_back(places);
      }
    }
    constexpr std::size_t width = groups_of_a_pair + 1;
    std::vector<double> together(found.size());
    context.parallel_for(found.size(), [&](std::size_t i) {
      context.check();
      together[i] = score.of(codes[found[i][0]], codes[found[i][1]], width, width * width);
    });
    for (const std::size_t i : largest(together, limits.max_subsets - singles)) {
      subsets.list.push_back({strongest[found[i][0]], strongest[found[i][1]]});
    }
    subsets.screened = found.size();
  }
  std::sort(subsets.list.begin(), subsets.list.end(), [](const PanelSubset& a, const PanelSubset& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  });
}

}  // namespace

double gini_impurity(std::span<const double> weights) {
  double sum = 0, squares = 0;
  for (const double weight : weights) {
    sum += weight;
    squares += weight * weight;
  }
  return sum > 0 ? sum - squares / sum : 0;
}

PanelSubsets panel_subsets(const TrainingData& data, const PanelLimits& limits, const Context& context) {
  const std::set<PanelSubset> vetoed = read_veto(limits.veto, data);
  PanelSubsets subsets;
  std::vector<std::uint32_t> usable;
  for (std::uint32_t f = 0; f < data.features.size(); ++f) {
    const TrainingFeature& feature = data.features[f];
    if (moments_of(feature.values).constant) {
      subsets.left_out.push_back(printable(feature.info.name, 60) + " has one value only");
    } else if (feature.info.categorical && feature.info.levels.size() > most_axis_levels) {
      subsets.left_out.push_back(printable(feature.info.name, 60) + " has " +
                                 std::to_string(feature.info.levels.size()) + " levels, more than an axis can show");
    } else {
      usable.push_back(f);
    }
  }
  if (limits.dimensions > 1) subsets.pairs = pairs_of(usable.size());
  subsets.possible = usable.size() + subsets.pairs;
  for (const PanelSubset& subset : vetoed) {
    const bool counted = subset.size() <= limits.dimensions && std::all_of(subset.begin(), subset.end(), [&](auto f) {
                           return std::binary_search(usable.begin(), usable.end(), f);
                         });
    if (!counted) continue;
    --subsets.possible;
    if (subset.size() > 1) --subsets.pairs;
  }
  if (limits.max_subsets > 0 && subsets.possible > limits.max_subsets) {
    screen_subsets(data, limits, usable, vetoed, subsets, context);
    return subsets;
  }
  if (subsets.possible > most_tried) {
    throw Error(ErrorKind::usage,
                option_text("max_subsets") + ": " + std::to_string(usable.size()) + " features make " +
                    std::to_string(subsets.possible) + " features and pairs, more than can all be tried",
                marked("name {option:features}, or give {option:max_subsets} up to " + std::to_string(most_tried)));
  }
  const auto add = [&](PanelSubset subset) {
    if (!vetoed.contains(subset)) subsets.list.push_back(std::move(subset));
  };
  for (const std::uint32_t f : usable) add({f});
  for (std::size_t a = 0; a < usable.size() && limits.dimensions > 1; ++a) {
    for (std::size_t b = a + 1; b < usable.size(); ++b) add({usable[a], usable[b]});
  }
  return subsets;
}

}  // namespace sightglass
