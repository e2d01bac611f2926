// A query is text from the command line, a database file comes from anywhere: neither may do more than read
// the one file that was named.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "sightglass/base/error.h"
#include "sightglass/data/scan/scan.h"
#include "sightglass/data/scan/session_internal.h"
#include "sightglass/data/table.h"
#include "support/temporary_folder.h"

namespace sightglass {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class Lockdown : public ::testing::Test {
 protected:
  Lockdown() {
    csv_ = folder_.write("data.csv", "a,b\n1,x\n2,y\n");
    other_ = folder_.write("other.csv", "secret\n42\n");
    database_ = folder_.path("data.duckdb");
    Session session({.shown = "test"});
    session.execute("ATTACH " + sql_text(database_) + " AS d");
    session.execute("CREATE TABLE d.t AS SELECT 1 AS a, 'x' AS b");
    session.execute("CREATE TABLE d.u AS SELECT 2 AS a");
    session.execute("CREATE SEQUENCE d.counter");
    session.execute("DETACH d");
    files_ = folder_.files();
  }

  // The error that a query meets, over the CSV file and over the database.
  void expect_refused(const std::string& query) {
    for (const std::string& path : {csv_, database_}) {
      try {
        (void)Table::load(*scan({.path = path, .query = query}));
        ADD_FAILURE() << "allowed: " << query;
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::data) << error.what();
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
        EXPECT_EQ(std::string(error.what()).find("secret"), std::string::npos) << error.what();
      }
    }
    EXPECT_EQ(folder_.files(), files_) << query;
  }

  TemporaryFolder folder_;
  std::string csv_, other_, database_;
  std::size_t files_ = 0;
};

TEST_F(Lockdown, NothingIsWritten) {
  const std::string out = sql_text(folder_.path("out.csv"));
  for (const std::string& query : {
           "COPY data TO " + out,
           "COPY (SELECT 1) TO " + sql_text(csv_),
           "COPY (SELECT 1 AS a) TO " + sql_text(csv_) + " (FORMAT csv)",
           "EXPORT DATABASE " + sql_text(folder_.path("exported")),
           std::string("CREATE TABLE made AS SELECT 1 AS a"),
           std::string("CREATE TEMP TABLE made AS SELECT 1 AS a"),
           std::string("INSERT INTO t VALUES (5, 'z')"),
           std::string("UPDATE t SET a = 5"),
           std::string("DELETE FROM t"),
           std::string("DROP TABLE t"),
           std::string("SELECT nextval('counter') AS a"),
           "ATTACH " + sql_text(folder_.path("new.duckdb")),
           std::string("ATTACH ':memory:' AS m"),
           std::string("CHECKPOINT"),
           std::string("VACUUM"),
           "SELECT * FROM query('COPY data TO ' || " + out + ")",
           "EXPLAIN ANALYZE COPY data TO " + out,
           "SELECT * FROM enable_logging('QueryLog', storage = 'file', storage_config = {'path': " +
               sql_text(folder_.path("log")) + "})",
           "CALL enable_logging('QueryLog', storage = 'file', storage_path = " + sql_text(folder_.path("log")) + ")",
           "SELECT * FROM enable_profiling(save_location := " + out + ")",
           "PREPARE p AS COPY data TO " + out,
       }) {
    expect_refused(query);
  }
}

TEST_F(Lockdown, NoOtherFileIsRead) {
  const std::string other = sql_text(other_);
  fs::create_symlink(other_, folder_.path("link.csv"));
  fs::create_directory_symlink("/etc", folder_.path("etc"));
  for (const std::string& query : {
           "SELECT * FROM read_csv(" + other + ")",
           "SELECT * FROM " + other,
           "SELECT * FROM read_text(" + other + ")",
           "SELECT * FROM read_blob(" + other + ")",
           "SELECT * FROM read_json_auto(" + other + ")",
           "SELECT * FROM read_parquet(" + other + ")",
           "SELECT * FROM parquet_metadata(" + other + ")",
           "SELECT * FROM sniff_csv(" + other + ")",
           "SELECT * FROM read_csv([" + sql_text(csv_) + ", " + other + "])",
           "SELECT * FROM glob(" + sql_text(folder_.path("*")) + ")",
           "SELECT * FROM read_csv(" + sql_text(folder_.path("*.csv")) + ")",
           "SELECT * FROM read_csv(" + sql_text(folder_.path("d*.csv")) + ")",
           "SELECT * FROM read_csv(" + sql_text(folder_.path("link.csv")) + ")",
           "SELECT * FROM read_csv(" + sql_text(folder_.path("data.csv/../other.csv")) + ")",
           "SELECT * FROM read_text(" + sql_text(folder_.path("etc/passwd")) + ")",
           "SELECT * FROM read_csv('file://' || " + other + ")",
           std::string("SELECT * FROM read_csv('/etc/passwd')"),
           std::string("SELECT * FROM read_text('/proc/self/environ')"),
           std::string("SELECT * FROM '/etc/passwd'"),
           std::string("SELECT * FROM read_csv('https://example.org/a.csv')"),
           std::string("SELECT * FROM query('SELECT * FROM read_text(''/etc/passwd'')')"),
           std::string("SELECT * FROM query_table('/etc/passwd')"),
           "SELECT * FROM read_duckdb(" + other + ")",
           std::string("SELECT getenv('PATH') AS a"),
       }) {
    files_ = folder_.files();
    expect_refused(query);
  }
}

