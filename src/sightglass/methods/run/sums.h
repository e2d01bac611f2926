// How what passes keep of the rows is merged, saved and loaded. A struct lists its members once:
//   struct Sums {
//     ExactSum weight;
//     std::vector<ExactMoments> outputs;
//     static auto members() { return std::tuple(&Sums::weight, &Sums::outputs); }
//   };
// Members are whole numbers (which add up), things that merge, save and load themselves, such as ExactSum, structs
// with members of their own, and lists of these, whose length is the same in every part of the data.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

#include "sightglass/base/bytes.h"
#include "sightglass/base/error.h"

namespace sightglass {

template <class T>
concept MergesItself = requires(T& sums, const T& other, ByteSink& sink, ByteSource& source) {
  sums.merge(other);
  other.save(sink);
  sums.load(source);
};
template <class T>
concept ListsMembers = requires { T::members(); };

inline void check_length(std::size_t length, std::size_t expected) {
  if (length != expected) throw Error(ErrorKind::data, "saved partial result is of other data or other options");
}

template <class T>
void merge_sums(std::vector<T>& into, const std::vector<T>& from);
template <class T>
void save_sums(const std::vector<T>& sums, ByteSink& sink);
template <class T>
void load_sums(std::vector<T>& sums, ByteSource& source);

template <class T>
void merge_sums(T& into, const T& from) {
  if constexpr (MergesItself<T>) {
    into.merge(from);
  } else if constexpr (ListsMembers<T>) {
    std::apply([&](auto... member) { (merge_sums(into.*member, from.*member), ...); }, T::members());
  } else {
    static_assert(std::unsigned_integral<T>, "sums of other kinds do not merge exactly");
    into += from;
  }
}

template <class T>
void save_sums(const T& sums, ByteSink& sink) {
  if constexpr (MergesItself<T>) {
    sums.save(sink);
  } else if constexpr (ListsMembers<T>) {
    std::apply([&](auto... member) { (save_sums(sums.*member, sink), ...); }, T::members());
  } else {
    sink.u64(sums);
  }
}

template <class T>
void load_sums(T& sums, ByteSource& source) {
  if constexpr (MergesItself<T>) {
    sums.load(source);
  } else if constexpr (ListsMembers<T>) {
    std::apply([&](auto... member) { (load_sums(sums.*member, source), ...); }, T::members());
  } else {
    sums = static_cast<T>(source.u64());
  }
}

template <class T>
void merge_sums(std::vector<T>& into, const std::vector<T>& from) {
  check_length(from.size(), into.size());
  for (std::size_t i = 0; i < into.size(); ++i) merge_sums(into[i], from[i]);
}

template <class T>
void save_sums(const std::vector<T>& sums, ByteSink& sink) {
  sink.u64(sums.size());
  for (const T& each : sums) save_sums(each, sink);
}

template <class T>
void load_sums(std::vector<T>& sums, ByteSource& source) {
  check_length(source.u64(), sums.size());
  for (T& each : sums) load_sums(each, source);
}

// Whether something was seen in any part of the data.
struct Seen {
  bool any = false;

  void merge(const Seen& other) { any = any || other.any; }
  void save(ByteSink& sink) const { sink.u64(any ? 1 : 0); }
  void load(ByteSource& source) { any = source.u64() != 0; }
};

// The least and the greatest of some numbers.
struct ValueRange {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  [[nodiscard]] bool empty() const { return low > high; }
  [[nodiscard]] bool holds(const ValueRange& other) const { return low <= other.low && other.high <= high; }
  void merge(const ValueRange& other) {
    low = std::min(low, other.low);
    high = std::max(high, other.high);
  }
  void save(ByteSink& sink) const {
    sink.f64(low);
    sink.f64(high);
  }
  void load(ByteSource& source) {
    low = source.f64();
    high = source.f64();
  }
};

// So many numbers of each of some rows, which come in any order. Rows are known by a number: their global index, or
// their position in a list of rows.
struct RowNumbers {
  RowNumbers() = default;
  explicit RowNumbers(std::size_t each) : width(each) {}

  std::size_t width = 0;
  std::vector<std::uint64_t> rows;
  std::vector<double> numbers;  // [row × width + number]

  void merge(const RowNumbers& other) {
    check_length(other.width, width);
    rows.insert(rows.end(), other.rows.begin(), other.rows.end());
    numbers.insert(numbers.end(), other.numbers.begin(), other.numbers.end());
  }
  void save(ByteSink& sink) const {
    sink.u64(rows.size());
    for (const std::uint64_t row : rows) sink.u64(row);
    for (const double number : numbers) sink.f64(number);
  }
  void load(ByteSource& source) {
    rows.resize(source.count(8 + 8 * width));
    for (std::uint64_t& row : rows) row = source.u64();
    numbers.resize(rows.size() * width);
    for (double& number : numbers) number = source.f64();
  }
};

}  // namespace sightglass
