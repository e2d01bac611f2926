add_library(sightglass_warnings INTERFACE)
target_compile_options(sightglass_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                                     -Wno-sign-conversion -Wno-missing-field-initializers -Wnon-virtual-dtor -Werror)
if(SIGHTGLASS_SANITIZE)
  add_compile_options(-fsanitize=${SIGHTGLASS_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${SIGHTGLASS_SANITIZE})
endif()
