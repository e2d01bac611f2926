# find_package(sightglass) for programs that link the library.
include(CMakePackageConfigHelpers)
if(SIGHTGLASS_PYTHON)
  return()
endif()
install(TARGETS sightglass sightglass_cli EXPORT sightglass-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY src/sightglass DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h"
        PATTERN "*_internal.h" EXCLUDE)
install(PROGRAMS ${SIGHTGLASS_DUCKDB} DESTINATION ${CMAKE_INSTALL_LIBDIR}/sightglass)
install(EXPORT sightglass-targets NAMESPACE sightglass:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sightglass)
configure_package_config_file(cmake/sightglass-config.cmake.in sightglass-config.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sightglass)
write_basic_package_version_file(sightglass-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sightglass-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/sightglass-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sightglass)
