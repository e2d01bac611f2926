// XGBoost's own JSON (booster.save_model("model.json")), versions 1.0 to 3.x, booster gbtree.
// The rules below were read off XGBoost 3.2 and are checked bit by bit against it and older versions
// (tests/formats/make_xgboost.py); docs/models.md lists what is taken and what is refused.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "sightglass/model/readers/json_document_internal.h"
#include "sightglass/model/readers/readers_internal.h"
#include "sightglass/model/trees/ensemble.h"

namespace sightglass {

namespace {

constexpr std::int64_t newest_major = 3;
constexpr std::int64_t most_classes = 100000;
constexpr std::int64_t most_features = 1000000;
constexpr std::int64_t most_int32 = std::numeric_limits<std::int32_t>::max();
constexpr std::int32_t code_limit = 1 << 24;  // XGBoost: codes at or above are nobody's

enum class BaseScore { margin, probability, mean };

struct Objective {
  std::string_view name;
  Task task;
  Link link;
  BaseScore base;  // what the file's base_score is; XGBoost turns it into a margin
};

constexpr Objective objectives[] = {
    {"reg:squarederror", Task::regression, Link::identity, BaseScore::margin},
    {"reg:linear", Task::regression, Link::identity, BaseScore::margin},
    {"reg:squaredlogerror", Task::regression, Link::identity, BaseScore::margin},
    {"reg:absoluteerror", Task::regression, Link::identity, BaseScore::margin},
    {"reg:pseudohubererror", Task::regression, Link::identity, BaseScore::margin},
    {"reg:quantileerror", Task::regression, Link::identity, BaseScore::margin},
    {"reg:logistic", Task::regression, Link::logistic, BaseScore::probability},
    {"binary:logistic", Task::binary, Link::logistic, BaseScore::probability},
    {"binary:logitraw", Task::binary, Link::identity, BaseScore::margin},
    {"multi:softprob", Task::multiclass, Link::softmax, BaseScore::margin},
    {"multi:softmax", Task::multiclass, Link::softmax, BaseScore::margin},
    {"count:poisson", Task::regression, Link::exponential, BaseScore::mean},
    {"reg:gamma", Task::regression, Link::exponential, BaseScore::mean},
    {"reg:tweedie", Task::regression, Link::exponential, BaseScore::mean},
    {"rank:pairwise", Task::regression, Link::identity, BaseScore::margin},
    {"rank:ndcg", Task::regression, Link::identity, BaseScore::margin},
    {"rank:map", Task::regression, Link::identity, BaseScore::margin},
};

// In float32, as XGBoost does it, so that margins start from the same bits.
float margin_of(BaseScore kind, float score) {
  if (kind == BaseScore::mean) return std::log(score);
  if (kind == BaseScore::margin) return score;
  // XGBoost keeps a probability this far from 0 and 1 before it takes the logit.
  constexpr float closest = 1e-6F;
  const float probability = std::clamp(score, closest, 1.0F - closest);
  return -std::log(1.0F / probability - 1.0F);
}

// 143.98785, not the 143.98785400390625 that the float32 is: for people to read.
double as_written(float score) {
  char text[32];
  const char* end = std::to_chars(text, text + sizeof text, score).ptr;
  double value = 0;
  std::from_chars(text, end, value);
  return value;
}

class XgboostReader {
 public:
  XgboostReader(std::string_view content, std::string_view where, const LoadOptions& options)
      : blame_{ErrorKind::model, std::string(where),
               "the file is damaged or not XGBoost's own JSON: save it again with booster.save_model('model.json')"},
        options_(options),
        content_(content),
        set_words_left_((std::size_t{1} << 23) + 8 * content.size()) {}

  std::unique_ptr<Model> read() {
    const JsonValue root_value(blame_, document_.parse(content_, blame_));
    recognise(root_value);
    const JsonObject root(root_value);
    read_version(root.require("version"));
    const JsonValue learner_value = root.require("learner");
    const JsonObject learner(learner_value);
    read_booster_name(learner);
    read_objective(learner);
    read_parameters(learner);
    read_features(learner);
    read_booster(learner);
    name_outputs();
    return std::make_unique<TreeEnsemble>(std::move(parts_), blame_.where);
  }

