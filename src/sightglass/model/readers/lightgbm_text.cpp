// LightGBM's own text format (booster.save_model("model.txt")), versions v2 to v4: LightGBM 2.0 to 4.x.
// Lines of key=value: a header, a block for each tree, and behind the trees what training was told. The rules below
// were read off LightGBM's predictions and are checked bit by bit against seven versions of it
// (tests/formats/make_lightgbm.py); docs/models.md lists what is taken and what is refused.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "sightglass/model/readers/json_document_internal.h"
#include "sightglass/model/readers/lightgbm_levels_internal.h"
#include "sightglass/model/readers/lightgbm_lines_internal.h"
#include "sightglass/model/readers/readers_internal.h"
#include "sightglass/model/trees/ensemble.h"

namespace sightglass {

namespace {

constexpr std::int64_t most_classes = 100000;
constexpr std::int64_t most_lightgbm_features = 1 << 21;  // as the ensemble
constexpr std::int64_t most_int32 = std::numeric_limits<std::int32_t>::max();
constexpr std::size_t most_set_words = std::size_t{1} << 26;  // 32-bit words: LightGBM cuts codes to int32

struct LightgbmObjective {
  std::string_view name;
  Task task;
  Link link;
  bool root;  // may be trained on square roots ("regression sqrt")
};

constexpr LightgbmObjective lightgbm_objectives[] = {
    {"regression", Task::regression, Link::identity, true},
    {"regression_l2", Task::regression, Link::identity, true},
    {"regression_l1", Task::regression, Link::identity, true},
    {"huber", Task::regression, Link::identity, true},
    {"fair", Task::regression, Link::identity, true},
    {"quantile", Task::regression, Link::identity, true},
    {"mape", Task::regression, Link::identity, true},
    {"poisson", Task::regression, Link::exponential, false},
    {"gamma", Task::regression, Link::exponential, false},
    {"tweedie", Task::regression, Link::exponential, false},
    {"binary", Task::binary, Link::logistic, false},
    {"multiclass", Task::multiclass, Link::softmax, false},
    {"multiclassova", Task::multiclass, Link::logistic, false},
    {"cross_entropy", Task::regression, Link::logistic, false},
    {"xentropy", Task::regression, Link::logistic, false},
    {"cross_entropy_lambda", Task::regression, Link::softplus, false},
    {"xentlambda", Task::regression, Link::softplus, false},
    {"lambdarank", Task::regression, Link::identity, false},
    {"rank_xendcg", Task::regression, Link::identity, false},
    {"none", Task::regression, Link::identity, false},
    {"custom", Task::regression, Link::identity, false},
};

// A key that is not here may mean anything: LightGBM 3.2 began to write is_linear without a new version.
constexpr std::string_view header_keys[] = {
    "version",   "num_class",     "num_tree_per_iteration", "label_index",   "max_feature_idx",
    "objective", "feature_names", "monotone_constraints",   "feature_infos", "tree_sizes",
};
constexpr std::string_view tree_keys[] = {
    "num_leaves",     "num_cat",         "split_feature",  "split_gain",    "threshold",   "decision_type",
    "left_child",     "right_child",     "leaf_value",     "leaf_weight",   "leaf_count",  "internal_value",
    "internal_count", "internal_weight", "cat_boundaries", "cat_threshold", "is_linear",   "leaf_const",
    "num_features",   "leaf_features",   "leaf_coeff",     "shrinkage",     "leaf_parent",
};

// decision_type, bit by bit.
constexpr std::int64_t by_category = 1;
constexpr std::int64_t default_left = 2;
enum class Missing : std::uint8_t { none, zero, nan };

// What a feature_infos entry says: none (constant), [min:max], or a list of category codes.
struct FeatureRange {
  enum class Kind : std::uint8_t { unknown, number, categories } kind = Kind::unknown;
  std::int64_t largest_code = -1;
  std::size_t codes = 0;          // how many training saw
  std::optional<double> highest;  // of a number that starts at 0
};

class LightgbmReader : private LightgbmLines {
 public:
  LightgbmReader(std::string_view content, std::string_view where, const LoadOptions& options)
      : LightgbmLines(content, where), options_(options) {}

