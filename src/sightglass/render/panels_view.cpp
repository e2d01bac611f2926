#include "sightglass/render/panels_view.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "sightglass/base/error.h"
#include "sightglass/insight/readable.h"
#include "sightglass/render/text/page_internal.h"
#include "sightglass/render/vega/panels_chart_internal.h"

namespace sightglass {

namespace {

constexpr int map_rows = 12, map_columns = 48;
constexpr std::size_t most_in_text = 12;

const ShownPanels& panels_of(const ItemGroup& group) { return *group.item<ShownPanels>(); }

std::string counted(std::size_t count) { return std::to_string(count) + (count == 1 ? " panel" : " panels"); }

// Grid points evenly over so many cells.
std::size_t grid_point(std::size_t size, int cell, int cells) {
  return std::min(size - 1,
                  static_cast<std::size_t>((static_cast<double>(cell) + 0.5) / cells * static_cast<double>(size)));
}

int cell_of(const Axis& axis, double at, int cells) {
  const double low = axis.is_categorical() ? -0.5 : axis.numbers.front();
  const double high = axis.is_categorical() ? static_cast<double>(axis.size()) - 0.5 : axis.numbers.back();
  if (!(high > low)) return 0;
  return std::clamp(static_cast<int>((at - low) / (high - low) * cells), 0, cells - 1);
}

// Shaded where the panel claims; rows of its class and of others, both where they meet.
void draw_map(text::Page& page, const ShownPanels& item, const ShownPanel& panel) {
  const bool two = panel.axes.size() > 1;
  const int columns = std::clamp(page.width() - 14, 16, map_columns), rows = two ? map_rows : 3;
  const std::string shade = page.unicode() ? "░" : ".", own = page.unicode() ? "●" : "o",
                    other = page.unicode() ? "×" : "x", both = page.unicode() ? "▒" : "#";
  const auto claims = std::find(item.classes.begin(), item.classes.end(), panel.claims) - item.classes.begin();
  std::vector<std::vector<int>> marks(static_cast<std::size_t>(rows),
                                      std::vector<int>(static_cast<std::size_t>(columns), 0));
  for (std::size_t k = 0; k < panel.marks.rows.size(); ++k) {
    const bool is_own = panel.marks.classes[k] == static_cast<std::uint64_t>(claims);
    const int x = cell_of(panel.axes[0], panel.marks.x[k], columns);
    const int y = two ? cell_of(panel.axes[1], panel.marks.y[k], rows) : (is_own ? 2 : 0);
    marks[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)] |= is_own ? 1 : 2;
  }
  for (int r = rows - 1; r >= 0; --r) {
    std::string line = "  ";
    if (two && (r == rows - 1 || r == 0)) {
      const Axis& axis = panel.axes[1];
      line += pad_left(page.grid_label(axis, r == 0 ? 0 : axis.size() - 1, 8), 8) + " ";
    } else {
      line += std::string(9, ' ');
    }
    line += page.unicode() ? "│" : "|";
    for (int c = 0; c < columns; ++c) {
      const int mark = marks[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)];
      const std::size_t i = grid_point(panel.axes[0].size(), c, columns);
      const std::size_t j = two ? grid_point(panel.axes[1].size(), r, rows) : 0;
      if (mark == 3) {
        line += both;
      } else if (mark > 0) {
        line += mark == 1 ? page.ink(own) : other;
      } else {
        line += in_region(panel, i, j) ? page.ink(shade) : " ";
      }
    }
    page.line(line);
  }
  const Axis& axis = panel.axes[0];
  const std::string low = page.grid_label(axis, 0, 12), high = page.grid_label(axis, axis.size() - 1, 12);
  page.line(page.dim(
      std::string(12, ' ') + low +
      std::string(static_cast<std::size_t>(std::max(1, columns - text_width(low) - text_width(high))), ' ') + high));
  page.line(page.dim(
      "            " + own + " " + printable(panel.claims, 30) + "  " + other + " others  " + both + " both  " + shade +
      (item.form == PanelForm::covering ? " claimed" : " its side") +
      (two ? page.dot() + ("across " + printable(axis.feature, 30) + ", up " + printable(panel.axes[1].feature, 30))
           : "")));
}

void outline(text::Page& page, const ShownPanels& item, const PanelSide& side, const std::string& trunk, bool last,
             const std::string& answer) {
  const std::string head = trunk + (last ? (page.unicode() ? "└─ " : "`- ") : (page.unicode() ? "├─ " : "|- "));
  if (!side.panel) {
    page.line("  " + head + answer + ": " + page.ascii(side_text(side)));
    return;
  }
  const ShownPanel& panel = item.panels[*side.panel];
  page.line("  " + head + answer + ": panel " + std::to_string(*side.panel + 1) + ", " + panel_name(panel));
  const std::string next = trunk + (last ? "   " : (page.unicode() ? "│  " : "|  "));
  const std::string claims = printable(panel.claims, 30);
  outline(page, item, *panel.above, next, false, "on the side of " + claims);
  outline(page, item, *panel.below, next, true, "else");
}

