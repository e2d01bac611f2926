# The script and style of the HTML page: bundled from web/ by esbuild, embedded into the library as an object.
set(SIGHTGLASS_PAGE_OBJECT "")
