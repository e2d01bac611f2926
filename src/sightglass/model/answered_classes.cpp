#include "sightglass/model/answered_classes.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "sightglass/base/error.h"
#include "sightglass/data/level_text_internal.h"
#include "sightglass/model/evaluator.h"

namespace sightglass {

namespace {

// Rows that the model is asked about: first a few, then enough that a regression of 0 and 1 leaves that range.
constexpr std::size_t rows_asked[] = {16, 512};
// Probabilities in single precision do not add up to 1 exactly.
constexpr double tolerance = 1e-3;
// An outcome of more values is no class.
constexpr std::size_t most_classes = 200;
// How much more probability another order has to give to what is true.
constexpr double clearly = 0.02;
constexpr std::size_t names_shown = 5;

// The values of a column that may be classes.
class Truth {
 public:
  Truth(const Table& table, std::uint32_t column) : column_(table.schema()[column]), values_(table.rows()) {
    read_numbers(table.column(column), values_);
    for (const double value : values_) {
      if (std::isfinite(value) && !(is_text() && value < 0)) present_.push_back(value);
    }
    std::sort(present_.begin(), present_.end());
    present_.erase(std::unique(present_.begin(), present_.end()), present_.end());
  }

  [[nodiscard]] const std::string& name() const { return column_.name; }
  [[nodiscard]] bool is_text() const { return column_.is_categorical(); }
  [[nodiscard]] std::size_t size() const { return present_.size(); }
  [[nodiscard]] bool may_be_classes() const {
    const bool countable = is_text() || size() == 2 || std::all_of(present_.begin(), present_.end(), [](double value) {
                             return value == std::trunc(value);
                           });
    return size() > 1 && size() <= most_classes && countable;
  }

  // So many rows from everywhere: data are often sorted by their classes.
  [[nodiscard]] std::vector<std::size_t> rows(std::size_t most) const {
    std::vector<std::size_t> chosen(std::min(most, values_.size()));
    for (std::size_t i = 0; i < chosen.size(); ++i) chosen[i] = i * values_.size() / chosen.size();
    return chosen;
  }

  // What the columns of answers may stand for, the usual order first.
  [[nodiscard]] std::vector<std::vector<std::string>> orders(std::size_t width) const {
    std::vector<std::string> names;
    for (const double value : present_) names.push_back(spelled(value));
    if (is_text()) {
      std::sort(names.begin(), names.end());
      std::vector<std::vector<std::string>> found;
      const std::vector<std::string>& declared = column_.dictionary->levels();
      if (names.size() == width) found.push_back(names);
      if (declared.size() == width) {
        if (found.empty()) {
          found.push_back(declared);
          std::sort(found[0].begin(), found[0].end());
        }
        found.push_back(declared);
      }
      return found;
    }
    if (size() == width) return {names};
    // Numbers that count the classes, of which these rows have not all.
    if (!(present_.front() >= 0 && present_.back() < static_cast<double>(width) && width > 2)) return {};
    names.clear();
    for (std::size_t number = 0; number < width; ++number) names.push_back(std::to_string(number));
    return {names};
  }

  // Whether the columns of the answers are called like the values; of truth values in whatever case.
  [[nodiscard]] bool are_called(std::vector<std::string> columns, std::vector<std::string> names) const {
    if (column_.type == DType::boolean) {
      for (std::string& column : columns) {
        for (char& c : column) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
      }
    }
    std::sort(columns.begin(), columns.end());
    std::sort(names.begin(), names.end());
    return columns == names;
  }

  // The mean probability that the answers about these rows give to what is true.
  [[nodiscard]] double probability(const std::vector<std::string>& names, const std::vector<std::size_t>& rows,
                                   const Matrix& answers) const {
    double sum = 0;
    std::size_t found = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double code = values_[rows[i]];
      if (!std::isfinite(code) || code < 0) continue;
      const auto at = std::find(names.begin(), names.end(), column_.level(static_cast<std::size_t>(code)));
      if (at == names.end()) continue;
      sum += answers(i, static_cast<std::size_t>(at - names.begin()));
      ++found;
    }
    return found == 0 ? 0 : sum / static_cast<double>(found);
  }

 private:
  [[nodiscard]] std::string spelled(double value) const {
    if (column_.has_levels()) return column_.level(static_cast<std::size_t>(value));
    char buffer[number_text_bytes];
    return std::string(print_number(buffer, value));
  }

