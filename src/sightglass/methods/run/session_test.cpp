#include "sightglass/methods/run/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sightglass/base/error.h"
#include "sightglass/methods/all_methods.h"
#include "sightglass/methods/run/job.h"
#include "support/function_model.h"
#include "support/methods_of_tests.h"
#include "support/random_data.h"
#include "support/take_chain.h"

namespace sightglass {
namespace {

using ::testing::HasSubstr;

template <class Use>
Error error_of(Use use) {
  try {
    use();
  } catch (const Error& error) {
    return error;
  }
  return {ErrorKind::internal, "nothing was thrown"};
}

// A source whose rows can only be read one after the other; counts how often that was begun.
class Counted : public Source {
 public:
  explicit Counted(const Table& table) : table_(table) {}
  [[nodiscard]] const Schema& schema() const override { return table_.schema(); }
  [[nodiscard]] std::unique_ptr<BlockStream> open(std::span<const std::uint32_t> columns,
                                                  std::size_t block_rows) const override {
    ++opened;
    return table_.open(columns, block_rows);
  }
  [[nodiscard]] std::optional<std::uint64_t> row_count() const override { return table_.row_count(); }
  [[nodiscard]] const std::vector<std::string>& notes() const override { return table_.notes(); }
  mutable int opened = 0;

 private:
  const Table& table_;
};

testing::FunctionModel steep(std::size_t outputs = 1) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < outputs; ++k) names.push_back("output " + std::to_string(k));
  return {{"a", "d"},
          [outputs](const std::vector<double>& x) { return std::vector<double>(outputs, 100 * x[0] + x[1]); },
          names};
}

Value about_row(std::int64_t row) { return Value::object({{"feature", "a"}, {"rows", Value::array().push_back(row)}}); }

TEST(SessionWithoutModel, FeaturesAreTheColumnsBesideTargetAndWeights) {
  const Table table = testing::random_table(3, 50).with_weights(4);
  Context context(1);
  const RunSession session(no_model(), table, {.target = "y"}, context);
  EXPECT_FALSE(session.has_model());
  const Result result = session.run(testing::known_counts());
  std::vector<std::string> names;
  for (const ResultItem& item : result.results) names.push_back(item.get<Importance>().feature);
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b", "c", "d"}));
  EXPECT_EQ(result.results[0].get<Importance>().importance, 50);
  EXPECT_TRUE(result.model.as_object().empty());
  EXPECT_EQ(result.options.find("engine")->as_string(), "");
  EXPECT_EQ(result.options.find("scale")->as_string(), "");
  EXPECT_EQ(result.data.find("target")->as_string(), "y");
  // A model says which columns are features, and is not asked.
  const testing::FunctionModel model(
      {"d"}, [](const auto&) -> std::vector<double> { throw Error(ErrorKind::prediction, "it was asked"); });
  const Result of_model = RunSession(model, table, {.target = "y"}, context).run(testing::known_counts());
  ASSERT_EQ(of_model.results.size(), 1U);
  EXPECT_EQ(of_model.results[0].get<Importance>().feature, "d");
}

TEST(SessionWithoutModel, SaysWhatIsAboutAModel) {
  const Table table = testing::random_table(3, 50);
  Context context(1);
  const auto with = [&](const RunOptions& options) {
    return error_of([&] { (void)RunSession(no_model(), table, options, context).run(testing::known_counts()); });
  };
  for (const RunOptions& options :
       {RunOptions{.output = "cat"}, RunOptions{.scale = "margin"}, RunOptions{.engine = "trees"}}) {
    EXPECT_EQ(with(options).kind(), ErrorKind::usage);
    EXPECT_THAT(with(options).message(), HasSubstr("is about a model, and there is none"));
  }
  const Error needed = error_of([&] { (void)run("ale", no_model(), table, Value::object(), context); });
  EXPECT_EQ(needed.kind(), ErrorKind::usage);
  EXPECT_THAT(needed.message(), HasSubstr("ale explains a model, and there is none"));
  const Table target_alone(Schema({{.name = "y"}}), {column_of(std::vector<double>{1, 2})});
  const RunSession no_features(no_model(), target_alone, {.target = "y"}, context);
  EXPECT_EQ(error_of([&] { (void)no_features.run(testing::known_counts()); }).kind(), ErrorKind::data);
}

TEST(Session, APlanIsNotAMethod) {
  const Table table = testing::random_table(3, 20);
  Context context(1);
  const auto model = steep();
  const MethodEntry plan{.name = "everything", .plan = [](const PlanInput&, const Value&) { return Result{}; }};
  const Error error = error_of([&] { (void)RunSession(model, table, {}, context).run(plan); });
  EXPECT_EQ(error.kind(), ErrorKind::internal);
  EXPECT_THAT(error.message(), HasSubstr("everything is not a method"));
}