  std::unique_ptr<Model> read() {
    parts_.comparison = Comparison::float64_less_equal;
    parts_.signature.format = "lightgbm-text";
    read_header();
    read_trees();
    read_training();
    use_rounds();
    describe();
    parts_.signature.outputs = output_names(parts_.signature, groups_, options_, where_);
    return std::make_unique<TreeEnsemble>(std::move(parts_), where_);
  }

 private:
  void read_header() {
    bool more = next_line();
    if (!more || text_ != "tree") fail(line_, "does not start with the line tree");
    for (more = next_line(); more && !text_.starts_with("Tree=") && !ends_trees(); more = next_line()) {
      if (text_ != "average_output") {
        keep(header_keys);
      } else if (std::exchange(average_, true)) {
        fail(line_, "average_output stands there twice");
      }
    }
    if (!more) fail(line_, "the file ends before the trees: it was cut off");
    read_version();
    groups_ = static_cast<std::size_t>(integer(require("num_class"), 1, most_classes));
    read_objective();
    read_features();
    if (const Entry* sizes = find("tree_sizes")) announced_trees_ = words(*sizes);
  }

  void read_version() {
    const Entry& version = require("version");
    if (version.text != "v2" && version.text != "v3" && version.text != "v4") {
      fail(version.line,
           "version " + printable(version.text, shown) + " of LightGBM's format is not known (v2 to v4 are)",
           "save the model with LightGBM 2 to 4");
    }
    parts_.signature.version = version.text;
    // LightGBM 2.0 to 2.2 do not mark where trees and parameters end.
    has_ends_ = version.text != "v2";
  }

  void read_objective() {
    const Entry* entry = find("objective");
    // A custom objective leaves no trace: LightGBM answers its margins.
    std::string_view text = entry == nullptr ? "custom" : entry->text;
    const std::string_view name = next_word(text);
    const auto* known = std::find_if(std::begin(lightgbm_objectives), std::end(lightgbm_objectives),
                                     [&](const LightgbmObjective& objective) { return objective.name == name; });
    if (known == std::end(lightgbm_objectives)) {
      fail(entry->line, "unsupported objective " + printable(name, shown),
           marked("docs/models.md lists those that are; give {argument:model} as exec:… or python:… meanwhile"));
    }
    Signature& signature = parts_.signature;
    signature.objective = entry == nullptr ? "custom" : entry->text;
    signature.task = known->task;
    parts_.link.link = known->link;
    for (std::string_view word = next_word(text); !word.empty(); word = next_word(text)) {
      objective_word(*entry, *known, word);
    }
    const bool multiclass = known->task == Task::multiclass;
    if (name == "custom" || name == "none") {
      if (groups_ > 1) signature.task = Task::multiclass;
    } else if (multiclass ? groups_ < 2 : groups_ > 1) {
      fail(require("num_class"),
           "is " + std::to_string(groups_) + ", which does not fit objective " + std::string(name));
    }
    signature.has_margin = parts_.link.link != Link::identity;
    if (average_ && signature.has_margin && signature.version == "v2") {
      fail(entry->line,
           "a random forest of LightGBM 2.0 to 2.2 with objective " + printable(name, shown) +
               ": whether its leaves are margins or responses is not in the file",
           "train it with LightGBM 2.3 or later");
    }
    if (const Entry* per_round = find("num_tree_per_iteration")) {
      const auto count = static_cast<std::size_t>(integer(*per_round, 1, most_classes));
      if (count != groups_) fail(*per_round, "is not num_class (" + std::to_string(groups_) + ")");
    }
  }

  // What stands behind an objective's name: "sigmoid:1", "num_class:3", "sqrt".
  void objective_word(const Entry& entry, const LightgbmObjective& objective, std::string_view word) {
    if (word == "sqrt" && objective.root) {
      parts_.link.link = Link::signed_square;
      return;
    }
    const std::size_t colon = word.find(':');
    const auto value = colon == std::string_view::npos ? std::nullopt : number_in<double>(word.substr(colon + 1));
    if (!value || !std::isfinite(*value)) fail(entry, "has " + printable(word, shown) + ", which is not known");
    if (word.starts_with("sigmoid:")) {
      if (*value <= 0) fail(entry, "has a sigmoid that is not above zero");
      parts_.link.scale = *value;
    } else if (word.starts_with("num_class:") && *value != static_cast<double>(groups_)) {
      fail(entry, "has another number of classes than num_class (" + std::to_string(groups_) + ")");
    }
  }

