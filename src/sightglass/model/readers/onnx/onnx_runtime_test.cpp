// Models that onnxruntime runs, where its library is there: tests/python/test_onnx.py has more of them, made by
// exporters.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <thread>

#include "formats/fixture.h"
#include "sightglass/model/load.h"
#include "sightglass/model/readers/onnx/onnxruntime_library_internal.h"
#include "support/onnx_files.h"

namespace sightglass {
namespace {

using ::testing::HasSubstr;
using namespace testing::onnx_files;

class OnnxRuntimeModels : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const std::string& path : onnxruntime_candidates()) {
      if (std::filesystem::exists(path)) return;
    }
    GTEST_SKIP() << "onnxruntime is not installed";
  }
};

std::string float_tensor(const std::string& name, const std::vector<std::int64_t>& dims,
                         const std::vector<float>& values) {
  return message([&](pbf_writer& writer) {
    writer.add_packed_int64(1, dims.begin(), dims.end());
    writer.add_int32(2, 1);
    writer.add_packed_float(4, values.begin(), values.end());
    writer.add_string(8, name);
  });
}

// Y = X · (2, -3)
std::string product(const std::vector<std::int64_t>& shape = {-1, 2}) {
  return model_of({.nodes = {node("MatMul", {"X", "w"}, {"Y"})},
                   .constants = {float_tensor("w", {2, 1}, {2, -3})},
                   .inputs = {value("X", 1, shape)},
                   .outputs = {value("Y", 1, {-1, 1})}});
}

Matrix answers(const Model& model, const Table& table, std::size_t outputs) {
  const auto bound = model.bind(table.schema());
  Matrix out(table.rows(), outputs);
  Context context(1);
  const auto stream = table.open(bound->columns(), table.rows());
  const auto block = stream->next();
  bound->predict(*block, {}, out.span(), context);
  return out;
}

Table numbers(std::vector<double> a, std::vector<double> b) {
  return Table(Schema({ColumnInfo{.name = "a"}, ColumnInfo{.name = "b"}}),
               {column_of(std::move(a)), column_of(std::move(b))});
}

TEST_F(OnnxRuntimeModels, AnOperatorIsRun) {
  for (const std::int64_t rows : {-1, 1}) {  // of any number of rows, or of one
    const auto model = parse_model(product({rows, 2}), "model.onnx");
    EXPECT_EQ(model->signature().format, "onnxruntime");
    EXPECT_THAT(model->signature().detail.find("engine")->as_string(), HasSubstr("asked: it has no tree ensemble"));
    EXPECT_EQ(model->trees(), nullptr);
    std::vector<double> a(2500), b(2500);
    for (std::size_t row = 0; row < a.size(); ++row) {
      a[row] = static_cast<double>(row % 71);
      b[row] = static_cast<double>(row % 13) / 4;
    }
    const Matrix found = answers(*model, numbers(a, b), 1);
    for (std::size_t row = 0; row < a.size(); ++row) ASSERT_EQ(found(row, 0), 2 * a[row] - 3 * b[row]) << row;
  }
}

TEST_F(OnnxRuntimeModels, DictionariesOfScoresAreLeftOut) {
  const std::string classifier =
      node("LinearClassifier", {"X"}, {"label", "scores"},
           {reals("coefficients", {1, 0, -1, 0}), reals("intercepts", {0, 0}), integers("classlabels_ints", {4, 9})},
           "ai.onnx.ml");
  const std::string map = node("ZipMap", {"scores"}, {"maps"}, {integers("classlabels_int64s", {4, 9})}, "ai.onnx.ml");
  // A sequence of maps from whole numbers to floats.
  const std::string kind = message([](pbf_writer& type) {
    type.add_message(4, message([](pbf_writer& sequence) {
                       sequence.add_message(
                           1, message([](pbf_writer& element) {
                             element.add_message(
                                 5, message([](pbf_writer& entry) {
                                   entry.add_int32(1, 7);
                                   entry.add_message(
                                       2, message([](pbf_writer& to) {
                                         to.add_message(1, message([](pbf_writer& scalar) { scalar.add_int32(1, 1); }));
                                       }));
                                 }));
                           }));
                     }));
  });
  const std::string maps = message([&](pbf_writer& output) {
    output.add_string(1, "maps");
    output.add_message(2, kind);
  });
  const auto model =
      parse_model(model_of({.nodes = {classifier, map}, .outputs = {value("label", 7, {-1}), maps}}), "model.onnx");
  EXPECT_EQ(model->signature().task, Task::binary);
  EXPECT_EQ(model->signature().outputs, std::vector<std::string>{"9"});
  EXPECT_EQ(model->signature().other_class, "4");
  const Matrix found = answers(*model, numbers({1, -2}, {0, 0}), 1);
  EXPECT_EQ(found(0, 0), -1);
  EXPECT_EQ(found(1, 0), 2);
}

