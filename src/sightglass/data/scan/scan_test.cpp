#include "sightglass/data/scan/scan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/data/scan/session_internal.h"
#include "sightglass/data/table.h"
#include "support/temporary_folder.h"

namespace sightglass {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Lets DuckDB write files and databases for the tests.
void duck(const std::vector<std::string>& statements) {
  Session session({.shown = "test"});
  for (const std::string& sql : statements) session.execute(sql);
}

// Each value as text, "-" if missing, so that a test can list what it expects.
std::vector<std::string> texts(const Table& table, std::string_view name) {
  const std::uint32_t index = table.schema().require(name, "test");
  const ColumnView& column = table.column(index);
  std::vector<std::string> values;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const double number = column.number(row);
    if (std::isnan(number)) {
      values.emplace_back("-");
    } else if (column.dictionary != nullptr) {
      values.push_back(column.dictionary->level(static_cast<std::int32_t>(number)));
    } else {
      std::string text = std::to_string(number);
      text.erase(text.find_last_not_of('0') + 1);
      if (text.back() == '.') text.pop_back();
      values.push_back(text);
    }
  }
  return values;
}

std::string type_of(const Table& table, std::string_view name) {
  return std::string(to_string(table.schema()[table.schema().require(name, "test")].type));
}

Table load(const ScanOptions& options) { return Table::load(*scan(options)); }

struct Failure {
  ErrorKind kind = ErrorKind::internal;
  std::string what;
};

Failure failure_of(const ScanOptions& options) {
  try {
    (void)load(options);
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return {error.kind(), error.what()};
  }
  return {ErrorKind::internal, "no error"};
}

TEST(ScanCsv, AColumnMayBeCalledLikeAFileFormat) {
  const TemporaryFolder folder;
  for (const char* name : {"ORCID", "BZh", "<x>", "FEA1"}) {
    const Table table = load({.path = folder.write("a.csv", std::string(name) + ",b\n1,2\n")});
    EXPECT_EQ(table.schema()[0].name, name);
  }
}

TEST(ScanCsv, YesAndNoStayWords) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.csv", "word,letter,truth\nyes,T,True\nno,F,FALSE\n,,\n");
  const Table table = load({.path = path});
  EXPECT_EQ(type_of(table, "word"), "categorical");
  EXPECT_EQ(type_of(table, "letter"), "categorical");
  EXPECT_EQ(type_of(table, "truth"), "boolean");
  EXPECT_THAT(texts(table, "word"), ElementsAre("yes", "no", "-"));
  EXPECT_THAT(texts(table, "truth"), ElementsAre("1", "0", "-"));
}

TEST(ScanCsv, TypesMissingValuesAndLevels) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.csv",
                                        "int,real,text,flag,day\n"
                                        "1,0.5,b,true,2020-01-02\n"
                                        ",NA,\"a, \"\"q\"\"\",false,1970-01-01\n"
                                        "-3,1e3,,,\n");
  const auto source = scan({.path = path});
  EXPECT_EQ(source->row_count(), 3U);
  const Table table = Table::load(*source);
  EXPECT_EQ(type_of(table, "int"), "int64");
  EXPECT_EQ(type_of(table, "real"), "float64");
  EXPECT_EQ(type_of(table, "text"), "categorical");
  EXPECT_EQ(type_of(table, "flag"), "boolean");
  EXPECT_EQ(type_of(table, "day"), "float64");
  EXPECT_THAT(texts(table, "int"), ElementsAre("1", "-", "-3"));
  EXPECT_THAT(texts(table, "real"), ElementsAre("0.5", "-", "1000"));
  EXPECT_THAT(texts(table, "text"), ElementsAre("b", "a, \"q\"", "-"));
  EXPECT_THAT(texts(table, "flag"), ElementsAre("1", "0", "-"));
  EXPECT_THAT(texts(table, "day"), ElementsAre("18263", "0", "-"));
  EXPECT_THAT(table.schema()[2].dictionary->levels(), ElementsAre("a, \"q\"", "b"));
  EXPECT_FALSE(table.schema()[2].dictionary->ordered());
  EXPECT_THAT(table.notes(), ElementsAre("column day became a number: days since 1970-01-01"));
}

