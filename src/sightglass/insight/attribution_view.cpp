#include "sightglass/insight/attribution_view.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/insight/groups.h"
#include "sightglass/insight/probabilities.h"
#include "sightglass/insight/readable.h"

namespace sightglass {

namespace {

constexpr std::size_t slices = 10;
constexpr std::size_t values_per_slice = 8;  // rows of one value, on average, that make slices of single values
constexpr std::size_t swarm_bins = 120;
constexpr double widest_pile = 12;  // dots beside one another before a pile is pressed together
// A companion explains at least this share of what rows of one slice differ in, and they differ by at least this
// share of the feature's own movement.
constexpr double least_explained = 0.15;
constexpr double least_within = 0.02;

// Rows of about the same value of a feature: of one value where values repeat, else equally many in its order.
std::vector<std::vector<std::size_t>> slices_of(const Attributions& item, std::size_t feature) {
  std::vector<std::size_t> rows(item.rows.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  const auto key = [&](std::size_t row) {
    const double own = item.own(row, feature);
    return std::isnan(own) ? INFINITY : own;
  };
  std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  std::vector<std::vector<std::size_t>> parts;
  std::size_t different = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) different += i == 0 || key(rows[i]) != key(rows[i - 1]) ? 1 : 0;
  const bool by_value = different * values_per_slice <= rows.size();
  const std::size_t size = std::max<std::size_t>(8, (rows.size() + slices - 1) / slices);
  for (const std::size_t row : rows) {
    const bool next = parts.empty() || (by_value ? key(parts.back().back()) != key(row) : parts.back().size() >= size);
    if (next) parts.emplace_back();
    parts.back().push_back(row);
  }
  return parts;
}

// How much of what the rows' values differ in goes along with another feature, as sums of squares.
struct Spread {
  double all = 0, explained = 0;
};

Spread spread_along(const Attributions& item, const std::vector<std::size_t>& rows, std::size_t feature,
                    std::size_t other) {
  Spread spread;
  double mean = 0;
  for (const std::size_t row : rows) mean += item.value(row, feature) / static_cast<double>(rows.size());
  for (const std::size_t row : rows) spread.all += std::pow(item.value(row, feature) - mean, 2);
  if (item.features[other].is_categorical()) {
    std::map<double, std::pair<double, double>> levels;  // missing is one more
    for (const std::size_t row : rows) {
      auto& [sum, count] = levels[std::isnan(item.own(row, other)) ? -1 : item.own(row, other)];
      sum += item.value(row, feature) - mean;
      ++count;
    }
    // What levels of single rows explain says nothing.
    if (levels.size() * 2 > rows.size()) return spread;
    for (const auto& [level, sums] : levels) spread.explained += sums.first * sums.first / sums.second;
    // Many levels explain something by chance.
    const auto n = static_cast<double>(rows.size()), count = static_cast<double>(levels.size());
    spread.explained = std::max(0.0, spread.all - (spread.all - spread.explained) * (n - 1) / (n - count));
    return spread;
  }
  double center = 0, count = 0;
  for (const std::size_t row : rows) {
    if (!std::isfinite(item.own(row, other))) continue;
    center += item.own(row, other);
    ++count;
  }
  center /= std::max(count, 1.0);
  double along = 0, squares = 0;
  for (const std::size_t row : rows) {
    if (!std::isfinite(item.own(row, other))) continue;
    const double apart = item.own(row, other) - center;
    along += apart * (item.value(row, feature) - mean);
    squares += apart * apart;
  }
  if (squares > 0 && std::isfinite(squares)) spread.explained = along * along / squares;
  return spread;
}

}  // namespace

std::string own_value(const Attributions& item, std::size_t row, std::size_t feature) {
  const double own = item.own(row, feature);
  if (std::isnan(own)) return "missing";
  const Axis& axis = item.features[feature];
  if (axis.is_categorical()) return printable(axis.levels[static_cast<std::size_t>(own)], 60);
  if (axis.dates) return date_text(axis.dates, own);
  // So many rows tell what kind of numbers a feature has.
  constexpr std::size_t rows_asked = 100;
  std::vector<double> values{own};
  for (std::size_t r = 0; r < std::min(rows_asked, item.prediction.size()); ++r) {
    if (const double other = item.own(r, feature); !std::isnan(other)) values.push_back(other);
  }
  return are_years(values) ? readable_year(own) : readable(own);
}

std::string own_label(const Attributions& item, std::size_t row, std::size_t feature) {
  const Axis& axis = item.features[feature];
  const std::string name = printable(axis.feature, 60), value = own_value(item, row, feature);
  if (std::isnan(item.own(row, feature))) return name + " " + value;
  return name + " = " + value + (axis.unit.empty() ? "" : " " + printable(axis.unit, 20));
}

std::vector<std::string> own_values(const Attributions& item, std::size_t feature) {
  std::vector<double> numbers;
  for (std::size_t row = 0; row < item.rows.size(); ++row) numbers.push_back(item.own(row, feature));
  const ColumnFormat format(numbers);
  std::vector<std::string> texts;
  for (std::size_t row = 0; row < item.rows.size(); ++row) {
    texts.push_back(own_value(item, row, feature));
    // Years and levels stay as they are.
    const bool plain = !item.features[feature].is_categorical() && std::isfinite(numbers[row]);
    if (plain && texts.back() == readable(numbers[row])) texts.back() = format(numbers[row]);
  }
  return texts;
}

std::string truth_of(const Attributions& item, std::size_t row) {
  const Value* list = item.details.find("truth");
  if (list == nullptr || !list->is_array() || row >= list->as_array().size()) return {};
  const Value& truth = list->as_array()[row];
  return truth.is_number() || truth.is_string() ? readable(truth) : std::string();
}

std::string Response::text() const {
  return name + " " + (name == "probability" ? probability_text(value) : readable(value));
}

std::optional<Response> response_of(const Attributions& item, std::size_t row) {
  for (const auto& [key, name] : {std::pair("probability", "probability"), std::pair("response", "prediction")}) {
    const Value* list = item.details.find(key);
    if (list == nullptr || !list->is_array() || row >= list->as_array().size()) continue;
    const Value& value = list->as_array()[row];
    if (value.is_number()) return Response{name, value.as_number()};
  }
  return std::nullopt;
}

std::vector<AttributionStep> attribution_steps(const Attributions& item, std::size_t row) {
  std::vector<std::size_t> order(item.features.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(item.value(row, a)) > std::abs(item.value(row, b));
  });
  const std::size_t width = order.size();
  // One left over is no fewer than itself.
  const std::size_t single = width <= steps_shown + 1 ? width : steps_shown;
  std::vector<AttributionStep> steps;
  std::vector<std::string> labels;
  double at = item.base;
  for (std::size_t i = 0; i < single; ++i) {
    const double value = item.value(row, order[i]);
    steps.push_back({.feature = order[i], .from = at, .to = at + value, .value = value});
    if (!item.se.empty()) steps.back().se = item.se[row * width + order[i]];
    at += value;
    labels.push_back(own_label(item, row, order[i]));
  }
  if (single < width) {
    double value = 0;
    for (std::size_t i = single; i < width; ++i) value += item.value(row, order[i]);
    steps.push_back({.features = width - single, .from = at, .to = at + value, .value = value});
    labels.push_back(std::to_string(width - single) + " other features");
  }
  labels = unique_labels(labels);
  for (std::size_t i = 0; i < steps.size(); ++i) steps[i].label = labels[i];
  return steps;
}

