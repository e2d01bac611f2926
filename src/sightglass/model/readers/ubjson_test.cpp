#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sightglass/base/error.h"
#include "sightglass/model/load.h"
#include "sightglass/model/readers/ubjson_internal.h"

namespace sightglass {
namespace {

using namespace std::string_literals;
using ::testing::HasSubstr;

const JsonBlame blame{ErrorKind::model, "m.ubj", "advice"};

std::string json_of(const std::string& bytes) { return ubjson_to_json(bytes, blame); }

std::string refusal(const std::string& bytes) {
  try {
    (void)json_of(bytes);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::model);
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

TEST(Ubjson, EveryType) {
  EXPECT_EQ(json_of("Z"), "null");
  EXPECT_EQ(json_of("T"), "true");
  EXPECT_EQ(json_of("F"), "false");
  EXPECT_EQ(json_of("i\x80"s), "-128");
  EXPECT_EQ(json_of("U\xff"s), "255");
  EXPECT_EQ(json_of("I\xff\xfe"s), "-2");
  EXPECT_EQ(json_of("l\x80\0\0\0"s), "-2147483648");
  EXPECT_EQ(json_of("L\x7f\xff\xff\xff\xff\xff\xff\xff"s), "9223372036854775807");
  EXPECT_EQ(json_of("d\x3e\x99\x99\x9a"s), "0.3");
  EXPECT_EQ(json_of("D\x3f\xd3\x33\x33\x33\x33\x33\x33"s), "0.3");
  EXPECT_EQ(json_of("CA"), "\"A\"");
  EXPECT_EQ(json_of("SU\3abc"s), "\"abc\"");
  EXPECT_EQ(json_of("SL\0\0\0\0\0\0\0\2\xc3\xa9"s), "\"é\"");
  EXPECT_EQ(json_of("NNTN"), "true");
}

TEST(Ubjson, NumbersKeepTheirBits) {
  EXPECT_EQ(json_of("d\x80\0\0\0"s), "-0.0");
  EXPECT_EQ(json_of("d\x4b\x80\0\0"s), "16777216.0");
  EXPECT_EQ(json_of("d\0\0\0\1"s), "1e-45");
  EXPECT_EQ(json_of("D\x43\xf0\0\0\0\0\0\0"s), "18446744073709551616.0");
  EXPECT_EQ(json_of("d\x7f\xc0\0\0"s), "NaN");
  EXPECT_EQ(json_of("d\xff\xc0\0\0"s), "NaN");
  EXPECT_EQ(json_of("d\x7f\x80\0\0"s), "Infinity");
  EXPECT_EQ(json_of("D\xff\xf0\0\0\0\0\0\0"s), "-Infinity");
}

TEST(Ubjson, TextIsEscaped) {
  EXPECT_EQ(json_of("SU\5a\"\\\n\x1f"s), R"("a\"\\\u000a\u001f")");
  EXPECT_THAT(refusal("SU\2\xc3("s), HasSubstr("byte 3: text that is not UTF-8"));
  EXPECT_THAT(refusal("C\xc3"s), HasSubstr("byte 1: text that is not UTF-8"));
  EXPECT_THAT(refusal("{U\1\xff"
                      "Z}"s),
              HasSubstr("byte 3: text that is not UTF-8"));
}

TEST(Ubjson, Lists) {
  EXPECT_EQ(json_of("[]"), "[]");
  EXPECT_EQ(json_of("[i\1Z[T]]"s), "[1,null,[true]]");
  EXPECT_EQ(json_of("[#U\2i\1F"s), "[1,false]");
  EXPECT_EQ(json_of("[$i#U\3\1\2\3"s), "[1,2,3]");
  EXPECT_EQ(json_of("[$d#L\0\0\0\0\0\0\0\1\x3f\x80\0\0"s), "[1.0]");
  EXPECT_EQ(json_of("[$S#i\2U\1aU\1b"s), "[\"a\",\"b\"]");
  EXPECT_EQ(json_of("[$[#i\2]$i#i\1\7"s), "[[],[7]]");
  EXPECT_EQ(json_of("[$C#i\2xy"s), "[\"x\",\"y\"]");
  EXPECT_EQ(json_of("[$i#i\0"s), "[]");
  // Nothing may stand between the items of a typed list: 'N' is the number 78 here.
  EXPECT_EQ(json_of("[$i#i\1N"s), "[78]");
  EXPECT_EQ(json_of("[Ni\1NN]"s), "[1]");
}

TEST(Ubjson, Objects) {
  EXPECT_EQ(json_of("{}"), "{}");
  EXPECT_EQ(json_of("{U\1aTi\1b[]}"s), R"({"a":true,"b":[]})");
  EXPECT_EQ(json_of("{#i\1U\1aT"s), R"({"a":true})");
  EXPECT_EQ(json_of("{$i#i\2U\1a\1U\1b\2"s), R"({"a":1,"b":2})");
  EXPECT_EQ(json_of("{U\0Z}"s), R"({"":null})");
  EXPECT_EQ(json_of("{NU\1aNTN}"s), R"({"a":true})");
  // Equal keys are the business of whoever reads the JSON.
  EXPECT_EQ(json_of("{U\1aTU\1aF}"s), R"({"a":true,"a":false})");
}

TEST(Ubjson, RefusesDamageByByte) {
  EXPECT_THAT(refusal("Q"), HasSubstr("m.ubj: not valid UBJ, cut off or damaged: byte 0: no type is called Q"));
  EXPECT_THAT(refusal("TT"), HasSubstr("byte 1: more bytes follow where the document ends"));
  EXPECT_THAT(refusal("[QZ]"), HasSubstr("byte 1: no type is called Q"));
  EXPECT_THAT(refusal("[}"), HasSubstr("byte 1: no type is called }"));
  EXPECT_THAT(refusal("HU\1\x31"s), HasSubstr("byte 0: a number of any precision"));
  EXPECT_THAT(refusal("{Sa"), HasSubstr("byte 1: expected a length"));
  EXPECT_THAT(refusal("{\"a\":1}"), HasSubstr("byte 1: expected a length"));
  EXPECT_THAT(refusal("{d\0\0\0\0"s), HasSubstr("byte 1: expected a length"));
  EXPECT_THAT(refusal("Si\xff"s), HasSubstr("byte 1: a length of -1"));
  EXPECT_THAT(refusal("[$i]"), HasSubstr("byte 3: a type of items without their number"));
  EXPECT_THAT(refusal("[$Q#i\1a"s), HasSubstr("no type is called Q"));
  EXPECT_THAT(refusal("[#i\1]"s), HasSubstr("no type is called ]"));
}

TEST(Ubjson, HostileCountsAreNotBelieved) {
  const std::string huge = "L\x7f\xff\xff\xff\xff\xff\xff\xff"s;
  EXPECT_THAT(refusal("S" + huge), HasSubstr("byte 10: 9223372036854775807 bytes should follow, 0 do"));
  EXPECT_THAT(refusal("[#" + huge), HasSubstr("byte 0: 9223372036854775807 items in 0 bytes"));
  EXPECT_THAT(refusal("[$d#" + huge + "abcd"), HasSubstr("items in 4 bytes"));
  EXPECT_THAT(refusal("{#" + huge), HasSubstr("items in 0 bytes"));
  EXPECT_THAT(refusal("{" + huge), HasSubstr("bytes should follow"));
  EXPECT_THAT(refusal("[#L\xff\xff\xff\xff\xff\xff\xff\xff"s), HasSubstr("a length of -1"));
  // A list of nothing at all, any number of times.
  for (const char type : {'Z', 'T', 'F', 'N'}) {
    EXPECT_THAT(refusal("[$"s + type + "#" + huge), HasSubstr("byte 0: a list of a type without values"));
    EXPECT_THAT(refusal("{$"s + type + "#i\1U\1a"s), HasSubstr("a type without values"));
  }
  // Nested lists of typed lists still take a byte each.
  EXPECT_THAT(refusal("[$[#l\x7f\xff\xff\xff"s + "[$[#l\x7f\xff\xff\xff"s), HasSubstr("items in"));
}

TEST(Ubjson, DeepNestingNeedsNoStack) {
  EXPECT_EQ(json_of(std::string(100, '[') + std::string(100, ']')).size(), 200U);
  EXPECT_THAT(refusal(std::string(101, '[') + std::string(101, ']')),
              HasSubstr("byte 100: lists and objects are nest"));
  EXPECT_THAT(refusal(std::string(1000000, '[')), HasSubstr("nested too deeply"));
  std::string typed;
  for (int i = 0; i < 1000; ++i) typed += "[$[#i\1"s;
  EXPECT_THAT(refusal(typed), HasSubstr("nested too deeply"));
}

TEST(Ubjson, EveryTruncationIsAnError) {
  const std::string whole =
      "{L\0\0\0\0\0\0\0\1a[$d#L\0\0\0\0\0\0\0\2\x3f\x80\0\0\x40\0\0\0U\1b{U\1c[Zi\1T]U\1dSU\3xyz}U\1e[#i\1CxU\1fD\0\0\0\0\0\0\0\0}"s;
  EXPECT_EQ(json_of(whole), R"({"a":[1.0,2.0],"b":{"c":[null,1,true],"d":"xyz"},"e":["x"],"f":0.0})");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THAT(refusal(whole.substr(0, size)), HasSubstr("not valid UBJ")) << size;
  }
}

TEST(Ubjson, TextGrowsByASmallFactorOnly) {
  const auto growth = [](const std::string& bytes) {
    return static_cast<double>(json_of(bytes).size()) / static_cast<double>(bytes.size());
  };
  EXPECT_LE(growth("[$i#l\0\1\0\0"s + std::string(65536, '\x80')), 6);
  EXPECT_LE(growth("[" + std::string(65536, 'Z') + "]"), 6);
  EXPECT_LE(growth("Sl\0\1\0\0"s + std::string(65536, '\1')), 6);
  std::string doubles = "[$D#l\0\0\x10\0"s;
  for (int i = 0; i < 4096; ++i) doubles += "\x80\x12\x34\x56\x78\x9a\xbc\xde"s;
  EXPECT_LE(growth(doubles), 6);
}

TEST(Ubjson, KnownByItsSecondByte) {
  EXPECT_TRUE(is_ubjson("{L\0"s));
  EXPECT_TRUE(is_ubjson("{U"));
  EXPECT_TRUE(is_ubjson("{#"));
  EXPECT_FALSE(is_ubjson("{\"a\""));
  EXPECT_FALSE(is_ubjson("{ \"a\""));
  EXPECT_FALSE(is_ubjson("{}"));
  EXPECT_FALSE(is_ubjson("{"));
  EXPECT_FALSE(is_ubjson(""));
}

TEST(Ubjson, ModelsAreReadThroughJson) {
  const auto failure = [](const std::string& bytes) -> std::string {
    try {
      (void)parse_model(bytes, "m.ubj");
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::model);
      return error.what();
    }
    return "no error";
  };
  EXPECT_THAT(failure("{U\1aT}"s), HasSubstr("m.ubj: UBJ, but not an XGBoost model"));
  EXPECT_THAT(failure("{U\7learnerTU\7learnerF}"s), HasSubstr("has the key learner twice"));
  EXPECT_THAT(failure("{U\7version[$l#U\3\0\0\0\3\0\0\0\2\0\0\0\0U\7learner[]}"s),
              HasSubstr("m.ubj: learner should be an object but is a list"));
  EXPECT_THAT(failure("{U\7versiond\x7f\xc0\0\0U\7learner{}}"s), HasSubstr("version should be a list"));
}

}  // namespace
}  // namespace sightglass
