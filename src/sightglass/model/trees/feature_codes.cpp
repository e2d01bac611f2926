#include "sightglass/model/trees/feature_codes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "sightglass/base/error.h"
#include "sightglass/model/trees/packed_trees_internal.h"
#include "sightglass/numeric/search.h"

namespace sightglass {

namespace {

constexpr std::size_t most_codes = std::size_t{1} << 16;
constexpr std::size_t most_buckets = std::size_t{1} << 14;
constexpr double infinity = std::numeric_limits<double>::infinity();

// Where the framework's test changes from left to right: the split is value < cut, in the type that is compared.
double cut_of(const TreeEnsemble::Parts& parts, const TreeNode& node) {
  if (parts.comparison == Comparison::float64_less_equal)
    return less_than_threshold<double>(parts.comparison, node.threshold);
  return static_cast<double>(less_than_threshold<float>(parts.comparison, node.threshold));
}

// The first number behind those that count as zero.
double behind_zero() { return std::nextafter(zero_threshold, infinity); }

// The category that a number stands for, or -1: as PackedTrees has it.
std::int64_t category_of(const TreeEnsemble::Parts& parts, double value) {
  const bool category = parts.comparison == Comparison::float64_less_equal ? value > -1 : value >= 0;
  return category && value < 2147483648.0 ? static_cast<std::int64_t>(value) : -1;
}

template <class T>
void sort_distinct(std::vector<T>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

// Split points of each feature, or the categories that its splits name.
struct SplitPoints {
  std::vector<std::vector<double>> cuts;
  std::vector<std::vector<std::int64_t>> categories;
  std::vector<bool> used;

  explicit SplitPoints(const TreeEnsemble::Parts& parts)
      : cuts(parts.signature.features.size()),
        categories(parts.signature.features.size()),
        used(parts.signature.features.size()) {
    for (const TreeNode& node : parts.nodes) {
      if (node.is_leaf()) continue;
      const auto feature = static_cast<std::size_t>(node.feature);
      used[feature] = true;
      if (node.categories >= 0) {
        const auto& bits = parts.category_sets[static_cast<std::size_t>(node.categories)].bits;
        for (std::size_t word = 0; word < bits.size(); ++word) {
          for (std::uint64_t left = bits[word]; left != 0; left &= left - 1)
            categories[feature].push_back(static_cast<std::int64_t>(word * 64) + std::countr_zero(left));
        }
        continue;
      }
      // Of a split at infinity all values go left.
      if (node.threshold < infinity) cuts[feature].push_back(cut_of(parts, node));
      if (splits_off_zero(node)) cuts[feature].insert(cuts[feature].end(), {-zero_threshold, behind_zero()});
    }
    for (auto& each : cuts) sort_distinct(each);
    for (auto& each : categories) sort_distinct(each);
  }
};

}  // namespace

bool FeatureCodes::possible(const TreeEnsemble::Parts& parts) {
  const SplitPoints points(parts);
  for (std::size_t feature = 0; feature < points.used.size(); ++feature) {
    if (std::max(points.cuts[feature].size(), points.categories[feature].size()) + 2 > most_codes) return false;
  }
  return true;
}

FeatureCodes::FeatureCodes(const TreeEnsemble::Parts& parts) : parts_(parts) {
  find_axes();
  find_conditions();
}

void FeatureCodes::find_axes() {
  SplitPoints points(parts_);
  slot_of_feature_.assign(points.used.size(), 0);
  for (std::size_t feature = 0; feature < points.used.size(); ++feature) {
    if (!points.used[feature]) continue;
    slot_of_feature_[feature] = static_cast<std::uint32_t>(features_.size());
    features_.push_back(static_cast<std::uint32_t>(feature));
    Axis axis{.categorical = parts_.signature.features[feature].categorical};
    axis.cuts = std::move(points.cuts[feature]);
    axis.categories = std::move(points.categories[feature]);
    const std::size_t codes = (axis.categorical ? axis.categories.size() : axis.cuts.size()) + 2;
    if (codes > most_codes) throw Error(ErrorKind::internal, "a feature with too many split points was to be coded");
    axis.codes = static_cast<std::uint32_t>(codes);
    if (parts_.comparison == Comparison::float64_less_equal) {
      axis.ladder = Ladder<double>(axis.cuts);
    } else {
      axis.ladder = Ladder<float>(axis.cuts);
    }
    axes_.push_back(std::move(axis));
  }
}

// Asks the node about a value that has the code.
bool FeatureCodes::node_goes_right(const TreeNode& node, const Axis& axis, std::uint32_t code) const {
  if (code + 1 == axis.codes) return !node.missing_left;
  if (axis.categorical) {
    const bool member = code < axis.categories.size() &&
                        parts_.category_sets[static_cast<std::size_t>(node.categories)].contains(axis.categories[code]);
    return member != node.categories_left;
  }
  const double value = code == 0 ? -infinity : axis.cuts[code - 1];
  if (node.zero_is_missing && std::abs(value) <= zero_threshold) return !node.missing_left;
  return node.threshold < infinity && value >= cut_of(parts_, node);
}

void FeatureCodes::find_conditions() {
  using Key = std::tuple<std::uint32_t, std::uint32_t, bool, std::vector<std::uint64_t>>;
  std::map<Key, std::vector<std::uint32_t>> nodes_of;
  for (std::size_t index = 0; index < parts_.nodes.size(); ++index) {
    const TreeNode& node = parts_.nodes[index];
    if (node.is_leaf()) continue;
    const std::uint32_t slot = slot_of_feature_[static_cast<std::size_t>(node.feature)];
    const Axis& axis = axes_[slot];
    Key key{slot, 0, false, {}};
    if (axis.categorical || splits_off_zero(node)) {
      auto& set = std::get<3>(key);
      set.resize((axis.codes + 63) / 64);
      for (std::uint32_t code = 0; code < axis.codes; ++code) {
        if (node_goes_right(node, axis, code)) set[code / 64] |= std::uint64_t{1} << (code % 64);
      }
    } else {
      // A split at infinity lies behind all codes of values.
      std::get<1>(key) = node.threshold < infinity
                             ? static_cast<std::uint32_t>(count_up_to(axis.cuts, cut_of(parts_, node)))
                             : axis.codes - 1;
      std::get<2>(key) = !node.missing_left;
    }
    nodes_of[std::move(key)].push_back(static_cast<std::uint32_t>(index));
  }
  condition_of_node_.assign(parts_.nodes.size(), 0);
  for (const auto& [key, nodes] : nodes_of) {
    const auto& [slot, first_right, missing_right, set] = key;
    Condition condition{.slot = slot, .first_right = first_right, .missing_right = missing_right};
    if (!set.empty()) {
      condition.members = static_cast<std::int32_t>(sets_.size());
      sets_.push_back(set);
    }
    for (const std::uint32_t node : nodes) condition_of_node_[node] = static_cast<std::uint32_t>(conditions_.size());
    conditions_.push_back(condition);
  }
}

std::uint16_t FeatureCodes::code(std::size_t slot, double value) const {
  std::uint16_t code = 0;
  encode(slot, {&value, 1}, &code);
  return code;
}

template <class T>
Ladder<T>::Ladder(const std::vector<double>& cuts)
    : size_(static_cast<std::uint32_t>(cuts.size())), first_(1), cuts_(cuts.begin(), cuts.end()) {
  steps_ = size_;
  // Fewer cuts per bucket are fewer steps; but cuts may lie in clusters that no reasonable number of buckets parts.
  for (std::size_t buckets = 64; size_ > 1 && steps_ > 1 && buckets <= most_buckets && buckets <= 64 * cuts_.size();
       buckets *= 2) {
    low_ = cuts_.front();
    scale_ = static_cast<T>(buckets) / (cuts_.back() - low_);
    last_ = static_cast<T>(buckets - 1);
    first_.assign(buckets, 0);
    if (!std::isfinite(scale_) || !(scale_ > 0)) break;
    std::vector<std::uint32_t> inside(buckets, 0);
    for (const T cut : cuts_) ++inside[bucket(cut)];
    for (std::size_t b = 1; b < buckets; ++b) first_[b] = static_cast<std::uint16_t>(first_[b - 1] + inside[b - 1]);
    steps_ = *std::max_element(inside.begin(), inside.end());
  }
  if (!std::isfinite(scale_) || !(scale_ > 0)) {
    scale_ = 0;
    first_.assign(1, 0);
    steps_ = size_;
  }
  cuts_.resize(cuts_.size() + steps_, std::numeric_limits<T>::infinity());
}

template class Ladder<float>;
template class Ladder<double>;

void FeatureCodes::encode(std::size_t slot, std::span<const double> values, std::uint16_t* codes) const {
  const Axis& axis = axes_[slot];
  if (axis.categorical) return encode_categories(axis, values, codes);
  std::visit(
      [&]<class T>(const Ladder<T>& ladder) {
        for (std::size_t row = 0; row < values.size(); ++row) {
          const auto value = static_cast<T>(values[row]);
          codes[row] = static_cast<std::uint16_t>(std::isnan(value) ? axis.codes - 1 : ladder.reached(value));
        }
      },
      axis.ladder);
}

void FeatureCodes::encode(std::size_t slot, std::span<const float> values, std::uint16_t* codes) const {
  const Axis& axis = axes_[slot];
  if (axis.categorical) {
    const std::vector<double> doubles(values.begin(), values.end());
    return encode_categories(axis, doubles, codes);
  }
  const auto& ladder = std::get<Ladder<float>>(axis.ladder);
  for (std::size_t row = 0; row < values.size(); ++row)
    codes[row] = static_cast<std::uint16_t>(std::isnan(values[row]) ? axis.codes - 1 : ladder.reached(values[row]));
}

void FeatureCodes::encode_categories(const Axis& axis, std::span<const double> values, std::uint16_t* codes) const {
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (std::isnan(values[row])) {
      codes[row] = static_cast<std::uint16_t>(axis.codes - 1);
      continue;
    }
    const std::int64_t category = category_of(parts_, values[row]);
    const std::size_t at = count_below(axis.categories, category);
    const bool named = at < axis.categories.size() && axis.categories[at] == category;
    codes[row] = static_cast<std::uint16_t>(named ? at : axis.categories.size());
  }
}

}  // namespace sightglass
