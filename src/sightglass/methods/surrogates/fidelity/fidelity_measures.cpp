#include "sightglass/methods/surrogates/fidelity/fidelity_measures.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "sightglass/learn/training_fit.h"

namespace sightglass {

namespace {

// Of the weight of all rows: about fewer there is little to say.
constexpr double least_region = 0.02;
constexpr std::size_t most_regions_shown = 24;

class FidelityMeasure {
 public:
  FidelityMeasure(const RowDivision& division, const Compared& compared) : division_(division), compared_(compared) {
    if (by_class()) return;
    variance_ = agreement(compared.model, compared.surrogate, division.weights, division.judged()).variance;
  }

  [[nodiscard]] bool by_class() const { return compared_.model.empty(); }

  [[nodiscard]] FidelityPart part(FidelityRows which, const RowList& rows) const {
    FidelityPart made{.rows = which};
    if (compared_.model_classes.rows() > 0) {
      const ClassAgreement found = class_agreement(compared_.model_classes, compared_.surrogate_classes,
                                                   division_.weights, rows, compared_.even);
      made.count = found.weight;
      made.agreement = found.share;
      if (compared_.probabilities) {
        made.log_loss = found.log_loss;
        made.entropy = found.entropy;
      }
      if (by_class()) {
        made.fidelity = found.share;
        made.se = found.se;
        made.low = std::max(0.0, found.share - 1.96 * found.se);
        made.high = std::min(1.0, found.share + 1.96 * found.se);
        return made;
      }
    }
    const Agreement found = agreement(compared_.model, compared_.surrogate, division_.weights, rows);
    made.count = found.weight;
    made.error = std::sqrt(found.mean_square);
    made.fidelity = found.r2;
    made.se = found.se;
    if (which == FidelityRows::region) {
      made.within = found.r2;
      made.fidelity = of_all_variance(found.mean_square);
      made.se = error_of_mean_square(rows, found) / (variance_ > 0 ? variance_ : 1);
    }
    made.low = made.fidelity - 1.96 * *made.se;
    made.high = std::min(1.0, made.fidelity + 1.96 * *made.se);
    return made;
  }

  // Inside a leaf a tree says one number, so that R² about the leaf's own mean is about 0 whatever it does; against the
  // variance of all rows regions can be compared, and those of a partition have the overall R² as their mean.
  [[nodiscard]] double of_all_variance(double mean_square) const {
    if (variance_ > 0) return 1 - mean_square / variance_;
    return mean_square > 0 ? 0 : 1;
  }

  void add_truth(FidelityPart& part) const {
    if (compared_.truth.empty()) return;
    RowList known;
    for (const std::size_t row : division_.judged()) {
      if (std::isfinite(compared_.truth[row])) known.push_back(row);
    }
    if (known.size() < 2) return;
    if (!by_class()) {
      part.model = agreement(compared_.truth, compared_.model, division_.weights, known).r2;
      part.surrogate = agreement(compared_.truth, compared_.surrogate, division_.weights, known).r2;
      return;
    }
    part.model = accuracy(compared_.model_classes, known);
    part.surrogate = accuracy(compared_.surrogate_classes, known);
  }

 private:
  [[nodiscard]] double accuracy(MatrixSpan<const double> classes, const RowList& rows) const {
    double weight = 0, right = 0;
    for (const std::size_t row : rows) {
      weight += division_.weights[row];
      const std::size_t named = most_probable_class(classes.row(row), compared_.even);
      if (static_cast<double>(named) == compared_.truth[row]) right += division_.weights[row];
    }
    return weight > 0 ? right / weight : 0;
  }
  [[nodiscard]] double error_of_mean_square(const RowList& rows, const Agreement& found) const {
    double sum = 0;
    for (const std::size_t row : rows) {
      const double difference = compared_.model[row] - compared_.surrogate[row];
      const double off = division_.weights[row] * (difference * difference - found.mean_square);
      sum += off * off;
    }
    return found.weight > 0 ? std::sqrt(sum) / found.weight : 0;
  }

  const RowDivision& division_;
  const Compared& compared_;
  double variance_ = 0;  // of what the model says of the judged rows
};

}  // namespace

Fidelity measure_fidelity(const FittedSurrogate& surrogate, const RowDivision& division,
                          const std::vector<FidelityRegion>& regions, const Compared& compared,
                          const std::string& output) {
  const FidelityMeasure measure(division, compared);
  Fidelity fidelity{.output = output, .group = {}, .surrogate = surrogate.kind->name, .title = surrogate.kind->title};
  fidelity.size = surrogate.learned.size;
  fidelity.size_unit = surrogate.kind->unit;
  if (measure.by_class()) {
    fidelity.measure = "agreement";
    fidelity.details.set("commonest_class", class_agreement(compared.model_classes, compared.surrogate_classes,
                                                            division.weights, division.judged(), compared.even)
                                                .commonest);
  }
  fidelity.parts.push_back(measure.part(FidelityRows::fitted, division.fitted));
  if (!division.held_out.empty()) fidelity.parts.push_back(measure.part(FidelityRows::held_out, division.held_out));
  if (!division.aside.empty())
    fidelity.parts.push_back(measure.part(division.on_grid ? FidelityRows::data : FidelityRows::made, division.aside));
  const double all = overall_part(fidelity)->count;
  for (FidelityPart& part : fidelity.parts) {
    if (&part == overall_part(fidelity)) measure.add_truth(part);
  }
  std::vector<FidelityPart> found;
  for (const FidelityRegion& region : regions) {
    FidelityPart part = measure.part(FidelityRows::region, region.rows);
    if (part.count < least_region * all) continue;  // near one row most regions hardly count
    part.conditions = region.conditions;
    found.push_back(std::move(part));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const FidelityPart& a, const FidelityPart& b) { return a.fidelity < b.fidelity; });
  fidelity.details.set("regions", found.size());
  if (found.size() > most_regions_shown) found.resize(most_regions_shown);
  for (FidelityPart& part : found) fidelity.parts.push_back(std::move(part));
  return fidelity;
}

void add_node_fidelity(ShownTree& tree, const SurrogateTask& task, const RowDivision& division,
                       const Compared& compared) {
  const FidelityMeasure measure(division, compared);
  std::vector<RowList> rows(tree.nodes.size());
  rows[0] = division.judged();
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    ShownNode& node = tree.nodes[i];
    if (!rows[i].empty()) node.agreement = measure.part(FidelityRows::region, rows[i]).fidelity;
    if (!node.split) continue;
    rows[node.children[0]] = rows_meeting(task.all, rows[i], {*node.split});
    std::set_difference(rows[i].begin(), rows[i].end(), rows[node.children[0]].begin(), rows[node.children[0]].end(),
                        std::back_inserter(rows[node.children[1]]));
  }
}

}  // namespace sightglass
