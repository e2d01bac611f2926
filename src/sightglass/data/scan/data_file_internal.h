// What a data file is, by its content first and its name second, and how to ask DuckDB for its rows.
#pragma once

#include <string>
#include <vector>

namespace sightglass {

enum class FileFormat { csv, parquet, json_lines, json_array, duckdb };

struct DataFile {
  std::string path;   // canonical and absolute
  std::string shown;  // as the user wrote it, made printable
  FileFormat format = FileFormat::csv;
  std::string compression = "none";  // none, gzip or zstd, as DuckDB calls them
  std::string head;                  // the beginning of the text, decompressed (CSV and JSON)
  bool head_is_all = false;

  // The path as DuckDB's readers take it: they would expand * ? [ in a file's name.
  [[nodiscard]] std::string pattern() const;
  // What a session must be allowed to read: nothing for a database, which it has opened before it is locked,
  // together with the log beside it.
  [[nodiscard]] std::vector<std::string> readable_paths() const;
};

// Throws Error(data) on a file that is missing, not readable, not a file, empty, or of a kind we do not read.
[[nodiscard]] DataFile open_data_file(const std::string& path);

// Of ASCII letters alone, whatever the locale.
[[nodiscard]] std::string lower(std::string text);

}  // namespace sightglass
