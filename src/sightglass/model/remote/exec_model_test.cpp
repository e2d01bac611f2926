#include "sightglass/model/remote/exec_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <thread>

#include "sightglass/base/error.h"
#include "sightglass/data/table.h"
#include "support/temporary_folder.h"

namespace sightglass {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
Table weather(std::vector<double> temp, std::vector<std::int32_t> code) {
  auto dictionary = std::make_shared<Dictionary>(std::vector<std::string>{"rain", "dry \"x\"\n"});
  return Table(Schema({{.name = "temp"}, {.name = "weather", .type = DType::categorical, .dictionary = dictionary}}),
               {column_of(std::move(temp)), column_of(std::move(code), dictionary.get())});
}

// A script in a folder of its own that is gone after the test.
class ExecModel : public ::testing::Test {
 protected:
  void TearDown() override {
    // Every child has been waited for.
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
    EXPECT_EQ(errno, ECHILD);
  }

  std::string script(const std::string& text, const std::string& name = "model.py") const {
    std::ofstream(folder_ / name) << "import json, os, signal, sys, time\n" << text;
    return "exec python3 '" + (folder_ / name).string() + "'";
  }

  // As the evaluator does it: the first row tells the outputs, then all rows are predicted.
  static std::vector<std::string> outputs_of(const Model& model, const Table& table, Context& context) {
    const auto bound = model.bind(table.schema());
    const auto stream = table.open(bound->columns(), 1);
    const auto first = stream->next();
    return bound->outputs(*first, {}, context);
  }
  static std::vector<double> ask(const Model& model, const Table& table, Context& context,
                                 std::span<const Override> overrides = {}, std::size_t outputs = 1) {
    const auto bound = model.bind(table.schema());
    const auto stream = table.open(bound->columns(), 1 << 20);
    auto block = stream->next();
    block->overrides = overrides;
    std::vector<double> out(block->rows * outputs);
    bound->predict(*block, {}, {out.data(), block->rows, outputs}, context);
    return out;
  }

  Error failure(const std::string& text, double timeout = 20, const Table& table = weather({1, 2}, {0, 1})) const {
    const auto model = open_exec_model(script(text), {.timeout = timeout});
    return failure_of([&] {
      Context context(1);
      (void)ask(*model, table, context);
    });
  }

  static Error failure_of(const std::function<void()>& run) {
    try {
      run();
    } catch (const Error& error) {
      return error;
    }
    ADD_FAILURE() << "no error";
    return {ErrorKind::internal, ""};
  }

  TemporaryFolder temporary_;
  std::filesystem::path folder_ = temporary_.path();
};

TEST_F(ExecModel, TheExamplePredicts) {
  const auto model = open_exec_model("python3 " SIGHTGLASS_SOURCE_DIR "/examples/exec/model.py", {});
  EXPECT_EQ(model->concurrency(), Concurrency::one_at_a_time);
  EXPECT_FALSE(model->signature().features_known);
  Context context(1);
  const Table table = weather({1, 2.5, NAN}, {0, 1, -1});
  EXPECT_TRUE(model->signature().outputs.empty());
  EXPECT_THAT(outputs_of(*model, table, context), ElementsAre("prediction"));
  EXPECT_THAT(ask(*model, table, context), ElementsAre(8, 17.5, 10));
  const Override rain[] = {{1, Scalar::level(0)}};
  EXPECT_THAT(ask(*model, table, context, rain), ElementsAre(8, 12.5, 5));
  const std::vector<double> other = {0, 0, 1};
  const Override temp[] = {{0, view_of(other)}};
  EXPECT_THAT(ask(*model, table, context, temp), ElementsAre(5, 10, 13));
}

TEST_F(ExecModel, WritesValuesAsTheyAre) {
  const Error error = failure("for line in sys.stdin: print(json.dumps({'error': line.strip()}), flush=True)", 20,
                              weather({1, 0.1, INFINITY, -INFINITY, NAN, 1e300}, {0, 1, -1, 0, 0, 0}));
  EXPECT_THAT(error.message(), HasSubstr(R"({"columns":{"temp":[1.0,0.1,"Infinity","-Infinity",null,1e+300],)"
                                         R"("weather":["rain","dry \"x\"\n",null,"rain","rain","rain"]},)"
                                         R"("kinds":{"temp":"number","weather":"text"},"rows":6,"scale":"response"})"));
  const std::vector<std::int64_t> whole = {3, -4};
  const std::vector<std::uint8_t> truth = {1, 0};
  const Table table(Schema({{.name = "n", .type = DType::int64}, {.name = "b", .type = DType::boolean}}),
                    {{.view = view_of(std::span<const std::int64_t>(whole), DType::int64), .owner = nullptr},
                     {.view = view_of(std::span<const std::uint8_t>(truth), DType::boolean), .owner = nullptr}});
  EXPECT_THAT(
      failure("for line in sys.stdin: print(json.dumps({'error': line.strip()}), flush=True)", 20, table).message(),
      HasSubstr(R"({"n":[3,-4],"b":[true,false]})"));
}

