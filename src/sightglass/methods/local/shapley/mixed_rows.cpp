#include <algorithm>

#include "sightglass/base/each_processor.h"
#include "sightglass/data/column_like.h"
#include "sightglass/methods/local/shapley/mixed_rows_internal.h"

namespace sightglass {

namespace {

// Rows are written in whole groups of so many numbers: what reaches into the next row is overwritten by it.
constexpr std::size_t lanes = 4;
// A group as one number for the processor, wherever it stands: left to themselves compilers choose number by number, by
// jumps that nobody can foresee.
typedef double Group __attribute__((vector_size(32), aligned(8), may_alias));
typedef std::uint64_t Bits __attribute__((vector_size(32), aligned(8), may_alias));
static_assert(sizeof(Group) == lanes * sizeof(double));

// Row `step` has the subject's values where ranks are up to `step`. Every number is chosen anew: rows made of the one
// before would wait for it.
SIGHTGLASS_FOR_EACH_PROCESSOR
void lay_order(double* out, std::size_t width, std::size_t padded, std::size_t steps, const double* ranks,
               const double* own, const double* other) {
  for (std::size_t step = 0; step < steps; ++step, out += width) {
    const auto last = static_cast<double>(step);
    for (std::size_t j = 0; j < padded; j += lanes) {
      const Group rank = *reinterpret_cast<const Group*>(ranks + j), mine = *reinterpret_cast<const Group*>(own + j),
                  theirs = *reinterpret_cast<const Group*>(other + j);
      *reinterpret_cast<Group*>(out + j) = rank <= last ? mine : theirs;
    }
  }
}

SIGHTGLASS_FOR_EACH_PROCESSOR
void lay_coalitions(double* out, std::size_t width, std::size_t padded, std::uint64_t first, std::size_t rows,
                    const std::uint64_t* bits, const double* own, const double* other) {
  for (std::uint64_t code = first; code < first + rows; ++code, out += width) {
    for (std::size_t j = 0; j < padded; j += lanes) {
      const Bits chosen = *reinterpret_cast<const Bits*>(bits + j) & code;
      const Group mine = *reinterpret_cast<const Group*>(own + j), theirs = *reinterpret_cast<const Group*>(other + j);
      *reinterpret_cast<Group*>(out + j) = chosen != 0 ? mine : theirs;
    }
  }
}

}  // namespace

MixedRows::MixedRows(const RowBlock& like, const std::vector<std::uint32_t>& features, const RowSample& background,
                     Evaluator& evaluator)
    : like_(like), features_(features), background_(background), evaluator_(evaluator) {
  const std::size_t p = features.size();
  padded_ = (p + lanes - 1) / lanes * lanes;
  own_.resize(padded_);
  as_matrix_ = evaluator.model().concurrency() != Concurrency::parallel &&
               std::all_of(features.begin(), features.end(),
                           [&](std::uint32_t column) { return like.columns[column].type == DType::float64; });
  if (!as_matrix_) return;
  turned_.resize(padded_);
  others_.resize(background.rows() * padded_);
  for (std::size_t j = 0; j < p; ++j) {
    for (std::size_t b = 0; b < background.rows(); ++b) others_[b * padded_ + j] = background.values[j][b];
  }
}

std::size_t MixedRows::rows_at_once() const {
  constexpr std::size_t most_rows = std::size_t{1} << 13, most_numbers = std::size_t{1} << 22;
  return std::max<std::size_t>(256, std::min(most_rows, most_numbers / features_.size()));
}

void MixedRows::set_subject(std::uint64_t id, std::span<const double> own) {
  id_ = id;
  std::copy(own.begin(), own.end(), own_.begin());
}

void MixedRows::keep(const Part& part) {
  parts_.push_back(part);
  rows_ += part.rows;
}

void MixedRows::add_order(std::size_t background, std::span<const double> ranks, std::size_t count) {
  keep({.background = background, .rows = 2 * (count - 1), .order = true, .keys = ranks_.size()});
  ranks_.insert(ranks_.end(), ranks.begin(), ranks.end());
  ranks_.resize(parts_.back().keys + padded_);
}

void MixedRows::add_coalitions(std::size_t background, std::span<const std::uint64_t> bits, std::uint64_t first,
                               std::size_t rows) {
  keep({.background = background, .rows = rows, .first = first, .keys = bits_.size()});
  bits_.insert(bits_.end(), bits.begin(), bits.end());
  bits_.resize(parts_.back().keys + padded_);
}

void MixedRows::write_part(const Part& part, double* out) {
  const std::size_t p = features_.size();
  const double* other = others_.data() + part.background * padded_;
  if (!part.order) {
    lay_coalitions(out, p, padded_, part.first, part.rows, bits_.data() + part.keys, own_.data(), other);
    return;
  }
  const std::size_t steps = part.rows / 2;
  const double* ranks = ranks_.data() + part.keys;
  for (std::size_t j = 0; j < p; ++j) turned_[j] = static_cast<double>(steps) - ranks[j];
  lay_order(out, p, padded_, steps, ranks, own_.data(), other);
  lay_order(out + steps * p, p, padded_, steps, turned_.data(), own_.data(), other);
}

void MixedRows::write_matrix(double* matrix) {
  const std::size_t p = features_.size();
  for (std::size_t i = 0; i + 1 < parts_.size(); ++i) {
    write_part(parts_[i], matrix);
    matrix += parts_[i].rows * p;
  }
  // Behind the last there is no room to write groups into.
  last_.resize(parts_.back().rows * p + lanes);
  write_part(parts_.back(), last_.data());
  std::copy_n(last_.data(), parts_.back().rows * p, matrix);
}

std::vector<double> MixedRows::laid_out(std::size_t feature) const {
  std::vector<double> numbers(rows_);
  double* at = numbers.data();
  for (const Part& part : parts_) {
    // Looked up one by one: ends of runs of random length would be mispredicted.
    const double either[] = {background_.values[feature][part.background], own_[feature]};
    if (part.order) {
      const std::size_t steps = part.rows / 2;
      const auto rank = static_cast<std::size_t>(ranks_[part.keys + feature]);
      for (std::size_t step = 0; step < steps; ++step) *at++ = either[step >= rank ? 1 : 0];
      for (std::size_t step = 0; step < steps; ++step) *at++ = either[step + rank >= steps ? 1 : 0];
    } else {
      const std::uint64_t bit = bits_[part.keys + feature];
      for (std::size_t i = 0; i < part.rows; ++i) *at++ = either[((part.first + i) & bit) != 0 ? 1 : 0];
    }
  }
  return numbers;
}

void MixedRows::predict(Matrix& out) {
  // Errors name the row that was to be explained.
  if (ids_.empty() || ids_.front() != id_) ids_.clear();
  ids_.resize(rows_, id_);
  RowBlock block{.first_row = id_, .rows = rows_, .row_ids = ids_};
  const std::size_t p = features_.size();
  const NumberBatch numbers{.rows = rows_, .columns = p, .write = [&](double* matrix) { write_matrix(matrix); }};
  written_there_ = written_there_ && as_matrix_ && evaluator_.evaluate(block, numbers, out);
  if (!written_there_) {
    std::vector<ColumnView> views(like_.columns.size());
    std::vector<Column> columns(p);
    if (as_matrix_) {
      matrix_.resize(std::max(matrix_.size(), rows_ * p));
      write_matrix(matrix_.data());
      for (std::size_t j = 0; j < p; ++j)
        views[features_[j]] = {.data = matrix_.data() + j, .size = rows_, .stride = p * sizeof(double)};
    } else {
      evaluator_.context().parallel_for(p, [&](std::size_t j) {
        columns[j] = column_like(like_.columns[features_[j]], laid_out(j));
        views[features_[j]] = columns[j].view;
      });
    }
    block.columns = views;
    evaluator_.evaluate(block, out);
  }
  parts_.clear();
  ranks_.clear();
  bits_.clear();
  rows_ = 0;
}

}  // namespace sightglass
