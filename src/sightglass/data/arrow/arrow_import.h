// Tables from other libraries in the same process (pyarrow, polars, pandas, DuckDB) through the Arrow C stream
// interface: no library is linked, and where a column comes in one piece of a type we know, nothing is copied.
#pragma once

#include <string>
#include <vector>

#include "sightglass/data/table.h"

struct ArrowArrayStream;  // as the Arrow C stream interface defines it

namespace sightglass {

struct ImportOptions {
  // Columns whose type is overruled: numbers read as levels ("1", "2", "10"), text read as numbers.
  std::vector<std::string> categorical;
  std::vector<std::string> numeric;
};

// Reads the stream to its end and releases it, also when this throws. The table keeps the arrays it borrows
// alive. Its notes say which columns were copied, converted or left out.
//
// Text becomes categories with levels sorted bytewise; a dictionary keeps its levels, their order and its
// ordered flag. Dates and times become numbers of days or seconds. Lengths, offsets, indices and text are
// checked (the sizes of buffers cannot be: the interface does not tell them). Throws Error(data) on what is
// inconsistent, Error(usage) on options that do not fit.
[[nodiscard]] Table import_arrow_stream(ArrowArrayStream* stream, const ImportOptions& options = {});

}  // namespace sightglass
