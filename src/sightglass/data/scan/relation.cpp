#include <algorithm>
#include <charconv>
#include <functional>
#include <set>
#include <thread>
#include <utility>

#include "sightglass/base/nearest_name.h"
#include "sightglass/data/scan/csv_header_internal.h"
#include "sightglass/data/scan/data_file_internal.h"
#include "sightglass/data/scan/json_bounds_internal.h"
#include "sightglass/data/scan/relation_internal.h"
#include "sightglass/data/schema.h"

namespace sightglass {

namespace {

// What counts as missing in CSV: nothing at all, and the ways R, pandas and databases write it. Quoted or
// not, because programs that quote everything quote these too. A level that is really called NA (Namibia)
// has to be renamed.
constexpr const char* csv_missing = "['', 'NA', 'N/A', 'NaN', 'nan', 'null', 'NULL']";

// Joins two texts in one column of a small result.
constexpr char separator = '\x1F';

std::string join(const std::vector<std::string>& items, std::size_t limit = 12) {
  std::string joined;
  for (std::size_t i = 0; i < items.size() && i < limit; ++i) joined += (i > 0 ? ", " : "") + printable(items[i], 40);
  if (items.size() > limit) joined += ", … (" + std::to_string(items.size()) + " in all)";
  return joined;
}

std::pair<std::string, std::string> split(const std::string& text) {
  const std::size_t at = text.find(separator);
  if (at == std::string::npos) return {text, {}};
  return {text.substr(0, at), text.substr(at + 1)};
}

// {'name': 'TYPE', …}
std::string struct_of(const std::vector<std::string>& names, const std::vector<std::string>& types) {
  std::string fields;
  for (std::size_t i = 0; i < names.size(); ++i) {
    fields += (i > 0 ? ", " : "") + sql_text(names[i]) + ": " + sql_text(types[i]);
  }
  return "{" + fields + "}";
}

std::string csv_options(const DataFile& file, char delimiter) {
  return sql_text(file.pattern()) + ", delim = " + sql_text(std::string(1, delimiter)) +
         ", quote = '\"', escape = '\"', comment = '', strict_mode = true, "
         "null_padding = false, ignore_errors = false, buffer_size = 8388608, nullstr = " +
         csv_missing + ", compression = " + sql_text(file.compression);
}

std::vector<std::string> numbered(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(std::to_string(i));
  return names;
}

// The types DuckDB sees when it looks at every row, and how dates and times are written.
struct CsvTypes {
  std::vector<std::string> types;
  std::string date, timestamp;

