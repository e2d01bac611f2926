#include "sightglass/render/confusion_view.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/insight/readable.h"
#include "sightglass/render/text/page_internal.h"
#include "sightglass/render/vega/parts_internal.h"

namespace sightglass {

namespace {

constexpr std::size_t most_classes = 30;  // of more, the rare ones share a place
constexpr std::size_t most_numbers = 12;  // classes whose cells have room for numbers
constexpr std::size_t most_in_text = 8;

const Confusion& confusion_of(const ItemGroup& group) { return *group.item<Confusion>(); }

// "99.7 %": nearly all is not all.
std::string share_of_rows(double share) {
  if (share < 1 && share >= 0.995) return readable(std::floor(share * 1e4) / 100) + " %";
  return percent(share);
}
std::string share_text(const std::optional<double>& share) { return share ? share_of_rows(*share) : "none"; }

// With at most so many classes: the rows of rare ones go together.
Confusion drawn(const Confusion& whole, std::size_t most) {
  const std::size_t size = whole.classes.size();
  if (size <= most) return whole;
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return counts_of(whole, a).there > counts_of(whole, b).there; });
  std::vector<std::size_t> kept(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most - 1));
  std::sort(kept.begin(), kept.end());
  std::vector<std::size_t> place(size, most - 1);
  Confusion some{.output = whole.output, .group = whole.group, .threshold = whole.threshold};
  for (std::size_t k = 0; k < kept.size(); ++k) {
    place[kept[k]] = k;
    some.classes.push_back(whole.classes[kept[k]]);
  }
  some.classes.push_back(std::to_string(size - kept.size()) + " others");
  some.count.assign(most, std::vector<double>(most, 0));
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) some.count[place[i]][place[j]] += whole.count[i][j];
  }
  return some;
}

// The pair of classes that is confused most often.
struct Mistake {
  std::size_t truth = 0, predicted = 0;
  double count = 0;
};
Mistake most_frequent_mistake(const Confusion& confusion) {
  Mistake worst;
  for (std::size_t i = 0; i < confusion.classes.size(); ++i) {
    for (std::size_t j = 0; j < confusion.classes.size(); ++j) {
      if (i != j && confusion.count[i][j] > worst.count) worst = {i, j, confusion.count[i][j]};
    }
  }
  return worst;
}

void confusion_section(text::Page& page, const ItemGroup& group) {
  const Confusion& whole = confusion_of(group);
  const std::string qualifier = group_qualifier(page.result(), group);
  page.title(group_title(group) + (qualifier.empty() ? "" : page.dot() + qualifier),
             "accuracy " + share_text(accuracy_of(whole)));
  const Confusion confusion = drawn(whole, most_in_text);
  std::vector<text::TableColumn> columns{{.title = "true class", .cells = {}, .left = true}};
  for (const std::string& name : confusion.classes)
    columns.front().cells.push_back(page.fitted(printable(name, 60), 18));
  for (std::size_t j = 0; j < confusion.classes.size(); ++j) {
    text::TableColumn column{.title = page.fitted("as " + printable(confusion.classes[j], 40), 14)};
    for (std::size_t i = 0; i < confusion.classes.size(); ++i)
      column.cells.push_back(page.ascii(readable(confusion.count[i][j])));
    columns.push_back(std::move(column));
  }
  // Of classes that share a place nobody knows how many are right.
  const bool all = confusion.classes.size() == whole.classes.size();
  text::TableColumn recall{.title = "recall"}, precision{.title = "precision"};
  for (std::size_t k = 0; all && k < confusion.classes.size(); ++k) {
    const ClassCounts counts = counts_of(confusion, k);
    recall.cells.push_back(page.ascii(share_text(counts.recall())));
    precision.cells.push_back(page.ascii(share_text(counts.precision())));
  }
  if (all) columns.push_back(std::move(recall));
  if (all) columns.push_back(std::move(precision));
  page.table(columns);
  if (whole.threshold) page.line(page.dim("  threshold " + page.number(*whole.threshold)));
}

Value class_encoding(const char* name, const std::vector<std::string>& labels, const char* title) {
  Value encoding = vega::field(name, "nominal");
  encoding.set("scale", Value::object({{"domain", vega::texts(labels)}})).set("sort", Value());
  Value guide =
      Value::object({{"title", title}, {"labelLimit", 120}, {"grid", false}, {"domain", false}, {"ticks", false}});
  if (*name == 'p') {
    const bool crowded = labels.size() > 5 ||
                         std::any_of(labels.begin(), labels.end(), [](const auto& label) { return label.size() > 14; });
    guide.set("orient", "top").set("labelAngle", crowded ? -35 : 0);
  }
  return encoding.set("axis", guide);
}

