#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "sightglass/base/error.h"
#include "sightglass/data/table.h"
#include "sightglass/model/load.h"
#include "sightglass/model/trees/ensemble.h"

namespace sightglass {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Matrix predict(const Model& model, const Table& table, Scale scale, Arithmetic arithmetic,
               std::span<const Override> overrides = {}) {
  const auto bound = model.bind(table.schema());
  Matrix out(table.rows(), model.signature().outputs.size());
  Context context(1);
  const auto stream = table.open(bound->columns(), std::max<std::size_t>(1, table.rows()));
  auto block = stream->next();
  if (!block) return out;
  block->overrides = overrides;
  bound->predict(*block, {.scale = scale, .arithmetic = arithmetic}, out.span(), context);
  return out;
}

// Two trees written by hand. Tree 0: x < 2 ? 1 : (colour in {1, 2} ? 20 : 10), missing x goes right, missing
// colour left. Tree 1: a bare leaf of 0.5. base_score 100.
json two_trees() {
  return json::parse(R"({"version":[3,2,0],"learner":{
    "attributes":{},
    "feature_names":["x","colour"],"feature_types":["float","c"],
    "learner_model_param":{"base_score":"[1E2]","num_class":"0","num_feature":"2","num_target":"1"},
    "objective":{"name":"reg:squarederror","reg_loss_param":{"scale_pos_weight":"1"}},
    "gradient_booster":{"name":"gbtree","model":{
      "gbtree_model_param":{"num_trees":"2","num_parallel_tree":"1"},
      "iteration_indptr":[0,1,2],"tree_info":[0,0],
      "cats":{"enc":[{"offsets":[],"values":[]},{"offsets":[0,3,8,12],"values":[114,101,100,103,114,101,101,110,98,108,117,101]}],
              "feature_segments":[0,0,3],"sorted_idx":[2,1,0]},
      "trees":[
        {"tree_param":{"num_nodes":"5","size_leaf_vector":"1","num_feature":"2","num_deleted":"0"},
         "left_children":[1,-1,3,-1,-1],"right_children":[2,-1,4,-1,-1],"split_indices":[0,0,1,0,0],
         "split_conditions":[2.0,1.0,0.0,10.0,20.0],"default_left":[0,0,1,0,0],"split_type":[0,0,1,0,0],
         "sum_hessian":[9.0,4.0,5.0,3.0,2.0],
         "categories":[1,2],"categories_nodes":[2],"categories_segments":[0],"categories_sizes":[2]},
        {"tree_param":{"num_nodes":"1","size_leaf_vector":"1","num_feature":"2","num_deleted":"0"},
         "left_children":[-1],"right_children":[-1],"split_indices":[0],"split_conditions":[0.5],
         "default_left":[0],"split_type":[0],"sum_hessian":[9.0],
         "categories":[],"categories_nodes":[],"categories_segments":[],"categories_sizes":[]}]}}}})");
}

json& first_tree(json& model) { return model["learner"]["gradient_booster"]["model"]["trees"][0]; }

Table colours(std::vector<double> x, std::vector<std::int32_t> colour, std::vector<std::string> levels) {
  auto dictionary = std::make_shared<Dictionary>(std::move(levels));
  return Table(Schema({{.name = "x"}, {.name = "colour", .type = DType::categorical, .dictionary = dictionary}}),
               {column_of(std::move(x)), column_of(std::move(colour), dictionary.get())});
}

std::vector<double> first_column(const Matrix& matrix) {
  std::vector<double> values;
  for (std::size_t row = 0; row < matrix.rows(); ++row) values.push_back(matrix(row, 0));
  return values;
}