 private:
  [[noreturn]] void refuse(const std::string& what, const std::string& advice) const {
    throw Error(ErrorKind::model, printable(blame_.where) + ": " + what, advice);
  }

  // Other JSON that people have at hand.
  void recognise(const JsonValue& root) const {
    if (root.is_array()) {
      refuse("a list, not a model: a dump of XGBoost's trees lacks what prediction needs",
             "save the model itself: booster.save_model('model.json')");
    }
    const JsonObject object(root);
    if (object.find("learner")) return;
    if (object.find("oblivious_trees") || object.find("features_info")) {
      refuse("CatBoost's JSON is not supported yet", "use --model exec:… or python:… meanwhile");
    }
    if (object.find("tree_info") || object.find("feature_infos")) {
      refuse("a JSON dump of a LightGBM model, which lacks what prediction needs",
             "save the model itself as text: booster.save_model('model.txt')");
    }
    refuse("JSON, but not an XGBoost model: it has no \"learner\"",
           "save the model with booster.save_model('model.json')");
  }

  void read_version(const JsonValue& version) {
    const auto numbers = version.integers(0, 1000000);
    if (numbers.size() != 3) version.fail("should be three numbers");
    for (const std::int32_t number : numbers) {
      if (!parts_.signature.version.empty()) parts_.signature.version += '.';
      parts_.signature.version += std::to_string(number);
    }
    if (numbers[0] < 1 || numbers[0] > newest_major) {
      refuse("written by XGBoost " + parts_.signature.version + ", which is not known (1.0 to 3.x are)",
             "save the model with one of those");
    }
    parts_.signature.format = "xgboost-json";
  }

  void read_booster_name(const JsonObject& learner) const {
    const JsonValue booster_value = learner.require("gradient_booster");
    const JsonObject booster(booster_value);
    const std::string_view name = booster.require("name").text();
    if (name != "gbtree") {
      refuse("the booster " + printable(name, 40) + " is not supported yet",
             "only gbtree is; use --model exec:… or python:… meanwhile");
    }
  }

  void read_objective(const JsonObject& learner) {
    const JsonValue value = learner.require("objective");
    const JsonObject object(value);
    const std::string_view name = object.require("name").text();
    for (const Objective& known : objectives) {
      if (known.name == name) objective_ = &known;
    }
    if (objective_ == nullptr) {
      refuse("unsupported objective " + printable(name, 60),
             "docs/models.md lists those that are; use --model exec:… or python:… meanwhile");
    }
    parts_.signature.objective = name;
    parts_.signature.task = objective_->task;
    parts_.link.link = objective_->link;
    parts_.float32_sums = true;
    parts_.signature.has_margin = objective_->link != Link::identity;
    parts_.comparison = Comparison::float32_less;
  }

  void read_parameters(const JsonObject& learner) {
    const JsonValue value = learner.require("learner_model_param");
    const JsonObject parameters(value);
    features_ = static_cast<std::size_t>(parameters.require("num_feature").integer(0, most_features));
    const JsonValue classes = parameters.require("num_class");
    const std::int64_t class_count = classes.integer(0, most_classes);
    if (objective_->task == Task::multiclass && class_count < 2) classes.fail("should be 2 or more");
    if (objective_->task != Task::multiclass && class_count > 1) {
      refuse("objective " + std::string(objective_->name) + " with " + std::to_string(class_count) + " classes",
             "models of a custom multiclass objective are not supported yet; use --model python:… meanwhile");
    }
    groups_ = static_cast<std::size_t>(std::max<std::int64_t>(1, class_count));
    if (const auto targets = parameters.find("num_target"); targets && targets->integer(0, most_classes) > 1) {
      refuse("a model of several targets is not supported yet", "save one model for each target");
    }
    read_base(parameters.require("base_score"));
  }

