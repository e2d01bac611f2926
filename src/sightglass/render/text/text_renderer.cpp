#include "sightglass/render/text/text_renderer.h"

#include <algorithm>

#include "sightglass/base/error.h"
#include "sightglass/insight/caveat_list.h"
#include "sightglass/insight/findings.h"
#include "sightglass/insight/groups/attribution_picture.h"
#include "sightglass/insight/groups/curve_lines.h"
#include "sightglass/insight/readable.h"
#include "sightglass/render/shape_view.h"
#include "sightglass/render/text/page_internal.h"
#include "sightglass/result/shapes/surface.h"

namespace sightglass {

namespace {

using text::Page;

// Said once, so that an item's title need only name its axis and its output: of the first item that has to say so.
std::string shown_quantity(const Result& result) {
  const auto outputs = outputs_of(result);
  const std::string output = outputs.size() == 1 ? outputs[0] : "";
  for (const ResultItem& item : result.results) {
    const ShapeView& view = view_of(item.type());
    if (view.shows == nullptr) continue;
    if (std::string shown = view.shows(result, item, output); !shown.empty()) return shown;
  }
  return {};
}

// `first`: of several results, the one that has told about the model and the data that they share.
void header(Page& page, const Result* first) {
  page.line(page.bold(method_title(page.result())));
  const auto described = [&](std::string_view label, const Value& object) {
    std::string text;
    for (const auto& [name, value] : facts(object)) {
      text += (text.empty() ? "" : page.dot()) + name + " " + value;
    }
    if (text.empty()) return;
    const auto lines = wrap(text, page.width() - 8);
    for (std::size_t i = 0; i < lines.size() && i < 6; ++i) {
      page.line(page.dim(pad_right(i == 0 ? label : "", 8) + lines[i]));
    }
  };
  const Result& result = page.result();
  if (first == nullptr || !is_said(result.model, first->model)) described("model", result.model);
  if (first == nullptr || !is_said(result.data, first->data)) described("data", result.data);
  const auto condition = wrap(rows_condition(page.result()), page.width() - 8);
  for (std::size_t i = 0; i < condition.size(); ++i) {
    page.line(page.bold(pad_right(i == 0 ? "where" : "", 8) + condition[i]));
  }
  const std::string shown = shown_quantity(page.result());
  if (!shown.empty()) page.line(page.dim(pad_right("shows", 8) + page.fitted(shown, page.width() - 8)));
}

void caution(Page& page, const Caveat& caveat, const std::string& about = "") {
  const std::string_view colour = caveat.severity == Severity::warning   ? "31;1"
                                  : caveat.severity == Severity::caution ? "33;1"
                                                                         : "2";
  const std::string label(to_string(caveat.severity));
  std::string text = about + printable(caveat.message.plain(), 600);
  if (!caveat.advice.empty()) text += (page.unicode() ? " → " : " -> ") + printable(caveat.advice.plain(), 300);
  text += " [" + printable(caveat.id, 40) + "]";
  const auto lines = wrap(text, page.width() - 11);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    page.line("  " + (i == 0 ? page.styled(pad_right(label, 9), colour) : repeat(" ", 9)) + lines[i]);
  }
}

void caveats(Page& page) {
  if (page.result().caveats.empty()) return;
  page.line();
  page.title("Cautions", "");
  for (const Caveat* caveat : worst_first(page.result().caveats)) caution(page, *caveat);
}

// Of several results together: most of them beware of the same.
void caveats_of_all(Page& page, const std::vector<Result>& results) {
  const auto list = caveats_once(results);
  if (list.empty()) return;
  const auto file = [](const Result& result) { return text_member(result.model, "file"); };
  const bool several = std::any_of(results.begin(), results.end(),
                                   [&](const Result& result) { return file(result) != file(results.front()); });
  page.title("Cautions", "");
  for (const ListedCaveat& one : list)
    caution(page, *one.caveat, several ? printable(file(*one.result), 60) + ": " : "");
  page.line();
}

// A model's terms are drawn the most important first; on a terminal nobody reads them all.
constexpr std::size_t curves_of_a_model = 6, surfaces_of_a_model = 2;

class ModelTerms {
 public:
  explicit ModelTerms(const Result& result) : limited_(result.about.family == Family::learners) {}

  [[nodiscard]] bool leave_out(const ItemGroup& group) {
    if (!limited_) return false;
    const bool is_curve = group.as<CurveLines>() != nullptr, is_surface = group.item<Surface>() != nullptr;
    const bool out = (is_curve && ++curves_ > curves_of_a_model) || (is_surface && ++surfaces_ > surfaces_of_a_model);
    left_out_ += out ? 1 : 0;
    return out;
  }
  void tell(Page& page) const {
    if (left_out_ == 0) return;
    page.line();
    page.line(page.dim("  " + std::to_string(left_out_) + " more " + (left_out_ == 1 ? "term is" : "terms are") +
                       " not drawn here; html, csv and json have all"));
  }

 private:
  bool limited_;
  std::size_t curves_ = 0, surfaces_ = 0, left_out_ = 0;
};

// cautions: whether they are told here.
std::string render_one(const Result& result, const TextOptions& options, const Result* first, bool cautions) {
  Page page(result, options);
  header(page, first);
  ModelTerms terms(result);
  for (const auto& group : group_items(result)) {
    // The dots of a scatter are more than letters can show.
    const auto* attributions = group.as<AttributionPicture>();
    if (attributions != nullptr && attributions->view == AttributionView::feature) continue;
    if (terms.leave_out(group)) continue;
    page.line();
    (*view_of(group).text)(page, group);
  }
  terms.tell(page);
  // A report begins with what it was told, and has its results behind it.
  if (result.results.empty() && result.about.family != Family::report) page.line("  no results");
  if (cautions) caveats(page);
  return page.take();
}

}  // namespace

std::string render_text(const Result& result, const TextOptions& options) {
  return render_one(result, options, nullptr, true);
}

std::string render_text(const std::vector<Result>& results, const TextOptions& options) {
  std::string text;
  if (results.size() > 1) {
    Page page(results.front(), options);
    const auto told = findings(results);
    if (!told.empty()) page.title("What to know first", "");
    for (const Finding& finding : told) {
      const auto lines = wrap(finding.text, page.width() - 4);
      for (std::size_t i = 0; i < lines.size(); ++i) {
        page.line((i > 0 ? "    " : page.unicode() ? "  • " : "  - ") + lines[i]);
      }
    }
    if (!told.empty()) page.line();
    caveats_of_all(page, results);
    text = page.take();
  }
  for (const Result& result : results) {
    const bool is_first = &result == results.data();
    text +=
        (is_first ? "" : "\n") + render_one(result, options, is_first ? nullptr : results.data(), results.size() == 1);
  }
  return text;
}

}  // namespace sightglass
