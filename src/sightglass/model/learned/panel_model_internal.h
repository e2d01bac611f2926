// The models that panels make. A level that was never seen counts as missing.
#pragma once

#include <string_view>
#include <variant>

#include "sightglass/model/learned/structure.h"

namespace sightglass {

class PanelModel : public Model {
 public:
  using Panels = std::variant<CoveringStructure, PanelTreeStructure>;
  // Checks everything; throws Error(model) with `where` in front.
  PanelModel(Signature signature, Panels panels, std::string_view where);

  [[nodiscard]] const Signature& signature() const override { return signature_; }
  [[nodiscard]] Concurrency concurrency() const override { return Concurrency::parallel; }
  [[nodiscard]] std::unique_ptr<BoundModel> bind(const Schema& schema,
                                                 std::span<const std::uint32_t> excluded) const override;
  void add_to(Digest& digest) const override;
  [[nodiscard]] const Panels& panels() const { return panels_; }

 private:
  Signature signature_;
  Panels panels_;
};

}  // namespace sightglass
