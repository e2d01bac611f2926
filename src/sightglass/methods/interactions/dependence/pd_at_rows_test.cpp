#include "sightglass/methods/interactions/dependence/pd_at_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "sightglass/methods/run/session.h"
#include "support/dense_pd.h"
#include "support/function_model.h"
#include "support/random_data.h"
#include "support/take_chain.h"

namespace sightglass {
namespace {

using testing::DensePd;
using testing::FunctionModel;
using testing::random_table;

double entangled(const std::vector<double>& x) {
  return std::sin(x[0]) * (std::isnan(x[1]) ? 0.3 : x[1]) + (x[3] > 5 ? 2.0 : -1.0) * (std::isnan(x[2]) ? -1 : x[2]);
}

const FunctionModel model({"a", "b", "c", "d"},
                          [](const auto& x) { return std::vector<double>{1e3, entangled(x), entangled(x) * x[3]}; },
                          {"constant", "one", "two"});

const std::vector<PdSubset> subsets = {{}, {0}, {1}, {2}, {3}, {0, 1}, {1, 2}, {2, 3}, {1, 2, 3}};

struct Computed {
  std::shared_ptr<const PdRows> rows;
  std::vector<PdFunction> functions;
  std::size_t stages = 0;
  std::uint64_t model_rows = 0;
};

// Drives the stages as run() does.
Computed compute(const Table& table, const PdRowOptions& options, std::size_t sums_at_once) {
  Context context(2);
  const RunSession session(model, table, RunOptions(), context);
  MethodInput input = session.input();
  input.explained = {1, 2};
  Computed run;
  const auto taken = testing::take_chain(draw_pd_rows(input, options, {.features = input.features, .subsets = subsets})
                                             .then([&](const std::shared_ptr<const PdRows>& rows) {
                                               run.rows = rows;
                                               auto tasks = next_pd_tasks(*rows, subsets, 0, true, 2);
                                               EXPECT_EQ(tasks.size(), subsets.size());
                                               return pd_at_rows(input, rows, std::move(tasks), sums_at_once);
                                             }),
                                         {table}, session.evaluator(), 16);
  run.functions = *taken.value;
  run.stages = taken.stages - 1;  // the first one draws the rows
  run.model_rows = session.evaluator().model_rows();
  return run;
}

TEST(PdAtRows, EqualsTheDefinitionAndSoDoComplements) {
  for (const bool weighted : {false, true}) {
    const Table plain = random_table(21, 70);
    const Table table = weighted ? plain.with_weights(4) : plain;
    const Computed run = compute(table, {}, pd_sums_at_once);
    ASSERT_TRUE(run.rows->complete());
    const PdSample& sample = run.rows->samples()[0];
    for (const PdFunction& function : run.functions) {
      unsigned mask = 0;
      for (const std::size_t feature : function.task.subset) mask |= 1U << feature;
      for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
        const DensePd dense(table, 4, [k](const auto& x) { return k == 0 ? entangled(x) : entangled(x) * x[3]; });
        ASSERT_EQ(sample.rows.rows(), dense.rows());
        const auto joint = dense.pd(mask);
        const auto rest = dense.pd(0b1111U & ~mask);
        for (std::size_t row = 0; row < dense.rows(); ++row) {
          const std::size_t point = function.task.points[0].of_row[row];
          EXPECT_NEAR(function.values[0][point * 2 + k], static_cast<double>(joint[row]), 1e-13);
          EXPECT_NEAR(function.complement[0][row * 2 + k], static_cast<double>(rest[row]), 1e-13);
        }
      }
    }
  }
}

TEST(PdAtRows, FewSumsAtOnceGiveTheSameBitsAndNothingIsAskedTwice) {
  const Table table = random_table(22, 90).with_weights(4);
  const Computed whole = compute(table, {}, pd_sums_at_once);
  const Computed pieces = compute(table, {}, 14);
  EXPECT_EQ(whole.stages, 1U);
  EXPECT_GT(pieces.stages, 20U);
  EXPECT_EQ(whole.model_rows, pieces.model_rows);
  std::uint64_t points = 0;
  for (std::size_t i = 0; i < whole.functions.size(); ++i) {
    EXPECT_EQ(whole.functions[i].values, pieces.functions[i].values);
    for (std::size_t at = 0; at < whole.functions[i].complement[0].size(); ++at) {
      // Pieces of a sum in twice the precision: the last bit of the result hardly ever differs.
      EXPECT_NEAR(whole.functions[i].complement[0][at], pieces.functions[i].complement[0][at], 1e-15);
    }
    points += whole.functions[i].task.points[0].size();
  }
  EXPECT_EQ(whole.model_rows, points * whole.rows->used()) << "rows of weight zero are not asked for";
}

TEST(PdAtRows, SamplesAreDisjointAndOnlyTheirRowsAreAskedFor) {
  const Table table = random_table(23, 300);
  const Computed run = compute(table, {.sample_rows = 40, .samples = 3}, pd_sums_at_once);
  ASSERT_EQ(run.rows->samples().size(), 3U);
  EXPECT_FALSE(run.rows->complete());
  std::set<std::uint64_t> ids;
  std::uint64_t expected = 0;
  for (std::size_t s = 0; s < 3; ++s) {
    const PdSample& sample = run.rows->samples()[s];
    EXPECT_EQ(sample.rows.rows(), 40U);
    ids.insert(sample.rows.ids.begin(), sample.rows.ids.end());
    for (const PdFunction& function : run.functions) expected += 40 * function.task.points[s].size();
    // Each sample is its own background.
    for (std::size_t row = 0; row < 40; ++row) {
      double mean = 0;
      for (std::size_t b = 0; b < 40; ++b) {
        mean += entangled(
            {sample.rows.values[0][row], sample.rows.values[1][b], sample.rows.values[2][b], sample.rows.values[3][b]});
      }
      const std::size_t point = run.functions[1].task.points[s].of_row[row];
      EXPECT_NEAR(run.functions[1].values[s][point * 2], mean / 40, 1e-13);
    }
  }
  EXPECT_EQ(ids.size(), 120U);
  EXPECT_EQ(run.model_rows, expected);
}

TEST(PdAtRows, TheBudgetIsKept) {
  const Table table = random_table(24, 500);
  for (const std::int64_t budget : {20'000, 100'000, 600'000}) {
    const Computed run = compute(table, {.predictions = budget}, pd_sums_at_once);
    EXPECT_LE(run.model_rows, static_cast<std::uint64_t>(budget));
    EXPECT_FALSE(run.rows->complete());
  }
  EXPECT_TRUE(compute(table, {.predictions = 2'000'000}, pd_sums_at_once).rows->complete());
}

TEST(PdAtRows, TheComplementOfOneFeatureIsTheJointFunctionOfTheOthers) {
  const Table table = random_table(25, 60);
  const Computed run = compute(table, {}, pd_sums_at_once);
  const PdFunction known = pd_from_complement(*run.rows, {1, 2, 3}, run.functions[1]);
  ASSERT_EQ(known.values[0].size(), run.functions[8].values[0].size());
  for (std::size_t at = 0; at < known.values[0].size(); ++at)
    EXPECT_NEAR(known.values[0][at], run.functions[8].values[0][at], 1e-13);
}

}  // namespace
}  // namespace sightglass
