#include "sightglass/render/scorecard_view.h"

#include <algorithm>
#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/insight/readable.h"
#include "sightglass/render/text/page_internal.h"
#include "sightglass/render/vega/labelled_bars_internal.h"
#include "sightglass/result/fidelity_measure.h"
#include "sightglass/result/quality.h"

namespace sightglass {

namespace {

constexpr std::size_t most_scorecard_lines = 40;
constexpr std::size_t note_letters = 44, head_letters = 16;

const Scorecard& card_of(const ItemGroup& group) { return *group.item<Scorecard>(); }

std::string cell_text(const Score& score) {
  switch (quality_format(score.quality)) {
    case QualityFormat::share: return readable_share(score.value);
    case QualityFormat::percent: return percent(score.value);
    case QualityFormat::note: return score.note.empty() ? readable(score.value) : printable(score.note, 200);
    case QualityFormat::count:
    case QualityFormat::number: break;
  }
  return readable(score.value);
}

std::string subject_title(const Score& score) {
  return printable(score.title.empty() ? score.subject : score.title, 60);
}

// A line per quality and a column per explanation; the other way round where there are more of these.
struct ScoreTable {
  std::vector<std::string> heads, labels;
  std::vector<std::vector<std::string>> cells;  // [line][column]; empty: not measured
  std::vector<bool> words;                      // columns that are no numbers
};

ScoreTable scorecard_table(const Scorecard& card) {
  std::vector<std::string> subjects, titles, qualities;
  const auto place = [](std::vector<std::string>& names, const std::string& name) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    names.push_back(name);
    return names.size() - 1;
  };
  for (const Score& score : card.scores) {
    if (place(subjects, score.subject) == titles.size()) titles.push_back(subject_title(score));
    (void)place(qualities, score.quality);
  }
  ScoreTable table;
  std::vector<std::string> named;
  for (const std::string& quality : qualities) named.push_back(quality_title(quality));
  const auto in_words = [](const std::string& quality) { return quality_format(quality) == QualityFormat::note; };
  const bool by_subject =
      subjects.size() > qualities.size() || std::any_of(qualities.begin(), qualities.end(), in_words);
  table.heads = by_subject ? named : titles;
  table.labels = by_subject ? titles : named;
  table.words.resize(table.heads.size());
  for (std::size_t i = 0; by_subject && i < qualities.size(); ++i) table.words[i] = in_words(qualities[i]);
  table.cells.resize(table.labels.size(), std::vector<std::string>(table.heads.size()));
  for (const Score& score : card.scores) {
    const std::size_t subject = place(subjects, score.subject), quality = place(qualities, score.quality);
    table.cells[by_subject ? subject : quality][by_subject ? quality : subject] = cell_text(score);
  }
  return table;
}

// The worst regions, which have no room in the table.
std::vector<std::string> note_lines(const Scorecard& card) {
  std::vector<std::string> lines;
  for (const Score& score : card.scores) {
    if (score.note.empty() || quality_format(score.quality) != QualityFormat::share) continue;
    lines.push_back(subject_title(score) + ", " + quality_title(score.quality) + " (" + readable_share(score.value) +
                    "): " + printable(score.note, 300));
  }
  return lines;
}

void scorecard_section(text::Page& page, const ItemGroup& group) {
  const Scorecard& card = card_of(group);
  const std::string qualifier = group_qualifier(page.result(), group);
  std::string measure = fidelity_title(card.measure);
  if (!page.unicode()) {
    if (const auto at = measure.find("²"); at != std::string::npos) measure.replace(at, 2, "^2");
  }
  page.title(group_title(group) + (qualifier.empty() ? "" : page.dot() + qualifier),
             measure.empty() ? "" : "fidelity: " + measure);
  const ScoreTable table = scorecard_table(card);
  const std::size_t lines = std::min(table.labels.size(), most_scorecard_lines);
  // Words need lines of their own.
  if (std::find(table.words.begin(), table.words.end(), true) != table.words.end()) {
    for (std::size_t i = 0; i < lines; ++i) {
      std::string text = "- " + table.labels[i] + ": ";
      for (std::size_t k = 0; k < table.heads.size(); ++k)
        text += (k > 0 ? "; " : "") + table.heads[k] + " " + table.cells[i][k];
      page.wrapped(page.ascii(text), 2);
    }
    return;
  }
  std::vector<text::TableColumn> columns;
  columns.push_back({.title = "", .cells = {}, .left = true});
  for (std::size_t i = 0; i < lines; ++i) columns[0].cells.push_back(page.fitted(table.labels[i], 34));
  for (std::size_t k = 0; k < table.heads.size(); ++k) {
    text::TableColumn column{.title = page.fitted(table.heads[k], 20), .cells = {}, .left = table.words[k]};
    for (std::size_t i = 0; i < lines; ++i)
      column.cells.push_back(page.ascii(page.fitted(table.cells[i][k], static_cast<int>(note_letters))));
    columns.push_back(std::move(column));
  }
  page.table(columns);
  page.shown_of(lines, table.labels.size());
  for (const std::string& line : note_lines(card)) page.wrapped(line + ".", 2);
}

// Text at a place: lines from the top, letters from the left.
struct Placed {
  double x = 0, line = 0;
  std::string text;
  const char* align = "left";
  bool strong = false;
};

Value written(const std::vector<Placed>& texts, double letters, double lines) {
  constexpr double line_height = 17;
  Value layers = Value::array();
  for (const bool strong : {true, false}) {
    for (const char* align : {"left", "right"}) {
      Value::Array rows;
      for (const Placed& each : texts) {
        if (each.strong != strong || std::string_view(each.align) != align) continue;
        rows.push_back(
            Value::object({{"x", vega::plotted(each.x)}, {"y", vega::plotted(each.line)}, {"t", each.text}}));
      }
      if (rows.empty()) continue;
      const auto axis = [](const char* name, double end, bool reversed) {
        Value of = vega::field(name, "quantitative");
        of.set("axis", Value());
        of.set("scale", Value::object({{"domain", Value::array().push_back(0).push_back(vega::plotted(end))},
                                       {"nice", false},
                                       {"zero", false},
                                       {"reverse", reversed}}));
        return of;
      };
      Value mark = Value::object(
          {{"type", "text"}, {"style", "on-middle"}, {"align", align}, {"baseline", "middle"}, {"fontSize", 12.5}});
      mark.set("tooltip", Value());
      if (strong) mark.set("fontWeight", 600);
      layers.push_back(Value::object({{"data", vega::inline_data(std::move(rows))},
                                      {"mark", mark},
                                      {"encoding", Value::object({{"x", axis("x", letters, false)},
                                                                  {"y", axis("y", lines, true)},
                                                                  {"text", vega::field("t", "nominal")}})}}));
    }
  }
  return Value::object({{"width", vega::chart_width},
                        {"height", std::ceil(line_height * lines)},
                        {"view", Value::object({{"stroke", Value()}})},
                        {"layer", layers}});
}

Value wide_chart(const Scorecard& card) {
  const ScoreTable table = scorecard_table(card);
  if (table.labels.empty()) return vega::message_chart("nothing was measured");
  const std::size_t lines = std::min(table.labels.size(), most_scorecard_lines);
  std::size_t label = 0;
  for (std::size_t i = 0; i < lines; ++i)
    label = std::max(label, static_cast<std::size_t>(text_width(table.labels[i])));
  std::vector<Placed> texts;
  double x = static_cast<double>(label) + 2;
  std::size_t head_lines = 1;
  std::vector<std::vector<std::string>> heads;
  for (const std::string& head : table.heads) {
    heads.push_back(wrap(head, static_cast<int>(head_letters)));
    head_lines = std::max(head_lines, heads.back().size());
  }
  const double top = static_cast<double>(head_lines) + 0.8;
  double bottom = top + static_cast<double>(lines);
  for (std::size_t k = 0; k < heads.size(); ++k) {
    std::size_t width = 6;
    for (const std::string& part : heads[k]) width = std::max(width, static_cast<std::size_t>(text_width(part)));
    std::vector<double> at;
    const char* align = table.words[k] ? "left" : "right";
    std::vector<std::vector<std::string>> parts;
    for (std::size_t i = 0; i < lines; ++i) {
      parts.push_back({fit(table.cells[i][k], static_cast<int>(note_letters), true)});
      width = std::max(width, static_cast<std::size_t>(text_width(parts.back()[0])));
    }
    const double place = table.words[k] ? x + 2 : x + static_cast<double>(width);
    for (std::size_t i = 0; i < heads[k].size(); ++i) {
      const double line = static_cast<double>(head_lines - heads[k].size() + i) + 0.5;
      texts.push_back({.x = place, .line = line, .text = heads[k][i], .align = align, .strong = true});
    }
    for (std::size_t i = 0; i < lines; ++i) {
      texts.push_back({.x = place, .line = top + static_cast<double>(i), .text = parts[i][0], .align = align});
    }
    x += static_cast<double>(width) + 2;
  }
  for (std::size_t i = 0; i < lines; ++i)
    texts.push_back({.x = 0, .line = top + static_cast<double>(i), .text = table.labels[i]});
  const double letters = std::max<double>(x, static_cast<double>(vega::letters_per_line));
  for (const std::string& note : note_lines(card)) {
    for (const std::string& part : wrap(note, static_cast<int>(letters))) {
      bottom += 1;
      texts.push_back({.x = 0, .line = bottom, .text = part});
    }
  }
  return written(texts, letters, bottom + 0.6);
}

// A value and whose it is stay on one line; words need not.
std::string unbroken(const std::string& text, bool words) {
  if (words) return text;
  std::string out;
  for (const char c : text) out += c == ' ' ? std::string("\u00a0") : std::string(1, c);
  return out;
}

// Each line of the table as a few lines of text.
Value scorecard_narrow_chart(const Scorecard& card) {
  const ScoreTable table = scorecard_table(card);
  if (table.labels.empty()) return vega::message_chart("nothing was measured");
  const int letters = static_cast<int>(vega::letters_per_narrow_line);
  std::vector<Placed> texts;
  double line = 0.5;
  const auto write = [&](const std::string& text, bool strong) {
    for (const std::string& part : wrap(text, letters)) {
      texts.push_back({.x = 0, .line = line, .text = part, .strong = strong});
      line += 1;
    }
  };
  for (std::size_t i = 0; i < std::min(table.labels.size(), most_scorecard_lines); ++i) {
    write(capitalised(table.labels[i]), true);
    std::string values;
    for (std::size_t k = 0; k < table.heads.size(); ++k) {
      if (!table.cells[i][k].empty())
        values += (values.empty() ? "" : " · ") + unbroken(table.cells[i][k] + " " + table.heads[k], table.words[k]);
    }
    write(values, false);
    line += 0.4;
  }
  for (const std::string& note : note_lines(card)) write(note, false);
  return written(texts, letters, line);
}

std::string scorecard_description(const Result&, const ItemGroup& group) {
  const Scorecard& card = card_of(group);
  const ScoreTable table = scorecard_table(card);
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(table.labels.size(), 3); ++i) {
    text += (i > 0 ? " " : "") + capitalised(table.labels[i]) + ":";
    for (std::size_t k = 0; k < table.heads.size(); ++k) {
      if (!table.cells[i][k].empty()) text += (k > 0 ? ", " : " ") + table.heads[k] + " " + table.cells[i][k];
    }
    text += ".";
  }
  return text;
}

std::string scorecard_reading(const Result&, const ItemGroup& group) {
  std::string text = fidelity_meaning(card_of(group).measure);
  std::vector<std::string> told;
  for (const Score& score : card_of(group).scores) {
    const std::string meaning = quality_meaning(score.quality);
    if (meaning.empty() || std::find(told.begin(), told.end(), score.quality) != told.end()) continue;
    told.push_back(score.quality);
    text += " " + capitalised(quality_title(score.quality)) + ": " + meaning + ".";
  }
  return text;
}

}  // namespace

ShapeView ViewOf<Scorecard>::view() {
  return {.text = scorecard_section,
          .chart = [](const Result&, const ItemGroup& group, int) { return wide_chart(card_of(group)); },
          .chapter = model_chapter(15),
          .words = {.describe = scorecard_description, .how_to_read = scorecard_reading},
          .narrow_chart = [](const Result&, const ItemGroup& group) { return scorecard_narrow_chart(card_of(group)); },
          .wide = true};
}

}  // namespace sightglass