  // As further options of read_csv.
  [[nodiscard]] std::string formats() const { return formats_of(date, timestamp); }
  static std::string formats_of(const std::string& date, const std::string& timestamp) {
    return (date.empty() ? "" : ", dateformat = " + sql_text(date)) +
           (timestamp.empty() ? "" : ", timestampformat = " + sql_text(timestamp));
  }
};

bool is_date_type(const std::string& type) { return type == "DATE" || type.starts_with("TIMESTAMP"); }

// Whether both say the same columns to be dates.
bool same_dates(const CsvTypes& a, const CsvTypes& b) {
  return std::equal(
      a.types.begin(), a.types.end(), b.types.begin(), b.types.end(),
      [](const std::string& one, const std::string& other) { return is_date_type(one) == is_date_type(other); });
}

// "dmY" of %d/%m/%Y; nothing where the year comes first, with all its digits.
std::string day_order(const std::string& format) {
  std::string order;
  for (std::size_t i = 0; i + 1 < format.size(); ++i) {
    if (format[i] == '%' && std::string_view("dmYy").find(format[i + 1]) != std::string_view::npos)
      order += format[i + 1];
  }
  return order.starts_with('Y') ? "" : order;
}

// The same with days for months.
std::string with_days_for_months(std::string format) {
  for (std::size_t i = 0; i + 1 < format.size(); ++i) {
    if (format[i] != '%') continue;
    char& part = format[i + 1];
    part = part == 'd' ? 'm' : part == 'm' ? 'd' : part;
  }
  return format;
}

// "day/month/year"
std::string in_words(const std::string& format) {
  std::string text = format.substr(0, format.find(" %H"));
  for (const auto& [part, word] : {std::pair("%d", "day"), {"%m", "month"}, {"%Y", "year"}, {"%y", "year"}}) {
    if (const std::size_t at = text.find(part); at != std::string::npos) text.replace(at, 2, word);
  }
  return text;
}

CsvTypes sniff_csv(const std::shared_ptr<Session>& session, const std::string& options) {
  CsvTypes found;
  for (const std::string& item :
       text_column(session,
                   "SELECT unnest(Columns).type || chr(31) || coalesce(DateFormat, '') || chr(31) || "
                   "coalesce(TimestampFormat, '') FROM sniff_csv(" +
                       options + ", sample_size = -1)")) {
    const auto [type, rest] = split(item);
    const auto [date, time] = split(rest);
    found.types.push_back(type);
    found.date = date;
    found.timestamp = time;
  }
  return found;
}

// 03/04/2020 may be in March or in April. What the first file says holds for all; where that says nothing, a later one
// is refused, and the first is taken as DuckDB takes it, with a note.
void settle_dates(CsvTypes& found, CsvDates* known, const std::string& shown, std::vector<std::string>& notes,
                  const std::function<CsvTypes(const std::string&)>& sniff) {
  const std::string format = found.date.empty() ? found.timestamp : found.date;
  const bool here = std::any_of(found.types.begin(), found.types.end(), is_date_type) && !day_order(format).empty();
  const std::string before = known == nullptr ? "" : known->date.empty() ? known->timestamp : known->date;
  if (here && !day_order(before).empty()) {
    if (day_order(before) == day_order(format)) return;
    CsvTypes again = sniff(CsvTypes::formats_of(known->date, known->timestamp));
    if (!same_dates(again, found))
      throw Error(
          ErrorKind::data,
          shown + ": its dates are written as " + in_words(format) + ", in the file before as " + in_words(before),
          "write them alike, best as 2020-01-31");
    found = std::move(again);
    return;
  }
  if (!here) return;
  const auto swapped = [](const std::string& text) { return with_days_for_months(text); };
  const bool ambiguous = same_dates(sniff(CsvTypes::formats_of(swapped(found.date), swapped(found.timestamp))), found);
  if (!ambiguous) return;
  if (known != nullptr && !known->first)
    throw Error(ErrorKind::data,
                shown + ": its dates may be " + in_words(format) + " or " + in_words(swapped(format)) +
                    ", and no other table says which",
                "write them as 2020-01-31");
  notes.push_back(shown + ": dates are read as " + in_words(format) + "; they could as well be " +
                  in_words(swapped(format)));
}

// Names and types of a table function's columns. Asked for one by one: a name may hold any separator, and a type
// goes back to DuckDB as SQL.
struct Described {
  std::vector<std::string> names, types;
};

Described describe(const std::shared_ptr<Session>& session, const std::string& from) {
  const std::string rows = " FROM (DESCRIBE SELECT * FROM " + from + ")";
  return {text_column(session, "SELECT column_name" + rows), text_column(session, "SELECT column_type" + rows)};
}

// Which of these columns of text hold numbers with decimal commas, as spreadsheets write them in much of the world:
// "1234,5" or "1.234,5".
std::vector<std::size_t> decimal_commas(const std::vector<std::size_t>& texts, const std::vector<std::string>& names,
                                        const std::shared_ptr<Session>& session, const std::string& from) {
  if (texts.empty()) return {};
  std::string questions;
  for (const std::size_t i : texts) {
    const std::string column = sql_name(names[i]);
    questions +=
        (questions.empty() ? "SELECT unnest([" : ", ") +
        ("(coalesce(bool_or(contains(" + column + ", ',')), false) AND coalesce(bool_and(regexp_full_match(" + column +
         ", '[+-]?([0-9]+|[0-9]{1,3}([.][0-9]{3})+)(,[0-9]+)?([eE][+-]?[0-9]+)?')), false))::VARCHAR");
  }
  const auto answers = text_column(session, questions + "]) FROM " + from);
  std::vector<std::size_t> found;
  for (std::size_t k = 0; k < texts.size(); ++k) {
    if (answers.at(k) == "true") found.push_back(texts[k]);
  }
  return found;
}

// Where the sniffer's idea of a type is not ours: yes and no, t and f are the words that a model was trained on,
// not truth values; and a column with an infinity in it is neither a date nor text.
void correct_types(CsvTypes& found, const std::vector<std::string>& names, const std::shared_ptr<Session>& session,
                   const std::function<std::string(const std::vector<std::string>&, const std::string&)>& read) {
  std::vector<std::string> as_text = found.types;
  std::string questions;
  std::vector<std::size_t> asked;
  for (std::size_t i = 0; i < as_text.size(); ++i) {
    const std::string& type = found.types[i];
    const bool truth = type == "BOOLEAN";
    if (!truth && type != "DATE" && type != "TIMESTAMP" && type != "VARCHAR") continue;
    as_text[i] = "VARCHAR";
    asked.push_back(i);
    const std::string column = sql_name(names[i]);
    questions +=
        (questions.empty() ? "SELECT unnest([" : ", ") +
        (truth ? "coalesce(bool_and(lower(" + column + ") IN ('true', 'false')), true)::VARCHAR"
               : "coalesce(bool_or(regexp_full_match(" + column + ", '(?i)[+-]?inf(inity)?')) AND bool_and(try_cast(" +
                     column + " AS DOUBLE) IS NOT NULL OR " + column + " IS NULL), false)::VARCHAR");
  }
  if (asked.empty()) return;
  const auto answers = text_column(session, questions + "]) FROM " + read(as_text, found.formats()));
  for (std::size_t k = 0; k < asked.size(); ++k) {
    std::string& type = found.types[asked[k]];
    const bool yes = answers.at(k) == "true";
    if (type == "BOOLEAN" && !yes) type = "VARCHAR";
    if (type != "BOOLEAN" && yes) type = "DOUBLE";
  }
}

// DuckDB does not tell A from a, and calls the second one A_1. Could that have happened to one of these?
bool may_be_renamed(const std::vector<std::string>& names) {
  std::set<std::string> all;
  for (const std::string& name : names) all.insert(lower(name));
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    const std::size_t cut = name.find_last_not_of("0123456789");
    return cut != std::string::npos && cut + 1 < name.size() && name[cut] == '_' &&
           all.count(lower(name.substr(0, cut))) > 0;
  });
}

}  // namespace

