#include "sightglass/base/same_words.h"

#include <algorithm>
#include <iterator>

namespace sightglass {

namespace {

constexpr std::pair<std::string_view, std::string_view> words_of_others[] = {
    {"metric", "losses"},       {"metrics", "losses"},       {"loss", "losses"},         {"feature", "features"},
    {"class_names", "classes"}, {"output_names", "classes"}, {"target_class", "output"}, {"row", "rows"},
    {"desired_class", "want"},
};

}  // namespace

std::span<const std::pair<std::string_view, std::string_view>> same_words() { return words_of_others; }

std::string_view same_word(std::string_view word) {
  const auto* const found = std::find_if(std::begin(words_of_others), std::end(words_of_others),
                                         [&](const auto& pair) { return pair.first == word; });
  return found == std::end(words_of_others) ? std::string_view() : found->second;
}

}  // namespace sightglass
