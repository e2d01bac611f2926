// Rankings as bars, side by side as a table of ranks; and single numbers.
#include <algorithm>
#include <set>

#include "sightglass/base/error.h"
#include "sightglass/insight/ranking.h"
#include "sightglass/insight/readable.h"
#include "sightglass/render/text/page_internal.h"

namespace sightglass::text {

namespace {

void more(Page& page, std::size_t left_out) {
  if (left_out > 0) page.line(page.dim("  " + std::to_string(left_out) + " more; csv and json have all"));
}

bool any_ratio(const ImportanceEntries& group) {
  return std::any_of(group.importance.begin(), group.importance.end(),
                     [](const Importance* entry) { return baseline_of(entry->measure) != 0; });
}

std::string qualified(Page& page, const ItemGroup& group, std::string title) {
  const std::string qualifier = group_qualifier(page.result(), group);
  return qualifier.empty() ? title : title + page.dot() + qualifier;
}

constexpr int rank_width = 3;    // and a space
constexpr int number_width = 7;  // of an importance beside others
constexpr int least_bar = 4;     // shorter ones say nothing
constexpr int most_bar = 24;

// The entries of one column: rank, bar where there is room, number.
TableColumn ranked_column(Page& page, const Ranking& ranking, std::size_t c, std::size_t shown, int room) {
  std::vector<double> values;
  double base = 0;
  for (std::size_t r = 0; r < shown; ++r) {
    const Importance* entry = ranking.rows[r].cells[c].entry;
    values.push_back(entry != nullptr ? entry->importance : std::nan(""));
    if (entry != nullptr) base = baseline_of(entry->measure);
  }
  Range range;
  range.add(values);
  const bool shares = std::all_of(ranking.rows.begin(), ranking.rows.end(), [&](const Ranking::Row& row) {
    const Importance* entry = row.cells[c].entry;
    return entry == nullptr || is_share(entry->measure);
  });
  const ColumnFormat format(values, shares);
  int digits = 0;
  std::vector<std::string> numbers;
  for (const double value : values) {
    numbers.push_back(page.ascii(format(value)));
    // A whole column is only as fine as its place is wide.
    if (text_width(numbers.back()) > std::max(number_width, room - rank_width))
      numbers.back() = shares ? percent(value) : page.number(value);
    digits = std::max(digits, text_width(numbers.back()));
  }
  const int length = std::min(room - rank_width - digits - 1, most_bar);
  TableColumn column{{}, {}, true};
  for (std::size_t r = 0; r < shown; ++r) {
    const auto& cell = ranking.rows[r].cells[c];
    if (cell.entry == nullptr) {
      column.cells.emplace_back();
      continue;
    }
    std::string text = pad_left(std::to_string(cell.rank), rank_width - 1) + " ";
    if (length >= least_bar) {
      const double span = range.high - base;
      const double share = span > 0 ? std::clamp((values[r] - base) / span, 0.0, 1.0) : 0;
      text += pad_right(bar(share * length, page.unicode()), length) + " ";
    }
    column.cells.push_back(text + pad_left(numbers[r], digits));
  }
  return column;
}

// Features as rows, for each ranking its rank and number, and a bar if there is room: where they disagree, the
// bars do. As many columns as fit stand together, the others in the same order of rows below.
void side_by_side(Page& page, const Ranking& ranking) {
  const std::size_t shown = std::min(ranking.rows.size(), rows_per_ranking);
  TableColumn names{"", {}, true};
  int name_width = 0;
  for (std::size_t r = 0; r < shown; ++r) {
    names.cells.push_back(page.fitted(ranking.rows[r].label, 20));
    name_width = std::max(name_width, text_width(names.cells.back()));
  }
  constexpr int between = 3;
  const int free = page.width() - name_width - 2;
  const auto most = static_cast<std::size_t>(std::max(free / (rank_width + number_width + between), 1));
  const std::size_t per_block = evenly(ranking.columns.size(), most);
  const int room = free / static_cast<int>(per_block) - between;
  // Long names of measures get a letter in the table's head and a line of their own.
  const bool lettered = std::any_of(ranking.columns.begin(), ranking.columns.end(),
                                    [room](const std::string& name) { return text_width(name) > room; });
  const auto letter = [](std::size_t c) { return std::string(1, static_cast<char>('A' + c)); };
  for (std::size_t c = 0; lettered && c < ranking.columns.size(); ++c) {
    page.line(page.dim("  " + letter(c) + "  " + page.fitted(ranking.columns[c], page.width() - 6)));
  }
  for (std::size_t start = 0; start < ranking.columns.size(); start += per_block) {
    if (start > 0) page.line();
    std::vector<TableColumn> columns{names};
    for (std::size_t c = start; c < std::min(start + per_block, ranking.columns.size()); ++c) {
      columns.push_back(ranked_column(page, ranking, c, shown, room));
      columns.back().title = lettered ? letter(c) : ranking.columns[c];
    }
    page.table(columns);
  }
  more(page, ranking.rows.size() - shown);
}

}  // namespace

void importance_section(Page& page, const ImportanceEntries& group) {
  const Ranking ranking = ranking_of(group);
  const std::string measure = printable(group.importance[0]->measure.text(), 60);
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
    const ColumnFormat format(values, is_share(group.importance[0]->measure));
    std::vector<Bar> list;
    for (std::size_t r = 0; r < shown; ++r) {
      const Importance& entry = *ranking.rows[r].cells[0].entry;
      Bar bar{page.fitted(ranking.rows[r].label, 28), entry.importance, {page.ascii(format(entry.importance))}, false};
      const auto interval = interval_of(entry);
      bar.cells.push_back(interval ? page.ascii(format(interval->low)) + " to " + page.ascii(format(interval->high))
                                   : "");
      list.push_back(std::move(bar));
    }
    page.bars(list, {group.is_recourse() ? "rows" : "importance", ""}, baseline_of(group.importance[0]->measure));
    more(page, ranking.rows.size() - shown);
    std::string meaning = interval_meaning(group);
    if (!page.unicode()) {
      for (auto at = meaning.find("±"); at != std::string::npos; at = meaning.find("±")) meaning.replace(at, 2, "+-");
    }
    if (!meaning.empty()) page.wrapped("Intervals: " + meaning, 2);
  }
  if (any_ratio(group)) page.wrapped("Bars of ratios start at 1, where the model does not rely on the feature.", 2);
  for (const auto& members : members_of(group)) page.wrapped(members, 2);
}

