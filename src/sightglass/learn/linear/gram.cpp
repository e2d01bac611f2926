#include "sightglass/learn/linear/gram.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sightglass/learn/linear/panels.h"

namespace sightglass {

namespace {

// Rows whose columns stand in panels at once: those of a hundred columns fit the second cache.
constexpr std::size_t gram_block_rows = 1024;
// Rows that are summed before their sum is added: what two panels have of them fits the nearest cache.
constexpr std::size_t tile_rows = 128;

// One pass over the rows. Columns of numbers stand first, filled up to whole panels, levels behind them.
class Summing {
 public:
  Summing(const Design& design, const ProductRequest& request);
  void add_block(std::size_t begin, std::size_t rows, const Context& context);
  [[nodiscard]] std::vector<Products> sums() const;

 private:
  struct Coded {
    const Design::Levels* levels;
    std::vector<std::int32_t> place;      // of each code among all places; -1: not asked for
    std::vector<std::int32_t> here = {};  // of each row of the block
  };

  void order_rows(std::size_t begin, std::size_t rows);
  void pack(std::size_t p);
  // Panels p, p + 1 … by the panel q before them.
  struct Tiles {
    std::size_t p, q, count;
  };
  void add_panels(const Tiles& tiles);
  void add_codes(std::size_t coded);
  [[nodiscard]] static std::size_t pair(std::size_t p, std::size_t q) { return p * (p + 1) / 2 + q; }
  [[nodiscard]] double sum_at(std::size_t part, std::size_t row, std::size_t column) const;

  const Design& design_;
  const ProductRequest& request_;
  std::vector<std::int32_t> numbers_;  // request's columns, or -1 - index for those besides
  std::vector<Coded> coded_;
  std::vector<std::size_t> place_;  // of each of the request's columns
  std::size_t panels_ = 0, stride_ = 0;
  std::vector<Tiles> tasks_;
  std::vector<double> number_sums_;  // [part][pair of panels][column of the second × panel + column of the first]
  std::vector<double> level_sums_;   // [part][level][place], lower half
  // Of the block:
  std::size_t begin_ = 0;
  std::vector<std::uint32_t> rows_;      // by part, in their order
  std::vector<std::uint32_t> to_;        // the place of each row there
  std::vector<std::size_t> part_begin_;  // in rows_
  std::vector<double> weights_, packed_, weighted_;
};

Summing::Summing(const Design& design, const ProductRequest& request) : design_(design), request_(request) {
  for (std::size_t i = 0; i < request.more.size(); ++i) {
    place_.push_back(numbers_.size());
    numbers_.push_back(-1 - static_cast<std::int32_t>(i));
  }
  std::vector<std::int32_t> asked(design.size(), -1);
  for (const std::uint32_t c : request.columns) {
    asked[c] = static_cast<std::int32_t>(place_.size());
    place_.push_back(0);
    if (design.columns()[c].kind == DesignColumn::Kind::level) continue;
    place_.back() = numbers_.size();
    numbers_.push_back(static_cast<std::int32_t>(c));
  }
  panels_ = (numbers_.size() + panel - 1) / panel;
  stride_ = panels_ * panel;
  for (const Design::Levels& levels : design.levels()) {
    Coded coded{&levels, std::vector<std::int32_t>(levels.column.size(), -1)};
    bool any = false;
    for (std::size_t code = 0; code < levels.column.size(); ++code) {
      const std::int32_t c = levels.column[code];
      if (c < 0 || asked[static_cast<std::size_t>(c)] < 0) continue;
      coded.place[code] = static_cast<std::int32_t>(stride_);
      place_[static_cast<std::size_t>(asked[static_cast<std::size_t>(c)])] = stride_++;
      any = true;
    }
    if (any) coded_.push_back(std::move(coded));
  }
  for (std::size_t q = 0; q < panels_; ++q) {
    for (std::size_t p = q; p < panels_; p += most_panels) tasks_.push_back({p, q, std::min(most_panels, panels_ - p)});
  }
  number_sums_.resize(request.part_count * pair(panels_, 0) * panel * panel);
  level_sums_.resize(request.part_count * (stride_ - panels_ * panel) * stride_);
  packed_.resize(panels_ * panel * gram_block_rows);
  if (!request.weights.empty()) weighted_.resize(packed_.size());
}

// Rows of a part become neighbours.
void Summing::order_rows(std::size_t begin, std::size_t rows) {
  begin_ = begin;
  part_begin_.assign(request_.part_count + 1, 0);
  rows_.resize(rows);
  if (request_.parts.empty()) {
    std::iota(rows_.begin(), rows_.end(), 0U);
    part_begin_[1] = rows;
  } else {
    for (std::size_t r = 0; r < rows; ++r) ++part_begin_[request_.parts[begin + r] + 1];
    std::partial_sum(part_begin_.begin(), part_begin_.end(), part_begin_.begin());
    std::vector<std::size_t> next(part_begin_);
    for (std::size_t r = 0; r < rows; ++r) rows_[next[request_.parts[begin + r]]++] = static_cast<std::uint32_t>(r);
  }
  to_.resize(rows);
  for (std::uint32_t i = 0; i < rows; ++i) to_[rows_[i]] = i;
  weights_.assign(rows, 1.0);
  if (request_.weights.empty()) return;
  for (std::size_t i = 0; i < rows; ++i) weights_[i] = request_.weights[begin + rows_[i]];
}

void Summing::pack(std::size_t p) {
  static constexpr double zeros[gram_block_rows] = {};
  double filled[panel][gram_block_rows];
  const std::size_t rows = rows_.size();
  PanelColumn columns[panel];
  for (std::size_t c = 0; c < panel; ++c) {
    columns[c] = {zeros, 0, 0};
    if (p * panel + c >= numbers_.size()) continue;
    const std::int32_t number = numbers_[p * panel + c];
    if (number < 0) {
      columns[c] = {request_.more[static_cast<std::size_t>(-1 - number)].data() + begin_, 0, 1};
      continue;
    }
    const auto column = static_cast<std::size_t>(number);
    if (const double* own = design_.as_it_is(column)) {
      columns[c] = {own + begin_, design_.columns()[column].centre, 1 / design_.columns()[column].scale};
      continue;
    }
    design_.fill(column, begin_, rows, filled[c]);
    columns[c] = {filled[c], 0, 1};
  }
  const std::size_t at = p * panel * gram_block_rows;
  pack_panel(columns, rows, to_.data(), packed_.data() + at);
  if (weighted_.empty()) return;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t c = 0; c < panel; ++c) weighted_[at + i * panel + c] = weights_[i] * packed_[at + i * panel + c];
  }
}