TEST(XgboostJson, TwoTreesByHand) {
  const auto model = parse_model(two_trees().dump(), "two.json");
  const Signature& signature = model->signature();
  EXPECT_THAT(signature.outputs, ElementsAre("prediction"));
  EXPECT_THAT(signature.features[1].levels, ElementsAre("red", "green", "blue"));
  EXPECT_EQ(signature.detail.find("trees")->as_integer(), 2);
  EXPECT_EQ(signature.detail.find("max_depth")->as_integer(), 2);
  EXPECT_EQ(signature.detail.find("leaves")->as_integer(), 4);
  EXPECT_EQ(signature.detail.find("nodes")->as_integer(), 6);
  EXPECT_FALSE(signature.has_margin);
  EXPECT_THAT(model->trees()->parts().covers, ElementsAre(9, 4, 5, 3, 2, 9));

  const double below = static_cast<double>(std::nextafter(2.0F, 0.0F));
  // A double just below 2 becomes the float 2, as in XGBoost.
  const double rounds_up = std::nextafter(2.0, 0.0);
  const Table table = colours({below, 2, rounds_up, NAN, 3, 3, 3, -INFINITY, INFINITY}, {0, 0, 0, 1, 2, -1, 3, 0, 1},
                              {"blue", "red", "green", "pink"});
  const Matrix out = predict(*model, table, Scale::response, Arithmetic::exact);
  EXPECT_THAT(first_column(out), ElementsAre(101.5, 120.5, 120.5, 110.5, 120.5, 110.5, 110.5, 101.5, 110.5));
  const auto bound = model->bind(table.schema());
  ASSERT_EQ(bound->notes().size(), 1U);
  EXPECT_EQ(bound->notes()[0].kind, FitNote::Kind::unknown_levels);
  EXPECT_THAT(bound->notes()[0].levels, ElementsAre("pink"));
  EXPECT_THAT(bound->notes()[0].message, HasSubstr("pink"));
}

TEST(XgboostJson, OverridesCarryTheDataSetsCodes) {
  const auto model = parse_model(two_trees().dump(), "two.json");
  const Table table = colours({3, 3}, {1, 1}, {"blue", "red"});
  const auto with = [&](Override override) {
    return first_column(predict(*model, table, Scale::response, Arithmetic::exact, std::span(&override, 1)));
  };
  EXPECT_THAT(with({1, Scalar::level(0)}), ElementsAre(120.5, 120.5));
  EXPECT_THAT(with({1, Scalar::level(1)}), ElementsAre(110.5, 110.5));
  EXPECT_THAT(with({1, Scalar::missing()}), ElementsAre(110.5, 110.5));
  EXPECT_THAT(with({0, Scalar::of(1)}), ElementsAre(101.5, 101.5));
  const std::vector<double> other = {1, 5};
  EXPECT_THAT(with({0, view_of(other)}), ElementsAre(101.5, 110.5));
  const Column codes = column_of(std::vector<std::int32_t>{0, 1}, nullptr);
  EXPECT_THAT(with({1, codes.view}), ElementsAre(120.5, 110.5));
}

TEST(XgboostJson, ClassesNameTheOutputs) {
  json binary = two_trees();
  binary["learner"]["objective"]["name"] = "binary:logistic";
  binary["learner"]["learner_model_param"]["base_score"] = "5E-1";
  const auto named = parse_model(binary.dump(), "b.json", {.classes = {"no", "yes"}});
  EXPECT_THAT(named->signature().outputs, ElementsAre("yes"));
  EXPECT_EQ(named->signature().task, Task::binary);
  EXPECT_EQ(named->trees()->parts().base[0], 0);
  EXPECT_THROW((void)parse_model(binary.dump(), "b.json", {.classes = {"a", "b", "c"}}), Error);
  EXPECT_THROW((void)parse_model(two_trees().dump(), "r.json", {.classes = {"a", "b"}}), Error);
}