void interaction_section(Page& page, const InteractionEntries& group) {
  const auto ranked = ranked_interactions(group);
  page.title(qualified(page, group, "Interactions"), "");
  const std::size_t shown = std::min(ranked.size(), rows_per_ranking);
  std::vector<double> strength;
  std::vector<double> h2;
  for (std::size_t i = 0; i < shown; ++i) {
    strength.push_back(ranked[i].entry->strength);
    h2.push_back(ranked[i].entry->h2);
  }
  const ColumnFormat format(strength), shares(h2, true);
  std::vector<Bar> list;
  bool any_faded = false;
  for (std::size_t i = 0; i < shown; ++i) {
    std::string name;
    for (const auto& feature : ranked[i].entry->features) {
      name += (name.empty() ? "" : page.times()) + printable(feature, 40);
    }
    any_faded = any_faded || ranked[i].faded;
    list.push_back(
        {page.fitted(name, 34),
         strength[i],
         {page.ascii(format(strength[i])), page.ascii(shares(ranked[i].entry->h2)) + (ranked[i].faded ? "*" : " ")},
         ranked[i].faded});
  }
  page.bars(list, {"strength", page.unicode() ? "H² " : "H^2 "});
  more(page, ranked.size() - shown);
  if (any_faded) page.line(page.dim("  * too little joint effect for this share to mean much"));
}

void figure_section(Page& page, const Figures& group) {
  page.title("Key figures", "");
  int width = 0;
  std::vector<std::string> values;
  for (const Figure* figure : group.figure) {
    const auto [value, half] = figure_text(*figure);
    std::string text = page.ascii(value);
    if (!half.empty()) text += " " + std::string(page.plus_minus()) + " " + page.ascii(half);
    values.push_back(std::move(text));
    width = std::max(width, text_width(values.back()));
  }
  std::set<std::string> explained;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Figure& figure = *group.figure[i];
    std::string name = figure_title(page.result(), figure);
    const std::string about = figure_about(page.result(), figure, page.dot());
    if (!about.empty()) name += page.dot() + about;
    page.line("  " + page.ink(pad_left(values[i], width)) + "  " + page.fitted(name, page.width() - width - 4));
    // The same number for many features is explained once.
    if (figure.meaning.empty() || !explained.insert(figure.meaning).second) continue;
    page.wrapped(printable(figure.meaning, 400), width + 4);
  }
}

}  // namespace sightglass::text
