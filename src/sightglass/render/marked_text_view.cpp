#include "sightglass/render/marked_text_view.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "sightglass/base/error.h"
#include "sightglass/base/utf8.h"
#include "sightglass/insight/readable.h"
#include "sightglass/render/text/page_internal.h"
#include "sightglass/render/vega/labelled_bars_internal.h"

namespace sightglass {

namespace {

constexpr std::size_t words_in_picture = 30;
constexpr std::size_t bytes_in_text = 4000, bytes_on_page = 40000;  // of a text; csv and json have all
constexpr double least_share = 0.02;                                // of the largest value
constexpr int strengths = 4;                                        // shades of a mark

const MarkedText& marked_text_of(const ItemGroup& group) { return *group.item<MarkedText>(); }

std::string marked_text_signed_number(double value) { return (value > 0 ? "+" : "") + readable(value); }

// A stretch of the text, with a mark or without.
struct Run {
  std::string text;
  double value = 0;
  int strength = 0;  // below 0: lowers the prediction; 0: no mark
};

double largest_value(const MarkedText& marked) {
  double largest = 0;
  for (const MarkedPiece& piece : marked.pieces) largest = std::max(largest, std::abs(piece.value));
  return largest;
}

// Below these an estimate cannot be told from 0.
constexpr double clear_marked_text_errors = 2;

bool is_unclear(const MarkedPiece& piece) {
  return piece.se && std::abs(piece.value) < clear_marked_text_errors * *piece.se;
}

int strength_of(const MarkedPiece& piece, double largest) {
  const double value = piece.value;
  if (is_unclear(piece)) return 0;
  // What is hardly there is no colour either.
  if (!(largest > 0) || !std::isfinite(value) || std::abs(value) < least_share * largest) return 0;
  const int size = std::clamp(static_cast<int>(std::ceil(strengths * std::abs(value) / largest)), 1, strengths);
  return value > 0 ? size : -size;
}

// The text up to about so many bytes; whether that is all of it.
std::pair<std::vector<Run>, bool> runs_of(const MarkedText& marked, std::size_t limit) {
  std::vector<Run> runs;
  const auto places = piece_bytes(marked);
  const double largest = largest_value(marked);
  const std::string_view text = marked.text;
  std::size_t end = std::min(limit, text.size());
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) ++end;
  std::size_t at = 0;
  const auto plain = [&](std::size_t until) {
    if (until > at) runs.push_back({.text = std::string(text.substr(at, until - at))});
    at = until;
  };
  for (std::size_t i = 0; i < places.size() && places[i].second <= end; ++i) {
    plain(places[i].first);
    const double value = marked.pieces[i].value;
    runs.push_back({.text = std::string(text.substr(at, places[i].second - at)),
                    .value = value,
                    .strength = strength_of(marked.pieces[i], largest)});
    at = places[i].second;
  }
  plain(std::max(at, end));
  return {std::move(runs), end == text.size()};
}

// Each word once, largest value first.
struct Entry {
  std::string word;
  const MarkedPiece* piece = nullptr;
  std::size_t places = 0;
};

std::vector<Entry> entries_of(const MarkedText& marked) {
  std::vector<Entry> entries;
  std::map<std::uint64_t, std::size_t> known;
  const auto places = piece_bytes(marked);
  for (std::size_t i = 0; i < marked.pieces.size(); ++i) {
    const auto [at, fresh] = known.try_emplace(marked.pieces[i].together, entries.size());
    if (fresh) {
      const auto [begin, end] = places[i];
      entries.push_back({.word = printable(std::string_view(marked.text).substr(begin, end - begin), 60),
                         .piece = &marked.pieces[i]});
    }
    ++entries[at->second].places;
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return std::abs(a.piece->value) > std::abs(b.piece->value); });
  return entries;
}

std::string entry_label(const Entry& entry) {
  return entry.places > 1 ? entry.word + " (" + std::to_string(entry.places) + " places)" : entry.word;
}

std::optional<double> detail(const MarkedText& marked, const char* name) {
  const Value* value = marked.details.find(name);
  return value != nullptr && value->is_number() ? std::optional(value->as_number()) : std::nullopt;
}

