#include "sightglass/base/nearest_name.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <numeric>
#include <utility>

namespace sightglass {

namespace {

// A long name costs quadratic time and nobody mistypes one.
constexpr std::size_t longest_name = 64;
// Two letters begin too many names.
constexpr std::size_t shortest_beginning = 3;

// What other libraries (scikit-learn, shap, DALEX, alibi, DiCE, ELI5) call it, and what it is here; plain() spelling.
// Where neither is among the names that there are, the word says nothing.
constexpr std::array other_words = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"backgrounddata", "background-rows"},
    {"centered", "center"},
    {"classnames", "classes"},
    {"classname", "class"},
    {"criterion", "loss"},
    {"databackground", "background-data"},
    {"desiredclass", "want"},
    {"featurenames", "features"},
    {"featureimportance", "permutation-importance"},
    {"featureimportances", "permutation-importance"},
    {"importance", "permutation-importance"},
    {"gridpoints", "grid"},
    {"gridsize", "grid"},
    {"groupby", "by"},
    {"hue", "by"},
    {"individualconditionalexpectation", "ice"},
    {"loss", "losses"},
    {"lossfunction", "losses"},
    {"maxdisplay", "top"},
    {"maxevals", "predictions"},
    {"maxsamples", "sample"},
    {"metric", "losses"},
    {"metrics", "losses"},
    {"numbins", "bins"},
    {"ngrid", "grid"},
    {"njobs", "threads"},
    {"npermutations", "repeats"},
    {"numpermutations", "repeats"},
    {"npoints", "grid"},
    {"nsample", "sample"},
    {"nsamples", "predictions"},
    {"numthreads", "threads"},
    {"nthread", "threads"},
    {"nthreads", "threads"},
    {"permutations", "repeats"},
    {"permutationscount", "repeats"},
    {"randomseed", "seed"},
    {"row", "rows"},
    {"index", "rows"},
    {"instances", "rows"},
    {"sampleweight", "weights"},
    {"sampleweights", "weights"},
    {"scoring", "losses"},
    {"subsample", "sample"},
    {"timelimit", "budget"},
    {"time", "budget"},
    {"timeout", "budget"},
    {"totalcfs", "count"},
    {"totalcounterfactuals", "count"},
    {"ylabel", "target"},
    {"label", "target"},
    {"y", "target"},
});

// "--Sample_Weight" is "sampleweight": how a name is written matters less than what it says. Letters beyond ASCII stay.
std::string plain(std::string_view name) {
  std::string letters;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80 || std::isalnum(byte) != 0) letters += static_cast<char>(byte < 0x80 ? std::tolower(byte) : byte);
  }
  return letters;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

std::string word_of_others(const std::string& letters, const std::vector<std::string>& names) {
  for (const auto& [word, here] : other_words) {
    if (word != letters) continue;
    const auto found = std::find_if(names.begin(), names.end(),
                                    [here = here](const std::string& each) { return plain(each) == plain(here); });
    if (found != names.end()) return *found;
  }
  return {};
}

// How far a name is from the one that is meant; the smallest is the nearest.
//   0 the same but for case and separators; 1 a slip; 2 the beginning of the other, the shorter the better;
//   3 more slips; 4 a word of it.
struct Distance {
  int kind = 5;
  std::size_t letters = 0;
  [[nodiscard]] bool operator<(const Distance& other) const {
    return std::pair(kind, letters) < std::pair(other.kind, other.letters);
  }
};

Distance distance(const std::string& wanted, const std::string& candidate) {
  if (wanted.empty() || candidate.empty()) return {};
  if (wanted == candidate) return {.kind = 0};
  const std::size_t longer = std::max(wanted.size(), candidate.size());
  const std::size_t shorter = std::min(wanted.size(), candidate.size());
  // A name as far away as it is long has nothing in common with it.
  const std::size_t far = std::min(std::max<std::size_t>(2, wanted.size() / 3) + 1, wanted.size());
  const std::size_t slips = longer - shorter < far ? edit_distance(wanted, candidate) : far;
  if (slips == 1 && slips < far && shorter > 2) return {.kind = 1};
  const bool begins = candidate.starts_with(wanted) || wanted.starts_with(candidate);
  if (begins && shorter >= shortest_beginning) return {.kind = 2, .letters = longer - shorter};
  if (slips < far) return {.kind = 3, .letters = slips};
  if (shorter >= shortest_beginning && candidate.find(wanted) != std::string::npos)
    return {.kind = 4, .letters = longer - shorter};
  return {};
}

}  // namespace

std::string nearest_name(std::string_view name, const std::vector<std::string>& names) {
  if (name.size() > longest_name) return {};
  const std::string wanted = plain(name);
  // Names of signs alone: as they are.
  const bool as_written = wanted.empty();
  Distance least;
  std::string best;
  for (const std::string& candidate : names) {
    if (candidate.size() > longest_name) continue;
    const Distance found = as_written ? distance(std::string(name), candidate) : distance(wanted, plain(candidate));
    if (found < least) {
      least = found;
      best = candidate;
    }
  }
  if (least.kind <= 1) return best;
  const std::string known = word_of_others(wanted, names);
  return known.empty() ? best : known;
}

}  // namespace sightglass