  // "5E-1" up to XGBoost 3.0, "[5E-1]" with one score for each output since.
  void read_base(const JsonValue& value) {
    std::vector<float> scores;
    if (value.is_string()) {
      std::string_view text = value.text();
      if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
      for (bool more = true; more;) {
        const std::size_t comma = text.find(',');
        more = comma != std::string_view::npos;
        const std::string_view item = text.substr(0, comma);
        float score = 0;
        const auto [end, failure] = std::from_chars(item.data(), item.data() + item.size(), score);
        if (failure != std::errc() || end != item.data() + item.size() || !std::isfinite(score)) {
          value.fail("is not a number: " + printable(value.text(), 40));
        }
        scores.push_back(score);
        if (more) text.remove_prefix(comma + 1);
      }
    } else {
      scores.push_back(value.float32());
    }
    if (scores.size() != 1 && scores.size() != groups_) {
      value.fail("has " + std::to_string(scores.size()) + " numbers, expected " + std::to_string(groups_));
    }
    Value shown = Value::array();
    for (std::size_t group = 0; group < groups_; ++group) {
      const float score = scores[scores.size() == 1 ? 0 : group];
      const float margin = margin_of(objective_->base, score);
      if (!std::isfinite(margin)) value.fail("is no mean of " + std::string(objective_->name));
      parts_.base.push_back(static_cast<double>(margin));
      shown.push_back(as_written(score));
    }
    parts_.signature.detail.set("base_score", groups_ == 1 ? shown.as_array().front() : shown);
  }

  void read_features(const JsonObject& learner) {
    std::vector<std::string> names;
    std::vector<std::string> types;
    if (const auto value = learner.find("feature_names")) names = value->texts();
    if (const auto value = learner.find("feature_types")) types = value->texts();
    const auto check = [&](const std::vector<std::string>& list, std::string_view what) {
      if (!list.empty() && list.size() != features_) {
        blame_.fail("learner." + std::string(what) + " has " + std::to_string(list.size()) + " items, num_feature is " +
                    std::to_string(features_));
      }
    };
    check(names, "feature_names");
    check(types, "feature_types");
    auto& features = parts_.signature.features;
    features.resize(features_);
    for (std::size_t i = 0; i < features_; ++i) {
      features[i].name = names.empty() ? std::string("f").append(std::to_string(i)) : names[i];
      features[i].categorical = !types.empty() && (types[i] == "c" || types[i] == "categorical");
    }
    types_known_ = !types.empty();
  }

  void read_booster(const JsonObject& learner) {
    const JsonValue booster_value = learner.require("gradient_booster");
    const JsonObject booster(booster_value);
    const JsonValue model_value = booster.require("model");
    const JsonObject model(model_value);
    if (const auto categories = model.find("cats")) read_category_names(*categories);

    const JsonValue parameter_value = model.require("gbtree_model_param");
    const JsonObject parameters(parameter_value);
    const auto tree_count = static_cast<std::size_t>(parameters.require("num_trees").integer(0, most_int32));
    const auto parallel = parameters.find("num_parallel_tree");
    parallel_trees_ = parallel ? static_cast<std::size_t>(parallel->integer(0, most_int32)) : 1;
    parallel_trees_ = std::max<std::size_t>(1, parallel_trees_);

    // Each round has a tree for each class; memory is spent on classes, so they must not come for free.
    if (groups_ > std::max<std::size_t>(tree_count, 1000)) {
      refuse(std::to_string(groups_) + " classes but only " + std::to_string(tree_count) + " trees",
             "the file is damaged");
    }
    const JsonValue group_value = model.require("tree_info");
    const auto groups = group_value.integers(0, static_cast<std::int64_t>(groups_) - 1);
    if (groups.size() != tree_count) {
      group_value.fail("has " + std::to_string(groups.size()) + " items, num_trees is " + std::to_string(tree_count));
    }
    const std::size_t used = used_trees(learner, model, tree_count);
    const JsonValue trees = model.require("trees");
    std::size_t number = 0;
    trees.each([&](const JsonValue& tree) {
      if (number >= tree_count) trees.fail("has more items than num_trees says");
      read_tree(tree, static_cast<std::uint32_t>(groups[number]), number < used);
      ++number;
    });
    if (number != tree_count) {
      trees.fail("has " + std::to_string(number) + " items, num_trees is " + std::to_string(tree_count));
    }
    if (!covers_known_) parts_.covers.clear();
    parts_.signature.detail.set("missing", "each split has a direction for missing values");
  }

