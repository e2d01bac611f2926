#include "sightglass/insight/caveat_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <tuple>

#include "sightglass/base/error.h"
#include "sightglass/insight/findings/evidence_internal.h"
#include "sightglass/insight/readable.h"

namespace sightglass {

namespace {

using finders::listed;
using finders::name_of;

constexpr std::size_t most_named = 3;

// Whoever reads a page types neither flags nor arguments. Words that the writer of the sentence gave ("fewer bins") are
// plain ones.
bool is_typed(const Reference& reference) {
  const bool asked = reference.kind == Reference::Kind::option || reference.kind == Reference::Kind::argument;
  return asked && (reference.words.empty() || reference.words.starts_with("--"));
}

bool is_typed(const Text& text) {
  const auto references = text.references();
  return std::any_of(references.begin(), references.end(), [](const Reference& each) { return is_typed(each); });
}

// Calls visit(piece, is_reference) for the markup's references and for what is between them.
template <class Visit>
void for_each_piece(std::string_view markup, const Visit& visit) {
  while (!markup.empty()) {
    std::size_t end = markup.find('{');
    if (end == 0) {
      const bool brace = markup.starts_with("{{");
      const std::size_t close = markup.find('}');
      end = brace ? 2 : close == std::string_view::npos ? 1 : close + 1;
      visit(markup.substr(0, end), !brace && !Text::from_markup(markup.substr(0, end)).references().empty());
    } else {
      end = std::min(end, markup.size());
      visit(markup.substr(0, end), false);
    }
    markup.remove_prefix(end);
  }
}

// Where one thing to do ends and the next begins.
constexpr std::string_view ends[] = {"; ", ". ", ", or "};

std::vector<Text> clauses_of(const Text& text) {
  std::vector<std::string> clauses(1);
  for_each_piece(text.markup(), [&](std::string_view piece, bool is_reference) {
    while (!is_reference && !piece.empty()) {
      std::size_t cut = piece.size(), length = 0;
      for (const std::string_view end : ends) {
        if (const std::size_t at = piece.find(end); at < cut) {
          cut = at;
          length = end.size();
        }
      }
      clauses.back() += piece.substr(0, cut);
      if (length > 0) clauses.emplace_back();
      piece.remove_prefix(cut + length);
    }
    if (is_reference) clauses.back() += piece;
  });
  std::vector<Text> list;
  for (const std::string& clause : clauses) {
    if (!clause.empty()) list.push_back(Text::from_markup(clause));
  }
  return list;
}

// Methods as pages call them. Short names are abbreviations: ALE, SHAP.
std::string method_words(const std::string& name) {
  constexpr std::size_t letters = 4;
  if (name.size() > letters) return words(name);
  std::string upper = name;
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return upper;
}

std::string in_words(const Text& text) {
  std::string said;
  for_each_piece(text.markup(), [&](std::string_view piece, bool is_reference) {
    const Text part = Text::from_markup(piece);
    if (!is_reference) {
      said += part.plain();
      return;
    }
    const Reference reference = part.references().front();
    if (reference.kind == Reference::Kind::method) {
      said += method_words(reference.name);
    } else if (is_typed(reference)) {
      said += words(reference.name);
    } else {
      said += part.plain();
    }
  });
  return said;
}

// A sentence starts with a capital letter, unless it starts with a name.
std::string sentence(const Text& text, std::size_t limit, const Caveat& caveat) {
  std::string said = printable(in_words(text), limit);
  const auto references = text.references();
  const bool with_name = text.starts_with_reference() && references.front().kind == Reference::Kind::feature;
  const auto leads = [&](const Value& name) {
    return name.is_string() && !name.as_string().empty() && said.starts_with(name.as_string());
  };
  bool named = with_name;
  if (caveat.evidence.is_object()) {
    for (const auto& [key, value] : caveat.evidence.as_object()) {
      named = named || leads(value) ||
              (value.is_array() && std::any_of(value.as_array().begin(), value.as_array().end(), leads));
    }
  }
  return named ? said : capitalised(said);
}

std::string joined(const std::vector<Text>& clauses, const Caveat& caveat, std::size_t limit) {
  Text all;
  for (const Text& clause : clauses) all += all.empty() ? clause : "; " + clause;
  return all.empty() ? "" : sentence(all, limit, caveat);
}

// "a, b and 3 others"
std::string few_of(const std::vector<std::string>& names, const char* others) {
  if (names.size() <= most_named + 1) return listed(names);
  std::vector<std::string> few(names.begin(), names.begin() + most_named);
  few.push_back(std::to_string(names.size() - most_named) + " " + others);
  return listed(few);
}

void add_once(std::vector<std::string>& list, const std::string& item) {
  if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
}

// Kinds that come for one feature after the other, in words for one and for many of them.
struct FeatureKind {
  std::string_view id;
  std::string (*about)(const std::string& one, const std::string& other);
  std::string (*of_many)(const std::vector<std::string>& names, const std::vector<std::string>& pairs);
};
constexpr std::array feature_kinds = {
    FeatureKind{"correlated-features",
                [](const std::string& one, const std::string& other) {
                  return one + " goes together with " + other + ": what one of them does may be credited to the other.";
                },
                [](const std::vector<std::string>&, const std::vector<std::string>& pairs) {
                  return "Some features go together (" + few_of(pairs, "more") +
                         "): what one of them does may be credited to the other.";
                }},
    FeatureKind{"extrapolation",
                [](const std::string& one, const std::string& other) {
                  return "Part of the curve of " + one + " rests on combinations" +
                         (other.empty() ? "" : " with " + other) + " that the data do not contain.";
                },
                [](const std::vector<std::string>& names, const std::vector<std::string>&) {
                  return "Parts of the curves of " + few_of(names, "others") +
                         " rest on combinations that the data do not contain.";
                }},
    FeatureKind{"sparse-region",
                [](const std::string& one, const std::string&) {
                  return "Few rows stand behind part of the curve of " + one + ".";
                },
                [](const std::vector<std::string>& names, const std::vector<std::string>&) {
                  return "Few rows stand behind parts of the curves of " + few_of(names, "others") + ".";
                }},
    FeatureKind{"hidden-heterogeneity",
                [](const std::string& one, const std::string&) {
                  return "What " + one + " does differs from row to row; its average curve hides that.";
                },
                [](const std::vector<std::string>& names, const std::vector<std::string>&) {
                  return "What " + few_of(names, "others") +
                         " do differs from row to row; their average curves hide that.";
                }},
};

const FeatureKind* feature_kind(std::string_view id) {
  const auto* found =
      std::find_if(feature_kinds.begin(), feature_kinds.end(), [&](const FeatureKind& kind) { return kind.id == id; });
  return found != feature_kinds.end() ? found : nullptr;
}

// Simpler models and single rows say nothing of the model as a whole.
bool is_aside(const Result& result) {
  const auto& family = result.about.family;
  return family == Family::surrogates || family == Family::local || family == Family::examples;
}

bool is_of_group(const Caveat& caveat) { return caveat.evidence.find("group") != nullptr; }

std::string sentence_of(const std::vector<const Caveat*>& caveats) {
  const Caveat& first = *caveats.front();
  const FeatureKind* kind = feature_kind(first.id);
  std::vector<std::string> names, pairs;
  std::set<std::set<std::string>> told;
  std::string one, other;
  for (const Caveat* caveat : caveats) {
    for (const CaveatSubject& subject : subjects_of(*caveat)) {
      if (subject.features.size() != 1) continue;
      const std::string name = name_of(subject.features[0]);
      const std::string with = subject.others.empty() ? "" : name_of(subject.others[0]);
      if (names.empty()) {
        one = name;
        other = with;
      }
      add_once(names, name);
      if (!with.empty() && told.insert({name, with}).second) pairs.push_back(name + " with " + with);
    }
  }
  if (kind == nullptr || names.empty() || (kind->id == "correlated-features" && pairs.empty()))
    return caveat_words(first).message;
  const bool single = kind->id == "correlated-features" ? pairs.size() == 1 : names.size() == 1;
  return single ? kind->about(one, other) : kind->of_many(names, pairs);
}

// Curves that stand on few rows, and on combinations that no row has: where the data end.
std::string topic_of(const std::string& id) { return id == "sparse-region" || id == "extrapolation" ? "support" : id; }

}  // namespace

CaveatWords caveat_words(const Caveat& caveat) {
  CaveatWords said;
  said.message = sentence(caveat.message, 800, caveat);
  std::vector<Text> advice, tips;
  for (const Text& clause : clauses_of(caveat.advice)) (is_typed(clause) ? tips : advice).push_back(clause);
  said.advice = joined(advice, caveat, 400);
  Text tip;
  for (const Text& clause : tips) tip += tip.empty() ? clause : "; " + clause;
  said.tip = printable(tip.plain(), 400);
  return said;
}

bool is_worth_telling(const Caveat& caveat) { return caveat.severity != Severity::note || !caveat.advice.empty(); }

std::vector<CaveatKind> caveat_kinds(const std::vector<ListedCaveat>& list) {
  std::vector<CaveatKind> kinds;
  const auto alike = [](const ListedCaveat& a, const ListedCaveat& b) {
    return a.caveat->id == b.caveat->id && a.caveat->severity == b.caveat->severity &&
           text_member(a.result->model, "file") == text_member(b.result->model, "file") &&
           is_of_group(*a.caveat) == is_of_group(*b.caveat);
  };
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!is_worth_telling(*list[i].caveat)) continue;
    const auto known = std::find_if(kinds.begin(), kinds.end(),
                                    [&](const CaveatKind& kind) { return alike(list[kind.members.front()], list[i]); });
    if (known != kinds.end()) {
      known->members.push_back(i);
    } else {
      kinds.push_back({{i}, {}});
    }
  }
  for (CaveatKind& kind : kinds) {
    std::vector<const Caveat*> caveats;
    for (const std::size_t member : kind.members) caveats.push_back(list[member].caveat);
    kind.sentence = sentence_of(caveats);
    kind.topic = topic_of(caveats.front()->id);
  }
  const auto place = [&](const CaveatKind& kind) {
    const ListedCaveat& first = list[kind.members.front()];
    const int severity = 2 - static_cast<int>(static_cast<Severity>(first.caveat->severity));
    return std::tuple(severity, is_aside(*first.result), is_of_group(*first.caveat),
                      !subjects_of(*first.caveat).empty());
  };
  std::stable_sort(kinds.begin(), kinds.end(),
                   [&](const CaveatKind& a, const CaveatKind& b) { return place(a) < place(b); });
  return kinds;
}

std::string caveat_about(const Caveat& caveat, const CaveatSubject& subject) {
  const FeatureKind* kind = feature_kind(caveat.id);
  if (kind == nullptr || subject.features.size() != 1) return {};
  const std::string other = subject.others.empty() ? "" : name_of(subject.others[0]);
  if (kind->id == "correlated-features" && other.empty()) return {};
  return kind->about(name_of(subject.features[0]), other);
}

}  // namespace sightglass
