#include <algorithm>
#include <charconv>
#include <cmath>

#include "sightglass/methods/caveats/caveat_text_internal.h"
#include "sightglass/result/marked_ranges.h"

namespace sightglass {

namespace {

// So many caveats of one kind stand by themselves; more become one.
constexpr std::size_t most_alone = 3;
constexpr std::size_t most_ranges = 3;

Text joined(const std::vector<Text>& items, std::string_view between) {
  Text text;
  for (std::size_t i = 0; i < items.size(); ++i) text += (i == 0 ? Text() : Text(between)) + items[i];
  return text;
}

// A border between two grid points, with as many digits as keep it between them: four at the least, but whole from
// 1,000 on where that does.
std::string place_text(double value, const std::vector<double>& grid) {
  char text[400];
  const auto between = [&](const char* end) {
    double written = 0;
    std::from_chars(text, end, written);
    const auto side = [&](double point) { return (point < value ? -1 : 0) + (point > value ? 1 : 0); };
    return std::all_of(grid.begin(), grid.end(), [&](double point) {
      return side(point) == 0 || (point < written ? -1 : point > written ? 1 : 0) == side(point);
    });
  };
  const bool plain = std::abs(value) < 1e15 && (std::abs(value) >= 1e-4 || value == 0);
  if (plain && std::abs(value) >= 1000) {
    for (int decimals = 0; decimals < 6; ++decimals) {
      const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, decimals).ptr;
      if (between(end)) return {text, end};
    }
  }
  for (int digits = 4; digits < 17; ++digits) {
    const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::general, digits).ptr;
    if (between(end)) return {text, end};
  }
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

}  // namespace

std::string number_text(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::general,
                                 std::abs(value) >= 1000 && std::abs(value) < 1e6 ? 6 : 3);
  return std::string(text, end.ptr);
}

std::string percent_text(double share) { return number_text(std::round(100 * share)) + " %"; }

Text named(const std::vector<Text>& items, std::size_t most) {
  if (items.size() == 1) return items[0];
  std::vector<Text> shown(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(std::min(most, items.size())));
  Text last = std::to_string(items.size() - shown.size()) + " others";
  if (items.size() <= most + 1) shown = items;
  if (shown.size() == items.size()) {
    last = shown.back();
    shown.pop_back();
  }
  return joined(shown, ", ") + " and " + last;
}

Text named(const std::vector<std::string>& items) { return named(std::vector<Text>(items.begin(), items.end())); }

void add_findings(const CaveatText& text, std::vector<CaveatPart> findings, std::vector<Caveat>& caveats) {
  const auto add = [&](const Text& found, const Text& ending, Value evidence) {
    for (const auto& [key, value] : text.shared.as_object()) evidence.set(key, value);
    caveats.push_back({.id = text.id,
                       .severity = text.severity,
                       .message = found + ending + text.meaning,
                       .evidence = std::move(evidence),
                       .advice = text.advice,
                       .meaning = ending + text.meaning});
  };
  if (findings.size() <= most_alone) {
    for (CaveatPart& finding : findings) add(finding.text, finding.ending, std::move(finding.evidence));
    return;
  }
  std::stable_sort(findings.begin(), findings.end(),
                   [](const CaveatPart& a, const CaveatPart& b) { return a.strength > b.strength; });
  std::vector<Text> worst, others;
  Value all = Value::array();
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (i < most_alone - 1) {
      worst.push_back(findings[i].text + findings[i].ending);
    } else {
      others.push_back(findings[i].name);
    }
    all.push_back(findings[i].evidence);
  }
  Value evidence = findings[0].evidence;
  evidence.set("features", all);
  add(joined(worst, "; ") + "; also " + named(others), "", std::move(evidence));
}

Region describe_region(const Axis& axis, const std::vector<std::uint64_t>& marked) {
  Region region;
  const bool everywhere = marked.size() == axis.size();
  if (axis.is_categorical()) {
    std::vector<std::string> levels;
    for (const std::uint64_t point : marked) levels.push_back(axis.levels[point]);
    region.text = feature_name(axis.feature) + (everywhere ? Text(" at every level") : " = " + named(levels));
    region.evidence = Value(levels);
    return region;
  }
  region.evidence = Value::array();
  std::vector<std::string> ranges;
  for (const MarkedRange& range : marked_ranges(axis.numbers, marked)) {
    region.evidence.push_back(Value(std::vector<double>{range.low, range.high}));
    const auto place = [&](double value) {
      return axis.dates ? date_text(axis.dates, value) : place_text(value, axis.numbers);
    };
    const std::string low = place(range.low), high = place(range.high);
    if (range.from_start && range.to_end) {
      ranges.emplace_back("at every value");
    } else if (range.from_start) {
      ranges.push_back("below " + high);
    } else if (range.to_end) {
      ranges.push_back("above " + low);
    } else {
      ranges.push_back("between " + low + " and " + high);
    }
  }
  if (ranges.empty()) ranges.emplace_back("at infinity");
  const std::size_t count = ranges.size();
  if (count > most_ranges) {
    ranges.resize(most_ranges);
    ranges.back() = "in " + std::to_string(count - most_ranges + 1) + " other places";
  }
  region.text = feature_name(axis.feature) + " " + named(ranges);
  return region;
}

}  // namespace sightglass
