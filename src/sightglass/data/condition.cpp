#include "sightglass/data/condition.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <optional>

#include "sightglass/base/error.h"
#include "sightglass/base/nearest_name.h"
#include "sightglass/data/given_name.h"
#include "sightglass/data/level_text_internal.h"

namespace sightglass {

namespace {

constexpr int most_nested = 100;

enum Truth : std::uint8_t { no, yes, unknown };

std::string text_of(double number) {
  char buffer[number_text_bytes];
  return std::string(print_number(buffer, number));
}

// How many characters of a date or a time of day the text begins with: 2021-05-03 14:00:05, 2021-05, 14:00.
std::size_t date_size(std::string_view text) {
  const auto matches = [&](std::size_t at, std::string_view form) {
    if (at + form.size() > text.size()) return false;
    for (std::size_t i = 0; i < form.size(); ++i) {
      const bool digit = text[at + i] >= '0' && text[at + i] <= '9';
      if (form[i] == '0' ? !digit : text[at + i] != form[i]) return false;
    }
    return true;
  };
  if (matches(0, "00:00")) return 5;
  if (!matches(0, "0000-00")) return 0;
  if (!matches(0, "0000-00-00")) return 7;
  std::size_t size = 10;
  const bool time = size < text.size() && (text[size] == ' ' || text[size] == 'T') && matches(size + 1, "00:00");
  if (!time) return size;
  size += matches(size + 6, ":00") ? 9 : 6;
  if (size < text.size() && text[size] == '.') {
    for (++size; size < text.size() && text[size] >= '0' && text[size] <= '9';) ++size;
  }
  return size;
}

// A number in the condition; the ways to write a missing value are words here.
std::optional<double> number_in(std::string_view text) {
  const auto number = parse_number(text);
  return number && std::isnan(*number) ? std::nullopt : number;
}

struct Token {
  enum Kind { word, number, quoted, name, symbol, end } kind = end;  // name: in backticks, so never a value
  std::string text;
  std::size_t at = 0;
};

// What is wrong and where; becomes an Error where all of the condition is known.
struct Unreadable {
  std::size_t at;
  std::string message, advice;
};

[[noreturn]] void fail(std::size_t at, const std::string& message, const std::string& advice = "") {
  throw Unreadable{at, message, advice.empty() ? "for example: temp > 20 and season = winter" : advice};
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// ≤, ≥ and ≠, as the names of groups spell them.
bool signs_at(std::string_view text) { return text.starts_with("≤") || text.starts_with("≥") || text.starts_with("≠"); }

std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> tokens;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t start = i;
    const char c = text[i];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      ++i;
      continue;
    }
    Token token{.at = start};
    if (c == '\'' || c == '"' || c == '`') {
      token.kind = c == '`' ? Token::name : Token::quoted;
      for (++i;; ++i) {
        if (i >= text.size()) fail(start, std::string("the quote ") + c + " is not closed");
        if (text[i] == c && i + 1 < text.size() && text[i + 1] == c)
          ++i;  // a doubled quote stands for one
        else if (text[i] == c)
          break;
        token.text += text[i];
      }
      ++i;
    } else if (const std::size_t size = date_size(text.substr(i)); size > 0) {
      token.kind = Token::quoted;
      token.text = text.substr(i, size);
      i += size;
    } else if (!signs_at(text.substr(i)) &&
               (is_word(c) || ((c == '-' || c == '+') && i + 1 < text.size() && is_word(text[i + 1])))) {
      // A sign may also follow an exponent: 1e-3.
      for (++i; i < text.size() && !signs_at(text.substr(i)); ++i) {
        const bool exponent = (text[i] == '-' || text[i] == '+') && (text[i - 1] == 'e' || text[i - 1] == 'E') &&
                              number_in(text.substr(start, i - 1 - start)).has_value();
        if (!is_word(text[i]) && !exponent) break;
      }
      token.text = text.substr(start, i - start);
      token.kind = number_in(token.text) ? Token::number : Token::word;
      if (token.kind == Token::word && (c == '-' || c == '+')) fail(start, "a sign without a number");
    } else {
      static const std::vector<std::string_view> symbols = {"==", "!=", "<>", "<=", ">=", "=", "<",
                                                            ">",  "(",  ")",  ",",  "≤",  "≥", "≠"};
      const auto found = std::find_if(symbols.begin(), symbols.end(),
                                      [&](std::string_view s) { return text.substr(i).starts_with(s); });
      if (found == symbols.end()) fail(start, "cannot read " + printable(text.substr(i, 1)));
      token.kind = Token::symbol;
      token.text = *found;
      i += found->size();
    }
    tokens.push_back(std::move(token));
  }
  tokens.push_back({.at = text.size()});
  return tokens;
}

