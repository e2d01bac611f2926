// Every method of the registry, by separate processes that exchange nothing but files of bytes: each has its own rows,
// its own copy of the model, and the job. The result is that of one process, byte for byte.
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <random>

#include "replay/job_files.h"
#include "sightglass/base/error.h"
#include "sightglass/data/scan/scan.h"
#include "sightglass/methods/run/job.h"
#include "sightglass/model/model_categories.h"
#include "sightglass/result/json.h"
#include "support/law_cases.h"
#include "support/methods_of_tests.h"
#include "support/random_data.h"
#include "support/temporary_folder.h"

extern char** environ;

namespace sightglass {
namespace {

using testing::job_model;
using testing::part_bytes;
using testing::random_table;
using testing::read_bytes;

pid_t start(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), SIGHTGLASS_WORKER);
  std::vector<char*> raw;
  for (std::string& argument : arguments) raw.push_back(argument.data());
  raw.push_back(nullptr);
  pid_t process = 0;
  if (posix_spawn(&process, SIGHTGLASS_WORKER, nullptr, nullptr, raw.data(), environ) != 0) return -1;
  return process;
}

int wait_for(pid_t process) {
  int status = 0;
  if (process <= 0 || waitpid(process, &status, 0) != process || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

// The result of a job, as JSON, by processes that each have some of the rows.
std::string by_processes(const std::string& model_name, const Job& begun, const Table& table) {
  const TemporaryFolder folder;
  const std::vector<std::size_t> cuts{0, 41, 100, table.rows()};
  std::vector<std::string> parts;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    const std::string name = "rows" + std::to_string(i);
    parts.push_back(folder.write(name, part_bytes(table, cuts[i], cuts[i + 1] - cuts[i])));
  }
  std::mt19937_64 random(5);
  std::string job = folder.write("job0", begun.save());
  for (int stage = 0; stage < 100; ++stage) {
    std::shuffle(parts.begin(), parts.end(), random);
    std::vector<std::string> partials;
    std::vector<pid_t> workers;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      partials.push_back(folder.path("kept" + std::to_string(i)));
      workers.push_back(start({"map", model_name, job, parts[i], partials[i]}));
    }
    for (const pid_t worker : workers) {
      if (wait_for(worker) != 0) return "a worker failed at stage " + std::to_string(stage);
    }
    const std::string out = folder.path("job" + std::to_string(stage + 1));
    std::vector<std::string> next{"next", model_name, job, parts[0], out};
    next.insert(next.end(), partials.begin(), partials.end());
    const int code = wait_for(start(next));
    if (code == 10) return read_bytes(out);
    if (code != 0) return "no next stage after stage " + std::to_string(stage);
    job = out;
  }
  return "it does not end";
}

class Replay : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(Replay, SeparateProcessesFindTheSame) {
  const auto& [variant, some_model] = GetParam();
  const std::string method = testing::method_of(variant);
  const bool classes = testing::law_case(variant).target == testing::LawTarget::classes;
  const std::string model_name = classes ? "classes" : some_model;
  const auto model = job_model(model_name);
  const Table random = random_table(31, 160).with_weights(4);
  const Table table = classes ? testing::with_classes(random) : random;
  Value options = testing::law_case(variant).options;
  options.set("batch", 32).set("target", classes ? "class" : "y").set("skill_rows", 40);
  // The target is a number, so one of the outputs is meant.
  if (find_method(method).needs.target == Need::required && !classes)
    options.set("output", model->signature().outputs[0]);
  Context context(1);
  const std::string whole = to_json(run(method, *model, table, options, context));
  const Job job(method, options, *model, table.schema(), DataFacts::of(table));
  EXPECT_EQ(by_processes(model_name, job, table), whole);
}

