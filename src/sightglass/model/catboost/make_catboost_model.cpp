// From what a file of CatBoost says to a model. Where each split asks about one feature, the trees become a
// TreeEnsemble: a CTR of a single category is a number for each category, so a split on it is a set of categories.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <unordered_map>

#include "sightglass/base/error.h"
#include "sightglass/model/catboost/catboost_file_internal.h"
#include "sightglass/model/category_hashes.h"
#include "sightglass/model/readers/readers_internal.h"
#include "sightglass/model/trees/ensemble.h"

namespace sightglass {

namespace {

using Kind = CatboostSplit::Kind;

struct CatboostLoss {
  std::string_view name;
  Task task;
  Link link;
};

// What CatBoost answers on another scale than its target's is put right by the link, and said in a note.
constexpr CatboostLoss catboost_losses[] = {
    {"RMSE", Task::regression, Link::identity},
    {"MAE", Task::regression, Link::identity},
    {"Quantile", Task::regression, Link::identity},
    {"LogLinQuantile", Task::regression, Link::exponential},
    {"Poisson", Task::regression, Link::exponential},
    {"Tweedie", Task::regression, Link::exponential},
    {"MAPE", Task::regression, Link::identity},
    {"Lq", Task::regression, Link::identity},
    {"RMSPE", Task::regression, Link::identity},
    {"Huber", Task::regression, Link::identity},
    {"Expectile", Task::regression, Link::identity},
    {"LogCosh", Task::regression, Link::identity},
    {"SurvivalAft", Task::regression, Link::exponential},
    {"Cox", Task::regression, Link::identity},
    {"RMSEWithUncertainty", Task::regression, Link::variance},
    {"MultiRMSE", Task::regression, Link::identity},
    {"MultiRMSEWithMissingValues", Task::regression, Link::identity},
    {"MultiQuantile", Task::regression, Link::identity},
    {"Logloss", Task::binary, Link::logistic},
    {"Focal", Task::binary, Link::logistic},
    {"CrossEntropy", Task::regression, Link::logistic},
    {"MultiClass", Task::multiclass, Link::softmax},
    {"MultiClassOneVsAll", Task::multiclass, Link::logistic},
    {"MultiLogloss", Task::regression, Link::logistic},
    {"MultiCrossEntropy", Task::regression, Link::logistic},
    {"PairLogit", Task::regression, Link::identity},
    {"PairLogitPairwise", Task::regression, Link::identity},
    {"YetiRank", Task::regression, Link::identity},
    {"YetiRankPairwise", Task::regression, Link::identity},
    {"QueryRMSE", Task::regression, Link::identity},
    {"GroupQuantile", Task::regression, Link::identity},
    {"QuerySoftMax", Task::regression, Link::identity},
    {"QueryCrossEntropy", Task::regression, Link::identity},
    {"StochasticFilter", Task::regression, Link::identity},
    {"StochasticRank", Task::regression, Link::identity},
    {"LambdaMart", Task::regression, Link::identity},
    {"Combination", Task::regression, Link::identity},
    {"PythonUserDefinedPerObject", Task::regression, Link::identity},
    {"PythonUserDefinedMultiTarget", Task::regression, Link::identity},
    {"UserPerObjMetric", Task::regression, Link::identity},
    {"UserQuerywiseMetric", Task::regression, Link::identity},
};

// The category that a row of a table is about; nothing for rows that no category reaches.
std::optional<std::uint32_t> category_of(std::uint64_t row_hash) {
  // The inverse, by Newton's method, of the odd number that catboost_joined multiplies with twice.
  constexpr std::uint64_t factor = catboost_joined(0, 1);
  constexpr std::uint64_t inverse = [] {
    std::uint64_t guess = factor;
    for (int step = 0; step < 6; ++step) guess *= 2 - factor * guess;
    return guess;
  }();
  static_assert(factor * inverse == 1);
  const auto category = static_cast<std::uint32_t>(row_hash * inverse);
  if (catboost_joined(0, catboost_part(category)) != row_hash) return std::nullopt;
  return category;
}

class CatboostMaker {
 public:
  CatboostMaker(CatboostFile file, std::string_view where, const LoadOptions& options)
      : file_(std::move(file)), where_(where), options_(options), splits_(catboost_splits(file_)) {}

