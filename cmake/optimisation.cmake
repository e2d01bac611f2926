# Nobody looks at floating point exceptions; while they count, GCC takes no choice between numbers for several rows at once.
# Sanitizers watch plain code.
if(NOT SIGHTGLASS_SANITIZE)
  set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/src/sightglass/learn/panels/svm.cpp
                              ${CMAKE_CURRENT_SOURCE_DIR}/src/sightglass/methods/local/shapley/mixed_rows.cpp
                              ${CMAKE_CURRENT_SOURCE_DIR}/src/sightglass/model/learned/panels.cpp
                              PROPERTIES COMPILE_OPTIONS "-fno-trapping-math" SKIP_PRECOMPILE_HEADERS ON)
  # AVX-512 comes with fused products and sums, which other processors do not have: all are to give the same bytes.
  set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/src/sightglass/learn/prototypes/kernel_tiles.cpp
                              ${CMAKE_CURRENT_SOURCE_DIR}/src/sightglass/model/learned/neighbors/neighbor_search.cpp
                              ${CMAKE_CURRENT_SOURCE_DIR}/src/sightglass/methods/local/lime/split_shares.cpp
                              ${CMAKE_CURRENT_SOURCE_DIR}/src/sightglass/methods/local/lime/measured_lines.cpp
                              ${CMAKE_CURRENT_SOURCE_DIR}/src/sightglass/methods/local/pieces/common_bits.cpp
                              PROPERTIES COMPILE_OPTIONS "-ffp-contract=off" SKIP_PRECOMPILE_HEADERS ON)
endif()

# How hard the compiler tries, by folder: most of a build's time is optimisation. Where rows are read, counted, summed and
# walked through trees it tries hardest (data, models, numbers, what learners and methods stand on), and in whatever is compiled for each
# processor. All else asks these, or makes words and pictures. Not -Og, which compiles hardly faster and inlines nothing.
set(hurried_sources)
set(unhurried_sources)
foreach(source ${library_sources})
  file(STRINGS ${source} kernel REGEX "^SIGHTGLASS_FOR_EACH_")
  if(kernel OR (source MATCHES "/src/sightglass/(data|model|numeric|learn/[a-z]+|methods/(run|rows|grid|losses)|methods/[a-z]+/[a-z]+)/"
                AND NOT source MATCHES "/model/(readers|remote)/"))
    list(APPEND hurried_sources ${source})
  else()
    list(APPEND unhurried_sources ${source})
  endif()
endforeach()
if(SIGHTGLASS_SANITIZE)
  # Learners read no hostile input: what trains them is checked before, and their files are read by model/. Where the release
  # build is given, they are taken from it as they are.
  if(SIGHTGLASS_PLAIN_BUILD)
    list(FILTER hurried_sources EXCLUDE REGEX "/src/sightglass/learn/")
    list(FILTER unhurried_sources EXCLUDE REGEX "/src/sightglass/learn/")
    file(STRINGS ${SIGHTGLASS_PLAIN_BUILD}/plain_learners.txt plain_learners)
    target_sources(sightglass PRIVATE ${plain_learners})
    set_source_files_properties(${plain_learners} PROPERTIES EXTERNAL_OBJECT ON)
  endif()
  # Nearly all the time of the sanitized tests is spent here; the rest is quicker to compile than it would gain. A library of
  # its own, since headers that were precompiled without optimisation do not serve it.
  set(others ${hurried_sources})
  list(FILTER hurried_sources INCLUDE REGEX "/src/sightglass/(model/trees|numeric|learn/[a-z]+)/")
  list(REMOVE_ITEM others ${hurried_sources})
  sightglass_compile_together(optimised optimised "" ${hurried_sources})
  add_library(sightglass_optimised OBJECT ${optimised})
  target_compile_options(sightglass_optimised PRIVATE -O1)
  target_include_directories(sightglass_optimised PRIVATE src)
  target_link_libraries(sightglass_optimised PRIVATE TBB::tbb)
  sightglass_precompile(sightglass_optimised)
  sightglass_compile_together(unoptimised unoptimised "" ${unhurried_sources} ${others})
  target_sources(sightglass PRIVATE ${unoptimised} $<TARGET_OBJECTS:sightglass_optimised>)
else()
  sightglass_compile_together(hurried hurried "" ${hurried_sources})
  # Below the second level GCC 12 takes every other std::optional for uninitialised.
  sightglass_compile_together(unhurried unhurried "$<$<CONFIG:Release>:-O1;-Wno-maybe-uninitialized>" ${unhurried_sources})
  target_sources(sightglass PRIVATE ${hurried} ${unhurried})
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/plain_learners.txt
       CONTENT "$<JOIN:$<FILTER:$<TARGET_OBJECTS:sightglass>,INCLUDE,/sightglass(_|/)learn(_|/)>,\n>")
endif()
