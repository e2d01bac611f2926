#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>

#include "sightglass/model/trees/bounds/cheapest_change_internal.h"

namespace sightglass {

namespace {

constexpr double unreachable_cost = std::numeric_limits<double>::infinity();
// Combinations of categories that are looked at before a set of features is searched.
constexpr std::uint64_t most_parts = 10'000;
// Boxes that are looked at for further sets of features, once the cheapest is known.
constexpr std::uint64_t boxes_for_more = 20'000;
// That wait to be halved, each some hundred bytes: more are not kept, however many may be looked at.
constexpr std::size_t most_open_boxes = 500'000;

// The next set of so many places below `end`, in order; false after the last.
bool next_set(std::vector<std::uint32_t>& set, std::size_t end) {
  std::size_t i = set.size();
  while (i > 0 && set[i - 1] == end - set.size() + i - 1) --i;
  if (i == 0) return false;
  ++set[i - 1];
  for (; i < set.size(); ++i) set[i] = set[i - 1] + 1;
  return true;
}

double number_of_sets(std::size_t of, std::size_t size) {
  double sets = 1;
  for (std::size_t i = 0; i < size; ++i) sets *= static_cast<double>(of - i) / static_cast<double>(i + 1);
  return sets;
}

}  // namespace

// The search for one row.
class CheapestChange::Row {
 public:
  Row(const CheapestChange& problem, const std::vector<SlotMoves>& moves, const ChangeLimits& limits,
      const Context& context)
      : problem_(problem),
        moves_(moves),
        limits_(limits),
        context_(context),
        leaves_(problem.parts_, problem.codes_, problem.parents_, moves) {
    for (std::size_t slot = 0; slot < moves.size(); ++slot) {
      own_.push_back(moves[slot].own);
      if (!leaves_.parts(slot).empty()) movable_.push_back(static_cast<std::uint32_t>(slot));
    }
  }

  ChangesFound search() {
    ChangesFound found;
    const std::size_t most = std::min(limits_.most_features, movable_.size());
    for (std::size_t size = 1; size <= most && found.changes.size() < limits_.count; ++size) {
      // Most rows need one feature alone: only where that cannot do, it is asked whether anything can.
      if (size == 2 && found.changes.empty()) found.impossible = !problem_.may_hold(bound_of_all());
      // Once something is known, larger changes are only looked at for further ones, and briefly.
      const std::uint64_t most_boxes =
          found.changes.empty() ? limits_.boxes : std::min(limits_.boxes, found.explored + boxes_for_more);
      // Changes that are much larger than the smallest are no choice.
      if (!found.changes.empty() && size > found.changes.front().slots.size() + 1) break;
      const bool spent = found.explored >= most_boxes;
      if (spent && !found.changes.empty()) break;
      if (found.impossible) {
        found.ladder.push_back({.features = size, .reach = RungReach::unreachable, .bound = unreachable_cost});
      } else if (spent) {
        found.ladder.push_back({.features = size, .reach = RungReach::open, .bound = 0});
      } else {
        found.ladder.push_back(climb(size, most_boxes, found));
      }
    }
    if (found.changes.empty() && !found.impossible) found.impossible = !problem_.may_hold(bound_of_all());
    return found;
  }

 private:
  static constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();

  struct Box {
    double cost = 0;
    std::uint64_t order = 0;                     // ties go to what came first
    std::vector<CodeRange> ranges;               // per feature of the set
    std::vector<std::uint32_t> at;               // the cheapest input
    std::uint32_t cut_place = nowhere, cut = 0;  // where to halve it
    bool promising = false;                      // its cheapest input may do
    bool operator<(const Box& other) const { return cost != other.cost ? cost > other.cost : order > other.order; }
  };

  // A leaf that is better than that of a box's cheapest input.
  struct BetterCell {
    std::uint32_t cell = 0;
    double gain = 0;  // so much more it adds
  };

  // One set of features, ready to be searched.
  struct Set {
    std::vector<std::uint32_t> slots;
    double least_cost = unreachable_cost;  // of its parts that may hold
    std::uint64_t ruled_out = 0;           // a bit of each combination of sides that cannot
  };