// Lines of marked words: a mark is never broken, spaces may become line breaks.
void write_runs(text::Page& page, const std::vector<Run>& runs) {
  const int width = page.width() - 4;
  std::string line;
  int used = 0;
  const auto end_line = [&] {
    page.line("  " + line);
    line.clear();
    used = 0;
  };
  const auto put = [&](const std::string& shown, int room) {
    if (used > 0 && used + room > width) end_line();
    line += shown;
    used += room;
  };
  for (const Run& run : runs) {
    if (run.strength != 0) {
      const std::string word = page.fitted(printable(run.text, 200), width - 4);
      if (page.color()) {
        static constexpr const char* raises[] = {"38;5;208", "1;38;5;208", "30;48;5;215", "1;30;48;5;208"};
        static constexpr const char* lowers[] = {"38;5;39", "1;38;5;39", "30;48;5;117", "1;30;48;5;39"};
        const auto shade = static_cast<std::size_t>(std::abs(run.strength) - 1);
        put(page.styled(word, (run.strength > 0 ? raises : lowers)[shade]), text_width(word));
      } else {
        const std::string marked = std::string("[") + (run.strength > 0 ? "+" : "-") + word + "]";
        put(marked, text_width(marked));
      }
      continue;
    }
    for (std::size_t at = 0; at < run.text.size();) {
      const std::size_t space = run.text.find_first_of(" \t\r\n", at);
      const std::size_t end = std::min(space, run.text.size());
      if (end > at) {
        const std::string word = page.fitted(printable(std::string_view(run.text).substr(at, end - at), 400), width);
        put(word, text_width(word));
      }
      at = end;
      bool breaks = false, any = false;
      for (; at < run.text.size() && std::string_view(" \t\r\n").find(run.text[at]) != std::string_view::npos; ++at) {
        breaks = breaks || run.text[at] == '\n';
        any = true;
      }
      if (breaks) {
        end_line();
      } else if (any && used > 0 && used < width) {
        line += ' ';
        ++used;
      }
    }
  }
  if (used > 0) end_line();
}

// What the values of the words are: parts of a line, which begins somewhere, or how much a rule needs them.
const char* value_title(const MarkedText& marked) { return marked.base ? "adds" : "more often"; }

// Of a rule it says that leaving words out changes nothing.
const char* without_words(const MarkedText& marked) { return marked.base ? "no word counts" : "no word is needed"; }

void marked_text_section(text::Page& page, const ItemGroup& group) {
  const MarkedText& marked = marked_text_of(group);
  const std::string qualifier = group_qualifier(page.result(), group);
  page.title(group_title(group) + (qualifier.empty() ? "" : page.dot() + qualifier),
             "predicted " + page.number(marked.prediction));
  const auto [runs, all] = runs_of(marked, bytes_in_text);
  write_runs(page, runs);
  if (!all) page.line(page.dim("  the text goes on; csv and json have all of it"));
  page.line();
  const auto entries = entries_of(marked);
  if (entries.empty()) {
    page.line(std::string("  ") + without_words(marked));
    return;
  }
  std::vector<text::Bar> bars;
  const bool errors = entries[0].piece->se.has_value();
  for (std::size_t i = 0; i < std::min(entries.size(), words_in_picture); ++i) {
    const Entry& entry = entries[i];
    text::Bar bar{.name = entry_label(entry), .value = entry.piece->value};
    bar.cells.push_back(page.ascii(marked_text_signed_number(entry.piece->value)));
    if (errors) bar.cells.push_back(entry.piece->se ? page.plus_minus() + page.number(*entry.piece->se) : "");
    bar.faded = is_unclear(*entry.piece);
    bars.push_back(std::move(bar));
  }
  page.bars(bars, errors ? std::vector<std::string>{value_title(marked), "se"}
                         : std::vector<std::string>{value_title(marked)});
  if (entries.size() > bars.size())
    page.line(page.dim("  " + std::to_string(entries.size() - bars.size()) + " more; csv and json have all"));
  std::string words;
  if (marked.base) words = "Without these words the line says " + page.number(*marked.base) + "; ";
  if (const auto r2 = detail(marked, "r2"))
    words +=
        std::string("it follows the model with ") + (page.unicode() ? "R²" : "R^2") + " " + readable_share(*r2) + ".";
  if (!words.empty()) page.wrapped(page.ascii(words), 2);
}

