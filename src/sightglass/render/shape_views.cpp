#include "sightglass/base/error.h"
#include "sightglass/insight/readable.h"
#include "sightglass/render/confusion_view.h"
#include "sightglass/render/counterfactuals_view.h"
#include "sightglass/render/diagram_view.h"
#include "sightglass/render/examples_view.h"
#include "sightglass/render/fidelity_view.h"
#include "sightglass/render/frontier_view.h"
#include "sightglass/render/marked_picture_view.h"
#include "sightglass/render/marked_text_view.h"
#include "sightglass/render/panels_view.h"
#include "sightglass/render/penalty_path_view.h"
#include "sightglass/render/rules_view.h"
#include "sightglass/render/scorecard_view.h"
#include "sightglass/render/shape_view.h"
#include "sightglass/render/terms_view.h"
#include "sightglass/render/text/page_internal.h"
#include "sightglass/render/tree_view.h"
#include "sightglass/render/vega/parts_internal.h"
#include "sightglass/render/what_if_view.h"
#include "sightglass/render/width_sweep_view.h"
#include "sightglass/result/shapes/all_shapes.h"

namespace sightglass {

template <>
struct ViewOf<Curve> {
  static ShapeView view() {
    return {.text = [](text::Page& page, const ItemGroup& group) { text::curve_section(page, group); },
            .chart = [](const Result& result, const ItemGroup& group,
                        int id) { return vega::curve_chart(result, group, id); },
            .chapter = PageChapter{"effects"},
            .words = curve_words,
            .table = [](const ItemGroup& group, std::size_t limit) { return curve_table(group, limit); },
            .shows =
                [](const Result& result, const ResultItem& item, const std::string& output) {
                  const Measure measure = item.get<Curve>().measure;
                  // Losses name themselves.
                  return measure == Measure::loss ? "" : prediction_title(result, quantity_of(measure), output);
                }};
  }
};

template <>
struct ViewOf<Curves> {
  static ShapeView view() {
    return {.text =
                [](text::Page& page, const ItemGroup& group) {
                  if (const auto* panels = group.as<RowPanels>()) {
                    what_if_section(page, *panels);
                  } else {
                    text::curves_section(page, *group.item<Curves>(), group->levels);
                  }
                },
            .chart =
                [](const Result& result, const ItemGroup& group, int) {
                  const auto* panels = group.as<RowPanels>();
                  return panels != nullptr ? vega::what_if_chart(what_if(result, *panels))
                                           : vega::curves_chart(result, *group.item<Curves>(), group->levels);
                },
            .chapter = PageChapter{"effects"},
            .words = {.describe =
                          [](const Result& result, const ItemGroup& group) {
                            const auto* panels = group.as<RowPanels>();
                            return panels != nullptr ? describe_what_if(what_if(result, *panels))
                                                     : curves_words.describe(result, group);
                          },
                      .how_to_read =
                          [](const Result& result, const ItemGroup& group) {
                            const auto* panels = group.as<RowPanels>();
                            return panels != nullptr ? read_what_if(what_if(result, *panels))
                                                     : curves_words.how_to_read(result, group);
                          },
                      .badges =
                          [](const ItemGroup& group) {
                            return group.as<RowPanels>() != nullptr ? std::vector<std::string>()
                                                                    : curves_words.badges(group);
                          }},
            .table =
                [](const ItemGroup& group, std::size_t limit) {
                  const auto* panels = group.as<RowPanels>();
                  return panels != nullptr ? tidy_table(group, limit)
                                           : curves_table(*group.item<Curves>(), group->levels, limit);
                },
            .shows =
                [](const Result& result, const ResultItem& item, const std::string& output) {
                  const auto& curves = item.get<Curves>();
                  Curves of_output = {};
                  of_output.axis = {curves.axis.feature, curves.axis.unit, {}, {}, false, false};
                  of_output.output = output;
                  of_output.derivative = curves.derivative;
                  of_output.anchor = curves.anchor;
                  of_output.anchor_level = curves.anchor_level;
                  return curves_title(result, of_output);
                }};
  }
};

template <>
struct ViewOf<Surface> {
  static ShapeView view() {
    return {.text = [](text::Page& page,
                       const ItemGroup& group) { text::surface_section(page, *group.item<Surface>(), group->levels); },
            .chart = [](const Result& result, const ItemGroup& group,
                        int id) { return vega::surface_chart(result, *group.item<Surface>(), id, group->levels); },
            .chapter = PageChapter{"interactions"},
            .words = surface_words,
            .table = [](const ItemGroup& group,
                        std::size_t limit) { return surface_table(*group.item<Surface>(), group->levels, limit); },
            .shows =
                [](const Result& result, const ResultItem& item, const std::string& output) {
                  return prediction_title(result, quantity_of(item.get<Surface>().measure), output);
                }};
  }
};

template <>
struct ViewOf<Importance> {
  static ShapeView view() {
    return {.text = [](text::Page& page, const ItemGroup& group) { text::importance_section(page, group); },
            .chart = [](const Result&, const ItemGroup& group, int) { return vega::importance_chart(group); },
            .chapter = PageChapter{"importance"},
            .words = importance_words,
            .table = [](const ItemGroup& group, std::size_t limit) { return importance_table(group, limit); }};
  }
};

template <>
struct ViewOf<Interaction> {
  static ShapeView view() {
    return {.text = [](text::Page& page, const ItemGroup& group) { text::interaction_section(page, group); },
            .chart = [](const Result& result, const ItemGroup& group,
                        int) { return vega::interaction_chart(result, group); },
            .chapter = PageChapter{"interactions"},
            .words = interaction_words,
            .table = [](const ItemGroup& group, std::size_t limit) { return interaction_table(group, limit); },
            .shows =
                [](const Result&, const ResultItem&, const std::string&) {
                  return std::string("how far joint effects are from the sum of their parts");
                }};
  }
};

template <>
struct ViewOf<Attributions> {
  static ShapeView view() {
    return {.text = [](text::Page& page, const ItemGroup& group) { text::attribution_section(page, group); },
            .chart = [](const Result& result, const ItemGroup& group,
                        int) { return vega::attribution_chart(result, group); },
            .chapter = PageChapter{"rows"},
            .words = attribution_words,
            .table = [](const ItemGroup& group, std::size_t limit) { return attribution_table(group, limit); },
            .shows =
                [](const Result& result, const ResultItem&, const std::string& output) {
                  return "what each feature adds to the " + prediction_title(result, Quantity::single, output);
                }};
  }
};

template <>
struct ViewOf<Figure> {
  static ShapeView view() {
    return {
        .text = [](text::Page& page, const ItemGroup& group) { text::figure_section(page, group); },
        .chart = [](const Result& result, const ItemGroup& group, int) { return vega::figure_chart(result, group); },
        .chapter = PageChapter{"figures"},  // at the top of the page
        .words = figure_words,
        .table = [](const ItemGroup& group, std::size_t limit) { return figure_table(group, limit); }};
  }
};

namespace {

std::string not_known(const ItemGroup& group) {
  return "this version does not know \"" + printable(group.type(), 40) + "\"; a newer one can show it";
}

ShapeView view_of_unknown() {
  return {.text =
              [](text::Page& page, const ItemGroup& group) {
                page.title(group_title(group), "");
                page.wrapped(not_known(group), 2);
              },
          .chart = [](const Result&, const ItemGroup& group, int) { return vega::message_chart(not_known(group)); },
          .chapter = PageChapter{"other"}};
}

template <class... Shapes>
std::vector<std::pair<std::string_view, ShapeView>> views_of(ShapeList<Shapes...>) {
  return {{Shapes::type, ViewOf<Shapes>::view()}...};
}

}  // namespace

const std::vector<std::pair<std::string_view, ShapeView>>& all_views() {
  static const auto views = views_of(AllShapes());
  return views;
}

const ShapeView& view_of(std::string_view type) {
  for (const auto& [name, view] : all_views()) {
    if (name == type) return view;
  }
  static const ShapeView unknown = view_of_unknown();
  return unknown;
}

const ShapeView& view_of(const ItemGroup& group) { return view_of(group.type()); }

}  // namespace sightglass
