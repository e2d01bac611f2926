// Rows whose patterns are the same, together: found by hashing, as most rows share their pattern with many others.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sightglass {

class PatternGroups {
 public:
  // patterns: `words` numbers of each row; rows: which of them to take.
  void find(const std::uint64_t* patterns, std::size_t words, std::span<const std::uint32_t> rows);

  // Groups are numbered as they come.
  [[nodiscard]] std::size_t size() const { return first_.size(); }
  // The first row of each group.
  [[nodiscard]] const std::vector<std::uint32_t>& first() const { return first_; }
  // The group of each row that was taken.
  [[nodiscard]] const std::vector<std::uint32_t>& of() const { return of_; }

 private:
  void grow();

  std::vector<std::uint32_t> first_, of_;
  std::vector<std::uint64_t> hashes_;  // per group
  std::vector<std::uint32_t> table_;   // number of a group, and one more; 0 = free
};

}  // namespace sightglass