std::string test_name(const ::testing::TestParamInfo<std::tuple<std::string, std::string>>& each) {
  std::string name = std::get<0>(each.param) + "_" + std::get<1>(each.param);
  std::replace_if(name.begin(), name.end(), [](char c) { return c == '-' || c == ':'; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Methods, Replay,
                         ::testing::Combine(::testing::ValuesIn(testing::law_variants()),
                                            ::testing::Values("trees", "function")),
                         test_name);
INSTANTIATE_TEST_SUITE_P(OfLearnedModels, Replay,
                         ::testing::Combine(::testing::ValuesIn(testing::law_variants(true)),
                                            ::testing::ValuesIn(testing::fitted_learners())),
                         test_name);

// A method that looks at the data alone is replayed without a model.
TEST(ReplayWithoutModel, SeparateProcessesFindTheSame) {
  const Table table = random_table(31, 160).with_weights(4);
  const std::vector<MethodEntry> known = testing::job_methods();
  const Value options = Value::object({{"target", "y"}});
  Context context(1);
  const RunSession session(no_model(), table, {.target = "y"}, context);
  const std::string whole = to_json(session.run(testing::known_counts()));
  EXPECT_EQ(by_processes("none", Job("known-counts", options, no_model(), table.schema(), DataFacts::of(table), known),
                         table),
            whole);
  EXPECT_THROW(Job("pdp", options, no_model(), table.schema(), DataFacts::of(table)), Error);
}

// What the model answers to a method's own questions travels with the job.
TEST(ReplayOfQuestions, SeparateProcessesFindTheSame) {
  const std::string bike = SIGHTGLASS_SOURCE_DIR "/examples/bike/";
  const auto model = load_model(bike + "model.json");
  Context context(1);
  const Table all = scan_table({.path = bike + "bike.csv"}, context);
  const Table table = with_model_categories(all, model->signature(), {}).slice(0, 160);
  const std::vector<MethodEntry> known = testing::job_methods();
  const Value own = Value::object({{"feature", "temp"}, {"rows", Value::array().push_back(120)}});
  const RunSession session(*model, table, {}, context);
  const Result result = session.run(testing::local_change(), own);
  EXPECT_GT(result.results.at(0).get<Importance>().details.find("rounds")->as_integer(), 1);
  const Job job("local-change", own, *model, table.schema(), DataFacts::of(table), known);
  EXPECT_EQ(by_processes(bike + "model.json", job, table), to_json(result));
}

// What does not belong together is an error that says so.
class JobErrors : public ::testing::Test {
 protected:
  template <class Use>
  static ErrorKind kind_of(Use use) {
    try {
      use();
    } catch (const Error& error) {
      return error.kind();
    }
    return ErrorKind::internal;
  }

  Context context_{1};
  Table table_ = random_table(32, 60);
  std::shared_ptr<const Model> model_ = job_model("trees");
  Job job_{"m-plot", Value::object(), *model_, table_.schema(), DataFacts::of(table_)};
};

TEST_F(JobErrors, ModelAndColumnsMustBeThoseOfTheJob) {
  EXPECT_NO_THROW(WorkOnJob(job_, *model_, table_, context_));
  const auto other = job_model("function");
  EXPECT_EQ(kind_of([&] { WorkOnJob(job_, *other, table_, context_); }), ErrorKind::model);
  const auto same_kind = testing::random_trees(10, testing::tree_families().at("lightgbm"));
  EXPECT_EQ(kind_of([&] { WorkOnJob(job_, *same_kind, table_, context_); }), ErrorKind::model);
  const Table renamed = table_.with_unit("a", "°C");
  EXPECT_EQ(kind_of([&] { WorkOnJob(job_, *model_, renamed, context_); }), ErrorKind::data);
  EXPECT_EQ(kind_of([&] { (void)Job("m-plot", Value::object({{"bin", 3}}), *model_, table_.schema(), {}); }),
            ErrorKind::usage);
  const Job sampled("m-plot", Value::object({{"sample", 10}}), *model_, table_.schema(), DataFacts::of(table_));
  EXPECT_EQ(kind_of([&] { WorkOnJob(sampled, *model_, table_, context_); }), ErrorKind::usage);
}

TEST_F(JobErrors, PartsMustBeOfTheSameStageAndHoldEveryRow) {
  const WorkOnJob first(job_, *model_, table_, context_);
  const std::vector<std::string> all{first.map(table_)};
  const auto next = std::get<Job>(first.next(all));
  const WorkOnJob second(next, *model_, table_, context_);
  EXPECT_EQ(kind_of([&] { (void)second.next(all); }), ErrorKind::data);
  const Job other("ale", Value::object(), *model_, table_.schema(), DataFacts::of(table_));
  EXPECT_EQ(kind_of([&] { (void)WorkOnJob(other, *model_, table_, context_).next(all); }), ErrorKind::data);
  const std::vector<std::string> twice{all[0], all[0]};
  EXPECT_EQ(kind_of([&] { (void)first.next(twice); }), ErrorKind::data);
  const std::vector<std::string> some{first.map(table_.slice(0, 20))};
  EXPECT_EQ(kind_of([&] { (void)first.next(some); }), ErrorKind::data);
  // Merged as a tree.
  const std::vector<std::string> two{some[0], first.map(table_.slice(20, 40))};
  const std::vector<std::string> merged{first.merge(two)};
  EXPECT_EQ(std::get<Job>(first.next(merged)).save(), next.save());
}

TEST_F(JobErrors, DamagedBytesAreRefused) {
  const std::string saved = job_.save();
  EXPECT_EQ(Job::load(saved).save(), saved);
  const WorkOnJob work(job_, *model_, table_, context_);
  const std::string part = work.map(table_);
  for (const std::string& bytes : {saved, part}) {
    const auto use = [&](const std::string& damaged) {
      if (bytes == saved) {
        (void)Job::load(damaged);
      } else {
        (void)work.next(std::vector<std::string>{damaged});
      }
    };
    for (const std::size_t at : {std::size_t{3}, std::size_t{12}, bytes.size() / 2, bytes.size() - 1}) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x20);
      EXPECT_EQ(kind_of([&] { use(damaged); }), ErrorKind::data) << at;
      EXPECT_EQ(kind_of([&] { use(bytes.substr(0, at)); }), ErrorKind::data) << at;
    }
    EXPECT_EQ(kind_of([&] { use(bytes + "x"); }), ErrorKind::data);
  }
}

}  // namespace
}  // namespace sightglass