  std::unique_ptr<Model> make() {
    find_features();
    check_numbers();
    check_tables();
    cut_rounds();
    check_trees();
    name_features();
    name_outputs();
    describe();
    if (!combinations_.empty()) return make_combined_catboost(std::move(file_), std::move(signature_), link_);
    return make_trees();
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorKind::model, printable(where_) + ": the model " + what, "save the model again");
  }
  [[noreturn]] void fail_tree(std::size_t tree, const std::string& what) const {
    fail("has tree " + std::to_string(tree) + ", which " + what);
  }

  void check_numbers() const {
    const auto finite = [](const auto& list) {
      return std::all_of(list.begin(), list.end(), [](auto number) { return std::isfinite(number); });
    };
    for (const auto& number : file_.numbers) {
      if (!finite(number.borders) || !std::is_sorted(number.borders.begin(), number.borders.end()))
        fail("has borders of feature " + printable(number.name, 60) + " that are not ascending numbers");
    }
    for (const CatboostCtr& ctr : file_.ctrs) {
      if (!finite(ctr.borders) || !std::is_sorted(ctr.borders.begin(), ctr.borders.end()))
        fail("has borders of a CTR that are not ascending numbers");
    }
    if (!std::isfinite(file_.scale) || !finite(file_.bias)) fail("has a scale or bias that is not finite");
    if (!finite(file_.leaf_values)) fail("has a leaf value that is not finite");
    if (file_.dimensions == 0) fail("has no outputs");
    if (!file_.bias.empty() && file_.bias.size() != file_.dimensions)
      fail("has " + std::to_string(file_.bias.size()) + " biases for " + std::to_string(file_.dimensions) + " outputs");
  }

  void find_features() {
    const auto find = [&](const auto& list, auto& at) {
      for (std::size_t i = 0; i < list.size(); ++i) {
        if (!at.emplace(list[i].index, i).second) fail("has two features with the same number");
      }
    };
    find(file_.numbers, number_at_);
    find(file_.categories, category_at_);
  }

  void check_tables() const {
    for (const CatboostTable& table : file_.tables) {
      const std::size_t rows = table.rows.size();
      const bool means = !table.sums.empty();
      for (const auto& [hash, row] : table.rows) {
        const bool there =
            (std::size_t{row} + 1) * table.width <= table.counts.size() && (!means || row < table.sums.size());
        if (!there) fail("has a CTR table with a row that does not exist");
      }
      const bool mean = table.type == CatboostCtrType::binarized_mean || table.type == CatboostCtrType::float_mean;
      if (mean != means && rows > 0) fail("has a CTR table without its sums");
      const auto& about = table.projection;
      const auto number = [&](const auto& split) { return number_at_.contains(split.feature); };
      const auto category = [&](const auto& split) { return category_at_.contains(split.feature); };
      const bool known = std::all_of(about.categories.begin(), about.categories.end(),
                                     [&](std::int32_t index) { return category_at_.contains(index); }) &&
                         std::all_of(about.numbers.begin(), about.numbers.end(), number) &&
                         std::all_of(about.one_hot.begin(), about.one_hot.end(), category);
      if (!known) fail("has a CTR of a feature that does not exist");
    }
    for (const CatboostCtr& ctr : file_.ctrs) {
      if (ctr.table >= file_.tables.size()) fail("has a CTR without a table");
      const CatboostTable& table = file_.tables[ctr.table];
      if (table.rows.empty()) continue;
      const bool classes = table.type == CatboostCtrType::borders || table.type == CatboostCtrType::buckets;
      const bool border = ctr.target_border >= 0 && static_cast<std::size_t>(ctr.target_border) < table.width;
      if (classes ? table.width < 2 || !border : table.width != 1) fail("has a CTR that its table does not fit");
    }
    for (const auto& one_hot : file_.one_hots) {
      if (!category_at_.contains(one_hot.feature)) fail("has a one-hot of a feature that does not exist");
    }
  }

