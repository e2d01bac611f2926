// Saved results come from anywhere: reading one gives a result or a typed error, never anything else.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sightglass/base/error.h"
#include "sightglass/render/csv/csv_renderer.h"
#include "sightglass/render/html/html_renderer.h"
#include "sightglass/render/text/text_renderer.h"
#include "sightglass/result/json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sightglass;
  try {
    const Result result = result_from_json({reinterpret_cast<const char*>(data), size}, "fuzz");
    (void)to_json(result);
    (void)render_text(result);
    (void)render_csv(result);
    (void)render_html({result});
  } catch (const Error&) {
  }
  return 0;
}