TEST_F(ExecModel, LearnsItsOutputs) {
  const std::string two = script(
      "for line in sys.stdin:\n"
      "  n = json.loads(line)['rows']\n"
      "  print(json.dumps({'predictions': [[0.25, 0.75]] * n, 'outputs': ['no', 'yes']}), flush=True)\n");
  Context context(1);
  const Table table = weather({1, 2}, {0, 1});
  const auto model = open_exec_model(two, {});
  EXPECT_THAT(outputs_of(*model, table, context), ElementsAre("no", "yes"));
  EXPECT_THAT(ask(*model, table, context, {}, 2), ElementsAre(0.25, 0.75, 0.25, 0.75));
  const auto named = open_exec_model(two, {.classes = {"a", "b"}});
  EXPECT_THAT(outputs_of(*named, table, context), ElementsAre("b"));
  EXPECT_EQ(named->signature().other_class, "a");
  EXPECT_THAT(ask(*named, table, context), ElementsAre(0.75, 0.75));
  const auto wrong = open_exec_model(two, {.classes = {"a", "b", "c"}});
  EXPECT_EQ(failure_of([&] { (void)outputs_of(*wrong, table, context); }).kind(), ErrorKind::usage);
  const std::uint32_t target[] = {0};
  EXPECT_THAT(model->bind(table.schema(), target)->columns(), ElementsAre(1));
}

TEST_F(ExecModel, SaysHowTheProcessEnded) {
  const Error code = failure("sys.stdin.readline(); print('first\\nno such model', file=sys.stderr); sys.exit(3)");
  EXPECT_EQ(code.kind(), ErrorKind::prediction);
  EXPECT_THAT(code.message(), HasSubstr("ended with exit code 3 before it answered: no such model"));
  EXPECT_THAT(code.detail(), HasSubstr("first\n"));
  EXPECT_THAT(failure("sys.stdin.readline(); os.kill(os.getpid(), signal.SIGSEGV)").message(),
              HasSubstr("by signal 11"));
  EXPECT_THAT(failure("os.close(1); time.sleep(30)").message(), HasSubstr("closed its stdout"));
  const auto nothing = open_exec_model("/no/such/program", {});
  const Error error = failure_of([&] {
    Context context(1);
    (void)ask(*nothing, weather({1}, {0}), context);
  });
  EXPECT_EQ(error.kind(), ErrorKind::model);
  EXPECT_THAT(error.message(), HasSubstr("exit code 127"));
}

TEST_F(ExecModel, RefusesWrongAnswers) {
  const auto answers = [&](const std::string& text) {
    return failure("for line in sys.stdin: print(" + text + ", flush=True)").message();
  };
  EXPECT_THAT(answers("'hello'"), AllOf(HasSubstr("the answer hello"), HasSubstr("not valid JSON")));
  EXPECT_THAT(answers("'[1,2]'"), HasSubstr("should be an object"));
  EXPECT_THAT(answers("'{\"predictions\":[1]}'"), HasSubstr("predictions has 1 items for 2 rows"));
  EXPECT_THAT(answers("'{\"predictions\":[1,2,3]}'"), HasSubstr("more items than the request has rows, 2"));
  EXPECT_THAT(answers("'{\"predictions\":[1,null]}'"), HasSubstr("predictions[1] is not a number"));
  EXPECT_THAT(answers("'{\"predictions\":[\"yes\",\"no\"]}'"), HasSubstr("predictions[0] is not a number"));
  EXPECT_THAT(answers("'{\"predictions\":[[1,2],[3,4]]}'"),
              HasSubstr("predictions[0] has 2 numbers where 1 were expected"));
  EXPECT_THAT(answers("'{\"predictions\":[1,2],\"predictions\":[3,4]}'"), HasSubstr("twice"));
  EXPECT_THAT(answers("'{}'"), HasSubstr("lacks predictions"));
  EXPECT_THAT(answers("'{\"error\":\"weather is unknown\"}'"), HasSubstr("reports: weather is unknown"));
  EXPECT_THAT(failure("while True: print('x' * 1000000, end='', flush=True)").message(),
              HasSubstr("without a line break"));
}

TEST_F(ExecModel, NotFiniteNumbersComeThroughForTheEvaluatorToNameTheRow) {
  const auto model =
      open_exec_model(script("for line in sys.stdin: print('{\"predictions\":[NaN,-Infinity,1]}', flush=True)"), {});
  Context context(1);
  const auto out = ask(*model, weather({1, 2, 3}, {0, 1, 0}), context);
  EXPECT_TRUE(std::isnan(out[0]));
  EXPECT_TRUE(std::isinf(out[1]));
  EXPECT_EQ(out[2], 1);
}

TEST_F(ExecModel, AnAnswerNobodyAskedForIsAnError) {
  const auto model =
      open_exec_model(script("for line in sys.stdin: print('{\"predictions\":[1,2]}\\nnoise', flush=True)"), {});
  Context context(1);
  const Table table = weather({1, 2}, {0, 1});
  EXPECT_THAT(ask(*model, table, context), ElementsAre(1, 2));
  EXPECT_THAT(failure_of([&] { (void)ask(*model, table, context); }).message(),
              HasSubstr("without being asked: noise"));
  // A fresh process takes over.
  EXPECT_THAT(ask(*model, table, context), ElementsAre(1, 2));
}

