// A model whose predictions are the outcomes of the nearest training rows: their weighted mean, or the shares of their
// classes.
#pragma once

#include <memory>
#include <string_view>

#include "sightglass/model/learned/neighbors/neighbor_search.h"
#include "sightglass/model/learned/structure.h"

namespace sightglass {

class NeighborModel : public Model {
 public:
  // Checks everything; throws Error(model) with `where` in front.
  NeighborModel(Signature signature, std::shared_ptr<const NeighborStructure> structure, std::string_view where);

  [[nodiscard]] const Signature& signature() const override { return signature_; }
  [[nodiscard]] Concurrency concurrency() const override { return Concurrency::parallel; }
  [[nodiscard]] std::unique_ptr<BoundModel> bind(const Schema& schema,
                                                 std::span<const std::uint32_t> excluded) const override;
  void add_to(Digest& digest) const override;
  [[nodiscard]] const NeighborStructure& structure() const { return *structure_; }
  [[nodiscard]] const NeighborSearch& search() const { return *search_; }
  [[nodiscard]] const std::vector<double>& otherwise() const { return otherwise_; }

 private:
  Signature signature_;
  std::shared_ptr<const NeighborStructure> structure_;  // large: shared with the learned model
  std::unique_ptr<const NeighborSearch> search_;
  std::vector<double> otherwise_;  // prediction of rows without neighbours
};

// What rows without neighbours get.
[[nodiscard]] std::vector<double> vote_of_all(const NeighborStructure& structure, std::size_t outputs);
// The weighted mean of their outcomes, or the share of each class: one number per output.
void vote(const NeighborStructure& structure, std::span<const Neighbor> neighbors, std::span<double> out);

}  // namespace sightglass