  void cut_rounds() {
    check_rounds(options_, file_.trees.size(), where_);
    rounds_in_file_ = file_.trees.size();
    if (options_.rounds != 0) file_.trees.resize(options_.rounds);
  }

  // Every index; that each tree is a tree; and which splits and combinations are asked for.
  void check_trees() {
    const std::size_t leaves = file_.leaf_values.size() / file_.dimensions;
    if (leaves * file_.dimensions != file_.leaf_values.size()) fail("has leaves without a value for each output");
    if (!file_.leaf_weights.empty() && file_.leaf_weights.size() != leaves) fail("has weights for only some leaves");
    used_.assign(splits_.size(), false);
    std::vector<bool> reached(file_.nodes.size());
    for (std::size_t t = 0; t < file_.trees.size(); ++t) {
      const CatboostFile::Tree& tree = file_.trees[t];
      const auto use = [&](std::uint32_t split) {
        if (split >= splits_.size())
          fail_tree(t, "asks for split " + std::to_string(split) + ", there are " + std::to_string(splits_.size()));
        used_[split] = true;
      };
      if (file_.symmetric) {
        if (tree.levels.size() > catboost_most_depth) fail_tree(t, "is deeper than CatBoost's trees are");
        const bool there = tree.root >= 0 && static_cast<std::size_t>(tree.root) <= leaves &&
                           (std::size_t{1} << tree.levels.size()) <= leaves - static_cast<std::size_t>(tree.root);
        if (!there) fail_tree(t, "has leaves that do not exist");
        std::for_each(tree.levels.begin(), tree.levels.end(), use);
        continue;
      }
      std::vector<std::int32_t> stack = {tree.root};
      while (!stack.empty()) {
        const std::int32_t at = stack.back();
        stack.pop_back();
        if (at < 0) {
          if (static_cast<std::size_t>(-1 - at) >= leaves) fail_tree(t, "has leaves that do not exist");
          continue;
        }
        const auto index = static_cast<std::size_t>(at);
        if (index >= file_.nodes.size()) fail_tree(t, "has nodes that do not exist");
        if (reached[index]) fail_tree(t, "has a node with two parents: not a tree");
        reached[index] = true;
        const CatboostFile::Node& node = file_.nodes[index];
        use(node.split);
        stack.insert(stack.end(), {node.right, node.left});
      }
    }
    for (std::size_t i = 0; i < splits_.size(); ++i) {
      if (!used_[i] || splits_[i].kind != Kind::ctr) continue;
      const CatboostProjection& about = file_.tables[file_.ctrs[splits_[i].owner].table].projection;
      const bool single = about.categories.size() == 1 && about.numbers.empty() && about.one_hot.empty();
      if (!single) combinations_.insert(&about);
    }
  }

  // Features in the order of the training columns.
  void name_features() {
    struct Column {
      std::int32_t flat;
      bool categorical;
      std::size_t at;
    };
    std::vector<Column> columns;
    const auto add = [&](const auto& list, bool categorical) {
      for (std::size_t i = 0; i < list.size(); ++i) columns.push_back({list[i].flat, categorical, i});
    };
    add(file_.numbers, false);
    add(file_.categories, true);
    std::sort(columns.begin(), columns.end(), [](const Column& a, const Column& b) { return a.flat < b.flat; });
    feature_of_number_.resize(file_.numbers.size());
    feature_of_category_.resize(file_.categories.size());
    for (std::size_t f = 0; f < columns.size(); ++f) {
      const Column& column = columns[f];
      if (f > 0 && columns[f - 1].flat == column.flat) fail("has two features in the same place");
      const std::string& name = column.categorical ? file_.categories[column.at].name : file_.numbers[column.at].name;
      FeatureInfo info{.name = name.empty() ? "f" + std::to_string(column.flat) : name,
                       .categorical = column.categorical};
      if (column.categorical) info.hashes = std::make_shared<const CategoryHashes>();
      (column.categorical ? feature_of_category_ : feature_of_number_)[column.at] = static_cast<std::int32_t>(f);
      signature_.features.push_back(std::move(info));
    }
  }

