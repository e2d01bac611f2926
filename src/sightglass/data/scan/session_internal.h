// A DuckDB that can do one thing only: run SELECTs over the files it was allowed to read.
//
// DuckDB is a whole database; a query is text from the command line and a database file may bring views of
// its own. Once lock() was called nothing can be written, no other file read, no extension loaded and no
// setting changed.
#pragma once

#include <duckdb.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/base/error.h"

namespace sightglass {

[[nodiscard]] std::string sql_text(std::string_view text);
[[nodiscard]] std::string sql_name(std::string_view name);

struct SessionOptions {
  std::string database;              // a DuckDB file, opened read-only; empty = in memory
  int threads = 1;                   // more than one keeps the order of rows, but not of sums in a query
  std::uint64_t memory_mb = 0;       // 0 = DuckDB's own default, most of the machine
  std::string shown;                 // how messages call the file
  const Context* context = nullptr;  // whose work this is, for interrupt_sessions()
};

// What DuckDB says a result's column is.
struct ResultColumn {
  std::string name;
  duckdb_type type = DUCKDB_TYPE_INVALID;
  duckdb_type stored = DUCKDB_TYPE_INVALID;  // of DECIMAL and ENUM
  std::uint8_t width = 0;                    // of DECIMAL
  std::uint8_t scale = 0;
  bool is_json = false;             // text that holds JSON
  std::vector<std::string> levels;  // of ENUM
};

class Session;

// Rows as DuckDB hands them out, a chunk of about 2048 at a time; the rest is not computed yet.
class ResultStream {
 public:
  ResultStream(std::shared_ptr<Session> session, duckdb_prepared_statement statement);
  ~ResultStream();
  ResultStream(const ResultStream&) = delete;
  ResultStream& operator=(const ResultStream&) = delete;

  // False at the end. Throws Error(data) on what DuckDB finds wrong with the file.
  [[nodiscard]] bool next();
  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] const void* data(std::size_t column) const;
  // Bit i set = row i is present; null = all are.
  [[nodiscard]] const std::uint64_t* validity(std::size_t column) const;

 private:
  std::shared_ptr<Session> session_;
  duckdb_result result_{};
  duckdb_data_chunk chunk_ = nullptr;
  std::size_t rows_ = 0;
};

// One SELECT, ready to be executed.
class Statement {
 public:
  Statement(std::shared_ptr<Session> session, const std::string& sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  [[nodiscard]] std::vector<ResultColumn> columns() const;
  [[nodiscard]] std::unique_ptr<ResultStream> execute() const;

 private:
  std::shared_ptr<Session> session_;
  duckdb_prepared_statement statement_ = nullptr;
};

class Session {
 public:
  explicit Session(SessionOptions options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Our own statements, before lock().
  void execute(const std::string& sql);
  void lock(const std::vector<std::string>& readable_paths);

  // Throws Error(data) if a SELECT would call a function that does more than read. Its text does not tell:
  // functions hide in views, and in SQL that is put together from strings.
  void require_harmless(const std::string& select);

  [[nodiscard]] duckdb_connection connection() const { return connection_; }
  // An Error(data) for DuckDB's message, in one line and in terms of the file.
  [[nodiscard]] Error error(const char* message) const;

 private:
  void close();

  SessionOptions options_;
  std::vector<std::string> hidden_;  // paths that messages do not show
  duckdb_database database_ = nullptr;
  duckdb_connection connection_ = nullptr;
};

// Asks DuckDB to give up what it is doing for this work. It does so between two chunks of rows, but not while it
// finds out the types of a text file. Any thread.
void interrupt_sessions(const Context& context);

// All rows of the first column of a small result, as text. Missing values are empty.
[[nodiscard]] std::vector<std::string> text_column(const std::shared_ptr<Session>& session, const std::string& sql);

// The text in a VARCHAR vector.
[[nodiscard]] std::string_view text_at(const void* data, std::size_t row);

[[nodiscard]] inline bool is_valid(const std::uint64_t* validity, std::size_t row) {
  return validity == nullptr || ((validity[row / 64] >> (row % 64)) & 1) != 0;
}

}  // namespace sightglass