  void read_features() {
    const Entry& count_entry = require("max_feature_idx");
    const auto count = static_cast<std::size_t>(integer(count_entry, 0, most_lightgbm_features - 1)) + 1;
    const Entry& names = require("feature_names");
    const Entry& infos = require("feature_infos");
    if (count > names.text.size() / 2 + 1) wrong_count(names, count);
    auto& features = parts_.signature.features;
    std::string_view text = names.text;
    for (std::string_view name = next_word(text); !name.empty(); name = next_word(text)) {
      if (features.size() == count) wrong_count(names, count);
      features.push_back({.name = std::string(name)});
    }
    if (features.size() != count) wrong_count(names, count);
    text = infos.text;
    for (std::string_view info = next_word(text); !info.empty(); info = next_word(text)) {
      if (ranges_.size() == count) wrong_count(infos, count);
      read_range(infos, info);
    }
    if (ranges_.size() != count) wrong_count(infos, count);
  }

  void read_range(const Entry& entry, std::string_view info) {
    FeatureRange& range = ranges_.emplace_back();
    if (info == "none") return;
    if (info.starts_with('[') && info.ends_with(']')) {
      range.kind = FeatureRange::Kind::number;
      const std::string_view ends = info.substr(1, info.size() - 2);
      if (ends.starts_with("0:")) range.highest = number_in<double>(ends.substr(2));
      return;
    }
    range.kind = FeatureRange::Kind::categories;
    for (std::string_view code = next_word(info, ':'); !code.empty(); code = next_word(info, ':')) {
      const auto value = number_in<std::int64_t>(code);
      if (!value || *value < -1 || *value > most_int32) {  // -1 stands for missing
        fail(entry, "has " + printable(code, shown) + " for feature " + std::to_string(ranges_.size() - 1) +
                        ", expected none, [min:max] or codes of categories");
      }
      range.largest_code = std::max(range.largest_code, *value);
      if (*value >= 0) ++range.codes;
    }
  }

  // v2 goes on with the importances, the others say so.
  [[nodiscard]] bool ends_trees() const { return text_ == "end of trees" || text_ == "feature importances:"; }

  // text_ is the first line behind the header.
  void read_trees() {
    bool more = true;
    while (more && text_.starts_with("Tree=")) {
      if (number_in<std::uint64_t>(text_.substr(5)) != parts_.trees.size()) {
        fail(line_, "expected Tree=" + std::to_string(parts_.trees.size()) + ", found " + printable(text_, shown));
      }
      enter_tree(parts_.trees.size());
      for (more = next_line(); more && !text_.starts_with("Tree=") && !ends_trees(); more = next_line()) {
        keep(tree_keys);
      }
      read_tree();
      leave_tree();
    }
    const std::size_t count = parts_.trees.size();
    if (!more) fail(line_, "the file ends within the trees: it was cut off");
    if (has_ends_ && text_ != "end of trees") fail(line_, "expected end of trees, found " + printable(text_, shown));
    if (announced_trees_ && *announced_trees_ != count) {
      fail(line_, std::to_string(count) + " trees, but tree_sizes has " + std::to_string(*announced_trees_) + " items");
    }
    if (count % groups_ != 0) {
      fail(line_, std::to_string(count) + " trees cannot be divided into rounds of " + std::to_string(groups_));
    }
    // Memory is spent on classes, so they must not come for free.
    if (groups_ > std::max<std::size_t>(count, 1000)) {
      fail(line_, std::to_string(groups_) + " classes but only " + std::to_string(count) + " trees");
    }
    parts_.base.assign(groups_, 0);
    if (!covers_known_) parts_.covers.clear();
  }

