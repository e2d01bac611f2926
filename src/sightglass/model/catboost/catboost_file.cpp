#include <algorithm>

#include "sightglass/model/catboost/catboost_file_internal.h"

namespace sightglass {

std::optional<std::size_t> CatboostTable::row(std::uint64_t hash) const {
  const auto at = std::lower_bound(rows.begin(), rows.end(), hash,
                                   [](const auto& entry, std::uint64_t wanted) { return entry.first < wanted; });
  if (at == rows.end() || at->first != hash) return std::nullopt;
  return at->second;
}

float CatboostCtr::value(const CatboostTable& counted, std::optional<std::size_t> row) const {
  const auto ratio = [&](float good, float all) {
    const float ctr = (good + prior_numerator) / (all + prior_denominator);
    return (ctr + shift) * scale;
  };
  const auto count = [&](std::size_t k) { return std::int64_t{counted.counts[*row * counted.width + k]}; };
  switch (counted.type) {
    case CatboostCtrType::binarized_mean:
    case CatboostCtrType::float_mean:
      return row ? ratio(counted.sums[*row], static_cast<float>(counted.counts[*row])) : ratio(0, 0);
    case CatboostCtrType::counter:
    case CatboostCtrType::frequency:
      return ratio(row ? static_cast<float>(count(0)) : 0, static_cast<float>(counted.denominator));
    case CatboostCtrType::borders:
    case CatboostCtrType::buckets: break;
  }
  if (!row) return ratio(0, 0);
  // Rows of the target's class, or of all classes above a border of the target.
  const bool above = counted.type == CatboostCtrType::borders;
  const std::size_t border = counted.width == 2 && above ? 0 : static_cast<std::size_t>(target_border);
  std::int64_t good = 0, all = 0;
  for (std::size_t k = 0; k < counted.width; ++k) {
    all += count(k);
    if (above ? k > border : k == border) good += count(k);
  }
  return ratio(static_cast<float>(good), static_cast<float>(all));
}

std::vector<CatboostSplit> catboost_splits(const CatboostFile& file) {
  std::vector<CatboostSplit> splits;
  const auto add = [&](CatboostSplit::Kind kind, std::size_t owner, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      splits.push_back(
          {.kind = kind, .owner = static_cast<std::uint32_t>(owner), .position = static_cast<std::uint32_t>(i)});
    }
  };
  using Kind = CatboostSplit::Kind;
  for (std::size_t i = 0; i < file.numbers.size(); ++i) add(Kind::number, i, file.numbers[i].borders.size());
  for (std::size_t i = 0; i < file.one_hots.size(); ++i) add(Kind::one_hot, i, file.one_hots[i].values.size());
  for (std::size_t i = 0; i < file.ctrs.size(); ++i) add(Kind::ctr, i, file.ctrs[i].borders.size());
  return splits;
}

}  // namespace sightglass
