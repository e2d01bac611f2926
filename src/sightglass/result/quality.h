// By what explanations are compared on a scorecard: how each quality is called, what it means, how it is written.
#pragma once

#include <string>
#include <string_view>

namespace sightglass {

enum class QualityFormat {
  share,    // 0.76
  percent,  // 76 %
  count,    // 8
  number,   // in units of the prediction
  note,     // words in place of the number
};

// Of what is not known: the word itself, no meaning, a number.
[[nodiscard]] std::string quality_title(std::string_view quality);
[[nodiscard]] std::string quality_meaning(std::string_view quality);
[[nodiscard]] QualityFormat quality_format(std::string_view quality);

}  // namespace sightglass