TEST_F(ExecModel, NeverHangs) {
  const auto model = open_exec_model(script("time.sleep(60)"), {.timeout = 300});
  // More than any pipe holds, and nobody reads it.
  const std::vector<double> many(200000, 1.25);
  for (const Table& table : {weather({1, 2}, {0, 1}), weather(many, std::vector<std::int32_t>(many.size(), 0))}) {
    Context context(1);
    double now = 0;
    context.clock = [&] { return now += 100; };
    EXPECT_THAT(failure_of([&] { (void)ask(*model, table, context); }).message(),
                HasSubstr("gave no answer within 300 seconds"));
    EXPECT_EQ(now, 400);
  }
}

TEST_F(ExecModel, AFloodOfStderrAndBigBlocksAreNoProblem) {
  const auto model = open_exec_model(script("for line in sys.stdin:\n"
                                            "  sys.stderr.write('noise\\n' * 500000); sys.stderr.flush()\n"
                                            "  t = json.loads(line)['columns']['temp']\n"
                                            "  print(json.dumps({'predictions': t}), flush=True)\n"),
                                     {});
  std::vector<double> many(150000);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = std::sqrt(static_cast<double>(i));
  Context context(1);
  EXPECT_EQ(ask(*model, weather(many, std::vector<std::int32_t>(many.size(), 0)), context), many);
}

TEST_F(ExecModel, CancelEndsTheWholeGroup) {
  const std::string mark = (folder_ / "grandchild").string();
  const auto model = open_exec_model(script("import subprocess\n"
                                            "p = subprocess.Popen(['sleep', '60'])\n"
                                            "open('" +
                                            mark +
                                            "', 'w').write(str(p.pid))\n"
                                            "time.sleep(60)\n"),
                                     {});
  Context context(1);
  std::thread canceller([&] {
    while (!std::filesystem::exists(mark) || std::filesystem::file_size(mark) == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    context.cancel();
  });
  EXPECT_THROW((void)ask(*model, weather({1}, {0}), context), Cancelled);
  canceller.join();
  std::ifstream file(mark);
  int grandchild = 0;
  file >> grandchild;
  // Half as long as it would live by itself.
  for (int turn = 0; turn < 3000; ++turn) {
    // Gone, or a zombie that its new parent has not waited for yet.
    std::ifstream state("/proc/" + std::to_string(grandchild) + "/stat");
    std::string text((std::istreambuf_iterator<char>(state)), {});
    if (text.empty() || text.find(") Z ") != std::string::npos) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ADD_FAILURE() << "the grandchild lives";
}

class PythonModel : public ExecModel {
 protected:
  void SetUp() override {
    ExecModel::SetUp();
    before_ = std::filesystem::current_path();
    std::filesystem::current_path(folder_);
  }
  void TearDown() override {
    std::filesystem::current_path(before_);
    ExecModel::TearDown();
  }
  std::filesystem::path before_;
};

TEST_F(PythonModel, CallsFunctionsAndMethods) {
  (void)script(
      "print('loading')\n"
      "def column(data, name): return list(data[name])\n"
      "def predict(data):\n"
      "  print('predicting')\n"
      "  return [0 if t != t else t * 2 for t in column(data, 'temp')]\n"
      "def broken(data): raise ValueError('no idea')\n"
      "class Thing:\n"
      "  def predict(self, data): return [(1, 2) for _ in column(data, 'weather')]\n"
      "thing = Thing()\n",
      "my_model.py");
  Context context(1);
  const Table table = weather({1, NAN, 2}, {0, -1, 1});
  const auto model = open_python_model("my_model:predict", {});
  EXPECT_THAT(ask(*model, table, context), ElementsAre(2, 0, 4));
  const auto method = open_python_model("my_model:thing.predict", {});
  EXPECT_THAT(outputs_of(*method, table, context), ElementsAre("0", "1"));
  EXPECT_THAT(ask(*method, table, context, {}, 2), ElementsAre(1, 2, 1, 2, 1, 2));
  const auto broken = open_python_model("my_model:broken", {});
  const Error error = failure_of([&] { (void)ask(*broken, table, context); });
  EXPECT_THAT(error.message(), HasSubstr("reports: ValueError: no idea"));
  EXPECT_THAT(error.detail(), HasSubstr("Traceback"));
  const auto object = open_python_model("my_model:thing", {});
  EXPECT_THAT(failure_of([&] { (void)ask(*object, table, context); }).message(),
              HasSubstr("a Thing object is not callable; did you mean python:my_model:thing.predict?"));
  const auto absent = open_python_model("no_such_module:predict", {});
  EXPECT_THAT(failure_of([&] { (void)ask(*absent, table, context); }).message(), HasSubstr("No module named"));
  EXPECT_EQ(failure_of([] { (void)open_python_model("module_only", {}); }).kind(), ErrorKind::usage);
  EXPECT_EQ(failure_of([] { (void)open_exec_model("  ", {}); }).kind(), ErrorKind::usage);
}

}  // namespace
}  // namespace sightglass