  void read_tree() {
    if (const Entry* linear = find("is_linear"); linear != nullptr && integer(*linear, 0, 1) != 0) {
      fail(linear->line, spot("the tree is linear (linear_tree=true), which is not supported"),
           marked("train without linear_tree, or give {argument:model} as exec:… or python:…"));
    }
    const auto leaves = static_cast<std::size_t>(integer(require("num_leaves"), 1, most_int32));
    const std::size_t splits = leaves - 1;
    // Splits come first, then leaves, both in LightGBM's order.
    const std::vector<double> values = doubles(require("leaf_value"), leaves);
    const std::size_t root = parts_.nodes.size();
    if (root + splits + leaves > static_cast<std::size_t>(most_int32) / 2) fail(line_, "too many nodes");
    parts_.nodes.resize(root + splits + leaves);
    for (std::size_t leaf = 0; leaf < leaves; ++leaf) parts_.nodes[root + splits + leaf].threshold = values[leaf];
    if (splits > 0) read_splits(root, splits);
    read_counts(splits, leaves);
    const auto output = static_cast<std::uint32_t>(parts_.trees.size() % groups_);
    parts_.trees.push_back({static_cast<std::uint32_t>(root), output});
  }

  void read_splits(std::size_t root, std::size_t splits) {
    const auto limit = static_cast<std::int64_t>(splits);
    const Entry& thresholds_entry = require("threshold");
    const Entry& left_entry = require("left_child");
    const Entry& right_entry = require("right_child");
    const auto features =
        integers(require("split_feature"), splits, 0, static_cast<std::int64_t>(parts_.signature.features.size()) - 1);
    const auto thresholds = doubles(thresholds_entry, splits, true);  // <= inf splits off the missing values
    const auto left = integers(left_entry, splits, -limit - 1, limit - 1);
    const auto right = integers(right_entry, splits, -limit - 1, limit - 1);
    std::vector<std::int64_t> kinds(splits, 0);
    if (const Entry* entry = find("decision_type")) kinds = integers(*entry, splits, 0, 11);
    const std::size_t first_set = parts_.category_sets.size();
    const std::size_t sets = read_category_sets();
    check_shape(left, right, left_entry);
    for (std::size_t i = 0; i < splits; ++i) {
      TreeNode& node = parts_.nodes[root + i];
      node.feature = static_cast<std::int32_t>(features[i]);
      node.left = static_cast<std::int32_t>(root + position(left[i], splits));
      node.right = static_cast<std::int32_t>(root + position(right[i], splits));
      FeatureInfo& feature = parts_.signature.features[static_cast<std::size_t>(features[i])];
      FeatureRange& range = ranges_[static_cast<std::size_t>(features[i])];
      const bool categorical = (kinds[i] & by_category) != 0;
      const auto kind = categorical ? FeatureRange::Kind::categories : FeatureRange::Kind::number;
      // A constant of the last training (none) may have been split in an earlier one.
      if (range.kind == FeatureRange::Kind::unknown) range.kind = kind;
      if (range.kind != kind) {
        fail(thresholds_entry, "splits " + printable(feature.name, shown) +
                                   (categorical ? " by categories" : " by number") + " at position " +
                                   std::to_string(i) + ", but feature_infos or another split does not");
      }
      if (!categorical) {
        numeric_split(node, thresholds[i], kinds[i]);
        continue;
      }
      if (!(thresholds[i] >= 0 && thresholds[i] < static_cast<double>(sets)) ||
          thresholds[i] != std::floor(thresholds[i])) {
        fail(thresholds_entry,
             "names a category set at position " + std::to_string(i) + ", num_cat is " + std::to_string(sets));
      }
      // Listed codes go left; all others go right, also unknown, negative and missing ones.
      node.categories = static_cast<std::int32_t>(first_set + static_cast<std::size_t>(thresholds[i]));
      node.categories_left = true;
    }
  }

  // Children count splits from 0 and leaves from -1 downwards.
  static std::size_t position(std::int64_t child, std::size_t splits) {
    return child >= 0 ? static_cast<std::size_t>(child) : splits + static_cast<std::size_t>(-child - 1);
  }

