// CatBoost's own format (model.save_model("model.cbm")): the four letters CBM1, a FlatBuffer with the trees, and a
// FlatBuffer for each table of CTRs, each behind its length.
#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <tuple>

#include "sightglass/model/readers/catboost_internal.h"
#include "sightglass/model/readers/flatbuffer_internal.h"
#include "sightglass/model/readers/readers_internal.h"

namespace sightglass {

namespace {

// Places of fields in CatBoost's tables.
namespace core {
constexpr std::size_t format = 0, trees = 1, info = 2, parts = 3;
}
namespace forest {
constexpr std::size_t dimensions = 0, splits = 1, sizes = 2, categories = 4, numbers = 5, one_hots = 6, ctrs = 7,
                      leaf_values = 8, leaf_weights = 9, steps = 10, leaf_of_node = 11, texts = 12, estimated = 13,
                      scale = 14, bias = 15, biases = 16, embeddings = 18;
}

// CbmParts of a file behind one another, each with its length before it.
class CbmParts {
 public:
  CbmParts(std::string_view bytes, const JsonBlame& blame) : left_(bytes), blame_(blame) {}
  [[nodiscard]] std::size_t size() {
    const std::uint64_t half = take<std::uint32_t>();
    // Sizes that do not fit are marked, and written again.
    return half == std::numeric_limits<std::uint32_t>::max() ? take<std::uint64_t>() : half;
  }
  [[nodiscard]] std::string_view part() {
    const std::size_t length = size();
    if (length > left_.size()) blame_.fail("is cut off");
    const std::string_view found = left_.substr(0, length);
    left_.remove_prefix(length);
    return found;
  }
  [[nodiscard]] std::size_t left() const { return left_.size(); }

 private:
  template <class T>
  [[nodiscard]] T take() {
    if (left_.size() < sizeof(T)) blame_.fail("is cut off");
    const FlatBytes bytes(left_.substr(0, sizeof(T)), blame_);
    left_.remove_prefix(sizeof(T));
    return bytes.number<T>(0);
  }
  std::string_view left_;
  const JsonBlame& blame_;
};

class CatboostCbm {
 public:
  CatboostCbm(std::string_view content, std::string_view where) : blame_(catboost_blame(where)), content_(content) {}

  CatboostFile read() {
    file_.format = "catboost-cbm";
    CbmParts parts(content_.substr(4), blame_);
    const FlatBytes bytes(parts.part(), blame_);
    const FlatTable root = FlatTable::root(bytes);
    if (const std::string format = root.text(core::format); format != "FlabuffersModel_v1")
      blame_.fail("has the format " + printable(format, 40) + ", which is not known");
    root.each_table(core::info, [&](const FlatTable& entry) { read_info(entry.text(0), entry.text(1)); });
    const FlatTable trees = root.require_table(core::trees, "its trees");
    for (const std::size_t texts : {forest::texts, forest::estimated, forest::embeddings}) {
      if (!trees.content(texts, 4).empty()) refuse_catboost_texts(blame_, "the model");
    }
    for (const std::string& name : root.texts(core::parts)) {
      if (name.find("text") != std::string::npos || name.find("embedding") != std::string::npos)
        refuse_catboost_texts(blame_, "the model");
      if (name != "static_provider_v1") blame_.fail("has a part " + printable(name, 40) + ", which is not known");
      read_tables(parts);
    }
    if (parts.left() != 0) blame_.fail("has " + std::to_string(parts.left()) + " bytes behind its end");
    read_features(trees);
    read_trees(trees);
    return std::move(file_);
  }

 private:
  void read_info(const std::string& key, const std::string& text) {
    if (key == "catboost_version_info") file_.version = catboost_version(text);
    const bool classes = key == "class_params" || key == "multiclass_params";
    if ((key != "params" && !classes) || text.empty()) return;
    JsonDocument document;
    const JsonValue value(blame_, document.parse(text, blame_));
    if (classes) {
      read_catboost_classes(value, file_);
    } else {
      read_catboost_parameters(value, file_);
    }
  }

