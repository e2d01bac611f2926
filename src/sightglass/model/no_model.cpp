#include "sightglass/model/no_model.h"

#include <algorithm>

#include "sightglass/base/error.h"

namespace sightglass {

namespace {

class BoundToNone : public BoundModel {
 public:
  explicit BoundToNone(std::vector<std::uint32_t> columns) : columns_(std::move(columns)) {}
  [[nodiscard]] const std::vector<std::uint32_t>& columns() const override { return columns_; }
  [[nodiscard]] std::vector<std::string> outputs(const RowBlock&, const PredictOptions&, Context&) const override {
    return {};
  }
  void predict(const RowBlock&, const PredictOptions&, MatrixSpan<double>, Context&) const override {
    throw Error(ErrorKind::internal, "predictions were asked for, but there is no model");
  }

 private:
  std::vector<std::uint32_t> columns_;
};

class NoModel : public Model {
 public:
  NoModel() {
    signature_.format = "none";
    signature_.features_known = false;
    signature_.opaque = true;
  }
  [[nodiscard]] const Signature& signature() const override { return signature_; }
  [[nodiscard]] Concurrency concurrency() const override { return Concurrency::parallel; }
  [[nodiscard]] std::unique_ptr<BoundModel> bind(const Schema& schema,
                                                 std::span<const std::uint32_t> excluded) const override {
    std::vector<std::uint32_t> columns;
    for (std::uint32_t column = 0; column < schema.size(); ++column) {
      if (std::find(excluded.begin(), excluded.end(), column) == excluded.end()) columns.push_back(column);
    }
    if (columns.empty()) {
      throw Error(ErrorKind::data, "the data have no column that is a feature",
                  "the target and the weights are none: give the other columns too");
    }
    return std::make_unique<BoundToNone>(std::move(columns));
  }
  void add_to(Digest&) const override {}  // there is nothing to know

 private:
  Signature signature_;
};

}  // namespace

const Model& no_model() {
  static const NoModel none;
  return none;
}

bool is_no_model(const Model& model) { return &model == &no_model(); }

}  // namespace sightglass
