# How hard the compiler tries, by folder: most of a build's time is optimisation. Where rows are read, counted, summed and
# walked through trees it tries hardest (data, models, numbers, what learners and methods stand on), and in whatever is compiled for each
# processor. All else asks these, or makes words and pictures. Not -Og, which compiles hardly faster and inlines nothing.
set(hurried_sources)
set(unhurried_sources)
foreach(source ${library_sources})
  file(STRINGS ${source} kernel REGEX "^SIGHTGLASS_FOR_EACH_PROCESSOR")
  if(kernel OR (source MATCHES "/src/sightglass/(data|model|numeric|learn/[a-z]+|methods/(run|grid|losses)|methods/[a-z]+/[a-z]+)/"
                AND NOT source MATCHES "/model/(readers|remote)/"))
    list(APPEND hurried_sources ${source})
  else()
    list(APPEND unhurried_sources ${source})
  endif()
endforeach()
# Below the second level GCC 12 takes every other std::optional for uninitialised.
set_source_files_properties(${unhurried_sources} PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:-O1;-Wno-maybe-uninitialized>")
# Nobody looks at floating point exceptions; while they count, GCC takes no choice between numbers for several rows at once.
set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/src/sightglass/learn/panels/svm.cpp
                            ${CMAKE_CURRENT_SOURCE_DIR}/src/sightglass/model/learned/panels.cpp
                            PROPERTIES COMPILE_OPTIONS "-fno-trapping-math" SKIP_PRECOMPILE_HEADERS ON)
# AVX-512 comes with fused products and sums, which other processors do not have: all are to give the same bytes.
set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/src/sightglass/learn/prototypes/kernel_tiles.cpp
                            PROPERTIES COMPILE_OPTIONS "-ffp-contract=off" SKIP_PRECOMPILE_HEADERS ON)
if(SIGHTGLASS_SANITIZE)
  # Nearly all the time of the sanitized tests is spent here; the rest is quicker to compile than it would gain. Headers that
  # were precompiled without optimisation do not serve them.
  list(FILTER hurried_sources INCLUDE REGEX "/src/sightglass/(model/trees|numeric|learn/[a-z]+)/")
  set_source_files_properties(${hurried_sources} PROPERTIES COMPILE_OPTIONS "-O1;-Wno-maybe-uninitialized"
                                                            SKIP_PRECOMPILE_HEADERS ON)
endif()