TEST(ScanCsv, OtherDelimitersLineEndsAndMarks) {
  const TemporaryFolder folder;
  EXPECT_THAT(texts(load({.path = folder.write("a.csv", "a;b\n1;2,x\n3;4,x\n")}), "b"), ElementsAre("2,x", "4,x"));
  EXPECT_THAT(texts(load({.path = folder.write("b.tsv", "a\tb c\r\n1\tx\r\n2\ty\r\n")}), "b c"), ElementsAre("x", "y"));
  EXPECT_THAT(texts(load({.path = folder.write("c.txt", "a|b\n1|2\n")}), "b"), ElementsAre("2"));
  EXPECT_THAT(texts(load({.path = folder.write("d.csv", "\xEF\xBB\xBF\"a, b\",c\n1,2\n")}), "a, b"), ElementsAre("1"));
  EXPECT_THAT(texts(load({.path = folder.write("e.csv", "x\n1\n2")}), "x"), ElementsAre("1", "2"));
  EXPECT_THAT(texts(load({.path = folder.write("f.csv", "0,1\n5,6\n")}), "1"), ElementsAre("6"));
  EXPECT_THAT(texts(load({.path = folder.write("g.csv", "a,A\n5,6\n")}), "A"), ElementsAre("6"));
  const Table unnamed = load({.path = folder.write("h.csv", ",a\n0,5\n")});
  EXPECT_THAT(texts(unnamed, "Unnamed: 0"), ElementsAre("0"));
  EXPECT_THAT(unnamed.notes(), ElementsAre("column 0 has no name; it is called Unnamed: 0"));
  EXPECT_THAT(texts(load({.path = folder.write("i.csv", "a,b\n#1,x\n#2,y\n")}), "a"), ElementsAre("#1", "#2"));
}

TEST(ScanCsv, DecimalCommas) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.csv",
                                        "area;price;rooms;place;code;Area\n"
                                        "10,5;1.234,50;3;a,b;1,5;0,5\n"
                                        ";-20;4;c;2;\n"
                                        "7;+2.000.000;NA;1,5;3;1,25e2\n");
  const Table table = load({.path = path, .text_if_present = {"code"}});
  EXPECT_THAT(texts(table, "area"), ElementsAre("10.5", "-", "7"));
  EXPECT_THAT(texts(table, "price"), ElementsAre("1234.5", "-20", "2000000"));
  EXPECT_EQ(type_of(table, "rooms"), "int64");
  EXPECT_THAT(texts(table, "place"), ElementsAre("a,b", "c", "1,5"));
  EXPECT_THAT(texts(table, "code"), ElementsAre("1,5", "2", "3"));
  EXPECT_THAT(texts(table, "Area"), ElementsAre("0.5", "-", "125"));
  EXPECT_THAT(table.notes(),
              ElementsAre(EndsWith("a.csv has decimal commas; as numbers were read: area, price, Area")));
  const Table asked =
      load({.path = folder.write("b.csv", "a;b\n10,5;x\n;y\n"), .query = "SELECT a + 1 AS more FROM data"});
  EXPECT_THAT(texts(asked, "more"), ElementsAre("11.5", "-"));
  // Where fields end at commas, that may be a thousand and more.
  const Table thousands = load({.path = folder.write("c.csv", "a,b\n\"1,234\",1\n\"2,345\",2\n")});
  EXPECT_EQ(type_of(thousands, "a"), "categorical");
}

TEST(ScanCsv, DatesInOtherOrders) {
  const TemporaryFolder folder;
  const Table table = load({.path = folder.write("a.csv", "d,t\n13/01/1970,1970-01-02 00:00:01\n01/02/1970,NA\n")});
  EXPECT_THAT(texts(table, "d"), ElementsAre("12", "31"));
  EXPECT_THAT(texts(table, "t"), ElementsAre("86401", "-"));
}

TEST(ScanCsv, AllRowsDecideTheType) {
  const TemporaryFolder folder;
  std::string content = "x\n";
  for (int i = 0; i < 50000; ++i) content += "1\n";
  const Table table = load({.path = folder.write("a.csv", content + "late\n")});
  EXPECT_EQ(table.rows(), 50001U);
  EXPECT_EQ(type_of(table, "x"), "categorical");
  EXPECT_THAT(table.schema()[0].dictionary->levels(), ElementsAre("1", "late"));
  EXPECT_THAT(failure_of({.path = folder.write("b.csv", content + "1,2\n")}).what, HasSubstr("b.csv, line 50002:"));
}

