// A generalized linear model: response = link(base + bias + Σ_j weight_j · x_j), one sum for each output.
// A missing value adds nothing. XGBoost's gblinear is one.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "sightglass/model/link.h"
#include "sightglass/model/model.h"

namespace sightglass {

class LinearModel : public Model {
 public:
  struct Parts {
    Signature signature;  // numeric features only
    LinkFunction link;
    std::vector<double> base;     // one per output
    std::vector<double> bias;     // one per output
    std::vector<double> weights;  // feature after feature, one per output each
    // The framework rounds values, products and sums to float32, bias and base first (XGBoost). Values are
    // rounded to float32 in exact arithmetic too: that is what the model gets to see.
    bool float32_sums = false;
  };
  // Checks lengths, that all numbers are finite and that no two features have one name; throws Error(model) with
  // `where` in front otherwise.
  explicit LinearModel(Parts parts, std::string_view where);

  [[nodiscard]] const Signature& signature() const override { return parts_.signature; }
  [[nodiscard]] Concurrency concurrency() const override { return Concurrency::parallel; }
  [[nodiscard]] std::unique_ptr<BoundModel> bind(const Schema& schema,
                                                 std::span<const std::uint32_t> excluded) const override;
  void add_to(Digest& digest) const override;
  // As a term per feature, in exact arithmetic.
  [[nodiscard]] const LearnedModel* learned() const override { return terms_.get(); }
  [[nodiscard]] const Parts& parts() const { return parts_; }

 private:
  Parts parts_;
  std::shared_ptr<const LearnedModel> terms_;
};

}  // namespace sightglass