  // What no input reaches, however many features change.
  std::vector<double> bound_of_all() const {
    std::vector<double> sums = problem_.base_, best(problem_.sums_);
    std::vector<std::uint32_t> stack;
    for (const Tree& tree : problem_.parts_.trees) {
      std::fill(best.begin(), best.end(), -unreachable_cost);
      stack.assign(1, tree.root);
      while (!stack.empty()) {
        const std::uint32_t index = stack.back();
        stack.pop_back();
        const TreeNode& node = problem_.parts_.nodes[index];
        if (node.is_leaf()) {
          for (std::size_t i = 0; i < problem_.sums_; ++i)
            best[i] = std::max(best[i], problem_.gains_[index * problem_.sums_ + i]);
          continue;
        }
        const auto& condition = problem_.codes_.conditions()[problem_.codes_.condition_of(index)];
        const bool own_right = problem_.codes_.goes_right(condition, own_[condition.slot]);
        const bool moves = !leaves_.parts(condition.slot).empty();
        if (moves || own_right) stack.push_back(static_cast<std::uint32_t>(node.right));
        if (moves || !own_right) stack.push_back(static_cast<std::uint32_t>(node.left));
      }
      for (std::size_t i = 0; i < problem_.sums_; ++i) sums[i] += best[i];
    }
    return sums;
  }

  // What changes of exactly so many features reach, and adds those that do.
  Rung climb(std::size_t size, std::uint64_t most_boxes, ChangesFound& found) {
    Rung rung{.features = size};
    leaves_.find(size);
    const std::uint64_t before = found.explored;
    bool whole = true;
    std::vector<Set> sets = sets_of(size, most_boxes, found, whole);
    std::stable_sort(sets.begin(), sets.end(), [](const Set& a, const Set& b) { return a.least_cost < b.least_cost; });
    const std::size_t room = limits_.count - found.changes.size();
    std::vector<CodeChange> of_size;
    if (size == 1) of_size = singles_in_order(room, found.explored);
    double open = unreachable_cost;  // cost of the cheapest box that was not looked at
    for (const Set& set : sets) {
      const double limit = of_size.size() < room ? unreachable_cost : of_size.back().cost;
      if (set.least_cost >= limit) break;
      if (found.explored >= most_boxes) {
        open = std::min(open, set.least_cost);
        continue;
      }
      const auto change = search_set(set, limit, most_boxes, found.explored, open);
      if (!change) continue;
      of_size.insert(std::upper_bound(of_size.begin(), of_size.end(), *change,
                                      [](const CodeChange& a, const CodeChange& b) { return a.cost < b.cost; }),
                     *change);
      if (of_size.size() > room) of_size.pop_back();
    }
    if (!whole) open = 0;  // sets that were left out could cost anything
    rung.explored = found.explored - before;
    for (CodeChange& change : of_size) change.cheapest = change.cost <= open;
    rung.bound = of_size.empty() ? open : std::min(open, of_size.front().cost);
    rung.reach = !of_size.empty() ? RungReach::reached : std::isinf(open) ? RungReach::unreachable : RungReach::open;
    found.changes.insert(found.changes.end(), of_size.begin(), of_size.end());
    return rung;
  }

