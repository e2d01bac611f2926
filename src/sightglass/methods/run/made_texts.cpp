#include "sightglass/methods/run/made_texts.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "sightglass/base/error.h"
#include "sightglass/data/column_like.h"

namespace sightglass {

namespace {

// Of texts that are in memory at once, and in one call of the model.
constexpr std::size_t most_bytes = std::size_t{16} << 20;
constexpr std::size_t most_texts = std::size_t{1} << 16;

class TextsQuestion : public Question {
 public:
  TextsQuestion(std::shared_ptr<const MadeTexts> texts, Chain<Matrix>::Continuation then)
      : texts_(std::move(texts)), then_(std::move(then)) {}

  [[nodiscard]] std::size_t rows() const override { return texts_->rows; }
  [[nodiscard]] Matrix ask(Evaluator& evaluator) const override { return texts_->ask(evaluator); }
  [[nodiscard]] Next next(Matrix predictions) const override { return then_(std::move(predictions)); }

 private:
  std::shared_ptr<const MadeTexts> texts_;
  Chain<Matrix>::Continuation then_;
};

// The schema with other levels in one column.
Schema with_levels(const Schema& schema, std::uint32_t column, std::vector<std::string> levels) {
  std::vector<ColumnInfo> columns = schema.columns();
  columns[column].dictionary = std::make_shared<const Dictionary>(std::move(levels));
  return Schema(std::move(columns));
}

}  // namespace

Matrix MadeTexts::ask(Evaluator& evaluator) const {
  Matrix predictions(rows, evaluator.outputs().size());
  for (std::size_t first = 0; first < rows;) {
    std::vector<std::string> levels;
    std::vector<std::int32_t> codes;
    std::unordered_map<std::string, std::int32_t> known;  // different pieces may leave the same text
    std::size_t bytes = 0;
    std::string text;
    for (std::size_t i = first; i < rows && codes.size() < most_texts && (codes.empty() || bytes < most_bytes); ++i) {
      text.clear();
      write(i, text);
      const auto [at, fresh] = known.try_emplace(text, static_cast<std::int32_t>(levels.size()));
      if (fresh) {
        bytes += 2 * text.size();
        levels.push_back(text);
      }
      codes.push_back(at->second);
    }
    known.clear();
    const std::size_t count = codes.size();
    const Schema made = with_levels(*schema, column, std::move(levels));
    std::vector<Column> owned;
    std::vector<ColumnView> views(schema->size());
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const ColumnInfo& info = made[columns[k]];
      if (columns[k] == column) {
        owned.push_back(column_of(std::move(codes), info.dictionary.get()));
      } else {
        const std::vector<double> same(count, values[k]);
        owned.push_back(column_like({.type = info.type, .dictionary = info.dictionary.get()}, same));
      }
      views[columns[k]] = owned.back().view;
    }
    Matrix answers;
    try {
      evaluator.evaluate(made, {.rows = count, .columns = views}, answers);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::prediction) throw;
      throw Error(error.kind(),
                  error.message_text() + " (asked about made-up texts " + std::to_string(first) + " to " +
                      std::to_string(first + count - 1) + " of " + std::to_string(rows) + " for " + where + ")",
                  error.advice_text(), error.detail());
    }
    std::copy_n(answers.span().data(), count * answers.columns(),
                predictions.span().data() + first * answers.columns());
    first += count;
  }
  return predictions;
}

Chain<Matrix> ask(MadeTexts texts) {
  return Chain<Matrix>(
      [texts = std::make_shared<const MadeTexts>(std::move(texts))](Chain<Matrix>::Continuation then) -> Next {
        return std::make_unique<TextsQuestion>(texts, std::move(then));
      });
}

}  // namespace sightglass