bool is_keyword(const Token& token, std::string_view keyword) {
  return token.kind == Token::word && token.text.size() == keyword.size() &&
         std::equal(keyword.begin(), keyword.end(), token.text.begin(),
                    [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); });
}

}  // namespace

class Condition::Node {
 public:
  virtual ~Node() = default;
  // One Truth per row of the table.
  [[nodiscard]] virtual std::vector<std::uint8_t> holds(const Table& table) const = 0;
};

namespace {

using NodePointer = std::unique_ptr<Condition::Node>;

class Leaf : public Condition::Node {
 public:
  Leaf(std::uint32_t column, std::function<bool(double)> test, Truth if_missing)
      : column_(column), test_(std::move(test)), if_missing_(if_missing) {}
  [[nodiscard]] std::vector<std::uint8_t> holds(const Table& table) const override {
    std::vector<double> values(table.rows());
    read_numbers(table.column(column_), values);
    std::vector<std::uint8_t> truth(values.size());
    for (std::size_t row = 0; row < values.size(); ++row) {
      truth[row] = std::isnan(values[row]) ? if_missing_ : test_(values[row]) ? yes : no;
    }
    return truth;
  }

 private:
  std::uint32_t column_;
  std::function<bool(double)> test_;
  Truth if_missing_;
};

class Not : public Condition::Node {
 public:
  explicit Not(NodePointer inner) : inner_(std::move(inner)) {}
  [[nodiscard]] std::vector<std::uint8_t> holds(const Table& table) const override {
    auto truth = inner_->holds(table);
    for (auto& value : truth) value = value == unknown ? unknown : value == yes ? no : yes;
    return truth;
  }

 private:
  NodePointer inner_;
};

// and: no wins; or: yes wins; otherwise unknown wins.
class Several : public Condition::Node {
 public:
  Several(std::vector<NodePointer> parts, Truth winner) : parts_(std::move(parts)), winner_(winner) {}
  [[nodiscard]] std::vector<std::uint8_t> holds(const Table& table) const override {
    auto truth = parts_[0]->holds(table);
    for (std::size_t part = 1; part < parts_.size(); ++part) {
      const auto other = parts_[part]->holds(table);
      for (std::size_t row = 0; row < truth.size(); ++row) {
        if (truth[row] == winner_ || other[row] == winner_) {
          truth[row] = winner_;
        } else if (other[row] == unknown) {
          truth[row] = unknown;
        }
      }
    }
    return truth;
  }
  // One part stands for itself.
  static NodePointer of(std::vector<NodePointer> parts, Truth winner) {
    return parts.size() == 1 ? std::move(parts[0]) : std::make_unique<Several>(std::move(parts), winner);
  }

 private:
  std::vector<NodePointer> parts_;
  Truth winner_;
};

class Parser {
 public:
  Parser(std::string_view text, const Schema& schema) : schema_(schema), tokens_(tokens_of(text)) {}

  NodePointer parse() {
    if (peek().kind == Token::end) fail(0, "the condition is empty");
    NodePointer node = any_of();
    if (peek().kind != Token::end) fail(peek().at, "expected and, or, or the end, not " + shown(peek()));
    return node;
  }

 private:
  [[nodiscard]] const Token& peek() const { return tokens_[position_]; }
  const Token& take() { return tokens_[position_ + 1 < tokens_.size() ? position_++ : position_]; }
  bool accept(std::string_view keyword_or_symbol) {
    const bool here =
        is_keyword(peek(), keyword_or_symbol) || (peek().kind == Token::symbol && peek().text == keyword_or_symbol);
    if (here) take();
    return here;
  }
  void expect(std::string_view symbol) {
    if (!accept(symbol)) fail(peek().at, "expected " + std::string(symbol) + ", not " + shown(peek()));
  }
  [[nodiscard]] static std::string shown(const Token& token) {
    return token.kind == Token::end ? "the end" : printable(token.text, 60);
  }

