#include "sightglass/learn/rules/rule_trees.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>

#include "sightglass/base/random.h"

namespace sightglass {

namespace {

constexpr std::uint64_t sample_stream = 0x72756c6566697431, leaves_stream = 0x72756c6566697432;

// The rows that one tree sees, with what it is fitted to.
struct Sample {
  std::vector<std::uint32_t> positions;
  std::vector<double> weights, residuals, curvatures;
  std::vector<std::uint8_t> codes;  // feature after feature
  [[nodiscard]] const std::uint8_t* codes_of(std::size_t feature) const {
    return codes.data() + feature * positions.size();
  }
};

struct Split {
  double gain = 0;
  std::uint32_t feature = 0;
  CodeSet left, right;
};

struct Node {
  CodedRule rule;
  std::vector<RowWord> rows;           // among all rows
  std::vector<std::uint32_t> sampled;  // places in the sample
  Split split;                         // the best one; no gain: none
  bool leaf = true;
};

// Sums over sampled rows of a node with the same code.
struct CodeSums {
  double weight = 0, sum = 0;
  std::uint32_t count = 0;
  CodeSums& operator+=(const CodeSums& other) {
    weight += other.weight;
    sum += other.sum;
    count += other.count;
    return *this;
  }
  friend CodeSums operator-(CodeSums a, const CodeSums& b) {
    a.weight -= b.weight;
    a.sum -= b.sum;
    a.count -= b.count;
    return a;
  }
  [[nodiscard]] double mean() const { return sum / weight; }
  [[nodiscard]] double explained() const { return sum * sum / weight; }
};

// The best split of a node along one feature.
class SplitSearch {
 public:
  SplitSearch(const CodedFeature& feature, std::uint32_t number, const Sample& sample, const Node& node,
              std::uint32_t least)
      : feature_(feature), least_(least) {
    best_.feature = number;
    const std::uint8_t* codes = sample.codes_of(number);
    for (const std::uint32_t i : node.sampled)
      sums_[codes[i]] += {sample.weights[i], sample.weights[i] * sample.residuals[i], 1};
    for (std::size_t code = 0; code < feature.codes(); ++code) {
      if (sums_[code].count == 0) continue;
      order_.push_back(static_cast<std::uint8_t>(code));
      known_ += sums_[code];
    }
    if (feature.categorical()) {
      std::stable_sort(order_.begin(), order_.end(),
                       [&](std::uint8_t a, std::uint8_t b) { return sums_[a].mean() < sums_[b].mean(); });
    }
  }

  Split find() {
    const CodeSums missing = sums_[missing_bin];
    CodeSums left;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      left += sums_[order_[i]];
      const CodeSums right = known_ - left;
      if (missing.count == 0) {
        consider(left, right, i, left.weight > right.weight);
        continue;
      }
      consider(left, sum(right, missing), i, false);
      consider(sum(left, missing), right, i, true);
    }
    if (best_.gain > 0) describe();
    return best_;
  }

 private:
  static CodeSums sum(CodeSums a, const CodeSums& b) { return a += b; }

  void consider(const CodeSums& left, const CodeSums& right, std::size_t last, bool missing_left) {
    if (left.count < least_ || right.count < least_) return;
    const double before = sum(left, right).explained();
    const double gain = left.explained() + right.explained() - before;
    // What rounding alone may give is no gain.
    if (!(gain > best_.gain) || gain <= 1e-12 * (left.explained() + right.explained())) return;
    best_.gain = gain;
    last_ = last;
    missing_left_ = missing_left;
    left_heavier_ = left.weight > right.weight;
  }

