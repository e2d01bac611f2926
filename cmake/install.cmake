# find_package(sightglass) for programs that link the library.
include(CMakePackageConfigHelpers)
if(SIGHTGLASS_PYTHON)
  return()
endif()
install(TARGETS sightglass sightglass_cli EXPORT sightglass-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# Public is what <sightglass/sightglass.h> leads to.
install(CODE "set(headers ${CMAKE_CURRENT_SOURCE_DIR}/src)\nset(include_folder ${CMAKE_INSTALL_INCLUDEDIR})")
install(SCRIPT cmake/install_headers.cmake)
install(PROGRAMS ${SIGHTGLASS_DUCKDB} DESTINATION ${CMAKE_INSTALL_LIBDIR}/sightglass)
install(EXPORT sightglass-targets NAMESPACE sightglass:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sightglass)
configure_package_config_file(cmake/sightglass-config.cmake.in sightglass-config.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sightglass)
write_basic_package_version_file(sightglass-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sightglass-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/sightglass-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sightglass)
