// Pictures come from anywhere: reading one gives a picture of the size that it says or a typed error, never anything
// else; and so do the texts in which pictures travel.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "sightglass/base/error.h"
#include "sightglass/base/picture.h"

namespace {

void check(const sightglass::Picture& picture) {
  if (picture.pixels() == 0 || picture.pixels() > sightglass::most_pixels || picture.rgb.size() != 3 * picture.pixels())
    std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sightglass;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const Picture picture = read_picture(bytes, "fuzz");
    check(picture);
    // Small ones only: packing takes longer than reading.
    if (picture.pixels() < 4096 && read_picture(write_png(picture), "again").rgb != picture.rgb) std::abort();
  } catch (const Error&) {
  }
  try {
    check(picture_from_text(bytes, "fuzz"));
  } catch (const Error&) {
  }
  return 0;
}