  void describe() {
    (missing_left_ ? best_.left : best_.right).add(missing_bin);
    if (feature_.categorical()) {
      for (std::size_t i = 0; i < order_.size(); ++i) (i <= last_ ? best_.left : best_.right).add(order_[i]);
      // Levels that the node has not seen go with most rows.
      for (std::size_t code = 0; code < feature_.codes(); ++code) {
        if (sums_[code].count == 0) (left_heavier_ ? best_.left : best_.right).add(code);
      }
      return;
    }
    // Half-way between the codes that the node has seen.
    const std::size_t cut =
        last_ + 1 == order_.size() ? feature_.codes() - 1 : (std::size_t{order_[last_]} + order_[last_ + 1] - 1) / 2;
    for (std::size_t code = 0; code < feature_.codes(); ++code) (code <= cut ? best_.left : best_.right).add(code);
  }

  const CodedFeature& feature_;
  std::uint32_t least_;
  std::array<CodeSums, 256> sums_{};
  std::vector<std::uint8_t> order_;
  CodeSums known_;
  Split best_;
  std::size_t last_ = 0;
  bool missing_left_ = false, left_heavier_ = false;
};

class TreeGrower {
 public:
  TreeGrower(const CodedRows& rows, std::span<const double> outcome, Task task, std::size_t classes,
             const RuleTreeOptions& options, const Context& context)
      : rows_(rows),
        outcome_(outcome),
        task_(task),
        options_(options),
        context_(context),
        order_(rows.rows.position_of),
        predicted_(task == Task::multiclass ? classes : 1) {
    start();
  }

  RuleTrees grow() {
    RuleTrees trees{DistinctRules(rows_.present), 0, {}};
    for (std::size_t tree = 0, fruitless = 0; fruitless < 20; ++tree) {
      const std::uint64_t left = (options_.max_rules - trees.generated) / 2;
      if (left == 0) break;
      context_.report({"growing rules", trees.generated, options_.max_rules});
      const std::size_t output = tree % predicted_.size();
      const Sample sample = draw(output);
      const std::vector<Node> nodes = grow_tree(sample, std::min<std::uint64_t>(leaves_of(tree), left + 1));
      for (std::size_t node = 1; node < nodes.size(); ++node)
        trees.rules.add(nodes[node].rule, nodes[node].rows.data());
      update(sample, nodes, predicted_[output]);
      trees.generated += nodes.size() - 1;
      trees.leaves.push_back(static_cast<std::uint32_t>(nodes.size() / 2 + 1));
      fruitless = nodes.size() == 1 ? fruitless + 1 : 0;
    }
    return trees;
  }

 private:
  // The best constant.
  void start() {
    std::vector<double> shares(predicted_.size());
    double total = 0;
    for (std::size_t i = 0; i < outcome_.size(); ++i) {
      total += rows_.weights[i];
      if (task_ == Task::multiclass) {
        if (rows_.weights[i] > 0) shares[static_cast<std::size_t>(outcome_[i])] += rows_.weights[i];
      } else {
        shares[0] += rows_.weights[i] * outcome_[i];
      }
    }
    for (std::size_t k = 0; k < predicted_.size(); ++k) {
      const double share = shares[k] / total;
      double first = share;
      if (task_ == Task::binary) first = std::log(share / (1 - share));
      if (task_ == Task::multiclass) first = std::log(std::max(share, 1e-10));
      predicted_[k].assign(outcome_.size(), first);
    }
  }

  std::uint64_t leaves_of(std::size_t tree) const {
    const double uniform = (static_cast<double>(random_bits(options_.seed, leaves_stream, tree) >> 11) + 0.5) * 0x1p-53;
    return 2 + static_cast<std::uint64_t>(std::min(1000.0, -std::log(uniform) * (options_.mean_leaves - 2)));
  }

