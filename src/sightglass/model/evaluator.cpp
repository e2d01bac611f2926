#include "sightglass/model/evaluator.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>

#include "sightglass/base/error.h"

namespace sightglass {

namespace {

// Rows that one thread predicts at a time: their columns and their reach through a tree stay in cache.
constexpr std::size_t parallel_rows = 1024;

// What tells two variants apart; nothing for variants that hold columns (those are taken as different).
using VariantKey = std::vector<std::pair<std::uint32_t, std::uint64_t>>;

std::optional<VariantKey> key_of(const Variant& variant) {
  VariantKey key;
  for (const Override& override : variant) {
    const auto* scalar = std::get_if<Scalar>(&override.value);
    if (scalar == nullptr) return std::nullopt;
    key.emplace_back(override.column, std::bit_cast<std::uint64_t>(scalar->number));
  }
  return key;
}

// For each variant, the position of the first one that asks for the same.
std::vector<std::size_t> first_equal(std::span<const Variant> variants) {
  std::vector<std::size_t> first(variants.size());
  std::map<VariantKey, std::size_t> seen;
  for (std::size_t i = 0; i < variants.size(); ++i) {
    const auto key = key_of(variants[i]);
    first[i] = key ? seen.try_emplace(*key, i).first->second : i;
  }
  return first;
}

// Overridden columns are handed on as level codes or as doubles, whatever the column was: a grid value need
// not be whole, and both can say missing by value.
DType override_type(DType type) { return type == DType::categorical ? type : DType::float64; }

void write_override(const Override& override, DType type, std::size_t rows, std::byte* target) {
  const auto* view = std::get_if<ColumnView>(&override.value);
  const auto number = [&](std::size_t row) {
    return view != nullptr ? view->number(row) : std::get<Scalar>(override.value).number;
  };
  if (type == DType::categorical) {
    auto* codes = reinterpret_cast<std::int32_t*>(target);
    for (std::size_t row = 0; row < rows; ++row) {
      const double code = number(row);
      codes[row] = std::isnan(code) ? -1 : static_cast<std::int32_t>(code);
    }
  } else {
    auto* numbers = reinterpret_cast<double*>(target);
    for (std::size_t row = 0; row < rows; ++row) numbers[row] = number(row);
  }
}

}  // namespace

// Memory for rows × variants laid out as plain columns, reused from call to call.
struct Evaluator::Tiles {
  std::vector<std::vector<std::byte>> data;
  std::vector<std::vector<std::uint8_t>> valid;
  std::vector<ColumnView> views;
};

Evaluator::Evaluator(const Model& model, const Source& source, std::span<const std::uint32_t> excluded,
                     const EvaluatorOptions& options, Context& context)
    : model_(model),
      bound_(model.bind(source.schema(), excluded)),
      options_(options),
      context_(context),
      tiles_(std::make_unique<Tiles>()) {
  const std::size_t width = source.schema().size();
  tiles_->data.resize(width);
  tiles_->valid.resize(width);
  tiles_->views.resize(width);
  outputs_ = model.signature().outputs;
  if (outputs_.empty()) {
    const auto stream = source.open(bound_->columns(), 1);
    const auto first = stream->next();
    if (!first) throw Error(ErrorKind::data, "the data have no rows");
    outputs_ = bound_->outputs(*first, options_.predict, context_);
  }
}

Evaluator::~Evaluator() = default;

void Evaluator::begin(std::string_view task, std::uint64_t total_model_rows) {
  task_ = task;
  done_ = 0;
  total_ = total_model_rows;
}

void Evaluator::evaluate(const RowBlock& block, Matrix& out) {
  const Variant plain[1];
  evaluate(block, plain, out);
}

void Evaluator::evaluate(const RowBlock& block, std::span<const Variant> variants, Matrix& out) {
  const std::size_t width = outputs_.size();
  out.resize(variants.size() * block.rows, width);
  context_.report({task_, done_, total_});

  const std::vector<std::size_t> first = first_equal(variants);
  std::vector<Variant> distinct;
  std::vector<std::size_t> position(variants.size());
  for (std::size_t i = 0; i < variants.size(); ++i) {
    position[i] = first[i] == i ? distinct.size() : position[first[i]];
    if (first[i] == i) distinct.push_back(variants[i]);
  }
  const MatrixSpan<double> computed = out.span().rows(0, distinct.size() * block.rows);
  if (model_.concurrency() == Concurrency::parallel) {
    predict_parallel(block, distinct, computed);
  } else {
    predict_tiled(block, distinct, computed);
  }
  model_rows_ += computed.rows();
  done_ += variants.size() * block.rows;
  check_finite(block, computed);
  // Spread to the variants that were asked for twice, from the back so that nothing is overwritten unread.
  for (std::size_t i = variants.size(); i-- > 0;) {
    if (position[i] == i) continue;
    std::memmove(out.span().data() + i * block.rows * width, out.span().data() + position[i] * block.rows * width,
                 block.rows * width * sizeof(double));
  }
  context_.report({task_, done_, total_});
}

void Evaluator::predict_parallel(const RowBlock& block, std::span<const Variant> variants, MatrixSpan<double> out) {
  const std::size_t parts = (block.rows + parallel_rows - 1) / parallel_rows;
  std::vector<std::vector<ColumnView>> columns(parts);
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t first = part * parallel_rows;
    const std::size_t count = std::min(parallel_rows, block.rows - first);
    columns[part].resize(block.columns.size());
    for (const std::uint32_t column : bound_->columns())
      columns[part][column] = block.columns[column].slice(first, count);
  }
  context_.parallel_for(variants.size() * parts, [&](std::size_t task) {
    const std::size_t part = task % parts;
    const std::size_t first = part * parallel_rows;
    const std::size_t count = std::min(parallel_rows, block.rows - first);
    Variant overrides = variants[task / parts];
    for (Override& override : overrides) {
      if (auto* view = std::get_if<ColumnView>(&override.value)) *view = view->slice(first, count);
    }
    const RowBlock piece{
        .first_row = block.first_row + first, .rows = count, .columns = columns[part], .overrides = overrides};
    bound_->predict(piece, options_.predict, out.rows(task / parts * block.rows + first, count), context_);
  });
}