  // Trees that prediction uses. The scikit-learn classes stop at the best round of early stopping, a Booster's
  // own predict does not; they also leave their mark in the file they save, so the file's author decides.
  std::size_t used_trees(const JsonObject& learner, const JsonObject& model, std::size_t tree_count) {
    std::vector<std::int32_t> ends;  // of each round, where the file has them (since 2.0)
    if (const auto value = model.find("iteration_indptr")) {
      ends = value->integers(0, static_cast<std::int64_t>(tree_count));
      if (ends.empty() || ends.front() != 0 || static_cast<std::size_t>(ends.back()) != tree_count ||
          !std::is_sorted(ends.begin(), ends.end())) {
        value->fail("does not divide the trees into rounds");
      }
      ends.erase(ends.begin());
    } else {
      for (std::size_t end = parallel_trees_ * groups_; end <= tree_count; end += parallel_trees_ * groups_) {
        ends.push_back(static_cast<std::int32_t>(end));
      }
    }
    std::size_t used = tree_count;
    std::size_t used_rounds = ends.size();
    if (const auto value = learner.find("attributes")) {
      const JsonObject attributes(*value);
      const auto best = attributes.find("best_iteration");
      if (best && attributes.find("scikit_learn")) {
        const std::int64_t last = ends.empty() ? 0 : static_cast<std::int64_t>(ends.size()) - 1;
        const auto round = static_cast<std::size_t>(best->integer(0, last));
        used_rounds = std::min(round + 1, ends.size());
        if (!ends.empty()) used = static_cast<std::size_t>(ends[round]);
      }
    }
    Value& detail = parts_.signature.detail;
    detail.set("rounds", static_cast<std::uint64_t>(used_rounds));
    detail.set("rounds_in_file", static_cast<std::uint64_t>(ends.size()));
    detail.set("trees_in_file", static_cast<std::uint64_t>(tree_count));
    return used;
  }

  // The categories of each feature, since XGBoost 3.1: text as bytes and offsets, or whole numbers.
  void read_category_names(const JsonValue& value) {
    const JsonObject categories(value);
    const JsonValue list = categories.require("enc");
    std::size_t feature = 0;
    list.each([&](const JsonValue& entry_value) {
      const JsonObject entry(entry_value);
      if (feature >= features_) list.fail("has more items than num_feature says");
      const JsonValue values = entry.require("values");
      auto levels = entry.find("offsets") ? text_levels(values, entry.require("offsets")) : number_levels(values);
      if (levels.size() >= static_cast<std::size_t>(code_limit)) values.fail("has too many categories");
      FeatureInfo& info = parts_.signature.features[feature++];
      if (!levels.empty() && types_known_ && !info.categorical) {
        entry_value.fail("has categories, but feature_types calls the feature a number");
      }
      if (!levels.empty()) info.categorical = true;
      info.levels = std::move(levels);
    });
    if (feature != 0 && feature != features_) list.fail("has fewer items than num_feature says");
  }

