#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

#include "sightglass/base/error.h"
#include "sightglass/model/trees/predict/packed_trees_internal.h"
#include "sightglass/model/trees/rows/feature_codes_internal.h"
#include "sightglass/numeric/search.h"

namespace sightglass {

namespace {

constexpr std::size_t most_codes = std::size_t{1} << 16;
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

// Nodes of trees; others are nobody's business and may hold anything.
std::vector<std::uint32_t> split_nodes(const TreeEnsemble::Parts& parts) {
  std::vector<std::uint32_t> splits, stack;
  for (const Tree& tree : parts.trees) {
    stack.push_back(tree.root);
    while (!stack.empty()) {
      const std::uint32_t index = stack.back();
      stack.pop_back();
      const TreeNode& node = parts.nodes[index];
      if (node.is_leaf()) continue;
      splits.push_back(index);
      stack.insert(stack.end(), {static_cast<std::uint32_t>(node.right), static_cast<std::uint32_t>(node.left)});
    }
  }
  return splits;
}

}  // namespace

// Split points of each feature, or the categories that its splits name.
struct FeatureCodes::SplitPoints {
  std::vector<std::vector<double>> cuts;
  std::vector<std::vector<std::int64_t>> categories;
  std::vector<bool> used;
  bool too_many = false;

  explicit SplitPoints(const TreeEnsemble::Parts& parts)
      : cuts(parts.signature.features.size()),
        categories(parts.signature.features.size()),
        used(parts.signature.features.size()) {
    std::set<std::pair<std::size_t, std::int32_t>> sets_seen;
    for (const std::uint32_t index : split_nodes(parts)) {
      const TreeNode& node = parts.nodes[index];
      const auto feature = static_cast<std::size_t>(node.feature);
      used[feature] = true;
      if (node.categories >= 0) {
        if (sets_seen.emplace(feature, node.categories).second) add_categories(parts, node, categories[feature]);
        if (too_many) return;
        continue;
      }
      // Of a split at infinity all values go left.
      if (node.threshold < infinity) cuts[feature].push_back(cut_of(parts, node));
      if (splits_off_zero(node)) cuts[feature].insert(cuts[feature].end(), {-zero_threshold, behind_zero()});
    }
    for (auto& each : cuts) sort_distinct(each);
    for (auto& each : categories) sort_distinct(each);
    for (std::size_t feature = 0; feature < used.size(); ++feature)
      too_many = too_many || std::max(cuts[feature].size(), categories[feature].size()) + 2 > most_codes;
  }