TEST(Session, ACurveMaySayWhatItEstimates) {
  const Table table = testing::random_table(3, 20);
  Context context(1);
  MethodEntry entry = testing::known_counts();
  entry.estimand = Estimand::partial_dependence;
  entry.start = [](const MethodInput&, const Value&) -> Chain<Result> {
    Result result;
    for (const Estimand estimand : {Estimand::component, Estimand::other}) {
      Curve curve{.axis = {.feature = "a", .numbers = {0, 1}}};
      curve.mean = {1, 2};
      curve.estimand = estimand;
      result.results.emplace_back(std::move(curve));
    }
    return result;
  };
  const Result result = RunSession(no_model(), table, {}, context).run(entry);
  EXPECT_EQ(result.results[0].get<Curve>().estimand, Estimand::component);
  EXPECT_EQ(result.results[1].get<Curve>().estimand, Estimand::partial_dependence);
}

TEST(Questions, AreAskedWithoutReadingTheData) {
  const Table table = testing::random_table(5, 80);
  const auto model = steep();
  Context context(1);
  const auto rounds_and_openings = [&](double tolerance) {
    const Counted source(table);
    const Result result =
        RunSession(model, source, {}, context).run(testing::local_change(), about_row(7).set("tolerance", tolerance));
    return std::pair(result.results.at(0).get<Importance>().details.find("rounds")->as_integer(), source.opened);
  };
  // 100 · 2 · step ≤ tolerance, beginning with a step of 64.
  const auto [once, openings] = rounds_and_openings(12800);
  EXPECT_EQ(once, 1);
  const auto [often, more_openings] = rounds_and_openings(1);
  EXPECT_EQ(often, 15);
  EXPECT_EQ(more_openings, openings);
  // Part by part the same, though the row is in one of the parts only.
  const RunSession session(model, table, {}, context);
  const auto taken =
      testing::take_method(session, testing::local_change(), about_row(7), {table.slice(0, 30), table.slice(30, 50)});
  EXPECT_EQ(taken.results.at(0).get<Importance>().details.find("rounds")->as_integer(), 15);
}

TEST(Questions, CanBeStopped) {
  const Table table = testing::random_table(5, 80);
  const auto model = steep();
  Context context(1);
  int asked = 0;
  context.on_progress = [&](const Progress& progress) {
    if (progress.task == "local-change" && progress.total == 0 && ++asked == 4) context.cancel();
  };
  EXPECT_THROW((void)RunSession(model, table, {}, context).run(testing::local_change(), about_row(7)), Cancelled);
}

TEST(Questions, AnswersOfAJobAreBounded) {
  const Table table = testing::random_table(5, 40);
  const auto model = steep(1000);
  Context context(1);
  const std::vector<MethodEntry> known = testing::job_methods();
  const auto after_three_passes = [&](std::int64_t copies) {
    const Value options = about_row(7).set("copies", copies).set("tolerance", 12800).set("output", "output 0");
    Job job("local-change", options, model, table.schema(), DataFacts::of(table), known);
    for (int pass = 0; pass < 3; ++pass) {
      const WorkOnJob work(job, model, table, context, known);
      const auto next = work.next(std::vector<std::string>{work.map(table)});
      if (std::holds_alternative<Result>(next)) return pass;
      job = Job::load(std::get<Job>(next).save());
    }
    return 3;
  };
  // How the features are related, the row itself, the rows near it.
  EXPECT_EQ(after_three_passes(1), 2);
  const Error error = error_of([&] { (void)after_three_passes(4500); });
  EXPECT_EQ(error.kind(), ErrorKind::usage);
  EXPECT_THAT(error.message(), HasSubstr("64 MiB"));
}

// Counts the rows that it is shown.
class SeenRows : public Pass<testing::NearSums, std::uint64_t> {
 public:
  [[nodiscard]] std::vector<std::uint32_t> columns() const override { return {0}; }
  [[nodiscard]] std::optional<std::vector<std::uint64_t>> rows() const override {
    return std::vector<std::uint64_t>{5, 31, 79};
  }
  [[nodiscard]] bool needs_model() const override { return false; }
  [[nodiscard]] testing::NearSums empty() const override { return {}; }
  void map(const RowBlock& block, testing::NearSums& sums, Evaluator&) const override { sums.rows += block.rows; }
  [[nodiscard]] std::uint64_t find(const testing::NearSums& sums) const override { return sums.rows; }
};

TEST(NamedRows, OfATableAreReadAlone) {
  const Table table = testing::random_table(5, 80);
  Context context(1);
  Evaluator evaluator(no_model(), table, {}, {}, context);
  const std::vector<Table> parts{table.slice(0, 30), table.slice(30, 10), table.slice(40, 40)};
  EXPECT_EQ(testing::take_chain(over_rows<SeenRows>(), parts, evaluator).value, 3U);
}

TEST(Calls, TakeTheContextOfTheCaller) {
  const Table table = testing::random_table(5, 80);
  const auto model = steep();
  Context context(1);
  context.cancel();
  EXPECT_THROW((void)ale(model, table, {.features = {"a"}}, {}, context), Cancelled);
  EXPECT_EQ(ale(model, table, {.features = {"a"}}).results.size(), 1U);
}

}  // namespace
}  // namespace sightglass
