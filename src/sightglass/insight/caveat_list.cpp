#include "sightglass/insight/caveat_list.h"

#include <algorithm>
#include <map>
#include <set>

#include "sightglass/insight/readable.h"
#include "sightglass/result/caveat_subject.h"

namespace sightglass {

namespace {

using Names = std::set<std::string>;

// What a caveat says, in as many parts as it has subjects: its features with the one they go together with most.
std::vector<Names> parts_of(const Caveat& caveat) {
  std::vector<Names> parts;
  // About some of the rows it is another one.
  const std::string group = text_member(caveat.evidence, "group");
  for (const CaveatSubject& subject : subjects_of(caveat)) {
    Names names(subject.features.begin(), subject.features.end());
    if (!subject.others.empty()) names.insert(subject.others.front());
    if (!group.empty()) names.insert("\n" + group);
    parts.push_back(std::move(names));
  }
  return parts;
}

// What was said under one id, and by which result: that one may say more.
struct Said {
  std::map<Names, const Result*> parts;
  std::map<std::string, const Result*> messages;
  const Result* list = nullptr;  // of several features

  [[nodiscard]] bool by_another(const Names& part, const Result* result) const {
    const auto found = parts.find(part);
    return found != parts.end() && found->second != result;
  }
};

bool is_known(const Said& said, const Caveat& caveat, const std::vector<Names>& parts, const Result* result) {
  if (parts.empty()) {
    const auto found = said.messages.find(is_about_model(caveat) ? "" : caveat.message.plain());
    return found != said.messages.end() && found->second != result;
  }
  // Every method has a list of its own, and the first one says enough.
  if (parts.size() > 1 && said.list != nullptr && said.list != result) return true;
  return std::all_of(parts.begin(), parts.end(), [&](const Names& part) { return said.by_another(part, result); });
}

}  // namespace

std::vector<ListedCaveat> caveats_once(const std::vector<Result>& results) {
  std::vector<std::pair<const Caveat*, const Result*>> all;
  for (const Result& result : results) {
    for (const Caveat& caveat : result.caveats) all.emplace_back(&caveat, &result);
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return static_cast<Severity>(a.first->severity) > static_cast<Severity>(b.first->severity);
  });
  std::map<std::pair<std::string, std::string>, Said> said_by_id;  // of each model
  std::vector<ListedCaveat> list;
  for (const auto& [caveat, result] : all) {
    Said& said = said_by_id[{text_member(result->model, "file"), caveat->id}];
    const auto parts = parts_of(*caveat);
    if (is_known(said, *caveat, parts, result)) continue;
    list.push_back({caveat, result});
    said.messages.try_emplace(is_about_model(*caveat) ? "" : caveat->message.plain(), result);
    for (const Names& part : parts) said.parts.try_emplace(part, result);
    if (parts.size() > 1 && said.list == nullptr) said.list = result;
  }
  return list;
}

}  // namespace sightglass