  // The cheapest change of each slot whose codes are in order, alone: at every code at once, from what its leaves add.
  std::vector<CodeChange> singles_in_order(std::size_t room, std::uint64_t& explored) {
    const std::size_t sums = problem_.sums_;
    std::vector<double> here = problem_.base_;
    // Of each slot: what changes from one code to the next, and what is gone wherever the row's own leaves are left.
    std::vector<std::vector<double>> steps(moves_.size()), gone(moves_.size());
    for (const std::uint32_t slot : movable_) {
      steps[slot].assign((moves_[slot].costs.size() + 1) * sums, 0.0);
      gone[slot].assign(sums, 0.0);
    }
    leaves_.each_own([&](std::uint32_t node) {
      for (std::size_t i = 0; i < sums; ++i) here[i] += problem_.gains_[node * sums + i];
    });
    leaves_.each_alone([&](std::uint32_t slot, const CodeRange& range, std::uint32_t node, bool own) {
      for (std::size_t i = 0; i < sums; ++i) {
        const double gain = problem_.gains_[node * sums + i];
        steps[slot][range.first * sums + i] += gain;
        steps[slot][range.end * sums + i] -= gain;
        if (own) gone[slot][i] -= gain;
      }
    });
    std::vector<CodeChange> found;
    std::vector<double> there(sums);
    for (const std::uint32_t slot : movable_) {
      if (!leaves_.in_order(slot)) continue;
      ++explored;
      const SlotMoves& moves = moves_[slot];
      std::optional<CodeChange> best;
      const auto look = [&](std::uint32_t code) {
        if (!std::isfinite(moves.costs[code]) || !problem_.may_hold(there)) return false;
        if (!holds({slot}, {code})) return false;
        if (!best || moves.costs[code] < best->cost)
          best = CodeChange{.slots = {slot}, .codes = {code}, .cost = moves.costs[code]};
        return true;
      };
      // What the row has at its own code, then outwards to both sides until something does.
      for (std::size_t i = 0; i < sums; ++i) {
        there[i] = here[i] + gone[slot][i];
        for (std::uint32_t code = 0; code <= moves.own; ++code) there[i] += steps[slot][code * sums + i];
      }
      const std::vector<double> own = there;
      const auto dear = [&](std::uint32_t code) {
        return std::isfinite(moves.costs[code]) && ((best && moves.costs[code] >= best->cost) ||
                                                    (found.size() == room && moves.costs[code] >= found.back().cost));
      };
      for (std::uint32_t code = moves.own + 1; code + 1 < moves.costs.size(); ++code) {
        for (std::size_t i = 0; i < sums; ++i) there[i] += steps[slot][code * sums + i];
        if (dear(code) || look(code)) break;
      }
      there = own;
      for (std::uint32_t code = moves.own; code > 0; --code) {
        for (std::size_t i = 0; i < sums; ++i) there[i] -= steps[slot][code * sums + i];
        if (dear(code - 1) || look(code - 1)) break;
      }
      if (!best) continue;
      found.insert(std::upper_bound(found.begin(), found.end(), *best,
                                    [](const CodeChange& a, const CodeChange& b) { return a.cost < b.cost; }),
                   *best);
      if (found.size() > room) found.pop_back();
    }
    return found;
  }

  // Sets of so many slots, of which none contains one that reaches the goal already, and that may reach it.
  std::vector<Set> sets_of(std::size_t size, std::uint64_t most_boxes, ChangesFound& found, bool& whole) {
    std::vector<std::uint32_t> among = movable_;
    if (size == 1) std::erase_if(among, [&](std::uint32_t slot) { return leaves_.in_order(slot); });
    if (among.size() < size) return {};
    // Where there are too many sets, the slots that swing least are left out.
    if (number_of_sets(among.size(), size) > static_cast<double>(limits_.most_sets)) {
      whole = false;
      const std::vector<double> swings = swings_of_slots();
      std::stable_sort(among.begin(), among.end(),
                       [&](std::uint32_t a, std::uint32_t b) { return swings[a] > swings[b]; });
      while (among.size() > size && number_of_sets(among.size(), size) > static_cast<double>(limits_.most_sets))
        among.pop_back();
      std::sort(among.begin(), among.end());
    }
    std::vector<Set> sets;
    std::vector<std::uint32_t> places(size);
    std::iota(places.begin(), places.end(), 0U);
    do {
      context_.check();
      Set set;
      for (const std::uint32_t place : places) set.slots.push_back(among[place]);
      const bool known = std::any_of(found.changes.begin(), found.changes.end(), [&](const CodeChange& change) {
        return std::includes(set.slots.begin(), set.slots.end(), change.slots.begin(), change.slots.end());
      });
      if (known) continue;
      // Once boxes are spent, what a set costs at least is read off its slots alone.
      if (found.explored >= most_boxes) {
        set.least_cost = floor_of(set.slots);
      } else if (leaves_.has_sides(set.slots)) {
        bound_sides(set, found.explored);
      } else {
        set.least_cost = least_cost_of(set.slots, found.explored);
      }
      if (std::isfinite(set.least_cost)) sets.push_back(std::move(set));
    } while (next_set(places, among.size()));
    return sets;
  }

  // How far each slot moves the sums at the most, alone.
  std::vector<double> swings_of_slots() const {
    std::vector<double> swings(moves_.size());
    leaves_.each_single([&](std::uint32_t slot, std::uint32_t node) {
      for (std::size_t i = 0; i < problem_.sums_; ++i)
        swings[slot] += std::abs(problem_.gains_[node * problem_.sums_ + i]);
    });
    return swings;
  }

  void choose(const std::vector<std::uint32_t>& slots) {
    leaves_.choose(slots);
    first_cut_.assign(1, 0);
    for (const std::uint32_t slot : slots) first_cut_.push_back(first_cut_.back() + moves_[slot].costs.size() + 1);
    cut_gains_.assign(first_cut_.back(), 0.0);
  }

