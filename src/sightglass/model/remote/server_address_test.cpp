#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sightglass/base/error.h"
#include "sightglass/model/load.h"
#include "sightglass/model/remote/server_address_internal.h"

namespace sightglass {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(ServerAddress, IsTakenApart) {
  const ServerAddress address = parse_server_address("https://models.example:8443/prefix/v2/models/a//");
  EXPECT_EQ(address.origin, "https://models.example:8443");
  EXPECT_EQ(address.path, "/prefix/v2/models/a");
  EXPECT_EQ(address.url(), "https://models.example:8443/prefix/v2/models/a");
  EXPECT_TRUE(address.secure);
  EXPECT_FALSE(address.loopback);
  EXPECT_EQ(parse_server_address("http://localhost").path, "");
  for (const char* here : {"http://localhost:1", "http://127.0.0.1:8080/x", "http://[::1]:8080", "http://[::1]"})
    EXPECT_TRUE(parse_server_address(here).loopback) << here;
  for (const char* away : {"http://localhost.example", "http://127.example", "http://10.0.0.1", "http://[::2]"})
    EXPECT_FALSE(parse_server_address(away).loopback) << away;
}

TEST(ServerAddress, WhatMayBeASecretIsRefusedAndNotShown) {
  for (const char* location :
       {"http://me:hush@h/x", "http://hush@h/x", "http://me:hu/sh@h/x", "http://h/x?key=hush", "http://h/x#hush",
        "http://h /hush", "http://h:hush/x", "http:///x", "http://", "http://h\\hush", "http://h/\xc3\xa9"}) {
    try {
      (void)parse_server_address(location);
      ADD_FAILURE() << location;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage) << location;
      const bool secret = std::string_view(location).find_first_of("@?#") != std::string_view::npos;
      if (secret) {
        EXPECT_THAT(error.what(), AllOf(Not(HasSubstr("hush")), Not(HasSubstr("sh@")))) << location;
      }
    }
  }
  EXPECT_EQ(shown_server("https://me:pass@h:1/v2/models/a/?token=1#2"), "https://h:1/v2/models/a");
  EXPECT_EQ(shown_server("https://me:pa@ss@h/x"), "https://h/x");
  EXPECT_EQ(shown_model("http://me:pass@h:1/v2/models/a?x"), "http://h:1/v2/models/a");
}

}  // namespace
}  // namespace sightglass
