#include "buffer.h"

#include <string>
#include <string_view>

namespace sightglass {

Buffer::Buffer(nb::handle object, Access access, std::string_view what) {
  const int flags = PyBUF_STRIDED_RO | PyBUF_FORMAT | (access == Access::write ? PyBUF_WRITABLE : 0);
  if (PyObject_GetBuffer(object.ptr(), &view_, flags) != 0) {
    PyErr_Clear();
    throw Error(ErrorKind::data, std::string(what) + ": the values are not laid out as an array of numbers");
  }
}

Buffer::~Buffer() {
  // Columns die with the last table that holds them, on whatever thread that happens.
  if (!nb::is_alive()) return;
  const nb::gil_scoped_acquire gil;
  PyBuffer_Release(&view_);
}

std::optional<DType> Buffer::type() const {
  const char* format = view_.format == nullptr ? "B" : view_.format;
  if (*format == '@' || *format == '=' || *format == '<') ++format;
  if (format[0] == '\0' || format[1] != '\0') return std::nullopt;
  const auto by_size = [&](DType one, DType two, DType four, DType eight) -> std::optional<DType> {
    switch (view_.itemsize) {
      case 1: return one;
      case 2: return two;
      case 4: return four;
      case 8: return eight;
      default: return std::nullopt;
    }
  };
  if (*format == 'd') return DType::float64;
  if (*format == 'f') return DType::float32;
  if (*format == '?') return DType::boolean;
  if (std::string_view("bhilqn").find(*format) != std::string_view::npos)
    return by_size(DType::int8, DType::int16, DType::int32, DType::int64);
  if (std::string_view("BHILQN").find(*format) != std::string_view::npos)
    return by_size(DType::uint8, DType::uint16, DType::uint32, DType::uint64);
  return std::nullopt;
}

}  // namespace sightglass