// An opaque model pays for every call, so several variants go into one: the block's columns repeated once
// per variant, with the overridden columns written out.
void Evaluator::predict_tiled(const RowBlock& block, std::span<const Variant> variants, MatrixSpan<double> out) {
  const std::size_t per_call = std::max<std::size_t>(1, options_.call_rows / block.rows);
  for (std::size_t begin = 0; begin < variants.size(); begin += per_call) {
    const auto chunk = variants.subspan(begin, std::min(per_call, variants.size() - begin));
    const std::size_t rows = chunk.size() * block.rows;
    for (const std::uint32_t column : bound_->columns()) tile_column(block, chunk, column);
    const RowBlock tiled{.first_row = block.first_row, .rows = rows, .columns = tiles_->views};
    bound_->predict(tiled, options_.predict, out.rows(begin * block.rows, rows), context_);
    if (begin + per_call < variants.size()) context_.report({task_, done_ + begin * block.rows, total_});
  }
}

void Evaluator::tile_column(const RowBlock& block, std::span<const Variant> variants, std::uint32_t column) {
  const ColumnView& base = block.columns[column];
  const auto override_in = [&](const Variant& variant) -> const Override* {
    for (const Override& override : variant) {
      if (override.column == column) return &override;
    }
    return nullptr;
  };
  const bool overridden = std::any_of(variants.begin(), variants.end(),
                                      [&](const Variant& variant) { return override_in(variant) != nullptr; });
  const DType type = overridden ? override_type(base.type) : base.type;
  const std::size_t width = size_of(type);
  const std::size_t rows = variants.size() * block.rows;
  ColumnView& view = tiles_->views[column];
  if (variants.size() == 1 && !overridden) {
    view = base;
    return;
  }
  auto& data = tiles_->data[column];
  data.resize(rows * width);
  view = {.type = type, .data = data.data(), .size = rows, .stride = width, .dictionary = base.dictionary};
  // Missing values of integer columns live in bits; everything that is overridden says missing by value.
  const bool bits = base.valid != nullptr && type == base.type;
  auto& valid = tiles_->valid[column];
  if (bits) {
    valid.assign((rows + 7) / 8, 0xFF);
    view.valid = valid.data();
  }
  for (std::size_t v = 0; v < variants.size(); ++v) {
    std::byte* target = data.data() + v * block.rows * width;
    if (const Override* override = override_in(variants[v])) {
      write_override(*override, type, block.rows, target);
      continue;
    }
    if (type != base.type) {
      read_numbers(base, {reinterpret_cast<double*>(target), block.rows});
      continue;
    }
    if (base.stride == width) {
      std::memcpy(target, base.data, block.rows * width);
    } else {
      for (std::size_t row = 0; row < block.rows; ++row) {
        std::memcpy(target + row * width, static_cast<const std::byte*>(base.data) + row * base.stride, width);
      }
    }
    for (std::size_t row = 0; bits && row < block.rows; ++row) {
      const std::size_t bit = v * block.rows + row;
      if (!base.present(row)) valid[bit / 8] &= static_cast<std::uint8_t>(~(1U << (bit % 8)));
    }
  }
}

void Evaluator::check_finite(const RowBlock& block, MatrixSpan<const double> out) const {
  const std::size_t count = out.rows() * out.columns();
  for (std::size_t i = 0; i < count; ++i) {
    if (std::isfinite(out.data()[i])) continue;
    const std::uint64_t row = block.row_id(i / out.columns() % block.rows);
    throw Error(ErrorKind::prediction,
                "the model predicted " + std::string(std::isnan(out.data()[i]) ? "NaN" : "infinity") + " for row " +
                    std::to_string(row) + " (output " + printable(outputs_[i % out.columns()]) + ")",
                "an explanation needs finite predictions");
  }
}

}  // namespace sightglass