TEST_F(OnnxRuntimeModels, TextsAreTexts) {
  const std::string encoder = node(
      "LabelEncoder", {"season"}, {"Y"},
      {texts("keys_strings", {"spring", "fall"}), reals("values_floats", {1.5, -2}), message([](pbf_writer& attribute) {
         attribute.add_string(1, "default_float");
         attribute.add_float(2, 9);
         attribute.add_int32(20, 1);
       })},
      "ai.onnx.ml");
  const auto model = parse_model(model_of({.nodes = {encoder}, .inputs = {value("season", 8, {-1, 1})}}), "model.onnx");
  EXPECT_TRUE(model->signature().features.at(0).categorical);
  ColumnInfo info{.name = "season"};
  info.type = DType::categorical;
  info.dictionary = std::make_shared<Dictionary>(std::vector<std::string>{"fall", "winter", "spring"});
  const Dictionary* dictionary = info.dictionary.get();
  const Table table(Schema({info}), {column_of(std::vector<std::int32_t>{2, 0, 1, -1}, dictionary)});
  const Matrix found = answers(*model, table, 1);
  const double wanted[] = {1.5, -2, 9, 9};
  for (std::size_t row = 0; row < 4; ++row) EXPECT_EQ(found(row, 0), wanted[row]) << row;
}

TEST_F(OnnxRuntimeModels, WholeNumbersMustBeWhole) {
  const std::string bytes =
      model_of({.nodes = {node("Cast", {"X"}, {"Y"}, {integer("to", 1)})}, .inputs = {value("X", 7, {-1, 1})}});
  const auto model = parse_model(bytes, "model.onnx");
  const auto with = [&](double number) {
    const Table table(Schema({ColumnInfo{.name = "a"}}), {column_of(std::vector<double>{1, number})});
    try {
      return std::to_string(answers(*model, table, 1)(1, 0));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::data);
      return std::string(error.what());
    }
  };
  EXPECT_EQ(with(-7), std::to_string(-7.0));
  EXPECT_THAT(with(std::numeric_limits<double>::quiet_NaN()), HasSubstr("row 1 of X is missing"));
  EXPECT_THAT(with(0.5), HasSubstr("row 1 of X is no number that fits"));
  EXPECT_THAT(with(1e19), HasSubstr("no number that fits"));
}

TEST_F(OnnxRuntimeModels, WhatOnnxruntimeRefusesIsAnError) {
  const auto refusal = [](const GraphParts& parts) {
    try {
      (void)parse_model(model_of(parts), "model.onnx");
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::model);
      return std::string(error.what()) + error.detail();
    }
    return std::string("no error");
  };
  EXPECT_THAT(refusal({.nodes = {node("Nonsense", {"X"}, {"Y"})}}), HasSubstr("does not take the model"));
  EXPECT_THAT(refusal({.nodes = {node("Neg", {"X"}, {"Y"})}, .inputs = {value("X", 1, {-1, 3, 8, 8})}}),
              HasSubstr("the input X has 4 dimensions"));
  EXPECT_THAT(refusal({.nodes = {node("Neg", {"X"}, {"Y"})}, .outputs = {value("Y", 7, {-1})}}),
              HasSubstr("no output of float or double"));
}

