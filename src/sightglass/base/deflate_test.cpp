#include "sightglass/base/deflate.h"

#include <gtest/gtest.h>
#include <zlib.h>

namespace sightglass {
namespace {

std::string inflated(const std::string& packed, std::size_t size) {
  std::string out(size, '\0');
  uLongf length = size;
  EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(out.data()), &length, reinterpret_cast<const Bytef*>(packed.data()),
                       packed.size()),
            Z_OK);
  EXPECT_EQ(length, size);
  return out;
}

TEST(Deflate, IsMuchSmallerAndSaysTheSame) {
  std::string json;
  for (int i = 0; i < 20000; ++i) json += "{\"x\":" + std::to_string(i) + ",\"y\":0.25},";
  const std::string packed = deflated(json);
  EXPECT_LT(packed.size(), json.size() / 6);
  EXPECT_TRUE(inflated(packed, json.size()) == json);
  EXPECT_EQ(inflated(deflated(""), 0), "");
}

TEST(Deflate, Base64) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xFF\xFE\xFD"), "//79");
}

}  // namespace
}  // namespace sightglass
