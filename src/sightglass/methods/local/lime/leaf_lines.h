// LIME's line for the margin of a tree ensemble, without samples: what infinitely many would give. A sample's weight is
// a product over features, so that under it features stay independent, each with its own tilted distribution. Then
//   β_j = Cov(f, z_j) / Var(z_j) = Σ_leaves v · D_j · Π_{k ≠ j} A_k,   f₀ = base + Σ_leaves v · Π A_k,
// where A_k is the share of feature k's distribution that meets the leaf's condition on it. Of a feature with bins or
// levels (z = 1 in the row's own one, which has a share q of the weight), with P₁ and P₀ the shares of the condition
// inside the own one and outside,
//   A = q P₁ + (1 − q) P₀,   D = P₁ − P₀: the kernel's width changes q alone.
// Of a number without bins, normal times normal is normal with mean μ and deviation s, and D = E[(z − μ) 1(met)] / s².
// Garreau, von Luxburg (2020), Looking deeper into tabular LIME, has this limit for smooth models and rectangles.
// Products over paths need not be made: with c the share of A that goes left at a split (A of the left part / A of the
// path so far), a tree's mean is found from its leaves up, E = c E_left + (1 − c) E_right, and a split adds to β of its
// feature reach · dc/dq · (E_left − E_right). Cost per row: the splits of all trees, for all widths at once.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sightglass/methods/local/lime/perturbation.h"

namespace sightglass {

// The line is found for so many kernel widths at once: the chosen one, and a sweep from local to global. They fill the
// processor's registers.
inline constexpr std::size_t swept_widths = 8;
// The chosen width is the one at this place.
inline constexpr std::size_t chosen_width = 5;
[[nodiscard]] std::array<double, swept_widths> widths_around(double width);

// How a feature is distributed under the weights of samples around a row, for each width.
struct TiltedFeature {
  TermKind kind = TermKind::cell;
  std::uint32_t own_cell = 0;
  double own = 1;                               // the row's own term
  std::array<double, swept_widths> mean{};      // of the term; q of a cell
  std::array<double, swept_widths> variance{};  // 0: it never varies, and has no coefficient
  std::array<double, swept_widths>
      unchanged{};  // share of the weight where it is the row's own: within one sd, of numbers
  std::array<double, swept_widths> effective{};  // (Σ weight)² / (n Σ weight²)
};
[[nodiscard]] TiltedFeature tilted(const Perturbation& perturbation, std::size_t feature, double value);

// Of one row and output, for each width.
struct ExactLine {
  std::array<double, swept_widths> mean{};                       // f₀
  std::vector<std::array<double, swept_widths>> coefficients{};  // per feature
};

// Lines of the margin.
class ExactLines {
 public:
  virtual ~ExactLines() = default;
  // Of some rows, and of the outputs that are explained, in their order.
  [[nodiscard]] virtual std::vector<std::vector<ExactLine>> lines(
      std::span<const std::vector<TiltedFeature>> rows) const = 0;
  // Of made-up rows, [feature][row]: [row × explained outputs + output].
  [[nodiscard]] virtual std::vector<double> margins(const std::vector<std::vector<double>>& values) const = 0;
};

// Why a line of the margin cannot be read off leaves; empty: it can.
[[nodiscard]] std::string why_not_by_leaves(const MethodInput& input, const LimeOptions& options);
// All must outlive it. explained: rows that will be asked for, whose tables are made.
[[nodiscard]] std::unique_ptr<const ExactLines> lines_of_leaves(const MethodInput& input,
                                                                const Perturbation& perturbation,
                                                                const std::vector<LabelledRow>& explained);

}  // namespace sightglass