  void cut_cells(const std::vector<CodeRange>& part) {
    leaves_.cut(part, cells_);
    constant_ = problem_.base_;
    for (const std::uint32_t node : cells_.settled) {
      for (std::size_t i = 0; i < problem_.sums_; ++i) constant_[i] += problem_.gains_[node * problem_.sums_ + i];
    }
    if (single()) cells_.lay_out(part.size(), problem_.gains_);
  }

  // Calls act(part) for each combination of parts of a set's slots, until it says no.
  template <class Act>
  void each_part(const std::vector<std::uint32_t>& slots, const Act& act) {
    std::vector<std::size_t> chosen(slots.size());
    std::vector<CodeRange> part(slots.size());
    while (true) {
      for (std::size_t i = 0; i < slots.size(); ++i) part[i] = leaves_.parts(slots[i])[chosen[i]];
      if (!act(part)) return;
      std::size_t i = slots.size();
      while (i > 0 && ++chosen[i - 1] == leaves_.parts(slots[i - 1]).size()) chosen[--i] = 0;
      if (i == 0) return;
    }
  }

  // The cheapest code of a range.
  [[nodiscard]] std::uint32_t cheapest(std::uint32_t slot, const CodeRange& range) const {
    const std::vector<double>& costs = moves_[slot].costs;
    // Numbers grow dearer with the distance: the nearest that is there.
    const bool above = range.first > moves_[slot].own;
    for (std::uint32_t i = 0; i < range.end - range.first; ++i) {
      const std::uint32_t code = above ? range.first + i : range.end - 1 - i;
      if (std::isfinite(costs[code])) return code;
    }
    return range.first;
  }

  // One sum, and few enough features: cells are looked at as columns.
  [[nodiscard]] bool single() const { return problem_.sums_ == 1 && limits_.most_features <= 16; }

  // As add_cells does.
  void add_cells_of_one_sum(const Box& box) {
    cells_.meet(box.ranges, box.at);
    const std::size_t trees = cells_.first.size() - 1;
    better_.resize(trees);
    std::size_t better = 0;
    for (std::size_t tree = 0; tree < trees; ++tree) {
      double best = -unreachable_cost, own = 0;
      std::uint32_t best_cell = 0;
      for (std::uint32_t c = cells_.first[tree]; c < cells_.first[tree + 1]; ++c) {
        own += cells_.held[c];
        best_cell = cells_.met[c] > best ? c : best_cell;
        best = std::max(best, cells_.met[c]);
      }
      bounds_[0] += best;
      here_[0] += own;
      better_[better] = {.cell = best_cell, .gain = best - own};
      better += best > own ? 1 : 0;
    }
    better_.resize(better);
  }

  // Adds the best cell of each tree to the bounds, and that of the cheapest input to what is there; keeps those that
  // are better than it.
  void add_cells(const Box& box) {
    const std::size_t sums = problem_.sums_, size = box.ranges.size();
    better_.clear();
    best_gain_.resize(sums);
    best_cell_.resize(sums);
    for (std::size_t tree = 0; tree + 1 < cells_.first.size(); ++tree) {
      std::fill(best_gain_.begin(), best_gain_.end(), -unreachable_cost);
      std::uint32_t own_cell = nowhere;
      for (std::uint32_t c = cells_.first[tree]; c < cells_.first[tree + 1]; ++c) {
        const CodeRange* cell = cells_.of(c);
        bool meets = true, holds = true;
        for (std::size_t i = 0; i < size; ++i) {
          meets = meets && cell[i].meets(box.ranges[i]);
          holds = holds && cell[i].has(box.at[i]);
        }
        if (!meets) continue;
        if (holds) own_cell = c;
        const double* gains = problem_.gains_.data() + cells_.cells[c].node * sums;
        for (std::size_t i = 0; i < sums; ++i) {
          if (!(gains[i] > best_gain_[i])) continue;
          best_gain_[i] = gains[i];
          best_cell_[i] = c;
        }
      }
      const double* own_gains = problem_.gains_.data() + cells_.cells[own_cell].node * sums;
      for (std::size_t i = 0; i < sums; ++i) {
        bounds_[i] += best_gain_[i];
        here_[i] += own_gains[i];
        if (best_gain_[i] > own_gains[i])
          better_.push_back({.cell = best_cell_[i], .gain = best_gain_[i] - own_gains[i]});
      }
    }
  }

