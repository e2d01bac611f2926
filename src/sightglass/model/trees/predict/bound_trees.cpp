#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <utility>

#include "sightglass/base/error.h"
#include "sightglass/data/new_rows.h"
#include "sightglass/model/trees/predict/bound_trees_internal.h"
#include "sightglass/model/trees/rows/row_sums_internal.h"
#include "sightglass/model/trees/tree_rows.h"

namespace sightglass {

namespace {

// Fewer rows than this are not worth a set.
constexpr std::size_t least_set_rows = 64;

// Prediction is called again and again on small blocks: its memory stays with the thread.
template <class T>
struct Scratch {
  std::vector<T> tile;
  std::vector<float> sums32;
  std::vector<double> sums64;
  std::vector<const Override*> overrides;
  std::weak_ptr<const CodedTrees> coded;  // whose workspace it is; a thread does not keep a model alive
  std::optional<SetTrees::Workspace> sets;
  std::optional<DeepTrees::Workspace> deep;
};

template <class T>
Scratch<T>& scratch() {
  static thread_local Scratch<T> mine;
  return mine;
}

template <class T>
class BoundTrees : public BoundModel, public TreeRows {
 public:
  BoundTrees(const TreeEnsemble::Parts& parts, const PackedTrees<T>& trees, std::shared_ptr<const CodedTrees> coded,
             FeatureColumns columns)
      : parts_(parts),
        trees_(trees),
        coded_(std::move(coded)),
        sets_(coded_->sets()),
        deep_(coded_->deep()),
        features_(std::move(columns.features)),
        notes_(std::move(columns.notes)) {
    for (const FeatureColumn& feature : features_) columns_.push_back(feature.column);
  }

  [[nodiscard]] const std::vector<std::uint32_t>& columns() const override { return columns_; }
  [[nodiscard]] const std::vector<FitNote>& notes() const override { return notes_; }

  [[nodiscard]] const TreeRows* tree_rows() const override { return coded_->codes() == nullptr ? nullptr : this; }
  [[nodiscard]] const TreeEnsemble::Parts& parts() const override { return parts_; }
  [[nodiscard]] const FeatureCodes& codes() const override { return *coded_->codes(); }
  [[nodiscard]] const TreeEdges* edges() const override { return coded_->edges(); }
  [[nodiscard]] const LeafAmounts* amounts() const override { return coded_->amounts(); }
  [[nodiscard]] std::optional<std::size_t> slot(std::uint32_t column) const override {
    const auto& slots = codes().features();
    const auto at = std::find_if(slots.begin(), slots.end(),
                                 [&](std::uint32_t feature) { return features_[feature].column == column; });
    if (at == slots.end()) return std::nullopt;
    return static_cast<std::size_t>(at - slots.begin());
  }
  [[nodiscard]] std::uint16_t code(std::size_t slot, double number) const override {
    return codes().code(slot, features_[codes().features()[slot]].translate(number));
  }
  void encode(const RowBlock& block, std::size_t first, std::size_t rows, std::uint16_t* out,
              std::size_t stride) const override {
    std::vector<T> values(std::min(rows, most_tile_rows));
    for (std::size_t begin = 0; begin < rows; begin += values.size()) {
      const std::size_t count = std::min(values.size(), rows - begin);
      for (std::size_t slot = 0; slot < codes().slots(); ++slot) {
        const FeatureColumn& feature = features_[codes().features()[slot]];
        fill(block, feature, block.override_of(feature.column), first + begin, count, values.data());
        codes().encode(slot, std::span<const T>(values.data(), count), out + slot * stride + begin);
      }
    }
  }

  void margins(const RowBlock& block, std::size_t first, MatrixSpan<double> out, Context& context) const override {
    std::vector<ColumnView> views(block.columns.size());
    for (const std::uint32_t column : columns_) views[column] = block.columns[column].slice(first, out.rows());
    RowBlock rows{.first_row = block.first_row + first, .rows = out.rows(), .columns = views};
    if (!block.row_ids.empty()) rows.row_ids = block.row_ids.subspan(first, out.rows());
    predict(rows, {.scale = Scale::margin, .arithmetic = Arithmetic::exact}, out, context);
  }

