#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>
#include <utility>

#include "sightglass/base/digest.h"
#include "sightglass/base/error.h"
#include "sightglass/data/new_rows.h"
#include "sightglass/model/feature_columns_internal.h"
#include "sightglass/model/learned/term_model_internal.h"

namespace sightglass {

namespace {

constexpr std::size_t term_tile_rows = 256;
// Each becomes a level of a tree.
constexpr std::size_t most_conditions = 1000;
constexpr double unbounded = std::numeric_limits<double>::infinity();

class BoundTerms : public BoundModel {
 public:
  BoundTerms(const TermModel& model, FeatureColumns columns)
      : model_(model), features_(std::move(columns.features)), notes_(std::move(columns.notes)) {
    for (const FeatureColumn& feature : features_) columns_.push_back(feature.column);
  }

  [[nodiscard]] const std::vector<std::uint32_t>& columns() const override { return columns_; }
  [[nodiscard]] const std::vector<FitNote>& notes() const override { return notes_; }

  void predict(const RowBlock& block, const PredictOptions& options, MatrixSpan<double> out,
               Context& context) const override {
    const TermStructure& structure = model_.structure();
    const std::size_t outputs = structure.intercept.size();
    std::vector<double> values(features_.size() * term_tile_rows);  // feature after feature
    std::vector<double> term(term_tile_rows);
    for (std::size_t first = 0; first < block.rows; first += term_tile_rows) {
      context.check();
      const std::size_t rows = std::min(term_tile_rows, block.rows - first);
      for (std::size_t feature = 0; feature < features_.size(); ++feature) {
        read(block, feature, first, {values.data() + feature * term_tile_rows, rows});
      }
      for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t k = 0; k < outputs; ++k) out(first + row, k) = structure.intercept[k];
      }
      for (const Term& each : structure.terms) {
        evaluate(each, values, {term.data(), rows});
        for (std::size_t row = 0; row < rows; ++row) {
          for (std::size_t k = 0; k < outputs; ++k) out(first + row, k) += each.weights[k] * term[row];
        }
      }
      if (options.scale != Scale::response) continue;
      for (std::size_t row = 0; row < rows; ++row) model_.link().apply(&out(first + row, 0), outputs, 1);
    }
  }

 private:
  void read(const RowBlock& block, std::size_t feature, std::size_t first, std::span<double> values) const {
    const FeatureColumn& from = features_[feature];
    from.read(block, block.override_of(from.column), first, values);
    if (!model_.structure().refuses_missing) return;
    for (std::size_t row = 0; row < values.size(); ++row) {
      if (!std::isnan(values[row])) continue;
      throw Error(ErrorKind::data,
                  row_text(block.row_id(first + row)) + " of " +
                      printable(model_.signature().features[feature].name, 60) +
                      " is missing, which this model refuses",
                  "leave such rows out, or fill them as for training");
    }
  }

  static void evaluate(const Term& term, const std::vector<double>& values, std::span<double> out) {
    if (term.conditions.empty()) {
      const double* from = values.data() + term.feature * term_tile_rows;
      for (std::size_t row = 0; row < out.size(); ++row) {
        out[row] = std::isnan(from[row]) ? term.missing : std::clamp(from[row], term.low, term.high);
      }
      return;
    }
    std::fill(out.begin(), out.end(), 1.0);
    for (const TermCondition& condition : term.conditions) {
      const double* from = values.data() + condition.feature * term_tile_rows;
      for (std::size_t row = 0; row < out.size(); ++row) {
        if (!meets(condition, from[row])) out[row] = 0;
      }
    }
  }

  const TermModel& model_;
  std::vector<FeatureColumn> features_;
  std::vector<std::uint32_t> columns_;
  std::vector<FitNote> notes_;
};

}  // namespace

bool meets(const TermCondition& condition, double value) {
  if (std::isnan(value)) return condition.missing;
  if (condition.levels.empty()) {
    const bool is_above = value > condition.above || condition.above == -unbounded;  // no bound: also unbounded numbers
    return is_above && value <= condition.at_most;
  }
  if (value < 0) return false;  // never seen
  return std::binary_search(condition.levels.begin(), condition.levels.end(), static_cast<std::uint32_t>(value));
}

double term_value(const Term& term, std::span<const double> row) {
  if (term.conditions.empty()) {
    const double value = row[term.feature];
    return std::isnan(value) ? term.missing : std::clamp(value, term.low, term.high);
  }
  const auto holds = [&](const TermCondition& condition) { return meets(condition, row[condition.feature]); };
  return std::all_of(term.conditions.begin(), term.conditions.end(), holds) ? 1 : 0;
}

