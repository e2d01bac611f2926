#include "sightglass/learn/panels/panel_facts.h"

#include <algorithm>
#include <utility>

#include "sightglass/base/error.h"

namespace sightglass {

Figure panel_figure(const char* name, const char* id, double value, std::string meaning) {
  return {.name = name,
          .id = id,
          .loss = {},
          .output = {},
          .group = {},
          .value = value,
          .se = {},
          .meaning = std::move(meaning)};
}

void describe_search(const PanelSubsets& subsets, const PanelLimits& limits, const TrainingData& data,
                     Learned& learned) {
  learned.detail.set("subsets_tried", std::uint64_t{subsets.list.size()});
  const auto ranked = limits.search_rows == 0 ? data.rows : std::min(limits.search_rows, data.rows);
  const auto trained = limits.fit_rows == 0 ? data.rows : std::min(limits.fit_rows, data.rows);
  learned.detail.set("search_rows", std::uint64_t{ranked}).set("fit_rows", std::uint64_t{trained});
  if (ranked < data.rows) {
    learned.caveats.push_back(
        {.id = "ranked-on-a-sample",
         .severity = Severity::note,
         .message = "features were ranked on " + std::to_string(ranked) + " of " + std::to_string(data.rows) + " rows" +
                    (trained < data.rows ? ", and panels trained on " + std::to_string(trained) : std::string()) +
                    "; thresholds and counts are of all",
         .evidence = Value::object({{"ranked", std::uint64_t{ranked}}, {"trained", std::uint64_t{trained}}}),
         .advice = marked("raise {option:search_rows} and {option:fit_rows}; 0 takes all")});
  }
  if (limits.max_subsets > 0 && subsets.possible > limits.max_subsets) {
    learned.detail.set("subsets_possible", subsets.possible).set("pairs_screened", subsets.screened);
    learned.caveats.push_back(
        {.id = "subsets-not-tried",
         .severity = Severity::caution,
         .message =
             std::to_string(subsets.list.size()) + " of " + std::to_string(subsets.possible) +
             " features and pairs of features were tried: those that part the classes best in cells of equally "
             "many rows" +
             (subsets.screened < subsets.pairs ? "; only " + std::to_string(subsets.screened) +
                                                     " pairs of features that say most by themselves were looked at"
                                               : std::string()),
         .evidence = Value::object({{"tried", std::uint64_t{subsets.list.size()}},
                                    {"possible", subsets.possible},
                                    {"screened", subsets.screened}}),
         .advice = marked("name {option:features}, or raise {option:max_subsets}")});
  }
  if (!subsets.left_out.empty()) {
    std::string message;
    constexpr std::size_t named = 5;
    for (std::size_t i = 0; i < std::min(named, subsets.left_out.size()); ++i) {
      message += (i == 0 ? "" : "; ") + subsets.left_out[i];
    }
    if (subsets.left_out.size() > named) message += "; " + std::to_string(subsets.left_out.size() - named) + " more";
    learned.caveats.push_back({.id = "features-without-a-panel",
                               .severity = Severity::note,
                               .message = message + ": no panel shows them",
                               .evidence = Value::object({{"features", std::uint64_t{subsets.left_out.size()}}}),
                               .advice = "leave them out, or group their levels"});
  }
}

void describe_convergence(std::size_t unsolved, Learned& learned) {
  if (unsolved == 0) return;
  learned.detail.set("panels_not_converged", std::uint64_t{unsolved});
  learned.caveats.push_back({.id = "panels-not-converged",
                             .severity = Severity::note,
                             .message = std::to_string(unsolved) + " of " + std::to_string(learned.size) +
                                        " panels ran out of steps before their border was the best one",
                             .evidence = Value::object({{"panels", std::uint64_t{unsolved}}}),
                             .advice = marked("lower {option:cost}")});
}

}  // namespace sightglass
