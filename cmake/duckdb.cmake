# DuckDB is loaded at run time (dlopen) and only when a file is scanned; here we need its header, and the
# library to put beside what we build. A DuckDB of the system wins: -DSIGHTGLASS_DUCKDB=/path/libduckdb.so.
find_path(SIGHTGLASS_DUCKDB_INCLUDE duckdb.h)
find_library(SIGHTGLASS_DUCKDB duckdb)
if(NOT SIGHTGLASS_DUCKDB OR NOT SIGHTGLASS_DUCKDB_INCLUDE)
  execute_process(COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tools/fetch_duckdb.sh RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "could not fetch DuckDB with npm (tools/fetch_duckdb.sh)")
  endif()
  set(SIGHTGLASS_DUCKDB ${CMAKE_CURRENT_SOURCE_DIR}/.deps/duckdb/libduckdb.so CACHE FILEPATH "" FORCE)
  set(SIGHTGLASS_DUCKDB_INCLUDE ${CMAKE_CURRENT_SOURCE_DIR}/.deps/duckdb CACHE PATH "" FORCE)
endif()
