// The rows that were asked for — of a file, of a table in a DuckDB file, or of a query — as DuckDB knows them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sightglass/data/scan/data_file_internal.h"
#include "sightglass/data/scan/scan.h"
#include "sightglass/data/scan/session_internal.h"

namespace sightglass {

class Relation {
 public:
  // Looks at the file (at all of it where types must be inferred). Throws Error.
  Relation(const ScanOptions& options, DataFile file);

  [[nodiscard]] const DataFile& file() const { return file_; }
  [[nodiscard]] bool is_query() const { return !query_.empty(); }
  // The columns with the names that users know.
  [[nodiscard]] const std::vector<ResultColumn>& columns() const { return columns_; }
  // True if the types were inferred from text: a column without a single value has no type then.
  [[nodiscard]] bool is_inferred() const {
    return !is_query() && file_.format != FileFormat::parquet && file_.format != FileFormat::duckdb;
  }
  [[nodiscard]] std::optional<std::uint64_t> rows() const { return rows_; }
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

  // Lets go of the session in which the file was looked at; each open() makes its own from then on, so that
  // streams do not disturb one another and none outlives a fork. Until then only one result may be open.
  void settle() { session_.reset(); }

  // Runs over these columns, in this order. A query always gives all its columns.
  [[nodiscard]] std::unique_ptr<ResultStream> open(const std::vector<std::uint32_t>& columns) const;

 private:
  // A locked session over the file; connect() adds what a query may see.
  [[nodiscard]] std::shared_ptr<Session> file_session(std::uint64_t memory_mb) const;
  [[nodiscard]] std::shared_ptr<Session> connect() const;
  void add_view(Session& session) const;
  void check_query() const;
  void describe_csv();
  void describe_json();
  void describe_parquet();
  void describe_duckdb(const std::string& table);
  void describe_rows();
  void check_names() const;

  DataFile file_;
  std::shared_ptr<Session> session_;  // until settle(): opening a DuckDB takes longer than reading a small file
  const Context* context_ = nullptr;
  std::shared_ptr<CsvDates> csv_dates_;
  int threads_ = 1;
  std::uint64_t memory_mb_ = 0;
  std::string query_;
  std::vector<std::string> text_columns_;  // of a CSV file
  std::string from_;                       // what stands behind FROM
  std::vector<std::string> sql_names_;     // the columns as DuckDB calls them
  std::vector<ResultColumn> columns_;
  std::optional<std::uint64_t> rows_;
  std::vector<std::string> notes_;
};

}  // namespace sightglass
