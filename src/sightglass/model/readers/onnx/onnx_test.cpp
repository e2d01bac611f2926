// Small ONNX files written here, byte by byte: what is read of them, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "formats/fixture.h"
#include "sightglass/model/load.h"
#include "sightglass/model/trees/ensemble.h"
#include "support/onnx_files.h"

namespace sightglass {
namespace {

using ::testing::HasSubstr;
using namespace testing::onnx_files;

// One tree: X[0] <= 1 ? 10 : (X[1] <= 2 ? 20 : 30). Missing values of X[0] go where it is true.
struct TreeLists {
  std::vector<std::int64_t> tree_ids = {0, 0, 0, 0, 0};
  std::vector<std::int64_t> node_ids = {0, 1, 2, 3, 4};
  std::vector<std::int64_t> features = {0, 0, 1, 0, 0};
  std::vector<std::string> modes = {"BRANCH_LEQ", "LEAF", "BRANCH_LEQ", "LEAF", "LEAF"};
  std::vector<float> values = {1, 0, 2, 0, 0};
  std::vector<std::int64_t> when_true = {1, 0, 3, 0, 0};
  std::vector<std::int64_t> when_false = {2, 0, 4, 0, 0};
  std::vector<std::int64_t> tracks = {1, 0, 0, 0, 0};
  std::int64_t targets = 1;
  std::vector<std::int64_t> target_ids = {0, 0, 0};
  std::vector<std::int64_t> target_nodes = {1, 3, 4};
  std::vector<std::int64_t> target_trees = {0, 0, 0};
  std::vector<float> weights = {10, 20, 30};
};

std::string tree_node(const TreeLists& lists, const std::string& input = "X") {
  return node("TreeEnsembleRegressor", {input}, {"Y"},
              {integers("nodes_treeids", lists.tree_ids), integers("nodes_nodeids", lists.node_ids),
               integers("nodes_featureids", lists.features), texts("nodes_modes", lists.modes),
               reals("nodes_values", lists.values), integers("nodes_truenodeids", lists.when_true),
               integers("nodes_falsenodeids", lists.when_false),
               integers("nodes_missing_value_tracks_true", lists.tracks), integer("n_targets", lists.targets),
               integers("target_ids", lists.target_ids), integers("target_nodeids", lists.target_nodes),
               integers("target_treeids", lists.target_trees), reals("target_weights", lists.weights)},
              "ai.onnx.ml");
}

std::string refusal(const std::string& bytes) {
  try {
    (void)parse_model(bytes, "model.onnx");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::model);
    return error.what();
  }
  return "no error";
}

std::string graph_refusal(const GraphParts& parts) { return refusal(model_of(parts)); }
std::string refusal(const TreeLists& lists) { return graph_refusal({.nodes = {tree_node(lists)}}); }

TEST(Onnx, ATreeIsRead) {
  const auto model = parse_model(model_of({.nodes = {tree_node({})}}), "model.onnx");
  const Signature& signature = model->signature();
  EXPECT_EQ(signature.format, "onnx");
  EXPECT_EQ(signature.version, "by hand");
  EXPECT_EQ(signature.objective, "TreeEnsembleRegressor");
  ASSERT_EQ(signature.features.size(), 2U);
  EXPECT_EQ(signature.features[0].name, "f0");
  EXPECT_EQ(signature.outputs, std::vector<std::string>{"prediction"});
  EXPECT_EQ(signature.detail.find("operators")->find("TreeEnsembleRegressor")->as_integer(), 1);
  EXPECT_EQ(signature.detail.find("opsets")->find("ai.onnx")->as_integer(), 17);
  ASSERT_NE(model->trees(), nullptr);
  constexpr double missing = std::numeric_limits<double>::quiet_NaN();
  const Table table(Schema({ColumnInfo{.name = "a"}, ColumnInfo{.name = "b"}}),
                    {column_of(std::vector<double>{1, 1.5, 1.5, missing, 1.5}),
                     column_of(std::vector<double>{9, 2, 2.5, 9, missing})});
  const Matrix found = testing::predict_table(*model, table, Scale::response, Arithmetic::exact);
  const double wanted[] = {10, 20, 30, 10, 30};
  for (std::size_t row = 0; row < 5; ++row) EXPECT_EQ(found(row, 0), wanted[row]) << row;
}

TEST(Onnx, ColumnsThatAreTensorsOfTheirOwnKeepTheirNames) {
  const std::string joined = node("Concat", {"b", "a"}, {"X"}, {integer("axis", 1)});
  const auto model = parse_model(
      model_of({.nodes = {joined, tree_node({})}, .inputs = {value("a", 1, {-1, 1}), value("b", 1, {-1, 1})}}),
      "model.onnx");
  ASSERT_EQ(model->signature().features.size(), 2U);
  EXPECT_EQ(model->signature().features[0].name, "a");
  // The trees' first column is b.
  EXPECT_EQ(model->trees()->parts().nodes[0].feature, 1);
}

TEST(Onnx, AnAnswerMayPassALinkOnItsWay) {
  TreeLists lists;
  std::string tree = tree_node(lists);
  const auto found = parse_model(
      model_of({.nodes = {tree, node("Sigmoid", {"Y"}, {"Z"})}, .outputs = {value("Z", 1, {-1, 1})}}), "model.onnx");
  EXPECT_EQ(found->trees()->parts().link.link, Link::logistic);
  EXPECT_TRUE(found->signature().has_margin);
}

TEST(Onnx, DamagedTreesAreRefusedByTheSpot) {
  const auto with = [](const std::function<void(TreeLists&)>& change) {
    TreeLists lists;
    change(lists);
    return refusal(lists);
  };
  EXPECT_THAT(with([](auto& t) { t.when_true[2] = 7; }), HasSubstr("tree 0: node 2 has a child that does not exist"));
  EXPECT_THAT(with([](auto& t) { t.when_true[2] = 0; }), HasSubstr("reached twice: not a tree"));
  EXPECT_THAT(with([](auto& t) { t.when_true[2] = 4; }), HasSubstr("reached twice: not a tree"));
  EXPECT_THAT(with([](auto& t) { t.when_true[2] = -3; }), HasSubstr("child that does not exist"));
  EXPECT_THAT(with([](auto& t) { t.node_ids[4] = 3; }), HasSubstr("tree 0 has node 3 twice"));
  EXPECT_THAT(with([](auto& t) { t.node_ids[4] = -1; }), HasSubstr("node 4 has a number that is none"));
  EXPECT_THAT(with([](auto& t) { t.tree_ids[2] = 1; }), HasSubstr("do not stand together"));
  EXPECT_THAT(with([](auto& t) { t.features[2] = 2; }), HasSubstr("a split of column 2, there are 2"));
  EXPECT_THAT(with([](auto& t) { t.features[2] = -1; }), HasSubstr("a split of column -1"));
  EXPECT_THAT(with([](auto& t) { t.features.pop_back(); }), HasSubstr("nodes_featureids has 4 items, expected 5"));
  EXPECT_THAT(with([](auto& t) { t.modes[0] = "BRANCH_ODD"; }), HasSubstr("unknown mode, BRANCH_ODD"));
  EXPECT_THAT(with([](auto& t) { t.values[0] = NAN; }), HasSubstr("a threshold is not a number"));
  EXPECT_THAT(with([](auto& t) { t.weights[0] = INFINITY; }), HasSubstr("a weight is not finite"));
  EXPECT_THAT(with([](auto& t) { t.target_ids[0] = 1; }), HasSubstr("target_ids has 1, there are 1"));
  EXPECT_THAT(with([](auto& t) { t.target_ids[0] = -1; }), HasSubstr("target_ids has -1"));
  EXPECT_THAT(with([](auto& t) { t.target_nodes[0] = 9; }), HasSubstr("node 9 of tree 0, which does not exist"));
  EXPECT_THAT(with([](auto& t) { t.target_nodes[0] = 3; }), HasSubstr("a leaf has no weight"));
  EXPECT_THAT(with([](auto& t) { t.targets = -1; }), HasSubstr("has -1 targets"));
  EXPECT_THAT(with([](auto& t) { t.targets = std::int64_t{1} << 60; }), HasSubstr("targets"));
}

TEST(Onnx, GraphsThatAreNoneAreRefused) {
  const std::string y = value("Y", 1, {-1, 1});
  EXPECT_THAT(
      graph_refusal({.nodes = {node("Add", {"X", "b"}, {"a"}), node("Neg", {"a"}, {"b"}), node("Neg", {"b"}, {"Y"})}}),
      HasSubstr("node 0 (Add) uses b, which nothing before it makes (a cycle?)"));
  EXPECT_THAT(graph_refusal({.nodes = {node("Neg", {"X"}, {"Y"}), node("Abs", {"X"}, {"Y"})}}),
              HasSubstr("makes Y, which is there already"));
  EXPECT_THAT(graph_refusal({.nodes = {node("Neg", {"X"}, {"Z"})}}), HasSubstr("nothing makes the output Y"));
  EXPECT_THAT(graph_refusal({.nodes = {node("Neg", {"X"}, {"Y"})}, .outputs = {}}), HasSubstr("has no outputs"));
  EXPECT_THAT(graph_refusal({.nodes = {node("Neg", {"X"}, {"Y"})}, .inputs = {value("X", 1, {2}), value("X", 1, {2})}}),
              HasSubstr("two inputs are called X"));
  EXPECT_THAT(graph_refusal({.nodes = {node("Neg", {"X"}, {"Y"}, {integer("a", 1), integer("a", 2)})}}),
              HasSubstr("has the attribute a twice"));
  EXPECT_THAT(graph_refusal({.nodes = {node("Run", {"X"}, {"Y"}, {}, "evil.ops")}}), HasSubstr("evil.ops.Run"));
  EXPECT_THAT(graph_refusal({.nodes = {node("", {"X"}, {"Y"})}}), HasSubstr("a node without an operator"));
}

std::string tensor(const std::vector<std::int64_t>& dims, const std::string& raw, const std::string& place = "") {
  return message([&](pbf_writer& writer) {
    writer.add_packed_int64(1, dims.begin(), dims.end());
    writer.add_int32(2, 1);
    writer.add_string(8, "w");
    if (place.empty()) {
      writer.add_bytes(9, raw);
      return;
    }
    writer.add_message(13, message([&](pbf_writer& entry) {
                         entry.add_string(1, "location");
                         entry.add_string(2, place);
                       }));
    writer.add_int32(14, 1);
  });
}

TEST(Onnx, ConstantsMustBeInTheFileAndFitTheirShapes) {
  const auto with = [](const std::string& constant) {
    return graph_refusal({.nodes = {node("Add", {"X", "w"}, {"Y"})}, .constants = {constant}});
  };
  for (const std::string place : {"weights.bin", "../../etc/passwd", "/etc/passwd"}) {
    EXPECT_THAT(with(tensor({1}, "", place)), HasSubstr("is in another file (" + place + "), and no other files are"));
  }
  EXPECT_THAT(with(tensor({2}, std::string(4, 0))), HasSubstr("another number of values than its shape says"));
  EXPECT_THAT(with(tensor({-2}, std::string(8, 0))), HasSubstr("negative dimension"));
  EXPECT_THAT(with(tensor({std::int64_t{1} << 40, std::int64_t{1} << 40}, "")), HasSubstr("is larger than the file"));
  EXPECT_THAT(with(tensor(std::vector<std::int64_t>(40, 1), std::string(4, 0))), HasSubstr("too many dimensions"));
  // The same name in a graph within a graph is checked as well.
  const std::string inner = message([&](pbf_writer& graph) { graph.add_message(5, tensor({1}, "", "/etc/passwd")); });
  const std::string branch = message([&](pbf_writer& attribute) {
    attribute.add_string(1, "then_branch");
    attribute.add_message(6, inner);
  });
  EXPECT_THAT(graph_refusal({.nodes = {node("If", {"X"}, {"Y"}, {branch})}}), HasSubstr("is in another file"));
}

TEST(Onnx, DeepGraphsAreRefused) {
  std::string graph = message([](pbf_writer& writer) { writer.add_message(1, node("Neg", {"a"}, {"b"})); });
  for (int depth = 0; depth < 20000; ++depth) {
    const std::string attribute = message([&](pbf_writer& writer) {
      writer.add_string(1, "g");
      writer.add_message(6, graph);
    });
    graph = message([&](pbf_writer& writer) { writer.add_message(1, node("If", {"a"}, {"b"}, {attribute})); });
    if (depth == 30) break;
  }
  const std::string bytes = message([&](pbf_writer& writer) {
    writer.add_int64(1, 8);
    writer.add_message(7, graph);
  });
  EXPECT_THAT(refusal(bytes), HasSubstr("graphs within graphs, too deep"));
}

TEST(Onnx, DamagedBytesAreRefused) {
  const std::string good = model_of({.nodes = {tree_node({})}});
  for (std::size_t length = 3; length < good.size(); ++length) EXPECT_NE(refusal(good.substr(0, length)), "no error");
  // A varint that never ends, and a field of another type.
  using namespace std::string_literals;
  EXPECT_THAT(refusal("\x08\x08\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"s),
              HasSubstr("cut off or damaged"));
  EXPECT_THAT(refusal("\x08\x08\x3a\x03\x0d\x01\x01"s), HasSubstr(""));
  EXPECT_THAT(refusal(message([](pbf_writer& writer) {
                writer.add_int64(1, 8);
                writer.add_string(2, "x");
                writer.add_int64(7, 5);
              })),
              HasSubstr("field 7 is of another type than in ONNX"));
}

}  // namespace
}  // namespace sightglass
