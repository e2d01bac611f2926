// Categories of a model that keeps hashes of their names instead of the names, as CatBoost does.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace sightglass {

class Digest;

// The low half of CityHash64 (Pike and Alakuijala), version 1.0, of a category's name.
[[nodiscard]] std::uint32_t category_hash(std::string_view name);

class CategoryHashes {
 public:
  // A model that tells any two hashes apart: a category's code is its hash, and none is unseen.
  CategoryHashes() = default;
  // The code of each hash that the model knows; hashes with the same code are the same to it.
  explicit CategoryHashes(std::vector<std::pair<std::uint32_t, std::uint32_t>> codes);

  // Nothing for a category that the model has never seen.
  [[nodiscard]] std::optional<double> code(std::string_view name) const;
  // Of a whole number, which is called by its digits; throws Error(data) for a fraction, which is no category.
  [[nodiscard]] std::optional<double> code(double number) const;
  void add_to(Digest& digest) const;

 private:
  bool all_known_ = true;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> codes_;  // sorted
};

}  // namespace sightglass
