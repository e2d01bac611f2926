#include "sightglass/methods/local/lime_image.h"

#include <algorithm>

#include "sightglass/base/deflate.h"
#include "sightglass/base/error.h"
#include "sightglass/data/new_rows.h"
#include "sightglass/methods/local/pieces/picture_regions.h"
#include "sightglass/methods/local/pieces/piece_rows.h"
#include "sightglass/methods/local/pieces/region_kinds.h"
#include "sightglass/result/shapes/marked_picture.h"

namespace sightglass {

namespace {

constexpr std::size_t most_segments = 4000;

struct Work {
  LimeImageOptions options;
  PieceRows rows;
  std::vector<RegionLook> looks;  // of all regions of the explained pictures, where some are picked
  Result result;
};
using WorkPtr = std::shared_ptr<Work>;

PictureRegions regions_of(const Work& work, const LabelledRow& row) {
  const MethodInput& input = work.rows.input;
  const std::string where = row_text(row.id) + ", column " + printable(input.schema[work.rows.place.column].name, 60);
  const std::string* text = text_of(input, work.rows.place, row);
  if (text == nullptr) throw Error(ErrorKind::data, where + ": there is no picture");
  Picture whole = picture_from_text(*text, where);
  Segments segments =
      superpixels(whole, static_cast<std::size_t>(work.options.segments), *input.context, work.options.compactness);
  if (segments.count > most_segments)
    throw Error(ErrorKind::usage, where + " comes apart into " + std::to_string(segments.count) + " regions",
                marked("lower {option:segments}"));
  return {std::move(whole), std::move(segments), work.options.hide == "mean"};
}

// kinds: what the regions are called, where pictures are compared.
void show(Work& work, const PieceRow& row, const PictureRegions& picture, const Value& kinds = {}) {
  const std::string png = base64(write_png(picture.whole)), runs = segment_runs(picture.segments.of);
  for (std::size_t k = 0; k < row.lines.size(); ++k) {
    const PieceLine& line = row.lines[k];
    MarkedPicture item{.output = work.rows.input.outputs[work.rows.input.explained[k]],
                       .row = work.rows.rows[row.at].id,
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
    item.details = piece_details(work.rows.input, work.rows.place, line);
    item.details.set("segments", picture.segments.count);
    if (!kinds.is_null()) item.details.set("kinds", kinds);
    work.result.results.emplace_back(std::move(item));
  }
}

// Regions of pictures are the same where they look alike.
void show_picked(Work& work) {
  const RegionKinds found = region_kinds(work.looks, static_cast<std::size_t>(work.options.kinds));
  PieceKinds kinds{.names = found.names};
  std::size_t first = 0;
  for (const PieceRow& row : work.rows.explained) {
    const std::size_t regions = row.pieces;
    kinds.of.emplace_back(found.of.begin() + static_cast<std::ptrdiff_t>(first),
                          found.of.begin() + static_cast<std::ptrdiff_t>(first + regions));
    first += regions;
  }
  for (const std::size_t i : work.rows.pick(kinds, static_cast<std::size_t>(work.options.pick), false, work.result)) {
    const PieceRow& row = work.rows.explained[i];
    Value names = Value::array();
    for (const std::size_t kind : kinds.of[i]) names.push_back(kinds.names[kind]);
    show(work, row, regions_of(work, work.rows.rows[row.at]), names);
  }
}

Chain<Result> next_picture(const WorkPtr& work, std::size_t at) {
  if (at == work->rows.rows.size()) {
    if (work->options.pick > 0) show_picked(*work);
    work->rows.add_caveats("region", work->result);
    return work->result;
  }
  const MethodInput& input = work->rows.input;
  const LabelledRow& row = work->rows.rows[at];
  const auto picture = std::make_shared<const PictureRegions>(regions_of(*work, row));
  const auto samples = std::make_shared<const PieceSamples>(draw_pieces(
      picture->segments.count, static_cast<std::size_t>(work->options.samples), PieceDraw::coins, input.seed, row.id));
  return ask(MadePictures{.place = made_place(input, work->rows.place, row),
                          .rows = samples->rows,
                          .width = picture->whole.width,
                          .height = picture->whole.height,
                          .write = [picture, samples](std::size_t i,
                                                      std::uint8_t* rgb) { picture->write(samples->row(i), rgb); }})
      .then([work, at, picture, samples](const Matrix& answers) {
        const PieceRow& explained = work->rows.add(at, *samples, answers);
        if (work->options.pick > 0) {
          for (const RegionLook& look : region_looks(picture->whole, picture->segments)) work->looks.push_back(look);
        } else {
          show(*work, explained, *picture);
        }
        return next_picture(work, at + 1);
      });
}

Chain<Result> start(const MethodInput& input, const Value& given) {
  const auto options = read_options<LimeImageOptions>(given);
  const TextPlace place = text_place(input, options.image_column, "image_column");
  return piece_rows(input, place, line_options(options), options.rows, options.explain, options.pick > 0)
      .then([options](const PieceRows& rows) {
        return next_picture(std::make_shared<Work>(Work{.options = options, .rows = rows}), 0);
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
  entry.scopes = {Scope::local, Scope::global};
  entry.results = {"marked_picture", "examples", "figure"};
  entry.expresses = "what regions add to the prediction, near the picture";
  entry.cost = "samples per picture, fewer where it has few regions";
  entry.needs.pictures = true;
  entry.random = true;
  entry.options = describe_options<LimeImageOptions>();
  entry.start = start;
  return entry;
}

}  // namespace sightglass
