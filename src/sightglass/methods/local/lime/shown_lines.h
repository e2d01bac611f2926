// Explanations as items of a result, and what to beware of in them.
#pragma once

#include <vector>

#include "sightglass/methods/local/lime/off_data.h"
#include "sightglass/methods/local/lime/row_lines.h"
#include "sightglass/result/result.h"
#include "sightglass/result/shapes/terms.h"
#include "sightglass/result/shapes/width_sweep.h"

namespace sightglass {

// "12.1 < temp <= 18.4", "temp".
[[nodiscard]] LinearTerm shown_term(const MethodInput& input, const Perturbation& perturbation, const RowLine& line,
                                    std::size_t term, double own_value);
[[nodiscard]] Terms shown_line(const MethodInput& input, const RowExplainer& explainer, const LabelledRow& row,
                               const RowLine& line);

// What the line of this row says at other widths of the kernel.
[[nodiscard]] WidthSweep shown_sweep(const MethodInput& input, const RowExplainer& explainer, const LabelledRow& row,
                                     const RowLine& line);

// Of all rows that are explained together: low fidelity, instability, widths that decide.
void add_line_caveats(const MethodInput& input, const RowExplainer& explainer, const std::vector<RowLine>& lines,
                      std::vector<Caveat>& caveats);
// Where the model behaves otherwise off the data, of one explained output.
void add_off_data_caveat(const MethodInput& input, const std::vector<RowLine>& lines, std::size_t output,
                         const OffData& off, std::vector<Caveat>& caveats);

}  // namespace sightglass