Value marked_text_chart(const Result& result, const ItemGroup& group, std::size_t letters) {
  const MarkedText& marked = marked_text_of(group);
  const auto entries = entries_of(marked);
  if (entries.empty()) return vega::message_chart(without_words(marked));
  vega::LabelledBars bars;
  bars.groups = {"raises", "lowers"};
  bars.colors = {vega::raises_color, vega::lowers_color};
  bars.title = marked.base ? "added to the " + prediction_title(result, Quantity::single, marked.output)
                           : "by how much the outcome stays more often with the word";
  const std::size_t shown = std::min(entries.size(), words_in_picture);
  bars.left_out = entries.size() - shown;
  for (std::size_t i = 0; i < shown; ++i) {
    const MarkedPiece& piece = *entries[i].piece;
    vega::LabelledBar bar{.label = entry_label(entries[i]) + ": " + marked_text_signed_number(piece.value),
                          .value = piece.value};
    bar.group = piece.value < 0 ? "lowers" : "raises";
    if (piece.se) {
      bar.low = piece.value - 1.96 * *piece.se;
      bar.high = piece.value + 1.96 * *piece.se;
    }
    bar.told.set("word", entries[i].word).set("adds", marked_text_signed_number(piece.value));
    bar.told.set("places", std::to_string(entries[i].places));
    bars.bars.push_back(std::move(bar));
  }
  bars.tooltip = {{"word", "word", false}, {"adds", value_title(marked), false}, {"places", "places", false}};
  return labelled_bars(bars, letters);
}

// The text as marks, for pictures that travel without a page: letters of one width, so that their places are known.
Value drawn_text(const MarkedText& marked) {
  constexpr double letter = 7.3, line_height = 19;
  const int columns = static_cast<int>(vega::chart_width / letter);
  const auto [runs, all] = runs_of(marked, bytes_in_text);
  Value::Array words;
  int column = 0, line = 0;
  const auto put = [&](const std::string& word, const Run& run) {
    const int room = text_width(word);
    if (column > 0 && column + room > columns) {
      column = 0;
      ++line;
    }
    Value one = Value::object({{"t", word}, {"x", letter * column}, {"y", line_height * line}});
    one.set("e", letter * (column + room)).set("b", line_height * line + 17);
    char color[40] = "";
    if (run.strength != 0)
      std::snprintf(color, sizeof color, "rgba(%s,%.2f)", run.strength > 0 ? "213,94,0" : "0,114,178",
                    0.15 * std::abs(run.strength));
    one.set("c", std::string(color)).set("a", run.strength == 0 ? "" : marked_text_signed_number(run.value));
    words.push_back(std::move(one));
    column += room;
  };
  for (const Run& run : runs) {
    for (std::size_t at = 0; at < run.text.size();) {
      const std::size_t end = std::min(run.text.find_first_of(" \t\r\n", at), run.text.size());
      if (end > at) put(fit(printable(std::string_view(run.text).substr(at, end - at), 400), columns, true), run);
      at = end;
      if (at == run.text.size()) break;
      if (run.text[at] == '\n') {
        column = 0;
        ++line;
      } else if (column > 0) {
        ++column;
      }
      ++at;
    }
  }
  if (!all) put("…", {});
  const double height = line_height * (line + 1);
  const auto along = [](const char* name, double end, bool down) {
    Value encoding = vega::field(name, "quantitative");
    return encoding
        .set("scale", Value::object({{"domain", Value::array().push_back(0).push_back(end)},
                                     {"nice", false},
                                     {"zero", false},
                                     {"reverse", down}}))
        .set("axis", Value());
  };
  const Value tip = vega::tooltip({{"t", "word", false}, {"a", value_title(marked), false}});
  Value marks = Value::object({{"mark", Value::object({{"type", "rect"}, {"cornerRadius", 2}, {"opacity", 1}})},
                               {"transform", Value::array().push_back(Value::object({{"filter", "datum.c != ''"}}))}});
  marks.set("encoding",
            Value::object({{"x", along("x", vega::chart_width, false)},
                           {"x2", Value::object({{"field", "e"}})},
                           {"y", along("y", height, true)},
                           {"y2", Value::object({{"field", "b"}})},
                           {"color", Value::object({{"field", "c"}, {"type", "nominal"}, {"scale", Value()}})},
                           {"tooltip", tip}}));
  Value letters = Value::object({{"mark", Value::object({{"type", "text"},
                                                         {"style", "on-middle"},
                                                         {"font", "monospace"},
                                                         {"fontSize", 12},
                                                         {"align", "left"},
                                                         {"baseline", "top"},
                                                         {"dy", 2}})}});
  letters.set("encoding", Value::object({{"x", along("x", vega::chart_width, false)},
                                         {"y", along("y", height, true)},
                                         {"text", vega::field("t", "nominal")},
                                         {"tooltip", tip}}));
  return Value::object({{"width", vega::chart_width},
                        {"height", height},
                        {"view", Value::object({{"stroke", Value()}})},
                        {"data", vega::inline_data(std::move(words))},
                        {"layer", Value::array().push_back(marks).push_back(letters)}});
}

