// XGBoost's own files (booster.save_model("model.json") or "model.ubj"), versions 1.0 to 3.x, boosters gbtree,
// dart and gblinear. The rules below were read off XGBoost and are checked bit by bit against six of its versions
// (tests/formats/make_xgboost.py); docs/models.md lists what is taken and what is refused.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_set>

#include "sightglass/model/linear_model.h"
#include "sightglass/model/readers/json_document_internal.h"
#include "sightglass/model/readers/readers_internal.h"
#include "sightglass/model/readers/ubjson_internal.h"
#include "sightglass/model/readers/xgboost_internal.h"
#include "sightglass/model/trees/ensemble.h"

namespace sightglass {

namespace {

constexpr std::int64_t newest_major = 3;
constexpr std::int64_t most_outputs = 100000;
constexpr std::int64_t most_xgboost_features = 1000000;

enum class BaseScore { margin, probability, mean };

struct XgboostObjective {
  std::string_view name;
  Task task;
  Link link;
  BaseScore base;  // what the file's base_score is; XGBoost turns it into a margin
};

// All that XGBoost 1.0 to 3.2 know.
constexpr XgboostObjective xgboost_objectives[] = {
    {"reg:squarederror", Task::regression, Link::identity, BaseScore::margin},
    {"reg:linear", Task::regression, Link::identity, BaseScore::margin},
    {"reg:squaredlogerror", Task::regression, Link::identity, BaseScore::margin},
    {"reg:absoluteerror", Task::regression, Link::identity, BaseScore::margin},
    {"reg:pseudohubererror", Task::regression, Link::identity, BaseScore::margin},
    {"reg:quantileerror", Task::regression, Link::identity, BaseScore::margin},
    {"reg:logistic", Task::regression, Link::logistic, BaseScore::probability},
    {"binary:logistic", Task::binary, Link::logistic, BaseScore::probability},
    {"binary:logitraw", Task::binary, Link::identity, BaseScore::margin},
    {"binary:hinge", Task::binary, Link::step, BaseScore::margin},
    {"multi:softprob", Task::multiclass, Link::softmax, BaseScore::margin},
    {"multi:softmax", Task::multiclass, Link::softmax, BaseScore::margin},
    {"count:poisson", Task::regression, Link::exponential, BaseScore::mean},
    {"reg:gamma", Task::regression, Link::exponential, BaseScore::mean},
    {"reg:tweedie", Task::regression, Link::exponential, BaseScore::mean},
    {"survival:cox", Task::regression, Link::exponential, BaseScore::mean},
    {"survival:aft", Task::regression, Link::exponential, BaseScore::mean},
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

std::string shortest(float number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

// 143.98785, not the 143.98785400390625 that the float32 is: for people to read.
double as_written(float score) {
  const std::string text = shortest(score);
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// "5E-1" or "[1E-1,5E-1]", as XGBoost spells parameters; nothing if it is not finite numbers.
std::optional<std::vector<float>> numbers_in(std::string_view text) {
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  std::vector<float> numbers;
  for (bool more = true; more;) {
    const std::size_t comma = text.find(',');
    more = comma != std::string_view::npos;
    std::string_view item = text.substr(0, comma);
    while (item.starts_with(' ')) item.remove_prefix(1);
    float number = 0;
    const auto [end, failure] = std::from_chars(item.data(), item.data() + item.size(), number);
    if (failure != std::errc() || end != item.data() + item.size() || !std::isfinite(number)) return std::nullopt;
    numbers.push_back(number);
    if (more) text.remove_prefix(comma + 1);
  }
  return numbers;
}

JsonBlame blame_of(std::string_view where) {
  return {ErrorKind::model, std::string(where),
          "the file is damaged or not XGBoost's own: save it again with booster.save_model('model.json')"};
}

class XgboostReader {
 public:
  XgboostReader(std::string_view json, std::string_view where, std::string_view format, const LoadOptions& options)
      : blame_(blame_of(where)), options_(options), content_(json), format_(format) {}

  std::unique_ptr<Model> read() {
    const JsonValue root_value(blame_, document_.parse(content_, blame_));
    recognise(root_value);
    const JsonObject root(root_value);
    read_version(root.require("version"));
    const JsonValue learner_value = root.require("learner");
    const JsonObject learner(learner_value);
    const JsonValue booster_value = learner.require("gradient_booster");
    const JsonObject booster(booster_value);
    const std::string_view name = booster.require("name").text();
    if (name != "gbtree" && name != "dart" && name != "gblinear") {
      refuse("the booster " + printable(name, 40) + " is not known",
             marked("gbtree, dart and gblinear are; give {argument:model} as exec:… or python:… meanwhile"));
    }
    const JsonValue objective_value = learner.require("objective");
    const JsonObject objective(objective_value);
    read_objective(objective);
    read_parameters(learner);
    read_quantiles(objective);
    read_features(learner);
    parts_.signature.outputs = output_names(parts_.signature, groups_, options_, blame_.where, std::move(quantiles_));
    if (name != "gbtree") parts_.signature.detail.set("booster", std::string(name));
    if (name == "gblinear") return read_linear(booster);
    if (name == "gbtree") {
      read_trees(learner, booster, std::nullopt);
    } else {
      const JsonValue inner_value = booster.require("gbtree");
      const JsonObject inner(inner_value);
      read_trees(learner, inner, booster.require("weight_drop"));
    }
    return std::make_unique<TreeEnsemble>(std::move(parts_), blame_.where);
  }

 private:
  [[noreturn]] void refuse(const std::string& what, const Text& advice) const {
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
      refuse("CatBoost's JSON, but not as CatBoost writes it", "save the model again: model.save_model('model.cbm')");
    }
    if (object.find("tree_info") || object.find("feature_infos")) {
      refuse("a JSON dump of a LightGBM model, which lacks what prediction needs",
             "save the model itself as text: booster.save_model('model.txt')");
    }
    refuse(std::string(format_ == "xgboost-ubj" ? "UBJ" : "JSON") + ", but not an XGBoost model: it has no \"learner\"",
           "save the model with booster.save_model('model.json')");
  }

  void read_version(const JsonValue& version) {
    version_ = version.integers(0, 1000000);
    if (version_.size() != 3) version.fail("should be three numbers");
    for (const std::int32_t number : version_) {
      if (!parts_.signature.version.empty()) parts_.signature.version += '.';
      parts_.signature.version += std::to_string(number);
    }
    if (version_[0] < 1 || version_[0] > newest_major) {
      refuse("written by XGBoost " + parts_.signature.version + ", which is not known (1.0 to 3.x are)",
             "save the model with one of those");
    }
    parts_.signature.format = format_;
  }

  void read_objective(const JsonObject& objective) {
    const std::string_view name = objective.require("name").text();
    for (const XgboostObjective& known : xgboost_objectives) {
      if (known.name == name) objective_ = &known;
    }
    if (objective_ == nullptr) {
      refuse("unsupported objective " + printable(name, 60),
             marked("docs/models.md lists those that are; give {argument:model} as exec:… or python:… meanwhile"));
    }
    parts_.signature.objective = name;
    parts_.signature.task = objective_->task;
    parts_.link.link = objective_->link;
    parts_.signature.has_margin = objective_->link != Link::identity;
    parts_.comparison = Comparison::float32_less;
    parts_.float32_sums = true;
    parts_.signature.float32_predictions = true;
    if (name == "multi:softmax") {
      parts_.signature.notes.emplace_back(
          "multi:softmax: these are the probabilities of the classes; XGBoost answers "
          "the most probable class");
    }
  }

  void read_parameters(const JsonObject& learner) {
    const JsonValue value = learner.require("learner_model_param");
    const JsonObject parameters(value);
    features_ = static_cast<std::size_t>(parameters.require("num_feature").integer(0, most_xgboost_features));
    const JsonValue classes = parameters.require("num_class");
    const std::int64_t class_count = std::max<std::int64_t>(1, classes.integer(0, most_outputs));
    if (objective_->task == Task::multiclass && class_count < 2) classes.fail("should be 2 or more");
    // A custom objective leaves the name of a built-in one; its classes have margins, but no probabilities.
    if (class_count > 1) parts_.signature.task = Task::multiclass;
    const auto targets = parameters.find("num_target");
    const std::int64_t target_count = targets ? std::max<std::int64_t>(1, targets->integer(0, most_outputs)) : 1;
    if (class_count > 1 && target_count > 1) targets->fail("and num_class are both above 1");
    groups_ = static_cast<std::size_t>(std::max(class_count, target_count));
    read_base(parameters.require("base_score"));
  }

  // One number up to XGBoost 3.0; since then a list with one for each output.
  void read_base(const JsonValue& value) {
    auto scores = value.is_string() ? numbers_in(value.text()) : std::vector<float>{value.float32()};
    if (!scores) value.fail("is not a number: " + printable(value.text(), 40));
    if (scores->size() == 1) scores->resize(groups_, scores->front());
    if (scores->size() != groups_) {
      value.fail("has " + std::to_string(scores->size()) + " numbers, expected " + std::to_string(groups_));
    }
    // Up to 1.2 the score of logitraw was a probability as well.
    const bool old = version_[0] == 1 && version_[1] < 3;
    const BaseScore kind = old && objective_->name == "binary:logitraw" ? BaseScore::probability : objective_->base;
    Value shown = Value::array();
    for (const float score : *scores) {
      const float margin = margin_of(kind, score);
      if (!std::isfinite(margin)) {
        refuse("the base score " + shortest(score) + " has no margin under " + std::string(objective_->name) +
                   ": every prediction would be 0, infinite or NaN",
               "train with a base_score above 0, on labels that are not all 0");
      }
      parts_.base.push_back(static_cast<double>(margin));
      shown.push_back(as_written(score));
    }
    parts_.signature.detail.set("base_score", groups_ == 1 ? shown.as_array().front() : shown);
  }

  // The quantiles that the outputs of one model stand for. A file that does not say loses only their names.
  void read_quantiles(const JsonObject& objective) {
    const auto value = objective.find("quantile_loss_param");
    if (!value || groups_ == 1) return;
    const JsonObject parameters(*value);
    const auto alpha = parameters.find("quantile_alpha");
    const auto alphas = alpha && alpha->is_string() ? numbers_in(alpha->text()) : std::nullopt;
    if (!alphas || alphas->size() != groups_) return;
    for (const float number : *alphas) quantiles_.push_back(shortest(number));
    if (std::unordered_set(quantiles_.begin(), quantiles_.end()).size() != groups_) quantiles_.clear();
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

  // A weight for each feature and output, then a bias for each output.
  std::unique_ptr<Model> read_linear(const JsonObject& booster) {
    if (options_.rounds != 0) {
      throw Error(ErrorKind::usage, printable(blame_.where) + " (gblinear) keeps no rounds to choose from",
                  "leave the number of rounds out");
    }
    const JsonValue model_value = booster.require("model");
    const JsonObject model(model_value);
    const JsonValue list = model.require("weights");
    LinearModel::Parts linear;
    list.each([&](const JsonValue& item) { linear.weights.push_back(static_cast<double>(item.float32())); });
    if (linear.weights.size() != (features_ + 1) * groups_) {
      list.fail("has " + std::to_string(linear.weights.size()) + " items, expected " +
                std::to_string((features_ + 1) * groups_) + ": " + std::to_string(groups_) +
                " for each feature and for the bias");
    }
    const auto bias = linear.weights.end() - static_cast<std::ptrdiff_t>(groups_);
    linear.bias.assign(bias, linear.weights.end());
    linear.weights.erase(bias, linear.weights.end());
    linear.link = parts_.link;
    // XGBoost adds the first base score to every output, also where the file has one for each.
    linear.base.assign(groups_, parts_.base.front());
    linear.float32_sums = true;
    parts_.signature.detail.set("missing", "a missing value adds nothing");
    linear.signature = std::move(parts_.signature);
    return std::make_unique<LinearModel>(std::move(linear), blame_.where);
  }

  // weight_value: of dart, which multiplies each tree by a weight.
  void read_trees(const JsonObject& learner, const JsonObject& booster, const std::optional<JsonValue>& weight_value) {
    const JsonValue model_value = booster.require("model");
    const JsonObject model(model_value);
    if (const auto categories = model.find("cats")) read_category_names(*categories);

    const JsonValue parameter_value = model.require("gbtree_model_param");
    const JsonObject parameters(parameter_value);
    const auto tree_count = static_cast<std::size_t>(parameters.require("num_trees").integer(0, xgboost_most_int32));
    const JsonValue group_value = model.require("tree_info");
    const auto groups = group_value.integers(0, static_cast<std::int64_t>(groups_) - 1);
    const auto check_count = [&](const JsonValue& list, std::size_t size) {
      if (size != tree_count) {
        list.fail("has " + std::to_string(size) + " items, num_trees is " + std::to_string(tree_count));
      }
    };
    check_count(group_value, groups.size());
    std::vector<float> weights(tree_count, 1.0F);
    if (weight_value) {
      weights.clear();
      weight_value->each([&](const JsonValue& item) { weights.push_back(item.float32()); });
      check_count(*weight_value, weights.size());
    }
    const std::size_t used = used_trees(learner, model, parameters, tree_count);
    const bool old = version_[0] == 1 && version_[1] < 7;
    XgboostTrees trees(parts_, types_known_, old, content_.size());
    const JsonValue list = model.require("trees");
    std::size_t number = 0;
    list.each([&](const JsonValue& tree) {
      if (number >= tree_count) list.fail("has more items than num_trees says");
      trees.read(tree, static_cast<std::uint32_t>(groups[number]), weights[number], number < used);
      ++number;
    });
    check_count(list, number);
    trees.finish();
    // Each round has a tree for each output; prediction spends memory on outputs, so they must not come for free.
    if (parts_.leaf_values.empty() && groups_ > std::max<std::size_t>(tree_count, 1000)) {
      refuse(std::to_string(groups_) + " outputs but only " + std::to_string(tree_count) + " trees",
             "the file is damaged");
    }
    if (weight_value && !parts_.leaf_values.empty()) {
      refuse("dart with leaves that hold several values, which XGBoost does not have", "save the model again");
    }
  }

  // Trees that prediction uses: as many as the caller wants. Else the scikit-learn classes stop at the best round of
  // early stopping, a Booster's own predict does not; they also leave their mark in the file they save, so the
  // file's author decides.
  std::size_t used_trees(const JsonObject& learner, const JsonObject& model, const JsonObject& parameters,
                         std::size_t tree_count) {
    std::optional<JsonValue> best;
    std::string_view scikit_learn;
    const auto attribute_value = learner.find("attributes");
    if (attribute_value) {
      const JsonObject attributes(*attribute_value);
      if (const auto value = attributes.find("scikit_learn")) {
        best = attributes.find("best_iteration");
        scikit_learn = value->text();
      }
    }
    std::vector<std::int32_t> ends;  // of each round, where the file has them (since 2.0)
    if (const auto value = model.find("iteration_indptr")) {
      ends = value->integers(0, static_cast<std::int64_t>(tree_count));
      if (ends.empty() || ends.front() != 0 || static_cast<std::size_t>(ends.back()) != tree_count ||
          !std::is_sorted(ends.begin(), ends.end())) {
        value->fail("does not divide the trees into rounds");
      }
      ends.erase(ends.begin());
    } else {
      const std::size_t step = groups_ * parallel_trees(parameters, scikit_learn);
      for (std::size_t end = step; end <= tree_count; end += step) ends.push_back(static_cast<std::int32_t>(end));
    }
    std::size_t rounds = ends.size();
    if (best && !options_.all_rounds) {
      const std::int64_t last = ends.empty() ? 0 : static_cast<std::int64_t>(ends.size()) - 1;
      rounds = std::min(static_cast<std::size_t>(best->integer(0, last)) + 1, ends.size());
    }
    check_rounds(options_, ends.size(), blame_.where);
    if (options_.rounds != 0) rounds = static_cast<std::size_t>(options_.rounds);
    Value& detail = parts_.signature.detail;
    detail.set("rounds", static_cast<std::uint64_t>(rounds));
    detail.set("rounds_in_file", static_cast<std::uint64_t>(ends.size()));
    detail.set("trees_in_file", static_cast<std::uint64_t>(tree_count));
    // Trees behind the last full round count only if all do.
    return rounds == ends.size() ? tree_count : static_cast<std::size_t>(ends[rounds - 1]);
  }

  // For each output in each round. Old files say so only in the settings of the scikit-learn class that wrote them.
  static std::size_t parallel_trees(const JsonObject& parameters, std::string_view scikit_learn) {
    if (const auto value = parameters.find("num_parallel_tree")) {
      return static_cast<std::size_t>(std::max<std::int64_t>(1, value->integer(0, xgboost_most_int32)));
    }
    const std::size_t key = scikit_learn.find("\"num_parallel_tree\": ");
    if (key == std::string_view::npos) return 1;
    const std::string_view digits = scikit_learn.substr(scikit_learn.find(": ", key) + 2);
    std::int32_t number = 1;  // stays so for null
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return static_cast<std::size_t>(std::max(1, number));
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
      const bool text = entry.find("offsets").has_value();
      bool lost = false;
      auto levels = text ? text_levels(values, entry.require("offsets"), lost) : number_levels(values);
      if (levels.size() >= static_cast<std::size_t>(xgboost_code_limit)) values.fail("has too many categories");
      FeatureInfo& info = parts_.signature.features[feature++];
      if (!levels.empty() && types_known_ && !info.categorical) {
        entry_value.fail("has categories, but feature_types calls the feature a number");
      }
      if (!levels.empty()) info.categorical = true;
      info.levels = std::move(levels);
      info.numeric_levels = !text;
      info.levels_lost = lost;
    });
    if (feature != 0 && feature != features_) list.fail("has fewer items than num_feature says");
  }

  static std::vector<std::string> text_levels(const JsonValue& values, const JsonValue& offset_value, bool& lost) {
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
    // the names are shifted and cut. Better no names until data tell them (damaged_levels.h) than wrong ones.
    const bool ascii =
        std::all_of(bytes.begin(), bytes.end(), [](std::int32_t byte) { return byte >= 0 && byte < 128; });
    lost = !ascii;
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

  JsonBlame blame_;
  const LoadOptions& options_;
  std::string_view content_;
  std::string_view format_;
  JsonDocument document_;
  TreeEnsemble::Parts parts_;
  std::vector<std::int32_t> version_;
  const XgboostObjective* objective_ = nullptr;
  std::vector<std::string> quantiles_;  // of reg:quantileerror, one per output
  std::size_t features_ = 0;
  std::size_t groups_ = 1;  // outputs
  bool types_known_ = false;
};

}  // namespace

std::unique_ptr<Model> read_xgboost_json(std::string_view content, std::string_view where, const LoadOptions& options) {
  return XgboostReader(content, where, "xgboost-json", options).read();
}

std::unique_ptr<Model> read_xgboost_ubj(std::string_view content, std::string_view where, const LoadOptions& options) {
  const std::string json = ubjson_to_json(content, blame_of(where));
  return XgboostReader(json, where, "xgboost-ubj", options).read();
}

}  // namespace sightglass
