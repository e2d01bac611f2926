#include "sightglass/methods/rows/nearest_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sightglass/data/new_rows.h"
#include "sightglass/learn/neighbors/training_rows.h"
#include "sightglass/methods/caveats/caveat_text_internal.h"

namespace sightglass {

namespace {

constexpr std::size_t neighbours = 5;
constexpr std::size_t fewest_rows = 50;     // below these a 99 % quantile says nothing
constexpr std::size_t most_measured = 500;  // rows of the data whose own distance is measured

TrainingData features_of_data(const MethodInput& input, const LabelledRows& rows) {
  RowList all(rows.of_data);
  std::iota(all.begin(), all.end(), std::size_t{0});
  TrainingData data = features_of(input, rows, input.features, all);
  data.outcome.assign(data.rows, 0.0);
  return data;
}

// Features that either row lacks do not count in distances, so a row with hardly any value would be near to all others.
std::vector<std::uint32_t> half_known(const LabelledRows& rows) {
  std::vector<std::uint32_t> all(rows.of_data);
  std::iota(all.begin(), all.end(), std::uint32_t{0});
  std::vector<std::uint32_t> found;
  for (const std::uint32_t row : all) {
    const auto known = std::count_if(rows.values.begin(), rows.values.end(),
                                     [&](const std::vector<double>& feature) { return !std::isnan(feature[row]); });
    if (2 * static_cast<std::size_t>(known) >= rows.values.size()) found.push_back(row);
  }
  return found.empty() ? all : found;
}

std::vector<bool> categorical(const MethodInput& input) {
  std::vector<bool> found;
  for (const std::uint32_t column : input.features) found.push_back(input.schema[column].has_levels());
  return found;
}

std::vector<std::vector<double>> as_query(const std::vector<double>& values) {
  std::vector<std::vector<double>> query;
  for (const double value : values) query.push_back({value});
  return query;
}

}  // namespace

NearestRows::NearestRows(const MethodInput& input, const LabelledRows& rows)
    : context_(*input.context),
      candidates_(half_known(rows)),
      structure_(neighbor_structure(features_of_data(input, rows), candidates_)),
      search_(structure_, categorical(input)) {
  for (const std::uint32_t row : candidates_) ids_.push_back(rows.ids[row]);
}

std::vector<NearRow> NearestRows::nearest(const std::vector<double>& values, std::size_t k,
                                          std::optional<std::uint64_t> without) const {
  std::vector<std::uint32_t> own;
  if (without) {
    const auto at = std::lower_bound(ids_.begin(), ids_.end(), *without);
    if (at != ids_.end() && *at == *without) own.push_back(static_cast<std::uint32_t>(at - ids_.begin()));
  }
  if (k == 0) return {};
  std::vector<NearRow> found;
  const auto all = search_.nearest(as_query(values), static_cast<double>(k), own, context_);
  for (const Neighbor& near : all.front()) {
    if (found.size() < k) found.push_back({.row = candidates_[near.row], .distance = near.distance});
  }
  return found;
}

std::vector<std::vector<NearRow>> NearestRows::nearest(const std::vector<LabelledRow>& rows, std::size_t k) const {
  std::vector<std::vector<NearRow>> found(rows.size());
  if (k == 0 || rows.empty()) return found;
  std::vector<std::uint32_t> own;
  std::vector<std::vector<double>> queries(rows.front().values.size());
  for (const LabelledRow& row : rows) {
    const auto at = std::lower_bound(ids_.begin(), ids_.end(), row.id);
    const bool known = at != ids_.end() && *at == row.id;
    own.push_back(known ? static_cast<std::uint32_t>(at - ids_.begin()) : std::numeric_limits<std::uint32_t>::max());
    for (std::size_t j = 0; j < queries.size(); ++j) queries[j].push_back(row.values[j]);
  }
  const auto all = search_.nearest(queries, static_cast<double>(k), own, context_);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const Neighbor& near : all[i]) {
      if (found[i].size() < k) found[i].push_back({.row = candidates_[near.row], .distance = near.distance});
    }
  }
  return found;
}

