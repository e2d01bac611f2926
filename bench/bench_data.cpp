#include "bench_data.h"

#include <algorithm>
#include <fstream>
#include <span>

#include "sightglass/base/error.h"
#include "sightglass/model/load.h"
#include "sightglass/model/trees/ensemble.h"

namespace sightglass {

namespace {

constexpr std::size_t rows_at_once_read = 65536;

template <class T>
std::vector<T> numbers(std::ifstream& file, std::size_t count) {
  std::vector<T> values(count);
  const auto bytes = std::as_writable_bytes(std::span(values));
  // The library's rule against reinterpret_cast holds here too: a void pointer is on the way.
  file.read(static_cast<char*>(static_cast<void*>(bytes.data())), static_cast<std::streamsize>(bytes.size()));
  if (!file) throw Error(ErrorKind::data, "a file of the measurement is too short");
  return values;
}

std::ifstream opened(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(ErrorKind::data, "cannot read " + path);
  return file;
}

// int64: features, trees. Of each tree, int64: nodes, left[], right[], feature[]; float64: threshold[], cover[],
// value[].
std::unique_ptr<Model> read_forest(const std::string& path) {
  std::ifstream file = opened(path);
  const auto head = numbers<std::int64_t>(file, 2);
  TreeEnsemble::Parts parts;
  parts.signature.format = "scikit-learn";
  parts.signature.outputs = {"prediction"};
  for (std::int64_t feature = 0; feature < head[0]; ++feature)
    parts.signature.features.push_back({.name = "x" + std::to_string(feature), .levels = {}});
  parts.comparison = Comparison::float32_less_equal;
  parts.link.link = Link::identity;
  parts.base = {0};
  parts.divisor = static_cast<double>(head[1]);
  parts.refuses_missing = parts.refuses_infinite = true;
  for (std::int64_t tree = 0; tree < head[1]; ++tree) {
    const auto count = static_cast<std::size_t>(numbers<std::int64_t>(file, 1)[0]);
    const auto left = numbers<std::int64_t>(file, count), right = numbers<std::int64_t>(file, count);
    const auto feature = numbers<std::int64_t>(file, count);
    const auto threshold = numbers<double>(file, count), cover = numbers<double>(file, count);
    const auto value = numbers<double>(file, count);
    const std::size_t first = parts.nodes.size();
    parts.trees.push_back({.root = static_cast<std::uint32_t>(first), .output = 0});
    for (std::size_t i = 0; i < count; ++i) {
      TreeNode node;
      node.threshold = value[i];
      if (left[i] >= 0) {
        node.left = static_cast<std::int32_t>(static_cast<std::int64_t>(first) + left[i]);
        node.right = static_cast<std::int32_t>(static_cast<std::int64_t>(first) + right[i]);
        node.feature = static_cast<std::int32_t>(feature[i]);
        node.threshold = threshold[i];
      }
      parts.nodes.push_back(node);
      parts.covers.push_back(cover[i]);
    }
  }
  return std::make_unique<TreeEnsemble>(std::move(parts), path);
}

}  // namespace

std::unique_ptr<Model> read_bench_model(const std::string& path) {
  return path.ends_with(".forest") ? read_forest(path) : load_model(path);
}

BenchData::BenchData(const Model& model, std::string matrix, std::string target, std::size_t rows, std::size_t columns)
    : matrix_(std::move(matrix)), target_(std::move(target)), rows_(rows), columns_(columns) {
  const auto& features = model.signature().features;
  std::vector<ColumnInfo> infos;
  for (std::size_t column = 0; column < columns; ++column) {
    names_.push_back(column < features.size() ? features[column].name : "unused" + std::to_string(column));
    infos.push_back({.name = names_.back()});
  }
  schema_ = Schema(std::move(infos));
  bound_ = model.bind(schema_);
  if (bound_->tree_rows() == nullptr) throw Error(ErrorKind::model, "the model's rows cannot be coded");
}

Table BenchData::read(std::size_t first, std::size_t count, bool with_target) const {
  std::vector<std::vector<double>> columns(columns_, std::vector<double>(count));
  std::ifstream file = opened(matrix_);
  file.seekg(static_cast<std::streamoff>(first * columns_ * sizeof(double)));
  for (std::size_t row = 0; row < count; row += rows_at_once_read) {
    const std::size_t some = std::min(rows_at_once_read, count - row);
    const auto values = numbers<double>(file, some * columns_);
    for (std::size_t column = 0; column < columns_; ++column) {
      for (std::size_t i = 0; i < some; ++i) columns[column][row + i] = values[i * columns_ + column];
    }
  }
  std::vector<ColumnInfo> infos;
  std::vector<Column> made;
  for (std::size_t column = 0; column < columns_; ++column) {
    infos.push_back({.name = names_[column]});
    made.push_back(column_of(std::move(columns[column])));
  }
  if (with_target) {
    std::ifstream truth = opened(target_);
    truth.seekg(static_cast<std::streamoff>(first * sizeof(double)));
    infos.push_back({.name = "target"});
    made.push_back(column_of(numbers<double>(truth, count)));
  }
  return Table(Schema(std::move(infos)), std::move(made));
}

const Table& BenchData::table() {
  if (table_ == nullptr) table_ = std::make_unique<Table>(read(0, rows_, !target_.empty()));
  return *table_;
}

RowBlock BenchData::block() {
  const Table& all = table();
  views_.clear();
  for (std::size_t column = 0; column < columns_; ++column) views_.push_back(all.column(column));
  return {.rows = rows_, .columns = views_};
}

const std::vector<std::uint16_t>& BenchData::by_slot() {
  if (!by_slot_.empty()) return by_slot_;
  const std::size_t slots = trees().codes().slots();
  by_slot_.resize(slots * rows_);
  // Block by block: the rows themselves need not be in memory.
  for (std::size_t first = 0; first < rows_; first += rows_at_once_read) {
    const Table some = read(first, std::min(rows_at_once_read, rows_ - first), false);
    std::vector<ColumnView> views;
    for (std::size_t column = 0; column < columns_; ++column) views.push_back(some.column(column));
    trees().encode({.rows = some.rows(), .columns = views}, 0, some.rows(), by_slot_.data() + first, rows_);
  }
  return by_slot_;
}

const std::vector<std::uint16_t>& BenchData::by_set() {
  if (!by_set_.empty()) return by_set_;
  const auto& codes = by_slot();
  const std::size_t slots = trees().codes().slots(), sets = (rows_ + set_rows - 1) / set_rows;
  by_set_.resize(sets * slots * set_rows);
  for (std::size_t set = 0; set < sets; ++set) {
    const std::size_t first = set * set_rows, count = std::min(set_rows, rows_ - first);
    there_.push_back(first_rows(count));
    for (std::size_t slot = 0; slot < slots; ++slot) {
      std::copy_n(codes.begin() + static_cast<std::ptrdiff_t>(slot * rows_ + first), count,
                  by_set_.begin() + static_cast<std::ptrdiff_t>((set * slots + slot) * set_rows));
    }
  }
  return by_set_;
}

}  // namespace sightglass
