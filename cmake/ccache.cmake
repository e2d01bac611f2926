# What was compiled before is taken from ccache, whichever build of whichever clone compiled it: presets and pip alike. Paths
# below the source folder count as relative ones, and precompiled headers by their content.
find_program(SIGHTGLASS_CCACHE ccache)
if(SIGHTGLASS_CCACHE AND "${CMAKE_CXX_COMPILER_LAUNCHER}" MATCHES "^(ccache)?$")
  set(CMAKE_CXX_COMPILER_LAUNCHER
      env CCACHE_BASEDIR=${CMAKE_CURRENT_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros
      ${SIGHTGLASS_CCACHE})
endif()
