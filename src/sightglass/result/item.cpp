#include "sightglass/result/item.h"

#include <algorithm>

#include "sightglass/base/error.h"

namespace sightglass {

std::string ResultItem::words_of(std::string_view type) {
  std::string words = printable(type, 60);
  std::replace(words.begin(), words.end(), '_', ' ');
  if (!words.empty() && words[0] >= 'a' && words[0] <= 'z') words[0] = static_cast<char>(words[0] - 'a' + 'A');
  return words;
}

}  // namespace sightglass
