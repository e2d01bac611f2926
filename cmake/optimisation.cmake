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
if(SIGHTGLASS_SANITIZE)
  # Nearly all the time of the sanitized tests is spent here; the rest is quicker to compile than it would gain. A library of
  # its own, since headers that were precompiled without optimisation do not serve it.
  list(FILTER hurried_sources INCLUDE REGEX "/src/sightglass/(model/trees|numeric|learn/[a-z]+)/")
  add_library(sightglass_optimised OBJECT ${hurried_sources})
  target_compile_options(sightglass_optimised PRIVATE -O1)
  target_include_directories(sightglass_optimised PRIVATE src)
  target_link_libraries(sightglass_optimised PRIVATE TBB::tbb)
  sightglass_precompile(sightglass_optimised)
  get_target_property(other_sources sightglass SOURCES)
  list(REMOVE_ITEM other_sources ${hurried_sources})
  set_target_properties(sightglass PROPERTIES SOURCES "${other_sources}")
  target_sources(sightglass PRIVATE $<TARGET_OBJECTS:sightglass_optimised>)
  return()
endif()
# Nobody looks at floating point exceptions; while they count, GCC takes no choice between numbers for several rows at once.
set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/src/sightglass/learn/panels/svm.cpp
                            ${CMAKE_CURRENT_SOURCE_DIR}/src/sightglass/model/learned/panels.cpp
                            PROPERTIES COMPILE_OPTIONS "-fno-trapping-math" SKIP_PRECOMPILE_HEADERS ON)
# AVX-512 comes with fused products and sums, which other processors do not have: all are to give the same bytes.
set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/src/sightglass/learn/prototypes/kernel_tiles.cpp
                            PROPERTIES COMPILE_OPTIONS "-ffp-contract=off" SKIP_PRECOMPILE_HEADERS ON)
