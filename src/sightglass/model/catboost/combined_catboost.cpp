// All splits are answered for a tile of rows, then trees gather the answers.
#include "sightglass/model/catboost/combined_catboost.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "sightglass/base/digest.h"
#include "sightglass/base/error.h"
#include "sightglass/data/new_rows.h"
#include "sightglass/model/catboost/catboost_file_internal.h"
#include "sightglass/model/category_hashes.h"
#include "sightglass/model/feature_columns_internal.h"

namespace sightglass {

namespace {

constexpr std::size_t combined_tile = 256;
constexpr std::uint32_t no_row = 0xffffffff;

// A CTR table for look-ups of many rows: open addressing, at most half full.
class RowIndex {
 public:
  explicit RowIndex(const CatboostTable& table)
      : places_(std::bit_ceil(2 * table.rows.size() + 1), Place{.hash = 0, .row = no_row}) {
    for (const auto& [hash, row] : table.rows) {
      Place& place = places_[find(hash)];
      if (place.row == no_row) place = {.hash = hash, .row = row};
    }
  }
  // Or no_row.
  [[nodiscard]] std::uint32_t row(std::uint64_t hash) const { return places_[find(hash)].row; }

 private:
  struct Place {
    std::uint64_t hash;
    std::uint32_t row;
  };
  [[nodiscard]] std::size_t find(std::uint64_t hash) const {
    std::size_t at = (hash ^ (hash >> 32)) & (places_.size() - 1);
    while (places_[at].row != no_row && places_[at].hash != hash) at = (at + 1) & (places_.size() - 1);
    return at;
  }
  std::vector<Place> places_;
};

}  // namespace

// What is made of a file once: which splits are asked for, and where their answers stand.
struct CombinedCatboost::Parts {
  explicit Parts(CatboostFile from, LinkFunction with);
  void add_to(Digest& digest) const;

  CatboostFile file;
  std::vector<CatboostSplit> splits;
  std::vector<bool> used;                                                    // of splits
  std::vector<std::size_t> numbers, categories;                              // places in the signature
  std::unordered_map<std::int32_t, std::size_t> number_at, category_at;      // by CatBoost's number: in the file
  std::vector<std::vector<std::uint32_t>> ctrs_of_table;                     // used ones
  std::vector<RowIndex> index;                                               // of tables
  std::vector<std::size_t> first_of_ctr, first_of_one_hot, first_of_number;  // their first split
  std::vector<std::vector<float>> values;                                    // of CTRs, by row of their table
  std::vector<float> unseen;                                                 // of CTRs
  LinkFunction link;

 private:
  void find_places();
  void find_used();
};

namespace {

using Answers = std::array<std::uint8_t, combined_tile>;

class BoundCombined : public BoundModel {
 public:
  BoundCombined(const CombinedCatboost::Parts& parts, const Signature& signature, FeatureColumns columns)
      : parts_(parts), signature_(signature), features_(std::move(columns.features)), notes_(std::move(columns.notes)) {
    for (const FeatureColumn& feature : features_) columns_.push_back(feature.column);
  }

  [[nodiscard]] const std::vector<std::uint32_t>& columns() const override { return columns_; }
  [[nodiscard]] const std::vector<FitNote>& notes() const override { return notes_; }

  void predict(const RowBlock& block, const PredictOptions& options, MatrixSpan<double> out,
               Context& context) const override {
    const CatboostFile& file = parts_.file;
    const std::size_t outputs = file.dimensions;
    Tile tile;
    tile.numbers.resize(file.numbers.size());
    tile.hashes.resize(file.categories.size());
    tile.answers.resize(parts_.splits.size());
    std::vector<double> sums(outputs);
    std::vector<double> tile_sums(outputs * combined_tile);
    for (std::size_t first = 0; first < block.rows; first += combined_tile) {
      context.check();
      const std::size_t rows = std::min(combined_tile, block.rows - first);
      fill(block, first, rows, tile);
      answer(tile);
      std::fill(tile_sums.begin(), tile_sums.end(), 0);
      for (const CatboostFile::Tree& tree : file.trees) add_tree(tree, tile, tile_sums.data());
      for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t k = 0; k < outputs; ++k) {
          const double bias = file.bias.empty() ? 0 : file.bias[k];
          sums[k] = tile_sums[row * outputs + k] * file.scale + bias;
        }
        if (options.scale == Scale::response) parts_.link.apply(sums.data(), outputs, 1);
        for (std::size_t k = 0; k < outputs; ++k) out(first + row, k) = sums[k];
      }
    }
  }

