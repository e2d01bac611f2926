// The penalised quadratic of a Newton step where many terms are levels: minimises
//   Σ over rows of slope · d + ½ curvature · d² + λ Σ over columns of p (α |β| + ½ (1 − α) β²),   d = change of η
// by coordinate descent over the rows themselves. A level has few of them, and no two of a feature share one, so that a
// pass over the levels of a feature costs no more than the rows: no products of columns are needed.
// Friedman, Hastie and Tibshirani 2010, section 2.1 (naive updates) and 2.2 (sparse updates).
// Cost: a pass is rows × (features of levels + numbers in the model).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/learn/linear/coordinate_descent.h"
#include "sightglass/learn/linear/design.h"

namespace sightglass {

class RowDescent {
 public:
  explicit RowDescent(const Design& design);

  struct Start {
    std::span<const double> slopes, curvature;  // per row
    std::span<const std::uint32_t> columns;     // that may change
    std::span<const double> column_penalty;     // p, per column of the design
    double intercept;
    std::span<const double> coefficients;  // per column of the design
  };
  struct Found {
    double intercept = 0;
    std::vector<double> coefficients = {};  // per column of the design
    double change = 0;                      // of the quadratic, without the penalty
  };
  // Until a pass changes no column's part in the fit by more than `change`, squared.
  [[nodiscard]] Found settle(const Start& start, const Penalty& penalty, double change, const Context& context) const;

 private:
  const Design& design_;
  std::vector<std::vector<std::uint32_t>> rows_;  // per feature of levels, by column
  std::vector<std::size_t> begin_, end_;          // of each column's rows there
  std::vector<std::uint32_t> list_;               // which of them
};

}  // namespace sightglass