TEST(ScanCsv, AnEmptyColumnIsMissing) {
  const TemporaryFolder folder;
  const Table table = load({.path = folder.write("a.csv", "a,b\n1,\n2,NA\n")});
  EXPECT_EQ(type_of(table, "b"), "float64");
  EXPECT_THAT(texts(table, "b"), ElementsAre("-", "-"));
  EXPECT_THAT(table.notes(), ElementsAre("column b has no values"));
}

TEST(ScanCsv, SaysWhatIsWrongAndWhere) {
  const TemporaryFolder folder;
  const auto what = [&](std::string_view content) {
    const std::string path = folder.write("x.csv", content);
    const Failure failure = failure_of({.path = path});
    EXPECT_EQ(failure.kind, ErrorKind::data) << failure.what;
    return failure.what;
  };
  EXPECT_THAT(what(""), HasSubstr("x.csv is empty"));
  EXPECT_THAT(what("a,b\n"), HasSubstr("x.csv has no rows"));
  EXPECT_THAT(what("a,b"), HasSubstr("x.csv has no rows"));
  EXPECT_THAT(what("a,b\n1,2\n3\n"), HasSubstr("x.csv, line 3: the line has 1 fields, the header has 2"));
  EXPECT_THAT(what("a,b\n1,2,3\n4,5\n"), HasSubstr("x.csv, line 2: the line has 3 fields, the header has 2"));
  EXPECT_THAT(what("a,b,c\n1,2\n3,4\n"), HasSubstr("x.csv, line 2: the line has 2 fields, the header has 3"));
  EXPECT_THAT(what("a,b,a,b\n1,2,3,4\n"), HasSubstr("line 1: more than one column is called a, b"));
  EXPECT_THAT(what("a,b\n1,x\n2,\xFF\xFE\n"), HasSubstr("x.csv, line 3: the text is not UTF-8"));
  EXPECT_THAT(what("a,\xFF\n1,x\n"), HasSubstr("x.csv, line 1: the column names are not UTF-8"));
  EXPECT_THAT(what("a,b\n1,\"x\n2,y\n"), HasSubstr("x.csv, line 2: "));
  EXPECT_THAT(what("1.5,2\n3,4\n"), HasSubstr("line 1: there are numbers where the column names should be"));
  EXPECT_THAT(what("\na,b\n1,2\n"), HasSubstr("line 1: the line is empty"));
  EXPECT_THAT(what("a,b\r\n1,2\n3,4\r\n"), HasSubstr("end in the same way"));
  EXPECT_THAT(what(std::string("\xFF\xFE"
                               "a\0,\0",
                               6)),
              HasSubstr("UTF-16"));
  EXPECT_THAT(what(std::string("ab\0cd\n", 6)), HasSubstr("neither text nor"));
  EXPECT_THAT(what("PK\x03\x04zzz"), HasSubstr("Excel"));
}

TEST(Scan, SaysWhatIsWrongWithAPath) {
  const TemporaryFolder folder;
  EXPECT_THAT(failure_of({.path = folder.path("none.csv")}).what, HasSubstr("No such file"));
  EXPECT_THAT(failure_of({.path = folder.path("")}).what, HasSubstr("is a folder"));
  EXPECT_THAT(failure_of({.path = ""}).what, HasSubstr("no path"));
  EXPECT_THAT(failure_of({.path = "/dev/null"}).what, HasSubstr("not a regular file"));
  EXPECT_THAT(failure_of({.path = folder.write("a.json", "\"text\"\n")}).what, HasSubstr("named JSON"));
  const Failure table = failure_of({.path = folder.write("a.csv", "a\n1\n"), .table = "t"});
  EXPECT_EQ(table.kind, ErrorKind::usage);
}

TEST(ScanCsv, Compressed) {
  const TemporaryFolder folder;
  duck({"COPY (SELECT i AS a, 'x' || i AS b FROM range(3) t(i)) TO " + sql_text(folder.path("a.csv.gz")),
        "COPY (SELECT i AS a, 'x' || i AS b FROM range(3) t(i)) TO " + sql_text(folder.path("b.dat")) +
            " (FORMAT csv, COMPRESSION zstd, DELIMITER ';')"});
  for (const char* name : {"a.csv.gz", "b.dat"}) {
    const Table table = load({.path = folder.path(name)});
    EXPECT_THAT(texts(table, "a"), ElementsAre("0", "1", "2")) << name;
    EXPECT_THAT(texts(table, "b"), ElementsAre("x0", "x1", "x2")) << name;
  }
}

