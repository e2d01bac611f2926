#include "sightglass/methods/local/pieces/piece_rows.h"

#include <map>

#include "sightglass/base/error.h"
#include "sightglass/data/new_rows.h"
#include "sightglass/methods/local/lime/shown_pick.h"

namespace sightglass {

Chain<PieceRows> piece_rows(const MethodInput& input, const TextPlace& place, const PieceLineOptions& options,
                            const std::vector<std::int64_t>& rows, const std::optional<std::int64_t>& explain,
                            bool picked) {
  const std::int64_t drawn = explain.value_or(picked ? pieces_picked_from_by_default : pieces_shown_by_default);
  return rows_to_explain(input, rows, drawn).then([=](const ExplainedRows& asked) {
    return label_rows(input, 1, asked.ids).then([=](LabelledRows labelled) {
      return PieceRows{
          .input = input, .place = place, .options = options, .asked = asked, .rows = std::move(labelled.named)};
    });
  });
}

const PieceRow& PieceRows::add(std::size_t at, const PieceSamples& samples, const Matrix& answers) {
  Matrix y(answers.rows(), input.explained.size());
  for (std::size_t i = 0; i < answers.rows(); ++i) {
    for (std::size_t k = 0; k < y.columns(); ++k) y.span()(i, k) = answers(i, input.explained[k]);
  }
  const ForEach for_each = [this](std::string_view about, std::size_t count,
                                  const std::function<void(std::size_t)>& body) { input.for_each(about, count, body); };
  return explained.emplace_back(
      PieceRow{.at = at, .pieces = samples.pieces, .lines = piece_lines(samples, y.span(), options, for_each)});
}

void PieceRows::add_caveats(const char* piece, Result& result) const {
  std::vector<PieceLine> lines;
  std::vector<std::string> names;
  for (const PieceRow& row : explained) {
    for (std::size_t k = 0; k < row.lines.size(); ++k) {
      std::string name = row_text(rows[row.at].id);
      if (row.lines.size() > 1) name += " (" + printable(input.outputs[input.explained[k]], 40) + ")";
      names.push_back(std::move(name));
      lines.push_back(row.lines[k]);
    }
  }
  add_line_caveats(lines, names, piece, result.caveats);
  add_some_rows_caveat(asked, result.caveats);
}

std::vector<std::size_t> PieceRows::pick(const PieceKinds& kinds, std::size_t budget, bool with_texts,
                                         Result& result) const {
  ShownPick shown{.input = &input};
  const auto kind_name = [&](std::size_t, const PickTerm& term) { return kinds.names[term.feature]; };
  shown.term_name = shown.feature_name = kind_name;
  shown.data = [&](std::size_t i) {
    return with_texts ? row_values(input, rows[explained[i].at])
                      : row_values(input, rows[explained[i].at], place.feature);
  };
  for (std::size_t j = 0; j < input.features.size(); ++j) {
    if (with_texts || j != place.feature) shown.features.push_back(input.schema[input.features[j]].name);
  }
  for (std::size_t i = 0; i < explained.size(); ++i) {
    const std::vector<PieceLine>& lines = explained[i].lines;
    PickRow& row = shown.rows.emplace_back(PickRow{.row = rows[explained[i].at].id, .prediction = lines[0].prediction});
    for (std::size_t k = 0; k < lines.size(); ++k) {
      // What cannot be told from 0 shows nothing; pieces of one kind add up.
      std::map<std::size_t, double> adds;
      for (std::size_t p = 0; p < lines[k].pieces.size(); ++p) {
        if (lines[k].is_clear(p)) adds[kinds.of[i][lines[k].pieces[p]]] += lines[k].values[p];
      }
      for (const auto& [kind, value] : adds) row.terms.push_back({.output = k, .feature = kind, .value = value});
    }
  }
  return add_pick(shown, budget, result);
}

Value piece_details(const MethodInput& input, const TextPlace& place, const PieceLine& line) {
  return Value::object({{"column", input.schema[place.column].name},
                        {"local_prediction", line.local_prediction()},
                        {"r2", line.r2},
                        {"stability", line.stability},
                        {"far_share", line.far_share},
                        {"exact", line.exact},
                        {"samples", line.samples}});
}

}  // namespace sightglass
