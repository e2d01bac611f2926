#include "render_result.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "export_picture.h"
#include "sightglass/base/error.h"
#include "sightglass/render/csv/csv_renderer.h"
#include "sightglass/render/html/html_renderer.h"
#include "sightglass/render/html/page_charts.h"
#include "sightglass/render/text/text_renderer.h"
#include "sightglass/render/vega/vega_renderer.h"
#include "sightglass/result/json.h"
#include "spelling.h"

namespace sightglass::cli {

namespace {

TextOptions terminal_options() {
  TextOptions options;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) options.width = size.ws_col;
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  std::string locale = variable("LC_ALL");
  if (locale.empty()) locale = variable("LC_CTYPE");
  if (locale.empty()) locale = variable("LANG");
  // "C" and "POSIX" promise nothing but ASCII; an empty environment says nothing, and UTF-8 is usual.
  options.unicode = locale != "C" && locale != "POSIX";
  options.color = isatty(STDOUT_FILENO) != 0 && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
  return options;
}

const Result& only_one(const std::vector<Result>& results, const std::string& format) {
  if (results.size() == 1) return results.front();
  const bool picture = format == "vega" || format == "svg" || format == "png";
  throw Error(ErrorKind::usage, "format " + format + " takes one result at a time",
              picture ? "name one chart of their page with --chart (--list-charts shows the names), or write html"
                      : "html shows several on one page");
}

std::vector<Result> all_with_flags(const std::vector<Result>& results) {
  std::vector<Result> shown;
  for (const Result& result : results) shown.push_back(with_flags(result));
  return shown;
}

}  // namespace

std::string render_results(const std::vector<Result>& results, const std::string& format, const std::string& title) {
  if (format == "json") return to_json(only_one(results, format));
  if (format == "csv") return render_csv(only_one(results, format));
  if (format == "table") return render_text(all_with_flags(results), terminal_options());
  if (format == "vega") return render_vega(only_one(results, format));
  if (format == "html") return render_html(all_with_flags(results), title);
  if (format == "svg" || format == "png") return export_picture(render_vega(only_one(results, format)), format);
  throw Error(ErrorKind::usage, "there is no format " + printable(format),
              std::string("it is one of ") + result_formats);
}

std::string render_chart(const std::vector<Result>& results, const std::string& format, const ChartChoice& choice) {
  if (format != "vega" && format != "svg" && format != "png")
    throw Error(ErrorKind::usage, "a single chart has no format " + printable(format), "it is one of svg, png, vega");
  const auto charts = page_charts(all_with_flags(results));
  const std::string spec = to_json(chart_alone(find_chart(charts, choice.name), choice.output, choice.show)) + "\n";
  return format == "vega" ? spec : export_picture(spec, format);
}

std::string list_charts(const std::vector<Result>& results) {
  std::string out;
  for (const PageChart& chart : page_charts(all_with_flags(results))) {
    out += printable(chart.name);
    if (!chart.switches.empty()) out += fmt::format("   --show {}", fmt::join(chart.switches, ","));
    if (chart.outputs.size() > 1) out += fmt::format("   --class {}", fmt::join(chart.outputs, " | "));
    out += "\n";
  }
  return out;
}

}  // namespace sightglass::cli