TEST(ScanCsv, KnowsDates) {
  const TemporaryFolder folder;
  const std::string place =
      folder.write("a.csv", "day,midnight,noon,text\n2021-05-03,2021-05-03 00:00:00,2021-05-03 12:00:00,x\n,,,y\n");
  const Table table = load({.path = place});
  const Dates dates = table.schema().dates();
  EXPECT_EQ(dates, (Dates{{"day", {DateUnit::days, DateDetail::day}},
                          {"midnight", {DateUnit::seconds, DateDetail::day}},
                          {"noon", {DateUnit::seconds, DateDetail::minute}}}));
  EXPECT_THAT(texts(table, "day"), ElementsAre("18750", "-")) << "the numbers stay";
  EXPECT_FALSE(load({.path = place, .categorical = {"day"}}).schema()[0].dates);
}

TEST(Scan, NamesOfFilesAreOnlyNames) {
  const TemporaryFolder folder;
  for (const char* name : {"a*b", "a?b", "a[1]", "a[!1]", "q'uote", "d\"quote", "sp ace", "ünï→", "back\\slash",
                           "{a,b}", "line\nbreak", "k=v", "per%20cent", "-- c", "$x", "~"}) {
    for (const char* decoy : {"aXb", "a1", "a2"}) (void)folder.write(decoy, "v\n0\n0\n");
    std::filesystem::create_directories(folder.path("year=2020"));
    EXPECT_THAT(texts(load({.path = folder.write(name, "v\n7\n")}), "v"), ElementsAre("7")) << name;
    const Table nested = load({.path = folder.write("year=2020/" + std::string(name), "v\n7\n")});
    EXPECT_EQ(nested.schema().size(), 1U) << "folders add no columns";
    EXPECT_THAT(texts(load({.path = folder.path(name), .query = "SELECT v + 1 AS v FROM data"}), "v"), ElementsAre("8"))
        << name;
  }
}

TEST(ScanParquet, TypesAndOverrides) {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.bin");
  duck({"CREATE TYPE size AS ENUM ('small', 'large')",
        "COPY (SELECT * FROM (VALUES "
        "(1::TINYINT, 60000::USMALLINT, 1.5::FLOAT, 12.25::DECIMAL(9,2), 7::HUGEINT, true, 'x', DATE '1970-01-03', "
        "TIMESTAMP '1970-01-01 00:00:02.5', TIME '01:00:00', [1], '\\x01'::BLOB, 10::INTEGER), "
        "(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 2), "
        "(-1, 3, 0.1, -0.01, -8, false, 'a', NULL, NULL, NULL, NULL, NULL, 10)) "
        "t(i8, u16, f32, dec, huge, flag, text, day, stamp, time, list, blob, code)) TO " +
            sql_text(path) + " (FORMAT parquet)"});
  const auto source = scan({.path = path});
  EXPECT_EQ(source->row_count(), 3U);
  const Table table = Table::load(*source);
  EXPECT_EQ(type_of(table, "i8"), "int8");
  EXPECT_EQ(type_of(table, "u16"), "uint16");
  EXPECT_EQ(type_of(table, "f32"), "float32");
  EXPECT_EQ(type_of(table, "flag"), "boolean");
  EXPECT_EQ(type_of(table, "code"), "int32");
  EXPECT_THAT(texts(table, "i8"), ElementsAre("1", "-", "-1"));
  EXPECT_THAT(texts(table, "u16"), ElementsAre("60000", "-", "3"));
  EXPECT_THAT(texts(table, "f32"), ElementsAre("1.5", "-", "0.1"));
  EXPECT_THAT(texts(table, "dec"), ElementsAre("12.25", "-", "-0.01"));
  EXPECT_THAT(texts(table, "huge"), ElementsAre("7", "-", "-8"));
  EXPECT_THAT(texts(table, "flag"), ElementsAre("1", "-", "0"));
  EXPECT_THAT(texts(table, "text"), ElementsAre("x", "-", "a"));
  EXPECT_THAT(texts(table, "day"), ElementsAre("2", "-", "-"));
  EXPECT_THAT(texts(table, "stamp"), ElementsAre("2.5", "-", "-"));
  EXPECT_THAT(texts(table, "time"), ElementsAre("3600", "-", "-"));
  EXPECT_EQ(table.schema().find("list"), std::nullopt);
  EXPECT_EQ(table.schema().find("blob"), std::nullopt);
  EXPECT_THAT(table.notes(), ElementsAre("column day became a number: days since 1970-01-01",
                                         "column stamp became a number: seconds since 1970-01-01",
                                         "column time became a number: seconds since midnight",
                                         "column list is left out: it holds lists, records or bytes",
                                         "column blob is left out: it holds lists, records or bytes"));

  const Table forced = load({.path = path, .categorical = {"code", "f32", "flag", "day", "stamp", "time", "dec"}});
  EXPECT_THAT(forced.schema()[forced.schema().require("code", "")].dictionary->levels(), ElementsAre("2", "10"));
  EXPECT_THAT(texts(forced, "code"), ElementsAre("10", "2", "10"));
  EXPECT_THAT(texts(forced, "f32"), ElementsAre("1.5", "-", "0.1"));
  EXPECT_THAT(texts(forced, "flag"), ElementsAre("true", "-", "false"));
  EXPECT_THAT(texts(forced, "day"), ElementsAre("1970-01-03", "-", "-"));
  EXPECT_THAT(texts(forced, "stamp"), ElementsAre("1970-01-01 00:00:02.5", "-", "-"));
  EXPECT_THAT(texts(forced, "time"), ElementsAre("01:00:00", "-", "-"));
  EXPECT_THAT(texts(forced, "dec"), ElementsAre("12.25", "-", "-0.01"));
  EXPECT_THAT(failure_of({.path = path, .categorical = {"list"}}).what, HasSubstr("column list holds lists"));
}