void Summing::add_panels(const Tiles& tiles) {
  const std::size_t of_panel = panel * gram_block_rows;
  const double* a = (weighted_.empty() ? packed_ : weighted_).data() + tiles.p * of_panel;
  const double* b = packed_.data() + tiles.q * of_panel;
  double* sums[most_panels];
  for (std::size_t part = 0; part < request_.part_count; ++part) {
    for (std::size_t i = 0; i < tiles.count; ++i) {
      sums[i] = number_sums_.data() + (part * pair(panels_, 0) + pair(tiles.p + i, tiles.q)) * panel * panel;
    }
    for (std::size_t i = part_begin_[part]; i < part_begin_[part + 1]; i += tile_rows) {
      const std::size_t rows = std::min(tile_rows, part_begin_[part + 1] - i);
      add_tiles({a + i * panel, of_panel, tiles.count}, b + i * panel, rows, sums);
    }
  }
}

// A feature's levels by all numbers, by the levels of the features before it, and by themselves.
void Summing::add_codes(std::size_t index) {
  const Coded& coded = coded_[index];
  for (std::size_t part = 0; part < request_.part_count; ++part) {
    const std::size_t numbers = panels_ * panel;
    double* sums = level_sums_.data() + part * (stride_ - numbers) * stride_;
    for (std::size_t i = part_begin_[part]; i < part_begin_[part + 1]; ++i) {
      const std::int32_t place = coded.here[rows_[i]];
      if (place < 0) continue;
      double* row = sums + (static_cast<std::size_t>(place) - numbers) * stride_;
      const double w = weights_[i];
      for (std::size_t p = 0; p < panels_; ++p) {
        const double* values = packed_.data() + p * panel * gram_block_rows + i * panel;
        for (std::size_t c = 0; c < panel; ++c) row[p * panel + c] += w * values[c];
      }
      for (std::size_t other = 0; other < index; ++other) {
        const std::int32_t there = coded_[other].here[rows_[i]];
        if (there >= 0) row[there] += w;
      }
      row[place] += w;
    }
  }
}

void Summing::add_block(std::size_t begin, std::size_t rows, const Context& context) {
  order_rows(begin, rows);
  context.parallel_for(panels_ + coded_.size(), [&](std::size_t task) {
    if (task < panels_) return pack(task);
    Coded& coded = coded_[task - panels_];
    coded.here.resize(rows);
    for (std::size_t r = 0; r < rows; ++r) coded.here[r] = coded.place[design_.code(*coded.levels, begin + r)];
  });
  context.parallel_for(tasks_.size() + coded_.size(), [&](std::size_t task) {
    task < tasks_.size() ? add_panels(tasks_[task]) : add_codes(task - tasks_.size());
  });
}

double Summing::sum_at(std::size_t part, std::size_t row, std::size_t column) const {
  const std::size_t numbers = panels_ * panel;
  if (row >= numbers) return level_sums_[(part * (stride_ - numbers) + row - numbers) * stride_ + column];
  const std::size_t tile = part * pair(panels_, 0) + pair(row / panel, column / panel);
  return number_sums_[(tile * panel + column % panel) * panel + row % panel];
}

std::vector<Products> Summing::sums() const {
  const std::size_t size = place_.size(), besides = request_.more.size();
  std::vector<double> factor(size, 1.0);
  for (std::size_t i = besides; i < size; ++i) {
    const DesignColumn& column = design_.columns()[request_.columns[i - besides]];
    if (column.kind == DesignColumn::Kind::level) factor[i] = 1 / column.scale;
  }
  std::vector<Products> parts(request_.part_count);
  for (std::size_t part = 0; part < parts.size(); ++part) {
    parts[part] = {size, std::vector<double>(size * size)};
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) {
        const std::size_t row = std::max(place_[i], place_[j]), column = std::min(place_[i], place_[j]);
        parts[part].sums[i * size + j] = sum_at(part, row, column) * (factor[i] * factor[j]);
      }
    }
  }
  return parts;
}

}  // namespace

std::vector<Products> sums_of_products(const Design& design, const ProductRequest& request, const Context& context) {
  Summing summing(design, request);
  for (std::size_t begin = 0; begin < design.rows(); begin += gram_block_rows) {
    context.check();
    summing.add_block(begin, std::min(gram_block_rows, design.rows() - begin), context);
  }
  return summing.sums();
}

}  // namespace sightglass