  NodePointer any_of() {
    std::vector<NodePointer> parts;
    do parts.push_back(all_of());
    while (accept("or"));
    return Several::of(std::move(parts), yes);
  }
  NodePointer all_of() {
    std::vector<NodePointer> parts;
    do parts.push_back(one());
    while (accept("and"));
    return Several::of(std::move(parts), no);
  }
  NodePointer one() {
    if (++nested_ > most_nested) fail(peek().at, "nested too deeply");
    NodePointer node;
    if (accept("not")) {
      node = std::make_unique<Not>(one());
    } else if (accept("(")) {
      node = any_of();
      expect(")");
    } else {
      node = comparison();
    }
    --nested_;
    return node;
  }

  NodePointer comparison() {
    Token name = take();
    part_ = std::nullopt;
    if (const auto part = date_part(name.text); part && name.kind == Token::word && accept("(")) {
      part_ = part;
      name = take();
      expect(")");
    }
    if (name.kind == Token::end || name.kind == Token::symbol) fail(name.at, "expected a column, not " + shown(name));
    const auto found = find_given(schema_, name.text);
    if (!found) unknown_column(name);
    const std::uint32_t column = *found;
    if (part_ && !schema_[column].dates) {
      fail(name.at, std::string(date_parts[static_cast<std::size_t>(*part_)]) + "() needs a column of dates, and " +
                        printable(schema_[column].name, 60) + " holds " +
                        (schema_[column].has_levels() ? "levels" : "numbers"));
    }
    if (accept("is")) {
      const bool negated = accept("not");
      if (!accept("missing") && !accept("null")) fail(peek().at, "expected missing after is");
      const auto leaf = [&](Truth present) {
        return std::make_unique<Leaf>(column, [present](double) { return present == yes; }, present == yes ? no : yes);
      };
      return leaf(negated ? yes : no);
    }
    const bool negated = accept("not");
    NodePointer node;
    if (accept("in")) {
      node = in_list(column);
    } else if (accept("between")) {
      std::vector<NodePointer> ends;
      ends.push_back(compare(column, ">=", take()));
      expect("and");
      ends.push_back(compare(column, "<=", take()));
      node = Several::of(std::move(ends), no);
    } else if (negated) {
      fail(peek().at, "expected in or between after not");
    } else if (peek().kind == Token::symbol && peek().text != "(" && peek().text != ")" && peek().text != ",") {
      const std::string sign = take().text;
      node = compare(column, sign, take());
    } else if (schema_[column].type == DType::boolean) {
      node = compare(column, "=", {.kind = Token::word, .text = "true", .at = name.at});
    } else {
      fail(peek().at, "expected a comparison after " + printable(name.text, 60),
           "=, !=, <, <=, >, >=, in, between or is missing");
    }
    return negated ? std::make_unique<Not>(std::move(node)) : std::move(node);
  }

  [[noreturn]] void unknown_column(const Token& name) const {
    try {
      (void)schema_.require(name.text, option_name("where"));
    } catch (const Error& error) {
      fail(name.at, "the data have no column " + printable(name.text), error.advice());
    }
    throw Error(ErrorKind::internal, "where: a column is there and is not");
  }

  NodePointer in_list(std::uint32_t column) {
    expect("(");
    if (schema_[column].dates && !part_) {
      std::vector<NodePointer> dates;
      do dates.push_back(compare(column, "=", take()));
      while (accept(","));
      expect(")");
      return Several::of(std::move(dates), yes);
    }
    std::vector<double> values;
    do values.push_back(operand(column, "=", take()));
    while (accept(","));
    expect(")");
    std::sort(values.begin(), values.end());
    const auto test = [values](double left) { return std::binary_search(values.begin(), values.end(), left); };
    return leaf(column, test);
  }

