#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>
#include <utility>

#include "sightglass/base/digest.h"
#include "sightglass/base/error.h"
#include "sightglass/model/feature_columns_internal.h"
#include "sightglass/model/learned/neighbor_model_internal.h"

namespace sightglass {

namespace {

// Neighbours of rows that are predicted at once: some tens of megabytes.
constexpr std::size_t most_rows = 1024, least_rows = 32, neighbors_at_once = std::size_t{1} << 20;

std::size_t classes_of(const Signature& signature) {
  if (signature.task == Task::regression) return 0;
  return signature.outputs.size() == 1 ? 2 : signature.outputs.size();
}

class BoundNeighbors : public BoundModel {
 public:
  BoundNeighbors(const NeighborModel& model, FeatureColumns columns)
      : model_(model), features_(std::move(columns.features)), notes_(std::move(columns.notes)) {
    for (const FeatureColumn& feature : features_) columns_.push_back(feature.column);
  }

  [[nodiscard]] const std::vector<std::uint32_t>& columns() const override { return columns_; }
  [[nodiscard]] const std::vector<FitNote>& notes() const override { return notes_; }

  void predict(const RowBlock& block, const PredictOptions&, MatrixSpan<double> out, Context& context) const override {
    // Whoever asks divides the rows among threads.
    const Context alone(1);
    const double wanted = std::max(1.0, model_.structure().k);
    const auto rows_at_once = std::clamp(static_cast<std::size_t>(neighbors_at_once / wanted), least_rows, most_rows);
    for (std::size_t first = 0; first < block.rows; first += rows_at_once) {
      context.check();
      const std::size_t rows = std::min(rows_at_once, block.rows - first);
      std::vector<std::vector<double>> values(features_.size(), std::vector<double>(rows));
      for (std::size_t feature = 0; feature < features_.size(); ++feature) {
        const FeatureColumn& from = features_[feature];
        from.read(block, block.override_of(from.column), first, values[feature]);
      }
      const auto neighbors = model_.search().nearest(values, model_.structure().k, {}, alone);
      std::vector<double> said(model_.signature().outputs.size());
      for (std::size_t row = 0; row < rows; ++row) {
        if (neighbors[row].empty()) {
          said = model_.otherwise();
        } else {
          vote(model_.structure(), neighbors[row], said);
        }
        for (std::size_t k = 0; k < said.size(); ++k) out(first + row, k) = said[k];
      }
    }
  }

 private:
  const NeighborModel& model_;
  std::vector<FeatureColumn> features_;
  std::vector<std::uint32_t> columns_;
  std::vector<FitNote> notes_;
};

void check_neighbors(const Signature& signature, const NeighborStructure& structure, std::string_view where) {
  const auto check = [&](bool holds, const std::string& otherwise) {
    if (!holds) throw Error(ErrorKind::model, printable(where) + ": the model " + otherwise, "fit the model again");
  };
  const std::size_t rows = structure.outcome.size();
  const std::size_t classes = classes_of(signature);
  check(!signature.outputs.empty(), "has no outputs");
  check(classes > 0 || signature.outputs.size() == 1, "names another number of outputs than it has");
  check(rows > 0 && rows < std::numeric_limits<std::uint32_t>::max(), "has no rows, or too many");
  check(std::isfinite(structure.k) && structure.k > 0, "asks for no neighbours");
  check(!signature.features.empty(), "has no features");
  check(structure.values.size() == signature.features.size() && structure.ranges.size() == signature.features.size(),
        "does not have values and a range of each feature");
  check(structure.weights.empty() || structure.weights.size() == rows, "does not have a weight for each row");
  check(structure.rows.empty() || structure.rows.size() == rows, "does not have a place for each row");
  check(structure.otherwise.empty() || structure.otherwise.size() == signature.outputs.size(),
        "does not say what rows without neighbours get");
  for (const double each : structure.otherwise) {
    check(std::isfinite(each) && (classes == 0 || (each >= 0 && each <= 1)), "has no prediction without neighbours");
  }
  for (const double weight : structure.weights) check(std::isfinite(weight) && weight > 0, "has a row without weight");
  for (const double outcome : structure.outcome) {
    check(std::isfinite(outcome), "has an outcome that is no number");
    const bool is_class = outcome >= 0 && outcome < static_cast<double>(classes) && outcome == std::floor(outcome);
    check(classes == 0 || is_class, "has a class that there is not");
  }
  std::unordered_set<std::string_view> names;
  for (std::size_t j = 0; j < signature.features.size(); ++j) {
    const FeatureInfo& feature = signature.features[j];
    const std::string name = printable(feature.name, 60);
    check(names.insert(feature.name).second, "has two features called " + name);
    const std::unordered_set<std::string_view> levels(feature.levels.begin(), feature.levels.end());
    check(levels.size() == feature.levels.size(), "has a level of " + name + " twice");
    check(std::isfinite(structure.ranges[j]) && structure.ranges[j] >= 0, "has no range of " + name);
    check(structure.values[j].size() == rows, "does not have a value of " + name + " for each row");
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const double value : structure.values[j]) {
      if (std::isnan(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
      check(std::isfinite(value), "has a value of " + name + " that is not finite");
      const bool is_level =
          value >= 0 && value < static_cast<double>(feature.levels.size()) && value == std::floor(value);
      check(!feature.categorical || is_level, "has a level of " + name + " that there is not");
    }
    check(feature.categorical || !(high - low > structure.ranges[j]), "has values of " + name + " beyond its range");
  }
}

}  // namespace

std::vector<double> vote_of_all(const NeighborStructure& structure, std::size_t outputs) {
  if (!structure.otherwise.empty()) return structure.otherwise;
  std::vector<Neighbor> all(structure.outcome.size());
  for (std::uint32_t row = 0; row < all.size(); ++row)
    all[row] = {.row = row, .weight = structure.weights.empty() ? 1 : structure.weights[row]};
  std::vector<double> said(outputs);
  vote(structure, all, said);
  return said;
}

void vote(const NeighborStructure& structure, std::span<const Neighbor> neighbors, std::span<double> out) {
  double total = 0;
  std::fill(out.begin(), out.end(), 0.0);
  const bool classes = out.size() > 1;
  for (const Neighbor& each : neighbors) {
    total += each.weight;
    const double outcome = structure.outcome[each.row];
    // One output of two classes is the share of the second, whose index is 1.
    if (classes) {
      out[static_cast<std::size_t>(outcome)] += each.weight;
    } else {
      out[0] += each.weight * outcome;
    }
  }
  for (double& each : out) each /= total;
}

NeighborModel::NeighborModel(Signature signature, std::shared_ptr<const NeighborStructure> structure,
                             std::string_view where)
    : signature_(std::move(signature)), structure_(std::move(structure)) {
  check_neighbors(signature_, *structure_, where);
  otherwise_ = vote_of_all(*structure_, signature_.outputs.size());
  search_ = std::make_unique<NeighborSearch>(*structure_, categorical_features(signature_));
}

std::unique_ptr<BoundModel> NeighborModel::bind(const Schema& schema, std::span<const std::uint32_t> excluded) const {
  return std::make_unique<BoundNeighbors>(*this, match_columns(signature_, schema, excluded));
}

void NeighborModel::add_to(Digest& digest) const {
  digest.f64(structure_->k).numbers(structure_->ranges).numbers(structure_->outcome).numbers(structure_->weights);
  if (!structure_->otherwise.empty()) digest.numbers(structure_->otherwise);
  for (const auto& column : structure_->values) digest.numbers(column);
}

}  // namespace sightglass
