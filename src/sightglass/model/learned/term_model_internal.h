// A model that adds terms: link(intercept + Σ weight · t(x)), see TermStructure. A level that was never seen meets no
// condition.
#pragma once

#include <string_view>

#include "sightglass/model/learned/structure.h"

namespace sightglass {

class TermModel : public Model {
 public:
  // Checks everything; throws Error(model) with `where` in front.
  TermModel(Signature signature, LinkFunction link, TermStructure structure, std::string_view where);

  [[nodiscard]] const Signature& signature() const override { return signature_; }
  [[nodiscard]] Concurrency concurrency() const override { return Concurrency::parallel; }
  [[nodiscard]] std::unique_ptr<BoundModel> bind(const Schema& schema,
                                                 std::span<const std::uint32_t> excluded) const override;
  void add_to(Digest& digest) const override;
  [[nodiscard]] const TermStructure& structure() const { return structure_; }
  [[nodiscard]] const LinkFunction& link() const { return link_; }

 private:
  Signature signature_;
  LinkFunction link_;
  TermStructure structure_;
};

// Throws Error(model) where the terms do not go with the features or with one another.
void check_terms(const Signature& signature, const TermStructure& structure, std::string_view where);

}  // namespace sightglass
