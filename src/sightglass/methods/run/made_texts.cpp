#include "sightglass/methods/run/made_texts.h"

#include <algorithm>

#include "sightglass/base/error.h"
#include "sightglass/data/column_like.h"

namespace sightglass {

namespace {

// Of texts or pictures that are in memory at once, and in one call of the model.
constexpr std::size_t most_bytes = std::size_t{8} << 20;
constexpr std::size_t most_texts = std::size_t{1} << 16;

// The row's other columns, as often as there are texts.
class RepeatedRow {
 public:
  RepeatedRow(const MadePlace& place, std::size_t count) : views_(place.schema->size()), count_(count) {
    for (std::size_t k = 0; k < place.columns.size(); ++k) {
      const ColumnInfo& info = (*place.schema)[place.columns[k]];
      const bool made = place.columns[k] == place.column;
      if (made) {
        // Who takes texts as they are has each in its place.
        std::vector<std::int32_t> codes(count);
        for (std::size_t i = 0; i < count; ++i) codes[i] = static_cast<std::int32_t>(i);
        owned_.push_back(column_of(std::move(codes), info.dictionary.get()));
      } else {
        const std::vector<double> same(count, place.values[k]);
        owned_.push_back(column_like({.type = info.type, .dictionary = info.dictionary.get()}, same));
      }
      views_[place.columns[k]] = owned_.back().view;
    }
  }
  [[nodiscard]] RowBlock block() const { return {.rows = count_, .columns = views_}; }

 private:
  std::vector<Column> owned_;
  std::vector<ColumnView> views_;
  std::size_t count_;
};

// Some at a time: take(first) says how many, evaluate(first, count) has the model's answers.
template <class Take, class Evaluate>
Matrix ask_in_parts(std::size_t rows, std::size_t outputs, const char* what, const std::string& where, const Take& take,
                    const Evaluate& evaluate) {
  Matrix predictions(rows, outputs), answers;
  for (std::size_t first = 0; first < rows;) {
    const std::size_t count = take(first);
    try {
      evaluate(first, count, answers);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::prediction) throw;
      throw Error(error.kind(),
                  error.message_text() + " (asked about made-up " + what + " " + std::to_string(first) + " to " +
                      std::to_string(first + count - 1) + " of " + std::to_string(rows) + " for " + where + ")",
                  error.advice_text(), error.detail());
    }
    std::copy_n(answers.span().data(), count * outputs, predictions.span().data() + first * outputs);
    first += count;
  }
  return predictions;
}

Matrix predictions_of(const MadeTexts& made, Evaluator& evaluator) {
  std::shared_ptr<TextBatch> texts;
  const auto take = [&](std::size_t first) {
    texts = std::make_shared<TextBatch>();
    // What is asked for and not written to takes no memory.
    (void)texts->room(std::min((made.rows - first) * made.longest, most_bytes + made.longest));
    while (first + texts->size() < made.rows && texts->size() < most_texts && texts->bytes().size() < most_bytes)
      made.write(first + texts->size(), *texts);
    return texts->size();
  };
  return ask_in_parts(made.rows, evaluator.outputs().size(), "texts", made.place.where, take,
                      [&](std::size_t /*first*/, std::size_t count, Matrix& answers) {
                        const RepeatedRow row(made.place, count);
                        evaluator.evaluate(*made.place.schema, row.block(), made.place.column, texts, answers);
                      });
}

Matrix predictions_of(const MadePictures& made, Evaluator& evaluator) {
  const std::size_t room = std::max<std::size_t>(1, most_bytes / (3 * made.width * made.height));
  return ask_in_parts(
      made.rows, evaluator.outputs().size(), "pictures", made.place.where,
      [&](std::size_t first) { return std::min(room, made.rows - first); },
      [&](std::size_t first, std::size_t count, Matrix& answers) {
        const RepeatedRow row(made.place, count);
        const PictureBatch pictures{
            .width = made.width, .height = made.height, .count = count, .write = [&](std::size_t i, std::uint8_t* rgb) {
              made.write(first + i, rgb);
            }};
        evaluator.evaluate(*made.place.schema, row.block(), made.place.column, pictures, answers);
      });
}

template <class Made>
class MadeQuestion : public Question {
 public:
  MadeQuestion(std::shared_ptr<const Made> made, Chain<Matrix>::Continuation then)
      : made_(std::move(made)), then_(std::move(then)) {}

  [[nodiscard]] std::size_t rows() const override { return made_->rows; }
  [[nodiscard]] Matrix ask(Evaluator& evaluator) const override { return predictions_of(*made_, evaluator); }
  [[nodiscard]] Next next(Matrix predictions) const override { return then_(std::move(predictions)); }

 private:
  std::shared_ptr<const Made> made_;
  Chain<Matrix>::Continuation then_;
};

template <class Made>
Chain<Matrix> ask_about(Made made) {
  return Chain<Matrix>(
      [made = std::make_shared<const Made>(std::move(made))](Chain<Matrix>::Continuation then) -> Next {
        return std::make_unique<MadeQuestion<Made>>(made, std::move(then));
      });
}

}  // namespace

Chain<Matrix> ask(MadeTexts texts) { return ask_about(std::move(texts)); }
Chain<Matrix> ask(MadePictures pictures) { return ask_about(std::move(pictures)); }

}  // namespace sightglass