 private:
  // Sorted out now and then, so that many large sets take no more memory than all codes that there may be.
  void add_categories(const TreeEnsemble::Parts& parts, const TreeNode& node, std::vector<std::int64_t>& into) {
    const auto& bits = parts.category_sets[static_cast<std::size_t>(node.categories)].bits;
    for (std::size_t word = 0; word < bits.size(); ++word) {
      for (std::uint64_t left = bits[word]; left != 0; left &= left - 1)
        into.push_back(static_cast<std::int64_t>(word * 64) + std::countr_zero(left));
      if (into.size() < 4 * most_codes) continue;
      sort_distinct(into);
      too_many = too_many || into.size() > most_codes;
      if (too_many) return;
    }
  }
};

std::optional<FeatureCodes> FeatureCodes::of(const TreeEnsemble::Parts& parts) {
  SplitPoints points(parts);
  if (points.too_many) return std::nullopt;
  return FeatureCodes(parts, std::move(points));
}

FeatureCodes::FeatureCodes(const TreeEnsemble::Parts& parts) : FeatureCodes(parts, SplitPoints(parts)) {}

FeatureCodes::FeatureCodes(const TreeEnsemble::Parts& parts, SplitPoints points) : parts_(parts) {
  if (points.too_many) throw Error(ErrorKind::internal, "a feature with too many split points was to be coded");
  find_axes(std::move(points));
  find_conditions();
}

void FeatureCodes::find_axes(SplitPoints points) {
  slot_of_feature_.assign(points.used.size(), 0);
  for (std::size_t feature = 0; feature < points.used.size(); ++feature) {
    if (!points.used[feature]) continue;
    slot_of_feature_[feature] = static_cast<std::uint32_t>(features_.size());
    features_.push_back(static_cast<std::uint32_t>(feature));
    Axis axis{.categorical = parts_.signature.features[feature].categorical};
    axis.cuts = std::move(points.cuts[feature]);
    axis.categories = std::move(points.categories[feature]);
    const std::size_t codes = (axis.categorical ? axis.categories.size() : axis.cuts.size()) + 2;
    axis.codes = static_cast<std::uint32_t>(codes);
    axis.first_zero = static_cast<std::uint32_t>(count_up_to(axis.cuts, -zero_threshold));
    axis.end_zero = static_cast<std::uint32_t>(count_below(axis.cuts, behind_zero())) + 1;
    if (parts_.comparison == Comparison::float64_less_equal) {
      axis.search = BucketSearch<double>(axis.cuts);
    } else {
      axis.search = BucketSearch<float>(axis.cuts);
    }
    axes_.push_back(std::move(axis));
  }
}

// Of a split by categories.
std::vector<std::uint64_t> FeatureCodes::codes_to_the_right(const TreeNode& node, const Axis& axis) const {
  const CategorySet& named = parts_.category_sets[static_cast<std::size_t>(node.categories)];
  std::vector<std::uint64_t> set((axis.codes + 63) / 64);
  for (std::uint32_t code = 0; code < axis.codes; ++code) {
    const bool member = code < axis.categories.size() && named.contains(axis.categories[code]);
    const bool right = code + 1 == axis.codes ? !node.missing_left : member != node.categories_left;
    if (right) set[code / 64] |= std::uint64_t{1} << (code % 64);
  }
  return set;
}

void FeatureCodes::find_conditions() {
  // What a split asks: slot, first code on the right, three flags, set of categories.
  struct Rule {
    std::uint64_t what;
    std::int32_t categories;
    std::uint32_t node;
    bool operator<(const Rule& other) const {
      return std::tie(what, categories, node) < std::tie(other.what, other.categories, other.node);
    }
  };
  std::vector<Rule> splits;
  for (const std::uint32_t index : split_nodes(parts_)) {
    const TreeNode& node = parts_.nodes[index];
    const std::uint32_t slot = slot_of_feature_[static_cast<std::size_t>(node.feature)];
    Axis& axis = axes_[slot];
    const bool off_zero = splits_off_zero(node);
    axis.asks_for_zero = axis.asks_for_zero || off_zero;
    // A split at infinity lies behind all codes of values.
    std::uint32_t first_right = 0;
    if (!axis.categorical) {
      first_right = node.threshold < infinity ? static_cast<std::uint32_t>(count_up_to(axis.cuts, cut_of(parts_, node)))
                                              : axis.codes - 1;
    }
    const std::uint64_t flags = (node.missing_left ? 0 : 4) + (off_zero ? 2 : 0) + (node.categories_left ? 1 : 0);
    splits.push_back({std::uint64_t{slot} << 32 | std::uint64_t{first_right} << 3 | flags, node.categories, index});
  }
  std::sort(splits.begin(), splits.end());
  condition_of_node_.assign(parts_.nodes.size(), 0);
  for (std::size_t i = 0; i < splits.size(); ++i) {
    const Rule& split = splits[i];
    if (i == 0 || split.what != splits[i - 1].what || split.categories != splits[i - 1].categories) {
      Condition condition{.slot = static_cast<std::uint32_t>(split.what >> 32),
                          .first_right = static_cast<std::uint32_t>(split.what & 0xFFFFFFFF) >> 3,
                          .missing_right = (split.what & 4) != 0,
                          .zero_as_missing = (split.what & 2) != 0};
      if (split.categories >= 0) {
        condition.members = static_cast<std::int32_t>(sets_.size());
        sets_.push_back(codes_to_the_right(parts_.nodes[split.node], axes_[condition.slot]));
      }
      conditions_.push_back(condition);
    }
    condition_of_node_[split.node] = static_cast<std::uint32_t>(conditions_.size() - 1);
  }
}

std::uint16_t FeatureCodes::code(std::size_t slot, double value) const {
  std::uint16_t code = 0;
  encode(slot, {&value, 1}, &code);
  return code;
}

void FeatureCodes::encode(std::size_t slot, std::span<const double> values, std::uint16_t* codes) const {
  const Axis& axis = axes_[slot];
  if (axis.categorical) return encode_categories(axis, values, codes);
  std::visit(
      [&]<class T>(const BucketSearch<T>& search) {
        for (std::size_t row = 0; row < values.size(); ++row) {
          const auto value = static_cast<T>(values[row]);
          codes[row] = static_cast<std::uint16_t>(std::isnan(value) ? axis.codes - 1 : search.reached(value));
        }
      },
      axis.search);
}

void FeatureCodes::encode(std::size_t slot, std::span<const float> values, std::uint16_t* codes) const {
  const Axis& axis = axes_[slot];
  if (axis.categorical) {
    const std::vector<double> doubles(values.begin(), values.end());
    return encode_categories(axis, doubles, codes);
  }
  const auto& search = std::get<BucketSearch<float>>(axis.search);
  for (std::size_t row = 0; row < values.size(); ++row)
    codes[row] = static_cast<std::uint16_t>(std::isnan(values[row]) ? axis.codes - 1 : search.reached(values[row]));
}

void FeatureCodes::encode_categories(const Axis& axis, std::span<const double> values, std::uint16_t* codes) const {
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (std::isnan(values[row])) {
      codes[row] = static_cast<std::uint16_t>(axis.codes - 1);
      continue;
    }
    const bool doubles = parts_.comparison == Comparison::float64_less_equal;
    const std::int64_t category =
        category_of(parts_, doubles ? values[row] : static_cast<double>(static_cast<float>(values[row])));
    const std::size_t at = count_below(axis.categories, category);
    const bool named = at < axis.categories.size() && axis.categories[at] == category;
    codes[row] = static_cast<std::uint16_t>(named ? at : axis.categories.size());
  }
}

}  // namespace sightglass
