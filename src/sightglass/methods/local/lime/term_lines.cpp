#include "sightglass/methods/local/lime/term_lines.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sightglass/model/feature_columns_internal.h"
#include "sightglass/model/learned/learned_model.h"

namespace sightglass {

namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();
// Whole numbers that are summed one by one; among more of them rounding evens out.
constexpr double most_whole = 4096;

double times_density(double z) { return std::isfinite(z) ? z * normal_density(z) : 0; }

const TermStructure* added_terms(const MethodInput& input) {
  return input.learned == nullptr ? nullptr : std::get_if<TermStructure>(&input.learned->structure());
}

// How the model reads a column: as it is, but for levels.
std::vector<FeatureColumn> columns_of(const MethodInput& input) {
  std::vector<FeatureColumn> found;
  bool plain = true;
  for (std::size_t j = 0; j < input.features.size(); ++j) {
    found.push_back({.column = input.features[j]});
    plain =
        plain && !input.schema[input.features[j]].has_levels() && !input.learned->signature().features[j].categorical;
  }
  if (plain) return found;
  found = match_columns(input.learned->signature(), input.schema, {}).features;
  for (std::size_t j = 0; j < found.size(); ++j) {
    if (found[j].column != input.features[j]) return {};
  }
  return found;
}

// g(x) = constant + slope · x from one number to another.
struct Piece {
  double from, to, constant, slope;
};

// A normal distribution between two numbers.
struct CutNormal {
  double mean, sd, low = -unbounded, high = unbounded;
};

struct Moments {
  double mean = 0, with = 0;  // E g(x), and E g(x) u, where u is how many deviations x is from the mean
};

Moments moments_of(const std::vector<Piece>& pieces, const CutNormal& normal) {
  const auto place = [&](double x) { return (std::clamp(x, normal.low, normal.high) - normal.mean) / normal.sd; };
  Moments found;
  for (const Piece& piece : pieces) {
    const double a = place(piece.from), b = place(piece.to);
    if (!(a < b)) continue;
    const double mass = normal_share(b) - normal_share(a), first = normal_density(a) - normal_density(b);
    const double middle = piece.slope == 0 ? piece.constant : piece.constant + piece.slope * normal.mean;
    found.mean += middle * mass + piece.slope * normal.sd * first;
    found.with += middle * first + piece.slope * normal.sd * (mass - times_density(b) + times_density(a));
  }
  const double all = normal_share(place(unbounded)) - normal_share(place(-unbounded));
  return {found.mean / all, found.with / all};
}

// What a term makes of one feature: its number, or whether it meets the conditions.
class Factor {
 public:
  Factor(const Term& term, std::size_t feature) : term_(term), feature_(feature) {
    for (const TermCondition& condition : term.conditions) {
      if (condition.feature == feature) conditions_.push_back(&condition);
    }
  }

  [[nodiscard]] std::size_t feature() const { return feature_; }
  // Of a number as the model reads it.
  [[nodiscard]] double value(double number) const {
    if (conditions_.empty()) return std::isnan(number) ? term_.missing : std::clamp(number, term_.low, term_.high);
    return std::all_of(conditions_.begin(), conditions_.end(), [&](const auto* each) { return meets(*each, number); });
  }
  // Along the numbers that a normal distribution draws, which become whole where the column's are.
  [[nodiscard]] std::vector<Piece> pieces(const CutNormal& normal, bool whole) const {
    const double low = std::max(normal.low, normal.mean - 10 * normal.sd),
                 high = std::min(normal.high, normal.mean + 10 * normal.sd);
    std::vector<Piece> found;
    if (whole && high - low <= most_whole) {
      const double first = std::round(low), last = std::round(high);
      // Counted: beyond 2^53 adding 1 may change nothing.
      const auto steps = static_cast<std::size_t>(last - first);
      for (std::size_t step = 0; step <= steps; ++step) {
        const double x = first + static_cast<double>(step);
        found.push_back({step == 0 ? -unbounded : x - 0.5, step == steps ? unbounded : x + 0.5, value(x), 0});
      }
      return found;
    }
    if (conditions_.empty())
      return {
          {-unbounded, term_.low, term_.low, 0}, {term_.low, term_.high, 0, 1}, {term_.high, unbounded, term_.high, 0}};
    double above = -unbounded, at_most = unbounded;
    for (const TermCondition* each : conditions_) {
      above = std::max(above, each->above);
      at_most = std::min(at_most, each->at_most);
    }
    return {{above, at_most, 1, 0}};
  }