  // Of the column, or of a part of its dates.
  [[nodiscard]] NodePointer leaf(std::uint32_t column, std::function<bool(double)> test) const {
    if (!part_) return std::make_unique<Leaf>(column, std::move(test), unknown);
    const auto of_part = [test = std::move(test), part = *part_, unit = schema_[column].dates.unit](double left) {
      return test(part_of(part, unit, left));
    };
    return std::make_unique<Leaf>(column, of_part, unknown);
  }

  NodePointer compare(std::uint32_t column, const std::string& sign, const Token& value) const {
    const bool told = value.kind == Token::quoted || value.kind == Token::word || value.kind == Token::number;
    if (told && schema_[column].dates && !part_) return leaf(column, date_test(sign, date(column, value)));
    return leaf(column, test(sign, operand(column, sign, value)));
  }
  // What a date stands for lies in it, before it or behind it.
  static std::function<bool(double)> date_test(const std::string& sign, DateSpan right) {
    if (sign == "<") return [right](double left) { return left < right.from; };
    if (sign == "<=" || sign == "≤") return [right](double left) { return left < right.from || right.has(left); };
    if (sign == ">") return [right](double left) { return !(left < right.from || right.has(left)); };
    if (sign == ">=" || sign == "≥") return [right](double left) { return left >= right.from; };
    if (sign == "!=" || sign == "<>" || sign == "≠") return [right](double left) { return !right.has(left); };
    return [right](double left) { return right.has(left); };
  }
  [[nodiscard]] DateSpan date(std::uint32_t column, const Token& value) const {
    const ColumnInfo& info = schema_[column];
    if (const auto span = read_date_span(info.dates.unit, value.text)) return *span;
    // The number itself, as a model sees it.
    if (const auto number = number_in(value.text)) return {*number, *number};
    fail(value.at, printable(info.name) + " holds dates, " + printable(value.text, 60) + " is none",
         "write it as '2020-01-31', '2020-01' or '2020', with a time as '2020-01-31 14:00'");
  }
  [[nodiscard]] double operand(std::uint32_t column, const std::string& sign, const Token& value) const {
    if (value.kind == Token::end || value.kind == Token::symbol || value.kind == Token::name) {
      fail(value.at, "expected a value, not " + shown(value));
    }
    return schema_[column].has_levels() ? level(column, sign, value) : number(column, value);
  }
  static std::function<bool(double)> test(const std::string& sign, double right) {
    if (sign == "<") return [right](double left) { return left < right; };
    if (sign == "<=" || sign == "≤") return [right](double left) { return left <= right; };
    if (sign == ">") return [right](double left) { return left > right; };
    if (sign == ">=" || sign == "≥") return [right](double left) { return left >= right; };
    if (sign == "!=" || sign == "<>" || sign == "≠") return [right](double left) { return left != right; };
    return [right](double left) { return left == right; };
  }
  [[nodiscard]] double number(std::uint32_t column, const Token& value) const {
    const auto parsed = part_ ? read_part(*part_, value.text) : number_in(value.text);
    if (!parsed && part_) {
      fail(value.at, printable(value.text, 60) + " is no " + std::string(date_parts[static_cast<std::size_t>(*part_)]),
           std::string("for example: ") + part_examples[static_cast<std::size_t>(*part_)]);
    }
    if (!parsed) {
      fail(value.at, printable(schema_[column].name) + " holds numbers, " + printable(value.text, 60) + " is none");
    }
    return *parsed;
  }
  [[nodiscard]] double level(std::uint32_t column, const std::string& sign, const Token& value) const {
    const ColumnInfo& info = schema_[column];
    const bool ordered = info.type == DType::boolean || info.dictionary->ordered();
    const bool orders = sign.starts_with("<") ? sign != "<>" : sign.starts_with(">") || sign == "≤" || sign == "≥";
    if (orders && !ordered) {
      fail(value.at, printable(info.name) + " has levels without an order: they are equal or not", "use = or in");
    }
    std::string wanted = value.text;
    if (info.type == DType::boolean) {
      std::transform(wanted.begin(), wanted.end(), wanted.begin(), [](unsigned char c) { return std::tolower(c); });
      if (wanted == "1" || wanted == "yes") wanted = "true";
      if (wanted == "0" || wanted == "no") wanted = "false";
    }
    if (info.type == DType::boolean && (wanted == "true" || wanted == "false")) return wanted == "true" ? 1 : 0;
    if (info.dictionary) {
      if (const auto code = info.dictionary->find(wanted)) return *code;
    }
    const std::vector<std::string> levels = info.levels();
    std::string list;
    for (std::size_t i = 0; i < levels.size() && i < 12; ++i) list += (i > 0 ? ", " : "") + printable(levels[i], 40);
    const std::string nearest = nearest_name(wanted, levels);
    fail(value.at, printable(info.name) + " has no level " + printable(wanted, 60),
         nearest.empty() ? "it has " + list + (levels.size() > 12 ? ", …" : "")
                         : "did you mean " + printable(nearest) + "?");
  }

