// A non-owning row-major matrix: the shape in which models hand back predictions.
#pragma once

#include <cassert>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

namespace sightglass {

template <class T>
class MatrixSpan {
 public:
  MatrixSpan() = default;
  MatrixSpan(T* data, std::size_t rows, std::size_t columns) : data_(data), rows_(rows), columns_(columns) {}

  operator MatrixSpan<const T>() const
    requires(!std::is_const_v<T>)
  {
    return {data_, rows_, columns_};
  }

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t columns() const { return columns_; }
  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] std::span<T> row(std::size_t i) const {
    assert(i < rows_);
    return {data_ + i * columns_, columns_};
  }
  T& operator()(std::size_t i, std::size_t j) const {
    assert(i < rows_ && j < columns_);
    return data_[i * columns_ + j];
  }
  // Rows [first, first + count).
  [[nodiscard]] MatrixSpan rows(std::size_t first, std::size_t count) const {
    assert(first + count <= rows_);
    return {data_ + first * columns_, count, columns_};
  }

 private:
  T* data_ = nullptr;
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
};

class Matrix {
 public:
  Matrix() = default;
  Matrix(std::size_t rows, std::size_t columns) : data_(rows * columns), rows_(rows), columns_(columns) {}

  // Keeps the allocation where it is large enough; the contents are unspecified afterwards.
  void resize(std::size_t rows, std::size_t columns) {
    data_.resize(rows * columns);
    rows_ = rows;
    columns_ = columns;
  }
  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t columns() const { return columns_; }
  [[nodiscard]] MatrixSpan<double> span() { return {data_.data(), rows_, columns_}; }
  [[nodiscard]] MatrixSpan<const double> span() const { return {data_.data(), rows_, columns_}; }
  double operator()(std::size_t i, std::size_t j) const { return data_[i * columns_ + j]; }

 private:
  std::vector<double> data_;
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
};

}  // namespace sightglass
