// A result for a terminal: a small chart and a table per item, cautions at the end, worst first.
#pragma once

#include <string>
#include <vector>

#include "sightglass/result/result.h"

namespace sightglass {

struct TextOptions {
  int width = 80;       // columns; at least 60 are used
  bool unicode = true;  // braille, blocks and box lines; otherwise ASCII only, except in names
  bool color = false;   // ANSI colours
};

[[nodiscard]] std::string render_text(const Result& result, const TextOptions& options = {});
// Of several: what to know first, then one after the other.
[[nodiscard]] std::string render_text(const std::vector<Result>& results, const TextOptions& options = {});

}  // namespace sightglass