std::string step_text(const ShownPanels& item, std::size_t place, const char* arrow) {
  const std::string next = next_text(item, place);
  return decision_text(item, place) + (next.empty() ? "" : arrow + next);
}

double number_in(const Value& details, const char* key) {
  const Value* found = details.find(key);
  return found != nullptr && found->is_number() ? found->as_number() : 0;
}

bool says(const Value& details, const char* key, std::string_view word) {
  const Value* found = details.find(key);
  return found != nullptr && found->is_string() && found->as_string() == word;
}

// What is promised of the training rows, and what that costs.
std::string promise_text(const ShownPanels& item) {
  const std::string first = printable(item.order[0], 60);
  std::string text = item.missed > 0 ? readable(item.missed) + " training rows" : std::string("No training row");
  if (item.missed > 0) {
    text += item.order.size() > 2 ? " are taken for a less critical class than their own"
                                  : " of " + first + " are claimed for another class";
    if (!item.tolerated.empty()) text += ": " + std::to_string(item.tolerated.size()) + " tolerated";
    if (!item.trade_off.empty())
      text +=
          item.tolerated.empty() ? ": of those kept apart so many are allowed" : ", others allowed of those kept apart";
  } else {
    text += item.order.size() > 2 ? " is taken for a less critical class than its own"
                                  : " of " + first + " is claimed for another class";
  }
  text += "; " + percent(item.unclaimed) + " of the other rows are claimed by no panel and predicted as " + first + ".";
  if (says(item.details, "preferred_by", "rarest"))
    text += " Most critical is " + first + " because it is the rarest class.";
  if (says(item.details, "preferred_by", "first"))
    text += " Most critical is " + first + ": no class is rarer, and of equally rare ones it is the first.";
  if (item.details.find("one_vs_rest") != nullptr) {
    text += " Each class against the rest: " + percent(number_in(item.details, "none")) +
            " of all rows are claimed for no class, " + percent(number_in(item.details, "contradiction")) +
            " for several.";
  }
  return text;
}

// How a row was decided.
std::string row_text(const ShownPanels& item) {
  std::string text = "Predicted: " + printable(item.predicted, 60);
  if (says(item.details, "verdict", "contradiction")) {
    text += ", the most critical of the classes that panels claim it for: a contradiction";
  } else if (says(item.details, "verdict", "none")) {
    text += ", the most critical class, as no panel claims it for any class";
  } else if (item.form == PanelForm::covering && item.details.find("decided_by") == nullptr) {
    text += ", as no panel claims it";
  }
  text += ".";
  if (item.details.find("share") != nullptr) {
    text += " The class has a share of " + percent(number_in(item.details, "share")) +
            (item.form == PanelForm::covering ? " where this is decided." : " in the leaf.");
  }
  if (item.details.find("vote") != nullptr && item.classes.size() == 2) {
    text += " The panels on its way vote " + percent(number_in(item.details, "vote")) + " for " +
            printable(item.classes[1], 40) + ".";
  }
  return text;
}

void panels_section(text::Page& page, const ItemGroup& group) {
  const ShownPanels& item = panels_of(group);
  const bool covering = item.form == PanelForm::covering;
  page.title(group_title(group), counted(item.panels.size()));
  if (item.row) {
    page.wrapped(page.ascii(row_text(item)), 2);
  } else if (covering && !item.order.empty()) {
    page.wrapped(promise_text(item), 2);
    if (item.order.size() > 2) {
      std::string order;
      for (const std::string& one : item.order) order += (order.empty() ? "" : " > ") + printable(one, 40);
      page.wrapped("Costly to miss: " + order + ".", 2);
    }
  }
  if (!covering && !item.row && !item.panels.empty()) {
    page.line("  panel 1, " + panel_name(item.panels[0]));
    outline(page, item, *item.panels[0].above, "", false, "on the side of " + printable(item.panels[0].claims, 30));
    outline(page, item, *item.panels[0].below, "", true, "else");
  }
  for (std::size_t i = 0; i < std::min(item.panels.size(), most_in_text); ++i) {
    const ShownPanel& panel = item.panels[i];
    page.line();
    page.line(page.bold("  Panel " + std::to_string(panel_number(item, i)) + ": " + panel_name(panel)));
    std::string facts;
    if (item.row) {
      facts = step_text(item, i, page.unicode() ? " → " : " -> ");
    } else if (covering) {
      facts = "claims " + readable(panel.claimed) + " of " + readable(panel.count) + " rows as " +
              printable(panel.claims, 40) + ", " + readable(panel.wrong) + " wrongly, " + readable(panel.score) +
              " that no panel before it claims";
    } else {
      facts = readable(panel.count) + " rows; removes " + percent(panel.score) + " of impurity in cross-validation";
    }
    if (!panel.runners_up.empty()) {
      facts += ". Nearly as good: ";
      for (std::size_t k = 0; k < panel.runners_up.size(); ++k) {
        facts += (k == 0 ? "" : "; ") + joined_names(panel.runners_up[k].features, 40) + " (" +
                 percent(panel.runners_up[k].score) + (covering && k == 0 ? " of what it claimed)" : ")");
      }
    }
    page.wrapped(page.ascii(facts), 2);
    draw_map(page, item, panel);
  }
  if (item.panels.size() > most_in_text) page.shown_of(most_in_text, item.panels.size(), "panels");
  if (!item.tolerated.empty()) {
    std::string rows;
    for (std::size_t i = 0; i < std::min<std::size_t>(item.tolerated.size(), 20); ++i)
      rows += (i == 0 ? "" : ", ") + std::to_string(item.tolerated[i]);
    page.wrapped("Tolerated, left out of what must not be claimed: rows " + rows +
                     (item.tolerated.size() > 20 ? ", …" : "") + ".",
                 2);
  }
  if (!item.trade_off.empty()) {
    page.line();
    page.line(page.bold("  Safety against coverage"));
    text::TableColumn promised{"missed at most", {}}, left{"others unclaimed", {}}, chosen{"", {}, true};
    for (const SafetyStep& step : item.trade_off) {
      promised.cells.push_back(readable(100 * step.promised) + " %");
      left.cells.push_back(percent(step.unclaimed));
      chosen.cells.emplace_back(step.chosen ? "chosen" : "");
    }
    page.table({promised, left, chosen});
  }
}

