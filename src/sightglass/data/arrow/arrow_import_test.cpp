#include "sightglass/data/arrow/arrow_import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <deque>
#include <functional>

#include "sightglass/base/error.h"
#include "sightglass/data/arrow/arrow_abi_internal.h"

namespace sightglass {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

int alive = 0;  // arrays and schemas that were handed out and not released

// One array with its buffers, as another library would own them.
struct TestArray {
  std::int64_t length = 0;
  std::int64_t null_count = 0;
  std::int64_t offset = 0;
  std::vector<std::vector<std::uint8_t>> buffers;  // an empty one is a null pointer
  std::vector<TestArray> children;
  std::vector<TestArray> dictionary;  // none or one
};

struct TestField {
  std::string format;
  std::string name;
  std::string metadata;
  std::int64_t flags = ARROW_FLAG_NULLABLE;
  std::vector<TestField> children;
  std::vector<TestField> dictionary;
};

struct ArrayMemory {
  TestArray source;
  std::vector<const void*> buffers;
  std::deque<ArrowArray> children;
  std::vector<ArrowArray*> pointers;
  ArrowArray dictionary{};
};

void export_array(TestArray source, ArrowArray* out) {
  auto* memory = new ArrayMemory{.source = std::move(source)};
  for (const auto& buffer : memory->source.buffers) memory->buffers.push_back(buffer.empty() ? nullptr : buffer.data());
  for (const TestArray& child : memory->source.children) {
    export_array(child, &memory->children.emplace_back());
    memory->pointers.push_back(&memory->children.back());
  }
  if (!memory->source.dictionary.empty()) export_array(memory->source.dictionary[0], &memory->dictionary);
  ++alive;
  *out = {.length = memory->source.length,
          .null_count = memory->source.null_count,
          .offset = memory->source.offset,
          .n_buffers = static_cast<std::int64_t>(memory->buffers.size()),
          .n_children = static_cast<std::int64_t>(memory->pointers.size()),
          .buffers = memory->buffers.data(),
          .children = memory->pointers.data(),
          .dictionary = memory->source.dictionary.empty() ? nullptr : &memory->dictionary,
          .release =
              [](ArrowArray* array) {
                auto* owned = static_cast<ArrayMemory*>(array->private_data);
                for (ArrowArray& child : owned->children) {
                  if (child.release != nullptr) child.release(&child);
                }
                if (owned->dictionary.release != nullptr) owned->dictionary.release(&owned->dictionary);
                delete owned;
                array->release = nullptr;
                --alive;
              },
          .private_data = memory};
}

struct SchemaMemory {
  TestField source;
  std::deque<ArrowSchema> children;
  std::vector<ArrowSchema*> pointers;
  ArrowSchema dictionary{};
};

void export_schema(TestField source, ArrowSchema* out) {
  auto* memory = new SchemaMemory{.source = std::move(source)};
  for (const TestField& child : memory->source.children) {
    export_schema(child, &memory->children.emplace_back());
    memory->pointers.push_back(&memory->children.back());
  }
  if (!memory->source.dictionary.empty()) export_schema(memory->source.dictionary[0], &memory->dictionary);
  ++alive;
  *out = {.format = memory->source.format.c_str(),
          .name = memory->source.name.c_str(),
          .metadata = memory->source.metadata.empty() ? nullptr : memory->source.metadata.data(),
          .flags = memory->source.flags,
          .n_children = static_cast<std::int64_t>(memory->pointers.size()),
          .children = memory->pointers.data(),
          .dictionary = memory->source.dictionary.empty() ? nullptr : &memory->dictionary,
          .release =
              [](ArrowSchema* schema) {
                auto* owned = static_cast<SchemaMemory*>(schema->private_data);
                for (ArrowSchema& child : owned->children) {
                  if (child.release != nullptr) child.release(&child);
                }
                if (owned->dictionary.release != nullptr) owned->dictionary.release(&owned->dictionary);
                delete owned;
                schema->release = nullptr;
                --alive;
              },
          .private_data = memory};
}

struct StreamMemory {
  TestField schema;
  std::vector<TestArray> chunks;
  std::size_t next = 0;
  std::function<void(ArrowArray&)> spoil;  // makes an array inconsistent
  bool fails = false;
};

ArrowArrayStream stream_of(StreamMemory memory) {
  ++alive;
  return {.get_schema =
              [](ArrowArrayStream* stream, ArrowSchema* out) {
                export_schema(static_cast<StreamMemory*>(stream->private_data)->schema, out);
                return 0;
              },
          .get_next =
              [](ArrowArrayStream* stream, ArrowArray* out) {
                auto* owned = static_cast<StreamMemory*>(stream->private_data);
                *out = {};
                if (owned->next == owned->chunks.size()) return owned->fails ? 5 : 0;
                export_array(owned->chunks[owned->next++], out);
                if (owned->spoil) owned->spoil(*out);
                return 0;
              },
          .get_last_error = [](ArrowArrayStream*) { return "the disk is on fire"; },
          .release =
              [](ArrowArrayStream* stream) {
                delete static_cast<StreamMemory*>(stream->private_data);
                stream->release = nullptr;
                --alive;
              },
          .private_data = new StreamMemory(std::move(memory))};
}

template <class T>
std::vector<std::uint8_t> bytes(const std::vector<T>& values) {
  std::vector<std::uint8_t> result(values.size() * sizeof(T) + 1);  // never a null pointer
  if (!values.empty()) std::memcpy(result.data(), values.data(), values.size() * sizeof(T));
  return result;
}

template <class T>
TestArray numbers(const std::vector<T>& values, std::vector<std::uint8_t> bits = {}) {
  return {.length = static_cast<std::int64_t>(values.size()),
          .null_count = bits.empty() ? 0 : -1,
          .buffers = {std::move(bits), bytes(values)}};
}

template <class Offset>
TestArray text(const std::vector<std::string>& values, std::vector<std::uint8_t> bits = {}) {
  std::vector<Offset> offsets = {0};
  std::string all;
  for (const std::string& value : values) {
    all += value;
    offsets.push_back(static_cast<Offset>(all.size()));
  }
  return {.length = static_cast<std::int64_t>(values.size()),
          .null_count = bits.empty() ? 0 : -1,
          .buffers = {std::move(bits), bytes(offsets), bytes(std::vector<char>(all.begin(), all.end()))}};
}

TestArray rows(std::int64_t length, std::vector<TestArray> columns) {
  return {.length = length, .buffers = {{}}, .children = std::move(columns)};
}

TestField table(std::vector<TestField> fields) { return {.format = "+s", .children = std::move(fields)}; }

Table import(StreamMemory memory, const ImportOptions& options = {}) {
  ArrowArrayStream stream = stream_of(std::move(memory));
  try {
    Table result = import_arrow_stream(&stream, options);
    EXPECT_EQ(stream.release, nullptr);
    return result;
  } catch (...) {
    EXPECT_EQ(stream.release, nullptr) << "an error must not leave the stream to anybody";
    throw;
  }
}

Table import_one(const std::string& format, TestArray array, const ImportOptions& options = {}) {
  const std::int64_t length = array.length;
  return import({.schema = table({{.format = format, .name = "x"}}), .chunks = {rows(length, {std::move(array)})}},
                options);
}

std::vector<std::string> texts(const Table& table, std::size_t column = 0) {
  std::vector<std::string> values;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const double number = table.column(column).number(row);
    if (std::isnan(number)) {
      values.emplace_back("-");
    } else if (table.column(column).dictionary != nullptr) {
      values.push_back(table.column(column).dictionary->level(static_cast<std::int32_t>(number)));
    } else {
      std::string digits = std::to_string(number);
      digits.erase(digits.find_last_not_of('0') + 1);
      if (digits.back() == '.') digits.pop_back();
      values.push_back(digits);
    }
  }
  return values;
}