  [[nodiscard]] std::unique_ptr<PreparedVariants> prepare(std::span<const Variant> variants,
                                                          const Context& context) const override;

  void predict(const RowBlock& block, const PredictOptions& options, MatrixSpan<double> out,
               Context& context) const override {
    Scratch<T>& memory = scratch<T>();
    if (parts_.float32_sums && options.arithmetic == Arithmetic::framework) {
      run(block, options, out, context, memory, memory.sums32);
    } else {
      run(block, options, out, context, memory, memory.sums64);
    }
  }

 private:
  template <class Sum>
  void run(const RowBlock& block, const PredictOptions& options, MatrixSpan<double> out, Context& context,
           Scratch<T>& memory, std::vector<Sum>& sums) const {
    const std::size_t outputs = parts_.base.size();
    const bool as_sets = sets_ != nullptr && block.rows >= least_set_rows;
    const bool as_deep = deep_ != nullptr && block.rows >= least_set_rows;
    const std::size_t tile_rows = as_sets ? set_rows : as_deep ? deep_->tile_rows() : trees_.tile_rows();
    const bool known = !memory.coded.owner_before(coded_) && !coded_.owner_before(memory.coded);
    if ((as_sets || as_deep) && !known) {
      memory.sets.reset();
      memory.deep.reset();
      memory.coded.reset();
      if (as_sets) memory.sets.emplace(*sets_);
      if (as_deep) memory.deep.emplace(*deep_);
      memory.coded = coded_;
    }
    std::uint16_t* coded = as_sets ? memory.sets->codes.data() : as_deep ? memory.deep->codes.data() : nullptr;
    // Codes know only what trees reach.
    const auto& used = coded != nullptr ? codes().features() : trees_.used_features();
    // One column more than needed: a model of bare leaves still reads column 0.
    memory.tile.resize((used.size() + 1) * tile_rows);
    sums.resize(outputs * tile_rows);
    memory.overrides.clear();
    for (const std::uint32_t feature : used) {
      memory.overrides.push_back(block.override_of(features_[feature].column));
    }
    for (std::size_t first = 0; first < block.rows; first += tile_rows) {
      context.check();
      const std::size_t rows = std::min(tile_rows, block.rows - first);
      for (std::size_t i = 0; i < used.size(); ++i) {
        T* values = memory.tile.data() + i * tile_rows;
        fill(block, features_[used[i]], memory.overrides[i], first, rows, values);
        if (coded != nullptr) codes().encode(i, std::span<const T>(values, rows), coded + i * tile_rows);
      }
      for (std::size_t k = 0; k < outputs; ++k) {
        std::fill_n(sums.data() + k * tile_rows, rows, parts_.base_last ? Sum{0} : static_cast<Sum>(parts_.base[k]));
      }
      if (as_sets) {
        sets_->add_leaves(*memory.sets, sums.data());
      } else if (as_deep) {
        deep_->add_leaves(*memory.deep, rows, sums.data());
      } else {
        trees_.add_leaves(memory.tile.data(), rows, sums.data());
      }
      for (std::size_t k = 0; k < outputs && parts_.base_last; ++k) {
        Sum* sum = sums.data() + k * tile_rows;
        for (std::size_t row = 0; row < rows; ++row) sum[row] += static_cast<Sum>(parts_.base[k]);
      }
      for (std::size_t k = 0; k < outputs && parts_.divisor != 1; ++k) {
        Sum* sum = sums.data() + k * tile_rows;
        for (std::size_t row = 0; row < rows; ++row) sum[row] /= static_cast<Sum>(parts_.divisor);
      }
      for (std::size_t row = 0; row < rows; ++row) {
        if (options.scale == Scale::response) parts_.link.apply(sums.data() + row, outputs, tile_rows);
        for (std::size_t k = 0; k < outputs; ++k) {
          out(first + row, k) = static_cast<double>(sums[k * tile_rows + row]);
        }
      }
    }
  }

