#include "sightglass/model/evaluator.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "sightglass/base/each_processor.h"
#include "sightglass/base/error.h"
#include "sightglass/base/picture.h"
#include "sightglass/data/new_rows.h"
#include "sightglass/model/no_model.h"

namespace sightglass {

namespace {

// Rows that one thread predicts at a time: their columns and their reach through a tree stay in cache.
constexpr std::size_t parallel_rows = 1024;
constexpr std::size_t tasks_per_round = 32;
// Of variants that are kept ready for the next block.
constexpr std::size_t most_prepared_bytes = std::size_t{1} << 28;

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

// Zero times a number is zero, unless it is none.
SIGHTGLASS_FOR_EACH_PROCESSOR
bool all_finite(const double* numbers, std::size_t count) {
  constexpr std::size_t lanes = 8;
  double sums[lanes] = {};
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += 0 * numbers[i + lane];
  }
  for (; i < count; ++i) sums[0] += 0 * numbers[i];
  double sum = 0;
  for (const double each : sums) sum += each;
  return sum == 0;
}

// Of the part of a block that begins there.
std::span<const std::uint64_t> ids_of(const RowBlock& block, std::size_t first) {
  if (block.row_ids.empty()) return {};
  return block.row_ids.subspan(first, std::min(parallel_rows, block.rows - first));
}

}  // namespace

// What is reused from call to call: memory for rows × variants laid out as plain columns, and variants made ready,
// which are asked for again with every block.
struct Evaluator::Memory {
  struct Prepared {
    std::vector<VariantKey> keys;
    std::unique_ptr<PreparedVariants> variants;  // null: they do not go together
  };
  std::vector<Prepared> prepared;
  std::size_t prepared_bytes = 0;
  std::unique_ptr<PreparedVariants> passing;  // for which there was no room

  std::vector<std::vector<std::byte>> data;
  std::vector<std::vector<std::uint8_t>> missing;  // a byte per row
  std::vector<std::vector<std::uint8_t>> valid;    // a bit per row
  std::vector<ColumnView> views;
};

Evaluator::Evaluator(const Model& model, const Source& source, std::span<const std::uint32_t> excluded,
                     const EvaluatorOptions& options, Context& context)
    : model_(model),
      bound_(model.bind(source.schema(), excluded)),
      excluded_(excluded.begin(), excluded.end()),
      options_(options),
      context_(context),
      memory_(std::make_unique<Memory>()) {
  if (options.predict.scale == Scale::margin && model.signature().opaque) {
    throw Error(ErrorKind::usage, "scale margin: this model has only its response", "leave the option out");
  }
  const std::size_t width = source.schema().size();
  memory_->data.resize(width);
  memory_->missing.resize(width);
  memory_->valid.resize(width);
  memory_->views.resize(width);
  outputs_ = model.signature().outputs;
  if (outputs_.empty() && !is_no_model(model)) {
    const auto stream = source.open(bound_->columns(), 1);
    const auto first = stream->next();
    if (!first) throw Error(ErrorKind::data, "the data have no rows");
    outputs_ = bound_->outputs(*first, options_.predict, context_);
    if (outputs_.empty()) throw Error(ErrorKind::prediction, "the model gives no number for a row");
  }
  std::unordered_set<std::string_view> names;
  for (std::size_t k = 0; k < outputs_.size(); ++k) {
    const bool twice = !names.insert(outputs_[k]).second;
    if (outputs_[k].empty() || twice) {
      throw Error(ErrorKind::prediction, "the model's outputs need names of their own, but " +
                                             (twice ? "two are called " + printable(outputs_[k])
                                                    : "number " + std::to_string(k) + " has none"));
    }
  }
}

Evaluator::~Evaluator() = default;

void Evaluator::begin(std::string_view task, std::uint64_t total_model_rows) {
  task_ = task;
  done_ = 0;
  total_ = total_model_rows;
  memory_->prepared.clear();
  memory_->prepared_bytes = 0;
  memory_->passing.reset();
}

void Evaluator::evaluate(const RowBlock& block, Matrix& out) {
  const Variant plain[1];
  evaluate(block, plain, out);
}

bool Evaluator::predict_made(const RowBlock& block, Matrix& out,
                             const std::function<bool(MatrixSpan<double>)>& predict) {
  out.resize(block.rows, outputs_.size());
  context_.report({task_, done_, total_});
  if (!predict(out.span())) return false;
  model_rows_ += block.rows;
  done_ += block.rows;
  check_finite(block, out.span());
  context_.report({task_, done_, total_});
  return true;
}

void Evaluator::evaluate(const Schema& schema, const RowBlock& block, std::uint32_t column,
                         const std::shared_ptr<const TextBatch>& texts, Matrix& out) {
  const bool done = predict_made(block, out, [&](MatrixSpan<double> to) {
    return bound_->predict_texts(block, column, texts, options_.predict, to, context_);
  });
  if (!done) evaluate_levels(schema, block, column, *texts, out);
}

