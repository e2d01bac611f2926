#include "sightglass/methods/local/lime_image.h"

#include <algorithm>
#include <cmath>

#include "sightglass/base/deflate.h"
#include "sightglass/base/error.h"
#include "sightglass/methods/local/pieces/picture_regions.h"
#include "sightglass/methods/local/pieces/piece_line.h"
#include "sightglass/methods/local/pieces/text_columns.h"
#include "sightglass/methods/rows/explained_rows.h"
#include "sightglass/methods/rows/labelled_rows.h"
#include "sightglass/methods/run/made_texts.h"
#include "sightglass/result/shapes/marked_picture.h"

namespace sightglass {

namespace {

constexpr std::size_t most_segments = 4000;

struct Work {
  MethodInput input;
  LimeImageOptions options;
  std::uint32_t column = 0;
  std::size_t feature = 0;  // place of the column among the model's
};
using WorkPtr = std::shared_ptr<const Work>;

struct Found {
  std::vector<LabelledRow> rows;
  std::vector<ResultItem> items;
  std::vector<PieceLine> lines;
  std::vector<std::string> names;
  ExplainedRows explained;
};
using FoundPtr = std::shared_ptr<Found>;

void add_lines(const Work& work, Found& found, std::size_t at, const PictureRegions& picture,
               const PieceSamples& samples, const Matrix& answers) {
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
  const std::string png = base64(write_png(picture.whole)), runs = segment_runs(picture.segments.of);
  std::vector<PieceLine> lines = piece_lines(samples, y.span(), told, for_each);
  const std::uint64_t row = found.rows[at].id;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const PieceLine& line = lines[k];
    MarkedPicture item{.output = input.outputs[input.explained[k]],
                       .row = row,
                       .width = picture.whole.width,
                       .height = picture.whole.height,
                       .picture = png,
                       .segments = runs,
                       .values = std::vector<double>(picture.segments.count),
                       .base = line.base,
                       .prediction = line.prediction};
    if (!line.exact) item.se.resize(picture.segments.count);
    for (std::size_t i = 0; i < line.pieces.size(); ++i) {
      item.values[line.pieces[i]] = line.values[i];
      if (!line.exact) item.se[line.pieces[i]] = line.se[i];
    }
    item.details.set("column", input.schema[work.column].name)
        .set("local_prediction", line.local_prediction())
        .set("r2", line.r2)
        .set("stability", line.stability)
        .set("far_share", line.far_share)
        .set("exact", line.exact)
        .set("samples", line.samples)
        .set("segments", picture.segments.count);
    found.items.emplace_back(std::move(item));
    std::string name = "row " + std::to_string(row);
    if (lines.size() > 1) name += " (" + printable(input.outputs[input.explained[k]], 40) + ")";
    found.names.push_back(std::move(name));
  }
  std::move(lines.begin(), lines.end(), std::back_inserter(found.lines));
}

Result result_of(const Found& found) {
  Result result;
  result.results = found.items;
  add_line_caveats(found.lines, found.names, "region", result.caveats);
  add_some_rows_caveat(found.explained, result.caveats);
  return result;
}

Chain<Result> next_picture(const WorkPtr& work, const FoundPtr& found, std::size_t at) {
  if (at == found->rows.size()) return result_of(*found);
  const MethodInput& input = work->input;
  const LimeImageOptions& options = work->options;
  const LabelledRow& row = found->rows[at];
  const std::string where =
      "row " + std::to_string(row.id) + ", column " + printable(input.schema[work->column].name, 60);
  const double code = row.values[work->feature];
  if (std::isnan(code)) throw Error(ErrorKind::data, where + ": there is no picture");
  Picture whole =
      picture_from_text(input.schema[work->column].dictionary->level(static_cast<std::int32_t>(code)), where);
  Segments segments =
      superpixels(whole, static_cast<std::size_t>(options.segments), *input.context, options.compactness);
  if (segments.count > most_segments)
    throw Error(ErrorKind::usage, where + " comes apart into " + std::to_string(segments.count) + " regions",
                marked("lower {option:segments}"));
  const auto picture =
      std::make_shared<const PictureRegions>(std::move(whole), std::move(segments), options.hide == "mean");
  const auto samples = std::make_shared<const PieceSamples>(draw_pieces(
      picture->segments.count, static_cast<std::size_t>(options.samples), PieceDraw::coins, input.seed, row.id));
  return ask(MadePictures{.place = {.schema = &input.schema,
                                    .columns = input.features,
                                    .values = row.values,
                                    .column = work->column,
                                    .where = "row " + std::to_string(row.id)},
                          .rows = samples->rows,
                          .width = picture->whole.width,
                          .height = picture->whole.height,
                          .write = [picture, samples](std::size_t i,
                                                      std::uint8_t* rgb) { picture->write(samples->row(i), rgb); }})
      .then([work, found, at, picture, samples](const Matrix& answers) {
        add_lines(*work, *found, at, *picture, *samples, answers);
        return next_picture(work, found, at + 1);
      });
}

Chain<Result> start(const MethodInput& input, const Value& given) {
  auto work = std::make_shared<Work>(Work{.input = input, .options = read_options<LimeImageOptions>(given)});
  work->column = text_column(input, work->options.image_column, "image_column");
  work->feature = static_cast<std::size_t>(std::find(input.features.begin(), input.features.end(), work->column) -
                                           input.features.begin());
  const WorkPtr shared = work;
  return rows_to_explain(input, work->options.rows, work->options.explain).then([shared](ExplainedRows explained) {
    const RowIds ids = explained.ids;
    return label_rows(shared->input, 1, ids).then([shared, explained](LabelledRows rows) {
      auto found = std::make_shared<Found>();
      found->rows = std::move(rows.named);
      found->explained = explained;
      return next_picture(shared, found, 0);
    });
  });
}

}  // namespace

MethodEntry lime_image() {
  MethodEntry entry;
  entry.name = "lime-image";
  entry.about = {.title = "LIME for pictures", .short_name = "LIME", .family = Family::local};
  entry.question = "Which regions of a picture speak for the prediction, and which against it?";
  entry.when = "the model sees pictures, and single predictions are to be understood";
  entry.when_not =
      "single pixels decide, or regions only together: pictures with hidden regions may be unlike any that the model "
      "has "
      "seen";
  entry.formula = "min Σ w (f(x) − b − Σ_j z_j β_j)² + α Σ β_j², w = √exp(−D²/σ²), D = 1 − √(shown / segments)";
  entry.paper = "Ribeiro, Singh & Guestrin 2016, \"Why should I trust you?\"; Achanta et al. 2012 (SLIC)";
  entry.scopes = {Scope::local};
  entry.results = {"marked_picture"};
  entry.expresses = "what regions add to the prediction, near the picture";
  entry.cost = "samples per picture, fewer where it has few regions";
  entry.needs.pictures = true;
  entry.random = true;
  entry.options = describe_options<LimeImageOptions>();
  entry.start = start;
  return entry;
}

}  // namespace sightglass
