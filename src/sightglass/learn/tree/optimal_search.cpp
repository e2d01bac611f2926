#include "sightglass/learn/tree/optimal_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sightglass/base/each_processor.h"
#include "sightglass/base/random.h"

namespace sightglass {

namespace {

constexpr double impossible = -std::numeric_limits<double>::infinity();

// The score of each of `count` leaves, whose sums lie plane after plane, `stride` apart.
SIGHTGLASS_FOR_EACH_PROCESSOR
void mean_scores(const double* sums, std::size_t stride, std::size_t count, double least, double* scores) {
  const double *weight = sums, *sum = sums + stride;
  for (std::size_t j = 0; j < count; ++j) {
    const double score = sum[j] * sum[j] / weight[j];
    scores[j] = weight[j] >= least ? score : impossible;
  }
}

SIGHTGLASS_FOR_EACH_PROCESSOR
void class_scores(const double* sums, std::size_t planes, std::size_t stride, std::size_t count, double least,
                  bool gini, double* weight, double* scores) {
  std::fill_n(weight, count, 0.0);
  std::fill_n(scores, count, 0.0);
  for (std::size_t k = 0; k < planes; ++k) {
    const double* one = sums + k * stride;
    for (std::size_t j = 0; j < count; ++j) {
      weight[j] += one[j];
      const double larger = scores[j] > one[j] ? scores[j] : one[j];
      scores[j] = gini ? scores[j] + one[j] * one[j] : larger;
    }
  }
  for (std::size_t j = 0; j < count; ++j) {
    const double score = gini ? scores[j] / weight[j] : scores[j];
    scores[j] = weight[j] >= least ? score : impossible;
  }
}

// Sums of the four leaves below a first cut and each second one, from those of both, of each, and of all.
SIGHTGLASS_FOR_EACH_PROCESSOR
void part(const double* both, const double* each, double first, double total, std::size_t count, double* yes_yes,
          double* yes_no, double* no_yes, double* no_no) {
  for (std::size_t j = 0; j < count; ++j) {
    yes_yes[j] = both[j];
    yes_no[j] = first - both[j];
    no_yes[j] = each[j] - both[j];
    no_no[j] = (total - first) - (each[j] - both[j]);
  }
}

// max_j (a_j + b_j), several at a time.
SIGHTGLASS_FOR_EACH_PROCESSOR
double largest_sum(const double* a, const double* b, std::size_t count) {
  constexpr std::size_t lanes = 8;
  double most[lanes];
  std::fill_n(most, lanes, impossible);
  std::size_t j = 0;
  for (; j + lanes <= count; j += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const double sum = a[j + lane] + b[j + lane];
      most[lane] = sum > most[lane] ? sum : most[lane];
    }
  }
  for (; j < count; ++j) most[0] = std::max(most[0], a[j] + b[j]);
  return *std::max_element(most, most + lanes);
}

SIGHTGLASS_FOR_EACH_PROCESSOR
void add_signed(const double* from, std::size_t count, double sign, double* to) {
  for (std::size_t i = 0; i < count; ++i) to[i] += sign * from[i];
}

SIGHTGLASS_FOR_EACH_PROCESSOR
void subtract(const double* whole, const double* part, std::size_t count, double* rest) {
  for (std::size_t i = 0; i < count; ++i) rest[i] = whole[i] - part[i];
}

BestScores scores_up_to(std::span<const double> by_leaves) {
  BestScores scores;
  for (std::size_t leaves = 0; leaves < scores.found.size(); ++leaves) {
    scores.found[leaves] = by_leaves[std::min(std::max<std::size_t>(leaves, 1), by_leaves.size()) - 1];
  }
  scores.limit = scores.found;
  return scores;
}

}  // namespace

OptimalSearch::OptimalSearch(const RowsByCuts& coded, std::span<const double> values, std::span<const double> weights,
                             std::size_t classes, const OptimalOptions& options, const Context& context)
    : coded_(coded),
      values_(values),
      weights_(weights),
      planes_(options.score == LeafScore::mean ? 2 : classes),
      options_(options),
      context_(context),
      started_(context.clock()),
      all_(coded.rows) {
  std::iota(all_.begin(), all_.end(), 0U);
  constexpr std::uint64_t stream = 0x6f70742d74726565;  // "opt-tree"
  for (const std::uint64_t row : all_) {
    row_keys_.push_back({random_bits(0, stream, 2 * row), random_bits(0, stream, 2 * row + 1)});
  }
}