  void name_outputs() {
    signature_.format = file_.format;
    signature_.version = file_.version;
    signature_.objective = file_.loss;
    const auto* const known = std::find_if(std::begin(catboost_losses), std::end(catboost_losses),
                                           [&](const CatboostLoss& loss) { return loss.name == file_.loss; });
    if (known != std::end(catboost_losses)) {
      signature_.task = known->task;
      link_.link = known->link;
    } else if (!file_.loss.empty()) {
      throw Error(ErrorKind::model, printable(where_) + ": unsupported loss " + printable(file_.loss, 60),
                  marked("docs/models.md lists those that are; give {argument:model} as exec:… or python:… meanwhile"));
    } else {
      signature_.notes.emplace_back("the file does not name its loss: predictions are CatBoost's raw values");
    }
    if (signature_.task == Task::multiclass && file_.dimensions < 2) fail("has only one class");
    if (signature_.task == Task::binary && file_.dimensions != 1)
      fail("has " + std::to_string(file_.dimensions) + " outputs for two classes");
    if (link_.link == Link::variance && file_.dimensions != 2) fail("should have a mean and a variance");
    signature_.has_margin = link_.link != Link::identity;
    if (file_.loss == "LogLinQuantile" || file_.loss == "SurvivalAft") {
      signature_.notes.emplace_back(file_.loss +
                                    ": predictions are on the target's own scale; CatBoost answers their "
                                    "logarithm unless it is asked for prediction_type=\"Exponent\"");
    }
    LoadOptions options = options_;
    const std::size_t classes = signature_.task == Task::binary ? 2 : file_.dimensions;
    if (options.classes.empty() && signature_.task != Task::regression && file_.classes.size() == classes)
      options.classes = file_.classes;
    signature_.outputs = output_names(signature_, file_.dimensions, options, where_, known_outputs());
  }

  [[nodiscard]] std::vector<std::string> known_outputs() const {
    if (link_.link == Link::variance) return {"mean", "variance"};
    std::vector<std::string> names;
    std::string_view alphas = file_.alphas;
    while (file_.loss == "MultiQuantile" && !alphas.empty()) {
      const std::size_t comma = std::min(alphas.find(','), alphas.size());
      names.emplace_back(alphas.substr(0, comma));
      alphas.remove_prefix(std::min(comma + 1, alphas.size()));
    }
    const bool all = names.size() == file_.dimensions && std::set(names.begin(), names.end()).size() == names.size();
    return all ? names : std::vector<std::string>{};
  }

  void describe() {
    Value& detail = signature_.detail;
    detail.set("trees", static_cast<std::uint64_t>(file_.trees.size()));
    detail.set("tree_shape", file_.symmetric ? "symmetric" : "by node");
    if (file_.trees.size() != rounds_in_file_)
      detail.set("rounds_in_file", static_cast<std::uint64_t>(rounds_in_file_));
    std::set<std::string> one_hots, ctrs;
    for (std::uint32_t split = 0; split < splits_.size(); ++split) {
      if (!used_[split] || splits_[split].kind == Kind::number) continue;
      if (splits_[split].kind == Kind::one_hot) {
        one_hots.insert(name_of_category(file_.one_hots[splits_[split].owner].feature));
      } else {
        ctrs.insert(name_of(file_.tables[file_.ctrs[splits_[split].owner].table].projection));
      }
    }
    const auto list = [&](const char* key, const std::set<std::string>& names) {
      if (!names.empty()) detail.set(key, std::vector<std::string>(names.begin(), names.end()));
    };
    list("one_hot_features", one_hots);
    list("ctr_features", ctrs);
    detail.set("missing", missing_words());
    detail.set("engine", combinations_.empty() ? "exact: the trees are read"
                                               : "asked: its splits are about combinations of features (" +
                                                     printable(name_of(**combinations_.begin()), 60) +
                                                     "); train with max_ctr_complexity=1 to have the exact one");
  }

