// The memory of a Python object (NumPy array, bytes, …) through the buffer protocol, kept alive and in place.
#pragma once

#include <optional>

#include "bindings.h"

namespace sightglass {

class Buffer {
 public:
  enum class Access { read, write };
  // Throws Error(data) naming `what` if the object shows no strided memory.
  Buffer(nb::handle object, Access access, std::string_view what);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  [[nodiscard]] void* data() const { return view_.buf; }
  [[nodiscard]] int dimensions() const { return view_.ndim; }
  [[nodiscard]] std::size_t length(int dimension) const { return static_cast<std::size_t>(view_.shape[dimension]); }
  [[nodiscard]] Py_ssize_t stride(int dimension) const { return view_.strides[dimension]; }
  // Nothing if the elements are of no type that a column can have.
  [[nodiscard]] std::optional<DType> type() const;

 private:
  Py_buffer view_{};
};

}  // namespace sightglass