  static std::vector<std::string> text_levels(const JsonValue& values, const JsonValue& offset_value) {
    const auto bytes = values.integers(-128, 255);
    const auto offsets = offset_value.integers(0, static_cast<std::int64_t>(bytes.size()));
    std::vector<std::string> levels;
    for (std::size_t i = 1; i < offsets.size(); ++i) {
      if (offsets[i] < offsets[i - 1]) offset_value.fail("is not ascending");
      std::string& level = levels.emplace_back();
      for (std::int32_t at = offsets[i - 1]; at < offsets[i]; ++at) {
        level.push_back(static_cast<char>(bytes[static_cast<std::size_t>(at)]));
      }
    }
    // XGBoost 3.1 and 3.2 count characters where they should count bytes: from the first letter beyond ASCII on
    // the names are shifted and cut. Better no names, and a question to the user, than wrong ones.
    const bool ascii =
        std::all_of(bytes.begin(), bytes.end(), [](std::int32_t byte) { return byte >= 0 && byte < 128; });
    if (!ascii) levels.clear();
    return levels;
  }

  static std::vector<std::string> number_levels(const JsonValue& values) {
    std::vector<std::string> levels;
    values.each([&](const JsonValue& item) {
      std::int64_t whole = 0;
      if (item.element().get(whole) == simdjson::SUCCESS) {
        levels.push_back(std::to_string(whole));
        return;
      }
      double number = 0;
      if (item.element().get(number) != simdjson::SUCCESS) item.fail("is not a number");
      char text[32];
      levels.emplace_back(text, std::to_chars(text, text + sizeof text, number).ptr);
    });
    return levels;
  }

  struct TreeArrays {
    std::vector<std::int32_t> left, right, feature;
    std::vector<float> condition;
    std::vector<std::uint8_t> missing_left, by_category;
    std::vector<float> cover;
    std::vector<std::int32_t> set;  // index into category_sets, -1 for none
  };

  void read_tree(const JsonValue& value, std::uint32_t group, bool used) {
    const JsonObject tree(value);
    const JsonValue parameter_value = tree.require("tree_param");
    const JsonObject parameters(parameter_value);
    if (const auto size = parameters.find("size_leaf_vector"); size && size->integer(0, most_int32) > 1) {
      refuse("leaves that hold several values (multi_strategy=multi_output_tree) are not supported yet",
             "train with multi_strategy=one_output_per_tree, or use --model python:… meanwhile");
    }
    TreeArrays arrays;
    const JsonValue left = tree.require("left_children");
    arrays.left = left.integers(-1, most_int32);
    const std::size_t count = arrays.left.size();
    if (count == 0) left.fail("is empty: a tree has at least one node");
    const JsonValue nodes = parameters.require("num_nodes");
    if (static_cast<std::size_t>(nodes.integer(0, most_int32)) != count) {
      nodes.fail("is not the length of left_children, " + std::to_string(count));
    }
    const auto same_length = [&](const JsonValue& list, std::size_t size) {
      if (size != count) {
        list.fail("has " + std::to_string(size) + " items, left_children has " + std::to_string(count));
      }
    };
    const JsonValue right = tree.require("right_children");
    arrays.right = right.integers(-1, most_int32);
    same_length(right, arrays.right.size());
    const JsonValue feature = tree.require("split_indices");
    arrays.feature = feature.integers(0, most_int32);
    same_length(feature, arrays.feature.size());
    const JsonValue condition = tree.require("split_conditions");
    condition.each([&](const JsonValue& item) {
      // XGBoost up to 2.x writes NaN as the threshold of a split by categories; add_tree looks where it counts.
      const bool stands_for_nan = item.is_object() || item.is_array();
      arrays.condition.push_back(stands_for_nan ? std::numeric_limits<float>::quiet_NaN() : item.float32());
    });
    same_length(condition, arrays.condition.size());
    const JsonValue missing = tree.require("default_left");
    missing.each([&](const JsonValue& item) { arrays.missing_left.push_back(item.boolean_or_bit() ? 1 : 0); });
    same_length(missing, arrays.missing_left.size());
    if (const auto types = tree.find("split_type")) {
      types->each([&](const JsonValue& item) { arrays.by_category.push_back(item.boolean_or_bit() ? 1 : 0); });
      same_length(*types, arrays.by_category.size());
    }
    arrays.by_category.resize(count, 0);
    read_covers(tree, arrays, same_length);
    if (!used) return;
    read_category_sets(tree, arrays);
    add_tree(value, arrays, group);
  }

