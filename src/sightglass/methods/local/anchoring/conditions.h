// What rules are made of: the values of each feature in cells (quarters of a number, levels, missing values as a cell
// of their own), and conditions, which are runs of cells with that of the explained row in them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sightglass/learn/rules/row_bits.h"
#include "sightglass/methods/rows/labelled_rows.h"
#include "sightglass/methods/run/method.h"
#include "sightglass/result/shapes/shown_condition.h"

namespace sightglass {

// A feature's value lies in one of the cells from `first` to `last`.
struct CellCondition {
  std::uint32_t feature = 0;  // position in MethodInput::features
  std::uint32_t first = 0, last = 0;

  friend auto operator<=>(const CellCondition&, const CellCondition&) = default;
};
using CellRule = std::vector<CellCondition>;  // by feature, each at most once

class FeatureCells {
 public:
  // Of a number: at most `bins` cells of about equally many rows, or each value a cell where there are so few. By the
  // split points that are nearest to these borders, if some are given.
  FeatureCells(const ColumnInfo& column, const std::vector<double>& values, const std::vector<double>& weights,
               std::size_t bins, const std::optional<std::vector<double>>& splits);

  // All but that of missing values, which has the number behind the last.
  [[nodiscard]] std::uint32_t cells() const { return cells_; }
  [[nodiscard]] std::uint32_t missing() const { return cells_; }
  [[nodiscard]] std::uint32_t cell(double value) const;
  // Whether they have an order; levels have none.
  [[nodiscard]] bool ordered() const { return !categorical_; }
  // Those that a row with this value meets, widest first; not the one that all values meet.
  [[nodiscard]] std::vector<CellCondition> conditions(std::uint32_t feature, double value) const;
  [[nodiscard]] ShownCondition shown(const CellCondition& condition, const ColumnInfo& column) const;

 private:
  bool categorical_ = false;
  bool border_is_right_ = false;  // a value that is a border belongs to the cell on its right, as split points do
  std::vector<double> borders_;
  std::uint32_t cells_ = 1;
};

// Rows by their cells.
class CelledRows {
 public:
  // values: [feature][row].
  CelledRows(const MethodInput& input, const std::vector<FeatureCells>& features,
             const std::vector<std::vector<double>>& values);

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t words() const { return (rows_ + rows_per_word - 1) / rows_per_word; }
  [[nodiscard]] std::uint32_t cell(std::size_t feature, std::size_t row) const { return cells_[feature][row]; }
  // A bit for each row that meets it.
  void write_bits(const CellCondition& condition, RowWord* bits) const;
  [[nodiscard]] std::vector<RowWord> bits(const CellRule& rule) const;

 private:
  void scan(const CellCondition& condition, RowWord* bits) const;

  std::size_t rows_ = 0;
  std::vector<std::vector<std::uint32_t>> cells_;
  std::vector<RowSetTable> until_;  // of numbers: rows in each cell and those before it
};

// Rows as they might be: every feature is drawn from the data by itself, those of a rule within the rule. Rows that
// meet a rule among rows drawn without one are therefore rows drawn with the rule held.
class PerturbedRows {
 public:
  // most_listed: rows that all() may have. The input must outlive this.
  PerturbedRows(const MethodInput& input, const LabelledRows& rows, const CelledRows& celled, std::size_t most_listed);

  // [feature][draw], the draws from `first` on. stream: keeps different uses apart.
  [[nodiscard]] std::vector<std::vector<double>> draw(const CellRule& held, std::uint64_t stream, std::uint64_t first,
                                                      std::size_t count) const;

  // All of these rows, each once, and how likely it is to be drawn. Values that the model cannot tell apart count as
  // one: those between the same split points of a tree ensemble.
  struct All {
    std::vector<std::vector<double>> values;  // [feature][row]
    std::vector<double> chances;
  };
  // Nothing if there are too many.
  [[nodiscard]] std::optional<All> all(const CellRule& held) const;

 private:
  // Values of a feature, cell by cell.
  struct ByCell {
    std::vector<double> values;
    std::vector<std::size_t> first;  // of each cell; cells behind the last that any row has are not there
    std::vector<double> until;       // of weighted rows: what those before weigh, and all
    // By cell and by what the model makes of them: one of the values, and what they weigh together. Empty if there are
    // too many.
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::pair<double, double>> kinds;
  };
  struct Places {
    std::size_t begin = 0, end = 0;
  };
  // Values that meet a condition, or all, lie side by side.
  [[nodiscard]] static Places places(const ByCell& from, const CellCondition* held);
  void draw_feature(const ByCell& from, const CellCondition* held, std::uint64_t stream, std::uint64_t first,
                    std::span<double> drawn) const;

  void add_kinds(std::size_t feature, const LabelledRows& rows, const CelledRows& celled);

  const MethodInput& input_;
  std::size_t most_listed_;
  std::vector<ByCell> features_;
};

// What a rule of one row can be made of, as sets of rows of the data and of perturbed rows.
class RowConditions {
 public:
  struct Condition {
    CellCondition cells;
    std::size_t set = 0;  // in both tables
  };

  // values: of the row that is explained. Conditions that no row of the data meets are left out, and those that all
  // meet.
  RowConditions(const std::vector<FeatureCells>& features, const std::vector<double>& values, const CelledRows& rows,
                const CelledRows& perturbed);

  [[nodiscard]] const std::vector<std::vector<Condition>>& by_feature() const { return by_feature_; }
  [[nodiscard]] const RowWord* rows(const Condition& condition) const { return rows_[condition.set]; }
  [[nodiscard]] const RowWord* perturbed(const Condition& condition) const { return perturbed_[condition.set]; }
  // How many rules of so many conditions there are.
  [[nodiscard]] double rules(std::size_t size) const;

 private:
  std::vector<std::vector<Condition>> by_feature_;  // features without any are not there
  RowSetTable rows_, perturbed_;
};

}  // namespace sightglass
