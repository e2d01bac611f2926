#include "sightglass/methods/rows/explained_rows.h"

#include "sightglass/methods/run/row_sample.h"

namespace sightglass {

namespace {

constexpr std::uint64_t explained_stream = 0x726f'7773'746f;  // "rowsto"

}  // namespace

Chain<ExplainedRows> rows_to_explain(const MethodInput& input, const std::vector<std::int64_t>& rows,
                                     std::int64_t explain) {
  if (std::optional<RowIds> named = named_rows(input, rows)) {
    return ExplainedRows{.ids = std::move(*named), .named = true};
  }
  return draw_rows(input, {}, static_cast<std::uint64_t>(explain), explained_stream).then([](RowSample drawn) {
    return ExplainedRows{.ids = std::move(drawn.ids), .available = drawn.available};
  });
}

void add_some_rows_caveat(const ExplainedRows& rows, std::vector<Caveat>& caveats) {
  if (rows.named || rows.ids.size() >= rows.available) return;
  caveats.push_back({.id = "some-rows",
                     .severity = Severity::note,
                     .message = std::to_string(rows.ids.size()) + " of " + std::to_string(rows.available) +
                                " rows are explained, drawn at random",
                     .evidence = Value::object({{"rows", rows.ids.size()}, {"available", rows.available}}),
                     .advice = marked("set {option:explain} to 0 for all rows, or name {option:rows|rows}")});
}

}  // namespace sightglass
