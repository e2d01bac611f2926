#include <algorithm>
#include <limits>
#include <numeric>

#include "sightglass/methods/local/anchoring/certain_search_internal.h"
#include "sightglass/numeric/hitting_set.h"

namespace sightglass {

namespace {

using Answer = CounterexampleAnswer::Kind;

constexpr std::uint64_t hitting_steps = 20'000;  // for each smallest set that hits all
constexpr std::size_t most_sets = 4000;          // to hit
constexpr std::uint64_t most_boxes = std::numeric_limits<std::uint64_t>::max();

// Slots by their place in the order of how far they move the outcome, the farthest first: a low place is tried first.
class CertainSearch {
 public:
  CertainSearch(const CounterexampleSearch& search, const std::vector<std::uint32_t>& own,
                const std::function<bool(std::span<const std::uint32_t>)>& broken, std::uint64_t boxes,
                const Context& context)
      : search_(search), own_(own), broken_(broken), boxes_(boxes), context_(context), places_(own.size()) {
    std::vector<std::pair<double, std::uint32_t>> swings;
    std::vector<bool> fixed(places_, true);
    for (std::uint32_t slot = 0; slot < places_; ++slot) {
      fixed[slot] = false;
      swings.emplace_back(-search.reach(fixed), slot);
      fixed[slot] = true;
    }
    std::sort(swings.begin(), swings.end());
    for (const auto& [swing, slot] : swings) slots_.push_back(slot);
  }

  CertainSlots find() {
    best_.resize(places_);
    std::iota(best_.begin(), best_.end(), 0U);
    open_ = leave_out(best_);
    if (places_ > 0) budget_ = boxes_ > most_boxes / places_ ? most_boxes : boxes_ * places_;
    const std::size_t least = best_.empty() ? 0 : find_fewer();
    CertainSlots found{.open = least == best_.size() ? 0 : open_, .least = least, .explored = explored_};
    for (const std::uint32_t place : best_) found.slots.push_back(slots_[place]);
    std::sort(found.slots.begin(), found.slots.end());
    return found;
  }

 private:
  using Places = std::vector<std::uint32_t>;

  [[nodiscard]] std::vector<bool> fixed_slots(const Places& places) const {
    std::vector<bool> fixed(places_);
    for (const std::uint32_t place : places) fixed[slots_[place]] = true;
    return fixed;
  }

  // Whether these settle the outcome. If not, one more set is to be hit, that has none of them.
  Answer ask(const Places& places) {
    for (const Places& set : sets_) {
      if (!meets(set, places)) return Answer::found;
    }
    const std::uint64_t limit = std::min(boxes_, budget_);
    CounterexampleAnswer answer = search_.find(fixed_slots(places), limit, context_);
    explored_ += answer.explored;
    budget_ -= std::min(budget_, answer.explored);
    if (answer.kind == Answer::found) sets_.push_back(needed(std::move(answer.at)));
    return answer.kind;
  }

  static bool meets(const Places& a, const Places& b) {
    return std::any_of(a.begin(), a.end(),
                       [&](std::uint32_t place) { return std::find(b.begin(), b.end(), place) != b.end(); });
  }

  // Places in which an input with another outcome differs from the row, after those went back that need not differ: the
  // most important ones stay.
  [[nodiscard]] Places needed(std::vector<std::uint32_t> at) const {
    Places differ;
    for (auto place = static_cast<std::uint32_t>(places_); place-- > 0;) {
      const std::uint32_t slot = slots_[place];
      if (at[slot] == own_[slot]) continue;
      const std::uint32_t kept = at[slot];
      at[slot] = own_[slot];
      if (broken_(at)) continue;
      at[slot] = kept;
      differ.push_back(place);
    }
    std::reverse(differ.begin(), differ.end());
    return differ;
  }

  // Leaves out what is not needed, the least important first; how many might not be needed either.
  std::size_t leave_out(Places& places) {
    std::size_t open = 0;
    for (const std::uint32_t place : Places(places.rbegin(), places.rend())) {
      Places fewer = places;
      std::erase(fewer, place);
      const Answer answer = ask(fewer);
      if (answer == Answer::none) places = std::move(fewer);
      open += answer == Answer::open;
    }
    return open;
  }

  // Searches a smaller one; how many there must be at least.
  std::size_t find_fewer() {
    std::size_t least = 0;
    std::size_t unknown = std::numeric_limits<std::size_t>::max();  // the fewest of a set that may settle it
    std::vector<Places> outside_unknown;
    while (true) {
      std::vector<Places> to_hit = sets_;
      to_hit.insert(to_hit.end(), outside_unknown.begin(), outside_unknown.end());
      const HittingSet hitting = smallest_hitting_set(places_, to_hit, least, best_.size(), hitting_steps);
      least = hitting.least;
      if (!hitting.elements || budget_ == 0 || sets_.size() >= most_sets) break;
      const Answer answer = ask(*hitting.elements);
      if (answer == Answer::none) {
        best_ = *hitting.elements;
        open_ = leave_out(best_);
        break;
      }
      if (answer == Answer::open) {
        // Whether these suffice is not known; others might be known to.
        unknown = std::min(unknown, hitting.elements->size());
        outside_unknown.push_back(others(*hitting.elements));
        continue;
      }
      complete(*hitting.elements);
    }
    return std::min({least, unknown, best_.size()});
  }

  [[nodiscard]] Places others(const Places& places) const {
    Places found;
    for (std::uint32_t place = 0; place < places_; ++place) {
      if (std::find(places.begin(), places.end(), place) == places.end()) found.push_back(place);
    }
    return found;
  }

  // Adds to a set that does not suffice what hits each input that shows it: more sets to be hit, and perhaps a set that
  // suffices and is smaller than the best.
  void complete(Places places) {
    while (budget_ > 0) {
      const auto missed =
          std::find_if(sets_.begin(), sets_.end(), [&](const Places& set) { return !meets(set, places); });
      if (missed != sets_.end()) {
        if (places.size() + 1 >= best_.size() || missed->empty()) return;
        places.push_back(missed->front());
        std::sort(places.begin(), places.end());
        continue;
      }
      const Answer answer = ask(places);
      if (answer == Answer::open) return;
      if (answer == Answer::none) {
        open_ = leave_out(places);
        best_ = std::move(places);
        return;
      }
    }
  }

  const CounterexampleSearch& search_;
  const std::vector<std::uint32_t>& own_;
  const std::function<bool(std::span<const std::uint32_t>)>& broken_;
  std::uint64_t boxes_;
  const Context& context_;
  std::size_t places_;
  std::vector<std::uint32_t> slots_;  // by place
  std::vector<Places> sets_;          // one place of each is in every set that settles the outcome
  Places best_;
  std::size_t open_ = 0;
  std::uint64_t budget_ = most_boxes, explored_ = 0;
};

}  // namespace

CertainSlots fewest_certain_slots(const CounterexampleSearch& search, const std::vector<std::uint32_t>& own,
                                  const std::function<bool(std::span<const std::uint32_t>)>& broken,
                                  std::uint64_t boxes, const Context& context) {
  return CertainSearch(search, own, broken, boxes, context).find();
}

}  // namespace sightglass