  void read_features(const FlatTable& trees) {
    constexpr std::int32_t none = -1;
    const auto index = [&](const FlatTable& feature, std::size_t slot) {
      const auto number = feature.number<std::int32_t>(slot, none);
      if (number < 0) blame_.fail("has a feature without its number");
      return number;
    };
    trees.each_table(forest::numbers, [&](const FlatTable& feature) {
      CatboostFile::Number& number = file_.numbers.emplace_back();
      const bool seen = feature.number<std::uint8_t>(0, 0) != 0;
      number.index = index(feature, 1);
      number.flat = index(feature, 2);
      number.borders = feature.numbers<float>(3);
      number.name = feature.text(4);
      const auto treatment = feature.number<std::int8_t>(5, 0);
      if (treatment < 0 || treatment > 2) blame_.fail("treats missing values in a way that is not known");
      number.missing_right = seen && treatment == 2;
    });
    trees.each_table(forest::categories, [&](const FlatTable& feature) {
      file_.categories.push_back({.index = index(feature, 0), .flat = index(feature, 1), .name = feature.text(2)});
    });
    trees.each_table(forest::one_hots, [&](const FlatTable& feature) {
      CatboostFile::OneHot& one_hot = file_.one_hots.emplace_back();
      one_hot.feature = index(feature, 0);
      one_hot.values = feature.numbers<std::uint32_t>(1);
    });
    trees.each_table(forest::ctrs, [&](const FlatTable& feature) {
      const FlatTable ctr_table = feature.require_table(0, "its CTR");
      CatboostCtr& ctr = file_.ctrs.emplace_back();
      const auto at = table_of_.find(read_base(ctr_table.require_table(0, "its combination")));
      if (at == table_of_.end()) blame_.fail("has a CTR without its table");
      ctr.table = at->second;
      ctr.target_border = ctr_table.number<std::int32_t>(1, 0);
      ctr.prior_numerator = ctr_table.number<float>(2, 0);
      ctr.prior_denominator = ctr_table.number<float>(3, 1);
      ctr.shift = ctr_table.number<float>(4, 0);
      ctr.scale = ctr_table.number<float>(5, 1);
      ctr.borders = feature.numbers<float>(1);
    });
  }

  // Of a CTR and of its table: what it is about, its type, and which of several targets it counts.
  using Base = std::tuple<CatboostProjection, CatboostCtrType, std::int32_t>;
  [[nodiscard]] Base read_base(const FlatTable& base) const {
    CatboostProjection projection;
    if (const auto combination = base.table(0)) {
      projection.categories = combination->numbers<std::int32_t>(0);
      // Pairs of four bytes each.
      const auto halves = [&](std::size_t slot, const auto& take) {
        const std::string_view pairs = combination->content(slot, 8);
        const FlatBytes bytes(pairs, blame_);
        for (std::size_t at = 0; at < pairs.size(); at += 8) take(bytes, at);
      };
      halves(1, [&](const FlatBytes& bytes, std::size_t at) {
        projection.numbers.push_back({bytes.number<std::int32_t>(at), bytes.number<float>(at + 4)});
      });
      halves(2, [&](const FlatBytes& bytes, std::size_t at) {
        projection.one_hot.push_back({bytes.number<std::int32_t>(at), bytes.number<std::uint32_t>(at + 4)});
      });
    }
    const auto type = base.number<std::int8_t>(1, 0);
    constexpr CatboostCtrType types[] = {CatboostCtrType::borders,        CatboostCtrType::buckets,
                                         CatboostCtrType::binarized_mean, CatboostCtrType::float_mean,
                                         CatboostCtrType::counter,        CatboostCtrType::frequency};
    if (type < 0 || type >= std::ssize(types)) blame_.fail("has a CTR of a type that is not known");
    return {std::move(projection), types[type], base.number<std::int32_t>(2, 0)};
  }

  void read_tables(CbmParts& parts) {
    const std::size_t count = parts.size();
    for (std::size_t i = 0; i < count; ++i) {
      const FlatBytes bytes(parts.part(), blame_);
      const FlatTable from = FlatTable::root(bytes);
      Base base = read_base(from.require_table(0, "its combination"));
      CatboostTable table{.projection = std::get<0>(base), .type = std::get<1>(base)};
      table.denominator = from.number<std::int32_t>(3, 0);
      const auto classes = from.number<std::int32_t>(4, 0);
      const bool by_class = table.type == CatboostCtrType::borders || table.type == CatboostCtrType::buckets;
      if (by_class && classes < 1) blame_.fail("has a CTR table without classes");
      table.width = by_class ? static_cast<std::size_t>(classes) : 1;
      if (table.type == CatboostCtrType::binarized_mean || table.type == CatboostCtrType::float_mean) {
        read_means(from.content(2), table);
      } else {
        table.counts = whole_numbers<std::int32_t>(from.content(2));
      }
      read_places(from.content(1), table);
      table_of_.emplace(std::move(base), file_.tables.size());
      file_.tables.push_back(std::move(table));
    }
  }

  template <class T>
  [[nodiscard]] std::vector<T> whole_numbers(std::string_view content) const {
    const FlatBytes bytes(content, blame_);
    std::vector<T> numbers(content.size() / sizeof(T));
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = bytes.number<T>(i * sizeof(T));
    return numbers;
  }

  void read_means(std::string_view content, CatboostTable& table) const {
    const FlatBytes bytes(content, blame_);
    for (std::size_t at = 0; at + 8 <= content.size(); at += 8) {
      table.sums.push_back(bytes.number<float>(at));
      table.counts.push_back(bytes.number<std::int32_t>(at + 4));
    }
  }

