// Attributions as they are shown: which features come first, how a row's values add up from base to prediction, which
// other feature a feature's values go with. Shared by the renderers.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sightglass/result/result.h"

namespace sightglass {

constexpr std::size_t steps_shown = 12;           // of one row; the others are one step together
constexpr std::size_t features_in_swarm = 20;     // of many rows
constexpr std::size_t dots_per_feature = 1000;    // at the most
constexpr std::size_t dots_in_swarm = 12'000;     // of all features
constexpr std::size_t features_with_scatter = 3;  // get a picture of their own

// "temp = 21.3 °C", "season = winter", "wind missing".
[[nodiscard]] std::string own_label(const Attributions& item, std::size_t row, std::size_t feature);
// The value alone: "21.3", "winter", "missing".
[[nodiscard]] std::string own_value(const Attributions& item, std::size_t row, std::size_t feature);

// Of a row that is explained before the link, what a report says the model predicts behind it: "probability 0.96".
struct Response {
  std::string name;
  double value = 0;
  [[nodiscard]] std::string text() const;
};
[[nodiscard]] std::optional<Response> response_of(const Attributions& item, std::size_t row);

// What is true of a row, where a report says it: "12.3", "setosa"; empty where it is not known.
[[nodiscard]] std::string truth_of(const Attributions& item, std::size_t row);
// A feature's own values of all rows, numbers with as many decimals each.
[[nodiscard]] std::vector<std::string> own_values(const Attributions& item, std::size_t feature);

// One step of the way from base to prediction.
struct AttributionStep {
  std::string label;
  std::optional<std::size_t> feature;  // none: all that are left
  std::size_t features = 1;            // that the step stands for
  double from = 0, to = 0;
  double value = 0;
  std::optional<double> se;
};
// Largest first, ties in the order of the features; labels all different.
[[nodiscard]] std::vector<AttributionStep> attribution_steps(const Attributions& item, std::size_t row);

// Features by mean |value| over the rows, largest first, ties in their order.
[[nodiscard]] std::vector<std::size_t> by_mean_size(const Attributions& item);
[[nodiscard]] double mean_size(const Attributions& item, std::size_t feature);

// At most `limit` rows, evenly spread.
[[nodiscard]] std::vector<std::size_t> shown_rows(const Attributions& item, std::size_t limit);

// From low (0) to high (1) between the 5 % and the 95 % quantile of the feature's values over the rows; nothing where
// missing, for levels without an order, and for a feature with one value.
class ValueShade {
 public:
  ValueShade(const Attributions& item, std::size_t feature);
  [[nodiscard]] std::optional<double> of(double value) const;

 private:
  bool any_ = false;
  double low_ = 0, high_ = 0;
};

// Where a dot of a swarm stands beside its line, from -1 to 1, for each of the rows: dots of nearly the same value
// side by side.
[[nodiscard]] std::vector<double> swarm_offsets(const Attributions& item, std::size_t feature,
                                                const std::vector<std::size_t>& rows, double low, double high);

// The other feature that best tells apart rows of about the same value of this one: by the interactions, if they
// were computed, else by how the values within slices of the feature go with the other. Nothing if none does.
[[nodiscard]] std::optional<std::size_t> companion(const Attributions& item, std::size_t feature);

}  // namespace sightglass