  // Bounds a box by the cells; nothing if no input of it can do.
  std::optional<Box> look_at(const std::vector<std::uint32_t>& slots, std::vector<CodeRange> ranges) {
    Box box{.order = order_++, .ranges = std::move(ranges)};
    for (std::size_t i = 0; i < slots.size(); ++i) {
      box.at.push_back(cheapest(slots[i], box.ranges[i]));
      box.cost += moves_[slots[i]].costs[box.at.back()];
    }
    if (!std::isfinite(box.cost)) return std::nullopt;
    bounds_ = constant_;
    here_ = constant_;
    if (single()) {
      add_cells_of_one_sum(box);
    } else {
      add_cells(box);
    }
    if (!problem_.may_hold(bounds_)) return std::nullopt;
    box.promising = problem_.may_hold(here_);
    choose_cut(box);
    return box;
  }

  // Where the box is halved: where its cheapest input and better leaves come apart, the most gain first; of several
  // places the first.
  void choose_cut(Box& box) {
    cuts_.clear();
    for (const BetterCell& better : better_) {
      const CodeRange* ranges = cells_.of(better.cell);
      std::uint32_t place = 0;
      while (place < box.at.size() && ranges[place].has(box.at[place])) ++place;
      if (place == box.at.size()) continue;
      const std::uint32_t cut = box.at[place] < ranges[place].first ? ranges[place].first : ranges[place].end;
      double& sum = cut_gains_[first_cut_[place] + cut];
      if (sum == 0) cuts_.emplace_back(place, cut);
      sum += better.gain;
    }
    double most = 0;
    for (const auto& [place, cut] : cuts_) {
      const double sum = std::exchange(cut_gains_[first_cut_[place] + cut], 0.0);
      if (!(sum > most || (sum == most && std::tie(place, cut) < std::tie(box.cut_place, box.cut)))) continue;
      most = sum;
      box.cut_place = place;
      box.cut = cut;
    }
  }

  // No change of these slots costs less.
  [[nodiscard]] double floor_of(const std::vector<std::uint32_t>& slots) const {
    double floor = 0;
    for (const std::uint32_t slot : slots) {
      double least = unreachable_cost;
      for (const CodeRange& part : leaves_.parts(slot))
        least = std::min(least, moves_[slot].costs[cheapest(slot, part)]);
      floor += least;
    }
    return floor;
  }

  // Whether the leaves of the chosen slots can do, wherever these are.
  [[nodiscard]] bool chosen_may_hold() {
    bounds_ = problem_.base_;
    best_gain_.assign(problem_.sums_, -unreachable_cost);
    std::uint32_t tree = nowhere;
    const auto finish = [&] {
      for (std::size_t i = 0; i < problem_.sums_ && tree != nowhere; ++i) bounds_[i] += best_gain_[i];
      std::fill(best_gain_.begin(), best_gain_.end(), -unreachable_cost);
    };
    leaves_.each_chosen([&](std::uint32_t its_tree, std::uint32_t node) {
      if (its_tree != tree) finish();
      tree = its_tree;
      for (std::size_t i = 0; i < problem_.sums_; ++i)
        best_gain_[i] = std::max(best_gain_[i], problem_.gains_[node * problem_.sums_ + i]);
    });
    finish();
    return problem_.may_hold(bounds_);
  }

  // Finds what least_cost_of does for slots that go up or down, and which sides cannot hold.
  void bound_sides(Set& set, std::uint64_t& explored) {
    const std::size_t combinations = std::size_t{1} << set.slots.size();
    leaves_.best_by_side(set.slots, problem_.gains_, problem_.sums_, side_bounds_);
    for (std::size_t sides = 0; sides < combinations; ++sides) {
      double cost = 0;
      for (std::size_t i = 0; i < set.slots.size(); ++i) {
        const CodeRange& side = leaves_.side(set.slots[i], ((sides >> i) & 1) != 0);
        cost += side.empty() ? unreachable_cost : moves_[set.slots[i]].costs[cheapest(set.slots[i], side)];
      }
      if (std::isinf(cost)) continue;
      ++explored;
      bounds_ = problem_.base_;
      for (std::size_t i = 0; i < problem_.sums_; ++i) bounds_[i] += side_bounds_[i * combinations + sides];
      if (problem_.may_hold(bounds_)) {
        set.least_cost = std::min(set.least_cost, cost);
      } else {
        set.ruled_out |= std::uint64_t{1} << sides;
      }
    }
  }

