#include "sightglass/result/caveat_subject.h"

#include <algorithm>

namespace sightglass {

namespace {

void add_names(const Value* value, std::vector<std::string>& names) {
  if (value == nullptr) return;
  if (value->is_string()) names.push_back(value->as_string());
  if (!value->is_array()) return;
  for (const Value& item : value->as_array()) add_names(&item, names);
}

void add_subject(const Value& evidence, std::vector<CaveatSubject>& subjects) {
  CaveatSubject subject;
  add_names(evidence.find("feature"), subject.features);
  add_names(evidence.find("other"), subject.others);
  add_names(evidence.find("others"), subject.others);
  if (!subject.features.empty()) subjects.push_back(std::move(subject));
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::vector<CaveatSubject> subjects_of(const Caveat& caveat) {
  std::vector<CaveatSubject> subjects;
  if (!caveat.evidence.is_object()) return subjects;
  add_subject(caveat.evidence, subjects);
  const Value* several = caveat.evidence.find("features");
  if (several == nullptr || !several->is_array()) return subjects;
  CaveatSubject together;
  for (const Value& each : several->as_array()) {
    if (each.is_object()) add_subject(each, subjects);
    if (each.is_string()) together.features.push_back(each.as_string());
  }
  if (!together.features.empty()) subjects.push_back(std::move(together));
  return subjects;
}

std::set<std::string> features_named(const Caveat& caveat) {
  std::set<std::string> names;
  for (const CaveatSubject& subject : subjects_of(caveat)) {
    names.insert(subject.features.begin(), subject.features.end());
    names.insert(subject.others.begin(), subject.others.end());
  }
  return names;
}

bool ties_together(const Caveat& caveat, const std::string& a, const std::string& b) {
  const auto subjects = subjects_of(caveat);
  return std::any_of(subjects.begin(), subjects.end(), [&](const CaveatSubject& subject) {
    return (contains(subject.features, a) && contains(subject.others, b)) ||
           (contains(subject.features, b) && contains(subject.others, a));
  });
}

bool is_about_model(const Caveat& caveat) { return caveat.id == "weak-model" || caveat.id == "changing-answers"; }

bool about_the_same(const Caveat& a, const Caveat& b) {
  if (a.id != b.id) return false;
  if (a.message == b.message || is_about_model(a)) return true;
  const std::set<std::string> names = features_named(a);
  return !names.empty() && names == features_named(b);
}

bool is_about_part_of(const Caveat& caveat, const Caveat& other) {
  if (caveat.id != other.id) return false;
  const std::set<std::string> names = features_named(caveat), all = features_named(other);
  return !names.empty() && std::includes(all.begin(), all.end(), names.begin(), names.end());
}

}  // namespace sightglass
