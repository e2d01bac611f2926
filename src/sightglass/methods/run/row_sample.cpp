#include "sightglass/methods/run/row_sample.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/base/random.h"

namespace sightglass {

namespace {

// Rows as they come, a fixed number of doubles each: the weight, then the columns.
class DrawnRows {
 public:
  struct Key {
    std::uint64_t random, id;
    [[nodiscard]] bool operator<(const Key& other) const {
      return random != other.random ? random < other.random : id < other.id;
    }
  };

  DrawnRows(std::size_t width, std::uint64_t limit)
      : width_(width), limit_(limit == 0 ? std::numeric_limits<std::uint64_t>::max() : limit) {}

  // Where to write the row's numbers, or null if enough others come first.
  double* add(const Key& key) {
    ++available;
    if (full() && !(key < last_)) return nullptr;
    keys_.push_back(key);
    numbers_.resize(numbers_.size() + width_);
    return numbers_.data() + numbers_.size() - width_;
  }
  // Keeps memory at twice the limit.
  void trim_sometimes() {
    if (keys_.size() / 2 >= limit_) trim();
  }

  void merge(const DrawnRows& other) {
    available += other.available;
    keys_.insert(keys_.end(), other.keys_.begin(), other.keys_.end());
    numbers_.insert(numbers_.end(), other.numbers_.begin(), other.numbers_.end());
    trim();
  }
  void save(ByteSink& sink) const {
    if (keys_.size() > limit_) {
      DrawnRows fewer(*this);
      fewer.trim();
      fewer.save(sink);
      return;
    }
    sink.u64(available);
    sink.u64(keys_.size());
    for (const Key& key : keys_) {
      sink.u64(key.random);
      sink.u64(key.id);
    }
    for (const double number : numbers_) sink.f64(number);
  }
  void load(ByteSource& source) {
    available = source.u64();
    keys_.resize(source.count(16 + 8 * width_));
    for (Key& key : keys_) {
      key.random = source.u64();
      key.id = source.u64();
    }
    numbers_.resize(keys_.size() * width_);
    for (double& number : numbers_) number = source.f64();
  }

  [[nodiscard]] RowSample take(std::vector<std::uint32_t> columns) const {
    if (keys_.size() > limit_) {
      DrawnRows fewer(*this);
      fewer.trim();
      return fewer.take(std::move(columns));
    }
    std::vector<std::size_t> order(keys_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return keys_[a].id < keys_[b].id; });
    RowSample sample{.columns = std::move(columns), .available = available};
    sample.values.resize(width_ - 1);
    for (const std::size_t at : order) {
      sample.ids.push_back(keys_[at].id);
      sample.weights.push_back(numbers_[at * width_]);
    }
    for (std::size_t column = 0; column + 1 < width_; ++column) {
      sample.values[column].reserve(order.size());
      for (const std::size_t at : order) sample.values[column].push_back(numbers_[at * width_ + 1 + column]);
    }
    return sample;
  }

  std::uint64_t available = 0;

 private:
  [[nodiscard]] bool full() const { return trimmed_ && keys_.size() >= limit_; }

  // Only the `limit` smallest keys stay.
  void trim() {
    if (keys_.size() <= limit_) return;
    std::vector<std::size_t> order(keys_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(limit_);
    std::nth_element(order.begin(), end, order.end(),
                     [&](std::size_t a, std::size_t b) { return keys_[a] < keys_[b]; });
    last_ = keys_[*end];
    trimmed_ = true;
    order.resize(limit_);
    std::sort(order.begin(), order.end());
    for (std::size_t to = 0; to < order.size(); ++to) {
      keys_[to] = keys_[order[to]];
      std::copy_n(numbers_.begin() + static_cast<std::ptrdiff_t>(order[to] * width_), width_,
                  numbers_.begin() + static_cast<std::ptrdiff_t>(to * width_));
    }
    keys_.resize(limit_);
    numbers_.resize(limit_ * width_);
  }

  std::size_t width_;
  std::uint64_t limit_;
  std::vector<Key> keys_;
  std::vector<double> numbers_;
  bool trimmed_ = false;
  Key last_{};  // the first key that did not stay when rows were last trimmed: later ones need not be kept
};

class DrawPass : public Pass<DrawnRows, RowSample> {
 public:
  DrawPass(const MethodInput& input, std::vector<std::uint32_t> columns, std::uint64_t limit, std::uint64_t stream)
      : columns_(std::move(columns)), limit_(limit >= input.rows ? 0 : limit), seed_(input.seed), stream_(stream) {}

  [[nodiscard]] std::vector<std::uint32_t> columns() const override { return columns_; }
  [[nodiscard]] bool needs_model() const override { return false; }
  [[nodiscard]] DrawnRows empty() const override { return {columns_.size() + 1, limit_}; }
  void map(const RowBlock& block, DrawnRows& drawn, Evaluator& /*evaluator*/) const override {
    for (std::size_t row = 0; row < block.rows; ++row) {
      const double weight = block.weight(row);
      if (!(weight > 0)) continue;
      const std::uint64_t id = block.row_id(row);
      double* numbers = drawn.add({limit_ == 0 ? 0 : random_bits(seed_, stream_, id), id});
      if (numbers == nullptr) continue;
      *numbers++ = weight;
      for (const std::uint32_t column : columns_) *numbers++ = block.columns[column].number(row);
      drawn.trim_sometimes();
    }
  }
  [[nodiscard]] RowSample find(const DrawnRows& drawn) const override { return drawn.take(columns_); }

 private:
  std::vector<std::uint32_t> columns_;
  std::uint64_t limit_, seed_, stream_;
};

}  // namespace

const std::vector<double>& RowSample::of(std::uint32_t column) const {
  const auto at = std::find(columns.begin(), columns.end(), column);
  if (at == columns.end()) throw Error(ErrorKind::internal, "a column that was not drawn");
  return values[static_cast<std::size_t>(at - columns.begin())];
}

std::size_t RowSample::find(std::uint64_t id) const {
  const auto at = std::lower_bound(ids.begin(), ids.end(), id);
  return at != ids.end() && *at == id ? static_cast<std::size_t>(at - ids.begin()) : ids.size();
}

Chain<RowSample> draw_rows(const MethodInput& input, std::vector<std::uint32_t> columns, std::uint64_t limit,
                           std::uint64_t stream) {
  return over_rows<DrawPass>(input, std::move(columns), limit, stream);
}

}  // namespace sightglass