TEST_F(OnnxRuntimeModels, MemoryIsBounded) {
  // A graph of few bytes whose answer has 2^40 numbers for each row.
  const std::string shape = message([](pbf_writer& writer) {
    const std::int64_t one[] = {2};
    const std::int64_t sizes[] = {std::int64_t{1} << 20, std::int64_t{1} << 20};
    writer.add_packed_int64(1, std::begin(one), std::end(one));
    writer.add_int32(2, 7);
    writer.add_packed_int64(7, std::begin(sizes), std::end(sizes));
    writer.add_string(8, "s");
  });
  try {
    const auto model = parse_model(
        model_of({.nodes = {node("ReduceSum", {"X"}, {"r"}), node("Expand", {"r", "s"}, {"Y"})}, .constants = {shape}}),
        "model.onnx");
    (void)answers(*model, numbers({1}, {2}), 1);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.detail(), HasSubstr("onnxruntime:")) << error.what();
  }
}

TEST_F(OnnxRuntimeModels, ALoopWithoutEndCanBeCancelled) {
  const auto scalar = [](const std::string& name, std::int32_t type, std::int64_t number) {
    return message([&](pbf_writer& writer) {
      writer.add_int32(2, type);
      if (type == 7) {
        writer.add_int64(7, number);
      } else {
        writer.add_int32(5, static_cast<std::int32_t>(number));
      }
      writer.add_string(8, name);
    });
  };
  const std::string body = message([](pbf_writer& graph) {
    graph.add_message(1, node("Identity", {"go"}, {"on"}));
    graph.add_message(1, node("Identity", {"v"}, {"w"}));
    graph.add_string(2, "body");
    graph.add_message(11, value("turn", 7, {}));
    graph.add_message(11, value("go", 9, {}));
    graph.add_message(11, value("v", 1, {-1, 2}));
    graph.add_message(12, value("on", 9, {}));
    graph.add_message(12, value("w", 1, {-1, 2}));
  });
  const std::string turns = message([&](pbf_writer& attribute) {
    attribute.add_string(1, "body");
    attribute.add_message(6, body);
    attribute.add_int32(20, 5);
  });
  const auto model = parse_model(model_of({.nodes = {node("Loop", {"most", "yes", "X"}, {"Y"}, {turns})},
                                           .constants = {scalar("most", 7, std::int64_t{1} << 60), scalar("yes", 9, 1)},
                                           .outputs = {value("Y", 1, {-1, 2})}}),
                                 "model.onnx");
  const Table table = numbers({1}, {2});
  const auto bound = model->bind(table.schema());
  const auto stream = table.open(bound->columns(), 1);
  const auto block = stream->next();
  Matrix out(1, 2);
  Context context(1);
  std::jthread impatient([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    context.cancel();
  });
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THROW(bound->predict(*block, {}, out.span(), context), Cancelled);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

class OnnxRuntimeFixture : public OnnxRuntimeModels, public ::testing::WithParamInterface<std::string> {};

TEST_P(OnnxRuntimeFixture, TreesThatAreNotReadAreAsked) {
  const auto fixture = testing::read_fixture("onnx", GetParam());
  const auto model = load_model((testing::formats_folder("onnx") / (GetParam() + ".onnx")).string());
  EXPECT_EQ(model->signature().format, "onnxruntime");
  const Matrix found = answers(*model, fixture.table, fixture.margin.columns());
  for (std::size_t row = 0; row < found.rows(); ++row) {
    for (std::size_t k = 0; k < found.columns(); ++k) {
      ASSERT_NEAR(found(row, k), fixture.margin(row, k), fixture.tolerance) << "row " << row;
    }
  }
}

// Written by the version of onnxruntime that is installed for the tests.
std::vector<std::string> asked_fixtures() {
  auto names = testing::fixture_names("onnx");
  std::erase_if(names, [](const auto& name) {
    const auto text = testing::read_bytes(testing::formats_folder("onnx") / (name + ".expected.json"));
    return !name.ends_with("_new") || nlohmann::json::parse(text).at("exact").template get<bool>();
  });
  return names;
}

INSTANTIATE_TEST_SUITE_P(Formats, OnnxRuntimeFixture, ::testing::ValuesIn(asked_fixtures()),
                         [](const auto& fixture) { return fixture.param; });

}  // namespace
}  // namespace sightglass