std::optional<NearRow> NearestRows::nearest_that(const std::vector<double>& values,
                                                 const std::function<bool(std::size_t row)>& counts) const {
  // Mostly one of the nearest does; where none of many does, all are looked at.
  for (const std::size_t k : {std::size_t{8}, std::size_t{64}}) {
    if (k >= ids_.size()) break;
    for (const NearRow& near : nearest(values, k)) {
      if (counts(near.row)) return near;
    }
  }
  const std::vector<std::vector<double>> query = as_query(values);
  std::optional<NearRow> best;
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    const std::size_t row = candidates_[i];
    if (!counts(row)) continue;
    const double distance = search_.distance(query, 0, static_cast<std::uint32_t>(i));
    if (std::isfinite(distance) && (!best || distance < best->distance)) best = {.row = row, .distance = distance};
  }
  return best;
}

std::optional<NearestRows::Strangeness> NearestRows::strangeness(const LabelledRow& row) const {
  return strangeness(row, {});
}

std::optional<NearestRows::Strangeness> NearestRows::strangeness(const LabelledRow& row,
                                                                 const std::vector<NearRow>& known) const {
  if (ids_.size() < fewest_rows) return std::nullopt;
  if (!usual_) {
    // Every so many-th row: these were drawn at random, or are all there are.
    const std::size_t measured = std::min(ids_.size(), most_measured);
    std::vector<std::uint32_t> chosen;
    std::vector<std::vector<double>> queries(structure_.values.size());
    for (std::size_t i = 0; i < measured; ++i) {
      chosen.push_back(static_cast<std::uint32_t>(i * ids_.size() / measured));
      for (std::size_t j = 0; j < queries.size(); ++j) queries[j].push_back(structure_.values[j][chosen.back()]);
    }
    std::vector<double> distances;
    for (const auto& near : search_.nearest(queries, static_cast<double>(neighbours), chosen, context_)) {
      if (near.size() >= neighbours) distances.push_back(near[neighbours - 1].distance);
    }
    std::sort(distances.begin(), distances.end());
    usual_ = distances.empty()
                 ? std::numeric_limits<double>::infinity()
                 : distances[static_cast<std::size_t>(std::ceil(0.99 * static_cast<double>(distances.size()))) - 1];
  }
  const std::vector<NearRow> near = known.size() >= neighbours ? known : nearest(row.values, neighbours, row.id);
  if (near.size() < neighbours) return std::nullopt;
  return Strangeness{.distance = near[neighbours - 1].distance, .usual = *usual_, .k = neighbours};
}

void add_strange_rows(const NearestRows& nearest, const std::vector<LabelledRow>& explained,
                      std::vector<Caveat>& caveats, const std::vector<std::vector<NearRow>>& known) {
  std::vector<std::uint64_t> strange;
  NearestRows::Strangeness worst;
  for (std::size_t i = 0; i < explained.size(); ++i) {
    const LabelledRow& row = explained[i];
    const auto found = known.empty() ? nearest.strangeness(row) : nearest.strangeness(row, known[i]);
    if (!found || !found->unusual()) continue;
    // Names the strangest, then says how many others there are.
    if (strange.empty() || found->distance > worst.distance) {
      worst = *found;
      strange.insert(strange.begin(), row.id);
    } else {
      strange.push_back(row.id);
    }
  }
  // One of a hundred rows of the data is as strange as this.
  if (strange.empty() || (explained.size() > 100 && strange.size() * 50 < explained.size())) return;
  const std::string who =
      row_text(strange.front()) + (strange.size() > 1 ? " and " + std::to_string(strange.size() - 1) + " more" : "");
  caveats.push_back(
      {.id = "out-of-distribution",
       .severity = Severity::caution,
       .message = who + (strange.size() > 1 ? " are" : " is") +
                  " unlike the data: farther from the nearest rows than 99 % of rows are (distance " +
                  number_text(worst.distance) + " instead of at most " + number_text(worst.usual) + ")",
       .evidence = Value::object({{"row", row_number(strange.front())},
                                  {"rows", strange.size()},
                                  {"distance", worst.distance},
                                  {"usual", worst.usual},
                                  {"neighbours", worst.k}}),
       .advice =
           "what the model does there is extrapolation: look at the nearest rows before trusting the explanation"});
}

}  // namespace sightglass
