// Reads a data file block by block: CSV, Parquet, JSON lines, a DuckDB database, or a query over one of them.
//
// The rows are never all in memory; Table::load(*scan(…)) puts them there. Text becomes categories, whose
// levels are found in a first pass over the text columns; dates and times become numbers, and a note says so.
// A missing number is NaN, a missing integer or boolean has its bit cleared, a missing text has code -1.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/data/source.h"
#include "sightglass/data/table.h"

namespace sightglass {

// How dates are written in the CSV files that belong together, as 03/04/2020 does not say by itself: as in the first of
// them, which is read before the others.
struct CsvDates {
  bool first = true;            // whether none was read yet
  std::string date, timestamp;  // as strptime reads them; empty: there were none
};

struct ScanOptions {
  std::string path;
  std::string table;  // of a DuckDB file; may be empty if it has only one
  std::string query;  // one SELECT over the file, which it sees as the table `data`; empty = all rows
  // Columns whose type is overruled: numbers read as levels ("1", "2", "10"), text read as numbers.
  std::vector<std::string> categorical;
  std::vector<std::string> numeric;
  std::vector<std::string> categorical_if_present;  // as categorical, without complaint where it cannot be
  std::vector<std::string> text_if_present;         // CSV columns whose spelling counts: 01 is not 1
  std::shared_ptr<CsvDates> csv_dates;              // null: the file stands for itself
  int threads = 0;                                  // 0 = as many as the machine has, at most 4; a query runs on one
  const Context* context = nullptr;                 // may stop the reading; outlives the source
};

// Throws Error(data) if the file cannot be read or has no rows, Error(usage) on options that do not fit it.
[[nodiscard]] std::unique_ptr<Source> scan(const ScanOptions& options);

// Reads all rows into memory. The context, which takes the place of that in the options, can stop it within a moment,
// also where DuckDB cannot be asked to: that step then ends in a thread of its own, and what it found is thrown away.
[[nodiscard]] Table scan_table(ScanOptions options, const Context& context);

}  // namespace sightglass