double mean_size(const Attributions& item, std::size_t feature) {
  double sum = 0;
  for (std::size_t row = 0; row < item.rows.size(); ++row) sum += std::abs(item.value(row, feature));
  return item.rows.empty() ? 0 : sum / static_cast<double>(item.rows.size());
}

std::vector<std::size_t> by_mean_size(const Attributions& item) {
  std::vector<double> size;
  for (std::size_t j = 0; j < item.features.size(); ++j) size.push_back(mean_size(item, j));
  std::vector<std::size_t> order(size.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return size[a] > size[b]; });
  return order;
}

std::vector<std::size_t> shown_rows(const Attributions& item, std::size_t limit) {
  const std::size_t count = item.rows.size(), shown = std::min(count, limit);
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < shown; ++i) rows.push_back((2 * i + 1) * count / (2 * shown));
  return rows;
}

ValueShade::ValueShade(const Attributions& item, std::size_t feature) {
  const Axis& axis = item.features[feature];
  if (axis.is_categorical() && !axis.ordered && axis.levels.size() != 2) return;
  std::vector<double> values;
  for (std::size_t row = 0; row < item.rows.size(); ++row) {
    if (std::isfinite(item.own(row, feature))) values.push_back(item.own(row, feature));
  }
  if (values.empty()) return;
  std::sort(values.begin(), values.end());
  low_ = values[values.size() / 20];
  high_ = values[values.size() - 1 - values.size() / 20];
  // A value that nearly all rows have would leave no room for the others.
  if (!(high_ > low_)) {
    low_ = values.front();
    high_ = values.back();
  }
  any_ = high_ > low_;
}