  void fill(const RowBlock& block, const FeatureColumn& feature, const Override* override, std::size_t first,
            std::size_t rows, T* out) const {
    double numbers[most_tile_rows];
    for (std::size_t begin = 0; begin < rows; begin += most_tile_rows) {
      const std::size_t count = std::min(most_tile_rows, rows - begin);
      feature.read(block, override, first + begin, {numbers, count});
      for (std::size_t row = 0; row < count; ++row) out[begin + row] = static_cast<T>(numbers[row]);
    }
    check(block, feature, first, out, rows);
  }

  // Throws for values that the framework would not take.
  void check(const RowBlock& block, const FeatureColumn& feature, std::size_t first, const T* values,
             std::size_t rows) const {
    const std::size_t index = static_cast<std::size_t>(&feature - features_.data());
    if (takes_all(index)) return;
    for (std::size_t row = 0; row < rows; ++row) {
      if (takes(index, values[row])) continue;
      const FeatureInfo& info = parts_.signature.features[index];
      const char* what = std::isnan(values[row])   ? " is missing"
                         : info.categorical        ? " is a category that it has never seen"
                         : parts_.accepted.empty() ? " is infinite or beyond float32"
                                                   : " is infinite or too large";
      throw Error(
          ErrorKind::data,
          row_text(block.row_id(first + row)) + " of " + printable(info.name, 60) + what + ", which this model refuses",
          "leave such rows out, or fill them as for training");
    }
  }
  [[nodiscard]] bool takes_all(std::size_t feature) const {
    return !parts_.refuses_missing && !parts_.refuses_infinite &&
           (parts_.accepted.empty() || parts_.accepted[feature].takes_all());
  }
  [[nodiscard]] bool takes(std::size_t feature, T value) const {
    if (parts_.refuses_missing && std::isnan(value)) return false;
    if (parts_.refuses_infinite && std::isinf(value)) return false;
    return parts_.accepted.empty() || parts_.accepted[feature].take(static_cast<double>(value));
  }

  const TreeEnsemble::Parts& parts_;
  const PackedTrees<T>& trees_;
  std::shared_ptr<const CodedTrees> coded_;
  const SetTrees* sets_;   // null where sets do not suit the trees
  const DeepTrees* deep_;  // null where sets do, or codes do not
  std::vector<FeatureColumn> features_;
  std::vector<std::uint32_t> columns_;
  std::vector<FitNote> notes_;
};

// Rows × variants by sets of both.
template <class T>
class VariantsOfTrees : public PreparedVariants {
 public:
  VariantsOfTrees(const BoundTrees<T>& bound, Variant first, TreeVariants variants, std::size_t count)
      : bound_(bound), first_(std::move(first)), variants_(std::move(variants)), count_(count) {}

  void predict(const RowBlock& block, const PredictOptions& options, MatrixSpan<double> out, std::size_t stride,
               Context& context) const override {
    const TreeEnsemble::Parts& parts = bound_.parts();
    const std::size_t outputs = parts.base.size();
    RowBlock as_first = block;
    as_first.overrides = first_;
    Matrix margins(block.rows, outputs);
    bound_.predict(as_first, {.scale = Scale::margin, .arithmetic = Arithmetic::exact}, margins.span(), context);
    ConditionSets conditions(bound_.codes());
    TreeVariants::Workspace workspace;
    const std::size_t slots = bound_.codes().slots();
    std::vector<std::uint16_t> in_order(slots * set_rows), codes(slots * set_rows);
    for (std::size_t first = 0; first < block.rows; first += set_rows) {
      context.check();
      const std::size_t rows = std::min(set_rows, block.rows - first);
      bound_.encode(as_first, first, rows, in_order.data(), set_rows);
      // Each row where its bit is, so that sums come out in the order of the rows.
      for (std::size_t slot = 0; slot < slots; ++slot) {
        for (std::size_t row = 0; row < rows; ++row)
          codes[slot * set_rows + position_of_row(row)] = in_order[slot * set_rows + row];
      }
      conditions.find(codes.data());
      variants_.find(conditions.sets(), first_bits(rows), workspace, &context);
      const double* anchor = variants_.sums(workspace, 0);
      for (std::size_t variant = 0; variant < count_; ++variant) {
        double* to = out.row(variant * stride + first).data();
        const double* sums = variants_.sums(workspace, variant);
        add_differences(margins.span().row(first).data(), sums, anchor, 1 / parts.divisor, rows * outputs, to);
        if (options.scale == Scale::response) parts.link.apply_all(to, rows, outputs);
      }
    }
  }

