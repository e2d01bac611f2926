#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <mutex>
#include <optional>
#include <utility>

#include "sightglass/data/scan/duckdb_library_internal.h"
#include "sightglass/data/scan/session_internal.h"

namespace sightglass {

namespace {

std::string quoted(std::string_view text, char quote) {
  std::string result(1, quote);
  for (const char c : text) {
    if (c == quote) result += quote;
    result += c;
  }
  return result + quote;
}

// The number after `label`, as in "Line: 3".
std::optional<std::uint64_t> number_after(std::string_view message, std::string_view label) {
  const std::size_t at = message.find(label);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = message.substr(at + label.size());
  std::uint64_t number = 0;
  const auto [end, failed] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (failed != std::errc() || end == rest.data()) return std::nullopt;
  return number;
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// "Invalid Input Error: text\nmore" -> "text".
std::string first_line(std::string_view message) {
  message = message.substr(0, message.find('\n'));
  const std::size_t colon = message.find("Error: ");
  if (colon != std::string_view::npos && colon < 40) message.remove_prefix(colon + 7);
  while (!message.empty() && (message.back() == ' ' || message.back() == '.')) message.remove_suffix(1);
  return printable(message, 300);
}

ResultColumn describe(const char* name, duckdb_logical_type type) {
  const DuckDb& duck = duckdb();
  ResultColumn column;
  column.name = name == nullptr ? "" : name;
  column.type = duck.get_type_id(type);
  if (column.type == DUCKDB_TYPE_DECIMAL) {
    column.stored = duck.decimal_internal_type(type);
    column.width = duck.decimal_width(type);
    column.scale = duck.decimal_scale(type);
  }
  if (column.type == DUCKDB_TYPE_ENUM) {
    column.stored = duck.enum_internal_type(type);
    const std::uint32_t size = duck.enum_dictionary_size(type);
    for (std::uint32_t i = 0; i < size; ++i) {
      char* level = duck.enum_dictionary_value(type, i);
      column.levels.emplace_back(level == nullptr ? "" : level);
      duck.free(level);
    }
  }
  if (char* alias = duck.logical_type_get_alias(type)) {
    column.is_json = std::string_view(alias) == "JSON";
    duck.free(alias);
  }
  return column;
}

// The connections that work for a context, to be interrupted from another thread.
struct Connections {
  std::mutex mutex;
  std::vector<std::pair<const Context*, duckdb_connection>> open;
};

Connections& connections() {
  static auto* const all = new Connections;  // threads may outlive what is destroyed at the program's end
  return *all;
}

}  // namespace

void interrupt_sessions(const Context& context) {
  const std::lock_guard lock(connections().mutex);
  for (const auto& [owner, connection] : connections().open) {
    if (owner == &context) duckdb().interrupt(connection);
  }
}

std::string sql_text(std::string_view text) { return quoted(text, '\''); }
std::string sql_name(std::string_view name) { return quoted(name, '"'); }

Session::Session(SessionOptions options) : options_(std::move(options)) {
  if (!options_.database.empty()) hidden_ = {options_.database};
  const DuckDb& duck = duckdb();
  duckdb_config config = nullptr;
  if (duck.create_config(&config) == DuckDBError) throw Error(ErrorKind::data, "DuckDB cannot be configured");
  std::vector<std::pair<std::string, std::string>> settings = {
      {"access_mode", options_.database.empty() ? "automatic" : "read_only"},
      {"threads", std::to_string(options_.threads)},
      // Without a place for spilled pages nothing is left behind in the working folder.
      {"temp_directory", ""},
      {"autoinstall_known_extensions", "false"},
      {"autoload_known_extensions", "false"},
      {"allow_community_extensions", "false"},
      {"allow_persistent_secrets", "false"},
      {"preserve_insertion_order", "true"},
      // It would keep every block of the file that was read.
      {"enable_external_file_cache", "false"},
  };
  if (options_.memory_mb > 0) settings.emplace_back("memory_limit", std::to_string(options_.memory_mb) + "MiB");
  for (const auto& [name, value] : settings) {
    if (duck.set_config(config, name.c_str(), value.c_str()) == DuckDBError) {
      duck.destroy_config(&config);
      throw Error(ErrorKind::data, "the DuckDB library has no setting " + name, "use DuckDB 1.4 or newer");
    }
  }
  char* message = nullptr;
  const char* path = options_.database.empty() ? nullptr : options_.database.c_str();
  const bool failed = duck.open_ext(path, &database_, config, &message) == DuckDBError;
  duck.destroy_config(&config);
  if (failed) {
    const Error problem = error(message);
    duck.free(message);
    throw problem;
  }
  if (duck.connect(database_, &connection_) == DuckDBError) {
    close();
    throw Error(ErrorKind::data, "cannot connect to DuckDB");
  }
  if (options_.context != nullptr) {
    const std::lock_guard lock(connections().mutex);
    connections().open.emplace_back(options_.context, connection_);
  }
  try {
    // Times with a zone must not depend on where the computer stands.
    execute("SET TimeZone = 'UTC'");
  } catch (const Error&) {
    // A DuckDB without the time zone extension: there is nothing to set then.
  }
}

Session::~Session() { close(); }

void Session::close() {
  if (options_.context != nullptr) {
    const std::lock_guard lock(connections().mutex);
    std::erase_if(connections().open, [&](const auto& entry) { return entry.second == connection_; });
  }
  if (connection_ != nullptr) duckdb().disconnect(&connection_);
  if (database_ != nullptr) duckdb().close(&database_);
}

void Session::execute(const std::string& sql) {
  const DuckDb& duck = duckdb();
  duckdb_result result{};
  const bool failed = duck.query(connection_, sql.c_str(), &result) == DuckDBError;
  if (failed) {
    const Error problem = error(duck.result_error(&result));
    duck.destroy_result(&result);
    throw problem;
  }
  duck.destroy_result(&result);
}

void Session::lock(const std::vector<std::string>& readable_paths) {
  hidden_.insert(hidden_.end(), readable_paths.begin(), readable_paths.end());
  std::string list;
  for (const std::string& path : readable_paths) list += (list.empty() ? "" : ", ") + sql_text(path);
  if (!list.empty()) execute("SET allowed_paths = [" + list + "]");
  execute("SET enable_external_access = false");
  execute("SET lock_configuration = true");
}

void Session::require_harmless(const std::string& select) {
  const DuckDb& duck = duckdb();
  duckdb_result result{};
  if (duck.query(connection_, ("EXPLAIN (FORMAT json) " + select).c_str(), &result) == DuckDBError) {
    const Error problem = error(duck.result_error(&result));
    duck.destroy_result(&result);
    throw problem;
  }
  std::string plan;
  while (duckdb_data_chunk chunk = duck.fetch_chunk(result)) {
    const idx_t rows = duck.data_chunk_get_size(chunk);
    const void* texts = duck.vector_get_data(duck.data_chunk_get_vector(chunk, 1));
    for (idx_t row = 0; row < rows; ++row) plan += text_at(texts, row);
    duck.destroy_data_chunk(&chunk);
    if (rows == 0) break;
  }
  duck.destroy_result(&result);
  // Logging is switched on by a table function that no setting forbids, and may print to our output. Functions
  // that read files find the database's own path allowed, and through folder/link/.. other files behind it.
  constexpr std::string_view label = "\"Function\": \"";
  for (std::size_t at = plan.find(label); at != std::string::npos; at = plan.find(label, at + 1)) {
    const std::string function = plan.substr(at + label.size(), plan.find('"', at + label.size()) - at - label.size());
    const bool reads = function.rfind("READ_", 0) == 0 || function.rfind("PARQUET_", 0) == 0 || function == "GLOB" ||
                       function == "SNIFF_CSV";
    if (reads || function == "ENABLE_LOGGING") {
      throw Error(ErrorKind::data,
                  options_.shown + ": a query may read nothing but this file, and not call " + printable(function, 40),
                  "read other files in a step of their own");
    }
  }
}

Error Session::error(const char* text) const {
  std::string message = text == nullptr ? "DuckDB failed without a message" : text;
  const std::string& file = options_.shown;
  for (const std::string& path : hidden_) {
    for (std::size_t at = message.find(path); at != std::string::npos; at = message.find(path, at + file.size())) {
      message.replace(at, path.size(), file);
    }
  }
  if (const auto line = number_after(message, "CSV Error on Line: ")) {
    const std::string where = file + ", line " + std::to_string(*line);
    const auto expected = number_after(message, "Expected Number of Columns: ");
    const auto found = number_after(message, "Found: ");
    if (expected && found) {
      return Error(
          ErrorKind::data,
          where + ": the line has " + std::to_string(*found) + " fields, the header has " + std::to_string(*expected),
          "correct the line, or quote fields that contain the delimiter", message);
    }
    if (contains(message, "Invalid unicode")) {
      return Error(ErrorKind::data, where + ": the text is not UTF-8", "save the file as UTF-8", message);
    }
    if (contains(message, "unterminated quote")) {
      return Error(ErrorKind::data, where + ": text follows a closing quote, or a quote is never closed",
                   "write a quote inside a quoted field twice", message);
    }
    if (contains(message, "Maximum line size")) {
      return Error(ErrorKind::data, where + ": the line is too long", "check for a quote that is never closed",
                   message);
    }
    const std::size_t after = message.find('\n', message.find("Original Line: "));
    return Error(
        ErrorKind::data,
        where + ": " + first_line(std::string_view(message).substr(after == std::string::npos ? 0 : after + 1)), {},
        message);
  }
  if (contains(message, "Malformed JSON")) {
    // DuckDB counts the bad line already, and blank lines not at all.
    const auto line = number_after(message, " in line ");
    const std::string where = line && *line > 1 ? ", near line " + std::to_string(*line - 1) : "";
    std::string reason = first_line(message);
    const std::size_t colon = reason.rfind(": ");
    reason = colon == std::string::npos ? reason : reason.substr(colon + 2);
    reason.resize(std::min(reason.size(), reason.find(". ")));
    return Error(ErrorKind::data, file + where + ": not JSON: " + reason, "give one whole object on each line",
                 message);
  }
  if (contains(message, "expected records")) {
    return Error(ErrorKind::data, file + ": the JSON has values that are not objects with fields",
                 "give one object on each line", message);
  }
  if (contains(message, "state machine reached an invalid state")) {
    return Error(ErrorKind::data, file + ": the lines do not all end in the same way, or quotes do not match",
                 "write the file again with one kind of line end", message);
  }
  if (contains(message, "file system operations are disabled") || contains(message, "disabled by configuration") ||
      contains(message, "configuration has been locked")) {
    return Error(ErrorKind::data, file + ": a query may read nothing but this file, as the table data",
                 "read other files in a step of their own", message);
  }
  if (message.rfind("Out of Memory", 0) == 0) {
    return Error(ErrorKind::data, file + ": not enough memory to read it", "select fewer columns or rows", message);
  }
  return Error(ErrorKind::data, file + ": " + first_line(message), {}, message);
}

Statement::Statement(std::shared_ptr<Session> session, const std::string& sql) : session_(std::move(session)) {
  const DuckDb& duck = duckdb();
  duckdb_extracted_statements extracted = nullptr;
  const idx_t count = duck.extract_statements(session_->connection(), sql.c_str(), &extracted);
  std::optional<Error> problem;
  const auto refuse = [&](const std::string& what) {
    problem = Error(ErrorKind::data, "the query " + what, "give one SELECT statement without parameters");
  };
  if (count == 0) {
    const char* message = duck.extract_statements_error(extracted);
    if (message == nullptr || *message == '\0') {
      refuse("is empty");
    } else {
      problem = session_->error(message);
    }
  } else if (count > 1) {
    refuse("has more than one statement");
  } else if (duck.prepare_extracted_statement(session_->connection(), extracted, 0, &statement_) == DuckDBError) {
    problem = session_->error(duck.prepare_error(statement_));
  } else if (duck.prepared_statement_type(statement_) != DUCKDB_STATEMENT_TYPE_SELECT) {
    refuse("is not a SELECT");
  } else if (duck.nparams(statement_) != 0) {
    refuse("has parameters");
  }
  duck.destroy_extracted(&extracted);
  if (problem) {
    duck.destroy_prepare(&statement_);
    throw *problem;
  }
}

Statement::~Statement() { duckdb().destroy_prepare(&statement_); }

std::vector<ResultColumn> Statement::columns() const {
  const DuckDb& duck = duckdb();
  std::vector<ResultColumn> columns;
  const idx_t count = duck.prepared_statement_column_count(statement_);
  for (idx_t i = 0; i < count; ++i) {
    const char* name = duck.prepared_statement_column_name(statement_, i);
    duckdb_logical_type type = duck.prepared_statement_column_logical_type(statement_, i);
    columns.push_back(describe(name, type));
    duck.destroy_logical_type(&type);
    duck.free(const_cast<char*>(name));
  }
  return columns;
}

std::unique_ptr<ResultStream> Statement::execute() const {
  return std::make_unique<ResultStream>(session_, statement_);
}

ResultStream::ResultStream(std::shared_ptr<Session> session, duckdb_prepared_statement statement)
    : session_(std::move(session)) {
  const DuckDb& duck = duckdb();
  duckdb_pending_result pending = nullptr;
  if (duck.pending_prepared_streaming(statement, &pending) == DuckDBError) {
    const Error problem = session_->error(duck.pending_error(pending));
    duck.destroy_pending(&pending);
    throw problem;
  }
  const bool failed = duck.execute_pending(pending, &result_) == DuckDBError;
  duck.destroy_pending(&pending);
  if (failed) {
    const Error problem = session_->error(duck.result_error(&result_));
    duck.destroy_result(&result_);
    throw problem;
  }
}

ResultStream::~ResultStream() {
  if (chunk_ != nullptr) duckdb().destroy_data_chunk(&chunk_);
  duckdb().destroy_result(&result_);
}

bool ResultStream::next() {
  const DuckDb& duck = duckdb();
  if (chunk_ != nullptr) duck.destroy_data_chunk(&chunk_);
  chunk_ = duck.fetch_chunk(result_);
  rows_ = chunk_ == nullptr ? 0 : duck.data_chunk_get_size(chunk_);
  if (rows_ > 0) return true;
  // The end and a failure look the same; only the result knows.
  const char* message = duck.result_error(&result_);
  if (message != nullptr && *message != '\0') throw session_->error(message);
  return false;
}

const void* ResultStream::data(std::size_t column) const {
  const DuckDb& duck = duckdb();
  return duck.vector_get_data(duck.data_chunk_get_vector(chunk_, column));
}

const std::uint64_t* ResultStream::validity(std::size_t column) const {
  const DuckDb& duck = duckdb();
  return duck.vector_get_validity(duck.data_chunk_get_vector(chunk_, column));
}

std::string_view text_at(const void* data, std::size_t row) {
  const auto& text = static_cast<const duckdb_string_t*>(data)[row].value;
  const std::uint32_t length = text.inlined.length;
  return {length <= sizeof(text.inlined.inlined) ? text.inlined.inlined : text.pointer.ptr, length};
}

std::vector<std::string> text_column(const std::shared_ptr<Session>& session, const std::string& sql) {
  const Statement statement(session, sql);
  const auto result = statement.execute();
  std::vector<std::string> texts;
  while (result->next()) {
    const std::uint64_t* valid = result->validity(0);
    for (std::size_t row = 0; row < result->rows(); ++row) {
      texts.emplace_back(is_valid(valid, row) ? text_at(result->data(0), row) : std::string_view());
    }
  }
  return texts;
}

}  // namespace sightglass
