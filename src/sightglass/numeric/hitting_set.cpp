#include "sightglass/numeric/hitting_set.h"

#include <algorithm>

namespace sightglass {

namespace {

class HittingSearch {
 public:
  HittingSearch(std::size_t count, const std::vector<std::vector<std::uint32_t>>& sets, std::uint64_t steps)
      : sets_(sets), hits_(sets.size()), left_out_(count), seen_(count), steps_(steps) {
    containing_.resize(count);
    for (std::uint32_t i = 0; i < sets.size(); ++i) {
      for (const std::uint32_t element : sets[i]) containing_[element].push_back(i);
    }
  }

  [[nodiscard]] bool exhausted() const { return steps_ == 0; }
  [[nodiscard]] const std::vector<std::uint32_t>& taken() const { return taken_; }

  // Whether `more` elements can hit what is not hit yet.
  bool hit(std::size_t more) {
    if (steps_ == 0) return false;
    --steps_;
    const std::optional<std::size_t> tightest = least_choices();
    if (!tightest) return true;
    if (more == 0 || disjoint_sets(more) > more) return false;
    std::vector<std::pair<std::size_t, std::uint32_t>> choices;  // most sets first
    for (const std::uint32_t element : sets_[*tightest]) {
      if (left_out_[element]) continue;
      std::size_t open = 0;
      for (const std::uint32_t set : containing_[element]) open += hits_[set] == 0;
      choices.emplace_back(sets_.size() - open, element);
    }
    std::sort(choices.begin(), choices.end());
    std::size_t tried = 0;
    bool found = false;
    for (; tried < choices.size() && !found; ++tried) {
      const std::uint32_t element = choices[tried].second;
      take(element);
      found = hit(more - 1);
      if (found) break;
      give_back(element);
      left_out_[element] = true;
    }
    for (std::size_t i = 0; i < tried; ++i) left_out_[choices[i].second] = false;
    return found;
  }

 private:
  void take(std::uint32_t element) {
    taken_.push_back(element);
    for (const std::uint32_t set : containing_[element]) ++hits_[set];
  }
  void give_back(std::uint32_t element) {
    taken_.pop_back();
    for (const std::uint32_t set : containing_[element]) --hits_[set];
  }

  [[nodiscard]] std::size_t choices_of(std::size_t set) const {
    return static_cast<std::size_t>(std::count_if(sets_[set].begin(), sets_[set].end(),
                                                  [&](std::uint32_t element) { return !left_out_[element]; }));
  }
  // The set that is not hit and has the fewest elements that may be taken; nothing: all are hit.
  [[nodiscard]] std::optional<std::size_t> least_choices() const {
    std::optional<std::size_t> best;
    std::size_t fewest = 0;
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      if (hits_[i] > 0) continue;
      const std::size_t choices = choices_of(i);
      if (best && choices >= fewest) continue;
      best = i;
      fewest = choices;
    }
    return best;
  }
  // Sets that are not hit and have nothing in common, those of few elements first: as many elements it takes at least.
  // Counted until there are too many.
  [[nodiscard]] std::size_t disjoint_sets(std::size_t enough) {
    std::vector<std::pair<std::size_t, std::size_t>> open;
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      if (hits_[i] == 0) open.emplace_back(choices_of(i), i);
    }
    std::sort(open.begin(), open.end());
    std::fill(seen_.begin(), seen_.end(), false);
    std::size_t count = 0;
    for (const auto& [choices, set] : open) {
      if (choices == 0) return enough + 1;
      const auto blocked = [&](std::uint32_t element) { return !left_out_[element] && seen_[element]; };
      if (std::any_of(sets_[set].begin(), sets_[set].end(), blocked)) continue;
      for (const std::uint32_t element : sets_[set]) seen_[element] = true;
      if (++count > enough) break;
    }
    return count;
  }

  const std::vector<std::vector<std::uint32_t>>& sets_;
  std::vector<std::vector<std::uint32_t>> containing_;  // sets, per element
  std::vector<std::uint32_t> hits_;                     // per set
  std::vector<bool> left_out_, seen_;                   // per element
  std::vector<std::uint32_t> taken_;
  std::uint64_t steps_;
};

}  // namespace

HittingSet smallest_hitting_set(std::size_t count, const std::vector<std::vector<std::uint32_t>>& sets,
                                std::size_t least, std::size_t end, std::uint64_t steps) {
  HittingSearch search(count, sets, steps);
  HittingSet found;
  for (found.least = least; found.least < end; ++found.least) {
    if (search.hit(found.least)) {
      found.elements = search.taken();
      std::sort(found.elements->begin(), found.elements->end());
      break;
    }
    if (search.exhausted()) break;
  }
  return found;
}

}  // namespace sightglass