Relation::Relation(const ScanOptions& options, DataFile file) : file_(std::move(file)) {
  if (!options.table.empty() && file_.format != FileFormat::duckdb) {
    throw Error(ErrorKind::usage, "table: " + file_.shown + " is not a DuckDB file, so it has no tables to choose from",
                "leave the table out");
  }
  // More threads read no faster than one can look at the rows, and each has buffers of its own.
  const int machine = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  threads_ = options.threads > 0 ? std::min(options.threads, 4) : std::min(machine, 4);
  query_ = options.query;
  text_columns_ = options.text_if_present;
  context_ = options.context;
  csv_dates_ = options.csv_dates;
  // The order of rows and the last bits of sums depend on the threads that computed them.
  if (is_query()) threads_ = 1;

  session_ = file_session(0);
  switch (file_.format) {
    case FileFormat::csv: describe_csv(); break;
    case FileFormat::json_lines:
    case FileFormat::json_array: describe_json(); break;
    case FileFormat::parquet: describe_parquet(); break;
    case FileFormat::duckdb: describe_duckdb(options.table); break;
  }
  if (is_query()) {
    add_view(*session_);
    check_query();
    columns_ = Statement(session_, query_).columns();
    rows_.reset();
  } else if (file_.format == FileFormat::duckdb) {
    session_->require_harmless("SELECT * FROM " + from_);
    session_.reset();
    // A database keeps the pages it has read up to this limit; below it there must be room for one page of
    // each column. Readers of other files keep nothing, so that they need no limit.
    memory_mb_ = 512 + columns_.size() * static_cast<std::uint64_t>(threads_);
  }
  check_names();
  if (csv_dates_ != nullptr) csv_dates_->first = false;
}

