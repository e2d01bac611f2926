// Rankings as bars, side by side as a table of ranks; and single numbers.
#include <algorithm>
#include <set>

#include "sightglass/base/error.h"
#include "sightglass/render/ranking.h"
#include "sightglass/render/readable.h"
#include "sightglass/render/text/page_internal.h"

namespace sightglass::text {

namespace {

void more(Page& page, std::size_t left_out) {
  if (left_out > 0) page.line(page.dim("  " + std::to_string(left_out) + " more; csv and json have all"));
}

std::string qualified(Page& page, const ItemGroup& group, std::string title) {
  const std::string qualifier = group_qualifier(page.result(), group);
  return qualifier.empty() ? title : title + page.dot() + qualifier;
}

// Features as rows, for each ranking its rank and a bar: where they disagree, the bars do.
void side_by_side(Page& page, const Ranking& ranking) {
  const std::size_t shown = std::min(ranking.rows.size(), rows_per_ranking);
  TableColumn names{"", {}, true};
  int name_width = 0;
  for (std::size_t r = 0; r < shown; ++r) {
    names.cells.push_back(page.fitted(ranking.rows[r].label, 20));
    name_width = std::max(name_width, text_width(names.cells.back()));
  }
  std::vector<TableColumn> columns{names};
  const int room = (page.width() - name_width - 2) / static_cast<int>(ranking.columns.size()) - 3;
  // Long names of measures get a letter in the table's head and a line of their own.
  const bool lettered = std::any_of(ranking.columns.begin(), ranking.columns.end(),
                                    [room](const std::string& name) { return text_width(name) > room; });
  const int numbers = room >= 24 ? 9 : 0, length = room - numbers - 4;
  for (std::size_t c = 0; c < ranking.columns.size(); ++c) {
    const std::string letter(1, static_cast<char>('A' + c));
    if (lettered) page.line(page.dim("  " + letter + "  " + page.fitted(ranking.columns[c], page.width() - 6)));
    Range range;
    std::vector<double> values;
    for (std::size_t r = 0; r < shown; ++r) {
      const Importance* entry = ranking.rows[r].cells[c].entry;
      values.push_back(entry != nullptr ? entry->importance : std::nan(""));
    }
    range.add(values);
    const ColumnFormat format(values);
    TableColumn column{lettered ? letter : ranking.columns[c], {}, true};
    for (std::size_t r = 0; r < shown; ++r) {
      const auto& cell = ranking.rows[r].cells[c];
      if (cell.entry == nullptr) {
        column.cells.emplace_back();
        continue;
      }
      const double share = range.high > 0 ? std::clamp(values[r] / range.high, 0.0, 1.0) : 0;
      std::string text =
          pad_left(std::to_string(cell.rank), 2) + " " + pad_right(bar(share * length, page.unicode()), length);
      if (numbers > 0) text += " " + page.fitted(page.ascii(format(values[r])), numbers);
      column.cells.push_back(std::move(text));
    }
    columns.push_back(std::move(column));
  }
  page.table(columns);
  more(page, ranking.rows.size() - shown);
}

}  // namespace

void importance_section(Page& page, const ItemGroup& group) {
  const Ranking ranking = ranking_of(group);
  const std::string measure = printable(group.importance[0]->measure, 60);
  const bool several = ranking.columns.size() > 1;
  const bool by_measure = several && ranking.by == RankingBy::measure;
  page.title(qualified(page, group, by_measure || measure.empty() ? "Importance" : measure), "");
  if (several) {
    side_by_side(page, ranking);
  } else {
    const std::size_t shown = std::min(ranking.rows.size(), rows_per_ranking);
    std::vector<double> values;
    for (std::size_t r = 0; r < shown; ++r) {
      const Importance& entry = *ranking.rows[r].cells[0].entry;
      values.push_back(entry.importance);
      if (const auto interval = interval_of(entry)) values.insert(values.end(), {interval->low, interval->high});
    }
    const ColumnFormat format(values);
    std::vector<Bar> list;
    for (std::size_t r = 0; r < shown; ++r) {
      const Importance& entry = *ranking.rows[r].cells[0].entry;
      Bar bar{page.fitted(ranking.rows[r].label, 28), entry.importance, {page.ascii(format(entry.importance))}, false};
      const auto interval = interval_of(entry);
      bar.cells.push_back(interval ? page.ascii(format(interval->low)) + " to " + page.ascii(format(interval->high))
                                   : "");
      list.push_back(std::move(bar));
    }
    page.bars(list, {"importance", ""});
    more(page, ranking.rows.size() - shown);
  }
  std::string meaning = interval_meaning(group);
  if (!page.unicode()) {
    for (auto at = meaning.find("±"); at != std::string::npos; at = meaning.find("±")) meaning.replace(at, 2, "+-");
  }
  if (!meaning.empty()) page.wrapped("Intervals: " + meaning, 2);
}

void interaction_section(Page& page, const ItemGroup& group) {
  const auto ranked = ranked_interactions(group);
  page.title(qualified(page, group, "Interactions"), "");
  const std::size_t shown = std::min(ranked.size(), rows_per_ranking);
  std::vector<double> strength;
  for (std::size_t i = 0; i < shown; ++i) strength.push_back(ranked[i].entry->strength);
  const ColumnFormat format(strength);
  std::vector<Bar> list;
  bool any_faded = false;
  for (std::size_t i = 0; i < shown; ++i) {
    std::string name;
    for (const auto& feature : ranked[i].entry->features) {
      name += (name.empty() ? "" : page.times()) + printable(feature, 40);
    }
    any_faded = any_faded || ranked[i].faded;
    list.push_back({page.fitted(name, 34),
                    strength[i],
                    {page.ascii(format(strength[i])),
                     page.ascii(readable_share(ranked[i].entry->h2)) + (ranked[i].faded ? "*" : " ")},
                    ranked[i].faded});
  }
  page.bars(list, {"strength", page.unicode() ? "H² " : "H^2 "});
  more(page, ranked.size() - shown);
  if (any_faded) page.line(page.dim("  * too little joint effect for this share to mean much"));
}

void figure_section(Page& page, const ItemGroup& group) {
  page.title("Key figures", "");
  int width = 0;
  std::vector<std::string> values;
  for (const Figure* figure : group.figure) {
    std::string text = page.number(figure->value);
    if (figure->se) text += " " + std::string(page.plus_minus()) + " " + page.ascii(readable_error(1.96 * *figure->se));
    values.push_back(std::move(text));
    width = std::max(width, text_width(values.back()));
  }
  std::set<std::string> explained;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Figure& figure = *group.figure[i];
    std::string name = printable(figure.name);
    for (const auto* about : {&figure.output, &figure.group}) {
      const bool said = about == &figure.output && outputs_of(page.result()).size() < 2;
      if (!about->empty() && !said) name += page.dot() + printable(*about, 60);
    }
    page.line("  " + page.ink(pad_left(values[i], width)) + "  " + page.fitted(name, page.width() - width - 4));
    // The same number for many features is explained once.
    if (figure.meaning.empty() || !explained.insert(figure.meaning).second) continue;
    page.wrapped(printable(figure.meaning, 400), width + 4);
  }
}

}  // namespace sightglass::text