BestScores OptimalSearch::solve() {
  below_root_ = solve_sides(all_, options_.max_depth);
  return best(all_, below_root_);
}

std::vector<PlannedNode> OptimalSearch::plan(std::size_t leaves) {
  struct Open {
    std::size_t node, depth, leaves;
  };
  std::vector<PlannedNode> nodes = {{.rows = all_}};
  std::vector<Open> tasks = {{0, options_.max_depth, leaves}};
  while (!tasks.empty()) {
    const Open task = tasks.back();
    tasks.pop_back();
    if (task.leaves < 2 || task.depth == 0) continue;
    const Rows rows = nodes[task.node].rows;
    const auto sides = task.node == 0 ? below_root_ : solve_sides(rows, task.depth);
    // The first cut among the best; none if one leaf is as good.
    const double whole = score_of(rows), tolerance = 1e-10 * std::abs(perfect_score(rows));
    double most = whole + tolerance;
    std::uint32_t cut = PlannedNode::no_cut;
    std::size_t yes_leaves = 0, no_leaves = 0;
    for (std::uint32_t c = 0; c < sides.size(); ++c) {
      if (!sides[c].possible) continue;
      for (std::size_t yes = 1; yes < task.leaves; ++yes) {
        const double score = sides[c].yes.found[yes] + sides[c].no.found[task.leaves - yes];
        if (!(score > most)) continue;
        most = score + tolerance;
        cut = c;
        yes_leaves = yes;
        no_leaves = task.leaves - yes;
      }
    }
    if (cut == PlannedNode::no_cut) continue;
    PlannedNode yes, no;
    split(rows, cut, yes.rows, no.rows);
    nodes[task.node].cut = cut;
    nodes[task.node].yes = static_cast<std::uint32_t>(nodes.size());
    nodes[task.node].no = static_cast<std::uint32_t>(nodes.size() + 1);
    tasks.push_back({nodes.size() + 1, task.depth - 1, no_leaves});
    tasks.push_back({nodes.size(), task.depth - 1, yes_leaves});
    nodes.push_back(std::move(yes));
    nodes.push_back(std::move(no));
  }
  return nodes;
}

BestScores OptimalSearch::best(const Rows& rows, const std::vector<Sides>& sides) const {
  const double whole = score_of(rows);
  BestScores scores = scores_up_to({&whole, 1});
  for (const Sides& side : sides) {
    if (!side.possible) continue;
    for (std::size_t leaves = 2; leaves <= most_optimal_leaves; ++leaves) {
      for (std::size_t yes = 1; yes < leaves; ++yes) {
        scores.found[leaves] = std::max(scores.found[leaves], side.yes.found[yes] + side.no.found[leaves - yes]);
        scores.limit[leaves] = std::max(scores.limit[leaves], side.yes.limit[yes] + side.no.limit[leaves - yes]);
      }
    }
  }
  return scores;
}

std::vector<OptimalSearch::Sides> OptimalSearch::solve_sides(const Rows& rows, std::size_t depth) {
  if (depth == 3) return sides_by_subtraction(rows);
  if (depth > 3) {
    std::vector<Sides> sides = solve_sides(rows, depth - 1);
    deepen(rows, depth, sides);
    return sides;
  }
  ++explored_;
  Scratch scratch;
  PairSums sums;
  count_pairs(rows, sums, scratch);
  return sides_by_pairs(sums, depth, scratch);
}