  [[nodiscard]] std::size_t bytes() const override { return variants_.bytes(); }

 private:
  const BoundTrees<T>& bound_;
  Variant first_;
  TreeVariants variants_;
  std::size_t count_;
};

// Sums for more points and outputs than this leave the cache.
constexpr std::size_t most_workspace_bytes = std::size_t{1} << 25;
// What splits make of the variants is kept for all of them, and so are the ways down the trees.
constexpr std::size_t most_prepared_bytes = std::size_t{1} << 28;
// Fewer variants are as well predicted one by one.
constexpr std::size_t least_variants = 3;

template <class T>
std::unique_ptr<PreparedVariants> BoundTrees<T>::prepare(std::span<const Variant> variants,
                                                         const Context& context) const {
  if (variants.size() < least_variants || coded_->amounts() == nullptr) return nullptr;
  if (variants.size() > TreeVariants::most_points) return nullptr;
  if (variants.size() > most_workspace_bytes / (set_rows * sizeof(double) * parts_.base.size())) return nullptr;
  // All must set the same columns, each to one value for all rows.
  std::vector<std::size_t> slots;
  for (const Override& override : variants[0]) {
    if (const auto at = slot(override.column)) slots.push_back(*at);
  }
  std::vector<std::vector<std::uint16_t>> coded(variants.size());
  for (std::size_t v = 0; v < variants.size(); ++v) {
    if (variants[v].size() != variants[0].size()) return nullptr;
    for (std::size_t i = 0; i < variants[v].size(); ++i) {
      const auto* scalar = std::get_if<Scalar>(&variants[v][i].value);
      if (scalar == nullptr || variants[v][i].column != variants[0][i].column) return nullptr;
      const auto at = slot(variants[v][i].column);
      if (!at) continue;
      // What the framework refuses is said by the plain way.
      const std::uint32_t feature = codes().features()[*at];
      if (!takes(feature, static_cast<T>(features_[feature].translate(scalar->number)))) return nullptr;
      coded[v].push_back(code(*at, scalar->number));
    }
  }
  const auto splits = static_cast<std::size_t>(std::count_if(
      codes().conditions().begin(), codes().conditions().end(),
      [&](const auto& condition) { return std::find(slots.begin(), slots.end(), condition.slot) != slots.end(); }));
  if (splits * ((variants.size() + 63) / 64) > most_prepared_bytes / sizeof(std::uint64_t)) return nullptr;
  TreeVariants ready(parts_, codes(), *coded_->edges(), *coded_->amounts(), slots, coded,
                     {.bytes = most_prepared_bytes, .context = &context});
  if (!ready.whole() || ready.workspace_bytes() > most_workspace_bytes) return nullptr;
  return std::make_unique<VariantsOfTrees<T>>(*this, variants[0], std::move(ready), variants.size());
}

}  // namespace

template <class T>
std::unique_ptr<BoundModel> bind_trees(const TreeEnsemble::Parts& parts, const PackedTrees<T>& trees,
                                       std::shared_ptr<const CodedTrees> coded, FeatureColumns columns) {
  return std::make_unique<BoundTrees<T>>(parts, trees, std::move(coded), std::move(columns));
}

template std::unique_ptr<BoundModel> bind_trees(const TreeEnsemble::Parts&, const PackedTrees<float>&,
                                                std::shared_ptr<const CodedTrees>, FeatureColumns);
template std::unique_ptr<BoundModel> bind_trees(const TreeEnsemble::Parts&, const PackedTrees<double>&,
                                                std::shared_ptr<const CodedTrees>, FeatureColumns);

}  // namespace sightglass