TEST_F(Lockdown, AFileOfTheSameNameIsNotRead) {
  // link/.. is the folder above the link's target, not the folder of the link.
  fs::create_directories(folder_.path("elsewhere/inner"));
  fs::create_directory_symlink(folder_.path("elsewhere/inner"), folder_.path("link"));
  for (const char* name : {"data.csv", "data.duckdb"}) {
    fs::copy_file(other_, folder_.path("elsewhere/" + std::string(name)));
    files_ = folder_.files();
    const std::string same = sql_text(folder_.path("link/../" + std::string(name)));
    for (const char* function : {"read_csv", "read_text", "read_blob", "read_json_auto", "read_ndjson_objects",
                                 "read_parquet", "parquet_schema", "parquet_metadata", "sniff_csv", "glob", ""}) {
      const std::string call = *function == '\0' ? same : std::string(function) + "(" + same + ")";
      expect_refused("SELECT * FROM " + call);
    }
    expect_refused("SELECT a FROM data WHERE a IN (SELECT size FROM read_text(" + same + "))");
  }
}

TEST_F(Lockdown, NoExtensionSettingOrSecondStatement) {
  for (const std::string& query : {
           std::string("INSTALL httpfs"),
           std::string("LOAD httpfs"),
           "LOAD " + sql_text(folder_.path("x.duckdb_extension")),
           std::string("SET enable_external_access = true"),
           std::string("RESET enable_external_access"),
           std::string("SET allowed_paths = ['/etc/passwd']"),
           std::string("SET temp_directory = '/tmp'"),
           std::string("SET VARIABLE x = 1"),
           std::string("PRAGMA enable_profiling"),
           std::string("PRAGMA database_list; SELECT 1 AS a"),
           std::string("SELECT 1 AS a; SELECT 2 AS a"),
           std::string("SELECT 1 AS a; COPY data TO '/dev/null'"),
           std::string("BEGIN; SELECT 1 AS a"),
           std::string("CREATE SECRET s (TYPE s3)"),
           std::string("CALL pragma_version()"),
           std::string("USE temp"),
       }) {
    expect_refused(query);
  }
}

TEST_F(Lockdown, NothingIsPrinted) {
  const std::string logging = "system.main.enable_logging(level = 'trace', storage = 'stdout')";
  const std::string path = folder_.path("hostile.duckdb");
  {
    Session session({.shown = "test"});
    session.execute("ATTACH " + sql_text(path) + " AS d");
    session.execute(
        "CREATE VIEW d.noise AS SELECT write_log('x', level := 'ERROR', scope := 'database') AS a FROM range(9), "
        "(SELECT count(*) FROM " +
        logging + ")");
  }
  files_ = folder_.files();
  ::testing::internal::CaptureStdout();
  expect_refused("SELECT * FROM " + logging);
  expect_refused("SELECT * FROM query('SELECT * FROM enable_' || 'logging(storage := ''stdout'')')");
  EXPECT_THROW((void)scan({.path = path}), Error);
  EXPECT_THROW((void)scan({.path = path, .query = "SELECT * FROM noise"}), Error);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
}

TEST_F(Lockdown, AViewInADatabaseReadsNothingElse) {
  const std::string path = folder_.path("hostile.duckdb");
  {
    Session session({.shown = "test"});
    session.execute("ATTACH " + sql_text(path) + " AS d");
    session.execute("CREATE VIEW d.spy AS SELECT * FROM read_csv(" + sql_text(other_) + ")");
  }
  for (const ScanOptions& options :
       {ScanOptions{.path = path}, ScanOptions{.path = path, .query = "SELECT * FROM data"},
        ScanOptions{.path = path, .query = "SELECT * FROM spy"}}) {
    try {
      (void)Table::load(*scan(options));
      ADD_FAILURE() << "a view of the file was allowed to read another file";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::data);
      EXPECT_THAT(error.what(), HasSubstr("may read nothing but this file"));
    }
  }
}

TEST_F(Lockdown, TheFileItselfMayBeALink) {
  fs::create_symlink(csv_, folder_.path("link"));
  fs::create_directory(folder_.path("inner"));
  for (const std::string& path : {folder_.path("link"), folder_.path("inner/../data.csv")}) {
    EXPECT_EQ(Table::load(*scan({.path = path})).rows(), 2U);
    EXPECT_EQ(Table::load(*scan({.path = path, .query = "SELECT a FROM data"})).rows(), 2U);
  }
}

}  // namespace
}  // namespace sightglass
