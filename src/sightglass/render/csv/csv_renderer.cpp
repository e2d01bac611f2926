#include "sightglass/render/csv/csv_renderer.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "sightglass/result/json.h"
#include "sightglass/result/tidy.h"

namespace sightglass {

namespace {

// Always there, in this order. New columns come at the end: those who read by position keep what they have.
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

class CsvRows final : public TidyRows {
 public:
  explicit CsvRows(std::vector<std::string>& names) : names_(names), cells_(names.size()) {}

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
      // Words in one column, so that more reasons for doubt need no more columns.
      if (mark->on) append_word(cell("caution"), column);
      return;
    }
    std::string& into = cell(column);
    if (const auto* text = std::get_if<std::string_view>(&content)) {
      // An empty cell is the missing level; a level that is an empty text is quoted to keep them apart.
      if (text->empty() && column.starts_with("value")) into = "\"\"";
      append_quoted(into, *text);
    } else if (const auto* number = std::get_if<double>(&content)) {
      append_number(into, *number);
    } else if (const auto* whole = std::get_if<std::uint64_t>(&content)) {
      append_number(into, *whole);
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
    const auto found = std::find(names_.begin(), names_.end(), column);
    const auto place = static_cast<std::size_t>(found - names_.begin());
    if (found == names_.end()) {
      names_.emplace_back(column);
      cells_.emplace_back();
    }
    return cells_[place];
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

  std::vector<std::string>& names_;
  std::vector<std::string> cells_;
  bool open_ = false;
  std::string out_;
};

}  // namespace

std::string render_csv(const Result& result) {
  std::vector<std::string> names(std::begin(columns), std::end(columns));
  std::string rows;
  // A shape with columns of its own makes all rows longer: then once more, with all of them known.
  for (std::size_t known = 0; known != names.size();) {
    known = names.size();
    CsvRows writer(names);
    for (const auto& item : result.results) item.tidy(writer);
    rows = writer.take();
  }
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) out += (i > 0 ? "," : "") + names[i];
  return out + '\n' + rows;
}

}  // namespace sightglass