std::shared_ptr<Session> Relation::file_session(std::uint64_t memory_mb) const {
  const bool database = file_.format == FileFormat::duckdb;
  auto session = std::make_shared<Session>(SessionOptions{.database = database ? file_.path : "",
                                                          .threads = threads_,
                                                          .memory_mb = memory_mb,
                                                          .shown = file_.shown,
                                                          .context = context_});
  session->lock(file_.readable_paths());
  return session;
}

std::shared_ptr<Session> Relation::connect() const {
  auto session = file_session(memory_mb_);
  add_view(*session);
  return session;
}

void Relation::add_view(Session& session) const {
  // Behind the lock, because a table of a DuckDB file may be a view that reads something else.
  if (is_query() && !from_.empty()) session.execute("CREATE TEMP VIEW data AS SELECT * FROM " + from_);
}

std::unique_ptr<ResultStream> Relation::open(const std::vector<std::uint32_t>& columns) const {
  std::string sql = query_;
  if (!is_query()) {
    std::string list;
    for (const std::uint32_t column : columns) list += (list.empty() ? "" : ", ") + sql_name(sql_names_[column]);
    // Without a column there are still rows to count.
    sql = "SELECT " + (list.empty() ? "true" : list) + " FROM " + from_;
  }
  return Statement(session_ ? session_ : connect(), sql).execute();
}

// A session that may read the file may also be led to another one: DuckDB takes folder/link/../file for
// folder/file, the system does not. So the query is first bound where nothing at all may be read and `data` is
// an empty table: what passes there has no file of its own, and does not need one.
void Relation::check_query() const {
  std::shared_ptr<Session> session = session_;
  if (file_.format != FileFormat::duckdb) {
    std::string columns;
    const Described described = describe(session_, from_);
    for (std::size_t i = 0; i < described.names.size(); ++i) {
      columns += (columns.empty() ? "" : ", ") + sql_name(described.names[i]) + " " + described.types[i];
    }
    session = std::make_shared<Session>(SessionOptions{.shown = file_.shown, .context = context_});
    session->lock({});
    session->execute("CREATE TEMP TABLE data (" + columns + ")");
  }
  // In this order: only a single SELECT may be put behind another word.
  const Statement bound(session, query_);
  session->require_harmless(query_);
}

// Names and types of what from_ gives.
void Relation::describe_rows() {
  if (is_query()) return;
  columns_ = Statement(session_, "SELECT * FROM " + from_).columns();
  sql_names_.clear();
  for (const ResultColumn& column : columns_) sql_names_.push_back(column.name);
}