  // Least cost of the parts of a set that may hold; infinity: none does.
  double least_cost_of(const std::vector<std::uint32_t>& slots, std::uint64_t& explored) {
    ++explored;
    choose(slots);
    if (!chosen_may_hold()) return unreachable_cost;
    double least = unreachable_cost;
    std::uint64_t parts = 0;
    each_part(slots, [&](const std::vector<CodeRange>& part) {
      context_.check();
      if (parts++ == most_parts) {
        least = floor_of(slots);  // of features with very many categories
        return false;
      }
      cut_cells(part);
      if (const auto box = look_at(slots, part)) least = std::min(least, box->cost);
      return true;
    });
    explored += parts - 1;
    return least;
  }

  // The cheapest change of exactly these slots, below the limit. open: lowered to what was not looked at.
  std::optional<CodeChange> search_set(const Set& set, double limit, std::uint64_t most_boxes, std::uint64_t& explored,
                                       double& open) {
    std::optional<CodeChange> best;
    choose(set.slots);
    each_part(set.slots, [&](const std::vector<CodeRange>& part) {
      if (explored >= most_boxes) {
        open = std::min(open, floor_of(set.slots));
        return false;
      }
      double cost = 0;
      std::uint64_t sides = 0;
      for (std::size_t i = 0; i < part.size(); ++i) {
        cost += moves_[set.slots[i]].costs[cheapest(set.slots[i], part[i])];
        if (part[i].first > own_[set.slots[i]]) sides |= std::uint64_t{1} << i;
      }
      if (cost >= limit || (set.ruled_out != 0 && ((set.ruled_out >> sides) & 1) != 0)) return true;
      cut_cells(part);
      std::priority_queue<Box> queue;
      const auto push = [&](std::vector<CodeRange> ranges) {
        ++explored;
        auto box = look_at(set.slots, std::move(ranges));
        if (box && box->cost < limit) queue.push(std::move(*box));
      };
      push(part);
      while (!queue.empty()) {
        context_.check();
        const Box box = queue.top();
        queue.pop();
        if (box.cost >= limit) break;
        if (box.promising && holds(set.slots, box.at)) {
          best = CodeChange{.slots = set.slots, .codes = box.at, .cost = box.cost};
          limit = box.cost;
          break;
        }
        if (explored >= most_boxes || queue.size() >= most_open_boxes) {
          open = std::min(open, box.cost);
          break;
        }
        if (box.cut_place == nowhere) continue;  // every leaf is decided, and the last digits say no
        std::vector<CodeRange> below = box.ranges, above = box.ranges;
        below[box.cut_place].end = box.cut;
        above[box.cut_place].first = box.cut;
        push(std::move(below));
        push(std::move(above));
      }
      return true;
    });
    return best;
  }

  bool holds(const std::vector<std::uint32_t>& slots, const std::vector<std::uint32_t>& codes) const {
    std::vector<std::uint32_t> at = own_;
    for (std::size_t i = 0; i < slots.size(); ++i) at[slots[i]] = codes[i];
    return problem_.goal_.holds(problem_.margins(at));
  }

  const CheapestChange& problem_;
  const std::vector<SlotMoves>& moves_;
  const ChangeLimits& limits_;
  const Context& context_;
  std::vector<std::uint32_t> own_;
  NearLeaves leaves_;
  std::vector<std::uint32_t> movable_;
  NearLeaves::Cells cells_;       // of one part of the chosen slots
  std::vector<double> constant_;  // what trees add that can end in one leaf alone
  // While a box is looked at.
  std::uint64_t order_ = 0;
  std::vector<double> bounds_, here_, best_gain_, side_bounds_;
  std::vector<std::uint32_t> best_cell_;
  std::vector<BetterCell> better_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> cuts_;  // places of the set and codes
  std::vector<double> cut_gains_;                              // per place and code: what is gained there
  std::vector<std::size_t> first_cut_;                         // of each place
};

ChangesFound CheapestChange::search(const std::vector<SlotMoves>& moves, const ChangeLimits& limits,
                                    const Context& context) const {
  return Row(*this, moves, limits, context).search();
}

}  // namespace sightglass
