// From a column's type at run time to a C++ type at compile time.
#pragma once

#include <cstdint>

#include "sightglass/base/error.h"
#include "sightglass/data/schema.h"

namespace sightglass {

// Calls visit(T{}) with the C++ type behind a column type.
template <class Visit>
decltype(auto) with_type(DType type, Visit&& visit) {
  switch (type) {
    case DType::float64: return visit(double{});
    case DType::float32: return visit(float{});
    case DType::int64: return visit(std::int64_t{});
    case DType::int32:
    case DType::categorical: return visit(std::int32_t{});
    case DType::int16: return visit(std::int16_t{});
    case DType::int8: return visit(std::int8_t{});
    case DType::uint64: return visit(std::uint64_t{});
    case DType::uint32: return visit(std::uint32_t{});
    case DType::uint16: return visit(std::uint16_t{});
    case DType::uint8:
    case DType::boolean: return visit(std::uint8_t{});
  }
  throw Error(ErrorKind::internal, "unknown column type");
}

}  // namespace sightglass
