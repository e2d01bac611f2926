#include "sightglass/render/html/page_charts.h"

#include <algorithm>
#include <map>

#include "sightglass/base/error.h"
#include "sightglass/insight/groups.h"
#include "sightglass/insight/readable.h"
#include "sightglass/render/html/draft_internal.h"

namespace sightglass {

namespace {

constexpr std::size_t most_named = 12;  // charts in a message
constexpr std::string_view switch_prefix = "show_";

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string out;
  for (const auto& word : words) out += (out.empty() ? "" : std::string(between)) + word;
  return out;
}

// "What if" becomes "what-if".
std::string as_word(const std::string& text) {
  std::string word;
  for (const char c : text) {
    const bool upper = c >= 'A' && c <= 'Z', plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (upper || plain) {
      word += upper ? static_cast<char>(c - 'A' + 'a') : c;
    } else if (!word.empty() && word.back() != '-') {
      word += '-';
    }
  }
  return word;
}

PageChart chart_of(const html::Versions& versions) {
  PageChart made;
  const Value& first = versions.charts[0];
  for (const Value& chart : versions.charts) made.specs.push_back(*chart.find("spec"));
  made.outputs = versions.outputs;
  for (const auto& choice : first.find("choices")->as_array()) {
    for (const auto& option : choice.find("options")->as_array()) made.outputs.push_back(option.as_string());
  }
  for (const auto& toggle : first.find("toggles")->as_array())
    made.switches.push_back(toggle.find("signal")->as_string().substr(switch_prefix.size()));
  return made;
}

// Those that the one who asked may have meant, or some.
std::string known_names(const std::vector<PageChart>& charts, const std::string& asked) {
  std::vector<std::string> close, all;
  for (const auto& chart : charts) {
    all.push_back(printable(chart.name, 100));
    if (chart.name.find(asked) != std::string::npos) close.push_back(all.back());
  }
  std::vector<std::string>& names = close.empty() ? all : close;
  names.resize(std::min(names.size(), most_named));
  if (names.size() < charts.size()) names.push_back(std::to_string(charts.size() - names.size()) + " more");
  return joined(names, ", ");
}

void set_signal(Value& spec, const std::string& name, const Value& value) {
  Value params = Value::array();
  for (Value param : spec.find("params")->as_array()) {
    if (param.find("name")->as_string() == name) param.set("value", value);
    params.push_back(param);
  }
  spec.set("params", params);
}

void check_known(const std::string& word, const std::vector<std::string>& known, const PageChart& chart,
                 const char* what) {
  if (std::find(known.begin(), known.end(), word) != known.end()) return;
  throw Error(ErrorKind::usage, "the chart " + printable(chart.name, 100) + " has no " + what + " " + printable(word),
              known.empty() ? "there is nothing to choose" : "it has " + printable(joined(known, ", "), 400));
}

}  // namespace

std::vector<PageChart> page_charts(const std::vector<Result>& results) {
  html::Draft draft(results);
  std::vector<PageChart> charts;
  std::map<std::string, int> seen;
  for (const auto& chapter : html::chapters_of(draft)) {
    for (const auto place : chapter.sections) {
      const html::Section& section = draft.sections()[place];
      for (const html::Versions& chart : section.charts) {
        PageChart made = chart_of(chart);
        const std::string &method = chart.method, &about = chart.about;
        made.name =
            chapter.id + "/" + (section.features.empty() ? as_word(section.title) : joined(section.features, ":"));
        // The first chart of a section is the one to start with.
        if (&chart != section.charts.data()) made.name += "/" + as_word(method);
        if (const int times = ++seen[made.name]; times > 1) made.name += "/" + std::to_string(times);
        made.title =
            section.title + (method == section.title ? "" : " · " + method) + (about.empty() ? "" : " · " + about);
        if (!draft.different_rows()) made.rows = rows_condition(results[0]);
        charts.push_back(std::move(made));
      }
    }
  }
  return charts;
}

const PageChart& find_chart(const std::vector<PageChart>& charts, const std::string& name) {
  std::vector<const PageChart*> found;
  for (const auto& chart : charts) {
    if (chart.name == name) return chart;
    if (chart.name.ends_with("/" + name)) found.push_back(&chart);
  }
  if (found.size() == 1) return *found[0];
  throw Error(ErrorKind::usage,
              (found.empty() ? "there is no chart " : "more than one chart is called ") + printable(name, 100),
              charts.empty() ? "the results have nothing to draw" : "there are " + known_names(charts, name));
}

Value chart_alone(const PageChart& chart, const std::string& asked, const std::vector<std::string>& show) {
  // As charts call it: a class may be called "constructor".
  const std::string output = ordinary_name(asked);
  if (!output.empty()) check_known(output, chart.outputs, chart, "output");
  const bool has_versions = chart.specs.size() > 1;
  const auto shown = std::find(chart.outputs.begin(), chart.outputs.end(), output);
  const bool chosen = shown != chart.outputs.end();
  Value spec = chart.specs[has_versions && chosen ? static_cast<std::size_t>(shown - chart.outputs.begin()) : 0];
  const bool has_signal = !has_versions && chart.outputs.size() > 1;
  if (chosen && has_signal) set_signal(spec, "output", output);
  for (const auto& part : show) check_known(part, chart.switches, chart, "part");
  for (const auto& part : chart.switches) {
    const bool on = std::find(show.begin(), show.end(), part) != show.end();
    if (!show.empty()) set_signal(spec, std::string(switch_prefix) + part, on);
  }
  Value lines = Value::array().push_back(printable(chart.title, 200));
  // A picture travels alone.
  if (!chart.rows.empty()) lines.push_back("only rows where " + chart.rows);
  Value title = Value::object({{"text", lines}, {"anchor", "start"}, {"limit", 640}});
  if (has_signal) {
    title.set("subtitle", Value::object({{"expr", "output"}}));
  } else if (!chart.outputs.empty()) {
    title.set("subtitle", chosen ? output : chart.outputs[0]);
  }
  return spec.set("title", title);
}

}  // namespace sightglass