void check_terms(const Signature& signature, const TermStructure& structure, std::string_view where) {
  const auto check = [&](bool holds, const std::string& otherwise) {
    if (!holds) throw Error(ErrorKind::model, printable(where) + ": the model " + otherwise, "fit the model again");
  };
  const auto& features = signature.features;
  const auto finite = [](const std::vector<double>& numbers) {
    return std::all_of(numbers.begin(), numbers.end(), [](double number) { return std::isfinite(number); });
  };
  check(!structure.intercept.empty(), "has no outputs");
  check(signature.outputs.size() == structure.intercept.size(), "names another number of outputs than it has");
  check(finite(structure.intercept), "has an intercept that is not finite");
  std::unordered_set<std::string_view> names;
  for (const FeatureInfo& feature : features) {
    check(names.insert(feature.name).second, "has two features called " + printable(feature.name, 60));
    const std::unordered_set<std::string_view> levels(feature.levels.begin(), feature.levels.end());
    check(levels.size() == feature.levels.size(), "has a level of " + printable(feature.name, 60) + " twice");
  }
  for (std::size_t t = 0; t < structure.terms.size(); ++t) {
    const Term& term = structure.terms[t];
    const std::string name = "term " + std::to_string(t);
    check(term.weights.size() == structure.intercept.size(), "does not have a weight for each output in " + name);
    check(finite(term.weights) && std::isfinite(term.missing), "has a number that is not finite in " + name);
    if (term.moments) {
      const auto [mean, sd] = *term.moments;
      check(std::isfinite(mean) && std::isfinite(sd) && sd >= 0, "has no finite mean and spread of " + name);
      check(term.conditions.empty() || (mean >= 0 && mean <= 1), "has a share of rows that is none in " + name);
    }
    if (term.conditions.empty()) {
      check(term.feature < features.size(), "has no feature for " + name);
      check(!features[term.feature].categorical, "multiplies a categorical feature by a weight in " + name);
      const bool leaves_room = term.low <= term.high && term.low < unbounded && term.high > -unbounded;
      check(leaves_room, "has bounds that contradict each other in " + name);
    }
    check(term.conditions.size() <= most_conditions, "has too many conditions in " + name);
    for (const TermCondition& condition : term.conditions) {
      check(condition.feature < features.size(), "has no feature for a condition of " + name);
      const FeatureInfo& feature = features[condition.feature];
      check(!std::isnan(condition.above) && !std::isnan(condition.at_most), "has a bound that is no number in " + name);
      // Of which files know no spelling.
      check(condition.at_most > -unbounded, "has a bound that nothing can meet in " + name);
      check(feature.categorical || condition.levels.empty(), "asks a number for its level in " + name);
      const auto& levels = condition.levels;
      check(std::is_sorted(levels.begin(), levels.end()) &&
                std::adjacent_find(levels.begin(), levels.end()) == levels.end(),
            "has levels out of order in " + name);
      check(levels.empty() || levels.back() < feature.levels.size(), "has a level that there is not in " + name);
    }
  }
}

TermModel::TermModel(Signature signature, LinkFunction link, TermStructure structure, std::string_view where)
    : signature_(std::move(signature)), link_(link), structure_(std::move(structure)) {
  check_terms(signature_, structure_, where);
}

std::unique_ptr<BoundModel> TermModel::bind(const Schema& schema, std::span<const std::uint32_t> excluded) const {
  return std::make_unique<BoundTerms>(*this, match_columns(signature_, schema, excluded));
}

void TermModel::add_to(Digest& digest) const {
  digest.u64(static_cast<std::uint64_t>(link_.link)).f64(link_.scale).u64(structure_.refuses_missing ? 1 : 0);
  digest.numbers(structure_.intercept).u64(structure_.terms.size());
  for (const Term& term : structure_.terms) {
    digest.u64(term.feature).f64(term.low).f64(term.high).f64(term.missing).numbers(term.weights);
    if (term.moments) digest.f64(term.moments->mean).f64(term.moments->sd);
    digest.u64(term.conditions.size());
    for (const TermCondition& condition : term.conditions) {
      digest.u64(condition.feature).f64(condition.above).f64(condition.at_most).u64(condition.missing ? 1 : 0);
      digest.u64(condition.levels.size());
      for (const std::uint32_t level : condition.levels) digest.u64(level);
    }
  }
}

}  // namespace sightglass