  // LightGBM's predict takes everything within ±zero_threshold for 0 before it compares, so a threshold in there
  // has all of it on one side.
  void numeric_split(TreeNode& node, double threshold, std::int64_t kind) {
    const auto missing = static_cast<Missing>(kind >> 2);
    used_rules_[static_cast<std::size_t>(missing)] = true;
    const bool zero_left = 0 <= threshold;
    if (std::abs(threshold) <= zero_threshold) {
      threshold =
          zero_left ? zero_threshold : std::nextafter(-zero_threshold, -std::numeric_limits<double>::infinity());
    }
    node.threshold = threshold;
    node.zero_is_missing = missing == Missing::zero;
    // Without a rule for missing values NaN counts as 0.
    node.missing_left = missing == Missing::none ? zero_left : (kind & default_left) != 0;
  }

  // Every split and leaf hangs on the root, and on nothing twice.
  void check_shape(const std::vector<std::int64_t>& left, const std::vector<std::int64_t>& right,
                   const Entry& entry) const {
    const std::size_t splits = left.size();
    std::vector<std::uint8_t> seen(2 * splits + 1, 0);
    std::vector<std::size_t> waiting = {0};
    seen[0] = 1;
    std::size_t reached = 1;
    while (!waiting.empty()) {
      const std::size_t node = waiting.back();
      waiting.pop_back();
      for (const std::int64_t child : {left[node], right[node]}) {
        const std::size_t at = position(child, splits);
        if (seen[at] != 0) {
          fail(entry, "or right_child: split " + std::to_string(node) + " has the child " + std::to_string(child) +
                          ", which has a parent already: not a tree");
        }
        seen[at] = 1;
        ++reached;
        if (child >= 0) waiting.push_back(at);
      }
    }
    if (reached != seen.size()) fail(entry, "or right_child leave splits without a parent: not a tree");
  }

  // cat_threshold holds the bits of all sets, 32 in a word; cat_boundaries says where each starts.
  std::size_t read_category_sets() {
    const Entry* entry = find("num_cat");
    const auto count = entry == nullptr ? 0 : static_cast<std::size_t>(integer(*entry, 0, most_int32 - 1));
    if (count == 0) return 0;
    const Entry& boundary_entry = require("cat_boundaries");
    const auto boundaries = integers(boundary_entry, count + 1, 0, most_int32);
    if (boundaries.front() != 0 || !std::is_sorted(boundaries.begin(), boundaries.end())) {
      fail(boundary_entry, "does not ascend from 0");
    }
    const auto words = integers(require("cat_threshold"), static_cast<std::size_t>(boundaries.back()), 0,
                                std::numeric_limits<std::uint32_t>::max());
    for (std::size_t i = 0; i < count; ++i) {
      const auto first = static_cast<std::size_t>(boundaries[i]);
      const auto size = static_cast<std::size_t>(boundaries[i + 1]) - first;
      if (size > most_set_words) fail(boundary_entry, "has a set of codes beyond 32 bits");
      auto& bits = parts_.category_sets.emplace_back().bits;
      bits.resize((size + 1) / 2);
      for (std::size_t word = 0; word < size; ++word) {
        bits[word / 2] |= static_cast<std::uint64_t>(words[first + word]) << (word % 2 * 32);
      }
    }
    return count;
  }

  // Training rows that passed, as LightGBM's own pred_contrib weighs them. A tree of one leaf may have none.
  void read_counts(std::size_t splits, std::size_t leaves) {
    const auto add = [&](std::string_view key, std::size_t count) {
      const Entry* entry = find(key);
      const bool empty = entry == nullptr || entry->text.find_first_not_of(' ') == std::string_view::npos;
      if (empty) {
        if (splits > 0) covers_known_ = false;
        parts_.covers.resize(parts_.covers.size() + count);
        return;
      }
      for (const std::int64_t rows : integers(*entry, count, 0, most_int32)) {
        parts_.covers.push_back(static_cast<double>(rows));
      }
    };
    if (splits > 0) add("internal_count", splits);
    add("leaf_count", leaves);
  }