std::string panels_description(const Result&, const ItemGroup& group) {
  const ShownPanels& item = panels_of(group);
  const bool covering = item.form == PanelForm::covering;
  std::string text = item.row   ? "the row's way through " + counted(item.panels.size()) + "."
                     : covering ? counted(item.panels.size()) + " that claim rows."
                                : "a tree of " + counted(item.panels.size()) + ".";
  for (std::size_t i = 0; i < std::min<std::size_t>(item.panels.size(), 8); ++i) {
    const ShownPanel& panel = item.panels[i];
    text += " Panel " + std::to_string(panel_number(item, i)) + ", " + panel_name(panel) + ", ";
    if (item.row) {
      text += step_text(item, i, " → ") + ".";
    } else if (covering) {
      text += "claims " + readable(panel.claimed) + " rows as " + printable(panel.claims, 40) + ", " +
              readable(panel.wrong) + " wrongly.";
    } else {
      text += "leads to " + side_text(*panel.above) + " on the side of " + printable(panel.claims, 40) + ", else to " +
              side_text(*panel.below) + ".";
    }
  }
  if (item.row) return text + " " + row_text(item);
  if (covering && !item.order.empty()) text += " " + promise_text(item);
  return text;
}

std::string panels_reading(const Result&, const ItemGroup& group) {
  const ShownPanels& item = panels_of(group);
  std::string text = "Each panel looks at one or two features. ";
  text += item.row ? "The dot is the row, coloured by the class that is predicted; "
                   : "Dots are training rows, coloured by their true class; ";
  if (item.form == PanelForm::covering) {
    text +=
        "a row in the shaded region is claimed for the class of that colour, and filled. The first claim wins; a row "
        "that no panel claims is predicted as the most critical class. No panel claims anything beyond the rows that "
        "it claimed in training, or where a value is missing.";
  } else {
    text +=
        "rows in the shaded region, which are filled, go one way, all others the other way, as the words above each "
        "panel say. Rows without a value go where more of the others went.";
  }
  if (!item.trade_off.empty())
    text +=
        " The last picture shows what more safety costs: the fewer critical rows may be missed, the more other rows "
        "stay "
        "unclaimed; the large dot is what was chosen.";
  return text;
}

std::vector<std::string> panels_chips(const ItemGroup& group) {
  const ShownPanels& item = panels_of(group);
  std::vector<std::string> list{counted(item.panels.size())};
  std::set<std::string> features;
  for (const ShownPanel& panel : item.panels) {
    for (const Axis& axis : panel.axes) features.insert(axis.feature);
  }
  list.push_back(std::to_string(features.size()) + (features.size() == 1 ? " feature" : " features"));
  if (item.form == PanelForm::covering && !item.row) list.push_back(percent(item.unclaimed) + " unclaimed");
  return list;
}

}  // namespace

ShapeView ViewOf<ShownPanels>::view() {
  return {.text = panels_section,
          .chart = [](const Result&, const ItemGroup& group, int) { return vega::panels_chart(panels_of(group), 2); },
          .chapter = model_chapter(5),
          .words = {.describe = panels_description, .how_to_read = panels_reading, .badges = panels_chips},
          .narrow_chart = [](const Result&, const ItemGroup& group) { return vega::panels_chart(panels_of(group), 1); },
          .wide = true};
}

}  // namespace sightglass