 private:
  const Term& term_;
  std::size_t feature_;
  std::vector<const TermCondition*> conditions_;
};

// E g and D, for each width.
struct Tilted {
  std::array<double, swept_widths> mean{}, difference{};
};

class TermLines : public ExactLines {
 public:
  TermLines(const MethodInput& input, const Perturbation& perturbation)
      : input_(input), perturbation_(perturbation), structure_(*added_terms(input)), columns_(columns_of(input)) {
    for (const Term& term : structure_.terms) {
      std::vector<Part>& parts = terms_.emplace_back();
      std::vector<std::size_t> features{term.feature};
      if (!term.conditions.empty()) features.clear();
      for (const TermCondition& condition : term.conditions) features.push_back(condition.feature);
      std::sort(features.begin(), features.end());
      features.erase(std::unique(features.begin(), features.end()), features.end());
      for (const std::size_t j : features) parts.push_back({Factor(term, j)});
    }
    input.for_each("lime", terms_.size(), [&](std::size_t t) {
      for (Part& part : terms_[t]) part.in_cell = sums_by_cell(part.factor, columns_[part.factor.feature()]);
    });
  }

  [[nodiscard]] std::vector<std::vector<ExactLine>> lines(
      std::span<const std::vector<TiltedFeature>> rows) const override {
    std::vector<std::vector<ExactLine>> found;
    for (const std::vector<TiltedFeature>& features : rows) found.push_back(lines_of(features));
    return found;
  }