  // Importances (not used), parameters, and the levels of pandas' categories. text_ is the line that ends the trees.
  void read_training() {
    bool importances = text_ == "feature importances:";
    bool parameters = false;
    std::optional<Entry> levels;
    while (next_line()) {
      if (text_ == "feature importances:" || text_ == "feature_importances:") {
        importances = true;
      } else if (text_ == "parameters:") {
        if (std::exchange(parameters, true)) fail(line_, "parameters stand there twice");
        read_parameters();
      } else if (text_ == "parser:") {
        do {
          if (!next_line()) fail(line_, "the file ends within parser: it was cut off");
        } while (text_ != "end of parser");
      } else if (text_.starts_with("pandas_categorical:")) {
        if (levels) fail(line_, "pandas_categorical stands there twice");
        levels = Entry{"pandas_categorical", text_.substr(19), line_};
      } else if (!importances || parameters || levels || text_.find('=') == std::string_view::npos) {
        fail(line_, "not expected behind the trees: " + printable(text_, shown));
      }
    }
    if (has_ends_ && !parameters) fail(line_, "the file ends without its parameters: it was cut off");
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
      parts_.signature.features[i].categorical = ranges_[i].kind == FeatureRange::Kind::categories;
    }
    if (levels) read_levels(*levels);
  }

  // [key: value] on each line.
  void read_parameters() {
    while (next_line()) {
      if (text_ == "end of parameters") return;
      if (!text_.starts_with('[') || !text_.ends_with(']')) fail(line_, "not a parameter: " + printable(text_, shown));
      const std::string_view inside = text_.substr(1, text_.size() - 2);
      if (inside.starts_with("boosting: ")) boosting_ = inside.substr(10);
      if (inside.starts_with("categorical_feature: ")) {
        categorical_parameter_ = {"categorical_feature", inside.substr(21), line_};
      }
    }
    fail(line_, "the file ends within the parameters: it was cut off");
  }

  // The levels of each column that was a pandas category, in the order of the columns; code i is level i. Which
  // columns these were, the file does not say: normally all that are categorical. An ordered category is one that
  // LightGBM takes for a number, and a number may have been declared categorical; then we cannot know.
  void read_levels(const Entry& entry) {
    const JsonBlame blame{ErrorKind::model, where_ + ": line " + std::to_string(entry.line) + ": pandas_categorical",
                          "the file is damaged or was cut off: save it again with booster.save_model('model.txt')"};
    auto lists = read_pandas_levels(entry.text, blame);
    if (lists.empty()) return;
    const std::vector<std::size_t> columns = category_columns();
    if (columns.size() != lists.size()) {
      fail(entry.line,
           "pandas_categorical has the categories of " + std::to_string(lists.size()) + " columns, but " +
               std::to_string(columns.size()) + " features are categorical: which is which is not in the file",
           marked("train with pandas categories that are not ordered, and let LightGBM find them "
                  "(categorical_feature='auto'); or give {argument:model} as python:…"));
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
      FeatureInfo& feature = parts_.signature.features[columns[i]];
      if (ranges_[columns[i]].largest_code >= static_cast<std::int64_t>(lists[i].names.size())) {
        fail(entry.line, "pandas_categorical has " + std::to_string(lists[i].names.size()) + " categories for " +
                             printable(feature.name, shown) + ", but code " +
                             std::to_string(ranges_[columns[i]].largest_code) + " is used");
      }
      check_owner(entry, columns[i], lists[i].names);
      feature.categorical = true;
      feature.levels = std::move(lists[i].names);
      feature.numeric_levels = lists[i].numbers;
    }
  }

  // Whether a list of levels may be another column's: an ordered category is a number from 0 to the last level.
  // Words would not fit its data, but numbers might.
  void check_owner(const Entry& entry, std::size_t column, const std::vector<std::string>& names) {
    const std::size_t levels = names.size();
    if (!std::all_of(names.begin(), names.end(), [](const auto& name) { return number_in<double>(name); })) return;
    const auto last = static_cast<double>(levels) - 1;
    for (std::size_t other = 0; other < ranges_.size(); ++other) {
      if (ranges_[other].kind != FeatureRange::Kind::number || ranges_[other].highest != last) continue;
      const std::string owner = printable(parts_.signature.features[column].name, shown);
      const std::string rival = printable(parts_.signature.features[other].name, shown);
      if (ranges_[column].codes != levels) {
        fail(entry.line,
             "the " + std::to_string(levels) + " categories may be those of " + owner + " or, if that was an ordered " +
                 "category, of " + rival + ": which is not in the file",
             marked("train with pandas categories that are not ordered, and declare no numbers categorical; or give "
                    "{argument:model} as python:…"));
      }
      parts_.signature.notes.push_back("the file does not say whose categories it holds: taken for those of " + owner +
                                       "; if " + rival + " was an ordered category, this is wrong");
      return;
    }
  }

