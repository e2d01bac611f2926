// Partial dependence functions at the data rows themselves:
//   PD_S(x_S^(i)) = mean over rows b of f(x_S^(i), x_−S^(b)),   PD_−S(x_−S^(i)) = mean over rows b of f(x_S^(b),
//   x_−S^(i))
// for a list of subsets S. Row b under the values v of S is asked for once per different v, however many rows
// have them; the same predictions f(v, x_−S^(b)) give PD_S(v) as their mean over b and PD_−S(b) as their mean
// over v. The empty subset gives the mean prediction, and as its complement the prediction of each row.
// Memory: at most `pd_sums_at_once` exact sums per pass; rows × outputs doubles per complement.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "sightglass/methods/interactions/dependence/pd_rows.h"
#include "sightglass/methods/run/method.h"

namespace sightglass {

// An exact sum takes about 560 bytes: 73 MB.
inline constexpr std::size_t pd_sums_at_once = std::size_t{1} << 17;

struct PdTask {
  PdSubset subset;
  bool complement = false;       // whether PD_−S is wanted
  std::vector<PdPoints> points;  // per sample
};

// What became of a task.
struct PdFunction {
  PdTask task;
  std::vector<std::vector<double>> values;      // [sample][point × outputs + output]: PD_S
  std::vector<std::vector<double>> complement;  // [sample][row × outputs + output]: PD_−S; empty if not wanted
  // [output], with complements: whether any row's prediction changes with the values of the subset.
  std::vector<bool> matters;
};

// The tasks for subsets[begin …], as many as one pass can hold the sums of, at least one.
[[nodiscard]] std::vector<PdTask> next_pd_tasks(const PdRows& rows, const std::vector<PdSubset>& subsets,
                                                std::size_t begin, bool complements, std::size_t outputs);

// In no, one or more passes. Outputs are those explained.
[[nodiscard]] Chain<std::vector<PdFunction>> pd_at_rows(const MethodInput& input,
                                                        const std::shared_ptr<const PdRows>& rows,
                                                        std::vector<PdTask> tasks,
                                                        std::size_t sums_at_once = pd_sums_at_once);

// PD of all the model's features but those of `rest`, which its complement already is: no prediction needed.
[[nodiscard]] PdFunction pd_from_complement(const PdRows& rows, PdSubset subset, const PdFunction& rest);

// All subsets, in as many rounds as memory asks for: `fold` takes the functions of one round (in the order of
// the subsets) into a state of the caller's.
template <class State>
Chain<std::shared_ptr<const State>> pd_in_rounds(
    const MethodInput& input, const std::shared_ptr<const PdRows>& rows,
    const std::shared_ptr<const std::vector<PdSubset>>& subsets, bool complements, std::shared_ptr<const State> state,
    const std::function<void(State&, const std::vector<PdFunction>&)>& fold, std::size_t begin = 0) {
  if (begin == subsets->size()) return state;
  auto tasks = next_pd_tasks(*rows, *subsets, begin, complements, input.explained.size());
  const std::size_t end = begin + tasks.size();
  return pd_at_rows(input, rows, std::move(tasks))
      .then([=](const std::vector<PdFunction>& functions) {  // NOLINT(misc-no-recursion)
        auto folded = std::make_shared<State>(*state);
        fold(*folded, functions);
        return pd_in_rounds<State>(input, rows, subsets, complements, std::move(folded), fold, end);
      });
}

}  // namespace sightglass