  static constexpr const char* part_examples[] = {"2021", "Q1, or 1", "May, or 5", "Monday, or 1", "14:00, or 14"};

  const Schema& schema_;
  std::optional<DatePart> part_;  // of the dates of the column that is compared
  std::vector<Token> tokens_;
  std::size_t position_ = 0;
  int nested_ = 0;
};

// A column's name or a level that stands in the condition at this place without the quotes that it needs, in
// quotes; empty if there is none.
std::string unquoted(std::string_view text, std::size_t at, const Schema& schema) {
  std::string_view longest;
  const auto consider = [&](std::string_view name) {
    if (name.size() <= longest.size() || std::all_of(name.begin(), name.end(), is_word)) return;
    for (std::size_t begin = at < name.size() ? 0 : at - name.size() + 1; begin <= at && begin < text.size(); ++begin) {
      if (!text.substr(begin).starts_with(name)) continue;
      const std::size_t end = begin + name.size();
      if ((begin == 0 || !is_word(text[begin - 1])) && (end == text.size() || !is_word(text[end])))
        longest = text.substr(begin, name.size());
    }
  };
  for (const ColumnInfo& column : schema.columns()) {
    consider(column.name);
    if (!column.is_categorical()) continue;
    for (const std::string& level : column.dictionary->levels()) consider(level);
  }
  if (longest.empty()) return {};
  std::string quoted = "'";
  for (const char c : longest) quoted += c == '\'' ? "''" : std::string(1, c);
  return quoted + "'";
}

NodePointer parse_condition(std::string_view text, const Schema& schema) {
  try {
    return Parser(text, schema).parse();
  } catch (const Unreadable& problem) {
    const std::string quoted = unquoted(text, problem.at, schema);
    throw Error(ErrorKind::usage,
                option_name("where") + ", at character " + std::to_string(problem.at + 1) + ": " + problem.message,
                quoted.empty() ? problem.advice : "put quotes around it: " + printable(quoted));
  }
}

}  // namespace

Condition::Condition(std::string_view text, const Schema& schema) : root_(parse_condition(text, schema)) {}
Condition::~Condition() = default;
Condition::Condition(Condition&&) noexcept = default;
Condition& Condition::operator=(Condition&&) noexcept = default;

std::vector<std::uint64_t> Condition::rows(const Table& table) const {
  const auto truth = root_->holds(table);
  std::vector<std::uint64_t> rows;
  for (std::size_t row = 0; row < truth.size(); ++row) {
    if (truth[row] == yes) rows.push_back(table.first_row() + row);
  }
  return rows;
}

namespace {

// At most three cuts that divide the values, with the weight of each, into quarters as well as ties allow.
std::vector<double> quartiles(const std::map<double, double>& weights) {
  double total = 0;
  for (const auto& [value, weight] : weights) total += weight;
  std::vector<double> cuts;
  double below = 0;
  int quarter = 1;
  for (const auto& [value, weight] : weights) {
    below += weight;
    if (quarter > 3 || 4 * below < quarter * total || value == weights.rbegin()->first) continue;
    cuts.push_back(value);
    while (quarter <= 3 && 4 * below >= quarter * total) ++quarter;
  }
  return cuts;
}

}  // namespace

