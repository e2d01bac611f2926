#include "sightglass/insight/findings.h"

#include <algorithm>
#include <iterator>

#include "sightglass/insight/findings/evidence_internal.h"

namespace sightglass {

namespace {

using finders::Candidate;

constexpr std::size_t most_findings = 7;
constexpr std::size_t least_findings = 3;
// Of a model that knows nothing: that, and what it goes by all the same.
constexpr std::size_t about_nothing = 2;

void worthiest(std::vector<Candidate>& list, std::size_t most) {
  std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.worth > b.worth; });
  std::vector<Candidate> kept;
  for (auto& candidate : list) {
    const auto same = [&](const Candidate& other) { return !other.topic.empty() && other.topic == candidate.topic; };
    if (kept.size() < most && std::none_of(kept.begin(), kept.end(), same)) kept.push_back(std::move(candidate));
  }
  list = std::move(kept);
}

}  // namespace

std::vector<Finding> findings(const std::vector<Result>& results) {
  const finders::Evidence evidence(results);
  std::vector<Candidate> list = finders::performance(evidence);
  for (const auto kind : {finders::models, finders::importance, finders::effects, finders::together,
                          finders::differences, finders::surrogates}) {
    auto found = kind(evidence);
    std::move(found.begin(), found.end(), std::back_inserter(list));
  }
  worthiest(list, finders::knows_nothing(evidence) ? about_nothing : most_findings);
  if (list.size() < least_findings && !finders::knows_nothing(evidence)) {
    for (auto& row : finders::single_rows(evidence)) list.push_back(std::move(row));
  }
  std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.place < b.place; });
  std::vector<Finding> told;
  for (auto& candidate : list) told.push_back(std::move(candidate.finding));
  return told;
}

std::vector<ShownScore> scores(const std::vector<Result>& results) {
  return finders::scores(finders::Evidence(results));
}

}  // namespace sightglass
