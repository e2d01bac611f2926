#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string_view>
#include <utility>

#include "sightglass/base/error.h"
#include "sightglass/base/shown_path.h"
#include "sightglass/base/utf8.h"
#include "sightglass/data/scan/data_file_internal.h"
#include "sightglass/data/scan/session_internal.h"

namespace sightglass {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t head_bytes = std::size_t{1} << 20;

bool starts_with(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

// Files that people try, and what they are.
std::string_view known_stranger(std::string_view head) {
  const std::pair<std::string_view, std::string_view> kinds[] = {
      {"PK\x03\x04", "a zip archive or an Excel workbook"},
      {"\xD0\xCF\x11\xE0", "an old Excel workbook"},
      {"ARROW1", "an Arrow (Feather) file"},
      {"FEA1", "an old Feather file"},
      {"SQLite format 3", "an SQLite database"},
      {"\x89HDF", "an HDF5 file"},
      {"\x93NUMPY", "a NumPy array"},
      {"ORC", "an ORC file"},
      {"\x80\x04", "a Python pickle"},
      {"\x80\x05", "a Python pickle"},
      {"BZh", "compressed with bzip2"},
      {"\xFD"
       "7zXZ",
       "compressed with xz"},
  };
  for (const char* page : {"<?xml", "<!DOCTYPE", "<!doctype", "<html"}) {
    if (starts_with(head, page)) return "an XML or HTML page";
  }
  // Text may begin like anything: a column can be called ORCID.
  const bool text = is_utf8(head) && std::none_of(head.begin(), head.end(), [](char c) {
                      return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r';
                    });
  for (const auto& [magic, kind] : kinds) {
    if (!text && starts_with(head, magic)) return kind;
  }
  return {};
}

// The beginning of a compressed file's text: DuckDB unpacks it, each line taken whole.
std::string unpacked_head(const DataFile& file) {
  const auto session = std::make_shared<Session>(SessionOptions{.shown = file.shown});
  session->lock(file.readable_paths());
  const std::string sql = "SELECT line FROM read_csv(" + sql_text(file.pattern()) +
                          ", auto_detect = false, header = false, columns = {'line': 'VARCHAR'}, delim = chr(31), "
                          "quote = '', escape = '', comment = '', strict_mode = false, hive_partitioning = false, "
                          "compression = " +
                          sql_text(file.compression) + ") LIMIT 200";
  std::string head;
  for (const std::string& line : text_column(session, sql)) {
    head += line + '\n';
    if (head.size() > head_bytes) break;
  }
  return head;
}

FileFormat text_format(const DataFile& file, const std::string& name) {
  std::string_view text = file.head;
  if (starts_with(text, "\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const char opening = first == std::string_view::npos ? '\0' : text[first];
  const auto named = [&](std::initializer_list<std::string_view> endings) {
    return std::any_of(endings.begin(), endings.end(), [&](std::string_view end) { return ends_with(name, end); });
  };
  const bool named_json = named({".json", ".jsonl", ".ndjson"});
  // A CSV file may well start with a brace, if its name says that it is one.
  if (!named({".csv", ".tsv", ".tab", ".txt"}) || named_json) {
    if (opening == '{') return FileFormat::json_lines;
    if (opening == '[') return FileFormat::json_array;
  }
  if (named_json) {
    throw Error(ErrorKind::data, file.shown + ": the file is named JSON but does not start with { or [",
                "JSON data need one object per line");
  }
  return FileFormat::csv;
}

}  // namespace

std::string lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

std::string DataFile::pattern() const {
  std::string escaped;
  for (const char c : path) {
    if (c == '*' || c == '?' || c == '[') {
      escaped += '[';
      escaped += c;
      escaped += ']';
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::vector<std::string> DataFile::readable_paths() const {
  if (format == FileFormat::duckdb) return {};
  std::vector<std::string> paths = {path};
  if (pattern() != path) paths.push_back(pattern());
  return paths;
}

DataFile open_data_file(const std::string& path) {
  DataFile file;
  file.shown = shown_path(path);
  std::error_code failed;
  const fs::path canonical = fs::canonical(path, failed);
  if (path.empty() || failed) {
    throw Error(ErrorKind::data, "cannot open " + file.shown + ": " + (path.empty() ? "no path" : failed.message()),
                "check the path");
  }
  file.path = canonical.string();
  if (!fs::is_regular_file(canonical, failed)) {
    const bool folder = fs::is_directory(canonical, failed);
    throw Error(ErrorKind::data, file.shown + (folder ? " is a folder" : " is not a regular file"),
                "name one data file: CSV, Parquet, JSON lines or DuckDB");
  }
  // DuckDB takes paths as UTF-8, and takes \ for a separator where a name has to be escaped.
  if (!is_utf8(file.path) || (file.pattern() != file.path && file.path.find('\\') != std::string::npos)) {
    throw Error(ErrorKind::data, file.shown + ": the path has characters that cannot be used", "rename the file");
  }
  std::ifstream stream(canonical, std::ios::binary);
  if (!stream) {
    throw Error(ErrorKind::data, "cannot open " + file.shown + ": " + std::strerror(errno), "check its permissions");
  }
  file.head.resize(head_bytes);
  stream.read(file.head.data(), static_cast<std::streamsize>(file.head.size()));
  file.head.resize(static_cast<std::size_t>(stream.gcount()));
  file.head_is_all = file.head.size() < head_bytes;
  if (stream.bad()) throw Error(ErrorKind::data, "cannot read " + file.shown, "check the file");
  if (file.head.empty()) {
    throw Error(ErrorKind::data, file.shown + " is empty", "it needs a line of column names and rows");
  }

  if (starts_with(file.head, "PAR1")) {
    file.format = FileFormat::parquet;
    file.head.clear();
    return file;
  }
  if (file.head.size() >= 12 && file.head.compare(8, 4, "DUCK") == 0) {
    file.format = FileFormat::duckdb;
    file.head.clear();
    return file;
  }
  if (starts_with(file.head, "\x1F\x8B")) file.compression = "gzip";
  if (starts_with(file.head, "\x28\xB5\x2F\xFD")) file.compression = "zstd";
  std::string name = lower(fs::path(path).filename().string());
  if (file.compression != "none") {
    file.head = unpacked_head(file);
    file.head_is_all = false;
    for (const std::string_view end : {".gz", ".zst"}) {
      if (ends_with(name, end)) name.erase(name.size() - end.size());
    }
    if (file.head.empty()) throw Error(ErrorKind::data, file.shown + " is empty", "it needs column names and rows");
  }
  if (const std::string_view kind = known_stranger(file.head); !kind.empty()) {
    throw Error(ErrorKind::data, file.shown + " is " + std::string(kind), "convert it to Parquet or CSV");
  }
  if (starts_with(file.head, "\xFF\xFE") || starts_with(file.head, "\xFE\xFF")) {
    throw Error(ErrorKind::data, file.shown + ", line 1: the text is UTF-16, not UTF-8", "save the file as UTF-8");
  }
  if (file.head.substr(0, 4096).find('\0') != std::string::npos) {
    throw Error(ErrorKind::data, file.shown + " is neither text nor a Parquet or DuckDB file",
                "convert it to Parquet or CSV");
  }
  file.format = text_format(file, name);
  return file;
}

}  // namespace sightglass
