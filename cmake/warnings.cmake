add_library(sightglass_warnings INTERFACE)
target_compile_options(sightglass_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                                     -Wno-sign-conversion -Wno-missing-field-initializers -Wnon-virtual-dtor -Werror)
# GCC 12 sees overlapping copies in every other string concatenation (its bug 105651), and too long ones once the standard
# headers are precompiled.
target_compile_options(sightglass_warnings INTERFACE "$<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-stringop-overflow;-Wno-array-bounds>")
if(SIGHTGLASS_SANITIZE)
  add_compile_options(-fsanitize=${SIGHTGLASS_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  # Sanitizers are not there yet when the loader chooses among kernels: the plain ones are tested.
  add_compile_definitions(SIGHTGLASS_PLAIN_KERNELS)
  add_link_options(-fsanitize=${SIGHTGLASS_SANITIZE})
endif()
if(SIGHTGLASS_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