  template <class SameLength>
  void read_covers(const JsonObject& tree, TreeArrays& arrays, const SameLength& same_length) {
    const auto covers = tree.find("sum_hessian");
    if (!covers) {
      covers_known_ = false;
      return;
    }
    std::size_t size = 0;
    covers->each([&](const JsonValue& item) {
      ++size;
      double cover = 0;
      const bool number = item.element().get(cover) == simdjson::SUCCESS;
      if (!number && !item.is_object() && !item.is_array()) item.fail("is not a number");
      // A custom objective may have negative or infinite hessians: such covers say nothing.
      if (!number || !(cover >= 0) || cover > static_cast<double>(std::numeric_limits<float>::max())) {
        covers_known_ = false;
        cover = 0;
      }
      arrays.cover.push_back(static_cast<float>(cover));
    });
    same_length(*covers, size);
  }

  void read_category_sets(const JsonObject& tree, TreeArrays& arrays) {
    arrays.set.assign(arrays.left.size(), -1);
    const auto node_value = tree.find("categories_nodes");
    if (!node_value) return;
    const auto nodes = node_value->integers(0, static_cast<std::int64_t>(arrays.left.size()) - 1);
    if (nodes.empty()) return;
    const JsonValue start_value = tree.require("categories_segments");
    const JsonValue size_value = tree.require("categories_sizes");
    const auto codes = tree.require("categories").integers(0, code_limit - 1);
    const auto limit = static_cast<std::int64_t>(codes.size());
    const auto starts = start_value.integers(0, limit);
    const auto sizes = size_value.integers(0, limit);
    if (starts.size() != nodes.size()) start_value.fail("has another length than categories_nodes");
    if (sizes.size() != nodes.size()) size_value.fail("has another length than categories_nodes");
    std::int64_t total = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      // Segments do not overlap in a real file; without this check they would cost quadratic time.
      total += sizes[i];
      if (total > limit || std::int64_t{starts[i]} + sizes[i] > limit) size_value.fail("goes beyond categories");
      std::int32_t& set_index = arrays.set[static_cast<std::size_t>(nodes[i])];
      if (set_index >= 0) node_value->fail("has node " + std::to_string(nodes[i]) + " twice");
      const auto first = codes.begin() + starts[i];
      const std::int32_t largest = sizes[i] == 0 ? 0 : *std::max_element(first, first + sizes[i]);
      const std::size_t words = static_cast<std::size_t>(largest) / 64 + 1;
      if (words > set_words_left_) node_value->fail("has category codes out of all proportion to the file");
      set_words_left_ -= words;
      CategorySet set;
      set.bits.resize(words);
      std::for_each(first, first + sizes[i], [&](std::int32_t code) {
        set.bits[static_cast<std::size_t>(code) / 64] |= std::uint64_t{1} << (code % 64);
      });
      set_index = static_cast<std::int32_t>(parts_.category_sets.size());
      parts_.category_sets.push_back(std::move(set));
    }
  }