std::string failure_of(const std::function<void()>& run, ErrorKind kind) {
  try {
    run();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

std::string refusal(const std::string& content) {
  return failure_of([&] { (void)parse_model(content, "m.json"); }, ErrorKind::model);
}

std::string bind_failure(const Table& table) {
  const auto model = parse_model(two_trees().dump(), "m.json");
  return failure_of([&] { (void)model->bind(table.schema()); }, ErrorKind::data);
}

TEST(XgboostJson, BindNamesEveryMissingOrWrongColumn) {
  const Table renamed(Schema({{.name = "X"}, {.name = "color"}}), {column_of({1}), column_of({1})});
  EXPECT_THAT(bind_failure(renamed),
              HasSubstr("2 columns that the model wants: x (nearest: X), colour (nearest: color)"));
  const Table numbers(Schema({{.name = "x"}, {.name = "colour"}}), {column_of({1}), column_of({1})});
  EXPECT_THAT(bind_failure(numbers), HasSubstr("column colour holds numbers where the model knows the categories red"));
  EXPECT_THAT(bind_failure(colours({1}, {0}, {"pink"})),
              HasSubstr("column colour has no level that the model knows, only pink"));
  auto words = std::make_shared<Dictionary>(std::vector<std::string>{"warm"});
  const Table text(Schema({{.name = "x", .type = DType::categorical, .dictionary = words},
                           {.name = "colour", .type = DType::categorical, .dictionary = words}}),
                   {column_of({0}, words.get()), column_of({0}, words.get())});
  EXPECT_THAT(bind_failure(text),
              HasSubstr("column x holds text (warm) where the model wants a number, column colour"));
}

TEST(XgboostJson, NumbersMeetLevelsThatSpellNumbers) {
  json model = two_trees();
  model["learner"]["gradient_booster"]["model"]["cats"]["enc"][1] = {{"type", 15}, {"values", {-5, 30, 2}}};
  const auto read = parse_model(model.dump(), "m.json");
  const Table table(Schema({{.name = "x"}, {.name = "colour"}}),
                    {column_of({3, 3, 3, 3, 3}), column_of({-5, 30, 2, 7, NAN})});
  EXPECT_THAT(first_column(predict(*read, table, Scale::response, Arithmetic::exact)),
              ElementsAre(110.5, 120.5, 120.5, 110.5, 110.5));
}

TEST(XgboostJson, NamelessFeaturesGoByPosition) {
  json model = two_trees();
  model["learner"].erase("feature_names");
  model["learner"].erase("feature_types");
  model["learner"]["gradient_booster"]["model"].erase("cats");
  const auto read = parse_model(model.dump(), "m.json");
  EXPECT_TRUE(read->signature().features[1].categorical);
  const Schema schema({{.name = "target"}, {.name = "p"}, {.name = "q"}});
  const std::uint32_t target[] = {0};
  EXPECT_THAT(read->bind(schema, target)->columns(), ElementsAre(1, 2));
  const auto message = failure_of([&] { (void)read->bind(schema); }, ErrorKind::data);
  EXPECT_THAT(message, HasSubstr("wants 2 columns, the data have 3"));
}

json dart() {
  json model = two_trees();
  json& booster = model["learner"]["gradient_booster"];
  booster = {{"name", "dart"}, {"gbtree", booster}, {"weight_drop", {0.5, 2.0}}};
  return model;
}

TEST(XgboostJson, DartWeighsItsTrees) {
  const auto model = parse_model(dart().dump(), "d.json");
  EXPECT_EQ(model->signature().detail.find("booster")->as_string(), "dart");
  const Table table = colours({1, 3, 3}, {0, 0, 1}, {"blue", "red"});
  EXPECT_THAT(first_column(predict(*model, table, Scale::response, Arithmetic::exact)), ElementsAre(101.5, 111, 106));
  json few = dart();
  few["learner"]["gradient_booster"]["weight_drop"] = {0.5};
  EXPECT_THAT(refusal(few.dump()), HasSubstr("gradient_booster.weight_drop has 1 items, num_trees is 2"));
  json huge = dart();
  huge["learner"]["gradient_booster"]["weight_drop"] = {1e38, 1};
  EXPECT_THAT(refusal(huge.dump()), HasSubstr("trees[0] node 3 has a leaf value that is not a finite number"));
  json none = dart();
  none["learner"]["gradient_booster"].erase("gbtree");
  EXPECT_THAT(refusal(none.dump()), HasSubstr("gradient_booster lacks gbtree"));
}

json linear() {
  json model = two_trees();
  model["learner"]["feature_types"] = {"float", "int"};
  model["learner"]["gradient_booster"] = {{"name", "gblinear"}, {"model", {{"weights", {2.0, -1.0, 0.25}}}}};
  return model;
}

TEST(XgboostJson, LinearModel) {
  const auto model = parse_model(linear().dump(), "l.json");
  EXPECT_EQ(model->trees(), nullptr);
  EXPECT_EQ(model->signature().detail.find("booster")->as_string(), "gblinear");
  const Table table(Schema({{.name = "x"}, {.name = "colour"}}), {column_of({1, NAN, 3}), column_of({4, 4, NAN})});
  EXPECT_THAT(first_column(predict(*model, table, Scale::response, Arithmetic::exact)),
              ElementsAre(98.25, 96.25, 106.25));
  json few = linear();
  few["learner"]["gradient_booster"]["model"]["weights"] = {2.0, -1.0};
  EXPECT_THAT(refusal(few.dump()), HasSubstr("model.weights has 2 items, expected 3"));
  json category = linear();
  category["learner"]["feature_types"] = {"float", "c"};
  EXPECT_THAT(refusal(category.dump()), HasSubstr("multiplies the categorical feature colour"));
  EXPECT_THROW((void)parse_model(linear().dump(), "l.json", {.rounds = 1}), Error);
}

// The two trees become those of two outputs.
json two_targets() {
  json model = two_trees();
  model["learner"]["learner_model_param"]["num_target"] = "2";
  model["learner"]["learner_model_param"]["base_score"] = "[1E2,-1E0]";
  json& inner = model["learner"]["gradient_booster"]["model"];
  inner["tree_info"] = {0, 1};
  inner["iteration_indptr"] = {0, 2};
  return model;
}

TEST(XgboostJson, SeveralTargets) {
  const auto model = parse_model(two_targets().dump(), "t.json");
  EXPECT_THAT(model->signature().outputs, ElementsAre("0", "1"));
  EXPECT_EQ(model->signature().task, Task::regression);
  const Matrix out = predict(*model, colours({1}, {0}, {"red"}), Scale::response, Arithmetic::exact);
  EXPECT_EQ(out(0, 0), 101);
  EXPECT_EQ(out(0, 1), -0.5);
  const auto named = parse_model(two_targets().dump(), "t.json", {.classes = {"price", "rent"}});
  EXPECT_THAT(named->signature().outputs, ElementsAre("price", "rent"));
  EXPECT_THROW((void)parse_model(two_targets().dump(), "t.json", {.classes = {"price"}}), Error);

  json quantiles = two_targets();
  json& objective = quantiles["learner"]["objective"];
  objective = {{"name", "reg:quantileerror"}, {"quantile_loss_param", {{"quantile_alpha", "[1E-1,9E-1]"}}}};
  EXPECT_THAT(parse_model(quantiles.dump(), "q.json")->signature().outputs, ElementsAre("0.1", "0.9"));
  objective["quantile_loss_param"]["quantile_alpha"] = "[1E-1,1E-1]";
  EXPECT_THAT(parse_model(quantiles.dump(), "q.json")->signature().outputs, ElementsAre("0", "1"));

  json classes = two_targets();
  classes["learner"]["learner_model_param"]["num_class"] = "2";
  EXPECT_THAT(refusal(classes.dump()), HasSubstr("num_target and num_class are both above 1"));
  classes["learner"]["learner_model_param"]["num_target"] = "1";
  EXPECT_EQ(parse_model(classes.dump(), "c.json")->signature().task, Task::multiclass);
  classes["learner"]["learner_model_param"]["num_class"] = "100000";
  classes["learner"]["learner_model_param"]["base_score"] = "5E-1";
  EXPECT_THAT(refusal(classes.dump()), HasSubstr("100000 outputs but only 2 trees"));
}

// Leaves with a value for each of two outputs. Since 3.2 a leaf's right child is its row of leaf_weights.
json vector_leaves(bool by_leaf) {
  json model = two_targets();
  for (json& tree : model["learner"]["gradient_booster"]["model"]["trees"]) {
    tree["tree_param"]["size_leaf_vector"] = "2";
    const bool first = tree["left_children"].size() == 5;
    tree["split_conditions"] = first ? json{2.0, 0, 0, 0, 0} : json{0};
    if (by_leaf) {
      tree["right_children"] = first ? json{2, 2, 4, 0, 1} : json{0};
      tree["leaf_weights"] = first ? json{10, -10, 20, -20, 1, -1} : json{0.5, -0.5};
    } else {
      tree["base_weights"] = first ? json{7, 7, 1, -1, 7, 7, 10, -10, 20, -20} : json{0.5, -0.5};
    }
  }
  return model;
}

TEST(XgboostJson, LeavesOfSeveralValues) {
  const Table table = colours({1, 3, 3}, {0, 0, 1}, {"blue", "red"});
  for (const bool by_leaf : {true, false}) {
    const auto model = parse_model(vector_leaves(by_leaf).dump(), "v.json");
    const Matrix out = predict(*model, table, Scale::response, Arithmetic::exact);
    EXPECT_THAT(first_column(out), ElementsAre(101.5, 120.5, 110.5));
    EXPECT_EQ(out(0, 1), -2.5);
    EXPECT_EQ(out(2, 1), -11.5);
    const auto with = [&](const std::string& key, const json& value) {
      json broken = vector_leaves(by_leaf);
      first_tree(broken)[key] = value;
      return refusal(broken.dump());
    };
    EXPECT_THAT(with(by_leaf ? "leaf_weights" : "base_weights", {1, 2, 3}),
                HasSubstr(by_leaf ? "2 for each leaf" : "2 for each node"));
    EXPECT_THAT(with("right_children", {2, 3, 4, 0, 1}),
                HasSubstr(by_leaf ? "node 1 is leaf 3, leaf_weights has 3" : "node 1 has a right child but no left"));
    EXPECT_THAT(with("tree_param", {{"num_nodes", "5"}, {"size_leaf_vector", "3"}}),
                HasSubstr("size_leaf_vector is 3, the model has 2 outputs"));
    EXPECT_THAT(with("tree_param", {{"num_nodes", "5"}, {"size_leaf_vector", "1"}}),
                HasSubstr(by_leaf ? "node 1 has a right child but no left" : "trees[1] has leaves of another size"));
    json drop = vector_leaves(by_leaf);
    json& booster = drop["learner"]["gradient_booster"];
    booster = {{"name", "dart"}, {"gbtree", booster}, {"weight_drop", {1, 1}}};
    EXPECT_THAT(refusal(drop.dump()), HasSubstr("dart with leaves that hold several values"));
  }
}

TEST(XgboostJson, RoundsCutTheModelShort) {
  const Table table = colours({1}, {0}, {"red"});
  const auto first = parse_model(two_trees().dump(), "m.json", {.rounds = 1});
  EXPECT_THAT(first_column(predict(*first, table, Scale::response, Arithmetic::exact)), ElementsAre(101));
  EXPECT_EQ(first->signature().detail.find("rounds")->as_integer(), 1);
  EXPECT_EQ(first->signature().detail.find("rounds_in_file")->as_integer(), 2);
  // Also beyond the best round of a scikit-learn model.
  json stopped = two_trees();
  stopped["learner"]["attributes"] = {{"best_iteration", "0"}, {"scikit_learn", "{}"}};
  EXPECT_EQ(parse_model(stopped.dump(), "m.json")->trees()->parts().trees.size(), 1U);
  EXPECT_EQ(parse_model(stopped.dump(), "m.json", {.rounds = 2})->trees()->parts().trees.size(), 2U);
  // Files of 1.x do not divide their trees into rounds; before 1.4 only scikit-learn's settings say how many make one.
  stopped["learner"]["gradient_booster"]["model"].erase("iteration_indptr");
  EXPECT_EQ(parse_model(stopped.dump(), "m.json")->trees()->parts().trees.size(), 1U);
  stopped["learner"]["gradient_booster"]["model"]["gbtree_model_param"].erase("num_parallel_tree");
  EXPECT_EQ(parse_model(stopped.dump(), "m.json")->trees()->parts().trees.size(), 1U);
  stopped["learner"]["attributes"]["scikit_learn"] = R"({"missing": NaN, "num_parallel_tree": 2, "x": null})";
  EXPECT_EQ(parse_model(stopped.dump(), "m.json")->trees()->parts().trees.size(), 2U);
  stopped["learner"]["attributes"]["scikit_learn"] = R"({"num_parallel_tree": null})";
  EXPECT_EQ(parse_model(stopped.dump(), "m.json")->trees()->parts().trees.size(), 1U);
  const auto message =
      failure_of([&] { (void)parse_model(two_trees().dump(), "m.json", {.rounds = 3}); }, ErrorKind::usage);
  EXPECT_THAT(message, HasSubstr("3 rounds were asked for, but m.json has 2"));
}

TEST(XgboostJson, CodesBeyondTheListedOnesUsedToGoWithTheMissing) {
  json model = two_trees();
  model["learner"]["gradient_booster"]["model"].erase("cats");
  const Table table(Schema({{.name = "x"}, {.name = "colour"}}),
                    {column_of({3, 3, 3, 3, 3}), column_of({1, 0, 31, 32, -1})});
  const auto answers = [&](const json& version, int missing_left) {
    model["version"] = version;
    first_tree(model)["default_left"] = {0, 0, missing_left, 0, 0};
    return first_column(predict(*parse_model(model.dump(), "m.json"), table, Scale::margin, Arithmetic::exact));
  };
  for (const int missing_left : {0, 1}) {
    EXPECT_THAT(answers({1, 7, 0}, missing_left), ElementsAre(120.5, 110.5, 110.5, 110.5, 110.5));
  }
  EXPECT_THAT(answers({1, 6, 2}, 1), ElementsAre(120.5, 110.5, 110.5, 110.5, 110.5));
  EXPECT_THAT(answers({1, 6, 2}, 0), ElementsAre(120.5, 110.5, 110.5, 120.5, 120.5));
}

TEST(XgboostJson, ObjectivesSayWhatTheBaseScoreIs) {
  const auto base = [](const std::string& objective, const std::string& score, const json& version) {
    json model = two_trees();
    model["version"] = version;
    model["learner"]["objective"]["name"] = objective;
    model["learner"]["learner_model_param"]["base_score"] = score;
    return parse_model(model.dump(), "m.json")->trees()->parts().base[0];
  };
  const double logit = static_cast<double>(-std::log(1.0F / 0.3F - 1.0F));
  EXPECT_EQ(base("binary:logistic", "3E-1", {3, 2, 0}), logit);
  EXPECT_EQ(base("binary:logitraw", "3E-1", {1, 3, 0}), static_cast<double>(0.3F));
  EXPECT_EQ(base("binary:logitraw", "3E-1", {1, 2, 1}), logit);
  EXPECT_EQ(base("binary:hinge", "3E-1", {3, 2, 0}), static_cast<double>(0.3F));
  EXPECT_EQ(base("survival:cox", "3E-1", {3, 2, 0}), static_cast<double>(std::log(0.3F)));
  EXPECT_EQ(base("survival:aft", "[3E-1]", {3, 2, 0}), static_cast<double>(std::log(0.3F)));
}

TEST(XgboostJson, RefusesDamagedTreesByTreeAndNode) {
  const auto with = [](const std::string& key, const json& value) {
    json model = two_trees();
    first_tree(model)[key] = value;
    return refusal(model.dump());
  };
  EXPECT_THAT(with("left_children", {1, -1, 99, -1, -1}), HasSubstr("trees[0] node 2 has the child 99"));
  EXPECT_THAT(with("left_children", {1, -1, 0, -1, -1}), HasSubstr("node 2 has the child 0, which has a parent"));
  EXPECT_THAT(with("left_children", {1, -1, 1, -1, -1}), HasSubstr("node 2 has the child 1, which has a parent"));
  EXPECT_THAT(with("left_children", {0, -1, 3, -1, -1}), HasSubstr("node 0 has the child 0"));
  EXPECT_THAT(with("right_children", {1, -1, 4, -1, -1}), HasSubstr("which has a parent"));
  EXPECT_THAT(with("right_children", {2, -1, -1, -1, -1}), HasSubstr("node 2 has the child -1"));
  EXPECT_THAT(with("right_children", {2, 3, 4, -1, -1}), HasSubstr("node 1 has a right child but no left one"));
  EXPECT_THAT(with("left_children", {1, -1, -7, -1, -1}), HasSubstr("trees[0].left_children[2] is -7"));
  EXPECT_THAT(with("left_children", {1, -1, 3, -1}), HasSubstr("num_nodes is not the length"));
  EXPECT_THAT(with("right_children", {2, -1, 4}), HasSubstr("right_children has 3 items"));
  EXPECT_THAT(with("split_indices", {0, 0, 2, 0, 0}), HasSubstr("node 2 splits feature 2"));
  EXPECT_THAT(with("split_indices", {0, 0, 0, 0, 0}), HasSubstr("node 2 splits by categories, but feature_types"));
  EXPECT_THAT(with("split_indices", {1, 0, 1, 0, 0}), HasSubstr("node 0 splits the categorical feature colour"));
  EXPECT_THAT(with("split_conditions", {1e39, 1, 0, 10, 20}), HasSubstr("split_conditions[0] is beyond float32"));
  EXPECT_THAT(with("split_conditions", {nullptr, 1, 0, 10, 20}),
              HasSubstr("split_conditions[0] is not a finite number"));
  EXPECT_THAT(with("split_conditions", "x"), HasSubstr("split_conditions should be a list but is text"));
  EXPECT_THAT(with("default_left", {0, 0, 2, 0, 0}), HasSubstr("default_left[2]"));
  EXPECT_THAT(with("categories_nodes", {9}), HasSubstr("categories_nodes[0] is 9"));
  EXPECT_THAT(with("categories_nodes", json::array()), HasSubstr("node 2 splits by categories but lists none"));
  EXPECT_THAT(with("categories_sizes", {3}), HasSubstr("categories_sizes[0] is 3"));
  EXPECT_THAT(with("categories_segments", {2}), HasSubstr("goes beyond categories"));
  EXPECT_THAT(with("categories", {1, 16777216}), HasSubstr("categories[1] is 16777216"));
  EXPECT_THAT(with("categories", {1.5, 2}), HasSubstr("categories[0] is not a whole number"));
  EXPECT_THAT(with("tree_param", {{"num_nodes", "5"}, {"size_leaf_vector", "3"}}),
              HasSubstr("size_leaf_vector is 3, the model has 1 outputs"));
  EXPECT_THAT(with("tree_param", {{"num_nodes", "many"}}), HasSubstr("is not a whole number: many"));
}

TEST(XgboostJson, RefusesDamagedHeaders) {
  const auto at = [](const std::string& pointer, const json& value) {
    json model = two_trees();
    model[json::json_pointer(pointer)] = value;
    return refusal(model.dump());
  };
  EXPECT_THAT(at("/version", {4, 0, 0}), HasSubstr("XGBoost 4.0.0, which is not known"));
  EXPECT_THAT(at("/version", {3, 0}), HasSubstr("version should be three numbers"));
  EXPECT_THAT(at("/version", "3"), HasSubstr("version should be a list"));
  EXPECT_THAT(at("/learner", 3), HasSubstr("learner should be an object"));
  EXPECT_THAT(at("/learner/objective/name", "rank:mystery"), HasSubstr("unsupported objective rank:mystery"));
  EXPECT_THAT(at("/learner/learner_model_param/num_feature", "4000000000"), HasSubstr("num_feature is 4000000000"));
  EXPECT_THAT(at("/learner/learner_model_param/num_feature", "1"), HasSubstr("feature_names has 2 items"));
  EXPECT_THAT(at("/learner/gradient_booster/name", "gbforest"), HasSubstr("booster gbforest is not known"));
  EXPECT_THAT(at("/learner/learner_model_param/base_score", "[1,2]"), HasSubstr("has 2 numbers, expected 1"));
  EXPECT_THAT(at("/learner/learner_model_param/base_score", "nan"), HasSubstr("base_score is not a number: nan"));
  EXPECT_THAT(at("/learner/learner_model_param/base_score", "1e99"), HasSubstr("base_score is not a number"));
  EXPECT_THAT(at("/learner/feature_names", {"x", "x"}), HasSubstr("two features called x"));
  const std::string model = "/learner/gradient_booster/model";
  EXPECT_THAT(at(model + "/tree_info", {0, 1}), HasSubstr("tree_info[1] is 1"));
  EXPECT_THAT(at(model + "/tree_info", {0}), HasSubstr("tree_info has 1 items"));
  EXPECT_THAT(at(model + "/gbtree_model_param/num_trees", "1000000000"), HasSubstr("tree_info has 2 items"));
  EXPECT_THAT(at(model + "/iteration_indptr", {0, 2, 1, 2}), HasSubstr("does not divide the trees"));
  EXPECT_THAT(at(model + "/trees", json::array()), HasSubstr("trees has 0 items"));
  EXPECT_THAT(at(model + "/cats/enc/1/offsets", {0, 30}), HasSubstr("offsets[1] is 30"));
  EXPECT_THAT(at(model + "/cats/enc/1/offsets", {0, 3, 3, 3}), HasSubstr("the category  twice"));
}

TEST(XgboostJson, CategoryCodesMayNotAskForMemoryOutOfAllProportion) {
  json model = two_trees();
  json& booster = model["learner"]["gradient_booster"]["model"];
  first_tree(model)["categories"] = {16777215};
  first_tree(model)["categories_sizes"] = {1};
  const json tree = first_tree(model);
  booster["cats"]["enc"][1] = {{"offsets", json::array()}, {"values", json::array()}};
  const int count = 100;  // each would take 2 MB
  booster["trees"] = json::array();
  for (int i = 0; i < count; ++i) booster["trees"].push_back(tree);
  booster["tree_info"] = std::vector<int>(count, 0);
  booster["gbtree_model_param"]["num_trees"] = std::to_string(count);
  booster.erase("iteration_indptr");
  EXPECT_THAT(refusal(model.dump()), HasSubstr("has category codes out of all proportion to the file"));
}

TEST(XgboostJson, NamesOfClassesAreTheUsersAffair) {
  json model = two_trees();
  model["learner"]["objective"]["name"] = "binary:logistic";
  model["learner"]["learner_model_param"]["base_score"] = "5E-1";
  const auto refused = [&](LoadOptions options) {
    return failure_of([&] { (void)parse_model(model.dump(), "m.json", options); }, ErrorKind::usage);
  };
  EXPECT_THAT(refused({.classes = {"a", "b", "c"}}), HasSubstr("3 class names were given, but m.json has 2 classes"));
  EXPECT_THAT(refused({.classes = {"a", "a"}}), HasSubstr("two of the names of classes are the same"));
  EXPECT_THAT(refused({.rounds = 3}), HasSubstr("3 rounds were asked for, but m.json has 2"));
  EXPECT_THAT(parse_model(model.dump(), "m.json", {.classes = {"no", "yes"}})->signature().outputs, ElementsAre("yes"));
}

TEST(XgboostJson, PositionsAreNamesOnlyWhereTheDataHaveNone) {
  json model = two_trees();
  model["learner"]["feature_names"] = {"f0", "f1"};
  model["learner"]["gradient_booster"]["model"].erase("cats");
  const auto read = parse_model(model.dump(), "m.json");
  const auto notes = read->bind(Schema({{.name = "a"}, {.name = "b"}}))->notes();
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_THAT(notes[0].message, HasSubstr("columns are taken by position: f0 is a, f1 is b"));
  const auto message = failure_of([&] { (void)read->bind(Schema({{.name = "f1"}, {.name = "F0"}})); }, ErrorKind::data);
  EXPECT_THAT(message, HasSubstr("lack a column that the model wants: f0 (nearest: F0)"));
}

TEST(XgboostJson, RefusesDuplicateKeysAndDeepNesting) {
  std::string text = two_trees().dump();
  const std::string key = "\"tree_info\":";
  text.insert(text.find(key), "\"tree_info\":[0,0],");
  EXPECT_THAT(refusal(text), HasSubstr("has the key tree_info twice"));
  EXPECT_THAT(refusal(R"({"learner":)" + std::string(5000, '[')), HasSubstr("m.json"));
  EXPECT_THAT(refusal(R"({"learner":)" + std::string(5000, '[') + std::string(5000, ']') + "}"), HasSubstr("nested"));
}

TEST(XgboostJson, NotFiniteNumbersMatterOnlyWhereTheyAreUsed) {
  std::string text = two_trees().dump();
  text.insert(text.find("\"split_type\""), "\"loss_changes\":[NaN,Infinity,-Infinity,0,0],");
  EXPECT_NO_THROW((void)parse_model(text, "m.json"));
  text.replace(text.find("[9.0,4.0"), 8, "[NaN,4.0");
  const auto model = parse_model(text, "m.json");
  EXPECT_TRUE(model->trees()->parts().covers.empty());
  EXPECT_FALSE(model->signature().detail.find("covers")->as_bool());
  text.replace(text.find("[2.0,1.0"), 8, "[NaN,1.0");
  EXPECT_THAT(refusal(text), HasSubstr("trees[0] node 0 has a split condition that is not a finite number"));
}

// As a double this text is the middle of two floats, of which it is not the even one.
TEST(XgboostJson, FloatsAreNotRoundedTwice) {
  for (const char* text : {"7.038531e-26", "7.0385307e-26", "7.0385313e-26", "16777217", "0.1", "1e-45"}) {
    std::string model = two_trees().dump();
    model.replace(model.find("[2.0,1.0"), 4, std::string("[") + text);
    float wanted = 0;
    std::from_chars(text, text + std::strlen(text), wanted);
    EXPECT_EQ(parse_model(model, "m.json")->trees()->parts().nodes[0].threshold, static_cast<double>(wanted)) << text;
  }
}

TEST(XgboostJson, EveryTruncationIsAnError) {
  const std::string text = two_trees().dump();
  for (std::size_t size = 0; size < text.size(); ++size) {
    ASSERT_THROW((void)parse_model(std::string_view(text).substr(0, size), "cut.json"), Error) << size;
  }
}

TEST(XgboostJson, ADeepChainNeedsNoStack) {
  json model = two_trees();
  json& tree = first_tree(model);
  const int depth = 200000;
  json left = json::array(), right = json::array();
  // Node 2i + 1 is a leaf, node 2i + 2 the next split.
  left.push_back(1), right.push_back(2);
  for (int i = 1; i < depth; ++i) {
    left.push_back(-1), right.push_back(-1);
    left.push_back(2 * i + 1), right.push_back(2 * i + 2);
  }
  left.push_back(-1), right.push_back(-1);
  left.push_back(-1), right.push_back(-1);
  const std::size_t count = left.size();
  tree["left_children"] = left;
  tree["right_children"] = right;
  for (const char* key : {"split_indices", "default_left", "split_type", "split_conditions", "sum_hessian"}) {
    tree[key] = std::vector<int>(count, 0);
  }
  for (const char* key : {"categories", "categories_nodes", "categories_segments", "categories_sizes"}) {
    tree[key] = json::array();
  }
  tree["tree_param"]["num_nodes"] = std::to_string(count);
  const auto read = parse_model(model.dump(), "deep.json");
  EXPECT_EQ(read->signature().detail.find("max_depth")->as_integer(), depth);
  const Table table = colours({1, -1}, {0, 0}, {"red"});
  EXPECT_THAT(first_column(predict(*read, table, Scale::margin, Arithmetic::exact)), ElementsAre(100.5, 100.5));
}

}  // namespace
}  // namespace sightglass