 private:
  struct Tile {
    std::vector<std::array<float, combined_tile>> numbers;         // of the file's numbers
    std::vector<std::array<std::uint32_t, combined_tile>> hashes;  // of the file's categories
    std::vector<Answers> answers;                                  // of splits: 1 where it holds
  };

  void fill(const RowBlock& block, std::size_t first, std::size_t rows, Tile& tile) const {
    std::array<double, combined_tile> values{};
    const auto read = [&](std::size_t feature) {
      const FeatureColumn& from = features_[feature];
      from.read(block, block.override_of(from.column), first, {values.data(), rows});
    };
    for (std::size_t i = 0; i < tile.numbers.size(); ++i) {
      read(parts_.numbers[i]);
      for (std::size_t row = 0; row < rows; ++row) tile.numbers[i][row] = static_cast<float>(values[row]);
    }
    for (std::size_t i = 0; i < tile.hashes.size(); ++i) {
      read(parts_.categories[i]);
      for (std::size_t row = 0; row < rows; ++row) {
        if (std::isnan(values[row])) {
          throw Error(ErrorKind::data,
                      row_text(block.row_id(first + row)) + " of " +
                          printable(signature_.features[parts_.categories[i]].name, 60) +
                          " is missing, which this model refuses",
                      "leave such rows out, or fill them as for training");
        }
        tile.hashes[i][row] = static_cast<std::uint32_t>(values[row]);
      }
    }
  }

  void answer(Tile& tile) const {
    const CatboostFile& file = parts_.file;
    for (std::size_t i = 0; i < file.numbers.size(); ++i) {
      const auto& number = file.numbers[i];
      for (std::size_t k = 0; k < number.borders.size(); ++k) {
        if (!parts_.used[parts_.first_of_number[i] + k]) continue;
        above(tile.numbers[i], number, number.borders[k], tile.answers[parts_.first_of_number[i] + k]);
      }
    }
    for (std::size_t i = 0; i < file.one_hots.size(); ++i) {
      const auto& hashes = tile.hashes[parts_.category_at.at(file.one_hots[i].feature)];
      for (std::size_t k = 0; k < file.one_hots[i].values.size(); ++k) {
        if (!parts_.used[parts_.first_of_one_hot[i] + k]) continue;
        equal(hashes, file.one_hots[i].values[k], tile.answers[parts_.first_of_one_hot[i] + k]);
      }
    }
    std::array<float, combined_tile> values{};
    for (std::size_t t = 0; t < file.tables.size(); ++t) {
      if (parts_.ctrs_of_table[t].empty()) continue;
      const std::array<std::uint32_t, combined_tile> found = rows_of(t, tile);
      for (const std::uint32_t c : parts_.ctrs_of_table[t]) {
        const std::vector<float>& of_row = parts_.values[c];
        for (std::size_t row = 0; row < combined_tile; ++row)
          values[row] = found[row] == no_row ? parts_.unseen[c] : of_row[found[row]];
        const auto& borders = file.ctrs[c].borders;
        for (std::size_t k = 0; k < borders.size(); ++k) {
          const std::size_t split = parts_.first_of_ctr[c] + k;
          if (!parts_.used[split]) continue;
          for (std::size_t row = 0; row < combined_tile; ++row)
            tile.answers[split][row] = static_cast<std::uint8_t>(values[row] > borders[k]);
        }
      }
    }
  }

  static void above(const std::array<float, combined_tile>& values, const CatboostFile::Number& number, float border,
                    Answers& answers) {
    for (std::size_t row = 0; row < combined_tile; ++row) {
      const bool missing = values[row] != values[row];
      answers[row] = static_cast<std::uint8_t>((values[row] > border) | (missing & number.missing_right));
    }
  }

  static void equal(const std::array<std::uint32_t, combined_tile>& hashes, std::uint32_t value, Answers& answers) {
    for (std::size_t row = 0; row < combined_tile; ++row)
      answers[row] = static_cast<std::uint8_t>(hashes[row] == value);
  }

