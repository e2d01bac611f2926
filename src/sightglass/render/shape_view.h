// How the items of a shape are shown, in every format: one record per shape. shape_views.cpp has the list of all; a
// shape that is not in it, or whose record lacks what every shape needs, does not compile.
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sightglass/insight/groups.h"
#include "sightglass/render/data_table.h"
#include "sightglass/render/description.h"
#include "sightglass/result/result.h"

namespace sightglass {

namespace text {
class Page;
}

// A member that cannot be left out.
template <class T>
class Required {
 public:
  template <std::convertible_to<T> Given>
  Required(Given value) : value_(std::move(value)) {}
  [[nodiscard]] const T& operator*() const { return value_; }

 private:
  T value_;
};

// Where a page has the shape's pictures, if the family of the method that made them has no chapter for them
// (html/payload.cpp has the list of chapters).
struct PageChapter {
  const char* id;
  // Of a chapter that shows these pictures one after the other. Empty: the chapter is in the list.
  const char* title = "";
  const char* lead = "";
  int place = 0;  // among the pictures of a chapter: lower ones come first
};
// The chapter of what models and surrogates are made of.
constexpr PageChapter model_chapter(int place) {
  return {"model", "The model itself", "What was learned, as the model has it.", place};
}

struct ShapeView {
  // A section of a page of text, from its title on.
  Required<void (*)(text::Page& page, const ItemGroup& group)> text;
  // A Vega-Lite view; `id` keeps the names of its parts apart where charts are joined.
  Required<Value (*)(const Result& result, const ItemGroup& group, int id)> chart;
  Required<PageChapter> chapter;
  ShapeWords words = {};
  // The numbers beside a chart; by default the shape's tidy rows.
  DataTable (*table)(const ItemGroup& group, std::size_t limit) = tidy_table;
  // What is drawn, for the head of a text: "mean prediction of rentals". Empty if the item itself says it.
  std::string (*shows)(const Result& result, const ResultItem& item, const std::string& output) = nullptr;
  // A chart for places that are too narrow for the other, as on a phone; null: that one does.
  Value (*narrow_chart)(const Result& result, const ItemGroup& group) = nullptr;
  bool wide = false;  // a page gives it all its width
  // What a page shows above the chart because no chart can: a text with marked words (`runs`), a picture
  // (`picture`, as a data URI); null: nothing.
  Value (*above)(const ItemGroup& group) = nullptr;
  // The chart without a page around it, with what stands above it there; null: the other does.
  Value (*chart_alone)(const Result& result, const ItemGroup& group, int id) = nullptr;
};

// Each shape has a specialisation: static ShapeView view().
template <class Shape>
struct ViewOf;

[[nodiscard]] const ShapeView& view_of(const ItemGroup& group);
// By the shape's name; of a name that is not known, what says so.
[[nodiscard]] const ShapeView& view_of(std::string_view type);
// Of all shapes, in the order of the list.
[[nodiscard]] const std::vector<std::pair<std::string_view, ShapeView>>& all_views();

}  // namespace sightglass
