#include "sightglass/methods/local/lime_text.h"

#include <algorithm>
#include <unordered_map>

#include "sightglass/methods/local/pieces/piece_rows.h"
#include "sightglass/methods/local/pieces/text_words.h"
#include "sightglass/methods/local/pieces/text_writer.h"
#include "sightglass/result/shapes/marked_text.h"

namespace sightglass {

namespace {

struct Work {
  LimeTextOptions options;
  PieceRows rows;
  RowWords words;
  Result result;
};
using WorkPtr = std::shared_ptr<Work>;

MarkedText marked_text(const Work& work, std::uint64_t row, const TextWords& words, const PieceLine& line,
                       std::size_t output) {
  MarkedText item{.output = work.rows.input.outputs[output],
                  .row = row,
                  .text = words.text,
                  .base = line.base,
                  .prediction = line.prediction};
  for (std::size_t i = 0; i < words.places.size(); ++i) {
    const auto at = std::lower_bound(line.pieces.begin(), line.pieces.end(), words.word[i]);
    if (at == line.pieces.end() || *at != words.word[i]) continue;
    const auto k = static_cast<std::size_t>(at - line.pieces.begin());
    MarkedPiece piece{.start = words.places[i].first,
                      .end = words.places[i].last,
                      .value = line.values[k],
                      .together = words.word[i]};
    if (!line.exact) piece.se = line.se[k];
    item.pieces.push_back(piece);
  }
  Value ranges = Value::array();
  for (std::size_t k = 0; k < line.pieces.size(); ++k) {
    ranges.push_back(Value::object({{"together", static_cast<std::uint64_t>(line.pieces[k])},
                                    {"least", line.least[k]},
                                    {"greatest", line.greatest[k]}}));
  }
  item.details = piece_details(work.rows.input, work.rows.place, line);
  item.details.set("words", words.words).set("over_widths", ranges);
  return item;
}

void show(Work& work, const PieceRow& row, const TextWords& words) {
  for (std::size_t k = 0; k < row.lines.size(); ++k)
    work.result.results.emplace_back(
        marked_text(work, work.rows.rows[row.at].id, words, row.lines[k], work.rows.input.explained[k]));
}

// Words of texts are the same where they are spelled the same.
void show_picked(Work& work) {
  PieceKinds kinds;
  std::unordered_map<std::string, std::size_t> known;
  std::vector<TextWords> words;
  for (const PieceRow& row : work.rows.explained) {
    words.push_back(work.words.of(work.rows.input, work.rows.place, work.rows.rows[row.at]));
    std::vector<std::size_t>& of = kinds.of.emplace_back(words.back().words);
    for (std::size_t i = 0; i < words.back().places.size(); ++i) {
      const auto [at, fresh] =
          known.try_emplace(std::string(words.back().places[i].of(words.back().text)), known.size());
      if (fresh) kinds.names.push_back(at->first);
      of[words.back().word[i]] = at->second;
    }
  }
  for (const std::size_t i : work.rows.pick(kinds, static_cast<std::size_t>(work.options.pick), true, work.result))
    show(work, work.rows.explained[i], words[i]);
}

Chain<Result> next_text(const WorkPtr& work, std::size_t at) {
  const MethodInput& input = work->rows.input;
  const LimeTextOptions& options = work->options;
  for (; at < work->rows.rows.size(); ++at) {
    const LabelledRow& row = work->rows.rows[at];
    const auto words = std::make_shared<const TextWords>(work->words.of(input, work->rows.place, row));
    if (words->words == 0) continue;
    const auto samples = std::make_shared<const PieceSamples>(
        draw_pieces(words->words, static_cast<std::size_t>(options.samples), PieceDraw::sizes, input.seed, row.id));
    const auto writer = std::make_shared<const TextWriter>(*words, options.mask);
    return ask(MadeTexts{.place = made_place(input, work->rows.place, row),
                         .rows = samples->rows,
                         .longest = writer->longest(),
                         .write = [words, writer, samples](
                                      std::size_t i, TextBatch& texts) { writer->write(samples->row(i), texts); }})
        .then([work, at, words, samples](const Matrix& answers) {
          const PieceRow& explained = work->rows.add(at, *samples, answers);
          if (work->options.pick == 0) show(*work, explained, *words);
          return next_text(work, at + 1);
        });
  }
  if (options.pick > 0 && !work->rows.explained.empty()) show_picked(*work);
  work->words.add_caveats(input, work->rows.place, work->result);
  work->rows.add_caveats("word", work->result);
  return work->result;
}

Chain<Result> start(const MethodInput& input, const Value& given) {
  const auto options = read_options<LimeTextOptions>(given);
  const TextPlace place = text_place(input, options.text_column, "text_column");
  return piece_rows(input, place, line_options(options), options.rows, options.explain, options.pick > 0)
      .then([options](const PieceRows& rows) {
        const RowWords words(options.places, static_cast<std::size_t>(options.most_words));
        return next_text(std::make_shared<Work>(Work{.options = options, .rows = rows, .words = words}), 0);
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
  entry.scopes = {Scope::local, Scope::global};
  entry.results = {"marked_text", "examples", "figure"};
  entry.expresses = "what words add to the prediction, near the text";
  entry.cost = "samples per text, fewer where texts are short";
  entry.needs.texts = true;
  entry.random = true;
  entry.options = describe_options<LimeTextOptions>();
  entry.start = start;
  return entry;
}

}  // namespace sightglass