  [[nodiscard]] std::array<std::uint32_t, combined_tile> rows_of(std::size_t table, const Tile& tile) const {
    const CatboostProjection& about = parts_.file.tables[table].projection;
    std::array<std::uint64_t, combined_tile> joined{};
    for (const std::int32_t category : about.categories) {
      const auto& hashes = tile.hashes[parts_.category_at.at(category)];
      for (std::size_t row = 0; row < combined_tile; ++row)
        joined[row] = catboost_joined(joined[row], catboost_part(hashes[row]));
    }
    Answers answers;
    const auto join = [&] {
      for (std::size_t row = 0; row < combined_tile; ++row) joined[row] = catboost_joined(joined[row], answers[row]);
    };
    for (const CatboostFloatSplit& split : about.numbers) {
      const std::size_t at = parts_.number_at.at(split.feature);
      above(tile.numbers[at], parts_.file.numbers[at], split.border, answers);
      join();
    }
    for (const CatboostOneHotSplit& split : about.one_hot) {
      equal(tile.hashes[parts_.category_at.at(split.feature)], split.value, answers);
      join();
    }
    std::array<std::uint32_t, combined_tile> found{};
    for (std::size_t row = 0; row < combined_tile; ++row) found[row] = parts_.index[table].row(joined[row]);
    return found;
  }

  void add_tree(const CatboostFile::Tree& tree, const Tile& tile, double* sums) const {
    const CatboostFile& file = parts_.file;
    std::array<std::uint32_t, combined_tile> leaves{};
    if (file.symmetric) {
      for (std::size_t level = 0; level < tree.levels.size(); ++level) {
        const Answers& answers = tile.answers[tree.levels[level]];
        for (std::size_t row = 0; row < combined_tile; ++row)
          leaves[row] |= static_cast<std::uint32_t>(answers[row]) << level;
      }
      for (std::uint32_t& leaf : leaves) leaf += static_cast<std::uint32_t>(tree.root);
    } else {
      for (std::size_t row = 0; row < combined_tile; ++row) {
        std::int32_t at = tree.root;
        while (at >= 0) {
          const CatboostFile::Node& node = file.nodes[static_cast<std::size_t>(at)];
          at = tile.answers[node.split][row] != 0 ? node.right : node.left;
        }
        leaves[row] = static_cast<std::uint32_t>(-1 - at);
      }
    }
    const std::size_t outputs = file.dimensions;
    if (outputs == 1) {
      for (std::size_t row = 0; row < combined_tile; ++row) sums[row] += file.leaf_values[leaves[row]];
      return;
    }
    for (std::size_t row = 0; row < combined_tile; ++row) {
      const double* values = file.leaf_values.data() + leaves[row] * outputs;
      for (std::size_t k = 0; k < outputs; ++k) sums[row * outputs + k] += values[k];
    }
  }

  const CombinedCatboost::Parts& parts_;
  const Signature& signature_;
  std::vector<FeatureColumn> features_;
  std::vector<std::uint32_t> columns_;
  std::vector<FitNote> notes_;
};

}  // namespace

CombinedCatboost::Parts::Parts(CatboostFile from, LinkFunction with)
    : file(std::move(from)), splits(catboost_splits(file)), used(splits.size()), link(with) {
  find_places();
  find_used();
  values.resize(file.ctrs.size());
  ctrs_of_table.resize(file.tables.size());
  for (const CatboostTable& table : file.tables) index.emplace_back(table);
  for (const CatboostCtr& ctr : file.ctrs) unseen.push_back(ctr.value(file.tables[ctr.table], std::nullopt));
  for (std::size_t split = 0; split < splits.size(); ++split) {
    const CatboostSplit& asked = splits[split];
    if (!used[split] || asked.kind != CatboostSplit::Kind::ctr) continue;
    const CatboostCtr& ctr = file.ctrs[asked.owner];
    auto& list = ctrs_of_table[ctr.table];
    if (!list.empty() && list.back() == asked.owner) continue;
    list.push_back(asked.owner);
    const CatboostTable& table = file.tables[ctr.table];
    std::vector<float>& of_row = values[asked.owner];
    for (const auto& [hash, row] : table.rows) {
      if (row >= of_row.size()) of_row.resize(row + std::size_t{1});
      of_row[row] = ctr.value(table, row);
    }
  }
}

void CombinedCatboost::Parts::find_used() {
  for (const auto& tree : file.trees) {
    for (const std::uint32_t split : tree.levels) used[split] = true;
    if (file.symmetric) continue;
    std::vector<std::int32_t> stack = {tree.root};
    while (!stack.empty()) {
      const std::int32_t at = stack.back();
      stack.pop_back();
      if (at < 0) continue;
      const CatboostFile::Node& node = file.nodes[static_cast<std::size_t>(at)];
      used[node.split] = true;
      stack.insert(stack.end(), {node.left, node.right});
    }
  }
}

