#include "sightglass/render/csv/csv_renderer.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "sightglass/result/json.h"
#include "sightglass/result/tidy.h"

namespace sightglass {

namespace {

// In this order, those of them that hold anything; columns that only some shapes have come behind them.
constexpr std::string_view columns[] = {
    "type",    "feature", "value",     "feature_2", "value_2",    "output",   "row",     "prediction",
    "mean",    "sd",      "se_level",  "se_shape",  "count",      "group",    "series",  "measure",
    "effect",  "se",      "bin_count", "slope",     "loss",       "outside",  "caution", "importance",
    "low",     "high",    "feature_3", "h2",        "h",          "strength", "name",    "figure",
    "meaning", "details", "features",  "base",      "attribution"};

void append_quoted(std::string& cell, std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    cell += text;
    return;
  }
  cell += '"';
  for (const char c : text) {
    if (c == '"') cell += '"';
    cell += c;
  }
  cell += '"';
}

template <class Number>
void append_number(std::string& cell, Number number) {
  char buffer[40];
  cell.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, number).ptr);
}

void append_number(std::string& cell, double number) {
  if (std::isnan(number)) {
    cell += "NaN";
  } else if (std::isinf(number)) {
    cell += number > 0 ? "Infinity" : "-Infinity";
  } else {
    append_number<double>(cell, number);
  }
}

// Of reasons for doubt: words in one column, so that more of them need no more columns.
constexpr std::string_view marks = "caution";

// Whether the cell has nothing in it. A level may be an empty text.
bool is_blank(std::string_view column, const TidyCell& content) {
  if (const auto* text = std::get_if<std::string_view>(&content)) return text->empty() && !column.starts_with("value");
  if (const auto* value = std::get_if<const Value*>(&content)) {
    return ((*value)->is_object() && (*value)->as_object().empty()) ||
           ((*value)->is_array() && (*value)->as_array().empty());
  }
  return std::holds_alternative<std::monostate>(content);
}

// Which columns hold anything in any row.
class ColumnsInUse final : public TidyRows {
 public:
  [[nodiscard]] std::vector<std::string> in_order() const {
    std::vector<std::string> names;
    if (in_use_.empty()) names.emplace_back(columns[0]);  // a table without rows is one all the same
    for (const std::string_view column : columns) {
      if (is_in_use(column)) names.emplace_back(column);
    }
    for (const std::string& name : in_use_) {
      if (std::find(std::begin(columns), std::end(columns), name) == std::end(columns)) names.push_back(name);
    }
    return names;
  }

 private:
  void start(const TableKind&) override {}

  void take(std::string_view column, const TidyCell& content) override {
    if (const auto* mark = std::get_if<TidyMark>(&content)) {
      if (mark->on) use(marks);
    } else if (!is_blank(column, content)) {
      use(column);
    }
  }

  [[nodiscard]] bool is_in_use(std::string_view column) const {
    return std::find(in_use_.begin(), in_use_.end(), column) != in_use_.end();
  }

  void use(std::string_view column) {
    if (!is_in_use(column)) in_use_.emplace_back(column);
  }

  std::vector<std::string> in_use_;  // as they came
};

class CsvRows final : public TidyRows {
 public:
  explicit CsvRows(std::vector<std::string> names) : names_(std::move(names)), cells_(names_.size()) {
    for (std::size_t i = 0; i < names_.size(); ++i) out_ += (i > 0 ? "," : "") + names_[i];
    out_ += '\n';
  }

  [[nodiscard]] std::string take() {
    finish_row();
    return std::move(out_);
  }

 private:
  void start(const TableKind&) override {
    finish_row();
    open_ = true;
  }

  void take(std::string_view column, const TidyCell& content) override {
    if (const auto* mark = std::get_if<TidyMark>(&content)) {
      if (mark->on) append_word(cell(marks), column);
      return;
    }
    if (is_blank(column, content)) return;
    std::string& into = cell(column);
    if (const auto* text = std::get_if<std::string_view>(&content)) {
      // An empty cell is the missing level; a level that is an empty text is quoted to keep them apart.
      if (text->empty()) into = "\"\"";
      append_quoted(into, *text);
    } else if (const auto* number = std::get_if<double>(&content)) {
      append_number(into, *number);
    } else if (const auto* whole = std::get_if<std::uint64_t>(&content)) {
      append_number(into, *whole);
    } else if (const auto* date = std::get_if<TidyDate>(&content)) {
      into += tidy_text(*date);
    } else if (const auto* flag = std::get_if<bool>(&content)) {
      into += *flag ? "true" : "false";
    } else if (const auto* value = std::get_if<const Value*>(&content)) {
      append_quoted(into, to_json(**value));  // names may hold any sign, so they are a list as in JSON
    }
  }

  static void append_word(std::string& into, std::string_view word) {
    if (!into.empty()) into += ' ';
    into += word;
  }

  std::string& cell(std::string_view column) {
    return cells_[static_cast<std::size_t>(std::find(names_.begin(), names_.end(), column) - names_.begin())];
  }

  void finish_row() {
    if (!open_) return;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (i > 0) out_ += ',';
      out_ += cells_[i];
      cells_[i].clear();
    }
    out_ += '\n';
  }

  std::vector<std::string> names_, cells_;
  bool open_ = false;
  std::string out_;
};

}  // namespace

std::string render_csv(const Result& result) {
  ColumnsInUse in_use;
  for (const auto& item : result.results) item.tidy(in_use);
  CsvRows rows(in_use.in_order());
  for (const auto& item : result.results) item.tidy(rows);
  return rows.take();
}

}  // namespace sightglass
