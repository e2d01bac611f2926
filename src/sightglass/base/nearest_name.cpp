#include "sightglass/base/nearest_name.h"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace sightglass {

namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      // Case is the most common slip of all.
      const bool same =
          std::tolower(static_cast<unsigned char>(a[i - 1])) == std::tolower(static_cast<unsigned char>(b[j - 1]));
      const std::size_t replaced = diagonal + (same ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view name, const std::vector<std::string>& names) {
  // A long name costs quadratic time and nobody mistypes one.
  constexpr std::size_t longest_name = 64;
  if (name.size() > longest_name) return {};
  std::string best;
  // A name as far away as it is long has nothing in common with it.
  std::size_t least = std::min(std::max<std::size_t>(2, name.size() / 3) + 1, name.size());
  for (const auto& candidate : names) {
    const std::size_t longer = std::max(name.size(), candidate.size());
    if (longer > longest_name || longer - std::min(name.size(), candidate.size()) >= least) continue;
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace sightglass