void Relation::describe_csv() {
  const CsvHeader header = read_csv_header(file_.head, file_.head_is_all, file_.shown);
  notes_ = header.notes;
  const std::string options = csv_options(file_, header.delimiter);
  // A query has to use the real names; otherwise ours keep A and a apart.
  const std::vector<std::string> names = is_query() ? header.names : numbered(header.names.size());
  const auto read = [&](const std::vector<std::string>& types, const std::string& more) {
    return "read_csv(" + options +
           ", header = true, skip = 0, hive_partitioning = false, auto_detect = false, columns = " +
           struct_of(names, types) + more + ")";
  };
  // DuckDB's sniffer gives up on a quote right behind a byte order mark; then it may not see that line.
  const bool hidden = file_.head.rfind("\xEF\xBB\xBF\"", 0) == 0;
  const std::string sniffed =
      options + (hidden ? ", header = false, skip = " + std::to_string(header.lines) : ", header = true, skip = 0");
  CsvTypes found;
  try {
    try {
      // The sniffer keeps what it has read until it meets a limit; this one leaves it room for a few buffers.
      found = sniff_csv(file_.head_is_all ? session_ : file_session(128), sniffed);
    } catch (const Error& problem) {
      if (problem.detail().rfind("Out of Memory", 0) != 0) throw;
      found = sniff_csv(session_, sniffed);
    }
  } catch (const Error&) {
    // The sniffer does not say what is wrong; reading text strictly does, and names the line.
    const std::vector<std::string> text(names.size(), "VARCHAR");
    const auto rows = Statement(session_, "SELECT * FROM " + read(text, "")).execute();
    while (rows->next()) {
    }
    throw;
  }
  if (found.types.size() != names.size()) {
    throw Error(ErrorKind::data,
                file_.shown + ": the first line has " + std::to_string(names.size()) + " column names, the rows have " +
                    std::to_string(found.types.size()) + " fields",
                "check the first line");
  }
  const auto is_wanted_as_text = [&](std::size_t i) {
    return std::find(text_columns_.begin(), text_columns_.end(), header.names[i]) != text_columns_.end();
  };
  for (std::size_t i = 0; i < found.types.size(); ++i) {
    if (is_wanted_as_text(i)) found.types[i] = "VARCHAR";
  }
  settle_dates(found, csv_dates_.get(), file_.shown, notes_,
               [&](const std::string& formats) { return sniff_csv(file_session(0), sniffed + formats); });
  if (csv_dates_ != nullptr && csv_dates_->first) {
    csv_dates_->date = found.date;
    csv_dates_->timestamp = found.timestamp;
  }
  correct_types(found, names, file_session(0), read);
  from_ = read(found.types, found.formats());
  // Where fields end at commas, "1,234" is rather a thousand and more.
  if (header.delimiter != ',') {
    std::vector<std::size_t> texts;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (found.types[i] == "VARCHAR" && !is_wanted_as_text(i)) texts.push_back(i);
    }
    const std::vector<std::size_t> commas = decimal_commas(texts, names, file_session(0), from_);
    std::string numbers;
    std::vector<std::string> named;
    for (const std::size_t i : commas) {
      const std::string column = sql_name(names[i]);
      numbers +=
          (numbers.empty() ? "" : ", ") + ("replace(replace(" + column + ", '.', ''), ',', '.')::DOUBLE AS " + column);
      named.push_back(header.names[i]);
    }
    if (!commas.empty()) {
      from_ = "(SELECT * REPLACE (" + numbers + ") FROM " + from_ + ")";
      notes_.push_back(file_.shown + " has decimal commas; as numbers were read: " + join(named));
    }
  }
  describe_rows();
  if (!is_query()) {
    for (std::size_t i = 0; i < columns_.size(); ++i) columns_[i].name = header.names[i];
  }
}

void Relation::describe_json() {
  check_json_bounds(file_, context_);
  const std::string lines = file_.format == FileFormat::json_lines ? "newline_delimited" : "array";
  const std::string options = sql_text(file_.pattern()) + ", format = " + sql_text(lines) +
                              ", records = true, ignore_errors = false, hive_partitioning = false, compression = " +
                              sql_text(file_.compression == "none" ? "uncompressed" : file_.compression);
  const std::string sniffed = "read_json(" + options + ", sample_size = -1, map_inference_threshold = -1)";
  auto [names, types] = describe(session_, sniffed);
  // Numbers in some rows and text in others are text.
  std::replace(types.begin(), types.end(), std::string("JSON"), std::string("VARCHAR"));
  // Told the types, DuckDB need not look at all rows again each time the file is opened.
  from_ = may_be_renamed(names)
              ? sniffed
              : "read_json(" + options + ", auto_detect = false, columns = " + struct_of(names, types) + ")";
  describe_rows();
}