  // By the parameters, which name also constant columns (since LightGBM 3); else by what was seen in training.
  [[nodiscard]] std::vector<std::size_t> category_columns() const {
    std::vector<std::size_t> columns;
    std::string_view text = categorical_parameter_.text;
    for (std::string_view word = next_word(text, ','); !word.empty(); word = next_word(text, ',')) {
      const auto column = number_in<std::uint64_t>(word);
      if (!column || *column >= ranges_.size()) {
        columns.clear();  // names, from the command line tool
        break;
      }
      if (ranges_[*column].kind == FeatureRange::Kind::number) {
        fail(categorical_parameter_.line, "categorical_feature has " + printable(word, shown) + ", which is a number");
      }
      columns.push_back(*column);
    }
    if (!columns.empty()) {
      std::sort(columns.begin(), columns.end());
      columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
      return columns;
    }
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
      if (ranges_[i].kind == FeatureRange::Kind::categories) columns.push_back(i);
    }
    return columns;
  }

  void use_rounds() {
    const std::size_t in_file = parts_.trees.size() / groups_;
    std::size_t used = in_file;
    check_rounds(options_, in_file, where_);
    if (options_.rounds > 0) used = static_cast<std::size_t>(options_.rounds);
    if (used < in_file) {
      const std::size_t nodes = parts_.trees[used * groups_].root;
      parts_.nodes.resize(nodes);
      if (!parts_.covers.empty()) parts_.covers.resize(nodes);
      parts_.trees.resize(used * groups_);
    }
    if (average_) {
      if (used == 0) fail(line_, "average_output, but there are no trees");
      parts_.divisor = static_cast<double>(used);
    }
    parts_.signature.detail.set("rounds", static_cast<std::uint64_t>(used));
    parts_.signature.detail.set("rounds_in_file", static_cast<std::uint64_t>(in_file));
    parts_.signature.detail.set("trees_in_file", static_cast<std::uint64_t>(in_file * groups_));
  }

  void describe() {
    Value& detail = parts_.signature.detail;
    if (average_) boosting_ = "rf";
    if (!boosting_.empty()) detail.set("boosting", std::string(printable(boosting_, shown)));
    if (average_) detail.set("margin", "the mean of the trees; LightGBM's raw_score is their sum");
    if (parts_.link.scale != 1) detail.set("sigmoid", parts_.link.scale);
    const auto uses = [&](Missing rule) { return used_rules_[static_cast<std::size_t>(rule)]; };
    std::string rules;
    if (uses(Missing::nan) || uses(Missing::zero)) rules = "each split has a direction for missing values";
    if (uses(Missing::zero)) rules += ", and zeros count as missing";
    if (uses(Missing::none)) rules += rules.empty() ? "missing values count as 0" : ", but some count them as 0";
    if (!parts_.category_sets.empty()) {
      rules += rules.empty() ? "" : "; ";
      rules += "a missing category goes with those that a split does not list";
    }
    detail.set("missing", rules.empty() ? "no split" : rules);
    if (covers_known_) detail.set("cover", "training rows (internal_count, leaf_count)");
  }

  const LoadOptions& options_;
  bool has_ends_ = true;
  bool average_ = false;
  bool covers_known_ = true;
  bool used_rules_[3] = {};  // by Missing
  std::size_t groups_ = 1;
  std::optional<std::size_t> announced_trees_;
  std::vector<FeatureRange> ranges_;
  std::string_view boosting_;
  Entry categorical_parameter_;
  TreeEnsemble::Parts parts_;
};

}  // namespace

std::unique_ptr<Model> read_lightgbm_text(std::string_view content, std::string_view where,
                                          const LoadOptions& options) {
  return LightgbmReader(content, where, options).read();
}

}  // namespace sightglass