// Each side is solved one level deeper, the most promising cuts first, for as long as the budget lasts.
void OptimalSearch::deepen(const Rows& rows, std::size_t depth, std::vector<Sides>& sides) {
  std::vector<std::size_t> order;
  for (std::size_t cut = 0; cut < sides.size(); ++cut) {
    if (sides[cut].possible) order.push_back(cut);
  }
  const auto promise = [&](std::size_t cut) { return sides[cut].yes.found.back() + sides[cut].no.found.back(); };
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return promise(a) > promise(b); });
  Rows yes, no;
  for (const std::size_t cut : order) {
    split(rows, cut, yes, no);
    for (auto [part, scores] : {std::pair(&yes, &sides[cut].yes), std::pair(&no, &sides[cut].no)}) {
      if (!out_of_budget()) {
        *scores = best(*part, solve_sides(*part, depth - 1));
      } else {
        // Three leaves need no more than the two levels that were solved.
        std::fill(scores->limit.begin() + 4, scores->limit.end(), perfect_score(*part));
      }
    }
  }
}

bool OptimalSearch::out_of_budget() {
  context_.check();
  if (options_.seconds && context_.clock() - started_ > *options_.seconds) stopped_by_time_ = true;
  return stopped_by_time_ || explored_ >= options_.max_nodes;
}

// One or two levels: what is below each cut is a leaf, or the best pair of leaves.
std::vector<OptimalSearch::Sides> OptimalSearch::sides_by_pairs(const PairSums& sums, std::size_t depth,
                                                                Scratch& scratch) const {
  const std::size_t cuts = coded_.cuts, room = planes_ * cuts;
  scratch.row.resize(5 * room + 5 * cuts);
  double *parts[4], *scores[4];
  for (std::size_t p = 0; p < 4; ++p) {
    parts[p] = scratch.row.data() + p * room;
    scores[p] = scratch.row.data() + 5 * room + p * cuts;
  }
  double *each = parts[3] + room, *weight = scores[3] + cuts;
  for (std::size_t k = 0; k < planes_; ++k) {
    for (std::size_t j = 0; j < cuts; ++j) each[k * cuts + j] = sums.both[(k * cuts + j) * cuts + j];
  }

  std::vector<Sides> sides(cuts);
  std::vector<double> yes(planes_), no(planes_);
  for (std::size_t cut = 0; cut < cuts; ++cut) {
    for (std::size_t k = 0; k < planes_; ++k) {
      yes[k] = each[k * cuts + cut];
      no[k] = sums.total[k] - yes[k];
    }
    double on_yes[2] = {score_of(yes), 0}, on_no[2] = {score_of(no), 0};
    sides[cut].possible = on_yes[0] > impossible && on_no[0] > impossible;
    if (!sides[cut].possible) continue;
    if (depth > 1) {
      for (std::size_t k = 0; k < planes_; ++k) {
        part(sums.both.data() + (k * cuts + cut) * cuts, each + k * cuts, yes[k], sums.total[k], cuts,
             parts[0] + k * cuts, parts[1] + k * cuts, parts[2] + k * cuts, parts[3] + k * cuts);
      }
      for (std::size_t p = 0; p < 4; ++p) {
        if (options_.score == LeafScore::mean) {
          mean_scores(parts[p], cuts, cuts, options_.min_leaf_weight, scores[p]);
        } else {
          class_scores(parts[p], planes_, cuts, cuts, options_.min_leaf_weight, options_.score == LeafScore::gini,
                       weight, scores[p]);
        }
      }
      on_yes[1] = std::max(on_yes[0], largest_sum(scores[0], scores[1], cuts));
      on_no[1] = std::max(on_no[0], largest_sum(scores[2], scores[3], cuts));
    }
    sides[cut].yes = scores_up_to({on_yes, depth > 1 ? 2U : 1U});
    sides[cut].no = scores_up_to({on_no, depth > 1 ? 2U : 1U});
  }
  return sides;
}

std::array<double, 4> OptimalSearch::scores_of_two_levels(const PairSums& sums, Scratch& scratch) const {
  std::array<double, 4> by_leaves;
  by_leaves.fill(score_of(sums.total));
  for (const Sides& side : sides_by_pairs(sums, 2, scratch)) {
    if (!side.possible) continue;
    const double yes = side.yes.found[1], no = side.no.found[1], yes_split = side.yes.found[2],
                 no_split = side.no.found[2];
    by_leaves[1] = std::max(by_leaves[1], yes + no);
    by_leaves[2] = std::max({by_leaves[2], yes_split + no, yes + no_split});
    by_leaves[3] = std::max(by_leaves[3], yes_split + no_split);
  }
  for (std::size_t i = 1; i < 4; ++i) by_leaves[i] = std::max(by_leaves[i], by_leaves[i - 1]);
  return by_leaves;
}

