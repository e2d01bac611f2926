// A page while it is being made: the pictures that results bring, and the sections into which chapters put them. Each
// chapter takes the pictures it shows; earlier chapters lead to later ones (a ranking to its features), so the last is
// made first.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sightglass/insight/findings.h"
#include "sightglass/insight/groups.h"
#include "sightglass/insight/rank_table.h"
#include "sightglass/insight/shown_levels.h"
#include "sightglass/render/data_table.h"
#include "sightglass/render/description.h"
#include "sightglass/result/result.h"

namespace sightglass::html {

// Items of one result that share a chart.
struct Picture {
  const Result* result = nullptr;
  ItemGroup group;
  std::string subject;  // which model and which rows it is about, where results differ in that
  bool taken = false;   // by a chapter
};

// What is said about one output of a chart.
struct OutputWords {
  std::string output;  // as the chart's choice calls it; empty where there is none
  std::vector<std::string> chips;
  std::string description;
  // More chips and sentences, while these signals are on.
  std::vector<std::pair<const char*, LineWords>> lines = {};
};

// What a page says about one chart, besides its specification.
struct ChartParts {
  std::string method, about;
  std::string output = {};         // which one it is about, where there are several
  const Result* result = nullptr;  // whose outputs these are
  std::vector<std::string> chips;
  std::string reading, description;
  bool wide = false, canvas = false;
  bool by_shown_class = false;  // its version of the class that is shown comes first, not the first that is added
  DataTable table;
  Value spec;
  Value above = {};  // what no chart can show; null: nothing
  Value toggles = Value::array(), choices = Value::array();
  std::vector<OutputWords> words = {};  // in place of chips and description, where these follow what is shown

  // The chart holds these outputs and shows one at a time: so do its chips and its description.
  void choose_output(const Result& of, std::vector<OutputWords> outputs);
};
[[nodiscard]] Value chart_value(const ChartParts& parts);
// The chart that a picture has by itself.
[[nodiscard]] ChartParts chart_parts(const Picture& picture);

// The output as charts that choose between outputs call it; empty where there is but one.
[[nodiscard]] std::string output_label(const Result& result, const std::string& output);
[[nodiscard]] Value toggle(const char* signal, const std::string& label, bool on, const std::string& hint);
// Which output (class) a chart shows.
[[nodiscard]] Value output_choice(const Result& result, const std::vector<std::string>& outputs);

[[nodiscard]] Value pairs_value(const std::vector<std::pair<std::string, std::string>>& list);

enum class SectionKind { feature, pair, row, overview };

// A chart, and the same one of other outputs: the page shows one of them.
struct Versions {
  const Result* result = nullptr;
  std::string method, about;
  std::vector<std::string> outputs;
  Value::Array charts;
};
[[nodiscard]] Value versions_value(const Versions& versions);

struct Section {
  std::string chapter;
  SectionKind kind = SectionKind::overview;
  std::vector<std::string> features;
  std::string title;
  std::vector<Versions> charts;
};

struct Chapter {
  std::string id, title, lead;
  std::string reading = {};           // how to read its charts, at hand
  bool is_extra = false;              // folded at first
  Value ranking, rows;                // null: there is none
  std::vector<std::size_t> sections;  // most important first
  std::size_t open = 0;               // so many of them are on the page

  [[nodiscard]] bool is_empty() const { return ranking.is_null() && rows.is_null() && sections.empty(); }
};

// How many of so many sections are on the page before anybody asks: each is a live chart.
[[nodiscard]] constexpr std::size_t open_of(std::size_t sections) { return sections <= 20 ? sections : 10; }

class Draft {
 public:
  explicit Draft(const std::vector<Result>& results);

  [[nodiscard]] const std::vector<Result>& results() const { return results_; }
  [[nodiscard]] std::vector<Picture>& pictures() { return pictures_; }
  // Results about different rows cannot be told as one.
  [[nodiscard]] bool different_rows() const { return different_rows_; }
  [[nodiscard]] bool different_models() const { return !models_.empty(); }
  // Which levels its pictures show.
  [[nodiscard]] const LevelPlanPtr& levels() const { return levels_; }
  // Which model and which rows a result is about, where results differ in that: "model.json · rows where hour > 6".
  [[nodiscard]] std::string subject(const Result& result) const;
  // What several results together say about features, most important first; without columns if there is one result.
  [[nodiscard]] const RankTable& ranking() const { return ranking_; }

  // The chapter's section about these features, or with this title where it is about none.
  std::size_t section(const Chapter& chapter, SectionKind kind, const std::vector<std::string>& features,
                      const std::string& title);
  // Of any chapter; the one about effects or pairs first.
  [[nodiscard]] std::optional<std::size_t> find(const std::vector<std::string>& features) const;
  // A chart that is there already is not shown twice.
  bool add_chart(std::size_t section, const ChartParts& parts);
  // The picture's chart; of many outputs one each, which the page shows one at a time.
  void add_picture(std::size_t section, const Picture& picture);
  // Takes the picture: into the section of its features, or of its title.
  std::size_t show(const Chapter& chapter, Picture& picture);
  [[nodiscard]] const std::vector<Section>& sections() const { return sections_; }

 private:
  const std::vector<Result>& results_;
  std::vector<Picture> pictures_;
  std::vector<Section> sections_;
  RankTable ranking_;
  LevelPlanPtr levels_;
  bool different_rows_ = false;
  std::map<std::string, std::string> models_;  // by file or kind; empty if there is but one
};

// Features by how much they move the prediction, small curves beside them.
struct Glance {
  std::size_t section = 0;
  std::string quantity;  // only effects on the same quantity can be compared
  std::string unit;      // of the range; may be empty
  std::string title, line, shape;
  std::string differs;              // how much rows differ, "34 %"
  std::string from, to;             // the ends of a numeric feature's axis
  std::vector<std::string> levels;  // of a categorical one, those that `spark` has
  std::size_t all_levels = 0;       // how many there are
  std::string by;                   // the method, where several tell of the feature
  std::string course;               // "rises", "goes up and down": a clause about a line
  std::string shown_range;          // a number: "41", "12 %" of probabilities
  std::string sized;                // the range with its unit, in a sentence: "12 percentage points"
  double range = 0, share = 0;      // share: of the largest range of the same quantity
  bool categorical = false;
  Value spark = Value::array(), others = Value::array();
};
// Widest first; features that have a section.
[[nodiscard]] std::vector<Glance> glances_of(Draft& draft);
[[nodiscard]] Value glances_value(const std::vector<Glance>& glances);
// What a report begins with; findings that it tells are taken.
[[nodiscard]] Value first_screen(const Draft& draft, const std::vector<Glance>& glances,
                                 const std::vector<Finding>& told, std::set<const Finding*>& taken);

// One chapter each; `chapter` comes with its id.
void importance_chapter(Draft& draft, Chapter& chapter);
void effects_chapter(Draft& draft, Chapter& chapter);
void interactions_chapter(Draft& draft, Chapter& chapter);
void examples_chapter(Draft& draft, Chapter& chapter);
void rows_chapter(Draft& draft, Chapter& chapter);
// Whatever no chapter took.
void other_chapter(Draft& draft, Chapter& chapter);
// All of them that have something to show, in the order in which they are read.
[[nodiscard]] std::vector<Chapter> chapters_of(Draft& draft);

}  // namespace sightglass::html
