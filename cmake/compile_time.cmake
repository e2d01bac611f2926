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

# Files of one folder are compiled a few at a time, as if they were one: headers are read and templates made once for all of
# them, which halves the time of a build from nothing. Names in anonymous namespaces therefore differ within a folder. Left
# alone is what has options of its own, methods, each of which is made of templates of its own (together they take as long, and
# longer after a change), and the lists that tests/made_up links its own in place of. Off for static checks, which look at each
# file by itself.
option(SIGHTGLASS_COMPILE_TOGETHER "Compile the files of a folder a few at a time" ON)
# After a change its whole group is compiled: as few seconds as a large file takes. The sanitized build is mostly made from
# nothing, so there groups are larger, and rooms in which no two names are the same are one folder.
set(sightglass_group_bytes 48000)
set(sightglass_whole_rooms)
if(SIGHTGLASS_SANITIZE)
  set(sightglass_group_bytes 120000)
  set(sightglass_whole_rooms "^(sightglass/(base|numeric|plans|insight|render))/.*$")
endif()

# sightglass_compile_together(OUT GROUP OPTIONS SOURCE...): OUT is what to compile instead of the sources, with these options.
function(sightglass_compile_together out group_name options)
  set(alone "/sightglass/(methods/(effects|importance|interactions|local|surrogates|examples)/[a-z0-9_]+|methods/registry|render/shape_views|result/json_(read|schema))\\.cpp$")
  set(outcome)
  set(groups)
  list(SORT ARGN)
  foreach(source ${ARGN})
    get_source_file_property(own_options ${source} COMPILE_OPTIONS)
    get_source_file_property(own_definitions ${source} COMPILE_DEFINITIONS)
    if(NOT own_options)
      set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "${options}")
    endif()
    if(NOT SIGHTGLASS_COMPILE_TOGETHER OR own_options OR own_definitions OR source MATCHES "${alone}")
      list(APPEND outcome ${source})
      continue()
    endif()
    # Below src/ or the folder of all, so that ccache takes a group for the same in every clone.
    file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${source})
    string(REGEX REPLACE "^src/" "" path "${path}")
    get_filename_component(folder ${path} DIRECTORY)
    if(sightglass_whole_rooms)
      string(REGEX REPLACE "${sightglass_whole_rooms}" "\\1" folder "${folder}/")
      string(REGEX REPLACE "/$" "" folder "${folder}")
    endif()
    if(NOT DEFINED size_${folder} OR size_${folder} GREATER sightglass_group_bytes)
      math(EXPR number_${folder} "0${number_${folder}} + 1")
      string(REPLACE "/" "_" name "${folder}")
      set(group_${folder} ${PROJECT_BINARY_DIR}/${group_name}/${name}_${number_${folder}}.cpp)
      list(APPEND groups ${group_${folder}})
      set(size_${folder} 0)
    endif()
    file(SIZE ${source} bytes)
    math(EXPR size_${folder} "${size_${folder}} + ${bytes}")
    string(APPEND contents_${group_${folder}} "#include \"${path}\"\n")
  endforeach()
  foreach(group ${groups})
    file(CONFIGURE OUTPUT ${group} CONTENT "${contents_${group}}" @ONLY)
    # A neighbour's name is no outer one, and what is in an anonymous namespace is in no header.
    set_source_files_properties(${group} PROPERTIES COMPILE_OPTIONS "${options};-Wno-shadow;-Wno-subobject-linkage")
  endforeach()
  set(${out} ${outcome} ${groups} PARENT_SCOPE)
endfunction()

# sightglass_tests_together(OUT TEST...): the same for tests, which are half of what is compiled. Their helpers have the same names
# everywhere, so within a group each file's `namespace sightglass` is one of its own inside ours; what the files include comes
# before that, once. Left alone is what spells the namespace otherwise, or has definitions of its own.
function(sightglass_tests_together out)
  if(NOT SIGHTGLASS_COMPILE_TOGETHER)
    set(${out} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  # What a test includes may change with every edit.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARGN})
  set(outcome)
  set(groups)
  list(SORT ARGN)
  foreach(test ${ARGN})
    get_source_file_property(definitions ${test} COMPILE_DEFINITIONS)
    file(STRINGS ${test} qualified REGEX "sightglass::|using namespace sightglass")
    if(qualified OR definitions MATCHES "SIGHTGLASS_WORKER")
      list(APPEND outcome ${test})
      continue()
    endif()
    # A room's tests together; those that know where the sources are apart, since ccache shares no path between clones.
    file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${test})
    string(REGEX MATCH "^(src/sightglass/)?([a-z]+)/" room "${path}")
    set(room ${CMAKE_MATCH_2})
    if(definitions)
      set(room "${room}_files")
    endif()
    if(NOT DEFINED size_${room} OR size_${room} GREATER sightglass_group_bytes)
      math(EXPR number_${room} "0${number_${room}} + 1")
      set(group_${room} ${PROJECT_BINARY_DIR}/tests/together/${room}_${number_${room}}.cpp)
      list(APPEND groups ${group_${room}})
      set(size_${room} 0)
      if(definitions)
        set_source_files_properties(${group_${room}} PROPERTIES COMPILE_DEFINITIONS "${definitions}")
      endif()
    endif()
    set(group ${group_${room}})
    file(SIZE ${test} bytes)
    math(EXPR size_${room} "${size_${room}} + ${bytes}")
    file(STRINGS ${test} includes REGEX "^#include")
    list(APPEND includes_${group} ${includes})
    string(MAKE_C_IDENTIFIER "tests_of_${path}" inner)
    string(APPEND contents_${group} "#define sightglass sightglass::${inner}\n#include \"${path}\"\n#undef sightglass\n")
  endforeach()
  foreach(group ${groups})
    list(REMOVE_DUPLICATES includes_${group})
    list(JOIN includes_${group} "\n" includes)
    file(CONFIGURE OUTPUT ${group} CONTENT "${includes}\n${contents_${group}}" @ONLY)
    set_source_files_properties(${group} PROPERTIES COMPILE_OPTIONS "-Wno-shadow")
  endforeach()
  set(${out} ${outcome} ${groups} PARENT_SCOPE)
endfunction()