// Three levels: two on each side of every cut.
std::vector<OptimalSearch::Sides> OptimalSearch::sides_by_subtraction(const Rows& rows) {
  PairSums whole;
  {
    Scratch scratch;
    count_pairs(rows, whole, scratch);
  }
  std::vector<Sides> sides(coded_.cuts);
  std::vector<std::array<SetKey, 2>> keys(coded_.cuts);
  std::vector<std::array<std::array<double, 4>, 2>> solved(coded_.cuts);
  std::vector<std::array<bool, 2>> is_new(coded_.cuts);
  constexpr std::size_t chunk = 8;  // of cuts that share room
  context_.parallel_for((coded_.cuts + chunk - 1) / chunk, [&](std::size_t index) {
    Scratch scratch;
    for (std::size_t cut = index * chunk; cut < std::min(coded_.cuts, (index + 1) * chunk); ++cut) {
      context_.check();
      split(rows, cut, scratch.yes, scratch.no);
      const Rows* parts[2] = {&scratch.yes, &scratch.no};
      sides[cut].possible = score_of(scratch.yes) > impossible && score_of(scratch.no) > impossible;
      if (!sides[cut].possible) continue;
      bool all_known = true;
      for (std::size_t side = 0; side < 2; ++side) {
        keys[cut][side] = key_of(*parts[side]);
        const auto place = known_.find(keys[cut][side]);
        is_new[cut][side] = place == known_.end();
        all_known = all_known && !is_new[cut][side];
        if (!is_new[cut][side]) solved[cut][side] = place->second;
      }
      if (all_known) continue;
      const std::size_t small = scratch.yes.size() <= scratch.no.size() ? 0 : 1;
      count_pairs(*parts[small], scratch.smaller, scratch);
      scratch.larger.both.resize(whole.both.size());
      scratch.larger.total.resize(planes_);
      subtract(whole.both.data(), scratch.smaller.both.data(), whole.both.size(), scratch.larger.both.data());
      subtract(whole.total.data(), scratch.smaller.total.data(), planes_, scratch.larger.total.data());
      for (std::size_t side = 0; side < 2; ++side) {
        if (!is_new[cut][side]) continue;
        solved[cut][side] = scores_of_two_levels(side == small ? scratch.smaller : scratch.larger, scratch);
      }
    }
  });
  for (std::size_t cut = 0; cut < coded_.cuts; ++cut) {
    if (!sides[cut].possible) continue;
    for (std::size_t side = 0; side < 2; ++side) {
      if (is_new[cut][side]) {
        ++explored_;
        known_.emplace(keys[cut][side], solved[cut][side]);
      }
      (side == 0 ? sides[cut].yes : sides[cut].no) = scores_up_to(solved[cut][side]);
    }
  }
  return sides;
}

