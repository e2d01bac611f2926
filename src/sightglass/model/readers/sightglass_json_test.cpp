// Files of our own: what is read back, and that nothing but a whole file is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>

#include "sightglass/base/error.h"
#include "sightglass/model/load.h"
#include "support/learned_files.h"

namespace sightglass {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Signature species() {
  Signature signature;
  signature.version = "0.1.0";
  signature.objective = "tree";
  signature.task = Task::binary;
  signature.features = {{.name = "bill"}, {.name = "isle", .categorical = true, .levels = {"Dream", "Torgersen"}}};
  signature.outputs = {"Gentoo"};
  return signature;
}

// bill <= 40, or on Dream.
TreeStructure small_tree() {
  TreeStructure tree;
  tree.nodes = {{.left = 1, .right = 2, .feature = 0, .threshold = 40.5, .missing_left = true},
                {.threshold = -1.5},
                {.left = 3, .right = 4, .feature = 1, .categories = 0, .categories_left = true},
                {.threshold = 0.25},
                {.threshold = 2}};
  tree.covers = {10, 4, 6, 1, 5};
  tree.category_sets = {{{1}}};
  return tree;
}

Value members() { return testing::learned_members(species(), Link::logistic, small_tree()); }
std::string sealed(const Value& object) { return seal_model_file(to_json(object)); }

// The error that reading gives, which must be one about the model.
std::string refusal(const std::string& file) {
  try {
    (void)parse_model(file, "made.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::model);
    return error.what();
  }
  return "";
}

TEST(SightglassJson, ReadsWhatTheFileSays) {
  Value object = members();
  object.set("fitted", Value::object({{"target", "species"},
                                      {"training_rows", 10},
                                      {"classes", Value(std::vector<std::string>{"Adelie", "Gentoo"})},
                                      {"accuracy", 0.75},
                                      {"pruned", true},
                                      {"nothing", Value()},
                                      {"pruning", Value::object({{"alphas", Value(std::vector<double>{0, 0.5})}})}}));
  const auto model = parse_model(sealed(object), "made.json");
  const Signature& signature = model->signature();
  EXPECT_EQ(signature.format, "sightglass");
  EXPECT_EQ(signature.version, "0.1.0");
  EXPECT_EQ(signature.objective, "tree");
  EXPECT_EQ(signature.task, Task::binary);
  EXPECT_THAT(signature.outputs, ElementsAre("Gentoo"));
  EXPECT_TRUE(signature.has_margin);
  ASSERT_EQ(signature.features.size(), 2U);
  EXPECT_FALSE(signature.features[0].categorical);
  EXPECT_THAT(signature.features[1].levels, ElementsAre("Dream", "Torgersen"));
  // Whatever a learner says of itself stays.
  EXPECT_EQ(signature.detail.find("target")->as_string(), "species");
  EXPECT_EQ(signature.detail.find("training_rows")->as_integer(), 10);
  EXPECT_EQ(signature.detail.find("accuracy")->as_number(), 0.75);
  EXPECT_TRUE(signature.detail.find("pruned")->as_bool());
  EXPECT_TRUE(signature.detail.find("nothing")->is_null());
  EXPECT_EQ(signature.detail.find("pruning")->find("alphas")->as_array()[1].as_number(), 0.5);
  ASSERT_NE(model->trees(), nullptr);
  EXPECT_THAT(model->trees()->parts().covers, ElementsAre(10, 4, 6, 1, 5));
}

// What this version has written, later ones read (tests/formats/make_sightglass.sh).
TEST(SightglassJson, FilesOfEveryLearner) {
  const std::map<std::string, bool> is_trees = {{"sparse-linear", false}, {"tree", true}, {"optimal-tree", true},
                                                {"rulefit", false},       {"gam", true},  {"hierarchical-2d", false},
                                                {"covering-2d", false},   {"knn", false}, {"nearest-prototype", false}};
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(SIGHTGLASS_SOURCE_DIR "/tests/formats/sightglass")) {
    const auto model = load_model(entry.path().string());
    const std::string kind = model->signature().objective;
    ASSERT_TRUE(is_trees.contains(kind)) << entry.path();
    // Rules without slopes are trees, too.
    if (kind != "rulefit") {
      EXPECT_EQ(model->trees() != nullptr, is_trees.at(kind)) << entry.path();
    }
    EXPECT_EQ(model->signature().features.size(), 2U) << entry.path();
    ++files;
  }
  // Panels and prototypes learn classes only; one file has a class against the rest.
  EXPECT_EQ(files, 3 * is_trees.size() - 3 + 1);
}

TEST(SightglassJson, NamesOfOutputsCanBeGiven) {
  const auto model = parse_model(sealed(members()), "made.json", {.classes = {"no", "yes"}});
  EXPECT_THAT(model->signature().outputs, ElementsAre("yes"));
}

TEST(SightglassJson, WhitespaceBehindTheFileIsNoMatter) {
  const std::string file = sealed(members());
  EXPECT_EQ(file.back(), '\n');
  EXPECT_THAT(refusal(file.substr(0, file.size() - 1)), IsEmpty());
  EXPECT_THAT(refusal(file + " \r\n\n"), IsEmpty());
}

TEST(SightglassJson, CutAnywhere) {
  const std::string file = sealed(members());
  for (std::size_t size = 0; size + 1 < file.size(); ++size) {
    EXPECT_NE(refusal(file.substr(0, size)), "") << size;
  }
}

TEST(SightglassJson, AnyByteChanged) {
  const std::string file = sealed(members());
  for (std::size_t place = 0; place + 1 < file.size(); ++place) {
    for (const char other : {'\0', ' ', '"', '0', '1', 'z', '}', ',', '\xff', static_cast<char>(file[place] ^ 1)}) {
      if (other == file[place]) continue;
      std::string changed = file;
      changed[place] = other;
      EXPECT_NE(refusal(changed), "") << place << " " << static_cast<int>(other);
    }
  }
}

TEST(SightglassJson, SaysWhatIsWrong) {
  const std::string file = sealed(members());
  EXPECT_THAT(refusal(file.substr(0, file.size() / 2)), HasSubstr("made.json: is cut off, or was changed"));
  std::string newer = file;
  newer[newer.find("model/1") + 6] = '2';
  EXPECT_THAT(refusal(newer), HasSubstr("was written by a newer version"));
  newer.insert(newer.find("model/2") + 7, "3");
  EXPECT_THAT(refusal(newer), HasSubstr("was written by a newer version"));
  // As another program would write it.
  EXPECT_THAT(refusal("{\n  \"schema\": \"sightglass.model/1\",\n  \"digest\": \"0\"}"), HasSubstr("was changed"));
}

// A file whose digest is right may still be anything.
TEST(SightglassJson, EveryMemberIsChecked) {
  const auto with = [](std::string_view key, Value value) {
    Value object = members();
    object.set(key, std::move(value));
    return refusal(sealed(object));
  };
  EXPECT_THAT(with("task", "ranking"), HasSubstr("task is not known to this version: ranking"));
  EXPECT_THAT(with("link", "probit"), HasSubstr("link is not known to this version: probit"));
  EXPECT_THAT(with("link", 3), HasSubstr("link"));
  EXPECT_THAT(with("outputs", Value::array()), HasSubstr("made.json"));
  EXPECT_THAT(with("outputs", Value(std::vector<std::string>{"a", "b"})), HasSubstr("made.json"));
  EXPECT_THAT(with("outputs", Value(std::vector<std::string>{"a", "a"})), HasSubstr("outputs has the same name twice"));
  EXPECT_THAT(with("features", "bill"), HasSubstr("features"));
  EXPECT_THAT(with("features", Value::array()), HasSubstr("but there is nothing that it could stand for"));
  EXPECT_THAT(with("structure", Value::object({{"form", "forest"}})), HasSubstr("structure.form is not known"));
  EXPECT_THAT(with("structure", Value::object({{"form", "tree"}, {"nodes", Value::array()}})), HasSubstr("is empty"));
  EXPECT_THAT(with("fitted", 3), HasSubstr("fitted is not an object"));
  EXPECT_THAT(with("kind", 1.5), HasSubstr("kind"));
  for (const std::string_view key : {"kind", "version", "task", "outputs", "link", "features", "structure", "fitted"}) {
    Value object = Value::object();
    const Value all = members();
    for (const auto& [name, value] : all.as_object()) {
      if (name != key) object.set(name, value);
    }
    EXPECT_THAT(refusal(sealed(object)), HasSubstr(std::string(key))) << key;
  }
}

TEST(SightglassJson, EveryPanelIsChecked) {
  const std::string input = R"({"feature":0,"center":1,"scale":2,"low":-1,"high":1})";
  const std::string level = R"({"feature":1,"center":0,"scale":1,"low":0,"high":1,"positions":[0,null]})";
  const auto panel = [&](const std::string& inputs, const std::string& rest) {
    return R"({"claims":1,"threshold":0.5,"spread":1,"inputs":[)" + inputs + R"(],"bias":0,)" + rest + "}";
  };
  const auto file = [](const std::string& structure) {
    return refusal(
        seal_model_file(R"({"kind":"covering-2d","version":"1","task":"binary","outputs":["b"],"link":"identity",)"
                        R"("features":[{"name":"x"},{"name":"c","levels":["u","v"]}],"structure":)" +
                        structure + R"(,"fitted":{}})"));
  };
  const auto covering = [&](const std::string& panels, const std::string& order = "[0,1]",
                            const std::string& shares = "[[1,0],[0,1]]") {
    return file(R"({"form":"covering","order":)" + order + R"(,"shares":)" + shares + R"(,"panels":[)" + panels + "]}");
  };
  const std::string linear = panel(input, R"("coefficients":[1])");
  const std::string radial = panel(input + "," + level, R"("coefficients":[1,-1],"gamma":0.5,"support":[[0,1],[1,0]])");
  EXPECT_THAT(covering(""), IsEmpty());
  EXPECT_THAT(covering(linear + "," + radial), IsEmpty());
  for (const std::string& wrong :
       {panel("", R"("coefficients":[])"), panel(input + "," + input, R"("coefficients":[1,1])"),
        panel(input + "," + level + "," + input, R"("coefficients":[1,1,1])"), panel(input, R"("coefficients":[1,2])"),
        panel(input, R"("coefficients":[])"), panel(input, R"("coefficients":[1e999])"),
        panel(input, R"("coefficients":[1],"gamma":-1,"support":[[0]])"),
        panel(input, R"("coefficients":[1],"gamma":0,"support":[[0]])"),
        panel(input, R"("coefficients":[1],"gamma":1,"support":[])"),
        panel(input, R"("coefficients":[1],"gamma":1,"support":[[0,1]])"),
        panel(input, R"("coefficients":[1],"gamma":1})"),
        panel(R"({"feature":2,"center":1,"scale":2,"low":-1,"high":1})", R"("coefficients":[1])"),
        panel(R"({"feature":0,"center":1,"scale":0,"low":-1,"high":1})", R"("coefficients":[1])"),
        panel(R"({"feature":0,"center":1,"scale":2,"low":1,"high":-1})", R"("coefficients":[1])"),
        panel(R"({"feature":0,"center":1,"scale":2,"low":0,"high":1,"positions":[0]})", R"("coefficients":[1])"),
        panel(R"({"feature":1,"center":0,"scale":1,"low":0,"high":1,"positions":[0]})", R"("coefficients":[1])"),
        panel(R"({"feature":1,"center":0,"scale":1,"low":0,"high":1})", R"("coefficients":[1])")}) {
    EXPECT_THAT(covering(wrong), HasSubstr("made.json")) << wrong;
  }
  for (const std::string other : {"[0]", "[0,0]", "[0,2]", "[0,1,2]", "[]", "3"}) {
    EXPECT_THAT(covering(linear, other), HasSubstr("made.json")) << other;
  }
  EXPECT_THAT(covering(linear, "[1,0]"), HasSubstr("out of order"));  // claims the most critical class
  for (const std::string other :
       {"[[1,0]]", "[[1,0],[0]]", "[[2,-1],[0,1]]", "[[0.5,0.1],[0,1]]", "[[1,0],[0,null]]"}) {
    EXPECT_THAT(covering(linear, "[0,1]", other), HasSubstr("made.json")) << other;
  }

  const auto tree = [&](const std::string& ways, const std::string& leaves = "[[1,0],[0,1]]") {
    std::string panels;
    std::size_t from = 0;
    while (from < ways.size()) {
      const std::size_t end = std::min(ways.find(';', from), ways.size());
      panels += (panels.empty() ? "" : ",") + linear.substr(0, linear.size() - 1) + "," +
                ways.substr(from, end - from) + R"(,"missing_above":false})";
      from = end + 1;
    }
    return file(R"({"form":"panel_tree","leaves":)" + leaves + R"(,"panels":[)" + panels + "]}");
  };
  EXPECT_THAT(tree(R"("below":-1,"above":-2)"), IsEmpty());
  EXPECT_THAT(tree(R"("below":-1,"above":1;"below":-1,"above":-2)"), IsEmpty());
  EXPECT_THAT(tree(""), IsEmpty());
  for (const std::string ways :
       {R"("below":-1,"above":-3)", R"("below":-1,"above":0)", R"("below":-1,"above":1)", R"("below":-1)",
        R"("below":1,"above":1;"below":-1,"above":-2)", R"("below":-1,"above":-2;"below":-1,"above":-2)",
        R"("below":1,"above":2;"below":2,"above":-2;"below":-1,"above":-2)"}) {
    EXPECT_THAT(tree(ways), HasSubstr("made.json")) << ways;
  }
  EXPECT_THAT(tree(R"("below":-1,"above":-2)", "[]"), HasSubstr("made.json"));
}

TEST(SightglassJson, EveryNodeIsChecked) {
  const auto with_node = [](const std::string& node) {
    return refusal(seal_model_file(R"({"kind":"tree","version":"1","task":"binary","outputs":["b"],"link":"logit",)"
                                   R"("features":[{"name":"x"},{"name":"c","levels":["u","v"]}],)"
                                   R"("structure":{"form":"tree","nodes":[)" +
                                   node + R"(,{"values":[1]},{"values":[2]}]},"fitted":{}})"));
  };
  EXPECT_THAT(with_node(R"({"feature":0,"at_most":1,"missing_left":true,"left":1,"right":2})"), IsEmpty());
  EXPECT_THAT(with_node(R"({"feature":1,"levels":[1],"missing_left":true,"left":1,"right":2})"), IsEmpty());
  for (const std::string node : {R"({"feature":2,"at_most":1,"missing_left":true,"left":1,"right":2})",
                                 R"({"feature":-1,"at_most":1,"missing_left":true,"left":1,"right":2})",
                                 R"({"feature":0.5,"at_most":1,"missing_left":true,"left":1,"right":2})",
                                 R"({"feature":0,"at_most":"high","missing_left":true,"left":1,"right":2})",
                                 R"({"feature":0,"at_most":1e999,"missing_left":true,"left":1,"right":2})",
                                 R"({"feature":0,"at_most":1,"missing_left":2,"left":1,"right":2})",
                                 R"({"feature":0,"at_most":1,"left":1,"right":2})",
                                 R"({"feature":0,"at_most":1,"missing_left":true,"left":0,"right":2})",
                                 R"({"feature":0,"at_most":1,"missing_left":true,"left":1,"right":1})",
                                 R"({"feature":0,"at_most":1,"missing_left":true,"left":1,"right":3})",
                                 R"({"feature":0,"at_most":1,"missing_left":true,"left":1})",
                                 R"({"feature":0,"levels":[0],"missing_left":true,"left":1,"right":2})",
                                 R"({"feature":1,"at_most":1,"missing_left":true,"left":1,"right":2})",
                                 R"({"feature":1,"levels":[2],"missing_left":true,"left":1,"right":2})",
                                 R"({"feature":1,"levels":[-1],"missing_left":true,"left":1,"right":2})",
                                 R"({"values":[]})",
                                 R"({"values":[1,2]})",
                                 R"({"values":["a"]})",
                                 R"([])",
                                 R"(null)",
                                 R"({"feature":0,"feature":1,"at_most":1,"missing_left":true,"left":1,"right":2})",
                                 R"({"count":-1,"feature":0,"at_most":1,"missing_left":true,"left":1,"right":2})"}) {
    EXPECT_NE(with_node(node), "") << node;
  }
}

TEST(SightglassJson, DeepFactsAreRefused) {
  std::string deep = "1";
  for (int level = 0; level < 200; ++level) deep = "[" + deep + "]";
  std::string object = to_json(members());
  const std::string fitted = R"("fitted":{)";
  object.insert(object.find(fitted) + fitted.size(), "\"deep\":" + deep + ",");
  EXPECT_THAT(refusal(seal_model_file(object)), HasSubstr("too deep"));
}

}  // namespace
}  // namespace sightglass
