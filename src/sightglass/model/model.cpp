#include "sightglass/model/model.h"

#include "sightglass/base/error.h"

namespace sightglass {

std::string_view to_string(Scale scale) { return scale == Scale::response ? "response" : "margin"; }

std::string_view to_string(Task task) {
  switch (task) {
    case Task::regression: return "regression";
    case Task::binary: return "binary";
    case Task::multiclass: return "multiclass";
  }
  return "regression";
}

std::string_view to_string(FitNote::Kind kind) {
  switch (kind) {
    case FitNote::Kind::about_model: return "about-model";
    case FitNote::Kind::by_position: return "by-position";
    case FitNote::Kind::renamed: return "renamed";
    case FitNote::Kind::ambiguous: return "ambiguous";
    case FitNote::Kind::unknown_levels: return "unknown-levels";
  }
  return "about-model";
}

const std::vector<FitNote>& BoundModel::notes() const {
  static const std::vector<FitNote> none;
  return none;
}

bool BoundModel::predict_texts(const RowBlock& /*block*/, std::uint32_t /*column*/,
                               const std::shared_ptr<const TextBatch>& /*texts*/, const PredictOptions& /*options*/,
                               MatrixSpan<double> /*out*/, Context& /*context*/) const {
  return false;
}

bool BoundModel::predict_pictures(const RowBlock& /*block*/, std::uint32_t /*column*/, const PictureBatch& /*pictures*/,
                                  const PredictOptions& /*options*/, MatrixSpan<double> /*out*/,
                                  Context& /*context*/) const {
  return false;
}

bool BoundModel::predict_numbers(const NumberBatch& /*numbers*/, const PredictOptions& /*options*/,
                                 MatrixSpan<double> /*out*/, Context& /*context*/) const {
  return false;
}

bool BoundModel::predict_tiles(const Tiles& /*tiles*/, const PredictOptions& /*options*/, MatrixSpan<double> /*out*/,
                               Context& /*context*/) const {
  return false;
}

std::unique_ptr<PreparedVariants> BoundModel::prepare(std::span<const Variant> /*variants*/,
                                                      const Context& /*context*/) const {
  return nullptr;
}

std::vector<std::string> BoundModel::outputs(const RowBlock& /*probe*/, const PredictOptions& /*options*/,
                                             Context& /*context*/) const {
  throw Error(ErrorKind::internal, "a model neither names its outputs nor can be asked for them");
}

}  // namespace sightglass