std::optional<double> ValueShade::of(double value) const {
  if (!any_ || std::isnan(value)) return std::nullopt;
  // Halves, so that the largest numbers there are do not overflow.
  return std::clamp((value / 2 - low_ / 2) / (high_ / 2 - low_ / 2), 0.0, 1.0);
}

std::vector<double> swarm_offsets(const Attributions& item, std::size_t feature, const std::vector<std::size_t>& rows,
                                  double low, double high) {
  std::vector<std::size_t> bin(rows.size()), pile(swarm_bins);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double share = high > low ? (item.value(rows[i], feature) - low) / (high - low) : 0.5;
    const double place = std::isfinite(share) ? std::clamp(share, 0.0, 1.0) * (swarm_bins - 1) : 0;
    bin[i] = static_cast<std::size_t>(std::lround(place));
    ++pile[bin[i]];
  }
  const double highest = static_cast<double>(*std::max_element(pile.begin(), pile.end()));
  std::vector<std::size_t> placed(swarm_bins);
  std::vector<double> offsets;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    // From the middle outwards, in turns to either side.
    const std::size_t n = placed[bin[i]]++;
    const std::size_t outwards = (n + 1) / 2;
    const double steps = static_cast<double>(outwards) * (n % 2 == 0 ? -1 : 1);
    offsets.push_back(steps / std::max(highest / 2, widest_pile / 2));
  }
  return offsets;
}

std::optional<std::size_t> companion(const Attributions& item, std::size_t feature) {
  const std::size_t width = item.features.size();
  std::optional<std::size_t> best;
  double most = 0;
  if (!item.interactions.empty()) {
    for (std::size_t other = 0; other < width; ++other) {
      if (other == feature) continue;
      double size = 0;
      for (std::size_t row = 0; row < item.rows.size(); ++row) size += std::abs(item.interaction(row, feature, other));
      if (size <= most) continue;
      most = size;
      best = other;
    }
    const double all = mean_size(item, feature) * static_cast<double>(item.rows.size());
    return most > least_within * all ? best : std::nullopt;
  }
  const auto parts = slices_of(item, feature);
  std::vector<std::size_t> everyone(item.rows.size());
  std::iota(everyone.begin(), everyone.end(), std::size_t{0});
  const double movement = spread_along(item, everyone, feature, feature).all;
  for (std::size_t other = 0; other < width; ++other) {
    if (other == feature) continue;
    Spread sum;
    for (const auto& rows : parts) {
      if (rows.size() < 4) continue;
      const Spread part = spread_along(item, rows, feature, other);
      sum.all += part.all;
      sum.explained += part.explained;
    }
    if (!(sum.all > least_within * movement) || !(sum.explained > least_explained * sum.all)) continue;
    if (sum.explained <= most) continue;
    most = sum.explained;
    best = other;
  }
  return best;
}

}  // namespace sightglass