void Evaluator::evaluate(const Schema& schema, const RowBlock& block, std::uint32_t column,
                         const PictureBatch& pictures, Matrix& out) {
  const bool done = predict_made(block, out, [&](MatrixSpan<double> to) {
    return bound_->predict_pictures(block, column, pictures, options_.predict, to, context_);
  });
  if (done) return;
  auto texts = std::make_shared<TextBatch>();
  Picture picture{.width = pictures.width, .height = pictures.height};
  picture.rgb.resize(pictures.bytes_each());
  for (std::size_t i = 0; i < pictures.count; ++i) {
    pictures.write(i, picture.rgb.data());
    texts->add(picture_text(picture));
  }
  evaluate(schema, block, column, texts, out);
}

bool Evaluator::evaluate(const RowBlock& block, const NumberBatch& numbers, Matrix& out) {
  return predict_made(block, out, [&](MatrixSpan<double> to) {
    return bound_->predict_numbers(numbers, options_.predict, to, context_);
  });
}

void Evaluator::evaluate_levels(const Schema& schema, const RowBlock& block, std::uint32_t column,
                                const TextBatch& texts, Matrix& out) {
  std::vector<std::string> levels;
  std::vector<std::int32_t> codes;
  std::unordered_map<std::string_view, std::int32_t> known;  // different pieces may leave the same text
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto [at, fresh] = known.try_emplace(texts.text(i), static_cast<std::int32_t>(levels.size()));
    if (fresh) levels.emplace_back(texts.text(i));
    codes.push_back(at->second);
  }
  std::vector<ColumnInfo> infos = schema.columns();
  infos[column].dictionary = std::make_shared<const Dictionary>(std::move(levels));
  const Schema made(std::move(infos));
  const Column coded = column_of(std::move(codes), made[column].dictionary.get());
  std::vector<ColumnView> views(block.columns.begin(), block.columns.end());
  views[column] = coded.view;
  std::unique_ptr<BoundModel> bound = model_.bind(made, excluded_);
  if (bound->columns() != bound_->columns()) throw Error(ErrorKind::internal, "rows were made with other columns");
  std::swap(bound, bound_);
  const Variant plain[1];
  try {
    // Not together: what is made ready for variants belongs to the levels of the data.
    evaluate({.rows = block.rows, .columns = views}, plain, out, false);
  } catch (...) {
    std::swap(bound, bound_);
    throw;
  }
  std::swap(bound, bound_);
}