RowKey row_key(std::string_view by, const Schema& schema) {
  // A column may be called so.
  const std::size_t open = by.find('(');
  if (find_given(schema, by) || open == std::string_view::npos || !by.ends_with(')'))
    return schema.require(by, option_name("by"));
  const auto part = date_part(by.substr(0, open));
  if (!part) {
    throw Error(ErrorKind::usage,
                option_name("by") + ": " + printable(by, 60) + " is no column, and " +
                    printable(by.substr(0, open), 40) + " no part of a date",
                "a part is year, quarter, month, weekday or hour");
  }
  const std::uint32_t column = schema.require(by.substr(open + 1, by.size() - open - 2), option_name("by"));
  if (!schema[column].dates) {
    throw Error(ErrorKind::usage,
                option_name("by") + ": " + std::string(date_parts[static_cast<std::size_t>(*part)]) +
                    "() needs a column of dates, and " + printable(schema[column].name, 60) + " holds " +
                    (schema[column].has_levels() ? "levels" : "numbers"),
                "name the column alone, or convert it to dates first");
  }
  return {column, part};
}

std::vector<RowGroup> group_rows(const Table& table, const RowKey& key, const std::vector<std::uint64_t>& among,
                                 std::size_t limit) {
  const ColumnInfo& info = table.schema()[key.column];
  const ColumnView& view = table.column(key.column);
  const std::string name =
      key.part ? std::string(date_parts[static_cast<std::size_t>(*key.part)]) + "(" + info.name + ")" : info.name;
  const auto text_of = [&](double value) {
    if (key.part) return part_text(*key.part, value);
    return info.dates ? date_text(info.dates, value) : sightglass::text_of(value);
  };
  std::map<double, std::vector<std::uint64_t>> by_value;
  std::map<double, double> weights;
  RowGroup missing{.name = info.name + " is missing"};
  const auto weight_column = table.weight_column();
  for (const std::uint64_t row : among) {
    const double whole = view.number(row - table.first_row());
    const double value = key.part ? part_of(*key.part, info.dates.unit, whole) : whole;
    const double weight = weight_column ? table.column(*weight_column).number(row - table.first_row()) : 1;
    if (std::isnan(value)) {
      missing.rows.push_back(row);
    } else if (weight > 0 || info.has_levels()) {
      // A row without weight is as one that is not there; but a level of which all are says so.
      by_value[value + 0.0].push_back(row);
      weights[value + 0.0] += weight;
    }
  }
  std::vector<RowGroup> groups;
  if (info.has_levels()) {
    const std::vector<std::string> levels = info.levels();
    for (auto& [code, rows] : by_value) {
      groups.push_back({info.name + " = " + levels[static_cast<std::size_t>(code)], std::move(rows)});
    }
    if (groups.size() > limit) {
      // Those with most weight, of equal ones the first.
      std::vector<std::pair<double, std::size_t>> order;
      for (const auto& [code, weight] : weights) order.emplace_back(-weight, order.size());
      std::sort(order.begin(), order.end());
      order.resize(limit);
      std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
      std::vector<RowGroup> largest;
      for (const auto& [weight, at] : order) largest.push_back(std::move(groups[at]));
      groups = std::move(largest);
    }
  } else if (by_value.size() <= limit) {
    for (auto& [value, rows] : by_value) groups.push_back({name + " = " + text_of(value), std::move(rows)});
  } else {
    const std::vector<double> cuts = quartiles(weights);
    // Nearly every row has the largest value: there is nothing to cut.
    if (cuts.empty()) groups.push_back({name + " ≤ " + text_of(weights.rbegin()->first), {}});
    for (std::size_t k = 0; !cuts.empty() && k <= cuts.size(); ++k) {
      const std::string low = k == 0 ? "" : text_of(cuts[k - 1]) + " < ";
      groups.push_back(
          {k < cuts.size() ? low + name + " ≤ " + text_of(cuts[k]) : name + " > " + text_of(cuts[k - 1]), {}});
    }
    for (auto& [value, rows] : by_value) {
      const auto at = std::lower_bound(cuts.begin(), cuts.end(), value) - cuts.begin();
      auto& into = groups[static_cast<std::size_t>(at)].rows;
      into.insert(into.end(), rows.begin(), rows.end());
    }
    for (RowGroup& group : groups) std::sort(group.rows.begin(), group.rows.end());
  }
  if (!missing.rows.empty()) groups.push_back(std::move(missing));
  return groups;
}

}  // namespace sightglass