  [[nodiscard]] std::string name_of_category(std::int32_t index) const {
    return signature_.features[static_cast<std::size_t>(feature_of_category_[category_at_.at(index)])].name;
  }
  // "colour × size"
  [[nodiscard]] std::string name_of(const CatboostProjection& about) const {
    std::string name;
    const auto add = [&](const std::string& part) { name += (name.empty() ? "" : " × ") + part; };
    for (const std::int32_t index : about.categories) add(name_of_category(index));
    for (const auto& split : about.numbers) {
      add(signature_.features[static_cast<std::size_t>(feature_of_number_[number_at_.at(split.feature)])].name);
    }
    for (const auto& split : about.one_hot) add(name_of_category(split.feature));
    return name;
  }

  [[nodiscard]] std::string missing_words() const {
    std::string words = "numbers: ";
    const auto right = std::count_if(file_.numbers.begin(), file_.numbers.end(),
                                     [](const auto& number) { return number.missing_right; });
    words += right == 0                           ? "below all borders"
             : right == std::ssize(file_.numbers) ? "above all borders"
                                                  : "below or above all borders, by feature";
    return file_.categories.empty() ? words : words + "; categories: refused";
  }

  // The category feature that a split asks about, which is no number.
  [[nodiscard]] std::size_t category_of_split(std::uint32_t split) const {
    const CatboostSplit& asked = splits_[split];
    const bool one_hot = asked.kind == Kind::one_hot;
    return category_at_.at(one_hot ? file_.one_hots[asked.owner].feature
                                   : file_.tables[file_.ctrs[asked.owner].table].projection.categories.front());
  }

  // The one-hots and CTRs of a feature. What they make of a category: which value it is, above how many borders.
  struct Askers {
    std::vector<std::unordered_map<std::uint32_t, std::uint32_t>> one_hots;
    std::vector<const CatboostCtr*> ctrs;
  };
  [[nodiscard]] std::vector<std::uint32_t> answers_of(const Askers& askers, std::optional<std::uint32_t> hash) const {
    std::vector<std::uint32_t> answers;
    for (const auto& values : askers.one_hots) {
      const auto at = hash ? values.find(*hash) : values.end();
      answers.push_back(at == values.end() ? 0 : at->second);
    }
    for (const CatboostCtr* ctr : askers.ctrs) {
      const CatboostTable& table = file_.tables[ctr->table];
      const float value = ctr->value(table, hash ? table.row(catboost_joined(0, catboost_part(*hash))) : std::nullopt);
      const auto above = std::lower_bound(ctr->borders.begin(), ctr->borders.end(), value) - ctr->borders.begin();
      answers.push_back(static_cast<std::uint32_t>(above));
    }
    return answers;
  }

  // Codes for the categories of one feature, and a set for each of the splits that ask about it.
  void code_categories(std::size_t category, const std::vector<std::uint32_t>& splits, TreeEnsemble::Parts& parts) {
    Askers askers;
    std::map<std::uint32_t, std::size_t> one_hot_at, ctr_at;
    std::set<std::uint32_t> hashes;
    for (const std::uint32_t split : splits) {
      const std::uint32_t owner = splits_[split].owner;
      if (splits_[split].kind == Kind::one_hot) {
        if (!one_hot_at.emplace(owner, askers.one_hots.size()).second) continue;
        auto& positions = askers.one_hots.emplace_back();
        const auto& values = file_.one_hots[owner].values;
        for (std::size_t i = 0; i < values.size(); ++i) positions.emplace(values[i], static_cast<std::uint32_t>(i + 1));
        hashes.insert(values.begin(), values.end());
      } else {
        if (!ctr_at.emplace(owner, askers.ctrs.size()).second) continue;
        askers.ctrs.push_back(&file_.ctrs[owner]);
        for (const auto& [hash, row] : file_.tables[file_.ctrs[owner].table].rows) {
          if (const auto found = category_of(hash)) hashes.insert(*found);
        }
      }
    }
    // Categories that no split tells apart share a code: tables of a million are told apart by few borders.
    std::map<std::vector<std::uint32_t>, std::uint32_t> code_of;
    std::vector<const std::vector<std::uint32_t>*> answers;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> codes;
    for (const std::uint32_t hash : hashes) {
      const auto [at, is_new] =
          code_of.try_emplace(answers_of(askers, hash), static_cast<std::uint32_t>(code_of.size()));
      if (is_new) answers.push_back(&at->first);
      codes.emplace_back(hash, at->second);
    }
    if (answers.size() >= (std::size_t{1} << 24)) fail("has too many categories");
    const std::vector<std::uint32_t> unseen = answers_of(askers, std::nullopt);
    for (const std::uint32_t split : splits) {
      const CatboostSplit& asked = splits_[split];
      const std::size_t place =
          asked.kind == Kind::one_hot ? one_hot_at.at(asked.owner) : askers.one_hots.size() + ctr_at.at(asked.owner);
      const auto holds = [&](const std::vector<std::uint32_t>& answer) {
        return asked.kind == Kind::one_hot ? answer[place] == asked.position + 1 : answer[place] > asked.position;
      };
      // Those not listed go with the categories that training has never seen.
      const bool unseen_right = holds(unseen);
      CategorySet set;
      for (std::size_t code = 0; code < answers.size(); ++code) {
        if (holds(*answers[code]) == unseen_right) continue;
        set.bits.resize(code / 64 + 1);
        set.bits[code / 64] |= std::uint64_t{1} << (code % 64);
      }
      set_words_ += set.bits.size();
      if (set_words_ > most_set_words) fail("has categories out of all proportion");
      set_of_split_[split] = {.set = static_cast<std::int32_t>(parts.category_sets.size()),
                              .listed_left = unseen_right};
      parts.category_sets.push_back(std::move(set));
    }
    const auto feature = static_cast<std::size_t>(feature_of_category_[category]);
    parts.signature.features[feature].hashes = std::make_shared<const CategoryHashes>(std::move(codes));
  }