void Relation::describe_parquet() {
  from_ = "read_parquet(" + sql_text(file_.pattern()) + ", hive_partitioning = false)";
  describe_rows();
  // The names as they stand in the file. The schema is a tree, written depth first with the root in front.
  std::vector<std::string> names;
  std::uint64_t inside = 0;
  bool root = true;
  for (const std::string& item :
       text_column(session_, "SELECT coalesce(num_children, 0)::VARCHAR || chr(31) || name FROM parquet_schema(" +
                                 sql_text(file_.pattern()) + ")")) {
    const auto [count, name] = split(item);
    std::uint64_t children = 0;
    std::from_chars(count.data(), count.data() + count.size(), children);
    if (!root && inside == 0) names.push_back(name);
    if (!root) inside = (inside > 0 ? inside - 1 : 0) + children;
    root = false;
  }
  if (!is_query() && names.size() == columns_.size()) {
    for (std::size_t i = 0; i < names.size(); ++i) columns_[i].name = names[i];
  }
  const auto count = text_column(session_, "SELECT count(*)::VARCHAR FROM " + from_);
  std::uint64_t rows = 0;
  std::from_chars(count.at(0).data(), count.at(0).data() + count.at(0).size(), rows);
  rows_ = rows;
}

void Relation::describe_duckdb(const std::string& table) {
  struct Found {
    std::string name;
    std::string sql;
  };
  const auto list = [&](const std::string& kind) {
    std::vector<Found> found;
    for (const std::string& item :
         text_column(session_, "SELECT schema_name || chr(31) || " + kind + "_name FROM duckdb_" + kind +
                                   "s() WHERE NOT internal AND database_name = current_database() ORDER BY 1")) {
      const auto [schema, name] = split(item);
      found.push_back({schema == "main" ? name : schema + "." + name, sql_name(schema) + "." + sql_name(name)});
    }
    return found;
  };
  std::vector<Found> found = list("table");
  const std::size_t tables = found.size();
  for (Found& view : list("view")) found.push_back(std::move(view));
  std::vector<std::string> names;
  for (const Found& candidate : found) names.push_back(candidate.name);

  if (!table.empty()) {
    const auto match = std::find(names.begin(), names.end(), table);
    if (match == names.end()) {
      const std::string near = nearest_name(table, names);
      throw Error(
          ErrorKind::usage, "table: " + file_.shown + " has no table " + printable(table),
          near.empty() ? "it has " + (names.empty() ? "none" : join(names)) : "did you mean " + printable(near) + "?");
    }
    from_ = found[static_cast<std::size_t>(match - names.begin())].sql;
  } else if (tables == 1 || found.size() == 1) {
    from_ = found[0].sql;
    // The table that is really called data must stay visible to a query.
    for (const std::string& name : names) {
      if (is_query() && lower(name) == "data") from_.clear();
    }
  } else if (!is_query()) {
    if (names.empty()) throw Error(ErrorKind::data, file_.shown + " has no tables", "name another file");
    throw Error(ErrorKind::usage, "table: " + file_.shown + " has more than one table", "choose one of " + join(names));
  }
  describe_rows();
}

void Relation::check_names() const {
  if (columns_.empty()) throw Error(ErrorKind::data, file_.shown + " has no columns", "check the file");
  std::set<std::string> seen;
  std::vector<std::string> twice;
  for (const ResultColumn& column : columns_) {
    if (!seen.insert(column.name).second) twice.push_back(column.name);
  }
  if (!twice.empty()) {
    throw Error(ErrorKind::data,
                (is_query() ? "the query" : file_.shown) + " has more than one column called " + join(twice),
                "rename all but one");
  }
}

}  // namespace sightglass
