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
  ranks_.resize(padded_);
  turned_.resize(padded_);
  bits_.resize(padded_);
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

double* MixedRows::room_for(std::size_t rows) {
  const std::size_t needed = (rows_ + rows) * features_.size() + lanes;
  if (matrix_.size() < needed) matrix_.resize(std::max(needed, 2 * matrix_.size()));
  double* room = matrix_.data() + rows_ * features_.size();
  rows_ += rows;
  return room;
}

void MixedRows::keep(const Part& part) {
  parts_.push_back(part);
  rows_ += part.rows;
}

void MixedRows::add_order(std::size_t background, std::span<const double> ranks, std::size_t count) {
  const std::size_t steps = count - 1, p = features_.size();
  if (!as_matrix_) {
    keep({.background = background, .rows = 2 * steps, .order = true, .keys = ranks_.size()});
    ranks_.insert(ranks_.end(), ranks.begin(), ranks.end());
    return;
  }
  double* out = room_for(2 * steps);
  const double* other = others_.data() + background * padded_;
  for (std::size_t j = 0; j < p; ++j) {
    ranks_[j] = ranks[j];
    turned_[j] = static_cast<double>(steps) - ranks[j];
  }
  lay_order(out, p, padded_, steps, ranks_.data(), own_.data(), other);
  lay_order(out + steps * p, p, padded_, steps, turned_.data(), own_.data(), other);
}

void MixedRows::add_coalitions(std::size_t background, std::span<const std::uint64_t> bits, std::uint64_t first,
                               std::size_t rows) {
  if (!as_matrix_) {
    keep({.background = background, .rows = rows, .first = first, .keys = bits_.size()});
    bits_.insert(bits_.end(), bits.begin(), bits.end());
    return;
  }
  std::copy(bits.begin(), bits.end(), bits_.begin());
  lay_coalitions(room_for(rows), features_.size(), padded_, first, rows, bits_.data(), own_.data(),
                 others_.data() + background * padded_);
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
  std::vector<ColumnView> views(like_.columns.size());
  std::vector<Column> columns(features_.size());
  if (as_matrix_) {
    for (std::size_t j = 0; j < features_.size(); ++j) {
      views[features_[j]] = {.data = matrix_.data() + j, .size = rows_, .stride = features_.size() * sizeof(double)};
    }
  } else {
    evaluator_.context().parallel_for(features_.size(), [&](std::size_t j) {
      columns[j] = column_like(like_.columns[features_[j]], laid_out(j));
      views[features_[j]] = columns[j].view;
    });
    parts_.clear();
    ranks_.clear();
    bits_.clear();
  }
  // Errors name the row that was to be explained.
  if (ids_.empty() || ids_.front() != id_) ids_.clear();
  ids_.resize(rows_, id_);
  evaluator_.evaluate({.first_row = id_, .rows = rows_, .columns = views, .row_ids = ids_}, out);
  rows_ = 0;
}

}  // namespace sightglass