  // A hash table of hashes and rows, whose empty places have a hash that nothing has.
  void read_places(std::string_view content, CatboostTable& table) const {
    constexpr std::size_t place = 12;
    const FlatBytes bytes(content, blame_);
    for (std::size_t at = 0; at + place <= content.size(); at += place) {
      const auto hash = bytes.number<std::uint64_t>(at);
      if (hash != std::numeric_limits<std::uint64_t>::max())
        table.rows.emplace_back(hash, bytes.number<std::uint32_t>(at + 8));
    }
    std::stable_sort(table.rows.begin(), table.rows.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
  }

  void read_trees(const FlatTable& trees) {
    const auto dimensions = trees.number<std::int32_t>(forest::dimensions, 0);
    if (dimensions < 1) blame_.fail("has no outputs");
    file_.dimensions = static_cast<std::size_t>(dimensions);
    file_.leaf_values = trees.numbers<double>(forest::leaf_values);
    // Each tree has a value for each output, so a file without so many has no trees or is damaged.
    if (file_.dimensions > std::max<std::size_t>(file_.leaf_values.size(), 1))
      blame_.fail("has " + std::to_string(dimensions) + " outputs and " + std::to_string(file_.leaf_values.size()) +
                  " values of leaves");
    file_.leaf_weights = trees.numbers<double>(forest::leaf_weights);
    file_.scale = trees.number<double>(forest::scale, 1);
    file_.bias = trees.numbers<double>(forest::biases);
    if (const auto bias = trees.number<double>(forest::bias, 0); file_.bias.empty() && bias != 0)
      file_.bias.assign(1, bias);
    const auto splits = trees.numbers<std::int32_t>(forest::splits);
    const auto sizes = trees.numbers<std::int32_t>(forest::sizes);
    const std::string_view steps = trees.content(forest::steps, 4);
    file_.symmetric = steps.empty();
    const auto leaf_of_node = trees.numbers<std::uint32_t>(forest::leaf_of_node);
    if (!file_.symmetric && (steps.size() / 4 != splits.size() || leaf_of_node.size() != splits.size()))
      blame_.fail("has nodes without splits or leaves");
    std::size_t first = 0, first_leaf = 0;
    for (const std::int32_t size : sizes) {
      if (size < 0 || static_cast<std::size_t>(size) > splits.size() - first) blame_.fail("has trees without splits");
      const std::size_t end = first + static_cast<std::size_t>(size);
      if (file_.symmetric) {
        first_leaf += add_symmetric(std::span(splits).subspan(first, end - first), first_leaf);
      } else {
        add_by_node(splits, steps, leaf_of_node, first, end);
      }
      first = end;
    }
  }

  [[nodiscard]] std::size_t add_symmetric(std::span<const std::int32_t> splits, std::size_t first_leaf) {
    if (splits.size() > catboost_most_depth) blame_.fail("has trees that are deeper than CatBoost's are");
    CatboostFile::Tree tree{.levels = {}, .root = static_cast<std::int32_t>(first_leaf)};
    for (const std::int32_t split : splits) tree.levels.push_back(split_number(split));
    file_.trees.push_back(std::move(tree));
    const std::size_t leaves = std::size_t{1} << splits.size();
    if (first_leaf + leaves > file_.leaf_values.size()) blame_.fail("has trees without leaves");
    return leaves;
  }

  void add_by_node(const std::vector<std::int32_t>& splits, std::string_view steps,
                   const std::vector<std::uint32_t>& leaf_of_node, std::size_t first, std::size_t end) {
    if (first == end) blame_.fail("has a tree without nodes");
    const FlatBytes bytes(steps, blame_);
    file_.nodes.resize(std::max(file_.nodes.size(), end));
    // How far behind a node its children are; 0: it is itself the leaf on that side.
    const auto step = [&](std::size_t node, std::size_t side) {
      return std::size_t{bytes.number<std::uint16_t>(4 * node + 2 * side)};
    };
    const auto leaf = [&](std::size_t node) {
      const std::size_t place = leaf_of_node[node];
      if (place % file_.dimensions != 0 || place >= file_.leaf_values.size())
        blame_.fail("has leaves that do not exist");
      return -1 - static_cast<std::int32_t>(place / file_.dimensions);
    };
    const auto tree_at = [&](std::size_t node) {
      return step(node, 0) == 0 && step(node, 1) == 0 ? leaf(node) : static_cast<std::int32_t>(node);
    };
    const auto child = [&](std::size_t node, std::size_t side) {
      const std::size_t there = node + step(node, side);
      if (there >= end) blame_.fail("has nodes beyond their tree");
      return there == node ? leaf(node) : tree_at(there);
    };
    for (std::size_t node = first; node < end; ++node) {
      if (tree_at(node) < 0) continue;
      file_.nodes[node] = {.split = split_number(splits[node]), .left = child(node, 0), .right = child(node, 1)};
    }
    file_.trees.push_back({.levels = {}, .root = tree_at(first)});
  }

  [[nodiscard]] std::uint32_t split_number(std::int32_t split) const {
    if (split < 0) blame_.fail("asks for a split below 0");
    return static_cast<std::uint32_t>(split);
  }

  JsonBlame blame_;
  std::string_view content_;
  CatboostFile file_;
  std::map<Base, std::size_t> table_of_;
};

}  // namespace

std::unique_ptr<Model> read_catboost_cbm(std::string_view content, std::string_view where, const LoadOptions& options) {
  return make_catboost_model(CatboostCbm(content, where).read(), where, options);
}

}  // namespace sightglass