void Evaluator::evaluate(const RowBlock& block, std::span<const Variant> variants, Matrix& out, bool together) {
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
    // What goes together is added up in double, in another order.
    const bool exact = options_.predict.arithmetic == Arithmetic::exact;
    predict_parallel(block, distinct, computed, together && exact && options_.together);
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

// The model's columns in parts of parallel_rows.
std::vector<std::vector<ColumnView>> Evaluator::cut(const RowBlock& block) const {
  std::vector<std::vector<ColumnView>> columns((block.rows + parallel_rows - 1) / parallel_rows);
  for (std::size_t part = 0; part < columns.size(); ++part) {
    const std::size_t first = part * parallel_rows;
    columns[part].resize(block.columns.size());
    for (const std::uint32_t column : bound_->columns())
      columns[part][column] = block.columns[column].slice(first, std::min(parallel_rows, block.rows - first));
  }
  return columns;
}

const PreparedVariants* Evaluator::prepared_for(std::span<const Variant> variants) {
  std::vector<VariantKey> keys;
  std::size_t bytes = 0;
  for (const Variant& variant : variants) {
    auto key = key_of(variant);
    if (!key) return nullptr;
    bytes += sizeof(VariantKey) + key->size() * sizeof(key->front());
    keys.push_back(std::move(*key));
  }
  auto& kept = memory_->prepared;
  const auto known = std::find_if(kept.begin(), kept.end(), [&](const auto& each) { return each.keys == keys; });
  if (known != kept.end()) return known->variants.get();
  memory_->passing = bound_->prepare(variants, context_);
  if (memory_->passing) bytes += memory_->passing->bytes();
  // Others stay rather than give way: they come again before these do.
  if (memory_->prepared_bytes + bytes > most_prepared_bytes) return memory_->passing.get();
  memory_->prepared_bytes += bytes;
  return kept.emplace_back(Memory::Prepared{std::move(keys), std::move(memory_->passing)}).variants.get();
}

void Evaluator::predict_together(const PreparedVariants& prepared, const RowBlock& block, MatrixSpan<double> out) {
  const auto columns = cut(block);
  context_.parallel_for(columns.size(), [&](std::size_t part) {
    const std::size_t first = part * parallel_rows;
    const RowBlock piece{.first_row = block.first_row + first,
                         .rows = std::min(parallel_rows, block.rows - first),
                         .columns = columns[part],
                         .row_ids = ids_of(block, first)};
    prepared.predict(piece, options_.predict, out.rows(first, out.rows() - first), block.rows, context_);
  });
}

void Evaluator::predict_parallel(const RowBlock& block, std::span<const Variant> variants, MatrixSpan<double> out,
                                 bool together) {
  if (together) {
    if (const PreparedVariants* prepared = prepared_for(variants)) {
      predict_together(*prepared, block, out);
      return;
    }
  }
  const auto columns = cut(block);
  const std::size_t parts = columns.size();
  const auto predict_one = [&](std::size_t task) {
    const std::size_t part = task % parts;
    const std::size_t first = part * parallel_rows;
    const std::size_t count = std::min(parallel_rows, block.rows - first);
    Variant overrides = variants[task / parts];
    for (Override& override : overrides) {
      if (auto* view = std::get_if<ColumnView>(&override.value)) *view = view->slice(first, count);
    }
    const RowBlock piece{.first_row = block.first_row + first,
                         .rows = count,
                         .columns = columns[part],
                         .overrides = overrides,
                         .row_ids = ids_of(block, first)};
    bound_->predict(piece, options_.predict, out.rows(task / parts * block.rows + first, count), context_);
  };
  // In rounds, so that progress shows and a signal is heard while a large request is under way.
  const std::size_t tasks = variants.size() * parts;
  const std::size_t round = tasks_per_round * static_cast<std::size_t>(context_.threads());
  for (std::size_t begin = 0; begin < tasks; begin += round) {
    const std::size_t count = std::min(round, tasks - begin);
    context_.parallel_for(count, [&](std::size_t task) { predict_one(begin + task); });
    context_.report({task_, done_ + std::min((begin + count) * parallel_rows, out.rows()), total_});
  }
}

// An opaque model pays for every call, so several variants go into one.
void Evaluator::predict_tiled(const RowBlock& block, std::span<const Variant> variants, MatrixSpan<double> out) {
  const std::size_t per_call = std::max<std::size_t>(1, options_.call_rows / block.rows);
  for (std::size_t begin = 0; begin < variants.size(); begin += per_call) {
    const auto chunk = variants.subspan(begin, std::min(per_call, variants.size() - begin));
    const Tiles tiles(block, chunk);
    const auto target = out.rows(begin * block.rows, tiles.rows());
    if (!bound_->predict_tiles(tiles, options_.predict, target, context_)) {
      for (const std::uint32_t column : bound_->columns()) lay_out(tiles, column);
      const RowBlock tiled{.first_row = block.first_row, .rows = tiles.rows(), .columns = memory_->views};
      bound_->predict(tiled, options_.predict, target, context_);
    }
    if (begin + per_call < variants.size()) context_.report({task_, done_ + begin * block.rows, total_});
  }
}

void Evaluator::lay_out(const Tiles& tiles, std::uint32_t column) {
  const ColumnView& base = tiles.block().columns[column];
  ColumnView& view = memory_->views[column];
  const auto& variants = tiles.variants();
  if (variants.size() == 1 && variants[0].empty()) {
    view = base;
    return;
  }
  const DType type = tiles.type(column);
  const std::size_t width = size_of(type);
  auto& data = memory_->data[column];
  data.resize(tiles.rows() * width);
  view = {.type = type, .data = data.data(), .size = tiles.rows(), .stride = width, .dictionary = base.dictionary};
  TileTarget target{.type = type, .data = data.data(), .stride = width};
  if (!tiles.marks_missing(column)) {
    tiles.write(column, target);
    return;
  }
  auto& missing = memory_->missing[column];
  missing.resize(tiles.rows());
  target.missing = missing.data();
  tiles.write(column, target);
  auto& valid = memory_->valid[column];
  valid.assign((tiles.rows() + 7) / 8, 0xFF);
  for (std::size_t row = 0; row < missing.size(); ++row) {
    if (missing[row] != 0) valid[row / 8] &= static_cast<std::uint8_t>(~(1U << (row % 8)));
  }
  view.valid = valid.data();
}

void refuse_prediction(double value, std::uint64_t row, const std::string& where) {
  throw Error(ErrorKind::prediction,
              "the model predicted " + std::string(std::isnan(value) ? "NaN" : "infinity") + " for " + row_text(row) +
                  (is_new_row(row) ? " of the new rows" : "") + where,
              "only finite predictions can be used; leave such rows out");
}

void Evaluator::check_finite(const RowBlock& block, MatrixSpan<const double> out) const {
  const std::size_t count = out.rows() * out.columns();
  if (all_finite(out.data(), count)) return;
  for (std::size_t i = 0; i < count; ++i) {
    if (std::isfinite(out.data()[i])) continue;
    if (block.made_up)
      throw Error(ErrorKind::prediction,
                  "the model predicted " + std::string(std::isnan(out.data()[i]) ? "NaN" : "infinity") +
                      " for a row that was made up of values of the data (output " +
                      printable(outputs_[i % out.columns()]) + ")",
                  "only finite predictions can be used: the model has to answer any values that features have");
    refuse_prediction(out.data()[i], block.row_id(i / out.columns() % block.rows),
                      " (output " + printable(outputs_[i % out.columns()]) + ")");
  }
}

}  // namespace sightglass
