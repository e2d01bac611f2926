# The HTML page around a report: script and style are bundled from web/ by esbuild into one page.html in the
# build directory, which an assembler file includes as bytes (a C++ array of this size would take seconds).
enable_language(ASM)
set(page_dir ${CMAKE_CURRENT_BINARY_DIR}/page)
set(SIGHTGLASS_PAGE ${page_dir}/page.html)
find_program(SIGHTGLASS_NPM npm)
set(prebuilt_page ${CMAKE_CURRENT_SOURCE_DIR}/web/dist/page.html)
if(SIGHTGLASS_NPM)
  file(GLOB page_sources CONFIGURE_DEPENDS web/src/* web/build.mjs web/build.sh web/package.json web/package-lock.json
       web/tsconfig.json)
  add_custom_command(
    OUTPUT ${SIGHTGLASS_PAGE}
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/web/build.sh ${page_dir}
    DEPENDS ${page_sources}
    COMMENT "Bundling the HTML page"
    VERBATIM)
elseif(EXISTS ${prebuilt_page})
  # A source package brings the page along, so that installing it needs no node.
  configure_file(${prebuilt_page} ${SIGHTGLASS_PAGE} COPYONLY)
else()
  message(FATAL_ERROR "the HTML page needs node and npm to be built (or a prebuilt web/dist/page.html)")
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/page.S.in ${page_dir}/page.S @ONLY)
set_source_files_properties(${page_dir}/page.S PROPERTIES OBJECT_DEPENDS ${SIGHTGLASS_PAGE})
set(SIGHTGLASS_PAGE_OBJECT ${page_dir}/page.S)
