#include <algorithm>
#include <charconv>
#include <cmath>

#include "sightglass/methods/caveat_text_internal.h"

namespace sightglass {

namespace {

// So many caveats of one kind stand by themselves; more become one.
constexpr std::size_t most_alone = 3;
constexpr std::size_t most_ranges = 3;

std::string joined(const std::vector<std::string>& items, std::string_view between) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) text += (i == 0 ? "" : std::string(between)) + items[i];
  return text;
}

}  // namespace

std::string number_text(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::general,
                                 std::abs(value) >= 1000 && std::abs(value) < 1e6 ? 6 : 3);
  return std::string(text, end.ptr);
}

std::string percent_text(double share) { return number_text(std::round(100 * share)) + " %"; }

std::string named(const std::vector<std::string>& items, std::size_t most) {
  if (items.size() == 1) return items[0];
  std::vector<std::string> shown(items.begin(),
                                 items.begin() + static_cast<std::ptrdiff_t>(std::min(most, items.size())));
  std::string last = std::to_string(items.size() - shown.size()) + " others";
  if (items.size() <= most + 1) shown = items;
  if (shown.size() == items.size()) {
    last = shown.back();
    shown.pop_back();
  }
  return joined(shown, ", ") + " and " + last;
}

void add_findings(const CaveatText& text, std::vector<Finding> findings, std::vector<Caveat>& caveats) {
  const auto add = [&](std::string message, Value evidence) {
    for (const auto& [key, value] : text.shared.as_object()) evidence.set(key, value);
    caveats.push_back({.id = text.id,
                       .severity = text.severity,
                       .message = std::move(message) + text.meaning,
                       .evidence = std::move(evidence),
                       .advice = text.advice});
  };
  if (findings.size() <= most_alone) {
    for (Finding& finding : findings) add(finding.text, std::move(finding.evidence));
    return;
  }
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return a.strength > b.strength; });
  std::vector<std::string> worst, others;
  Value all = Value::array();
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (i < most_alone - 1) {
      worst.push_back(findings[i].text);
    } else {
      others.push_back(findings[i].feature);
    }
    all.push_back(findings[i].evidence);
  }
  Value evidence = findings[0].evidence;
  evidence.set("features", all);
  add(joined(worst, "; ") + "; also " + named(others), std::move(evidence));
}

Region describe_region(const Axis& axis, const std::vector<std::uint64_t>& marked) {
  Region region;
  const bool everywhere = marked.size() == axis.size();
  if (axis.is_categorical()) {
    std::vector<std::string> levels;
    for (const std::uint64_t point : marked) levels.push_back(axis.levels[point]);
    region.text = axis.feature + (everywhere ? " at every level" : " = " + named(levels));
    region.evidence = Value(levels);
    return region;
  }
  region.evidence = Value::array();
  std::vector<std::string> ranges;
  for (std::size_t i = 0; i < marked.size();) {
    std::size_t end = i;
    while (end + 1 < marked.size() && marked[end + 1] == marked[end] + 1) ++end;
    const std::size_t first = marked[i], last = marked[end];
    region.evidence.push_back(Value(std::vector<double>{axis.numbers[first], axis.numbers[last]}));
    if (everywhere) {
      ranges.push_back("at every value");
    } else if (first == 0) {
      ranges.push_back("below " + number_text(axis.numbers[last + 1]));
    } else if (last + 1 == axis.size()) {
      ranges.push_back("above " + number_text(axis.numbers[first - 1]));
    } else {
      ranges.push_back("between " + number_text(axis.numbers[first - 1]) + " and " +
                       number_text(axis.numbers[last + 1]));
    }
    i = end + 1;
  }
  const std::size_t count = ranges.size();
  if (count > most_ranges) {
    ranges.resize(most_ranges);
    ranges.back() = "in " + std::to_string(count - most_ranges + 1) + " other places";
  }
  region.text = axis.feature + " " + named(ranges);
  return region;
}

}  // namespace sightglass