TEST(Scan, TextAsNumbers) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.csv", "a,b\n 2 ,x\n+3.5,7\nNULL,-1e400\n007,8\n");
  EXPECT_EQ(type_of(load({.path = path}), "a"), "categorical");
  EXPECT_THAT(texts(load({.path = path, .numeric = {"a"}}), "a"), ElementsAre("2", "3.5", "-", "7"));
  const Failure failure = failure_of({.path = path, .numeric = {"b"}});
  EXPECT_EQ(failure.kind, ErrorKind::data);
  EXPECT_THAT(failure.what, HasSubstr("column b, row 0: x is no number"));
  EXPECT_EQ(failure_of({.path = path, .categorical = {"a"}, .numeric = {"a"}}).kind, ErrorKind::usage);
  const Failure unknown = failure_of({.path = path, .categorical = {"aa"}});
  EXPECT_EQ(unknown.kind, ErrorKind::usage);
  EXPECT_THAT(unknown.what, HasSubstr("did you mean a?"));
}

TEST(Scan, LevelsOfNumbersAreInTheOrderOfNumbers) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.csv", "x,y\n10,100000\n2,1e-7\n-3,0.25\n10,-0.0\n9007199254740993,\n");
  const Table table = load({.path = path, .categorical = {"x", "y"}});
  EXPECT_THAT(table.schema()[0].dictionary->levels(), ElementsAre("-3", "2", "10", "9007199254740993"));
  EXPECT_THAT(table.schema()[1].dictionary->levels(), ElementsAre("0", "1e-07", "0.25", "100000"));
}

TEST(Scan, TooManyLevels) {
  const TemporaryFolder folder;
  std::string content = "id,x\n";
  for (std::size_t i = 0; i <= most_levels; ++i) content += std::to_string(i) + "k,1\n";
  const std::string path = folder.write("a.csv", content);
  const Table table = load({.path = path});
  EXPECT_EQ(table.schema().size(), 1U);
  EXPECT_THAT(table.notes(), ElementsAre(HasSubstr("column id has more than 100000 levels and is left out")));
  EXPECT_EQ(failure_of({.path = path, .categorical = {"id"}}).kind, ErrorKind::data);
}