Value marked_text_chart_alone(const Result& result, const ItemGroup& group, int) {
  const Value independent = Value::object({{"color", "independent"}, {"x", "independent"}, {"y", "independent"}});
  return Value::object({{"vconcat", Value::array()
                                        .push_back(drawn_text(marked_text_of(group)))
                                        .push_back(marked_text_chart(result, group, vega::letters_per_line))},
                        {"spacing", 20},
                        {"resolve", Value::object({{"scale", independent}})}});
}

// The text itself, for a page.
Value above_marked_text(const ItemGroup& group) {
  const auto [runs, all] = runs_of(marked_text_of(group), bytes_on_page);
  Value list = Value::array();
  for (const Run& run : runs) {
    Value one = Value::object({{"text", run.text}, {"strength", run.strength}});
    if (run.strength != 0) one.set("hint", marked_text_signed_number(run.value));
    list.push_back(one);
  }
  return Value::object({{"runs", list}, {"all", all}});
}

std::string marked_text_description(const Result&, const ItemGroup& group) {
  const MarkedText& marked = marked_text_of(group);
  std::string text = "The prediction is " + readable(marked.prediction);
  if (marked.base) text += ", the line starts at " + readable(*marked.base);
  const auto entries = entries_of(marked);
  for (std::size_t i = 0; i < std::min<std::size_t>(entries.size(), 5); ++i)
    text += (i == 0 ? ". Words that count most: " : ", ") + entries[i].word + " " +
            marked_text_signed_number(entries[i].piece->value);
  return text + ".";
}

std::string marked_text_reading(const Result&, const ItemGroup& group) {
  if (!marked_text_of(group).base)
    return "Marked words are those of the rule: each by how much more often the outcome stays where it is there than "
           "where "
           "it is left out, all other words left out at random.";
  return "Orange words raise the prediction, blue ones lower it, stronger colours more: each by what a weighted line "
         "through the model's answers to the text without some of its words gives them; words that cannot be told from "
         "0 "
         "have no colour. Thin lines are 95 % intervals; "
         "a word that stands in several places is left out in all of them at once.";
}

std::vector<std::string> marked_text_chips(const ItemGroup& group) {
  const MarkedText& marked = marked_text_of(group);
  std::vector<std::string> list{"predicted " + readable(marked.prediction)};
  if (const auto r2 = detail(marked, "r2")) list.push_back("local R² " + readable_share(*r2));
  const Value* exact = marked.details.find("exact");
  const bool all = exact != nullptr && exact->is_bool() && exact->as_bool();
  if (all) {
    list.emplace_back("all samples taken");
  } else if (const auto stability = detail(marked, "stability")) {
    list.push_back("stability " + readable_share(*stability));
  }
  return list;
}

}  // namespace

ShapeView ViewOf<MarkedText>::view() {
  return {
      .text = marked_text_section,
      .chart = [](const Result& result, const ItemGroup& group,
                  int) { return marked_text_chart(result, group, vega::letters_per_line); },
      .chapter = PageChapter{"texts", "Single texts", "Which words speak for a prediction.", 20},
      .words = {.describe = marked_text_description, .how_to_read = marked_text_reading, .badges = marked_text_chips},
      .narrow_chart =
          [](const Result& result, const ItemGroup& group) {
            return marked_text_chart(result, group, vega::letters_per_narrow_line);
          },
      .above = above_marked_text,
      .chart_alone = marked_text_chart_alone};
}

}  // namespace sightglass
