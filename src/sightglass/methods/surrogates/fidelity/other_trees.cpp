#include "sightglass/methods/surrogates/fidelity/other_trees.h"

#include <algorithm>

#include "sightglass/base/error.h"
#include "sightglass/methods/surrogates/fidelity/scorecard_of.h"

namespace sightglass {

namespace {

constexpr std::size_t most_left_out = 8;  // features that are tried to do without

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + printable(name, 40);
  return text;
}

struct Candidate {
  std::string subject, title;
  FittedSurrogate tree;
  TreeFidelity fidelity;
};

}  // namespace

std::optional<Scorecard> other_trees(const FittedSurrogate& tree, const SurrogateTask& task, std::uint64_t size,
                                     double tolerance, std::uint64_t seed, const Context& context,
                                     const std::function<TreeFidelity(const FittedSurrogate&)>& fidelity) {
  const TreeFidelity own = fidelity(tree);
  const Complexity used = complexity_of(tree);
  std::vector<Candidate> found;
  // Whether it is near enough; the same tree twice is told once.
  const auto keep = [&](std::string subject, std::string title, FittedSurrogate made) {
    const TreeFidelity its = fidelity(made);
    if (its.value < own.value - tolerance) return false;
    const auto alike = [&](const Candidate& other) {
      return other.tree.learned.size == made.learned.size && other.fidelity.value == its.value &&
             complexity_of(other.tree).features == complexity_of(made).features;
    };
    if (std::none_of(found.begin(), found.end(), alike)) {
      found.push_back({std::move(subject), std::move(title), std::move(made), its});
    }
    return true;
  };
  const auto fit = [&](const SurrogateTask& its_task, std::uint64_t its_size) {
    context.check();
    return fit_surrogate(*tree.kind, its_task, its_size, seed, context);
  };
  // Features one by one, each time the one that costs least.
  std::vector<std::string> gone, left = used.features;
  for (bool more = true; more && left.size() > 1 && left.size() <= most_left_out;) {
    more = false;
    std::optional<FittedSurrogate> best;
    TreeFidelity best_fidelity;
    std::string taken;
    for (const std::string& name : left) {
      std::vector<std::string> without = gone;
      without.push_back(name);
      const SurrogateTask its_task = without_features(task, without);
      if (its_task.training.features.empty()) continue;
      FittedSurrogate made = fit(its_task, size);
      const TreeFidelity its = fidelity(made);
      if (!best || its.value > best_fidelity.value) {
        if (best && gone.empty()) keep("without " + taken, "without " + printable(taken, 40), std::move(*best));
        best = std::move(made);
        best_fidelity = its;
        taken = name;
      } else if (gone.empty()) {
        keep("without " + name, "without " + printable(name, 40), std::move(made));
      }
    }
    if (!best) break;
    gone.push_back(taken);
    const Complexity uses = complexity_of(*best);
    left = uses.features;
    const std::string title = gone.size() == 1 ? "without " + printable(taken, 40)
                                               : "with " + std::to_string(uses.features.size()) + " features";
    more = keep("without " + listed(gone), title, std::move(*best));
  }
  for (std::uint64_t leaves = tree.learned.size; leaves-- > 2;) {
    const std::string title = std::to_string(leaves) + " " + tree.kind->unit;
    if (!keep(title, title, fit(task, leaves))) break;
  }
  if (found.empty()) return std::nullopt;
  std::stable_sort(found.begin(), found.end(),
                   [](const Candidate& a, const Candidate& b) { return a.fidelity.value > b.fidelity.value; });
  Scorecard card{.name = "Other trees as good as the " + tree.kind->title, .output = task.all.output, .group = {}};
  card.details.set("tolerance", tolerance);
  const auto add = [&](const std::string& subject, const std::string& title, const FittedSurrogate& which,
                       const TreeFidelity& its) {
    const Complexity complexity = complexity_of(which);
    const auto score = [&](const char* quality, double value) -> Score& {
      return card.scores.emplace_back(Score{.subject = subject, .title = title, .quality = quality, .value = value});
    };
    Score& near = score("fidelity-near", its.value);
    near.low = its.low;
    near.high = its.high;
    score("size", static_cast<double>(which.learned.size)).note = which.kind->unit;
    score("depth", static_cast<double>(complexity.deepest));
    score("features", static_cast<double>(complexity.features.size())).note = listed(complexity.features);
  };
  add(tree.kind->name, "the tree shown", tree, own);
  for (const Candidate& each : found) add(each.subject, each.title, each.tree, each.fidelity);
  return card;
}

}  // namespace sightglass