  ColumnInfo column_;
  std::vector<double> values_;
  std::vector<double> present_;  // ascending
};

bool are_probabilities(const Matrix& answers) {
  for (std::size_t row = 0; row < answers.rows(); ++row) {
    double sum = 0;
    for (std::size_t k = 0; k < answers.columns(); ++k) {
      // A comparison with NaN is false.
      if (!(answers(row, k) >= -tolerance && answers(row, k) <= 1 + tolerance)) return false;
      sum += answers(row, k);
    }
    if (answers.columns() > 1 && std::abs(sum - 1) > tolerance) return false;
  }
  return true;
}

// The answers about some rows of the table, rows × outputs.
Matrix ask(Evaluator& evaluator, const Table& table, const std::vector<std::size_t>& rows, std::size_t batch) {
  std::vector<std::uint64_t> ids;
  for (const std::size_t row : rows) ids.push_back(table.first_row() + row);
  const PickedRows picked({std::shared_ptr<const void>(), &table}, std::move(ids));
  Matrix all(rows.size(), evaluator.outputs().size()), part;
  const auto stream = picked.open(evaluator.columns(), batch);
  std::size_t first = 0;
  while (const auto block = stream->next()) {
    evaluator.evaluate(*block, part);
    for (std::size_t row = 0; row < block->rows; ++row, ++first) {
      for (std::size_t k = 0; k < all.columns(); ++k) all.span()(first, k) = part(row, k);
    }
  }
  return all;
}

std::string first_names(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), names_shown); ++i)
    text += (i == 0 ? "" : ", ") + printable(names[i], 40);
  return names.size() > names_shown ? text + ", …" : text;
}

AnsweredClasses one_probability(const Truth& truth, const std::vector<std::string>& columns) {
  std::vector<std::string> names = truth.orders(2)[0];
  // An answer that is called like one of the two is about that one.
  if (columns[0] == names[0]) std::swap(names[0], names[1]);
  return {names,
          printable(truth.name(), 60) +
              " has two values and the model answers numbers from 0 to 1: they are taken for the probability of " +
              printable(names[1], 40) + marked("; {argument:classes} in the order ") + printable(names[1], 40) + ", " +
              printable(names[0], 40) + " makes it that of " + printable(names[0], 40) +
              marked(", an empty {argument:classes} mere numbers")};
}

std::optional<AnsweredClasses> several_probabilities(const Truth& truth, const std::vector<std::string>& columns,
                                                     const std::vector<std::size_t>& rows, const Matrix& answers) {
  const std::size_t width = answers.columns();
  const std::string about = "the model's answers add up to 1 in each row: they are taken for the probabilities of " +
                            std::to_string(width) + " classes";
  const auto orders = truth.orders(width);
  if (!orders.empty()) {
    std::vector<std::string> names = orders[0];
    if (truth.are_called(columns, names)) {
      names = columns;
    } else if (orders.size() > 1 && orders[1] != orders[0] &&
               truth.probability(orders[1], rows, answers) > truth.probability(orders[0], rows, answers) + clearly) {
      names = orders[1];
    }
    return AnsweredClasses{
        names, about + ", in this order: " + first_names(names) + marked("; {argument:classes} names them otherwise")};
  }
  // Numbers of more values than there are classes may well be no class.
  if (!truth.is_text() && truth.size() > width) return std::nullopt;
  return AnsweredClasses{{},
                         about + ", but " + printable(truth.name(), 60) + " has " + std::to_string(truth.size()) +
                             marked(" values; name them in the model's order with {argument:classes}")};
}

}  // namespace

std::optional<AnsweredClasses> answered_classes(const Model& model, const Table& table, const std::string& target,
                                                std::size_t batch, Context& context) {
  const Truth truth(table, table.schema().require(target, "target"));
  if (!truth.may_be_classes()) return std::nullopt;
  Evaluator evaluator(model, table, table.not_features(target, "target"),
                      {.predict = {.arithmetic = Arithmetic::framework}}, context);
  const std::size_t width = evaluator.outputs().size();
  if (width == 1 && truth.size() != 2) return std::nullopt;
  std::vector<std::size_t> rows;
  Matrix answers;
  for (const std::size_t most : rows_asked) {
    rows = truth.rows(most);
    answers = ask(evaluator, table, rows, batch);
    if (!are_probabilities(answers)) return std::nullopt;
  }
  if (width == 1) return one_probability(truth, evaluator.outputs());
  return several_probabilities(truth, evaluator.outputs(), rows, answers);
}

}  // namespace sightglass
