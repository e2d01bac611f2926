#include "sightglass/methods/local/lime_text.h"

#include <algorithm>
#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/methods/local/pieces/piece_line.h"
#include "sightglass/methods/local/pieces/text_columns.h"
#include "sightglass/methods/local/pieces/text_words.h"
#include "sightglass/methods/rows/explained_rows.h"
#include "sightglass/methods/rows/labelled_rows.h"
#include "sightglass/methods/run/made_texts.h"
#include "sightglass/result/shapes/marked_text.h"

namespace sightglass {

namespace {

struct Work {
  MethodInput input;
  LimeTextOptions options;
  std::uint32_t column = 0;
  std::size_t feature = 0;  // place of the column among the model's
};
using WorkPtr = std::shared_ptr<const Work>;

std::string row_name(const Work& work, std::uint64_t row, std::size_t output) {
  const std::string name = "row " + std::to_string(row);
  return work.input.explained.size() < 2 ? name : name + " (" + printable(work.input.outputs[output], 40) + ")";
}

MarkedText marked_text(const Work& work, std::uint64_t row, const TextWords& words, const PieceLine& line,
                       std::size_t output) {
  MarkedText item{.output = work.input.outputs[output],
                  .row = row,
                  .text = words.text,
                  .base = line.base,
                  .prediction = line.prediction};
  for (std::size_t i = 0; i < words.places.size(); ++i) {
    const auto at = std::lower_bound(line.pieces.begin(), line.pieces.end(), words.word[i]);
    if (words.word[i] == TextWords::none || at == line.pieces.end() || *at != words.word[i]) continue;
    const auto k = static_cast<std::size_t>(at - line.pieces.begin());
    MarkedPiece piece{.start = words.places[i].first,
                      .end = words.places[i].last,
                      .value = line.values[k],
                      .together = words.word[i]};
    if (!line.exact) piece.se = line.se[k];
    item.pieces.push_back(piece);
  }
  item.details.set("column", work.input.schema[work.column].name)
      .set("local_prediction", line.local_prediction())
      .set("r2", line.r2)
      .set("stability", line.stability)
      .set("far_share", line.far_share)
      .set("exact", line.exact)
      .set("samples", line.samples)
      .set("words", words.words);
  Value ranges = Value::array();
  for (std::size_t k = 0; k < line.pieces.size(); ++k) {
    ranges.push_back(Value::object({{"together", static_cast<std::uint64_t>(line.pieces[k])},
                                    {"least", line.least[k]},
                                    {"greatest", line.greatest[k]}}));
  }
  item.details.set("over_widths", ranges);
  return item;
}

// What was found so far, text by text.
struct Found {
  std::vector<LabelledRow> rows;
  std::vector<ResultItem> items;
  std::vector<PieceLine> lines;
  std::vector<std::string> names;
  std::vector<std::uint64_t> without_words, cut;
  std::size_t left = 0;  // words of a text beyond the limit, at the most
  ExplainedRows explained;
};
using FoundPtr = std::shared_ptr<Found>;

std::string row_list(const std::vector<std::uint64_t>& rows) {
  std::string list;
  for (std::size_t i = 0; i < std::min<std::size_t>(rows.size(), 5); ++i)
    list += (i > 0 ? ", " : "") + std::to_string(rows[i]);
  if (rows.size() > 5) list += " and " + std::to_string(rows.size() - 5) + " more";
  return (rows.size() == 1 ? "row " : "rows ") + list;
}

Result result_of(const Work& work, const Found& found) {
  if (found.items.empty())
    throw Error(ErrorKind::data, row_list(found.without_words) + ": there is no word in column " +
                                     printable(work.input.schema[work.column].name, 60));
  Result result;
  result.results = found.items;
  if (!found.without_words.empty()) {
    result.caveats.push_back({.id = "no-words",
                              .severity = Severity::note,
                              .message = row_list(found.without_words) + " left out: the text has no word",
                              .evidence = Value::object({{"rows", found.without_words.size()}}),
                              .advice = marked("name other {option:rows|rows}")});
  }
  if (!found.cut.empty()) {
    result.caveats.push_back({.id = "some-words",
                              .severity = Severity::caution,
                              .message = row_list(found.cut) + ": only the first " +
                                         std::to_string(work.options.most_words) +
                                         (work.options.places ? " words" : " different words") +
                                         " are explained, the others stay in every sample",
                              .evidence = Value::object({{"texts", found.cut.size()}, {"left_out", found.left}}),
                              .advice = marked("raise {option:most_words}, and {option:samples} with it")});
  }
  if (!work.input.level_order(work.column).empty()) {
    result.caveats.push_back(
        {.id = "text-as-category",
         .severity = Severity::warning,
         .message = "the model takes column " + printable(work.input.schema[work.column].name, 60) +
                    " as categories: a text with a word left out is just one that it does not know",
         .evidence = Value::object({{"column", work.input.schema[work.column].name}}),
         .advice = "explain a model that reads texts"});
  }
  add_line_caveats(found.lines, found.names, "word", result.caveats);
  add_some_rows_caveat(found.explained, result.caveats);
  return result;
}

void add_lines(const Work& work, Found& found, std::size_t at, const TextWords& words, const PieceSamples& samples,
               const Matrix& answers) {
  const MethodInput& input = work.input;
  Matrix y(answers.rows(), input.explained.size());
  for (std::size_t i = 0; i < answers.rows(); ++i) {
    for (std::size_t k = 0; k < y.columns(); ++k) y.span()(i, k) = answers(i, input.explained[k]);
  }
  const PieceLineOptions told{.terms = static_cast<std::size_t>(work.options.terms),
                              .width = work.options.width,
                              .penalty = work.options.penalty,
                              .select = work.options.select};
  const ForEach for_each = [&input](std::string_view about, std::size_t count,
                                    const std::function<void(std::size_t)>& body) {
    input.for_each(about, count, body);
  };
  std::vector<PieceLine> lines = piece_lines(samples, y.span(), told, for_each);
  const std::uint64_t row = found.rows[at].id;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    found.items.emplace_back(marked_text(work, row, words, lines[k], input.explained[k]));
    found.names.push_back(row_name(work, row, input.explained[k]));
    found.lines.push_back(std::move(lines[k]));
  }
}

Chain<Result> next_text(const WorkPtr& work, const FoundPtr& found, std::size_t at) {
  const MethodInput& input = work->input;
  const LimeTextOptions& options = work->options;
  const Dictionary& texts = *input.schema[work->column].dictionary;
  for (; at < found->rows.size(); ++at) {
    const LabelledRow& row = found->rows[at];
    const double code = row.values[work->feature];
    std::shared_ptr<const TextWords> words;
    if (!std::isnan(code)) {
      try {
        words =
            std::make_shared<const TextWords>(text_words(texts.level(static_cast<std::int32_t>(code)), options.places,
                                                         static_cast<std::size_t>(options.most_words)));
      } catch (const Error& error) {
        throw Error(error.kind(), "row " + std::to_string(row.id) + ": " + error.message(), error.advice_text());
      }
    }
    if (words == nullptr || words->words == 0) {
      found->without_words.push_back(row.id);
      continue;
    }
    if (words->left > 0) {
      found->cut.push_back(row.id);
      found->left = std::max(found->left, words->left);
    }
    const auto samples = std::make_shared<const PieceSamples>(
        draw_pieces(words->words, static_cast<std::size_t>(options.samples), PieceDraw::sizes, input.seed, row.id));
    return ask(MadeTexts{.place = {.schema = &input.schema,
                                   .columns = input.features,
                                   .values = row.values,
                                   .column = work->column,
                                   .where = "row " + std::to_string(row.id)},
                         .rows = samples->rows,
                         .write = [words, samples, mask = options.mask](
                                      std::size_t i, std::string& text) { words->write(samples->row(i), mask, text); }})
        .then([work, found, at, words, samples](const Matrix& answers) {
          add_lines(*work, *found, at, *words, *samples, answers);
          return next_text(work, found, at + 1);
        });
  }
  return result_of(*work, *found);
}

Chain<Result> start(const MethodInput& input, const Value& given) {
  auto work = std::make_shared<Work>(Work{.input = input, .options = read_options<LimeTextOptions>(given)});
  work->column = text_column(input, work->options.text_column, "text_column");
  work->feature = static_cast<std::size_t>(std::find(input.features.begin(), input.features.end(), work->column) -
                                           input.features.begin());
  const WorkPtr shared = work;
  return rows_to_explain(input, work->options.rows, work->options.explain).then([shared](ExplainedRows explained) {
    const RowIds ids = explained.ids;
    return label_rows(shared->input, 1, ids).then([shared, explained](LabelledRows rows) -> Chain<Result> {
      auto found = std::make_shared<Found>();
      found->rows = std::move(rows.named);
      found->explained = explained;
      return next_text(shared, found, 0);
    });
  });
}

}  // namespace

MethodEntry lime_text() {
  MethodEntry entry;
  entry.name = "lime-text";
  entry.about = {.title = "LIME for texts", .short_name = "LIME", .family = Family::local};
  entry.question = "Which words of a text speak for the prediction, and which against it?";
  entry.when = "the model reads texts, and single predictions are to be understood";
  entry.when_not =
      "the order of words decides: a line through texts with words left out knows nothing of it, and such texts may be "
      "unlike any that the model has seen";
  entry.formula = "min Σ w (f(x) − b − Σ_j z_j β_j)² + α Σ β_j², w = √exp(−D²/σ²), D = 1 − √(kept words / words)";
  entry.paper = "Ribeiro, Singh & Guestrin 2016, \"Why should I trust you?\"; Mardaoui & Garreau 2021";
  entry.scopes = {Scope::local};
  entry.results = {"marked_text"};
  entry.expresses = "what words add to the prediction, near the text";
  entry.cost = "samples per text, fewer where texts are short";
  entry.needs.texts = true;
  entry.random = true;
  entry.options = describe_options<LimeTextOptions>();
  entry.start = start;
  return entry;
}

}  // namespace sightglass
