#include <algorithm>
#include <charconv>
#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/model/remote/server_protocol_internal.h"

namespace sightglass {

namespace {

void add_row(const JsonValue& item, const std::vector<double>& numbers, ServerAnswer& answer) {
  answer.begin_row(item, numbers.size());
  answer.predictions.insert(answer.predictions.end(), numbers.begin(), numbers.end());
}

// The members of a row that count, by name, whatever their order.
void read_members(const JsonValue& item, const std::vector<std::string>& wanted, ServerAnswer& answer) {
  // {} is how JsonDocument hands on NaN, which is no name of anything.
  const JsonObject object(item);
  std::vector<std::string> names = answer.names;
  if (names.empty()) names = wanted;
  if (names.empty()) {
    for (const auto& [key, value] : object.members()) names.emplace_back(key);
  }
  std::vector<double> numbers;
  bool one_each = true;
  for (const std::string& name : names) {
    const auto member = object.find(name);
    if (!member) item.fail("lacks " + printable(name, 60));
    const std::size_t before = numbers.size();
    add_numbers(*member, numbers);
    one_each = one_each && numbers.size() == before + 1;
  }
  if (!one_each && names.size() > 1) {
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + printable(name, 40);
    throw Error(item.blame().kind, item.blame().where + ": each row has several outputs, " + list,
                marked("choose one of them as {argument:server_output}"));
  }
  if (one_each && answer.outputs == 0 && names.size() > 1) answer.names = names;
  add_row(item, numbers, answer);
}

}  // namespace

std::string ServerTensor::text() const {
  std::string list;
  for (const std::int64_t size : shape) list += (list.empty() ? "" : ", ") + std::to_string(size);
  return name + (type.empty() ? "" : " " + type) + " [" + list + "]";
}

void add_numbers(const JsonValue& item, std::vector<double>& numbers) {
  if (item.is_array() && !stands_for_infinity(item.element())) {
    item.each([&](const JsonValue& part) { add_numbers(part, numbers); });
    return;
  }
  bool truth = false;
  if (item.element().is_null()) {
    numbers.push_back(std::numeric_limits<double>::quiet_NaN());
  } else if (item.element().get(truth) == simdjson::SUCCESS) {
    numbers.push_back(truth ? 1 : 0);
  } else {
    numbers.push_back(prediction_in(item));
  }
}

void ServerAnswer::begin_row(const JsonValue& item, std::size_t count) {
  if (count == 0) item.fail("has no number");
  if (outputs == 0) outputs = count;
  if (count != outputs)
    item.fail("has " + std::to_string(count) + " numbers for a row where " + std::to_string(outputs) +
              " were expected");
}

bool ServerOpening::look_up(const std::string& path, const std::function<void(const JsonValue&)>& read) const {
  const HttpQuestion question{.path = path};
  const HttpAnswer answer = http.ask(question, context);
  const std::size_t first = answer.body.find_first_not_of(" \t\r\n");
  if (answer.status >= 300 || first == std::string::npos || (answer.body[first] != '{' && answer.body[first] != '['))
    return false;
  read_json(answer.body, {http.kind(), http.name_of(question), "is a server of models at this address?"}, read);
  return true;
}

void read_json(std::string_view text, const JsonBlame& blame, const std::function<void(const JsonValue&)>& read) {
  JsonDocument document;
  read(JsonValue(blame, document.parse(text, blame)));
}

void write_rows(const ServerRows& rows, bool named, std::string& body) {
  std::vector<std::string> keys;
  for (const JsonCells& cells : rows.cells) keys.push_back(named ? quoted(cells.name) + ":" : "");
  for (std::size_t row = 0; row < rows.rows; ++row) {
    body += row > 0 ? "," : "";
    body += named ? '{' : '[';
    for (std::size_t k = 0; k < rows.cells.size(); ++k) {
      if (k > 0) body += ',';
      body += keys[k];
      rows.cells[k].append(body, rows.values[k][row]);
    }
    body += named ? '}' : ']';
  }
}

void read_rows(const JsonValue& list, std::size_t rows, const std::vector<std::string>& wanted, ServerAnswer& answer) {
  std::size_t row = 0;
  std::vector<double> numbers;
  list.each([&](const JsonValue& item) {
    if (row >= rows) list.fail("has more items than the request has rows, " + std::to_string(rows));
    if (item.is_object() && !JsonObject(item).members().empty()) {
      read_members(item, wanted, answer);
    } else {
      numbers.clear();
      add_numbers(item, numbers);
      add_row(item, numbers, answer);
    }
    ++row;
  });
  if (row != rows) list.fail("has " + std::to_string(row) + " items for " + std::to_string(rows) + " rows");
}

void levels_as_numbers(JsonCells& cells, const Schema& schema, std::string_view type) {
  if (!cells.has_levels || !schema[cells.column].dictionary) return;
  for (std::size_t code = 0; code < cells.levels.size(); ++code) {
    const std::string& level = schema[cells.column].dictionary->levels()[code];
    double value = 0;
    const auto [end, failure] = std::from_chars(level.data(), level.data() + level.size(), value);
    if (failure != std::errc() || end != level.data() + level.size() || !std::isfinite(value))
      throw Error(ErrorKind::data,
                  "column " + printable(cells.name, 60) + " holds text (" + printable(level, 40) +
                      ") where the server takes " + std::string(type),
                  "prepare the data as they were when the model was trained");
    cells.levels[code] = level;
  }
}

}  // namespace sightglass