Value confusion_chart(const Result&, const ItemGroup& group, int) {
  const Confusion confusion = drawn(confusion_of(group), most_classes);
  const std::size_t size = confusion.classes.size();
  if (size == 0) return vega::message_chart("there are no classes");
  const std::vector<std::string> labels = unique_labels(confusion.classes);
  Value::Array rows;
  for (std::size_t i = 0; i < size; ++i) {
    const double there = counts_of(confusion, i).there;
    for (std::size_t j = 0; j < size; ++j) {
      const double count = confusion.count[i][j];
      Value row = Value::object({{"truth", labels[i]}, {"predicted", labels[j]}, {"count", vega::plotted(count)}});
      row.set("share", vega::plotted(there > 0 ? count / there : 0, 4));
      row.set("label", readable(count));
      row.set("percent", there > 0 ? share_of_rows(count / there) : "");
      row.set("right", i == j ? "yes" : "no");
      rows.push_back(std::move(row));
    }
  }
  const Value x = class_encoding("predicted", labels, "predicted class");
  const Value y = class_encoding("truth", labels, "true class");
  const Value tip = vega::tooltip({{"truth", "true class", false},
                                   {"predicted", "predicted class", false},
                                   {"count", "rows"},
                                   {"percent", "of the true class", false}});
  Value color = vega::field("share", "quantitative");
  color.set("scale", Value::object({{"scheme", "blues"}, {"domain", Value::array().push_back(0).push_back(1)}}));
  color.set("legend", Value::object({{"title", "share of the true class"},
                                     {"orient", "bottom"},
                                     {"direction", "horizontal"},
                                     {"gradientLength", 180},
                                     {"format", ".0%"}}));
  const auto data = vega::packed(rows);
  Value layers = Value::array();
  layers.push_back(
      Value::object({{"mark", Value::object({{"type", "rect"}, {"stroke", "#ffffff"}, {"strokeWidth", 1}})},
                     {"encoding", Value::object({{"x", x}, {"y", y}, {"color", color}, {"tooltip", tip}})}}));
  if (size <= most_numbers) {
    const Value ink = Value::object(
        {{"condition", Value::object({{"test", "datum.share > 0.55"}, {"value", "#ffffff"}})}, {"value", "#1a1f27"}});
    const auto words = [&](const char* name, int dy, int font) {
      return Value::object(
          {{"mark", Value::object({{"type", "text"}, {"dy", dy}, {"fontSize", font}, {"tooltip", Value()}})},
           {"encoding", Value::object({{"x", x}, {"y", y}, {"text", vega::field(name, "nominal")}, {"color", ink}})}});
    };
    const bool few = size <= 5;
    layers.push_back(words("label", few ? -7 : -5, few ? 15 : 11));
    layers.push_back(words("percent", few ? 11 : 8, few ? 11 : 9));
  }
  const std::uint64_t cell = size <= 3 ? 72 : size <= 6 ? 52 : size <= most_numbers ? 36 : 16;
  const std::uint64_t width = std::min<std::uint64_t>(vega::chart_width - 60, size * cell * 3 / 2);
  return Value::object({{"data", data.data},
                        {"transform", data.transform},
                        {"width", Value(width)},
                        {"height", Value(size * cell)},
                        {"layer", layers}});
}

std::string confusion_description(const Result&, const ItemGroup& group) {
  const Confusion& confusion = confusion_of(group);
  std::string text = "which class rows have, and which one the model predicts for them. Right for " +
                     share_text(accuracy_of(confusion)) + " of the rows.";
  for (std::size_t k = 0; k < confusion.classes.size() && confusion.classes.size() <= 6; ++k) {
    const ClassCounts counts = counts_of(confusion, k);
    text += " " + printable(confusion.classes[k], 60) + ": " + readable(counts.there) + " rows, " +
            share_text(counts.recall()) + " found; " + readable(counts.predicted) + " predicted, " +
            share_text(counts.precision()) + " right.";
  }
  const Mistake worst = most_frequent_mistake(confusion);
  if (worst.count > 0 && confusion.classes.size() > 2) {
    text += " The most frequent mistake: " + printable(confusion.classes[worst.truth], 60) + " taken for " +
            printable(confusion.classes[worst.predicted], 60) + ", " + readable(worst.count) +
            (worst.count == 1 ? " row." : " rows.");
  }
  return text;
}

std::string confusion_reading(const Result&, const ItemGroup& group) {
  const Confusion& confusion = confusion_of(group);
  std::string text =
      "A line holds the rows of one true class, a column those that the model takes for a class; what is right lies on "
      "the diagonal. Percentages are of the true class: on the diagonal they are the recall.";
  if (confusion.classes.size() > most_classes) text += " Rare classes share the last place.";
  if (confusion.threshold)
    text +=
        " " + printable(confusion.classes.back(), 60) + " is predicted from " + readable(*confusion.threshold) + " on.";
  return text;
}

std::vector<std::string> confusion_chips(const ItemGroup& group) {
  const Confusion& confusion = confusion_of(group);
  std::vector<std::string> chips{"accuracy " + share_text(accuracy_of(confusion))};
  if (confusion.classes.size() == 2) {
    const ClassCounts counts = counts_of(confusion, 1);
    chips.push_back("precision " + share_text(counts.precision()));
    chips.push_back("recall " + share_text(counts.recall()));
  }
  if (confusion.threshold) chips.push_back("threshold " + readable(*confusion.threshold));
  return chips;
}

}  // namespace

ShapeView ViewOf<Confusion>::view() {
  return {.text = confusion_section,
          .chart = confusion_chart,
          .chapter = PageChapter{"performance", "How good it is", "", 3},
          .words = {.describe = confusion_description, .how_to_read = confusion_reading, .badges = confusion_chips}};
}

}  // namespace sightglass
