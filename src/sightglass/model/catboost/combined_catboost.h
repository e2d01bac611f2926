// A CatBoost model whose splits ask about combinations of features, which are no trees of single features: it is
// predicted as CatBoost does it, and explained as any model that is asked.
#pragma once

#include <memory>

#include "sightglass/model/model.h"

namespace sightglass {

class CombinedCatboost : public Model {
 public:
  struct Parts;
  CombinedCatboost(std::shared_ptr<const Parts> parts, Signature signature);

  [[nodiscard]] const Signature& signature() const override { return signature_; }
  [[nodiscard]] Concurrency concurrency() const override { return Concurrency::parallel; }
  [[nodiscard]] std::unique_ptr<BoundModel> bind(const Schema& schema,
                                                 std::span<const std::uint32_t> excluded) const override;
  void add_to(Digest& digest) const override;
  [[nodiscard]] const std::shared_ptr<const Parts>& parts() const { return parts_; }

 private:
  std::shared_ptr<const Parts> parts_;
  Signature signature_;
};

}  // namespace sightglass
