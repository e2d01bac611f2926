// A model of our own: what predicts, and the structure that it was made of, by which it explains itself.
#pragma once

#include <memory>
#include <utility>

#include "sightglass/model/learned/structure.h"

namespace sightglass {

class LearnedModel : public Model {
 public:
  LearnedModel(std::unique_ptr<Model> predicts, LinkFunction link, std::shared_ptr<const Structure> structure)
      : predicts_(std::move(predicts)), link_(link), structure_(std::move(structure)) {}

  [[nodiscard]] const Signature& signature() const override { return predicts_->signature(); }
  [[nodiscard]] Concurrency concurrency() const override { return predicts_->concurrency(); }
  [[nodiscard]] std::unique_ptr<BoundModel> bind(const Schema& schema,
                                                 std::span<const std::uint32_t> excluded) const override {
    return predicts_->bind(schema, excluded);
  }
  void add_to(Digest& digest) const override { predicts_->add_to(digest); }
  [[nodiscard]] const TreeEnsemble* trees() const override { return predicts_->trees(); }
  [[nodiscard]] const LearnedModel* learned() const override { return this; }
  // From what its parts add up to, to what it predicts.
  [[nodiscard]] const LinkFunction& link() const { return link_; }
  [[nodiscard]] const Structure& structure() const { return *structure_; }

 private:
  std::unique_ptr<Model> predicts_;
  LinkFunction link_;
  std::shared_ptr<const Structure> structure_;
};

}  // namespace sightglass
