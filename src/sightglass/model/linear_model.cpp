#include "sightglass/model/linear_model.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <utility>

#include "sightglass/base/digest.h"
#include "sightglass/base/error.h"
#include "sightglass/model/feature_columns_internal.h"
#include "sightglass/model/learned/learned_model.h"
#include "sightglass/model/learned/term_model_internal.h"

namespace sightglass {

namespace {

constexpr std::size_t tile_rows = 128;

class BoundLinear : public BoundModel {
 public:
  BoundLinear(const LinearModel::Parts& parts, FeatureColumns columns)
      : parts_(parts), features_(std::move(columns.features)), notes_(std::move(columns.notes)) {
    for (const FeatureColumn& feature : features_) columns_.push_back(feature.column);
  }

  [[nodiscard]] const std::vector<std::uint32_t>& columns() const override { return columns_; }
  [[nodiscard]] const std::vector<FitNote>& notes() const override { return notes_; }

  void predict(const RowBlock& block, const PredictOptions& options, MatrixSpan<double> out,
               Context& context) const override {
    if (parts_.float32_sums && options.arithmetic == Arithmetic::framework) {
      run<float>(block, options, out, context);
    } else {
      run<double>(block, options, out, context);
    }
  }

 private:
  template <class Sum>
  void run(const RowBlock& block, const PredictOptions& options, MatrixSpan<double> out, Context& context) const {
    const std::size_t outputs = parts_.base.size();
    std::vector<Sum> sums(outputs * tile_rows);  // output after output
    for (std::size_t first = 0; first < block.rows; first += tile_rows) {
      context.check();
      const std::size_t rows = std::min(tile_rows, block.rows - first);
      for (std::size_t k = 0; k < outputs; ++k) {
        std::fill_n(sums.data() + k * tile_rows, rows,
                    static_cast<Sum>(parts_.bias[k]) + static_cast<Sum>(parts_.base[k]));
      }
      for (std::size_t feature = 0; feature < features_.size(); ++feature) {
        double values[tile_rows];
        fill(block, feature, first, {values, rows});
        for (std::size_t k = 0; k < outputs; ++k) {
          add(parts_.weights[feature * outputs + k], {values, rows}, sums.data() + k * tile_rows);
        }
      }
      for (std::size_t row = 0; row < rows; ++row) {
        if (options.scale == Scale::response) parts_.link.apply(sums.data() + row, outputs, tile_rows);
        for (std::size_t k = 0; k < outputs; ++k) out(first + row, k) = static_cast<double>(sums[k * tile_rows + row]);
      }
    }
  }

  template <class Sum>
  static void add(double weight, std::span<const double> values, Sum* sums) {
    for (std::size_t row = 0; row < values.size(); ++row) {
      const Sum product = static_cast<Sum>(values[row]) * static_cast<Sum>(weight);
      if (!std::isnan(values[row])) sums[row] += product;
    }
  }

  void fill(const RowBlock& block, std::size_t feature, std::size_t first, std::span<double> values) const {
    const FeatureColumn& from = features_[feature];
    from.read(block, block.override_of(from.column), first, values);
    if (!parts_.float32_sums) return;
    for (double& value : values) value = static_cast<double>(static_cast<float>(value));
  }

  const LinearModel::Parts& parts_;
  std::vector<FeatureColumn> features_;
  std::vector<std::uint32_t> columns_;
  std::vector<FitNote> notes_;
};

std::shared_ptr<const LearnedModel> terms_of(const LinearModel::Parts& parts, std::string_view where) {
  const std::size_t outputs = parts.base.size();
  TermStructure terms;
  for (std::size_t k = 0; k < outputs; ++k) terms.intercept.push_back(parts.base[k] + parts.bias[k]);
  for (std::size_t j = 0; j < parts.signature.features.size(); ++j) {
    const auto first = parts.weights.begin() + static_cast<std::ptrdiff_t>(j * outputs);
    terms.terms.push_back(
        {.feature = static_cast<std::uint32_t>(j), .weights = {first, first + static_cast<std::ptrdiff_t>(outputs)}});
  }
  auto predicts = std::make_unique<TermModel>(parts.signature, parts.link, terms, where);
  return std::make_shared<LearnedModel>(std::move(predicts), parts.link,
                                        std::make_shared<const Structure>(std::move(terms)));
}

}  // namespace

LinearModel::LinearModel(Parts parts, std::string_view where) : parts_(std::move(parts)) {
  const auto check = [&](bool holds, const std::string& otherwise) {
    if (!holds) throw Error(ErrorKind::model, printable(where) + ": the model " + otherwise, "save the model again");
  };
  const auto& features = parts_.signature.features;
  const std::size_t outputs = parts_.base.size();
  check(outputs > 0, "has no outputs");
  check(parts_.signature.outputs.size() == outputs, "names another number of outputs than it has");
  check(parts_.link.link != Link::softmax || outputs > 1, "has only one class");
  check(parts_.bias.size() == outputs, "has another number of biases than of outputs");
  check(parts_.weights.size() == features.size() * outputs, "does not have a weight for each feature and output");
  for (const auto* numbers : {&parts_.base, &parts_.bias, &parts_.weights}) {
    check(std::all_of(numbers->begin(), numbers->end(), [](double number) { return std::isfinite(number); }),
          "has a weight that is not finite");
  }
  std::unordered_set<std::string_view> names;
  for (const FeatureInfo& feature : features) {
    check(names.insert(feature.name).second, "has two features called " + printable(feature.name, 60));
    check(!feature.categorical, "multiplies the categorical feature " + printable(feature.name, 60) + " by a weight");
  }
  terms_ = terms_of(parts_, where);
}

std::unique_ptr<BoundModel> LinearModel::bind(const Schema& schema, std::span<const std::uint32_t> excluded) const {
  return std::make_unique<BoundLinear>(parts_, match_columns(parts_.signature, schema, excluded));
}

void LinearModel::add_to(Digest& digest) const {
  digest.u64(static_cast<std::uint64_t>(parts_.link.link)).f64(parts_.link.scale);
  digest.u64(parts_.float32_sums ? 1 : 0);
  for (const auto* numbers : {&parts_.base, &parts_.bias, &parts_.weights}) digest.numbers(*numbers);
}

}  // namespace sightglass