// Where features stand in the signature, and splits in the list.
void CombinedCatboost::Parts::find_places() {
  std::vector<std::pair<std::int32_t, std::size_t*>> flat;
  numbers.resize(file.numbers.size());
  categories.resize(file.categories.size());
  for (std::size_t i = 0; i < file.numbers.size(); ++i) {
    flat.emplace_back(file.numbers[i].flat, &numbers[i]);
    number_at.emplace(file.numbers[i].index, i);
  }
  for (std::size_t i = 0; i < file.categories.size(); ++i) {
    flat.emplace_back(file.categories[i].flat, &categories[i]);
    category_at.emplace(file.categories[i].index, i);
  }
  std::sort(flat.begin(), flat.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t feature = 0; feature < flat.size(); ++feature) *flat[feature].second = feature;
  std::size_t split = 0;
  const auto place = [&](const auto& list, auto& firsts, const auto& count) {
    for (const auto& each : list) {
      firsts.push_back(split);
      split += count(each);
    }
  };
  const auto borders = [](const auto& each) { return each.borders.size(); };
  place(file.numbers, first_of_number, borders);
  place(file.one_hots, first_of_one_hot, [](const auto& each) { return each.values.size(); });
  place(file.ctrs, first_of_ctr, borders);
}

void CombinedCatboost::Parts::add_to(Digest& digest) const {
  digest.u64(static_cast<std::uint64_t>(link.link)).f64(file.scale).numbers(file.bias).numbers(file.leaf_values);
  for (const auto& number : file.numbers) {
    digest.u64(number.missing_right ? 1 : 0).u64(number.borders.size());
    for (const float border : number.borders) digest.f64(static_cast<double>(border));
  }
  for (const auto& one_hot : file.one_hots) {
    digest.u64(static_cast<std::uint64_t>(one_hot.feature)).u64(one_hot.values.size());
    for (const std::uint32_t value : one_hot.values) digest.u64(value);
  }
  for (std::size_t c = 0; c < file.ctrs.size(); ++c) {
    digest.u64(file.ctrs[c].table).f64(static_cast<double>(unseen[c])).u64(values[c].size());
    for (const float value : values[c]) digest.f64(static_cast<double>(value));
    for (const float border : file.ctrs[c].borders) digest.f64(static_cast<double>(border));
  }
  for (const CatboostTable& table : file.tables) {
    for (const auto& [hash, row] : table.rows) digest.u64(hash).u64(row);
    for (const std::int32_t category : table.projection.categories) digest.u64(static_cast<std::uint64_t>(category));
    for (const auto& split : table.projection.numbers)
      digest.u64(static_cast<std::uint64_t>(split.feature)).f64(static_cast<double>(split.border));
    for (const auto& split : table.projection.one_hot)
      digest.u64(static_cast<std::uint64_t>(split.feature)).u64(split.value);
  }
  for (const auto& tree : file.trees) {
    digest.u64(static_cast<std::uint64_t>(tree.root)).u64(tree.levels.size());
    for (const std::uint32_t split : tree.levels) digest.u64(split);
  }
  for (const auto& node : file.nodes)
    digest.u64(node.split).u64(static_cast<std::uint64_t>(node.left)).u64(static_cast<std::uint64_t>(node.right));
}

CombinedCatboost::CombinedCatboost(std::shared_ptr<const Parts> parts, Signature signature)
    : parts_(std::move(parts)), signature_(std::move(signature)) {}

std::unique_ptr<BoundModel> CombinedCatboost::bind(const Schema& schema,
                                                   std::span<const std::uint32_t> excluded) const {
  return std::make_unique<BoundCombined>(*parts_, signature_, match_columns(signature_, schema, excluded));
}

void CombinedCatboost::add_to(Digest& digest) const { parts_->add_to(digest); }

std::unique_ptr<Model> make_combined_catboost(CatboostFile file, Signature signature, LinkFunction link) {
  signature.detail.set("leaves", static_cast<std::uint64_t>(file.leaf_values.size() / file.dimensions));
  auto parts = std::make_shared<const CombinedCatboost::Parts>(std::move(file), link);
  return std::make_unique<CombinedCatboost>(std::move(parts), std::move(signature));
}

}  // namespace sightglass