  // Copies the nodes that the root leads to. Pruning leaves dead ones behind (up to XGBoost 1.x).
  void add_tree(const JsonValue& value, const TreeArrays& arrays, std::uint32_t group) {
    const auto fail = [&](std::size_t node, const std::string& what) {
      value.fail("node " + std::to_string(node) + " " + what);
    };
    const std::size_t count = arrays.left.size();
    const std::size_t root = parts_.nodes.size();
    std::vector<std::size_t> order = {0};
    std::vector<std::uint8_t> seen(count, 0);
    seen[0] = 1;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::size_t node = order[i];
      TreeNode& copy = parts_.nodes.emplace_back();
      parts_.covers.push_back(covers_known_ ? static_cast<double>(arrays.cover[node]) : 0);
      copy.threshold = static_cast<double>(arrays.condition[node]);
      if (std::isnan(copy.threshold) && (arrays.left[node] < 0 || arrays.by_category[node] == 0)) {
        fail(node, "has a split condition that is not a finite number");
      }
      if (arrays.left[node] < 0) {
        if (arrays.right[node] >= 0) fail(node, "has a right child but no left one");
        continue;
      }
      for (const std::int32_t child : {arrays.left[node], arrays.right[node]}) {
        if (child < 0 || static_cast<std::size_t>(child) >= count) {
          fail(node, "has the child " + std::to_string(child) + ", the tree has " + std::to_string(count) + " nodes");
        }
        if (seen[static_cast<std::size_t>(child)] != 0) {
          fail(node, "has the child " + std::to_string(child) + ", which has a parent already: not a tree");
        }
        seen[static_cast<std::size_t>(child)] = 1;
        order.push_back(static_cast<std::size_t>(child));
      }
      copy.left = static_cast<std::int32_t>(root + order.size() - 2);
      copy.right = copy.left + 1;
      copy.missing_left = arrays.missing_left[node] != 0;
      copy.feature = arrays.feature[node];
      if (static_cast<std::size_t>(copy.feature) >= features_) {
        fail(node, "splits feature " + std::to_string(copy.feature) + ", num_feature is " + std::to_string(features_));
      }
      split_kind(arrays, node, copy, fail);
    }
    if (parts_.nodes.size() >= static_cast<std::size_t>(most_int32) / 2) refuse("too many nodes", "use fewer trees");
    parts_.trees.push_back({static_cast<std::uint32_t>(root), group});
  }

  template <class Fail>
  void split_kind(const TreeArrays& arrays, std::size_t node, TreeNode& copy, const Fail& fail) {
    FeatureInfo& feature = parts_.signature.features[static_cast<std::size_t>(copy.feature)];
    if (arrays.by_category[node] == 0) {
      if (feature.categorical)
        fail(node, "splits the categorical feature " + printable(feature.name, 60) + " by a threshold");
      return;
    }
    if (arrays.set[node] < 0) fail(node, "splits by categories but lists none");
    if (types_known_ && !feature.categorical) {
      fail(node, "splits by categories, but feature_types calls " + printable(feature.name, 60) + " a number");
    }
    feature.categorical = true;
    copy.categories = arrays.set[node];
    copy.threshold = 0;
    // The listed categories go right; all others go left, also unknown, negative and too large codes.
    copy.categories_left = false;
  }

  void name_outputs() {
    const auto& classes = options_.classes;
    auto& outputs = parts_.signature.outputs;
    const std::size_t expected = objective_->task == Task::multiclass ? groups_ : 2;
    if (!classes.empty() && objective_->task == Task::regression) {
      throw Error(ErrorKind::usage,
                  "class names were given, but " + printable(blame_.where) + " (" + std::string(objective_->name) +
                      ") is not a classifier",
                  "leave them out");
    }
    if (!classes.empty() && classes.size() != expected) {
      throw Error(ErrorKind::usage,
                  std::to_string(classes.size()) + " class names were given, but " + printable(blame_.where) + " has " +
                      std::to_string(expected) + " classes",
                  "give one name for each class, in the order of the model's codes 0, 1, …");
    }
    if (objective_->task != Task::multiclass) {
      outputs = {classes.empty() ? std::string("prediction") : classes[1]};
      return;
    }
    outputs = classes;
    for (std::size_t k = outputs.size(); k < groups_; ++k) outputs.push_back(std::to_string(k));
  }

  JsonBlame blame_;
  const LoadOptions& options_;
  std::string_view content_;
  JsonDocument document_;
  TreeEnsemble::Parts parts_;
  const Objective* objective_ = nullptr;
  std::size_t features_ = 0;
  std::size_t groups_ = 1;
  std::size_t parallel_trees_ = 1;
  bool types_known_ = false;
  bool covers_known_ = true;
  std::size_t set_words_left_;  // bounds the memory that a few large codes could ask for
};

}  // namespace

std::unique_ptr<Model> read_xgboost_json(std::string_view content, std::string_view where, const LoadOptions& options) {
  return XgboostReader(content, where, options).read();
}

}  // namespace sightglass