  [[nodiscard]] std::vector<double> margins(const std::vector<std::vector<double>>& values) const override {
    const std::size_t outputs = input_.explained.size(), rows = values.front().size();
    std::vector<double> row(values.size()), found(rows * outputs);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < values.size(); ++j) row[j] = columns_[j].translate(values[j][i]);
      for (std::size_t k = 0; k < outputs; ++k) found[i * outputs + k] = structure_.intercept[input_.explained[k]];
      for (const Term& term : structure_.terms) {
        const double value = term_value(term, row);
        for (std::size_t k = 0; k < outputs; ++k) found[i * outputs + k] += term.weights[input_.explained[k]] * value;
      }
    }
    return found;
  }

 private:
  struct Part {
    Factor factor;
    std::vector<double> in_cell = {};  // E g(x) 1(x in this cell)
  };

  [[nodiscard]] std::vector<ExactLine> lines_of(const std::vector<TiltedFeature>& features) const {
    std::vector<ExactLine> found(input_.explained.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
      found[k].mean.fill(structure_.intercept[input_.explained[k]]);
      found[k].coefficients.assign(features.size(), {});
    }
    for (std::size_t t = 0; t < terms_.size(); ++t) {
      std::vector<Tilted> tilted;
      for (const Part& part : terms_[t]) tilted.push_back(tilt(part, features[part.factor.feature()]));
      for (std::size_t lane = 0; lane < swept_widths; ++lane) add_term(t, tilted, lane, found);
    }
    for (ExactLine& line : found) {
      for (std::size_t j = 0; j < features.size(); ++j) {
        for (std::size_t lane = 0; lane < swept_widths; ++lane) {
          if (!(features[j].variance[lane] > 0)) line.coefficients[j][lane] = 0;
        }
      }
    }
    return found;
  }

  // As samples are drawn: from the rows, or from a normal distribution inside the cell.
  [[nodiscard]] std::vector<double> sums_by_cell(const Factor& factor, const FeatureColumn& column) const {
    const LabelledRows& rows = perturbation_.rows();
    const PerturbedFeature& feature = perturbation_.feature(factor.feature());
    std::vector<double> sums(feature.shares.size(), 0);
    double total = 0;
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      total += rows.weights[row];
      if (!(rows.weights[row] > 0)) continue;
      sums[feature.cell_of_row[row]] +=
          rows.weights[row] * factor.value(column.translate(rows.values[factor.feature()][row]));
    }
    for (double& sum : sums) sum /= total;
    if (feature.levels) return sums;
    for (std::uint32_t cell = 0; cell < feature.missing_cell(); ++cell) {
      const auto normal = drawn_from(feature, cell);
      if (normal) sums[cell] = feature.shares[cell] * moments_of(factor.pieces(*normal, feature.whole), *normal).mean;
    }
    return sums;
  }

  [[nodiscard]] std::optional<CutNormal> drawn_from(const PerturbedFeature& feature, std::uint32_t cell) const {
    if (feature.bins.empty()) return feature.sd > 0 ? std::optional(CutNormal{feature.mean, feature.sd}) : std::nullopt;
    const PerturbedFeature::Bin& bin = feature.bins[cell];
    if (!perturbation_.normal() || !(bin.sd > 0) || !std::isfinite(bin.sd)) return std::nullopt;
    return CutNormal{bin.mean, bin.sd, bin.low, bin.high};
  }

  [[nodiscard]] Tilted tilt(const Part& part, const TiltedFeature& feature) const {
    const PerturbedFeature& known = perturbation_.feature(part.factor.feature());
    Tilted found;
    if (feature.kind == TermKind::cell) {
      const double share = known.shares[feature.own_cell], own = part.in_cell[feature.own_cell];
      double others = 0;
      for (std::size_t cell = 0; cell < part.in_cell.size(); ++cell)
        others += cell == feature.own_cell ? 0 : part.in_cell[cell];
      const double inside = share > 0 ? own / share : 0, outside = share < 1 ? others / (1 - share) : inside;
      for (std::size_t lane = 0; lane < swept_widths; ++lane) {
        found.difference[lane] = share > 0 ? inside - outside : 0;
        found.mean[lane] = outside + feature.mean[lane] * found.difference[lane];
      }
      return found;
    }
    for (std::size_t lane = 0; lane < swept_widths; ++lane) {
      const double deviation = std::sqrt(feature.variance[lane]);
      const CutNormal normal{known.mean + known.sd * feature.mean[lane], known.sd * deviation};
      const Moments moments = moments_of(part.factor.pieces(normal, known.whole), normal);
      found.mean[lane] = moments.mean;
      found.difference[lane] = moments.with / deviation;
    }
    return found;
  }

  void add_term(std::size_t t, const std::vector<Tilted>& tilted, std::size_t lane,
                std::vector<ExactLine>& lines) const {
    double product = 1;
    for (const Tilted& each : tilted) product *= each.mean[lane];
    for (std::size_t k = 0; k < lines.size(); ++k)
      lines[k].mean[lane] += structure_.terms[t].weights[input_.explained[k]] * product;
    for (std::size_t i = 0; i < tilted.size(); ++i) {
      double others = tilted[i].difference[lane];
      for (std::size_t other = 0; other < tilted.size(); ++other) others *= other == i ? 1 : tilted[other].mean[lane];
      const std::size_t j = terms_[t][i].factor.feature();
      for (std::size_t k = 0; k < lines.size(); ++k)
        lines[k].coefficients[j][lane] += structure_.terms[t].weights[input_.explained[k]] * others;
    }
  }

  const MethodInput& input_;
  const Perturbation& perturbation_;
  const TermStructure& structure_;
  std::vector<FeatureColumn> columns_;
  std::vector<std::vector<Part>> terms_;
};

}  // namespace

std::string why_not_by_terms(const MethodInput& input) {
  if (added_terms(input) == nullptr || input.trees != nullptr) return "the model shows no terms";
  if (columns_of(input).size() != input.features.size()) return "the model's features have no names";
  for (std::size_t j = 0; j < input.features.size(); ++j) {
    if (input.learned->signature().features[j].categorical && !input.schema[input.features[j]].has_levels())
      return "the model takes numbers of " + printable(input.schema[input.features[j]].name, 60) + " for categories";
  }
  return "";
}

std::unique_ptr<const ExactLines> lines_of_terms(const MethodInput& input, const Perturbation& perturbation) {
  return std::make_unique<const TermLines>(input, perturbation);
}

}  // namespace sightglass