  [[nodiscard]] TreeNode node_of(std::uint32_t split) const {
    const CatboostSplit& asked = splits_[split];
    TreeNode node;
    node.missing_left = true;
    if (asked.kind == Kind::number) {
      const auto& number = file_.numbers[asked.owner];
      node.feature = feature_of_number_[asked.owner];
      node.threshold = static_cast<double>(number.borders[asked.position]);
      node.missing_left = !number.missing_right;
      return node;
    }
    node.feature = feature_of_category_[category_of_split(split)];
    node.categories = set_of_split_[split].set;
    node.categories_left = set_of_split_[split].listed_left;
    return node;
  }

  [[nodiscard]] TreeNode leaf_of(std::size_t leaf) const {
    TreeNode node;
    if (file_.dimensions == 1) {
      node.threshold = file_.leaf_values[leaf] * file_.scale;
    } else {
      node.leaf = static_cast<std::int32_t>(leaf);
    }
    return node;
  }

  // Level by level, leaf bit k on the right of level k.
  void add_symmetric(const CatboostFile::Tree& tree, TreeEnsemble::Parts& parts) const {
    const std::size_t root = parts.nodes.size(), depth = tree.levels.size();
    std::vector<std::uint32_t> paths = {0};
    for (std::size_t level = 0; level < depth; ++level) {
      const TreeNode split = node_of(tree.levels[level]);
      std::vector<std::uint32_t> below;
      const std::size_t children = parts.nodes.size() + paths.size();
      for (std::size_t i = 0; i < paths.size(); ++i) {
        TreeNode& node = parts.nodes.emplace_back(split);
        node.left = static_cast<std::int32_t>(children + 2 * i);
        node.right = node.left + 1;
        below.insert(below.end(), {paths[i], paths[i] | std::uint32_t{1} << level});
      }
      paths = std::move(below);
    }
    for (const std::uint32_t path : paths) {
      const std::size_t leaf = static_cast<std::size_t>(tree.root) + path;
      parts.nodes.push_back(leaf_of(leaf));
      if (!file_.leaf_weights.empty()) {
        parts.covers.resize(parts.nodes.size());
        parts.covers.back() = file_.leaf_weights[leaf];
      }
    }
    finish(root, parts);
  }

