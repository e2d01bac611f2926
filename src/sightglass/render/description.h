// A picture in words: what it shows, for those who cannot see it; how to read it; its verdicts.
#pragma once

#include <string>
#include <vector>

#include "sightglass/insight/groups.h"
#include "sightglass/insight/groups/curve_lines.h"

namespace sightglass {

// Where it starts, peaks and ends; of many lines only those that move most.
[[nodiscard]] std::string describe(const Result& result, const ItemGroup& group);
// Of a chart whose lines can be hidden: what all of them have in common, then what each adds to it.
struct LineWords {
  std::string chip, text;
};
[[nodiscard]] std::string describe_frame(const Result& result, const CurveLines& group);
[[nodiscard]] LineWords describe_line(const CurveLines& group, std::size_t line);
// What lines, bands, bars and shades mean.
[[nodiscard]] std::string how_to_read(const Result& result, const ItemGroup& group);
// Short verdicts: "monotone shape", "heterogeneity 12 %".
[[nodiscard]] std::vector<std::string> badges(const ItemGroup& group);

// The words of one shape; what is null is not said.
struct ShapeWords {
  std::string (*describe)(const Result& result, const ItemGroup& group) = nullptr;
  std::string (*how_to_read)(const Result& result, const ItemGroup& group) = nullptr;
  std::vector<std::string> (*badges)(const ItemGroup& group) = nullptr;
};
// Words about one kind of group, as words about any.
template <auto describe, auto read, auto badges = nullptr>
constexpr ShapeWords words_by() {
  ShapeWords words{[](const Result& result, const ItemGroup& group) { return describe(result, group); },
                   [](const Result&, const ItemGroup& group) { return read(group); }};
  if constexpr (badges != nullptr) words.badges = [](const ItemGroup& group) { return badges(group); };
  return words;
}

extern const ShapeWords curve_words, curves_words, surface_words, importance_words, interaction_words,
    attribution_words, figure_words;

}  // namespace sightglass