  // The first places of an order that is shuffled on and on.
  Sample draw(std::size_t output) {
    Sample sample;
    const std::size_t count = sampled_rows(order_.size());
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t left = order_.size() - i;
      const std::uint64_t number = random_bits(options_.seed, sample_stream, drawn_++) >> 32;
      std::swap(order_[i], order_[i + static_cast<std::size_t>(number * left >> 32)]);
    }
    sample.positions.assign(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(count));
    std::sort(sample.positions.begin(), sample.positions.end());
    for (const std::uint32_t position : sample.positions) {
      const double margin = predicted_[output][position];
      double residual = outcome_[position] - margin, curvature = 1;
      if (task_ != Task::regression) {
        const double p = task_ == Task::binary ? 1 / (1 + std::exp(-margin)) : share_of(output, position);
        const double is = task_ == Task::binary
                              ? outcome_[position]
                              : static_cast<double>(outcome_[position] == static_cast<double>(output));
        residual = is - p;
        curvature = std::max(p * (1 - p), 1e-6);
      }
      sample.weights.push_back(rows_.weights[position]);
      sample.residuals.push_back(residual);
      sample.curvatures.push_back(curvature);
    }
    sample.codes.reserve(count * rows_.features.size());
    for (const CodedFeature& feature : rows_.features) {
      for (const std::uint32_t position : sample.positions) sample.codes.push_back(feature.code_at(position));
    }
    return sample;
  }

  double share_of(std::size_t output, std::size_t position) const {
    double largest = predicted_[0][position], sum = 0;
    for (const auto& margins : predicted_) largest = std::max(largest, margins[position]);
    for (const auto& margins : predicted_) sum += std::exp(margins[position] - largest);
    return std::exp(predicted_[output][position] - largest) / sum;
  }

  // Best first: the leaf whose split gains most is split next.
  std::vector<Node> grow_tree(const Sample& sample, std::uint64_t leaves) {
    std::vector<Node> nodes(1);
    nodes[0].rows = rows_.present;
    nodes[0].sampled.resize(sample.positions.size());
    std::iota(nodes[0].sampled.begin(), nodes[0].sampled.end(), 0U);
    nodes[0].split = find_split(sample, nodes[0]);
    while (nodes.size() / 2 + 1 < leaves) {
      std::size_t best = 0;
      double gain = 0;
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (!nodes[i].leaf || !(nodes[i].split.gain > gain)) continue;
        best = i;
        gain = nodes[i].split.gain;
      }
      if (gain == 0) break;
      nodes[best].leaf = false;
      const Split split = nodes[best].split;
      for (const CodeSet& side : {split.left, split.right}) {
        Node child = child_of(sample, nodes[best], split.feature, side);
        if (nodes.size() / 2 + 1 < leaves) child.split = find_split(sample, child);
        nodes.push_back(std::move(child));
      }
    }
    return nodes;
  }

  Node child_of(const Sample& sample, const Node& parent, std::uint32_t feature, const CodeSet& side) const {
    Node child;
    child.rule = parent.rule;
    auto& conditions = child.rule.conditions;
    auto at = std::find_if(conditions.begin(), conditions.end(), [&](const auto& c) { return c.first >= feature; });
    if (at == conditions.end() || at->first != feature) {
      conditions.insert(at, {feature, side});
    } else {
      at->second = at->second & side;
    }
    child.rows.resize(parent.rows.size());
    rows_.features[feature].find_rows(side, child.rows.data());
    for (std::size_t w = 0; w < child.rows.size(); ++w) child.rows[w] &= parent.rows[w];
    const std::uint8_t* codes = sample.codes_of(feature);
    for (const std::uint32_t i : parent.sampled) {
      if (side.has(codes[i])) child.sampled.push_back(i);
    }
    return child;
  }

  Split find_split(const Sample& sample, const Node& node) const {
    const auto least = static_cast<std::uint32_t>(std::clamp<std::size_t>(sample.positions.size() / 10, 1, 10));
    if (node.sampled.size() < 2 * least) return {};
    std::vector<Split> splits(rows_.features.size());
    const auto search = [&](std::size_t f) {
      splits[f] = SplitSearch(rows_.features[f], static_cast<std::uint32_t>(f), sample, node, least).find();
    };
    if (node.sampled.size() * splits.size() > 200'000) {
      context_.parallel_for(splits.size(), search);
    } else {
      for (std::size_t f = 0; f < splits.size(); ++f) search(f);
    }
    Split best;
    for (const Split& split : splits) {
      if (split.gain > best.gain) best = split;
    }
    return best;
  }

  // A Newton step in each leaf: the mean residual of squared error.
  void update(const Sample& sample, const std::vector<Node>& nodes, std::vector<double>& predicted) const {
    for (const Node& node : nodes) {
      if (!node.leaf || nodes.size() == 1) continue;
      double sum = 0, curvature = 0;
      for (const std::uint32_t i : node.sampled) {
        sum += sample.weights[i] * sample.residuals[i];
        curvature += sample.weights[i] * sample.curvatures[i];
      }
      if (curvature > 0)
        add_where(node.rows.data(), node.rows.size(), options_.learning_rate * sum / curvature, predicted.data());
    }
  }

  const CodedRows& rows_;
  std::span<const double> outcome_;
  Task task_;
  const RuleTreeOptions& options_;
  const Context& context_;
  std::vector<std::uint32_t> order_;
  std::vector<std::vector<double>> predicted_;  // margin of each output, per position
  std::uint64_t drawn_ = 0;
};