  void add_by_node(const CatboostFile::Tree& tree, TreeEnsemble::Parts& parts) const {
    const std::size_t root = parts.nodes.size();
    std::vector<std::int32_t> order = {tree.root};
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (order[i] < 0) {
        const auto leaf = static_cast<std::size_t>(-1 - order[i]);
        parts.nodes.push_back(leaf_of(leaf));
        if (!file_.leaf_weights.empty()) {
          parts.covers.resize(parts.nodes.size());
          parts.covers.back() = file_.leaf_weights[leaf];
        }
        continue;
      }
      const CatboostFile::Node& from = file_.nodes[static_cast<std::size_t>(order[i])];
      TreeNode node = node_of(from.split);
      node.left = static_cast<std::int32_t>(root + order.size());
      node.right = node.left + 1;
      order.insert(order.end(), {from.left, from.right});
      parts.nodes.push_back(node);
    }
    finish(root, parts);
  }

  // Children stand behind their parents, so covers add up from the end.
  void finish(std::size_t root, TreeEnsemble::Parts& parts) const {
    parts.trees.push_back({.root = static_cast<std::uint32_t>(root), .output = 0});
    if (parts.nodes.size() >= most_nodes) fail("has too many nodes");
    if (file_.leaf_weights.empty()) return;
    for (std::size_t i = parts.nodes.size(); i-- > root;) {
      const TreeNode& node = parts.nodes[i];
      if (node.is_leaf()) continue;
      parts.covers[i] =
          parts.covers[static_cast<std::size_t>(node.left)] + parts.covers[static_cast<std::size_t>(node.right)];
    }
  }

  std::unique_ptr<Model> make_trees() {
    TreeEnsemble::Parts parts;
    parts.signature = std::move(signature_);
    parts.comparison = Comparison::float32_less_equal;
    parts.link = link_;
    parts.base = file_.bias;
    parts.base.resize(file_.dimensions);
    parts.base_last = true;
    if (!file_.categories.empty()) {
      for (const FeatureInfo& feature : parts.signature.features)
        parts.accepted.push_back({.missing = !feature.categorical});
    }
    // Weights may be below zero or infinite: such covers say nothing.
    const auto sane = [](double weight) { return std::isfinite(weight) && weight >= 0; };
    if (!std::all_of(file_.leaf_weights.begin(), file_.leaf_weights.end(), sane)) file_.leaf_weights.clear();
    set_of_split_.resize(splits_.size());
    std::map<std::size_t, std::vector<std::uint32_t>> splits_of;
    for (std::uint32_t split = 0; split < splits_.size(); ++split) {
      if (used_[split] && splits_[split].kind != Kind::number) splits_of[category_of_split(split)].push_back(split);
    }
    for (const auto& [category, splits] : splits_of) code_categories(category, splits, parts);
    if (file_.dimensions > 1) {
      parts.leaf_values = file_.leaf_values;
      for (double& value : parts.leaf_values) value *= file_.scale;
    }
    for (const CatboostFile::Tree& tree : file_.trees) {
      if (file_.symmetric) {
        add_symmetric(tree, parts);
      } else {
        add_by_node(tree, parts);
      }
    }
    return std::make_unique<TreeEnsemble>(std::move(parts), where_);
  }

  static constexpr std::size_t most_set_words = std::size_t{1} << 24;  // 128 MB
  static constexpr std::size_t most_nodes = std::size_t{1} << 30;
  struct SetOfSplit {
    std::int32_t set = -1;
    bool listed_left = false;
  };

  CatboostFile file_;
  std::string_view where_;
  const LoadOptions& options_;
  std::vector<CatboostSplit> splits_;
  std::vector<bool> used_;
  std::set<const CatboostProjection*> combinations_;
  std::unordered_map<std::int32_t, std::size_t> number_at_, category_at_;  // by CatBoost's number
  std::vector<std::int32_t> feature_of_number_, feature_of_category_;      // in the signature
  std::vector<SetOfSplit> set_of_split_;
  std::size_t set_words_ = 0;
  std::size_t rounds_in_file_ = 0;
  Signature signature_;
  LinkFunction link_;
};

}  // namespace

std::unique_ptr<Model> make_catboost_model(CatboostFile file, std::string_view where, const LoadOptions& options) {
  return CatboostMaker(std::move(file), where, options).make();
}

}  // namespace sightglass
