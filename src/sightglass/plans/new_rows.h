// Rows of one table explained by all that is known of another: how what was asked becomes a run that any method
// understands, and how its result speaks of the rows again.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "sightglass/base/context.h"
#include "sightglass/data/new_rows.h"
#include "sightglass/methods/run/other_tables.h"
#include "sightglass/result/result.h"

namespace sightglass {

// From where an option says. Errors begin with its name.
[[nodiscard]] std::shared_ptr<const Table> read_table(const std::string& place, std::string_view option,
                                                      const Context& context);
// What results call it: no folders.
[[nodiscard]] std::string file_name(const std::string& place);

class NewRowsRun {
 public:
  // told: OtherTablesOptions; options: all others, under their own names. Throws Error where the tables do not go
  // together, or a row is named that is not there.
  NewRowsRun(const MethodEntry& entry, const Value& told, const Value& options, const Source& source,
             const OtherTables& tables, Context& context);

  // What the run is about, and what it is told.
  [[nodiscard]] const Table& data() const { return *both_.data; }
  [[nodiscard]] const std::shared_ptr<const NewRows>& new_rows() const { return both_.rows; }
  [[nodiscard]] const Value& options() const { return options_; }

  // Rows are numbered as in their own table, and have their labels; the record says what was asked.
  void finish(Result& result) const;

 private:
  DataAndNewRows both_;
  Value told_, options_, asked_rows_;
  OptionSpec rows_option_;
  std::uint64_t explained_ = 0;
  bool drawn_ = false;  // these, at random
};

// Rows get the names that they have in the table.
void label_rows(const Source& source, Result& result);

}  // namespace sightglass
