#include <algorithm>
#include <set>

#include "sightglass/base/error.h"
#include "sightglass/insight/caveat_list.h"
#include "sightglass/insight/caveat_words.h"
#include "sightglass/insight/findings.h"
#include "sightglass/insight/glossary.h"
#include "sightglass/insight/groups/figures.h"
#include "sightglass/insight/readable.h"
#include "sightglass/render/html/draft_internal.h"
#include "sightglass/render/html/payload_internal.h"
#include "sightglass/render/shape_view.h"
#include "sightglass/result/caveat_subject.h"
#include "sightglass/result/shapes/marked_picture.h"
#include "sightglass/result/shapes/marked_text.h"
#include "sightglass/result/shapes/terms.h"

namespace sightglass {

namespace html {

namespace {

void surrogates_chapter(Draft& draft, Chapter& chapter);

// The chapters of a page, in the order in which they are read.
struct ChapterKind {
  const char *id, *title, *lead;
  // Whose pictures it shows: of shapes that no other chapter takes.
  std::optional<Family> family;
  // Few readers need it: all of it is folded at first.
  bool is_extra = false;
  // Of chapters that tell more than their pictures.
  void (*make)(Draft& draft, Chapter& chapter) = nullptr;
};
constexpr ChapterKind chapter_kinds[] = {
    {"model", "The model itself", "What was learned, as the model has it.", Family::learners},
    {"performance", "How good it is", "How near predictions come to the truth, and where they do not.",
     Family::performance},
    {"importance", "What matters", "", Family::importance, false, importance_chapter},
    {"effects", "What each feature does", "", Family::effects, false, effects_chapter},
    {"interactions", "What acts together", "", Family::interactions, false, interactions_chapter},
    {"rows", "Single rows", "", Family::local, false, rows_chapter},
    {"surrogates", "A simpler model",
     "Small models that were fitted to the predictions, and how well they follow them.", Family::surrogates, true,
     surrogates_chapter},
    {"examples", "Rows that stand for others", "Rows of the data that show what there is.", Family::examples, true,
     examples_chapter},
};
// Chapters of shapes follow, then what is left.
constexpr ChapterKind rest = {"other", "More pictures", "What else the results have to show.", std::nullopt,
                              true,    other_chapter};

Chapter chapter_of(const char* id, const char* title, const char* lead) {
  Chapter chapter;
  chapter.id = id;
  chapter.title = title;
  chapter.lead = lead;
  return chapter;
}

// title: of a section of its own; empty: that of its features, or its own.
void add_picture(Draft& draft, Chapter& chapter, Picture& picture, const std::string& title = {}) {
  auto& sections = chapter.sections;
  const bool all_open = chapter.open == sections.size();
  std::size_t section = 0;
  if (title.empty()) {
    section = draft.show(chapter, picture);
  } else {
    section = draft.section(chapter, SectionKind::overview, {}, title);
    draft.add_picture(section, picture);
    picture.taken = true;
  }
  if (std::find(sections.begin(), sections.end(), section) == sections.end()) sections.push_back(section);
  if (all_open) chapter.open = std::max(chapter.open, open_of(sections.size()));
}

// Lower places first; curves and maps, of which additive models are made, stand with the models.
void sort_by_place(std::vector<Picture*>& pictures) {
  constexpr int models = 30;
  const auto place = [](const Picture* picture) {
    const PageChapter& chapter = *view_of(picture->group).chapter;
    return *chapter.title != '\0' ? chapter.place : models;
  };
  std::stable_sort(pictures.begin(), pictures.end(),
                   [&](const Picture* a, const Picture* b) { return place(a) < place(b); });
}

// All that surrogates are made of, also what other methods show elsewhere: it is not what the model does.
void surrogates_chapter(Draft& draft, Chapter& chapter) {
  std::vector<Picture*> pictures;
  for (auto& picture : draft.pictures()) {
    if (!picture.taken && picture.result->about.family == Family::surrogates) pictures.push_back(&picture);
  }
  sort_by_place(pictures);
  for (Picture* picture : pictures) {
    const bool along_features = !picture->group.axes().empty();
    add_picture(draft, chapter, *picture, along_features ? group_title(picture->group) + " in the surrogate" : "");
  }
}

// What the model says of the row that an explanation is about; nothing where it is about none.
std::optional<double> row_prediction(const ItemGroup& group) {
  if (const auto* text = group.item<MarkedText>()) return text->prediction;
  if (const auto* picture = group.item<MarkedPicture>()) return picture->prediction;
  const auto* terms = group.item<Terms>();
  return terms == nullptr ? std::nullopt : terms->prediction;
}

// Of explanations of a row for each class, that of the class that is predicted for it comes first: the page opens on
// it.
void put_predicted_first(std::vector<Picture*>& pictures) {
  const auto prediction = [](const Picture* picture) { return row_prediction(picture->group); };
  for (auto first = pictures.begin(); first != pictures.end();) {
    const Result& result = *(*first)->result;
    const std::string title = group_title((*first)->group);
    const auto end = std::find_if(first + 1, pictures.end(), [&](const Picture* picture) {
      return picture->result != &result || group_title(picture->group) != title;
    });
    const bool classes = predicts_probabilities(result) || text_member(result.model, "task") == "multiclass";
    if (classes && std::all_of(first, end, prediction)) {
      const auto highest = std::max_element(
          first, end, [&](const Picture* a, const Picture* b) { return prediction(a) < prediction(b); });
      std::rotate(first, highest, highest + 1);
    }
    first = end;
  }
}

// Pictures of shapes that have no chapter of their own making: where the family of their method is told, else where the
// shape says.
void add_other_shapes(Draft& draft, std::vector<Chapter>& chapters) {
  std::vector<Picture*> pictures;
  for (auto& picture : draft.pictures()) {
    if (!picture.taken && *(*view_of(picture.group).chapter).title != '\0') pictures.push_back(&picture);
  }
  sort_by_place(pictures);
  put_predicted_first(pictures);
  for (Picture* of_shape : pictures) {
    Picture& picture = *of_shape;
    const PageChapter& own = *view_of(picture.group).chapter;
    const Family family = picture.result->about.family;
    const auto* kind = std::find_if(std::begin(chapter_kinds), std::end(chapter_kinds),
                                    [&](const ChapterKind& each) { return each.family == family; });
    const bool told = kind != std::end(chapter_kinds);
    const std::string_view id = told ? kind->id : own.id;
    auto chapter = std::find_if(chapters.begin(), chapters.end(), [&](const Chapter& each) { return each.id == id; });
    if (chapter == chapters.end()) chapter = chapters.insert(chapter, chapter_of(own.id, own.title, own.lead));
    if (chapter->lead.empty()) chapter->lead = own.lead;
    add_picture(draft, *chapter, picture);
  }
}

// Scores of groups of rows, below those of all.
void add_group_scores(Draft& draft, std::vector<Chapter>& chapters) {
  for (auto& picture : draft.pictures()) {
    if (picture.taken || picture.group.as<Figures>() == nullptr) continue;
    const std::string by = text_member(picture.result->options, "by");
    const auto told = std::find_if(chapters.begin(), chapters.end(),
                                   [](const Chapter& each) { return each.id == std::string_view("performance"); });
    if (told != chapters.end()) add_picture(draft, *told, picture, "By " + printable(by, 80));
  }
}

}  // namespace

// From last to first, because earlier chapters lead to later ones.
std::vector<Chapter> chapters_of(Draft& draft) {
  std::vector<Chapter> chapters;
  for (std::size_t i = std::size(chapter_kinds); i-- > 0;) {
    Chapter chapter = chapter_of(chapter_kinds[i].id, chapter_kinds[i].title, chapter_kinds[i].lead);
    chapter.is_extra = chapter_kinds[i].is_extra;
    if (chapter_kinds[i].make != nullptr) chapter_kinds[i].make(draft, chapter);
    chapters.insert(chapters.begin(), std::move(chapter));
  }
  add_other_shapes(draft, chapters);
  add_group_scores(draft, chapters);
  chapters.push_back(chapter_of(rest.id, rest.title, rest.lead));
  chapters.back().is_extra = rest.is_extra;
  rest.make(draft, chapters.back());
  std::erase_if(chapters, [](const Chapter& chapter) { return chapter.is_empty(); });
  return chapters;
}

namespace {

Value chapter_value(const Chapter& chapter) {
  Value sections = Value::array();
  for (const auto section : chapter.sections) sections.push_back(Value(static_cast<std::uint64_t>(section)));
  return Value::object({{"id", chapter.id},
                        {"title", chapter.title},
                        {"lead", chapter.lead},
                        {"reading", chapter.reading},
                        {"extra", chapter.is_extra},
                        {"ranking", chapter.ranking},
                        {"rows", chapter.rows},
                        {"sections", sections},
                        {"open", Value(static_cast<std::uint64_t>(chapter.open))}});
}

Value section_value(const Section& section) {
  static constexpr const char* kinds[] = {"feature", "pair", "row", "overview"};
  Value charts = Value::array();
  for (const auto& versions : section.charts) charts.push_back(versions_value(versions));
  // The name makes the section's address: units and what is cut off for display are not part of it.
  std::string name;
  for (const auto& feature : section.features) name += (name.empty() ? "" : " ") + printable(feature, 200);
  return Value::object({{"title", section.title},
                        {"name", name.empty() ? section.title : name},
                        {"kind", kinds[static_cast<std::size_t>(section.kind)]},
                        {"charts", charts}});
}

// A report knows more about the model that its methods ran with.
const Value& model_of(const Result& result, const Result* report) {
  return report != nullptr && is_said(result.model, report->model) ? report->model : result.model;
}

Value run_value(const Result& result, const Result* report) {
  // Groups have their part of the report's rows.
  const bool of_groups = report != nullptr && !text_member(result.options, "by").empty();
  return Value::object({{"method", method_title(result)},
                        {"version", printable(result.version, 40)},
                        {"shows", prediction_title(result, Quantity::mean, "")},
                        {"model", pairs_value(facts(model_of(result, report)))},
                        {"data", pairs_value(data_facts(of_groups ? *report : result))},
                        {"options", pairs_value(facts(result.options))}});
}

Value figure_value(const Result& result, const Figure& figure) {
  const FigureText text = figure_text(figure);
  const bool in_units = figure.id == FigureId::loss && figure.loss && in_units_of_target(*figure.loss);
  const std::string unit = in_units ? printable(text_member(result.data, "target_unit"), 40) : "";
  return Value::object({{"method", printable(result.method, 60)},
                        {"name", capitalised(figure_title(result, figure))},
                        {"about", figure_about(result, figure)},
                        {"unit", unit},
                        {"value", text.half.empty() ? text.value : text.value + " ± " + text.half},
                        {"meaning", capitalised(printable(figure.meaning, 400))}});
}

Value place_value(const std::optional<std::size_t>& section) {
  return section ? Value(static_cast<std::uint64_t>(*section)) : Value();
}

// The features whose section a caution belongs to: none if it is about several, each for itself.
std::vector<std::string> features_of(const Caveat& caveat) {
  const auto subjects = subjects_of(caveat);
  return subjects.size() == 1 ? subjects[0].features : std::vector<std::string>();
}

Value caveat_value(const ListedCaveat& listed, const Draft& draft) {
  const Caveat& caveat = *listed.caveat;
  const CaveatWords said = caveat_words(caveat);
  // Whose it is, where the page is about several models.
  const std::string subject = draft.different_models() ? draft.subject(*listed.result) + ": " : "";
  return Value::object({{"id", printable(caveat.id, 60)},
                        {"severity", std::string(to_string(caveat.severity))},
                        {"message", subject + said.message},
                        {"advice", said.advice},
                        {"tip", said.tip},
                        {"evidence", pairs_value(facts(caveat.evidence))},
                        {"section", place_value(draft.find(features_of(caveat)))}});
}

// Cautions where a reader should see them before all else, if they are few.
constexpr std::size_t most_in_front = 3;

// All of them, by kind; the first few stand near the top of the page.
Value caution_kinds(const std::vector<ListedCaveat>& list, const Draft& draft) {
  Value kinds = Value::array();
  std::set<std::string> in_front;
  for (const CaveatKind& kind : caveat_kinds(list)) {
    const ListedCaveat& first = list[kind.members.front()];
    // Each says something else than those before it.
    const bool front = first.caveat->severity != Severity::note && in_front.size() < most_in_front &&
                       in_front.insert(kind.topic).second;
    Value members = Value::array();
    for (const std::size_t member : kind.members) members.push_back(Value(static_cast<std::uint64_t>(member)));
    const std::string subject = draft.different_models() ? draft.subject(*first.result) + ": " : "";
    kinds.push_back(Value::object({{"severity", std::string(to_string(first.caveat->severity))},
                                   {"text", subject + kind.sentence},
                                   {"front", front},
                                   {"caveats", members}}));
  }
  return kinds;
}

// What is said beside the chart that it is about: the message of a caution about one feature, of one about several a
// sentence for each.
Value asides_value(const std::vector<ListedCaveat>& list, const Draft& draft) {
  Value asides = Value::array();
  std::set<std::pair<std::size_t, std::string>> told;
  const auto add = [&](const std::optional<std::size_t>& section, const ListedCaveat& listed, const std::string& text,
                       const CaveatWords& said) {
    if (!section || text.empty() || !told.emplace(*section, text).second) return;
    asides.push_back(Value::object({{"section", Value(static_cast<std::uint64_t>(*section))},
                                    {"severity", std::string(to_string(listed.caveat->severity))},
                                    {"text", text},
                                    {"advice", said.advice},
                                    {"tip", said.tip}}));
  };
  for (const ListedCaveat& listed : list) {
    const CaveatWords said = caveat_words(*listed.caveat);
    // Beside a chart a note is worth its room if it says what to do with the chart.
    if (listed.caveat->severity == Severity::note && said.advice.empty()) continue;
    const std::vector<std::string> features = features_of(*listed.caveat);
    if (!features.empty()) {
      add(draft.find(features), listed, said.message, said);
      continue;
    }
    for (const CaveatSubject& subject : subjects_of(*listed.caveat))
      add(draft.find(subject.features), listed, caveat_about(*listed.caveat, subject), said);
  }
  return asides;
}

// What a report says about itself.
const Result* report_of(const std::vector<Result>& results) {
  const auto found = std::find_if(results.begin(), results.end(),
                                  [](const Result& result) { return result.about.family == Family::report; });
  return found != results.end() ? &*found : nullptr;
}

// What is cut off cannot be run: longer than any command line may be.
constexpr std::size_t longest_command = std::size_t{1} << 22;

Value repeat_value(const Result& report) {
  Value options = Value::object();
  for (const auto& [name, value] : report.options.as_object()) {
    if (name != "command" && name != "left_out" && name != "title") options.set(name, value);
  }
  return Value::object({{"command", printable(text_member(report.options, "command"), longest_command)},
                        {"options", pairs_value(facts(options))}});
}

Value left_out_value(const Result& report) {
  Value list = Value::array();
  const Value* left_out = report.options.find("left_out");
  if (left_out == nullptr || !left_out->is_array()) return list;
  for (const auto& item : left_out->as_array()) {
    if (item.is_string()) list.push_back(printable(item.as_string(), 400));
  }
  return list;
}

Value findings_value(const std::vector<Finding>& told, const std::set<const Finding*>& taken, const Draft& draft,
                     const std::vector<Chapter>& chapters) {
  Value list = Value::array();
  for (const auto& finding : told) {
    if (taken.contains(&finding)) continue;
    const bool there = std::any_of(chapters.begin(), chapters.end(),
                                   [&](const Chapter& chapter) { return chapter.id == finding.chapter; });
    list.push_back(Value::object({{"text", finding.text},
                                  {"section", place_value(draft.find(finding.features))},
                                  {"chapter", there ? finding.chapter : ""}}));
  }
  return list;
}

Value glossary_value(const std::vector<Result>& results) {
  Value list = Value::array();
  for (const auto& [term, meaning] : glossary(results))
    list.push_back(Value::object({{"term", term}, {"meaning", meaning}}));
  return list;
}

std::string default_title(const std::vector<Result>& results, const Result* report, bool different_models) {
  if (results.empty()) return "Sightglass";
  if (report != nullptr) {
    if (const std::string title = printable(text_member(report->options, "title"), 200); !title.empty()) return title;
  }
  const Result& first = results[0];
  // Without a model it is the data that speak.
  if (std::all_of(results.begin(), results.end(), [](const Result& each) { return each.model.as_object().empty(); })) {
    const std::string file = text_member(first.data, "file");
    return file.empty() ? method_title(first)
                        : "What " + printable(file.substr(file.find_last_of("/\\") + 1), 80) + " says";
  }
  const Value* names = first.options.find("names");
  const bool two = names != nullptr && names->is_array() && names->as_array().size() == 2;
  const auto name = [&](std::size_t model) {
    const Value& given = names->as_array()[model];
    return given.is_string() ? printable(given.as_string(), 60) : "another model";
  };
  const std::string who = two                ? name(0) + " and " + name(1) + " say"
                          : different_models ? "the models say"
                                             : "the model says";
  const std::string target = text_member(first.data, "target");
  if (!target.empty()) return "What " + who + " about " + printable(target, 80);
  if (different_models) return "What " + who;
  // A report knows no model file; what it ran does.
  for (const auto& result : results) {
    const std::string file = text_member(result.model, "file");
    // A command ("exec:python3") or a function is no name to call a model by.
    if (file.find(':') != std::string::npos) return "What the model says";
    if (!file.empty()) return "What " + printable(file.substr(file.find_last_of("/\\") + 1), 80) + " says";
  }
  return report != nullptr ? "What the model says" : method_title(first);
}

}  // namespace

}  // namespace html

Value page_payload(const std::vector<Result>& results, std::string_view title) {
  using namespace html;
  Draft draft(results);
  const auto chapters = chapters_of(draft);
  const Result* report = report_of(results);
  Value runs = Value::array(), figures = Value::array(), sections = Value::array(), chapter_list = Value::array();
  for (const auto& result : results) {
    if (&result != report || results.size() == 1) runs.push_back(run_value(result, report));
    for (const auto& item : result.results) {
      const auto* figure = item.as<Figure>();
      // Of single features there are several for each and every output; beside other results their charts tell enough.
      if (figure == nullptr || (results.size() > 1 && !figure->feature.empty())) continue;
      const bool drawn = std::any_of(draft.pictures().begin(), draft.pictures().end(), [&](const Picture& picture) {
        return picture.result == &result && picture.group.as<Figures>() != nullptr;
      });
      if (drawn) continue;
      figures.push_back(figure_value(result, *figure));
    }
  }
  for (const auto& section : draft.sections()) sections.push_back(section_value(section));
  for (const auto& chapter : chapters) chapter_list.push_back(chapter_value(chapter));
  const auto told = findings(results);
  const auto glances = glances_of(draft);
  std::set<const Finding*> taken;
  // A page of one chapter begins with it.
  const Value first = chapters.size() > 1 ? first_screen(draft, glances, told, taken) : Value();
  const auto caveats = caveats_once(results);
  Value caveat_list = Value::array();
  for (const ListedCaveat& caveat : caveats) caveat_list.push_back(caveat_value(caveat, draft));
  return Value::object(
      {{"title", title.empty() ? default_title(results, report, draft.different_models()) : printable(title, 200)},
       {"runs", runs},
       {"first", first},
       {"findings", findings_value(told, taken, draft, chapters)},
       {"figures", figures},
       {"glance", glances_value(glances)},
       {"caveats", caveat_list},
       {"cautions", caution_kinds(caveats, draft)},
       {"asides", asides_value(caveats, draft)},
       {"chapters", chapter_list},
       {"sections", sections},
       {"glossary", glossary_value(results)},
       {"repeat", report != nullptr ? repeat_value(*report) : Value()},
       {"left_out", report != nullptr ? left_out_value(*report) : Value::array()}});
}

}  // namespace sightglass