// Two independent halves of a digest of 128 bits.
std::pair<std::uint64_t, std::uint64_t> digest_of(const std::vector<RowWord>& rows) {
  std::uint64_t a = 0x9e3779b97f4a7c15, b = 0xc2b2ae3d27d4eb4f;
  for (const RowWord word : rows) {
    a = std::rotl((a ^ word) * 0xff51afd7ed558ccd, 29);
    b = (std::rotl(b, 31) + word) * 0xc4ceb9fe1a85ec53;
  }
  return {a ^ a >> 32, b ^ b >> 29};
}

}  // namespace

DistinctRules::DistinctRules(std::span<const RowWord> present)
    : present_(present.begin(), present.end()), rows_(present.size()) {
  count_ = count_rows(present_.data(), present_.size());
  while (first_row_ < present_.size() * rows_per_word && !has_row(present_.data(), first_row_)) ++first_row_;
}

void DistinctRules::add(const CodedRule& rule, const RowWord* rows) {
  const std::uint64_t count = count_rows(rows, present_.size());
  if (count == 0 || count == count_) return;
  // Of a set and the set of the other rows, that without the first row stands for both.
  const bool turn = has_row(rows, first_row_);
  std::vector<RowWord> turned(rows, rows + present_.size());
  if (turn) {
    for (std::size_t w = 0; w < turned.size(); ++w) turned[w] = ~rows[w] & present_[w];
  }
  const auto [key, rest] = digest_of(turned);
  auto& alike = by_digest_[key];
  for (const auto& [other, place] : alike) {
    if (other != rest) continue;
    const RowWord* known = rows_[place];
    const bool known_turned = has_row(known, first_row_);
    bool equal = true;
    for (std::size_t w = 0; w < turned.size() && equal; ++w)
      equal = turned[w] == (known_turned ? ~known[w] & present_[w] : known[w]);
    if (!equal) continue;
    if (rule.conditions.size() < rules_[place].conditions.size()) {
      rules_[place] = rule;
      rows_.replace(place, rows);
    }
    return;
  }
  alike.emplace_back(rest, static_cast<std::uint32_t>(rules_.size()));
  rules_.push_back(rule);
  rows_.push_back(rows);
}

std::size_t sampled_rows(std::size_t rows) {
  const double wanted = std::min(static_cast<double>(rows) / 2, 100 + 6 * std::sqrt(static_cast<double>(rows)));
  return std::clamp<std::size_t>(static_cast<std::size_t>(wanted), std::min<std::size_t>(rows, 2), rows);
}

RuleTrees grow_rules(const CodedRows& rows, std::span<const double> outcome, Task task, std::size_t classes,
                     const RuleTreeOptions& options, const Context& context) {
  return TreeGrower(rows, outcome, task, classes, options, context).grow();
}

}  // namespace sightglass