std::string failure(const std::function<void()>& action, ErrorKind kind = ErrorKind::data) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
  return "no error";
}

class ArrowImport : public ::testing::Test {
 protected:
  ~ArrowImport() override { EXPECT_EQ(alive, 0) << "something was not released, or twice"; }
};

TEST_F(ArrowImport, OneChunkIsNotCopied) {
  ArrowArrayStream stream = stream_of({.schema = table({{.format = "l", .name = "x"}}),
                                       .chunks = {rows(4, {numbers<std::int64_t>({1, 2, 3, 4}, {0b1011})})}});
  const auto* memory = static_cast<StreamMemory*>(stream.private_data);
  ASSERT_NE(memory, nullptr);
  const Table result = import_arrow_stream(&stream);
  EXPECT_THAT(texts(result), ElementsAre("1", "2", "-", "4"));
  EXPECT_EQ(result.schema()[0].type, DType::int64);
  EXPECT_THAT(result.notes(), IsEmpty());
  EXPECT_EQ(alive, 2) << "the chunk and its column live as long as the table";
  EXPECT_THAT(failure([&] { (void)import_arrow_stream(&stream); }), HasSubstr("already read"));
}

TEST_F(ArrowImport, OffsetsOfColumnAndTable) {
  TestArray column = numbers<double>({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, {0b11101111, 0b11});
  column.offset = 2;
  column.length = 7;
  TestArray chunk = rows(4, {column});
  chunk.offset = 1;
  const Table result = import({.schema = table({{.format = "g", .name = "x"}}), .chunks = {chunk}});
  EXPECT_THAT(texts(result), ElementsAre("3", "-", "5", "6"));
  EXPECT_EQ(result.column(0).valid_offset, 3U);
}

TEST_F(ArrowImport, SeveralChunksAreCopiedOnce) {
  const Table result =
      import({.schema = table({{.format = "s", .name = "a"}, {.format = "u", .name = "t"}}),
              .chunks = {rows(2, {numbers<std::int16_t>({1, 2}), text<std::int32_t>({"b", "a"})}),
                         rows(0, {numbers<std::int16_t>({}), text<std::int32_t>({})}),
                         rows(2, {numbers<std::int16_t>({3, -4}, {0b10}), text<std::int32_t>({"c", "b"}, {0b01})})}});
  EXPECT_THAT(texts(result, 0), ElementsAre("1", "2", "-", "-4"));
  EXPECT_THAT(texts(result, 1), ElementsAre("b", "a", "c", "-"));
  EXPECT_THAT(result.schema()[1].dictionary->levels(), ElementsAre("a", "b", "c"));
  EXPECT_THAT(result.notes(), ElementsAre("column a was copied (2 chunks)"));
  EXPECT_EQ(alive, 0) << "what is copied is not kept";
}

TEST_F(ArrowImport, AllNumbers) {
  EXPECT_THAT(texts(import_one("c", numbers<std::int8_t>({-1, 2}))), ElementsAre("-1", "2"));
  EXPECT_THAT(texts(import_one("C", numbers<std::uint8_t>({255}))), ElementsAre("255"));
  EXPECT_THAT(texts(import_one("S", numbers<std::uint16_t>({65535}))), ElementsAre("65535"));
  EXPECT_THAT(texts(import_one("i", numbers<std::int32_t>({-7}))), ElementsAre("-7"));
  EXPECT_THAT(texts(import_one("I", numbers<std::uint32_t>({7}))), ElementsAre("7"));
  EXPECT_THAT(texts(import_one("L", numbers<std::uint64_t>({8}))), ElementsAre("8"));
  EXPECT_THAT(texts(import_one("f", numbers<float>({0.5F}))), ElementsAre("0.5"));
  EXPECT_THAT(texts(import_one("e", numbers<std::uint16_t>({0x3C00, 0xC100, 0x0001, 0x7E00}, {0b1111}))),
              ElementsAre("1", "-2.5", "0", "-"));
  EXPECT_EQ(import_one("e", numbers<std::uint16_t>({0x0001})).column(0).number(0), std::ldexp(1.0, -24));
  EXPECT_TRUE(std::isinf(import_one("e", numbers<std::uint16_t>({0xFC00})).column(0).number(0)));
  TestArray bits{.length = 3, .null_count = 1, .offset = 1, .buffers = {{0b1011}, {0b0110}}};
  const Table flags = import_one("b", bits);
  EXPECT_EQ(flags.schema()[0].type, DType::boolean);
  EXPECT_THAT(texts(flags), ElementsAre("1", "-", "0"));
  TestArray nothing{.length = 2, .null_count = 2};
  EXPECT_THAT(texts(import_one("n", nothing)), ElementsAre("-", "-"));
}

TEST_F(ArrowImport, DecimalsDatesAndTimes) {
  TestArray decimals = numbers<std::uint64_t>({1225, 0, ~std::uint64_t{0}, ~std::uint64_t{0}});
  decimals.length = 2;
  EXPECT_THAT(texts(import_one("d:10,2", decimals)), ElementsAre("12.25", "-0.01"));
  EXPECT_THAT(texts(import_one("d:5,1,32", numbers<std::int32_t>({-15}))), ElementsAre("-1.5"));
  const Table midnight = import_one("tsn:", numbers<std::int64_t>({86400'000'000'000}));
  EXPECT_EQ(midnight.schema()[0].dates, (DateKind{DateUnit::seconds, DateDetail::day}));
  const Table zoned = import_one("tsu:Europe/Berlin", numbers<std::int64_t>({60'000'000}));
  EXPECT_EQ(zoned.schema()[0].dates, (DateKind{DateUnit::seconds, DateDetail::minute}));
  EXPECT_EQ(zoned.schema()[0].unit, "UTC");
  EXPECT_THAT(texts(import_one("tdD", numbers<std::int32_t>({3, 4}, {0b01}))), ElementsAre("3", "-"));
  EXPECT_THAT(texts(import_one("tdm", numbers<std::int64_t>({86400000}))), ElementsAre("1"));
  EXPECT_THAT(texts(import_one("tsu:UTC", numbers<std::int64_t>({2500000}))), ElementsAre("2.5"));
  EXPECT_THAT(texts(import_one("tsn:", numbers<std::int64_t>({2500000000}))), ElementsAre("2.5"));
  EXPECT_THAT(texts(import_one("ttm", numbers<std::int32_t>({1500}))), ElementsAre("1.5"));
  EXPECT_THAT(texts(import_one("ttn", numbers<std::int64_t>({3000000000}))), ElementsAre("3"));
  EXPECT_THAT(texts(import_one("tDs", numbers<std::int64_t>({60}))), ElementsAre("60"));
  EXPECT_THAT(import_one("tdD", numbers<std::int32_t>({3})).notes(),
              ElementsAre("column x was turned into numbers: days since 1970-01-01"));
}

TEST_F(ArrowImport, TextInAllLayouts) {
  EXPECT_THAT(texts(import_one("U", text<std::int64_t>({"y", "", "x"}))), ElementsAre("y", "", "x"));
  const std::string far = "a text of more than twelve bytes";
  std::vector<std::uint8_t> views(32, 0);
  views[0] = 2;
  std::memcpy(&views[4], "hi", 2);
  const std::int32_t outside[] = {static_cast<std::int32_t>(far.size()), 0, 0, 3};
  std::memcpy(&views[16], outside, sizeof(outside));
  const std::string padded = "___" + far;
  const TestArray good{.length = 2,
                       .buffers = {{},
                                   views,
                                   bytes(std::vector<char>(padded.begin(), padded.end())),
                                   bytes(std::vector<std::int64_t>{static_cast<std::int64_t>(padded.size())})}};
  EXPECT_THAT(texts(import_one("vu", good)), ElementsAre("hi", far));
  TestArray beyond = good;
  beyond.buffers[3] = bytes(std::vector<std::int64_t>{5});
  EXPECT_THAT(failure([&] { (void)import_one("vu", beyond); }), HasSubstr("beyond the end"));
  TestArray nowhere = good;
  nowhere.buffers[1][24] = 9;
  EXPECT_THAT(failure([&] { (void)import_one("vu", nowhere); }), HasSubstr("outside its buffers"));
}

TestField dictionary_field(const std::string& index, const std::string& value, bool ordered) {
  return {.format = index,
          .name = "x",
          .flags = ordered ? ARROW_FLAG_DICTIONARY_ORDERED : 0,
          .dictionary = {{.format = value}}};
}

TestArray with_dictionary(TestArray indices, TestArray values) {
  indices.dictionary = {std::move(values)};
  return indices;
}

TEST_F(ArrowImport, DictionariesKeepTheirOrder) {
  const Table small = import({.schema = table({dictionary_field("c", "u", true)}),
                              .chunks = {rows(4, {with_dictionary(numbers<std::int8_t>({1, 0, 99, 1}, {0b1011}),
                                                                  text<std::int32_t>({"low", "high", "unused"}))})}});
  EXPECT_THAT(small.schema()[0].dictionary->levels(), ElementsAre("low", "high", "unused"));
  EXPECT_TRUE(small.schema()[0].dictionary->ordered());
  EXPECT_THAT(texts(small), ElementsAre("high", "low", "-", "high"));

  const Table borrowed =
      import({.schema = table({dictionary_field("i", "U", false)}),
              .chunks = {rows(2, {with_dictionary(numbers<std::int32_t>({1, 0}), text<std::int64_t>({"z", "a"}))})}});
  EXPECT_THAT(texts(borrowed), ElementsAre("a", "z"));
  EXPECT_FALSE(borrowed.schema()[0].dictionary->ordered());
  EXPECT_GT(alive, 0) << "32-bit codes without missing values are not copied";

  const Table numbered = import(
      {.schema = table({dictionary_field("L", "l", false)}),
       .chunks = {rows(2, {with_dictionary(numbers<std::uint64_t>({1, 0}), numbers<std::int64_t>({-5, 1L << 60}))})}});
  EXPECT_THAT(texts(numbered), ElementsAre("1152921504606846976", "-5"));

  const Table repeated = import({.schema = table({dictionary_field("i", "u", false)}),
                                 .chunks = {rows(3, {with_dictionary(numbers<std::int32_t>({0, 1, 2}),
                                                                     text<std::int32_t>({"a", "a", "b"}, {0b011}))})}});
  EXPECT_THAT(texts(repeated), ElementsAre("a", "a", "-"));
}

TEST_F(ArrowImport, EachChunkMayHaveItsOwnDictionary) {
  const auto chunk = [](std::vector<std::int8_t> codes, const std::vector<std::string>& levels) {
    const auto length = static_cast<std::int64_t>(codes.size());
    return rows(length, {with_dictionary(numbers(codes), text<std::int32_t>(levels))});
  };
  const Table result = import({.schema = table({dictionary_field("c", "u", false)}),
                               .chunks = {chunk({0, 1}, {"b", "a"}), chunk({0, 1}, {"c", "b"})}});
  EXPECT_THAT(result.schema()[0].dictionary->levels(), ElementsAre("b", "a", "c"));
  EXPECT_THAT(texts(result), ElementsAre("b", "a", "c", "b"));
  EXPECT_THAT(result.notes(), ElementsAre("column x was copied (2 chunks)"));
  EXPECT_THAT(failure([&] {
                (void)import({.schema = table({dictionary_field("c", "u", true)}),
                              .chunks = {chunk({0, 1}, {"b", "a"}), chunk({0, 1}, {"a", "b"})}});
              }),
              HasSubstr("different orders"));
}

TEST_F(ArrowImport, NestedColumnsAreLeftOut) {
  const TestField list{.format = "+l", .name = "l", .children = {{.format = "i"}}};
  const TestArray items{
      .length = 1, .buffers = {{}, {0, 0, 0, 0, 0, 0, 0, 0}}, .children = {numbers<std::int32_t>({})}};
  const StreamMemory memory{.schema = table({list, {.format = "z", .name = "z"}, {.format = "i", .name = "i"}}),
                            .chunks = {rows(1, {items, text<std::int32_t>({"x"}), numbers<std::int32_t>({5})})}};
  const Table result = import(memory);
  EXPECT_EQ(result.schema().size(), 1U);
  EXPECT_THAT(result.notes(), ElementsAre("columns l, z were left out: lists, records or bytes"));
  EXPECT_THAT(failure([&] { (void)import(memory, {.categorical = {"l"}}); }), HasSubstr("holds lists"));
}

TEST_F(ArrowImport, OverruledTypes) {
  const Table levels = import_one("i", numbers<std::int32_t>({10, 2, 2}, {0b101}), {.categorical = {"x"}});
  EXPECT_THAT(levels.schema()[0].dictionary->levels(), ElementsAre("2", "10"));
  EXPECT_THAT(texts(levels), ElementsAre("10", "-", "2"));
  EXPECT_THAT(texts(import_one("g", numbers<double>({0.5, NAN, 1e5}), {.categorical = {"x"}})),
              ElementsAre("0.5", "-", "100000"));
  EXPECT_THAT(texts(import_one("tdD", numbers<std::int32_t>({1}), {.categorical = {"x"}})), ElementsAre("1970-01-02"));
  EXPECT_THAT(texts(import_one("u", text<std::int32_t>({"1.5", "NA", " 2"}), {.numeric = {"x"}})),
              ElementsAre("1.5", "-", "2"));
  EXPECT_THAT(failure([] { (void)import_one("u", text<std::int32_t>({"1", "one"}), {.numeric = {"x"}}); }),
              HasSubstr("column x, row 1: one is no number"));
  EXPECT_THAT(
      failure([] { (void)import_one("i", numbers<std::int32_t>({1}), {.categorical = {"y"}}); }, ErrorKind::usage),
      HasSubstr("no column y"));
  EXPECT_THAT(
      failure([] { (void)import_one("i", numbers<std::int32_t>({1}), {.categorical = {"x"}, .numeric = {"x"}}); },
              ErrorKind::usage),
      HasSubstr("both"));
}

TEST_F(ArrowImport, UnitsComeFromMetadata) {
  std::string metadata;
  const auto put = [&](std::int32_t number) {
    metadata.append(reinterpret_cast<const char*>(&number), sizeof(number));
  };
  put(2);
  for (const std::string part : {"doc", "none", "unit", "°C"}) {
    put(static_cast<std::int32_t>(part.size()));
    metadata += part;
  }
  const Table result = import({.schema = table({{.format = "g", .name = "t", .metadata = metadata}}),
                               .chunks = {rows(1, {numbers<double>({1})})}});
  EXPECT_EQ(result.schema()[0].unit, "°C");
}

TEST_F(ArrowImport, NoRows) {
  const Table result =
      import({.schema = table(
                  {{.format = "g", .name = "a"}, {.format = "u", .name = "b"}, dictionary_field("c", "u", true)})});
  EXPECT_EQ(result.rows(), 0U);
  EXPECT_EQ(result.schema()[1].type, DType::categorical);
}

TEST_F(ArrowImport, RefusesWhatIsInconsistent) {
  const auto spoiled = [](const std::function<void(ArrowArray&)>& spoil, const std::string& format = "i",
                          std::vector<std::uint8_t> bits = {}) {
    const TestArray array = format == "u" ? text<std::int32_t>({"ab", "c"}, bits) : numbers<std::int32_t>({1, 2}, bits);
    return failure([&] {
      (void)import({.schema = table({{.format = format, .name = "x"}}), .chunks = {rows(2, {array})}, .spoil = spoil});
    });
  };
  EXPECT_THAT(spoiled([](ArrowArray& a) { a.length = -1; }), HasSubstr("length"));
  EXPECT_THAT(spoiled([](ArrowArray& a) { a.length = INT64_MAX; }), HasSubstr("length"));
  EXPECT_THAT(spoiled([](ArrowArray& a) { a.length = 3; }), HasSubstr("fewer rows"));
  EXPECT_THAT(spoiled([](ArrowArray& a) { a.offset = 1; }), HasSubstr("fewer rows"));
  EXPECT_THAT(spoiled([](ArrowArray& a) { a.n_children = 2; }), HasSubstr("number of columns"));
  EXPECT_THAT(spoiled([](ArrowArray& a) { a.children = nullptr; }), HasSubstr("number of columns"));
  EXPECT_THAT(spoiled([](ArrowArray& a) { a.children[0]->length = -5; }), HasSubstr("length"));
  EXPECT_THAT(spoiled([](ArrowArray& a) { a.children[0]->offset = INT64_MAX; }), HasSubstr("length"));
  EXPECT_THAT(spoiled([](ArrowArray& a) { a.children[0]->buffers[1] = nullptr; }), HasSubstr("no values"));
  EXPECT_THAT(spoiled([](ArrowArray& a) { a.children[0]->buffers = nullptr; }), HasSubstr("no buffers"));
  EXPECT_THAT(spoiled([](ArrowArray& a) { a.children[0]->n_buffers = 1; }), HasSubstr("too few buffers"));
  EXPECT_THAT(spoiled([](ArrowArray& a) { a.children[0]->null_count = 1; }), HasSubstr("without a bitmap"));
  EXPECT_THAT(spoiled([](ArrowArray& a) { a.children[0]->null_count = 9; }), HasSubstr("impossible number of nulls"));
  const auto backwards = [](ArrowArray& a) {
    const std::int32_t offsets[] = {0, 2, 1};
    std::memcpy(const_cast<void*>(a.children[0]->buffers[1]), offsets, sizeof(offsets));
  };
  EXPECT_THAT(spoiled(backwards, "u"), HasSubstr("run backwards"));
  EXPECT_THAT(spoiled([](ArrowArray& a) { a.children[0]->buffers[2] = nullptr; }, "u"),
              HasSubstr("without its buffer"));
  EXPECT_THAT(failure([] { (void)import_one("u", text<std::int32_t>({"ok", "\xC3("})); }),
              HasSubstr("row 1: the text is not UTF-8"));

  const auto dictionary = [](std::int32_t index, const std::function<void(ArrowArray&)>& spoil = {}) {
    return failure([&] {
      (void)import(
          {.schema = table({dictionary_field("i", "u", false)}),
           .chunks = {rows(1, {with_dictionary(numbers<std::int32_t>({index}), text<std::int32_t>({"a", "b"}))})},
           .spoil = spoil});
    });
  };
  EXPECT_THAT(dictionary(2), HasSubstr("row 0: an index outside its dictionary"));
  EXPECT_THAT(dictionary(-1), HasSubstr("an index outside its dictionary"));
  EXPECT_THAT(dictionary(0, [](ArrowArray& a) { a.children[0]->dictionary->length = -1; }), HasSubstr("length"));

  const auto schema = [](TestField field) { return failure([&] { (void)import({.schema = std::move(field)}); }); };
  EXPECT_THAT(schema({.format = "i"}), HasSubstr("no table"));
  EXPECT_THAT(schema(table({})), HasSubstr("no column that can be used"));
  EXPECT_THAT(schema(table({{.format = "i", .name = "a"}, {.format = "i", .name = "a"}})),
              HasSubstr("two columns are called a"));
  EXPECT_THAT(schema(table({{.format = "i", .name = "\xFF"}})), HasSubstr("not UTF-8"));
  EXPECT_THAT(schema(table({{.format = "", .name = "a"}})), HasSubstr("no type"));
  EXPECT_THAT(schema(table({{.format = "d:x", .name = "a"}})), HasSubstr("decimal"));
  EXPECT_THAT(schema(table({{.format = "d:5,999", .name = "a"}})), HasSubstr("decimal"));
  EXPECT_THAT(schema(table({dictionary_field("g", "u", false)})), HasSubstr("no integers"));
  EXPECT_THAT(failure([] {
                (void)import({.schema = table({{.format = "i", .name = "x"}}),
                              .chunks = {rows(1, {numbers<std::int32_t>({1})})},
                              .fails = true});
              }),
              HasSubstr("the disk is on fire"));
}

TEST_F(ArrowImport, RowsThatAreNullAltogether) {
  TestArray chunk = rows(2, {numbers<std::int32_t>({1, 2})});
  chunk.null_count = -1;
  chunk.buffers = {{0b01}};
  EXPECT_THAT(failure([&] { (void)import({.schema = table({{.format = "i", .name = "x"}}), .chunks = {chunk}}); }),
              HasSubstr("whole rows are null"));
}

}  // namespace
}  // namespace sightglass
