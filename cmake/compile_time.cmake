# GCC may use half a gigabyte before it looks for memory to take back: a twentieth of its time.
add_compile_options($<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=524288>)

# Headers of the standard library are read once per target instead of once per file: a fifth of the time of a build from
# nothing. Headers of our own do not belong here: each change of one would compile everything anew. Only the sanitized build has
# them, which is mostly made from nothing: a quarter of its time.
set(headers_of_many)
if(SIGHTGLASS_SANITIZE)
  set(headers_of_many base/options.h base/bytes.h learn/training_data.h methods/run/method.h model/evaluator.h
                      model/trees/ensemble.h result/result.h)
  list(TRANSFORM headers_of_many PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/src/sightglass/)
endif()
function(sightglass_precompile target)
  target_precompile_headers(
    ${target}
    PRIVATE
    <algorithm>
    <array>
    <bit>
    <charconv>
    <cmath>
    <cstddef>
    <cstdint>
    <cstring>
    <functional>
    <limits>
    <map>
    <memory>
    <numeric>
    <optional>
    <set>
    <span>
    <string>
    <string_view>
    <type_traits>
    <utility>
    <variant>
    <vector>
    ${headers_of_many}
    ${ARGN})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Without it ccache does not see what the precompiled header was made of.
    target_compile_options(${target} PRIVATE -fpch-preprocess)
  elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # Nor take it for the same one.
    target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endfunction()