TEST(ScanJson, Lines) {
  const TemporaryFolder folder;
  const Table table = load({.path = folder.write("a.data",
                                                 "{\"a\":1,\"b\":\"x\",\"c\":[1],\"m\":1,\"n\":null}\n"
                                                 "{\"b\":null,\"a\":2.5,\"d\":true,\"m\":\"z\"}\n")});
  EXPECT_THAT(texts(table, "a"), ElementsAre("1", "2.5"));
  EXPECT_THAT(texts(table, "b"), ElementsAre("x", "-"));
  EXPECT_THAT(texts(table, "d"), ElementsAre("-", "1"));
  EXPECT_THAT(texts(table, "m"), ElementsAre("1", "z"));
  EXPECT_EQ(type_of(table, "n"), "float64");
  EXPECT_EQ(table.schema().find("c"), std::nullopt);
  EXPECT_THAT(texts(load({.path = folder.write("b.json", "[{\"a\":1},\n {\"a\":2}]")}), "a"), ElementsAre("1", "2"));
  EXPECT_THAT(texts(load({.path = folder.write("c.json", "{\"a\":1,\"A\":5}\n{\"a\":2}\n")}), "A_1"),
              ElementsAre("5", "-"));
  const Failure cut = failure_of({.path = folder.write("d.json", "{\"a\":1}\n{\"a\":\n")});
  EXPECT_EQ(cut.kind, ErrorKind::data);
  EXPECT_THAT(cut.what, HasSubstr("d.json, near line 2: not JSON: unexpected end of data"));
  EXPECT_THAT(failure_of({.path = folder.write("e.json", "{\"a\":1}\n[1]\n")}).what, HasSubstr("are not objects"));
  EXPECT_THAT(failure_of({.path = folder.write("f.json", "{\"a\":1,\"a\":2}\n")}).what, HasSubstr("duplicate key"));
}

TEST(ScanDuckDb, TablesAndEnums) {
  const TemporaryFolder folder;
  const std::string path = folder.path("any.name");
  duck({"ATTACH " + sql_text(path) + " AS d", "CREATE TYPE d.size AS ENUM ('small', 'large', 'huge')",
        "CREATE TABLE d.one AS SELECT * FROM (VALUES ('large'::d.size, 1), (NULL, 2)) t(s, i)",
        "CREATE VIEW d.spy AS SELECT 1 AS x", "CHECKPOINT d"});
  const Table one = load({.path = path});
  EXPECT_THAT(one.schema()[0].dictionary->levels(), ElementsAre("small", "large", "huge"));
  EXPECT_TRUE(one.schema()[0].dictionary->ordered());
  EXPECT_THAT(texts(one, "s"), ElementsAre("large", "-"));
  EXPECT_THAT(texts(load({.path = path, .table = "spy"}), "x"), ElementsAre("1"));
  EXPECT_THAT(texts(load({.path = path, .query = "SELECT sum(i) AS t FROM one"}), "t"), ElementsAre("3"));
  EXPECT_THAT(texts(load({.path = path, .query = "SELECT sum(i) AS t FROM data"}), "t"), ElementsAre("3"));
  const Failure unknown = failure_of({.path = path, .table = "two"});
  EXPECT_EQ(unknown.kind, ErrorKind::usage);
  EXPECT_THAT(unknown.what, HasSubstr("has no table two"));
  duck({"ATTACH " + sql_text(path) + " AS d", "CREATE TABLE d.\"da'ta\" AS SELECT 5 AS v", "CHECKPOINT d"});
  EXPECT_THAT(texts(load({.path = path, .table = "da'ta"}), "v"), ElementsAre("5"));
  EXPECT_THAT(failure_of({.path = path}).what, AllOf(HasSubstr("more than one table"), HasSubstr("da'ta, one")));
  EXPECT_EQ(folder.files(), 1U);
}

TEST(ScanDuckDb, ChangesThatAreStillInTheLog) {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.duckdb");
  duck({"ATTACH " + sql_text(path) + " AS d", "PRAGMA disable_checkpoint_on_shutdown",
        "CREATE TABLE d.t AS SELECT 1 AS v", "INSERT INTO d.t VALUES (2)"});
  ASSERT_TRUE(std::filesystem::exists(path + ".wal"));
  EXPECT_THAT(texts(load({.path = path}), "v"), ElementsAre("1", "2"));
  EXPECT_TRUE(std::filesystem::exists(path + ".wal")) << "a reader must not write";
}

