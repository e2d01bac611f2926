// The first line of a CSV file, read by ourselves: DuckDB's sniffer may skip lines that do not fit its guess,
// take the header for data or the data for a header, without a word. It is told what we found instead.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sightglass {

struct CsvHeader {
  char delimiter = ',';
  std::size_t lines = 1;  // more if a name contains a line break
  std::vector<std::string> names;
  std::vector<std::string> notes;
};

// `head` is the beginning of a file, or all of it; `shown` is how messages call the file. Quotes are ", written
// twice inside quotes; the delimiter is the one of , ; tab | on which the first lines agree best.
// Throws Error(data): nothing there, no column names, a name twice, not UTF-8.
[[nodiscard]] CsvHeader read_csv_header(std::string_view head, bool is_whole_file, const std::string& shown);

}  // namespace sightglass