void OptimalSearch::count_pairs(const Rows& rows, PairSums& sums, Scratch& scratch) const {
  // Pairs of bins, with the planes of a pair side by side.
  const std::size_t bins = coded_.bins, cuts = coded_.cuts, planes = planes_;
  scratch.bins.assign(bins * bins * planes, 0.0);
  sums.total.assign(planes, 0.0);
  const bool mean = options_.score == LeafScore::mean;
  for (const std::uint32_t row : rows) {
    const std::uint32_t* begin = coded_.row_bins.data() + coded_.starts[row];
    const std::uint32_t* end = coded_.row_bins.data() + coded_.starts[row + 1];
    const double weight = weights_[row];
    if (mean) {
      const double sum = weight * values_[row];
      sums.total[0] += weight;
      sums.total[1] += sum;
      for (const std::uint32_t* a = begin; a < end; ++a) {
        double* with_a = scratch.bins.data() + std::size_t{*a} * bins * 2;
        for (const std::uint32_t* b = a; b < end; ++b) {
          double* pair = with_a + std::size_t{*b} * 2;
          pair[0] += weight;
          pair[1] += sum;
        }
      }
    } else {
      const auto k = static_cast<std::size_t>(values_[row]);
      sums.total[k] += weight;
      for (const std::uint32_t* a = begin; a < end; ++a) {
        double* with_a = scratch.bins.data() + std::size_t{*a} * bins * planes + k;
        for (const std::uint32_t* b = a; b < end; ++b) with_a[std::size_t{*b} * planes] += weight;
      }
    }
  }
  for (std::size_t a = 0; a < bins; ++a) {
    for (std::size_t b = a + 1; b < bins; ++b) {
      for (std::size_t k = 0; k < planes; ++k) {
        scratch.bins[(b * bins + a) * planes + k] = scratch.bins[(a * bins + b) * planes + k];
      }
    }
  }

  // From bins to cuts, along one axis and then along the other.
  scratch.by_cut.resize(bins * planes);
  sums.both.resize(planes * cuts * cuts);
  std::vector<double> running(planes);
  for (std::size_t cut = 0; cut < cuts; ++cut) {
    if (coded_.starts_feature[cut]) std::fill(scratch.by_cut.begin(), scratch.by_cut.end(), 0.0);
    for (const auto& change : coded_.changes[cut]) {
      add_signed(scratch.bins.data() + std::size_t{change.bin} * bins * planes, bins * planes, change.comes ? 1 : -1,
                 scratch.by_cut.data());
    }
    for (std::size_t other = 0; other < cuts; ++other) {
      if (coded_.starts_feature[other]) std::fill(running.begin(), running.end(), 0.0);
      for (const auto& change : coded_.changes[other]) {
        const double* bin = scratch.by_cut.data() + std::size_t{change.bin} * planes;
        for (std::size_t k = 0; k < planes; ++k) running[k] += change.comes ? bin[k] : -bin[k];
      }
      for (std::size_t k = 0; k < planes; ++k) sums.both[(k * cuts + cut) * cuts + other] = running[k];
    }
  }
}

void OptimalSearch::split(const Rows& rows, std::size_t cut, Rows& yes, Rows& no) const {
  yes.resize(rows.size());
  no.resize(rows.size());
  std::size_t yes_count = 0, no_count = 0;
  for (const std::uint32_t row : rows) {
    const bool is_yes = coded_.is_yes(cut, row);
    yes[yes_count] = row;
    no[no_count] = row;
    yes_count += is_yes;
    no_count += !is_yes;
  }
  yes.resize(yes_count);
  no.resize(no_count);
}

double OptimalSearch::score_of(std::span<const double> planes) const {
  double score = 0, weight = 0;
  if (options_.score == LeafScore::mean) {
    mean_scores(planes.data(), 1, 1, options_.min_leaf_weight, &score);
  } else {
    class_scores(planes.data(), planes_, 1, 1, options_.min_leaf_weight, options_.score == LeafScore::gini, &weight,
                 &score);
  }
  return score;
}

double OptimalSearch::score_of(const Rows& rows) const {
  std::vector<double> planes(planes_);
  for (const std::uint32_t row : rows) {
    if (options_.score == LeafScore::mean) {
      planes[0] += weights_[row];
      planes[1] += weights_[row] * values_[row];
    } else {
      planes[static_cast<std::size_t>(values_[row])] += weights_[row];
    }
  }
  return score_of(planes);
}

// Of leaves without any impurity.
double OptimalSearch::perfect_score(const Rows& rows) const {
  double score = 0;
  for (const std::uint32_t row : rows) {
    score += weights_[row] * (options_.score == LeafScore::mean ? values_[row] * values_[row] : 1.0);
  }
  return score;
}

OptimalSearch::SetKey OptimalSearch::key_of(const Rows& rows) const {
  SetKey key;
  for (const std::uint32_t row : rows) {
    key.first += row_keys_[row].first;
    key.second += row_keys_[row].second;
  }
  return key;
}

}  // namespace sightglass