TEST(Scan, BlocksOfAnySizeGiveTheSameTable) {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.parquet");
  duck(
      {"COPY (SELECT CASE WHEN i % 7 > 0 THEN i END AS a, i / 3 AS b, 'l' || (i % 5) AS c, i % 2 = 0 AS d "
       "FROM range(5000) t(i)) TO " +
       sql_text(path)});
  const auto source = scan({.path = path});
  const Table whole = Table::load(*source);
  ASSERT_EQ(whole.rows(), 5000U);
  EXPECT_EQ(whole.column(0).number(4999), 4999);
  const std::uint32_t wanted[] = {2, 0, 3};
  for (const std::size_t block_rows : {1U, 7U, 1000U, 2048U, 2049U, 4096U, 100000U}) {
    const auto stream = source->open(wanted, block_rows);
    std::uint64_t row = 0;
    while (const auto block = stream->next()) {
      ASSERT_EQ(block->first_row, row);
      ASSERT_EQ(block->first_row % block_rows, 0U);
      ASSERT_EQ(block->columns[1].data, nullptr);
      for (std::size_t i = 0; i < block->rows; ++i, ++row) {
        for (const std::uint32_t column : wanted) {
          const double expected = whole.column(column).number(row);
          const double found = block->columns[column].number(i);
          ASSERT_TRUE(found == expected || (std::isnan(found) && std::isnan(expected)));
        }
      }
    }
    EXPECT_EQ(row, 5000U);
  }
  std::uint64_t rows = 0;
  const auto none = source->open({}, 999);
  while (const auto block = none->next()) rows += block->rows;
  EXPECT_EQ(rows, 5000U) << "rows can be counted without a column";
}

TEST(ScanQuery, SeesAllTypes) {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.parquet");
  duck(
      {"COPY (SELECT 1.5::DECIMAL(9,2) AS d, {'x': 7, 'y z': [1]} AS s, MAP {'k': 2} AS m, [3, 4] AS l, "
       "'2020-01-02'::DATE AS \"the \"\"day\"\"\", '\\x01'::BLOB AS b, 5::HUGEINT AS h, uuid() AS u) TO " +
       sql_text(path)});
  const Table table =
      load({.path = path, .query = "SELECT d, s.x AS x, l[2] AS l, m['k'] AS m, \"the \"\"day\"\"\" AS t FROM data"});
  EXPECT_THAT(texts(table, "d"), ElementsAre("1.5"));
  EXPECT_THAT(texts(table, "x"), ElementsAre("7"));
  EXPECT_THAT(texts(table, "l"), ElementsAre("4"));
  EXPECT_THAT(texts(table, "t"), ElementsAre("18263"));
}

TEST(ScanQuery, RunsOverTheFile) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.csv", "g,x\nb,1\na,2\nb,4\n");
  const Table table =
      load({.path = path, .query = "SELECT g, sum(x) AS s, avg(x) m FROM data GROUP BY g ORDER BY g; "});
  EXPECT_THAT(texts(table, "g"), ElementsAre("a", "b"));
  EXPECT_THAT(texts(table, "s"), ElementsAre("2", "5"));
  EXPECT_THAT(texts(table, "m"), ElementsAre("2", "2.5"));
  EXPECT_THAT(texts(load({.path = path, .query = "FROM data ORDER BY x DESC -- all"}), "x"),
              ElementsAre("4", "2", "1"));
  EXPECT_THAT(
      texts(load({.path = path, .query = "WITH t AS (SELECT 1 AS one) SELECT NULL AS n, uuid() = uuid() AS u FROM t"}),
            "n"),
      ElementsAre("-"));
  EXPECT_THAT(failure_of({.path = path, .query = "SELECT * FROM data WHERE x > 9"}).what, HasSubstr("gives no rows"));
  EXPECT_THAT(failure_of({.path = path, .query = "SELECT x, x FROM data"}).what,
              HasSubstr("more than one column called x"));
  EXPECT_THAT(failure_of({.path = path, .query = "SELECT * FROM data WHERE x = ?"}).what, HasSubstr("has parameters"));
  EXPECT_EQ(failure_of({.path = path, .query = "SELEC 1"}).kind, ErrorKind::data);
  EXPECT_THAT(failure_of({.path = path, .query = " ; "}).what, HasSubstr("is empty"));
}

}  // namespace
}  // namespace sightglass
