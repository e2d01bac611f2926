// What the shapes need to write themselves on a page of text: lines, titles, tables, axes. One file per shape
// draws with it.
#pragma once

#include <cmath>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/insight/groups.h"
#include "sightglass/insight/groups/attribution_picture.h"
#include "sightglass/insight/groups/curve_lines.h"
#include "sightglass/insight/groups/figures.h"
#include "sightglass/insight/groups/importance_entries.h"
#include "sightglass/insight/groups/interaction_entries.h"
#include "sightglass/insight/shown_levels.h"
#include "sightglass/render/text/canvas_internal.h"
#include "sightglass/render/text/text_renderer.h"
#include "sightglass/result/result.h"

namespace sightglass::text {

constexpr int chart_rows = 9;
constexpr int label_width = 9;
constexpr std::size_t table_rows = 12;

struct Range {
  double low = 0, high = 0;
  bool any = false;

  void add(double value);
  void add(const std::vector<double>& values);
  // Where the value lies between low and high; the middle if there is only one value.
  [[nodiscard]] double share(double value) const { return high > low ? (value - low) / (high - low) : 0.5; }
};

// At most `limit` of `size` indices, evenly spread, first and last included.
[[nodiscard]] std::vector<std::size_t> spread(std::size_t size, std::size_t limit);

// Heights at `room` evenly spaced places of x, between grid points by a straight line; gaps beyond the grid.
[[nodiscard]] std::vector<double> resampled(const std::vector<double>& grid, const std::vector<double>& heights,
                                            const Range& x, int room);

struct TableColumn {
  std::string title;
  std::vector<std::string> cells;
  bool left = false;
};

// One bar of a chart of bars: a name, the bar, and up to three cells of text at its right.
struct Bar {
  std::string name;
  double value = 0;
  std::vector<std::string> cells;
  bool faded = false;
};

class Page {
 public:
  Page(const Result& result, const TextOptions& options);

  [[nodiscard]] const Result& result() const { return result_; }
  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] bool unicode() const { return options_.unicode; }
  [[nodiscard]] bool color() const { return options_.color; }
  [[nodiscard]] std::string take() { return std::move(out_); }

  void line(std::string_view text = {});
  [[nodiscard]] std::string styled(std::string_view text, std::string_view code) const;
  [[nodiscard]] std::string bold(std::string_view text) const { return styled(text, "1"); }
  [[nodiscard]] std::string dim(std::string_view text) const { return styled(text, "2"); }
  [[nodiscard]] std::string ink(std::string_view text) const { return styled(text, "36"); }
  [[nodiscard]] std::string fitted(std::string_view text, int width) const { return fit(text, width, unicode()); }
  [[nodiscard]] const char* dot() const { return unicode() ? " · " : ", "; }
  [[nodiscard]] const char* plus_minus() const { return unicode() ? "±" : "+-"; }
  [[nodiscard]] const char* times() const { return unicode() ? " × " : " x "; }
  // Formatting of special numbers uses Unicode signs.
  [[nodiscard]] std::string ascii(std::string text) const;
  [[nodiscard]] std::string number(double value) const;
  [[nodiscard]] std::string level(const Axis& axis, std::size_t i, int width) const;
  // A grid point of either kind.
  [[nodiscard]] std::string grid_label(const Axis& axis, std::size_t i, int width) const;

  void title(std::string left, const std::string& right);
  // "temp (°C) → rentals, species = Adelie".
  [[nodiscard]] std::string item_title(const std::string& axes, const std::string& output,
                                       const std::string& group) const;
  [[nodiscard]] std::string item_title(const Axis& axis, const std::string& output, const std::string& group) const;
  void wrapped(std::string_view text, int indent);

  void table(const std::vector<TableColumn>& columns);
  [[nodiscard]] TableColumn number_column(std::string name, const std::vector<double>& values,
                                          const std::vector<std::size_t>& picked, bool percents = false) const;
  [[nodiscard]] TableColumn grid_column(const Axis& axis, const std::vector<std::size_t>& picked) const;
  void shown_of(std::size_t shown, std::size_t all, const std::string& things = "grid points");
  // How many levels are drawn as others, and where each of them is to be found; nothing if none is.
  void left_out_levels(std::size_t levels);

  // Bars start at `base`; smaller ones end there. `heads` are the titles of the cells.
  void bars(const std::vector<Bar>& list, const std::vector<std::string>& heads, double base = 0);

  // Axis labels left of a canvas, ticks below it, and the data's histogram under them.
  void chart(const DotCanvas& canvas, int columns, const Range& y, const Axis& axis, const Distribution& data,
             const std::string& aside);
  static void draw(DotCanvas& canvas, const std::vector<double>& xs, const std::vector<double>& ys, const Range& x,
                   const Range& y);

 private:
  void histogram(const Axis& axis, const Distribution& data, int columns);

  const Result& result_;
  TextOptions options_;
  int width_;
  std::string out_;
};

// One file each.
void curve_section(Page& page, const CurveLines& group);
void curves_section(Page& page, const Curves& curves, const LevelPlanPtr& plan);
void surface_section(Page& page, const Surface& surface, const LevelPlanPtr& plan);
void importance_section(Page& page, const ImportanceEntries& group);
void interaction_section(Page& page, const InteractionEntries& group);
void attribution_section(Page& page, const AttributionPicture& group);
void figure_section(Page& page, const Figures& group);

}  // namespace sightglass::text
